"""The compiled and the uncompiled decoder side by side, and what both must give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.protocol import cbor_decoder
from hybridsnap.protocol.ax_reply import read_ax_tree
from hybridsnap.protocol.cbor import CborPayload
from hybridsnap.protocol.codec import JsonPayload
from hybridsnap.protocol.replies import DescribedNode, DOMDocument
from tests.support.cbor_text import from_cbor, to_json
from tests.support.uncompiled import load_source

if TYPE_CHECKING:
    from collections.abc import Callable

#: The decoder as Python runs it, whichever the package itself uses.
uncompiled: Any = load_source("hybridsnap.protocol.cbor_decoder")
#: The one the package uses; the same as `uncompiled` in kind where nothing was compiled.
used: Any = cbor_decoder

_READINGS: list[Callable[[Any, bytes], Any]] = [
    lambda decoder, message: decoder.head(message),
    lambda decoder, message: decoder.result(message),
    lambda decoder, message: decoder.plain(message),
    lambda decoder, message: decoder.ax_nodes(message),
    lambda decoder, message: decoder.dom_node(message, b"root"),
]


def outcome(read: Callable[[], Any]) -> str:
    """What reading gave, floats and whole numbers told apart; or the error."""
    try:
        return repr(read())
    except (msgspec.MsgspecError, cbor_decoder.Unexpected, uncompiled.Unexpected) as error:
        return f"{type(error).__name__}: {error}"


def check_twins(message: bytes) -> None:
    """Both decoders give the same of any bytes, or the same error."""
    for read in _READINGS:
        given = [outcome(lambda decoder=decoder: read(decoder, message)) for decoder in (used, uncompiled)]  # type: ignore[misc]  # noqa: B023  # called at once
        assert given[0] == given[1], message


def check_as_json(message: bytes) -> None:
    """The codec gives of a valid reply what the JSON codec gives of its JSON."""
    as_json = JsonPayload(to_json(from_cbor(message)))
    as_cbor = CborPayload(message)
    readings: list[Callable[[Any], Any]] = [
        lambda payload: payload.result(dict),
        read_ax_tree,
        lambda payload: payload.result(DOMDocument),
        lambda payload: payload.result(DescribedNode),
    ]
    for read in readings:
        given = []
        for payload in (as_cbor, as_json):
            try:
                given.append(repr(read(payload)))
            except msgspec.MsgspecError as error:
                given.append(type(error).__name__)
        assert given[0] == given[1], message
