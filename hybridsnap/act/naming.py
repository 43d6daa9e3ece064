"""From how an element is named to the element: found, and proven to be what was shown.

An element id (``0-29``), or a ref of a rendering (``e12``, ``@e12``, ``ref=e12``), was read in a snapshot,
and the page has lived on: `hybridsnap.act.verification` holds what it is bound to against the page. A
selector, or a raw backend node id, is bound to nothing and is looked up now; what it finds gets its id, and
counts as shown.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import json
import re
from typing import TYPE_CHECKING

from hybridsnap.act.element import Element, describe, said_beside
from hybridsnap.act.element_facts import Facts
from hybridsnap.act.identity import present_in
from hybridsnap.act.remote_call import read_result
from hybridsnap.act.shown_rows import ShownElement
from hybridsnap.act.verification import NO_ELEMENTS, IdVerifier, ask_what_it_is
from hybridsnap.argument_checks import check_whole
from hybridsnap.capture.element_ids import find_printed_id, is_ref, read_plausible_id, read_ref, split_id
from hybridsnap.capture.node_resolver import NodeRef
from hybridsnap.capture.reading import SessionResult
from hybridsnap.capture.scope import id_of_place
from hybridsnap.capture.selectors import parse_selector, remedy_for
from hybridsnap.capture.session import read_dom
from hybridsnap.errors import CommandRefused, SelectorError, TargetDetached, UnknownElement
from hybridsnap.injected import script
from hybridsnap.model import MOST_INTEGER, BackendNodeId, ElementId, FrameId, Successor
from hybridsnap.protocol.ax_vocabulary import ARIA_ROLES, LOWER_ROLES
from hybridsnap.protocol.commands import call_function
from hybridsnap.protocol.plan import Reply, gather

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.act.piggyback import Piggyback
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.capture.selectors import Selector
    from hybridsnap.protocol.plan import Plan

#: No selector begins like this.
_MEANT_AS_ID = re.compile(r"[0-9@]|\[[0-9]|ref=|-[0-9]")
_FORMS = (
    'an element id (0-29), a ref (e12, @e12, ref=e12) or a selector (CSS, XPath, role=button[name="Buy"])'
)
#: So many matches are named in the refusal of a selector that matches several.
_CANDIDATES = 5
_HIDDEN_NAME = script("hidden_name")
#: What that gives → the same in words.
_HIDDEN_BY = {
    "aria-hidden": "aria-hidden, as an open dialog may set it",
    "inert": "inert, as the page behind an open dialog is",
}


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
        element: an element id, a ref, or a selector (`hybridsnap.capture.selectors`).
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
    return (yield from IdVerifier(resolver, history, binding).run(along))


def _refuse_others(element: str | None, nth: int | None, as_of: str | None) -> None:
    if element is not None:
        raise ValueError(f"give an element ({element!r}) or a backend_node_id, not both")
    if nth or as_of is not None:
        raise ValueError("nth and as_of mean nothing to a backend_node_id")


def _find_places(resolver: NodeResolver, selector: Selector, nth: int, *, only: bool) -> Plan[list[NodeRef]]:
    """As `NodeResolver.find`, closed shadow roots included.

    What stands in the open comes first, so closed roots are only looked for (which takes the whole DOM) when
    there are not enough matches without them.
    """
    places = yield from resolver.find(selector, nth, only=only)
    if places or all(part.kind != "css" for part in selector.parts):
        return places
    seen: set[int] = set()

    def note_closed_roots(session: int) -> Plan[None]:
        if session in seen:
            return
        seen.add(session)
        yield from read_closed_roots(resolver, session)

    resolver.before_search = note_closed_roots
    try:
        return (yield from resolver.find(selector, nth, only=only))
    finally:
        resolver.before_search = None


def read_closed_roots(resolver: NodeResolver, session: int) -> Plan[None]:
    """Learn of a session's closed shadow roots; script cannot find them, so its whole DOM is read."""
    reading = SessionResult(resolver.sessions[session])
    yield from read_dom(reading, pointed=False)
    if reading.tree is not None and reading.index is not None:
        resolver.trees[session] = reading.tree
        resolver.note_closed_roots(session, reading.index)


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
    places = yield from _find_places(resolver, selector, nth or 0, only=nth is None)
    # Closed shadow roots are searched only where nothing else matches: they make no match ambiguous.
    if nth is None and places and not resolver.is_only and (yield from resolver.find(selector, 1)):
        raise (yield from _ambiguous(resolver, history, text, selector))
    place = None if not places else (yield from resolver.held(places[0]))
    element = None if place is None else (yield from name_place(resolver, history, place, along))
    if element is None:
        words = f"{text!r} matches nothing on the page"
        if nth:
            words = f"{text!r} has no match number {nth} (counted from 0) on the page; give a smaller nth"
        if text.strip().startswith("[ref="):
            words += "; a ref is written e12, @e12 or ref=e12"
        elif counted := (yield from _too_few(resolver, selector)):
            words += counted
        elif not nth:
            hidden = yield from _hidden(resolver, selector)
            words += hidden or f"; {remedy_for(text)}{_like(resolver, selector)}"
        # A role that does not exist never matches, so it is not waited for.
        is_unknown = any(part.role is not None and _is_no_role(part.role.role) for part in selector.parts)
        raise SelectorError(words, selector=text, reason="syntax" if is_unknown else "nothing")
    return element


def _too_few(resolver: NodeResolver, selector: Selector) -> Plan[str]:
    """That there are matches, and not as many as ``nth=`` counts; "" where there are none."""
    if not selector.parts or selector.parts[-1].nth is None:
        return ""
    *before, last = selector.parts
    whole = dataclasses.replace(selector, parts=(*before, dataclasses.replace(last, nth=None)))
    count = len((yield from resolver.find(whole, None)))
    return f": what stands before nth={last.nth} has {count:,}, counted from 0" if count else ""


def _hidden(resolver: NodeResolver, selector: Selector) -> Plan[str]:
    """What to say of an element that exists, but not in the accessibility tree; "" where there is none.

    An open dialog hides the page behind it in this way.
    """
    role = selector.parts[-1].role
    like = resolver.names_like or resolver.text_like or resolver.roles_like
    if role is None or not role.name or like or len(selector.parts) > 1:
        return ""
    try:
        world = yield from resolver.world(0, resolver.trees[0][0].id)
        arguments = [{"value": one} for one in (role.name, role.whole, role.fold)]
        (told,) = yield from gather(
            call_function(
                resolver.id_of(0),
                _HIDDEN_NAME,
                {"executionContextId": world},
                arguments,
                resolver.group,
                by_value=True,
            )
        )
    except CommandRefused:
        return ""  # the document has gone meanwhile
    why = told.result.value if told.exception_details is None else ""
    if not why:
        return ""
    name = json.dumps(role.name, ensure_ascii=False)
    return f"; {name} is there, but hidden from assistive technology ({_HIDDEN_BY[why]})"


def _is_no_role(role: str) -> bool:
    return role not in LOWER_ROLES and role != "text"


def _like(resolver: NodeResolver, selector: Selector) -> str:
    """What a search by role that found nothing may have meant, and that it looks into one document only."""
    role = selector.parts[-1].role
    if role is None:
        return ""
    if resolver.names_like:
        names = ", ".join(describe(role.role, name) for name in resolver.names_like)
        is_only_case = (role.name or "").casefold() in {name.casefold() for name in resolver.names_like}
        how = "[name=] takes the whole name, [name*=] a part of it"
        if role.whole and is_only_case:
            how = "names are in upper or lower case as they are drawn; [name=… i] takes either"
        return f" (there is {names}: {how})"
    if resolver.text_like is not None and role.name is not None:
        how = "=" if resolver.text_like == role.name else "*="
        case = "" if role.name in resolver.text_like else " i"
        named = f"role=StaticText[name{how}{json.dumps(role.name, ensure_ascii=False)}{case}]"
        return f" (a {role.role} holds that text, and has no name of its own: {named} is the text in it)"
    if _is_no_role(role.role):
        near = difflib.get_close_matches(role.role, ARIA_ROLES, n=1)
        meant = f"; {near[0]} is probably meant" if near else ""
        return f" ({role.role} is not a role{meant})"
    where = "role= looks into the main document; iframe >> role=… leads into a frame"
    if resolver.roles_like:
        where = f"there is {', '.join(describe(*one) for one in resolver.roles_like)}, of another role"
    return f" ({where})" if resolver.roles_like or len(selector.parts) == 1 else ""


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
            # What a snapshot has shown beside it; a selector alone says nothing of that.
            context = history.look_up(element.id).context
            beside = "" if context is None else context.telling
            candidates.append(Successor(element.id, element.role, element.name, beside))
    candidates.sort(key=lambda one: not one.role)
    named = ", ".join(
        f"{one.id} {describe(one.role, one.name)}{said_beside(one)}" if one.role else one.id
        for one in candidates
    )
    if candidates and not candidates[-1].role:
        named += " (not in the accessibility tree)"
    named += ", …" if len(places) > len(candidates) else ""
    return SelectorError(
        f"{text!r} matches {len(places)} elements: {named}; name one by its id, or add "
        "which match is meant: >> nth=0 is the first",
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
        with contextlib.suppress(UnknownElement):
            known = history.look_up(ElementId(f"{ordinal}-{node}"))
    if known is None:
        raise UnknownElement(f"{named}: the frame's document has no such node", element_id=named)
    return (yield from IdVerifier(resolver, history, known).run(along))


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
    read, ax, tree = yield from ask_what_it_is(resolver, place, None, along)
    if not isinstance(read, Reply):
        if isinstance(read.error, CommandRefused | TargetDetached):
            return None
        raise read.error
    facts = read_result(read, Facts)
    present = present_in(place, tree, ax)
    if present is None or facts.kind in (0, *NO_ELEMENTS):
        return None
    loader, found = present
    id_ = yield from id_of_place(resolver, place)
    history.show_single(id_, place.frame, loader, found.role, found.name)
    binding = ShownElement(id_, place.frame, loader, place.backend_node_id, found.role, found.name, None)
    # What is hidden for now is called what it was shown as.
    words = found if found.role else history.look_up(id_)
    return Element(id_, place, words.role or "", words.name, IdVerifier(resolver, history, binding).check)


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
