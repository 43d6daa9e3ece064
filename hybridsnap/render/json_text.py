"""The snapshot's JSON form as text, within a budget.

JSON cannot be folded in its middle and stay JSON. What does not fit is left out row by row, as the outline
leaves it out: ``combinedTree`` is the folded outline, ``rows`` and the maps hold what it prints, and a note
in the report says how much that is. The result can be read back like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.json_data import escape_hiding
from hybridsnap.model import ElementId
from hybridsnap.render.content import RenderOptions
from hybridsnap.render.fold import count_tokens
from hybridsnap.render.lines import Line, Sketch
from hybridsnap.render.rendering import Rendering
from hybridsnap.render.tree import build_tree, render_tree

if TYPE_CHECKING:
    from hybridsnap.model import Row
    from hybridsnap.render.content import Content
    from hybridsnap.render.fold import Tokenizer


def render_json(
    content: Content, snapshot: dict[str, Any], max_tokens: int | None, tokenizer: Tokenizer | None
) -> Rendering:
    """The snapshot as JSON text.

    Args:
        content: the snapshot's.
        snapshot: its JSON form, whole.
        max_tokens: the most the text may take; None for all of it.
        tokenizer: text → tokens; four characters each without one.

    Raises:
        ValueError: the budget is too small for anything.
    """
    count = tokenizer or count_tokens
    text = _encode(snapshot)
    if max_tokens is None or count(text) <= max_tokens:
        return _rendering(text, snapshot)
    sketch = build_tree(content, RenderOptions())
    best: tuple[str, dict[str, Any]] | None = None
    low, high = 0, max_tokens
    while high - low > max(1, max_tokens // 100):
        budget = (low + high) // 2
        try:
            outline = Rendering.of("tree", sketch, budget, tokenizer)
        except ValueError:
            low = budget
            continue
        part = _shortened(content, snapshot, outline)
        text = _encode(part)
        if count(text) <= max_tokens:
            best, low = (text, part), budget
        else:
            high = budget
    if best is None:
        raise ValueError(
            f"max_tokens={max_tokens} is too small to show anything of this page as JSON; allow some thousand"
        )
    return _rendering(*best)


def _encode(data: dict[str, Any]) -> str:
    return escape_hiding(msgspec.json.encode(data).decode())


def _rendering(text: str, data: dict[str, Any]) -> Rendering:
    ids = tuple(ElementId(row["id"]) for row in data["rows"] if row["id"] is not None)
    return Rendering.of("json", Sketch([Line(0, text, "json", tells=ids)]))


def _shortened(content: Content, whole: dict[str, Any], outline: Rendering) -> dict[str, Any]:
    """The JSON form with only the rows that an outline prints."""
    numbers = outline.shown
    ids = {row.id for row in (content.rows[at] for at in numbers) if row.id is not None}
    by_frame: dict[int, list[Row]] = {}
    for at in numbers:
        by_frame.setdefault(content.rows[at].frame, []).append(content.rows[at])
    note = f"shortened to fit: {len(numbers):,} of {len(content.rows):,} rows, folded as combinedTree says"
    frames = []
    for frame in whole["perFrame"]:
        rows = by_frame.get(frame["ordinal"], [])
        base = min((row.depth for row in rows), default=0)
        frames.append(
            {
                **frame,
                "outline": render_tree(rows, base_depth=base),
                "xpathMap": _only(frame["xpathMap"], ids),
                "urlMap": _only(frame["urlMap"], ids),
            }
        )
    part = {
        **whole,
        "combinedTree": str(outline),
        "combinedXpathMap": _only(whole["combinedXpathMap"], ids),
        "combinedUrlMap": _only(whole["combinedUrlMap"], ids),
        "perFrame": frames,
        "rows": [whole["rows"][at] for at in numbers],
        "report": {**whole["report"], "notes": [*whole["report"]["notes"], note]},
    }
    if "layout" in whole:
        part["layout"] = {**whole["layout"], "boxes": _only(whole["layout"]["boxes"], ids)}
    return part


def _only(entries: dict[str, Any], ids: set[ElementId]) -> dict[str, Any]:
    return {id_: entry for id_, entry in entries.items() if id_ in ids}
