"""Cleaning page text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings

from hybridsnap.render.clean import clean_text
from tests.strategies import page_texts


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain", "plain"),
        ("", ""),
        ("  a  b  ", "a b"),
        ("a\nb\r\nc\td\x0be\x0cf", "a b c d e f"),
        ("a\x00b\x1bc\x7fd\x9fe", "a b c d e"),
        ("a\x85b\u2028c\u2029d\x1ce", "a b c d e"),
        ("a\xa0b\u202fc\u3000d\u2003e", "a b c d e"),
        ("a\ue000b\U000f0000c\U0010fffdd", "abcd"),
        ("a\u202eb\u2066c\u200fd\u061ce", "abcde"),
        ("a\u200bb\u2060c\ufeffd\xade", "abcde"),
        ("a\U000e0041b", "ab"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("a\ud800b\udfff", "a\ufffdb\ufffd"),
        ("\u200b \u200b", ""),
        ("a \u200b b", "a b"),
        ("עברית ok", "עברית ok"),
        ("\U0001f600", "\U0001f600"),
    ],
)
def test_what_becomes_of_which_character(text: str, clean: str) -> None:
    assert clean_text(text) == clean


@given(page_texts)
@settings(max_examples=300)
def test_any_text_becomes_one_line_of_valid_text(text: str) -> None:
    clean = clean_text(text)
    assert len(clean.splitlines()) <= 1
    assert clean == clean.strip()
    assert "  " not in clean
    clean.encode("utf-8")
    assert not {unicodedata.category(one) for one in clean} & {"Cc", "Cs", "Co", "Zl", "Zp"}
    assert {unicodedata.bidirectional(one) for one in clean}.isdisjoint(
        {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    )
    assert clean_text(clean) == clean
