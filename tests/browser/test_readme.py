"""What the README shows is what happens."""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.cli import main
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    import pytest

    from hybridsnap import Page
    from hybridsnap.render.formats import FormatName

_ROOT = Path(__file__).parents[2]
README = (_ROOT / "README.md").read_text(encoding="utf-8")
FORMATS = (_ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
#: A README that is longer is not read to its end.
_MOST_LINES = 200


def block(language: str) -> str:
    match = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert match is not None
    return match[1]


def test_the_readme_is_short() -> None:
    assert README.count("\n") <= _MOST_LINES


def test_links_lead_to_files() -> None:
    for target in re.findall(r"\]\(((?!https?:)[^)#]+)", README):
        assert (_ROOT / target).is_file(), target


async def test_sample_outline(page: Page) -> None:
    async with serve_pages({"/": block("html")}) as server:
        await page.goto(server.url("/"))
        snapshot = await page.snapshot()
    # Ids are the browser's, and may differ with its version; all else may not.
    assert without_ids(snapshot.combined_tree) == without_ids(block("text").strip())
    (selector,) = re.findall(r"`(role=[^`]+)`", README)
    assert (await page.focus(selector)).target == 'button "Sign in"'
    forgotten, details = (row.id for row in snapshot.rows if row.role == "link" and row.id is not None)
    assert f"is `{snapshot.combined_xpath_map[details]}`" in README
    assert snapshot.combined_url_map[forgotten] == server.url("/forgotten")


def without_ids(outline: str) -> str:
    return re.sub(r"\[(\d+)-\d+\]", r"[\1]", outline)


GALLERY: dict[FormatName, dict[str, Any]] = {
    "tree": {},
    "role": {"compact": True},
    "ai": {"urls": True},
    "aria": {"max_depth": 2},
    "webarena": {},
    "controls": {"lang": "en", "time": "2026-11-21 12:00:00"},
    "html": {},
    "xml": {},
}


async def test_gallery(page: Page) -> None:
    section = FORMATS.partition("## The same page in each")[2]
    page_source = re.search(r"```html\n(.*?)```", section, re.DOTALL)
    assert page_source is not None
    async with serve_pages({"/": page_source[1]}) as server:
        await page.goto(server.url("/"))
        snapshot = await page.snapshot()
    shown = re.findall(r"^`(\w+)`: [^\n]*\n\n```\w+\n(.*?)```", section, re.DOTALL | re.MULTILINE)
    assert [format_ for format_, _ in shown] == list(GALLERY)
    for format_, text in shown:
        options = GALLERY[format_]
        rendering = snapshot.render(format_, **options)
        expected = str(rendering).replace(server.url(""), "https://tea.example").rstrip()
        assert without_any_id(text.rstrip()) == without_any_id(expected), format_
    listed = re.search(r"`json`: [^:]*: ([^;]*);", section)
    assert listed is not None
    assert set(re.findall(r"`(\w+)`", listed[1])) == snapshot.to_dict().keys() - {"version"}


def without_any_id(text: str) -> str:
    return re.sub(r"\b(\d+)-\d+\b(?!-)", r"\1", text)


async def test_library_example(tmp_path: Path) -> None:
    async with serve_pages({"/": '<a href="/there">A link</a>'}) as server:
        script = tmp_path / "example.py"
        script.write_text(block("python").replace("https://example.com", server.url("/")), encoding="utf-8")
        done = await trio.run_process([sys.executable, str(script)], capture_stdout=True)
    output = done.stdout.decode()
    assert "link: A link" in output
    assert f"A link {server.url('/there')} /html[1]/body[1]/a[1]" in output


async def test_receipt(page: Page) -> None:
    section = README.partition("## Act")[2]
    call = re.search(r'page\.click\("(\d+-\d+)"\)', section)
    shown = re.search(r"```text\n(.*?)```", section, re.DOTALL)
    assert call is not None
    assert shown is not None
    assert f"[{call[1]}] button: Sign in" in block("text")
    async with serve_pages({"/": block("html")}) as server:
        await page.goto(server.url("/"))
        button = (await page.snapshot()).find("button", "Sign in")[0].id
        assert button is not None
        receipt = str(await page.click(button)).replace(server.url(""), "https://example.com")
    assert without_any_id(receipt) == without_any_id(shown[1].rstrip())


async def test_sync_example(tmp_path: Path) -> None:
    section = README.partition("## Drive what you have")[2]
    shown = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert shown is not None
    async with serve_pages({"/": '<a href="/there">A link</a>'}) as server:
        script = tmp_path / "example.py"
        script.write_text(shown[1].replace("https://example.com", server.url("/")), encoding="utf-8")
        done = await trio.run_process([sys.executable, str(script)], capture_stdout=True)
    assert "link: A link" in done.stdout.decode()


def test_commands_shown_exist(capsys: pytest.CaptureFixture[str]) -> None:
    for command in set(re.findall(r"^\$ hybridsnap (\w+)", README, re.MULTILINE)):
        with contextlib.suppress(SystemExit):
            main([command, "--help"])
        assert f"hybridsnap {command}" in capsys.readouterr().out
