"""What the command line takes; wrong usage is one line that says what to do."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
import textwrap
from typing import TYPE_CHECKING, Any, NoReturn, get_args

from hybridsnap.act.actions import ACTIONS
from hybridsnap.cli.emulation import add_devices
from hybridsnap.cli.options import (
    VIEWPORT_WORDS,
    add_debug,
    add_endpoint,
    add_flag,
    add_launched,
    add_loading,
    add_page,
    add_repeatable,
    add_timeout,
    add_viewport,
)
from hybridsnap.cli.output import write_text
from hybridsnap.cli.recorded import add_console, add_network
from hybridsnap.cli.saving import add_save, add_storage_listing
from hybridsnap.cli.serve import add_serve
from hybridsnap.cli.tool import add_tool
from hybridsnap.cli.tracing import add_trace
from hybridsnap.cli.types import (
    CAPABILITIES,
    capabilities,
    port_number,
    positive_number,
    shorten,
    whole_levels,
)
from hybridsnap.render.formats import FormatName
from hybridsnap.service.usage import TOKEN_VARIABLE, UsageError, check_endpoint

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

#: Actions that have steps of WebArena's, or a face of their own.
_AS_STEPS = frozenset(
    {"click", "hover", "type", "clear", "select_option", "set_input_files", "press", "scroll", "goto"}
    | {"go_back", "go_forward"}
)
_IN_JSON_ONLY = textwrap.fill(
    ", ".join(name for name in ACTIONS if name not in _AS_STEPS), width=104, subsequent_indent="  "
)

_ACT_WORDS = f"""\
actions, as WebArena writes them, with ids of a snapshot:
  'click [0-29]'  'hover [0-29]'  'type [0-5] [some text] [0]' (without [0]: Enter after it)
  'clear [0-5]'  'select [0-7] [an option]'  'upload [0-9] [a path]'  'press [Ctrl+a]'
  'scroll [down]'  'goto [https://…]'  'go_back'  'go_forward'
  'new_tab'  'tab_focus [0]'  'close_tab'
or as JSON, with the arguments of Page's methods:
  '{{"action": "click", "element": "form.login button", "count": 2}}'
  '{{"action": "type", "element": "0-5", "text": "some text", "by_keys": true, "submit": true}}'
  '{{"action": "fill_form", "entries": [{{"id": "0-5", "value": "Ada"}}, {{"id": "0-8", "value": true}}]}}'
  '{{"action": "answer_dialog", "accept": false}}'
  '{{"action": "click", "element": "0-9", "chooser_files": ["cv.pdf"]}}': answers the file chooser it opens
in JSON only:
  {_IN_JSON_ONLY}

tabs: of several, 'tab_focus [n]' chooses the one that the actions after it are done on; 'close_tab' at the
  beginning closes the one that is shown. Neither needs --target-id. The numbers are in the first line of
  hybridsnap snapshot --cdp ENDPOINT --target-id ID --format webarena
dialogs: answer_dialog stands after the action that opens it; one that is open at the end is dismissed. One
  that was open before belongs to the client that saw it open; 'goto [https://…]' closes it (but for a
  beforeunload, which wants answer_dialog). A goto that a page holds up with one fails, unless
  '{{"action": "answer_dialog", "accept": true}}' stands after it
--json: one list on stdout, with a receipt (or what was read) of each action, in order. When one fails, the
  list is one line of stderr, and its last entry is
  {{"error": {{"type": "StaleElement", "message": …, "fields": {{…}}, "remedy": …}}}}

examples:
  hybridsnap snapshot --cdp http://127.0.0.1:9222
  hybridsnap act http://127.0.0.1:9222 'click [0-29]' --diff
  hybridsnap act http://127.0.0.1:9222 'tab_focus [1]' 'scroll [down]' 'close_tab'
  hybridsnap act https://example.com '{{"action": "click", "element": "a.csv"}}' --download files

exit codes: 0 done, 3 the last action is a navigation that did not arrive in time (no action follows such a
one), 2 wrong usage, 1 anything else (what was done before is on stderr)"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the lines of its epilog stand as they are written.

    Attributes:
        mixed: options may stand between the positional arguments, of which there may be any number.
    """

    mixed = False
    _counts_rest = True

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As its base class, in the way that suits."""
        if not self.mixed:
            # With its own name and its own options, which the parser of all commands does not have.
            return self._complete(super().parse_known_args(args, namespace))
        self.mixed = False  # it calls us again
        self._counts_rest = False
        try:
            known = self.parse_known_intermixed_args(args, namespace)
        finally:
            self.mixed, self._counts_rest = True, True
        return self._complete(known)

    def _complete(self, known: Any) -> Any:
        """What was read, if that is all."""
        if self._counts_rest and known[1]:
            self.error(self._words_of_rest(known[1]))
        return known

    def _words_of_rest(self, rest: list[str]) -> str:
        options = [one.partition("=")[0] for one in rest if one.startswith("-") and one != "-"]
        if not options:
            return f"unrecognized arguments: {' '.join(rest)}"
        near = difflib.get_close_matches(options[0], self._option_string_actions, 1)
        return f"unrecognized option {options[0]}" + (f"; did you mean {near[0]}?" if near else "")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if not (action.option_strings and arg_strings == ["--"]):
            return super()._get_values(action, arg_strings)
        # Python 3.11 takes the value of `--option=--` for the mark that ends the options, and drops it.
        value = self._get_value(action, "--")
        self._check_value(action, value)
        return value

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError:
            choices = [*(action.choices or ())]
            by_case = {one.lower(): one for one in choices}
            near = difflib.get_close_matches(value.lower(), by_case, 1)
            meant = f"did you mean {by_case[near[0]]}?" if near else f"choose from {', '.join(choices)}"
            raise argparse.ArgumentError(action, f"invalid choice: {shorten(value)}; {meant}") from None

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        # Help and version: argparse itself is silent where they cannot be written.
        if file is sys.stdout:
            write_text(message, None)
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        message = re.sub(
            r"^argument (?:\S+/)?(--[\w-]+): expected one argument$",
            r"\1: a value is missing; one that begins with - is written \1=-…",
            message,
        ).removeprefix("argument ")
        raise UsageError(f"{message} (see {self.prog} --help)")


def build_parser(version: str) -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = _Parser(
        prog="hybridsnap",
        description="DOM and accessibility tree of every frame of a page, in one outline with ids to act on.",
        usage="hybridsnap COMMAND [options]",
    )
    parser.add_argument("--version", action="version", version=f"hybridsnap {version}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", prog="hybridsnap", parser_class=_Parser
    )
    _add_snapshot(commands)
    _add_act(commands)
    _add_evaluate(commands)
    add_console(commands)
    add_network(commands)
    add_trace(commands)
    add_storage_listing(commands)
    add_save(commands)
    add_devices(commands)
    _add_view(commands)
    add_tool(commands)
    _add_mcp(commands)
    add_serve(commands)
    doctor = commands.add_parser(
        "doctor",
        help="what browser is found, what works, what is missing and how to get it",
        description="Look for a browser, start it over each transport, and capture a small page with it.",
    )
    doctor.add_argument("--browser", metavar="PATH", help="this browser, and no other")
    add_timeout(doctor, 30.0, "for all")
    add_debug(doctor)
    return parser


def _add_snapshot(commands: Any) -> None:
    parser = commands.add_parser(
        "snapshot",
        help="capture a page and print its outline",
        description="Capture a page: the outline of all its frames on stdout.",
        usage="hybridsnap snapshot [TARGET] [options]",
        epilog=(
            "examples:\n"
            "  hybridsnap snapshot https://example.com\n"
            "  hybridsnap snapshot https://example.com --format ai --max-tokens 4000\n"
            "  hybridsnap snapshot page.html --format json --layout --screenshot page.png -o page.json\n"
            "  hybridsnap snapshot --cdp http://127.0.0.1:9222     the page open in a running browser\n\n"
            "exit codes: 0 whole, 3 partial (stderr says what lacks), 2 wrong usage, 1 anything else"
        ),
    )
    parser.add_argument(
        "target",
        metavar="TARGET",
        nargs="?",
        help="a URL, or a path to an HTML file. With --cdp it is opened in a tab of that browser, which is"
        " closed after; without TARGET the page that is open there is captured",
    )
    parser.add_argument(
        "--format",
        choices=get_args(FormatName),
        default="tree",
        help="tree (default): the outline; json: everything; role: lines with refs; ai: pruned for a model;"
        " aria: the accessibility tree as it is; webarena; controls: what can be operated, with selectors;"
        " html; xml; records: tables, repeated cards and definition lists as JSON lines",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of stdout")
    shown = parser.add_argument_group("what to print")
    add_flag(shown, "--interactive", "only what can be operated, and what gives it meaning")
    add_flag(shown, "--compact", "no unnamed structural rows, no branches without content")
    shown.add_argument(
        "--max-depth", metavar="N", type=whole_levels, help="no deeper than N levels below the top"
    )
    shown.add_argument(
        "--max-tokens",
        metavar="N",
        type=positive_number,
        help="fold what does not fit into N tokens (estimated, unless --tokenizer counts them)",
    )
    shown.add_argument(
        "--tokenizer",
        metavar="NAME",
        help="count tokens by a vocabulary: o200k, … (extra: tokens)",
    )
    add_flag(shown, "--flat", "with --interactive: without what gives meaning")
    shown.add_argument(
        "--scope",
        metavar="ELEMENT",
        help="print only the subtrees of these elements of the snapshot: id, XPath or CSS selector",
    )
    shown.add_argument(
        "--detail",
        choices=("bare", "lean", "rich"),
        help="of each row (tree, ai): ids, roles, names; states too (default); boxes, classes, … too",
    )
    shown.add_argument("--limit", metavar="N", type=positive_number, help="so many lines of --format aria")
    shown.add_argument("--action", metavar="TEXT", help="the action that --format controls names first")
    shown.add_argument(
        "--csv",
        action="store_const",
        const=True,
        help="--format records as CSV, not as JSON lines; each set begins with a line: # table: its name",
    )
    shown.add_argument("--time", metavar="TEXT", help="the time that --format controls names")
    shown.add_argument(
        "--info",
        metavar="FILE",
        help="write the rendering's stats there, as JSON, and the refs (role) or the info map (webarena)",
    )
    shown.add_argument("--lang", choices=("en", "zh"), help="the language of --format controls (default en)")
    add_flag(shown, "--urls", "links with their URL")
    shown.add_argument("--query", metavar="WORDS", default="", help="only lines that hold all these words")
    add_flag(shown, "--visible-only", "only what a person can see (with --layout)")
    add_flag(shown, "--all-xpaths", "in JSON, the XPath of every node")
    page = parser.add_argument_group("the page")
    page.add_argument(
        "--cdp",
        metavar="ENDPOINT",
        type=check_endpoint,
        help="ws://… (browser or page) or http://host:port of a running browser",
    )
    add_loading(page, 30.0)
    what = parser.add_argument_group("what to capture")
    what.add_argument(
        "--focus", metavar="SELECTOR", help="only this subtree: an XPath, or CSS with >> into iframes"
    )
    add_repeatable(what, {"--ignore": ("SELECTOR", "not these subtrees")})
    add_flag(what, "--no-iframes", "the main frame only")
    add_flag(what, "--no-pierce", "nothing out of author shadow roots")
    add_flag(what, "--layout", "bounds, what covers what, and what listens to clicks without showing it")
    what.add_argument("--screenshot", metavar="FILE", help="a PNG of the viewport; in JSON, too")
    add_flag(what, "--labels", "draw the ids of what can be operated on the screenshot")
    add_launched(parser)
    add_debug(parser)


def _add_act(commands: Any) -> None:
    parser = commands.add_parser(
        "act",
        help="click, type, choose, … on a page, and report the effect",
        description="Do actions on a page, one after the other; a receipt of each on stdout.",
        usage="hybridsnap act ENDPOINT-OR-URL ACTION... [options]",
        epilog=_ACT_WORDS,
    )
    add_endpoint(parser)
    parser.mixed = True
    parser.add_argument("actions", metavar="ACTION", nargs="*", help="one or more; see below")
    _add_seen(parser)
    add_flag(parser, "--diff", "print what changed, too; of another page than before, the page")
    parser.add_argument(
        "--max-tokens",
        metavar="N",
        type=positive_number,
        help="fold what does not fit into N tokens, of what --diff prints",
    )
    parser.add_argument(
        "--download",
        metavar="FOLDER",
        help="save what the last action downloads there; no file is written over. Without it downloads are"
        " refused in a browser that is launched here; another one has its own settings",
    )
    add_flag(parser, "--json", "receipts as JSON, also of what fails")
    add_page(parser, 30.0)


def _add_evaluate(commands: Any) -> None:
    parser = commands.add_parser(
        "evaluate",
        help="run a script in a page, and print its value",
        description="Evaluate an expression or a function in a page; its value as JSON on stdout.",
        usage="hybridsnap evaluate ENDPOINT-OR-URL EXPRESSION [options]",
        epilog=(
            "examples:\n"
            "  hybridsnap evaluate https://example.com document.title --raw\n"
            "  hybridsnap evaluate page.html '(a, b) => a + b' --arg 1 --arg 2\n"
            "  hybridsnap evaluate http://127.0.0.1:9222 'node => node.value' --element 'input[name=q]'\n\n"
            "At the timeout a script is ended, also an endless loop, and the page goes on.\n"
            "exit codes: 0 done, 2 wrong usage, 1 anything else"
        ),
    )
    add_endpoint(parser)
    parser.add_argument("expression", metavar="EXPRESSION", help="or a function, which is called")
    add_repeatable(parser, {"--arg": ("JSON", "an argument of the function")})
    parser.add_argument(
        "--element",
        metavar="ELEMENT",
        help="the function's first argument: an id, a ref (e3), an XPath or a CSS selector",
    )
    _add_seen(parser)
    add_flag(parser, "--isolated", "in a world of its own, which the page's script cannot touch")
    add_flag(
        parser, "--raw", "a string as it is, not as JSON; on a terminal, what that would obey is escaped"
    )
    add_page(parser, 20.0)


def _add_seen(parser: Any) -> None:
    parser.add_argument(
        "--snapshot",
        metavar="FILE",
        help="the ids and refs were read in this snapshot (--format json), not in the last that hybridsnap"
        " snapshot printed of the tab. An id whose element has become another one since is refused",
    )


def _add_view(commands: Any) -> None:
    parser = commands.add_parser(
        "view",
        help="make a page for people of a saved snapshot",
        description="Make one self-contained HTML file of a snapshot: screenshot and outline side by side.",
        usage="hybridsnap view SNAPSHOT.json [-o report.html]",
        epilog=(
            "a snapshot with all that the page can show:\n"
            "  hybridsnap snapshot URL --format json --layout --screenshot page.png -o SNAPSHOT.json"
        ),
    )
    parser.add_argument("snapshot", metavar="SNAPSHOT.json", help="as --format json wrote it")
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of stdout")
    add_debug(parser)
    parser.set_defaults(timeout=3600.0)


def _add_mcp(commands: Any) -> None:
    parser = commands.add_parser(
        "mcp",
        help="serve pages to a model's host, as tools of the Model Context Protocol",
        description="Serve the Model Context Protocol: tools to look at pages and to act on them.",
        usage="hybridsnap mcp [options]",
        epilog=(
            "a host's configuration (Claude Desktop, Cursor and most others):\n"
            '  {"mcpServers": {"hybridsnap": {"command": "hybridsnap", "args": ["mcp"]}}}\n\n'
            "The browser starts with the first call that needs it. Over stdio the server ends when its\n"
            "client closes stdin, over HTTP on SIGTERM; the browser ends with it."
        ),
    )
    parser.add_argument(
        "--transport",
        choices=("stdio", "http"),
        default="stdio",
        help="default stdio; http: streamable HTTP",
    )
    parser.add_argument("--host", help="where HTTP listens (default 127.0.0.1)")
    parser.add_argument("--port", type=port_number, help="of HTTP: default 8766; 0 takes a free one")
    parser.add_argument(
        "--token",
        metavar="TOKEN",
        help=f"HTTP clients must have it (default: {TOKEN_VARIABLE}, or one is made and printed)",
    )
    add_repeatable(parser, {"--server-name": ("NAME", "a further Host that HTTP may be called under")})
    parser.add_argument(
        "--max-tokens",
        metavar="N",
        type=positive_number,
        default=1000,
        help="of page text in a result where the call says nothing; for actions half of it (default 1000)",
    )
    add_timeout(parser, 30.0, "for each call")
    parser.add_argument(
        "--files",
        metavar="FOLDER",
        action="append",
        default=[],
        help="files in it may be opened and uploaded (repeatable; default: none)",
    )
    parser.add_argument(
        "--downloads", metavar="FOLDER", help="where downloads are saved that a call asks for (default: none)"
    )
    add_repeatable(
        parser,
        {
            "--allow-scheme": ("NAME", "addresses such as data:"),
            "--allow-host": ("HOST", "pages of only these: example.com, *.example.com"),
            "--deny-host": ("HOST", "no pages of these"),
        },
    )
    add_flag(parser, "--allow-private", "pages of this machine and of private networks")
    parser.add_argument(
        "--caps",
        metavar="NAMES",
        type=capabilities,
        default=(),
        help=f"further tools, separated by commas: {', '.join(CAPABILITIES)}; with console and network pages"
        " are recorded",
    )
    add_flag(parser, "--no-evaluate", "no tool that runs scripts in the page")
    add_flag(parser, "--text-only", "no structured content beside the text: see the documentation")
    browser = parser.add_argument_group("the browser")
    browser.add_argument(
        "--cdp",
        metavar="ENDPOINT",
        type=check_endpoint,
        help="a running one: ws://… or http://host:port",
    )
    browser.add_argument("--target-id", metavar="ID", help="the page of it to begin with")
    browser.add_argument(
        "--browser", metavar="PATH", help="launch this one (default: HYBRIDSNAP_BROWSER, or found)"
    )
    add_flag(browser, "--headful", "with a window")
    add_viewport(browser, VIEWPORT_WORDS)
    add_flag(
        browser,
        "--shared-profile",
        "clients over HTTP share cookies and storage (default: a browser context for each)",
    )
    add_debug(parser)
