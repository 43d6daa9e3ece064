"""Lines of the `role` format, read back."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from hybridsnap.render.role import Ref

_STRING = r'"(?:[^"\\]|\\.)*"'


_LINE = re.compile(
    rf"(?P<indent>(?:  )*)- (?P<role>[\w-]+)(?: (?P<name>{_STRING}))?(?: \?\S+)?"
    rf"(?P<groups>(?: \[(?:(?:value|description)={_STRING}|[^\"\[\]]*)\])*)(?: -> (?P<url>\S+))?"
)


_GROUP = re.compile(rf" \[(?:description={_STRING}|value=({_STRING})|([^\"\[\]]*))\]")


class Read(NamedTuple):
    """A line, read back."""

    depth: int
    role: str
    name: str
    ref: str
    nth: int
    states: tuple[str, ...]
    value: str
    url: str


def read(line: str) -> Read:
    match = _LINE.fullmatch(line)
    assert match is not None, line
    ref, nth, value, states = "", 0, "", []
    for quoted, group in _GROUP.findall(match["groups"]):
        if quoted:
            value = json.loads(quoted)
        elif group.startswith("ref="):
            assert not ref
            ref = group.removeprefix("ref=")
        elif group.startswith("nth="):
            nth = int(group.removeprefix("nth="))
        elif group:
            states.append(group)
    name = json.loads(match["name"]) if match["name"] else ""
    depth = len(match["indent"]) // 2
    return Read(depth, match["role"], name, ref, nth, tuple(states), value, match["url"] or "")


def refs_of(rendering: Any) -> dict[str, Ref]:
    found: dict[str, Ref] = rendering.extras["refs"]
    return found
