"""Controls that hold a value on a scale: sliders, numbers, dates, colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.act.controls import ask, kind_in_words, refuse
from hybridsnap.act.forms import fill
from hybridsnap.injected import script

if TYPE_CHECKING:
    from hybridsnap.act.element import Element
    from hybridsnap.act.focusing import Done
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Plan

_KIND = script("kind_of_control")


def check_value(value: Any) -> None:
    """See whether this is a value on a scale.

    Raises:
        TypeError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise TypeError(f"value: expected a number or a str, got {value!r:.60}")


def set_value(resolver: NodeResolver, element: Element, value: float | str) -> Plan[Done]:
    """Give a valued control its value: a slider of ARIA by its keys, others as `fill` does.

    Raises:
        NotInteractable: it has no value (``wrong kind``), cannot have this one (``value``), is disabled, …
        StaleElement: it is gone.
    """
    told = yield from ask(resolver, element, _KIND)
    if not told["valued"]:
        what = kind_in_words(told["kind"])
        why = f"it is {what}, without a value on a scale; use fill, check or select_option"
        refuse(element, "set the value of", "wrong kind", why)
    return (yield from fill(resolver, element, value))
