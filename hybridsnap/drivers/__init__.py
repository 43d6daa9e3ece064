"""Whoever holds a connection to a browser runs plans: `base` says how, `testing` and `conformance` check it.

One adapter for each foreign driver: `playwright` (on `playwright_sessions`), `selenium` (on
`blocking_socket`), `cdp_use`; `custom` for any other. `asyncio_driver` and `blocking_driver` run plans on
their functions. `native_handles` leads from element ids to the drivers' own objects and back. Names are
imported when first used.

A tab of a foreign driver is a `tab`, on sessions of ours: `attaching`, `attached_tab`. What is done on it
are `operations`: `snapshot_run`, `acting`, `evaluating`, `dialogs`. What is refused: `refusals`,
`diagnosis`, `type_checks`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridsnap.drivers.cdp_use import browser_use_session
    from hybridsnap.drivers.custom import from_send
    from hybridsnap.drivers.native_handles import id_of, to_locator, to_web_element

__all__ = ["browser_use_session", "from_send", "id_of", "to_locator", "to_web_element"]

_MODULES = {
    "browser_use_session": "cdp_use",
    "from_send": "custom",
    "id_of": "native_handles",
    "to_locator": "native_handles",
    "to_web_element": "native_handles",
}


def __getattr__(name: str) -> object:
    module = f"hybridsnap.drivers.{_MODULES.get(name, name)}"
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:  # a driver's package, and the line that installs it
            raise
        raise AttributeError(f"module 'hybridsnap.drivers' has no attribute {name!r}") from None
    return getattr(found, name) if name in _MODULES else found
