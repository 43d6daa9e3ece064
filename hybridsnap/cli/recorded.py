"""``hybridsnap console`` and ``hybridsnap network``: what a page said and requested."""

from __future__ import annotations

import argparse
import signal
import threading
from typing import TYPE_CHECKING, Any

from hybridsnap.cli.options import add_endpoint, add_page
from hybridsnap.cli.pages import go
from hybridsnap.cli.types import positive_number, shorten, timeout_seconds
from hybridsnap.client.console_messages import ConsoleMessage
from hybridsnap.json_data import to_json, to_json_text
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from hybridsnap.client.browser import Page
    from hybridsnap.client.console_messages import PageError
    from hybridsnap.client.request_records import NetworkRequest
    from hybridsnap.deadline import Deadline

_CONSOLE_EXAMPLES = """\
examples:
  hybridsnap console https://example.com --level error
  hybridsnap console http://127.0.0.1:9222      what the open page has logged (its last 1,000 messages)

exit codes: 0 done, 2 wrong usage, 130 interrupted (Ctrl-C), 1 anything else"""
_NETWORK_EXAMPLES = """\
examples:
  hybridsnap network https://example.com --failed
  hybridsnap network https://example.com --har example.har
  hybridsnap network http://127.0.0.1:9222 --reload --type fetch
  hybridsnap network http://127.0.0.1:9222 --for 600 --har used.har      until Ctrl-C, for 10 minutes at most

exit codes: 0 done, 2 wrong usage, 130 interrupted (Ctrl-C), 1 anything else"""


def add_console(commands: Any) -> None:
    """Add ``console`` to the command line."""
    parser = commands.add_parser(
        "console",
        help="what a page logs, and its uncaught errors",
        description="Print what a page logs, and the errors that nothing in it catches, one line each.",
        usage="hybridsnap console ENDPOINT-OR-URL [options]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=_CONSOLE_EXAMPLES,
    )
    add_endpoint(parser)
    parser.add_argument(
        "--level",
        action="append",
        choices=("debug", "info", "warning", "error"),
        help="only these levels (repeatable); uncaught errors are of level error",
    )
    parser.add_argument("--text", metavar="TEXT", help="only what has this in it")
    _add_common(parser, "console")


def add_network(commands: Any) -> None:
    """Add ``network`` to the command line."""
    parser = commands.add_parser(
        "network",
        help="what a page requests; HAR files",
        description="Print what a page requests, one line each.",
        usage="hybridsnap network ENDPOINT-OR-URL [options]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=_NETWORK_EXAMPLES,
    )
    add_endpoint(parser)
    parser.add_argument("--url", metavar="GLOB", help="only such addresses: '**/api/*'")
    parser.add_argument(
        "--type",
        metavar="TYPE",
        type=_resource_type,
        action="append",
        help="only these types: document, fetch, … (repeatable)",
    )
    parser.add_argument("--status", metavar="STATUS", help="only with this status, or class: 404, 4xx")
    parser.add_argument("--failed", action="store_true", help="only what failed, or was an error")
    parser.add_argument("--har", metavar="FILE", help="write all requests there as a HAR 1.2 log")
    _add_common(parser, "network")


def _resource_type(text: str) -> str:
    """A type of requests.

    Raises:
        argparse.ArgumentTypeError: there is no such type.
    """
    from hybridsnap.client.request_records import RECORDED_TYPES  # noqa: PLC0415 - few commands name one

    if text.lower() not in RECORDED_TYPES:
        raise argparse.ArgumentTypeError(f"expected one of {', '.join(RECORDED_TYPES)}, got {shorten(text)}")
    return text.lower()


def _add_common(parser: Any, run: str) -> None:
    parser.add_argument("--limit", metavar="N", type=positive_number, help="only the last so many")
    parser.add_argument("--reload", action="store_true", help="load the page once more first")
    parser.add_argument(
        "--for",
        dest="listen",
        metavar="SECONDS",
        type=timeout_seconds,
        help="then listen for so long, which comes on top of --timeout; Ctrl-C ends it, and what was recorded"
        " is printed",
    )
    parser.add_argument("--json", action="store_true", help="JSON lines")
    add_page(parser, 30.0)
    parser.set_defaults(run=run)


async def listen(
    page: Page, url: str | None, arguments: argparse.Namespace, deadline: Deadline, whole: Deadline
) -> bool:
    """Load the page, and let it go on for as long as was asked for; until Ctrl-C, if that is earlier.

    Args:
        page: which one.
        url: where it is to go first.
        arguments: of the command line.
        deadline: for loading.
        whole: later by what was asked for.

    Returns:
        Whether Ctrl-C came.
    """
    import trio  # noqa: PLC0415 - not for --help

    async def heard() -> None:
        await go(page, url, arguments, deadline)
        if arguments.reload:
            await page.reload(timeout=deadline.share(0.6))
        if arguments.listen is not None:
            await page.wait_for(time=arguments.listen, timeout=whole)

    # Signals come to the main thread alone.
    of_process = threading.current_thread() is threading.main_thread()
    if not of_process or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        await heard()
        return False
    with trio.open_signal_receiver(signal.SIGINT) as signals:
        async with trio.open_nursery() as nursery:
            interrupted = False

            async def watch() -> None:
                nonlocal interrupted
                async for _ in signals:
                    interrupted = True
                    nursery.cancel_scope.cancel()

            nursery.start_soon(watch)
            await heard()
            nursery.cancel_scope.cancel()
    return interrupted


async def console_lines(page: Page, arguments: argparse.Namespace, deadline: Deadline) -> list[str]:
    """What the page said, as lines."""
    found: list[ConsoleMessage | PageError] = []
    found += await page.console.messages(level=arguments.level, text=arguments.text, timeout=deadline)
    if arguments.level is None or "error" in arguments.level:
        found += await page.console.errors(text=arguments.text, timeout=deadline)
    found.sort(key=lambda one: one.time)
    found = found if arguments.limit is None else found[-arguments.limit :]
    if arguments.json:
        return [_json_line(one.to_dict()) for one in found]
    return [_console_line(one) for one in found]


async def network_lines(page: Page, arguments: argparse.Namespace, deadline: Deadline) -> list[str]:
    """What the page requested, as lines; the HAR file is written, if one was asked for."""
    status = arguments.status
    found = await page.network.requests(
        url=arguments.url,
        resource_type=arguments.type,
        status=int(status) if status is not None and status.isdecimal() else status,
        failed=True if arguments.failed else None,
        limit=arguments.limit,
        timeout=deadline,
    )
    if arguments.har is not None:
        await page.network.har(path=arguments.har, timeout=deadline)
    return [_json_line(one.to_dict()) if arguments.json else _request_line(one) for one in found]


def _json_line(data: dict[str, Any]) -> str:
    return to_json_text(to_json(data))


def _console_line(one: ConsoleMessage | PageError) -> str:
    said = f"{one.level}: {one.text}" if isinstance(one, ConsoleMessage) else one.message
    said = f"{one.worker} worker: {said}" if one.worker else said
    where = f"{one.url}" + (f":{one.line}:{one.column}" if one.line else "") if one.url else ""
    return f"{clean_text(said)}  {clean_text(where)}".rstrip()


def _request_line(one: NetworkRequest) -> str:
    return clean_text(str(one))
