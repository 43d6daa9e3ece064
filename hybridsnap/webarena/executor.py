"""WebArena's actions, done on a page."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from typing import TYPE_CHECKING

from hybridsnap.capture.paths import parse_element_id
from hybridsnap.deadline import Deadline
from hybridsnap.errors import NotInteractable, TargetError
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
from hybridsnap.webarena.numbering import numbered_tabs, use_tab
from hybridsnap.webarena.shown import name_element

if TYPE_CHECKING:
    from hybridsnap.act.perform import Naming
    from hybridsnap.act.receipt import Receipt
    from hybridsnap.client.browser import Browser
    from hybridsnap.client.page import Navigation, Page
    from hybridsnap.webarena.grammar import Action
    from hybridsnap.webarena.shown import Shown

#: Seconds that an action may take; as everywhere.
DEFAULT_SECONDS = 30.0
#: Keys that only a Mac has, by the names that people give them.
_MAC_KEY = re.compile(r"(?<![^+])\s*(?:meta|cmd|command)\s*(?![^+])", re.IGNORECASE)


@dataclasses.dataclass(frozen=True, slots=True)
class Executed:
    """What came of an action.

    Attributes:
        page: the page that is current afterwards.
        receipts: what it did, for each of its parts (to type is to click, then to type); empty where it did
            nothing to a document: tabs, ``stop``, ``None``.
        answer: of ``stop``; None for every other action.
        navigation: of ``goto``, ``go_back``, ``go_forward``: where it led, and with what HTTP status.
    """

    page: Page
    receipts: tuple[Receipt, ...] = ()
    answer: str | None = None
    navigation: Navigation | None = None


async def execute(
    action: Action, page: Page, *, shown: Shown = None, timeout: float | Deadline = DEFAULT_SECONDS
) -> Executed:
    """Do what an action says, and wait until the current page's DOM is there.

    Args:
        action: of `parse_step`.
        page: that it is done on.
        shown: what the model that gave the action had seen of the page: a webarena rendering (or its
            ``info``), or the nodes of `get_accessibility_tree`. Its ids are looked up there. Without it
            they are element ids, or AX node ids of the main frame.
        timeout: seconds, for all of it.

    Raises:
        ElementNotFound: what was shown has no such id.
        TargetError: there is no such tab.
        NavigationFailed: the address cannot be loaded, or there is nothing to go back or forward to.
        WaitTimeout: the page's DOM was not there in time.
        HybridsnapError: what the action itself raises (`hybridsnap.errors`).
    """
    deadline = Deadline.of(timeout)
    use_tab(page)
    match action:
        case NoAction():
            return Executed(page)
        case Stop(answer):
            return Executed(page, answer=answer)
        case NewTab() | TabFocus() | CloseTab():
            done = Executed(await _turn_to_tab(action, page, deadline))
        case Goto() | GoBack() | GoForward():
            done = Executed(page, navigation=await _travel(action, page, deadline))
        case Press(keys):
            done = Executed(page, (await page.press(portable_chord(keys), timeout=deadline),))
        case Scroll(direction):
            done = Executed(page, (await page.scroll(direction, timeout=deadline),))
        case _:
            done = Executed(page, await _act_on_element(action, page, shown, deadline))
    if done.page.session.ended == "detached":  # it has closed itself
        done = dataclasses.replace(done, page=await _last_tab(page, deadline))
    if not done.page.dialogs:  # a dialog holds the document up until it is answered
        await done.page.wait_for(load_state="domcontentloaded", timeout=deadline)
    return done


async def _act_on_element(
    action: Click | Hover | Type | Clear | Select | Upload, page: Page, shown: Shown, deadline: Deadline
) -> tuple[Receipt, ...]:
    element, naming = name_element(action.element_id, shown)
    match action:
        case Click():
            done = [await page.click(element, timeout=deadline, **naming)]
        case Hover():
            done = [await page.hover(element, timeout=deadline, **naming)]
        case Clear():
            done = [await page.clear(element, timeout=deadline, **naming)]
        case Type(text=""):
            done = [await page.clear(element, timeout=deadline, **naming)]
            if action.enter:
                naming.pop("as_of", None)
                done.append(await page.press("Enter", element=element, timeout=deadline, **naming))
        case Type():
            done = await _type(action, page, element, naming, deadline)
        case Select():
            done = [await _select(action.option, page, element, naming, deadline)]
        case Upload():
            done = [await page.set_input_files(element, [action.path], timeout=deadline, **naming)]
    return tuple(done)


async def _type(
    action: Type, page: Page, element: str | None, naming: Naming, deadline: Deadline
) -> list[Receipt]:
    """Click, then type, as a person does and as both projects do: not into what something lies over.

    They send the keys wherever the focus then is. Here that is the element, or what the click on it (a label,
    a button that opens a search box) has given the focus to. A date, a colour, a select take no text; they
    are given it as their value.
    """
    clicked = await page.click(element, timeout=deadline, **naming)
    # What a click makes of a field (a combobox that opens may have another name) is still that field.
    naming.pop("as_of", None)
    try:
        typed = await page.type(element, action.text, submit=action.enter, timeout=deadline, **naming)
    except NotInteractable as refused:
        if refused.reason != "wrong kind":
            raise
        focused = clicked.focus[1] if clicked.focus else ""
        try:
            if focused in {"", clicked.element_id}:
                typed = await page.fill(element, action.text, timeout=deadline, **naming)
                if action.enter:
                    enter = await page.press("Enter", element=element, timeout=deadline, **naming)
                    return [clicked, typed, enter]
            else:
                ordinal, node = parse_element_id(focused)
                naming = {"backend_node_id": node, "frame": ordinal}
                typed = await page.type(None, action.text, submit=action.enter, timeout=deadline, **naming)
        except NotInteractable as unfilled:
            if unfilled.reason == "value":
                raise
            raise refused from None
    return [clicked, typed]


async def _select(
    option: str, page: Page, element: str | None, naming: Naming, deadline: Deadline
) -> Receipt:
    """Select by the label, which is what a model sees; by the value where no label is that."""
    try:
        return await page.select_option(element, label=option, timeout=deadline, **naming)
    except NotInteractable as error:
        if error.reason != "no such option":
            raise
    return await page.select_option(element, value=option, timeout=deadline, **naming)


async def _travel(action: Goto | GoBack | GoForward, page: Page, deadline: Deadline) -> Navigation:
    match action:
        case Goto(url):
            return await page.goto(url, wait="domcontentloaded", timeout=deadline)
        case GoBack():
            return await page.go_back(wait="domcontentloaded", timeout=deadline)
        case GoForward():
            return await page.go_forward(wait="domcontentloaded", timeout=deadline)


async def _turn_to_tab(action: NewTab | TabFocus | CloseTab, page: Page, deadline: Deadline) -> Page:
    """Open, choose or close a tab; the one that is current then."""
    browser: Browser = page.browser
    if isinstance(action, NewTab):
        return await browser.new_page(timeout=deadline)
    if isinstance(action, TabFocus):
        current = await tab_numbered(action.index, browser, deadline)
    else:
        current = await _last_tab(page, deadline)
        await page.close()
    await current.bring_to_front(timeout=deadline)
    return current


async def _last_tab(gone: Page, deadline: Deadline) -> Page:
    """What is current when a tab goes: the last of the others, or a new one.

    That is opened before the last one closes: there are browsers that end with their last tab.
    """
    browser = gone.browser
    others = [info for info in await numbered_tabs(browser) if info["targetId"] != gone.target_id]
    for info in reversed(others):
        with contextlib.suppress(TargetError):  # it has just been closed
            return await browser.page(info["targetId"], timeout=deadline)
    return await browser.new_page(timeout=deadline)


async def tab_numbered(index: int, browser: Browser, deadline: Deadline) -> Page:
    """The tab that ``tab_focus [index]`` means.

    Raises:
        TargetError: there is none; ``target_ids`` are those that have a number, in order.
    """
    infos = await numbered_tabs(browser)
    if index >= len(infos):
        open_ = f"open are 0 to {len(infos) - 1}" if infos else "the browser has no tab open"
        raise TargetError(
            f"there is no tab {index}; {open_}",
            target_ids=tuple(str(one["targetId"]) for one in infos),
        )
    return await browser.page(infos[index]["targetId"], timeout=deadline)


def portable_chord(keys: str) -> str:
    """Keys as this browser's platform has them: a Mac's Meta is Control elsewhere."""
    return _MAC_KEY.sub("ControlOrMeta", keys)
