"""Going to a document, waiting for what it shows, looking at it, and evaluating in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack

from hybridsnap.act.conditions import check_conditions
from hybridsnap.argument_checks import check_bool, check_str
from hybridsnap.capture.element_ids import is_ref, parse_element_id
from hybridsnap.client.evaluation import EVALUATION_TIMEOUT
from hybridsnap.client.pictures import take_screenshot
from hybridsnap.client.printing import check_pdf_options, print_pdf, save_mhtml
from hybridsnap.client.viewport import check_viewport, set_viewport, wait_for_size
from hybridsnap.client.waits import wait_for
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.errors import SelectorError, UnknownElement
from hybridsnap.render.labels import find_labelled

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from hybridsnap.act.conditions import LoadState
    from hybridsnap.act.finding import ElementQuery
    from hybridsnap.capture.pointing import FoundElement
    from hybridsnap.client.action_runner import ActionRunner
    from hybridsnap.client.evaluation import Evaluation
    from hybridsnap.client.history import HistoryNavigator
    from hybridsnap.client.navigating import Navigation, Wait
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.client.printing import Length
    from hybridsnap.client.snapshots import Snapshots
    from hybridsnap.client.waits import Waited
    from hybridsnap.model import ElementId
    from hybridsnap.snapshot import Snapshot


class DocumentMethods:
    """What a page can be asked about its document."""

    # The parts that do it; `hybridsnap.Page` makes them.
    _context: PageContext
    _runner: ActionRunner
    _navigator: HistoryNavigator
    _snapshots: Snapshots
    _evaluation: Evaluation

    async def goto(
        self, url: str, *, wait: Wait = "settled", timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> Navigation:
        """Go to an address, and wait for it. A dialog that is open is closed (but for a ``beforeunload``).

        Args:
            url: with a scheme: ``https://…``, ``file:///…``, ``about:blank``.
            wait: ``settled`` (the load event, and then what scripts have asked servers for, half a second at
                most; before the load event a parsed document while neither its nodes nor its requests have
                moved for a second, or one whose parser has waited for a script for four:
                `Navigation.under_way` says what has not ended), ``load``, ``domcontentloaded``,
                ``networkidle`` (500 ms without traffic) or ``none`` (only until the browser has begun).
                Whatever comes first, it or the deadline, ends it; `Navigation.ended_by` says which.
            timeout: seconds.

        Returns:
            Where it led, and how: a page that a server answers with 404 or 500 is a page, and no error;
            `Navigation.status` says so.

        Raises:
            NavigationFailed: the address does not resolve, is refused, is not a URL, is a script
                (``javascript:``) or for another program (``tel:``), or is a download that is not expected.
            ValueError: `wait` is unknown, or `timeout` unusable.
        """
        return await self._navigator.goto(url, wait, Deadline.of(timeout))

    async def go_back(
        self, *, wait: Wait = "settled", timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> Navigation:
        """Go one step back in the tab's history, as the button does.

        The step may be within the document (``same-document``), or one of a frame alone (``frame``). A
        document that Chromium has kept is shown again as it was left, and is loaded at once.

        Args:
            wait: as for `goto`.
            timeout: seconds.

        Raises:
            NavigationFailed: there is nothing to go back to (its reason is ``no history entry``), or the
                document could not be loaded again.
        """
        return await self._navigator.travel(-1, wait, Deadline.of(timeout))

    async def go_forward(
        self, *, wait: Wait = "settled", timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> Navigation:
        """Go one step forward in the tab's history. All else as for `go_back`."""
        return await self._navigator.travel(1, wait, Deadline.of(timeout))

    async def reload(
        self,
        *,
        ignore_cache: bool = False,
        wait: Wait = "settled",
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> Navigation:
        """Load the document once more. It brings a crashed page back.

        Args:
            ignore_cache: ask the server for everything, whatever the cache holds.
            wait: as for `goto`.
            timeout: seconds.

        Raises:
            NavigationFailed: it cannot be loaded any more.
        """
        return await self._navigator.reload(
            ignore_cache=ignore_cache, wait=wait, deadline=Deadline.of(timeout)
        )

    @property
    def status(self) -> int | None:
        """The HTTP status of the document that is there, such as 404, if `goto` or its like brought it.

        None for a document without one (``file:``, ``data:``), and for one that a click or script led to.
        """
        return self._context.attachment.main.status

    @property
    def under_way(self) -> Mapping[str, int] | None:
        """Host → requests that had not ended when ``settled`` was reached without the load event.

        None where the document was not left so, and as soon as its load event has fired. Empty on a page's
        own socket, whose requests are not followed.
        """
        return self._context.attachment.main.unfinished

    async def wait_for(
        self,
        *,
        time: float | None = None,
        text: str | None = None,
        text_gone: str | None = None,
        selector: str | None = None,
        selector_gone: str | None = None,
        enabled: str | None = None,
        disabled: str | None = None,
        uncovered: str | None = None,
        checked: str | None = None,
        value: Sequence[str] | None = None,
        count: Sequence[str | int] | None = None,
        url: str | None = None,
        load_state: LoadState | None = None,
        function: str | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> Waited:
        r"""Wait until all that is given holds at the same moment; `hybridsnap.act.conditions` has the rules.

        Args:
            time: seconds that pass in any case.
            text: that the page shows, in any of its frames, as it is rendered.
            text_gone: that it shows in none of them.
            selector: of what it matches something is displayed. An element id, a ref, an XPath, CSS with
                ``>>`` into frames and shadow roots.
            selector_gone: of what it matches nothing is displayed.
            enabled: an element id, a ref, or a selector that matches one element only: it can be used.
            disabled: likewise, it cannot.
            uncovered: likewise, a click would reach it. The view is scrolled to it if need be.
            checked: likewise, a checkbox, switch or radio is checked.
            value: an element and its value, whole: ``("#city", "Paris")``.
            count: a selector and how many elements it matches, displayed or not: ``("li.hit", 3)``.
            url: of the page, whole; ``*`` for anything but ``/``, ``**`` for anything, ``?`` for one
                character; ``\`` before them for themselves.
            load_state: ``domcontentloaded``, ``load`` or ``networkidle``.
            function: JavaScript in the page's own world that gives something true (an expression, or a
                function, which is called; promises are awaited). Asked when all else holds.
            timeout: seconds, for all of it.

        Returns:
            What holds. When it holds already, at once.

        Raises:
            WaitTimeout: something did not hold in time; ``missing`` has it, and the message says what held
                instead.
            NotInteractable: ``checked`` or ``value`` of an element that has no such state.
            EvaluationFailed: the function threw.
            TypeError, ValueError, SelectorError, UnknownElement: there is nothing to wait for, or it makes no
                sense.
            TargetCrashed, TargetDetached, ConnectionLost: the page is gone.
        """
        deadline = Deadline.of(timeout)
        conditions = check_conditions(
            deadline.remaining,
            time=time,
            text=text,
            text_gone=text_gone,
            selector=selector,
            selector_gone=selector_gone,
            enabled=enabled,
            disabled=disabled,
            uncovered=uncovered,
            checked=checked,
            value=value,
            count=count,
            url=url,
            load_state=load_state,
            function=function,
        )
        return await wait_for(self._context, self._evaluation, conditions, deadline)

    async def snapshot(
        self,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        pierce_shadow: bool = True,
        include_iframes: bool = True,
        focus: str | None = None,
        focus_nth: int = 0,
        focus_missing: Literal["error", "full"] = "error",
        ignore: str | Sequence[str] = (),
        layout: bool = False,
        screenshot: bool = False,
    ) -> Snapshot:
        """Capture the page: every frame's DOM and accessibility tree, as one outline with maps.

        Args:
            timeout: seconds until it is back, with what there is by then.
            pierce_shadow: False leaves out what stands in author shadow roots.
            include_iframes: False captures the main frame only.
            focus: capture only the subtree of what this matches: an element id, an XPath or a CSS selector,
                with ``>>`` into iframes and shadow roots (`hybridsnap.capture.selectors` has the language).
                Ids and XPaths are those of the whole page.
            focus_nth: which of its matches, from 0.
            focus_missing: ``full`` captures the whole page when nothing matches, and says so in the report's
                notes; ``error`` raises.
            ignore: selectors; the subtrees of all they match are left out, with the frames in them. One that
                matches nothing is a note in the report.
            layout: where everything stands (`Snapshot.layout`); rows are marked ``clickable`` (by script
                only), ``offscreen`` and ``covered by 0-77`` (what a click in the middle would reach instead).
            screenshot: of the viewport, as PNG (`Snapshot.screenshot`).

        Returns:
            The snapshot; ``snapshot.report`` says what it lacks.

        Raises:
            CaptureFailed: not even the main frame could be read; `DeadlineExceeded` when time was the
                reason. The error carries the report.
            SelectorError: `focus` matches nothing, or a selector is malformed.
            ConnectionLost: the browser is gone.
        """
        return await self._snapshots.take(
            timeout,
            pierce_shadow=pierce_shadow,
            include_iframes=include_iframes,
            focus=focus,
            focus_nth=focus_nth,
            focus_missing=focus_missing,
            ignore=ignore,
            layout=layout,
            screenshot=screenshot,
        )

    def recall(self, snapshot: Snapshot) -> None:
        """Take a snapshot of this very page as shown, for instance one that another process took and saved.

        Its ids, and the refs of a role rendering of it, can be acted on like those of this page's own
        snapshots: what they stood for is held against the page first.

        Args:
            snapshot: as `Snapshot.from_json` reads it.

        Raises:
            TypeError: it is not a snapshot.
            ValueError: it is of another page, or numbers the frames otherwise than they are numbered here.
        """
        self._snapshots.recall(snapshot)

    def note_printed(self, snapshot_id: str, ids: Collection[ElementId]) -> None:
        """Say which elements of a snapshot its reader was shown, where a budget had no room for all.

        A snapshot counts as shown whole: an id that an earlier one printed as "Delete report 60" may stand
        for "Delete report 59" now, and is acted on as that. After this, of what was not printed counts what
        was shown before: an action on such an id is refused, and says what it is. So is one on a button that
        was printed beside "Ann", and stands beside "Bob" now, unless "Bob" was printed, too.

        Args:
            snapshot_id: ``report.snapshot_id``; one that the page no longer remembers is ignored.
            ids: `Rendering.ids`; they replace those that were given for it before.
        """
        self._context.history.note_printed(snapshot_id, ids)

    async def content(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> str:
        """The main document's HTML as it is now, scripts included.

        Frames are left as their ``<iframe>`` elements, shadow roots are left out, and the value of a password
        field is never in it. ``snapshot.render("html")`` has frames and shadow roots.

        Args:
            timeout: seconds.

        Raises:
            CaptureFailed: the document could not be read; `DeadlineExceeded` when time was the reason.
        """
        snapshot = await self._snapshots.take(timeout, include_iframes=False, pierce_shadow=False)
        return str(snapshot.render("html", scripts=True))

    async def screenshot(
        self,
        *,
        full_page: bool = False,
        element: str | None = None,
        clip: tuple[float, float, float, float] | None = None,
        format: Literal["png", "jpeg", "webp"] = "png",  # noqa: A002 - the protocol's name
        quality: int | None = None,
        transparent: bool = False,
        mask: Sequence[str] = (),
        labels: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> bytes:
        """A picture of the viewport, of the full page, of one element or of a rectangle.

        Args:
            full_page: the whole document, as far as it can be scrolled to. Frames of other processes that are
                out of view are blank: Chromium does not paint them. ``element`` shows one.
            element: id, ref or selector of an element; the page is scrolled to it.
            clip: left, top, width and height in CSS px of the viewport.
            format: of the picture.
            quality: 0 to 100, for ``jpeg`` and ``webp``.
            transparent: where the page draws no background, for ``png`` and ``webp``.
            mask: ids, refs or selectors of elements that are painted over in black: the rectangle that holds
                where each was right before the picture and right after. What such an element draws outside
                of its box is not covered.
            labels: draw the ids of what can be operated on a picture of the viewport.
            timeout: seconds.

        Returns:
            The encoded picture, in device pixels.

        Raises:
            UnknownElement, StaleElement, SelectorError, NotInteractable: the element cannot be shown.
            CommandUnanswered: the page did not answer in time: it is busy, or a dialog is open.
            ValueError: options that contradict each other.
            ImportError: `mask` and `labels` need Pillow (extra ``labels``).
        """
        check_bool("labels", labels)
        deadline = Deadline.of(timeout)

        async def look() -> Snapshot:
            snapshot = await self.snapshot(layout=True, screenshot=True, timeout=deadline)
            self.note_printed(snapshot.report.snapshot_id, find_labelled(snapshot.content))
            return snapshot

        with self._context.attachment.not_behind_dialog("Page.captureScreenshot", deadline):
            return await take_screenshot(
                self._context,
                self._runner,
                deadline,
                full_page=full_page,
                element=element,
                clip=clip,
                format=format,
                quality=quality,
                transparent=transparent,
                mask=mask,
                look=look if labels else None,
            )

    async def pdf(
        self,
        *,
        paper: str | tuple[Length, Length] = "letter",
        landscape: bool = False,
        margin: Length | tuple[Length, Length, Length, Length] = 0.4,
        scale: float = 1.0,
        pages: str = "",
        background: bool = False,
        header: str | None = None,
        footer: str | None = None,
        css_page_size: bool = False,
        tagged: bool = True,
        outline: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> bytes:
        """The page as it would be printed: a PDF file.

        Lengths are inches, or strings with a unit: ``"20mm"``, ``"2cm"``, ``"1in"``, ``"96px"``, ``"12pt"``.

        Args:
            paper: ``letter``, ``legal``, ``tabloid``, ``ledger``, ``a0`` to ``a6``, or width and height.
            landscape: turned.
            margin: on all sides, or top, right, bottom, left.
            scale: 0.1 to 2.
            pages: such as ``"1-5, 8"``; empty for all.
            background: with background colours and pictures.
            header: HTML; elements of the classes ``date``, ``title``, ``url``, ``pageNumber`` and
                ``totalPages`` are filled in. It is drawn in the margin: leave it room.
            footer: likewise.
            css_page_size: the size that the page asks for by ``@page`` goes before `paper`.
            tagged: with the structure that screen readers use.
            outline: with bookmarks from the headings.
            timeout: seconds.

        Raises:
            ValueError, TypeError: an option means nothing, the document has no such pages, or the margin
                leaves no room.
            CommandRefused: a browser that is not headless may not print at all.
            CommandUnanswered: the page did not answer in time, or a dialog is open (cause ``dialog``).
        """
        params = check_pdf_options(
            paper=paper,
            landscape=landscape,
            margin=margin,
            scale=scale,
            pages=pages,
            background=background,
            header=header,
            footer=footer,
            css_page_size=css_page_size,
            tagged=tagged,
            outline=outline,
        )
        attachment, deadline = self._context.attachment, Deadline.of(timeout)
        with attachment.not_behind_dialog("Page.printToPDF", deadline):
            return await print_pdf(attachment.root.session, params, deadline)

    async def mhtml(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> bytes:
        """The page with its frames, styles and pictures, as one MHTML file.

        Args:
            timeout: seconds.

        Raises:
            CommandUnanswered: the page did not answer in time, or a dialog is open (cause ``dialog``).
        """
        attachment, deadline = self._context.attachment, Deadline.of(timeout)
        with attachment.not_behind_dialog("Page.captureSnapshot", deadline):
            return await save_mhtml(attachment.root.session, deadline)

    async def set_viewport(
        self, width: int, height: int, *, timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> None:
        """Give the page's viewport a size, until another is set or the connection ends.

        It waits until the page has that size; a page that is busy, or wider by its own ``viewport`` tag, is
        waited for a second at most.

        Args:
            width: CSS px.
            height: likewise.
            timeout: seconds.

        Raises:
            TypeError, ValueError: a size is not a whole number from 1 to 10,000,000.
            CommandUnanswered: the browser did not answer in time, or a dialog is open.
        """
        size = check_viewport((width, height))
        assert size is not None
        deadline = Deadline.of(timeout)
        with self._context.attachment.not_behind_dialog("set_viewport", deadline):
            await set_viewport(self._context.session, size, deadline)
            await wait_for_size(self._context.session, size, deadline)

    async def expand(
        self,
        element_id: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
        **naming: Unpack[ElementQuery],
    ) -> Snapshot:
        """Capture one element of the page, as it is now, with all that is below it.

        Args:
            element_id: of an earlier snapshot, or a ref (``e12``).
            timeout: seconds.
            naming: ``backend_node_id`` and ``frame`` in place of an id; ``as_of``, the snapshot of an id.

        Raises:
            UnknownElement: the page has no such element, and no snapshot has shown it.
            StaleElement: what the id stood for is gone; so is what a ref, or an id of the snapshot in
                ``as_of``, stood for.
        """
        check_str("element_id", element_id, "0-29", optional=True)
        deadline = Deadline.of(timeout)
        if naming or (element_id is not None and is_ref(element_id)):
            element_id = (await self._snapshots.find(element_id, naming, deadline)).id
        elif element_id is None:
            raise TypeError("expand needs an element: an id, a ref or backend_node_id")
        try:
            parse_element_id(element_id)
        except KeyError:
            raise UnknownElement(
                f"{element_id!r} is not an element id; ids look like 0-29", element_id=element_id
            ) from None
        try:
            return await self._snapshots.take(deadline, focus=element_id)
        except SelectorError as error:
            # If a snapshot has shown the id, this raises StaleElement with the successors, as actions do.
            await self._snapshots.find(element_id, {}, deadline)
            raise UnknownElement(
                f"the page has no element {element_id} (any more); take a snapshot of it anew",
                element_id=element_id,
            ) from error

    async def element_at(
        self, x: float, y: float, *, timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> FoundElement | None:
        """The element that a click at a point would reach, through frames and shadow roots.

        Args:
            x: CSS px of the viewport.
            y: likewise.
            timeout: seconds.

        Returns:
            Its id and XPath; None outside the viewport.

        Raises:
            CommandUnanswered: the page did not answer in time.
            ActionError: it is going elsewhere all the time.
        """
        return await self._snapshots.element_at(x, y, Deadline.of(timeout))

    async def active_element(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> FoundElement | None:
        """The element that has the focus, through frames and shadow roots.

        Args:
            timeout: seconds.

        Returns:
            Its id and XPath; None when nothing but the document has it.

        Raises:
            CommandUnanswered: the page did not answer in time.
            ActionError: it is going elsewhere all the time.
        """
        return await self._snapshots.active_element(Deadline.of(timeout))

    async def evaluate(
        self,
        expression: str,
        *args: object,
        element: str | None = None,
        timeout: float | Deadline = EVALUATION_TIMEOUT,
        isolated_world: bool = False,
        **naming: Unpack[ElementQuery],
    ) -> Any:
        """Evaluate JavaScript in the page, apart from everything else that is done to it.

        Evaluations have a connection of their own, opened by the first and kept, so a stuck script and a
        large result delay no other command. (Where there can be none, over the pipe for one, they run on a
        further session of the browser's connection. ``browser.metrics`` counts which way was taken, and why.)

        Args:
            expression: an expression, a function (which is called with the arguments), statements (their
                value is the last one's), or statements with a ``return``. ``await`` may stand in all of them,
                and a promise is awaited. `hybridsnap.act.evaluate` has the rules.
            args: for the function: None, bool, int, float, str, bytes, datetime, lists and dicts of these.
                NaN, ±Infinity, -0 and ints of any size arrive as what they are.
            element: id, ref or selector of an element: the function gets it first, and runs in its frame. In
                an expression that is not a function it is ``element``.
            timeout: seconds, for all of it. The script has until a tenth of that (0.1 s at most) before.
            isolated_world: evaluate in our own world, which has the same DOM, but none of the page's
                variables, and built-in objects that the page cannot have changed.
            **naming: the rest of the element's name, as for every action.

        Returns:
            The value; undefined is None. `hybridsnap.act.values` has the table: numbers keep NaN, ±Infinity
            and -0, a BigInt is an int, a Date a datetime in UTC, a Map a dict; an object that occurs twice is
            one object, and cycles stay cycles. What has no value (functions, DOM nodes, windows) is described
            in angle brackets. More than 400 levels, a million items or 32 million characters (24 MB of bytes)
            are refused in the page, before anything is sent, with a RangeError.

        Raises:
            EvaluationFailed: the script threw, or does not compile; with its name, message and stack. Its
                name is ``Terminated`` when it was ended from outside. Message and stack end after 100,000
                characters, and then say how many are missing.
            EvaluationTimeout: it had not ended in time; raised within 0.5 s after that. What ran was ended
                with ``Runtime.terminateExecution``. That ends whatever script the renderer process runs at
                that moment, without a chance to catch it or to clean up (no ``finally``): a handler of the
                page's own, when the script was waiting for that, or one of another tab of the same site,
                which may share the process. When nothing runs it ends nothing, also later (measured). A
                script that only waits for a promise is not ended but forgotten: what it has set up goes on.
                Where the page was busy from the beginning, nothing is ended, and the message says so: the
                script runs when the page is free, unless its document is left before.
                A tab that does not answer after that is attached to anew: what was switched on over
                `Page.session` is off then.
            CommandUnanswered: a dialog is open in the way (cause ``dialog``) and was not answered within
                0.3 s; the script goes on when it is. Or the page went elsewhere before the script ended
                (cause ``navigated``).
            StaleElement, UnknownElement, SelectorError: as for every action; nothing was evaluated.
            TypeError, ValueError: an argument has no form in a page, or the arguments do not go together.
            TargetCrashed, TargetDetached, ConnectionLost: there is nothing to evaluate in.
        """
        return await self._evaluation.evaluate(
            expression, args, element, naming, Deadline.of(timeout), isolated_world=isolated_world
        )
