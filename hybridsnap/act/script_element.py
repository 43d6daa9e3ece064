"""From the name of an element to what a script that is to be handed it has to know of it.

The script may run in another session than the one that finds the element: then only the document and the
backend node id lead to it.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from hybridsnap.act.evaluate import ScriptElement
from hybridsnap.act.finding import found_element
from hybridsnap.errors import CommandUnanswered, StaleElement
from hybridsnap.protocol.commands import call_function, get_frame_tree
from hybridsnap.protocol.plan import Failure, Reply, gather_outcomes

if TYPE_CHECKING:
    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.act.finding import ElementQuery
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.model import SessionId
    from hybridsnap.protocol.plan import Outcome, Plan


@dataclasses.dataclass(frozen=True, slots=True)
class FoundForScript:
    """An element for a script.

    Attributes:
        session: that has found it, of the process that it is in.
        element: what the script's plan is to be told.
        retries: how often it was looked for again.
    """

    session: SessionId | None
    element: ScriptElement
    retries: int


def find_for_script(
    resolver: NodeResolver, history: ElementHistory, element: str | None, naming: ElementQuery
) -> Plan[FoundForScript]:
    """Find the element that is named, and the document that it is in.

    Raises:
        StaleElement, UnknownElement, SelectorError: as `hybridsnap.act.naming.resolve_element`.
    """
    found, retries = yield from found_element(resolver, history, element, naming)
    place = found.place
    own = resolver.id_of(place.session)
    on = {"objectId": place.object_id}
    # In this order: the handle lives after the tree was read, so the tree has the handle's document.
    outcomes: list[Outcome[Any]] = yield from gather_outcomes(
        get_frame_tree(own), call_function(own, "function () {}", on, (), resolver.group)
    )
    tree, alive = outcomes
    loaders = (
        {frame.id: frame.loader_id for frame in tree.value.frames()}
        if isinstance(tree, Reply) and isinstance(alive, Reply)
        else {}
    )
    yield from resolver.release()
    for outcome in outcomes:
        if isinstance(outcome, Failure) and isinstance(outcome.error, CommandUnanswered):
            raise outcome.error  # busy, not gone
    if place.frame not in loaders:
        raise StaleElement(
            f"{found.description} was just left (navigated); nothing was evaluated",
            element_id=found.id,
            reason="navigated",
            description=found.description,
        )
    told = ScriptElement(
        found.id, found.description, place.frame, loaders[place.frame], place.backend_node_id
    )
    return FoundForScript(own, told, retries)
