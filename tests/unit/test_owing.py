"""Undos that only a reply can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import Execution
from hybridsnap.errors import ReplyUnreadable
from hybridsnap.protocol.codec import JsonPayload
from hybridsnap.protocol.commands import add_new_document_script
from hybridsnap.protocol.plan import Failure, Reply, gather_outcomes

if TYPE_CHECKING:
    from hybridsnap.protocol.plan import Outcome, Plan


def register() -> Plan[list[Outcome[Any]]]:
    (registered,) = yield from gather_outcomes(add_new_document_script(None, "1"))
    if not isinstance(registered, Reply):
        return [registered]
    return (yield from gather_outcomes(registered.value))


def test_it_is_owed_until_it_was_done() -> None:
    execution = Execution(register(), Deadline.after(10))
    ((ticket, _),) = execution.start()
    assert execution.pending_cleanup == []
    execution.feed(ticket, JsonPayload(b'{"result":{"identifier":"7"}}'))
    assert [one.params for one in execution.pending_cleanup] == [{"identifier": "7"}]
    ((ticket, removal),) = execution.advance()
    assert removal.method == "Page.removeScriptToEvaluateOnNewDocument"
    execution.feed(ticket, JsonPayload(b'{"result":{}}'))
    assert execution.pending_cleanup == []


def test_a_reply_that_does_not_tell_it_is_unreadable() -> None:
    execution = Execution(register(), Deadline.after(10))
    ((ticket, _),) = execution.start()
    execution.feed(ticket, JsonPayload(b'{"result":{}}'))
    assert execution.advance() == []
    assert execution.result is not None
    (outcome,) = execution.result
    assert isinstance(outcome, Failure)
    assert isinstance(outcome.error, ReplyUnreadable)
    assert execution.pending_cleanup == []
