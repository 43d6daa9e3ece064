"""What a budget of tokens tells of a page, ours and the others': `python -m benchmarks.reading CORPUS…`.

CORPUS are folders of HTML pages, fetched for this purpose and never committed. The table in the documentation
(docs/reading.md, which has the commands) is made from two:

- the test pages of Readability (``git clone https://github.com/mozilla/readability``, folder
  ``test/test-pages``); each has the text of its main content in ``expected.html``;
- a folder of links to thirty long pages of Debian's packages python3-doc and git-doc::

    mkdir debian
    find /usr/share/doc/python3-doc/html/library/ -name '*.html' -size +80k | sort | awk 'NR%4==2' |
        head -20 | xargs ln -s -t debian
    find /usr/share/doc/git-doc/ -maxdepth 1 -name '*.html' -size +40k | sort | awk 'NR%3==1' |
        head -10 | xargs ln -s -t debian

Every page is shown at 1280 by 720 CSS px, without a network, to each library in a browser of its own, one
library after the other. What a library says of a page is kept in a folder (``--texts``) and read from there
the next time; ours is always rendered anew. Of each text as much is taken as the budget holds, counted by
o200k: ours is rendered for the budget, the others end where the budget does.

Columns, each the mean over the pages on which our whole text is longer than the budget: the share of
headings, of form controls, and of interactive elements in the viewport whose names the text tells (the name
in Chromium's accessibility tree, as words in a row, as often as the page has it); of the main content's
sentences; and of all words of the page (``innerText``). Marks of each format (roles, states, ids, URLs) are
removed before the text is compared (`benchmarks.peers.words`).

The other libraries: pip install 'hybridsnap[browser-use,playwright,tokens]', and of Node packages::

    npm install --prefix FOLDER @browserbasehq/stagehand agent-browser chrome-devtools-mcp
    python -m benchmarks.reading CORPUS… --node-modules FOLDER/node_modules
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hybridsnap.sync
from benchmarks.peers import PEERS, NotInstalled, PeerOptions
from benchmarks.peers.base import HEIGHT, OFFLINE, SECONDS, WIDTH
from benchmarks.peers.words import WORDS_OF
from benchmarks.reading_audit import LEAST_TOKENS, Audit, audit, estimate_ratios
from benchmarks.reading_gold import Shares, cut, gold_of, shares_of
from benchmarks.reading_table import print_audit, print_losses, print_sizes, print_table
from benchmarks.reading_walk import Walk, walk
from hybridsnap.render.tokens import tokenizer_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.sync import Browser

BUDGETS = (1_000, 2_000, 4_000, 8_000)
#: The budget of each call when all of a page is read.
WALK_BUDGET = 4_000
OURS = "hybridsnap"
PAGES = 100
RESULTS = Path(__file__).parent / "results"
#: Smaller files are not measured: they have next to no text.
_LEAST_BYTES = 4_000


class PageReading:
    """What was measured on one page.

    Attributes:
        name: of the page.
        sizes: reader → tokens of its whole text.
        shares: reader, budget → what it tells.
        walk: reading all of it with ours.
        audit: of long pages.
        ratios: budget → real tokens divided by it, when ours is rendered by the estimate.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.sizes: dict[str, int] = {}
        self.shares: dict[tuple[str, int], Shares] = {}
        self.walk: Walk | None = None
        self.audit: Audit | None = None
        self.ratios: dict[int, float] = {}

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "page": self.name,
            "tokens": self.sizes,
            "shares": [
                {"reader": reader, "budget": budget, **shares._asdict()}
                for (reader, budget), shares in self.shares.items()
            ],
            "walk": None if self.walk is None else self.walk._asdict(),
            "audit": None if self.audit is None else self.audit._asdict(),
            "estimate": self.ratios,
        }


def pages_of(folders: Sequence[Path], most: int) -> dict[str, Path]:
    """Name → page: of each folder at most so many, evenly chosen from its list by name."""
    found: dict[str, Path] = {}
    for folder in folders:
        paths = [path for path in sorted(folder.rglob("*.html")) if not path.name.startswith("expected")]
        paths = [path for path in paths if path.stat().st_size >= _LEAST_BYTES]
        chosen = (
            [paths[number * len(paths) // most] for number in range(most)] if len(paths) > most else paths
        )
        for path in chosen:
            name = path.parent.name if path.name in {"source.html", "index.html"} else path.stem
            found[re.sub(r"\W", "-", f"{folder.name}-{name}")] = path
    return found


def collect_texts(
    pages: dict[str, Path], names: Sequence[str], options: PeerOptions, folder: Path
) -> list[str]:
    """Let each peer read the pages that it has not read yet; the names of those that have read any."""
    for name in names:
        missing = [page for page in pages if not _text_file(folder, name, page).exists()]
        if not missing:
            continue
        print(f"{name}: {len(missing)} pages to read", file=sys.stderr)
        try:
            _collect(name, {page: pages[page] for page in missing}, options, folder)
        except NotInstalled as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
        except Exception as error:  # noqa: BLE001 - reported; the other peers still run
            print(f"{name} does not start: {error!r:.300}", file=sys.stderr)
    return [name for name in names if any(_text_file(folder, name, page).exists() for page in pages)]


def _collect(name: str, pages: dict[str, Path], options: PeerOptions, folder: Path) -> None:
    peer = PEERS[name](options)
    try:
        for page, path in pages.items():
            try:
                text = peer.text_of(path.resolve().as_uri())
            except (EOFError, TimeoutError) as error:  # whatever came later would be of another page
                print(f"{name}, {page}: {error!r:.300}", file=sys.stderr)
                peer.close()
                peer = PEERS[name](options)
            except Exception as error:  # noqa: BLE001 - reported; the other pages are still read
                print(f"{name}, {page}: {error!r:.300}", file=sys.stderr)
            else:
                file = _text_file(folder, name, page)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, "utf-8", "replace")
    finally:
        peer.close()


def _text_file(folder: Path, peer: str, page: str) -> Path:
    return folder / peer.replace(" ", "-") / f"{page}.txt"


def read_page(name: str, path: Path, ours: Browser, texts: dict[str, str], *, audited: bool) -> PageReading:
    """Look at a page with ours, and compare all texts with what it holds."""
    count = tokenizer_of("o200k")
    page = ours.new_page(path.resolve().as_uri(), wait="load", timeout=SECONDS)
    try:
        snapshot = page.snapshot(layout=True, timeout=SECONDS)
        inner_text = str(page.evaluate("document.body ? document.body.innerText : ''"))
    finally:
        page.close()
    gold = gold_of(snapshot, inner_text, path.parent / "expected.html")
    reading = PageReading(name)
    whole = count(snapshot.render("ai"))
    reading.sizes = {OURS: whole, **{reader: count(text) for reader, text in texts.items()}}
    for budget in BUDGETS:
        if whole <= budget:
            continue
        rendering = snapshot.render("ai", max_tokens=budget, tokenizer="o200k")
        if count(rendering) > budget:
            raise AssertionError(f"{count(rendering)} tokens for {budget}")
        reading.shares[OURS, budget] = shares_of(WORDS_OF[OURS](rendering), gold)
        for reader, text in texts.items():
            reading.shares[reader, budget] = shares_of(WORDS_OF[reader](cut(text, budget)), gold)
        if budget == WALK_BUDGET:
            reading.walk = walk(snapshot, rendering)
    if audited:
        reading.ratios = estimate_ratios(snapshot, BUDGETS, whole)
        if whole > LEAST_TOKENS:
            reading.audit = audit(snapshot, gold)
    return reading


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reading",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("corpus", type=Path, nargs="+", help="folders of HTML pages")
    parser.add_argument("--pages", type=int, default=PAGES, help=f"of each folder at most (default {PAGES})")
    parser.add_argument("--browser", default="/usr/bin/chromium", help="the Chromium that the peers start")
    parser.add_argument("--node-modules", type=Path, help="the folder node_modules with the peers from npm")
    parser.add_argument("--peers", nargs="*", default=list(PEERS), choices=list(PEERS), metavar="PEER")
    parser.add_argument("--texts", type=Path, default=RESULTS / "reading-texts", help="where texts are kept")
    parser.add_argument("--output", type=Path, default=RESULTS / "reading.json", help="single measurements")
    parser.add_argument("--audit", action="store_true", help="also look closely at ours, on long pages")
    parser.add_argument(
        "--losses", type=int, default=0, metavar="N", help="the N pages on which ours is worst"
    )
    options = parser.parse_args(arguments)
    pages = pages_of(options.corpus, options.pages)
    if not pages:
        print(f"no *.html below {', '.join(map(str, options.corpus))}", file=sys.stderr)
        return 1
    peers = collect_texts(
        pages, options.peers, PeerOptions(options.browser, options.node_modules), options.texts
    )
    readings: list[PageReading] = []
    with hybridsnap.sync.launch(args=OFFLINE, viewport=(WIDTH, HEIGHT)) as ours:
        for name, path in pages.items():
            files = {peer: _text_file(options.texts, peer, name) for peer in peers}
            texts = {peer: file.read_text("utf-8") for peer, file in files.items() if file.exists()}
            try:
                readings.append(read_page(name, path, ours, texts, audited=options.audit))
            except Exception as error:  # noqa: BLE001 - reported; the other pages are still measured
                print(f"{name}: {error!r:.300}", file=sys.stderr)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps([reading.to_dict() for reading in readings], indent=1), "utf-8")
    readers = [OURS, *peers]
    print_sizes(readings, readers, WALK_BUDGET)
    print_table(readings, readers, BUDGETS)
    if options.audit:
        print_audit(readings)
    if options.losses:
        print_losses(readings, readers, options.losses)
    return 0


if __name__ == "__main__":
    sys.exit(main())
