"""What clients ask for, and are answered."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.drivers.base import unanswered
from hybridsnap.service.content_policy import shown_documents
from hybridsnap.snapshot import Snapshot
from tests.support.pages import busy_for, serve_pages
from tests.support.server_stage import eventually, serving

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    import hybridsnap
    from hybridsnap.client.browser import Page
    from hybridsnap.deadline import Deadline
    from hybridsnap.service.content_policy import Document

_PAGE = """<title>Shop</title><h1>Things</h1>
<button onclick="this.textContent = 'Bought'">Buy</button>
<label>Name <input id="name"></label>
<a href="/next">Next</a><p id="far">one</p>"""
_PAGES: dict[str, Any] = {
    "/": _PAGE,
    "/next": "<title>Next</title><p>here",
    "/hang.html": "<script>setTimeout(() => { while (true); }, 50)</script>",
    "/frames": '<p>out</p><iframe src="http://localhost:{PORT}/next"></iframe>',
}


def _id(data: dict[str, Any], words: str) -> str:
    line = next(line for line in data["combinedTree"].splitlines() if words in line)
    return str(line.strip().partition("]")[0].removeprefix("["))


async def test_the_words_of_a_model_do_what_they_say(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        seen = await served.done("/control/snapshot", url=pages.url("/frames"))
        assert set(seen) >= {"combinedTree", "combinedXpathMap", "combinedUrlMap", "report", "targetId"}
        assert "here" in seen["combinedTree"]
        assert seen["report"]["complete"] is True
        assert "text" not in seen
        assert "rows" not in seen
        shop = await served.done("/control/snapshot", url=pages.url("/"), targetId=seen["targetId"])
        button = _id(shop, "button: Buy")
        assert shop["combinedXpathMap"][button] == "/html[1]/body[1]/button[1]"
        said = {"elementId": button, "action": "click", "description": "点击 Buy 按钮"}
        done = await served.done("/control/act", **said)
        assert done["ok"] is True
        assert done["receipt"]["elementId"] == button
        assert done["text"].startswith('click button "Buy"')
        again = await served.done("/control/snapshot", format="ai", maxTokens=200)
        assert "Bought" in again["text"]


async def test_a_page_whose_load_never_ends(browser_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridsnap.client.navigating._STILL_SECONDS", 0.3)
    content = "<h1>Here</h1><img src=http://localhost:{PORT}/hang>"
    async with serve_pages({"/": content}) as pages, serving(browser_endpoint) as served:
        seen = await served.done("/control/snapshot", url=pages.url("/"), timeoutMs=100_000)
        assert (seen["report"]["complete"], "Here" in seen["combinedTree"]) == (False, True)
        assert seen["report"]["elapsedMs"] < 40_000
        (note,) = seen["report"]["notes"]
        assert note.startswith("still loading when it was looked at: 1 request (localhost:")
        opened = await served.done("/tabs", url=pages.url("/"), timeoutMs=100_000)
        assert (opened["navigation"]["reached"], opened["navigation"]["endedBy"]) == (True, "settled")


async def test_elements_are_named_in_every_way(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        await served.open(pages.url("/"))
        seen = await served.done("/control/snapshot", format="role")
        button = _id(seen, "button: Buy")
        ref = next(line for line in seen["text"].splitlines() if "Buy" in line).partition("[ref=")[2]
        ways: list[dict[str, Any]] = [
            {"elementId": button},
            {"element": "button"},
            {"ref": ref.partition("]")[0]},
            {"backendDOMNodeId": int(button.partition("-")[2])},
        ]
        for way in ways:
            done = await served.done("/control/act", action="hover", **way)
            assert done["receipt"]["elementId"] == button, way


async def test_a_batch_stops_at_an_error_or_goes_on(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        await served.open(pages.url("/"))
        batch = [
            {"action": "fill", "element": "#name", "value": "Ada"},
            {"action": "click", "elementId": "0-999999"},
            {"action": "text", "element": "#far"},
        ]
        stopped = await served.done("/control/act", actions=batch)
        assert [one["ok"] for one in stopped["results"]] == [True, False]
        assert stopped["results"][1]["problem"]["error"] == "UnknownElement"
        whole = await served.done("/control/act", actions=batch, stopOnError=False)
        assert [one["ok"] for one in whole["results"]] == [True, False, True]
        assert whole["results"][2]["value"] == "one"
        assert whole["ok"] is False
        refused = await served.post("/control/act", action="fill", element="#name", value=True)
        assert (refused.status_code, refused.json()["error"]) == (409, "NotInteractable")
        assert refused.json()["fields"]["reason"] == "value"
        most = [{"action": "text", "element": "#far"}] * 100
        assert len((await served.done("/control/act", actions=most))["results"]) == 100
        more = await served.post("/control/act", actions=[*most, most[0]])
        assert (more.status_code, more.json()["error"]) == (400, "BadRequest")


async def test_a_batch_stops_at_a_navigation_that_does_not_arrive(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        await served.open(pages.url("/"))
        going: dict[str, Any] = {"action": "goto", "url": pages.url("/hang"), "timeoutMs": 800}
        going_on = {"action": "text", "element": "#far", "timeoutMs": 800}
        stopped = await served.done("/control/act", actions=[going, going_on])
        (result,) = stopped["results"]
        assert (stopped["ok"], result["ok"]) == (False, False)
        problem = result["problem"]
        assert (problem["error"], problem["fields"]["reason"]) == ("NavigationFailed", "deadline")
        assert "not loaded: deadline; what was to follow is not done" in problem["detail"]
        going["url"] = pages.url("/hang", host="localhost")
        alone = await served.done("/control/act", **going)
        assert (alone["value"]["reached"], alone["value"]["endedBy"]) == (False, "deadline")
        going["url"] = pages.url("/hang")
        (last,) = (await served.done("/control/act", actions=[going]))["results"]
        assert (last["ok"], last["value"]["reached"]) == (True, False)


async def test_errors_are_problems_with_their_fields_and_a_remedy(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        target = await served.open(pages.url("/"))
        seen = await served.done("/control/snapshot")
        button = _id(seen, "button: Buy")
        await served.done("/control/act", action="goto", url=pages.url("/next"))
        stale = await served.post("/control/act", action="click", elementId=button)
        assert stale.headers["content-type"] == "application/problem+json"
        problem = stale.json()
        assert (stale.status_code, problem["status"], problem["error"]) == (409, 409, "StaleElement")
        assert problem["fields"]["elementId"] == button
        assert problem["fields"]["reason"] == "navigated"
        assert problem["type"] == "urn:hybridsnap:problem:StaleElement"
        assert problem["remedy"]
        wrong: list[tuple[int, str, str, dict[str, Any]]] = [
            (404, "SelectorError", "/control/act", {"action": "click", "element": "#none", "wait": False}),
            (400, "SelectorError", "/control/snapshot", {"focus": "p[["}),
            (404, "TargetError", "/control/snapshot", {"targetId": "none"}),
            (404, "BrowserUnknown", "/control/snapshot", {"browserId": "none"}),
            (400, "BadRequest", "/control/act", {"action": "clik", "element": "p"}),
            (400, "BadRequest", "/control/act", {"action": "click", "element": "p", "count": "two"}),
            (400, "BadRequest", "/control/act", {}),
            (400, "BadRequest", "/control/snapshot", {"format": "json", "interactive": True}),
            (400, "BadRequest", "/control/snapshot", {"timeoutMs": -1}),
            (400, "BadRequest", "/control/snapshot", {"timeoutMs": 1e9}),
            (400, "BadRequest", "/control/snapshot", {"fokus": "p"}),
            (400, "BadRequest", "/control/act", {"action": "click_at", "x": 1e39, "y": 1}),
            (400, "BadRequest", "/control/act", {"action": "scroll", "distance": 1e39}),
            (400, "UnknownKey", "/control/act", {"action": "press", "chord": "Nokey"}),
            (502, "NavigationFailed", "/tabs", {"url": "http://127.0.0.1:1/"}),
            (404, "UnknownElement", "/control/expand", {"elementId": "0-99999"}),
            (409, "NoDialog", "/control/act", {"action": "answer_dialog"}),
        ]
        for status, name, path, body in wrong:
            answer = await served.post(path, **body)
            assert (answer.status_code, answer.json()["error"]) == (status, name), (body, answer.text)
        as_json = {"Content-Type": "application/json"}
        for path, half in (
            ("/control/snapshot", rb'{"focus": "\ud83d"}'),
            ("/control/act", rb'{"action": "click", "element": "\ud83d"}'),
        ):
            answer = await served.client.post(path, content=half, headers=as_json)
            assert answer.status_code == 400, answer.text
            assert "half a surrogate pair" in answer.json()["detail"]
        long = b"1" + b"0" * 400  # a browser would leave the command unanswered
        for path, part in (
            ("/control/act", b'"action": "click", "element": "p", "nth": '),
            ("/control/act", b'"action": "click", "backendDOMNodeId": '),
            ("/control/act", b'"action": "click", "backendNodeId": 5, "frame": '),
            ("/control/act", b'"action": "select_option", "element": "p", "index": '),
            ("/control/snapshot", b'"focus": "p", "focusNth": '),
        ):
            for number in (long, long + b".0", b"2147483648"):
                given = b"{%s%s}" % (part, number)
                answer = await served.client.post(path, content=given, headers=as_json)
                assert (answer.status_code, answer.json()["error"]) == (400, "BadRequest"), answer.text
                assert len(answer.json()["detail"]) < 200
        assert await served.open(pages.url("/")) != target
        several = await served.post("/control/snapshot")
        assert (several.status_code, several.json()["error"]) == (409, "TargetError")
        ids = several.json()["fields"]["targetIds"]
        assert len(ids) == 2
        assert several.json()["detail"].endswith("name one by targetId, or give a url")
        unnamed = [
            await served.post("/control/act", action="reload"),
            await served.client.delete("/tabs"),
        ]
        for answer in unnamed:
            assert (answer.status_code, answer.json()["fields"]["targetIds"]) == (409, ids)
            assert answer.json()["detail"].endswith("; name one by targetId")
        unknown = [
            await served.post("/control/snapshot", targetId="nope"),
            await served.client.delete("/tabs/nope"),
        ]
        for answer in unknown:
            assert answer.status_code == 404
            assert set(ids) <= set(answer.json()["fields"]["targetIds"])
        assert (await served.client.get("/nothing")).json()["error"] == "NotFound"
        assert (await served.client.put("/tabs")).json()["error"] == "MethodNotAllowed"


async def test_a_snapshot_in_full_can_be_read_back(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        answer = await served.post(
            "/control/snapshot", url=pages.url("/"), format="json", layout=True, screenshot=True, close=True
        )
        snapshot = Snapshot.from_json(answer.content)
        assert snapshot.screenshot is not None
        assert snapshot.layout is not None
        assert snapshot.find(role="button", name="Buy")
        opened = answer.json()["targetId"]
        with trio.fail_after(30):  # it is closed, and gone a moment later; other tests' tabs may stay longer
            while opened in (await served.client.get("/tabs")).text:  # noqa: ASYNC110
                await trio.sleep(0.05)


async def test_one_element_is_expanded(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        await served.open(pages.url("/"))
        heading = _id(await served.done("/control/snapshot"), "heading: Things")
        part = await served.done("/control/expand", elementId=heading)
        assert "Things" in part["combinedTree"]
        assert "Buy" not in part["combinedTree"]


async def test_tabs_are_listed_opened_and_closed(browser_endpoint: str, browser: hybridsnap.Browser) -> None:
    theirs = await browser.new_page("about:blank")
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        target = await served.open(pages.url("/"))
        tabs = {tab["targetId"]: tab for tab in (await served.client.get("/tabs")).json()["tabs"]}
        assert tabs[target]["own"] is True
        assert tabs[target]["title"] == "Shop"
        assert tabs[theirs.target_id]["own"] is False
        assert (await served.client.delete(f"/tabs/{theirs.target_id}")).status_code == 403
        assert (await served.client.delete("/tabs", params={"targetId": target})).status_code == 204
        assert target not in await browser.page_ids()
        assert theirs.target_id in await browser.page_ids()
        assert (await served.client.delete(f"/tabs/{target}")).status_code == 404


async def test_a_url_whose_snapshot_is_refused_leaves_no_tab(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        before = await browser.page_ids()
        for wrong in ({"format": "ai", "maxTokens": 1}, {"focus": "//nothing"}):
            refused = await served.post("/control/snapshot", url=pages.url("/"), **wrong)
            assert refused.is_client_error, refused.text
            assert await browser.page_ids() == before


async def test_one_budget_holds_for_all(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        target = await served.open(pages.url("/"))
        started = trio.current_time()
        late = await served.post(
            "/control/act", targetId=target, action="wait_for", text="never", timeoutMs=700
        )
        assert (late.status_code, late.json()["error"]) == (504, "WaitTimeout")
        assert 0.6 < trio.current_time() - started < 5
        # Of two at once the second has what the first leaves of its own budget: nothing.
        async with trio.open_nursery() as nursery:
            wait = {"targetId": target, "action": "wait_for", "text": "never", "timeoutMs": 60_000}
            nursery.start_soon(lambda: served.post("/control/act", **wait))
            await eventually(lambda: served.waiting_for(target))  # it has the turn
            queued = await served.post("/control/snapshot", targetId=target, timeoutMs=300)
            assert (queued.status_code, queued.json()["error"]) == (504, "DeadlineExceeded")
            nursery.cancel_scope.cancel()
        await eventually(lambda: not served.waiting_for(target))
        # Where nobody else is at work, nobody else is blamed.
        for path, what in (
            ("/control/snapshot", {}),
            ("/control/act", {"action": "text", "element": "p"}),
            ("/control/expand", {"elementId": "0-1"}),
        ):
            hasty = await served.post(path, targetId=target, timeoutMs=0.001, **what)
            assert (hasty.status_code, hasty.json()["error"]) == (504, "DeadlineExceeded"), path
            assert "other" not in hasty.json()["detail"]
        short = await served.post(
            "/control/act",
            actions=[
                {"action": "wait_for", "text": "never", "timeoutMs": 100},
                {"action": "text", "element": "p"},
            ],
            stopOnError=False,
        )
        assert [one["ok"] for one in short.json()["results"]] == [False, True]


_WORKS = f"""<title>Works</title><button onclick='
  window.clicks = (window.clicks ?? 0) + 1; if (clicks === 1) {busy_for(1800)}
'>work</button>"""


async def test_what_was_done_in_all_its_time_is_told(
    browser_endpoint: str, browser: hybridsnap.Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules: dict[str, Any] = {"deny_hosts": ("evil.test",), "allow_evaluate": True}
    async with serve_pages({"/": _WORKS}) as pages, serving(browser_endpoint, **rules) as served:
        there = str((await browser.new_page(pages.url("/"))).target_id)
        click = {"action": "click", "element": "button"}

        async def work(target: str) -> None:
            done = await served.done("/control/act", **click, targetId=target, timeoutMs=1500)
            assert done["receipt"]["action"] == "click"
            value = await served.done("/control/evaluate", targetId=target, expression="clicks")
            assert value["value"] == 1

        async with trio.open_nursery() as nursery:
            nursery.start_soon(work, await served.open(pages.url("/")))
            nursery.start_soon(work, there)
        # Where not even the browser answers, it is told that it was done, and nothing else.
        asked = 0

        async def shown(page: Page, deadline: Deadline) -> list[Document]:
            nonlocal asked
            asked += 1
            if asked == 2:
                raise unanswered("Target.getTargetInfo", "timeout")
            return await shown_documents(page, deadline)

        monkeypatch.setattr("hybridsnap.service.content_policy.shown_documents", shown)
        answer = await served.post("/control/act", **click, targetId=there, timeoutMs=20_000)
        problem = answer.json()
        assert (answer.status_code, problem["error"]) == (504, "AddressUnknown")
        assert problem["fields"] == {"done": True}
        assert "receipt" not in answer.text
        value = await served.done("/control/evaluate", targetId=there, expression="clicks")
        assert value["value"] == 2


async def test_a_tab_that_does_not_answer_is_listed_without_its_title(
    browser_endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        serve_pages(_PAGES) as pages,
        serving(browser_endpoint, deny_hosts=("evil.test",)) as served,
    ):
        silent, other = [await served.open(pages.url("/")) for _ in range(2)]

        async def shown(page: Page, deadline: Deadline) -> list[Document]:
            if page.target_id == silent:
                raise unanswered("Target.getTargetInfo", "timeout")
            return await shown_documents(page, deadline)

        monkeypatch.setattr("hybridsnap.service.content_policy.shown_documents", shown)
        listed = await served.client.get("/tabs")
        assert listed.status_code == 200, listed.text
        titles = {tab["targetId"]: tab["title"] for tab in listed.json()["tabs"]}
        assert (titles[silent], titles[other]) == ("", "Shop")
        hasty = await served.client.get("/tabs", params={"timeoutMs": 0.001})
        assert {silent, other} <= {tab["targetId"] for tab in hasty.json()["tabs"]}


async def test_scripts_are_evaluated_where_that_is_allowed(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, allow_evaluate=True) as served:
        await served.open(pages.url("/"))
        value = await served.done("/control/evaluate", expression="(a, b) => a + b", args=[1, 2])
        assert value["value"] == 3
        odd = await served.done("/control/evaluate", expression="[NaN, 2n ** 70n, '\\ud800']")
        assert odd["value"] == ["NaN", 2**70, "\ufffd"]
        thrown = await served.post("/control/evaluate", expression="null.x")
        assert (thrown.status_code, thrown.json()["fields"]["name"]) == (422, "TypeError")
        round_ = await served.post("/control/evaluate", expression="const a = []; a.push(a); a")
        assert (round_.status_code, round_.json()["error"]) == (400, "ValueError")
        endless = await served.post("/control/evaluate", expression="while (true);", timeoutMs=800)
        assert (endless.status_code, endless.json()["error"]) == (504, "EvaluationTimeout")
        assert (await served.done("/control/snapshot"))["report"]["complete"] is True


async def test_files_go_and_come_in_the_folders_that_are_given(browser_endpoint: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "in").mkdir()
    (tmp_path / "out/a.txt").write_text("hello")
    page = (
        '<input type=file onchange="document.title = this.files[0].name">'
        "<a download=got.txt href='data:,hello'>get</a><p>nothing</p>"
    )
    folders: dict[str, Any] = {"upload_folders": (tmp_path / "out",), "download_folders": (tmp_path / "in",)}
    async with serve_pages({"/": page}) as pages, serving(browser_endpoint, **folders) as served:
        await served.open(pages.url("/"))
        paths = [str(tmp_path / "out/a.txt")]
        await served.done("/control/act", action="set_input_files", element="input", paths=paths)
        await served.done("/control/act", action="fill", element="input", value=paths[0])
        assert (await served.client.get("/tabs")).json()["tabs"][-1]["title"] == "a.txt"
        got = await served.done("/control/act", action="click", element="a", download={"folder": "sub"})
        assert got["download"]["path"] == str(tmp_path / "in/sub/got.txt")
        (told,) = got["receipt"]["downloads"]
        assert (told["path"], told["underWay"]) == (got["download"]["path"], False)
        assert "download got.txt: saved as " in got["text"]
        assert (tmp_path / "in/sub/got.txt").read_text() == "hello"
        none = await served.post("/control/act", action="click", element="#none", wait=False, download={})
        assert none.status_code == 404
        idle = {"action": "click", "element": "p", "timeoutMs": 2000}
        vain = await served.post("/control/act", **idle, download={})
        assert (vain.status_code, vain.json()["error"]) == (502, "DownloadFailed")
        assert vain.json()["fields"]["receipt"]["action"].startswith("click")
        for folder in ("x" * 300, "sub/got.txt", "sub/got.txt/below"):
            nowhere = await served.post("/control/act", **idle, download={"folder": folder})
            assert (nowhere.status_code, nowhere.json()["error"]) == (400, "BadRequest"), folder


async def test_a_dialog_is_answered_while_something_waits_for_it(browser_endpoint: str) -> None:
    page = "<button onclick=\"document.title = confirm('Sure?'); this.id = 'x'\">Ask</button>"
    async with serve_pages({"/": page}) as pages, serving(browser_endpoint) as served:
        target = await served.open(pages.url("/"))
        asked = await served.done("/control/act", action="click", element="button")
        assert asked["receipt"]["dialog"]["message"] == "Sure?"
        answers = {}

        async def wait() -> None:
            answers["wait"] = await served.post("/control/act", action="wait_for", selector="#x")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await eventually(lambda: served.waiting_for(target))
            said = await served.done("/control/act", action="answer_dialog", accept=True)
            assert said["value"]["type"] == "confirm"
        assert answers["wait"].status_code == 200, answers["wait"].text
        assert (await served.client.get("/tabs")).json()["tabs"][-1]["title"] == "true"


async def test_the_error_of_an_open_dialog_says_how_to_answer_it(browser_endpoint: str) -> None:
    page = "<button onclick=\"document.title = confirm('Sure?')\">Ask</button>"
    async with serve_pages({"/": page}) as pages, serving(browser_endpoint) as served:
        await served.open(pages.url("/"))
        for path, body in (
            ("/control/snapshot", {}),
            ("/control/act", {"action": "text", "element": "button"}),
        ):
            await served.done("/control/act", action="click", element="button")
            refused = await served.post(path, **body, timeoutMs=10_000)
            assert refused.status_code in {502, 504}, refused.text
            way, _, said = refused.json()["remedy"].partition("POST /control/act ")
            assert way == "answer the dialog first: "
            answered = await served.done("/control/act", **json.loads(said))  # as it stands there
            assert answered["value"]["message"] == "Sure?"
            assert (await served.post(path, **body)).status_code == 200
        # What one command is asked for waits until its deadline: that the page is silent tells no more.
        await served.done("/control/act", action="click", element="button")
        held_up: list[tuple[str, dict[str, Any]]] = [
            ("/control/storage", {"action": "items"}),
            ("/control/storage", {"action": "state"}),
            ("/control/emulation", {"set": {"viewport": [500, 500]}}),
            ("/control/screenshot", {"fullPage": True}),
            ("/control/pdf", {}),
        ]
        for part, asked in held_up:
            refused = await served.post(part, **asked, timeoutMs=200)
            assert (refused.status_code, refused.json()["remedy"]) == (504, way + "POST /control/act " + said)


async def test_relative_paths_of_uploads_are_of_the_folder_that_is_given(
    browser_endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("first/below", "second", "elsewhere/below"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "first/below/a.txt").write_text("of the first folder")
    (tmp_path / "second/b.txt").write_text("of the second folder")
    (tmp_path / "elsewhere/below/a.txt").write_text("of the working directory")
    (tmp_path / "elsewhere/c.txt").write_text("of the working directory")
    monkeypatch.chdir(tmp_path / "elsewhere")
    page = "<input type=file onchange='this.files[0].text().then((text) => { document.title = text; })'>"
    folders = (tmp_path / "first", tmp_path / "second")
    async with (
        serve_pages({"/": page}) as pages,
        serving(browser_endpoint, upload_folders=folders, allow_evaluate=True) as served,
    ):
        await served.open(pages.url("/"))
        upload = {"action": "set_input_files", "element": "input"}
        for path, text in (("below/a.txt", "of the first folder"), ("b.txt", "of the second folder")):
            await served.done("/control/act", **upload, paths=[path])
            shown = f"document.title === {json.dumps(text)}"
            await served.done("/control/act", action="wait_for", function=shown)
        for path, status in (("c.txt", 400), ("../elsewhere/c.txt", 403)):  # files of the working directory
            refused = await served.post("/control/act", **upload, paths=[path])
            assert refused.status_code == status, refused.text


async def test_a_body_that_is_no_json_is_refused(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        for body in ("", "{", "[1", '{"a": 1} x', "[" * 100_000):
            answer = await served.client.post(
                "/control/act", content=body, headers={"content-type": "application/json"}
            )
            assert (answer.status_code, answer.json()["error"]) == (400, "BadRequest"), body[:20]


async def test_evaluate_and_expand_name_elements_as_actions_do(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, allow_evaluate=True) as served:
        await served.open(pages.url("/"))
        seen = await served.done("/control/snapshot", format="role")
        button = _id(seen, "button: Buy")
        (ref,) = [ref for ref, one in seen["refs"].items() if one["name"] == "Buy"]
        assert seen["refs"][ref]["elementId"] == button
        assert seen["stats"]["refs"] == len(seen["refs"])
        backend = int(button.partition("-")[2])
        as_of = seen["report"]["snapshotId"]
        ways: list[dict[str, Any]] = [
            {"elementId": button},
            {"ref": ref},
            {"backendDOMNodeId": backend},
            {"backendNodeId": backend, "frame": 0},
            {"elementId": button, "asOf": as_of},
        ]
        for way in ways:
            value = await served.done("/control/evaluate", expression="(it) => it.textContent", **way)
            assert value["value"] == "Buy", way
            acted = await served.done(
                "/control/act", action="evaluate", expression="(it) => it.tagName", **way
            )
            assert acted["value"] == "BUTTON", way
            part = await served.done("/control/expand", **way)
            assert "button: Buy" in part["combinedTree"], way
            assert "Things" not in part["combinedTree"], way
        value = await served.done(
            "/control/evaluate", expression="(it) => it.localName", element="h1, p", nth=1
        )
        assert value["value"] == "p"
        args = await served.done("/control/act", action="evaluate", expression="(a, b) => a - b", args=[5, 3])
        assert args["value"] == 2
        twice = await served.post("/control/evaluate", expression="1", element="p", ref=ref)
        assert twice.status_code == 400
        assert "named twice" in twice.json()["detail"]


async def test_an_evaluation_is_an_action_that_is_closed_unless_allowed(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        await served.open(pages.url("/"))
        refused = await served.post("/control/act", action="evaluate", expression="1")
        assert refused.status_code == 403
        assert "--allow-evaluate" in refused.json()["remedy"]


async def test_a_deadline_may_be_a_moment(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint, allow_evaluate=True) as served:
        await served.open(pages.url("/"))
        now = time.time() * 1000
        late = await served.post("/control/evaluate", expression="1", deadlineAtMs=now - 5)
        assert late.status_code == 400
        assert "deadlineAtMs is past" in late.json()["detail"]
        endless = await served.post(
            "/control/evaluate", expression="while (true);", deadlineAtMs=time.time() * 1000 + 1500
        )
        assert endless.status_code == 504
        assert (await served.done("/control/evaluate", expression="2", deadlineAtMs=now + 60_000))[
            "value"
        ] == 2


async def test_renderings_of_one_format_over_http(browser_endpoint: str) -> None:
    async with serve_pages(_PAGES) as pages, serving(browser_endpoint) as served:
        await served.open(pages.url("/"))
        english = await served.done(
            "/control/snapshot", format="controls", lang="en", action="look", time="now"
        )
        chinese = await served.done("/control/snapshot", format="controls", lang="zh")
        assert "look" in english["text"]
        assert english["text"] != chinese["text"]
        aria = await served.done("/control/snapshot", format="aria", limit=2)
        assert len(aria["text"].splitlines()) <= 3
        flat = await served.done("/control/snapshot", interactive=True, flat=True)
        assert all(not line.startswith(" ") for line in flat["text"].splitlines())
        scoped = await served.done("/control/snapshot", format="role", scope="button")
        assert "Buy" in scoped["text"]
        assert "Next" not in scoped["text"]
        info = (await served.done("/control/snapshot", format="webarena"))["info"]
        assert info
        wrong = await served.post("/control/snapshot", format="tree", limit=2)
        assert wrong.status_code == 400


async def test_details_records_and_viewports_over_http(browser_endpoint: str) -> None:
    table = (
        "<table><tr><th>Name<th>Price<tr><td>Tea<td>2<tr><td>Mate<td>3 <button class=buy>Buy</button></table>"
    )
    async with serve_pages({"/": table}) as pages, serving(browser_endpoint) as served:
        url = pages.url("/")
        first = await served.open(url)

        async def shown(**options: Any) -> dict[str, Any]:
            return dict(await served.done("/control/snapshot", targetId=first, **options))

        bare, lean, rich = [
            (await shown(format="ai", detail=one))["text"] for one in ("bare", "lean", "rich")
        ]
        assert "class=buy" in rich
        assert "{box=" in rich
        assert "class=buy" not in lean
        assert "button: Buy" in bare
        lines = (await shown(format="records"))["text"].splitlines()
        assert [json.loads(line).get("values", {}).get("Name") for line in lines] == [None, "Tea", "Mate"]
        csv = (await shown(format="records", csv=True))["text"].splitlines()
        assert any(line.startswith("Tea,2") for line in csv), csv
        small = await served.done(
            "/control/snapshot", url=url, close=True, format="ai", layout=True, viewport=[640, 480]
        )
        assert " viewport 640x480 at 0,0 of " in small["text"].splitlines()[0]
        tab = await served.done("/tabs", url=url, viewport=[500, 400])
        seen = await served.done("/control/snapshot", targetId=tab["targetId"], layout=True)
        assert seen["layout"]["viewport"]["width"] == 500
        for wrong in ({"detail": "full"}, {"csv": True}, {"viewport": [0, 400]}, {"viewport": [500, 400]}):
            assert (await served.post("/control/snapshot", format="ai", **wrong)).status_code == 400


async def test_forms_and_dialogs_as_others_write_them(browser_endpoint: str) -> None:
    page = _PAGE + "<button id=ask onclick='document.title = String(confirm(1))'>Ask</button>"
    async with serve_pages({"/": page}) as pages, serving(browser_endpoint) as served:
        await served.open(pages.url("/"))
        seen = await served.done("/control/snapshot", format="role")
        (ref,) = [ref for ref, one in seen["refs"].items() if one["name"] == "Name"]
        fields = [{"ref": ref, "type": "text", "value": "Ada"}]
        filled = await served.done("/control/act", action="fill_form", entries=fields)
        assert filled["receipt"]["value"][0]["target"] == 'textbox "Name"'
        armed = await served.done("/control/act", action="arm_dialog", accept=False)
        assert armed["value"] == {"accept": False}
        asked = await served.done("/control/act", action="click", element="#ask")
        assert asked["receipt"]["answered"]
        assert asked["receipt"]["dialog"] is None
        unknown = await served.post(
            "/control/act", action="fill_form", entries=[{"ref": ref, "id": ref, "value": ""}]
        )
        assert "give one of them" in unknown.json()["detail"]


_CHOOSING = """<input type=file id=f hidden onchange="o.textContent = 'got ' + this.files[0].name">
<button onclick="f.click()">Upload</button><p id=o>none</p><label>Name <input id=name></label>"""


async def test_steps_and_file_choosers(browser_endpoint: str, tmp_path: Path) -> None:
    (tmp_path / "cv.txt").write_bytes(b"x")
    site = {**_PAGES, "/choose": _CHOOSING}
    async with serve_pages(site) as pages, serving(browser_endpoint, upload_folders=(tmp_path,)) as served:
        await served.open(pages.url("/choose"))
        seen = await served.done("/control/snapshot")
        field, button = _id(seen, "textbox: Name"), _id(seen, "button: Upload")
        typed = await served.done("/control/act", action=f"type [{field}] [Ada] [0]", description="the name")
        assert typed["action"] == "type"
        assert typed["receipt"]["action"] == "type"
        assert [one["action"] for one in typed["receipts"]] == ["click", "type"]
        choosing = {"action": "click", "element": button}
        await served.done("/control/act", **choosing, chooserFiles=["cv.txt"])
        refused = await served.post("/control/act", **choosing, chooserFiles=["/etc/passwd"])
        assert (refused.status_code, refused.json()["error"]) == (403, "FolderRefused")
        batch = [{"action": "text", "element": "#o"}, f"clear [{field}]", f"goto [{pages.url('/next')}]"]
        done = await served.done("/control/act", actions=batch)
        assert [one["action"] for one in done["results"]] == ["text", "clear", "goto"]
        assert done["results"][0]["value"] == "got cv.txt"
        assert '"Ada" → ""' in done["results"][1]["text"]
        assert done["results"][2]["value"]["url"] == pages.url("/next")
        wrong = {
            "click [x]": "click [7]",
            "tab_focus [0]": "targetId",
            "goto [file:///etc/passwd]": "file:",
        }
        for step, words in wrong.items():
            answer = await served.post("/control/act", actions=[step])
            assert words in answer.text, step
            assert answer.status_code == 400 or answer.json()["results"][0]["ok"] is False
