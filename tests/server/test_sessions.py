"""Sessions of clients: what is told to them, and what ends with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from tests.support.pages import ENDLESS, serve_pages
from tests.support.server_stage import eventually, serving

if TYPE_CHECKING:
    from collections.abc import Sequence

    import hybridsnap
    from tests.support.server_stage import Served

_PAGE = """<title>one</title>
<button id=open onclick="window.open('/two')">open</button>
<button id=ask onclick="setTimeout(() => alert('hello'))">ask</button>
<button id=fail onclick="console.error('went wrong', 42)">fail</button>
<button id=push onclick="history.pushState(0, '', '#there')">push</button>
<a download=got.txt href="data:,x">get</a>
<script>console.error('an old one')</script>"""
_FRAME = "<p>in<script>setTimeout(() => { throw new Error('from the frame'); }, 200)</script>"


async def _gone(browser: hybridsnap.Browser, target_id: str) -> bool:
    """Whether a tab has been closed, after some time at most."""
    with trio.move_on_after(20):
        while target_id in await browser.page_ids():  # noqa: ASYNC110 - the browser's own state
            await trio.sleep(0.02)
        return True
    return False


async def test_a_session_hears_of_all_that_its_tabs_do() -> None:
    frame = '<iframe src="http://localhost:{PORT}/frame"></iframe>'
    pages_ = {"/": _PAGE, "/two": "<title>two</title>", "/frame": _FRAME, "/framed": frame}
    # In a browser of its own downloads are refused, and not saved somewhere.
    async with serve_pages(pages_) as pages, serving(None) as served, served.reader() as events:
        session = (await events.until("session"))["sessionId"]
        mine = {"Hybridsnap-Session": session}
        target = await served.open(pages.url("/"), **mine)
        opened = await events.until("target", state="opened", targetId=target)
        assert opened["browserId"] == "default"
        assert (await events.until("navigation", targetId=target))["url"] == pages.url("/")

        async def click(element: str) -> None:
            await served.done("/control/act", mine, targetId=target, action="click", element=element)

        await click("#fail")
        await events.until("consoleError", text="went wrong 42")
        await click("#push")
        moved = await events.until("navigation", sameDocument=True)
        assert moved["url"] == pages.url("/#there")
        await click("#open")
        popup = await events.until("target", state="opened", openerId=target)
        assert popup["targetId"] != target
        await click("a")
        assert (await events.until("download", state="began"))["fileName"] == "got.txt"
        assert (await events.until("download", state="canceled"))["fileName"] == "got.txt"
        await click("#ask")
        asked = await events.until("dialog", state="opened")
        assert (asked["type"], asked["message"], asked["targetId"]) == ("alert", "hello", target)
        await served.done("/control/act", mine, targetId=target, action="answer_dialog")
        assert (await events.until("dialog", state="closed"))["accepted"] is True
        await served.done("/control/act", mine, targetId=target, action="goto", url=pages.url("/framed"))
        assert "from the frame" in (await events.until("consoleError"))["text"]
        assert (await served.client.delete(f"/tabs/{target}", headers=mine)).status_code == 204
        await events.until("target", state="closed", targetId=target)


async def test_tabs_end_with_the_session(browser_endpoint: str, browser: hybridsnap.Browser) -> None:
    pages_ = {"/": _PAGE, "/two": "<title>two</title>", "/endless.html": f"<script>{ENDLESS}</script>"}
    async with serve_pages(pages_) as pages, serving(browser_endpoint) as served:
        mine = {"Hybridsnap-Session": (await served.done("/sessions"))["sessionId"]}
        other = await served.open(pages.url("/"))
        target = await served.open(pages.url("/"), **mine)
        done = await served.done("/control/act", mine, action="click", element="#open")
        (popup,) = done["receipt"]["newTargets"]
        tabs = (await served.client.get("/tabs", headers=mine)).json()["tabs"]
        assert [tab["openerId"] for tab in tabs if tab["targetId"] == popup] == [target]
        assert popup not in [tab["targetId"] for tab in (await served.client.get("/tabs")).json()["tabs"]]
        hung = await served.done("/tabs", mine, url=pages.url("/endless.html"), wait="none")
        ended = await served.client.delete(f"/sessions/{mine['Hybridsnap-Session']}")
        assert ended.status_code == 204
        for name, gone in {"own": target, "popup": popup, "hung": hung["targetId"]}.items():
            assert await _gone(browser, gone), name
        assert other in await browser.page_ids()
        late = await served.post("/control/snapshot", mine)
        assert (late.status_code, late.json()["error"]) == (404, "SessionUnknown")
    assert await _gone(browser, other)


async def test_a_session_ends_with_the_stream_it_began_with(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    async with serving(browser_endpoint) as served:
        async with served.reader() as events:
            mine = {"Hybridsnap-Session": (await events.until("session"))["sessionId"]}
            target = await served.open("about:blank", **mine)
        assert await _gone(browser, target)
        assert (await served.post("/control/snapshot", mine)).status_code == 404


async def test_a_session_that_is_not_used_ends(browser_endpoint: str, browser: hybridsnap.Browser) -> None:
    async with serving(browser_endpoint) as served:
        made = await served.done("/sessions", idleSeconds=0.5)
        mine = {"Hybridsnap-Session": made["sessionId"]}
        target = await served.open("about:blank", **mine)
        # While it is in use it does not end.
        wait = await served.post("/control/act", mine, action="wait_for", text="x", timeoutMs=1200)
        assert wait.status_code == 504
        assert target in await browser.page_ids()
        assert await _gone(browser, target)
        assert (await served.post("/control/snapshot", mine)).status_code == 404


async def test_a_session_that_was_ended_leaves_no_task(browser_endpoint: str) -> None:
    """Nothing waits until it would have been idle for too long."""

    async def make_and_end() -> None:
        made = await served.done("/sessions")
        assert (await served.client.delete(f"/sessions/{made['sessionId']}")).is_success

    async with serving(browser_endpoint) as served:
        await make_and_end()
        before = trio.lowlevel.current_statistics().tasks_living
        for _ in range(5):
            await make_and_end()
        await eventually(lambda: trio.lowlevel.current_statistics().tasks_living <= before)


async def test_what_was_written_before_somebody_listened_is_no_news(browser_endpoint: str) -> None:
    async with serve_pages({"/": _PAGE}) as pages, serving(browser_endpoint) as served:
        await served.open(pages.url("/"))
        async with served.reader({"Hybridsnap-Session": "default"}) as events:
            await events.until("target", state="opened")
            await served.done("/control/act", action="click", element="#fail")
            assert (await events.until("consoleError"))["text"] == "went wrong 42"


async def test_who_was_cut_off_goes_on_where_it_stopped(browser_endpoint: str) -> None:
    async with serve_pages({"/": _PAGE}) as pages, serving(browser_endpoint) as served:
        mine = {"Hybridsnap-Session": (await served.done("/sessions"))["sessionId"]}
        async with served.reader(mine) as events:
            await events.until("session")
            target = await served.open(pages.url("/"), **mine)
            await events.until("navigation", targetId=target, url=pages.url("/"))
            last = events.last_id
        await served.done("/control/act", mine, action="click", element="#fail")
        async with served.reader({**mine, "Last-Event-ID": last}) as events:
            await events.until("consoleError", text="went wrong 42")
        async with served.reader({**mine, "Last-Event-ID": "0"}) as events:
            assert (await events.next())[0] == "session"


async def test_a_number_of_a_log_before_this_one_holds_nothing_back(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        mine = {"Hybridsnap-Session": (await served.done("/sessions"))["sessionId"]}
        async with served.reader({**mine, "Last-Event-ID": "500"}) as events:
            with trio.fail_after(10):
                assert await events.next() == ("session", {"sessionId": mine["Hybridsnap-Session"]})
            target = await served.open("about:blank", **mine)
            await events.until("target", state="opened", targetId=target)
        # One who comes back from there hears all that is known, and a session of its own has no past.
        async with served.reader({**mine, "Last-Event-ID": "500"}) as events:
            assert (await events.next())[0] == "session"
            assert (await events.next())[1]["targetId"] == target
        async with served.reader({"Last-Event-ID": "1"}) as events:
            with trio.fail_after(10):
                assert (await events.next())[0] == "session"


async def test_a_popup_that_is_used_before_it_is_taken_ends_with_its_session(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    async with (
        serve_pages({"/": "<a href='/' target=_blank>again</a>"}) as pages,
        serving(browser_endpoint, shared_profile=True) as served,
    ):
        mine = {"Hybridsnap-Session": (await served.done("/sessions"))["sessionId"]}
        tab = await served.open(pages.url("/"), **mine)
        done = await served.done("/control/act", mine, action="click", element="a", targetId=tab)
        (popup,) = done["receipt"]["newTargets"]
        session = served.server.control.sessions.get(mine["Hybridsnap-Session"])
        key = next(key for key in session.tabs if key[1] == tab)[0], popup
        await eventually(lambda: key in session.tabs)
        del session.tabs[key]  # as it is before
        await served.done("/control/snapshot", mine, targetId=popup)
        await served.client.delete(f"/sessions/{mine['Hybridsnap-Session']}")
        assert await _gone(browser, popup)


async def test_what_was_meant_for_the_only_tab_that_has_closed_reaches_no_other(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    async with (
        serve_pages({"/": "<a href='/' target=_blank>again</a>"}) as pages,
        serving(browser_endpoint) as served,
    ):
        mine = {"Hybridsnap-Session": (await served.done("/sessions"))["sessionId"]}
        tab = await served.open(pages.url("/"), **mine)
        done = await served.done("/control/act", mine, action="click", element="a")
        (popup,) = done["receipt"]["newTargets"]
        session = served.server.control.sessions.get(mine["Hybridsnap-Session"])
        await eventually(lambda: any(key[1] == popup for key in session.tabs))
        await (await browser.page(tab)).close()
        assert await _gone(browser, tab)
        await eventually(lambda: [one.page.target_id for one in session.own()] == [popup])
        refused = await served.post("/control/act", mine, action="click", element="a")
        assert refused.status_code == 404
        assert f"tab {tab} has closed; the only one that is open now is {popup}" in refused.text
        await served.done("/control/act", mine, action="click", element="a")


async def _contexts(browser: hybridsnap.Browser) -> set[str]:
    return set((await browser.session.send("Target.getBrowserContexts"))["browserContextIds"])


async def recalled(
    served: Served, session: dict[str, str], expected: Sequence[str | None], target_id: str | None = None
) -> None:
    """A tab of the session has this cookie and this in its storage, or comes to have them."""
    named = {} if target_id is None else {"targetId": target_id}
    recall = "[document.cookie.match(/who=\\w+/)?.[0] ?? '', localStorage.who ?? null]"
    with trio.move_on_after(20):
        while True:
            seen = await served.done("/control/evaluate", session, expression=recall, **named)
            if seen["value"] == expected:
                return
            await trio.sleep(0.05)
    assert seen["value"] == expected


async def test_sessions_share_no_cookies_unless_the_operator_says_so(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    remember = "document.cookie = 'who=first'; localStorage.who = 'first'"
    before = await _contexts(browser)
    async with serve_pages({"/": "<a href='/' target=_blank>again</a>"}) as pages:
        for shared, remembered in ((False, ["", None]), (True, ["who=first", "first"])):
            async with serving(browser_endpoint, allow_evaluate=True, shared_profile=shared) as served:
                first, second = [
                    {"Hybridsnap-Session": (await served.done("/sessions"))["sessionId"]} for _ in range(2)
                ]
                for session in (first, second, {}):
                    await served.open(pages.url("/"), **session)
                await served.done("/control/evaluate", first, expression=remember)
                # Another tab of the same session remembers, also one that the page opens. Between processes
                # the browser hands storage on later.
                tab = await served.open(pages.url("/"), **first)
                await recalled(served, first, ["who=first", "first"], tab)
                for session in (second, {}):
                    await recalled(served, session, remembered)
                done = await served.done("/control/act", first, action="click", element="a", targetId=tab)
                (popup,) = done["receipt"]["newTargets"]
                await recalled(served, first, ["who=first", "first"], popup)
                for session in (second, {}):
                    tabs = (await served.client.get("/tabs", headers=session)).json()["tabs"]
                    assert popup not in [one["targetId"] for one in tabs if one["own"]]
                    assert (
                        await served.post("/control/snapshot", session, targetId=popup)
                    ).status_code == 404
                await served.client.delete(f"/sessions/{first['Hybridsnap-Session']}")
                assert await _gone(browser, popup)
    # Those of earlier tests may go meanwhile.
    assert await _contexts(browser) <= before
