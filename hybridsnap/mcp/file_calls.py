"""The tools that leave files in the server's folder, and the one that lists them."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
from typing import TYPE_CHECKING, NamedTuple

import trio
from msgspec import UNSET

from hybridsnap.errors import CommandRefused
from hybridsnap.mcp.call_base import ACTING_SHARE, CallBase
from hybridsnap.mcp.options import ToolError
from hybridsnap.mcp.results import Result
from hybridsnap.service.taken import ENDINGS, PICTURES, take_page
from hybridsnap.service.tracing import may_show_trace, only_of_tab, shown_summary
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from pathlib import Path

    from hybridsnap.mcp import caps
    from hybridsnap.mcp.client_tabs import NumberedTab

_OF_PDF = ("landscape", "paper", "background", "pages")
_JSON = ".json"
#: Of a folder with more entries than this no more are looked at.
_ENTRIES = 10_000
_LISTED = 100


class _Kept(NamedTuple):
    """A file; the latest is the largest."""

    modified: float
    name: str
    size: int


class FileCalls(CallBase):
    """Calls about files."""

    async def save_page(self, asked: caps.SavePage) -> Result:
        """Keep the page as a file."""
        folders = self._client.shared.folders
        folders.download_folder(None)  # where nothing may be saved, nothing is made
        name = "page" if asked.file is UNSET else asked.file
        if not name.strip():
            raise ToolError("file is an empty text; give a file name such as page.pdf, or none")
        ending = name.rpartition(".")[2].lower() if "." in name else ""
        of_file = ENDINGS.get(ending)
        format_ = of_file or "pdf" if asked.format is UNSET else asked.format
        if of_file not in {None, format_}:
            raise ToolError(
                f"file ends with .{ending}, and format is {format_}; leave format out, or change file"
            )
        options = asked.given(*_OF_PDF)
        if options and format_ != "pdf":
            raise ToolError(f"{', '.join(options)} is for pdf")
        if asked.element is not UNSET:
            if format_ not in PICTURES:
                raise ToolError(f"element is for {', '.join(PICTURES)}")
            options["element"] = asked.element
        elif format_ in PICTURES:
            options["full_page"] = True
        if asked.mask is not UNSET:
            if format_ not in PICTURES:
                raise ToolError(f"mask is for {', '.join(PICTURES)}")
            options["mask"] = asked.mask
        async with self._turn() as tab:
            data = await take_page(self._content, tab, format_, options, self.deadline)
        path = folders.write_new(name if of_file else f"{name}.{format_}", data)
        return Result([f"saved: {path} ({len(data):,} bytes)"])

    async def downloads(self, asked: caps.ListFiles) -> Result:
        """What is in the server's folder."""
        folder = self._client.shared.folders.download_folder(None)
        found, more = await trio.to_thread.run_sync(_files_in, folder)
        result = Result([f"in {folder}" + (f", of its first {_ENTRIES:,} entries" if more else "")])
        limit = _LISTED if asked.limit is UNSET else asked.limit
        self._list(result, [_file_line(one) for one in found[:limit]], self._budget(asked), "files")
        if len(found) > limit:
            result.said.append(f"{len(found) - limit} earlier ones are not listed: give a larger limit")
        return result

    async def trace(self, asked: caps.RecordTrace) -> Result:
        """Begin to record what the browser does, or end it and sum it up."""
        tab = await self._tab()
        if asked.action == "start":
            if asked.file is not UNSET:
                raise ToolError("file goes with stop, which writes it")
            return await self._start_trace(tab, **asked.given("screenshots"))
        if asked.screenshots is not UNSET:
            raise ToolError("screenshots goes with start, which takes them")
        return await self._stop_trace(tab, asked)

    async def _start_trace(self, tab: NumberedTab, *, screenshots: bool = False) -> Result:
        if tab.page.trace.recording:
            raise ToolError("a trace of this tab is being recorded already; end it (stop)")
        await self._content.check(tab, self.deadline)
        try:
            await tab.page.trace.start(screenshots=screenshots, timeout=self.deadline.share(ACTING_SHARE))
        except CommandRefused as error:
            recording = [one.number for one in self._client.tabs.values() if one.page.trace.recording]
            where = f"tab {recording[0]}" if recording else "another client"
            raise ToolError(
                f"the browser records one trace at a time, and {where} has begun one; end that first"
            ) from error
        return Result(["recording; do what is slow, then stop"])

    async def _stop_trace(self, tab: NumberedTab, asked: caps.RecordTrace) -> Result:
        if not tab.page.trace.recording:
            recording = [one.number for one in self._client.tabs.values() if one.page.trace.recording]
            hint = f"tab {recording[0]} is traced; select it (tabs)" if recording else "begin one (start)"
            raise ToolError(f"no trace of this tab is being recorded; {hint}")
        name = "trace.json" if asked.file is UNSET else asked.file
        if not name.strip():
            raise ToolError("file is an empty text; give a file name such as trace.json, or none")
        name = name if name.endswith(_JSON) else name + _JSON
        why_not = self._why_not_kept(tab)
        if asked.file is not UNSET and why_not:
            raise ToolError(f"file cannot be written: {why_not}; leave it out")
        folders = self._client.shared.folders
        if not why_not:
            folders.check_new(name)  # before the trace is ended
        trace = await tab.page.trace.stop(timeout=self.deadline)
        data = trace.data
        if not why_not and self._client.shared.isolated:
            data = await trio.to_thread.run_sync(only_of_tab, data)
            if not await may_show_trace(self._content, tab, data, self.deadline):
                why_not = "it has addresses that are not shown here"
        result = Result()
        if why_not:
            result.said.append(f"the trace itself is not kept: {why_not}")
        else:
            path = await trio.to_thread.run_sync(folders.write_new, name, data)
            result.said.append(f"saved: {path} ({len(data):,} bytes)")
        summary = await trio.to_thread.run_sync(trace.summarize)
        summary = await shown_summary(self._content, tab, summary, self.deadline)
        await self._content.check_done(tab, self.deadline)
        result.page += summary.lines()
        result.data["summary"] = summary.lines()
        return result

    def _why_not_kept(self, tab: NumberedTab) -> str:
        """Why the trace of a tab is not written to a file; "" where it is."""
        if self._options.download_folder is None:
            return "the server was started without --downloads FOLDER"
        if self._client.shared.isolated and not self._client.in_own_context(tab.page.target_id):
            return "other clients' tabs can be in it, as this one is not in a profile of your own"
        return ""


def _files_in(folder: Path) -> tuple[list[_Kept], bool]:
    """The files of a folder, the latest first, and whether there are more."""
    found: list[_Kept] = []
    try:
        entries = os.scandir(folder)
    except FileNotFoundError:  # it is made with the first file
        return [], False
    with entries:
        for count, entry in enumerate(entries):
            if count == _ENTRIES:
                return sorted(found, reverse=True), True
            if entry.is_file(follow_symlinks=False):
                with contextlib.suppress(FileNotFoundError):  # a download is renamed when it is whole
                    about = entry.stat(follow_symlinks=False)
                    found.append(_Kept(about.st_mtime, entry.name, about.st_size))
    return sorted(found, reverse=True), False


def _file_line(one: _Kept) -> str:
    when = dt.datetime.fromtimestamp(one.modified, dt.UTC).isoformat(" ", "seconds").removesuffix("+00:00")
    # The name stands last: it may read like an id, or like the size and the time of another file.
    return f"{one.size:,} bytes, {when} UTC: {clean_text(one.name)}"
