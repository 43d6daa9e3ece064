"""What is known of one network request; no I/O."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, TypeAlias

from hybridsnap.model import FIRST_ERROR_STATUS
from hybridsnap.text import cut_text

#: How far a request has come: ``pending`` (no answer yet), ``answered`` (the response's head came),
#: ``finished`` (its body, too), ``failed``, ``redirected`` (another request took its place).
RequestState: TypeAlias = Literal["pending", "answered", "finished", "failed", "redirected"]
#: Types of requests: the protocol's (`Network.ResourceType`), in lower case.
RECORDED_TYPES = (
    *("document", "stylesheet", "image", "media", "font", "script", "xhr", "fetch", "websocket"),
    *("eventsource", "manifest", "ping", "preflight", "prefetch", "texttrack", "signedexchange"),
    *("cspviolationreport", "fedcm", "other"),
)
#: Of a text (an address, a header's value, what was posted) so many characters are kept, and so many headers.
MOST_CHARACTERS = 4_000
MOST_HEADERS = 100
#: Headers that prove who somebody is: in what leaves this process their values are left out unless asked for.
SECRET_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"})
#: Of a WebSocket so many messages are kept, and of each so many characters: at most 10 MB for 500 sockets.
SOCKET_MESSAGES, SOCKET_CHARACTERS = 50, 200
#: The opcode of text (RFC 6455, section 11.8).
_TEXT = 1
#: The numbers that HTTP leaves room for.
_LEAST_STATUS, _MOST_STATUS = 100, 999
_CLASSES = {"1xx": 1, "2xx": 2, "3xx": 3, "4xx": 4, "5xx": 5}


@dataclasses.dataclass(slots=True)
class Timing:
    """Where a request's time went, in ms; -1 where it went nowhere (a connection that was there already).

    Attributes:
        blocked: until the connection was asked for.
        dns, connect, ssl: finding the address, connecting, and of that the handshake.
        send: the request.
        wait: until the response's first byte.
        receive: the response's body; -1 while it comes.
    """

    blocked: float = -1
    dns: float = -1
    connect: float = -1
    ssl: float = -1
    send: float = 0
    wait: float = 0
    receive: float = -1


@dataclasses.dataclass(frozen=True, slots=True)
class SocketMessage:
    """One message of a WebSocket.

    Attributes:
        sent: by the page; False: it was received.
        time: when, in seconds since 1970.
        opcode: 1 for text, 2 for bytes.
        size: bytes, of the whole message.
        data: its first 200 characters; of bytes their Base64.
    """

    sent: bool
    time: float
    opcode: int
    size: int
    data: str

    @property
    def truncated(self) -> bool:
        """Whether there is more than `data`."""
        held = len(self.data.encode()) if self.opcode == _TEXT else _base64_bytes(self.data)
        return held < self.size


@dataclasses.dataclass(frozen=True, slots=True)
class SocketTraffic:
    """What went through a WebSocket, as far as it was recorded.

    Attributes:
        sent, received: how many messages.
        sent_bytes, received_bytes: of them all.
        messages: the last 50, oldest first.
    """

    sent: int = 0
    received: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    messages: tuple[SocketMessage, ...] = ()

    def plus(self, one: SocketMessage) -> SocketTraffic:
        """With one more message."""
        return SocketTraffic(
            self.sent + one.sent,
            self.received + (not one.sent),
            self.sent_bytes + (one.size if one.sent else 0),
            self.received_bytes + (0 if one.sent else one.size),
            (*self.messages[-SOCKET_MESSAGES + 1 :], one),
        )


@dataclasses.dataclass(slots=True, kw_only=True)
class NetworkRequest:
    """A request of a page, as it was when it was asked about.

    Attributes:
        id: names it: ``r1``, ``r2``, … in the order in which they began.
        url: its address.
        method: ``GET``, …
        resource_type: in lower case: ``document``, ``stylesheet``, ``image``, ``font``, ``script``, ``xhr``,
            ``fetch``, ``websocket``, …
        state: how far it has come.
        status: of the response; None before one came.
        status_text: beside it; HTTP/2 has none.
        failure: why there is no response, such as ``net::ERR_CONNECTION_REFUSED``; None where there is one.
        mime_type: of the response.
        protocol: such as ``http/1.1`` or ``h2``.
        remote_address: of the server, with its port.
        served_from: ``memory cache``, ``disk cache``, ``service worker`` or ``prefetch cache``; None for the
            network.
        request_headers: by name, in lower case; of cookies and credentials too, where the browser tells them.
        response_headers: likewise.
        post_data: what was sent, if it is text and the browser tells it.
        request_body_bytes: how much was sent; None where that is not known.
        transferred_bytes: of the response, its head included, as it came over the network.
        body_bytes: of the response's body, decoded.
        started: when it was sent, in seconds since 1970.
        duration_ms: until its end; None before that.
        timing: where the time went; None where nothing is known of it.
        initiator: what asked: ``parser``, ``script``, ``preload``, … , and where that is.
        redirected_from: id of the request that was answered with a redirect to this one.
        redirects: the addresses it has come by, the first first, with the status of each answer.
        socket: the messages of a WebSocket; None for other requests.
    """

    id: str
    url: str
    method: str
    resource_type: str
    state: RequestState = "pending"
    status: int | None = None
    status_text: str = ""
    failure: str | None = None
    mime_type: str = ""
    protocol: str = ""
    remote_address: str = ""
    served_from: str | None = None
    request_headers: dict[str, str] = dataclasses.field(default_factory=dict)
    response_headers: dict[str, str] = dataclasses.field(default_factory=dict)
    post_data: str | None = None
    request_body_bytes: int | None = None
    transferred_bytes: int = 0
    body_bytes: int = 0
    started: float = 0.0
    duration_ms: float | None = None
    timing: Timing | None = None
    initiator: str = ""
    redirected_from: str | None = None
    redirects: tuple[tuple[str, int], ...] = ()
    socket: SocketTraffic | None = None

    @property
    def ok(self) -> bool:
        """Whether it was answered, and neither failed nor with an error (a status from 400 on)."""
        return self.failure is None and self.status is not None and self.status < FIRST_ERROR_STATUS

    @property
    def ended(self) -> bool:
        """Whether nothing more of it will come."""
        return self.state in {"finished", "failed", "redirected"}

    def to_dict(self, *, secrets: bool = False) -> dict[str, Any]:
        """As JSON data.

        Args:
            secrets: with the values of headers that prove who somebody is (cookies, credentials).
        """
        data = dataclasses.asdict(self)
        for name in ("request_headers", "response_headers"):
            data[name] = dict(shown_headers(data[name], secrets=secrets))
        data["redirects"] = [{"url": url, "status": status} for url, status in self.redirects]
        return {**data, "ok": self.ok}

    def __str__(self) -> str:
        came = self.failure or (str(self.status) if self.status is not None else self.state)
        late = "" if self.duration_ms is None else f" {self.duration_ms:.0f} ms"
        socket = self.socket
        said = "" if socket is None else f" {socket.sent} sent, {socket.received} received"
        return f"{self.id} {self.method} {self.url} {self.resource_type} {came}{late}{said}"


@dataclasses.dataclass(frozen=True, slots=True)
class ResponseBody:
    """The body of a response.

    Attributes:
        data: its first bytes, decoded (not compressed any more).
        size: how many there are in all.
        mime_type: of the response.
    """

    data: bytes
    size: int
    mime_type: str

    @property
    def truncated(self) -> bool:
        """Whether there is more than `data`."""
        return len(self.data) < self.size

    @property
    def text(self) -> str:
        """The data as text; what is not UTF-8 in it is replaced."""
        return self.data.decode("utf-8", "replace")


def shown_headers(headers: dict[str, str], *, secrets: bool) -> list[tuple[str, str]]:
    """Headers as they may be shown: of those that prove who somebody is, how long they are."""
    return [
        (name, value if secrets or name not in SECRET_HEADERS else f"[{len(value)} characters]")
        for name, value in headers.items()
    ]


def read_headers(headers: dict[str, str]) -> dict[str, str]:
    """Headers as the protocol has them, with their names in lower case, cut."""
    return {clip(name.lower()): clip(value) for name, value in list(headers.items())[:MOST_HEADERS]}


def read_timing(timing: dict[str, Any] | None) -> Timing | None:
    """`Network.ResourceTiming`: moments in ms after the request, as lengths of time."""
    if timing is None:
        return None

    def between(start: str, end: str) -> float:
        return round(timing[end] - timing[start], 3) if timing[start] >= 0 else -1

    begins = (timing[name] for name in ("dnsStart", "connectStart", "sendStart"))
    return Timing(
        blocked=round(max(0.0, min((one for one in begins if one >= 0), default=0.0)), 3),
        dns=between("dnsStart", "dnsEnd"),
        connect=between("connectStart", "connectEnd"),
        ssl=between("sslStart", "sslEnd"),
        send=max(0.0, between("sendStart", "sendEnd")),
        wait=round(max(0.0, timing["receiveHeadersEnd"] - timing["sendEnd"]), 3),
    )


def read_socket_message(frame: dict[str, Any], *, sent: bool, time: float) -> SocketMessage:
    """`Network.WebSocketFrame`: its payload is text, or Base64 of bytes."""
    opcode, payload = int(frame["opcode"]), frame["payloadData"]
    size = len(payload.encode("utf-8", "replace")) if opcode == _TEXT else _base64_bytes(payload)
    return SocketMessage(sent, time, opcode, size, payload[:SOCKET_CHARACTERS])


def _base64_bytes(data: str) -> int:
    """How many bytes Base64 stands for."""
    return len(data) * 3 // 4 - data[-2:].count("=")


def read_initiator(initiator: dict[str, Any]) -> str:
    """What asked for something, and where that is: ``script https://shop.example/app.js:12``."""
    frames = (initiator.get("stack") or {}).get("callFrames", ())
    where, line = initiator.get("url", ""), initiator.get("lineNumber")
    if frames:
        where, line = frames[0]["url"], frames[0]["lineNumber"]
    place = f" {where}" + ("" if line is None else f":{int(line) + 1}") if where else ""
    return clip(initiator["type"] + place)


def clip(text: str) -> str:
    """As much of a text as is kept."""
    return cut_text(text, MOST_CHARACTERS)


def read_statuses(status: int | str | None) -> tuple[int, int]:
    """The least and the greatest status that is meant: a number, or a class such as ``4xx``.

    Raises:
        ValueError: it is neither.
    """
    if status is None:
        return 0, 0
    if isinstance(status, str) and status in _CLASSES:
        return _CLASSES[status] * 100, _CLASSES[status] * 100 + 99
    if isinstance(status, bool) or not isinstance(status, int):
        raise ValueError(  # noqa: TRY004 - of the types, too, not every value is one
            f"status: expected a number such as 404, or a class such as '4xx', got {status!r}"
        )
    if status and not _LEAST_STATUS <= status <= _MOST_STATUS:
        raise ValueError(f"status: expected a number such as 404, or a class such as '4xx', got {status!r}")
    return status, status
