"""What a profile keeps: cookies, storage, permissions, and the state that a login leaves behind."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import pytest
import trio
from playwright.async_api import async_playwright

import hybridsnap
import hybridsnap.sync
from tests.support.driver_stage import FLAGS
from tests.support.pages import ENDLESS, PageServer, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from hybridsnap import Browser, BrowserContext, Page

_PAGES = {
    "/": "<title>Kept</title><script>localStorage.theme = 'dark'; sessionStorage.step = '2';"
    "document.cookie = 'seen=1; path=/'; indexedDB.open('notes');</script>"
    "<iframe src='http://localhost:{PORT}/inner'></iframe><iframe sandbox srcdoc='no storage'></iframe>",
    "/inner": "<script>localStorage.inner = 'ü'; "
    "document.cookie = 'shared=2; SameSite=None; Secure; Partitioned';</script>",
    "/other": "<title>Other</title>",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as served:
        yield served


@pytest.fixture
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    async with await browser.new_context() as made:
        yield made


@pytest.fixture
async def page(context: BrowserContext, pages: PageServer) -> Page:
    return await context.new_page(pages.url("/"))


async def test_cookies(context: BrowserContext, page: Page, pages: PageServer) -> None:
    storage, url = page.storage, pages.url("/")
    plain, partitioned = sorted(await storage.cookies(), key=lambda one: one["name"])
    assert (plain["name"], plain["value"], plain["domain"], plain["expires"]) == (
        "seen",
        "1",
        "127.0.0.1",
        -1,
    )
    assert (partitioned["name"], partitioned["partitionKey"]) == ("shared", "http://127.0.0.1")
    assert await context.storage.cookies() == await storage.cookies()
    assert [one["name"] for one in await storage.cookies(url)] == ["seen"]
    until = int(time.time()) + 1_000_000  # browsers keep none for longer than 400 days
    await storage.set_cookies(
        [
            {"name": "by_url", "value": "x", "url": url},
            {"name": "by_domain", "value": "x", "domain": "127.0.0.1", "path": "/deep", "expires": until},
            {"name": "hidden", "value": "h", "url": url, "httpOnly": True, "sameSite": "Strict"},
        ]
    )
    assert await page.evaluate("document.cookie.includes('by_url') && !document.cookie.includes('hidden')")
    kept = {one["name"]: one for one in await storage.cookies()}
    assert (kept["by_domain"]["path"], kept["by_domain"]["expires"]) == ("/deep", until)
    assert (kept["hidden"]["httpOnly"], kept["hidden"]["sameSite"]) == (True, "Strict")
    assert {one["name"] for one in await storage.cookies(pages.url("/deep/er"))} == kept.keys() - {"shared"}
    assert await storage.clear_cookies(name="shared") == 1
    assert await storage.clear_cookies(path="/deep") == 1
    assert {one["name"] for one in await storage.cookies()} == {"seen", "by_url", "hidden"}
    assert await storage.clear_cookies() == 3
    assert await storage.cookies() == []
    assert await storage.clear_cookies() == 0


async def test_names_that_promise_something_round_trip(page: Page) -> None:
    held = [
        {"name": "__Host-a", "value": "1", "domain": "shop.example", "secure": True},
        {"name": "__Secure-b", "value": "2", "domain": ".shop.example", "secure": True},
    ]
    await page.storage.set_cookies(held)  # type: ignore[arg-type]
    found = await page.storage.cookies("https://shop.example/")
    kept = {one["name"]: (one["domain"], one["path"]) for one in found}
    assert kept == {"__Host-a": ("shop.example", "/"), "__Secure-b": (".shop.example", "/")}
    await page.storage.set_cookies(found)
    assert len(await page.storage.cookies("https://shop.example/")) == 2


async def test_profiles_are_apart(browser: Browser, page: Page) -> None:
    async with await browser.new_context() as other:
        await other.storage.set_cookies([{"name": "theirs", "value": "1", "domain": "example.com"}])
        assert [one["name"] for one in await other.storage.cookies()] == ["theirs"]
        assert {one["name"] for one in await page.storage.cookies()} == {"seen", "shared"}
        assert await other.storage.clear_cookies() == 1
        assert len(await page.storage.cookies()) == 2


async def test_items_of_every_origin(page: Page, pages: PageServer) -> None:
    storage = page.storage
    here, there = pages.url("/").rstrip("/"), pages.url("/", host="localhost").rstrip("/")
    assert await storage.origins() == [here, there]
    assert await storage.items() == {"theme": "dark"}
    assert await storage.items("session") == {"step": "2"}
    assert await storage.items(origin=there) == {"inner": "ü"}
    await storage.set_items({"theme": "light", "lines": "a\nb", "": "no name"})
    assert await page.evaluate("[localStorage.theme, localStorage.lines, localStorage.getItem('')]") == [
        "light",
        "a\nb",
        "no name",
    ]
    await storage.clear_items(["theme"])
    assert await storage.items() == {"lines": "a\nb", "": "no name"}
    await storage.clear_items()
    assert await storage.items() == {}
    assert await storage.items(origin=there) == {"inner": "ü"}
    await storage.clear_items(area="session")
    assert await page.evaluate("sessionStorage.length") == 0
    assert await storage.databases() == ["notes"]


async def test_permissions(page: Page, pages: PageServer) -> None:
    ask = "navigator.permissions.query({name: 'geolocation'}).then((it) => it.state)"
    before = await page.evaluate(ask)
    await page.storage.grant_permissions("geolocation", origin=pages.url("/").rstrip("/"))
    assert await page.evaluate(ask) == "granted"
    await page.storage.reset_permissions()
    assert await page.evaluate(ask) == before
    with pytest.raises(hybridsnap.CommandRefused, match="telepathy"):
        await page.storage.grant_permissions("telepathy")


async def test_permissions_have_the_webs_names(page: Page, pages: PageServer) -> None:
    names = [
        "accelerometer",
        "background-sync",
        "camera",
        "clipboard-read",
        "clipboard-write",
        "geolocation",
        "gyroscope",
        "idle-detection",
        "local-fonts",
        "magnetometer",
        "microphone",
        "midi",
        "notifications",
        "persistent-storage",
        "screen-wake-lock",
        "storage-access",
        "window-management",
    ]
    ask = "(name) => navigator.permissions.query({ name }).then((one) => one.state, (error) => error.message)"
    try:
        await page.storage.grant_permissions(names, origin=pages.url("/").rstrip("/"))
        assert {name: await page.evaluate(ask, name) for name in names} == dict.fromkeys(names, "granted")
    finally:
        await page.storage.reset_permissions()


async def test_a_state_moves_to_another_profile(
    browser: Browser, page: Page, pages: PageServer, tmp_path: Path
) -> None:
    path = tmp_path / "state.json"
    state = await page.storage_state(path=path)
    here = pages.url("/").rstrip("/")
    assert state["origins"] == [{"origin": here, "localStorage": [{"name": "theme", "value": "dark"}]}]
    assert json.loads(path.read_text()) == state
    assert path.stat().st_mode & 0o077 == 0
    for given in (path, str(path)):
        async with await browser.new_context(storage_state=given) as other:
            assert sorted(map(str, await other.storage.cookies())) == sorted(map(str, state["cookies"]))
            assert (await other.storage.state(origins=[here]))["origins"] == state["origins"]
    async with await browser.new_context(storage_state=state) as other:
        assert sorted(map(str, await other.storage.cookies())) == sorted(map(str, state["cookies"]))
        assert await other.pages() == []
        # Of an origin that no tab shows, on request only; nothing goes over the wire for it.
        assert (await other.storage.state())["origins"] == []
        assert (await other.storage.state(origins=[here]))["origins"] == state["origins"]
        assert pages.requests.count("/") == 1
        opened = await other.new_page(pages.url("/other"))
        assert await opened.evaluate("[document.cookie, localStorage.theme]") == ["seen=1", "dark"]


async def test_a_login_of_playwright_works_here_and_the_other_way_round(
    browser: Browser, browser_endpoint: str, page: Page, pages: PageServer, tmp_path: Path
) -> None:
    ours, theirs = tmp_path / "ours.json", tmp_path / "theirs.json"
    await page.storage_state(path=ours)
    url = pages.url("/other")

    async def by_playwright() -> Any:
        async with async_playwright() as started:
            found = await started.chromium.connect_over_cdp(browser_endpoint)
            context = await found.new_context(storage_state=str(ours))
            opened = await context.new_page()
            await opened.goto(url)
            seen = await opened.evaluate("[document.cookie, localStorage.theme]")
            await opened.evaluate("localStorage.from = 'Playwright'; document.cookie = 'by=them; path=/'")
            await context.storage_state(path=str(theirs))
            await context.close()
            return seen

    assert await trio.to_thread.run_sync(lambda: asyncio.run(by_playwright())) == ["seen=1", "dark"]
    async with await browser.new_context(storage_state=theirs) as context:
        opened = await context.new_page(url)
        assert await opened.evaluate("[document.cookie.split('; ').sort(), localStorage.from]") == [
            ["by=them", "seen=1"],
            "Playwright",
        ]


_MISUSE: list[tuple[Callable[[Page], Awaitable[object]], type[Exception], str]] = [
    (lambda page: page.storage.items("cookie"), ValueError, "expected local or session as area"),  # type: ignore[arg-type]
    (lambda page: page.storage.items(origin="https://x.test"), ValueError, "its origins are: http"),
    (lambda page: page.storage.set_items({"a": 1}), TypeError, "expected strings"),  # type: ignore[dict-item]
    (lambda page: page.storage.set_cookies([{"name": "a", "value": "b"}]), ValueError, "give url or domain"),
    (
        lambda page: page.storage.set_cookies([{"name": "a", "value": 1, "domain": "x.test"}]),  # type: ignore[typeddict-item]
        TypeError,
        "expected a string as value",
    ),
    (
        lambda page: page.storage.set_cookies([{"name": "a", "value": "b", "domain": "x", "maxAge": 1}]),  # type: ignore[typeddict-unknown-key]
        ValueError,
        "unknown: maxAge",
    ),
    (
        lambda page: page.storage.set_cookies(
            [
                {"name": "a", "value": "b", "domain": "x", "sameSite": "lax"}  # type: ignore[typeddict-item]
            ]
        ),
        ValueError,
        "expected Strict, Lax, None as sameSite",
    ),
    (
        lambda page: page.storage.set_cookies([{"name": "a", "value": "b;c", "domain": "x"}]),
        ValueError,
        r"cookies\[0\] \(a\): the value has a semicolon",
    ),
    (
        lambda page: page.storage.set_cookies([{"name": "a", "value": "b", "url": "x.com"}]),
        ValueError,
        r"cookies\[0\] \(a\): expected a URL",
    ),
    (
        lambda page: page.storage.set_cookies([{"name": "__Secure-a", "value": "b", "domain": "x.com"}]),
        ValueError,
        "begins with __Secure- is secure: give secure",
    ),
    (
        lambda page: page.storage.set_cookies(
            [{"name": "__Host-a", "value": "b", "domain": ".x.com", "secure": True}]
        ),
        ValueError,
        "begins with __Host- is of one host and of all its paths",
    ),
    (
        lambda page: page.storage.set_cookies(
            [{"name": "__Host-a", "value": "b", "url": "https://x.com/", "path": "/a", "secure": True}]
        ),
        ValueError,
        "path is /",
    ),
    (
        lambda page: page.storage.set_items({"a": "\ud800"}),
        ValueError,
        "item 'a': half a surrogate pair",
    ),
    (lambda page: page.storage.clear_items("ab"), TypeError, "names: expected a list of str"),
    (lambda page: page.storage.cookies("example.com"), ValueError, "expected a URL"),
    (lambda page: page.storage_state(origins=["example.com"]), ValueError, "expected an origin"),
    (lambda page: page.storage.restore({"cookies": 1}), ValueError, "no storage state"),  # type: ignore[arg-type]
    (lambda page: page.storage.restore("/nowhere.json"), OSError, "nowhere"),
]


async def test_misuse_says_what_was_wrong(page: Page) -> None:
    for call, kind, words in _MISUSE:
        with pytest.raises(kind, match=words):
            await call(page)


async def test_over_one_pages_own_socket(page: Page, browser_endpoint: str) -> None:
    endpoint = browser_endpoint.partition("/devtools/")[0] + f"/devtools/page/{page.target_id}"
    async with hybridsnap.connect(endpoint) as alone:
        storage = (await alone.page()).storage
        assert {one["name"] for one in await storage.cookies()} == {"seen", "shared"}
        assert await storage.clear_cookies(name="seen") == 1
        assert [one["name"] for one in await storage.cookies()] == ["shared"]
        assert await storage.items() == {"theme": "dark"}
        assert [one["origin"] for one in (await storage.state())["origins"]] == (await storage.origins())[:1]
        with pytest.raises(hybridsnap.TargetError, match="connect to the browser's endpoint"):
            await storage.state(origins=["https://example.com"])


async def test_a_tab_that_hangs_is_named(context: BrowserContext, pages: PageServer) -> None:
    await context.new_page(pages.url("/"))
    hung = await context.new_page(pages.url("/other"))
    await hung.session.send("Runtime.evaluate", {"expression": f"setTimeout(() => {ENDLESS})"})
    with pytest.raises(hybridsnap.CommandUnanswered, match=r"/other does not answer"):
        await context.storage.state(timeout=1)
    await hung.close()
    assert len((await context.storage.state())["origins"]) == 1


def test_from_blocking_code() -> None:
    with hybridsnap.sync.launch(args=FLAGS) as browser, browser.new_context() as context:
        context.storage.set_cookies([{"name": "a", "value": "b", "domain": "example.com"}])
        page = context.new_page()
        assert [one["name"] for one in page.storage.cookies()] == ["a"]
        assert page.storage_state()["origins"] == []
