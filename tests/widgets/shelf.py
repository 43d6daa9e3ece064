"""Widget libraries from npm, in a cache outside the repository, served to a browser."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.pages import Content

#: What is installed, by npm's name; the major versions that the pages are written for.
PACKAGES = {
    "@emotion/react": "11",
    "@emotion/styled": "11",
    "@mui/material": "9",
    "@shoelace-style/shoelace": "2",
    "ag-grid-community": "36",
    "antd": "6",
    "codemirror": "5",
    "esbuild": "0.28",
    "flatpickr": "4",
    "jquery": "3",
    "jquery-ui-dist": "1",
    "quill": "2",
    "react": "18",
    "react-dom": "18",
    "react-select": "5",
    "select2": "4",
    "sortablejs": "1",
    "tinymce": "8",
    "vue": "3",
}
_REACT = Path(__file__).with_name("react.jsx")
#: Seconds that npm may take.
_PATIENCE = 600


def install() -> Path:
    """A folder with `node_modules` and `react.js`; made when it is not there, or its contents changed."""
    wanted = json.dumps(PACKAGES, sort_keys=True) + _REACT.read_text("utf-8")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hybridsnap-tests"
    folder = cache / f"widgets-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
    if (folder / "react.js").exists():
        return folder
    npm = shutil.which("npm")
    if npm is None:
        pytest.fail(
            "the widget libraries are installed by npm, and there is none: install Node.js", pytrace=False
        )
    making = cache / f"{folder.name}.{os.getpid()}"
    making.mkdir(parents=True)
    try:
        (making / "package.json").write_text(json.dumps({"private": True, "dependencies": PACKAGES}), "utf-8")
        _call([npm, "install", "--no-audit", "--no-fund", "--ignore-scripts"], making)
        shutil.copy(_REACT, making / "react.jsx")
        bundle = ["--bundle", "--minify", '--define:process.env.NODE_ENV="production"', "--outfile=react.js"]
        _call([str(making / "node_modules" / ".bin" / "esbuild"), "react.jsx", *bundle], making)
        making.rename(folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return folder


def _call(words: list[str], folder: Path) -> None:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    if done.returncode:
        pytest.fail(f"{Path(words[0]).name} failed in {folder}:\n{done.stderr[-2000:]}", pytrace=False)


class Shelf(Mapping[str, "Content"]):
    """Pages, and below ``/lib/`` the files of the folder."""

    def __init__(self, folder: Path, pages: Mapping[str, str]) -> None:
        self._folder = folder
        self._pages = pages

    def __getitem__(self, path: str) -> Content:
        if path in self._pages:
            return self._pages[path]
        if not path.startswith("/lib/"):
            raise KeyError(path)
        file = (self._folder / path.removeprefix("/lib/")).resolve()
        if not file.is_relative_to(self._folder) or not file.is_file():
            raise KeyError(path)
        return file.read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self._pages)

    def __len__(self) -> int:
        return len(self._pages)
