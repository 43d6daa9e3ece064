"""Values as JSON data."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest

from hybridsnap.json_data import escape_hiding, to_json, to_json_text


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
        with pytest.raises(ValueError, match="contains itself"):
            to_json(value)


def test_what_is_there_twice_is_no_circle() -> None:
    one = [float("nan")]
    assert to_json({"a": one, "b": (one, one)}) == {"a": ["NaN"], "b": [["NaN"], ["NaN"]]}


def test_depth() -> None:
    assert json.dumps(to_json(_nest(400)), indent=1).count("[") == 400
    for levels in (402, 10_000):
        with pytest.raises(ValueError, match="more than 400 levels deep"):
            to_json(_nest(levels))


def test_text_that_may_be_printed() -> None:
    hiding = [*map(chr, [*range(0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A)])]
    value = {one: f"a{one}b" for one in [*hiding, "\u200d", "\ud800", "\U000e0041"]}
    plain = "naïve 日本語 नमस्ते 😀\xa0"
    for indent in (None, 1):
        text = to_json_text([value, plain], indent)
        assert json.loads(text) == [value, plain]
        assert plain in text
        assert all(one.isprintable() or one in "\xa0\n" for one in text)
    assert to_json_text("\x9b31m\U000e0041") == r'"\u009b31m\udb40\udc41"'


def test_every_character_that_hides_is_escaped() -> None:
    every = "".join(map(chr, range(0x110000)))
    left = escape_hiding(every)
    assert [one for one in left if unicodedata.category(one) in {"Cc", "Cf", "Cs", "Zl", "Zp"}] == [
        "\t",
        "\n",
    ]
