"""What the browser itself says of a page, to hold a snapshot against: controls, and words on the screen.

`missed_controls`: every non-ignored AX node with an interactive role, of every frame, asked for raw.
`text_recall`: the words of rendered text, from the layout tree (`DOMSnapshot.captureSnapshot`, which neither
the engine nor Chromium's accessibility side goes through), outside `aria-hidden` and `inert`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hybridsnap.capture.roles import INTERACTIVE_ROLES
from tests.support.outline import parse_outline
from tests.support.uncompiled import check_as_uncompiled
from tests.support.walker import sessions_by_frame, strayed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hybridsnap import Page, Row, Snapshot


async def missed_controls(page: Page, snapshot: Snapshot) -> tuple[int, list[str]]:
    """How many controls there are, and which are not in the outline exactly once."""
    sessions = await sessions_by_frame(page)
    expected: Counter[tuple[int, str, str]] = Counter()
    expected_ids: set[str] = set()
    for frame in snapshot.report.frames:
        reply = await sessions[frame.frame_id].send(
            "Accessibility.getFullAXTree", {"frameId": frame.frame_id}
        )
        seen: set[str] = set()
        for node in reply["nodes"]:
            role = node.get("role", {}).get("value", "")
            if node["ignored"] or role not in INTERACTIVE_ROLES or node["nodeId"] in seen:
                continue
            seen.add(node["nodeId"])
            name = node.get("name", {}).get("value", "")
            expected[frame.ordinal, role, name] += 1
            if "backendDOMNodeId" in node:
                expected_ids.add(f"{frame.ordinal}-{node['backendDOMNodeId']}")
    controls = [row for row in snapshot.rows if row.role in INTERACTIVE_ROLES]
    found = Counter((row.frame, row.role, row.name) for row in controls)
    wrong = [f"missing: {what} ({count} times)" for what, count in (expected - found).items()]
    wrong += [f"too often: {what} ({count} times)" for what, count in (found - expected).items()]
    ids = Counter(str(row.id) for row in snapshot.rows if row.id is not None)
    wrong += [f"{id_} stands in {ids[id_]} rows" for id_ in sorted(expected_ids) if ids[id_] != 1]
    return expected.total(), wrong


@dataclass(frozen=True, slots=True)
class Recall:
    """How many words of rendered text there are, how many of them the outline says, and which it does not."""

    words: int
    found: int
    missing: Counter[str]

    @property
    def share(self) -> float:
        return self.found / self.words if self.words else 1.0


async def text_recall(page: Page, snapshot: Snapshot) -> Recall:
    """Each word counts as often as it is rendered."""
    rendered: Counter[str] = Counter()
    for session in page.sessions:
        # DOMSnapshot is the page's own copy: strings once, nodes as numbers of strings.
        reply = await session.send("DOMSnapshot.captureSnapshot", {"computedStyles": ["visibility"]})
        for document in reply["documents"]:
            for text in _rendered_texts(document, reply["strings"]):
                rendered.update(words(text))
    said: Counter[str] = Counter()
    for line in parse_outline(snapshot.combined_tree):
        said.update(words(line.name))
        said.update(words(line.value or ""))
    missing = rendered - said
    return Recall(rendered.total(), rendered.total() - missing.total(), missing)


def words(text: str) -> list[str]:
    """Runs of letters and digits; what is invisible by itself does not part them."""
    shown = "".join(character for character in text if unicodedata.category(character) not in ("Cf", "Co"))
    return re.findall(r"\w+", shown)


def _rendered_texts(document: dict[str, Any], strings: list[str]) -> list[str]:
    """What is laid out and visible, without what assistive technology is told to leave out.

    Text inside controls (user-agent shadow roots) is a value, not text of the page.
    """
    nodes, layout = document["nodes"], document["layout"]
    parents = nodes["parentIndex"]
    roots = dict(zip(nodes["shadowRootType"]["index"], nodes["shadowRootType"]["value"], strict=True))
    left_out = [False] * len(parents)
    for here, parent in enumerate(parents):
        attributes = [strings[at] for at in nodes["attributes"][here]]
        own = dict(zip(attributes[::2], attributes[1::2], strict=True))
        left_out[here] = (
            (parent >= 0 and left_out[parent])
            or own.get("aria-hidden") == "true"
            or "inert" in own
            or (here in roots and strings[roots[here]] == "user-agent")
        )
    texts = []
    for at, node in enumerate(layout["nodeIndex"]):
        text = layout["text"][at]
        if text < 0 or left_out[node]:
            continue
        if strings[layout["styles"][at][0]] == "visible":
            texts.append(strings[text])
    return texts


async def assert_exact(page: Page, snapshot: Snapshot) -> None:
    """Everything that must hold for a whole capture of a page at rest."""
    assert snapshot.report.complete, snapshot.report
    assert snapshot.report.consistent, snapshot.report.notes
    assert_outline_says_rows(snapshot)
    check_as_uncompiled(snapshot)
    assert await strayed(page, snapshot) == []
    _, wrong = await missed_controls(page, snapshot)
    assert wrong == []
    assert type(snapshot).from_json(snapshot.to_json()) == snapshot


def assert_outline_says_rows(snapshot: Snapshot) -> None:
    """The outline, read back by its grammar, says what the rows say: no line, id or state more."""
    lines = parse_outline(snapshot.combined_tree)
    assert len(lines) == len(snapshot.rows)
    ids = [row.id for row in snapshot.rows if row.id is not None]
    assert len(ids) == len(set(ids)), "an id stands in two rows"
    for line, row in zip(lines, snapshot.rows, strict=True):
        assert (line.depth, line.id) == (row.depth, row.id), (line, row)
        assert line.states == tuple(printed_states(row)), (line, row)
        if line.value is not None:
            assert row.value, (line, row)


def printed_states(row: Row) -> Iterable[str]:
    """The states that stand in brackets: what the label says already does not."""
    in_label = {"scrollable", "file"}
    if row.role in ("generic", "none"):
        in_label.add("editable")  # it is printed as a textbox
    return (state for state in row.states if state not in in_label)


def outline_without_numbers(snapshot: Snapshot) -> str:
    """The outline with ids numbered by their first appearance in each frame, so that two runs compare."""
    numbers: dict[str, str] = {}
    next_number: Counter[str] = Counter()
    for row in snapshot.rows:
        if row.id is not None and row.id not in numbers:
            ordinal = row.id.partition("-")[0]
            next_number[ordinal] += 1
            numbers[row.id] = f"{ordinal}-{next_number[ordinal]}"
    lines = []
    for line, row in zip(snapshot.combined_tree.split("\n"), snapshot.rows, strict=True):
        lines.append(line.replace(f"[{row.id}]", f"[{numbers[row.id]}]", 1) if row.id is not None else line)
    return "\n".join(lines)


_ID = re.compile(r"(?<![\w-])\d+-\d+(?![\w-])")


def without_numbers(snapshot: Snapshot, text: str) -> str:
    """A rendering with its ids numbered by their first appearance in it, so that two runs compare."""
    numbers: dict[str, str] = {}
    next_number: Counter[str] = Counter()

    def number(match: re.Match[str]) -> str:
        id_ = match[0]
        if id_ not in numbers:
            if id_ not in snapshot.combined_xpath_map:
                return id_
            ordinal = id_.partition("-")[0]
            next_number[ordinal] += 1
            numbers[id_] = f"{ordinal}-{next_number[ordinal]}"
        return numbers[id_]

    return _ID.sub(number, text)


def row_named(snapshot: Snapshot, name: str, role: str | None = None) -> Row:
    """The one row with this name."""
    found = [row for row in snapshot.rows if row.name == name and role in (None, row.role)]
    assert len(found) == 1, f"{len(found)} rows named {name!r} in\n{snapshot.combined_tree}"
    return found[0]
