"""The command line on a browser that has no tab open."""

from __future__ import annotations

import hybridsnap
from tests.support.command_line import run_here


async def test_a_browser_without_tabs_is_told_in_words() -> None:
    async with hybridsnap.launch(transport="websocket") as browser:
        assert browser.process is not None
        endpoint = str(browser.process.endpoint)
        for page in await browser.pages():
            await page.close()
        for step in ("new_tab", "goto [about:blank]"):
            done = await run_here("act", endpoint, step)
            assert (done.code, done.stdout) == (1, "")
            assert "the browser has no tab open to act on; open one in it" in done.line
        done = await run_here("act", endpoint, "tab_focus [0]")
        assert done.line == "hybridsnap: there is no tab 0; the browser has no tab open"
