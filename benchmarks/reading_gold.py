"""What a page holds, and what share of it a text tells."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import lxml.html

from hybridsnap.capture.roles import INTERACTIVE_ROLES
from hybridsnap.render.select import is_interactive
from hybridsnap.render.tokens import tokenizer_of
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from pathlib import Path

    from hybridsnap.model import ElementId, Row
    from hybridsnap.snapshot import Snapshot

FORM_ROLES = INTERACTIVE_ROLES - {"link", "option", "treeitem", "menuitem"}
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]")
#: Letters and digits: a shorter sentence is found anywhere.
_SENTENCE_CHARACTERS = 24
#: The same of a paragraph.
PARAGRAPH_CHARACTERS = 40
#: Elements that end a sentence even where no full stop does.
_BLOCKS = (
    *("p", "li", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "div", "section", "article", "figure"),
    *("figcaption", "blockquote", "pre", "td", "th", "tr", "br"),
)
#: More characters than any text of so many tokens has: what is longer need not be counted to be cut.
_CHARACTERS_PER_TOKEN = 24


class Shares(NamedTuple):
    """Shares of a page that a text tells, 0 to 1; None where the page has none."""

    headings: float | None
    controls: float | None
    in_view: float | None
    sentences: float | None
    words: float | None


class Gold(NamedTuple):
    """What a page holds.

    Attributes:
        headings: names by Chromium's accessibility tree, each as often as it stands there.
        controls: the same of form controls.
        in_view: the same of what can be operated and is seen in the viewport.
        sentences: of the main content, letters and digits only.
        words: of the page as a person sees it (``innerText``).
        content: letters and digits of the main content, and of the page's paragraphs between its first and
            its last: of an index of cards, Readability keeps one paragraph in five. Of the
            whole page where no expected text exists, or none of it occurs in the page because the page was
            stored in another encoding.
    """

    headings: Counter[str]
    controls: Counter[str]
    in_view: Counter[str]
    sentences: list[str]
    words: Counter[str]
    content: str


def plain(text: str) -> str:
    """Words in a row without punctuation and case, each between two spaces of its own."""
    return "".join(f" {word} " for word in _WORD.findall(text.casefold()))


def squeezed(text: str) -> str:
    """Letters and digits: whether inline elements part words does not count."""
    return "".join(_WORD.findall(text.casefold()))


def is_control(row: Row) -> bool:
    """Whether a row is a form control with a name."""
    return row.id is not None and row.role in FORM_ROLES and bool(plain(clean_text(row.name)))


def seen_ids(snapshot: Snapshot) -> set[ElementId]:
    """The elements that are in the viewport, at least in part."""
    assert snapshot.layout is not None
    return {id_ for id_, box in snapshot.layout.boxes.items() if box.visible_share > 0}


def gold_of(snapshot: Snapshot, inner_text: str, expected: Path) -> Gold:
    """What a page holds.

    Args:
        snapshot: of the page, with layout.
        inner_text: of its body.
        expected: the file with its main content; sentences that the page does not show are left out.
    """
    seen = seen_ids(snapshot)
    named = [(row, plain(clean_text(row.name))) for row in snapshot.rows if row.id is not None]
    named = [(row, name) for row, name in named if name]
    shown = squeezed(inner_text)
    content = _text_of(expected) if expected.is_file() else ""
    sentences = [squeezed(sentence) for sentence in _SENTENCE.findall(content)]
    sentences = [one for one in sentences if len(one) >= _SENTENCE_CHARACTERS and one in shown]
    return Gold(
        Counter(name for row, name in named if row.role == "heading"),
        Counter(name for row, name in named if is_control(row)),
        Counter(name for row, name in named if is_interactive(row) and row.id in seen),
        sentences,
        Counter(_WORD.findall(inner_text.casefold())),
        _with_paragraphs_between(squeezed(f"{content} {_alternatives_of(expected)}"), snapshot)
        if sentences
        else shown,
    )


def _with_paragraphs_between(content: str, snapshot: Snapshot) -> str:
    """The main content, and the page's paragraphs between its first and its last one."""
    said = paragraphs_of(snapshot)
    known = [at for at, one in enumerate(said) if len(one) >= PARAGRAPH_CHARACTERS and one in content]
    between = said[known[0] : known[-1] + 1] if known else []
    times = Counter(between)  # what is said again and again is an advertisement's
    return " ".join([content, *(one for one in between if times[one] == 1)])


def paragraphs_of(snapshot: Snapshot, least: int = 0) -> list[str]:
    """The paragraphs of a page, letters and digits only; those of so many at least."""
    paragraphs: list[str] = []
    depth = link = -1  # of the paragraph that is read, and of a link in it
    for row in (row for row in snapshot.rows if row.frame == 0):
        depth = -1 if row.depth <= depth else depth
        link = -1 if row.depth <= link else link
        if depth < 0 and row.role == "paragraph":
            depth = row.depth
            paragraphs.append("")
        elif depth >= 0 and link < 0 and row.role in {"StaticText", "link"}:
            paragraphs[-1] += row.name
            link = row.depth if row.role == "link" else -1  # its name is its text
    return [one for one in map(squeezed, paragraphs) if len(one) >= least]


def _text_of(file: Path) -> str:
    """The text of an HTML file, with a line break at both ends of each block."""
    content = lxml.html.fromstring(file.read_text("utf-8", "replace"))
    for element in content.iter(*_BLOCKS):
        element.tail = f"\n{element.tail or ''}"
        element.text = f"\n{element.text or ''}"
    return str(content.text_content())


def _alternatives_of(file: Path) -> str:
    """What the images of an HTML file show, in words."""
    return " ".join(map(str, lxml.html.fromstring(file.read_text("utf-8", "replace")).xpath("//img/@alt")))


def shares_of(words: str, gold: Gold) -> Shares:
    """What a text tells of a page.

    Args:
        words: the page's own words in it (`benchmarks.peers.words`).
        gold: the page's.
    """
    said, run = plain(words), squeezed(words)
    counted = Counter(_WORD.findall(words.casefold()))

    def share(wanted: Counter[str]) -> float | None:
        found = sum(min(count, said.count(name)) for name, count in wanted.items())
        return found / wanted.total() if wanted else None

    return Shares(
        share(gold.headings),
        share(gold.controls),
        share(gold.in_view),
        sum(map(run.__contains__, gold.sentences)) / len(gold.sentences) if gold.sentences else None,
        (gold.words & counted).total() / gold.words.total() if gold.words else None,
    )


def cut(text: str, budget: int) -> str:
    """The beginning of a text that a budget of o200k tokens holds."""
    count = tokenizer_of("o200k")
    if count(text[: budget * _CHARACTERS_PER_TOKEN]) <= budget:
        return text[: budget * _CHARACTERS_PER_TOKEN]
    low, high = 0, min(len(text), budget * _CHARACTERS_PER_TOKEN)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if count(text[:middle]) <= budget else (low, middle)
    return text[:low]
