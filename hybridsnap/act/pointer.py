"""What a pointer does to an element: click, hover, drag; or to a point of the page.

The events are the browser's own (`Input.dispatchMouseEvent`), sent to the page's own session in coordinates
of the main viewport: the browser finds the frame that is meant, in any process. Where to point, and what
keeps a press from reaching anything else, is `hybridsnap.act.aiming`.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from hybridsnap.act.aiming import Aim, aim_at, blame_stray, count_retries
from hybridsnap.act.bystanders import Bystanders
from hybridsnap.act.calling import call_on
from hybridsnap.act.geometry import MOST_PX, points_between
from hybridsnap.act.keyboard import UnknownKey, key_down, key_up, parse_chord
from hybridsnap.act.probes import HOVERED
from hybridsnap.act.refusals import blame_frame, refuse
from hybridsnap.errors import CommandRefused, CommandUnanswered, SessionEnded
from hybridsnap.protocol.commands import cancel_dragging, dispatch_key, dispatch_mouse, get_frame_tree
from hybridsnap.protocol.plan import Answer, Failure, pause, settle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hybridsnap.act.aiming import Sight
    from hybridsnap.act.element import Element
    from hybridsnap.act.keyboard import Key
    from hybridsnap.capture.locating import Locator
    from hybridsnap.model import LoaderId
    from hybridsnap.protocol.plan import Command, Plan
    from hybridsnap.protocol.replies import CallResult

Button: TypeAlias = Literal["left", "middle", "right"]
_BITS: dict[Button, int] = {"left": 1, "right": 2, "middle": 4}
#: More than this is no click that a page has an event for.
_MOST_CLICKS = 3
#: How often an element that moves away under the pointer is aimed at anew.
_TRIES = 3
#: What a receipt says when a dialog keeps the page from answering.
DIALOG_OPENED = "a dialog opened; the page goes on when it is answered"
#: What a receipt says of input that the page did not answer to, and why it did not.
_UNANSWERED = "the page did not answer to it: "
#: Seconds until the browser's picture of a page has caught up with it.
_BREATH = 0.05
#: How often a press may come to nobody: in all it is tried for about a second.
_LOST_TRIES = 6
#: Input on its way while a frame of another process goes may be lost: nobody gets it (measured).
_LOST = _UNANSWERED + "detached"
#: What the browser refuses input with when the frame that it was for has just gone elsewhere (measured).
_NOBODY = -32603
#: Moves of a drag: a page that draws, or asks how far the pointer went, sees a way and not a jump.
_STEPS = 10
#: Of a point.
_AXES = 2
#: Asked of an element: that it is answered says that its document is there.
_THERE = "function () { return true; }"
#: What a receipt says of a drag that lost the document it began in.
_CALLED_OFF = "the document that it began in was replaced: the drag was called off, nothing was dropped"
#: CSS px after which a press has become a drag; Chromium takes more than 3 for one.
_BEGIN = 8.0


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
        if self.button not in get_args(Button):
            raise ValueError(f"button is left, middle or right, not {self.button!r}")
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
    """

    x: float
    y: float
    notes: tuple[str, ...] = ()


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
        TypeError: these are no names.
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
        UnknownKey: one of them is no modifier.
    """
    keys: list[Key] = []
    for name in names:
        chord = parse_chord(name, mac=mac)
        if not chord.key.modifier or chord.modifiers:
            raise UnknownKey(
                f"{name!r} is no modifier (Shift, Control, Alt, Meta, ControlOrMeta)", chord=name, key=name
            )
        if chord.key not in keys:
            keys.append(chord.key)
    return keys


class _Mouse:
    """The commands of one press, or several, at the same place with the same keys held."""

    def __init__(self, locator: Locator, options: PointerOptions) -> None:
        self._session = locator.id_of(0)
        self._options = options
        keys = modifier_keys(options.modifiers, mac=options.mac)
        self._keys = [key for key in keys if key not in options.held]
        #: Owed before the button is let go: see `cancel_dragging`.
        self.cancel = cancel_dragging(self._session)
        self._bits = 0
        for key in (*options.held, *self._keys):
            self._bits |= key.modifier
        held = [[*options.held, *self._keys[:at]] for at in range(len(self._keys))]
        #: Let go in turn: each while those before it are still down.
        self.keys_up: list[Command[None]] = [
            dispatch_key(self._session, key_up(key, down).params)
            for key, down in reversed(list(zip(self._keys, held, strict=True)))
        ]
        self.keys_down: list[Command[None]] = [
            dispatch_key(self._session, key_down(key, down).params, undo=up)
            for key, down, up in zip(self._keys, held, reversed(self.keys_up), strict=True)
        ]

    def _params(self, kind: str, x: float, y: float, **more: Any) -> dict[str, Any]:
        return {"type": kind, "x": x, "y": y, "modifiers": self._bits, **more}

    def move(self, x: float, y: float, *, pressed: bool = False) -> Command[None]:
        """With the button pressed it may begin HTML's drag, so that the end of one is owed."""
        if not pressed:
            return dispatch_mouse(self._session, self._params("mouseMoved", x, y))
        button = self._options.button
        params = self._params("mouseMoved", x, y, button=button, buttons=_BITS[button])
        return dispatch_mouse(self._session, params, undo=self.cancel)

    def up(self, x: float, y: float, count: int, *, settles: Sequence[Command[None]] = ()) -> Command[None]:
        params = self._params("mouseReleased", x, y, button=self._options.button, clickCount=count, buttons=0)
        return dispatch_mouse(self._session, params, settles=settles)

    def down(
        self, x: float, y: float, count: int, up: Command[None], sight: Sight | None = None
    ) -> Command[None]:
        """Pressed; `up` is owed until it was sent, or something that settles it.

        For what is guarded it has the time of the look: documents that have come since then know it by that.
        """
        button = self._options.button
        params = self._params("mousePressed", x, y, button=button, clickCount=count, buttons=_BITS[button])
        if sight is not None and sight.places:
            params["timestamp"] = sight.clock / 1000
        return dispatch_mouse(self._session, params, undo=up)


def _went_on(outcomes: Sequence[object]) -> str:
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


def _keys_down(mouse: _Mouse) -> Plan[str]:
    """Hold the modifiers: first of all, since keys take another way through the browser than the mouse.

    Returns:
        As for `_press`.
    """
    return _went_on((yield from settle(*mouse.keys_down)))


def _keys_down_for(locator: Locator, element: Element, aim: Aim, mouse: _Mouse) -> Plan[str]:
    """Hold the modifiers before guards are put up: between them and the press nothing may keep us waiting.

    Raises:
        NotInteractable, ElementCovered, StaleElement: the element cannot be pressed; no key was.
    """
    if mouse.keys_down:
        yield from aim_at(locator, element, dataclasses.replace(aim, guarded=False))
    return (yield from _keys_down(mouse))


def _press(
    mouse: _Mouse, x: float, y: float, options: PointerOptions, sight: Sight | None = None
) -> Plan[str]:
    """Move there, press and let go as often as asked, and let go of the modifiers.

    Args:
        mouse: to do it with.
        x: CSS px of the main viewport.
        y: likewise.
        options: how often, and for how long.
        sight: of the element that it is meant for.

    Returns:
        What kept the page from answering; empty when it did.
    """
    came = ""
    commands = [mouse.move(x, y)]
    for count in range(1, options.count + 1):
        up = mouse.up(x, y, count)
        commands.append(mouse.down(x, y, count, up, sight))
        if options.delay and not came:
            came = _went_on((yield from settle(*commands)))
            yield from pause(options.delay)
            commands = []
        commands.append(up)
        if came:
            break
    came = _went_on((yield from settle(*commands))) or came
    return _went_on((yield from settle(*mouse.keys_up))) or came


def click_element(locator: Locator, element: Element, options: PointerOptions) -> Plan[Hit]:
    """Click an element: scrolled into view, at rest, at a point that is free.

    A disabled element is refused, and as Playwright has it one with ``aria-disabled``, its own or inherited.
    A box to be ticked that hides behind its label is clicked there. The second and third press of a click are
    stopped, like the first, where they would reach another element.

    Raises:
        NotInteractable: its state does not allow it; ``reason`` says which.
        ElementCovered: something else lies over all of it, or comes to lie under the pointer each time.
        StaleElement: it is gone.
    """
    mouse = _Mouse(locator, options)
    aim = Aim(
        action="click",
        force=options.force,
        guarded=True,
        position=options.position,
        presses=options.count,
        hold_ms=options.delay * options.count * 1000,
    )
    bystanders = Bystanders(locator, element)
    yield from bystanders.prepare(aim)
    retries: list[str] = []
    lost = 0
    while True:
        came = yield from _keys_down_for(locator, element, aim, mouse)
        sight = yield from bystanders.aim(aim)
        came = (yield from _press(mouse, sight.x, sight.y, options, sight)) or came
        last = bool(came) or len(retries) == _TRIES - 1
        seen = yield from bystanders.end(sight, keep_cover=last)
        if seen is not None and seen.lost and came in ("", _LOST):
            # A press goes where the last picture of the page shows a frame, and the page may be ahead of it.
            lost += 1
            if lost == _LOST_TRIES:
                raise refuse(element, aim.action, "lost")
            yield from pause(_BREATH * lost)
            continue
        notes = [*sight.notes, *count_retries([*retries, *["the press came to nobody"] * lost])]
        if came:
            notes.append(came)
        if seen is None or not seen.stray:
            if seen is not None and seen.slipped:
                notes.append(
                    "it was let go over something else: it had gone, or what the press opened lay over it"
                )
            return Hit(sight.x, sight.y, tuple(notes))
        if seen.reached:
            notes.append(
                f"click {seen.reached + 1} of {options.count} was stopped: it would have hit another"
            )
            return Hit(sight.x, sight.y, tuple(notes))
        if last:
            raise (yield from blame_stray(locator, element, sight, aim.action))
        retries.append("the page moved under the pointer")


def hover_element(locator: Locator, element: Element, options: PointerOptions) -> Plan[Hit]:
    """Move the pointer over an element. Of the options, its position, its modifiers and force count.

    It is moved there again until the page has it over the element, for most of a second.

    Raises:
        NotInteractable, ElementCovered, StaleElement: as for a click; a disabled element can be hovered.
    """
    mouse = _Mouse(locator, options)
    aim = Aim(action="hover", enabled=False, force=options.force, position=options.position)
    sight = yield from aim_at(locator, element, aim)
    look = None if aim.force else call_on(locator, element.place, HOVERED)
    hit = yield from _moved(mouse, sight.x, sight.y, look)
    return dataclasses.replace(hit, notes=(*sight.notes, *hit.notes))


def _moved(mouse: _Mouse, x: float, y: float, look: Command[CallResult] | None = None) -> Plan[Hit]:
    """Move there; `look` asks whether that has come to what was meant."""
    came = yield from _keys_down(mouse)
    missed = 0
    while True:
        came = _went_on((yield from settle(mouse.move(x, y)))) or came
        if came or look is None:
            break
        (seen,) = yield from settle(look)
        if not isinstance(seen, Answer) or seen.value.result.value is not False:
            break
        missed += 1
        if missed == _LOST_TRIES:
            came = "the pointer is over something else: it moved, or was covered, meanwhile"
            break
        yield from pause(_BREATH * missed)
    came = _went_on((yield from settle(*mouse.keys_up))) or came
    notes = [came] if came else count_retries(["the move came to something else"] * missed)
    return Hit(x, y, tuple(notes))


def drag_element(locator: Locator, source: Element, target: Element, options: PointerOptions) -> Plan[Hit]:
    """Drag an element onto another: pressed on the first, moved in steps, let go over the second.

    In Chromium 156 plain mouse events also do HTML's drag and drop, headless too (measured). When both do not
    fit into the view, the page is scrolled once the drag has begun; before, Chromium would look for what is
    to be dragged where it no longer is (measured).

    Args:
        locator: of the page.
        source: what to drag.
        target: where to let go.
        options: button, modifiers, force, position (in the source), and as delay how long the button is down
            before the first move.

    Raises:
        NotInteractable, ElementCovered, StaleElement: of either.
    """
    mouse = _Mouse(locator, options)
    goal = Aim(action="drop on", enabled=False, force=options.force)
    grip = Aim(action="drag", force=options.force, guarded=True, position=options.position)
    # What cannot be reached is refused before anything is pressed.
    with blame_frame(target, goal.action):
        first = yield from aim_at(locator, target, goal)
    bystanders = Bystanders(locator, source)
    yield from bystanders.prepare(grip)
    retries: list[str] = []
    while True:
        came = yield from _keys_down_for(locator, source, grip, mouse)
        sight = yield from bystanders.aim(grip)
        x, y = sight.x, sight.y
        up = mouse.up(x, y, 1)
        came = _went_on((yield from settle(mouse.move(x, y), mouse.down(x, y, 1, up, sight)))) or came
        seen = yield from bystanders.end(sight, unless_stray=True)
        if seen is None or not seen.stray:
            break
        yield from settle(up, *mouse.keys_up)
        last = bool(came) or len(retries) == _TRIES - 1
        yield from bystanders.end(sight, keep_cover=last)
        if last:
            raise (yield from blame_stray(locator, source, sight, grip.action))
        retries.append("the page moved under the pointer")
    yield from pause(options.delay)
    start = _toward((x, y), (first.x, first.y))
    for point in points_between((x, y), start, 2):
        came = came or _went_on((yield from settle(mouse.move(*point, pressed=True))))
    end = yield from _where_to_drop(locator, target, goal, up, mouse)
    hit = yield from _dragged(mouse, start, (end.x, end.y), up, lambda: _source_gone(locator, source))
    notes = dict.fromkeys((*sight.notes, *count_retries(retries), came, *hit.notes))
    return dataclasses.replace(hit, notes=tuple(note for note in notes if note))


def _toward(start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    """A little way along: enough for a drag to begin."""
    far = math.dist(start, end)
    share = min(1.0, _BEGIN / far) if far else 0.0
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def _where_to_drop(
    locator: Locator, target: Element, goal: Aim, up: Command[None], mouse: _Mouse
) -> Plan[Sight]:
    """Where the target is now that the source is held. When it cannot be reached, the source is let go."""
    try:
        with blame_frame(target, goal.action):
            return (yield from aim_at(locator, target, dataclasses.replace(goal, force=True)))
    except Exception:
        yield from settle(mouse.cancel, up, *mouse.keys_up)
        raise


def _source_gone(locator: Locator, source: Element) -> Plan[str]:
    """A note when the document that an element was in is gone, or cannot be asked; empty otherwise."""
    (outcome,) = yield from settle(call_on(locator, source.place, _THERE))
    return _called_off(outcome, source.place.session) if isinstance(outcome, Failure) else ""


def _documents_gone(locator: Locator, loaders: Mapping[int, LoaderId]) -> Plan[str]:
    """Likewise when the documents of the sessions' root frames are no longer those they were."""
    outcomes = yield from settle(*(get_frame_tree(locator.id_of(session)) for session in loaders))
    for outcome, (session, loader) in zip(outcomes, loaders.items(), strict=True):
        if isinstance(outcome, Failure):
            return _called_off(outcome, session)
        if outcome.value.frame.loader_id != loader:
            return _CALLED_OFF
    return ""


def _called_off(outcome: Failure, session: int) -> str:
    """Why the document could not be asked: it is gone, or the whole page is, or does not answer."""
    of_page = isinstance(outcome.error, SessionEnded) and session == 0
    return _went_on([outcome]) if of_page or isinstance(outcome.error, CommandUnanswered) else _CALLED_OFF


def _dragged(
    mouse: _Mouse,
    start: tuple[float, float],
    end: tuple[float, float],
    up: Command[None],
    gone: Callable[[], Plan[str]],
) -> Plan[Hit]:
    """From where the button is down to where it is let go.

    `gone` asks for the document that the drag began in. Without that the drag is called off.
    """
    came = ""
    # One by one: what is sent together is one move for the page. The last comes twice, since a page that
    # learns by the first that something is over it may only then be ready to take it.
    for x, y in (*points_between(start, end, _STEPS), end):
        came = came or _went_on((yield from settle(mouse.move(x, y, pressed=True))))
    called_off = yield from gone()
    if called_off:
        yield from settle(mouse.cancel)
    dropped = yield from settle(mouse.up(*end, 1, settles=(up, mouse.cancel)))
    came = called_off or came or _went_on(dropped)
    came = _went_on((yield from settle(*mouse.keys_up))) or came
    return Hit(*end, (came,) if came else ())


def click_at(locator: Locator, x: float, y: float, options: PointerOptions) -> Plan[Hit]:
    """Click a point of the main viewport, whatever is there. CSS px."""
    mouse = _Mouse(locator, options)
    came = yield from _keys_down(mouse)
    came = (yield from _press(mouse, x, y, options)) or came
    return Hit(x, y, (came,) if came else ())


def drag_at(
    locator: Locator, start: tuple[float, float], end: tuple[float, float], options: PointerOptions
) -> Plan[Hit]:
    """Drag from one point of the main viewport to another. CSS px."""
    mouse = _Mouse(locator, options)
    up = mouse.up(*start, 1)
    yield from locator.main_frame()
    # Whoever has looked for what stands at the point has asked the sessions of all the frames on the way.
    loaders = {session: frames[0].loader_id for session, frames in locator.trees.items()}
    came = yield from _keys_down(mouse)
    came = _went_on((yield from settle(mouse.move(*start), mouse.down(*start, 1, up)))) or came
    yield from pause(options.delay)
    hit = yield from _dragged(mouse, start, end, up, lambda: _documents_gone(locator, loaders))
    return dataclasses.replace(hit, notes=(came, *hit.notes)) if came else hit


def move_to(locator: Locator, x: float, y: float) -> Plan[Hit]:
    """Move the pointer to a point of the main viewport. CSS px."""
    return (yield from _moved(_Mouse(locator, PointerOptions()), x, y))
