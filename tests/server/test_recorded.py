"""``/control/console`` and ``/control/network``."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import trio

from tests.support import http
from tests.support.har import check_har
from tests.support.pages import Content, serve_pages
from tests.support.server_stage import serving

if TYPE_CHECKING:
    from hybridsnap import Browser


async def _api(_: http.Request) -> http.Response:
    headers = {"Set-Cookie": "token=abc"}
    return http.Response(json.dumps({"found": "ü"}).encode(), "application/json", headers=headers)


async def _away(request: http.Request) -> http.Response:
    return http.redirect(f"http://127.0.0.1:{request.port}/api", 302)


_PAGES: dict[str, Content] = {
    "/": "<script>console.warn('careful'); fetch('/api').then(r => r.text()); null.x</script>",
    "/api": _api,
    "/away": _away,
    "/denied": "<script>console.log('a secret')</script>",
}


async def test_a_network_that_never_goes_idle_is_said(browser_endpoint: str) -> None:
    busy = {"/": "<script>fetch('/hang')</script>", "/quiet": "<p>quiet"}
    async with serve_pages(busy) as pages, serving(browser_endpoint) as served:

        async def look(path: str, timeout_ms: int, notes: int) -> None:
            asked = {"url": pages.url(path), "wait": "networkidle", "timeoutMs": timeout_ms, "close": True}
            report = (await served.client.post("/control/snapshot", json=asked)).json()["report"]
            said = [note for note in report["notes"] if note.startswith("the network was not idle within ")]
            assert (report["complete"], len(said)) == (True, notes)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(look, "/", 3500, 1)
            nursery.start_soon(look, "/quiet", 20_000, 0)


async def test_what_a_page_said_and_requested(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        opened = (await served.client.post("/tabs", json={})).json()
        tab = {"targetId": opened["targetId"]}
        # Here recording begins with the first call that reads; `hybridsnap serve` records from the beginning.
        assert (await served.client.post("/control/network", json=tab)).json()["requests"] == []
        url = pages.url("/")
        await served.client.post("/control/snapshot", json={**tab, "url": url, "wait": "networkidle"})
        said = (await served.client.post("/control/console", json=tab)).json()
        assert [one["text"] for one in said["messages"]] == ["careful"]
        assert "Cannot read properties of null" in said["errors"][0]["message"]
        assert (said["dropped"], said["hidden"], said["notices"]) == (0, 0, [])
        only = (await served.client.post("/control/console", json={**tab, "level": "warning"})).json()
        assert (len(only["messages"]), only["errors"]) == (1, [])

        for path, wrong, words in (
            ("console", {"level": "zz"}, "expected debug, info, warning or error, got 'zz'"),
            ("network", {"resourceType": "foo"}, "resourceType: expected one of document, "),
            ("network", {"status": 9}, "status: expected a number such as 404"),
        ):
            refused = await served.client.post(f"/control/{path}", json={**tab, **wrong})
            assert (refused.status_code, words in refused.json()["detail"]) == (400, True), refused.text

        query = {**tab, "url": "**/api", "har": True}
        found = (await served.client.post("/control/network", json=query)).json()
        (request,) = found["requests"]
        assert (request["status"], request["resourceType"], request["ok"]) == (200, "fetch", True)
        assert "requestHeaders" not in request
        check_har(found["har"])
        one = (await served.client.post("/control/network", json={**tab, "id": request["id"]})).json()
        assert one["requests"][0]["responseHeaders"]["set-cookie"] == "[9 characters]"
        assert json.loads(one["body"]["text"]) == {"found": "ü"}
        cut = {**tab, "id": request["id"], "maxBytes": 4}
        assert (await served.client.post("/control/network", json=cut)).json()["body"]["truncated"]

        await served.client.post("/control/console", json={**tab, "clear": True})
        assert (await served.client.post("/control/console", json=tab)).json()["messages"] == []


async def test_bytes_that_are_no_text_stay_bytes_where_they_are_cut(browser_endpoint: str) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    pages_: dict[str, Content] = {"/": "<p>here", "/p.png": picture, "/text": "aü" * 9}
    script = "(path) => fetch(path).then((it) => it.arrayBuffer()).then((it) => it.byteLength)"
    async with serve_pages(pages_) as pages, serving(browser_endpoint, allow_evaluate=True) as served:
        tab = {"targetId": (await served.client.post("/tabs", json={})).json()["targetId"]}
        await served.client.post("/control/network", json=tab)
        await served.done("/control/snapshot", **tab, url=pages.url("/"), wait="load")
        for path in ("/p.png", "/text"):
            await served.done("/control/evaluate", **tab, expression=script, args=[path])

        async def body_of(url: str, most: int) -> dict[str, object]:
            (found,) = (await served.done("/control/network", **tab, url=url))["requests"]
            told = await served.done("/control/network", **tab, id=found["id"], maxBytes=most)
            body: dict[str, object] = told["body"]
            return body

        for most in (100, 1000):
            body = await body_of("**/p.png", most)
            assert base64.b64decode(str(body["base64"])) == picture[:most]
            assert "text" not in body
        # What is cut within a character is text all the same.
        assert (await body_of("**/text", 5))["text"] == "aüa"


async def test_questions_that_mean_nothing(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        tab = {"targetId": (await served.client.post("/tabs", json={})).json()["targetId"]}
        for path, wrong, status, words in (
            ("console", {"level": "loud"}, 400, "level"),
            ("console", {"url": ""}, 400, "url"),
            ("network", {"status": "bad"}, 400, "status"),
            ("network", {"after": "x"}, 400, "after"),
            ("network", {"id": "r99"}, 404, "r99"),
        ):
            answer = await served.client.post(f"/control/{path}", json={**tab, **wrong})
            assert answer.status_code == status, answer.text
            assert words in answer.json()["detail"]


async def test_what_a_refused_page_said_before_is_not_told(browser: Browser) -> None:
    """A record reaches back to documents that the tab shows no more."""
    async with serve_pages(_PAGES) as pages, serving(browser.endpoint, deny_hosts=("localhost",)) as served:
        opened = (await served.client.post("/tabs", json={})).json()
        tab = {"targetId": opened["targetId"]}
        await served.client.post("/control/network", json=tab)
        await served.client.post("/control/console", json=tab)
        denied = pages.url("/denied", "localhost")
        page = await browser.page(opened["targetId"])
        await page.goto(denied)
        assert (await served.client.post("/control/console", json=tab)).status_code == 403
        await page.goto(pages.url("/"))
        said = (await served.client.post("/control/console", json=tab)).json()
        assert "a secret" not in json.dumps(said)
        assert said["hidden"] == 1
        found = (await served.client.post("/control/network", json=tab)).json()
        assert denied not in [one["url"] for one in found["requests"]]
        away = pages.url("/away", "localhost")
        await page.network.start()
        await page.evaluate("url => fetch(url, {mode: 'no-cors'}).then(() => 0)", away)
        requests = await page.network.requests()
        assert [one.redirects for one in requests if one.url.endswith("/api")][-1] == ((away, 302),)
        told = (await served.client.post("/control/network", json={**tab, "har": True})).json()
        assert away not in json.dumps(told), "nor as what led to a request that may be shown"
        assert told["hidden"] == found["hidden"] + 2
