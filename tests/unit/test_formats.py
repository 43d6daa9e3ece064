"""A format is named wherever formats are listed by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args, get_type_hints

import hybridsnap
from hybridsnap import Snapshot
from hybridsnap.capture.capture import capture_hybrid_snapshot
from hybridsnap.capture.frames import Ordinals
from hybridsnap.cli.parser import build_parser
from hybridsnap.drivers.base import replay
from hybridsnap.drivers.testing import load_transcript
from hybridsnap.mcp.tools import RenderingOptions
from hybridsnap.render.formats import FORMATS, FormatName
from hybridsnap.snapshot import build_snapshot

_NAMES = set(get_args(FormatName))


def test_the_table_has_every_format() -> None:
    assert set(FORMATS) == _NAMES


def test_mcp_offers_every_format_that_is_text() -> None:
    assert set(get_args(get_type_hints(RenderingOptions)["format"])) == _NAMES - {"json"}


def test_every_format_is_described() -> None:
    commands = next(one for one in build_parser("")._actions if one.choices and "snapshot" in one.choices)
    assert isinstance(commands.choices, dict)
    option = next(one for one in commands.choices["snapshot"]._actions if one.dest == "format")
    docs = Path(hybridsnap.__file__).parents[1] / "docs/formats.md"
    for where, text in (
        ("--help", option.help),
        ("Snapshot.render", Snapshot.render.__doc__),
        ("docs/formats.md", docs.read_text()),
    ):
        assert [name for name in sorted(_NAMES) if name not in (text or "")] == [], where


def test_what_cannot_be_rendered_from_json_names_what_can() -> None:
    transcript = load_transcript(Path(__file__).parents[1] / "transcripts/form.jsonl")
    capture = replay(capture_hybrid_snapshot(transcript.sessions, Ordinals()), transcript)
    snapshot = build_snapshot(capture, transport="replay", elapsed_ms=1.0)
    from_json = Snapshot.from_json(snapshot.to_json())
    rendered, refused = [], []
    for name in FORMATS:
        try:
            from_json.render(name)  # type: ignore[arg-type]  # of the table
        except ValueError as error:
            refused.append(str(error))
        else:
            rendered.append(name)
    assert refused
    for words in refused:
        named = re.search(r"\((.*) can be rendered from it\)", words)
        assert named is not None, words
        assert sorted(re.split(", | and ", named[1])) == sorted(rendered)
