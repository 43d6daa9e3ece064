"""Resolving elements on a page by every kind of name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.act.naming import resolve_element
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.deadline import Deadline

if TYPE_CHECKING:
    from hybridsnap import Page, Snapshot
    from hybridsnap.act.element import Element
    from hybridsnap.model import ElementId
    from hybridsnap.protocol.plan import Plan


async def resolve(page: Page, element: str | None = None, **naming: Any) -> Element:
    """The element that a name leads to, proven as for an action."""

    def plan(sessions: Any) -> Plan[Element]:
        resolver = NodeResolver(sessions, page._context.ordinals)
        found = yield from resolve_element(resolver, page._context.history, element, **naming)
        yield from resolver.release()
        return found

    return await page._context.run(plan, Deadline.after(20))


async def dom_id(page: Page, found: Element) -> str:
    """The ``id`` attribute of the very node, as the browser has it."""
    session = page.sessions[found.place.session]
    described = await session.send("DOM.describeNode", {"backendNodeId": found.place.backend_node_id})
    attributes = described["node"].get("attributes", [])
    return str(dict(zip(attributes[::2], attributes[1::2], strict=True)).get("id", ""))


def named(snapshot: Snapshot, name: str, role: str = "button") -> ElementId:
    """The id of the only row with this role and name."""
    (row,) = [row for row in snapshot.rows if row.name == name and row.role == role]
    assert row.id is not None
    return row.id
