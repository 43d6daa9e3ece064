"""Whether content of a tab may be returned: its documents, held against the rules on addresses.

A browser that the service launched connects through `hybridsnap.service.egress_proxy`, so it shows no web
address that the rules refuse. A running browser connects by itself: what its tabs show is checked before an
action and again before its result is returned. Files never pass a proxy, and are checked in both.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from typing import TYPE_CHECKING, Any

from hybridsnap.deadline import Deadline
from hybridsnap.errors import CommandError, ConnectionLost, HybridsnapError, NavigationFailed, SessionEnded
from hybridsnap.model import ERROR_PAGE
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Sequence

    from hybridsnap.client.browser import Page
    from hybridsnap.client.connection import Session
    from hybridsnap.service.addresses import AddressPolicy
    from hybridsnap.service.browser_pool import PooledBrowser
    from hybridsnap.service.egress_proxy import EgressProxy
    from hybridsnap.snapshot import Snapshot

#: For asking what a tab shows when a request has used up its time, seconds: the result of what was done must
#: not be lost for that. A stuck page leaves most of it to the browser, which answers in a few milliseconds.
_CHECKING_SECONDS = 0.5
#: So many tabs that belong to no client are remembered.
_MOST_TABS = 10_000
#: Errors of a tab that is gone say nothing of its content.
_SAY_NOTHING = (ConnectionLost, SessionEnded)
#: The browser's words for "the proxy did not connect".
_PROXY_REFUSED = ("net::ERR_SOCKS_CONNECTION_FAILED", "net::ERR_SOCKS_CONNECTION_HOST_UNREACHABLE")
#: So long a process may take to say which frames it has, seconds. One that is stuck hands nothing out.
_PATIENCE = 1.0
#: And so much of a request's budget.
_SHARE = 0.2


@dataclasses.dataclass(frozen=True, slots=True)
class Document:
    """A document that a tab shows.

    Attributes:
        url: where it is.
        loader_id: which it is; None where that is not known.
        unreachable_url: the address whose failure it reports, when it is the browser's error page.
    """

    url: str
    loader_id: str | None
    unreachable_url: str = ""


@dataclasses.dataclass(slots=True)
class SeenDocuments:
    """Which documents of a tab were there before any client used it.

    Attributes:
        enforced: every document is held against the rules. Not so in a tab that another client brought to
            where it is, as long as it stays there.
        initial: loader id → address, as last seen, of what the tab showed when it was first asked; None
            before.
        initial_urls: addresses of what it showed then without a known loader id.
    """

    enforced: bool
    initial: dict[str, str] | None = None
    initial_urls: set[str] = dataclasses.field(default_factory=set)

    def to_check(self, shown: Sequence[Document]) -> list[str]:
        """Record what the tab shows, and return what has to be held against the rules.

        Args:
            shown: the main document first.

        Returns:
            The address of each, "" for what was there before and is exempt.
        """
        if self.initial is None:
            self.initial = {one.loader_id: "" for one in shown if one.loader_id is not None}
            self.initial_urls = {_without_fragment(one.url) for one in shown if one.loader_id is None}
        was_there = [self._was_there(one) for one in shown]
        # Without a loader id it may be there still: another address is one that the document gave itself.
        self.enforced |= not was_there[0] and shown[0].loader_id is not None
        return [
            "" if known and not self.enforced else one.url
            for one, known in zip(shown, was_there, strict=True)
        ]

    def is_known(self, url: str) -> bool:
        """Whether this is the address of a document that was there before; all are until the tab is asked."""
        return self.initial is None or _without_fragment(url) in {*self.initial.values(), *self.initial_urls}

    def _was_there(self, one: Document) -> bool:
        if one.loader_id is None:
            return self.is_known(one.url)
        assert self.initial is not None
        if _without_fragment(one.url) in self.initial_urls and one.loader_id not in self.initial:
            self.initial_urls.discard(_without_fragment(one.url))  # its loader id is known now
        elif one.loader_id not in self.initial:
            return False
        self.initial[one.loader_id] = _without_fragment(one.url)
        return True


class SeenTabs:
    """`SeenDocuments` of the tabs that belong to no client, shared by all clients that use them."""

    def __init__(self) -> None:
        #: By browser id and target id; closed tabs too, for the tabs that they opened.
        self._seen: dict[tuple[str, str], SeenDocuments] = {}

    def documents_of(self, browser: PooledBrowser, target_id: str, *, own: bool) -> SeenDocuments:
        """What is exempt in a tab: nothing in a client's own."""
        if own:
            return SeenDocuments(enforced=True)
        key = (browser.id, target_id)
        seen = self._seen.setdefault(key, SeenDocuments(self.led(browser, target_id)))
        for oldest in list(self._seen)[:-_MOST_TABS]:
            del self._seen[oldest]
        return seen

    def led(self, browser: PooledBrowser, target_id: str, url: str | None = None) -> bool:
        """Whether a client may have led such a tab to where it is: to `url`, when that is known."""
        known = self._seen.get((browser.id, target_id))
        if known is not None:
            return known.enforced or (url is not None and not known.is_known(url))
        return any((browser.id, one) in self._seen for one in browser.openers(target_id))


@dataclasses.dataclass(slots=True, eq=False, kw_only=True)
class CheckedTab:
    """A tab whose content is held against the rules.

    Attributes:
        page: the tab.
        proxied: its browser connects through the service's own proxy.
        seen: which of its documents are exempt.
    """

    page: Page
    proxied: bool
    seen: SeenDocuments

    @property
    def is_checked(self) -> bool:
        """Whether the tab has to be asked what it shows."""
        return not self.proxied or self.page.url.startswith("file:")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ContentPolicy:
    """Holds what tabs show against the rules.

    Attributes:
        addresses: which addresses are allowed.
        proxy: that browsers of the service connect through; None where every address is allowed.
    """

    addresses: AddressPolicy
    proxy: EgressProxy | None

    @contextlib.asynccontextmanager
    async def checking_errors(self, tab: CheckedTab, deadline: Deadline) -> AsyncIterator[None]:
        """Let an error in a tab pass only where a result would be returned: it quotes the page.

        An address that the proxy refused is reported as such, not as a failed connection.
        """
        began = time.monotonic()
        try:
            yield
        except Exception as error:
            proxy = self.proxy if tab.proxied else None
            refused = None if proxy is None else proxy.refusal_since(began)
            if refused is not None and isinstance(error, NavigationFailed) and error.reason in _PROXY_REFUSED:
                raise refused from error
            if not isinstance(error, _SAY_NOTHING):
                try:
                    await self.check_done(tab, deadline)
                except ApiError as hidden:
                    hidden.fields["failed"] = type(error).__name__  # all of it that quotes nothing
                    raise
            raise

    @contextlib.asynccontextmanager
    async def checked(self, tab: CheckedTab, deadline: Deadline) -> AsyncIterator[Page]:
        """Use a tab's page in the block, as far as what it shows, before and after, may be returned.

        Raises:
            ApiError: it may not.
        """
        await self.check(tab, deadline)
        async with self.checking_errors(tab, deadline):
            yield tab.page
        await self.check_done(tab, deadline)

    async def check(self, tab: CheckedTab, deadline: Deadline, snapshot: Snapshot | None = None) -> None:
        """Hold what a tab, or a snapshot of it, shows against the rules.

        Raises:
            ApiError: it may not be returned.
        """
        if not tab.is_checked:
            return
        page, seen = tab.page, tab.seen
        shown = [Document(page.url, None)]
        # A picture shows the frames, too, that are left out of the outline, and what is in them.
        is_all = snapshot is None or snapshot.screenshot is not None
        if not seen.enforced or (is_all and (self.addresses.rules.filters or page.url.startswith("file:"))):
            shown = await shown_documents(page, deadline)
        urls = seen.to_check(shown)
        try:
            if is_all:
                await self.addresses.check_shown(urls, deadline)
            if snapshot is not None:
                urls = seen.to_check([*_documents_of(snapshot), *dialog_documents(page)])
                await self.addresses.check_shown(urls, deadline)
        except ApiError as refused:
            refused.remedy += "; go to another address in this tab, or close it"
            raise

    async def captured(self, tab: CheckedTab, deadline: Deadline, capture: Awaitable[Snapshot]) -> Snapshot:
        """The snapshot that a capture of a tab gives, as far as what it shows may be returned.

        The tab is checked when the capture fails, too: the report holds content, such as a dialog's message.

        Raises:
            ApiError: it may not.
        """
        try:
            snapshot = await capture
        except Exception as error:
            if not isinstance(error, _SAY_NOTHING):
                await self.check(tab, checking_time(deadline))
            raise
        await self.check(tab, checking_time(deadline), snapshot)
        return snapshot

    async def check_done(self, tab: CheckedTab, deadline: Deadline, downloads: Sequence[str] = ()) -> None:
        """`check` after an action, and of the addresses of the downloads that it began.

        Raises:
            ApiError: the result may not be returned; ``done`` in its fields is true.
        """
        until = checking_time(deadline)
        try:
            await self.check(tab, until)
            if downloads and not tab.proxied:
                # The empty main document: a download is not shown by the tab.
                await self.addresses.check_shown(["", *downloads], until)
        except ApiError as refused:
            refused.fields["done"] = True
            raise
        except HybridsnapError as error:
            raise ApiError(
                504,
                "AddressUnknown",
                f"it was done, but where it led cannot be told, nor held against the rules: {error}",
                "take a snapshot to see the effect; repeating the request would repeat the action",
                fields={"done": True},
            ) from error

    async def refusals(
        self, tab: CheckedTab, deadline: Deadline, snapshot: Snapshot | None = None
    ) -> list[ApiError]:
        """Why a tab, or a frame in a snapshot of it, holds the browser's error page: addresses that the
        rules refuse.

        Cost: nothing, unless there is such a page; then one round trip, and perhaps look-ups of hosts.
        """
        urls = [tab.page.url] if snapshot is None else [frame.url for frame in snapshot.report.frames]
        if not any(url.startswith(ERROR_PAGE) for url in urls):
            return []
        found: dict[str, ApiError] = {}
        with contextlib.suppress(CommandError):
            for one in await shown_documents(tab.page, checking_time(deadline)):
                if one.unreachable_url and one.unreachable_url not in found:
                    try:
                        await self.addresses.check_url(one.unreachable_url, checking_time(deadline))
                    except ApiError as refused:
                        found[one.unreachable_url] = refused
                    except NavigationFailed:
                        continue  # it failed for another reason
        return list(found.values())


def checking_time(deadline: Deadline) -> Deadline:
    """The deadline, or a later one when hardly any time is left."""
    own = Deadline.after(_CHECKING_SECONDS)
    return own if deadline.earlier(own) is deadline else deadline


def _without_fragment(url: str) -> str:
    """An address without its fragment, which is not always known."""
    return url.partition("#")[0]


def _documents_of(snapshot: Snapshot) -> list[Document]:
    main, *others = snapshot.report.frames
    is_all = snapshot.screenshot is not None
    shown = (Document(one.url, one.loader_id) for one in others if is_all or one.status != "excluded")
    return [Document(snapshot.report.url, main.loader_id), *shown]


async def shown_documents(page: Page, deadline: Deadline) -> list[Document]:
    """The documents of all frames, the main one first.

    A process that does not answer (it is stuck, or a dialog is open) counts as the one frame that the browser
    knows it for, and as those whose dialogs are open.

    Raises:
        CommandError, ConnectionLost: not even the browser answers.
    """
    await page.browser.connection.stand(deadline)
    main = Document(page.url, None)
    documents = []
    for session in page.sessions:
        try:
            left = [await _frame_tree(session, deadline, is_held_up=bool(page.dialogs))]
        except SessionEnded:
            continue  # and its frames with it
        if session is page.sessions[0]:
            main = Document(page.url, left[0]["frame"].get("loaderId"))
        while left:
            tree = left.pop()
            frame = tree["frame"]
            failed = frame.get("unreachableUrl", "")
            documents.append(Document(str(frame["url"]), frame.get("loaderId"), failed))
            left += tree.get("childFrames", ())
    return [main, *documents, *dialog_documents(page)]


def dialog_documents(page: Page) -> list[Document]:
    """Those whose dialogs are open. Where only a dialog shows what a frame is, this tells it."""
    return [Document(dialog.url, None) for dialog in page.dialogs]


async def _frame_tree(session: Session, deadline: Deadline, *, is_held_up: bool) -> dict[str, Any]:
    """The frames of one process, as CDP has them."""
    if not is_held_up:
        patience = Deadline.after(_PATIENCE).earlier(deadline.share(_SHARE))
        try:
            return dict((await session.send("Page.getFrameTree", deadline=patience))["frameTree"])
        except CommandError:
            pass
    info = await session.send("Target.getTargetInfo", deadline=deadline)  # asked of the browser itself
    return {"frame": {"url": info["targetInfo"]["url"]}}
