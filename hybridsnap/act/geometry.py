"""From a frame's viewport to the page's: what borders, transforms and zoom do to a point on the way.

The four corners of a frame's content box say it all, perspective included: they are where the corners of the
frame's own viewport come to lie.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Smaller determinants are those of a frame that is seen from its edge.
_FLAT = 1e-9
#: No page reaches further. What no 32-bit float holds (3.4e38) leaves a tab without input for good (measured
#: in Chromium 156).
MOST_PX = 1e9


@dataclasses.dataclass(frozen=True, slots=True)
class Projection:
    """Where the points of one viewport come to lie in another: a 3 × 3 matrix, row by row."""

    rows: tuple[float, float, float, float, float, float, float, float, float]

    def apply(self, x: float, y: float) -> tuple[float, float] | None:
        """A point over there; None where it lies at infinity."""
        a, b, c, d, e, f, g, h, i = self.rows
        scale = g * x + h * y + i
        if abs(scale) < _FLAT:
            return None
        return (a * x + b * y + c) / scale, (d * x + e * y + f) / scale

    def after(self, inner: Projection) -> Projection:
        """Both, `inner` first."""
        mine, other = self.rows, inner.rows
        cells = [
            sum(mine[3 * row + at] * other[3 * at + column] for at in range(3))
            for row in range(3)
            for column in range(3)
        ]
        a, b, c, d, e, f, g, h, i = cells
        return Projection((a, b, c, d, e, f, g, h, i))

    def inverse(self) -> Projection | None:
        """The way back; None where everything falls into a line."""
        a, b, c, d, e, f, g, h, i = self.rows
        adjugate = (
            e * i - f * h, c * h - b * i, b * f - c * e,
            f * g - d * i, a * i - c * g, c * d - a * f,
            d * h - e * g, b * g - a * h, a * e - b * d,
        )  # fmt: skip
        return (
            Projection(adjugate) if abs(a * adjugate[0] + b * adjugate[3] + c * adjugate[6]) > _FLAT else None
        )


#: A viewport onto itself.
IDENTITY = Projection((1, 0, 0, 0, 1, 0, 0, 0, 1))


def project_viewport(width: float, height: float, quad: Sequence[float]) -> Projection | None:
    """Of a frame's viewport onto its content box.

    Args:
        width: of the frame's own viewport, in its CSS px.
        height: likewise.
        quad: the corners of the content box, x and y of each, clockwise from the top left.

    Returns:
        None where one of them has no area.

    Source: Heckbert, Fundamentals of Texture Mapping and Image Warping (1989), section 2.2.3.
    """
    x0, y0, x1, y1, x2, y2, x3, y3 = quad
    if width <= 0 or height <= 0:
        return None
    across, down = (x1 - x2, y1 - y2), (x3 - x2, y3 - y2)
    skew = x0 - x1 + x2 - x3, y0 - y1 + y2 - y3
    area = across[0] * down[1] - down[0] * across[1]
    if abs(area) < _FLAT:
        return None
    g = (skew[0] * down[1] - down[0] * skew[1]) / area
    h = (across[0] * skew[1] - skew[0] * across[1]) / area
    across_x, down_x = x1 - x0 + g * x1, x3 - x0 + h * x3
    across_y, down_y = y1 - y0 + g * y1, y3 - y0 + h * y3
    return Projection(
        (
            across_x / width,
            down_x / height,
            x0,
            across_y / width,
            down_y / height,
            y0,
            g / width,
            h / height,
            1,
        )
    )


def bound_points(points: Iterable[tuple[float, float]]) -> tuple[float, float, float, float]:
    """The box around points: x, y, width, height."""
    listed = list(points)
    left, top = min(x for x, _ in listed), min(y for _, y in listed)
    return left, top, max(x for x, _ in listed) - left, max(y for _, y in listed) - top


def project_box(
    projection: Projection, box: tuple[float, float, float, float]
) -> tuple[float, float, float, float] | None:
    """The box around a box as it lies over there: x, y, width, height."""
    x, y, width, height = box
    corners = [
        projection.apply(*at) for at in ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    ]
    found = [corner for corner in corners if corner is not None]
    return bound_points(found) if len(found) == len(corners) else None


def points_between(
    start: tuple[float, float], end: tuple[float, float], steps: int
) -> list[tuple[float, float]]:
    """The points of a straight way, in equal steps; the last is its end."""
    (x, y), (to_x, to_y) = start, end
    return [(x + (to_x - x) * n / steps, y + (to_y - y) * n / steps) for n in range(1, steps + 1)]
