"""``--device`` and ``--emulate``: what the page is made to believe."""

from __future__ import annotations

import argparse
import re
from typing import Any, Literal, get_args, get_origin

import msgspec

from hybridsnap.cli.types import shorten
from hybridsnap.client.devices import find_device
from hybridsnap.client.emulation_settings import check_setting, check_setting_name
from hybridsnap.service.emulating import setting_types

_EXAMPLE = "color_scheme=dark"
#: Types of settings in words.
_WORDS: dict[Any, str] = {bool: "true or false", float: "a number", int: "a whole number"}
#: How the values of settings are written that are no single word.
_EXAMPLES = {
    "viewport": "WIDTHxHEIGHT in CSS px such as 390x844",
    "screen": "WIDTHxHEIGHT in CSS px such as 390x844",
    "geolocation": "LATITUDE,LONGITUDE (up to 90 and 180 degrees) such as 52.5,13.4",
    "headers": 'a JSON object of strings such as {"X-Tag": "1"}',
    "client_hints": 'a JSON object such as {"platform": "Android", "mobile": true}',
    "http_credentials": "USER,PASSWORD",
    "blocked_urls": "patterns, separated by commas, such as *.png,*/ads/*",
}


def add_emulation(parser: Any) -> None:
    """The options that set what the page is made to believe."""
    emulated = parser.add_argument_group("what the page is made to believe")
    emulated.add_argument(
        "--device",
        metavar="NAME",
        type=device_name,
        help="a phone, tablet or desktop: 'iPhone 15', …; hybridsnap devices lists them",
    )
    emulated.add_argument(
        "--emulate",
        metavar="NAME=VALUE",
        type=emulation_setting,
        action="append",
        default=[],
        help="a setting of Page.emulation: color_scheme=dark, time_zone=Asia/Tokyo, geolocation=52.5,13.4,"
        " offline=true, … (repeatable)",
    )


def add_devices(commands: Any) -> None:
    """Add ``devices`` to the command line."""
    parser = commands.add_parser(
        "devices",
        help="names of the devices that --device takes",
        description="Print the names of the devices that can be emulated, one a line.",
        usage="hybridsnap devices [TEXT]",
    )
    parser.add_argument("text", metavar="TEXT", nargs="?", default="", help="only those with this in them")
    parser.add_argument("--debug", action="store_true", help="tracebacks and the log")
    # Nothing is waited for.
    parser.set_defaults(timeout=30.0)


def device_name(text: str) -> str:
    """The name of a device that can be emulated."""
    try:
        find_device(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def emulation_setting(text: str) -> tuple[str, Any]:
    """``color_scheme=dark`` as name and value. Lists are written with commas, or as JSON."""
    name, equals, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, such as {_EXAMPLE}, got {shorten(text)}")
    try:
        check_setting_name(name)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    try:
        return name, check_setting(name, _read(setting_types()[name], value))
    except (ValueError, TypeError, msgspec.MsgspecError) as error:
        words = f"{name}: expected {_expected(name)}, got {shorten(value)}"
        own = name not in _EXAMPLES and not isinstance(error, msgspec.MsgspecError)
        raise argparse.ArgumentTypeError(str(error) if own else words) from None


def _expected(name: str) -> str:
    type_ = setting_types()[name]
    for one in (type_, *get_args(type_)):  # with None, or without
        if get_origin(one) is Literal:
            return " or ".join(get_args(one))
    return _EXAMPLES.get(name) or _WORDS.get(type_, "another value")


def _read(type_: Any, value: str) -> Any:
    data: Any = value
    if get_origin(type_) is dict or (get_origin(type_) is list and value.startswith("[")):
        data = msgspec.json.decode(value)
    elif type_ == list[int] and (size := re.fullmatch(r"(\d+)x(\d+)", value.lower())):
        data = list(size.groups())  # as --viewport has it
    elif get_origin(type_) is list:
        data = value.split(",")
    return msgspec.convert(data, type_, strict=False)
