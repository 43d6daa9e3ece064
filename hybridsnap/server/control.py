"""What a server does when it is asked to: snapshots, actions, scripts, tabs.

This module knows nothing of HTTP: requests come in as messages, answers go out as JSON data, errors as
exceptions.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.act.receipt import Receipt
from hybridsnap.deadline import LOADING_SHARE, Deadline
from hybridsnap.errors import (
    CommandError,
    DeadlineExceeded,
    DownloadFailed,
    HybridsnapError,
    NavigationFailed,
    UnknownKey,
)
from hybridsnap.json_data import words_of_mismatch
from hybridsnap.server.messages import Milliseconds, bad_request, read_naming
from hybridsnap.server.parts import File
from hybridsnap.service.content_policy import checking_time
from hybridsnap.service.downloads import saving_download, tell_saved
from hybridsnap.service.errors import ApiError
from hybridsnap.service.problems import data_of, problem_of
from hybridsnap.service.rendering import check_rendering, given_options
from hybridsnap.service.steps import check_arrived, read_action

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.client.navigating import Navigation
    from hybridsnap.server.messages import (
        ActRequest,
        EvaluateRequest,
        ExpandRequest,
        Rendered,
        SnapshotRequest,
        TabRequest,
    )
    from hybridsnap.server.questions import Question
    from hybridsnap.server.sessions import ClientSession, HeldTab, Sessions
    from hybridsnap.server.settings import Settings
    from hybridsnap.service.addresses import AddressPolicy
    from hybridsnap.service.browser_pool import BrowserPool, PooledBrowser
    from hybridsnap.service.content_policy import ContentPolicy
    from hybridsnap.service.folders import Folders
    from hybridsnap.service.page_lock import CaptureSlots, PageLocks
    from hybridsnap.service.steps import ServedAction
    from hybridsnap.snapshot import Snapshot

#: Done whoever has the page's turn: what has it may be waiting for just this.
_OUT_OF_TURN = frozenset({"answer_dialog"})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A server's means.

    Attributes:
        settings: what is allowed.
        browsers, sessions: those of the server.
        locks, slots: who is next.
        addresses: where browsers may go.
        folders: for files.
        content: which content may be returned.
    """

    settings: Settings
    browsers: BrowserPool
    sessions: Sessions
    locks: PageLocks
    slots: CaptureSlots
    addresses: AddressPolicy
    folders: Folders
    content: ContentPolicy

    async def snapshot(
        self, request: SnapshotRequest, session: ClientSession, deadline: Deadline
    ) -> dict[str, Any]:
        """``POST /control/snapshot``."""
        if request.close and (request.url is None or request.target_id is not None):
            raise bad_request("close is for a url that is opened in a new tab")
        if request.viewport is not None and (request.url is None or request.target_id is not None):
            raise bad_request("viewport is for a url that is opened in a new tab")
        _check_rendered(request)
        pooled = self.browsers.find(request.browser_id)
        url = None if request.url is None else await self.addresses.check_url(request.url, deadline)
        if url is not None and request.target_id is None:
            held = await self.sessions.open_tab(session, pooled, deadline, request.viewport)
        else:
            held = await self.sessions.tab(session, pooled, request.target_id, deadline, takes_url=True)
        navigation: Navigation | None = None
        try:
            async with self.locks.hold(held.page, deadline):
                if url is not None:
                    navigation = await self._go(held, url, request.wait, deadline.share(LOADING_SHARE))
                snapshot = await self.capture(held, request, deadline)
                refused = await self.content.refusals(held, deadline, snapshot)
            answer = _answer_snapshot(snapshot, refused, request, held, session)
        except BaseException:
            if url is not None and request.target_id is None:
                await self._close(session, held)
            raise
        if request.close:
            await self._close(session, held)
        if navigation is not None and navigation.ended_by == "traffic":
            # Without the hosts: the rules may hide some.
            words = f"the network was not idle within {navigation.elapsed_ms / 1000:.1f} s"
            answer["report"]["notes"] = [*answer["report"]["notes"], words]
        return answer

    async def expand(
        self, request: ExpandRequest, session: ClientSession, deadline: Deadline
    ) -> dict[str, Any]:
        """``POST /control/expand``."""
        _check_rendered(request)
        element, naming = read_naming(request)
        held = await self.find_tab(request.browser_id, request.target_id, session, deadline)
        async with self.locks.hold(held.page, deadline), self.slots.take(held.page, deadline):
            expanding = held.page.expand(element, timeout=_left(deadline), **naming)
            snapshot = await self.content.captured(held, deadline, expanding)
            refused = await self.content.refusals(held, deadline, snapshot)
        return _answer_snapshot(snapshot, refused, request, held, session)

    async def act(
        self,
        request: ActRequest,
        actions: Sequence[dict[str, Any] | str],
        session: ClientSession,
        deadline: Deadline,
    ) -> list[dict[str, Any]]:
        """``POST /control/act``: the result of each action, in order.

        Returns:
            ``{"index", "ok": true, "action", "result" …}`` each, or ``{"index", "ok": false, "problem"}``.
            Without `stop_on_error` there is one for each action.
        """
        parsed = [_parsed(number, action) for number, action in enumerate(actions)]
        for one, _ in parsed:
            self.permit(one)
        folder = None if request.download is None else self.folders.download_folder(request.download.folder)
        held = await self.find_tab(request.browser_id, request.target_id, session, deadline)
        results: list[dict[str, Any]] = []
        async with contextlib.AsyncExitStack() as stack:
            if any(one.name not in _OUT_OF_TURN for one, _ in parsed):
                await stack.enter_async_context(self.locks.hold(held.page, deadline))
            if folder is None:
                await self._do_all(held, parsed, results, request.stop_on_error, deadline)
                return results
            assert request.download is not None
            most, until = request.download.max_bytes, _left(deadline)
            saving = saving_download(self.content, held, folder, max_bytes=most, deadline=until)
            try:
                async with saving as download:
                    done = await self._do_all(held, parsed, results, request.stop_on_error, deadline)
                    if not results[-1]["ok"]:
                        raise _NotDone  # noqa: TRY301 - the block waits for a download
            except _NotDone:
                return results
            except DownloadFailed as error:
                problem = _body_of(error)
                problem["fields"]["receipt"] = results[-1].get("receipt")  # the action itself was done
                results[-1] |= {"ok": False, "problem": problem}
                return results
            except ApiError as refused:
                told = {key: results[-1][key] for key in ("index", "action")}
                results[-1] = {**told, "ok": False, "problem": _body_of(refused)}
                return results
        for index, result in done.items():
            results[index] |= _answer_of(tell_saved(result, download))
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
        element, naming = read_naming(request)
        held = await self.find_tab(request.browser_id, request.target_id, session, deadline)
        async with self.content.checked(held, deadline) as page:
            value = await page.evaluate(
                request.expression,
                *request.args,
                element=element,
                isolated_world=request.isolated_world,
                timeout=_left(deadline),
                **naming,
            )
        return {"value": data_of(value), **_whose(held, session)}

    async def ask(
        self, question: Question, request: Any, session: ClientSession, deadline: Deadline
    ) -> dict[str, Any] | File:
        """``POST /control/console`` and the like: `hybridsnap.server.questions`."""
        if question.permit is not None:
            question.permit(self.settings, request)
        held = await self.find_tab(request.browser_id, request.target_id, session, deadline)
        async with contextlib.AsyncExitStack() as stack:
            if question.in_turn:
                await stack.enter_async_context(self.locks.hold(held.page, deadline))
            if question.captures:
                await stack.enter_async_context(self.slots.take(held.page, deadline))
            found = await question.reply(request, held, self.content, _left(deadline))
        return found if isinstance(found, File) else {**found, **_whose(held, session)}

    async def open_tab(
        self, request: TabRequest, session: ClientSession, deadline: Deadline
    ) -> dict[str, Any]:
        """``POST /tabs``."""
        pooled = self.browsers.find(request.browser_id)
        url = None if request.url is None else await self.addresses.check_url(request.url, deadline)
        held = await self.sessions.open_tab(session, pooled, deadline, request.viewport)
        answer: dict[str, Any] = {"navigation": None}
        if url is not None:
            try:
                async with self.locks.hold(held.page, deadline):
                    answer["navigation"] = data_of(await self._go(held, url, request.wait, deadline))
                    if not held.proxied:  # what is told is where it is, nothing of its frames
                        await self.addresses.check_shown([held.page.url], checking_time(deadline))
            except BaseException:
                await self._close(session, held)
                raise
        return {"url": held.page.url, **answer, **_whose(held, session)}

    async def list_tabs(
        self, browser_id: str | None, session: ClientSession, deadline: Deadline
    ) -> list[dict[str, Any]]:
        """``GET /tabs``: the session's own, and those that were there before; of all browsers by default."""
        pooled_browsers = list(self.browsers) if browser_id is None else [self.browsers.find(browser_id)]
        tabs = []
        for pooled in pooled_browsers:
            browser = await pooled.get(deadline)
            for info in await browser.page_infos(timeout=checking_time(deadline)):
                target_id = str(info["targetId"])
                if self.sessions.visible(session, pooled, target_id):
                    held = session.tabs.get((pooled.id, target_id))
                    may = await self._may_show(pooled, held, info, deadline)
                    tabs.append(
                        {
                            "browserId": pooled.id,
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
        held = await self.find_tab(browser_id, target_id, session, deadline)
        await self.sessions.close_tab(session, held)

    async def find_tab(
        self, browser_id: str | None, target_id: str | None, session: ClientSession, deadline: Deadline
    ) -> HeldTab:
        """The tab that a request means."""
        return await self.sessions.tab(session, self.browsers.find(browser_id), target_id, deadline)

    async def _close(self, session: ClientSession, held: HeldTab) -> None:
        with contextlib.suppress(HybridsnapError):
            await self.sessions.close_tab(session, held)

    async def capture(self, held: HeldTab, request: SnapshotRequest, deadline: Deadline) -> Snapshot:
        """A snapshot of a tab whose turn it is, as far as what it shows may be returned."""
        async with self.slots.take(held.page, deadline):
            if request.screenshot:  # it shows also what is gone by the time it has come
                await self.content.check(held, _left(deadline))
            capturing = held.page.snapshot(
                timeout=_left(deadline),
                pierce_shadow=request.pierce_shadow,
                include_iframes=request.include_iframes,
                focus=request.focus,
                focus_nth=request.focus_nth,
                focus_missing=request.focus_missing,
                ignore=request.ignore,
                layout=request.layout or request.visible_only or request.detail == "rich",
                screenshot=request.screenshot,
            )
            return await self.content.captured(held, deadline, capturing)

    async def _go(self, held: HeldTab, url: str, wait: Any, deadline: Deadline) -> Navigation:
        held.seen.enforced = True
        async with self.content.checking_errors(held, deadline):
            return await held.page.goto(url, wait=wait, timeout=deadline)

    async def _may_show(
        self, pooled: PooledBrowser, held: HeldTab | None, info: dict[str, Any], deadline: Deadline
    ) -> bool:
        """Whether a tab's title may be told; not that of one that does not say what it shows."""
        try:
            if held is not None:
                await self.content.check(held, deadline)
            elif self.sessions.seen.led(pooled, str(info["targetId"]), str(info["url"])):
                await self.addresses.check_shown([str(info["url"])], deadline)
        except (ApiError, CommandError, NavigationFailed):
            return False
        return True

    def permit(self, action: ServedAction) -> None:
        """See whether an action is allowed here."""
        runs_script = action.name == "evaluate" or (
            action.name == "wait_for" and "function" in action.arguments
        )
        if runs_script and not self.settings.allow_evaluate:
            raise _evaluate_off()

    async def _do_all(
        self,
        held: HeldTab,
        actions: Sequence[tuple[ServedAction, float | None]],
        results: list[dict[str, Any]],
        stop_on_error: bool,
        deadline: Deadline,
    ) -> dict[int, Any]:
        """Add what each action came to; returns what those that were done came to, by their index."""
        done: dict[int, Any] = {}
        for index, (action, seconds) in enumerate(actions):
            until = deadline if seconds is None else deadline.earlier(Deadline.after(seconds))
            try:
                result, refused = await self._perform(held, action, until)
                if index + 1 < len(actions):
                    check_arrived(result, held.page)
                answer = {**_answer_of(result), **refused}
                results.append({"index": index, "ok": True, "action": action.name, **answer})
                done[index] = result
            except Exception as error:  # noqa: BLE001 - a bug is raised again by `_body_of`
                problem = _body_of(error)
                results.append({"index": index, "ok": False, "action": action.name, "problem": problem})
                if stop_on_error:
                    break
        return done

    async def perform(self, held: HeldTab, action: ServedAction, deadline: Deadline) -> dict[str, Any]:
        """Do an action in a tab whose turn it is: the fields of `answers.ActAnswer` that it comes to."""
        result, refused = await self._perform(held, action, deadline)
        return {**_answer_of(result), **refused}

    async def _perform(
        self, held: HeldTab, action: ServedAction, deadline: Deadline
    ) -> tuple[Any, dict[str, Any]]:
        """Do it: what it returned, and which addresses were refused."""
        _left(deadline)
        arguments = dict(action.arguments)
        if action.name == "goto":  # which may lead away from what may not be shown
            arguments["url"] = await self.addresses.check_url(arguments["url"], deadline)
            held.seen.enforced = True
        else:
            await self.content.check(held, deadline)
        async with self.content.checking_errors(held, deadline):
            result = await dataclasses.replace(action, arguments=arguments).perform(held.page, deadline)
        files = [download.url for one in _receipts_in(result) for download in one.downloads]
        await self.content.check_done(held, deadline, files)
        refused = await self.content.refusals(held, deadline)
        return result, {"refused": [_body_of(one) for one in refused]} if refused else {}


def _receipts_in(result: Any) -> list[Receipt]:
    return [one for one in (result if isinstance(result, tuple) else (result,)) if isinstance(one, Receipt)]


def _answer_of(result: Any) -> dict[str, Any]:
    """What an action returned, as fields of `answers.ActAnswer`."""
    if isinstance(result, Receipt):
        return {"receipt": data_of(result), "text": str(result)}
    receipts = _receipts_in(result)
    if not receipts:
        return {"value": data_of(result)}
    text = "\n".join(map(str, receipts))  # a step of several parts
    return {"receipt": data_of(receipts[-1]), "receipts": data_of(receipts), "text": text}


class _NotDone(Exception):
    """Ends the waiting for the download of actions that failed."""


def _body_of(error: Exception) -> dict[str, Any]:
    """An error as data; a bug is raised again."""
    problem = problem_of(error)
    if problem is None:
        raise error
    return problem.body


def _left(deadline: Deadline) -> Deadline:
    """The deadline, when there is any time left."""
    if deadline.expired:
        raise DeadlineExceeded("the time was up before it was this request's turn; allow more time")
    return deadline


def _parsed(number: int, action: dict[str, Any] | str) -> tuple[ServedAction, float | None]:
    """An action, and its own budget in seconds, if it has one."""
    data = action if isinstance(action, str) else dict(action)
    budget = None if isinstance(data, str) else data.pop("timeoutMs", None)
    try:
        if budget is not None:
            budget = msgspec.convert(budget, Milliseconds)
        parsed = read_action(data, tabs="a request is for one tab; POST /tabs, DELETE /tabs, targetId")
        return parsed, None if budget is None else budget / 1000
    except msgspec.ValidationError as error:
        raise bad_request(f"action {number}: timeoutMs: {words_of_mismatch(error)}") from None
    except UnknownKey:
        raise
    except ValueError as error:
        raise bad_request(f"action {number}: {error}") from None


def _evaluate_off() -> ApiError:
    return ApiError(
        403, "EvaluateOff", "scripts are not evaluated here", "the server allows it with --allow-evaluate"
    )


def _check_rendered(request: Rendered) -> None:
    """Refuse what cannot be rendered, before a browser is asked for anything."""
    if request.flat and not request.interactive:
        raise bad_request("flat leaves out the ancestors that interactive keeps; send that, too")
    try:
        check_rendering(request.format, given_options(request))
    except ValueError as error:
        raise bad_request(str(error)) from None


def _whose(held: HeldTab, session: ClientSession) -> dict[str, Any]:
    """The fields that every answer about a tab has."""
    return {
        "browserId": held.pooled.id,
        "targetId": str(held.page.target_id),
        "sessionId": session.id,
    }


def _answer_snapshot(
    snapshot: Snapshot,
    refused: Sequence[ApiError],
    request: Rendered,
    held: HeldTab,
    session: ClientSession,
) -> dict[str, Any]:
    """A snapshot in the shape of document 004, and what was asked for beside.

    A frame whose address the rules refuse is missing, whatever error page the browser shows in its place.
    """
    data = snapshot.to_dict(all_xpaths=request.all_xpaths)
    if refused:
        report = data["report"]
        report["complete"] = False
        report["notes"] = [*report["notes"], *(f"{one.name}: {one}; {one.remedy}" for one in refused)]
    if request.format != "json":
        for name in ("version", "perFrame", "rows"):
            del data[name]
    options = given_options(request)
    if request.format != "json" and (request.format != "tree" or options or request.max_tokens):
        rendering = snapshot.render(request.format, max_tokens=request.max_tokens, **options)
        data["text"] = str(rendering)
        data["stats"] = data_of(rendering.stats)
        extras = rendering.extras
        if "refs" in extras:
            data["refs"] = {ref: data_of(one) for ref, one in extras["refs"].items()}
        if "info" in extras:
            data["info"] = data_of(extras["info"])
    return {**data, **_whose(held, session)}
