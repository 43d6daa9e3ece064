"""Commands that are sent along with the check of an element's identity, and so cost no round trip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from hybridsnap.protocol.plan import gather_outcomes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.node_resolver import NodeRef
    from hybridsnap.protocol.plan import Command, Outcome, Plan


class Piggyback(Protocol):
    """Something to ask of a node whose identity is checked at the same time.

    It must not do anything to the page that counts: the node may turn out not to be the one that was meant.
    Then what the commands owe (`Command.cleanup`) takes their effects back.
    """

    def commands(self, place: NodeRef) -> list[Command[Any]]:
        """What to send. ``place``: of the node, with a handle."""
        ...  # pragma: no cover - a protocol

    def take(self, outcomes: Sequence[Outcome[Any]]) -> None:
        """What came of these commands, in their order."""
        ...  # pragma: no cover - a protocol


def gather_along(
    check: Sequence[Command[Any]], place: NodeRef, along: Sequence[Piggyback]
) -> Plan[list[Outcome[Any]]]:
    """Send commands, with those of others behind the first.

    Args:
        check: at least one.
        place: of the node that they are about, with a handle.
        along: get the outcomes of their own.

    Returns:
        What came of `check`.
    """
    sent = [one.commands(place) for one in along]
    outcomes = yield from gather_outcomes(check[0], *(one for some in sent for one in some), *check[1:])
    at = 1
    for one, some in zip(along, sent, strict=True):
        one.take(outcomes[at : at + len(some)])
        at += len(some)
    return [outcomes[0], *outcomes[at:]]
