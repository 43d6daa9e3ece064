"""Wrong usage of a command, the exit codes of commands, and options that several commands take."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from hybridsnap.errors import EndpointError

if TYPE_CHECKING:
    import argparse

#: Exit codes.
WHOLE, FAILED, USAGE, PARTIAL = 0, 1, 2, 3
#: Of a process that Ctrl-C has ended, as shells have it: 128 and the signal's number.
INTERRUPTED = 130
#: The variable that gives a token where no argument does.
TOKEN_VARIABLE = "HYBRIDSNAP_TOKEN"  # noqa: S105 - its name


class UsageError(Exception):
    """The command was called wrongly; the message is the one line that is printed."""


def token_of(arguments: argparse.Namespace) -> str | None:
    """The token that HTTP's clients must have; None when one is to be made.

    Raises:
        UsageError: it cannot stand in a header.
    """
    source = "--token"
    token: str | None = arguments.token
    if token is None:
        source, token = TOKEN_VARIABLE, os.environ.get(TOKEN_VARIABLE) or None
    if token is not None and not re.fullmatch(r"[!-~]+", token):
        raise UsageError(f"{source} is of ASCII letters, digits and signs; leave it out to have one made")
    return token


def check_endpoint(text: str) -> str:
    """The address of a running browser, if it is one at all; whether anybody is there shows later.

    Raises:
        UsageError: it is neither ``ws://…`` nor ``http://host:port``.
    """
    from hybridsnap.client.endpoint import SCHEMES, parse_address  # noqa: PLC0415 - few calls have an endpoint

    try:
        return parse_address(text, SCHEMES).given
    except EndpointError as error:
        raise UsageError(str(error)) from None


def folder_of(option: str, given: str) -> Path:
    """A folder that an option opens, absolute.

    Raises:
        UsageError: there is none. An empty text is none, too, and not the folder one happens to be in.
    """
    with contextlib.suppress(OSError, ValueError):
        if given and Path(given).is_dir():
            return Path(given).absolute()
    raise UsageError(f"{option} {given!r} is not a folder; give the path of one that exists")


def scheme_rule(given: str) -> str:
    """A scheme that ``--allow-scheme`` opens, in lower case.

    Raises:
        UsageError: it is none, or no page has it.
    """
    scheme = given.lower().removesuffix(":")
    if not re.fullmatch(r"[a-z][a-z0-9+.-]*", scheme) or scheme == "javascript":
        raise UsageError(
            f"--allow-scheme {given!r} is not a scheme that a page has; write one such as data or file"
        )
    return scheme


def server_name(given: str) -> str:
    """A name that ``--server-name`` adds.

    Raises:
        UsageError: no request can name it so.
    """
    if not re.fullmatch(r"[A-Za-z0-9._-]+|\[?[0-9A-Fa-f:.]+\]?", given):
        raise UsageError(f"--server-name {given!r} is not a host name; write one such as browser.example.com")
    return given
