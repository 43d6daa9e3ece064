"""The tools for tests: whether something holds, and how test code names an element."""

from __future__ import annotations

import contextlib
import difflib
from typing import TYPE_CHECKING

from msgspec import UNSET

from hybridsnap.capture.aria_words import aria_word
from hybridsnap.deadline import Deadline
from hybridsnap.errors import HybridsnapError, WaitTimeout
from hybridsnap.mcp.call_base import CallBase
from hybridsnap.mcp.options import ToolError
from hybridsnap.mcp.results import Result
from hybridsnap.render.tree import format_tree_line
from hybridsnap.service.locating import find_node
from hybridsnap.text import clean_text, clip_text, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hybridsnap.mcp import caps
    from hybridsnap.mcp.client_tabs import NumberedTab
    from hybridsnap.render.nodes import Node
    from hybridsnap.snapshot import Snapshot

#: So long what is to hold may take to come, seconds.
_PATIENCE = 1.0
#: Of what is there instead, so many are listed, cut to so many characters.
_LISTED = 5
_ITEMS = 30
_CHARACTERS = 120
#: Of a text so many characters are compared.
_COMPARED = 200
#: As similar as this is worth a word.
_SIMILAR = 0.4


class VerifyCalls(CallBase):
    """Calls for tests."""

    async def verify(self, asked: caps.Verify) -> Result:
        """See whether all that is given holds."""
        checks = _checks_of(asked)
        tab = await self._tab()
        await self._content.check(tab, self.deadline)
        result = Result()
        async with self._turn(tab):
            failed = await self._late(tab, asked)
            snapshot = await self._look(tab)
            if asked.text is not UNSET and "text" in failed:
                result.page += ["text: not shown", *_near(asked.text, snapshot)]
            if "value" in failed:
                result.page.append(f"value: {failed['value'] or 'another one'}")
            if "element with role and name" in checks:
                result.page += _missing(asked, snapshot)
            if asked.items is not UNSET:
                assert asked.element is not UNSET
                result.page += _items_missing(asked.items, _one(snapshot, asked.element), snapshot)
        result.page = [excerpt(line, _CHARACTERS * 2) for line in result.page]
        result.said.append("fail" if result.page else f"pass: {', '.join(checks)}")
        if result.page:
            result.data["instead"] = list(result.page)
        return result

    async def _late(self, tab: NumberedTab, asked: caps.Verify) -> dict[str, str]:
        """Those of text and value that do not hold, each with what is there instead."""
        conditions: dict[str, dict[str, object]] = {}
        if asked.text is not UNSET:
            conditions["text"] = {"text": asked.text}
        if asked.value is not UNSET:
            conditions["value"] = {"value": (asked.element, asked.value)}
        failed = {}
        for name, condition in conditions.items():
            try:
                patience = self.deadline.inner().earlier(Deadline.after(_PATIENCE))
                await tab.page.wait_for(timeout=patience, **condition)  # type: ignore[arg-type]
            except WaitTimeout as error:
                if error.obstacle:
                    raise ToolError(f"{error.obstacle}; try again, or see the page (snapshot)") from None
                failed[name] = error.instead.get(name, "")
        return failed

    async def generate_locator(self, asked: caps.GenerateLocator) -> Result:
        """How test code names an element."""
        async with self._turn() as tab:
            snapshot = await self._look(tab)
        found = _one(snapshot, asked.element).locators
        given = {
            "Playwright": found.playwright,
            "Python": found.python,
            "CSS": found.css,
            "XPath": found.xpath,
        }
        result = Result()
        result.page = [f"{name}: {clean_text(text)}" for name, text in given.items() if text is not None]
        result.data["locators"] = {name: text for name, text in given.items() if text is not None}
        if found.playwright is None:
            result.said.append("Playwright has no way to it")
        return result


def _checks_of(asked: caps.Verify) -> list[str]:
    """What is to be verified, in words."""
    of_element = asked.value is not UNSET or asked.items is not UNSET
    if of_element == (asked.element is UNSET):
        raise ToolError("element goes with value, or with items")
    checks = [name for name in ("text", "value", "items") if getattr(asked, name) is not UNSET]
    if asked.role is not UNSET or asked.name is not UNSET:
        checks.append("element with role and name")
    if not checks:
        raise ToolError("what is to be verified? give text, role and name, or element with value or items")
    return checks


def _one(snapshot: Snapshot, element: str) -> Node:
    try:
        return find_node(snapshot, element)
    except LookupError as error:
        if isinstance(error, HybridsnapError):
            raise
        raise ToolError(str(error).replace("it ", "element ", 1)) from None


def _near(wanted: str, snapshot: Snapshot) -> list[str]:
    """Lines like a text."""
    lines = {
        clean_text(row.name): format_tree_line(row) for row in snapshot.shown_rows if row.id and row.name
    }
    scored = sorted(((_likeness(wanted, name), name) for name in lines), reverse=True)[:_LISTED]
    found = [lines[name] for score, name in scored if score >= _SIMILAR]
    return [f"there is: {clip_text(line, _CHARACTERS)}" for line in found]


def _likeness(wanted: str, name: str) -> float:
    """From 0 to 1: how many pairs of letters two texts share. Linear, as a page may have 100,000 names."""
    wanted = wanted[:_COMPARED]
    ours, theirs = _pairs(wanted), _pairs(name[: 4 * len(wanted) + 20])
    return 2 * len(ours & theirs) / (len(ours) + len(theirs) or 1)


def _pairs(text: str) -> set[str]:
    text = f" {text.lower()} "
    return {text[at : at + 2] for at in range(len(text) - 1)}


def _missing(asked: caps.Verify, snapshot: Snapshot) -> list[str]:
    """Nothing where there is an element of the role and the name; else what is there of the role."""
    role = None if asked.role is UNSET else asked.role
    name = None if asked.name is UNSET else asked.name
    if snapshot.find(role, name):
        return []
    words = " ".join(one for one in (role, None if name is None else f'"{name}"') if one)
    of_role = [] if role is None else snapshot.find(role)
    if not of_role:
        roles = sorted({aria_word(row.role) for row in snapshot.shown_rows})
        near = difflib.get_close_matches(role or "", roles, 1)
        hint = [f"there is the role {near[0]}"] if near else []
        return [f"no {words}", *(hint if role is not None else _near(name or "", snapshot))]
    likely = sorted(of_role, key=lambda one: -_likeness(name or "", one.name))
    return [f"no {words}", *(f"there is: {_line(one)}" for one in likely[:_LISTED])]


def _line(one: Node) -> str:
    return clip_text(f'{aria_word(one.role)} "{clean_text(one.name)}" [{one.id}]', _CHARACTERS)


def _items_missing(items: Sequence[str], element: Node, snapshot: Snapshot) -> list[str]:
    """Nothing where all items are below an element in this order; else which are not, and what is there."""
    there = [clean_text(one) for one in _texts_below(element, snapshot)]
    at, missing = 0, []
    for item in items:
        wanted = clean_text(item).lower()
        found = next((n for n in range(at, len(there)) if wanted in there[n].lower()), None)
        if found is None:
            missing.append(item)
        else:
            at = found + 1
    if not missing:
        return []
    shown = [clip_text(one, _CHARACTERS) for one in there[:_ITEMS]]
    more = [f"… {len(there) - _ITEMS} more"] if len(there) > _ITEMS else []
    return [
        f"missing, or in another order: {', '.join(missing)}",
        *(f"there is: {one}" for one in shown),
        *more,
    ]


def _texts_below(element: Node, snapshot: Snapshot) -> Iterable[str]:
    """What the items of a list say: its children, or what is in the one child that holds them all."""
    children = element.children
    while len(children) == 1:
        with contextlib.suppress(LookupError):
            inner = snapshot.node(children[0]).children
            if inner:
                children = inner
                continue
        break
    for id_ in children:
        node = snapshot.node(id_)
        yield node.text or node.name
