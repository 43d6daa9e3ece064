"""Which AX roles mean what: one table.

Three classes, as role snapshots have them (agent-browser's and OpenClaw's): what is *interactive* always gets
a ref, what has *content* gets one when it is named, what is *structural* gets none. Each class is wider here
than there:

- interactive: the WAI-ARIA 1.2 widget roles, and Chromium's own roles for native controls that ARIA does not
  name (``ui/accessibility/ax_enums.mojom``);
- content: theirs (heading, cells, listitem, article, region, main, navigation), the other WAI-ARIA 1.2
  landmarks, live regions and windows, the document structure that is read as one thing, and Chromium's own
  roles for media;
- structural: theirs, what Chromium calls documents and the parts of controls and tables, and every role that
  stands in no list: text and its styling.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

RoleClass: TypeAlias = Literal["interactive", "content", "structural"]

#: The mark of an element that only script makes clickable, whatever its role; it is as good as interactive.
CLICKABLE = "clickable"
#: The state of an element that can be typed into although its role does not say so: ``contenteditable``, or a
#: document in design mode. It is as good as interactive.
EDITABLE = "editable"
#: Other marks that layout adds to a row's states: nothing of it is in the viewport; something lies over it
#: (the element's id follows).
OFFSCREEN = "offscreen"
COVERED_BY = "covered by "

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
        "DisclosureTriangleGrouped",
        "ColorWell",
        "Date",
        "DateTime",
        "InputTime",
    }
)
#: What is read or looked at, and worth a ref when it has a name.
CONTENT_ROLES = frozenset(
    {
        # agent-browser, OpenClaw
        "article",
        "cell",
        "columnheader",
        "gridcell",
        "heading",
        "listitem",
        "main",
        "navigation",
        "region",
        "rowheader",
        # WAI-ARIA 1.2: the other landmarks
        "banner",
        "complementary",
        "contentinfo",
        "form",
        "search",
        # live regions and windows
        "alert",
        "alertdialog",
        "dialog",
        "log",
        "marquee",
        "status",
        "timer",
        # document structure, ranges
        "blockquote",
        "comment",
        "definition",
        "feed",
        "figure",
        "image",
        "img",
        "math",
        "meter",
        "note",
        "progressbar",
        "scrollbar",
        "tabpanel",
        "term",
        "tooltip",
        # WAI-ARIA Graphics
        "graphics-document",
        "graphics-object",
        "graphics-symbol",
        # Chromium's own
        "Audio",
        "Canvas",
        "EmbeddedObject",
        "MathMLMath",
        "PluginObject",
        "SvgRoot",
        "Video",
    }
)
#: What is checked or not; other elements may be, too.
CHECKABLE_ROLES = frozenset({"checkbox", "menuitemcheckbox", "menuitemradio", "radio", "switch"})
#: They only group; what they are is said by their tag.
STRUCTURAL_ROLES = frozenset({"generic", "none"})
#: Pieces of a line of text; the StaticText above them says the same.
DROPPED_ROLES = frozenset({"InlineTextBox", "LineBreak"})
ROOT_ROLE = "RootWebArea"
FRAME_ROLE = "Iframe"


def class_of(role: str) -> RoleClass:
    """Which of the three classes a role is in; what stands in no list is structural."""
    if role in INTERACTIVE_ROLES:
        return "interactive"
    return "content" if role in CONTENT_ROLES else "structural"
