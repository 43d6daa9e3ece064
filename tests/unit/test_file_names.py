"""File names that pages suggest, made safe, and never put over another file."""

from __future__ import annotations

import os
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridsnap.client import file_names
from hybridsnap.client.file_names import claim_path, make_file_name, move_into

_CASES = {
    "report.pdf": "report.pdf",
    "Grüße 日本.txt": "Grüße 日本.txt",
    "__init__.py": "__init__.py",
    "a.tar.gz": "a.tar.gz",
    "../../x": "x",
    "..\\..\\x.exe": "x.exe",
    "/etc/passwd": "_etc_passwd",
    "a/b": "a_b",
    "C:\\x.txt": "C__x.txt",
    "x.txt:stream": "x.txt_stream",
    '<a> "b" | c?*': "_a_ _b_ _ c__",
    ".bashrc": "bashrc",
    "-rf x": "rf x",
    "--.-x-y": "x-y",
    "../-x": "_-x",
    "-_.x": "x",
    "-": "download",
    "...": "download",
    "": "download",
    "///": "download",
    " . ": "download",
    "x. . ": "x",
    "CON": "_CON",
    "nul.txt": "_nul.txt",
    "Com1.tar.gz": "_Com1.tar.gz",
    "LPT¹.x": "_LPT¹.x",
    "console.log": "console.log",
    "a\x00b\n\r\tc": "a b c",
    "exe\u202etxt.x": "exetxt.x",
    "a\u200b\ufeffb": "ab",
    "a\u2028b": "a b",
    "\ud800x": "\ufffdx",
}


@pytest.mark.parametrize(("suggested", "made"), _CASES.items())
def test_names(suggested: str, made: str) -> None:
    assert make_file_name(suggested) == made


@pytest.mark.parametrize("letter", ["x", "ü", "日", "🙂"])
def test_long_names_keep_their_ending(letter: str) -> None:
    made = make_file_name(letter * 300 + ".pdf")
    assert made.endswith(f"{letter}.pdf")
    assert 190 < len(made.encode()) <= 200
    assert len(make_file_name("x." + letter * 300).encode()) <= 200


@given(st.text(st.characters(), max_size=400))
def test_any_name_is_one_plain_name(suggested: str) -> None:
    made = make_file_name(suggested)
    assert made
    assert len(made.encode()) <= 200
    assert not set(made) & set('/\\:*?"<>|')
    assert made[0] not in ". "
    assert made[-1] not in ". "
    assert all(unicodedata.category(one) not in {"Cc", "Zl", "Zp"} for one in made)
    assert os.path.basename(made) == made  # noqa: PTH119 - as others would see it
    assert make_file_name(made) == made


def test_no_file_is_written_over(tmp_path: Path) -> None:
    for number, expected in enumerate(["a.tar.gz", "a.tar (1).gz", "a.tar (2).gz"]):
        source = tmp_path / "source"
        source.write_text(str(number))
        assert move_into(source, tmp_path, "a.tar.gz").name == expected
        assert not source.exists()
    assert [(tmp_path / name).read_text() for name in ("a.tar.gz", "a.tar (2).gz")] == ["0", "2"]
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert claim_path(tmp_path, "link").name == "link (1)"
    (tmp_path / "folder").mkdir()
    assert claim_path(tmp_path, "folder").name == "folder (1)"


def test_a_move_to_another_file_system(tmp_path: Path) -> None:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as elsewhere:
        source = Path(elsewhere, "source")
        source.write_bytes(b"x" * 10)
        moved = move_into(source, tmp_path, "a")
        assert moved.read_bytes() == b"x" * 10
        assert not source.exists()


def test_nothing_is_left_of_a_move_that_fails(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        move_into(tmp_path / "nothing", tmp_path, "a")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_full_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_names, "_TRIES", 2)
    claim_path(tmp_path, "a")
    claim_path(tmp_path, "a")
    with pytest.raises(FileExistsError, match="2 files named like 'a'"):
        claim_path(tmp_path, "a")
