"""The results of `benchmarks.reading` as Markdown."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from benchmarks.reading_audit import RULES
from benchmarks.reading_gold import Shares

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.reading import PageReading

_COLUMNS = ("headings", "controls", "in view", "sentences", "words")
#: A difference below this is not a loss.
_LEAST_LOSS = 0.02
#: So many pages or folds are named in a row.
_NAMED = 6


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.mean(known) if known else None


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def print_sizes(readings: Sequence[PageReading], readers: Sequence[str], budget: int) -> None:
    """How long the whole texts are, and what it takes to read everything."""
    walks = [reading for reading in readings if reading.walk is not None]
    print(f"{len(readings)} pages, {len(walks)} of them longer than {budget:,} tokens in ours.\n")
    print(
        "| | pages read | tokens of the whole page, median"
        f" | pages over {budget:,}: calls to read all | tokens to read all |"
    )
    print("|---|---:|---:|---:|---:|")
    for reader in readers:
        sizes = [reading.sizes[reader] for reading in readings if reader in reading.sizes]
        long = [reading.sizes[reader] for reading in walks if reader in reading.sizes]
        calls = 1.0
        tokens = statistics.mean(long) if long else 0
        if reader == readers[0] and walks:
            calls = statistics.mean(reading.walk.calls for reading in walks if reading.walk)
            tokens = statistics.mean(reading.walk.tokens for reading in walks if reading.walk)
        print(f"| {reader} | {len(sizes)} | {statistics.median(sizes):,.0f} | {calls:.0f} | {tokens:,.0f} |")
    print()


def print_table(readings: Sequence[PageReading], readers: Sequence[str], budgets: Sequence[int]) -> None:
    """The means at each budget."""
    print(f"| budget | pages | | {' | '.join(_COLUMNS)} |\n|---:|---:|---|{'---:|' * len(_COLUMNS)}")
    for budget in budgets:
        for reader in readers:
            rows = [
                reading.shares[reader, budget] for reading in readings if (reader, budget) in reading.shares
            ]
            if rows:
                means = [_percent(_mean(column)) for column in zip(*rows, strict=True)]
                print(f"| {budget:,} | {len(rows)} | {reader} | {' | '.join(means)} |")
    print()


def print_losses(readings: Sequence[PageReading], readers: Sequence[str], most: int) -> None:
    """Where a peer tells more than ours, the largest difference first."""
    ours, *peers = readers
    losses = []
    for reading in readings:
        for (reader, budget), shares in reading.shares.items():
            if reader not in peers:
                continue
            own = reading.shares[ours, budget]
            for column, mine, theirs in zip(Shares._fields, own, shares, strict=True):
                if mine is not None and theirs is not None and theirs - mine >= _LEAST_LOSS:
                    losses.append((theirs - mine, reading.name, budget, column, mine, reader, theirs))
    print(f"{len(losses)} cases in which a peer tells more:\n")
    print("| page | budget | column | ours | best | |\n|---|---:|---|---:|---:|---|")
    told: set[tuple[str, int, str]] = set()
    for _, page, budget, column, mine, reader, theirs in sorted(losses, reverse=True):
        if (page, budget, column) not in told and len(told) < most:
            told.add((page, budget, column))
            print(f"| {page} | {budget:,} | {column} | {mine:.0%} | {theirs:.0%} | {reader} |")
    print()


def print_audit(readings: Sequence[PageReading]) -> None:
    """Ours at 4,000 tokens on long pages, and the estimate."""
    audits = [(reading.name, reading.audit) for reading in readings if reading.audit is not None]
    print(
        "| page | h1, h2 | headings (of budget) | controls in view | controls (of budget) | sentences"
        " | prose, of budget | folds | of tokens | too dear | words and ids by folds |"
    )
    print("|---|" + "---:|" * 10)
    for name, one in audits:
        print(
            f"| {name} | {_percent(one.titles)} | {_percent(one.headings)} ({one.heading_tokens:.0%})"
            f" | {_percent(one.controls_in_view)} | {_percent(one.controls)} ({one.control_tokens:.0%})"
            f" | {_percent(one.sentences)} | {one.prose_tokens:.0%} | {one.folds} | {one.fold_tokens:.1%}"
            f" | {len(one.dear_folds)} | {one.walk.words:.1%}, {one.walk.interactive:.1%} |"
        )
    print("\n| rule | pages that keep it | the others |\n|---|---:|---|")
    for words, holds in RULES.items():
        broken = [name for name, one in audits if not holds(one)]
        named = ", ".join(broken[:_NAMED]) + (", …" if len(broken) > _NAMED else "")
        print(f"| {words} | {len(audits) - len(broken)} of {len(audits)} | {named} |")
    print()
    for name, one in audits:
        for words in one.dear_folds[:_NAMED]:
            print(f"- {name}: too dear: {words}")
        if one.walk.missed:
            print(f"- {name}: no fold leads to {', '.join(one.walk.missed)}")
    ratios = [ratio for reading in readings for ratio in reading.ratios.values()]
    if ratios:
        worst = max(
            (ratio, reading.name, budget) for reading in readings for budget, ratio in reading.ratios.items()
        )
        print(
            f"\nBy the built-in estimate, {len(ratios)} renderings: median {statistics.median(ratios):.3f}"
            f" of the budget, worst {worst[0]:.3f} ({worst[1]}, {worst[2]:,}), least {min(ratios):.3f}."
        )
