"""What a tab's profile and its frames keep, as far as it may be shown and changed: for all faces of a server.

A profile also holds what other pages left: cookies of refused hosts and the storage of refused origins are
neither shown nor changed, whatever tab is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from hybridsnap.drivers.base import unanswered
from hybridsnap.errors import CommandUnanswered
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from hybridsnap.client.profile_storage import Area
    from hybridsnap.client.storage_state import Cookie, StorageState
    from hybridsnap.deadline import Deadline
    from hybridsnap.service.content_policy import CheckedTab, ContentPolicy

#: Of other schemes nothing is stored that could be held against the rules.
_SCHEMES = ("http://", "https://", "file://")
#: A cookie is gone at this moment.
_LONG_AGO = 1


class CookieEntry(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """A cookie to be set, with Playwright's names; `url` or `domain` says whose it is.

    Attributes:
        expires: in seconds since 1970; -1, or left out: when the browser ends.
    """

    name: str
    value: str
    url: str | UnsetType = UNSET
    domain: str | UnsetType = UNSET
    path: str | UnsetType = UNSET
    expires: float | UnsetType = UNSET
    http_only: bool | UnsetType = UNSET
    secure: bool | UnsetType = UNSET
    same_site: Literal["Strict", "Lax", "None"] | UnsetType = UNSET


class CookieFilter(NamedTuple):
    """Which cookies are meant: those that match everything given.

    Attributes:
        urls: those that a request to one of these carries.
        domain: of this host and of hosts below it.
        name, path: as they are.
    """

    urls: str | Sequence[str] | None = None
    domain: str | None = None
    name: str | None = None
    path: str | None = None


class Stored:
    """What a tab's profile and its frames keep."""

    def __init__(self, content: ContentPolicy, tab: CheckedTab, deadline: Deadline) -> None:
        self._content = content
        self._tab = tab
        self._deadline = deadline
        self._storage = tab.page.storage

    async def cookies(self, wanted: CookieFilter) -> tuple[list[Cookie], int]:
        """Cookies of the profile, and how many more there are, of hosts that the rules refuse.

        Raises:
            ApiError: what the tab shows may not be returned.
            ValueError: a URL is none.
        """
        await self._content.check(self._tab, self._deadline)
        found = await self._storage.cookies(wanted.urls, timeout=self._deadline)
        found = [one for one in found if _matches(one, wanted)]
        shown = await self._shown_cookies(found)
        return shown, len(found) - len(shown)

    async def set_cookies(self, cookies: Sequence[Cookie]) -> int:
        """Set cookies; how many.

        Raises:
            ApiError: one is of a host that the rules refuse; none is set then.
            ValueError, TypeError: a cookie lacks something.
            CommandRefused: the browser refuses one.
        """
        await self._content.check(self._tab, self._deadline)
        for one in cookies:
            for address in self._told_addresses(one):
                await self._content.addresses.check_shown([address], self._deadline)
        await self._storage.set_cookies(cookies, timeout=self._deadline)
        return len(cookies)

    async def clear_cookies(self, wanted: CookieFilter) -> int:
        """Delete cookies; how many there were. Those of refused hosts stay."""
        found, _ = await self.cookies(wanted)
        expired: list[Any] = [{**one, "expires": _LONG_AGO} for one in found]
        await self._storage.set_cookies(expired, timeout=self._deadline)
        return len(found)

    async def origins(self) -> list[str]:
        """Origins of the tab's frames whose storage may be shown, the main frame's first."""
        found, may = await self._origins()
        return [one for one in found if one in may]

    async def items(self, area: Area, origin: str | None) -> tuple[str, dict[str, str]]:
        """An origin, and the items of one of its areas.

        Args:
            area: ``local`` or ``session``.
            origin: of a frame of the tab; None for the main frame's.

        Raises:
            ApiError: no frame has this origin, or it may not be shown.
            CommandRefused: the frame has no storage.
        """
        origin = await self._origin(origin)
        return origin, await self._storage.items(area, origin=origin, timeout=self._deadline)

    async def set_items(self, items: Mapping[str, str], area: Area, origin: str | None) -> str:
        """Set items, others stay; of which origin. Arguments and errors as `items`."""
        origin = await self._origin(origin)
        await self._storage.set_items(items, area, origin=origin, timeout=self._deadline)
        return origin

    async def clear_items(self, names: Sequence[str] | None, area: Area, origin: str | None) -> str:
        """Remove items, all where no names are given; of which origin. Arguments and errors as `items`."""
        origin = await self._origin(origin)
        await self._storage.clear_items(names, area, origin=origin, timeout=self._deadline)
        return origin

    async def databases(self, origin: str | None) -> tuple[str, list[str]]:
        """An origin, and the names of its IndexedDB databases. Arguments and errors as `items`."""
        origin = await self._origin(origin)
        return origin, await self._storage.databases(origin=origin, timeout=self._deadline)

    async def grant(self, permissions: Sequence[str], origin: str | None) -> str:
        """Grant permissions to an origin of the tab, which loses all others; to which.

        Raises:
            ApiError: no frame has this origin, or it may not be shown.
            CommandRefused: the browser knows no such permission.
        """
        origin = await self._origin(origin)
        await self._storage.grant_permissions(permissions, origin=origin, timeout=self._deadline)
        return origin

    async def reset_permissions(self) -> None:
        """Take back all permissions that were granted in the profile."""
        await self._content.check(self._tab, self._deadline)
        await self._storage.reset_permissions(timeout=self._deadline)

    async def state(self, origins: Sequence[str] = ()) -> tuple[StorageState, int]:
        """The profile's state in Playwright's format, and how many cookies and origins it leaves out.

        Args:
            origins: further origins whose local storage is wanted.

        Raises:
            ApiError: one of these may not be shown, or a tab of the profile does not answer.
            CommandUnanswered: a dialog is open on the tab.
        """
        await self._content.check(self._tab, self._deadline)
        for one in origins:
            await self._content.addresses.check_url(one, self._deadline)
        try:
            state = await self._storage.state(origins=origins, timeout=self._deadline)
        except CommandUnanswered as error:  # its words name a tab that may be another's
            if self._tab.page.dialogs:
                raise unanswered("storage state", "dialog") from error
            raise ApiError(
                504,
                "StateUnread",
                "a tab of the profile does not answer, so its local storage cannot be read",
                "close the tab that hangs, or allow more time",
            ) from error
        return await self._shown_state(state)

    async def restore(self, state: StorageState | Path) -> tuple[StorageState, int]:
        """Put a state into the profile: the state, and how much of it was left out, being of refused hosts.

        Raises:
            ValueError: it is no such state.
            OSError: the file cannot be read.
        """
        from hybridsnap.client.storage_state import load_state  # noqa: PLC0415 - only here

        await self._content.check(self._tab, self._deadline)
        shown, hidden = await self._shown_state(await load_state(state))
        await self._storage.restore(shown, timeout=self._deadline)
        return shown, hidden

    async def _shown_state(self, state: StorageState) -> tuple[StorageState, int]:
        cookies = await self._shown_cookies(state["cookies"])
        may = await self._may_show([one["origin"] for one in state["origins"]])
        origins = [one for one in state["origins"] if one["origin"] in may]
        hidden = len(state["cookies"]) + len(state["origins"]) - len(cookies) - len(origins)
        return {"cookies": cookies, "origins": origins}, hidden

    async def _shown_cookies(self, found: Sequence[Cookie]) -> list[Cookie]:
        addresses = [self._told_addresses(one) for one in found]
        may = await self._may_show([one for its in addresses for one in its])
        return [one for one, its in zip(found, addresses, strict=True) if may.issuperset(its)]

    async def _may_show(self, addresses: Sequence[str]) -> set[str]:
        known = [one for one in addresses if one.startswith(_SCHEMES)]
        return await self._content.addresses.may_show(known, self._deadline)

    def _told_addresses(self, cookie: Cookie) -> list[str]:
        """What a cookie tells of. It belongs to its host at every port, so to one that is exempt, too."""
        exempt = {host: f"http://{host}:{port}/" for host, port in self._content.addresses.rules.exempt}
        host = cookie.get("domain", "").lstrip(".")
        return [exempt[host], *_addresses_of(cookie)[1:]] if host in exempt else _addresses_of(cookie)

    async def _origin(self, origin: str | None) -> str:
        found, may = await self._origins()
        wanted = found[0] if origin is None and found else origin
        if wanted is not None and wanted in may:
            return wanted
        known = ", ".join(one for one in found if one in may) or "none"
        words = "the page has no storage" if origin is None else f"{origin[:200]}: no frame has this origin"
        raise ApiError(404, "OriginUnknown", f"{words} that may be used here", f"its origins are: {known}")

    async def _origins(self) -> tuple[list[str], set[str]]:
        """Origins of the tab's frames, the main frame's first, and those of them that may be shown."""
        await self._content.check(self._tab, self._deadline)
        found = await self._storage.origins(timeout=self._deadline)
        return found, await self._may_show(found)


def _matches(cookie: Cookie, wanted: CookieFilter) -> bool:
    host = cookie["domain"].lstrip(".").lower()
    domain = None if wanted.domain is None else wanted.domain.lstrip(".").lower()
    return (
        (domain is None or host == domain or host.endswith(f".{domain}"))
        and wanted.name in {None, cookie["name"]}
        and wanted.path in {None, cookie["path"]}
    )


def _addresses_of(cookie: Cookie) -> list[str]:
    """Addresses that a cookie is of: its host's, and that of the site around it where it is partitioned."""
    host = cookie.get("domain", "").lstrip(".")
    own = f"https://{host}/" if host else cookie.get("url", "")
    partition = cookie.get("partitionKey")
    return [own, partition] if partition else [own]
