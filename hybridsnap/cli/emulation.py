"""``--device`` and ``--emulate``: what the page is made to believe."""

from __future__ import annotations

import argparse
import json
from typing import Any, get_origin

import msgspec

from hybridsnap.cli.types import shorten
from hybridsnap.client.devices import find_device
from hybridsnap.client.emulation_settings import check_setting, check_setting_name
from hybridsnap.service.emulating import setting_types

_EXAMPLE = "color_scheme=dark"
#: Types of settings in words.
_WORDS: dict[Any, str] = {bool: "true or false", float: "a number", int: "a whole number"}


def add_emulation(parser: Any) -> None:
    """The options that set what the page is made to believe."""
    emulated = parser.add_argument_group("what the page is made to believe")
    emulated.add_argument(
        "--device", metavar="NAME", type=device_name, help="a phone, tablet or desktop: 'iPhone 15', …"
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


def device_name(text: str) -> str:
    """The name of a device that can be emulated.

    Raises:
        argparse.ArgumentTypeError: there is none of this name.
    """
    try:
        find_device(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).replace("page.emulation", "Emulation")) from None
    return text


def emulation_setting(text: str) -> tuple[str, Any]:
    """``color_scheme=dark`` as name and value. Lists are written with commas, or as JSON.

    Raises:
        argparse.ArgumentTypeError: there is no such setting, or its value means nothing.
    """
    name, equals, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, such as {_EXAMPLE}, got {shorten(text)}")
    try:
        check_setting_name(name)
        return name, check_setting(name, _read(setting_types()[name], value))
    except msgspec.ValidationError:
        words = _WORDS.get(setting_types()[name], "another value")
        raise argparse.ArgumentTypeError(f"expected {words} as {name}, got {shorten(value)}") from None
    except (ValueError, TypeError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _read(type_: Any, value: str) -> Any:
    data: Any = value
    if get_origin(type_) is dict or (get_origin(type_) is list and value.startswith("[")):
        data = json.loads(value)
    elif get_origin(type_) is list:
        data = value.split(",")
    return msgspec.convert(data, type_, strict=False)
