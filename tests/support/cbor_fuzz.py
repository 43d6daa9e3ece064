"""Hostile bytes through the CBOR decoder: ``python -m tests.support.cbor_fuzz --inputs 1000000 --seed 1``.

Each input is a browser's reply, right or damaged, with bytes of it changed, cut or put in, or bytes of any
kind. The decoder in use and the uncompiled one must give the same, or the same error. With ``--cycles`` the
same inputs are decoded again and again, and what the process has grown by is printed.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.cbor_text import to_cbor
from tests.support.cbor_twins import uncompiled, used
from tests.support.strategies import ReplyMaker

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Bytes that mean something to a decoder.
_TELLING = bytes.fromhex(
    "d8185abf9fff f4f5f6f7fbd6 00171819 1a1b2038393a3b 4057585a5b5f 6077787a7b7f 80a0c0e0f8f9fa"
)
#: What replies are of, and which of `_outcome`'s readings is theirs.
_METHODS = ["Accessibility.getFullAXTree", "DOM.getDocument", "DOM.describeNode", "Page.getFrameTree"]
_READINGS = 5
#: Inputs that are made of one reply.
_OF_ONE = 200
#: Larger replies tell no more, and cost more.
_LARGEST = 2000


def _changed(draw: random.Random, message: bytearray) -> bytes:
    for _ in range(draw.randrange(4)):
        at = draw.randrange(len(message) + 1)
        kind = draw.randrange(6)
        if kind == 0:
            message[at : at + 1] = bytes((draw.choice(_TELLING),))
        elif kind == 1:
            message[at : at + 1] = bytes((draw.randrange(256),))
        elif kind == 2:
            del message[at : at + draw.randrange(9)]
        elif kind == 3:
            message[at:at] = draw.choice(
                (b"\xff", b"\xd8\x18\x5a\0\0\0\2\xbf\xff", bytes((draw.choice(_TELLING),)))
            )
        elif kind == 4:
            message[at:at] = message[at : at + draw.randrange(40)]
        elif draw.randrange(8) == 0:
            del message[at:]
    if len(message) > 7 and draw.randrange(4):
        message[3:7] = (len(message) - 7).to_bytes(4, "big")
    return bytes(message)


def inputs(seed: int, count: int) -> Iterator[tuple[int, bytes]]:
    """`count` inputs, and how each is to be read; the same seed gives the same."""
    draw = random.Random(seed)
    base = b""
    own = 0
    for number in range(count):
        if number % _OF_ONE == 0:
            while True:
                own = draw.randrange(len(_METHODS))
                result = ReplyMaker(draw.getrandbits(64)).reply(_METHODS[own])
                base = to_cbor({"id": 1, "result": result, "sessionId": "S"})
                if len(base) <= _LARGEST:
                    break
        reading = own if draw.randrange(4) else draw.randrange(_READINGS)
        if draw.randrange(20):
            yield reading, _changed(draw, bytearray(base))
        else:
            yield reading, draw.randbytes(draw.randrange(40))


def _outcome(decoder: Any, reading: int, message: bytes) -> Any:
    try:
        if reading == 0:
            return decoder.ax_nodes(message)
        if reading == 1:
            return decoder.dom_node(message, b"root")
        if reading == 2:
            return decoder.dom_node(message, b"node")
        if reading == 3:
            return decoder.result(message)
        return decoder.head(message)
    except Exception as error:
        if type(error).__name__ in {"DecodeError", "Unexpected", "ValidationError"}:
            return f"{type(error).__name__}: {error}"
        raise


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def compare(seed: int, count: int) -> str:
    """Read `count` inputs with both decoders.

    Raises:
        AssertionError: they differ.
    """
    read = 0
    for reading, message in inputs(seed, count):
        given = _outcome(used, reading, message)
        expected = _outcome(uncompiled, reading, message)
        read += type(given) is not str
        same = given == expected and (type(given) is str or repr(given) == repr(expected))
        assert same, f"reading {reading} of {message.hex()}:\n{given!r}\n{expected!r}"
    return f"compared {count}, of which {read} are replies"


def growth(seed: int, count: int, cycles: int) -> str:
    """Read the same `count` inputs again and again, by the decoder in use alone."""
    messages = list(inputs(seed, count))
    before = 0
    for cycle in range(cycles):
        if cycle == cycles // 4:
            before = _resident()
        for reading, message in messages:
            _outcome(used, reading, message)
    return f"grown by {_resident() - before} bytes"


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--cycles", type=int)
    arguments = parser.parse_args()
    if arguments.cycles:
        said = growth(arguments.seed, arguments.inputs, arguments.cycles)
    else:
        said = compare(arguments.seed, arguments.inputs)
    sys.stdout.write(said + "\n")


if __name__ == "__main__":
    main()
