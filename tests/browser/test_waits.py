"""Waiting for what a page shows, where it is, and how far it has loaded."""

from __future__ import annotations

import functools
import re
import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import trio

import hybridsnap
from hybridsnap import (
    EvaluationFailed,
    NotInteractable,
    SelectorError,
    TargetCrashed,
    TargetDetached,
    UnknownElement,
    WaitTimeout,
)
from hybridsnap.client.waits import _Waiting
from tests.support import http
from tests.support.faults import Injecting, check_clean, evaluate, until
from tests.support.pages import ENDLESS, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Browser, Page
    from hybridsnap.client.transport import Transport
    from hybridsnap.model import SessionId
    from tests.support.pages import Content, PageServer


async def _slow(_: http.Request) -> http.Response:
    await trio.sleep(0.5)
    return http.Response(b"body { color: red }", "text/css")


_PAGES: dict[str, Content] = {
    "/": """<!doctype html><title>Words</title>
      <style>.up { text-transform: uppercase } .cap { text-transform: capitalize } .none { display: none }
        .hid { visibility: hidden } .vis { visibility: visible } .con { display: contents }</style>
      <p>One   <b>two</b>
        three</p><p id=p>next</p><span>in</span><span>line</span>
      <p class=up>shouted</p><p class=cap>big letters</p>
      <p class=none>Not shown</p><p class=hid>Not seen <i class=vis>but this</i></p>
      <div class=con>Contents <i>too</i></div>
      <details><summary>Sum</summary>Folded away</details>
      <input value="A value"><input type=submit value="Send it"><textarea>Area</textarea>
      <select><option>First option<option>Second option</select>
      <svg width=100 height=20><text y=15>Drawn words</text></svg><script>"in a script"</script>
      <open-box>Slotted <template shadowrootmode=open>before <slot></slot> after
        <p style="text-transform: uppercase">open <b>root</b></p><p style="display: none">open hidden</p>
        <shut-box><template shadowrootmode=closed>inner closed</template></shut-box></template></open-box>
      <closed-box>Unslotted<template shadowrootmode=closed><p>closed root</p>
        <deep-box><template shadowrootmode=open>open in closed</template></deep-box></template></closed-box>
      <up-box>styled by its slot<template shadowrootmode=open>
        <b style="text-transform: uppercase"><slot></slot></b></template></up-box>
      <hid-box>Slot not seen<template shadowrootmode=closed><i style="visibility: hidden"><slot></slot></i>
        </template></hid-box>
      <iframe id=same src=/frame.html></iframe>
      <iframe id=other src="http://localhost:{PORT}/outer.html"></iframe>
      <iframe id=gone style="display: none" src=/hidden.html></iframe>""",
    "/frame.html": "<!doctype html><title>F</title><p>same frame<p id=q>quiet</p>",
    "/outer.html": """<!doctype html><title>O</title><p>other frame</p>
      <iframe src="http://127.0.0.1:{PORT}/inner.html"></iframe>""",
    "/inner.html": """<!doctype html><title>I</title><x-y><template shadowrootmode=open>
      <p>inner <i>frame</i></p></template></x-y>""",
    "/hidden.html": "<!doctype html><p>hidden frame<iframe srcdoc='<p>below hidden'></iframe>",
    "/holder.html": "<!doctype html><p>holder<iframe src='http://localhost:{PORT}/frame.html'></iframe>",
    "/plain.html": "<!doctype html><title>Plain</title><p id=p>plain</p>",
    "/clobbered.html": """<!doctype html><form name=documentElement></form><form name=readyState></form>
      <form><input name=innerText><input name=childNodes><input name=checkVisibility></form>
      <form id=f name=querySelectorAll><input name=parentNode>still <b>read</b></form>
      <x-y><template shadowrootmode=open>and here</template></x-y>""",
    "/late.html": "<!doctype html><link rel=stylesheet href=/slow><p>late</p><img src=/image>",
    "/drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg"><text y="20">drawing</text></svg>',
    "/slow": _slow,
    "/held.html": "<p>here</p><script src=/hang></script><p>not here</p>",
    "/growing.html": """<p>here</p><img src=/hang>
      <script>setInterval(() => document.body.append(document.createElement('i')), 50)</script>""",
    "/hung.html": "<!doctype html><p>here</p><img src='http://localhost:{PORT}/hang'><img src=/hang>",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


@pytest.fixture
async def page(page: Page, pages: PageServer) -> Page:
    await page.goto(pages.url("/plain.html"))
    return page


async def later(page: Page, script: str, ms: int = 100) -> None:
    """Have the page do something in a while."""
    await evaluate(page.session, f"void setTimeout(() => {{ {script} }}, {ms})")


async def missing(page: Page, *, timeout: float = 0.5, **conditions: Any) -> WaitTimeout:
    with pytest.raises(WaitTimeout) as caught:
        await page.wait_for(timeout=timeout, **conditions)
    assert "\n" not in str(caught.value)
    return caught.value


# Text


async def test_text_is_there(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/"))
    for text in (
        "One two three",
        "One  two\n three",
        "three next inline",
        "SHOUTED",
        "Big Letters",
        "but this",
        "Contents too",
        "Sum",
        "Send it",
        "Second option",
        "Drawn words",
        "before Slotted after OPEN ROOT",
        "inner closed",
        "closed root open in closed",
        "STYLED BY ITS SLOT",
        "same frame",
        "other frame",
        "inner frame",
    ):
        waited = await page.wait_for(text=text, timeout=10)
        assert (waited.conditions, waited.url) == ((f"text={text!r}",), pages.url("/"))


async def test_text_that_is_not_there(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/"))
    await page.wait_for(text="inner frame", timeout=10)
    for text in (
        "one two three",
        "Not shown",
        "Not seen",
        "Folded away",
        "A value",
        "shouted",
        "in a script",
        "open hidden",
        "Unslotted",
        "styled by",
        "Slot not seen",
        "hidden frame",
        "below hidden",
        "Words",
        "quiet Drawn",
    ):
        await page.wait_for(text_gone=text, timeout=10)
    error = await missing(page, text="Not shown", text_gone="same frame", timeout=1)
    assert error.missing == ("text='Not shown'", "text_gone='same frame'")
    words, where, *_ = str(error).split("; ")  # on a busy machine it says that frames did not answer, too
    assert words == "text='Not shown' and text_gone='same frame' did not come within 1 s"
    assert where == f"the page is at {pages.url('/')}"


_COMING = [
    "p.textContent = 'Done now'",
    "p.firstChild.data = 'Done now'",
    "document.body.append(Object.assign(document.createElement('p'), {innerHTML: 'Done <b>now</b>'}))",
    "p.attachShadow({mode: 'open'}).innerHTML = 'Done now'",
    "p.attachShadow({mode: 'closed'}).innerHTML = 'Done now'",
    "document.body.innerHTML = '<iframe srcdoc=\"Done now\">'",
    "document.write('Done now')",
    "location.href = 'data:text/html,nothing'; location.href = '/done.html'",
]


async def test_text_that_comes(page: Page) -> None:
    async with serve_pages({**_PAGES, "/done.html": "<p>Done now"}) as pages:
        for script in _COMING:
            await page.goto(pages.url("/plain.html"))
            async with trio.open_nursery() as nursery:
                nursery.start_soon(later, page, script)
                await page.wait_for(text="Done now", timeout=15)


async def test_text_that_goes(page: Page) -> None:
    await later(page, "p.hidden = true")
    await page.wait_for(text_gone="plain", timeout=15)
    assert await evaluate(page.session, "p.hidden")


async def test_text_shown_by_a_style_alone(page: Page) -> None:
    await evaluate(
        page.session,
        """document.head.append(Object.assign(document.createElement('style'),
            {textContent: 'p { visibility: hidden } p.x { color: red }'}))""",
    )
    await missing(page, text="plain")
    await evaluate(page.session, "document.styleSheets[0].insertRule('body p { visibility: visible }', 2)")
    await page.wait_for(text="plain", timeout=10)


async def test_text_in_a_frame_that_comes_later(page: Page, pages: PageServer) -> None:
    url = pages.url("/outer.html", "localhost")
    await later(
        page, f"document.body.append(Object.assign(document.createElement('iframe'), {{src: '{url}'}}))"
    )
    await page.wait_for(text="inner frame", timeout=15)


async def test_names_that_clobber(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/clobbered.html"))
    await page.wait_for(text="still read", timeout=10)
    await page.wait_for(text="and here", selector="#f", load_state="load", timeout=10)


async def test_a_document_without_html(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/drawing.svg"))
    await page.wait_for(text="drawing", timeout=10)


# Selectors


async def test_selectors(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/"))
    await page.wait_for(text="inner frame", timeout=10)
    for selector in (
        "p.up",
        "//b",
        "open-box >> b",
        "closed-box >> p",
        "deep-box",
        "#other >> p",
        "#other >> iframe >> x-y >> i",
        "option",
        ".con",
        "//p/text()",
        "/",
        ".hid .vis",
        "p",
    ):
        await page.wait_for(selector=selector, timeout=10)
    for selector in (
        "p.none",
        ".hid:not(:has(p))",
        "#nowhere",
        "title",
        "//script",
        "#nowhere >> p",
        "//comment()",
    ):
        await page.wait_for(selector_gone=selector, timeout=10)
    error = await missing(page, selector="#nowhere >> p", selector_gone="//b")
    assert error.missing == ("selector='#nowhere >> p'", "selector_gone='//b'")


async def test_a_selector_comes_and_goes(page: Page) -> None:
    await evaluate(page.session, "p.hidden = true")
    await later(page, "p.hidden = false")
    await page.wait_for(selector="#p", timeout=15)
    await later(page, "p.remove()")
    await page.wait_for(selector_gone="#p", timeout=15)


async def test_the_element_that_was_shown(page: Page) -> None:
    snapshot = await page.snapshot()
    element_id = next(row.id for row in snapshot.rows if row.tag == "p")
    assert element_id is not None
    await page.wait_for(selector=element_id, timeout=10)
    await later(page, "p.replaceWith(p.cloneNode(true))")
    await page.wait_for(selector_gone=element_id, selector="#p", timeout=15)
    with pytest.raises(UnknownElement):
        await page.wait_for(selector="7-77", timeout=10)
    with pytest.raises(UnknownElement):
        await page.wait_for(selector="@e99", timeout=10)


async def test_a_malformed_selector(page: Page) -> None:
    started = time.monotonic()
    with pytest.raises(SelectorError, match=r"p\[\["):
        await page.wait_for(selector="p[[", timeout=20)
    assert time.monotonic() - started < 10


# The state of elements

_STATES = """
  <button id=b disabled>Send</button> <button id=c>Cancel</button> <button id=l>Last</button>
  <div id=cover style="position: fixed; inset: 0; background: #fff8">Please wait</div>
  <input id=k type=checkbox> <div id=k2 role=switch aria-checked=mixed tabindex=0>S</div>
  <input id=v value=old> <input id=w type=password value=hunter2> <label><textarea id=t>a</textarea></label>
  <select id=s><option value=fr>France<option value=de>Germany</select>
  <div id=r role=slider aria-valuenow=3></div> <p id=e contenteditable>words</p>
  <ul id=u><li>1<li hidden>2</ul><ul id=full><li>1</ul><ul id=none></ul>
  <p id=far style="margin-top: 3000px"><button id=below>Below</button></p>
"""


async def test_the_state_of_elements(page: Page) -> None:
    """Of several conditions at once: what holds instead of each, then that all come, also by id."""
    body = "document.body.innerHTML = " + msgspec.json.encode(_STATES).decode()
    await evaluate(page.session, body)
    snapshot = await page.snapshot()
    send, last = (snapshot.find(role="button", name=name)[0].id for name in ("Send", "Last"))
    #: What is waited for together: a condition, its element, what holds instead, what makes it come.
    waits: list[list[tuple[str, Any, str, str]]] = [
        [
            ("enabled", "#b", "enabled: it is disabled", "b.disabled = false"),
            ("disabled", "#c", "disabled: it is enabled", "c.setAttribute('aria-disabled', 'true')"),
            ("uncovered", send, "covers it", "cover.remove()"),
            ("checked", "#k", "checked: it is unchecked", "k.checked = true"),
            ("value", ("#v", "new"), 'value: its value is "old"', "v.value = 'new'"),
            ("count", ("#u > li", 3), "count: 2 match", "u.append(document.createElement('li'))"),
        ],
        [
            (
                "enabled",
                "#d",
                "enabled: nothing matches",
                "const d = c.cloneNode(true); d.id = 'd'; d.removeAttribute('aria-disabled'); c.after(d)",
            ),
            ("uncovered", "#t", "it is not displayed", "t.parentNode.hidden = false"),
            ("checked", "#k2", "checked: it is mixed", "k2.setAttribute('aria-checked', 'true')"),
            ("value", ("#s", "Germany"), 'value: its value is "fr" or "France"', "s.value = 'de'"),
            ("count", ("#full > li", 0), "count: 1 match", "full.replaceChildren()"),
        ],
        [
            ("enabled", send, "enabled: it is disabled", ""),
            ("value", ["#r", "4"], 'value: its value is "3"', "r.setAttribute('aria-valuenow', 4)"),
            ("count", ("#none > li", 1), "count: nothing matches", "none.innerHTML = '<li>'"),
        ],
        [
            ("disabled", last, "disabled: it is enabled", "l.disabled = true"),
            ("value", ("#e", "more"), 'value: its value is "words"', "e.textContent = 'more'"),
        ],
        [("value", ("#w", "x"), "value: its value is another one", "w.value = 'x'")],
    ]

    async def lacks(wait: list[tuple[str, Any, str, str]]) -> None:
        error = await missing(page, timeout=3, **{name: asked for name, asked, _, _ in wait})
        for name, asked, instead, _ in wait:
            assert instead in str(error), (name, asked)
            assert instead.removeprefix(f"{name}: ") in error.instead[name]
        assert "hunter2" not in str(error)

    await evaluate(page.session, "t.parentNode.hidden = true")
    async with trio.open_nursery() as nursery:
        for wait in waits:
            nursery.start_soon(lacks, wait)
    for wait in waits:
        await later(page, "; ".join(script for *_, script in wait))
        waited = await page.wait_for(timeout=20, **{name: asked for name, asked, _, _ in wait})
        assert set(waited.conditions) == {
            f"{name}={tuple(asked) if isinstance(asked, list) else asked!r}" for name, asked, _, _ in wait
        }
    assert (await page.wait_for(timeout=20, value=("#s", "de"))).conditions == ("value=('#s', 'de')",)


async def test_what_is_out_of_view_is_scrolled_to(page: Page) -> None:
    await evaluate(page.session, "document.body.innerHTML = `<p style='height: 3000px'></p><button id=b>B`")
    await page.wait_for(uncovered="#b", enabled="#b", timeout=20)
    assert await evaluate(page.session, "scrollY > 0")


async def test_a_state_that_an_element_cannot_have(page: Page) -> None:
    await evaluate(page.session, "document.body.innerHTML = `<button id=a>A</button><button>B`")
    with pytest.raises(NotInteractable, match="is a condition of a checkbox, switch or radio, and "):
        await page.wait_for(checked="#a", timeout=20)
    with pytest.raises(NotInteractable, match="value is a condition of a field, list or slider, and "):
        await page.wait_for(value=("#a", "A"), timeout=20)
    with pytest.raises(SelectorError, match=r'matches several elements: 0-\d+ button "A", .*by its id'):
        await page.wait_for(enabled="button", timeout=20)
    with pytest.raises(UnknownElement):
        await page.wait_for(value=("7-77", "A"), timeout=20)


async def test_an_element_in_a_frame_of_another_process(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/holder.html"))
    await page.wait_for(uncovered="iframe >> #q", count=("iframe >> p", 2), timeout=20)
    cover = "Object.assign(document.createElement('div'), {id: 'over', style: 'position: fixed; inset: 0'})"
    await evaluate(page.session, f"document.body.append({cover})")
    assert "covers it" in str(await missing(page, timeout=1.5, uncovered="iframe >> #q"))
    await later(page, "over.remove()")
    await page.wait_for(uncovered="iframe >> #q", timeout=20)


# Where the page is, how far it has loaded


async def test_an_address(page: Page, pages: PageServer) -> None:
    waited = await page.wait_for(url="**/plain.html", timeout=10)
    assert waited.conditions == ("url='**/plain.html'",)
    await later(page, "history.pushState({}, '', '/pushed?a=1')")
    assert (await page.wait_for(url="**/pushed*", timeout=15)).url == pages.url("/pushed?a=1")
    await later(page, "location.href = '/frame.html#x'")
    await page.wait_for(url=pages.url("/frame.html#x"), text="same frame", timeout=15)
    error = await missing(page, url="**/cart", time=0.1)
    assert error.missing == ("url='**/cart'",)
    assert str(error).endswith(f"the page is at {pages.url('/frame.html#x')}")


async def test_load_states(page: Page) -> None:
    gate = trio.Event()

    async def image(_: http.Request) -> http.Response:
        await gate.wait()
        return http.Response(b"", "image/png")

    async with serve_pages({**_PAGES, "/image": image}) as pages:
        await page.goto(pages.url("/late.html"), wait="none")
        waited = await page.wait_for(load_state="domcontentloaded", url="**/late.html", timeout=15)
        assert waited.url == pages.url("/late.html")
        error = await missing(page, load_state="load")
        assert error.missing == ("load_state='load'",)
        await page.wait_for(load_state="domcontentloaded", timeout=15)
        gate.set()
        await page.wait_for(load_state="load", timeout=15)


async def test_settled_is_loaded_where_the_load_ends(page: Page, pages: PageServer) -> None:
    went = await page.goto(pages.url("/late.html"), timeout=60)
    assert (went.reached, went.ended_by, went.under_way) == (True, "load", {})
    assert await evaluate(page.session, "document.readyState") == "complete"
    assert (await page.snapshot(timeout=20)).report.notes == ()


async def test_a_page_that_changes_has_not_settled(page: Page, pages: PageServer) -> None:
    went = await page.goto(pages.url("/growing.html"), wait="settled", timeout=3)
    assert (went.reached, went.ended_by) == (False, "deadline")


async def test_the_network_does_not_fall_quiet(page: Page) -> None:
    await evaluate(page.session, "void fetch('/hang')")
    await page.wait_for(load_state="load", timeout=5)
    await evaluate(page.session, "void setInterval(() => fetch('/plain.html'), 100)")
    error = await missing(page, load_state="networkidle", timeout=1.2)
    assert error.missing == ("load_state='networkidle'",)


# What takes seconds, in tabs side by side


async def test_what_takes_seconds(browser: Browser, pages: PageServer) -> None:
    async with trio.open_nursery() as nursery:
        for check in (
            settles_while_the_load_never_ends,
            is_not_loaded_while_the_load_never_ends,
            settles_while_a_script_holds_the_parser_up,
            settles_over_the_own_socket_of_a_page,
            settles_on_a_page_of_which_the_rest_comes_later,
            sees_the_network_fall_quiet,
        ):
            nursery.start_soon(check, await browser.new_page(pages.url("/plain.html")), pages)


async def settles_while_the_load_never_ends(page: Page, pages: PageServer) -> None:
    url = pages.url("/hung.html")
    went = await page.goto(url, timeout=60)
    assert (went.reached, went.ended_by, went.url) == (True, "settled", url)
    assert sorted(went.under_way.values()) == [1, 1]
    assert any(host.startswith("localhost:") for host in went.under_way)
    assert "still loading: 2 requests (" in str(went)
    assert went.elapsed_ms < 30_000
    report = (await page.snapshot(timeout=20)).report
    assert [note for note in report.notes if note.startswith("still loading when it was looked at: 2 req")]
    assert (await page.reload(timeout=60)).ended_by == "settled"
    async with await page.browser.new_context() as context:
        opened = await context.new_page(url, timeout=60)
        assert (opened.under_way, opened.url) == (dict.fromkeys(went.under_way, 1), url)


async def is_not_loaded_while_the_load_never_ends(page: Page, pages: PageServer) -> None:
    went = await page.goto(pages.url("/hung.html"), wait="load", timeout=4)
    assert (went.reached, went.ended_by, went.under_way) == (False, "deadline", {})


async def settles_while_a_script_holds_the_parser_up(page: Page, pages: PageServer) -> None:
    went = await page.goto(pages.url("/held.html"), timeout=100)
    assert (went.reached, went.ended_by, list(went.under_way.values())) == (True, "settled", [1])
    snapshot = await page.snapshot(timeout=20)
    assert ("here" in snapshot.combined_tree, "not here" in snapshot.combined_tree) == (True, False)


async def settles_over_the_own_socket_of_a_page(page: Page, pages: PageServer) -> None:
    assert page.browser.endpoint is not None
    host = page.browser.endpoint.split("/")[2]
    async with hybridsnap.connect(f"ws://{host}/devtools/page/{page.target_id}") as own:
        session = (await own.page()).sessions[0]
        await session.send("Network.enable")
        went = await (await own.page()).goto(pages.url("/hung.html"), timeout=100)
        assert (went.reached, went.ended_by, went.under_way) == (True, "settled", {})
        with session.events("Network.requestWillBeSent") as events:
            await session.send("Runtime.evaluate", {"expression": "fetch('/plain.html')"})
            with trio.fail_after(30):
                _, params = await anext(events)
        assert params["request"]["url"] == pages.url("/plain.html")


async def settles_on_a_page_of_which_the_rest_comes_later(page: Page, _: PageServer) -> None:
    gate = trio.Event()

    async def image(_: http.Request) -> http.Response:
        await gate.wait()
        return http.Response(b"", "image/png")

    async with serve_pages({"/": "<p>here</p><img src=/image>", "/image": image}) as server:
        went = await page.goto(server.url("/"), timeout=100)
        assert (went.ended_by, page.under_way) == ("settled", went.under_way)
        gate.set()
        await page.wait_for(load_state="load", timeout=30)
        assert page.under_way is None
        assert (await page.snapshot(timeout=20)).report.notes == ()


async def sees_the_network_fall_quiet(page: Page, _: PageServer) -> None:
    """Whether script reads what it fetches, or not: then Chromium tells no end."""
    await evaluate(page.session, "window.left = 2; window.go = () => left-- && fetch('/slow').then(go)")
    await later(page, "go()")
    await page.wait_for(load_state="networkidle", timeout=20)
    assert await evaluate(page.session, "left") == -1


async def test_a_page_that_had_loaded_before_we_came(browser: Browser, pages: PageServer) -> None:
    opened = await browser.session.send("Target.createTarget", {"url": pages.url("/plain.html")})
    page = await browser.page(opened["targetId"])
    await page.wait_for(load_state="load", text="plain", timeout=15)
    await page.wait_for(load_state="domcontentloaded", timeout=15)
    await page.wait_for(load_state="networkidle", timeout=15)


# Functions


@pytest.mark.parametrize(
    "function",
    ["window.ready", "() => window.ready", "async () => { return window.ready }", "[window.ready][0] && []"],
)
async def test_a_function(page: Page, function: str) -> None:
    await later(page, "window.ready = 1")
    await page.wait_for(function=function, timeout=15)
    assert await evaluate(page.session, "window.ready") == 1


async def test_a_function_that_throws(page: Page) -> None:
    started = time.monotonic()
    with pytest.raises(EvaluationFailed, match="nowhere"):
        await page.wait_for(function="() => nowhere.to.go", timeout=20)
    with pytest.raises(EvaluationFailed):
        await page.wait_for(function="((", timeout=20)
    assert time.monotonic() - started < 10


async def test_a_function_is_asked_when_all_else_holds(page: Page) -> None:
    await evaluate(page.session, "window.asked = 0")
    error = await missing(
        page, function="() => { window.asked++; nowhere() }", text="never", url="**/plain.html"
    )
    assert error.missing == ("text='never'", "function='() => { window.asked++; nowhere() }'")
    assert "url='**/plain.html' held" in str(error)
    assert await evaluate(page.session, "asked") == 0


@pytest.mark.parametrize("function", ["() => { while (true) {} }", "new Promise(() => {})"])
async def test_a_function_that_hangs(page: Page, function: str) -> None:
    started = time.monotonic()
    error = await missing(page, function=function, timeout=1)
    assert time.monotonic() - started < 5
    assert "the function had not come to its end, and was ended" in str(error)
    await page.wait_for(text="plain", function="1 + 1", timeout=10)


async def test_a_function_that_stays_false_came_to_its_end(page: Page) -> None:
    error = await missing(page, function="1 > 2", timeout=1)
    assert (error.missing, error.obstacle) == (("function='1 > 2'",), "")
    assert str(error) == f"function='1 > 2' did not come within 1 s; the page is at {page.url}"


# All at once


async def test_all_at_once(page: Page) -> None:
    await later(page, "p.textContent = 'first'; history.pushState({}, '', '/one')", 100)
    await later(page, "document.body.append('second'); window.third = true", 250)
    waited = await page.wait_for(
        text="first", text_gone="plain", url="**/one", function="window.third", time=0.4, timeout=15
    )
    assert waited.conditions == (
        "time=0.4",
        "text='first'",
        "text_gone='plain'",
        "url='**/one'",
        "function='window.third'",
    )
    assert waited.elapsed_ms >= 400


async def test_they_hold_at_the_same_moment(page: Page) -> None:
    """One that held before counts for nothing when it does not hold any more."""
    await later(page, "p.textContent = 'changed'", 50)
    await later(page, "document.body.append('more')", 150)
    await later(page, "p.textContent = 'plain'; window.back = true", 600)
    more = "document.body.innerText.includes('more')"
    await page.wait_for(text="plain", selector="p", function=more, timeout=20)
    assert await evaluate(page.session, "window.back")


async def test_what_held_is_looked_at_again_after_a_delay(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a busy machine: time passes between the look and the question to the function."""
    look_once = _Waiting._look_once
    looks: list[set[str]] = []
    behind = ["p.textContent = 'changed'; window.more = true", "p.textContent = 'plain'"]

    async def delayed(waiting: _Waiting) -> set[str]:
        holds = await look_once(waiting)
        looks.append(holds)
        if behind:
            await evaluate(page.session, behind.pop(0))
            await trio.sleep(0.2)
        return holds

    monkeypatch.setattr(_Waiting, "_look_once", delayed)
    await page.wait_for(text="plain", function="window.more", timeout=20)
    assert looks[:2] == [{"text"}, set()]


async def test_time_alone(page: Page) -> None:
    started = time.monotonic()
    waited = await page.wait_for(time=0.2, timeout=10)
    assert time.monotonic() - started >= 0.2
    assert waited.elapsed_ms >= 200


async def test_time_that_is_over_as_it_is_looked_at(page: Page) -> None:
    """Of such waits one of 200 ended with an error of the clock's."""
    for number in range(1000):
        await page.wait_for(time=(number % 40 + 1) * 2e-5)


async def test_what_holds_is_there_at_once(page: Page) -> None:
    waited = await page.wait_for(time=0, text="plain", url="**", load_state="load", timeout=30)
    assert waited.elapsed_ms < 15_000


async def test_nothing_to_wait_for(page: Page) -> None:
    with pytest.raises(ValueError, match="nothing to wait for"):
        await page.wait_for()
    with pytest.raises(ValueError, match="positive"):
        await page.wait_for(text="x", timeout=0)


# What stands in the way


async def test_an_open_dialog(page: Page) -> None:
    await evaluate(page.session, "void setTimeout(() => alert('Stop'))")
    await until(lambda: bool(page.dialogs))

    async def is_told(obstacle: str, **condition: str) -> None:
        assert obstacle in str(await missing(page, timeout=1, **condition))

    started = time.monotonic()
    async with trio.open_nursery() as nursery:
        for condition, obstacle in (("text", "the page could not be looked at"), ("function", "")):
            told = functools.partial(is_told, **{condition: "plain"})
            nursery.start_soon(told, f"a dialog is open (alert), so {obstacle}")
    assert time.monotonic() - started < 5
    await page.wait_for(url="**/plain.html", timeout=10)

    async def answer() -> None:
        await trio.sleep(0.1)
        await page.sessions[0].send("Page.handleJavaScriptDialog", {"accept": True})

    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer)
        await page.wait_for(text="plain", timeout=15)


async def test_a_busy_page(page: Page) -> None:
    async with serve_pages(_PAGES) as own:
        await page.goto(own.url("/plain.html"))
        await later(page, ENDLESS, 0)
        error = await missing(page, text="never", timeout=1.2)
        assert "the page is busy and did not answer" in str(error)
    await page.wait_for(text="plain", timeout=20)  # the script has ended with its server


async def test_a_busy_frame(page: Page, pages: PageServer) -> None:
    url = pages.url("/frame.html", "localhost")
    await evaluate(
        page.session,
        f"document.body.append(Object.assign(document.createElement('iframe'), {{src: '{url}'}}))",
    )
    await page.wait_for(text="same frame", timeout=15)
    page.sessions[1].post("Runtime.evaluate", {"expression": "for (;;);"}, lambda _: None)

    async def lacks_the_frame() -> None:
        assert "1 frame did not answer" in str(await missing(page, text_gone="nothing", timeout=2))

    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lacks_the_frame)
            await page.wait_for(text="plain", timeout=20)
    finally:
        await page.sessions[1].send("Runtime.terminateExecution")
    await page.wait_for(text_gone="nothing", timeout=20)


class _Vanishing(Injecting):
    """A transport that has the frame of another process hang, and go, as a wait asks for its world."""

    def __init__(self, page: Page) -> None:
        async def nothing(_: Transport) -> None:
            pass

        super().__init__(page.session.connection, 0, nothing)
        self._ids = page.session.id, page.sessions[1].id
        self.asked = False

    async def send(self, message: bytes, *, more: bool = False) -> None:  # noqa: ARG002 - one by one
        page, frame = self._ids
        command = msgspec.json.decode(message)
        if self.asked or (command["method"], command.get("sessionId")) != ("Page.createIsolatedWorld", frame):
            await super().send(message)
            return
        self.asked = True
        await self._run("for (;;);", frame)
        await super().send(message)
        await self._run("document.querySelector('iframe').remove()", page)

    async def _run(self, script: str, session: SessionId | None) -> None:
        encode = self._transport.codec.encode
        await self._transport.send(encode(10**9, "Runtime.evaluate", {"expression": script}, session))


async def test_a_frame_of_another_process_goes_during_a_look(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/holder.html"))
    await page.wait_for(selector="iframe >> p", timeout=15)
    with _Vanishing(page) as wire:
        await page.wait_for(selector_gone="iframe >> p", timeout=20)
    assert wire.asked
    await page.wait_for(text="holder", timeout=15)


async def test_the_page_crashes(page: Page) -> None:
    async with trio.open_nursery() as nursery:

        async def crash() -> None:
            await trio.sleep(0.2)
            page.sessions[0].post("Page.crash", {}, lambda _: None)

        nursery.start_soon(crash)
        with pytest.raises(TargetCrashed):
            await page.wait_for(text="never", timeout=20)
    with pytest.raises(TargetCrashed):
        await page.wait_for(url="**/never", timeout=20)


async def test_the_page_is_closed(page: Page) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(page.close)
        with pytest.raises(TargetDetached):
            await page.wait_for(text="never", timeout=20)


# Nothing is left


async def watching(page: Page) -> list[Any]:
    """What our worlds of the page's frames keep."""
    kept = []
    for session in page.sessions:
        tree = (await session.send("Page.getFrameTree"))["frameTree"]
        for frame in [tree, *tree.get("childFrames", ())]:
            world = {"frameId": frame["frame"]["id"], "worldName": "hybridsnap"}
            context = (await session.send("Page.createIsolatedWorld", world))["executionContextId"]
            result = await session.send(
                "Runtime.evaluate",
                {
                    "expression": 'typeof globalThis[Symbol.for("hybridsnap waits")]',
                    "contextId": context,
                    "returnByValue": True,
                },
            )
            kept.append(result["result"]["value"])
    return kept


async def test_nothing_is_left(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/"))
    await page.wait_for(text="inner frame", timeout=10)
    known = set(page.session.connection._sessions)
    await page.wait_for(text="same frame", selector="p", timeout=10)
    await missing(page, text="never")
    assert set(await watching(page)) == {"undefined"}
    await check_clean(page, known)


async def test_cancelled_at_every_command(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/outer.html"))
    await page.wait_for(text="inner frame", selector="p", timeout=10)
    connection = page.session.connection
    known = set(connection._sessions)
    cancelled = 0
    for number in range(1, 30):
        with trio.CancelScope() as scope:

            async def cancel(_: Transport, scope: trio.CancelScope = scope) -> None:
                scope.cancel()

            with Injecting(connection, number, cancel):
                await page.wait_for(text="inner frame", selector="p", timeout=10)
        cancelled += scope.cancelled_caught
        assert set(await watching(page)) == {"undefined"}, number
        await check_clean(page, known)
    assert cancelled > 8


async def test_messages_are_one_line(page: Page) -> None:
    await evaluate(page.session, "history.replaceState({}, '', '#' + 'x'.repeat(5000))")
    error = await missing(page, text="a\nb")
    assert re.fullmatch(r"text='a\\nb' did not come within 0.5 s; the page is at .{199}…", str(error))
