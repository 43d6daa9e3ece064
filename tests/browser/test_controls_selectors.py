"""Every selector finds its element again, and no other: asked in the page itself, scope by scope.

`tests.browser.test_exactness` asks the same of random pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import serve_pages
from tests.support.printed_selectors import check_printed, find_wrong_selectors

if TYPE_CHECKING:
    import hybridsnap

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


async def test_capitals_of_another_namespace(page: hybridsnap.Page) -> None:
    """For ``svg`` Chromium finds an element that is called ``SVG`` in another namespace, too."""
    html = """<!doctype html><title>capitals</title><div></div><div></div><script>
        const parent = document.querySelector("div");
        parent.append(document.createElementNS("http://www.w3.org/1998/Math/MathML", "SVG"));
        parent.append(document.createElementNS("http://www.w3.org/1999/xhtml", "svg"));
    </script>"""
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        assert await find_wrong_selectors(page, await page.snapshot(timeout=20)) == []


async def test_hostile_page(page: hybridsnap.Page) -> None:
    async with serve_pages(hostile()) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=20)
        assert snapshot.report.complete, snapshot.report
        assert await find_wrong_selectors(page, snapshot) == []
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
