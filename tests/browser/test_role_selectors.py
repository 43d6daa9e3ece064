"""Elements by role and name: in actions, waits and focused snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
import trio

from hybridsnap import SelectorError
from hybridsnap.client.connection import Connection
from tests.support.act_pages import check_selectors, ids_by_attribute
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from hybridsnap import Browser, Page

_PAGE = """<!doctype html><title>Shop</title>
<button id=buy>Buy</button><button id=now>Buy  now</button><button id=says>Say "hi"
 there</button><button id=bracket>a]b >> c</button><label>Mail<input id=mail></label>
<select id=colour aria-label=Colour><option>Red<option>Green</select>
<svg id=flag role=img aria-label=Flag width=9 height=9></svg>
<x-closed><template shadowrootmode=closed><button id=pay>Pay</button></template></x-closed>
<x-open><template shadowrootmode=open><button id=open>Open</button></template></x-open>
<iframe srcdoc="<button id=inner>Inner</button>"></iframe><ul><li><span>Milk</span><li>Tea</ul>
<button aria-hidden=true tabindex=-1>Ignored</button>
<table><tr><td id=ann tabindex=0>Ann</table>"""

_NAMED = {
    'role=button[name="Buy"]': "buy",
    "role=Button[ name = 'Buy now' ]": "now",
    'role=button[name*="uy n"]': "now",
    'role=button[name="BUY" i]': "buy",
    r'role=button[name="Say \"hi\" there"]': "says",
    'role=button[name="a]b >> c"]': "bracket",
    'role=cell[name="Ann"]': "ann",  # Chromium takes the table for layout
    "role=textbox": "mail",
    "role=textbox[name=Mail]": "mail",
    "role=combobox": "colour",
    "role=select": "colour",  # as an outline prints it
    "role=img": "flag",
    "role=image": "flag",
    "role=button[name=Pay]": "pay",
    "x-closed >> role=button": "pay",
    "x-open >> role=button": "open",
    "iframe >> role=button": "inner",
}


async def test_each_leads_to_its_element(page: Page) -> None:
    async with serve_pages({"/": _PAGE}) as pages:
        await page.goto(pages.url("/"))
        ids = ids_by_attribute(await check_selectors(page, _NAMED))
        for selector, name in _NAMED.items():
            focused = await page.snapshot(focus=selector, timeout=20)
            assert ids[name] in {row.id for row in focused.rows}, selector


async def test_the_tree_is_read_once_for_an_action(home_page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is most of what such an action costs, on a large page a second."""
    await home_page.evaluate("() => { document.body.innerHTML = '<button>One</button>'; }")
    sent, post = [], Connection.post

    def counted(connection: Connection, session: Any, method: str, *given: Any, **options: Any) -> int:
        sent.append(method)
        return post(connection, session, method, *given, **options)

    monkeypatch.setattr(Connection, "post", counted)
    await home_page.focus("role=button", timeout=20)
    assert sent.count("Accessibility.getFullAXTree") == 1


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        ("role=button[name*=Buy]", "matches 2 elements"),
        ("button", r'matches 5 elements: .* button "a\]b >> c", 0-\d+ \(not in the accessibility tree\);'),
        ("role=button[name=buy]", "matches nothing"),
        ("role=buton[name=Buy]", r"matches nothing .*\(buton is not a role; button is probably meant\)"),
        ("role=button[name*=Buy] >> nth=9", r"matches nothing .*: what stands before nth=9 has 2, counted"),
        ("role=button[name=Ignored]", "matches nothing"),
        ("role=button[name=Inner]", "matches nothing"),
        ("iframe >> role=button[name=Buy]", "matches nothing"),
        ("role=", "something is missing"),
        ("role=button[pressed]", r'role= takes a role and perhaps a name, role=button\[name="Buy"\]'),
        ("role=button[name=/Buy/]", "role= takes a role"),
        ("role=button[name=Buy now]", "role= takes a role"),
    ],
)
async def test_others_are_refused(home_page: Page, selector: str, why: str) -> None:
    await home_page.evaluate("(html) => { document.body.innerHTML = html; }", _PAGE)
    with pytest.raises(SelectorError, match=why):
        await home_page.click(selector, wait=False, timeout=20)


async def test_what_is_no_role_is_not_waited_for(home_page: Page) -> None:
    with trio.fail_after(20), pytest.raises(SelectorError, match="buton is not a role") as caught:
        await home_page.click("role=buton", timeout=60)
    assert (caught.value.reason, caught.value.waited) == ("syntax", 0)


async def test_they_are_waited_for_in_a_tab_that_is_not_in_front(browser: Browser) -> None:
    late = "<ul></ul><script>setTimeout(() => { document.querySelector('ul').innerHTML ="
    late += " '<li><button>One</button><li><button>Two</button>'; }, 300)</script>"
    page = await browser.new_page("data:text/html," + quote(late))
    await browser.new_page("data:text/html,<p>in front")
    await page.wait_for(selector="role=button[name=Two]", count=("role=button", 2), timeout=20)
    await page.evaluate("() => { document.querySelector('button').remove(); }")
    await page.wait_for(selector_gone="role=button[name=One]", enabled="role=button", timeout=20)
    await page.click("role=button[name=Two]", nth=0, timeout=20)


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ("role=button[name=now]", 'there is button "Buy now": [name=] takes the whole name'),
        ("role=button[name='buy Now']", 'there is button "Buy now": names are in upper or lower case as'),
        ("role=textbox[name=m]", 'there is textbox "Mail": '),
        ("role=button[name=Inner]", "iframe >> role=… leads into a frame"),
        ("iframe >> role=button[name=inn]", 'there is button "Inner": '),
        ("role=menuitem[name='Buy now']", '(there is button "Buy now", of another role)'),
        ("role=listitem[name=Milk]", 'and has no name of its own: role=StaticText[name="Milk"] is the text'),
        ("role=listitem[name=mil]", 'role=StaticText[name*="mil" i] is the text in it'),
    ],
)
async def test_what_may_be_meant_is_said(page: Page, selector: str, said: str) -> None:
    async with serve_pages({"/": _PAGE}) as pages:
        await page.goto(pages.url("/"))
        with pytest.raises(SelectorError) as refused:
            await page.click(selector, wait=False)
    assert said in str(refused.value)


async def test_the_text_that_an_error_names_can_be_acted_on(home_page: Page) -> None:
    await home_page.evaluate("(html) => { document.body.innerHTML = html; }", _PAGE)
    receipt = await home_page.click('role=StaticText[name*="mil" i]', timeout=20)
    assert 'StaticText "Milk"' in str(receipt)
    found = (await home_page.snapshot()).find(name="Milk")
    assert [(one.role, one.id) for one in found] == [("StaticText", receipt.element_id)]


_MODALS = {
    "aria-hidden": "<div role=dialog aria-modal=true><button>Close</button></div>"
    "<div aria-hidden=true><button>Archive  all</button></div>",
    "inert": "<div inert><a href=/x aria-label='Archive all'>x</a></div>",
    "inert, as the page behind": "<button>Archive all</button><dialog id=d>Sure?</dialog>"
    "<script>d.showModal()</script>",
}


@pytest.mark.parametrize("how", _MODALS)
async def test_what_a_dialog_hides_is_said_to_be_there(page: Page, how: str) -> None:
    async with serve_pages({"/": f"<!doctype html><title>Modal</title>{_MODALS[how]}"}) as pages:
        await page.goto(pages.url())
        for named in ('[name="Archive all"]', '[name*="archive" i]'):
            with pytest.raises(SelectorError) as refused:
                await page.click(f"role=button{named}", wait=0.1)
            said = f"is there, but hidden from assistive technology ({how}"
            assert said in str(refused.value)
            assert "mend the selector" not in str(refused.value)
        with pytest.raises(SelectorError, match="mend the selector"):
            await page.click('role=button[name="Delete"]', wait=0.1)
