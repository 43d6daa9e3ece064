"""What one node of the accessibility tree says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hybridsnap.capture.dom import attribute_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.protocol.ax_tree import AXNode

#: A value longer than this is cut in the outline; see `hybridsnap.render.tree`.
VALUE_CHARACTERS = 100
#: HTML's own elements with a range: Chromium has the value of these, and of number fields, from themselves.
_MEASURES = frozenset({"meter", "progress"})
_NUMBER_FIELDS = frozenset({"number", "range"})
#: Chromium shows a password's characters as bullets, in the AX tree too.
BULLET = "\u2022"
#: Stands where a password would.
REDACTED = "[redacted]"


def value_of(node: AXNode) -> str:
    """The node's value as text."""
    value = node.value
    if value is None or value is False:
        return ""
    if isinstance(value, int | float) and value is not True:
        written = node.properties.get("valuetext")
        if isinstance(written, str) and _is_number(written, value):
            return written  # as it stands in the field: 44.50
    if isinstance(value, float):
        # Chromium's numbers have 32 bits: 0.6 comes as 0.6000000238418579.
        return str(int(value)) if value.is_integer() else f"{value:.7g}"
    return "true" if value is True else str(value)


def _is_number(text: str, number: float) -> bool:
    """Whether a text is this number of 32 bits."""
    try:
        return math.isclose(float(text), number, rel_tol=1e-6)
    except ValueError:
        return False


def stated_number(node: AXNode, attributes: Sequence[str], tag: str) -> str:
    """The value of what has a range, as the page states it.

    Chromium takes an empty ``aria-valuemin`` or ``aria-valuemax`` for 0, cuts the value to that, and gives a
    spin button that states no value 0 (version 156).

    Args:
        node: with the property ``valuemax``.
        attributes: of its element, names and values in turn.
        tag: of its element.
    """
    value = value_of(node)
    is_number_field = tag == "input" and (attribute_of(attributes, "type") or "").lower() in _NUMBER_FIELDS
    if tag in _MEASURES or is_number_field:
        return value
    said = (attribute_of(attributes, "aria-valuenow") or "").strip()
    try:
        number = float(said)
    except ValueError:
        return "" if node.role == "spinbutton" else value
    if isinstance(node.value, int | float) and math.isfinite(number):
        return value if math.isclose(number, node.value, rel_tol=1e-6) else said
    return value


def without_password(node: AXNode, text: str) -> str:
    """`text`, the node's name or value; of a password, whose bullets would say how long it is, `REDACTED`."""
    if BULLET in text and "editable" in node.properties:
        return hide_bullets(text)
    return text


def hide_bullets(text: str) -> str:
    """`text`, or `REDACTED` where it is nothing but bullets: their number is the length of a password."""
    return REDACTED if text and not text.strip(BULLET) else text
