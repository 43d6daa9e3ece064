"""Text of a page on one line: cleaned, so that it cannot forge lines, states or bytes, and clipped.

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
_PRIVATE_USE = [(0xE000, 0xF8FF), (0xF0000, 0xFFFFD), (0x100000, 0x10FFFD)]
#: Go, with private use: bidi controls, and what fonts show as nothing (Unicode:
#: Default_Ignorable_Code_Point): invisible joiners and fillers, tag characters, variation selectors; a page
#: could write whole sentences with them that only a model reads. Those in `_MODIFIERS` stay, one after each
#: character.
_GONE = [
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0D),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
]
#: Change how the character before them looks, or join it to the next: ZWNJ and ZWJ (Persian and emoji need
#: them), VS15 and VS16 (text or emoji).
_MODIFIERS = re.compile("[\u200c\u200d\ufe0e\ufe0f]+")
_JOINERS = frozenset("\u200c\u200d")
_KEYCAPS = frozenset("0123456789#*")


def _character_class(ranges: list[tuple[int, int]]) -> str:
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)


_GONE_PATTERN = re.compile(f"[{_character_class([*_GONE, *_PRIVATE_USE])}]+")
#: Some of these are printable to `str.isprintable`: marks and letters without a look of their own.
_UNSEEN = re.compile(f"[{_character_class(_GONE)}\u200c\u200d\ufe0e\ufe0f]")
_SPACE_PATTERN = re.compile("[" + "".join(re.escape(chr(code)) for code in [0x20, *_SPACE]) + "]+")
#: Half of a pair: neither UTF-8 nor a message to the browser can hold one.
SURROGATE = re.compile("[\ud800-\udfff]")


def _one_of_each(run: re.Match[str]) -> str:
    """What stays of a run of modifiers: a variation selector, then a joiner, where a character takes them."""
    before = run.string[run.start() - 1 : run.start()]
    if not before or _SPACE_PATTERN.match(before):
        return ""
    first, joiner = run[0][0], next((one for one in run[0] if one in _JOINERS), "")
    # Nothing joins to ASCII, and of its characters those of keycaps (1\ufe0f\u20e3) have a variant.
    if before.isascii():
        return first if first not in _JOINERS and before in _KEYCAPS else ""
    return joiner if first in _JOINERS else first + joiner


def clean_text(text: str) -> str:
    """`text` on one line, without characters that hide, reorder or break it; no space around it."""
    if text.isprintable() and (text.isascii() or not _UNSEEN.search(text)):
        # Most names, and most of the time of printing a large page. The only white space in it is U+0020.
        return " ".join(text.split()) if "  " in text or text[:1] == " " or text[-1:] == " " else text
    text = SURROGATE.sub("\ufffd", text)
    text = _GONE_PATTERN.sub("", text)
    text = _MODIFIERS.sub(_one_of_each, text)
    return _SPACE_PATTERN.sub(" ", text).strip(" ")


def is_unseen(text: str) -> bool:
    """Whether fonts show nothing of `text`: it is white space and invisible characters."""
    return not _UNSEEN.sub("", text).strip()


def clip_text(text: str, most: int) -> str:
    """The text, or its beginning and ``…`` where it has more than so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def excerpt(text: str, most: int) -> str:
    """`clean_text`, clipped: what a page calls something, for a line of ours."""
    return clip_text(clean_text(text), most)


def cut_text(text: str, kept: int) -> str:
    """The text, or so many characters of its beginning and ``…``."""
    return text if len(text) <= kept else text[:kept] + "…"


def cut_alike(before: str, after: str, most: int) -> tuple[str, str]:
    """Two texts cut so that it is seen where they differ: of what they begin with alike the last words stay.

    Args:
        before: one of them.
        after: the other.
        most: so many characters of each are shown; texts of no more stay whole.
    """
    if max(len(before), len(after)) > most:
        both = enumerate(zip(before, after, strict=False))
        alike = next((at for at, (old, new) in both if old != new), min(len(before), len(after)))
        if alike > most // 2:
            start = alike - most // 4
            blank = before.find(" ", start, alike)
            start = start if blank < 0 else blank + 1
            before, after = f"…{before[start:]}", f"…{after[start:]}"
    return clip_text(before, most), clip_text(after, most)


def squeeze(text: str) -> str:
    """`text` with runs of white space as one space, none around."""
    return " ".join(text.split())
