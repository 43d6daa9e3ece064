"""``hybridsnap trace``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import trio

from tests.support.command_line import run_here
from tests.support.pages import serve_pages
from tests.support.trace import check_trace

if TYPE_CHECKING:
    from pathlib import Path

    import hybridsnap

_SLOW = """<title>slow</title><h1>Slow</h1><script>
function keepBusy() { const end = performance.now() + 120; while (performance.now() < end); }
setTimeout(keepBusy);
</script>"""


async def test_a_page_is_traced_while_it_loads(tmp_path: Path) -> None:
    async with serve_pages({"/": _SLOW}) as pages:
        options = ("-o", "trace.json", "--frames", "frames", "--for", "1")
        done = await run_here("trace", pages.url("/"), *options, cwd=tmp_path)
        assert done.code == 0, done.stderr
        assert "timer: keepBusy" in done.stdout
        assert f"{pages.url('/')}: first paint" in done.stdout
        assert check_trace(await trio.Path(tmp_path / "trace.json").read_bytes())
        frames = sorted(one.name for one in await trio.Path(tmp_path / "frames").iterdir())
        assert frames[0] == "frame-000001.png"
        assert done.line == f"hybridsnap: {len(frames)} frames in frames"
        again = await run_here("trace", pages.url("/"), *options, cwd=tmp_path)
        assert (again.code, "frames of another recording" in again.line) == (2, True)


async def test_a_page_that_is_open(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    async with serve_pages({"/": _SLOW}) as pages:
        page = await browser.new_page(pages.url("/"))
        of_page = (browser_endpoint, "--target-id", page.target_id)
        nothing = await run_here("trace", *of_page)
        assert (nothing.code, "--reload" in nothing.line) == (2, True)
        done = await run_here("trace", *of_page, "--reload", "--json")
        assert done.code == 0, done.stderr
        summary = json.loads(done.stdout)
        assert summary["long_task_count"] >= 1
        await page.close()
