"""The tools that set up the page, and those that keep it as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from hybridsnap.json_data import to_json, to_json_text
from hybridsnap.mcp.call_base import ACTING_SHARE, CallBase
from hybridsnap.mcp.caps import emulated
from hybridsnap.mcp.options import ToolError
from hybridsnap.mcp.results import Result
from hybridsnap.service.emulating import emulate
from hybridsnap.service.taken import take_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.mcp import caps
    from hybridsnap.service.taken import TakenFormat

_OF_PDF = ("landscape", "paper", "background", "pages")
#: How a file's name ends → the format.
_ENDINGS: dict[str, TakenFormat] = {
    "pdf": "pdf",
    "mhtml": "mhtml",
    "html": "html",
    "png": "png",
    "jpg": "jpeg",
    "jpeg": "jpeg",
    "webp": "webp",
}
_PICTURES = ("png", "jpeg", "webp")


class SettingCalls(CallBase):
    """Calls that set up the page, or keep it."""

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

    async def save_page(self, asked: caps.SavePage) -> Result:
        """Keep the page as a file."""
        folders = self._client.shared.folders
        folders.download_folder(None)  # where nothing may be saved, nothing is made
        name = "page" if asked.file is UNSET else asked.file
        if not name.strip():
            raise ToolError("file is an empty text; give a file name such as page.pdf, or none")
        ending = name.rpartition(".")[2].lower() if "." in name else ""
        of_file = _ENDINGS.get(ending)
        format_ = of_file or "pdf" if asked.format is UNSET else asked.format
        if of_file not in {None, format_}:
            raise ToolError(
                f"file ends with .{ending}, and format is {format_}; leave format out, or change file"
            )
        options = asked.given(*_OF_PDF)
        if options and format_ != "pdf":
            raise ToolError(f"{', '.join(options)} is for pdf")
        if asked.element is not UNSET:
            if format_ not in _PICTURES:
                raise ToolError(f"element is for {', '.join(_PICTURES)}")
            options["element"] = asked.element
        elif format_ in _PICTURES:
            options["full_page"] = True
        tab = await self._tab()
        async with self._turn(tab):
            data = await take_page(self._content, tab, format_, options, self.deadline)
        path = folders.write_new(name if of_file else f"{name}.{format_}", data)
        return Result([f"saved: {path} ({len(data):,} bytes)"])
