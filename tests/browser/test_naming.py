"""Naming an element: every form, in every kind of frame, leads to the node that was meant, to no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import hybridsnap
from hybridsnap import SelectorError, Snapshot, UnknownElement
from hybridsnap.act.history_store import TARGETS, history_store
from hybridsnap.act.naming import name_id
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.deadline import Deadline
from hybridsnap.model import ElementId, TargetId
from tests.support.faults import evaluate
from tests.support.naming import dom_id, named, resolve
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Browser, Page
    from hybridsnap.act.element import Element
    from hybridsnap.protocol.plan import Plan
    from tests.support.pages import PageServer

_BOXES = """<open-box id=OPEN><template shadowrootmode=open><button class=in id=NAME-open>NAME open</button>
  <inner-box id=inner><template shadowrootmode=open>
  <a class=deep id=NAME-deep href=#x>NAME deep</a></template></inner-box></template></open-box>
  <closed-box id=CLOSED><template shadowrootmode=closed><button class=shut id=NAME-closed>NAME closed</button>
  <iframe class=held srcdoc="<button id=NAME-held>NAME held</button>"></iframe></template></closed-box>"""


def _page(name: str, rest: str = "") -> str:
    return f"""<!doctype html><title>{name}</title><p id={name}-words>{name} words</p>
        <button id={name} class=own>{name} button</button>{_BOXES.replace("NAME", name)}{rest}"""


_PAGES = {
    "/": _page(
        "main",
        """<iframe id=same src=/same></iframe>
           <iframe id=other src="http://localhost:{PORT}/other"></iframe>""",
    ),
    "/same": _page("same"),
    "/other": _page(
        "other",
        """<iframe id=back src="http://127.0.0.1:{PORT}/back"></iframe><iframe id=near src=/near></iframe>""",
    ),
    "/back": _page("back"),
    "/near": _page("near"),
    "/many": "<!doctype html><title>Many</title>" + "".join(f"<li id=n{n}>item {n}</li>" for n in range(5)),
}
#: The way to each kind of frame, as hops of a CSS selector.
_FRAMES = {
    "main": "",
    "same": "#same >> ",
    "other": "#other >> ",
    "back": "#other >> #back >> ",
    "near": "#other >> #near >> ",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


async def open_page(page: Page, pages: PageServer, path: str = "/") -> tuple[Page, Snapshot]:
    await page.goto(pages.url(path))
    snapshot = await page.snapshot(timeout=20)
    assert snapshot.report.complete
    return page, snapshot


# Every form


async def test_every_form_in_every_frame(page: Page, pages: PageServer) -> None:
    page, snapshot = await open_page(page, pages)
    refs = snapshot.render("role").extras["refs"]
    for name, way in _FRAMES.items():
        for suffix, label, css, role in (
            ("", "button", ".own", "button"),
            ("-open", "open", ".in", "button"),
            ("-deep", "deep", ".deep", "link"),
            ("-closed", "closed", ".shut", "button"),
            ("-held", "held", ".held >> button", "button"),
        ):
            id_ = named(snapshot, f"{name} {label}", role)
            (ref,) = [ref for ref, what in refs.items() if what.element_id == id_]
            node = int(id_.partition("-")[2])
            frame = next(f for f in snapshot.report.frames if f.ordinal == int(id_.partition("-")[0]))
            xpath = snapshot.combined_xpath_map[id_]
            forms: list[tuple[str | None, dict[str, Any]]] = [
                (id_, {}),
                (id_, {"as_of": snapshot.report.snapshot_id}),
                (ref, {}),
                (f"@{ref}", {}),
                (f"ref={ref}", {"as_of": snapshot.report.snapshot_id}),
                (xpath, {}),
                (f"xpath={xpath}", {}),
                (way + css, {}),
                (None, {"backend_node_id": node, "frame": frame.ordinal}),
                (None, {"backend_node_id": node, "frame": frame.frame_id}),
            ]
            for element, naming in forms:
                found = await resolve(page, element, **naming)
                assert found.id == id_, (element, naming)
                assert (found.role, found.name) == (role, f"{name} {label}")
                assert await dom_id(page, found) == f"{name}{suffix}"
                assert found.place.frame == frame.frame_id
                assert found.place.object_id is not None


async def test_ordinary_queries(page: Page, pages: PageServer) -> None:
    page, _ = await open_page(page, pages, "/many")
    for element, nth, wanted in (
        ("//li", 0, "n0"),
        ("//li", 3, "n3"),
        ("(//li)[2]", 0, "n1"),
        ("xpath=//li[last()]", 0, "n4"),
        ("li", 4, "n4"),
        ("css=li:nth-child(2)", 0, "n1"),
        ("#n2", 0, "n2"),
    ):
        found = await resolve(page, element, nth=nth)
        assert await dom_id(page, found) == wanted
    assert (await resolve(page, "//li[1]/text()")).name == "item 0"
    assert (await resolve(page, "/")).role == "RootWebArea"


async def test_a_backend_id_is_of_the_main_frame_unless_said(page: Page, pages: PageServer) -> None:
    page, snapshot = await open_page(page, pages)
    node = int(named(snapshot, "main button").partition("-")[2])
    for frame in (None, 0, snapshot.report.frames[0].frame_id):
        assert await dom_id(page, await resolve(page, backend_node_id=node, frame=frame)) == "main"


async def test_before_any_snapshot_selectors_serve_and_what_they_find_is_shown(
    browser: Browser, pages: PageServer
) -> None:
    page = await browser.new_page(pages.url("/"))
    found = [await resolve(page, f"{way}.own") for way in reversed(_FRAMES.values())]
    snapshot = await page.snapshot()
    assert [one.id for one in reversed(found)] == [named(snapshot, f"{name} button") for name in _FRAMES]
    other = await browser.new_page(pages.url("/many"))
    with pytest.raises(UnknownElement):
        await resolve(other, "0-1")
    item = await resolve(other, "li", nth=2)
    assert await dom_id(other, await resolve(other, item.id)) == "n2"


async def test_what_a_message_names_can_be_acted_on(browser: Browser, pages: PageServer) -> None:
    page, snapshot = await open_page(await browser.new_page(), pages)
    await evaluate(
        page.session, "document.body.append(Object.assign(document.createElement('hr'), {id: 'new'}))"
    )
    place = (await resolve(page, "#new")).place
    id_ = ElementId(f"0-{place.backend_node_id}")
    history_store.forget(browser.endpoint, page.target_id)
    browser._pages.clear()
    again = await browser.page(page.target_id)
    again.recall(snapshot)
    with pytest.raises(UnknownElement):
        await resolve(again, id_)

    def plan(sessions: Any) -> Plan[list[Element | None]]:
        resolver = NodeResolver(sessions, again._context.ordinals)
        new = yield from name_id(resolver, again._context.history, id_)
        no_node = yield from name_id(resolver, again._context.history, ElementId("0-999999"))
        no_frame = yield from name_id(resolver, again._context.history, ElementId("44-1"))
        yield from resolver.release()
        return [new, no_node, no_frame]

    new, *nothing = await again._context.run(plan, Deadline.after(20))
    assert new is not None
    assert (new.id, new.role, nothing) == (id_, "separator", [None, None])
    assert await dom_id(again, await resolve(again, id_)) == "new"


# What names nothing


async def test_unknown_ids_and_refs(page: Page, pages: PageServer) -> None:
    page, snapshot = await open_page(page, pages)
    for id_ in ("0-999999", "77-1"):
        with pytest.raises(UnknownElement, match=f"no known snapshot of this page has shown {id_}") as caught:
            await resolve(page, id_)
        assert caught.value.element_id == id_
    with pytest.raises(UnknownElement, match="no rendering of this page has given the ref e1;"):
        await resolve(page, "e1")
    refs = snapshot.render("role").extras["refs"]
    count = len(refs)
    assert (await resolve(page, f"e{count}")).id == refs[f"e{count}"].element_id
    with pytest.raises(UnknownElement, match=f"ref e{count + 1};"):
        await resolve(page, f"@e{count + 1}")
    button = named(snapshot, "main button")
    with pytest.raises(UnknownElement, match="none of this page's"):
        await resolve(page, button, as_of="0" * 32)
    for frame in (99, "no frame"):
        with pytest.raises(UnknownElement, match="no such frame"):
            await resolve(page, backend_node_id=1, frame=frame)
    with pytest.raises(UnknownElement, match="no such node"):
        await resolve(page, backend_node_id=999_999)


_MALFORMED = [
    "0-",
    "0-0",
    "01-5",
    "0-05",
    "12",
    "0-29x",
    "-1-5",
    "[0-29]",
    "@",
    "@x3",
    "@e0",
    "ref=",
    "ref=x",
]


async def test_malformed_ids_and_refs(page: Page) -> None:
    for text in _MALFORMED:
        with pytest.raises(
            SelectorError, match=r"element id \(0-29\), a ref \(e12, @e12, ref=e12\)"
        ) as caught:
            await resolve(page, text)
        assert (caught.value.selector, caught.value.reason) == (text, "syntax")
        assert isinstance(caught.value, ValueError)


async def test_selectors_that_lead_nowhere(page: Page, pages: PageServer) -> None:
    page, _ = await open_page(page, pages)
    for text, reason in (
        ("#nothing", "nothing"),
        ("//nothing", "nothing"),
        ("#same >> #nothing", "nothing"),
        ("[ref=e12]", "nothing"),
        ("p[", "syntax"),
        ("//p[", "syntax"),
        ("//p/@id", "syntax"),
        ("a >> ", "syntax"),
        ("", "syntax"),
    ):
        with pytest.raises(SelectorError) as caught:
            await resolve(page, text)
        assert caught.value.reason == reason, text
        assert "\n" not in str(caught.value)
    with pytest.raises(SelectorError, match="no match number 7"):
        await resolve(page, "p", nth=7)
    with pytest.raises(SelectorError, match="a ref is written e12"):
        await resolve(page, "[ref=e12]")


async def test_arguments_that_do_not_go_together(page: Page) -> None:
    for element, naming, words in (
        ("p", {"backend_node_id": 4}, "not both"),
        (None, {"backend_node_id": 4, "nth": 1}, "mean nothing to a backend_node_id"),
        (None, {"backend_node_id": 4, "as_of": "x"}, "mean nothing to a backend_node_id"),
        (None, {"backend_node_id": 0}, "from 1 on"),
        ("p", {"frame": 1}, "goes with backend_node_id"),
        ("p", {"as_of": "x"}, "goes with an element id"),
        ("0-4", {"nth": 1}, "goes with selectors"),
        ("p", {"nth": -1}, "counts the matches from 0"),
    ):
        with pytest.raises(ValueError, match=words):
            await resolve(page, element, **naming)
    with pytest.raises(TypeError, match="is named by an element id"):
        await resolve(page, None)


async def test_what_is_no_element(page: Page, pages: PageServer) -> None:
    """A doctype and a shadow root have backend node ids."""
    page, _ = await open_page(page, pages)
    box = await resolve(page, "open-box")
    described = await page.session.send(
        "DOM.describeNode", {"backendNodeId": box.place.backend_node_id, "pierce": True}
    )
    root = described["node"]["shadowRoots"][0]["backendNodeId"]
    with pytest.raises(UnknownElement, match="is not an element"):
        await resolve(page, backend_node_id=root)
    with pytest.raises(UnknownElement):
        await resolve(page, f"0-{root}")


# What was shown is remembered


async def test_refs_and_ids_survive_a_new_page_object_and_a_new_connection(
    browser: Browser, browser_endpoint: str, pages: PageServer
) -> None:
    page, snapshot = await open_page(await browser.new_page(), pages)
    rendering = snapshot.render("role", interactive=True)
    wanted = {ref: what.element_id for ref, what in rendering.extras["refs"].items()}
    browser._pages.clear()
    again = await browser.page(page.target_id)
    assert again is not page
    for ref in ("e1", "e2", f"e{len(wanted)}"):
        assert (await resolve(again, ref)).id == wanted[ref]
    async with hybridsnap.connect(browser_endpoint.replace("127.0.0.1", "localhost")) as other:
        distant = await other.page(page.target_id)
        for ref, id_ in list(wanted.items())[::5]:
            assert (await resolve(distant, ref)).id == id_
            assert (await resolve(distant, id_)).id == id_


async def test_a_saved_snapshot_can_be_recalled(browser: Browser, pages: PageServer) -> None:
    """As another process would: what this one remembers is forgotten first."""
    page, snapshot = await open_page(await browser.new_page(), pages)
    saved = snapshot.to_json()
    refs = snapshot.render("role").extras["refs"]
    history_store.forget(browser.endpoint, page.target_id)
    browser._pages.clear()
    again = await browser.page(page.target_id)
    back = named(snapshot, "back button")
    with pytest.raises(UnknownElement):
        await resolve(again, back)
    again.recall(Snapshot.from_json(saved))
    assert (await resolve(again, back)).id == back
    ref = next(ref for ref, what in refs.items() if what.element_id == back)
    assert await dom_id(again, await resolve(again, ref)) == "back"
    assert named(await again.snapshot(), "back button") == back
    other = await browser.new_page(pages.url("/many"))
    with pytest.raises(ValueError, match=r"is not of page .* name it, or capture this one"):
        other.recall(Snapshot.from_json(saved))


async def test_the_least_recently_used_target_is_forgotten_first(browser: Browser, pages: PageServer) -> None:
    first, shown = await open_page(await browser.new_page(), pages, "/many")
    second, also_shown = await open_page(await browser.new_page(), pages, "/many")
    for number in range(TARGETS - 2):
        history_store.recall(browser.endpoint, TargetId(f"target {number}"))
    item = next(row.id for row in shown.rows if row.name == "item 1")
    assert item is not None
    await resolve(first, item)  # used again
    history_store.recall(browser.endpoint, TargetId("one more"))
    assert len(history_store) == TARGETS
    browser._pages.clear()
    assert (await resolve(await browser.page(first.target_id), item)).id == item
    id_ = next(row.id for row in also_shown.rows if row.name == "item 1")
    with pytest.raises(UnknownElement):
        await resolve(await browser.page(second.target_id), id_)


async def test_the_refs_of_the_newest_rendering_count(page: Page, pages: PageServer) -> None:
    page, whole = await open_page(page, pages)
    all_refs = whole.render("role").extras["refs"]
    part = await page.snapshot(focus="#other >> body")
    part_refs = part.render("role").extras["refs"]
    assert (await resolve(page, "e1")).id == part_refs["e1"].element_id != all_refs["e1"].element_id
    assert (await resolve(page, "e1", as_of=whole.report.snapshot_id)).id == all_refs["e1"].element_id
    last = f"e{len(all_refs)}"
    assert last not in part_refs
    assert (await resolve(page, last)).id == all_refs[last].element_id
