"""Values as JSON data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hybridsnap.json_data import to_json


def _nest(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_what_holds_itself_is_refused() -> None:
    by_key: dict[str, Any] = {}
    by_key["a"] = [1, {"b": by_key}]
    in_list: list[Any] = []
    in_list.append(in_list)
    for value in (by_key, in_list):
        with pytest.raises(ValueError, match="goes round in a circle"):
            to_json(value)


def test_what_is_there_twice_is_no_circle() -> None:
    one = [float("nan")]
    assert to_json({"a": one, "b": (one, one)}) == {"a": ["NaN"], "b": [["NaN"], ["NaN"]]}


def test_depth() -> None:
    assert json.dumps(to_json(_nest(400)), indent=1).count("[") == 400
    for levels in (402, 10_000):
        with pytest.raises(ValueError, match="more than 400 levels deep"):
            to_json(_nest(levels))
