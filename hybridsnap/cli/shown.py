"""What was printed of a running browser's tabs, kept for ``act`` and ``evaluate``.

Each command is a process of its own, and an id proves nothing to one that does not know what it stood for. So
the last ``hybridsnap snapshot`` of each tab, and what ``act --diff`` printed of it since, are kept for a day,
in the user's own folder (`hybridsnap.background.place`).
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
#: Snapshots of a tab: the whole one, and the last of those of which changes were printed since.
_SNAPSHOTS = 16
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


def keep_shown(snapshot: Snapshot, rendering: Rendering | None, *, changes: bool = False) -> None:
    """Keep what was printed of a tab, in place of what was kept of it before.

    Args:
        snapshot: of a running browser's tab.
        rendering: what its reader saw of it; None for all.
        changes: only what changed was printed: what was kept of the same document goes on to count.
    """
    # No folder (Windows has none), no room, half a surrogate pair.
    with contextlib.suppress(HybridsnapError, OSError, UnicodeEncodeError):
        path = _path(snapshot.report.frames[0].frame_id)
        before = _read(path) if changes else []
        path.unlink(missing_ok=True)  # whatever comes, it does not tell any more what was shown last
        xpaths = snapshot.combined_xpath_map
        shown = _Shown(
            list(snapshot.rows),
            {row.id: xpaths[row.id] for row in snapshot.rows if row.id is not None},
            dict(snapshot.combined_url_map),
            snapshot.report,
            None if rendering is None else rendering.ids,
            rendering is not None and rendering.extras.get("mode") == "role",
        )
        document = snapshot.report.frames[0].loader_id
        kept = [one for one in before if one.report.frames[0].loader_id == document]
        # The changes that were printed first go first: most ids are of the whole snapshot.
        kept = [*kept[:1], *kept[1:][-(_SNAPSHOTS - 2) :], shown]
        data = msgspec.msgpack.encode(kept)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        _make_room(path.parent)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(data)
        unfinished.replace(path)


def recall_shown(
    page: Page, named: Sequence[str], seen: Snapshot | None, *, always: bool = False
) -> list[ElementId]:
    """Have a page know what was shown of it.

    Args:
        page: of a running browser.
        named: ids, refs and selectors of what is to be acted on.
        seen: the snapshot in which they were read; None for what is kept.
        always: also where nothing is named: what is printed next is kept beside it, so frames must have the
            numbers that they have there.

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
    kept = _recall_kept(page, with_refs=bool(refs)) if ids or refs or always else []
    if refs and not any(shown.refs for shown in kept):
        raise UsageError(
            f"{refs[0]} is a ref, and the last snapshot of this tab gave none; take one with --format role,"
            " or name the one that you have with --snapshot FILE (as --format json wrote it)"
        )
    printed: set[ElementId | None] = set()
    for shown in kept:
        rows = {row.id for row in shown.rows}
        printed |= rows if shown.printed is None else rows & shown.printed
    return [one for one in ids if one not in printed]


def _recall_kept(page: Page, *, with_refs: bool) -> list[_Shown]:
    """Have a page know what is kept of its tab, oldest first; nothing where that cannot be read."""
    kept: list[_Shown] = []
    with_their_refs: Snapshot | None = None
    with contextlib.suppress(HybridsnapError, OSError, msgspec.MsgspecError, ValueError):
        for shown in _read(_path(page.target_id)):
            snapshot = Snapshot(shown.rows, shown.xpaths, shown.urls, shown.report)
            page.recall(snapshot)
            if shown.printed is not None:
                page.note_printed(shown.report.snapshot_id, shown.printed)
            if shown.refs:
                with_their_refs = snapshot
            kept.append(shown)
    if with_refs and with_their_refs is not None and with_their_refs.report is not kept[-1].report:
        with_their_refs.render("role")  # its refs count, and not those that what was printed later would have
    return kept


def _read(path: Path) -> list[_Shown]:
    """What is kept in a file; nothing when it cannot be read."""
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=list[_Shown])
    except (OSError, msgspec.MsgspecError):
        return []


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
