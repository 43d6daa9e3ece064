"""The tools that go somewhere and look."""

from __future__ import annotations

import collections
import difflib
import itertools
import json
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from hybridsnap.act.shown_rows import Showing
from hybridsnap.capture.element_ids import is_element_id
from hybridsnap.capture.roles import STRUCTURAL_ROLES
from hybridsnap.client.external_protocols import complete_address
from hybridsnap.errors import UnknownElement
from hybridsnap.json_data import words_of_mismatch
from hybridsnap.mcp import tools
from hybridsnap.mcp.call_base import ACTING_SHARE, SHOWS_NOTHING, CallBase
from hybridsnap.mcp.options import ToolError
from hybridsnap.mcp.results import Result, fitting
from hybridsnap.render.labels import draw_labels, find_labelled
from hybridsnap.render.tree import format_tree_line
from hybridsnap.service.locating import select_ids
from hybridsnap.service.rendering import given_options
from hybridsnap.text import clean_text, clip_text, excerpt, squeeze

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.model import ElementId, Row
    from hybridsnap.render.nodes import Node
    from hybridsnap.snapshot import Snapshot

#: Where found elements do not fit, each line is cut to so many characters.
_LINE_CHARACTERS = 120
#: How many elements with equal lines get the text beside them, and how many characters of it.
_MOST_TOLD_APART, _LABEL_CHARACTERS = 100, 60
#: So many elements around a text are looked at for a name that says it.
_MOST_AROUND = 8


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
            going = self.deadline.share(ACTING_SHARE)
            navigation = await (
                tab.page.go_back(timeout=going)
                if way == "back"
                else tab.page.go_forward(timeout=going)
                if way == "forward"
                else tab.page.reload(timeout=going)
                if way == "reload"
                else tab.page.goto(url, timeout=going)
            )
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
        """Show what a fold or an element holds."""
        budget = self._budget(asked)
        async with self._turn() as tab:
            result = Result()
            is_fold = any(asked.id == fold.id for one in tab.results for fold in one.rendering.folds)
            if is_element_id(asked.id) and not is_fold:
                await self._content.check(tab, self.deadline)
                snapshot = await tab.page.expand(asked.id, timeout=self.deadline)
                if not snapshot.rows:
                    result.said.append(SHOWS_NOTHING)
                self._print(tab, result, snapshot.render("ai", max_tokens=budget), snapshot, "page")
                return result
            for printed in reversed(tab.results):
                try:
                    opened = printed.rendering.expand(asked.id, budget)
                except UnknownElement:
                    continue
                tab.note_opened(opened, printed)
                result.show(opened, "page")
                return result
            raise ToolError(f"no fold {asked.id!r} was printed lately; take a snapshot, and use its folds")

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
            pieces: dict[ElementId, str] = {}
            if asked.selector is not UNSET:
                ids = select_ids(snapshot, asked.selector)
            else:
                found = {
                    node.id: node.name for node in _named(snapshot, given.get("role"), given.get("text"))
                }
                if asked.role is UNSET and asked.text is not UNSET:
                    pieces = _in_pieces(snapshot, asked.text)
                found |= pieces
                ids = [
                    row.id
                    for row in snapshot.rows
                    if row.id is not None and row.id in found and not _is_said(snapshot, row.id, found)
                ]
            rows = {
                row.id: msgspec.structs.replace(row, name=pieces[row.id]) if row.id in pieces else row
                for row in snapshot.rows
            }
            nodes = [snapshot.node(id_) for id_ in ids]
            lines = [_found_line(node, rows.get(node.id)) for node in nodes]
            called = [_called(rows.get(node.id)) for node in nodes]
            lines, beside = _told_apart(snapshot, lines, ids, called)
            shown = fitting(lines, self._budget(asked))
            if len(shown) < len(lines):  # ids come first, and names are cut for them
                shown = fitting((clip_text(line, _LINE_CHARACTERS) for line in lines), self._budget(asked))
            listed = ids[: len(shown)]
            told = itertools.chain.from_iterable(beside.get(id_, ()) for id_ in listed)
            tab.note_listed([*listed, *told], snapshot)
        result = Result(page=shown, data={"elements": list(shown)})
        left = len(nodes) - len(result.page)
        more = f", {left} not shown: give a larger max_tokens" if left else ""
        roles = {row.role for row in rows.values()}  # the browser's words, not the page's
        if not nodes and asked.role is not UNSET and asked.role not in roles:
            near = difflib.get_close_matches(asked.role, roles - STRUCTURAL_ROLES, 1)
            more = "; nothing has this role" + (f", did you mean {near[0]}?" if near else "")
        result.said.append(f"{len(nodes)} found{more}")
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


def _found_line(node: Node, row: Row | None) -> str:
    """An element with its name, or the beginning of its text; the outline leaves out those without a row."""
    if row is not None and (row.name or row.value or row.hint):
        return format_tree_line(row)
    words = excerpt(node.name or node.text, _LINE_CHARACTERS)
    if row is not None:
        return format_tree_line(msgspec.structs.replace(row, name=words))
    label = f"[{node.id}] {node.role or node.tag}"
    return f"{label}: {words}" if words else label


def _called(row: Row | None) -> str:
    """Role and name of a row, without its states: "Heat" of one list may be selected, that of another not."""
    return f" {row.role}: {row.name}" if row is not None and row.name else ""


def _told_apart(
    snapshot: Snapshot, lines: list[str], ids: Sequence[ElementId], called: Sequence[str]
) -> tuple[list[str], dict[ElementId, list[ElementId]]]:
    """The lines, and the elements whose texts they tell.

    Those `called` as others of the page or the list are have the text that tells their row or card apart.
    """
    lines = [line.replace("[beside=", r"\[beside=") for line in lines]  # a page may have written that
    words = [
        name or line.removeprefix(f"[{id_}]") for line, id_, name in zip(lines, ids, called, strict=True)
    ]
    on_page = collections.Counter(_called(row) for row in snapshot.rows if row.id is not None)
    often = {one for one, count in collections.Counter(words).items() if max(count, on_page[one]) > 1}
    shown = Showing(snapshot.content, 0)
    left = _MOST_TOLD_APART
    told: dict[ElementId, list[ElementId]] = {}
    for at, (line, id_) in enumerate(zip(lines, ids, strict=True)):
        if words[at] not in often or left == 0:
            continue
        left -= 1
        binding = shown.binding(id_)
        context = None if binding is None else binding.context
        if context is not None and (label := context.label):
            told[id_] = context.key_ids
            lines[at] = (
                f"{line} [beside={json.dumps(clip_text(label, _LABEL_CHARACTERS), ensure_ascii=False)}]"
            )
    return lines, told


def complete_url(url: str) -> str:
    """A URL as people write it, with its scheme."""
    if not url.strip():
        raise ToolError("url is empty; give one, such as https://example.com")
    return complete_address(url)


def _named(snapshot: Snapshot, role: str | None, text: str | None) -> list[Node]:
    """What is found by role and name, or by what the outline prints in its place (``button ?times``).

    Of a role whose elements have no names, such as paragraphs, by text.
    """
    found = snapshot.find(role, text)
    if text is None:
        return found
    words = squeeze(text).casefold()
    hints = {row.id: row.hint.casefold() for row in snapshot.rows if row.hint and not row.name}
    if hint := words.removeprefix("?"):
        found += [node for node in snapshot.find(role) if hint in hints.get(node.id, "")]
    if found or role is None:
        return found
    return [node for node in snapshot.find(role) if not node.name and words in squeeze(node.text).casefold()]


def _in_pieces(snapshot: Snapshot, text: str) -> dict[ElementId, str]:
    """The first of several texts in a row that hold the words together only, and what they say.

    What a script fills in is a text of its own: ``v1.`` and ``7`` stand for ``v1.7`` (React).
    """
    words = clean_text(text).casefold()
    found: dict[ElementId, str] = {}
    runs = itertools.groupby(
        snapshot.rows, lambda row: (row.frame, row.depth) if row.role == "StaticText" else None
    )
    for key, run in runs:
        texts = [] if key is None else list(run)
        if not texts or (first := texts[0].id) is None:
            continue
        said = clean_text("".join(row.name for row in texts))
        alone = any(words in clean_text(row.name).casefold() for row in texts)
        if words in said.casefold() and not alone:
            found[first] = said
    return found


def _is_said(snapshot: Snapshot, id_: ElementId, found: Mapping[ElementId, str]) -> bool:
    """Whether a text is all or part of the name of a found element around it: `link: Help`, then `Help`."""
    node = snapshot.node(id_)
    if node.role != "StaticText":
        return False
    around = node.parent
    for _ in range(_MOST_AROUND):
        if around is None:
            return False
        if around in found:
            return node.name in found[around]
        around = snapshot.node(around).parent
    return False
