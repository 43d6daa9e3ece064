"""Proving that an element is what was shown, before anything is done to it.

What an id is bound to is held against the page::

    Page.getFrameTree  Page.createIsolatedWorld  DOM.resolveNode    its document, and a handle on the node
    Runtime.callFunctionOn  getPartialAXTree  Page.getFrameTree     what it is, in the same document

Two round trips, once the isolated world of the frame is known. What the action needs to know of the element
beside that is asked in the second (`hybridsnap.act.piggyback`). The frame tree is read twice because
the frame may have moved to another process in between, where the same backend node id is another node. After
that only the handle is used: it can never refer to another node. What is compared: role and name, the
link target, the kind of control, and, where other elements have the same role and name, the text around it
(`hybridsnap.act.context`).
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, TypeGuard

from hybridsnap.act.element import Element, clip, describe, said_beside
from hybridsnap.act.element_facts import (
    Facts,
    ask_facts,
    describe_new_context,
    find_difference,
    stands_where_it_was,
)
from hybridsnap.act.identity import (
    Identity,
    identity_in,
    is_made_of,
    is_same,
    read_texts,
    still_says,
)
from hybridsnap.act.refusals import name_node
from hybridsnap.act.remote_call import read_result
from hybridsnap.act.suggestions import find_successors
from hybridsnap.capture.node_resolver import NodeRef
from hybridsnap.capture.roles import STRUCTURAL_ROLES
from hybridsnap.errors import StaleElement, UnknownElement
from hybridsnap.injected import script
from hybridsnap.protocol.commands import (
    call_function,
    get_ax_node,
    get_frame_owner,
    get_frame_tree,
)
from hybridsnap.protocol.plan import Failure, Reply, gather_outcomes, unless_refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.act.piggyback import Piggyback
    from hybridsnap.act.shown_rows import ShownElement
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.errors import HybridsnapError
    from hybridsnap.model import StaleReason
    from hybridsnap.protocol.plan import Outcome, Plan

_BEHIND = script("behind")
#: A doctype and a shadow root have ids, and are nothing that could be acted on.
NO_ELEMENTS = (10, 11)


class IdVerifier:
    """One id on its way to its element."""

    def __init__(self, resolver: NodeResolver, history: ElementHistory, binding: ShownElement) -> None:
        self.resolver = resolver
        self.history = history
        self.binding = binding

    def run(self, along: Sequence[Piggyback] = ()) -> Plan[Element]:
        """The element, when it is what was shown.

        Args:
            along: what is asked of the node at the same time.

        Raises:
            StaleElement: it is gone, or something else.
            CommandRefused: nothing is missing, and yet the browser will not have it just now.
        """
        resolver, binding = self.resolver, self.binding
        session = yield from resolver.session_with(binding.frame)
        if session is None:
            raise (yield from self._lost(None))
        node = NodeRef(session, binding.frame, binding.backend_node_id)
        held = yield from resolver.hold_in(node, binding.loader)
        if held is not None:
            return (yield from self.check(held, along))
        tree, world = yield from resolver.look_around(session, binding.frame)
        if not self._is_bound(tree):
            raise (yield from self._lost(tree))
        if not isinstance(world, Reply):
            raise (yield from self._lost(world))
        place = yield from resolver.held(node)
        if place is None:
            raise (yield from self._lost(None))
        return (yield from self.check(place, along))

    def check(self, place: NodeRef, along: Sequence[Piggyback] = ()) -> Plan[Element]:
        """The element at a place, when it is what was shown; before each press that is tried again, too.

        What stands in the page is read first, and kept for the guards; then the browser is asked for role and
        name, and last for the document: a change between the three shows in a later one.

        Args:
            place: of the node, with a handle.
            along: what is asked of the node at the same time.

        Raises:
            StaleElement: it is gone, or something else.
        """
        resolver, binding = self.resolver, self.binding
        read, ax, tree = yield from ask_what_it_is(resolver, place, binding, along)
        if not self._is_bound(tree):
            raise (yield from self._lost(tree))
        if not isinstance(read, Reply):
            raise (yield from self._lost(read))
        facts = read_result(read, Facts)
        if not facts.kind:
            raise (yield from self._lost(None))
        if facts.kind in NO_ELEMENTS:
            raise UnknownElement(
                f"{binding.id} is not an element: a document type or a shadow root; name what it holds",
                element_id=binding.id,
            )
        told = unless_refused(ax)
        now = Identity("", "") if told is None else identity_in(told)  # refused: its frame is not displayed
        if not (yield from self._is_what_it_was(place, now)):
            raise (yield from self._changed(place, now))
        if binding.too_old:
            words = "was shown too long ago to tell it from others of its name"
            raise (yield from self._stale("identity changed", words))
        difference = find_difference(binding, facts)
        if not difference and not (
            yield from stands_where_it_was(resolver, self.history, place, binding, facts)
        ):
            difference = describe_new_context(binding, facts)
        if difference:
            raise (yield from self._stale("identity changed", difference))
        return Element(
            binding.id, place, now.role or binding.role or "", now.name or binding.name, self.check
        )

    def _is_bound(self, tree: Outcome[Any]) -> TypeGuard[Reply[Any]]:
        """Whether the frame is there, with the document that was shown."""
        return isinstance(tree, Reply) and any(
            one.id == self.binding.frame and one.loader_id == self.binding.loader
            for one in tree.value.frames()
        )

    def _is_what_it_was(self, place: NodeRef, now: Identity) -> Plan[bool]:
        binding = self.binding
        if binding.role is None:
            return True
        same = is_same(binding.role, binding.name, now)
        if same or not (same is None or (binding.named_by_text and not now.name)):
            return bool(same)
        # The browser calls it nothing (any more): because it is hidden, or because its name was its texts'.
        by_text = binding.named_by_text
        if (yield from still_says(self.resolver, place, binding.name, by_text=by_text)):
            return True
        roles = {binding.role, now.role or "none"}
        if not by_text or not (len(roles) == 1 or roles <= STRUCTURAL_ROLES):
            return False
        texts = yield from read_texts(self.resolver, place)  # without those that are hidden
        return texts is not None and is_made_of(binding.name, texts)

    def _changed(self, place: NodeRef, now: Identity) -> Plan[StaleElement]:
        if now.role:
            return (yield from self._stale("identity changed", f"is now {describe(now.role, now.name)}"))
        words = "is now left out of the accessibility tree"
        resolver = self.resolver
        ask = call_function(
            resolver.id_of(place.session), _BEHIND, {"objectId": place.object_id}, (), resolver.group
        )
        (outcome,) = yield from gather_outcomes(ask)
        told = unless_refused(outcome)
        dialog = None if told is None or told.exception_details else told.result.object_id
        named = None if dialog is None else (yield from name_node(resolver, place, dialog))
        if named is not None:
            words += f", behind {describe(*named[1:])} [{named[0]}]; close that first"
        return (yield from self._stale("identity changed", words))

    def _lost(self, outcome: Outcome[Any] | None) -> Plan[HybridsnapError]:
        """Why it cannot be reached; where nothing is missing, what was received instead of an answer."""
        reason = yield from self._reason()
        if reason is None and isinstance(outcome, Failure):
            return outcome.error
        words = {
            "navigated": "is gone: its frame has gone on to another document",
            "frame gone": "is gone: its frame is not in the page any more",
            "detached": "is gone: it has been taken out of its document",
        }
        return (yield from self._stale(reason or "detached", words[reason or "detached"]))

    def _reason(self) -> Plan[StaleReason | None]:
        """What has become of the frame; None when it is as it was."""
        resolver, frame = self.resolver, self.binding.frame
        sessions = range(len(resolver.sessions))
        outcomes = yield from gather_outcomes(*(get_frame_tree(resolver.id_of(one)) for one in sessions))
        unless_refused(outcomes[0])  # without an answer of the page nothing is known
        if any(self._is_bound(tree) for tree in outcomes):
            return None
        trees = [tree.value.frames() for tree in outcomes if isinstance(tree, Reply)]
        if any(one.id == frame for frames in trees for one in frames):
            return "navigated"
        # Out of the processes that are known: gone, or gone on to one that is not.
        owners = yield from gather_outcomes(
            *(get_frame_owner(resolver.id_of(one), frame) for one in sessions)
        )
        return "navigated" if any(isinstance(one, Reply) for one in owners) else "frame gone"

    def _stale(self, reason: StaleReason, words: str) -> Plan[StaleElement]:
        binding = self.binding
        successors, has_others = yield from find_successors(self.resolver, self.history, binding)
        was = describe(binding.role or "", binding.name)
        seen_in = "" if binding.snapshot_id is None else f" of snapshot {binding.snapshot_id}"
        named = ", ".join(f"{one.id} {describe(one.role, one.name)}{said_beside(one)}" for one in successors)
        if named:
            words += f"; likely meant: {named}"
        elif has_others is not None and reason != "identity changed":
            words += f"; {'others like it are' if has_others else 'nothing like it is'} there"
            if binding.context is not None and binding.context.telling:
                none = ", but none" if has_others else ""
                words += f'{none} beside "{clip(binding.context.telling)}"'
        return StaleElement(
            f"{binding.id} ({was}){seen_in} {words}; take a new snapshot",
            element_id=binding.id,
            reason=reason,
            snapshot_id=binding.snapshot_id,
            description=was,
            successors=successors,
        )


def ask_what_it_is(
    resolver: NodeResolver, place: NodeRef, binding: ShownElement | None, along: Sequence[Piggyback]
) -> Plan[list[Outcome[Any]]]:
    """What came of the three commands that tell what a node is: `Facts`, accessibility, frame tree."""
    own = resolver.id_of(place.session)
    sent = [one.commands(place) for one in along]
    facts, *others = yield from gather_outcomes(
        ask_facts(resolver, place, binding),
        *itertools.chain(*sent),
        get_ax_node(own, {"objectId": place.object_id}),
        get_frame_tree(own),
    )
    for one, some in zip(along, sent, strict=True):
        one.take(others[: len(some)])
        del others[: len(some)]
    return [facts, *others]
