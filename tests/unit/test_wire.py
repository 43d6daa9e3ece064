"""Bytes to messages: heads, lone surrogates, bad messages."""

from __future__ import annotations

import contextlib
import gc
import json

import cdp
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridsnap.protocol.ax_reply import read_ax_tree
from hybridsnap.protocol.codec import JSON, JsonPayload, PlainPayload, mend_surrogates
from hybridsnap.protocol.replies import DOMDocument
from tests.support.strategies import json_values, page_texts


def test_commands_are_encoded_as_the_protocol_has_them() -> None:
    text = JSON.encode(7, "DOM.enable", {"a": "ü\n"}, None)
    assert json.loads(text) == {"id": 7, "method": "DOM.enable", "params": {"a": "ü\n"}}
    assert json.loads(JSON.encode(8, "A.b", {}, "S"))["sessionId"] == "S"


def test_pycdp_s_ids_are_encoded_as_what_they_are() -> None:
    request = next(cdp.dom.resolve_node(node_id=cdp.dom.NodeId(7), execution_context_id=None))
    assert json.loads(JSON.encode(1, request["method"], request["params"], None))["params"] == {"nodeId": 7}
    request = next(cdp.target.attach_to_target(cdp.target.TargetID("T")))
    assert json.loads(JSON.encode(1, request["method"], request["params"], None))["params"] == {
        "targetId": "T"
    }


def test_what_is_no_json_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="object"):
        JSON.encode(1, "A.b", {"x": object()}, None)


def test_heads_say_whose_a_message_is() -> None:
    reply = JSON.head(b'{"id":12,"result":{"nodes":[1,2,3]}}')
    assert (reply.id, reply.error) == (12, None)
    refusal = JSON.head(b'{"id":3,"error":{"code":-32000,"message":"no","data":"d"},"sessionId":"S"}')
    assert refusal.error is not None
    assert (refusal.id, refusal.error.code, refusal.error.message) == (3, -32000, "no")
    event = JSON.head(b'{"method":"A.b","params":{"x":1},"sessionId":"S"}')
    assert (event.id, event.method, event.session_id) == (None, "A.b", "S")
    assert JSON.params(event, dict) == {"x": 1}
    assert JSON.params(JSON.head(b'{"method":"A.b"}'), dict) == {}


def test_the_order_of_the_fields_does_not_matter() -> None:
    assert JSON.head(b' { "result": {"a": 1}, "id" : 5 }').id == 5


def test_a_reply_s_head_costs_nothing_to_read() -> None:
    # What follows is not JSON at all: whoever waits for the reply finds that out, not the reader.
    assert JSON.head(b'{"id":5,"result":' + b"[" * 10).id == 5


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"null",
        b"[]",
        b"7",
        b"\xff\xfe",
        b'{"id":',
        b'{"id":"5"}',
        b'{"id":1e400}',
        b'{"method":7}',
        b'{"method":"A.b","params":[[[}',
        b'{"id":5,"error":7}',
        b'{"method":"A.b","params":' + b"[" * 200_000,
        b'{"method":"A.b","params":' + b'{"a":' * 200_000,
    ],
    ids=lambda message: repr(message[:30]),
)
def test_what_is_no_message_is_said_to_be_none(message: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        JSON.head(message)


@given(st.binary() | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_have_a_head_or_are_no_message(message: bytes) -> None:
    with contextlib.suppress(msgspec.MsgspecError):
        JSON.head(message)


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        (r"\ud800", "\ufffd"),
        (r"\uDC00", "\ufffd"),
        (r"a\ud83db", "a\ufffdb"),
        (r"\udc00\ud800", "\ufffd\ufffd"),
        (r"\ud800\ud83d\ude00", "\ufffd\U0001f600"),
        (r"\ud83d\ude00", "\U0001f600"),
        (r"\\ud800", r"\ud800"),
        (r"\\\ud800", "\\\ufffd"),
        (r"\n\u00e9", "\né"),
    ],
)
def test_lone_surrogates_become_the_replacement_character(escaped: str, text: str) -> None:
    message = f'{{"id":1,"result":{{"a":"{escaped}"}}}}'.encode()
    assert JsonPayload(message).result(dict) == {"a": text}
    assert JSON.params(JSON.head(f'{{"method":"A","params":{{"a":"{escaped}"}}}}'.encode()), dict) == {
        "a": text
    }


@given(page_texts)
def test_any_text_of_a_page_is_read_as_utf_8_could_write_it(text: str) -> None:
    message = json.dumps({"id": 1, "result": {"a": text}}).encode()
    read = JsonPayload(message).result(dict)["a"]
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert read == joined
    assert mend_surrogates(mend_surrogates(message)) == mend_surrogates(message)


def test_large_replies_are_decoded_with_the_collector_paused_and_it_runs_again() -> None:
    nodes = [{"nodeId": str(number)} for number in range(20_000)]
    message = json.dumps({"id": 1, "result": {"nodes": nodes}}).encode()
    assert len(read_ax_tree(JsonPayload(message)).nodes) == 20_000
    assert gc.isenabled()
    with pytest.raises(msgspec.ValidationError):
        JsonPayload(message).result(DOMDocument)
    assert gc.isenabled()
    gc.disable()
    try:
        read_ax_tree(JsonPayload(message))
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_reply_without_a_result_is_unreadable() -> None:
    with pytest.raises(msgspec.MsgspecError):
        JsonPayload(b'{"id":1}').result(dict)


def test_decoded_data_is_read_alike() -> None:
    data = {"root": {"backendNodeId": 1, "nodeType": 9, "nodeName": "#document", "unknown": [1, {}]}}
    plain = PlainPayload(data)
    assert plain.result(dict) == data
    read = plain.result(DOMDocument)
    assert read == JsonPayload(json.dumps({"id": 1, "result": data}).encode()).result(DOMDocument)
    with pytest.raises(msgspec.ValidationError):
        PlainPayload({"root": {}}).result(DOMDocument)
