"""The client for asyncio.

::

    from hybridsnap.aio import launch

    async with launch() as browser:
        page = await browser.new_page("https://example.com")
        snapshot = await page.snapshot()
        print(snapshot.combined_tree)
        await page.click("0-29")

Everything is as in the client, which these classes stand for: names, arguments, timeouts, results, errors.
The client itself runs on the background thread of `hybridsnap.sync`, and takes no time of the loop.

- **Cancelling** a task (`asyncio.timeout`, `Task.cancel`) cancels the call it waits for; what that had begun
  in the browser is cleaned up before `asyncio.CancelledError` goes on. Cancelled a second time, the task
  no longer waits for that.
- **What does not wait** (`Page.arm_dialog`, ``with session.events(…)``, properties) holds the loop up for the
  moment that the background thread needs to get to it.
- **The end**, **callbacks**, and how this is made: as `hybridsnap.sync` says.
"""

from __future__ import annotations

from hybridsnap.bridge.proxies import make_openers, make_proxies

_classes = make_proxies("aio", __name__)
globals().update({one.__name__: one for one in _classes.values()})
launch, connect = make_openers("aio", __name__, _classes)

__all__ = ["connect", "launch"]
__all__ += [one.__name__ for one in _classes.values()]
