"""``python -m hybridsnap.demo``: serve the bundled shop, capture it, print the outline and the report."""

from __future__ import annotations

import sys

import trio

from hybridsnap.cli import FAILED, PARTIAL, WHOLE
from hybridsnap.client.browser import launch
from hybridsnap.demo.server import serve_shop
from hybridsnap.errors import HybridsnapError
from hybridsnap.render.report import render_report


async def capture_shop() -> int:
    """Capture the shop's front page; the exit code of the command line."""
    # Two hosts, two sites: the payment frame gets a process of its own, as on the open web.
    async with serve_shop() as shop, launch(args=["--site-per-process"]) as browser:
        page = await browser.new_page(shop.url)
        snapshot = await page.snapshot()
    print(snapshot.combined_tree)
    print()
    print(render_report(snapshot.report))
    print(f"\nThe nonce of this run is {shop.nonce}; find it in the outline above.")
    return WHOLE if snapshot.report.complete else PARTIAL


def main() -> int:
    """Run the demo; one line where it cannot."""
    try:
        return trio.run(capture_shop)
    except HybridsnapError as error:
        print(f"hybridsnap: {error}", file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
