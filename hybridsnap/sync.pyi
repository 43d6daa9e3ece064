# Written by `python -m tests.stubs` from the client's source: edit that.

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Self, TypeVar, Unpack

from hybridsnap.act.files import Paths
from hybridsnap.act.perform import Naming
from hybridsnap.act.pointer import Button
from hybridsnap.act.receipt import Receipt
from hybridsnap.act.scrolling import Direction
from hybridsnap.act.waiting import LoadState
from hybridsnap.capture.pointing import FoundElement
from hybridsnap.client.connection import Deliver
from hybridsnap.client.dialog_book import SeenDialog
from hybridsnap.client.dialogs import DialogType
from hybridsnap.client.downloads import Download
from hybridsnap.client.launcher import BrowserProcess
from hybridsnap.client.metrics import Metrics
from hybridsnap.client.navigating import Navigation, Wait
from hybridsnap.client.tabs import Tab
from hybridsnap.client.waits import Waited
from hybridsnap.deadline import Deadline
from hybridsnap.errors import HybridsnapError
from hybridsnap.model import Cause, Dialog, FrameId, SessionId, TargetId
from hybridsnap.protocol.wire import Head, Payload
from hybridsnap.snapshot import Snapshot

__all__ = [
    "ArmedAnswer",
    "Browser",
    "EventSubscription",
    "FileChooser",
    "Page",
    "Popup",
    "Session",
    "connect",
    "launch",
]

_T = TypeVar("_T")

class Browser:
    """A browser that is spoken to. `launch` and `connect` make it.

    Attributes:
        process: the browser's process, when we launched it.
        only_target: the one page that can be reached, when the connection is that page's own socket.
        endpoint: its address; over a pipe, which has none, a name that no other browser has.
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

    def known_page(self, target_id: TargetId) -> Page | None:
        """The page of a tab that is open, if it has been asked for before."""

    def new_page(
        self, url: str | None = None, *, wait: Wait = "load", timeout: float | Deadline = 30.0
    ) -> Page:
        """Open a tab.

        Args:
            url: where to go; None stays at about:blank.
            wait: as `Page.goto`.
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

    def page_ids(self) -> list[TargetId]:
        """The target ids of the tabs that are open, in the order in which they were opened."""

    def page_infos(self) -> list[dict[str, Any]]:
        """`Target.TargetInfo` of each open tab, as the browser gives it, in the order they were opened."""

    def page_of_tab(self, tab: Tab, deadline: Deadline) -> Page:
        """The page of a tab that has just been opened, once its first document is there.

        Raises:
            TargetError: it was closed again.
        """

    def pages(self, *, timeout: float | Deadline = 30.0) -> list[Page]:
        """The tabs that are open, in the order in which they were opened.

        A tab has one `Page` as long as it lives: asked again, it is the same object.

        Args:
            timeout: seconds.
        """

    @property
    def session(self) -> Session:
        """The browser's own session, for commands such as ``Target.getTargets``."""

    def wait_for_page(self, opener: Page | None = None, *, timeout: float | Deadline = 30.0) -> Page:
        """A tab that was opened and that nobody has been handed yet; wait for one when there is none.

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

class Page:
    """A tab. `Browser.new_page` and `Browser.page` make it."""

    @property
    def browser(self) -> Browser: ...
    @property
    def target_id(self) -> TargetId: ...
    @property
    def session(self) -> Session: ...
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

    def answer_chooser(self, chooser: FileChooser, paths: Paths, deadline: Deadline) -> None:
        """What `FileChooser.set_files` does."""

    def answer_dialog(
        self, accept: bool = True, text: str | None = None, *, timeout: float | Deadline = 30.0
    ) -> Dialog:
        """Answer the dialog that is open, as with OK or Cancel.

        It returns when the script that opened it has come to its end, or has opened the next dialog, which
        can be answered at once; but half a second later at the latest.

        Args:
            accept: False dismisses it: `confirm` returns false, `prompt` null, and a ``beforeunload`` prompt
                keeps the page.
            text: for a prompt that is accepted; None leaves what stands in it.
            timeout: seconds.

        Returns:
            The dialog, as it was.

        Raises:
            NoDialog: none is open; or it can no longer be answered, because another frame opened one over it.
            ValueError: a text is given, and the dialog is no prompt or is not accepted.
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
        self, element: str | None = None, *, timeout: float | Deadline = 30.0, **naming: Unpack[Naming]
    ) -> dict[str, str]:
        """An element's attributes."""

    def bounding_box(
        self, element: str | None = None, *, timeout: float | Deadline = 30.0, **naming: Unpack[Naming]
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
        self, element: str | None = None, *, timeout: float | Deadline = 30.0, **naming: Unpack[Naming]
    ) -> Receipt:
        """Check a checkbox, radio button or switch, by a click; nothing when it is checked."""

    def clear(
        self, element: str | None = None, *, timeout: float | Deadline = 30.0, **naming: Unpack[Naming]
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
        **naming: Unpack[Naming],
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
            naming: ``nth``, ``as_of``, ``backend_node_id``, ``frame``.

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
    ) -> Receipt:
        """Click a point: CSS px of the main viewport. For canvases; whatever is there gets it."""

    def close(self) -> None:
        """Close the tab, also when cancelled. No `beforeunload` handler is asked; a dialog is dismissed."""

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
        force: bool = False,
        timeout: float | Deadline = 30.0,
    ) -> Receipt:
        """Drag an element onto another: with mouse events, and as HTML's drag and drop where it is draggable.

        Args:
            source: id, ref or selector of what is dragged.
            target: likewise, of where it is dropped.
            modifiers: keys held meanwhile.
            force: whatever lies on top.
            timeout: seconds.
        """

    def drag_at(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        *,
        modifiers: Sequence[str] = (),
        timeout: float | Deadline = 30.0,
    ) -> Receipt:
        """Drag from one point to another: CSS px of the main viewport."""

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
        **naming: Unpack[Naming],
    ) -> Any:
        """Evaluate JavaScript in the page, apart from everything else that is done to it.

        It runs over a connection of its own, so that one that is stuck delays no other command. (Where there
        can be none, over the pipe for one, it runs on a session of its own. ``browser.metrics`` counts which
        way was taken, and why.)

        Args:
            expression: an expression, a function (which is called with the arguments), statements (their
                value is the last one's), or statements with a ``return``. ``await`` may stand in all of them,
                and a promise is awaited. `hybridsnap.act.evaluate` has the rules.
            args: for the function: None, bool, int, float, str, bytes, datetime, lists and dicts of these.
                NaN, ±Infinity, -0 and ints of any size arrive as what they are.
            element: id, ref or selector of an element: the function gets it first, and runs in its frame. In
                an expression that is no function it is ``element``.
            timeout: seconds, for all of it. The script has until a tenth of that (0.1 s at most) before.
            isolated_world: evaluate in our own world, which has the same DOM, but none of the page's
                variables, and built-in objects that the page cannot have changed.
            **naming: the rest of the element's name, as for every action.

        Returns:
            The value; undefined is None. `hybridsnap.act.values` has the table: numbers keep NaN, ±Infinity
            and -0, a BigInt is an int, a Date a datetime in UTC, a Map a dict; an object that occurs twice is
            one object, and cycles stay cycles. What has no value (functions, DOM nodes, windows) is described
            in angle brackets. More than 400 levels or a million items are refused with a RangeError.

        Raises:
            EvaluationFailed: the script threw, or does not compile; with its name, message and stack. Its
                name is ``Terminated`` when somebody else ended it.
            EvaluationTimeout: it had not ended in time; raised within 0.5 s after that. What ran was ended
                with ``Runtime.terminateExecution``. That ends whatever script the renderer process runs at
                that moment, without a chance to catch it or to clean up (no ``finally``): a handler of the
                page's own, when the script was waiting for that, or one of another tab of the same site,
                which may share the process. When nothing runs it ends nothing, also later (measured). A
                script that only waits for a promise is not ended but forgotten: what it has set up goes on.
                A tab that does not answer after that is attached to anew: `Page.session` is a new one then.
            CommandUnanswered: a dialog is open in the way (cause ``dialog``) and was not answered within
                0.3 s; the script goes on when it is. Or the page went elsewhere before the script ended
                (cause ``navigated``).
            StaleElement, UnknownElement, SelectorError: as for every action; nothing was evaluated.
            TypeError, ValueError: an argument has no form in a page, or the arguments do not go together.
            TargetCrashed, TargetDetached, ConnectionLost: there is nothing to evaluate in.
        """

    def expand(self, element_id: str, *, timeout: float | Deadline = 30.0) -> Snapshot:
        """Capture one element of the page, as it is now, with all that is below it.

        Args:
            element_id: of an earlier snapshot.
            timeout: seconds.

        Raises:
            UnknownElement: the page has no such element (any more).
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
        outside of such blocks. An address that is a download can be gone to (`goto` then says so instead of
        failing).

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
            TypeError, ValueError: a path is none, or there is no such file; or this page expects a chooser
                already.
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
        self, element: str | None, value: Any, *, timeout: float | Deadline = 30.0, **naming: Unpack[Naming]
    ) -> Receipt:
        """Give any control its value.

        Args:
            element: id, ref or selector.
            value: text; True or False for what is checked; a label or value (or several) for a select;
                ``2026-11-21`` for a date, likewise for times; ``#aa00ff`` for a colour; paths for files.
            timeout: seconds.
            naming: as for `click`.

        In a one-line field line breaks become blanks, as when text is pasted, and submit nothing.

        Raises:
            NotInteractable: the control cannot hold such a value (reason ``value``); the message says what it
                can, with an example. Nothing was filled.
            TypeError, ValueError: no control has such values (a dict, None); or there is no such file.
        """

    def fill_form(self, entries: Sequence[Mapping[str, Any]], *, timeout: float | Deadline = 30.0) -> Receipt:
        """Fill several controls in one call. All are looked at before the first is filled.

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

    def first_document(self, tab: Tab, deadline: Deadline) -> None:
        """Wait until there is a document in this tab, which has just been opened, for 60 % of the time.

        Raises:
            TargetError: the tab was closed.
        """

    def focus(
        self, element: str | None = None, *, timeout: float | Deadline = 30.0, **naming: Unpack[Naming]
    ) -> Receipt:
        """Give an element the focus, without clicking it."""

    def go_back(self, *, wait: Wait = "load", timeout: float | Deadline = 30.0) -> Navigation:
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

    def go_forward(self, *, wait: Wait = "load", timeout: float | Deadline = 30.0) -> Navigation:
        """Go one step forward in the tab's history. All else as for `go_back`."""

    def goto(self, url: str, *, wait: Wait = "load", timeout: float | Deadline = 30.0) -> Navigation:
        """Go to an address, and wait for it. A dialog that is open is closed (but for a ``beforeunload``).

        Args:
            url: with a scheme: ``https://…``, ``file:///…``, ``about:blank``.
            wait: ``load``, ``domcontentloaded``, ``networkidle`` (500 ms without traffic) or ``none``
                (only until the browser has begun). Whatever comes first, it or the deadline, ends it;
                `Navigation.ended_by` says which.
            timeout: seconds.

        Returns:
            Where it led, and how: a page that a server answers with 404 or 500 is a page, and no error;
            `Navigation.status` says so.

        Raises:
            NavigationFailed: the address does not resolve, is refused, is no URL, is a script
                (``javascript:``) or for another program (``tel:``), or is a download that nobody expects.
            ValueError: `wait` is unknown, or `timeout` unusable.
        """

    def highlight(
        self,
        element: str | None = None,
        *,
        seconds: float = 2.0,
        timeout: float | Deadline = 30.0,
        **naming: Unpack[Naming],
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
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Move the pointer over an element. Arguments as for `click`."""

    def key_down(self, key: str, *, timeout: float | Deadline = 30.0) -> Receipt:
        """Press a key and keep it down, until `key_up`. Modifiers count for all that is pressed meanwhile."""

    def key_up(self, key: str, *, timeout: float | Deadline = 30.0) -> Receipt:
        """Let go of a key."""

    def move_to(self, x: float, y: float, *, timeout: float | Deadline = 30.0) -> Receipt:
        """Move the pointer to a point: CSS px of the main viewport."""

    def on_browser_events(self, take: Callable[[str, dict[str, Any]], None]) -> None:
        """Hand on the browser's events: on a page's own socket they come to the page's session."""

    @property
    def opener(self) -> Page | None:
        """The page that opened this one, if it is open and has been asked for; see `opener_id`."""

    @property
    def opener_id(self) -> TargetId | None:
        """The target id of the tab that opened this one; None when no page did.

        It is known with ``rel=noopener`` too, and when the opener has been closed.
        """

    def outer_html(
        self, element: str | None = None, *, timeout: float | Deadline = 30.0, **naming: Unpack[Naming]
    ) -> str:
        """An element's markup, as it is now."""

    def press(
        self,
        chord: str,
        *,
        element: str | None = None,
        timeout: float | Deadline = 30.0,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Press keys together: ``Enter``, ``Ctrl+a``, ``ControlOrMeta+Shift+ArrowLeft``.

        Args:
            chord: the keys (`hybridsnap.act.keyboard`).
            element: that gets the focus before; None presses them wherever it is.
            timeout: seconds.
            naming: as for `click`.

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
            TypeError: it is no snapshot.
            ValueError: it is of another page, or numbers the frames otherwise than they are numbered here.
        """

    def reload(
        self, *, ignore_cache: bool = False, wait: Wait = "load", timeout: float | Deadline = 30.0
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

    def scroll(
        self,
        direction: Direction = "down",
        *,
        element: str | None = None,
        distance: float | None = None,
        timeout: float | Deadline = 30.0,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Scroll the page, or an element (the nearest around it that scrolls).

        Args:
            direction: up, down, left or right.
            element: id, ref or selector; None is the page.
            distance: CSS px; None is one viewport.
            timeout: seconds.
            naming: as for `click`.

        Returns:
            The receipt's ``value`` is how far it went: ``{"x": 0.0, "y": 720.0, "what": "page"}``.
        """

    def scroll_into_view(
        self, element: str | None = None, *, timeout: float | Deadline = 30.0, **naming: Unpack[Naming]
    ) -> Receipt:
        """Scroll until an element is in view, in all frames around it."""

    def select_option(
        self,
        element: str | None = None,
        *,
        value: str | Sequence[str] | None = None,
        label: str | Sequence[str] | None = None,
        index: int | Sequence[int] | None = None,
        timeout: float | Deadline = 30.0,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Choose options of a select, by value, by label or by index from 0; several of a multiple one."""

    @property
    def sessions(self) -> list[Session]:
        """The sessions captures use: the page's own first, then one for each frame in another process."""

    def set_input_files(
        self,
        element: str | None,
        paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        timeout: float | Deadline = 30.0,
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Give a file field its files.

        Args:
            element: id, ref or selector of the ``<input type=file>``.
            paths: of files that exist; several only where it takes several.
            timeout: seconds.
            naming: as for `click`.

        Raises:
            FileNotFoundError, ValueError: a path leads to no file.
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

    def text(
        self, element: str | None = None, *, timeout: float | Deadline = 30.0, **naming: Unpack[Naming]
    ) -> str:
        """An element's text, as rendered."""

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
        **naming: Unpack[Naming],
    ) -> Receipt:
        """Type into an element, behind what it holds.

        Args:
            element: id, ref or selector.
            text: what to type. Line breaks are such in a textarea and in editable text; in an input they
                become blanks, as when text is pasted, and submit nothing (a note says so).
            clear: replace what it holds.
            delay: seconds between characters, each typed with key events; 0 enters the text at once.
            by_keys: key events for each character, without delay.
            submit: press Enter afterwards.
            timeout: seconds.
            naming: as for `click`.
        """

    def uncheck(
        self, element: str | None = None, *, timeout: float | Deadline = 30.0, **naming: Unpack[Naming]
    ) -> Receipt:
        """Uncheck a checkbox or switch, by a click; nothing when it is not checked."""

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
        url: str | None = None,
        load_state: LoadState | None = None,
        function: str | None = None,
        timeout: float | Deadline = 30.0,
    ) -> Waited:
        """Wait until all that is given holds at the same moment. `hybridsnap.act.waiting` says when it does.

        Args:
            time: seconds that pass in any case.
            text: that the page shows, in any of its frames, as it is rendered.
            text_gone: that it shows in none of them.
            selector: of what it matches something is displayed. An element id, a ref, an XPath, CSS with
                ``>>`` into frames and shadow roots.
            selector_gone: of what it matches nothing is displayed.
            url: of the page, whole; ``*`` for anything but ``/``, ``**`` for anything, ``?`` for one
                character; ``\\`` before them for themselves.
            load_state: ``domcontentloaded``, ``load`` or ``networkidle``.
            function: JavaScript in the page's own world that gives something true (an expression, or a
                function, which is called; promises are awaited). Asked when all else holds.
            timeout: seconds, for all of it.

        Returns:
            What holds. When it holds already, at once.

        Raises:
            WaitTimeout: something did not hold in time; ``missing`` has it.
            EvaluationFailed: the function threw.
            TypeError, ValueError, SelectorError, UnknownElement: there is nothing to wait for, or it makes no
                sense.
            TargetCrashed, TargetDetached, ConnectionLost: the page is gone.
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
    def close_subscriptions(self) -> None:
        """End everybody's ``for`` over this session's events."""

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
        """Hand an event on. Called by the reader; decodes it only when somebody listens."""

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
        """No more events come; those that are here can still be read."""

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
            TypeError, ValueError: a path is none, or there is no such file; or no chooser has opened yet.
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
    transport: Literal["websocket", "pipe"] = "websocket",
    args: Sequence[str] = (),
    timeout: float | Deadline = 30.0,
) -> AbstractContextManager[Browser]:
    """Start a browser of our own; it and its profile are gone after the block, whatever ends it.

    Args:
        executable: which; found by itself when left out (HYBRIDSNAP_BROWSER, PATH, the usual places).
        headless: False opens a window.
        transport: ``websocket``, or ``pipe``, which opens no port and has no cap worth the name.
        args: more flags for the browser.
        timeout: seconds until it must be up.

    Raises:
        BrowserNotFound, BrowserLaunchFailed, DeadlineExceeded: there is none, or it does not come up.
        ValueError: an argument is unusable.
    """

def connect(
    endpoint: str, *, headers: Mapping[str, str] | None = None, timeout: float | Deadline = 30.0
) -> AbstractContextManager[Browser]:
    """Connect to a browser that runs. After the block it runs on, without our sessions.

    Args:
        endpoint: ``ws://`` or ``wss://`` of a browser or of one page, or ``http://host:port``.
        headers: sent with the handshake, such as ``Authorization``.
        timeout: seconds until the connection must stand.

    Raises:
        EndpointError: it refuses, does not answer, or is no DevTools endpoint.
    """
