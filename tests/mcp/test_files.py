"""Files of this machine: only those of the folders are shown, or given to pages, by whatever tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from tests.support.mcp_client import in_process, text_of
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from pathlib import Path

_NO = "--files FOLDER"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose files may be used, beside one whose may not."""
    for name in ("inside", "outside"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text.txt").write_text(f"words from {name}", encoding="utf-8")
    (tmp_path / "inside" / "link.txt").symlink_to(tmp_path / "outside" / "text.txt")
    return tmp_path / "inside"


async def test_no_tool_gives_a_page_other_files(browser_endpoint: str, folder: Path) -> None:
    page = "<input type=file id=f aria-label=File><input type=file webkitdirectory id=d aria-label=Folder>"
    async with (
        serve_pages({"/": page}) as pages,
        in_process(browser_endpoint, file_folders=(folder,)) as host,
    ):
        await host.do("navigate", url=pages.url("/"))
        for path in (folder.parent / "outside" / "text.txt", folder / "link.txt"):
            assert _NO in await host.refused("upload", element="#f", paths=[str(path)])
            entries = [{"id": "#f", "value": str(path)}]
            assert _NO in await host.refused("fill_form", entries=entries)
        assert _NO in await host.refused("upload", element="#d", paths=[str(folder)])
        assert ">0</page" in await host.do("evaluate", script="f.files.length + d.files.length")
        entries = [{"id": "#f", "value": str(folder / "text.txt")}]
        assert "text.txt" in await host.do("fill_form", entries=entries)


async def test_no_tool_shows_other_files(browser_endpoint: str, folder: Path) -> None:
    (folder / "page.html").write_text("<p>fine<iframe src=text.txt></iframe>", encoding="utf-8")
    framing = "<p id=p>fine<iframe src=../outside/text.txt></iframe>"
    (folder / "framing.html").write_text(framing, encoding="utf-8")
    async with in_process(browser_endpoint, file_folders=(folder,)) as host:
        shown = await host.do("navigate", url=(folder / "page.html").as_uri())
        assert "words from inside" in shown
        script = f"location = {(folder.parent / 'outside' / 'text.txt').as_uri()!r}"
        for at in ("framing.html", "page.html"):
            if at == "framing.html":
                assert _NO in await host.refused("navigate", url=(folder / at).as_uri())
            else:
                await host.do("navigate", url=(folder / at).as_uri())
                await host.call("evaluate", script=script)
                assert _NO in await host.refused("wait_for", url="*/outside/*")
            assert _NO in await host.refused("snapshot")
            assert _NO in await host.refused("diff")
            assert _NO in await host.refused("find", text="words")
            assert _NO in await host.refused("screenshot")
            assert _NO in await host.refused("expand", id="0-1")
            assert _NO in await host.refused("evaluate", script="1")
            assert _NO in await host.refused("click", element="body")
            assert _NO in await host.refused("wait_for", text="words")


_SECRET = "words from outside"


async def test_waiting_says_nothing_of_another_file(browser_endpoint: str, folder: Path) -> None:
    """The page goes there by itself, while the call waits."""
    (folder / "page.html").write_text("<p>fine", encoding="utf-8")
    page, other = (folder / "page.html").as_uri(), (folder.parent / "outside" / "text.txt").as_uri()
    async with in_process(browser_endpoint, file_folders=(folder,)) as host:
        lines = []
        for text in (_SECRET, "nothing of it"):
            await host.do("navigate", url=page)
            await host.do("evaluate", script=f"void setTimeout(() => {{ location = {other!r} }}, 500)")
            lines.append(await host.refused("wait_for", text=text, timeout=3))
        assert lines[0] == lines[1], "whether it is there is not told either"
        assert _NO in lines[0]


async def test_no_script_returns_what_another_file_says(browser_endpoint: str, folder: Path) -> None:
    """The page goes there by itself, while calls are on their way."""
    (folder / "page.html").write_text("<p>fine", encoding="utf-8")
    page, other = (folder / "page.html").as_uri(), (folder.parent / "outside" / "text.txt").as_uri()
    async with in_process(browser_endpoint, file_folders=(folder,)) as host:
        await host.do("navigate", url=page)
        lines: list[str] = []

        async def evaluate(script: str) -> None:
            lines.append(text_of(await host.call("evaluate", script=script)))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(evaluate, f"void setTimeout(() => {{ location = {other!r} }}, 30)")
            for at in range(60):
                value = "document.body.innerText"
                nursery.start_soon(evaluate, value if at % 2 else f"throw new Error({value})")
        assert await host.refused("evaluate", script="1")
        assert not [line for line in lines if _SECRET in line]


@pytest.mark.parametrize("how", ["alert", "prompt"])
async def test_a_dialog_of_another_file_is_told_without_its_words(
    browser_endpoint: str, folder: Path, how: str
) -> None:
    script = f"<script>console.error('{_SECRET}'); {how}('{_SECRET}')</script>"
    (folder.parent / "outside" / "asks.html").write_text(script, encoding="utf-8")
    (folder / "page.html").write_text("<a id=a href=../outside/asks.html>go</a>", encoding="utf-8")
    async with in_process(browser_endpoint, file_folders=(folder,)) as host:
        await host.do("navigate", url=(folder / "page.html").as_uri())
        results = [
            await host.call(tool, **arguments)
            for tool, arguments in (
                ("click", {"element": "#a"}),
                ("snapshot", {}),
                ("diff", {}),
                ("evaluate", {"script": "1", "timeout": 1}),
                ("click", {"element": "body"}),
                ("handle_dialog", {"accept": False, "text": "x"}),
                ("handle_dialog", {"accept": True}),
            )
        ]
        assert not [
            one for one in results if _SECRET in text_of(one) or _SECRET in str(one.structured_content)
        ]
        for result in results[:3]:
            assert "the page waits for handle_dialog" in text_of(result)
        await host.do("navigate", url=(folder / "page.html").as_uri())


async def test_a_dialog_of_a_file_that_may_be_shown(browser_endpoint: str, folder: Path) -> None:
    (folder / "page.html").write_text("<button id=b onclick=alert('Sure?')>go</button>", encoding="utf-8")
    async with in_process(browser_endpoint, file_folders=(folder,)) as host:
        await host.do("navigate", url=(folder / "page.html").as_uri())
        assert "Sure?" in await host.do("click", element="#b")
        line = await host.refused("handle_dialog", accept=True, text="x")
        assert line == "handle_dialog: text is for a prompt, and the dialog is of type alert"
        assert "Sure?" in await host.do("handle_dialog", accept=True)
