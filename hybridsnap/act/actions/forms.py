"""Actions on the controls of forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.act.actions.spec import ActionContext, ActionSpec, Arguments, Natural, Parameter, on_element
from hybridsnap.act.checking import EarlyLook, set_checked
from hybridsnap.act.choosing import select_option
from hybridsnap.act.controls import EarlyAnswer
from hybridsnap.act.element import describe
from hybridsnap.act.files import INSPECT_FILES, set_input_files
from hybridsnap.act.forms import INSPECT, check_value, clear_element, fill, fill_form, set_value
from hybridsnap.act.text_entry import TOOK_NONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.focusing import Done
    from hybridsnap.act.forms import Filled
    from hybridsnap.protocol.plan import Plan


def _fill(context: ActionContext, element: Element, arguments: Arguments) -> Plan[Done]:
    value, commit = arguments["value"], arguments["commit"]
    permit, early = context.permit_upload, context.early
    return (yield from fill(context.resolver, element, value, permit, commit=commit, early=early))


def _fill_form(context: ActionContext, _: None, arguments: Arguments) -> Plan[list[Filled]]:
    entries, permit = arguments["entries"], context.permit_upload
    return (yield from fill_form(context.resolver, context.find, entries, permit, context.ready))


def _set_input_files(context: ActionContext, element: Element, arguments: Arguments) -> Plan[Done]:
    permit, early = context.permit_upload, context.early
    return (yield from set_input_files(context.resolver, element, arguments["paths"], permit, early))


def _tell_filled(filled: Sequence[Filled]) -> tuple[list[dict[str, Any]], list[str]]:
    value = [
        {
            "id": one.element.id,
            "target": describe(one.element.role, one.element.name),
            "notes": list(one.notes),
        }
        for one in filled
    ]
    verbs = ["not filled:" if TOOK_NONE in one.notes else one.verb for one in filled]
    said = [
        "; ".join([f"{verb} {one.element.description}", *one.notes])
        for verb, one in zip(verbs, filled, strict=True)
    ]
    return value, said


FILL = ActionSpec(
    name="fill",
    doc="Give any control its value.",
    element="required",
    parameters=(
        Parameter(
            "value",
            bool | int | float | str | list[str],
            "text; true or false for what is checked; labels or values for a select; 2026-11-21 for a date;"
            " paths for files",
            positional=True,
        ),
        Parameter("commit", bool, "take the focus away afterwards, so that `change` fires", False),
    ),
    plan=_fill,
    early=lambda context, _: EarlyAnswer(context.resolver, INSPECT),
)
FILL_FORM = ActionSpec(
    name="fill_form",
    doc="Fill several controls; all are looked at before the first is filled.",
    parameters=(
        Parameter(
            "entries", list[dict[str, Any]], '{"id": …, "value": …} each, as for fill', positional=True
        ),
    ),
    plan=_fill_form,
    title="fill form",
    tell=_tell_filled,
    value='of each entry: {"id": "0-7", "target": "textbox \\"Name\\"", "notes": []}',
)
SELECT_OPTION = ActionSpec(
    name="select_option",
    doc="Choose options of a select, ARIA listbox or combobox: by value, by label or by index.",
    element="required",
    parameters=(
        Parameter("value", str | list[str], "the options' values; else labels", None, positional=True),
        Parameter("label", str | list[str], "their labels, as shown; else values", None),
        Parameter("index", Natural | list[Natural], "which of the options, from 0", None),
    ),
    plan=on_element(select_option),
    title="select",
)
CHECK = ActionSpec(
    name="check",
    doc="Check a checkbox, radio button or switch.",
    element="required",
    plan=lambda context, element, _: set_checked(context.resolver, element, True, context.early),
    early=lambda context, _: EarlyLook(context.resolver),
)
UNCHECK = ActionSpec(
    name="uncheck",
    doc="Uncheck a checkbox or switch.",
    element="required",
    plan=lambda context, element, _: set_checked(context.resolver, element, False, context.early),
    early=lambda context, _: EarlyLook(context.resolver),
)
CLEAR = ActionSpec(name="clear", doc="Empty a field.", element="required", plan=on_element(clear_element))
SET_VALUE = ActionSpec(
    name="set_value",
    doc="Set a slider, a number, a date or a colour.",
    element="required",
    parameters=(Parameter("value", float | str, "a number, or as the control writes it", positional=True),),
    plan=on_element(set_value),
    check=lambda arguments: check_value(arguments["value"]),
    title="set value",
)
SET_INPUT_FILES = ActionSpec(
    name="set_input_files",
    doc="Give a file field its files.",
    element="required",
    parameters=(Parameter("paths", str | list[str], "of files that exist", positional=True),),
    plan=_set_input_files,
    early=lambda context, _: EarlyAnswer(context.resolver, INSPECT_FILES),
    title="set files",
)
