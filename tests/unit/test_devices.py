"""The table of devices: each is settings that the emulation takes."""

from __future__ import annotations

import json

from hybridsnap.client.devices import find_device, load_devices, read_device
from hybridsnap.client.emulation_settings import check_setting
from tests.devices import PATH

_AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
)


def test_every_device_is_settings() -> None:
    assert len(load_devices()) > 200
    for name in load_devices():
        settings = read_device(find_device(name), _AGENT)
        for setting, value in settings.items():
            check_setting(setting, value)
        assert "{" not in settings["user_agent"], name  # type: ignore[operator]  # a device has one
        assert ("Chrome/156.0.0.0" in settings["user_agent"]) or "Chrome/" not in settings["user_agent"]  # type: ignore[operator]


def test_a_device_that_is_turned_is_as_wide_as_it_was_high_or_less() -> None:
    turned = [name for name in load_devices() if name.endswith(" landscape")]
    assert len(turned) > 90
    for name in turned:
        width, height = find_device(name)["viewport"]
        upright = find_device(name.removesuffix(" landscape"))
        assert upright["mobile"], name
        assert (width > height) or upright["viewport"][0] > upright["viewport"][1], name


def test_the_table_names_its_source() -> None:
    assert json.loads(PATH.read_text(encoding="utf-8"))["source"].startswith(
        "the device descriptors of Playwright 1."
    )
