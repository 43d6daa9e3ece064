"""Acting on a page: every action finds its element, proves it, acts, waits until the page has settled, and
says in a `Receipt` what came of it.

An element is named by its id in a snapshot (``0-29``), a ref of the role format (``e12``), an XPath, a CSS
selector (``>>`` leads into frames and shadow roots), or by ``backend_node_id=`` and ``frame=``.

OpenClaw's names: ``clickViaPlaywright``, ``hoverViaPlaywright``, ``typeViaPlaywright``,
``pressKeyViaPlaywright``, ``dragViaPlaywright``, ``scrollIntoViewViaPlaywright`` and
``highlightViaPlaywright`` are `Actions.click`, `hover`, `type`, `press`, `drag`, `scroll_into_view` and
`highlight`; ``fillFormViaPlaywright``, ``selectOptionViaPlaywright`` and ``setInputFilesViaPlaywright``
stand in `hybridsnap.client.form_actions`; ``armFileUploadViaPlaywright`` is `Page.expect_file_chooser`,
``armDialogViaPlaywright`` `Page.arm_dialog`, ``refLocator`` `hybridsnap.act.naming.resolve_element`,
``withCdpSocket`` `hybridsnap.connect`. Its modules for cookies, storage and traces have no counterpart:
each is a command or two of the protocol's, and ``page.session.send`` takes any.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Unpack

from hybridsnap.act.focusing import focus_element
from hybridsnap.act.highlight import highlight_element
from hybridsnap.act.keyboard import HeldKeys
from hybridsnap.act.perform import Naming, found_element
from hybridsnap.act.pointer import (
    PointerOptions,
    check_point,
    click_at,
    click_element,
    drag_at,
    drag_element,
    hover_element,
    move_to,
    read_modifiers,
)
from hybridsnap.act.reading import read_attributes, read_outer_html, read_text
from hybridsnap.act.scrolling import read_bounding_box, scroll_element, scroll_into_view, scroll_page
from hybridsnap.act.text_entry import key_down, key_up, press_chord, type_text
from hybridsnap.capture.pointing import active_place, place_at
from hybridsnap.client.page_core import DEFAULT_TIMEOUT
from hybridsnap.client.performing import Performing, nowhere
from hybridsnap.deadline import Deadline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.pointer import Button
    from hybridsnap.act.receipt import Receipt
    from hybridsnap.act.scrolling import Direction, Scrolled
    from hybridsnap.capture.locating import Locator
    from hybridsnap.client.browser import Browser
    from hybridsnap.client.connection import Session
    from hybridsnap.model import TargetId
    from hybridsnap.protocol.plan import Plan


class Actions(Performing):
    """What can be done to a page.

    Every action takes ``timeout`` (seconds or a `Deadline`, for all of it, settling included). All but the
    reading ones return a `Receipt`. They raise:

    - `UnknownElement`, `SelectorError`: nothing has this id, ref or selector.
    - `StaleElement`: what the id stood for is gone, or something else now. Nothing was done.
    - `ElementCovered`, `NotInteractable`: it cannot be reached, or cannot take this. Nothing was done.
    - `CommandUnanswered`: the page did not answer in time: it is busy, or a dialog is open.
    """

    def __init__(
        self, browser: Browser, target_id: TargetId, session: Session, engine_session: Session
    ) -> None:
        super().__init__(browser, target_id, session, engine_session)
        self._held = HeldKeys()
        self._mac: bool | None = None

    # Pointer

    async def click(
        self,
        element: str | None = None,
        *,
        button: Button = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
        delay: float = 0.0,
        position: tuple[float, float] | None = None,
        force: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Click an element, as a person would: scrolled into view, at rest, with nothing on top of it.

        Args:
            element: id, ref or selector.
            button: left, middle or right.
            count: 2 for a double click, 3 for a triple one.
            modifiers: keys held meanwhile: Shift, Control, Alt, Meta, ControlOrMeta (Meta on macOS, Control
                elsewhere); a list of them, or one text such as ``Control+Shift``.
            delay: seconds between down and up.
            position: CSS px from the element's top left corner; None chooses a point that is free.
            force: click whatever state it is in and whatever lies on top; the receipt says so.
            timeout: seconds.
            naming: ``nth``, ``as_of``, ``backend_node_id``, ``frame``.

        Raises:
            StaleElement, ElementCovered, NotInteractable, UnknownElement, SelectorError: not clicked.
        """
        timeout = Deadline.of(timeout)
        options = await self._pointer(
            modifiers, timeout, button=button, count=count, delay=delay, position=position, force=force
        )
        return await self._act(
            "click", element, naming, lambda locator, found: click_element(locator, found, options), timeout
        )

    async def hover(
        self,
        element: str | None = None,
        *,
        modifiers: Sequence[str] = (),
        position: tuple[float, float] | None = None,
        force: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Move the pointer over an element. Arguments as for `click`."""
        timeout = Deadline.of(timeout)
        options = await self._pointer(modifiers, timeout, position=position, force=force)
        return await self._act(
            "hover", element, naming, lambda locator, found: hover_element(locator, found, options), timeout
        )

    async def drag(
        self,
        source: str,
        target: str,
        *,
        modifiers: Sequence[str] = (),
        force: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> Receipt:
        """Drag an element onto another: with mouse events, and as HTML's drag and drop where it is draggable.

        Args:
            source: id, ref or selector of what is dragged.
            target: likewise, of where it is dropped.
            modifiers: keys held meanwhile.
            force: whatever lies on top.
            timeout: seconds.
        """
        timeout = Deadline.of(timeout)
        options = await self._pointer(modifiers, timeout, force=force)

        def drag(locator: Locator, found: Element) -> Plan[Any]:
            onto, _ = yield from found_element(locator, self._bindings, target, {})
            return (yield from drag_element(locator, found, onto, options))

        return await self._act("drag", source, {}, drag, timeout)

    async def click_at(
        self,
        x: float,
        y: float,
        *,
        button: Button = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
        delay: float = 0.0,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> Receipt:
        """Click a point: CSS px of the main viewport. For canvases; whatever is there gets it."""
        check_point((x, y))
        timeout = Deadline.of(timeout)
        options = await self._pointer(modifiers, timeout, button=button, count=count, delay=delay)
        return await self._act_on_page(
            f"click at {x:g}, {y:g}",
            lambda locator: place_at(locator, x, y),
            lambda locator: click_at(locator, x, y, options),
            timeout,
        )

    async def drag_at(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        *,
        modifiers: Sequence[str] = (),
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> Receipt:
        """Drag from one point to another: CSS px of the main viewport."""
        check_point(start, "start")
        check_point(end, "end")
        timeout = Deadline.of(timeout)
        options = await self._pointer(modifiers, timeout)
        return await self._act_on_page(
            f"drag from {start[0]:g}, {start[1]:g} to {end[0]:g}, {end[1]:g}",
            lambda locator: place_at(locator, *start),
            lambda locator: drag_at(locator, start, end, options),
            timeout,
        )

    async def move_to(self, x: float, y: float, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> Receipt:
        """Move the pointer to a point: CSS px of the main viewport."""
        check_point((x, y))
        return await self._act_on_page(
            f"move to {x:g}, {y:g}",
            lambda locator: place_at(locator, x, y),
            lambda locator: move_to(locator, x, y),
            timeout,
        )

    async def scroll(
        self,
        direction: Direction = "down",
        *,
        element: str | None = None,
        distance: float | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Scroll the page, or an element (the nearest around it that scrolls).

        Args:
            direction: up, down, left or right.
            element: id, ref or selector; None is the page.
            distance: CSS px; None is one viewport.
            timeout: seconds.
            naming: as for `click`.

        Returns:
            The receipt's ``value`` is how far it went: ``{"x": 0.0, "y": 720.0, "what": "page"}``.
        """
        if element is None and not naming:
            return await self._act_on_page(
                f"scroll {direction}",
                nowhere,
                lambda locator: scroll_page(locator, direction, distance),
                timeout,
                _tell_scrolled,
            )
        return await self._act(
            f"scroll {direction}",
            element,
            naming,
            lambda locator, found: scroll_element(locator, found, direction, distance),
            timeout,
            _tell_scrolled,
        )

    async def scroll_into_view(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Scroll until an element is in view, in all frames around it."""
        return await self._act("scroll into view", element, naming, scroll_into_view, timeout, _tell_scrolled)

    async def highlight(
        self,
        element: str | None = None,
        *,
        seconds: float = 2.0,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Draw a frame over an element for some seconds. The browser draws it; the page is not touched."""
        return await self._act(
            "highlight",
            element,
            naming,
            lambda locator, found: highlight_element(locator, found, seconds),
            timeout,
        )

    # Keyboard

    async def focus(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Give an element the focus, without clicking it."""
        return await self._act("focus", element, naming, focus_element, timeout)

    async def type(
        self,
        element: str | None,
        text: str,
        *,
        clear: bool = False,
        delay: float = 0.0,
        by_keys: bool = False,
        submit: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Type into an element, behind what it holds.

        Args:
            element: id, ref or selector.
            text: what to type. Line breaks are such in a textarea and in editable text; in an input they
                become blanks, as when text is pasted, and submit nothing (a note says so).
            clear: replace what it holds.
            delay: seconds between characters, each typed with key events; 0 enters the text at once.
            by_keys: key events for each character, without delay.
            submit: press Enter afterwards.
            timeout: seconds.
            naming: as for `click`.
        """
        return await self._act(
            "type",
            element,
            naming,
            lambda locator, found: type_text(
                locator, found, text, clear=clear, delay=delay, submit=submit, by_keys=by_keys
            ),
            timeout,
        )

    async def press(
        self,
        chord: str,
        *,
        element: str | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Press keys together: ``Enter``, ``Ctrl+a``, ``ControlOrMeta+Shift+ArrowLeft``.

        Args:
            chord: the keys (`hybridsnap.act.keyboard`).
            element: that gets the focus before; None presses them wherever it is.
            timeout: seconds.
            naming: as for `click`.

        Raises:
            UnknownKey: there is no such key.
        """
        timeout = Deadline.of(timeout)
        mac = await self._on_mac(chord, timeout)
        if element is None and not naming:
            return await self._act_on_page(
                f"press {chord}",
                active_place,
                lambda locator: press_chord(locator, chord, held=self._held, mac=mac),
                timeout,
            )
        return await self._act(
            f"press {chord}",
            element,
            naming,
            lambda locator, found: press_chord(locator, chord, found, held=self._held, mac=mac),
            timeout,
        )

    async def key_down(self, key: str, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> Receipt:
        """Press a key and keep it down, until `key_up`. Modifiers count for all that is pressed meanwhile."""
        timeout = Deadline.of(timeout)
        mac = await self._on_mac(key, timeout)
        return await self._act_on_page(
            f"hold {key}",
            active_place,
            lambda locator: key_down(locator, key, self._held, mac=mac),
            timeout,
        )

    async def key_up(self, key: str, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> Receipt:
        """Let go of a key."""
        timeout = Deadline.of(timeout)
        mac = await self._on_mac(key, timeout)
        return await self._act_on_page(
            f"let go of {key}",
            active_place,
            lambda locator: key_up(locator, key, self._held, mac=mac),
            timeout,
        )

    async def _pointer(self, modifiers: Sequence[str], deadline: Deadline, **options: Any) -> PointerOptions:
        """What the pointer is to do here, checked."""
        names, held = read_modifiers(modifiers), tuple(self._held.keys)
        # What cannot mean anything is refused before the browser is asked.
        checked = PointerOptions(modifiers=names, held=held, **options)
        mac = await self._on_mac("+".join(names), deadline)
        return dataclasses.replace(checked, mac=mac)

    async def _on_mac(self, keys: str, deadline: Deadline) -> bool:
        """Whether ``ControlOrMeta`` is Meta here: on macOS. Asked once, where it matters."""
        if "ormeta" not in keys.lower():
            return False
        if self._mac is None:
            version = await self._attachment.root.session.send("Browser.getVersion", deadline=deadline)
            self._mac = "Mac OS X" in version["userAgent"]
        return self._mac

    # Reading

    async def outer_html(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> str:
        """An element's markup, as it is now."""
        return await self._read(element, naming, read_outer_html, timeout)

    async def text(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> str:
        """An element's text, as rendered."""
        return await self._read(element, naming, read_text, timeout)

    async def attributes(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> dict[str, str]:
        """An element's attributes."""
        return await self._read(element, naming, read_attributes, timeout)

    async def bounding_box(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[Naming],
    ) -> tuple[float, float, float, float] | None:
        """Where an element stands, whatever frame it is in.

        Returns:
            x, y, width, height in CSS px of the main viewport; None where it is not laid out.
        """
        return await self._read(element, naming, read_bounding_box, timeout)


def _tell_scrolled(scrolled: Scrolled) -> tuple[dict[str, Any], list[str]]:
    x, y = round(scrolled.x), round(scrolled.y)
    if scrolled.what == "wheel":
        said = "nothing scrolls that way; the wheel was turned"
    else:
        said = f"the {scrolled.what} scrolled by {x}, {y} px"
    return dataclasses.asdict(scrolled), [said]
