"""Calling a function of ours on a node of the page, and reading what it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from hybridsnap.errors import ReplyUnreadable
from hybridsnap.protocol.commands import call_awaited, call_function
from hybridsnap.protocol.plan import Answer

if TYPE_CHECKING:
    from hybridsnap.capture.locating import Locator, Place
    from hybridsnap.protocol.plan import Command, Outcome
    from hybridsnap.protocol.replies import CallResult

T = TypeVar("T")


def call_on(
    locator: Locator, place: Place, function: str, *arguments: Any, awaited: bool = False
) -> Command[CallResult]:
    """A function on a node that a handle is held on; what it returns comes by value.

    Args:
        locator: of the page.
        place: its ``this``, with a handle.
        function: its source.
        arguments: JSON values.
        awaited: it is async.
    """
    session, on = locator.id_of(place.session), {"objectId": place.object_id}
    values = [{"value": one} for one in arguments]
    if awaited:
        return call_awaited(session, function, on, values, locator.group)
    return call_function(session, function, on, values, locator.group, by_value=True)


def read_result(outcome: Outcome[CallResult], kind: type[T]) -> T:
    """What one of our functions returned.

    Raises:
        HybridsnapError: there is no answer.
        ReplyUnreadable: it threw, or returned something else.
    """
    if not isinstance(outcome, Answer):
        raise outcome.error
    method, result = "Runtime.callFunctionOn", outcome.value
    if result.exception_details is not None:
        thrown = result.exception_details.exception
        words = thrown.description if thrown is not None else result.exception_details.text
        raise ReplyUnreadable(f"a function of hybridsnap's failed in the page: {words}", method=method)
    try:
        return msgspec.convert(result.result.value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise ReplyUnreadable(f"{method}: unexpected result ({error})", method=method) from error
