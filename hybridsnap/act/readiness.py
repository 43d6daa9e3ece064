"""Waiting until an element can be acted on.

An action is tried; when it is refused for a reason that may pass by itself (the element is disabled,
covered, not displayed, not there yet), the attempt is cleaned up and made again after a pause of 20 ms at
first and 250 ms at most, as long as the deadline and ``wait`` leave time. Each attempt looks the element up
and proves its id anew, so waiting never acts on anything else than what was shown. A refusal that time does
not mend (a stale or unknown id, a control of the wrong kind, a value that it cannot have, several matches)
is raised at once; and so is every refusal of an action that had begun. What an attempt leaves in the page for
the next one (`leave`) is taken back behind the last.

Between two attempts whoever runs the plan has its turn twice (`hybridsnap.protocol.plan.yield_to_runner`):
when the pause begins and when it is over. A client lets other actions on the page go first meanwhile.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hybridsnap.errors import (
    ActionError,
    CommandUnanswered,
    ElementCovered,
    NotInteractable,
    SelectorError,
    StaleElement,
)
from hybridsnap.protocol.plan import clock, pause, send_cleanups, yield_to_runner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.act.observer import Observer
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.errors import HybridsnapError
    from hybridsnap.protocol.plan import Plan

T = TypeVar("T")

#: Seconds that the faces for models (HTTP, MCP, WebArena, the command line) wait unless asked otherwise: a
#: model wants its refusal while it still remembers why it asked.
MODEL_WAIT_SECONDS = 5.0
#: Seconds between two attempts: at first, at most, and how much longer each is than the one before.
_FIRST, _LONGEST, _GROWTH = 0.02, 0.25, 1.6
#: A pause is so many times as long as an attempt takes, up to so many seconds: a large page is not kept busy.
_SHARE, _MOST = 2.0, 1.0
#: Seconds that are kept back from the deadline for the action itself.
_RESERVE = 0.3
#: More of them, where what attempts have left in the page is to be taken back: a list may fade away for
#: 0.4 s, and some lists are closed only by the second way that is tried.
_TAKING_BACK = 1.5
#: Reasons of `NotInteractable` that may pass by themselves.
_PASSING = frozenset(
    {
        "disabled",
        "inert",
        "invisible",
        "moving",
        "no size",
        "no such option",
        "not displayed",
        "off screen",
        "pointer-events",
        "read-only",
    }
)


class Progress:
    """How far an action has come, for whoever runs its plan, and what that one has seen.

    Attributes:
        observer: of the action; None before there is one, and without a receipt.
        seen: what the observer has told the runner, while the page settled; empty when it was not asked.
        resting: a pause between two attempts begins (True) or is over (False); None in an attempt.
        acting: the element was found, and is being acted on.
    """

    observer: Observer | None = None
    seen: Sequence[Any] = ()
    resting: bool | None = None
    acting: bool = False

    def mark(self, step: str) -> None:
        """A step is done."""


def check_wait(wait: Any) -> float:
    """How many seconds an action may wait for its element.

    Args:
        wait: True (as long as the deadline allows), False (not at all), or seconds.

    Raises:
        TypeError, ValueError: the argument is none of these.
    """
    if isinstance(wait, bool):
        return math.inf if wait else 0.0
    if not isinstance(wait, int | float):
        raise TypeError(f"expected wait=True, False or a number of seconds, got {wait!r:.60}")
    if not wait >= 0:
        raise ValueError(f"expected wait=True, False or a number of seconds from 0 on, got {wait!r}")
    return float(wait)


def may_pass(error: HybridsnapError) -> bool:
    """Whether time alone may mend a refusal, and nothing was done yet."""
    if isinstance(error, SelectorError):
        return error.reason in {"nothing", "frame"}
    if not isinstance(error, ActionError) or error.partial:
        return False
    if isinstance(error, NotInteractable):
        return error.reason in _PASSING
    # A bare ActionError of an attempt says that the page is going elsewhere all the time.
    return isinstance(error, ElementCovered) or type(error) is ActionError


class Leftover(Protocol):
    """What a refused attempt leaves in the page, where the next one goes on from it."""

    def behind(self, earlier: Any) -> Leftover:
        """All that is left, where an earlier attempt of the same action left something, too."""
        ...

    def take_back(self, error: ActionError) -> Plan[None]:
        """Put the page back, and have the last refusal say what is left all the same."""
        ...


#: Under this name an error keeps what its attempt has left, until the error is raised to the caller.
_LEFT = "_leftover"


def leave(error: ActionError, leftover: Leftover) -> None:
    """Have a refusal say what its attempt leaves in the page."""
    vars(error)[_LEFT] = leftover


class UntilReady:
    """How long one action waits for its element, and what that came to.

    Args:
        resolver: of the page; it forgets what it knew between two attempts.
        wait: seconds; 0 tries once.
        progress: told when an attempt is over.
        whole: an attempt is all of the action, so that nothing of it has to last through a pause.
        looked_up: a selector names the element: when the element changes or goes in the midst of an attempt,
            the selector is looked up anew. An id means that very element, and is stale then.

    Attributes:
        waited: seconds from a first refusal to the last attempt, of all runs; 0 where every first attempt
            did.
        lacking: what the last refusal that passed was about, in a word or two.
    """

    def __init__(
        self,
        resolver: NodeResolver,
        wait: float,
        progress: Progress,
        *,
        whole: bool = True,
        looked_up: bool = False,
    ) -> None:
        self._resolver = resolver
        self._wait = wait
        self._progress = progress
        self._whole = whole
        self._looked_up = looked_up
        self.waited: float = 0.0
        self.lacking: str = ""

    def run(self, attempt: Callable[[], Plan[T]]) -> Plan[T]:
        """Make an attempt, and make it again as long as its refusal may pass.

        Raises:
            HybridsnapError: the last refusal; its message says how long was waited.
        """
        refused: ActionError | SelectorError | None = None
        left_behind: Leftover | None = None
        before, first, step = self.waited, 0.0, _FIRST
        while True:
            began = yield from clock()
            self.waited = before + (began.elapsed - first if refused else 0.0)
            try:
                return (yield from attempt())
            except (ActionError, SelectorError) as error:
                now = yield from clock()
                first = first if refused else now.elapsed
                self.waited = before + now.elapsed - first
                took = now.elapsed - began.elapsed
                changed = self._looked_up and isinstance(error, StaleElement) and not error.partial
                found: Leftover | None = vars(error).pop(_LEFT, None)
                if found is not None:
                    left_behind = found if left_behind is None else found.behind(left_behind)
                kept = max(_RESERVE, took) + (_TAKING_BACK if left_behind is not None else 0.0)
                left = min(self._wait - self.waited, now.remaining - kept)
                if not (changed or may_pass(error)) or left <= 0:
                    if left_behind is not None and isinstance(error, ActionError):
                        yield from left_behind.take_back(error)
                    if refused:
                        self._tell(error)
                    raise
                refused, self.lacking = error, _lacking(error)
            except CommandUnanswered as error:
                if refused is None or (self._progress.acting and not error.nothing_done):
                    raise
                if left_behind is not None and isinstance(refused, ActionError):
                    refused.partial = True  # the deadline leaves no time to undo it
                self._tell(refused)
                raise refused from None  # the time was up while it was looked for, or aimed at, once more
            yield from self._rest(min(max(step, min(took * _SHARE, _MOST)), left))
            step = min(step * _GROWTH, _LONGEST)

    @property
    def words(self) -> str:
        """For a receipt: ``waited 1.2 s (disabled)``; empty when nothing was waited for."""
        return f"waited {self.waited:.1f} s ({self.lacking})" if self.lacking else ""

    def _rest(self, seconds: float) -> Plan[None]:
        if not self._whole:
            yield from pause(seconds)
            return
        yield from send_cleanups()
        self._resolver.forget()
        self._progress.acting, self._progress.resting = False, True
        yield from yield_to_runner()
        yield from pause(seconds)
        self._progress.resting = False
        yield from yield_to_runner()
        self._progress.resting = None

    def _tell(self, error: ActionError | SelectorError) -> None:
        error.waited = round(self.waited, 3)
        error.args = (f"{error.message} (waited {self.waited:.1f} s)", *error.args[1:])


def _lacking(error: ActionError | SelectorError) -> str:
    if isinstance(error, NotInteractable):
        return error.reason
    if isinstance(error, ElementCovered | StaleElement):
        return "covered" if isinstance(error, ElementCovered) else "changed meanwhile"
    return "nothing matched" if isinstance(error, SelectorError) else "the page was going elsewhere"
