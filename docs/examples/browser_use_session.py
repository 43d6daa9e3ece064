"""A browser-use session and a snapshot of what it is at: all frames, closed shadow roots too."""

# prints: textbox "Card number"

import asyncio

from browser_use.browser import BrowserProfile, BrowserSession
from hybridsnap.drivers import browser_use_session


async def main() -> None:
    session = BrowserSession(browser_profile=BrowserProfile(cdp_url="http://127.0.0.1:9222"))
    await session.start()
    tab = browser_use_session(session)
    await session.navigate_to("https://shop.example/", new_tab=True)
    before = await tab.snapshot()
    link = before.find("link", "Checkout")[0]
    print(before.report.title, link.id, before.combined_url_map[link.id])
    await session.navigate_to(before.combined_url_map[link.id])
    after = await tab.snapshot()
    print(after.render("ai", max_tokens=800))
    card = after.find("textbox", "Card number")[0]  # in a frame of another site
    print(f'{card.role} "{card.name}" {card.id} {after.combined_xpath_map[card.id]}')
    await session.stop()


asyncio.run(main())
