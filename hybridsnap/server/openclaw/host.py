"""What all of OpenClaw's requests share: tabs by their short names, dialogs by their ids, files."""

from __future__ import annotations

import contextlib
import dataclasses
import weakref
from typing import TYPE_CHECKING, Any

from hybridsnap.act.naming import is_selector
from hybridsnap.deadline import Deadline
from hybridsnap.errors import UnknownElement
from hybridsnap.server.openclaw.dialogs import PageDialogs
from hybridsnap.server.openclaw.news import News
from hybridsnap.server.openclaw.refusals import INVALID_URL, tab_not_found
from hybridsnap.server.openclaw.tab_names import TabNames
from hybridsnap.service.errors import ApiError
from hybridsnap.service.steps import read_action

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    import trio

    from hybridsnap.client.browser import Page
    from hybridsnap.server.control import Control
    from hybridsnap.server.openclaw.media import Media
    from hybridsnap.server.sessions import ClientSession, HeldTab
    from hybridsnap.service.browser_pool import PooledBrowser
    from hybridsnap.service.steps import ServedAction

#: What clients that name no profile of their own send.
DEFAULT_PROFILE = "openclaw"
#: The budget of a request that has none of its own, ms.
ACTION_MS = 60_000


@dataclasses.dataclass(slots=True)
class PageState:
    """What is kept of a page.

    Attributes:
        dialogs: its dialogs.
        news: what its snapshots have shown.
        upload: what waits for a file chooser: cancels it, and tells that it is over.
    """

    dialogs: PageDialogs
    news: News
    upload: tuple[trio.CancelScope, trio.Event] | None = None


class Host:
    """The server, as OpenClaw's requests use it.

    Args:
        control: what does the work.
        media: where pictures and the like are saved.
        nursery: for what outlives its request: answers that were armed.
    """

    def __init__(self, control: Control, media: Media, nursery: trio.Nursery) -> None:
        self.control = control
        self.media = media
        self.nursery = nursery
        self._names: weakref.WeakKeyDictionary[ClientSession, dict[str, TabNames]] = (
            weakref.WeakKeyDictionary()
        )
        self._pages: weakref.WeakKeyDictionary[Page, PageState] = weakref.WeakKeyDictionary()

    def browser(self, profile: str | None) -> PooledBrowser:
        """The browser that a profile means: a ``browserId``; the first one for OpenClaw's own default.

        Raises:
            ApiError: there is none of this name.
        """
        browsers = self.control.browsers
        known = {one.id for one in browsers}
        return browsers.find(None if profile == DEFAULT_PROFILE and profile not in known else profile)

    def names(self, session: ClientSession, pooled: PooledBrowser) -> TabNames:
        """The short names that a session's tabs in a browser have."""
        return self._names.setdefault(session, {}).setdefault(pooled.id, TabNames())

    def state(self, page: Page) -> PageState:
        """What is kept of a page."""
        if page not in self._pages:
            self._pages[page] = PageState(PageDialogs(), News())
        return self._pages[page]


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """One request.

    Attributes:
        host: the server.
        session: whose request it is.
        pooled: the browser that is meant.
        given: the fields of the route, read.
        data: all fields as they came.
        began: when its head had come, by `time.monotonic`.
    """

    host: Host
    session: ClientSession
    pooled: PooledBrowser
    given: Mapping[str, Any]
    data: Mapping[str, Any]
    began: float

    @property
    def names(self) -> TabNames:
        """The short names of the tabs."""
        return self.host.names(self.session, self.pooled)

    def deadline(self, milliseconds: float = ACTION_MS) -> Deadline:
        """A budget that began with the request."""
        return Deadline(self.began + milliseconds / 1000)

    async def check_url(self, deadline: Deadline) -> str:
        """The address that the request names.

        Raises:
            ApiError: it is none, or is refused.
        """
        try:
            return await self.host.control.addresses.check_url(self.given["url"], deadline)
        except ApiError as error:
            if error.status == 400:  # noqa: PLR2004 - HTTP's
                error.name = INVALID_URL
            raise

    async def tabs(self, deadline: Deadline) -> list[dict[str, Any]]:
        """The tabs that the session may use, with their short names."""
        control = self.host.control
        tabs = await control.list_tabs(self.pooled.id, self.session, deadline)
        names = self.names
        names.update([one["targetId"] for one in tabs])
        return [{**one, "type": "page", **names.of(one["targetId"])} for one in tabs]

    async def resolve(self, named: str, deadline: Deadline) -> str:
        """The target id that a name means.

        Raises:
            ApiError: no tab has it, or several.
        """
        await self._target_ids(deadline)
        return self.names.resolve(named)

    async def _target_ids(self, deadline: Deadline) -> list[str]:
        """The tabs that the session may use, by their ids; nothing is asked of the tabs themselves."""
        sessions = self.host.control.sessions
        ids = [str(one) for one in await (await self.pooled.get(deadline)).page_ids(timeout=deadline)]
        ids = [one for one in ids if sessions.visible(self.session, self.pooled, one)]
        self.names.update(ids)
        return ids

    async def tab(self, deadline: Deadline, named: str | None = None) -> HeldTab:
        """The tab that is meant: the one that is named, the last one that was used, the first, or a new one.

        Raises:
            ApiError: there is no such tab, or several may be meant.
        """
        control, names = self.host.control, self.names
        named = named or self.given.get("targetId")
        ids = await self._target_ids(deadline)
        if named is not None:
            target_id = names.resolve(named)
        elif names.last is not None:
            target_id = names.last
            if target_id not in names:
                raise tab_not_found(target_id)
        elif ids:
            own = {str(one.page.target_id) for one in self.session.own(self.pooled)}
            target_id = next((one for one in ids if one in own), ids[0])
        else:
            held = await control.sessions.open_tab(self.session, self.pooled, deadline)
            names.use(str(held.page.target_id))
            return held
        held = await control.find_tab(self.pooled.id, target_id, self.session, deadline)
        names.use(target_id)
        return held

    async def here(self, milliseconds: float = ACTION_MS) -> tuple[HeldTab, Deadline]:
        """The tab that is meant, and a budget that began with the request. Errors as `tab`."""
        deadline = self.deadline(milliseconds)
        return await self.tab(deadline), deadline

    async def do(self, held: HeldTab, data: dict[str, Any], deadline: Deadline) -> None:
        """Do an action of ours in a tab, when the other requests for its page are done."""
        action = read_step(data)
        async with self.host.control.locks.hold(held.page, deadline):
            await self.host.control.perform(held, action, deadline)

    @contextlib.asynccontextmanager
    async def checked(self, held: HeldTab, deadline: Deadline) -> AsyncIterator[Page]:
        """Use a tab's page in the block, when the other requests for it are done, as far as what it shows may
        be returned.

        Raises:
            ApiError: it may not.
        """
        control = self.host.control
        async with (
            control.locks.hold(held.page, deadline),
            control.content.checked(held, deadline) as page,
        ):
            yield page


def done_in(held: HeldTab, **fields: Any) -> dict[str, Any]:
    """What answers begin with: that it was done, and in which tab."""
    return {"ok": True, "targetId": str(held.page.target_id), **fields}


def done(held: HeldTab, **fields: Any) -> dict[str, Any]:
    """What most answers begin with: where the tab is, too."""
    return done_in(held, url=held.page.url, **fields)


def named_ref(named: str) -> str:
    """A ref as ours are written: a bare number is one, too.

    Raises:
        UnknownElement: it is none; it is not taken for a selector.
    """
    ref = f"e{named}" if named.isascii() and named.isdigit() else named
    if is_selector(ref):
        raise UnknownElement(f"{named!r} is not a ref of a snapshot", element_id=named[:60])
    return ref


def read_step(data: dict[str, Any]) -> ServedAction:
    """An action of ours out of its data.

    Raises:
        ValueError: a value means nothing.
    """
    return read_action(data, tabs="a request is for one tab")
