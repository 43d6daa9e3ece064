"""``--grant``: what the page may do without asking anybody."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any

from hybridsnap.cli.types import shorten
from hybridsnap.errors import CommandRefused
from hybridsnap.service.usage import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hybridsnap.client.browser import Page
    from hybridsnap.deadline import Deadline


def add_grant(parser: Any) -> None:
    """The option that grants permissions."""
    parser.add_argument(
        "--grant",
        metavar="PERMISSION[=ORIGIN]",
        type=granted,
        action="append",
        default=[],
        help="the page's origin, or this one, may do this without asking, until the command ends, and nothing"
        " else that is asked for: geolocation, notifications, clipboard-read, camera,"
        " 'midi=https://player.example', … (repeatable)",
    )


def granted(text: str) -> tuple[str, str | None]:
    """A permission, and the origin that gets it; None for the page's own."""
    from hybridsnap.client.storage_state import check_origin  # noqa: PLC0415 - not for --help

    name, equals, origin = text.partition("=")
    if not re.fullmatch("[A-Za-z][A-Za-z-]*", name):
        raise argparse.ArgumentTypeError(
            f"expected a permission such as geolocation, or PERMISSION=ORIGIN, got {shorten(text)}"
        )
    try:
        return name, check_origin(origin) if equals else None
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


async def grant_permissions(
    page: Page,
    grants: Iterable[tuple[str, str | None]],
    url: str | None,
    deadline: Deadline,
    *,
    kept: Sequence[str] = (),
) -> None:
    """Grant permissions. Chromium 156 takes them back when the connection that granted them ends (measured).

    Args:
        page: of whose profile.
        grants: permissions, each with its origin; None is that of the page.
        url: that will be opened; None where the page is open.
        deadline: of the command.
        kept: permissions that an origin gets together with others.

    Raises:
        UsageError: the browser knows no such permission, or the page has no origin.
    """
    own = "/".join((url or page.url).split("/", 3)[:3])
    by_origin: dict[str, list[str]] = {}
    for name, given in grants:
        if given is None and not own.startswith(("http://", "https://")):
            raise UsageError(
                f"--grant {name}: the page has no origin that permissions are granted to;"
                f" name one: --grant {name}=https://shop.example"
            )
        by_origin.setdefault(given or own, []).append(name)
    for origin, names in by_origin.items():
        try:
            await page.storage.grant_permissions([*names, *kept], origin=origin, timeout=deadline)
        except CommandRefused as error:
            raise UsageError(f"--grant {', '.join(names)}: {error.reason}") from None
