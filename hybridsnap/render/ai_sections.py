"""Step 3 of the outline for a model: rows that only group give way, and headings stand for their sections."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hybridsnap.render.ai_item import Item, holds, is_told_below
from hybridsnap.render.select import is_interactive

if TYPE_CHECKING:
    from collections.abc import Callable

#: Roles that say nothing around one thing.
_AROUND_ONE = frozenset({"listitem", "LabelText", "paragraph", "form"})
#: What a style sheet prints before an item of an ordered list: ``12.``, ``iv)``.
_NUMBER = re.compile(r"\w{1,6}[.)]")
#: So many structural siblings in a row are cards, and stay.
_CARDS = 3


def unwrap_children(item: Item) -> None:
    """Step 3, for the children of `item`."""
    below: list[Item] = []
    cards = len(item.below) >= _CARDS
    cards = cards and sum(child.wrapper and bool(child.below) for child in item.below) >= _CARDS
    labelled = _labelled(item)
    for child in item.below:
        wraps = child.wrapper
        role, inside = child.row.role, child.below
        if inside and role in _STAND_FOR and (line := _STAND_FOR[role](child)) is not None:
            below.append(line)
        elif role == "definition" and below and below[-1].row.role == "term":
            _define(below[-1], child)
        elif len(inside) == 1 and (wraps or (role in _AROUND_ONE and not child.name)):
            inside[0].tells += child.told()
            below.append(inside[0])
        elif wraps and inside and cards and child.is_section:
            below.append(_heading_of(child))
        elif wraps and inside and not cards:
            inside[0].tells += child.told()
            below += inside
        elif role == "LabelText" and not inside and (control := labelled.get(_without_blanks(child.text))):
            control.tells += child.told()
        elif inside or not (wraps or child.empty):
            below.append(child)
        else:
            item.tells += child.told()
    if len(below) == 1 and (below[0].wrapper or _is_card(item, below[0])):
        item.tells += below[0].told()
        below = below[0].below
    item.below = below


def _is_card(entry: Item, inside: Item) -> bool:
    """Whether an item of a list is an article, and nothing else: the item's own line is enough."""
    row = inside.row
    unnamed = not (inside.name or row.states or row.description)
    return entry.row.role == "listitem" and row.role == "article" and unnamed


def _define(term: Item, definition: Item) -> None:
    """Put a definition below its term; a line of its own only where it says something itself."""
    if definition.name or definition.row.states or definition.row.description:
        term.below.append(definition)
    else:
        term.below += definition.below
        term.tells += definition.told()


def _numbered(entry: Item) -> Item | None:
    """A numbered item of a list with its only paragraph: ``listitem: 2. Mix well``."""
    if len(entry.below) != 1 or not _NUMBER.fullmatch(entry.name):
        return None
    text = entry.below[0]
    row = text.row
    if row.role != "paragraph" or not text.name or text.below or row.states or row.description:
        return None
    entry.said, entry.name = f"{entry.text} {text.text}", f"{entry.name} {text.name}"
    entry.links, entry.linked, entry.below = text.links, text.linked, []
    entry.tells += text.told()
    return entry


def _only_term(entries: Item) -> Item | None:
    """The term of a list that has no other."""
    if entries.name or len(entries.below) != 1 or entries.below[0].row.role != "term":
        return None
    entries.below[0].tells += entries.told()
    return entries.below[0]


def _labelled(item: Item) -> dict[str, Item]:
    """Where an item has labels, the controls in it, or in wrappers in it (as of passwords often), by name."""
    found: dict[str, Item] = {}
    if all(one.row.role != "LabelText" for one in item.below):
        return found
    for one in item.below:
        for control in (one, *(one.below if one.wrapper else ())):
            if control.name and is_interactive(control.row):
                found.setdefault(_without_blanks(control.name), control)
    return found


def _without_blanks(name: str) -> str:
    """A name to compare: the mark of a required field is an element of its own in a label."""
    return "".join(name.split())


def _heading_of(section: Item) -> Item:
    """The heading of a section, with what else the section holds below it."""
    heading, *rest = section.below
    heading.below = rest
    heading.offscreen = section.offscreen
    heading.tells += section.told()
    return heading


def _heading_of_link(link: Item) -> Item | None:
    """The heading of a link that says no more than what stands in it, and holds nothing else to operate."""
    row = link.row
    if row.role != "link" or row.id is None or row.states or row.value or row.description:
        return None
    headings = [child for child in link.below if child.row.role == "heading"]
    if not headings or not headings[0].name or headings[0].below or not is_told_below(link):
        return None
    open_items = link.below[:]
    while open_items:
        inner = open_items.pop()
        if inner.links or is_interactive(inner.row):
            return None
        open_items += inner.below
    return _heading_with_link(headings[0], link)


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


def _said_by_group(item: Item) -> Item | None:
    """An item of a tree that is called nothing, with the text of the group that is all it holds.

    Chromium calls an element that can be dragged a group, and does not name what it stands in by its text.
    """
    if item.name or len(item.below) != 1:
        return None
    row, group = item.below[0].row, item.below[0]
    if row.role != "group" or row.name or row.states or row.description or group.below:
        return None
    item.name, item.said, item.links, item.linked = group.name, group.said, group.links, group.linked
    item.tells += group.told()
    item.below = []
    return item


#: Role → the line that stands for an item of it, or None.
_STAND_FOR: dict[str, Callable[[Item], Item | None]] = {
    "link": _heading_of_link,
    "listitem": _numbered,
    "DescriptionList": _only_term,
    "treeitem": _said_by_group,
}
