"""Whether script listens to the pointer over an element: then something may open a moment later.

Listeners are seen from the page's own world only (measured in Chromium 156: `DOMDebugger.getEventListeners`
of a handle of an isolated world names none). What a page makes of the few properties read there decides
nothing but whether a hover waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.injected import script
from hybridsnap.protocol.commands import call_function, get_event_listeners, get_properties, resolve_node
from hybridsnap.protocol.plan import Reply, gather_outcomes

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Outcome, Plan

_POINTER = frozenset(
    f"{kind}{event}" for kind in ("mouse", "pointer") for event in ("enter", "over", "move", "leave", "out")
)
_AROUND = script("nodes_around")


def listens_to_pointer(resolver: NodeResolver, element: Element) -> Plan[bool]:
    """Whether script listens for the pointer to come, move or leave, on an element or on what it stands in.

    Cost: four round trips. Where the page cannot say, False.
    """
    place, group = element.place, resolver.group
    own = resolver.id_of(place.session)
    outcomes: list[Outcome[Any]] = yield from gather_outcomes(
        resolve_node(own, place.backend_node_id, None, group)
    )
    for ask in (
        lambda handle: call_function(own, _AROUND, {"objectId": handle}, (), group),
        lambda handle: get_properties(own, handle, group),
    ):
        told = outcomes[0].value if isinstance(outcomes[0], Reply) else None
        handle = getattr(getattr(told, "result", told), "object_id", None)
        if handle is None:
            return False
        outcomes = yield from gather_outcomes(ask(handle))
    line = outcomes[0].value if isinstance(outcomes[0], Reply) else []
    handles = [one.object_id for one in line if one.object_id is not None]
    outcomes = yield from gather_outcomes(*(get_event_listeners(own, one) for one in handles))
    return any(isinstance(one, Reply) and not _POINTER.isdisjoint(one.value) for one in outcomes)
