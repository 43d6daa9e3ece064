"""For tests: a recorder that writes down what a live driver is asked and answers, transcript files, and the
check that every driver passes (`hybridsnap.drivers.conformance.check_driver`).
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.capture.frames import SessionInfo
from hybridsnap.drivers.base import Exchange, Transcript
from hybridsnap.drivers.conformance import Subject, check_driver, check_driver_sync
from hybridsnap.errors import CommandRefused, CommandUnanswered, HybridsnapError
from hybridsnap.model import Cause, SessionId
from hybridsnap.protocol.codec import JsonPayload

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from hybridsnap.deadline import Deadline
    from hybridsnap.drivers.base import Channel, Driver
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Command

__all__ = [
    "RecordingDriver",
    "Subject",
    "check_driver",
    "check_driver_sync",
    "load_transcript",
    "save_transcript",
    "write_down",
]


class RecordingDriver:
    """Passes everything on to a driver, and writes it down.

    Args:
        driver: the live one.
        sessions: what the capture starts with.
    """

    def __init__(self, driver: Driver, sessions: Sequence[SessionInfo]) -> None:
        self._driver = driver
        self.name: str = driver.name
        self.transcript: Transcript = Transcript(list(sessions))

    @contextlib.asynccontextmanager
    async def channel(self) -> AsyncIterator[Channel]:
        """As `Driver.channel`."""
        async with self._driver.channel() as channel:
            yield _RecordingChannel(channel, self.transcript)

    def cause_of_silence(self, session: SessionId | None) -> Cause:
        """As `Driver.cause_of_silence`."""
        return self._driver.cause_of_silence(session)

    async def clean_up(self, commands: Sequence[Command[Any]]) -> None:
        """As `Driver.clean_up`."""
        await self._driver.clean_up(commands)


class _RecordingChannel:
    def __init__(self, channel: Channel, transcript: Transcript) -> None:
        self._channel = channel
        self._transcript = transcript
        self._open: dict[int, Exchange] = {}

    async def send(self, commands: Sequence[tuple[int, Command[Any]]]) -> None:
        for ticket, command in commands:
            exchange = Exchange(command.method, dict(command.params), command.session)
            self._transcript.exchanges.append(exchange)
            self._open[ticket] = exchange
        await self._channel.send(commands)

    async def receive(self, deadline: Deadline) -> Sequence[tuple[int, Payload | HybridsnapError]]:
        replies = await self._channel.receive(deadline)
        for ticket, reply in replies:
            write_down(self._open.pop(ticket), reply)
        return replies


def write_down(exchange: Exchange, reply: Payload | HybridsnapError) -> None:
    """Note an exchange's answer."""
    if isinstance(reply, CommandRefused):
        exchange.error = (reply.code, reply.reason)
    elif isinstance(reply, CommandUnanswered):
        exchange.cause = reply.cause
    elif isinstance(reply, HybridsnapError):
        exchange.cause = "error"
    elif isinstance(reply, JsonPayload):
        exchange.reply = reply.message
    else:
        exchange.reply = msgspec.json.encode({"result": reply.result(dict)})


class _Line(msgspec.Struct, omit_defaults=True):
    """One line of a transcript file."""

    method: str = ""
    params: dict[str, Any] = {}
    session: SessionId | None = None
    reply: msgspec.Raw = msgspec.Raw(b"null")
    error: tuple[int, str] | None = None
    cause: Cause | None = None


def save_transcript(transcript: Transcript, path: Path) -> None:
    """Write a transcript as JSON lines: the sessions, then one exchange a line."""
    lines = [msgspec.json.encode(transcript.sessions)]
    for exchange in transcript.exchanges:
        fields = {**dataclasses.asdict(exchange), "reply": msgspec.Raw(exchange.reply or b"null")}
        lines.append(msgspec.json.encode(_Line(**fields)))
    path.write_bytes(b"\n".join(lines) + b"\n")


def load_transcript(path: Path) -> Transcript:
    """Read what `save_transcript` wrote."""
    head, *lines = path.read_bytes().splitlines()
    transcript = Transcript(msgspec.json.decode(head, type=list[SessionInfo]))
    for text in lines:
        fields = msgspec.structs.asdict(msgspec.json.decode(text, type=_Line))
        reply = bytes(fields.pop("reply"))
        transcript.exchanges.append(Exchange(**fields, reply=None if reply == b"null" else reply))
    return transcript
