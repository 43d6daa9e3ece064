"""What a pointer does to an element: click, hover; or to a point of the page.

The events are the browser's own (`Input.dispatchMouseEvent`), sent to the page's own session in coordinates
of the main viewport: the browser finds the frame that is meant, in any process. Where to point, and what
keeps a press from reaching anything else, is `hybridsnap.act.hit_target`; drags are
`hybridsnap.act.dragging`.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from hybridsnap.act.element import describe
from hybridsnap.act.geometry import MOST_PX
from hybridsnap.act.hit_target import (
    AT_LABEL,
    AT_STAND_IN,
    HitRequest,
    count_retries,
    find_hit_point,
)
from hybridsnap.act.input_state import check_button
from hybridsnap.act.keyboard import key_down, key_up, modifier_bits, parse_chord
from hybridsnap.act.press_guard import PressGuard
from hybridsnap.act.refusals import before_pressing, name_node, not_interactable
from hybridsnap.act.remote_call import call_on, call_with
from hybridsnap.capture.pointing import place_at
from hybridsnap.errors import CommandRefused, CommandUnanswered, SessionEnded, UnknownKey
from hybridsnap.injected import script
from hybridsnap.protocol.input_commands import cancel_dragging, dispatch_key, dispatch_mouse
from hybridsnap.protocol.plan import Failure, Reply, gather_outcomes, pause

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.hit_target import EarlyAim, HitPoint
    from hybridsnap.act.input_state import Button
    from hybridsnap.act.keyboard import Key
    from hybridsnap.act.press_guard import GuardResult
    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.model import ElementId
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

BITS: dict[Button, int] = {"left": 1, "right": 2, "middle": 4}
#: No page has an event for more clicks in a row than this.
_MOST_CLICKS = 3
#: How often an element that moves away under the pointer is aimed at anew.
TRIES = 3
#: What a receipt says when a dialog keeps the page from answering.
DIALOG_OPENED = "a dialog opened; the page goes on when it is answered"
#: What a receipt says of input that the page did not answer to, and why it did not.
_UNANSWERED = "the page did not answer to it: "
#: Seconds until the browser's picture of a page has caught up with it.
_BREATH = 0.05
#: How often a press may get lost: in all it is tried for about a second.
_LOST_TRIES = 6
#: Input on its way while a frame of another process goes may be lost (measured).
_LOST = _UNANSWERED + "detached"
#: What the browser refuses input with when the frame that it was for has just gone elsewhere (measured).
_NOBODY = -32603
#: What a receipt says of a press that ends over another element, and why it does.
LET_GO = "it was let go over something else: "
_GONE = "it had gone"
MOVED = "it moved as it was pressed, so that no click came of it"
#: The same of an element that is still there, as a field is whose press has opened its editor.
COVERED = "what the press opened lay over it"
#: Of a point.
_AXES = 2
_HOLDS, _HOVERED = script("holds_node"), script("hovered")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PointerOptions:
    """How to click.

    Attributes:
        button: left, middle or right.
        count: 1 to 3.
        modifiers: names of the keys held meanwhile: Shift, Control, Alt, Meta, ControlOrMeta.
        mac: the browser runs on macOS, where ControlOrMeta is Meta.
        held: keys that are down already, and stay so.
        delay: seconds between down and up.
        position: CSS px from the top left corner of the element's bounding box; None chooses a point that is
            free.
        force: whatever state the element is in, and whatever lies over it.

    Raises:
        TypeError, ValueError: one of them is none of these (`UnknownKey`, a ValueError, for modifiers).
    """

    button: Button = "left"
    count: int = 1
    modifiers: tuple[str, ...] = ()
    mac: bool = False
    held: tuple[Key, ...] = ()
    delay: float = 0.0
    position: tuple[float, float] | None = None
    force: bool = False

    def __post_init__(self) -> None:
        check_button(self.button)
        if self.count not in range(1, _MOST_CLICKS + 1):
            raise ValueError(f"count is 1, 2 or 3, not {self.count!r}")
        delay: Any = self.delay
        if not isinstance(delay, (int, float)) or not 0 <= delay < math.inf:
            raise ValueError(f"delay is a number of seconds, not {self.delay!r}")
        if self.position is not None:
            check_point(self.position, "position")
        modifier_keys(self.modifiers, mac=self.mac)


@dataclasses.dataclass(frozen=True, slots=True)
class Hit:
    """Where the pointer did it.

    Attributes:
        x: CSS px of the main viewport.
        y: likewise.
        notes: ``forced``, ``retried once: …``.
        receiver: the element that a forced press went to, where that is another than was named.
        hovered: the pointer rests there, so something may open a moment later.
    """

    x: float
    y: float
    notes: tuple[str, ...] = ()
    receiver: ElementId | None = dataclasses.field(default=None, kw_only=True)
    hovered: bool = dataclasses.field(default=False, kw_only=True)


def check_point(point: Any, what: str = "a point") -> None:
    """See whether this is a point.

    Raises:
        TypeError, ValueError: it is none.
    """
    if (
        not isinstance(point, (tuple, list))
        or len(point) != _AXES
        or not all(isinstance(one, (int, float)) for one in point)
    ):
        raise TypeError(f"{what} is two numbers of CSS px, (x, y), not {point!r}")
    if not all(abs(one) <= MOST_PX for one in point):
        raise ValueError(f"{what} is two numbers of CSS px, up to {MOST_PX:g}, not {point!r}")


def read_modifiers(given: Sequence[str]) -> tuple[str, ...]:
    """Modifiers' names; one text may hold several, as in a chord: ``Control+Shift``.

    Raises:
        TypeError: these are not names.
    """
    names: Any = [one for one in given.split("+") if one] if isinstance(given, str) else given or ()
    if not isinstance(names, (list, tuple, set, frozenset)) or not all(isinstance(one, str) for one in names):
        raise TypeError(f'modifiers are names such as ["Shift"], not {given!r}')
    return tuple(names)


def modifier_keys(names: Sequence[str], *, mac: bool = False) -> list[Key]:
    """The keys that modifiers' names mean, each once.

    Args:
        names: of modifiers.
        mac: ControlOrMeta is Meta.

    Raises:
        UnknownKey: one of them is not a modifier.
    """
    keys: list[Key] = []
    for name in names:
        chord = parse_chord(name, mac=mac)
        if not chord.key.modifier or chord.modifiers:
            raise UnknownKey(
                f"{name!r} is not a modifier (Shift, Control, Alt, Meta, ControlOrMeta)", chord=name, key=name
            )
        if chord.key not in keys:
            keys.append(chord.key)
    return keys


class Mouse:
    """The commands of one press, or several, at the same place with the same keys held."""

    def __init__(self, resolver: NodeResolver, options: PointerOptions) -> None:
        self._session = resolver.id_of(0)
        self._options = options
        named = modifier_keys(options.modifiers, mac=options.mac)
        keys = [key for key in named if key not in options.held]
        #: Owed before the button is let go: see `cancel_dragging`.
        self.cancel: Command[None] = cancel_dragging(self._session)
        self._bits = modifier_bits((*options.held, *keys))
        held = [[*options.held, *keys[:at]] for at in range(len(keys))]
        #: Let go in turn: each while those before it are still down.
        self.keys_up: list[Command[None]] = [
            dispatch_key(self._session, key_up(key, down).params)
            for key, down in reversed(list(zip(keys, held, strict=True)))
        ]
        self.keys_down: list[Command[None]] = [
            dispatch_key(self._session, key_down(key, down).params, cleanup=up)
            for key, down, up in zip(keys, held, reversed(self.keys_up), strict=True)
        ]

    def _params(self, kind: str, x: float, y: float, **more: Any) -> dict[str, Any]:
        return {"type": kind, "x": x, "y": y, "modifiers": self._bits, **more}

    def move(self, x: float, y: float, *, pressed: bool = False) -> Command[None]:
        """With the button pressed it may begin HTML's drag, so that the end of one is owed."""
        if not pressed:
            return dispatch_mouse(self._session, self._params("mouseMoved", x, y))
        button = self._options.button
        params = self._params("mouseMoved", x, y, button=button, buttons=BITS[button])
        return dispatch_mouse(self._session, params, cleanup=self.cancel)

    def up(
        self,
        x: float,
        y: float,
        count: int,
        sight: HitPoint | None = None,
        *,
        discharges: Sequence[Command[None]] = (),
    ) -> Command[None]:
        """Let go of the button; `discharges` are cleanups owed no more then. `sight` is as in `down`."""
        params = self._params("mouseReleased", x, y, button=self._options.button, clickCount=count, buttons=0)
        params |= self._time_of(sight, self._options.delay)
        return dispatch_mouse(self._session, params, discharges=discharges)

    def down(
        self, x: float, y: float, count: int, up: Command[None], sight: HitPoint | None = None
    ) -> Command[None]:
        """Pressed; `up` is owed until it was sent, or something that discharges it.

        For what is guarded it has the time of the look: documents that have come since then know it by that.
        """
        button = self._options.button
        params = self._params("mousePressed", x, y, button=button, clickCount=count, buttons=BITS[button])
        return dispatch_mouse(self._session, params | self._time_of(sight), cleanup=up)

    @staticmethod
    def _time_of(sight: HitPoint | None, later: float = 0.0) -> dict[str, float]:
        return {"timestamp": sight.clock / 1000 + later} if sight is not None and sight.places else {}


def went_on(outcomes: Sequence[object]) -> str:
    """What kept the page from answering to what was sent, if it did not; an empty string otherwise.

    A click that opens a dialog, closes the tab or crashes it is done all the same.

    Raises:
        HybridsnapError: something else went wrong.
    """
    for outcome in outcomes:
        if not isinstance(outcome, Failure):
            continue
        if isinstance(outcome.error, CommandUnanswered):
            cause = outcome.error.cause
            if cause == "dialog":
                return DIALOG_OPENED
            return _UNANSWERED + ("busy with a script, or a dialog" if cause == "busy" else cause)
        if isinstance(outcome.error, CommandRefused) and outcome.error.code == _NOBODY:
            return _UNANSWERED + "navigated"
        if isinstance(outcome.error, SessionEnded):
            return "the page was closed or crashed"
        raise outcome.error
    return ""


def hold_keys(mouse: Mouse) -> Plan[str]:
    """Hold the modifiers: first of all, since keys take another way through the browser than the mouse.

    Returns:
        What kept the page from answering; "" when it did.
    """
    return went_on((yield from gather_outcomes(*mouse.keys_down)))


def keys_down_for(resolver: NodeResolver, element: Element, aim: HitRequest, mouse: Mouse) -> Plan[str]:
    """Hold the modifiers before guards are put up: between them and the press nothing may keep us waiting.

    Raises:
        NotInteractable, ElementCovered, StaleElement: the element cannot be pressed; no key was.
    """
    if mouse.keys_down:
        yield from find_hit_point(resolver, element, dataclasses.replace(aim, guarded=False))
    return (yield from hold_keys(mouse))


def _press(
    mouse: Mouse,
    x: float,
    y: float,
    options: PointerOptions,
    sight: HitPoint | None = None,
    behind: Sequence[Command[CallResult]] = (),
) -> Plan[tuple[str, list[Outcome[CallResult]]]]:
    """Move there, press and let go as often as asked, and let go of the modifiers.

    What is `behind` is sent right behind the last press.

    Returns:
        What kept the page from answering, empty when it did; the outcomes of `behind`.
    """
    came = ""
    commands: list[Command[Any]] = [mouse.move(x, y)]
    for count in range(1, options.count + 1):
        up = mouse.up(x, y, count, sight)
        commands.append(mouse.down(x, y, count, up, sight))
        if options.delay and not came:
            came = went_on((yield from gather_outcomes(*commands)))
            yield from pause(options.delay)
            commands = []
        commands.append(up)
        if came:
            break
    outcomes: list[Outcome[Any]] = yield from gather_outcomes(*commands, *behind)
    came = went_on(outcomes[: len(commands)]) or came
    came = went_on((yield from gather_outcomes(*mouse.keys_up))) or came
    return came, outcomes[len(commands) :]


def click_request(options: PointerOptions, *, through: bool = False) -> HitRequest:
    """What a click wants of its point; `through` is as in `HitRequest`."""
    return HitRequest(
        action="click",
        force=options.force,
        guarded=True,
        apart=True,
        through=through,
        position=options.position,
        presses=options.count,
        hold_ms=options.delay * options.count * 1000,
    )


def click_element(
    resolver: NodeResolver,
    element: Element,
    options: PointerOptions,
    early: EarlyAim | None = None,
    *,
    through: bool = False,
) -> Plan[Hit]:
    """Click an element: scrolled into view, at rest, at a point that is free.

    A disabled element is refused, and as Playwright has it one with ``aria-disabled``, its own or inherited.
    A box to be ticked that hides behind its label is clicked there; one without a label, and the range in a
    slider's handle, at the element around it, where that holds no text and no other control. Another control
    in the element is not clicked in its stead (`injected/include/another.js`). The second and third press of
    a click are stopped, like the first, where they would reach another element.

    Args:
        resolver: of the page.
        element: to be clicked.
        options: how.
        early: a look for the point of `click_request` that was taken already.
        through: as in `HitRequest`.

    Raises:
        NotInteractable: its state does not allow it; ``reason`` says which.
        ElementCovered: something else lies over all of it, or comes to lie under the pointer each time; or
            other controls in it leave it no place.
        StaleElement: it is gone.
    """
    mouse = Mouse(resolver, options)
    aim = click_request(options, through=through)
    guard = PressGuard(resolver, element, aim, early)
    yield from guard.prepare()
    retries: list[str] = []
    lost = 0
    while True:
        came = yield from keys_down_for(resolver, element, aim, mouse)
        sight = yield from guard.aim()
        under = (yield from _under_force(resolver, element, sight)) if options.force else None
        last = len(retries) == TRIES - 1
        ending = guard.ending(sight, keep_cover=last)
        kept, ended = yield from _press(mouse, sight.x, sight.y, options, sight, ending)
        came = kept or came
        last = last or bool(came)
        seen = yield from guard.end(sight, keep_cover=last, ended=ended)
        if seen is not None and seen.lost and came in ("", _LOST):
            # A press goes where the last picture of the page shows a frame, and the page may be ahead of it.
            lost += 1
            if lost == _LOST_TRIES:
                raise not_interactable(element, aim.action, "lost")
            yield from pause(_BREATH * lost)
            continue
        notes = [*sight.notes, *count_retries([*retries, *["the press reached no element"] * lost])]
        if came:
            notes.append(came)
        if under is not None:
            notes.append(f"the press went to {describe(*under[1:])} [{under[0]}], which lay over it")
            return Hit(sight.x, sight.y, tuple(notes), receiver=under[0])
        if seen is None or not seen.stray:
            if seen is not None and seen.slipped:
                notes.append(_words_of(seen))
            return Hit(sight.x, sight.y, tuple(notes))
        if seen.reached:
            notes.append(
                f"click {seen.reached + 1} of {options.count} was stopped: it would have hit another"
            )
            return Hit(sight.x, sight.y, tuple(notes))
        yield from guard.check_stopped(seen, sight, last=last)
        retries.append("the page moved under the pointer")


def _words_of(seen: GuardResult) -> str:
    if seen.gone:
        return LET_GO + _GONE
    return LET_GO + MOVED if seen.moved else COVERED


def _under_force(
    resolver: NodeResolver, element: Element, sight: HitPoint
) -> Plan[tuple[ElementId, str, str] | None]:
    """Id, role and name of what a forced press will reach, where that is not the element or a part of it."""
    if {AT_LABEL, AT_STAND_IN} & set(sight.notes):
        return None
    try:
        place = yield from place_at(resolver, sight.x, sight.y)
        held = None if place is None else (yield from resolver.held(place))
        if held is None or (held.frame != element.place.frame and element.role == "Iframe"):
            return None
        if held.frame == element.place.frame:
            on, inner = ({"objectId": one.object_id} for one in (element.place, held))
            ask = call_with(resolver, held.session, held.frame, on, _HOLDS, [inner], by_value=True)
            (outcome,) = yield from gather_outcomes(ask)
            if not isinstance(outcome, Reply) or outcome.value.result.value is not False:
                return None
        return (yield from name_node(resolver, held, str(held.object_id)))
    except (CommandRefused, CommandUnanswered):
        return None  # it is just changing: not known


def hover_request(options: PointerOptions) -> HitRequest:
    """What hovering wants of its point."""
    return HitRequest(action="hover", enabled=False, force=options.force, position=options.position)


def hover_element(
    resolver: NodeResolver, element: Element, options: PointerOptions, early: EarlyAim | None = None
) -> Plan[Hit]:
    """Move the pointer over an element. Of the options, its position, its modifiers and force count.

    It is moved there again until the page has it over the element, for most of a second.

    Args:
        resolver: of the page.
        element: to be hovered.
        options: how.
        early: a look for the point of `hover_request` that was taken already.

    Raises:
        NotInteractable, ElementCovered, StaleElement: as for a click; a disabled element can be hovered.
    """
    mouse = Mouse(resolver, options)
    aim = hover_request(options)
    with before_pressing():
        sight = yield from find_hit_point(resolver, element, aim, early)
    look = None if aim.force else call_on(resolver, element.place, _HOVERED)
    hit = yield from _moved(mouse, sight.x, sight.y, look)
    return dataclasses.replace(hit, notes=(*sight.notes, *hit.notes), hovered=True)


def _moved(mouse: Mouse, x: float, y: float, look: Command[CallResult] | None = None) -> Plan[Hit]:
    """Move there; `look` asks whether that has come to what was meant."""
    came = yield from hold_keys(mouse)
    missed = 0
    while True:
        came = went_on((yield from gather_outcomes(mouse.move(x, y)))) or came
        if came or look is None:
            break
        (seen,) = yield from gather_outcomes(look)
        if not isinstance(seen, Reply) or seen.value.result.value is not False:
            break
        missed += 1
        if missed == _LOST_TRIES:
            came = "the pointer is over something else: it moved, or was covered, meanwhile"
            break
        yield from pause(_BREATH * missed)
    came = went_on((yield from gather_outcomes(*mouse.keys_up))) or came
    notes = [came] if came else count_retries(["the move came to something else"] * missed)
    return Hit(x, y, tuple(notes))


def click_at(
    resolver: NodeResolver, x: float, y: float, options: PointerOptions, place: NodeRef | None = None
) -> Plan[Hit]:
    """Click a point of the main viewport, whatever is there. CSS px.

    Args:
        resolver: of the page.
        x: of the point.
        y: likewise.
        options: how.
        place: what is there, with a handle, as far as it is known.
    """
    notes = yield from point_over(resolver, place, x, y, options)
    mouse = Mouse(resolver, options)
    came = yield from hold_keys(mouse)
    kept, _ = yield from _press(mouse, x, y, options)
    came = kept or came
    return Hit(x, y, (*notes, *([came] if came else [])))


def point_over(
    resolver: NodeResolver, place: NodeRef | None, x: float, y: float, options: PointerOptions
) -> Plan[tuple[str, ...]]:
    """Move over what stands at a point before it is pressed, if that is in a frame of another process: notes.

    Just after a page came, Chromium may not have drawn such a frame yet, and a press would go to the element
    that holds it (2 of 150 clicks).
    """
    if place is None or place.session == 0:
        return ()
    alone = Mouse(resolver, dataclasses.replace(options, modifiers=()))
    return (yield from _moved(alone, x, y, call_on(resolver, place, _HOVERED))).notes
