"""Pages deeper than Chromium's JSON writer reaches, and trees that are cut short: whole all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

import hybridsnap
from tests.support.faults import lacks_flat_documents
from tests.support.oracle import assert_exact, row_named
from tests.support.pages import serve_pages
from tests.support.walker import strayed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap import Page, Snapshot

LEVELS = 1500
DEEP = f"""<!doctype html><title>deep</title><body><script>
  let here = document.body;
  for (let level = 0; level < {LEVELS}; level++) here = here.appendChild(document.createElement("div"));
  here.innerHTML = "<button>at the bottom</button>";
</script>"""


class CommandCount:
    """How many commands of each method the page's sessions are sent while this is watching."""

    def __init__(self, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
        self.by_method: dict[str, int] = {}
        connection = page.session.connection
        post = connection.post

        def counted(
            session: Any, method: str, params: Mapping[str, Any], deliver: Any, **options: Any
        ) -> int:
            self.by_method[method] = self.by_method.get(method, 0) + 1
            return post(session, method, params, deliver, **options)

        monkeypatch.setattr(connection, "post", counted)

    @property
    def total(self) -> int:
        return sum(self.by_method.values())


async def check_deep(
    page: Page, monkeypatch: pytest.MonkeyPatch, *, step: int = 25
) -> tuple[CommandCount, Snapshot]:
    """The page is whole, and every `step`-th path of it leads to its node: finding them all takes seconds."""
    with monkeypatch.context() as patch:
        count = CommandCount(page, patch)
        snapshot = await page.snapshot(timeout=20)
    assert snapshot.report.complete, snapshot.report
    assert snapshot.report.consistent, snapshot.report.notes
    button = row_named(snapshot, "at the bottom")
    assert button.id is not None
    assert snapshot.combined_xpath_map[button.id] == f"/html[1]/body[1]{'/div[1]' * LEVELS}/button[1]"
    ids = list(snapshot.combined_xpath_map)
    assert {row.id for row in snapshot.rows if row.id is not None} <= set(ids)
    assert await strayed(page, snapshot, [*ids[::step], button.id]) == []
    divs = {f"/html[1]/body[1]{'/div[1]' * level}" for level in range(LEVELS + 1)}
    assert divs <= set(snapshot.combined_xpath_map.values())
    transport = page.session.connection.transport.name
    print(f"{transport}: {count.total} commands: {count.by_method}")  # noqa: T201 - the figure to show
    return count, snapshot


async def test_deep_page_over_websocket(page: Page, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    async with serve_pages({"/": DEEP}) as pages:
        await page.goto(pages.url("/"))
        count, _ = await check_deep(page, monkeypatch, step=step)
        assert count.by_method["DOM.getFlattenedDocument"] == 1
        assert count.total <= 9
        again, plain = await check_deep(page, monkeypatch)
        assert again.by_method["DOM.getFlattenedDocument"] == 1
        assert "DOM.getDocument" not in again.by_method, "the document is known to nest"
        with monkeypatch.context() as patch:
            lacks_flat_documents(page, patch)
            hydrated = await page.snapshot(timeout=20)
            count, _ = await check_deep(page, monkeypatch)
    assert count.by_method["DOM.getDocument"] <= 3, (
        "one attempt, one in a depth that passes, one for a number"
    )
    assert count.total <= 48
    assert hydrated.combined_tree == plain.combined_tree
    assert dict(hydrated.combined_xpath_map) == dict(plain.combined_xpath_map)


async def test_deep_page_over_the_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    async with (
        serve_pages({"/": DEEP}) as pages,
        hybridsnap.launch(transport="pipe") as browser,
    ):
        count, _ = await check_deep(await browser.new_page(pages.url("/")), monkeypatch)
    assert count.total <= 9


async def test_deep_page_over_cbor_comes_in_one_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    async with (
        serve_pages({"/": DEEP}) as pages,
        hybridsnap.launch(transport="cbor") as browser,
    ):
        count, _ = await check_deep(await browser.new_page(pages.url("/")), monkeypatch)
    assert count.by_method["DOM.getDocument"] == 1
    assert "DOM.describeNode" not in count.by_method


@pytest.mark.parametrize("flattens", [True, False])
async def test_deep_shadow_roots_and_frames(
    page: Page, monkeypatch: pytest.MonkeyPatch, *, flattens: bool
) -> None:
    """A shadow root and a frame cost levels of their own: hydration halves the depth and goes on."""
    html = """<!doctype html><title>deep roots</title><body><script>
      let here = document.body;
      for (let level = 0; level < 120; level++) {
        const host = here.appendChild(document.createElement("div"));
        const root = host.attachShadow({mode: level % 2 ? "open" : "closed"});
        here = root.appendChild(document.createElement("p"));
        if (level === 60) here.innerHTML = "<iframe srcdoc='<button>framed</button>'></iframe>";
      }
      here.innerHTML = "<button>at the bottom</button>";
    </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        with monkeypatch.context() as patch:
            if not flattens:
                lacks_flat_documents(page, patch)
            snapshot = await page.snapshot(timeout=20)
        button, framed = row_named(snapshot, "at the bottom"), row_named(snapshot, "framed")
        assert button.id is not None
        assert framed.id is not None
        assert snapshot.combined_xpath_map[button.id] == f"/html[1]/body[1]{'/div[1]//p[1]' * 120}/button[1]"
        prefix = f"/html[1]/body[1]{'/div[1]//p[1]' * 61}/iframe[1]"
        assert snapshot.combined_xpath_map[framed.id] == f"{prefix}/html[1]/body[1]/button[1]"


@pytest.mark.parametrize("cut", [1, 2, 5])
async def test_trees_cut_short_are_filled_in(
    page: Page, monkeypatch: pytest.MonkeyPatch, cut: Literal[1, 2, 5]
) -> None:
    """A reply with `childNodeCount` above its children, for whatever reason, is completed."""
    html = """<!doctype html><!-- c --><title>cut</title>
      <div><div><p>one</p><x-card><template shadowrootmode="closed"><p><b>in</b> it</p><slot></slot>
      </template><i>slotted</i></x-card></div><ul><li><a href="/x">two</a></ul></div>
      <iframe srcdoc="<div><div><button>three</button></div></div>"></iframe>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        whole = await page.snapshot(timeout=10)
        connection = page.session.connection
        post = connection.post

        def shallow(
            session: Any, method: str, params: Mapping[str, Any], deliver: Any, **options: Any
        ) -> int:
            if method in ("DOM.getDocument", "DOM.describeNode"):
                params = {**params, "depth": cut}
            return post(session, method, params, deliver, **options)

        with monkeypatch.context() as patch:
            patch.setattr(connection, "post", shallow)
            filled = await page.snapshot(timeout=10)
        assert filled.combined_tree == whole.combined_tree
        assert dict(filled.combined_xpath_map) == dict(whole.combined_xpath_map)
        await assert_exact(page, filled)
