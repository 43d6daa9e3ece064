"""What is held against a node of the live page, beside its role and name, before anything is done to it.

One call on the node (`hybridsnap.injected.proof`) reads where it leads, what kind of control it is, and what
stands beside it. The call also leaves a proof in the isolated world: the guard over a press asks it again in
the very turn in which the page would get the press.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from hybridsnap.act.element import clip
from hybridsnap.act.remote_call import call_on
from hybridsnap.injected import script

if TYPE_CHECKING:
    from hybridsnap.act.shown_rows import ShownElement
    from hybridsnap.capture.node_resolver import NodeRef, NodeResolver
    from hybridsnap.protocol.plan import Command
    from hybridsnap.protocol.replies import CallResult


class Facts(msgspec.Struct):
    """What a node of the live page is.

    Attributes:
        kind: its ``nodeType``; 0 when it is not in its frame's document.
        url: of the link that it is, or is in.
        type: of an input or a button.
        action: of the form that it submits, as written.
        before: texts before it in its context; None stands for an element that looks like it.
        behind: likewise.
    """

    kind: int
    url: str | None = None
    type: str | None = None
    action: str | None = None
    before: list[str | None] = []
    behind: list[str | None] = []


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
            "alone": context is None,
            "named": binding is None or bool(binding.name),
        },
    )


def find_difference(binding: ShownElement, facts: Facts) -> str:
    """What differs from what was shown, in words that follow "it"; empty when nothing does.

    Args:
        binding: what was shown.
        facts: what is there now.
    """
    shown = binding.control
    if binding.url is not None and facts.url is not None and facts.url != binding.url:
        return f"leads elsewhere now ({clip(facts.url)}, not {clip(binding.url)})"
    if shown is not None and facts.type is not None and facts.type != shown.type:
        return f"is of another type now ({facts.type}, not {shown.type})"
    if shown is not None and shown.action is not None and facts.action not in (None, shown.action):
        return f"sends its form elsewhere now ({clip(facts.action or '')}, not {clip(shown.action)})"
    context = binding.context
    if context is not None and not context.holds(facts.before, facts.behind):
        label = clip(context.label)
        said = (clip(one) for one in (*facts.before, *facts.behind) if one)
        other = next((one for one in said if one != label), "")
        now = f', and stands beside "{other}" now' if other else ""
        return f'was shown beside "{label}"{now}'
    return ""
