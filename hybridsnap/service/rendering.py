"""The options of `Snapshot.render`, as requests, tools and the command line give them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from hybridsnap.render.content import RenderOptions
from hybridsnap.render.formats import check_options

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Options that several formats have; requests show all frames.
_SHARED_OPTIONS = tuple(
    field.name for field in dataclasses.fields(RenderOptions) if field.name not in ("frame", "special")
)
#: Options of one format only.
SPECIAL_OPTIONS = ("limit", "lang", "action", "time", "csv")
_DEFAULTS = RenderOptions()


def given_options(source: object) -> dict[str, Any]:
    """What `Snapshot.render` is told beside format and budget.

    Args:
        source: has options as attributes; None, False and empty texts are options that were not given.
    """
    named = {name: getattr(source, name, None) for name in (*_SHARED_OPTIONS, *SPECIAL_OPTIONS)}
    return {
        name: value
        for name, value in named.items()
        if value is not None and value is not False and value not in ("", getattr(_DEFAULTS, name, None))
    }


def check_rendering(format_: str, options: Mapping[str, Any]) -> None:
    """Refuse options that mean nothing to a format, before a browser is asked for anything.

    Raises:
        ValueError: one of them has no effect, or no such value.
    """
    special = {name: value for name, value in options.items() if name in SPECIAL_OPTIONS}
    shared = {name: value for name, value in options.items() if name not in SPECIAL_OPTIONS}
    if "scope" in shared:  # it is looked up in the snapshot
        shared["scope"] = ()
    check_options(format_, RenderOptions(**shared, special=special))
