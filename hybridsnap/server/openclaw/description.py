"""OpenClaw's paths in the server's OpenAPI description, made of the table of routes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hybridsnap.server.openclaw.acts import ACT_KINDS
from hybridsnap.server.openclaw.registry import PROFILE
from hybridsnap.server.openclaw.routes import ROUTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.server.openclaw.fields import Field
    from hybridsnap.server.openclaw.registry import OpenClawRoute

_JSON = "application/json"
_REFUSED = "the error, as OpenClaw's clients read it"


def build_paths() -> dict[str, dict[str, Any]]:
    """Path → method → operation."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return paths


def build_schemas() -> dict[str, Any]:
    """The schemas that the operations refer to."""
    schemas = {f"OpenClaw{kind[0].upper()}{kind[1:]}": _kind(kind) for kind in ACT_KINDS}
    return {
        **schemas,
        "OpenClawAct": {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in schemas]},
        "OpenClawError": {
            "type": "object",
            "description": _REFUSED,
            "properties": {
                "error": {"type": "string"},
                "code": {"type": "string"},
                "reason": {"type": "string"},
            },
            "required": ["error"],
        },
    }


def _kind(kind: str) -> dict[str, Any]:
    fields, _ = ACT_KINDS[kind]
    schema = _object(fields)
    own = {"kind": {"const": kind}, "targetId": {"type": ["string", "null"]}}
    return {**schema, "properties": {**own, **schema["properties"]}, "required": ["kind"]}


def _operation(route: OpenClawRoute) -> dict[str, Any]:
    in_path = re.findall(r"\{(\w+)\}", route.path)
    in_query = [PROFILE, *(() if route.method == "POST" else route.fields)]
    operation: dict[str, Any] = {
        "operationId": f"openclaw{route.name}",
        "summary": (route.run.__doc__ or f"Not supported: {route.path}").splitlines()[0].replace("``", "`"),
        "tags": ["OpenClaw"],
        "parameters": [
            *({"name": one, "in": "path", "required": True, "schema": {"type": "string"}} for one in in_path),
            *(_parameter(one) for one in in_query if one.name not in in_path),
            *({"$ref": f"#/components/parameters/{one}"} for one in ("session", "sessionQuery")),
        ],
        "responses": {
            "200": {"description": "done", "content": {_JSON: {"schema": _answer(route)}}},
            "default": {
                "description": _REFUSED,
                "content": {_JSON: {"schema": {"$ref": "#/components/schemas/OpenClawError"}}},
            },
        },
    }
    if route.method == "POST":
        schema = _object(route.fields)
        if route.path == "/act":
            schema = {"$ref": "#/components/schemas/OpenClawAct"}
        operation["requestBody"] = {"required": False, "content": {_JSON: {"schema": schema}}}
    return operation


def _answer(route: OpenClawRoute) -> dict[str, Any]:
    """An object with these fields, and others."""
    known: dict[str, Any] = {
        "ok": {"const": True},
        "targetId": {"type": "string"},
        "url": {"type": "string"},
    }
    return {"type": "object", "properties": {**known, **{one: {} for one in route.answers}}}


def _object(fields: Sequence[Field]) -> dict[str, Any]:
    """A body with these fields; those that nobody knows are ignored."""
    required = [one.name for one in fields if one.required]
    return {
        "type": "object",
        "properties": {one.name: _schema(one) for one in fields},
        **({"required": required} if required else {}),
    }


def _parameter(field: Field) -> dict[str, Any]:
    schema = {key: value for key, value in _schema(field).items() if key != "type"}
    return {
        "name": field.name,
        "in": "query",
        "required": field.required,
        "schema": {**schema, "type": "string"},
    }


def _schema(field: Field) -> dict[str, Any]:
    return {**field.schema, **({"description": field.doc} if field.doc else {})}
