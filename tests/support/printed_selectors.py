"""Selectors that the `controls` format prints, run in the browser itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.render.content import RenderOptions
from hybridsnap.render.controls import build_controls
from hybridsnap.render.selectors import HOP
from tests.support.walker import sessions_by_frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap import Page, Session, Snapshot


async def resolve(page: Page, selector: str, sessions: Mapping[str, Session]) -> int:
    """The backend node id of what a printed selector finds, hop by hop from the main document."""
    session = page.session
    root = (await session.send("Runtime.evaluate", {"expression": "document"}))["result"]["objectId"]
    parts = selector.split(HOP)
    for number, part in enumerate(parts, 1):
        found = await session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": """function (selector) {
                    const found = this.querySelectorAll(selector);
                    return found.length === 1 ? found[0] : found.length;
                }""",
                "objectId": root,
                "arguments": [{"value": part}],
            },
        )
        assert "objectId" in found["result"], (selector, found)
        node = (await session.send("DOM.describeNode", {"objectId": found["result"]["objectId"]}))["node"]
        if number == len(parts):
            return int(node["backendNodeId"])
        inner = next(
            (one for one in node.get("shadowRoots", ()) if one["shadowRootType"] != "user-agent"),
            node.get("contentDocument"),
        )
        if inner is not None:
            opened = await session.send("DOM.resolveNode", {"backendNodeId": inner["backendNodeId"]})
            root = opened["object"]["objectId"]
        else:
            session = sessions[node["frameId"]]
            root = (await session.send("Runtime.evaluate", {"expression": "document"}))["result"]["objectId"]
    raise AssertionError(selector)


async def check_printed(page: Page, snapshot: Snapshot, printed: str | None = None) -> int:
    """Resolve every selector of the `controls` format, in the browser and as actions do; how many there are.

    Args:
        page: as it was when it was printed.
        snapshot: of it.
        printed: what is checked; rendered of the snapshot when left out.
    """
    if printed is None:
        printed = snapshot.render("controls", lang="en")
    document = build_controls(snapshot.content, RenderOptions())
    ids = [line.id for line in document.lines if line.id is not None]
    lines = [line for line in printed.split("\n") if line.startswith("[")]
    assert len(ids) == len(lines)
    sessions = await sessions_by_frame(page)
    for element_id, line in zip(ids, lines, strict=True):
        selector = line.partition(" -> ")[2]
        assert element_id == f"{element_id.partition('-')[0]}-{await resolve(page, selector, sessions)}", line
        await page.attributes(selector)  # actions find one element, too
    return len(ids)
