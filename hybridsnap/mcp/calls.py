"""What each tool does.

Results are small: a look prints as much as ``max_tokens`` allows, an action its receipt and what changed on
the page, within half of that. What does not fit is folded, counted, and can be expanded.
"""

from __future__ import annotations

import contextlib
import re
import time
from typing import TYPE_CHECKING, Any

import trio
from msgspec import UNSET

from hybridsnap.capture.paths import ELEMENT_ID
from hybridsnap.client.evaluation import EVALUATION_TIMEOUT
from hybridsnap.deadline import Deadline
from hybridsnap.errors import (
    BrowserError,
    CaptureFailed,
    CommandError,
    HybridsnapError,
    NavigationFailed,
    NotInteractable,
    UnknownElement,
)
from hybridsnap.json_data import to_json, to_json_text
from hybridsnap.mcp.desk import ToolError, dialog_words, frame_urls
from hybridsnap.mcp.results import Result, brief, cut
from hybridsnap.render.clean import clean_text
from hybridsnap.render.diff_budget import fit_diff
from hybridsnap.render.report import shorten_url
from hybridsnap.render.tree import format_tree_line

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from hybridsnap.act.receipt import Receipt
    from hybridsnap.client.page import Navigation
    from hybridsnap.mcp import tools
    from hybridsnap.mcp.desk import Desk, Tab
    from hybridsnap.render.rendering import Rendering
    from hybridsnap.snapshot import Snapshot

#: An action, or a navigation, may take this share of the time; the rest is for looking at what came of it.
_ACTING_SHARE = 0.7
#: A page may take so long to say where its frames are, once a call is over.
_VETTING_SECONDS = 2.0
#: What an action prints of the page takes this share of what a look does.
_ACTION_SHARE = 0.5
_HOST = re.compile(r"(localhost|127\.[\d.]+|\[::1\])(?=[:/?#]|$)", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d+(/|$))", re.IGNORECASE)


class Call:
    """One call of a tool, on the current tab of a desk."""

    def __init__(self, desk: Desk, deadline: Deadline) -> None:
        self._desk = desk
        self._options = desk.options
        self._deadline = deadline
        #: The tab whose words an error may quote.
        self._used: Tab | None = None

    async def vetted(self, error: Exception) -> Exception:
        """What went wrong, or a refusal in its place: what it says may be of a file that is not shown."""
        if self._used is None or isinstance(error, (ToolError, BrowserError)):
            return error
        try:
            await self._vet(self._used)
        except ToolError as refusal:
            return refusal
        return error

    # Looking

    async def navigate(self, asked: tools.Navigate) -> Result:
        """Go somewhere, and show the page."""
        if asked.url in {"back", "forward", "reload"}:
            tab = await self._desk.tab(self._deadline)
        else:
            url = complete_url(asked.url)
            self._options.check_url(url)
            tab = await self._desk.tab_to_navigate(self._deadline)
        async with self._turn(tab):
            going = self._deadline.share(_ACTING_SHARE)
            navigation = await (
                tab.page.go_back(timeout=going)
                if asked.url == "back"
                else tab.page.go_forward(timeout=going)
                if asked.url == "forward"
                else tab.page.reload(timeout=going)
                if asked.url == "reload"
                else tab.page.goto(url, timeout=going)
            )
            result = self._arrived(tab, navigation)
            await self._show_page(tab, result, self._budget(asked))
            return result

    async def snapshot(self, asked: tools.Look) -> Result:
        """Show the page, or a part of it."""
        tab = await self._tab()
        async with self._turn(tab):
            result = Result()
            options = asked.given("interactive")
            focus = None if asked.element is UNSET else asked.element
            await self._show_page(tab, result, self._budget(asked), focus=focus, must=True, **options)
            return result

    async def expand(self, asked: tools.Expand) -> Result:
        """Show what a fold or an element holds."""
        tab = await self._tab()
        budget = self._budget(asked)
        async with self._turn(tab):
            result = Result()
            if ELEMENT_ID.fullmatch(asked.id):
                await self._check_files(tab)
                snapshot = await tab.page.expand(asked.id, timeout=self._deadline)
                self._print(tab, result, snapshot.render("ai", max_tokens=budget), "page")
                return result
            for rendering in reversed(tab.results):
                try:
                    opened = rendering.expand(asked.id, budget)
                except UnknownElement:
                    continue
                self._print(tab, result, opened, "page")
                return result
            raise ToolError(f"no fold {asked.id!r} was printed lately; take a snapshot, and use its folds")

    async def find(self, asked: tools.Find) -> Result:
        """List elements."""
        given = asked.given("text", "role", "selector")
        if not given or (len(given) > 1 and "selector" in given):
            raise ToolError("give text, role, or both; or a selector alone")
        tab = await self._tab()
        async with self._turn(tab):
            snapshot = await self._look(tab)
            if asked.selector is not UNSET:
                ids = (snapshot.xpath if asked.selector.startswith(("/", "(")) else snapshot.css)(
                    asked.selector
                )
            else:
                ids = [node.id for node in snapshot.find(given.get("role"), given.get("text"))]
            rows = {row.id: row for row in snapshot.rows}
            nodes = [snapshot.node(id_) for id_ in ids]
        most = self._budget(asked) * 4
        result = Result(data={"elements": []})
        for node in nodes:
            row = rows.get(node.id)
            line = (
                f"[{node.id}] {node.role or node.tag}: {clean_text(node.name)}"
                if row is None
                else format_tree_line(row)
            )
            most -= len(line) + 1
            if most < 0:
                break
            result.page.append(line)
            result.data["elements"].append(line)
        left = len(nodes) - len(result.page)
        result.said.append(
            f"{len(nodes)} found" + (f", {left} not shown: give a larger max_tokens" if left else "")
        )
        return result

    async def screenshot(self, asked: tools.Screenshot) -> Result:
        """The viewport as a picture."""
        tab = await self._tab()
        async with self._turn(tab):
            labels = asked.labels is UNSET or asked.labels
            snapshot = await tab.page.snapshot(timeout=self._deadline, layout=labels, screenshot=True)
            self._check_shown(snapshot)
        if snapshot.screenshot is None:
            raise ToolError("the browser gave no picture; try once more")
        if not labels:
            return Result(image=snapshot.screenshot)
        from hybridsnap.render.labels import draw_labels  # noqa: PLC0415 - Pillow, where it is needed

        picture, left_out = draw_labels(snapshot.screenshot, snapshot.content)
        return Result([left_out] if left_out else [], image=picture)

    async def diff(self, asked: tools.Diff) -> Result:
        """What changed since the page was last shown."""
        tab = await self._tab()
        async with self._turn(tab):
            result = Result()
            await self._show_changes(tab, result, self._budget(asked), must=True)
            return result

    # Acting

    async def click(self, asked: tools.Click) -> Result:
        """Click an element."""
        options = asked.given("count", "button", "modifiers")
        return await self._act(
            asked, lambda tab, until: tab.page.click(asked.element, **options, timeout=until)
        )

    async def type(self, asked: tools.Type) -> Result:
        """Type into a field."""
        options = asked.given("clear", "submit")
        return await self._act(
            asked, lambda tab, until: tab.page.type(asked.element, asked.text, **options, timeout=until)
        )

    async def fill_form(self, asked: tools.FillForm) -> Result:
        """Fill several fields."""
        entries = [{"id": one.id, "value": one.value} for one in asked.entries]
        return await self._act(asked, lambda tab, until: tab.page.fill_form(entries, timeout=until))

    async def select(self, asked: tools.Select) -> Result:
        """Choose options, by label or else by value."""

        async def choose(tab: Tab, until: Deadline) -> Receipt:
            try:
                return await tab.page.select_option(asked.element, label=asked.options, timeout=until)
            except NotInteractable as error:
                if error.reason != "no such option":
                    raise
                try:
                    return await tab.page.select_option(asked.element, value=asked.options, timeout=until)
                except NotInteractable:
                    raise error from None

        return await self._act(asked, choose)

    async def press(self, asked: tools.Press) -> Result:
        """Press keys."""
        element = asked.given("element")
        return await self._act(asked, lambda tab, until: tab.page.press(asked.keys, **element, timeout=until))

    async def hover(self, asked: tools.Hover) -> Result:
        """Move the pointer over an element."""
        return await self._act(asked, lambda tab, until: tab.page.hover(asked.element, timeout=until))

    async def drag(self, asked: tools.Drag) -> Result:
        """Drag an element onto another."""
        return await self._act(
            asked, lambda tab, until: tab.page.drag(asked.source, asked.target, timeout=until)
        )

    async def scroll(self, asked: tools.Scroll) -> Result:
        """Scroll the page or an element."""
        options = asked.given("direction", "element")
        if asked.pixels is not UNSET:
            options["distance"] = asked.pixels
        return await self._act(asked, lambda tab, until: tab.page.scroll(**options, timeout=until))

    async def upload(self, asked: tools.Upload) -> Result:
        """Give a file field its files."""
        return await self._act(
            asked, lambda tab, until: tab.page.set_input_files(asked.element, asked.paths, timeout=until)
        )

    async def handle_dialog(self, asked: tools.HandleDialog) -> Result:
        """Answer the dialog that is open. Whoever else works on the page is waiting for that."""
        tab = await self._tab()
        at, dialogs = tab.page.url, tab.page.dialogs
        told = not dialogs or self._options.may_tell(at, dialogs[-1])
        given = asked.given("text")
        if given and dialogs and dialogs[-1].type != "prompt":
            raise ToolError(f"text is for a prompt, and the dialog is of type {dialogs[-1].type}")
        try:
            dialog = await tab.page.answer_dialog(
                asked.accept, **given, timeout=self._deadline.share(_ACTING_SHARE)
            )
        except HybridsnapError as error:  # it may quote the dialog
            if told:
                raise
            raise ToolError(
                "the dialog could not be answered; navigate elsewhere, or close the tab"
            ) from error
        result = Result(["accepted" if asked.accept else "dismissed"])
        if self._options.may_tell(at, dialog):
            result.page.append(dialog_words(dialog))
            result.data["dialog"] = dialog_words(dialog)
        await self._show_changes(tab, result, self._action_budget(asked))
        return result

    # The rest

    async def wait_for(self, asked: tools.WaitFor) -> Result:
        """Wait for something."""
        tab = await self._tab()
        conditions = asked.given("text", "text_gone", "selector", "selector_gone", "url")
        if asked.seconds is not UNSET:
            conditions["time"] = asked.seconds
        if not conditions:
            raise ToolError(
                "what is to be waited for? give text, text_gone, selector, selector_gone, url or seconds"
            )
        await self._check_files(tab)
        # Nothing is held up: others may bring about what is waited for.
        waited = await tab.page.wait_for(**conditions, timeout=self._within(asked.timeout, _ACTING_SHARE))
        await self._vet(tab)
        async with self._turn(tab):
            result = Result([f"holds after {waited.elapsed_ms / 1000:.1f} s"])
            await self._show_changes(tab, result, self._action_budget(asked))
            return result

    async def evaluate(self, asked: tools.Evaluate) -> Result:
        """Run a script; no turn is taken, it runs apart from everything else."""
        tab = await self._tab()
        seconds = EVALUATION_TIMEOUT if asked.timeout is UNSET else asked.timeout
        await self._check_files(tab)
        value = await tab.page.evaluate(asked.script, **asked.given("element"), timeout=self._within(seconds))
        await self._vet(tab)
        data = to_json(value)
        text, left_out = cut(to_json_text(data), self._budget(asked))
        return Result([left_out] if left_out else [], [text], {"value": text if left_out else data})

    async def tabs(self, asked: tools.Tabs) -> Result:
        """List, open, select or close tabs."""
        desk = self._desk
        await desk.refresh(self._deadline)
        if asked.action == "new":
            url = "about:blank" if asked.url is UNSET else complete_url(asked.url)
            self._options.check_url(url)
            tab = await desk.open_tab(self._deadline)
            if url == "about:blank":
                return self._list_tabs()
            async with self._turn(tab):
                try:
                    navigation = await tab.page.goto(url, timeout=self._deadline.share(_ACTING_SHARE))
                except NavigationFailed:  # the browser's error page is nothing to work on
                    await desk.close_tab(tab)
                    raise
                result = self._arrived(tab, navigation)
                await self._show_page(tab, result, self._budget(asked))
                return result
        if asked.action == "list":
            return self._list_tabs()
        number = desk.current if asked.tab is UNSET else asked.tab
        if number not in desk.tabs:
            raise ToolError(f"there is no tab {number}; open are {', '.join(map(str, desk.tabs)) or 'none'}")
        tab = desk.tabs[number]
        if asked.action == "close":
            await desk.close_tab(tab)
            return self._list_tabs()
        desk.choose(tab)
        async with self._turn(tab):
            await tab.page.bring_to_front(timeout=self._deadline.share(_ACTING_SHARE))
            result = Result([f"tab {number}"])
            await self._show_page(tab, result, self._budget(asked))
            return result

    def _list_tabs(self) -> Result:
        desk = self._desk
        result = Result([f"current: {desk.current or 'none'}"], data={"tabs": []})
        for tab in desk.tabs.values():
            url = shorten_url(tab.page.url)
            result.page.append(f"{tab.number} {url}")
            result.data["tabs"].append({"tab": tab.number, "url": url})
        return result

    # What all share

    async def _tab(self) -> Tab:
        """The current tab."""
        self._used = await self._desk.tab(self._deadline)
        return self._used

    @contextlib.asynccontextmanager
    async def _turn(self, tab: Tab) -> AsyncIterator[None]:
        """Work on a tab, when those who came before are done.

        Raises:
            ToolError: they are not, in all the time there is.
        """
        with trio.move_on_after(self._deadline.remaining):
            await tab.turn.acquire()
        if tab.turn.statistics().owner is not trio.lowlevel.current_task():
            raise ToolError(
                f"another call is still working on tab {tab.number}; try again, or close it (tabs)"
            )
        try:
            yield
        finally:
            tab.turn.release()

    def _budget(self, asked: tools.Arguments) -> int:
        if asked.max_tokens is UNSET:
            return self._options.max_tokens
        if asked.max_tokens < 1:
            raise ToolError(f"max_tokens is a positive whole number, not {asked.max_tokens}")
        return asked.max_tokens

    def _action_budget(self, asked: tools.Arguments) -> int:
        budget = self._budget(asked)
        return int(budget * _ACTION_SHARE) if asked.max_tokens is UNSET else budget

    def _within(self, seconds: float | Any, share: float = 1.0) -> Deadline:
        """A deadline of so many seconds, or earlier if the call's own is."""
        own = self._deadline.share(share) if share < 1 else self._deadline.inner()
        return own if seconds is UNSET else own.earlier(Deadline.after(seconds))

    async def _check_files(self, tab: Tab) -> None:
        """See that a tab shows no files that it may not; behind a dialog it shows nothing."""
        if tab.page.url.startswith("file:") and not tab.page.dialogs:
            self._options.check_frames(await frame_urls(tab.page, self._deadline))

    async def _vet(self, tab: Tab) -> None:
        """See once more, before it is told what came of a call, that the page may be shown: it may have gone
        elsewhere since the call began.

        Raises:
            ToolError: it may not, or does not say.
        """
        page = tab.page
        if not page.url.startswith("file:"):
            return
        self._options.check_url(page.url)  # it may go on again while it is asked
        if page.dialogs:
            return
        try:
            urls = await frame_urls(page, Deadline.after(_VETTING_SECONDS))
        except HybridsnapError as error:
            raise ToolError("the page does not say which files it shows: nothing of it is told") from error
        self._options.check_frames(urls)

    def _check_shown(self, snapshot: Snapshot) -> None:
        self._options.check_frames(frame.url for frame in snapshot.report.frames)

    async def _look(self, tab: Tab, focus: str | None = None) -> Snapshot:
        snapshot = await tab.page.snapshot(timeout=self._deadline, focus=focus)
        self._check_shown(snapshot)
        return snapshot

    async def _act(
        self, asked: tools.Arguments, act: Callable[[Tab, Deadline], Awaitable[Receipt]]
    ) -> Result:
        """Act on the current tab: the receipt, and what changed."""
        budget = self._action_budget(asked)
        tab = await self._tab()
        async with self._turn(tab):
            await self._check_files(tab)
            if tab.shown is None and not tab.page.dialogs:
                tab.shown = await tab.page.snapshot(timeout=self._deadline.share(1 - _ACTING_SHARE))
            receipt = await act(tab, self._deadline.share(_ACTING_SHARE))
            text = str(receipt)
            if receipt.new_targets:
                await self._desk.refresh(self._deadline)
            data = brief(receipt)
            numbers = {one: self._desk.number_of(one) for one in receipt.new_targets}
            for target, number in numbers.items():
                text = text.replace(f"opened tab {target}", f"opened tab {number or '(closed again)'}")
            if numbers:
                data["new_tabs"] = list(numbers.values())
                del data["new_targets"]
            result = Result([], [text], {"receipt": data})
            await self._show_changes(tab, result, budget)
            return result

    def _arrived(self, tab: Tab, navigation: Navigation) -> Result:
        result = Result([f"tab {tab.number}"])
        if not navigation.reached:
            late = navigation.ended_by == "deadline"
            stays = "; if it stays so, close the tab and open a new one (tabs)" if late else ""
            result.said.append(f"not loaded ({navigation.ended_by}); wait_for, or snapshot again{stays}")
        return result

    async def _show_page(
        self,
        tab: Tab,
        result: Result,
        budget: int,
        *,
        focus: str | None = None,
        must: bool = False,
        **options: Any,
    ) -> None:
        """Print the page. When it cannot be read, say so; raise only if that is all that was asked for."""
        if self._tell_dialog(tab, result, must=must):
            return
        try:
            snapshot = await self._look(tab, focus)
        except (CaptureFailed, CommandError) as error:
            if must:
                raise
            await self._vet(tab)
            _tell_unread(result, error)
            return
        if focus is None:
            tab.shown = snapshot
        self._print(tab, result, snapshot.render("ai", max_tokens=budget, **options), "page")

    async def _show_changes(self, tab: Tab, result: Result, budget: int, *, must: bool = False) -> None:
        """Print what is otherwise than it was when the page was last shown; of another document, the page."""
        if self._tell_dialog(tab, result, must=must):
            return
        before = tab.shown
        try:
            snapshot = await self._look(tab)
        except (CaptureFailed, CommandError) as error:
            if must:
                raise
            await self._vet(tab)
            _tell_unread(result, error)
            return
        tab.shown = snapshot
        if before is None or before.report.frames[0].loader_id != snapshot.report.frames[0].loader_id:
            self._print(tab, result, snapshot.render("ai", max_tokens=budget), "page")
            return
        diff = snapshot.diff(before)
        try:
            changes = fit_diff(diff, budget)
        except ValueError:
            result.said.append(
                f"{len(diff.added)} rows came, {len(diff.removed)} went, {len(diff.changed)} changed:"
                " diff shows nothing of it now, snapshot does, with a larger max_tokens"
            )
            return
        if changes:
            self._print(tab, result, changes, "changes")
        else:
            result.said.append("nothing else changed" if result.page else "nothing changed")

    def _tell_dialog(self, tab: Tab, result: Result, *, must: bool) -> bool:
        """Say that a dialog is open: nothing else of the page can be seen then."""
        if not tab.page.dialogs:
            return False
        dialog = tab.page.dialogs[-1]
        result.said.append("a dialog is open, the page waits for handle_dialog")
        if not self._options.may_tell(tab.page.url, dialog):
            result.said.append("what it says is of a file that is not opened (--files FOLDER)")
            result.page.clear()  # a receipt says what was seen of that page
            result.data.clear()
            return True
        words = dialog_words(dialog)
        if must or "receipt" not in result.data:
            result.page.append(words)
        result.data["dialog"] = words
        return True

    @staticmethod
    def _print(tab: Tab, result: Result, rendering: Rendering, as_: str) -> None:
        tab.results.append(rendering)
        result.page.append(str(rendering))
        result.data[as_] = str(rendering)


def _tell_unread(result: Result, error: HybridsnapError) -> None:
    """The action is done, and its outcome is told, though the page cannot be read now."""
    result.said.append(f"the page could not be read ({type(error).__name__}); snapshot later")


def complete_url(url: str) -> str:
    """A URL as people write it, with its scheme."""
    url = url.strip()
    if not url:
        raise ToolError("url is empty; give one, such as https://example.com")
    if _SCHEME.match(url):
        return url
    return f"{'http' if _HOST.match(url) else 'https'}://{url}"


def call_deadline(seconds: float) -> Deadline:
    """When a call has to be over."""
    return Deadline(time.monotonic() + seconds)
