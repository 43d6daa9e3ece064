"""Presses that would reach the wrong thing are stopped; what is still the right one is pressed.

The kinds are in `tests/support/wrong_clicks.js`. Each is tried with its change before the action and in the
midst of it, at a random moment. A press is wrong when the page did something else than what the id showed.

Where the change falls between the button's going down and up, and moves the element away, nobody gets a
click, as nobody would get one of a person's. Then the receipt says so.
"""

from __future__ import annotations

import collections
import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from hybridsnap import HybridsnapError, StaleElement
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hybridsnap import Page, Receipt
    from hybridsnap.act.input_state import Button

_SOURCE = Path(__file__).parents[1] / "support" / "wrong_clicks.js"
_HTML = f"""<!doctype html><title>Wrong clicks</title><style>li {{ padding: 3px }}</style>
<div id=stage></div><script>{_SOURCE.read_text(encoding="utf-8")}</script>"""
#: Milliseconds from the beginning of an action in which the change comes.
_DURING_MS = 120
#: What a receipt says when the element moved away, or was covered, between down and up.
_SLIPPED = ("it was let go over something else", "what the press opened lay over it")
_SEED = 20261122


class Attempts:
    """Tries kinds on one page, and counts what came of them."""

    def __init__(self, page: Page, seed: int) -> None:
        self.page = page
        self.chance = random.Random(seed)
        self.counts: collections.Counter[tuple[str, str]] = collections.Counter()
        self.told: list[str] = []

    async def attempt(self, group: str, kind: str, *, during: bool) -> None:
        page = self.page
        wanted: dict[str, Any] = await page.evaluate(f"return begin({group!r}, {kind!r})")
        snapshot = await page.snapshot()
        called = wanted["role"], wanted["name"]
        ids = [row.id for row in snapshot.rows if (row.role, row.name) == called and row.id]
        assert len(ids) > wanted["nth"], (kind, snapshot.combined_tree)
        moment = round(self.chance.uniform(0, _DURING_MS)) if during else None
        await page.evaluate(f"change({group!r}, {kind!r}, {json.dumps(moment)}); return null")
        error: HybridsnapError | None = None
        receipt: Receipt | None = None
        try:
            receipt = await self._act(wanted, ids[wanted["nth"]], ids[0])
        except HybridsnapError as came:
            error = came
        got: list[str] = await page.evaluate("await changed; return log")
        others = [one for one in got if one != wanted["expected"]]
        if others or (len(got) > 1 and "several" not in wanted):
            outcome = "wrong"
        elif error is not None:
            outcome = "refused"
        elif got:
            outcome = "done"
        else:
            slipped = receipt is not None and any(note.startswith(_SLIPPED) for note in receipt.notes)
            outcome = "slipped" if slipped else "nothing"
        self.counts[kind, outcome] += 1
        if outcome in {"wrong", "nothing"} or (group == "benign" and error is not None):
            when = "before" if moment is None else f"after {moment} ms"
            self.told.append(f"{kind}, {when}: {outcome}, got {got}; {error}")

    async def _act(self, wanted: dict[str, Any], element: str, first: str) -> Receipt:
        page = self.page
        # What it waits for does not come where something lies over the element for good.
        options: dict[str, Any] = {"wait": wanted.get("wait", True), "timeout": 10}
        acts: dict[str, Callable[[], Awaitable[Receipt]]] = {
            "check": lambda: page.check(element, **options),
            "click": lambda: page.click(element, **options),
            "double": lambda: page.click(element, count=2, **options),
            "drag": lambda: page.drag(element, first, **options),
            "fill": lambda: page.fill(element, "5", **options),
            "keys": lambda: page.type(element, "five", by_keys=True, **options),
            "press": lambda: page.press("Enter", element=element, **options),
            "right": lambda: page.click(element, button="right", **options),
            "select": lambda: page.select_option(element, value="5", **options),
        }
        return await acts[wanted["action"]]()

    def table(self) -> str:
        kinds = dict.fromkeys(kind for kind, _ in self.counts)
        outcomes = ("done", "slipped", "refused", "nothing", "wrong")
        lines = [f"{'kind':44}" + "".join(f"{one:>9}" for one in outcomes)]
        lines += [
            f"{kind:44}" + "".join(f"{self.counts[kind, one] or '':>9}" for one in outcomes) for kind in kinds
        ]
        total = [sum(count for (_, its), count in self.counts.items() if its == one) for one in outcomes]
        lines.append(f"{'in all':44}" + "".join(f"{one:>9}" for one in total))
        return "\n".join([*lines, *self.told])

    def share(self, outcome: str) -> float:
        found = sum(count for (_, its), count in self.counts.items() if its == outcome)
        return found / self.counts.total()


def kinds(group: str) -> list[str]:
    source = _SOURCE.read_text(encoding="utf-8")
    body = source.partition(f"const {'ATTACKS' if group == 'attack' else 'BENIGN'} = {{")[2].partition(
        "\n};"
    )[0]
    return re.findall(r'^  "([^"]+)": ', body, re.MULTILINE)


async def attempts(page: Page, group: str, repetitions: int, seed: int) -> Attempts:
    async with serve_pages({"/": _HTML}) as pages:
        await page.goto(pages.url())
        found = Attempts(page, seed)
        for kind in kinds(group):
            # Before the action and in its midst: the same, where the action itself brings the change.
            by_itself = await page.evaluate(f"changesByItself({group!r}, {kind!r})")
            for number in range(1 if by_itself and repetitions == 2 else repetitions):
                during = number % 2 == 1 if repetitions > 1 else found.chance.random() < 0.5
                await found.attempt(group, kind, during=during)
        return found


async def test_nothing_else_is_pressed(page: Page) -> None:
    found = await attempts(page, "attack", 2, _SEED)
    assert not found.share("wrong"), found.table()


async def test_what_is_still_the_same_is_pressed(page: Page) -> None:
    found = await attempts(page, "benign", 1, _SEED)
    assert found.share("done") + found.share("slipped") == 1, found.table()
    assert found.share("slipped") <= 0.1, found.table()


@pytest.mark.soak
async def test_nothing_else_is_pressed_in_twenty_of_each(page: Page) -> None:
    found = await attempts(page, "attack", 20, random.randrange(10**6))
    assert not found.share("wrong"), found.table()


@pytest.mark.soak
async def test_what_is_still_the_same_is_pressed_in_twenty_of_each(page: Page) -> None:
    found = await attempts(page, "benign", 20, random.randrange(10**6))
    assert found.share("wrong") == 0, found.table()
    assert found.share("done") >= 0.98, found.table()


#: Its scripts listen on the window before anything else; the link's address changes as the pointer comes.
_LISTENING = """<!doctype html><title>Listening</title><script>
  const heard = [];
  for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"])
    window.addEventListener(type, (event) => heard.push(type), true);
</script><a href=#good onmouseover="this.href = '#bad' + Math.random()">Pay</a>"""


async def test_a_stopped_press_is_not_heard_by_listeners_of_the_page_on_the_window(page: Page) -> None:
    async with serve_pages({"/": _LISTENING}) as pages:
        await page.goto(pages.url())
        snapshot = await page.snapshot()
        (link,) = [row.id for row in snapshot.rows if row.role == "link"]
        assert link is not None
        with pytest.raises(StaleElement, match="leads elsewhere"):
            await page.click(link, timeout=10)
        assert await page.evaluate("return heard") == []
        await page.click((await page.snapshot()).find("link", "Pay")[0].id)
        assert await page.evaluate("return heard.includes('click')")


async def test_a_link_with_a_very_long_address_is_what_it_was(page: Page) -> None:
    """A file in the address, for instance: the accessibility tree has its beginning only."""
    await page.goto("about:blank")
    address = f"javascript:void(document.title={'x' * 20_000!r})"
    await page.evaluate(f'void (document.body.innerHTML = `<a href="{address}">Go</a>`)')
    (link,) = (await page.snapshot()).find("link")
    await page.click(link.id)
    assert await page.evaluate("document.title.length") == 20_000
    snapshot = await page.snapshot()
    await page.evaluate("document.links[0].href = 'javascript:0//' + 'x'.repeat(20000)")
    with pytest.raises(StaleElement, match="leads elsewhere"):
        await page.click(snapshot.find("link")[0].id)


#: A button in each of two rows; `on` is what the first answers to the press. What a row gets is written down.
_ANSWERS = """<!doctype html><ul><li>Ann <button {on}>Open</button><li>Bob <button>Open</button></ul><script>
  const heard = [];
  const recycle = () => { document.querySelector("li").firstChild.data = "Cid " };
  for (const type of ["contextmenu", "auxclick", "click"]) addEventListener(type, (event) => {
    heard.push(`${type} ${event.target.closest("li").firstChild.data.trim()}`);
  }, true);
</script>"""


@pytest.mark.parametrize(
    ("on", "button", "heard"),
    [
        ("onfocus=\"this.textContent = 'Opening'\"", "left", ["click Ann"]),
        ("oncontextmenu=\"this.textContent = 'Menu open'\"", "right", ["contextmenu Ann", "auxclick Ann"]),
        # The menu has come; nothing else comes to the row that stands there since.
        ('oncontextmenu="recycle()"', "right", ["contextmenu Ann"]),
    ],
)
async def test_what_answers_to_its_press_was_pressed(
    page: Page, on: str, button: Button, heard: list[str]
) -> None:
    await page.goto("data:text/html," + quote(_ANSWERS.replace("{on}", on)))
    (first, _) = (await page.snapshot()).find("button", "Open")
    await page.click(first.id, button=button)
    assert await page.evaluate("return heard") == heard


async def test_a_row_that_becomes_another_as_its_button_gets_the_focus_is_not_clicked(page: Page) -> None:
    await page.goto("data:text/html," + quote(_ANSWERS.replace("{on}", 'onfocus="recycle()"')))
    (first, _) = (await page.snapshot()).find("button", "Open")
    with pytest.raises(StaleElement, match="the page has heard the press begin") as caught:
        await page.click(first.id)
    assert caught.value.partial
    assert await page.evaluate("return heard") == []
