"""Playwright's own outline for models: ``aria_snapshot(mode="ai")``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.peers.base import ARGUMENTS, HEIGHT, SECONDS, WIDTH, NotInstalled

if TYPE_CHECKING:
    from benchmarks.peers.base import PeerOptions


class PlaywrightAi:
    """A browser that Playwright started."""

    def __init__(self, options: PeerOptions) -> None:
        try:
            from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an extra
        except ImportError:
            raise NotInstalled("Playwright: pip install 'hybridsnap[playwright]'") from None
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(
            executable_path=options.browser, args=list(ARGUMENTS)
        )

    def text_of(self, url: str) -> str:
        """The outline of the page's body, as Playwright's documentation asks for it."""
        page = self._browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        try:
            page.goto(url, wait_until="load", timeout=SECONDS * 1000)
            return page.locator("body").aria_snapshot(mode="ai", timeout=SECONDS * 1000)
        finally:
            page.close()

    def close(self) -> None:
        """End the browser."""
        self._browser.close()
        self._playwright.stop()
