"""Giving files to a file input."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridsnap.act.controls import ask, kind_in_words, opened_dialog, refuse
from hybridsnap.act.focusing import DIALOG_NOTE, Done, ends_at_dialog
from hybridsnap.act.refusals import is_gone, read_live, stale
from hybridsnap.act.remote_call import call_on
from hybridsnap.errors import CommandRefused, CommandUnanswered
from hybridsnap.injected import script
from hybridsnap.protocol.input_commands import set_file_input_files
from hybridsnap.protocol.plan import Failure, Reply, gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.act.controls import EarlyAnswer
    from hybridsnap.act.element import Element
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Outcome, Plan

PathName: TypeAlias = "str | os.PathLike[str]"
Paths: TypeAlias = "PathName | Sequence[PathName]"
#: Takes the path, as it was given, of what a page is to get; returns the absolute one, or raises.
Permit: TypeAlias = "Callable[[Path], Path]"

INSPECT_FILES = script("inspect_file_input")
_EMPTY, _GIVEN = script("empty_file_input"), script("files_given")
#: So long at most a folder that was given is waited for, in ms.
_FOLDER_MS = 2000


def set_input_files(
    resolver: NodeResolver,
    element: Element,
    paths: Paths,
    permit: Permit | None = None,
    early: EarlyAnswer | None = None,
) -> Plan[Done]:
    """Put files into a file input, in the place of those that are in it. It need not be visible.

    Args:
        resolver: of the page.
        element: an ``<input type=file>``.
        paths: one or several of files that exist here; none at all empties it. A folder only where the input
            takes one. Where the browser runs on another machine, it looks for the same paths there.
        permit: asked for each of them; None permits all.
        early: an `EarlyAnswer` of `INSPECT_FILES`, if there is one.

    Raises:
        NotInteractable: no file input (``wrong kind``), ``disabled``, or it takes only one file.
        StaleElement: it is gone.
        TypeError, ValueError: a value is not a path, or the file does not exist.
    """
    files = checked_paths(paths, permit)
    yield from check_files(resolver, element, files, early)
    if not files:
        return (yield from _emptied(resolver, element))
    action = "set files of"
    session, place = resolver.id_of(element.place.session), element.place
    # Seen right before, not after: upon the files a page may well take the input away, or go elsewhere. Both
    # are sent at once: where the input has become another record's on the way, the error says so.
    is_folder = files[0].is_dir()
    outcomes: list[Outcome[Any]] = yield from gather_outcomes(
        call_on(resolver, place, INSPECT_FILES, True),
        *([call_on(resolver, place, _GIVEN, 0)] if is_folder else []),
        set_file_input_files(session, {"objectId": place.object_id}, [str(one) for one in files]),
    )
    seen, given = outcomes[0], outcomes[-1]
    refused = read_live(seen, dict, element, action).get("refused")
    if refused == "detached":
        raise stale(element, action)
    if refused == "changed":
        refuse(element, action, "changed", partial=isinstance(given, Reply))
    if isinstance(given, Failure):
        if isinstance(given.error, CommandUnanswered) and opened_dialog(given.error):
            return Done((DIALOG_NOTE,))
        if isinstance(given.error, CommandRefused) and is_gone(given.error):
            raise stale(element, action, "navigated") from given.error
        raise given.error
    if is_folder:  # whatever comes of waiting: the browser has it
        yield from gather_outcomes(call_on(resolver, place, _GIVEN, _FOLDER_MS))
    return Done()


@ends_at_dialog
def _emptied(resolver: NodeResolver, element: Element) -> Plan[Done]:
    """The browser takes no empty list (measured: it is answered, and nothing happens)."""
    told = yield from ask(resolver, element, _EMPTY)
    return Done() if told["changes"] else Done(("it was empty already",))


def checked_paths(paths: Paths, permit: Permit | None = None) -> list[Path]:
    """The paths made absolute, and permitted.

    Raises:
        TypeError: one is not a path.
        ValueError: one does not exist, or is neither file nor folder.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else paths
    if not isinstance(given, list | tuple):
        raise TypeError(f"paths is a path or a list of them, not {type(paths).__name__}")
    found = []
    for one in given:
        if not isinstance(one, str | os.PathLike):
            raise TypeError(f"a path is a str or os.PathLike[str], not {type(one).__name__}")
        if not str(one) or "\0" in str(one):
            raise ValueError(f"{str(one)!r} is not a path of a file; give one such as /home/me/a.pdf")
        path = Path(one).absolute() if permit is None else permit(Path(one))
        if not path.exists():
            raise ValueError(f"there is no file {str(path)!r}; give the path of one that exists")
        if not path.is_file() and not path.is_dir():
            raise ValueError(f"{str(path)!r} is neither a file nor a folder; give the path of one")
        found.append(path)
    return found


def check_files(
    resolver: NodeResolver, element: Element, files: Sequence[Path], early: EarlyAnswer | None = None
) -> Plan[None]:
    """See whether an element takes these files. Arguments as for `set_input_files`.

    Raises:
        NotInteractable, StaleElement: as for `set_input_files`.
    """
    told = yield from ask(resolver, element, INSPECT_FILES, early=early)
    action = "put files into"
    if told["kind"] != "file":
        words = (
            f"a file input is needed, and this is {kind_in_words(told['kind'])}; name the input, or click"
            " this and answer the file chooser: expect_file_chooser (chooser_files)"
        )
        refuse(element, action, "wrong kind", words)
    if told["refused"]:
        refuse(element, action, told["refused"])
    folders = [str(one) for one in files if one.is_dir()]
    if told["directory"]:
        if len(files) > 1 or len(folders) != len(files):
            refuse(element, action, "wrong kind", "it takes one folder")
    elif folders:
        refuse(element, action, "wrong kind", f"it takes files, and {folders[0]!r} is a folder")
    elif len(files) > 1 and not told["multiple"]:
        refuse(element, action, "wrong kind", f"it takes one file, not {len(files)}")
