"""Selectors of elements, and those that the `controls` format prints, run in the browser itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.capture.xpath import ELEMENT
from hybridsnap.render.content import RenderOptions
from hybridsnap.render.controls import build_controls
from hybridsnap.render.dom import find_documents
from hybridsnap.render.selectors import HOP, PageSelectors
from tests.support.walker import gather, sessions_by_frame

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


async def find_wrong_selectors(page: Page, snapshot: Snapshot) -> list[str]:
    """Of all elements of the page, those whose selector does not find exactly them in their scope."""
    capture = snapshot.content.source("test")
    selectors = PageSelectors(capture)
    sessions = await sessions_by_frame(page)
    scopes: dict[tuple[Any, int, int], list[tuple[int, str]]] = {}
    wrong: list[str] = []
    frames = {report.ordinal: report.frame_id for report in capture.frames}
    for ordinal, (session, index, document) in find_documents(capture).items():
        tables = selectors.scope_selectors(session)
        for here in range(document, index.end_of(document)):
            is_element = index.documents[here] == document and index.nodes[here].node_type == ELEMENT
            if not is_element or tables.in_user_agent_scope(here):
                continue
            own = tables.select(here)
            backend_id = index.nodes[here].backend_node_id
            if own is None:
                wrong.append(f"{backend_id} has no selector")
                continue
            key = (frames[ordinal], session, tables.scopes[here])
            scopes.setdefault(key, []).append((backend_id, own))
            whole = selectors.select(session, here)
            assert whole is not None
            assert whole.split(HOP)[-1] == own
    for (frame, number, scope), wanted in scopes.items():
        root = capture.index(number).nodes[scope].backend_node_id
        wrong += await _wrong_in_scope(sessions[frame], root, wanted)
    return wrong


async def _wrong_in_scope(session: Session, root: int, wanted: list[tuple[int, str]]) -> list[str]:
    resolved = await gather(
        session,
        [("DOM.resolveNode", {"backendNodeId": node}) for node in [root, *(one for one, _ in wanted)]],
    )
    objects = [one["object"]["objectId"] for one in resolved]
    answer = await session.send(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": """function (selectors, ...nodes) {
                return selectors.map((selector, at) => {
                    const found = this.querySelectorAll(selector);
                    return found.length === 1 && found[0] === nodes[at];
                });
            }""",
            "objectId": objects[0],
            "arguments": [
                {"value": [selector for _, selector in wanted]},
                *({"objectId": one} for one in objects[1:]),
            ],
            "returnByValue": True,
        },
    )
    assert "exceptionDetails" not in answer, answer
    right = answer["result"]["value"]
    return [f"{one}" for one, is_right in zip(wanted, right, strict=True) if not is_right]
