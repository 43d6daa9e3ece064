"""Devices by name: what a phone, a tablet or a desktop says of itself, as emulation settings.

The table is ``devices.json``; `source` in it says where its figures come from.
"""

from __future__ import annotations

import difflib
import functools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridsnap.argument_checks import check_str

if TYPE_CHECKING:
    from hybridsnap.client.emulation_settings import EmulationSettings

_TABLE = Path(__file__).with_name("devices.json")
_LANDSCAPE = " landscape"
_ANDROID = re.compile(r"Android (?P<version>[\d.]+); (?P<model>.+?)(?: Build/[^)]*)?\) AppleWebKit")
#: So many names are suggested for one that is not known.
_SUGGESTED = 3
#: Where no name is like it.
_LISTED = (
    "hybridsnap devices lists all (page.emulation.devices in Python, GET /devices over HTTP); some are"
    " iPhone 15, Pixel 8, iPad Mini, Desktop Chrome"
)


@functools.cache
def load_devices() -> dict[str, dict[str, Any]]:
    """Name → the device; those that can be turned have a second name, ending in ``landscape``."""
    table = json.loads(_TABLE.read_text(encoding="utf-8"))
    del table["source"]
    found: dict[str, dict[str, Any]] = {}
    for name, device in table.items():
        turned = device.pop("landscape", None)
        found[name] = device
        if turned is not None:
            found[name + _LANDSCAPE] = device | turned
    return found


def device_names(text: str = "") -> list[str]:
    """The names of all devices, or of those with a text in their name, in whatever case."""
    wanted = text.casefold()
    return [name for name in load_devices() if wanted in name.casefold()]


def find_device(name: str) -> dict[str, Any]:
    """A device; upper and lower case do not count.

    Raises:
        ValueError: there is none of this name; the message has similar names.
    """
    check_str("name", name, "iPhone 15")
    names = {known.casefold(): known for known in load_devices()}
    wanted = " ".join(name.casefold().split())
    if wanted in names:
        return load_devices()[names[wanted]]
    near = difflib.get_close_matches(wanted, names, _SUGGESTED)
    near = near or [one for one in names if wanted and wanted in one][:_SUGGESTED]
    meant = f"did you mean {' or '.join(names[one] for one in near)}?" if near else ""
    raise ValueError(f"there is no device {name!r}; {meant or _LISTED}")


def read_device(device: dict[str, Any], browser_agent: str) -> EmulationSettings:
    """A device as settings: all that a device decides, None where it has none of its own.

    Its Chrome is of the version of the browser's own user agent.
    """
    version = _chrome_version(browser_agent)
    agent: str = device["user_agent"].replace("{version}", version)
    return {
        "viewport": tuple(device["viewport"]),
        "screen": tuple(device["screen"]) if "screen" in device else None,
        "device_scale_factor": device["device_scale_factor"],
        "mobile": device["mobile"],
        "touch": device["touch"],
        "user_agent": agent,
        "client_hints": _client_hints(agent, mobile=device["mobile"]),
    }


def _chrome_version(browser_agent: str) -> str:
    found = re.search(r"Chrome/(\d+)", browser_agent)
    return f"{found[1] if found else 100}.0.0.0"


def _client_hints(agent: str, *, mobile: bool) -> dict[str, Any] | None:
    """What `navigator.userAgentData` has there; only Chrome has it, and what is built on it."""
    if "Chrome/" not in agent or "Edge/" in agent:
        return None
    hints: dict[str, Any] = {"architecture": "", "model": "", "mobile": mobile}
    if android := _ANDROID.search(agent):
        return hints | {
            "platform": "Android",
            "platformVersion": android["version"],
            "model": android["model"],
        }
    return hints | {"platform": "Windows", "platformVersion": "10.0.0", "architecture": "x86"}
