"""The tools that set up the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from hybridsnap.client.devices import load_devices
from hybridsnap.json_data import to_json, to_json_text
from hybridsnap.mcp.call_base import ACTING_SHARE, CallBase
from hybridsnap.mcp.caps import emulated
from hybridsnap.mcp.options import ToolError
from hybridsnap.mcp.results import Result
from hybridsnap.service.emulating import emulate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.mcp import caps


class SettingCalls(CallBase):
    """Calls that set up the page."""

    async def emulate(self, asked: Any) -> Result:
        """Make settings, and take others back."""
        settings = emulated(asked)
        if not settings and not asked.given("reset", "device"):
            raise ToolError("give settings, a device, or reset: [] for all")
        reset = () if asked.reset is UNSET else asked.reset or True
        return await self._set(settings, reset=reset, **asked.given("device"))

    async def resize(self, asked: caps.Resize) -> Result:
        """Give the viewport a size."""
        return await self._set({"viewport": (asked.width, asked.height)})

    async def _set(self, settings: Mapping[str, Any], **others: Any) -> Result:
        tab = await self._tab()
        async with self._turn(tab):
            await self._content.check(tab, self.deadline)
            active = await emulate(tab.page, settings, self.deadline.share(ACTING_SHARE), **others)
        return Result([f"set now: {to_json_text(to_json(active))}" if active else "nothing is set now"])

    async def devices(self, asked: caps.ListDevices) -> Result:
        """The devices that `emulate` takes by name."""
        wanted = "" if asked.text is UNSET else asked.text.casefold()
        found = [name for name in load_devices() if wanted in name.casefold()]
        if not found:
            raise ToolError(f"text: no device has {asked.text!r} in its name; leave it out for all")
        return Result([f"{len(found)} devices: {', '.join(found)}"])
