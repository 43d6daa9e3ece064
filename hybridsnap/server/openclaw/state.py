"""What a page is made to believe (``/set/…``), and what is kept: ``/cookies``, ``/storage/…``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.errors import HybridsnapError
from hybridsnap.server.messages import bad_request
from hybridsnap.server.openclaw.fields import (
    boolean,
    exact,
    listing,
    mapping,
    number,
    read_fields,
    read_number,
    text,
)
from hybridsnap.server.openclaw.host import done_in
from hybridsnap.server.openclaw.registry import TARGET, route
from hybridsnap.service.emulating import emulate
from hybridsnap.service.errors import ApiError
from hybridsnap.service.stored import CookieFilter, Stored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.client.profile_storage import Area
    from hybridsnap.client.storage_state import Cookie
    from hybridsnap.server.openclaw.host import Call
    from hybridsnap.server.sessions import HeldTab

#: Degrees.
_MOST_LATITUDE, _MOST_LONGITUDE = 90, 180
_GEOLOCATION = (
    TARGET,
    boolean("clear"),
    number("latitude"),
    number("longitude"),
    number("accuracy", "metres"),
    text("origin", "of a page"),
)


_COOKIE = (
    text("name"),
    text("value"),
    text("url"),
    text("domain"),
    text("path"),
    number("expires"),
    boolean("httpOnly"),
    boolean("secure"),
    exact("sameSite"),
)
_SAME_SITE = frozenset({"Lax", "None", "Strict"})
_KIND = text("kind", "local or session", required=True)


async def _set(call: Call, device: str | None = None, **settings: Any) -> dict[str, Any]:
    held, deadline = await call.here()
    async with call.checked(held, deadline) as page:
        await emulate(page, settings, deadline, device=device)
    return done_in(held)


@route("POST", "/set/offline", TARGET, boolean("offline", "no network", required=True))
async def set_offline(call: Call) -> dict[str, Any]:
    """No network, or the network again."""
    return await _set(call, offline=call.given["offline"] or None)


@route("POST", "/set/headers", TARGET, mapping("headers", "name: value", required=True))
async def set_headers(call: Call) -> dict[str, Any]:
    """Headers beside a request's own; they replace those that were set before."""
    given = {name: value for name, value in call.given["headers"].items() if isinstance(value, str)}
    return await _set(call, headers=given or None)


@route("POST", "/set/credentials", TARGET, text("username"), exact("password"), boolean("clear"))
async def set_credentials(call: Call) -> dict[str, Any]:
    """User and password for servers that ask."""
    given = call.given
    if given["clear"]:
        return await _set(call, http_credentials=None)
    if given["username"] is None:
        raise bad_request("username is missing; clear: true forgets what was set")
    return await _set(call, http_credentials=(given["username"], given["password"] or ""))


@route("POST", "/set/geolocation", *_GEOLOCATION)
async def set_geolocation(call: Call) -> dict[str, Any]:
    """Where the browser says it is; the page's origin may know."""
    given = call.given
    if given["clear"]:
        return await _set(call, geolocation=None)
    latitude, longitude = (read_number(one, given[one]) for one in ("latitude", "longitude"))
    if latitude is None or longitude is None:
        raise bad_request("latitude and longitude are missing; clear: true forgets what was set")
    if abs(latitude) > _MOST_LATITUDE or abs(longitude) > _MOST_LONGITUDE:
        raise bad_request("expected a latitude from -90 to 90 and a longitude from -180 to 180")
    accuracy = given["accuracy"]
    if accuracy is not None and accuracy < 0:
        raise bad_request(f"accuracy: expected a number from 0 on, got {accuracy}")
    place = (latitude, longitude) if accuracy is None else (latitude, longitude, accuracy)
    return await _set(call, geolocation=place)


@route("POST", "/set/media", TARGET, text("colorScheme"))
async def set_media(call: Call) -> dict[str, Any]:
    """The colour scheme; ``none`` and ``no-preference`` leave it to the browser."""
    scheme = call.given["colorScheme"]
    if scheme not in {"dark", "light", "no-preference", "none"}:
        raise bad_request(f"colorScheme: expected dark, light, no-preference or none, got {scheme!r:.40}")
    return await _set(call, color_scheme=scheme if scheme in {"dark", "light"} else None)


@route("POST", "/set/timezone", TARGET, text("timezoneId", "such as Asia/Tokyo", required=True))
async def set_timezone(call: Call) -> dict[str, Any]:
    """The time zone."""
    return await _set(call, time_zone=call.given["timezoneId"])


@route("POST", "/set/device", TARGET, text("name", "such as iPhone 15", required=True))
async def set_device(call: Call) -> dict[str, Any]:
    """A phone, tablet or desktop by its name."""
    return await _set(call, device=call.given["name"])


@route("POST", "/set/locale", TARGET, text("locale", "such as de-DE", required=True))
async def set_locale(call: Call) -> dict[str, Any]:
    """The locale."""
    return await _set(call, locale=call.given["locale"])


async def _stored(call: Call) -> tuple[HeldTab, Stored]:
    held, deadline = await call.here()
    return held, Stored(call.host.control.content, held, deadline)


def _read_cookie(data: Mapping[str, Any]) -> Cookie:
    given = read_fields(_COOKIE, data)
    if given["name"] is None:
        raise bad_request("cookie: name is missing")
    if given["url"] is None and (given["domain"] is None or given["path"] is None):
        raise bad_request(f"cookie {given['name'][:40]!r}: give a url, or a domain and a path")
    if given["sameSite"] not in _SAME_SITE:
        given["sameSite"] = None
    cookie: Any = {"value": "", **{name: value for name, value in given.items() if value is not None}}
    read: Cookie = cookie
    return read


@route("GET", "/cookies", TARGET, answers=("cookies",))
async def cookies(call: Call) -> dict[str, Any]:
    """``GET /cookies``: those of the profile."""
    held, stored = await _stored(call)
    found, _ = await stored.cookies(CookieFilter())
    return done_in(held, cookies=found)


@route(
    "POST",
    "/cookies/set",
    TARGET,
    mapping("cookie", "name, value, and url, or domain and path", required=True),
)
async def set_cookie(call: Call) -> dict[str, Any]:
    """``POST /cookies/set``."""
    cookie = _read_cookie(call.given["cookie"])
    held, stored = await _stored(call)
    await stored.set_cookies([cookie])
    return done_in(held)


@route(
    "POST",
    "/cookies/set-many",
    TARGET,
    listing("cookies", "the same, at least one", required=True),
    answers=("added",),
)
async def set_cookies(call: Call) -> dict[str, Any]:
    """``POST /cookies/set-many``: what is refused is left out, and not counted."""
    if not call.given["cookies"] or not all(isinstance(one, dict) for one in call.given["cookies"]):
        raise bad_request("cookies: expected a list with at least one object")
    held, stored = await _stored(call)
    added = 0
    for one in call.given["cookies"]:
        try:
            added += await stored.set_cookies([_read_cookie(one)])
        except (ApiError, HybridsnapError, ValueError):
            continue
    return done_in(held, added=added)


@route("POST", "/cookies/clear", TARGET)
async def clear_cookies(call: Call) -> dict[str, Any]:
    """``POST /cookies/clear``: all of the profile."""
    held, stored = await _stored(call)
    await stored.clear_cookies(CookieFilter())
    return done_in(held)


def _area(call: Call) -> Area:
    area: Area | None = call.given["kind"] if call.given["kind"] in {"local", "session"} else None
    if area is None:
        raise bad_request(f"expected /storage/local or /storage/session, got {call.given['kind']!r:.40}")
    return area


@route("GET", "/storage/{kind}", TARGET, _KIND, exact("key"), answers=("values",))
async def storage(call: Call) -> dict[str, Any]:
    """``GET /storage/KIND``: all items of the page's origin, or one."""
    area, key = _area(call), call.given["key"]
    held, stored = await _stored(call)
    _, found = await stored.items(area, None)
    return done_in(held, values=found if not key else {key: found[key]} if key in found else {})


@route("POST", "/storage/{kind}/set", TARGET, _KIND, exact("key"), exact("value"))
async def set_storage(call: Call) -> dict[str, Any]:
    """``POST /storage/KIND/set``."""
    area, key = _area(call), call.given["key"]
    if not (key or "").strip():
        raise bad_request("key is missing: the name of the item")
    held, stored = await _stored(call)
    await stored.set_items({key: call.given["value"] or ""}, area, None)
    return done_in(held)


@route("POST", "/storage/{kind}/clear", TARGET, _KIND)
async def clear_storage(call: Call) -> dict[str, Any]:
    """``POST /storage/KIND/clear``: all items of the page's origin."""
    area = _area(call)
    held, stored = await _stored(call)
    await stored.clear_items(None, area, None)
    return done_in(held)
