"""What every format is made of before it is text: lines that know what they show.

A format builds a `LineDocument`: a flat list of lines in document order, each with its depth.
`hybridsnap.render.budget` makes it fit a budget without knowing the format; `hybridsnap.render.rendering`
prints it.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.model import ElementId


@dataclasses.dataclass(slots=True)
class Line:
    """One line, its subtree being the deeper lines that follow it.

    Attributes:
        depth: 0 at the top; a line's children stand exactly one deeper.
        text: without indentation and without a line end.
        kind: what a fold calls lines like this: a role, or a role and a tag.
        id: the element it shows; None where there is none.
        tells: further elements whose content the line tells.
        role: Chromium's role of the element, by which a budget ranks the line; "" for text without one.
        level: of a heading, from 1; 0 for anything else. In outlines a heading holds what follows it.
        interactive: how many elements of the line a person can operate: its own, and those among its text.
        linked: characters of the text that are names of links among it, with their ids.
        in_view: the element is visible in the viewport; None when no layout is known.
        minor: printed after all else: it says again what a line above it has said, or says what is gone.
        seen: it stood on the page that was read before: it is printed after all that is new.
        kept: printed before all else: a page's head, a missing frame.
        folded: printed only when its fold is opened, even where there is room.
        head: stands above all else and belongs to no element.
        closing: printed after its subtree at the same depth: ``</div>``.
        ref: the ref that it prints, in formats that have such.
        brief: printed where the text takes too much of a budget, after a fold that leads to it; "" where the
            text can be cut anywhere.
    """

    depth: int
    text: str
    kind: str
    id: ElementId | None = None
    tells: tuple[ElementId, ...] = ()
    role: str = ""
    level: int = 0
    interactive: int = 0
    linked: int = 0
    in_view: bool | None = None
    minor: bool = False
    seen: bool = False
    kept: bool = False
    folded: bool = False
    head: bool = False
    closing: str = ""
    ref: str = ""
    brief: str = ""


@dataclasses.dataclass(slots=True)
class LineDocument:
    """A format's lines, and how they are put together.

    Attributes:
        lines: in document order.
        indent: for each level.
        separator: between two lines.
        fold: how a fold is written; ``{}`` is replaced by its words. Formats whose lines are plain text
            (``{}``) also fold what stands below a line at that line's end.
        extras: what the format gives beside its text, such as ``refs``; becomes `Rendering.extras`.
        opened: elements whose lines come first in a budget, with all below them (`hybridsnap.render.opened`).
    """

    lines: list[Line]
    indent: str = "  "
    separator: str = "\n"
    fold: str = "{}"
    extras: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    opened: frozenset[ElementId] = frozenset()
