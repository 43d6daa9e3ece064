"""Focus and ignore against a browser: a part is what the whole has there, and nothing is left behind."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import trio

import hybridsnap
from hybridsnap import CommandUnanswered, DeadlineExceeded, SelectorError, StaleElement, UnknownElement
from tests.support.corpus import OWN_PAGES
from tests.support.faults import Injecting, causes, check_clean, evaluate, injecting, until_quiet
from tests.support.headless_shell import IN_HEADLESS_SHELL
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Browser, HybridsnapError, Page, Row, Snapshot
    from hybridsnap.client.transport import Transport
    from tests.support.pages import PageServer

_PAGES = {
    **OWN_PAGES,
    "/parts.html": """<!doctype html><title>Parts</title><main>
      <form id=pay><input name=parentNode><input name=host><input name=shadowRoot><label>Card
        <input name=card></label><button>Pay <b>now</b></button></form>
      <div id=plain><span>only words</span></div>
      <ul id=menu aria-owns="far near"><li>One</li></ul><p id=near>Near</p>
      <div style="display: none" id=hidden><p>nothing</p></div>
      <open-box><template shadowrootmode=open><section class=in><h2>Open</h2><slot></slot>
        <button class=in>Open button</button></section></template>
        <p>Slotted <a href=/x>link</a></p></open-box>
      <closed-box><template shadowrootmode=closed><section class=shut><h3>Closed</h3>
        <button class=in>Closed button</button></section></template></closed-box>
      <iframe id=same src=/form.html></iframe>
      <iframe id=other src="http://localhost:{PORT}/outer.html"></iframe>
      </main><div id=far>Far away <button>Owned</button></div>
      <table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>""",
    "/outer.html": """<!doctype html><title>Outer</title><p class=said>Outer words</p>
      <div id=hold><iframe src="http://127.0.0.1:{PORT}/inner.html"></iframe></div>
      <iframe src="/inner.html"></iframe>""",
    "/inner.html": "<!doctype html><title>Inner</title><form><button>Inner button</button></form>",
    "/clobbered.html": """<!doctype html><title>Clobbered</title><form name=querySelectorAll></form>
      <form name=evaluate></form><form name=activeElement></form><form name=body></form>
      <form name=documentElement></form><p>kept</p>""",
    "/frameset.html": "<frameset cols='50%,*'><frame src=/form.html><frame src=/inner.html></frameset>",
    "/deep.html": """<!doctype html><title>Deep</title><div id=top></div><script>
      let bottom = top.document.getElementById('top');
      for (let n = 0; n < 300; n++) bottom = bottom.appendChild(document.createElement('div'));
      bottom.innerHTML = '<button>Bottom</button>';</script>""",
}
_WHOLE = [path for path in _PAGES if path != "/deep.html"]


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


async def open_page(page: Page, url: str) -> Snapshot:
    """Go there; the page whole, in which every frame has been laid out: what scrolls is known by then."""
    await page.goto(url)
    rows = None
    for _ in range(20):
        snapshot = await page.snapshot(timeout=20)
        if snapshot.report.complete and snapshot.rows == rows:
            break
        rows = snapshot.rows
    return snapshot


async def open_parts(page: Page, pages: PageServer) -> Snapshot:
    """Go to the page of many parts, and capture it once; for tests that compare no rows."""
    await page.goto(pages.url("/parts.html"))
    return await page.snapshot(timeout=20)


def lifted(rows: list[Row]) -> list[Row]:
    """Rows with the first at depth 0."""
    return [msgspec.structs.replace(row, depth=row.depth - rows[0].depth) for row in rows]


def below(snapshot: Snapshot, element_id: str) -> list[Row]:
    """An element's row and those below it."""
    at = next(at for at, row in enumerate(snapshot.rows) if row.id == element_id)
    end = at + 1
    while end < len(snapshot.rows) and snapshot.rows[end].depth > snapshot.rows[at].depth:
        end += 1
    return lifted(list(snapshot.rows[at:end]))


def check_part(part: Snapshot, whole: Snapshot, element_id: str) -> None:
    """`part` is what `whole` has from this element on."""
    expected = below(whole, element_id)
    assert list(part.rows) == expected
    shown = {row.id for row in expected if row.id is not None}
    assert dict(part.combined_url_map) == {
        id_: url for id_, url in whole.combined_url_map.items() if id_ in shown
    }
    for id_ in {*shown, *part.combined_xpath_map}:
        assert part.combined_xpath_map[id_] == whole.combined_xpath_map[id_]
    assert part.report.consistent
    assert part.report.complete
    assert (part.report.url, part.report.title) == (whole.report.url, whole.report.title)
    captured = {frame.ordinal for frame in part.report.frames if frame.status == "captured"}
    assert {row.frame for row in expected} <= captured
    assert type(part).from_json(part.to_json()) == part


# Focus: the part is what the whole has


@pytest.mark.parametrize("path", _WHOLE)
async def test_every_element_alone_is_what_it_is_in_the_whole(
    page: Page, pages: PageServer, path: str, step: int
) -> None:
    whole = await open_page(page, pages.url(path))
    assert whole.report.complete
    for number, row in enumerate(whole.rows[::step]):
        if row.id is None:
            continue
        part = await page.snapshot(focus=row.id, timeout=20)
        check_part(part, whole, row.id)
        if step > 1 and number % 2:
            continue
        by_path = await page.snapshot(focus=whole.combined_xpath_map[row.id], timeout=20)
        if row.role != "RootWebArea" or row.frame == 0:  # a frame's path is that of its owner element
            assert by_path.rows == part.rows


@pytest.mark.parametrize("path", _WHOLE)
async def test_a_first_look_numbers_the_frames_as_a_whole_capture_does(
    page: Page, pages: PageServer, path: str
) -> None:
    """Ids do not depend on what was captured first."""
    whole = await open_page(page, pages.url(path))
    again = await page.browser.page(page.target_id)
    last = next(row for row in reversed(whole.rows) if row.id is not None)
    assert last.id is not None
    part = await again.snapshot(focus=whole.combined_xpath_map[last.id], timeout=20)
    check_part(part, whole, last.id)


_SELECTED: list[tuple[str, int, str]] = [
    ("#pay", 0, "form"),
    ("  #pay ", 0, "form"),
    ("css=#pay", 0, "form"),
    ("//form", 0, "form"),
    ("xpath=//form[.//button]", 0, "form"),
    ("(//td)[3]", 0, "LayoutTableCell"),
    ("//td", 3, "LayoutTableCell"),
    ("td", 3, "LayoutTableCell"),
    ("section.in", 0, "generic"),
    ("section.shut h3", 0, "heading"),
    (".in", 1, "button"),
    (".in", 2, "button"),
    ("closed-box >> button", 0, "button"),
    ("closed-box >> .in", 0, "button"),
    ("open-box>>h2", 0, "heading"),
    ("iframe#same >> fieldset", 0, "group"),
    ("iframe >> button", 1, "button"),
    ("#other >> iframe >> form", 0, "form"),
    ("//iframe[@id='other'] >> //p", 0, "paragraph"),
    ("#other >> #hold", 0, "Iframe"),
    ("iframe#other", 0, "Iframe"),
]


async def test_selectors(page: Page, pages: PageServer, subtests: pytest.Subtests) -> None:
    whole = await open_page(page, pages.url("/parts.html"))
    for focus, nth, first in _SELECTED:
        with subtests.test(focus, nth=nth):
            part = await page.snapshot(focus=focus, focus_nth=nth, timeout=20)
            assert "not captured" not in part.render("aria")
            assert part.rows[0].role == first
            if part.rows[0].id is not None and first != "generic":
                check_part(part, whole, part.rows[0].id)
            else:
                again = await page.snapshot(focus=focus, focus_nth=nth, timeout=20)
                assert part.rows == again.rows
    assert (await page.snapshot(timeout=20)).rows == whole.rows


async def test_documents_frames_and_shadow_roots_in_paths(page: Page, pages: PageServer) -> None:
    whole = await open_page(page, pages.url("/parts.html"))
    assert (await page.snapshot(focus="/", timeout=20)).rows == whole.rows
    closed = next(row for row in whole.rows if row.name == "Closed button")
    assert closed.id is not None
    path = whole.combined_xpath_map[closed.id]
    assert "//" in path
    assert (await page.snapshot(focus=path, timeout=20)).rows[0].id == closed.id
    inner = [row for row in whole.rows if row.name == "Inner button"][-1]
    assert inner.id is not None
    assert (await page.snapshot(focus=whole.combined_xpath_map[inner.id], timeout=20)).rows[0].id == inner.id


async def test_the_page_cannot_hide_behind_names(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/clobbered.html"))
    for focus in ("p", "//p", "/html[1]/body[1]/p[1]"):
        part = await page.snapshot(focus=focus, timeout=20)
        assert [row.name for row in part.rows] == ["", "kept"]
    assert await page.active_element() is None


async def test_focus_deeper_than_one_reply_can_nest(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/deep.html"))
    whole = await page.snapshot(timeout=20)
    part = await page.snapshot(focus="#top", timeout=20)
    assert [row.name for row in part.rows] == ["Bottom"]
    button = await page.snapshot(focus="button", timeout=20)
    assert button.rows[0].id is not None
    check_part(button, whole, button.rows[0].id)


async def test_what_is_not_rendered_has_no_rows(page: Page, pages: PageServer) -> None:
    await open_parts(page, pages)
    part = await page.snapshot(focus="#hidden", timeout=20)
    assert part.rows == ()
    assert part.report.complete


async def test_options_go_with_focus(page: Page, pages: PageServer) -> None:
    await open_parts(page, pages)
    alone = await page.snapshot(focus="main", include_iframes=False, timeout=20)
    assert {row.frame for row in alone.rows} == {0}
    assert {frame.status for frame in alone.report.frames[1:]} == {"excluded"}
    inside = await page.snapshot(focus="#other >> body", include_iframes=False, timeout=20)
    assert len({row.frame for row in inside.rows}) == 1
    assert "Outer words" in inside.combined_tree
    light = await page.snapshot(focus="main", pierce_shadow=False, timeout=20)
    assert "Closed button" not in light.combined_tree
    assert "Slotted" in light.combined_tree
    rest = await page.snapshot(focus="main", ignore=["#same", "form"], timeout=20)
    assert not any(row.tag == "form" and row.frame == 0 for row in rest.rows)
    assert "Send" not in rest.combined_tree
    assert "Closed button" in rest.combined_tree


async def test_layout_is_of_the_part_only(page: Page, pages: PageServer, subtests: pytest.Subtests) -> None:
    await open_page(page, pages.url("/parts.html"))
    whole = await page.snapshot(timeout=20, layout=True)
    assert whole.layout is not None
    options: dict[str, Any]
    for options in ({"focus": "#pay"}, {"focus": "open-box"}, {"ignore": ["#pay", "iframe"]}):
        with subtests.test(str(options)):
            part = await page.snapshot(timeout=20, layout=True, **options)
            assert part.layout is not None
            assert part.layout.boxes
            assert set(part.layout.boxes) <= set(part.combined_xpath_map)
            boxes = part.layout.boxes.items()
            assert all(whole.layout.boxes[id_].bounds == box.bounds for id_, box in boxes)


async def test_other_formats_show_the_part_only(page: Page, pages: PageServer) -> None:
    await open_parts(page, pages)
    part = await page.snapshot(focus="#pay", timeout=20)
    names = {node.node_name for index in part._capture.indexes if index for node in index.nodes}  # type: ignore[union-attr]
    assert "FORM" in names
    assert not names & {"TABLE", "UL", "IFRAME"}
    assert set(part.combined_xpath_map) >= {row.id for row in part.rows if row.id is not None}
    assert not any(path.endswith("/main[1]") for path in part.combined_xpath_map.values())


async def methods_of(page: Page, **options: Any) -> list[tuple[str | None, str]]:
    """The commands that a capture sends: session and method."""
    sent: list[tuple[str | None, str]] = []
    transport = page.session.connection.transport

    class Noting:
        def __getattr__(self, name: str) -> Any:
            return getattr(transport, name)

        async def send(self, message: bytes, *, more: bool = False) -> None:  # noqa: ARG002 - one by one
            decoded = msgspec.json.decode(message)
            whole = decoded["method"] == "DOM.getDocument" and decoded["params"]["depth"] != 0
            sent.append((decoded.get("sessionId"), "the whole DOM" if whole else decoded["method"]))
            await transport.send(message)

    page.session.connection._wire.transport = Noting()
    try:
        await page.snapshot(timeout=20, **options)
    finally:
        page.session.connection._wire.transport = transport
    return sent


async def test_only_what_is_needed_is_asked(page: Page, pages: PageServer) -> None:
    await open_parts(page, pages)
    main = page.sessions[0].id
    sent = await methods_of(page, focus="#pay")
    assert {session for session, _ in sent} == {main}
    methods = [method for _, method in sent]
    assert "Accessibility.getChildAXNodes" in methods
    assert not {"Accessibility.getFullAXTree", "the whole DOM"} & set(methods)
    inside = await methods_of(page, focus="#same >> form")
    assert {session for session, _ in inside} == {main}
    assert "Accessibility.getFullAXTree" not in {method for _, method in inside}


async def test_a_tab_that_is_not_shown(browser: Browser, pages: PageServer) -> None:
    page = await browser.new_page()
    whole = await open_page(page, pages.url("/parts.html"))
    front = await browser.new_page(pages.url("/inner.html"))
    await browser.session.send("Target.activateTarget", {"targetId": front.target_id})
    assert await evaluate(page.session, "document.hidden") is not IN_HEADLESS_SHELL
    part = await page.snapshot(focus="#pay", timeout=20)
    assert part.rows[0].id is not None
    check_part(part, whole, part.rows[0].id)
    await evaluate(page.session, "pay.append('one more')")
    assert "one more" in (await page.snapshot(focus="#pay", timeout=20)).combined_tree


async def test_a_large_part_is_cut_from_the_whole_tree(browser: Browser) -> None:
    items = "".join(f"<li>Item <a href='/{n}'>{n}</a></li>" for n in range(600))
    html = f"<!doctype html><title>t</title><p>before<ul aria-label=all>{items}</ul><p>after"
    deep = "<div>one" * 80 + "<button>Deep</button>"
    async with serve_pages({"/": html, "/deep": f"<!doctype html><main>{deep}"}) as pages:
        for path, focus in (("/", "ul"), ("/deep", "main")):
            page = await browser.new_page(pages.url(path))
            whole = await page.snapshot(timeout=20)
            part = await page.snapshot(focus=focus, timeout=20)
            assert part.rows[0].id is not None
            check_part(part, whole, part.rows[0].id)


async def test_a_busy_frame_elsewhere_holds_up_nothing(page: Page, pages: PageServer) -> None:
    await open_parts(page, pages)
    other = next(session for session in page.sessions[1:])
    await evaluate(page.session, "1")
    other.post("Runtime.evaluate", {"expression": "while (true);"}, lambda _: None)
    await other.connection.flush()
    started = time.monotonic()
    part = await page.snapshot(focus="#pay", timeout=60)
    assert time.monotonic() - started < 30
    assert part.rows[0].role == "form"
    await other.send("Runtime.terminateExecution")


@pytest.mark.parametrize("count", [1000, pytest.param(5000, marks=pytest.mark.soak)])
async def test_a_form_costs_a_quarter_of_the_page_at_most(page: Page, count: int) -> None:
    rows = "".join(
        f"<tr><td>Row {n}</td><td><a href='/item/{n}'>Item {n}</a></td><td><button>Edit {n}</button></td>"
        f"<td><input type=checkbox aria-label='Select {n}'></td></tr>"
        for n in range(count)
    )
    form = "<form><label>Name <input></label><button>Send</button></form>"
    async with serve_pages({"/": f"<!doctype html><title>t</title><table>{rows}</table>{form}"}) as pages:
        await page.goto(pages.url("/"), timeout=60)
        whole: list[float] = []
        part: list[float] = []
        for times, focus in ((whole, None), (part, "form"), (part, "form")) * 2:
            started = time.monotonic()
            snapshot = await page.snapshot(timeout=60, focus=focus)
            times.append(time.monotonic() - started)
        assert snapshot.rows[0].role == "form"
        assert min(part) <= min(whole) / 4


# What matches nothing, what is not a selector


_UNMATCHED = [
    ("#nope", "nothing", "matches nothing"),
    ("//nope", "nothing", "matches nothing"),
    ("/html[1]/body[1]/p[77]", "nothing", "matches nothing"),
    ("0-99999999", "nothing", "matches nothing"),
    ("77-3", "nothing", "matches nothing"),
    ("p >> b", "nothing", "matches nothing"),
    ("iframe >> #nope", "nothing", "matches nothing"),
    ("[[", "syntax", "is not a usable CSS selector"),
    ("//[", "syntax", "is not a usable XPath"),
    ("//@id", "syntax", "attributes"),
    ("xpath=1 + 1", "syntax", "a value, not nodes"),
    ("//svg:rect", "syntax", "is not a usable XPath"),
    ("", "syntax", "something is missing"),
    ("iframe >>", "syntax", "something is missing"),
    (">> p", "syntax", "something is missing"),
]


async def test_selectors_that_match_nothing(page: Page, pages: PageServer, subtests: pytest.Subtests) -> None:
    assert (await open_parts(page, pages)).report.complete
    known = set(page.session.connection._sessions)
    for focus, reason, words in _UNMATCHED:
        with subtests.test(focus):
            with pytest.raises(SelectorError, match=words) as caught:
                await page.snapshot(focus=focus, timeout=20)
            assert caught.value.selector == focus
            assert caught.value.reason == reason
            assert "\n" not in caught.value.message
            await check_clean(page, known)


async def test_the_whole_page_in_place_of_what_matches_nothing(
    page: Page, pages: PageServer, subtests: pytest.Subtests
) -> None:
    whole = await open_page(page, pages.url("/parts.html"))
    for focus, reason, _ in _UNMATCHED:
        with subtests.test(focus):
            if reason == "syntax":
                with pytest.raises(SelectorError):
                    await page.snapshot(focus=focus, focus_missing="full", timeout=20)
                with pytest.raises(SelectorError):
                    await page.snapshot(ignore=[focus], timeout=20)
            else:
                instead = await page.snapshot(focus=focus, focus_missing="full", timeout=20)
                assert instead.rows == whole.rows
                assert any(focus in note and "whole page" in note for note in instead.report.notes)
                ignored = await page.snapshot(ignore=focus, timeout=20)
                assert ignored.rows == whole.rows
                assert any(focus in note for note in ignored.report.notes)


async def test_a_long_selector_that_is_none_is_refused_in_time(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/inner.html"))
    begun = time.process_time()
    with pytest.raises(SelectorError, match="is not a usable CSS selector"):
        await page.snapshot(focus="[" * 300_000, timeout=60)
    assert time.process_time() - begun < 20  # reading the browser's words took minutes


async def test_wrong_arguments(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/inner.html"))
    with pytest.raises(ValueError, match="focus_nth"):
        await page.snapshot(focus="p", focus_nth=-1)
    with pytest.raises(ValueError, match="focus_missing"):
        await page.snapshot(focus="p", focus_missing="none")  # type: ignore[arg-type]
    with pytest.raises(SelectorError, match="has no match number 3"):
        await page.snapshot(focus="button", focus_nth=3)


# Ignore


_IGNORED: list[tuple[str, list[str], list[str]]] = [
    ("#pay", ["Pay now"], ["Owned", "Open button", "Inner button", "Send now"]),
    (".in", ["Open button", "Closed button", "Open"], ["Pay now", "Closed", "Inner button"]),
    ("#same", ["Send now"], ["Inner button", "Pay now"]),
    ("//iframe", ["Send now", "Inner button", "Outer words"], ["Pay now", "Closed button"]),
    ("#other >> iframe", ["Inner button"], ["Outer words", "Send now"]),
    ("#other >> .said", ["Outer words"], ["Inner button"]),
    ("closed-box >> h3", [], ["Closed button"]),
    ("td", ["1", "4"], ["Pay now"]),
    ("main", ["Pay now", "Inner button", "One"], ["1", "4"]),
]


async def test_ignore(page: Page, pages: PageServer, subtests: pytest.Subtests) -> None:
    whole = await open_page(page, pages.url("/parts.html"))
    for ignore, gone, kept in _IGNORED:
        with subtests.test(ignore):
            check_ignored(whole, await page.snapshot(ignore=[ignore], timeout=20), ignore, gone, kept)


def check_ignored(whole: Snapshot, part: Snapshot, ignore: str, gone: list[str], kept: list[str]) -> None:
    names = [row.name for row in part.rows]
    for name in gone:
        assert name in [row.name for row in whole.rows]
        assert name not in names
    for name in kept:
        assert name in names
    assert part.report.complete
    assert part.report.consistent
    assert not part.report.notes
    # What is left is left as it was, and keeps its order.
    rest = iter(whole.rows)
    assert all(any(row == one for one in rest) for row in part.rows)
    assert len(part.rows) < len(whole.rows)
    for id_, path in part.combined_xpath_map.items():
        assert whole.combined_xpath_map[id_] == path
    lost = {row.id for row in whole.rows} - {row.id for row in part.rows} - {None}
    assert not lost & set(part.combined_xpath_map) or ignore in {
        ".in",
        "main",
    }  # slotted, owned
    assert not lost & set(part.combined_url_map)
    captured = {frame.ordinal for frame in part.report.frames if frame.status == "captured"}
    assert {frame.status for frame in part.report.frames} <= {"captured", "excluded"}
    assert {row.frame for row in part.rows} == captured
    assert not set(gone) & set(part.render("aria").split('"'))
    assert type(part).from_json(part.to_json()) == part


async def test_ignore_in_one_element_each_way(page: Page, pages: PageServer) -> None:
    """An id, the map's path and a query of the same element leave out the same."""
    whole = await open_page(page, pages.url("/parts.html"))
    form = next(row.id for row in whole.rows if row.role == "form" and row.frame == 0)
    assert form is not None
    ways = [form, whole.combined_xpath_map[form], "#pay", "//form[@id='pay']"]
    snapshots = [await page.snapshot(ignore=[way], timeout=20) for way in ways]
    assert all(one.rows == snapshots[0].rows for one in snapshots)
    assert len(snapshots[0].rows) == len(whole.rows) - len(below(whole, form))


# A live page


async def test_expand(page: Page, pages: PageServer) -> None:
    whole = await open_page(page, pages.url("/parts.html"))
    form = next(row.id for row in whole.rows if row.role == "form" and row.frame == 0)
    assert form is not None
    check_part(await page.expand(form, timeout=20), whole, form)
    await evaluate(page.session, "pay.append('one more')")
    assert "one more" in (await page.expand(form)).combined_tree
    await evaluate(page.session, "pay.remove()")
    with pytest.raises(StaleElement, match=form):
        await page.expand(form)
    with pytest.raises(UnknownElement):
        await page.expand("0-999999")
    with pytest.raises(UnknownElement, match="not an element id"):
        await page.expand("form")


_POINTS = {
    "/points.html": """<!doctype html><title>Points</title><style>* { margin: 0; padding: 0; border: 0 }
      iframe, x-box { position: absolute; width: 200px; height: 100px; display: block }</style>
      <div style="height: 3000px"></div>
      <button style="position: absolute; top: 10px; left: 10px; width: 60px; height: 30px">Top</button>
      <button style="position: absolute; top: 1010px; left: 10px; width: 60px; height: 30px">Low</button>
      <x-box style="top: 1010px; left: 300px"><template shadowrootmode=closed>
        <button style="width: 100px; height: 50px">Shut</button></template></x-box>
      <iframe style="top: 1200px; left: 100px; border: 5px solid" src="/point.html"></iframe>
      <iframe style="top: 1200px; left: 400px; border: 5px solid; padding: 7px"
        src="http://localhost:{PORT}/point.html"></iframe>
      <iframe style="top: 1350px; left: 100px; transform: rotate(90deg) scale(.5)"
        src="http://localhost:{PORT}/point.html"></iframe>""",
    "/point.html": """<!doctype html><style>* { margin: 0; padding: 0; border: 0 }</style>
      <div style="height: 1000px"></div>
      <button style="position: absolute; top: 520px; left: 30px; width: 60px; height: 30px">Framed</button>
      <iframe style="position: absolute; top: 550px; left: 100px; width: 80px; height: 30px"
        src="http://127.0.0.1:{PORT}/deepest.html"></iframe>
      <script>onload = () => scrollTo(0, 500)</script>""",
    "/deepest.html": """<!doctype html><style>* { margin: 0 }</style><button
      style="position: absolute; top: 5px; left: 5px; width: 40px; height: 20px">Deepest</button>""",
}


async def test_element_at(page: Page) -> None:
    async with serve_pages(_POINTS) as pages:
        await page.goto(pages.url("/points.html"))
        assert (await page.element_at(20, 20)) is not None
        await evaluate(page.session, "scrollTo(0, 1000)")
        whole = await page.snapshot(timeout=20)
        known = set(page.session.connection._sessions)
        names = {row.id: row.name for row in whole.rows if row.id is not None}
        at = {
            (20, 20): "Low",
            (310, 20): "Shut",
            # 205 px down is the border's inner edge, then 20 px to the button, which is scrolled by 500.
            (100 + 5 + 40, 200 + 5 + 25): "Framed",
            (400 + 12 + 40, 200 + 12 + 25): "Framed",
            (100 + 5 + 110, 200 + 5 + 60): "Deepest",
            (400 + 12 + 110, 200 + 12 + 60): "Deepest",
            # Turned by 90° and half the size: the frame's middle stays, its x runs down, its y to the left.
            (200 - (35 - 50) / 2, 400 + (60 - 100) / 2): "Framed",
        }
        for (x, y), name in at.items():
            found = await page.element_at(x, y)
            assert found is not None, (x, y)
            assert names.get(found.id) == name, (x, y, found)
            assert whole.combined_xpath_map[found.id] == found.xpath
        for x, y in ((-1, 5), (5, -1), (5000, 5), (5, 5000)):
            assert await page.element_at(x, y) is None
        assert len({(await page.element_at(x, y)).id for x, y in list(at)[2:4]}) == 2  # type: ignore[union-attr]
        with pytest.raises(ValueError, match="finite"):
            await page.element_at(float("nan"), 1)
        await check_clean(page, known)


async def test_active_element(page: Page, pages: PageServer) -> None:
    whole = await open_page(page, pages.url("/parts.html"))
    assert await page.active_element() is None
    for focus, name in (
        ("document.querySelector('[name=card]')", "Card"),
        ("document.querySelector('open-box').shadowRoot.querySelector('button')", "Open button"),
        ("document.querySelector('#same').contentDocument.querySelector('input')", "First name"),
    ):
        await evaluate(page.session, f"{focus}.focus()")
        await check_active(page, whole, name)
    closed = next(row.id for row in whole.rows if row.name == "Closed button")
    inner = next(row.id for row in reversed(whole.rows) if row.name == "Inner button")
    assert closed is not None
    assert inner is not None
    await page.sessions[0].send("DOM.focus", {"backendNodeId": int(closed.partition("-")[2])})
    await check_active(page, whole, "Closed button")
    other = await page.snapshot(focus="#other >> .said", timeout=20)
    session = next(one for one in page.sessions if str(one.target_id) == str(other.report.frames[2].frame_id))
    await evaluate(session, "frames[1].document.querySelector('button').focus()")
    await check_active(page, whole, "Inner button")
    await evaluate(page.session, "document.querySelector('#same').focus()")
    await evaluate(page.session, "document.activeElement.blur()")
    assert await page.active_element() is None


async def check_active(page: Page, whole: Snapshot, name: str) -> None:
    known = set(page.session.connection._sessions)
    found = await page.active_element()
    assert found is not None, name
    assert {row.name for row in whole.rows if row.id == found.id} == {name}
    assert whole.combined_xpath_map[found.id] == found.xpath
    await until_quiet(page)
    assert set(page.session.connection._sessions) <= known


# Bad luck


@pytest.mark.parametrize(
    "focus", ["#pay", "section.shut", "#other >> iframe >> form", "/html[1]/body[1]/main[1]"]
)
async def test_cancelled_at_every_command(page: Page, pages: PageServer, focus: str, step: int) -> None:
    assert (await open_parts(page, pages)).report.complete
    connection = page.session.connection
    known = set(connection._sessions)

    async def nothing(_: Transport) -> None:
        pass

    with Injecting(connection, 0, nothing) as counting:
        whole = await page.snapshot(focus="main", ignore=["td"], timeout=20)
    for number in range(1, counting.sent + 1, step):
        with trio.CancelScope() as scope:

            async def cancel(_: Transport, scope: trio.CancelScope = scope) -> None:
                scope.cancel()

            with Injecting(connection, number, cancel):
                await page.snapshot(focus=focus, ignore=["td"], timeout=20)
        if not scope.cancelled_caught:
            break
        await check_clean(page, known)
    assert number > 4
    assert (await page.snapshot(focus="main", ignore=["td"], timeout=20)).report.complete
    assert whole.report.complete


async def test_nothing_is_held_afterwards(page: Page, pages: PageServer) -> None:
    await open_parts(page, pages)
    await page.snapshot(focus="#plain", timeout=20)
    await page.snapshot(ignore=["#plain"], timeout=20)
    await page.element_at(5, 5)
    await evaluate(
        page.session, "globalThis.watched = new WeakRef(document.querySelector('#plain')); plain.remove()"
    )
    with trio.fail_after(30):
        while True:
            await page.session.send("HeapProfiler.collectGarbage")
            if await evaluate(page.session, "watched.deref() === undefined"):
                break
    await page.session.send("HeapProfiler.disable")


async def scoped(page: Page, timeout: float) -> Snapshot | HybridsnapError:
    started = time.monotonic()
    try:
        return await page.snapshot(focus="#other >> iframe >> form", ignore=["b"], timeout=timeout)
    except hybridsnap.HybridsnapError as error:
        return error
    finally:
        assert time.monotonic() - started < timeout + 10


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Page.crash", {}),
        ("Runtime.evaluate", {"expression": "document.querySelector('#other').remove()"}),
        ("Runtime.evaluate", {"expression": "document.documentElement.remove()"}),
        ("Page.navigate", {"url": "about:blank"}),
    ],
)
async def test_bad_luck_at_every_command(
    page: Page, pages: PageServer, method: str, params: dict[str, Any], step: int
) -> None:
    for number in itertools.count(2 * step, 2 if step == 1 else 4 * step):
        await open_parts(page, pages)
        with injecting(page, number, method, params) as wire:
            came = await scoped(page, 8)
        if isinstance(came, hybridsnap.HybridsnapError):
            assert isinstance(came, (hybridsnap.CaptureFailed, SelectorError, hybridsnap.SessionEnded)), came
            assert not isinstance(came, DeadlineExceeded), came
        else:
            assert causes(came) <= {"", "crashed", "detached", "unreachable", "navigated", "loading"}
        await until_quiet(page)
        if method == "Page.crash":
            await page.close()
            page = await page.browser.new_page()
        if wire.sent < number:
            break
    assert number > 8


async def test_a_busy_page_is_given_up_at_the_deadline(page: Page, pages: PageServer) -> None:
    await open_parts(page, pages)
    known = set(page.session.connection._sessions)
    for ask in (
        lambda: page.snapshot(focus="#pay", timeout=0.4),
        lambda: page.element_at(5, 5, timeout=0.4),
        lambda: page.active_element(timeout=0.4),
    ):
        page.session.post(
            "Runtime.evaluate",
            {"expression": "while (true);"},
            lambda _: None,
        )
        await page.session.connection.flush()
        started = time.monotonic()
        with pytest.raises((DeadlineExceeded, CommandUnanswered)) as caught:
            await ask()
        assert time.monotonic() - started < 0.4 + 10
        assert isinstance(caught.value, TimeoutError)
        await page.session.send("Runtime.terminateExecution")
        await check_clean(page, known)


async def test_a_dialog_is_said_to_be_the_cause(page: Page, pages: PageServer) -> None:
    await open_parts(page, pages)
    page.session.post("Runtime.evaluate", {"expression": "alert('halt')"}, lambda _: None)
    with trio.fail_after(30):
        while not page.dialogs:  # noqa: ASYNC110 - what is waited for is the engine's state
            await trio.sleep(0.01)
    with pytest.raises(hybridsnap.CaptureFailed, match="dialog"):
        await page.snapshot(focus="#pay", timeout=5)
    await page.sessions[0].send("Page.handleJavaScriptDialog", {"accept": True})
    assert (await page.snapshot(focus="#pay", timeout=20)).rows[0].role == "form"
