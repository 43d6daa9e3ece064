"""Refs of a page: each is unique, stands for one element, and its path leads to that element."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

from hybridsnap.capture.ax_node import REDACTED
from hybridsnap.protocol.ax_vocabulary import ARIA_ROLES
from hybridsnap.render.select import is_editor, is_interactive
from hybridsnap.text import clean_text
from tests.support.aria_lines import read as read_aria
from tests.support.aria_lines import refs_of as aria_refs
from tests.support.role_lines import read as read_role
from tests.support.role_lines import refs_of
from tests.support.walker import sessions_by_frame, strayed

if TYPE_CHECKING:
    from hybridsnap import Page, Snapshot

_NODE = re.compile(r" *ax\d")


async def check_role(page: Page, snapshot: Snapshot) -> None:
    rendering = snapshot.render("role", urls=True)
    refs = refs_of(rendering)
    rows = {row.id: row for row in snapshot.rows}
    got = [read_role(line) for line in rendering.splitlines()]
    assert [line.ref for line in got if line.ref] == [f"e{number}" for number in range(1, len(refs) + 1)]
    for line, row in zip(got, snapshot.rows, strict=True):
        states = tuple(state for state in row.states if state != "editable" or not is_editor(row))
        assert (line.depth, line.name, line.states) == (row.depth, clean_text(row.name), states)
        assert line.role in {*ARIA_ROLES, "iframe", "text", "!"}
        if line.ref:
            ref = refs[line.ref]
            assert rows[ref.element_id] is row
            assert (ref.role, ref.name, ref.nth, ref.frame) == (line.role, line.name, line.nth, row.frame)
            assert ref.element_id == f"{ref.frame}-{ref.backend_node_id}"
        else:
            assert not is_interactive(row)
    assert await strayed(page, snapshot, [ref.element_id for ref in refs.values()]) == []
    again = type(snapshot).from_json(snapshot.to_json()).render("role", urls=True)
    assert (again, refs_of(again)) == (rendering, refs)
    for options in ({"interactive": True}, {"compact": True}, {"interactive": True, "flat": True}):
        part = snapshot.render("role", **options)  # type: ignore[arg-type]  # flags only
        shown = {line.ref for line in map(read_role, part.splitlines()) if line.ref}
        wanted = {key for key, ref in refs.items() if is_interactive(rows[ref.element_id])}
        assert wanted <= shown
        assert shown == wanted if "flat" in options else shown <= set(refs)


def _without_bullets(name: str) -> str:
    """A name, cleaned; a password, for which the browser gives a bullet per character, redacted."""
    return REDACTED if name and not name.strip("•") and len(name) > 1 else clean_text(name)


async def check_aria(page: Page, snapshot: Snapshot) -> None:
    """Held against the browser's own reply, asked for once more."""
    rendering = snapshot.render("aria")
    refs = aria_refs(rendering)
    got = [read_aria(line) for line in rendering.splitlines() if _NODE.match(line)]
    assert (
        [line["ref"] for line in got] == list(refs) == [f"ax{number}" for number in range(1, len(refs) + 1)]
    )
    expected: Counter[tuple[int, str, str]] = Counter()
    sessions = await sessions_by_frame(page)
    for frame in snapshot.report.frames:
        reply = await sessions[frame.frame_id].send(
            "Accessibility.getFullAXTree", {"frameId": frame.frame_id}
        )
        nodes = {node["nodeId"]: node for node in reversed(reply["nodes"])}
        expected.update(
            (frame.ordinal, node["role"]["value"], _without_bullets(node.get("name", {}).get("value", "")))
            for node in nodes.values()
            if not node["ignored"]
        )
    assert Counter((ref.frame, ref.role, ref.name) for ref in refs.values()) == expected
    ids = [ref.element_id for ref in refs.values() if ref.element_id is not None]
    assert len(ids) == len(set(ids))
    assert await strayed(page, snapshot, ids) == []
    # What the outline shows, the tree shows too, but for what scrolls and is ignored (role none).
    outlined = {row.id for row in snapshot.rows if row.id is not None and row.role != "none"}
    assert outlined <= rendering.ids
    objects = [json.loads(line) for line in snapshot.render("aria", json_lines=True).splitlines()]
    assert [(one["ref"], one["id"] or "") for one in objects if "ref" in one] == [
        (line["ref"], line["id"]) for line in got
    ]
