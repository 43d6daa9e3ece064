"""What the browser does while a page runs, as a Chrome trace: for Perfetto and DevTools' performance panel.

Chromium 156 (measured): a browser records one trace at a time, whoever asked; it covers all its processes, so
other tabs, too. 2 s of a busy page are some 6 MB of JSON, one event on each line. Of processes that end just
then it waits 5 s for the last events: one in five traces of a navigation between sites.
"""

from __future__ import annotations

import base64
import dataclasses
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.argument_checks import check_bool, check_whole, read_strs
from hybridsnap.client.trace_summary import TraceSummary, summarize
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.drivers.base import ignore_reply, unanswered
from hybridsnap.errors import CommandRefused, TargetDetached

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hybridsnap.client.attachment import AttachedSession
    from hybridsnap.client.connection import Session
    from hybridsnap.client.page_context import PageContext

#: What DevTools' performance panel shows.
CATEGORIES = (
    *("blink.console", "blink.user_timing", "devtools.timeline", "latencyInfo", "loading", "toplevel"),
    *("v8.execute", "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame"),
    *("disabled-by-default-devtools.timeline.stack", "disabled-by-default-v8.cpu_profiler"),
)
_SCREENSHOTS = "disabled-by-default-devtools.screenshot"
#: Megabytes that the browser keeps of a trace, and bytes of JSON that are read of it, unless asked otherwise.
BUFFER_MB, MOST_BYTES = 100, 100_000_000
#: Bytes that come with one reply.
_PIECE = 1_000_000
#: Between two events.
_BETWEEN = b",\n"
_NO_EVENTS = b'{"traceEvents":['
#: Chromium's words where a trace that was called off is just being ended (1 of 750 starts).
_ENDING = "Peer disconnected"
#: How often a trace is begun then.
_STARTS = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Trace:
    """A trace in the JSON format of Chrome (an object with ``traceEvents``).

    Attributes:
        data: the file.
        truncated: it was larger than was to be read: its last events and its metadata are left out.
        lost: the browser lost events: its buffer was full, for instance.
    """

    data: bytes = dataclasses.field(repr=False)
    truncated: bool = False
    lost: bool = False

    def __len__(self) -> int:
        """How many bytes it has."""
        return len(self.data)

    def summarize(self) -> TraceSummary:
        """What was slow on the page that was traced: long tasks, layout, scripts, requests.

        ::

            print(trace.summarize())                                 # some 300 tokens
            Trace(Path("trace.json").read_bytes()).summarize()       # of a file

        Cost: 10 ms for each MB of the trace.

        Raises:
            ValueError: this is no trace, or one without the default categories.
        """
        notes = []
        if self.truncated:
            notes.append("the trace was cut: its end is not summed up")
        if self.lost:
            notes.append(
                "the browser lost events of this trace; record for less time, or with a larger buffer"
            )
        return summarize(self.data, notes)


class Tracing:
    """`Page.trace`: records what the browser does.

    ::

        await page.trace.start(screenshots=True)
        await page.goto("https://shop.example/")
        await page.trace.stop(path="trace.json")       # for https://ui.perfetto.dev
    """

    def __init__(self, context: PageContext) -> None:
        self._attachment = context.attachment
        self._session: Session | None = None
        #: Of a trace that has ended: what the browser said then.
        self._complete: dict[str, Any] | None = None
        #: The trace ended with a session, before it was to end.
        self._cut_off = False
        #: A trace that was given up is being stopped: its data will be closed without being read.
        self._unwanted = False
        self._attachment.on("Tracing.tracingComplete", self._take)
        self._attachment.renewals.append(self._renew)

    @property
    def recording(self) -> bool:
        """Whether a trace is being recorded."""
        return self._session is not None

    async def start(
        self,
        *,
        screenshots: bool = False,
        categories: Sequence[str] | None = None,
        buffer_mb: int = BUFFER_MB,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> None:
        """Record from now on, until `stop` or the end of the connection.

        Args:
            screenshots: with small pictures of the frames that were shown.
            categories: of Chromium's trace events; None for those that DevTools' performance panel shows.
            buffer_mb: megabytes that the browser keeps; nothing more is recorded when they are full.
            timeout: seconds.

        Raises:
            ValueError: this page records a trace already.
            CommandRefused: another tab, or another client, does.
        """
        check_bool("screenshots", screenshots)
        check_whole("buffer_mb", buffer_mb, 1)
        wanted = (
            CATEGORIES if categories is None else read_strs("categories", categories, "devtools.timeline")
        )
        params = {
            "transferMode": "ReturnAsStream",
            "streamFormat": "json",
            "traceConfig": {
                "recordMode": "recordUntilFull",
                "traceBufferSizeInKb": buffer_mb * 1000,
                "includedCategories": [*wanted, *([_SCREENSHOTS] if screenshots else [])],
                "excludedCategories": ["*"],
            },
        }
        deadline = Deadline.of(timeout)
        await self._attachment.root.session.connection.stand(deadline)
        if self._session is not None:
            raise ValueError("a trace is being recorded already; end it with page.trace.stop()")
        self._cut_off = False
        session = self._session = self._attachment.root.session
        try:
            with self._attachment.not_behind_dialog("Tracing.start", deadline):
                for left in reversed(range(_STARTS)):
                    try:
                        await session.send("Tracing.start", params, deadline=deadline)
                        break
                    except CommandRefused as error:
                        if not left or not error.reason.startswith(_ENDING):
                            raise
        except BaseException as error:
            if self._session is not None:
                self._forget(to_come=not isinstance(error, CommandRefused))
            raise
        self._unwanted = False  # the one before is over

    async def stop(
        self,
        *,
        path: str | Path | None = None,
        max_bytes: int = MOST_BYTES,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> Trace:
        """End the trace, and read it.

        Args:
            path: a file to write it to.
            max_bytes: of a larger one, the events that begin after so many bytes are left out;
                `Trace.truncated` says so.
            timeout: seconds.

        Raises:
            ValueError: no trace is being recorded.
            CommandUnanswered: the browser did not hand it out in time. It is lost then.
            SessionEnded, ConnectionLost: the page or the browser is gone, and the trace with it; or the page
                was attached to anew meanwhile, as after a connection that dropped.
        """
        check_whole("max_bytes", max_bytes, 1)
        deadline = Deadline.of(timeout)
        connection = self._attachment.root.session.connection
        stream: str | None = None
        try:
            await connection.stand(deadline)
            if self._cut_off:
                self._cut_off = False
                raise TargetDetached("the trace is lost: the page had to be attached to anew; begin another")
            if (session := self._session) is None:
                raise ValueError("no trace is being recorded; begin one with page.trace.start()")
            drops = connection.drops
            await session.send("Tracing.end", deadline=deadline)
            await self._attachment.wait_until(
                lambda: self._complete is not None or session.ended is not None, deadline
            )
            connection.check(drops, "while a trace was read", may_have_been_executed=True)
            if self._complete is None:
                raise session.error() if session.ended else unanswered("Tracing.end", "timeout")
            stream, lost = self._complete["stream"], self._complete["dataLossOccurred"]
            data, truncated = await _read(session, stream, max_bytes, deadline)
        finally:
            if stream is not None:
                self._attachment.root.session.post("IO.close", {"handle": stream}, ignore_reply)
            if self._session is not None:
                self._forget(to_come=self._complete is None)
        if path is not None:
            await trio.Path(path).write_bytes(data)
        return Trace(data, truncated, lost)

    def _take(self, one: AttachedSession, params: dict[str, Any]) -> None:
        if self._unwanted:
            self._unwanted = False
            one.session.post("IO.close", {"handle": params["stream"]}, ignore_reply)
        else:
            self._complete = params

    def _renew(self) -> None:
        """The page was attached to anew: a trace ends with its session."""
        self._unwanted = False
        if self._session is not None:
            self._forget(to_come=False)
            self._cut_off = True

    def _forget(self, *, to_come: bool) -> None:
        """Nothing is recorded any more; a trace that is still to come is ended, and closed unread."""
        session, self._session, self._complete = self._session, None, None
        if to_come and session is not None and session.ended is None and session.connection.standing:
            self._unwanted = True
            session.post("Tracing.end", {}, ignore_reply)  # refused where it is ending already


async def _read(session: Session, stream: str, max_bytes: int, deadline: Deadline) -> tuple[bytes, bool]:
    """The trace, and whether it was cut."""
    pieces, size = [], 0
    while True:
        read = await session.send("IO.read", {"handle": stream, "size": _PIECE}, deadline=deadline)
        data = read["data"]
        pieces.append(base64.b64decode(data) if read.get("base64Encoded") else data.encode())
        size += len(pieces[-1])
        if size > max_bytes:
            return cut_trace(b"".join(pieces), max_bytes), True
        if read["eof"]:
            return b"".join(pieces), False


def cut_trace(data: bytes, max_bytes: int) -> bytes:
    """The beginning of a trace, up to the last event that ends within so many bytes, as a trace."""
    end = data.rfind(_BETWEEN, 0, max_bytes)
    return (_NO_EVENTS if end < 0 else data[:end]) + b"\n]}\n"
