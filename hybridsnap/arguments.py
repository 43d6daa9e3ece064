"""What the command line takes: its options, and which of them go together.

Wrong usage is refused here, before a browser is started, in one line that says what to do.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import unquote

from hybridsnap.act_words import ACT_WORDS
from hybridsnap.argument_values import shorten, whole_number
from hybridsnap.client.outside import check_address
from hybridsnap.deadline import check_timeout
from hybridsnap.errors import EndpointError, NavigationFailed
from hybridsnap.render.content import RenderOptions
from hybridsnap.render.formats import FORMATS, JSON_FORMAT, check_options
from hybridsnap.serve_arguments import add_serve

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Exit codes.
WHOLE, FAILED, USAGE, PARTIAL = 0, 1, 2, 3
#: The variable that gives a token where no argument does.
_TOKEN = "HYBRIDSNAP_TOKEN"  # noqa: S105 - its name
_SCHEMES = ("http", "https", "file", "about", "data", "chrome", "view-source", "blob")


class UsageError(Exception):
    """The command was called wrongly; the message is the one line that is printed."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line.

    Attributes:
        mixed: options may stand between the positional arguments, of which there may be any number.
    """

    mixed = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As its base class, in the way that suits."""
        if not self.mixed:
            return super().parse_known_args(args, namespace)
        self.mixed = False  # it calls us again
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.mixed = True

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def build_parser(version: str) -> argparse.ArgumentParser:
    """The parser of the whole command line.

    Args:
        version: of hybridsnap.
    """
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
    _add_view(commands)
    _add_mcp(commands)
    add_serve(commands, _seconds, _port)
    doctor = commands.add_parser(
        "doctor",
        help="what browser is found, what works, what is missing and how to get it",
        description="Look for a browser, start it over each transport, and capture a small page with it.",
    )
    doctor.add_argument("--browser", metavar="PATH", help="this browser, and no other")
    doctor.add_argument(
        "--timeout", metavar="SECONDS", type=_seconds, default=30.0, help="for all (default 30)"
    )
    doctor.add_argument("--debug", action="store_true", help="tracebacks and the log")
    doctor.set_defaults(run="doctor")
    return parser


def _add_snapshot(commands: Any) -> None:
    parser = commands.add_parser(
        "snapshot",
        help="capture a page and print its outline",
        description="Capture a page: the outline of all its frames on stdout.",
        usage="hybridsnap snapshot [TARGET] [options]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
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
        choices=("tree", "json", "role", "aria", "ai", "webarena", "controls", "html", "xml"),
        default="tree",
        help="tree (default): the outline; json: everything; role: lines with refs; ai: pruned for a model;"
        " aria: the accessibility tree as it is; webarena; controls: what can be operated, with selectors;"
        " html; xml",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of stdout")
    shown = parser.add_argument_group("what to print")
    shown.add_argument(
        "--interactive", action="store_true", help="only what can be operated, and what gives it meaning"
    )
    shown.add_argument(
        "--compact", action="store_true", help="no unnamed structural rows, no branches without content"
    )
    shown.add_argument(
        "--max-depth", metavar="N", type=_natural, help="no deeper than N levels below the top"
    )
    shown.add_argument(
        "--max-tokens",
        metavar="N",
        type=_positive,
        help="fold what does not fit into N tokens (4 characters each)",
    )
    shown.add_argument("--lang", choices=("en", "zh"), help="the language of --format controls (default en)")
    shown.add_argument("--urls", action="store_true", help="links with their URL")
    shown.add_argument("--query", metavar="WORDS", default="", help="only lines that hold all these words")
    shown.add_argument(
        "--visible-only", action="store_true", help="only what a person can see (with --layout)"
    )
    shown.add_argument("--all-xpaths", action="store_true", help="in JSON, the XPath of every node")
    page = parser.add_argument_group("the page")
    page.add_argument(
        "--cdp",
        metavar="ENDPOINT",
        type=check_endpoint,
        help="ws://… (browser or page) or http://host:port of a running browser",
    )
    page.add_argument("--target-id", metavar="ID", help="which page of that browser")
    page.add_argument(
        "--wait",
        choices=("load", "domcontentloaded", "networkidle", "none"),
        default="load",
        help="what to wait for, in 60 %% of the time (default load); then what is there is captured",
    )
    page.add_argument(
        "--timeout", metavar="SECONDS", type=_seconds, default=30.0, help="the one deadline (default 30)"
    )
    what = parser.add_argument_group("what to capture")
    what.add_argument(
        "--focus", metavar="SELECTOR", help="only this subtree: an XPath, or CSS with >> into iframes"
    )
    what.add_argument(
        "--ignore", metavar="SELECTOR", action="append", default=[], help="not these subtrees (repeatable)"
    )
    what.add_argument("--no-iframes", action="store_true", help="the main frame only")
    what.add_argument("--no-pierce", action="store_true", help="nothing out of author shadow roots")
    what.add_argument(
        "--layout", action="store_true", help="bounds, what covers what, and what only script makes clickable"
    )
    what.add_argument("--screenshot", metavar="FILE", help="a PNG of the viewport; in JSON, too")
    what.add_argument(
        "--labels", action="store_true", help="draw the ids of what can be operated on the screenshot"
    )
    browser = parser.add_argument_group("the browser, when one is launched")
    browser.add_argument("--browser", metavar="PATH", help="this one (default: HYBRIDSNAP_BROWSER, or found)")
    browser.add_argument("--transport", choices=("websocket", "pipe"), help="default: websocket")
    browser.add_argument("--headful", action="store_true", help="with a window")
    parser.add_argument("--debug", action="store_true", help="tracebacks and the log")
    parser.set_defaults(run="snapshot")


def _add_act(commands: Any) -> None:
    parser = commands.add_parser(
        "act",
        help="click, type, choose, … on a page, and say what came of it",
        description="Do actions on a page, one after the other; a receipt of each on stdout.",
        usage="hybridsnap act ENDPOINT-OR-URL ACTION... [options]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=ACT_WORDS,
    )
    _add_endpoint(parser)
    parser.mixed = True
    parser.add_argument("actions", metavar="ACTION", nargs="*", help="one or more; see below")
    parser.add_argument(
        "--snapshot",
        metavar="FILE",
        help="the ids were read in this snapshot (--format json); without it one is taken first. An id whose"
        " element has become another one is refused",
    )
    parser.add_argument("--diff", action="store_true", help="print what changed on the page, too")
    parser.add_argument("--json", action="store_true", help="receipts as JSON, also of what fails")
    _add_page(parser, 30.0)
    parser.set_defaults(run="act")


def _add_evaluate(commands: Any) -> None:
    parser = commands.add_parser(
        "evaluate",
        help="run a script in a page, and print its value",
        description="Evaluate an expression or a function in a page; its value as JSON on stdout.",
        usage="hybridsnap evaluate ENDPOINT-OR-URL EXPRESSION [options]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  hybridsnap evaluate https://example.com document.title --raw\n"
            "  hybridsnap evaluate page.html '(a, b) => a + b' --arg 1 --arg 2\n"
            "  hybridsnap evaluate http://127.0.0.1:9222 'node => node.value' --element 'input[name=q]'\n\n"
            "At the timeout a script is ended, also an endless loop, and the page goes on.\n"
            "exit codes: 0 done, 2 wrong usage, 1 anything else"
        ),
    )
    _add_endpoint(parser)
    parser.add_argument("expression", metavar="EXPRESSION", help="or a function, which is called")
    parser.add_argument(
        "--arg", metavar="JSON", action="append", default=[], help="an argument of the function (repeatable)"
    )
    parser.add_argument(
        "--element", metavar="ELEMENT", help="the function's first argument: an id, XPath or CSS selector"
    )
    parser.add_argument(
        "--isolated", action="store_true", help="in a world of its own, which the page's script cannot touch"
    )
    parser.add_argument(
        "--raw",
        action="store_true",
        help="a string as it is, not as JSON; on a terminal, what that would obey is escaped",
    )
    _add_page(parser, 20.0)
    parser.set_defaults(run="evaluate")


def _add_endpoint(parser: Any) -> None:
    parser.add_argument(
        "endpoint",
        metavar="ENDPOINT-OR-URL",
        help="ws://… or http://host:port of a running browser, whose open page is meant; or a URL or file,"
        " which is opened in a browser that is launched",
    )


def _add_page(parser: Any, seconds: float) -> None:
    """Options of which page, and of the browser."""
    parser.add_argument("--target-id", metavar="ID", help="which page of a running browser")
    parser.add_argument(
        "--wait",
        choices=("load", "domcontentloaded", "networkidle", "none"),
        default="load",
        help="what to wait for when a URL is opened (default load)",
    )
    parser.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=_seconds,
        default=seconds,
        help=f"the one deadline (default {seconds:g})",
    )
    browser = parser.add_argument_group("the browser, when one is launched")
    browser.add_argument("--browser", metavar="PATH", help="this one (default: HYBRIDSNAP_BROWSER, or found)")
    browser.add_argument("--transport", choices=("websocket", "pipe"), help="default: websocket")
    browser.add_argument("--headful", action="store_true", help="with a window")
    parser.add_argument("--debug", action="store_true", help="tracebacks and the log")


def _add_view(commands: Any) -> None:
    parser = commands.add_parser(
        "view",
        help="make a page for people of a saved snapshot",
        description="Make one self-contained HTML file of a snapshot: screenshot and outline side by side.",
        usage="hybridsnap view SNAPSHOT.json [-o report.html]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "a snapshot with all that the page can show:\n"
            "  hybridsnap snapshot URL --format json --layout --screenshot page.png -o SNAPSHOT.json"
        ),
    )
    parser.add_argument("snapshot", metavar="SNAPSHOT.json", help="as --format json wrote it")
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of stdout")
    parser.add_argument("--debug", action="store_true", help="tracebacks and the log")
    parser.set_defaults(run="view", timeout=3600.0)


def _add_mcp(commands: Any) -> None:
    parser = commands.add_parser(
        "mcp",
        help="serve pages to a model's host, as tools of the Model Context Protocol",
        description="Serve the Model Context Protocol: tools to look at pages and to act on them.",
        usage="hybridsnap mcp [options]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
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
    parser.add_argument("--host", default="127.0.0.1", help="where HTTP listens (default 127.0.0.1)")
    parser.add_argument("--port", type=_port, default=8766, help="default 8766; 0 takes a free one")
    parser.add_argument(
        "--token",
        metavar="TOKEN",
        help=f"HTTP clients must have it (default: {_TOKEN}, or one is made and printed)",
    )
    parser.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="a further Host for HTTP (repeatable)",
    )
    parser.add_argument(
        "--max-tokens",
        metavar="N",
        type=_positive,
        default=1000,
        help="of page text in a result where the call says nothing; for actions half of it (default 1000)",
    )
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=_seconds, default=30.0, help="for each call (default 30)"
    )
    parser.add_argument(
        "--files",
        metavar="FOLDER",
        action="append",
        default=[],
        help="files in it may be opened and uploaded (repeatable; default: none)",
    )
    parser.add_argument("--no-evaluate", action="store_true", help="no tool that runs scripts in the page")
    parser.add_argument(
        "--text-only",
        action="store_true",
        help="no structured content beside the text: see the documentation",
    )
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
    browser.add_argument("--headful", action="store_true", help="with a window")
    parser.add_argument("--debug", action="store_true", help="tracebacks and the log")
    parser.set_defaults(run="mcp")


def check_mcp(arguments: argparse.Namespace) -> None:
    """Refuse what cannot mean anything, before anything is served.

    Raises:
        UsageError: the options do not go together, or a folder is none.
    """
    if arguments.cdp is None and arguments.target_id is not None:
        raise UsageError("--target-id names a page of a running browser; give --cdp too")
    if arguments.cdp is not None and (arguments.browser or arguments.headful):
        raise UsageError("--browser and --headful are for one that is launched; with --cdp it runs already")
    if arguments.transport == "stdio" and (arguments.token is not None or arguments.allow_host):
        raise UsageError("--token and --allow-host are for --transport http")
    for folder in arguments.files:
        if not Path(folder).is_dir():
            raise UsageError(f"--files {folder}: is no folder")


def token_of(arguments: argparse.Namespace) -> str | None:
    """The token that HTTP's clients must have; None when one is to be made.

    Raises:
        UsageError: it cannot stand in a header.
    """
    given = arguments.token
    source, token = ("--token", given) if given is not None else (_TOKEN, os.environ.get(_TOKEN) or None)
    if token is not None and not re.fullmatch(r"[!-~]+", token):
        raise UsageError(f"{source} is of ASCII letters, digits and signs; leave it out to have one made")
    return token


def _port(text: str) -> int:
    number = whole_number(text)
    if number is None or number >= 1 << 16:
        raise argparse.ArgumentTypeError(f"{shorten(text)} is no port; give a number from 0 to 65535")
    return number


def _seconds(text: str) -> float:
    try:
        return check_timeout(float(text))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{shorten(text)} is no timeout; give a positive, finite number of seconds, such as 10"
        ) from None


def _natural(text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise argparse.ArgumentTypeError(f"{shorten(text)} is no number of levels; give 0, 1, 2, …")
    return number


def _positive(text: str) -> int:
    number = whole_number(text)
    if not number:
        raise argparse.ArgumentTypeError(
            f"{shorten(text)} is no number of tokens; give a positive whole number"
        )
    return number


def check_endpoint(text: str) -> str:
    """The address of a running browser, if it is one at all; whether anybody is there shows later.

    Raises:
        UsageError: it is no ``ws://…`` and no ``http://host:port``.
    """
    from hybridsnap.client.endpoint import SCHEMES, parse_address  # noqa: PLC0415 - few calls have an endpoint

    try:
        return parse_address(text, SCHEMES).given
    except EndpointError as error:
        raise UsageError(str(error)) from None


def url_of(target: str) -> str:
    """A TARGET as a URL: as it is when it has a scheme, else the file at that path.

    Raises:
        UsageError: it is neither.
    """
    if not target.isascii() and target.encode(errors="replace").decode() != target and "://" in target:
        raise UsageError(f"{target!r} is no URL: it is not valid UTF-8")
    scheme, colon, rest = target.partition(":")
    if colon and ("://" in target or scheme.lower() in _SCHEMES):
        if "://" in target and not rest.removeprefix("//") and scheme != "file":
            raise UsageError(f"{target!r} is no URL: it names no host")
        _refuse_outside(target)
        return target
    if not target.strip():
        raise UsageError("TARGET is empty; give a URL or a path to an HTML file")
    path = Path(target)
    try:
        if path.is_file():
            return path.resolve().as_uri()
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise UsageError(f"{target!r} is neither a URL nor a path ({error})") from None
    if exists:
        raise UsageError(f"{target!r} is no file; give an HTML file, or a URL")
    _refuse_outside(target)
    raise UsageError(
        f"{target!r} is neither a file nor a URL; a URL starts with its scheme, such as https://"
    )


def _refuse_outside(target: str) -> None:
    try:
        check_address(target)
    except NavigationFailed as error:
        raise UsageError(str(error)) from None


def check_snapshot(arguments: argparse.Namespace) -> None:
    """Refuse what cannot mean anything, before a browser is started.

    Raises:
        UsageError: the options do not go together.
    """
    _check_page(arguments)
    for selector in (arguments.focus or "", *arguments.ignore):
        if selector.encode(errors="replace").decode() != selector:
            raise UsageError(f"{shorten(selector)} is no selector: it is not valid UTF-8")
    if arguments.all_xpaths and arguments.format != "json":
        raise UsageError("--all-xpaths is for --format json; the others print no XPaths")
    if arguments.visible_only and not arguments.layout:
        raise UsageError("--visible-only needs --layout: without it nobody knows what can be seen")
    if arguments.labels and arguments.screenshot is None:
        raise UsageError("--labels are drawn on a screenshot; give --screenshot FILE too")
    if arguments.labels and importlib.util.find_spec("PIL") is None:
        raise UsageError("--labels needs Pillow, which is not installed: pip install 'hybridsnap[labels]'")
    if arguments.lang is not None and arguments.format != "controls":
        raise UsageError("--lang is for --format controls; the others print the page's own words")
    _check_format(arguments)
    kept = [] if arguments.target is None else [("TARGET", _file_of(arguments.target))]
    for option in ("output", "screenshot"):
        if getattr(arguments, option) is not None:
            path = Path(getattr(arguments, option))
            check_output(option, path, kept)
            kept.append((f"--{option}", path))


def _check_page(arguments: argparse.Namespace) -> None:
    if arguments.cdp is None:
        if arguments.target is None:
            raise UsageError("what is to be captured? give a URL or a file, or --cdp for a running browser")
        if arguments.target_id is not None:
            raise UsageError("--target-id names a page of a running browser; give --cdp too")
        return
    for option in ("browser", "headful", "transport"):
        if getattr(arguments, option):
            raise UsageError(f"--{option} is for a browser that is launched; with --cdp it runs already")
    if arguments.target is not None and arguments.target_id is not None:
        raise UsageError("TARGET opens a tab of its own; it cannot be given together with --target-id")


def render_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `Snapshot.render` is told: the options that were given."""
    options = {
        name: getattr(arguments, name)
        for name in ("interactive", "compact", "max_depth", "urls", "query", "visible_only")
    }
    given = {name: value for name, value in options.items() if value is not None and value not in (False, "")}
    if arguments.max_depth is not None:  # 0 is a depth, though it equals False
        given["max_depth"] = arguments.max_depth
    return given


def _check_format(arguments: argparse.Namespace) -> None:
    """Refuse options that mean nothing to the format."""
    chosen = FORMATS.get(arguments.format, JSON_FORMAT)
    try:
        check_options(arguments.format, chosen, RenderOptions(**render_options(arguments)))
    except ValueError as error:
        raise UsageError(f"--{str(error).replace('_', '-')}") from None


def _file_of(target: str) -> Path:
    """The file that a TARGET names; where it names none, one that nobody has."""
    return Path(unquote(target[7:]) if target.startswith("file://") else target)


def check_output(option: str, output: Path, kept: Iterable[tuple[str, Path]] = ()) -> None:
    """Refuse a file that cannot be written, or is not to be.

    Args:
        option: that names it.
        output: to be written.
        kept: what is read or written beside it, by the arguments that name it.

    Raises:
        UsageError: it is a directory, or stands in none, or would be written over what is kept.
    """
    if output.is_dir():
        raise UsageError(f"--{option} {output}: is a directory")
    if not output.parent.is_dir():
        raise UsageError(f"--{option} {output}: there is no directory {output.parent}")
    for name, other in kept:
        with contextlib.suppress(OSError, ValueError):
            if output.resolve() == other.resolve() and (output.is_file() or not output.exists()):
                raise UsageError(f"--{option} {output}: is the file of {name}, too; name another")
