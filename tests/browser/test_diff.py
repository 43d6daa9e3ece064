"""What changed on real pages: the shop, navigations, frames, and any edit that script makes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hybridsnap.demo.server import serve_shop
from tests.support.pages import serve_pages, until_sized

if TYPE_CHECKING:
    from hybridsnap import Page, Snapshot
    from hybridsnap.render.diff import Diff


async def evaluate(page: Page, expression: str) -> object:
    answer = await page.session.send(
        "Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True}
    )
    assert "exceptionDetails" not in answer, answer
    return answer["result"].get("value")


async def click(page: Page, selector: str) -> None:
    """As a person does: the page scrolls there, and the element gets the focus."""
    at = await evaluate(
        page,
        f"""(() => {{
          const element = document.querySelector({selector!r});
          element.scrollIntoView({{block: "center", behavior: "instant"}});
          const box = element.getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""",
    )
    assert isinstance(at, list)
    for kind in ("mousePressed", "mouseReleased"):
        await page.session.send(
            "Input.dispatchMouseEvent",
            {"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1},
        )


def check(new: Snapshot, old: Snapshot) -> Diff:
    """The diff, after what must hold for any."""
    diff = new.diff(old)
    assert diff.apply(old.rows) == list(new.rows)
    assert not new.diff(new)
    back = old.diff(new)
    assert (back.added, back.removed) == (diff.removed, diff.added)
    # What JSON carries is enough to compare, and says the same.
    assert type(new).from_json(new.to_json()).diff(type(old).from_json(old.to_json())) == diff
    return diff


async def test_buying_shows_the_counter_the_line_item_and_the_toast(page: Page) -> None:
    async with serve_shop() as shop:
        await page.goto(shop.url)
        before = await page.snapshot(timeout=20)
        await click(page, 'button.buy[data-slug="harbour-lantern"]')
        after = await page.snapshot(timeout=20)
        diff = check(after, before)
        text = str(diff)
        lines = text.split("\n")
        assert len(lines) < 15, text
        told = [line for line in lines if line[0] in "+-~"]
        buy, *others = sorted(told, key=lambda line: "now focused" not in line)
        assert "button: Buy Harbour Lantern [focused]   (now focused)" in buy
        assert [line[0] for line in others] == ["~", "+", "+", "+", "~", "~"]
        counter, item, what, remove, total, toast = others
        assert counter.endswith('status: Items in the cart   (text: "1", was: "0")')
        assert "listitem" in item
        assert what.endswith("StaticText: 1 × Harbour Lantern, €62.50")
        assert remove.endswith("button: Remove Harbour Lantern")
        assert total.endswith('strong   (text: "€62.50", was: "€0.00")')
        assert toast.endswith('status: Added to the cart: 1 × Harbour Lantern [clickable]   (was: "")')

        # Taken out again: what is left is the toast, and where the focus was.
        await click(page, "#cart-items button")
        gone = check(await page.snapshot(timeout=20), before)
        assert "status: Added to the cart: 1 × Harbour Lantern" in str(gone)
        assert not any(entry.role == "listitem" for entry in (*gone.added, *gone.removed))


async def test_the_outline_since_shows_the_same(page: Page) -> None:
    async with serve_shop() as shop:
        await page.goto(shop.url)
        before = await page.snapshot(timeout=20)
        refs = before.render("role").extras["refs"]
        await evaluate(page, "document.querySelectorAll('button.buy')[1].click()")
        after = await page.snapshot(timeout=20)
        marked = after.render("ai", since=before, only_changes=True)
        assert "button: Remove Harbour Lantern [new]" in marked
        assert "status: Added to the cart: 1 × Harbour Lantern [clickable] [changed]" in marked
        assert len(marked.split("\n")) < 20
        role = after.render("role", since=before)
        kept = {ref: one.element_id for ref, one in role.extras["refs"].items() if ref in refs}
        assert kept == {ref: one.element_id for ref, one in refs.items()}
        assert role.count("[new]") == sum(entry.id is not None for entry in after.diff(before).added)


async def test_a_reload_is_matched_by_role_name_and_place(page: Page) -> None:
    async with serve_shop() as shop:
        await page.goto(shop.url)
        before = await page.snapshot(timeout=20)
        await evaluate(page, "document.querySelectorAll('button.buy')[1].click()")
        await page.goto(shop.url)
        after = await page.snapshot(timeout=20)
        diff = check(after, before)
        assert diff.matched_by == "role, name and place"
        lines = str(diff).split("\n")
        assert lines[0].startswith("# another document")
        # The cart was kept; the toast was not.
        assert any(line.endswith("button: Remove Harbour Lantern") for line in lines)
        assert any(line.endswith('(text: "1", was: "0")') for line in lines)
        assert len(lines) < 15, str(diff)
        # Another page of the site is another page.
        await page.goto(shop.page_urls[1])
        elsewhere = check(await page.snapshot(timeout=20), after)
        assert elsewhere.matched_by == "role, name and place"
        assert {"Full name", "E-mail"} <= {entry.name for entry in elsewhere.added}
        assert "Shop" not in {entry.name for entry in (*elsewhere.added, *elsewhere.removed)}


async def test_moving_within_the_document_keeps_identity(page: Page) -> None:
    async with serve_pages({"/": "<!doctype html><title>t</title><a href='#x'>x</a><p>text"}) as pages:
        await page.goto(pages.url("/"))
        before = await page.snapshot(timeout=10)
        await evaluate(page, "history.pushState({}, '', '/elsewhere'); document.title = 'u'")
        diff = check(await page.snapshot(timeout=10), before)
        assert diff.matched_by == "identity"
        assert (diff.added, diff.removed) == ((), ())
        top = diff.changed[0]
        assert [one.field for one in top.fields] == ["name", "url"]


async def test_a_frame_that_navigates_alone(page: Page) -> None:
    files = {
        "/": "<!doctype html><title>outer</title><h1>Outer</h1>"
        "<iframe title=inner src='http://localhost:{PORT}/a.html'></iframe>",
        "/a.html": "<!doctype html><title>inner</title><button>Next</button><p>first",
        "/b.html": "<!doctype html><title>inner</title><button>Next</button><p>second<a href='/'>back</a>",
    }
    async with serve_pages(files) as pages:
        await page.goto(pages.url("/"), wait="networkidle")
        before = await page.snapshot(timeout=10)
        await evaluate(
            page,
            """new Promise(done => {
              const frame = document.querySelector("iframe");
              frame.onload = done;
              frame.src = frame.src.replace("/a.html", "/b.html");
            }).then(() => 0)""",
        )
        diff = check(await page.snapshot(timeout=10), before)
        assert diff.matched_by == "identity"
        assert diff.frames == {0: "identity", 1: "role, name and place"}
        assert str(diff).split("\n")[0].startswith("# frame 1 holds another document than before")
        assert [entry.role for entry in diff.added if entry.role != "StaticText"] == ["link"]
        assert "button" not in {entry.role for entry in (*diff.added, *diff.removed)}


#: One edit of a page, drawn by a generator that starts from a seed.
_EDIT = """((seed) => {
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  const of = (list) => list[Math.floor(next() * list.length)];
  const all = () => [...document.querySelectorAll("main *")];
  for (let edit = 0; edit < 6; edit++) {
    const one = of(all());
    const other = of(all().filter((it) => !one.contains(it)).concat(document.querySelector("main")));
    switch (Math.floor(next() * 7)) {
      case 0: one.remove(); break;
      case 1: other.append(one); break;
      case 2: one.insertAdjacentHTML("beforebegin", `<button>new ${edit}</button>`); break;
      case 3: one.setAttribute("aria-label", "label " + edit); break;
      case 4: one.replaceWith(...one.childNodes); break;
      case 5: one.hidden = !one.hidden; break;
      case 6: other.prepend("text " + edit, one); break;
    }
    if (all().length === 0) break;
  }
})"""


async def test_any_edit_of_a_page_is_in_the_diff(page: Page) -> None:
    items = "".join(
        f"<li><a href='/{at}'>link {at}</a> <b>text {at}</b><div><p>{at}<input value={at}></div>"
        for at in range(8)
    )
    html = f"<!doctype html><title>t</title><main><ul>{items}</ul><table><tr><td>x<td>y</table></main>"
    choice = random.Random(3)
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        before = await page.snapshot(timeout=10)
        edits = 0
        for _ in range(12):
            await evaluate(page, f"{_EDIT}({choice.randrange(2**31)})")
            after = await page.snapshot(timeout=10)
            diff = check(after, before)
            assert diff.matched_by == "identity"
            assert bool(str(diff)) == bool(diff)
            if before.combined_tree == after.combined_tree:
                assert (diff.added, diff.removed) == ((), ())
            edits += bool(diff)
            before = after
        assert edits > 6


async def test_the_diff_of_an_untouched_page_is_empty(page: Page) -> None:
    async with serve_shop() as shop:
        for url in shop.page_urls:
            await page.goto(url)
            await until_sized(page)
            one, two = await page.snapshot(timeout=20), await page.snapshot(timeout=20)
            assert str(check(two, one)) == ""
