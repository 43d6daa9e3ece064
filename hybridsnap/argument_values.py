"""Values on the command line: numbers, and how one that is refused is repeated."""

from __future__ import annotations

#: A number on the command line has no more.
_DIGITS = 15
#: So many characters are repeated of a value that is refused.
_SHOWN = 40


def whole_number(text: str) -> int | None:
    """A number of at most 15 digits, more than anything is counted in; None for everything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None


def shorten(text: str, most: int = _SHOWN) -> str:
    """What was given, in quotes; the beginning of what is long."""
    return repr(text if len(text) <= most else f"{text[:most]}…")
