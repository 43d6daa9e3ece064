"""``hybridsnap act --download``: what the last action downloads is saved."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.command_line import run_here
from tests.support.pages import Content, serve_pages

if TYPE_CHECKING:
    from pathlib import Path

    import hybridsnap

_PAGES: dict[str, Content] = {
    "/": "<title>files</title><a href='/file.bin' download='report.bin'>Get</a><button>Nothing</button>",
    "/file.bin": b"\0" * 1000,
}
_GET = '{"action": "click", "element": "a"}'
_NOTHING = '{"action": "click", "element": "button"}'


async def test_a_download_is_saved(tmp_path: Path, browser: hybridsnap.Browser) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    async with serve_pages(_PAGES) as pages:
        launched = await run_here("act", pages.url("/"), _NOTHING, _GET, "--download", "files", cwd=tmp_path)
        assert launched.code == 0, launched.stderr
        assert "download report.bin: saved as " in launched.stdout
        assert "under way" not in launched.stdout
        assert launched.stdout.splitlines()[-1] == f"saved {folder / 'report.bin'} (1,000 bytes)"
        assert (folder / "report.bin").read_bytes() == b"\0" * 1000

        page = await browser.new_page(pages.url("/"))
        here = ("--target-id", page.target_id)
        done = await run_here("act", browser.endpoint, _GET, *here, "--download", str(folder), "--json")
        receipt, saved = json.loads(done.stdout)
        assert receipt["action"] == "click"
        path = folder / "report (1).bin"
        told = {
            "url": pages.url("/file.bin"),
            "file_name": "report.bin",
            "path": str(path),
            "under_way": False,
        }
        assert receipt["downloads"] == [told]
        assert saved == {"url": pages.url("/file.bin"), "path": str(path), "size": 1000}
        assert path.exists()

        # Only the last action's download is saved; where it begins none, the command says so.
        briefly = (*here, "--download", str(folder), "--timeout", "4")
        done = await run_here("act", browser.endpoint, _GET, _NOTHING, *briefly)
        assert done.code == 1
        assert "no download began" in done.stderr
        assert 'click button "Nothing"' in done.stderr, "it was done"
        nothing = '{"action": "click", "element": "#none", "wait": 0.1}'
        done = await run_here("act", browser.endpoint, nothing, *briefly)
        assert done.code == 1
        assert "download" not in done.stderr
        assert len([*folder.iterdir()]) == 2

    done = await run_here("act", "about:blank", _GET, "--download", "nowhere", cwd=tmp_path)
    assert done.code == 2
    assert "--download 'nowhere' is not a folder" in done.line
