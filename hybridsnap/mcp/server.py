"""The server: the official SDK's, with our tools; each client has its own tabs."""

from __future__ import annotations

import contextlib
import functools
import logging
import re
from typing import TYPE_CHECKING, Any, get_args

import msgspec
import trio
from mcp.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, ListToolsResult, ToolAnnotations
from mcp_types import Tool as McpTool

from hybridsnap import __version__
from hybridsnap.client.dialog_tracker import NO_DIALOG, ORPHANED
from hybridsnap.client.page_context import Recorded
from hybridsnap.client.transport import background_nursery
from hybridsnap.deadline import Deadline
from hybridsnap.errors import (
    BrowserError,
    CaptureFailed,
    CommandUnanswered,
    HybridsnapError,
    NoDialog,
    UnknownElement,
    UnknownKey,
)
from hybridsnap.json_data import words_of_mismatch
from hybridsnap.mcp.calls import Call
from hybridsnap.mcp.caps import tools_of
from hybridsnap.mcp.client_tabs import ClientTabs, Shared
from hybridsnap.mcp.options import ToolError
from hybridsnap.mcp.results import refuse
from hybridsnap.mcp.tools import INSTRUCTIONS, TOOLS, FillForm, Look, RenderingOptions, Select
from hybridsnap.service.addresses import AddressPolicy
from hybridsnap.service.browser_pool import BrowserPlan, PooledBrowser
from hybridsnap.service.content_policy import ContentPolicy, SeenTabs
from hybridsnap.service.egress_proxy import EgressProxy
from hybridsnap.service.errors import ApiError
from hybridsnap.service.folders import Folders
from hybridsnap.service.page_lock import PageLocks
from hybridsnap.service.remedies import remedy_of, without_advice

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from mcp.server import ServerRequestContext
    from mcp_types import CallToolRequestParams, PaginatedRequestParams

    from hybridsnap.mcp.options import Options
    from hybridsnap.mcp.tools import Arguments, Tool

_log = logging.getLogger("hybridsnap")
#: Arguments that say what is, or will be, in the page; so do lists.
_WORDS = frozenset({"text", "text_gone"})
#: A call ends by itself at its deadline; this much later it is ended.
_GRACE_SECONDS = 10.0
#: With more clients than this, the tabs of the one that was quiet longest are closed.
_MOST_CLIENTS = 16
#: So many calls may wait for one page.
_QUEUE = 64


class ToolServer:
    """Lists the tools and calls them; `open_tool_server` makes it."""

    def __init__(self, nursery: trio.Nursery, shared: Shared) -> None:
        self._nursery = nursery
        self._shared = shared
        self._options = options = shared.options
        self._clients: dict[tuple[str, str], ClientTabs] = {}
        #: Of the calls that are under way; None once they have been ended, since the server ends.
        self._under_way: set[trio.CancelScope] | None = set()
        self._tools: dict[str, Tool] = {
            tool.name: tool
            for tool in (*TOOLS, *tools_of(options.caps))
            if options.evaluate or tool.name != "evaluate"
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
                    annotations=ToolAnnotations.model_validate(tool.hints) if tool.hints else None,
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
            return refuse(f"{tool.name}: {words_of_mismatch(error, tool.takes)}")
        return await self._answer(tool, asked, self._client(context))

    async def _answer(self, tool: Tool, asked: Arguments, client: ClientTabs) -> CallToolResult:
        """Do it; what goes wrong is an answer, too."""
        seconds = self._options.timeout
        with trio.move_on_after(seconds + _GRACE_SECONDS) as scope, self._ended_with_server(scope):
            call = Call(client, Deadline.after(seconds))
            try:
                result = await call.do(tool, asked)
                if news := client.take_news():
                    result.said.append(news)
                return result.to_mcp(structured=self._options.structured)
            except Exception as error:  # noqa: BLE001 - what is a bug is logged, and the server goes on
                checked = await call.checked(error)
                return _explain(tool, checked, await client.dialog(call.deadline), call.aftermath)
        if self._under_way is None:
            return refuse(f"{tool.name}: the server is stopping, and the call was ended; a part may be done")
        return refuse(f"{tool.name}: not done within {seconds:g} s, the page is stuck; close the tab (tabs)")

    @contextlib.contextmanager
    def _ended_with_server(self, scope: trio.CancelScope) -> Iterator[None]:
        under_way = self._under_way
        if under_way is None:
            scope.cancel()
            yield
            return
        under_way.add(scope)
        try:
            yield
        finally:
            under_way.discard(scope)

    def end_calls(self) -> None:
        """End the calls that are under way, and those that still come: each is answered with an error."""
        under_way, self._under_way = self._under_way or (), None
        for scope in under_way:
            scope.cancel()

    def _client(self, context: ServerRequestContext[Any]) -> ClientTabs:
        """The tabs of whoever calls: over HTTP, of a session, or of an address; else the only ones."""
        request = context.request
        key = ("", "")
        if request is not None:
            key = (request.url.path, request.headers.get("mcp-session-id", ""))
        client = self._clients.get(key)
        if client is None:
            if len(self._clients) >= _MOST_CLIENTS:
                self.leave(min(self._clients, key=lambda one: self._clients[one].used_at))
            client = self._clients[key] = ClientTabs(self._shared, self._clients.values)
        client.used_at = trio.current_time()
        return client

    def leave(self, key: tuple[str, str]) -> None:
        """A client is gone: its tabs are closed."""
        client = self._clients.pop(key, None)
        if client is not None:
            self._nursery.start_soon(_close, client)

    async def close(self) -> None:
        """Close the tabs and contexts that were opened in a browser that runs on."""
        if self._options.cdp is not None:
            for client in self._clients.values():
                await _close(client)


@contextlib.asynccontextmanager
async def open_tool_server(options: Options, *, isolated: bool = False) -> AsyncIterator[ToolServer]:
    """A server for the length of the block; its browser starts with the first call that needs one."""
    addresses = AddressPolicy(options)
    downloads = () if options.download_folder is None else (options.download_folder,)
    folders = Folders(options.file_folders, downloads, upload_option="--files")
    plan = BrowserPlan(
        endpoint=options.cdp,
        executable=options.browser,
        headless=not options.headful,
        viewport=options.viewport,
        record=tuple(one for one in get_args(Recorded) if one in options.caps),
    )
    async with contextlib.AsyncExitStack() as stack:
        proxy = None
        if options.filters and options.cdp is None:
            proxy = await stack.enter_async_context(EgressProxy.open(addresses))
        background = await stack.enter_async_context(background_nursery())
        browser = PooledBrowser(plan, proxy, folders.permit_upload, options.timeout, takes_page_endpoint=True)
        await background.start(functools.partial(browser.run, at_once=False))
        shared = Shared(
            options=options,
            browser=browser,
            content=ContentPolicy(addresses=addresses, proxy=proxy),
            locks=PageLocks(_QUEUE),
            seen=SeenTabs(),
            isolated=isolated,
            folders=folders,
        )
        server = ToolServer(background, shared)
        try:
            yield server
        finally:
            with trio.CancelScope(shield=True):
                await server.close()


async def _close(client: ClientTabs) -> None:
    try:
        await client.close()
    except Exception:  # noqa: BLE001 - the result is not awaited
        _log.exception("tabs could not be closed")


def _explain(tool: Tool, error: Exception, dialog: str, aftermath: str) -> CallToolResult:
    """What went wrong, in one line: our own words and advice first, what may quote the page fenced."""
    name = tool.name
    if isinstance(error, ApiError):
        return refuse(f"{name}: {'; '.join(filter(None, [str(error), error.remedy, aftermath]))}")
    if isinstance(error, (ToolError, BrowserError)) or _is_of_argument(tool, error):
        return refuse(f"{name}: {error}")
    if isinstance(error, (CommandUnanswered, CaptureFailed)) and dialog:
        return refuse(f"{name}: a dialog is open; answer it (handle_dialog)", page=dialog)
    words = type(error).__name__
    if isinstance(error, HybridsnapError):
        done = "a part of it was done" if getattr(error, "partial", False) else ""
        words = "; ".join(filter(None, [words, done, remedy_of(error).advice("mcp"), aftermath]))
    elif isinstance(error, (ValueError, TypeError)):
        words = "this cannot be done"
    elif not isinstance(error, OSError):
        _log.error("%s failed", name, exc_info=error)
        words = f"this is a bug in hybridsnap: {words}"
    if isinstance(error, (UnknownElement, UnknownKey)) or (
        isinstance(error, NoDialog) and error.message.startswith((NO_DIALOG, ORPHANED))
    ):
        return refuse(f"{name}: {error}")  # these quote the call, and nothing of the page
    page = without_advice(error) if isinstance(error, HybridsnapError) else str(error)
    return refuse(f"{name}: {words}:", page=page)


def _is_of_argument(tool: Tool, error: Exception) -> bool:
    """Whether an error begins with the name of an argument of the tool: it is ours, and quotes no page."""
    if isinstance(error, HybridsnapError) or not isinstance(error, (ValueError, TypeError)):
        return False
    return re.split(r"[^a-z_]", str(error), maxsplit=1)[0] in tool.schema()["properties"]


def _read(tool: Tool, given: dict[str, Any]) -> Arguments:
    """The arguments as they are meant: some hosts write every value as text, and options beside `options`.

    A model gives a number, 1972, where a text of the page is one, and one option as it is.
    """
    if tool.takes is Look and isinstance(options := given.get("options", {}), dict):
        beside = {name: given[name] for name in RenderingOptions.__struct_fields__ if name in given}
        if beside:
            rest = {name: value for name, value in given.items() if name not in beside}
            given = {**rest, "options": {**options, **beside}}
    try:
        return msgspec.convert(given, tool.takes)
    except msgspec.ValidationError:
        if tool.takes is FillForm:  # "007" is a value of a field as it stands
            raise
        if tool.takes is Select and isinstance(given.get("options"), str):
            given = {**given, "options": [given["options"]]}
        words = {
            name: _as_text(value) if name in _WORDS or isinstance(value, list) else value
            for name, value in given.items()
        }
        return msgspec.convert(words, tool.takes, strict=False)


def _as_text(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_text(one) for one in value]
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
