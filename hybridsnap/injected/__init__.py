"""The JavaScript that hybridsnap runs in a page's isolated worlds, as `.js` files, and their loader.

Each file holds one function expression; a comment above it says what it is called on, and what it returns.
One that is declared async is awaited. Where it says ``// @include NAME``, the definitions of
``include/NAME.js`` stand. Accessors and methods are taken off the prototypes: the named parts of a form or a
document hide its own. Nothing is left in the page: what a script keeps hangs on its isolated world's global
object, and goes with it.
"""

from __future__ import annotations

import functools
import re
import zlib
from pathlib import Path
from typing import Self

_HERE = Path(__file__).parent
_INCLUDE = re.compile(r"^[ ]*// @include (\w+)\n", re.MULTILINE)
_ASYNC = re.compile(r"^async ", re.MULTILINE)


class Script(str):
    """The source of a script.

    Attributes:
        key: what it is called where it was installed in an isolated world: its name, and a sum of its source.
        is_async: it is declared so.
    """

    __slots__ = ("is_async", "key")
    key: str
    is_async: bool

    def __new__(cls, name: str, source: str) -> Self:
        """From its name and its source."""
        self = super().__new__(cls, source)
        self.key = f"{name} {zlib.crc32(source.encode()):x}"
        self.is_async = _ASYNC.search(source) is not None
        return self


@functools.cache
def script(name: str) -> Script:
    """A script, with what it includes.

    Args:
        name: of its file, without ``.js``.
    """
    source = (_HERE / f"{name}.js").read_text(encoding="utf-8")
    return Script(name, _INCLUDE.sub(lambda found: script(f"include/{found[1]}") + "\n", source).strip())
