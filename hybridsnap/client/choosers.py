"""File choosers: caught before anybody sees them, and answered with paths.

Measured in Chromium 156:

- A chooser opens only for a user's gesture (a real click or key), never for a script by itself.
- In a headless browser it is not visible, and it is cancelled at once. Caught, it stays open until it is
  answered, and does not hold the page up.
- It is announced on the session of its frame, in frames of other processes too.
- `showOpenFilePicker` can be caught but not answered: the page gets an AbortError.
- Setting the files that an input holds already tells the page ``cancel``, as choosing them again does.

A chooser names its input by a backend node id, which counts in one process only: where the frame has gone on
to another document, of another site even, the same number may be another input. So the document is noted in
which a chooser opened, and the files go to a handle on a node that is proven to be of that document.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.act.files import checked_paths, set_input_files
from hybridsnap.act.finding import try_again
from hybridsnap.act.naming import resolve_element
from hybridsnap.act.refusals import blame_frame
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import (
    HybridsnapError,
    NotInteractable,
    StaleElement,
    UnknownElement,
    WaitTimeout,
)
from hybridsnap.protocol.commands import get_frame_tree
from hybridsnap.protocol.plan import gather
from hybridsnap.protocol.replies import FrameTreeResult

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.files import Paths
    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.client.attachment import AttachedSession
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.model import FrameId, LoaderId, StaleReason
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Plan


class FileChooser:
    """A file chooser that `Page.expect_file_chooser` waits for.

    Attributes:
        opened: whether it has come.
        multiple: whether it takes several files.
        frame: the frame it is of, once it has come.
        answered: whether it was given files, or cancelled.
    """

    def __init__(self, choosers: Choosers) -> None:
        self._choosers = choosers
        self.opened: bool = False
        self.multiple: bool = False
        self.frame: FrameId | None = None
        self.answered: bool = False
        self.backend_node_id: int | None = None
        #: Of the document it opened in; None where that was gone before it could be told.
        self.loader: LoaderId | None = None
        #: What opened it; None when its document has been asked for.
        self.asking: AttachedSession | None = None

    async def set_files(self, paths: Paths, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> None:
        """Choose files. The page hears of it as if a person had (``input``, ``change``); of a folder a little
        later, when the browser has listed it.

        Args:
            paths: one or several of files that exist here.
            timeout: seconds.

        Raises:
            NotInteractable: it takes one file, or a folder; or it is of a kind that cannot be answered.
            StaleElement: the input it belongs to is gone.
            TypeError, ValueError: a value is not a path, or the file does not exist; or no chooser has opened
                yet.
        """
        await self._choosers.answer(self, paths, Deadline.of(timeout))


class Choosers:
    """The part of a page that answers file choosers."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._attachment = context.attachment
        self._chooser: FileChooser | None = None
        self._attachment.on("Page.fileChooserOpened", self._chooser_opened)

    @contextlib.asynccontextmanager
    async def expect(self, paths: Paths | None, deadline: Deadline) -> AsyncIterator[FileChooser]:
        """Catch the file chooser that opens in this block: `hybridsnap.Page.expect_file_chooser`."""
        files = None if paths is None else checked_paths(paths, self._context.browser.permit_upload)
        if self._chooser is not None:
            raise ValueError("this page expects a file chooser already; one at a time")
        chooser = self._chooser = FileChooser(self)
        self._context.catches_choosers = True
        cancel = files is not None and not files
        drops = self._context.connection.drops
        try:
            async with self._caught(cancel, deadline):
                yield chooser
                await self._attachment.wait_until(
                    lambda: chooser.opened or self._context.gone, deadline, outlasts_drops=True
                )
                if self._context.gone:
                    raise self._attachment.root.session.error()
                if not chooser.opened:
                    words = "no file chooser opened in time; it opens for a real click or key only"
                    if self._context.connection.drops != drops:
                        words += "; the connection dropped meanwhile, and what opened then was not caught"
                    raise WaitTimeout(words, missing=("file chooser",))
        finally:
            self._chooser = None
            self._context.catches_choosers = False
        if cancel:
            chooser.answered = True
        elif files is not None:
            await chooser.set_files(files, timeout=deadline)

    async def answer(self, chooser: FileChooser, paths: Paths, deadline: Deadline) -> None:
        """What `FileChooser.set_files` does."""
        files = checked_paths(paths, self._context.browser.permit_upload)
        if not chooser.opened:
            raise ValueError("no file chooser has opened yet")
        if chooser.backend_node_id is None:
            raise NotInteractable(
                "a chooser of showOpenFilePicker cannot be answered, only one of an <input type=file>",
                element_id=None,
                reason="wrong kind",
            )
        blocked = self._attachment.blocked_by_dialog
        await self._attachment.wait_until(
            lambda: chooser.asking is None or self._context.gone or blocked(chooser.asking), deadline
        )

        def plan(sessions: Sequence[SessionInfo]) -> Plan[None]:
            resolver = NodeResolver(sessions, self._context.history.ordinals)
            element, _ = yield from try_again(resolver, lambda: self._input_of(chooser, resolver))
            with blame_frame(element, "set files of"):
                yield from set_input_files(resolver, element, files)
            yield from resolver.release()

        await self._context.run(plan, deadline)
        chooser.answered = True

    def _input_of(self, chooser: FileChooser, resolver: NodeResolver) -> Plan[Element]:
        """The input, with a handle: from then on it is this one or none.

        Raises:
            StaleElement: it is gone.
        """
        yield from _check_document(chooser, resolver)
        try:
            element = yield from resolve_element(
                resolver,
                self._context.history,
                None,
                backend_node_id=chooser.backend_node_id,
                frame=chooser.frame,
            )
        except UnknownElement:
            yield from _check_document(chooser, resolver)
            raise _input_gone("detached") from None
        # The frame may have gone on in between. From now on the handle counts.
        yield from _check_document(chooser, resolver)
        return element

    @contextlib.asynccontextmanager
    async def _caught(self, cancel: bool, deadline: Deadline) -> AsyncIterator[None]:
        """Catch choosers in every frame, also in those that come in the block."""
        attachment = self._attachment
        method, params = "Page.setInterceptFileChooserDialog", {"enabled": True, "cancel": cancel}

        def catch(one: AttachedSession) -> None:
            one.session.post(method, params, ignore_reply)

        await attachment.settled(deadline)
        attachment.preparations.append(catch)
        attachment.listen_for_frames()
        try:
            sessions = [one.session for one in attachment]
            with attachment.asking(sessions, method, params) as replies:
                await attachment.wait_until(lambda: len(replies) == len(sessions), deadline)
            yield
        finally:
            attachment.preparations.remove(catch)
            attachment.listen_for_frames()
            for one in attachment:
                one.session.post(method, {"enabled": False}, ignore_reply)
            await self._context.connection.flush()

    def _chooser_opened(self, one: AttachedSession, params: dict[str, Any]) -> None:
        chooser = self._chooser
        if chooser is not None and not chooser.opened:
            chooser.opened = True
            chooser.multiple = params["mode"] == "selectMultiple"
            chooser.frame = params["frameId"]
            chooser.backend_node_id = params.get("backendNodeId")
            self._ask_document(chooser, one)

    def _ask_document(self, chooser: FileChooser, one: AttachedSession) -> None:
        """Have it noted in which document a chooser has just opened.

        A session's events and replies come in order: a frame that went on before it answered has said so.
        """
        chooser.asking = one
        went_on = False

        def listen(session: AttachedSession, event: str, params: dict[str, Any]) -> None:
            nonlocal went_on
            if session is one and event == "Page.frameNavigated" and params["frame"]["id"] == chooser.frame:
                went_on = True

        def told(reply: Payload | HybridsnapError) -> None:
            self._attachment.listeners.remove(listen)
            if not isinstance(reply, HybridsnapError) and not went_on:
                with contextlib.suppress(msgspec.MsgspecError, ValueError):
                    frames = reply.result(FrameTreeResult).frame_tree.frames()
                    chooser.loader = next((one.loader_id for one in frames if one.id == chooser.frame), None)
            chooser.asking = None
            self._attachment.notify()

        self._attachment.listeners.append(listen)
        one.session.post("Page.getFrameTree", {}, told)


def _check_document(chooser: FileChooser, resolver: NodeResolver) -> Plan[None]:
    """See that a chooser's frame shows the document that it opened in.

    Raises:
        StaleElement: it does not.
    """
    assert chooser.frame is not None
    session = yield from resolver.session_with(chooser.frame)
    if session is None:
        raise _input_gone("frame gone")
    (tree,) = yield from gather(get_frame_tree(resolver.id_of(session)))
    loaders = {frame.id: frame.loader_id for frame in tree.frames()}
    if chooser.frame not in loaders:
        raise _input_gone("frame gone")
    if chooser.loader is None or loaders[chooser.frame] != chooser.loader:
        raise _input_gone("navigated")


def _input_gone(reason: StaleReason) -> StaleElement:
    words = {
        "navigated": "the page, or the frame that it was in, has gone on to another document",
        "frame gone": "the frame that it was in is gone",
        "detached": "it has been taken out of its document",
    }
    return StaleElement(
        f"the file chooser cannot be answered, its input is gone: {words[reason]}; have it opened anew",
        element_id=None,
        reason=reason,
    )
