"""The requests of a page, stopped before they leave the browser: for routes and for HTTP credentials.

Both need the Fetch domain, so one `Interception` switches it on for all processes of a page: for the
addresses of the routes, or for all where credentials are set (Chromium asks for credentials only for requests
that it stops for). Off, nothing stops.

Nothing that a route's function does holds a request for good. One that raises, returns something else, or
takes longer than its time is passed over, and the record of requests says so. Domains of other sessions are
other interceptions: a request passes one after the other.
"""

from __future__ import annotations

import collections
import inspect
import logging
import time
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.argument_checks import check_whole
from hybridsnap.client.flood import Notice
from hybridsnap.client.routes import (
    Abort,
    Continue,
    Fulfill,
    RouteAction,
    RouteHandler,
    RoutePattern,
    check_action,
    check_handler_timeout,
    read_request,
)
from hybridsnap.drivers.base import ignore_reply, unanswered
from hybridsnap.errors import CommandRefused, HybridsnapError
from hybridsnap.text import clean_text, excerpt

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Self

    from hybridsnap.client.attachment import AttachedSession, PageAttachment
    from hybridsnap.client.connection import Connection
    from hybridsnap.client.routes import RoutedRequest
    from hybridsnap.client.subscriptions import Ring
    from hybridsnap.deadline import Deadline
    from hybridsnap.protocol.codec import Payload

_log = logging.getLogger("hybridsnap")
#: For a route's function to decide, seconds, unless the route says otherwise.
HANDLER_SECONDS = 10.0
#: So many requests of a page wait for functions at once; those beyond pass unrouted. Plain functions have
#: threads of their own, so many at once.
_MOST_WAITING, _MOST_THREADS = 500, 20
#: Of an address, so much is shown.
_SHOWN = 120
#: A server that asks again for the same request was given wrong credentials: its refusal is shown then.
_GIVE_UP = {"response": "CancelAuth"}


class Route:
    """What is done with some requests of a page; `Network.route` makes it.

    As a block it ends with the block::

        with await page.network.route("**/ads/**", hybridsnap.Abort()):
            await page.goto("https://shop.example/")

    Attributes:
        url: the pattern.
        action: what is done, or the function that decides it.
        times: for how many requests; None for all.
        handler_timeout: for its function to decide, seconds.
        count: how many requests it has decided on.
        failures: how often its function has failed, or its answer was refused.
    """

    def __init__(
        self,
        interception: Interception,
        url: str,
        action: RouteAction | RouteHandler,
        *,
        resource_type: str | Sequence[str] | None = None,
        method: str | None = None,
        times: int | None = None,
        handler_timeout: float = HANDLER_SECONDS,
    ) -> None:
        check_action(action)
        check_whole("times", times, 1, optional=True)
        check_handler_timeout(handler_timeout)
        self._interception = interception
        # For the interception: what fits, and its functions that are at work.
        self.pattern: RoutePattern = RoutePattern(url, resource_type, method)
        self.scopes: set[trio.CancelScope] = set()
        self.url = url
        self.action = action
        self.times = times
        self.handler_timeout = handler_timeout
        self.count: int = 0
        self.failures: int = 0

    @property
    def active(self) -> bool:
        """Whether it has not been removed, nor used up."""
        return self in self._interception.routes

    @property
    def narrowed(self) -> str:
        """The types and the method that it is for, as `` (image, POST)``; empty where it is for all."""
        words = ", ".join(self.pattern.narrowed)
        return f" ({words})" if words else ""

    def remove(self) -> None:
        """Take it back; what its function has not decided by now goes on to the next route. Never waits."""
        self._interception.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<Route {self.url!r}{'' if self.active else ', removed'}>"


class Interception:
    """Stops the requests of a page, and answers them; notices say what went wrong.

    Attributes:
        routes: the one that was added last first.
    """

    def __init__(self, connection: Connection, attachment: PageAttachment, notices: Ring[Notice]) -> None:
        self._connection = connection
        self._attachment = attachment
        self._notices = notices
        self._limiter = trio.CapacityLimiter(_MOST_THREADS)
        self._credentials: tuple[str, str] | None = None
        #: Requests whose credentials were given already.
        self._answered: collections.deque[str] = collections.deque(maxlen=100)
        self._waiting = 0
        #: With what the domain is on; None: it is off.
        self._enabled: dict[str, Any] | None = None
        self.routes: list[Route] = []

    async def add(self, route: Route, deadline: Deadline) -> None:
        """Ask a route from now on, before all others.

        Raises:
            CommandRefused, CommandUnanswered, SessionEnded, ConnectionLost: it is not asked then.
        """
        self.routes.insert(0, route)
        try:
            await self._switch(deadline)
        except BaseException:
            self.remove(route)
            raise

    def remove(self, *routes: Route) -> None:
        """Ask routes no more. Never waits."""
        self.routes = [one for one in self.routes if one not in routes]
        for route in routes:
            for scope in route.scopes:
                scope.cancel()
        if (command := self._command()) is not None:
            for one in self._attachment:
                one.session.post(*command, ignore_reply)

    async def set_credentials(self, credentials: tuple[str, str] | None, deadline: Deadline) -> None:
        """Give these to servers and proxies that ask; None gives none."""
        self._credentials = credentials
        await self._switch(deadline)

    # On and off.

    def _wanted(self) -> dict[str, Any] | None:
        if self._credentials is not None:
            return {"handleAuthRequests": True}
        wire = [pattern for route in self.routes for pattern in route.pattern.wire]
        return {"handleAuthRequests": False, "patterns": wire} if wire else None

    async def _switch(self, deadline: Deadline) -> None:
        """Post, and wait until every process has confirmed it."""
        command = self._command()
        if command is None:
            return
        sessions = [one.session for one in self._attachment]
        with self._attachment.asking(sessions, *command) as replies:
            in_time = await self._attachment.wait_until(lambda: len(replies) == len(sessions), deadline)
        reply = replies.get(self._attachment.root.session)
        if isinstance(reply, HybridsnapError):
            raise reply
        if not in_time:
            raise unanswered("Fetch.enable", "timeout")

    def _command(self) -> tuple[str, dict[str, Any]] | None:
        """What switches the domain to what is wanted; None where it is so."""
        wanted = self._wanted()
        if wanted == self._enabled:
            return None
        if self._enabled is None:
            self._attachment.listeners.append(self._take)
            self._attachment.preparations.append(self._prepare)
            self._attachment.listen_for_frames()
        self._enabled = wanted
        if wanted is None:
            self._attachment.listeners.remove(self._take)
            self._attachment.preparations.remove(self._prepare)
            self._attachment.listen_for_frames()
        # With the domain's end all that it has stopped goes on.
        return ("Fetch.disable", {}) if wanted is None else ("Fetch.enable", wanted)

    def _prepare(self, one: AttachedSession) -> None:
        if self._enabled is not None:
            one.session.post("Fetch.enable", self._enabled, ignore_reply)

    # What was stopped.

    def _take(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        if method == "Fetch.requestPaused":
            self._route(one, params)
        elif method == "Fetch.authRequired":
            self._authenticate(one, params["requestId"])

    def _authenticate(self, one: AttachedSession, id_: str) -> None:
        answer: dict[str, Any] = _GIVE_UP
        if self._credentials is not None and id_ not in self._answered:
            self._answered.append(id_)
            user, password = self._credentials
            answer = {"response": "ProvideCredentials", "username": user, "password": password}
        params = {"requestId": id_, "authChallengeResponse": answer}
        one.session.post("Fetch.continueWithAuth", params, ignore_reply)

    def _route(self, one: AttachedSession, params: dict[str, Any]) -> None:
        """Have a request decided on: at once where no function has to be asked, and no file to be read."""
        request, id_ = read_request(params), params["requestId"]
        fitting = [route for route in self.routes if route.pattern.fits(request, params["resourceType"])]
        if not fitting:
            self._go_on(one, id_)
            return
        action = fitting[0].action
        if isinstance(action, Abort | Continue) or (isinstance(action, Fulfill) and action.file is None):
            body = action.read_body() if isinstance(action, Fulfill) else b""
            self._answer(one, id_, request, fitting[0], action, body)
        elif self._waiting >= _MOST_WAITING:
            self._fail(fitting[0], request, f"{self._waiting} requests wait for functions of routes already")
            self._go_on(one, id_)
        else:
            self._waiting += 1
            self._connection.start_soon(self._decide, one, id_, request, fitting)

    async def _decide(
        self, one: AttachedSession, id_: str, request: RoutedRequest, fitting: Sequence[Route]
    ) -> None:
        try:
            for route in fitting:
                if not route.active:
                    continue
                try:
                    action, body = await self._ask(route, request)
                except Exception as error:  # noqa: BLE001 - whatever a function of the caller's raises
                    _log.warning("the function of %r failed", route, exc_info=error)
                    self._fail(route, request, f"{type(error).__name__}: {error}")
                    continue
                if action is not None:
                    self._answer(one, id_, request, route, action, body)
                    return
            self._go_on(one, id_)
        finally:
            self._waiting -= 1

    async def _ask(self, route: Route, request: RoutedRequest) -> tuple[RouteAction | None, bytes]:
        """What a route does with a request, and the body of its answer."""
        body, action = b"", None
        with trio.move_on_after(route.handler_timeout) as scope:
            route.scopes.add(scope)
            try:
                action = await self._decided(route.action, request)
                if isinstance(action, Fulfill):
                    body = await trio.to_thread.run_sync(action.read_body)
            finally:
                route.scopes.discard(scope)
        if scope.cancelled_caught and route.active:
            raise TimeoutError(f"it did not decide within {route.handler_timeout:g} s")
        return (None if scope.cancelled_caught else action), body

    async def _decided(
        self, action: RouteAction | RouteHandler, request: RoutedRequest
    ) -> RouteAction | None:
        if isinstance(action, RouteAction):
            return action
        found: Any
        if inspect.iscoroutinefunction(action):
            found = await action(request)
        else:
            found = await trio.to_thread.run_sync(
                action, request, abandon_on_cancel=True, limiter=self._limiter
            )
            if inspect.isawaitable(found):
                found = await found
        if found is not None and not isinstance(found, RouteAction):
            raise TypeError(f"expected Fulfill, Abort, Continue or None from it, got {found!r}")
        decided: RouteAction | None = found
        return decided

    # Answers.

    def _answer(
        self,
        one: AttachedSession,
        id_: str,
        request: RoutedRequest,
        route: Route,
        action: RouteAction,
        body: bytes,
    ) -> None:
        if isinstance(action, Fulfill):
            method, params = action.command(request, body)
        else:
            method, params = action.command() if isinstance(action, Abort) else action.command(request)

        def check(reply: Payload | HybridsnapError) -> None:
            # Where the domain is off by now, or the page elsewhere, there is no such request any more.
            if isinstance(reply, CommandRefused) and self._enabled and "InterceptionId" not in reply.reason:
                self._fail(route, request, f"the browser refuses the answer: {reply.reason}")
                self._go_on(one, id_)

        one.session.post(method, {**params, "requestId": id_}, check)
        route.count += 1
        if route.count == route.times:
            self.remove(route)

    @staticmethod
    def _go_on(one: AttachedSession, id_: str) -> None:
        one.session.post("Fetch.continueRequest", {"requestId": id_}, ignore_reply)

    def _fail(self, route: Route, request: RoutedRequest, why: str) -> None:
        route.failures += 1
        what = f"{request.method} {excerpt(request.url, _SHOWN)}"
        self._notices.add(
            Notice(f"the route {route.url!r} was passed over for {what}: {clean_text(why)}", time.time())
        )
