"""What a budget of tokens tells of a page: `python -m benchmarks.reading CORPUS`.

CORPUS is a folder of HTML pages, fetched for this purpose and never committed: the test pages of Readability
(``git clone https://github.com/mozilla/readability``, folder ``test/test-pages``; each has the expected text
of its main content in ``expected.html``), and below the same folder any pages of Debian's -doc packages.

For our ``ai`` and Playwright's ``aria_snapshot(mode="ai")``, cut where the budget ends: tokens of the whole
page (o200k); and at each budget the share of headings, of form controls, of what can be operated in the
viewport (by name), of the main content's sentences, and of all words, in the mean over the pages that are
longer than the budget. Each has a browser of its own; what counts as a heading or a control, with its name,
is what Chromium's accessibility tree says.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import lxml.html
from playwright.sync_api import sync_playwright

import hybridsnap.sync
from hybridsnap.capture.roles import INTERACTIVE_ROLES
from hybridsnap.render.clean import clean_text
from hybridsnap.render.select import is_interactive
from hybridsnap.render.tokens import tokenizer_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Browser as PlaywrightBrowser

    from hybridsnap.snapshot import Snapshot
    from hybridsnap.sync import Browser

BUDGETS = (1_000, 2_000, 4_000, 8_000)
PAGES = 60
_SECONDS = 30.0
#: No page may reach a network.
_OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND",)
_FORM_ROLES = INTERACTIVE_ROLES - {"link", "option", "treeitem", "menuitem"}
_WORD = re.compile(r"\w+")
_IDS = re.compile(r"\[(?:ref=\w+|\d+-\d+)\]|[^\w\s]")
_SENTENCE = re.compile(r"[^.!?。！？]+[.!?。！？]")
#: A shorter sentence is found anywhere.
_SENTENCE_CHARACTERS = 30
_COLUMNS = ("headings", "controls", "in view", "sentences", "words")


class Shares(NamedTuple):
    """Shares of a page that a text tells, 0 to 1; None where the page has none."""

    headings: float | None
    controls: float | None
    in_view: float | None
    sentences: float | None
    words: float | None


class Gold(NamedTuple):
    """What a page holds: names as words in a row, and the words of the page."""

    headings: list[str]
    controls: list[str]
    in_view: list[str]
    sentences: list[str]
    words: Counter[str]


def plain(text: str) -> str:
    """Words in a row, without ids, punctuation and case, so that texts of different forms can be compared."""
    return " ".join(_WORD.findall(_IDS.sub(" ", text.casefold())))


def gold_of(snapshot: Snapshot, expected: Path) -> Gold:
    """What a page holds, by its accessibility tree and its expected main content."""
    assert snapshot.layout is not None
    boxes = snapshot.layout.boxes
    rows = [row for row in snapshot.rows if row.id is not None and plain(clean_text(row.name))]
    seen = {id_ for id_, box in boxes.items() if box.visible_share > 0}
    sentences: list[str] = []
    if expected.is_file():
        content = lxml.html.fromstring(expected.read_text("utf-8", "replace")).text_content()
        found = (plain(sentence) for sentence in _SENTENCE.findall(content))
        sentences = [sentence for sentence in found if len(sentence) >= _SENTENCE_CHARACTERS]
    return Gold(
        [plain(row.name) for row in rows if row.role == "heading"],
        [plain(row.name) for row in rows if row.role in _FORM_ROLES],
        [plain(row.name) for row in rows if is_interactive(row) and row.id in seen],
        sentences,
        Counter(word for row in rows for word in _WORD.findall(row.name.casefold())),
    )


def shares_of(text: str, gold: Gold) -> Shares:
    """What a text tells of a page."""
    said = f" {plain(text)} "

    def share(wanted: list[str]) -> float | None:
        return sum(f" {one} " in said for one in wanted) / len(wanted) if wanted else None

    words = Counter(_WORD.findall(text.casefold()))
    total = gold.words.total()
    return Shares(
        share(gold.headings),
        share(gold.controls),
        share(gold.in_view),
        share(gold.sentences),
        (gold.words & words).total() / total if total else None,
    )


def cut(text: str, budget: int) -> str:
    """The beginning of a text that a budget holds."""
    count = tokenizer_of("o200k")
    low, high = 0, len(text)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if count(text[:middle]) <= budget else (low, middle)
    return text[:low]


def read_page(
    path: Path, ours: Browser, theirs: PlaywrightBrowser, table: dict[tuple[str, int], list[Shares]]
) -> tuple[int, int]:
    """Look at a page in both ways; tokens of the whole page in each."""
    count = tokenizer_of("o200k")
    url = path.resolve().as_uri()
    page = ours.new_page(url, wait="domcontentloaded", timeout=_SECONDS)
    try:
        snapshot = page.snapshot(layout=True, timeout=_SECONDS)
    finally:
        page.close()
    other = theirs.new_page()
    try:
        other.goto(url, wait_until="domcontentloaded", timeout=_SECONDS * 1000)
        text = other.locator("body").aria_snapshot(mode="ai", timeout=_SECONDS * 1000)
    finally:
        other.close()
    gold = gold_of(snapshot, path.parent / "expected.html")
    sizes = count(snapshot.render("ai")), count(text)
    for budget in BUDGETS:
        if min(sizes) > budget:
            rendering = snapshot.render("ai", max_tokens=budget, tokenizer="o200k")
            assert count(rendering) <= budget
            table.setdefault(("ours", budget), []).append(shares_of(rendering, gold))
            table.setdefault(("Playwright", budget), []).append(shares_of(cut(text, budget), gold))
    return sizes


def print_table(table: dict[tuple[str, int], list[Shares]], sizes: list[tuple[int, int]]) -> None:
    """The means, as Markdown."""
    print(f"{len(sizes)} pages; median tokens of the whole page:", end=" ")
    print(f"ours {statistics.median(one for one, _ in sizes):,.0f}", end=", ")
    print(f"Playwright {statistics.median(one for _, one in sizes):,.0f}\n")
    print(f"| budget | pages | | {' | '.join(_COLUMNS)} |\n|---:|---:|---|{'---:|' * len(_COLUMNS)}")
    for (name, budget), rows in sorted(table.items(), key=lambda entry: (entry[0][1], entry[0][0] != "ours")):
        columns = [[value for value in column if value is not None] for column in zip(*rows, strict=True)]
        means = [f"{statistics.mean(column):.0%}" if column else "" for column in columns]
        print(f"| {budget:,} | {len(rows)} | {name} | {' | '.join(means)} |")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reading",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("corpus", type=Path, help="a folder of HTML pages")
    parser.add_argument("--pages", type=int, default=PAGES, help=f"at most (default {PAGES})")
    parser.add_argument("--browser", default="/usr/bin/chromium", help="the Chromium that Playwright starts")
    options = parser.parse_args(arguments)
    paths = sorted(path for path in options.corpus.rglob("*.html") if not path.name.startswith("expected"))
    if not paths:
        print(f"no *.html below {options.corpus}", file=sys.stderr)
        return 1
    step = max(1, len(paths) // options.pages)
    table: dict[tuple[str, int], list[Shares]] = {}
    sizes: list[tuple[int, int]] = []
    with hybridsnap.sync.launch(args=_OFFLINE) as ours, sync_playwright() as playwright:
        theirs = playwright.chromium.launch(executable_path=options.browser, args=[*_OFFLINE, "--no-sandbox"])
        for path in paths[::step][: options.pages]:
            try:
                sizes.append(read_page(path, ours, theirs, table))
            except Exception as error:  # noqa: BLE001 (one page that fails is told, and the others are measured)
                print(f"{path}: {error!r:.200}", file=sys.stderr)
        theirs.close()
    print_table(table, sizes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
