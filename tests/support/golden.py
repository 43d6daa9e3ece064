"""The golden pages: `tests/golden/NAME.html`, with the outlines they must give beside them."""

from __future__ import annotations

from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden"


PAGES = sorted(path.relative_to(GOLDEN).as_posix() for path in GOLDEN.glob("*.*html"))


def served() -> dict[str, str]:
    files = [*GOLDEN.glob("*.*html"), *GOLDEN.glob("parts/*")]
    return {f"/{path.relative_to(GOLDEN).as_posix()}": path.read_text(encoding="utf-8") for path in files}
