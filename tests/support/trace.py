"""What Perfetto and DevTools ask of a trace in Chrome's JSON format (the Trace Event Format's document)."""

from __future__ import annotations

import json
from typing import Any

#: Phases → what their events must have beside the common fields.
_PHASES: dict[str, tuple[str, ...]] = {
    "B": (),
    "E": (),
    "X": ("dur",),
    "I": ("s",),
    "i": ("s",),
    "C": ("args",),
    "b": ("id",),
    "n": ("id",),
    "e": ("id",),
    "s": ("id",),
    "t": ("id",),
    "f": ("id",),
    "P": (),
    "N": ("id",),
    "O": ("id",),
    "D": ("id",),
    "M": ("args",),
    "R": (),
    "c": ("args",),
}
#: Ids have two names more.
_IDS = ("id", "id2", "bind_id")


def check_trace(data: bytes) -> list[dict[str, Any]]:
    """The events of a trace that is one."""
    trace = json.loads(data)
    events: list[dict[str, Any]] = trace["traceEvents"]
    for event in events:
        assert isinstance(event["name"], str), event
        assert isinstance(event["cat"], str), event
        assert isinstance(event["args"], dict), event
        for name in ("pid", "tid", "ts"):
            assert isinstance(event[name], int | float), event
        for needed in _PHASES[event["ph"]]:
            names = _IDS if needed == "id" else (needed,)
            assert any(name in event for name in names), event
        if event["ph"] == "X":
            assert event["dur"] >= 0, event
    return events
