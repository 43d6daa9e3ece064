r"""The role snapshot: one line a row, refs to what can be operated and to what has a name worth naming.

::

    - document "Shop"
      - heading "Tea: \"green\"" [ref=e1] [level=1]
      - button "Buy" [ref=e2]
      - button "Buy" [ref=e3] [nth=1] [disabled]
      - link "Terms" [ref=e4] -> https://shop.test/terms
      - textbox "Name" [ref=e5] [value="Ada"]
      - text "Free delivery"
      ! frame 2 not captured: crashed (https://ads.test/)

- A line is ``- ROLE``, the name, groups in brackets, and with `urls` `` -> URL``. The role is an ARIA word
  (`hybridsnap.capture.aria_words`); text is ``text``. The groups are ``ref``, ``nth`` when it is not 0, then
  the states and the value of the outline (`hybridsnap.render.tree`), ``scrollable`` and ``file`` among them.
- Names and values are JSON strings of cleaned text: quotes and backslashes are escaped, and ``[`` is where it
  would begin a group of ours, so that even a reader who looks for ``[ref=e9]`` anywhere finds refs only.
  A URL is one word, and its brackets are percent-encoded in that place.
- A control without a name has a hint from its markup in its place, which is a guess: ``link ?cart``.
- Refs go to interactive elements always, to content when it is named, to nothing structural
  (`hybridsnap.capture.roles`); never to a row without an element id. They are numbered over the whole
  snapshot: a ref means the same element whatever a rendering leaves out.
- ``nth`` counts the refs that share role and name, from 0, in document order through all frames.
- *Compact* leaves out what is structural and has no name, and every branch without a ref.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from hybridsnap.capture.aria_words import aria_word
from hybridsnap.capture.ax_node import VALUE_CHARACTERS
from hybridsnap.capture.element_ids import split_id
from hybridsnap.capture.roles import EDITABLE, class_of
from hybridsnap.model import MISSING_FRAME, BackendNodeId, ElementId
from hybridsnap.render.line_document import Line, LineDocument
from hybridsnap.render.select import (
    description_of,
    is_editor,
    is_interactive,
    keep_with_ancestors,
    parents_of,
    rebased,
    select_rows,
)
from hybridsnap.render.tree import level_of
from hybridsnap.text import clean_text, cut_text

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from hybridsnap.model import Row
    from hybridsnap.render.content import Content, RenderOptions

#: Where page text would begin a group of ours.
_GROUP = re.compile(
    r"\[(?=(?:ref|nth|value|level|current|sort|range|description)=|(?:checked|mixed|selected|pressed|expanded"
    r"|collapsed|disabled|required|readonly|invalid|focused|modal|multiselectable|scrollable|file|editable|clickable"
    r"|current|offscreen)\]|covered by )",
    re.IGNORECASE,
)
#: Where an address would begin one, or an id of the outline.
_IN_ADDRESS = re.compile(rf"{_GROUP.pattern}|\[(?=\d+-\d+[\].@]|aria-hidden\]|…)", re.IGNORECASE)
_NO_WORD = re.compile(r"[^\w-]+")


class Ref(msgspec.Struct, frozen=True):
    """What a ref stands for.

    Attributes:
        role: as it is printed: an ARIA word.
        name: as it is printed.
        nth: its number among the refs of the same role and name, from 0.
        element_id: what decides; role, name and nth are for readers.
        backend_node_id: ``backendDOMNodeId`` in JSON.
        frame: the frame's ordinal.
    """

    role: str
    name: str
    nth: int
    element_id: ElementId
    backend_node_id: BackendNodeId = msgspec.field(name="backendDOMNodeId")
    frame: int


def quote(text: str) -> str:
    """Page text, cleaned, as a JSON string that begins no bracket group."""
    quoted = json.dumps(clean_text(text), ensure_ascii=False)
    return _GROUP.sub(r"\\u005b", quoted) if "[" in quoted else quoted


@functools.lru_cache(maxsize=1024)
def word(text: str) -> str:
    """A role or the like as one word: ``button``; ``none`` when nothing is left of it."""
    return _NO_WORD.sub("_", clean_text(text)) or "none"


def link_to(url: str) -> str:
    """What follows a link's line: one word, so that no script of a ``javascript:`` URL reads on as text."""
    bare = clean_text(url).replace(" ", "%20")
    return f" -> {_IN_ADDRESS.sub('%5B', bare) if '[' in bare else bare}"


def line_of(row: Row, text: str, kind: str, content: Content, *, urls: bool) -> Line:
    """A row's line, with its URL where `urls` says so."""
    if urls and row.id is not None and (url := content.urls.get(row.id)):
        text += link_to(url)
    return Line(
        row.depth,
        text,
        kind,
        row.id,
        role=row.role,
        level=level_of(row),
        interactive=is_interactive(row),
        in_view=content.in_view(row.id),
        kept=row.role == MISSING_FRAME,
    )


def role_word(row: Row) -> str:
    """What the role format calls a row."""
    return "textbox" if row.states and is_editor(row) else aria_word(row.role)


def number_refs(rows: Sequence[Row]) -> dict[str, Ref]:
    """The refs of a snapshot, in document order.

    Args:
        rows: all of them.
    """
    refs: dict[str, Ref] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if row.id is None:
            continue
        name = clean_text(row.name)
        if not is_interactive(row) and (not name or class_of(row.role) != "content"):
            continue
        key = (role_word(row), name)
        refs[f"e{len(refs) + 1}"] = Ref(*key, seen[key], row.id, split_id(row.id)[1], row.frame)
        seen[key] += 1
    return refs


def format_role_line(row: Row, ref: str = "", nth: int = 0) -> str:
    """The row as one line, without indentation.

    Args:
        row: what it shows.
        ref: its ref; "" for none.
        nth: see `Ref`.
    """
    name = clean_text(row.name)
    if row.role == MISSING_FRAME:
        return f"{MISSING_FRAME} {_GROUP.sub('%5B', name)}"
    parts = ["-", role_word(row)]
    if name:
        parts.append(quote(name))
    elif row.hint:
        parts.append(f"?{clean_text(row.hint)}")
    if ref:
        parts.append(f"[ref={ref}]")
    if nth:
        parts.append(f"[nth={nth}]")
    parts += [f"[{state}]" for state in row.states if state != EDITABLE or not is_editor(row)]
    if row.description and (said := description_of(row)):
        parts.append(f"[description={quote(said)}]")
    if row.value and (value := clean_text(row.value)) and value != name:
        parts.append(f"[value={quote(cut_text(value, VALUE_CHARACTERS))}]")
    return " ".join(parts)


def build_role(content: Content, options: RenderOptions) -> LineDocument:
    """The role snapshot's lines.

    Returns:
        A document whose `extras` hold ``refs`` (ref → `Ref`, of the whole snapshot), ``mode`` (``role``), and
        the ``scope`` and ``frame`` that were asked for.
    """
    refs = number_refs(content.rows)
    ref_of = {ref.element_id: name for name, ref in refs.items()}
    rows = select_rows(content, dataclasses.replace(options, compact=False, max_depth=None))
    rows = _limited(rows, options, ref_of)
    lines: list[Line] = []
    for row in rows:
        name = "" if row.id is None else ref_of.get(row.id, "")
        text = format_role_line(row, name, refs[name].nth if name else 0)
        line = line_of(row, text, role_word(row), content, urls=options.urls)
        line.ref = name
        lines.append(line)
    extras = {"refs": refs, "mode": "role", "scope": options.scope, "frame": options.frame}
    return LineDocument(lines, extras=extras)


def _limited(rows: list[Row], options: RenderOptions, with_ref: Container[ElementId]) -> list[Row]:
    """`compact`, then `max_depth`."""
    if not options.compact and options.max_depth is None:
        return rows
    parents = parents_of(rows)
    keep = [True] * len(rows)
    if options.compact:
        has_ref = [row.id is not None and row.id in with_ref for row in rows]
        worth = [own or row.role == MISSING_FRAME for own, row in zip(has_ref, rows, strict=True)]
        keep_with_ancestors(worth, parents, keep)
        for at, row in enumerate(rows):
            if not worth[at] and class_of(row.role) == "structural" and not clean_text(row.name):
                keep[at] = False
    return rebased(rows, parents, keep, options)
