"""Writes ``hybridsnap/client/devices.json`` from the table that Playwright has: ``python -m tests.devices``.

The Chrome version in a user agent is left open: a page is told that of the browser that shows it.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import hybridsnap

PATH = Path(hybridsnap.__file__).parent / "client" / "devices.json"
_LANDSCAPE = " landscape"


def build_table(devices: dict[str, Any], source: str) -> str:
    """The file's text, a line for each device."""
    lines = [f' "source": {json.dumps(source)}']
    for name, device in devices.items():
        if name.endswith(_LANDSCAPE):
            continue
        entry: dict[str, Any] = {
            **_sizes(device),
            "device_scale_factor": device["device_scale_factor"],
            "mobile": device["is_mobile"],
            "touch": device["has_touch"],
            "user_agent": re.sub(r"(Chrome|Edg)/[\d.]+", r"\1/{version}", device["user_agent"]),
        }
        if name + _LANDSCAPE in devices:
            entry["landscape"] = _sizes(devices[name + _LANDSCAPE])
        lines.append(f" {json.dumps(name)}: {json.dumps(entry, separators=(',', ':'))}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _sizes(device: dict[str, Any]) -> dict[str, list[int]]:
    found = {name: device[name] for name in ("viewport", "screen") if name in device}
    return {name: [size["width"], size["height"]] for name, size in found.items()}


def main() -> None:
    """Write the file anew."""
    version = importlib.metadata.version("playwright")
    with sync_playwright() as playwright:
        devices = playwright.devices
    PATH.write_text(build_table(devices, f"the device descriptors of Playwright {version} (Apache-2.0)"))


if __name__ == "__main__":
    main()
