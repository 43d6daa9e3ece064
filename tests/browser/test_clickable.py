"""What only script makes clickable is in the outline without layout: elements that show a pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from hybridsnap.capture import clickable
from tests.support.faults import Injecting, lacks_flat_documents
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    import hybridsnap
    from hybridsnap.client.transport import Transport

_STYLE = "<style>.p { cursor: pointer; display: inline-block; width: 20px; height: 20px }</style>"
_SLOTTED = (
    "<div id=host><b id=it>in</b></div>"
    "<script>host.attachShadow({mode: 'open'}).innerHTML = '<p>before</p><slot></slot>'</script>"
)
#: One element with the id `it` on each page, and whether it is to be marked.
_CASES = {
    "an icon": ("<i id=it class='p icon-trash'></i>", True),
    "a card with text": ("<div id=it class=p>Card <b>one</b></div>", True),
    "a row with controls": (
        "<div id=it class=p>Ann <button>Edit</button> <button>Delete</button></div>",
        True,
    ),
    "an inner element": ("<div class=p>Card <b id=it>one</b></div>", False),
    "a wrapper of a link": ("<div id=it class=p><span><a href=/x>go</a></span></div>", False),
    "a wrapper of a button by its role": ("<div id=it class=p><b role=button tabindex=0>go</b></div>", False),
    "in a link": ("<a href=/x>go <span id=it>on</span></a>", False),
    "a link without an address": ("<a id=it class=p>go</a>", True),
    "a label": ("<label id=it class=p>Name <input></label>", False),
    "a button": ("<button id=it class=p>go</button>", False),
    "the whole page": ("<style>body { cursor: pointer }</style><p id=it>text", False),
    "no pointer any more": ("<div class=p>Card <b id=it style='cursor: default'>one</b></div>", False),
    "a pointer again": (
        "<div class=p>a<div style='cursor: default'>b<i id=it class=p>c</i></div></div>",
        True,
    ),
    "a cell": ("<table><tr><td id=it class=p>Ann</table>", True),
    "a cell that is not rendered": (
        "<div style='display: none'><table><tr><td id=it class=p>Ann</table></div>",
        False,
    ),
    "a cell below aria-hidden": (
        "<div aria-hidden=true style='display: none'><table><tr><td id=it class=p>Ann</table></div>",
        False,
    ),
    "behind a modal dialog": (
        "<i id=it class=p></i><dialog id=d>Sure?</dialog><script>d.showModal()</script>",
        False,
    ),
    "a host whose shadow root is a button": (
        """<x-b id=it class=p><i>go</i></x-b><script>it.attachShadow({mode: 'open'}).innerHTML =
        '<style></style><button><slot></slot></button>'</script>""",
        False,
    ),
    "a header that sorts": (
        "<table><tr><th id=it tabindex=-1 aria-sort=none>Name<th>Size<tr><td>a<td>1</table>",
        True,
    ),
    "a header whose button sorts": (
        "<table><tr><th id=it tabindex=-1 aria-sort=none><button>Name</button><th>Size<tr><td>a<td>1</table>",
        False,
    ),
    "a header that is sorted by": (
        "<table><tr><th id=it aria-sort=ascending>Name<th>Size<tr><td>a<td>1</table>",
        False,
    ),
    "slotted into a link": (_SLOTTED.replace("<slot></slot>", "<a href=/x><slot></slot></a>"), False),
    "slotted": (
        _SLOTTED.replace("id=it", "id=it class=p"),
        True,
    ),
}


def _marked(snapshot: hybridsnap.Snapshot) -> set[str]:
    return {row.id for row in snapshot.rows if "clickable" in row.states and row.id is not None}


@pytest.mark.parametrize("layout", [False, True], ids=["without layout", "with layout"])
async def test_what_shows_a_pointer(page: hybridsnap.Page, layout: bool) -> None:
    html = {f"/{at}": f"<title>t</title>{_STYLE}{body}" for at, (body, _) in enumerate(_CASES.values())}
    async with serve_pages(html) as pages:
        for at, (name, (_, expected)) in enumerate(_CASES.items()):
            await page.goto(pages.url(f"/{at}"))
            snapshot = await page.snapshot(layout=layout)
            (it,) = snapshot.css("#it")
            assert (it in _marked(snapshot)) == expected, name
            if not (layout and "into a link" in name):  # the slot is no part of what is read then
                part = await page.snapshot(focus="#it", layout=layout)
                assert (it in _marked(part)) == expected, name
            if expected:
                assert (await page.click(it)).element_id == it, name


async def test_the_part_of_an_item_that_only_says_its_name_has_no_row(page: hybridsnap.Page) -> None:
    items = "<x-i role=menuitem tabindex=0>Cut</x-i><x-i role=menuitem tabindex=0>Paste <b>^V</b></x-i>"
    part = "<div style='cursor: pointer'><slot></slot></div>"
    two = "<div role=menuitem tabindex=0><i class=p>Go</i><i class=p>Stop</i></div>"
    script = (
        "for (const one of document.querySelectorAll('x-i'))"
        f" one.attachShadow({{mode: 'open'}}).innerHTML = `{part}`"
    )
    html = f"<title>t</title>{_STYLE}<div role=menu>{items}{two}</div><script>{script}</script>"
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
        assert sorted(snapshot.node(id_).name for id_ in _marked(snapshot)) == ["Go", "Stop"]
        cut = snapshot.find("menuitem", "Cut")[0].id
        assert (await page.click(cut)).element_id == cut


async def test_in_frames_and_closed_shadow_roots(page: hybridsnap.Page) -> None:
    inner = f"{_STYLE}<p>text</p><div class=p>framed</div>"
    outer = (
        f"{_STYLE}<iframe src=/inner></iframe><div id=host></div>"
        "<iframe src='http://localhost:{PORT}/inner'></iframe>"
        "<script>host.attachShadow({mode: 'closed'}).innerHTML ="
        " '<span style=\"cursor: pointer\">shadowed</span>'</script>"
    )
    async with serve_pages({"/": outer, "/inner": inner}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
        names = sorted(snapshot.node(id_).name for id_ in _marked(snapshot))
        assert names == ["framed", "framed", "shadowed"]
        assert {id_.partition("-")[0] for id_ in _marked(snapshot)} == {"0", "1", "2"}
        for id_ in _marked(snapshot):
            assert (await page.click(id_)).element_id == id_


@pytest.mark.parametrize("flattens", [True, False])
async def test_below_what_one_reply_holds(
    page: hybridsnap.Page, monkeypatch: pytest.MonkeyPatch, *, flattens: bool
) -> None:
    """Deeper than Chromium writes at once, and in no list, they have no numbers: each is asked for."""
    if not flattens:
        lacks_flat_documents(page, monkeypatch)
    deep = "<div>" * 300 + "<i class=p>deep</i>" + "</div>" * 300
    async with serve_pages({"/": f"{_STYLE}<i class=p>flat</i>{deep}"}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=30)
        assert sorted(snapshot.node(id_).name for id_ in _marked(snapshot)) == ["deep", "flat"]
        assert not any("pointer" in note for note in snapshot.report.notes)


async def test_too_many_below_what_one_reply_holds_are_counted(
    page: hybridsnap.Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacks_flat_documents(page, monkeypatch)
    monkeypatch.setattr(clickable, "_MOST_DESCRIBED", 96)  # of 4,096
    many = "<i class=p>x</i>" * 100
    async with serve_pages({"/": _STYLE + "<div>" * 300 + many}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=60)
        assert len(_marked(snapshot)) == 96
        assert "4 elements that show a pointer were not looked up: too many" in snapshot.report.notes


async def test_other_captures_and_actions_at_the_same_time_do_no_harm(page: hybridsnap.Page) -> None:
    """A capture that fetches the document ends the numbers that another one has."""
    rows = "".join(f"<tr class=p><td>row {number}<td><a href=/{number}>go</a>" for number in range(300))
    async with serve_pages({"/": f"{_STYLE}<table>{rows}</table><b id=b>text</b>"}) as pages:
        await page.goto(pages.url("/"))
        (element,) = (await page.snapshot()).css("#b")
        looked: list[hybridsnap.Snapshot] = []

        async def look() -> None:
            looked.append(await page.snapshot())

        async def act() -> None:
            while True:
                await page.hover(element)

        async with trio.open_nursery() as acting:
            acting.start_soon(act)
            async with trio.open_nursery() as looking:
                for _ in range(8):
                    looking.start_soon(look)
            acting.cancel_scope.cancel()
        assert [len(_marked(snapshot)) for snapshot in looked] == [300] * 8
        assert not any("pointer" in note for snapshot in looked for note in snapshot.report.notes)


async def test_a_slow_capture_is_waited_for(page: hybridsnap.Page) -> None:
    """Captures that take longer than a second spoil each other's numbers no more than quick ones."""
    async with serve_pages({"/": f"{_STYLE}<div class=p>one</div><div class=p>two</div>"}) as pages:
        await page.goto(pages.url("/"))
        looked: list[hybridsnap.Snapshot] = []

        async def look() -> None:
            looked.append(await page.snapshot())

        async def dawdle(_: Transport) -> None:
            await trio.sleep(1.2)

        with Injecting(page.session.connection, 3, dawdle):  # behind the first capture's DOM.getDocument
            async with trio.open_nursery() as looking:
                for _ in range(2):
                    looking.start_soon(look)
        assert [len(_marked(snapshot)) for snapshot in looked] == [2, 2]
        assert not any("pointer" in note for snapshot in looked for note in snapshot.report.notes)
