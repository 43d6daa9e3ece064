"""What a model that makes no mistake would call, for each task and each MCP server.

A script knows the task in words (names to look for, values to fill in), not the page: each id it uses stands
in a result it was given before. It takes the way that the server's own descriptions of its tools recommend,
and of several the cheapest. What it returns is the text that answers the task; `benchmarks.mcp_tasks` checks
it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.peers.mcp_server import McpServer

#: Label → value of the order.
ORDER = {
    "Full name": "Ada Lovelace",
    "E-mail": "ada@example.org",
    "City": "Utrecht",
    "Street and number": "Weverstraat 4",
}
COUNTRY = ("Country", "Netherlands")
TERMS = "I have read the terms"


def _first(pattern: str, text: str, wanted: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise LookupError(f"no {wanted!r} in: {text:.400}")
    return found[1]


def _our_id(text: str, name: str) -> str:
    """Of a control: ``[0-12] button: name``, also within a row of a table."""
    return _first(rf"\[(\d+-\d+)\] (?!cell|LabelText)[\w-]+: {re.escape(name)}", text, name)


def _ref(text: str, name: str) -> str:
    """Of Playwright: ``button "name" [ref=e12]``."""
    return _first(rf'"{re.escape(name)}[^"\n]*"[^\n]*?\[ref=(\w+)\]', text, name)


def _uid(text: str, name: str) -> str:
    """Of chrome-devtools-mcp, of a control: ``uid=1_2 button "name"``."""
    return _first(rf'uid=(\w+) (?!StaticText|LabelText|cell)\w+ "{re.escape(name)}', text, name)


def _look(server: McpServer, tool: str, **arguments: object) -> str:
    """Ours, and a second look where the first says that a frame was still loading."""
    result = server.call(tool, **arguments)
    if "(loading)" in result.partition("\n[")[0]:
        return server.call("snapshot", **{key: value for key, value in arguments.items() if key != "url"})
    return result


def our_order(server: McpServer, url: str) -> str:
    """Ours: buy and fill in the form."""
    page = _look(server, "navigate", url=url)
    server.call("click", element=_our_id(page, "Buy Ember Lantern"))
    server.call("click", element=_our_id(page, "To the checkout"))
    form = _look(server, "snapshot", interactive=True, max_tokens=2000)
    values: list[tuple[str, str | bool]] = [*ORDER.items(), COUNTRY, (TERMS, True)]
    entries = [{"id": _our_id(form, name), "value": value} for name, value in values]
    server.call("fill_form", entries=entries)
    return server.call("click", element=_our_id(form, "Place the order"))


def playwright_order(server: McpServer, url: str) -> str:
    """@playwright/mcp: buy and fill in the form."""
    server.call("browser_navigate", url=url)
    found = server.call("browser_find", text="Buy Ember Lantern")
    server.call("browser_click", element="Buy Ember Lantern", target=_ref(found, "Buy Ember Lantern"))
    found = server.call("browser_find", text="checkout")
    server.call("browser_click", element="To the checkout", target=_ref(found, "To the checkout"))
    form = server.call("browser_snapshot")
    fields = [
        {"target": _ref(form, name), "name": name, "type": "textbox", "value": value}
        for name, value in ORDER.items()
    ]
    name, value = COUNTRY
    fields.append({"target": _ref(form, name), "name": name, "type": "combobox", "value": value})
    fields.append({"target": _ref(form, TERMS), "name": TERMS, "type": "checkbox", "value": "true"})
    server.call("browser_fill_form", fields=fields)
    server.call("browser_click", element="Place the order", target=_ref(form, "Place the order"))
    return server.call("browser_snapshot")


def devtools_order(server: McpServer, url: str) -> str:
    """chrome-devtools-mcp: buy and fill in the form."""
    server.call("navigate_page", type="url", url=url)
    page = server.call("take_snapshot")
    server.call("click", uid=_uid(page, "Buy Ember Lantern"))
    form = server.call("click", uid=_uid(page, "To the checkout"), includeSnapshot=True)
    elements = [{"uid": _uid(form, name), "value": value} for name, value in [*ORDER.items(), COUNTRY]]
    elements.append({"uid": _uid(form, TERMS), "value": "true"})
    server.call("fill_form", elements=elements)
    return server.call("click", uid=_uid(form, "Place the order"), includeSnapshot=True)


def our_failure(server: McpServer, url: str) -> str:
    """Ours: find the request and its body."""
    page = _look(server, "navigate", url=url)
    server.call("click", element=_our_id(page, "Load the orders"))
    requests = server.call("requests", failed=True)
    return server.call("request", id=_first(r"\b(r\d+)\b", requests, "a request"))


def playwright_failure(server: McpServer, url: str) -> str:
    """@playwright/mcp: find the request and its body."""
    server.call("browser_navigate", url=url)
    found = server.call("browser_find", text="Load the orders")
    server.call("browser_click", element="Load the orders", target=_ref(found, "Load the orders"))
    requests = server.call("browser_network_requests", static=False)
    number = int(_first(r"(\d+)\. [^\n]*\[?500\b", requests, "a request"))
    return server.call("browser_network_request", index=number, part="response-body")


def devtools_failure(server: McpServer, url: str) -> str:
    """chrome-devtools-mcp: find the request and its body."""
    server.call("navigate_page", type="url", url=url)
    page = server.call("take_snapshot")
    server.call("click", uid=_uid(page, "Load the orders"))
    requests = server.call("list_network_requests", resourceTypes=["fetch", "xhr"])
    number = int(_first(r"reqid=(\d+) [^\n]*500\b", requests, "a request"))
    return server.call("get_network_request", reqid=number)


def our_reference(server: McpServer, url: str) -> str:
    """Ours: find the sentence."""
    _look(server, "navigate", url=url)
    return server.call("find", text="casefold")


def playwright_reference(server: McpServer, url: str) -> str:
    """@playwright/mcp: find the sentence."""
    server.call("browser_navigate", url=url)
    return server.call("browser_find", text="casefold")


def devtools_reference(server: McpServer, url: str) -> str:
    """chrome-devtools-mcp: find the sentence."""
    server.call("navigate_page", type="url", url=url)
    return server.call("take_snapshot")
