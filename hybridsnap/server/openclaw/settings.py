"""``POST /set/…``: the emulation of a tab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.server.messages import bad_request
from hybridsnap.server.openclaw.fields import boolean, exact, mapping, number, read_number, text
from hybridsnap.server.openclaw.host import done_in
from hybridsnap.server.openclaw.registry import TARGET, route
from hybridsnap.service.emulating import emulate

if TYPE_CHECKING:
    from hybridsnap.server.openclaw.host import Call

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
