"""The frames of a page, as it is drawn, in PNG files.

Chromium 156 (measured): it sends a frame when the page was drawn anew, and leaves out those that are drawn
while two are not acknowledged; it does not say how many. A frame is acknowledged when its file is written, so
that no more than two wait. A hidden tab is not drawn.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.argument_checks import check_whole
from hybridsnap.client.file_names import make_folder
from hybridsnap.client.subscriptions import EventSubscription
from hybridsnap.client.transport import background_nursery
from hybridsnap.client.viewport import check_viewport
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import ConnectionLost, HybridsnapError

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hybridsnap.client.attachment import AttachedSession
    from hybridsnap.client.connection import Session
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.client.viewport import ViewportSize

#: So many frames are saved, unless more are asked for.
MOST_FRAMES = 1000
_FRAME, _VISIBILITY = "Page.screencastFrame", "Page.screencastVisibilityChanged"
#: Events that wait to be read: two frames, and what visibility says between them.
_BUFFER = 16
#: For the browser to confirm the end, seconds.
_END_SECONDS = 5.0


@dataclasses.dataclass(frozen=True, slots=True)
class RecordedFrame:
    """A frame that was saved.

    Attributes:
        path: of the PNG file.
        time: when it was drawn, in seconds since 1970.
    """

    path: Path
    time: float


class FrameRecording:
    """What `Page.record_frames` has saved so far.

    Attributes:
        folder: where the files are.
        frames: those that were saved, in order.
        unsaved: how many came beyond the most that were to be saved, before the browser stopped. It does not
            tell how many frames it left out by itself, because those before were not written yet.
        hidden: the tab was hidden at some time: it is not drawn then.
        interruptions: how often the page had to be attached to anew, as after a connection that dropped: what
            was drawn meanwhile is missing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.frames: list[RecordedFrame] = []
        self.unsaved: int = 0
        self.hidden: bool = False
        self.interruptions: int = 0
        self._error: OSError | None = None

    def fail(self, error: OSError) -> None:
        """No more frames can be saved; the recording ends."""
        self._error = error

    def raise_error(self) -> None:
        """Raise what kept a frame from being saved."""
        if self._error is not None:
            raise self._error

    def __repr__(self) -> str:
        return f"<FrameRecording of {len(self.frames)} frames in {str(self.folder)!r}>"


class Screencast:
    """The part of a page that records its frames."""

    def __init__(self, context: PageContext) -> None:
        self._attachment = context.attachment
        self._recording = False

    @contextlib.asynccontextmanager
    async def record(
        self,
        folder: str | os.PathLike[str],
        max_frames: int,
        size: ViewportSize | None,
        every: int,
        deadline: Deadline,
    ) -> AsyncIterator[FrameRecording]:
        """Save the frames of this block: `hybridsnap.Page.record_frames`."""
        check_whole("max_frames", max_frames, 1)
        check_whole("every", every, 1)
        params: dict[str, Any] = {"format": "png", "everyNthFrame": every}
        if (bounds := check_viewport(size, "size")) is not None:
            params |= {"maxWidth": bounds[0], "maxHeight": bounds[1]}
        if self._recording:
            raise ValueError("this page's frames are being recorded already")
        recording = FrameRecording(await trio.to_thread.run_sync(_made_folder, folder))
        session = self._attachment.root.session
        events = EventSubscription((_FRAME, _VISIBILITY), _BUFFER)

        def take(one: AttachedSession, method: str, params: dict[str, Any]) -> None:
            if one is self._attachment.root and method in events.methods:
                events.put(method, params)

        def go_on() -> None:
            """The page was attached to anew."""
            recording.interruptions += 1
            if len(recording.frames) < max_frames:
                session.post("Page.startScreencast", params, ignore_reply)

        self._recording = True
        try:
            with self._attachment.listening(take, go_on):
                async with background_nursery() as nursery:
                    saved = trio.Event()
                    nursery.start_soon(_save_all, session, events, recording, max_frames, saved)
                    try:
                        await session.send("Page.startScreencast", params, deadline=deadline)
                        yield recording
                    finally:
                        await _end(session, events, recording, saved)
                    recording.raise_error()
        finally:
            self._recording = False


async def _end(
    session: Session, events: EventSubscription, recording: FrameRecording, saved: trio.Event
) -> None:
    """Stop, and have what has come by now saved."""
    with trio.CancelScope(shield=True):
        try:
            await session.send("Page.stopScreencast", deadline=Deadline.after(_END_SECONDS))
        except ConnectionLost as error:
            recording.fail(error)
        except HybridsnapError:  # the page is closed, or does not answer: no more frames come
            pass
        events.close()
        with trio.move_on_after(_END_SECONDS):
            await saved.wait()


async def _save_all(
    session: Session, events: EventSubscription, recording: FrameRecording, most: int, saved: trio.Event
) -> None:
    try:
        async for method, params in events:
            if method == _VISIBILITY:
                recording.hidden = recording.hidden or not params["visible"]
            elif len(recording.frames) >= most:
                recording.unsaved += 1
            else:
                path = recording.folder / f"frame-{len(recording.frames) + 1:06}.png"
                with trio.CancelScope(shield=True):
                    await trio.to_thread.run_sync(path.write_bytes, base64.b64decode(params["data"]))
                recording.frames.append(RecordedFrame(path, params["metadata"].get("timestamp", 0.0)))
                session.post("Page.screencastFrameAck", {"sessionId": params["sessionId"]}, ignore_reply)
                if len(recording.frames) == most:
                    session.post("Page.stopScreencast", {}, ignore_reply)
    except OSError as error:
        recording.fail(error)
        session.post("Page.stopScreencast", {}, ignore_reply)
    finally:
        saved.set()


def _made_folder(given: str | os.PathLike[str]) -> Path:
    folder = make_folder(given)
    if any(folder.glob("frame-*.png")):
        raise FileExistsError(f"there are frames of another recording in {str(folder)!r}")
    return folder
