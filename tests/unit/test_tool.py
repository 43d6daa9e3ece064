"""The browser tool for agents without a browser: its schema, and each wrong call's sentence."""

from __future__ import annotations

import importlib.metadata
import json
import tempfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hybridsnap.tool import BrowserTool, PlaywrightBrowserTool

#: As the specification has it.
_SCHEMA = """\
{
  "type": "object",
  "properties": {
    "action": {
      "type": "string",
      "description": "要执行的浏览器操作类型",
      "enum": [
        "launch",
        "navigate",
        "click",
        "type",
        "screenshot",
        "close",
        "list"
      ]
    },
    "browser_id": {
      "type": "string",
      "description": "浏览器的唯一标识符（默认'default'）"
    },
    "url": {
      "type": "string",
      "description": "要导航的 URL（仅 action=navigate 时有效）"
    },
    "selector": {
      "type": "string",
      "description": "元素选择器（仅 action=click 或 action=type 时有效）"
    },
    "text": {
      "type": "string",
      "description": "要输入的文本（仅 action=type 时有效）"
    },
    "wait_condition": {
      "type": "string",
      "description": "等待条件（默认'network_idle'），可选: 'network_idle', 'timeout'"
    },
    "timeout": {
      "type": "number",
      "description": "超时时间（秒，默认30.0），当 wait_condition=timeout 时使用"
    },
    "content_mode": {
      "type": "string",
      "description": "内容保存模式（默认'abstract'），可选: 'html', 'abstract'"
    },
    "headless": {
      "type": "boolean",
      "description": "是否以无头模式启动浏览器（仅 action=launch 时有效，默认true）"
    }
  },
  "required": ["action"]
}"""


def test_the_schema_is_the_specification_s() -> None:
    tool = BrowserTool()
    assert PlaywrightBrowserTool is BrowserTool
    assert tool.name == "playwright_browser"
    assert tool.description.startswith("控制浏览器执行自动化操作（如导航、点击、输入等）。")
    assert tool.directory == Path(tempfile.gettempdir(), "playwright_browser")
    assert tool.parameters == json.loads(_SCHEMA)
    jsonschema.Draft202012Validator.check_schema(tool.parameters)
    about = {"name": tool.name, "description": tool.description}
    assert tool.openai_schema() == {"type": "function", "function": {**about, "parameters": tool.parameters}}
    assert tool.anthropic_schema() == {**about, "input_schema": tool.parameters}


def test_an_agent_finds_it_and_calls_it() -> None:
    (entry,) = importlib.metadata.entry_points(group="hybridsnap.tools")
    registry = {tool.name: tool for tool in [entry.load()()]}
    call = {"name": "playwright_browser", "arguments": '{"action": "list", "browser_id": null}'}
    result = registry[call["name"]].execute(json.loads(call["arguments"]))
    assert json.loads(json.dumps(result)) == {
        "success": True,
        "stdout": "没有浏览器会话",
        "stderr": "",
        "output_files": [],
    }


_ACTIONS = "可用操作: launch, navigate, click, type, screenshot, close, list"
_PARAMETERS = (
    "可用参数: action, browser_id, url, selector, text, wait_condition, timeout, content_mode, headless"
)
_TIMEOUT = "必须大于 0 且不超过 3600 秒"


def refusal(sentence: str) -> dict[str, Any]:
    return {"success": False, "stdout": "", "stderr": sentence, "output_files": []}


#: A call that cannot be done, and what the model is told.
_WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, f"缺少参数 action; {_ACTIONS}"),
    ({"action": None}, f"缺少参数 action; {_ACTIONS}"),
    ({"action": "fly"}, f"未知操作: 'fly'; {_ACTIONS}"),
    ({"action": "Launch"}, f"未知操作: 'Launch'; {_ACTIONS}"),
    ({"action": ["launch"]}, f"未知操作: ['launch']; {_ACTIONS}"),
    ({"action": "navigate"}, "缺少参数 url; action=navigate 需要 url"),
    ({"action": "navigate", "url": ""}, "url 不能为空"),
    ({"action": "navigate", "url": 5}, "url 必须是字符串, 而不是 int"),
    ({"action": "click"}, "缺少参数 selector; action=click 需要 selector"),
    ({"action": "click", "selector": ""}, "selector 不能为空"),
    ({"action": "click", "selector": 5}, "selector 必须是字符串, 而不是 int"),
    ({"action": "type", "text": "x"}, "缺少参数 selector; action=type 需要 selector"),
    ({"action": "type", "selector": "#a"}, "缺少参数 text; action=type 需要 text"),
    ({"action": "type", "selector": "#a", "text": 5}, "text 必须是字符串, 而不是 int"),
    ({"action": "launch", "browser_id": ""}, "browser_id 不能为空"),
    ({"action": "launch", "browser_id": 5}, "browser_id 必须是字符串, 而不是 int"),
    ({"action": "launch", "browser_id": "x" * 200}, "browser_id 过长: 最多 100 个字符"),
    ({"action": "launch", "headless": "yes"}, "headless 必须是 true 或 false, 而不是 'yes'"),
    ({"action": "list", "timeout": 0}, f"timeout 无效: 0; {_TIMEOUT}"),
    ({"action": "list", "timeout": -1}, f"timeout 无效: -1; {_TIMEOUT}"),
    ({"action": "list", "timeout": 30000}, f"timeout 无效: 30000; {_TIMEOUT}"),
    ({"action": "list", "timeout": float("nan")}, f"timeout 无效: nan; {_TIMEOUT}"),
    ({"action": "list", "timeout": 10**400}, f"timeout 无效: 1{'0' * 79}…; {_TIMEOUT}"),
    ({"action": "list", "timeout": "soon"}, "timeout 必须是秒数, 而不是 'soon'"),
    ({"action": "list", "timeout": True}, "timeout 必须是秒数, 而不是 True"),
    (
        {"action": "list", "wait_condition": "never"},
        "wait_condition 无效: 'never'; 可选: network_idle, timeout",
    ),
    ({"action": "list", "content_mode": "pdf"}, "content_mode 无效: 'pdf'; 可选: html, abstract"),
    ({"action": "list", "colour": "red"}, f"未知参数: 'colour'; {_PARAMETERS}"),
]


@pytest.mark.parametrize(("args", "sentence"), _WRONG)
def test_wrong_arguments(args: dict[str, Any], sentence: str) -> None:
    assert BrowserTool().execute(args) == refusal(sentence)


def test_what_is_no_dictionary_is_refused() -> None:
    assert "action" in BrowserTool().execute(["launch"])["stderr"]  # type: ignore[arg-type]


@pytest.mark.parametrize("args", [
    {"action": "navigate", "url": "http://127.0.0.1/"},
    {"action": "click", "selector": "a"},
    {"action": "type", "selector": "a", "text": "b"},
    {"action": "screenshot"},
])  # fmt: skip
def test_without_a_browser(args: dict[str, Any]) -> None:
    sentence = "浏览器 'default' 未启动; 请先执行 action=launch"
    assert BrowserTool().execute(args) == refusal(sentence)


def test_closing_what_is_not_open_and_an_empty_list() -> None:
    tool = BrowserTool()
    for action, words in (("close", "浏览器 'default' 未启动, 视为已关闭"), ("list", "没有浏览器会话")):
        result = tool.execute({"action": action})
        assert result == {"success": True, "stdout": words, "stderr": "", "output_files": []}
