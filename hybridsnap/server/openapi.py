"""The description that the server serves: OpenAPI 3.1, made of the very types that read the requests."""

from __future__ import annotations

from typing import Any

import msgspec

from hybridsnap.client.requests import ACTIONS, ALIASES, ARGUMENTS
from hybridsnap.server import messages
from hybridsnap.server.problems import PROBLEM_TYPE, camel
from hybridsnap.server.sessions import SESSION_HEADER

_BODIES = (
    messages.SnapshotRequest,
    messages.ExpandRequest,
    messages.ActRequest,
    messages.EvaluateRequest,
    messages.TabRequest,
    messages.SessionRequest,
)
_TEXT = {"type": "string"}
_WHOSE = {"browserId": _TEXT, "targetId": _TEXT, "sessionId": _TEXT}
_MAP = {"type": "object", "additionalProperties": _TEXT}
#: Statuses of refusals that any request may meet.
_REFUSALS = {
    "400": "the request cannot mean anything",
    "401": "the token is missing or wrong",
    "403": "it is not allowed here",
    "413": "the body is too large",
    "421": "the Host header names another server",
    "503": "too much is asked at once, or the browser is gone; see Retry-After",
}
_FAILURES = {
    "404": "there is no such tab, element or session",
    "409": "the page is not as it would have to be",
    "410": "the tab is gone",
    "502": "the page or the browser failed",
    "504": "the budget was used up",
}


def build_document(version: str) -> dict[str, Any]:
    """The whole description, as JSON data."""
    _, components = msgspec.json.schema_components(_BODIES, ref_template="#/components/schemas/{name}")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "hybridsnap",
            "version": version,
            "description": "Snapshots of live pages with ids to act on, over HTTP.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": _paths(),
        "components": {
            "schemas": {**components, **_schemas(components)},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "parameters": _parameters(),
        },
    }


def _paths() -> dict[str, Any]:
    in_path = {"in": "path", "required": True, "schema": _TEXT}
    tab_queries = ["browserId", "timeoutMs"]
    return {
        "/control/snapshot": {
            "post": _operation(
                "snapshot", "Capture a page", body="SnapshotRequest", answer="Snapshot", failures=_FAILURES
            )
        },
        "/control/expand": {
            "post": _operation(
                "expand", "Capture one element", body="ExpandRequest", answer="Snapshot", failures=_FAILURES
            )
        },
        "/control/act": {
            "post": _operation(
                "act", "Do one action, or a batch", body="Act", answer="Acted", failures=_FAILURES
            )
        },
        "/control/evaluate": {
            "post": _operation(
                "evaluate",
                "Evaluate a script",
                body="EvaluateRequest",
                answer="Evaluated",
                failures={**_FAILURES, "422": "the script threw"},
            )
        },
        "/tabs": {
            "get": _operation("listTabs", "The tabs", answer="Tabs", queries=tab_queries),
            "post": _operation(
                "openTab", "Open a tab", body="TabRequest", answer="Tab", status="201", failures=_FAILURES
            ),
            "delete": _operation(
                "closeTab",
                "Close a tab",
                status="204",
                queries=["targetId", *tab_queries],
                failures=_FAILURES,
            ),
        },
        "/tabs/{targetId}": {
            "delete": {
                **_operation(
                    "closeThisTab", "Close a tab", status="204", queries=tab_queries, failures=_FAILURES
                ),
                "parameters": [{"name": "targetId", **in_path}, *_references(tab_queries)],
            }
        },
        "/sessions": {
            "post": _operation(
                "createSession", "Register a session", body="SessionRequest", answer="Session", status="201"
            )
        },
        "/sessions/{sessionId}": {
            "delete": {
                **_operation("endSession", "End a session: its tabs are closed", status="204"),
                "parameters": [{"name": "sessionId", **in_path}],
            }
        },
        "/events": {
            "get": _operation(
                "events",
                "What the session's tabs do, as server-sent events; without a session, one for its length",
                kind="text/event-stream",
                queries=["lastEventId"],
            )
        },
        "/health": {"get": _operation("health", "How the server is", answer="Health")},
        "/metrics": {"get": _operation("metrics", "Counters, for Prometheus", kind="text/plain")},
        "/openapi.json": {"get": _operation("openapi", "This document", answer="Document")},
    }


def _operation(
    name: str,
    summary: str,
    *,
    body: str | None = None,
    answer: str | None = None,
    kind: str = "application/json",
    status: str = "200",
    queries: list[str] | None = None,
    failures: dict[str, str] | None = None,
) -> dict[str, Any]:
    schema = _TEXT if answer is None else _reference(answer)
    done: dict[str, Any] = {"description": "done"}
    if status != "204":
        done["content"] = {kind: {"schema": schema}}
    problem = {PROBLEM_TYPE: {"schema": _reference("Problem")}}
    responses = {
        code: {"description": words, "content": problem}
        for code, words in sorted({**_REFUSALS, **(failures or {})}.items())
    }
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "parameters": _references(["session", *(queries or [])]),
        "responses": {status: done, **responses},
    }
    if body is not None:
        operation["requestBody"] = {
            "required": body != "SessionRequest",
            "content": {"application/json": {"schema": _reference(body)}},
        }
    return operation


def _reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _references(names: list[str]) -> list[dict[str, Any]]:
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def _parameters() -> dict[str, Any]:
    query = {"in": "query", "schema": _TEXT}
    return {
        "session": {
            "name": SESSION_HEADER,
            "in": "header",
            "schema": _TEXT,
            "description": "whose request it is; the session `default` if left out",
        },
        "lastEventId": {
            "name": "Last-Event-ID",
            "in": "header",
            "schema": _TEXT,
            "description": "go on after this event",
        },
        "browserId": {"name": "browserId", **query},
        "targetId": {"name": "targetId", **query},
        "timeoutMs": {"name": "timeoutMs", "in": "query", "schema": {"type": "number"}},
    }


def _schemas(components: dict[str, Any]) -> dict[str, Any]:
    """Those that no type of ours reads."""
    result = {
        "type": "object",
        "required": ["ok", "action"],
        "properties": {
            "index": {"type": "integer"},
            "ok": {"type": "boolean"},
            "action": _TEXT,
            "receipt": {"type": "object", "description": "what the action did"},
            "text": {"type": "string", "description": "the receipt in words"},
            "value": {"description": "of an action that reads"},
            "download": {"type": "object"},
            "problem": _reference("Problem"),
        },
    }
    return {
        "Problem": {
            "type": "object",
            "required": ["type", "title", "status", "detail", "error", "fields", "remedy"],
            "properties": {
                **dict.fromkeys(("type", "title", "detail", "error", "remedy"), _TEXT),
                "status": {"type": "integer"},
                "fields": {"type": "object"},
            },
        },
        "Snapshot": {
            "type": "object",
            "required": ["combinedTree", "combinedXpathMap", "combinedUrlMap", "report"],
            "properties": {
                "combinedTree": {"type": "string", "description": "the outline"},
                "combinedXpathMap": _MAP,
                "combinedUrlMap": _MAP,
                "report": {"type": "object", "description": "what the snapshot holds and what it lacks"},
                "text": {"type": "string", "description": "the rendering that was asked for"},
                **_WHOSE,
            },
        },
        "Action": _action(),
        "Act": {
            "type": "object",
            "description": "an action's fields beside the request's, or a batch of actions",
            "properties": {
                **_action()["properties"],
                **components["ActRequest"]["properties"],
                "actions": {
                    "type": "array",
                    "items": _reference("Action"),
                    "minItems": 1,
                    "maxItems": messages.MOST_ACTIONS,
                },
            },
        },
        "ActionResult": result,
        "Acted": {
            "type": "object",
            "required": ["ok"],
            "properties": {
                **result["properties"],  # type: ignore[dict-item]
                "results": {"type": "array", "items": _reference("ActionResult")},
            },
        },
        "Evaluated": {"type": "object", "required": ["value"], "properties": {"value": {}, **_WHOSE}},
        "Tab": {
            "type": "object",
            "required": ["targetId", "url"],
            "properties": {
                "url": _TEXT,
                "title": _TEXT,
                "own": {"type": "boolean"},
                "openerId": {"type": ["string", "null"]},
                "navigation": {"type": ["object", "null"]},
                **_WHOSE,
            },
        },
        "Tabs": {"type": "object", "properties": {"tabs": {"type": "array", "items": _reference("Tab")}}},
        "Session": {
            "type": "object",
            "required": ["sessionId"],
            "properties": {"sessionId": _TEXT, "idleSeconds": {"type": "number"}},
        },
        "Health": {
            "type": "object",
            "required": ["status"],
            "properties": {"status": {"enum": ["ok", "degraded"]}, "browsers": {"type": "array"}},
        },
        "Document": {"type": "object"},
    }


def _action() -> dict[str, Any]:
    """An action: its name, and the arguments of any."""
    arguments = {camel(name): msgspec.json.schema(type_) for name, type_ in ARGUMENTS.items()}
    others = {
        {"backend_dom_node_id": "backendDOMNodeId"}.get(name, camel(name)): arguments[camel(same)]
        for name, same in ALIASES.items()
    }
    return {
        "type": "object",
        "required": ["action"],
        "properties": {
            "action": {"enum": list(ACTIONS)},
            "description": {"type": "string", "description": "for people; nothing is made of it"},
            "timeoutMs": {"type": "number", "description": "of this action, within the request's budget"},
            **arguments,
            **others,
        },
    }
