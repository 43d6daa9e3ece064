"""Calling a function of ours on a node of the page, and reading what it returns."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from hybridsnap.errors import CommandRefused, ReplyUnreadable
from hybridsnap.injected import Script
from hybridsnap.protocol.commands import call_function
from hybridsnap.protocol.plan import Reply, gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

T = TypeVar("T")


#: What the functions throw that call an installed script, where there is none.
_MISSING = "hybridsnap: not installed"
#: (key, …) → what an installed script of this key returns.
_CALL = f"""function (key, ...given) {{
  const run = globalThis[Symbol.for("hybridsnap scripts")]?.get(key);
  if (!run) throw new Error("{_MISSING}");
  return run.apply(this, given);
}}"""
#: Likewise; it is installed first.
_INSTALL = """function (key, ...given) {
  const scripts = globalThis[Symbol.for("hybridsnap scripts")] ??= new Map();
  if (!scripts.has(key)) scripts.set(key, (SCRIPT));
  return scripts.get(key).apply(this, given);
}"""


def call_on(
    resolver: NodeResolver,
    place: NodeRef,
    function: str,
    *arguments: Any,
    by_value: bool = True,
    cleanup: Command[Any] | None = None,
) -> Command[CallResult]:
    """A function on a node that a handle is held on.

    Args:
        resolver: of the page.
        place: its ``this``, with a handle.
        function: its source. A `Script` is sent once for each isolated world, and called by its key then.
        arguments: JSON values.
        by_value: as for `call_with`.
        cleanup: what takes its effect back.
    """
    values = [{"value": one} for one in arguments]
    on = {"objectId": place.object_id}
    call = call_with(resolver, place.session, place.frame, on, function, values, by_value=by_value)
    return call if cleanup is None else dataclasses.replace(call, cleanup=cleanup)


def call_with(
    resolver: NodeResolver,
    session: int,
    frame: FrameId,
    on: Mapping[str, Any],
    function: str,
    arguments: Sequence[Mapping[str, Any]],
    *,
    by_value: bool = False,
) -> Command[CallResult]:
    """A function in the isolated world of a frame; of one that is async, what it comes to.

    Args:
        resolver: of the page.
        session: index of the frame's.
        frame: which.
        on: ``{"objectId": …}`` (its ``this``) or ``{"executionContextId": …}``.
        function: as for `call_on`.
        arguments: each ``{"value": …}`` or ``{"objectId": …}``.
        by_value: the result as JSON data, not as a handle, so that nothing has to be released.
    """
    key, is_async = (function.key, function.is_async) if isinstance(function, Script) else ("", False)
    installed = resolver.scripts_in(session, frame) if key else None
    if installed is not None:
        arguments = [{"value": key}, *arguments]
        function = _CALL if key in installed else _INSTALL.replace("SCRIPT", function)
    own, group = resolver.id_of(session), resolver.group
    command = call_function(own, function, on, arguments, group, by_value=by_value, awaited=is_async)
    if installed is not None and key not in installed:
        command = dataclasses.replace(command, parse=_noting(command.parse, installed, key))
    return dataclasses.replace(command, cleanup=None) if by_value else command


def find_node(resolver: NodeResolver, place: NodeRef, call: Command[CallResult]) -> Plan[NodeRef | None]:
    """The node that a function gives; None where it gives none, or does not answer.

    Args:
        resolver: of the page.
        place: a node in the same frame.
        call: of the function.
    """
    (outcome,) = yield from gather_outcomes(call)
    handle = outcome.value.result.object_id if isinstance(outcome, Reply) else None
    return (yield from resolver.at_handle(place.session, place.frame, handle))


def _noting(
    parse: Callable[[Payload], CallResult], installed: set[str], key: str
) -> Callable[[Payload], CallResult]:
    """A parser that notes that a script is installed, once it has been called."""

    def noted(payload: Payload) -> CallResult:
        result = parse(payload)
        if result.exception_details is None:
            installed.add(key)
        return result

    return noted


def read_result(outcome: Outcome[CallResult], kind: type[T]) -> T:
    """What one of our functions returned.

    Raises:
        HybridsnapError: the page did not answer.
        ReplyUnreadable: it threw, or returned something else.
    """
    if not isinstance(outcome, Reply):
        raise outcome.error
    method, result = "Runtime.callFunctionOn", outcome.value
    if result.exception_details is not None:
        thrown = result.exception_details.exception
        words = thrown.description if thrown is not None else result.exception_details.text
        if _MISSING in words:  # the document is another
            raise CommandRefused(
                f"{method}: {_MISSING}", method=method, code=0, reason="Cannot find context with specified id"
            )
        raise ReplyUnreadable(f"a function of hybridsnap's failed in the page: {words}", method=method)
    try:
        return msgspec.convert(result.result.value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise ReplyUnreadable(f"{method}: unexpected result ({error})", method=method) from error
