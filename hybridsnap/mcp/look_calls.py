"""The tools that go somewhere and look."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from hybridsnap.capture.element_ids import is_element_id
from hybridsnap.client.external_protocols import complete_address
from hybridsnap.errors import NavigationFailed, UnknownElement
from hybridsnap.json_data import words_of_mismatch
from hybridsnap.mcp import tools
from hybridsnap.mcp.call_base import ACTING_SHARE, SHOWS_NOTHING, CallBase
from hybridsnap.mcp.finding import FOUND_CHARACTERS, find_elements, role_hint
from hybridsnap.mcp.options import ToolError
from hybridsnap.mcp.results import Result, fitting
from hybridsnap.render.labels import draw_labels, find_labelled
from hybridsnap.service.rendering import given_options
from hybridsnap.text import clip_text

if TYPE_CHECKING:
    from hybridsnap.mcp.client_tabs import NumberedTab

#: How the reasons begin for which the browser shows its error page in the place of the page before; and the
#: one for which that page stays.
_LEFT, _STAYED = ("net::", "unreachable"), "net::ERR_ABORTED"


class LookCalls(CallBase):
    """Calls that show the page."""

    async def navigate(self, asked: tools.Navigate) -> Result:
        """Go somewhere, and show the page."""
        way = asked.url.strip().lower()
        if way in {"back", "forward", "reload"}:
            tab = await self._client.tab(self.deadline)
        else:
            url = await self._content.addresses.check_url(complete_url(asked.url), self.deadline)
            tab = await self._client.tab_to_navigate(self.deadline)
        self._used = tab
        async with self._turn(tab), self._content.checking_errors(tab, self.deadline):
            tab.seen.enforced = True
            tab.results.clear()  # it may be left for an error page, of which nothing is printed
            going = self.deadline.share(ACTING_SHARE)
            try:
                navigation = await (
                    tab.page.go_back(timeout=going)
                    if way == "back"
                    else tab.page.go_forward(timeout=going)
                    if way == "forward"
                    else tab.page.reload(timeout=going)
                    if way == "reload"
                    else tab.page.goto(url, timeout=going)
                )
            except NavigationFailed as error:
                if error.reason.startswith(_LEFT) and error.reason != _STAYED:
                    self.aftermath = "the tab shows the browser's error page now, all ids are of pages before"
                raise
            result = self._arrived(tab, navigation)
            await self._show_page(tab, result, self._budget(asked))
            return result

    async def snapshot(self, asked: tools.Look) -> Result:
        """Show the page, or a part of it."""
        try:
            way = msgspec.convert({} if asked.options is UNSET else asked.options, tools.RenderingOptions)
        except msgspec.ValidationError as error:
            raise ToolError(f"options: {words_of_mismatch(error, tools.RenderingOptions)}") from None
        async with self._turn() as tab:
            result = Result()
            options = {**given_options(way), **asked.given("interactive"), "way": way}
            focus = None if asked.element is UNSET else asked.element
            await self._show_page(tab, result, self._budget(asked), focus=focus, must=True, **options)
            return result

    async def expand(self, asked: tools.Expand) -> Result:
        """Show what a fold or an element holds: an element as it is now, a range as it was printed."""
        budget = self._budget(asked)
        async with self._turn() as tab:
            result = Result()
            # The number of a fold is another one in another rendering: only those count that were printed.
            printed = next((one for one in reversed(tab.results) if one.has_fold(asked.id)), None)
            if is_element_id(asked.id) and (printed is None or printed.rendering.format_name == "ai"):
                await self._expand_element(tab, result, asked.id, budget)
                return result
            if printed is None:
                raise ToolError(
                    f"no fold {asked.id!r} was printed lately; take a snapshot, and use its folds"
                )
            if printed.snapshot_id != tab.looked_at:
                result.said.append("as of an earlier look; snapshot shows the page as it is now")
            opened = printed.rendering.expand(asked.id, budget)
            tab.note_opened(opened, printed)
            result.show(opened, "page")
            return result

    async def _expand_element(self, tab: NumberedTab, result: Result, id_: str, budget: int) -> None:
        """Print an element as it is now; with a heading, its section."""
        await self._content.check(tab, self.deadline)
        part = await tab.page.expand(id_, timeout=self.deadline)
        # Only the whole page tells what is a heading's, and whether what stands below aria-hidden is seen.
        if not part.rows or any(row.id == id_ and row.role == "heading" for row in part.rows):
            whole = await self._look(tab)
            with contextlib.suppress(UnknownElement):  # it has no line of its own, or is gone by now
                section = whole.render("ai").expand(id_, budget)
                self._print(tab, result, section, whole, "page")
                return
        if not part.rows:
            result.said.append(SHOWS_NOTHING)
        self._print(tab, result, part.render("ai", max_tokens=budget), part, "page")

    async def find(self, asked: tools.Find) -> Result:
        """List elements."""
        given = asked.given("text", "role", "selector")
        if not given or (len(given) > 1 and "selector" in given):
            raise ToolError("give text, role, or both; or a selector alone")
        for name, value in given.items():
            if not value.strip():
                raise ToolError(f"{name} is an empty text; leave it out, or say what to find")
        async with self._turn() as tab:
            snapshot = await self._look(tab)
            found = find_elements(snapshot, given)
            shown = fitting(found.lines, self._budget(asked))
            if len(shown) < len(found.ids):  # ids come first, and names are cut for them
                shown = fitting(
                    (clip_text(line, FOUND_CHARACTERS) for line in found.lines), self._budget(asked)
                )
            tab.note_listed(found.read(len(shown)), snapshot)
        result = Result(page=shown, data={"elements": list(shown)})
        left = len(found.ids) - len(shown)
        more = f", {left} not shown: give a larger max_tokens" if left else ""
        if not found.ids and asked.role is not UNSET:
            more = role_hint(snapshot, given)
        result.said.append(f"{len(found.ids)} found{more}")
        return result

    async def screenshot(self, asked: tools.Screenshot) -> Result:
        """The viewport as a picture."""
        async with self._turn() as tab:
            labels = asked.labels is UNSET or asked.labels
            await self._content.check(tab, self.deadline)
            snapshot = await self._look(tab, layout=labels, screenshot=True)
            if labels:
                tab.note_listed(find_labelled(snapshot.content), snapshot)
        if snapshot.screenshot is None:
            raise ToolError("the browser gave no picture; try once more")
        if not labels:
            return Result(image=snapshot.screenshot)
        picture, left_out = draw_labels(snapshot.screenshot, snapshot.content)
        return Result([left_out] if left_out else [], image=picture)

    async def diff(self, asked: tools.Diff) -> Result:
        """What changed since the page was last shown."""
        async with self._turn() as tab:
            result = Result()
            await self._show_changes(tab, result, self._budget(asked), must=True)
            return result


def complete_url(url: str) -> str:
    """A URL as people write it, with its scheme."""
    if not url.strip():
        raise ToolError("url is empty; give one, such as https://example.com")
    return complete_address(url)
