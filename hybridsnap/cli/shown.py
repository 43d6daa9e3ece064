"""What ``hybridsnap snapshot`` has shown of a running browser's tabs, kept for ``act`` and ``evaluate``.

Each command is a process of its own, and an id proves nothing to one that does not know what it stood for. So
the last snapshot of each tab is kept for a day, in the user's own folder (`hybridsnap.background.place`).
Where it cannot be kept, ids are taken unproven, and the command that takes them says so.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from typing import TYPE_CHECKING

import msgspec

from hybridsnap.background.place import user_place
from hybridsnap.capture.element_ids import is_element_id, is_ref
from hybridsnap.errors import HybridsnapError
from hybridsnap.model import ElementId, Report, Row
from hybridsnap.service.usage import UsageError
from hybridsnap.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hybridsnap.client.browser import Page
    from hybridsnap.render.rendering import Rendering

#: Tabs at most, and for how long.
_TABS = 20
_KEPT_SECONDS = 24 * 3600
#: Of a frame, as Chromium makes them. They name files here, and come from whatever speaks at an endpoint.
_FRAME_ID = re.compile("[0-9A-Za-z]{8,64}")


class _Shown(msgspec.Struct):
    """A snapshot, as far as ids are proven by it.

    Attributes:
        printed: the ids that were printed; None for all.
        refs: whether they were printed with the refs that the role format gives.
    """

    rows: list[Row]
    xpaths: dict[ElementId, str]
    urls: dict[ElementId, str]
    report: Report
    printed: frozenset[ElementId] | None
    refs: bool


def keep_shown(snapshot: Snapshot, rendering: Rendering | None) -> None:
    """Keep what was printed of a tab, in place of what was kept of it before.

    Args:
        snapshot: of a running browser's tab.
        rendering: what its reader saw of it; None for all.
    """
    # No folder (Windows has none), no room, half a surrogate pair.
    with contextlib.suppress(HybridsnapError, OSError, UnicodeEncodeError):
        path = _path(snapshot.report.frames[0].frame_id)
        path.unlink(missing_ok=True)  # whatever comes, it does not tell any more what was shown last
        xpaths = snapshot.combined_xpath_map
        data = msgspec.msgpack.encode(
            _Shown(
                list(snapshot.rows),
                {row.id: xpaths[row.id] for row in snapshot.rows if row.id is not None},
                dict(snapshot.combined_url_map),
                snapshot.report,
                None if rendering is None else rendering.ids,
                rendering is not None and rendering.extras.get("mode") == "role",
            )
        )
        path.parent.mkdir(mode=0o700, exist_ok=True)
        _make_room(path.parent)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(data)
        unfinished.replace(path)


def recall_shown(page: Page, named: Sequence[str], seen: Snapshot | None) -> list[ElementId]:
    """Have a page know what was shown of it.

    Args:
        page: of a running browser.
        named: ids, refs and selectors of what is to be acted on.
        seen: the snapshot in which they were read; None for the one that is kept.

    Returns:
        The ids that are not in what is kept.

    Raises:
        UsageError: `seen` is of another page; or refs are named, and nothing is kept that gave them.
    """
    if seen is not None:
        try:
            page.recall(seen)
        except ValueError as error:
            raise UsageError(f"--snapshot: {error}") from error
        return []
    ids = [ElementId(one) for one in dict.fromkeys(named) if is_element_id(one)]
    refs = [one for one in named if is_ref(one)]
    shown = _recall_kept(page) if ids or refs else None
    if refs and not (shown is not None and shown.refs):
        raise UsageError(
            f"{refs[0]} is a ref, and the last snapshot of this tab gave none; take one with --format role,"
            " or name the one that you have with --snapshot FILE (as --format json wrote it)"
        )
    if shown is None:
        return ids
    printed = {row.id for row in shown.rows}
    if shown.printed is not None:
        printed &= shown.printed
        page.note_printed(shown.report.snapshot_id, shown.printed)
    return [one for one in ids if one not in printed]


def _recall_kept(page: Page) -> _Shown | None:
    """Have a page know what is kept of its tab; None where that cannot be read, or is of another page."""
    try:
        shown = msgspec.msgpack.decode(_path(page.target_id).read_bytes(), type=_Shown)
        page.recall(Snapshot(shown.rows, shown.xpaths, shown.urls, shown.report))
    except (HybridsnapError, OSError, msgspec.MsgspecError, ValueError):
        return None
    return shown


def _path(frame_id: str) -> Path:
    """Where a tab's snapshot is kept; its frame's id is the tab's.

    Raises:
        HybridsnapError: the user has no private folder, or the id cannot name a file.
    """
    if _FRAME_ID.fullmatch(frame_id) is None:
        raise HybridsnapError(f"{frame_id!r} is not the id of a frame")
    return user_place().shown / frame_id


def _make_room(directory: Path) -> None:
    """Remove what is too old, and the oldest of what is too many."""
    kept = sorted(directory.iterdir(), key=lambda one: one.stat().st_mtime, reverse=True)
    oldest = time.time() - _KEPT_SECONDS
    for at, path in enumerate(kept):
        if at >= _TABS - 1 or path.stat().st_mtime < oldest:
            path.unlink(missing_ok=True)
