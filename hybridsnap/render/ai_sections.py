"""Step 3 of the outline for a model: rows that only group give way, and headings stand for their sections."""

from __future__ import annotations

from hybridsnap.render.ai_item import Item, holds, is_told_below
from hybridsnap.render.select import is_interactive

#: Roles that say nothing around one thing.
_AROUND_ONE = frozenset({"listitem", "LabelText", "paragraph"})
#: So many structural siblings in a row are cards, and stay.
_CARDS = 3


def unwrap_children(item: Item) -> None:
    """Step 3, for the children of `item`."""
    below: list[Item] = []
    controls = {child.name: child for child in item.below if is_interactive(child.row) and child.name}
    cards = sum(child.wrapper and bool(child.below) for child in item.below) >= _CARDS
    for child in item.below:
        if child.row.role == "LabelText" and not child.below and child.name in controls:
            controls[child.name].tells += child.told()
            continue
        if (heading := _heading_of_link(child)) is not None:
            below.append(_heading_with_link(heading, child))
            continue
        around_one = len(child.below) == 1 and (
            child.wrapper or (child.row.role in _AROUND_ONE and not child.name)
        )
        if around_one:
            inner = child.below[0]
            inner.tells += child.told()
            below.append(inner)
        elif child.is_section and cards:
            below.append(_heading_of(child))
        elif child.wrapper and child.below and not cards:
            child.below[0].tells += child.told()
            below += child.below
        elif child.below or not (child.wrapper or child.empty):
            below.append(child)
        else:
            item.tells += child.told()
    if len(below) == 1 and below[0].wrapper:
        item.tells += below[0].told()
        below = below[0].below
    item.below = below


def _heading_of(section: Item) -> Item:
    """The heading of a section, with what else the section holds below it."""
    heading, *rest = section.below
    heading.below = rest
    heading.offscreen = section.offscreen
    heading.tells += section.told()
    return heading


def _heading_of_link(link: Item) -> Item | None:
    """The heading in a link that says no more than what stands in it, and holds nothing else to operate."""
    row = link.row
    if row.role != "link" or row.id is None or row.states or row.value or row.description:
        return None
    headings = [child for child in link.below if child.row.role == "heading"]
    if len(headings) != 1 or not headings[0].name or headings[0].below or not is_told_below(link):
        return None
    open_items = link.below[:]
    while open_items:
        inner = open_items.pop()
        if inner.links or is_interactive(inner.row):
            return None
        open_items += inner.below
    return headings[0]


def _heading_with_link(heading: Item, link: Item) -> Item:
    """A heading that is a link, in one line: ``heading: [0-12] Tea``; below it what else the link holds."""
    heading.below = [child for child in link.below if child is not heading]
    for child in heading.below[:]:
        if not child.below and not child.row.states and holds(heading.name, child.name):
            heading.below.remove(child)
            heading.tells += child.told()
    heading.said, heading.name = heading.text, f"[{link.row.id}] {heading.name}"
    heading.offscreen = heading.offscreen or link.offscreen
    heading.links = (*link.links, *link.told()[:1])
    heading.tells += link.told()
    return heading
