"""Which AX roles mean what: one table.

Source: the WAI-ARIA 1.2 widget roles, and Chromium's own roles for native controls that ARIA does not
name (``ui/accessibility/ax_enums.mojom``).
"""

from __future__ import annotations

#: A person can operate an element of these roles.
INTERACTIVE_ROLES = frozenset(
    {
        "button",
        "checkbox",
        "combobox",
        "link",
        "listbox",
        "menuitem",
        "menuitemcheckbox",
        "menuitemradio",
        "option",
        "radio",
        "searchbox",
        "slider",
        "spinbutton",
        "switch",
        "tab",
        "textbox",
        "treeitem",
        # Chromium's own
        "DisclosureTriangle",
        "ColorWell",
        "Date",
        "DateTime",
        "InputTime",
    }
)
#: They only group; what they are is said by their tag.
STRUCTURAL_ROLES = frozenset({"generic", "none"})
#: Pieces of a line of text; the StaticText above them says the same.
DROPPED_ROLES = frozenset({"InlineTextBox", "LineBreak"})
ROOT_ROLE = "RootWebArea"
FRAME_ROLE = "Iframe"
