"""What a step does, written once for callers of every kind: trio, asyncio and blocking code.

The coroutines here never suspend on a `WorkingTab` that blocks (`hybridsnap.drivers.operations`).
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

from hybridsnap.act.keyboard import type_commands
from hybridsnap.act.readiness import MODEL_WAIT_SECONDS
from hybridsnap.capture.element_ids import parse_element_id
from hybridsnap.errors import NotInteractable
from hybridsnap.webarena.grammar import (
    Clear,
    Click,
    CloseTab,
    GoBack,
    GoForward,
    Goto,
    Hover,
    NewTab,
    NoAction,
    Press,
    Scroll,
    Select,
    Stop,
    TabFocus,
    Type,
    Upload,
)
from hybridsnap.webarena.shown import name_element

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from hybridsnap.act.receipt import Receipt
    from hybridsnap.capture.pointing import FoundElement
    from hybridsnap.client.navigating import Navigation
    from hybridsnap.deadline import Deadline
    from hybridsnap.snapshot import Snapshot
    from hybridsnap.webarena.grammar import Action
    from hybridsnap.webarena.shown import Shown

#: Keys that only a Mac has, by the names that people give them.
_MAC_KEY = re.compile(r"(?<![^+])\s*(?:meta|cmd|command)\s*(?![^+])", re.IGNORECASE)


class WorkingTab:
    """A tab that steps are done on.

    Attributes:
        page: the caller's own object for it.
    """

    page: Any

    def act(self, action: str, deadline: Deadline, **arguments: Any) -> Awaitable[Any]:
        """Do an action of `hybridsnap.act.actions.ACTIONS`, its arguments by name."""
        raise NotImplementedError

    def snapshot(self, deadline: Deadline, *, layout: bool) -> Awaitable[Snapshot]:
        """Take the page's snapshot."""
        raise NotImplementedError

    def active_element(self, deadline: Deadline) -> Awaitable[FoundElement | None]:
        """Find the element that has the focus, if one has."""
        raise NotImplementedError

    async def travel(self, action: Goto | GoBack | GoForward, deadline: Deadline) -> Navigation | None:
        """Go to an address, or through the history; until the document is parsed."""
        raise NotImplementedError

    async def turn(self, action: NewTab | TabFocus | CloseTab, deadline: Deadline) -> WorkingTab:
        """Open, choose or close a tab; the one that is current then."""
        raise NotImplementedError

    async def arrive(self, deadline: Deadline) -> WorkingTab:
        """Wait until the document is parsed; the tab that is current then, as this one may have closed."""
        raise NotImplementedError

    async def session(self) -> Any:
        """Something with ``send(method, params)`` for the page's raw commands.

        Raises:
            TypeError: the driver's tab does not lend its own.
            TargetDetached: the page is closed.
        """
        raise NotImplementedError

    def check_browser(self, browser: Any) -> None:
        """See that the page is one of this browser, as far as its driver tells.

        Raises:
            ValueError: it is of another.
        """


@dataclasses.dataclass(frozen=True, slots=True)
class Executed:
    """The outcome of an action.

    Attributes:
        page: the page that is current afterwards.
        receipts: what it did, for each of its parts (to type is to click, then to type); empty where it did
            nothing to a document: tabs, ``stop``, ``None``.
        answer: of ``stop``; None for every other action.
        navigation: of ``goto``, ``go_back``, ``go_forward``: where it led, and with what HTTP status. None on
            pages of other drivers.
    """

    page: Any
    receipts: tuple[Receipt, ...] = ()
    answer: str | None = None
    navigation: Navigation | None = None


async def perform_action(action: Action, tab: WorkingTab, shown: Shown, deadline: Deadline) -> Executed:
    """Do what an action says, and wait until the current page's DOM is there."""
    receipts: tuple[Receipt, ...] = ()
    navigation = None
    match action:
        case NoAction():
            return Executed(tab.page)
        case Stop(answer):
            return Executed(tab.page, answer=answer)
        case NewTab() | TabFocus() | CloseTab():
            tab = await tab.turn(action, deadline)
        case Goto() | GoBack() | GoForward():
            navigation = await tab.travel(action, deadline)
        case Press(keys):
            receipts = (await tab.act("press", deadline, chord=portable_chord(keys)),)
        case Scroll(direction):
            receipts = (await tab.act("scroll", deadline, direction=direction),)
        case _:
            receipts = await _act_on_element(action, tab, shown, deadline)
    tab = await tab.arrive(deadline)
    return Executed(tab.page, receipts, navigation=navigation)


async def _act_on_element(
    action: Click | Hover | Type | Clear | Select | Upload, tab: WorkingTab, shown: Shown, deadline: Deadline
) -> tuple[Receipt, ...]:
    element, named = name_element(action.element_id, shown)
    naming: dict[str, Any] = {"element": element, **named, "wait": MODEL_WAIT_SECONDS}
    done: list[Receipt]
    match action:
        case Click() | Hover() | Clear():
            done = [await tab.act(type(action).__name__.lower(), deadline, **naming)]
        case Type(text=""):
            done = [await tab.act("clear", deadline, **naming)]
            if action.enter:
                naming.pop("as_of", None)
                done.append(await tab.act("press", deadline, chord="Enter", **naming))
        case Type():
            done = await _type(action, tab, naming, deadline)
        case Select():
            done = [await tab.act("select_option", deadline, label=action.option, **naming)]
        case Upload():
            done = [await tab.act("set_input_files", deadline, paths=[action.path], **naming)]
    return tuple(done)


async def _type(action: Type, tab: WorkingTab, naming: dict[str, Any], deadline: Deadline) -> list[Receipt]:
    """Click, then type, as a person does and as both projects do: not into what something lies over.

    They send the keys wherever the focus then is. Here that is the element, or what the click on it (a label,
    a button that opens a search box) has given the focus to. A date, a colour, a select take no text; they
    are given it as their value.
    """
    clicked: Receipt = await tab.act("click", deadline, **naming)
    # What a click makes of a field (a combobox that opens may have another name) is still that field.
    naming.pop("as_of", None)
    words: dict[str, Any] = {"text": action.text, "submit": action.enter}
    try:
        return [clicked, await tab.act("type", deadline, **words, **naming)]
    except NotInteractable as refused:
        if refused.reason != "wrong kind":
            raise
        focused = clicked.focus[1] if clicked.focus else ""
        try:
            if focused in {"", clicked.element_id}:
                done = [clicked, await tab.act("fill", deadline, value=action.text, **naming)]
                if action.enter:
                    done[1:] = [await tab.act("press", deadline, chord="Enter", **naming)]
                return done
            ordinal, node = parse_element_id(focused)
            naming = {"element": None, "backend_node_id": node, "frame": ordinal}
            return [clicked, await tab.act("type", deadline, **words, **naming)]
        except NotInteractable as unfilled:
            if unfilled.reason == "value":
                raise
            raise refused from None


async def type_into_focus(tab: WorkingTab, text: str, deadline: Deadline) -> None:
    """Type into whatever has the focus; a line break at the end is Enter."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    words = text.removesuffix("\n")
    if words:
        await _type_words(tab, words, deadline)
    if words != text:
        await tab.act("press", deadline, chord="Enter")


async def _type_words(tab: WorkingTab, words: str, deadline: Deadline) -> None:
    focused = await tab.active_element(deadline)
    if focused is not None:
        ordinal, node = parse_element_id(focused.id)
        named = {"element": None, "backend_node_id": node, "frame": ordinal, "wait": MODEL_WAIT_SECONDS}
        try:
            await tab.act("type", deadline, text=words, **named)
        except NotInteractable as error:
            if error.reason != "wrong kind":
                raise
        else:
            return
    for character in words:
        (command, *_) = type_commands(character)[0]
        if command.method == "Input.dispatchKeyEvent":
            await tab.act("press", deadline, chord=character)


def portable_chord(keys: str) -> str:
    """Keys as this browser's platform has them: a Mac's Meta is Control elsewhere."""
    return _MAC_KEY.sub("ControlOrMeta", keys)
