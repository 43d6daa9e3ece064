"""WebArena's actions: what an agent writes, read and done; and MetaGPT's functions for it, on our Page.

- `grammar`: the actions as values, and back to text. `reader`: text to actions.
- `executor`: an action done on a page.
- `a11y_tree`: the functions of MetaGPT's module of that name.
"""

from __future__ import annotations

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
from hybridsnap.webarena.reader import extract_step, parse_step

__all__ = [
    "Action",
    "Clear",
    "Click",
    "CloseTab",
    "GoBack",
    "GoForward",
    "Goto",
    "Hover",
    "NewTab",
    "NoAction",
    "Press",
    "Scroll",
    "Select",
    "StepError",
    "Stop",
    "TabFocus",
    "Type",
    "Upload",
    "extract_step",
    "format_step",
    "parse_step",
]
