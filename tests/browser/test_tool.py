"""The browser tool for agents, by the acceptance list of its specification."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
import trio

from hybridsnap.tool import BrowserTool, PlaywrightBrowserTool
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support import http
    from tests.support.pages import Content

_FORM = """<!doctype html><title>Sign in</title><body style="margin:0;height:3000px">
<a href="/home">Home</a>
<label>User <input name=user value=old></label>
<label>Password <input type=password name=secret value=hunter2></label>
<select id=country><option>中国<option>美国<option>日本</select>
<label><input type=checkbox id=stay> Stay</label> <label><input type=radio id=one> One</label>
<button id=go onclick="document.title = 'Sent: ' + document.querySelector('[name=user]').value">Send</button>
<button id=late disabled>Late</button><button id=hidden style="display:none">Hidden</button>
<button id=ask onclick="alert('read me')">Ask</button>
<script>setTimeout(() => { document.getElementById('late').disabled = false }, 700)</script>"""


class _Site:
    """A server in a thread of its own: the tool blocks its caller."""

    def __init__(self) -> None:
        self.url = ""
        self._ready, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=trio.run, args=(self._serve,))

    async def _hang(self, _: http.Request) -> http.Response:
        await trio.sleep_forever()
        raise AssertionError("unreachable")

    async def _serve(self) -> None:
        pages: dict[str, Content] = {
            "/": _FORM,
            "/home": "<title>Home page</title><p>home",
            "/busy": "<title>Busy</title><p>here<script>fetch('/never')</script>",
            "/never": self._hang,
        }
        async with serve_pages(pages) as server:
            self.url = server.url("/")
            self._ready.set()
            await trio.to_thread.run_sync(self._over.wait)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with _Site() as site:
        yield site.url


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserTool]:
    tool = BrowserTool(directory=tmp_path_factory.mktemp("saved"))
    done(tool, action="launch")
    yield tool
    tool.close_all()


@pytest.fixture
def tool(shared: BrowserTool, site: str) -> BrowserTool:
    """The shared tool, at the form."""
    done(shared, action="navigate", url=site)
    return shared


def done(tool: BrowserTool, **args: Any) -> dict[str, Any]:
    result = tool.execute(args)
    assert result["success"], result
    assert result["stderr"] == ""
    return result


def refused(tool: BrowserTool, **args: Any) -> str:
    result = tool.execute(args)
    assert set(result) == {"success", "stdout", "stderr", "output_files"}
    assert not result["success"], result
    assert result["stdout"] == ""
    assert result["output_files"] == []
    said: str = result["stderr"]
    assert said
    assert "\n" not in said
    return said


def saved(result: dict[str, Any]) -> str:
    (path,) = result["output_files"]
    return Path(path).read_text(encoding="utf-8")


def test_the_schema_is_the_specification_s() -> None:
    tool = BrowserTool()
    assert PlaywrightBrowserTool is BrowserTool
    assert tool.name == "playwright_browser"
    assert tool.directory.name == "playwright_browser"
    properties = tool.parameters["properties"]
    assert properties["action"]["enum"] == [
        "launch", "navigate", "click", "type", "screenshot", "close", "list",
    ]  # fmt: skip
    assert {name: one["type"] for name, one in properties.items()} == {
        "action": "string",
        "browser_id": "string",
        "url": "string",
        "selector": "string",
        "text": "string",
        "wait_condition": "string",
        "timeout": "number",
        "content_mode": "string",
        "headless": "boolean",
    }
    assert tool.parameters["required"] == ["action"]
    assert tool.openai_schema()["function"]["parameters"] is tool.parameters
    assert tool.anthropic_schema()["input_schema"] is tool.parameters


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({}, "action"),
        ({"action": "fly"}, "fly"),
        ({"action": "navigate"}, "url"),
        ({"action": "click"}, "selector"),
        ({"action": "type", "selector": "#a"}, "text"),
        ({"action": "click", "selector": ""}, "selector"),
        ({"action": "click", "selector": 5}, "selector"),
        ({"action": "list", "colour": "red"}, "colour"),
        ({"action": "list", "timeout": 0}, "timeout"),
        ({"action": "list", "timeout": float("nan")}, "timeout"),
        ({"action": "list", "timeout": "soon"}, "timeout"),
        ({"action": "list", "wait_condition": "never"}, "wait_condition"),
        ({"action": "list", "content_mode": "pdf"}, "content_mode"),
        ({"action": "launch", "headless": "yes"}, "headless"),
        ({"action": "launch", "browser_id": "x" * 200}, "browser_id"),
    ],
)
def test_wrong_arguments(args: dict[str, Any], words: str) -> None:
    assert words in refused(BrowserTool(), **args)


def test_what_is_no_dictionary_is_refused() -> None:
    assert "action" in BrowserTool().execute(["launch"])["stderr"]  # type: ignore[arg-type]


@pytest.mark.parametrize("args", [
    {"action": "navigate", "url": "http://127.0.0.1/"},
    {"action": "click", "selector": "a"},
    {"action": "type", "selector": "a", "text": "b"},
    {"action": "screenshot"},
])  # fmt: skip
def test_without_a_browser(args: dict[str, Any]) -> None:
    assert "launch" in refused(BrowserTool(), **args)


def test_closing_what_is_not_open_and_an_empty_list() -> None:
    tool = BrowserTool()
    assert done(tool, action="close")["output_files"] == []
    assert done(tool, action="list")["output_files"] == []


def test_no_browser_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HYBRIDSNAP_BROWSER", str(tmp_path / "none"))
    assert "浏览器未安装" in refused(BrowserTool(directory=tmp_path), action="launch")


def test_typing_clicking_and_what_is_saved(tool: BrowserTool) -> None:
    text = saved(done(tool, action="type", selector="input[name=user]", text="grace"))
    assert text.startswith("操作: type\nURL: http://")
    assert re.search(r"^时间: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$", text, re.MULTILINE)
    assert "=== 可交互控件 ===" in text
    for kind in ("链接", "按钮", "输入", "选择", "复选框", "单选框"):
        assert f"[{kind}]" in text, kind
    assert "选项: 中国, 美国, 日本" in text
    result = done(tool, action="click", selector="//button[@id='go']")
    assert "Sent: grace" in done(tool, action="list")["stdout"]
    assert "已点击元素" in result["stdout"]
    (path,) = result["output_files"]
    assert re.fullmatch(r"default_click_\d{8}_\d{6}(_\d+)?\.txt", Path(path).name)


def test_each_printed_selector_finds_its_element(tool: BrowserTool) -> None:
    text = saved(done(tool, action="click", selector="#go"))
    selectors = re.findall(r"^\[\w+\] .*? -> (.+)$", text, re.MULTILINE)
    assert len(selectors) >= 8
    page = tool.sessions["default"].page
    for selector in selectors:
        assert page.attributes(selector) is not None, selector


def test_clicks_wait_until_they_are_possible(tool: BrowserTool) -> None:
    done(tool, action="click", selector="#late", timeout=20)


def test_elements_that_cannot_be_acted_on(tool: BrowserTool) -> None:
    assert "元素不存在" in refused(tool, action="click", selector="#nothing", timeout=1)
    assert "元素不可见" in refused(tool, action="click", selector="#hidden", timeout=1)
    assert "不是可输入" in refused(tool, action="type", selector="#go", text="x", timeout=1)
    assert "选择器无效" in refused(tool, action="click", selector="a[", timeout=1)


def test_wrong_addresses(tool: BrowserTool) -> None:
    for url in ("example.com", "ftp://example.com", "javascript:alert(1)", "http://"):
        assert "http://" in refused(tool, action="navigate", url=url)


def test_html_mode_saves_the_page_s_own_html(tool: BrowserTool) -> None:
    result = done(tool, action="type", selector="[name=user]", text="x", content_mode="html")
    text = saved(result)
    assert text.startswith("<!DOCTYPE html>")
    assert "setTimeout" in text
    assert "hunter2" not in text
    assert result["output_files"][0].endswith(".html")


def test_a_screenshot_is_of_the_full_page(tool: BrowserTool) -> None:
    (path,) = done(tool, action="screenshot")["output_files"]
    png = Path(path).read_bytes()
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[20:24]) >= 3000


def test_a_fixed_wait(tool: BrowserTool) -> None:
    started = time.monotonic()
    result = done(tool, action="click", selector="#go", wait_condition="timeout", timeout=1.2)
    assert time.monotonic() - started >= 1.2
    assert "1.2" in result["stdout"]


def test_a_network_that_never_goes_idle_is_a_success_with_a_note(tool: BrowserTool, site: str) -> None:
    result = done(tool, action="navigate", url=f"{site}busy", timeout=2)
    assert "网络未空闲" in result["stdout"]
    assert len(result["output_files"]) == 1


def test_a_dialog_does_not_block_the_page(tool: BrowserTool) -> None:
    assert done(tool, action="click", selector="#ask")["output_files"]


def test_several_browsers_and_launching_again(site: str, tmp_path: Path) -> None:
    sessions: dict[str, Any] = {}
    tool = BrowserTool(directory=tmp_path / "made", sessions=sessions)
    try:
        done(tool, action="launch", browser_id="../a b")
        done(tool, action="launch", browser_id="b")
        done(tool, action="navigate", browser_id="b", url=f"{site}home")
        before = sessions["b"]
        listed = done(tool, action="list")["stdout"]
        assert listed.count("状态: 活跃") == 2
        assert "Home page" in listed
        assert all(path.parent == tmp_path / "made" for path in (tmp_path / "made").iterdir())
        assert len(list((tmp_path / "made").iterdir())) == 3
        done(tool, action="launch", browser_id="b")
        assert not before.is_open
        sessions["b"].close()  # by somebody else, behind the tool's back
        assert "状态: 关闭" in done(tool, action="list")["stdout"]
        assert "launch" in refused(tool, action="screenshot", browser_id="b")
        done(tool, action="close", browser_id="b")
        assert set(sessions) == {"../a b"}
    finally:
        tool.close_all()
    assert sessions == {}


def test_from_several_threads_one_call_after_the_other(tool: BrowserTool) -> None:
    results: list[dict[str, Any]] = []
    threads = [
        threading.Thread(target=lambda: results.append(tool.execute({"action": "click", "selector": "#go"})))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one["success"] for one in results] == [True] * 3
    assert len({one["output_files"][0] for one in results}) == 3


def test_the_viewport_of_its_pages(tmp_path: Path) -> None:
    tool = BrowserTool(directory=tmp_path, viewport=(500, 400))
    try:
        done(tool, action="launch")
        assert tool.sessions["default"].page.evaluate("[innerWidth, innerHeight]") == [500, 400]
    finally:
        tool.execute({"action": "close"})
    with pytest.raises(ValueError, match="viewport"):
        BrowserTool(viewport=(0, 400))
