"""``hybridsnap console`` and ``hybridsnap network``: what a page said and requested."""

from __future__ import annotations

import argparse
import contextlib
import threading
from typing import TYPE_CHECKING, Any

from hybridsnap.cli.options import add_endpoint, add_flag, add_page
from hybridsnap.cli.output import say, write_text
from hybridsnap.cli.pages import go
from hybridsnap.cli.types import positive_number, shorten, timeout_seconds
from hybridsnap.client.console_messages import ConsoleMessage, PageError
from hybridsnap.client.request_records import NetworkRequest
from hybridsnap.json_data import to_json, to_json_text
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection

    from hybridsnap.client.browser import Page
    from hybridsnap.deadline import Deadline

#: So many records wait to be printed.
_FOLLOWED = 10_000
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
    _add_common(parser)


def add_network(commands: Any) -> None:
    """Add ``network`` to the command line."""
    parser = commands.add_parser(
        "network",
        help="what a page requests; HAR files",
        description="Print what a page requests, one line each.",
        usage="hybridsnap network ENDPOINT-OR-URL [options]",
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
    parser.add_argument(
        "--status", metavar="STATUS", type=_status, help="only with this status, or class: 404, 4xx"
    )
    add_flag(parser, "--failed", "only what failed, or was an error")
    parser.add_argument("--har", metavar="FILE", help="write all requests there as a HAR 1.2 log")
    _add_common(parser)


def _resource_type(text: str) -> str:
    from hybridsnap.client.request_records import RECORDED_TYPES  # noqa: PLC0415 - few commands name one

    if text.lower() not in RECORDED_TYPES:
        raise argparse.ArgumentTypeError(f"expected one of {', '.join(RECORDED_TYPES)}, got {shorten(text)}")
    return text.lower()


def _status(text: str) -> int | str:
    from hybridsnap.client.request_records import read_statuses  # noqa: PLC0415 - few commands name one

    status = int(text) if text.isascii() and text.isdigit() else text.lower()
    try:
        read_statuses(status)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("status: ")) from None
    return status


def _add_common(parser: Any) -> None:
    parser.add_argument("--limit", metavar="N", type=positive_number, help="only the last so many")
    add_listening(
        parser,
        "--timeout; lines are printed as they come (requests as they end), with --limit in the end; Ctrl-C"
        " ends it",
    )
    add_flag(parser, "--json", "JSON lines")
    add_page(parser, 30.0)


def add_listening(parser: Any, more: str) -> None:
    """Add what `listen` reads; `more` is said of the time."""
    add_flag(parser, "--reload", "load the page once more first")
    parser.add_argument(
        "--for",
        dest="listen",
        metavar="SECONDS",
        type=timeout_seconds,
        help=f"then listen for so long, which comes on top of {more}",
    )


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

    from hybridsnap.service.signals import ended_by_signal  # noqa: PLC0415 - it imports trio

    interrupted = False

    def interrupt() -> None:
        nonlocal interrupted
        interrupted = True
        nursery.cancel_scope.cancel()

    # Signals come to the main thread alone.
    of_process = threading.current_thread() is threading.main_thread()
    async with trio.open_nursery() as nursery:
        if of_process:
            nursery.start_soon(ended_by_signal, interrupt)
        await go(page, url, arguments, deadline)
        if arguments.reload:
            await page.reload(timeout=deadline.share(0.6))
        if arguments.listen is not None:
            await page.wait_for(time=arguments.listen, timeout=whole)
        nursery.cancel_scope.cancel()
    return interrupted


@contextlib.asynccontextmanager
async def printing(page: Page, arguments: argparse.Namespace) -> AsyncIterator[set[Any]]:
    """Print what is recorded as it comes, for the length of the block: where it listens, without --limit.

    Yields:
        What was printed: messages and errors, or ids of requests.
    """
    import trio  # noqa: PLC0415 - not for --help

    from hybridsnap.client.subscriptions import Dropped  # noqa: PLC0415 - it imports trio

    printed: set[Any] = set()
    if arguments.listen is None or arguments.limit is not None:
        yield printed
        return
    part = page.console if arguments.command == "console" else page.network
    fits = _filter(arguments)

    async def print_all(records: AsyncIterator[Any]) -> None:
        async for one in records:
            if isinstance(one, Dropped):
                say(f"hybridsnap: {one}")
            elif fits(one):
                printed.add(_printed_as(one))
                write_text(f"{_line(one, arguments)}\n", None)

    with part.follow(buffer=_FOLLOWED) as records:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(print_all, records)
            yield printed
            records.close()  # what has come is printed before the task ends


def _filter(arguments: argparse.Namespace) -> Callable[[Any], bool]:
    if arguments.command == "network":
        from hybridsnap.client.page_network import request_filter  # noqa: PLC0415 - not for --help

        failed = True if arguments.failed else None
        return request_filter(arguments.url, arguments.type, arguments.status, None, failed, None)

    def fits(one: ConsoleMessage | PageError) -> bool:
        level, text = ("error", one.message) if isinstance(one, PageError) else (one.level, one.text)
        wanted = arguments.text is None or arguments.text.casefold() in text.casefold()
        return wanted and (arguments.level is None or level in arguments.level)

    return fits


def _printed_as(one: Any) -> Any:
    return one.id if isinstance(one, NetworkRequest) else one


def _line(one: Any, arguments: argparse.Namespace) -> str:
    if arguments.json:
        return to_json_text(to_json(one.to_dict()))
    return clean_text(str(one)) if isinstance(one, NetworkRequest) else _console_line(one)


async def record_lines(
    page: Page, arguments: argparse.Namespace, deadline: Deadline, printed: Collection[Any]
) -> list[str]:
    """What the page said, or requested, as lines, but for what was printed; a HAR file, if asked for."""
    fits = _filter(arguments)
    said: list[Any]
    if arguments.command == "console":
        said = [*await page.console.messages(timeout=deadline), *await page.console.errors(timeout=deadline)]
        said.sort(key=lambda one: one.time)
    else:
        said = await page.network.requests(timeout=deadline)
        if not (said or arguments.reload or arguments.listen):
            say("hybridsnap: of what was requested before nothing is known; add --reload, or --for SECONDS")
    kept = [one for one in said if fits(one)]
    kept = kept if arguments.limit is None else kept[-arguments.limit :]
    if arguments.command == "network" and arguments.har is not None:
        await page.network.har(path=arguments.har, timeout=deadline)
    return [_line(one, arguments) for one in kept if _printed_as(one) not in printed]


def _console_line(one: ConsoleMessage | PageError) -> str:
    said = f"{one.level}: {one.text}" if isinstance(one, ConsoleMessage) else one.message
    said = f"{one.worker} worker: {said}" if one.worker else said
    where = f"{one.url}" + (f":{one.line}:{one.column}" if one.line else "") if one.url else ""
    return f"{clean_text(said)}  {clean_text(where)}".rstrip()
