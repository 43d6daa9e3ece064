"""The client's own share of a capture: a recorded page, decoded, indexed, merged and rendered again.

No browser, no socket, no waiting: what remains is the time the capture itself needs. The recording is made
with the plan's own commands, sent one after the other.
"""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

from benchmarks.floor import list_frames
from hybridsnap.capture.capture import capture_hybrid_snapshot
from hybridsnap.capture.frames import Ordinals, SessionInfo
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import Exchange, Execution, Transcript, replay
from hybridsnap.drivers.testing import write_down
from hybridsnap.errors import CommandRefused, HybridsnapError
from hybridsnap.model import CaptureOptions, FrameId, SessionId
from hybridsnap.snapshot import build_snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.floor import RawSession
    from hybridsnap.capture.reading import Capture
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Command, Plan

#: A small page is replayed until this much time is spent: a single 60 ms says little on a busy machine.
_REPLAY_SECONDS = 2.0
#: Nothing waits here; the plan only has to have a deadline.
_SECONDS = 3600.0


def time_replays(transcript: Transcript, runs: int, *, seconds: float = _REPLAY_SECONDS) -> list[float]:
    """The milliseconds each replay took.

    Args:
        transcript: of one capture.
        runs: how often at least.
        seconds: how long at least.
    """
    elapsed: list[float] = []
    while len(elapsed) < runs or sum(elapsed) < seconds * 1000:
        gc.collect()
        started = time.perf_counter()
        capture = replay(_plan(transcript.sessions), transcript)
        snapshot = build_snapshot(capture, transport="replay", elapsed_ms=0.0)
        _ = snapshot.combined_tree
        elapsed.append((time.perf_counter() - started) * 1000)
        del capture, snapshot
    return elapsed


async def record(sessions: Sequence[RawSession]) -> Transcript:
    """Run a capture's plan by hand and write down what was answered."""
    infos: list[SessionInfo] = []
    by_id: dict[SessionId | None, RawSession] = {}
    for number, session in enumerate(sessions):
        frames = tuple(FrameId(frame) for frame in await list_frames(session))
        # The plan takes the id as it is; here it only says which of the page's sessions is meant.
        session_id = SessionId(f"session {number}")
        by_id[session_id] = session
        infos.append(SessionInfo(session_id, root_frame=frames[0], frames=frames))
    transcript = Transcript(infos)
    execution: Execution[Capture] = Execution(_plan(infos), Deadline.after(_SECONDS))
    commands = execution.start()
    while not execution.done:
        for ticket, command in commands:
            execution.feed(ticket, await _exchange(transcript, by_id[command.session], command))
        commands = execution.advance()
    return transcript


def _plan(infos: Sequence[SessionInfo]) -> Plan[Capture]:
    return capture_hybrid_snapshot(infos, Ordinals(), CaptureOptions())


async def _exchange(
    transcript: Transcript, session: RawSession, command: Command[object]
) -> Payload | HybridsnapError:
    exchange = Exchange(command.method, dict(command.params), command.session)
    transcript.exchanges.append(exchange)
    reply: Payload | HybridsnapError
    try:
        reply = await session.send_raw(command.method, dict(command.params))
    except CommandRefused as error:
        reply = error
    write_down(exchange, reply)
    return reply
