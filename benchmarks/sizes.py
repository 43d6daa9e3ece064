"""How small a page becomes, and what that costs: `python -m benchmarks.sizes [PAGE …]`.

For each page the size of several renderings of one snapshot, and how much each still shows; then all folds of
the smallest are opened, each within the same budget, to see that they lead to everything.

Without arguments: Python's contents.html and genindex-all.html, and the largest other pages of the machine's
-doc packages, five in all.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

import hybridsnap
from benchmarks.pages import python_doc_directory
from benchmarks.reading_gold import seen_ids
from benchmarks.reading_walk import open_all_folds
from hybridsnap.render.coverage import gather_coverage
from hybridsnap.render.select import is_interactive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.render.formats import FormatName
    from hybridsnap.render.rendering import Rendering
    from hybridsnap.snapshot import Snapshot

#: Tokens of the last rendering, and of each expansion.
BUDGET = 4_000
PAGES = 5
_DOCUMENTATION = Path("/usr/share/doc")
#: Seconds for one capture.
_CAPTURE_SECONDS = 120.0
RENDERINGS: list[tuple[FormatName, dict[str, Any]]] = [
    ("tree", {}),
    ("role", {"interactive": True}),
    ("ai", {}),
    ("ai", {"max_tokens": BUDGET}),
]


def largest_pages() -> list[Path]:
    """The two that are always wanted, and the largest others."""
    directory = python_doc_directory()
    wanted = [] if directory is None else [directory / "contents.html", directory / "genindex-all.html"]
    found: dict[str, Path] = {}
    for path in _DOCUMENTATION.rglob("*.html"):
        if path.is_file():
            found.setdefault(str(path.resolve()), path.resolve())
    chosen = [path.resolve() for path in wanted if path.is_file()]
    by_size = sorted(found.values(), key=lambda path: path.stat().st_size, reverse=True)
    return (chosen + [path for path in by_size if path not in chosen])[:PAGES]


def missing_in_view(snapshot: Snapshot, rendering: Rendering) -> tuple[int, list[str]]:
    """How many interactive elements the viewport shows, and which of them the rendering does not."""
    seen = seen_ids(snapshot)
    in_view = [row.id for row in snapshot.rows if row.id in seen and is_interactive(row)]
    return len(in_view), [str(id_) for id_ in in_view if id_ not in rendering.ids]


async def measure_sizes(pages: Sequence[str]) -> bool:
    """Print the table; whether all that was promised holds."""
    sound = True
    async with hybridsnap.launch() as browser:
        for url in pages:
            page = await browser.new_page(url, timeout=_CAPTURE_SECONDS)
            snapshot = await page.snapshot(timeout=_CAPTURE_SECONDS, layout=True)
            await page.close()
            print(f"\n{url}: {len(snapshot.rows):,} rows")
            for format_, options in RENDERINGS:
                started = time.perf_counter()
                rendering = snapshot.render(format_, **options)
                elapsed_ms = (time.perf_counter() - started) * 1000
                some = snapshot.coverage(rendering)
                label = f"{format_} {' '.join(f'{name}={value}' for name, value in options.items())}"
                print(
                    f"  {label:<22} {len(rendering):>10,} characters {rendering.stats.tokens:>9,} tokens"
                    f"   interactive {some.interactive:7.2%} named {some.named:7.2%} words {some.words:7.2%}"
                    f"   {elapsed_ms:6.0f} ms"
                )
            count, missing = missing_in_view(snapshot, rendering)
            started = time.perf_counter()
            parts = open_all_folds(rendering)
            largest = max(part.stats.tokens for part in parts)
            shown = gather_coverage(snapshot.content, list(parts))
            print(
                f"  in the viewport {count} interactive elements, {len(missing)} of them not printed;"
                f" {len(parts) - 1} expansions of up to {largest:,} tokens"
                f" ({time.perf_counter() - started:.1f} s) show {shown.interactive:.2%} of what is"
                f" interactive, {shown.words:.2%} of the words"
            )
            sound = sound and not missing and shown.interactive == shown.words == 1.0 and largest <= BUDGET
    return sound


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; 1 when something that was promised does not hold."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sizes", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("page", nargs="*", help="a URL or a file; default: the largest documentation pages")
    options = parser.parse_args(arguments)
    pages = options.page or [path.as_uri() for path in largest_pages()]
    if not pages:
        print("no documentation is installed: apt-get install python3-doc, or name a page", file=sys.stderr)
        return 1
    urls = [page if "://" in page else Path(page).resolve().as_uri() for page in pages]
    return 0 if trio.run(measure_sizes, urls) else 1


if __name__ == "__main__":
    sys.exit(main())
