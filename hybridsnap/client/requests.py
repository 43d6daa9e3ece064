"""Actions as data: ``{"action": "click", "element": "0-29"}``, for whoever speaks JSON.

An action is the name of one of `Page`'s methods, with its arguments. Everything is checked against the
method's own signature, and against the types of `ARGUMENTS`, before anything is done. Names may be written as
JSON has them (``textGone``) or as Python does (``text_gone``).

What a model that was shown an outline says is an action too: ``{"elementId": "0-29", "action": "click",
"description": "press Click Me"}``. Its description is for people, and changes nothing.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from hybridsnap.client.page import Page
from hybridsnap.model import MOST_INTEGER

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
_Wait = Literal["load", "domcontentloaded", "networkidle", "none"]
_Natural = Annotated[int, msgspec.Meta(ge=0, le=MOST_INTEGER)]
#: Their arguments: what each may be, whichever action it is for.
ARGUMENTS: dict[str, Any] = {
    "element": str,
    "source": str,
    "target": str,
    "nth": _Natural,
    "as_of": str,
    "backend_node_id": _Natural,
    "frame": _Natural | str,
    "button": Literal["left", "middle", "right"],
    "count": int,
    "modifiers": list[str],
    "delay": float,
    "position": tuple[float, float],
    "force": bool,
    "x": float,
    "y": float,
    "start": tuple[float, float],
    "end": tuple[float, float],
    "direction": Literal["up", "down", "left", "right"],
    "distance": float,
    "seconds": float,
    "text": str,
    "clear": bool,
    "by_keys": bool,
    "submit": bool,
    "chord": str,
    "key": str,
    "value": bool | int | float | str | list[str],
    "entries": list[dict[str, Any]],
    "label": str | list[str],
    "index": _Natural | list[_Natural],
    "paths": str | list[str],
    "time": float,
    "text_gone": str,
    "selector": str,
    "selector_gone": str,
    "url": str,
    "load_state": Literal["load", "domcontentloaded", "networkidle"],
    "function": str,
    "accept": bool,
    "wait": _Wait,
    "ignore_cache": bool,
}
#: Other names of arguments: those of a snapshot's JSON, and of the protocol.
ALIASES = {
    "element_id": "element",
    "ref": "element",
    "snapshot_id": "as_of",
    "backend_dom_node_id": "backend_node_id",
    "frame_id": "frame",
}
#: Not arguments: the action itself, and what a model adds for people.
_WORDS = ("action", "description")
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
        data: ``{"action": NAME, …}`` with the arguments of `Page`'s method of that name. An element may be
            named by ``element``, ``elementId`` or ``ref``, or by ``backendNodeId`` (``backendDOMNodeId``).

    Raises:
        ValueError: there is no such action, or it does not take these arguments.
    """
    if not isinstance(data, Mapping):
        raise ValueError(  # noqa: TRY004 - wrong data, not a wrong call
            f'an action is an object, such as {{"action": "click", "element": "0-29"}}, not {data!r:.80}'
        )
    name = data.get("action")
    if not isinstance(name, str) or _snake(name) not in ACTIONS:
        near = difflib.get_close_matches(str(name)[:30], ACTIONS, 1)
        hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(ACTIONS)}"
        raise ValueError(f"unknown action {str(name)[:30]!r}{hint}")
    name = _snake(name)
    given = _named(data)
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
    return ActionRequest(name, {key: _checked(name, key, value) for key, value in given.items()})


def _named(data: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by the names that `Page` has for them; null stands for leaving one out."""
    given: dict[str, Any] = {}
    for key, value in data.items():
        if key in _WORDS or value is None:
            continue
        plain = _snake(str(key))
        name = ALIASES.get(plain, plain)
        if name in given:
            raise ValueError(f"{name!r} is given twice, once as {key!r}")
        given[name] = value
    return given


def _snake(name: str) -> str:
    """``backendDOMNodeId`` as ``backend_dom_node_id``."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return apart.lower()


def _checked(name: str, key: str, value: Any) -> Any:
    """A value of the type its argument has."""
    try:
        return msgspec.convert(value, ARGUMENTS[key])
    except msgspec.ValidationError as error:
        raise ValueError(f"{name}: {key}: {error}") from None
