"""The report page in real Chromium: hover, click, keys, search, filters, and what it never does."""

from __future__ import annotations

import base64
import contextlib
import json
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.model import Box, ElementId, Layout, Row, Viewport
from hybridsnap.render.view import render_view
from hybridsnap.snapshot import Snapshot
from hybridsnap.text import clean_text
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    import hybridsnap
    from hybridsnap import Page

WIDTH, HEIGHT = 800, 600
PAGE = """<!doctype html><title>A small shop</title><style>body { margin: 0; font: 16px sans-serif }
  button, a, input { position: absolute; width: 120px; height: 30px; left: 40px }</style>
<main aria-label="Wares">
  <h1 style="margin: 200px 40px">Lamps and cloth</h1>
  <button style="top: 20px">Buy lamp</button>
  <button style="top: 80px" disabled>Buy cloth</button>
  <a style="top: 140px" href="/care">Care guide</a>
  <input style="top: 300px" aria-label="Quantity" value="3">
  <button style="top: 2000px">Far below</button>
</main>
<iframe style="position: absolute; left: 300px; top: 20px" srcdoc="<button>In the frame</button>"></iframe>"""
HOSTILE = [
    "</script><img src=x onerror=window.hacked=1>",
    "<!--<script>",
    "{{DATA}} {{SCRIPT}}",
    "line\u2028separators\u2029here",
    "turned \u202eround\u202c and \u200bhidden",
    "&lt;b&gt; & \" ' `${window.hacked=1}`",
]

KEY_CODES = dict(
    zip(
        ["Enter", "Escape", "End", "Home", "ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"],
        [13, 27, 35, 36, 37, 38, 39, 40],
        strict=True,
    )
)
_MEASURE = """(paths) => paths.map((path) => {
  const element = document.evaluate(path, document, null, 9, null).singleNodeValue;
  if (!element || !element.getBoundingClientRect) return null;
  const box = element.getBoundingClientRect();
  return [box.x, box.y, box.width, box.height];
})"""


async def take(page: Page) -> Snapshot:
    """A snapshot with a screenshot; where the main frame's elements stand is what the page says."""
    send = page.session.send
    await send(
        "Emulation.setDeviceMetricsOverride",
        {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False},
    )
    snapshot = await page.snapshot(timeout=20)
    ids = [
        row.id
        for row in snapshot.rows
        if row.id is not None and row.frame == 0 and row.id in snapshot.combined_xpath_map
    ]
    paths = [snapshot.combined_xpath_map[id_] for id_ in ids]
    result = await send(
        "Runtime.evaluate", {"expression": f"({_MEASURE})({json.dumps(paths)})", "returnByValue": True}
    )
    boxes = {}
    for id_, bounds in zip(ids, result["result"]["value"], strict=True):
        if bounds is not None:
            boxes[id_] = build_box(*bounds)
    layout = Layout(Viewport(WIDTH, HEIGHT, 0, 0, WIDTH, 2100, 1), boxes)
    png = base64.b64decode((await send("Page.captureScreenshot"))["data"])
    whole = Snapshot(
        snapshot.rows,
        dict(snapshot.combined_xpath_map),
        snapshot.combined_url_map,
        snapshot.report,
        snapshot.per_frame,
        layout=layout,
        screenshot=png,
    )
    # The report is made from a file.
    return Snapshot.from_json(whole.to_json())


def build_box(x: float, y: float, width: float, height: float) -> Box:
    seen_x = max(0, min(x + width, WIDTH) - max(x, 0))
    seen_y = max(0, min(y + height, HEIGHT) - max(y, 0))
    share = seen_x * seen_y / (width * height) if width * height else 0
    return Box((x, y, width, height), share, 1, "auto", False, True, 1.0, None, "" if share else "offscreen")


def build_wide(count: int) -> Snapshot:
    """So many rows, none of them on a screenshot."""
    rows = [Row(ElementId("0-1"), 0, "RootWebArea", "Many", "", "", (), "", 0)]
    rows += [
        Row(ElementId(f"0-{at + 2}"), 1, "button", f"number {at}", "", "", (), "button", 0)
        for at in range(count)
    ]
    report = {
        "complete": True,
        "consistent": True,
        "url": "https://x.test/",
        "title": "Many",
        "elapsedMs": 1.0,
        "transport": "replay",
        "snapshotId": "0",
        "frames": [],
        "notes": [],
    }
    data = {"version": 1, "combinedTree": "", "combinedXpathMap": {}, "combinedUrlMap": {}, "perFrame": []}
    return Snapshot.from_json(json.dumps({**data, "rows": msgspec.to_builtins(rows), "report": report}))


class Report:
    """A report page that is open, and a person in front of it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.send = page.session.send

    async def ask(self, expression: str) -> Any:
        """The value of an expression, when what was done has been drawn."""
        drawn = "new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
        result = await self.send(
            "Runtime.evaluate",
            {
                "expression": f"{drawn}.then(() => ({expression}))",
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    async def texts(self, selector: str) -> list[str]:
        found = await self.ask(
            f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)"
        )
        return [str(text) for text in found]

    async def rows(self) -> list[str]:
        """What the rows in the document are called, from top to bottom."""
        found = await self.ask(
            "[...document.querySelectorAll('.row')]"
            ".sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))"
            ".map((e) => (e.querySelector('.name') || e.querySelector('.role')).textContent)"
        )
        return [str(text) for text in found]

    async def middle(self, selector: str, text: str = "") -> tuple[float, float]:
        """The middle of the first with a part of this very text, or else of the first that holds the text."""
        x, y = await self.ask(
            f"(() => {{ const text = {json.dumps(text)};"
            f" const all = [...document.querySelectorAll({json.dumps(selector)})];"
            " const e = all.find((e) => [...e.querySelectorAll('*')].some((one) => one.textContent === text))"
            " ?? all.find((e) => e.textContent.includes(text));"
            " e.scrollIntoView({block: 'nearest'}); const b = e.getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        return float(x), float(y)

    async def hover(self, selector: str, text: str = "") -> None:
        x, y = await self.middle(selector, text)
        await self.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})

    async def click(self, selector: str, text: str = "") -> None:
        x, y = await self.middle(selector, text)
        for kind in ("mousePressed", "mouseReleased"):
            await self.send(
                "Input.dispatchMouseEvent",
                {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1},
            )

    async def press(self, *keys: str) -> None:
        for key in keys:
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
            common = {"key": key, "windowsVirtualKeyCode": KEY_CODES.get(key, ord(key.upper()[0]))}
            await self.send("Input.dispatchKeyEvent", {"type": "keyDown", "text": text, **common})
            await self.send("Input.dispatchKeyEvent", {"type": "keyUp", **common})

    async def write(self, text: str) -> None:
        await self.send("Input.insertText", {"text": text})


@contextlib.asynccontextmanager
async def opened(browser: hybridsnap.Browser, html: str, folder: Path) -> AsyncIterator[Report]:
    """The report from a file; no word on the console and no request, from beginning to end."""
    file = folder / "report.html"
    file.write_text(html, encoding="utf-8")
    page = await browser.new_page("about:blank")
    report = Report(page)
    send = report.send
    await send("Page.bringToFront")
    await send(
        "Emulation.setDeviceMetricsOverride",
        {"width": 1400, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    for domain in ("Network", "Log", "Runtime"):
        await send(f"{domain}.enable")
    watched = (
        "Network.requestWillBeSent",
        "Log.entryAdded",
        "Runtime.exceptionThrown",
        "Runtime.consoleAPICalled",
    )
    with page.session.events(*watched) as events:
        await page.goto(file.as_uri())
        yield report
        await send("Runtime.evaluate", {"expression": "console.log('the end')"})
        said: list[Any] = []
        async for method, params in events:
            if method == "Runtime.consoleAPICalled" and params["args"][0].get("value") == "the end":
                break
            said.append(params)
    requests = [one["request"]["url"] for one in said if "request" in one]
    assert [url for url in requests if not url.startswith("data:")] == [file.as_uri()]
    assert [one for one in said if "request" not in one] == []


#: The snapshot of the shop, which ten tests look at: taken by the first.
_shop: list[Snapshot] = []


@contextlib.asynccontextmanager
async def small_shop(browser: hybridsnap.Browser, folder: Path) -> AsyncIterator[tuple[Report, Snapshot]]:
    if not _shop:
        async with serve_pages({"/": PAGE}) as pages:
            _shop.append(await take(await browser.new_page(pages.url("/"))))
    snapshot = _shop[0]
    async with opened(browser, render_view(snapshot.content, snapshot.screenshot), folder) as report:
        yield report, snapshot


def id_of(snapshot: Snapshot, name: str) -> str:
    (found,) = [row.id for row in snapshot.rows if row.name == name and row.role != "StaticText"]
    assert found is not None
    return found


async def bounds_on_screenshot(report: Report, selector: str) -> list[int]:
    """Where a mark stands, in CSS px of the page that was captured."""
    found = await report.ask(
        f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
        " const m = document.getElementById('marks').getBoundingClientRect();"
        " return [b.x - m.x, b.y - m.y, b.width, b.height]"
        f".map((n) => n * {WIDTH} / m.width); }})()"
    )
    return [round(number) for number in found]


async def test_boxes_stand_where_the_elements_do(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    async with small_shop(browser, tmp_path) as (report, snapshot):
        names = ["Buy lamp", "Buy cloth", "Care guide", "Quantity"]
        ids = [id_of(snapshot, name) for name in names]
        assert await report.ask("[...document.querySelectorAll('.mark')].map((e) => e.dataset.id)") == ids
        assert await report.texts(".tag.small") == ids
        assert await bounds_on_screenshot(report, f".mark[data-id='{ids[2]}']") == [40, 140, 120, 30]
        assert await report.ask("document.getElementById('shot').naturalWidth") == WIDTH
        assert await report.texts("#boxed") == ["4 interactive in view"]
        assert await report.ask("document.getElementById('gaps').hidden")


async def test_hover_links_both_ways(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    async with small_shop(browser, tmp_path) as (report, snapshot):
        lamp, quantity = id_of(snapshot, "Buy lamp"), id_of(snapshot, "Quantity")
        await report.hover(".row", "Buy lamp")
        assert await report.ask("document.getElementById('hot').dataset.id") == lamp
        assert await bounds_on_screenshot(report, "#hot") == [40, 20, 120, 30]
        assert await report.texts("#hot-tag") == [f"{lamp}  button  Buy lamp"]
        await report.hover(f".mark[data-id='{quantity}']")
        assert await report.texts(".row.hot .id") == [quantity]
        assert await report.ask("document.getElementById('hot').dataset.id") == quantity
        await report.hover("#title")
        assert await report.texts(".row.hot") == []
        assert await report.ask("document.getElementById('hot')") is None


async def test_click_pins_and_brings_the_other_into_view(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    async with small_shop(browser, tmp_path) as (report, snapshot):
        guide = id_of(snapshot, "Care guide")
        await report.click(".row", "Wares")
        await report.click(".row .twist", "")  # folds the whole page
        await report.ask("document.querySelector('.row .twist').click()")
        await report.click(f".mark[data-id='{guide}']")
        assert await report.texts(".row.pinned .id") == [guide]
        assert (
            await report.ask("document.querySelector('.row.pinned').getAttribute('aria-selected')") == "true"
        )
        assert await report.ask("document.getElementById('pin').dataset.id") == guide
        facts = await report.texts("#details dd")
        assert guide in facts
        assert snapshot.combined_xpath_map[ElementId(guide)] in facts
        assert "120 × 30 px at 40, 140" in facts
        assert any(fact.endswith("/care") for fact in facts)
        assert await report.ask("location.hash") == f"#{guide}"
        await report.click(".row", "Buy lamp")
        assert await report.ask("document.getElementById('pin').dataset.id") == id_of(snapshot, "Buy lamp")
        # What is out of view has no place on the screenshot, and says so.
        await report.click(".row", "Far below")
        assert await report.ask("document.getElementById('pin')") is None
        assert "120 × 30 px at 40, 2,000; out of view" in await report.texts("#details dd")
        await report.click("#unpin")
        assert await report.ask("document.querySelector('#pin, .row.pinned')") is None


async def test_a_box_opens_what_is_folded_over_its_row(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    async with small_shop(browser, tmp_path) as (report, snapshot):
        await report.click(".row .twist")
        assert len(await report.rows()) == 1
        await report.click(f".mark[data-id='{id_of(snapshot, 'Buy cloth')}']")
        assert await report.texts(".row.pinned .name") == ["Buy cloth"]


async def test_pinning_scrolls_the_screenshot(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    async with small_shop(browser, tmp_path) as (report, snapshot):
        await report.send(
            "Emulation.setDeviceMetricsOverride",
            {"width": 1000, "height": 420, "deviceScaleFactor": 1, "mobile": False},
        )
        await report.click("#actual-size")
        await report.click("#search")
        await report.write("Quantity")
        await report.press("Enter")
        assert await report.texts(".row.pinned .name") == ["Quantity"]
        assert await report.ask(
            "(() => { const stage = document.getElementById('stage'), s = stage.getBoundingClientRect();"
            " const p = document.getElementById('pin').getBoundingClientRect();"
            " return s.top <= p.top && p.bottom <= s.bottom && stage.scrollTop > 0; })()"
        )
        await report.press("Escape", "/")
        await report.press("Escape")
        assert id_of(snapshot, "Far below") in await report.texts(".row .id")


async def test_search(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    async with small_shop(browser, tmp_path) as (report, snapshot):
        every = await report.rows()
        await report.press("/")
        await report.write("BUY lam")
        names = await report.texts(".row:not(.context) .name")
        assert set(names) == {"Buy lamp"}
        assert await report.texts(".row:not(.context).operable mark") == ["Buy", "lam"]
        assert "Wares" in await report.texts(".row.context .name")
        # The screenshot shows the same selection.
        assert await report.ask("document.querySelectorAll('.mark').length") == 1
        assert (await report.texts("#found"))[0].endswith(f" of {len(snapshot.rows)}")
        await report.press("Escape")
        assert await report.rows() == every
        await report.write("no such thing")
        assert await report.rows() == []
        assert not await report.ask("document.getElementById('nothing').hidden")
        await report.click("#clear")
        assert await report.rows() == every


async def test_filters(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    async with small_shop(browser, tmp_path) as (report, snapshot):
        await report.click("#roles summary")
        counts = await report.texts("#roles label")
        buttons = sum(row.role == "button" for row in snapshot.rows)
        assert buttons == 4
        assert "button4" in counts
        await report.click("#roles label", "button")
        fitting = ".row:not(.context) .name"
        assert await report.texts(fitting) == ["Buy lamp", "Buy cloth", "Far below", "In the frame"]
        assert await report.texts("#roles summary .count") == ["1"]
        await report.press("Escape")
        assert not await report.ask("document.getElementById('roles').open")
        await report.click("#frames summary")
        await report.click("#frames label", "srcdoc")
        assert await report.texts(fitting) == ["In the frame"]
        await report.press("Escape")
        await report.click("#clear")
        await report.click("#only-interactive")
        assert set(await report.texts(".row:not(.context) .role")) == {"button", "link", "textbox"}
        await report.click("#only-in-view")
        assert "Far below" not in await report.texts(fitting)
        assert "Care guide" in await report.texts(fitting)


async def test_keys(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    async with small_shop(browser, tmp_path) as (report, snapshot):
        every = await report.rows()
        await report.ask("document.getElementById('tree').focus()")
        await report.press("Home")
        assert await report.texts(".row.active .name") == ["A small shop"]
        await report.press("ArrowLeft")
        assert len(await report.rows()) == 1
        assert (
            await report.ask("document.querySelector('.row.active').getAttribute('aria-expanded')") == "false"
        )
        await report.press("ArrowRight")
        assert await report.rows() == every
        await report.press("End")
        last = await report.ask("document.getElementById('tree').getAttribute('aria-activedescendant')")
        assert await report.ask(f"document.getElementById('{last}').matches('.active')")
        assert await report.texts(".row.active .name") == [every[-1]]
        await report.press("Home", *["ArrowDown"] * every.index("Buy lamp"))
        assert await report.ask("document.getElementById('hot').dataset.id") == id_of(snapshot, "Buy lamp")
        await report.press("Enter")
        assert await report.texts(".row.pinned .name") == ["Buy lamp"]
        await report.press("Escape")
        assert await report.texts(".row.pinned .name") == []
        assert await report.ask("document.activeElement.id") == "tree"
        await report.press("/")
        assert await report.ask("document.activeElement.id") == "search"


async def test_copying(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    async with small_shop(browser, tmp_path) as (report, snapshot):
        lamp = ElementId(id_of(snapshot, "Buy lamp"))
        await report.ask(
            "void Object.defineProperty(navigator, 'clipboard',"
            " {value: {writeText: async (text) => { window.copied = text; }}})"
        )
        await report.click(".row", "Buy lamp")
        await report.click("#copy-id")
        assert await report.ask("window.copied") == lamp
        assert await report.texts("#said") == ["Id copied"]
        await report.click("#copy-xpath")
        assert await report.ask("window.copied") == snapshot.combined_xpath_map[lamp]
        await report.ask("document.getElementById('tree').focus()")
        await report.press("c")
        assert await report.ask("window.copied") == lamp


async def test_themes(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    async with small_shop(browser, tmp_path) as (report, _):

        async def paper() -> str:
            return str(
                await report.ask("getComputedStyle(document.getElementById('outline')).backgroundColor")
            )

        async def prefer(scheme: str) -> None:
            await report.send(
                "Emulation.setEmulatedMedia",
                {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
            )

        await report.ask("localStorage.removeItem('hybridsnap-theme')")
        await prefer("light")
        light = await paper()
        await prefer("dark")
        dark = await paper()
        assert light != dark
        await report.click("#theme")
        assert (await report.texts("#theme"), await paper()) == (["Theme: light"], light)
        await prefer("light")
        await report.click("#theme")
        assert (await report.texts("#theme"), await paper()) == (["Theme: dark"], dark)
        await report.click("#theme")
        assert (await report.texts("#theme"), await paper()) == (["Theme: auto"], light)


async def test_hostile_pages(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    """Whatever a page calls its things, it is text in the report."""
    async with serve_pages({"/": "<!doctype html><body style='margin: 0'>"}) as pages:
        page = await browser.new_page(pages.url("/"))
        script = f"""for (const name of {json.dumps(HOSTILE)}) {{
            document.title = name;
            const link = document.createElement("a");
            link.textContent = name;
            link.setAttribute("aria-description", name);
            link.href = "/?" + name;
            link.style.display = "block";
            const field = document.createElement("input");
            field.value = name;
            document.body.append(link, field);
        }}"""
        await page.session.send("Runtime.evaluate", {"expression": script})
        snapshot = await take(page)
    frames = tuple(
        msgspec.structs.replace(frame, url=HOSTILE[0], status="missing", cause="crashed")
        for frame in snapshot.report.frames
    )
    snapshot.report = msgspec.structs.replace(
        snapshot.report, url=HOSTILE[0], complete=False, frames=frames, notes=tuple(HOSTILE)
    )
    async with hostile_report(browser, snapshot, tmp_path) as report:
        for name in await report.texts(".row.operable .id"):
            await report.click(".row.operable", name)
            assert await report.texts(".row.pinned .id") == [name]
    snapshot.layout = snapshot.screenshot = None
    async with hostile_report(browser, snapshot, tmp_path):
        pass


@contextlib.asynccontextmanager
async def hostile_report(
    browser: hybridsnap.Browser, snapshot: Snapshot, folder: Path
) -> AsyncIterator[Report]:
    """The report on a page of hostile names, which it shows; none of them does anything, to the end."""
    html = render_view(snapshot.content, snapshot.screenshot)
    assert html.count("</script") == 2
    async with opened(browser, html, folder) as report:
        names = await report.texts(".row.operable .name")
        assert [name for name in names if name] == [clean_text(name) for name in HOSTILE]
        assert await report.texts("#title") == [clean_text(snapshot.report.title)]
        assert (await report.texts("#gaps li"))[1:] == [clean_text(name) for name in HOSTILE]
        yield report
        await report.click("#search")
        await report.write("</script")
        assert "</script" in await report.texts(".row mark")
        assert await report.ask("window.hacked") is None
        assert await report.ask("document.querySelectorAll('img:not(#shot), script').length") == 2


async def test_without_layout_it_says_how_to_get_it(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    snapshot = build_wide(3)
    async with opened(browser, render_view(snapshot.content, None), tmp_path) as report:
        assert await report.texts("#lack h2") == ["This snapshot has no screenshot"]
        (commands,) = await report.texts("#command")
        assert commands.split("\n") == [
            "hybridsnap snapshot https://x.test/ --layout --screenshot page.png --format json -o page.json",
            "hybridsnap view page.json -o report.html",
        ]
        assert await report.ask("document.getElementById('stage').hidden")
        await report.click(".row", "number 1")
        assert await report.texts(".row.pinned .id") == ["0-3"]


async def test_gaps_are_named(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    async with serve_pages({"/": PAGE}) as pages:
        page = await browser.new_page(pages.url("/"))
        snapshot = await take(page)
    main, inner = snapshot.report.frames
    inner = msgspec.structs.replace(inner, status="missing", cause="crashed", url="https://lost.test/")
    snapshot.report = msgspec.structs.replace(
        snapshot.report, complete=False, consistent=False, frames=(main, inner), notes=("a note",)
    )
    async with opened(browser, render_view(snapshot.content, snapshot.screenshot), tmp_path) as report:
        assert await report.texts("#gaps li") == [
            f"Frame 1 is missing (crashed): https://lost.test/{inner.owner_id}",
            "DOM and accessibility tree do not quite agree",
            "a note",
        ]
        await report.click("#gaps button")
        assert await report.texts(".row.pinned .id") == [inner.owner_id]


async def test_fifty_thousand_rows(browser: hybridsnap.Browser, tmp_path: Path) -> None:
    snapshot = build_wide(50_000)
    async with opened(browser, render_view(snapshot.content, None), tmp_path) as report:
        assert await report.ask("document.querySelectorAll('.row').length") < 100
        await report.ask("document.getElementById('tree').focus()")
        await report.press("End")
        assert await report.texts(".row.active .name") == ["number 49999"]
        await report.press("/")
        await report.write("number 31415")
        # One by its id, one by its name.
        assert await report.rows() == ["Many", "number 31413", "number 31415"]
        assert await report.texts("#found") == ["2 of 50,001"]
        await report.press("Enter", "/", "Escape")
        assert await report.texts(".row.pinned .name") == ["number 31413"]
        assert 20 < await report.ask("document.querySelectorAll('.row').length") < 100
