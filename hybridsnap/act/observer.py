"""Seeing what an action does to the page: mutations, live regions, the focus, the element's own state.

Observers stand in the isolated world of the element's frame and of the frames around it, from before the
action until the page has settled. They see open shadow roots, and closed ones around the element; what is
behind other closed roots, and in frames further away, they do not see.
"""

from __future__ import annotations

import dataclasses
import uuid
from typing import TYPE_CHECKING, Any

from hybridsnap.act.receipt import Change, Invalid
from hybridsnap.act.remote_call import call_with
from hybridsnap.capture.pointing import active_within
from hybridsnap.capture.scope import number_frames
from hybridsnap.errors import CommandError, SessionEnded
from hybridsnap.injected import script
from hybridsnap.protocol.commands import get_properties
from hybridsnap.protocol.plan import Reply, gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

#: What a pointer opens is there within this, seconds: menus wait 300 ms before they open.
_OPENS_SECONDS = 0.45
_START = script("observe")
_END = 'function (key) { return globalThis[Symbol.for("hybridsnap watches")]?.get(key)?.end(); }'
_OPENED = script("opened")
#: What had the focus before and after, then the fields that were found not valid, then the one whose file
#: chooser was opened.
_NODES = """function (key) {
  const watches = globalThis[Symbol.for("hybridsnap watches")], watch = watches?.get(key);
  watches?.delete(key);
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
        file_chooser: id of the file field whose chooser was opened, "" where it cannot be told.
    """

    dom_changes: int | None = None
    changes: tuple[Change, ...] = ()
    announced: tuple[str, ...] = ()
    focus: tuple[str, str] | None = None
    gone: bool = False
    invalid: tuple[Invalid, ...] = ()
    file_chooser: str | None = None


class Observer:
    """Observers of one action: in the element's frame (`hybridsnap.act.piggyback`), then in those around it.

    Args:
        resolver: of the page.
    """

    def __init__(self, resolver: NodeResolver) -> None:
        self._resolver = resolver
        self._key = f"{resolver.group} {uuid.uuid4().hex}"
        #: Of each frame that an observer is asked for, its session and world; then of those that have one.
        self._asked: list[tuple[int, FrameId, int]] = []
        self._worlds: list[tuple[int, FrameId, int]] = []

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
            on.append({"value": target.backend_node_id})
        cleanup = self._call(frame, _END, by_value=True)
        return dataclasses.replace(self._call(frame, _START, *on), cleanup=cleanup)

    def opened(self, *, listens: bool) -> Plan[None]:
        """Wait for what the pointer opens: a menu comes up to 300 ms after the pointer.

        Args:
            listens: script listens to the pointer there; without it only transitions are waited for.
        """
        for at in self._worlds[:1]:
            given = ({"value": _OPENS_SECONDS * 1000}, {"value": listens})
            ask = self._call(at, _OPENED, *given, by_value=True)
            ask = dataclasses.replace(ask, params={**ask.params, "awaitPromise": True})
            yield from gather_outcomes(ask, timeout=2 * _OPENS_SECONDS)

    def stop(self) -> Plan[None]:
        """Take the observers down, without asking what they saw."""
        yield from gather_outcomes(
            *(self._call(at, function, by_value=True) for at in self._worlds for function in (_END, _NODES))
        )

    def end(self) -> Plan[Observations]:
        """Take the observers down, and let go of all handles; what they saw."""
        asked = [self._call(at, _END, by_value=True) for at in self._worlds]
        ended: list[Outcome[Any]] = yield from gather_outcomes(*asked, *self._resolver.releasing())
        outcomes: list[Outcome[CallResult]] = ended[: len(asked)]
        counts: list[int] = []
        announced: list[str] = []
        changes: tuple[Change, ...] = ()
        focus: tuple[str, str] | None = None
        gone = False
        invalid: list[Invalid] = []
        file_chooser: str | None = None
        for number, outcome in enumerate(outcomes):
            if not isinstance(outcome, Reply):
                if not isinstance(outcome.error, (CommandError, SessionEnded)):
                    raise outcome.error
                continue
            told: Any = outcome.value.result.value
            if not isinstance(told, dict):
                continue  # another document stands there now
            counts.append(told["count"])
            announced += told["announced"]
            if number == 0:
                changes = tuple(Change(*one) for one in told["changes"])
                gone = told["gone"]
            if told["moved"] or told["invalid"] or told["chose"]:
                ids = yield from self._ids(told, *self._worlds[number])
                if told["moved"] and len(ids) > 1 and ids[0] != ids[1]:
                    focus = focus or (ids[0], ids[1])  # the innermost frame tells most
                fields = [*ids[2:], *[""] * (len(told["invalid"]) + 1)]
                invalid += [Invalid(id_, *words) for id_, words in zip(fields, told["invalid"], strict=False)]
                if told["chose"]:
                    file_chooser = file_chooser or fields[len(told["invalid"])]
        # The document that was acted in is the one that counts.
        lost = not self._worlds or not isinstance(outcomes[0], Reply)
        count = None if lost else sum(counts)
        texts = tuple(dict.fromkeys(announced))
        return Observations(count, changes, texts, focus, gone, tuple(invalid), file_chooser)

    def _ids(self, told: dict[str, Any], session: int, frame: FrameId, world: int) -> Plan[list[str]]:
        """Ids of what had the focus before and after, and of the fields that were noticed; "" for nothing."""
        ordinal = self._resolver.ordinals.by_frame.get(frame)
        if told["invalid"] or told["chose"] or None in told["focus"] or ordinal is None:
            return (yield from self._nodes(session, frame, world))
        return [f"{ordinal}-{node}" if node else "" for node in told["focus"]]

    def _nodes(self, session: int, frame: FrameId, world: int) -> Plan[list[str]]:
        """Ids of what `_NODES` gives, "" for nothing; none at all where they cannot be told any more."""
        resolver = self._resolver
        (outcome,) = yield from gather_outcomes(self._call((session, frame, world), _NODES))
        if not isinstance(outcome, Reply) or outcome.value.result.object_id is None:
            return []
        held = outcome.value.result.object_id
        (listed,) = yield from gather_outcomes(get_properties(resolver.id_of(session), held, resolver.group))
        if not isinstance(listed, Reply):
            return []
        yield from number_frames(resolver)
        resolver.ordinals.assign([frame])
        ordinal = resolver.ordinals.by_frame[frame]
        ids: list[str] = []
        for one in listed.value:
            handles = [] if one.object_id is None else [one.object_id]
            places = yield from resolver.described(session, frame, handles)
            if places and len(ids) == 1:  # what has the focus now: to a script, the host of a closed root
                places = [(yield from active_within(resolver, places[0]))]
            ids.append(f"{ordinal}-{places[0].backend_node_id}" if places else "")
        return ids

    def _call(
        self, at: tuple[int, FrameId, int], function: str, *arguments: dict[str, Any], by_value: bool = False
    ) -> Command[CallResult]:
        """A function in the world of a frame, with our key as its first argument."""
        given = [{"value": self._key}, *arguments]
        session, frame, world = at
        on = {"executionContextId": world}
        command = call_with(self._resolver, session, frame, on, function, given, by_value=by_value)
        # Values need no release.
        return dataclasses.replace(command, cleanup=None) if by_value else command
