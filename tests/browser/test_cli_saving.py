"""``hybridsnap save`` and ``hybridsnap storage``; ``--device`` and ``--emulate``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hybridsnap.service import taken
from tests.support.command_line import run_here
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from pathlib import Path

    from hybridsnap import Browser

_KEEPS = """<title>Keeps</title><h1>Kept</h1><script>document.cookie = "seen=a secret";
localStorage.theme = "a\\nsecret"; sessionStorage.step = "2"</script>"""
_SEES = """<meta name=viewport content="width=device-width"><p id=o></p><script>
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
o.textContent = `${innerWidth} ${dark} ${new Date(0).getHours()}`
</script>"""


async def test_a_page_is_saved(tmp_path: Path, browser: Browser) -> None:
    async with serve_pages({"/": _KEEPS}) as pages:
        # One is opened in a browser of its own; the others are open.
        done = await run_here("save", pages.url("/"), "-o", "page.mhtml", cwd=tmp_path)
        assert (done.code, done.stdout, done.stderr) == (0, "", "")
        assert (tmp_path / "page.mhtml").read_bytes().startswith(b"From: ")
        page = await browser.new_page(pages.url("/"))
        here = (browser.endpoint, "--target-id", page.target_id)
        for name, options, begins in (
            ("page.pdf", ("--paper", "a4", "--margin", "2cm", "--landscape"), b"%PDF-"),
            ("page.jpg", ("--element", "h1", "--quality", "50"), b"\xff\xd8"),
            ("page.png", ("--mask", "h1", "--mask", "title"), b"\x89PNG"),
            ("page.webp", ("--viewport-only", "--labels"), b"RIFF"),
            ("page.html", (), b"<"),
        ):
            done = await run_here("save", *here, "-o", name, *options, cwd=tmp_path)
            assert (done.code, done.stdout, done.stderr) == (0, "", "")
            assert (tmp_path / name).read_bytes().startswith(begins), name


async def test_an_element_that_is_not_there_is_not_waited_for_to_the_end(
    tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taken, "MODEL_WAIT_SECONDS", 0.5)
    page = await browser.new_page("data:text/html,<h1>Kept")
    options = ("-o", "page.png", "--element", "#none", "--timeout", "60")
    done = await run_here("save", browser.endpoint, "--target-id", page.target_id, *options, cwd=tmp_path)
    assert (done.code, done.stdout) == (1, "")
    assert "#none" in done.line
    assert done.seconds < 30


async def test_nothing_kept_is_said() -> None:
    async with serve_pages({"/": "<title>bare</title>"}) as pages:
        done = await run_here("storage", pages.url("/"))
        assert (done.code, done.stdout) == (0, "")
        assert "keeps nothing" in done.line


async def test_what_a_page_keeps_is_listed(browser: Browser) -> None:
    context = await browser.new_context()  # with cookies of its own
    async with context, serve_pages({"/": _KEEPS}) as pages:
        page = await context.new_page(pages.url("/"))
        storage = ("storage", browser.endpoint, "--target-id", page.target_id)
        done = await run_here(*storage)
        assert done.stdout.splitlines() == [
            "cookie 127.0.0.1/ seen: [8 characters]",
            f"local {pages.url('')} theme: [8 characters]",
            f"session {pages.url('')} step: [1 characters]",
        ]
        done = await run_here(*storage, "--values", "--json")
        cookie, local, _ = map(json.loads, done.stdout.splitlines())
        assert (cookie["value"], local["value"]) == ("a secret", "a\nsecret")
        done = await run_here(*storage, "--json")
        assert ["value" in json.loads(line) for line in done.stdout.splitlines()] == [False] * 3
        done = await run_here(*storage, "--values")
        assert f"local {pages.url('')} theme: a secret\n" in done.stdout


async def test_emulation() -> None:
    async with serve_pages({"/": _SEES}) as pages:
        settings = ("--emulate", "color-scheme=dark", "--emulate", "time_zone=Asia/Tokyo")
        done = await run_here("snapshot", pages.url("/"), "--device", "Pixel 8", *settings)
        assert "412 true 9" in done.stdout, done.stderr
        wide = await run_here("snapshot", pages.url("/"), "--device", "Pixel 8", "--viewport", "500x400")
        assert "500 false" in wide.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("save", "about:blank", "-o", "page.txt"), "expected a file that ends with .pdf"),
        (("save", "about:blank", "-o", "page.pdf", "--element", "h1"), "--element is not for a file"),
        (("save", "about:blank", "-o", "page.pdf", "--paper", "a9"), "paper: expected one of"),
        (("save", "about:blank", "-o", "page.pdf", "--pages", "abc"), "pages: expected pages that the"),
        (("snapshot", "about:blank", "--emulate", "time_zone=Mars/X"), "--emulate time_zone: the browser"),
        (("save", "about:blank", "-o", "/none/page.pdf"), "there is no directory /none"),
        (("snapshot", "about:blank", "--device", "nothing"), "there is no device 'nothing'"),
        (("snapshot", "about:blank", "--emulate", "dark"), "expected NAME=VALUE"),
        (("snapshot", "about:blank", "--emulate", "colour=dark"), "there is no setting 'colour'"),
        (("snapshot", "about:blank", "--emulate", "offline=maybe"), "offline: expected true or false"),
        (("snapshot", "about:blank", "--emulate", "headers={"), 'such as {"X-Tag": "1"}, got'),
        (("snapshot", "about:blank", "--emulate", "color_scheme=pink"), "expected light or dark, got 'pink'"),
        (("snapshot", "about:blank", "--emulate", "geolocation=abc"), "such as 52.5,13.4, got 'abc'"),
        (("snapshot", "about:blank", "--emulate", "geolocation=999,1"), "such as 52.5,13.4, got '999,1'"),
        (("snapshot", "about:blank", "--emulate", "viewport=wide"), "such as 390x844, got 'wide'"),
        (("snapshot", "about:blank", "--device", "iPhone15"), "did you mean iPhone 15"),
    ],
)
async def test_wrong_usage(arguments: tuple[str, ...], words: str) -> None:
    done = await run_here(*arguments)
    assert (done.code, done.stdout) == (2, "")
    assert words in done.line
