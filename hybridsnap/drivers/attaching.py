"""Sessions of ours on a tab and its out-of-process frames: plans for drivers that pass on session ids.

The browser names its frames' targets with the frame that holds each (`parentFrameId`). Those that hang on the
page's or another target's own root frame are attached to at once, which the browser does even when the page
is busy. The rest hang on frames that only a process's frame tree knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.capture.frames import SessionInfo
from hybridsnap.deadline import Deadline
from hybridsnap.errors import CommandRefused, HybridsnapError
from hybridsnap.model import FrameId, SessionId, TargetId
from hybridsnap.protocol.commands import ask, ask_for, get_frame_tree, tell
from hybridsnap.protocol.plan import Reply, gather, gather_outcomes, parallel, yield_to_runner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Command, Outcome, Plan

_NO_SESSIONS = "the driver passes on no session ids"
_FRAMES = [{"type": type_} for type_ in ("iframe", "webview", "fencedframe")]
#: Attaching to the frames may take this share of the time, and so many seconds: a frame that hangs holds up
#: what is done beside it no longer. It is asked again when it is captured.
_REACHING_SHARE = 0.4
_REACHING_SECONDS = 3.0


def reaching(deadline: Deadline) -> Deadline:
    """Until when attaching to a tab's frames may take."""
    return deadline.share(_REACHING_SHARE).earlier(Deadline.after(_REACHING_SECONDS))


class TargetInfo(msgspec.Struct, rename="camel"):
    """A `Target.TargetInfo`."""

    target_id: TargetId
    type: str = ""
    url: str = ""
    parent_frame_id: FrameId | None = None


class _Attached(msgspec.Struct, rename="camel"):
    session_id: SessionId


def get_target_info(session: SessionId | None) -> Command[TargetInfo]:
    """`Target.getTargetInfo` of a session's own target. The browser answers, also for a busy page."""
    return ask_for(session, "Target.getTargetInfo", {}, "targetInfo", TargetInfo)


def _get_frame_targets() -> Command[list[TargetInfo]]:
    return ask_for(None, "Target.getTargets", {"filter": _FRAMES}, "targetInfos", list[TargetInfo])


def _detach(session: SessionId) -> Command[None]:
    return tell(None, "Target.detachFromTarget", {"sessionId": session})


class FlatSessions:
    """Attaches to a tab on a driver whose root session (None) is the browser's.

    Attributes:
        attached: the sessions so far; they are to be detached in the end, whatever happens.
    """

    def __init__(self, target_id: TargetId) -> None:
        self.target_id = target_id
        self.attached: list[SessionId] = []
        self._targets: dict[TargetId, TargetInfo] = {}
        self._sessions: dict[TargetId, SessionId] = {}
        self._frames: dict[TargetId, tuple[FrameId, ...]] = {}

    def note_attached(self, session: SessionId) -> None:
        """A session is ours from now on."""
        if session not in self.attached:
            self.attached.append(session)

    def detachments(self) -> list[Command[Any]]:
        """What is owed, frames before the page."""
        return [_detach(session) for session in reversed(self.attached)]

    def attach(self) -> Plan[list[SessionInfo]]:
        """Attach to the page and to every frame of it in another process.

        Once the page is attached to, it holds: whoever runs it may look about.

        Raises:
            HybridsnapError: what the page itself could not be attached to with.
        """
        asked: list[Command[Any]] = [_get_frame_targets(), self._attach(self.target_id)]
        outcomes: list[Outcome[Any]] = yield from gather_outcomes(*asked)
        targets, page = outcomes
        if not isinstance(page, Reply):
            raise page.error
        self._sessions[self.target_id] = page.value
        yield from yield_to_runner()
        if isinstance(targets, Reply):
            self._targets = {one.target_id: one for one in targets.value}
        holding = {FrameId(self.target_id)}
        while wanted := self._hanging_on(holding):
            yield from self._attach_all(wanted)
            holding = {FrameId(one) for one in wanted}
        yield from parallel([self._explore(one) for one in list(self._sessions)])
        return [self._info(one) for one in self._sessions]

    @property
    def page(self) -> SessionId:
        """The page's session, once it is attached to."""
        return self._sessions[self.target_id]

    def _attach(self, target: TargetId) -> Command[SessionId]:
        def parse(payload: Payload) -> SessionId:
            session = payload.result(_Attached).session_id
            self.note_attached(session)
            return session

        params = {"targetId": target, "flatten": True}
        return ask(None, "Target.attachToTarget", params, parse)

    def _hanging_on(self, frames: set[FrameId]) -> list[TargetId]:
        return [
            one.target_id
            for one in self._targets.values()
            if one.parent_frame_id in frames and one.target_id not in self._sessions
        ]

    def _attach_all(self, wanted: Sequence[TargetId]) -> Plan[None]:
        outcomes: list[Outcome[SessionId]] = yield from gather_outcomes(
            *(self._attach(one) for one in wanted)
        )
        for target, outcome in zip(wanted, outcomes, strict=True):
            if isinstance(outcome, Reply):
                self._sessions[target] = outcome.value
            else:
                del self._targets[target]  # it has just gone; the report says what is missing

    def _explore(self, target: TargetId) -> Plan[None]:
        """Learn a session's frames, and attach to what hangs on them."""
        open_targets = [target]
        while open_targets:
            here = open_targets.pop()
            (tree,) = yield from gather_outcomes(get_frame_tree(self._sessions[here]))
            if not isinstance(tree, Reply):
                continue
            self._frames[here] = tuple(one.id for one in tree.value.frames())
            wanted = self._hanging_on(set(self._frames[here]))
            yield from self._attach_all(wanted)
            open_targets += [one for one in wanted if one in self._sessions]

    def _info(self, target: TargetId) -> SessionInfo:
        known = self._targets.get(target)
        return SessionInfo(
            self._sessions[target],
            FrameId(target),
            None if known is None else known.parent_frame_id,
            "" if known is None else known.url,
            self._frames.get(target, ()),
            bare=True,
        )


def name_sessions(sessions: Sequence[SessionId | None], *, bare: bool = False) -> Plan[list[SessionInfo]]:
    """What sessions that a driver has attached, `bare` (`SessionInfo`) or not, say of themselves.

    Returns:
        One for each that could say which target it is on.
    """
    infos = yield from parallel([_name(one, bare=bare) for one in sessions])
    return [one for one in infos if one is not None]


def name_page(session: SessionId | None, *, bare: bool = True) -> Plan[SessionInfo]:
    """What the page's own session says of itself, where a driver has attached it for this one run.

    Raises:
        CommandError: it could not say which target it is on.
    """
    (target,) = yield from gather(get_target_info(session))
    (tree,) = yield from gather_outcomes(get_frame_tree(session))
    frames = tree.value.frames() if isinstance(tree, Reply) else []
    return SessionInfo(
        session,
        FrameId(target.target_id),
        target.parent_frame_id,
        target.url,
        tuple(one.id for one in frames),
        bare=bare,
    )


def _name(session: SessionId | None, *, bare: bool) -> Plan[SessionInfo | None]:
    try:
        return (yield from name_page(session, bare=bare))
    except HybridsnapError:
        return None


class AttachStrategy:
    """How a tab is reached by a driver that sends commands for us.

    Args:
        session_id: the driver's own session on the page.
        target_id: of the page, where it is known.
        takes_sessions: commands can be sent to sessions of ours; without one, to the driver's socket itself.

    Attributes:
        notes: why frames in other processes cannot be reached.
    """

    def __init__(self, session_id: str | None, target_id: str | None, *, takes_sessions: bool) -> None:
        self._own = None if session_id is None else SessionId(session_id)
        self._takes_sessions = takes_sessions
        self._flat: FlatSessions | None = None
        self.target_id = None if target_id is None else TargetId(target_id)
        self.notes: list[str] = []

    def attach(self) -> Plan[list[SessionInfo]]:
        """Attach, or make do with the driver's own session. Holds as `FlatSessions.attach` does."""
        if self.target_id is None:
            (info,) = yield from gather(get_target_info(self._own))
            self.target_id = info.target_id
        why = _NO_SESSIONS
        if self._takes_sessions:
            self._flat = FlatSessions(self.target_id)
            try:
                return (yield from self._flat.attach())
            except CommandRefused as error:
                why = f"the driver's socket attaches to no targets ({error.reason})"
        self._flat = None
        self.notes.append(f"frames in other processes cannot be reached: {why}")
        yield from yield_to_runner()
        named = yield from name_sessions([self._own])
        return named or [SessionInfo(self._own, FrameId(self.target_id))]

    @property
    def page(self) -> SessionId | None:
        """The page's session, where the plan holds."""
        return self._own if self._flat is None else self._flat.page

    def note_attached(self, session: SessionId) -> None:
        """As `FlatSessions.note_attached`."""
        if self._flat is not None:
            self._flat.note_attached(session)

    def back(self) -> list[Command[Any]]:
        """What is owed in the end."""
        return [] if self._flat is None else self._flat.detachments()
