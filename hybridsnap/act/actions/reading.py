"""Actions that read an element, and change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.act.actions.spec import ActionContext, ActionSpec, Arguments, Parameter, on_element
from hybridsnap.act.controls import EarlyAnswer
from hybridsnap.act.reading import RENDERED_TEXT, read_attributes, read_outer_html, read_text
from hybridsnap.act.scrolling import read_bounding_box

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.protocol.plan import Plan


def _text(context: ActionContext, element: Element, arguments: Arguments) -> Plan[str]:
    return (yield from read_text(context.resolver, element, reveal=arguments["reveal"], early=context.early))


_REVEAL = Parameter("reveal", bool, "passwords as they are, in place of [redacted]", default=False)
OUTER_HTML = ActionSpec(
    name="outer_html",
    doc="An element's markup, as it is now; passwords as [redacted].",
    element="required",
    parameters=(_REVEAL,),
    plan=on_element(read_outer_html),
    reads=True,
)
TEXT = ActionSpec(
    name="text",
    doc="An element's text, as rendered; of a text field its value, passwords as [redacted].",
    element="required",
    parameters=(_REVEAL,),
    plan=_text,
    early=lambda context, arguments: EarlyAnswer(context.resolver, RENDERED_TEXT, arguments["reveal"]),
    reads=True,
)
ATTRIBUTES = ActionSpec(
    name="attributes",
    doc="An element's attributes; a password as [redacted].",
    element="required",
    parameters=(_REVEAL,),
    plan=on_element(read_attributes),
    reads=True,
)
BOUNDING_BOX = ActionSpec(
    name="bounding_box",
    doc="Where an element stands: x, y, width, height in CSS px of the main viewport.",
    element="required",
    plan=on_element(read_bounding_box),
    reads=True,
)
