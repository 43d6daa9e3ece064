"""Acting on a page: every action finds its element, proves it, acts, waits until the page has settled, and
reports its effect in a `Receipt`.

An element is named by its id in a snapshot (``0-29``), a ref of the role format (``e12``), an XPath, a CSS
selector (``>>`` leads into frames and shadow roots), or by ``backend_node_id=`` and ``frame=``.

OpenClaw's names: ``clickViaPlaywright``, ``hoverViaPlaywright``, ``typeViaPlaywright``,
``pressKeyViaPlaywright``, ``dragViaPlaywright``, ``scrollIntoViewViaPlaywright`` and
``highlightViaPlaywright`` are `Page.click`, `hover`, `type`, `press`, `drag`, `scroll_into_view` and
`highlight`; ``fillFormViaPlaywright``, ``selectOptionViaPlaywright`` and ``setInputFilesViaPlaywright``
stand in `hybridsnap.client.input_methods`; ``armFileUploadViaPlaywright`` is `Page.expect_file_chooser`,
``armDialogViaPlaywright`` `Page.arm_dialog`, ``refLocator`` `hybridsnap.act.naming.resolve_element`,
``withCdpSocket`` `hybridsnap.connect`; its cookies and storage are `Page.storage`. Its traces have no
counterpart; ``page.session.send`` takes any command of the protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from hybridsnap.act.actions.dragging import DRAG, DRAG_AT
from hybridsnap.act.actions.mouse import MOUSE_DOWN, MOUSE_PATH, MOUSE_UP, MOVE_TO
from hybridsnap.act.actions.pointer import CLICK, CLICK_AT, HIGHLIGHT, HOVER
from hybridsnap.act.actions.scroll import SCROLL, SCROLL_INTO_VIEW, WHEEL
from hybridsnap.act.actions.touch import SWIPE, TAP
from hybridsnap.deadline import DEFAULT_TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.actions.spec import ActionOptions, ElementOptions
    from hybridsnap.act.input_state import Button
    from hybridsnap.act.receipt import Receipt
    from hybridsnap.act.scrolling import Direction
    from hybridsnap.client.action_runner import ActionRunner
    from hybridsnap.deadline import Deadline


class PointerMethods:
    """What a page can be told to do with the pointer, and what holds for every action.

    Every action takes ``timeout`` (seconds or a `Deadline`, for all of it, settling included), and

    - ``wait``: True, the default, waits until the element can be acted on (`hybridsnap.act.readiness`): until
      a selector matches, and the element is displayed, enabled, at rest and uncovered, or has the option that
      is chosen. False refuses at once; a number is the most seconds to wait. A stale id is never waited for.
    - ``receipt``: False leaves out watching the page and waiting for it to settle, for those who do many
      things in a row. The receipt then says what was done, and not its effect.

    All but the reading ones return a `Receipt`; those that read take no ``receipt``. They raise:

    - `UnknownElement`, `SelectorError`: nothing has this id, ref or selector; or several elements match the
      selector, and no ``nth`` says which is meant.
    - `StaleElement`: what the id stood for is gone, or something else now. Nothing was done.
    - `ElementCovered`, `NotInteractable`: it cannot be reached, or cannot take this. Nothing was done.
    - `CommandUnanswered`: the page did not answer in time: it is busy, or a dialog is open.
    """

    #: Runs the plans of actions; `hybridsnap.Page` makes it.
    _runner: ActionRunner

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
        **options: Unpack[ElementOptions],
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
            options: the rest of the element's name (``nth``, ``as_of``, ``backend_node_id``, ``frame``), and
                the common options (`hybridsnap.act.actions.spec.ActionOptions`).

        Raises:
            StaleElement, ElementCovered, NotInteractable, UnknownElement, SelectorError: not clicked.
        """
        return await self._runner.act(
            CLICK,
            element,
            options,
            timeout,
            button=button,
            count=count,
            modifiers=modifiers,
            delay=delay,
            position=position,
            force=force,
        )

    async def hover(
        self,
        element: str | None = None,
        *,
        modifiers: Sequence[str] = (),
        position: tuple[float, float] | None = None,
        force: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Move the pointer over an element. Arguments as for `click`."""
        return await self._runner.act(
            HOVER, element, options, timeout, modifiers=modifiers, position=position, force=force
        )

    async def drag(
        self,
        source: str,
        target: str,
        *,
        modifiers: Sequence[str] = (),
        source_position: tuple[float, float] | None = None,
        target_position: tuple[float, float] | None = None,
        steps: int = 1,
        delay: float = 0.0,
        hold: float | None = None,
        force: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Drag an element onto another: with mouse events, and as HTML's drag and drop where it is draggable.

        In a sortable list the source takes the target's place. The pointer goes to where the target is once
        the drag has begun, follows a target that scrolls, and lets go of the source over what is there.

        Args:
            source: id, ref or selector of what is dragged.
            target: likewise, of where it is dropped.
            modifiers: keys held meanwhile.
            source_position: where to take hold: CSS px from the source's top left corner; None chooses a
                point that is free.
            target_position: where to let go: CSS px from the target's top left corner; None chooses a point
                that is free, the middle if possible.
            steps: moves on the way. Sortable lists may exchange every item that the pointer crosses.
            delay: seconds for which the button is down before the first move.
            hold: seconds for which the pointer rests over the target, after each of two moves there; None for
                0.06, and 0.25 before the end of HTML's drag and drop.
            force: whatever lies on top.
            timeout: seconds.

        Returns:
            The receipt says what lay under the drop, in its details and as ``value``: ``{"x": …, "y": …,
            "over": "0-23", "made_room": False}``. ``over`` is None where nothing did; ``made_room``: the
            target moved aside for the source, as items of a sortable list do.

        Raises:
            ActionError: one of the two cannot be reached. With ``partial`` the drag had begun: it was broken
                off, and let go out of view, since its target had gone, or had become something else.
        """
        return await self._runner.act(
            DRAG,
            source,
            options,
            timeout,
            target=target,
            modifiers=modifiers,
            source_position=source_position,
            target_position=target_position,
            steps=steps,
            delay=delay,
            hold=hold,
            force=force,
        )

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
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Click a point: CSS px of the main viewport. For canvases; whatever is there gets it."""
        return await self._runner.act(
            CLICK_AT,
            None,
            options,
            timeout,
            x=x,
            y=y,
            button=button,
            count=count,
            modifiers=modifiers,
            delay=delay,
        )

    async def drag_at(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        *,
        modifiers: Sequence[str] = (),
        steps: int = 10,
        delay: float = 0.0,
        hold: float = 0.0,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Drag from one point to another: CSS px of the main viewport. Arguments as for `drag`."""
        return await self._runner.act(
            DRAG_AT,
            None,
            options,
            timeout,
            start=start,
            end=end,
            modifiers=modifiers,
            steps=steps,
            delay=delay,
            hold=hold,
        )

    async def move_to(
        self,
        x: float,
        y: float,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Move the pointer to a point: CSS px of the main viewport."""
        return await self._runner.act(MOVE_TO, None, options, timeout, x=x, y=y)

    async def mouse_down(
        self,
        *,
        x: float | None = None,
        y: float | None = None,
        button: Button = "left",
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Press a button of the mouse and keep it down, until `mouse_up`. Whatever is there gets it.

        Args:
            x: CSS px of the main viewport; None: where the pointer is.
            y: likewise.
            button: left, middle or right.
            timeout: seconds.
            options: the common options.

        Raises:
            ValueError: no place is given, and the pointer was not moved yet.
        """
        return await self._runner.act(MOUSE_DOWN, None, options, timeout, x=x, y=y, button=button)

    async def mouse_up(
        self,
        *,
        x: float | None = None,
        y: float | None = None,
        button: Button = "left",
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Let go of a button of the mouse. Arguments as for `mouse_down`."""
        return await self._runner.act(MOUSE_UP, None, options, timeout, x=x, y=y, button=button)

    async def mouse_path(
        self,
        points: Sequence[tuple[float, float]],
        *,
        button: Button = "left",
        modifiers: Sequence[str] = (),
        steps: int = 4,
        duration: float = 0.0,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Press at the first point, move along the others, let go at the last: to draw, or for a lasso.

        Args:
            points: at least two, in CSS px of the main viewport.
            button: that is held on the way.
            modifiers: keys held meanwhile.
            steps: moves from each point to the next.
            duration: seconds for all of it; 0 is as fast as the page follows.
            timeout: seconds.
            options: the common options.
        """
        return await self._runner.act(
            MOUSE_PATH,
            None,
            options,
            timeout,
            points=points,
            button=button,
            modifiers=modifiers,
            steps=steps,
            duration=duration,
        )

    # Touch

    async def tap(
        self,
        element: str | None = None,
        *,
        position: tuple[float, float] | None = None,
        force: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Tap an element with a finger. Arguments and errors as for `click`.

        The page gets touch and pointer events, then those of the mouse and a click, as on a telephone.
        """
        return await self._runner.act(TAP, element, options, timeout, position=position, force=force)

    async def swipe(
        self,
        direction: Direction,
        *,
        element: str | None = None,
        distance: float | None = None,
        duration: float = 0.2,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Draw a finger over the page, or from an element; what is under the finger goes along with it.

        Args:
            direction: up, down, left or right: where the finger goes. A swipe up shows what is below.
            element: that the finger is put on; None is the middle of the viewport.
            distance: CSS px; None is half of the viewport, from an element 200 px.
            duration: seconds; a short swipe is a fling.
            timeout: seconds.
            options: as for `click`.
        """
        return await self._runner.act(
            SWIPE, element, options, timeout, direction=direction, distance=distance, duration=duration
        )

    # Scrolling

    async def scroll(
        self,
        direction: Direction = "down",
        *,
        element: str | None = None,
        distance: float | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Scroll the page, or an element (the nearest around it that scrolls).

        Args:
            direction: up, down, left or right.
            element: id, ref or selector; None is the page.
            distance: CSS px; None is one viewport.
            timeout: seconds.
            options: as for `click`.

        Returns:
            The receipt's ``value`` is how far it went: ``{"x": 0.0, "y": 720.0, "what": "page"}``.
        """
        return await self._runner.act(
            SCROLL, element, options, timeout, direction=direction, distance=distance
        )

    async def wheel(
        self,
        dx: float,
        dy: float,
        *,
        at: str | tuple[float, float] | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Turn the mouse wheel, for maps and views that scroll by script: the page makes of it what it likes.

        Args:
            dx: CSS px to the right; negative is left.
            dy: CSS px down; negative is up.
            at: id, ref or selector of the element to turn it over, scrolled into view; or a point in CSS px
                of the main viewport. None is the middle of the viewport.
            timeout: seconds.
            options: as for `click`.

        Returns:
            The receipt's ``value``: ``{"dx": 0, "dy": 300, "x": 640.0, "y": 360.0}``.
        """
        return await self._runner.act(WHEEL, None, options, timeout, dx=dx, dy=dy, at=at)

    async def scroll_into_view(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Scroll until an element is in view, in all frames around it."""
        return await self._runner.act(SCROLL_INTO_VIEW, element, options, timeout)

    async def highlight(
        self,
        element: str | None = None,
        *,
        seconds: float = 2.0,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Draw a frame over an element for some seconds. The browser draws it; the page is not touched."""
        return await self._runner.act(HIGHLIGHT, element, options, timeout, seconds=seconds)
