"""What a page's frames keep, beside what its profile does: items of web storage, databases' names."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hybridsnap.client.profile_storage import Area, ProfileStorage, Store, stores_in
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.text import SURROGATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.client.page_context import PageContext


class Storage(ProfileStorage):
    """`Page.storage`: what the page's profile keeps, and what its frames' origins do."""

    def __init__(self, context: PageContext) -> None:
        browser = context.browser
        super().__init__(
            browser.session if browser.only_target is None else None,
            functools.partial(browser.tabs.context_of, context.target_id),
            context.session,
        )
        self._attachment = context.attachment

    async def origins(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> list[str]:
        """The origins of the page's frames, the main frame's first, each once."""
        found = await self._stores(Deadline.of(timeout))
        return list(dict.fromkeys(one.origin for one in found))

    async def items(
        self,
        area: Area = "local",
        *,
        origin: str | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> dict[str, str]:
        """What ``localStorage`` or ``sessionStorage`` holds.

        Args:
            area: ``local`` or ``session``.
            origin: of a frame of the page; None for the main frame's. The storage of a frame of another site
                is its share on this page: browsers partition it.
            timeout: seconds.

        Raises:
            ValueError: no frame of the page has this origin.
            CommandRefused: the frame has no storage (it is sandboxed, or a ``data:`` document).
        """
        deadline = Deadline.of(timeout)
        _check_area(area)
        store = await self._store(origin, deadline)
        return await store.items(area, deadline)

    async def set_items(
        self,
        items: Mapping[str, str],
        area: Area = "local",
        *,
        origin: str | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> None:
        """Set items; others stay as they are.

        Args:
            items: name → value, both strings.
            area: ``local`` or ``session``.
            origin: as `items`.
            timeout: seconds.

        Raises:
            ValueError: no frame of the page has this origin.
            ValueError: a name or a value holds half a surrogate pair.
            TypeError: a name or a value is not a string.
        """
        given: Mapping[Any, Any] = items
        _check_area(area)
        if not isinstance(given, Mapping):
            raise TypeError(f"items: expected a dict of names and values, got {items!r}")
        for name, value in given.items():
            if not isinstance(name, str) or not isinstance(value, str):
                raise TypeError(f"expected strings as name and value of an item, got {name!r}: {value!r}")
            if SURROGATE.search(name) or SURROGATE.search(value):
                raise ValueError(f"item {name!r}: half a surrogate pair is not Unicode, and cannot be stored")
        deadline = Deadline.of(timeout)
        store = await self._store(origin, deadline)
        for name, value in items.items():
            await store.send("setDOMStorageItem", area, deadline, key=name, value=value)

    async def clear_items(
        self,
        names: Sequence[str] | None = None,
        area: Area = "local",
        *,
        origin: str | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> None:
        """Remove items.

        Args:
            names: a list of those to be removed; None removes all.
            area: ``local`` or ``session``.
            origin: as `items`.
            timeout: seconds.

        Raises:
            ValueError: no frame of the page has this origin.
            TypeError: names is no list of str.
        """
        if isinstance(names, str) or not all(isinstance(one, str) for one in names or ()):
            raise TypeError(f"names: expected a list of str such as ['theme'], got {names!r}")
        deadline = Deadline.of(timeout)
        store = await self._store(origin, deadline)
        if names is None:
            await store.send("clear", _check_area(area), deadline)
            return
        for name in names:
            await store.send("removeDOMStorageItem", _check_area(area), deadline, key=name)

    async def databases(
        self, *, origin: str | None = None, timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> list[str]:
        """Names of an origin's IndexedDB databases.

        Args:
            origin: as `items`.
            timeout: seconds.

        Raises:
            ValueError: no frame of the page has this origin.
        """
        deadline = Deadline.of(timeout)
        store = await self._store(origin, deadline)
        reply = await store.session.send(
            "IndexedDB.requestDatabaseNames", {"storageKey": store.key}, deadline=deadline
        )
        return list(reply["databaseNames"])

    async def _stores(self, deadline: Deadline) -> list[Store]:
        with self._attachment.not_behind_dialog("Page.getFrameTree", deadline):
            sessions = [one.session for one in self._attachment]
            return [store for session in sessions for store in await stores_in(session, deadline)]

    async def _store(self, origin: str | None, deadline: Deadline) -> Store:
        stores = await self._stores(deadline)
        wanted = stores[0].origin if origin is None and stores else origin
        found = next((one for one in stores if one.origin == wanted), None)
        if found is None:
            if not stores:
                raise ValueError("no frame of the page has storage: a data: or sandboxed document has none")
            known = ", ".join(dict.fromkeys(one.origin for one in stores))
            raise ValueError(f"no frame of the page has the origin {origin}; its origins are: {known}")
        return found


def _check_area(area: Area) -> Area:
    if area not in {"local", "session"}:
        raise ValueError(f"expected local or session as area, got {area!r}")
    return area
