"""Emulation: what is set is visible to the page's own scripts, in every frame, and gone when taken back."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

import hybridsnap
import hybridsnap.sync
from tests.support import http
from tests.support.driver_stage import FLAGS
from tests.support.pages import Content, PageServer, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Browser, Page

_READ = """
(async () => {
  const has = (query) => matchMedia(query).matches;
  const where = Intl.DateTimeFormat().resolvedOptions();
  return {
    zone: where.timeZone, locale: where.locale, language: navigator.language,
    agent: navigator.userAgent, platform: navigator.userAgentData?.platform ?? null,
    dark: has("(prefers-color-scheme: dark)"), still: has("(prefers-reduced-motion: reduce)"),
    forced: has("(forced-colors: active)"), contrast: has("(prefers-contrast: more)"), print: has("print"),
    touch: navigator.maxTouchPoints, online: navigator.onLine, processors: navigator.hardwareConcurrency,
  };
})()
"""
_PLAIN_HINTS = {"platformVersion": "1", "architecture": "", "model": ""}
_FRAME = "<iframe src='http://localhost:{PORT}/inner'></iframe>"


async def _headers(request: http.Request) -> http.Response:
    return http.Response(json.dumps(dict(request.headers)).encode(), "text/plain")


async def _secret(request: http.Request) -> http.Response:
    if request.headers.get("authorization") == "Basic " + base64.b64encode(b"ada:1815").decode():
        return http.Response(b"let in", "text/plain")
    return http.Response(b"who?", "text/plain", status=401, headers={"WWW-Authenticate": 'Basic realm="r"'})


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    documents: dict[str, Content] = {
        "/": _FRAME,
        "/inner": "<script>window.zone = Intl.DateTimeFormat().resolvedOptions().timeZone</script>",
        "/late": "<body></body>",
        "/headers": _headers,
        "/secret": _secret,
    }
    async with serve_pages(documents) as served:
        yield served


@pytest.fixture
async def page(browser: Browser, pages: PageServer) -> AsyncIterator[Page]:
    opened = await browser.new_page(pages.url("/"))
    yield opened
    await opened.close()


async def read(page: Page) -> list[dict[str, Any]]:
    """What the scripts of the page see, and those of its frame in another process."""
    replies = [
        await session.send(
            "Runtime.evaluate", {"expression": _READ, "awaitPromise": True, "returnByValue": True}
        )
        for session in page.sessions
    ]
    assert len(replies) == 2
    return [reply["result"]["value"] for reply in replies]


async def test_scripts_of_every_frame_see_it_and_its_end(page: Page) -> None:
    before = await read(page)
    settings: hybridsnap.EmulationSettings = {
        "time_zone": "Asia/Tokyo",
        "locale": "fr-FR",
        "user_agent": "Tester/1.0",
        "client_hints": {
            "platform": "Toaster",
            "platformVersion": "1",
            "architecture": "",
            "model": "",
            "mobile": True,
        },
        "color_scheme": "dark",
        "reduced_motion": True,
        "forced_colors": True,
        "contrast": "more",
        "media": "print",
        "touch": True,
        "offline": True,
        "hardware_concurrency": 7,
    }
    await page.emulation.set(**settings)
    assert page.emulation.active == settings
    seen = {
        "zone": "Asia/Tokyo",
        "locale": "fr-FR",
        "language": "fr-FR",
        "agent": "Tester/1.0",
        "platform": "Toaster",
        "touch": 5,
        "online": False,
        "processors": 7,
    } | dict.fromkeys(("dark", "still", "forced", "contrast", "print"), True)
    assert await read(page) == [seen, seen]
    await page.emulation.reset("offline", "touch")
    assert (await read(page))[1] == seen | {"online": True, "touch": 0}
    await page.emulation.set(color_scheme=None)
    assert not (await read(page))[0]["dark"]
    await page.emulation.reset()
    assert page.emulation.active == {}
    assert await read(page) == before


async def test_a_frame_that_comes_later_has_it_before_its_scripts_run(page: Page, pages: PageServer) -> None:
    await page.emulation.set(time_zone="Asia/Tokyo")
    for path in ("/late", "/"):
        await page.goto(pages.url(path))
    await page.goto(pages.url("/late"))
    await page.evaluate(
        "(url) => new Promise((done) => { const one = document.createElement('iframe'); one.src = url;"
        " one.onload = done; document.body.append(one); })",
        pages.url("/inner", host="localhost"),
    )
    inner = page.sessions[1]
    reply = await inner.send("Runtime.evaluate", {"expression": "window.zone"})
    assert reply["result"]["value"] == "Asia/Tokyo"
    await page.emulation.reset()
    # Frames wait for nobody any more.
    await page.goto(pages.url("/"))
    assert {one["zone"] for one in await read(page)} != {"Asia/Tokyo"}


async def test_the_viewport_of_a_phone_and_back(page: Page) -> None:
    size = "[innerWidth, innerHeight, devicePixelRatio]"
    before = await page.evaluate(size)
    await page.emulation.set(viewport=(400, 700), device_scale_factor=3, mobile=True)
    assert await page.evaluate("[screen.width, screen.height, devicePixelRatio]") == [400, 700, 3]
    await page.emulation.reset("mobile", "device_scale_factor")
    assert await page.evaluate(size) == [400, 700, before[2]]
    await page.emulation.reset()
    assert await page.evaluate(size) == before


async def test_geolocation_comes_with_its_permission(page: Page) -> None:
    where = (
        "new Promise((done) => navigator.geolocation.getCurrentPosition("
        "(it) => done([it.coords.latitude, it.coords.longitude, it.coords.accuracy]), (it) => done(it.code)))"
    )
    await page.emulation.set(geolocation=(48.85, 2.35, 10))
    assert await page.evaluate(where) == [48.85, 2.35, 10]
    await page.emulation.reset()
    ask = "navigator.permissions.query({name: 'geolocation'}).then((it) => it.state)"
    assert await page.evaluate(ask) == "prompt"


async def test_headers_credentials_and_blocked_addresses(page: Page, pages: PageServer) -> None:
    await page.emulation.set(headers={"X-Tested-By": "us"}, http_credentials=("ada", "wrong"), locale="de-DE")
    get = "(path) => fetch(path).then((it) => it.text(), (it) => it.name)"
    sent = json.loads(await page.evaluate(get, "/headers"))
    assert sent["x-tested-by"] == "us"
    assert sent["accept-language"].startswith("de-DE")
    assert await page.evaluate(get, "/secret") == "who?"
    await page.emulation.set(http_credentials=("ada", "1815"))
    assert await page.evaluate(get, "/secret") == "let in"
    navigation = await page.goto(pages.url("/secret"))
    assert navigation.status == 200
    await page.emulation.set(blocked_urls=["*/head*"])
    assert await page.evaluate(get, "/headers") == "TypeError"
    await page.emulation.reset()
    assert "x-tested-by" not in json.loads(await page.evaluate(get, "/headers"))


async def test_scripts_off_and_on(page: Page, pages: PageServer) -> None:
    await page.emulation.set(scripts=False, cache=False, cpu_slowdown=2, latency_ms=1, download_kb_s=5000)
    await page.goto(pages.url("/inner"))
    read = {"expression": "typeof window.zone", "returnByValue": True}
    assert (await page.session.send("Runtime.evaluate", read))["result"]["value"] == "undefined"
    assert (await page.snapshot()).report.complete
    await page.emulation.reset()
    await page.goto(pages.url("/inner"))
    assert (await page.session.send("Runtime.evaluate", read))["result"]["value"] == "string"


#: Settings that are refused → words of the refusal.
_REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"timezone": "UTC"}, "there is no setting 'timezone'; those that there are: viewport, "),
    ({"color_scheme": "black"}, "expected light or dark as color_scheme, got 'black'"),
    ({"offline": 1}, "expected True or False as offline"),
    ({"latency_ms": -1}, "expected a number from 0 as latency_ms"),
    ({"geolocation": 5}, r"expected \(latitude, longitude\)"),
    ({"geolocation": (500, 5)}, "Invalid geolocation"),
    ({"headers": {"A": 1}}, "expected a dict of strings as headers"),
    ({"http_credentials": "ada"}, r"expected \(user, password\)"),
    ({"blocked_urls": "*.png"}, "expected a list of patterns"),
    ({"locale": ""}, "expected a string as locale"),
    ({"time_zone": "Mars/Base"}, "Mars|time zone|timezone"),
]


async def test_misuse_says_what_was_wrong_and_changes_nothing(page: Page) -> None:
    before = await read(page)
    for settings, words in _REFUSED:
        with pytest.raises((ValueError, hybridsnap.CommandRefused), match=words):
            await page.emulation.set(**settings, touch=True)
        assert page.emulation.active == {}, settings
        assert await read(page) == before, settings


def test_from_blocking_code() -> None:
    with hybridsnap.sync.launch(args=FLAGS) as browser:
        page = browser.new_page()
        page.emulation.set(color_scheme="dark")
        assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
        assert page.emulation.active == {"color_scheme": "dark"}
        page.emulation.reset()
        assert page.emulation.active == {}
