"""``python -m hybridsnap.demo``: serve the bundled shop, capture it, buy something; outline and receipts."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import trio

from hybridsnap.client.launch import launch
from hybridsnap.demo.server import serve_shop
from hybridsnap.errors import HybridsnapError
from hybridsnap.render.report import render_report
from hybridsnap.service.usage import FAILED, PARTIAL, WHOLE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from hybridsnap.act.receipt import Receipt
    from hybridsnap.client.browser import Page
    from hybridsnap.model import ElementId
    from hybridsnap.snapshot import Snapshot


def _id_of(snapshot: Snapshot, role: str, name: str) -> ElementId:
    """What a model would do: find an element in the outline, and take its id."""
    found = snapshot.find(role=role, name=name)
    if not found or found[0].id is None:
        raise HybridsnapError(f'the outline has no {role} "{name}"')
    return found[0].id


async def _buy(page: Page, front: Snapshot) -> AsyncIterator[Receipt]:
    """Buy something by ids: a receipt for each step."""
    yield await page.click(_id_of(front, "button", "Buy"))
    yield await page.click(_id_of(front, "link", "Checkout"))
    await page.wait_for(load_state="load")  # the payment frame comes from another site
    desk = await page.snapshot()
    yield await page.fill_form(
        [
            {"id": _id_of(desk, "textbox", "Full name"), "value": "Ada Lovelace"},
            {"id": _id_of(desk, "textbox", "E-mail"), "value": "ada@example.org"},
            {"id": _id_of(desk, "combobox", "City"), "value": "Lisbon"},
            {"id": _id_of(desk, "textbox", "Street and number"), "value": "Rua do Tear 7"},
            {"id": _id_of(desk, "Date", "Delivery day"), "value": "2030-06-01"},
            {"id": _id_of(desk, "slider", "Tightness of the knot"), "value": 8},
            {"id": _id_of(desk, "ColorWell", "Ribbon"), "value": "#1f5a86"},
            {"id": _id_of(desk, "checkbox", "I have read the terms"), "value": True},
            {"id": _id_of(desk, "textbox", "Name on the card"), "value": "A. Lovelace"},
        ]
    )
    yield await page.click(_id_of(desk, "button", "Read the terms"))
    terms = await page.snapshot()
    yield await page.click(_id_of(terms, "button", "Agreed"))
    # In a frame of another site, in a process of its own.
    yield await page.type(_id_of(desk, "textbox", "Card number"), "4242 4242 4242 4242")
    yield await page.click(_id_of(desk, "button", "Pay now"))
    yield await page.click(_id_of(desk, "button", "Place the order"))


async def capture_shop() -> int:
    """Capture the shop's front page, and buy something; the exit code of the command line."""
    # Two hosts, two sites: the payment frame gets a process of its own, as on the open web.
    async with serve_shop() as shop, launch(args=["--site-per-process"]) as browser:
        page = await browser.new_page(shop.url)
        snapshot = await page.snapshot()
        print(snapshot.combined_tree)
        print()
        print(render_report(snapshot.report))
        print(f"\nThe nonce of this run is {shop.nonce}; find it in the outline above.")
        print("\nAnd now by ids of that outline: buy a thing, fill in the form, open its dialog, order.\n")
        async for receipt in _buy(page, snapshot):
            print(receipt)
        await page.wait_for(load_state="load")
        order = await page.snapshot()
        print(f"\n{order.render('ai', max_tokens=400)}")
    return WHOLE if snapshot.report.complete and order.report.complete else PARTIAL


def main(given: Sequence[str] | None = None) -> int:
    """Run the demo; one line where it cannot.

    Args:
        given: the command line; None takes that of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m hybridsnap.demo",
        description="Serve the bundled shop on this machine, capture it, and buy something in a browser that"
        " is launched for it: prints the outline, the report, and the receipts of what was done.",
        epilog="exits with 0; 3 where the report is not complete; 1 where it could not be done",
    )
    parser.parse_args(given)
    try:
        return trio.run(capture_shop)
    except HybridsnapError as error:
        print(f"hybridsnap: {error}", file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
