"""WebArena's actions: what an agent writes, read and done; and MetaGPT's functions for it, on our Page.

- `grammar`: the actions as values, and back to text. `reader`: text to actions.
- `shown`: from the ids that a model has read to elements. `executor`: an action done on a page.
- `a11y_tree`: the functions of MetaGPT's module of that name, on `ax_nodes`.
"""

from __future__ import annotations

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
from hybridsnap.webarena.executor import Executed, execute
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
