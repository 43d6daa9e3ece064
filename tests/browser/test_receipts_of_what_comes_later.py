"""Receipts of what comes late, or not at all: answers of servers; forms whose fields are not valid."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
import trio
import trio_websocket

from hybridsnap.act.receipt import Invalid
from hybridsnap.client.console_messages import read_error
from hybridsnap.client.network import describe_under_way
from tests.support import http
from tests.support.faults import until
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hybridsnap import Page
    from tests.support.pages import Content, PageServer


async def _soon(_: http.Request) -> http.Response:
    await trio.sleep(0.12)  # longer than a quiet page is looked at
    return http.Response(b"1")


async def _never(_: http.Request) -> http.Response:
    await trio.sleep_forever()
    raise AssertionError


_BUTTON = '<!doctype html><title>Shop</title><p id=o role=status></p><button onclick="%s">Go</button>'
_ASKED = {
    "fetch": "fetch('/soon').then(() => { o.textContent = 'answered' })",
    "its body": "fetch('/soon').then((one) => one.text()).then((text) => { o.textContent = 'answered' })",
    "one after the other": """fetch('/soon').then(() => fetch('/soon'))
        .then(() => { o.textContent = 'answered' })""",
    "XMLHttpRequest": """const x = new XMLHttpRequest(); x.open('GET', '/soon');
        x.onload = () => { o.textContent = 'answered' }; x.send()""",
    "a script": """const s = document.createElement('script'); s.src = '/soon';
        s.onload = () => { o.textContent = 'answered' }; document.head.append(s)""",
    "on the way elsewhere": "fetch('/soon').then(() => { location.href = '/next' })",
}


#: A field whose text is searched for a while after it has been entered, as most libraries do it.
_SEARCH = """<!doctype html><title>Search</title><label>Search <input id=q></label><p id=o role=status></p>
  <script>let later;
  q.oninput = () => { clearTimeout(later); later = setTimeout(() => { %s }, 200); };</script>"""


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    contents: dict[str, Content] = {
        "/soon": _soon,
        "/never": _never,
        "/next": "<title>Next</title><p>next",
        "/quiet": _BUTTON % "",
        "/filter": _SEARCH % "o.textContent = `found ${q.value}`",
        "/search": _SEARCH % "fetch('/soon').then(() => { o.textContent = `found ${q.value}`; })",
        "/endless": _BUTTON % "fetch('/never?' + 'x'.repeat(300)); fetch('/never')",
        "/before": (_BUTTON % "").replace("</p>", "</p><script>fetch('/never')</script>"),
        "/form": _FORM,
        "/plain": "<form><input name=q id=i></form>",
        "/eager": """<form oninput="this.checkValidity()"><input id=a><input required name=b>
            <label><input type=checkbox onclick="this.form.checkValidity()">Agree</label></form>""",
        "/asks": """<select id=s></select><button onclick="s.required = true; s.checkValidity();
            s.required = false">Choose</button>""",
        "/frames": '<iframe src="http://localhost:{PORT}/form"></iframe>',
    }
    for number, script in enumerate(_ASKED.values()):
        contents[f"/{number}"] = _BUTTON % script
    async with serve_pages(contents) as server:
        yield server


_FORM = """<!doctype html><title>Form</title><form onsubmit="document.title = 'sent'; return false">
<label>Mail <input id=m type=email required></label> <input name=zip pattern="[0-9]+" value=x>
<label>Agree <input type=checkbox id=c required></label> <button>Send</button></form>"""


# Answers of servers


@pytest.mark.parametrize("name", _ASKED)
async def test_an_answer_is_waited_for(page: Page, pages: PageServer, name: str) -> None:
    await page.goto(pages.url(f"/{list(_ASKED).index(name)}"))
    receipt = await page.click("button")
    if name == "on the way elsewhere":
        assert receipt.navigation is not None
        assert receipt.navigation.url == pages.url("/next")
    else:
        assert receipt.announced == ("answered",)
        assert "announced: answered" in str(receipt)
    assert "under way" not in str(receipt)


async def test_an_answer_that_does_not_come_is_told(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/endless"))
    receipt = await page.click("button")
    (note,) = (one for one in receipt.notes if "under way" in one)
    assert note.startswith("2 requests are still under way: /never?xxx")
    assert note.endswith("x…, /never")
    assert not receipt.navigation


async def test_what_was_under_way_before_is_none_of_it(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/before"))
    receipt = await page.hover("button")
    assert "under way" not in str(receipt)


async def _talk(request: trio_websocket.WebSocketRequest) -> None:
    """Answers what is asked, in two messages; what is reported it takes."""
    async with await request.accept() as socket:
        with contextlib.suppress(trio_websocket.ConnectionClosed):
            while True:
                if await socket.get_message() == "ask":
                    await trio.sleep(0.12)
                    await socket.send_message("ans")
                    await socket.send_message("wered")


@pytest.fixture
async def talking(page: Page) -> AsyncIterator[Page]:
    """A page with a websocket, and buttons that say something over it."""
    buttons = "".join(
        f"<button id={said} onclick=\"socket.send('{said}')\">x</button>" for said in ("ask", "report")
    )
    script = """const socket = new WebSocket("ws://127.0.0.1:SOCKET/");
      socket.onmessage = ({ data }) => { o.textContent += data; };"""
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(trio_websocket.serve_websocket, _talk, "127.0.0.1", 0, None)
        script = script.replace("SOCKET", str(listeners.port))
        async with serve_pages({"/": f"{buttons}<p id=o></p><script>{script}</script>"}) as pages:
            await page.goto(pages.url("/"))
            await page.wait_for(function="() => socket.readyState === 1")
            yield page
        nursery.cancel_scope.cancel()


async def test_an_answer_over_a_websocket_is_waited_for(talking: Page) -> None:
    for times in (1, 2):
        await talking.click("#ask")
        assert await talking.evaluate("o.textContent") == "answered" * times


@pytest.mark.alone
async def test_a_websocket_that_only_reports_is_not_waited_for_for_ever(talking: Page) -> None:
    async def waited(button: str) -> bool:
        return (await talking.click(button)).steps_ms["settle"] > 400

    assert [await waited("#report") for _ in range(4)] == [True, True, True, False]
    await talking.click("#ask")
    await talking.wait_for(function="() => o.textContent === 'answered'")
    # The answer came after the action, when no message was followed.
    assert not await waited("#report")
    await talking.reload()
    await talking.wait_for(function="() => socket.readyState === 1")
    assert await waited("#report")


async def test_nothing_happened_says_how_long_was_looked(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/quiet"))
    await page.focus("button")
    receipt = await page.focus("button")
    assert receipt.nothing_happened
    looked = receipt.steps_ms["settle"]
    assert str(receipt).splitlines()[1] == f"  nothing changed in the DOM within {looked:.0f} ms"


async def test_another_listener_goes_on_hearing(page: Page, pages: PageServer) -> None:
    """Waiting for the network to be idle while an action comes and goes."""
    await page.goto(pages.url("/endless"))
    async with trio.open_nursery() as nursery:
        waited = trio.Event()

        async def wait() -> None:
            await page.wait_for(load_state="networkidle", function="() => window.over", timeout=20)
            waited.set()

        nursery.start_soon(wait)
        attachment = page._context.attachment
        await until(lambda: attachment.traffic_listeners == 1)
        await page.focus("button")
        assert attachment.traffic_listeners == 1
        await page.evaluate("() => { window.over = true; }")
        await waited.wait()
    assert attachment.traffic_listeners == 0


def test_addresses_are_short_and_clean() -> None:
    here = "https://shop.example/cart"
    assert (
        describe_under_way(("https://shop.example/api?a=1",), here)
        == "a request is still under way: /api?a=1"
    )
    many = ("https://else.example/\u202e", *["https://shop.example/b"] * 4)
    told = describe_under_way(many, here)
    assert told.startswith("5 requests are still under way: https://else.example/")
    assert told.endswith(", /b, /b, …")
    assert "\u202e" not in told


def test_the_icon_that_the_browser_asks_for_is_no_error() -> None:
    entry = {"source": "network", "level": "error", "text": "Failed to load resource: 404 (Not Found)"}
    missing = {**entry, "url": "https://shop.example/picture.png"}
    assert read_error("Log.entryAdded", {"entry": missing}).endswith("picture.png")
    assert read_error("Log.entryAdded", {"entry": {**entry, "url": "https://shop.example/favicon.ico"}}) == ""


# Fields that are not valid


async def test_what_keeps_a_form_from_being_sent_is_told(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/form"))
    receipt = await page.click("button")
    mail, code, agree = receipt.invalid
    assert (mail.field, code.field, agree.field) == ('textbox "Mail"', 'textbox "zip"', 'checkbox "Agree"')
    assert all(one.message for one in receipt.invalid)
    assert f"not valid: {mail.field} [{mail.element_id}]: {mail.message}" in str(receipt)
    assert not receipt.nothing_happened
    assert receipt.to_dict()["invalid"][0]["field"] == mail.field
    # The ids can be acted on.
    await page.type(mail.element_id, "a@b.example")
    await page.fill(code.element_id, "12")
    await page.check(agree.element_id)
    receipt = await page.press("Enter", element="#m")
    assert receipt.invalid == ()
    assert await page.evaluate("() => document.title") == "sent"


async def test_enter_in_a_form_without_a_button(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/plain"))
    await page.evaluate("() => i.setCustomValidity('say\\n[0-1] button: what')")
    receipt = await page.type("#i", "x", submit=True)
    (field,) = receipt.invalid
    assert field.field == 'textbox "q"'
    assert len(str(receipt).split("not valid: ")[1].splitlines()[0]) > len(field.field)
    assert "\n[0-1]" not in str(receipt)


async def test_a_page_that_asks_its_fields_at_every_key(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/eager"))
    assert (await page.type("#a", "x")).invalid == ()
    assert (await page.click("label")).invalid == ()


async def test_a_field_that_is_valid_in_the_end(page: Page, pages: PageServer) -> None:
    """Django's admin makes a list required, asks it whether anything is chosen, and takes that back."""
    await page.goto(pages.url("/asks"))
    assert (await page.click("button")).invalid == ()


async def test_in_a_frame_of_another_process(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url("/frames"))
    receipt = await page.click("iframe >> button")
    assert [one.field for one in receipt.invalid] == ['textbox "Mail"', 'textbox "zip"', 'checkbox "Agree"']
    assert all(one.element_id.startswith("1-") for one in receipt.invalid)
    assert str(Invalid("", "field", "no")) == "field: no"


@pytest.mark.parametrize("path", ["/filter", "/search"])
@pytest.mark.parametrize("action", ["fill", "type"])
async def test_a_search_that_is_put_off_is_waited_for(
    page: Page, pages: PageServer, action: str, path: str
) -> None:
    await page.goto(pages.url(path))
    receipt = await getattr(page, action)("#q", "lamp")
    assert receipt.announced == ("found lamp",)
