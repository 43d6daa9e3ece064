"""Evaluating a script in a page: from its text and arguments to commands, and from replies to a Python value.

A text is taken as the first of these that it is:

1. An expression (``document.title``, ``await fetch("/")``, ``{a: 1}``). One that comes to a function, such as
   ``(a, b) => a + b`` or ``async function () {…}``, is called with the arguments. A semicolon at the end is
   no harm.
2. Statements. Their value is that of the last one, as in a console; ``let`` and ``const`` do not outlive
   them, ``var`` and functions do. ``await`` may stand among them.
3. The body of a function: statements with a ``return``.

Which of them it is, the browser's parser says: each is tried only when the one before did not compile, and
what does not compile has not run. Nothing calls ``eval``, so a page's content security policy does not
matter.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any, NoReturn

from hybridsnap.act.values import READ, WRITE, Thrown, read_outcome, write_arguments
from hybridsnap.errors import CommandRefused, EvaluationFailed, StaleElement
from hybridsnap.protocol.commands import (
    ask,
    create_isolated_world,
    get_frame_tree,
    release_objects,
    resolve_node,
)
from hybridsnap.protocol.plan import Reply, gather, gather_outcomes
from hybridsnap.protocol.replies import CallResult
from hybridsnap.text import clean_text, excerpt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.model import BackendNodeId, ElementId, FrameId, LoaderId, SessionId, StaleReason
    from hybridsnap.protocol.codec import Payload
    from hybridsnap.protocol.plan import Outcome, Plan
    from hybridsnap.protocol.replies import RemoteObject

#: What an evaluation's handles belong to.
_GROUP = "hybridsnap evaluation"
#: Of a script's own words, so much stands in a message.
_SHOWN = 200
#: A frame of a stack in a script without a name, such as ours.
_FRAME = re.compile(r"(\s+at .*<anonymous>:)(\d+)(:\d+\)?)")
#: What all that runs a script of the user's has in common.
_ALIKE = {"userGesture": True, "silent": True, "objectGroup": _GROUP}
#: Commands that run a script of the user's.
SCRIPTS = frozenset({"Runtime.evaluate", "Runtime.callFunctionOn"})

_NO_FUNCTION = "arguments are for a function, and this is none; write (a, b) => …"
#: JavaScript: what gives the value or the function, the arguments' table, the element → the outcome's text.
_RUN = f"""async (start, given, ...element) => {{
  const write = {WRITE};
  try {{
    let value = await start();
    if (typeof value === "function") {{
      const read = {READ};
      value = await value(...element, ...read(given));
    }} else if (given[given.length - 1].length > 1) {{
      throw new TypeError("{_NO_FUNCTION}");
    }}
    return write(false, value);
  }} catch (error) {{
    return write(true, error);
  }}
}}"""


_NO_ARGUMENTS = write_arguments(())


@dataclasses.dataclass(frozen=True, slots=True)
class Script:
    """What is to be evaluated.

    Attributes:
        text: as the user gave it.
        arguments: a table, in JSON.
    """

    text: str
    arguments: str


@dataclasses.dataclass(frozen=True, slots=True)
class ScriptElement:
    """The element that a script is handed.

    Attributes:
        id: as snapshots of the page have it.
        description: in words.
        frame: that it is in.
        loader: of the document that it was found in.
        backend_node_id: its id there.
    """

    id: ElementId
    description: str
    frame: FrameId
    loader: LoaderId
    backend_node_id: BackendNodeId


def prepare_script(expression: str, arguments: tuple[Any, ...]) -> Script:
    """Check what is to be evaluated, as far as that goes without a browser.

    Raises:
        TypeError: the text is not a str, or an argument has no form in a page.
        ValueError: the text is empty or no valid Unicode, or an argument is a datetime without a time zone.
    """
    if not isinstance(expression, str):
        raise TypeError(f"an expression is a str of JavaScript, not {type(expression).__name__}")
    if not expression.strip().strip(";"):
        raise ValueError("there is nothing to evaluate: the expression is empty")
    try:
        expression.encode()
    except UnicodeEncodeError:
        raise ValueError("the expression is not valid Unicode: it holds a lone surrogate") from None
    return Script(expression, write_arguments(arguments))


def evaluate_script(session: SessionId | None, script: Script, isolated: FrameId | None) -> Plan[Any]:
    """Evaluate in the main frame of a session.

    Args:
        session: whose.
        script: what.
        isolated: that frame, to evaluate in our own world there; None for the page's world.

    Returns:
        A Python value, as `hybridsnap.act.values` has it.

    Raises:
        EvaluationFailed: it threw, or does not compile.
        HybridsnapError: a command got no answer.
    """
    world: dict[str, Any] = {}
    if isolated is not None:
        (context,) = yield from gather(create_isolated_world(session, isolated))
        world = {"contextId": context}
    expression = _started(f"async () => (\n{_trimmed(script)}\n)", script)
    result = yield from _evaluated(session, expression, world)
    if not _does_not_compile(result):
        return _outcome(result, script)
    # In a block, so that its names do not stay. Console mode takes an await at the top, and awaits the value.
    # Otherwise what the value promises is awaited in a second command: this one is answered at once, or was
    # dropped for its size.
    console = re.search(r"\bawait\b", script.text) is not None
    more = {**world, "replMode": True} if console else {**world, "awaitPromise": False}
    result = yield from _evaluated(session, f"{{\n{script.text}\n}}", more, handle=True)
    if not _does_not_compile(result):
        return (yield from _finished(session, script, result))
    if "Illegal return" in _syntax_error(result).message:
        body = _started(f"async () => {{\n{script.text}\n}}", script)
        result = yield from _evaluated(session, body, world)
        if not _does_not_compile(result):
            return _outcome(result, script)
    # Not even that: once more as it stands, for the parser's own words about it.
    bare = yield from _evaluated(session, script.text, {**more, "throwOnSideEffect": True})
    fail(script, _syntax_error(bare if _does_not_compile(bare) else result), compiles=False)


def evaluate_on_element(
    session: SessionId | None, script: Script, element: ScriptElement, *, isolated: bool
) -> Plan[Any]:
    """Evaluate a function that is handed an element, in the element's frame.

    The text is an expression; its function gets the element first, and `element` and `this` are it too.

    Args:
        session: of the process that the element is in.
        script: what.
        element: found on any session of the same process.
        isolated: in our own world, not the page's.

    Raises:
        StaleElement: the element's document was left, or the element is gone.
        EvaluationFailed, HybridsnapError: as `evaluate_script`.
    """
    world: int | None = None
    if isolated:
        try:
            (world,) = yield from gather(create_isolated_world(session, element.frame))
        except CommandRefused as error:
            raise _stale(element, "frame gone") from error
    outcomes: list[Outcome[Any]] = yield from gather_outcomes(
        resolve_node(session, element.backend_node_id, world, _GROUP), get_frame_tree(session)
    )
    node, tree = outcomes
    # Backend node ids are unique in one process only: the document must still be the one it was found in.
    if not isinstance(tree, Reply):
        raise tree.error
    loaders = {frame.id: frame.loader_id for frame in tree.value.frames()}
    if loaders.get(element.frame) != element.loader:
        raise _stale(element, "navigated" if element.frame in loaders else "frame gone")
    if not isinstance(node, Reply):
        if isinstance(node.error, CommandRefused):
            raise _stale(element, "detached") from node.error
        raise node.error
    call = _started(f"async () => (\n{_trimmed(script)}\n)", script, ", element")
    result = yield from _called(session, f"function (element) {{ return {call} }}", node.value.object_id)
    if _does_not_compile(result):
        problem = _syntax_error(result).message
        hint = "with an element, give a function or an expression: (element) => …"
        fail(script, Thrown("SyntaxError", f"{problem} ({hint})", ""), compiles=False)
    return _outcome(result, script)


def _trimmed(script: Script) -> str:
    return script.text.strip().rstrip("; \t\r\n")


def _started(start: str, script: Script, handed: str = "") -> str:
    """JavaScript that runs `start`, whose text begins on the second line, outside of all our own scopes."""
    run = f"(start) => ({_RUN})(start, {script.arguments}{handed})"
    return f"((start) => (run) => run(start))({start})({run})"


def _evaluated(
    session: SessionId | None, expression: str, more: Mapping[str, Any], *, handle: bool = False
) -> Plan[CallResult]:
    """`Runtime.evaluate`; a promise is awaited, where the parameters `more` do not say otherwise.

    `handle`: it may give one, which is to be released.
    """
    command = ask(
        session,
        "Runtime.evaluate",
        {"expression": expression, "awaitPromise": True, **_ALIKE, **more},
        _read_result,
        cleanup=release_objects(session, _GROUP) if handle else None,
    )
    (result,) = yield from gather(command)
    return result


def _called(session: SessionId | None, function: str, handle: str | None) -> Plan[CallResult]:
    """`Runtime.callFunctionOn` with a handle as `this` and as argument; a promise is awaited."""
    params = {
        "functionDeclaration": function,
        "objectId": handle,
        "arguments": [{"objectId": handle}],
        "awaitPromise": True,
        **_ALIKE,
    }
    (result,) = yield from gather(ask(session, "Runtime.callFunctionOn", params, _read_result))
    return result


def _read_result(payload: Payload) -> CallResult:
    return payload.result(CallResult)


def _finished(session: SessionId | None, script: Script, result: CallResult) -> Plan[Any]:
    """The value of statements. What came is a primitive, or a handle that goes through the writer."""
    details = result.exception_details
    came = result.result if details is None else details.exception or result.result
    if came.object_id is not None:
        call = f"({WRITE})(true, value)" if details is not None else _started("async () => value", script)
        return _outcome(
            (yield from _called(session, f"function (value) {{ return {call} }}", came.object_id)), script
        )
    if details is not None:
        fail(script, Thrown(came.type, str(_primitive(came)), ""))
    if script.arguments != _NO_ARGUMENTS:
        fail(script, Thrown("TypeError", _NO_FUNCTION, ""))
    return _primitive(came)


def _primitive(came: RemoteObject) -> Any:
    """A value that came without a handle."""
    text = came.unserializable_value
    if text:
        return int(text[:-1]) if text.endswith("n") else float(text)
    return came.value


def _does_not_compile(result: CallResult) -> bool:
    """What a script throws while it runs is caught, or has a place in its stack."""
    details = result.exception_details
    thrown = None if details is None else details.exception
    return thrown is not None and thrown.class_name == "SyntaxError" and "\n    at " not in thrown.description


def _syntax_error(result: CallResult) -> Thrown:
    details = result.exception_details
    words = "" if details is None or details.exception is None else details.exception.description
    return Thrown("SyntaxError", words.partition(": ")[2] or words, "")


def _outcome(result: CallResult, script: Script) -> Any:
    """The value that the writer wrote.

    Raises:
        EvaluationFailed: the script threw.
    """
    details = result.exception_details
    if details is not None:
        # Not caught by our own script: the page has changed what it stands on, or the stack was used up.
        words = details.text if details.exception is None else details.exception.description
        fail(script, Thrown("Error", words.partition("\n")[0], words))
    outcome = read_outcome(str(result.result.value))
    if isinstance(outcome, Thrown):
        fail(script, outcome)
    return outcome


def fail(script: Script, thrown: Thrown, *, compiles: bool = True) -> NoReturn:
    """Raise what a script threw, or what the parser says of it.

    Raises:
        EvaluationFailed: always.
    """
    words = excerpt(thrown.message, _SHOWN)
    did = "threw " + (clean_text(thrown.name) or "something") if compiles else "does not compile"
    raise EvaluationFailed(
        f"the script {did}{': ' if words else ''}{words}",
        name=thrown.name,
        js_message=thrown.message,
        js_stack=_own_frames(thrown.stack, script.text.count("\n") + 1),
    )


def _own_frames(stack: str, lines: int) -> str:
    """A stack without our own frames, and with the lines of the script as the user counts them."""
    kept = []
    for line in stack.split("\n"):
        frame = _FRAME.fullmatch(line)
        if frame is None:
            kept.append(line)
        elif 1 <= int(frame[2]) - 1 <= lines:
            kept.append(f"{frame[1]}{int(frame[2]) - 1}{frame[3]}")
    return "\n".join(kept)


def _stale(element: ScriptElement, reason: StaleReason) -> StaleElement:
    return StaleElement(
        f"{element.description} is gone ({reason}) since it was found; nothing was evaluated",
        element_id=element.id,
        reason=reason,
        description=element.description,
    )
