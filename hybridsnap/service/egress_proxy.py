"""The SOCKS proxy through which the browsers of a server connect.

A browser that the server launches reaches the network by way of a SOCKS proxy of the server's own, which
looks each name up itself, holds the addresses against the rules, and connects to one of those very addresses.
So redirects, frames, scripts, websockets and names that resolve otherwise the second time all meet the same
rules. In Chromium 156 (measured): names are handed to a SOCKS 5 proxy unresolved; this machine's own
addresses go around every proxy unless ``<-loopback>`` says otherwise; a refused connection shows as
``net::ERR_SOCKS_CONNECTION_FAILED``.

A browser that runs already has its own way out. There an address is checked before it is gone to, and what a
tab shows before it is handed out; what a page fetches by script, and a name that resolves otherwise the
second time, is not seen.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import struct
import time
from collections import deque
from typing import TYPE_CHECKING, Self

import trio

from hybridsnap.errors import NavigationFailed
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from hybridsnap.service.addresses import Address, AddressPolicy

_log = logging.getLogger("hybridsnap")

_VERSION = 5
_CONNECT = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_GRANTED, _FORBIDDEN, _UNREACHABLE, _REFUSED, _UNSUPPORTED = 0, 2, 4, 5, 7
#: RFC 1928, section 3: no acceptable way to authenticate.
_NO_WAY = 0xFF
_GREETING_SECONDS = 10.0
_CONNECT_SECONDS = 30.0
_PIECE = 64 * 1024
_REMEMBERED = 100


class EgressProxy:
    """The proxy, while it listens.

    Attributes:
        port: on 127.0.0.1.
        refused: when a host was refused, by `time.monotonic`, and which; the last of them.
    """

    def __init__(self, rules: AddressPolicy, port: int) -> None:
        self._rules = rules
        self.port = port
        self.refused: deque[tuple[float, ApiError]] = deque(maxlen=_REMEMBERED)

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, rules: AddressPolicy) -> AsyncIterator[Self]:
        """Listen for the length of the block."""
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        egress = cls(rules, listener.socket.getsockname()[1])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, egress.converse, [listener])
            try:
                yield egress
            finally:
                nursery.cancel_scope.cancel()

    @property
    def flags(self) -> tuple[str, ...]:
        """What sends a browser this way, and no other."""
        return (
            f"--proxy-server=socks5://127.0.0.1:{self.port}",
            "--proxy-bypass-list=<-loopback>",
            # Nothing is looked up by the browser, not even ahead of time.
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
            # Packets of WebRTC would go around the proxy. The second name is that of older versions.
            "--webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        )

    def refusal_since(self, moment: float) -> ApiError | None:
        """The last refusal after a moment of `time.monotonic`."""
        return next((one for when, one in reversed(self.refused) if when >= moment), None)

    async def converse(self, browser: trio.SocketStream) -> None:
        """Serve one connection. Whatever goes wrong in it, a bug even, ends it alone."""
        try:
            await self._converse(browser)
        except Exception:  # noqa: BLE001 - logged, and the server goes on
            _log.exception("a page's connection was given up")

    async def _converse(self, browser: trio.SocketStream) -> None:
        async with browser:
            # A page's connection that breaks is its own affair.
            with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError, _Ended):
                with trio.move_on_after(_GREETING_SECONDS) as patience:
                    host, port = await _greet(browser)
                if patience.cancelled_caught:
                    return
                remote = await self._connected(browser, host, port)
                if remote is not None:
                    async with remote:
                        await _relay(browser, remote)

    async def _connected(self, browser: trio.SocketStream, host: str, port: int) -> trio.SocketStream | None:
        """Connect to where the rules allow; None when the browser was told that it cannot be."""
        try:
            with trio.fail_after(_CONNECT_SECONDS):
                self._rules.judge_name(host, port)
                addresses = await self._rules.resolve(host)
                self._rules.judge(host, port, addresses)
                remote = await _first(addresses, port)
        except ApiError as refused:
            _log.info("a page's connection to %s:%d was refused: %s", host, port, refused)
            self.refused.append((time.monotonic(), refused))
            await _answer(browser, _FORBIDDEN)
            return None
        except NavigationFailed:
            await _answer(browser, _UNREACHABLE)
            return None
        except (OSError, trio.TooSlowError):
            await _answer(browser, _REFUSED)
            return None
        await _answer(browser, _GRANTED)
        return remote


class _Ended(Exception):
    """The browser left in the middle, or speaks something else."""


async def _greet(browser: trio.SocketStream) -> tuple[str, int]:
    """What the browser asks for (RFC 1928, sections 3 and 4)."""
    version, count = await _exactly(browser, 2)
    ways = await _exactly(browser, count)
    if version != _VERSION or 0 not in ways:
        await browser.send_all(bytes([_VERSION, _NO_WAY]))
        raise _Ended
    await browser.send_all(bytes([_VERSION, 0]))
    version, command, _, kind = await _exactly(browser, 4)
    if kind == _NAME:
        host = (await _exactly(browser, (await _exactly(browser, 1))[0])).decode("ascii", "replace")
    elif kind in (_IPV4, _IPV6):
        host = str(ipaddress.ip_address(await _exactly(browser, 4 if kind == _IPV4 else 16)))
    else:
        raise _Ended
    (port,) = struct.unpack("!H", await _exactly(browser, 2))
    if version != _VERSION or command != _CONNECT:
        await _answer(browser, _UNSUPPORTED)
        raise _Ended
    return host, port


async def _exactly(stream: trio.SocketStream, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = await stream.receive_some(count - len(data))
        if not piece:
            raise _Ended
        data += piece
    return data


async def _answer(browser: trio.SocketStream, status: int) -> None:
    await browser.send_all(bytes([_VERSION, status, 0, _IPV4, 0, 0, 0, 0, 0, 0]))


async def _first(addresses: Sequence[Address], port: int) -> trio.SocketStream:
    """A connection to the first of some addresses that takes one."""
    failure: OSError = OSError("no address")
    for address in addresses:
        try:
            return await trio.open_tcp_stream(str(address), port)
        except OSError as error:
            failure = error
    raise failure


async def _relay(browser: trio.SocketStream, remote: trio.SocketStream) -> None:
    """Forward bytes both ways, until both connections have ended or one has broken."""
    async with trio.open_nursery() as nursery:

        async def forward(source: trio.SocketStream, sink: trio.SocketStream) -> None:
            try:
                while piece := await source.receive_some(_PIECE):
                    await sink.send_all(piece)
                await sink.send_eof()
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                nursery.cancel_scope.cancel()

        nursery.start_soon(forward, browser, remote)
        await forward(remote, browser)
