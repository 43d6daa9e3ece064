"""A browser-use session: look, click by id, see what changed; all frames, closed shadow roots too."""

# prints: Added to the cart: 1 × River Throw

import asyncio

from browser_use.browser import BrowserProfile, BrowserSession

from hybridsnap.drivers import browser_use_session


async def main() -> None:
    session = BrowserSession(browser_profile=BrowserProfile(cdp_url="http://127.0.0.1:9222"))
    await session.start()
    tab = browser_use_session(session)
    await session.navigate_to("https://shop.example/", new_tab=True)
    before = await tab.snapshot()
    print(before.render("ai", max_tokens=800))
    chosen = before.find("button", "Buy River Throw")[0]
    print(await tab.click(chosen.id))
    after = await tab.snapshot()
    print(after.diff(before))
    await session.stop()


asyncio.run(main())
