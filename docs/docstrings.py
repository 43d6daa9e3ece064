"""How docstrings become Markdown: a part of the build of these pages (`mkdocs.yml` names it)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import griffe

if TYPE_CHECKING:
    from collections.abc import Iterable

#: What ends in two colons and is followed by an indented block: code, as reStructuredText has it.
_BLOCK = re.compile(r"^(?P<words>.*?)::[ \t]*\n\n(?P<code>(?:(?:[ \t]+.*)?\n)*[ \t]+.*)$", re.MULTILINE)

_PYTHON = re.compile(r"\bawait \w+[.(]|^\s*(?:from|import) \w+|\w = \w|snapshot\(", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Makes fenced blocks of indented ones, before they are read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for everything that may have a docstring."""
        if obj.docstring is not None:
            obj.docstring.value = to_markdown(obj.docstring.value)


def to_markdown(docstring: str) -> str:
    """A docstring with its code blocks fenced."""
    return _BLOCK.sub(_fenced, docstring)


def _fenced(match: re.Match[str]) -> str:
    words, code = match["words"], match["code"]
    lines = code.splitlines()
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    indent = " " * (len(words) - len(words.lstrip()) if words.strip() else max(0, margin - 4))
    said = f"{words.rstrip()}:" if words.strip() else ""
    fence = [f"{indent}```{_language(lines)}", *(indent + line[margin:] for line in lines), f"{indent}```"]
    return "\n".join([*([said, ""] if said else []), *fence])


def _language(lines: Iterable[str]) -> str:
    code = "\n".join(lines)
    return "python" if _PYTHON.search(code) else "text"
