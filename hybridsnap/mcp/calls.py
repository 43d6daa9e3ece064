"""What each tool does.

Results are small: a look prints as much as ``max_tokens`` allows, an action its receipt and what changed on
the page, within half of that. What does not fit is folded, counted, and can be expanded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from hybridsnap.client.evaluation import EVALUATION_TIMEOUT
from hybridsnap.errors import NavigationFailed, WaitTimeout
from hybridsnap.mcp.act_calls import ActCalls
from hybridsnap.mcp.call_base import ACTING_SHARE
from hybridsnap.mcp.file_calls import FileCalls
from hybridsnap.mcp.look_calls import LookCalls, complete_url
from hybridsnap.mcp.options import ToolError
from hybridsnap.mcp.record_calls import RecordCalls
from hybridsnap.mcp.results import Result
from hybridsnap.mcp.stored_calls import StoredCalls
from hybridsnap.mcp.verify_calls import VerifyCalls
from hybridsnap.render.report import shorten_url
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from hybridsnap.mcp import tools

#: Conditions of wait_for that go to the page's as they are.
_CONDITIONS = (
    *("text", "text_gone", "selector", "selector_gone", "enabled", "disabled", "uncovered", "checked"),
    *("value", "count", "url"),
)


class Call(LookCalls, RecordCalls, StoredCalls, FileCalls, VerifyCalls, ActCalls):
    """One call of a tool, on the current tab of a client."""

    async def wait_for(self, asked: tools.WaitFor) -> Result:
        """Wait for something."""
        tab = await self._tab()
        conditions = asked.given(*_CONDITIONS)
        if asked.seconds is not UNSET:
            conditions["time"] = asked.seconds
        if not conditions:
            raise ToolError(f"what is to be waited for? give {', '.join(_CONDITIONS)} or seconds")
        most = self.deadline.share(ACTING_SHARE).remaining
        if asked.seconds is not UNSET and asked.seconds > most:
            raise ToolError(
                f"seconds is at most {most:.0f} here: a call has {self._options.timeout:g} s (--timeout)"
            )
        await self._content.check(tab, self.deadline)
        # Nothing is held up: others may bring about what is waited for.
        try:
            waited = await tab.page.wait_for(**conditions, timeout=self._within(asked.timeout, ACTING_SHARE))
        except WaitTimeout:
            if asked.timeout is UNSET or asked.timeout <= most:
                raise
            await self._content.check_done(tab, self.deadline)
            raise ToolError(
                f"not so after {most:.0f} s, the most that a call can wait (--timeout"
                f" {self._options.timeout:g}), though {asked.timeout:g} s were asked for; call wait_for again"
            ) from None
        await self._content.check_done(tab, self.deadline)
        async with self._turn(tab):
            result = Result([f"holds after {waited.elapsed_ms / 1000:.1f} s"])
            await self._show_changes(tab, result, self._action_budget(asked))
            return result

    async def evaluate(self, asked: tools.Evaluate) -> Result:
        """Run a script; no turn is taken, it runs apart from everything else."""
        tab = await self._tab()
        seconds = EVALUATION_TIMEOUT if asked.timeout is UNSET else asked.timeout
        await self._content.check(tab, self.deadline)
        value = await tab.page.evaluate(asked.script, **asked.given("element"), timeout=self._within(seconds))
        await self._content.check_done(tab, self.deadline)
        return self._value(asked, value)

    async def tabs(self, asked: tools.Tabs) -> Result:
        """List, open, select or close tabs."""
        client = self._client
        await client.refresh(self.deadline)
        if asked.action == "new":
            url = "about:blank" if asked.url is UNSET else complete_url(asked.url)
            url = await self._content.addresses.check_url(url, self.deadline)
            tab = await client.open_tab(self.deadline)
            if url == "about:blank":
                return self._list_tabs()
            async with self._turn(tab):
                try:
                    async with self._content.checking_errors(tab, self.deadline):
                        navigation = await tab.page.goto(url, timeout=self.deadline.share(ACTING_SHARE))
                except (NavigationFailed, ApiError):  # the browser's error page is nothing to work on
                    await client.close_tab(tab)
                    raise
                result = self._arrived(tab, navigation)
                await self._show_page(tab, result, self._budget(asked))
                return result
        if asked.action == "list":
            return self._list_tabs()
        if asked.tab is UNSET:
            client.check_not_lost()
        number = client.current if asked.tab is UNSET else asked.tab
        if number not in client.tabs:
            known = ", ".join(map(str, client.tabs)) or "none"
            asked_for = f"there is no tab {number}" if number else "no tab is current: navigate opens one"
            raise ToolError(f"{asked_for}; open are {known}")
        tab = client.tabs[number]
        if asked.action == "close":
            await client.close_tab(tab)
            return self._list_tabs()
        client.choose(tab)
        async with self._turn(tab):
            await tab.page.bring_to_front(timeout=self.deadline.share(ACTING_SHARE))
            result = Result([f"tab {number}"])
            await self._show_page(tab, result, self._budget(asked))
            return result

    def _list_tabs(self) -> Result:
        client = self._client
        result = Result(
            [f"current: {client.told_current() or 'none: navigate opens one'}"], data={"tabs": []}
        )
        if ended := client.ended_words():
            result.said.append(ended)
        for tab in client.tabs.values():
            url = shorten_url(tab.page.url)
            result.page.append(f"{tab.number} {url}")
            result.data["tabs"].append({"tab": tab.number, "url": url})
        return result
