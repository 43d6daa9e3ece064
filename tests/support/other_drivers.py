"""The one check for drivers that come by `from_send` or stand on others, in a program of its own:
``python -m tests.support.other_drivers NAME ws://…``. It has a tab of its own in that browser.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

from hybridsnap.drivers import browser_use_session, from_send
from hybridsnap.drivers.testing import Subject, check_driver
from tests.support.driver_stage import LOADED

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

    Send: TypeAlias = Callable[..., Awaitable[dict[str, Any]]]


def subject(send: Send, session: str | None, snapshot: Callable[..., Any], *, reaches_all: bool) -> Subject:
    """A tab that is spoken to by `send` itself."""
    given = () if session is None else (session,)

    async def evaluate(expression: str) -> Any:
        params = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        return (await send("Runtime.evaluate", params, *given))["result"].get("value")

    async def goto(url: str) -> None:
        await send("Page.navigate", {"url": url}, *given)
        await evaluate(LOADED)

    return Subject(goto, snapshot, evaluate, reaches_all=reaches_all)


def command(method: str, params: dict[str, Any]) -> Generator[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """As nodriver and zendriver take one."""
    return (yield {"method": method, "params": params})


def where(endpoint: str) -> dict[str, Any]:
    parts = urlsplit(endpoint)
    return {"host": parts.hostname, "port": parts.port}


async def attached(send: Send, target_id: str) -> str:
    session: str = (await send("Target.attachToTarget", {"targetId": target_id, "flatten": True}))[
        "sessionId"
    ]
    return session


async def check_nodriver(endpoint: str) -> None:
    import nodriver  # type: ignore[import-untyped]  # noqa: PLC0415 - only the one that is asked for

    browser: Any = await nodriver.start(**where(endpoint))
    tab = await browser.get("about:blank", new_tab=True)

    async def send(method: str, params: dict[str, Any], session: str | None = None) -> dict[str, Any]:
        to = {"sessionId": session} if session else {}
        result: dict[str, Any] = await browser.send(command(method, params), **to)
        return result

    session = await attached(send, tab.target_id)
    await check_driver(subject(send, session, from_send(send, session).snapshot, reaches_all=True))
    await tab.close()


async def check_zendriver(endpoint: str) -> None:
    import zendriver  # noqa: PLC0415 - only the one that is asked for

    browser: Any = await zendriver.start(**where(endpoint))
    tab = await browser.get("about:blank", new_tab=True)

    async def send(method: str, params: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = await tab.send(command(method, params))
        return result

    await check_driver(subject(send, None, from_send(send).snapshot, reaches_all=False))
    await tab.close()


async def check_pydoll(endpoint: str) -> None:
    from pydoll.browser import Chrome  # noqa: PLC0415 - only the one that is asked for

    chrome: Any = Chrome()
    await chrome.connect(endpoint)
    tab = await chrome.new_tab("about:blank")

    async def send(method: str, params: dict[str, Any], session: str | None = None) -> dict[str, Any]:
        asked = {"method": method, "params": params} | ({"sessionId": session} if session else {})
        result: dict[str, Any] = (await chrome.execute_command(asked))["result"]
        return result

    session = await attached(send, tab.target_id)
    await check_driver(subject(send, session, from_send(send, session).snapshot, reaches_all=True))
    await tab.close()


async def check_browser_use(endpoint: str) -> None:
    from browser_use.browser import BrowserProfile, BrowserSession  # noqa: PLC0415 - as above

    session = BrowserSession(browser_profile=BrowserProfile(cdp_url=endpoint))
    await session.start()
    await session.navigate_to("about:blank", new_tab=True)
    client = session.cdp_client

    async def send(method: str, params: dict[str, Any], of: str | None = None) -> dict[str, Any]:
        return await client.send_raw(method, params, of)

    own = await attached(send, str(session.agent_focus_target_id))
    await check_driver(subject(send, own, browser_use_session(session).snapshot, reaches_all=True))
    await client.send_raw("Target.closeTarget", {"targetId": str(session.agent_focus_target_id)})
    await session.stop()


CHECKS = {
    "browser_use": check_browser_use,
    "nodriver": check_nodriver,
    "pydoll": check_pydoll,
    "zendriver": check_zendriver,
}


def main() -> None:
    _, name, endpoint = sys.argv
    asyncio.run(CHECKS[name](endpoint))


if __name__ == "__main__":
    main()
