"""Which options go together. Wrong usage is refused here (`UsageError`), before a browser is started."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from hybridsnap.cli.types import shorten
from hybridsnap.client.external_protocols import check_address, is_bare_host, no_url, with_scheme
from hybridsnap.errors import NavigationFailed
from hybridsnap.render.formats import FORMATS
from hybridsnap.render.tokens import tokenizer_of
from hybridsnap.service.rendering import SPECIAL_OPTIONS, check_rendering, given_options
from hybridsnap.service.usage import UsageError, folder_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

#: What looks like a host, and is the name of a file.
_PAGES = {".html", ".htm", ".xhtml", ".xml", ".svg", ".pdf", ".txt", ".json"}
_SCHEMES = ("http", "https", "file", "about", "data", "chrome", "view-source", "blob")


def check_mcp(arguments: argparse.Namespace) -> None:
    """Refuse what cannot mean anything, before anything is served."""
    _check_mcp_faces(arguments)
    for option, folders in (("--files", arguments.files), ("--downloads", [arguments.downloads])):
        for folder in folders:
            if folder is not None:
                folder_of(option, folder)


def _check_mcp_faces(arguments: argparse.Namespace) -> None:
    if arguments.cdp is None and arguments.target_id is not None:
        raise UsageError("--target-id names a page of a running browser; give --cdp too")
    if arguments.cdp is not None and (arguments.browser or arguments.headful):
        raise UsageError("--browser and --headful are for one that is launched; with --cdp it runs already")
    if arguments.transport == "stdio":
        for option in ("host", "port", "token", "server_name", "shared_profile"):
            if getattr(arguments, option) not in (None, [], False):
                words = f"--{option.replace('_', '-')} is for HTTP, and over stdio nothing listens"
                raise UsageError(f"{words}; add --transport http")
    arguments.host = "127.0.0.1" if arguments.host is None else arguments.host
    arguments.port = 8766 if arguments.port is None else arguments.port


def url_of(target: str, name: str = "TARGET") -> str:
    """What `name` gives, as a URL: as it is when it has a scheme, else the file at that path.

    Raises:
        UsageError: it is neither.
    """
    if not target.isascii() and target.encode(errors="replace").decode() != target and "://" in target:
        raise UsageError(f"{target!r} is not a URL: it is not valid UTF-8")
    scheme, colon, rest = target.partition(":")
    if colon and ("://" in target or scheme.lower() in _SCHEMES):
        if "://" in target and not rest.removeprefix("//") and scheme != "file":
            raise UsageError(f"{target!r} is not a URL: it names no host")
        _refuse_outside(target)
        return target
    if not target.strip():
        raise UsageError(f"{name} is empty; give a URL or a path to an HTML file")
    path = Path(target)
    try:
        if path.is_file():
            return path.resolve().as_uri()
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise UsageError(f"{target!r} is neither a URL nor a path ({error})") from None
    if exists:
        raise UsageError(f"{target!r} is not a file; give an HTML file, or a URL")
    _refuse_outside(target)
    is_file = Path(target).suffix.lower() in _PAGES
    hint = f": {with_scheme(target)}" if not is_file and is_bare_host(target) else ", such as https://"
    raise UsageError(f"{target!r} is neither a file nor a URL; a URL starts with its scheme{hint}")


def _refuse_outside(target: str) -> None:
    try:
        check_address(target)
    except NavigationFailed as error:
        raise UsageError(str(error)) from None
    try:
        _ = urlsplit(target).port
    except ValueError as error:
        raise UsageError(f"{target!r} is not a URL: {error}; give one such as https://example.com") from None


def check_goto(url: str) -> None:
    """Refuse an address that no page can go to."""
    _refuse_outside(url)
    if ":" not in url:
        raise UsageError(no_url(url))


def check_snapshot(arguments: argparse.Namespace) -> None:
    """Refuse what cannot mean anything, before a browser is started."""
    _check_page(arguments)
    for option, selectors in (
        ("--focus", [arguments.focus]),
        ("--scope", [arguments.scope]),
        ("--ignore", arguments.ignore),
    ):
        if "" in [one and one.strip() for one in selectors]:
            raise UsageError(f"{option} is an empty text; give an element id, an XPath or a CSS selector")
    for selector in (arguments.focus or "", *arguments.ignore):
        if selector.encode(errors="replace").decode() != selector:
            raise UsageError(f"{shorten(selector)} is not a selector: it is not valid UTF-8")
    if arguments.all_xpaths and arguments.format != "json":
        raise UsageError("--all-xpaths is for --format json; the others print no XPaths")
    if arguments.visible_only and not arguments.layout:
        raise UsageError("--visible-only needs --layout: without it there is no telling what can be seen")
    if arguments.labels and arguments.screenshot is None:
        raise UsageError("--labels are drawn on a screenshot; give --screenshot FILE too")
    if arguments.labels and importlib.util.find_spec("PIL") is None:
        raise UsageError("--labels needs Pillow, which is not installed: pip install 'hybridsnap[labels]'")
    _check_format(arguments)
    if arguments.info is not None and arguments.format == "json" and arguments.max_tokens is None:
        raise UsageError("--info is of a rendering; --format json holds everything itself")
    kept = [] if arguments.target is None else [("TARGET", _file_of(arguments.target))]
    check_outputs(arguments, ("output", "screenshot", "info"), kept)


def _check_page(arguments: argparse.Namespace) -> None:
    if arguments.cdp is None:
        if arguments.target is None:
            raise UsageError("what is to be captured? give a URL or a file, or --cdp for a running browser")
        if arguments.target_id is not None:
            raise UsageError("--target-id names a page of a running browser; give --cdp too")
        return
    for option in ("browser", "headful", "transport"):
        if getattr(arguments, option):
            raise UsageError(f"--{option} is for a browser that is launched; with --cdp it runs already")
    if arguments.target is not None and arguments.target_id is not None:
        raise UsageError("TARGET opens a tab of its own; it cannot be given together with --target-id")


def _check_format(arguments: argparse.Namespace) -> None:
    """Refuse options that mean nothing to the format."""
    if arguments.tokenizer is not None:
        try:
            tokenizer_of(arguments.tokenizer)
        except ValueError as error:
            raise UsageError(f"--{error}") from None
    for name in SPECIAL_OPTIONS:
        if getattr(arguments, name) is not None and name not in FORMATS[arguments.format].special:
            formats = " or ".join(one for one, its in FORMATS.items() if name in its.special)
            raise UsageError(f"--{name} is for --format {formats}")
    if arguments.flat and not arguments.interactive:
        raise UsageError("--flat leaves out the ancestors that --interactive keeps; give that, too")
    try:
        check_rendering(arguments.format, given_options(arguments))
    except ValueError as error:
        raise UsageError(f"--{str(error).replace('_', '-')}") from None


def check_outputs(
    arguments: argparse.Namespace, options: Sequence[str], kept: Sequence[tuple[str, Path]]
) -> None:
    """Refuse files to be written that `check_output` refuses, and a storage state that cannot be read.

    Args:
        arguments: of the command line.
        options: that name files to be written, beside ``--save-storage-state``.
        kept: what is read, by the arguments that name it.
    """
    beside = list(kept)
    if arguments.storage_state is not None:
        check_input("--storage-state", arguments.storage_state)
    for option in (*options, "save_storage_state"):
        given = getattr(arguments, option)
        if given is not None:
            name = option.replace("_", "-")
            check_output(name, given, beside)
            beside.append((f"--{name}", Path(given)))


def check_input(name: str, given: str) -> None:
    """Refuse a file that cannot be read.

    Raises:
        UsageError: it is not there, is a directory or a device, or is closed to us.
    """
    if not given.strip():
        raise UsageError(f"{name} is an empty text; give the path of a file")
    try:
        with Path(given).open("rb") as file:
            # Some devices (/dev/full, /dev/zero) never end.
            is_device = stat.S_ISCHR(os.fstat(file.fileno()).st_mode) and not file.isatty()
    except (OSError, ValueError) as error:
        raise UsageError(f"{name} {given}: cannot be read: {getattr(error, 'strerror', error)}") from None
    if is_device:
        raise UsageError(f"{name} {given}: is a device; give the path of a file")


def _file_of(target: str) -> Path:
    """The file that a TARGET names; where it names none, a path that does not exist."""
    return Path(unquote(target[7:]) if target.startswith("file://") else target)


def check_output(option: str, given: str, kept: Iterable[tuple[str, Path]] = ()) -> None:
    """Refuse a file that cannot be written, or is not to be.

    Args:
        option: that names it.
        given: the path to be written.
        kept: what is read or written beside it, by the arguments that name it.

    Raises:
        UsageError: it is a directory, or stands in none, or cannot be written, or would be written over what
            is kept.
    """
    if not given.strip():
        raise UsageError(f"--{option} is an empty text; give the path of a file")
    output = Path(given)
    try:
        if output.is_dir():
            raise UsageError(f"--{option} {output}: is a directory; name a file")
        if not output.parent.is_dir():
            raise UsageError(f"--{option} {output}: there is no directory {output.parent}; make it first")
        if not os.access(output if output.exists() else output.parent, os.W_OK):
            raise UsageError(f"--{option} {output}: may not be written; name another file")
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or error
        raise UsageError(
            f"--{option} {shorten(given)}: cannot be written: {words}; name another file"
        ) from None
    for name, other in kept:
        with contextlib.suppress(OSError, ValueError):
            if output.resolve() == other.resolve() and (output.is_file() or not output.exists()):
                raise UsageError(f"--{option} {output}: is the file of {name}, too; name another")
