"""File names that come from a page, made safe for every file system."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from hybridsnap.text import clean_text

#: What Windows takes for a device, with any ending.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])", re.IGNORECASE)
#: Separators, streams, wildcards and quotes of one system or another.
_RESERVED = re.compile(r'[/\\:*?"<>|]')
#: File systems take 255 bytes; some room is left for " (12)" and for the ending of a file that is under way.
_MAX_BYTES = 200
_MAX_ENDING_BYTES = 20
#: Tried before giving up: so many files of one name.
_TRIES = 10_000
#: Where nothing is left of a name.
NAMELESS = "download"


def make_file_name(suggested: str) -> str:
    """A file name out of what a page suggests: one plain name, wherever it is used.

    No separators, no dots first (hidden files, ``..``), no dash first (a command would take the name for an
    option), no dots or spaces last, no controls or characters that hide or reorder, none that some system
    reserves, no device of Windows, 200 bytes of UTF-8 at most with the ending kept. Where nothing is left of
    it: ``download``.
    """
    name = _RESERVED.sub("_", clean_text(suggested)).strip(" .")
    # What led upwards ("../../x") leads nowhere any more.
    name = re.sub(r"^(?:[-. ]+|_\.[_.\s]*(?=[^_.\s]))+", "", name)
    if not name.strip("_ ."):
        return NAMELESS
    if _DEVICES.fullmatch(name.partition(".")[0].strip()):
        name = f"_{name}"
    return _shortened(name)


def _shortened(name: str) -> str:
    if len(name.encode()) <= _MAX_BYTES:
        return name
    stem, ending = os.path.splitext(name)  # noqa: PTH122 - a name, not a path
    if len(ending.encode()) > _MAX_ENDING_BYTES:
        stem, ending = name, ""
    room = _MAX_BYTES - len(ending.encode())
    return stem.encode()[:room].decode(errors="ignore").rstrip(" .") + ending


def make_folder(given: str | os.PathLike[str]) -> Path:
    """The folder of a path, absolute; it is made where it is not there."""
    folder = Path(given).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def claim_path(folder: Path, name: str) -> Path:
    """Make an empty file of this name; of ``name (1)``, ``name (2)``, … when there is one already.

    Raises:
        OSError: the folder cannot be written to.
    """
    stem, ending = os.path.splitext(name)  # noqa: PTH122 - a name, not a path
    for number in range(_TRIES):
        path = folder / (f"{stem} ({number}){ending}" if number else name)
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            continue
        return path
    raise FileExistsError(f"{folder} holds {_TRIES} files named like {name!r}")


def move_into(source: Path, folder: Path, name: str) -> Path:
    """Move a file into a folder under this name or one like it; nothing is left of it if that fails.

    Raises:
        OSError: the folder cannot be written to, or is full.
    """
    path = claim_path(folder, name)
    try:
        try:
            os.replace(source, path)  # noqa: PTH105 - its counterpart below is not a method either
        except OSError:
            shutil.copyfile(source, path)  # another file system
            source.unlink()
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path
