"""Cleaning a page's text so that it cannot forge lines, states or bytes.

Whatever a page calls its things, an outline line stays one line, says nothing but what hybridsnap says
before the colon, and is valid UTF-8.
"""

from __future__ import annotations

import re

#: Become a space: controls, the separators that some reader takes for a line end, no-break spaces.
_SPACE = [
    *range(0x20),
    *range(0x7F, 0xA1),
    0x1680,
    *range(0x2000, 0x200B),
    0x2028,
    0x2029,
    0x202F,
    0x205F,
    0x3000,
]
#: Go: private use, bidi controls, invisible joiners and marks, tag characters. ZWNJ (U+200C) and ZWJ (U+200D)
#: stay: Persian and emoji need them.
_GONE = [
    (0x00AD, 0x00AD),
    (0x061C, 0x061C),
    (0x180E, 0x180E),
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0xE000, 0xF8FF),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),
    (0xF0000, 0xFFFFD),
    (0x100000, 0x10FFFD),
]


def _character_class(ranges: list[tuple[int, int]]) -> str:
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)


_GONE_PATTERN = re.compile(f"[{_character_class(_GONE)}]+")
_SPACE_PATTERN = re.compile("[" + "".join(re.escape(chr(code)) for code in [0x20, *_SPACE]) + "]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """`text` on one line, without characters that hide, reorder or break it; no space around it."""
    if text.isascii() and text.isprintable():
        # Most names, and most of the time of printing a large page.
        return " ".join(text.split()) if "  " in text or " " in (text[:1], text[-1:]) else text
    text = _SURROGATE.sub("\ufffd", text)
    text = _GONE_PATTERN.sub("", text)
    return _SPACE_PATTERN.sub(" ", text).strip(" ")
