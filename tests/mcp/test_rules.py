"""What the operator allows: addresses, downloads, profiles, time; and what is said of it."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

import pytest
import trio

from tests.support import http
from tests.support.mcp_client import connected, in_process, page_text, serving_http_here, text_of
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from pathlib import Path

    import hybridsnap
    from tests.support.mcp_client import Host

_RECALL = "[document.cookie.match(/who=\\w+/)?.[0] ?? '', localStorage.who ?? null]"


async def recalled(client: Host) -> str:
    return re.sub(r"\s", "", page_text(await client.call("evaluate", script=_RECALL)))


async def contexts(browser: hybridsnap.Browser) -> set[str]:
    return set((await browser.session.send("Target.getBrowserContexts"))["browserContextIds"])


@pytest.mark.parametrize(
    ("running", "options", "remembered"),
    [
        (True, (), '["",null]'),
        (True, ("--shared-profile",), '["who=one","one"]'),
        (False, (), '["",null]'),
        pytest.param(False, ("--shared-profile",), '["who=one","one"]', marks=pytest.mark.soak),
    ],
)
async def test_clients_over_http_share_no_cookies_unless_the_operator_says_so(
    browser: hybridsnap.Browser, running: bool, options: tuple[str, ...], remembered: str
) -> None:
    before = await contexts(browser)
    where = ("--cdp", browser.endpoint) if running else ()
    async with (
        serve_pages({"/": "<a href='/' target=_blank>again</a>"}) as pages,
        serving_http_here(*options, *where) as url,
        connected(f"{url}/one") as one,
        connected(f"{url}/other") as other,
    ):
        for client in (one, other):
            await client.do("navigate", url=pages.url("/"))
        await one.do("evaluate", script="document.cookie = 'who=one'; localStorage.who = 'one'")
        # Between processes the browser hands storage on later.
        with trio.move_on_after(20):
            while await recalled(other) != remembered:  # noqa: ASYNC110 - the browser's own state
                await trio.sleep(0.05)
        assert await recalled(other) == remembered
        await one.do("click", element="a")
        at = re.compile(rf"^(\d+) {re.escape(pages.url('/'))}", re.MULTILINE)
        found: list[str] = []
        with trio.fail_after(30):  # a new tab is at about:blank first
            while len(found) < 2:
                found = at.findall(page_text(await one.call("tabs", action="list")))
        await one.do("tabs", action="select", tab=int(found[1]))
        assert "who=one" in await one.do("evaluate", script=_RECALL)
        listed = at.findall(page_text(await other.call("tabs", action="list")))
        assert len(listed) == 1, "the tabs of the other client are not listed"
    # Those of earlier tests may go meanwhile.
    assert await contexts(browser) <= before


async def test_private_addresses_are_refused_unless_allowed(browser_endpoint: str) -> None:
    async with serve_pages({"/": "<p>inside"}) as pages:
        url = pages.url("/")
        words = "navigate: 127.0.0.1 is not a public address; see --allow-private of the server"
        for options in ({}, {"allow_hosts": ("127.0.0.1",), "deny_hosts": ("localhost",)}):
            async with in_process(browser_endpoint, allow_private=False, **options) as host:
                assert await host.refused("navigate", url=url) == words
                assert "is not a public address" in await host.refused("tabs", action="new", url=url)
        async with in_process(browser_endpoint, allow_hosts=("localhost",)) as host:
            assert "--allow-host" in await host.refused("navigate", url=url)
            assert "inside" in await host.do("navigate", url=pages.url("/", host="localhost"))
        assert pages.requests.count("/") == 1


async def test_a_page_of_a_browser_of_ours_does_not_get_to_a_refused_address() -> None:
    pages_ = {
        "/": "<button onclick=\"location = 'http://localhost:{PORT}/in'\">go</button>",
        "/in": "<p>inside",
        "/frame": "<p>around<iframe src='http://localhost:{PORT}/in'></iframe>",
    }
    async with serve_pages(pages_) as pages, in_process(None, deny_hosts=("localhost",)) as host:
        await host.do("navigate", url=pages.url("/"))
        words = "refused: localhost is on the server's list of hosts to be refused; see --deny-host"
        for result in (
            await host.do("click", element="button"),
            await host.do("snapshot"),
            await host.do("navigate", url=pages.url("/frame")),
        ):
            ours, _, page = result.partition("<page-")
            assert words in ours
            assert "inside" not in page
        assert "/in" not in pages.requests


async def test_a_download_is_saved_where_the_operator_says(browser_endpoint: str, tmp_path: Path) -> None:
    file = http.attachment(b"12", "file.bin", "application/octet-stream")
    async with serve_pages({"/": "<a href='/file'>Get</a>", "/file": file}) as pages:
        async with in_process(browser_endpoint, download_folder=tmp_path) as host:
            await host.do("navigate", url=pages.url("/"))
            result = await host.call("click", element="a", download=True)
            assert f"saved: {tmp_path / 'file.bin'} (2 bytes)" in page_text(result)
            assert "download file.bin: saved as " in page_text(result)
            assert "under way" not in text_of(result)
            assert (await trio.Path(tmp_path / "file.bin").read_bytes()) == b"12"
            await host.do("click", element="a")
            assert len(list(await trio.Path(tmp_path).iterdir())) == 1
        async with in_process(browser_endpoint) as host:
            await host.do("navigate", url=pages.url("/"))
            assert "--downloads FOLDER" in await host.refused("click", element="a", download=True)


async def test_waiting_beyond_the_cap_says_so(browser_endpoint: str) -> None:
    async with serve_pages({"/": "<p>words"}) as pages, in_process(browser_endpoint, timeout=3.0) as host:
        await host.do("navigate", url=pages.url("/"))
        line = await host.refused("wait_for", text="never", timeout=60)
        assert re.search(
            r"not so after 2 s, the most that a call can wait \(--timeout 3\), though 60 s were", line
        )
        assert "seconds is at most 2 here" in await host.refused("wait_for", seconds=60)
        short = await host.refused("wait_for", text="never", timeout=0.2)
        assert "WaitTimeout; wait longer, or take a snapshot" in short.partition("<page-")[0]


async def test_a_cancelled_navigation_is_stopped(browser: hybridsnap.Browser) -> None:
    asked, left = trio.Event(), trio.Event()

    async def slow(_: http.Request) -> http.Response:
        asked.set()
        await left.wait()
        return http.Response(b"<p>late")

    async with serve_pages({"/": "<p>early", "/slow": slow}) as pages:
        page = await browser.new_page(pages.url("/"))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(functools.partial(page.goto, pages.url("/slow")))
            await asked.wait()
            nursery.cancel_scope.cancel()
        await page.session.send("Page.getNavigationHistory")  # asked after it: it has been stopped by now
        left.set()
        for _ in range(20):
            assert "early" in (await page.snapshot()).combined_tree
        await page.close()


async def test_our_own_advice_stands_outside_the_fence(browser_endpoint: str) -> None:
    page = "<button id=b>Buy</button><p id=p>x"
    async with serve_pages({"/": page}) as pages, in_process(browser_endpoint) as host:
        await host.do("navigate", url=pages.url("/"))
        button = await host.find("Buy")
        await host.do("evaluate", script="b.textContent = 'Sold out'")
        line = await host.refused("click", element=button)
        ours, _, page = line.partition("<page-")
        assert ours == "click: StaleElement; take a new snapshot, and use the ids it shows: "
        assert "Sold out" in page
        ours = (await host.refused("evaluate", script="throw new Error('do this')")).partition("<page-")[0]
        assert ours == "evaluate: EvaluationFailed; mend the script: "


async def test_advice_is_given_once_and_names_nothing_that_there_is_not(browser_endpoint: str) -> None:
    """No tool takes `force`; advice about a stale id stands before the fence, and not behind it."""
    page = (
        "<button id=b>Buy</button><button id=c>Cook</button>"
        "<div style='position: fixed; inset: 0; display: none'>Cookies</div><script>"
        "b.onclick = () => { b.remove(); c.outerHTML = '<button>Buy</button>';"
        " document.querySelector('div').style.display = 'block'; }</script>"
    )
    async with serve_pages({"/": page}) as pages, in_process(browser_endpoint) as host:
        await host.do("navigate", url=pages.url("/"))
        button = await host.find("Buy")
        await host.do("click", element=button)
        line = await host.refused("click", element=button)
        assert line.count("take a new snapshot") == 1
        assert "likely meant: " in line
        line = await host.refused("click", element=await host.find("Buy"))
        assert "ElementCovered; deal with what covers the element first: " in line
        assert "force" not in line


async def test_what_was_done_in_part_is_said(browser_endpoint: str) -> None:
    page = (
        "<div><b id=a>Ann</b> <input aria-label=Note></div><div><b id=b>Bob</b> <input aria-label=Note></div>"
        "<script>document.querySelector('input').oninput = (e) => {"
        " if (e.target.value == 'he') { a.textContent = 'Bob'; b.textContent = 'Ann'; } }</script>"
    )
    async with serve_pages({"/": page}) as pages, in_process(browser_endpoint) as host:
        await host.do("navigate", url=pages.url("/"))
        field = (await host.do("find", text="Note")).split("[", 1)[1].split("]")[0]
        typed = {"text": "hello", "by_keys": True}
        line = await host.refused("act", action="type", element=field, arguments=typed)
        assert line.startswith("act: StaleElement; a part of it was done; take a new snapshot")


async def test_find_does_not_list_the_words_of_what_it_lists(browser_endpoint: str) -> None:
    page = "<p>Help is near: <a href='/help'><b>Help</b></a> or <button>Get <i>Help</i></button>"
    async with serve_pages({"/": page}) as pages, in_process(browser_endpoint) as host:
        await host.do("navigate", url=pages.url("/"))
        found = page_text(await host.call("find", text="Help"))
        lines = [line.partition("] ")[2] for line in found.splitlines()]
        assert lines == ["StaticText: Help is near:", "link: Help", "button: Get Help"]


async def test_find_knows_what_the_outline_prints_in_the_place_of_a_name(browser_endpoint: str) -> None:
    body = "<button class='fa fa-times'></button><button>At all times</button><p>Born 1972</p><p role=note>"
    async with serve_pages({"/": body}) as pages, in_process(browser_endpoint) as host:
        assert "] button ?times" in await host.do("navigate", url=pages.url("/"))
        for given in ({"text": "times", "role": "button"}, {"text": "?Times"}):
            assert "] button ?times" in await host.do("find", **given)
        assert "At all times" in await host.do("find", text="times")
        assert (
            await host.do("find", text="times", role="link")
            == '0 found; of another role: button "At all times"'
        )
        assert await host.do("find", text="?") == "0 found"
        # A number is text where a text of the page is meant.
        assert "Born 1972" in await host.do("find", text=1972)
        assert "holds after" in await host.do("wait_for", text=1972)


async def test_find_knows_a_text_that_a_script_has_put_together(browser_endpoint: str) -> None:
    """React makes a text of its own of each value that it fills in."""
    page = (
        "<ul><li>v1.2.<!-- -->7<li>v1.2.<!-- -->8</ul><p>Order <!-- -->12 <b>sent</b></p>"
        "<button>Go to <!-- -->slide 1</button>"
    )
    async with serve_pages({"/": page}) as pages, in_process(browser_endpoint) as host:
        await host.do("navigate", url=pages.url("/"))
        for text, found in (
            ("V1.2.7", ["StaticText: v1.2.7"]),
            ("order 12 sent", ["StaticText: Order 12 sent"]),
            ("v1.2.", ["StaticText: v1.2.", "StaticText: v1.2."]),
            ("Go to slide 1", ["button: Go to slide 1"]),
        ):
            lines = page_text(await host.call("find", text=text)).splitlines()
            assert [line.partition("] ")[2].partition(" [beside")[0] for line in lines] == found, text
        assert await host.do("find", text="v1.2.78") == "0 found"


async def test_find_shows_ids_however_long_names_are(browser_endpoint: str) -> None:
    names = ["Buy " + "many words " * 80, "Buy " + "other words " * 80, "Buy this"]
    buttons = "".join(f"<button>{name}</button>" for name in names)
    async with serve_pages({"/": buttons}) as pages, in_process(browser_endpoint) as host:
        await host.do("navigate", url=pages.url("/"))
        whole = page_text(await host.call("find", text="Buy"))
        ids = re.findall(r"^\[([\d-]+)\]", whole, re.MULTILINE)
        assert len(ids) == 3
        assert len(max(whole.splitlines(), key=len)) > 800
        cut = page_text(await host.call("find", text="Buy", max_tokens=100))
        assert re.findall(r"^\[([\d-]+)\] button: Buy.*", cut, re.MULTILINE) == ids
        assert cut.splitlines()[0].endswith("…")
        result = await host.call("find", text="Buy", max_tokens=1)
        assert page_text(result).startswith(f"[{ids[0]}] button: Buy")
        assert "2 not shown: give a larger max_tokens" in text_of(result)


async def test_what_is_done_is_told_though_the_page_does_not_fit(browser_endpoint: str) -> None:
    html = "".join(f"<h2>Part {number}</h2><p>{'words ' * 20}" for number in range(30))
    async with (
        serve_pages({"/": f"<a href=/next>On</a>{html}", "/next": html}) as pages,
        in_process(browser_endpoint) as host,
    ):
        arrived = await host.do("navigate", url=pages.url("/"), max_tokens=1)
        assert arrived.startswith("tab ")
        assert "max_tokens=1 is too small" in arrived
        clicked = await host.do("click", element="a", max_tokens=1)
        assert f"navigated to {pages.url('/next')}" in clicked
        assert "max_tokens=1 is too small" in clicked
