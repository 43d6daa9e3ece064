"""Looking for elements in a page whose documents come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, TypeVar

from hybridsnap.act.naming import resolve_element
from hybridsnap.act.readiness import Progress, UntilReady
from hybridsnap.act.refusals import is_gone
from hybridsnap.errors import ActionError, CommandRefused, TargetDetached
from hybridsnap.protocol.plan import pause

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.act.element import Element
    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.act.piggyback import Piggyback
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Plan

T = TypeVar("T")

#: How often something is looked for in a page whose documents are just being replaced. A new document has its
#: frame tree, its world and its nodes within a few ms of each other; on a busy machine it takes longer.
_TRIES = 5
#: Seconds before it is looked for again; twice as long each time, 0.3 s in all.
_BREATH = 0.02
#: Chromium's words for a frame that is just going elsewhere, beside those for a document that is gone.
_FRAME_GOES = ("No frame", "Frame with the given", "Frame not found")


class ElementQuery(TypedDict, total=False):
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


def found_element(
    resolver: NodeResolver,
    history: ElementHistory,
    element: str | None,
    naming: ElementQuery,
    wait: float = 0.0,
    along: Sequence[Piggyback] = (),
) -> Plan[tuple[Element, int]]:
    """The element that is named, and how often it was looked for again while documents came and went.

    Args:
        resolver: of the page.
        history: of the page.
        element: id, ref or selector.
        naming: the rest of its name.
        wait: seconds to wait for what a selector is to match.
        along: what is asked together with the element's identity.

    Raises:
        StaleElement, UnknownElement, SelectorError: as `resolve_element`.
        ActionError: the page is going elsewhere all the time.
    """

    def look() -> Plan[tuple[Element, int]]:
        return (
            yield from try_again(
                resolver, lambda: resolve_element(resolver, history, element, **naming, along=along)
            )
        )

    return (yield from UntilReady(resolver, wait, Progress()).run(look))


def try_again(resolver: NodeResolver, look: Callable[[], Plan[T]]) -> Plan[tuple[T, int]]:
    """Look for something in the page, anew as long as documents and frames come and go meanwhile.

    Args:
        resolver: of the page; it forgets what it knew.
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
            if error.session in (None, resolver.id_of(0)):
                raise  # the page itself
            if last:
                raise _going_elsewhere() from error
        resolver.forget()
        yield from pause(_BREATH * 2**attempt)
    raise AssertionError("the last try returns or raises")


def _going_elsewhere() -> ActionError:
    return ActionError(
        "nothing was done: the page, or a frame of it, is just going elsewhere; wait until it has settled",
        element_id=None,
    )
