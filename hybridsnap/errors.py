"""Everything hybridsnap raises on purpose, split by whose doing it is.

::

    HybridsnapError
    ├── BrowserError                   no usable browser
    │   ├── BrowserNotFound            (also FileNotFoundError)
    │   ├── BrowserLaunchFailed        it was started and did not come up; carries its stderr
    │   └── EndpointError              (also ConnectionError) the address is not a DevTools endpoint
    ├── ConnectionLost                 (also ConnectionError) the socket or pipe ended
    ├── SessionEnded                   one session ended, the connection lives
    │   ├── TargetCrashed              its renderer crashed
    │   └── TargetDetached             its page or frame went away
    ├── CommandError                   one command got no usable answer
    │   ├── CommandRefused             the browser answered with an error
    │   ├── CommandUnanswered          (also TimeoutError) no answer; ``cause`` says why
    │   ├── ReplyUnreadable            the answer is not what the protocol describes
    │   └── ReplyTooLarge              the answer exceeds the transport's cap
    ├── NavigationFailed               the browser could not load the address
    ├── TargetError                    (also LookupError) unknown, or more than one to choose from
    ├── UnknownElement                 (also KeyError) an id that no snapshot has shown
    ├── SelectorError                  (also ValueError) a selector that finds nothing, or is none
    ├── UnknownKey                     (also ValueError) a key that a US keyboard does not have
    ├── ActionError                    an action was not done; the page is as it was
    │   ├── StaleElement               (also LookupError) what the id stood for is gone, or is something else
    │   ├── ElementCovered             something else lies on top; says what
    │   └── NotInteractable            it is disabled, invisible, the wrong kind, …; ``reason`` says which
    ├── EvaluationFailed               the script threw; carries its own stack
    ├── EvaluationTimeout              (also TimeoutError) the script had not ended in time
    ├── WaitTimeout                    (also TimeoutError) what was waited for did not come
    ├── NoDialog                       (also LookupError) no dialog is open to be answered
    ├── DownloadFailed                 a download was refused, broke off, or is too large
    └── CaptureFailed                  not even the main frame could be read; carries the report
        └── DeadlineExceeded           (also TimeoutError) because the time was up

Wrong arguments are plain ``TypeError`` and ``ValueError``. Any other exception out of hybridsnap is a
bug in hybridsnap. Losing a child frame is not an exception: it is data in ``snapshot.report``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.model import Cause, Report, StaleReason, Successor


class HybridsnapError(Exception):
    """Root of the tree. ``str(error)`` is one line: what was asked, what was received, what to do.

    Every error can be pickled, attributes included.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)

    @property
    def message(self) -> str:
        """The one line that is printed."""
        return str(self.args[0])

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Callable[..., HybridsnapError], tuple[Any, ...]]:
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(
    cls: type[HybridsnapError], args: tuple[Any, ...], attributes: dict[str, Any]
) -> HybridsnapError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(attributes)
    return error


class BrowserError(HybridsnapError):
    """There is no browser to talk to."""


class BrowserNotFound(BrowserError, FileNotFoundError):
    """No Chromium was found, or the path given is none; the message says how to get one."""


class BrowserLaunchFailed(BrowserError):
    """The browser was started and ended, or stayed silent, before it could be used.

    Attributes:
        stderr: the last of what the browser itself wrote (at most 64 KiB).
    """

    def __init__(self, message: str, *, stderr: str = "") -> None:
        super().__init__(message)
        self.stderr = stderr


class EndpointError(BrowserError, ConnectionError):
    """The address refuses, does not exist, or is not a DevTools endpoint.

    Attributes:
        endpoint: the address as given.
        refused: nothing listens there.
        silent: the connection was accepted, and no answer came in time.
        status: of the HTTP answer that came in the place of a websocket; None where none did.
        unknown: the browser that answered there has no such page, or is another.
    """

    def __init__(
        self,
        message: str,
        *,
        endpoint: str,
        refused: bool = False,
        silent: bool = False,
        status: int | None = None,
        unknown: bool = False,
    ) -> None:
        super().__init__(message)
        self.endpoint = endpoint
        self.refused = refused
        self.silent = silent
        self.status = status
        self.unknown = unknown


class ConnectionLost(HybridsnapError, ConnectionError):
    """The browser's end of the socket or pipe is gone; every open call fails with this.

    With ``connect(..., reconnect=True)`` the connection may be made again: what is asked next is answered.

    Attributes:
        may_have_been_executed: what was asked was on its way to the browser, or may have been. False: it was
            not sent, and nothing was done; it can be asked again.
    """

    def __init__(self, message: str, *, may_have_been_executed: bool = True) -> None:
        super().__init__(message)
        self.may_have_been_executed: bool = may_have_been_executed

    def deny_execution(self) -> None:
        """Say that nothing was done: the command that was on its way only looked at the page."""
        if self.may_have_been_executed:
            self.may_have_been_executed = False
            super().__init__(f"{self.message.rpartition('; ')[0] or self.message}; nothing was done")


class SessionEnded(HybridsnapError):
    """The session a command was meant for is over.

    Attributes:
        session: the session's id; None for the connection's own root session.
    """

    def __init__(self, message: str, *, session: str | None = None) -> None:
        super().__init__(message)
        self.session = session


class TargetCrashed(SessionEnded):
    """The renderer behind the session crashed or was killed."""


class TargetDetached(SessionEnded):
    """The page was closed, the frame removed or moved to another process, or we were detached."""


class CommandError(HybridsnapError):
    """One command got no usable answer.

    Attributes:
        method: the protocol method, such as ``DOM.getDocument``.
    """

    def __init__(self, message: str, *, method: str) -> None:
        super().__init__(message)
        self.method = method


class CommandRefused(CommandError):
    """The browser answered with an error.

    Attributes:
        code: the JSON-RPC error code, such as -32000.
        reason: the browser's own words.
    """

    def __init__(self, message: str, *, method: str, code: int, reason: str) -> None:
        super().__init__(message, method=method)
        self.code = code
        self.reason = reason


class CommandUnanswered(CommandError, TimeoutError):
    """No answer came in time, or none can come.

    Attributes:
        cause: what is known of the reason: dialog, busy, loading, crashed, …
        nothing_done: of an action: it had not touched the page. A dialog was open before it, or it was still
            looking for its element, or for where to press.
    """

    def __init__(self, message: str, *, method: str, cause: Cause) -> None:
        super().__init__(message, method=method)
        self.cause: Cause = cause
        self.nothing_done = False


class ReplyUnreadable(CommandError):
    """An answer came, but not in the shape that the protocol describes."""


class ReplyTooLarge(CommandError):
    """The answer is larger than the transport's cap. The message names the remedy.

    Attributes:
        cap_bytes: the transport's cap.
    """

    def __init__(self, message: str, *, method: str, cap_bytes: int) -> None:
        super().__init__(message, method=method)
        self.cap_bytes = cap_bytes


class NavigationFailed(HybridsnapError):
    """The browser could not load the address.

    Attributes:
        url: the address asked for.
        reason: the browser's own words, such as ``net::ERR_CONNECTION_REFUSED``; or why it was not asked:
            ``script``, ``no scheme``, ``another program``, ``surrogates``; or what ended the wait
            for it, where other actions were to follow: ``deadline``, ``dialog``, ``crashed``.
    """

    def __init__(self, message: str, *, url: str, reason: str) -> None:
        super().__init__(message)
        self.url = url
        self.reason = reason


class TargetError(HybridsnapError, LookupError):
    """No page has this target id, or there are several and none was named.

    Attributes:
        target_ids: the pages that are open.
    """

    def __init__(self, message: str, *, target_ids: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.target_ids = target_ids


class UnknownElement(HybridsnapError, KeyError):
    """No snapshot (or rendering of one) has shown this id or ref.

    Attributes:
        element_id: the id as given.
    """

    def __init__(self, message: str, *, element_id: str) -> None:
        super().__init__(message)
        self.element_id = element_id


class SelectorError(HybridsnapError, ValueError):
    """A selector matches nothing on the page, or is not a selector.

    Attributes:
        selector: as given.
        reason: ``syntax``, ``nothing`` (it matches too little), ``several`` (one element is wanted, and it
            matches more), or ``frame`` (it leads into a frame that cannot be reached).
        candidates: of ``several``, the first matches; their ids can be acted on.
        waited: seconds that were waited for a match.
    """

    def __init__(
        self,
        message: str,
        *,
        selector: str,
        reason: str = "nothing",
        candidates: tuple[Successor, ...] = (),
    ) -> None:
        super().__init__(message)
        self.selector = selector
        self.reason = reason
        self.candidates = candidates
        self.waited: float = 0.0


class UnknownKey(HybridsnapError, ValueError):
    """A chord names a key that a US keyboard does not have, or no key at all.

    Attributes:
        chord: as given.
        key: the part of it that is not a key, or not a modifier.
        suggestions: names of keys that come near.
    """

    def __init__(self, message: str, *, chord: str, key: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.chord = chord
        self.key = key
        self.suggestions = suggestions


class ActionError(HybridsnapError):
    """An action on an element was not done, and the page is as it was, but for scrolling.

    Where an action has many parts (characters that are typed, entries of a form) the message says how many of
    them were done before.

    Attributes:
        element_id: of the element that was named; None when it has none yet.
        partial: some of the action's parts were done, or the page has heard a press or a drag begin, has
            answered to the focus, or something of it is left in the page.
        waited: seconds that were waited for the element to be ready.
    """

    def __init__(self, message: str, *, element_id: str | None) -> None:
        super().__init__(message)
        self.element_id = element_id
        self.partial: bool = False
        self.waited: float = 0.0


class StaleElement(ActionError, LookupError, ValueError):
    """What an id stood for is gone, or has become something else.

    Also a `ValueError`, which is what MetaGPT's functions (`hybridsnap.webarena`) raise of such an element.

    Attributes:
        snapshot_id: of the snapshot that showed it; None when it was named in another way.
        reason: ``navigated``, ``detached``, ``frame gone`` or ``identity changed``.
        description: what it was, such as ``button "Buy"``.
        successors: up to three elements of the current page that may be meant, likeliest first. Their ids
            can be acted on, but for the stale id itself: that one needs a new snapshot.
    """

    def __init__(
        self,
        message: str,
        *,
        element_id: str | None,
        reason: StaleReason,
        snapshot_id: str | None = None,
        description: str = "",
        successors: tuple[Successor, ...] = (),
    ) -> None:
        super().__init__(message, element_id=element_id)
        self.reason: StaleReason = reason
        self.snapshot_id = snapshot_id
        self.description = description
        self.successors = successors


class ElementCovered(ActionError):
    """Something else would have been clicked: it lies on top of the element, or takes its place within it.

    Attributes:
        cover_id: the id of what covers it, or of the control in it.
        cover_role: its role.
        cover_name: its name, as the page has it.
    """

    def __init__(
        self, message: str, *, element_id: str | None, cover_id: str, cover_role: str, cover_name: str
    ) -> None:
        super().__init__(message, element_id=element_id)
        self.cover_id = cover_id
        self.cover_role = cover_role
        self.cover_name = cover_name


class NotInteractable(ActionError):
    """The element cannot take this action.

    Attributes:
        reason: a word or two: ``disabled``, ``inert``, ``invisible``, ``no size``, ``not displayed``,
            ``document`` (it is one, and no element), ``hidden control`` (without a size, transparent, and
            nothing known to stand for it), ``pointer-events``, ``read-only``, ``moving``, ``off screen``,
            ``wrong kind``, ``no such option``, ``several`` (options that fit), ``not open`` (a list that does
            not open), ``not focusable``, ``focus moved`` (by the page, while it was typed into: the text
            typed before is there), ``focus taken`` (by the page, back to what had it), ``value`` (it cannot
            have this one), ``lost`` (the browser did not hand the press on), ``prompt`` (likewise, and the
            page has asked for another program, such as by a ``tel:`` link).
    """

    def __init__(self, message: str, *, element_id: str | None, reason: str) -> None:
        super().__init__(message, element_id=element_id)
        self.reason = reason


class EvaluationFailed(HybridsnapError):
    """The script that was evaluated threw.

    Attributes:
        name: of what was thrown, such as ``TypeError``.
        js_message: its message.
        js_stack: its stack as the browser has it; empty when it was not an Error.
    """

    def __init__(self, message: str, *, name: str, js_message: str, js_stack: str) -> None:
        super().__init__(message)
        self.name = name
        self.js_message = js_message
        self.js_stack = js_stack


class EvaluationTimeout(HybridsnapError, TimeoutError):
    """The script had not come to an end at its deadline, and was ended where that can be.

    Attributes:
        seconds: how long it was given.
    """

    def __init__(self, message: str, *, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class WaitTimeout(HybridsnapError, TimeoutError):
    """What was waited for did not come in time.

    Attributes:
        missing: the conditions that did not hold at the end, as they were asked for: ``text='Done'``.
        instead: of conditions on an element, by their names, what held in their place:
            ``{"value": 'its value is "Ada"'}``.
        obstacle: why the page could not be looked at in the end; empty when it could.
        cause: ``"dialog"`` where that was a dialog, which has to be answered first; else None.
    """

    def __init__(
        self,
        message: str,
        *,
        missing: tuple[str, ...],
        instead: dict[str, str] | None = None,
        obstacle: str = "",
        cause: Cause | None = None,
    ) -> None:
        super().__init__(message)
        self.missing = missing
        self.instead: dict[str, str] = instead or {}
        self.obstacle = obstacle
        self.cause: Cause | None = cause


class NoDialog(HybridsnapError, LookupError):
    """No dialog is open that could be answered."""


class DownloadFailed(HybridsnapError):
    """A download did not come.

    Attributes:
        url: of what was to be downloaded; empty when there was none.
        reason: ``cancelled`` (or broken off), ``too large``, ``timeout``, ``none`` (none began), or
            ``out of reach`` (the browser saved it where this process cannot see it).
    """

    def __init__(self, message: str, *, url: str, reason: str) -> None:
        super().__init__(message)
        self.url = url
        self.reason = reason


class CaptureFailed(HybridsnapError):
    """Not even the main frame could be read.

    Attributes:
        report: what was tried and the result, frame by frame; None when the time was up
            before there was a page to look at.
    """

    def __init__(self, message: str, *, report: Report | None = None) -> None:
        super().__init__(message)
        self.report = report


class DeadlineExceeded(CaptureFailed, TimeoutError):
    """The time was up before the main frame could be read."""
