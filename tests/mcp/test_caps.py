"""Tools that are offered only with ``--caps``; the console and the requests of a page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hybridsnap.cli.types import CAPABILITIES
from hybridsnap.mcp.caps import CAPS
from tests.support import http
from tests.support.har import check_har
from tests.support.mcp_client import in_process, page_text, text_of
from tests.support.pages import Content, serve_pages

if TYPE_CHECKING:
    from pathlib import Path


async def _api(_: http.Request) -> http.Response:
    headers = {"Set-Cookie": "token=abc"}
    return http.Response(json.dumps({"found": 1}).encode(), "application/json", headers=headers)


_PAGES: dict[str, Content] = {
    "/": """<title>t</title><img src="/missing.png"><script>console.warn("careful");
fetch("/api", {method: "POST", body: "x=1"}).then(r => r.text()); null.x</script>""",
    "/api": _api,
}


def test_the_command_line_knows_them() -> None:
    assert tuple(CAPS) == CAPABILITIES


async def test_they_are_not_offered_by_default(browser_endpoint: str) -> None:
    async with in_process(browser_endpoint) as host:
        names = {tool.name for tool in (await host.client.list_tools()).tools}
        assert names.isdisjoint(tool.name for tools in CAPS.values() for tool in tools)


async def test_console_and_requests(browser_endpoint: str) -> None:
    async with (
        serve_pages(_PAGES) as pages,
        in_process(browser_endpoint, caps=("console", "network")) as host,
    ):
        await host.do("navigate", url=pages.url("/"))
        await host.do("wait_for", seconds=0.2)
        said = await host.do("console")
        assert f"warning careful ({pages.url('/')}:1)" in said
        assert "uncaught TypeError: Cannot read properties of null" in said
        assert said.index("<page-") < said.index("careful"), "a page wrote it"
        errors = await host.do("console", level="error")
        assert "careful" not in errors
        assert f"({pages.url('/missing.png')})" in errors

        listed = await host.call("requests", type="fetch")
        assert text_of(listed).startswith("1 requests")
        id_, method, status, kind, *_ = page_text(listed).split()
        assert (method, status, kind) == ("POST", "200", "fetch")
        assert "missing.png" in await host.do("requests", failed=True)
        assert "missing.png" in await host.do("requests", status="4xx")
        detail = await host.do("request", id=id_)
        assert "posted:\n  x=1" in detail
        assert "set-cookie: [9 characters]" in detail
        assert '{"found": 1}' in detail
        assert "give a larger max_tokens" in await host.do("request", id=id_, max_tokens=20)
        assert "r99" in await host.refused("request", id="r99")
        assert "status" in await host.refused("requests", status="bad")


async def test_a_body_that_is_no_text_is_not_printed(browser_endpoint: str) -> None:
    pages_: dict[str, Content] = {"/": "<p>here", "/p.png": bytes(range(256)) * 1000}
    async with serve_pages(pages_) as pages, in_process(browser_endpoint, caps=("network",)) as host:
        await host.do("navigate", url=pages.url("/"))
        await host.do(
            "evaluate", script="fetch('/p.png').then(async (it) => (await it.arrayBuffer()).byteLength)"
        )
        (line,) = page_text(await host.call("requests", url="**/p.png")).splitlines()
        detail = await host.do("request", id=line.split()[0])
        assert "body, 256,000 bytes of image/png:\n  (not text)" in detail


async def test_requests_are_saved_as_a_har(browser_endpoint: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "caps": ("network",),
        "download_folder": tmp_path,
        "deny_hosts": ("localhost",),
    }
    async with serve_pages(_PAGES) as pages, in_process(browser_endpoint, **options) as host:
        await host.do("navigate", url=pages.url("/"))
        await host.do("wait_for", seconds=0.2)
        await host.do("evaluate", script=f"() => {{ fetch('{pages.url('/api', 'localhost')}'); }}")
        await host.do("wait_for", seconds=0.2)
        said = await host.do("save_requests")
        assert said.startswith(f"saved: {tmp_path / 'requests.har'} (")
        assert "1 of addresses that are not shown here" in said
        har = json.loads((tmp_path / "requests.har").read_text())
        check_har(har)
        urls = [one["request"]["url"] for one in har["log"]["entries"]]
        assert {pages.url("/"), pages.url("/api"), pages.url("/missing.png")} <= set(urls)
        assert "localhost" not in json.dumps(har)
        assert "abc" not in json.dumps(har), "no value of a cookie"
        assert "(1 requests, " in await host.do("save_requests", file="api", url="**/api")
        assert (tmp_path / "api.har").stat().st_mode & 0o077 == 0
        assert "no plain file name" in await host.refused("save_requests", file="../x.har")
        assert "an empty text" in await host.refused("save_requests", file=" ")
    async with in_process(browser_endpoint, caps=("network",)) as host:
        await host.do("navigate", url="about:blank")
        assert "--downloads FOLDER" in await host.refused("save_requests")


async def test_routes(browser_endpoint: str) -> None:
    get = "fetch('/api').then((it) => it.text(), (it) => it.name)"
    async with (
        serve_pages(_PAGES) as pages,
        in_process(browser_endpoint, caps=("network",)) as host,
    ):
        await host.do("navigate", url=pages.url("/"))
        added = await host.do("route", action="fulfill", url="**/api", body="made up", type="fetch", times=5)
        assert added == "added: **/api\n- **/api (fetch): fulfill 200; 0 requests so far"
        assert "made up" in await host.do("evaluate", script=get)
        await host.do("route", action="abort", url="**/ap?", reason="timedout")
        assert "TypeError" in await host.do("evaluate", script=get)
        listed = await host.do("route", action="list")
        assert listed.split("\n") == [
            "asked in this order:",
            "- **/ap?: abort as timedout; 1 request so far",
            "- **/api (fetch): fulfill 200; 1 request so far",
        ]
        assert await host.do("route", action="remove", url="**/ap?") == (
            "removed: 1\n- **/api (fetch): fulfill 200; 1 request so far"
        )
        assert await host.do("route", action="remove") == "removed: 1\nno routes"
        sent = {"authorization": "Bearer secret", "x-own": "1", "accept": None}
        secret = await host.do("route", action="continue", url="**/api", headers=sent)
        assert "continue with authorization: [13 characters], x-own: 1, accept: " in secret
        assert "found" in await host.do("evaluate", script=get)
        for wrong, words in (
            ({"action": "abort"}, "abort needs url"),
            ({"action": "abort", "url": "**", "body": "a"}, "body cannot stand beside abort"),
            ({"action": "list", "url": "**"}, "url cannot stand beside list"),
            ({"action": "abort", "url": "**", "reason": "bored"}, "expected one of aborted"),
            ({"action": "abort", "url": "**", "type": "picture"}, "expected one of document"),
            ({"action": "fulfill", "url": "**", "headers": {"a": None}}, "expected a str"),
        ):
            assert words in await host.refused("route", **wrong)


async def test_answers_are_not_made_up_without_scripts(browser_endpoint: str) -> None:
    async with (
        serve_pages(_PAGES) as pages,
        in_process(browser_endpoint, caps=("network",), evaluate=False) as host,
    ):
        await host.do("navigate", url=pages.url("/"))
        refused = await host.refused("route", action="fulfill", url="**", body="<script>alert(1)</script>")
        assert "scripts are off" in refused
        assert "abort as blockedbyclient" in await host.do("route", action="abort", url="**")
