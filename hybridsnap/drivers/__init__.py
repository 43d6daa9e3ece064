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

_ROOMS = {
    "browser_use_session": "cdp_use",
    "from_send": "sending",
    "id_of": "handles",
    "to_locator": "handles",
    "to_web_element": "handles",
}


def __getattr__(name: str) -> object:
    module = f"hybridsnap.drivers.{_ROOMS.get(name, name)}"
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:  # a driver's package, and the line that installs it
            raise
        raise AttributeError(f"module 'hybridsnap.drivers' has no attribute {name!r}") from None
    return getattr(found, name) if name in _ROOMS else found
