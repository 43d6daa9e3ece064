"""Files of this machine: only those of the folders are shown, or given to pages, by whatever tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.mcp.client import in_process
from tests.pages import serve_pages

if TYPE_CHECKING:
    from pathlib import Path

_NO = "the server is started with --files FOLDER"


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
    async with serve_pages({"/": page}) as pages, in_process(browser_endpoint, files=(folder,)) as host:
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
    async with in_process(browser_endpoint, files=(folder,)) as host:
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
