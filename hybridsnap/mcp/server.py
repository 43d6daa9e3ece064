"""The server: the official SDK's, with our tools; one desk for each client."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, cast

import msgspec
import trio
from mcp.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, ListToolsResult, ToolAnnotations
from mcp_types import Tool as McpTool

from hybridsnap import __version__
from hybridsnap.errors import BrowserError, CaptureFailed, CommandUnanswered, HybridsnapError
from hybridsnap.mcp.calls import Call, call_deadline
from hybridsnap.mcp.desk import BrowserKeeper, Desk, ToolError
from hybridsnap.mcp.results import refuse
from hybridsnap.mcp.tools import INSTRUCTIONS, TOOLS, FillForm

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server import ServerRequestContext
    from mcp_types import CallToolRequestParams, PaginatedRequestParams

    from hybridsnap.mcp.desk import Options
    from hybridsnap.mcp.results import Result
    from hybridsnap.mcp.tools import Arguments, Tool

_log = logging.getLogger("hybridsnap")
#: A call ends by itself at its deadline; this much later it is ended.
_GRACE_SECONDS = 10.0
#: With more clients than this, the tabs of the one that was quiet longest are closed.
_MOST_DESKS = 16


class ToolServer:
    """Lists the tools and calls them.

    Args:
        nursery: where the browser lives.
        options: of the command line.
    """

    def __init__(self, nursery: trio.Nursery, options: Options) -> None:
        self._nursery = nursery
        self._options = options
        self._keeper = BrowserKeeper(nursery, options)
        self._desks: dict[tuple[str, str], Desk] = {}
        self._tools: dict[str, Tool] = {
            tool.name: tool for tool in TOOLS if options.evaluate or tool.name != "evaluate"
        }
        self.sdk: Server[Any] = Server(
            "hybridsnap",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )

    async def _list(self, _: ServerRequestContext[Any], __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                McpTool(
                    name=tool.name,
                    description=tool.words,
                    input_schema=tool.schema(),
                    annotations=ToolAnnotations.model_validate(tool.hints),
                )
                for tool in self._tools.values()
            ]
        )

    async def _call(
        self, context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(
                code=INVALID_PARAMS,
                message=f"there is no tool {params.name[:50]!r}; there are {', '.join(self._tools)}",
            )
        try:
            asked = _read(tool, params.arguments or {})
        except msgspec.ValidationError as error:
            names = ", ".join([*tool.schema()["properties"]])
            return refuse(f"{tool.name}: {error}; it takes {names}")
        return await self._answer(tool, asked, self._desk(context))

    async def _answer(self, tool: Tool, asked: Arguments, desk: Desk) -> CallToolResult:
        """Do it; what goes wrong is an answer, too."""
        seconds = self._options.timeout
        with trio.move_on_after(seconds + _GRACE_SECONDS):
            call = Call(desk, call_deadline(seconds))
            try:
                do = cast("Callable[[Arguments], Awaitable[Result]]", getattr(call, tool.name))
                return (await do(asked)).to_mcp(structured=self._options.structured)
            except Exception as error:  # noqa: BLE001 - what is a bug is logged, and the server goes on
                return _explain(tool, await call.vetted(error), desk)
        return refuse(f"{tool.name}: not done within {seconds:g} s, the page is stuck; close the tab (tabs)")

    def _desk(self, context: ServerRequestContext[Any]) -> Desk:
        """The desk of whoever calls: over HTTP, of a session, or of an address; else the one there is."""
        request = context.request
        key = ("", "")
        if request is not None:
            key = (request.url.path, request.headers.get("mcp-session-id", ""))
        desk = self._desks.get(key)
        if desk is None:
            if len(self._desks) >= _MOST_DESKS:
                self.leave(min(self._desks, key=lambda one: self._desks[one].used_at))
            desk = self._desks[key] = Desk(self._keeper, self._options)
        desk.used_at = trio.current_time()
        return desk

    def leave(self, key: tuple[str, str]) -> None:
        """A client is gone: its tabs are closed."""
        desk = self._desks.pop(key, None)
        if desk is not None:
            self._nursery.start_soon(_close, desk)

    async def close(self) -> None:
        """Close the tabs that were opened in a browser that runs on."""
        if self._options.cdp is not None:
            for desk in self._desks.values():
                await _close(desk)


async def _close(desk: Desk) -> None:
    try:
        await desk.close()
    except Exception:  # noqa: BLE001 - nobody waits for it
        _log.exception("tabs could not be closed")


def _explain(tool: Tool, error: Exception, desk: Desk) -> CallToolResult:
    """What went wrong, in one line. What may quote the page is fenced."""
    name = tool.name
    if isinstance(error, (ToolError, BrowserError)) or _is_of_argument(tool, error):
        return refuse(f"{name}: {error}")
    if isinstance(error, (CommandUnanswered, CaptureFailed)) and desk.dialog:
        return refuse(f"{name}: a dialog is open; answer it (handle_dialog)", page=desk.dialog)
    words = type(error).__name__
    if not isinstance(error, (HybridsnapError, ValueError, TypeError, OSError)):
        _log.error("%s failed", name, exc_info=error)
        words = f"this is a bug in hybridsnap: {words}"
    return refuse(f"{name}: {words}:", page=str(error))


def _is_of_argument(tool: Tool, error: Exception) -> bool:
    """Whether an error begins with the name of an argument of the tool: it is ours, and quotes no page."""
    if isinstance(error, HybridsnapError) or not isinstance(error, (ValueError, TypeError)):
        return False
    return re.split(r"[^a-z_]", str(error), maxsplit=1)[0] in tool.schema()["properties"]


def _read(tool: Tool, given: dict[str, Any]) -> Arguments:
    """The arguments as they are meant: some hosts write every value as text.

    Raises:
        msgspec.ValidationError: they are not what the tool takes.
    """
    try:
        return msgspec.convert(given, tool.takes)
    except msgspec.ValidationError:
        if tool.takes is FillForm:  # "007" is a value of a field as it stands
            raise
        return msgspec.convert(given, tool.takes, strict=False)
