"""What users of Playwright and Selenium try first on a page, and what to take here instead."""

from __future__ import annotations

from typing import NoReturn

_BY_NAME = "name the element in the call, by id, ref or selector, as in click('role=button[name=\"Buy\"]')"
#: Names that a page does not have → its members that do it; "" where a call itself names the element.
INSTEAD: dict[str, str] = {
    **dict.fromkeys(("locator", "get_by_role", "get_by_text", "get_by_label", "frame_locator"), ""),
    **dict.fromkeys(("query_selector", "query_selector_all", "find_element", "find_elements"), "snapshot"),
    **dict.fromkeys(("is_visible", "is_enabled", "is_checked", "wait_for_selector"), "wait_for"),
    **dict.fromkeys(("wait_for_timeout", "wait_for_load_state", "wait_for_url"), "wait_for"),
    **dict.fromkeys(("inner_text", "text_content"), "text"),
    **dict.fromkeys(("title", "page_source", "aria_snapshot"), "snapshot"),
    **dict.fromkeys(("set_content", "execute_script", "eval_on_selector"), "evaluate"),
    **dict.fromkeys(("get", "navigate"), "goto"),
    "inner_html": "outer_html",
    "get_attribute": "attributes",
    "keyboard": "press",
    "mouse": "click_at",
    "send_keys": "type",
    "set_viewport_size": "emulation",
    "back": "go_back",
    "dblclick": "click",
}


def refuse_name(page: object, name: str) -> NoReturn:
    """For ``__getattr__``: the page has no such attribute; what it has instead, where that is known."""
    words = f"{type(page).__name__!r} object has no attribute {name!r}"
    if name in INSTEAD:
        words += f"; take {INSTEAD[name]}" if INSTEAD[name] else f"; {_BY_NAME}"
    raise AttributeError(words, name=name, obj=page)
