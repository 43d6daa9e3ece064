"""Actions as data: ``{"action": "click", "element": "0-29"}``, for the command line and whoever speaks JSON.

An action is the name of one of `Page`'s methods, with its arguments. Everything is checked against the
method's own signature before anything is done.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hybridsnap.client.page import Page

if TYPE_CHECKING:
    from hybridsnap.deadline import Deadline

#: What can be asked for: methods of `Page`.
ACTIONS = (
    "click",
    "hover",
    "drag",
    "click_at",
    "drag_at",
    "move_to",
    "scroll",
    "scroll_into_view",
    "highlight",
    "focus",
    "type",
    "press",
    "key_down",
    "key_up",
    "fill",
    "fill_form",
    "select_option",
    "check",
    "uncheck",
    "clear",
    "set_input_files",
    "outer_html",
    "text",
    "attributes",
    "bounding_box",
    "wait_for",
    "answer_dialog",
    "goto",
    "go_back",
    "go_forward",
    "reload",
)
_NAMING = ("nth", "as_of", "backend_node_id", "frame")
_ELEMENT = "element"


@dataclasses.dataclass(frozen=True, slots=True)
class ActionRequest:
    """One action, checked.

    Attributes:
        name: of the method.
        arguments: by name.
    """

    name: str
    arguments: Mapping[str, Any]

    async def perform(self, page: Page, deadline: Deadline) -> Any:
        """Do it; what the method returns.

        Raises:
            HybridsnapError, TypeError, ValueError: what the method raises.
        """
        return await getattr(page, self.name)(**self.arguments, timeout=deadline)


def parse_action(data: object) -> ActionRequest:
    """An action out of JSON data.

    Args:
        data: ``{"action": NAME, …}`` with the arguments of `Page`'s method of that name.

    Raises:
        ValueError: there is no such action, or it does not take these arguments.
    """
    if not isinstance(data, Mapping):
        raise ValueError(  # noqa: TRY004 - wrong data, not a wrong call
            f'an action is an object, such as {{"action": "click", "element": "0-29"}}, not {data!r}'
        )
    name = data.get("action")
    if not isinstance(name, str) or name not in ACTIONS:
        near = difflib.get_close_matches(str(name)[:30], ACTIONS, 1)
        hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(ACTIONS)}"
        raise ValueError(f"unknown action {str(name)[:30]!r}{hint}")
    given = {key: value for key, value in data.items() if key != "action"}
    parameters = inspect.signature(getattr(Page, name)).parameters
    takes = [one.name for one in parameters.values() if one.name not in ("self", "timeout", "naming")]
    named = ("naming" in parameters) * _NAMING
    for key in given:
        if key not in takes and key not in named:
            raise ValueError(f"{name} takes no {key!r}; it takes {', '.join([*takes, *named])}")
    for one in parameters.values():
        if one.name in takes and one.default is one.empty and one.name not in given:
            if one.name == _ELEMENT and "backend_node_id" in given:
                given[_ELEMENT] = None
                continue
            raise ValueError(f"{name} needs {one.name!r}; it takes {', '.join([*takes, *named])}")
    return ActionRequest(name, given)
