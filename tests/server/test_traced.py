"""``/control/trace``: what was slow on a tab, and the trace of that tab alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from schemathesis import openapi

import hybridsnap
from hybridsnap.service.tracing import only_of_tab
from tests.support.pages import Content, serve_pages
from tests.support.server_stage import serving
from tests.support.trace import check_trace

if TYPE_CHECKING:
    from tests.support.server_stage import Served

_PAGES: dict[str, Content] = {
    "/": """<title>slow page</title><button onclick="keepBusy()">Work</button><script>
function keepBusy() { const from = performance.now(); while (performance.now() - from < 200); }</script>""",
    "/of-another": """<title>another's title</title><script>
setInterval(function ofAnother() { for (let i = 0; i < 1e6; i++); fetch('/asked-by-another'); }, 50)
</script>""",
    "/frames": "<title>framing</title><iframe src='http://localhost:{PORT}/framed'></iframe>",
    "/framed": "<script>for (let i = 0; i < 1e7; i++);</script>",
    "/asks": "<script>fetch('http://localhost:{PORT}/refused').catch(() => 0)</script>",
    "/refused": "",
}


async def _traced(served: Served, tab: dict[str, str], url: str, **stop: Any) -> Any:
    """What is answered at the end of a trace, while a page was loaded."""
    assert (await served.done("/control/trace", **tab, action="start"))["recording"]
    await served.done("/control/snapshot", **tab, url=url)
    return await served.done("/control/trace", **tab, action="stop", **stop)


async def test_what_was_slow_and_the_trace_of_one_tab(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        schema = openapi.from_dict((await served.client.get("/openapi.json")).json())

        async def ask(**body: Any) -> Any:
            answer = await served.post("/control/trace", **body)
            assert answer.is_success, answer.text
            schema["/control/trace"]["POST"].validate_response(answer)
            return answer.json()

        session = (await served.client.post("/sessions", json={})).json()["sessionId"]
        other = {"Hybridsnap-Session": session}
        others_tab = await served.open(pages.url("/of-another"), **other)
        tab = {"targetId": await served.open("about:blank")}
        assert "summary" not in await ask(**tab, action="start", screenshots=True)
        # Both tabs load documents of one site while the trace is recorded.
        url = pages.url("/of-another")
        await served.done("/control/snapshot", other, targetId=others_tab, url=url)
        await served.done("/control/snapshot", **tab, url=pages.url("/"))
        await served.done("/control/act", **tab, elementId="button", action="click")
        answer = await ask(**tab, action="stop", maxBytes=50_000_000)
        assert (answer["recording"], answer["lost"], answer["truncated"]) == (False, False, False)
        (busy,) = (one for one in answer["summary"]["longTasks"] if one["function"] == "keepBusy")
        assert (busy["cause"], busy["url"]) == ("click event", pages.url("/"))
        assert busy["durationMs"] >= 200
        assert [one["url"] for one in answer["summary"]["navigations"]] == [pages.url("/")]
        assert any("click event: keepBusy" in line for line in answer["lines"])
        data = json.dumps(answer["trace"]).encode()
        assert any(one["name"] == "Screenshot" for one in check_trace(data))
        assert "another" not in json.dumps(answer)
        own = hybridsnap.Trace(data).summarize()
        assert [one.function for one in own.long_tasks].count("keepBusy") == 1

        cut = await _traced(served, tab, pages.url("/"), maxBytes=100_000)
        assert cut["truncated"]
        shorter = json.dumps(cut["trace"], separators=(",", ":")).encode()
        assert 50_000 < len(shorter) <= 100_000
        assert hybridsnap.Trace(shorter).summarize().navigations[0].url == pages.url("/")
        assert "trace" not in await _traced(served, tab, pages.url("/"))


def _us(ms: float) -> int:
    """Whole microseconds, as Chromium counts: floats differ in their last digits."""
    return round(ms * 1000)


async def test_what_is_left_out_of_the_trace_of_a_tab(browser: hybridsnap.Browser) -> None:
    async with serve_pages(_PAGES) as pages:
        async with await browser.new_context() as theirs, await browser.new_context() as ours:
            another = await theirs.new_page()
            page = await ours.new_page()
            await page.trace.start()
            await another.goto(pages.url("/of-another"))
            await page.goto(pages.url("/frames"))
            trace = await page.trace.stop()
        assert b"asked-by-another" in trace.data
        assert b"ofAnother" in trace.data
        own = only_of_tab(trace.data)
        assert b"another" not in own.lower()
        assert pages.url("/framed", "localhost").encode() in own, "of a frame in a process of its own"
        assert check_trace(own)
        told, whole = hybridsnap.Trace(own).summarize(), trace.summarize()
        assert [one.url for one in told.requests] == [one.url for one in whole.requests]
        assert told.scripts == whole.scripts
        # A task that was under way counts up to the trace's end; the last event was the browser's own. Each
        # of the page's processes may have been in one.
        processes = len({one["pid"] for one in json.loads(own)["traceEvents"]})
        later = processes * (_us(whole.duration_ms) - _us(told.duration_ms))
        assert told.busy_ms.keys() == whole.busy_ms.keys()
        for kind, ms in whole.busy_ms.items():
            assert abs(_us(told.busy_ms[kind]) - _us(ms)) <= later, kind


async def test_refusals(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        tab = {"targetId": await served.open("about:blank")}
        session = (await served.client.post("/sessions", json={})).json()["sessionId"]
        other = {"Hybridsnap-Session": session}
        others = {"targetId": await served.open("about:blank", **other)}

        async def refused(headers: dict[str, str], **body: Any) -> tuple[int, str, str]:
            answer = await served.post("/control/trace", headers, **body)
            return answer.status_code, answer.json()["error"], answer.json()["detail"]

        assert (await refused({}, **tab, action="stop"))[:2] == (409, "NoTrace")
        assert (await refused({}, **tab, action="start", maxBytes=9))[0] == 400
        await served.done("/control/trace", **tab, action="start")
        assert (await refused({}, **tab, action="start"))[:2] == (409, "TraceRecording")
        status, name, words = await refused(other, **others, action="start")
        assert (status, name) == (409, "TraceRecording")
        assert tab["targetId"] not in words, "it is of another session"
        assert (await refused({}, **tab, action="stop", screenshots=True))[0] == 400
        await served.client.delete(f"/tabs/{tab['targetId']}")
        await served.done("/control/trace", other, **others, action="start")
        await served.done("/control/trace", other, **others, action="stop")


async def test_a_trace_with_tabs_of_others_is_only_summed_up(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, shared_profile=True) as served:
        tab = {"targetId": await served.open("about:blank")}
        await served.done("/control/trace", **tab, action="start")
        asked = await served.post("/control/trace", **tab, action="stop", maxBytes=1_000_000)
        assert (asked.status_code, asked.json()["error"]) == (403, "TraceNotShown")
        await served.done("/control/snapshot", **tab, url=pages.url("/"))
        answer = await served.done("/control/trace", **tab, action="stop")
        assert answer["summary"]["navigations"][0]["url"] == pages.url("/"), "it went on"
        assert "trace" not in answer


async def test_a_trace_with_refused_addresses_is_left_out(browser_endpoint: str) -> None:
    async with (
        serve_pages(_PAGES) as pages,
        serving(browser_endpoint, deny_hosts=("localhost",)) as served,
    ):
        tab = {"targetId": await served.open("about:blank")}
        answer = await _traced(served, tab, pages.url("/"), maxBytes=50_000_000)
        assert answer["trace"]["traceEvents"]
        assert not any("not shown" in one for one in answer["summary"]["notes"])
        answer = await _traced(served, tab, pages.url("/asks"), maxBytes=50_000_000)
        assert "refused" not in json.dumps(answer)
        *_, hidden, left_out = answer["summary"]["notes"]
        assert hidden.endswith("requests of addresses that are not shown here")
        assert left_out == "the trace itself is left out: it has addresses that are not shown here"
        await served.done("/control/snapshot", **tab, url="about:blank")
        # What the tab shows in the end decides, too.
        await served.done("/control/trace", **tab, action="start")
        page = await _page(browser_endpoint, tab["targetId"], pages.url("/", "localhost"))
        answer = await served.post("/control/trace", **tab, action="stop")
        assert (answer.status_code, answer.json()["error"]) == (403, "AddressRefused"), page


async def _page(endpoint: str, target_id: str, url: str) -> str:
    """Another client leads a tab elsewhere."""
    async with hybridsnap.connect(endpoint) as browser:
        page = await browser.page(target_id)
        await page.goto(url)
        return page.url
