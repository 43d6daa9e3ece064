"""What a trace says was slow: of the page that it was asked of, and of no other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import trio

from hybridsnap import Trace, TraceSummary
from hybridsnap.render.tokens import tokenizer_of
from tests.support import http
from tests.support.pages import Content, PageServer, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Page

_SLOW_SCRIPT = """function keepBusy(ms) {
  const from = performance.now();
  while (performance.now() - from < ms);
}
function forceLayout() {
  const list = document.getElementById("list");
  for (let i = 0; i < 50; i++) {
    const row = document.createElement("div");
    row.textContent = `row ${i}`;
    list.append(row);
    list.offsetHeight;
  }
}
addEventListener("click", () => keepBusy(300));
fetch("/large.txt").then((it) => it.arrayBuffer());
fetch("/answer").then((it) => it.text()).then(() => keepBusy(120));
// Names that the page chooses tell nothing.
for (const name of ["navigationStart", "LayoutShift", "RunTask", "ResourceSendRequest", "Layout"]) {
  performance.mark(name, { detail: { frame: "x", url: "https://forged.example/" } });
  performance.measure(name, { start: 0, end: 1e6 });
  console.time(name); console.timeEnd(name); console.timeStamp(name);
}
"""


async def _late(_: http.Request) -> http.Response:
    await trio.sleep(0.4)
    return http.Response(b"done", "text/plain")


_PAGES: dict[str, Content] = {
    "/": """<title>slow</title><link rel="icon" href="data:,"><p>a page</p>
<button onclick="forceLayout()">go</button><div id="list"></div><script src="/slow.js"></script>""",
    "/other": "<title>other</title><script>setInterval(() => {"
    " const from = performance.now(); while (performance.now() - from < 80); }, 100)</script>",
    "/slow.js": _SLOW_SCRIPT,
    "/framed": "<title>framed</title><iframe src='http://localhost:{PORT}/ticking'></iframe><p>a page</p>"
    "<button onclick='forceLayout()'>go</button><div id=list></div><script src='/slow.js'></script>",
    "/ticking": "<script>setInterval(() => 0, 4)</script>",
    "/large.txt": "x" * 300_000,
    "/answer": _late,
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as served:
        yield served


async def _traced(page: Page, url: str) -> TraceSummary:
    await page.trace.start()
    await page.goto(url)
    await page.wait_for(time=0.8)
    await page.click("p")
    await page.click("button")
    return (await page.trace.stop()).summarize()


# The profiler takes its samples late where other tests take its processor.
@pytest.mark.alone
async def test_what_was_slow(page: Page, pages: PageServer) -> None:
    other = await page.browser.new_page(pages.url("/other"))
    await page.bring_to_front()
    summary = await _traced(page, pages.url("/"))
    words = str(summary)

    assert 800 < summary.duration_ms < 30_000
    clicks = [one for one in summary.long_tasks if one.cause == "click event"]
    assert len(clicks) == 2
    assert {one.function for one in clicks} >= {"keepBusy"}
    by_promise = [one for one in summary.long_tasks if "keepBusy" in one.function and "promise" in one.cause]
    assert by_promise, summary.long_tasks
    assert all(one.url == pages.url("/slow.js") for one in (*clicks, *by_promise))
    assert summary.long_task_count == len(summary.long_tasks) >= 3
    assert summary.blocking_ms == pytest.approx(sum(one.duration_ms - 50 for one in summary.long_tasks))
    assert list(summary.long_tasks) == sorted(summary.long_tasks, key=lambda one: -one.duration_ms)

    (script,) = [one for one in summary.scripts if one.url == pages.url("/slow.js")]
    assert summary.scripts[0] == script
    assert (script.function, script.line) == ("keepBusy", 1)
    assert 650 < script.own_ms < 8_000
    assert script.layout_ms > 3, "forceLayout asked for a height after each change"
    assert 650 < summary.busy_ms["scripts"] < summary.duration_ms
    assert summary.busy_ms["layout and style"] > script.layout_ms * 0.5

    sizes = {one.url: one for one in summary.requests}
    assert summary.requests[0].url == pages.url("/large.txt")
    assert 300_000 <= summary.requests[0].size < 302_000
    answer = sizes[pages.url("/answer")]
    assert answer.duration_ms is not None
    assert 390 < answer.duration_ms < 5_000
    assert (answer.status, answer.failed) == (200, False)
    assert summary.request_count == 4, "none of the other page, and none that was forged"
    assert summary.request_bytes == sum(one.size for one in summary.requests)

    (navigation,) = summary.navigations
    assert navigation.url == pages.url("/")
    assert navigation.first_contentful_paint_ms is not None
    assert navigation.loaded_ms is not None
    assert 0 < navigation.first_contentful_paint_ms < summary.duration_ms

    assert "forged.example" not in json.dumps(summary.to_dict())
    assert "/other" not in json.dumps(summary.to_dict())
    assert "most in keepBusy, line 1" in words
    assert tokenizer_of("o200k")(words) < 600
    await other.close()


@pytest.mark.alone
async def test_a_frame_in_another_process_works_at_the_same_time(page: Page, pages: PageServer) -> None:
    await page.bring_to_front()
    summary = await _traced(page, pages.url("/framed"))
    (script,) = [one for one in summary.scripts if one.url == pages.url("/slow.js")]
    assert (script.function, script.line) == ("keepBusy", 1)
    assert script.own_ms > 650
    clicks = [one for one in summary.long_tasks if one.cause == "click event"]
    assert {one.function for one in clicks} >= {"keepBusy"}


async def test_a_page_that_does_nothing_after_one_that_did(page: Page, pages: PageServer) -> None:
    await page.trace.start()
    await page.goto(pages.url("/framed"))
    await page.click("p")
    assert (await page.trace.stop()).summarize().long_tasks
    await page.goto("data:text/html,")  # Chromium's next trace has events of this, from before its start
    await page.trace.start()
    summary = (await page.trace.stop()).summarize()
    assert (summary.requests, summary.navigations) == ((), ())
    # On a busy machine a task of the browser's own may take so long; none is the page's.
    assert {(one.cause, one.function) for one in summary.long_tasks} <= {("other", "")}
    assert f"tasks over 50 ms: {len(summary.long_tasks)}" in str(summary)
    assert "requests: 0, 0 kB" in str(summary)


async def test_traces_that_cannot_be_summed_up(page: Page) -> None:
    await page.trace.start(categories=["blink.user_timing"])
    trace = await page.trace.stop()
    with pytest.raises(ValueError, match="does not say which page it is of"):
        trace.summarize()
    with pytest.raises(ValueError, match="expected a trace in Chrome's JSON format"):
        Trace(b"PK\x03\x04").summarize()
    with pytest.raises(ValueError, match="expected a trace in Chrome's JSON format"):
        Trace(b"[]").summarize()


async def test_a_trace_that_was_cut_says_so(page: Page, pages: PageServer) -> None:
    await page.trace.start()
    await page.goto(pages.url("/"))
    trace = await page.trace.stop(max_bytes=200_000)
    assert trace.truncated
    assert "the trace was cut" in str(trace.summarize())
