"""The description that the server serves: OpenAPI 3.1, made of the types that read requests and of those of
answers (`hybridsnap.server.answers`); that of ``POST /control/act`` of the table of actions, for each its own
arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.act.actions import ACTIONS
from hybridsnap.client.requests import ALIASES, CHOOSER_FILES
from hybridsnap.server import answers, messages
from hybridsnap.server.messages import MOST_ACTIONS, Milliseconds
from hybridsnap.server.openclaw.description import build_paths, build_schemas
from hybridsnap.server.questions import QUESTIONS, Question
from hybridsnap.server.sessions import SESSION_HEADER
from hybridsnap.service.problems import PROBLEM_TYPE, camel

if TYPE_CHECKING:
    from hybridsnap.act.actions.spec import ActionSpec

_TYPES = (
    messages.SnapshotRequest,
    messages.ExpandRequest,
    messages.EvaluateRequest,
    *(question.takes for question in QUESTIONS.values()),
    messages.TabRequest,
    messages.SessionRequest,
    messages.ActRequest,
    answers.ProblemBody,
    answers.SnapshotAnswer,
    answers.ActAnswer,
    answers.BatchAnswer,
    answers.EvaluateAnswer,
    *(question.answer for question in QUESTIONS.values() if question.answer is not None),
    answers.OpenedTab,
    answers.TabsAnswer,
    answers.SessionAnswer,
    answers.HealthAnswer,
    answers.DevicesAnswer,
)
_TEXT = {"type": "string"}
_JSON = "application/json"
#: Status → what it says. Those without a body are sent by the HTTP layer, before a request is one.
_REFUSALS = {
    "400": "the request cannot mean anything",
    "401": "the token is missing or wrong",
    "403": "it is not allowed here",
    "404": "there is no such tab, element, browser or session",
    "405": "the path takes other methods; see Allow",
    "408": "the body did not come in time",
    "409": "the page is not as it would have to be",
    "410": "the tab is gone",
    "413": "the body is too large",
    "415": "the body is not JSON by its Content-Type",
    "421": "the Host header names another server",
    "422": "the script threw",
    "431": "the head of the request is too large; no body",
    "500": "a bug in hybridsnap",
    "502": "the page or the browser failed",
    "503": "too much is asked at once, the browser is gone, or the server is stopping; see Retry-After",
    "504": "the budget was used up",
    "505": "the server speaks HTTP/1.1; no body where HTTP/2 is asked for",
}
#: Those that any request may meet.
_ANY = ("400", "401", "403", "405", "408", "413", "421", "431", "500", "503", "505")
#: Those of requests that are about a tab.
_OF_TAB = ("404", "409", "410", "502", "504")
#: What operations on a tab have in common.
_TAB_REQUEST: dict[str, Any] = {"failures": _OF_TAB, "of_session": True}
_IN_PATH = {"in": "path", "required": True, "schema": _TEXT}
_EVENTS = """Server-sent events, until the client goes or the session ends. Each has `id`, a number that
Last-Event-ID takes; `event`, one of session, target, navigation, dialog, download, consoleError, crashed,
reattached (the connection to the tab had dropped: what the tab did meanwhile was not heard), browserLost,
sessionEnded, dropped; and `data`, a JSON object in one line. Comments are signs of life."""
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


def build_document(version: str, *, openclaw: bool = False) -> dict[str, Any]:
    """The whole description, as JSON data; with OpenClaw's paths where they are answered."""
    _, components = msgspec.json.schema_components(_TYPES, ref_template="#/components/schemas/{name}")
    act = act_schemas(components.pop("ActRequest"))
    problem = {PROBLEM_TYPE: {"schema": _reference("ProblemBody")}}
    paths = {**_control_paths(), **_tab_paths(), **_server_paths()}
    # Of a path and method that both have, OpenClaw's.
    for path, by_method in build_paths().items() if openclaw else ():
        paths[path] = {**paths.get(path, {}), **by_method}
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
        "paths": paths,
        "components": {
            "schemas": {**components, **act, **(build_schemas() if openclaw else {})},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "parameters": _parameters(),
            "responses": {
                f"Refused{code}": {"description": words, **({} if code == "431" else {"content": problem})}
                for code, words in _REFUSALS.items()
            },
        },
    }


def _control_paths() -> dict[str, Any]:
    snapshot = _json("SnapshotAnswer")
    acted = {_JSON: {"schema": {"anyOf": [_reference("ActAnswer"), _reference("BatchAnswer")]}}}
    found: dict[str, dict[str, Any]] = {
        "snapshot": {"summary": "Capture a page", "body": "SnapshotRequest", "done": snapshot},
        "expand": {
            "summary": "Capture one element",
            "body": "ExpandRequest",
            "needed": True,
            "done": snapshot,
        },
        "act": {
            "summary": "Do one action, or a batch",
            "body": "Act",
            "needed": True,
            "done": acted,
            "failures": (*_OF_TAB, "422"),
        },
        "evaluate": {
            "summary": "Evaluate a script",
            "body": "EvaluateRequest",
            "needed": True,
            "done": _json("EvaluateAnswer"),
            "failures": (*_OF_TAB, "422"),
        },
        **{
            name: {"summary": one.summary, "body": one.takes.__name__, "done": _done(one)}
            for name, one in QUESTIONS.items()
        },
    }
    return {
        f"/control/{name}": {"post": _operation(name, **{**_TAB_REQUEST, **one})}
        for name, one in found.items()
    }


def _done(question: Question) -> dict[str, Any]:
    file = {"schema": {"type": "string", "format": "binary"}}
    if question.answer is None:
        return dict.fromkeys(question.media_types, file)
    return _json(question.answer.__name__)


def _tab_paths() -> dict[str, Any]:
    queries = ("browserId", "timeoutMs")
    close_this = _operation("closeThisTab", "Close a tab", queries=queries, **_TAB_REQUEST)
    close_this["parameters"].append({"name": "targetId", **_IN_PATH})
    opened: dict[str, Any] = {"body": "TabRequest", "done": _json("OpenedTab"), "status": "201"}
    return {
        "/tabs": {
            "get": _operation(
                "listTabs", "The tabs", done=_json("TabsAnswer"), queries=queries, **_TAB_REQUEST
            ),
            "post": _operation("openTab", "Open a tab", **opened, **_TAB_REQUEST),
            "delete": _operation("closeTab", "Close a tab", queries=("targetId", *queries), **_TAB_REQUEST),
        },
        "/tabs/{targetId}": {"delete": close_this},
    }


def _server_paths() -> dict[str, Any]:
    end = _operation("endSession", "End a session: its tabs are closed", failures=("404",))
    end["parameters"].append({"name": "sessionId", **_IN_PATH})
    health = _operation("health", "How the server is", done=_json("HealthAnswer"))
    # A browser that is gone is told by the same fields; a server that stops, by a problem.
    health["responses"]["503"] = {
        "description": "a browser is gone, or the server is stopping",
        "content": {**_json("HealthAnswer"), PROBLEM_TYPE: {"schema": _reference("ProblemBody")}},
    }
    created: dict[str, Any] = {"body": "SessionRequest", "done": _json("SessionAnswer"), "status": "201"}
    plain, document = {"text/plain": {"schema": _TEXT}}, {_JSON: {"schema": {"type": "object"}}}
    return {
        "/sessions": {"post": _operation("createSession", "Register a session", **created)},
        "/sessions/{sessionId}": {"delete": end},
        "/events": {
            "get": _operation(
                "events",
                "What the session's tabs do, as server-sent events; without a session, one for its length",
                done={"text/event-stream": {"schema": {**_TEXT, "description": _EVENTS}}},
                queries=("lastEventId",),
                of_session=True,
                failures=("404",),
            )
        },
        "/devices": {
            "get": _operation("devices", "Names of devices to emulate", done=_json("DevicesAnswer"))
        },
        "/health": {"get": health},
        "/metrics": {"get": _operation("metrics", "Counters, for Prometheus", done=plain)},
        "/openapi.json": {"get": _operation("openapi", "This document", done=document)},
    }


def _operation(
    name: str,
    summary: str,
    *,
    body: str | None = None,
    needed: bool = False,
    done: dict[str, Any] | None = None,
    status: str = "200",
    queries: tuple[str, ...] = (),
    of_session: bool = False,
    failures: tuple[str, ...] = (),
) -> dict[str, Any]:
    """One operation.

    Args:
        name: its id.
        summary: in a few words.
        body: the schema of its body.
        needed: the body may not be left out.
        done: the content of its answer; None is 204.
        status: of that.
        queries: its parameters, by their names among the components.
        of_session: it takes the id of a session.
        failures: statuses beside those that any request may meet.
    """
    # A body's type is looked at where a method may have one.
    codes = sorted({*_ANY, *failures, *(("415",) if body or done is None else ())})
    answer: dict[str, Any] = {"204": {"description": "done"}}
    if done is not None:
        answer = {status: {"description": "done", "content": done}}
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "parameters": [
            {"$ref": f"#/components/parameters/{one}"}
            for one in (*(("session", "sessionQuery") if of_session else ()), *queries)
        ],
        "responses": {
            **answer,
            **{code: {"$ref": f"#/components/responses/Refused{code}"} for code in codes},
        },
    }
    if body is not None:
        operation["requestBody"] = {"required": needed, "content": _json(body)}
    return operation


def _json(name: str) -> dict[str, Any]:
    return {_JSON: {"schema": _reference(name)}}


def _reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _parameters() -> dict[str, Any]:
    query = {"in": "query", "schema": _TEXT}
    header = {"in": "header", "schema": _TEXT}
    whose = "whose request it is; the session `default` if left out"
    return {
        "session": {"name": SESSION_HEADER, **header, "description": whose},
        "sessionQuery": {"name": "session", **query, "description": f"{whose}; the header goes first"},
        "lastEventId": {"name": "Last-Event-ID", **header, "description": "go on after this event"},
        "browserId": {"name": "browserId", **query},
        "targetId": {"name": "targetId", **query},
        "timeoutMs": {
            "name": "timeoutMs",
            "in": "query",
            "schema": msgspec.json.schema(messages.Milliseconds),
        },
    }


def act_schemas(request: dict[str, Any]) -> dict[str, Any]:
    """The schemas by their names: ``Act`` is the body; the others are its parts.

    `request` is the schema of `ActRequest`, whose fields stand beside those of a single action.
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
