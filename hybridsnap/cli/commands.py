"""The command line: ``hybridsnap snapshot``, ``act``, ``evaluate``, ``console``, ``network``, and so on.

It translates, and decides nothing: arguments into calls, errors into one line and an exit code.

Exit codes: 0 whole, 3 partial (the report on stderr says what lacks), 2 wrong usage, 130 interrupted (Ctrl-C;
servers take that as their regular end), 1 anything else. Except with 0 and 3 stdout stays empty, but for
``doctor``, for ``tool``, whose result says what it refuses, and for ``console`` and ``network``, which print
what was recorded until Ctrl-C; what was done before an action failed stands on stderr.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from hybridsnap import __version__
from hybridsnap.cli.checks import (
    check_input,
    check_mcp,
    check_output,
    check_outputs,
    check_snapshot,
    url_of,
)
from hybridsnap.cli.output import say, write_bytes, write_text
from hybridsnap.cli.pages import choose_page, go, opened_page
from hybridsnap.cli.parser import build_parser
from hybridsnap.deadline import Deadline
from hybridsnap.errors import (
    CaptureFailed,
    HybridsnapError,
    SelectorError,
    UnknownElement,
)
from hybridsnap.render.report import render_report
from hybridsnap.service.rendering import given_options
from hybridsnap.service.usage import FAILED, INTERRUPTED, PARTIAL, USAGE, WHOLE, UsageError, folder_of
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Awaitable, Callable, Sequence

    from hybridsnap.cli.act import Acted
    from hybridsnap.client.browser import Page
    from hybridsnap.client.requests import ActionRequest
    from hybridsnap.client.trace_summary import TraceSummary
    from hybridsnap.render.rendering import Rendering
    from hybridsnap.snapshot import Snapshot
    from hybridsnap.webarena import Action

T = TypeVar("T")


def process_age() -> float:
    """Seconds since this process began: the deadline of a command counts from there."""
    try:
        ticks = int(Path("/proc/self/stat").read_text(encoding="ascii").rpartition(")")[2].split()[19])
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError, AttributeError):
        return time.process_time()


def _snapshot(arguments: argparse.Namespace, deadline: Deadline) -> int:
    check_snapshot(arguments)
    url = None if arguments.target is None else url_of(arguments.target)
    import trio

    snapshot, own = trio.run(_capture, arguments, url, deadline)
    rendering: Rendering | None = None
    try:
        if arguments.format == "json" and arguments.max_tokens is None:
            text = snapshot.to_json(all_xpaths=arguments.all_xpaths)
        else:
            text = rendering = snapshot.render(
                arguments.format,
                max_tokens=arguments.max_tokens,
                tokenizer=arguments.tokenizer,
                **{**own, **given_options(arguments)},
            )
            if arguments.info is not None:
                write_text(rendering_info(rendering), arguments.info)
    except (ValueError, UnknownElement) as error:
        raise UsageError(str(error)) from error
    if arguments.screenshot is not None:
        _write_screenshot(snapshot, arguments)
    write_text(text + "\n", arguments.output)
    if arguments.query:
        from hybridsnap.render.select import holding

        if not any(holding(snapshot.shown_rows, arguments.query)):
            say(f"hybridsnap: no line holds {arguments.query!r} (--query)")
    if url is None:
        from hybridsnap.cli.shown import keep_shown

        keep_shown(snapshot, rendering)
    if snapshot.report.complete:
        return WHOLE
    say(render_report(snapshot.report, gaps_only=True))
    return PARTIAL


def _write_screenshot(snapshot: Snapshot, arguments: argparse.Namespace) -> None:
    png = snapshot.screenshot
    if png is None:
        raise HybridsnapError(
            "the browser gave no screenshot; the report says why: " + "; ".join(snapshot.report.notes)
        )
    if arguments.labels:
        from hybridsnap.render.labels import draw_labels

        try:
            png, left_out = draw_labels(png, snapshot.content)
        except ValueError as error:
            raise HybridsnapError(f"no labels could be drawn: {error}") from error
        if left_out:
            say(f"hybridsnap: {left_out}")
    write_bytes(png, arguments.screenshot)


def rendering_info(rendering: Rendering) -> str:
    """What a rendering says beside its text, as JSON."""
    from hybridsnap.json_data import to_json, to_json_text

    said = {"stats": rendering.stats, **rendering.extras}
    return to_json_text(to_json(said), 1) + "\n"


def _view(arguments: argparse.Namespace, _deadline: Deadline) -> int:
    from hybridsnap.render.view import render_view
    from hybridsnap.snapshot import Snapshot

    if arguments.output is not None:
        check_output("output", arguments.output, [("SNAPSHOT", Path(arguments.snapshot))])
    check_input("SNAPSHOT", arguments.snapshot)
    try:
        snapshot = Snapshot.from_json(Path(arguments.snapshot).read_bytes())
        page = render_view(snapshot.content, snapshot.screenshot)
    except ValueError as error:
        raise UsageError(f"{arguments.snapshot}: {error}") from error
    except OSError as error:
        raise UsageError(f"{arguments.snapshot}: cannot be read: {error.strerror}") from error
    write_text(page, arguments.output)
    return WHOLE


async def _capture(
    arguments: argparse.Namespace, url: str | None, deadline: Deadline
) -> tuple[Snapshot, dict[str, Any]]:
    """The snapshot, and the options that its format has of its own."""
    async with opened_page(arguments, url, deadline) as page:
        await go(page, url, arguments, deadline)
        snapshot = await page.snapshot(
            timeout=deadline,
            pierce_shadow=not arguments.no_pierce,
            include_iframes=not arguments.no_iframes,
            focus=arguments.focus,
            ignore=arguments.ignore,
            layout=arguments.layout or arguments.labels or arguments.detail == "rich",
            screenshot=arguments.screenshot is not None,
        )
        own: dict[str, Any] = {}
        if arguments.format == "controls":
            own["lang"] = "en"
        if arguments.format == "webarena" and url is None and page.browser.only_target is None:
            from hybridsnap.webarena.numbering import list_tabs

            own["tabs"] = await list_tabs(page)
        return snapshot, own


def _act(arguments: argparse.Namespace, deadline: Deadline) -> int:
    from hybridsnap.cli.act import Acted, say_unproven
    from hybridsnap.cli.actions import (
        check_actions,
        check_shown,
        named_by,
        read_actions,
        read_snapshot,
    )

    check_actions(arguments)
    check_outputs(arguments, (), [])
    if arguments.download is not None:
        arguments.download = folder_of("--download", arguments.download)
    actions = read_actions(arguments.actions)
    seen = None if arguments.snapshot is None else read_snapshot(arguments.snapshot)
    url = choose_page(arguments, deadline)
    check_shown([one for action in actions for one in named_by(action)], url, seen)
    import trio

    acted = Acted()
    try:
        trio.run(_do, acted, arguments, actions, seen, url, deadline)
    except BaseException:  # Ctrl-C, for one
        acted.failure = None  # it has cut off what was under way
        if acted.results:
            say(acted.json(indent=None) if arguments.json else acted.text())
        raise
    if acted.failure is not None:
        if arguments.json:
            say(acted.json(indent=None))
        elif acted.results:
            say(acted.text())
            say_unproven(acted.unproven)
        _fail(acted.failure, acted.hint)
        return USAGE if isinstance(acted.failure, UsageError) else FAILED
    write_text((acted.json() if arguments.json else acted.text()) + "\n", None)
    if acted.printed is not None and url is None:
        from hybridsnap.cli.shown import keep_shown

        snapshot, rendering, is_page = acted.printed
        keep_shown(snapshot, rendering, changes=not is_page)
    say_unproven(acted.unproven)
    if acted.missing:
        say(f"hybridsnap: {acted.missing}")
        return PARTIAL
    return WHOLE


async def _do(
    acted: Acted,
    arguments: argparse.Namespace,
    actions: Sequence[Action | ActionRequest],
    seen: Snapshot | None,
    url: str | None,
    deadline: Deadline,
) -> None:
    from hybridsnap.cli.act import act_on

    try:
        async with opened_page(arguments, url, deadline, actions) as page:
            await go(page, url, arguments, deadline)
            await act_on(page, acted, actions, arguments, seen, deadline)
    except Exception as caught:  # before the first action
        error = _unwrap(caught)
        if not (arguments.json and isinstance(error, HybridsnapError)):
            raise
        acted.failure = error


def _evaluate(arguments: argparse.Namespace, deadline: Deadline) -> int:
    from hybridsnap.cli.act import evaluate_on
    from hybridsnap.cli.actions import check_shown, read_arguments, read_snapshot

    check_outputs(arguments, (), [])
    values = read_arguments(arguments.arg)
    if arguments.element is not None and not arguments.element.strip():
        raise UsageError("--element is an empty text; give an element id, an XPath or a CSS selector")
    if not arguments.expression.strip():
        raise UsageError("EXPRESSION is an empty text; give one such as document.title")
    seen = None if arguments.snapshot is None else read_snapshot(arguments.snapshot)
    url = choose_page(arguments, deadline)
    check_shown([arguments.element] if arguments.element else [], url, seen)
    said = _on_page(
        arguments, url, deadline, lambda page: evaluate_on(page, arguments, values, seen, deadline)
    )
    write_text(said + "\n", None)
    return WHOLE


def _recorded(arguments: argparse.Namespace, deadline: Deadline) -> int:
    check_outputs(arguments, ("har",) if arguments.command == "network" else (), [])
    url = choose_page(arguments, deadline)
    import trio

    from hybridsnap.cli.recorded import listen, printing, record_lines

    whole = Deadline(deadline.at + (arguments.listen or 0.0))

    async def recorded() -> tuple[list[str], bool]:
        async with opened_page(arguments, url, whole) as page:
            part = page.console if arguments.command == "console" else page.network
            async with printing(page, arguments) as printed:
                await part.start(timeout=deadline)
                interrupted = await listen(page, url, arguments, deadline, whole)
                await part.start(timeout=whole)  # until all that there is by now has come
            lines = await record_lines(page, arguments, whole, printed)
            for notice in part.notices:
                say(f"hybridsnap: {notice}")
            return lines, interrupted

    try:
        lines, interrupted = trio.run(recorded)
    except ValueError as error:
        raise UsageError(f"--{error}") from error
    write_text("".join(f"{line}\n" for line in lines), None)
    if interrupted:
        raise KeyboardInterrupt
    return WHOLE


def _trace(arguments: argparse.Namespace, deadline: Deadline) -> int:
    from hybridsnap.cli.tracing import check_trace_options, summary_lines, trace_page

    check_outputs(arguments, ("output",), [])
    url = choose_page(arguments, deadline)
    check_trace_options(arguments, url)
    import trio

    whole = Deadline(deadline.at + (arguments.listen or 0.0))

    async def traced() -> tuple[TraceSummary, int, bool]:
        async with opened_page(arguments, url, whole) as page:
            return await trace_page(page, url, arguments, deadline, whole)

    summary, frames, interrupted = trio.run(traced)
    write_text("".join(f"{line}\n" for line in summary_lines(summary, as_json=arguments.json)), None)
    if arguments.frames is not None:
        say(f"hybridsnap: {frames} frames in {arguments.frames}")
    if interrupted:
        raise KeyboardInterrupt
    return WHOLE


def _storage(arguments: argparse.Namespace, deadline: Deadline) -> int:
    from hybridsnap.cli.saving import storage_lines

    check_outputs(arguments, (), [])
    url = choose_page(arguments, deadline)
    lines = _on_page(arguments, url, deadline, lambda page: storage_lines(page, arguments, deadline))
    if not lines:
        say("hybridsnap: the page keeps nothing: no cookies, no localStorage, no sessionStorage")
    write_text("".join(f"{line}\n" for line in lines), None)
    return WHOLE


def _devices(arguments: argparse.Namespace, _: Deadline) -> int:
    from hybridsnap.client.devices import device_names

    names = device_names(arguments.text)
    if not names:
        raise UsageError(f"no device has {arguments.text!r:.60} in its name; hybridsnap devices lists all")
    write_text("".join(f"{name}\n" for name in names), None)
    return WHOLE


def _save(arguments: argparse.Namespace, deadline: Deadline) -> int:
    from hybridsnap.cli.saving import check_save, save_page

    check_outputs(arguments, ("output",), [])
    check_save(arguments)
    try:
        url = choose_page(arguments, deadline)
        data = _on_page(arguments, url, deadline, lambda page: save_page(page, arguments, deadline))
    except ValueError as error:
        if isinstance(error, HybridsnapError):
            raise
        raise UsageError(str(error)) from error
    write_bytes(data, arguments.output)
    return WHOLE


def _on_page(
    arguments: argparse.Namespace, url: str | None, deadline: Deadline, ask: Callable[[Page], Awaitable[T]]
) -> T:
    """What the page that is meant answers."""
    import trio

    async def asked() -> T:
        async with opened_page(arguments, url, deadline) as page:
            await go(page, url, arguments, deadline)
            return await ask(page)

    return trio.run(asked)


def _serve(arguments: argparse.Namespace, deadline: Deadline) -> int:
    try:
        from hybridsnap.server.command import serve_command
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "hybridsnap":
            raise
        raise UsageError(
            f"hybridsnap serve needs {error.name}, which is not installed: pip install 'hybridsnap[server]'"
        ) from error
    serve_command(arguments, deadline, lambda line: write_text(line + "\n", None))
    return WHOLE


def _doctor(arguments: argparse.Namespace, deadline: Deadline) -> int:
    from hybridsnap.cli.doctor import examine

    lines, healthy = examine(arguments.browser, deadline)
    write_text("\n".join(lines) + "\n", None)
    return WHOLE if healthy else FAILED


def _mcp(arguments: argparse.Namespace, _deadline: Deadline) -> int:
    check_mcp(arguments)
    from hybridsnap.mcp import missing_extra

    if missing := missing_extra(arguments.transport):
        raise UsageError(missing)
    from hybridsnap.mcp.serving import serve

    serve(arguments)
    return WHOLE


def _tool(arguments: argparse.Namespace, _deadline: Deadline) -> int:
    from hybridsnap.cli.tool import do_tool, read_tool_arguments, tool_schema

    if arguments.schema is not None:
        if arguments.arguments is not None:
            raise UsageError("--schema prints what the tool takes, and does nothing; leave ARGUMENTS out")
        write_text(json.dumps(tool_schema(arguments.schema), ensure_ascii=False, indent=2) + "\n", None)
        return WHOLE
    result = do_tool(read_tool_arguments(arguments), arguments)
    write_text(json.dumps(result, ensure_ascii=False) + "\n", None)
    return WHOLE if result["success"] else FAILED


_COMMANDS: dict[str, Callable[[argparse.Namespace, Deadline], int]] = {
    "snapshot": _snapshot,
    "act": _act,
    "evaluate": _evaluate,
    "console": _recorded,
    "network": _recorded,
    "trace": _trace,
    "storage": _storage,
    "save": _save,
    "devices": _devices,
    "view": _view,
    "doctor": _doctor,
    "tool": _tool,
    "mcp": _mcp,
    "serve": _serve,
}


def _fail(error: BaseException, hint: str = "") -> None:
    """One line on stderr, and what the report knows beside."""
    beside = f"; {hint}" if hint else ""
    say(f"hybridsnap: {clean_text(str(error)) or type(error).__name__}{beside}")
    if isinstance(error, CaptureFailed) and error.report is not None and len(error.report.frames) > 1:
        say(render_report(error.report, gaps_only=True))


def _unwrap(error: BaseException) -> BaseException:
    """The one error inside exception groups, when there is only one."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _is_interruption(error: BaseException) -> bool:
    """Whether Ctrl-C is behind an error: what is cut off by it may fail in its own way."""
    open_errors, seen = [error], set[int]()
    while open_errors:
        one = open_errors.pop()
        if isinstance(one, KeyboardInterrupt):
            return True
        if id(one) not in seen:
            seen.add(id(one))
            further = one.exceptions if isinstance(one, BaseExceptionGroup) else ()
            open_errors += [each for each in (*further, one.__context__, one.__cause__) if each is not None]
    return False


def _take_process() -> None:
    """Set up what belongs to the process: nothing else runs in it."""
    # As Ctrl-C: a tab that was opened is closed, a browser that was started is ended. Scripts have what they
    # start in the background ignore Ctrl-C.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Help as what is captured: in UTF-8, also where the locale has no "…".
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    arguments: argparse.Namespace | None = None
    age = process_age() if argv is None else 0.0
    if argv is None:
        _take_process()
    try:
        arguments = build_parser(__version__).parse_args(argv)
        if arguments.command is None:
            raise UsageError("what is to be done? hybridsnap snapshot URL, or hybridsnap doctor (see --help)")
        if arguments.debug:
            import logging

            logging.basicConfig(level=logging.DEBUG, format="%(name)s: %(message)s")
        deadline = Deadline(time.monotonic() + max(0.0, arguments.timeout - age))
        return _COMMANDS[arguments.command](arguments, deadline)
    except SystemExit as leaving:  # --help, --version
        return int(leaving.code or 0)
    except BaseException as caught:  # noqa: BLE001 - the last line of defence: one line, no traceback
        error = _unwrap(caught)
        if getattr(arguments, "debug", False):
            import traceback

            traceback.print_exception(error)
        if isinstance(error, UsageError) or (isinstance(error, SelectorError) and error.reason == "syntax"):
            say(f"hybridsnap: {clean_text(str(error))}")
            return USAGE
        if _is_interruption(caught):
            say("hybridsnap: interrupted")
            return INTERRUPTED
        if not isinstance(error, HybridsnapError):
            say(
                f"hybridsnap: this is a bug in hybridsnap: {type(error).__name__}: {clean_text(str(error))}"
                " (--debug shows where)"
            )
            return FAILED
        _fail(error)
        return FAILED
