"""Actions that need a client's events or connections: only a `Page` does them, no foreign driver's tab."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from hybridsnap.act.actions.spec import ActionSpec, Parameter

_WAIT = Parameter(
    "wait",
    Literal["settled", "load", "domcontentloaded", "networkidle", "none"],
    "for what: settled, load, domcontentloaded, networkidle or none",
    "settled",
)


def _pair(kind: Any) -> Any:
    """A list of two."""
    return Annotated[list[kind], msgspec.Meta(min_length=2, max_length=2)]


GOTO: ActionSpec[Any] = ActionSpec(
    name="goto",
    doc="Go to an address, and wait for it.",
    parameters=(Parameter("url", str, "with its scheme", positional=True), _WAIT),
)
GO_BACK: ActionSpec[Any] = ActionSpec(
    name="go_back", doc="Go one step back in the tab's history.", parameters=(_WAIT,)
)
GO_FORWARD: ActionSpec[Any] = ActionSpec(
    name="go_forward", doc="Go one step forward in the tab's history.", parameters=(_WAIT,)
)
RELOAD: ActionSpec[Any] = ActionSpec(
    name="reload",
    doc="Load the document once more.",
    parameters=(
        Parameter("ignore_cache", bool, "ask the server for everything", default=False),
        _WAIT,
    ),
)
WAIT_FOR: ActionSpec[Any] = ActionSpec(
    name="wait_for",
    doc="Wait until all that is given holds at the same moment.",
    reads=True,
    parameters=(
        Parameter("time", float, "seconds that pass in any case", None),
        Parameter("text", str, "that the page shows", None),
        Parameter("text_gone", str, "that it no longer shows", None),
        Parameter("selector", str, "of what it matches something is displayed", None),
        Parameter("selector_gone", str, "of what it matches nothing is displayed", None),
        Parameter("enabled", str, "an element that can be used: its id, its ref, or a selector", None),
        Parameter("disabled", str, "an element that cannot be used", None),
        Parameter("uncovered", str, "an element that a click would reach", None),
        Parameter("checked", str, "a checkbox, switch or radio that is checked", None),
        Parameter("value", _pair(str), "an element and its value, whole", None),
        Parameter("count", _pair(str | int), "a selector and how many elements it matches", None),
        Parameter("url", str, "of the page; * and ** stand for anything", None),
        Parameter(
            "load_state",
            Literal["load", "domcontentloaded", "networkidle"],
            "load, domcontentloaded or networkidle",
            None,
        ),
        Parameter("function", str, "JavaScript that gives something true", None),
    ),
)
ANSWER_DIALOG: ActionSpec[Any] = ActionSpec(
    name="answer_dialog",
    doc="Answer the dialog that is open.",
    parameters=(
        Parameter("accept", bool, "false dismisses it", default=True, positional=True),
        Parameter("text", str, "for a prompt", None, positional=True),
    ),
)
ARM_DIALOG: ActionSpec[Any] = ActionSpec(
    name="arm_dialog",
    doc="Keep an answer ready for the next dialog; it is given the moment the dialog opens.",
    immediate=True,
    parameters=(
        Parameter("accept", bool, "false dismisses it", default=True, positional=True),
        Parameter("text", str, "for a prompt", None, positional=True),
        Parameter("times", Annotated[int, msgspec.Meta(ge=1)], "for how many dialogs", 1),
        Parameter(
            "only",
            Literal["alert", "confirm", "prompt", "beforeunload"],
            "for dialogs of this type: alert, confirm, prompt or beforeunload",
            None,
        ),
    ),
)
EVALUATE: ActionSpec[Any] = ActionSpec(
    name="evaluate",
    doc="Evaluate JavaScript in the page.",
    element="optional",
    parameters=(
        Parameter("expression", str, "or a function, which is called", positional=True),
        Parameter("args", list[Any], "of the function", variadic=True),
        Parameter(
            "isolated_world", bool, "in a world of its own, with none of the page's variables", default=False
        ),
    ),
)
