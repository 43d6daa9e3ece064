"""Commands that are sent along with the check of an element's identity, and so cost no round trip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.capture.node_resolver import NodeRef
    from hybridsnap.protocol.plan import Command, Outcome


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
