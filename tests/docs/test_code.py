"""All code in the documentation does what it says there, in a real browser."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
import trio

import hybridsnap
from hybridsnap.cli.parser import build_parser
from hybridsnap.demo.server import serve_shop
from tests.docs.blocks import (
    ADDRESS,
    DOCS,
    ENDPOINT,
    SERVER,
    Block,
    all_blocks,
    blocks_of,
    check_output,
    ids_of,
    pages,
    replace_ids,
)
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

#: Seconds; a script starts a browser or two.
_SCRIPT_SECONDS = 60
_LANGUAGES = {"", "python", "text", "html", "xml", "console", "json", "toml", "yaml"}
_EXAMPLES = sorted((DOCS / "examples").glob("*.py"))
_MOST_LINES = 30
_TOKEN = "only-for-this-test"


@contextlib.asynccontextmanager
async def served(source: str | None) -> AsyncIterator[str]:
    """The address of a page; without a source that of the bundled shop."""
    if source is None:
        async with serve_shop() as shop:
            yield shop.url
    else:
        async with serve_pages({"/": source}) as server:
            yield server.url("/")


def source_for(block: Block) -> str | None:
    """The page that a block is about."""
    before = [one for one in blocks_of(DOCS / block.page) if one.line < block.line and one.language == "html"]
    return before[-1].code if before else None


@contextlib.asynccontextmanager
async def served_by_server(*options: str) -> AsyncIterator[tuple[str, str]]:
    """``hybridsnap serve`` with its demo: the shop's address, and host and port of the server."""
    command = [sys.executable, "-m", "hybridsnap", "serve", "--demo", "--port", "0", "--token", _TOKEN]
    command += options
    process = await trio.lowlevel.open_process(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        said = ""
        with trio.fail_after(_SCRIPT_SECONDS):
            while (listening := re.search(r"listening on http://(\S+?)/?\s", said)) is None:
                said += (await process.stdout.receive_some()).decode() or pytest.fail(said)
        shop = re.search(r"shop is at (\S+)", said)
        assert shop is not None
        yield shop[1], listening[1]
    finally:
        process.terminate()
        with trio.CancelScope(shield=True):
            await process.wait()


async def run_script(
    code: str, url: str, endpoint: str, folder: Path, environment: dict[str, str] | None = None
) -> str:
    """Run a script by itself, on this page and this browser; what it prints."""
    address = urlsplit(endpoint).netloc
    code = code.replace(ADDRESS, url).replace(ENDPOINT, address)
    code = code.replace(ENDPOINT.rpartition(":")[2], address.rpartition(":")[2])
    script = folder / "script.py"
    script.write_text(code, encoding="utf-8")
    chromedriver = {"SE_CHROMEDRIVER": shutil.which("chromedriver") or ""}
    with trio.fail_after(_SCRIPT_SECONDS):
        done = await trio.run_process(
            [sys.executable, str(script)],
            capture_stdout=True,
            capture_stderr=True,
            check=False,
            cwd=folder,
            env={**os.environ, **chromedriver, "LANGUAGE": "en", **(environment or {})},
        )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().replace(url, ADDRESS)


_PYTHON = all_blocks("python")
_SCRIPTS = [one for one in _PYTHON if not one.is_fragment and SERVER not in one.code]
_CLIENTS = [one for one in _PYTHON if SERVER in one.code]


@pytest.mark.parametrize("block", _CLIENTS, ids=lambda one: one.where)
async def test_client_of_the_server(block: Block, browser_endpoint: str, tmp_path: Path) -> None:
    options = ["--openclaw"] if "openclaw" in block.page else []
    async with served_by_server(*options) as (url, server):
        code = block.code.replace(SERVER, server)
        printed = await run_script(code, url, browser_endpoint, tmp_path, {"HYBRIDSNAP_TOKEN": _TOKEN})
    check_output(block, printed)


@pytest.mark.parametrize("block", _SCRIPTS, ids=lambda one: one.where)
async def test_script(block: Block, browser_endpoint: str, tmp_path: Path) -> None:
    async with served(source_for(block)) as url:
        check_output(block, await run_script(block.code, url, browser_endpoint, tmp_path))


@pytest.mark.parametrize("path", _EXAMPLES, ids=lambda path: path.stem)
async def test_example(path: Path, browser_endpoint: str, tmp_path: Path) -> None:
    code = await trio.Path(path).read_text(encoding="utf-8")
    assert len(code.splitlines()) < _MOST_LINES
    async with served(None) as url:
        printed = await run_script(code, url, browser_endpoint, tmp_path)
    told = re.search(r"^# prints: (.*)$", code, re.MULTILINE)
    assert told is not None, "an example says in a comment what is in its output"
    assert told[1] in printed


@pytest.mark.parametrize("page_name", sorted({one.page for one in _PYTHON if one.is_fragment}))
async def test_fragments(
    page_name: str, browser: hybridsnap.Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = [one for one in blocks_of(DOCS / page_name) if one.language in {"html", "text", "python"}]
    names: dict[str, Any] = {}
    ids: dict[str, str] = {}
    async with contextlib.AsyncExitStack() as stack:
        for number, block in enumerate(blocks):
            if block.language == "html" or (block.language == "python" and not names):
                url = await stack.enter_async_context(served(source_for_page(block)))
                names = await open_page(browser, url)
            shows = block.language == "text" and blocks[number - 1].language == "html"
            if shows:
                ids = ids_of(block.code, names["snapshot"].combined_tree)
            if block.language == "python" and block.is_fragment:
                code = replace_ids(block.code.replace(ADDRESS, url), ids)
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    await run_fragment(code, block.where, names)
                check_output(block, printed.getvalue().replace(url, ADDRESS))


def source_for_page(block: Block) -> str | None:
    return block.code if block.language == "html" else None


async def open_page(browser: hybridsnap.Browser, url: str) -> dict[str, Any]:
    """What a fragment finds."""
    page = await browser.new_page(url)
    return {
        "browser": browser,
        "page": page,
        "snapshot": await page.snapshot(),
        "hybridsnap": hybridsnap,
    }


async def run_fragment(code: str, where: str, names: dict[str, Any]) -> None:
    compiled = compile(code, where, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    value = eval(compiled, names)
    if inspect.isawaitable(value):
        with trio.fail_after(_SCRIPT_SECONDS):
            await value


_COMMANDS = [
    pytest.param(command, id=f"{block.where} {command}")
    for block in all_blocks("console")
    for command in re.findall(r"^\$ hybridsnap (.*)$", block.code, re.MULTILINE)
]


@pytest.mark.parametrize("command", _COMMANDS)
def test_command_is_one(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = shlex.split(command, comments=True)
    monkeypatch.chdir(tmp_path)
    for word in words:  # the reader of the page has such files
        if "=@" in word:
            Path(word.partition("=@")[2]).touch()
    assert build_parser("").parse_args(words).command == words[0]


def test_json_is_json() -> None:
    for block in all_blocks("json"):
        json.loads(block.code)


def test_every_block_says_what_it_is() -> None:
    blocks = [block for path in pages() for block in blocks_of(path)]
    assert blocks
    assert [block.where for block in blocks if block.language not in _LANGUAGES] == []
