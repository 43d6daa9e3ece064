"""Tools that are offered only with ``--caps``; the console and the requests of a page."""

from __future__ import annotations

import json

from hybridsnap.cli.types import CAPABILITIES
from hybridsnap.mcp.caps import CAPS
from tests.support import http
from tests.support.mcp_client import in_process, page_text, text_of
from tests.support.pages import Content, serve_pages


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
