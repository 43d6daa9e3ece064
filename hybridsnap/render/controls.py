r"""What can be operated on a page, each control with a selector that finds it again.

The abstract mode of browser tools::

    操作: snapshot
    URL: https://example.com/
    时间: 2024-01-01 12:00:00

    === 可交互控件 ===

    [链接] 首页 -> a[href="/home"]
      文本: "返回首页"

    [选择] 国家 -> select#country
      选项: 中国, 美国, 日本

- A control is what HTML makes one (links, buttons, ``input``, ``textarea``, ``select``, ``summary``), and
  what is one by its role or by the script that listens to it. What a person cannot get at is left out: what
  the accessibility tree does not hold, and inner parts of controls.
- The label is the accessible name, else placeholder, ``name``, ``id``, or a guess (``?cart``). 文本 is the
  text that is shown. What a control holds (值) and the states it is in (状态) stand below it.
- Selectors: `hybridsnap.render.selectors`. Where there is none, the element id stands in its place.
- A `` -> `` in a label is printed ``-\>``: the first `` -> `` of a line always stands before the selector.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import operator
import re
from typing import TYPE_CHECKING, Literal

from hybridsnap.capture.ax_node import VALUE_CHARACTERS
from hybridsnap.capture.roles import EDITABLE
from hybridsnap.capture.xpath import ELEMENT, TEXT, is_html
from hybridsnap.model import MISSING_FRAME, ElementId
from hybridsnap.render.dom import find_documents
from hybridsnap.render.line_document import Line, LineDocument
from hybridsnap.render.select import is_interactive
from hybridsnap.render.selectors import PageSelectors
from hybridsnap.text import clean_text, cut_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.merge import Owner
    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import Box, Row
    from hybridsnap.render.content import Content, RenderOptions

_Kind = Literal["link", "button", "input", "slider", "select", "checkbox", "radio"]


@dataclasses.dataclass(frozen=True, slots=True)
class _Words:
    """One language's labels."""

    action: str
    time: str
    title: str
    kinds: dict[_Kind, str]
    text: str
    type: str
    options: str
    value: str
    state: str
    states: dict[str, str]


#: The states that a control's details name.
_STATES = (
    "checked",
    "mixed",
    "selected",
    "pressed",
    "expanded",
    "disabled",
    "readonly",
    "required",
    "invalid",
)
_LANGUAGES = {
    "zh": _Words(
        "操作",
        "时间",
        "可交互控件",
        {
            "link": "链接",
            "button": "按钮",
            "input": "输入",
            "slider": "滑块",
            "select": "选择",
            "checkbox": "复选框",
            "radio": "单选框",
        },
        "文本",
        "类型",
        "选项",
        "值",
        "状态",
        {
            "checked": "已勾选",
            "mixed": "部分勾选",
            "selected": "已选中",
            "pressed": "已按下",
            "expanded": "已展开",
            "disabled": "已禁用",
            "readonly": "只读",
            "required": "必填",
            "invalid": "无效",
        },
    ),
    "en": _Words(
        "Action",
        "Time",
        "Interactive controls",
        {
            "link": "Link",
            "button": "Button",
            "input": "Input",
            "slider": "Slider",
            "select": "Select",
            "checkbox": "Checkbox",
            "radio": "Radio",
        },
        "Text",
        "Type",
        "Options",
        "Value",
        "State",
        {state: state for state in _STATES},
    ),
}
_BUTTON_TYPES = frozenset({"button", "submit", "reset", "image"})
_INPUT_TYPES = frozenset(
    {
        "text",
        "email",
        "password",
        "search",
        "tel",
        "url",
        "number",
        "date",
        "datetime-local",
        "month",
        "week",
        "time",
        "color",
        "file",
        "range",
    }
)
#: What HTML makes controls; ``input`` is by its type.
_KIND_BY_TAG: dict[str, _Kind] = {
    "button": "button",
    "summary": "button",
    "textarea": "input",
    "select": "select",
}
_KIND_BY_TYPE: dict[str, _Kind] = {
    "checkbox": "checkbox",
    "radio": "radio",
    "range": "slider",
    **dict.fromkeys(_BUTTON_TYPES, "button"),
}
#: Of elements that HTML does not make controls; ``option`` and ``treeitem`` are parts of one.
_KIND_BY_ROLE: dict[str, _Kind] = {
    "link": "link",
    "checkbox": "checkbox",
    "switch": "checkbox",
    "menuitemcheckbox": "checkbox",
    "radio": "radio",
    "menuitemradio": "radio",
    "textbox": "input",
    "searchbox": "input",
    "spinbutton": "input",
    "slider": "slider",
    "combobox": "select",
    "listbox": "select",
}
_PARTS = frozenset({"option", "treeitem"})
#: How far a control's text is looked for; a control that holds a whole page says enough by then.
_MOST_NODES = 2000
_MOST_CHARACTERS = 1000
_SPACES = re.compile(r"\s+")


def build_controls(content: Content, options: RenderOptions) -> LineDocument:
    """The page's controls as lines, in document order.

    Args:
        content: the snapshot's; it needs the DOM.
        options: special ``lang`` (``zh`` or ``en``), ``action`` (the first line; ``snapshot``) and ``time``
            (a datetime, or text; now).

    Raises:
        ValueError: the snapshot has rows only, the language is unknown, or `visible_only` without layout.
    """
    capture = content.source("controls")
    lang = options.special.get("lang", "zh")
    words = _LANGUAGES.get(lang)
    if words is None:
        raise ValueError(f"lang is one of {', '.join(_LANGUAGES)}, not {lang!r}")
    if options.visible_only and content.layout is None:
        raise ValueError("visible_only needs layout; capture with layout=True")
    lines = [
        Line(0, text, "head", kept=True, head=True)
        for text in (
            f"{words.action}: {clean_text(str(options.special.get('action', 'snapshot')))}",
            f"URL: {clean_text(content.report.url)}",
            f"{words.time}: {_time(options.special.get('time'))}",
            "",
            f"=== {words.title} ===",
        )
    ]
    for row in content.rows:
        if row.role == MISSING_FRAME and options.frame in (None, row.frame):
            lines += [_blank(), Line(0, f"{MISSING_FRAME} {clean_text(row.name)}", MISSING_FRAME, kept=True)]
    page = _Page(content, capture)
    for control in page.controls(options):
        lines.append(_blank())
        lines += page.block(control, words)
    return LineDocument(lines)


def _blank() -> Line:
    return Line(0, "", "blank")


def _time(given: dt.datetime | str | None) -> str:
    if given is None:
        given = dt.datetime.now().astimezone()
    return clean_text(given if isinstance(given, str) else given.strftime("%Y-%m-%d %H:%M:%S"))


@dataclasses.dataclass(frozen=True, slots=True)
class _Control:
    """A control, and where it is.

    Attributes:
        session: the number of its session.
        index: that session's DOM.
        here: its position there.
        row: its own.
    """

    session: int
    index: SessionDomIndex
    here: int
    id: ElementId
    kind: _Kind
    row: Row


class _Page:
    """The page's nodes with what its rows say of them."""

    def __init__(self, content: Content, capture: Capture) -> None:
        self._content = content
        self._rows = {row.id: row for row in content.rows if row.id is not None}
        ordinals = capture.ordinals.by_frame
        self._documents = find_documents(capture)
        self._selectors = PageSelectors(capture)
        self._shown_text = {
            ElementId(f"{ordinals[frame]}-{node.backend_node_id}")
            for frame, tree in capture.ax_trees.items()
            for node in tree.nodes
            if node.role == "StaticText" and not node.ignored
        }
        #: Session → the element of another session that holds its frame.
        self._owners: dict[int, Owner] = {}
        for frame, owner in capture.owners.items():
            document = self._documents.get(ordinals[frame])
            if document is not None and document.session != owner.session:
                self._owners.setdefault(document.session, owner)

    def _way(self, session: int, position: int) -> tuple[int, ...]:
        """The way to a node, by which nodes of all sessions sort in document order."""
        way = [position]
        for _ in self._owners:  # a ring of them has no end
            owner = self._owners.get(session)
            if owner is None:
                break
            way.append(owner.position)
            session = owner.session
        # A frame whose owner element is not known comes last.
        return (session, *reversed(way))

    def _id(self, control: _Control, position: int) -> ElementId:
        return ElementId(f"{control.row.frame}-{control.index.nodes[position].backend_node_id}")

    def _box(self, id_: ElementId) -> Box | None:
        return None if self._content.layout is None else self._content.layout.boxes.get(id_)

    def controls(self, options: RenderOptions) -> list[_Control]:
        """Every control that the options leave, in document order."""
        found: list[tuple[tuple[int, ...], _Control]] = []
        for id_, row in self._rows.items():
            if row.frame not in self._documents or options.frame not in (None, row.frame):
                continue
            session, index, _ = self._documents[row.frame]
            here = index.position_of(id_)
            if here < 0 or index.nodes[here].node_type != ELEMENT:
                continue
            kind = _kind(index, here, row)
            if kind is None or self._selectors.scope_selectors(session).in_user_agent_scope(here):
                continue
            if options.visible_only and ((box := self._box(id_)) is None or box.provenance):
                continue
            found.append((self._way(session, here), _Control(session, index, here, id_, kind, row)))
        found.sort(key=operator.itemgetter(0))
        return [control for _, control in found]

    def block(self, control: _Control, words: _Words) -> list[Line]:
        """The control's line, and its details below."""
        selector = self._selectors.select(control.session, control.here) or control.id
        label = _label(control.index, control.here, control.row).replace(" -> ", " -\\> ")
        head = f"[{words.kinds[control.kind]}] {label}".rstrip()
        line = Line(
            0,
            f"{head} -> {selector}",
            words.kinds[control.kind],
            control.id,
            role="link" if control.kind == "link" else "button",
            interactive=True,
            in_view=self._content.in_view(control.id),
        )
        detail = self._detail(control, words)
        details = [] if detail is None else [detail]
        return [line, *details, *_value_and_state(control, words, detail, self._selected(control))]

    def _detail(self, control: _Control, words: _Words) -> Line | None:
        row = control.row
        if control.kind in ("link", "button"):
            text, tells = self._text(control)
            if not text:
                return None
            quoted = json.dumps(text, ensure_ascii=False)
            repeats = text == clean_text(row.name)
            return Line(1, f"{words.text}: {quoted}", "detail", tells=tells, minor=repeats)
        if control.kind in ("input", "slider"):
            return Line(1, f"{words.type}: {_type(control.index, control.here, row)}", "detail")
        if control.kind == "select":
            names, tells = self._options(control)
            return Line(1, f"{words.options}: {', '.join(names)}", "detail", tells=tells) if names else None
        return None

    def _below(self, control: _Control) -> Iterator[int]:
        """The positions below a control, of its own document."""
        here, index = control.here, control.index
        for at in range(here + 1, len(index.nodes)):
            if index.parents[at] < here:
                return
            if index.documents[at] == index.documents[here]:
                yield at

    def _text(self, control: _Control) -> tuple[str, tuple[ElementId, ...]]:
        """The text that a person sees on the control, and whose it is."""
        index, here = control.index, control.here
        name = clean_text(control.row.name)
        if index.tags[here] == "input":
            # What stands on it is its value, or what the browser writes there.
            value = index.attribute(here, "value")
            kind = index.attribute(here, "type") or ""
            return ("", ()) if kind.lower() == "image" else (clean_text(value or "") or name, ())
        texts: list[str] = []
        tells: list[ElementId] = []
        characters = 0
        for visited, at in enumerate(self._below(control)):
            if visited > _MOST_NODES or characters > _MOST_CHARACTERS:
                return f"{clean_text(' '.join(texts))}…", tuple(tells)
            node = index.nodes[at]
            if node.node_type != TEXT or (id_ := self._id(control, at)) not in self._shown_text:
                continue
            characters += len(node.node_value)
            texts.append(node.node_value)
            if id_ in self._rows:
                tells.append(id_)
        # The browser knows where one block ends and the next begins; its name is spaced as people read it.
        if _SPACES.sub("", "".join(texts)) == _SPACES.sub("", control.row.name):
            return name, tuple(tells)
        return clean_text(" ".join(texts)), tuple(tells)

    def _options(self, control: _Control) -> tuple[list[str], tuple[ElementId, ...]]:
        """What a select offers."""
        index = control.index
        names: list[str] = []
        tells: list[ElementId] = []
        for visited, at in enumerate(self._below(control)):
            if index.tags[control.here] != "select" and visited > _MOST_NODES:
                break
            id_ = self._id(control, at)
            row = self._rows.get(id_)
            if index.tags[at] != "option" and (row is None or row.role != "option"):
                continue
            name = "" if row is None else row.name
            if not name:
                texts = [one.node_value for one in index.nodes[at].children if one.node_type == TEXT]
                name = index.attribute(at, "label") or "".join(texts)
            names.append(clean_text(name))
            if row is not None:
                tells.append(id_)
        return [name for name in names if name], tuple(tells)

    def _selected(self, control: _Control) -> list[str]:
        """The options that are selected in a list box, which has no value of its own."""
        if control.kind != "select" or control.row.role != "listbox":
            return []
        inside = (self._rows.get(self._id(control, at)) for at in self._below(control))
        return [clean_text(row.name) for row in inside if row is not None and "selected" in row.states]


def _value_and_state(
    control: _Control, words: _Words, detail: Line | None, selected: list[str]
) -> list[Line]:
    """What a control holds (never a password), and the states it is in.

    A select that stands at its first option says no more than its options (`detail`) do.
    """
    row = control.row
    lines: list[Line] = []
    if selected:
        said = ", ".join(json.dumps(name, ensure_ascii=False) for name in selected)
        lines.append(Line(1, f"{words.value}: {said}", "detail"))
    if control.kind not in ("link", "button") and (value := clean_text(row.value)):
        first = (
            control.kind == "select"
            and detail is not None
            and f"{detail.text}, ".startswith(f"{words.options}: {value}, ")
        )
        if not first:
            said = json.dumps(cut_text(value, VALUE_CHARACTERS), ensure_ascii=False)
            lines.append(Line(1, f"{words.value}: {said}", "detail"))
    if states := [words.states[state] for state in row.states if state in words.states]:
        lines.append(Line(1, f"{words.state}: {', '.join(states)}", "detail"))
    return lines


def _input_type(index: SessionDomIndex, at: int) -> str:
    return (index.attribute(at, "type") or "text").strip().lower()


def _kind(index: SessionDomIndex, at: int, row: Row) -> _Kind | None:
    """What kind of control an element is; None when it is none."""
    tag = index.tags[at]
    if is_html(index.nodes[at]) or is_interactive(row):  # a foreign <select> is none, XHTML's is
        if tag in ("a", "area") and index.attribute(at, "href") is not None:
            return "link"
        if tag == "input":
            kind = _input_type(index, at)
            return None if kind == "hidden" else _KIND_BY_TYPE.get(kind, "input")
        if tag in _KIND_BY_TAG:
            return _KIND_BY_TAG[tag]
    if not is_interactive(row) or row.role in _PARTS:
        return None
    if EDITABLE in row.states:
        return "input"
    return _KIND_BY_ROLE.get(row.role, "link" if tag == "a" else "button")


def _label(index: SessionDomIndex, at: int, row: Row) -> str:
    """What a person calls the control."""
    for text in (row.name, *(index.attribute(at, name) or "" for name in ("placeholder", "name", "id"))):
        label = clean_text(text)
        if label:
            return label
    return f"?{clean_text(row.hint)}" if row.hint else ""


def _type(index: SessionDomIndex, at: int, row: Row) -> str:
    """What an input takes."""
    tag = index.tags[at]
    if tag == "textarea":
        return tag
    if tag == "input":
        kind = _input_type(index, at)
        return kind if kind in _INPUT_TYPES else "text"
    return "textbox" if EDITABLE in row.states else clean_text(row.role)
