"""Which ARIA word says what Chromium calls a role: the `role` format prints ARIA words only.

Most of Chromium's roles are ARIA's. The rest are its own (``ui/accessibility/ax_enums.mojom``) for what HTML
has and ARIA does not name; they get the ARIA role that HTML-AAM gives the element, or the nearest that tells
a reader the same, or ``generic``. ``iframe`` alone is not an ARIA role: ARIA has no word for an element that
holds a document.
"""

from __future__ import annotations

import functools

from hybridsnap.protocol.ax_vocabulary import ARIA_ROLES
from hybridsnap.text import clean_text

_WORDS = {
    "Canvas": "img",
    "ColorWell": "button",
    "Date": "textbox",
    "DateTime": "textbox",
    "DescriptionList": "list",
    "DescriptionListDetail": "definition",
    "DescriptionListTerm": "term",
    "Details": "group",
    "DisclosureTriangle": "button",
    "DisclosureTriangleGrouped": "button",
    "EmbeddedObject": "document",
    "Figcaption": "caption",
    "Iframe": "iframe",
    "IframePresentational": "iframe",
    "ImageMap": "img",
    "ImeCandidate": "option",
    "InputTime": "textbox",
    "LayoutTable": "table",
    "LayoutTableCell": "cell",
    "LayoutTableRow": "row",
    "Legend": "caption",
    "ListGrid": "grid",
    "ListMarker": "text",
    "MathMLMath": "math",
    "MenuListOption": "option",
    "MenuListPopup": "listbox",
    "Meter": "meter",
    "PdfRoot": "document",
    "PluginObject": "document",
    "PopUpButton": "combobox",
    "RootWebArea": "document",
    "RubyAnnotation": "note",
    "Splitter": "separator",
    "StaticText": "text",
    "SvgRoot": "img",
    "TextFieldWithComboBox": "combobox",
    "WebArea": "document",
    "WebView": "document",
    "none": "generic",
    "presentation": "generic",
}


@functools.lru_cache(maxsize=1024)
def aria_word(role: str) -> str:
    """The word that the `role` format prints for one of Chromium's roles; ``text`` for text."""
    word = clean_text(role)
    known = _WORDS.get(word)
    if known is not None:
        return known
    return word if word in ARIA_ROLES or word.startswith("doc-") else "generic"
