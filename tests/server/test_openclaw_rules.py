"""OpenClaw's paths keep to the rules: refused pages tell nothing, and a stuck script holds nothing up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.support.openclaw import DONE, ERROR, Client
from tests.support.pages import Content, serve_pages
from tests.support.server_stage import eventually, serving

if TYPE_CHECKING:
    from pathlib import Path

    from hybridsnap import Browser

#: At 127.0.0.1 they may be shown, at localhost not.
_PAGES: dict[str, Content] = {
    "/": "<title>good</title><h1>good</h1>",
    "/in": "<title>secret</title><h1>secret</h1><input id=file type=file value=secret>"
    "<script>console.error('secret'); document.cookie = 'secret=secret'; localStorage.secret = 'secret';"
    " setTimeout(() => { throw new Error('secret') })</script>",
    "/asks": "<title>secret</title><script>setTimeout(() => prompt('secret', 'secret'))</script>",
    "/go": "<button onclick=\"document.title = 'clicked'\">Go</button>",
}
#: Requests that tell something of a page.
_ASKING: list[tuple[str, str, dict[str, Any]]] = [
    ("GET", "/snapshot", {}),
    ("GET", "/snapshot", {"format": "aria"}),
    ("GET", "/snapshot", {"labels": "1"}),
    ("POST", "/screenshot", {}),
    ("POST", "/screenshot", {"labels": True}),
    ("POST", "/pdf", {}),
    ("GET", "/text", {}),
    ("GET", "/console", {}),
    ("GET", "/errors", {}),
    ("GET", "/requests", {}),
    ("GET", "/dialogs", {}),
    ("GET", "/storage/local", {}),
    ("POST", "/storage/local/set", {"key": "a"}),
    ("POST", "/storage/local/clear", {}),
    ("POST", "/response/body", {"url": "in"}),
    ("POST", "/highlight", {"ref": "e1"}),
    ("POST", "/set/locale", {"locale": "de-DE"}),
    ("POST", "/hooks/dialog", {"accept": True}),
    ("POST", "/hooks/file-chooser", {"paths": ["a.txt"]}),
    ("POST", "/tabs/focus", {}),
    ("POST", "/act", {"kind": "evaluate", "fn": "document.title"}),
    ("POST", "/act", {"kind": "click", "selector": "h1"}),
    ("POST", "/act", {"kind": "insertText", "text": "a"}),
    ("POST", "/act", {"kind": "wait", "text": "secret"}),
]


async def test_nothing_of_a_refused_page_comes_out(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    rules: dict[str, Any] = {
        "openclaw": True,
        "allow_evaluate": True,
        "upload_folders": (tmp_path,),
        "deny_hosts": ("localhost",),
    }
    async with serve_pages(_PAGES) as pages, serving(browser.endpoint, **rules) as served:
        client = Client(served)
        opened = (await served.client.post("/tabs/open", json={"url": pages.url("/")})).json()
        tab = {"targetId": opened["targetId"]}
        await client.ask("GET", "/console", {**DONE, "messages": []}, **tab)
        await client.ask("GET", "/requests", {**DONE, "requests": list}, **tab)
        page = await browser.page(opened["targetId"])
        blocked = {"error": str, "reason": "navigation_blocked"}
        await page.goto(pages.url("/in", "localhost"))
        for method, path, fields in _ASKING:
            answer = await client.ask(method, path, blocked, 400, **tab, **fields)
            assert "secret" not in json.dumps(answer), path
        listed = await served.client.get("/tabs")
        assert "secret" not in listed.text
        batch = {"kind": "batch", "actions": [{"kind": "wait", "text": "secret"}]}
        done = await client.ask("POST", "/act", dict, **tab, **batch)
        assert not done["results"][0]["ok"]
        assert "secret" not in json.dumps(done)
        # It can be left, and what it was is not told afterwards.
        await client.ask("POST", "/navigate", DONE, **tab, url=pages.url("/"))
        for path in ("/console", "/errors", "/requests", "/cookies", "/dialogs"):
            assert "secret" not in (await served.client.get(path, params=tab)).text, path
        await page.goto(pages.url("/asks", "localhost"))
        await eventually(lambda: page.dialogs)
        for method, path, fields in _ASKING:
            answer = await client.ask(method, path, blocked, 400, **tab, **fields)
            assert "secret" not in json.dumps(answer), path


async def test_a_script_that_never_ends_holds_nothing_up(browser_endpoint: str) -> None:
    """It answers within its budget, and the tab goes on, as OpenClaw's plan for `evaluate` wants it."""
    rules: dict[str, Any] = {"openclaw": True, "allow_evaluate": True}
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, **rules) as served:
        client = Client(served)
        await client.open(pages.url("/go"))
        await client.look()
        await client.act("evaluate", ERROR, 500, fn="while (true) {}", timeoutMs=500)
        await client.act("click", ref=client.refs["Go"])
        assert await client.value("document.title") == "clicked"
        await client.act("evaluate", ERROR, 500, fn="new Promise(() => {})", timeoutMs=500)
        await client.act("evaluate", ERROR, 500, fn="no such script")
        await client.look()
