"""Arguments of the wrong type, refused in one line: what was expected, what was given, what to write instead.

Called where an argument comes in, before anything is done with it.
"""

from __future__ import annotations

import math
from typing import Any


def check_str(name: str, value: Any, example: str, *, optional: bool = False) -> None:
    """See that an argument is a str (or None, where it may be left out).

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(value, str) and not (optional and value is None):
        raise TypeError(f"{name}: expected a str such as {example!r}, got {value!r}")


def read_strs(name: str, value: Any, example: str) -> tuple[str, ...]:
    """One str, or several, as a tuple.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple | set | frozenset) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise TypeError(f"{name}: expected a str such as {example!r}, or a list of them, got {value!r}")


def check_bool(name: str, value: Any) -> None:
    """See that an argument is True or False: any text would count as True.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(value, bool):
        raise TypeError(f"{name}: expected True or False, got {value!r}")


def check_whole(name: str, value: Any, least: int, *, optional: bool = False) -> None:
    """See that an argument is a whole number from `least` on.

    Raises:
        TypeError: it is not a whole number.
        ValueError: it is smaller.
    """
    if optional and value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name}: expected a whole number from {least} on, got {value!r}")
    if value < least:
        raise ValueError(f"{name}: expected a whole number from {least} on, got {value}")


def check_number(name: str, value: Any, unit: str) -> None:
    """See that an argument is a finite number.

    Raises:
        TypeError: it is not a number.
        ValueError: it is not finite.
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name}: expected a number of {unit}, got {value!r}")
    if not math.isfinite(value):
        raise ValueError(f"{name}: expected a finite number of {unit}, got {value}")
