"""Of 200 elements in every kind of frame each receives its own click, or is refused with its reason."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

import hybridsnap
from hybridsnap import ElementCovered, NotInteractable
from tests.support.act_pages import (
    GROUPS,
    HITTABLE,
    REASONS,
    REFUSED,
    SITUATIONS,
    Log,
    click_of,
    grid_pages,
    identity_of,
    ids_by_attribute,
    in_every_frame,
)
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Browser, Page, Snapshot

#: In the page: of every element of the grid, whether a point of it would take a click once it is scrolled to,
#: and whether the middle of its box would.
_REACHABLE = """(oracle, window) => [...oracle.known].flatMap(([name, element]) => {
  if (name.includes("/")) return [];
  let any = false, middle = false;
  for (const block of ["nearest", "start", "center", "end"]) {
    element.scrollIntoView({ block, inline: "center" });
    const boxes = [...element.getClientRects()];
    if (block === "nearest") boxes.unshift(element.getBoundingClientRect());
    for (const [number, box] of boxes.entries()) {
      for (let x = 1; x < 12; x++) for (let y = 1; y < 12; y++) {
        if (any && (block !== "nearest" || number || x !== 6 || y !== 6)) continue;
        const at = [box.left + box.width * x / 12, box.top + box.height * y / 12];
        let hit = window.document.elementFromPoint(...at);
        const root = element.getRootNode();
        if (root !== window.document && hit === root.host) hit = root.elementFromPoint(...at);
        const own = hit !== null && element.contains(hit);
        any ||= own;
        middle ||= own && block === "nearest" && !number && x === 6 && y === 6;
      }
    }
  }
  return [[name, [any && !element.disabled, middle]]];
})"""

_NOT_IN_THE_MIDDLE = {"half covered", "striped", "sticky", "wrapped"}


@contextlib.asynccontextmanager
async def open_grid(page: Page, log: Log) -> AsyncIterator[Snapshot]:
    """The grid in a tab, with a first snapshot of it."""
    async with serve_pages(grid_pages(log)) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=20)
        assert snapshot.report.complete, snapshot.report
        assert len(snapshot.report.frames) == 5
        assert len(page.sessions) == 4
        yield snapshot


async def test_the_grid_is_what_it_says(page: Page) -> None:
    log = Log()
    async with open_grid(page, log):
        reachable = dict(await in_every_frame(page, _REACHABLE))
    wanted = {
        identity_of(group, situation): situation in HITTABLE for group in GROUPS for situation in SITUATIONS
    }
    assert len(wanted) == 200
    assert {name: any_ for name, (any_, _) in reachable.items() if name in wanted} == wanted
    # There is more to it than the middle of a box.
    missed = {
        name.partition(" ")[2] for name, (_, middle) in reachable.items() if wanted.get(name, False) > middle
    }
    assert missed >= _NOT_IN_THE_MIDDLE, missed
    assert log.received == []


async def test_the_oracle_hears_what_is_received(page: Page) -> None:
    log = Log()
    async with open_grid(page, log):
        click = """(oracle) => {
          const plain = [...oracle.known].filter(([name]) => name.endsWith(" plain"));
          return plain.map(([name, element]) => { element.click(); return name; });
        }"""
        clicked = await in_every_frame(page, click)
    assert len(clicked) == len(GROUPS)
    assert [(one.kind, one.identity, one.trusted) for one in log.received] == [
        ("click", name, False) for name in clicked
    ]


@pytest.mark.parametrize(
    ("scale", "every"),
    [
        (1, 4),
        (2, 8),
        *(pytest.param(scale, 1, marks=pytest.mark.soak, id=f"{scale}-all") for scale in (1, 2)),
    ],
)
async def test_every_click_lands(browser: Browser, scale: int, every: int) -> None:
    """Must hold: 144 clicks received by the element named, 56 refused with the reason, nothing else.

    In the gate every fourth will do, each situation in two kinds of frame; at the other scale every eighth,
    in a third kind.
    """
    log = Log()
    async with contextlib.AsyncExitStack() as stack:
        if scale != 1:
            flags = ["--site-per-process", f"--force-device-scale-factor={scale}"]
            browser = await stack.enter_async_context(hybridsnap.launch(args=flags))
        page = await browser.new_page()
        snapshot = await stack.enter_async_context(open_grid(page, log))
        ratios = await in_every_frame(page, "(oracle, window) => [window.devicePixelRatio]")
        assert set(ratios) == {scale}
        ids = ids_by_attribute(snapshot)
        wrong: list[str] = []
        for row, group in enumerate(GROUPS):
            for situation in SITUATIONS[(row + scale - 1) % every :: every]:
                name = identity_of(group, situation)
                if situation == "moving":
                    await in_every_frame(page, "(oracle) => { oracle.move(); return []; }")
                said = await _clicked(page, ids[name], ids.get(f"{name}/cover"), situation)
                received = log.take()
                expected = click_of(name) if situation in HITTABLE else []
                if said or received != expected:
                    wrong.append(f"{name}: {said}; received {received}")
        assert wrong == [], "\n".join(wrong)


async def _clicked(page: Page, element_id: str, cover_id: str | None, situation: str) -> str:
    """What is wrong with how a click ended; empty when it is right."""
    try:
        receipt = await page.click(element_id, wait=False, timeout=10)
    except ElementCovered as error:
        right = situation == "covered" and error.cover_id == cover_id and error.cover_role == "button"
        return "" if right and "cover of" in error.cover_name else f"{type(error).__name__}: {error}"
    except NotInteractable as error:
        return "" if error.reason in REASONS.get(situation, ()) else f"{error.reason}: {error}"
    except hybridsnap.HybridsnapError as error:
        return f"{type(error).__name__}: {error}"
    if situation in REFUSED:
        return f"was done: {receipt}"
    return "" if receipt.element_id == element_id else f"the receipt is of {receipt.element_id}"
