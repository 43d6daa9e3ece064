"""Drags onto an element: sortable lists, targets that move, what lies under the drop."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from hybridsnap import ElementCovered, StaleElement
from hybridsnap.act.dropping import DragOptions
from tests.support.faults import evaluate
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from hybridsnap import Page
    from tests.support.pages import PageServer

_STYLE = """<!doctype html><style>
  body { margin: 8px } ul { margin: 0; padding: 4px; width: 220px; overflow: auto; list-style: none }
  li { height: 30px; margin: 2px; background: #cde } .grid li { float: left; width: 60px; height: 60px }
</style>"""
#: As SortableJS has it: HTML's drag and drop; deaf for 30 ms after each change.
_BY_DRAGOVER = """
  let dragged = null, deaf = 0;
  list.ondragstart = (event) => { dragged = event.target };
  list.ondragover = (event) => {
    event.preventDefault();
    const over = event.target.closest("li");
    if (!over || over === dragged || performance.now() < deaf) return;
    const after = over.compareDocumentPosition(dragged) & Node.DOCUMENT_POSITION_PRECEDING;
    over[after ? "after" : "before"](dragged);
    deaf = performance.now() + 30;
  };
  for (const one of list.children) one.draggable = true;
"""
#: As WordPress's list of blocks: which half of which item the pointer is over is looked at once in 200 ms,
#: and the last look that is due is dropped with the drop.
_THROTTLED = """<ul id=list><li id=One draggable=true>One<li id=Two draggable=true>Two</ul><script>
  let dragged = null, last = 0, timer = 0, where = null;
  const decide = (over, y) => {
    const { top, height } = over.getBoundingClientRect();
    where = [over, y < top + height / 2 ? "before" : "after"];
    last = performance.now();
  };
  list.ondragstart = (event) => { dragged = event.target; where = null };
  list.ondragover = (event) => {
    event.preventDefault();
    const over = event.target.closest("li"), y = event.clientY, due = 200 - (performance.now() - last);
    clearTimeout(timer);
    if (over && due > 0) timer = setTimeout(decide, due, over, y);
    else if (over) decide(over, y);
  };
  list.ondrop = (event) => {
    event.preventDefault();
    clearTimeout(timer);
    if (where && where[0] !== dragged) where[0][where[1]](dragged);
  };
</script>"""
#: As jQuery UI has it: the item itself follows the pointer, an invisible one keeps its place, and two change
#: places when the pointer passes the middle of the other on its way.
_BY_MOUSE = """
  let held = null, grip = 0, last = 0;
  const place = document.createElement("li");
  place.style.visibility = "hidden";
  list.onmousedown = (event) => {
    held = event.target.closest("li");
    grip = [event.pageX - held.offsetLeft, event.pageY - held.offsetTop];
    last = event.pageY;
    event.preventDefault();
  };
  onmousemove = (event) => {
    if (!held) return;
    if (!place.isConnected) held.after(place);
    Object.assign(held.style, { position: "absolute", width: "200px",
      left: event.pageX - grip[0] + "px", top: event.pageY - grip[1] + "px" });
    const down = event.pageY > last, up = event.pageY < last;
    last = event.pageY;
    for (const one of list.children) {
      const box = one.getBoundingClientRect(), middle = (box.top + box.bottom) / 2;
      if (one === held || one === place || event.clientY < box.top || event.clientY >= box.bottom) continue;
      if (down && event.clientY >= middle) one.after(place);
      if (up && event.clientY < middle) one.before(place);
    }
  };
  onmouseup = () => {
    if (!held) return;
    held.style = "";
    place.replaceWith(held);
    held = null;
  };
"""


def _list(script: str, count: int, kind: str = "") -> str:
    items = "".join(f"<li id=n{n}>{n}</li>" for n in range(1, count + 1))
    return f"{_STYLE}<ul id=list class='{kind}'>{items}</ul><script>{script}</script>"


def _moved(count: int, source: int, target: int) -> str:
    order = [n for n in range(1, count + 1) if n != source]
    order.insert(target - 1, source)
    return "".join(map(str, order))


async def _order(page: Page) -> str:
    script = "[...document.querySelectorAll('#list li')].map((one) => one.textContent).join('')"
    order: str = await evaluate(page.session, script)
    return order


#: A note that lies over the whole of a place, and goes along with the pointer.
_NOTE = """<!doctype html><title>Note</title><style>[role=button] { position: absolute }</style>
<div id=place role=button style="left: 20px; top: 20px; width: 100px; height: 60px">Place</div>
<div id=note role=button style="left: 0; top: 0; width: 160px; height: 120px; background: gold">Note</div>
<script>
  let grip = null;
  note.onmousedown = (event) => { grip = [event.pageX, event.pageY]; event.preventDefault() };
  onmousemove = (event) => {
    if (grip) note.style.translate = `${event.pageX - grip[0]}px ${event.pageY - grip[1]}px`;
  };
  onmouseup = () => { document.title = grip ? "dropped" : "not held"; grip = null };
</script>"""


@pytest.fixture
async def pages() -> Any:
    async with serve_pages(
        {
            "/dragover": _list(_BY_DRAGOVER, 5),
            "/grid": _list(_BY_DRAGOVER, 9, "grid"),
            "/mouse": _list(_BY_MOUSE, 5),
            "/two-lists": _TWO_LISTS,
            "/board": _BOARD,
            "/scrolls": _SCROLLS,
            "/hollow": _HOLLOW,
            "/note": _NOTE,
        }
    ) as server:
        yield server


@pytest.mark.parametrize(
    ("kind", "count", "pairs"),
    [
        ("dragover", 5, [(1, 5), (4, 2), (2, 3)]),
        ("grid", 9, [(3, 4), (9, 1)]),
        ("mouse", 5, [(1, 3), (5, 1), (3, 2)]),
        pytest.param("dragover", 5, [(1, 3), (5, 1)], marks=pytest.mark.soak),
        pytest.param("grid", 9, [(1, 5), (4, 3), (7, 3)], marks=pytest.mark.soak),
        pytest.param("mouse", 5, [(1, 5), (4, 2)], marks=pytest.mark.soak),
    ],
)
async def test_an_item_of_a_sortable_list_takes_the_place_of_its_target(
    page: Page, pages: PageServer, kind: str, count: int, pairs: list[tuple[int, int]]
) -> None:
    await page.goto(pages.url(f"/{kind}"))
    for source, target in pairs:
        receipt = await page.drag(f"#n{source}", f"#n{target}")
        assert await _order(page) == _moved(count, source, target), (source, target, str(receipt))
        assert receipt.value["made_room"], str(receipt)
        assert f"had been: it moved during the drag; over list [{receipt.value['over']}]" in str(receipt)
        await page.reload()
    # The texts in the items, which are what a snapshot names.
    source, target = pairs[0]
    await page.drag(f"//*[@id='n{source}']/text()", f"//*[@id='n{target}']/text()")
    assert await _order(page) == _moved(count, source, target)


#: As SortableJS has it between lists: before or after an item by the half the pointer is in; at its very
#: middle neither.
_TWO_LISTS = f"""{_STYLE}<ul id=list><li id=n1>1<li id=n2>2</ul><ul id=other><li id=n3>3<li id=n4>4</ul>
<script>
  let dragged = null;
  document.ondragstart = (event) => {{ dragged = event.target }};
  other.ondragover = (event) => {{
    event.preventDefault();
    const over = event.target.closest("li");
    if (!over || over === dragged || dragged.parentNode === other) return;
    const box = over.getBoundingClientRect(), middle = (box.top + box.bottom) / 2;
    if (event.clientY < middle) over.before(dragged);
    if (event.clientY > middle) over.after(dragged);
  }};
  for (const one of document.querySelectorAll("li")) one.draggable = true;
</script>"""


async def test_an_item_takes_the_place_of_an_item_of_another_list(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/two-lists"))
    receipt = await page.drag("#n1", "#n4")
    assert await evaluate(page.session, "[list.textContent, other.textContent].join('/')") == "2/314"
    assert receipt.value["made_room"]
    await page.goto(pages.url("/two-lists"))
    await evaluate(page.session, "list.style.float = 'left'")  # at one height
    await page.drag("#n2", "#n4")
    assert await evaluate(page.session, "[list.textContent, other.textContent].join('/')") == "1/324"


_BOARD = """<!doctype html><body style='margin:0'>
  <div id=board role=group aria-label=Board
    style='position:relative;width:300px;height:300px;background:#eee'>
  </div>
  <div id=piece role=img aria-label=Piece
    style='position:absolute;left:130px;top:130px;width:40px;height:40px;background:#c00'></div>
  <div id=lid hidden style='position:absolute;left:0;top:0;width:300px;height:300px;background:#0c0'></div>
  <script>
    let held = false;
    window.ways = [];
    piece.onmousedown = (event) => { held = true; ways.length = 0; event.preventDefault() };
    onmousemove = (event) => {
      if (!held) return;
      ways.push([event.clientX, event.clientY, event.timeStamp]);
      piece.style.left = event.clientX - 20 + "px"; piece.style.top = event.clientY - 20 + "px";
    };
    onmouseup = (event) => { held = false; ways.push([event.clientX, event.clientY, event.timeStamp]) };
  </script>"""


async def test_a_drag_that_is_stopped_when_the_page_has_heard_the_press_says_so(home_page: Page) -> None:
    """A page may do something as the button is let go: Blockly puts a block of its tool box down."""
    await home_page.evaluate(
        """() => {
          document.body.innerHTML = "<ul><li>Ann <b>Move</b><li>Bob <b>Move</b></ul><p id=to>Bin</p>";
          const [ann, bob] = [...document.querySelectorAll("li")].map((one) => one.firstChild);
          addEventListener("pointerdown", () => { ann.data = "Bob "; bob.data = "Cid " });
          addEventListener("pointerup", () => { document.title = "put down" });
        }"""
    )
    snapshot = await home_page.snapshot()
    handle = next(row.id for row in snapshot.rows if row.name == "Move")
    assert handle is not None
    with pytest.raises(StaleElement) as caught:
        await home_page.drag(handle, "#to")
    assert caught.value.partial
    assert await home_page.evaluate("document.title") == "put down"


async def test_the_dragged_element_is_no_cover_and_the_receipt_says_what_lay_under_it(
    page: Page, pages: PageServer
) -> None:
    await page.goto(pages.url("/board"))
    snapshot = await page.snapshot()
    (board,) = snapshot.find(role="group", name="Board")
    (piece,) = snapshot.find(name="Piece")
    receipt = await page.drag(piece.id, board.id)
    assert receipt.value["over"] == board.id
    assert (receipt.value["x"], receipt.value["y"]) == (150, 150)  # the middle, though the piece lay there
    assert f'let go over group "Board" [{board.id}]' in str(receipt)
    assert not receipt.value["made_room"]
    await evaluate(page.session, "lid.hidden = false; piece.style.zIndex = 1")
    with pytest.raises(ElementCovered, match="cannot drop on group"):
        await page.drag(piece.id, board.id, wait=False)
    forced = await page.drag(piece.id, board.id, force=True)
    assert forced.value["over"] not in {None, board.id}
    assert f'let go at group "Board" [{board.id}], over ' in str(forced)
    # What the receipt names can be acted on.
    await page.click(forced.value["over"])


async def test_a_place_that_the_dragged_element_lies_over_takes_it(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/note"))
    (place,) = (await page.snapshot()).find(role="button", name="Place")
    receipt = await page.drag("#note", place.id, wait=False)
    assert receipt.value["over"] == place.id
    assert await evaluate(page.session, "document.title") == "dropped"
    with pytest.raises(ElementCovered, match="cannot click"):
        await page.click(place.id, wait=False)


async def test_a_page_that_looks_at_dragover_five_times_a_second_sees_the_last(page: Page) -> None:
    await page.goto(f"data:text/html,{quote(_STYLE + _THROTTLED)}")
    for source, target, order in (("One", "Two", "Two One"), ("One", "Two", "One Two")):
        receipt = await page.drag(f"#{source}", f"#{target}")
        assert await evaluate(page.session, "[...list.children].map((one) => one.id).join(' ')") == order, (
            receipt
        )


#: As @hello-pangea/dnd has it: what is let go glides to its place, and is put there when it has arrived.
_GLIDES = """<!doctype html><style>body { margin: 0 } #from, #to { height: 90px } .card { width: 200px }
  .gliding { transition: transform 330ms; transform: translateY(104px) !important }</style>
  <div id=from><div class=card id=card><span id=grip>Write</span></div></div><div id=to>Done</div><script>
  let begin = null;
  card.onmousedown = (event) => { begin = event.clientY; event.preventDefault() };
  onmousemove = ({ clientY }) => {
    if (begin !== null) card.style.transform = `translateY(${clientY - begin}px)`;
  };
  onmouseup = () => {
    begin = null;
    card.className = "gliding";
    card.ontransitionend = () => { card.className = card.style.transform = ""; to.append(card) };
  };
</script>"""


@pytest.mark.parametrize("grip", ["card", "grip"])
async def test_what_glides_to_its_place_when_it_is_let_go_has_arrived(page: Page, grip: str) -> None:
    await page.goto(f"data:text/html,{quote(_GLIDES)}")
    receipt = await page.drag(f"#{grip}", "#to")
    assert await evaluate(page.session, "card.parentNode.id") == "to", receipt
    await page.goto(f"data:text/html,{quote(_GLIDES)}")
    receipt = await page.drag_at((10, 10), (10, 150))
    assert await evaluate(page.session, "card.parentNode.id") == "to", receipt


async def test_of_what_glides_for_long_the_receipt_says_that_it_had_not_come_to_rest(page: Page) -> None:
    await page.goto(f"data:text/html,{quote(_GLIDES.replace('330ms', '60s'))}")
    receipt = await page.drag("#card", "#to")
    assert "the page had not come to rest" in receipt.notes


async def test_positions_steps_and_hold(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/board"))
    receipt = await page.drag(
        "#piece", "#board", source_position=(5, 5), target_position=(250, 60), steps=7, hold=0.1
    )
    assert (receipt.value["x"], receipt.value["y"]) == (250, 60)
    ways = await evaluate(page.session, "JSON.parse(JSON.stringify(ways))")
    points = {(x, y) for x, y, _ in ways}
    assert len(points) >= 8
    assert ways[-1][:2] == [250, 60]
    assert ways[-1][2] - next(one[2] for one in ways if one[:2] == [250, 60]) >= 200


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"steps": 0}, "steps: expected a whole number from 1 to 1000, got 0"),
        ({"steps": True}, "steps: expected a whole number"),
        ({"hold": -1}, "hold: expected a number of seconds, got -1"),
        ({"hold": "1"}, "hold: expected a number of seconds"),
        ({"target_position": (1, "2")}, "target_position is two numbers"),
    ],
)
def test_wrong_options_of_a_drag(options: dict[str, Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        DragOptions(**options)


#: The page scrolls by itself while something is held over the target.
_SCROLLS = """<!doctype html><body style='margin:0;height:3000px'>
  <div id=source style='width:80px;height:40px;background:#ccc'>source</div>
  <div id=target style='position:absolute;top:300px;width:200px;height:60px;background:#cfc'>target</div>
  <script>
    let held = false, scrolled = false;
    source.onmousedown = (event) => { held = true; event.preventDefault() };
    target.onmousemove = () => {
      if (held && !scrolled) { scrolled = true; scrollBy({ top: 150, behavior: "instant" }) }
    };
    onmouseup = (event) => { held = false; window.dropped = event.target.id };
  </script>"""


async def test_the_pointer_follows_a_target_that_scrolls_under_it(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/scrolls"))
    receipt = await page.drag("#source", "#target")
    assert await evaluate(page.session, "[dropped, scrollY].join()") == "target,150"
    assert "let go over" in str(receipt)


#: A frame that is drawn, with nothing inside that a hit test would find.
_HOLLOW = """<!doctype html><body style='margin:0'><svg width=400 height=300>
  <rect id=box x=200 y=100 width=160 height=120 fill=none stroke=black stroke-width=2></rect>
  <circle id=ring cx=60 cy=220 r=50 fill=none stroke=black></circle>
  <rect id=piece x=10 y=10 width=20 height=20 fill=red></rect>
  <rect id=lid x=0 y=0 width=400 height=300 fill=blue display=none></rect></svg><script>
    let held = false;
    piece.onmousedown = (event) => { held = true; event.preventDefault() };
    onmousemove = (event) => {
      if (!held) return;
      piece.setAttribute("x", event.clientX - 10); piece.setAttribute("y", event.clientY - 10);
    };
    onmouseup = () => { held = false };
  </script>"""


async def test_a_drop_on_a_shape_without_a_fill_lands_inside(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/hollow"))
    at = "[piece.getAttribute('x'), piece.getAttribute('y')].join()"
    for target, place in (("#box", "270,150"), ("#ring", "50,210")):
        receipt = await page.drag("#piece", target)
        assert await evaluate(page.session, at) == place, str(receipt)
    await page.drag("#piece", "#box", target_position=(40, 30))
    assert await evaluate(page.session, at) == "230,120"
    # What is drawn over it is a cover, as ever.
    await evaluate(page.session, "lid.setAttribute('display', 'inline')")
    await evaluate(page.session, "document.querySelector('svg').append(piece)")
    with pytest.raises(ElementCovered, match="cannot drop on"):
        await page.drag("#piece", "#box", wait=False)


async def test_what_is_made_for_html_drag_and_drop_goes_straight_to_its_target(page: Page) -> None:
    """No library of that kind asks for the pointer's direction."""
    await page.goto(
        "data:text/html,<style>div { width: 90px; height: 40px; margin: 30px }</style>"
        "<div role=button draggable=true"
        " ondragstart='event.dataTransfer.setData(`text/plain`, `it`)'>Source</div>"
        "<div role=button ondragover='event.preventDefault(); seen.push(event.clientX)'>Target</div>"
        "<script>seen = []; addEventListener('drop', () => { document.title = 'dropped'; })</script>"
    )
    snapshot = await page.snapshot()
    source, target = (snapshot.find(role="button", name=name)[0].id for name in ("Source", "Target"))
    await page.drag(source, target)
    assert await page.evaluate("[document.title, new Set(seen).size]") == ["dropped", 1]


async def test_what_stands_in_a_shadow_root_without_an_element_around_it_is_dragged(page: Page) -> None:
    """Neither its parent nor that of the document's root is an element."""
    await page.goto(
        "data:text/html,<!doctype html><style>div { width: 90px; height: 40px; margin: 30px }</style>"
        "<div><template shadowrootmode=open><button>Source</button></template></div>"
        "<div role=button>Target</div>"
        "<script>for (const kind of ['mousedown', 'mouseup']) addEventListener(kind, (event) => {"
        " document.title += ` ${kind} ${event.composedPath()[0].localName}`; });</script>"
    )
    snapshot = await page.snapshot()
    source, target = (snapshot.find(role="button", name=name)[0].id for name in ("Source", "Target"))
    await page.drag(source, target)
    assert await page.evaluate("document.title") == "mousedown button mouseup div"
    await page.drag(source, "html", target_position=(400, 150))
    assert (await page.evaluate("document.title")).endswith(" mousedown button mouseup html")


#: A list that puts other nodes in the place of its items when their order changes; `upon` is run before that.
_RENDERS = """<!doctype html><ul id=list></ul><p id=out></p><script>
  let items = ["Alpha", "Beta", "Gamma", "Delta"], held = null;
  const upon = () => {{ {upon} }};
  const render = () => {{
    list.replaceChildren(...items.map((words) => {{
      const item = document.createElement("li");
      item.innerHTML = `<span>${{words}}</span>`;
      item.style = "height: 40px";
      item.onmousedown = (event) => {{ held = words; event.preventDefault() }};
      return item;
    }}));
  }};
  onmousemove = (event) => {{
    const over = [...list.children].findIndex((one) => {{
      const box = one.getBoundingClientRect();
      return event.clientY >= box.top && event.clientY < box.bottom;
    }});
    if (!held || over < 0 || items[over] === held) return;
    items = items.filter((one) => one !== held);
    items.splice(over, 0, held);
    upon();
    render();
  }};
  onmouseup = () => {{ if (held) out.textContent = items.join(" "); held = null }};
  render();
</script>"""


@pytest.mark.parametrize("role", ["listitem", "StaticText"])
@pytest.mark.parametrize(
    ("source", "target", "order"), [(0, 2, "Beta Gamma Alpha Delta"), (3, 1, "Alpha Delta Beta Gamma")]
)
async def test_an_item_of_a_list_that_is_rendered_anew_takes_the_place_of_its_target(
    page: Page, role: str, source: int, target: int, order: str
) -> None:
    await page.goto("data:text/html," + quote(_RENDERS.format(upon="")))
    items = [row.id for row in (await page.snapshot()).find(role=role)]
    receipt = await page.drag(items[source], items[target])
    assert await page.evaluate("out.textContent") == order
    assert receipt.value["made_room"]
    assert "rendered the target anew" in str(receipt)


@pytest.mark.parametrize(
    "upon",
    [
        "items = items.filter((one) => one !== 'Gamma')",
        "items = items.map((one) => one.replace('Gamma', 'Other'))",
    ],
)
async def test_a_target_that_goes_as_the_drag_comes_is_not_dropped_on(page: Page, upon: str) -> None:
    """The dragged item is back in its place, and the error says that the page has heard of the drag."""
    await page.goto("data:text/html," + quote(_RENDERS.format(upon=upon)))
    items = [row.id for row in (await page.snapshot()).find(role="listitem")]
    with pytest.raises(StaleElement, match="the drag had begun; it was broken off") as caught:
        await page.drag(items[0], items[2])
    assert caught.value.partial
    assert not caught.value.successors
    assert str(await page.evaluate("out.textContent")).startswith("Alpha Beta")


#: Two boxes, of which the first is dragged; `upon` is run as that begins. A drop says what it came to.
_BOXES = """<!doctype html><style>div {{ width: 120px; height: 40px; margin: 20px }}</style>
<div id=from>Meeting</div><div id=onto>Review</div><div id=twin>Review</div><p id=out></p><script>
  let held = false;
  const anew = (one) => one.replaceWith(one.cloneNode(true));
  onmousedown = (event) => {{ held = event.target.id === "from"; event.preventDefault() }};
  onmousemove = () => {{
    if (!held || window.begun) return;
    window.begun = true;
    const [from, onto] = [document.querySelector("#from"), document.querySelector("#onto")];
    {upon}
  }};
  onmouseup = (event) => {{ out.textContent = event.target.id || "nothing" }};
</script>"""


@pytest.mark.parametrize(
    ("upon", "came_to"),
    [
        ("anew(onto)", "onto"),
        ("anew(from); anew(onto)", "onto"),
        ("onto.remove()", "nothing"),
        ("onto.outerHTML = '<div id=onto>Retreat</div>'", "nothing"),
        (
            "onto.before(document.createElement('hr')); twin.after(onto.cloneNode(true)); onto.remove()",
            "nothing",
        ),
    ],
)
async def test_a_target_that_is_rendered_anew_as_the_drag_begins(page: Page, upon: str, came_to: str) -> None:
    await page.goto("data:text/html," + quote(_BOXES.format(upon=upon)))
    if came_to == "nothing":
        with pytest.raises(StaleElement, match="the drag had begun; it was broken off"):
            await page.drag("#from", "#onto")
    else:
        receipt = await page.drag("#from", "#onto")
        assert receipt.value["over"]
        assert not receipt.value["made_room"]
    assert await page.evaluate("out.textContent") == came_to


#: Rows that HTML's drag and drop takes; `upon` is run as the first is pressed.
_ROWS = """<!doctype html><style>li {{ height: 40px }}</style><ul id=list>{rows}</ul><p id=bin>Bin</p><script>
  const seen = [];
  const anew = (one) => one.replaceWith(one.cloneNode(true));
  list.onmousedown = (event) => {{ const row = event.target.closest("li"); {upon} }};
  for (const type of ["dragstart", "drop"]) addEventListener(type, (event) => {{
    seen.push(`${{type}} ${{event.target.closest("li, p").firstChild.data.trim()}}`);
  }});
  bin.ondragover = (event) => event.preventDefault();
</script>"""
_WHOLE = "<li draggable=true>Alpha<li draggable=true>Beta<li draggable=true>Gamma"
_HANDLES = "<li>Alpha <b draggable=true>Move</b><li>Betas <b draggable=true>Move</b>"


@pytest.mark.parametrize("rows", [_WHOLE, _HANDLES])
@pytest.mark.parametrize("delay", [None, 0, 20])
async def test_what_comes_into_the_place_of_a_pressed_row_is_not_dragged(
    page: Page, rows: str, delay: int | None
) -> None:
    """The browser takes what stands there when the pointer moves."""
    upon = "row.remove()" if delay is None else f"setTimeout(() => row.remove(), {delay})"
    await page.goto("data:text/html," + quote(_ROWS.format(rows=rows, upon=upon)))
    begun: list[str] = []
    try:
        await page.drag("li >> nth=0" if rows == _WHOLE else "b >> nth=0", "#bin")
        assert delay == 20  # the row went only after its drag had begun, if it did not raise
        begun = ["dragstart Alpha", "drop Bin"]
    except StaleElement as error:
        assert re.match("the drag had begun; .* would have been dragged", str(error))  # noqa: PT017
        assert error.partial  # noqa: PT017
    assert await page.evaluate("return seen") == begun


@pytest.mark.parametrize(("rows", "role"), [(_WHOLE, "listitem"), (_HANDLES, "StaticText")])
@pytest.mark.parametrize("upon", ["anew(row)", "setTimeout(() => anew(row))", "setTimeout(() => anew(list))"])
async def test_a_row_that_is_rendered_anew_as_it_is_pressed_is_dragged(
    page: Page, rows: str, role: str, upon: str
) -> None:
    await page.goto("data:text/html," + quote(_ROWS.format(rows=rows, upon=upon)))
    found = [row.id for row in (await page.snapshot()).find(role=role) if row.name in {"", "Move"}]
    await page.drag(found[0], "#bin")
    assert await page.evaluate("return seen") == ["dragstart Alpha", "drop Bin"]
