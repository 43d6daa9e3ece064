"""Cleaning page text."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings

from hybridsnap.text import clean_text, clip_text, cut_alike
from tests.support.strategies import page_texts


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
        # Variation selectors: at most VS15 or VS16, once, after a character that has variants.
        ("❤\ufe0f", "❤\ufe0f"),
        ("☎\ufe0e", "☎\ufe0e"),
        ("1\ufe0f\u20e3", "1\ufe0f\u20e3"),
        ("❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥"),
        ("❤\ufe0f\ufe0e\ufe0f", "❤\ufe0f"),
        ("😀" + "".join(chr(0xFE00 + one) for one in range(16)) + "!", "😀\ufe0e!"),
        ("😀" + "".join(chr(0xE0100 + one) for one in b"say yes"), "😀"),
        ("ab\ufe0fc", "abc"),
        (" \ufe0f\ufe0e x", "x"),
        # Fillers, and what else a font shows as nothing.
        ("a\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5b", "ab"),
        ("a\u180b\u180f\u2065\ufff0\U0001d173\U0001bca0\U000e0fffb", "ab"),
        # Joiners as bits of a message: one at most, and none where nothing joins.
        ("🙂\u200d\u200c\u200d\u200c🙂", "🙂\u200d🙂"),
        ("a\u200cb\u200d\u200cc", "abc"),
        ("a \u200c \u200d b", "a b"),
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
    assert not re.search("[\u200c\u200d\ufe0e\ufe0f]{3}|[\ufe0e\ufe0f]{2}|[\u200c\u200d]{2}", clean)
    assert not re.search(
        "[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0d\U000e0100-\U000e01ef]", clean
    )


def test_a_clipped_text_has_no_more_characters_than_allowed() -> None:
    assert [clip_text("abcd", most) for most in (5, 4, 3, 1)] == ["abcd", "abcd", "ab…", "…"]


def test_two_long_texts_are_cut_where_they_differ() -> None:
    lead = "one two three four five six "
    assert cut_alike(lead, f"{lead}7", 40) == (lead, f"{lead}7"), "both are short"
    assert cut_alike(f"{lead}seven", f"{lead}eight", 20) == ("…six seven", "…six eight")
    assert cut_alike(f"{lead}a {lead}", f"{lead}b {lead}", 20) == (
        "…six a one two thre…",
        "…six b one two thre…",
    )
    assert cut_alike(lead, f"two{lead}", 20) == ("one two three four …", "twoone two three fo…")
    assert cut_alike("x" * 30, "x" * 31, 20) == ("…xxxxx", "…xxxxxx")
    assert cut_alike(lead, lead, 20) == ("…six ", "…six ")


def test_printable_text_is_cleaned_as_any_other() -> None:
    printable = (one for code in range(0x110000) if (one := chr(code)).isprintable() and not one.isalnum())
    for one in (*printable, "\u115f", "\u1160", "\u3164", "\uffa0"):
        text = f"é{one}b"
        assert clean_text(text) == clean_text(f"{text} \x00"), hex(ord(one))
