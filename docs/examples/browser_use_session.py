"""A browser-use session: look at what it is at (closed shadow roots too), click by id, see what changed."""

# prints: Added to the cart: 1 × River Throw

import asyncio

from browser_use.browser import BrowserProfile, BrowserSession

from hybridsnap.drivers import browser_use_session


async def main() -> None:
    session = BrowserSession(browser_profile=BrowserProfile(cdp_url="http://127.0.0.1:9222"))
    await session.start()
    await session.navigate_to("https://shop.example/", new_tab=True)
    tab = browser_use_session(session)
    shown = await tab.snapshot()
    print(shown.render("ai", max_tokens=1000))  # for a model, which answers with an id
    chosen = shown.find("button", "Buy River Throw")[0]
    print(await tab.click(chosen.id))
    print((await tab.snapshot()).diff(shown))
    await session.stop()


asyncio.run(main())
