"""What goes over the socket: three lines of JSON for each connection.

The process greets who connects; the caller says what is to be done; the process answers with the tool's
result, and closes. Both are of the same version of hybridsnap, as the greeting shows: the shapes may change.
"""

from __future__ import annotations

import json
from typing import Any, TypedDict


class Greeting(TypedDict):
    """The first line.

    Attributes:
        version: of hybridsnap.
        pid: of the process.
    """

    version: str
    pid: int


class ToolCall(TypedDict):
    """What the caller wants.

    Attributes:
        arguments: of `hybridsnap.tool.BrowserTool.execute`.
        directory: absolute, where files are saved; None for the tool's own.
        idle: after so many seconds without a call the process ends; None leaves it as it is.
    """

    arguments: dict[str, Any]
    directory: str | None
    idle: float | None


def to_line(message: Greeting | ToolCall | dict[str, Any]) -> bytes:
    """A message as it is sent; in ASCII, as half a surrogate pair has no UTF-8."""
    return json.dumps(message).encode("ascii") + b"\n"
