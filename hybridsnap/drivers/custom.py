"""Any driver whose session has something like ``send(method, params)``: `from_send`.

::

    tab = hybridsnap.drivers.from_send(send)            # def send(method, params) -> result, or async def
    snapshot = tab.snapshot()                           # await it where send is async

`send` speaks to the page's own session, and returns the ``result`` object. Frames in other processes have
sessions of their own: they are reached when `send` takes a session id as its third argument. Otherwise the
report has them as unreachable.
"""

from __future__ import annotations

import contextlib
import inspect
from typing import TYPE_CHECKING, Any, overload

from hybridsnap.capture.frames import SessionInfo
from hybridsnap.drivers.asyncio_driver import AsyncioDriver, opened
from hybridsnap.drivers.attached_tab import AttachedTab
from hybridsnap.drivers.attaching import AttachStrategy
from hybridsnap.drivers.blocking_driver import BlockingDriver
from hybridsnap.drivers.operations import ready
from hybridsnap.drivers.tab import AsyncTab, SyncTab
from hybridsnap.model import FrameId, SessionId, TargetId

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from hybridsnap.deadline import Deadline
    from hybridsnap.model import Cause

_TWO = 2


@overload
def from_send(
    send: Callable[..., Awaitable[Mapping[str, Any]]], session_id: str | None = None, *, name: str = "send"
) -> AsyncSentTab: ...
@overload
def from_send(
    send: Callable[..., Mapping[str, Any]], session_id: str | None = None, *, name: str = "send"
) -> SyncSentTab: ...
def from_send(
    send: Callable[..., Any], session_id: str | None = None, *, name: str = "send"
) -> AsyncSentTab | SyncSentTab:
    """A tab of a driver that can send a command.

    Args:
        send: ``send(method, params)`` or ``send(method, params, session_id)``, sync or async (asyncio); it
            returns the result object, and raises when the browser refuses. With two parameters it speaks to
            the page. With three, no session id means the socket itself, and the page may have any session.
        session_id: the page's session; None where `send` speaks to the page without one.
        name: for the report's ``transport``.

    Returns:
        With ``snapshot(…)``, to be awaited where `send` is async: `hybridsnap.Page.snapshot` has the options.
        The page gets sessions of its own where the third argument and the socket allow it; otherwise its own
        session is used, and ``DOM.disable`` is sent there in the end.
    """
    tab = AsyncSentTab if _is_async(send, session_id) else SyncSentTab
    return tab(send, session_id, name=name)


def _takes_sessions(send: Callable[..., Any]) -> bool:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(send).parameters.values()
    return sum(one.kind in kinds for one in parameters) > _TWO or any(
        one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters
    )


def _is_async(send: Callable[..., Any], session_id: str | None) -> bool:
    """Whether its result is to be awaited. Where it does not say so itself, it is asked something."""
    if inspect.iscoroutinefunction(send):
        return True
    given = (session_id,) if _takes_sessions(send) else ()
    answer = send("Target.getTargetInfo", {}, *given)
    if inspect.iscoroutine(answer):
        answer.close()
    elif inspect.isawaitable(answer) and hasattr(answer, "add_done_callback"):
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
    return inspect.isawaitable(answer)


class _SentTab:
    """A tab behind a ``send`` of either kind: how it is reached.

    Args:
        send, session_id, name: as for `from_send`.
        target_id: of the page, where it is known.
    """

    def __init__(
        self, send: Callable[..., Any], session_id: str | None, *, name: str, target_id: str | None = None
    ) -> None:
        self._send, self._session_id, self._name = send, session_id, name
        self._target_id = target_id
        self._takes_sessions = _takes_sessions(send)

    @contextlib.asynccontextmanager
    async def reach(self, deadline: Deadline) -> AsyncIterator[AttachedTab]:
        """As `AsyncTab.reach`."""
        way = AttachStrategy(self._session_id, self._target_id, takes_sessions=self._takes_sessions)
        driver = self._driver(way)
        try:
            sessions = await ready(driver.attach(way, deadline))
            yield AttachedTab(driver, TargetId(str(way.target_id)), sessions, way.notes)
        finally:
            await ready(driver.clean_up(way.back()))

    def _driver(self, way: AttachStrategy) -> AsyncioDriver | BlockingDriver:
        raise NotImplementedError

    def _ask(self, method: str, params: dict[str, Any], session: SessionId | None) -> Any:
        given = (session,) if self._takes_sessions else ()
        return self._send(method, params, *given)


class AsyncSentTab(_SentTab, AsyncTab):
    """A tab behind an async ``send``."""

    def _driver(self, way: AttachStrategy) -> AsyncioDriver:
        async def detach(attached: Any) -> None:
            await self._ask("Target.detachFromTarget", {"sessionId": attached["sessionId"]}, None)

        async def send(method: str, params: dict[str, Any], session: SessionId | None) -> Any:
            asked = self._ask(method, params, session)
            if method != "Target.attachToTarget":
                return await asked
            attached = await opened(asked, detach)
            # Now, as the reply may never be parsed: the call is cancelled meanwhile.
            way.note_attached(SessionId(attached["sessionId"]))
            return attached

        return AsyncioDriver(self._name, send)


class SyncSentTab(_SentTab, SyncTab):
    """A tab behind a blocking ``send``."""

    def blocked(self, obstacle: Cause) -> AttachedTab:
        """The tab, whose target is known, where something is known to be in the way: nothing is sent."""
        target_id = TargetId(str(self._target_id))
        driver = BlockingDriver(self._name, lambda *_: {})
        driver.obstacles[None] = obstacle
        return AttachedTab(driver, target_id, [SessionInfo(None, FrameId(target_id))])

    def _driver(self, way: AttachStrategy) -> BlockingDriver:  # noqa: ARG002 - its sessions are in the replies
        return BlockingDriver(
            self._name, lambda method, params, session, _: self._ask(method, params, session)
        )
