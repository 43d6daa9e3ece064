"""The page "Command line", made of the parser itself: a hook of the build of these pages."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

import hybridsnap
from hybridsnap.cli.parser import build_parser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

_INTRODUCTION = """# Command line

```console
$ {usage}
```

{description}

Errors are one line on stderr, with the remedy. Exit codes: 0 whole, 3 partial (stderr says what lacks), \
2 wrong usage, 130 interrupted, 1 anything else. On 1 and 2 stdout stays empty, but for `doctor` and `tool`; \
`act` tells on stderr what was done before.

This page is made of the parser, so it is what `--help` says.
"""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Called by mkdocs when it has found the pages."""
    files.append(File.generated(config, "cli.md", content=render()))
    return files


def render() -> str:
    """The page."""
    parser = build_parser(hybridsnap.__version__)
    parts = [_INTRODUCTION.format(usage=_usage(parser), description=parser.description)]
    parts += list(_tables(parser))
    parts += ["\n".join(_command(f"hybridsnap {name}", command)) for name, command in _commands(parser)]
    return "\n".join(parts)


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:  # noqa: SLF001 - argparse does not offer them otherwise
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - no public class
            yield from action.choices.items()


def _usage(parser: argparse.ArgumentParser) -> str:
    return " ".join(parser.format_usage().removeprefix("usage:").split())


def _command(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f"## {name}\n\n```console\n$ {_usage(parser)}\n```\n\n{_escape(parser.description or '')}\n"
    yield from _tables(parser)
    if parser.epilog:
        yield f"```text\n{parser.epilog.replace('%(prog)s', parser.prog)}\n```\n"
    for inner, command in _commands(parser):
        yield from _command(f"{name} {inner}", command)


def _tables(parser: argparse.ArgumentParser) -> Iterator[str]:
    for group in parser._action_groups:  # noqa: SLF001 - argparse does not offer them otherwise
        rows = [
            _row(action)
            for action in group._group_actions  # noqa: SLF001 - argparse does not offer them otherwise
            if action.help is not argparse.SUPPRESS
            and not isinstance(action, (argparse._HelpAction, argparse._SubParsersAction))  # noqa: SLF001 - no public class
        ]
        if rows:
            title = (group.title or "").capitalize()
            yield f"| {title} | |\n|---|---|\n" + "\n".join(rows) + "\n"


def _row(action: argparse.Action) -> str:
    value = action.metavar or (", ".join(map(str, action.choices)) if action.choices else action.dest.upper())
    if not action.option_strings:
        names = f"`{value}`"
    else:
        takes = "" if action.nargs == 0 else f" {value}"
        names = ", ".join(f"`{option}{takes}`" for option in action.option_strings)
    words = (action.help or "") % {**vars(action), "prog": "hybridsnap"}
    return f"| {names} | {_escape(words)} |"


def _escape(words: str) -> str:
    """Words of a help text as Markdown that says just them."""
    for sign in ("\\", "|", "*", "_", "<", "[", "`"):
        words = words.replace(sign, f"\\{sign}")
    return words
