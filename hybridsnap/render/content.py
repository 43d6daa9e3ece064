"""What a format may look at."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import ElementId, Layout, Report, Row


@dataclasses.dataclass(frozen=True, slots=True)
class Content:
    """A snapshot's content, from its data side.

    Attributes:
        rows: all frames merged, in document order.
        xpaths: element id → XPath through all frames.
        urls: element id → URL.
        report: what is here and what is missing.
        layout: where things stand; None when it was not asked for.
        capture: DOM indexes and AX trees behind the rows; None when the snapshot was read from JSON.
    """

    rows: Sequence[Row]
    xpaths: Mapping[ElementId, str]
    urls: Mapping[ElementId, str]
    report: Report
    layout: Layout | None
    capture: Capture | None

    def in_view(self, element_id: ElementId | None) -> bool | None:
        """Whether an element is visible in the viewport; None where that was not asked for."""
        if self.layout is None:
            return None
        box = None if element_id is None else self.layout.boxes.get(element_id)
        return box is not None and box.visible_share > 0

    def source(self, format_: str) -> Capture:
        """The DOM and the AX trees.

        Raises:
            ValueError: the snapshot has rows only.
        """
        if self.capture is None:
            raise ValueError(
                f"{format_!r} needs the page's DOM and accessibility tree; a snapshot that was read from JSON"
                " holds its rows only (tree, role, ai, records and json can be rendered from it)"
            )
        return self.capture


@dataclasses.dataclass(frozen=True, slots=True)
class RenderOptions:
    """What a rendering leaves out, and how; see `Snapshot.render`.

    Attributes:
        interactive: only interactive elements, with the ancestors that give them meaning, and the first text
            in those that listen to clicks and have no name.
        flat: with `interactive`: without those ancestors.
        compact: no unnamed structural rows, no branches without an interactive or named element.
        max_depth: levels, the top one being 0; None for all.
        visible_only: only what a person can see; needs layout.
        urls: links with their URL.
        query: only lines that hold all these words, and what stands above them.
        frame: only this frame's ordinal.
        scope: only these elements' subtrees.
        detail: how much is printed of each row (`hybridsnap.render.detail`).
        special: options of one format only, by name.
    """

    interactive: bool = False
    flat: bool = False
    compact: bool = False
    max_depth: int | None = None
    visible_only: bool = False
    urls: bool = False
    query: str = ""
    frame: int | None = None
    scope: tuple[ElementId, ...] | None = None
    detail: str = "lean"
    special: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def given(self) -> dict[str, Any]:
        """The options that are not as they are by themselves."""
        return {
            field.name: value
            for field in dataclasses.fields(self)
            if (value := getattr(self, field.name)) not in (field.default, {})
        }
