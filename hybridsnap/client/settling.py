"""Waiting until a page has settled after an action.

What the action begins shows in events (`hybridsnap.client.page_events`), most of it before the input is
answered. From frameStartedNavigating to frameNavigated the browser holds back commands to the page: a page
that does not answer may be on its way. A moment after the answer everything is known, but for what the page
itself puts off: so quiet is looked for from within the page, by the observers of the action
(`hybridsnap.act.observer`), which tell what they have seen in the same round trip.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

from hybridsnap.client.background_call import BackgroundCall
from hybridsnap.client.console_errors import ConsoleErrors
from hybridsnap.client.first_answers import ANSWER_SECONDS, CHANGING_SECONDS, wait_for_first_answers
from hybridsnap.client.network import RequestTracker
from hybridsnap.client.page_events import PageEventLog
from hybridsnap.deadline import Deadline
from hybridsnap.injected import script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hybridsnap.act.observer import Observer
    from hybridsnap.act.receipt import Moved
    from hybridsnap.client.download_tracker import Download
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.client.page_events import FrameNavigation
    from hybridsnap.model import Dialog, FrameId, TargetId

#: Nothing more is expected of a page where nothing has stirred for this long, and nothing was put off. A
#: worker, a database or the clipboard answers in under 1 ms, on a busy machine too (medians, Chromium 156).
_STILL_SECONDS = 0.001
#: What leaves, and will have left by then, is waited for. Libraries close dialogs, menus and drawers within
#: 150 to 350 ms (Material UI, Radix, Bootstrap), and until then they are in the outline.
_LEAVING_SECONDS = 0.5
#: What was asked for begins within this, or was refused (by a policy, by the page's own handler).
_BEGIN_SECONDS = 0.5
#: A download is announced this soon after its navigation ended.
_ANNOUNCE_SECONDS = 0.1
#: A frame's new document, not the page's, is waited for no longer than this.
_FRAME_SECONDS = 2.0
#: A new tab has its id this soon after it was asked for.
_TAB_SECONDS = 0.3
#: A page that sends the visitor on and on is followed so often.
_HOPS = 5
#: Messages of an answer over a websocket follow one another within this.
_MESSAGE_SECONDS = 0.05
_QUIET, _PARSED = script("quiet"), script("parsed")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What events told of an action, until the page had settled.

    Attributes:
        ended_by: what ended the waiting: ``quiet``, ``busy`` (the page went on changing, or did not answer),
            ``loaded``, ``no document`` (a navigation ended without one), ``dialog``, ``crashed``, ``closed``
            or ``deadline``.
        navigation: the last of the main frame; None when there was none, or it brought no document.
        frame_navigations: of other frames that were there before.
        no_document: where a navigation was going that brought none: an answer without content, a download, a
            program outside, or the page stopped it.
        dialog: that was opened, and is open still.
        downloads: that began.
        new_targets: the tabs and windows that were opened, as far as the browser has named them.
        console_errors: errors the page logged or threw meanwhile.
        under_way: addresses that scripts have asked servers for since the action, without an answer so far;
            of downloads that links asked for, and that have not begun.
        outside_urls: addresses for other programs (``tel:``) that its frames asked for.
        seen: what each observer has told of the page as it was in the end; empty where that is not known.
    """

    ended_by: str
    navigation: Moved | None = None
    frame_navigations: tuple[Moved, ...] = ()
    no_document: str | None = None
    dialog: Dialog | None = None
    downloads: tuple[Download, ...] = ()
    new_targets: tuple[TargetId, ...] = ()
    console_errors: tuple[str, ...] = ()
    under_way: tuple[str, ...] = ()
    outside_urls: tuple[str, ...] = ()
    seen: tuple[Any, ...] = ()


class EventWatch:
    """The events of a page from before an action on. `watch_events` makes it."""

    def __init__(self, context: PageContext, errors: ConsoleErrors, requests: RequestTracker) -> None:
        self._browser = context.browser
        self._attachment = context.attachment
        self._errors = errors
        self._requests = requests
        self._begin()

    def _begin(self) -> None:
        attachment = self._attachment
        self._committed = attachment.main.committed
        self._crashes = attachment.crashes
        self._drops = self._browser.connection.drops
        self._log = PageEventLog(attachment)
        self._tabs_before = self._browser.tabs.count
        self._dialogs_before = attachment.dialog_tracker.count
        self._downloads_before = self._browser.downloads.count
        self._seen: tuple[Any, ...] = ()
        #: Addresses of downloads that links have asked for, as the observers last told.
        self._wanted: list[str] = []
        attachment.listeners.append(self._log.take)

    @property
    def navigated(self) -> bool:
        """Whether the page has come to another document."""
        return self._log.main.moved > 0

    def restart(self) -> None:
        """Forget what was seen: the action begins only now."""
        self.stop()
        self._errors.clear()
        self._begin()

    def stop(self) -> None:
        """Look no more."""
        self._attachment.listeners.remove(self._log.take)

    async def settle(self, deadline: Deadline, observer: Observer, *, acted_at: float) -> Settled:
        """Wait until what the action began has come to a rest.

        A navigation that began is awaited to its DOMContentLoaded, also through redirects by script, and what
        scripts of the new document have asked servers for then, 500 ms at most. Else
        quiet is looked for: nothing has stirred for `_STILL_SECONDS`, and no timer or frame is awaited by
        the page; or frames have passed without a mutation (one where none is awaited, else two); at most
        250 ms, or 500 ms while text fades, as in a dialog that is being closed. Where scripts have asked a
        server for something since the action, over a websocket too, or a link for a download, the answer is
        waited for and then again quiet: at most 500 ms longer. An open dialog, a crash, the end of the page
        end it at once.

        Args:
            deadline: for all of it.
            observer: of the action; quiet is looked for in its frames.
            acted_at: when the action began (`time.monotonic`); requests from before are not counted.

        Cost: one round trip and 1 ms when nothing happens; no round trip when a navigation has begun.

        Raises:
            ConnectionLost: the browser is gone.
        """
        self._acted_at = acted_at
        ended_by = await self._wait_for_rest(deadline, observer)
        opened = await self._wait_for_tabs(deadline) if self._log.opened else ()
        self._browser.connection.check(
            self._drops, "while the page was settling", may_have_been_executed=True
        )
        return self._outcome(ended_by, opened)

    async def _wait_for_rest(self, deadline: Deadline, observer: Observer) -> str:
        """Wait for quiet, or for a new document and its first answers; what ended it (`Settled.ended_by`)."""
        for _ in range(_HOPS):
            if not self._moving():
                quiet = await self._wait_for_answers(deadline, observer)
                if not self._moving():
                    await self._wait_for_frames(deadline)
                    return self._obstacle() or self._resting(quiet=quiet)
            await self._wait_for_arrival(deadline)
            if obstacle := self._obstacle():
                return obstacle
            if self._log.main.moved and not self._moving():
                break
            if deadline.expired:
                return "deadline"
        await wait_for_first_answers(
            self._attachment,
            self._requests,
            self._acted_at,
            lambda reached, bound: self._until(lambda: reached() or self._moving(), deadline.earlier(bound)),
        )
        return self._obstacle() or "loaded"

    def _resting(self, *, quiet: bool) -> str:
        if self._log.main.moved:
            return "loaded"
        if self._log.main.empty is not None:
            return "no document"
        return "quiet" if quiet else "busy"

    def _moving(self) -> bool:
        """Whether the main frame is on its way to another document."""
        main = self._log.main
        return main.asked or main.going is not None or (main.moved > 0 and not self._loaded())

    def _loaded(self) -> bool:
        main = self._attachment.main
        return main.committed > self._committed and main.content_loaded

    def _obstacle(self) -> str | None:
        attachment = self._attachment
        session = attachment.root.session
        if self._browser.connection.drops != self._drops or session.ended == "detached":
            return "closed"
        if attachment.crashes > self._crashes or session.ended == "crashed":
            return "crashed"
        return None if self._dialog() is None else "dialog"

    def _dialog(self) -> Dialog | None:
        return self._attachment.dialog_tracker.open_since(self._dialogs_before)

    def _downloads(self) -> list[Download]:
        return self._browser.downloads.since(self._downloads_before, self._attachment.target_id)

    async def _until(self, reached: Callable[[], bool], bound: Deadline) -> None:
        """Wait for something until a deadline, or until something ends the settling."""
        await self._attachment.wait_until(lambda: reached() or self._obstacle() is not None, bound)

    async def _wait_for_arrival(self, deadline: Deadline) -> None:
        """Wait for the main frame's new document, or for the end of its way there."""
        main = self._log.main
        await self._until(lambda: not main.asked, deadline.earlier(Deadline.after(_BEGIN_SECONDS)))
        if main.asked and self._obstacle() is None:
            main.scheduled = main.requested = False
        before = len(self._downloads())
        await self._until(lambda: not self._moving() or main.asked, deadline)
        if main.empty is not None and not self._moving():
            bound = deadline.earlier(Deadline.after(_ANNOUNCE_SECONDS))
            await self._until(lambda: len(self._downloads()) > before or self._moving(), bound)

    async def _wait_for_answers(self, deadline: Deadline, observer: Observer) -> bool:
        """Look for quiet, and again when what scripts have asked for since the action has been answered."""
        quiet = await self._look_for_quiet(deadline, observer)
        bound = deadline.earlier(Deadline.after(ANSWER_SECONDS))
        waited = False

        def waits() -> bool:
            asked = self._under_way() or (not waited and self._requests.socket_asked_since(self._acted_at))
            return bool(asked) and not self._moving()

        while waits() and not bound.expired and self._obstacle() is None:
            await self._until(lambda: not waits(), bound)
            waited = True  # a page may send messages all the time: one answer is waited for
            await self._rest_of_messages(bound)
            self._seen = ()
            if not waits() and not self._moving():
                quiet = await self._look_for_quiet(deadline, observer)
        if waited and bound.expired:
            self._requests.note_silent_sockets()
        return quiet

    async def _rest_of_messages(self, bound: Deadline) -> None:
        """Wait until no message has come over a websocket for a moment: many answers are several messages."""
        while (left := _MESSAGE_SECONDS - self._requests.socket_heard_seconds) > 0:
            if bound.expired or self._moving() or self._obstacle() is not None:
                return
            await self._until(self._moving, bound.earlier(Deadline.after(left)))

    def _under_way(self) -> tuple[str, ...]:
        """Addresses of what was asked for and is not there: answers to scripts, and downloads."""
        return (
            *self._requests.asked_since(self._acted_at),
            *self._wanted[len(self._downloads()) :],
        )

    async def _look_for_quiet(self, deadline: Deadline, observer: Observer) -> bool:
        """Look for quiet (`injected/quiet.js`); False when it did not come in time."""
        given = (observer.key, _STILL_SECONDS * 1000, CHANGING_SECONDS * 1000, _LEAVING_SECONDS * 1000)
        session_of, notify = self._browser.connection.session_of, self._attachment.notify
        unobserved = [(self._attachment.root.session.id, self._log.main_frame, None)]
        questions = [
            BackgroundCall(session_of(id_), frame, _QUIET, given, notify, world=world)
            for id_, frame, world in observer.worlds or unobserved
        ]
        try:
            bound = deadline.earlier(Deadline.after(_LEAVING_SECONDS))
            await self._until(lambda: all(one.answered for one in questions) or self._moving(), bound)
            told = [one.value or {} for one in questions]
            self._seen = tuple(one.get("seen") for one in told)
            self._wanted = [url for one in self._seen if one for url in one["downloads"]] or self._wanted
            return all(one.get("quiet", False) for one in told)
        finally:
            for one in questions:
                one.forget()

    async def _wait_for_frames(self, deadline: Deadline) -> None:
        """Wait until the documents that other frames were sent to have been parsed."""
        bound = deadline.earlier(Deadline.after(_FRAME_SECONDS))
        for frame, navigation in list(self._log.frames.items()):
            if navigation.asked or navigation.going is not None or navigation.moved:
                self._seen = ()
                await self._wait_until_parsed(frame, navigation, bound)

    async def _wait_until_parsed(self, frame: FrameId, navigation: FrameNavigation, bound: Deadline) -> None:
        await self._until(lambda: not navigation.asked and navigation.going is None, bound)
        one = self._attachment.session_with(frame)
        if one is None or not navigation.moved or self._obstacle() is not None:
            return
        question = BackgroundCall(one.session, frame, _PARSED, (), self._attachment.notify)
        try:
            await self._until(lambda: question.answered, bound)
        finally:
            question.forget()
        navigation.parsed = bool(question.value)

    async def _wait_for_tabs(self, deadline: Deadline) -> tuple[TargetId, ...]:
        """The tabs that were opened, as soon as the browser has named them."""
        self._seen = ()
        bound = deadline.earlier(Deadline.after(_TAB_SECONDS))
        wanted = len(self._log.opened)
        await self._browser.tabs.wait_until(lambda: len(self._new_tabs()) >= wanted, bound)
        return tuple(self._new_tabs())

    def _new_tabs(self) -> list[TargetId]:
        """The tabs that the page opened; those that a click opened at the user's wish name no opener."""
        by_click = {"", *self._log.by_click}
        return [
            tab.target_id
            for tab in self._browser.tabs.since(self._tabs_before)
            if tab.opener == self._attachment.target_id
            or (self._log.by_click and tab.opener is None and tab.url in by_click)
        ]

    def _outcome(self, ended_by: str, tabs: tuple[TargetId, ...]) -> Settled:
        attachment, main = self._attachment, self._log.main
        main.url, main.parsed = attachment.root.url, self._loaded()
        frames = (navigation.told() for navigation in self._log.frames.values())
        return Settled(
            ended_by=ended_by,
            navigation=main.told(),
            frame_navigations=tuple(one for one in frames if one is not None),
            no_document=None if main.moved else main.empty,
            dialog=self._dialog(),
            downloads=tuple(self._downloads()),
            new_targets=tabs,
            console_errors=self._errors.texts,
            under_way=self._under_way() if ended_by in {"quiet", "busy"} else (),
            outside_urls=tuple(dict.fromkeys(self._log.outside)),
            seen=self._seen if all(self._seen) else (),
        )


@contextlib.contextmanager
def watch_events(context: PageContext) -> Iterator[EventWatch]:
    """Follow what happens to a page for the length of the block; `EventWatch.settle` waits and tells.

    Nothing is waited for on the way in and out. New errors can be told from old ones once a command to their
    session, sent within the block, has been answered; input goes its own way, and may overtake.
    """
    feed, errors = context.console_feed, ConsoleErrors()
    if feed.flooding:
        errors.flooded()
    with RequestTracker(context.attachment, own_socket=False).watch() as requests:
        feed.add(errors)
        watch = EventWatch(context, errors, requests)
        try:
            yield watch
        finally:
            watch.stop()
            feed.remove(errors)
