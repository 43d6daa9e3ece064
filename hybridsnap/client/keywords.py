"""Keywords of an action that it does not have: refused in the action's own name."""

from __future__ import annotations

import difflib
import inspect
from typing import TYPE_CHECKING

from hybridsnap.act.perform import Naming

if TYPE_CHECKING:
    from types import FrameType


def check_naming(page: object, naming: Naming) -> None:
    """See whether what an action was given beside its own arguments names an element.

    Actions take such keywords as ``**naming`` and hand them on, so Python itself would refuse a misspelt one
    in the name of what they reach in the end.

    Raises:
        TypeError: it does not; the message names the action, and the keyword that is probably meant.
    """
    unknown = next((one for one in naming if one not in Naming.__annotations__), None)
    if unknown is None:
        return
    method = _called_with(naming, inspect.currentframe())
    known = list(inspect.signature(getattr(type(page), method)).parameters)[1:-1] if method else []
    near = difflib.get_close_matches(unknown, [*known, *Naming.__annotations__], n=1)
    meant = f"; {near[0]} is probably meant" if near else ""
    raise TypeError(f"{method or 'the action'}() has no keyword {unknown!r}{meant}")


def _called_with(naming: Naming, frame: FrameType | None) -> str:
    """The function that was given these keywords; the outermost one, where it has handed them on."""
    name = ""
    while frame is not None:
        if frame.f_locals.get("naming") is naming and not frame.f_code.co_name.startswith("_"):
            name = frame.f_code.co_name
        frame = frame.f_back
    return "" if name == check_naming.__name__ else name
