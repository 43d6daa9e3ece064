"""What a refusal offers in the place of a stale id is of the record that was meant, as it says."""

from __future__ import annotations

import random
import secrets
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from hybridsnap import StaleElement

if TYPE_CHECKING:
    from hybridsnap import Page

#: A record of a name and a control, as pages write them; some have a state or another control besides.
_LAYOUTS = [
    "<li>NAME <button>Delete</button>",
    "<li><b>NAME</b> STATE <button>Edit</button> <button>Delete</button>",
    "<tr><td>NAME<td>STATE<td><button>Delete</button>",
    "<article><h3>NAME</h3><p>STATE</p><button>Delete</button></article>",
    "<div><p>NAME</p><button>Delete</button></div>",
    "<div><button>Delete</button><p>NAME</p><p>STATE</p></div>",
]
_NAMES = ["Ann", "Bob", "Cid", "Dora", "Eve", "Order 1", "Order 2", "Order 17", "a@b.example"]
_STATES = ["active", "paused", "3 new", "5 minutes ago"]
#: Keeps of each button whose it is, where no snapshot sees it.
_DRAW = """(html, names) => {
  const isRow = html.startsWith("<tr");
  const list = document.createElement(isRow ? "table" : "main");
  window.owners = new WeakMap();
  window.record = (name, state) => {
    const inside = html.replace("NAME", name).replace("STATE", state);
    const holder = document.createElement(isRow ? "tbody" : "div");
    holder.innerHTML = inside;
    for (const one of holder.querySelectorAll("button")) owners.set(one, name);
    return holder.firstElementChild;
  };
  document.body.replaceChildren(list);
  window.rows = names.map(([name, state]) => list.appendChild(record(name, state)));
}"""
_CHANGES = {
    "renamed": "at => { rows[at].querySelector('button:last-of-type').textContent = 'Restore' }",
    "removed": "at => rows[at].querySelector('button:last-of-type').remove()",
    "record removed": "at => rows[at].remove()",
    "record inserted": "(at, name, state) => rows[at].before(record(name, state))",
    "drawn anew": "(at, name, state, old) => rows[at].replaceWith(record(old, state))",
}


async def _try(page: Page, chance: random.Random) -> tuple[int, int]:
    """Draw records, change some of them, and look at what is offered; so many refusals, and successors."""
    names = chance.sample(_NAMES, chance.randrange(2, 7))
    html = chance.choice(_LAYOUTS)
    await page.evaluate(_DRAW, html, [[name, chance.choice(_STATES)] for name in names])
    old = [one.id for one in (await page.snapshot()).find("button", "Delete")]
    done = []
    for at in chance.sample(range(len(names)), chance.randrange(1, 3)):
        how = chance.choice([*_CHANGES, "drawn anew", "drawn anew"])
        new = chance.choice([one for one in [*_NAMES, "Fay"] if one not in names])
        await page.evaluate(_CHANGES[how], at, new, chance.choice(_STATES), names[at])
        done.append((how, names[at], new))
    refusals = successors = 0
    for id_, name in zip(old, names, strict=True):
        told = f"{html} {names}: {done}; {id_} of {name}"
        owner, error = await _owner_of(page, id_)
        assert error or owner == name, told
        refusals += error is not None
        for one in error.successors if error else ():
            if one.name == "Delete":
                owner, _ = await _owner_of(page, one.id)
                assert (owner, one.beside) == (name, name), f"{told}: {error}"
                successors += 1
    return refusals, successors


async def _owner_of(page: Page, id_: str) -> tuple[str | None, StaleElement | None]:
    try:
        return await page.evaluate("one => owners.get(one)", element=id_), None
    except StaleElement as error:
        return None, error


async def test_a_successor_is_of_the_record_that_was_meant(home_page: Page) -> None:
    chance = random.Random(20261128)
    told = [await _try(home_page, chance) for _ in range(60)]
    assert sum(refusals for refusals, _ in told) > 40
    assert sum(successors for _, successors in told) > 10


@pytest.mark.soak
async def test_a_successor_is_of_the_record_that_was_meant_in_long(home_page: Page) -> None:
    seed = secrets.randbelow(2**32)
    print(f"seed {seed}")  # noqa: T201 - to repeat it
    chance = random.Random(seed)
    for _ in range(2_000):
        await _try(home_page, chance)


async def test_a_button_in_the_place_of_a_select_is_offered(home_page: Page) -> None:
    page = home_page
    await page.evaluate(
        "html => { document.body.innerHTML = html }",
        "<form><label>Language <select><option>en<option>de</select></label><button>Save</button></form>",
    )
    (select,) = (await page.snapshot()).find("combobox")
    await page.evaluate(
        """() => { const label = document.querySelector("label"), select = label.firstElementChild;
        select.hidden = true;
        label.replaceWith(select);
        select.insertAdjacentHTML("afterend",
            "<a href=# >Language</a><button aria-label=Language>en</button>") }"""
    )
    with pytest.raises(StaleElement, match=r"left out of the accessibility tree; likely meant") as stale:
        await page.select_option(select.id, "de")
    assert {(one.role, one.name) for one in stale.value.successors} == {
        ("link", "Language"),
        ("button", "Language"),
    }


async def test_a_name_is_no_likelier_for_being_as_alike_as_its_neighbours_were(home_page: Page) -> None:
    """The days of a calendar, of which the month was turned: none is the day that was meant."""
    page = home_page
    draw = """(month) => {
      const days = [10, 11, 12, 13, 14].map((day) => new Date(2026, month, day).toLocaleDateString("en-US",
        { weekday: "long", month: "long", day: "numeric", year: "numeric" }));
      document.body.innerHTML = days.map((day) => `<button>${day}</button>`).join("");
    }"""
    for first, then, again in ((2, 3, False), (2, 3, True)):
        await page.evaluate(draw, first)
        id_ = (await page.snapshot()).find("button", "Tuesday, March 10, 2026")[0].id
        assert id_ is not None
        await page.evaluate(draw, then)
        if again:
            await page.evaluate(draw, first)
        with pytest.raises(StaleElement) as caught:
            await page.click(id_)
        named = [one.name for one in caught.value.successors]
        assert named == (["Tuesday, March 10, 2026"] if again else [])


async def test_a_name_that_is_much_more_alike_than_its_neighbours_were_is_offered(home_page: Page) -> None:
    page = home_page
    draw = "(names) => { document.body.innerHTML = names.map((one) => `<button>${one}</button>`).join('') }"
    await page.evaluate(draw, ["Shopping cart (2)", "Shopping list", "Help"])
    id_ = (await page.snapshot()).find("button", "Shopping cart (2)")[0].id
    assert id_ is not None
    await page.evaluate(draw, ["Shopping cart (3)", "Shopping list", "Help"])
    with pytest.raises(StaleElement) as caught:
        await page.click(id_)
    assert [one.name for one in caught.value.successors] == ["Shopping cart (3)"]


_CANVAS = """<ul><li draggable=true>inject<li draggable=true>watch</ul>
<div id=canvas tabindex=0 style="width:200px;height:90px;overflow:scroll">
<svg width=300 height=80></svg></div>
<section><div tabindex=0 style="width:90px;height:30px;overflow:scroll"></div>watch
  <div tabindex=0 style="width:200px;height:30px;overflow:scroll"></div></section><script>
  let dragged;
  ondragstart = (event) => { dragged = event.target };
  canvas.ondragover = (event) => event.preventDefault();
  canvas.ondrop = () => {
    canvas.firstElementChild.innerHTML += `<text y=20>${dragged.textContent}</text>`;
    canvas.focus();
  };
</script>"""


async def test_of_a_container_without_a_name_no_other_is_offered(home_page: Page) -> None:
    """To what holds only what is dropped there, as Node-RED's canvas does, any other container is alike."""
    page = home_page
    await page.goto(f"data:text/html,{quote(_CANVAS)}")
    snapshot = await page.snapshot()
    items = [one.id for one in snapshot.find("listitem")]
    canvas = snapshot.find("generic")[0].id
    await page.drag(items[0], canvas)
    with pytest.raises(StaleElement, match='is now element "inject"; take') as caught:
        await page.drag(items[1], canvas, wait=False)
    assert caught.value.successors == ()
    await page.evaluate("() => canvas.remove()")
    with pytest.raises(StaleElement, match="out of its document; take") as caught:
        await page.drag(items[1], canvas, wait=False)
    assert caught.value.successors == ()
