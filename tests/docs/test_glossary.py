"""The glossary names modules that exist."""

from __future__ import annotations

import importlib.util
import re

from tests.docs.blocks import DOCS


def test_every_home_is_a_module() -> None:
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| .+ \| `([\w.]+)` \|$", text, re.MULTILINE)
    assert len(rows) > 30
    for term, home in rows:
        assert importlib.util.find_spec(f"hybridsnap.{home}") is not None, (term, home)
