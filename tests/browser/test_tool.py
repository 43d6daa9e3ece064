"""The browser tool for agents, by the acceptance list of its specification.

1. All that it does: every action, several browsers at once, what is saved and told:
   `test_typing_clicking_and_what_is_saved`, `test_several_browsers_and_launching_again`,
   `test_launching_and_closing`, `test_a_screenshot_is_of_the_full_page`.
2. What is saved: `test_html_mode_saves_the_page_s_own_html`, `test_abstract_mode_is_the_controls_format`,
   `test_the_specification_s_own_example`; each printed selector: test_tool_selectors.py.
3. Waiting: `test_the_network_is_waited_for`, `test_a_fixed_wait`,
   `test_a_network_that_never_goes_idle_is_a_success_with_a_note`.
4. Errors: tests/unit/test_tool.py, `test_elements_that_cannot_be_acted_on`, `test_wrong_addresses`,
   `test_no_browser_installed`, `test_a_window_without_a_display`.
5. Resources: `test_launching_and_closing`, `test_several_browsers_and_launching_again`,
   `test_nothing_is_left_when_the_process_ends`.
6. Code: what checks all of it.
7. Agents: tests/unit/test_tool.py (schema, registration, a call); the shape of results is checked everywhere.
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
import trio

from hybridsnap.tool import BrowserTool, browser_tool
from tests.support.pages import ENDLESS, serve_pages
from tests.support.processes import left_of

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
<button id=never disabled>Never</button><input id=unseen style="visibility:hidden">
<input id=fixed aria-label=Fixed readonly value=1><input id=shown-late style="display:none">
<div style="position:relative"><button id=covered>Covered</button>
<div style="position:absolute;inset:0"></div></div>
<script>setTimeout(() => { document.getElementById('shown-late').style.display = '' }, 700);
setTimeout(() => { document.getElementById('late').disabled = false }, 700)</script>"""


#: The page behind the specification's example of a saved page.
_EXAMPLE = """<!doctype html><title>Example</title><a href="/home" aria-label="首页">返回首页</a>
<button id="submit" aria-label="提交">提交表单</button><input name="username" aria-label="用户名">
<input name="password" type="password" aria-label="密码" value="hunter2">
<select id="country" aria-label="国家"><option>中国<option>美国<option>日本</select>"""
_EXAMPLE_SAVED = """\
操作: navigate
URL: https://example.com
时间: 2024-01-01 12:00:00

=== 可交互控件 ===

[链接] 首页 -> a[href="/home"]
  文本: "返回首页"

[按钮] 提交 -> button#submit
  文本: "提交表单"

[输入] 用户名 -> input[name="username"]
  类型: text

[输入] 密码 -> input[name="password"]
  类型: password

[选择] 国家 -> select#country
  选项: 中国, 美国, 日本
"""
_FRAMED = """<!doctype html><title>Framed</title><iframe src="/home" title="Home"></iframe>
<input type=password id=p><script>
document.body.append("made by script");
document.getElementById("p").value = "typed " + "secret";
document.getElementById("p").setAttribute("value", "typed " + "secret");
</script>"""
_CHAIN = """<!doctype html><title>Chain</title><button id=more onclick="ask('Again')">More</button><script>
async function ask(words) {
  for (let count = 0; count < 8; count++) await fetch("/moment");
  document.body.append(Object.assign(document.createElement("button"), {textContent: words}));
}
ask("Arrived");
</script>"""


#: Of a call that does not wait for the network to be quiet.
AT_ONCE: dict[str, Any] = {"wait_condition": "timeout", "timeout": 0.01}


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
            "/example": _EXAMPLE,
            "/asks": "<title>Asks</title><input><script>onbeforeunload = (e) => e.preventDefault()</script>",
            "/framed": _FRAMED,
            "/chain": _CHAIN,
            "/stuck": f"<button id=go>Go</button><script>go.onclick = () => {ENDLESS}</script>",
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
    """The shared tool, at the form; no half second is spent on a quiet network."""
    done(shared, action="navigate", url=site, **AT_ONCE)
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


def test_no_browser_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HYBRIDSNAP_BROWSER", str(tmp_path / "none"))
    said = refused(BrowserTool(directory=tmp_path), action="launch")
    assert said.startswith("浏览器未安装或无法启动: ")
    assert said.endswith("give the path of a Chromium or Chrome executable, or none to have it found")


def test_a_window_without_a_display(tool: BrowserTool, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    said = refused(tool, action="launch", headless=False)
    assert said.startswith("headless=false 需要显示器, 但没有")
    assert "请使用 headless=true, 或用 xvfb-run 运行" in said
    assert "状态: 活跃" in done(tool, action="list")["stdout"], "the browser that is open stays"


def test_launching_and_closing(site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    tool = BrowserTool(directory=tmp_path / "saved", viewport=(500, 400))
    try:
        result = done(tool, action="launch", content_mode="html")
        (path,) = result["output_files"]
        assert result["stdout"] == f"浏览器 'default' 已启动\n页面内容已保存: {path}"
        assert re.fullmatch(r"default_launch_\d{8}_\d{6}\.html", Path(path).name)
        assert saved(result) == "<html><head></head><body></body></html>\n"
        assert (tmp_path / "saved").stat().st_mode & 0o777 == 0o700
        assert tool.sessions["default"].page.evaluate("[innerWidth, innerHeight]") == [500, 400]
        files = done(tool, action="navigate", url=site, **AT_ONCE)["output_files"]
        result = done(tool, action="close")
    finally:
        tool.close_all()
    assert result == {
        "success": True,
        "stdout": f"浏览器 'default' 已关闭; 已保存的文件保留在 {tmp_path / 'saved'}",
        "stderr": "",
        "output_files": [],
    }
    assert all(Path(path).is_file() for path in files)
    assert left_of(tmp_path / "tmp") == []
    assert done(tool, action="close")["stdout"] == "浏览器 'default' 未启动, 视为已关闭"


def test_no_such_viewport() -> None:
    with pytest.raises(ValueError, match="viewport"):
        BrowserTool(viewport=(0, 400))


_LEFT = """
import sys
from hybridsnap.tool import BrowserTool, browser_tool
tool = BrowserTool()
for name in ("a", "b"):
    assert tool.execute({"action": "launch", "browser_id": name})["success"]
print(tool.execute({"action": "list"})["stdout"].count("活跃"))
"""


def test_nothing_is_left_when_the_process_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    ended = subprocess.run([sys.executable, "-c", _LEFT], capture_output=True, check=True, timeout=120)
    assert (ended.stdout, ended.stderr) == (b"2\n", b"")
    assert [Path(one).name for one in left_of(tmp_path / "tmp")] == ["playwright_browser"]


def test_typing_clicking_and_what_is_saved(tool: BrowserTool) -> None:
    text = saved(done(tool, action="type", selector="input[name=user]", text="grace", **AT_ONCE))
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


def test_abstract_mode_is_the_controls_format(tool: BrowserTool) -> None:
    text = saved(done(tool, action="click", selector="#go", **AT_ONCE))
    time_line = text.splitlines()[2]
    assert time_line.startswith("时间: ")
    page = tool.sessions["default"].page
    expected = page.snapshot().render("controls", lang="zh", action="click", time=time_line.partition(" ")[2])
    assert text == f"{expected}\n"
    assert "hunter2" not in text


def test_the_specification_s_own_example(tool: BrowserTool, site: str) -> None:
    text = saved(done(tool, action="navigate", url=f"{site}example", **AT_ONCE))
    assert re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "2024-01-01 12:00:00", text) == _EXAMPLE_SAVED.replace(
        "https://example.com", f"{site}example"
    )


def test_elements_are_waited_for(tool: BrowserTool) -> None:
    done(tool, action="click", selector="#late", timeout=20)
    done(tool, action="type", selector="#shown-late", text="x", timeout=20)


def test_ids_of_a_snapshot_are_selectors_too(tool: BrowserTool) -> None:
    page = tool.sessions["default"].page
    (button,) = page.snapshot().find("button", "Send")
    assert button.id is not None
    done(tool, action="click", selector=button.id, **AT_ONCE)
    assert "Sent: old" in done(tool, action="list")["stdout"]


def test_the_network_is_waited_for(tool: BrowserTool, site: str) -> None:
    """Eight requests, one after the other: what the last of them brings is in the file."""
    assert "[按钮] Arrived" in saved(done(tool, action="navigate", url=f"{site}chain"))
    assert "[按钮] Again" in saved(done(tool, action="click", selector="#more"))


#: A call on the form, with what its refusal begins with and what it holds.
_NOT_ACTED_ON: list[tuple[dict[str, Any], str, str]] = [
    ({"action": "click", "selector": "#nothing"}, "元素不存在: ", "#nothing"),
    ({"action": "click", "selector": "//button[@id='nothing']"}, "元素不存在: ", "nothing"),
    ({"action": "click", "selector": "0-99999"}, "元素不存在: ", "0-99999"),
    ({"action": "click", "selector": "button"}, "选择器匹配多个元素: ", 'button "Send"'),
    ({"action": "click", "selector": "a["}, "选择器无效: ", "a["),
    ({"action": "click", "selector": "#hidden"}, "元素不可见: ", "open what holds it first"),
    (
        {"action": "click", "selector": "#covered"},
        "元素不可点击: ",
        "lies over it; act on that first (waited",
    ),
    ({"action": "click", "selector": "#never"}, "元素已禁用: ", "enable it first"),
    ({"action": "type", "selector": "#unseen", "text": "x"}, "元素不可见: ", "it is invisible"),
    ({"action": "type", "selector": "#go", "text": "x"}, "元素不是可输入的类型: ", "Send"),
    ({"action": "type", "selector": "#fixed", "text": "x"}, "元素是只读的: ", "Fixed"),
]


def test_elements_that_cannot_be_acted_on(tool: BrowserTool, subtests: pytest.Subtests) -> None:
    def act(args: dict[str, Any]) -> str:
        # A tool does one call after the other; these wait for their elements side by side.
        return refused(BrowserTool(directory=tool.directory, sessions=tool.sessions), **args, timeout=4)

    with ThreadPoolExecutor(len(_NOT_ACTED_ON)) as pool:
        calls = [pool.submit(act, args) for args, _, _ in _NOT_ACTED_ON]
    for call, (args, beginning, words) in zip(calls, _NOT_ACTED_ON, strict=True):
        with subtests.test(str(args)):
            said = call.result()
            assert said.startswith(beginning)
            assert words in said
    done(tool, action="click", selector="button >> nth=0", **AT_ONCE)  # what the refusal of several offers
    assert "Sent: old" in done(tool, action="list")["stdout"]


def test_wrong_addresses(tool: BrowserTool) -> None:
    for url in ("example.com", "ftp://example.com", "javascript:alert(1)", "http://", "file:///etc/passwd"):
        said = refused(tool, action="navigate", url=url)
        assert said.startswith(f"URL 无效: {url!r}; URL 必须以 http:// 或 https:// 开头")
    with socket.socket() as taken:  # bound, and not listening: nobody else takes the port meanwhile
        taken.bind(("127.0.0.1", 0))
        said = refused(tool, action="navigate", url=f"http://127.0.0.1:{taken.getsockname()[1]}/")
    assert said.startswith("操作失败: ")
    assert "nothing listens there" in said


def test_an_address_that_does_not_answer(tool: BrowserTool, site: str) -> None:
    said = refused(tool, action="navigate", url=f"{site}never", timeout=1)
    assert said.startswith(f"'{site}never' 没有响应")
    listed = done(tool, action="list")["stdout"]
    assert f"页面 URL: {site}\n" in listed + "\n"
    assert "页面标题: Sign in\n" in listed, "the browser tells it, the page is not asked"


def test_what_was_done_is_told_when_it_cannot_be_saved(tool: BrowserTool, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    other = BrowserTool(directory=tmp_path / "file", sessions=tool.sessions)
    said = refused(other, action="click", selector="#go")
    assert said.startswith("操作已完成, 请勿重复; 但之后出错: 文件无法保存, 请检查 directory 是否可写: ")
    assert "Sent: old" in done(other, action="list")["stdout"]
    assert refused(other, action="screenshot").startswith("文件无法保存")


def test_a_page_that_hangs_after_the_action_is_given_what_is_left_of_its_time(
    tool: BrowserTool, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser_tool, "_LEAST_SECONDS", 1.0)  # a time that is not up to be waited for
    done(tool, action="launch", browser_id="stuck")
    done(tool, action="navigate", url=f"{site}stuck", browser_id="stuck", **AT_ONCE)
    said = refused(tool, action="click", selector="#go", timeout=2, browser_id="stuck")
    done(tool, action="close", browser_id="stuck")
    assert said.startswith("操作已完成, 请勿重复; 但之后出错: ")
    # Of 1 s; it was 30 s whatever the timeout.
    given = re.search(r"\(cause: busy, after (\d+)\S* s of capturing\)", said)
    assert given
    assert int(given[1]) < 25


def test_a_page_that_asks_whether_to_leave_is_left(tool: BrowserTool, site: str) -> None:
    done(tool, action="navigate", url=f"{site}asks", **AT_ONCE)
    done(tool, action="type", selector="input", text="not sent yet", **AT_ONCE)
    assert f"已导航到: {site}home" in done(tool, action="navigate", url=f"{site}home")["stdout"]


def test_html_mode_saves_the_page_s_own_html(tool: BrowserTool, site: str) -> None:
    result = done(tool, action="type", selector="[name=user]", text="x", content_mode="html", **AT_ONCE)
    text = saved(result)
    assert text.startswith("<!DOCTYPE html>")
    assert "setTimeout" in text
    assert "hunter2" not in text
    assert result["output_files"][0].endswith(".html")
    result = done(tool, action="navigate", url=f"{site}framed", content_mode="html")
    text = saved(result)
    assert text == tool.sessions["default"].page.content() + "\n"
    assert '<iframe src="/home" title="Home"></iframe>' in text, "frames are left alone"
    assert "<p>home" not in text
    assert "made by script" in text, "as it is now"
    assert "typed secret" not in text


def test_a_screenshot_is_of_the_full_page(tool: BrowserTool) -> None:
    (path,) = done(tool, action="screenshot")["output_files"]
    png = Path(path).read_bytes()
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[20:24]) >= 3000


def test_a_fixed_wait(tool: BrowserTool) -> None:
    started = time.monotonic()
    result = done(tool, action="click", selector="#go", wait_condition="timeout", timeout=0.6)
    assert time.monotonic() - started >= 0.6
    assert "已等待 0.6 秒" in result["stdout"]


def test_a_fixed_wait_after_going_somewhere(tool: BrowserTool, site: str) -> None:
    result = done(tool, action="navigate", url=f"{site}busy", wait_condition="timeout", timeout=0.3)
    assert "已等待 0.3 秒" in result["stdout"], "and the traffic does not matter"


def test_a_network_that_never_goes_idle_is_a_success_with_a_note(tool: BrowserTool, site: str) -> None:
    result = done(tool, action="navigate", url=f"{site}busy", timeout=2)
    assert "网络未空闲" in result["stdout"]
    assert len(result["output_files"]) == 1


def test_a_dialog_does_not_block_the_page(tool: BrowserTool) -> None:
    assert done(tool, action="click", selector="#ask", **AT_ONCE)["output_files"]


def test_several_browsers_and_launching_again(site: str, tmp_path: Path) -> None:
    sessions: dict[str, Any] = {}
    tool = BrowserTool(directory=tmp_path / "made", sessions=sessions)
    try:
        done(tool, action="launch", browser_id="../a b")
        done(tool, action="launch", browser_id="b")
        done(tool, action="navigate", browser_id="b", url=f"{site}home", **AT_ONCE)
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
    click = {"action": "click", "selector": "#go", **AT_ONCE}
    threads = [threading.Thread(target=lambda: results.append(tool.execute(click))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one["success"] for one in results] == [True] * 3
    assert len({one["output_files"][0] for one in results}) == 3
