"""The documentation as a site: built strictly, without anything from elsewhere, current."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from lxml import html

from hybridsnap import errors
from hybridsnap.cli.parser import build_parser
from tests.docs.blocks import DOCS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ROOT = DOCS.parent
#: What a browser would fetch by itself.
_FETCHED = "//script/@src | //img/@src | //iframe/@src | //link[not(@rel='canonical')]/@href"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built anew; strictly: a broken link, name or anchor fails it."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        check=False,
        capture_output=True,
        text=True,
        cwd=_ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there(site: Path) -> None:
    pages = [*DOCS.rglob("*.md"), DOCS / "cli.md"]
    assert [page for page in pages if not (site / page.relative_to(DOCS)).with_suffix(".html").exists()] == []


def test_nothing_comes_from_elsewhere(site: Path) -> None:
    fetched = {str(one) for page in site.rglob("*.html") for one in html.parse(str(page)).xpath(_FETCHED)}
    assert fetched
    assert [one for one in fetched if re.match(r"(?:https?:)?//", one)] == []
    styles = "".join(one.read_text(encoding="utf-8") for one in site.rglob("*.css"))
    assert re.findall(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^)]*", styles) == []


def test_errors_are_listed_as_they_are() -> None:
    tree = "\n".join(line.strip() for line in (errors.__doc__ or "").splitlines() if "── " in line)
    page = (DOCS / "concepts.md").read_text(encoding="utf-8")
    listed = "\n".join(line.strip() for line in page.splitlines() if "── " in line)
    assert listed == tree.replace("``", "")


def test_command_line_is_the_parsers(site: Path) -> None:
    page = html.parse(str(site / "cli.html"))
    text = page.getroot().text_content()
    commands = dict(parsers("hybridsnap", build_parser("")))
    headings = {"".join(one.itertext()).rstrip("¶") for one in page.iter("h2")}
    assert headings == commands.keys() - {"hybridsnap"}
    for parser in commands.values():
        for action in parser._actions:
            shown = (
                action.option_strings
                and action.help != argparse.SUPPRESS
                and "--help" not in action.option_strings
            )
            assert not shown or action.option_strings[-1] in text


def parsers(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner, command in action.choices.items():
                yield from parsers(f"{name} {inner}", command)


def test_reference_has_every_public_name(site: Path) -> None:
    import hybridsnap  # noqa: PLC0415 - its names are what is meant

    ids = {str(one) for page in (site / "api").glob("*.html") for one in html.parse(str(page)).xpath("//@id")}
    names = {f"hybridsnap.{name}" for name in hybridsnap.__all__ if not name.startswith("__")}
    assert sorted(one for one in names if not found(one, ids)) == []


def found(name: str, ids: set[str]) -> bool:
    """Whether a public name is described, under it or under the module it is made in."""
    last = name.rpartition(".")[2]
    return name in ids or any(one.startswith("hybridsnap.") and one.endswith(f".{last}") for one in ids)
