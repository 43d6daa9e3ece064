"""From how an element is named to the element: found, and proven to be what was shown.

An element id (``0-29``), or a ref of a rendering (``e12``, ``@e12``, ``ref=e12``), was read in a snapshot,
and the page has lived on. Before anything is done to it, what it is bound to is held against the page::

    Page.getFrameTree  Page.createIsolatedWorld  getPartialAXTree   the frame, its document, role and name
    DOM.resolveNode                                                 a handle on the node
    Runtime.callFunctionOn  Page.getFrameTree                       it is in that document; the same one still

Three round trips. The last frame tree is no repetition: in between the frame may have gone on to another
process, where the same backend node id is another node. From then on the handle counts: it means this very
node, or nothing.

A selector, or a raw backend node id, is bound to nothing and is looked up now; what it finds gets its id, and
counts as shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeGuard

from hybridsnap.act.bindings import split_id
from hybridsnap.act.element import Element, describe
from hybridsnap.act.identity import Identity, identity_in, is_same, read_identity, read_rows, still_says
from hybridsnap.act.successors import find_successors
from hybridsnap.capture.dom import build_session_dom_index
from hybridsnap.capture.locating import Place
from hybridsnap.capture.reading import SessionReading, take_document
from hybridsnap.capture.scope import number_frames
from hybridsnap.capture.selectors import parse_selector
from hybridsnap.errors import CommandRefused, SelectorError, StaleElement, TargetDetached, UnknownElement
from hybridsnap.model import MOST_INTEGER, BackendNodeId, ElementId, FrameId
from hybridsnap.protocol.commands import (
    call_function,
    create_isolated_world,
    disable_dom,
    enable_dom,
    get_ax_node,
    get_document,
    get_frame_owner,
    get_frame_tree,
)
from hybridsnap.protocol.plan import Answer, Failure, settle

if TYPE_CHECKING:
    from hybridsnap.act.bindings import Binding, Bindings
    from hybridsnap.capture.locating import Locator
    from hybridsnap.capture.selectors import Selector
    from hybridsnap.errors import HybridsnapError
    from hybridsnap.model import StaleReason
    from hybridsnap.protocol.plan import Outcome, Plan

_ID = re.compile(r"(?:0|[1-9][0-9]{0,8})-[1-9][0-9]{0,15}")
_REF = re.compile(r"(?:@|ref=)?((?:e|ax)[1-9][0-9]{0,8})")
#: No selector begins like this.
_MEANT_AS_ID = re.compile(r"[0-9@]|\[[0-9]|ref=|-[0-9]")
_FORMS = "an element id (0-29), a ref (e12, @e12, ref=e12), an XPath or a CSS selector"
#: On a node: what kind it is, when it is in this document; 0 otherwise.
_PLACED = """function () {
  const get = (name) => Object.getOwnPropertyDescriptor(Node.prototype, name).get.call(this);
  return get("isConnected") && (this === document || get("ownerDocument") === document) ? get("nodeType") : 0;
}"""
#: A doctype and a shadow root have ids, and are nothing that could be acted on.
_NO_ELEMENTS = (10, 11)


def resolve_element(
    locator: Locator,
    bindings: Bindings,
    element: str | None,
    *,
    nth: int = 0,
    as_of: str | None = None,
    backend_node_id: int | None = None,
    frame: str | int | None = None,
) -> Plan[Element]:
    """Find what is named, and prove that it is what was shown.

    Args:
        locator: of the page.
        bindings: what has been shown of it.
        element: an element id, a ref, an XPath or a CSS selector (`hybridsnap.capture.selectors`).
        nth: which of a selector's matches, from 0.
        as_of: the snapshot that an id or a ref was read in; the newest that showed it otherwise.
        backend_node_id: names a node by itself, in place of `element`.
        frame: of that node: its frame's id or ordinal; the main frame otherwise.

    Returns:
        The element, with a handle in its frame's isolated world. Ids also stand for texts and other nodes.

    Raises:
        UnknownElement: no snapshot has shown the id or the ref.
        StaleElement: what it stood for is gone, or is something else now.
        SelectorError: the selector matches nothing, or is none; or it is a malformed id or ref.
        CommandRefused: the page is just changing; it can be tried again.
        TypeError, ValueError: the arguments do not go together.
    """
    if backend_node_id is not None:
        _refuse_others(element, nth, as_of)
        return (yield from _by_backend_id(locator, bindings, backend_node_id, frame))
    if not isinstance(element, str):
        own = getattr(element, "id", None)
        remedy = f": give its id, {own!r}" if isinstance(own, str) else ""
        given = type(element).__name__ if remedy else repr(element)[:60]
        raise TypeError(f"an element is named by {_FORMS}; not by {given}{remedy}")
    if frame is not None:
        raise ValueError("frame= goes with backend_node_id=; into a frame a selector leads with >>")
    if isinstance(nth, bool) or nth < 0:
        raise ValueError(f"nth counts the matches from 0, it cannot be {nth!r}")
    if nth > MOST_INTEGER:
        raise ValueError(f"nth is at most {MOST_INTEGER}")
    text = element.strip()
    ref = _REF.fullmatch(text)
    if ref is None and _ID.fullmatch(text) is None:
        if as_of is not None:
            raise ValueError(f"as_of goes with an element id or a ref; {element!r} is a selector")
        return (yield from _by_selector(locator, bindings, element, nth))
    if nth:
        raise ValueError(f"nth goes with selectors; {text} names one element")
    if ref is not None:
        binding = bindings.look_up_ref(ref[1], as_of=as_of)
    else:
        binding = bindings.look_up(ElementId(text), as_of=as_of)
    return (yield from _Proof(locator, bindings, binding).run())


def _refuse_others(element: str | None, nth: int, as_of: str | None) -> None:
    if element is not None:
        raise ValueError(f"give an element ({element!r}) or a backend_node_id, not both")
    if nth or as_of is not None:
        raise ValueError("nth and as_of mean nothing to a backend_node_id")


class _Proof:
    """One id on its way to its element."""

    def __init__(self, locator: Locator, bindings: Bindings, binding: Binding) -> None:
        self.locator = locator
        self.bindings = bindings
        self.binding = binding

    def run(self) -> Plan[Element]:
        """The element, when it is what was shown.

        Raises:
            StaleElement: it is gone, or something else.
            CommandRefused: nothing is missing, and yet the browser will not have it just now.
        """
        locator, binding = self.locator, self.binding
        session = yield from locator.session_with(binding.frame)
        if session is None:
            raise (yield from self._lost(None))
        own = locator.id_of(session)
        outcomes: list[Outcome[Any]] = yield from settle(
            get_frame_tree(own),
            create_isolated_world(own, binding.frame),
            get_ax_node(own, {"backendNodeId": binding.backend_node_id}),
        )
        tree, world, ax = outcomes
        if not self._is_bound(tree):
            raise (yield from self._lost(tree))
        locator.trees[session] = tree.value.frames()
        if not isinstance(world, Answer):
            raise (yield from self._lost(world))
        locator.note_world(binding.frame, world.value)
        place = yield from locator.held(Place(session, binding.frame, binding.backend_node_id))
        if place is None:
            raise (yield from self._lost(None))
        if isinstance(ax, Answer):
            now = identity_in(ax.value)
        elif isinstance(ax.error, CommandRefused):
            now = Identity("", "")  # in a frame that is not displayed
        else:
            raise ax.error
        yield from self._check_placed(place)
        if not (yield from self._is_what_it_was(place, now)):
            raise (yield from self._changed(now))
        return Element(binding.id, place, now.role or binding.role or "", now.name or binding.name)

    def _is_bound(self, tree: Outcome[Any]) -> TypeGuard[Answer[Any]]:
        """Whether the frame is there, with the document that was shown."""
        return isinstance(tree, Answer) and any(
            one.id == self.binding.frame and one.loader_id == self.binding.loader
            for one in tree.value.frames()
        )

    def _check_placed(self, place: Place) -> Plan[None]:
        """The node is in its frame's document, and that is still the one that was shown."""
        own = self.locator.id_of(place.session)
        outcomes: list[Outcome[Any]] = yield from settle(
            call_function(own, _PLACED, {"objectId": place.object_id}, (), self.locator.group, by_value=True),
            get_frame_tree(own),
        )
        kind, tree = outcomes
        if not self._is_bound(tree):
            raise (yield from self._lost(tree))
        if not isinstance(kind, Answer) or not kind.value.result.value:
            raise (yield from self._lost(kind))
        if kind.value.result.value in _NO_ELEMENTS:
            raise UnknownElement(
                f"{self.binding.id} is no element: a document type or a shadow root; name what it holds",
                element_id=self.binding.id,
            )

    def _is_what_it_was(self, place: Place, now: Identity) -> Plan[bool]:
        binding = self.binding
        if binding.role is None:
            return True
        same = is_same(binding.role, binding.name, now)
        if same or not (same is None or (binding.named_by_text and not now.name)):
            return bool(same)
        # The browser calls it nothing (any more): because it is hidden, or because its name was its texts'.
        if (yield from still_says(self.locator, place, binding.name)):
            return True
        if not binding.named_by_text:
            return False
        rows = yield from read_rows(
            self.locator, place.session, place.frame, clickable=frozenset({binding.backend_node_id})
        )
        _, node = split_id(binding.id)
        return any(
            row.id is not None
            and split_id(row.id)[1] == node
            and is_same(binding.role, binding.name, Identity(row.role, row.name))
            for row in rows
        )

    def _changed(self, now: Identity) -> Plan[StaleElement]:
        what = describe(now.role, now.name) if now.role else "left out of the accessibility tree"
        return (yield from self._stale("identity changed", f"is now {what}"))

    def _lost(self, outcome: Outcome[Any] | None) -> Plan[HybridsnapError]:
        """Why it cannot be reached; where nothing is missing, what came instead of an answer."""
        reason = yield from self._reason()
        if reason is None and isinstance(outcome, Failure):
            return outcome.error
        words = {
            "navigated": "is gone: its frame has gone on to another document",
            "frame gone": "is gone: its frame is not in the page any more",
            "detached": "is gone: it has been taken out of its document",
        }
        return (yield from self._stale(reason or "detached", words[reason or "detached"]))

    def _reason(self) -> Plan[StaleReason | None]:
        """What has become of the frame; None when it is as it was."""
        locator, frame = self.locator, self.binding.frame
        sessions = range(len(locator.sessions))
        outcomes = yield from settle(*(get_frame_tree(locator.id_of(one)) for one in sessions))
        if not isinstance(outcomes[0], Answer) and not isinstance(outcomes[0].error, CommandRefused):
            raise outcomes[0].error
        if any(self._is_bound(tree) for tree in outcomes):
            return None
        trees = [tree.value.frames() for tree in outcomes if isinstance(tree, Answer)]
        if any(one.id == frame for frames in trees for one in frames):
            return "navigated"
        # Out of the processes that are known: gone, or gone on to one that is not.
        owners = yield from settle(*(get_frame_owner(locator.id_of(one), frame) for one in sessions))
        return "navigated" if any(isinstance(one, Answer) for one in owners) else "frame gone"

    def _stale(self, reason: StaleReason, words: str) -> Plan[StaleElement]:
        binding = self.binding
        self.bindings.stale += 1
        successors = yield from find_successors(self.locator, self.bindings, binding)
        was = describe(binding.role or "", binding.name)
        seen_in = "" if binding.snapshot_id is None else f" of snapshot {binding.snapshot_id}"
        named = ", ".join(f"{one.id} {describe(one.role, one.name)}" for one in successors)
        if named:
            words += f"; likely meant: {named}"
        elif reason != "identity changed":
            words += "; nothing like it is there"
        return StaleElement(
            f"{binding.id} ({was}){seen_in} {words}; take a new snapshot",
            element_id=binding.id,
            reason=reason,
            snapshot_id=binding.snapshot_id,
            description=was,
            successors=successors,
        )


def find_places(locator: Locator, selector: Selector, nth: int | None) -> Plan[list[Place]]:
    """What a selector matches, closed shadow roots included.

    What stands in the open comes first, so closed roots are only looked for (which takes the whole DOM) when
    there are not enough matches without them.

    Args:
        locator: of the page.
        selector: parsed.
        nth: only this match, from 0; None for all of them.

    Raises:
        SelectorError: the browser calls it malformed, or a frame on the way cannot be reached.
    """
    css = any(part.kind == "css" for part in selector.parts)
    if nth is not None or not css:
        places = yield from locator.find(selector, nth)
        if places or not css:
            return places
    seen: set[int] = set()

    def note_closed_roots(session: int) -> Plan[None]:
        if session in seen:
            return
        seen.add(session)
        own = locator.id_of(session)
        reading = SessionReading(locator.sessions[session])
        yield from locator.tree_of(session)
        outcomes: list[Outcome[Any]] = yield from settle(
            enable_dom(own), get_document(own, build_session_dom_index), disable_dom(own)
        )
        yield from take_document(reading, outcomes[1])
        if reading.index is not None:
            locator.note_closed_roots(session, reading.index)

    locator.before_search = note_closed_roots
    try:
        return (yield from locator.find(selector, nth))
    finally:
        locator.before_search = None


def _by_selector(locator: Locator, bindings: Bindings, text: str, nth: int) -> Plan[Element]:
    if _MEANT_AS_ID.match(text.strip()):
        raise SelectorError(
            f"{text!r} is no element id and no ref: an element is named by {_FORMS}",
            selector=text,
            reason="syntax",
        )
    places = yield from find_places(locator, parse_selector(text), nth)
    place = None if not places else (yield from locator.held(places[0]))
    element = None if place is None else (yield from name_place(locator, bindings, place))
    if element is None:
        words = f"{text!r} matches nothing on the page"
        if nth:
            words = f"{text!r} has no match number {nth} (counted from 0) on the page"
        if text.strip().startswith("[ref="):
            words += "; a ref is written e12, @e12 or ref=e12"
        raise SelectorError(words, selector=text)
    return element


def _by_backend_id(
    locator: Locator, bindings: Bindings, backend_node_id: int, frame: str | int | None
) -> Plan[Element]:
    if isinstance(backend_node_id, bool) or backend_node_id < 1:
        raise ValueError(f"a backend_node_id is a whole number from 1 on, not {backend_node_id!r}")
    if backend_node_id > MOST_INTEGER:
        raise ValueError(f"a backend_node_id is at most {MOST_INTEGER}")
    named = f"backend node {backend_node_id} of frame {0 if frame is None else frame}"
    id_of_frame = yield from _frame_named(locator, bindings, frame)
    session = None if id_of_frame is None else (yield from locator.session_with(id_of_frame))
    if id_of_frame is None or session is None:
        raise UnknownElement(
            f"{named}: the page has no such frame; frame= takes a frame's id or its ordinal", element_id=named
        )
    node = BackendNodeId(backend_node_id)
    place = yield from locator.held(Place(session, id_of_frame, node))
    element = None if place is None else (yield from name_place(locator, bindings, place))
    if element is not None:
        return element
    known = None
    if (ordinal := locator.ordinals.by_frame.get(id_of_frame)) is not None:
        try:
            known = bindings.look_up(ElementId(f"{ordinal}-{node}"))
        except UnknownElement:
            known = None
    if known is None:
        raise UnknownElement(f"{named}: the frame's document has no such node", element_id=named)
    return (yield from _Proof(locator, bindings, known).run())


def _frame_named(locator: Locator, bindings: Bindings, frame: str | int | None) -> Plan[FrameId | None]:
    if frame is None or (frame == 0 and not isinstance(frame, str | bool)):
        return (yield from locator.main_frame())
    if isinstance(frame, bool):
        raise TypeError(f"a frame is named by its id or its ordinal, not by {frame!r}")
    return FrameId(frame) if isinstance(frame, str) else bindings.frame_of(frame)


def name_place(locator: Locator, bindings: Bindings, place: Place) -> Plan[Element | None]:
    """The element at a place, with its id; from now on it counts as shown.

    Args:
        locator: of the page.
        bindings: of the page.
        place: with a handle.

    Returns:
        None when it is in no document, or is no node that could be acted on.
    """
    (outcome,) = yield from settle(
        call_function(
            locator.id_of(place.session),
            _PLACED,
            {"objectId": place.object_id},
            (),
            locator.group,
            by_value=True,
        )
    )
    if not isinstance(outcome, Answer):
        if isinstance(outcome.error, CommandRefused | TargetDetached):
            return None
        raise outcome.error
    present = yield from read_identity(locator, place)
    if present is None or outcome.value.result.value in (0, *_NO_ELEMENTS):
        return None
    if place.frame not in locator.ordinals.by_frame:
        main = yield from locator.main_frame()
        if place.frame == main:
            locator.ordinals.assign([main])
        else:
            yield from number_frames(locator)
            locator.ordinals.assign([place.frame])
    id_ = ElementId(f"{locator.ordinals.by_frame[place.frame]}-{place.backend_node_id}")
    bindings.show_single(id_, place.frame, present.loader, present.node.role, present.node.name)
    return Element(id_, place, present.node.role, present.node.name)


def name_id(locator: Locator, bindings: Bindings, id_: ElementId) -> Plan[Element | None]:
    """Take an element as shown whose id was just read off the page, and is about to be told: what covers
    another, what has the focus.

    Args:
        locator: of the page, the one that found it.
        bindings: of the page.
        id_: its id; the frame has its number.

    Returns:
        The element; None when it is gone.
    """
    ordinal, node = split_id(id_)
    frame = yield from _frame_named(locator, bindings, ordinal)
    session = None if frame is None else (yield from locator.session_with(frame))
    if frame is None or session is None:
        return None
    place = yield from locator.held(Place(session, frame, node))
    return None if place is None else (yield from name_place(locator, bindings, place))
