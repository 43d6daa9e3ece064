"""Lines of the `aria` format, read back."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hybridsnap.render.aria import AxRef

_STRING = r'"(?:[^"\\]|\\.)*"'


_LINE = re.compile(
    rf"(?P<indent>(?:  )*)(?P<ref>ax\d+) (?P<role>[\w-]+)(?: (?P<name>{_STRING}))?"
    rf"(?: value=(?P<value>{_STRING}))?(?: description=(?P<description>{_STRING}))?"
    rf"(?: \[(?P<properties>(?:[^\"\]]|{_STRING})*)\])?"
    r"(?: \((?P<id>\d+-\d+)\))?"
)


def refs_of(rendering: Any) -> dict[str, AxRef]:
    found: dict[str, AxRef] = rendering.extras["refs"]
    return found


def read(line: str) -> dict[str, str]:
    match = _LINE.fullmatch(line)
    assert match is not None, line
    return {
        key: json.loads(value) if value and value[0] == '"' else value or ""
        for key, value in match.groupdict().items()
    }
