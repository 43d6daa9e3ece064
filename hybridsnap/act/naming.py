"""From how an element is named to the element: found, and proven to be what was shown.

An element id (``0-29``), or a ref of a rendering (``e12``, ``@e12``, ``ref=e12``), was read in a snapshot,
and the page has lived on. Before anything is done to it, what it is bound to is held against the page::

    Page.getFrameTree  Page.createIsolatedWorld  DOM.resolveNode    its document, and a handle on the node
    Runtime.callFunctionOn  getPartialAXTree  Page.getFrameTree     what it is, in the same document

Two round trips, once the isolated world of the frame is known. What the action needs to know of the element
beside that is asked in the second (`hybridsnap.act.piggyback`). The frame tree is read twice because
the frame may have moved to another process in between, where the same backend node id is another node. After
that only the handle is used: it can never refer to another node. What is compared: role and name, the
link target, the kind of control, and, where other elements have the same role and name, the text around it
(`hybridsnap.act.context`).

A selector, or a raw backend node id, is bound to nothing and is looked up now; what it finds gets its id, and
counts as shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeGuard

from hybridsnap.act.element import Element, clip, describe
from hybridsnap.act.element_facts import Facts, ask_facts, find_difference
from hybridsnap.act.identity import Identity, identity_in, is_same, present_in, read_rows, still_says
from hybridsnap.act.piggyback import gather_along
from hybridsnap.act.remote_call import read_result
from hybridsnap.act.shown_rows import ShownElement, split_id
from hybridsnap.act.suggestions import find_successors
from hybridsnap.argument_checks import check_whole
from hybridsnap.capture.dom import build_session_dom_index
from hybridsnap.capture.element_ids import find_printed_id, is_ref, read_plausible_id, read_ref
from hybridsnap.capture.node_resolver import NodeRef
from hybridsnap.capture.reading import SessionResult, take_document
from hybridsnap.capture.scope import number_frames
from hybridsnap.capture.selectors import parse_selector, remedy_for
from hybridsnap.errors import CommandRefused, SelectorError, StaleElement, TargetDetached, UnknownElement
from hybridsnap.model import MOST_INTEGER, BackendNodeId, ElementId, FrameId, Successor
from hybridsnap.protocol.commands import (
    disable_dom,
    enable_dom,
    get_ax_node,
    get_document,
    get_frame_owner,
    get_frame_tree,
)
from hybridsnap.protocol.plan import Failure, Reply, gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.act.piggyback import Piggyback
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.capture.selectors import Selector
    from hybridsnap.errors import HybridsnapError
    from hybridsnap.model import StaleReason
    from hybridsnap.protocol.plan import Command, Outcome, Plan

#: No selector begins like this.
_MEANT_AS_ID = re.compile(r"[0-9@]|\[[0-9]|ref=|-[0-9]")
_FORMS = "an element id (0-29), a ref (e12, @e12, ref=e12), an XPath or a CSS selector"
#: So many matches are named in the refusal of a selector that matches several.
_CANDIDATES = 5
#: A doctype and a shadow root have ids, and are nothing that could be acted on.
_NO_ELEMENTS = (10, 11)


def is_selector(element: str | None) -> bool:
    """Whether an element is named by a selector, and not by an id, a ref or a backend node id."""
    text = element.strip() if isinstance(element, str) else ""
    return bool(text) and not is_ref(text) and read_plausible_id(text) is None


def resolve_element(
    resolver: NodeResolver,
    history: ElementHistory,
    element: str | None,
    *,
    nth: int | None = None,
    as_of: str | None = None,
    backend_node_id: int | None = None,
    frame: str | int | None = None,
    along: Sequence[Piggyback] = (),
) -> Plan[Element]:
    """Find what is named, and prove that it is what was shown.

    Args:
        resolver: of the page.
        history: what has been shown of it.
        element: an element id, a ref, an XPath or a CSS selector (`hybridsnap.capture.selectors`).
        nth: which of a selector's matches, from 0; without it a selector must match one element only.
        as_of: the snapshot that an id or a ref was read in; the newest that showed it otherwise.
        backend_node_id: names a node by itself, in place of `element`.
        frame: of that node: its frame's id or ordinal; the main frame otherwise.
        along: what is asked of the node at the same time.

    Returns:
        The element, with a handle in its frame's isolated world. Ids also stand for texts and other nodes.

    Raises:
        UnknownElement: no snapshot has shown the id or the ref.
        StaleElement: what it stood for is gone, or is something else now.
        SelectorError: the selector matches nothing, matches several without an ``nth``, or is none; or it is
            a malformed id or ref.
        CommandRefused: the page is just changing; it can be tried again.
        TypeError, ValueError: the arguments do not go together.
    """
    if backend_node_id is not None:
        _refuse_others(element, nth, as_of)
        return (yield from _by_backend_id(resolver, history, backend_node_id, frame, along))
    if not isinstance(element, str):
        own = getattr(element, "id", None)
        remedy = f": give its id, {own!r}" if isinstance(own, str) else ""
        given = type(element).__name__ if remedy else repr(element)[:60]
        raise TypeError(f"an element is named by {_FORMS}; not by {given}{remedy}")
    if frame is not None:
        raise ValueError("frame= goes with backend_node_id=; into a frame a selector leads with >>")
    _check_nth(nth)
    text = element.strip()
    ref = read_ref(text)
    if ref is None and read_plausible_id(text) is None:
        if as_of is not None:
            raise ValueError(f"as_of goes with an element id or a ref; {element!r} is a selector")
        return (yield from _by_selector(resolver, history, element, nth, along))
    if nth:
        raise ValueError(f"nth goes with selectors; {text} names one element")
    if ref is not None:
        binding = history.look_up_ref(ref, as_of=as_of)
    else:
        binding = history.look_up(ElementId(text), as_of=as_of)
    return (yield from _Verification(resolver, history, binding).run(along))


def _refuse_others(element: str | None, nth: int | None, as_of: str | None) -> None:
    if element is not None:
        raise ValueError(f"give an element ({element!r}) or a backend_node_id, not both")
    if nth or as_of is not None:
        raise ValueError("nth and as_of mean nothing to a backend_node_id")


class _Verification:
    """One id on its way to its element."""

    def __init__(self, resolver: NodeResolver, history: ElementHistory, binding: ShownElement) -> None:
        self.resolver = resolver
        self.history = history
        self.binding = binding

    def run(self, along: Sequence[Piggyback] = ()) -> Plan[Element]:
        """The element, when it is what was shown.

        Args:
            along: what is asked of the node at the same time.

        Raises:
            StaleElement: it is gone, or something else.
            CommandRefused: nothing is missing, and yet the browser will not have it just now.
        """
        resolver, binding = self.resolver, self.binding
        session = yield from resolver.session_with(binding.frame)
        if session is None:
            raise (yield from self._lost(None))
        node = NodeRef(session, binding.frame, binding.backend_node_id)
        tree, world, place = yield from resolver.look_up(node)
        if not self._is_bound(tree):
            raise (yield from self._lost(tree))
        if not isinstance(world, Reply):
            raise (yield from self._lost(world))
        place = place or (yield from resolver.held(node))
        if place is None:
            raise (yield from self._lost(None))
        return (yield from self.check(place, along))

    def check(self, place: NodeRef, along: Sequence[Piggyback] = ()) -> Plan[Element]:
        """The element at a place, when it is what was shown; before each press that is tried again, too.

        What stands in the page is read first, and kept for the guards; then the browser is asked for role and
        name, and last for the document: a change between the three shows in a later one.

        Args:
            place: of the node, with a handle.
            along: what is asked of the node at the same time.

        Raises:
            StaleElement: it is gone, or something else.
        """
        resolver, binding = self.resolver, self.binding
        read, ax, tree = yield from _ask(resolver, place, binding, along)
        if not self._is_bound(tree):
            raise (yield from self._lost(tree))
        if not isinstance(read, Reply):
            raise (yield from self._lost(read))
        facts = read_result(read, Facts)
        if not facts.kind:
            raise (yield from self._lost(None))
        if facts.kind in _NO_ELEMENTS:
            raise UnknownElement(
                f"{binding.id} is not an element: a document type or a shadow root; name what it holds",
                element_id=binding.id,
            )
        if isinstance(ax, Reply):
            now = identity_in(ax.value)
        elif isinstance(ax.error, CommandRefused):
            now = Identity("", "")  # in a frame that is not displayed
        else:
            raise ax.error
        if not (yield from self._is_what_it_was(place, now)):
            raise (yield from self._changed(now))
        if binding.too_old:
            words = "was shown too long ago to tell it from others of its name"
            raise (yield from self._stale("identity changed", words))
        difference = find_difference(binding, facts)
        if difference:
            raise (yield from self._stale("identity changed", difference))
        return Element(
            binding.id, place, now.role or binding.role or "", now.name or binding.name, self.check
        )

    def _is_bound(self, tree: Outcome[Any]) -> TypeGuard[Reply[Any]]:
        """Whether the frame is there, with the document that was shown."""
        return isinstance(tree, Reply) and any(
            one.id == self.binding.frame and one.loader_id == self.binding.loader
            for one in tree.value.frames()
        )

    def _is_what_it_was(self, place: NodeRef, now: Identity) -> Plan[bool]:
        binding = self.binding
        if binding.role is None:
            return True
        same = is_same(binding.role, binding.name, now)
        if same or not (same is None or (binding.named_by_text and not now.name)):
            return bool(same)
        # The browser calls it nothing (any more): because it is hidden, or because its name was its texts'.
        if (yield from still_says(self.resolver, place, binding.name)):
            return True
        if not binding.named_by_text:
            return False
        rows = yield from read_rows(
            self.resolver, place.session, place.frame, clickable=frozenset({binding.backend_node_id})
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
        """Why it cannot be reached; where nothing is missing, what was received instead of an answer."""
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
        resolver, frame = self.resolver, self.binding.frame
        sessions = range(len(resolver.sessions))
        outcomes = yield from gather_outcomes(*(get_frame_tree(resolver.id_of(one)) for one in sessions))
        if not isinstance(outcomes[0], Reply) and not isinstance(outcomes[0].error, CommandRefused):
            raise outcomes[0].error
        if any(self._is_bound(tree) for tree in outcomes):
            return None
        trees = [tree.value.frames() for tree in outcomes if isinstance(tree, Reply)]
        if any(one.id == frame for frames in trees for one in frames):
            return "navigated"
        # Out of the processes that are known: gone, or gone on to one that is not.
        owners = yield from gather_outcomes(
            *(get_frame_owner(resolver.id_of(one), frame) for one in sessions)
        )
        return "navigated" if any(isinstance(one, Reply) for one in owners) else "frame gone"

    def _stale(self, reason: StaleReason, words: str) -> Plan[StaleElement]:
        binding = self.binding
        self.history.stale += 1
        successors = yield from find_successors(self.resolver, self.history, binding)
        was = describe(binding.role or "", binding.name)
        seen_in = "" if binding.snapshot_id is None else f" of snapshot {binding.snapshot_id}"
        named = ", ".join(
            f"{one.id} {describe(one.role, one.name)}"
            + (f' beside "{clip(one.beside)}"' if one.beside else "")
            for one in successors
        )
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


def _ask(
    resolver: NodeResolver, place: NodeRef, binding: ShownElement | None, along: Sequence[Piggyback]
) -> Plan[list[Outcome[Any]]]:
    """What came of the three commands that tell what a node is: `Facts`, accessibility, frame tree."""
    own = resolver.id_of(place.session)
    check: list[Command[Any]] = [
        ask_facts(resolver, place, binding),
        get_ax_node(own, {"objectId": place.object_id}),
        get_frame_tree(own),
    ]
    return (yield from gather_along(check, place, along))


def find_places(resolver: NodeResolver, selector: Selector, nth: int | None) -> Plan[list[NodeRef]]:
    """What a selector matches, closed shadow roots included.

    What stands in the open comes first, so closed roots are only looked for (which takes the whole DOM) when
    there are not enough matches without them.

    Args:
        resolver: of the page.
        selector: parsed.
        nth: only this match, from 0; None for all of them.

    Raises:
        SelectorError: the browser calls it malformed, or a frame on the way cannot be reached.
    """
    css = any(part.kind == "css" for part in selector.parts)
    if nth is not None or not css:
        places = yield from resolver.find(selector, nth)
        if places or not css:
            return places
    seen: set[int] = set()

    def note_closed_roots(session: int) -> Plan[None]:
        if session in seen:
            return
        seen.add(session)
        own = resolver.id_of(session)
        reading = SessionResult(resolver.sessions[session])
        yield from resolver.tree_of(session)
        outcomes: list[Outcome[Any]] = yield from gather_outcomes(
            enable_dom(own), get_document(own, build_session_dom_index), disable_dom(own)
        )
        yield from take_document(reading, outcomes[1])
        if reading.index is not None:
            resolver.note_closed_roots(session, reading.index)

    resolver.before_search = note_closed_roots
    try:
        return (yield from resolver.find(selector, nth))
    finally:
        resolver.before_search = None


def _check_nth(nth: object) -> None:
    if nth is None:
        return
    if isinstance(nth, bool) or not isinstance(nth, int):
        raise TypeError(f"nth is a whole number that counts the matches from 0, not {nth!r}")
    if nth < 0:
        raise ValueError(f"nth counts the matches from 0, it cannot be {nth!r}")
    if nth > MOST_INTEGER:
        raise ValueError(f"nth is at most {MOST_INTEGER}")


def _by_selector(
    resolver: NodeResolver,
    history: ElementHistory,
    text: str,
    nth: int | None,
    along: Sequence[Piggyback],
) -> Plan[Element]:
    if _MEANT_AS_ID.match(text.strip()):
        inner = find_printed_id(text)
        raise SelectorError(
            f"{text!r} is neither an element id nor a ref: an element is named by {_FORMS}"
            + (f"; write {inner}, without the brackets and what follows" if inner else ""),
            selector=text,
            reason="syntax",
        )
    selector = parse_selector(text)
    places = yield from find_places(resolver, selector, nth or 0)
    # Closed shadow roots are searched only where nothing else matches: they make no match ambiguous.
    if nth is None and places and not resolver.walked and (yield from resolver.find(selector, 1)):
        raise (yield from _ambiguous(resolver, history, text, selector))
    place = None if not places else (yield from resolver.held(places[0]))
    element = None if place is None else (yield from name_place(resolver, history, place, along))
    if element is None:
        words = f"{text!r} matches nothing on the page"
        if nth:
            words = f"{text!r} has no match number {nth} (counted from 0) on the page; give a smaller nth"
        if text.strip().startswith("[ref="):
            words += "; a ref is written e12, @e12 or ref=e12"
        elif not nth:
            words += f"; {remedy_for(text)}"
        raise SelectorError(words, selector=text)
    return element


def _ambiguous(
    resolver: NodeResolver, history: ElementHistory, text: str, selector: Selector
) -> Plan[SelectorError]:
    """The refusal of a selector that matches several elements, with the first of them."""
    candidates: list[Successor] = []
    places = yield from resolver.find(selector, None)
    for place in places[:_CANDIDATES]:
        held = yield from resolver.held(place)
        element = None if held is None else (yield from name_place(resolver, history, held))
        if element is not None:
            candidates.append(Successor(element.id, element.role, element.name))
    named = ", ".join(f"{one.id} {describe(one.role, one.name)}" for one in candidates)
    named += ", …" if len(places) > len(candidates) else ""
    return SelectorError(
        f"{text!r} matches {len(places)} elements: {named}; name one by its id, or say which match with nth "
        "(counted from 0)",
        selector=text,
        reason="several",
        candidates=tuple(candidates),
    )


def _by_backend_id(
    resolver: NodeResolver,
    history: ElementHistory,
    backend_node_id: int,
    frame: str | int | None,
    along: Sequence[Piggyback],
) -> Plan[Element]:
    check_whole("backend_node_id", backend_node_id, 1)
    if backend_node_id > MOST_INTEGER:
        raise ValueError(f"a backend_node_id is at most {MOST_INTEGER}")
    named = f"backend node {backend_node_id} of frame {0 if frame is None else frame}"
    id_of_frame = yield from _frame_named(resolver, history, frame)
    session = None if id_of_frame is None else (yield from resolver.session_with(id_of_frame))
    if id_of_frame is None or session is None:
        raise UnknownElement(
            f"{named}: the page has no such frame; frame= takes a frame's id or its ordinal", element_id=named
        )
    node = BackendNodeId(backend_node_id)
    place = yield from resolver.held(NodeRef(session, id_of_frame, node))
    element = None if place is None else (yield from name_place(resolver, history, place, along))
    if element is not None:
        return element
    known = None
    if (ordinal := resolver.ordinals.by_frame.get(id_of_frame)) is not None:
        try:
            known = history.look_up(ElementId(f"{ordinal}-{node}"))
        except UnknownElement:
            known = None
    if known is None:
        raise UnknownElement(f"{named}: the frame's document has no such node", element_id=named)
    return (yield from _Verification(resolver, history, known).run(along))


def _frame_named(
    resolver: NodeResolver, history: ElementHistory, frame: str | int | None
) -> Plan[FrameId | None]:
    if frame is None or (frame == 0 and not isinstance(frame, str | bool)):
        return (yield from resolver.main_frame())
    if isinstance(frame, bool):
        raise TypeError(f"a frame is named by its id or its ordinal, not by {frame!r}")
    return FrameId(frame) if isinstance(frame, str) else history.frame_of(frame)


def name_place(
    resolver: NodeResolver, history: ElementHistory, place: NodeRef, along: Sequence[Piggyback] = ()
) -> Plan[Element | None]:
    """The element at a place, with its id; from now on it counts as shown.

    Args:
        resolver: of the page.
        history: of the page.
        place: with a handle.
        along: what is asked of the node at the same time.

    Returns:
        None when it is in no document, or cannot be acted on.
    """
    read, ax, tree = yield from _ask(resolver, place, None, along)
    if not isinstance(read, Reply):
        if isinstance(read.error, CommandRefused | TargetDetached):
            return None
        raise read.error
    facts = read_result(read, Facts)
    present = present_in(place, tree, ax)
    if present is None or facts.kind in (0, *_NO_ELEMENTS):
        return None
    if place.frame not in resolver.ordinals.by_frame:
        main = yield from resolver.main_frame()
        if place.frame == main:
            resolver.ordinals.assign([main])
        else:
            yield from number_frames(resolver)
            resolver.ordinals.assign([place.frame])
    id_ = ElementId(f"{resolver.ordinals.by_frame[place.frame]}-{place.backend_node_id}")
    history.show_single(id_, place.frame, present.loader, present.node.role, present.node.name)
    node, found = place.backend_node_id, present.node
    binding = ShownElement(id_, place.frame, present.loader, node, found.role, found.name, None)
    return Element(id_, place, found.role, found.name, _Verification(resolver, history, binding).check)


def name_id(resolver: NodeResolver, history: ElementHistory, id_: ElementId) -> Plan[Element | None]:
    """Take an element as shown whose id was just read off the page, and is about to be told: what covers
    another, what has the focus.

    Args:
        resolver: of the page, the one that found it.
        history: of the page.
        id_: its id; the frame has its number.

    Returns:
        The element; None when it is gone.
    """
    ordinal, node = split_id(id_)
    frame = yield from _frame_named(resolver, history, ordinal)
    session = None if frame is None else (yield from resolver.session_with(frame))
    if frame is None or session is None:
        return None
    place = yield from resolver.held(NodeRef(session, frame, node))
    return None if place is None else (yield from name_place(resolver, history, place))
