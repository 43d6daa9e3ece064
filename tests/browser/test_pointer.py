"""The pointer on every kind of element: where it presses, what it refuses, what it never reaches."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import trio

from hybridsnap import CommandRefused, ElementCovered, NotInteractable, StaleElement
from hybridsnap.act.dragging import drag_at, drag_element
from hybridsnap.act.input_state import InputState
from hybridsnap.act.mouse import move_mouse
from hybridsnap.act.pointer import (
    PointerOptions,
    click_at,
    click_element,
    hover_element,
)
from hybridsnap.capture.pointing import place_at
from hybridsnap.drivers.base import refused
from hybridsnap.injected import script
from hybridsnap.protocol.commands import call_function
from hybridsnap.protocol.plan import Failure, Reply, gather, gather_outcomes, pause
from tests.support.faults import until
from tests.support.headless_shell import IN_HEADLESS_SHELL
from tests.support.pages import busy_for, serve_pages
from tests.support.pointer_stage import Stage, T, click_on, find

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from hybridsnap import Page
    from hybridsnap.act.element import Element
    from hybridsnap.act.pointer import Hit
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Batch, Outcome, Plan


def spoiled(plan: Plan[T], method: str, reason: str, times: int) -> Plan[T]:
    """A plan whose first commands of this kind are refused, whatever the browser says to them."""
    left = times
    asked: Batch = next(plan)
    while True:
        outcomes = yield asked
        answers: list[tuple[int, Outcome[Any]]] = []
        for ticket, outcome in outcomes:
            asked_for = [one.method for one in asked.commands][ticket - asked.first :][:1]  # none: the time
            if asked_for == [method] and left:
                left -= 1
                error = refused(method, -32000, reason)
                answers.append((ticket, Failure(error, outcome.elapsed, outcome.remaining)))
            else:
                answers.append((ticket, outcome))
        try:
            asked = plan.send(answers)
        except StopIteration as stop:
            value: T = stop.value
            return value


@pytest.fixture
async def stage(page: Page) -> AsyncIterator[Stage]:
    stage = Stage(page)
    async with serve_pages(stage.contents) as server:
        stage.server = server
        yield stage


# Every kind of element

_MAP = (
    "<img usemap=#m style='padding:7px;border:3px solid' width=200 height=100 src=/image.svg>"
    "<map name=m><area id=other shape=rect coords='0,0,60,60' href='#1'>"
    "<area id=it shape={} href='#2'></map>"
)
_KINDS = {
    "button": "<button id=it>Go</button>",
    "link over two lines": (
        "<p style='width:150px'>some words before <a id=it href='#x'>a link that is broken</a> and after"
    ),
    "text node": "<p id=it>before <b>bold</b> after</p>",
    "text far down": "<p id=it><br style='line-height:3000px'>low</p>",
    "image map": _MAP.format("circle coords='150,50,30'"),
    "polygon": _MAP.format("poly coords='80,0,200,0,200,20,190,20,190,95,80,95'"),
    "svg circle": "<svg width=100 height=100><circle id=it cx=50 cy=50 r=20 /></svg>",
    "svg line": (
        "<svg width=100 height=100><path id=it d='M5 5 L5 90 L90 90' stroke=black fill=none /></svg>"
    ),
    "svg group": (
        "<svg width=100 height=100><g id=it><circle cx=10 cy=10 r=5 /><circle cx=90 cy=90 r=5 /></g></svg>"
    ),
    "option of a list": "<select multiple size=2><option>1<option>2<option>3<option id=it>4</select>",
    "summary": "<details><summary id=it>More</summary>inside</details>",
    "floating child": "<a id=it href='#x'><b style='float:left;width:80px'>child</b></a>",
    "display contents": "<div id=it style='display:contents'><b>child</b></div>",
    "empty box": "<div id=it style='height:0'><i style='position:absolute;top:40px'>out</i></div>",
    "editable": "<div id=it contenteditable style='height:60px'></div>",
    "canvas": "<canvas id=it width=100 height=50></canvas>",
    "far away": "<div style='width:4000px;height:4000px'></div><button id=it>Go</button>",
    "higher than the view": "<div id=it style='height:9000px'></div>",
    "within scrolled boxes": (
        "<div style='height:100px;overflow:auto'><div style='height:900px'></div>"
        "<div style='height:60px;overflow:auto'><div style='height:500px'></div><button id=it>Go</button>"
        "</div></div>"
    ),
    "fixed in a clipped box": (
        "<div style='overflow:hidden;height:0'><button id=it style='position:fixed;top:90px'>Go</button>"
    ),
    "fragment of a pixel": (
        "<div id=it style='position:absolute;left:80.4px;top:30.3px;width:.6px;height:.6px'></div>"
    ),
    "slotted": (
        "<x-y><template shadowrootmode=open><button id=it><slot></slot></button></template>"
        "<span>light</span></x-y>"
    ),
    "slotted in a closed root": (
        "<x-y id=it><template shadowrootmode=closed><button><slot></slot></button></template>"
        "<span>light</span></x-y>"
    ),
    "a form with treacherous names": (
        "<form id=it style='height:50px'><input name=parentNode hidden><input name=getClientRects hidden>"
        "<input name=getRootNode hidden><input name=getBoundingClientRect hidden></form>"
        "<form name=elementFromPoint></form><form name=hidden></form><form name=documentElement></form>"
    ),
}
_SELECTORS = {
    "text node": "//p/text()[2]",
    "text far down": "//p/text()",
    "slotted": "x-y >> button",
    "slotted in a closed root": "x-y >> button",
}


async def test_every_kind_of_element_receives_its_click(stage: Stage) -> None:
    await stage.open("")
    for kind, body in _KINDS.items():
        await stage.put(body)
        await stage.click(_SELECTORS.get(kind, "#it"))
        assert stage.kinds() == click_on("it"), kind
        assert all(one["trusted"] for one in stage.heard)
        assert await stage.guards() == [0]


_HIDDEN = {
    "transparent": "opacity:0",
    "one pixel": "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)",
    "far to the left": "position:absolute;left:-9999px",
    "no size": "appearance:none;width:0;height:0;margin:0;border:0",
    "lets the pointer through": "pointer-events:none",
}


async def test_a_box_that_hides_is_ticked_at_its_label(stage: Stage) -> None:
    await stage.open("")
    for kind, (how, style) in itertools.product(("radio", "checkbox"), _HIDDEN.items()):
        await stage.put(
            f"<p><label id=label><input id=it type={kind} style='{style}'><span>Yes <a href='#x'>terms</a>"
            "</span></label></p>"
        )
        hit = await stage.click("#it")
        assert await stage.evaluate("it.checked"), (kind, how)
        assert ("at its label" in hit.notes) == (how != "transparent"), (kind, how)
        assert ("click", "it") in stage.kinds("click"), (kind, how)


_RATING = """<!doctype html><style>
  .hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip: rect(0 0 0 0) }
  #rating { display: inline-flex } .star { position: relative; display: block }
  .picture { display: flex; pointer-events: none } label { font-size: 24px }</style>
<div id=rating></div><script>
  for (const n of [1, 2, 3, 4, 5]) {
    rating.innerHTML += `<span class=star><label for=s${n}><span class=picture><svg width=24 height=24>
      <circle cx=12 cy=12 r=10 /></svg></span><span class=hidden>${n} Stars</span></label>
      <input class=hidden type=radio name=stars id=s${n} value=${n}></span>`;
  }
  let under;  // the star that the pointer is over, whatever radio is clicked: as MUI's rating has it
  rating.onmousemove = ({ clientX }) => {
    const left = rating.getBoundingClientRect().left;
    under = Math.ceil((clientX - left) / rating.firstElementChild.offsetWidth);
  };
  rating.onchange = () => { document.getElementById(`s${under}`).checked = true; };
</script>"""


@pytest.mark.parametrize("action", ["click", "check"])
async def test_a_radio_of_one_px_is_pressed_in_what_is_seen_of_its_label(page: Page, action: str) -> None:
    async with serve_pages({"/": _RATING}) as pages:
        await page.goto(pages.url())
        for star in (3, 5, 1):
            receipt = await getattr(page, action)(f"#s{star}")
            assert await page.evaluate("() => rating.querySelector(':checked').value") == str(star)
            assert receipt.notes == ("at its label",)


#: A switch for assistive technology alone, as Carbon has it, whose px lies over its neighbour, or under it.
_SWITCH = """<input id=near style='display:block;width:200px;height:30px;position:relative;z-index:%s'>
<div><button id=it role=switch aria-checked=false aria-labelledby=l style='position:absolute;padding:0;
  border:0;width:1px;height:1px;margin:-8px -1px;overflow:hidden;clip:rect(0 0 0 0)'></button>
  <label id=l for=it>Alerts</label></div>
<script>it.onclick = () => it.ariaChecked = String(it.ariaChecked !== "true")</script>"""


@pytest.mark.parametrize("layer", ["auto", "1"], ids=["over", "under"])
async def test_a_switch_of_one_px_over_its_neighbour_is_pressed_at_its_label(page: Page, layer: str) -> None:
    async with serve_pages({"/": _SWITCH % layer}) as pages:
        await page.goto(pages.url())
        receipt = await page.check("#it", wait=False)
        assert receipt.notes == ("at its label",)
        assert [change.after for change in receipt.changes] == ["true"]


async def test_a_label_apart_and_a_control_on_top_of_its_label(stage: Stage) -> None:
    await stage.open(
        "<input id=one type=checkbox style='position:absolute;left:-500px'><p><label for=one>One</label>"
        "<p><label style='position:relative'><b id=words>Two</b><input id=two type=checkbox "
        "style='position:absolute;inset:0;opacity:0'></label>"
    )
    await stage.click("#one")
    assert await stage.evaluate("one.checked")
    await stage.click("#words")
    assert await stage.evaluate("two.checked")


@pytest.mark.parametrize("kind", ["tabindex=0", "contenteditable", "role=option tabindex=0"])
async def test_what_hands_its_click_on_to_the_control_of_its_label(stage: Stage, kind: str) -> None:
    await stage.open(f"<label><input id=box type=checkbox><span id=it {kind}>Card</span></label>")
    hit = await stage.click("#it")
    assert hit.notes == ()
    assert await stage.evaluate("box.checked")
    assert stage.kinds() == [*click_on("it"), ("click", "box")]


async def test_a_label_is_clicked_beside_the_links_in_it(stage: Stage) -> None:
    await stage.open(
        "<label id=it style='display:inline-block'><input id=box type=checkbox> "
        "<a href='#followed'>the long terms of use, in the middle of it</a></label>"
        "<p><label id=whole><a href='#all'>nothing but a link</a><input id=other hidden></label>"
    )
    await stage.click("#it")
    assert await stage.evaluate("[box.checked, location.hash]") == [True, ""]
    await stage.click("#whole")
    assert await stage.evaluate("location.hash") == "#all"


@pytest.mark.parametrize("how", ["zoom:2", "transform:scale(.5)", "padding:40px;border:20px solid"])
async def test_areas_of_images_that_are_scaled(stage: Stage, how: str) -> None:
    """Their boxes are where they are, to the pixel and a half."""
    await stage.open(
        f"<img usemap=#m width=200 height=100 src=/image.svg style='{how}'><map name=m>"
        "<area id=it coords='150 60 180 90' href='#1'></map>"
    )
    await stage.click("#it")
    assert stage.kinds() == click_on("it")
    box = await stage.page.bounding_box("#it")
    assert box is not None
    left, top, width, height = box
    seen = await stage.evaluate(
        f"""(() => {{
          const isNear = (x, y) => Math.abs(x - {left + width / 2}) < {width / 2 + 9}
            && Math.abs(y - {top + height / 2}) < {height / 2 + 9};
          const xs = [], ys = [];
          for (let x = 0; x < innerWidth; x++) for (let y = 0; y < 300; y++) {{
            if (!isNear(x, y) && (x % 9 || y % 9)) continue;
            if (document.elementFromPoint(x, y).id === "it") {{ xs.push(x); ys.push(y); }}
          }}
          return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
        }})()"""
    )
    assert seen == pytest.approx([left, top, left + width, top + height], abs=1.5)


async def test_what_is_laid_out_only_when_it_comes_into_view(stage: Stage) -> None:
    """It pushes the element away again, behind what is fixed there."""
    await stage.open(
        "<style>section { content-visibility: auto; contain-intrinsic-size: auto 500px }"
        "section > div { height: 900px } header { position: sticky; top: 0; height: 120px; background: red;"
        "z-index: 9 } footer { position: fixed; bottom: 0; left: 0; right: 0; height: 150px; background: blue"
        "}</style><header>H</header>"
        + "".join(f"<section><div><button id=b{n}>b{n}</button><input></div></section>" for n in range(12))
        + "<footer>F</footer>"
    )
    for name in ("b11", "b7", "b3"):
        stage.heard.clear()
        await stage.page.click(f"#{name}", timeout=10)
        await until(lambda: stage.kinds("mouseup") != [])
        assert stage.kinds("mouseup") == [("mouseup", name)]


# Frames


async def test_frames_in_frames_turned_scaled_and_zoomed(stage: Stage) -> None:
    """The small buttons stand close together: a px or two beside, and it is the neighbour's."""
    small = "".join(
        f"<button id=b{n} style='position:absolute;left:{20 + n % 4 * 11}px;top:{300 + n // 4 * 11}px;"
        "width:10px;height:10px;padding:0;border:0'></button>"
        for n in range(16)
    )
    frame = (
        "<iframe src='{}' style='width:400px;height:200px;border:9px solid;padding:3px 0 0 8px;{}'></iframe>"
    )
    far = "<div style='height:1200px'></div>"
    here, there = "http://127.0.0.1:{PORT}", "http://localhost:{PORT}"
    await stage.open(
        far + frame.format("/a.html", "transform:rotate(20deg) scale(.8)") + far,
        a=far + frame.format(there + "/b.html", "zoom:1.3") + far,
        b=frame.format(here + "/c.html", "transform:skewX(15deg)") + far,
        c=frame.format("/d.html", "transform:perspective(500px) rotateY(30deg)"),
        d=small + far,
    )
    for n in (0, 5, 10, 15):
        stage.heard.clear()
        await stage.click(f"iframe >> iframe >> iframe >> iframe >> #b{n}")
        assert stage.kinds() == click_on(f"b{n}")
    assert set(await stage.guards()) == {0}


@pytest.mark.parametrize("shadow", [False, True])
@pytest.mark.parametrize("around", ["span", "span role=presentation", "span role=none"])
async def test_a_backdrop_is_called_by_its_dialog(stage: Stage, around: str, shadow: bool) -> None:
    """MUI's roles say of what is around both that it means nothing."""
    dialog = (
        f"<{around}><i style='position:fixed;inset:0'></i>"
        "<b role=dialog aria-modal=true aria-label=Cookies>Yes?</b></span>"
    )
    closed = dialog.replace("<b", "<b style='display:none'").replace("Cookies", "Closed")
    closed = closed.replace("inset:0", "display:none")
    await stage.open(
        f"<button id=it>Go</button>{closed}"
        + (f"<div><template shadowrootmode=open>{dialog}</template></div>" if shadow else dialog)
    )
    with pytest.raises(ElementCovered, match=r'dialog "Cookies" \[0-\d+\] lies over it'):
        await stage.click("#it")


async def test_of_a_cover_without_a_name_what_can_be_operated_in_it_is_named(stage: Stage) -> None:
    """Most banners for cookies are plain boxes, of which no outline has a line."""
    over = "<div style='position:fixed;inset:0'>{}</div>"
    banner = over.format("<div>We use cookies <button hidden>No</button><button id=ok>OK</button></div>")
    page = await stage.open(f"<button id=it>Go</button>{banner}")
    (ok,) = (await page.snapshot()).find("button", "OK")
    with pytest.raises(
        ElementCovered, match=rf'element \[0-\d+\] \(in it: button "OK" \[{ok.id}\]\) lies over it'
    ):
        await stage.click("#it")
    await stage.open(f"<div style='position:fixed'><button id=it>Go</button>{over.format('')}</div>")
    with pytest.raises(ElementCovered, match=r"element \[0-\d+\] lies over it"):
        await stage.click("#it")


async def test_of_a_cover_that_shows_as_the_pointer_rests_there_that_is_said(stage: Stage) -> None:
    page = await stage.open(
        "<style>.menu { display: none; position: absolute; background: #fdd; height: 90px; width: 200px }"
        ".opens:hover .menu { display: block }</style><button id=off>Off</button><hr>"
        "<div class=opens><a href=#t id=t>Menu</a><div class=menu>Ad</div></div><button id=it>Go</button>"
    )
    await page.hover("#t")
    with pytest.raises(
        ElementCovered, match="while the pointer rests there; if it shows only for that, hover"
    ):
        await stage.click("#it")
    await page.hover("#off")
    await stage.click("#it")
    await stage.open(
        "<button id=it>Go</button><div style='position:fixed;inset:0 0 50% 0'>Ad</div><p id=off>X"
    )
    await page.move_to(5, 700)
    with pytest.raises(ElementCovered, match="lies over it; act on that first"):
        await stage.click("#it")


async def test_a_page_that_a_dialog_shuts_for_the_pointer_is_covered_by_it(stage: Stage) -> None:
    await stage.open(
        "<style>body { pointer-events: none }</style><button id=it>Go</button>"
        "<p role=dialog aria-modal=true aria-label=Rename style='pointer-events:auto'>"
        "<button id=on>On</button><button id=off style='pointer-events:none'>Off</button></p>"
    )
    with pytest.raises(ElementCovered, match=r'dialog "Rename" \[0-\d+\] lies over it'):
        await stage.click("#it")
    with pytest.raises(NotInteractable) as caught:
        await stage.click("#off")
    assert caught.value.reason == "pointer-events"
    await stage.click("#on")
    assert stage.kinds() == click_on("on")


async def test_a_dialog_that_hides_the_page_beside_it_is_named_for_its_overlay(stage: Stage) -> None:
    """Radix's says nowhere that it is modal."""
    await stage.open(
        "<style>body { pointer-events: none }</style><main aria-hidden=true><button id=it>Go</button></main>"
        "<div style='position:fixed;inset:0;pointer-events:auto'><div role=alertdialog aria-label='Sure?'"
        " style='margin-top:200px'><button id=on>On</button></div></div>"
    )
    for rule in ("none", "auto"):
        await stage.evaluate(f"document.body.style.pointerEvents = '{rule}'")
        with pytest.raises(ElementCovered, match=r'alertdialog "Sure\?" \[0-\d+\] lies over it'):
            await stage.click("#it")
    # One that stands there for good, and hides nothing, is not to blame.
    await stage.evaluate("document.querySelector('main').ariaHidden = null")
    with pytest.raises(ElementCovered, match=r"element \[0-\d+\]"):
        await stage.click("#it")


#: As Ionic's segment: the host takes the clicks, and the control in it lets them through.
_SEGMENT = """<div id=host style='width:200px;height:40px;%s'><template shadowrootmode=open><style>
  button { width: 100%%; height: 100%%; padding: 0; border: 0; pointer-events: none }</style>
  %s</template>Fav</div>"""
_FILLS = "<button id=it role=tab><slot></slot></button>"


async def test_a_control_that_lets_the_pointer_through_to_its_own_host_is_pressed_there(stage: Stage) -> None:
    await stage.open("")
    await stage.put(_SEGMENT % ("cursor:pointer", _FILLS))
    hit = await stage.click("#it")
    assert hit.notes == ("at the element around it, which stands for it",)
    assert stage.kinds() == click_on("host")


@pytest.mark.parametrize(
    ("style", "inner"),
    [
        ("", _FILLS),
        ("cursor:pointer", _FILLS + "<button id=other style='position:absolute;height:9px'></button>"),
        ("cursor:pointer", "Row <button id=it style='width:40px'>Delete</button>"),
    ],
    ids=["takes no clicks", "another control", "a part"],
)
async def test_a_host_that_may_be_for_something_else_is_not_pressed_instead(
    stage: Stage, style: str, inner: str
) -> None:
    await stage.open("")
    await stage.put(_SEGMENT % (style, inner))
    with pytest.raises(NotInteractable) as caught:
        await stage.click("#it")
    assert caught.value.reason == "pointer-events"
    assert stage.heard == []


@pytest.mark.parametrize(
    "content",
    [
        (
            "<svg><rect id=there width=90 height=30></rect>"
            "<text id=it y=20 style='pointer-events:none'>Go</text></svg>"
        ),
        "<div id=there draggable=true><button id=it style='pointer-events:none'>=</button> One</div>",
    ],
    ids=["shape", "handle"],
)
@pytest.mark.parametrize("where", ["main", "frame"])
async def test_what_takes_the_pointer_instead_is_named(stage: Stage, content: str, where: str) -> None:
    frame = "<iframe src='http://localhost:{PORT}/in.html'></iframe>"
    await stage.open(frame if where == "frame" else content, **{"in": content})
    with pytest.raises(NotInteractable, match="act on that instead") as caught:
        await stage.click("iframe >> #it" if where == "frame" else "#it")
    assert caught.value.reason == "pointer-events"
    assert set(await stage.guards()) <= {0}
    (there,) = re.findall(r"to [\w-]+ \[([01]-\d+)\]; act", str(caught.value))
    await stage.click(there)
    assert stage.kinds() == click_on("there")


@pytest.mark.parametrize("where", ["main", "frame"])
@pytest.mark.parametrize(
    ("opened", "dialog"),
    [
        ("Box.showModal()", "<dialog id=Box aria-label=Settings>Hello</dialog>"),
        ("it.parentNode.inert = true", "<p role=dialog aria-modal=true aria-label=Settings>Hello</p>"),
        ("it.parentNode.inert = true", ""),
    ],
    ids=["modal", "by script", "none"],
)
async def test_the_dialog_that_makes_it_inert_is_named(
    stage: Stage, where: str, opened: str, dialog: str
) -> None:
    content = f"<div><button id=it>Go</button></div>{dialog}<script>{opened}</script>"
    frame = "<iframe src='http://localhost:{PORT}/in.html'></iframe>"
    await stage.open(frame if where == "frame" else content, **{"in": content})
    with pytest.raises(NotInteractable, match="inert") as caught:
        await stage.click("iframe >> #it" if where == "frame" else "#it")
    assert caught.value.reason == "inert"
    named = re.search(r'behind dialog "Settings" \[[01]-\d+\]; close that first', str(caught.value))
    assert bool(named) == bool(dialog)
    assert set(await stage.guards()) <= {0}


async def test_a_cover_in_the_page_around_a_frame(stage: Stage) -> None:
    page = await stage.open(
        "<iframe id=frame src='http://localhost:{PORT}/in.html' style='width:300px;height:200px'></iframe>"
        "<div role=dialog aria-label=Cookies style='position:fixed;inset:0;background:#fcc'>"
        "<p style='height:100%'>We use cookies",
        **{"in": "<button id=it>Go</button>"},
    )
    with pytest.raises(ElementCovered, match=r'dialog "Cookies"') as caught:
        await stage.click("iframe >> #it")
    # Not the paragraph in it, which is called nothing.
    assert (caught.value.cover_role, caught.value.cover_name) == ("dialog", "Cookies")
    assert stage.kinds() == []
    await stage.evaluate("document.querySelector('p').remove()")
    found = await page.element_at(100, 100)
    assert found is not None
    assert found.id == caught.value.cover_id


async def test_a_frame_that_is_half_covered(stage: Stage) -> None:
    await stage.open(
        "<iframe src='http://localhost:{PORT}/in.html' style='width:300px;height:100px;border:0'></iframe>"
        "<div id=over style='position:absolute;left:0;top:0;width:200px;height:100px;background:#fcc'></div>",
        **{"in": "<button id=it style='position:absolute;inset:0;width:300px;height:100px'>Go</button>"},
    )
    hit = await stage.click("iframe >> #it")
    assert hit.x > 200
    assert stage.kinds() == click_on("it")


# Refusals

_REFUSED = {
    "disabled": "<button id=it disabled>Go</button>",
    "disabled by its fieldset": "<fieldset disabled><input id=it></fieldset>",
    "disabled by its list": "<select multiple disabled><option id=it>1</select>",
    "disabled around it": "<button disabled><b id=it>Go</b></button>",
    "disabled, says ARIA": "<div id=it role=button aria-disabled=true>Go</div>",
    "disabled, says ARIA above": "<div role=toolbar aria-disabled=true><button id=it>Go</button></div>",
    "inert": "<div inert><button id=it>Go</button></div>",
    "inert by its host": (
        "<x-y inert><template shadowrootmode=open><button id=it>Go</button></template></x-y>"
    ),
    "inert behind a dialog": "<button id=it>Go</button><dialog id=box>Hello</dialog>",
    "pointer-events": "<button id=it style='pointer-events:none'>Go</button>",
    "not displayed": "<button id=it style='display:none'>Go</button>",
    "not displayed above": "<div style='display:none'><button id=it>Go</button></div>",
    "not displayed in details": "<details><summary>More</summary><button id=it>Go</button></details>",
    "not displayed option": "<select><option id=it>1<option>2</select>",
    "not displayed area": "<map name=m><area id=it coords='0,0,9,9' href='#'></map>",
    "invisible": "<button id=it style='visibility:hidden'>Go</button>",
    "no size": "<div id=it role=button></div>",
    "off screen": "<button id=it style='position:absolute;left:-500px;top:-500px'>Go</button>",
    "off screen in a box": "<div style='overflow:hidden;height:0'><button id=it>Go</button></div>",
}


_REASONS = [
    "disabled",
    "inert",
    "pointer-events",
    "not displayed",
    "invisible",
    "no size",
    "off screen",
]


@pytest.mark.parametrize("where", ["main", "frame"])
async def test_what_cannot_be_clicked_is_refused_with_its_reason(stage: Stage, where: str) -> None:
    frame = "<iframe src='http://localhost:{PORT}/in.html'></iframe>"
    await stage.open(frame if where == "frame" else "", **{"in": ""})
    for what, body in _REFUSED.items():
        await stage.put(body)
        with pytest.raises(NotInteractable) as caught:
            await stage.click("iframe >> #it" if where == "frame" else "#it")
        assert caught.value.reason == next(one for one in _REASONS if what.startswith(one)), what
        assert "\n" not in str(caught.value)
        assert ("hover over its row" in str(caught.value)) == what.startswith("off screen")
        assert ("another element says the same" in str(caught.value)) == what.startswith("off screen")
        assert stage.kinds() == [], what
        assert set(await stage.guards()) <= {0}, what


async def test_what_never_rests_is_refused_in_time(stage: Stage) -> None:
    await stage.open(
        "<style>@keyframes m { to { transform:translateX(300px) } }</style>"
        # Linear, and back at once: where it turned it would stand still for two looks.
        "<button id=it style='width:250px;animation:m 1s linear infinite'>Go</button>"
    )
    with pytest.raises(NotInteractable, match="did not come to rest") as caught:
        await stage.click("#it", seconds=4)
    assert caught.value.reason == "moving"
    assert stage.kinds() == []
    # Slower, lest it goes back between the look and the press.
    await stage.page.evaluate("it.style.animationDuration = '60s'")
    await stage.click("#it", force=True)
    assert stage.kinds() == click_on("it")


@pytest.mark.parametrize(
    ("style", "attribute", "reason"),
    [
        ("display:none", "", "not displayed"),
        ("visibility:hidden", "", "invisible"),
        ("pointer-events:none", "", "pointer-events"),
        ("", "inert", "inert"),
        ("width:0;border:0", "", "no size"),
    ],
)
async def test_a_frame_that_cannot_be_clicked_into(
    stage: Stage, style: str, attribute: str, reason: str
) -> None:
    await stage.open(
        f"<iframe src='/in.html' style='{style}' {attribute}></iframe>", **{"in": "<button id=it>Go</button>"}
    )
    with pytest.raises(NotInteractable) as caught:
        await stage.click("iframe >> #it")
    # What is not displayed around it is not displayed itself, as the browser says.
    assert caught.value.reason == reason
    assert stage.kinds() == []


async def test_what_is_gone_is_stale(stage: Stage) -> None:
    await stage.open("<button id=it>Go</button>")

    def plan(resolver: NodeResolver, element: Element) -> Plan[Hit]:
        yield from resolver.call(element.place, "function () { this.remove(); }")
        return (yield from click_element(resolver, element, PointerOptions()))

    with pytest.raises(StaleElement) as caught:
        await stage.act("#it", plan)
    assert caught.value.reason == "detached"


@pytest.mark.parametrize("where", ["", "iframe >> "])
async def test_what_stood_in_a_document_that_is_gone_is_stale(stage: Stage, where: str) -> None:
    """Also when the new document has an element of the same number."""
    button = "<button id=it>Go</button>"
    await stage.open(
        "<iframe src='http://localhost:{PORT}/in.html'></iframe>" if where else button, **{"in": button}
    )

    def plan(resolver: NodeResolver, element: Element) -> Plan[Hit]:
        own = resolver.id_of(element.place.session)
        on = {"objectId": element.place.object_id}
        reload = "function () { setTimeout(() => location.reload()); }"
        yield from gather(call_function(own, reload, on, (), resolver.group))
        while isinstance((yield from gather_outcomes(call_function(own, "() => 1", on, (), "")))[0], Reply):
            yield from pause(0.01)
        return (yield from click_element(resolver, element, PointerOptions()))

    with pytest.raises(StaleElement):
        await stage.act(where + "#it", plan)
    assert stage.kinds() == []


async def test_what_lies_over_it_is_named(stage: Stage) -> None:
    await stage.open(
        "<button id=it>Go</button><nav aria-label=Top style='position:absolute;inset:0'>"
        "<span style='position:absolute;inset:0'></span></nav>"
    )
    if IN_HEADLESS_SHELL:  # in a new tab of it the pointer is at 0, 0
        await until(lambda: bool(stage.heard))
    stage.heard.clear()
    with pytest.raises(ElementCovered, match=r'navigation "Top" \[0-\d+\] lies over it') as caught:
        await stage.click("#it")
    assert (caught.value.cover_role, caught.value.cover_name) == ("navigation", "Top")
    with pytest.raises(
        ElementCovered, match=r'cannot hover .*: navigation "Top" \[0-\d+\] lies over'
    ) as caught:
        await stage.hover("#it")
    assert (caught.value.cover_role, caught.value.cover_name) == ("navigation", "Top")
    assert stage.kinds("mousedown", "mouseover") == []


async def test_a_header_that_sticks_is_scrolled_out_of_the_way(stage: Stage) -> None:
    await stage.open(
        "<header id=header style='position:sticky;top:0;height:200px;background:#fcc'>head</header>"
        "<div style='height:900px'></div><button id=it>Go</button><div style='height:3000px'></div>"
        "<footer id=footer style='position:fixed;bottom:0;height:150px;width:100%;background:#cfc'></footer>"
    )
    for top in (920, 400, 0, 3000):
        stage.heard.clear()
        await stage.evaluate(f"scrollTo(0, {top})")
        await stage.click("#it")
        assert stage.kinds() == click_on("it")


@pytest.mark.parametrize("way", ["scale(1.3)", "translateY(8px)", "rotate(1turn)"])
async def test_a_button_that_moves_on_the_spot_without_end_is_clicked(way: str, stage: Stage) -> None:
    await stage.open(
        f"<style>@keyframes m {{ 50% {{ transform:{way} }} }}</style>"
        "<button id=it style='margin:99px;padding:20px;animation:m 1s infinite'>Go</button>"
    )
    await stage.click("#it")
    assert stage.kinds() == click_on("it")


async def test_a_moving_button_is_clicked_where_it_rests(stage: Stage) -> None:
    await stage.open(
        "<style>@keyframes m { to { transform:translateX(300px) } }</style>"
        "<button id=it style='animation:m 1s forwards;width:60px'>Go</button>"
    )
    await stage.click("#it")
    assert stage.kinds() == click_on("it")
    assert stage.heard[-1]["x"] > 300
    assert await stage.evaluate("document.getAnimations().every((one) => one.playState === 'finished')")


@pytest.mark.parametrize("way", ["transform: translateY({}px)", "position: absolute; top: {}px"])
async def test_what_a_script_moves_into_view_is_not_scrolled_to(way: str, stage: Stage) -> None:
    await stage.open(
        "<div id=view style='position:relative;height:90vh;overflow:hidden'><div id=sheet></div></div>"
        "<script>let left = 1500; const move = () => { left -= 50;"
        "sheet.style = `" + way.format("${left}") + "`; if (left > 0) requestAnimationFrame(move); };"
        "sheet.innerHTML = '<button id=it>Go</button>'; sheet.style = `" + way.format(1500) + "`;"
        "</script>"
    )
    await stage.evaluate("void requestAnimationFrame(move)")
    await stage.click("#it")
    assert stage.kinds() == click_on("it")
    assert await stage.evaluate("[scrollY, view.scrollTop].join()") == "0,0"


# How it is clicked


async def test_double_and_triple_clicks(stage: Stage) -> None:
    await stage.open("<button id=it>Go</button>")
    await stage.click("#it", count=3)
    assert [one["detail"] for one in stage.heard if one["kind"] == "click"] == [1, 2, 3]
    assert [one["kind"] for one in stage.heard].count("dblclick") == 1


@pytest.mark.parametrize(
    ("button", "number", "event"), [("right", 2, "contextmenu"), ("middle", 1, "auxclick")]
)
async def test_other_buttons(stage: Stage, button: str, number: int, event: str) -> None:
    await stage.open("<button id=it>Go</button>")
    await stage.click("#it", button=button)
    assert {one["button"] for one in stage.heard if one["kind"] in {"mousedown", event}} == {number}
    assert (event, "it") in stage.kinds(event)
    assert stage.kinds("click") == []


async def test_modifiers_are_held_and_let_go(stage: Stage) -> None:
    await stage.open("<button id=it>Go</button>")
    await stage.click("#it", modifiers=("Control", "Shift"))
    by_mouse = [one for one in stage.heard if one["kind"] in {"mousedown", "mouseup", "click"}]
    assert len(by_mouse) == 3
    assert all(one["shift"] and one["control"] for one in by_mouse)
    keys = [(one["kind"], one["key"]) for one in stage.heard if one["kind"].startswith("key")]
    assert keys == [("keydown", "Control"), ("keydown", "Shift"), ("keyup", "Shift"), ("keyup", "Control")]
    stage.heard.clear()
    await stage.click("#it")
    assert not any(one["shift"] or one["control"] for one in stage.heard)


async def test_a_delay_and_a_position(stage: Stage) -> None:
    await stage.open(
        "<div style='padding:50px'><button id=it style='width:200px;height:90px'>Go</button></div>"
    )
    await stage.click("#it", delay=0.2, count=2, position=(7, 80))
    times = [one["time"] for one in stage.heard if one["kind"] in {"mousedown", "mouseup"}]
    assert times[1] - times[0] >= 190
    assert times[3] - times[2] >= 190
    assert {(one["x"], one["y"]) for one in stage.heard if one["kind"] == "click"} == {(57, 130)}
    with pytest.raises(ValueError, match="expected a position inside its 200 x 90"):
        await stage.click("#it", position=(-20, 10))


async def test_a_position_that_must_be_scrolled_to(stage: Stage) -> None:
    await stage.open("<div id=it style='height:5000px;background:linear-gradient(red,blue)'></div>")
    await stage.click("#it", position=(10, 4900))
    assert stage.kinds() == click_on("it")
    top = await stage.evaluate("scrollY")
    assert stage.heard[-1]["y"] + top == pytest.approx(4900, abs=1)


async def test_force_clicks_whatever_is_there_and_says_so(stage: Stage) -> None:
    await stage.open(
        "<button id=it disabled>Go</button><div id=over style='position:absolute;inset:0'></div>"
    )
    hit = await stage.click("#it", force=True)
    said, got = hit.notes
    assert said == "forced"
    assert got == f"the press went to element [{hit.receiver}], which lay over it"
    assert stage.kinds() == click_on("over")
    await stage.evaluate("it.style.display = 'none'")
    with pytest.raises(NotInteractable, match="not displayed"):
        await stage.click("#it", force=True)


async def test_hovering_needs_no_enabled_element(stage: Stage) -> None:
    await stage.open("<div style='height:3000px'></div><button id=it disabled>Go</button>")
    hit = await stage.hover("#it", modifiers=("Shift",))
    assert ("mouseover", "it") in stage.kinds("mouseover")
    assert await stage.evaluate("it.matches(':hover')")
    await stage.run(lambda resolver: move_mouse(resolver, InputState(), 1, 1))
    assert not await stage.evaluate("it.matches(':hover')")
    assert hit.notes == ()


async def test_hovering_in_quirks_mode(stage: Stage) -> None:
    stage.contents["/quirks"] = "<button id=it>Go</button><div id=plain>x</div>"
    await stage.open("<iframe src='/quirks' style='border:0'></iframe>")
    assert await stage.evaluate("frames[0].document.compatMode") == "BackCompat"
    for selector in ("#it", "#plain"):
        assert (await stage.hover(f"iframe >> {selector}")).notes == ()


async def test_a_move_that_comes_to_something_else_is_made_again(stage: Stage) -> None:
    """As when the picture of the page is behind what was asked of it."""
    await stage.open("<button id=it>Go</button>")

    def astray(resolver: NodeResolver, element: Element, times: int) -> Plan[Hit]:
        plan = hover_element(resolver, element, PointerOptions())
        asked = next(plan)
        while True:
            moves = [one for one in asked.commands if one.params.get("type") == "mouseMoved"]
            if moves and times:
                times -= 1
                elsewhere = {**moves[0].params, "x": 700, "y": 500}
                asked = dataclasses.replace(
                    asked, commands=(dataclasses.replace(moves[0], params=elsewhere),)
                )
            outcomes = yield asked
            try:
                asked = plan.send(outcomes)
            except StopIteration as stop:
                result: Hit = stop.value
                return result

    for times, notes in (
        (0, ()),
        (2, ("retried twice: the move came to something else",)),
        (99, ("the pointer is over something else: it moved, or was covered, meanwhile",)),
    ):
        hit = await stage.act("#it", functools.partial(astray, times=times))
        assert hit.notes == notes
        assert await stage.evaluate("it.matches(':hover')") is (times != 99)


@pytest.mark.parametrize(
    "options",
    [
        {"button": "thumb"},
        {"count": 0},
        {"count": 4},
        {"delay": -1},
        {"delay": float("nan")},
        {"modifiers": ("a",)},
        {"modifiers": ("Shift+Control",)},
        {"modifiers": ("Hyper",)},
    ],
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"is .*not|no modifier|is no|unknown key"):
        PointerOptions(**options)


async def test_points_of_the_page(stage: Stage) -> None:
    await stage.open(
        "<canvas id=paper width=300 height=150></canvas><iframe src='http://localhost:{PORT}/in.html' "
        "style='position:absolute;left:100px;top:200px;border:0'></iframe>",
        **{"in": "<button id=it style='position:absolute;left:50px;top:60px'>Go</button>"},
    )
    hit = await stage.run(lambda resolver: click_at(resolver, 33, 44, PointerOptions(button="right")))
    assert (hit.x, hit.y) == (33, 44)
    assert stage.kinds("contextmenu") == [("contextmenu", "paper")]
    stage.heard.clear()

    def click_in_frame(resolver: NodeResolver) -> Plan[Hit]:
        place = yield from place_at(resolver, 160, 268)
        held = None if place is None else (yield from resolver.held(place))
        return (yield from click_at(resolver, 160, 268, PointerOptions(modifiers=("Shift",)), held))

    await stage.run(click_in_frame)
    assert stage.kinds() == click_on("it")
    assert stage.heard[-1]["shift"] or stage.heard[-1]["kind"] == "keyup"


# The guard


async def test_what_jumps_away_under_the_pointer_is_refused(stage: Stage) -> None:
    """At the pointer's coming it goes, and something else is there: that never receives the press."""
    await stage.open(
        "<button id=below style='position:absolute;left:0;top:0;width:300px;height:300px'>Below</button>"
        "<button id=it style='position:absolute;left:20px;top:20px'>Go</button><script>"
        "let n = 0; addEventListener('pointermove', () => { it.style.left = 20 + ++n % 2 * 100 + 'px' })"
        "</script>"
    )
    with pytest.raises(ElementCovered, match="Below") as caught:
        await stage.click("#it")
    assert (caught.value.cover_role, caught.value.cover_name) == ("button", "Below")
    assert stage.kinds() == []
    assert await stage.guards() == [0]
    await stage.click("#below")
    assert stage.kinds() == click_on("below")


async def test_what_jumps_once_is_clicked_where_it_is_then(stage: Stage) -> None:
    await stage.open(
        "<button id=it style='position:absolute;left:20px;top:20px'>Go</button><script>"
        "addEventListener('pointermove', () => { it.style.left = '220px' })</script>"
    )
    hit = await stage.click("#it")
    assert stage.kinds() == click_on("it")
    assert hit.notes == ("retried once: the page moved under the pointer",)
    assert hit.x > 220


async def test_a_cover_that_comes_with_the_pointer(stage: Stage) -> None:
    """In the page around the frame, where the frame's own guard sees nothing of it."""
    await stage.open(
        "<iframe src='/in.html' style='border:0'></iframe>"
        "<div id=over hidden style='position:absolute;inset:0'></div>"
        "<script>document.querySelector('iframe').onmouseenter = () => { over.hidden = false }</script>",
        **{"in": "<button id=it>Go</button>"},
    )
    with pytest.raises(ElementCovered) as caught:
        await stage.click("iframe >> #it")
    assert caught.value.cover_id.startswith("0-")
    assert stage.kinds() == []
    assert await stage.guards() == [0, 0]


@pytest.mark.parametrize("origin", ["", "http://localhost:{PORT}"])
async def test_a_frame_that_slips_under_the_pointer(stage: Stage, origin: str) -> None:
    """What the press then goes to is not seen from the element's frame, nor is it around it."""
    await stage.open(
        "<style>body { margin: 0 } button, iframe { display: block; height: 120px; width: 300px; border: 0 }"
        f"</style><button id=it>Go</button><iframe src='{origin}/in.html'></iframe>"
        "<script>addEventListener('pointermove', () => { it.hidden = true; it.style.display = 'none' })"
        "</script>",
        **{"in": "<body style='margin:0'><button id=below style='width:300px;height:120px'>Below</button>"},
    )
    with pytest.raises(NotInteractable, match="not displayed"):
        await stage.click("#it")
    # Where it slips there after the press, the button is let go over it, which is not a press.
    assert stage.kinds("mousedown", "click") == []
    stage.heard.clear()
    assert set(await stage.guards()) == {0}
    await stage.click("iframe >> #below")
    assert stage.kinds() == click_on("below")


async def test_a_frame_that_goes_while_those_beside_it_are_guarded(stage: Stage) -> None:
    """What came in its place, at the same point, is not pressed."""
    button = "<button style='position:absolute;left:0;top:0;width:200px;height:100px' id={}>Go</button>"
    frame = "<iframe src='{}' style='width:200px;height:100px;border:0'></iframe>"
    await stage.open(
        frame.format("http://localhost:{PORT}/in.html") + frame.format("/beside.html"),
        **{"in": button.format("it"), "beside": "", "other": button.format("other")},
    )

    def going_between(resolver: NodeResolver) -> Plan[Hit]:
        element = yield from find(resolver, "iframe >> #it")
        plan = click_element(resolver, element, PointerOptions())
        place, asked = element.place, next(plan)
        while True:
            outcomes = yield asked
            if any(
                one.params.get("functionDeclaration") == script("refuse_presses") for one in asked.commands
            ):
                leave = "function () { location.href = '/other.html' }"
                yield from resolver.call_in_frame(place.session, place.frame, leave)
                while "/other.html" not in stage.server.requests:
                    yield from pause(0.02)
                yield from pause(0.3)  # until it is painted
            try:
                asked = plan.send(outcomes)
            except StopIteration as stop:
                hit: Hit = stop.value
                return hit

    with pytest.raises(StaleElement):
        await stage.run(going_between)
    assert stage.kinds() == []


@pytest.mark.parametrize("origin", ["", "http://localhost:{PORT}"])
@pytest.mark.parametrize("named", ["iframe", "#around", "#host"])
async def test_what_holds_a_frame_is_clicked_within_it(stage: Stage, origin: str, named: str) -> None:
    frame = f"<iframe src='{origin}/in.html' style='width:200px;height:100px;border:0'></iframe>"
    await stage.open(
        f"<style>div {{ width: 200px }}</style><div id=around>{'' if named == '#host' else frame}</div>"
        f"<div id=host><template shadowrootmode=open>{frame if named == '#host' else ''}</template></div>",
        **{"in": "<body style='margin:0'><button id=in style='width:200px;height:100px'>In</button>"},
    )
    hit = await stage.click(named)
    # Until Chromium has drawn a frame of another process, it sends a press to what holds the frame.
    assert set(hit.notes) <= {"retried once: the press reached no element"}
    await until(lambda: stage.kinds() == click_on("in"))


async def test_a_press_that_comes_to_what_holds_a_frame_is_not_one_on_the_frame(stage: Stage) -> None:
    """Of a crashed frame Chromium sends it there, as of one that it has not drawn yet."""
    style = "width:200px;height:100px;border:20px solid;padding:7px"
    frame = f"<iframe id=it src='http://localhost:{{PORT}}/in.html' style='{style}'></iframe>"
    await stage.open(frame, **{"in": ""})
    stage.page.sessions[1].post("Page.crash", {}, lambda _: None)
    await stage.page.sessions[1].wait_ended()
    for position in (None, (27, 27), (226, 126)):
        with pytest.raises(NotInteractable, match=r"lost the press, as frames of the page .* crashed"):
            await stage.click("#it", position=position)
    assert stage.kinds() == []
    for position in ((10, 10), (26, 50), (228, 50)):
        await stage.click("#it", position=position)
    assert stage.kinds() == click_on("it") * 3, "its border and padding are its own"


async def test_a_busy_page_that_holds_a_frame_is_pressed_once(stage: Stage) -> None:
    """What holds a frame is known before it is pressed, however long the page takes to say so."""
    await stage.open(
        "<div id=around style='width:200px'><iframe src='/in.html' "
        "style='width:200px;height:100px;border:0'></iframe></div>",
        **{"in": "<body style='margin:0'><button id=in style='width:200px;height:100px'>In</button>"},
    )
    await stage.evaluate(f"""{{
      const until = performance.now() + 1200;
      const work = () => {{
        {busy_for(300)}
        if (performance.now() < until) setTimeout(work);
      }};
      setTimeout(work);
    }}""")
    await stage.click("#around")
    await until(lambda: stage.kinds() == click_on("in"))


async def test_a_form_that_hides_what_its_elements_are(stage: Stage) -> None:
    """Names of its fields stand before a form's own properties, wherever a function of ours looks."""
    names = ("localName", "children", "shadowRoot", "parentNode", "matches", "getAnimations", "isConnected")
    fields = "".join(f"<input type=hidden name={name}>" for name in names)
    frame = "<iframe src='/in.html' style='width:200px;height:100px;border:0'></iframe>"
    await stage.open(
        f"<form id=it style='width:200px'>{fields}{frame}</form>",
        **{"in": "<body style='margin:0'><button id=in style='width:200px;height:100px'>In</button>"},
    )
    hit = await stage.click("#it")
    assert hit.notes == ()
    await until(lambda: stage.kinds() == click_on("in"))


async def test_the_second_press_of_a_double_click_reaches_nothing_else(stage: Stage) -> None:
    await stage.open(
        "<button id=it style='width:90px' onclick='it.replaceWith(other)'>Go</button>"
        "<button id=other style='width:90px'>Buy</button>"
    )
    hit = await stage.click("#it", count=2)
    assert stage.kinds() == click_on("it")
    assert hit.notes == ("click 2 of 2 was stopped: it would have hit another",)


async def test_pages_that_listen_to_every_event_first(stage: Stage) -> None:
    """Where the page stops everything on the window before the guard hears of it, the click is done."""
    await stage.open("<input id=it type=checkbox>")
    await stage.evaluate(
        "for (const kind of ['pointerdown', 'mousedown', 'click'])"
        "addEventListener(kind, (event) => event.stopImmediatePropagation(), true)"
    )
    hit = await stage.click("#it")
    assert hit.notes == ()
    assert await stage.evaluate("it.checked")
    assert stage.kinds() == [("mouseup", "it")]
    assert await stage.guards() == [0]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("listens", ["it", "window"])
async def test_what_keeps_the_mouse_from_following_the_pointer(
    stage: Stage, listens: str, count: int
) -> None:
    """As many menus do: then there is no mousedown and no mouseup, and the click comes all the same."""
    await stage.open("<button id=it>Go</button>")
    await stage.evaluate(
        f"{listens}.addEventListener('pointerdown', (event) => {{"
        "event.preventDefault(); event.stopImmediatePropagation() }, true)"
    )
    hit = await stage.click("#it", count=count)
    assert hit.notes == ()
    clicks = [("click", "it")] * count + [("dblclick", "it")] * (count - 1)
    assert stage.kinds("mousedown", "mouseup", "click", "dblclick") == clicks
    assert await stage.guards() == [0]


async def test_a_page_that_captures_the_pointer(stage: Stage) -> None:
    """The rest of the press is its container's, as it says, and the click too."""
    await stage.open(
        "<div id=box><button id=it>Go</button></div><script>"
        "box.addEventListener('pointerdown', (event) => { box.setPointerCapture(event.pointerId) })</script>"
    )
    hit = await stage.click("#it")
    assert hit.notes == ()
    assert stage.kinds() == [("mousedown", "it"), ("mouseup", "box"), ("click", "box")]


async def test_what_goes_when_it_feels_the_pointer(stage: Stage) -> None:
    """It has had its press, which is not done again; what lies below it gets none."""
    await stage.open(
        "<div id=below><button id=it onpointerdown='this.remove()'>Go</button></div>"
        "<script>let felt = 0; it.addEventListener('pointerdown', () => { felt++ })</script>"
    )
    hit = await stage.click("#it")
    assert hit.notes == ("it was let go over something else: it had gone",)
    assert await stage.evaluate("felt") == 1
    assert stage.kinds("mousedown", "click") == []


@pytest.mark.parametrize("says", [True, False])
async def test_a_menu_that_opens_under_the_pointer(stage: Stage, *, says: bool) -> None:
    """As menus of libraries do: where its button says that it is open, the press has done what it is for."""
    await stage.open(
        "<button id=it aria-expanded=false>Menu</button>"
        "<div id=menu role=menu hidden style='position:fixed;inset:0'>One</div><script>"
        "it.addEventListener('pointerdown', () => { menu.hidden = false; "
        f"if ({json.dumps(says)}) it.ariaExpanded = 'true' }})</script>"
    )
    hit = await stage.click("#it")
    slipped = "what the press opened lay over it"
    assert hit.notes == (() if says else (slipped,))
    assert stage.kinds("mousedown", "click") == [("mousedown", "it")]


async def test_what_moves_as_it_is_pressed(stage: Stage) -> None:
    """As a form's button does below a message that goes when its field loses the focus."""
    await stage.open(
        "<input id=field autofocus onblur='message.remove()'><p id=message style='height:80px'>Too young</p>"
        "<button id=it>Next</button>"
    )
    await stage.evaluate("field.focus()")
    hit = await stage.click("#it")
    assert hit.notes == (
        "it was let go over something else: it moved as it was pressed, so that no click came of it",
    )
    assert ("click", "it") not in stage.kinds("click")
    hit = await stage.click("#it")
    assert hit.notes == ()
    assert stage.kinds("click") == [("click", "it")]


async def test_a_press_that_ends_where_it_did_not_begin(stage: Stage) -> None:
    """What had come over the frame is gone when the button is let go: the frame has no part in that press."""
    await stage.open(
        "<iframe src='/in.html' style='border:0'></iframe>"
        "<div id=over hidden style='position:absolute;inset:0'></div><script>"
        "let times = 0;"
        "document.querySelector('iframe').onmouseenter = () => { over.hidden = times++ > 0 };"
        # The page does not hear a press that is stopped; the browser counts it all the same.
        "const presses = () => performance.eventCounts.get('pointerdown'), before = presses();"
        "setInterval(() => { if (presses() > before) over.hidden = true }, 10)</script>",
        **{"in": "<button id=it>Go</button>"},
    )
    hit = await stage.click("iframe >> #it", delay=0.5)
    assert hit.notes == ("retried once: the page moved under the pointer",)
    assert stage.kinds() == click_on("it")


# What comes of it is not a failure of the click


@pytest.mark.parametrize("event", ["mousedown", "mouseup", "click"])
async def test_a_click_that_opens_a_dialog_is_done(stage: Stage, event: str) -> None:
    page = await stage.open(f"<button id=it on{event}='alert(1)'>Go</button>")
    hit = await stage.click("#it", modifiers=("Shift",))
    assert any("dialog" in note for note in hit.notes)
    assert page.dialogs
    await page.sessions[0].send("Page.handleJavaScriptDialog", {"accept": True})
    await stage.evaluate(f"it.on{event} = null")
    stage.heard.clear()
    await stage.click("#it")
    assert stage.kinds() == click_on("it")
    assert not any(one["shift"] for one in stage.heard)


async def test_a_click_that_leads_away_closes_or_crashes_is_done(stage: Stage) -> None:
    await stage.open("<a id=it href='/next.html'>Go</a>", next="<button id=there>There</button>")
    await stage.click("#it")
    await until(lambda: stage.page.url.endswith("/next.html"))
    await stage.open("<button id=it onclick='open(location, \"_self\").close()'>Go</button>")
    await stage.click("#it")


# Hidden tabs, what passes, what is cut short


async def test_a_tab_behind_another(stage: Stage) -> None:
    page = await stage.open("<div style='height:3000px'></div><button id=it>Go</button>")
    await stage.page.browser.new_page("about:blank")
    assert await stage.evaluate("document.hidden") is not IN_HEADLESS_SHELL
    await stage.click("#it", seconds=5)
    assert stage.kinds() == click_on("it")
    assert page is stage.page


async def test_a_refusal_that_passes_is_tried_again_and_counted(stage: Stage) -> None:
    await stage.open("<iframe src='/in.html'></iframe>", **{"in": "<button id=it>Go</button>"})

    def plan(times: int, reason: str) -> Callable[[NodeResolver, Element], Plan[Hit]]:
        return lambda resolver, element: spoiled(
            click_element(resolver, element, PointerOptions()), "DOM.getBoxModel", reason, times
        )

    hit = await stage.act("iframe >> #it", plan(1, "Could not compute box model."))
    assert hit.notes == ("retried once: Could not compute box model",)
    hit = await stage.act("iframe >> #it", plan(2, "Could not compute box model."))
    assert hit.notes == ("retried twice: Could not compute box model",)
    stage.heard.clear()
    with pytest.raises(CommandRefused, match="box model"):
        await stage.act("iframe >> #it", plan(99, "Could not compute box model."))
    with pytest.raises(CommandRefused, match="Something else"):
        await stage.act("iframe >> #it", plan(1, "Something else"))
    assert stage.kinds() == []


class _CutShort(Exception):
    """The plan is ended where it stands."""


def cut(plan: Plan[T], number: int) -> Plan[T]:
    """A plan that ends when its n-th batch is answered, before it learns of that."""
    asked = next(plan)
    for _ in range(number - 1):
        outcomes = yield asked
        try:
            asked = plan.send(outcomes)
        except StopIteration as stop:
            value: T = stop.value
            return value
    yield asked
    plan.close()
    raise _CutShort


@pytest.mark.parametrize("what", ["click", "drag"])
async def test_cut_short_at_every_step_nothing_stays_down(stage: Stage, what: str, step: int) -> None:
    """The click in the page itself, the drag in a frame of another process."""
    inside = "<button id=it>Go</button><button id=other>Other</button>"
    frame = "<iframe src='http://localhost:{PORT}/in.html'></iframe>"
    await stage.open(inside if what == "click" else frame, **{"in": inside})
    before = "" if what == "click" else "iframe >> "
    options = PointerOptions(modifiers=("Control",), delay=0.01, count=2 if what == "click" else 1)
    done = False
    for number in itertools.count(1, step if what == "click" or step == 1 else 2 * step):

        def plan(resolver: NodeResolver, number: int = number) -> Plan[Hit]:
            one = yield from find(resolver, before + "#it")
            other = yield from find(resolver, before + "#other")
            if what == "click":
                return (yield from cut(click_element(resolver, one, options), number))
            return (yield from cut(drag_element(resolver, one, other, options), number))

        stage.heard.clear()
        try:
            await stage.run(plan)
            done = True
        except _CutShort:
            pass
        await until(lambda: len(stage.kinds("mousedown")) <= len(stage.kinds("mouseup")))
        await until(lambda: len(stage.kinds("keydown")) <= len(stage.kinds("keyup")))
        assert set(await stage.guards()) <= {0}, number
        if done:
            break
    stage.heard.clear()
    await stage.click(before + "#other")
    assert stage.kinds() == click_on("other")
    assert not any(one["control"] for one in stage.heard)
    assert number > 4


# Dragging

_DROP = """<div id=it draggable=true style='width:80px;height:40px;background:#cdf'>drag</div>
  <div style='height:{gap}px'></div><div id=there style='width:200px;height:80px;background:#fdc'>drop</div>
  <script>
    it.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'words');
    there.ondragover = (event) => event.preventDefault();
    there.ondrop = (event) => { window.dropped = event.dataTransfer.getData('text/plain') };
  </script>"""


@pytest.mark.parametrize("gap", [50, 2500])
async def test_drag_and_drop_of_html(stage: Stage, gap: int) -> None:
    await stage.open(_DROP.replace("{gap}", str(gap)))
    await stage.drag("#it", "#there")
    assert stage.kinds("dragstart", "drop", "dragend") == [
        ("dragstart", "it"),
        ("drop", "there"),
        ("dragend", "it"),
    ]
    assert await stage.evaluate("dropped") == "words"
    await stage.click("#there")  # the mouse is free again


async def test_drag_and_drop_into_a_frame(stage: Stage) -> None:
    source, _, target = _DROP.replace("{gap}", "10").partition("<div style")
    await stage.open(
        source + "<iframe src='/in.html'></iframe><script>"
        "it.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'words')</script>",
        **{"in": "<div style" + target.replace("it.ondragstart", "window.x")},
    )
    await stage.drag("#it", "iframe >> #there")
    assert ("drop", "there") in stage.kinds("drop")
    assert await stage.evaluate("frames[0].dropped") == "words"


async def test_drags_made_of_mouse_events(stage: Stage) -> None:
    await stage.open(
        "<input id=slider type=range min=0 max=100 value=0 style='width:300px'>"
        "<canvas id=paper width=300 height=100></canvas><script>window.way = []; paper.onmousemove = "
        "(event) => { if (event.buttons) way.push([event.offsetX, event.offsetY]) }</script>"
    )
    box = json.loads(await stage.evaluate("JSON.stringify(slider.getBoundingClientRect())"))
    y = box["top"] + box["height"] / 2
    await stage.run(
        lambda resolver: drag_at(resolver, (box["left"] + 8, y), (box["left"] + 150, y), PointerOptions())
    )
    assert 40 <= int(await stage.evaluate("slider.value")) <= 60
    paper = json.loads(await stage.evaluate("JSON.stringify(paper.getBoundingClientRect())"))
    await stage.run(
        lambda resolver: drag_at(
            resolver,
            (paper["left"] + 10, paper["top"] + 10),
            (paper["left"] + 210, paper["top"] + 90),
            PointerOptions(),
        )
    )
    way = json.loads(await stage.evaluate("JSON.stringify(way)"))
    assert len(way) >= 10
    assert way[-1] == pytest.approx([210, 90], abs=1)
    assert not await stage.evaluate("document.querySelector(':active')")


async def test_a_drag_that_cannot_end_does_not_begin(stage: Stage) -> None:
    await stage.open(
        "<button id=it>Go</button><button id=there style='position:absolute;top:200px'>There</button>"
        "<div id=over style='position:absolute;top:190px;width:100%;height:60px;background:#fcc'></div>"
    )
    with pytest.raises(ElementCovered, match="cannot drop on"):
        await stage.drag("#it", "#there")
    assert stage.kinds() == []
    hit = await stage.drag("#it", "#there", force=True)
    assert hit.notes == ("forced",)
    assert stage.kinds("mousedown", "mouseup") == [("mousedown", "it"), ("mouseup", "over")]


async def test_a_drag_does_not_begin_with_another_element(stage: Stage) -> None:
    await stage.open(
        "<button id=below style='position:absolute;left:0;top:0;width:300px;height:90px'>Below</button>"
        "<button id=it style='position:absolute;left:20px;top:20px'>Go</button>"
        "<button id=there style='position:absolute;top:200px'>There</button><script>let n = 0; "
        "addEventListener('pointermove', () => { it.style.left = 20 + ++n % 2 * 100 + 'px' })</script>"
    )
    with pytest.raises(ElementCovered, match="Below"):
        await stage.drag("#it", "#there")
    assert stage.kinds() == []
    assert await stage.guards() == [0]


_STOOD_FOR = """<!doctype html><style>
  .switch { position: relative; display: inline-block } .switch input { position: absolute; width: 0;
  height: 0; margin: 0; opacity: 0 }
  .core { display: inline-block; width: 40px; height: 20px; background: green }
  .thumb { position: absolute; left: 50px; top: 90px; width: 20px; height: 20px; background: blue }
  .thumb input { clip-path: inset(50%); position: absolute; width: 100%; height: 100%; margin: 0 }
  .cover { position: absolute; inset: 0 }</style><body>
<div class=switch id=s><input type=checkbox id=alone><span class=core></span></div>
<div class=switch><input type=checkbox id=worded><span class=core></span>Delete all</div>
<div class=switch><input type=checkbox id=two><span class=core></span><button>Other</button></div>
<div class=switch id=l><input type=checkbox role=switch id=labelled>
<span class=core style="cursor: pointer"></span></div><label for=labelled>Breakfast</label>
<div class=switch id=d><input type=checkbox id=drawn><span class=core></span></div>
<label for=drawn>Lunch</label>
<div class=thumb id=t><input type=range id=range></div>
<div class=thumb style="left: 100px" id=v><input type=range id=valued><b aria-hidden=true
  style="position: absolute; top: -20px">20</b></div>
<div class=thumb style="left: 150px"><input type=range id=under><div class=cover></div></div>
<script>
  pressed = [];
  on = false;  // as Element Plus does it: its state, and then the box's
  l.onclick = (event) => {
    event.preventDefault();
    on = !on;
    Promise.resolve().then(() => { labelled.checked = on; });
  };
  s.onclick = (event) => { if (event.target !== alone) alone.click(); };
  for (const one of document.querySelectorAll("div")) one.onmousedown = () => pressed.push(one.id);
</script>"""


async def test_a_hidden_control_is_pressed_at_what_stands_for_it(page: Page) -> None:
    async with serve_pages({"/": _STOOD_FOR}) as pages:
        await page.goto(pages.url())
        at = "at the element around it, which stands for it"
        assert at in (await page.check("#alone")).notes
        assert await page.evaluate("() => alone.checked")
        assert at in (await page.click("#alone")).notes
        assert not await page.evaluate("() => alone.checked")
        assert (await page.hover("#range")).notes == (at,)
        assert (await page.click("#range")).notes == (at,)
        # With its value written over it, as in a slider of MUI: for the eye alone.
        assert at in (await page.drag("#valued", "button")).notes
        assert await page.evaluate("() => pressed.splice(0)") == ["s", "s", "t", "v"]


async def test_a_stand_in_that_shows_that_it_takes_clicks_goes_before_a_label(page: Page) -> None:
    async with serve_pages({"/": _STOOD_FOR}) as pages:
        await page.goto(pages.url())
        for action, state in ((page.check, True), (page.uncheck, False), (page.check, True)):
            receipt = await action("#labelled")
            assert receipt.notes == ("at the element around it, which stands for it",)
            assert await page.evaluate("() => [on, labelled.checked]") == [state, state]
        assert (await page.check("#drawn")).notes == ("at its label",)
        assert await page.evaluate("() => drawn.checked")


async def test_a_hidden_control_without_a_stand_in_is_refused_at_once(page: Page) -> None:
    async with serve_pages({"/": _STOOD_FOR}) as pages:
        await page.goto(pages.url())
        for selector in ("#worded", "#two"):
            for action in (page.check, page.click):
                with (
                    trio.fail_after(20),
                    pytest.raises(NotInteractable, match="draws another in its") as caught,
                ):
                    await action(selector, timeout=60)
                assert caught.value.reason == "hidden control"
        with pytest.raises(ElementCovered):
            await page.click("#under", wait=False)
        assert await page.evaluate("() => pressed") == []
