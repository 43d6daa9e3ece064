"""Links for other programs (``tel:``, ``slack://``): what they do to a tab, and what is said of it."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import pytest
import trio

import hybridsnap
from hybridsnap import NavigationFailed, NotInteractable
from hybridsnap.client.browsers import find_browser
from hybridsnap.client.external_protocols import check_address, is_external, missing_scheme
from hybridsnap.webarena import Goto, execute
from tests.support.headless_shell import not_in_headless_shell
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hybridsnap import Browser, Page

_LINKS = """<title>Links</title>
<a id=tel href="tel:123">Call</a> <a id=app href="slack://open">Open the app</a>
<a id=new href="zoommtg://new" target=_blank>Meet</a> <a id=bare href="localhost:8766/x">Bare</a>
<button id=script onclick="location = 'msteams:1'">Script</button>
<button id=frame onclick="let f = document.createElement('iframe'); f.src = 'sms:1'; document.body.append(f)">
  Frame</button>
<button id=plain onclick="this.value = ++count">Plain</button> <script>var count = 0</script>"""
_ASKED = {
    "#tel": "tel:123",
    "#app": "slack://open",
    "#new": "zoommtg://new",
    "#bare": "localhost:8766/x",
    "#script": "msteams:1",
    "#frame": "sms:1",
}
#: For the browser to have seen to a link.
_SECONDS = 20


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of programs that a browser finds first, and that say that they have been asked."""
    folder = tmp_path_factory.mktemp("tools")
    for name in ("xdg-open", "xdg-email"):
        (folder / name).write_text(f'#!/bin/sh\necho {name} "$@" >> {folder}/calls\n')
        (folder / name).chmod(0o755)
    return folder


async def test_in_a_browser_of_ours_such_links_do_nothing(
    monkeypatch: pytest.MonkeyPatch, tools: Path
) -> None:
    monkeypatch.setenv("PATH", str(tools), prepend=os.pathsep)
    async with serve_pages({"/": _LINKS}) as pages, hybridsnap.launch() as browser:

        async def follow(link: str, url: str) -> None:
            page = await browser.new_page(pages.url("/"))
            receipt = await page.click(link)
            # Six tabs at once: on a busy machine one may not have said yet that it is at rest.
            notes = [one for one in receipt.notes if one != "the page had not come to rest"]
            assert notes == [f"the page asked for another program ({url}): none was started"]
            assert receipt.navigation is None
            # Long enough for a prompt to come: what Chromium asks before it, it asks at once.
            await page.wait_for(time=0.3)
            assert (await page.click("#plain")).dom_changes
            assert await page.evaluate("count") == 1
            assert page.url == pages.url("/")

        async with trio.open_nursery() as nursery:
            for link, url in _ASKED.items():
                nursery.start_soon(follow, link, url)
        # Chromium starts a mail program without asking.
        page = await browser.new_page(pages.url("/"))
        await page.evaluate("location = 'mailto:a@example.com'")
        await page.wait_for(time=0.3)
        await page.click("#plain")
    assert not (tools / "calls").exists()


@contextlib.asynccontextmanager
async def prompting(folder: Path) -> AsyncIterator[Browser]:
    """A browser that asks, as one does that is connected to."""
    starter = folder / "starter"
    # The first folder is the one that keeps browsers of ours from asking.
    starter.write_text(f'#!/bin/sh\nPATH="{folder}:${{PATH#*:}}" exec "{find_browser()}" "$@"\n')
    starter.chmod(0o755)
    (folder / "xdg-settings").write_text("#!/bin/sh\necho no\n")
    (folder / "xdg-settings").chmod(0o755)
    async with hybridsnap.launch(starter, transport="websocket") as launched:
        assert launched.endpoint is not None
        async with hybridsnap.connect(launched.endpoint) as browser:
            yield browser


async def refused(page: Page) -> NotInteractable:
    """What a click says once the prompt has come."""
    with trio.fail_after(_SECONDS):
        while True:
            try:
                await page.click("#plain", wait=False)
            except NotInteractable as error:
                return error


@not_in_headless_shell("has no prompt of its own")
async def test_a_prompt_is_told_and_can_be_left(tmp_path: Path) -> None:
    async with serve_pages({"/": _LINKS}) as pages, prompting(tmp_path) as browser:
        page = await browser.new_page(pages.url("/"))
        receipt = await page.click("#tel")
        (note,) = receipt.notes
        assert note == (
            "the page asked for another program (tel:123): "
            "the browser may ask first, and its prompt keeps input from the page"
        )
        error = await refused(page)
        assert error.reason == "prompt"
        assert str(error) == (
            f'cannot click button "Plain" [{error.element_id}]: the press did not reach the page, which has '
            "asked for another program (tel:123): the browser's prompt holds its input; dismiss it in the "
            "browser, or go to another host and back (goto about:blank, go_back)"
        )
        # Nothing is refused here, and nothing reaches the page.
        clicked = await page.click_at(300, 300)
        assert clicked.nothing_happened
        assert "prompt for tel:123 may have kept the input" in clicked.notes[-1]
        # A reload leaves the prompt there.
        await page.reload()
        assert (await refused(page)).reason == "prompt"
        await page.goto("about:blank")
        await page.go_back()
        assert (await page.click("#plain")).notes == ()
        assert await page.evaluate("count") >= 1


_REFUSED = {
    "tel:1": "tel:1 is for another program: a browser shows no tel: addresses; give one that it shows",
    "slack://x": "slack://x is for another program",
    " Sla\nck://x": "is for another program: a browser shows no slack: addresses",
    "localhost:8766/x": "localhost:8766/x has no scheme (localhost: would be taken for one); "
    "write http://localhost:8766/x",
    "example.com:80": "write http://example.com:80",
    "web:8080/": "write http://web:8080/",
    "javascript:alert(1)": "javascript:alert(1) is a script, not an address; run it with evaluate",
    " java\tscript:1": "is a script, not an address",
}


async def test_a_page_goes_to_no_such_address(browser: Browser) -> None:
    page = await browser.new_page("data:text/html,<title>Here</title>")
    before = page.url
    for url, words in _REFUSED.items():
        with pytest.raises(NavigationFailed) as caught:
            await page.goto(url)
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)
        assert caught.value.url == url
        with pytest.raises(NavigationFailed):
            await browser.new_page(url)
    with pytest.raises(NavigationFailed, match="another program"):
        await execute(Goto("tel:1"), page)
    assert (page.url, await page.evaluate("document.title")) == (before, "Here")
    await page.close()


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com:8080/x",
        "about:blank",
        "chrome://version",
        "chrome-extension://abc/x.html",
        "view-source:https://example.com",
        "blob:https://example.com/x",
        "file:///etc/hosts",
        "DATA:text/html,x",
        "C:/page.html",
        "example.com/a:b",
        "[::1]:80",
        "",
    ],
)
def test_what_a_browser_shows_or_cannot_read_is_its_own_affair(url: str) -> None:
    assert not is_external(url)
    assert missing_scheme(url) is None
    check_address(url)
