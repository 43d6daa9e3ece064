"""A driver that answers each command with whatever a test chooses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hybridsnap.drivers.base import Exchange, Transcript, refused, unanswered
from hybridsnap.errors import (
    ConnectionLost,
    HybridsnapError,
    ReplyTooLarge,
    ReplyUnreadable,
    TargetCrashed,
    TargetDetached,
)
from hybridsnap.protocol.codec import JsonPayload
from tests.support.fake_browser import NESTING

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.deadline import Deadline
    from hybridsnap.model import Cause, SessionId
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Command


class AnyDriver:
    """Answers each command with what `answer` makes of it."""

    name = "any"

    def __init__(self, answer: Callable[[Command[Any]], bytes | HybridsnapError]) -> None:
        self._answer = answer
        self.sent: list[tuple[str | None, str]] = []

    def execute(self, command: Command[Any], deadline: Deadline) -> Payload:  # noqa: ARG002 - the protocol's
        self.sent.append((command.session, command.method))
        answer = self._answer(command)
        if isinstance(answer, HybridsnapError):
            raise answer
        return JsonPayload(answer)

    def cause_of_silence(self, session: SessionId | None) -> Cause:  # noqa: ARG002 - the protocol's
        return "busy"

    def check_clean(self) -> None:
        """Every session's DOM domain is switched off where it was switched on."""
        for session in {session for session, _ in self.sent}:
            switches = [
                method
                for whose, method in self.sent
                if whose == session and method in {"DOM.enable", "DOM.getDocument", "DOM.disable"}
            ]
            assert not switches or switches[-1] == "DOM.disable", switches


FAILURE_KINDS = [
    "refused",
    "nesting",
    "gone",
    "crashed",
    "detached",
    "lost",
    "unanswered",
    "large",
    "unreadable",
]


def make_error(kind: str, method: str) -> HybridsnapError:
    return {
        "refused": refused(method, -32000, "no"),
        "nesting": refused(method, -32000, NESTING),
        "gone": refused(method, -32602, "Frame with the given frameId is not found."),
        "crashed": TargetCrashed("crashed"),
        "detached": TargetDetached("gone"),
        "lost": ConnectionLost("lost"),
        "unanswered": unanswered(method, "dialog"),
        "large": ReplyTooLarge("large", method=method, cap_bytes=1),
        "unreadable": ReplyUnreadable("unreadable", method=method),
    }[kind]


def failing_at(transcript: Transcript, number: int, kind: str) -> AnyDriver:
    exchanges: dict[tuple[Any, ...], list[Exchange]] = {}

    def key(asked: Exchange | Command[Any]) -> tuple[Any, ...]:
        return asked.session, asked.method, json.dumps(asked.params, sort_keys=True)

    for one in transcript.exchanges:
        exchanges.setdefault(key(one), []).append(one)

    def answer(command: Command[Any]) -> bytes | HybridsnapError:
        if len(driver.sent) == number + 1:
            return make_error(kind, command.method)
        waiting = exchanges.get(key(command)) or []
        if not waiting:
            return refused(command.method, -32601, "not recorded")
        one = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        assert one.reply is not None
        return one.reply

    driver = AnyDriver(answer)
    return driver
