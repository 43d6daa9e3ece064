"""What a page holds and its accessibility tree does not: as rows, made from the DOM.

- Content below ``aria-hidden``, which a person sees and a screen reader does not: it stands where it is on
  the page, marked ``[aria-hidden]``. What a name beside it says already, and icons, are left out. Whether it
  is seen is known with layout; without, where Chromium lists an ignored AX node in it that it lists of
  visible elements only (buttons, links, their texts; measured in Chromium 156).
- Content that is not rendered while it is out of view (`hybridsnap.capture.unrendered`): where it is on the
  page, marked ``[offscreen]``.
- Other content below ``aria-hidden``, the page behind a modal dialog or menu, ``inert`` content, and what has
  ``visibility: hidden`` (with layout): one line each at the end, which says how much there is, and opens.
  What is there and not seen for another cause has lines there, too (`hybridsnap.render.unseen`).
- All of a page of which nothing is shown, as while it loads: the same.

Roles are those that HTML gives to its elements (HTML-AAM). These rows are made when a format is printed, an
element is looked for, or snapshots are compared; `Snapshot.rows` has the accessibility tree's only.
"""

from __future__ import annotations

import copy
import dataclasses
import itertools
import re
from typing import TYPE_CHECKING

import msgspec

from hybridsnap.capture.dom import UNREAD_TAGS
from hybridsnap.capture.layout import TRANSPARENT
from hybridsnap.capture.roles import CHECKABLE_ROLES, CLICKABLE, FRAME_ROLE, OFFSCREEN, ROOT_ROLE
from hybridsnap.capture.xpath import CDATA, ELEMENT, TEXT
from hybridsnap.model import MISSING_FRAME, ElementId, Row
from hybridsnap.render.dom import attributes_of, find_documents
from hybridsnap.render.ignored_nodes import IgnoredNodes
from hybridsnap.render.modals import find_modals, positions_in_body
from hybridsnap.render.tree import NOT_SHOWN
from hybridsnap.render.unseen import unseen_lines
from hybridsnap.text import squeeze

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.model import Box
    from hybridsnap.protocol.replies import DOMNode
    from hybridsnap.render.content import Content
    from hybridsnap.render.modals import Modal

#: The state of content that the accessibility tree hides.
ARIA_HIDDEN = "aria-hidden"
_ROLES = {
    "button": "button",
    "textarea": "textbox",
    "select": "combobox",
    "img": "image",
    "p": "paragraph",
    "li": "listitem",
    "ul": "list",
    "ol": "list",
    "table": "table",
    "tr": "row",
    "td": "cell",
    "th": "columnheader",
    "nav": "navigation",
    "main": "main",
    "form": "form",
    "summary": "DisclosureTriangle",
    **{f"h{level}": "heading" for level in range(1, 7)},
}
_INPUT_ROLES = {
    "button": "button",
    "submit": "button",
    "reset": "button",
    "image": "button",
    "file": "button",
    "checkbox": "checkbox",
    "radio": "radio",
    "range": "slider",
    "number": "spinbutton",
    "search": "searchbox",
}
#: Roles of what is typed into.
_TYPED = frozenset({"textbox", "searchbox", "spinbutton", "slider"})
#: Attributes that name an element whose text does not.
_NAMING = ("alt", "title", "placeholder")
#: Elements whose text is their name.
_NAMED_BY_TEXT = frozenset({"a", "button", "summary", "h1", "h2", "h3", "h4", "h5", "h6"})
_NOT_RENDERED = re.compile(r"display:\s*none|visibility:\s*hidden")
#: A picture with an alternative of so few letters is a part of the text around it.
_LETTERS = 2
#: Rows on both sides in which text below ``aria-hidden`` may be said already.
_BESIDE = 3


def with_unexposed(content: Content) -> Content:
    """The content with rows for what the accessibility tree leaves out, and for what is not shown.

    Cost: one look at the attributes of each node; the rest grows with what is found.
    """
    places, last, replaced = _read(content)
    return _with_rows(content, places, [*last, *unseen_lines(content)], replaced)


def with_shown(content: Content, other: Content | None = None) -> Content:
    """The content with rows for what is shown on the page, and the accessibility tree leaves out.

    Args:
        content: a snapshot's.
        other: of the snapshot that it is compared with. What holds an element that only that one's
            accessibility tree has is left out as a whole: the rows of the two are made in different ways.

    Cost: as `with_unexposed`.
    """
    places, _, replaced = _read(content)
    if places and other is not None:
        only_there = {row.id for row in other.rows}.difference(row.id for row in content.rows)
        places = [one for one in places if only_there.isdisjoint(row.id for row in one[1])]
        kept = {row.id for _, made in places for row in made}
        replaced = {at for at in replaced if content.rows[at].id in kept}
    return _with_rows(content, places, [], replaced)


def _read(content: Content) -> tuple[list[tuple[int, list[Row]]], list[Row], set[int]]:
    """What `with_unexposed` adds.

    Returns:
        The rows of what is shown, each with the number of the row they stand before; the lines at the end,
        without `unseen_lines`; and the numbers of the rows that others stand for.
    """
    capture = content.capture
    if capture is None:
        return [], [], set()
    rows = content.rows
    ids = {frame.ordinal: frame.frame_id for frame in content.report.frames}
    # A part of a page may be one row: a button whose icon is all that it shows.
    is_empty = not rows or (len(rows) == 1 and rows[0].role == ROOT_ROLE)
    modals = find_modals(rows, capture)
    unseen = _invisible(content)
    row_at: dict[ElementId, int] = {}
    places: list[tuple[int, list[Row]]] = []
    last: list[Row] = []
    replaced: set[int] = set()
    for ordinal, (_, index, document) in find_documents(capture).items():
        tree = capture.ax_trees.get(ids[ordinal])
        if tree is None:
            continue
        modal = modals.get(ordinal)
        unrendered = [at for id_ in index.unrendered if (at := index.position.get(id_)) is not None]
        is_blank = ordinal == 0 and is_empty and content.layout is None
        if not (index.hiding or unrendered or modal is not None or ordinal in unseen or is_blank):
            continue
        row_at = row_at or {row.id: at for at, row in enumerate(rows) if row.id is not None}
        frame = _Frame(content, index, ordinal, document, row_at)
        if modal is not None and modal.but >= 0:
            last += frame.behind(modal, modal.tops)
            continue
        if index.hiding:
            places += frame.read(index.hiding, IgnoredNodes(index, tree.nodes), modal)
            last += frame.behind(modal, frame.covered) if modal is not None else ()
        places += frame.read_unrendered(unrendered)
        is_blank = is_blank and not places
        last += frame.blank() if is_blank else frame.not_shown(unseen.get(ordinal, ()))
        replaced |= frame.replaced
    return places, last, replaced


def _with_rows(
    content: Content, places: list[tuple[int, list[Row]]], last: list[Row], replaced: set[int]
) -> Content:
    """The content with rows as `_read` gives them."""
    if not places and not last:
        return content
    places.sort(key=lambda place: place[0])
    rows = content.rows
    merged: list[Row] = []
    done = 0
    for at, made in [*places, (len(rows), last)]:
        between = rows[done:at]
        if replaced:
            between = [row for number, row in enumerate(between, done) if number not in replaced]
        merged += between
        merged += made
        done = at
    return dataclasses.replace(content, rows=merged)


def _invisible(content: Content) -> dict[int, list[ElementId]]:
    """By frame, what takes its place and is not drawn; known with layout only."""
    found: dict[int, list[ElementId]] = {}
    for id_, box in ({} if content.layout is None else content.layout.boxes).items():
        if box.provenance == "transparent" and box.opacity >= TRANSPARENT:
            found.setdefault(int(id_.partition("-")[0]), []).append(id_)
    return found


class _Frame:
    """One document of the page, with the rows that it has."""

    def __init__(
        self,
        content: Content,
        index: SessionDomIndex,
        ordinal: int,
        document: int,
        row_at: Mapping[ElementId, int],
    ) -> None:
        self._rows = content.rows
        self._index = index
        self._ordinal = ordinal
        self._document = document
        self._row_at = row_at
        self.boxes: dict[ElementId, Box] | None = None if content.layout is None else content.layout.boxes
        #: Numbers of rows that others stand for.
        self.replaced: set[int] = set()
        #: Hidden by a modal, and not for the eye.
        self.covered: list[int] = []
        self._inert: list[int] = []
        #: Below ``aria-hidden``, and nothing says whether it is seen.
        self._unseen: list[int] = []

    def read(
        self, hiding: Sequence[int], ignored: IgnoredNodes, modal: Modal | None
    ) -> list[tuple[int, list[Row]]]:
        """Read the elements that hide their content from the accessibility tree.

        Args:
            hiding: the positions of elements with ``aria-hidden`` or ``inert``, in document order.
            ignored: of the document's accessibility tree.
            modal: what has hidden some of them.

        Returns:
            The rows of what is seen below ``aria-hidden``, each with the number of the row they stand before.
        """
        index, places = self._index, list[tuple[int, list[Row]]]()
        after = 0
        for here in hiding:
            is_inert = index.attribute(here, "inert") is not None
            if here < after or not (is_inert or index.attribute(here, "aria-hidden") == "true"):
                continue
            if index.documents[here] != self._document or index.in_user_agent_shadow(here):
                continue
            end = index.end_of(here)
            inside = {at: self._row_at.get(self._id(at)) for at in range(here, end)}
            inside = {at: None if self._is_frame(row) else row for at, row in inside.items()}
            rows = {at for at, row in inside.items() if row is not None}
            if any(index.nodes[at].backend_node_id not in ignored.ids for at in rows):
                continue  # Chromium takes no notice of it: on the body, or where the focus is
            after = end
            is_seen = is_inert or self.boxes is not None or ignored.show_rendered(here)
            if is_seen and modal is not None and here in modal.hidden:
                self.covered.append(here)
            elif is_inert:
                self._inert.append(here)
            elif is_seen:
                found = list(self._place(here, end))
                places += ((at, [_marked(made[0], ARIA_HIDDEN), *made[1:]]) for at, made in found)
                # What scrolls in it has a row already, without role and name.
                shown = {row.id for _, rows_there in found for row in rows_there}
                self.replaced.update(
                    row for row in inside.values() if row is not None and self._rows[row].id in shown
                )
            else:
                self._unseen.append(here)
        return places

    def read_unrendered(self, tops: Sequence[int]) -> Iterator[tuple[int, list[Row]]]:
        """The rows below elements that are not rendered while out of view; places as `read` gives them."""
        without_boxes = copy.copy(self)  # what is not rendered has none
        without_boxes.boxes = None
        return without_boxes.read_out_of_view(tops)

    def read_out_of_view(self, tops: Sequence[int]) -> Iterator[tuple[int, list[Row]]]:
        """As `read_unrendered`, as far as the markup tells."""
        for here in sorted(tops):
            if self._index.documents[here] != self._document:
                continue
            own = self._row_at.get(self._id(here))
            if own is None:
                places = list(self._place(here, self._index.end_of(here), repeats=True))
            else:  # it has a row, with nothing below
                row = self._rows[own]
                inner = [
                    self._index.position[child.backend_node_id] for child in self._index.nodes[here].children
                ]
                places = [(own, [row, *self._below(inner, row.depth + 1)])]
                self.replaced.add(own)
            for at, made in places:
                yield at, [_marked(row, OFFSCREEN) for row in made]

    def _is_frame(self, row: int | None) -> bool:
        """Whether a row is a frame's, which is captured wherever it stands."""
        return row is not None and self._rows[row].role in {FRAME_ROLE, MISSING_FRAME}

    def _place(self, here: int, end: int, *, repeats: bool = False) -> Iterator[tuple[int, list[Row]]]:
        """The rows of an element that the AX tree leaves out, with the number of the row they stand before.

        Args:
            here: the element's position.
            end: where its subtree ends.
            repeats: also what the rows around say.
        """
        above = self._index.parents[here]
        while above >= 0 and self._id(above) not in self._row_at:
            above = self._index.parents[above]
        start = self._row_at.get(self._id(above)) if above >= 0 else None
        if start is None:
            return
        depth = self._rows[start].depth + 1
        inside = itertools.takewhile(
            lambda at: self._index.parents[at] >= above, range(end, len(self._index.nodes))
        )
        following = (self._row_at.get(self._id(at)) for at in inside)
        at = next((row for row in following if row is not None and row > start), None)
        if at is None:  # behind all that stands in the element above
            at = start + 1
            while at < len(self._rows) and self._rows[at].depth >= depth:
                at += 1
        while at < len(self._rows) and self._rows[at].depth > depth:
            at += 1
        made = self._made(here, depth)
        if made and (repeats or not self._is_said(made, start, at)):
            yield at, made

    def _made(self, here: int, depth: int) -> list[Row]:
        """The rows of an element that the AX tree leaves out; none without words or anything to operate."""
        below = list(self._below([here], depth + 1))
        if not any(any(map(str.isalnum, row.name)) or row.role in _OPERATED for row in below):
            return []
        top = below[0]
        element = self._id(here)
        if top.id == element:
            below = [_at_depth(row, row.depth - 1) for row in below]
        else:
            top = Row(element, depth, "generic", "", "", "", (), self._index.tags[here], self._ordinal)
            below.insert(0, top)
        return below

    def _is_said(self, made: Sequence[Row], start: int, at: int) -> bool:
        """Whether the rows around say the same, or it is an icon."""
        above = self._rows[start]
        if above.role in CHECKABLE_ROLES and all(
            row.role in {*CHECKABLE_ROLES, "generic"} and not row.name for row in made
        ):
            return True  # as Quasar's, which has the native one inside
        if any(row.role in _OPERATED or CLICKABLE in row.states for row in made):
            return False
        text = squeeze(" ".join(row.name for row in made if row.name))
        if self._is_icon(made[0]):
            return True
        if len(text) <= _LETTERS and made[0].role == "image":  # of a formula, as A is
            return False
        beside = [above, *self._rows[max(start, at - _BESIDE) : at + _BESIDE]]
        return len(text) <= 1 or any(text in squeeze(row.name) for row in beside)

    def _is_icon(self, row: Row) -> bool:
        """Whether an element is named as icon fonts are, whose text is the name of a picture."""
        assert row.id is not None
        return "icon" in (self._index.attribute(self._index.position_of(row.id), "class") or "").lower()

    def behind(self, modal: Modal, tops: Sequence[int]) -> Iterator[Row]:
        """A line for what a modal dialog or menu hides below these positions, with its content below."""
        yield from self._folded(f"behind the {modal.word}", list(self._below(tops, 1, without=modal.but)))

    def blank(self) -> Iterator[Row]:
        """A line for a page of which nothing is shown, with what its DOM has."""
        body = list(self._below(positions_in_body(self._index, self._document), 1))
        yield from self._folded("not shown, hidden by style or not ready", body)

    def not_shown(self, invisible: Sequence[ElementId]) -> Iterator[Row]:
        """Lines for what is hidden as a whole, each with its content below."""
        yield from self._folded("not shown, inert", list(self._below(self._inert, 1)))
        unseen = [made for at in self._unseen for _, made in self._place(at, self._index.end_of(at))]
        rows = [_at_depth(row, row.depth - made[0].depth + 1) for made in unseen for row in made]
        yield from self._folded("left out, aria-hidden", rows)
        yield from self._folded("not shown, visibility: hidden", self._hidden(invisible))

    def _folded(self, words: str, below: list[Row]) -> Iterator[Row]:
        if below:
            number = sum(row.role != "generic" or CLICKABLE in row.states for row in below)
            count = f"{number:,} element{'s' if number > 1 else ''}"
            yield Row(None, 0, NOT_SHOWN, f"{words}: {count}", "", "", (), "", self._ordinal)
            yield from below

    def _hidden(self, ids: Sequence[ElementId]) -> list[Row]:
        """Rows for these nodes, as far as they have none, in document order."""
        found = set(map(self._index.position_of, ids))
        tops = [at for at in sorted(found) if at >= 0 and self._index.parents[at] not in found]
        rows = self._below(tops, 1, unseen=True)
        rows = (row for row in rows if row.id not in self._row_at and not self._is_named(row))
        return [row for row in rows if not (row.role in _READ and _is_symbol(row.name))]

    def _is_named(self, row: Row) -> bool:
        """Whether a row above says this text by its name."""
        if row.role != "StaticText" or row.id is None:
            return False
        above = self._row_at.get(self._id(self._index.parents[self._index.position_of(row.id)]))
        return above is not None and bool(self._rows[above].name)

    def _below(
        self, tops: Sequence[int], depth: int, *, without: int = -1, unseen: bool = False
    ) -> Iterator[Row]:
        """Rows of the elements and texts of some subtrees, as the DOM knows them.

        Args:
            tops: the positions of the subtrees' roots.
            depth: of their rows.
            without: the position of a subtree that is left out.
            unseen: what ``visibility: hidden`` hides, too.
        """
        open_nodes = [(self._index.nodes[at], depth) for at in reversed(tops)]
        left_out = self._index.nodes[without] if without >= 0 else None
        while open_nodes:
            node, level = open_nodes.pop()
            if node is left_out:
                continue
            if node.node_type in (TEXT, CDATA):
                if node.node_value.strip() and self._is_drawn(node, unseen=unseen):
                    yield self._row(node, level, "StaticText", squeeze(node.node_value))
                continue
            if node.node_type == ELEMENT:
                if node.local_name.lower() in UNREAD_TAGS or not self._is_drawn(node, unseen=unseen):
                    continue
                row = self._element(node, level, unseen=unseen)
                if row is not None:
                    yield row
                    if row.name and (node.local_name.lower() in _NAMED_BY_TEXT or CLICKABLE in row.states):
                        continue
                    level += 1
            if node.local_name.lower() == "select":
                continue
            roots = (root for root in node.shadow_roots if root.shadow_root_type != "user-agent")
            children = [child for root in roots for child in root.children]
            open_nodes.extend((child, level) for child in reversed([*children, *node.children]))

    def _is_drawn(self, node: DOMNode, *, unseen: bool) -> bool:
        """Whether a node takes a place on the page; without layout, as far as its markup says."""
        if self.boxes is not None and node.node_type != ELEMENT:
            return self._has_box(node, unseen=unseen)
        attributes = node.attributes
        if unseen or not attributes or node.node_type != ELEMENT:
            return True
        known = dict(zip(attributes[::2], attributes[1::2], strict=False))
        return "hidden" not in known and not _NOT_RENDERED.search(known.get("style", ""))

    def _has_box(self, node: DOMNode, *, unseen: bool) -> bool:
        box = None if self.boxes is None else self.boxes.get(self._id_of(node))
        return box is not None and (
            (box.provenance == "transparent" and box.opacity >= TRANSPARENT)
            if unseen
            else box.provenance not in {"zero-size", "transparent"}
        )

    def _element(self, node: DOMNode, depth: int, *, unseen: bool) -> Row | None:
        """The row of an element that means something by itself."""
        tag, attributes = node.local_name.lower(), attributes_of(node)
        role = _role(tag, attributes)
        clickable = role not in _OPERATED and (
            "onclick" in attributes or node.backend_node_id in self._index.clickable
        )
        if not (role or clickable) or (self.boxes is not None and not self._has_box(node, unseen=unseen)):
            return None
        states: tuple[str, ...] = ()
        if role in {"checkbox", "radio"} and "checked" in attributes:
            states = ("checked",)
        if role in _OPERATED and "disabled" in attributes:
            states += ("disabled",)
        if role == "heading":
            states += (f"level={tag[1]}" if tag[0] == "h" else "level=2",)
        if clickable:
            states += (CLICKABLE,)
        named = tag in _NAMED_BY_TEXT or (clickable and not self._holds_controls(node))
        name = attributes.get("aria-label") or (_words_in(node) if named else "")
        name = name or next(filter(None, (attributes.get(one) for one in _NAMING)), "")
        if tag == "img" and not name:
            return None
        value = attributes.get("value", "") if role in _TYPED else ""
        return self._row(node, depth, role or "generic", squeeze(name), value=value, states=states)

    def _holds_controls(self, node: DOMNode) -> bool:
        here = self._index.position[node.backend_node_id]
        return any(self._index.takes_clicks[here + 1 : self._index.end_of(here)])

    def _row(
        self,
        node: DOMNode,
        depth: int,
        role: str,
        name: str,
        *,
        value: str = "",
        states: tuple[str, ...] = (),
    ) -> Row:
        tag = node.local_name.lower() if node.node_type == ELEMENT else ""
        return Row(self._id_of(node), depth, role, name, "", value, states, tag, self._ordinal)

    def _id_of(self, node: DOMNode) -> ElementId:
        return ElementId(f"{self._ordinal}-{node.backend_node_id}")

    def _id(self, here: int) -> ElementId:
        return self._id_of(self._index.nodes[here])


def _role(tag: str, attributes: Mapping[str, str]) -> str:
    """The ARIA role of an element; "" where it has none that says something."""
    role = attributes.get("role", "").partition(" ")[0]
    if role in {"none", "presentation", "generic"}:
        return ""
    if tag == "input":
        kind = attributes.get("type", "text").lower()
        return "" if kind == "hidden" else role or _INPUT_ROLES.get(kind, "textbox")
    return role or ("link" if tag == "a" and "href" in attributes else _ROLES.get(tag, ""))


#: What is hidden and says only a symbol, as the ``¶`` beside each heading of a manual does, tells nothing.
_READ = frozenset({"link", "StaticText"})


def _is_symbol(name: str) -> bool:
    return bool(name) and not any(map(str.isalnum, name))


_OPERATED = frozenset({*_INPUT_ROLES.values(), "link", "textbox", "combobox", "DisclosureTriangle"})


def _words_in(node: DOMNode) -> str:
    """The text of an element, and what its images stand for."""
    parts: list[str] = []
    open_nodes = [node]
    while open_nodes:
        here = open_nodes.pop()
        if here.node_type in (TEXT, CDATA):
            parts.append(here.node_value)
        elif here.local_name.lower() not in UNREAD_TAGS:
            if here.local_name.lower() == "img":
                parts.append(f" {attributes_of(here).get('alt', '')} ")
            open_nodes.extend(reversed(here.children))
    return squeeze("".join(parts))


def _marked(row: Row, mark: str) -> Row:
    return row if mark in row.states else msgspec.structs.replace(row, states=(*row.states, mark))


def _at_depth(row: Row, depth: int) -> Row:
    return msgspec.structs.replace(row, depth=depth)
