"""The mouse, button by button: held from one action to the next, or led along a path.

`hybridsnap.act.pointer` presses elements, with guards. Here the caller says where: whatever is there gets it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from hybridsnap.act.geometry import points_between
from hybridsnap.act.keyboard import modifier_bits
from hybridsnap.act.pointer import BITS, Hit, Mouse, PointerOptions, check_point, hold_keys, went_on
from hybridsnap.protocol.input_commands import dispatch_mouse
from hybridsnap.protocol.plan import gather_outcomes, pause

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.input_state import Button, InputState
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Command, Plan

#: Points of a path, and moves from each to the next, at most: a page cannot follow more.
_MOST_POINTS = 10_000
_MOST_STEPS = 1000


def check_place(x: float | None, y: float | None) -> None:
    """See whether these are a point, or nothing.

    Raises:
        TypeError, ValueError: they are neither.
    """
    if (x is None) != (y is None):
        raise TypeError("expected x and y, or neither: without them the pointer stays where it is")
    if x is not None:
        check_point((x, y))


def check_steps(steps: int) -> None:
    """See whether the pointer can be moved in so many steps.

    Raises:
        ValueError: it cannot.
    """
    if isinstance(steps, bool) or steps not in range(1, _MOST_STEPS + 1):
        raise ValueError(f"steps: expected a whole number from 1 to {_MOST_STEPS}, got {steps!r}")


def check_path(points: Sequence[tuple[float, float]], steps: int, duration: float) -> None:
    """See whether this is a path.

    Raises:
        TypeError, ValueError: it is none.
    """
    given: Any = points
    if not isinstance(given, (list, tuple)) or not 2 <= len(given) <= _MOST_POINTS:  # noqa: PLR2004 - a path
        raise ValueError(f"points: expected a list of 2 to {_MOST_POINTS} points (x, y), got {given!r:.80}")
    for number, point in enumerate(points):
        check_point(point, f"point {number} of the path")
    check_steps(steps)
    seconds: Any = duration
    if not isinstance(seconds, (int, float)) or not 0 <= seconds < float("inf"):
        raise ValueError(f"duration: expected a number of seconds, got {duration!r}")


def move_mouse(resolver: NodeResolver, state: InputState, x: float, y: float) -> Plan[Hit]:
    """Move the pointer to a point, with the buttons that are down."""
    came = went_on((yield from gather_outcomes(_move(resolver, state, x, y))))
    return Hit(x, y, (came,) if came else ())


def mouse_down(
    resolver: NodeResolver, state: InputState, x: float | None, y: float | None, button: Button
) -> Plan[Hit]:
    """Press a button and keep it down. It counts as down also when the plan is cut off.

    Args:
        resolver: of the page.
        state: of its mouse.
        x: where, in CSS px of the main viewport; None stays where the pointer is.
        y: likewise.
        button: of the mouse.
    """
    at = _place(state, x, y)
    notes = [f"the {button} button was down already"] if button in state.buttons else []
    commands = [] if x is None else [_move(resolver, state, *at)]
    if button not in state.buttons:
        state.buttons.append(button)
    commands.append(_event(resolver, state, "mousePressed", at, button=button, clickCount=1))
    came = went_on((yield from gather_outcomes(*commands)))
    return Hit(*at, tuple(note for note in (*notes, came) if note))


def mouse_up(
    resolver: NodeResolver, state: InputState, x: float | None, y: float | None, button: Button
) -> Plan[Hit]:
    """Let go of a button. Arguments as for `mouse_down`."""
    at = _place(state, x, y)
    notes = [] if button in state.buttons else [f"the {button} button was not down"]
    commands = [] if x is None else [_move(resolver, state, *at)]
    state.buttons[:] = [one for one in state.buttons if one != button]
    commands.append(_event(resolver, state, "mouseReleased", at, button=button, clickCount=1))
    came = went_on((yield from gather_outcomes(*commands)))
    return Hit(*at, tuple(note for note in (*notes, came) if note))


def lead_along(
    resolver: NodeResolver,
    state: InputState,
    points: Sequence[tuple[float, float]],
    options: PointerOptions,
    *,
    steps: int,
    duration: float,
) -> Plan[Hit]:
    """Press at the first point, move along the others, let go at the last: to draw, or for a lasso.

    Args:
        resolver: of the page.
        state: of its mouse.
        points: CSS px of the main viewport.
        options: the button, and the keys held meanwhile.
        steps: moves from each point to the next.
        duration: seconds for all of it; 0 is as fast as the page follows.
    """
    mouse = Mouse(resolver, options)
    first, last = points[0], points[-1]
    up = mouse.up(*last, 1)
    came = yield from hold_keys(mouse)
    down = mouse.down(*first, 1, up)
    came = went_on((yield from gather_outcomes(mouse.move(*first), down))) or came
    way = [place for begin, end in itertools.pairwise(points) for place in points_between(begin, end, steps)]
    for x, y in way:
        if came:
            break
        # One by one: what is sent together is one move for the page.
        came = went_on((yield from gather_outcomes(mouse.move(x, y, pressed=True))))
        yield from pause(duration / len(way))
    came = went_on((yield from gather_outcomes(mouse.up(*last, 1, discharges=(up, mouse.cancel))))) or came
    came = went_on((yield from gather_outcomes(*mouse.keys_up))) or came
    state.position = last
    return Hit(*last, (came,) if came else ())


def _place(state: InputState, x: float | None, y: float | None) -> tuple[float, float]:
    if x is not None and y is not None:
        return x, y
    if state.position is None:
        raise ValueError("the pointer is nowhere yet: give x and y, or move it there first (move_to, hover)")
    return state.position


def _move(resolver: NodeResolver, state: InputState, x: float, y: float) -> Command[None]:
    button = state.buttons[-1] if state.buttons else "none"
    state.position = (x, y)
    return _event(resolver, state, "mouseMoved", (x, y), button=button)


def _event(
    resolver: NodeResolver, state: InputState, kind: str, at: tuple[float, float], **more: Any
) -> Command[None]:
    params = {
        "type": kind,
        "x": at[0],
        "y": at[1],
        "modifiers": modifier_bits(state.keys),
        "buttons": sum(BITS[one] for one in state.buttons),
        **more,
    }
    return dispatch_mouse(resolver.id_of(0), params)
