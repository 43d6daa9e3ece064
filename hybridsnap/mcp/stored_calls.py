"""The tools of what a page's profile keeps (cookies, web storage, logins), and of how the page is set up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from hybridsnap.client.devices import device_names
from hybridsnap.client.storage_state import state_bytes
from hybridsnap.errors import CommandRefused
from hybridsnap.json_data import to_json, to_json_text
from hybridsnap.mcp.call_base import ACTING_SHARE, CallBase
from hybridsnap.mcp.caps import SETTINGS
from hybridsnap.mcp.options import ToolError
from hybridsnap.mcp.results import Result
from hybridsnap.render.folds import MOST_CHARACTERS_PER_TOKEN
from hybridsnap.service.emulating import emulate
from hybridsnap.service.stored import CookieEntry, CookieFilter, Stored
from hybridsnap.text import clean_text, clip_text, excerpt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.client.storage_state import Cookie
    from hybridsnap.mcp import caps

#: Of one line so many characters are shown; of what is asked for by its name, as many as fit.
_LINE = 300
_JSON = ".json"


class StoredCalls(CallBase):
    """Calls that read and change what is kept, which take no turn as the page's script is not asked; and what
    the page is made to believe.
    """

    async def cookies(self, asked: caps.Cookies) -> Result:
        """List, set or clear cookies."""
        stored = await self._stored()
        result = Result()
        if asked.action == "set":
            if asked.cookies is UNSET:
                raise ToolError('cookies is missing: [{"name": …, "value": …}]')
            result.said.append(f"{await stored.set_cookies(self._with_url(asked.cookies))} set")
            return result
        if asked.cookies is not UNSET:
            raise ToolError("cookies is for the action set")
        wanted = self._cookie_filter(asked)
        if asked.action == "clear":
            result.said.append(f"{await stored.clear_cookies(wanted)} cleared")
            return result
        found, hidden = await stored.cookies(wanted)
        values = asked.values is not UNSET and asked.values
        most = _LINE if asked.name is UNSET else self._budget(asked) * MOST_CHARACTERS_PER_TOKEN
        lines = [clip_text(_cookie_line(one, values=values), most) for one in found]
        self._list(result, lines, self._budget(asked), "cookies")
        _tell_hidden(result, hidden)
        return result

    async def storage(self, asked: caps.WebStorage) -> Result:
        """Read, set or clear items of web storage."""
        stored = await self._stored()
        area = "local" if asked.area is UNSET else asked.area
        origin = None if asked.origin is UNSET else asked.origin
        names = None if asked.names is UNSET else asked.names
        if (asked.action == "set") != (asked.items is not UNSET):
            raise ToolError("items goes with the action set, and only with that")
        if asked.items is not UNSET:
            origin = await stored.set_items(asked.items, area, origin)
            return Result([f"{len(asked.items)} set"], [clean_text(origin)], {"origin": origin})
        if asked.action == "clear":
            origin = await stored.clear_items(names, area, origin)
            return Result(["cleared"], [clean_text(origin)], {"origin": origin})
        origin, items = await stored.items(area, origin)
        shown = items if names is None else {name: items[name] for name in names if name in items}
        most = _LINE if names is None else self._budget(asked) * MOST_CHARACTERS_PER_TOKEN
        lines = [f"{excerpt(name, _LINE)}: {excerpt(value, most)}" for name, value in shown.items()]
        result = Result()
        self._list(result, lines, self._budget(asked), "items")
        if missing := [name for name in names or () if name not in items]:
            result.said.append(f"not there: {', '.join(map(clean_text, missing))}")
        others = [one for one in await stored.origins() if one != origin]
        result.page.insert(0, f"{area}Storage of {clean_text(origin)}")
        if others:
            result.page.append(f"other origins: {', '.join(map(clean_text, others))}")
        return result

    async def storage_state(self, asked: caps.KeptState) -> Result:
        """Save or load a login."""
        if not asked.file.strip():
            raise ToolError("file is an empty text; give a file name such as login.json")
        stored, folders = await self._stored(), self._client.shared.folders
        if asked.action == "load":
            state, hidden = await stored.restore(folders.file_to_read(asked.file))
            result = Result(["loaded; reload to see its effect"])
        else:
            folders.download_folder(None)  # where nothing may be saved, nothing is read
            state, hidden = await stored.state()
            name = asked.file if asked.file.endswith(_JSON) else asked.file + _JSON
            path = folders.write_new(name, state_bytes(state))
            result = Result([f"saved: {path}"])
        counts = len(state["cookies"]), len(state["origins"])
        result.said.append(f"cookies: {counts[0]}; origins with local storage: {counts[1]}")
        _tell_hidden(result, hidden)
        return result

    async def permissions(self, asked: caps.Permissions) -> Result:
        """Grant permissions, or take them back."""
        stored = await self._stored()
        if (asked.action == "grant") != (asked.names is not UNSET):
            raise ToolError("names goes with the action grant, and only with that")
        if asked.names is UNSET:
            if asked.origin is not UNSET:
                raise ToolError("origin goes with grant; reset takes back all that was granted")
            await stored.reset_permissions()
            return Result(["taken back: all that was granted"])
        try:
            origin = await stored.grant(asked.names, None if asked.origin is UNSET else asked.origin)
        except CommandRefused as error:
            raise ToolError(
                f"names: {error}; such as geolocation, notifications, clipboard-read, camera"
            ) from None
        return Result(
            [f"granted: {', '.join(asked.names)}; others are denied there"],
            [clean_text(origin)],
            {"origin": origin},
        )

    async def emulate(self, asked: Any) -> Result:
        """Make settings, and take others back."""
        settings = asked.given(*SETTINGS)
        if not settings and not asked.given("reset", "device"):
            raise ToolError("give settings, a device, or reset: [] for all")
        reset = () if asked.reset is UNSET else asked.reset or True
        return await self._set(settings, reset=reset, **asked.given("device"))

    async def resize(self, asked: caps.Resize) -> Result:
        """Give the viewport a size."""
        return await self._set({"viewport": (asked.width, asked.height)})

    async def _set(self, settings: Mapping[str, Any], **others: Any) -> Result:
        async with self._turn() as tab:
            await self._content.check(tab, self.deadline)
            active = await emulate(tab.page, settings, self.deadline.share(ACTING_SHARE), **others)
        return Result([f"set now: {to_json_text(to_json(active))}" if active else "nothing is set now"])

    async def devices(self, asked: caps.ListDevices) -> Result:
        """The devices that `emulate` takes by name."""
        found = device_names("" if asked.text is UNSET else asked.text)
        if not found:
            raise ToolError(f"text: no device has {asked.text!r} in its name; leave it out for all")
        return Result([f"{len(found)} devices: {', '.join(found)}"])

    async def _stored(self) -> Stored:
        return Stored(self._content, await self._tab(), self.deadline)

    def _cookie_filter(self, asked: caps.Cookies) -> CookieFilter:
        assert self._used is not None
        given = asked.given("name")
        if asked.domain is UNSET:
            url = self._used.page.url
            if not url.startswith(("http://", "https://")):
                raise ToolError("domain is missing: the page has no cookies; * is for all")
            return CookieFilter(url, **given)
        return CookieFilter(domain=None if asked.domain == "*" else asked.domain, **given)

    def _with_url(self, cookies: list[CookieEntry]) -> list[Cookie]:
        assert self._used is not None
        found: list[Any] = [msgspec.to_builtins(one) for one in cookies]
        for one in found:
            if not {"url", "domain"} & one.keys():
                one["url"] = self._used.page.url
        return found


def _tell_hidden(result: Result, hidden: int) -> None:
    if hidden:
        result.said.append(f"{hidden} of addresses that are not shown here")


def _cookie_line(one: Cookie, *, values: bool) -> str:
    value = one["value"] if values else f"[{len(one['value'])} characters]"
    parts = [f"{one['name']}={value}", f"{one.get('domain', '')}{one.get('path', '')}"]
    parts += [name for name in ("httpOnly", "secure") if one.get(name)]
    parts.append(f"sameSite={one.get('sameSite', 'Lax')}")
    if one.get("expires", -1) != -1:
        parts.append(f"expires={one['expires']:.0f}")
    if one.get("partitionKey"):
        parts.append(f"partition={one['partitionKey']}")
    return clean_text(" ".join(parts))
