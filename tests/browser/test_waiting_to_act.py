"""Actions wait until their element can be acted on, and say how long they waited for what."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

from hybridsnap import ActionError, ElementCovered, NotInteractable, SelectorError, StaleElement
from tests.support.pages import busy_for, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from hybridsnap import Page

#: What is wrong with each element, and the script that mends it.
_MENDED = {
    "disabled": ("<button id=a disabled>A</button>", "a.disabled = false"),
    "hidden": ("<button id=a hidden>A</button>", "a.hidden = false"),
    "invisible": ("<button id=a style='visibility:hidden'>A</button>", "a.style.visibility = ''"),
    "no size": ("<button id=a style='all:unset'></button>", "a.textContent = 'A'"),
    "let through": ("<button id=a style='pointer-events:none'>A</button>", "a.style.pointerEvents = ''"),
    "inert": ("<div id=b inert><button id=a>A</button></div>", "b.inert = false"),
    "covered": (
        "<button id=a>A</button><div id=b style='position:fixed;inset:0;background:#eee'></div>",
        "b.remove()",
    ),
    "absent": ("<div id=b></div>", "b.innerHTML = '<button id=a>A</button>'"),
}
_PAGES = {
    "/": """<title>Waits</title><style>button { width: 9em; height: 2em }</style><main></main>
<script>
  window.pressed = [];
  addEventListener("click", (event) => pressed.push(event.target.id));
  window.later = (html, script, ms) => {
    document.querySelector("main").innerHTML = html;
    pressed = [];
    setTimeout(script, ms);
  };
</script>""",
    "/other": "<title>Other</title><button id=new onclick='this.textContent = 1'>New</button>",
}


@pytest.fixture
async def page(page: Page) -> AsyncIterator[Page]:
    async with serve_pages(_PAGES) as pages:
        await page.goto(pages.url("/"))
        yield page


async def _stage(page: Page, html: str, script: str = "", ms: int = 0) -> None:
    await page.evaluate("(html, script, ms) => later(html, script, ms)", html, script, ms)


async def test_a_click_waits_until_its_element_can_be_clicked(page: Page) -> None:
    for name, (html, mend) in _MENDED.items():
        await _stage(page, html)
        with pytest.raises((ActionError, SelectorError)) as refused:
            await page.click("#a", wait=False)
        assert "waited" not in str(refused.value), name
        assert getattr(refused.value, "waited", None) == 0
        await _stage(page, html, mend, 150)
        await page.click("#a", timeout=20)
        assert await page.evaluate("pressed") == ["a"], name


async def test_ids_are_waited_for_as_well_and_stale_ones_are_not(page: Page) -> None:
    await _stage(page, "<button id=a disabled>A</button>")
    (button,) = (await page.snapshot()).find(role="button")
    await page.evaluate("() => setTimeout(() => { a.disabled = false }, 150)")
    assert (await page.click(button.id, timeout=20)).element_id == button.id
    assert await page.evaluate("pressed") == ["a"]
    await page.evaluate("() => { const html = a.outerHTML; a.remove(); later(html, '', 0) }")
    started = trio.current_time()
    with pytest.raises(StaleElement):
        await page.click(button.id, timeout=30)
    assert trio.current_time() - started < 15


async def test_the_error_says_how_long_was_waited_and_what_was_lacking_last(page: Page) -> None:
    await _stage(page, "<button id=a disabled>A</button>")
    with pytest.raises(NotInteractable, match=r"it is disabled; .* \(waited \d\.\d s\)") as caught:
        await page.click("#a", wait=0.5)
    assert 0.3 < caught.value.waited < 10
    assert pickle.loads(pickle.dumps(caught.value)).waited == caught.value.waited
    await _stage(page, *_MENDED["covered"][:1])

    async def finds_nothing(act: Callable[..., Awaitable[object]]) -> None:
        with pytest.raises(SelectorError, match=r"matches nothing .*\(waited"):
            await act("#nowhere", timeout=1.5)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(finds_nothing, page.click)
        nursery.start_soon(finds_nothing, page.text)
        with pytest.raises(ElementCovered, match=r"lies over it.*\(waited \d\.\d s\)") as covered:
            await page.click("#a", timeout=1.5)
    assert (await page.click(covered.value.cover_id)).element_id == covered.value.cover_id


async def test_when_the_page_hangs_while_aimed_at_the_refusal_before_is_told(page: Page) -> None:
    far = "<div style='height: 3000px'></div>"
    await _stage(page, f"{far}<button id=a>A</button>{far}{_MENDED['covered'][0].partition('</button>')[2]}")
    await page.evaluate(f"""() => {{
      const started = performance.now();
      addEventListener("scroll", () => {{  // as it is scrolled to, some attempts later
        if (performance.now() - started < 700 || window.hung) return;
        window.hung = true;
        {busy_for(2500)}
      }});
    }}""")
    with pytest.raises(ElementCovered, match=r"lies over it.*\(waited \d\.\d s\)"):
        await page.click("#a", timeout=2)
    assert await page.evaluate("[window.hung, pressed.length]") == [True, 0]


async def test_what_time_does_not_mend_is_refused_at_once(page: Page) -> None:
    await _stage(page, "<button id=a>A</button><input id=b type=checkbox><p id=c>C</p>")
    started = trio.current_time()
    with pytest.raises(NotInteractable):
        await page.fill("#a", "x", timeout=60)
    with pytest.raises(NotInteractable):
        await page.type("#b", "x", timeout=60)
    with pytest.raises(SelectorError):
        await page.click("#a[", timeout=60)
    with pytest.raises(TypeError, match="expected wait="):
        await page.click("#a", wait="long")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected wait="):
        await page.click("#a", wait=-1)
    with pytest.raises(TypeError, match="expected receipt="):
        await page.click("#a", receipt=1)  # type: ignore[arg-type]
    assert trio.current_time() - started < 30


async def test_fields_options_and_forms_are_waited_for(page: Page) -> None:
    await _stage(page, "<input id=a readonly>", "a.readOnly = false", 300)
    await page.fill("#a", "x", timeout=20)
    await _stage(page, "<select id=a></select>", "a.innerHTML = '<option>One<option>Two'", 300)
    await page.select_option("#a", label="Two", timeout=20)
    assert await page.evaluate("a.value") == "Two"
    # The second field is set free by the first.
    await _stage(page, "<input id=a oninput='setTimeout(() => { b.disabled = false }, 300)'><input id=b>")
    await page.evaluate("() => { a.addEventListener('focus', () => { b.disabled = true }) }")
    await page.fill_form([{"id": "#a", "value": "1"}, {"id": "#b", "value": "2"}], timeout=20)
    assert await page.evaluate("a.value + b.value") == "12"
    await _stage(page, "<input id=a><input id=b disabled>")
    with pytest.raises(NotInteractable, match=r"entry 2 \(#b\).*waited"):
        await page.fill_form([{"id": "#a", "value": "1"}, {"id": "#b", "value": "2"}], wait=0.3)
    assert await page.evaluate("a.value") == ""


async def test_other_actions_go_first_while_one_waits(page: Page) -> None:
    await _stage(page, "<button id=a disabled>A</button><button id=b onclick='a.disabled = false'>B</button>")
    receipts: list[Any] = []

    async def click_a() -> None:
        receipts.append(await page.click("#a", timeout=20))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(click_a)
        await trio.testing.wait_all_tasks_blocked()
        await page.click("#b", timeout=20)
    assert await page.evaluate("pressed") == ["b", "a"]
    (receipt,) = receipts
    assert any(note.startswith("waited ") and "(disabled)" in note for note in receipt.notes)
    assert receipt.steps_ms["wait"] > 0


async def test_what_came_while_an_action_waited_is_not_told_as_its_own(page: Page) -> None:
    await _stage(page, "", "console.error('before'); location = '/other'", 300)
    receipt = await page.click("#new", timeout=20)
    assert receipt.navigation is None
    assert receipt.console_errors == ()
    assert receipt.target == 'button "New"'


async def test_a_navigation_that_began_before_the_action_is_not_its_own(page: Page) -> None:
    """Commands are held back until the new document is there, so that the first look finds the element."""
    await page.evaluate("() => { location = '/other' }")
    receipt = await page.click("#new", timeout=20)
    assert receipt.navigation is None
    assert receipt.target == 'button "New"'


async def test_a_page_in_another_process_that_comes_later_is_acted_in(page: Page) -> None:
    port = page.url.rpartition(":")[2].strip("/")
    frame = f"<iframe id=f src='http://localhost:{port}/other'></iframe>"
    await _stage(page, "<div id=b></div>", f"b.innerHTML = `{frame}`", 300)
    receipt = await page.click("#f >> #new", timeout=20)
    assert receipt.changes[0].after == "1"


async def test_without_a_receipt_nothing_is_watched(page: Page) -> None:
    await _stage(page, "<button id=a onclick='this.textContent = 1'>A</button>")
    receipt = await page.click("#a", receipt=False)
    assert receipt.element_id
    assert receipt.dom_changes is None
    assert not receipt.nothing_happened
    assert "settle" not in receipt.steps_ms
    assert await page.evaluate("pressed") == ["a"]
    with pytest.raises(NotInteractable):
        await page.fill("#a", "x", receipt=False)


async def test_candidates_are_told_apart_as_a_snapshot_has_shown_them(page: Page) -> None:
    people = "".join(f"<li>{name} <button>Delete</button>" for name in ("Ann", "Bob", "Cem"))
    await _stage(page, f"<ul>{people}</ul>")
    await page.snapshot()
    with pytest.raises(SelectorError, match=r'button "Delete" beside "Ann", .* beside "Bob", ') as caught:
        await page.click("button", timeout=60)
    assert [one.beside for one in caught.value.candidates] == ["Ann", "Bob", "Cem"]


async def test_a_selector_that_matches_several_is_refused_with_the_candidates(page: Page) -> None:
    await _stage(page, "<button id=a>One</button><button id=b>Two</button><p>Text</p>")
    for act in (page.click, page.hover, page.text):
        with pytest.raises(
            SelectorError, match=r'matches 2 elements: .* button "One", .* button "Two"'
        ) as caught:
            await act("button", timeout=60)
        assert caught.value.reason == "several"
        assert [one.name for one in caught.value.candidates] == ["One", "Two"]
    with pytest.raises(SelectorError, match="matches 2 elements"):
        await page.click("//button", timeout=60)
    await page.click("button", nth=1)
    await page.click("button", nth=0)
    await page.click(caught.value.candidates[1].id)
    assert await page.evaluate("pressed") == ["b", "a", "b"]
    assert await page.text("p") == "Text"
