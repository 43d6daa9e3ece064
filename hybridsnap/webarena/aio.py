"""MetaGPT's functions for asyncio, on pages of any driver that runs there.

Those of `hybridsnap.aio`, of Playwright's async API, and tabs of `hybridsnap.drivers` (cdp-use, browser-use,
any ``send``).

Names, arguments, results and errors are those of `hybridsnap.webarena`. The ``browser`` of `execute_step` is
the browser, or the context, that the page is of.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from hybridsnap.webarena.a11y_tree import (
    IGNORED_ACTREE_PROPERTIES,
    get_backend_node_id,
    get_element_center,
    parse_accessibility_tree,
)
from hybridsnap.webarena.callers import function_for
from hybridsnap.webarena.reader import extract_step

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "IGNORED_ACTREE_PROPERTIES",
    "click_element",
    "execute_step",
    "extract_step",
    "get_accessibility_tree",
    "get_backend_node_id",
    "get_bounding_rect",
    "get_element_center",
    "get_element_outer_html",
    "get_page_cdp_session",
    "hover_element",
    "key_press",
    "parse_accessibility_tree",
    "scroll_page",
    "type_text",
]

_function = functools.partial(function_for, "aio", __name__)
click_element: Callable[..., Any] = _function("click_element")
execute_step: Callable[..., Any] = _function("execute_step")
get_accessibility_tree: Callable[..., Any] = _function("get_accessibility_tree")
get_bounding_rect: Callable[..., Any] = _function("get_bounding_rect")
get_element_outer_html: Callable[..., Any] = _function("get_element_outer_html")
get_page_cdp_session: Callable[..., Any] = _function("get_page_cdp_session")
hover_element: Callable[..., Any] = _function("hover_element")
key_press: Callable[..., Any] = _function("key_press")
scroll_page: Callable[..., Any] = _function("scroll_page")
type_text: Callable[..., Any] = _function("type_text")
