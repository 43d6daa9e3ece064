"""``hybridsnap console`` and ``hybridsnap network``."""

from __future__ import annotations

import functools
import json
import signal
import subprocess
from typing import TYPE_CHECKING

import trio

from tests.support.command_line import COMMAND, run_here
from tests.support.har import check_har
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from pathlib import Path

    import hybridsnap

_PAGE = """<title>noisy</title><script src="/app.js"></script><img src="/missing.png">"""
_APP = """console.log("started", {on: true});
console.warn("careful");
throw new Error("broken");"""
_PAGES = {"/": _PAGE, "/app.js": _APP}


async def test_console_of_a_page(browser: hybridsnap.Browser) -> None:
    async with serve_pages(_PAGES) as pages:
        app = pages.url("/app.js")
        done = await run_here("console", pages.url("/"))
        assert done.code == 0, done.stderr
        lines = done.stdout.splitlines()
        assert f"info: started {{on: true}}  {app}:1:9" in lines
        assert f"warning: careful  {app}:2:9" in lines
        assert f"Uncaught Error: broken  {app}:3:7" in lines
        page = await browser.new_page(pages.url("/"))
        here = (browser.endpoint, "--target-id", page.target_id)
        errors = await run_here("console", *here, "--level", "error", "--text", "broken", "--json")
        (line,) = errors.stdout.splitlines()
        assert json.loads(line)["message"] == "Uncaught Error: broken"


async def test_network_of_a_page(tmp_path: Path, browser: hybridsnap.Browser) -> None:
    async with serve_pages(_PAGES) as pages:
        options = ("--har", "page.har", "--wait", "networkidle")
        done = await run_here("network", pages.url("/"), *options, cwd=tmp_path)
        assert done.code == 0, done.stderr
        assert f"r1 GET {pages.url('/')} document 200 " in done.stdout
        har = json.loads((tmp_path / "page.har").read_text(encoding="utf-8"))
        check_har(har)
        assert pages.url("/app.js") in [one["request"]["url"] for one in har["log"]["entries"]]
        page = await browser.new_page(pages.url("/"))
        again = ("network", browser.endpoint, "--target-id", page.target_id, "--reload")
        failed = await run_here(*again, "--failed", "--json")
        (line,) = failed.stdout.splitlines()
        assert json.loads(line)["url"] == pages.url("/missing.png")
        found = await run_here(*again, "--type", "script", "--status", "2xx")
        assert found.stdout.split()[:3] == ["r2", "GET", pages.url("/app.js")]


async def test_of_a_page_that_is_open(browser: hybridsnap.Browser) -> None:
    async with serve_pages(_PAGES) as pages:
        page = await browser.new_page(pages.url("/"))
        which = (browser.endpoint, "--target-id", page.target_id)
        said = await run_here("console", *which)
        assert "warning: careful" in said.stdout
        before = await run_here("network", *which)
        assert (before.code, before.stdout) == (0, "")
        assert "of what was requested before nothing is known; add --reload" in before.line
        again = await run_here("network", *which, "--reload", "--url", "**/app.js")
        assert pages.url("/app.js") in again.stdout


async def test_listening_comes_on_top_of_the_timeout(browser: hybridsnap.Browser) -> None:
    async with serve_pages(_PAGES) as pages:
        page = await browser.new_page(pages.url("/"))
        which = (browser.endpoint, "--target-id", page.target_id)
        said = await run_here("console", *which, "--timeout", "3", "--for", "3")
        assert (said.code, said.stderr) == (0, "")
        assert "warning: careful" in said.stdout


async def test_what_was_recorded_until_it_is_interrupted(tmp_path: Path) -> None:
    script = "console.log('before'); fetch('/hang')"

    async def interrupt(command: str, *options: str, words: str) -> None:
        async with serve_pages({"/": f"<title>waits</title><script>{script}</script>"}) as pages:
            start = functools.partial(
                trio.run_process,
                [*COMMAND, command, pages.url("/"), *options, "--for", "600"],
                check=False,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=tmp_path,
            )
            async with trio.open_nursery() as nursery:
                process = await nursery.start(start)
                while "/hang" not in pages.requests:  # noqa: ASYNC110 - another process brings it about
                    await trio.sleep(0.05)
                first = b""
                if command == "console":  # as it comes, long before the end
                    with trio.fail_after(30):
                        first = await process.stdout.receive_some(5)
                    assert first == b"info:"
                process.send_signal(signal.SIGINT)
                printed = b"".join([first, *[chunk async for chunk in process.stdout]]).decode()
                told = b"".join([chunk async for chunk in process.stderr]).decode()
                assert await process.wait() == 130
            assert printed.count(words.format(url=pages.url("/"))) == 1
            assert told == "hybridsnap: interrupted\n"
            if command == "network":
                har = json.loads((tmp_path / "page.har").read_text(encoding="utf-8"))
                check_har(har)
                assert pages.url("/") in [one["request"]["url"] for one in har["log"]["entries"]]

    async with trio.open_nursery() as nursery:
        nursery.start_soon(functools.partial(interrupt, "console", words="info: before"))
        options = ("--har", "page.har")
        words = "r1 GET {url} document 200 "
        nursery.start_soon(functools.partial(interrupt, "network", *options, words=words))


async def test_requests_fail_or_are_answered_as_asked(tmp_path: Path, browser: hybridsnap.Browser) -> None:
    (tmp_path / "app.js").write_text("console.log('made up')")
    async with serve_pages(_PAGES) as pages:
        routes = ("--route", "**/*.png=abort:timedout", "--route", "**/app.js=@app.js")
        said = await run_here("console", pages.url("/"), *routes, cwd=tmp_path)
        assert "info: made up" in said.stdout, said.stderr
        page = await browser.new_page(pages.url("/"))
        again = ("network", browser.endpoint, "--target-id", page.target_id, "--reload", *routes)
        failed = await run_here(*again, "--failed", cwd=tmp_path)
        assert f"{pages.url('/missing.png')} image net::ERR_TIMED_OUT" in failed.stdout
        # The last that fits counts.
        found = await run_here(*again, "--route", "**/*.png=403", cwd=tmp_path)
        assert f"{pages.url('/missing.png')} image 403" in found.stdout


async def test_devices_are_listed() -> None:
    listed = await run_here("devices", "ipad mini")
    assert (listed.code, listed.stdout.splitlines()[:2]) == (0, ["iPad Mini", "iPad Mini landscape"])
    assert len((await run_here("devices")).stdout.splitlines()) > 100


async def test_wrong_usage() -> None:
    for wrong, words in (
        (("console", "about:blank", "--level", "loud"), "invalid choice: 'loud'"),
        (("network", "about:blank", "--status", "bad"), "status"),
        (("network", "http://no.such.host.invalid/", "--status", "9"), "--status: expected a number such as"),
        (("network", "about:blank", "--route", "**"), "expected GLOB=WHAT"),
        (("network", "about:blank", "--route", "**=maybe"), "expected abort, a status"),
        (("network", "about:blank", "--route", "**=99"), "status"),
        (("network", "about:blank", "--route", "**=@none.json"), "there is no file 'none.json'"),
        (("network", "about:blank", "--route", "**=abort:now"), "abort"),
        (("console", "about:blank", "--device", "iPhon 15"), "did you mean iPhone 15"),
        (("console", "about:blank", "--emulate", "cpu_slowdown=1e9"), "expected a number from 1 to 100"),
        (("devices", "toaster"), "no device has 'toaster' in its name"),
        (("network", "about:blank", "--type", "foo"), "expected one of document, "),
        (("network", "about:blank", "--har", "/none/page.har"), "there is no directory /none"),
    ):
        done = await run_here(*wrong)
        assert (done.code, done.stdout) == (2, "")
        assert words in done.stderr
