"""What is recorded of every page from the moment that it is attached to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from hybridsnap.argument_checks import read_strs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.client.page_context import PageContext

#: What can be recorded: the parts of a page of these names.
Recorded: TypeAlias = Literal["console", "network"]


def check_recorded(names: Sequence[Recorded]) -> tuple[Recorded, ...]:
    """What is to be recorded, if it can be.

    Raises:
        ValueError, TypeError: it is no such name.
    """
    known = get_args(Recorded)
    found = [one for name in read_strs("record", names, "console") for one in known if one == name]
    if len(found) < len(read_strs("record", names, "console")):
        raise ValueError(f"record: expected {' or '.join(known)}, got {names!r}")
    return tuple(found)


def begin_recording(context: PageContext, names: Sequence[Recorded]) -> None:
    """Have parts of a page record. Never waits: what is asked of the page after this comes after it."""
    if "console" in names:
        context.console_record.start()
    if "network" in names:
        context.request_log.start()
