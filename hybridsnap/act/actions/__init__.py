"""The table of actions. `spec` says what an action is; the other modules hold them, by what they use."""

from __future__ import annotations

import difflib
from typing import Any

from hybridsnap.act.actions import (
    by_client,
    dragging,
    forms,
    keyboard,
    mouse,
    pointer,
    reading,
    scroll,
    selecting,
    touch,
)
from hybridsnap.act.actions.spec import ActionSpec

#: Name → action. An action is in the table by standing in one of these modules.
ACTIONS: dict[str, ActionSpec[Any]] = {
    one.name: one
    for module in (pointer, dragging, mouse, touch, scroll, keyboard, selecting, forms, reading, by_client)
    for one in vars(module).values()
    if isinstance(one, ActionSpec)
}


#: What the steps of the command line and the tools of MCP call some of them.
_OTHER_NAMES = {"navigate": "goto", "select": "select_option", "upload": "set_input_files"}


def find_action(name: str) -> ActionSpec[Any]:
    """The action of a name.

    Raises:
        ValueError: there is none; the message names the one that is probably meant.
    """
    spec = ACTIONS.get(name)
    if spec is None:
        shown = str(name)[:30]
        near = (
            [_OTHER_NAMES[shown]] if shown in _OTHER_NAMES else difflib.get_close_matches(shown, ACTIONS, 1)
        )
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(ACTIONS)}"
        raise ValueError(f"unknown action {shown!r}; {hint}")
    return spec
