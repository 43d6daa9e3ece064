"""What ``hybridsnap serve`` takes: everything is closed that is not opened here."""

from __future__ import annotations

from typing import Any

from hybridsnap.cli.options import (
    TRANSPORT_WORDS,
    TRANSPORTS,
    add_debug,
    add_flag,
    add_repeatable,
    add_timeout,
    add_viewport,
)
from hybridsnap.cli.types import port_number, positive_number, timeout_seconds

_EXAMPLES = """\
examples:
  hybridsnap serve --demo      with the bundled shop to try it on
  hybridsnap serve --token "$TOKEN" --cdp http://127.0.0.1:9222
  hybridsnap serve --launch one --launch two --downloads files

Everything is closed that is not opened here. SIGTERM ends it, and every browser it launched.
"""


def add_serve(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "serve",
        help="snapshots, actions and tabs over HTTP",
        description="Serve over HTTP: POST /control/snapshot, /control/act, …; /openapi.json has all of it.",
        usage="hybridsnap serve [options]",
        epilog=_EXAMPLES,
    )
    parser.add_argument("--host", metavar="HOST", default="127.0.0.1", help="default: 127.0.0.1")
    parser.add_argument(
        "--port", metavar="PORT", type=port_number, default=8765, help="default: 8765; 0: any that is free"
    )
    parser.add_argument(
        "--token",
        metavar="TOKEN",
        help="what clients send as Authorization: Bearer TOKEN (default: HYBRIDSNAP_TOKEN, or one is made and"
        " printed)",
    )
    add_flag(
        parser, "--openclaw", "answer the paths of OpenClaw's browser server, too (/tabs, /snapshot, /act, …)"
    )
    _add_rules(parser)
    _add_browsers(parser)
    _add_limits(parser)
    add_timeout(parser, 30.0, "to start")
    add_debug(parser)


def _add_rules(parser: Any) -> None:
    rules = parser.add_argument_group("what is allowed")
    add_flag(rules, "--allow-evaluate", "scripts")
    add_flag(
        rules,
        "--no-storage",
        "cookies and web storage are neither shown nor changed (default: whoever has the token may)",
    )
    add_flag(rules, "--allow-private", "pages of this machine and of private networks")
    add_repeatable(
        rules,
        {
            "--allow-scheme": ("NAME", "such as file or data"),
            "--allow-host": ("HOST", "only these: example.com, *.example.com, 203.0.113.0/24"),
            "--deny-host": ("HOST", "not these"),
            "--uploads": ("FOLDER", "whose files pages may be given"),
            "--downloads": ("FOLDER", "where downloads may be saved"),
            "--cors-origin": ("ORIGIN", "whose web pages may call"),
            "--server-name": ("NAME", "under which it may be called"),
        },
    )
    add_flag(rules, "--demo", "serve the bundled shop too, and allow it")


def _add_browsers(parser: Any) -> None:
    browsers = parser.add_argument_group("the browsers, by browserId; the first is meant when none is named")
    browsers.add_argument(
        "--cdp",
        metavar="[ID=]ENDPOINT",
        action="append",
        default=[],
        help="one that runs (repeatable); a client's tabs are opened in it, and closed",
    )
    browsers.add_argument(
        "--launch",
        metavar="ID",
        action="append",
        default=[],
        help="one that is launched (repeatable; default: one, named default)",
    )
    browsers.add_argument("--browser", metavar="PATH", help="which to launch (HYBRIDSNAP_BROWSER, or found)")
    browsers.add_argument("--transport", choices=TRANSPORTS, help=TRANSPORT_WORDS)
    add_flag(browsers, "--headful", "with a window")
    add_viewport(browsers, "of the pages of those that are launched, in CSS px (default 1280x720)")
    add_flag(
        browsers,
        "--no-record",
        "consoles and requests are recorded only from the first question on (default: with each tab)",
    )
    add_flag(
        browsers,
        "--shared-profile",
        "all sessions share the browser's own cookies and storage (default: a context for each)",
    )


def _add_limits(parser: Any) -> None:
    limits = parser.add_argument_group("limits")
    limits.add_argument(
        "--captures",
        metavar="N",
        type=positive_number,
        help="so many at once (default: as many as there are cores)",
    )
    limits.add_argument(
        "--queue",
        metavar="N",
        type=positive_number,
        default=64,
        help="so many may wait (default 64); then 503",
    )
    limits.add_argument(
        "--max-body",
        metavar="BYTES",
        type=positive_number,
        default=1024 * 1024,
        help="of a request (default 1 MiB)",
    )
    limits.add_argument("--max-tabs", metavar="N", type=positive_number, default=100, help="default 100")
    limits.add_argument(
        "--idle",
        metavar="SECONDS",
        type=timeout_seconds,
        default=600.0,
        help="then a session ends (default 600)",
    )
    limits.add_argument(
        "--grace",
        metavar="SECONDS",
        type=timeout_seconds,
        default=10.0,
        help="to finish at the end (default 10)",
    )
