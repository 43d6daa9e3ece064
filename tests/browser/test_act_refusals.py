"""What cannot be done is refused, says why, names what to take instead, and leaves the page as it is."""

from __future__ import annotations

import contextlib
import pickle
import re
from typing import TYPE_CHECKING

import pytest

from hybridsnap import ElementCovered, NotInteractable, StaleElement, UnknownElement
from tests.support.act_pages import Log, build_page, click_of, ids_by_attribute
from tests.support.faults import evaluate
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from hybridsnap import ActionError, Page, Snapshot

_INNER = """<style>.at { position: absolute; left: 20px; top: 20px; width: 120px; height: 30px }</style>
  <button id=buy class=at>Buy</button><button id=more style="margin-top:80px">More</button>
  <div id=slot></div>"""
#: Where the elements are → the page.
_FRAMES = {"main": "/", "same": "/same", "cross": "/cross", "shadow": "/shadow"}
_PAGES = {
    "/": build_page("main", _INNER),
    "/same": build_page("same", "<iframe title=frame src=/></iframe>"),
    "/cross": build_page("cross", "<iframe title=frame src='http://localhost:{PORT}/'></iframe>"),
    "/shadow": build_page("shadow", f"<div data-mode=open><template>{_INNER}</template></div>"),
    "/other": build_page("other", "<button id=other>Other</button>"),
}
#: The root that holds the elements, wherever it is.
_ROOT = """(() => {
  const inside = frames.length && document.querySelector("iframe").contentDocument;
  const root = inside || document;
  return root.querySelector("[data-mode]")?.shadowRoot || root;
})()"""


class Opened:
    """A page whose elements are somewhere: in a frame, in a shadow root."""

    def __init__(self, page: Page, log: Log) -> None:
        self.page = page
        self.log = log
        self.ids: Mapping[str, str] = {}

    async def look(self) -> Snapshot:
        snapshot = await self.page.snapshot(timeout=10)
        assert snapshot.report.complete
        self.ids = ids_by_attribute(snapshot)
        return snapshot

    async def change(self, script: str) -> None:
        """Run a script where the elements are; ``root`` is the document or shadow root that holds them."""
        await evaluate(self.page.sessions[-1], f"{{ const root = {_ROOT}; {script} }}")

    async def refused(self, name: str) -> ActionError:
        """The refusal of a click on an element; nothing may have received anything."""
        self.log.take()
        with pytest.raises((StaleElement, ElementCovered, NotInteractable)) as caught:
            await self.page.click(self.ids[name], wait=False, timeout=10)
        assert self.log.take() == []
        error: ActionError = caught.value
        assert error.element_id == self.ids[name]
        assert "\n" not in str(error)
        copy = pickle.loads(pickle.dumps(error))
        assert (str(copy), vars(copy)) == (str(error), vars(error))
        return error


@contextlib.asynccontextmanager
async def opened(page: Page, path: str = "/") -> AsyncIterator[Opened]:
    log = Log()
    async with serve_pages(_PAGES | log.pages) as pages:
        await page.goto(pages.url(path))
        one = Opened(page, log)
        await one.look()
        yield one


async def test_nothing_in_the_way(page: Page) -> None:
    for path in _FRAMES.values():
        async with opened(page, path) as one:
            await one.page.click(one.ids["buy"], timeout=10)
            assert one.log.take() == click_of("buy")


@pytest.mark.parametrize("where", _FRAMES)
async def test_what_covers_is_named(page: Page, where: str) -> None:
    async with opened(page, _FRAMES[where]) as one:
        await one.change(
            """root.querySelector("#slot").innerHTML = '<div role=dialog aria-label="Cookies &amp; more"'
              + ' id=cover class=at style="background:red">We use them</div>';"""
        )
        await one.look()
        error = await one.refused("buy")
        assert isinstance(error, ElementCovered)
        assert error.cover_id == one.ids["cover"]
        assert (error.cover_role, error.cover_name) == ("dialog", "Cookies & more")
        assert 'dialog "Cookies & more"' in str(error)
        assert f"[{one.ids['cover']}]" in str(error)
        assert 'button "Buy"' in str(error)
        # What covers can be acted on by the id that the error names, and then it can go.
        await one.page.click(error.cover_id, timeout=10)
        assert {event.kind for event in one.log.take()} == {"mousedown", "mouseup", "click"}
        await one.change("root.querySelector('#cover').remove();")
        await one.page.click(one.ids["buy"], timeout=10)


async def test_a_cover_that_no_snapshot_showed_is_named_too(page: Page) -> None:
    async with opened(page) as one:
        await one.change(
            """root.querySelector("#slot").innerHTML =
              "<button class=at onclick='this.remove()'>Wait</button>";"""
        )
        error = await one.refused("buy")
        assert isinstance(error, ElementCovered)
        assert (error.cover_role, error.cover_name) == ("button", "Wait")
        await one.page.click(error.cover_id, timeout=10)
        one.log.take()
        await one.page.click(one.ids["buy"], timeout=10)
        assert one.log.take() == click_of("buy")


async def test_a_cover_from_outside_of_the_frame_is_named(page: Page) -> None:
    for path in ("/same", "/cross"):
        async with opened(page, path) as one:
            await evaluate(
                one.page.session,
                """document.body.insertAdjacentHTML("beforeend",
                  "<button id=outer style='position:fixed;inset:0'>Outer</button>")""",
            )
            await one.look()
            error = await one.refused("buy")
            assert isinstance(error, ElementCovered)
            assert error.cover_id == one.ids["outer"]
            assert (error.cover_role, error.cover_name) == ("button", "Outer")


async def test_force_clicks_all_the_same_and_says_so(page: Page) -> None:
    async with opened(page) as one:
        await one.change("""root.querySelector("#slot").innerHTML = "<b id=cover class=at>over</b>";""")
        receipt = await one.page.click(one.ids["buy"], force=True, timeout=10)
        assert any("forced" in note for note in receipt.notes)
        assert [event.identity for event in one.log.take()] == ["slot"] * 3


@pytest.mark.parametrize("where", _FRAMES)
async def test_a_twin_at_the_same_place_is_another_element(page: Page, where: str) -> None:
    async with opened(page, _FRAMES[where]) as one:
        before = await one.look()
        await one.change("const old = root.querySelector('#buy'); old.replaceWith(old.cloneNode(true));")
        error = await one.refused("buy")
        assert isinstance(error, StaleElement)
        assert (error.reason, error.description) == ("detached", 'button "Buy"')
        assert error.snapshot_id == before.report.snapshot_id
        successor = error.successors[0]
        assert (successor.role, successor.name) == ("button", "Buy")
        assert successor.id != error.element_id
        assert successor.id in str(error)
        assert len(error.successors) <= 3
        # It counts as shown, and it is the one that a new snapshot shows.
        await one.page.click(successor.id, timeout=10)
        assert [event.kind for event in one.log.take()] == ["mousedown", "mouseup", "click"]
        await one.look()
        assert one.ids["buy"] == successor.id


@pytest.mark.parametrize("where", _FRAMES)
async def test_removed(page: Page, where: str) -> None:
    async with opened(page, _FRAMES[where]) as one:
        await one.change("root.querySelector('#buy').remove();")
        error = await one.refused("buy")
        assert isinstance(error, StaleElement)
        assert error.reason == "detached"
        assert all((found.role, found.name) != ("button", "Buy") for found in error.successors)


@pytest.mark.parametrize("where", _FRAMES)
async def test_reloaded(page: Page, where: str) -> None:
    async with opened(page, _FRAMES[where]) as one:
        before = one.ids["buy"]
        await one.page.goto(one.page.url)
        error = await one.refused("buy")
        assert isinstance(error, StaleElement)
        # Of a page that was loaded anew the frames are other frames.
        assert error.reason in ({"navigated"} if where in {"main", "shadow"} else {"navigated", "frame gone"})
        assert (error.successors[0].role, error.successors[0].name) == ("button", "Buy")
        await one.page.click(error.successors[0].id, timeout=10)
        assert one.log.take() == click_of("buy")
        await one.look()
        assert one.ids["buy"] == error.successors[0].id != before


async def test_a_frame_that_is_reloaded(page: Page) -> None:
    for path in ("/same", "/cross"):
        async with opened(page, path) as one:
            await one.page.session.send(
                "Runtime.evaluate",
                {
                    "expression": """new Promise((done) => { const frame = document.querySelector("iframe");
                      frame.addEventListener("load", done); frame.src = frame.src; })""",
                    "awaitPromise": True,
                },
            )
            error = await one.refused("buy")
            assert isinstance(error, StaleElement)
            assert error.reason == "navigated"
            assert (error.successors[0].role, error.successors[0].name) == ("button", "Buy")
            await one.page.click(error.successors[0].id, timeout=10)
            assert one.log.take() == click_of("buy")


async def test_a_frame_that_is_gone(page: Page) -> None:
    for path in ("/same", "/cross"):
        async with opened(page, path) as one:
            await evaluate(one.page.session, "document.querySelector('iframe').remove()")
            error = await one.refused("buy")
            assert isinstance(error, StaleElement)
            assert error.reason == "frame gone"
            assert error.successors == ()


@pytest.mark.parametrize("where", _FRAMES)
async def test_an_element_that_became_another(page: Page, where: str) -> None:
    """As in a list whose rows are used again: the node lives, and stands for something else."""
    async with opened(page, _FRAMES[where]) as one:
        await one.change(
            """const [one, two] = ["#buy", "#more"].map((id) => root.querySelector(id));
            [one.textContent, two.textContent] = [two.textContent, one.textContent];"""
        )
        error = await one.refused("buy")
        assert isinstance(error, StaleElement)
        assert (error.reason, error.description) == ("identity changed", 'button "Buy"')
        assert (error.successors[0].role, error.successors[0].name) == ("button", "Buy")
        assert error.successors[0].id == one.ids["more"]
        # To a caller that goes on with what it has seen, it means "More".
        again = await one.refused("more")
        assert isinstance(again, StaleElement)
        assert one.log.take() == []
        await one.page.snapshot(timeout=10)
        await one.page.click(error.successors[0].id, timeout=10)
        assert one.log.take() == click_of("more")


@pytest.mark.parametrize("where", _FRAMES)
async def test_put_elsewhere_it_is_still_the_same(page: Page, where: str) -> None:
    async with opened(page, _FRAMES[where]) as one:
        await one.change(
            "const buy = root.querySelector('#buy'); buy.remove(); root.querySelector('#slot').append(buy);"
        )
        await one.page.click(one.ids["buy"], timeout=10)
        assert one.log.take() == click_of("buy")


#: What is done to the button → the reason.
_HIDDEN = {
    "buy.style.display = 'none'": "not displayed",
    "buy.hidden = true": "not displayed",
    "buy.style.visibility = 'hidden'": "invisible",
    "buy.style.pointerEvents = 'none'": "pointer-events",
    "buy.disabled = true": "disabled",
    "buy.style.cssText = 'width:0;height:0;border:0;padding:0;overflow:hidden;min-width:0'": "no size",
    "const box = document.createElement('div'); box.inert = true; buy.before(box); box.append(buy)": "inert",
    "const set = document.createElement('fieldset'); set.disabled = true; buy.before(set); set.append(buy)": (
        "disabled"
    ),
    "buy.style.left = '-900px'": "off screen",
}
#: Undoes each of them.
_SHOW = """const buy = root.querySelector('#buy');
  buy.removeAttribute('style'); buy.hidden = buy.disabled = false;
  buy.closest('[inert], fieldset')?.replaceWith(buy);"""


@pytest.mark.parametrize(
    "where", ["main", "cross", *(pytest.param(one, marks=pytest.mark.soak) for one in ("same", "shadow"))]
)
async def test_what_cannot_be_clicked_says_why(page: Page, where: str) -> None:
    async with opened(page, _FRAMES[where]) as one:
        for change, reason in _HIDDEN.items():
            await one.change(f"const buy = root.querySelector('#buy'); {change};")
            error = await one.refused("buy")
            assert isinstance(error, NotInteractable), (change, error)
            assert error.reason == reason, (change, error)
            # What is hidden has no role.
            assert '"Buy"' in str(error), change
            await one.change(_SHOW)
            await one.page.click(one.ids["buy"], timeout=10, receipt=False)


@pytest.mark.parametrize("path", ["/", "/cross"])
async def test_a_document_is_no_element(page: Page, path: str) -> None:
    """Outlines begin with one. It is not pressed, and whatever else makes sense is done to all of it."""
    inner = f"{_INNER}<p id=last style='margin-top:2000px'>End</p>"
    site = {"/": build_page("main", inner), "/cross": _PAGES["/cross"]}
    async with serve_pages(site) as pages:
        await page.goto(pages.url(path))
        snapshot = await page.snapshot(timeout=10)
        document = snapshot.find("RootWebArea")[-1].id
        (buy,) = snapshot.find("button", "Buy")
        pressing: list[Callable[[], Awaitable[object]]] = [
            lambda: page.click(document),
            lambda: page.hover(document),
            lambda: page.tap(document),
            lambda: page.drag(buy.id, document),
            lambda: page.drag(document, buy.id),
        ]
        for press in pressing:
            with pytest.raises(NotInteractable, match="it is the document; name an element in it") as caught:
                await press()
            assert caught.value.reason == "document"
        await page.scroll("down", element=document)
        assert await page.evaluate("() => scrollY", element=buy.id) > 0
        await page.scroll_into_view(document)
        assert (await page.screenshot(element=document)).startswith(b"\x89PNG")
        await page.select_text(document)
        assert "End" in await page.evaluate("() => String(getSelection())", element=buy.id)


async def test_an_id_that_was_never_shown(page: Page) -> None:
    async with opened(page) as one:
        number = int(one.ids["buy"].partition("-")[2])
        for never in (f"7-{number}", "0-999999", "e999"):
            with pytest.raises(UnknownElement) as caught:
                await one.page.click(never, wait=False, timeout=10)
            assert caught.value.element_id == never
        assert one.log.take() == []


async def test_another_element_that_says_what_cannot_be_brought_into_view(page: Page) -> None:
    """Ant Design lists options of no height for the accessibility tree, and draws others."""
    await page.goto(
        "data:text/html,<div role=listbox style='height: 0; overflow: hidden'><div role=option>Rome</div>"
        "<div role=option>Paris</div><div role=option>Oslo</div></div>"
        "<div onclick='0'>Rome</div><div onclick='document.title = 1'>Paris</div><p>Oslo</p>"
    )
    snapshot = await page.snapshot()
    with pytest.raises(NotInteractable) as caught:
        await page.click(snapshot.find(role="option", name="Paris")[0].id, wait=False)
    (named,) = re.findall(r"view; (0-\d+) says the same, act on that; if the page", str(caught.value))
    await page.click(named)
    assert await page.evaluate("document.title") == "1"
    with pytest.raises(NotInteractable, match="if another element says the same"):
        await page.click(snapshot.find(role="option", name="Oslo")[0].id, wait=False)


async def test_a_button_of_the_header_is_not_said_to_stand_beside_what_the_row_below_says(page: Page) -> None:
    await page.goto(
        "data:text/html,<div role=grid><div role=row><div role=columnheader>Age <button>Menu</button></div>"
        "</div><div role=row id=bob><button>Menu</button><div role=gridcell>Bob</div></div></div>"
    )
    snapshot = await page.snapshot()
    ours = snapshot.find(role="button", name="Menu")[1].id
    await page.evaluate("bob.firstChild.remove()")
    with pytest.raises(StaleElement) as caught:
        await page.click(ours)
    assert caught.value.successors == ()


async def test_what_holds_fields_or_opens_one_says_so(page: Page) -> None:
    grid = "<div role=grid><div role=row><div role=gridcell id=cell tabindex=-1>Tea</div></div></div>"
    async with serve_pages({"/": f"{grid}<div role=group id=group aria-label=Birth><input></div>"}) as pages:
        await page.goto(pages.url())
        for selector, words in (("#cell", "double-click it"), ("#group", "name one of the fields in it")):
            for act in (page.type, page.fill):
                with pytest.raises(NotInteractable, match=words):
                    await act(selector, "x")
