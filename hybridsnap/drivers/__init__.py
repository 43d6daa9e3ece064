"""Whoever holds a connection to a browser runs plans: `base` says how, `testing` helps to check it.

One adapter for each foreign driver: `playwright`, `selenium`, `cdp_use`; `from_send` for any other. `handles`
leads from element ids to the drivers' own objects and back. Names are imported when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridsnap.drivers.cdp_use import browser_use_session
    from hybridsnap.drivers.handles import id_of, to_locator, to_web_element
    from hybridsnap.drivers.sending import from_send

__all__ = ["browser_use_session", "from_send", "id_of", "to_locator", "to_web_element"]

_ADAPTERS = ("cdp_use", "playwright", "selenium", "testing")
_ROOMS = {
    "browser_use_session": "cdp_use",
    "from_send": "sending",
    "id_of": "handles",
    "to_locator": "handles",
    "to_web_element": "handles",
}


def __getattr__(name: str) -> object:
    if name in _ADAPTERS:
        return importlib.import_module(f"hybridsnap.drivers.{name}")
    if name not in _ROOMS:
        raise AttributeError(f"module 'hybridsnap.drivers' has no attribute {name!r}")
    return getattr(importlib.import_module(f"hybridsnap.drivers.{_ROOMS[name]}"), name)
