"""``--route``: what is done with requests before they leave the browser."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridsnap.cli.types import shorten

if TYPE_CHECKING:
    from hybridsnap.client.routes import RouteAction

_EXAMPLE = "'**/*.png=abort', '**/api/basket=@basket.json', '**/ads/**=404'"


def add_route(parser: Any) -> None:
    """The option that decides about requests to come."""
    parser.add_argument(
        "--route",
        metavar="GLOB=WHAT",
        type=route,
        action="append",
        default=[],
        help="requests for such addresses fail (abort, or abort:REASON such as abort:timedout), are answered"
        " with a status (404) or with a file (@FILE); the last that fits counts (repeatable):"
        f" {_EXAMPLE}",
    )


def route(text: str) -> tuple[str, RouteAction]:
    """A pattern for addresses, and what is done with them."""
    from hybridsnap.act.conditions import parse_url_glob  # noqa: PLC0415 - not for --help
    from hybridsnap.client.routes import Abort, Fulfill, check_action  # noqa: PLC0415 - not for --help

    glob, equals, what = text.rpartition("=")
    if not equals or not glob or not what:
        raise argparse.ArgumentTypeError(f"expected GLOB=WHAT, such as {_EXAMPLE}; got {shorten(text)}")
    action: RouteAction
    try:
        parse_url_glob(glob)
        if what.startswith("@"):
            path = Path(what[1:])
            if not path.is_file():
                raise argparse.ArgumentTypeError(f"there is no file {shorten(what[1:])}")
            action = Fulfill(file=path)
        elif what.isascii() and what.isdigit():
            action = Fulfill(status=int(what))
        elif what == "abort" or what.startswith("abort:"):
            reason: Any = what.partition(":")[2]
            action = Abort(reason) if reason else Abort()
        else:
            raise argparse.ArgumentTypeError(
                f"expected abort, a status from 200 to 599, or @FILE after the last =, got {shorten(what)}"
            )
        check_action(action)
    except (ValueError, TypeError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return glob, action
