"""Real pages: every XPath leads back, every control is there, nearly every word is said.

The gate takes a few pages of the seeded sample; `-m soak` takes all 60, through the command line.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
import trio

from hybridsnap import Snapshot
from tests.support.corpus import HOW_TO_INSTALL, OWN_PAGES, SAMPLE, installed_pages, sample
from tests.support.oracle import assert_outline_says_rows, missed_controls, text_recall
from tests.support.pages import serve_pages
from tests.support.walker import strayed

if TYPE_CHECKING:
    from hybridsnap import Browser, Page

#: Of the words of rendered text, at least so many must be in the outline.
RECALL = 0.995


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured on one page. `strays` and `missed` say what is wrong, word for word."""

    url: str
    ids: int
    strays: list[str]
    controls: int
    missed: list[str]
    words: int
    recall: float
    unsaid: list[str]

    @property
    def is_right(self) -> bool:
        return not self.strays and not self.missed and self.recall >= RECALL

    def __str__(self) -> str:
        wrong = f" ({len(self.missed)} wrong)" if self.missed else ""
        return (
            f"{self.ids - len(self.strays):6}/{self.ids:<6} paths  {self.controls:5} controls{wrong}"
            f"  {self.recall:8.3%} of {self.words:6} words  {self.url}"
        )


async def measure(page: Page, snapshot: Snapshot) -> Figures:
    assert snapshot.report.complete, snapshot.report
    assert snapshot.report.consistent, snapshot.report.notes
    assert_outline_says_rows(snapshot)
    controls, missed = await missed_controls(page, snapshot)
    recall = await text_recall(page, snapshot)
    return Figures(
        url=page.url,
        ids=len(snapshot.to_dict()["combinedXpathMap"]),
        strays=await strayed(page, snapshot),
        controls=controls,
        missed=missed,
        words=recall.words,
        recall=recall.share,
        unsaid=[word for word, _ in recall.missing.most_common(10)],
    )


def assert_right(figures: list[Figures]) -> None:
    for one in figures:
        print(one)  # noqa: T201 - the figures to show
    assert [one for one in figures if not one.is_right] == []


async def snapshot_by_command_line(endpoint: str, page: Page) -> Snapshot:
    """`hybridsnap snapshot` of a page that is open: the ids are those of the browser under our own eyes."""
    command = [
        sys.executable,
        "-m",
        "hybridsnap",
        "snapshot",
        "--cdp",
        endpoint,
        "--target-id",
        page.target_id,
    ]
    done = await trio.run_process([*command, "--format", "json"], capture_stdout=True)
    assert json.loads(done.stdout)["version"] == 1
    return Snapshot.from_json(done.stdout)


async def test_own_pages(page: Page) -> None:
    figures = []
    async with serve_pages(OWN_PAGES) as pages:
        for path in OWN_PAGES:
            await page.goto(pages.url(path))
            figures.append(await measure(page, await page.snapshot(timeout=20)))
    assert_right(figures)


async def test_a_few_pages_of_the_corpus(browser: Browser) -> None:
    await check_sample(browser, 4, None)


@pytest.mark.soak
async def test_the_corpus(browser: Browser, browser_endpoint: str) -> None:
    await check_sample(browser, SAMPLE, browser_endpoint)


async def check_sample(browser: Browser, count: int, endpoint: str | None) -> None:
    """Through the command line when an endpoint is given, through the library otherwise."""
    chosen = sample(count)
    if not chosen:
        pytest.skip(f"none of the documentation packages is installed: {HOW_TO_INSTALL}")
    packages = installed_pages()
    print(f"\n{len(chosen)} pages of {', '.join(packages)}:")  # noqa: T201 - the list to show
    if count == SAMPLE:
        assert len(packages) >= 5, f"too few packages for the whole corpus: {HOW_TO_INSTALL}"
    figures = []
    page = await browser.new_page()
    for path in chosen:
        await page.goto(path.as_uri())
        snapshot = await (
            page.snapshot(timeout=30) if endpoint is None else snapshot_by_command_line(endpoint, page)
        )
        figures.append(await measure(page, snapshot))
    assert_right(figures)
