"""Seeing what an action does to the page: mutations, live regions, the focus, the element's own state.

Observers stand in the isolated world of the element's frame and of the frames around it, from before the
action until the page has settled. They see open shadow roots, and closed ones around the element; what is
behind other closed roots, and in frames further away, they do not see.
"""

from __future__ import annotations

import dataclasses
import uuid
from typing import TYPE_CHECKING, Any

from hybridsnap.act.receipt import Change, Invalid, hide_password
from hybridsnap.act.remote_call import call_with
from hybridsnap.capture.pointing import active_within
from hybridsnap.capture.scope import id_of_place
from hybridsnap.errors import CommandError, SessionEnded
from hybridsnap.injected import script
from hybridsnap.protocol.commands import get_properties
from hybridsnap.protocol.plan import Reply, gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.model import FrameId, SessionId
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

#: What a pointer opens is there within this, seconds: menus wait 300 ms before they open.
_OPENS_SECONDS = 0.45
_START = script("observe")
_LOOK = 'function (key) { return globalThis[Symbol.for("hybridsnap watches")]?.get(key)?.look(); }'
_STOP = 'function (key) { globalThis[Symbol.for("hybridsnap watches")]?.get(key)?.stop(); }'
_OPENED = script("opened")
#: What had the focus before and after, then the fields that were found not valid, then the one whose file
#: chooser was opened.
_NODES = """function (key) {
  const watch = globalThis[Symbol.for("hybridsnap watches")]?.get(key);
  return [watch?.before ?? null, watch?.after ?? null, ...(watch?.fields ?? [])];
}"""


@dataclasses.dataclass(frozen=True, slots=True)
class Observations:
    """What was seen of an action from within the page.

    Attributes:
        dom_changes: mutations; None when no frame could be asked in the end: it holds another document.
        changes: of the element.
        announced: texts that appeared in live regions.
        focus: ids before and after, "" for nothing; None when it did not move.
        gone: the element is out of its document.
        invalid: fields that kept a form from being sent, by their HTML name or id.
        became: what stands in the field, where that is something else by now than the action left there;
            empty for a password; None where it is the same, or no field was filled.
        file_chooser: id of the file field whose chooser was opened, "" where it cannot be told.
    """

    dom_changes: int | None = None
    changes: tuple[Change, ...] = ()
    announced: tuple[str, ...] = ()
    focus: tuple[str, str] | None = None
    gone: bool = False
    invalid: tuple[Invalid, ...] = ()
    file_chooser: str | None = None
    became: tuple[str, ...] | None = None


class Observer:
    """Observers of one action: in the element's frame (`hybridsnap.act.piggyback`), then in those around it.

    Nobody has to take them down: whoever runs the plan owes it.

    Args:
        resolver: of the page.

    Attributes:
        key: of all of them, in their worlds.
    """

    def __init__(self, resolver: NodeResolver) -> None:
        self._resolver = resolver
        self.key: str = f"{resolver.group} {uuid.uuid4().hex}"
        #: Of each frame that is to have one: the session's index, and the world; then of those that do.
        self._asked: list[tuple[int, FrameId, int]] = []
        self._target: NodeRef | None = None
        self._worlds: list[tuple[int, FrameId, int]] = []

    @property
    def worlds(self) -> list[tuple[SessionId | None, FrameId, int]]:
        """Session, frame and isolated world of each, the innermost first."""
        return [(self._resolver.id_of(number), frame, world) for number, frame, world in self._worlds]

    def commands(self, place: NodeRef) -> list[Command[Any]]:
        """What puts up the observer in an element's own frame."""
        frame = (place.session, place.frame, self._resolver.known_world(place.frame))
        return [self._starting(frame, place)]

    def take(self, outcomes: Sequence[Outcome[CallResult]]) -> None:
        """Keep which observers were put up."""
        asked, self._asked = self._asked, []
        for frame, outcome in zip(asked, outcomes, strict=True):
            if isinstance(outcome, Reply):
                if outcome.value.exception_details is None:
                    self._worlds.append(frame)
            elif not isinstance(outcome.error, CommandError):
                raise outcome.error

    def start(self, place: NodeRef | None) -> Plan[None]:
        """Put up the observers that are not there yet.

        Args:
            place: of the element acted on, with a handle on it; None observes the main frame only.
        """
        resolver = self._resolver
        frames = (
            [(0, (yield from resolver.main_frame()))]
            if place is None
            else (yield from resolver.frames_around(place))
        )
        starting: list[Command[Any]] = []
        for session, frame in frames:
            if any(frame == known for _, known, _ in self._worlds):
                continue
            world = yield from resolver.world(session, frame)
            target = place if place is not None and frame == place.frame else None
            starting.append(self._starting((session, frame, world), target))
        self.take((yield from gather_outcomes(*starting)))

    def _starting(self, frame: tuple[int, FrameId, int], target: NodeRef | None) -> Command[Any]:
        self._asked.append(frame)
        on: list[dict[str, Any]] = [{"value": None}] if target is None else [{"objectId": target.object_id}]
        if target is not None:
            self._target = target
            on.append({"value": target.backend_node_id})
        cleanup = self._call(frame, _STOP)
        return dataclasses.replace(self._call(frame, _START, *on), cleanup=cleanup)

    def opened(self) -> Plan[None]:
        """Wait for what the pointer opens: where the page has set a timer, or something is in transition."""
        for at in self._worlds[:1]:
            ask = self._call(at, _OPENED, {"value": _OPENS_SECONDS * 1000})
            yield from gather_outcomes(ask, timeout=2 * _OPENS_SECONDS)

    def look(self, told: Sequence[Any] = ()) -> Plan[Observations]:
        """What they have seen.

        Args:
            told: by the observers themselves to whoever waited for the page, in the order of `worlds`; empty
                asks them now.
        """
        looks = told or (yield from self._looks())
        counts: list[int] = []
        announced: list[str] = []
        changes: tuple[Change, ...] = ()
        focus: tuple[str, str] | None = None
        gone = False
        became: tuple[str, ...] | None = None
        invalid: list[Invalid] = []
        file_chooser: str | None = None
        for number, seen in enumerate(looks):
            if not isinstance(seen, dict):
                continue  # another document stands there now
            counts.append(seen["count"])
            announced += seen["announced"]
            if number == 0:
                changes = yield from self._without_password([Change(*one) for one in seen["changes"]])
                gone = seen["gone"]
                if seen["became"] is not None:
                    is_secret = yield from self._is_password()
                    became = () if is_secret else tuple(seen["became"])
            if seen["moved"] or seen["invalid"] or seen["chose"]:
                ids = yield from self._ids(seen, *self._worlds[number])
                if seen["moved"] and len(ids) > 1 and ids[0] != ids[1]:
                    focus = focus or (ids[0], ids[1])  # the innermost frame tells most
                fields = [*ids[2:], *[""] * (len(seen["invalid"]) + 1)]
                invalid += [Invalid(id_, *words) for id_, words in zip(fields, seen["invalid"], strict=False)]
                if seen["chose"]:
                    file_chooser = file_chooser or fields[len(seen["invalid"])]
        # The document that was acted in is the one that counts.
        count = sum(counts) if looks and looks[0] is not None else None
        texts = tuple(dict.fromkeys(announced))
        return Observations(count, changes, texts, focus, gone, tuple(invalid), file_chooser, became)

    def _without_password(self, changes: list[Change]) -> Plan[tuple[Change, ...]]:
        """The changes of the element; hidden where the page shows what a password field holds."""
        if changes and (yield from self._is_password()):
            changes = [shown for one in changes if (shown := hide_password(one)) is not None]
        return tuple(changes)

    def _is_password(self) -> Plan[bool]:
        target = self._target
        if target is None:
            return False
        tree = yield from self._resolver.tree_of(target.session)
        return target.backend_node_id in self._resolver.ordinals.passwords.get(tree[0].loader_id, ())

    def _looks(self) -> Plan[list[Any]]:
        """What each tells, None where it cannot be asked any more."""
        outcomes = yield from gather_outcomes(*(self._call(at, _LOOK) for at in self._worlds))
        for outcome in outcomes:
            if not isinstance(outcome, Reply) and not isinstance(outcome.error, (CommandError, SessionEnded)):
                raise outcome.error
        return [one.value.result.value if isinstance(one, Reply) else None for one in outcomes]

    def _ids(self, told: dict[str, Any], session: int, frame: FrameId, world: int) -> Plan[list[str]]:
        """Ids of what had the focus before and after, and of the fields that were noticed; "" for nothing."""
        ordinal = self._resolver.ordinals.by_frame.get(frame)
        if told["invalid"] or told["chose"] or None in told["focus"] or ordinal is None:
            return (yield from self._nodes(session, frame, world))
        return [f"{ordinal}-{node}" if node else "" for node in told["focus"]]

    def _nodes(self, session: int, frame: FrameId, world: int) -> Plan[list[str]]:
        """Ids of what `_NODES` gives, "" for nothing; none at all where they cannot be told any more."""
        resolver = self._resolver
        (outcome,) = yield from gather_outcomes(self._call((session, frame, world), _NODES, by_value=False))
        if not isinstance(outcome, Reply) or outcome.value.result.object_id is None:
            return []
        held = outcome.value.result.object_id
        (listed,) = yield from gather_outcomes(get_properties(resolver.id_of(session), held, resolver.group))
        if not isinstance(listed, Reply):
            return []
        handles = [one.object_id for one in listed.value if one.object_id is not None]
        found = iter((yield from resolver.nodes_of(session, frame, handles)))
        ids: list[str] = []
        for one in listed.value:
            node = None if one.object_id is None else next(found)
            place = None if node is None else node[0]
            # What has the focus now is, to a script, the host of a closed root.
            if node is not None and len(ids) == 1:
                place = yield from active_within(resolver, *node)
            ids.append("" if place is None else (yield from id_of_place(resolver, place)))
        return ids

    def _call(
        self,
        at: tuple[int, FrameId, int],
        function: str,
        *arguments: dict[str, Any],
        by_value: bool = True,
    ) -> Command[CallResult]:
        """A function in the world of a frame, with our key as its first argument."""
        given = [{"value": self.key}, *arguments]
        session, frame, world = at
        on = {"executionContextId": world}
        return call_with(self._resolver, session, frame, on, function, given, by_value=by_value)
