"""Actions as data: ``{"action": "click", "element": "0-29"}``, for whoever speaks JSON.

An action is the name of one of `Page`'s methods, with its arguments. The table of
actions (`hybridsnap.act.actions`) says what they are, and all is checked before anything is done. Names may
be written as JSON has them (``textGone``) or as Python does (``text_gone``).

What a model that was shown an outline says is an action too: ``{"elementId": "0-29", "action": "click",
"description": "press Click Me"}``. Its description is for people, and changes nothing.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.act.actions import find_action
from hybridsnap.act.actions.spec import WAIT
from hybridsnap.act.readiness import MODEL_WAIT_SECONDS
from hybridsnap.errors import UnknownKey
from hybridsnap.json_data import words_of_mismatch

if TYPE_CHECKING:
    from hybridsnap.act.actions.spec import ActionSpec, Parameter
    from hybridsnap.client.browser import Page
    from hybridsnap.deadline import Deadline

#: Other names of arguments: those of a snapshot's JSON, and of the protocol.
ALIASES = {
    "element_id": "element",
    "ref": "element",
    "snapshot_id": "as_of",
    "backend_dom_node_id": "backend_node_id",
    "frame_id": "frame",
}
#: Beside the arguments of any action that does something: paths for the file chooser that it opens.
CHOOSER_FILES = "chooser_files"
#: Not arguments: the action itself, and what a model adds for people.
_WORDS = ("action", "description")


@dataclasses.dataclass(frozen=True, slots=True)
class ActionRequest:
    """One action, checked.

    Attributes:
        spec: of the action.
        arguments: by name.
        chooser_files: paths that answer the file chooser which the action opens; None expects none.
    """

    spec: ActionSpec[Any]
    arguments: Mapping[str, Any]
    chooser_files: list[str] | None = None

    @property
    def name(self) -> str:
        """Of the action, and of `Page`'s method."""
        return self.spec.name

    async def perform(self, page: Page, deadline: Deadline) -> Any:
        """Do it; what the method returns.

        Unless the request says otherwise (``"wait": true``), an element is waited for no longer than
        `MODEL_WAIT_SECONDS`: a model is told within a few seconds that it cannot be acted on.

        Raises:
            WaitTimeout: no file chooser opened, though the request has files for one.
            HybridsnapError, TypeError, ValueError: what the method raises.
        """
        if self.chooser_files is not None:
            async with page.expect_file_chooser(self.chooser_files, timeout=deadline):
                return await dataclasses.replace(self, chooser_files=None).perform(page, deadline)
        if self.spec.immediate:
            getattr(page, self.name)(**self.arguments)
            return dict(self.arguments)
        keywords = dict(self.arguments)
        if self.spec.element == "optional":
            keywords.setdefault(self.spec.element_name, None)
        if any(one is WAIT for one in self.spec.takes):
            keywords.setdefault("wait", MODEL_WAIT_SECONDS)
        variadic = [one.name for one in self.spec.parameters if one.variadic]
        further = keywords.pop(variadic[0], ()) if variadic else ()
        before = [keywords.pop(one.name) for one in self.spec.parameters if further and one.positional]
        return await getattr(page, self.name)(*before, *further, **keywords, timeout=deadline)


def parse_action(data: object) -> ActionRequest:
    """An action out of JSON data.

    Args:
        data: ``{"action": NAME, …}`` with the arguments of `Page`'s method of that name. An element may be
            named by ``element``, ``elementId`` or ``ref``, or by ``backendNodeId`` (``backendDOMNodeId``).
            ``chooserFiles`` are paths for the file chooser that the action opens; ``[]`` cancels it.

    Raises:
        ValueError: there is no such action, or it does not take these arguments.
    """
    if not isinstance(data, Mapping):
        raise ValueError(  # noqa: TRY004 - wrong data, not a wrong call
            f'an action is an object, such as {{"action": "click", "element": "0-29"}}, not {data!r:.80}'
        )
    spec = _spec_of(data.get("action"))
    given = _named(data)
    files = given.pop(CHOOSER_FILES, None)
    if files is not None:
        files = _chooser_files(spec, files)
    takes = {one.name: one for one in spec.takes}
    for key in given:
        if key not in takes:
            near = difflib.get_close_matches(key, takes, 1)
            hint = f"{near[0]} is probably meant" if near else f"it takes {', '.join(takes)}"
            raise ValueError(f"{spec.name} takes no {key!r}; {hint}")
    for one in spec.takes:
        if one.required and one.name not in given:
            if one.name == spec.element_name and "backend_node_id" in given:
                given[one.name] = None
                continue
            raise ValueError(f"{spec.name} needs {one.name!r}; it takes {', '.join(takes)}")
    arguments = {key: _checked(spec, takes[key], value) for key, value in given.items()}
    _check_together(spec, arguments)
    return ActionRequest(spec, arguments, files)


def _check_together(spec: ActionSpec[Any], arguments: Mapping[str, Any]) -> None:
    """Refuse what the action would refuse before it asks the page anything."""
    for one in spec.takes:
        if one.required and one.positional and arguments.get(one.name) == "":
            raise ValueError(f"{spec.name}: {one.name} is an empty text; give one")
    if spec.check is None:
        return
    try:
        spec.check(
            {one.name: arguments.get(one.name, one.default) for one in spec.parameters if not one.variadic}
        )
    except UnknownKey:  # it has fields
        raise
    except (TypeError, ValueError) as error:
        raise ValueError(f"{spec.name}: {error}") from None


def _chooser_files(spec: ActionSpec[Any], files: object) -> list[str]:
    if spec.plan is None or spec.reads:
        raise ValueError(f"{spec.name} opens no file chooser; {CHOOSER_FILES} stands beside a click or a key")
    try:
        return msgspec.convert(files, list[str])
    except msgspec.ValidationError as error:
        raise ValueError(f"{spec.name}: {CHOOSER_FILES}: {words_of_mismatch(error)}") from None


def _spec_of(name: object) -> ActionSpec[Any]:
    if not isinstance(name, str) or not name:
        example = '{"action": "click", "element": "0-29"}'
        raise ValueError(f"'action' has to name an action, as in {example}; got {name!r:.30}")
    return find_action(_snake(name))


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


def _checked(spec: ActionSpec[Any], parameter: Parameter, value: Any) -> Any:
    if value is None:  # the element, named in another way
        return None
    try:
        return msgspec.convert(value, parameter.type)
    except msgspec.ValidationError as error:
        words = words_of_mismatch(error, parameter.type)
        raise ValueError(f"{spec.name}: {parameter.name}: {words}") from None
