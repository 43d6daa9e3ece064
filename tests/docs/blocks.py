"""The code in the documentation, as it stands there.

- ``html``: the page at `ADDRESS`, for what comes after it; where a page of the documentation has none, the
  bundled shop is meant. The first outline (``text``) after it is what it reads like, and its ids are those
  that the code after it names.
- ``python``: run. A script of its own imports our package, or asks our server; all else is a fragment, may
  await outside of any function, and has `browser`, `page`, `snapshot` and what fragments before it have made.
- ``text`` right after ``python``: what that prints. A line that is only … stands for any lines.
- ``python`` that is only an include (``--8<--``) is tested where it is included from.
- ``console``: commands, each one that our command line takes; ``json``: JSON.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
ADDRESS = "https://shop.example/"
ENDPOINT = "127.0.0.1:9222"
SERVER = "127.0.0.1:8765"
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE
)
_IMPORT = re.compile(r"^(?:import|from) hybridsnap\b", re.MULTILINE)
_ID = re.compile(r"\b(\d+)-(\d+)\b(?!-)")


@dataclasses.dataclass(frozen=True, slots=True)
class Block:
    """One block of code.

    Attributes:
        page: of the documentation, from `DOCS`.
        line: where it begins.
        prints: what stands right after it as its output; None where nothing does.
    """

    page: str
    line: int
    language: str
    code: str
    prints: str | None = None

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def is_fragment(self) -> bool:
        """Whether it does not stand by itself."""
        if SERVER in self.code:
            return False
        try:
            compile(self.code, self.where, "exec")
        except SyntaxError:  # it awaits something
            return True
        return _IMPORT.search(self.code) is None


def pages() -> list[Path]:
    return sorted(DOCS.rglob("*.md"))


def blocks_of(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    found = list(_FENCE.finditer(text))
    blocks = []
    for match, following in zip(found, [*found, None][1:], strict=True):
        prints = None
        if following is not None and following["language"] == "text":
            prints = None if text[match.end() : following.start()].strip() else following["code"]
        indent = match["indent"]
        code = re.sub(f"^{indent}", "", match["code"], flags=re.MULTILINE)
        language = "" if code.startswith("--8<--") else match["language"]
        line = text.count("\n", 0, match.start()) + 1
        blocks.append(Block(str(path.relative_to(DOCS)), line, language, code, prints))
    return blocks


def all_blocks(language: str) -> list[Block]:
    return [block for path in pages() for block in blocks_of(path) if block.language == language]


def without_ids(text: str) -> str:
    """Ids are the browser's, and may differ with its version; all else may not."""
    return _ID.sub(r"\1-N", text)


def ids_of(shown: str, outline: str) -> dict[str, str]:
    """From the ids that the documentation prints to those that the browser has given."""
    assert without_ids(shown).strip() == without_ids(outline).strip()
    ids = zip(_ID.finditer(shown), _ID.finditer(outline), strict=True)
    return {one[0]: other[0] for one, other in ids}


def replace_ids(text: str, ids: dict[str, str]) -> str:
    return _ID.sub(lambda match: ids.get(match[0], match[0]), text)


def check_output(block: Block, printed: str) -> None:
    """Hold what a block has printed against what the documentation says."""
    if block.prints is None:
        return
    rest = without_ids(printed).strip() + "\n"
    parts = re.split(r"^ *…\n", without_ids(block.prints).strip() + "\n", flags=re.MULTILINE)
    for number, part in enumerate(parts):
        at = rest.find(part)
        assert at >= 0, f"{block.where} prints\n{printed}\nand not\n{block.prints}"
        assert number or not at, f"{block.where} prints more before that:\n{printed}"
        rest = rest[at + len(part) :]
    assert not rest or parts[-1] == "", f"{block.where} prints more:\n{printed}"
