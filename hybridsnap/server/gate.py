"""Who may come in: asked of every request before anything else is done with it.

In this order, each with its own status:

1. Is it HTTP/1.1, and meant for this server (Host: 421)? A web page elsewhere whose name was made to resolve
   to this machine is not.
2. Does a web page send it (Origin, Sec-Fetch-Site: 403)? Only one whose origin is listed may; that one also
   gets CORS headers, and its preflights are answered.
3. Does it prove itself (Authorization: 401)? Tokens are compared in constant time.
4. Is it small enough (413), and JSON where it has a body (415)?

Whoever is refused is let go of: the answer closes the connection.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import time
from typing import TYPE_CHECKING, Any

import msgspec
import trio

from hybridsnap.server.problems import PROBLEM_TYPE, Problem, encode, problem_of
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from hybridsnap.server.settings import Settings

_log = logging.getLogger("hybridsnap")

#: When a request's head had come, by `time.monotonic`: its budget begins there.
BEGAN = "hybridsnap.began"
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_METHODS = "GET, POST, DELETE"
_HEADERS = "Authorization, Content-Type, Hybridsnap-Session, Last-Event-ID"
#: What is still sent by someone who was refused is read away for so long.
_LINGER_SECONDS = 5.0


class Gate:
    """Stands before an application.

    Args:
        app: that is let be asked.
        settings: of the server.

    Attributes:
        port: where the server listens, once it does.
        refused: called with the status of each refusal.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._token = _digest(settings.token.encode())
        self.port: int = settings.port
        self.refused: Callable[[int], None] = lambda _: None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await receive()
            await send({"type": "websocket.close"})
            return
        scope[BEGAN] = time.monotonic()
        origin = None
        try:
            self._check_host(scope)
            origin = self._check_origin(scope)
            if origin is not None and scope["method"] == "OPTIONS":
                await _respond(send, 204, b"", {**_cors(origin), **_PREFLIGHT, **_PRIVATE})
                return
            self._check_token(scope)
            self._check_body(scope)
        except ApiError as refused:
            self.refused(refused.status)
            problem = problem_of(refused)
            assert problem is not None
            headers = {**({} if origin is None else _cors(origin)), **_PRIVATE, "connection": "close"}
            await send_problem(send, problem, headers)
            await _drain(receive)
            return

        async def sender(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = {**_PRIVATE, **({} if origin is None else _cors(origin))}
                message = {**message, "headers": [*message.get("headers", ()), *_raw(extra)]}
            await send(message)

        await self._app(scope, receive, sender)

    def _check_host(self, scope: Scope) -> None:
        if scope["http_version"] not in {"1.0", "1.1"}:
            raise ApiError(505, "VersionRefused", "this speaks HTTP/1.1", "send HTTP/1.1")
        hosts = _values(scope, b"host")
        name, port = _split(hosts[0].lower()) if len(hosts) == 1 else ("", "")
        known = {*_LOOPBACK_NAMES}
        server = scope.get("server")
        if server is not None:
            known.add(f"[{server[0]}]" if ":" in server[0] else server[0])
        ours = name in known and (port or str(_HTTP_PORT)) == str(self.port)
        # A name of one's own may be that of a proxy before this server, at a port of its own.
        if not ours and name not in {one.lower() for one in self._settings.server_names}:
            raise ApiError(
                421,
                "HostRefused",
                "the Host header names another server",
                "call the server by its address, or have it listen to that name: --server-name NAME",
            )

    def _check_origin(self, scope: Scope) -> str | None:
        """The origin of the web page that asks, when it is a listed one.

        Raises:
            ApiError: it is another one.
        """
        origins = _values(scope, b"origin")
        if not origins:
            if set(_values(scope, b"sec-fetch-site")) - {"none", "same-origin"}:
                raise _origin_refused()
            return None
        if len(origins) == 1 and origins[0] in self._settings.origins:
            return origins[0]
        raise _origin_refused()

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
        if length and int(length[0]) > self._settings.body_bytes:
            raise too_large(self._settings.body_bytes)
        kind = ";".join(_values(scope, b"content-type")).partition(";")[0].strip().lower()
        if has_body and kind != "application/json":
            raise ApiError(
                415, "MediaTypeRefused", "bodies are JSON here", "send Content-Type: application/json"
            )


_HTTP_PORT = 80
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


def _origin_refused() -> ApiError:
    return ApiError(
        403,
        "OriginRefused",
        "web pages of this origin may not call this server",
        "the server allows it with --cors-origin ORIGIN",
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


def _split(host: str) -> tuple[str, str]:
    """A Host header's name and port."""
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        return host.removesuffix("."), ""
    return name.removesuffix("."), port


def _raw(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


async def _respond(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    own = {"content-length": str(len(body))} if body else {}
    await send({"type": "http.response.start", "status": status, "headers": _raw({**own, **headers})})
    await send({"type": "http.response.body", "body": body})


async def send_problem(send: Send, problem: Problem, headers: dict[str, str]) -> None:
    """Answer with an error."""
    body = encode(problem.body)
    await _respond(send, problem.status, body, {"content-type": PROBLEM_TYPE, **problem.headers, **headers})


async def send_json(send: Send, status: int, data: Any, headers: dict[str, str] | None = None) -> None:
    """Answer with data; None is not a body."""
    body = b"" if data is None else encode(data)
    kind = {"content-type": "application/json"} if body else {}
    await _respond(send, status, body, {**kind, **(headers or {})})


async def read_json(receive: Receive, most: int) -> Any:
    """The JSON of a request's body; `msgspec.UNSET` where it has none.

    Whole numbers may be written as floats (``1.0``), as in JSON Schema.

    Raises:
        ApiError: it is too large, or no JSON, or the client left while it sent it.
    """
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ApiError(400, "BadRequest", "the body broke off")
        body += message.get("body", b"")
        if len(body) > most:
            raise too_large(most)
        if not message.get("more_body", False):
            break
    if not body:
        return msgspec.UNSET
    try:
        return json.loads(body, parse_float=_number, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ApiError(400, "BadRequest", "the body nests too deep", "send less in it") from error
    except ValueError as error:
        raise ApiError(400, "BadRequest", f"the body is not JSON: {error}", "send JSON") from error


def _number(text: str) -> float | int:
    number = float(text)
    return int(number) if number.is_integer() else number


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


async def _drain(receive: Receive) -> None:
    """Read what someone who was refused still sends, so that their connection can end."""
    with trio.move_on_after(_LINGER_SECONDS):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect" or not message.get("more_body", False):
                return
