"""``/control/routes``, ``/control/permissions``, ``/control/locators``, and what an operator has closed."""

from __future__ import annotations

import re
from typing import Any

from schemathesis import openapi

from tests.support.pages import serve_pages
from tests.support.server_stage import Served, serving

_PAGES = {
    "/": "<title>Shop</title><h1>Shop</h1><button>Buy</button><button>Sell</button>",
    "/data": "from the server",
}


async def _ask(served: Served, path: str, expected: int = 200, /, **body: Any) -> Any:
    schema = openapi.from_dict((await served.client.get("/openapi.json")).json())
    answer = await served.post(path, **body)
    assert answer.status_code == expected, answer.text
    schema[path]["POST"].validate_response(answer)
    return answer.json()


async def test_requests_are_aborted_answered_and_changed(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, allow_evaluate=True) as served:
        tab = {"targetId": await served.open(pages.url("/"))}

        async def routes(expected: int = 200, /, **body: Any) -> Any:
            return await _ask(served, "/control/routes", expected, **tab, **body)

        async def fetched() -> Any:
            script = "fetch('/data').then(it => it.text()).catch(() => 'failed')"
            return (await served.done("/control/evaluate", **tab, expression=script))["value"]

        assert (await routes())["routes"] == []
        (aborted,) = (await routes(action="abort", url="**/data", resourceType="fetch"))["routes"]
        assert (aborted["does"], aborted["narrowed"]) == ("abort as blockedbyclient", ["fetch"])
        assert await fetched() == "failed"
        await routes(action="fulfill", url="**/data", body="made up", status=203, times=1)
        assert await fetched() == "made up"
        assert await fetched() == "failed"
        assert [one["count"] for one in (await routes())["routes"]] == [2]
        shown = await routes(action="continue", url="**/data", headers={"Authorization": "secret"})
        assert "secret" not in str(shown)
        assert await fetched() == "from the server"
        assert (await routes(action="remove", url="**/data"))["removed"] == 2
        for wrong, words in (
            ({"action": "abort"}, "needs url"),
            ({"action": "list", "url": "**"}, "cannot stand beside"),
            ({"action": "remove", "contentType": "a/b"}, "contentType cannot stand beside"),
            ({"action": "abort", "url": "**", "status": 404}, "status cannot stand beside abort"),
            ({"action": "abort", "url": "**", "resourceType": "websocket"}, "resourceType: expected one of"),
        ):
            assert words in (await routes(400, **wrong))["detail"]


async def test_what_is_closed_is_refused(browser_endpoint: str) -> None:
    async with (
        serve_pages(_PAGES) as pages,
        serving(browser_endpoint, allow_storage=False, openclaw=True) as served,
    ):
        tab = {"targetId": await served.open(pages.url("/"))}
        refused = await _ask(served, "/control/routes", 403, **tab, action="fulfill", url="**")
        assert refused["error"] == "EvaluateOff"
        assert len((await _ask(served, "/control/routes", **tab, action="abort", url="**"))["routes"]) == 1
        assert (await _ask(served, "/control/storage", 403, **tab))["error"] == "StorageOff"
        for path in ("/cookies", "/storage/local"):
            assert (await served.client.get(path)).status_code == 403


async def test_devices_are_listed(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        assert "iPhone 15 landscape" in (await served.client.get("/devices")).json()["devices"]


async def test_permissions_and_locators(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, allow_evaluate=True) as served:
        tab = {"targetId": await served.open(pages.url("/"))}

        async def state() -> Any:
            script = "navigator.permissions.query({name: 'geolocation'}).then(it => it.state)"
            return (await served.done("/control/evaluate", **tab, expression=script))["value"]

        path = "/control/permissions"
        before = await state()
        granted = await _ask(served, path, **tab, grant=["geolocation"])
        assert (granted["origin"], granted["granted"]) == (pages.url(""), ["geolocation"])
        assert await state() == "granted"
        assert (await _ask(served, path, **tab, reset=True))["origin"] is None
        assert await state() == before
        assert "expected one such as" in (await _ask(served, path, 400, **tab, origin="shop"))["detail"]
        assert "nothing" in (await _ask(served, path, 400, **tab, grant=["nothing"]))["detail"]

        path = "/control/locators"
        found = await _ask(served, path, **tab, elementId="button:first-of-type")
        assert found["playwright"] == 'page.getByRole("button", { name: "Buy", exact: true })'
        assert found["xpath"] == "/html[1]/body[1]/button[1]"
        assert "matches 2 elements" in (await _ask(served, path, 400, **tab, elementId="button"))["detail"]
        assert "matches nothing" in (await _ask(served, path, 400, **tab, elementId="nav"))["detail"]

        outline = (await _ask(served, "/control/snapshot", **tab))["combinedTree"]
        button = re.findall(r"\[(.*)\] button: Buy", outline)[0]
        rename = "document.querySelector('button').textContent = 'Barter'"
        await served.done("/control/evaluate", **tab, expression=rename)
        assert "Barter" in (await _ask(served, path, **tab, elementId=button))["playwright"]
        refused = await _ask(served, "/control/act", 409, **tab, action="click", elementId=button)
        assert 'is now button "Barter"' in refused["detail"], (
            "what locators were made of is not what was shown"
        )
