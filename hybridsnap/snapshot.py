"""Snapshot: what users hold. A facade over rows, maps and the report; it asks the browser nothing."""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from hybridsnap.argument_checks import check_bool, check_str
from hybridsnap.capture.element_ids import is_element_id, parse_element_id
from hybridsnap.capture.paths import Paths, XpathMap
from hybridsnap.errors import UnknownElement
from hybridsnap.json_data import encode_json, words_of_mismatch
from hybridsnap.model import ElementId, FrameId, Layout, Report, Row
from hybridsnap.protocol.codec import mend_surrogates
from hybridsnap.render.content import Content, RenderOptions
from hybridsnap.render.report import build_failure
from hybridsnap.render.tree import render_tree

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

    from lxml import etree

    from hybridsnap.act.shown_rows import Showing
    from hybridsnap.capture.reading import Capture
    from hybridsnap.render.coverage import Coverage
    from hybridsnap.render.detail import DetailName
    from hybridsnap.render.diff import Diff
    from hybridsnap.render.formats import FormatName
    from hybridsnap.render.line_document import LineDocument
    from hybridsnap.render.nodes import Node, NodeIndex
    from hybridsnap.render.records import RecordSet
    from hybridsnap.render.rendering import Rendering
    from hybridsnap.render.role import Ref
    from hybridsnap.render.table_cells import TableCells
    from hybridsnap.render.tokens import Tokenizer

#: The version of the JSON form.
JSON_VERSION = 1

#: So many frames are named in a message.
_LISTED = 20


class FrameSnapshot(msgspec.Struct, frozen=True, rename="camel"):
    """One frame by itself.

    Attributes:
        outline: its rows alone, from depth 0.
        xpath_map: paths within the frame's own document.
        url_map: element id → URL.
    """

    frame_id: FrameId
    ordinal: int
    url: str
    outline: str
    xpath_map: Mapping[ElementId, str]
    url_map: Mapping[ElementId, str]


class Snapshot:
    """A page at one moment: its outline, and where each element of it stands.

    Made by `Page.snapshot`, by a driver's ``snapshot``, or by `Snapshot.from_json`.

    Attributes:
        rows: the outline as data, all frames merged, in document order.
        combined_xpath_map: element id → XPath through all frames; every node, computed when asked for.
        combined_url_map: element id → URL of links, images and documents, up to 10,000 characters: Chromium's
            accessibility tree has no more of one.
        report: what is here and what is missing.
        layout: where things stand on the screen; None unless it was asked for.
        screenshot: of the viewport, as PNG; None unless it was asked for.
        on_rendering: called with each rendering and the options it was made with; so its page learns of the
            refs that are given.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        xpath_map: Mapping[ElementId, str],
        url_map: Mapping[ElementId, str],
        report: Report,
        frames: Sequence[FrameSnapshot] | None = None,
        *,
        combined_tree: str | None = None,
        layout: Layout | None = None,
        screenshot: bytes | None = None,
        capture: Capture | None = None,
    ) -> None:
        self.rows: tuple[Row, ...] = tuple(rows)
        self.combined_xpath_map = xpath_map
        self.combined_url_map = url_map
        self.report = report
        self._frames = frames
        self._combined_tree = combined_tree
        self.layout = layout
        self.screenshot = screenshot
        self._capture = capture
        self.on_rendering: Callable[[Rendering, Mapping[str, Any]], None] | None = None

    @functools.cached_property
    def combined_tree(self) -> str:
        """The outline of all frames: ``[0-29] button: Click Me``, two spaces a level."""
        return render_tree(self.rows) if self._combined_tree is None else self._combined_tree

    @functools.cached_property
    def per_frame(self) -> tuple[FrameSnapshot, ...]:
        """Each frame that was captured, by itself."""
        if self._frames is not None:
            return tuple(self._frames)
        assert isinstance(self.combined_xpath_map, XpathMap)
        paths = self.combined_xpath_map.paths
        rows: dict[int, list[Row]] = {}
        for row in self.rows:
            rows.setdefault(row.frame, []).append(row)
        urls: dict[int, dict[ElementId, str]] = {}
        for element_id, url in self.combined_url_map.items():
            urls.setdefault(parse_element_id(element_id)[0], {})[element_id] = url
        return tuple(
            FrameSnapshot(
                frame.frame_id,
                frame.ordinal,
                frame.url,
                render_tree(
                    rows.get(frame.ordinal, ()),
                    base_depth=min((row.depth for row in rows.get(frame.ordinal, ())), default=0),
                ),
                XpathMap(paths, frame.ordinal),
                urls.get(frame.ordinal, {}),
            )
            for frame in self.report.frames
            if frame.status in ("captured", "partial")
        )

    @property
    def content(self) -> Content:
        """What the formats look at."""
        return Content(
            self.rows,
            self.combined_xpath_map,
            self.combined_url_map,
            self.report,
            self.layout,
            self._capture,
        )

    def render(
        self,
        format: FormatName = "tree",  # noqa: A002 - the word users type
        *,
        interactive: bool = False,
        flat: bool = False,
        compact: bool = False,
        max_depth: int | None = None,
        max_tokens: int | None = None,
        max_chars: int | None = None,
        tokenizer: Tokenizer | None = None,
        visible_only: bool = False,
        urls: bool = False,
        query: str = "",
        frame: int | None = None,
        scope: str | None = None,
        detail: DetailName = "lean",
        since: Snapshot | None = None,
        since_refs: Mapping[str, Ref] | None = None,
        only_changes: bool = False,
        after: Snapshot | None = None,
        **special: Any,
    ) -> Rendering:
        """The snapshot in one of its formats; nothing is asked of the browser.

        Args:
            format: ``tree``, ``json``, ``role``, ``aria``, ``ai``, ``webarena``, ``controls``, ``html``,
                ``xml`` or ``records``.
            interactive: only what can be operated, with the ancestors that give it meaning.
            flat: with `interactive`: without those ancestors.
            compact: no unnamed structural rows, no branches without a name or anything to operate.
            max_depth: levels, the top one being 0.
            max_tokens: the most the text may take; what does not fit is folded, and each fold says its id
                (`Rendering.expand`). Tokens are estimated, on the safe side, unless there is a `tokenizer`.
            max_chars: the same in characters.
            tokenizer: what counts tokens: a function, or ``o200k`` or another vocabulary's name (needs the
                extra ``tokens``).
            visible_only: only what a person can see; needs layout.
            urls: links with their URL (records: a column ``Name (url)``, or ``urls`` of a record).
            query: only lines that hold all these words, with what stands above them.
            frame: only this frame's ordinal.
            scope: only the subtrees of these elements: an element id, an XPath of the map, or a CSS selector.
                Of an element without a row of its own, the rows in it.
            detail: of each row (tree, ai): ``bare`` prints ids, roles and names only; ``rich`` adds boxes in
                CSS px and colours (with layout), test ids, classes that a person wrote, and what stays in
                place or lies over other elements (`hybridsnap.render.detail`).
            since: an older snapshot: ``[new]`` and ``[changed]`` stand at the ends of lines that are so
                (tree, role, ai), and nodes that were there keep their refs (role).
            since_refs: with `since`: the refs that were given then (`Rendering.extras`), where that was
                itself a rendering since another; None for those of `since` by itself.
            only_changes: with `since`: only the lines so marked, with what stands above them.
            after: the page that was read before: within a budget, what stood there, too, comes after what is
                new.
            special: options of one format: ``limit``, ``json_lines`` (aria);
                ``ignored_properties``, ``dropped_roles``, ``static_text``, ``viewport_only``, ``tabs``
                (webarena); ``lang``, ``action``, ``time`` (controls); ``scripts`` (html);
                ``csv`` (records).

        Raises:
            ValueError: the format is unknown, an option means nothing to it, the budget is too small, the
                depth or the frame does not exist, or the snapshot lacks what the format needs.
            TypeError: `query` is not a string, `after` not a snapshot, or a budget not a number.
            UnknownElement: `scope` names nothing, or what shows nothing.
        """
        from hybridsnap.render.formats import check_options, render
        from hybridsnap.render.json_text import render_json
        from hybridsnap.render.seen import mark_seen
        from hybridsnap.render.tokens import budget_of

        budget = budget_of(max_tokens, tokenizer, max_chars)
        self._check_extent(max_depth, query, frame)
        check_str("scope", scope, "#main", optional=True)
        flags = {"interactive": interactive, "flat": flat, "compact": compact, "urls": urls}
        for name, flag in {**flags, "visible_only": visible_only, "only_changes": only_changes}.items():
            check_bool(name, flag)
        options = RenderOptions(
            interactive=interactive,
            flat=flat,
            compact=compact,
            max_depth=max_depth,
            visible_only=visible_only,
            urls=urls,
            query=query,
            frame=frame,
            scope=None if scope is None else self._elements(scope, format),
            detail=detail,
            special=special,
        )
        if since is None and (only_changes or since_refs is not None):
            raise ValueError("only_changes and since_refs mean nothing without since")
        amend = None if since is None else self._marks(format, since, since_refs, only_changes=only_changes)
        if after is not None:
            if not isinstance(after, Snapshot):
                raise TypeError(f"after is a snapshot, not {after!r}")
            if amend is not None:
                raise ValueError("give since, of the same page, or after, of another one")
            amend = functools.partial(mark_seen, rows=self.rows, older=after.rows)
        if format == "json":
            check_options(format, options)
            return render_json(self.content, self.to_dict(), budget, tokenizer)
        rendering = render(self.content, format, options, budget, tokenizer, amend)
        if self.on_rendering is not None:
            self.on_rendering(rendering, options.given())
        return rendering

    def _check_extent(self, max_depth: int | None, query: object, frame: int | None) -> None:
        """Refuse what would leave nothing, or cannot be looked for.

        Raises:
            ValueError, TypeError: as `render`.
        """
        if max_depth is not None and not isinstance(max_depth, int):
            raise TypeError(f"max_depth: expected a whole number from 0 on, got {max_depth!r}")
        if max_depth is not None and max_depth < 0:
            raise ValueError(f"max_depth is 0 for the top level only, 1 for one more, …, not {max_depth!r}")
        if not isinstance(query, str):
            raise TypeError(f"query is a string, words with blanks between them, not {query!r}")
        ordinals = [one.ordinal for one in self.report.frames]
        # One that was put together by hand may have no report.
        if frame is not None and ordinals and frame not in ordinals:
            known = ", ".join(map(str, ordinals[:_LISTED])) + (", …" if len(ordinals) > _LISTED else "")
            raise ValueError(f"the snapshot has no frame {frame!r}; its frames are {known or 'none'}")

    def _marks(
        self, format_: str, since: Snapshot, refs: Mapping[str, Ref] | None, *, only_changes: bool
    ) -> Callable[[LineDocument], LineDocument]:
        """What `render(since=)` does to a format's lines."""
        from hybridsnap.render.role import number_refs
        from hybridsnap.render.since import FORMATS_WITH_MARKS, keep_refs, mark_changes

        if format_ not in FORMATS_WITH_MARKS:
            raise ValueError(f"since means nothing to the format {format_!r}")
        if refs is not None and format_ != "role":
            raise ValueError(f"since_refs means nothing to the format {format_!r}")
        diff = self.diff(since)

        def amend(document: LineDocument) -> LineDocument:
            if format_ == "role":
                document = keep_refs(document, diff, number_refs(since.rows) if refs is None else refs)
            return mark_changes(document, diff, only_changes=only_changes)

        return amend

    def coverage(self, rendering: str) -> Coverage:
        """How much of the snapshot a rendering of it still shows."""
        from hybridsnap.render.coverage import gather_coverage

        return gather_coverage(self.content, [rendering])

    @functools.cached_property
    def shown_rows(self) -> tuple[Row, ...]:
        """The rows, and those of what the accessibility tree leaves out and a person sees.

        That is what stands below ``aria-hidden`` or is not rendered while it is out of view, as ``tree`` and
        ``ai`` print it. A snapshot from JSON does not know of any.
        """
        from hybridsnap.render.unexposed import with_shown

        return tuple(with_shown(self.content).rows)

    @property
    def _shown_content(self) -> Content:
        return dataclasses.replace(self.content, rows=self.shown_rows)

    @functools.cached_property
    def _nodes(self) -> NodeIndex:
        from hybridsnap.render.nodes import NodeIndex

        return NodeIndex(self._shown_content)

    def node(self, element_id: str) -> Node:
        """All there is to know of one element.

        Raises:
            UnknownElement: the snapshot has no such element.
            TypeError: it is not a string.
        """
        if not isinstance(element_id, str):
            raise TypeError(f"an element id is a string such as '0-29', not {element_id!r}")
        return self._nodes.node(element_id)

    def find(
        self,
        role: str | None = None,
        name: str | re.Pattern[str] | None = None,
        *,
        exact: bool = False,
        within: str | None = None,
    ) -> list[Node]:
        """The elements of the outline (`shown_rows`) with this role and name, in document order.

        Args:
            role: as the outline's data has it (``combobox``) or prints it (``select``), whatever its case;
                None for any.
            name: a part of the accessible name, whatever its case; the whole of it, case and all, with
                `exact`; or a regular expression that is searched for. Runs of white space count as one space.
                A list item or a paragraph has no name: its text is a ``StaticText`` in it.
            exact: see `name`.
            within: only below this element: in the outline, or in the DOM where the outline leaves it out.

        Returns:
            Empty, too, for a role that nothing has, as a misspelt one.

        Raises:
            UnknownElement: `within` is not in the snapshot.
            TypeError: an argument is neither a str nor, as `name` may be, a regular expression.
            ValueError: `exact` with a regular expression.
        """
        return self._nodes.find(role, name, exact=exact, within=within)

    def beside(self, element_id: str) -> str:
        """The text that tells an element from others of its role and name; "" where none does.

        "Ann" of the button "Delete" in Ann's row, "May 2026" of a day: one of the texts that the id is held
        against before each action. Where a row of a table has others of its role and name, the name of its
        column, too: "9:00, Tue". Cost: the frame's rows are gone through once.

        Raises:
            UnknownElement: the snapshot has no such element.
            TypeError: it is not a string.
        """
        id_ = self.node(element_id).id
        binding = self._showing.binding(id_)
        context = None if binding is None else binding.context
        if context is None or not context.tells_apart:
            return self._cells.beside(id_, "", ())
        return self._cells.beside(id_, context.label, context.key_ids)

    @functools.cached_property
    def _cells(self) -> TableCells:
        from hybridsnap.render.table_cells import TableCells

        return TableCells(self._shown_content)

    @functools.cached_property
    def _showing(self) -> Showing:
        from hybridsnap.act.shown_rows import Showing

        return Showing(self._shown_content, 0)

    def to_lxml(self) -> etree._ElementTree:
        """The hybrid tree of all frames as one lxml document; see `hybridsnap.render.document`.

        Cost: built anew at each call, about 20 µs an element; `xpath` and `css` keep theirs.
        """
        from hybridsnap.render.document import build_document

        return build_document(self.content)

    @functools.cached_property
    def _document(self) -> etree._ElementTree:
        return self.to_lxml()

    def xpath(self, expression: str) -> list[ElementId]:
        """The ids of the elements that an XPath expression selects in `to_lxml`, in document order.

        Args:
            expression: ``//form[.//*[@hs:role='button' and @hs:name='Pay']]``.

        Raises:
            ValueError: it is not an XPath, or selects something other than elements: attributes and texts
                are had by ``to_lxml().xpath("//a/@href")``.
        """
        from hybridsnap.render.queries import query_xpath

        check_str("expression", expression, "//button")
        return query_xpath(self._document, expression)

    def css(self, selector: str) -> list[ElementId]:
        """The ids of the elements that a CSS selector selects in `to_lxml`, in document order.

        Raises:
            ValueError: it is not a CSS selector.
        """
        from hybridsnap.render.queries import query_css

        check_str("selector", selector, "form button")
        return query_css(self._document, selector)

    def _elements(self, selector: str, format_: str) -> tuple[ElementId, ...]:
        """An element id, an XPath of the map, or a CSS selector → ids of rows that a format prints.

        An element that has no row of its own stands for the rows in it.

        Raises:
            UnknownElement: it names nothing here, or what has no row.
        """
        paths = self.combined_xpath_map
        rows_printed = self.shown_rows if format_ in {"tree", "ai"} else self.rows
        shown = {row.id: at for at, row in enumerate(rows_printed) if row.id is not None}
        if is_element_id(selector):
            found = [ElementId(selector)] if selector in shown or selector in paths else []
        elif selector.startswith("/"):
            # What the outline prints comes first, and is the least to look through.
            found = [id_ for id_ in shown if paths.get(id_) == selector]
            found = found or [ElementId(id_) for id_, path in paths.items() if path == selector]
        else:
            found = list(self.css(selector))
        if not found:
            raise UnknownElement(
                f"{selector!r} is not an element of this snapshot; give an id that its outline prints",
                element_id=selector,
            )
        rows = [id_ for id_ in found if id_ in shown]
        above = tuple(f"{paths[id_]}/" for id_ in found if id_ not in shown)
        if above:
            rows += [id_ for id_ in shown if paths.get(id_, "").startswith(above)]
        if not rows:
            raise UnknownElement(
                f"{selector!r} shows nothing: the page hides it, or there is nothing in it",
                element_id=selector,
            )
        return tuple(rows)

    def records(self) -> list[RecordSet]:
        """The tables, repeated cards and definition lists of the page, in document order.

        ::

            for found in snapshot.records():
                print(found.kind, found.name, found.columns)
                frame = pandas.DataFrame(found.to_dicts(urls=True))

        Cards are found by structure: at least three siblings that hold the same kinds of elements; what
        stands in one column is at the same place of each card. Each record has the ids of what can be
        operated in it, and where its links lead. Spanning cells, virtual grids and cards of plain ``div``
        elements are known only where the snapshot holds the page's DOM, which one that was read from JSON
        does not.

        Left out: lists whose items hold one text or link each, as menus do, and tables that Chromium takes
        for layout (role ``LayoutTable``), as it takes many that have no header cells: ``css("li")`` and
        ``to_lxml()`` have these.

        Cost: linear in the rows.
        """
        from hybridsnap.render.records_finding import find_records

        return find_records(self.content)

    def diff(self, older: Snapshot) -> Diff:
        """What changed since an older snapshot of the same page: data, and with `str` text.

        In the same document rows are told to be the same by their elements; where the page or a frame has
        navigated, by role, name and place, and `Diff.matched_by` says so. See `hybridsnap.render.changes` for
        the text.

        Cost: linear in the rows of both; 50,000 take about a third of a second.

        Raises:
            TypeError: that is not a snapshot.
        """
        if not isinstance(older, Snapshot):
            raise TypeError(f"older is a snapshot, not {older!r}")
        from hybridsnap.render.diff import diff_contents

        return diff_contents(self.content, older.content)

    def to_dict(self, *, all_xpaths: bool = False) -> dict[str, Any]:
        """The snapshot as JSON data (``combinedTree``, ``combinedXpathMap``, …; see the README).

        Args:
            all_xpaths: True puts every node's path in the maps, not only those of the ids in the outline and
                of the elements that hold frames.
        """
        shown = [row.id for row in self.rows if row.id is not None]
        listed = set(shown)
        shown += [
            frame.owner_id
            for frame in self.report.frames
            if frame.owner_id is not None and frame.owner_id not in listed
        ]
        data = {
            "version": JSON_VERSION,
            "combinedTree": self.combined_tree,
            "combinedXpathMap": _listed(self.combined_xpath_map, shown, all_xpaths=all_xpaths),
            "combinedUrlMap": dict(self.combined_url_map),
            "perFrame": [
                {
                    "frameId": frame.frame_id,
                    "ordinal": frame.ordinal,
                    "url": frame.url,
                    "outline": frame.outline,
                    "xpathMap": _listed(
                        frame.xpath_map,
                        [id_ for id_ in shown if id_.startswith(f"{frame.ordinal}-")],
                        all_xpaths=all_xpaths,
                    ),
                    "urlMap": dict(frame.url_map),
                }
                for frame in self.per_frame
            ],
            "rows": msgspec.to_builtins(self.rows),
            "report": msgspec.to_builtins(self.report),
        }
        if self.layout is not None:
            data["layout"] = msgspec.to_builtins(self.layout)
        if self.screenshot is not None:
            data["screenshot"] = base64.b64encode(self.screenshot).decode()
        try:
            msgspec.json.encode(data)
        except UnicodeEncodeError:
            # Our client's strings are mended when they are decoded, a foreign driver's are as they came.
            mended = Snapshot.from_json(mend_surrogates(json.dumps(data).encode()))
            return mended.to_dict(all_xpaths=True)
        return data

    def to_json(self, *, all_xpaths: bool = False) -> str:
        """`to_dict` as JSON text; every string in it is valid Unicode.

        Characters that hide, reorder or break text are escaped in it: it may be printed.
        """
        return encode_json(self.to_dict(all_xpaths=all_xpaths))

    @classmethod
    def from_json(cls, text: str | bytes) -> Snapshot:
        """Read back what `to_json` wrote.

        Raises:
            ValueError: it is not a snapshot, or of a version this hybridsnap does not know.
        """
        try:
            saved = msgspec.json.decode(text if isinstance(text, bytes) else str(text), type=_Saved)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            words = words_of_mismatch(error) if isinstance(error, msgspec.ValidationError) else error
            raise ValueError(
                f"this is not a hybridsnap snapshot in JSON: {words}; give what to_json() wrote"
            ) from error
        if saved.version != JSON_VERSION:
            raise ValueError(
                f"snapshot version {saved.version} is unknown; this hybridsnap reads {JSON_VERSION}"
            )
        return cls(
            saved.rows,
            saved.combined_xpath_map,
            saved.combined_url_map,
            saved.report,
            saved.per_frame,
            combined_tree=saved.combined_tree,
            layout=saved.layout,
            screenshot=saved.screenshot,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Snapshot):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __getstate__(self) -> dict[str, Any]:
        """A copy, perhaps in another process, has no history to report its renderings to."""
        return {**self.__dict__, "on_rendering": None}

    __hash__: ClassVar[None]  # type: ignore[assignment]  # equal by content, and the content is large

    def __repr__(self) -> str:
        return (
            f"<Snapshot of {self.report.url!r}: {len(self.rows)} rows, {len(self.report.frames)} frame(s)"
            f"{'' if self.report.complete else ', incomplete'}>"
        )


class _Saved(msgspec.Struct, rename="camel"):
    """The JSON form, as it is read."""

    version: int
    combined_tree: str
    combined_xpath_map: dict[ElementId, str]
    combined_url_map: dict[ElementId, str]
    per_frame: list[_SavedFrame]
    rows: list[Row]
    report: Report
    layout: Layout | None = None
    screenshot: bytes | None = None


class _SavedFrame(FrameSnapshot, frozen=True, rename="camel"):
    xpath_map: dict[ElementId, str]
    url_map: dict[ElementId, str]


def _listed(
    paths: Mapping[ElementId, str], shown: Sequence[ElementId], *, all_xpaths: bool
) -> dict[ElementId, str]:
    if all_xpaths:
        return dict(paths)
    return {id_: path for id_ in shown if (path := paths.get(id_)) is not None}


def build_snapshot(capture: Capture, *, transport: str, elapsed_ms: float) -> Snapshot:
    """Make a snapshot of what a capture found.

    Args:
        capture: its result.
        transport: how the browser was spoken to.
        elapsed_ms: how long the capture took, from the caller's point of view.

    Raises:
        CaptureFailed: the main frame could not be read; `DeadlineExceeded` when the time was the reason.
    """
    main = capture.frames[0]
    report = Report(
        complete=capture.complete,
        consistent=capture.consistent,
        url=main.url,
        title=capture.title,
        elapsed_ms=round(elapsed_ms, 1),
        transport=transport,
        snapshot_id=uuid.uuid4().hex[:12],
        frames=tuple(capture.frames),
        notes=tuple(capture.notes),
    )
    if main.status == "missing":
        raise build_failure(report)
    return Snapshot(
        capture.rows,
        XpathMap(Paths(capture)),
        {ElementId(id_): url for id_, url in capture.urls.items()},
        report,
        layout=capture.layout,
        screenshot=capture.screenshot,
        capture=capture,
    )
