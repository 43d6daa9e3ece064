"""One action, from the name of an element to what was seen of it: resolve, watch, act, settle, look.

Between acting and looking whoever runs the plan has its turn (`hybridsnap.protocol.plan.hold`): a client that
hears events waits there until the page has settled. Where there are no events, the plan lets a moment pass.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Generic, TypedDict, TypeVar

from hybridsnap.act.element import describe
from hybridsnap.act.naming import name_id, resolve_element
from hybridsnap.act.receipt import Invalid
from hybridsnap.act.refusals import is_gone
from hybridsnap.act.watch import Seen, Watch
from hybridsnap.errors import (
    ActionError,
    CommandRefused,
    ElementCovered,
    HybridsnapError,
    StaleElement,
    TargetDetached,
    UnknownElement,
)
from hybridsnap.model import ElementId
from hybridsnap.protocol.plan import hold, pause

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.act.bindings import Bindings
    from hybridsnap.act.element import Element
    from hybridsnap.capture.locating import Locator, Place
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.plan import Plan

T = TypeVar("T")

#: How often something is looked for in a page whose documents are just being replaced. A new document has its
#: frame tree, its world and its nodes within a few ms of each other; on a busy machine it takes longer.
_TRIES = 5
#: Seconds before it is looked for again; twice as long each time, 0.3 s in all.
_BREATH = 0.02
#: Chromium's words for a frame that is just going elsewhere, beside those for a document that is gone.
_FRAME_GOES = ("No frame", "Frame with the given", "Frame not found")


class Naming(TypedDict, total=False):
    """How an element is named, beside its id, ref or selector.

    Attributes:
        nth: which of a selector's matches, from 0.
        as_of: id of the snapshot in which an element id was read; the newest that showed it otherwise.
        backend_node_id: names the element by itself, without an id.
        frame: of that backend node id: its frame id or its ordinal; the main frame otherwise.
    """

    nth: int
    as_of: str | None
    backend_node_id: int | None
    frame: str | int | None


class Progress:
    """How far an action has come, for whoever runs its plan.

    Attributes:
        frame: that is acted in, once it is known; None for the page.
    """

    frame: FrameId | None = None

    def mark(self, step: str) -> None:
        """A step is done."""


@dataclasses.dataclass(frozen=True, slots=True)
class Performed(Generic[T]):
    """An action that was done.

    Attributes:
        element: that it was done to; None for one on the page.
        result: what the action itself returns.
        seen: what was seen of it from within the page.
        retries: how often the element was looked for again.
    """

    element: Element | None
    result: T
    seen: Seen
    retries: int


def found_element(
    locator: Locator, bindings: Bindings, element: str | None, naming: Naming
) -> Plan[tuple[Element, int]]:
    """The element that is named, and how often it was looked for again.

    Raises:
        StaleElement, UnknownElement, SelectorError: as `resolve_element`.
        ActionError: the page is going elsewhere all the time.
    """
    return (yield from try_again(locator, lambda: resolve_element(locator, bindings, element, **naming)))


def try_again(locator: Locator, look: Callable[[], Plan[T]]) -> Plan[tuple[T, int]]:
    """Look for something in the page, anew as long as documents and frames come and go meanwhile.

    Args:
        locator: of the page; it forgets what it knew.
        look: does nothing to the page.

    Returns:
        What was found, and how often it was looked for again.

    Raises:
        ActionError: the page is going elsewhere all the time.
        HybridsnapError: as `look`.
    """
    for attempt in range(_TRIES):
        last = attempt == _TRIES - 1
        try:
            return (yield from look()), attempt
        except CommandRefused as error:
            if last and (is_gone(error) or error.reason.startswith(_FRAME_GOES)):
                raise _going_elsewhere() from error
            if last:
                raise
        except TargetDetached as error:
            if error.session in (None, locator.id_of(0)):
                raise  # the page itself
            if last:
                raise _going_elsewhere() from error
        locator.forget()
        yield from pause(_BREATH * 2**attempt)
    raise AssertionError("the last try returns or raises")


def _going_elsewhere() -> ActionError:
    return ActionError(
        "nothing was done: the page, or a frame of it, is just going elsewhere; wait until it has settled",
        element_id=None,
    )


def perform_on_element(
    locator: Locator,
    bindings: Bindings,
    element: str | None,
    naming: Naming,
    act: Callable[[Element], Plan[T]],
    *,
    progress: Progress,
    quiet: float = 0.0,
) -> Plan[Performed[T]]:
    """Do something to an element.

    Args:
        locator: of the page; its handles are released in the end.
        bindings: of the page.
        element: id, ref or selector.
        naming: the rest of its name.
        act: what to do.
        progress: told how far it has come.
        quiet: seconds to let pass before looking, where nobody hears events.
    """

    def look() -> Plan[tuple[Element, Watch]]:
        found = yield from resolve_element(locator, bindings, element, **naming)
        progress.mark("resolve")
        return found, (yield from _watching(locator, found.place, progress))

    (found, watch), retries = yield from try_again(locator, look)
    try:
        performed = yield from _watched(locator, bindings, found, watch, act(found), progress, quiet)
    except ElementCovered as error:
        # "Act on that first", the message says: so its id must be known, though no snapshot has shown it.
        if error.cover_id:
            yield from _noted(locator, bindings, ElementId(error.cover_id))
            yield from locator.release()
        raise
    except (StaleElement, TargetDetached, CommandRefused) as error:
        # It went while it was being acted on. Looked for once more, it is refused with its successors.
        if isinstance(error, TargetDetached) and found.place.session == 0:
            raise
        if isinstance(error, CommandRefused) and not is_gone(error):
            raise
        if not isinstance(error, StaleElement) or not error.successors:
            locator.forget()
            yield from resolve_element(locator, bindings, found.id)
            yield from locator.release()
        raise
    told = any(change.what == "text" for change in performed.seen.changes)
    if told and performed.seen.dom_changes is not None and not performed.seen.gone:
        # Only what the receipt tells counts as seen: a name that changed beside it makes the id stale.
        yield from bindings.show_again(locator, found)
    yield from locator.release()
    progress.mark("look")
    return dataclasses.replace(performed, retries=retries)


def perform_on_page(
    locator: Locator,
    bindings: Bindings,
    around: Callable[[], Plan[Place | None]],
    act: Callable[[], Plan[T]],
    *,
    progress: Progress,
    quiet: float = 0.0,
) -> Plan[Performed[T]]:
    """Do something to the page.

    Args:
        locator: of the page; its handles are released in the end.
        bindings: of the page.
        around: where it will show: the element at a point, the element with the focus.
        act: what to do.
        progress: told how far it has come.
        quiet: as for `perform_on_element`.
    """

    def look() -> Plan[Watch]:
        place = yield from around()
        held = None if place is None else (yield from locator.held(place))
        progress.mark("resolve")
        return (yield from _watching(locator, held, progress))

    watch, retries = yield from try_again(locator, look)
    performed = yield from _watched(locator, bindings, None, watch, act(), progress, quiet)
    yield from locator.release()
    progress.mark("look")
    return dataclasses.replace(performed, retries=retries)


def _watching(locator: Locator, place: Place | None, progress: Progress) -> Plan[Watch]:
    progress.frame = None if place is None else place.frame
    watch = Watch(locator, place)
    yield from watch.start()
    progress.mark("watch")
    return watch


def _watched(
    locator: Locator,
    bindings: Bindings,
    element: Element | None,
    watch: Watch,
    acting: Plan[T],
    progress: Progress,
    quiet: float,
) -> Plan[Performed[T]]:
    try:
        result = yield from acting
    except Exception:
        yield from watch.stop()
        yield from locator.release()
        raise
    progress.mark("act")
    yield from pause(quiet)
    yield from hold()
    progress.mark("settle")
    seen = yield from watch.end()
    if seen.focus is not None and seen.focus[1]:
        # The receipt names it, so it can be acted on.
        yield from _noted(locator, bindings, ElementId(seen.focus[1]))
    if seen.file_chooser:
        yield from _noted(locator, bindings, ElementId(seen.file_chooser))
    if seen.invalid:
        named = yield from _named(locator, bindings, seen.invalid)
        seen = dataclasses.replace(seen, invalid=named)
    return Performed(element, result, seen, 0)


def _named(locator: Locator, bindings: Bindings, fields: tuple[Invalid, ...]) -> Plan[tuple[Invalid, ...]]:
    """Fields in the words of the accessibility tree; their ids count as shown."""
    named = []
    for field in fields:
        found: Element | None = None
        if field.element_id:
            with contextlib.suppress(HybridsnapError):
                found = yield from name_id(locator, bindings, ElementId(field.element_id))
        role, name = ("", "") if found is None else (found.role, found.name)
        named.append(Invalid(field.element_id, describe(role or "field", name or field.field), field.message))
    return tuple(named)


def _noted(locator: Locator, bindings: Bindings, id_: ElementId) -> Plan[None]:
    """An id that is about to be told counts as shown."""
    try:
        bindings.look_up(id_)
    except UnknownElement:
        with contextlib.suppress(HybridsnapError):
            yield from name_id(locator, bindings, id_)
