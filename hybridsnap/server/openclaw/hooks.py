"""Dialogs, file choosers and downloads: ``/hooks/dialog``, ``/hooks/file-chooser``, ``/download``."""

from __future__ import annotations

import functools
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.act.files import checked_paths
from hybridsnap.client.file_names import move_into
from hybridsnap.errors import NoDialog
from hybridsnap.server.messages import bad_request
from hybridsnap.server.openclaw.fields import boolean, exact, text, texts
from hybridsnap.server.openclaw.host import done_in, named_ref, read_step
from hybridsnap.server.openclaw.registry import TARGET, TIMEOUT, route
from hybridsnap.service.downloads import saving_download
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from hybridsnap.client.browser import Page
    from hybridsnap.client.dialog_tracker import ArmedAnswer
    from hybridsnap.deadline import Deadline
    from hybridsnap.server.openclaw.dialogs import PageDialogs
    from hybridsnap.server.openclaw.host import Call, PageState
    from hybridsnap.server.sessions import HeldTab
    from hybridsnap.service.content_policy import ContentPolicy

#: For how long an answer stays ready, and for a download to be complete, ms.
_ARMED_MS = 120_000
_log = logging.getLogger("hybridsnap")
_WITHIN = "within the server's folder for downloads"
_CHOOSER = (
    TARGET,
    texts("paths", "files from the server's folders for uploads", required=True),
    text("ref", "click it, and answer the chooser that opens"),
    text("inputRef", "the input itself"),
    text("element", "a selector of the input"),
    TIMEOUT,
)
_DIALOG = (
    TARGET,
    boolean("accept", "or dismiss", required=True),
    exact("promptText"),
    text("dialogId", "d1"),
    TIMEOUT,
)


@route("POST", "/hooks/dialog", *_DIALOG)
async def dialog(call: Call) -> dict[str, Any]:
    """``POST /hooks/dialog``: answer the dialog that is open, or keep an answer ready for the next one."""
    given, deadline = call.given, call.deadline()
    held = await call.tab(deadline)
    page, dialogs = held.page, call.host.state(held.page).dialogs
    accept, words = given["accept"], given["promptText"]
    pending = dialogs.pending(page)
    named = given["dialogId"]
    if named is not None and named not in [name for _, name in pending]:
        raise ApiError(500, "NoDialog", f"the dialog {named[:20]!r} is not open", "GET /dialogs lists them")
    await call.host.control.content.check(held, deadline)
    if not pending:
        _arm(call, page, dialogs, accept=accept, words=words if accept else None)
        return {"ok": True}
    seen, name = pending[-1]  # Chromium has one at a time
    if named not in {None, name}:
        words = f"the dialog {named!r} cannot be answered before {name}"
        raise ApiError(500, "NoDialog", words, f"answer {name} first")
    text = words if accept and seen.dialog.type == "prompt" else None
    dialogs.answered(name)
    # It waits for no turn: what has the turn may be waiting for just this.
    action = read_step({"action": "answer_dialog", "accept": accept, "text": text})
    try:
        await call.host.control.perform(held, action, deadline)
    except NoDialog:
        if named is not None:
            raise
    return {"ok": True}


def _arm(call: Call, page: Page, dialogs: PageDialogs, *, accept: bool, words: str | None) -> None:
    if dialogs.armed is not None:
        former, waiting = dialogs.armed
        former.disarm()
        waiting.cancel()
    armed, scope = page.arm_dialog(accept, words), trio.CancelScope()
    dialogs.armed = (armed, scope)
    seconds = (call.given["timeoutMs"] or _ARMED_MS) / 1000
    call.host.nursery.start_soon(_disarm_later, armed, scope, seconds)


async def _disarm_later(armed: ArmedAnswer, scope: trio.CancelScope, seconds: float) -> None:
    with scope:
        await trio.sleep(seconds)
        armed.disarm()


@route("POST", "/hooks/file-chooser", *_CHOOSER)
async def file_chooser(call: Call) -> dict[str, Any]:
    """``POST /hooks/file-chooser``: files for an input, for what a click opens, or for the next chooser."""
    given, control = call.given, call.host.control
    paths, ref = given["paths"], given["ref"]
    into = named_ref(given["inputRef"]) if given["inputRef"] else given["element"]
    if into is not None and ref is not None:
        raise bad_request(
            "ref is the element that opens a chooser; inputRef and element name the input itself"
        )
    held, deadline = await call.here(given["timeoutMs"] or _ARMED_MS)
    state = call.host.state(held.page)
    if state.upload is not None:
        scope, ended = state.upload
        scope.cancel()
        await ended.wait()
    if into is None and ref is None:
        files = checked_paths(paths, control.folders.permit_upload)
        await control.content.check(held, deadline)
        waiting = functools.partial(_answer_chooser, held, state, files, control.content, deadline)
        await call.host.nursery.start(waiting)
        return {"ok": True}
    data: dict[str, Any] = {"action": "set_input_files", "element": into, "paths": paths}
    if ref is not None:
        data = {"action": "click", "element": named_ref(ref), "chooserFiles": paths}
    await call.do(held, data, deadline)
    return {"ok": True}


async def _answer_chooser(
    held: HeldTab,
    state: PageState,
    files: list[Path],
    content: ContentPolicy,
    deadline: Deadline,
    *,
    task_status: trio.TaskStatus[None],
) -> None:
    """Wait for the next file chooser, and give it the files; what comes of that, nobody is told."""
    scope, ended = trio.CancelScope(), trio.Event()
    state.upload = (scope, ended)
    is_armed = False
    try:
        with scope:
            async with held.page.expect_file_chooser(timeout=deadline) as chooser:
                is_armed = True
                task_status.started()
            await content.check(held, deadline)
            await chooser.set_files(files, timeout=deadline)
    except Exception as error:
        if not is_armed:
            raise
        # Whoever armed it has its answer; nothing else of the server ends for that.
        _log.warning("a file chooser was not answered: %s", error)
    finally:
        ended.set()
        if state.upload == (scope, ended):
            state.upload = None


@route("POST", "/wait/download", TARGET, text("path", _WITHIN), TIMEOUT, answers=("download",))
async def wait_for_download(call: Call) -> dict[str, Any]:
    """``POST /wait/download``: save the next download."""
    return await _download(call, None)


@route(
    "POST",
    "/download",
    TARGET,
    text("ref", "clicked", required=True),
    text("path", _WITHIN, required=True),
    TIMEOUT,
    answers=("download",),
)
async def download(call: Call) -> dict[str, Any]:
    """``POST /download``: click, and save what that downloads."""
    return await _download(call, call.given["ref"])


async def _download(call: Call, ref: str | None) -> dict[str, Any]:
    given, control = call.given, call.host.control
    wanted = Path(given["path"]) if given["path"] else None
    parent = None if wanted is None or str(wanted.parent) == "." else str(wanted.parent)
    folder = control.folders.download_folder(parent)
    held, deadline = await call.here(given["timeoutMs"] or _ARMED_MS)
    async with saving_download(control.content, held, folder, deadline=deadline) as saved:
        if ref is not None:
            await call.do(held, {"action": "click", "element": named_ref(ref)}, deadline)
    path = saved.path
    if path is not None and wanted is not None and path.name != wanted.name:
        path = await trio.to_thread.run_sync(move_into, path, folder, wanted.name)
    told = {"url": saved.url, "suggestedFilename": saved.suggested_name, "path": str(path)}
    return done_in(held, download=told)
