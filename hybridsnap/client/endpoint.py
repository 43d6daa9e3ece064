"""From what a user gives as a browser's address to its DevTools websocket.

``ws://`` and ``wss://`` are taken as they are. ``http://host:port`` is asked for ``/json/version``, whose
answer names the websocket. Every way in which this fails is an `EndpointError` of one line: what was asked,
what was received, what to do. Passwords and queries (where tokens stand) are left out of it.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import socket
import ssl
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

import h11
import trio

from hybridsnap.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hybridsnap.deadline import Deadline

    Stream = trio.SocketStream | trio.SSLStream[trio.SocketStream]

#: Seconds for an endpoint to answer, where the deadline would leave more. A service that first starts a
#: browser takes some; a browser takes a few milliseconds.
_ANSWER_SECONDS = 20.0
#: Chromium's /json/version has half a KB.
_ANSWER_BYTES = 256 * 1024
_PORTS = {"ws": 80, "http": 80, "wss": 443, "https": 443}
#: What stands for the endpoint of a browser that has none begins so.
PIPE_NAME = "pipe "
#: What an endpoint may begin with.
SCHEMES = ("ws", "wss", "http", "https")
_EXAMPLE = "http://127.0.0.1:9222 or ws://127.0.0.1:9222/devtools/browser/…"


@dataclass(frozen=True)
class Address:
    """A checked endpoint.

    Args:
        given: as the user wrote it.
        parts: the same in parts.
        host: without brackets.
        port: the given one, or the scheme's.
    """

    given: str
    parts: SplitResult
    host: str
    port: int

    @property
    def secure(self) -> bool:
        """Whether TLS is spoken."""
        return self.parts.scheme in {"wss", "https"}

    @property
    def target(self) -> str:
        """Path and query, for the request line."""
        return urlunsplit(("", "", self.parts.path or "/", self.parts.query, ""))

    @property
    def host_header(self) -> str:
        """The host as it is asked for."""
        return _host_header(self.host, self.port)

    @property
    def shown(self) -> str:
        """The address for messages: without password and query."""
        query = "…" if self.parts.query else ""
        return urlunsplit((self.parts.scheme, self.host_header, self.parts.path, query, ""))

    def peer_header(self, stream: trio.SocketStream) -> str:
        """The host by the address that `stream` is connected to."""
        return _host_header(str(stream.socket.getpeername()[0]), self.port)

    def error(self, message: str, *, refused: bool = False, silent: bool = False) -> EndpointError:
        """An EndpointError whose line begins with the address."""
        return EndpointError(f"{self.shown} {message}", endpoint=self.given, refused=refused, silent=silent)

    @contextmanager
    def patience(self, deadline: Deadline) -> Iterator[None]:
        """Turn a hang into an EndpointError."""
        seconds = min(deadline.remaining, _ANSWER_SECONDS)
        with trio.move_on_after(seconds) as scope:
            yield
        if scope.cancelled_caught:
            raise self.error(
                f"did not answer within {seconds:.1f} s; is that the browser's remote debugging port, and "
                f"is the browser responding?",
                silent=True,
            )


def _host_header(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


_PIPE_PROBLEM = (
    "is a browser that was launched over a pipe, and listens nowhere; launch it with"
    ' transport="websocket", or with args=["--remote-debugging-port=0"] too'
)


def parse_address(endpoint: str, schemes: Sequence[str]) -> Address:
    """Check an endpoint as far as that goes without asking.

    Raises:
        TypeError: it is not a string.
        EndpointError: it is not an address of one of `schemes`.
    """
    if not isinstance(endpoint, str):
        raise TypeError(f"endpoint is a str such as {_EXAMPLE}, not {type(endpoint).__name__}")
    given = endpoint.strip()
    problem = None
    host, port = None, None
    try:
        parts = urlsplit(given)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        problem = f"is not an address ({error})"
    else:
        if "://" not in given or not parts.scheme:
            problem = "has no scheme"
        elif parts.scheme not in schemes:
            problem = f"has the scheme {parts.scheme!r}, and only {', '.join(schemes)} are spoken"
        elif not host:
            problem = "names no host"
        elif port == 0:
            problem = "has port 0"
        elif not given.isascii() or any(character <= " " for character in given):
            problem = "holds characters that no URL has"
    if problem is not None or host is None:
        raise EndpointError(f"endpoint {given!r} {problem}; give one such as {_EXAMPLE}", endpoint=endpoint)
    return Address(endpoint, parts, host, port or _PORTS[parts.scheme])


def http_headers(address: Address, headers: Mapping[str, str] | None) -> list[tuple[bytes, bytes]]:
    """The user's headers as bytes, with Basic credentials from the address where it holds any.

    Raises:
        ValueError: a header that HTTP cannot carry.
    """
    made = []
    if headers is not None and not isinstance(headers, Mapping):
        raise TypeError(
            f"headers: expected a mapping such as {{'Authorization': 'Bearer …'}}, got {headers!r}"
        )
    for name, value in (headers or {}).items():
        if not name.isascii() or any(character in f"{name}{value}" for character in "\r\n\0"):
            raise ValueError(f"header {name!r} cannot be sent: line breaks, or a name that is not ASCII")
        made.append((name.encode("ascii"), value.encode("latin-1")))
    parts = address.parts
    if parts.username is not None and not any(name.lower() == b"authorization" for name, _ in made):
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        made.append((b"Authorization", b"Basic " + base64.b64encode(pair)))
    return made


def refused_host(words: str) -> bool:
    """Whether Chromium refused the request for its Host header, and the same by IP address would pass."""
    return "Host header is specified and is not an IP address or localhost" in words


async def connect_stream(address: Address) -> Stream:
    """Connect, with TLS where the scheme says so.

    Raises:
        EndpointError: the host name does not resolve, nothing listens there, or the certificate is not
            acceptable.
    """
    try:
        stream = await trio.open_tcp_stream(address.host, address.port)
    except (socket.gaierror, UnicodeError) as error:
        reason = error.strerror if isinstance(error, socket.gaierror) else error
        raise address.error(
            f"cannot be found: no address for {address.host!r} ({reason}); check the name"
        ) from None
    except OSError as error:
        if any(isinstance(cause, ConnectionRefusedError) for cause in _causes(error)):
            raise address.error(
                "refused the connection: nothing listens there; start the browser with "
                f"--remote-debugging-port={address.port}, or check the port",
                refused=True,
            ) from None
        words = next((cause.strerror for cause in _causes(error) if cause.strerror), str(error))
        raise address.error(f"cannot be reached ({words}); check host and port") from None
    if not address.secure:
        return stream
    secured = trio.SSLStream(
        stream, ssl.create_default_context(), server_hostname=address.host, https_compatible=True
    )
    try:
        await secured.do_handshake()
    except BaseException as error:
        await trio.aclose_forcefully(stream)
        if not isinstance(error, trio.BrokenResourceError):
            raise
        cause = error.__cause__ or "the other side closed the connection"
        plain = {"wss": "ws", "https": "http"}[address.parts.scheme]
        raise address.error(
            f"failed the TLS handshake ({_tls_words(cause)}); a browser's own port speaks no TLS: "
            f"use {plain}://, or SSL_CERT_FILE for a certificate of your own"
        ) from None
    return secured


def _causes(error: BaseException) -> list[OSError]:
    """An OSError and those behind it: trio tries every address of a name and groups the errors."""
    found: list[OSError] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        current = waiting.pop()
        if isinstance(current, BaseExceptionGroup):
            waiting += current.exceptions
        elif current is not None:
            if isinstance(current, OSError):
                found.append(current)
            waiting.append(current.__cause__)
    return found


def _tls_words(reason: object) -> str:
    if isinstance(reason, ssl.SSLCertVerificationError):
        return reason.verify_message
    if isinstance(reason, ssl.SSLError):
        return (reason.reason or str(reason)).replace("_", " ").lower()
    return str(reason)


async def resolve_endpoint(endpoint: str, headers: Mapping[str, str] | None, deadline: Deadline) -> str:
    """The DevTools websocket behind an address.

    Args:
        endpoint: ``ws://``, ``wss://`` (returned as it is), or ``http(s)://host:port`` of a browser.
        headers: sent along, such as ``Authorization``.
        deadline: for the answer; 20 s at most.

    Returns:
        A ``ws://`` or ``wss://`` URL. A browser behind a forwarded port may name itself by an address
        that only it knows; the one that was asked takes its place.

    Raises:
        EndpointError: the address is wrong, refuses, is not a DevTools endpoint, or does not answer.
    """
    if str(endpoint).startswith(PIPE_NAME):
        raise EndpointError(f"endpoint {endpoint!r} {_PIPE_PROBLEM}", endpoint=endpoint)
    address = parse_address(endpoint, SCHEMES)
    if address.parts.scheme in {"ws", "wss"}:
        return endpoint.strip()
    extra = http_headers(address, headers)
    path = address.parts.path.rstrip("/")
    if not path.endswith("/json/version"):
        path += "/json/version"
    address = Address(address.given, address.parts._replace(path=path), address.host, address.port)
    with address.patience(deadline):
        status, body = await _get(address, extra)
    return _websocket_url(address, status, body)


async def _get(address: Address, headers: list[tuple[bytes, bytes]]) -> tuple[int, bytes]:
    """One GET; a second one by IP address where Chromium refuses the name."""
    own_host = any(name.lower() == b"host" for name, _ in headers)
    host = [] if own_host else [(b"Host", address.host_header.encode())]
    stream = await connect_stream(address)
    async with stream:
        status, body = await _exchange(address, stream, host + headers)
        if own_host or not refused_host(body.decode(errors="replace")) or isinstance(stream, trio.SSLStream):
            return status, body
        host = [(b"Host", address.peer_header(stream).encode())]
    stream = await connect_stream(address)
    async with stream:
        return await _exchange(address, stream, host + headers)


async def _exchange(
    address: Address, stream: Stream, headers: list[tuple[bytes, bytes]]
) -> tuple[int, bytes]:
    client = h11.Connection(h11.CLIENT)
    request = h11.Request(
        method="GET",
        target=address.target,
        headers=[*headers, (b"Accept", b"application/json"), (b"Connection", b"close")],
    )
    status, body = 0, b""
    try:
        await stream.send_all((client.send(request) or b"") + (client.send(h11.EndOfMessage()) or b""))
        while True:
            event = client.next_event()
            if event is h11.NEED_DATA:
                client.receive_data(bytes(await stream.receive_some()))
            elif isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                body += event.data
                if len(body) > _ANSWER_BYTES:
                    raise address.error(
                        f"answered more than {_ANSWER_BYTES // 1024} KB; that is not a DevTools endpoint"
                    )
            elif isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)):
                return status, body
    except (h11.RemoteProtocolError, trio.BrokenResourceError) as error:
        words = " ".join(client.trailing_data[0][:80].decode("latin-1").split())
        came = repr(words) if words else "a closed connection" if not status else "half an answer"
        raise address.error(
            f"does not speak HTTP: {came} came; is that the browser's remote debugging port?"
        ) from error
    raise AssertionError("h11 yields no other event to a client")


def _websocket_url(address: Address, status: int, body: bytes) -> str:
    """The websocket that the answer names."""
    text = body.decode(errors="replace")
    if status != 200:  # noqa: PLR2004 - HTTP's own number
        words = "an HTML page" if _is_html(text) else " ".join(text.split())[:120]
        said = f"HTTP {status}" + (f" ({words})" if words else "")
        remedy = {
            401: "it wants credentials: headers={'Authorization': …}",
            403: "it wants other credentials: headers={'Authorization': …}",
        }.get(
            status,
            "that is not a DevTools endpoint; give http://host:port of a browser that was started "
            "with --remote-debugging-port, or its ws:// address",
        )
        raise address.error(f"answered {said}; {remedy}")
    answer: object = None
    with suppress(ValueError, RecursionError):
        answer = json.loads(text)
    url = answer.get("webSocketDebuggerUrl") if isinstance(answer, dict) else None
    if not isinstance(url, str):
        came = (
            "an HTML page" if _is_html(text) else "JSON without webSocketDebuggerUrl" if answer else "no JSON"
        )
        raise address.error(
            f"answered with {came}; that is not a DevTools endpoint: give http://host:port of a browser that "
            "was started with --remote-debugging-port"
        )
    try:
        found = parse_address(url, ("ws", "wss"))
    except EndpointError as error:
        raise address.error(f"named a websocket that is not an address: {error}") from None
    parts = found.parts
    if _is_local(found.host) and not _is_local(address.host):
        scheme = "wss" if address.secure else "ws"
        parts = parts._replace(scheme=scheme, netloc=address.host_header)
    return urlunsplit(parts)


def _is_html(text: str) -> bool:
    return text.lstrip()[:200].lower().startswith(("<!doctype", "<html", "<head", "<body"))


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
