"""What a profile and a page keep: ``/cookies`` and ``/storage/local``, ``/storage/session``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.errors import HybridsnapError
from hybridsnap.server.messages import bad_request
from hybridsnap.server.openclaw.fields import boolean, exact, listing, mapping, number, read_fields, text
from hybridsnap.server.openclaw.host import done_in
from hybridsnap.server.openclaw.registry import TARGET, route
from hybridsnap.service.errors import ApiError
from hybridsnap.service.stored import CookieFilter, Stored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.client.profile_storage import Area
    from hybridsnap.client.storage_state import Cookie
    from hybridsnap.server.openclaw.host import Call
    from hybridsnap.server.sessions import HeldTab

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


async def _stored(call: Call) -> tuple[HeldTab, Stored]:
    held, deadline = await call.here()
    return held, Stored(call.host.control.content, held, deadline)


def _read_cookie(data: Mapping[str, Any]) -> Cookie:
    """A cookie as a client writes it.

    Raises:
        ApiError: it lacks something.
    """
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
