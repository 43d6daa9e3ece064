"""One action, from the name of an element to the observed effect: resolve, watch, act, settle, look.

The first three are repeated while the element cannot be acted on yet (`hybridsnap.act.readiness`).
Between acting and looking whoever runs the plan has its turn (`hybridsnap.protocol.plan.yield_to_runner`): a
client that receives events waits there until the page has settled. Without events, the plan waits a moment.
Handles and observers are not let go of here: whoever runs the plan owes that, and nobody waits for it.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Generic, TypeVar

from hybridsnap.act.element import describe
from hybridsnap.act.finding import found_element, try_again
from hybridsnap.act.naming import is_selector, name_id, name_place, resolve_element
from hybridsnap.act.observer import Observations, Observer
from hybridsnap.act.readiness import UntilReady
from hybridsnap.act.receipt import Invalid
from hybridsnap.act.refusals import IF_SAID_ELSEWHERE, blame_frame, is_gone
from hybridsnap.act.suggestions import said_elsewhere
from hybridsnap.errors import (
    CommandRefused,
    ElementCovered,
    HybridsnapError,
    NotInteractable,
    StaleElement,
    TargetDetached,
    UnknownElement,
)
from hybridsnap.model import ElementId
from hybridsnap.protocol.plan import pause, yield_to_runner

if TYPE_CHECKING:
    from hybridsnap.act.actions.spec import ActionCall, ActionContext
    from hybridsnap.act.element import Element
    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.act.readiness import Progress
    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.protocol.plan import Plan

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True)
class Performed(Generic[T]):
    """An action that was done.

    Attributes:
        element: that it was done to; None for one on the page.
        result: what the action itself returns.
        seen: what was seen of it from within the page.
        retries: how often the element was looked for again.
        waited: what was waited for: ``waited 1.2 s (disabled)``; empty when the element was ready.
    """

    element: Element | None
    result: T
    seen: Observations
    retries: int = 0
    waited: str = ""


def perform(
    call: ActionCall[T], context: ActionContext, *, progress: Progress, quiet: float = 0.0
) -> Plan[Performed[T]]:
    """Do an action, to its element as soon as that can be done, or to the page.

    Args:
        call: the action with its arguments.
        context: of the page.
        progress: told how far it has come.
        quiet: seconds to wait before looking, where no events are received.
    """
    run = _Run(call, context, progress, quiet)
    return (yield from (run.on_element() if call.names_element else run.on_page()))


def read_element(call: ActionCall[T], context: ActionContext) -> Plan[T]:
    """Do an action that only reads: its answer."""
    early = call.early(context)
    found, _ = yield from found_element(
        context.resolver,
        context.history,
        call.element,
        call.naming,
        call.wait,
        along=() if early is None else (early,),
    )
    context = dataclasses.replace(context, early=early)
    with blame_frame(found, "read"):
        return (yield from call.act(context, found))


class _Run(Generic[T]):
    """One action on its way. Its methods are plans."""

    def __init__(self, call: ActionCall[T], context: ActionContext, progress: Progress, quiet: float) -> None:
        self._call = call
        self._context = context
        self._resolver = context.resolver
        self._history = context.history
        self._progress = progress
        self._quiet = quiet
        self._ready = UntilReady(
            context.resolver,
            call.wait,
            progress,
            whole=call.names_element,
            looked_up=is_selector(call.element),
        )
        #: Of the last attempt; None where nothing is watched.
        self._observer: Observer | None = None

    def on_element(self) -> Plan[Performed[T]]:
        resolver, history = self._resolver, self._history
        performed = yield from self._ready.run(self._attempt)
        told = any(change.what == "text" for change in performed.seen.changes)
        if told and performed.element and performed.seen.dom_changes is not None and not performed.seen.gone:
            # Only what the receipt tells counts as seen: a name that changed beside it makes the id stale.
            place = yield from resolver.held(dataclasses.replace(performed.element.place, object_id=None))
            if place is not None:
                yield from name_place(resolver, history, place)
        self._progress.mark("look")
        return dataclasses.replace(performed, waited=self._ready.words)

    def on_page(self) -> Plan[Performed[T]]:
        place, retries = yield from try_again(self._resolver, self._look_around)
        acting = self._call.act(dataclasses.replace(self._context, ready=self._ready, place=place), None)
        performed = yield from self._watched(None, acting)
        self._progress.mark("look")
        return dataclasses.replace(performed, retries=retries, waited=self._ready.words)

    def _attempt(self) -> Plan[Performed[T]]:
        (found, context), retries = yield from try_again(self._resolver, self._look)
        self._progress.acting = True
        try:
            performed = yield from self._watched(found, self._call.act(context, found))
        except ElementCovered as error:
            # "Act on that first", the message says: so its id must be known, though no snapshot has shown it.
            # It is asked for at the first refusal: at the last one there may be no time left.
            if error.cover_id:
                yield from _noted(self._resolver, self._history, ElementId(error.cover_id))
            raise
        except NotInteractable as error:
            # Options that only the accessibility tree has, as of Ant Design, stand beside what a person sees.
            if error.reason == "off screen" and (others := said_elsewhere(self._history, found)):
                words = f"{' or '.join(others)} says the same, act on that"
                error.args = (error.message.replace(IF_SAID_ELSEWHERE, words), *error.args[1:])
            raise
        except (StaleElement, TargetDetached, CommandRefused) as error:
            # It went while it was being acted on. Looked for once more, it is refused with its successors.
            if isinstance(error, TargetDetached) and found.place.session == 0:
                raise
            if isinstance(error, CommandRefused) and not is_gone(error):
                raise
            # One that was done in part says what was done: a successor is not to get it once more.
            if not isinstance(error, StaleElement) or not (error.successors or error.partial):
                self._resolver.forget()
                yield from resolve_element(self._resolver, self._history, found.id)
            raise
        return dataclasses.replace(performed, retries=retries)

    def _look(self) -> Plan[tuple[Element, ActionContext]]:
        """The element, proven, and under observation; the context with the action's first look at it."""
        early = self._call.early(self._context)
        self._observer = Observer(self._resolver) if self._call.receipt else None
        # The look first: while it waits for the next frames, the rest is done.
        along = [one for one in (early, self._observer) if one is not None]
        found = yield from resolve_element(
            self._resolver, self._history, self._call.element, **self._call.naming, along=along
        )
        self._progress.mark("resolve")
        if self._observer is not None:
            yield from self._observer.start(found.place)
        self._progress.mark("watch")
        return found, dataclasses.replace(self._context, early=early)

    def _look_around(self) -> Plan[NodeRef | None]:
        """Observe where the action will show: there."""
        place = yield from self._call.around(self._context)
        held = None if place is None else (yield from self._resolver.held(place))
        self._progress.mark("resolve")
        self._observer = Observer(self._resolver) if self._call.receipt else None
        if self._observer is not None:
            yield from self._observer.start(held)
        self._progress.mark("watch")
        return held

    def _watched(self, element: Element | None, acting: Plan[T]) -> Plan[Performed[T]]:
        resolver, history, observer = self._resolver, self._history, self._observer
        result = yield from acting
        self._progress.mark("act")
        receiver = getattr(result, "receiver", None)
        if receiver is not None:
            yield from _noted(resolver, history, receiver)
        if observer is None:
            return Performed(element, result, Observations())
        if element is not None and getattr(result, "hovered", False):
            yield from observer.opened()
        yield from pause(self._quiet)
        self._progress.observer, self._progress.seen = observer, ()
        yield from yield_to_runner()
        self._progress.mark("settle")
        seen = yield from observer.look(self._progress.seen)
        if seen.focus is not None and seen.focus[1]:
            # The receipt names it, so it can be acted on.
            yield from _noted(resolver, history, ElementId(seen.focus[1]))
        if seen.file_chooser:
            yield from _noted(resolver, history, ElementId(seen.file_chooser))
        if seen.invalid:
            named = yield from _named(resolver, history, seen.invalid)
            seen = dataclasses.replace(seen, invalid=named)
        return Performed(element, result, seen)


def _named(
    resolver: NodeResolver, history: ElementHistory, fields: tuple[Invalid, ...]
) -> Plan[tuple[Invalid, ...]]:
    """Fields in the words of the accessibility tree; their ids count as shown."""
    named = []
    for field in fields:
        found: Element | None = None
        if field.element_id:
            with contextlib.suppress(HybridsnapError):
                found = yield from name_id(resolver, history, ElementId(field.element_id))
        role, name = ("", "") if found is None else (found.role, found.name)
        named.append(Invalid(field.element_id, describe(role or "field", name or field.field), field.message))
    return tuple(named)


def _noted(resolver: NodeResolver, history: ElementHistory, id_: ElementId) -> Plan[None]:
    """An id that is about to be told counts as shown."""
    try:
        history.look_up(id_)
    except UnknownElement:
        with contextlib.suppress(HybridsnapError):
            yield from name_id(resolver, history, id_)
