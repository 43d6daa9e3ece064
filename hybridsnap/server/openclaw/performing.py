"""``POST /act``: an action is done, or each of a batch, until the page goes elsewhere."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from hybridsnap.deadline import Deadline
from hybridsnap.errors import HybridsnapError, NotInteractable
from hybridsnap.server.openclaw.acts import parse_act
from hybridsnap.server.openclaw.host import done, done_in, read_step
from hybridsnap.server.openclaw.refusals import TARGET_ID_MISMATCH, invalid, words_of
from hybridsnap.server.openclaw.registry import TARGET, route
from hybridsnap.service.errors import ApiError
from hybridsnap.service.problems import problem_of

if TYPE_CHECKING:
    from hybridsnap.server.openclaw.acts import Act, Step
    from hybridsnap.server.openclaw.host import Call
    from hybridsnap.server.sessions import HeldTab

#: Beside the time for elements to be ready, seconds: for the turn, and for the page to settle.
_SLACK_SECONDS = 10.0


@route("POST", "/act", TARGET, answers=("result", "results", "blockedByDialog"))
async def act(call: Call) -> dict[str, Any]:
    """``POST /act``."""
    one = parse_act(call.data)
    _permit(call, one)
    held, deadline = await call.here((one.seconds + _SLACK_SECONDS) * 1000)
    await _check_targets(call, one, held, deadline)
    performing = Performing(call, held)
    url = held.page.url
    try:
        async with contextlib.AsyncExitStack() as stack:
            if one.kind != "evaluate":  # that waits for no turn: a script that is stuck holds nothing up
                await stack.enter_async_context(call.host.control.locks.hold(held.page, deadline))
            fields = await performing.perform(one, deadline)
    except HybridsnapError:
        if not held.page.dialogs:
            raise
        fields = {}
    if one.kind == "close" or performing.closed:
        return done_in(held, url=url, **fields)
    if held.page.dialogs:
        return done(held, blockedByDialog=True, browserState=await browser_state(call, held, deadline))
    return done(held, **fields)


async def browser_state(call: Call, held: HeldTab, deadline: Deadline) -> dict[str, Any]:
    """The dialogs of a tab, but for those whose words may not be told."""
    content = call.host.control.content
    await content.check(held, deadline)
    seen = held.page.dialogs_seen if held.is_checked else ()
    may = await content.addresses.may_show({one.dialog.url for one in seen}, deadline)
    hidden = [one for one in seen if one.dialog.url not in may]
    return call.host.state(held.page).dialogs.to_data(held.page, hidden)


class Performing:
    """The doing of one request.

    Attributes:
        closed: the tab was closed.
    """

    def __init__(self, call: Call, held: HeldTab) -> None:
        self._call = call
        self._held = held
        self._navigated = False
        self.closed: bool = False

    async def perform(self, act: Act, deadline: Deadline) -> dict[str, Any]:
        """Do an action; what the answer has beside the tab."""
        match act.kind:
            case "batch":
                return await self._batch(act, deadline)
            case "close":
                await self._call.host.control.sessions.close_tab(self._call.session, self._held)
                self.closed = True
            case "resize":
                size = (int(act.given["width"]), int(act.given["height"]))
                await self._held.page.set_viewport(*size, timeout=deadline)
            case "insertText":
                await self._insert(act.given["text"], deadline)
            case _:
                for step in act.steps:
                    result = await self._do(step, deadline)
                    if act.kind == "evaluate":
                        return {"result": result.get("value")}
        return {}

    async def _insert(self, words: str, deadline: Deadline) -> None:
        content = self._call.host.control.content
        await content.check(self._held, deadline)
        async with content.checking_errors(self._held, deadline):
            found = await self._held.page.active_element(timeout=deadline)
        if found is None:
            raise NotInteractable(
                "insert text: nothing has the focus; click a field first",
                element_id=None,
                reason="not editable",
            )
        if words:
            await self._run({"action": "type", "element": found.id, "text": words}, deadline)

    async def _do(self, step: Step, deadline: Deadline) -> dict[str, Any]:
        is_exact = step.data["action"] in {"wait_for", "evaluate"} and "time" not in step.data
        until = deadline.earlier(Deadline.after(step.seconds + (0 if is_exact else _SLACK_SECONDS)))
        return await self._run(step.data, until)

    async def _run(self, data: dict[str, Any], deadline: Deadline) -> dict[str, Any]:
        page = self._held.page
        result = await self._call.host.control.perform(self._held, read_step(data), deadline)
        moved = result.get("receipt", {}).get("navigation")
        self._navigated |= moved is not None and not moved["sameDocument"]
        self.closed |= page.session.ended == "detached"
        return result

    async def _batch(self, batch: Act, deadline: Deadline) -> dict[str, Any]:
        results: list[dict[str, Any]] = []
        for index, act in enumerate(batch.actions):
            self._navigated = False
            try:
                fields = await self.perform(act, deadline)
                failed = next((one for one in fields.get("results", ()) if not one["ok"]), None)
                results.append({"ok": True} if failed is None else {"ok": False, "error": failed["error"]})
            except Exception as error:
                if self._held.page.dialogs or (problem := problem_of(error)) is None:
                    raise
                results.append({"ok": False, "error": words_of(error, problem.body["detail"])})
            left = len(batch.actions) - index - 1
            if self.closed or self._navigated:
                reason, url = "closed" if self.closed else "navigation", self._held.page.url
                if not self.closed:
                    results[-1] |= {"navigated": True, "url": url}
                aborted = {"reason": reason, "afterAction": index + 1, "url": url, "skipped": left}
                return {"results": results, **({"aborted": aborted} if left else {})}
            if self._held.page.dialogs or (not results[-1]["ok"] and batch.stop_on_error):
                break
        return {"results": results}


def _permit(call: Call, act: Act) -> None:
    """See that all scripts are allowed here, and all values are of the types that actions take."""
    for step in act.steps:
        action = read_step(step.data)
        call.host.control.permit(action)
    for one in act.actions:
        _permit(call, one)


async def _check_targets(call: Call, act: Act, held: HeldTab, deadline: Deadline) -> None:
    """See that a batch stays in one tab."""
    for one in act.actions:
        if one.target_id is not None:
            with contextlib.suppress(ApiError):
                if await call.resolve(one.target_id, deadline) == str(held.page.target_id):
                    continue
            raise invalid("an action of a batch names another tab than the request", TARGET_ID_MISMATCH, 403)
        await _check_targets(call, one, held, deadline)
