"""Browser contexts: nothing is shared between them, and nothing is left of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio

from hybridsnap.errors import NavigationFailed, TargetError
from tests.support.http import attachment
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from pathlib import Path

    import hybridsnap

_REMEMBER = "value => { document.cookie = `who=${value}`; localStorage.who = value; }"
_RECALL = "[document.cookie, localStorage.who ?? null]"


async def _context_ids(browser: hybridsnap.Browser) -> set[str]:
    return set((await browser.session.send("Target.getBrowserContexts"))["browserContextIds"])


async def test_contexts_share_no_cookies_and_no_storage(browser: hybridsnap.Browser) -> None:
    before = await _context_ids(browser)
    async with serve_pages({"/": "<a href='/next' target=_blank>Next</a>", "/next": "<p>next"}) as server:
        async with await browser.new_context() as one, await browser.new_context() as other:
            assert browser.contexts == [one, other]
            first, second = await one.new_page(server.url("/")), await other.new_page(server.url("/"))
            shared = await browser.new_page(server.url("/"))
            known = await shared.evaluate(_RECALL)  # cookies of earlier tests: they are for any port
            await first.evaluate(_REMEMBER, "first")
            assert await first.evaluate(_RECALL) == ["who=first", "first"]
            assert await second.evaluate(_RECALL) == ["", None]
            assert await shared.evaluate(_RECALL) == known
            async with first.expect_popup() as popup:
                await first.click("a")
            assert await popup.page.evaluate(_RECALL) == ["who=first", "first"]
            assert await one.pages() == [first, popup.page]
            assert await other.pages() == [second]
            await shared.close()
        assert browser.contexts == []
        assert (one.closed, first.session.ended, popup.page.session.ended) == (True, "detached", "detached")
        assert await _context_ids(browser) == before
        with pytest.raises(TargetError, match=r"new_context\(\)"):
            await one.new_page()
        await one.close()  # a second time is not an error


async def test_a_context_saves_what_is_expected_and_nothing_else(
    browser: hybridsnap.Browser, tmp_path: Path
) -> None:
    file = attachment(b"12", "file.bin", "application/octet-stream")
    async with serve_pages({"/": "<a href='/file'>Get</a>", "/file": file}) as server:
        async with await browser.new_context() as context:
            page = await context.new_page(server.url("/"))
            async with page.expect_download(tmp_path) as download:
                await page.click("a")
            assert download.path == tmp_path / "file.bin"
            receipt = await page.click("a")
            assert len(receipt.downloads) == 1
        assert [one.name for one in await trio.Path(tmp_path).iterdir()] == ["file.bin"]


async def test_a_context_with_a_dialog_in_a_frame_can_be_closed(browser: hybridsnap.Browser) -> None:
    pages = {"/": "<iframe src='http://localhost:{PORT}/in'></iframe>", "/in": "<script>alert(1)</script>"}
    async with serve_pages(pages) as server:
        context = await browser.new_context()
        page = await context.new_page(server.url("/"), wait="none")
        with trio.fail_after(30):
            while not page.dialogs:  # noqa: ASYNC110 - nobody tells of it
                await trio.sleep(0.01)
        await context.close()
        assert (page.session.ended, browser.connection.lost) == ("detached", False)


@pytest.mark.parametrize("milliseconds", [0, 1, 2, 4, 8, 30])
async def test_a_cancelled_context_leaves_nothing(milliseconds: int, browser: hybridsnap.Browser) -> None:
    before = await _context_ids(browser)
    with trio.move_on_after(milliseconds / 1000):
        async with await browser.new_context() as context:
            await context.new_page()
            await trio.sleep_forever()
    with pytest.raises(TimeoutError):
        await browser.new_context(timeout=0.0001)
    assert browser.contexts == []
    with trio.fail_after(30):
        while await _context_ids(browser) != before:
            pass  # the one that came too late is being removed


def test_contexts_without_a_loop(browser_endpoint: str) -> None:
    from hybridsnap.sync import connect  # noqa: PLC0415 - starts a thread's worth of imports

    with connect(browser_endpoint) as browser:
        with browser.new_context() as context:
            page = context.new_page()
            assert page.url == "about:blank"
            assert context.pages() == [page]
            assert browser.contexts == [context]
        assert context.closed


async def test_a_context_has_a_proxy_of_its_own(browser: hybridsnap.Browser) -> None:
    asked: list[str] = []

    async def answer(stream: trio.SocketStream) -> None:
        head = b""
        async with stream:
            while b"\r\n\r\n" not in head:
                head += await stream.receive_some() or b"\r\n\r\n"
            asked.append(head.split()[1].decode() if head.split() else "")
            body = b"<title>By the proxy</title>"
            answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n" % len(body)
            await stream.send_all(answer + b"Connection: close\r\n\r\n" + body)

    async with trio.open_nursery() as nursery, serve_pages({"/": "<title>Direct</title>"}) as server:
        (listener,) = await nursery.start(partial(trio.serve_tcp, answer, 0, host="127.0.0.1"))
        proxy = f"http://127.0.0.1:{listener.socket.getsockname()[1]}"
        direct = f"127.0.0.1:{server.port}"
        async with (
            await browser.new_context(proxy=proxy, proxy_bypass=direct) as one,
            await browser.new_context() as other,
        ):
            page = await one.new_page("http://shop.invalid/basket")
            assert await page.evaluate("document.title") == "By the proxy"
            await page.goto(server.url("/"))
            assert await page.evaluate("document.title") == "Direct"
            with pytest.raises(NavigationFailed):
                await other.new_page("http://shop.invalid/basket")
        nursery.cancel_scope.cancel()
    assert "http://shop.invalid/basket" in asked
    assert not any(direct in url for url in asked)
