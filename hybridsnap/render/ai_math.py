"""Step 1 of the outline for a model, for MathML: a formula is a text, ``a+b^2``."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridsnap.render.ai_item import Item

#: How the roles of a formula and its elements begin.
MATH = "MathML"
#: Role → what stands between its parts.
_MARKS = {
    "MathMLFraction": "/",
    "MathMLSup": "^",
    "MathMLOver": "^",
    "MathMLSub": "_",
    "MathMLUnder": "_",
    "MathMLSubSup": "_^",
    "MathMLUnderOver": "_^",
}


def take_in_math(item: Item) -> None:
    """Make an element of a formula, whose parts are text, a text itself."""
    parts = item.below
    if item.name or not all(map(_is_text, parts)):
        return
    marks = _MARKS.get(item.row.role, "")
    said = [part.text if not marks or len(part.text) == 1 else f"({part.text})" for part in parts]
    item.name = "".join(mark + text for mark, text in itertools.zip_longest(("", *marks), said, fillvalue=""))
    for part in parts:
        item.tells += part.told()
    item.below = []


def _is_text(part: Item) -> bool:
    return part.plain or (part.row.role.startswith(MATH) and not (part.below or part.row.states))
