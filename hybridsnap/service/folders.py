"""Files that may go to pages, and where what comes from them may be saved.

A path is followed to its end, through every symbolic link, before it is judged; and it is that end which is
used.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from hybridsnap.client.file_names import claim_path, make_file_name
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: A folder with more entries than this is not given to a page.
_ENTRIES = 10_000


class Folders:
    """The folders of a server.

    Args:
        uploads: files in these may be given to pages; relative paths are of the first that has the file.
        downloads: files may be saved in these; the first is the one that is meant when none is named.
        upload_option: the option of the command line that opens `uploads`.
    """

    def __init__(
        self, uploads: Sequence[Path], downloads: Sequence[Path], *, upload_option: str = "--uploads"
    ) -> None:
        self._upload_option = upload_option
        self._uploads = [_end(one) for one in uploads]
        self._downloads = [_end(one) for one in downloads]

    def permit_upload(self, path: Path) -> Path:
        """The path of a file that may be given to a page.

        Raises:
            ApiError: it may not.
        """
        # An absolute path stays itself when it is joined to a folder.
        given = os.path.expanduser(path)  # noqa: PTH111 - Path.expanduser raises where there is no such user
        places = [_end(folder / given) for folder in self._uploads] or [_end(path)]
        found = next((place for place in places if place.exists()), places[0])
        if not any(found.is_relative_to(folder) for folder in self._uploads):
            raise _refused(path, "given to pages", self._upload_option)
        if found.is_dir() and not self._closed_in(found):
            raise _refused(path, "given to pages: something in it leads elsewhere", self._upload_option)
        return found

    def download_folder(self, folder: str | None) -> Path:
        """The folder to save in.

        Args:
            folder: within the first of the folders, or absolute; None is that first one itself.

        Raises:
            ApiError: nothing may be saved there.
        """
        if not self._downloads:
            raise _refused(Path(folder or "."), "saved in", "--downloads")
        if folder is not None and "\0" in folder:
            raise _refused(Path(), "saved in", "--downloads")
        found = _end(self._downloads[0] / (folder or ""))
        if not any(found.is_relative_to(one) for one in self._downloads):
            raise _refused(Path(folder or "."), "saved in", "--downloads")
        return found

    def write_new(self, name: str, data: bytes) -> Path:
        """Write a new file into the folder that is meant when none is named; none is written over.

        Args:
            name: a plain file name; ``name (1)`` is taken where there is such a file already.
            data: what is written.

        Returns:
            Where it is. Only its owner can read it.

        Raises:
            ApiError: there is no such folder, it cannot be written to, or the name is more than a name.
        """
        folder = self.check_new(name)
        try:
            path = claim_path(folder, name)
            try:
                path.write_bytes(data)
            except BaseException:
                path.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise ApiError(
                500, "NotWritten", f"{name}: cannot be written: {error.strerror}", "see --downloads FOLDER"
            ) from error
        return path

    def check_new(self, name: str) -> Path:
        """The folder of `write_new`, where it could write a file of this name.

        Raises:
            ApiError: there is no such folder, or the name is more than a name.
        """
        folder = self.download_folder(None)
        if make_file_name(name) != name:
            raise ApiError(
                400,
                "BadRequest",
                f"{name[:100]!r} is no plain file name",
                "give one such as page.pdf, no path",
            )
        return folder

    def file_to_read(self, name: str) -> Path:
        """The path of a file that `write_new` wrote, by its name, or of one that may be given to pages.

        Raises:
            ApiError: there is no such file, or it may not be read.
        """
        found = None
        if self._downloads and make_file_name(name) == name:
            found = _end(self._downloads[0] / name)
            if not found.is_relative_to(self._downloads[0]) or not found.is_file():
                found = None
        return self.permit_upload(Path(name)) if found is None else found

    def _closed_in(self, folder: Path) -> bool:
        """Whether nothing in a folder leads out of the folders of uploads."""
        count = 0
        for place, folders, files in os.walk(folder):
            for name in (*folders, *files):
                count += 1
                end = _end(Path(place, name))
                if count > _ENTRIES or not any(end.is_relative_to(one) for one in self._uploads):
                    return False
        return True


def _end(path: Path) -> Path:
    """Where a path leads, every link followed."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        words = f"{str(path)[:100]!r} is not a path"
        raise ApiError(400, "BadRequest", words, "give the path of a file") from error


def _refused(path: Path, what: str, option: str) -> ApiError:
    return ApiError(
        403,
        "FolderRefused",
        f"{str(path)[:200]} is in no folder whose files may be {what}",
        f"give one from the folders that the server was started with: {option} FOLDER",
    )
