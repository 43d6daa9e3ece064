"""The application: its routes, and how each is asked and answered.

An endpoint is a function from an `Exchange` to an `Answer`. Around it, the same for all: the body is read,
the client's going away cancels what it asked for, errors become problems, and everything is counted.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import logging
import time
from typing import TYPE_CHECKING, Any, TypeAlias

import trio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hybridsnap import __version__
from hybridsnap.client.changes import Changes
from hybridsnap.client.devices import device_names
from hybridsnap.server import answers, messages
from hybridsnap.server.exchange import Answer, Exchange, read_json
from hybridsnap.server.metrics import TEXT_TYPE
from hybridsnap.server.openapi import build_document
from hybridsnap.server.openclaw.refusals import present
from hybridsnap.server.openclaw.routes import ROUTES
from hybridsnap.server.parts import File, permit_storage
from hybridsnap.server.questions import QUESTIONS
from hybridsnap.server.sessions import SESSION_HEADER
from hybridsnap.service.errors import ApiError
from hybridsnap.service.http_gate import BEGAN, respond, send_problem
from hybridsnap.service.problems import PROBLEM_TYPE, Problem, encode, problem_of, refusal_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping

    from starlette.types import Message, Receive, Scope, Send

    from hybridsnap.server.control import Control
    from hybridsnap.server.metrics import ServerMetrics
    from hybridsnap.server.openclaw.host import Host
    from hybridsnap.server.openclaw.registry import OpenClawRoute
    from hybridsnap.server.sessions import ClientSession

_log = logging.getLogger("hybridsnap")
#: No event has a number with more digits; Python refuses to read some thousands of them.
_EVENT_DIGITS = 15


_Function: TypeAlias = "Callable[[Exchange], Awaitable[Answer]]"
_Present: TypeAlias = "Callable[[Exception, Problem], Problem]"


class Endpoint:
    """The functions of one path as an ASGI application.

    Args:
        by_method: method → function.
        route: as it is counted.
        api: that it is of.
        presenting: method → its errors in another shape than ours.
    """

    def __init__(
        self, by_method: Mapping[str, _Function], route: str, api: Api, presenting: Mapping[str, _Present]
    ) -> None:
        self._by_method = by_method
        self._presenting = presenting
        self._route = route
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        status: int | None = None
        try:
            status = await self._exchange(scope, receive, send)
        finally:
            seconds = time.monotonic() - scope[BEGAN]
            self._api.measures.answered(scope["method"], self._route, status, seconds)

    async def _exchange(self, scope: Scope, receive: Receive, send: Send) -> int | None:
        """Answer, as long as the client is there; the status, None when it went."""
        status: int | None = None

        async def note_and_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        async with trio.open_nursery() as nursery:

            async def work() -> None:
                await self._work(scope, receive, note_and_send, watch)
                nursery.cancel_scope.cancel()

            def watch() -> None:
                nursery.start_soon(_cancel_when_gone, receive, nursery.cancel_scope)

            nursery.start_soon(work)
        return status

    async def _work(self, scope: Scope, receive: Receive, send: Send, watch: Callable[[], None]) -> None:
        try:
            with self._api.running():
                data = await read_json(receive, self._api.control.settings.body_bytes)
                watch()
                answer = await self._by_method[scope["method"]](_exchange_of(scope, data))
        except Exception as error:  # noqa: BLE001 - each request is answered
            problem = problem_of(error)
            if problem is None:
                _log.exception("a request could not be answered: %s %s", scope["method"], scope["path"])
                problem = _bug(error)
            shape = self._presenting.get(scope["method"])
            await send_problem(send, problem if shape is None else shape(error, problem), {})
            return
        if answer.stream is not None:
            await _send_stream(send, answer, answer.stream)
            return
        body = answer.text if answer.data is None else encode(answer.data)
        await respond(send, answer.status, body, {"content-type": answer.content_type} if body else {})


class Api:
    """What the routes do.

    Args:
        control: the server's means.
        measures: its metrics.
        openclaw: answers OpenClaw's paths; None where they are not answered.
    """

    def __init__(self, control: Control, measures: ServerMetrics, openclaw: Host | None = None) -> None:
        self.control = control
        self._openclaw = openclaw
        self.measures = measures
        self._running: set[trio.CancelScope] = set()
        self._changes = Changes()
        self._stopping = False

    def routes(self) -> list[Route]:
        """For Starlette."""
        control, doing = self.control, functools.partial(functools.partial, self._control)
        open_tab = doing(messages.TabRequest, control.open_tab, status=201)
        table: dict[str, dict[str, _Function]] = {
            "/control/snapshot": {"POST": doing(messages.SnapshotRequest, control.snapshot)},
            "/control/expand": {"POST": doing(messages.ExpandRequest, control.expand)},
            "/control/act": {"POST": self._act},
            "/control/evaluate": {"POST": doing(messages.EvaluateRequest, control.evaluate)},
            **{
                f"/control/{name}": {"POST": doing(one.takes, functools.partial(control.ask, one))}
                for name, one in QUESTIONS.items()
            },
            "/tabs": {"GET": self._list_tabs, "POST": open_tab, "DELETE": self._close_tab},
            "/tabs/{targetId}": {"DELETE": self._close_tab},
            "/sessions": {"POST": self._create_session},
            "/sessions/{sessionId}": {"DELETE": self._end_session},
            "/events": {"GET": self._events},
            "/devices": {"GET": self._devices},
            "/health": {"GET": self._health},
            "/metrics": {"GET": self._metrics},
            "/openapi.json": {"GET": self._openapi},
        }
        presenting: dict[str, dict[str, _Present]] = {}
        for one in () if self._openclaw is None else ROUTES:
            table.setdefault(one.path, {})[one.method] = functools.partial(self._of_openclaw, one)
            presenting.setdefault(one.path, {})[one.method] = functools.partial(present, one.path)
        routes = []
        # A path of its own goes before one that takes any name in its place.
        for path, by_method in sorted(table.items(), key=lambda one: "{" in one[0]):
            endpoint = Endpoint(by_method, path, self, presenting.get(path, {}))
            # One route for all methods of a path, so that the Allow of a 405 lists them all.
            route = Route(path, endpoint, methods=list(by_method))
            # Starlette adds HEAD to GET, which the description does not have: of /events it would never end.
            route.methods = set(by_method)
            routes.append(route)
        return routes

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """A request runs for the length of the block; it can be cancelled with the server."""
        if self._stopping:
            raise stopping()
        with trio.CancelScope() as scope:
            self._running.add(scope)
            try:
                yield
            finally:
                self._running.discard(scope)
                self._changes.notify()
        if scope.cancelled_caught:
            raise stopping()

    def stop(self) -> None:
        """No new requests; what streams ends."""
        self._stopping = True

    async def idle(self) -> None:
        """Wait until nothing runs."""
        await self._changes.wait_until(lambda: not self._running)

    def cancel(self) -> None:
        """End what runs."""
        for scope in list(self._running):
            scope.cancel()

    def _session(self, exchange: Exchange) -> ClientSession:
        given = exchange.headers.get(SESSION_HEADER.lower()) or exchange.query.get("session")
        return self.control.sessions.get(given)

    async def _of_openclaw(self, route: OpenClawRoute, exchange: Exchange) -> Answer:
        assert self._openclaw is not None
        if route.path.startswith(("/cookies", "/storage")):
            permit_storage(self.control.settings)
        session = self._session(exchange)
        with session.used():
            parts = (exchange.data, exchange.query, exchange.path)
            return Answer(await route.answer(self._openclaw, session, *parts, exchange.began))

    async def _control(
        self, takes: type[Any], do: Callable[..., Awaitable[Any]], exchange: Exchange, *, status: int = 200
    ) -> Answer:
        """What `Control` makes of a message."""
        request = exchange.read(takes)
        session = self._session(exchange)
        with session.used():
            found = await do(request, session, exchange.deadline(request.budget_ms))
        if isinstance(found, File):
            return Answer(text=found.data, content_type=found.media_type)
        return Answer(found, status)

    async def _act(self, exchange: Exchange) -> Answer:
        request, actions, is_batch = messages.split_act(exchange.data)
        session = self._session(exchange)
        with session.used():
            deadline = exchange.deadline(request.budget_ms)
            results = await self.control.act(request, actions, session, deadline)
        if is_batch:
            return Answer({"ok": all(one["ok"] for one in results), "results": results})
        (done,) = results
        del done["index"]
        if done["ok"]:
            return Answer(done)
        problem = done["problem"]
        return Answer(status=problem["status"], text=encode(problem), content_type=PROBLEM_TYPE)

    async def _list_tabs(self, exchange: Exchange) -> Answer:
        session = self._session(exchange)
        browser_id = exchange.query.get("browserId")
        with session.used():
            tabs = await self.control.list_tabs(browser_id, session, exchange.query_deadline)
        return Answer({"tabs": tabs})

    async def _close_tab(self, exchange: Exchange) -> Answer:
        session = self._session(exchange)
        target_id = exchange.path.get("targetId") or exchange.query.get("targetId")
        browser_id = exchange.query.get("browserId")
        with session.used():
            await self.control.close_tab(browser_id, target_id, session, exchange.query_deadline)
        return Answer(status=204)

    async def _create_session(self, exchange: Exchange) -> Answer:
        request = exchange.read(messages.SessionRequest)
        session = self.control.sessions.create(exchange.client, request.idle_seconds)
        answer = answers.SessionAnswer(session_id=session.id, idle_seconds=session.idle_seconds)
        return Answer(answer, 201)

    async def _end_session(self, exchange: Exchange) -> Answer:
        await self.control.sessions.end(self.control.sessions.get(exchange.path["sessionId"]))
        return Answer(status=204)

    async def _events(self, exchange: Exchange) -> Answer:
        sessions = self.control.sessions
        given = exchange.headers.get(SESSION_HEADER.lower()) or exchange.query.get("session")
        client = exchange.client
        session = sessions.create(client, with_stream=True) if given is None else sessions.get(given)
        last = exchange.headers.get("last-event-id", "")
        is_number = last.isascii() and last.isdigit() and len(last) <= _EVENT_DIGITS
        after = session.log.count
        if is_number and given is not None:
            # A larger one is of a log before this one, of which all that is known is new.
            after = int(last) if int(last) <= after else 0
        sessions.listen(session)
        session.log.put("session", sessionId=session.id)

        async def pieces() -> AsyncGenerator[bytes]:
            try:
                with session.used():
                    async with contextlib.aclosing(session.log.stream(after)) as events:
                        async for piece in events:
                            yield piece
            finally:
                if session.with_stream:
                    await sessions.end(session)

        return Answer(stream=pieces(), content_type="text/event-stream")

    async def _devices(self, _: Exchange) -> Answer:
        return Answer(answers.DevicesAnswer(devices=device_names()))

    async def _health(self, _: Exchange) -> Answer:
        browsers = [
            answers.BrowserHealth(
                browser_id=one.id, up=one.browser is not None, launched=one.launched, starts=one.starts
            )
            for one in self.control.browsers
        ]
        healthy = all(one.up for one in browsers)
        slots = self.control.slots
        health = answers.HealthAnswer(
            status="ok" if healthy else "degraded",
            version=__version__,
            browsers=browsers,
            sessions=len(self.control.sessions),
            tabs=self.control.sessions.tab_count,
            captures=answers.Captures(running=slots.taken, waiting=slots.waiting, stalled=slots.stalled),
        )
        return Answer(health, 200 if healthy else 503)

    async def _metrics(self, _: Exchange) -> Answer:
        return Answer(text=self.measures.to_text(), content_type=TEXT_TYPE)

    async def _openapi(self, _: Exchange) -> Answer:
        return Answer(text=_description(openclaw=self._openclaw is not None))


@functools.cache
def _description(*, openclaw: bool) -> bytes:
    """The OpenAPI document, made when it is first asked for: it takes longer than to start a server."""
    return encode(build_document(__version__, openclaw=openclaw))


def stopping() -> ApiError:
    """The server is about to end."""
    return ApiError(
        503,
        "Stopping",
        "the server is stopping",
        "come again when it is up",
        headers={"retry-after": "5", "connection": "close"},
    )


def build_app(api: Api) -> Starlette:
    """The routes as an application."""
    app = Starlette(routes=api.routes(), exception_handlers={HTTPException: _no_route})
    app.router.redirect_slashes = False  # the description has no redirects
    return app


async def _no_route(request: Request, error: Exception) -> Response:
    """There is no such path, or it does not take this method."""
    assert isinstance(error, HTTPException)
    path, remedy = request.url.path[:100], "see /openapi.json"
    name, words = "BadRequest", error.detail
    if error.status_code == 404:  # noqa: PLR2004 - HTTP's
        name, words = "NotFound", f"there is no {path}"
        paths = [route.path for route in request.app.routes]
        if near := difflib.get_close_matches(path, paths, 1):
            remedy = f"{near[0]} is probably meant; {remedy}"
    elif error.status_code == 405:  # noqa: PLR2004 - HTTP's
        name, words = (
            "MethodNotAllowed",
            f"{path} takes {(error.headers or {}).get('Allow')}, not {request.method}",
        )
    problem = refusal_of(ApiError(error.status_code, name, words, remedy))
    return Response(encode(problem.body), problem.status, dict(error.headers or {}), media_type=PROBLEM_TYPE)


def _bug(error: Exception) -> Problem:
    words = f"this is a bug in hybridsnap: {type(error).__name__}"
    return refusal_of(ApiError(500, "InternalError", words, "report it; the server's log has more"))


def _exchange_of(scope: Scope, data: Any) -> Exchange:
    request = Request(scope)
    client = "" if request.client is None else request.client.host
    return Exchange(data, request.path_params, request.query_params, request.headers, scope[BEGAN], client)


async def _cancel_when_gone(receive: Receive, work: trio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    work.cancel()


async def _send_stream(send: Send, answer: Answer, stream: AsyncGenerator[bytes]) -> None:
    headers = [(b"content-type", answer.content_type.encode())]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    async with contextlib.aclosing(stream) as pieces:
        async for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
