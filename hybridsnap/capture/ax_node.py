"""What one node of the accessibility tree says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridsnap.protocol.replies import AXNode

#: A value longer than this is cut in the outline; see `hybridsnap.render.tree`.
VALUE_CHARACTERS = 100
#: Chromium shows a password's characters as bullets, in the AX tree too.
BULLET = "\u2022"
#: Stands where a password would.
REDACTED = "[redacted]"


def role_of(node: AXNode) -> str:
    """Chromium's role of the node."""
    return node.role.value if node.role is not None else "none"


def name_of(node: AXNode) -> str:
    """The node's accessible name, as the page has it."""
    return node.name.value if node.name is not None else ""


def value_of(node: AXNode) -> str:
    """The node's value as text."""
    value = None if node.value is None else node.value.value
    if value is None or value is False:
        return ""
    if isinstance(value, float):
        # Chromium's numbers have 32 bits: 0.6 comes as 0.6000000238418579.
        return str(int(value)) if value.is_integer() else f"{value:.7g}"
    return "true" if value is True else str(value)


def without_password(node: AXNode, text: str) -> str:
    """`text`, the node's name or value; of a password, whose bullets would say how long it is, `REDACTED`."""
    if BULLET in text and any(prop.name == "editable" for prop in node.properties):
        return hide_bullets(text)
    return text


def hide_bullets(text: str) -> str:
    """`text`, or `REDACTED` where it is nothing but bullets: their number is the length of a password."""
    return REDACTED if text and not text.strip(BULLET) else text
