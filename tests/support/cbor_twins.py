"""The compiled and the uncompiled decoder side by side, and what both must give."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import hybridsnap.protocol
from hybridsnap.protocol import cbor_decoder
from hybridsnap.protocol.cbor import CborPayload
from hybridsnap.protocol.codec import JsonPayload
from hybridsnap.protocol.replies import DescribedNode, DOMDocument, read_ax_tree
from tests.support.cbor_text import from_cbor, to_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

SOURCE = Path(hybridsnap.protocol.__file__).with_name("cbor_decoder.py")


def _load_source() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tests.support.cbor_decoder_source", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


#: The decoder as Python runs it, whichever the package itself uses.
uncompiled: Any = _load_source()
#: The one the package uses; the same as `uncompiled` in kind where nothing was compiled.
used: Any = cbor_decoder

_READINGS: list[Callable[[Any, bytes], Any]] = [
    lambda decoder, message: decoder.head(message),
    lambda decoder, message: decoder.result(message),
    lambda decoder, message: decoder.plain(message),
    lambda decoder, message: decoder.ax_tree(message),
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
        lambda payload: payload.plain(),
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
