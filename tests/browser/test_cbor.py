"""The CBOR codec on what Chromium really sends."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hybridsnap.protocol.cbor import CBOR, CborPayload
from hybridsnap.protocol.replies import DOMDocument
from tests.support.cbor_pipe import cbor_browser
from tests.support.cbor_twins import check_as_json, check_twins

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.cbor_pipe import CborPipe

_PAGES = sorted((Path(__file__).parents[1] / "golden").glob("*.html"))
#: Every third page is of the gate.
_PARAMETERS = [
    pytest.param(page, id=page.stem, marks=[pytest.mark.soak] if number % 3 else [])
    for number, page in enumerate(_PAGES)
]
_SNAPSHOT = {"computedStyles": ["display"], "includePaintOrder": True}


@pytest.fixture(scope="module")
def pipe() -> Iterator[CborPipe]:
    with cbor_browser() as pipe:
        yield pipe


@pytest.mark.parametrize("page", _PARAMETERS)
def test_replies_are_read_as_their_json_is(pipe: CborPipe, page: Path) -> None:
    pipe.go(page.as_uri())
    before = len(pipe.events)
    replies = [
        pipe.reply("DOM.getDocument", {"depth": -1, "pierce": True}),
        pipe.reply("Accessibility.getFullAXTree"),
        pipe.reply("DOMSnapshot.captureSnapshot", _SNAPSHOT),
        pipe.reply("Page.getLayoutMetrics"),
        pipe.reply("Page.getFrameTree"),
    ]
    for message in [*replies, *pipe.events[before:]]:
        check_as_json(message)
        check_twins(message)
    assert CborPayload(replies[0]).result(DOMDocument).root.node_type == 9


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[0, -1, 23, 24, 255, 256, 65536, 2**31 - 1, -(2**31)]",) * 2,
        ("[1.5, 1/3, 5e-324, 1.7976931348623157e+308]",) * 2,
        ("[1e10, -1e10, 2**31, 2**53, -(2**63)]", "[10**10, -10**10, 2**31, 2**53, -(2**63)]"),
        ("[2**63, 1e19, 1e21]", "[2.0**63, 1e19, 1e21]"),
        ("[-0.0, NaN, Infinity]", "[0, None, None]"),
        ("['', 'a', 'é', '日本', '😀', 'a\\0b', '\\xff']",) * 2,
        (r"['\ud800', 'a\udc00b', '\udc00\ud800']", r"['\ufffd', 'a\ufffdb', '\ufffd\ufffd']"),
        ("['x'.repeat(23), 'x'.repeat(24), 'é'.repeat(70000)]", "['x' * 23, 'x' * 24, 'é' * 70000]"),
        ("({a: {b: [{}, [], null, true]}})", "{'a': {'b': [{}, [], None, True]}}"),
    ],
)
def test_values_of_a_page_come_as_over_json(pipe: CborPipe, expression: str, value: str) -> None:
    pipe.go("data:text/html,values")
    asked = {"expression": f"({expression})", "returnByValue": True}
    assert repr(pipe.ask("Runtime.evaluate", asked)["result"]["value"]) == repr(eval(value))


def test_arguments_come_to_the_page_as_they_are(pipe: CborPipe) -> None:
    pipe.go("data:text/html,arguments")
    world = pipe.ask("Runtime.evaluate", {"expression": "globalThis"})["result"]["objectId"]
    arguments = [0, -5, 5.0, 1.5, 2**40, "", "é\0", "😀", "x" * 70_000, True, None, [1, [2]], {"a": {}}]
    call = {
        "functionDeclaration": "function (...given) { return given }",
        "objectId": world,
        "arguments": [{"value": one} for one in arguments],
        "returnByValue": True,
    }
    assert pipe.ask("Runtime.callFunctionOn", call)["result"]["value"] == arguments
    # A number with a point is taken for a whole one.
    size = {"width": 700.0, "height": 500.0, "deviceScaleFactor": 1, "mobile": False}
    pipe.ask("Emulation.setDeviceMetricsOverride", size)
    width = pipe.ask("Runtime.evaluate", {"expression": "innerWidth"})["result"]["value"]
    assert width == 700
    pipe.ask("Emulation.clearDeviceMetricsOverride")


def test_binary_data_is_base64(pipe: CborPipe) -> None:
    message = pipe.reply("Page.captureScreenshot")
    assert CborPayload(message).result(dict)["data"].startswith("iVBORw0KGgo")
    check_as_json(message)
    check_twins(message)


def test_a_refusal_has_its_code_and_its_words(pipe: CborPipe) -> None:
    error = CBOR.head(pipe.reply("Foo.bar")).error
    assert error is not None
    assert (error.code, error.message) == (-32601, "'Foo.bar' wasn't found")


def test_a_deep_page_comes_whole(pipe: CborPipe) -> None:
    pipe.go("data:text/html,deep")
    depth = 1500
    script = f"""
        let at = document.body
        for (let level = 0; level < {depth}; level++) at = at.appendChild(document.createElement("div"))
    """
    pipe.ask("Runtime.evaluate", {"expression": script})
    message = pipe.reply("DOM.getDocument", {"depth": -1, "pierce": True})
    node = CborPayload(message).result(DOMDocument).root
    levels = 0
    while node.children:
        node = node.children[-1]
        levels += 1
    # The document, html and body are above them.
    assert levels == depth + 2
