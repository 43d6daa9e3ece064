"""What a small budget shows first: what has been opened, and where the focus is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import hybridsnap
    from hybridsnap.render.formats import FormatName

_FIELDS = "".join(
    f"<label>Field {number} of a long form <input id=f{number}></label><p>What belongs into field {number}"
    for number in range(80)
)
_COMBOBOX = (
    "<div role=combobox tabindex=0 aria-expanded={} aria-controls=popup aria-label=Country>Choose</div>"
    "<button>Save</button>"
)
_OPTIONS = "".join(f"<div role=option>Country {number}</div>" for number in range(8))
_LISTBOX = f"<div role=listbox aria-label=Countries>{_OPTIONS}</div>"
_TREE = _LISTBOX.replace("listbox", "tree").replace("role=option", "role=treeitem")
_MENU = (
    "<ul role=menu aria-label=Actions><li role=menuitem tabindex=-1 id=copy>Copy<li role=menuitem>Paste</ul>"
)

_FORMATS: tuple[FormatName, ...] = ("tree", "ai", "role", "aria", "html", "xml")
#: Page → what runs in it, and what is printed then.
_OPENED = {
    "controlled": (
        _FIELDS + _COMBOBOX.format("true") + _LISTBOX.replace("role", "id=popup role", 1),
        "0",
        ["combobox: Country", "option: Country 0", "option: Country 7"],
    ),
    "in what is controlled": (
        f"{_FIELDS}{_COMBOBOX.format('true')}<section id=popup><b>Pick one</b>{_LISTBOX}</section>",
        "0",
        ["combobox: Country", "option: Country 0", "option: Country 7"],
    ),
    "in a navigation": (
        f"{_FIELDS}<nav>{_MENU}</nav>",
        "copy.focus()",
        ["menuitem: Copy", "menuitem: Paste"],
    ),
    "the focus": (_FIELDS, "f70.focus()", ["textbox: Field 70 of a long form"]),
}


@pytest.mark.parametrize("name", _OPENED)
async def test_what_was_opened_comes_before_the_page_around_it(home_page: hybridsnap.Page, name: str) -> None:
    body, script, lines = _OPENED[name]
    await home_page.evaluate("html => { document.body.innerHTML = html }", body)
    await home_page.evaluate(f"void ({script})")
    snapshot = await home_page.snapshot()
    for format_ in _FORMATS:
        rendering = snapshot.render(format_, max_tokens=1_200)
        assert rendering.folds, format_
        assert rendering.stats.tokens <= 1_200, format_
        for line in lines:
            assert line.partition(": ")[2] in rendering, (format_, rendering)


@pytest.mark.parametrize(
    "body",
    [
        # Nothing has it open: a list that stands in the page for good.
        _FIELDS + _COMBOBOX.format("false") + _LISTBOX.replace("role", "id=popup role", 1),
        _FIELDS + _COMBOBOX.format("true") + _LISTBOX,
        f"{_FIELDS}{_COMBOBOX.format('true')}<section id=popup>{_TREE}</section>",
        f"{_FIELDS}<select id=f200 aria-label=Country>{'<option>Country 0' * 90}</select>",
    ],
    ids=["closed", "of another", "a tree in a section", "select"],
)
async def test_what_was_not_opened_has_its_place(home_page: hybridsnap.Page, body: str) -> None:
    await home_page.evaluate("html => { document.body.innerHTML = html }", body)
    await home_page.evaluate("void document.querySelector('#f200')?.focus()")
    rendering = (await home_page.snapshot()).render("ai", max_tokens=1_200)
    assert "item: Country 0" not in rendering
    assert "option: Country 0" not in rendering
    assert "textbox: Field 9 of a long form" in rendering
