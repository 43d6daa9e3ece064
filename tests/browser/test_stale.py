"""Ids that no longer stand for what they stood for: refused, with the reason and what may be meant now."""

from __future__ import annotations

import pickle
import random
from typing import TYPE_CHECKING, Any

import pytest
import trio

from hybridsnap import NotInteractable, Snapshot, StaleElement, UnknownElement
from tests.support.faults import evaluate, until
from tests.support.naming import dom_id, named, resolve
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Browser, Page, Session
    from hybridsnap.model import ElementId
    from tests.support.pages import PageServer

_SHOP = """<!doctype html><title>Shop</title><h1>Tea</h1><ul id=list>
  <li><b>Green</b> <button id=green>Buy</button></li><li><b>Black</b> <button id=black>Buy</button></li>
  <li><b>White</b> <button id=white>Buy</button></li></ul>
  <a href=/terms id=terms>Terms and conditions</a><p id=said>Free delivery</p>
  <label>Your name <input id=who></label><input type=checkbox id=gift aria-label="As a gift">"""
_PAGES = {
    "/shop": _SHOP,
    "/terms": "<!doctype html><title>Terms</title><button>Accept</button>",
    "/frames": """<!doctype html><title>Frames</title><button>Main</button><iframe id=same src=/shop></iframe>
        <iframe id=other src="http://localhost:{PORT}/shop"></iframe>""",
    "/virtual": """<!doctype html><title>Virtual</title><div id=list role=list></div><script>
        const show = (first) => list.querySelectorAll('button').forEach(
            (button, at) => { button.textContent = 'Open ' + (first + at); });
        for (let n = 0; n < 20; n++)
            list.innerHTML += '<div role=listitem><button id=b' + n + '></button></div>';
        show(0);</script>""",
    # Sites that no other tab has visited: each frame begins in a process of its own.
    "/twins": """<!doctype html><title>Twins</title><script>
        const one = Math.random().toString(36).slice(2);
        for (const which of "ab")
            document.write(`<iframe src="http://${which}-${one}.localhost:{PORT}/twin?${which}"></iframe>`);
        </script>""",
    "/twin": """<!doctype html><title>Twin</title><div id=box><button class=one>Do it</button>
        <button class=two>Leave it</button></div><input aria-label=Note>""",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


async def open_page(page: Page, url: str) -> tuple[Page, Snapshot]:
    await page.goto(url)
    snapshot = await page.snapshot(timeout=20)
    assert snapshot.report.complete
    return page, snapshot


def ids_of(snapshot: Snapshot, name: str) -> list[str]:
    return [row.id for row in snapshot.rows if row.name == name and row.id and row.role != "StaticText"]


async def refused(page: Page, element: str, **naming: Any) -> StaleElement:
    """How it is refused; whatever the reason, one line and all that belongs to it."""
    with pytest.raises(StaleElement) as caught:
        await resolve(page, element, **naming)
    error = caught.value
    assert "\n" not in str(error)
    assert error.description in str(error)
    assert len(error.successors) <= 3
    for one in error.successors:
        assert one.id in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.reason, copy.successors, str(copy)) == (error.reason, error.successors, str(error))
    return error


# The document


async def test_after_a_reload(page: Page, pages: PageServer) -> None:
    page, snapshot = await open_page(page, pages.url("/shop"))
    _, black, _ = ids_of(snapshot, "Buy")
    loader = snapshot.report.frames[0].loader_id
    await page.session.send("Page.reload")
    await until(
        lambda: page._context.attachment.main.loader != loader and page._context.attachment.main.loaded
    )
    error = await refused(page, black)
    assert error.reason == "navigated"
    assert error.element_id == black
    assert error.snapshot_id == snapshot.report.snapshot_id
    assert error.description == 'button "Buy"'
    # It stands beside what it stood beside; the others "Buy" are of other teas.
    assert [(one.role, one.name) for one in error.successors] == [("button", "Buy")]
    assert await dom_id(page, await resolve(page, error.successors[0].id)) == "black"
    assert (await refused(page, black)).reason == "navigated"


async def test_after_going_elsewhere(page: Page, pages: PageServer) -> None:
    page, snapshot = await open_page(page, pages.url("/shop"))
    green = ids_of(snapshot, "Buy")[0]
    refs = snapshot.render("role").extras["refs"]
    ref = next(ref for ref, what in refs.items() if what.element_id == green)
    unshown = next(id_ for id_ in snapshot.combined_xpath_map if all(row.id != id_ for row in snapshot.rows))
    for host in ("127.0.0.1", "localhost"):
        await page.goto(pages.url("/terms", host))
        for element in (green, ref, unshown):
            error = await refused(page, element)
            assert error.reason == "navigated"
            assert error.successors == ()
            assert "take a new snapshot" in str(error)
    after = await page.snapshot()
    assert (await refused(page, ref)).reason == "navigated"
    assert (await refused(page, green, as_of=snapshot.report.snapshot_id)).reason == "navigated"
    assert (await resolve(page, named(after, "Accept"))).name == "Accept"


async def test_an_iframe_goes_elsewhere(page: Page, pages: PageServer) -> None:
    """In and out of its process, and on to another."""
    page, snapshot = await open_page(page, pages.url("/frames"))
    main = named(snapshot, "Main")
    for frame, path in (("same", "/terms"), ("other", f"http://localhost:{pages.port}/terms")):
        ordinal = 1 if frame == "same" else 2
        (terms,) = [id_ for id_ in ids_of(snapshot, "Terms and conditions") if id_.startswith(f"{ordinal}-")]
        assert await dom_id(page, await resolve(page, terms)) == "terms"
        await evaluate(page.session, f"document.getElementById('{frame}').src = '{path}'")
        with trio.fail_after(30):
            while True:
                try:
                    await resolve(page, terms)
                except StaleElement as stale:
                    assert stale.reason == "navigated"  # noqa: PT017 - it comes when it comes
                    break
    (terms,) = [id_ for id_ in ids_of(snapshot, "Free delivery") if id_.startswith("1-")] or [terms]
    await evaluate(page.session, f"same.src = 'http://localhost:{pages.port}/shop'")
    await page.snapshot()
    error = await refused(page, terms)
    assert error.reason == "navigated"
    assert (await resolve(page, main)).name == "Main"


@pytest.mark.parametrize("frame", ["same", "other"])
async def test_a_frame_is_removed(page: Page, pages: PageServer, frame: str) -> None:
    page, snapshot = await open_page(page, pages.url("/frames"))
    ordinal = 1 if frame == "same" else 2
    gone = next(id_ for id_ in ids_of(snapshot, "Buy") if id_.startswith(f"{ordinal}-"))
    await evaluate(page.session, f"document.getElementById('{frame}').remove()")
    error = await refused(page, gone)
    assert error.reason == "frame gone"
    assert error.description == 'button "Buy"'
    # The other frame has the like.
    assert {one.id.partition("-")[0] for one in error.successors} == {str(3 - ordinal)}
    assert await dom_id(page, await resolve(page, error.successors[0].id)) == "green"


async def test_a_frame_is_replaced(page: Page, pages: PageServer) -> None:
    page, snapshot = await open_page(page, pages.url("/frames"))
    white = [id_ for id_ in ids_of(snapshot, "Buy") if id_.startswith("2-")][2]
    # Suggestions are made of what is there: until its document has come, the new frame has an empty one.
    await page.evaluate(
        """async () => {
          same.remove();
          other.outerHTML = '<iframe id=again src=/shop></iframe>';
          await new Promise((resolve) => { again.onload = () => resolve(); });
        }"""
    )
    await until(lambda: len(page.sessions) == 1)
    error = await refused(page, white)
    with trio.fail_after(30):
        while not error.successors:  # a frame that has just loaded may have no accessibility tree yet
            error = await refused(page, white)
    assert error.reason == "frame gone"
    assert await dom_id(page, await resolve(page, error.successors[0].id)) == "white"
    assert error.successors[0].id == (await resolve(page, "#again >> #white")).id


async def test_the_document_is_written_anew(page: Page, pages: PageServer) -> None:
    """`document.write` keeps the document, and its loader id; its nodes are others."""
    page, snapshot = await open_page(page, pages.url("/shop"))
    terms = named(snapshot, "Terms and conditions", "link")
    await evaluate(
        page.session, "document.open(); document.write('<a href=x id=new>Terms and conditions</a>')"
    )
    await evaluate(page.session, "document.close()")
    error = await refused(page, terms)
    assert error.reason in ("detached", "navigated")
    assert await dom_id(page, await resolve(page, error.successors[0].id)) == "new"


# The node


async def test_after_removal(page: Page, pages: PageServer) -> None:
    page, snapshot = await open_page(page, pages.url("/shop"))
    terms = named(snapshot, "Terms and conditions", "link")
    await evaluate(page.session, "globalThis.kept = terms; terms.remove()")
    error = await refused(page, terms)
    assert (error.reason, error.successors) == ("detached", ())
    assert str(error) == (
        f'{terms} (link "Terms and conditions") of snapshot {snapshot.report.snapshot_id} is gone: it has'
        " been taken out of its document; nothing like it is there; take a new snapshot"
    )
    await evaluate(page.session, "document.body.append(kept)")
    assert await dom_id(page, await resolve(page, terms)) == "terms"
    await evaluate(page.session, "document.createElement('div').attachShadow({mode: 'open'}).append(kept)")
    assert (await refused(page, terms)).reason == "detached"
    await evaluate(page.session, "kept.remove(); globalThis.kept = null")
    await page.session.send("HeapProfiler.collectGarbage")
    assert (await refused(page, terms)).reason == "detached"


async def test_moved_into_another_document(page: Page, pages: PageServer) -> None:
    page, snapshot = await open_page(page, pages.url("/frames"))
    main = named(snapshot, "Main")
    await evaluate(page.session, "same.contentDocument.body.append(document.querySelector('button'))")
    error = await refused(page, main)
    assert error.reason == "detached"
    assert [one.id.partition("-")[0] for one in error.successors] == ["1"]
    assert (await resolve(page, error.successors[0].id)).name == "Main"


async def test_an_equal_node_in_the_same_place_is_another_node(page: Page, pages: PageServer) -> None:
    page, snapshot = await open_page(page, pages.url("/shop"))
    green, black, _ = ids_of(snapshot, "Buy")
    await evaluate(page.session, "list.innerHTML += ''")
    for id_, place in ((green, "green"), (black, "black")):
        error = await refused(page, id_)
        assert error.reason == "detached"
        assert await dom_id(page, await resolve(page, error.successors[0].id)) == place
        assert (await resolve(page, error.successors[0].id)).name == "Buy"
    await evaluate(page.session, "terms.outerHTML = '<a href=/t id=other>Terms and Conditions (new)</a>'")
    error = await refused(page, named(snapshot, "Terms and conditions", "link"))
    assert [(one.role, one.name) for one in error.successors] == [("link", "Terms and Conditions (new)")]


async def test_a_recycled_node_is_somebody_else(page: Page, pages: PageServer) -> None:
    page, snapshot = await open_page(page, pages.url("/virtual"))
    five, refs = named(snapshot, "Open 5"), snapshot.render("role").extras["refs"]
    ref = next(ref for ref, what in refs.items() if what.element_id == five)
    await evaluate(page.session, "show(3)")
    error = await refused(page, five)
    assert error.reason == "identity changed"
    assert 'button "Open 5"' in str(error)
    assert 'is now button "Open 8"' in str(error)
    assert error.successors[0].name == "Open 5"
    # Trying again blindly changes nothing, nor does going on with the others; a new snapshot does.
    assert 'is now button "Open 5"' in str(await refused(page, error.successors[0].id))
    assert 'is now button "Open 8"' in str(await refused(page, five))
    assert 'is now button "Open 8"' in str(await refused(page, ref))
    assert (await page.snapshot()).node(five).name == "Open 8"
    assert (await resolve(page, five)).name == "Open 8"
    assert (await refused(page, five, as_of=snapshot.report.snapshot_id)).reason == "identity changed"
    await evaluate(page.session, "show(4)")
    assert 'is now button "Open 9"' in str(await refused(page, five))


async def test_another_role_is_another_identity(page: Page, pages: PageServer) -> None:
    page, snapshot = await open_page(page, pages.url("/shop"))
    gift = named(snapshot, "As a gift", "checkbox")
    await evaluate(page.session, "gift.type = 'radio'")
    error = await refused(page, gift)
    assert error.reason == "identity changed"
    assert error.description == 'checkbox "As a gift"'
    assert 'is now radio "As a gift"' in str(error)


async def test_what_is_hidden_is_still_itself(page: Page, pages: PageServer) -> None:
    """Whether it can be acted on is the action's matter; unless it says something else meanwhile."""
    page, snapshot = await open_page(page, pages.url("/shop"))
    show = "document.body.style.display = '';"
    for how in (
        "document.body.style.display = 'none'",
        # Of the body itself it would be ignored (Chromium).
        show + "for (const one of document.body.children) one.ariaHidden = 'true'",
    ):
        await evaluate(page.session, how)
        for name, role, element in (
            ("Terms and conditions", "link", "terms"),
            ("Your name", "textbox", "who"),
            ("As a gift", "checkbox", "gift"),
            ("Tea", "heading", ""),
        ):
            found = await resolve(page, named(snapshot, name, role))
            assert (found.role, found.name) == (role, name)
            assert await dom_id(page, found) == element
    await evaluate(page.session, "terms.textContent = 'Imprint'")
    error = await refused(page, named(snapshot, "Terms and conditions", "link"))
    assert error.reason == "identity changed"
    assert "left out of the accessibility tree" in str(error)


async def test_what_is_left_out_behind_a_dialog_says_which(home_page: Page) -> None:
    content = "<a href=#x><img alt=Cart width=9 height=9></a><dialog id=box aria-label=Settings>Hi</dialog>"
    await evaluate(home_page.session, f'document.body.innerHTML = "{content}"')
    snapshot = await home_page.snapshot()
    await evaluate(home_page.session, "box.showModal()")
    error = await refused(home_page, named(snapshot, "Cart", "link"))
    (dialog,) = (await home_page.snapshot()).find("dialog")
    assert f'behind dialog "Settings" [{dialog.id}]; close that first' in str(error)
    await evaluate(home_page.session, "document.links[0].style.display = 'none'")
    assert "behind" not in str(await refused(home_page, named(snapshot, "Cart", "link")))


async def test_what_was_refused_while_hidden_is_still_itself(home_page: Page) -> None:
    """Named by a selector meanwhile, it was taken for an element without role and name from then on."""
    await evaluate(home_page.session, "document.body.innerHTML = '<button id=buy>Buy</button>'")
    (row,) = (await home_page.snapshot()).find("button")
    for how, back in (("buy.hidden = true", "buy.hidden = false"), ("buy.inert = true", "buy.inert = false")):
        await evaluate(home_page.session, how)
        with pytest.raises(NotInteractable, match=f'cannot click button "Buy" \\[{row.id}\\]: it is '):
            await home_page.click("#buy", wait=False)
        await evaluate(home_page.session, back)
        assert (await home_page.click(row.id, wait=False)).element_id == row.id


async def test_a_name_made_of_texts(page: Page) -> None:
    """With layout a clickable element without a name is called by its texts; captures make it up."""
    await page.goto("data:text/html,")
    await evaluate(
        page.session,
        "document.body.innerHTML = '<div id=a>Two <b>words</b></div>"
        "<div id=b>Some <span hidden>no</span> more</div>';"
        "for (const one of [a, b]) one.onclick = () => {}",
    )
    snapshot = await page.snapshot(layout=True)
    two, some = (named(snapshot, name, "generic") for name in ("Two words", "Some more"))
    assert await dom_id(page, await resolve(page, two)) == "a"
    assert await dom_id(page, await resolve(page, some)) == "b"
    await evaluate(page.session, "a.lastChild.textContent = 'others'; b.lastChild.textContent = ' less'")
    for id_ in (two, some):
        assert (await refused(page, id_)).reason == "identity changed"


async def test_a_name_made_of_texts_in_blocks(page: Page) -> None:
    """A capture tells blocks apart by a blank; nothing else in the page does, as frameworks write them."""
    await page.goto("about:blank")
    await page.evaluate(
        """void (document.body.innerHTML = `<style>u { display: none } i { text-transform: uppercase }</style>
            <div id=a onclick=""><div>1</div><div>23 guests</div></div>
            <div id=b onclick=""><div>9:00</div><u>no</u><div><i>Lunch</i></div></div>
            <li id=c onclick="" style="list-style: none"><div>Total</div><div>$5</div></li>`)"""
    )
    snapshot = await page.snapshot()
    names = {"a": "1 23 guests", "b": "9:00 LUNCH", "c": "Total $5"}
    ids = {dom: named(snapshot, name, "listitem" if dom == "c" else "generic") for dom, name in names.items()}
    for dom, id_ in ids.items():
        assert await dom_id(page, await resolve(page, id_)) == dom
    await page.evaluate(
        "void (a.firstChild.textContent = '12', a.lastChild.textContent = '3 guests',"
        "b.querySelector('i').textContent = 'Tea', c.lastChild.textContent = '$6')"
    )
    for id_ in ids.values():
        assert (await refused(page, id_)).reason == "identity changed"


# Several snapshots


async def test_what_a_field_holds_tells_it_from_no_other(page: Page) -> None:
    long = "Every word of this was typed by somebody. " * 9
    await page.goto("about:blank")
    await page.evaluate(
        f"""void (document.body.innerHTML =
            `<textarea>{long}</textarea><input><input type=date><input type=date>`)"""
    )
    snapshot = await page.snapshot()
    area, field = (one.id for one in snapshot.find("textbox"))
    first, second = (one.id for one in snapshot.find("Date"))
    await page.text(area)
    await page.fill(field, "somebody")
    await page.fill(area, "No word of it is left")
    await page.fill(second, "2026-11-22")
    await page.fill(first, "2026-11-21")
    await page.fill(field, "nobody")
    values = "[...document.querySelectorAll('textarea, input')].map((one) => one.value)"
    assert await page.evaluate(values) == ["No word of it is left", "nobody", "2026-11-21", "2026-11-22"]


async def test_what_has_another_tag_is_taken_for_no_other(page: Page) -> None:
    """A slider's handle without a name, among other elements without one: the number beside it changes."""
    await page.goto("about:blank")
    await page.evaluate(
        """void (document.body.innerHTML = `<div onclick="">&nbsp;</div><div><div onclick="">
            <span tabindex=0 onkeydown="number.textContent = +number.textContent + 1"></span>
            </div><div id=number>11</div></div>`)"""
    )
    snapshot = await page.snapshot()
    (handle,) = snapshot.css("span")
    for _ in range(3):
        await page.press("ArrowRight", element=handle)
    assert await page.evaluate("number.textContent") == "14"


#: What script in the page cannot read of what stands beside a control, with what makes one into the other.
_READ_BY_THE_BROWSER = {
    "a pseudo-element": (
        "<style>.{name}::before {{ content: '{name} ' }}</style><h3 class={name}>It</h3>",
        "className",
    ),
    "a text of a style sheet": (
        "<style>i::before {{ content: attr(class) }}</style><i class={name}></i>",
        "className",
    ),
    "the title of a picture": ("<svg role=img width=9 height=9><title>{name}</title></svg>", "innerHTML"),
    "a name from elsewhere": ("<a href='#' aria-labelledby={name}></a>", "outerHTML"),
    "a transformed text": ("<p style='text-transform: uppercase'>{name}ß</p>", "textContent"),
    "a picture's fallback": ("<canvas width=9 height=9><p>{name}</p></canvas>", "innerHTML"),
    "a default label": ("<input type={type}>", "type"),
    "what a field holds that is read only": ("<input readonly value={name}>", "value"),
    "a button of the browser's": ("<input type=file {multiple}>", "multiple"),
}


@pytest.mark.parametrize("around", ["div", "span"])
@pytest.mark.parametrize("what", _READ_BY_THE_BROWSER)
async def test_what_only_the_browser_can_read_tells_them_apart(page: Page, what: str, around: str) -> None:
    """Of what it stands beside, both ways: as it was, and given to the other.

    In a generic element, and in one that the accessibility tree has nothing of.
    """
    markup, attribute = _READ_BY_THE_BROWSER[what]
    markup = f"<{around}>{markup}<button>Delete</button></{around}>"
    rows = "".join(
        markup.format(name=name, type=type_, multiple=multiple)
        for name, type_, multiple in (("Ann", "submit", ""), ("Bob", "reset", "multiple"))
    )
    await page.goto("about:blank")
    names = "<p id=Ann>The first</p><p id=Bob>The second</p>"
    await page.evaluate(f"void (document.body.innerHTML = `{names}{rows}`)")
    anns, bobs = (row.id for row in (await page.snapshot()).find("button") if row.name == "Delete")
    assert (await resolve(page, anns)).id == anns
    assert (await resolve(page, bobs)).id == bobs
    await page.evaluate(
        f"""(([one, other], name) => {{ const was = one[name]; one[name] = other[name]; other[name] = was; }})
        ([...document.querySelectorAll('{around} > :not(style, button)')], '{attribute}')"""
    )
    assert (await refused(page, anns)).reason == "identity changed"
    assert (await refused(page, bobs)).reason == "identity changed"


#: Buttons whose form is not simply the one around them, the last one called "Go".
_SUBMITTERS = {
    "in a shadow root in a form": "<form action=/x><div data-holds='<button>Go</button>'></div></form>",
    "of a form in its shadow root": "<form id=f action=/x></form>"
    "<div data-holds='<form id=f action=/y></form><button form=f>Go</button>'></div>",
    "named across a shadow root": "<div data-holds='<form id=f action=/y><slot></slot></form>'>"
    "<button form=f>Go</button></div>",
    "of a form that is not there": "<form action=/x><button form=nothing>Go</button></form>",
    "given one by the parser": "<table><form action=/x><tr><td><button>Go</button></table>",
    "with a command": "<form action=/x><button commandfor=d command=close>Go</button></form><dialog id=d>",
    "with a command and a type": "<form action=/x><button type=submit commandfor=d>Go</button></form>",
    "of another form inside": "<form action=/x><div><button form=f formaction=/z>Go</button></div></form>",
}


@pytest.mark.parametrize("focus", [None, "#part"])
async def test_buttons_whose_form_is_not_around_them(focus: str | None, page: Page) -> None:
    """Each is what it was, in a snapshot of the page and of the part that it is in."""
    parts = "".join(f"<section title='{what}'>{markup}</section>" for what, markup in _SUBMITTERS.items())
    opening = """<script>for (const host of document.querySelectorAll("[data-holds]"))
        host.attachShadow({ mode: "open" }).innerHTML = host.dataset.holds;</script>"""
    async with serve_pages({"/": f"<!doctype html><div id=part>{parts}</div>{opening}"}) as pages:
        await page.goto(pages.url())
        ids = [row.id for row in (await page.snapshot(focus=focus)).find("button", "Go")]
        assert len(ids) == len(_SUBMITTERS)
        for id_ in ids:
            assert (await resolve(page, id_)).id == id_


async def test_a_button_whose_form_is_outside_of_the_part(page: Page) -> None:
    await page.goto("about:blank")
    await page.evaluate(
        "void (document.body.innerHTML = `<form id=f action=/x></form><p><button form=f>Go</button></p>`)"
    )
    for which in ({"focus": "p"}, {"ignore": ["form"]}):
        (button,) = (await page.snapshot(**which)).find("button")
        assert (await resolve(page, button.id)).name == "Go"
    await page.snapshot()
    await page.evaluate("document.forms[0].action = '/elsewhere'")
    error = await refused(page, button.id)
    assert "sends its form elsewhere now (/elsewhere, not /x)" in str(error)


async def test_what_only_the_browser_can_read_in_a_hidden_tab(browser: Browser) -> None:
    """Nothing of it is painted: what waits for that never answers."""
    hidden = await browser.new_page()
    rows = "".join(f"<div><h3 class={name}></h3><button>Delete</button></div>" for name in ("Ann", "Bob"))
    await hidden.evaluate(
        f"void (document.body.innerHTML = `<style>h3::before {{ content: attr(class) }}</style>{rows}`)"
    )
    await browser.new_page()
    buttons = (await hidden.snapshot()).find("button")
    assert len(buttons) == 2
    for row in buttons:
        assert (await resolve(hidden, row.id)).id == row.id


async def test_a_number_that_a_button_beside_it_changes_tells_nothing(page: Page) -> None:
    await page.goto("about:blank")
    rows = "".join(
        f"<div><input readonly value='{many}'>"
        "<button onclick='previousElementSibling.value = `3 pcs`'>More</button></div>"
        for many in ("1 pc", "2 pcs")
    )
    await page.evaluate(f"void (document.body.innerHTML = {rows!r})")
    for row in (await page.snapshot()).find("button"):
        for _ in range(2):
            await page.click(row.id)
    assert (
        await page.evaluate("[...document.querySelectorAll('input')].map((one) => one.value)")
        == ["3 pcs"] * 2
    )


async def test_more_of_them_beside_one_heading_share_it(page: Page) -> None:
    """All are what they were; after the heading has become another none is."""
    await page.goto("about:blank")
    groups = "".join(
        f"<h3>{name}</h3><ul><li><button>Edit</button><li><button>Edit</button></ul>"
        for name in ("Ann", "Bob")
    )
    await page.evaluate(f"void (document.body.innerHTML = `{groups}`)")
    ids = [row.id for row in (await page.snapshot()).find("button")]
    assert len(ids) == 4
    for id_ in ids:
        assert (await resolve(page, id_)).id == id_
    await page.evaluate("document.querySelectorAll('h3').forEach((one) => { one.textContent = 'Cid' })")
    for id_ in ids:
        assert (await refused(page, id_)).reason == "identity changed"


#: Markup of an element and of the name that tells it apart (``{0}``), and a selector of such elements.
_TOLD_BY_A_NAME = {
    # What they stand in is called as they are: nothing.
    "in one that is alike": (
        "<div><p>{0}</p><span tabindex=0><div onclick=''></div><div onclick=''></div></span></div>",
        "div div",
    ),
    # In a shadow root, around the slot that the text fills.
    "around a slot": (
        """<x-item>{0}<template shadowrootmode=open><div onclick=''><slot></slot><b tabindex=0></b></div>
        </template></x-item>""",
        "div",
    ),
    # What they stand in, or beside, has its name from the same text as they have.
    "around its own name": (
        """<fieldset><legend><button aria-label={0}></button></legend><i>1</i></fieldset>
        <p><button aria-label={0}></button></p>""",
        "button",
    ),
    "beside the same name": (
        "<p id={0}>It</p>"
        + "<div><b role=checkbox tabindex=0 aria-labelledby={0}></b><u onclick=''><s>It</s></u></div>" * 2,
        "u",
    ),
    # Where the others share more with each other than with the text, which only the browser can read.
    "below a text": (
        "<h3 style='text-transform: uppercase'>{0}ß</h3><ul><li><a href=#>Go</a><li><a href=#>Go</a></ul>",
        "a",
    ),
    # In an element that the accessibility tree has nothing of.
    "in a span": (
        "<span><h3 style='text-transform: uppercase'>{0}ß</h3><div onclick=''></div></span>",
        "div",
    ),
    # Among elements of which a person sees nothing, and of other kinds that are called nothing.
    "among empty ones": (
        "<h3 style='text-transform: uppercase'>{0}ß</h3><p tabindex=0></p><div></div><div onclick=''></div>",
        "div",
    ),
}


@pytest.mark.parametrize("where", _TOLD_BY_A_NAME)
async def test_what_has_not_changed_is_what_it_was(page: Page, where: str) -> None:
    """As it is, and after something else has come to the page."""
    markup, selector = _TOLD_BY_A_NAME[where]
    items = "".join(markup.format(name) for name in ("Ann", "Bob", "Cid"))
    await page.goto("about:blank")
    await page.evaluate(f"document.body.setHTMLUnsafe(`{items}`)")
    ids = (await page.snapshot()).css(selector)
    assert len(ids) >= 3
    for _ in range(2):
        for id_ in ids:
            assert (await resolve(page, id_)).id == id_
        await page.evaluate("document.body.append('More')")


async def test_what_stands_before_all_of_them_tells_none_of_them_apart(page: Page) -> None:
    """A heading, then texts and buttons in turn, whose nodes are used for other records."""
    await page.goto("about:blank")
    items = "".join(f"<p>{name}</p><button>Delete</button>" for name in ("Ann", "Bob", "Cid"))
    await page.evaluate(f"void (document.body.innerHTML = `<h1>People</h1><p>Of all</p>{items}`)")
    ids = [row.id for row in (await page.snapshot()).find("button")]
    for id_ in ids:
        assert (await resolve(page, id_)).id == id_
    await page.evaluate(
        "document.querySelectorAll('p:has(+ button)').forEach((one, n) => { one.textContent = 'BCD'[n] })"
    )
    for id_ in ids:
        assert (await refused(page, id_)).reason == "identity changed"


async def test_in_a_long_list_the_nearest_texts_count(page: Page) -> None:
    """Beyond so many texts nothing is a card; the same texts stand far away, too."""
    await page.goto("about:blank")
    lines = "".join(f"<p>{word}</p>" for _ in range(180) for word in ("one", "two", "three"))
    part = "<button>Go</button>"
    await page.evaluate(
        f"void (document.body.innerHTML = `<div>{lines}{part}</div><section>{part}</section>`)"
    )
    buttons = (await page.snapshot()).find("button")
    assert len(buttons) == 2
    for row in buttons:
        assert (await resolve(page, row.id)).id == row.id


async def test_what_selects_offer_stands_beside_nothing(page: Page) -> None:
    await page.goto("about:blank")
    # As in a form that makes a table of a database: hundreds of options between one field and the next.
    groups = "".join(f"<optgroup label=g{group}>{'<option>o' * 8}</optgroup>" for group in range(40))
    row = (
        "<tr><td><select><option>INT<option>DATE</select><td><select><option>None<option>NULL</select>"
        f"<td><select><option></option>{groups}</select><td><textarea></textarea>"
    )
    await page.evaluate(
        "(html) => { document.body.innerHTML = html; }",
        f"<table><tr><th>Type<th>Null<th>Collation<th>Comment{row * 3}</table>",
    )
    snapshot = await page.snapshot()
    fields = [one.id for one in snapshot.rows if one.role in ("combobox", "textbox")]
    assert len(fields) == 12
    for id_ in fields:
        assert id_ is not None
        await page.attributes(id_, timeout=10)
        assert snapshot.beside(id_) in ("", "Type", "Null", "Collation", "Comment"), id_


async def test_a_refusal_says_what_stands_beside_it_now(page: Page) -> None:
    """One of several that are called the same, in a row that others have come into."""
    await page.goto("about:blank")
    row = "<li><p>{}</p><button>Delete</button></li>"
    await page.evaluate(f"void (document.body.innerHTML = `<ul>{row.format('Ann')}{row.format('Bob')}</ul>`)")
    bobs = (await page.snapshot()).find("button")[1].id
    for change in ("before(made)", "textContent = 'Cid'"):
        await page.evaluate(
            f"((made, bob) => {{ made.textContent = 'Ann'; bob.{change} }})"
            "(document.createElement('p'), [...document.querySelectorAll('p')].at(-1))"
        )
        with pytest.raises(StaleElement) as refusal:
            await page.click(bobs)
        assert str(refusal.value).startswith(f'{bobs} (button "Delete") of snapshot ')
        assert ' was shown beside "Bob", and stands beside "Ann" now' in str(refusal.value)


async def test_a_refusal_names_the_text_that_has_changed(page: Page) -> None:
    """Number and name of a row have both to stay, as both tell it apart."""
    row = "<tr><td>{0}<td>Item {0}<td>{1}<td><button>Delete</button></tr>"
    table = "".join(row.format(n, 3 * n) for n in range(5))
    await page.goto(f"data:text/html,<table><tr><th>Id<th>Name<th>Qty<th>Del</tr>{table}</table>")
    first = (await page.snapshot()).find("button")[0].id
    await page.evaluate("document.querySelectorAll('td')[1].textContent = 'Other'")
    with pytest.raises(StaleElement, match='was shown beside "Item 0", and stands beside "Other" now'):
        await page.click(first)


async def test_what_a_refusal_says_that_a_successor_stands_beside_has_to_stay(page: Page) -> None:
    """Of a node that no snapshot has shown; those that one has shown stand for what that showed."""
    await page.goto("about:blank")
    draw = """(names, anew) => {
        if (anew) document.body.innerHTML = "<div><p></p><button>Delete</button></div>".repeat(3);
        document.querySelectorAll("p").forEach((one, n) => { one.textContent = names.split(" ")[n] });
    }"""
    await page.evaluate(draw, "Ann Bob Cid", True)
    _, bobs, _ = (row.id for row in (await page.snapshot()).find("button"))
    await page.evaluate(draw, "Dan Bob Cid", True)
    successor = (await refused(page, bobs)).successors[0]
    assert [one.beside for one in (await refused(page, bobs)).successors] == ["Bob"]
    assert (await resolve(page, successor.id)).id == successor.id
    await page.evaluate(draw, "Bob Cid Dan", False)
    error = await refused(page, successor.id)
    assert 'was shown beside "Bob", and stands beside "Cid" now' in str(error)


async def test_ids_of_older_snapshots_live_as_long_as_their_nodes(page: Page, pages: PageServer) -> None:
    page, first = await open_page(page, pages.url("/shop"))
    for number in range(20):
        await evaluate(page.session, f"list.innerHTML += ''; list.append('{number}')" if number == 9 else "0")
        await page.snapshot(focus="#said" if number % 2 else None)
    for id_ in ids_of(first, "Buy"):
        assert (await refused(page, id_)).reason == "detached"
    terms = named(first, "Terms and conditions", "link")
    assert await dom_id(page, await resolve(page, terms)) == "terms"
    with pytest.raises(UnknownElement, match="is too old to tell"):
        await resolve(page, terms, as_of=first.report.snapshot_id)


async def test_as_of_says_which_reading_counts(page: Page, pages: PageServer) -> None:
    page, first = await open_page(page, pages.url("/virtual"))
    five = named(first, "Open 5")
    await evaluate(page.session, "show(3)")
    second = await page.snapshot()
    assert named(second, "Open 8") == five
    assert (await resolve(page, five)).name == "Open 8"
    assert (await resolve(page, five, as_of=second.report.snapshot_id)).name == "Open 8"
    error = await refused(page, five, as_of=first.report.snapshot_id)
    assert (error.reason, error.snapshot_id) == ("identity changed", first.report.snapshot_id)
    await evaluate(
        page.session, "document.body.append(Object.assign(document.createElement('a'), {href: 'x'}))"
    )
    third = await page.snapshot(focus="a")
    assert (await resolve(page, five)).name == "Open 8"
    with pytest.raises(UnknownElement, match="has not shown"):
        await resolve(page, five, as_of=third.report.snapshot_id)


# Two processes


async def twins(browser: Browser, pages: PageServer) -> tuple[Page, Snapshot, list[Session]]:
    """Two frames in two processes that give the same backend node ids to the same nodes."""
    for _ in range(9):
        page, snapshot = await open_page(await browser.new_page(), pages.url("/twins"))
        one, other = (
            [
                row.id.partition("-")[2]
                for row in snapshot.rows
                if (row.frame, row.role) == (at, "button") and row.id
            ]
            for at in (1, 2)
        )
        assert len(one) == len(other) == 2
        if one == other:  # a process may have had something else to do before
            break
        await page.close()
    assert one == other
    frames = [frame.frame_id for frame in snapshot.report.frames[1:]]
    sessions = {session.target_id: session for session in page.sessions}
    return page, snapshot, [sessions[frame] for frame in frames]  # type: ignore[index]  # frame = target id


async def test_equal_backend_ids_of_two_frames_never_mix(browser: Browser) -> None:
    async with serve_pages(_PAGES) as pages:
        page, snapshot, sessions = await twins(browser, pages)
        one, other = ids_of(snapshot, "Do it")
        assert one.partition("-")[2] == other.partition("-")[2]
        for id_, at in ((one, 1), (other, 2)):
            found = await resolve(page, id_)
            assert found.place.frame == snapshot.report.frames[at].frame_id
            assert page.sessions[found.place.session] is sessions[at - 1]
        # What happens in one frame is of no interest to the other.
        await evaluate(sessions[0], "box.innerHTML += ''")
        error = await refused(page, one)
        assert error.reason == "detached"
        assert error.successors[0].id.startswith("1-")
        assert (await resolve(page, other)).name == "Do it"
        await evaluate(page.session, "document.querySelector('iframe').remove()")
        assert (await refused(page, one)).reason == "frame gone"
        assert (await resolve(page, other)).place.frame == snapshot.report.frames[2].frame_id
        # A frame that comes in its place, in the process of the other or in its own, is another one.
        await evaluate(page.session, "document.body.prepend(document.querySelector('iframe').cloneNode())")
        await page.snapshot()
        assert (await refused(page, one)).reason == "frame gone"
        assert (await resolve(page, other)).place.frame == snapshot.report.frames[2].frame_id


_LEAVING = {
    "/": """<!doctype html><title>Leaving</title><body><iframe src="http://localhost:{PORT}/in"></iframe>
        <label>Name <input id=stays></label><script>
        let got = '';
        onkeydown = (event) => { got += event.key; };
        onmessage = () => { document.querySelector('iframe').remove(); stays.focus(); };</script>""",
    "/in": "<label>Name <input></label><script>oninput = () => parent.postMessage(1, '*')</script>",
}


async def test_a_frame_that_goes_while_something_is_typed_into_it(page: Page) -> None:
    async with serve_pages(_LEAVING) as pages:
        page, snapshot = await open_page(page, pages.url("/"))
        inner, outer = snapshot.find(role="textbox", name="Name")
        with pytest.raises(StaleElement) as caught:
            await page.type(inner.id, "never all of this", delay=0.1)
        assert caught.value.reason == "frame gone"
        assert [one.id for one in caught.value.successors] == [outer.id]
        assert await page.evaluate("stays.value + got") == ""


@pytest.mark.parametrize("steps", [60, pytest.param(600, marks=pytest.mark.soak)])
async def test_acting_and_mutating_at_random_reaches_only_what_was_named(
    browser: Browser, steps: int
) -> None:
    """Nodes carry an identity that only the test reads; an id leads to it, or is refused."""
    chance = random.Random(4)
    async with serve_pages(_PAGES) as pages:
        page, snapshot, sessions = await twins(browser, pages)
        for session in sessions:
            await evaluate(
                session,
                "let given = 0; globalThis.mark = () => document.querySelectorAll('button').forEach("
                "(one) => { one.id = one.id || location.search + given++; }); mark()",
            )
        ways = (
            'box.innerHTML = box.innerHTML.replaceAll(/ id="[^"]*"/g, \'\')',
            "box.append(box.firstElementChild)",
            "box.append(document.createElement('button')); box.lastChild.textContent = 'Do it'",
            "if (box.children.length > 1) box.lastElementChild.remove()",
            "for (const one of box.children) one.textContent = one.textContent > 'E' ? 'Do it' : 'Leave it'",
        )
        known: dict[str, str] = {}
        reached = refusals = 0
        for step in range(steps):
            if step % 10 == 0:
                snapshot = await page.snapshot()
                known = {}
                for row in snapshot.rows:
                    if row.role == "button" and row.id is not None:
                        known[row.id] = await dom_id(page, await resolve(page, row.id)) + row.name
            await evaluate(chance.choice(sessions), f"{chance.choice(ways)}; mark()")
            for id_ in chance.sample(sorted(known), min(2, len(known))):
                try:
                    found = await resolve(page, id_, as_of=snapshot.report.snapshot_id)
                except StaleElement:
                    refusals += 1
                else:
                    reached += 1
                    assert await dom_id(page, found) + found.name == known[id_]
        assert reached > 20
        assert refusals > 20


_SCRIPT_SLIDER = (
    "<b role=slider tabindex=0 aria-valuemin=0 aria-valuemax=9 aria-valuenow={0}"
    " onkeydown='this.nextSibling.textContent = this.ariaValueNow = +this.ariaValueNow + 1'>o</b>"
)


@pytest.mark.parametrize(
    "control",
    [
        "<input type=range min=0 max=9 value={0} oninput='this.nextSibling.textContent = this.value'>",
        _SCRIPT_SLIDER,
    ],
    ids=["input", "of script"],
)
async def test_the_number_that_a_slider_says_of_itself_may_change(page: Page, control: str) -> None:
    """Two sliders without names, told apart by the numbers beside them only."""
    html = "".join(f"<p>{control.format(value)}<output>{value}</output></p>" for value in (3, 7))
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        first, second = (row.id for row in (await page.snapshot()).rows if row.role == "slider")
        assert first is not None
        assert second is not None
        for _ in range(2):
            await page.press("ArrowRight", element=first)
        await page.press("ArrowRight", element=second)
        values = await page.evaluate("[...document.querySelectorAll('output')].map(one => one.textContent)")
        assert values == ["5", "8"]


_VALUES = """<!doctype html><title>People</title><ul id=list></ul><script>
  const people = ["Ann", "Bob", "Cid"], done = [];
  people.forEach((_, n) => {
    const row = document.createElement("li");
    const select = "<select aria-label=Name><option>Ann<option>Bob<option>Cid<option>Rob<option>Bert";
    row.innerHTML = location.hash ? select + "</select>" : "<input aria-label=Name>";
    row.insertAdjacentHTML("beforeend", " <button>Save</button>");
    row.lastChild.onclick = () => done.push(n);
    list.append(row);
  });
  const draw = () => people.forEach((who, n) => { list.children[n].firstChild.value = who; });
  draw();
</script>"""


async def test_a_field_of_a_row_is_filled_and_the_row_that_its_value_told_is_still_that_row(
    page: Page,
) -> None:
    async with serve_pages({"/": _VALUES}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
        name, save = snapshot.find("textbox", "Name")[1].id, snapshot.find("button", "Save")[1].id
        for text in ("Rob", "Bert"):
            await page.fill(name, text)
            await page.click(save)
        assert await page.evaluate("done") == [1, 1]


async def test_an_option_of_a_row_is_chosen_and_the_row_that_it_told_is_still_that_row(page: Page) -> None:
    async with serve_pages({"/": _VALUES}) as pages:
        await page.goto(pages.url("/#select"))
        snapshot = await page.snapshot()
        name, save = snapshot.find("combobox", "Name")[1].id, snapshot.find("button", "Save")[1].id
        await page.select_option(name, "Rob")
        await page.click(save)
        await page.press("ArrowDown", element=name)
        await page.click(save)
        assert await page.evaluate("[done, list.children[1].firstChild.value]") == [[1, 1], "Bert"]


async def test_rows_that_only_what_is_chosen_in_them_tells_apart_are_told_apart(page: Page) -> None:
    async with serve_pages({"/": _VALUES}) as pages:
        await page.goto(pages.url("/#select"))
        save = (await page.snapshot()).find("button", "Save")[1].id
        await page.evaluate("people.reverse(); people.push(people.shift()); draw()")
        with pytest.raises(StaleElement):
            await page.click(save)
        assert await page.evaluate("done") == []


#: Headers of a calendar: what the month and the year stand in.
_MONTHS = {
    "one text": "<b>${month} ${year}</b>",
    "two texts": "<b>${month}</b> <b>${year}</b>",
    "boxes": "<div><button>‹</button></div><div><div>${month}</div><div>${year}</div></div>",
    "buttons": "<button>Back</button><button>${year}</button><button>${month}</button>",
    "named buttons": "<button aria-label='Choose a month'>${month.slice(0, 3)}</button>"
    "<button aria-label='Choose a year'>${year}</button>",
    "selects": "<select aria-label=Month><option>${month}<option>June</select>"
    "<select aria-label=Year><option>${year}</select>",
}
#: February and March of 2026 look alike.
_CALENDAR = """<!doctype html><title>Calendar</title><p><input aria-label=Start> <span>One of 2000</span></p>
<button id=next>Next month</button><div id=panels></div><script>
  const names = ["February", "March", "April"], chosen = [], year = 2026, on = [0, 1];
  on.forEach((_, panel) => {
    const days = "<tr>" + "<td></td>".repeat(7) + "</tr>";
    panels.insertAdjacentHTML("beforeend", `<div><div></div><table><thead><tr><th>Su<th>Mo<th>Tu<th>We<th>Th
      <th>Fr<th>Sa</tr></thead><tbody>${days.repeat(6)}</tbody></table></div>`);
    [...panels.children[panel].querySelectorAll("td")].forEach((day) => {
      day.onclick = () => chosen.push(`${day.textContent} ${names[on[panel]]}`);
    });
  });
  const draw = () => on.forEach((at, panel) => {
    const month = names[at], first = new Date(2026, 1 + at, 1);
    panels.children[panel].firstChild.innerHTML = `HEADER`;
    [...panels.children[panel].querySelectorAll("td")].forEach((day, n) => {
      day.textContent = new Date(2026, 1 + at, 1 - first.getDay() + n).getDate();
    });
  });
  draw();
  next.onclick = () => { on[0] += 1; on[1] += 1; draw(); };
</script>"""


@pytest.mark.parametrize("header", _MONTHS)
async def test_a_day_is_that_of_the_month_it_was_shown_in(page: Page, header: str) -> None:
    async with serve_pages({"/": _CALENDAR.replace("HEADER", _MONTHS[header])}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
        first, second = (one.id for one in snapshot.find("cell", "17", exact=True))
        await page.click(second)
        await page.click(first)
        assert await page.evaluate("chosen.splice(0)") == ["17 March", "17 February"]
        await page.click("#next")
        with pytest.raises(StaleElement):
            await page.click(first)
        assert await page.evaluate("chosen") == []


async def test_a_day_of_a_month_that_was_chosen_is_another(page: Page) -> None:
    async with serve_pages({"/": _CALENDAR.replace("HEADER", _MONTHS["selects"])}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
        (day, _) = snapshot.find("cell", "17", exact=True)
        await page.select_option(snapshot.find("combobox", "Month")[0].id, "June")
        with pytest.raises(StaleElement):
            await page.click(day.id)


async def test_the_parts_of_a_date_are_filled_in_a_group_whose_name_stands_elsewhere(page: Page) -> None:
    """What one part holds does not make another one of its sibling."""
    html = """<p id=due>Due</p><div role=group aria-labelledby=due>
        <i role=spinbutton contenteditable aria-label=day>dd</i>/<i role=spinbutton contenteditable
        aria-label=month>mm</i></div><p id=paid>Paid</p><div role=group aria-labelledby=paid>
        <i role=spinbutton contenteditable aria-label=day>dd</i></div>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
        due, paid = snapshot.find("spinbutton", "day")
        (month,) = snapshot.find("spinbutton", "month")
        await page.fill_form([{"id": month.id, "value": "3"}, {"id": due.id, "value": "15"}])
        await page.fill(month.id, "4")
        held = "[...document.querySelectorAll('i')].map((part) => part.textContent)"
        assert await page.evaluate(held) == ["15", "4", "dd"]
        await page.evaluate("due.textContent = 'Paid'; paid.textContent = 'Due'")
        for part in (due, paid):
            with pytest.raises(StaleElement):
                await page.fill(part.id, "16")


_NAMES, _DATES = ["Ann", "Bob"] * 3, [f"2026-05-{day}" for day in range(11, 17)]


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ([_NAMES], [str(number) for number in range(1, 6)]),
        ([_DATES], _DATES[:5]),
        ([["$5", "$7"] * 3, _DATES], _DATES[:5]),
        (
            [_NAMES, ["10:00", "10:00", "11:00", "11:00", "12:00", "12:00"]],
            ["Ann, 10:00", "Bob, 10:00", "Ann, 11:00", "Bob, 11:00", "12:00"],
        ),
    ],
    ids=["names repeat", "dates", "sums and dates", "names and times together"],
)
@pytest.mark.parametrize("cell", ["{}", "<a tabindex=0><span></span></a>{}"], ids=["cells", "cells to edit"])
async def test_a_number_that_counts_the_rows_is_of_no_record(
    home_page: Page, columns: list[list[str]], told: list[str], cell: str
) -> None:
    """The first row goes, and the others are shown in the nodes from the first on."""
    records = [list(texts) for texts in zip(*columns, strict=True)]
    cells = [["<td>" + cell.format(text) for text in texts] for texts in records]
    rows = "".join(
        f"<tr><th scope=row>{number}{''.join(texts)}<td><button>Delete</button>"
        for number, texts in enumerate(cells[:5], 1)
    )
    await home_page.evaluate("(html) => { document.body.innerHTML = html; }", f"<table id=l>{rows}</table>")
    await home_page.evaluate("window.pressed = 0; l.onclick = () => { pressed++; }; 0")
    snapshot = await home_page.snapshot()
    delete = [one.id for one in snapshot.find("button", "Delete")]
    assert [snapshot.beside(id_) for id_ in delete] == told
    await home_page.evaluate(
        "(rows) => rows.forEach((texts, at) =>"
        " texts.forEach((text, n) => { l.rows[at].cells[n + 1].lastChild.data = text; }))",
        records[1:],
    )
    for id_ in delete:
        await refused(home_page, id_)
    assert await home_page.evaluate("pressed") == 0


async def test_a_card_with_the_same_text_many_times_is_pressed(home_page: Page) -> None:
    card = f"<div>{'<p>same</p>' * 60}<button>Go</button></div>"
    await home_page.evaluate("(html) => { document.body.innerHTML = html; }", card * 3)
    await home_page.evaluate("document.onclick = (e) => { e.target.textContent = 'pressed'; }; 0")
    snapshot = await home_page.snapshot()
    await home_page.click(snapshot.find("button")[1].id)
    snapshot = await home_page.snapshot()
    assert [one.name for one in snapshot.find("button")] == ["Go", "pressed", "Go"]


async def test_the_label_of_another_field_tells_nothing(home_page: Page) -> None:
    await home_page.evaluate(
        """void (document.body.innerHTML = `<div><label for=k>Kind</label><select id=k><option>tea</select>
        <div><label for=none>Day</label><div><input></div></div></div><p>Name <input></p>`)"""
    )
    snapshot = await home_page.snapshot()
    assert [snapshot.beside(one.id) for one in snapshot.find("textbox")] == ["Day", "Name"]


@pytest.mark.parametrize(
    "rows",
    [
        [("Ann", "Smith"), ("Ann", "Jones"), ("Bob", "Smith"), ("Bob", "Jones")],
        [("Report", "2026-01-01"), ("Report", "2026-01-02"), ("Plan", "2026-01-01")],
        [("Ann", "10:00"), ("Ann", "11:00"), ("Bob", "10:00")],
    ],
)
async def test_rows_that_only_two_texts_together_tell_apart_are_told_apart(
    page: Page, rows: list[tuple[str, str]]
) -> None:
    await page.goto("about:blank")
    cells = "".join(f"<tr><td>{one}<td>{other}<td><button>Delete</button>" for one, other in rows)
    await page.evaluate(
        "(html) => { document.body.innerHTML = html; }", f"<table id=l>{cells}</table><output id=o>"
    )
    await page.evaluate("l.onclick = (e) => { o.textContent += e.target.closest('tr').innerText; }; 0")
    snapshot = await page.snapshot()
    delete = [one.id for one in snapshot.find("button", "Delete")]
    assert snapshot.beside(delete[0]) == ", ".join(rows[0])
    assert len({snapshot.beside(one) for one in delete}) == len(rows)
    await page.click(delete[1])
    assert (await page.text("#o")).split() == [*rows[1], "Delete"]
    # The first has gone, and the page shows the others in the nodes from the first on.
    await page.evaluate(
        "(rows) => [...l.rows].forEach((tr, at) => at < rows.length"
        " ? rows[at].forEach((text, n) => { tr.cells[n].textContent = text; }) : tr.remove())",
        [list(one) for one in rows[1:]],
    )
    for at, id_ in enumerate(delete):
        error = await refused(page, id_)
        named = [one.beside for one in error.successors]
        assert named == ([] if at == 0 else [snapshot.beside(id_)])


@pytest.mark.parametrize("role", ["tab", "option", "menuitem", "treeitem", "row", "radio"])
async def test_an_icon_without_a_name_is_its_item_s(page: Page, role: str) -> None:
    await page.goto("about:blank")
    around = {"tab": "tablist", "menuitem": "menu", "treeitem": "tree", "row": "grid", "radio": "radiogroup"}
    items = "".join(
        f"<div role={role} tabindex=-1><span>{name}</span> <button></button></div>" for name in "ABC"
    )
    html = f"<div role={around.get(role, 'listbox')}>{items}</div><p role=status>Items: 3</p>"
    await page.evaluate("(html) => { document.body.innerHTML = html; }", html)
    snapshot = await page.snapshot()
    icons = [one.id for one in snapshot.find("button")]
    assert [snapshot.beside(one) for one in icons] == ["A", "B", "C"]
    assert (await resolve(page, icons[1])).id == icons[1]
    await page.evaluate(
        "document.querySelectorAll('span').forEach((one, at) => { one.textContent = 'XAB'[at]; })"
    )
    for id_ in icons:
        await refused(page, id_)


@pytest.mark.parametrize(
    "dialog",
    [
        "<div role=dialog aria-modal=true aria-label='Delete a.txt?' id=d>{}</div>",
        "<div role=alertdialog aria-labelledby=h><p id=h>Delete a.txt?</p>{}</div>",
        "<dialog open><h2 id=h>Delete a.txt?</h2>{}</dialog>",
    ],
)
async def test_a_dialog_that_asks_about_another_record_is_another(page: Page, dialog: str) -> None:
    await page.goto("about:blank")
    await page.evaluate(
        "(html) => { document.body.innerHTML = html; }", dialog.format("<p>For good.</p><button>OK</button>")
    )
    (button,) = (await page.snapshot()).find("button", "OK")
    await page.evaluate("document.querySelector('p:not([id])').textContent = 'It cannot be taken back.'; 0")
    assert (await resolve(page, button.id)).id == button.id
    await page.evaluate(
        "globalThis.d ? d.ariaLabel = 'Delete b.txt?' : h.textContent = 'Delete b.txt?'; 0",
    )
    error = await refused(page, button.id)
    assert 'was shown beside "Delete a.txt?", and stands beside "Delete b.txt?" now' in str(error)


async def test_rows_that_only_the_value_of_a_field_tells_apart_are_told_apart(page: Page) -> None:
    async with serve_pages({"/": _VALUES}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
        name, save = snapshot.find("textbox", "Name")[1].id, snapshot.find("button", "Save")[1].id
        await page.evaluate("people.reverse(); people.push(people.shift()); draw()")
        with pytest.raises(StaleElement):
            await page.click(save)
        with pytest.raises(StaleElement):
            await page.fill(name, "Rob")
        assert await page.evaluate("done") == []


#: Pressed elements without a word, and wrappers without one beside them.
_WORDLESS = """<!doctype html><title>none</title>
  <style>.x { width: 9px; height: 9px; cursor: pointer }</style>%s<script>
  for (const one of document.querySelectorAll(".x"))
    one.onclick = () => { document.title = one.id; };</script>"""


async def test_wordless_elements_in_rows_that_only_a_value_tells_apart(page: Page) -> None:
    row = "<div class=row><div><i></i><input value={0}></div><div class=x id={0}></div></div>"
    await page.evaluate("html => { document.write(html); }", _WORDLESS % "".join(map(row.format, "ABC")))
    pressed = {id_: (await page.snapshot()).node(id_).attributes["id"] for id_ in await _pressed(page)}
    assert [*pressed.values()] == ["A", "B", "C"]
    for id_, name in pressed.items():
        await page.click(id_)
        assert await page.evaluate("document.title") == name
    await page.evaluate("document.title = 'none'")
    await page.evaluate("document.querySelectorAll('input').forEach((one, n) => { one.value = 'CAB'[n]; })")
    for id_ in pressed:
        with pytest.raises(StaleElement):
            await page.click(id_)
    assert await page.evaluate("document.title") == "none"


async def test_a_value_between_wordless_elements_belongs_to_none_of_them(page: Page) -> None:
    """What is typed into a field of a form is not what the rating beside it is known by."""
    fields = "<div class=x id=a></div><div><i></i><input id=f></div><div class=x id=b></div>"
    await page.evaluate("html => { document.write(html); }", _WORDLESS % fields)
    await page.fill("#f", "first")
    first, second = await _pressed(page)
    await page.fill("#f", "second")
    for id_, name in ((first, "a"), (second, "b")):
        await page.click(id_)
        assert await page.evaluate("document.title") == name


async def _pressed(page: Page) -> list[ElementId]:
    """The ids of what has a pointer."""
    return (await page.snapshot()).css(".x")


async def test_what_is_typed_key_by_key_stops_where_the_row_becomes_another(page: Page) -> None:
    """The rest of a text must not go into the field of the row that has come into the same nodes."""
    html = """<ul><li><b>Ann</b> <input aria-label=Note></li><li><b>Bob</b> <input aria-label=Note></li></ul>
        <script>document.querySelectorAll("input").forEach((one) => { one.oninput = () => {
          if (one.value.length === 2) document.querySelectorAll("b")[1].textContent = "Cid"; }; })</script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        _, second = (await page.snapshot()).find("textbox", "Note")
        with pytest.raises(StaleElement) as refused:
            await page.type(second.id, "hello", by_keys=True)
        assert refused.value.partial
        assert await page.evaluate("document.querySelectorAll('input')[1].value") == "he"


async def test_a_field_that_goes_before_its_text_comes(browser: Browser) -> None:
    """The text is not said to have been entered where no character has come."""
    page = await browser.new_page()
    for action in ("fill", "type", "fill", "type", "fill", "type"):
        await page.evaluate(
            "() => { document.body.innerHTML = '<input aria-label=Note>'; window.came = 0;"
            " const one = document.querySelector('input'); one.oninput = () => { window.came = 1 };"
            " one.onfocus = () => setTimeout(() => one.remove()) }"
        )
        (field,) = (await page.snapshot()).find("textbox", "Note")
        done = 1
        try:
            await getattr(page, action)(field.id, "hello")
        except StaleElement:
            done = 0
        assert await page.evaluate("window.came") == done
    await page.close()


async def test_another_rows_button_is_no_successor_of_a_row_that_is_gone(page: Page) -> None:
    """Who goes on with what is likely meant would delete Ann."""
    await page.goto(
        "data:text/html,<table><tr><th>Name<th>Action<tr><td>Ann<td><button>Delete</button>"
        "<tr id=bob><td>Bob<td><button>Delete</button><tr><td>Cy<td><button>Delete</button></table>"
    )
    bobs = (await page.snapshot()).find("button")[1].id
    await page.evaluate("bob.remove()")
    error = await refused(page, bobs)
    assert error.successors == ()
    assert 'its document; others like it are there, but none beside "Bob"; take a new snapshot' in str(error)
    await page.evaluate("document.querySelectorAll('button').forEach((one) => one.remove())")
    error = await refused(page, bobs)
    assert 'of its document; nothing like it is there beside "Bob"; take a new snapshot' in str(error)


@pytest.mark.parametrize(
    "change", ["textContent = 'Restore'", "remove()", "closest('li, tr, article, div').remove()"]
)
@pytest.mark.parametrize("names", ["Ann Bob Cid", "Order-1 Order-2 Order-3", "1 2 3"])
@pytest.mark.parametrize(
    "record",
    [
        "<li>{} {}",
        "<li><span>{}</span> {}",
        "<table><tr><td>{}<td>{}</table>",
        "<article><h3>{}</h3><p>in stock</p>{}</article>",
        "<div><p>{}</p><p>in stock</p>{}</div>",
    ],
)
async def test_another_records_button_is_no_successor(
    home_page: Page, record: str, names: str, change: str
) -> None:
    """Delete becomes Restore, Buy becomes Sold out: what is called so still is the next record's."""
    button = "<button>Delete</button>"
    records = "".join(record.format(name.replace("-", " "), button) for name in names.split())
    await home_page.evaluate(f"void (document.body.innerHTML = `{records}`)")
    first, *_ = (row.id for row in (await home_page.snapshot()).find("button"))
    await home_page.evaluate(f"document.querySelector('button').{change}")
    assert (await refused(home_page, first)).successors == ()


async def test_text_of_a_style_sheet_does_not_hide_a_successor(page: Page) -> None:
    """It has no id. The page was loaded anew, so the stale node is not there either."""
    records = "".join(f"<li><b>{name}</b> <button>Delete</button>" for name in ("Ann", "Bob"))
    async with serve_pages({"/": f"<style>b::after {{ content: '*' }}</style><ul>{records}</ul>"}) as pages:
        page, snapshot = await open_page(page, pages.url("/"))
        _, bobs = ids_of(snapshot, "Delete")
        await page.reload()
        assert [one.beside for one in (await refused(page, bobs)).successors] == ["Bob"]


_MESSAGE = """<!doctype html><title>Edit</title><style>td { min-width: 15em }</style><table><tr>
<td><input aria-label=Date value=x aria-invalid=true aria-describedby=m onblur="m.remove()"></td>
<td><div id=m>Value must be a date</div></td>
<td><a href="#saved">Save</a></td></tr></table>"""


async def test_an_error_that_goes_as_the_field_loses_the_focus_is_no_ones_row(page: Page) -> None:
    async with serve_pages({"/": _MESSAGE}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot()
        (field,) = snapshot.find("textbox", "Date")
        (save,) = snapshot.find("link", "Save")
        await page.click(field.id)
        receipt = await page.click(save.id)
    assert receipt.navigation is not None
    assert receipt.navigation.url.endswith("#saved")


async def test_the_text_that_tells_an_element_from_others_can_be_asked_for(page: Page) -> None:
    rows = "".join(f"<li><b>{name}</b><button>Delete</button>" for name in ("Ann", "Bob"))
    await page.goto(f"data:text/html,<ul>{rows}</ul><button>Add</button>")
    snapshot = await page.snapshot()
    delete = [snapshot.beside(one.id) for one in snapshot.find("button", "Delete")]
    assert delete == ["Ann", "Bob"]
    assert snapshot.beside(snapshot.find("button", "Add")[0].id) == ""
    assert Snapshot.from_json(snapshot.to_json()).beside(snapshot.find("button")[1].id) == "Bob"
    with pytest.raises(UnknownElement):
        snapshot.beside("0-999999")
