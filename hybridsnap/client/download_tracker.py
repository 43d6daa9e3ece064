"""Downloads that a page expects, saved under a safe name. Others are refused where that is ours to say.

Whether a browser downloads is one setting for all tabs of a browser context (`Browser.setDownloadBehavior`).
It is switched to a private folder while a download is expected, and back after: to ``deny`` in a browser
or a context of ours, to the browser's own ways elsewhere. What begins meanwhile and is not expected is
cancelled. Measured in Chromium 156:

- A download is announced on the session of the frame that began it (`Page.downloadWillBegin`, also when it is
  refused), and then to the browser's session (`Browser.downloadWillBegin`), if that has asked for it. One
  that a link with ``target=_blank`` begins is announced to the browser only, with the frame of a tab that is
  closed at once; the `hybridsnap.client.tab_tracker.TabTracker` knows who opened that. On a page's own socket
  it is not heard of.
- ``allowAndName`` saves under the guid, with ``.crdownload`` appended while it is under way; cancelling
  removes the file. `Browser.cancelDownload` finds a download of a browser context only with the context's id.
- `totalBytes` is 0 while the size is not known. A server that breaks off is asked again, five times within a
  second, and `receivedBytes` begins anew each time; then the state is ``canceled``.
- When the connection that has set the behaviour last ends, the browser goes back to its own ways.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import trio

from hybridsnap.client.creation import in_context
from hybridsnap.client.file_names import make_file_name
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import CommandError, ConnectionLost, SessionEnded
from hybridsnap.model import ContextId, FrameId, TargetId

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from collections.abc import Set as AbstractSet

    from hybridsnap.client.attachment import PageAttachment
    from hybridsnap.client.connection import Connection
    from hybridsnap.client.launcher import BrowserProcess
    from hybridsnap.client.tab_tracker import TabTracker

DownloadState: TypeAlias = Literal["awaited", "running", "complete", "failed"]
#: So many downloads are remembered.
_REMEMBERED = 200
#: How long the browser may take to let go of a download, or to take a setting, after the deadline.
_END_SECONDS = 0.5
_SET = "Browser.setDownloadBehavior"
_DENYING = {"behavior": "deny", "eventsEnabled": True}
#: Events of the browser that are for the `DownloadTracker`.
DOWNLOAD_EVENTS = ("Browser.downloadWillBegin", "Browser.downloadProgress")


class Download:
    """A download, from its announcement on (or, in `Page.expect_download`, from before).

    Attributes:
        url: of what is downloaded.
        suggested_name: the name the page or the server gave it, made safe.
        path: where it was saved; None before, and when it was refused.
        received: bytes so far.
        total: bytes in all; None while that is not known.
        state: ``awaited`` (not begun), ``running``, ``complete`` or ``failed`` (refused, cancelled or broken
            off).
    """

    def __init__(self) -> None:
        self.url: str = ""
        self.suggested_name: str = ""
        self.path: Path | None = None
        self.received: int = 0
        self.total: int | None = None
        self.state: DownloadState = "awaited"
        self.guid: str | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self.state in {"complete", "failed"}

    def __repr__(self) -> str:
        return (
            f"<Download {self.suggested_name!r} {self.state}, {self.received} of {self.total or '?'} bytes>"
        )


@dataclasses.dataclass(slots=True, eq=False)
class ExpectedDownload:
    """A block of `Page.expect_download` that waits.

    Attributes:
        drops: `Connection.drops` when the block began, or the download.
    """

    page: PageAttachment
    max_bytes: int | None
    drops: int
    download: Download = dataclasses.field(default_factory=Download)
    too_large: bool = False


class DownloadTracker:
    """The downloads of one browser: whose they are, and who expects one.

    Args:
        connection: to the browser.
        tabs: of the browser.
        own_contexts: browser contexts of ours, where downloads are denied unless expected; so they are in a
            browser of ours.
        process: the browser's, when we launched it.
        only_target: the one page that can be reached, when the connection is that page's own socket.

    Attributes:
        count: how many have been announced so far: a mark for `since`.
    """

    def __init__(
        self,
        connection: Connection,
        tabs: TabTracker,
        own_contexts: AbstractSet[ContextId],
        process: BrowserProcess | None,
        only_target: TargetId | None,
    ) -> None:
        self._root = connection.root
        self._tabs = tabs
        self._own_contexts = own_contexts
        self._process = process
        self._only_target = only_target
        #: The last ones by their guids, each with the page whose it is.
        self._heard: dict[str, tuple[Download, TargetId | None]] = {}
        self._pages: dict[TargetId, PageAttachment] = {}
        self._expected: list[ExpectedDownload] = []
        #: Browser context → how many expect one there.
        self._leases: dict[ContextId | None, int] = {}
        self._setting = trio.Lock()
        self._folder: Path | None = None
        self.count: int = 0

    def follow(self, page: PageAttachment) -> None:
        """A page whose downloads are told apart."""
        self._pages = {id_: one for id_, one in self._pages.items() if one.root.session.ended != "detached"}
        self._pages[page.target_id] = page

    def since(self, mark: int, target_id: TargetId) -> list[Download]:
        """The downloads of a page that were announced since `count` was `mark`, refused ones included.

        Those of tabs that the page opened count as its own, as long as such a tab has not been asked for.
        """
        new = self.count - mark
        heard = list(self._heard.values())[-new:] if new > 0 else []
        return [download for download, owner in heard if owner == target_id]

    def expects(self, target_id: TargetId) -> bool:
        """Whether a block of `Page.expect_download` is waiting on this page."""
        return any(one.page.target_id == target_id for one in self._expected)

    def refused_for(self, target_id: TargetId) -> bool:
        """Whether the browser refuses a page's downloads that no block expects.

        It does in a browser or a browser context of ours. Elsewhere the setting is that of other people's
        tabs, too, and is left alone: the browser saves what comes in its own folder, or asks.
        """
        return self._denied_in(self._tabs.context_of(target_id))

    def _denied_in(self, context: ContextId | None) -> bool:
        return self._process is not None or context in self._own_contexts

    def take(self, method: str, params: dict[str, Any]) -> None:
        """Take one of `DOWNLOAD_EVENTS`. Called by the reader."""
        if method == "Browser.downloadProgress":
            self.progressed(params)
            return
        owner = self._owner(FrameId(params["frameId"]))
        self.began(params, owner)
        guid = params["guid"]
        if self._leases and all(one.download.guid != guid for one in self._expected):
            # A short one may be complete before that; then it goes with the private folder.
            download, _ = self._heard[guid]
            self._cancel(download, owner)
            download.state = "failed"

    def _cancel(self, download: Download, page: PageAttachment | None) -> None:
        context = None if page is None else self._tabs.context_of(page.target_id)
        params = {"guid": download.guid, **in_context(context)}
        self._root.post("Browser.cancelDownload", params, ignore_reply)

    def _owner(self, frame: FrameId) -> PageAttachment | None:
        """The page that a frame is of, or whose popup it is the frame of."""
        if self._only_target is not None:
            return self._pages.get(self._only_target)
        for page in self._pages.values():
            if page.session_with(frame) is not None:
                return page
        tab = self._tabs.get(TargetId(frame))
        return None if tab is None or tab.opener is None else self._pages.get(tab.opener)

    def began(self, params: dict[str, Any], page: PageAttachment | None) -> None:
        """A download is announced, once or twice; the first time it is given to who expects it."""
        guid = params["guid"]
        if guid in self._heard:
            return
        expected = next(
            (one for one in self._expected if one.page is page and one.download.guid is None), None
        )
        download = Download() if expected is None else expected.download
        if expected is not None:
            expected.drops = self._root.connection.drops
        download.guid, download.url, download.state = guid, params["url"], "running"
        download.suggested_name = make_file_name(params["suggestedFilename"])
        self._heard[guid] = download, None if page is None else page.target_id
        self.count += 1
        for old in list(self._heard)[:-_REMEMBERED]:
            del self._heard[old]
        if page is not None:
            page.notify()

    def progressed(self, params: dict[str, Any]) -> None:
        """A download has got on, or has ended."""
        download, _ = self._heard.get(params["guid"], (None, None))
        if download is None or download.ended:
            return
        download.received = int(params["receivedBytes"])
        download.total = int(params["totalBytes"]) or download.total
        state = params["state"]
        if state != "inProgress":
            download.state = "complete" if state == "completed" else "failed"
        for one in self._expected:
            if one.download is download:
                self._check_size(one)
                one.page.notify()

    def _check_size(self, one: ExpectedDownload) -> None:
        most, download = one.max_bytes, one.download
        if most is None or one.too_large or max(download.received, download.total or 0) <= most:
            return
        one.too_large = True
        self._cancel(download, one.page)

    @contextlib.asynccontextmanager
    async def expecting(
        self, page: PageAttachment, max_bytes: int | None, deadline: Deadline
    ) -> AsyncIterator[ExpectedDownload]:
        """Let the next download of a page come. Nothing is left in the private folder, whatever ends it."""
        expected = ExpectedDownload(page, max_bytes, self._root.connection.drops)
        context = self._tabs.context_of(page.target_id)
        await self._take_lease(context, deadline)
        try:
            self._expected.append(expected)
            try:
                yield expected
            finally:
                with trio.CancelScope(shield=True):
                    await self._let_go(expected)
                self._expected.remove(expected)
        finally:
            with trio.CancelScope(shield=True):
                async with self._setting:
                    await self._given_back(context)

    async def _let_go(self, expected: ExpectedDownload) -> None:
        download, page = expected.download, expected.page
        if download.guid is None:
            return
        if not download.ended:
            self._cancel(download, page)
            if expected.drops == self._root.connection.drops:  # or else nothing more is heard of it
                await page.wait_until(lambda: download.ended, Deadline.after(_END_SECONDS))
        await trio.to_thread.run_sync(_remove, self.private_path(download))

    def private_path(self, download: Download) -> Path:
        """Where the browser puts it."""
        assert self._folder is not None, "only while a download is expected"
        assert download.guid is not None, "only of what has begun"
        return self._folder / Path(download.guid).name

    async def _take_lease(self, context: ContextId | None, deadline: Deadline) -> None:
        """Have downloads of a browser context saved in the private folder."""
        async with self._setting:
            self._leases[context] = self._leases.get(context, 0) + 1
            try:
                if self._folder is None:
                    near = None if self._process is None else self._process.folder
                    make = functools.partial(tempfile.mkdtemp, prefix="hybridsnap-downloads-", dir=near)
                    self._folder = Path(await trio.to_thread.run_sync(make))
                # Set anew each time: another client's end may have changed it.
                await self._set(context, self._taking(), deadline)
            except BaseException:
                with trio.CancelScope(shield=True):
                    await self._given_back(context)
                raise

    async def _given_back(self, context: ContextId | None) -> None:
        self._leases[context] -= 1
        if self._leases[context]:
            return
        del self._leases[context]
        ours = self._denied_in(context)
        back = {"behavior": "deny" if ours else "default", "eventsEnabled": ours}
        with contextlib.suppress(CommandError, ConnectionLost, SessionEnded):
            await self._set(context, back, Deadline.after(_END_SECONDS))
        if not self._leases and self._folder is not None:
            await trio.to_thread.run_sync(_empty_folder, self._folder)

    def renew(self) -> None:
        """Set again what ended with a connection that has dropped."""
        for context in {*self._own_contexts, *self._leases}:
            self._post(context, self._taking() if context in self._leases else _DENYING)

    def deny(self, context: ContextId | None = None) -> None:
        """Have downloads of a browser context refused from now on, unless expected. Never waits."""
        self._post(context, _DENYING)

    def _taking(self) -> dict[str, Any]:
        """Save downloads in the private folder."""
        return {"behavior": "allowAndName", "downloadPath": str(self._folder), "eventsEnabled": True}

    async def clean_up(self) -> None:
        """Remove the private folder, also when cancelled. In a browser of ours it goes with the browser.

        Not before the connection's end: the browser may make it anew for a download that was cancelled as it
        began (measured).
        """
        if self._folder is not None:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(
                    functools.partial(shutil.rmtree, self._folder, ignore_errors=True)
                )
            self._folder = None

    async def _set(self, context: ContextId | None, behaviour: dict[str, Any], deadline: Deadline) -> None:
        await self._root.send(_SET, {**behaviour, **in_context(context)}, deadline=deadline)

    def _post(self, context: ContextId | None, behaviour: Mapping[str, Any]) -> None:
        self._root.post(_SET, {**behaviour, **in_context(context)}, ignore_reply)


def _remove(path: Path) -> None:
    for leftover in (path, path.with_name(f"{path.name}.crdownload")):
        with contextlib.suppress(OSError):
            leftover.unlink()


def _empty_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            _remove(path)
