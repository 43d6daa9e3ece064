"""How much of a result is printed."""

from __future__ import annotations

import pytest

from hybridsnap.mcp.results import cut, fitting
from hybridsnap.render.tokens import count_tokens

_TEXTS = {
    "English": "The library is open. ",
    "Chinese": "图书馆今天开放",
    "digits": "31415926",
    "punctuation": "{}[];",
}


@pytest.mark.parametrize("text", _TEXTS.values(), ids=_TEXTS)
@pytest.mark.parametrize("most", [1, 30, 1_000])
def test_a_text_is_cut_to_its_tokens(text: str, most: int) -> None:
    whole = text * 5_000
    shown, left = cut(whole, most)
    assert whole.startswith(shown)
    assert most / 3 <= max(count_tokens(shown), 1) <= most or len(shown) == 1
    assert left == f"{len(whole) - len(shown):,} more characters; give a larger max_tokens"
    assert cut(text, 1_000) == (text, "")


@pytest.mark.parametrize("text", _TEXTS.values(), ids=_TEXTS)
def test_lines_are_listed_within_their_tokens(text: str) -> None:
    lines = [f"[0-{number}] link: {text}" for number in range(1_000)]
    shown = fitting(lines, 200)
    assert 100 < count_tokens("\n".join(shown)) <= 200
    assert shown == lines[: len(shown)]
    assert fitting(["[0-1] link: " + text * 1_000, *lines], 1)[0].startswith("[0-1] link:")
