"""Points of a frame in the page: corners go to corners, and every way has its way back."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hybridsnap.act.geometry import (
    IDENTITY,
    Projection,
    bound_points,
    points_between,
    project_box,
    project_viewport,
)

_SIZES = st.floats(10, 5000)
_AT = st.floats(-2000, 2000)


@st.composite
def quads(draw: st.DrawFn) -> list[float]:
    """Corners of a convex box, clockwise: what transforms with perspective make of a rectangle."""
    x, y = draw(_AT), draw(_AT)
    radius, turn = draw(st.floats(20, 1000)), draw(st.floats(0, 2 * math.pi))
    corners: list[float] = []
    for quarter in range(4):
        angle = turn + math.pi / 2 * quarter + draw(st.floats(0.1, 1.2))
        corners += [x + radius * math.cos(angle), y + radius * math.sin(angle)]
    return corners


def close(one: tuple[float, float] | None, other: tuple[float, float]) -> bool:
    return one is not None and math.dist(one, other) < 1e-3


@given(_SIZES, _SIZES, quads())
def test_corners_go_to_corners(width: float, height: float, quad: list[float]) -> None:
    projection = project_viewport(width, height, quad)
    assert projection is not None
    for at, (x, y) in enumerate([(0, 0), (width, 0), (width, height), (0, height)]):
        assert close(projection.apply(x, y), (quad[2 * at], quad[2 * at + 1]))


@given(_SIZES, _SIZES, quads(), st.floats(0, 1), st.floats(0, 1))
def test_there_and_back(width: float, height: float, quad: list[float], across: float, down: float) -> None:
    projection = project_viewport(width, height, quad)
    assert projection is not None
    back = projection.inverse()
    assert back is not None
    point = width * across, height * down
    there = projection.apply(*point)
    assert there is not None
    assert close(back.apply(*there), point)


@given(_SIZES, _SIZES, quads(), quads(), st.floats(0, 1), st.floats(0, 1))
def test_one_after_the_other(
    width: float, height: float, inner_quad: list[float], outer_quad: list[float], across: float, down: float
) -> None:
    inner, outer = project_viewport(width, height, inner_quad), project_viewport(800, 600, outer_quad)
    assert inner is not None
    assert outer is not None
    halfway = inner.apply(width * across, height * down)
    assert halfway is not None
    expected = outer.apply(*halfway)
    assume(expected is not None and math.hypot(*expected) < 1e5)
    assert expected is not None
    assert close(outer.after(inner).apply(width * across, height * down), expected)


def test_a_border_a_scale_and_a_turn() -> None:
    shifted = project_viewport(100, 50, [10, 20, 110, 20, 110, 70, 10, 70])
    halved = project_viewport(100, 50, [0, 0, 50, 0, 50, 25, 0, 25])
    turned = project_viewport(100, 50, [50, 0, 50, 100, 0, 100, 0, 0])
    assert shifted is not None
    assert halved is not None
    assert turned is not None
    assert shifted.apply(1, 2) == (11, 22)
    assert halved.apply(30, 30) == (15, 15)
    assert turned.apply(100, 0) == (50, 100)
    assert shifted.after(halved).apply(30, 30) == (25, 35)
    assert IDENTITY.after(turned) == turned
    assert project_box(turned, (0, 0, 10, 20)) == (30, 0, 20, 10)


@pytest.mark.parametrize(
    ("width", "height", "quad"),
    [
        (0, 50, [0, 0, 1, 0, 1, 1, 0, 1]),
        (50, 0, [0, 0, 1, 0, 1, 1, 0, 1]),
        (50, 50, [0, 0, 0, 0, 0, 0, 0, 0]),
        (50, 50, [0, 0, 10, 0, 10, 0, 0, 0]),
    ],
)
def test_what_has_no_area_is_nowhere(width: float, height: float, quad: list[float]) -> None:
    assert project_viewport(width, height, quad) is None


def test_what_falls_into_a_line_has_no_way_back() -> None:
    flat = Projection((1, 0, 0, 1, 0, 0, 0, 0, 1))
    assert flat.inverse() is None
    assert Projection((1, 0, 0, 0, 1, 0, 1, 0, 0)).apply(0, 5) is None
    assert project_box(Projection((1, 0, 0, 0, 1, 0, 1, 0, 0)), (0, 0, 5, 5)) is None


def test_the_box_around_points() -> None:
    assert bound_points([(3, 4), (-1, 9), (2, 0)]) == (-1, 0, 4, 9)


def test_a_way_in_steps_ends_where_it_should() -> None:
    assert points_between((0, 0), (10, -20), 4) == [(2.5, -5), (5, -10), (7.5, -15), (10, -20)]
