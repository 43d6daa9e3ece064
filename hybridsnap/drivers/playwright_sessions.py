"""What both of Playwright's APIs share: which sessions are wanted, commands on them, their end.

Commands go without its walk through what comes back. Playwright's public `CDPSession.send` goes through every
result in Python, in search of objects of its own. A protocol reply holds none, and on a page of 5,000 rows
(700,000 values) that search takes two thirds of the time (measured, 1.65). What it wraps is called directly
where it is as it was then, and the public method otherwise.

Its `CDPSession.detach` has the page answer first (`Runtime.runIfWaitingForDebugger`), without a timeout: on a
page whose script never ends it never comes back (measured, 1.65). That is waited for only for a while;
what has been asked for is done by Playwright's driver process as soon as the page answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import LEAST_OWING_SECONDS, owing_deadline, unanswered
from hybridsnap.drivers.refusals import error_of
from hybridsnap.errors import ConnectionLost, TargetCrashed, TargetDetached
from hybridsnap.model import SessionId

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator, Mapping, Sequence

    from playwright import async_api, sync_api

    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.drivers.blocking_driver import BlockingDriver
    from hybridsnap.drivers.dialogs import DialogLog
    from hybridsnap.errors import HybridsnapError
    from hybridsnap.model import Cause

#: Seconds to wait before each try to attach to the frames in other processes. Playwright says no for one that
#: the browser has not yet told it of, as happens right after `connect_over_cdp`.
BREATHS = (0.0, 0.05, 0.1, 0.2)


def all_known(
    sessions: Sequence[SessionInfo], inner_frames: int, obstacles: Mapping[SessionId | None, Cause]
) -> bool:
    """Whether the sessions' processes hold the main frame and so many others; of a page that has crashed
    there is no more to be known.
    """
    if not inner_frames or "crashed" in obstacles.values():
        return True
    return sum(len(one.frames) for one in sessions) > inner_frames


def retry_frames(
    page: sync_api.Page, sessions: Sequence[SessionInfo], driver: BlockingDriver, within: Deadline
) -> Iterator[list[sync_api.Frame]]:
    """The inner frames, as often as attaching to them is to be tried. Between, Playwright hears of them.

    Args:
        page: that they are in.
        sessions: those so far; it grows meanwhile.
        driver: is told when the page crashes meanwhile, as Playwright says where it is waited on.
        within: to wait no longer.

    Raises:
        TargetDetached, ConnectionLost: the page, or the browser, was closed meanwhile.
    """
    for seconds in BREATHS:
        if all_known(sessions, len(page.frames) - 1, driver.obstacles):
            return
        try:
            page.wait_for_timeout(1000 * min(seconds, within.remaining))
        except Exception as error:
            known = error_of("Target.getTargets", error)
            if not isinstance(known, TargetCrashed):
                raise known or error from error
            driver.obstacles[ids_of([page])[0]] = "crashed"
            return
        yield page.frames[1:]


def hear_dialogs(session: async_api.CDPSession | sync_api.CDPSession, dialogs: DialogLog) -> None:
    """Have the page's dialogs noted, once its session of ours has the Page domain on."""
    session.on("Page.javascriptDialogOpening", dialogs.opened)
    session.on("Page.javascriptDialogClosed", dialogs.closed)


def ids_of(held: Sequence[object]) -> list[SessionId]:
    """Of Playwright's sessions. It does not tell them, so they are numbers."""
    return [SessionId(str(number)) for number in range(len(held))]


def lost_of(error: Exception, method: str, page: async_api.Page | sync_api.Page) -> ConnectionLost | None:
    """The loss of the browser, where a command failed for it: Playwright says that the page was closed."""
    browser = page.context.browser
    if isinstance(error, TimeoutError) or browser is None or browser.is_connected():
        return None
    return ConnectionLost(
        f"{method}: Playwright's browser was closed, its connection lost, or it was stopped"
    )


def not_attached(error: Exception, page: async_api.Page | sync_api.Page) -> HybridsnapError:
    """What it means that there is no session on the page itself."""
    if (lost := lost_of(error, "Target.attachToTarget", page)) is not None:
        return lost
    if page.is_closed():
        return TargetDetached("the page of Playwright's was closed; open another with context.new_page()")
    return error_of("Target.attachToTarget", error) or unanswered("Target.attachToTarget", "timeout")


def send_command(session: async_api.CDPSession, method: str, params: dict[str, Any]) -> Awaitable[Any]:
    """Send a command in a session of the async API."""
    try:
        inner: Awaitable[Any] = session._impl_obj.send(method, params, None)  # noqa: SLF001 - see above
    except (AttributeError, TypeError):
        return session.send(method, params)
    return inner


def send_command_sync(
    session: sync_api.CDPSession, method: str, params: dict[str, Any], timeout_ms: float
) -> Any:
    """Send a command in a session of the sync API, and wait for its result so long."""
    try:
        inner = session._impl_obj.send(method, params, timeout_ms)  # noqa: SLF001 - see above
    except (AttributeError, TypeError):
        return session.send(method, params, timeout=timeout_ms)
    return session._sync(inner)  # noqa: SLF001 - the same


def end_of(deadline: Deadline, *, answers: bool) -> Deadline:
    """Until when the end of sessions is waited for; no longer than it must where the page cannot answer."""
    return owing_deadline(deadline) if answers else Deadline.after(LEAST_OWING_SECONDS)


def detach_sync(session: sync_api.CDPSession, within: Deadline) -> None:
    """End a session of the sync API, or have its end begun."""
    timeout_ms = max(LEAST_OWING_SECONDS, within.remaining) * 1000
    try:
        inner = session._impl_obj._channel.detach(timeout=timeout_ms)  # noqa: SLF001 - see above
    except (AttributeError, TypeError):
        session.detach()
    else:
        session._sync(inner)  # noqa: SLF001 - the same
