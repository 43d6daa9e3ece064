"""Element ids (``0-29``) and refs (``e12``): how they are written, and how they are read."""

from __future__ import annotations

import re

from hybridsnap.model import BackendNodeId, ElementId

_ELEMENT_ID = re.compile(r"(0|[1-9][0-9]{0,99})-(0|[1-9][0-9]{0,99})")
#: Those that a browser can have given; a longer number means a selector or a mistake.
_PLAUSIBLE_ID = re.compile(r"(0|[1-9][0-9]{0,8})-([1-9][0-9]{0,15})")
_REF = re.compile(r"(?:@|ref=)?((?:e|ax)[1-9][0-9]{0,8})")
#: An id as the outline prints it, and the line behind it.
_PRINTED_ID = re.compile(r"\[((?:0|[1-9][0-9]*)-[1-9][0-9]*)\]")


def parse_element_id(element_id: str) -> tuple[int, BackendNodeId]:
    """``0-29`` → (0, 29).

    Raises:
        KeyError: it is not of that form.
    """
    match = _ELEMENT_ID.fullmatch(element_id)
    if match is None:
        raise KeyError(element_id)
    return int(match[1]), BackendNodeId(int(match[2]))


def split_id(element_id: ElementId) -> tuple[int, BackendNodeId]:
    """``0-29`` → (0, 29), of an id that is known to be well formed."""
    ordinal, _, node = element_id.partition("-")
    return int(ordinal), BackendNodeId(int(node))


def is_element_id(text: str) -> bool:
    """Whether a text has the form of an element id."""
    return _ELEMENT_ID.fullmatch(text) is not None


def read_plausible_id(text: str) -> tuple[int, BackendNodeId] | None:
    """``0-29`` → (0, 29); None for what no browser has given."""
    match = _PLAUSIBLE_ID.fullmatch(text)
    return None if match is None else (int(match[1]), BackendNodeId(int(match[2])))


def read_ref(text: str) -> str | None:
    """``e12`` from ``e12``, ``@e12`` or ``ref=e12``; None for what is not a ref."""
    match = _REF.fullmatch(text.strip())
    return None if match is None else match[1]


def is_ref(text: str) -> bool:
    """Whether a text is a ref of the role or aria format."""
    return read_ref(text) is not None


def find_printed_id(line: str) -> str | None:
    """``0-29`` from a line of an outline that begins ``[0-29]``."""
    match = _PRINTED_ID.match(line.strip())
    return None if match is None else match[1]
