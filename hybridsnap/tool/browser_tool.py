"""The browser tool: its actions, and the browsers that it keeps."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import re
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from hybridsnap.client.viewport import DEFAULT_VIEWPORT, check_viewport
from hybridsnap.deadline import Deadline
from hybridsnap.errors import (
    BrowserLaunchFailed,
    BrowserNotFound,
    CommandUnanswered,
    ConnectionLost,
    ElementCovered,
    HybridsnapError,
    NotInteractable,
    SelectorError,
    StaleElement,
    UnknownElement,
    WaitTimeout,
)
from hybridsnap.sync import launch
from hybridsnap.text import clean_text
from hybridsnap.tool.arguments import DEFAULT_SECONDS, PARAMETERS, Refused, Request, read_request, shown

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from hybridsnap.client.viewport import ViewportSize
    from hybridsnap.sync import Browser, Page

__all__ = ["BrowserSession", "BrowserTool", "PlaywrightBrowserTool"]

#: Seconds for what has no timeout of its own: launching. Saving the page takes no more either.
_WORK_SECONDS = 30.0
#: Seconds for saving the page, at least, when the action and its wait have used up their time.
_LEAST_SECONDS = 5.0
#: Seconds for a browser to say which pages it has; it takes a millisecond.
_LOOK_SECONDS = 5.0
#: Characters of a browser id that a file name keeps; all others become "_".
_NOT_IN_FILE_NAMES = re.compile(r"[^\w-]")


class BrowserSession:
    """One open browser with its page. Values of the tool's ``sessions``.

    Attributes:
        browser: a `hybridsnap.sync.Browser`.
        page: the page that the actions are for.
    """

    def __init__(self, *, headless: bool, viewport: ViewportSize | None = None) -> None:
        self._stack = contextlib.ExitStack()
        try:
            self.browser: Browser = self._stack.enter_context(
                launch(headless=headless, viewport=viewport or DEFAULT_VIEWPORT, timeout=_WORK_SECONDS)
            )
            self.page: Page = self.browser.new_page()
        except BaseException:
            self._stack.close()
            raise
        # No action answers a dialog, and an open one blocks the page: dismissed, as Playwright does it. Only
        # whether to leave a page has been decided when that is asked.
        self.page.arm_dialog(accept=False, times=None)
        self.page.arm_dialog(times=None, only="beforeunload")

    @property
    def is_open(self) -> bool:
        """Whether the browser still answers."""
        return self.title is not None

    @property
    def title(self) -> str | None:
        """The page's title as the browser has it, however busy the page is; None where it is not open."""
        deadline = Deadline.after(_LOOK_SECONDS)
        try:
            targets = self.browser.session.send("Target.getTargets", deadline=deadline)["targetInfos"]
        except CommandUnanswered:  # it is busy: the action will tell
            return ""
        except HybridsnapError:
            return None
        target = next((one for one in targets if one["targetId"] == self.page.target_id), None)
        if target is None:
            return None
        title, url = str(target["title"]), str(target["url"])
        # The browser calls a page without a title by its address, at times without the scheme.
        addresses = {url.rstrip("/"), url.partition("://")[2].rstrip("/")}
        return "" if title.rstrip("/") in addresses else title

    def close(self) -> None:
        """End the browser. A second call does nothing."""
        self._stack.close()


class BrowserTool:
    """A browser that keeps its pages between calls, as one tool of an agent.

    Calls may come from any thread; they are done one after the other.

    Args:
        name: of the tool, as the model sees it.
        directory: where pages and screenshots are saved; made when it is missing. Left out, a directory
            ``playwright_browser`` in the system's directory for temporary files. The tool never deletes
            anything in it; ``find DIRECTORY -mtime +7 -delete`` deletes what is older than a week.
        sessions: a dictionary to keep the open browsers in, such as an agent's ``browser_sessions``.
        viewport: of the pages, width and height in CSS px; None for 1280 × 720.

    Attributes:
        name: of the tool.
        description: what it is for, as the model sees it.
        parameters: JSON schema of `execute`'s argument.
        directory: where files are saved.
        sessions: browser id → `BrowserSession`.
    """

    description: ClassVar[str] = (
        "控制浏览器执行自动化操作（如导航、点击、输入等）。与execute_script不同，此工具创建持久会话，保持浏览器状态。"
    )
    parameters: ClassVar[dict[str, Any]] = PARAMETERS

    def __init__(
        self,
        name: str = "playwright_browser",
        directory: str | Path | None = None,
        sessions: MutableMapping[str, BrowserSession] | None = None,
        *,
        viewport: ViewportSize | None = None,
    ) -> None:
        self.viewport: ViewportSize | None = check_viewport(viewport)
        self.name = name
        self.directory: Path = (
            Path(tempfile.gettempdir(), "playwright_browser") if directory is None else Path(directory)
        )
        self.sessions: MutableMapping[str, BrowserSession] = {} if sessions is None else sessions
        self._one_at_a_time = threading.Lock()

    def execute(self, args: dict[str, Any]) -> dict[str, Any]:
        """Do one action.

        Args:
            args: as `parameters` describes them.

        Returns:
            ``success`` (bool), ``stdout`` (what was done), ``stderr`` (why not, and what to do about it),
            ``output_files`` (paths of the files that were written). No exception comes out.
        """
        with self._one_at_a_time:
            try:
                request = read_request(args)
                said, files = getattr(self, f"_{request.action}")(request)
            except Refused as refused:
                return _result(str(refused))
            except Exception as error:  # noqa: BLE001 - the caller is a model: every failure is a result
                return _result(_explain(error))
        return {"success": True, "stdout": said, "stderr": "", "output_files": files}

    def close_all(self) -> None:
        """End every browser of the tool."""
        with self._one_at_a_time:
            while self.sessions:
                self.sessions.pop(next(iter(self.sessions))).close()

    def openai_schema(self) -> dict[str, Any]:
        """The tool in the form of OpenAI's chat completions."""
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": self.parameters},
        }

    def anthropic_schema(self) -> dict[str, Any]:
        """The tool in the form of Anthropic's messages."""
        return {"name": self.name, "description": self.description, "input_schema": self.parameters}

    # Actions, by their names: each returns what goes to stdout, and the files that were written.

    def _launch(self, request: Request) -> tuple[str, list[str]]:
        if not request.headless and not _has_display():
            raise Refused(
                "headless=false 需要显示器, 但没有 (环境变量 DISPLAY 或 WAYLAND_DISPLAY);"
                " 请使用 headless=true, 或用 xvfb-run 运行"
            )
        replaced = self.sessions.pop(request.browser_id, None)
        if replaced is not None:
            replaced.close()
        session = self.sessions[request.browser_id] = BrowserSession(
            headless=request.headless, viewport=self.viewport
        )
        after, files = self._after(session.page, request, Deadline.after(_WORK_SECONDS), wait=False)
        return _lines(
            f"浏览器 '{request.browser_id}' 已启动", "旧会话已先关闭" if replaced else "", after
        ), files

    def _navigate(self, request: Request) -> tuple[str, list[str]]:
        page = self._page(request)
        if not re.match(r"https?://[^/\s]", request.url, re.IGNORECASE):
            raise Refused(
                f"URL 无效: {shown(request.url)}; URL 必须以 http:// 或 https:// 开头, 例如 https://example.com"
            )
        deadline = Deadline.after(request.seconds_in_all)
        if request.wait_condition == "network_idle":
            # Watched from the beginning: requests that the document itself has sent count.
            navigation = page.goto(request.url, wait="networkidle", timeout=request.timeout)
        else:
            navigation = page.goto(request.url, wait="domcontentloaded", timeout=DEFAULT_SECONDS)
        if not navigation.reached and navigation.status is None:
            seconds = navigation.elapsed_ms / 1000
            raise Refused(f"{shown(request.url)} 没有响应 ({seconds:.0f} 秒); 请检查 URL, 或增大 timeout")
        fixed = request.wait_condition == "timeout"
        waited = "" if navigation.reached or fixed else _not_idle(request)
        after, files = self._after(page, request, deadline, wait=fixed)
        status = f"HTTP 状态: {navigation.status}" if navigation.status and navigation.status >= 400 else ""  # noqa: PLR2004
        return _lines(f"已导航到: {clean_text(page.url)}", status, waited, after), files

    def _click(self, request: Request) -> tuple[str, list[str]]:
        page = self._page(request)
        deadline = Deadline.after(request.seconds_in_all)
        receipt = page.click(request.selector, timeout=request.seconds_to_act)
        after, files = self._after(page, request, deadline)
        return _lines(f"已点击元素: {request.selector}", str(receipt), after), files

    def _type(self, request: Request) -> tuple[str, list[str]]:
        page = self._page(request)
        deadline = Deadline.after(request.seconds_in_all)
        receipt = page.type(request.selector, request.text, clear=True, timeout=request.seconds_to_act)
        after, files = self._after(page, request, deadline)
        return _lines(f"已在元素 {request.selector} 中输入文本", str(receipt), after), files

    def _screenshot(self, request: Request) -> tuple[str, list[str]]:
        page = self._page(request)
        picture = page.screenshot(
            full_page=True, timeout=_time_to_save(Deadline.after(request.seconds_to_act))
        )
        path = self._file(request, "png")
        path.write_bytes(picture)
        return _lines("已截取完整页面", f"截图已保存: {path}"), [str(path)]

    def _close(self, request: Request) -> tuple[str, list[str]]:
        session = self.sessions.pop(request.browser_id, None)
        if session is None:
            return f"浏览器 '{request.browser_id}' 未启动, 视为已关闭", []
        session.close()
        return f"浏览器 '{request.browser_id}' 已关闭; 已保存的文件保留在 {self.directory}", []

    def _list(self, _: Request) -> tuple[str, list[str]]:
        if not self.sessions:
            return "没有浏览器会话", []
        entries = []
        for browser_id, session in self.sessions.items():
            title, url = session.title, ""
            if title is not None:
                with contextlib.suppress(HybridsnapError):  # it was closed meanwhile
                    url = session.page.url
            entries.append(
                _lines(
                    f"browser_id: {clean_text(browser_id)}",
                    f"  状态: {'关闭' if title is None else '活跃'}",
                    f"  页面标题: {clean_text(title or '')}",
                    f"  页面 URL: {clean_text(url)}",
                )
            )
        return "\n".join(entries), []

    # What they share

    def _page(self, request: Request) -> Page:
        session = self.sessions.get(request.browser_id)
        if session is None:
            raise Refused(f"浏览器 '{request.browser_id}' 未启动; 请先执行 action=launch")
        if not session.is_open:
            raise Refused(f"浏览器 '{request.browser_id}' 已退出或页面已关闭; 请重新执行 action=launch")
        return session.page

    def _after(
        self, page: Page, request: Request, deadline: Deadline, *, wait: bool = True
    ) -> tuple[str, list[str]]:
        """What comes after an action: waiting as the call asks for, and saving the page.

        Raises:
            Refused: it failed. The action is done all the same, and the model is told, so as not to do it
                twice.
        """
        try:
            waited = _wait(page, request) if wait else ""
            path = self._save(page, request, deadline)
        except (HybridsnapError, OSError) as error:
            raise Refused(f"操作已完成, 请勿重复; 但之后出错: {_explain(error)}") from error
        return _lines(waited, f"页面内容已保存: {path}"), [path]

    def _save(self, page: Page, request: Request, deadline: Deadline) -> str:
        seconds = _time_to_save(deadline)
        if request.content_mode == "html":
            text = page.content(timeout=seconds)
        else:
            snapshot = page.snapshot(timeout=seconds)
            text = str(snapshot.render("controls", lang="zh", action=request.action))
        path = self._file(request, "html" if request.content_mode == "html" else "txt")
        path.write_text(text + "\n", encoding="utf-8")
        return str(path)

    def _file(self, request: Request, extension: str) -> Path:
        """A file that did not exist before, now empty."""
        # Pages hold what their visitor sees: nobody else may open the directory.
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        time = dt.datetime.now().astimezone().strftime("%Y%m%d_%H%M%S")
        stem = f"{_NOT_IN_FILE_NAMES.sub('_', request.browser_id)}_{request.action}_{time}"
        number = 1
        while True:
            path = self.directory / f"{stem}{'' if number == 1 else f'_{number}'}.{extension}"
            try:
                path.touch(exist_ok=False)
            except FileExistsError:
                number += 1
            else:
                return path


#: The name that the specification gives the class.
PlaywrightBrowserTool = BrowserTool


def _wait(page: Page, request: Request) -> str:
    if request.wait_condition == "timeout":
        page.wait_for(time=request.timeout, timeout=request.timeout + _WORK_SECONDS)
        return f"已等待 {request.timeout:g} 秒"
    try:
        page.wait_for(load_state="networkidle", timeout=request.timeout)
    except WaitTimeout:
        return _not_idle(request)
    return ""


def _time_to_save(deadline: Deadline) -> float:
    """Seconds: what is left of an action's time, within reason. A page that hangs takes no more of it."""
    return min(max(deadline.remaining, _LEAST_SECONDS), _WORK_SECONDS)


def _has_display() -> bool:
    """Whether a window can be shown; only Linux can be asked."""
    return not sys.platform.startswith("linux") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def _not_idle(request: Request) -> str:
    return f"注意: {request.timeout:g} 秒内网络未空闲, 页面可能仍在加载"


#: Reasons of a `NotInteractable` → what they mean for a person who reads the result.
_REASONS = {
    "invisible": "元素不可见",
    "not displayed": "元素不可见",
    "no size": "元素不可见",
    "hidden control": "元素不可见",
    "wrong kind": "元素不是可输入的类型",
    "read-only": "元素是只读的",
    "disabled": "元素已禁用",
}


#: Reasons of a `SelectorError` → what they mean.
_SELECTORS = {"syntax": "选择器无效", "several": "选择器匹配多个元素"}
#: A remedy that the tool does not have.
_NOT_OFFERED = ", or use force=True"
#: Class of an error → how its sentence begins; the first that fits counts.
_BEGINNINGS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str], ...] = (
    ((BrowserNotFound, BrowserLaunchFailed), "浏览器未安装或无法启动"),
    (UnknownElement, "元素不存在"),
    (StaleElement, "元素已变化"),
    (ElementCovered, "元素不可点击"),
    (ConnectionLost, "浏览器已退出; 请重新执行 action=launch"),
    (HybridsnapError, "操作失败"),
    (OSError, "文件无法保存, 请检查 directory 是否可写"),
)


def _explain(error: Exception) -> str:
    """What went wrong, in the words of the specification, with the engine's own sentence and its remedy."""
    words = str(error).replace(_NOT_OFFERED, "")
    if isinstance(error, SelectorError):
        return f"{_SELECTORS.get(error.reason, '元素不存在')}: {words}"
    if isinstance(error, NotInteractable):
        return f"{_REASONS.get(error.reason, '元素不可点击')}: {words}"
    for kind, beginning in _BEGINNINGS:
        if isinstance(error, kind):
            return f"{beginning}: {words}"
    return f"操作失败: {type(error).__name__}: {words}"


def _lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line)


def _result(problem: str) -> dict[str, Any]:
    return {"success": False, "stdout": "", "stderr": problem, "output_files": []}
