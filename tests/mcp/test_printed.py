"""What counts as shown is what was printed: an id whose row was left out stands for what it was before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.mcp_client import Host, in_process
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

#: Its rows stay where they are; which report each of them deletes moves on.
_REPORTS = """<!doctype html><title>Reports</title><button id=next>Next</button><p role=status></p>
<div id=list></div><script>
let first = 1
const list = document.querySelector('#list'), said = document.querySelector('[role=status]')
for (let n = 0; n < 80; n++) list.append(document.createElement('button'))
const write = () => [...list.children].forEach((one, n) => one.textContent = `Delete report ${first + n}`)
list.onclick = event => said.textContent = event.target.textContent.replace('Delete', 'Deleted')
document.querySelector('#next').onclick = () => { first--; write() }
write()
</script>"""

_IS_OTHERWISE = ' is now button "Delete report 59"; likely meant: '


@pytest.fixture
async def host(browser_endpoint: str) -> AsyncIterator[Host]:
    async with serve_pages({"/": _REPORTS}) as pages, in_process(browser_endpoint) as host:
        await host.do("navigate", url=pages.url("/"))
        yield host


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
