"""What all tools share: the current tab and its turn, budgets, and how a result tells of a page."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from hybridsnap.capture.element_ids import is_element_id
from hybridsnap.client.navigating import count_requests
from hybridsnap.deadline import Deadline
from hybridsnap.errors import (
    BrowserError,
    CaptureFailed,
    CommandError,
    DeadlineExceeded,
    HybridsnapError,
    TargetDetached,
)
from hybridsnap.json_data import to_json, to_json_text
from hybridsnap.mcp import tools
from hybridsnap.mcp.client_tabs import dialog_words
from hybridsnap.mcp.options import ToolError
from hybridsnap.mcp.results import Result, brief, cut, fitting
from hybridsnap.model import FIRST_ERROR_STATUS
from hybridsnap.render.report import KEPT
from hybridsnap.render.select import is_interactive
from hybridsnap.render.tokens import MOST_TOKENS
from hybridsnap.service.errors import ApiError
from hybridsnap.service.locating import select_ids

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from hybridsnap.act.receipt import Receipt
    from hybridsnap.client.navigating import Navigation
    from hybridsnap.mcp.client_tabs import ClientTabs, NumberedTab
    from hybridsnap.render.rendering import Rendering
    from hybridsnap.snapshot import Snapshot

#: What an action prints of the page takes this share of what a look does.
_ACTION_SHARE = 0.5
#: An action, or a navigation, may take this share of the time; the rest is for looking at the effect.
ACTING_SHARE = 0.7
#: The load event of a page that an action led to is waited for no longer than this.
_LOAD_SECONDS = 2.0
#: What is said of a part of the page that has no line.
SHOWS_NOTHING = "the element shows nothing: the page hides it, or there is nothing in it"


class CallBase:
    """One call of a tool, on the current tab of a client, within one deadline."""

    def __init__(self, client: ClientTabs, deadline: Deadline) -> None:
        self._client = client
        self._options = client.shared.options
        self._content = client.shared.content
        self.deadline = deadline
        #: The tab that an error may quote.
        self._used: NumberedTab | None = None
        #: What an error left behind, for its reader; "" for nothing.
        self.aftermath: str = ""

    async def checked(self, error: Exception) -> Exception:
        """What went wrong, or a refusal in its place: it may quote a page that is not to be returned."""
        if self._used is None or isinstance(error, (ToolError, ApiError, BrowserError)):
            return error
        try:
            await self._content.check_done(self._used, self.deadline)
        except ApiError as refusal:
            return refusal
        except HybridsnapError:
            pass  # the tab is gone
        return error

    async def _tab(self) -> NumberedTab:
        self._used = await self._client.tab(self.deadline)
        return self._used

    @contextlib.asynccontextmanager
    async def _turn(self, tab: NumberedTab | None = None) -> AsyncIterator[NumberedTab]:
        """Work on a tab, by default the current one, when earlier calls have finished with it."""
        tab = await self._tab() if tab is None else tab
        async with contextlib.AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(self._client.shared.locks.hold(tab.page, self.deadline))
            except DeadlineExceeded:
                raise ToolError(
                    f"another call is still working on tab {tab.number}; try again, or close it (tabs)"
                ) from None
            yield tab

    def _budget(self, asked: tools.Arguments) -> int:
        if asked.max_tokens is UNSET:
            return self._options.max_tokens
        if asked.max_tokens < 1:
            raise ToolError(f"max_tokens is a positive whole number, not {asked.max_tokens}")
        if asked.max_tokens > MOST_TOKENS:
            raise ToolError(f"max_tokens is at most {MOST_TOKENS:,}, not {asked.max_tokens:,}")
        return asked.max_tokens

    def _action_budget(self, asked: tools.Arguments) -> int:
        budget = self._budget(asked)
        return int(budget * _ACTION_SHARE) if asked.max_tokens is UNSET else budget

    def _within(self, seconds: float | Any, share: float = 1.0) -> Deadline:
        """A deadline of so many seconds, or earlier if the call's own is."""
        own = self.deadline.share(share) if share < 1 else self.deadline.inner()
        return own if seconds is UNSET else own.earlier(Deadline.after(seconds))

    async def _look(self, tab: NumberedTab, **options: Any) -> Snapshot:
        """A snapshot, of which nothing counts as read until it is printed."""
        capturing = tab.page.snapshot(timeout=self.deadline, **options)
        snapshot = await self._content.captured(tab, self.deadline, capturing)
        tab.note_listed((), snapshot)
        return snapshot

    async def _act(
        self,
        asked: tools.Arguments,
        act: Callable[[NumberedTab, Deadline], Awaitable[Receipt | tuple[Receipt, ...]]],
    ) -> Result:
        """Act on the current tab: the receipt, and what changed."""
        budget = self._action_budget(asked)
        async with self._turn() as tab:
            await self._content.check(tab, self.deadline)
            if tab.shown is None and not tab.page.dialogs:
                tab.shown = await tab.page.snapshot(timeout=self.deadline.share(1 - ACTING_SHARE))
                tab.note_listed((), tab.shown)
            done = await act(tab, self.deadline.share(ACTING_SHARE))
            result = Result()
            for receipt in done if isinstance(done, tuple) else (done,):
                await self._add_receipt(result, receipt)
            if "navigation" in result.data["receipt"]:
                await self._await_load(tab)
            await self._show_changes(tab, result, budget)
            return result

    async def _await_load(self, tab: NumberedTab) -> None:
        """Wait for the load event of a page that was gone to, for a short while."""
        if not tab.page.dialogs:
            within = self._within(_LOAD_SECONDS, ACTING_SHARE)
            # What is wrong with the page, the look at it tells.
            with contextlib.suppress(HybridsnapError):
                await tab.page.wait_for(load_state="load", timeout=within)

    async def _add_receipt(self, result: Result, receipt: Receipt) -> None:
        """Add what an action did; of a step with several parts, ``receipt`` is the last."""
        text = str(receipt)
        if receipt.new_targets:
            await self._client.refresh(self.deadline)
        data = brief(receipt)
        numbers = {one: self._client.number_of(one) for one in receipt.new_targets}
        for target, number in numbers.items():
            text = text.replace(f"opened tab {target}", f"opened tab {number or '(closed again)'}")
        if numbers:
            data["new_tabs"] = list(numbers.values())
            del data["new_targets"]
        result.page.append(text)
        if "receipt" in result.data:
            result.data.setdefault("earlier_receipts", []).append(result.data["receipt"])
        result.data["receipt"] = data

    def _arrived(self, tab: NumberedTab, navigation: Navigation) -> Result:
        result = Result([f"tab {tab.number}"])
        if not navigation.reached:
            late = navigation.ended_by == "deadline"
            stays = "; if it stays so, close the tab and open a new one (tabs)" if late else ""
            # What to do about a dialog is said with it, and about a script with the attempt to look.
            told = tab.page.dialogs or navigation.ended_by == "busy"
            todo = "" if told else f"; wait_for, or snapshot again{stays}"
            result.said.append(f"not loaded ({navigation.ended_by}){todo}")
        if navigation.status is not None and navigation.status >= FIRST_ERROR_STATUS:
            result.said.append(f"answered with HTTP {navigation.status}")
        return result

    async def _show_page(
        self,
        tab: NumberedTab,
        result: Result,
        budget: int,
        *,
        focus: str | None = None,
        must: bool = False,
        way: tools.RenderingOptions = tools.RenderingOptions(),  # noqa: B008 - frozen
        **options: Any,
    ) -> None:
        """Print the page. When it cannot be read, say so; raise only if that is all that was asked for."""
        snapshot = await self._capture(tab, result, focus, must=must, layout=way.needs_layout)
        if snapshot is None:
            return
        if focus is None:
            tab.shown = snapshot
        else:
            snapshot, scope = await self._part(tab, result, snapshot, focus, way)
            options |= scope
        if tab.page.under_way is not None:
            result.said.append("its load event has not fired; snapshot again to see what loads later")
            if tab.page.under_way:  # hosts are the page's words
                result.data["stillLoading"] = count_requests(tab.page.under_way)
                result.page.append(f"still loading: {result.data['stillLoading']}")
        elif focus is None and not any(row.name or is_interactive(row) for row in snapshot.shown_rows[1:]):
            result.said.append("the page shows nothing yet; snapshot again, or wait_for")
        try:
            rendering = snapshot.render(way.format, max_tokens=budget, **options)
        except ValueError as error:
            if must:
                raise
            result.said.append(str(error))  # the receipt says what was done before
            return
        self._print(tab, result, rendering, snapshot, "page")
        if way.info:
            info = to_json({"stats": rendering.stats, **rendering.extras})
            text, left_out = cut(to_json_text(info), budget)
            result.said += [f"info: {left_out}"] if left_out else []
            result.page.append(text)
            result.data["info"] = text if left_out else info

    async def _part(
        self, tab: NumberedTab, result: Result, part: Snapshot, focus: str, way: tools.RenderingOptions
    ) -> tuple[Snapshot, dict[str, str]]:
        """What to print of an element that was captured alone, with the options for that.

        Only the whole page tells whether what stands below ``aria-hidden`` is seen.
        """
        if part.rows:
            return part, {}
        if way.scope is None and way.format in ("tree", "ai"):
            whole = await self._look(tab, layout=way.needs_layout)
            ids = [focus] if is_element_id(focus) else select_ids(whole, focus)
            shown = {row.id for row in whole.shown_rows}
            if ids and ids[0] in shown:
                return whole, {"scope": ids[0]}
        result.said.append(SHOWS_NOTHING)
        return part, {}

    async def _show_changes(
        self, tab: NumberedTab, result: Result, budget: int, *, must: bool = False
    ) -> None:
        """Print what is otherwise than it was when the page was last shown; of another document, the page."""
        before = tab.shown
        snapshot = await self._capture(tab, result, None, must=must, layout=False)
        if snapshot is None:
            return
        tab.shown = snapshot
        if before is None or before.report.frames[0].loader_id != snapshot.report.frames[0].loader_id:
            try:
                rendering = snapshot.render("ai", max_tokens=budget, after=before)
            except ValueError as error:
                result.said.append(str(error))
            else:
                self._print(tab, result, rendering, snapshot, "page")
            return
        diff = snapshot.diff(before)
        try:
            changes = diff.render(budget)
        except ValueError:
            counts = {"new": diff.told.added, "gone": diff.told.removed, "changed": diff.told.changed}
            told = [f"{len(rows)} row{'s'[: len(rows) != 1]} {word}" for word, rows in counts.items() if rows]
            result.said.append(
                f"the page changed ({', '.join(told)}), but the changes do not fit:"
                " take a snapshot, with a larger max_tokens"
            )
            return
        if changes:
            self._print(tab, result, changes, snapshot, "changes")
        else:
            result.said.append("nothing else changed" if result.page else "nothing changed")

    async def _capture(
        self, tab: NumberedTab, result: Result, focus: str | None, *, must: bool, layout: bool
    ) -> Snapshot | None:
        """Capture the page; None, after saying why, when it cannot be read and need not be."""
        if await self._tell_dialog(tab, result, must=must):
            return None
        try:
            snapshot = await self._look(tab, focus=focus, layout=layout)
        except (CaptureFailed, CommandError, TargetDetached) as error:
            if must:
                raise
            await self._content.check_done(tab, self.deadline)
            if tab.gone:
                await self._client.refresh(self.deadline)
                current = self._client.tell_current()
                result.said.append(f"the tab was closed; the current one is {current}")
                return None
            # The action is done, and its outcome is told, though the page cannot be read now.
            unread = f"the page could not be read ({type(error).__name__}); snapshot later"
            result.said.append(f"{KEPT} (tabs)" if KEPT in str(error) else unread)
            return None
        # In place of an address that the page was kept from, the browser shows an error page.
        for refused in await self._content.refusals(tab, self.deadline, snapshot):
            result.said.append(f"refused: {refused}; {refused.remedy}")
        return snapshot

    async def _tell_dialog(self, tab: NumberedTab, result: Result, *, must: bool) -> bool:
        """Say that a dialog is open: nothing else of the page can be seen then."""
        if not tab.page.dialogs:
            return False
        dialog = tab.page.dialogs[-1]
        result.said.append("a dialog is open, the page waits for handle_dialog")
        if not await self._client.may_return(tab, self.deadline):
            result.said.append("its message is of a page that is not shown here")
            result.page.clear()  # a receipt says what was seen of that page
            result.data.clear()
            return True
        words = dialog_words(dialog)
        if must or "receipt" not in result.data:
            result.page.append(words)
        result.data["dialog"] = words
        return True

    @staticmethod
    def _list(result: Result, lines: Sequence[str], budget: int, of: str) -> None:
        """Print as many lines as fit."""
        result.page += fitting(lines, budget)
        left = len(lines) - len(result.page)
        more = f", {left} not shown: filter, or give a larger max_tokens" if left else ""
        result.said.append(f"{len(lines)} {of}{more}")
        result.data[of] = list(result.page)

    @staticmethod
    def _print(tab: NumberedTab, result: Result, rendering: Rendering, snapshot: Snapshot, as_: str) -> None:
        tab.note_printed(rendering, snapshot)
        result.show(rendering, as_)
