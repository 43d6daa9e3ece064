"""The CBOR codec: as JSON, compiled as uncompiled, and never out of bounds."""

from __future__ import annotations

from typing import Any

import cdp
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridsnap.protocol.ax_reply import read_ax_tree
from hybridsnap.protocol.ax_tree import AXTree
from hybridsnap.protocol.cbor import CBOR, HEADER_BYTES, CborPayload, message_size
from hybridsnap.protocol.codec import Refusal
from hybridsnap.protocol.replies import DOMDocument
from tests.support.cbor_text import envelope, from_cbor, to_cbor
from tests.support.cbor_twins import check_as_json, check_twins, uncompiled, used
from tests.support.strategies import ReplyMaker, json_values, page_texts, reply_makers

_ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.binary(max_size=40)
    | page_texts
    | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(page_texts, inner, max_size=5),
    max_leaves=20,
)
#: A few of a reply's bytes that are written over, taken out or put in.
_WOUNDS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255), st.integers(-3, 3)), max_size=4)


def reply(result: Any) -> bytes:
    return to_cbor({"id": 1, "result": result, "sessionId": "S"})


def wounded(message: bytes, wounds: list[tuple[float, int, int]]) -> bytes:
    for where, byte, change in wounds:
        at = int(where * len(message))
        cut = at - min(0, change)
        message = message[:at] + bytes([byte]) * max(1, change) + message[cut + 1 :]
    return message


def test_commands_are_encoded_as_the_protocol_has_them() -> None:
    params = {
        "text": "ü\n",
        "whole": [0, 23, 24, 255, 256, 65535, 65536, 2**31 - 1, -1, -24, -25, -(2**31)],
        "wide": [2**31, -(2**31) - 1, 1.5, float("nan"), float("-inf")],
        "whole double": 5.0,
        "rest": [None, True, False, {}, [], "x" * 300, (1,), -0.0],
    }
    command = from_cbor(CBOR.encode(7, "A.b", params, "S"))
    assert list(command) == ["id", "method", "params", "sessionId"]
    assert (command["id"], command["method"], command["sessionId"]) == (7, "A.b", "S")
    assert repr(command["params"]) == repr(
        {
            "text": "ü\n",
            "whole": params["whole"],
            "wide": [2.0**31, -(2.0**31) - 1, 1.5, None, None],
            # No double is taken for an integer parameter.
            "whole double": 5,
            "rest": [None, True, False, {}, [], "x" * 300, [1], -0.0],
        }
    )
    assert "sessionId" not in from_cbor(CBOR.encode(7, "A.b", {}, None))


@given(json_values)
def test_any_parameters_are_encoded(value: Any) -> None:
    assert from_cbor(CBOR.encode(1, "A.b", {"x": value}, None))["params"] == {"x": value}


def test_pycdp_s_ids_are_encoded_as_what_they_are() -> None:
    request = next(cdp.dom.resolve_node(node_id=cdp.dom.NodeId(7), execution_context_id=None))
    assert from_cbor(CBOR.encode(1, request["method"], request["params"], None))["params"] == {"nodeId": 7}


def test_what_cannot_be_a_parameter_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="object"):
        CBOR.encode(1, "A.b", {"x": object()}, None)


def test_a_message_s_first_bytes_say_its_size() -> None:
    message = reply({"a": 1})
    assert message_size(message[:HEADER_BYTES]) == len(message)
    for wrong in (b"", message[:6], b'{"id":7', b"\xd8\x5a\0\0\0\2\xbf"):
        with pytest.raises(msgspec.DecodeError):
            message_size(wrong)


def test_heads_say_whose_a_message_is() -> None:
    head = CBOR.head(reply({"nodes": [1, 2, 3]}))
    assert (head.id, head.session_id, head.error) == (1, "S", None)
    refusal = CBOR.head(to_cbor({"id": 3, "error": {"code": -32000, "message": "no", "data": "d"}}))
    assert refusal.error == Refusal(-32000, "no", "d")
    event = CBOR.head(to_cbor({"method": "A.b", "params": {"x": ["ü", 1.5]}, "sessionId": "S"}))
    assert (event.id, event.method, event.session_id) == (None, "A.b", "S")
    assert CBOR.params(event, dict) == {"x": ["ü", 1.5]}
    assert CBOR.params(CBOR.head(to_cbor({"method": "A.b"})), dict) == {}
    with pytest.raises(msgspec.ValidationError):
        CBOR.params(CBOR.head(to_cbor({"method": "A.b", "params": [1]})), dict)


def test_a_head_does_not_look_into_the_result() -> None:
    # What is in the envelope is nothing at all: whoever waits for the reply finds that out, not the reader.
    broken = envelope(
        b"\xbf" + to_cbor("id") + b"\x05" + to_cbor("result") + envelope(b"\x00\x01\x02") + b"\xff"
    )
    assert CBOR.head(broken).id == 5
    with pytest.raises(msgspec.DecodeError):
        CBOR.payload(broken).result(dict)


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\xf6",
        to_cbor([]),
        to_cbor({"id": "5"}),
        to_cbor({"id": 1.5}),
        to_cbor({"method": 7}),
        to_cbor({"id": 5, "error": 7}),
        to_cbor({"id": 5})[:-1],
        to_cbor({"id": 5}) + b"\0",
        b"\xbf" + to_cbor("id") + b"\x05\xff",
        envelope(b"\xbf" + to_cbor("id") + b"\x1b" + bytes(8) + b"\xff"),
        envelope(b"\xbf\x01\x02\xff"),
    ],
    ids=lambda message: message.hex()[:30],
)
def test_what_is_no_message_is_said_to_be_none(message: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        CBOR.head(message)


@given(_ANYTHING)
def test_any_result_is_read_as_its_json_is(value: Any) -> None:
    check_as_json(reply({"a": value}))
    check_twins(reply(value))


@given(reply_makers, st.sampled_from(["DOM.getDocument", "DOM.describeNode", "Accessibility.getFullAXTree"]))
@settings(max_examples=60)
def test_any_tree_is_read_as_its_json_is(maker: ReplyMaker, method: str) -> None:
    message = reply(maker.reply(method))
    check_as_json(message)
    check_twins(message)


@given(reply_makers, _WOUNDS)
@settings(max_examples=100)
def test_damaged_trees_are_read_alike_or_refused_alike(
    maker: ReplyMaker, wounds: list[tuple[float, int, int]]
) -> None:
    message = reply(maker.reply(maker.random.choice(["DOM.getDocument", "Accessibility.getFullAXTree"])))
    check_twins(wounded(message, wounds))


@given(st.binary(max_size=60))
@settings(max_examples=60)
def test_any_bytes_are_read_alike_or_refused_alike(message: bytes) -> None:
    check_twins(message)
    check_twins(envelope(b"\xbf" + message + b"\xff"))
    check_twins(envelope(b"\xbf" + to_cbor("result") + message + b"\xff"))


def test_every_cut_of_a_reply_is_refused() -> None:
    maker = ReplyMaker(3)
    for result in ({"root": maker.document()}, {"nodes": [maker.ax_node() for _ in range(3)]}):
        message = reply(result)
        for size in range(len(message)):
            for decoder in (used, uncompiled):
                for read in (decoder.head, decoder.result, decoder.plain, decoder.ax_nodes):
                    with pytest.raises((msgspec.DecodeError, decoder.Unexpected)):
                        read(message[:size])
            with pytest.raises(msgspec.MsgspecError):
                CborPayload(message[:size]).result(dict)


def test_ids_roles_and_properties_that_are_not_known_are_read_as_over_json() -> None:
    node = {
        "role": {"type": "role", "value": "fresh"},
        "properties": [{"name": "new", "value": {"type": "x", "value": 100.0}}],
    }
    for ids in (["1", "2"], ["a", "1"], ["007", "8"], ["-0", "1"], ["1.0", "2"], ["9" * 25, "1"], ["", "1"]):
        check_as_json(reply({"nodes": [{"nodeId": ids[0], "childIds": ids[1:], **node}, {"nodeId": ids[1]}]}))
    tree = read_ax_tree(CborPayload(reply({"nodes": [{"nodeId": "7", **node}] * 2})))
    assert isinstance(tree, AXTree)
    assert tree.nodes[0].role == tree.nodes[1].role
    (first,), (second,) = (node.properties for node in tree.nodes)
    assert first is second


def test_long_keys_are_stepped_over() -> None:
    for size in (23, 24, 255, 256, 70_000):
        node = {
            "k" * size: "value",
            "backendNodeId": 1,
            "nodeType": 9,
            "ü" * size: [],
            "nodeName": "#document",
        }
        message = reply({"root": node})
        check_as_json(message)
        check_twins(message)


def nested(depth: int, inner: bytes, before: bytes, after: bytes) -> bytes:
    """`inner` in `depth` envelopes, each with these bytes around what it holds."""
    sizes = [len(inner)]
    for _ in range(depth):
        sizes.append(sizes[-1] + 7 + len(before) + len(after))
    heads = [b"\xd8\x18\x5a" + (size - 7).to_bytes(4, "big") + before for size in reversed(sizes[1:])]
    return b"".join(heads) + inner + after * depth


def test_depth_is_the_page_s_choice() -> None:
    # An element holds a list which holds an element: two envelopes a level, of which `nested` makes one.
    depth = 50_000
    fields = b"".join(
        to_cbor(key) + to_cbor(value)
        for key, value in {"backendNodeId": 70_000, "nodeType": 1, "nodeName": "DIV"}.items()
    )
    leaf = envelope(b"\xbf" + fields + b"\xff")
    node = leaf
    parts = [b"\xbf" + fields + to_cbor("children"), b"\xff"]
    heads: list[bytes] = []
    size = len(leaf)
    for _ in range(depth):
        in_list = size + 2
        in_map = 7 + in_list + len(parts[0]) + len(parts[1])
        heads.append(
            b"\xd8\x18\x5a"
            + in_map.to_bytes(4, "big")
            + parts[0]
            + b"\xd8\x18\x5a"
            + in_list.to_bytes(4, "big")
            + b"\x9f"
        )
        size = in_map + 7
    tree = b"".join(reversed(heads)) + node + b"\xff\xff" * depth
    message = envelope(
        b"\xbf" + to_cbor("result") + envelope(b"\xbf" + to_cbor("root") + tree + b"\xff") + b"\xff"
    )
    read = CborPayload(message).result(DOMDocument).root
    levels = 0
    while read.children:
        (read,) = read.children
        levels += 1
    assert levels == depth


class _Nested(msgspec.Struct):
    a: _Nested | None = None


def test_plain_data_of_any_depth_is_read_and_other_shapes_are_refused() -> None:
    inner = nested(50_000, to_cbor({}), b"\xbf" + to_cbor("a"), b"\xff")
    message = envelope(b"\xbf" + to_cbor("result") + inner + b"\xff")
    data = CborPayload(message).result(dict)
    levels = 0
    while data:
        data = data["a"]
        levels += 1
    assert levels == 50_000
    with pytest.raises(msgspec.DecodeError, match="deeper"):
        CborPayload(message).result(_Nested)


def test_documents_do_not_nest_without_end() -> None:
    with pytest.raises(msgspec.DecodeError, match="documents in documents"):
        CborPayload(_documents(5_000)).result(DOMDocument)
    assert CborPayload(_documents(900)).result(DOMDocument).root.content_document is not None


def _documents(depth: int) -> bytes:
    fields = b"".join(
        to_cbor(key) + to_cbor(value)
        for key, value in {"backendNodeId": 7, "nodeType": 9, "nodeName": "#document"}.items()
    )
    leaf = envelope(b"\xbf" + fields + b"\xff")
    tree = nested(depth, leaf, b"\xbf" + fields + to_cbor("contentDocument"), b"\xff")
    return envelope(
        b"\xbf" + to_cbor("result") + envelope(b"\xbf" + to_cbor("root") + tree + b"\xff") + b"\xff"
    )


def test_more_words_than_are_kept_are_all_read() -> None:
    words = [f"x-{number}" for number in range(9_000)]
    children = [{"backendNodeId": 1, "nodeType": 1, "nodeName": word} for word in [*words, *words]]
    root = {"backendNodeId": 1, "nodeType": 9, "nodeName": "#document", "children": children}
    message = reply({"root": root})
    read = [node.node_name for node in CborPayload(message).result(DOMDocument).root.children]
    assert read == [*words, *words]
    assert read[0] is read[9_000]
    check_twins(message)
