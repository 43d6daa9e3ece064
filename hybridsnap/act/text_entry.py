"""Typing into an element, and pressing keys.

While something is typed, a guard stands in the isolated world of the element's frame: what would reach
another element of that document, because the page moved the focus, is stopped there. The guard is taken down
in the end, also when the plan is cut off.
"""

from __future__ import annotations

import dataclasses
import math
import re
import uuid
from typing import TYPE_CHECKING, Any

from hybridsnap.act import keyboard
from hybridsnap.act.controls import INSTEAD, OWN_SELECTION, kind_in_words, refuse
from hybridsnap.act.focusing import Done, ask_with_focus, ends_at_dialog, refuse_focus
from hybridsnap.act.refusals import read_live
from hybridsnap.act.remote_call import call_on, call_with, read_result
from hybridsnap.act.selecting import hear_selection
from hybridsnap.errors import CommandRefused, NotInteractable, StaleElement, TargetDetached
from hybridsnap.injected import script
from hybridsnap.protocol.input_commands import INPUT_SECONDS, dispatch_key, insert_text
from hybridsnap.protocol.plan import Reply, gather, gather_outcomes, pause
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.keyboard import InputCommand, Key
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.model import SessionId
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

#: What is answered once a key has led to another document.
_LED_AWAY = (CommandRefused, TargetDetached)
_BEGIN_TYPING = script("begin_typing")
#: (key, note) → whether the guard stands, and the element has the focus; `note`: what it holds is noted.
_HOLDS = """function (key, note) {
  const guard = globalThis[Symbol.for("hybridsnap guards")]?.get(key);
  if (note) guard?.note();
  return guard?.holds() ?? false;
}"""
_END_TYPING = script("end_typing")
_LISTED_FIRST = script("listed_first")
#: Seconds in which the list of a combobox is to have filtered its options before Enter: many wait 300 ms.
_FILTERS = 0.5
_BEGIN_PRESSING = script("begin_pressing")
#: What is said of a text that did not come into its field.
TOOK_NONE = "the field took none of the text; it holds what it held before"
_PASSED_ON = "the editor keeps its text elsewhere: what it made of this was not seen"
#: xterm.js takes keys at any time; text that is inserted it takes where no screen reader is provided for, and
#: from version 4.14 on.
_TO_TERMINAL = "it was pressed key by key, as a terminal takes it; what became of it is not seen here"
#: What to do where that is a whole date, and the element a spin button.
_PARTS = "if it is a part of a date, fill each part by itself"
_LINE_END = re.compile(r"\r\n|\r|\n")
#: As a whole date is; a part of one, which is a spinbutton, takes one number.
_SEVERAL_NUMBERS = re.compile(r"\d\D+\d")
#: As one number is written anywhere: 1.234,50.
_NUMBER = re.compile(r"[-+]?[\d.,'\s]*")
#: Kind of what takes no text → what to do instead.
_HINTS = {
    "select": "choose one of its options",
    "label": "name the control that it labels",
    "button": "click it",
    **dict.fromkeys(("date", "time", "datetime-local", "month", "week"), "fill it"),
    **dict.fromkeys(("range", "color", "checkbox", "radio", "file", "slider"), "fill it"),
}
#: Kinds of which a text may have several lines.
_OF_LINES = frozenset({"textarea", "editable", "edit context"})


@ends_at_dialog
def type_text(
    resolver: NodeResolver,
    element: Element,
    text: str,
    *,
    clear: bool = False,
    delay: float = 0.0,
    submit: bool = False,
    by_keys: bool = False,
    over_selection: bool = False,
) -> Plan[Done]:
    r"""Type into a text field, into editable text, or into an editor with an EditContext.

    All at once by `Input.insertText` (`beforeinput` and `input` events), behind which a script's `keyup` of
    the last character tells pages that wait for a key; or key by key, as always a number into a spin
    button of script (a part of a date), and any text into a terminal. A line break is one in a textarea and
    in editable text. In an input it becomes a blank, at the end nothing, as when text is pasted: no text
    submits by itself; `submit` does. `change` fires when the element loses the focus, as it does for a
    person.

    Args:
        resolver: of the page.
        element: to type into.
        text: emoji, marks and scripts of any kind; lone surrogates become U+FFFD.
        clear: it replaces what is there; otherwise it goes to the end of it. An editor with an EditContext
            takes it where its caret is, and cannot be cleared; one that takes its input by an unseen text
            area takes it there, too, and its text is selected by Control+A (Meta+A on macOS).
        delay: seconds after each key; more than 0 types key by key.
        submit: press Enter in the end; in a combobox with an open list as soon as the option in front holds
            the text, or after half a second.
        by_keys: type key by key, also without delay. Line breaks are Enter then, where the text may have
            several lines, and what the US keyboard does not have is inserted.
        over_selection: it replaces what is selected in there, where something is.

    Returns:
        Notes say where the field does not hold what was typed, as an editor may complete it, or does not show
        what it holds; where it is not valid; and what became of line breaks.

    Raises:
        NotInteractable: it takes no text (``wrong kind``), is read-only, disabled, …; or the page moved the
            focus away while it was typed into (``focus moved``): the rest was not typed, nor did it reach
            another element.
        StaleElement: it is gone.
        TypeError, ValueError: `text` is not a str, `delay` is not a number of seconds.
    """
    if not isinstance(text, str):
        raise TypeError(f"text is a str, not {type(text).__name__}")
    if not 0 <= delay < math.inf:
        raise ValueError(f"delay is a number of seconds, not {delay!r}")
    sound = keyboard.sound_text(text)

    def attempt() -> Plan[Done]:
        entry = _Entry(resolver, element, sound, clear=clear, over_selection=over_selection)
        text = yield from entry.begin("type into")
        if by_keys or delay or entry.takes_keys:
            for group in keyboard.type_commands(text):
                yield from entry.enter(*group)
                yield from pause(delay)
        else:
            yield from entry.insert(text, last=not submit)
        if submit:
            yield from entry.submit()
        return (yield from entry.end())

    return (yield from _once_more(attempt))


@ends_at_dialog
def replace_text(resolver: NodeResolver, element: Element, text: str, *, action: str) -> Plan[Done]:
    """Put a text in the place of all that is there, in one go; an empty one by Backspace.

    Line breaks become blanks in an input, as for `type_text`: no key is pressed that could submit.

    Args:
        resolver: of the page.
        element: a text field or editable text.
        text: what it is to hold.
        action: as messages call it.

    Raises:
        NotInteractable, StaleElement: as for `type_text`.
    """
    text = keyboard.sound_text(text)

    def attempt() -> Plan[Done]:
        entry = _Entry(resolver, element, text, clear=True)
        taken = yield from entry.begin(action)
        if entry.takes_keys:
            for group in keyboard.type_commands(taken):
                yield from entry.enter(*group)
        else:
            yield from entry.insert(taken, last=True)
        return (yield from entry.end())

    return (yield from _once_more(attempt))


def _once_more(attempt: Callable[[], Plan[Done]]) -> Plan[Done]:
    """Enter a text; a second time where the page moved the focus before any of it had come.

    A dialog that opens gives itself the focus when it stands (Bootstrap's), amid what is done in it by then.
    """
    try:
        return (yield from attempt())
    except NotInteractable as error:
        if error.reason != "focus moved" or error.partial:
            raise
    try:
        return (yield from attempt())
    except NotInteractable as error:
        if error.reason == "focus moved":
            error.partial = True  # the page has seen the focus
        raise


class _Guard:
    """What keeps keys and text from other elements, in the world of an element's frame.

    It is found there by a key of its own, not by a handle on the element: handles may be gone before it.
    """

    def __init__(self, resolver: NodeResolver, element: Element) -> None:
        self._resolver = resolver
        self._element = element
        self.key = uuid.uuid4().hex

    def ending(self, text: str) -> Plan[Command[CallResult]]:
        """The command that takes it down, and says what became of the text."""
        self._end = yield from self._called(_END_TYPING, text, "", 0, 0)
        return self._end

    def ending_behind(
        self, text: str, last: str, times: int = 1, up: Mapping[str, Any] | None = None
    ) -> Plan[Command[CallResult]]:
        """The same behind input that is sent with it.

        Args:
            text: that is entered.
            last: the event that ends it; its value is None where that does not come.
            times: how often that comes.
            up: the key that comes up behind the text.
        """
        end = yield from self._called(_END_TYPING, text, last, times, INPUT_SECONDS * 1000, up)
        return dataclasses.replace(end, discharges=(self._end,))

    def ended(self, outcome: Outcome[CallResult] | None) -> Plan[dict[str, Any] | None]:
        """What became of the text, from the outcome of `ending_behind` or asked now.

        None when the page has gone to another document meanwhile.
        """
        if outcome is None or (isinstance(outcome, Reply) and outcome.value.result.value is None):
            (outcome,) = yield from gather_outcomes(self._end)
        if isinstance(outcome, Reply):
            return read_result(outcome, dict[str, Any])
        if isinstance(outcome.error, _LED_AWAY):
            return None
        raise outcome.error

    def holds(self, action: str, *, note: bool = False) -> Plan[bool]:
        """Whether it stands, and the element has the focus. `note`: what became of the text is read now.

        Raises:
            StaleElement: its document is gone.
        """
        (outcome,) = yield from gather_outcomes((yield from self._called(_HOLDS, note)))
        return read_live(outcome, bool, self._element, action)

    def _called(self, function: str, *arguments: Any) -> Plan[Command[CallResult]]:
        place = self._element.place
        world = yield from self._resolver.world(place.session, place.frame)
        on = {"executionContextId": world}
        values = [{"value": one} for one in (self.key, *arguments)]
        return call_with(self._resolver, place.session, place.frame, on, function, values, by_value=True)


class _Entry:
    """Text on its way into one element. Its methods are plans."""

    def __init__(
        self,
        resolver: NodeResolver,
        element: Element,
        text: str,
        *,
        clear: bool,
        over_selection: bool = False,
    ) -> None:
        self._resolver = resolver
        self._element = element
        self._text = text
        self._clear = clear
        self._over_selection = over_selection
        self._session = resolver.id_of(element.place.session)
        self._action = ""
        self._guard = _Guard(resolver, element)
        self._outcome: Outcome[CallResult] | None = None
        self._first = True
        #: Characters that were sent; of them, those sent when the element was last seen to have the focus.
        self._entered = self._arrived = 0
        #: Nothing of it has reached the page, as far as is known.
        self._untouched = True
        self._by_keys = False
        self._notes: list[str] = []
        #: A number is typed into a spin button of script: a part of a date, drawn as editable text, or a
        #: field (PrimeReact's InputNumber); or it is a terminal. Many handle nothing but keys.
        self.takes_keys: bool = False
        self._is_terminal = False
        #: Several numbers, as of a whole date, are typed into a spin button: it may be a part of one.
        self._is_date = False

    def begin(self, action: str) -> Plan[str]:
        """Focus, caret or selection, guard; the text as this kind of element takes it."""
        self._action = action
        self._end = yield from self._guard.ending(self._text)
        began = yield from ask_with_focus(
            self._resolver,
            self._element,
            _BEGIN_TYPING,
            self._guard.key,
            self._clear,
            self._over_selection,
            cleanup=self._end,
        )
        reason, kind = began.get("refused", ""), began.get("kind", "")
        if reason == "wrong kind":
            hint = _HINTS.get(kind) or INSTEAD.get(self._element.role, "name a text field")
            why = f"; {OWN_SELECTION}" if kind == "edit context" else f" and takes no text; {hint}"
            refuse(self._element, action, reason, f"it is {kind_in_words(kind)}{why}")
        if reason:
            yield from refuse_focus(self._resolver, self._element, action, reason)
        yield from self._note_password(is_masked=began.get("secret", False))
        if kind not in _OF_LINES:
            self._to_one_line()
        is_spun = self._element.role == "spinbutton"
        is_number = kind == "text" and _NUMBER.fullmatch(self._text)
        self._is_date = is_spun and not is_number and _SEVERAL_NUMBERS.search(self._text) is not None
        self._is_terminal = began.get("isTerminal", False)
        is_spun_by_keys = is_spun and kind in {"editable", "text"} and not self._is_date
        self.takes_keys = self._is_terminal or is_spun_by_keys
        if kind == "edit context" or (began.get("selectAll") and not self._clear):
            self._notes.append("it went where the editor's caret was")
        if began.get("undrawn"):  # the end is not in the DOM yet: this key makes the editor draw it
            yield from gather(*self._chord("Control+End"))
            yield from hear_selection(self._resolver, self._element)
            self._first = False
        if self._clear and began.get("selectAll"):  # only the editor's own keys select its text
            yield from gather(*self._chord(began["selectAll"]))
            self._first = False
        if self._clear and self._text[:1] in {"", "\r", "\n"}:
            if began["empty"]:
                self._notes += [] if self._text else ["it was empty already"]
            else:
                if kind == "editable":
                    yield from hear_selection(self._resolver, self._element)
                yield from gather(*self._chord("Backspace"))
                self._first = False
        return self._text

    def _chord(self, keys: str) -> list[Command[None]]:
        return key_commands(self._session, keyboard.press_commands(keyboard.parse_chord(keys)))

    def _note_password(self, *, is_masked: bool) -> Plan[None]:
        """Learn that what is typed is a password: it is hidden also when the page shows it later."""
        if is_masked:
            tree = yield from self._resolver.tree_of(self._element.place.session)
            field = self._element.place.backend_node_id
            self._resolver.ordinals.note_passwords(tree[0].loader_id, [field])

    def _to_one_line(self) -> None:
        """As Chromium pastes into an input: line breaks at the end go, others become blanks."""
        kept = self._text.rstrip("\r\n")
        line = _LINE_END.sub(" ", kept)
        became = [] if line == kept else ["blanks"]
        became += [] if kept == self._text else ["nothing at the end"]
        if became:
            self._notes.append(
                f"it has one line: line breaks became {' and '.join(became)}, and submitted nothing"
            )
        self._text = line

    def enter(self, *keys: InputCommand) -> Plan[None]:
        """The keys of one character."""
        self._by_keys = True
        yield from self._check()
        yield from _send_keys(key_commands(self._session, keys))
        self._entered += 1

    def submit(self) -> Plan[None]:
        """Enter, upon which the page may send the text off and empty the field: so that is read before.

        An open list of options that does not show the text in front yet has a moment for that.
        """
        self._first = False
        if self._element.role == "combobox" and self._text:
            ask = call_on(self._resolver, self._element.place, _LISTED_FIRST, self._text, _FILTERS * 1000)
            (outcome,) = yield from gather_outcomes(ask)
            if isinstance(outcome, Reply) and outcome.value.result.value is False:
                self._notes.append("its list did not show the text in front when Enter came")
        yield from self._check(note=True)
        yield from _send_keys(self._chord("Enter"))
        self._entered += 1

    def insert(self, text: str, *, last: bool = False) -> Plan[None]:
        """Text in one go; `last`: `end` follows."""
        if text:
            yield from self._check()
            behind = []
            if last:
                up = keyboard.last_key(text)
                behind = [(yield from self._guard.ending_behind(self._text, "input", up=up))]
            outcomes: list[Outcome[Any]] = yield from gather_outcomes(
                insert_text(self._session, text), *behind
            )
            if not isinstance(outcomes[0], Reply):
                raise outcomes[0].error
            self._outcome = outcomes[1] if behind else None
            self._entered += len(text)

    def _check(self, *, note: bool = False) -> Plan[None]:
        """Whether the focus is still there. Not asked the first time: it has just been given."""
        if self._first:
            self._first = False
            return
        self._untouched = False
        try:
            holds = yield from self._guard.holds(self._action, note=note)
        except StaleElement as error:
            error.partial = self._entered > 0
            raise
        if not holds:
            ended = yield from self._guard.ended(None)
            _refuse_changed(self._element, self._action, ended)
            self._lost(self._entered)
        self._arrived = self._entered

    def end(self) -> Plan[Done]:
        """Take the guard down; what became of the text."""
        ended = yield from self._guard.ended(self._outcome)
        if ended is None:
            return Done(tuple(self._notes))
        _refuse_changed(self._element, self._action, ended)
        if ended.get("gone"):  # taken out of the page before a character had come
            refuse(self._element, self._action, "detached")
        # Enter, pressed after all of the text, has come: what follows it (keypress) was not meant for another
        # element.
        submitted = self._entered > len(self._text) and ended.get("first") == "keypress"
        # So has the last key of a text that the page takes from the keys: a part of a date that is full hands
        # the focus on.
        is_taken = self._by_keys and ended.get("first") == "keypress" and ended.get("same")
        if ended.get("stray") and not (submitted or is_taken):
            self._untouched = self._untouched and not ended.get("came")
            self._lost(self._arrived)
        self._notes += self._became(ended)
        if ended.get("passedOn"):
            self._notes.append(_PASSED_ON)
        if ended.get("invalid"):
            self._notes.append(f"the field is not valid: {clean_text(ended['invalid'])}")
        return Done(tuple(self._notes))

    def _became(self, ended: dict[str, Any]) -> list[str]:
        """Where the field does not hold what was typed."""
        if self._is_terminal:
            return [_TO_TERMINAL] if self._text else []
        if ended.get("handedOn"):
            return ["the page put the rest of the text into the fields behind it"]
        if ended.get("cut") is not None:
            most = f"{ended['cut']} character{'' if ended['cut'] == 1 else 's'}"
            return [f"it holds no more than {most}; the text was cut"]
        if ended.get("tookNone") and not ended.get("same"):
            return [TOOK_NONE, *([_PARTS] if self._is_date else [])]
        if not ended.get("same", True):
            lost = ended.get("lostSign")
            if lost and self.takes_keys:  # only in a spin button: a password is not repeated
                said = f'it took no "{lost["sign"]}"; it holds "{clean_text(lost["held"])}"'
            else:
                hint = f"; {_PARTS}" if self._is_date else ""
                said = f"the page, or the field, made something else of the text{hint}"
            return [said]
        return []

    def _lost(self, entered: int) -> None:
        refuse(
            self._element,
            self._action,
            "focus moved",
            f"the page moved the focus away from it after {entered} of {len(self._text)} characters; "
            f"no other element has got the rest",
            partial=not self._untouched,
        )


def _refuse_changed(element: Element, action: str, ended: dict[str, Any] | None) -> None:
    """Raise StaleElement where the element came to stand for something else, before the keys or amid them."""
    if ended is not None and ended.get("changed"):
        refuse(element, action, "changed", partial=bool(ended.get("entered")))


def key_commands(session: SessionId | None, keys: Sequence[InputCommand]) -> list[Command[None]]:
    """Input commands; a key that goes down owes its own going up, where that is among them.

    Keys sent to the session of an out-of-process frame reach nothing outside that frame, even if it is taken
    out of the page meanwhile; those sent to the page's own session reach whatever has the focus by then.
    """
    up: dict[str, Command[None]] = {}
    commands: list[Command[None]] = []
    for key in reversed(keys):
        if key.method == "Input.insertText":
            commands.append(insert_text(session, key.params["text"]))
            continue
        code = key.params["code"]
        command = dispatch_key(session, key.params, cleanup=up.get(code))
        if key.params["type"] == "keyUp":
            up[code] = command
        commands.append(command)
    return commands[::-1]


@ends_at_dialog
def press_chord(
    resolver: NodeResolver,
    chord: str,
    element: Element | None = None,
    *,
    held: list[Key] | None = None,
    mac: bool = False,
    times: int = 1,
) -> Plan[Done]:
    """Press keys together: on an element, or on whatever has the focus.

    Args:
        resolver: of the page.
        chord: as `hybridsnap.act.keyboard.parse_chord` reads it: ``Enter``, ``Ctrl+Shift+a``.
        element: is given the focus before.
        held: the keys that are down; the chord's own key is not any more afterwards.
        mac: the browser runs on macOS.
        times: how often.

    Raises:
        UnknownKey: the chord names no such key (also ValueError).
        NotInteractable, StaleElement: the element does not take the focus, or is gone; ``focus moved``: the
            page moved the focus away before a key was pressed, and none was.
    """
    parsed = keyboard.parse_chord(chord, mac=mac)
    before = [] if held is None else held
    session = resolver.id_of(0 if element is None else element.place.session)
    commands = [
        command
        for _ in range(times)
        for command in key_commands(session, keyboard.press_commands(parsed, before))
    ]
    if element is None:
        yield from gather(*commands)
    else:
        yield from _press_on(resolver, element, chord, commands)
    if parsed.key in before:
        before.remove(parsed.key)
    return Done()


def _press_on(
    resolver: NodeResolver, element: Element, chord: str, commands: Sequence[Command[None]]
) -> Plan[None]:
    action = f"press {chord} on"
    guard = _Guard(resolver, element)
    end = yield from guard.ending("")
    began = yield from ask_with_focus(resolver, element, _BEGIN_PRESSING, guard.key, cleanup=end)
    if began.get("refused"):
        yield from refuse_focus(resolver, element, action, began["refused"])
    ups = sum(one.params.get("type") == "keyUp" for one in commands)
    behind = yield from guard.ending_behind("", "keyup", ups)
    (outcome,) = yield from _send_keys(commands, behind)
    ended = yield from guard.ended(outcome)
    _refuse_changed(element, action, ended)
    if ended is not None and ended.get("stray"):
        yield from refuse_focus(resolver, element, action, "focus moved")


def _send_keys(
    commands: Sequence[Command[None]], *behind: Command[CallResult]
) -> Plan[list[Outcome[CallResult]]]:
    """Send them, and what is sent behind them: its outcomes.

    What a key that went down has done may take the frame away before the key goes up.
    """
    outcomes: list[Outcome[Any]] = yield from gather_outcomes(*commands, *behind)
    for command, outcome in zip(commands, outcomes, strict=False):
        if isinstance(outcome, Reply):
            continue
        if command.params.get("type") != "keyUp" or not isinstance(outcome.error, TargetDetached):
            raise outcome.error
    return outcomes[len(commands) :]


def key_down(resolver: NodeResolver, key: str, held: list[Key], *, mac: bool = False) -> Plan[Done]:
    """Press a key and keep it down. A key that is down already repeats.

    Args:
        resolver: of the page.
        key: one key, named as in chords. A character that takes Shift does not press it.
        held: the keys that are down; this one is from now on. Also when the plan is cut off: then let go
            of it by `key_up`.
        mac: the browser runs on macOS.

    Raises:
        UnknownKey: there is no such key.
        ValueError: it is a chord.
    """
    found = _one_key(key, mac=mac)
    repeats = found in held
    command = keyboard.key_down(found, [one for one in held if one != found], repeat=repeats)
    if not repeats:
        held.append(found)
    return (yield from _sent(resolver, command))


def key_up(resolver: NodeResolver, key: str, held: list[Key], *, mac: bool = False) -> Plan[Done]:
    """Let go of a key. Arguments and errors as for `key_down`."""
    found = _one_key(key, mac=mac)
    notes = () if found in held else ("the key was not down",)
    held[:] = [one for one in held if one != found]
    done = yield from _sent(resolver, keyboard.key_up(found, held))
    return Done(notes + done.notes)


def _one_key(key: str, *, mac: bool) -> keyboard.Key:
    parsed = keyboard.parse_chord(key, mac=mac)
    if parsed.modifiers and len(key) > 1:
        raise ValueError(f"{key!r} names several keys; press them one by one, or as a chord")
    return parsed.key


@ends_at_dialog
def _sent(resolver: NodeResolver, command: InputCommand) -> Plan[Done]:
    yield from gather(dispatch_key(resolver.id_of(0), command.params))
    return Done()
