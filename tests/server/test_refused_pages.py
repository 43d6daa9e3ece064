"""A browser that is not ours shows what the rules refuse: none of it comes out, whichever way is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio

import hybridsnap
from hybridsnap.deadline import Deadline
from hybridsnap.errors import NavigationFailed
from hybridsnap.server.settings import Settings
from hybridsnap.service.addresses import AddressPolicy
from hybridsnap.service.errors import ApiError
from tests.support import http
from tests.support.pages import serve_pages
from tests.support.server_stage import TOKEN, eventually, serving

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import httpx

    from hybridsnap.service.addresses import Address

_SECRET = "<title>secret</title><h1>secret</h1>"
_FILE = http.Response(
    b"secret", "application/octet-stream", headers={"Content-Disposition": "attachment; filename=secret.bin"}
)
#: At 127.0.0.1 they may be shown, at localhost not.
_PAGES: dict[str, Any] = {
    "/": "<a id=in href='http://localhost:{PORT}/in'>in</a><a id=asks href='http://localhost:{PORT}/asks'>ask</a>"
    "<a id=get href='http://localhost:{PORT}/get'>get</a>"
    "<a id=later href='#' onclick=\"setTimeout(() => location = 'http://localhost:{PORT}/get', 700)\">get</a>"
    "<a id=good href='/get'>get</a>",
    "/in": _SECRET + "<script>console.error('secret'); throw new Error('secret')</script>",
    "/asks": "<script>prompt('secret', 'secret')</script>",
    "/get": _FILE,
    "/framed": "<p>out</p><iframe src='http://localhost:{PORT}/in'></iframe>",
    "/lost": "<p>out</p><iframe src='http://nowhere.test/'></iframe>",
    "/fails": "<button onclick=\"console.error('mine')\">fail</button>"
    "<button id=ask onclick=\"setTimeout(() => alert('mine'))\">ask</button>",
}


def _is_refused(answer: httpx.Response, *, done: bool | None = None) -> None:
    assert (answer.status_code, answer.json()["error"]) == (403, "AddressRefused"), answer.text
    assert "secret" not in answer.text
    if done is not None:
        assert answer.json()["fields"].get("done", False) is done


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def _nowhere(_: str) -> Sequence[Address]:
    raise OSError("no such host")


async def test_a_name_is_judged_before_it_is_looked_up() -> None:
    asked: list[str] = []

    async def resolve(host: str) -> Sequence[Address]:
        asked.append(host)
        raise OSError("no such host")

    lists: dict[str, Any] = {"allow_hosts": ("*.test", "10.0.0.0/8"), "deny_hosts": ("*.bad.test",)}
    rules = AddressPolicy(Settings(token=TOKEN, **lists), resolve=resolve)
    with pytest.raises(ApiError, match="to be refused"):
        await rules.check_url("http://a.bad.test/", Deadline.after(5))
    assert asked == []
    with pytest.raises(ApiError, match="allowed hosts"):  # it could have been of 10.0.0.0/8
        await rules.check_url("http://example.com/", Deadline.after(5))
    with pytest.raises(NavigationFailed, match="no such host"):
        await rules.check_url("http://good.test/", Deadline.after(5))
    assert asked == ["example.com", "good.test"]
    named = AddressPolicy(Settings(token=TOKEN, allow_hosts=("*.test",)), resolve=resolve)
    with pytest.raises(ApiError, match="allowed hosts"):
        await named.check_url("http://example.com/", Deadline.after(5))
    assert asked == ["example.com", "good.test"]


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"allow_private": True}, None),
        ({}, "may be a private address"),
        ({"allow_private": True, "deny_hosts": ("*.test",)}, "to be refused"),
        ({"allow_private": True, "allow_hosts": ("127.0.0.1",)}, "allowed hosts"),
        ({"allow_private": True, "allow_hosts": ("*.test",)}, None),
    ],
)
async def test_what_is_shown_and_not_found_from_here_is_held_to_the_rules(
    settings: dict[str, Any], why: str | None
) -> None:
    rules = AddressPolicy(Settings(token=TOKEN, **settings), resolve=_nowhere)
    for urls in (["http://intern.test/"], ["about:blank", "https://intern.test:8443/x"]):
        if why is None:
            await rules.check_shown(urls, Deadline.after(5))
        else:
            with pytest.raises(ApiError, match=why):
                await rules.check_shown(urls, Deadline.after(5))


async def test_a_name_that_only_the_browser_finds_is_refused() -> None:
    pages_ = {"/": "<a href='http://intern.test:{PORT}/in'>in</a>", "/in": _SECRET}
    args = ["--host-resolver-rules=MAP intern.test 127.0.0.1"]
    async with serve_pages(pages_) as pages, hybridsnap.launch(transport="websocket", args=args) as browser:
        assert browser.process is not None
        rules: dict[str, Any] = {"allow_hosts": ("127.0.0.1",), "resolve": _nowhere}
        async with serving(browser.process.endpoint, **rules) as served:
            await served.open(pages.url("/"))
            _is_refused(await served.post("/control/act", action="click", element="a"), done=True)
            _is_refused(await served.post("/control/snapshot"))


async def test_a_frame_that_nobody_finds_is_no_refused_one(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages:
        exempt = frozenset({("127.0.0.1", pages.port)})
        rules: dict[str, Any] = {"allow_private": False, "exempt": exempt, "resolve": _nowhere}
        async with serving(browser_endpoint, **rules) as served:
            for more in ({}, {"screenshot": True}):
                seen = await served.done("/control/snapshot", url=pages.url("/lost"), **more)
                assert "out" in seen["combinedTree"]
            tab = seen["targetId"]
            read = await served.done("/control/act", targetId=tab, action="text", element="p")
            assert read["value"] == "out"


_SPELLINGS = ("127.1", "2130706433", "0x7f.0.0.1", "127.000.000.001", "::ffff:127.0.0.1", "[::ffff:7f00:1]")


@pytest.mark.parametrize("spelling", _SPELLINGS)
async def test_an_address_is_the_same_however_a_rule_spells_it(spelling: str) -> None:
    private: dict[str, Any] = {"token": TOKEN, "allow_private": True}
    denied = AddressPolicy(Settings(**private, deny_hosts=(spelling,)), resolve=_nowhere)
    allowed = AddressPolicy(Settings(**private, allow_hosts=(spelling,)), resolve=_nowhere)
    for host in ("127.0.0.1", "127.1", "0177.1", "[::ffff:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]"):
        await allowed.check_url(f"http://{host}/", Deadline.after(5))
        with pytest.raises(ApiError, match="to be refused"):
            await denied.check_url(f"http://{host}/", Deadline.after(5))
    await denied.check_url("http://127.0.0.2/", Deadline.after(5))


async def test_networks_and_addresses_of_ipv6_are_the_same_however_they_are_spelt() -> None:
    rules = ("0:0:0:0:0:0:0:1", "::ffff:10.0.0.0/104", "64:ff9b::/96", "FD00:0::/8")
    denied = AddressPolicy(Settings(token=TOKEN, allow_private=True, deny_hosts=rules), resolve=_nowhere)
    for host in ("[::1]", "10.1.2.3", "[64:ff9b::808:808]", "[fd00::1]"):
        with pytest.raises(ApiError, match="to be refused"):
            await denied.check_url(f"http://{host}/", Deadline.after(5))
    await denied.check_url("http://8.8.8.8/", Deadline.after(5))


async def test_a_picture_shows_no_frame_that_is_refused(browser_endpoint: str) -> None:
    ways: list[dict[str, Any]] = [{"includeIframes": False}, {"ignore": "iframe"}, {"focus": "p"}]
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, deny_hosts=("localhost",)) as served:
        await served.open(pages.url("/framed"))
        for left_out in ways:
            assert "out" in (await served.done("/control/snapshot", **left_out))["combinedTree"], left_out
            _is_refused(await served.post("/control/snapshot", **left_out, screenshot=True))


async def test_what_fails_on_a_refused_page_does_not_tell_of_it(browser_endpoint: str) -> None:
    leak = "if (location.hostname === 'localhost') throw new Error(document.body.innerText)"
    leads = "location = `http://localhost:${location.port}/in`"
    rules: dict[str, Any] = {"deny_hosts": ("localhost",), "allow_evaluate": True}
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, **rules) as served:
        waiting: list[dict[str, Any]] = [
            {"function": f"() => {{ {leak}; return false }}"},
            {"text": "secret"},
            {"text": "what is not there"},
            {"selector": "#nothing"},
        ]

        async def led_away(wait: dict[str, Any]) -> None:
            tab = await served.open(pages.url("/"))
            late = f"void setTimeout(() => {leads}, 1500)"  # the wait has begun by then
            await served.done("/control/evaluate", targetId=tab, expression=late)
            waited = {"action": "wait_for", **wait, "timeoutMs": 5000}
            _is_refused(await served.post("/control/act", targetId=tab, **waited), done=True)

        async with trio.open_nursery() as nursery:
            for wait in waiting:
                nursery.start_soon(led_away, wait)
        tab = await served.open(pages.url("/"))
        script = f"{leads}; new Promise((_, fail) => setTimeout(() => fail('late'), 3000))"
        _is_refused(await served.post("/control/evaluate", targetId=tab, expression=script), done=True)
        # Of a page that may be shown it is told why something failed.
        tab = await served.open(pages.url("/"))
        failed = await served.post("/control/evaluate", targetId=tab, expression="throw new Error('mine')")
        assert (failed.status_code, failed.json()["fields"]["jsMessage"]) == (422, "mine")


async def test_events_of_a_refused_page_are_told_without_its_words(browser_endpoint: str) -> None:
    mine = {"Hybridsnap-Session": "default"}
    rules: dict[str, Any] = {"deny_hosts": ("localhost",), "allow_evaluate": True}
    async with (
        serve_pages(_PAGES) as pages,
        serving(browser_endpoint, **rules) as served,
        served.reader(mine) as events,
    ):
        tab = await served.open(pages.url("/fails"))
        await served.done("/control/act", targetId=tab, action="click", element="button", nth=0)
        assert (await events.until("consoleError", targetId=tab))["text"] == "mine"
        await served.done("/control/act", targetId=tab, action="click", element="#ask")
        assert (await events.until("dialog", targetId=tab, state="opened"))["message"] == "mine"
        for path in ("/", "/framed"):
            tab = await served.open(pages.url(path))
            if path == "/":
                _is_refused(await served.post("/control/act", targetId=tab, action="click", element="#in"))
            for _ in range(2):  # an error of the console's, and one that was thrown
                assert (await events.until("consoleError", targetId=tab))["text"] == ""
        tab = await served.open(pages.url("/"))
        _is_refused(await served.post("/control/act", targetId=tab, action="click", element="#asks"))
        opened = await events.until("dialog", targetId=tab)
        assert (opened["type"], opened["message"], opened["default"]) == ("prompt", "", "")
        await served.done("/control/act", targetId=tab, action="goto", url=pages.url("/fails"))
        closed = await events.until("dialog", targetId=tab)
        assert (closed["state"], closed["message"], closed["default"]) == ("closed", "", "")
        await served.done("/control/act", targetId=tab, action="click", element="button", nth=0)
        assert (await events.until("consoleError", targetId=tab))["text"] == "mine"


async def test_events_keep_their_order_while_a_host_is_looked_up(browser_endpoint: str) -> None:
    async def silent(_: str) -> Sequence[Address]:
        await trio.sleep_forever()
        raise AssertionError

    script = "console.error('one'); history.pushState(0, '', '#two'); console.error('three')"
    # The browser itself reports that it cannot be loaded, before the page hears of it.
    other = """new Promise(done => {
        const image = document.body.appendChild(new Image())
        image.onerror = () => done(1)
        image.src = 'http://slow.test:1/'
    })"""
    rules: dict[str, Any] = {"deny_hosts": ("10.0.0.1",), "allow_evaluate": True, "resolve": silent}
    mine = {"Hybridsnap-Session": "default"}
    async with (
        serve_pages(_PAGES) as pages,
        serving(browser_endpoint, **rules) as served,
        served.reader(mine) as events,
    ):
        tab = await served.open(pages.url("/fails"))
        await events.until("navigation", targetId=tab)
        await served.done("/control/evaluate", targetId=tab, expression=other)
        await served.done("/control/evaluate", targetId=tab, expression=script)
        told = [await events.next() for _ in range(4)]
        assert [data.get("text", data.get("url")) for _, data in told] == [
            "",
            "one",
            pages.url("/fails#two"),
            "three",
        ]


async def test_a_download_from_a_refused_address_is_not_saved(browser_endpoint: str, tmp_path: Path) -> None:
    rules: dict[str, Any] = {"deny_hosts": ("localhost",), "download_folders": (tmp_path,)}
    mine = {"Hybridsnap-Session": "default"}
    async with (
        serve_pages(_PAGES) as pages,
        serving(browser_endpoint, **rules) as served,
        served.reader(mine) as events,
    ):
        await served.open(pages.url("/"))
        wishes: list[tuple[str, dict[str, int]]] = [
            ("#get", {}),
            ("#get", {"maxBytes": 1}),
            ("#later", {}),
            ("#later", {"maxBytes": 1}),
        ]
        for link, wish in wishes:
            answer = await served.post("/control/act", action="click", element=link, download=wish)
            _is_refused(answer, done=True)
            assert (await events.until("download", state="began"))["fileName"] == ""
        assert _names(tmp_path) == []
        good = await served.done("/control/act", action="click", element="#good", download={})
        assert good["download"]["fileName"] == "secret.bin"
        assert (await events.until("download", state="began"))["fileName"] == "secret.bin"
        assert _names(tmp_path) == ["secret.bin"]


async def test_a_new_tab_that_arrives_at_a_refused_page_is_closed(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    async with serve_pages({"/in": _SECRET}) as secret:
        away = http.redirect(secret.url("/in", host="localhost"))
        async with (
            serve_pages({**_PAGES, "/away": away}) as pages,
            serving(browser_endpoint, deny_hosts=("localhost",)) as served,
        ):
            before = set(await browser.page_ids())
            _is_refused(await served.post("/tabs", url=pages.url("/away")))
            await eventually(lambda: secret.requests)
            assert set(await browser.page_ids()) <= before
            await served.open(pages.url("/framed"))  # nothing of its frames is told by that


@pytest.mark.parametrize("launched", [True, False])
async def test_a_redirect_by_script_to_a_refused_address_is_reported(
    browser_endpoint: str, launched: bool
) -> None:
    pages_ = {
        "/away": "<button onclick=\"location = 'http://localhost:{PORT}/'\">go</button>",
        "/frame": "<p>around<iframe src='http://localhost:{PORT}/'></iframe>",
        "/": "<p>secret",
    }
    async with serve_pages(pages_) as pages:
        exempt = frozenset({("127.0.0.1", pages.port)})
        endpoint = None if launched else browser_endpoint
        async with serving(endpoint, allow_private=False, exempt=exempt) as served:
            await served.open(pages.url("/away"))
            done = await served.post("/control/act", action="click", element="button")
            seen = await served.post("/control/snapshot")
            framed = await served.post("/control/snapshot", url=pages.url("/frame"), targetId=None)
            if not launched:  # it gets there, and nothing is returned
                for answer in (done, seen, framed):
                    assert (answer.status_code, answer.json()["error"]) == (403, "AddressRefused")
                return
            (refused,) = done.json()["refused"]
            assert (refused["error"], refused["fields"]) == ("AddressRefused", {"host": "localhost"})
            for answer in (seen, framed):
                assert answer.status_code == 200
                report = answer.json()["report"]
                assert report["complete"] is False
                assert (
                    "AddressRefused: localhost is not a public address; see --allow-private of the server"
                    in (report["notes"])
                )
                assert "secret" not in answer.text
            assert "around" in framed.json()["combinedTree"]
