"""browser-use's state of the page, as its agent puts it into the prompt."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from benchmarks.peers.base import ARGUMENTS, HEIGHT, SECONDS, WIDTH, NotInstalled

if TYPE_CHECKING:
    from benchmarks.peers.base import PeerOptions

_LOADED = """new Promise((done) => document.readyState === "complete"
    ? done() : addEventListener("load", () => setTimeout(done)))"""


class BrowserUse:
    """A session of browser-use.

    Its agent sees what stands within 1,000 px of the viewport, cut at 40,000 characters, and scrolls. Here
    the limits are lifted (``viewport_threshold=None``): the text of the whole page is compared.
    """

    def __init__(self, options: PeerOptions) -> None:
        os.environ.setdefault("ANONYMIZED_TELEMETRY", "false")
        os.environ.setdefault("BROWSER_USE_LOGGING_LEVEL", "result")
        os.environ.setdefault("BROWSER_USE_VERSION_CHECK", "false")
        try:
            from browser_use.browser import BrowserProfile, BrowserSession  # noqa: PLC0415 - an extra, and slow
            from browser_use.browser.profile import ViewportSize  # noqa: PLC0415 - an extra, and slow
        except ImportError:
            raise NotInstalled("browser-use: pip install 'hybridsnap[browser-use]'") from None
        self._runner = asyncio.Runner()
        profile = BrowserProfile(
            executable_path=options.browser,
            headless=True,
            args=list(ARGUMENTS),
            chromium_sandbox=False,
            viewport=ViewportSize(width=WIDTH, height=HEIGHT),
            enable_default_extensions=False,
        )
        self._session: Any = BrowserSession(browser_profile=profile)
        self._runner.run(self._session.start())

    def text_of(self, url: str) -> str:
        """The serialized DOM, as `llm_representation` gives it."""
        return self._runner.run(asyncio.wait_for(self._text_of(url), SECONDS))

    async def _text_of(self, url: str) -> str:
        from browser_use.dom.service import DomService  # noqa: PLC0415 - an extra, and slow

        # By the protocol: its own navigation refuses pages from files.
        tab = await self._session.get_or_create_cdp_session()
        await tab.cdp_client.send.Page.navigate({"url": url}, session_id=tab.session_id)
        loaded = {"expression": _LOADED, "awaitPromise": True}
        await tab.cdp_client.send.Runtime.evaluate(loaded, session_id=tab.session_id)
        async with DomService(self._session, viewport_threshold=None) as service:
            state, _, _ = await service.get_serialized_dom_tree()
        return str(state.llm_representation())

    def close(self) -> None:
        """End the browser."""
        self._runner.run(self._session.kill())
        self._runner.close()
