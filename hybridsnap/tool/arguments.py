"""What the browser tool takes: its schema, and the arguments of a call held against it."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from hybridsnap.text import cut_text

_DEFAULT_ID = "default"
#: The timeout of an action that names none.
DEFAULT_SECONDS = 30.0
#: A longer wait is a mistake, such as milliseconds in place of seconds.
_MOST_SECONDS = 3600.0
_LONGEST_ID = 100
#: So much is repeated of a value that is refused.
_SHOWN_CHARACTERS = 80

_WAITS = ("network_idle", "timeout")
_MODES = ("html", "abstract")

#: JSON schema, as the specification has it.
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "action": {
            "type": "string",
            "description": "要执行的浏览器操作类型",
            "enum": ["launch", "navigate", "click", "type", "screenshot", "close", "list"],
        },
        "browser_id": {"type": "string", "description": "浏览器的唯一标识符（默认'default'）"},
        "url": {"type": "string", "description": "要导航的 URL（仅 action=navigate 时有效）"},
        "selector": {
            "type": "string",
            "description": "元素选择器（仅 action=click 或 action=type 时有效）",
        },
        "text": {"type": "string", "description": "要输入的文本（仅 action=type 时有效）"},
        "wait_condition": {
            "type": "string",
            "description": "等待条件（默认'network_idle'），可选: 'network_idle', 'timeout'",
        },
        "timeout": {
            "type": "number",
            "description": "超时时间（秒，默认30.0），当 wait_condition=timeout 时使用",
        },
        "content_mode": {
            "type": "string",
            "description": "内容保存模式（默认'abstract'），可选: 'html', 'abstract'",
        },
        "headless": {
            "type": "boolean",
            "description": "是否以无头模式启动浏览器（仅 action=launch 时有效，默认true）",
        },
    },
    "required": ["action"],
}


class Refused(Exception):
    """A call that cannot be done, with the sentence that goes to ``stderr``."""


@dataclasses.dataclass(frozen=True, slots=True)
class Request:
    """The arguments of one call, checked."""

    action: str
    browser_id: str
    url: str
    selector: str
    text: str
    wait_condition: Literal["network_idle", "timeout"]
    timeout: float
    content_mode: Literal["html", "abstract"]
    headless: bool

    @property
    def seconds_to_act(self) -> float:
        """How long an element may take to become ready: `timeout`, unless that is a fixed wait afterwards."""
        return self.timeout if self.wait_condition == "network_idle" else DEFAULT_SECONDS

    @property
    def seconds_in_all(self) -> float:
        """How long the action may take with all that comes after it, unless its parts take longer."""
        return self.timeout if self.wait_condition == "network_idle" else DEFAULT_SECONDS + self.timeout


def read_request(args: object) -> Request:
    """The arguments of a call, held against the schema.

    Raises:
        Refused: an argument is missing, unknown, or of the wrong type.
    """
    if not isinstance(args, dict):
        raise Refused(f"参数必须是字典, 而不是 {type(args).__name__}; 例如 {{'action': 'list'}}")
    known = PARAMETERS["properties"]
    unknown = [str(name) for name in args if name not in known]
    if unknown:
        raise Refused(f"未知参数: {shown(', '.join(unknown))}; 可用参数: {', '.join(known)}")
    action, actions = args.get("action"), known["action"]["enum"]
    if action is None:
        raise Refused(f"缺少参数 action; 可用操作: {', '.join(actions)}")
    if action not in actions:
        raise Refused(f"未知操作: {shown(action)}; 可用操作: {', '.join(actions)}")
    texts = {
        "browser_id": _text(args, "browser_id", _DEFAULT_ID),
        "url": _text(args, "url", "", needed=action == "navigate"),
        "selector": _text(args, "selector", "", needed=action in ("click", "type")),
        "text": _text(args, "text", "", needed=action == "type", may_be_empty=True),
    }
    if len(texts["browser_id"]) > _LONGEST_ID:
        raise Refused(f"browser_id 过长: 最多 {_LONGEST_ID} 个字符")
    headless = _given(args, "headless", True)
    if not isinstance(headless, bool):
        raise Refused(f"headless 必须是 true 或 false, 而不是 {shown(headless)}")
    return Request(
        action=action,
        wait_condition=_choice(args, "wait_condition", _WAITS, "network_idle"),
        timeout=_seconds(_given(args, "timeout", DEFAULT_SECONDS)),
        content_mode=_choice(args, "content_mode", _MODES, "abstract"),
        headless=headless,
        **texts,
    )


def _given(args: dict[str, Any], name: str, default: object) -> Any:
    """An argument; models write null for what they leave out."""
    value = args.get(name)
    return default if value is None else value


def shown(value: object) -> str:
    """A value in an error: on one line, and cut when it is long."""
    return cut_text(repr(value), _SHOWN_CHARACTERS)


def _text(
    args: dict[str, Any], name: str, default: str, *, needed: bool = False, may_be_empty: bool = False
) -> str:
    value = args.get(name)
    if value is None:
        if needed:
            raise Refused(f"缺少参数 {name}; action={args['action']} 需要 {name}")
        return default
    if not isinstance(value, str):
        raise Refused(f"{name} 必须是字符串, 而不是 {type(value).__name__}")
    if not value and not may_be_empty:
        raise Refused(f"{name} 不能为空")
    return value


def _choice(args: dict[str, Any], name: str, choices: tuple[str, ...], default: str) -> Any:
    value = _given(args, name, default)
    if value not in choices:
        raise Refused(f"{name} 无效: {shown(value)}; 可选: {', '.join(choices)}")
    return value


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused(f"timeout 必须是秒数, 而不是 {shown(value)}")
    if not 0 < value <= _MOST_SECONDS:
        raise Refused(f"timeout 无效: {shown(value)}; 必须大于 0 且不超过 {_MOST_SECONDS:g} 秒")
    return float(value)
