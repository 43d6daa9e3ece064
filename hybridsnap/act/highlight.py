"""Showing a person where an element is. The browser's overlay draws it: nothing is written in the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.act.refusals import stale
from hybridsnap.argument_checks import check_number
from hybridsnap.errors import CommandRefused
from hybridsnap.protocol.commands import disable_dom, enable_dom
from hybridsnap.protocol.input_commands import disable_overlay, enable_overlay, highlight_node
from hybridsnap.protocol.plan import gather, gather_outcomes, pause

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Plan

_INSIDE = {"r": 255, "g": 140, "b": 0, "a": 0.35}
_EDGE = {"r": 255, "g": 80, "b": 0, "a": 1}
_LOOK = {
    "showInfo": True,
    "contentColor": _INSIDE,
    "paddingColor": _INSIDE,
    "borderColor": _EDGE,
}


def highlight_element(resolver: NodeResolver, element: Element, seconds: float = 2.0) -> Plan[None]:
    """Draw a box over an element for a while; it is gone when the plan is, also when it ends early.

    The Overlay domain wants the DOM domain to be on (measured): meanwhile the page's mutations are sent as
    events.

    Args:
        resolver: of the page.
        element: to be shown; it is not scrolled to.
        seconds: for how long.

    Raises:
        StaleElement: it is gone.
        ValueError: the time is not a positive number.
    """
    check_number("seconds", seconds, "seconds")
    if seconds <= 0:
        raise ValueError(f"seconds is a positive number, not {seconds!r}")
    session = resolver.id_of(element.place.session)
    if element.place.object_id is None:
        raise stale(element, "highlight")
    try:
        yield from gather(
            enable_dom(session),
            enable_overlay(session),
            highlight_node(session, element.place.object_id, _LOOK),
        )
    except CommandRefused as error:
        if error.method != "Overlay.highlightNode":
            raise
        raise stale(element, "highlight") from None
    yield from pause(seconds)
    yield from gather_outcomes(disable_overlay(session), disable_dom(session))
