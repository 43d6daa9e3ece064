"""The actions of `hybridsnap.Page` as plans for tabs of foreign drivers, by their names.

Arguments are those of `Page`'s methods, checked before anything is sent. Only what needs a client that stays
is not here: keys that are held from one call to the next, waits, dialogs, file choosers, downloads, history.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
from typing import TYPE_CHECKING, Any

from hybridsnap.act.checking import set_checked
from hybridsnap.act.choosing import select_option
from hybridsnap.act.element import describe
from hybridsnap.act.files import set_input_files
from hybridsnap.act.focusing import focus_element
from hybridsnap.act.forms import clear_element, fill, fill_form
from hybridsnap.act.highlight import highlight_element
from hybridsnap.act.perform import found_element
from hybridsnap.act.pointer import (
    PointerOptions,
    click_at,
    click_element,
    drag_at,
    drag_element,
    hover_element,
    move_to,
)
from hybridsnap.act.reading import read_attributes, read_outer_html, read_text
from hybridsnap.act.scrolling import read_bounding_box, scroll_element, scroll_into_view, scroll_page
from hybridsnap.act.text_entry import press_chord, type_text
from hybridsnap.capture.pointing import active_place, place_at
from hybridsnap.drivers.acting import acting, acting_on_page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.act.bindings import Bindings
    from hybridsnap.act.element import Element
    from hybridsnap.act.pointer import Button
    from hybridsnap.act.scrolling import Direction
    from hybridsnap.capture.locating import Locator, Place
    from hybridsnap.protocol.plan import Plan

_NAMING = ("nth", "as_of", "backend_node_id", "frame")


@dataclasses.dataclass(frozen=True, slots=True)
class _OnElement:
    """What is done to an element.

    Attributes:
        act: with the tab's bindings, which name further elements.
        tell: what the receipt's ``value`` is, of what the plan has returned.
        reads: the value itself is what is wanted; nothing is done.
    """

    act: Callable[[Locator, Bindings, Element], Plan[Any]]
    tell: Callable[[Any], Any] | None = None
    reads: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class _OnPage:
    """What is done to the page; `around` says where it will show."""

    around: Callable[[Locator], Plan[Place | None]]
    act: Callable[[Locator, Bindings], Plan[Any]]
    tell: Callable[[Any], Any] | None = None


def _simple(act: Callable[[Locator, Element], Plan[Any]]) -> Callable[[], _OnElement]:
    return lambda: _OnElement(lambda locator, _, found: act(locator, found))


def _reading(read: Callable[[Locator, Element], Plan[Any]]) -> Callable[[], _OnElement]:
    return lambda: _OnElement(lambda locator, _, found: read(locator, found), reads=True)


def _click(
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    delay: float = 0.0,
    position: tuple[float, float] | None = None,
    force: bool = False,
) -> _OnElement:
    options = PointerOptions(
        button=button, count=count, modifiers=tuple(modifiers), delay=delay, position=position, force=force
    )
    return _OnElement(lambda locator, _, found: click_element(locator, found, options))


def _hover(
    *, modifiers: Sequence[str] = (), position: tuple[float, float] | None = None, force: bool = False
) -> _OnElement:
    options = PointerOptions(modifiers=tuple(modifiers), position=position, force=force)
    return _OnElement(lambda locator, _, found: hover_element(locator, found, options))


def _drag(target: str, *, modifiers: Sequence[str] = (), force: bool = False) -> _OnElement:
    options = PointerOptions(modifiers=tuple(modifiers), force=force)

    def act(locator: Locator, bindings: Bindings, found: Element) -> Plan[Any]:
        onto, _ = yield from found_element(locator, bindings, target, {})
        return (yield from drag_element(locator, found, onto, options))

    return _OnElement(act)


def _type(
    text: str, *, clear: bool = False, delay: float = 0.0, by_keys: bool = False, submit: bool = False
) -> _OnElement:
    return _OnElement(
        lambda locator, _, found: type_text(
            locator, found, text, clear=clear, delay=delay, submit=submit, by_keys=by_keys
        )
    )


def _press(chord: str) -> _OnElement:
    return _OnElement(lambda locator, _, found: press_chord(locator, chord, found))


def _fill(value: Any) -> _OnElement:
    return _OnElement(lambda locator, _, found: fill(locator, found, value))


def _select_option(
    *,
    value: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    index: int | Sequence[int] | None = None,
) -> _OnElement:
    return _OnElement(
        lambda locator, _, found: select_option(locator, found, value=value, label=label, index=index)
    )


def _check() -> _OnElement:
    return _OnElement(lambda locator, _, found: set_checked(locator, found, True))


def _uncheck() -> _OnElement:
    return _OnElement(lambda locator, _, found: set_checked(locator, found, False))


def _set_input_files(paths: Any) -> _OnElement:
    return _OnElement(lambda locator, _, found: set_input_files(locator, found, paths))


def _scroll(direction: Direction = "down", *, distance: float | None = None) -> _OnElement:
    return _OnElement(
        lambda locator, _, found: scroll_element(locator, found, direction, distance), dataclasses.asdict
    )


def _highlight(*, seconds: float = 2.0) -> _OnElement:
    return _OnElement(lambda locator, _, found: highlight_element(locator, found, seconds))


_ON_ELEMENT: dict[str, Callable[..., _OnElement]] = {
    "click": _click,
    "hover": _hover,
    "drag": _drag,
    "focus": _simple(focus_element),
    "type": _type,
    "press": _press,
    "fill": _fill,
    "select_option": _select_option,
    "check": _check,
    "uncheck": _uncheck,
    "clear": _simple(clear_element),
    "set_input_files": _set_input_files,
    "scroll": _scroll,
    "scroll_into_view": lambda: _OnElement(
        lambda locator, _, found: scroll_into_view(locator, found), dataclasses.asdict
    ),
    "highlight": _highlight,
    "outer_html": _reading(read_outer_html),
    "text": _reading(read_text),
    "attributes": _reading(read_attributes),
    "bounding_box": _reading(read_bounding_box),
}


def _nowhere(_: Locator) -> Plan[Place | None]:
    yield from ()
    return None


def _click_at(
    x: float,
    y: float,
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    delay: float = 0.0,
) -> _OnPage:
    options = PointerOptions(button=button, count=count, modifiers=tuple(modifiers), delay=delay)
    return _OnPage(
        lambda locator: place_at(locator, x, y), lambda locator, _: click_at(locator, x, y, options)
    )


def _drag_at(
    start: tuple[float, float], end: tuple[float, float], *, modifiers: Sequence[str] = ()
) -> _OnPage:
    options = PointerOptions(modifiers=tuple(modifiers))
    return _OnPage(
        lambda locator: place_at(locator, *start), lambda locator, _: drag_at(locator, start, end, options)
    )


def _move_to(x: float, y: float) -> _OnPage:
    return _OnPage(lambda locator: place_at(locator, x, y), lambda locator, _: move_to(locator, x, y))


def _fill_form(entries: Sequence[dict[str, Any]]) -> _OnPage:
    def act(locator: Locator, bindings: Bindings) -> Plan[Any]:
        def resolve(element: str) -> Plan[Element]:
            return (yield from found_element(locator, bindings, element, {}))[0]

        return (yield from fill_form(locator, resolve, entries))

    def tell(filled: Any) -> list[dict[str, Any]]:
        return [
            {
                "id": one.element.id,
                "target": describe(one.element.role, one.element.name),
                "notes": list(one.notes),
            }
            for one in filled
        ]

    return _OnPage(_nowhere, act, tell)


def _press_there(chord: str) -> _OnPage:
    return _OnPage(active_place, lambda locator, _: press_chord(locator, chord))


def _scroll_page(direction: Direction = "down", *, distance: float | None = None) -> _OnPage:
    return _OnPage(_nowhere, lambda locator, _: scroll_page(locator, direction, distance), dataclasses.asdict)


_ON_PAGE: dict[str, Callable[..., _OnPage]] = {
    "click_at": _click_at,
    "drag_at": _drag_at,
    "move_to": _move_to,
    "fill_form": _fill_form,
    "press": _press_there,
    "scroll": _scroll_page,
}
#: What can be asked for.
ACTIONS = tuple(dict.fromkeys([*_ON_ELEMENT, *_ON_PAGE]))


def plan_action(
    action: str, element: str | None, arguments: tuple[Any, ...], options: dict[str, Any]
) -> Callable[[Locator, Bindings], Plan[Any]]:
    """A plan for an action.

    Args:
        action: its name; one of `ACTIONS`.
        element: id, ref or selector; None for actions on the page, or with a ``backend_node_id``.
        arguments: as for `hybridsnap.Page`'s method of this name.
        options: likewise, with how the element is named.

    Returns:
        Of what does something, a plan of a `Receipt`; of what reads, of what it reads.

    Raises:
        ValueError: there is no such action.
        TypeError: it does not take these arguments, or needs an element.
    """
    naming: Any = {key: options[key] for key in _NAMING if key in options}
    rest = {key: value for key, value in options.items() if key not in naming}
    named = element is not None or naming.get("backend_node_id") is not None
    table: dict[str, Callable[..., Any]] = _ON_ELEMENT if named else _ON_PAGE
    if action not in ACTIONS:
        near = difflib.get_close_matches(str(action)[:30], ACTIONS, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(ACTIONS)}"
        raise ValueError(f"unknown action {str(action)[:30]!r}; {hint}")
    if action not in table:
        raise TypeError(f"{action} needs an element" if not named else f"{action} takes no element")
    if naming and not named:
        raise TypeError(f"{', '.join(naming)}: for naming an element, and there is none")
    make = table[action]
    try:
        inspect.signature(make).bind(*arguments, **rest)
    except TypeError as error:
        raise TypeError(f"{action}: {error}") from None
    made = make(*arguments, **rest)
    if isinstance(made, _OnPage):
        return acting_on_page(action, made.around, made.act, made.tell)
    if not made.reads:
        return acting(action, element, naming, made.act, made.tell)

    def read(locator: Locator, bindings: Bindings) -> Plan[Any]:
        found, _ = yield from found_element(locator, bindings, element, naming)
        value = yield from functools.partial(made.act, locator, bindings)(found)
        yield from locator.release()
        return value

    return read
