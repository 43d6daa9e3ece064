"""What one tab's keyboard and mouse are holding, from one action to the next."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from hybridsnap.act.keyboard import Key

Button: TypeAlias = Literal["left", "middle", "right"]


def check_button(button: object) -> None:
    """See whether this is a button of the mouse.

    Raises:
        ValueError: it is none.
    """
    if button not in get_args(Button):
        raise ValueError(f"button is left, middle or right, not {button!r}")


@dataclasses.dataclass(slots=True)
class InputState:
    """The input devices of one tab. A tab has one of each, whoever drives it.

    Attributes:
        keys: the keys that are down, in the order in which they were pressed.
        buttons: the buttons of the mouse that are down, in the order in which they were pressed.
        position: where the pointer was last moved to, in CSS px of the main viewport; None before.
        mac: the browser runs on macOS, where ControlOrMeta is Meta; None before the browser was asked.
    """

    keys: list[Key] = dataclasses.field(default_factory=list)
    buttons: list[Button] = dataclasses.field(default_factory=list)
    position: tuple[float, float] | None = None
    mac: bool | None = None
