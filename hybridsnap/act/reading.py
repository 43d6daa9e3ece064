"""Reading an element: its markup, its text, its attributes; passwords only when asked to reveal them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from hybridsnap.act.controls import ask, refuse
from hybridsnap.capture.ax_node import REDACTED
from hybridsnap.errors import CommandRefused
from hybridsnap.injected import script
from hybridsnap.protocol.commands import describe_node, get_outer_html
from hybridsnap.protocol.plan import gather

if TYPE_CHECKING:
    from hybridsnap.act.controls import EarlyAnswer
    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Command, Plan

T = TypeVar("T")

_IS_TYPED = script("is_typed_password")
RENDERED_TEXT = script("rendered_text")


#: An ``input`` in serialized markup, whose attributes' values stand in double quotes; its type, its value.
#: One that does not end (in a script or a comment) reaches to the end, so that nothing is read twice.
_INPUT = re.compile(
    r"""<(?:[\w.-]+:)?input(?=[\s/>])(?:[^">]++|"[^"]*+")*+(?:>|.*)""", re.IGNORECASE | re.DOTALL
)
_PASSWORD = re.compile(r'\stype="password"', re.IGNORECASE)
_VALUE = re.compile(r'(\svalue=")[^"]+', re.IGNORECASE)


def redact_passwords(markup: str) -> str:
    """Serialized markup with `REDACTED` as the value of each password field, those in comments included."""

    def redact(found: re.Match[str]) -> str:
        return _VALUE.sub(rf"\1{REDACTED}", found[0]) if _PASSWORD.search(found[0]) else found[0]

    return _INPUT.sub(redact, markup)


def read_outer_html(resolver: NodeResolver, element: Element, *, reveal: bool = False) -> Plan[str]:
    """An element's markup as it is now, itself included; of a text node its text. Shadow roots are left out.

    Args:
        resolver: of the page.
        element: to read.
        reveal: with the values of password fields; `REDACTED` stands in their place otherwise.

    Raises:
        StaleElement: it is gone.
    """
    if not reveal and (yield from ask(resolver, element, _IS_TYPED))["typed"]:
        return REDACTED
    own = resolver.id_of(element.place.session)
    markup = yield from _asked(element, get_outer_html(own, element.place.backend_node_id))
    return markup if reveal else redact_passwords(markup)


def read_text(
    resolver: NodeResolver, element: Element, *, reveal: bool = False, early: EarlyAnswer | None = None
) -> Plan[str]:
    """An element's text as rendered: what is hidden by style is left out, blocks and ``<br>`` break lines.

    Of an element that is not rendered itself all its text; of a text node its data; of a text field, or of an
    input that is a button, its value, which is the text that shows. The text of an element around a field
    does not have it. Of a password field, and of its inner parts, it is `REDACTED`.

    Args:
        resolver: of the page.
        element: to read.
        reveal: passwords as they are.
        early: an `EarlyAnswer` of `RENDERED_TEXT`, if there is one.

    Raises:
        StaleElement: it is gone.
    """
    told = yield from ask(resolver, element, RENDERED_TEXT, reveal, early=early)
    return REDACTED if told.get("typed") else str(told["text"])


def read_attributes(
    resolver: NodeResolver, element: Element, *, reveal: bool = False
) -> Plan[dict[str, str]]:
    """An element's attributes as they stand in the markup, in their order; a text node has none.

    Args:
        resolver: of the page.
        element: to read.
        reveal: with the value of a password field; `REDACTED` stands in its place otherwise.

    Raises:
        StaleElement: it is gone.
    """
    own = resolver.id_of(element.place.session)
    node = {"backendNodeId": element.place.backend_node_id}
    described = yield from _asked(element, describe_node(own, node, depth=0))
    names, values = described.attributes[::2], described.attributes[1::2]
    attributes = dict(zip(names, values, strict=True))
    is_password = described.node_name.lower() == "input" and attributes.get("type", "").lower() == "password"
    if is_password and attributes.get("value") and not reveal:
        attributes["value"] = REDACTED
    return attributes


def _asked(element: Element, command: Command[T]) -> Plan[T]:
    try:
        (told,) = yield from gather(command)
    except CommandRefused:
        refuse(element, "read", "detached")
    return told
