"""The command line: ``hybridsnap snapshot``, ``hybridsnap doctor``.

It translates, and decides nothing: arguments into calls, errors into one line and an exit code.

Exit codes: 0 whole, 3 partial (the report on stderr says what lacks), 2 wrong usage, 1 anything else. On 1
and 2 stdout stays empty.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hybridsnap.deadline import LOADING_SHARE, Deadline, check_timeout
from hybridsnap.errors import CaptureFailed, HybridsnapError, TargetError
from hybridsnap.render.clean import clean_text
from hybridsnap.render.report import render_report

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from hybridsnap.client.browser import Browser
    from hybridsnap.client.page import Page
    from hybridsnap.snapshot import Snapshot

WHOLE, FAILED, USAGE, PARTIAL = 0, 1, 2, 3
_SCHEMES = ("http", "https", "file", "about", "data", "chrome", "view-source", "blob")


class UsageError(Exception):
    """The command was called wrongly; the message is the one line that is printed."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def process_age() -> float:
    """Seconds since this process began: the deadline of a command counts from there."""
    try:
        ticks = int(Path("/proc/self/stat").read_text(encoding="ascii").rpartition(")")[2].split()[19])
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError, AttributeError):
        return time.process_time()


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = _Parser(
        prog="hybridsnap",
        description="DOM and accessibility tree of every frame of a page, in one outline with ids to act on.",
        usage="hybridsnap COMMAND [options]",
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", prog="hybridsnap", parser_class=_Parser
    )
    _add_snapshot(commands)
    doctor = commands.add_parser(
        "doctor",
        help="what browser is found, what works, what is missing and how to get it",
        description="Look for a browser, start it over each transport, and capture a small page with it.",
    )
    doctor.add_argument("--browser", metavar="PATH", help="this browser, and no other")
    doctor.add_argument(
        "--timeout", metavar="SECONDS", type=_seconds, default=30.0, help="for all (default 30)"
    )
    doctor.add_argument("--debug", action="store_true", help="tracebacks and the log")
    doctor.set_defaults(run=_doctor)
    return parser


def _add_snapshot(commands: Any) -> None:
    parser = commands.add_parser(
        "snapshot",
        help="capture a page and print its outline",
        description="Capture a page: the outline of all its frames on stdout.",
        usage="hybridsnap snapshot [TARGET] [options]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=(
            "examples:\n"
            "  hybridsnap snapshot https://example.com\n"
            "  hybridsnap snapshot page.html --format json -o page.json\n"
            "  hybridsnap snapshot --cdp http://127.0.0.1:9222     the page open in a running browser\n\n"
            "exit codes: 0 whole, 3 partial (stderr says what lacks), 2 wrong usage, 1 anything else"
        ),
    )
    parser.add_argument(
        "target",
        metavar="TARGET",
        nargs="?",
        help="a URL, or a path to an HTML file. With --cdp it is opened in a tab of that browser, which is"
        " closed after; without TARGET the page that is open there is captured",
    )
    parser.add_argument("--format", choices=("tree", "json"), default="tree", help="default: tree")
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of stdout")
    page = parser.add_argument_group("the page")
    page.add_argument(
        "--cdp", metavar="ENDPOINT", help="ws://… (browser or page) or http://host:port of a running browser"
    )
    page.add_argument("--target-id", metavar="ID", help="which page of that browser")
    page.add_argument(
        "--wait",
        choices=("load", "domcontentloaded", "networkidle", "none"),
        default="load",
        help="what to wait for, in 60 %% of the time (default load); then what is there is captured",
    )
    page.add_argument(
        "--timeout", metavar="SECONDS", type=_seconds, default=30.0, help="the one deadline (default 30)"
    )
    what = parser.add_argument_group("what to capture")
    what.add_argument("--no-iframes", action="store_true", help="the main frame only")
    what.add_argument("--no-pierce", action="store_true", help="nothing out of author shadow roots")
    what.add_argument("--all-xpaths", action="store_true", help="in JSON, the XPath of every node")
    browser = parser.add_argument_group("the browser, when one is launched")
    browser.add_argument("--browser", metavar="PATH", help="this one (default: HYBRIDSNAP_BROWSER, or found)")
    browser.add_argument("--transport", choices=("websocket", "pipe"), help="default: websocket")
    browser.add_argument("--headful", action="store_true", help="with a window")
    parser.add_argument("--debug", action="store_true", help="tracebacks and the log")
    parser.set_defaults(run=_snapshot)


def _version() -> str:
    from hybridsnap import __version__

    return f"hybridsnap {__version__}"


def _seconds(text: str) -> float:
    try:
        return check_timeout(float(text))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no timeout; give a positive, finite number of seconds, such as 10"
        ) from None


def url_of(target: str) -> str:
    """A TARGET as a URL: as it is when it has a scheme, else the file at that path.

    Raises:
        UsageError: it is neither.
    """
    if not target.isascii() and target.encode(errors="replace").decode() != target and "://" in target:
        raise UsageError(f"{target!r} is no URL: it is not valid UTF-8")
    scheme, colon, rest = target.partition(":")
    if colon and ("://" in target or scheme.lower() in _SCHEMES):
        if "://" in target and not rest.removeprefix("//") and scheme != "file":
            raise UsageError(f"{target!r} is no URL: it names no host")
        return target
    if not target.strip():
        raise UsageError("TARGET is empty; give a URL or a path to an HTML file")
    path = Path(target)
    try:
        if path.is_file():
            return path.resolve().as_uri()
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise UsageError(f"{target!r} is neither a URL nor a path ({error})") from None
    if exists:
        raise UsageError(f"{target!r} is no file; give an HTML file, or a URL")
    raise UsageError(
        f"{target!r} is neither a file nor a URL; a URL starts with its scheme, such as https://"
    )


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what cannot mean anything, before a browser is started."""
    if arguments.cdp is None:
        if arguments.target is None:
            raise UsageError("what is to be captured? give a URL or a file, or --cdp for a running browser")
        if arguments.target_id is not None:
            raise UsageError("--target-id names a page of a running browser; give --cdp too")
    else:
        for option in ("browser", "headful", "transport"):
            if getattr(arguments, option):
                raise UsageError(f"--{option} is for a browser that is launched; with --cdp it runs already")
        if arguments.target is not None and arguments.target_id is not None:
            raise UsageError("TARGET opens a tab of its own; it cannot be given together with --target-id")
    if arguments.all_xpaths and arguments.format != "json":
        raise UsageError("--all-xpaths is for --format json; the tree prints no XPaths")
    if arguments.output is not None:
        _check_output(Path(arguments.output))


def _check_output(output: Path) -> None:
    if output.is_dir():
        raise UsageError(f"--output {output}: is a directory")
    if not output.parent.is_dir():
        raise UsageError(f"--output {output}: there is no directory {output.parent}")


def _snapshot(arguments: argparse.Namespace, deadline: Deadline) -> int:
    _check(arguments)
    url = None if arguments.target is None else url_of(arguments.target)
    import trio

    snapshot: Snapshot = trio.run(_capture, arguments, url, deadline)
    if arguments.format == "json":
        text = snapshot.to_json(all_xpaths=arguments.all_xpaths)
    else:
        text = snapshot.combined_tree
    _write(text + "\n", arguments.output)
    if snapshot.report.complete:
        return WHOLE
    _say(render_report(snapshot.report, gaps_only=True))
    return PARTIAL


async def _capture(arguments: argparse.Namespace, url: str | None, deadline: Deadline) -> Snapshot:
    async with _page(arguments, url, deadline) as page:
        if url is not None:
            await page.goto(url, wait=arguments.wait, timeout=deadline.share(LOADING_SHARE))
        return await page.snapshot(
            timeout=deadline,
            pierce_shadow=not arguments.no_pierce,
            include_iframes=not arguments.no_iframes,
        )


@contextlib.asynccontextmanager
async def _page(arguments: argparse.Namespace, url: str | None, deadline: Deadline) -> AsyncIterator[Page]:
    """The page that is meant; a tab of ours is closed after."""
    from hybridsnap.client.browser import connect, launch

    if arguments.cdp is None:
        async with launch(
            arguments.browser,
            headless=not arguments.headful,
            transport=arguments.transport or "websocket",
            timeout=deadline,
        ) as browser:
            yield await browser.new_page(timeout=deadline)
        return
    async with connect(arguments.cdp, timeout=deadline) as browser:
        if url is None:
            yield await _open_page(browser, arguments.target_id, deadline)
            return
        page = await browser.new_page(timeout=deadline)
        try:
            yield page
        finally:
            await page.close()


async def _open_page(browser: Browser, target_id: str | None, deadline: Deadline) -> Page:
    try:
        return await browser.page(target_id, timeout=deadline)
    except TargetError as error:
        if target_id is None and len(error.target_ids) > 1:
            raise UsageError(f"{error}; choose one with --target-id") from error
        raise


def _doctor(arguments: argparse.Namespace, deadline: Deadline) -> int:
    from hybridsnap.doctor import examine

    lines, healthy = examine(arguments.browser, deadline)
    _write("\n".join(lines) + "\n", None)
    return WHOLE if healthy else FAILED


def _write(text: str, output: str | None) -> None:
    """Write to stdout or a file, as UTF-8. A reader that has gone away (``| head``) is no error."""
    data = text.encode(errors="replace")
    if output is not None:
        try:
            Path(output).write_bytes(data)
        except OSError as error:
            raise HybridsnapError(f"{output} could not be written: {error.strerror}") from error
        return
    if sys.stdout is None:
        raise HybridsnapError("stdout is closed; give --output FILE")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The interpreter flushes once more at its end, and would complain then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise HybridsnapError(f"stdout could not be written: {error.strerror}") from error


def _say(text: str) -> None:
    if sys.stderr is None:  # closed: nobody wants to hear it, and print would take stdout
        return
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def _fail(error: BaseException) -> None:
    """One line on stderr, and what the report knows beside."""
    _say(f"hybridsnap: {clean_text(str(error)) or type(error).__name__}")
    if isinstance(error, CaptureFailed) and error.report is not None and len(error.report.frames) > 1:
        _say(render_report(error.report, gaps_only=True))


def _unwrap(error: BaseException) -> BaseException:
    """The one error inside exception groups, when there is only one."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    arguments: argparse.Namespace | None = None
    age = process_age() if argv is None else 0.0
    if argv is None:
        # As Ctrl-C: a tab that was opened is closed, a browser that was started is ended.
        signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        arguments = build_parser().parse_args(argv)
        if arguments.command is None:
            raise UsageError("what is to be done? hybridsnap snapshot URL, or hybridsnap doctor (see --help)")
        if arguments.debug:
            import logging

            logging.basicConfig(level=logging.DEBUG, format="%(name)s: %(message)s")
        deadline = Deadline(time.monotonic() + max(0.0, arguments.timeout - age))
        run: Callable[[argparse.Namespace, Deadline], int] = arguments.run
        return run(arguments, deadline)
    except SystemExit as leaving:  # --help, --version
        return int(leaving.code or 0)
    except BaseException as caught:  # noqa: BLE001 - the last line of defence: one line, no traceback
        error = _unwrap(caught)
        if getattr(arguments, "debug", False):
            import traceback

            traceback.print_exception(error)
        if isinstance(error, UsageError):
            _say(f"hybridsnap: {clean_text(str(error))}")
            return USAGE
        if isinstance(error, KeyboardInterrupt):
            _say("hybridsnap: interrupted")
            return FAILED
        if not isinstance(error, HybridsnapError):
            _say(
                f"hybridsnap: this is a bug in hybridsnap: {type(error).__name__}: {clean_text(str(error))}"
                " (--debug shows where)"
            )
            return FAILED
        _fail(error)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
