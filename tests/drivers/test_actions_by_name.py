"""Every action and every evaluation through tabs of foreign drivers."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time
from typing import TYPE_CHECKING, Any

import pytest
import trio

import hybridsnap
from hybridsnap import CommandUnanswered, EvaluationFailed, EvaluationTimeout, StaleElement
from hybridsnap.act.actions import ACTIONS
from hybridsnap.drivers import from_send, playwright, selenium
from hybridsnap.drivers.custom import SyncSentTab
from tests.support.driver_stage import (
    at_once,
    cdp_tab,
    chrome,
    new_window,
    page_at,
    playwright_browser,
    playwright_browser_sync,
    switch_to,
)
from tests.support.faults import until
from tests.support.headless_shell import not_in_headless_shell
from tests.support.pages import busy_for, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
    from pathlib import Path

_PART = """<button aria-label=go onclick="this.dataset.did = event.detail;
  this.dataset.times = 1 + Number(this.dataset.times ?? 0)"
  onmouseenter="this.dataset.over = 1">Go</button>
<input aria-label=text value=old><input aria-label=box type=checkbox><input aria-label=file type=file>
<input aria-label=range type=range>
<select aria-label=pick><option>none<option value=a>A<option value=b>B</select>
<div role=button draggable=true aria-label=source
  ondragstart="event.dataTransfer.setData('text/plain', 'dragged')">source</div>
<div role=button aria-label=target ondragover="event.preventDefault()"
  ondrop="this.dataset.got = event.dataTransfer.getData('text/plain')">target</div>
<div role=region tabindex=0 aria-label=scroller style="height: 50px; overflow: auto">
  <div style="height: 400px"></div><button aria-label=low>Low</button></div>"""
_PAGES = {
    "/main": f"<!doctype html><title>Main</title>{_PART}<div style='height: 3000px'></div>",
    "/part": f"<!doctype html><title>Part</title>{_PART}",
}
_FRAMED = """<!doctype html><title>Framed</title><h1>Outer</h1>
<iframe src='http://in-SITE.localhost:{PORT}/part' width=700 height=400></iframe>
<div style='height: 3000px'></div>"""
_FOREVER = "while (true);"
_NEVER = "new Promise(() => {})"
_OWN_WORK = "const end = Date.now() + 2000; while (Date.now() < end); document.title = 'its own work is done'"


class Tab:
    """A tab of any driver, all of it awaited."""

    def __init__(self, tab: Any) -> None:
        self.tab = tab

    async def __call__(self, method: str, *arguments: Any, **options: Any) -> Any:
        done = getattr(self.tab, method)(*arguments, **options)
        return await done if inspect.isawaitable(done) else done


@contextlib.asynccontextmanager
async def _playwright(endpoint: str, url: str) -> AsyncIterator[Tab]:
    async with playwright_browser(endpoint) as found:
        yield Tab(playwright.PlaywrightTab(page_at(found, url)))


@contextlib.asynccontextmanager
async def _send(endpoint: str, url: str) -> AsyncIterator[Tab]:
    async with cdp_tab(endpoint, url) as tab:

        async def send(method: str, params: dict[str, Any], session: str | None) -> dict[str, Any]:
            return await tab.client.send_raw(method, params, session)

        yield Tab(from_send(send, tab.session_id))


@contextlib.asynccontextmanager
async def _send_alone(endpoint: str, url: str) -> AsyncIterator[Tab]:
    """Of a driver that lets us have no session of ours."""
    async with cdp_tab(endpoint, url) as tab:
        yield Tab(from_send(tab.send))


@contextlib.contextmanager
def _playwright_sync(endpoint: str, url: str) -> Iterator[Any]:
    with playwright_browser_sync(endpoint) as found:
        yield playwright.PlaywrightSyncTab(page_at(found, url))


@contextlib.contextmanager
def _selenium(endpoint: str, url: str) -> Iterator[Any]:
    with chrome(endpoint) as webdriver:
        switch_to(webdriver, url)
        yield selenium.SeleniumTab(webdriver)


_ASYNC = {"playwright": _playwright, "send": _send, "send alone": _send_alone}
_SYNC = {"playwright sync": _playwright_sync, "selenium": _selenium}
_DRIVERS = [*_ASYNC, *_SYNC]


async def on_driver(name: str, endpoint: str, url: str, work: Callable[[Tab], Awaitable[None]]) -> None:
    """Do some work on a tab of a driver, in a thread of its own."""

    def steps(tab: Any) -> None:
        done = work(Tab(tab))
        with contextlib.suppress(StopIteration):  # nothing in it waits
            done.__await__().__next__()

    def main() -> None:
        if name in _SYNC:
            with _SYNC[name](endpoint, url) as tab:
                steps(tab)
            return

        async def run() -> None:
            async with _ASYNC[name](endpoint, url) as tab:
                await work(tab)

        asyncio.run(run())

    await trio.to_thread.run_sync(main)


@contextlib.asynccontextmanager
async def _serve() -> AsyncIterator[Callable[[str, str], str]]:
    """From a driver and a path to the address of a page of its own site, and so are its frames: frames of one
    site share a process, also with those of another tab.
    """
    sites = {driver: driver.replace(" ", "-") for driver in _DRIVERS}
    framed = {f"/framed/{site}": _FRAMED.replace("SITE", site) for site in sites.values()}
    async with serve_pages(_PAGES | framed) as pages:

        def address(driver: str, path: str) -> str:
            own = path if path == "/main" else f"{path}/{sites[driver]}"
            return pages.url(own, f"{sites[driver]}.localhost")

        yield address


class Acts:
    """Actions by name, and which have been tried."""

    def __init__(self, tab: Tab, ids: dict[str, str]) -> None:
        self.tab, self.ids = tab, ids
        self.left = {name for name, spec in ACTIONS.items() if spec.plan is not None}

    async def __call__(self, action: str, name: str | None, *arguments: Any, **options: Any) -> Any:
        self.left.discard(action)
        element = None if name is None else self.ids[name]
        done = await self.tab("act", action, element, *arguments, **options)
        if isinstance(done, hybridsnap.Receipt):
            assert done.element_id == element
        return done

    async def of(self, name: str, expression: str) -> Any:
        return await self.tab("evaluate", f"(it) => {expression}", element=self.ids[name])


async def _point(act: Acts) -> None:
    await act("hover", "go")
    assert await act.of("go", "it.dataset.over") == "1"
    await act("click", "go", count=2)
    assert await act.of("go", "it.dataset.did") == "2"
    await act("drag", "source", act.ids["target"])
    assert await act.of("target", "it.dataset.got") == "dragged"
    assert (await act("scroll", "scroller", distance=30)).value["y"] == 30
    await act("scroll_into_view", "low")
    assert await act.of("scroller", "it.scrollTop") > 300
    assert (await act("scroll", None, distance=50)).value["y"] == 50
    await act("wheel", None, 0, 5)
    await act("highlight", "low", seconds=0.01)
    await act("scroll_into_view", "go")
    x, y, width, height = await act("bounding_box", "go")
    await act("move_to", None, x, y)
    await act("click_at", None, x + width / 2, y + height / 2)
    assert await act.of("go", "it.dataset.did") != "2"
    await act("drag_at", None, (x, y + 200), (x + 10, y + 210))
    before = int(await act.of("go", "it.dataset.times"))
    await act("mouse_down", None, x=x + width / 2, y=y + height / 2)
    await act("mouse_up", None)
    await act("mouse_path", None, [(x + 2, y + 2), (x + width / 2, y + height / 2)])
    await act("tap", "go")
    assert int(await act.of("go", "it.dataset.times")) == before + 3
    await act("blur", None)
    await act("swipe", "scroller", "down", distance=30, duration=0.05)


async def _fill(act: Acts, path: Path) -> None:
    assert (await act("focus", "go")).focus[1] == act.ids["go"]
    await act("type", "text", "er")
    assert await act.of("text", "it.value") == "older"
    await act("press", "text", "Backspace")
    await act("key_down", None, "Shift")
    assert (await act("press", None, "ArrowLeft")).action == "press ArrowLeft"
    await act("key_up", None, "Shift")
    await act("press", None, "Delete")
    assert (await act("select_text", "text", start=1)).value == {"start": 1, "end": 3, "text": "ld"}
    assert (await act("blur", "text")).focus == (act.ids["text"], "")
    await act("set_value", "range", 30)
    assert await act.of("range", "it.value") == "30"
    assert await act.of("text", "it.value") == "old"
    await act("fill", "text", "new")
    assert await act.of("text", "it.value") == "new"
    await act("clear", "text")
    assert await act.of("text", "it.value") == ""
    await act("select_option", "pick", label="A")
    assert await act.of("pick", "it.value") == "a"
    await act("check", "box")
    assert await act.of("box", "it.checked")
    await act("uncheck", "box")
    await act("set_input_files", "file", path)
    assert await act.of("file", "it.files[0].text()") == "words"
    form = [{"id": act.ids["text"], "value": "all"}, {"id": act.ids["box"], "value": True}]
    filled = await act("fill_form", None, form)
    assert [one["id"] for one in filled.value] == [act.ids["text"], act.ids["box"]]
    assert await act.of("box", "it.checked")


async def test_every_action(browser: hybridsnap.Browser, browser_endpoint: str, tmp_path: Path) -> None:
    """In the page itself, and in a frame of another process."""
    (tmp_path / "note.txt").write_text("words")

    async def work(tab: Tab) -> None:
        rows = (await tab("snapshot")).rows
        act = Acts(tab, {row.name: row.id for row in rows if row.id is not None})
        await _point(act)
        await _fill(act, tmp_path / "note.txt")
        assert await act("text", "low") == "Low"
        assert (await act("attributes", "text"))["value"] == "old"
        assert (await act("outer_html", "low")).endswith("Low</button>")
        assert act.left == set()

    async def check(case: tuple[str, str]) -> None:
        driver, path = case
        url = address(driver, path)
        page = await new_window(browser, url)
        if path == "/framed":
            await page.wait_for(selector="iframe >> [aria-label=low]")
        await on_driver(driver, browser_endpoint, url, work)

    async with _serve() as address:
        await at_once(
            check, [("playwright", "/framed"), ("playwright sync", "/main"), ("selenium", "/framed")]
        )


@pytest.mark.alone
@pytest.mark.parametrize("driver", _DRIVERS)
async def test_evaluating(browser: hybridsnap.Browser, browser_endpoint: str, driver: str) -> None:
    """What hangs is ended in time, and the next action works."""

    async def work(tab: Tab) -> None:
        assert await tab("evaluate", "1 + 1") == 2
        assert await tab("evaluate", "(a, b) => [a, b, -0]", float("inf"), "x") == [float("inf"), "x", 0]
        assert await tab("evaluate", "typeof own", isolated_world=True) == "undefined"
        with pytest.raises(EvaluationFailed, match="oh"):
            await tab("evaluate", "() => { throw new Error('oh') }")
        (go,) = (await tab("snapshot")).find(role="button", name="go")
        for element, script in ((None, _FOREVER), (None, _NEVER), (go.id, f"() => {{ {_FOREVER} }}")):
            started = time.monotonic()
            with pytest.raises(EvaluationTimeout):
                await tab("evaluate", script, element=element, timeout=0.5)
            assert time.monotonic() - started < 2
        assert (await tab("act", "click", go.id)).element_id == go.id
        assert await tab("evaluate", "(it) => it.dataset.did", element=go.id) == "1"
        await tab("evaluate", "(it) => it.replaceWith(it.cloneNode(true))", element=go.id)
        with pytest.raises(StaleElement):
            await tab("evaluate", "(it) => it", element=go.id)
        (way,) = tab.tab.ways
        assert way == ("own session" if driver == "send alone" else "second session")

    async with serve_pages(_PAGES) as pages:
        page = await browser.new_page(pages.url("/main"))
        await page.evaluate("window.own = 1")
        await on_driver(driver, browser_endpoint, pages.url("/main"), work)


async def test_evaluating_in_a_frame_of_another_process(
    browser: hybridsnap.Browser, browser_endpoint: str
) -> None:
    async def work(tab: Tab) -> None:
        (go,) = (await tab("snapshot")).find(role="button", name="go")
        assert await tab("evaluate", "(it) => document.title", element=go.id) == "Part"
        with pytest.raises(EvaluationTimeout):
            await tab("evaluate", f"() => {{ {_FOREVER} }}", element=go.id, timeout=1)
        assert await tab("evaluate", "(it) => document.title", element=go.id) == "Part"
        assert await tab("evaluate", "document.title") == "Framed"

    async def check(driver: str) -> None:
        url = address(driver, "/framed")
        await new_window(browser, url)
        await on_driver(driver, browser_endpoint, url, work)

    async with _serve() as address:
        await at_once(check, ["playwright", "send", "selenium"])


async def test_an_element_for_a_script_on_a_busy_page(
    browser: hybridsnap.Browser, browser_endpoint: str
) -> None:
    async def work(tab: Tab) -> None:
        (go,) = (await tab("snapshot")).find(role="button", name="go")
        await tab("evaluate", f"setTimeout(() => {{ {busy_for(3000)} }})")
        with pytest.raises(
            EvaluationTimeout, match=r"had not begun after 0\.5 s: its element had not been found"
        ):
            await tab("evaluate", "(it) => { it.title = 'reached' }", element=go.id, timeout=0.5)
        assert await tab("evaluate", "(it) => it.title", element=go.id) == ""

    async def check(driver: str) -> None:
        url = address(driver, "/main")
        await new_window(browser, url)
        await on_driver(driver, browser_endpoint, url, work)

    async with _serve() as address:
        await at_once(check, ["playwright", "send"])


@pytest.mark.parametrize(
    "drivers",
    [
        ["playwright", "send alone", "selenium"],
        pytest.param(["playwright sync", "send"], marks=pytest.mark.soak),
    ],
    ids=["one of each kind", "the others"],
)
async def test_a_script_on_a_page_with_work_of_its_own(
    browser: hybridsnap.Browser, browser_endpoint: str, drivers: list[str]
) -> None:
    """What the page itself does is not ended at our deadline: not by a session beside the driver's, not by
    the driver's own, and not by a driver that blocks.
    """

    async def work(tab: Tab) -> None:
        await tab("evaluate", f"setTimeout(() => {{ {_OWN_WORK} }})")
        with pytest.raises(EvaluationTimeout, match=r"not begun after 0\.5 s: the page was busy"):
            await tab("evaluate", "window.ran = true", timeout=0.5)
        assert await tab("evaluate", "[document.title, window.ran]") == ["its own work is done", None]

    async def check(driver: str) -> None:
        url = address(driver, "/main")
        await new_window(browser, url)
        await on_driver(driver, browser_endpoint, url, work)

    async with _serve() as address:
        await at_once(check, drivers)


@not_in_headless_shell("dismisses a dialog when a client that has heard of it goes")
@pytest.mark.parametrize("driver", ["selenium"])
async def test_a_script_that_opens_a_dialog(
    browser: hybridsnap.Browser, browser_endpoint: str, driver: str
) -> None:
    """The script waits for its dialog; it is not said to have been ended."""

    async def work(tab: Tab) -> None:
        with pytest.raises(CommandUnanswered, match="the script goes on when it is answered") as caught:
            await tab("evaluate", "document.title = `was ${confirm('sure?')}`", timeout=2)
        assert caught.value.cause == "dialog"

    async with serve_pages(_PAGES) as pages:
        page = await browser.new_page(pages.url("/main"))
        await on_driver(driver, browser_endpoint, pages.url("/main"), work)
        await until(lambda: page.dialogs)  # this client hears of it by another connection
        await page.answer_dialog(accept=True)
        assert await page.evaluate("document.title") == "was true"


async def test_a_cancelled_evaluation_is_ended(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    async def work(tab: Tab) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await tab("evaluate", _FOREVER, timeout=30)
        assert await tab("evaluate", "1 + 1", timeout=5) == 2

    async with serve_pages(_PAGES) as pages:
        await browser.new_page(pages.url("/main"))
        await on_driver("playwright", browser_endpoint, pages.url("/main"), work)


@pytest.mark.parametrize(
    ("given", "options", "error", "words"),
    [
        (["clik", "0-1"], {}, ValueError, "did you mean click"),
        (["goto", None, "about:blank"], {}, TypeError, "attach"),
        (["evaluate", None, "1"], {}, TypeError, r"tab\.evaluate\("),
        (["click"], {}, TypeError, "needs an element"),
        (["move_to", "0-1", 1, 1], {}, TypeError, "takes no element"),
        (
            ["click", "0-1"],
            {"speed": 3},
            TypeError,
            r"click\(\) has no keyword .speed.; it takes element, button",
        ),
        (["type", "0-1"], {}, TypeError, "type: .*text"),
        (["scroll"], {"nth": 1}, TypeError, "nth"),
    ],
)
async def test_what_is_no_action(
    given: Sequence[Any], options: dict[str, Any], error: type[Exception], words: str
) -> None:
    def send(method: str, params: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError(f"nothing is sent, and {method} was: {params}")

    tab = SyncSentTab(send, None, name="send")
    with pytest.raises(error, match=words):
        tab.act(*given, **options)
