"""The description of the server, its metrics, its health."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openapi_spec_validator import OpenAPIV31SpecValidator, validate
from prometheus_client.parser import text_string_to_metric_families
from schemathesis import openapi

from hybridsnap.act.actions import ACTIONS
from hybridsnap.service.browser_pool import BrowserPlan
from tests.support.pages import serve_pages
from tests.support.server_stage import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


async def test_the_description_is_sound_and_whole(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        document = (await served.client.get("/openapi.json")).json()
        validate(document, cls=OpenAPIV31SpecValidator)
        operations = [
            (path, method)
            for path, item in document["paths"].items()
            for method in item
            if method != "parameters"
        ]
        assert len({document["paths"][path][method]["operationId"] for path, method in operations}) == len(
            operations
        )
        # What is described is there, and what is there is described.
        for path, method in operations:
            answer = await served.client.options(path.replace("{", "").replace("}", ""))
            assert answer.status_code == 405, path
            described = {one.upper() for one in document["paths"][path]}
            assert set(answer.headers["allow"].split(", ")) == described, path
            assert (await served.client.head(path)).status_code == 405, path
            declared = set(document["paths"][path][method]["responses"])
            assert {"400", "401", "403", "405", "408", "413", "421", "431", "500", "503", "505"} <= declared
        schemas = document["components"]["schemas"]
        alone = schemas["Act"]["anyOf"]
        *single, step = [schemas[one["$ref"].rpartition("/")[2]]["properties"] for one in alone[:-1]]
        assert step["action"]["pattern"]
        assert [one["action"]["enum"][0] for one in single] == list(ACTIONS)
        (click,) = [one for one in single if one["action"]["enum"] == ["click"]]
        assert {"elementId", "ref", "backendDOMNodeId", "description", "asOf", "chooserFiles"} <= set(click)
        assert schemas["Batch"]["properties"]["actions"]["maxItems"] == 100
        assert {"refs", "stats", "info"} <= set(schemas["SnapshotAnswer"]["properties"])
        events = document["paths"]["/events"]["get"]["responses"]["200"]["content"]
        assert list(events) == ["text/event-stream"]
        names = set(document["components"]["schemas"])
        assert set(_references(document)) <= {f"#/components/schemas/{name}" for name in names} | {
            f"#/components/parameters/{name}" for name in document["components"]["parameters"]
        } | {f"#/components/responses/{name}" for name in document["components"]["responses"]}


def _references(data: Any) -> Iterator[str]:
    waiting = [data]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if isinstance(one.get("$ref"), str):
                yield one["$ref"]
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


_SHOP = """<title>Shop</title><button>Buy</button><a href="/next">Next</a><input id=name>
<a download=got.txt href="data:,hello">get</a><iframe srcdoc="<p>in it"></iframe>"""


async def test_answers_are_as_described(browser_endpoint: str, tmp_path: Path) -> None:
    """Every answer's fields are those that its type lists: the types allow no others."""
    rules: dict[str, Any] = {"allow_evaluate": True, "download_folders": (tmp_path,)}
    async with (
        serve_pages({"/": _SHOP, "/next": "<p>next"}) as pages,
        serving(browser_endpoint, **rules) as served,
    ):
        schema = openapi.from_dict((await served.client.get("/openapi.json")).json())

        async def ask(method: str, path: str, expected: int, body: Any = None) -> Any:
            answer = await served.client.request(method, path, json=body)
            assert answer.status_code == expected, answer.text
            known = {"/tabs/x": "/tabs/{targetId}", "/sessions/x": "/sessions/{sessionId}"}
            schema[known.get(path, path)][method].validate_response(answer)
            return answer.json() if answer.headers["content-type"] == "application/json" else None

        await ask("POST", "/tabs", 201, {"url": pages.url("/")})
        for format_ in ("tree", "json", "role", "aria", "ai", "webarena", "controls", "html", "xml"):
            shown = {"format": format_, "layout": True, "screenshot": format_ in {"tree", "json"}}
            seen = await ask("POST", "/control/snapshot", 200, shown)
            assert "layout" in seen
            assert ("text" in seen) == (format_ not in {"tree", "json"})
            assert ("rows" in seen) == (format_ == "json")
            assert ("refs" in seen) == (format_ in {"role", "aria"})
            assert ("info" in seen) == (format_ == "webarena")
        await ask("POST", "/control/expand", 200, {"elementId": next(iter(seen["combinedXpathMap"]))})
        field = next(id_ for id_, path in seen["combinedXpathMap"].items() if "input" in path)
        step = await ask("POST", "/control/act", 200, {"action": f"type [{field}] [Ada] [0]"})
        assert len(step["receipts"]) == 2
        actions = [
            {"action": "click", "element": "button"},
            {"action": "text", "element": "button"},
            {"action": "bounding_box", "element": "#name"},
            {"action": "armDialog", "accept": True},
            {"action": "reload", "wait": "none"},
            {"action": "goto", "url": pages.url("/")},
            {"action": "fill", "element": "#name", "value": "Ada"},
        ]
        for action in actions:
            await ask("POST", "/control/act", 200, action)
        failing = {"action": "click", "element": "#none", "wait": False}
        await ask("POST", "/control/act", 404, failing)
        await ask("POST", "/control/act", 200, {"actions": [*actions, failing]})
        saved = {"action": "click", "element": "[download]", "download": {}}
        assert (await ask("POST", "/control/act", 200, saved))["download"]["receivedBytes"] == 5
        await ask("POST", "/control/evaluate", 200, {"expression": "[1, null, {}]"})
        await ask("POST", "/control/evaluate", 422, {"expression": "null.x"})
        await ask("POST", "/sessions", 201, {"idleSeconds": 5})
        for path in ("/tabs", "/health", "/metrics", "/openapi.json"):
            await ask("GET", path, 200)
        for path in ("/tabs/x", "/sessions/x"):
            await ask("DELETE", path, 404)


async def test_numbers_and_null_are_read_as_the_description_says(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        await served.done("/tabs")
        as_json = {"Content-Type": "application/json"}
        for path, body, status in (
            ("/control/snapshot", b"null", 400),
            ("/sessions", b"null", 400),
            ("/control/snapshot", b'{"maxTokens": 100.0}', 200),  # an integer, by JSON Schema
            ("/control/snapshot", b'{"maxTokens": 100.5}', 400),
            ("/control/snapshot", b'{"timeoutMs": 0}', 400),
            ("/sessions", b'{"idleSeconds": NaN}', 400),
            ("/sessions", b"", 201),
        ):
            answer = await served.client.post(path, content=body, headers=as_json)
            assert answer.status_code == status, (path, body, answer.text)
        for given in ("0", "-1", "nan", "inf", "1e9", "1_000", "", "null"):
            answer = await served.client.get("/tabs", params={"timeoutMs": given})
            assert (answer.status_code, answer.json()["error"]) == (400, "BadRequest"), given
        assert (await served.client.get("/tabs/")).status_code == 404  # no redirect


async def test_metrics_can_be_read_by_prometheus(browser_endpoint: str) -> None:
    async with serve_pages({"/": "<button>Go</button>"}) as pages, serving(browser_endpoint) as served:
        await served.done("/control/snapshot", url=pages.url("/"))
        await served.done("/control/act", action="click", element="button")
        await served.post("/control/act", action="click", element="#none", wait=False)
        await served.client.get("/health", headers={"Authorization": "Bearer wrong"})
        values = _values((await served.client.get("/metrics")).text)
        asked = "hybridsnap_http_requests_total"
        assert values[asked, "/control/act", "200", "POST"] == 1
        assert values[asked, "/control/act", "404", "POST"] == 1
        assert values["hybridsnap_http_refused_total", "401"] == 1
        assert values["hybridsnap_captures_total", "default"] == 1
        assert values["hybridsnap_actions_total", "click", "default"] == 1
        assert values["hybridsnap_captures_running",] == 0
        assert values["hybridsnap_tabs",] == 1
        assert values["hybridsnap_browser_up", "default"] == 1


async def test_metrics_tell_how_evaluations_ran(browser_endpoint: str) -> None:
    plans = (BrowserPlan(id="running", endpoint=browser_endpoint), BrowserPlan(id="piped", transport="pipe"))
    async with serving(None, browsers=plans, allow_evaluate=True) as served:
        for plan in plans:
            await served.done("/tabs", browserId=plan.id)
            script = "new Promise((done) => setTimeout(done, 50))"
            for _ in range(2):
                await served.done("/control/evaluate", browserId=plan.id, expression=script)
        values = _values((await served.client.get("/metrics")).text)
    for plan in plans:
        assert values["hybridsnap_evaluations_total", plan.id] == 2
        # Seconds, not milliseconds: two scripts of 50 ms, and no minute.
        assert 0.1 <= values["hybridsnap_evaluation_seconds_total", plan.id] < 60
    assert values["hybridsnap_evaluation_ways_total", "own connection", "running"] == 2
    assert values["hybridsnap_evaluation_fallbacks_total", "pipe", "piped"] == 2
    assert ("hybridsnap_evaluation_fallbacks_total", "pipe", "running") not in values
    assert sum(values[key] for key in values if key[0] == "hybridsnap_evaluation_ways_total") == 4


def _values(text: str) -> dict[tuple[str, ...], float]:
    """The samples of metrics, by name and the values of their labels."""
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_health_says_how_it_is(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        health = (await served.client.get("/health")).json()
        assert health["status"] == "ok"
        assert health["browsers"] == [{"browserId": "default", "up": True, "launched": False, "starts": 1}]
