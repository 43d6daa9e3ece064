"""Every format by name: who builds it, and what it can leave out.

To add a format: write its builder, which makes a `LineDocument` of a page's content, and give it its name and
its entry here; then a line in `Snapshot.render`, in `hybridsnap/render/__init__.py`, in `docs/formats.md` and
in the command line's ``--help``. `tests/unit/test_formats.py` says which of them is missing.
"""

from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING, Literal, TypeAlias

from hybridsnap.gc_pause import paused_collector
from hybridsnap.render.opened import find_opened
from hybridsnap.render.rendering import Rendering

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.render.content import Content, RenderOptions
    from hybridsnap.render.line_document import LineDocument
    from hybridsnap.render.tokens import Budget, Tokenizer

TextFormatName: TypeAlias = Literal[
    "tree", "role", "aria", "ai", "webarena", "controls", "html", "xml", "records"
]
#: All of them, in the order in which they are listed: ``json`` stands second.
FormatName: TypeAlias = Literal["tree", "json", TextFormatName]
_ROW_OPTIONS = frozenset(
    {"interactive", "flat", "compact", "max_depth", "visible_only", "query", "frame", "scope"}
)


@dataclasses.dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes:
        builder: module and function; imported when the format is first used.
        options: the `RenderOptions` that mean something to it.
        special: its own options, by keyword.
    """

    builder: str
    options: frozenset[str]
    special: frozenset[str] = frozenset()

    def build(self, content: Content, options: RenderOptions) -> LineDocument:
        """The format's lines."""
        import importlib

        module, _, name = self.builder.partition(":")
        builder: Callable[[Content, RenderOptions], LineDocument] = getattr(
            importlib.import_module(f"hybridsnap.render.{module}"), name
        )
        with paused_collector():
            return builder(content, options)


FORMATS: dict[str, Format] = {
    "tree": Format("outline:build_outline", _ROW_OPTIONS | {"urls", "detail"}),
    "role": Format("role:build_role", _ROW_OPTIONS | {"urls"}),
    "ai": Format("ai:build_ai", _ROW_OPTIONS | {"urls", "detail"}),
    "aria": Format("aria:build_aria", frozenset({"max_depth", "frame"}), frozenset({"limit", "json_lines"})),
    "webarena": Format(
        "webarena:build_webarena",
        frozenset({"max_depth", "frame"}),
        frozenset({"ignored_properties", "dropped_roles", "static_text", "viewport_only", "tabs"}),
    ),
    "controls": Format(
        "controls:build_controls", frozenset({"frame", "visible_only"}), frozenset({"lang", "action", "time"})
    ),
    "html": Format("html:build_html", frozenset({"max_depth", "frame"}), frozenset({"scripts"})),
    "xml": Format("xml:build_xml", frozenset({"max_depth", "frame"})),
    "records": Format("records_format:build_records", frozenset({"frame", "urls"}), frozenset({"csv"})),
    # The snapshot itself (`Snapshot.to_json`): it has no lines, and takes nothing, it is everything.
    "json": Format("", frozenset()),
}


def render(
    content: Content,
    format_: str,
    options: RenderOptions,
    budget: Budget | None,
    tokenizer: Tokenizer | None,
    amend: Callable[[LineDocument], LineDocument] | None = None,
) -> Rendering:
    """Render a snapshot's content; `amend` has its way with the lines before they are fitted.

    Raises:
        ValueError: the format is unknown, an option means nothing to it, or the budget is too small.
    """
    check_options(format_, options)
    document = FORMATS[format_].build(content, options)
    if budget is not None:
        document.opened = find_opened(content)
    return Rendering.of(format_, document if amend is None else amend(document), budget, tokenizer)


#: What `Snapshot.render` does with the text of any format.
_OF_EVERY_FORMAT = ("max_tokens", "max_chars", "tokenizer")


def check_options(format_: str, options: RenderOptions) -> None:
    """Refuse what would have no effect.

    Raises:
        ValueError: the format is unknown, or an option means nothing to it.
    """
    chosen = FORMATS.get(format_)
    if chosen is None:
        raise ValueError(f"format is one of {', '.join(FORMATS)}, not {format_!r}")
    for name in options.given():
        if name != "special" and name not in chosen.options:
            raise ValueError(f"{name} means nothing to the format {format_!r}")
    for name in options.special:
        if name not in chosen.special:
            known = sorted(chosen.options | chosen.special)
            near = difflib.get_close_matches(name, [*known, *_OF_EVERY_FORMAT], 1)
            meant = f"{near[0]} is probably meant; " if near else ""
            beside = ", ".join(_OF_EVERY_FORMAT)
            raise ValueError(
                f"{name!r} is not an option of the format {format_!r}; {meant}it takes"
                f" {', '.join(known) or 'none'}, beside {beside}"
            )
