"""Values on the command line: numbers, and how one that is refused is repeated.

A value that is none is an `argparse.ArgumentTypeError`, here and wherever else an option's type is read.
"""

from __future__ import annotations

import argparse

from hybridsnap.client.viewport import MOST_PX
from hybridsnap.deadline import check_timeout
from hybridsnap.text import cut_text

#: Those of `hybridsnap.mcp.caps`, whose packages need not be installed.
CAPABILITIES = ("console", "network", "storage", "emulation", "pdf", "trace", "downloads", "verify")
#: A number on the command line has no more.
_DIGITS = 15
_MOST = 10**_DIGITS - 1
#: So many characters are repeated of a value that is refused.
_SHOWN = 40


def whole_number(text: str) -> int | None:
    """A number of at most 15 digits, more than anything is counted in; None for everything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None


def shorten(text: str, most: int = _SHOWN) -> str:
    """What was given, in quotes; the beginning of what is long."""
    return repr(cut_text(text, most))


def viewport_size(text: str) -> tuple[int, int]:
    """``1280x720`` as width and height."""
    sizes = [whole_number(part) for part in text.lower().split("x")]
    if len(sizes) != 2 or not all(sizes):  # noqa: PLR2004 - width and height
        raise argparse.ArgumentTypeError(
            f"expected WIDTHxHEIGHT in CSS px, such as 1280x720, got {shorten(text)}"
        )
    width, height = sizes
    assert width is not None
    assert height is not None
    if max(width, height) > MOST_PX:
        raise argparse.ArgumentTypeError(
            f"a viewport has at most {MOST_PX} CSS px a side, got {shorten(text)}"
        )
    return width, height


def port_number(text: str) -> int:
    """A port."""
    number = whole_number(text)
    if number is None or number >= 1 << 16:
        raise argparse.ArgumentTypeError(
            f"expected a port, a whole number from 0 to 65535, got {shorten(text)}"
        )
    return number


def timeout_seconds(text: str) -> float:
    """A number of seconds."""
    try:
        return check_timeout(float(text))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected a positive, finite number of seconds such as 10, got {shorten(text)}"
        ) from None


def whole_levels(text: str) -> int:
    """A number of levels, from 0."""
    number = whole_number(text)
    if number is None:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 to {_MOST}, got {shorten(text)}")
    return number


def positive_number(text: str) -> int:
    """A number of something, from 1."""
    number = whole_number(text)
    if not number:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {_MOST}, got {shorten(text)}")
    return number


def capabilities(text: str) -> tuple[str, ...]:
    """Names of MCP's further tools, separated by commas."""
    names = tuple(filter(None, (one.strip() for one in text.split(","))))
    for name in names:
        if name not in CAPABILITIES:
            raise argparse.ArgumentTypeError(f"expected {', '.join(CAPABILITIES)}, got {shorten(name)}")
    return names
