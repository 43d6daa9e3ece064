"""What `import hybridsnap` costs, and what it brings along."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

import msgspec

IMPORT_RUNS = 7
#: Modules that only some faces or methods need: `import hybridsnap` alone should not load them.
LAZY_MODULES = (
    "trio_websocket",
    "lxml",
    "cdp",
    "playwright",
    "selenium",
    "http.server",
    "hybridsnap.cli",
    "hybridsnap.server",
    "hybridsnap.mcp",
    "hybridsnap.tool",
    "hybridsnap.sync",
    "hybridsnap.demo",
)

# A fresh interpreter times the import itself, without its own start.
_PROGRAM = """
import json, sys, time
started = time.perf_counter()
import hybridsnap
elapsed = time.perf_counter() - started
print(json.dumps([elapsed, sorted(sys.modules)]))
"""


class Imports(msgspec.Struct):
    """What importing took.

    Attributes:
        seconds: one figure an interpreter; the first may have found cold files.
        eager: the modules of LAZY_MODULES that were loaded all the same.
        modules: how many modules there were afterwards.
    """

    seconds: list[float]
    eager: list[str]
    modules: int

    @property
    def median_seconds(self) -> float:
        """Of all interpreters."""
        return statistics.median(self.seconds)


def measure_imports() -> Imports:
    """Import hybridsnap in fresh interpreters."""
    seconds: list[float] = []
    loaded: list[str] = []
    for _ in range(IMPORT_RUNS):
        ended = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
        elapsed, loaded = json.loads(ended.stdout)
        seconds.append(elapsed)
    return Imports(seconds, [name for name in LAZY_MODULES if name in loaded], len(loaded))
