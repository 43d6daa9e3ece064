"""What can be emulated, and what each setting may be."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypedDict

from hybridsnap.client.viewport import check_viewport


class EmulationSettings(TypedDict, total=False):
    """What can be emulated. None, or leaving it out of `Emulation.active`, is the browser's own way.

    Attributes:
        viewport: width and height in CSS px.
        screen: width and height of the screen; without it the screen is as large as the viewport.
        device_scale_factor: device px for one CSS px.
        mobile: the viewport is a phone's: the page's meta viewport counts, text is resized.
        touch: there is a touch screen, and no mouse to hover with.
        user_agent: for requests and scripts.
        client_hints: what `navigator.userAgentData` tells (``Emulation.UserAgentMetadata``); without it a
            user agent of your own has none.
        locale: of numbers, dates and accepted languages, such as ``de-DE``.
        time_zone: of the IANA database, such as ``Asia/Tokyo``.
        geolocation: latitude, longitude and, if you like, accuracy in metres; the permission comes with it.
        media: ``screen`` or ``print``.
        color_scheme: ``light`` or ``dark``.
        reduced_motion: prefers-reduced-motion.
        forced_colors: forced-colors.
        contrast: ``more`` or ``less``.
        offline: no network.
        latency_ms: at least so long from a request to the beginning of its answer.
        download_kb_s: kilobytes a second.
        upload_kb_s: likewise.
        headers: sent with every request beside its own.
        http_credentials: user and password, for servers and proxies that ask.
        blocked_urls: patterns with ``*``; requests to such addresses fail.
        cache: False asks servers anew for everything.
        scripts: False runs no script of the page's.
        cpu_slowdown: 4 makes scripts four times slower; 100 at most.
        hardware_concurrency: how many processors there seem to be.
    """

    viewport: tuple[int, int] | None
    screen: tuple[int, int] | None
    device_scale_factor: float | None
    mobile: bool | None
    touch: bool | None
    user_agent: str | None
    client_hints: Mapping[str, Any] | None
    locale: str | None
    time_zone: str | None
    geolocation: tuple[float, ...] | None
    media: Literal["screen", "print"] | None
    color_scheme: Literal["light", "dark"] | None
    reduced_motion: bool | None
    forced_colors: bool | None
    contrast: Literal["more", "less"] | None
    offline: bool | None
    latency_ms: float | None
    download_kb_s: float | None
    upload_kb_s: float | None
    headers: Mapping[str, str] | None
    http_credentials: tuple[str, str] | None
    blocked_urls: Sequence[str] | None
    cache: bool | None
    scripts: bool | None
    cpu_slowdown: float | None
    hardware_concurrency: int | None


#: Degrees.
_MOST_LATITUDE, _MOST_LONGITUDE = 90, 180
#: DevTools offers 20 at most. At 1,000 a page answers nothing within a deadline.
_MOST_SLOWDOWN = 100


class _Kind(NamedTuple):
    """Values of one kind: in words, and whether something is one."""

    words: str
    fits: Callable[[Any], bool]


def check_setting_name(name: str) -> None:
    """Raise a ValueError where there is no such setting."""
    if name not in EmulationSettings.__annotations__:
        known = ", ".join(EmulationSettings.__annotations__)
        raise ValueError(f"there is no setting {name!r}; those that there are: {known}")


def check_setting(name: str, value: Any) -> Any:
    """A setting's value; None, which takes it back, is always one.

    Raises:
        ValueError, TypeError: there is no such setting, or it cannot have this value.
    """
    check_setting_name(name)
    if name in {"viewport", "screen"}:
        return check_viewport(value, name)
    kind = _KINDS[name]
    if value is not None and not kind.fits(value):
        raise ValueError(f"{name}: expected {kind.words}, got {value!r}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _are_strings(values: Sequence[Any]) -> bool:
    return all(isinstance(one, str) for one in values)


def _is_place(value: Any) -> bool:
    return (
        isinstance(value, tuple | list)
        and len(value) in {2, 3}
        and all(map(_is_number, value))
        and abs(value[0]) <= _MOST_LATITUDE
        and abs(value[1]) <= _MOST_LONGITUDE
        and (len(value) == 2 or value[2] >= 0)  # noqa: PLR2004 - without accuracy
    )


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple | list) and len(value) == 2 and _are_strings(value)  # noqa: PLR2004


def _one_of(*words: str) -> _Kind:
    return _Kind(" or ".join(words), lambda value: value in words)


def _at_least(least: float) -> _Kind:
    return _Kind(f"a number from {least:g}", lambda value: _is_number(value) and value >= least)


def _between(least: float, most: float) -> _Kind:
    return _Kind(
        f"a number from {least:g} to {most:g}", lambda value: _is_number(value) and least <= value <= most
    )


_TRUTH = _Kind("True or False", lambda value: isinstance(value, bool))
_TEXT = _Kind("a string", lambda value: isinstance(value, str) and bool(value))
_KINDS = {
    "device_scale_factor": _at_least(0.1),
    "mobile": _TRUTH,
    "touch": _TRUTH,
    "user_agent": _TEXT,
    "client_hints": _Kind("a dict (Emulation.UserAgentMetadata)", lambda value: isinstance(value, dict)),
    "locale": _TEXT,
    "time_zone": _TEXT,
    "geolocation": _Kind(
        "(latitude, longitude) or (latitude, longitude, accuracy in metres) with a latitude from -90 to 90"
        " and a longitude from -180 to 180, such as (52.5, 13.4)",
        _is_place,
    ),
    "media": _one_of("screen", "print"),
    "color_scheme": _one_of("light", "dark"),
    "reduced_motion": _TRUTH,
    "forced_colors": _TRUTH,
    "contrast": _one_of("more", "less"),
    "offline": _TRUTH,
    "latency_ms": _at_least(0),
    "download_kb_s": _at_least(0.001),
    "upload_kb_s": _at_least(0.001),
    "headers": _Kind(
        "a dict of strings",
        lambda value: isinstance(value, Mapping) and _are_strings([*value, *value.values()]),
    ),
    "http_credentials": _Kind("(user, password)", _is_pair),
    "blocked_urls": _Kind(
        "a list of patterns", lambda value: isinstance(value, tuple | list) and _are_strings(value)
    ),
    "cache": _TRUTH,
    "scripts": _TRUTH,
    "cpu_slowdown": _between(1, _MOST_SLOWDOWN),
    "hardware_concurrency": _at_least(1),
}
