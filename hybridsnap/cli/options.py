"""Options that several commands take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.cli.emulation import add_emulation
from hybridsnap.cli.permissions import add_grant
from hybridsnap.cli.routes import add_route
from hybridsnap.cli.types import timeout_seconds, viewport_size

if TYPE_CHECKING:
    from collections.abc import Mapping

TRANSPORTS = ("websocket", "pipe", "cbor")
TRANSPORT_WORDS = "default: the fastest here, cbor or pipe; websocket: other programs can connect, too"
VIEWPORT_WORDS = "of the page, in CSS px (default 1280x720; in a running browser: as it is)"


def add_viewport(group: Any, words: str = "of its pages, in CSS px (default 1280x720)") -> None:
    """The option ``--viewport``, in a group of options."""
    group.add_argument("--viewport", metavar="WxH", type=viewport_size, help=words)


def add_flag(group: Any, option: str, words: str) -> None:
    """An option without a value: True where it is given."""
    group.add_argument(option, action="store_true", help=words)


def add_storage(parser: Any) -> None:
    """The options that load and save a storage state."""
    login = parser.add_argument_group("cookies and local storage, in Playwright's format")
    login.add_argument("--storage-state", metavar="FILE", help="put this state into the profile first")
    login.add_argument("--save-storage-state", metavar="FILE", help="write the profile's state in the end")


def add_endpoint(parser: Any) -> None:
    """Which page: of a running browser, or an address."""
    parser.add_argument(
        "endpoint",
        metavar="ENDPOINT-OR-URL",
        help="ws://… or http://host:port of a running browser, whose open page is meant; or a URL (also"
        " http://host:port, where a web server answers) or file, which is opened in a browser that is"
        " launched",
    )


def add_page(parser: Any, seconds: float) -> None:
    """Options of which page, and of the browser."""
    add_loading(parser, seconds)
    add_launched(parser)
    add_debug(parser)


def add_loading(group: Any, seconds: float) -> None:
    """Options of which page of a running browser, and of what is waited for, and how long in all."""
    group.add_argument("--target-id", metavar="ID", help="which page of a running browser")
    group.add_argument(
        "--wait",
        choices=("settled", "load", "domcontentloaded", "networkidle", "none"),
        default="settled",
        help="what to wait for when a URL is opened, in 60 %% of the time (default: settled, that is load, or"
        " parsed and still for a second)",
    )
    add_timeout(group, seconds)


def add_timeout(group: Any, seconds: float, words: str = "the one deadline") -> None:
    """``--timeout``."""
    group.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=timeout_seconds,
        default=seconds,
        help=f"{words} (default {seconds:g})",
    )


def add_repeatable(group: Any, options: Mapping[str, tuple[str, str]]) -> None:
    """Options that may be given several times: name → what its value is called, and words."""
    for option, (metavar, words) in options.items():
        group.add_argument(option, metavar=metavar, action="append", default=[], help=f"{words} (repeatable)")


def add_launched(parser: Any) -> None:
    """Options of the browser, when one is launched."""
    browser = parser.add_argument_group("the browser, when one is launched")
    browser.add_argument("--browser", metavar="PATH", help="this one (default: HYBRIDSNAP_BROWSER, or found)")
    browser.add_argument("--transport", choices=TRANSPORTS, help=TRANSPORT_WORDS)
    add_flag(browser, "--headful", "with a window")
    add_viewport(browser, VIEWPORT_WORDS)
    add_emulation(parser)
    add_route(parser)
    add_grant(parser)
    add_storage(parser)


def add_debug(parser: Any) -> None:
    """``--debug``."""
    add_flag(parser, "--debug", "tracebacks and the log")
