# Written by `python -m tests.stubs` from the client's source: edit that.

import os
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, Unpack

from hybridsnap.act.actions.spec import ActionOptions, ElementOptions, ReadingOptions
from hybridsnap.act.conditions import LoadState
from hybridsnap.act.files import Paths
from hybridsnap.act.finding import ElementQuery
from hybridsnap.act.input_state import Button
from hybridsnap.act.receipt import Receipt
from hybridsnap.act.scrolling import Direction
from hybridsnap.capture.pointing import FoundElement
from hybridsnap.client.connection import Deliver
from hybridsnap.client.console_messages import ConsoleMessage, Level, PageError
from hybridsnap.client.dialogs import DialogType
from hybridsnap.client.download_tracker import Download
from hybridsnap.client.emulation_settings import EmulationSettings
from hybridsnap.client.flood import Notice
from hybridsnap.client.launcher import BrowserProcess, LaunchTransport
from hybridsnap.client.metrics import Metrics
from hybridsnap.client.navigating import Navigation, Wait
from hybridsnap.client.page_context import Recorded
from hybridsnap.client.printing import Length
from hybridsnap.client.profile_storage import Area
from hybridsnap.client.request_records import NetworkRequest, ResponseBody
from hybridsnap.client.routes import RouteAction, RouteHandler
from hybridsnap.client.screencast import FrameRecording
from hybridsnap.client.storage_state import Cookie, StorageState
from hybridsnap.client.subscriptions import Dropped, Subscription
from hybridsnap.client.tab_tracker import Tab
from hybridsnap.client.tracing import Trace
from hybridsnap.client.viewport import ViewportSize
from hybridsnap.client.waits import Waited
from hybridsnap.deadline import Deadline
from hybridsnap.errors import HybridsnapError
from hybridsnap.model import Cause, ContextId, Dialog, ElementId, FrameId, SeenDialog, SessionId, TargetId
from hybridsnap.protocol.codec import Head, Payload
from hybridsnap.snapshot import Snapshot

__all__ = [
    "ArmedAnswer",
    "Browser",
    "BrowserContext",
    "Console",
    "ConsoleSubscription",
    "Emulation",
    "EventSubscription",
    "FileChooser",
    "Network",
    "Page",
    "Popup",
    "ProfileStorage",
    "RequestSubscription",
    "Route",
    "Session",
    "Storage",
    "Tracing",
    "connect",
    "launch",
]

_T = TypeVar("_T")

class Browser:
    """A browser that is spoken to. `launch` and `connect` make it.

    Attributes:
        process: the browser's process, when we launched it.
        only_target: the one page that can be reached, when the connection is that page's own socket.
        endpoint: its address; over a pipe, which has none, a name that no other browser has
            (``transport="websocket"`` of `launch` gives it one).
        metrics: counters of what was done over this connection.
    """

    @property
    def endpoint(self) -> str: ...
    @property
    def metrics(self) -> Metrics: ...
    @property
    def process(self) -> BrowserProcess | None: ...
    @property
    def only_target(self) -> TargetId | None: ...
    def close(self) -> None:
        """Close the browser, whoever launched it. It ends by itself with the ``with`` of `launch`."""

    def close_contexts(self) -> None:
        """Close the contexts that `new_context` made, also when cancelled."""

    @property
    def contexts(self) -> list[BrowserContext]:
        """The contexts that `new_context` made here and that are open, in the order of their making."""

    def known_page(self, target_id: TargetId) -> Page | None:
        """The page of a tab that is open, if it has been asked for before."""

    def new_context(
        self,
        *,
        viewport: ViewportSize | None = None,
        storage_state: StorageState | str | Path | None = None,
        proxy: str | None = None,
        proxy_bypass: str | None = None,
        timeout: float | Deadline = 30.0,
    ) -> BrowserContext:
        """Make a profile of its own within this browser: it shares no cookies, storage or permissions.

        ::

            with browser.new_context() as context:
                page = context.new_page("https://example.com")

        The context and its tabs are gone when it is closed, and when the connection to the browser ends. Over
        a connection with ``reconnect=True`` they outlive a socket that drops: they are gone with the block of
        `connect`, but stay in the browser where this process is killed, or ends while the socket is down.

        Args:
            viewport: of its pages, width and height in CSS px; None for the browser's `viewport`.
            storage_state: cookies and local storage to begin with, as `Page.storage_state` returns them, or
                the file that it, or Playwright, has written.
            proxy: for its pages, such as ``http://127.0.0.1:3128`` or ``socks5://…``.
            proxy_bypass: hosts that are reached without it, separated by commas.
            timeout: seconds; a context that comes later is removed.

        Raises:
            CommandUnanswered: the time was up.
            ValueError, OSError: `storage_state` is none, or its file cannot be read.
            TargetError: the connection is one page's own socket.
        """

    def new_page(
        self,
        url: str | None = None,
        *,
        wait: Wait = "settled",
        viewport: ViewportSize | None = None,
        timeout: float | Deadline = 30.0,
    ) -> Page:
        """Open a tab.

        Args:
            url: where to go; None stays at about:blank.
            wait: as `Page.goto`.
            viewport: width and height in CSS px; None for the browser's `viewport`.
            timeout: seconds, for all of it. What is not loaded by then is left as it is.

        Raises:
            NavigationFailed: as `Page.goto`; the tab is closed again.
            TargetError: the connection is one page's own socket.
        """

    def page(self, target_id: str | None = None, *, timeout: float | Deadline = 30.0) -> Page:
        """A tab that is open.

        Args:
            target_id: which; None when there is only one. Blank tabs that no page opened (about:blank, as a
                browser has after its launch) do not count beside one that is somewhere.
            timeout: seconds.

        Raises:
            TargetError: there is no such tab, or none was named and there are several; the message and
                ``target_ids`` list them.
        """

    def page_ids(self, *, timeout: float | Deadline = 30.0) -> list[TargetId]:
        """The target ids of the tabs that are open, in the order of `pages`.

        Args:
            timeout: seconds.
        """

    def page_infos(self, *, timeout: float | Deadline = 30.0) -> list[dict[str, Any]]:
        """`Target.TargetInfo` of each open tab, as the browser gives it, in the order of `pages`.

        Args:
            timeout: seconds.
        """

    def page_of_tab(self, tab: Tab, deadline: Deadline) -> Page:
        """The page of a tab that has just been opened, once its first document is there.

        Raises:
            TargetError: it was closed again.
        """

    def pages(self, *, timeout: float | Deadline = 30.0) -> list[Page]:
        """The tabs that are open, in the order in which they were opened; those that were open before the
        connection come first, in that of their ids.

        A tab has one `Page` as long as it lives: asked again, it is the same object.

        Args:
            timeout: seconds.
        """

    def restore(self, deadline: Deadline) -> None:
        """As `BrowserServices.restore`, and attach to the pages anew."""

    @property
    def session(self) -> Session:
        """The browser's own session, for commands such as ``Target.getTargets``."""

    def wait_for_page(self, opener: Page | None = None, *, timeout: float | Deadline = 30.0) -> Page:
        """The next unclaimed tab; waits for one when there is none.

        So a popup is found whether it came before the call or comes after it. Tabs that were open before
        this connection, and those of `new_page`, do not count, nor those that have been closed again.

        Args:
            opener: only a tab that this page opened.
            timeout: seconds.

        Returns:
            The page, attached to and with its first document (or after 60 % of the time); it may be loading
            still.

        Raises:
            WaitTimeout: none came.
            TargetError: the connection is one page's own socket.
        """

class BrowserContext:
    """A profile of its own within a browser; `Browser.new_context` makes it.

    ::

        with browser.new_context() as context:
            page = context.new_page("https://example.com")

    Attributes:
        browser: whose it is.
        id: the browser's id of it (``Target.BrowserContextID``).
        storage: its cookies and permissions, and its storage state.
    """

    @property
    def browser(self) -> Browser: ...
    @property
    def id(self) -> ContextId: ...
    @property
    def storage(self) -> ProfileStorage: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def close(self) -> None:
        """Close the context with all its tabs, also when cancelled. Its cookies and storage are gone then.

        No ``beforeunload`` handler is asked.
        """

    @property
    def closed(self) -> bool:
        """Whether it was closed, or its browser is gone."""

    def new_page(
        self,
        url: str | None = None,
        *,
        wait: Wait = "settled",
        viewport: ViewportSize | None = None,
        timeout: float | Deadline = 30.0,
    ) -> Page:
        """Open a tab in this context.

        Args:
            url: where to go; None stays at about:blank.
            wait: as `Page.goto`.
            viewport: width and height in CSS px; None for the context's `viewport`.
            timeout: seconds, for all of it.

        Raises:
            NavigationFailed: as `Page.goto`; the tab is closed again.
            TargetError: the context is closed.
        """

    def pages(self, *, timeout: float | Deadline = 30.0) -> list[Page]:
        """The tabs of this context that are open, in the order in which they were opened.

        Args:
            timeout: seconds.
        """

class Page:
    """A tab. `Browser.new_page` and `Browser.page` make it.

    What it does, its parts do; each is built with the page's `PageContext`.

    Attributes:
        browser: that the tab belongs to.
        target_id: the tab's id in the browser.
        console: what it logs, and the errors that nothing in it catches.
        network: what it requested.
        storage: what its profile and its frames' origins keep.
        emulation: what it is made to believe of the device, the network and the place.
        trace: what the browser does meanwhile.
    """

    @property
    def browser(self) -> Browser: ...
    @property
    def target_id(self) -> TargetId: ...
    @property
    def console(self) -> Console: ...
    @property
    def network(self) -> Network: ...
    @property
    def storage(self) -> Storage: ...
    @property
    def emulation(self) -> Emulation: ...
    @property
    def trace(self) -> Tracing: ...
    def active_element(self, *, timeout: float | Deadline = 30.0) -> FoundElement | None:
        """The element that has the focus, through frames and shadow roots.

        Args:
            timeout: seconds.

        Returns:
            Its id and XPath; None when nothing but the document has it.

        Raises:
            CommandUnanswered: the page did not answer in time.
            ActionError: it is going elsewhere all the time.
        """

    def answer_dialog(
        self, accept: bool = True, text: str | None = None, *, timeout: float | Deadline = 30.0
    ) -> Dialog:
        """Answer the dialog that is open, as with OK or Cancel.

        It returns when the script that opened it has come to its end (half a second later at the latest) and
        the page has settled, as after an action; or when the next dialog is open, which can be answered at
        once. A page that is allowed to leave (``beforeunload``) is waited for until its next document has
        been parsed.

        Args:
            accept: False dismisses it: `confirm` returns false, `prompt` null, and a ``beforeunload`` prompt
                keeps the page.
            text: for a prompt that is accepted; None leaves what stands in it.
            timeout: seconds.

        Returns:
            The dialog, as it was.

        Raises:
            NoDialog: none is open; or it can no longer be answered, because another frame opened one over it.
            ValueError: a text is given, and the dialog is not a prompt or is not accepted.
            CommandUnanswered: the browser did not answer in time.
        """

    def arm_dialog(
        self,
        accept: bool = True,
        text: str | None = None,
        *,
        times: int | None = 1,
        only: DialogType | None = None,
    ) -> ArmedAnswer:
        """Keep an answer ready for the next dialog. It is given the moment the dialog opens: nothing waits.

        As a call it stays until it is used up; as a block it ends with the block::

            page.arm_dialog(accept=False)                       # the next one is dismissed
            with page.arm_dialog(times=None) as armed:          # all are accepted, in here
                page.click("0-29")
            print(armed.given)

        Args:
            accept: or dismiss.
            text: for prompts; None leaves what stands in them.
            times: for how many dialogs; None for all.
            only: for this type of dialog only: alert, confirm, prompt or beforeunload.

        Returns:
            The armed answer: `given` lists what it answered, `disarm()` takes it back. Of several, the one
            that was armed last goes first.

        Raises:
            ValueError: `times` is less than 1, `only` no type, or a text comes with ``accept=False``.
        """

    def attributes(
        self,
        element: str | None = None,
        *,
        reveal: bool = False,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ReadingOptions],
    ) -> dict[str, str]:
        """An element's attributes; passwords as ``[redacted]`` unless `reveal`."""

    def blur(
        self,
        *,
        element: str | None = None,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Take the focus from an element, or from whatever has it.

        A field that was edited fires ``change``.
        """

    def bounding_box(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ReadingOptions],
    ) -> tuple[float, float, float, float] | None:
        """Where an element stands, whatever frame it is in.

        Returns:
            x, y, width, height in CSS px of the main viewport; None where it is not laid out.
        """

    def bring_to_front(self, *, timeout: float | Deadline = 30.0) -> None:
        """Make this the tab that is shown. The others become hidden: their animation frames stop.

        A page need not be in front to be looked at or acted on. An open dialog does not hinder it.
        """

    def check(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Check a checkbox, radio button or switch, by a click; nothing when it is checked."""

    def clear(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Empty a field."""

    def click(
        self,
        element: str | None = None,
        *,
        button: Button = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
        delay: float = 0.0,
        position: tuple[float, float] | None = None,
        force: bool = False,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Click an element, as a person would: scrolled into view, at rest, with nothing on top of it.

        Args:
            element: id, ref or selector.
            button: left, middle or right.
            count: 2 for a double click, 3 for a triple one.
            modifiers: keys held meanwhile: Shift, Control, Alt, Meta, ControlOrMeta (Meta on macOS, Control
                elsewhere); a list of them, or one text such as ``Control+Shift``.
            delay: seconds between down and up.
            position: CSS px from the element's top left corner; None chooses a point that is free.
            force: click whatever state it is in and whatever lies on top; the receipt says so.
            timeout: seconds.
            options: the rest of the element's name (``nth``, ``as_of``, ``backend_node_id``, ``frame``), and
                the common options (`hybridsnap.act.actions.spec.ActionOptions`).

        Raises:
            StaleElement, ElementCovered, NotInteractable, UnknownElement, SelectorError: not clicked.
        """

    def click_at(
        self,
        x: float,
        y: float,
        *,
        button: Button = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
        delay: float = 0.0,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Click a point: CSS px of the main viewport. For canvases; whatever is there gets it."""

    def close(self) -> None:
        """Close the tab, also when cancelled. No `beforeunload` handler is asked; a dialog is dismissed."""

    def content(self, *, timeout: float | Deadline = 30.0) -> str:
        """The main document's HTML as it is now, scripts included.

        Frames are left as their ``<iframe>`` elements, shadow roots are left out, and the value of a password
        field is never in it. ``snapshot.render("html")`` has frames and shadow roots.

        Args:
            timeout: seconds.

        Raises:
            CaptureFailed: the document could not be read; `DeadlineExceeded` when time was the reason.
        """

    @property
    def crashed(self) -> bool:
        """Whether its renderer has crashed. `Page.reload` and `Page.goto` bring it back."""

    @property
    def dialogs(self) -> tuple[Dialog, ...]:
        """Dialogs that are open now, oldest first. `Page.answer_dialog` answers."""

    @property
    def dialogs_seen(self) -> tuple[SeenDialog, ...]:
        """The dialogs the page has opened so far (the last 200), and how each was answered."""

    def drag(
        self,
        source: str,
        target: str,
        *,
        modifiers: Sequence[str] = (),
        source_position: tuple[float, float] | None = None,
        target_position: tuple[float, float] | None = None,
        steps: int = 1,
        delay: float = 0.0,
        hold: float | None = None,
        force: bool = False,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Drag an element onto another: with mouse events, and as HTML's drag and drop where it is draggable.

        In a sortable list the source takes the target's place. The pointer goes to where the target is once
        the drag has begun, follows a target that scrolls, and lets go of the source over what is there.

        Args:
            source: id, ref or selector of what is dragged.
            target: likewise, of where it is dropped.
            modifiers: keys held meanwhile.
            source_position: where to take hold: CSS px from the source's top left corner; None chooses a
                point that is free.
            target_position: where to let go: CSS px from the target's top left corner; None chooses a point
                that is free, the middle if possible.
            steps: moves on the way. Sortable lists may exchange every item that the pointer crosses.
            delay: seconds for which the button is down before the first move.
            hold: seconds for which the pointer rests over the target, after each of two moves there; None for
                0.06, and 0.25 before the end of HTML's drag and drop.
            force: whatever lies on top.
            timeout: seconds.

        Returns:
            The receipt says what lay under the drop, in its details and as ``value``: ``{"x": …, "y": …,
            "over": "0-23", "made_room": False}``. ``over`` is None where nothing did; ``made_room``: the
            target moved aside for the source, as items of a sortable list do.

        Raises:
            ActionError: one of the two cannot be reached. With ``partial`` the drag had begun: it was broken
                off, and let go out of view, since its target had gone, or had become something else.
        """

    def drag_at(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        *,
        modifiers: Sequence[str] = (),
        steps: int = 10,
        delay: float = 0.0,
        hold: float = 0.0,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Drag from one point to another: CSS px of the main viewport. Arguments as for `drag`."""

    def element_at(self, x: float, y: float, *, timeout: float | Deadline = 30.0) -> FoundElement | None:
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

    def evaluate(
        self,
        expression: str,
        *args: object,
        element: str | None = None,
        timeout: float | Deadline = 20.0,
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

    def expand(
        self,
        element_id: str | None = None,
        *,
        timeout: float | Deadline = 30.0,
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

    def expect_download(
        self,
        folder: str | os.PathLike[str],
        *,
        max_bytes: int | None = None,
        timeout: float | Deadline = 30.0,
    ) -> AbstractContextManager[Download]:
        """Take the download that begins in this block, and save it.

        ::

            with page.expect_download("files") as download:
                page.click("0-29")
            print(download.path, download.received)

        The block ends when the file is complete and in its place. In the block `download` says how far it
        has come. One download is taken, of this page or of a tab it opens; others are refused, as they are
        outside of such blocks (where the browser was connected to, those go by its own settings). An address
        that is a download can be gone to (`goto` then says so instead of failing).

        Args:
            folder: made when it is not there. A file that is there already is never overwritten: the new
                one gets " (1)" and so on. The name the page suggests is made safe: no separators, no dots
                first, no names of devices, 200 bytes at most.
            max_bytes: larger ones are cancelled, as soon as their size is known.
            timeout: seconds, from the beginning of the block until the file is complete.

        Raises:
            DownloadFailed: none began (``none``), it was refused or broke off (``cancelled``), took too long
                (``timeout``), is larger than `max_bytes` (``too large``), or the browser saved it where
                we cannot get at it (``out of reach``), on another machine for instance.
            OSError: the folder cannot be made or written to.
            ConnectionLost, SessionEnded: the browser or the page is gone.
        """

    def expect_file_chooser(
        self, paths: Paths | None = None, *, timeout: float | Deadline = 30.0
    ) -> AbstractContextManager[FileChooser]:
        """Catch the file chooser that opens in this block, and answer it.

        ::

            with page.expect_file_chooser("cv.pdf"):
                page.click("0-29")

            with page.expect_file_chooser() as chooser:      # or look at it first
                page.click("0-29")
            chooser.set_files(["1.png", "2.png"] if chooser.multiple else "1.png")

        The block ends when the chooser has opened, and, with `paths`, when it is answered. An input that can
        be named needs no chooser: see `set_input_files`.

        Args:
            paths: what to answer with; none at all (``[]``) cancels. Left out, `FileChooser.set_files`
                answers, in the block or after it.
            timeout: seconds, from the beginning of the block.

        Raises:
            WaitTimeout: no chooser opened.
            TypeError, ValueError: a value is not a path, or the file does not exist; or this page expects a
                chooser already.
            NotInteractable, StaleElement: as `FileChooser.set_files`.
        """

    def expect_popup(self, *, timeout: float | Deadline = 30.0) -> AbstractContextManager[Popup]:
        """Wait for the page that is opened in this block (`window.open`, ``target=_blank``).

        ::

            with page.expect_popup() as popup:
                page.click("0-29")
            print(popup.page.url)

        The block ends when the page is attached to and its first document has come (or 60 % of the time
        are over); it may be loading still.

        Args:
            timeout: seconds, from the beginning of the block.

        Raises:
            WaitTimeout: none was opened.
            TargetError: it was closed again at once.
        """

    def fill(
        self,
        element: str | None,
        value: Any,
        *,
        commit: bool = False,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Give any control its value.

        Args:
            element: id, ref or selector.
            value: text; True or False for what is checked; a label or value (or several) for a select,
                an ARIA listbox or combobox, which is opened for it; ``2026-11-21`` for a date, likewise for
                times; ``#aa00ff`` for a colour; paths for files; a number for a slider, which is set by its
                keys where script has made it.
            commit: take the focus away afterwards, for fields that answer only then (`change`).
            timeout: seconds.
            options: as for `click`.

        In a one-line field line breaks become blanks, as when text is pasted, and submit nothing.

        Raises:
            NotInteractable: the control cannot hold such a value (reason ``value``); the message says what it
                can, with an example. Nothing was filled.
            TypeError, ValueError: no control has such values (a dict, None); or there is no such file.
        """

    def fill_form(
        self,
        entries: Sequence[Mapping[str, Any]],
        *,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Fill several controls in one call. All are looked at before the first is filled; what options a
        list has that has to be opened, only then.

        Args:
            entries: ``{"id": …, "value": …}`` each, as for `fill`.
            timeout: seconds.

        Returns:
            The receipt's ``value`` lists each: ``{"id": "0-7", "target": 'textbox "Name"', "notes": []}``.

        Raises:
            ActionError: an entry cannot be filled, or not with this value.
            TypeError, ValueError: an entry has unknown keys, or what is a value of no control. Nothing was
                filled.
        """

    def focus(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Give an element the focus, without clicking it."""

    def go_back(self, *, wait: Wait = "settled", timeout: float | Deadline = 30.0) -> Navigation:
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

    def go_forward(self, *, wait: Wait = "settled", timeout: float | Deadline = 30.0) -> Navigation:
        """Go one step forward in the tab's history. All else as for `go_back`."""

    def goto(self, url: str, *, wait: Wait = "settled", timeout: float | Deadline = 30.0) -> Navigation:
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

    def highlight(
        self,
        element: str | None = None,
        *,
        seconds: float = 2.0,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Draw a frame over an element for some seconds. The browser draws it; the page is not touched."""

    def hover(
        self,
        element: str | None = None,
        *,
        modifiers: Sequence[str] = (),
        position: tuple[float, float] | None = None,
        force: bool = False,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Move the pointer over an element. Arguments as for `click`."""

    def key_down(
        self, key: str, *, timeout: float | Deadline = 30.0, **options: Unpack[ActionOptions]
    ) -> Receipt:
        """Press a key and keep it down, until `key_up`. Modifiers count for all that is pressed meanwhile."""

    def key_up(
        self, key: str, *, timeout: float | Deadline = 30.0, **options: Unpack[ActionOptions]
    ) -> Receipt:
        """Let go of a key."""

    def mhtml(self, *, timeout: float | Deadline = 30.0) -> bytes:
        """The page with its frames, styles and pictures, as one MHTML file.

        Args:
            timeout: seconds.

        Raises:
            CommandUnanswered: the page did not answer in time, or a dialog is open (cause ``dialog``).
        """

    def mouse_down(
        self,
        *,
        x: float | None = None,
        y: float | None = None,
        button: Button = "left",
        timeout: float | Deadline = 30.0,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Press a button of the mouse and keep it down, until `mouse_up`. Whatever is there gets it.

        Args:
            x: CSS px of the main viewport; None: where the pointer is.
            y: likewise.
            button: left, middle or right.
            timeout: seconds.
            options: the common options.

        Raises:
            ValueError: no place is given, and the pointer was not moved yet.
        """

    def mouse_path(
        self,
        points: Sequence[tuple[float, float]],
        *,
        button: Button = "left",
        modifiers: Sequence[str] = (),
        steps: int = 4,
        duration: float = 0.0,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Press at the first point, move along the others, let go at the last: to draw, or for a lasso.

        Args:
            points: at least two, in CSS px of the main viewport.
            button: that is held on the way.
            modifiers: keys held meanwhile.
            steps: moves from each point to the next.
            duration: seconds for all of it; 0 is as fast as the page follows.
            timeout: seconds.
            options: the common options.
        """

    def mouse_up(
        self,
        *,
        x: float | None = None,
        y: float | None = None,
        button: Button = "left",
        timeout: float | Deadline = 30.0,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Let go of a button of the mouse. Arguments as for `mouse_down`."""

    def move_to(
        self, x: float, y: float, *, timeout: float | Deadline = 30.0, **options: Unpack[ActionOptions]
    ) -> Receipt:
        """Move the pointer to a point: CSS px of the main viewport."""

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

    @property
    def opener(self) -> Page | None:
        """The page that opened this one, if it is open and has been asked for; see `opener_id`."""

    @property
    def opener_id(self) -> TargetId | None:
        """The target id of the tab that opened this one; None when no page did.

        It is known with ``rel=noopener`` too, and when the opener has been closed.
        """

    def outer_html(
        self,
        element: str | None = None,
        *,
        reveal: bool = False,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ReadingOptions],
    ) -> str:
        """An element's markup, as it is now; passwords as ``[redacted]`` unless `reveal`."""

    def pdf(
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
        timeout: float | Deadline = 30.0,
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

    def press(
        self,
        chord: str,
        *,
        element: str | None = None,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Press keys together: ``Enter``, ``Ctrl+a``, ``ControlOrMeta+Shift+ArrowLeft``.

        Args:
            chord: the keys (`hybridsnap.act.keyboard`).
            element: that gets the focus before; None presses them wherever it is.
            timeout: seconds.
            options: as for `click`.

        Raises:
            UnknownKey: there is no such key.
        """

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

    def record_frames(
        self,
        folder: str | os.PathLike[str],
        *,
        max_frames: int = 1000,
        size: ViewportSize | None = None,
        every: int = 1,
        timeout: float | Deadline = 30.0,
    ) -> AbstractContextManager[FrameRecording]:
        """Save a PNG file of each frame that the page is drawn in, for the length of the block.

        ::

            with page.record_frames("frames") as recording:
                page.click("0-29")
            print(len(recording.frames), recording.frames[-1].path)

        The files are ``frame-000001.png`` and so on. A page that does not change is drawn once. Frames that
        the page draws faster than they can be written are left out by the browser.

        Args:
            folder: made when it is not there.
            max_frames: then the recording ends.
            size: frames are made smaller so that they fit into this width and height, in px.
            every: 2 for every second frame, and so on.
            timeout: seconds, for the browser to begin.

        Raises:
            ValueError: this page is being recorded already.
            FileExistsError: there are frames of another recording in the folder.
            OSError: a file cannot be written.
            ConnectionLost: the connection was lost; the frames that came before are saved.
        """

    def reload(
        self, *, ignore_cache: bool = False, wait: Wait = "settled", timeout: float | Deadline = 30.0
    ) -> Navigation:
        """Load the document once more. It brings a crashed page back.

        Args:
            ignore_cache: ask the server for everything, whatever the cache holds.
            wait: as for `goto`.
            timeout: seconds.

        Raises:
            NavigationFailed: it cannot be loaded any more.
        """

    @property
    def responds(self) -> bool:
        """Whether the page has answered at all since it was attached to.

        One that was in an endless script then, or had a dialog open, does not. Such a dialog is not in
        `dialogs`: only who saw it open hears of it and can answer it. `Page.goto` closes it.
        """

    def screenshot(
        self,
        *,
        full_page: bool = False,
        element: str | None = None,
        clip: tuple[float, float, float, float] | None = None,
        format: Literal["png", "jpeg", "webp"] = "png",
        quality: int | None = None,
        transparent: bool = False,
        mask: Sequence[str] = (),
        labels: bool = False,
        timeout: float | Deadline = 30.0,
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

    def scroll(
        self,
        direction: Direction = "down",
        *,
        element: str | None = None,
        distance: float | None = None,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Scroll the page, or an element (the nearest around it that scrolls).

        Args:
            direction: up, down, left or right.
            element: id, ref or selector; None is the page.
            distance: CSS px; None is one viewport.
            timeout: seconds.
            options: as for `click`.

        Returns:
            The receipt's ``value`` is how far it went: ``{"x": 0.0, "y": 720.0, "what": "page"}``.
        """

    def scroll_into_view(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Scroll until an element is in view, in all frames around it."""

    def select_option(
        self,
        element: str | None = None,
        value: str | Sequence[str] | None = None,
        *,
        label: str | Sequence[str] | None = None,
        index: int | Sequence[int] | None = None,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Choose options of a select, or of an ARIA listbox or combobox, which is opened for it.

        Args:
            element: id, ref or selector of the select, listbox or combobox; or of an option, without value,
                label and index. A select may be hidden behind a widget of the page's.
            value: of options, one or several; of an ARIA option its ``data-value``, ``value`` or text. What
                no option has is taken for a label.
            label: what a person reads. What no option has is taken for a value.
            index: from 0.
            timeout: seconds.
            options: as for `click`.

        Raises:
            NotInteractable: ``no such option``: the message lists those that there are; ``several``: of the
                same label, or value: the message has the index of each.
        """

    def select_text(
        self,
        element: str | None = None,
        *,
        start: int = 0,
        end: int | None = None,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Select a range of an element's text: of a field what it holds, of anything else the text in it.

        Args:
            element: id, ref or selector.
            start: characters before the selection, counted as Python counts them.
            end: characters up to its end; None selects to the end of the text.
            timeout: seconds.
            options: as for `click`.

        Returns:
            The receipt's ``value`` is the selection: ``{"start": 0, "end": 5, "text": "Hello"}``; the text of
            a password is None.

        Raises:
            NotInteractable: its text cannot be selected (``wrong kind``), or is shorter (``range``).
        """

    @property
    def session(self) -> Session:
        """For commands of your own; what you enable in it does not touch captures, nor they you.

        Captures use sessions of their own. (Where the connection is one page's own socket there is only one
        session, shared by both.)
        """

    @property
    def sessions(self) -> list[Session]:
        """The sessions captures use: the page's own first, then one for each frame in another process."""

    def set_input_files(
        self,
        element: str | None,
        paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Give a file field its files.

        Args:
            element: id, ref or selector of the ``<input type=file>``.
            paths: of files that exist; several only where it takes several.
            timeout: seconds.
            options: as for `click`.

        Raises:
            FileNotFoundError, ValueError: a path leads to no file.
        """

    def set_value(
        self,
        element: str | None,
        value: float | str,
        *,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Set a slider, a number, a date or a colour; a slider made by script is moved by its keys.

        Args:
            element: id, ref or selector.
            value: a number, or a text as the control writes it (``2026-11-21``, ``#aa00ff``).
            timeout: seconds.
            options: as for `click`.

        Raises:
            NotInteractable: it has no value on a scale (``wrong kind``), or cannot have this one (``value``).
        """

    def set_viewport(self, width: int, height: int, *, timeout: float | Deadline = 30.0) -> None:
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

    def settled(self, deadline: Deadline) -> None:
        """Wait until every frame in another process is attached to."""

    def snapshot(
        self,
        *,
        timeout: float | Deadline = 30.0,
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

    @property
    def status(self) -> int | None:
        """The HTTP status of the document that is there, such as 404, if `goto` or its like brought it.

        None for a document without one (``file:``, ``data:``), and for one that a click or script led to.
        """

    def storage_state(
        self, *, path: str | Path | None = None, origins: Sequence[str] = (), timeout: float | Deadline = 30.0
    ) -> StorageState:
        """Cookies and local storage of the page's profile, in Playwright's format: `Storage.state`.

        Args:
            path: a file to write it to, as JSON.
            origins: further origins whose local storage is wanted, though no tab shows them.
            timeout: seconds, for all of it.
        """

    def swipe(
        self,
        direction: Direction,
        *,
        element: str | None = None,
        distance: float | None = None,
        duration: float = 0.2,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Draw a finger over the page, or from an element; what is under the finger goes along with it.

        Args:
            direction: up, down, left or right: where the finger goes. A swipe up shows what is below.
            element: that the finger is put on; None is the middle of the viewport.
            distance: CSS px; None is half of the viewport, from an element 200 px.
            duration: seconds; a short swipe is a fling.
            timeout: seconds.
            options: as for `click`.
        """

    def tap(
        self,
        element: str | None = None,
        *,
        position: tuple[float, float] | None = None,
        force: bool = False,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Tap an element with a finger. Arguments and errors as for `click`.

        The page gets touch and pointer events, then those of the mouse and a click, as on a telephone.
        """

    def text(
        self,
        element: str | None = None,
        *,
        reveal: bool = False,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ReadingOptions],
    ) -> str:
        """An element's rendered text, of a field its value; passwords as ``[redacted]`` unless `reveal`.

        ``page.text()`` is the text of the main content: of the page's one ``main``, else of its one
        ``article``, else of the whole main frame.
        """

    def type(
        self,
        element: str | None,
        text: str,
        *,
        clear: bool = False,
        delay: float = 0.0,
        by_keys: bool = False,
        submit: bool = False,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Type into an element, behind what it holds.

        Args:
            element: id, ref or selector; None is whatever has the focus, and replaces what is selected in
                there, as a keyboard does.
            text: what to type. Line breaks are such in a textarea and in editable text; in an input they
                become blanks, as when text is pasted, and submit nothing (a note says so).
            clear: replace what it holds.
            delay: seconds between characters, each typed with key events; 0 enters the text at once, and a
                script's `keyup` of the last character follows.
            by_keys: key events for each character, without delay.
            submit: press Enter afterwards.
            timeout: seconds.
            options: as for `click`.
        """

    def uncheck(
        self,
        element: str | None = None,
        *,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ElementOptions],
    ) -> Receipt:
        """Uncheck a checkbox or switch, by a click; nothing when it is not checked."""

    @property
    def under_way(self) -> Mapping[str, int] | None:
        """Host → requests that had not ended when ``settled`` was reached without the load event.

        None where the document was not left so, and as soon as its load event has fired. Empty on a page's
        own socket, whose requests are not followed.
        """

    @property
    def url(self) -> str:
        """Where the page is, as last heard."""

    def wait_for(
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
        timeout: float | Deadline = 30.0,
    ) -> Waited:
        """Wait until all that is given holds at the same moment; `hybridsnap.act.conditions` has the rules.

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
                character; ``\\`` before them for themselves.
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

    def wheel(
        self,
        dx: float,
        dy: float,
        *,
        at: str | tuple[float, float] | None = None,
        timeout: float | Deadline = 30.0,
        **options: Unpack[ActionOptions],
    ) -> Receipt:
        """Turn the mouse wheel, for maps and views that scroll by script: the page makes of it what it likes.

        Args:
            dx: CSS px to the right; negative is left.
            dy: CSS px down; negative is up.
            at: id, ref or selector of the element to turn it over, scrolled into view; or a point in CSS px
                of the main viewport. None is the middle of the viewport.
            timeout: seconds.
            options: as for `click`.

        Returns:
            The receipt's ``value``: ``{"dx": 0, "dy": 300, "x": 640.0, "y": 360.0}``.
        """

class Session:
    """One flat session: commands to one target, and its events.

    Attributes:
        id: None for the connection's own root session (the browser, or one page's own socket).
        target_id: what it is attached to, when known.
        ended: None, or why no command can be answered any more.
    """

    @property
    def id(self) -> SessionId | None: ...
    @property
    def target_id(self) -> TargetId | None: ...
    @property
    def ended(self) -> Cause | None: ...
    def ask(self, method: str, params: Mapping[str, Any], deadline: Deadline | None) -> Payload:
        """As `send_raw`, also while the connection is being set up again."""

    def close_subscriptions(self) -> None:
        """End everybody's ``for`` over this session's events."""

    def closing(self, subscription: Subscription[Any]) -> AbstractContextManager[None]:
        """Close a subscription when this session ends, for the length of the block."""

    def end(self, cause: Cause) -> None:
        """No command will be answered any more: fail those that are open."""

    def error(self) -> HybridsnapError:
        """Why no command can be answered, as a new error."""

    def events(self, *methods: str, buffer: int = 1000) -> AbstractContextManager[EventSubscription]:
        """Subscribe to events of these methods for the length of the block.

        The domain must be enabled (``session.send("Network.enable")``).
        """

    def execute(self, command: Generator[dict[str, Any], dict[str, Any], _T]) -> _T:
        """Send a PyCDP command: ``session.execute(cdp.page.navigate(url))``.

        Returns:
            PyCDP's typed result.

        Raises:
            HybridsnapError: as `send`; `ReplyUnreadable` when PyCDP does not know what the browser answered.
        """

    def post(self, method: str, params: Mapping[str, Any], deliver: Deliver) -> int:
        """Queue a command without waiting; returns the call's number for `Connection.forget`."""

    def send(
        self, method: str, params: Mapping[str, Any] | None = None, *, deadline: Deadline | None = None
    ) -> dict[str, Any]:
        """Send any command, and return its result.

        Args:
            method: such as ``Runtime.evaluate``.
            params: JSON data.
            deadline: None waits as long as the session lives.

        Raises:
            CommandRefused: the browser answered with an error.
            CommandUnanswered: the deadline passed.
            ConnectionLost, TargetCrashed, TargetDetached, ReplyTooLarge: no answer can come.
        """

    def send_raw(self, method: str, params: Mapping[str, Any] | None = None) -> Payload:
        """Send any command, and return its reply undecoded. Raises as `send`."""

    def take_event(self, method: str, head: Head, codec: Any) -> None:
        """Hand an event on. Called by the reader; decodes it only when there is a listener."""

    def take_id(self, id_: SessionId) -> None:
        """Go on under another id, of another session of the same target: `Connection.rebind`."""

    def wait_ended(self) -> None:
        """Wait until no command can be answered any more: crashed, detached, or the connection gone."""

class EventSubscription:
    """The events of some methods on one session, in order, for ``for``.

    It holds at most `buffer` events. When the reader falls further behind, the oldest go first, and
    `dropped` counts them. It ends when the session or the connection does.

    Attributes:
        dropped: how many events were lost so far.
    """

    @property
    def methods(self) -> frozenset[str]: ...
    @property
    def dropped(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    def __iter__(self) -> EventSubscription: ...
    def __next__(self) -> tuple[str, dict[str, Any]]: ...
    def close(self) -> None:
        """No more items come; those that are here can still be read."""

    def lose(self, count: int) -> None:
        """Count items that were never read."""

    def put(self, method: str, params: dict[str, Any]) -> None:
        """Take an event. Called by the reader."""

class FileChooser:
    """A file chooser that `Page.expect_file_chooser` waits for.

    Attributes:
        opened: whether it has come.
        multiple: whether it takes several files.
        frame: the frame it is of, once it has come.
        answered: whether it was given files, or cancelled.
    """

    @property
    def opened(self) -> bool: ...
    @property
    def multiple(self) -> bool: ...
    @property
    def frame(self) -> FrameId | None: ...
    @property
    def answered(self) -> bool: ...
    @property
    def backend_node_id(self) -> int | None: ...
    def set_files(self, paths: Paths, *, timeout: float | Deadline = 30.0) -> None:
        """Choose files. The page hears of it as if a person had (``input``, ``change``); of a folder a little
        later, when the browser has listed it.

        Args:
            paths: one or several of files that exist here.
            timeout: seconds.

        Raises:
            NotInteractable: it takes one file, or a folder; or it is of a kind that cannot be answered.
            StaleElement: the input it belongs to is gone.
            TypeError, ValueError: a value is not a path, or the file does not exist; or no chooser has opened
                yet.
        """

class Console:
    """`Page.console`: what the page and its workers log, and the errors that nothing in them catches.

    ``launch(record=["console"])`` records every page from its beginning. Otherwise recording begins with
    `start` or with the first call that reads messages or errors, and includes the last 1,000 messages of the
    current document, which the browser keeps. The last 500 messages and 200 errors are kept.
    """

    def clear(self) -> None:
        """Forget what is recorded."""

    @property
    def dropped(self) -> int:
        """How many messages and errors are not kept any more, or were never read: at least so many."""

    def errors(
        self,
        *,
        text: str | None = None,
        url: str | None = None,
        limit: int | None = None,
        timeout: float | Deadline = 30.0,
    ) -> list[PageError]:
        """The uncaught exceptions and unhandled rejections that are kept, oldest first.

        Args:
            text: only those with this in their message, in whatever case.
            url: only of scripts with such addresses.
            limit: only the last so many.
            timeout: seconds, as for `messages`.

        Raises:
            ValueError, TypeError: an argument means nothing.
        """

    def follow(self, *, buffer: int = 1000) -> AbstractContextManager[ConsoleSubscription]:
        """Messages and errors as they come, for the length of the block; it records, too.

        ::

            with page.console.follow() as said:
                for one in said:
                    print(one)

        Args:
            buffer: so many are held for a reader who falls behind; then the oldest go, and a `Dropped` says
                how many.
        """

    def messages(
        self,
        *,
        level: Level | Sequence[Level] | None = None,
        text: str | None = None,
        url: str | None = None,
        limit: int | None = None,
        timeout: float | Deadline = 30.0,
    ) -> list[ConsoleMessage]:
        """The messages that are kept, oldest first, with all that the page has said before this call.

        Uncaught errors are not among them: see `errors`. Messages of the browser about the page are, such as
        those about files that could not be loaded.

        Args:
            level: only of this level, or of these: ``debug``, ``info``, ``warning``, ``error``.
            text: only those with this in their text, in whatever case.
            url: only of scripts with such addresses, as `Page.wait_for` has it: ``**/app.js``.
            limit: only the last so many.
            timeout: seconds. A page that is busy does not say what it has said: it is waited for a second at
                most, and then what was received is returned.

        Raises:
            ValueError, TypeError: an argument means nothing.
        """

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What befell the record: the page said more than could be followed, for instance."""

    @property
    def recording(self) -> bool:
        """Whether messages are recorded."""

    def start(self, *, timeout: float | Deadline = 30.0) -> None:
        """Record from now on; what the browser still has of before comes first.

        Args:
            timeout: seconds, for the page to tell that; one that is busy is waited for a second at most.
        """

    def stop(self) -> None:
        """Record no more; what is recorded stays."""

class ConsoleSubscription:
    """Messages and errors as they come, for ``for``; `Console.follow` makes it.

    Where the reader fell behind, or the page said more than could be followed, a `Dropped` stands in the
    place of what was lost.

    Attributes:
        dropped: how many were lost so far.
        closed: no more come.
    """

    @property
    def dropped(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    def __iter__(self) -> ConsoleSubscription: ...
    def __next__(self) -> ConsoleMessage | PageError | Dropped: ...
    def close(self) -> None:
        """No more items come; those that are here can still be read."""

    def interrupt(self) -> None:
        """Nobody knows how many were lost, or whether any were."""

    def lose(self, count: int) -> None:
        """Count items that were never read."""

    def put(self, record: _T) -> None:
        """Take a record. Called by the reader."""

class Network:
    """`Page.network`: the requests of the page, of all its frames, and routes for those to come.

    ``launch(record=["network"])`` records every page from its beginning. Otherwise recording begins with
    `start` or with the first call that reads requests; Chromium does not keep earlier ones. The last 500
    requests are kept.
    """

    def build_har(self, requests: Sequence[NetworkRequest], *, secrets: bool = False) -> dict[str, Any]:
        """Some of the requests as a HAR 1.2 log.

        Args:
            requests: in the order in which they began.
            secrets: as for `har`.
        """

    def clear(self) -> None:
        """Forget what is recorded. Ids go on: none is given twice."""

    @property
    def dropped(self) -> int:
        """How many requests are not kept any more, or were never heard of: at least so many."""

    def follow(self, *, buffer: int = 1000) -> AbstractContextManager[RequestSubscription]:
        """Requests as they end, well or not, for the length of the block; it records, too.

        ::

            with page.network.follow() as requests:
                for one in requests:
                    print(one)

        Args:
            buffer: so many are held for a reader who falls behind; then the oldest go, and a `Dropped` says
                how many.
        """

    def har(
        self, *, path: str | Path | None = None, secrets: bool = False, timeout: float | Deadline = 30.0
    ) -> dict[str, Any]:
        """The requests that are kept as a HAR 1.2 log, which developer tools and analysers read.

        Args:
            path: a file to write it to.
            secrets: with cookies and credentials; otherwise only how long these are.
            timeout: seconds, as for `requests`.

        Returns:
            The log as JSON data. Bodies are not in it.
        """

    @property
    def last_id(self) -> str:
        """The id of the request that began last; ``r0`` before the first."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What befell the record: there was more than could be followed, for instance."""

    @property
    def recording(self) -> bool:
        """Whether requests are recorded."""

    def remove_routes(self) -> None:
        """Take all routes back."""

    def request(self, id_: str, *, timeout: float | Deadline = 30.0) -> NetworkRequest:
        """One request.

        Args:
            id_: such as ``r12``.
            timeout: seconds, as for `requests`.

        Raises:
            LookupError: no such request is kept.
        """

    def requests(
        self,
        *,
        url: str | None = None,
        resource_type: str | Sequence[str] | None = None,
        status: int | str | None = None,
        method: str | None = None,
        failed: bool | None = None,
        after: str | None = None,
        limit: int | None = None,
        timeout: float | Deadline = 30.0,
    ) -> list[NetworkRequest]:
        """The requests that are kept, in the order in which they began, with all that began before this call.

        Args:
            url: only of such addresses, as `Page.wait_for` has it: ``**/api/*``.
            resource_type: only of this type, or of these: ``document``, ``script``, ``xhr``, ``fetch``, …
            status: only those answered with this status, or with one of a class: ``"4xx"``.
            method: only of this method.
            failed: True for those without a response and those answered with an error (from 400 on); False
                for the others.
            after: only those that began after the one of this id.
            limit: only the last so many.
            timeout: seconds. A page that is busy is waited for a second at most, and then what was received
                is returned.

        Raises:
            ValueError, TypeError: an argument means nothing.
        """

    def response_body(
        self, id_: str, *, max_bytes: int = 1000000, timeout: float | Deadline = 30.0
    ) -> ResponseBody:
        """The body of a response, as long as the browser has it.

        It keeps those of the document that is there: at most 50 MB for each process, 10 MB for each response.
        A response that still comes is waited for.

        Args:
            id_: of the request, such as ``r12``.
            max_bytes: the rest is left out; `ResponseBody.truncated` says so.
            timeout: seconds.

        Raises:
            LookupError: no such request is kept.
            CommandRefused: the browser has no body of it (any more).
            CommandUnanswered: it did not answer in time.
            WaitTimeout: the response still came when the time was over.
        """

    def route(
        self,
        url: str,
        action: RouteAction | RouteHandler,
        *,
        resource_type: str | Sequence[str] | None = None,
        method: str | None = None,
        times: int | None = None,
        handler_timeout: float = 10.0,
        timeout: float | Deadline = 30.0,
    ) -> Route:
        """Decide what happens to requests before they leave the browser.

        ::

            page.network.route("**/*.png", hybridsnap.Abort())
            page.network.route("**/api/basket", hybridsnap.Fulfill(json={"items": []}))
            page.network.route("**/api/*", hybridsnap.Continue(headers={"x-test": "1"}))

            def decide(request):
                return hybridsnap.Abort() if "tracking" in request.url else None

            page.network.route("**", decide)

        It holds for all frames of the page and for its dedicated workers, until it is removed or the
        connection ends. A popup is a page of its own. What needs no request is not stopped: the page's
        memory cache, ``data:`` addresses, WebSockets; nor are the requests of service and shared workers.

        Args:
            url: of such addresses, without fragment, as `Page.wait_for` has it: ``**/api/*``.
            action: what is done, or a function that looks at the `RoutedRequest` and returns that, or None
                for the next route. It is a coroutine function, or a plain one, which is called in a thread
                of its own.
            resource_type: only of this type, or of these: ``document``, ``stylesheet``, ``image``, ``media``,
                ``font``, ``script``, ``fetch`` (also ``xhr``), ``ping``, ``other``.
            method: only of this method, and the CORS preflights of such requests.
            times: for so many requests; then it is removed.
            handler_timeout: seconds for the function to decide on one request.
            timeout: seconds, for the browser to confirm that.

        Returns:
            The route. `Route.remove` takes it back, as does leaving it as a ``with`` block. Of several that
            fit, the one that was added last is asked first. A function that raises or takes too long is
            passed over: the next route is asked, or the request sent as it is; `notices` says so.

        Raises:
            ValueError, TypeError: an argument means nothing.
            CommandUnanswered: the browser did not confirm it in time; there is no route then.
        """

    @property
    def routes(self) -> list[Route]:
        """The routes that there are, in the order in which they are asked: the one added last first."""

    def start(self, *, timeout: float | Deadline = 30.0) -> None:
        """Record from now on.

        Args:
            timeout: seconds, for the page to confirm that; one that is busy is waited for a second at most.
        """

    def stop(self) -> None:
        """Record no more; what is recorded stays, but the browser lets go of the bodies."""

    def wait_for_response(
        self,
        url: str,
        *,
        resource_type: str | Sequence[str] | None = None,
        status: int | str | None = None,
        method: str | None = None,
        after: str | None = None,
        timeout: float | Deadline = 30.0,
    ) -> NetworkRequest:
        """Wait until a request is answered, its body included; `response_body` has that.

        ::

            page.network.start()
            before = page.network.last_id
            page.click("0-29")
            found = page.network.wait_for_response("**/api/*", after=before)
            body = page.network.response_body(found.id)

        Args:
            url: of its address, as `Page.wait_for` has it.
            resource_type: as for `requests`; also the next three.
            status: see there.
            method: see there.
            after: see there; None waits for a request that begins only now.
            timeout: seconds.

        Returns:
            The first that fits, also one that was answered with an error.

        Raises:
            WaitTimeout: none was answered in time.
            ValueError, TypeError: an argument means nothing.
        """

class RequestSubscription:
    """Requests as they end, for ``for``; `Network.follow` makes it.

    Where the reader fell behind, or there was more than could be followed, a `Dropped` stands in the place of
    what was lost.

    Attributes:
        dropped: how many were lost so far.
        closed: no more come.
    """

    @property
    def dropped(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    def __iter__(self) -> RequestSubscription: ...
    def __next__(self) -> NetworkRequest | Dropped: ...
    def close(self) -> None:
        """No more items come; those that are here can still be read."""

    def interrupt(self) -> None:
        """Nobody knows how many were lost, or whether any were."""

    def lose(self, count: int) -> None:
        """Count items that were never read."""

    def put(self, record: _T) -> None:
        """Take a record. Called by the reader."""

class Route:
    """What is done with some requests of a page; `Network.route` makes it.

    As a block it ends with the block::

        with page.network.route("**/ads/**", hybridsnap.Abort()):
            page.goto("https://shop.example/")

    Attributes:
        url: the pattern.
        action: what is done, or the function that decides it.
        times: for how many requests; None for all.
        handler_timeout: for its function to decide, seconds.
        count: how many requests it has decided on.
        failures: how often its function has failed, or its answer was refused.
    """

    @property
    def url(self) -> str: ...
    @property
    def action(self) -> RouteAction | RouteHandler: ...
    @property
    def times(self) -> int | None: ...
    @property
    def handler_timeout(self) -> float: ...
    @property
    def count(self) -> int: ...
    @property
    def failures(self) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    @property
    def active(self) -> bool:
        """Whether it has not been removed, nor used up."""

    @property
    def narrowed(self) -> str:
        """The types and the method that it is for, as `` (image, POST)``; empty where it is for all."""

    def remove(self) -> None:
        """Take it back; what its function has not decided by now goes on to the next route. Never waits."""

class Emulation:
    """`Page.emulation`: sets, lists and takes back what the page is made to believe."""

    @property
    def active(self) -> EmulationSettings:
        """What is set now."""

    def device(self, name: str, *, timeout: float | Deadline = 30.0) -> EmulationSettings:
        """Seem to be a certain phone, tablet or desktop: ``page.emulation.device("iPhone 15")``.

        It sets `viewport`, `screen`, `device_scale_factor`, `mobile`, `touch`, `user_agent` and
        `client_hints`, or takes those back that the device has none of; other settings stay. The page is
        shown by Chromium all the same.

        Args:
            name: one of `devices`, in upper or lower case, such as ``Pixel 8`` or ``iPhone 15 landscape``.
            timeout: seconds.

        Returns:
            What was set.

        Raises:
            ValueError: there is no such device; the message suggests similar ones.
        """

    @property
    def devices(self) -> tuple[str, ...]:
        """The names that `device` knows."""

    def reset(self, *names: str, timeout: float | Deadline = 30.0) -> None:
        """Take settings back; all of them when none is named.

        Args:
            names: of settings, such as ``offline``.
            timeout: seconds.

        Raises:
            ValueError: there is no such setting.
        """

    def set(self, *, timeout: float | Deadline = 30.0, **settings: Unpack[EmulationSettings]) -> None:
        """Add to what is set: ``page.emulation.set(time_zone="Asia/Tokyo", color_scheme="dark")``.

        What a page has read already it does not read again by itself: set first, then go there.

        Args:
            timeout: seconds.
            **settings: as `EmulationSettings` says.

        Raises:
            ValueError, TypeError: there is no such setting, or its value means nothing, or the browser
                refuses it: it knows no such time zone, for instance. All is as it was then.
        """

class Tracing:
    """`Page.trace`: records what the browser does.

    ::

        page.trace.start(screenshots=True)
        page.goto("https://shop.example/")
        page.trace.stop(path="trace.json")       # for https://ui.perfetto.dev
    """

    @property
    def recording(self) -> bool:
        """Whether a trace is being recorded."""

    def start(
        self,
        *,
        screenshots: bool = False,
        categories: Sequence[str] | None = None,
        buffer_mb: int = 100,
        timeout: float | Deadline = 30.0,
    ) -> None:
        """Record from now on, until `stop` or the end of the connection.

        Args:
            screenshots: with small pictures of the frames that were shown.
            categories: of Chromium's trace events; None for those that DevTools' performance panel shows.
            buffer_mb: megabytes that the browser keeps; nothing more is recorded when they are full.
            timeout: seconds.

        Raises:
            ValueError: this page records a trace already.
            CommandRefused: another tab, or another client, does.
        """

    def stop(
        self, *, path: str | Path | None = None, max_bytes: int = 100000000, timeout: float | Deadline = 30.0
    ) -> Trace:
        """End the trace, and read it.

        Args:
            path: a file to write it to.
            max_bytes: of a larger one, the events that begin after so many bytes are left out;
                `Trace.truncated` says so.
            timeout: seconds.

        Raises:
            ValueError: no trace is being recorded.
            CommandUnanswered: the browser did not hand it out in time. It is lost then.
            SessionEnded, ConnectionLost: the page or the browser is gone, and the trace with it; or the page
                was attached to anew meanwhile, as after a connection that dropped.
        """

class Storage:
    """`Page.storage`: what the page's profile keeps, and what its frames' origins do."""

    def clear_cookies(
        self,
        *,
        name: str | None = None,
        domain: str | None = None,
        path: str | None = None,
        timeout: float | Deadline = 30.0,
    ) -> int:
        """Delete the profile's cookies: all of them, or those that match everything given.

        Args:
            name: of the cookie.
            domain: as `cookies` has it; one that begins with a dot also counts without.
            path: likewise.
            timeout: seconds.

        Returns:
            How many there were.
        """

    def clear_items(
        self,
        names: Sequence[str] | None = None,
        area: Area = "local",
        *,
        origin: str | None = None,
        timeout: float | Deadline = 30.0,
    ) -> None:
        """Remove items.

        Args:
            names: a list of those to be removed; None removes all.
            area: ``local`` or ``session``.
            origin: as `items`.
            timeout: seconds.

        Raises:
            ValueError: no frame of the page has this origin.
            TypeError: names is no list of str.
        """

    def cookies(
        self, urls: str | Sequence[str] | None = None, *, timeout: float | Deadline = 30.0
    ) -> list[Cookie]:
        """The profile's cookies.

        Args:
            urls: only those that a request to one of these would carry.
            timeout: seconds.
        """

    def databases(self, *, origin: str | None = None, timeout: float | Deadline = 30.0) -> list[str]:
        """Names of an origin's IndexedDB databases.

        Args:
            origin: as `items`.
            timeout: seconds.

        Raises:
            ValueError: no frame of the page has this origin.
        """

    def grant_permissions(
        self, permissions: str | Sequence[str], *, origin: str | None = None, timeout: float | Deadline = 30.0
    ) -> None:
        """Grant permissions without asking anybody; all others are refused from then on, for that origin.

        Args:
            permissions: by the web's names, such as ``geolocation``, ``notifications``, ``clipboard-read``,
                ``camera``, or by the protocol's (``Browser.PermissionType``: ``videoCapture``).
            origin: to which; None grants them to every origin of the profile.
            timeout: seconds.

        Raises:
            CommandRefused: the browser knows no such permission.
        """

    def items(
        self, area: Area = "local", *, origin: str | None = None, timeout: float | Deadline = 30.0
    ) -> dict[str, str]:
        """What ``localStorage`` or ``sessionStorage`` holds.

        Args:
            area: ``local`` or ``session``.
            origin: of a frame of the page; None for the main frame's. The storage of a frame of another site
                is its share on this page: browsers partition it.
            timeout: seconds.

        Raises:
            ValueError: no frame of the page has this origin.
            CommandRefused: the frame has no storage (it is sandboxed, or a ``data:`` document).
        """

    def origins(self, *, timeout: float | Deadline = 30.0) -> list[str]:
        """The origins of the page's frames, the main frame's first, each once."""

    def reset_permissions(self, *, timeout: float | Deadline = 30.0) -> None:
        """Take back all that `grant_permissions` granted: what was not granted is asked for again."""

    def restore(self, state: StorageState | str | Path, *, timeout: float | Deadline = 30.0) -> None:
        """Put a state into the profile: its cookies are added, its origins' local storage is replaced.

        Tabs that show such an origin see the new items a few milliseconds later.

        Args:
            state: as `state` returns it, or the path of a file that it, or Playwright, has written.
            timeout: seconds, for all of it.

        Raises:
            ValueError: it is no such state.
            OSError: the file cannot be read.
            TargetError: there are origins in it, and the connection is one page's own socket.
        """

    def set_cookies(self, cookies: Sequence[Cookie], *, timeout: float | Deadline = 30.0) -> None:
        """Set cookies; one of the same name, domain and path is replaced.

        Args:
            cookies: as `Cookie` says.
            timeout: seconds.

        Raises:
            ValueError, TypeError: a cookie lacks something, or has what no cookie has. None is set then.
            CommandRefused: the browser refuses one, for instance a ``SameSite=None`` one that is not secure.
        """

    def set_items(
        self,
        items: Mapping[str, str],
        area: Area = "local",
        *,
        origin: str | None = None,
        timeout: float | Deadline = 30.0,
    ) -> None:
        """Set items; others stay as they are.

        Args:
            items: name → value, both strings.
            area: ``local`` or ``session``.
            origin: as `items`.
            timeout: seconds.

        Raises:
            ValueError: no frame of the page has this origin.
            ValueError: a name or a value holds half a surrogate pair.
            TypeError: a name or a value is not a string.
        """

    def state(
        self, *, path: str | Path | None = None, origins: Sequence[str] = (), timeout: float | Deadline = 30.0
    ) -> StorageState:
        """The profile's cookies, and the local storage of every tab that is open in it.

        Playwright's format (`storage_state`), so that a login made here works there. As there, storage that
        is partitioned by the page around a frame is left out, and so are session storage and databases.

        Args:
            path: a file to write it to, as JSON; readable by its owner only.
            origins: further origins whose storage is wanted, though no tab shows them; an empty document is
                opened under each, without a request.
            timeout: seconds, for all of it.

        Raises:
            CommandUnanswered: a tab does not answer; the message names it.
            TargetError: `origins` over one page's own socket.
        """

class ProfileStorage:
    """`BrowserContext.storage`: a profile's cookies, permissions, and the state that a login leaves behind.

    Everything is read from the browser when it is asked.

    Args:
        browser: the browser's own session; None where the connection is one page's own socket.
        context: tells of which profile; None where the browser does not say.
        page: a page's session; None where the profile need not have one.
    """

    def clear_cookies(
        self,
        *,
        name: str | None = None,
        domain: str | None = None,
        path: str | None = None,
        timeout: float | Deadline = 30.0,
    ) -> int:
        """Delete the profile's cookies: all of them, or those that match everything given.

        Args:
            name: of the cookie.
            domain: as `cookies` has it; one that begins with a dot also counts without.
            path: likewise.
            timeout: seconds.

        Returns:
            How many there were.
        """

    def cookies(
        self, urls: str | Sequence[str] | None = None, *, timeout: float | Deadline = 30.0
    ) -> list[Cookie]:
        """The profile's cookies.

        Args:
            urls: only those that a request to one of these would carry.
            timeout: seconds.
        """

    def grant_permissions(
        self, permissions: str | Sequence[str], *, origin: str | None = None, timeout: float | Deadline = 30.0
    ) -> None:
        """Grant permissions without asking anybody; all others are refused from then on, for that origin.

        Args:
            permissions: by the web's names, such as ``geolocation``, ``notifications``, ``clipboard-read``,
                ``camera``, or by the protocol's (``Browser.PermissionType``: ``videoCapture``).
            origin: to which; None grants them to every origin of the profile.
            timeout: seconds.

        Raises:
            CommandRefused: the browser knows no such permission.
        """

    def reset_permissions(self, *, timeout: float | Deadline = 30.0) -> None:
        """Take back all that `grant_permissions` granted: what was not granted is asked for again."""

    def restore(self, state: StorageState | str | Path, *, timeout: float | Deadline = 30.0) -> None:
        """Put a state into the profile: its cookies are added, its origins' local storage is replaced.

        Tabs that show such an origin see the new items a few milliseconds later.

        Args:
            state: as `state` returns it, or the path of a file that it, or Playwright, has written.
            timeout: seconds, for all of it.

        Raises:
            ValueError: it is no such state.
            OSError: the file cannot be read.
            TargetError: there are origins in it, and the connection is one page's own socket.
        """

    def set_cookies(self, cookies: Sequence[Cookie], *, timeout: float | Deadline = 30.0) -> None:
        """Set cookies; one of the same name, domain and path is replaced.

        Args:
            cookies: as `Cookie` says.
            timeout: seconds.

        Raises:
            ValueError, TypeError: a cookie lacks something, or has what no cookie has. None is set then.
            CommandRefused: the browser refuses one, for instance a ``SameSite=None`` one that is not secure.
        """

    def state(
        self, *, path: str | Path | None = None, origins: Sequence[str] = (), timeout: float | Deadline = 30.0
    ) -> StorageState:
        """The profile's cookies, and the local storage of every tab that is open in it.

        Playwright's format (`storage_state`), so that a login made here works there. As there, storage that
        is partitioned by the page around a frame is left out, and so are session storage and databases.

        Args:
            path: a file to write it to, as JSON; readable by its owner only.
            origins: further origins whose storage is wanted, though no tab shows them; an empty document is
                opened under each, without a request.
            timeout: seconds, for all of it.

        Raises:
            CommandUnanswered: a tab does not answer; the message names it.
            TargetError: `origins` over one page's own socket.
        """

class Popup:
    """What `Page.expect_popup` waits for."""

    @property
    def page(self) -> Page:
        """The page that was opened.

        Raises:
            LookupError: the block is not over yet.
        """

class ArmedAnswer:
    """An answer that waits for its dialog. `Page.arm_dialog` makes it; leaving it as a block disarms it.

    Attributes:
        accept: whether dialogs are accepted.
        text: that prompts are answered with; None leaves what stands in them.
        left: for how many dialogs it is good; None for all.
        only: a type, when it is for that type of dialog only.
        given: the dialogs it has answered so far.
    """

    @property
    def accept(self) -> bool: ...
    @property
    def text(self) -> str | None: ...
    @property
    def left(self) -> int | None: ...
    @property
    def only(self) -> str | None: ...
    @property
    def given(self) -> list[SeenDialog]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def disarm(self) -> None:
        """Answer no more dialogs."""

    def text_for(self, dialog: Dialog) -> str | None:
        """What goes into the field of this dialog, if it has one."""

def launch(
    executable: str | os.PathLike[str] | None = None,
    *,
    headless: bool = True,
    transport: LaunchTransport | None = None,
    args: Sequence[str] = (),
    viewport: ViewportSize | None = (1280, 720),
    record: Sequence[Recorded] = (),
    timeout: float | Deadline = 30.0,
) -> AbstractContextManager[Browser]:
    """Start a browser of our own; it and its profile are gone after the block, whatever ends it.

    Args:
        executable: which; found by itself when left out (HYBRIDSNAP_BROWSER, PATH, the usual places).
        headless: False opens a window.
        transport: ``cbor`` or ``pipe``, which open no port and have no cap worth the name, or ``websocket``,
            which lets other programs connect to the browser, too (`Browser.endpoint`). None takes the fastest
            that works here: ``cbor`` where hybridsnap's decoder for it is compiled, else ``pipe``
            (``websocket`` on Windows). `snapshot.report.transport` says what was used.
        args: more flags for the browser. Lists of features (``--disable-features=``) add to our own.
            ``--remote-debugging-port=0`` opens a port beside the pipe, for those who want
            `Browser.endpoint` and ``cbor``.
        viewport: width and height in CSS px of its pages; None leaves them to the browser's window (780 × 493
            in a headless Chromium). A popup that was opened with a size keeps that.
        record: ``["console", "network"]``, or one of them, records what pages log and request from the
            moment that they are attached to: see `hybridsnap.Console`, `hybridsnap.Network`. By default
            nothing is recorded until it is asked for.
        timeout: seconds until it must be up.

    Raises:
        BrowserNotFound, BrowserLaunchFailed, DeadlineExceeded: there is none, or it does not come up.
        ValueError: an argument is unusable.
    """

def connect(
    endpoint: str,
    *,
    headers: Mapping[str, str] | None = None,
    record: Sequence[Recorded] = (),
    reconnect: bool = False,
    timeout: float | Deadline = 30.0,
) -> AbstractContextManager[Browser]:
    """Connect to a browser that runs. After the block it runs on, without our sessions.

    All who connect to the same address within one trio run share one websocket, which is closed with the last
    of them. Each has a `Browser` of its own: its pages, its contexts, its recordings and sizes end with its
    block. An address of one page, ``ws://…/devtools/page/…``, is not shared.

    Args:
        endpoint: ``ws://`` or ``wss://`` of a browser or of one page, or ``http://host:port``.
        headers: sent with the handshake, such as ``Authorization``.
        record: what is recorded of pages from the moment that they are attached to, as `launch` has it.
        reconnect: True makes the connection again when it drops and the browser lives. What was under way
            fails with `ConnectionLost`, whose ``may_have_been_executed`` says what is known of it; what is
            asked next waits for the connection, within its own time. Pages, ids, frame ordinals, emulation,
            routes and recordings live on. See "When the connection drops" in the guide to the client.
        timeout: seconds until the connection must stand.

    Raises:
        EndpointError: it refuses, does not answer, or is not a DevTools endpoint.
    """
