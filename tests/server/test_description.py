"""The description of the server, its metrics, its health."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openapi_spec_validator import OpenAPIV31SpecValidator, validate
from prometheus_client.parser import text_string_to_metric_families

from hybridsnap.client.requests import ACTIONS
from tests.pages import serve_pages
from tests.server.stage import serving

if TYPE_CHECKING:
    from collections.abc import Iterator


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
            assert method.upper() in answer.headers["allow"] or len(document["paths"][path]) > 1
        action = document["components"]["schemas"]["Action"]["properties"]
        assert action["action"]["enum"] == list(ACTIONS)
        assert {"elementId", "ref", "backendDOMNodeId", "description", "textGone"} <= set(action)
        assert document["components"]["schemas"]["Act"]["properties"]["actions"]["maxItems"] == 100
        names = set(document["components"]["schemas"])
        assert set(_references(document)) <= {f"#/components/schemas/{name}" for name in names} | {
            f"#/components/parameters/{name}" for name in document["components"]["parameters"]
        }


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


async def test_metrics_can_be_read_by_prometheus(browser_endpoint: str) -> None:
    async with serve_pages({"/": "<button>Go</button>"}) as pages, serving(browser_endpoint) as served:
        await served.done("/control/snapshot", url=pages.url("/"))
        await served.done("/control/act", action="click", element="button")
        await served.post("/control/act", action="click", element="#none")
        await served.client.get("/health", headers={"Authorization": "Bearer wrong"})
        text = (await served.client.get("/metrics")).text
        values = {
            (sample.name, *sorted(sample.labels.values())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }
        asked = "hybridsnap_http_requests_total"
        assert values[asked, "/control/act", "200", "POST"] == 1
        assert values[asked, "/control/act", "404", "POST"] == 1
        assert values["hybridsnap_http_refused_total", "401"] == 1
        assert values["hybridsnap_captures_total", "default"] == 1
        assert values["hybridsnap_actions_total", "click", "default"] == 1
        assert values["hybridsnap_captures_running",] == 0
        assert values["hybridsnap_tabs",] == 1
        assert values["hybridsnap_browser_up", "default"] == 1


async def test_health_says_how_it_is(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        health = (await served.client.get("/health")).json()
        assert health["status"] == "ok"
        assert health["browsers"] == [{"browserId": "default", "up": True, "launched": False, "starts": 1}]
