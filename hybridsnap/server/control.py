"""What a server does when it is asked to: snapshots, actions, scripts, tabs.

Here is no HTTP: requests come in as messages, answers go out as JSON data, errors as exceptions.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.act.receipt import Receipt
from hybridsnap.client.requests import parse_action
from hybridsnap.deadline import LOADING_SHARE, Deadline
from hybridsnap.errors import (
    CommandError,
    DeadlineExceeded,
    DownloadFailed,
    HybridsnapError,
    NavigationFailed,
)
from hybridsnap.render.content import RenderOptions
from hybridsnap.render.formats import FORMATS, JSON_FORMAT, check_options
from hybridsnap.server.messages import Milliseconds
from hybridsnap.server.problems import Refused, bad_request, data_of, problem_of
from hybridsnap.server.vetting import vetting_time

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hybridsnap.client.downloads import Download
    from hybridsnap.client.navigating import Navigation
    from hybridsnap.client.page import Page
    from hybridsnap.client.requests import ActionRequest
    from hybridsnap.server.addresses import AddressRules
    from hybridsnap.server.browsers import BrowserKeeper, Browsers
    from hybridsnap.server.folders import Folders
    from hybridsnap.server.messages import (
        ActRequest,
        EvaluateRequest,
        ExpandRequest,
        Rendered,
        SnapshotRequest,
        TabRequest,
    )
    from hybridsnap.server.sessions import ClientSession, HeldTab, Sessions
    from hybridsnap.server.settings import Settings
    from hybridsnap.server.turns import PageTurns, Places
    from hybridsnap.server.vetting import Vetter
    from hybridsnap.snapshot import Snapshot

#: Done whoever has the page's turn: what has it may be waiting for just this.
_OUT_OF_TURN = frozenset({"answer_dialog"})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A server's means.

    Attributes:
        settings: what is allowed.
        browsers, sessions: those of the server.
        turns, places: who is next.
        rules: where browsers may go.
        folders: for files.
        vetter: of what may be told.
    """

    settings: Settings
    browsers: Browsers
    sessions: Sessions
    turns: PageTurns
    places: Places
    rules: AddressRules
    folders: Folders
    vetter: Vetter

    async def snapshot(
        self, request: SnapshotRequest, session: ClientSession, deadline: Deadline
    ) -> dict[str, Any]:
        """``POST /control/snapshot``."""
        if request.close and (request.url is None or request.target_id is not None):
            raise bad_request("close is for a url that is opened in a new tab")
        _check_rendering(request)
        keeper = self.browsers.keeper(request.browser_id)
        url = None if request.url is None else await self.rules.check_url(request.url, deadline)
        if url is not None and request.target_id is None:
            held = await self.sessions.open_tab(session, keeper, deadline)
        else:
            held = await self.sessions.tab(session, keeper, request.target_id, deadline, takes_url=True)
        try:
            async with self.turns.of(held.page, deadline):
                if url is not None:
                    await self._go(held, url, request.wait, deadline.share(LOADING_SHARE))
                snapshot = await self._captured(held, request, deadline)
        except BaseException:
            if url is not None and request.target_id is None:
                await self._close(session, held)
            raise
        if request.close:
            await self._close(session, held)
        return _answer(snapshot, request, held, session)

    async def expand(
        self, request: ExpandRequest, session: ClientSession, deadline: Deadline
    ) -> dict[str, Any]:
        """``POST /control/expand``."""
        _check_rendering(request)
        held = await self._held(request.browser_id, request.target_id, session, deadline)
        async with self.turns.of(held.page, deadline), self.places.capture(held.page, deadline):
            async with self.vetter.capture_of(held, deadline):
                snapshot = await held.page.expand(request.element_id, timeout=_left(deadline))
            await self.vetter.check(held, vetting_time(deadline), snapshot)
        return _answer(snapshot, request, held, session)

    async def act(
        self,
        request: ActRequest,
        actions: Sequence[dict[str, Any]],
        session: ClientSession,
        deadline: Deadline,
    ) -> list[dict[str, Any]]:
        """``POST /control/act``: what came of each action, in order.

        Returns:
            ``{"index", "ok": true, "action", "result" …}`` each, or ``{"index", "ok": false, "problem"}``.
            Without `stop_on_error` there is one for each action.
        """
        parsed = [_parsed(number, action) for number, action in enumerate(actions)]
        for one, _ in parsed:
            self._permit(one)
        folder = None if request.download is None else self.folders.download_folder(request.download.folder)
        held = await self._held(request.browser_id, request.target_id, session, deadline)
        results: list[dict[str, Any]] = []
        async with contextlib.AsyncExitStack() as stack:
            if any(one.name not in _OUT_OF_TURN for one, _ in parsed):
                await stack.enter_async_context(self.turns.of(held.page, deadline))
            if folder is None:
                await self._do_all(held, parsed, results, request.stop_on_error, deadline)
                return results
            assert request.download is not None
            most = request.download.max_bytes
            try:
                download = await self._do_and_save(
                    held, parsed, results, request.stop_on_error, (folder, most), deadline
                )
            except _NotDone:
                return results
            except DownloadFailed as error:
                problem = _body_of(error)
                problem["fields"]["receipt"] = results[-1].get("receipt")  # the action itself was done
                results[-1] |= {"ok": False, "problem": problem}
                return results
            except Refused as refused:
                told = {key: results[-1][key] for key in ("index", "action")}
                results[-1] = {**told, "ok": False, "problem": _body_of(refused)}
                return results
        results[-1]["download"] = {
            "url": download.url,
            "fileName": download.suggested_name,
            "path": None if download.path is None else str(download.path),
            "receivedBytes": download.received,
        }
        return results

    async def evaluate(
        self, request: EvaluateRequest, session: ClientSession, deadline: Deadline
    ) -> dict[str, Any]:
        """``POST /control/evaluate``. It waits for no turn: a script that is stuck holds nothing up."""
        if not self.settings.allow_evaluate:
            raise _evaluate_off()
        held = await self._held(request.browser_id, request.target_id, session, deadline)
        await self.vetter.check(held, deadline)
        async with self.vetter.error_of(held, _left(deadline)):
            value = await held.page.evaluate(
                request.expression,
                *request.args,
                element=request.element_id,
                isolated_world=request.isolated_world,
                timeout=deadline,
            )
        await self.vetter.check_done(held, deadline)
        return {"value": data_of(value), **_whose(held, session)}

    async def open_tab(
        self, request: TabRequest, session: ClientSession, deadline: Deadline
    ) -> dict[str, Any]:
        """``POST /tabs``."""
        keeper = self.browsers.keeper(request.browser_id)
        url = None if request.url is None else await self.rules.check_url(request.url, deadline)
        held = await self.sessions.open_tab(session, keeper, deadline)
        answer: dict[str, Any] = {"navigation": None}
        if url is not None:
            try:
                async with self.turns.of(held.page, deadline):
                    answer["navigation"] = data_of(await self._go(held, url, request.wait, deadline))
                    if not self.vetter.has_door(held):  # what is told is where it is, nothing of its frames
                        await self.rules.check_shown([held.page.url], vetting_time(deadline))
            except BaseException:
                await self._close(session, held)
                raise
        return {"url": held.page.url, **answer, **_whose(held, session)}

    async def list_tabs(
        self, browser_id: str | None, session: ClientSession, deadline: Deadline
    ) -> list[dict[str, Any]]:
        """``GET /tabs``: the session's own, and those that were there before; of all browsers by default."""
        keepers = list(self.browsers) if browser_id is None else [self.browsers.keeper(browser_id)]
        tabs = []
        for keeper in keepers:
            browser = await keeper.get(deadline)
            for info in await browser.page_infos():
                target_id = str(info["targetId"])
                if self.sessions.visible(session, keeper, target_id):
                    held = session.tabs.get((keeper.id, target_id))
                    may = await self._may_show(keeper, held, info, deadline)
                    tabs.append(
                        {
                            "browserId": keeper.id,
                            "targetId": target_id,
                            "url": info["url"],
                            "title": info.get("title", "") if may else "",
                            "openerId": info.get("openerId"),
                            "own": held is not None and held.own,
                        }
                    )
        return tabs

    async def close_tab(
        self, browser_id: str | None, target_id: str | None, session: ClientSession, deadline: Deadline
    ) -> None:
        """``DELETE /tabs``."""
        held = await self._held(browser_id, target_id, session, deadline)
        await self.sessions.close_tab(session, held)

    async def _held(
        self, browser_id: str | None, target_id: str | None, session: ClientSession, deadline: Deadline
    ) -> HeldTab:
        keeper: BrowserKeeper = self.browsers.keeper(browser_id)
        return await self.sessions.tab(session, keeper, target_id, deadline)

    async def _close(self, session: ClientSession, held: HeldTab) -> None:
        with contextlib.suppress(HybridsnapError):
            await self.sessions.close_tab(session, held)

    async def _captured(self, held: HeldTab, request: SnapshotRequest, deadline: Deadline) -> Snapshot:
        async with self.places.capture(held.page, deadline):
            if request.screenshot:  # it shows also what is gone by the time it has come
                await self.vetter.check(held, _left(deadline))
            async with self.vetter.capture_of(held, deadline):
                snapshot = await held.page.snapshot(
                    timeout=_left(deadline),
                    pierce_shadow=request.pierce_shadow,
                    include_iframes=request.include_iframes,
                    focus=request.focus,
                    focus_nth=request.focus_nth,
                    focus_missing=request.focus_missing,
                    ignore=request.ignore,
                    layout=request.layout or request.visible_only,
                    screenshot=request.screenshot,
                )
        await self.vetter.check(held, vetting_time(deadline), snapshot)
        return snapshot

    async def _go(self, held: HeldTab, url: str, wait: Any, deadline: Deadline) -> Navigation:
        held.vetting.on = True
        async with self.vetter.error_of(held, deadline):
            return await held.page.goto(url, wait=wait, timeout=deadline)

    async def _may_show(
        self, keeper: BrowserKeeper, held: HeldTab | None, info: dict[str, Any], deadline: Deadline
    ) -> bool:
        """Whether a tab's title may be told; not that of one that does not say what it shows."""
        try:
            if held is not None:
                await self.vetter.check(held, deadline)
            elif self.sessions.led(keeper, str(info["targetId"]), str(info["url"])):
                await self.rules.check_shown([str(info["url"])], deadline)
        except (Refused, CommandError, NavigationFailed):
            return False
        return True

    def _permit(self, action: ActionRequest) -> None:
        """See whether an action is allowed here."""
        if action.name == "wait_for" and "function" in action.arguments and not self.settings.allow_evaluate:
            raise _evaluate_off()

    async def _do_all(
        self,
        held: HeldTab,
        actions: Sequence[tuple[ActionRequest, float | None]],
        results: list[dict[str, Any]],
        stop_on_error: bool,
        deadline: Deadline,
    ) -> None:
        for index, (action, seconds) in enumerate(actions):
            until = deadline if seconds is None else deadline.earlier(Deadline.after(seconds))
            try:
                done = await self._do(held, action, until)
                results.append({"index": index, "ok": True, "action": action.name, **done})
            except Exception as error:  # noqa: BLE001 - a bug is raised again by `_body_of`
                problem = _body_of(error)
                results.append({"index": index, "ok": False, "action": action.name, "problem": problem})
                if stop_on_error:
                    return

    async def _do_and_save(
        self,
        held: HeldTab,
        actions: Sequence[tuple[ActionRequest, float | None]],
        results: list[dict[str, Any]],
        stop_on_error: bool,
        place: tuple[Path, int | None],
        deadline: Deadline,
    ) -> Download:
        """`_do_all`, and the download that comes of it, in a folder and not larger than so many bytes.

        Raises:
            _NotDone: the last action failed, and nothing is waited for.
            DownloadFailed: it was not saved.
            Refused: its address is; nothing is left of it.
        """
        folder, most = place
        try:
            async with held.page.expect_download(folder, max_bytes=most, timeout=_left(deadline)) as download:
                await self._do_all(held, actions, results, stop_on_error, deadline)
                _check_done(results[-1])
                await self.vetter.check_done(held, deadline, [download.url])
        except DownloadFailed as error:
            await self.vetter.check_done(held, deadline, [error.url])
            raise
        try:  # it need not have begun when the last action had ended
            await self.vetter.check_done(held, deadline, [download.url])
        except BaseException:
            if download.path is not None:
                download.path.unlink(missing_ok=True)
            raise
        return download

    async def _do(self, held: HeldTab, action: ActionRequest, deadline: Deadline) -> dict[str, Any]:
        page: Page = held.page
        _left(deadline)
        arguments = dict(action.arguments)
        if action.name == "goto":  # which may lead away from what may not be shown
            arguments["url"] = await self.rules.check_url(arguments["url"], deadline)
            held.vetting.on = True
        else:
            await self.vetter.check(held, deadline)
        async with self.vetter.error_of(held, deadline):
            result = await dataclasses.replace(action, arguments=arguments).perform(page, deadline)
        files = [one.url for one in result.downloads] if isinstance(result, Receipt) else []
        await self.vetter.check_done(held, deadline, files)
        if isinstance(result, Receipt):
            return {"receipt": data_of(result), "text": str(result)}
        return {"value": data_of(result)}


class _NotDone(Exception):
    """Ends the waiting for the download of actions that failed."""


def _check_done(result: dict[str, Any]) -> None:
    if not result["ok"]:
        raise _NotDone


def _body_of(error: Exception) -> dict[str, Any]:
    """An error as data.

    Raises:
        Exception: it is a bug.
    """
    problem = problem_of(error)
    if problem is None:
        raise error
    return problem.body


def _left(deadline: Deadline) -> Deadline:
    """The deadline, when there is any time left.

    Raises:
        DeadlineExceeded: there is none.
    """
    if deadline.expired:
        raise DeadlineExceeded("the time was up before it was this request's turn; allow more time")
    return deadline


def _parsed(number: int, action: dict[str, Any]) -> tuple[ActionRequest, float | None]:
    """An action, and its own budget in seconds, if it has one."""
    if not isinstance(action, dict):
        raise bad_request(f"action {number} is no object")
    data = dict(action)
    budget = data.pop("timeoutMs", None)
    try:
        if budget is not None:
            budget = msgspec.convert(budget, Milliseconds)
        return parse_action(data), None if budget is None else budget / 1000
    except (ValueError, msgspec.ValidationError) as error:
        raise bad_request(f"action {number}: {error}") from None


def _check_rendering(request: Rendered) -> None:
    """Refuse what cannot be rendered, before a browser is asked for anything."""
    try:
        check_options(
            request.format, FORMATS.get(request.format, JSON_FORMAT), RenderOptions(**request.options())
        )
    except ValueError as error:
        raise bad_request(str(error)) from None


def _whose(held: HeldTab, session: ClientSession) -> dict[str, Any]:
    return {
        "browserId": held.keeper.id,
        "targetId": str(held.page.target_id),
        "sessionId": session.id,
    }


def _answer(snapshot: Snapshot, request: Rendered, held: HeldTab, session: ClientSession) -> dict[str, Any]:
    """A snapshot in the shape of document 004, and what was asked for beside."""
    data = snapshot.to_dict(all_xpaths=request.all_xpaths)
    if request.format != "json":
        for name in ("version", "perFrame", "rows"):
            del data[name]
    options = request.options()
    if request.format != "json" and (request.format != "tree" or options or request.max_tokens):
        data["text"] = str(snapshot.render(request.format, max_tokens=request.max_tokens, **options))
    return {**data, **_whose(held, session)}


def _evaluate_off() -> Refused:
    return Refused(
        403, "EvaluateOff", "scripts are not evaluated here", "the server allows it with --allow-evaluate"
    )
