"""Where ``hybridsnap tool`` and its background process meet: no browser is needed."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest

from hybridsnap import cli
from hybridsnap.background.place import Place, hold_lock, try_lock, user_place
from hybridsnap.deadline import Deadline
from hybridsnap.errors import DeadlineExceeded, HybridsnapError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of the user's folders: ``run`` and ``tmp``."""
    for name in ("run", "tmp"):
        (tmp_path / name).mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path


def test_the_folder_is_the_user_s_alone(base: Path) -> None:
    place = user_place()
    assert place.folder == base / "run" / "hybridsnap"
    assert place.folder.stat().st_mode & 0o777 == 0o700
    assert user_place() == place
    assert place.process_id() is None


@pytest.mark.parametrize("given", ["", "relative", "/no/such/folder", "open"])
def test_without_a_safe_runtime_folder_the_temporary_one_is_taken(
    base: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    if given == "open":  # whoever may write there may put another folder in the place of ours
        (base / "run").chmod(0o777)
    else:
        monkeypatch.setenv("XDG_RUNTIME_DIR", given)
    place = user_place()
    assert place.folder == base / "tmp" / f"hybridsnap-{os.geteuid()}"
    assert place.folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: (folder.mkdir(), folder.chmod(0o755)),
        lambda folder: folder.symlink_to(folder.parent),
        lambda folder: folder.write_text("x", encoding="ascii"),
    ],
    ids=["open to others", "a link", "a file"],
)
def test_a_folder_that_may_be_somebody_else_s_is_refused(base: Path, make: Callable[[Path], object]) -> None:
    make(base / "run" / "hybridsnap")
    with pytest.raises(HybridsnapError, match="only this user may open"):
        user_place()


def test_a_path_that_is_too_long_for_a_socket(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = base / ("x" * 100)
    long.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    with pytest.raises(HybridsnapError, match="too long for a socket; set XDG_RUNTIME_DIR to a shorter one"):
        user_place()


def test_windows_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert cli.main(["tool", '{"action": "list"}']) == 1
    out, words = capsys.readouterr()
    assert out == ""
    assert words.count("\n") == 1
    assert "which Windows does not have; use hybridsnap.tool.BrowserTool" in words


def test_one_holds_the_lock(base: Path) -> None:
    place = Place(base / "run")
    with hold_lock(place, Deadline.after(30)):
        with try_lock(place) as held:
            assert not held
        with pytest.raises(DeadlineExceeded, match="another call has held"), hold_lock(place, Deadline(0)):
            pass
    with try_lock(place) as held:
        assert held


def test_links_in_the_place_of_files_are_not_followed(base: Path) -> None:
    place = Place(base / "run")
    place.lock.symlink_to(base / "elsewhere")
    with pytest.raises(HybridsnapError, match="remove it"), try_lock(place):
        pass
    assert not (base / "elsewhere").exists()


@pytest.mark.usefixtures("base")
def test_a_socket_that_nobody_listens_at(capsys: pytest.CaptureFixture[str]) -> None:
    place = user_place()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fspath(place.socket))
        listener.listen()
    assert cli.main(["tool", '{"action": "list"}']) == 0
    assert "没有浏览器会话" in capsys.readouterr().out
