"""The snapshot's JSON form as text, within a budget.

JSON cannot be folded in its middle and stay JSON. What does not fit is left out row by row, as the outline
leaves it out: ``combinedTree`` is the folded outline, ``rows`` and the maps hold what it prints, and a note
in the report says how much that is. The result can be read back like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.json_data import encode_json
from hybridsnap.model import ElementId
from hybridsnap.render.content import RenderOptions
from hybridsnap.render.line_document import Line, LineDocument
from hybridsnap.render.outline import build_outline
from hybridsnap.render.rendering import Rendering
from hybridsnap.render.tree import render_tree

if TYPE_CHECKING:
    from hybridsnap.model import Row
    from hybridsnap.render.content import Content
    from hybridsnap.render.tokens import Budget, Tokenizer


def render_json(
    content: Content, snapshot: dict[str, Any], budget: Budget | None, tokenizer: Tokenizer | None
) -> Rendering:
    """The snapshot as JSON text.

    Args:
        content: the snapshot's.
        snapshot: its JSON form, whole.
        budget: the most the text may take; None for all of it.
        tokenizer: what counts tokens for `Rendering.stats`.

    Raises:
        ValueError: the budget is too small for anything.
    """
    text = encode_json(snapshot)
    if budget is None or budget.count(text) <= budget.most:
        return _rendering(text, snapshot, tokenizer)
    document = build_outline(content, RenderOptions())
    best: tuple[str, dict[str, Any]] | None = None
    low, high = 0, budget.most
    while high - low > max(1, budget.most // 100):
        most = (low + high) // 2
        try:
            outline = Rendering.of("tree", document, budget._replace(most=most))
        except ValueError:
            low = most
            continue
        part = _shortened(content, snapshot, outline)
        text = encode_json(part)
        if budget.count(text) <= budget.most:
            best, low = (text, part), most
        else:
            high = most
    if best is None:
        raise ValueError(
            f"{budget.name}={budget.most} is too small to show anything of this page as JSON;"
            " allow some thousand"
        )
    return _rendering(*best, tokenizer)


def _rendering(text: str, data: dict[str, Any], tokenizer: Tokenizer | None) -> Rendering:
    ids = tuple(ElementId(row["id"]) for row in data["rows"] if row["id"] is not None)
    return Rendering.of("json", LineDocument([Line(0, text, "json", tells=ids)]), tokenizer=tokenizer)


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
