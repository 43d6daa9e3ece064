"""The schemas of ``POST /control/act``, made of the table of actions: for each, its own arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.act.actions import ACTIONS
from hybridsnap.client.requests import ALIASES, CHOOSER_FILES
from hybridsnap.server.messages import MOST_ACTIONS, Milliseconds
from hybridsnap.service.problems import camel

if TYPE_CHECKING:
    from hybridsnap.act.actions.spec import ActionSpec

_NULL = {"type": "null"}
_COMMON = {
    "description": {"description": "for people, such as a text; nothing is made of it"},
    "timeoutMs": {"anyOf": [msgspec.json.schema(Milliseconds), _NULL]},
}
_FILES = {
    "anyOf": [{"type": "array", "items": {"type": "string"}}, _NULL],
    "description": "paths for the file chooser that the action opens; [] cancels it",
}
#: How JSON writes a name where that is not in camelCase.
_WRITTEN = {"backend_dom_node_id": "backendDOMNodeId"}


def act_schemas(request: dict[str, Any]) -> dict[str, Any]:
    """The schemas by their names: ``Act`` is the body; the others are its parts.

    Args:
        request: the schema of `ActRequest`, whose fields stand beside those of a single action.
    """
    beside = {name: schema for name, schema in request["properties"].items() if name != "actions"}
    alone = {name: schema for name, schema in beside.items() if name != "timeoutMs"}
    schemas: dict[str, Any] = {}
    for spec in ACTIONS.values():
        title = camel(f"_{spec.name}").removeprefix("_")
        title = title[0].upper() + title[1:]
        schemas[f"{title}Action"] = _action(spec, {})
        schemas[f"{title}Request"] = _action(spec, alone)
    schemas["StepAction"], schemas["StepRequest"] = _step({}), _step(alone)
    one = {"anyOf": [*_any_of(schemas, "Action")["anyOf"], {"type": "string", "description": "a step"}]}
    batch = {"type": "array", "minItems": 1, "maxItems": MOST_ACTIONS, "items": one}
    return {
        **schemas,
        "Batch": {
            "type": "object",
            "description": "actions, done in order",
            "properties": {**beside, "actions": batch},
            "required": ["actions"],
            "additionalProperties": False,
        },
        "Act": {
            "description": "one action, its fields beside the request's, or a batch of actions",
            "anyOf": [*_any_of(schemas, "Request")["anyOf"], {"$ref": "#/components/schemas/Batch"}],
        },
    }


def _step(beside: dict[str, Any]) -> dict[str, Any]:
    """A step as WebArena writes it."""
    words = "a step that says everything itself, such as click [0-29]"
    return {
        "type": "object",
        "description": "a step",
        "properties": {
            "action": {"type": "string", "pattern": r"\[", "description": words},
            **_COMMON,
            **beside,
        },
        "required": ["action"],
        "additionalProperties": False,
    }


def _any_of(schemas: dict[str, Any], ending: str) -> dict[str, Any]:
    return {"anyOf": [{"$ref": f"#/components/schemas/{one}"} for one in schemas if one.endswith(ending)]}


def _action(spec: ActionSpec[Any], beside: dict[str, Any]) -> dict[str, Any]:
    """One action; null stands for leaving an argument out."""
    takes = {one.name: one for one in spec.takes}
    arguments = {
        name: {"anyOf": [msgspec.json.schema(one.type), _NULL], "description": one.doc}
        for name, one in takes.items()
    }
    for one in takes.values():
        if one.required and one.name != spec.element_name:
            arguments[one.name] = {**msgspec.json.schema(one.type), "description": one.doc}
    aliases = {
        _WRITTEN.get(name, camel(name)): {"anyOf": [msgspec.json.schema(takes[same].type), _NULL]}
        for name, same in ALIASES.items()
        if same in takes
    }
    required = [camel(one.name) for one in takes.values() if one.required and one.name != spec.element_name]
    schema: dict[str, Any] = {
        "type": "object",
        "description": spec.doc,
        "properties": {
            "action": {"enum": sorted({spec.name, camel(spec.name)}, reverse=True)},
            **_COMMON,
            **beside,
            **({} if spec.plan is None or spec.reads else {camel(CHOOSER_FILES): _FILES}),
            **{camel(name): one for name, one in arguments.items()},
            **aliases,
        },
        "required": ["action", *required],
        "additionalProperties": False,
    }
    if spec.element == "required":
        ways = [spec.element_name, "backend_node_id"] if spec.naming else [spec.element_name]
        spelt = [camel(way) for way in ways if way in takes]
        spelt += [_WRITTEN.get(name, camel(name)) for name, same in ALIASES.items() if same in ways]
        schema["anyOf"] = [{"required": [way]} for way in spelt if way in schema["properties"]]
    return schema
