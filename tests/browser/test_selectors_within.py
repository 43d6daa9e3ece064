"""Selectors of several parts: inside of elements, frames and shadow roots, and which match is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hybridsnap import SelectorError
from hybridsnap.service.locating import select_ids
from tests.support.act_pages import check_selectors, ids_by_attribute
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from hybridsnap import Page

_ROW = "<li class={0}><button id={0}-pay>Pay</button> <button id={0}-drop>Delete</button></li>"
_LIST = f"<ul>{''.join(map(_ROW.format, ('due', 'paid', 'late')))}</ul>"
_PAGE = f"""<!doctype html><title>Bills</title>{_LIST}
<div><div><div><button id=deep>Deep</button></div></div></div>
<form><p><input id=mail aria-label=Mail></p></form>
<x-open><template shadowrootmode=open><div><button id=open>Open</button></div></template></x-open>
<x-closed><template shadowrootmode=closed><p></p><p><button id=shut>Shut</button></p></template></x-closed>
<iframe srcdoc="{_LIST.replace("id=", "id=in-")}"></iframe>"""

_NAMED = {
    "li.due >> button >> nth=0": "due-pay",
    "li.due >> button >> nth=-1": "due-drop",
    "li.paid >> role=button[name=Delete]": "paid-drop",
    "li >> nth=1 >> role=button[name=Pay]": "paid-pay",
    "li >> nth=-1 >> button >> NTH=1": "late-drop",
    "ul >> li >> button >> nth=3": "paid-drop",
    "li >> role=button[name=Pay] >> nth=2": "late-pay",
    "div >> button#deep": "deep",  # stands in three of them, and is one
    "div >> role=button[name=Deep]": "deep",
    "form >> //input": "mail",
    "form >> xpath=.//input": "mail",
    "form >> p >> nth=0 >> css=input": "mail",
    "x-open >> div >> button": "open",
    "x-closed >> p >> nth=1 >> button": "shut",
    "iframe >> li.late >> button >> nth=0": "in-late-pay",
    "iframe >> li >> nth=0 >> role=button[name=Delete]": "in-due-drop",
}


async def test_each_leads_to_its_element(page: Page) -> None:
    async with serve_pages({"/": _PAGE}) as pages:
        await page.goto(pages.url("/"))
        snapshot = await check_selectors(page, _NAMED)
        ids = ids_by_attribute(snapshot)
        for selector, name in _NAMED.items():
            # In a snapshot, XPaths begin at the top, and what is last may stand in a frame.
            if "//" not in selector and "-1" not in selector:
                assert select_ids(snapshot, selector)[:1] == [ids[name]], selector
        focused = await page.snapshot(focus="li >> nth=1", timeout=20)
        assert [row.name for row in focused.rows if row.role == "button"] == ["Pay", "Delete"]


@pytest.mark.parametrize(
    ("selector", "reason", "words"),
    [
        ("nth=0", "syntax", "button >> nth=0"),
        ("button >> nth=0 >> nth=1", "syntax", "button >> nth=0"),
        ("li >> ]", "syntax", "not a usable CSS selector: ']' is not a valid selector"),
        ("li >> button", "several", "add which match is meant: >> nth=0 is the first"),
        ("button >> nth=99", "", "matches nothing"),
        ("button >> nth=-99", "", "matches nothing"),
        ("button >> role=button", "", "matches nothing"),  # it is not inside of itself
    ],
)
async def test_what_is_refused(home_page: Page, selector: str, reason: str, words: str) -> None:
    await home_page.evaluate(f"document.body.innerHTML = {_LIST!r}")
    with pytest.raises(SelectorError) as caught:
        await home_page.click(selector, wait=False, timeout=20)
    assert words in str(caught.value)
    assert caught.value.reason == (reason or caught.value.reason)
    assert await home_page.evaluate("document.activeElement === document.body")
