"""What a user may point at an element with: an element id, XPath, CSS, role and name, and hops between them.

- ``0-29``: an element id, as printed.
- An XPath begins with ``/``, ``(``, ``./`` or ``xpath=``. When it is written like a path of the XPath maps
  (positions only; ``//`` enters a shadow root; an iframe's path goes on in its document) it is first tried as
  one; otherwise, and when that leads nowhere, it is an ordinary query of one document.
- ``role=button[name="Buy"]``: by role and accessible name (`hybridsnap.capture.role_selectors`), in the
  document and in all shadow roots below it, in the order of the accessibility tree.
- Anything else is CSS (``css=`` may say so). It is matched in the document, and by itself in each shadow root
  below it, open and closed. What the document holds comes first, then open roots, then closed ones.
- ``iframe.pay >> button``: what stands behind ``>>`` is sought inside of what stands before it: in a frame's
  document, in a host's shadow root, else below the element (``li.due >> role=button``). In a shadow root
  ``:host > button`` begins at the host, and is not sought further below.
- ``button >> nth=1``: of what is matched so far only one, counted from 0, or from the last, which is -1.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from hybridsnap.capture.element_ids import read_plausible_id
from hybridsnap.capture.role_selectors import RoleQuery, parse_role_query
from hybridsnap.errors import SelectorError

if TYPE_CHECKING:
    from hybridsnap.model import BackendNodeId

_QUOTED = r'"[^"]*"' + r"|'[^']*'"
_TEST = (
    r"[a-z][a-z0-9-]*|text\(\)|comment\(\)|processing-instruction\(\)"
    rf"|\*\[(?:local-)?name\(\)=(?:{_QUOTED}|concat\((?:{_QUOTED}|[,\s])+\))\]"
)
#: What to do about a selector of which nothing more is known.
MEND_SELECTOR = "take a snapshot and use an id that it shows, or mend the selector"
#: What other libraries put into selectors, and browsers do not know; in it the text that is meant.
_FOREIGN = re.compile(
    r"(?:^|>>)\s*(?:text|label|id|data-testid)\s*=|:(?:has-text|text(?:-is|-matches)?|contains|visible|nth-match)\b"
)
_NTH = re.compile(r"nth=(-?[0-9]{1,9})", re.IGNORECASE)
_MAP_STEP = re.compile(rf"(//?)((?:{_TEST})\[[1-9][0-9]{{0,8}}\])")

Kind: TypeAlias = Literal["css", "xpath", "role"]


def remedy_for(text: str) -> str:
    """What to do about a selector that matches nothing, or is none."""
    if _FOREIGN.search(text):
        return (
            "text= and :has-text() belong to other libraries; name the element by an id of a snapshot, by"
            """ role and name (role=button[name="Buy"]), or by XPath: //button[contains(., 'Buy')]"""
        )
    return MEND_SELECTOR


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One step of a map's path.

    Attributes:
        segment: as `hybridsnap.capture.xpath.build_child_xpath_segments` writes it.
        enters: it stands in the shadow root of the element before it.
    """

    segment: str
    enters: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """What is sought in one document, or in what the part before it matches.

    Attributes:
        text: the query, without what says its kind, or which match is meant.
        path: the steps, when it is written like a map's path; empty for a document's own path.
        role: what is sought by role.
        nth: which of its matches, from 0, or from the last, -1; None for all.
    """

    kind: Kind
    text: str
    path: tuple[Step, ...] | None = None
    role: RoleQuery | None = None
    nth: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Selector:
    """A selector, taken apart.

    Attributes:
        text: as given.
        parts: outermost first; empty for an element id.
        element: ordinal and backend node id of an element id.
    """

    text: str
    parts: tuple[Part, ...]
    element: tuple[int, BackendNodeId] | None = None


def parse_selector(text: str) -> Selector:
    """Take a selector apart.

    Raises:
        SelectorError: it is empty, something is missing around a ``>>``, or wrong behind ``role=``. Whether
            an XPath or a CSS selector is well formed only the browser can say.
    """
    stripped = text.strip()
    if (element := read_plausible_id(stripped)) is not None:
        return Selector(text, (), element)
    parts: list[Part] = []
    for piece in map(str.strip, _split_hops(stripped)):
        chosen = _NTH.fullmatch(piece)
        if chosen is not None and parts and parts[-1].nth is None:
            parts[-1] = dataclasses.replace(parts[-1], nth=int(chosen[1]))
        elif chosen is not None:
            raise SelectorError(
                f"{text!r} is not a selector: nth= picks a match of what stands before it: button >> nth=0",
                selector=text,
                reason="syntax",
            )
        else:
            parts.append(_parse_part(text, piece))
    return Selector(text, tuple(parts))


def _parse_part(whole: str, text: str) -> Part:
    kind: Kind = "css"
    lowered = text.lower()
    if lowered.startswith("xpath="):
        kind, text = "xpath", text[len("xpath=") :].strip()
    elif lowered.startswith("css="):
        text = text[len("css=") :].strip()
    elif lowered.startswith("role="):
        kind, text = "role", text[len("role=") :].strip()
    elif text.startswith(("/", "(", "./", "../")):
        kind = "xpath"
    if not text:
        raise SelectorError(
            f"{whole!r} is not a selector: something is missing; give an element id, an XPath, CSS or role=",
            selector=whole,
            reason="syntax",
        )
    if kind == "role":
        return Part(kind, text, role=parse_role_query(whole, text))
    return Part(kind, text, _parse_path(text) if kind == "xpath" else None)


def _parse_path(text: str) -> tuple[Step, ...] | None:
    """The steps of a path as the maps write it; None when it is something else."""
    if text == "/":
        return ()
    steps: list[Step] = []
    at = 0
    while at < len(text):
        match = _MAP_STEP.match(text, at)
        if match is None or (at == 0 and match[1] == "//"):
            return None
        steps.append(Step(match[2], match[1] == "//"))
        at = match.end()
    return tuple(steps)


def _split_hops(text: str) -> list[str]:
    """The text between the ``>>``, those in quotes and brackets aside."""
    if ">>" not in text:
        return [text]
    pieces: list[str] = []
    begin = at = 0
    quote = ""
    depth = 0
    while at < len(text):
        character = text[at]
        if character == "\\":
            at += 2
            continue
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif text.startswith(">>", at) and depth <= 0:
            pieces.append(text[begin:at])
            begin = at = at + 2
            continue
        at += 1
    return [*pieces, text[begin:]]
