"""Refusals: why an element cannot be pointed at, what lies over it, and what to do."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from hybridsnap.act.element import describe
from hybridsnap.act.remote_call import read_result
from hybridsnap.capture.scope import id_of_place
from hybridsnap.errors import (
    CommandRefused,
    CommandUnanswered,
    ConnectionLost,
    ElementCovered,
    NotInteractable,
    StaleElement,
    TargetDetached,
)
from hybridsnap.model import ElementId
from hybridsnap.protocol.commands import call_function, describe_node, get_ax_node
from hybridsnap.protocol.plan import Reply, gather, gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.model import StaleReason
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult, RemoteObject

T = TypeVar("T")


#: (key) → the node that is in the way, and it is forgotten.
_TAKE = """function (key) {
  const guards = globalThis[Symbol.for("hybridsnap guards")], cover = guards?.get(key)?.cover ?? null;
  guards?.delete(key);
  return cover;
}"""
#: On what is in the way (what it covers) → the first thing to operate in its layer, as in a banner of plain
#: elements; null where the layer holds what it covers.
_CONTROL = """function (covered) {
  const parent = Object.getOwnPropertyDescriptor(Node.prototype, "parentElement").get;
  let layer = this instanceof Element ? this : null;
  while (layer && getComputedStyle(layer).position === "static") layer = parent.call(layer);
  if (!layer || Node.prototype.contains.call(layer, covered)) return null;
  const controls = "button, a[href], input, select, textarea, summary";
  const all = Element.prototype.querySelectorAll.call(layer, controls);
  const shown = (one) => Element.prototype.checkVisibility.call(one, { visibilityProperty: true });
  return [...all].find(shown) ?? null;
}"""

#: On what is in the way (what it covers) → whether the pointer rests on it, or on what holds it and not that.
_HOVERED = """function (covered) {
  const parent = Object.getOwnPropertyDescriptor(Node.prototype, "parentElement").get;
  let one = this instanceof Element ? this : parent.call(this);
  // By itself, in quirks mode, ":hover" means links only.
  while (one && !Node.prototype.contains.call(one, covered)) {
    if (Element.prototype.matches.call(one, ":is(*):hover")) return true;
    one = parent.call(one);
  }
  return false;
}"""


class Cover(NamedTuple):
    """What is in the way.

    Attributes:
        id: "" where it is gone again.
        role: of it.
        name: likewise.
        control: what can be operated in it, in words, where it has no name itself.
        hovered: the pointer rests there, so that it may show for that alone, as a menu that opens on hover.
    """

    id: ElementId
    role: str = ""
    name: str = ""
    control: str = ""
    hovered: bool = False

    @property
    def description(self) -> str:
        """In words, for messages: ``banner "Cookies" [0-7]``."""
        return f"{describe(self.role, self.name)} [{self.id}]"


def cover_error(element: Element, action: str, cover: Cover, *, beside: bool = False) -> ElementCovered:
    """Something else lies over the element.

    Args:
        element: that was named.
        action: in words.
        cover: what lies over it.
        beside: of a combobox, in the same box. That may be the text of what is chosen, or a mark that empties
            the combobox: no rule was found that tells them apart, so that it is not pressed unasked.
    """
    what = cover.description if cover.id else "another element"
    holds = f" (in it: {cover.control})" if cover.control else ""
    rests = (
        " while the pointer rests there; if it shows only for that, hover elsewhere" if cover.hovered else ""
    )
    advice = (
        "if that is its text, click that, or choose with select_option" if beside else "act on that first"
    )
    return _covered(element, action, cover, f"{what}{holds} lies over it{rests}; {advice}, or use force=True")


def filled_error(element: Element, action: str, inner: Cover) -> ElementCovered:
    """Other controls in the element leave it no place of its own.

    Args:
        element: that was named.
        action: in words.
        inner: the one that would get the press.
    """
    what = inner.description if inner.id else "another control"
    why = (
        f"controls in it take all of its place, and {what} would get the press; act on the control that is"
        " meant, or say where in it with position"
    )
    return _covered(element, action, inner, why)


def _covered(element: Element, action: str, cover: Cover, why: str) -> ElementCovered:
    return ElementCovered(
        f"cannot {action} {element.description}: {why}",
        element_id=element.id,
        cover_id=cover.id,
        cover_role=cover.role,
        cover_name=cover.name,
    )


def take_cover(
    resolver: NodeResolver, at: NodeRef, key: str, *, discharges: Sequence[Command[CallResult]] = ()
) -> Plan[Cover | None]:
    """What a probe or a guard found in the way; None when there was nothing.

    Args:
        resolver: of the page.
        at: a node in the frame that found it.
        key: under which it did.
        discharges: cleanups that are owed no more then.

    Raises:
        CommandUnanswered: the page does not answer any more.
    """
    session = resolver.id_of(at.session)
    take = call_function(session, _TAKE, {"objectId": at.object_id}, [{"value": key}], resolver.group)
    (result,) = yield from gather(dataclasses.replace(take, discharges=tuple(discharges)))
    handle = result.result.object_id
    if handle is None:
        return None
    named = yield from name_node(resolver, at, handle)
    if named is None:
        return Cover(ElementId(""))
    control = "" if named[2] else (yield from _control_in(resolver, at, handle))
    hovered = yield from _asked_of_cover(resolver, at, handle, _HOVERED)
    return Cover(*named, control, hovered is not None and hovered.value is True)


def _control_in(resolver: NodeResolver, at: NodeRef, cover: str) -> Plan[str]:
    found = yield from _asked_of_cover(resolver, at, cover, _CONTROL)
    if found is None or found.object_id is None:
        return ""
    named = yield from name_node(resolver, at, found.object_id)
    return "" if named is None else Cover(*named).description


def _asked_of_cover(
    resolver: NodeResolver, at: NodeRef, cover: str, function: str
) -> Plan[RemoteObject | None]:
    """What a function says of what is in the way; None where the page does not answer."""
    session, covered = resolver.id_of(at.session), [{"objectId": at.object_id}]
    ask = call_function(session, function, {"objectId": cover}, covered, resolver.group)
    (outcome,) = yield from gather_outcomes(ask)
    return outcome.value.result if isinstance(outcome, Reply) else None


def name_node(resolver: NodeResolver, at: NodeRef, handle: str) -> Plan[tuple[ElementId, str, str] | None]:
    """Id, role and name of a node; None when it is gone.

    Args:
        resolver: of the page.
        at: a node in the same frame.
        handle: on the node.

    Raises:
        CommandUnanswered: the page does not answer any more.
    """
    session = resolver.id_of(at.session)
    on = {"objectId": handle}
    outcomes: list[Outcome[Any]] = yield from gather_outcomes(
        describe_node(session, on, depth=0), get_ax_node(session, on)
    )
    described, spoken = outcomes
    if not isinstance(described, Reply):
        if isinstance(described.error, CommandUnanswered):
            raise described.error
        return None
    role, name = "generic", ""
    if isinstance(spoken, Reply) and spoken.value.nodes:
        node = spoken.value.nodes[0]
        if node.role is not None and not node.ignored:
            role, name = node.role, node.name
    place = dataclasses.replace(at, backend_node_id=described.value.backend_node_id)
    return (yield from id_of_place(resolver, place)), role, name


#: Said of what is off screen, where no such element is known.
IF_SAID_ELSEWHERE = "if another element says the same, act on that"
#: Reason → what it means, and what to do.
_REASONS = {
    "document": "it is the document; name an element in it",
    "disabled": "it is disabled; enable it first",
    "inert": "it is inert (a modal dialog is open, or the page has set it so); deal with what is open first",
    "invisible": "it is invisible (visibility); make it appear first",
    "not displayed": "it is not displayed; open what holds it first",
    "no size": "it has no size",
    "hidden control": "the page hides it (no size, opacity 0) and draws another in its place; act on that",
    "pointer-events": "it lets the pointer through (pointer-events: none); act on what is there instead; if "
    "the whole page does, close the popup or dialog that is open: press Enter in the field that opened it, "
    "click_at beside it, or press Escape",
    "moving": "it did not come to rest; wait, or use force=True",
    "lost": "the browser lost the press, as frames of the page moved, went or crashed, or a prompt of its "
    "own lies over it; try again, or go to another host and back",
    "off screen": f"no part of it can be brought into view; {IF_SAID_ELSEWHERE}; if the page shows it only "
    "under the pointer, hover over its row or card first",
}


def not_interactable(
    element: Element, action: str, reason: str, what: str = "", why: str = ""
) -> NotInteractable:
    """A refusal for the element's own state.

    Args:
        element: that was named.
        action: in words.
        reason: as in `NotInteractable`.
        what: the frame around it, when that is to blame.
        why: what the reason means; "" for what it always means.
    """
    why = why or _REASONS.get(reason, reason)
    if what:
        why = f"{what} {why.removeprefix('it ')}"
    return NotInteractable(
        f"cannot {action} {element.description}: {why}", element_id=element.id, reason=reason
    )


#: Reason → what it means where another element is known to be why.
_OWED = {
    "inert": "it is inert behind {}; close that first, or act in it",
    "pointer-events": "it lets the pointer through (pointer-events: none) to {}; act on that instead",
}


def owed_to(element: Element, action: str, reason: str, other: Cover) -> NotInteractable:
    """As `not_interactable`, because of another element."""
    why = _OWED[reason].format(other.description) if other.id else ""
    return not_interactable(element, action, reason, why=why)


def position_outside(
    element: Element, action: str, position: tuple[float, float] | None, size: tuple[float, float]
) -> ValueError:
    """A position that is none of the element's, as an error."""
    x, y = position or (0, 0)
    return ValueError(
        f"cannot {action} {element.description}: expected a position inside its {size[0]:g} x {size[1]:g}"
        f" CSS px, counted from its top left corner, got ({x:g}, {y:g}); give one, or leave position out"
    )


#: Chromium's words for a handle whose document is gone.
_GONE = (
    "Cannot find context with specified id",
    "Could not find object with given id",
    "Execution context was destroyed",
    "Inspected target navigated or closed",
)


def is_gone(error: CommandRefused) -> bool:
    """Whether a call on a node was refused because its document is gone."""
    return error.reason.startswith(_GONE)


def read_live(outcome: Outcome[CallResult], kind: type[T], element: Element, action: str) -> T:
    """What a function of ours returned, called on an element.

    Raises:
        StaleElement: its document is gone.
        HybridsnapError: the page did not answer for another reason.
    """
    try:
        return read_result(outcome, kind)
    except CommandRefused as error:
        if is_gone(error):
            raise stale(element, action, "navigated") from None
        raise


@contextlib.contextmanager
def blame_frame(element: Element, action: str) -> Generator[None, None, None]:
    """For what is asked of one element: a session that ends is that of its frame, unless it is the page's.

    Raises:
        StaleElement: the frame, of another process, is gone.
    """
    try:
        yield
    except TargetDetached:
        if element.place.session == 0:
            raise
        raise stale(element, action, "frame gone") from None


@contextlib.contextmanager
def before_pressing() -> Generator[None, None, None]:
    """For what is asked before anything is done to the page: an answer that lacks says so."""
    try:
        yield
    except CommandUnanswered as error:
        error.nothing_done = True
        raise
    except ConnectionLost as error:
        error.deny_execution()
        raise


def stale(element: Element, action: str, reason: StaleReason = "detached") -> StaleElement:
    """The element, or its frame, went away meanwhile."""
    what = {
        "frame gone": "its frame is gone",
        "navigated": "its document is gone",
        "identity changed": "it changed just before the press or the key, which was stopped",
    }.get(reason, "it is not in the page any more")
    return StaleElement(
        f"cannot {action} {element.description}: {what}; take a snapshot and use its ids",
        element_id=element.id,
        reason=reason,
        description=describe(element.role, element.name),
    )
