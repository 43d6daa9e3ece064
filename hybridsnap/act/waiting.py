"""Looking whether what is waited for is so; `hybridsnap.act.conditions` has the rules."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeGuard

from hybridsnap.act.conditions import Conditions, normalised
from hybridsnap.act.element_conditions import OF_ELEMENT, Lacking, count_matches, look_at_element
from hybridsnap.act.naming import read_closed_roots, resolve_element
from hybridsnap.capture.element_ids import is_ref
from hybridsnap.capture.selectors import parse_selector
from hybridsnap.errors import CommandUnanswered, SelectorError, StaleElement
from hybridsnap.injected import script
from hybridsnap.protocol.commands import (
    call_function,
    create_isolated_world,
    get_frame_tree,
    resolve_node,
)
from hybridsnap.protocol.plan import Reply, gather_outcomes, parallel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.model import BackendNodeId, FrameId, SessionId
    from hybridsnap.protocol.plan import Outcome, Plan

# Called in isolated worlds, where stands what is kept between two calls.
_LOOK, _DISPLAYED = script("look_for_texts"), script("displayed")
CHANGED, END = script("wait_for_change"), script("stop_looking_for_texts")


@dataclasses.dataclass(slots=True)
class Look:
    """What was seen of the page.

    Attributes:
        holds: of the conditions in the page, those that hold.
        state: the main document's readyState; None when it did not say.
        silent: how many frames did not answer: what they show is not known.
        lacking: condition on elements → what holds instead of it, such as ``it is disabled``.
    """

    holds: set[str] = dataclasses.field(default_factory=set)
    state: str | None = None
    silent: int = 0
    lacking: dict[str, Lacking] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(slots=True)
class Watched:
    """What lasts from one look to the next.

    Attributes:
        key: that frames watch for changes under.
        worlds: session id and execution context of the frames that do, or may.
        closed: frame id → its closed shadow roots, as far as they are known.
    """

    key: str
    worlds: dict[tuple[SessionId | None, int], None] = dataclasses.field(default_factory=dict)
    closed: dict[FrameId, list[BackendNodeId]] = dataclasses.field(default_factory=dict)


def look(
    resolver: NodeResolver, history: ElementHistory, conditions: Conditions, watched: Watched
) -> Plan[Look]:
    """Look at the page once, and have its frames watch for changes from here on.

    Args:
        resolver: of the page; its handles are released in the end.
        history: what has been shown of it.
        conditions: those that are looked for.
        watched: is told at once which frames watch.

    Cost: three round trips, one or two for each selector, and about five for each element.

    Raises:
        SelectorError: the browser calls a selector malformed.
        UnknownElement: an id or ref that was never shown.
        NotInteractable: ``wrong kind``: an element is asked for a state that it cannot have.
        CommandError: the main frame did not answer: a dialog is open, it is busy, or just being replaced.
        SessionEnded: the page is gone.
    """
    seen = Look()
    resolver.closed = watched.closed
    texts = [normalised(one) for one in (conditions.text, conditions.text_gone) if one is not None]
    frames = [_Frames(resolver, seen, number) for number in range(len(resolver.sessions) if texts else 1)]
    strands: list[Plan[Any]] = [one.look(texts, watched) for one in frames]
    for name, wanted in (("selector", True), ("selector_gone", False)):
        selector = getattr(conditions, name)
        if selector is not None:
            strands.append(_look_for(resolver, history, seen, name, selector, wanted=wanted))
    # A frame that does not answer holds up nothing but itself.
    yield from parallel(strands)
    for name in (*OF_ELEMENT, "value", "count"):
        if getattr(conditions, name) is not None:
            yield from _look_at(resolver, history, seen, name, getattr(conditions, name))
    found = _found(frames, len(texts))
    if conditions.text is not None and found[0]:
        seen.holds.add("text")
    if conditions.text_gone is not None and not found[-1] and not seen.silent:
        seen.holds.add("text_gone")
    yield from resolver.release()
    return seen


def find_closed_roots(resolver: NodeResolver) -> Plan[dict[FrameId, list[BackendNodeId]]]:
    """The closed shadow roots of the page; script cannot find them, so the whole DOM is read.

    Cost: that of `DOM.getDocument`, about 0.4 s for 50,000 elements. Frames that do not answer are left out.
    """
    yield from parallel([read_closed_roots(resolver, number) for number in range(len(resolver.sessions))])
    return resolver.closed


class _Frames:
    """The frames of one session, and what they show.

    Attributes:
        found: frame → whether each text is there.
        parents: frame → the frame around it.
        hidden: frames that have no room to show anything.
    """

    def __init__(self, resolver: NodeResolver, seen: Look, session: int) -> None:
        self._resolver = resolver
        self._seen = seen
        self._session = session
        self._id = resolver.id_of(session)
        self.found: dict[FrameId, list[bool]] = {}
        self.parents: dict[FrameId, FrameId | None] = {}
        self.hidden: set[FrameId | None] = set()

    def look(self, texts: Sequence[str], watched: Watched) -> Plan[None]:
        """Ask each frame for its texts; where there is none to look for, the first frame alone."""
        (tree,) = yield from gather_outcomes(get_frame_tree(self._id))
        if not self._answers(tree):
            return
        frames = tree.value.frames()
        self._resolver.trees[self._session] = frames
        self.parents = {frame.id: frame.parent_id for frame in frames}
        self.parents[frames[0].id] = self._resolver.sessions[self._session].parent_frame
        ids = [frame.id for frame in frames if texts or frame is frames[0]]
        made: list[Outcome[Any]] = yield from gather_outcomes(
            *(create_isolated_world(self._id, one) for one in ids)
        )
        worlds = {
            frame: world.value
            for frame, world in zip(ids, made, strict=True)
            if self._answers(world, main=frame == frames[0].id)
        }
        roots = yield from self._closed_roots(worlds)
        asked = []
        for frame, world in worlds.items():
            self._resolver.note_world(frame, world)
            watched.worlds[self._id, world] = None
            given = [{"value": watched.key}, {"value": list(texts)}, *roots.get(frame, ())]
            on = {"executionContextId": world}
            command = call_function(self._id, _LOOK, on, given, self._resolver.group, by_value=True)
            asked.append(dataclasses.replace(command, cleanup=None))  # values need no release
        told: list[Outcome[Any]] = yield from gather_outcomes(*asked)
        for frame, outcome in zip(worlds, told, strict=True):
            if self._answers(outcome, main=frame == frames[0].id):
                self._take(frame, outcome.value.result.value, main=frame == frames[0].id)

    def _take(self, frame: FrameId, told: Any, *, main: bool) -> None:
        if not isinstance(told, dict):
            self._seen.silent += 1
            return
        self.found[frame] = told["found"]
        if not told["room"]:
            self.hidden.add(frame)
        if main and self._session == 0:
            self._seen.state = told["state"]

    def _answers(self, outcome: Outcome[Any], *, main: bool = True) -> TypeGuard[Reply[Any]]:
        """Whether a frame answered. One that is gone, or crashed, shows nothing; one that is silent may."""
        if isinstance(outcome, Reply):
            return True
        if main and self._session == 0:
            raise outcome.error
        if isinstance(outcome.error, CommandUnanswered):
            self._seen.silent += 1
        return False

    def _closed_roots(self, worlds: Mapping[FrameId, int]) -> Plan[dict[FrameId, list[dict[str, Any]]]]:
        """Handles on the closed shadow roots that are known, as arguments; not on those that are gone."""
        closed = self._resolver.closed
        wanted = [(frame, root) for frame in worlds for root in closed.get(frame, ())]
        outcomes = yield from gather_outcomes(
            *(resolve_node(self._id, root, worlds[frame], self._resolver.group) for frame, root in wanted)
        )
        handles: dict[FrameId, list[dict[str, Any]]] = {}
        for (frame, _), outcome in zip(wanted, outcomes, strict=True):
            if isinstance(outcome, Reply):
                handles.setdefault(frame, []).append({"objectId": outcome.value.object_id})
        return handles


def _found(sessions: Sequence[_Frames], count: int) -> list[bool]:
    """Whether each text is in a frame that is shown, with all frames around it."""
    parents = {frame: parent for one in sessions for frame, parent in one.parents.items()}
    hidden = {frame for one in sessions for frame in one.hidden}
    shown = [
        found
        for one in sessions
        for frame, found in one.found.items()
        if not hidden.intersection(_line(frame, parents))
    ]
    return [any(found[at] for found in shown) for at in range(count)]


def _line(frame: FrameId | None, parents: Mapping[FrameId, FrameId | None]) -> set[FrameId | None]:
    """A frame and those around it."""
    line: set[FrameId | None] = set()
    while frame is not None and frame not in line:
        line.add(frame)
        frame = parents.get(frame)
    return line


def _look_at(
    resolver: NodeResolver, history: ElementHistory, seen: Look, name: str, asked: Any
) -> Plan[None]:
    if name == "count":
        lacking = yield from count_matches(resolver, *asked)
    elif name == "value":
        lacking = yield from look_at_element(resolver, history, name, *asked)
    else:
        lacking = yield from look_at_element(resolver, history, name, asked)
    if lacking:
        seen.lacking[name] = lacking
    else:
        seen.holds.add(name)


def _look_for(
    resolver: NodeResolver, history: ElementHistory, seen: Look, name: str, selector: str, *, wanted: bool
) -> Plan[None]:
    if (yield from _displayed(resolver, history, selector)) == wanted:
        seen.holds.add(name)


def _displayed(resolver: NodeResolver, history: ElementHistory, selector: str) -> Plan[bool]:
    """Whether something that a selector matches is displayed."""
    parsed = None if is_ref(selector) else parse_selector(selector)
    if parsed is None or parsed.element is not None:
        try:
            element = yield from resolve_element(resolver, history, selector.strip())
        except StaleElement:
            return False
        return (yield from _any_displayed(resolver, [element.place]))
    try:
        places = yield from resolver.find(parsed, 0)  # mostly enough, and cheap where there are many
        if not places:
            return False
        if (yield from _any_displayed(resolver, places)):
            return True
        return (yield from _any_displayed(resolver, (yield from resolver.find(parsed, None))))
    except SelectorError as error:
        if error.reason == "syntax":
            raise
        return False  # the frame it leads into is not there yet


def _any_displayed(resolver: NodeResolver, places: Sequence[NodeRef]) -> Plan[bool]:
    by_frame: dict[tuple[int, FrameId], list[dict[str, Any]]] = {}
    for place in places:
        held = yield from resolver.held(place)
        if held is not None:
            by_frame.setdefault((held.session, held.frame), []).append({"objectId": held.object_id})
    for (session, frame), handles in by_frame.items():
        result = yield from resolver.call_in_frame(session, frame, _DISPLAYED, handles, by_value=True)
        if result.result.value is True:
            return True
    return False
