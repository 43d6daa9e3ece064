"""Reading an element: its markup, its text, its attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from hybridsnap.act.controls import ask, on_element, refuse
from hybridsnap.errors import CommandRefused
from hybridsnap.protocol.commands import describe_object, get_outer_html
from hybridsnap.protocol.plan import batch

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator
    from hybridsnap.protocol.plan import Command, Plan

T = TypeVar("T")

#: Of a document the text of its root element. What is no HTML has no rendered text: all of it then.
_TEXT = on_element(
    "",
    """
  if (this instanceof CharacterData) return { text: get(CharacterData, "data", this) };
  const one = this instanceof Document ? get(Document, "documentElement", this) : this;
  if (one instanceof HTMLElement) return { text: get(HTMLElement, "innerText", one) };
  return { text: one && get(Node, "textContent", one) || "" };
""",
)


def read_outer_html(locator: Locator, element: Element) -> Plan[str]:
    """An element's markup as it is now, itself included; of a text node its text. Shadow roots are left out.

    Raises:
        StaleElement: it is gone.
    """
    own = locator.id_of(element.place.session)
    return (yield from _asked(element, get_outer_html(own, element.place.backend_node_id)))


def read_text(locator: Locator, element: Element) -> Plan[str]:
    """An element's text as rendered: what is hidden by style is left out, blocks and ``<br>`` break lines.

    Of an element that is not rendered itself all its text; of a text node its data. Values of form controls
    are no text.

    Raises:
        StaleElement: it is gone.
    """
    told = yield from ask(locator, element, _TEXT)
    return str(told["text"])


def read_attributes(locator: Locator, element: Element) -> Plan[dict[str, str]]:
    """An element's attributes as they stand in the markup, in their order; a text node has none.

    Raises:
        StaleElement: it is gone.
    """
    own = locator.id_of(element.place.session)
    node = {"backendNodeId": element.place.backend_node_id}
    described = yield from _asked(element, describe_object(own, node, depth=0))
    names, values = described.attributes[::2], described.attributes[1::2]
    return dict(zip(names, values, strict=True))


def _asked(element: Element, command: Command[T]) -> Plan[T]:
    try:
        (told,) = yield from batch(command)
    except CommandRefused:
        refuse(element, "read", "detached")
    return told
