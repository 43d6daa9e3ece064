"""Which HTTP requests are let in: checked before anything else is done with a request, by server and MCP.

In this order, each with its own status:

1. Is the request HTTP/1.1 (505), and meant for this server (Host: 421)? A request by a name that was made to
   resolve to this machine, from a web page elsewhere, is not.
2. Does a web page send it (Origin, Sec-Fetch-Site: 403)? Only pages of a listed origin may; they also get
   CORS headers, and their preflights are answered.
3. Does it carry the token (Authorization: 401)? Tokens are compared in constant time.
4. Is it small enough (413), and JSON where it has a body (415)?

A refusal closes the connection.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import trio

from hybridsnap.service.errors import ApiError
from hybridsnap.service.listening import host_in_url
from hybridsnap.service.problems import PROBLEM_TYPE, Problem, encode, refusal_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: When a request's head had come, by `time.monotonic`: its budget begins there.
BEGAN = "hybridsnap.began"
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_METHODS = "GET, POST, DELETE"
_HEADERS = "Authorization, Content-Type, Hybridsnap-Session, Last-Event-ID"
#: What is still sent by someone who was refused is read away for so long.
_LINGER_SECONDS = 5.0


class Gate:
    """Checks each request before an application gets it.

    Args:
        app: the application.
        token: of ``Authorization: Bearer``.
        port: where the server listens; its addresses and the names of this machine count with this port only.
        body_bytes: at most, of a request's body.
        names: further host names under which the server may be called, at any port: such a name may be that
            of a proxy before the server.
        origins: web pages of these origins may call it (CORS).
        own_origins: so may pages at `names`, without CORS headers.
        on_refused: called with the status of each refusal.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        port: int,
        body_bytes: int,
        names: Sequence[str] = (),
        origins: Sequence[str] = (),
        own_origins: bool = False,
        on_refused: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._app = app
        self._token = _digest(token.encode())
        self._port = str(port)
        self._body_bytes = body_bytes
        self._names = {one.lower() for one in names}
        self._origins = origins
        self._own_origins = own_origins
        self._on_refused = on_refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        scope[BEGAN] = time.monotonic()
        origin = None
        try:
            self._check_host(scope)
            origin = self._check_origin(scope)
            if origin is not None and scope["method"] == "OPTIONS":
                await respond(send, 204, b"", {**_cors(origin), **_PREFLIGHT, **_PRIVATE})
                return
            self._check_token(scope)
            self._check_body(scope)
        except ApiError as refused:
            self._on_refused(refused.status)
            headers = {**({} if origin is None else _cors(origin)), **_PRIVATE, "connection": "close"}
            await send_problem(send, refusal_of(refused), headers)
            await _drain(receive)
            return

        is_answered = False

        async def sender(message: Message) -> None:
            nonlocal is_answered
            if message["type"] == "http.response.start":
                extra = {**_PRIVATE, **({} if origin is None else _cors(origin))}
                message = {**message, "headers": [*message.get("headers", ()), *_raw(extra)]}
            else:
                is_answered = not message.get("more_body", False)
            await send(message)

        async def receiver() -> Message:
            message = await receive()
            if is_answered and message["type"] == "http.disconnect":
                # Once the answer is whole Hypercorn says "disconnect", too, and then closes the connection or
                # lets it idle. An application that cancels its sending for that leaves it open for good.
                await trio.sleep_forever()
            return message

        await self._app(scope, receiver, sender)

    def _check_host(self, scope: Scope) -> None:
        if scope["http_version"] not in {"1.0", "1.1"}:
            raise ApiError(505, "VersionRefused", "this speaks HTTP/1.1", "send HTTP/1.1")
        hosts = _values(scope, b"host")
        name, port = _split(hosts[0].lower()) if len(hosts) == 1 else ("", "")
        known = {*LOOPBACK_NAMES}
        server = scope.get("server")
        if server is not None:
            known.add(host_in_url(server[0]))
        ours = name in known and (port or _HTTP_PORT) == self._port
        if not ours and name not in self._names:
            raise ApiError(
                421,
                "HostRefused",
                "the Host header names another server",
                "call the server by its address, or have it listen to that name: --server-name NAME",
            )

    def _check_origin(self, scope: Scope) -> str | None:
        """The origin of the web page that asks, when that is a listed one."""
        origins = _values(scope, b"origin")
        if not origins:
            if set(_values(scope, b"sec-fetch-site")) - {"none", "same-origin"}:
                raise self._origin_refused()
            return None
        if len(origins) == 1 and origins[0] in self._origins:
            return origins[0]
        if len(origins) == 1 and self._own_origins and _host_of(origins[0]) in self._names:
            return None
        raise self._origin_refused()

    def _origin_refused(self) -> ApiError:
        option = "--server-name NAME" if self._own_origins else "--cors-origin ORIGIN"
        return ApiError(
            403,
            "OriginRefused",
            "web pages of this origin may not call this server",
            f"the server allows it with {option}",
        )

    def _check_token(self, scope: Scope) -> None:
        given = _values(scope, b"authorization")
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        # Of digests, so that not even the length of the token shows.
        same = hmac.compare_digest(_digest(token.strip().encode("latin-1", "replace")), self._token)
        if scheme.lower() != "bearer" or not same:
            raise ApiError(
                401,
                "Unauthorized",
                "the token is missing or wrong",
                "send Authorization: Bearer TOKEN; the server printed its token when it started",
                headers={"www-authenticate": 'Bearer realm="hybridsnap"'},
            )

    def _check_body(self, scope: Scope) -> None:
        if _values(scope, b"content-length") and _values(scope, b"transfer-encoding"):
            # RFC 9112, section 6.1: two lengths may smuggle a request past a proxy before this server.
            raise ApiError(
                400,
                "BadRequest",
                "a body has Content-Length or Transfer-Encoding, not both",
                "send one of them",
            )
        if scope["method"] not in {"POST", "DELETE"}:
            return
        length = _values(scope, b"content-length")
        has_body = bool(_values(scope, b"transfer-encoding")) or length not in ([], ["0"])
        if length and int(length[0]) > self._body_bytes:
            raise too_large(self._body_bytes)
        kind = ";".join(_values(scope, b"content-type")).partition(";")[0].strip().lower()
        if has_body and kind != "application/json":
            raise ApiError(
                415, "MediaTypeRefused", "bodies are JSON here", "send Content-Type: application/json"
            )


_HTTP_PORT = "80"
_PRIVATE = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
_PREFLIGHT = {
    "access-control-allow-methods": _METHODS,
    "access-control-allow-headers": _HEADERS,
    "access-control-max-age": "600",
}


def too_large(most: int) -> ApiError:
    """A body that is."""
    return ApiError(
        413,
        "BodyTooLarge",
        f"a body has at most {most} bytes",
        "send less at once",
        fields={"maxBytes": most},
    )


def _cors(origin: str) -> dict[str, str]:
    return {
        "access-control-allow-origin": origin,
        "vary": "Origin",
        "access-control-expose-headers": "Retry-After",
    }


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for key, value in scope["headers"] if key.lower() == name]


def _host_of(origin: str) -> str:
    """The host of a web page's origin, "" where it has none."""
    try:
        split = urlsplit(origin.lower())
    except ValueError:
        return ""
    return host_in_url(split.hostname or "") if split.scheme in {"http", "https"} else ""


def _split(host: str) -> tuple[str, str]:
    """A Host header's name and port."""
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        return host.removesuffix("."), ""
    return name.removesuffix("."), port


def _raw(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


async def respond(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    """Answer with a body, or without one (``b""``)."""
    own = {"content-length": str(len(body))} if body else {}
    await send({"type": "http.response.start", "status": status, "headers": _raw({**own, **headers})})
    await send({"type": "http.response.body", "body": body})


async def send_problem(send: Send, problem: Problem, headers: dict[str, str]) -> None:
    """Answer with an error."""
    body = encode(problem.body)
    await respond(send, problem.status, body, {"content-type": PROBLEM_TYPE, **problem.headers, **headers})


async def read_body(receive: Receive, most: int, seconds: float) -> bytes:
    """A request's body: at most so many bytes, which may take so many seconds.

    Raises:
        ApiError: it is too large, or takes too long, or the client left while it sent it.
    """
    body = bytearray()
    with trio.move_on_after(seconds):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ApiError(400, "BadRequest", "the body broke off")
            body += message.get("body", b"")
            if len(body) > most:
                raise too_large(most)
            if not message.get("more_body", False):
                return bytes(body)
    raise ApiError(
        408,
        "BodyTimeout",
        "the body did not come in time",
        "send all of it at once, as long as Content-Length says",
        headers={"connection": "close"},
    )


async def _drain(receive: Receive) -> None:
    """Read what someone who was refused still sends, so that their connection can end."""
    with trio.move_on_after(_LINGER_SECONDS):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect" or not message.get("more_body", False):
                return
