"""Asking a frame something on the side, without a plan, and without waiting for the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.errors import HybridsnapError
from hybridsnap.protocol.commands import call_function, create_isolated_world
from hybridsnap.protocol.replies import CallResult, IsolatedWorld

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.client.connection import Session
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.codec import Payload


class BackgroundCall:
    """A function called in a frame's isolated world, whose answer is not awaited by itself.

    Attributes:
        answered: something came, be it an error.
        value: what it returned; None with an error.
    """

    def __init__(
        self,
        session: Session,
        frame: FrameId | None,
        function: str,
        arguments: Sequence[Any],
        notify: Callable[[], None],
        *,
        world: int | None = None,
    ) -> None:
        self._session = session
        self._frame = frame
        self._function = function
        self._arguments = arguments
        self._notify = notify
        self._open: int | None = None
        self._world = world
        self.answered: bool = False
        self.value: Any = None
        self._ask()

    def _ask(self) -> None:
        """Call the function; ask for the world first, where that is not known."""
        if self._world is None:
            assert self._frame is not None, "without a frame the world is given"
            creating = create_isolated_world(self._session.id, self._frame)
            self._open = self._session.post(creating.method, creating.params, self._made)
            return
        on = {"executionContextId": self._world}
        given = [{"value": one} for one in self._arguments]
        command = call_function(self._session.id, self._function, on, given, "", by_value=True)
        self._open = self._session.post(
            command.method, {**command.params, "awaitPromise": True}, self._answer
        )

    def forget(self) -> None:
        """The answer is no longer wanted."""
        if self._open is not None:
            self._session.connection.forget(self._open)

    def _made(self, reply: Payload | HybridsnapError) -> None:
        self._open = None
        if isinstance(reply, HybridsnapError):
            self._answer(reply)
            return
        self._world = reply.result(IsolatedWorld).execution_context_id
        self._ask()

    def _answer(self, reply: Payload | HybridsnapError) -> None:
        self._open = None
        self.answered = True
        if not isinstance(reply, HybridsnapError):
            self.value = reply.result(CallResult).result.value
        self._notify()
