"""Contract: requests as OpenClaw's clients send them, and its answers, field by field, of a real page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

from hybridsnap.protocol.plan import pause
from tests.support import http
from tests.support.openclaw import DONE, ERROR, ID, MOMENT, REF, STATE, TAB, Client, fits
from tests.support.pages import Content, serve_pages
from tests.support.server_stage import serving

_SHOP = """<!doctype html><title>Shop</title><h1>Shop</h1>
<form onsubmit="document.title = 'sent ' + name1.value; return false">
<label>Name <input id=name1></label><label>Agree <input type=checkbox id=agree></label>
<select id=size aria-label=Size><option value=s>Small</option><option value=l>Large</option></select>
<button>Send</button></form>
<button id=alert onclick="setTimeout(() => alert('hi'), 0)">Alert</button>
<button onclick="document.title = prompt('who', 'x')">Ask</button>
<button>Buy</button><button ondblclick="document.title = 'twice'">Buy</button>
<button onclick="this.remove()">Gone</button>
<a href="/two">Two</a> <a href="/file">File</a> <input type=file id=file aria-label=Files>
<div draggable=true id=from role=button aria-label=From
  ondragstart="event.dataTransfer.setData('text', 'x')">From</div>
<div id=to role=button aria-label=To
  ondragover="event.preventDefault()" ondrop="document.title = 'dropped'">To</div>
<iframe srcdoc="<button>Inside</button>" title=inner></iframe>
<p id=thrown hidden>Thrown</p>
<script>console.warn('careful'); setTimeout(() => { thrown.hidden = false; null.x })</script>"""
_SIZED = {"Content-Disposition": 'attachment; filename="got.txt"'}


async def _file(_: http.Request) -> http.Response:
    return http.Response(b"hello", "text/plain", headers=_SIZED)


_PAGES: dict[str, Content] = {"/": _SHOP, "/two": "<title>Two</title><main>two</main>", "/file": _file}


def read(path: str) -> bytes:
    """A file; nothing where there is none."""
    return Path(path).read_bytes() if Path(path).exists() else b""


async def test_tabs(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, openclaw=True) as served:
        client = Client(served)
        status = await client.ask("GET", "/", dict)
        assert (status["enabled"], status["running"], status["cdpReady"]) == (True, True, True)
        await client.ask("POST", "/start", {"ok": True, "profile": "default"}, profile="openclaw")
        opened = {**TAB, "label": "shop", "resolvedProfile": "default"}
        shop = await client.ask("POST", "/tabs/open", opened, url=pages.url("/"), label="shop")
        assert (shop["title"], shop["suggestedTargetId"]) == ("Shop", "shop")
        two = await client.ask("POST", "/tabs/open", {**TAB, "resolvedProfile": str}, url=pages.url("/two"))
        listed = await client.ask("GET", "/tabs", {"running": True, "tabs": [{**TAB, "label?": "shop"}]})
        own = [one for one in listed["tabs"] if one["own"]]
        assert {one["targetId"] for one in own} == {shop["targetId"], two["targetId"]}
        # By number, label, id and the beginning of the id; the last one used is meant when none is named.
        focused = {"ok": True, "targetId": ID}
        for named in ("shop", shop["tabId"], shop["targetId"], shop["targetId"][:20].lower()):
            answer = await client.ask("POST", "/tabs/focus", focused, targetId=named)
            assert answer["targetId"] == shop["targetId"]
        looked = await client.ask("GET", "/text", {**DONE, "text": str, "truncated": False})
        assert looked["targetId"] == shop["targetId"]
        for wrong in ("t99", "zzz"):
            await client.ask("POST", "/tabs/focus", ERROR, 404, targetId=wrong)
        await client.ask("POST", "/tabs/focus", ERROR, 400)
        renamed = {"ok": True, "tab": {**TAB, "label": "second"}}
        await client.ask(
            "POST", "/tabs/action", renamed, action="label", targetId=two["tabId"], label="second"
        )
        await client.ask("POST", "/tabs/action", ERROR, 400, action="select")
        await client.ask("POST", "/tabs/action", ERROR, 400, action="fly")
        await client.ask("DELETE", "/tabs/second", focused)
        await client.ask("DELETE", "/tabs/second", ERROR, 404)
        await client.act("close")
        left = await client.ask("POST", "/tabs/action", {"ok": True, "tabs": list}, action="list")
        assert not [one for one in left["tabs"] if one["own"]]
        await client.ask("GET", "/tabs", ERROR, 404, profile="unknown")
        check = {"id": str, "label": str, "status": "pass", "summary": str}
        report = {"ok": True, "profile": str, "transport": "cdp", "checks": [check], "status": dict}
        await client.ask("GET", "/doctor", report)
        one: dict[str, Any] = {
            "name": str,
            "driver": str,
            "transport": "cdp",
            "running": True,
            "tabCount": int,
        }
        one |= dict.fromkeys(("cdpPort", "cdpUrl", "color", "reconcileReason"))
        one |= {"isDefault": True, "isRemote": bool}
        await client.ask("GET", "/profiles", {"profiles": [one]})
        await client.open(pages.url("/"))
        stopped = {"ok": True, "stopped": bool, "profile": "default"}
        assert (await client.ask("POST", "/stop", stopped))["stopped"] is True
        assert (await client.ask("POST", "/stop", stopped))["stopped"] is False
        await client.open(pages.url("/two"))


async def test_snapshots(browser_endpoint: str) -> None:
    stats = {"lines": int, "chars": int, "refs": int, "interactive": int}
    shape = {**DONE, "format": "ai", "snapshot": str, "refs": dict, "stats": stats}
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, openclaw=True) as served:
        client = Client(served)
        await client.open(pages.url("/"))
        whole = await client.ask("GET", "/snapshot", shape)
        for ref, one in whole["refs"].items():
            fits(one, REF, ref)
            assert f"[ref={ref}]" in whole["snapshot"]
        assert "[ref=e2]" in whole["snapshot"]
        text = whole["snapshot"]
        assert (whole["stats"]["lines"], whole["stats"]["chars"]) == (len(text.splitlines()), len(text))
        assert whole["stats"]["refs"] == len(whole["refs"])
        buys = [one["nth"] for one in whole["refs"].values() if one.get("name") == "Buy"]
        assert buys == [0, 1]

        interactive = await client.ask("GET", "/snapshot", shape, interactive="true", format="ai")
        assert not [line for line in interactive["snapshot"].splitlines() if line.startswith(" ")]
        assert "heading" not in interactive["snapshot"]
        top = await client.ask("GET", "/snapshot", shape, depth="1")
        assert "Size" not in top["snapshot"]
        assert "Small" in (await client.ask("GET", "/snapshot", shape, mode="efficient"))["snapshot"]
        form = await client.ask("GET", "/snapshot", shape, selector="form")
        assert "Send" in form["snapshot"]
        assert "Ask" not in form["snapshot"]
        inner = await client.ask("GET", "/snapshot", shape, frame="iframe")
        assert [one["name"] for one in inner["refs"].values()] == ["Inside"]
        await client.act("click", ref=next(iter(inner["refs"])))
        nothing = await client.ask("GET", "/snapshot", shape, selector="#none")
        assert (nothing["snapshot"], nothing["refs"]) == ("(empty)", {})
        cut = await client.ask("GET", "/snapshot", {**shape, "truncated": True}, maxChars="300")
        assert len(cut["snapshot"]) <= 300
        assert set(re.findall(r"ref=(e\d+)", cut["snapshot"])) == set(cut["refs"])
        links = await client.ask("GET", "/snapshot", shape, urls="1")
        assert pages.url("/two") in links["snapshot"]

        node = {"ref": r"ax\d+", "role": str, "name": str, "depth": int}
        node |= {"value?": str, "description?": str, "backendDOMNodeId?": int}
        tree = {**DONE, "format": "aria", "nodes": [node]}
        found = await client.ask("GET", "/snapshot", tree, format="aria", limit="40")
        assert len(found["nodes"]) == 40
        (checkbox,) = [one["ref"] for one in found["nodes"] if one["role"] == "checkbox"]
        await client.act("click", ref=checkbox)
        await client.ask("GET", "/snapshot", ERROR, 400, format="aria", labels="1")
        await client.ask("GET", "/snapshot", ERROR, 400, depth="deep")
        await client.ask("GET", "/snapshot", ERROR, 404, targetId="nowhere")
        failed = {**ERROR, "code": "ACT_OPERATION_FAILED"}
        for fields in ({"frame": "#none"}, {"frame": "#none", "selector": "a"}, {"selector": "["}):
            await client.ask("GET", "/snapshot", failed, 500, **fields)


async def test_what_is_new(browser_endpoint: str) -> None:
    rules: dict[str, Any] = {"openclaw": True, "allow_evaluate": True}
    shape = {**DONE, "format": "ai", "snapshot": str, "refs": dict, "stats": dict, "newElements": int}
    make = "document.body.append(Object.assign(document.createElement('button'), {textContent: 'Fresh'}))"
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, **rules) as served:
        client = Client(served)
        await client.open(pages.url("/"))
        before = await client.look()
        same = await client.ask("GET", "/snapshot", shape)
        assert (same["newElements"], same["snapshot"]) == (0, before)
        await client.act("evaluate", {**DONE, "result": object}, fn=f"{make}; 0")
        more = await client.ask("GET", "/snapshot", shape)
        (marked,) = [line for line in more["snapshot"].splitlines() if line.endswith(" [new]")]
        assert 'button "Fresh"' in marked
        assert more["snapshot"].endswith("\n1 new element(s) since last snapshot")
        assert more["newElements"] == 1
        assert (await client.ask("GET", "/snapshot", shape))["newElements"] == 0
        # Other options, and another document, begin anew.
        await client.ask("POST", "/navigate", DONE, url=pages.url("/"))
        assert "[new]" not in await client.look()
        cut = {**shape, "truncated": True}
        await client.ask(
            "GET",
            "/snapshot",
            {name: one for name, one in cut.items() if name != "newElements"},
            maxChars="300",
        )
        await client.act("evaluate", {**DONE, "result": object}, fn=f"{make}; 0")
        few = await client.ask("GET", "/snapshot", cut, maxChars="300")
        assert len(few["snapshot"]) <= 300


async def test_labels(browser_endpoint: str) -> None:
    pytest.importorskip("PIL")
    box = {"x": float, "y": float, "width": float, "height": float}
    mark = {"ref": r"e\d+", "number": int, "role": str, "name?": str, "box": box}
    labels = {"labels": True, "labelsCount": int, "labelsSkipped": int, "annotations": [mark]}
    shape = {**DONE, "format": "ai", "snapshot": str, "refs": dict, "stats": dict}
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, openclaw=True) as served:
        client = Client(served)
        await client.open(pages.url("/"))
        seen = {**shape, **labels, "imagePath": r".*\.png", "imageType": "png"}
        found = await client.ask("GET", "/snapshot", seen, labels="1")
        assert read(found["imagePath"]).startswith(b"\x89PNG")
        assert {one["ref"] for one in found["annotations"]} <= set(found["refs"])
        picture = await client.ask("POST", "/screenshot", {**DONE, **labels, "path": str}, labels=True)
        assert len(picture["annotations"]) == picture["labelsCount"] > 5
        await client.ask("POST", "/screenshot", ERROR, 501, labels=True, fullPage=True)
    assert not read(found["imagePath"])


async def test_actions(browser_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridsnap.act.highlight.pause", lambda _: pause(0.2))  # it is shown for 2 s
    rules: dict[str, Any] = {"openclaw": True, "allow_evaluate": True}
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, **rules) as served:
        client = Client(served)
        await client.open(pages.url("/two"))
        await client.ask("POST", "/navigate", DONE, url=pages.url("/"), timeoutMs=20_000)
        await client.look()
        refs = client.refs
        await client.act("type", ref=refs["Name"], text="Ada", timeoutMs=8000)
        assert await client.value("name1.value") == "Ada"
        await client.act("type", ref=refs["Name"].removeprefix("e"), text=" L", slowly=True)
        assert await client.value("() => name1.value") == "Ada L"
        await client.act("type", ref=f"@{refs['Name']}", text="Bob", submit=True)
        assert await client.value("return document.title") == "sent Bob"
        fields = [
            {"ref": refs["Name"], "type": "text", "value": "Eve"},
            {"ref": refs["Agree"], "type": "checkbox", "value": True},
        ]
        await client.act("fill", fields=fields)
        assert await client.value("[name1.value, agree.checked]") == ["Eve", True]
        for values, expected in ((["l"], "l"), (["Small"], "s")):  # by value, and by label
            await client.act("select", ref=refs["Size"], values=values)
            assert await client.value("size.value") == expected
        await client.act("press", key="Control+a")
        await client.act("click", ref=refs["Name"], button="left", modifiers=["Shift"], delayMs=10)
        await client.act("press", key="End", delayMs=5)
        await client.act("insertText", text="!")
        assert await client.value("name1.value") == "Eve!"
        await client.act("click", selector="button[ondblclick]", doubleClick=True)
        assert await client.value("document.title") == "twice"
        await client.act("hover", ref=refs["Send"])
        await client.act("scrollIntoView", ref=refs["To"])
        await client.act("drag", startRef=refs["From"], endRef=refs["To"])
        assert await client.value("document.title") == "dropped"
        x, y = await client.value("(r => [r.x + 3, r.y + 3])(agree.getBoundingClientRect())")
        await client.act("clickCoords", x=x, y=y)
        assert await client.value("agree.checked") is False
        await client.act("resize", width=700, height=500)
        assert await client.value("[innerWidth, innerHeight]") == [700, 500]
        shown = {**DONE, "result": str}
        given = await client.act("evaluate", shown, ref=refs["Send"], fn="(el) => el.textContent")
        assert given["result"] == "Send"
        await client.act("wait", timeMs=10, text="Shop", textGone="Never", selector="#agree")
        await client.act("wait", url="**/", loadState="load", fn="() => innerWidth === 700", timeoutMs=5000)
        await client.ask("POST", "/highlight", DONE, ref=refs["Send"])


async def test_batches(browser_endpoint: str) -> None:
    rules: dict[str, Any] = {"openclaw": True, "allow_evaluate": True}
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, **rules) as served:
        client = Client(served)
        first = await client.open(pages.url("/"))
        await client.look()
        refs = client.refs
        result = {"ok": bool, "error?": str, "navigated?": True, "url?": str}
        shape = {**DONE, "results": [result]}
        hover, bad = {"kind": "hover", "ref": refs["Send"]}, {"kind": "click", "ref": "e999"}
        stopped = await client.act("batch", shape, actions=[hover, bad, hover])
        assert [one["ok"] for one in stopped["results"]] == [True, False]
        inner = {"kind": "batch", "actions": [hover, bad]}
        on = await client.act("batch", shape, actions=[inner, hover], stopOnError=False)
        assert [one["ok"] for one in on["results"]] == [False, True]
        assert "e999" in on["results"][0]["error"]
        aborted = {"reason": "navigation", "afterAction": 1, "url": pages.url("/two"), "skipped": 1}
        away = [{"kind": "click", "ref": refs["Two"]}, hover]
        gone = await client.act("batch", {**shape, "aborted": dict}, actions=away)
        assert gone["aborted"] == aborted
        assert gone["results"] == [{"ok": True, "navigated": True, "url": pages.url("/two")}]
        second = await client.open(pages.url("/"))
        mismatch = {"error": str, "code": "ACT_TARGET_ID_MISMATCH"}
        elsewhere = [{"kind": "press", "key": "a", "targetId": first}]
        await client.act("batch", mismatch, 403, actions=elsewhere, targetId=second)
        await client.act(
            "batch", {**shape, "aborted": dict}, actions=[{"kind": "close"}, hover], targetId=second
        )


async def test_refusals(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, openclaw=True) as served:
        client = Client(served)
        await client.open(pages.url("/"))
        await client.look()
        gone, name = client.refs["Gone"], client.refs["Name"]

        async def refused(code: str, status: int, **fields: Any) -> str:
            answer = await client.ask("POST", "/act", {"error": str, "code": code}, status, **fields)
            return str(answer["error"])

        await refused("ACT_KIND_REQUIRED", 400)
        await refused("ACT_KIND_REQUIRED", 400, kind="fly")
        invalid: list[dict[str, Any]] = [
            {"kind": "click"},
            {"kind": "click", "ref": name, "button": "top"},
            {"kind": "click", "ref": name, "modifiers": ["Hyper"]},
            {"kind": "click", "ref": name, "delayMs": 5001},
            {"kind": "click", "ref": name, "timeoutMs": "soon"},
            {"kind": "clickCoords", "x": -1, "y": 2},
            {"kind": "type", "ref": name},
            {"kind": "press"},
            {"kind": "press", "key": "Nokey"},
            {"kind": "drag", "startRef": name},
            {"kind": "select", "ref": name},
            {"kind": "fill", "fields": []},
            {"kind": "fill", "fields": [{"ref": name, "text": "x"}]},
            {"kind": "resize", "width": 0, "height": 9},
            {"kind": "resize", "width": 9000, "height": 9},
            {"kind": "wait"},
            {"kind": "wait", "timeMs": 30001},
            {"kind": "evaluate"},
            {"kind": "batch", "actions": []},
            {"kind": "batch", "actions": [{"kind": "fly"}]},
            {"kind": "batch", "actions": [{"kind": "press", "key": "a"}] * 101},
        ]
        for fields in invalid:
            await refused("ACT_INVALID_REQUEST", 400, **fields)
        await refused("ACT_SELECTOR_UNSUPPORTED", 400, kind="evaluate", fn="1", selector="#agree")
        for kind in ("evaluate", "wait"):
            await refused("ACT_EVALUATE_DISABLED", 403, kind=kind, fn="1")
        nested = [{"kind": "evaluate", "fn": "1"}]
        await refused("ACT_EVALUATE_DISABLED", 403, kind="batch", actions=nested)

        # What a ref means is proven: what is gone, or another page's, is refused and never clicked.
        await client.act("click", ref=gone)
        assert "gone" in await refused("ACT_OPERATION_FAILED", 500, kind="click", ref=gone)
        for ref in ("e999", "f1e2", "button"):  # a ref is never taken for a selector
            await refused("ACT_OPERATION_FAILED", 500, kind="click", ref=ref)
        await refused("ACT_OPERATION_FAILED", 500, kind="click", selector="button")
        await refused(
            "ACT_OPERATION_FAILED", 500, kind="type", ref=client.refs["Two"], text="x", timeoutMs=500
        )
        await client.ask("POST", "/navigate", DONE, url=pages.url("/"))
        await refused("ACT_OPERATION_FAILED", 500, kind="click", ref=name)
        await client.act("wait", ERROR, 500, text="Never", timeoutMs=500)

        blocked = {"error": str, "reason": "navigation_blocked"}
        await client.ask("POST", "/navigate", blocked, 400, url="file:///etc/passwd")
        await client.ask("POST", "/tabs/open", blocked, 400, url="chrome://version")
        await client.ask("POST", "/navigate", blocked, 400, url="nonsense")
        await client.ask("POST", "/navigate", ERROR, 400)
        for method, path in (("POST", "/reset-profile"), ("DELETE", "/profiles/x")):
            await client.ask(method, path, ERROR, 501)
        known = {**ERROR, "code": "SCREENCAST_UNSUPPORTED", "reason": "playwright"}
        await client.ask("POST", "/screencast", known, 501)
        assert (await served.client.get("/tabs", headers={"Authorization": "Bearer x"})).status_code == 401


async def test_dialogs_and_files(browser_endpoint: str, tmp_path: Path) -> None:
    chosen = tmp_path / "up" / "cv.txt"
    chosen.parent.mkdir()
    chosen.write_text("cv")
    rules: dict[str, Any] = {
        "openclaw": True,
        "allow_evaluate": True,
        "upload_folders": (chosen.parent,),
        "download_folders": (tmp_path / "down",),
    }
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, **rules) as served:
        client = Client(served)
        await client.open(pages.url("/"))
        await client.look()
        refs = client.refs
        blocked = {**DONE, "blockedByDialog": True, "browserState": STATE}
        open_ = (await client.act("click", blocked, ref=refs["Alert"]))["browserState"]["dialogs"]["pending"]
        assert [(one["id"], one["type"], one["message"]) for one in open_] == [("d1", "alert", "hi")]
        nothing = {**blocked, "format": "ai", "snapshot": "", "refs": {}}
        await client.ask("GET", "/snapshot", nothing)
        await client.act("evaluate", blocked, fn="1")
        await client.ask("POST", "/hooks/dialog", ERROR, 400)
        await client.ask("POST", "/hooks/dialog", ERROR, 500, accept=True, dialogId="d9")
        await client.ask("POST", "/hooks/dialog", {"ok": True}, accept=True, dialogId="d1")
        # None is open: the answer is kept for the next one, its blanks too.
        await client.ask("POST", "/hooks/dialog", {"ok": True}, accept=True, promptText=" me ")
        await client.act("click", ref=refs["Ask"])
        state = (await client.ask("GET", "/dialogs", {**DONE, "browserState": STATE}))["browserState"]
        recent = state["dialogs"]["recent"]
        assert [(one["id"], one["closedBy"], one.get("defaultValue")) for one in recent] == [
            ("d1", "agent", None),
            ("d2", "armed", "x"),
        ]

        async def held() -> list[str]:
            return await client.value("[...file.files].map(one => one.name)")  # type: ignore[no-any-return]

        file = refs["Files"]
        for fields in ({"inputRef": file}, {"element": "#file"}, {"ref": file}):
            await client.ask("POST", "/hooks/file-chooser", {"ok": True}, paths=["cv.txt"], **fields)
            assert await held() == ["cv.txt"]
            await client.value("file.value = ''")
        await client.ask("POST", "/hooks/file-chooser", {"ok": True}, paths=[str(chosen)])
        await client.act("click", ref=file)
        await client.act("wait", fn="file.files.length === 1", timeoutMs=10_000)
        await client.ask("POST", "/hooks/file-chooser", ERROR, 400)
        await client.ask("POST", "/hooks/file-chooser", ERROR, 403, paths=["/etc/passwd"], element="#file")

        download = {"url": str, "suggestedFilename": "got.txt", "path": str}
        answer = {"ok": True, "targetId": ID, "download": download}
        saved = await client.ask("POST", "/download", answer, ref=refs["File"], path="mine.txt")
        assert Path(saved["download"]["path"]) == tmp_path / "down" / "mine.txt"
        assert read(saved["download"]["path"]) == b"hello"
        await client.ask("POST", "/download", ERROR, 403, ref=refs["File"], path="../out.txt")


async def test_records(browser_endpoint: str) -> None:
    location = {"url": str, "lineNumber": int, "columnNumber": int}
    message = {"type": str, "text": str, "timestamp": MOMENT, "location": location}
    error = {"message": str, "name?": str, "stack?": str, "timestamp": MOMENT}
    request = {"id": r"r\d+", "timestamp": MOMENT, "method": "GET", "url": str, "resourceType": str}
    request |= {"status?": int, "ok?": bool, "failureText?": str}
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, openclaw=True) as served:
        client = Client(served)
        # Here recording begins with the first question; `hybridsnap serve` records from the beginning.
        await client.open("about:blank")
        await client.ask("GET", "/requests", {**DONE, "requests": []})
        await client.ask("GET", "/console", {**DONE, "messages": []})
        await client.ask("POST", "/navigate", DONE, url=pages.url("/"))
        await client.act("wait", text="Thrown")
        said = await client.ask("GET", "/console", {**DONE, "messages": [message]})
        assert [(one["type"], one["text"]) for one in said["messages"]] == [("warning", "careful")]
        assert said["messages"][0]["location"]["url"] == pages.url("/")
        await client.ask("GET", "/console", {**DONE, "messages": []}, level="error")
        thrown = await client.ask("GET", "/errors", {**DONE, "errors": [error]}, clear="true")
        assert [one["name"] for one in thrown["errors"]] == ["TypeError"]
        await client.ask("GET", "/errors", {**DONE, "errors": []})
        found = await client.ask("GET", "/requests", {**DONE, "requests": [request]}, filter="docum")
        assert next((one["url"], one["status"], one["ok"]) for one in found["requests"]) == (
            pages.url("/"),
            200,
            True,
        )
        words = await client.ask("GET", "/text", {**DONE, "text": str, "truncated": True}, maxChars="4")
        assert words["text"] == "Shop"


async def test_files_of_a_page(browser_endpoint: str) -> None:
    saved = {**DONE, "path": str}
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, openclaw=True) as served:
        client = Client(served)
        await client.open(pages.url("/"))
        await client.look()
        for fields, begins in (
            ({}, b"\x89PNG"),
            ({"fullPage": True, "type": "jpeg"}, b"\xff\xd8"),
            ({"ref": client.refs["Send"]}, b"\x89PNG"),
            ({"element": "h1"}, b"\x89PNG"),
        ):
            taken = await client.ask("POST", "/screenshot", saved, **fields)
            assert read(taken["path"]).startswith(begins)
        await client.ask("POST", "/screenshot", ERROR, 400, fullPage=True, ref="e1")
        printed = await client.ask("POST", "/pdf", saved)
        assert read(printed["path"]).startswith(b"%PDF")


async def test_the_description_has_these_paths(browser_endpoint: str) -> None:
    async with serving(browser_endpoint, openclaw=True) as served:
        document = (await served.client.get("/openapi.json")).json()
        validate(document, cls=OpenAPIV31SpecValidator)
        for path, item in document["paths"].items():
            answer = await served.client.options(re.sub(r"[{}]", "", path))
            assert answer.status_code == 405, path
            assert set(answer.headers["allow"].split(", ")) == {one.upper() for one in item}, path
        assert {"post"} == set(document["paths"]["/act"])
        metrics = (await served.client.get("/metrics")).text
        await served.client.get("/snapshot")
        assert 'route="/snapshot"' in (await served.client.get("/metrics")).text
        assert 'route="/snapshot"' not in metrics


async def test_without_the_option_nothing_of_it_is_there(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        assert (await served.client.post("/act", json={"kind": "press", "key": "a"})).status_code == 404
        assert "running" not in (await served.client.get("/tabs")).json()
