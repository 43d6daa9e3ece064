"""Frames: across processes, below shadow roots, of every owner element, coming and going, left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import trio

from hybridsnap import NavigationFailed
from tests.support.faults import until_loaded_at
from tests.support.oracle import assert_exact, row_named
from tests.support.pages import at_rest, serve_pages
from tests.support.walker import strayed

if TYPE_CHECKING:
    from hybridsnap import Page, Snapshot
    from hybridsnap.render.formats import FormatName

_CLOSED_ROOT_WITH_FRAME = """
<x-card></x-card>
<script>
  const root = document.querySelector("x-card").attachShadow({mode: "closed"});
  root.innerHTML = "<section><iframe title='in a closed root'></iframe></section>";
  root.querySelector("iframe").src = "http://localhost:{PORT}/leaf.html?closed";
</script>
"""

CROSS_SITE = {
    "/": """<!doctype html><title>outer</title><h1>Outer</h1>
        <iframe src="http://localhost:{PORT}/leaf.html?plain"></iframe>
        <div><iframe src="/middle.html"></iframe></div>"""
    + _CLOSED_ROOT_WITH_FRAME,
    "/middle.html": """<!doctype html><title>middle</title><p>Same process
        <p><iframe src="http://localhost:{PORT}/nest.html"></iframe>""",
    "/nest.html": """<!doctype html><title>nest</title><button>nested button</button>
        <iframe srcdoc="<title>innermost</title><button>innermost button</button>"></iframe>""",
    "/leaf.html": """<!doctype html><title>leaf</title><button>leaf button</button>""",
}


def frame_urls(snapshot: Snapshot, port: int) -> list[str]:
    return [frame.url.replace(f":{port}", "") for frame in snapshot.report.frames]


async def test_cross_site_frames_nested_and_below_a_closed_root(page: Page) -> None:
    async with serve_pages(CROSS_SITE) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=10)
        assert len(page.sessions) == 4, "three frames on localhost stand in processes of their own"
        assert frame_urls(snapshot, pages.port) == [
            "http://127.0.0.1/",
            "http://localhost/leaf.html?plain",
            "http://127.0.0.1/middle.html",
            "http://localhost/nest.html",
            "about:srcdoc",
            "http://localhost/leaf.html?closed",
        ]
        assert [frame.status for frame in snapshot.report.frames] == ["captured"] * 6
        await assert_exact(page, snapshot)

        paths = snapshot.combined_xpath_map
        body = "/html[1]/body[1]"
        nested = row_named(snapshot, "nested button")
        assert nested.id is not None
        assert paths[nested.id] == f"{body}/div[1]/iframe[1]{body}/p[2]/iframe[1]{body}/button[1]"
        innermost = row_named(snapshot, "innermost button")
        assert innermost.id is not None
        assert paths[innermost.id] == (
            f"{body}/div[1]/iframe[1]{body}/p[2]/iframe[1]{body}/iframe[1]{body}/button[1]"
        )
        leaves = [row for row in snapshot.rows if row.name == "leaf button"]
        assert [paths[row.id] for row in leaves if row.id is not None] == [
            f"{body}/iframe[1]{body}/button[1]",
            f"{body}/x-card[1]//section[1]/iframe[1]{body}/button[1]",
        ]


async def test_every_frame_stands_one_level_below_its_owner(page: Page) -> None:
    async with serve_pages(CROSS_SITE) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=10)
    rows = {row.id: (at, row) for at, row in enumerate(snapshot.rows) if row.id is not None}
    for frame in snapshot.report.frames[1:]:
        assert frame.owner_id is not None
        at, owner = rows[frame.owner_id]
        below = snapshot.rows[at + 1]
        assert (below.role, below.frame, below.depth) == ("RootWebArea", frame.ordinal, owner.depth + 1)


async def test_frames_that_come_later_are_numbered_last_and_a_gone_one_is_gone(page: Page) -> None:
    pages_served = {
        "/": """<!doctype html><title>list</title><p id="top">top</p>
            <iframe id="a" srcdoc="<button>a</button>"></iframe>
            <iframe id="b" src="http://localhost:{PORT}/b.html"></iframe>""",
        "/b.html": "<button>b</button>",
        "/c.html": "<button>c</button>",
    }
    async with serve_pages(pages_served) as pages:
        await page.goto(pages.url("/"))
        first = await page.snapshot(timeout=10)
        numbers = {frame.frame_id: frame.ordinal for frame in first.report.frames}
        assert sorted(numbers.values()) == [0, 1, 2]
        await page.evaluate(
            """new Promise((done) => {
                document.getElementById("a").remove();
                const frame = document.createElement("iframe");
                frame.src = "http://localhost:PORT/c.html";
                frame.onload = done;
                document.getElementById("top").before(frame);
            }).then(() => null)""".replace("PORT", str(pages.port)),
        )
        second = await page.snapshot(timeout=10)
        assert [(frame.ordinal, frame.frame_id in numbers) for frame in second.report.frames] == [
            (0, True),
            (2, True),
            (3, False),
        ]
        assert all(numbers.get(frame.frame_id, 3) == frame.ordinal for frame in second.report.frames)
        assert row_named(second, "c").frame == 3
        assert row_named(second, "b").frame == 2
        assert [row.name for row in second.rows if row.role == "button"] == ["c", "b"]
        await assert_exact(page, second)


async def test_frames_load_whatever_begins_or_ends_meanwhile(page: Page) -> None:
    """Settings are made before a frame's scripts run, so frames wait for us. Recording begins and ends while
    some of them wait.
    """
    far = "".join(f"<iframe src='http://localhost:{{PORT}}/far?{n}'></iframe>" for n in range(6))
    loads = {"/": far, "/far": "<iframe src='http://127.0.0.1:{PORT}/near'></iframe>", "/near": "near"}
    switched = 0

    async def switch() -> None:
        nonlocal switched
        while True:
            await page.network.start()
            await trio.sleep(0.005)
            page.network.stop()
            await trio.sleep(0.005)
            switched += 1

    async with serve_pages(loads) as pages, trio.open_nursery() as nursery:
        await page.emulation.set(color_scheme="dark")
        nursery.start_soon(switch)
        for n in range(3):
            await page.goto(pages.url(f"/?{n}"), wait="load", timeout=10)
            assert await page.evaluate("document.readyState") == "complete"
        nursery.cancel_scope.cancel()
    assert switched > 3, "nothing was switched meanwhile"


async def test_frameset(page: Page) -> None:
    pages_served = {
        "/": """<html><head><title>set</title></head><frameset cols="50%,50%">
            <frame src="/left.html" title="left"><frame src="http://localhost:{PORT}/right.html">
            </frameset></html>""",
        "/left.html": "<title>left</title><a href='#x'>left link</a>",
        "/right.html": "<title>right</title><a href='#x'>right link</a>",
    }
    async with serve_pages(pages_served) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=10)
        await assert_exact(page, snapshot)
        left, right = (row_named(snapshot, f"{side} link") for side in ("left", "right"))
        assert left.id is not None
        assert right.id is not None
        paths = snapshot.combined_xpath_map
        assert paths[left.id] == "/html[1]/frameset[1]/frame[1]/html[1]/body[1]/a[1]"
        assert paths[right.id] == "/html[1]/frameset[1]/frame[2]/html[1]/body[1]/a[1]"


async def test_object_and_embed_hold_frames(page: Page) -> None:
    pages_served = {
        "/": """<!doctype html><title>plugins</title>
            <object type="text/html" data="/in.html?object" width=200 height=100></object>
            <embed type="text/html" src="http://localhost:{PORT}/in.html?embed" width=200 height=100>""",
        "/in.html": "<title>in</title><button>held</button>",
    }
    async with serve_pages(pages_served) as pages:
        await page.goto(pages.url("/"), wait=at_rest(pages_served.values()))
        snapshot = await page.snapshot(timeout=10)
        await assert_exact(page, snapshot)
        paths = [
            snapshot.combined_xpath_map[row.id]
            for row in snapshot.rows
            if row.role == "button" and row.id is not None
        ]
    assert paths == [
        "/html[1]/body[1]/object[1]/html[1]/body[1]/button[1]",
        "/html[1]/body[1]/embed[1]/html[1]/body[1]/button[1]",
    ]


async def test_include_iframes_false_reports_the_others_as_excluded(page: Page) -> None:
    async with serve_pages(CROSS_SITE) as pages:
        await page.goto(pages.url("/"))
        snapshot = await page.snapshot(timeout=10, include_iframes=False)
        whole = await page.snapshot(timeout=10)
        assert {row.frame for row in snapshot.rows} == {0}
        statuses = {frame.url: frame.status for frame in snapshot.report.frames}
        assert statuses.pop(pages.url("/")) == "captured"
        assert set(statuses.values()) == {"excluded"}
        # Those of other processes too; what such a frame holds itself, nobody has asked it.
        assert {url.replace(str(pages.port), "") for url in statuses} == {
            "http://localhost:/leaf.html?plain",
            "http://127.0.0.1:/middle.html",
            "http://localhost:/nest.html",
            "http://localhost:/leaf.html?closed",
        }
        assert snapshot.report.complete
        assert snapshot.report.consistent
        assert [row for row in snapshot.rows if row.role == "heading"] == [
            row for row in whole.rows if row.role == "heading"
        ]
        assert [frame.ordinal for frame in snapshot.per_frame] == [0]
        assert await strayed(page, snapshot, [row.id for row in snapshot.rows if row.id]) == []


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_pierce_shadow_false_leaves_out_the_root_and_keeps_slotted_content(
    page: Page, mode: str
) -> None:
    html = """<!doctype html><title>shadow</title><x-card><button>light</button></x-card>
        <button>beside</button><input aria-label="field" value="typed">
        <script>
          const root = document.querySelector("x-card").attachShadow({mode: "MODE"});
          root.innerHTML = `<button>shadow</button> own words <slot></slot>
            <iframe srcdoc="<button>framed</button>"></iframe>`;
        </script>""".replace("MODE", mode)
    async with serve_pages({"/": html}) as pages:
        await page.goto(pages.url("/"))
        whole = await page.snapshot(timeout=10)
        await assert_exact(page, whole)
        pierced = [row.name for row in whole.rows if row.role == "button"]
        assert pierced == ["shadow", "light", "framed", "beside"]
        light = row_named(whole, "light")
        assert light.id is not None
        assert whole.combined_xpath_map[light.id] == "/html[1]/body[1]/x-card[1]/button[1]"
        framed = row_named(whole, "framed")
        assert framed.id is not None
        assert whole.combined_xpath_map[framed.id] == (
            "/html[1]/body[1]/x-card[1]//iframe[1]/html[1]/body[1]/button[1]"
        )

        without = await page.snapshot(timeout=10, pierce_shadow=False)
        assert [row.name for row in without.rows if row.role == "button"] == ["light", "beside"]
        assert "own words" not in without.combined_tree
        assert 'textbox: field [value="typed"]' in without.combined_tree, (
            "a control's own root is not an author's"
        )
        assert [frame.status for frame in without.report.frames] == ["captured", "excluded"]
        assert await strayed(page, without, [row.id for row in without.rows if row.id]) == []
        formats: tuple[FormatName, ...] = ("aria", "webarena", "html", "xml", "controls", "role", "ai")
        for format_ in formats:
            assert "own words" in whole.render(format_) or format_ == "controls"
            rendering = re.sub("<script.*?</script>", "", without.render(format_), flags=re.DOTALL)
            assert "light" in rendering
            assert "beside" in rendering
            for left_out in ("own words", "framed"):
                assert left_out not in rendering, format_


async def test_a_frame_that_shows_the_browser_s_error_page_is_named_in_a_note(page: Page) -> None:
    unheard = "<iframe src='http://127.0.0.1:9/'></iframe>"
    source = f"<!doctype html><button>b</button>{unheard}<iframe srcdoc=good></iframe>{unheard}"
    async with serve_pages({"/": source}) as server:
        await page.goto(server.url("/"))
        failed = await page.snapshot()
        with pytest.raises(NavigationFailed):
            await page.goto("http://127.0.0.1:9/")
        await until_loaded_at(page, "chromewebdata/")  # the error page comes behind the error
        nothing = await page.snapshot()
    words = "could not be loaded, this is the browser's error page"
    shown = [f"{frame.ordinal}" for frame in failed.report.frames if frame.url.startswith("chrome-error:")]
    assert len(shown) == 2
    assert failed.report.notes == (f"frame {', '.join(shown)}: {words}",)
    assert nothing.report.notes == (f"frame 0: {words}",)


async def test_a_frame_that_is_not_displayed_is_empty_however_often_one_looks(page: Page) -> None:
    def framed(words: str) -> str:
        inner = f"<iframe srcdoc='<button>{words} below</button>'></iframe>"
        return f'<iframe srcdoc="<button>{words}</button>{inner}"></iframe>'

    source = f"""<!doctype html><title>Locked</title>
        <details><summary>More {framed("summary")}</summary>{framed("closed")}</details>
        <details open><summary>Less</summary>{framed("open")}</details>
        <div style="content-visibility: hidden">{framed("style")}</div>
        <div hidden=until-found>{framed("found")}</div>
        <x-a><template shadowrootmode="open"><div hidden=until-found><slot></slot></div></template>
          {framed("slotted")}</x-a>"""
    async with serve_pages({"/": source}) as server:
        await page.goto(server.url("/"))
        looks = [(await page.snapshot()).combined_tree for _ in range(3)]
        assert looks[0] == looks[1] == looks[2]
        assert re.findall("button: (.+)", looks[2]) == ["summary", "summary below", "open", "open below"]
        await page.click("details:first-of-type > summary", position=(5, 5))
        opened = (await page.snapshot()).combined_tree
        assert re.findall("button: (closed.*)", opened) == ["closed", "closed below"]
        await page.evaluate("document.querySelector('details').open = false")
        assert "closed" not in (await page.snapshot()).combined_tree
