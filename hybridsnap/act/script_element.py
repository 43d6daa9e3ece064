"""From the name of an element to what a script that is to be handed it has to know of it.

The script may run in another session than the one that finds the element: then only the document and the
backend node id lead to it.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from hybridsnap.act.evaluate import ScriptElement
from hybridsnap.act.perform import found_element
from hybridsnap.errors import StaleElement
from hybridsnap.protocol.commands import call_function, get_frame_tree
from hybridsnap.protocol.plan import Answer, settle

if TYPE_CHECKING:
    from hybridsnap.act.bindings import Bindings
    from hybridsnap.act.perform import Naming
    from hybridsnap.capture.locating import Locator
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
    locator: Locator, bindings: Bindings, element: str | None, naming: Naming
) -> Plan[FoundForScript]:
    """Find the element that is named, and the document that it is in.

    Raises:
        StaleElement, UnknownElement, SelectorError: as `hybridsnap.act.naming.resolve_element`.
    """
    found, retries = yield from found_element(locator, bindings, element, naming)
    place = found.place
    own = locator.id_of(place.session)
    on = {"objectId": place.object_id}
    # In this order: the handle lives after the tree was read, so the tree has the handle's document.
    outcomes: list[Outcome[Any]] = yield from settle(
        get_frame_tree(own), call_function(own, "function () {}", on, (), locator.group)
    )
    tree, alive = outcomes
    loaders = (
        {frame.id: frame.loader_id for frame in tree.value.frames()}
        if isinstance(tree, Answer) and isinstance(alive, Answer)
        else {}
    )
    yield from locator.release()
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
