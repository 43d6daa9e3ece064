"""What captures through foreign drivers took, apart from the drivers: those weigh 13 MB."""

from __future__ import annotations

import msgspec


class DriverLooks(msgspec.Struct):
    """Captures by turns, the first pair left out.

    Attributes:
        ours_ms: through our client.
        theirs_ms: through the driver.
        same: the last outlines were equal.
    """

    ours_ms: list[float]
    theirs_ms: list[float]
    same: bool


class Drivers(msgspec.Struct):
    """What `measure_drivers` found: driver → its captures."""

    looks: dict[str, DriverLooks]
