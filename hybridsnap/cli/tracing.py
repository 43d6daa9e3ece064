"""``hybridsnap trace``: what was slow while a page loaded, or was used; its frames as pictures."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridsnap.cli.options import add_endpoint, add_flag, add_page
from hybridsnap.cli.recorded import add_listening, listen
from hybridsnap.json_data import to_json_text
from hybridsnap.service.usage import UsageError
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    import argparse

    from hybridsnap.client.browser import Page
    from hybridsnap.client.trace_summary import TraceSummary
    from hybridsnap.deadline import Deadline

_EXAMPLES = """\
examples:
  hybridsnap trace https://example.com -o trace.json      for https://ui.perfetto.dev
  hybridsnap trace http://127.0.0.1:9222 --reload --frames frames
  hybridsnap trace http://127.0.0.1:9222 --for 60      until Ctrl-C, for a minute at most

exit codes: 0 done, 2 wrong usage, 130 interrupted (Ctrl-C), 1 anything else"""


def add_trace(commands: Any) -> None:
    """Add ``trace`` to the command line."""
    parser = commands.add_parser(
        "trace",
        help="what was slow on a page, as a Chrome trace; its frames as pictures",
        description="Record what the browser does while a page loads, and print what was slow: long tasks,"
        " layout, scripts, requests.",
        usage="hybridsnap trace ENDPOINT-OR-URL [options]",
        epilog=_EXAMPLES,
    )
    add_endpoint(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the trace there, in Chrome's JSON format"
    )
    add_flag(parser, "--screenshots", "with small pictures in the trace")
    parser.add_argument(
        "--frames", metavar="FOLDER", help="write a PNG there of each frame that the page is drawn in"
    )
    add_listening(parser, "--timeout; Ctrl-C ends it")
    add_flag(parser, "--json", "the summary as JSON")
    add_page(parser, 30.0)


def check_trace_options(arguments: argparse.Namespace, url: str | None) -> None:
    """Refuse what would record nothing.

    Raises:
        UsageError: nothing happens on the page meanwhile, or the folder has frames already.
    """
    if url is None and not arguments.reload and arguments.listen is None:
        raise UsageError("what is to be traced? give --reload, or --for SECONDS")
    if arguments.frames is not None and any(Path(arguments.frames).glob("frame-*.png")):
        raise UsageError(f"--frames {arguments.frames}: there are frames of another recording; name another")


async def trace_page(
    page: Page, url: str | None, arguments: argparse.Namespace, deadline: Deadline, whole: Deadline
) -> tuple[TraceSummary, int, bool]:
    """Trace a page while it loads, and for as long as was asked for.

    Returns:
        What was slow, how many frames were saved, and whether Ctrl-C ended it.
    """
    await page.trace.start(screenshots=arguments.screenshots, timeout=deadline)
    async with contextlib.AsyncExitStack() as stack:
        recording = None
        if arguments.frames is not None:
            recording = await stack.enter_async_context(
                page.record_frames(arguments.frames, timeout=deadline)
            )
        interrupted = await listen(page, url, arguments, deadline, whole)
    saved = 0 if recording is None else len(recording.frames)
    trace = await page.trace.stop(path=arguments.output, timeout=whole)
    return trace.summarize(), saved, interrupted


def summary_lines(summary: TraceSummary, *, as_json: bool) -> list[str]:
    """A summary as a terminal may show it."""
    if as_json:
        return [to_json_text(summary.to_dict())]
    return [f"{'  ' * line.startswith('  ')}{clean_text(line)}" for line in str(summary).splitlines()]
