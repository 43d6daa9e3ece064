"""How often an action waits for the browser: round trips in sequence, as the connection sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from hybridsnap.client.connection import Connection

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import pytest

    from hybridsnap import Browser, Page

_CONTROLS = """
<!doctype html><title>Controls</title>
<button>Buy</button><input aria-label=Name><input type=checkbox aria-label=Agree>
<select aria-label=Colour><option>Red<option>Green</select><a href="#more">More</a>
"""
#: Action → round trips in sequence at most: on a quiet page, in its main frame, not its document's first.
_CEILINGS: dict[str, tuple[int, Callable[[Page, Callable[[str], str]], Awaitable[object]]]] = {
    "click": (4, lambda page, named: page.click(named("Buy"))),
    "click without a receipt": (3, lambda page, named: page.click(named("Buy"), receipt=False)),
    "fill": (5, lambda page, named: page.fill(named("Name"), "Ann")),
    "press": (5, lambda page, named: page.press("End", element=named("Name"))),
    "press where the focus is": (6, lambda page, _: page.press("End")),
    "press what moves the focus": (9, lambda page, _: page.press("Tab")),
    "check": (6, lambda page, named: page.check(named("Agree"))),
    "hover": (6, lambda page, named: page.hover(named("More"))),
    "select": (4, lambda page, named: page.select_option(named("Colour"), label="Green")),
    "click by a selector": (6, lambda page, _: page.click("button")),
    "text": (2, lambda page, named: page.text(named("More"))),
    "text by a selector": (4, lambda page, _: page.text("a")),
}


class Wire:
    """Counts what a connection sends, and how deep its waits are.

    Attributes:
        sent: characters of parameters.
        round_trips: the most commands of which each was sent when the one before it had been answered.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent = 0
        self.round_trips = 0
        self._resets = 0
        post = Connection.post

        def counted(
            connection: Connection,
            session: Any,
            method: str,
            params: Any,
            deliver: Callable[[Any], None],
            **options: Any,
        ) -> int:
            depth, resets = self.round_trips + 1, self._resets
            self.sent += len(str(params))

            def delivered(came: Any) -> None:
                if resets == self._resets:
                    self.round_trips = max(self.round_trips, depth)
                deliver(came)

            return post(connection, session, method, params, delivered, **options)

        monkeypatch.setattr(Connection, "post", counted)

    def reset(self) -> None:
        """Count anew; what was sent before does not count any more."""
        self.sent = self.round_trips = 0
        self._resets += 1


async def _look(page: Page) -> Callable[[str], str]:
    """The ids that a snapshot shows, by the names of their elements."""
    snapshot = await page.snapshot(timeout=20)

    def named(name: str) -> str:
        (row,) = [row for row in snapshot.rows if row.name == name]
        return str(row.id)

    return named


async def _open(browser: Browser) -> tuple[Page, Callable[[str], str]]:
    page = await browser.new_page("data:text/html," + quote(_CONTROLS))
    return page, await _look(page)


async def test_an_action_waits_for_the_browser_no_more_often_than_it_must(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, named = await _open(browser)
    wire = Wire(monkeypatch)
    await page.click(named("Buy"))
    # The first in the document asks for the isolated world first. The focus moves to the button.
    assert wire.round_trips <= 5
    counted = {}
    for what, (_, act) in _CEILINGS.items():
        wire.reset()
        await act(page, named)
        counted[what] = wire.round_trips
    assert counted == {what: min(counted[what], most) for what, (most, _) in _CEILINGS.items()}


async def test_scripts_are_sent_once_for_each_document(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, named = await _open(browser)
    wire = Wire(monkeypatch)
    sent = []
    for _ in range(2):
        for _ in range(2):
            wire.reset()
            await page.click(named("Buy"))
            sent.append(wire.sent)
        await page.goto(page.url, timeout=20)
        named = await _look(page)
    first, second, anew, again = sent
    assert min(first, anew) > 5 * max(second, again)
