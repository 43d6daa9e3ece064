"""One websocket to each browser, shared by all who connect to it within one trio run.

Whoever asks for an endpoint while another is connecting to it waits for that one's websocket, which is closed
when the last of them is done. No user's task runs it (it is a system task of trio's), so none takes it along
with its own end.

The same endpoint is the same address as it was given, with the same headers, and the same wish to have it
opened again when it drops.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import logging
from typing import TYPE_CHECKING, TypeAlias

import trio

from hybridsnap.client.endpoint import SCHEMES, http_headers, parse_address, resolve_endpoint
from hybridsnap.client.websocket import open_websocket
from hybridsnap.client.wire import Wire
from hybridsnap.deadline import Deadline
from hybridsnap.errors import HybridsnapError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

_log = logging.getLogger("hybridsnap")

#: For a websocket to be opened, seconds; each user waits for as long as its own deadline allows.
_OPENING_SECONDS = 60.0
_Key: TypeAlias = tuple[str, tuple[tuple[bytes, bytes], ...], bool]


@dataclasses.dataclass(eq=False)
class SharedWire:
    """A wire with its users.

    Attributes:
        url: of the websocket.
        users: how many there are.
    """

    url: str = ""
    users: int = 0
    _wire: Wire | None = None
    _error: Exception | None = None
    _decided: trio.Event = dataclasses.field(default_factory=trio.Event)
    _scope: trio.CancelScope = dataclasses.field(default_factory=trio.CancelScope)
    _closed: trio.Event = dataclasses.field(default_factory=trio.Event)

    @property
    def wire(self) -> Wire:
        """The wire, once it is there."""
        assert self._wire is not None, "`shared_wire` waits for it"
        return self._wire

    @property
    def usable(self) -> bool:
        """Whether it can be shared by somebody else: it is being opened, or stands."""
        return self._error is None and (self._wire is None or self._wire.lost is self._wire.gap is None)

    async def serve(self, endpoint: str, headers: Mapping[str, str] | None, *, reconnect: bool) -> None:
        """Open it, and keep it until the last user is done. Raises nothing."""
        deadline = Deadline.after(_OPENING_SECONDS)
        try:
            with self._scope:
                self.url = await resolve_endpoint(endpoint, headers, deadline)
                reopen = functools.partial(open_websocket, self.url, headers)
                async with reopen(deadline) as transport:
                    self._wire = Wire(transport, reopen if reconnect else None)
                    self._decided.set()
                    await self._wire.run()
                    await trio.sleep_forever()  # until all of its users know
        except Exception as error:  # noqa: BLE001 - a system task must not raise: its users do
            if not isinstance(error, HybridsnapError):
                _log.exception("the connection to %s broke", endpoint)
            self._error = error
        finally:
            self._decided.set()
            self._closed.set()

    async def opened(self) -> None:
        """Wait until it is open.

        Raises:
            EndpointError: it cannot be opened.
        """
        await self._decided.wait()
        if self._wire is None and self._error is not None:
            raise copy.copy(self._error)

    async def close(self) -> None:
        """Close it; also when cancelled."""
        self._scope.cancel()
        with trio.CancelScope(shield=True):
            await self._closed.wait()


_open: trio.lowlevel.RunVar[dict[_Key, SharedWire]] = trio.lowlevel.RunVar("hybridsnap wires")


@contextlib.asynccontextmanager
async def shared_wire(
    endpoint: str, headers: Mapping[str, str] | None, deadline: Deadline, *, reconnect: bool
) -> AsyncIterator[SharedWire]:
    """The wire to a browser for the length of the block.

    Raises:
        EndpointError: it cannot be opened, or not in time.
    """
    address = parse_address(endpoint, SCHEMES)
    key = address.given, tuple(sorted(http_headers(address, headers))), reconnect
    try:
        known = _open.get()
    except LookupError:
        _open.set(known := {})
    shared = known.get(key)
    if shared is None or not shared.usable:
        shared = known[key] = SharedWire()
        serve = functools.partial(shared.serve, endpoint, headers, reconnect=reconnect)
        trio.lowlevel.spawn_system_task(serve)
    shared.users += 1
    try:
        with address.patience(deadline):
            await shared.opened()
        yield shared
    finally:
        shared.users -= 1
        if not shared.users:
            if known.get(key) is shared:
                del known[key]
            await shared.close()
