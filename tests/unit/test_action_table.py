"""`Page`'s written methods against the table of actions."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

import msgspec
import pytest

from hybridsnap import Page
from hybridsnap.act.actions import ACTIONS, find_action
from hybridsnap.act.actions.spec import NAMING, OPTIONS, REQUIRED, ActionOptions, ActionSpec, ElementOptions
from hybridsnap.act.finding import ElementQuery
from hybridsnap.client.requests import parse_action

_KINDS = inspect.Parameter
#: How a method takes the keywords that name its element, and the common options.
_KEYWORDS = {
    (True, True): "Unpack[ElementOptions]",
    (True, False): "Unpack[ReadingOptions]",
    (False, True): "Unpack[ActionOptions]",
}


def _expected(spec: ActionSpec[Any]) -> list[tuple[str, Any, Any]]:
    """Name, kind and default of each parameter that the method has to have, in order."""
    own = [
        (one.name, _KINDS.VAR_POSITIONAL if one.variadic else _KINDS.POSITIONAL_OR_KEYWORD, one.default)
        for one in spec.parameters
        if one.positional or one.variadic
    ]
    keywords = [
        (one.name, _KINDS.KEYWORD_ONLY, one.default)
        for one in spec.parameters
        if not one.positional and not one.variadic
    ]
    if spec.element == "required":
        default = REQUIRED if any(default is REQUIRED for _, _, default in own) else None
        own.insert(0, (spec.element_name, _KINDS.POSITIONAL_OR_KEYWORD, default))
    elif spec.name == "type":  # type(element, text), as everywhere; None is whatever has the focus
        own.insert(0, (spec.element_name, _KINDS.POSITIONAL_OR_KEYWORD, REQUIRED))
    elif spec.element == "optional":
        keywords.insert(0, (spec.element_name, _KINDS.KEYWORD_ONLY, None))
    return [*own, *keywords]


@pytest.mark.parametrize("spec", ACTIONS.values(), ids=lambda spec: spec.name)
def test_a_method_of_page_is_its_spec(spec: ActionSpec[Any]) -> None:
    method = getattr(Page, spec.name)
    _, *written = inspect.signature(method).parameters.values()
    further = [one for one in written if one.kind is _KINDS.VAR_KEYWORD]
    names_element = spec.element != "none" and spec.naming
    acts = spec.plan is not None and not spec.reads
    assert [one.annotation for one in further] == (
        # A script says itself what it waits for.
        ["Unpack[ElementQuery]"]
        if spec.name == "evaluate"
        else [_KEYWORDS[names_element, acts]]
        if names_element or acts
        else []
    )
    plain = [
        (one.name, one.kind, one.default)
        for one in written
        if one.name != "timeout" and one.kind is not _KINDS.VAR_KEYWORD
    ]
    assert plain == _expected(spec)
    assert inspect.getdoc(method), "it is documented"


@pytest.mark.parametrize("spec", ACTIONS.values(), ids=lambda spec: spec.name)
def test_types_of_parameters_read_json(spec: ActionSpec[Any]) -> None:
    for one in spec.takes:
        assert one.doc
        schema = msgspec.json.schema(one.type)
        assert schema
        if not one.required and one.default not in (None, ()) and not one.variadic:
            assert msgspec.convert(one.default, one.type) == one.default


def test_common_options_are_declared_once() -> None:
    assert [one.name for one in OPTIONS] == list(ActionOptions.__annotations__)
    assert [one.name for one in NAMING] == list(ElementQuery.__annotations__)
    assert set(get_type_hints(ElementOptions)) == {one.name for one in (*NAMING, *OPTIONS)}


def test_an_action_that_does_something_says_what_its_value_is() -> None:
    for spec in ACTIONS.values():
        assert (spec.tell is None) == (not spec.value)


@pytest.mark.parametrize(
    ("name", "element", "options", "words"),
    [
        ("click", None, {}, "click needs an element"),
        ("move_to", "0-1", {}, "move_to takes no element"),
        ("click", "0-1", {"nht": 1}, r"click\(\) has no keyword 'nht'; nth is probably meant"),
        ("scroll", None, {"nth": 1}, "scroll: nth names an element, and there is none"),
    ],
)
def test_wrong_calls(name: str, element: str | None, options: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        find_action(name).bind(element, options, {})


def test_unknown_action() -> None:
    with pytest.raises(ValueError, match=r"unknown action 'clik'; did you mean click\?"):
        find_action("clik")


@pytest.mark.parametrize(
    ("name", "meant"), [("select", "select_option"), ("upload", "set_input_files"), ("navigate", "goto")]
)
def test_what_steps_and_tools_call_an_action(name: str, meant: str) -> None:
    words = rf"unknown action '{name}'; did you mean {meant}\?"
    with pytest.raises(ValueError, match=words):
        find_action(name)
    with pytest.raises(ValueError, match=words):
        parse_action({"action": name})
