"""What counts as shown is what was printed: an id whose row was left out stands for what it was before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.mcp_client import Host, in_process
from tests.support.pages import PageServer, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import hybridsnap

#: Its rows stay where they are; which report each of them deletes moves on.
_REPORTS = """<!doctype html><title>Reports</title><style>#list > * { display: block }</style>
<button id=next>Next</button> <button id=tick>Tick</button> <i id=ticks>0</i><p role=status></p>
<div id=list></div><script>
document.querySelector('#tick').onclick = () => document.querySelector('#ticks').textContent++
let first = 1
const list = document.querySelector('#list'), said = document.querySelector('[role=status]')
for (let n = 0; n < 80; n++) list.append(document.createElement('button'))
const write = () => [...list.children].forEach((one, n) => one.textContent = `Delete report ${first + n}`)
list.onclick = event => said.textContent = event.target.textContent.replace('Delete', 'Deleted')
document.querySelector('#next').onclick = () => { first--; write() }
write()
</script>"""

#: The name of a record is replaced, or written anew; its button stays, and is called as all others are.
_RECORDS = """<!doctype html><title>Records</title><style>li { line-height: 40px }</style>
<button id=sort>Sort</button> <button id=tick>Tick</button> <i id=ticks>0</i><p role=status></p>
<ul></ul><script>
const list = document.querySelector('ul'), said = document.querySelector('[role=status]')
const name = n => `Miss ${String.fromCharCode(65 + n % 26)}${String.fromCharCode(97 + n / 26)}na`
let names = [...Array(60).keys()].map(name), ticks = 0
list.innerHTML = '<li><b> </b> <i> </i> <button>Delete</button></li>'.repeat(60)
const write = () => [...list.children].forEach((one, n) => {
  WRITE
  one.children[1].textContent = `${ticks + n} minutes ago`
})
list.onclick = event => said.textContent = `Deleted ${event.target.parentNode.firstChild.textContent}`
document.querySelector('#sort').onclick = () => { names.reverse(); write() }
document.querySelector('#tick').onclick = () => {
  document.querySelector('#ticks').textContent = ++ticks
  write()
}
write()
</script>"""
_WAYS = {
    "/replaced": "one.firstChild.textContent = names[n]",
    "/rewritten": "one.firstChild.firstChild.data = names[n]",
}
_CALENDAR = """<!doctype html><title>Calendar</title><h2>May 2026</h2><button id=next>Next</button>
<p role=status></p><div></div><script>
const month = document.querySelector('h2'), said = document.querySelector('[role=status]')
for (let day = 1; day < 31; day++) {
  const one = document.createElement('button')
  one.textContent = day
  one.onclick = () => said.textContent = `Chose ${day} ${month.textContent}`
  document.querySelector('div').append(one)
}
document.querySelector('#next').onclick = () => month.textContent = 'June 2026'
</script>"""

_IS_OTHERWISE = ' is now button "Delete report 59"; likely meant: '


@pytest.fixture
async def host(browser_endpoint: str) -> AsyncIterator[Host]:
    async with serve_pages({"/": _REPORTS}) as pages, in_process(browser_endpoint) as host:
        await host.do("navigate", url=pages.url("/"))
        yield host


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    records = {path: _RECORDS.replace("WRITE", way) for path, way in _WAYS.items()}
    async with serve_pages({"/": _REPORTS, "/calendar": _CALENDAR, **records}) as served:
        yield served


def id_of(name: str, printed: str) -> str:
    found = re.search(rf"\[(\d+-\d+)\] button: {name}$", printed, re.MULTILINE)
    assert found is not None, printed
    return found[1]


async def press_next(host: Host, **arguments: Any) -> str:
    """Let every report move on by one, on a budget for a few of them."""
    return await host.do("click", element=await host.find("Next"), max_tokens=150, **arguments)


async def test_a_row_that_a_diff_folds_is_proven_as_it_was_printed(host: Host) -> None:
    id_ = id_of("Delete report 60", await host.do("snapshot"))
    changes = await press_next(host)
    assert id_ not in changes
    assert '77 × ~ button, "Delete report 3 … Delete report 79" [' in changes
    assert _IS_OTHERWISE in await host.refused("click", element=id_)
    assert _IS_OTHERWISE in await host.refused("click", element=id_), "what was printed is still the same"


@pytest.mark.parametrize("look", ["snapshot", "find"])
async def test_a_row_that_a_later_look_leaves_out_is_proven_as_it_was_printed(host: Host, look: str) -> None:
    id_ = id_of("Delete report 60", await host.do("snapshot"))
    await press_next(host)
    if look == "find":
        assert id_ not in await host.do("find", text="Delete report 7")
    else:
        assert id_ not in await host.do("snapshot", max_tokens=150)
    assert _IS_OTHERWISE in await host.refused("click", element=id_)


@pytest.mark.parametrize("look", ["snapshot", "find", "expand"])
async def test_a_row_that_is_printed_again_is_acted_on(host: Host, look: str) -> None:
    id_ = id_of("Delete report 60", await host.do("snapshot"))
    changes = await press_next(host)
    if look == "find":
        printed = await host.do("find", text="Delete report 59")
    elif look == "snapshot":
        printed = await host.do("snapshot")
    else:
        (fold,) = re.findall(r"\[(\d+-\d+\.\.\d+-\d+)\]", changes)
        printed = await host.do("expand", id=fold, max_tokens=4000)
    assert id_ in printed
    assert "Deleted report 59" in await host.do("click", element=id_)


async def test_a_row_that_a_later_diff_does_not_mention_is_proven_as_it_was_printed(host: Host) -> None:
    id_ = id_of("Delete report 60", await host.do("snapshot"))
    await press_next(host)
    assert "Delete report" not in await host.do("click", element=await host.find("Tick"), max_tokens=150)
    assert _IS_OTHERWISE in await host.refused("click", element=id_)


async def test_a_look_at_a_part_prints_no_more_than_that(host: Host) -> None:
    id_ = id_of("Delete report 60", await host.do("snapshot"))
    await press_next(host)
    assert id_ not in await host.do("snapshot", element="[role=status]")
    assert "Delete report" not in await host.do("click", element=await host.find("Tick"), max_tokens=150)
    assert _IS_OTHERWISE in await host.refused("click", element=id_)


@pytest.mark.parametrize("options", [{"query": "Delete report 7"}, {"max_depth": 1}])
async def test_a_row_that_an_option_leaves_out_is_proven_as_it_was_printed(
    host: Host, options: dict[str, Any]
) -> None:
    id_ = id_of("Delete report 60", await host.do("snapshot"))
    await press_next(host)
    assert id_ not in await host.do("snapshot", options=options)
    assert _IS_OTHERWISE in await host.refused("click", element=id_)


@pytest.mark.parametrize("labels", [True, False])
async def test_a_row_that_a_picture_does_not_show_is_proven_as_it_was_printed(
    host: Host, labels: bool
) -> None:
    id_ = id_of("Delete report 60", await host.do("snapshot"))
    await press_next(host)
    assert not (await host.call("screenshot", labels=labels)).is_error
    assert _IS_OTHERWISE in await host.refused("click", element=id_)


async def test_a_row_that_find_has_no_room_for_is_proven_as_it_was_printed(host: Host) -> None:
    id_ = id_of("Delete report 60", await host.do("snapshot"))
    await press_next(host)
    assert id_ not in await host.do("find", text="Delete report", max_tokens=60)
    assert _IS_OTHERWISE in await host.refused("click", element=id_)


async def test_what_an_older_fold_says_counts(host: Host) -> None:
    id_ = id_of("Delete report 60", await host.do("snapshot"))
    (fold,) = re.findall(r"\[(\d+-\d+\.\.\d+-\d+)\]", await press_next(host))
    await host.do("evaluate", script="() => { first = 1; write() }")
    await host.find("Tick")
    assert f"[{id_}] button: Delete report 59" in await host.do("expand", id=fold, max_tokens=4000)
    assert ' is now button "Delete report 60"' in await host.refused("click", element=id_)


async def test_the_look_before_the_first_action_shows_nothing(
    browser: hybridsnap.Browser, browser_endpoint: str, pages: PageServer
) -> None:
    page = await browser.new_page(pages.url("/"))
    async with in_process(browser_endpoint, target_id=page.target_id) as host:
        id_ = await host.find("Delete report 60")
        await page.evaluate("first--; write()")
        assert _IS_OTHERWISE in await host.refused("click", element=id_)


async def press(host: Host, name: str, max_tokens: int = 100) -> str:
    return await host.do("click", element=await host.find(name), max_tokens=max_tokens)


@pytest.fixture
async def reader(browser_endpoint: str) -> AsyncIterator[Host]:
    async with in_process(browser_endpoint) as host:
        yield host


async def test_a_day_is_one_of_the_month_that_a_diff_has_printed(reader: Host, pages: PageServer) -> None:
    await reader.do("navigate", url=pages.url("/calendar"))
    id_ = id_of("14", await reader.do("snapshot"))
    assert "heading: June 2026" in await press(reader, "Next", 500)
    assert "Chose 14 June 2026" in await reader.do("click", element=id_)


async def see_record(host: Host, url: str, at: int) -> str:
    """Open records, and read all of them; the id of a button."""
    await host.do("navigate", url=url)
    printed = await host.do("snapshot", max_tokens=8000)
    return str(re.findall(r"\[(\d+-\d+)\] button: Delete", printed)[at])


@pytest.mark.parametrize("path", _WAYS)
async def test_what_stands_beside_a_row_counts_as_it_was_printed(
    reader: Host, pages: PageServer, path: str
) -> None:
    id_ = await see_record(reader, pages.url(path), 50)
    await press(reader, "Sort")
    beside = 'was shown beside "Miss Ybna", and stands beside "Miss Jana" now; likely meant: '
    assert beside in await reader.refused("click", element=id_)
    await press(reader, "Tick")
    assert beside in await reader.refused("click", element=id_)
    assert f'[{id_}] button: Delete [beside="Miss Jana"]' in await reader.do(
        "find", text="Delete", max_tokens=3000
    )
    await press(reader, "Tick")
    assert "Deleted Miss Jana" in await reader.do("click", element=id_)


@pytest.mark.parametrize("path", _WAYS)
async def test_what_a_diff_or_a_picture_shows_beside_a_row_counts(
    reader: Host, pages: PageServer, path: str
) -> None:
    id_ = await see_record(reader, pages.url(path), 2)
    await press(reader, "Sort", 8000)
    assert "Deleted Miss Fcna" in await reader.do("click", element=id_, max_tokens=100)
    await press(reader, "Sort")
    assert not (await reader.call("screenshot")).is_error
    await press(reader, "Tick")
    assert "Deleted Miss Cana" in await reader.do("click", element=id_)


@pytest.mark.parametrize("path", _WAYS)
async def test_what_goes_on_beside_a_row_refuses_nothing(reader: Host, pages: PageServer, path: str) -> None:
    id_ = await see_record(reader, pages.url(path), 50)
    for _ in range(20):
        assert "minutes ago" not in await press(reader, "Tick", 40)
    assert "Deleted Miss Ybna" in await reader.do("click", element=id_)


async def test_a_diff_that_prints_a_row_tells_nothing_of_what_stands_beside_it(
    reader: Host, pages: PageServer
) -> None:
    id_ = await see_record(reader, pages.url("/rewritten"), 50)
    await press(reader, "Sort")
    await reader.do("evaluate", script="() => document.querySelectorAll('li button')[50].focus()")
    assert f"~ [{id_}] button: Delete [focused]" in await reader.do("diff")
    assert 'stands beside "Miss Jana" now' in await reader.refused("click", element=id_)
    assert f"[{id_}] button: Delete" in await reader.do("snapshot", max_tokens=8000)
    assert "Deleted Miss Jana" in await reader.do("click", element=id_)


@pytest.mark.parametrize(
    ("look", "arguments"),
    [
        ("snapshot", {"interactive": True, "max_tokens": 8000}),
        ("snapshot", {"options": {"query": "Delete"}, "max_tokens": 8000}),
        ("snapshot", {"element": "li:nth-child(51) button"}),
        ("expand", {}),
    ],
)
async def test_a_look_that_prints_a_row_without_its_text_tells_nothing_of_that(
    reader: Host, pages: PageServer, look: str, arguments: dict[str, Any]
) -> None:
    id_ = await see_record(reader, pages.url("/rewritten"), 50)
    await press(reader, "Sort")
    printed = await reader.do(look, **(arguments or {"id": id_}))
    assert f"[{id_}] button: Delete" in printed
    assert "Miss Jana" not in printed
    assert 'stands beside "Miss Jana" now' in await reader.refused("click", element=id_)
    assert "Miss Jana" in await reader.do("snapshot", element="li:nth-child(51)")
    assert "Deleted Miss Jana" in await reader.do("click", element=id_)


async def test_who_reads_no_texts_is_told_from_others_by_the_last_look(
    reader: Host, pages: PageServer
) -> None:
    await reader.do("navigate", url=pages.url("/rewritten"), max_tokens=20)
    for name in ("Ybna", "Jana"):
        printed = await reader.do("snapshot", interactive=True, max_tokens=8000)
        id_ = re.findall(r"\[(\d+-\d+)\] button: Delete", printed)[50]
        assert f"Deleted Miss {name}" in await reader.do("click", element=id_, max_tokens=40)
        await press(reader, "Sort", 40)


async def test_find_tells_the_only_one_found_from_others_of_the_page(reader: Host, pages: PageServer) -> None:
    id_ = await see_record(reader, pages.url("/rewritten"), 50)
    await press(reader, "Sort")
    printed = await reader.do("find", selector="li:nth-child(51) button")
    assert f'[{id_}] button: Delete [beside="Miss Jana"]' in printed
    assert "Deleted Miss Jana" in await reader.do("click", element=id_)
