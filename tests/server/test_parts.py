"""``/control/storage``, ``/control/emulation``, and the page as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio
from schemathesis import openapi

import hybridsnap
from tests.support.pages import serve_pages
from tests.support.server_stage import serving

if TYPE_CHECKING:
    import httpx
    import pytest

_PAGES = {
    "/": "<title>Kept</title><script>document.cookie = 'seen=a secret'; localStorage.theme = 'dark';"
    "indexedDB.open('notes')</script><h1>Kept</h1>",
    "/sees": "<p id=o></p><script>o.textContent = `${innerWidth} ${new Date(0).getHours()}`</script>",
}


async def test_what_is_kept(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        tab = {"targetId": await served.open(pages.url("/"))}
        schema = openapi.from_dict((await served.client.get("/openapi.json")).json())

        async def ask(expected: int = 200, /, **body: Any) -> Any:
            answer = await served.post("/control/storage", **tab, **body)
            assert answer.status_code == expected, answer.text
            schema["/control/storage"]["POST"].validate_response(answer)
            return answer.json()

        (cookie,) = (await ask())["cookies"]
        assert (cookie["name"], cookie["domain"], cookie["sameSite"]) == ("seen", "127.0.0.1", "Lax")
        assert "value" not in cookie, "values only when asked for"
        assert (await ask(values=True, name="seen"))["cookies"][0]["value"] == "a secret"
        own = {"name": "b", "value": "c", "url": pages.url("/"), "httpOnly": True}
        assert (await ask(action="setCookies", cookies=[own]))["done"] == 1
        assert [one["name"] for one in (await ask(urls=pages.url("/x"), domain="127.0.0.1"))["cookies"]] == [
            "seen",
            "b",
        ]
        assert (await ask(action="items"))["items"] == {"theme": "dark"}
        assert (await ask(action="setItems", area="session", items={"step": "2"}))["done"] == 1
        session = await ask(action="items", area="session")
        assert (session["items"], session["origins"]) == ({"step": "2"}, [pages.url("")])
        assert (await ask(action="databases"))["databases"] == ["notes"]
        state = (await ask(action="state"))["state"]
        assert state["origins"][0]["localStorage"] == [{"name": "theme", "value": "dark"}]
        assert (await ask(action="clearCookies", name="b"))["done"] == 1
        await ask(action="clearItems", names=["theme"])
        assert (await ask(action="items"))["items"] == {}
        assert (await ask(action="restore", state=state))["done"] == 3
        with trio.fail_after(5):  # another process has written them: the tab's own hears of it
            while (await ask(action="items"))["items"] != {"theme": "dark"}:  # noqa: ASYNC110
                await trio.sleep(0.01)
        assert len((await ask())["cookies"]) == 2

        for wrong, words in (
            ({"action": "setCookies", "cookies": [{"name": "x", "value": "y"}]}, "give url or domain"),
            ({"action": "setItems"}, "needs items"),
            ({"action": "items", "values": True}, "values cannot stand beside the action items"),
            ({"action": "restore", "state": {"cookies": 3}}, "no storage state"),
            ({"urls": "nowhere"}, "expected a URL"),
        ):
            assert words in (await ask(400, **wrong))["detail"]
        assert (await ask(404, action="items", origin="https://example.com"))["error"] == "OriginUnknown"


async def test_nothing_of_refused_addresses_is_shown_or_changed() -> None:
    async with (
        serve_pages(_PAGES) as pages,
        hybridsnap.launch(transport="websocket") as browser,  # with a profile of its own
        serving(browser.endpoint, deny_hosts=("localhost",), shared_profile=True) as served,
    ):
        denied = await browser.new_page(pages.url("/", "localhost"))
        tab = {"targetId": await served.open(pages.url("/"))}

        async def ask(expected: int = 200, /, **body: Any) -> Any:
            answer: httpx.Response = await served.post("/control/storage", **tab, **body)
            assert answer.status_code == expected, answer.text
            return answer.json()

        found = await ask()
        assert ([one["domain"] for one in found["cookies"]], found["hidden"]) == (["127.0.0.1"], 1)
        found = await ask(action="state")
        assert [one["origin"] for one in found["state"]["origins"]] == [pages.url("")]
        assert [one["domain"] for one in found["state"]["cookies"]] == ["127.0.0.1"]
        assert found["hidden"] == 2
        localhost = pages.url("", "localhost")
        await ask(403, action="state", origins=[localhost])
        cookie = {"name": "seen", "value": "x", "domain": "localhost"}
        await ask(403, action="setCookies", cookies=[cookie])
        await ask(404, action="items", origin=localhost)
        item = {"name": "theme", "value": "x"}
        state = {"cookies": [cookie], "origins": [{"origin": localhost, "localStorage": [item]}]}
        restored = await ask(action="restore", state=state)
        assert (restored["done"], restored["hidden"]) == (0, 2)
        assert (await ask(action="clearCookies"))["done"] == 1
        assert [one["value"] for one in await denied.storage.cookies()] == ["a secret"], "left alone"
        assert await denied.storage.items() == {"theme": "dark"}

        page = await browser.page(tab["targetId"])
        await page.goto(localhost)
        for path in ("storage", "pdf", "screenshot", "mhtml", "emulation"):
            answer = await served.post(f"/control/{path}", **tab)
            assert (answer.status_code, answer.json()["error"]) == (403, "AddressRefused"), path


async def test_emulation(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        tab = {"targetId": await served.open("about:blank")}
        settings = {
            "viewport": [500, 400],
            "timeZone": "Asia/Tokyo",
            "geolocation": [1.5, 2],
            "httpCredentials": ["ada", "a secret"],
            "headers": {"Authorization": "Bearer a secret", "X-Tag": "1"},
        }
        answer = await served.post("/control/emulation", **tab, set=settings)
        assert "a secret" not in answer.text
        assert answer.json()["active"] == {
            **settings,
            "httpCredentials": ["ada", "[8 characters]"],
            "headers": {"Authorization": "[15 characters]", "X-Tag": "1"},
        }
        await served.done("/control/snapshot", **tab, url=pages.url("/sees"))
        shown = await served.done("/control/snapshot", **tab)
        assert "500 9" in shown["combinedTree"]
        left = await served.done("/control/emulation", **tab, reset=["timeZone", "headers"])
        assert set(left["active"]) == {"viewport", "geolocation", "httpCredentials"}
        phone = await served.done("/control/emulation", **tab, device="pixel 8", set={"touch": False})
        assert (phone["active"]["mobile"], phone["active"]["touch"]) == (True, False)
        assert (await served.done("/control/emulation", **tab, reset=True))["active"] == {}
        for wrong, words in (
            ({"set": {"cpuSlowdown": 0.5}}, "cpuSlowdown: expected a number from 1"),
            ({"set": {"timeZone": "Mars/Y"}}, "timeZone: the browser refuses 'Mars/Y'"),
            ({"reset": ["colour"]}, "deviceScaleFactor"),
            ({"device": "x"}, "there is no device"),
            ({"set": {"colour": "red"}}, "colour"),
        ):
            refused = await served.post("/control/emulation", **tab, **wrong)
            assert (refused.status_code, words in refused.text) == (400, True), refused.text


async def test_the_page_as_a_file(browser_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        tab = {"targetId": await served.open(pages.url("/"))}
        schema = openapi.from_dict((await served.client.get("/openapi.json")).json())
        for path, body, media_type, begins in (
            (
                "pdf",
                {"paper": "a4", "margin": ["1cm", 0.5, 0.5, 0.5], "header": "x"},
                "application/pdf",
                b"%PDF-",
            ),
            ("screenshot", {"elementId": "h1", "format": "jpeg", "quality": 50}, "image/jpeg", b"\xff\xd8"),
            ("screenshot", {"fullPage": True, "mask": ["h1"]}, "image/png", b"\x89PNG"),
            ("screenshot", {"labels": True, "format": "webp"}, "image/webp", b"RIFF"),
            ("mhtml", {}, "multipart/related", b"From: "),
        ):
            answer = await served.post(f"/control/{path}", **tab, **body)
            assert answer.status_code == 200, answer.text
            assert answer.headers["content-type"] == media_type
            assert answer.content.startswith(begins)
            schema[f"/control/{path}"]["POST"].validate_response(answer)
        # So much of the request's 120 s: an action waits no longer for its element either.
        monkeypatch.setattr("hybridsnap.service.taken.MODEL_WAIT_SECONDS", 0.5)
        with trio.fail_after(60):
            missing = await served.post("/control/screenshot", **tab, elementId="bad", timeoutMs=120_000)
        assert missing.status_code == 404
        assert missing.json()["error"] == "SelectorError"
        for path, wrong in (
            ("pdf", {"paper": "a9"}),
            ("pdf", {"pages": "9"}),
            ("screenshot", {"fullPage": True, "elementId": "h1"}),
            ("screenshot", {"fullPage": True, "labels": True}),
        ):
            assert (await served.post(f"/control/{path}", **tab, **wrong)).status_code == 400
