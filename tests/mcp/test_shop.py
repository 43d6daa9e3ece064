"""A host buys something in the bundled shop through the tools, over stdio and over HTTP."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from hybridsnap.demo.server import serve_shop
from tests.support.mcp_client import over_http, over_stdio, tokens

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from tests.support.mcp_client import Host

#: What the list of tools costs a host, at most; four characters are a token.
_MOST_LIST_TOKENS = 2000
TOOLS = [
    "navigate",
    "snapshot",
    "expand",
    "find",
    "click",
    "type",
    "fill_form",
    "select",
    "press",
    "hover",
    "drag",
    "scroll",
    "wait_for",
    "evaluate",
    "handle_dialog",
    "upload",
    "act",
    "tabs",
    "screenshot",
    "diff",
]


@pytest.mark.parametrize("transport", [over_stdio, over_http])
async def test_buying_something(
    transport: Callable[..., AbstractAsyncContextManager[Host]],
    browser_endpoint: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with serve_shop() as shop, transport("--cdp", browser_endpoint) as host:
        listed = await host.client.list_tools()
        assert [tool.name for tool in listed.tools] == TOOLS
        list_tokens = tokens(listed.model_dump_json(by_alias=True, exclude_none=True))
        assert list_tokens < _MOST_LIST_TOKENS

        assert "Lantern & Loom" in await host.do("navigate", url=shop.url, max_tokens=400)
        bought = await host.do("click", element=await host.find("Buy Ember Lantern", role="button"))
        assert "1 × Ember Lantern, €48.00" in bought
        checkout = await host.do("click", element=await host.find("To the checkout", role="link"))
        assert "navigated to" in checkout
        assert "textbox: Full name [required]" in checkout
        form = {
            name: id_
            for id_, name in re.findall(
                r"\[([\d-]+)\] \w+: ([^\[\n]+?)(?: \[|\n)",
                await host.do("find", selector="#checkout [required]"),
            )
        }
        filled = await host.do(
            "fill_form",
            entries=[
                {"id": form["Full name"], "value": "Ada Lovelace"},
                {"id": form["E-mail"], "value": "ada@example.org"},
                {"id": form["City"], "value": "Utrecht"},
                {"id": form["Street and number"], "value": "Weverstraat 4"},
                {"id": form["Country"], "value": "Netherlands"},
                {"id": form["I have read the terms"], "value": True},
            ],
        )
        assert 'value="Netherlands"' in filled
        order = 'role=button[name="Place the order"]'
        assert "button: Place the order" in await host.do("find", selector=order)
        thanks = await host.do("click", element=order, max_tokens=900)
        assert "Thank you for your order" in thanks
        assert "Weverstraat 4" in thanks
        assert "Ada Lovelace" in thanks

    both = host.text_tokens + host.structured_tokens
    with capsys.disabled():
        print(  # noqa: T201 - the sum is to be seen
            f"\n{transport.__name__}: list of tools {list_tokens} tokens; buying: text {host.text_tokens},"
            f" structured {host.structured_tokens}, both {both}"
        )
    assert both < 6000
