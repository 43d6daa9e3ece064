r"""WebArena's action strings: what an agent writes, as values and back.

::

    click [7]   hover [7]   clear [7]          an AX node id of the webarena format, or an element id (0-29)
    type [7] [some text] [1]                   1 presses Enter afterwards, 0 does not; no flag means 1
    select [7] [an option]   upload [7] [a path]
    press [Ctrl+v]   scroll [down]   scroll up
    goto [https://example.org/]   new_tab   go_back   go_forward   tab_focus [0]   close_tab
    stop [the answer]   stop("the answer")   stop   None

One space between the parts, nothing before and after but white space. The last text of an action runs to the
last bracket, so that it may hold brackets and newlines itself: ``type [7] [a[0] = "b]"]``. In `Type` the flag
is looked for first, behind that text: ``type [7] [1]`` types "1" and presses Enter. A text that would look
like a text and a flag (``a] [1``) needs a flag of its own, which `format_step` always writes; without one, a
number in the flag's place that is neither 0 nor 1 is refused rather than typed.

The grammar is that of WebArena and of MetaGPT's ``execute_step``, which differ in ``stop``; ``clear``,
``select`` and ``upload`` are ours. ``lenient=True`` accepts what those two accept: any or no white space
between the parts, and words behind an action.
"""

from __future__ import annotations

import dataclasses
import re
from typing import ClassVar, Literal, TypeAlias, get_args

from hybridsnap.errors import HybridsnapError

#: Negative AX node ids belong to nodes without a DOM node: nothing could be done to them.
ELEMENT_ID = re.compile(r"[0-9]+(?:-[0-9]+)?")
#: Nine digits: more tabs than any browser holds, and no number that int() would refuse.
TAB_NUMBER = re.compile(r"[0-9]{1,9}")
DIRECTION = re.compile(r"up|down")


class StepError(HybridsnapError, ValueError):
    """A step that is not an action.

    Attributes:
        action: its name as given, such as ``click``; empty when there is none.
        position: where it first goes wrong, counted from 0 in the text as given.
        example: the right form of that action, or of the one most like it.
    """

    def __init__(self, message: str, *, action: str, position: int, example: str) -> None:
        super().__init__(message)
        self.action = action
        self.position = position
        self.example = example


def _check_filled(text: str, what: str) -> None:
    if not text:
        raise ValueError(f"{what} cannot be empty")


@dataclasses.dataclass(frozen=True, slots=True)
class _OnElement:
    element_id: str

    def __post_init__(self) -> None:
        if not ELEMENT_ID.fullmatch(self.element_id):
            raise ValueError(f"an element id is a number or two (7, 0-29), not {self.element_id!r}")


@dataclasses.dataclass(frozen=True, slots=True)
class Click(_OnElement):
    """``click [id]``."""

    example: ClassVar[str] = "click [7]"


@dataclasses.dataclass(frozen=True, slots=True)
class Hover(_OnElement):
    """``hover [id]``: the pointer is put on the element."""

    example: ClassVar[str] = "hover [7]"


@dataclasses.dataclass(frozen=True, slots=True)
class Type(_OnElement):
    """``type [id] [text] [0|1]``. An empty text clears the field; ``enter`` presses Enter afterwards."""

    example: ClassVar[str] = "type [7] [some text] [1]"
    text: str
    enter: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class Press:
    """``press [keys]``: a chord as `hybridsnap.act.keyboard.parse_chord` reads it, not checked here."""

    example: ClassVar[str] = "press [Ctrl+v]"
    keys: str

    def __post_init__(self) -> None:
        _check_filled(self.keys, "the keys to press")


@dataclasses.dataclass(frozen=True, slots=True)
class Scroll:
    """``scroll [up|down]``: by the height of the viewport."""

    example: ClassVar[str] = "scroll [down]"
    direction: Literal["up", "down"]

    def __post_init__(self) -> None:
        if not DIRECTION.fullmatch(self.direction):
            raise ValueError(f"a direction is up or down, not {self.direction!r}")


@dataclasses.dataclass(frozen=True, slots=True)
class Goto:
    """``goto [url]``."""

    example: ClassVar[str] = "goto [https://example.org/]"
    url: str

    def __post_init__(self) -> None:
        _check_filled(self.url, "the address to go to")


@dataclasses.dataclass(frozen=True, slots=True)
class NewTab:
    """``new_tab``."""

    example: ClassVar[str] = "new_tab"


@dataclasses.dataclass(frozen=True, slots=True)
class GoBack:
    """``go_back``."""

    example: ClassVar[str] = "go_back"


@dataclasses.dataclass(frozen=True, slots=True)
class GoForward:
    """``go_forward``."""

    example: ClassVar[str] = "go_forward"


@dataclasses.dataclass(frozen=True, slots=True)
class TabFocus:
    """``tab_focus [n]``: tabs are counted from 0."""

    example: ClassVar[str] = "tab_focus [0]"
    index: int

    def __post_init__(self) -> None:
        if not TAB_NUMBER.fullmatch(str(self.index)):
            raise ValueError(f"tabs are counted from 0, in nine digits at most; {self.index!r} is not a tab")


@dataclasses.dataclass(frozen=True, slots=True)
class CloseTab:
    """``close_tab``."""

    example: ClassVar[str] = "close_tab"


@dataclasses.dataclass(frozen=True, slots=True)
class Stop:
    """``stop [answer]``: the task is done; the answer may be empty."""

    example: ClassVar[str] = "stop [the answer]"
    answer: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class NoAction:
    """``None``: nothing is to be done."""

    example: ClassVar[str] = "None"


@dataclasses.dataclass(frozen=True, slots=True)
class Clear(_OnElement):
    """``clear [id]``: the field is emptied."""

    example: ClassVar[str] = "clear [7]"


@dataclasses.dataclass(frozen=True, slots=True)
class Select(_OnElement):
    """``select [id] [option]``: the option by its value or its label, which may be empty."""

    example: ClassVar[str] = "select [7] [Blue]"
    option: str


@dataclasses.dataclass(frozen=True, slots=True)
class Upload(_OnElement):
    """``upload [id] [path]``: one file."""

    example: ClassVar[str] = "upload [7] [/tmp/photo.png]"
    path: str

    def __post_init__(self) -> None:
        _OnElement.__post_init__(self)
        _check_filled(self.path, "the path to upload")


Action: TypeAlias = (
    Click
    | Hover
    | Type
    | Press
    | Scroll
    | Goto
    | NewTab
    | GoBack
    | GoForward
    | TabFocus
    | CloseTab
    | Stop
    | NoAction
    | Clear
    | Select
    | Upload
)

#: Each action's class, by its name.
ACTIONS: dict[str, type[Action]] = {form.example.partition(" ")[0]: form for form in get_args(Action)}


def format_step(action: Action) -> str:
    """The action as a step that `parse_step` reads back as the same action, strictly."""
    words = [action.example.partition(" ")[0]]
    for field in dataclasses.fields(action):
        value = getattr(action, field.name)
        words.append(f"[{int(value) if isinstance(value, bool) else value}]")
    return words[0] if action == Stop("") else " ".join(words)
