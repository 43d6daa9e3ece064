"""``hybridsnap tool``: the browser tool of agents, one call at a time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridsnap.cli.options import add_debug
from hybridsnap.cli.types import shorten, timeout_seconds
from hybridsnap.deadline import Deadline
from hybridsnap.json_data import where_not_json
from hybridsnap.service.usage import UsageError

if TYPE_CHECKING:
    import argparse

    from hybridsnap.tool import BrowserTool

#: Seconds for an answer, beside twice the action's own timeout: for its element, and for the network.
_ANSWER_SECONDS = 120.0
_ACTION_SECONDS = 30.0
#: A longer one is refused.
_MOST_SECONDS = 3600.0
_EXAMPLE = '{"action": "list"}'
_WORDS = """\
examples:
  hybridsnap tool '{"action": "launch"}'
  hybridsnap tool '{"action": "navigate", "url": "https://example.com"}'
  hybridsnap tool '{"action": "type", "selector": "input[name=q]", "text": "lamp"}'
  hybridsnap tool '{"action": "click", "selector": "#go", "timeout": 10, "content_mode": "html"}'
  hybridsnap tool '{"action": "screenshot"}'
  hybridsnap tool '{"action": "close"}'

actions: launch, navigate (url), click (selector), type (selector, text), screenshot, close, list
also: browser_id (default), wait_condition (network_idle or timeout), timeout (30), content_mode (abstract
  or html), headless (true); --schema openai describes all of them
on stdout: {"success": …, "stdout": …, "stderr": …, "output_files": […]}

The browsers stay open from one call to the next, in a process in the background: one for each user,
started by the first launch. It exits with its last browser, or after --idle seconds without a call.
Calls at the same time are done one after the other. Files are never deleted; see the documentation.

exit codes: 0 success, 2 wrong usage, 1 anything else (on stdout the tool's refusals, on stderr the rest)"""


def add_tool(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "tool",
        help="the browser tool of agents: one action per call, browsers stay open in between",
        description="Do one action of the browser tool: JSON in, JSON out.",
        usage="hybridsnap tool ARGUMENTS [options]",
        epilog=_WORDS,
    )
    parser.add_argument(
        "arguments", metavar="ARGUMENTS", nargs="?", help="a JSON object, as below; - reads it from stdin"
    )
    parser.add_argument(
        "--schema",
        choices=("openai", "anthropic"),
        help="print the tool as it is described to a model, and do nothing",
    )
    parser.add_argument(
        "--directory",
        metavar="FOLDER",
        help="where this call saves files (default: playwright_browser among the temporary files)",
    )
    parser.add_argument(
        "--idle",
        metavar="SECONDS",
        type=timeout_seconds,
        help="without a call, until the browsers end (default 600); holds until a call says otherwise",
    )
    parser.add_argument(
        "--timeout",
        dest="answer",
        metavar="SECONDS",
        type=timeout_seconds,
        help="for the answer (default: 120 and twice the action's own timeout)",
    )
    add_debug(parser)
    parser.set_defaults(timeout=3600.0)


def read_tool_arguments(arguments: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the tool.

    Raises:
        UsageError: there are none, or they are no JSON object.
    """
    text = arguments.arguments
    if text is None:
        raise UsageError(f"what is to be done? hybridsnap tool '{_EXAMPLE}' (see hybridsnap tool --help)")
    if text == "-":
        text = "" if sys.stdin is None else sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{shorten(text)} is not JSON: {where_not_json(error)}; write it as '{_EXAMPLE}'"
        ) from error
    except RecursionError as error:
        raise UsageError(f"{shorten(text)} nests too deep; write it as '{_EXAMPLE}'") from error
    if not isinstance(given, dict):
        raise UsageError(f"expected a JSON object such as '{_EXAMPLE}', got {shorten(text)}")
    return given


def do_tool(given: dict[str, Any], arguments: argparse.Namespace) -> dict[str, Any]:
    """Have an action done where the browsers are, and return what the tool says.

    Raises:
        HybridsnapError: the background process cannot be started or reached, or does not answer in time.
        UsageError: the directory is an empty text.
    """
    from hybridsnap.background.caller import call_background  # noqa: PLC0415 - other commands do not need it
    from hybridsnap.background.place import user_place  # noqa: PLC0415 - the same

    directory = arguments.directory
    if directory is not None:
        if not directory.strip():
            raise UsageError("--directory is an empty text; give the path of a folder")
        directory = str(Path(directory).absolute())
    deadline = Deadline.after(arguments.answer or _ANSWER_SECONDS + 2 * _own_timeout(given))
    answer = call_background(
        user_place(),
        {"arguments": given, "directory": directory, "idle": arguments.idle},
        deadline,
        start=given.get("action") == "launch",
    )
    # Without the process no browser is open, and the tool says so by itself.
    return _tool(directory).execute(given) if answer is None else answer


def tool_schema(form: str) -> dict[str, Any]:
    """The tool as a model's host takes it."""
    tool = _tool(None)
    return tool.openai_schema() if form == "openai" else tool.anthropic_schema()


def _tool(directory: str | None) -> BrowserTool:
    from hybridsnap.tool import BrowserTool  # noqa: PLC0415 - the background process has it already

    return BrowserTool(directory=directory)


def _own_timeout(given: dict[str, Any]) -> float:
    """The action's own timeout; the usual one where it will be refused."""
    value = given.get("timeout")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _MOST_SECONDS:
        return _ACTION_SECONDS
    return float(value)
