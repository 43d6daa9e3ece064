"""What a tool cannot be asked is refused in one line of ours, before a browser is asked for anything."""

from __future__ import annotations

from typing import Any

from tests.support.mcp_client import in_process, text_of

#: Tool, arguments → words of the refusal.
_WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("navigate", {}, "navigate: url is missing; it takes url, max_tokens"),
    ("navigate", {"url": 5}, "url: expected a text, got a whole number"),
    ("navigate", {"url": ""}, "url is empty; give one, such as https://example.com"),
    ("navigate", {"url": "/tmp/x.html"}, "has no scheme; write file:// and the whole path of a file"),
    ("navigate", {"url": "http://x:99999/"}, "is not a URL that the browser knows; give one such as"),
    (
        "snapshot",
        {"colour": "red"},
        "there is no 'colour'; it takes element, interactive, options, max_tokens",
    ),
    ("snapshot", {"interactive": "maybe"}, "interactive: expected true or false, got a text"),
    ("snapshot", {"options": 5}, "options: expected an object, got a whole number"),
    (
        "snapshot",
        {"options": {"format": "yaml"}},
        "options: format: expected tree, role, aria, ai, webarena, ",
    ),
    ("snapshot", {"format": "yaml"}, "options: format: expected tree, role, aria, ai, webarena, "),
    ("snapshot", {"options": {"max_depth": -1}}, "options: max_depth: expected a whole number >= 0"),
    ("snapshot", {"options": {"flta": True}}, "options: there is no 'flta'; did you mean flat?"),
    ("snapshot", {"max_tokens": "x"}, "max_tokens: expected a whole number, got a text"),
    ("expand", {}, "expand: id is missing; it takes id, max_tokens"),
    ("find", {}, "give text, role, or both; or a selector alone"),
    ("find", {"text": ""}, "text is an empty text; leave it out, or say what to find"),
    ("click", {"element": 5}, "element: expected a text, got a whole number"),
    ("click", {"elemnt": "0-3"}, "there is no 'elemnt'; did you mean element?"),
    ("click", {"element": "0-3", "button": "x"}, "button: expected left, middle or right, got 'x'"),
    ("type", {"element": "0-3"}, "text is missing; it takes element, text, "),
    ("press", {}, "keys is missing; it takes keys, element, max_tokens"),
    ("fill_form", {"entries": []}, "entries: expected a list of length >= 1"),
    ("fill_form", {"entries": [{"id": "0-3"}]}, "entries[0]: value is missing"),
    ("select", {"element": "0-3", "options": {"label": "Red"}}, "options: expected a list, got an object"),
    ("drag", {"source": "0-3"}, "target is missing; it takes source, target, max_tokens"),
    ("scroll", {"direction": "x"}, "direction: expected up, down, left or right, got 'x'"),
    ("act", {"action": ""}, "'action' has to name an action"),
    ("act", {"action": "clik"}, "unknown action 'clik'; did you mean click?"),
    ("act", {"action": "fill [0-3] [x]"}, "fill is not written as a step: action is its name alone"),
    ("act", {"action": "clik [0-3]"}, "Unknown action clik at position 0; did you mean click"),
    (
        "act",
        {"action": "wheel", "arguments": {"dx": 1, "dy": 1, "z": 1}},
        "wheel takes no 'z'; it takes dx, dy, ",
    ),
    ("act", {"action": "focus", "element": ""}, "focus: element is an empty text; give one"),
    ("wait_for", {"count": ["p"]}, "count: expected a list of length >= 2"),
    ("wait_for", {"seconds": -1}, "seconds: expected a number > 0"),
    ("evaluate", {}, "script is missing; it takes script, element, timeout, max_tokens"),
    ("handle_dialog", {"accept": "maybe"}, "accept: expected true or false, got a text"),
    ("tabs", {"action": "opn"}, "action: expected list, new, select or close, got 'opn'"),
    ("tabs", {"action": "select", "tab": "x"}, "tab: expected a whole number, got a text"),
    ("screenshot", {"path": "x"}, "there is no 'path'; it takes labels, max_tokens"),
]


async def test_a_wrong_call_is_told_what_to_do() -> None:
    # Nothing listens there: whatever asked for a browser would say so.
    async with in_process("http://127.0.0.1:9") as host:
        for tool, arguments, words in _WRONG:
            answer = await host.call(tool, **arguments)
            line = text_of(answer)
            assert (answer.is_error, words in line) == (True, True), (tool, arguments, line)
            assert "\n" not in line
            assert "untrusted" not in line, "it is ours to say"
        assert "nothing listens there" in await host.refused("snapshot")


async def test_a_role_that_nothing_has(browser_endpoint: str) -> None:
    async with in_process(browser_endpoint, schemes=frozenset({"data"})) as host:
        await host.do("navigate", url="data:text/html,<button>A</button>")
        assert await host.do("find", role="buton") == "0 found; nothing has this role, did you mean button?"
        found = await host.do("find", role="menuitem", text="a")
        assert found == '0 found; of another role: button "A"'
        await host.do("navigate", url="data:text/html,<ul><li role=none onclick='f()'>A<b>B</b></li></ul>")
        assert await host.do("find", role="banner") == "0 found; nothing has this role"
