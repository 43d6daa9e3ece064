"""What `import hybridsnap` costs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

_HEAVY = ["trio", "trio_websocket", "wsproto", "lxml", "cdp", "asyncio", "anyio", "http.client", "ssl"]


def fresh(code: str) -> str:
    """What a new interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300
    )
    return done.stdout.strip()


def test_importing_hybridsnap_needs_no_runtime_and_no_parser() -> None:
    found = fresh(f"import sys, hybridsnap; print([name for name in {_HEAVY} if name in sys.modules])")
    assert found == "[]"


def test_replaying_a_capture_needs_none_either() -> None:
    code = (
        "import sys, hybridsnap.drivers.base, hybridsnap.drivers.testing, hybridsnap.capture.capture;"
        f" print([name for name in {_HEAVY} if name in sys.modules])"
    )
    assert fresh(code) == "[]"


def test_names_of_the_client_are_there_when_asked_for() -> None:
    code = "import hybridsnap; print([n for n in hybridsnap.__all__ if getattr(hybridsnap, n) is None])"
    assert fresh(code) == "[]"


def test_other_names_are_not() -> None:
    code = "import hybridsnap\ntry: hybridsnap.nothing\nexcept AttributeError as error: print(error)"
    assert fresh(code) == "module 'hybridsnap' has no attribute 'nothing'"


def test_rooms_are_there_as_the_readme_and_the_docs_write_them() -> None:
    root = Path(__file__).parents[2]
    texts = [path.read_text(encoding="utf-8") for path in (root / "README.md", *root.glob("docs/**/*.md"))]
    packages = r"\bhybridsnap\.(?:aio|drivers|sync|webarena)(?:\.\w+)*"
    names = sorted({name for text in texts for name in re.findall(packages, text)})
    assert "hybridsnap.drivers.playwright.snapshot" in names
    by_module: dict[str, list[str]] = {}
    for name in names:
        by_module.setdefault(name.rpartition(".")[0], []).append(name)
    # Those of each module in a process of their own, in which no other module has been imported.
    code = (
        "import os, hybridsnap\n"
        f"for names in {list(by_module.values())}:\n"
        "    if (child := os.fork()) == 0:\n"
        "        try:\n"
        "            [eval(name) for name in names]\n"
        "        except BaseException as error:\n"
        "            print(names, repr(error), flush=True)\n"
        "        os._exit(0)\n"
        "    os.waitpid(child, 0)"
    )
    assert fresh(code) == ""
