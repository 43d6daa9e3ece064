"""What is held against a node of the live page, beside its role and name, before anything is done to it.

One call on the node (`injected/proof.js`) reads where it leads, what kind of control it is, and what
stands beside it. The call also leaves a proof in the isolated world: the guard over a press asks it again in
the very turn in which the page would get the press.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from hybridsnap.act.element import clip
from hybridsnap.act.nearby_texts import texts_beside, without_options
from hybridsnap.act.remote_call import call_on
from hybridsnap.act.structure import PartStructure
from hybridsnap.capture.ax import build_hierarchical_tree
from hybridsnap.capture.dom import build_session_dom_index
from hybridsnap.capture.element_ids import split_id
from hybridsnap.capture.partial_ax import cut_ax_tree
from hybridsnap.capture.roles import CLICKABLE
from hybridsnap.injected import script
from hybridsnap.protocol.ax_tree import AXTree
from hybridsnap.protocol.commands import describe_node, get_full_ax_tree
from hybridsnap.protocol.plan import all_unless_refused, gather_outcomes, unless_refused

if TYPE_CHECKING:
    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.act.shown_rows import ShownElement
    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.model import FrameId, SessionId
    from hybridsnap.protocol.plan import Command, Outcome, Plan
    from hybridsnap.protocol.replies import CallResult

#: So many characters of an address Chromium's accessibility tree has (measured).
_MOST_OF_URL = 10_000


class Facts(msgspec.Struct):
    """What a node of the live page is.

    Attributes:
        kind: its ``nodeType``; 0 when it is not in its frame's document.
        url: of the link that it is, or is in.
        type: of an input or a button.
        action: of the form that it submits, as written.
        before: texts before it in its context; None stands for an element that looks like it.
        behind: likewise.
        entered: an action has typed what a field of the context holds now; only where values count as texts.
    """

    kind: int
    url: str | None = None
    type: str | None = None
    action: str | None = None
    before: list[str | None] = []
    behind: list[str | None] = []
    entered: bool = False


def ask_facts(resolver: NodeResolver, place: NodeRef, binding: ShownElement | None) -> Command[CallResult]:
    """The command that reads `Facts`, and leaves the proof that a guard asks for.

    Args:
        resolver: of the page.
        place: of the node, with a handle.
        binding: what it was shown as; None when it is only being found.
    """
    context = None if binding is None else binding.context
    return call_on(
        resolver,
        place,
        script("proof"),
        {
            "level": -1 if context is None else context.level,
            "keys": [] if context is None else context.keys,
            "alone": context is None or context.is_only,
            "named": binding is None or bool(binding.name),
            "taken": [] if context is None else context.taken_values,
            "values": context is not None and context.of_values,
        },
    )


def find_difference(binding: ShownElement, facts: Facts) -> str:
    """What differs of the element itself, in words that follow "it"; empty when nothing does.

    Args:
        binding: what was shown.
        facts: what is there now.
    """
    shown = binding.control
    if binding.url is not None and facts.url is not None and facts.url[:_MOST_OF_URL] != binding.url:
        return f"leads elsewhere now ({clip(facts.url)}, not {clip(binding.url)})"
    if shown is not None and None not in (facts.type, shown.type) and facts.type != shown.type:
        return f"is of another type now ({facts.type}, not {shown.type})"
    if shown is not None and shown.action is not None and facts.action not in (None, shown.action):
        return f"sends its form elsewhere now ({clip(facts.action or '')}, not {clip(shown.action)})"
    return ""


def stands_where_it_was(
    resolver: NodeResolver, history: ElementHistory, place: NodeRef, binding: ShownElement, facts: Facts
) -> Plan[bool]:
    """Whether an element's context still is what it was.

    Script cannot read all that accessibility says: pseudo-elements, titles of pictures, what a closed shadow
    root holds, a button's default label. Where the context is not found as script reads it, it is read as the
    snapshot read it.

    Args:
        resolver: of the page.
        history: which rows were shown with it.
        place: of the node, with a handle.
        binding: what was shown.
        facts: what script has read.
    """
    context = binding.context
    if context is None or context.holds(facts.before, facts.behind):
        return True
    if context.of_values:
        # Who chooses another month in a calendar's header gets its days.
        return facts.entered and not context.is_only
    ask = call_on(resolver, place, script("element_above"), context.level, by_value=False)
    (top,) = yield from gather_outcomes(ask)
    handle = unless_refused(top)
    if handle is None or handle.result.object_id is None:
        return False
    tree = yield from _read_part(resolver.id_of(place.session), place.frame, handle.result.object_id)
    if tree is None:
        return False
    # Tags, and what script makes clickable, only the DOM tells: what has come since may be as the element is.
    shown = {row.id: row for row in history.rows_around(binding)}
    clickable = {split_id(id_)[1] for id_, row in shown.items() if id_ and CLICKABLE in row.states}
    clickable.add(binding.backend_node_id)
    found = build_hierarchical_tree(tree, None, split_id(binding.id)[0], clickable=frozenset(clickable)).rows
    like = {} if (own_row := shown.get(binding.id)) is None else {own_row.role: own_row}
    rows = [
        row if (one := shown.get(row.id) or like.get(row.role)) is None else structs.replace(row, tag=one.tag)
        for row in found
    ]
    own_now = next((row for row in rows if row.id == binding.id), None)
    if own_now is None:
        return False
    beside = without_options(rows, own_now)
    at = beside.index(own_now)
    return context.holds(*texts_beside(beside, at, PartStructure(tree), inside=not context.level))


def _read_part(session: SessionId | None, frame: FrameId, object_id: str) -> Plan[AXTree | None]:
    """The accessibility tree of an element and all below it; None when it cannot be read."""
    outcomes: list[Outcome[Any]] = yield from gather_outcomes(
        describe_node(session, {"objectId": object_id}, depth=-1), get_full_ax_tree(session, frame)
    )
    both = all_unless_refused(outcomes)
    if both is None:
        return None
    top, whole = both
    part = cut_ax_tree(whole, build_session_dom_index(top), 0).nodes
    # The tree has nothing of spans and of what has no role; then the root of the part stands for the element.
    has_top = len(part) > 1 and part[1].backend_node_id == top.backend_node_id
    return AXTree(part[1:] if has_top else part)


def describe_new_context(binding: ShownElement, facts: Facts) -> str:
    """That an element has another context than it was shown in, in words that follow "it"."""
    said = [one for one in (*facts.before, *facts.behind) if one]
    label, other = ("", "") if binding.context is None else binding.context.difference(said)
    now = f', and stands beside "{clip(other)}" now' if other else ""
    return f'was shown beside "{clip(label)}"{now}'
