"""The scripts that run in pages: each is used, and what it includes is there."""

from __future__ import annotations

import re
from pathlib import Path

import hybridsnap
from hybridsnap.injected import script

_PACKAGE = Path(hybridsnap.__file__).parent
_SCRIPTS = _PACKAGE / "injected"


def test_every_script_is_used_and_whole() -> None:
    code = "".join(path.read_text() for path in _PACKAGE.rglob("*.py"))
    used = set(re.findall(r'\bscript\(\s*f?["\']([\w]+)["\']', code))
    assert used == {path.stem for path in _SCRIPTS.glob("*.js")}
    for name in used:
        source = script(name)
        assert "@include" not in source, name
        assert re.match(r"(//[^\n]*\n)*(async )?(function )?\(", source), name


def test_every_include_is_used() -> None:
    included: set[str] = set()
    for path in _SCRIPTS.rglob("*.js"):
        included |= set(re.findall(r"// @include (\w+)", path.read_text()))
    assert included == {path.stem for path in (_SCRIPTS / "include").glob("*.js")}


def test_a_script_has_a_key_of_its_own_for_each_source() -> None:
    assert script("aim").key.startswith("aim ")
    assert type(script("aim"))("aim", "other").key != script("aim").key
