"""Every selector finds its element again, and no other: asked in the page itself, scope by scope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, note

import hybridsnap
from hybridsnap.capture.xpath import ELEMENT
from hybridsnap.render.dom import find_documents
from hybridsnap.render.selectors import HOP, PageSelectors
from tests.conftest import gate_settings, soak_settings
from tests.support.pages import at_rest, serve_pages
from tests.support.printed_selectors import check_printed
from tests.support.random_pages import PageFiles, random_pages
from tests.support.walker import gather, sessions_by_frame

if TYPE_CHECKING:
    from hybridsnap import Page, Session, Snapshot

HOSTILE = """<!-- no doctype: quirks mode, where ids and classes know no case -->
<title>hostile</title><body>
<button id=Go>1</button><button id=go>2</button><button id=lone>3</button>
<a href="/x" id='1st'>digit first</a><a href="/x" id='-'>hyphen</a><a href="/x" id='--a'>hyphens</a>
<a href="/x" id='a.b:c#d[e]'>punctuation</a><a href="/x" id='é中'>letters</a><a href="/x" id='a b'>space</a>
<a href="/x" id='a&quot;\\b'>quotes</a><a href="/x" id='q&#10;r'>line break</a><a href="/x" id="">empty</a>
<a href='/q"&apos;\\'>a</a><a href="/a&#10;b">b</a><a href="/ -> y >> z">c</a><a href="/&#x202e;x&#xa0;">d</a>
<a href="/a  b">two spaces</a><a href="/long?LONG">long</a><a href="/long?LONG2">long too</a>
<input type=Radio name=size value=S><input type=radio name=size value=L><input type=RADIO name=hue value=L>
<input type=email><input type=EMAIL name=mail><input name=mail type=text>
<svg><a href="/svg"><text>s</text></a><a xlink:href="/old" tabindex=0><text>o</text></a></svg>
<div><button class="stable">a</button><button class="stable other">b</button><button>c</button></div>
<div><button class="Other&#xa0;x">a</button><button>b</button></div>
<map name=m><area href="/area" shape=rect coords="0,0,9,9" alt=area></map><img usemap="#m" width=9 height=9>
<x-open></x-open><x-closed></x-closed><x-closed></x-closed>
<iframe srcdoc="<button>in</button><x-in></x-in><script>
  document.querySelector('x-in').attachShadow({mode: 'closed'}).innerHTML =
    '<p><button>deep</button></p><p><button>deep</button></p>';
</script>"></iframe><iframe src="http://localhost:{PORT}/other.html"></iframe>
<script>
  document.querySelector("x-open").attachShadow({mode: "open"}).innerHTML =
    "<button id=go>o</button><iframe srcdoc='<a href=/>x</a><a href=/>y</a>'></iframe>";
  for (const host of document.querySelectorAll("x-closed"))
    host.attachShadow({mode: "closed"}).innerHTML = "<button>c</button><button>d</button>";
  const odd = document.querySelector("div");
  for (const name of ["x:button", "X:BUTTON", "button", "Button"])
    for (const space of ["http://www.w3.org/1999/xhtml", "urn:x"]) {
      const made = document.createElementNS(space, name);
      made.setAttribute("role", "button");
      made.textContent = name;
      odd.append(made);
    }
  const nul = document.createElement("button");
  nul.id = "n\\0ul"; nul.name = "\\ud800"; nul.title = "\\ufffd";
  document.body.append(nul, document.createElement("a"));
</script>"""


def hostile() -> dict[str, str]:
    return {
        "/": HOSTILE.replace("LONG", "x" * 300),
        "/other.html": "<form><label>Name <input></label><input type=submit></form><button>other</button>",
    }


async def found_wrong(page: Page, snapshot: Snapshot) -> list[str]:
    """Of all elements of the page, those whose selector does not find exactly them in their scope."""
    capture = snapshot.content.source("test")
    selectors = PageSelectors(capture)
    sessions = await sessions_by_frame(page)
    scopes: dict[tuple[Any, int, int], list[tuple[int, str]]] = {}
    wrong: list[str] = []
    frames = {report.ordinal: report.frame_id for report in capture.frames}
    for ordinal, (session, index, document) in find_documents(capture).items():
        tables = selectors.scope_selectors(session)
        for here in range(document, index.end_of(document)):
            is_element = index.documents[here] == document and index.nodes[here].node_type == ELEMENT
            if not is_element or tables.in_user_agent_scope(here):
                continue
            own = tables.select(here)
            backend_id = index.nodes[here].backend_node_id
            if own is None:
                wrong.append(f"{backend_id} has no selector")
                continue
            key = (frames[ordinal], session, tables.scopes[here])
            scopes.setdefault(key, []).append((backend_id, own))
            whole = selectors.select(session, here)
            assert whole is not None
            assert whole.split(HOP)[-1] == own
    for (frame, number, scope), wanted in scopes.items():
        root = capture.index(number).nodes[scope].backend_node_id
        wrong += await _wrong_in_scope(sessions[frame], root, wanted)
    return wrong


async def _wrong_in_scope(session: Session, root: int, wanted: list[tuple[int, str]]) -> list[str]:
    resolved = await gather(
        session,
        [("DOM.resolveNode", {"backendNodeId": node}) for node in [root, *(one for one, _ in wanted)]],
    )
    objects = [one["object"]["objectId"] for one in resolved]
    answer = await session.send(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": """function (selectors, ...nodes) {
                return selectors.map((selector, at) => {
                    const found = this.querySelectorAll(selector);
                    return found.length === 1 && found[0] === nodes[at];
                });
            }""",
            "objectId": objects[0],
            "arguments": [
                {"value": [selector for _, selector in wanted]},
                *({"objectId": one} for one in objects[1:]),
            ],
            "returnByValue": True,
        },
    )
    assert "exceptionDetails" not in answer, answer
    right = answer["result"]["value"]
    return [f"{one}" for one, is_right in zip(wanted, right, strict=True) if not is_right]


async def check_page(endpoint: str, drawn: PageFiles) -> None:
    async with serve_pages(drawn.files) as pages, hybridsnap.connect(endpoint) as browser:
        page = await browser.new_page(pages.url(drawn.path), wait=at_rest(drawn.files.values()))
        try:
            snapshot = await page.snapshot(timeout=20)
            note(snapshot.render("controls"))
            assert await found_wrong(page, snapshot) == []
            await check_printed(page, snapshot)
        finally:
            await page.close()


@gate_settings()
@given(random_pages())
async def test_random_pages(browser_endpoint: str, drawn: PageFiles) -> None:
    await check_page(browser_endpoint, drawn)


@pytest.mark.soak
@soak_settings()
@given(random_pages())
async def test_many_random_pages(browser_endpoint: str, drawn: PageFiles) -> None:
    await check_page(browser_endpoint, drawn)


async def test_capitals_of_another_namespace(page: hybridsnap.Page) -> None:
    """For ``svg`` Chromium finds an element that is called ``SVG`` in another namespace, too."""
    html = """<!doctype html><title>capitals</title><div></div><div></div><script>
        const parent = document.querySelector("div");
        parent.append(document.createElementNS("http://www.w3.org/1998/Math/MathML", "SVG"));
        parent.append(document.createElementNS("http://www.w3.org/1999/xhtml", "svg"));
    </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        assert await found_wrong(page, await page.snapshot(timeout=20)) == []


async def test_hostile_page(page: hybridsnap.Page) -> None:
    async with serve_pages(hostile()) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=20)
        assert snapshot.report.complete, snapshot.report
        assert await found_wrong(page, snapshot) == []
        assert await check_printed(page, snapshot) > 50
        printed = snapshot.render("controls", lang="en").split("\n")
        selectors = [line.partition(" -> ")[2] for line in printed if line.startswith("[")]
        assert "button#lone" in selectors
        assert 'input[name="size"][value="L"]' in selectors
        assert "x-open >> button#go" in selectors
        assert any(one.startswith("x-open >> iframe >> ") for one in selectors)
        # No printed line is broken by what the page calls its things.
        assert not set("\u202e\xa0\r\t\0") & set("".join(printed))
        assert all(len(one) < 200 for one in selectors)


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_what_is_alone_is_alone_in_the_shadow_roots_below_too(page: hybridsnap.Page, mode: str) -> None:
    """Actions look into shadow roots: of one button in each of four scopes, each has its own selector."""
    html = f"""<!doctype html><title>nested</title><button type=button>1</button><x-a></x-a><script>
        const deepen = (host, depth) => {{
          const root = host.attachShadow({{mode: "{mode}"}});
          root.innerHTML = "<button type=button>" + depth + "</button><x-a></x-a>";
          if (depth < 4) deepen(root.querySelector("x-a"), depth + 1);
        }};
        deepen(document.querySelector("x-a"), 2);
    </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=20)
        assert await check_printed(page, snapshot) == 4
        for line in snapshot.render("controls", lang="en").split("\n"):
            if line.startswith("[Button]"):
                name, _, selector = line.removeprefix("[Button] ").partition(" -> ")
                assert await page.evaluate("node => node.textContent", element=selector) == name


@pytest.mark.parametrize(
    "options",
    [
        {"focus": "form#second"},
        {"focus": "x-open >> form"},
        {"focus": "iframe >> form"},
        {"ignore": ["#first"]},
    ],
)
async def test_parts_of_a_page(page: hybridsnap.Page, options: dict[str, Any]) -> None:
    """What is left out still counts when the page is asked."""
    form = "<form id={}><p><input></p><p><input><button>Go</button></p></form>"
    html = f"""<!doctype html><title>parts</title>{form.format("first")}{form.format("second")}
        <x-open></x-open><iframe srcdoc="<button>other</button>{form.format("third")}"></iframe><script>
        document.querySelector("x-open").attachShadow({{mode: "open"}}).innerHTML =
            "<button>other</button>{form.format("fourth")}";
        </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=20, **options)
        printed = await check_printed(page, snapshot)
        assert printed == (3 if "focus" in options else 11)
        if "focus" in options:
            assert snapshot.render("webarena").count(" button 'Go'") == 1
            assert snapshot.render("html").count("<button>Go</button>") == 1


async def test_frames_that_were_left_out(page: hybridsnap.Page) -> None:
    async with serve_pages(hostile()) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=20, include_iframes=False)
        assert await check_printed(page, snapshot) > 30
        assert "iframe" not in snapshot.render("controls")
        assert "data-frame" not in snapshot.render("html")
        assert "[1-" not in snapshot.render("webarena")
