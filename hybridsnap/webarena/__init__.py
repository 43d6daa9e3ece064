"""WebArena's actions: what an agent writes, read and done; and MetaGPT's functions for it.

- `grammar`: the actions as values, and back to text. `reader`: text to actions.
- `shown`: from the ids that a model has read to elements; `numbering`: of tabs. `steps`: what an action does
  on a tab of any kind; `client_tab`, `driver_tab`: the kinds, and an action done on a page of our client.
- `a11y_tree`: the functions of MetaGPT's ``a11y_tree.py`` on our `Page`; `sync`, `aio` (on `callers`): the
  same for callers that block and for asyncio, on the pages of any driver. `ax_nodes`: the accessibility trees
  that they return.
"""

from __future__ import annotations

import importlib

from hybridsnap.webarena.a11y_tree import (
    IGNORED_ACTREE_PROPERTIES,
    click_element,
    execute_step,
    get_accessibility_tree,
    get_backend_node_id,
    get_bounding_rect,
    get_element_center,
    get_element_outer_html,
    get_page_cdp_session,
    hover_element,
    key_press,
    parse_accessibility_tree,
    scroll_page,
    type_text,
)
from hybridsnap.webarena.client_tab import execute
from hybridsnap.webarena.grammar import (
    Action,
    Clear,
    Click,
    CloseTab,
    GoBack,
    GoForward,
    Goto,
    Hover,
    NewTab,
    NoAction,
    Press,
    Scroll,
    Select,
    StepError,
    Stop,
    TabFocus,
    Type,
    Upload,
    format_step,
)
from hybridsnap.webarena.numbering import list_tabs
from hybridsnap.webarena.reader import extract_step, parse_step
from hybridsnap.webarena.shown import ElementNotFound, ShownNode
from hybridsnap.webarena.steps import Executed

__all__ = [
    "IGNORED_ACTREE_PROPERTIES",
    "Action",
    "Clear",
    "Click",
    "CloseTab",
    "ElementNotFound",
    "Executed",
    "GoBack",
    "GoForward",
    "Goto",
    "Hover",
    "NewTab",
    "NoAction",
    "Press",
    "Scroll",
    "Select",
    "ShownNode",
    "StepError",
    "Stop",
    "TabFocus",
    "Type",
    "Upload",
    "click_element",
    "execute",
    "execute_step",
    "extract_step",
    "format_step",
    "get_accessibility_tree",
    "get_backend_node_id",
    "get_bounding_rect",
    "get_element_center",
    "get_element_outer_html",
    "get_page_cdp_session",
    "hover_element",
    "key_press",
    "list_tabs",
    "parse_accessibility_tree",
    "parse_step",
    "scroll_page",
    "type_text",
]


def __getattr__(name: str) -> object:
    # For callers that block, and for asyncio: imported when first used, as they need the client.
    if name in ("aio", "sync"):
        return importlib.import_module(f"hybridsnap.webarena.{name}")
    raise AttributeError(f"module 'hybridsnap.webarena' has no attribute {name!r}")
