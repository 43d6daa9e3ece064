"""What a page asks the network for: its requests, their bodies, waiting for responses, HAR, routes."""

from __future__ import annotations

import base64
import contextlib
import json
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.act.conditions import parse_url_glob
from hybridsnap.argument_checks import check_str, check_whole, read_strs
from hybridsnap.client.har import build_har
from hybridsnap.client.interception import HANDLER_SECONDS, Route
from hybridsnap.client.request_log import RequestSubscription
from hybridsnap.client.request_records import (
    RECORDED_TYPES,
    NetworkRequest,
    ResponseBody,
    read_statuses,
)
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.errors import CommandRefused, WaitTimeout

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from hybridsnap.client.flood import Notice
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.client.routes import RouteAction, RouteHandler

#: Of a body, so many bytes are returned unless more is asked for.
BODY_BYTES = 1_000_000
#: The end of a response is not always told (of a ``fetch`` whose body no script reads): so much longer is
#: waited for it than for the response's head.
_UNREAD_SECONDS = 2.0


class Network:
    """`Page.network`: the requests of the page, of all its frames, and routes for those to come.

    ``launch(record=["network"])`` records every page from its beginning. Otherwise recording begins with
    `start` or with the first call that reads requests; Chromium does not keep earlier ones. The last 500
    requests are kept.
    """

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._log = context.request_log
        self._interception = context.interception

    @property
    def recording(self) -> bool:
        """Whether requests are recorded."""
        return self._log.recording

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What befell the record: there was more than could be followed, for instance."""
        return tuple(self._log.notices)

    @property
    def dropped(self) -> int:
        """How many requests are not kept any more, or were never heard of: at least so many."""
        return self._log.dropped

    @property
    def last_id(self) -> str:
        """The id of the request that began last; ``r0`` before the first."""
        return f"r{self._log.count}"

    async def start(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> None:
        """Record from now on.

        Args:
            timeout: seconds, for the page to confirm that; one that is busy is waited for a second at most.
        """
        self._log.start()
        await self._context.receive_events(Deadline.of(timeout))

    def stop(self) -> None:
        """Record no more; what is recorded stays, but the browser lets go of the bodies."""
        self._log.stop()

    def clear(self) -> None:
        """Forget what is recorded. Ids go on: none is given twice."""
        self._log.clear()

    async def requests(
        self,
        *,
        url: str | None = None,
        resource_type: str | Sequence[str] | None = None,
        status: int | str | None = None,
        method: str | None = None,
        failed: bool | None = None,
        after: str | None = None,
        limit: int | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> list[NetworkRequest]:
        """The requests that are kept, in the order in which they began, with all that began before this call.

        Args:
            url: only of such addresses, as `Page.wait_for` has it: ``**/api/*``.
            resource_type: only of this type, or of these: ``document``, ``script``, ``xhr``, ``fetch``, …
            status: only those answered with this status, or with one of a class: ``"4xx"``.
            method: only of this method.
            failed: True for those without a response and those answered with an error (from 400 on); False
                for the others.
            after: only those that began after the one of this id.
            limit: only the last so many.
            timeout: seconds. A page that is busy is waited for a second at most, and then what was received
                is returned.

        Raises:
            ValueError, TypeError: an argument means nothing.
        """
        fits = request_filter(url, resource_type, status, method, failed, after)
        check_whole("limit", limit, 1, optional=True)
        await self.start(timeout=timeout)
        found = [one for one in self._log.requests if fits(one)]
        return found if limit is None else found[-limit:]

    async def request(self, id_: str, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> NetworkRequest:
        """One request.

        Args:
            id_: such as ``r12``.
            timeout: seconds, as for `requests`.

        Raises:
            LookupError: no such request is kept.
        """
        check_str("id_", id_, "r12")
        await self._context.receive_events(Deadline.of(timeout))
        return self._source(id_)[0]

    async def response_body(
        self, id_: str, *, max_bytes: int = BODY_BYTES, timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> ResponseBody:
        """The body of a response, as long as the browser has it.

        It keeps those of the document that is there: at most 50 MB for each process, 10 MB for each response.
        A response that still comes is waited for.

        Args:
            id_: of the request, such as ``r12``.
            max_bytes: the rest is left out; `ResponseBody.truncated` says so.
            timeout: seconds.

        Raises:
            LookupError: no such request is kept.
            CommandRefused: the browser has no body of it (any more).
            CommandUnanswered: it did not answer in time.
            WaitTimeout: the response still came when the time was over.
        """
        check_str("id_", id_, "r12")
        check_whole("max_bytes", max_bytes, 0)
        deadline = Deadline.of(timeout)
        await self._wait_for_end(id_, deadline)
        request, number, session = self._source(id_)
        if request.state == "redirected":  # by its number the browser has the body of what came after
            raise CommandRefused(
                f"{id_} was answered with a redirect, which has no body; the request after it has one",
                method="Network.getResponseBody",
                code=0,
                reason="redirected",
            )
        try:
            reply = await session.send("Network.getResponseBody", {"requestId": number}, deadline=deadline)
        except CommandRefused as error:
            raise CommandRefused(
                f"the browser has no body of {request.id} (any more): {error.reason}",
                method=error.method,
                code=error.code,
                reason=error.reason,
            ) from None
        body: str = reply["body"]
        data = base64.b64decode(body) if reply["base64Encoded"] else body.encode("utf-8", "replace")
        return ResponseBody(data[:max_bytes], len(data), request.mime_type)

    async def wait_for_response(
        self,
        url: str,
        *,
        resource_type: str | Sequence[str] | None = None,
        status: int | str | None = None,
        method: str | None = None,
        after: str | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> NetworkRequest:
        """Wait until a request is answered, its body included; `response_body` has that.

        ::

            await page.network.start()
            before = page.network.last_id
            await page.click("0-29")
            found = await page.network.wait_for_response("**/api/*", after=before)
            body = await page.network.response_body(found.id)

        Args:
            url: of its address, as `Page.wait_for` has it.
            resource_type: as for `requests`; also the next three.
            status: see there.
            method: see there.
            after: see there; None waits for a request that begins only now.
            timeout: seconds.

        Returns:
            The first that fits, also one that was answered with an error.

        Raises:
            WaitTimeout: none was answered in time.
            ValueError, TypeError: an argument means nothing.
        """
        fits = request_filter(
            url, resource_type, status, method, None, self.last_id if after is None else after
        )
        deadline = Deadline.of(timeout)
        self._log.start()
        found: list[NetworkRequest] = []

        def answered() -> bool:
            found[:] = [one for one in self._log.requests if one.status is not None and fits(one)]
            return any(one.ended and one.state != "redirected" for one in found)

        def head() -> bool:
            return answered() or any(one.state == "answered" for one in found)

        attachment = self._context.attachment
        await attachment.wait_until(head, deadline, outlasts_drops=True)
        await attachment.wait_until(answered, deadline.earlier(Deadline.after(_UNREAD_SECONDS)))
        for one in found:
            if one.state != "redirected":
                return one
        raise WaitTimeout(f"no response from {url} came in time", missing=(f"url={url!r}",))

    @property
    def routes(self) -> list[Route]:
        """The routes that there are, in the order in which they are asked: the one added last first."""
        return list(self._interception.routes)

    async def route(
        self,
        url: str,
        action: RouteAction | RouteHandler,
        *,
        resource_type: str | Sequence[str] | None = None,
        method: str | None = None,
        times: int | None = None,
        handler_timeout: float = HANDLER_SECONDS,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> Route:
        """Decide what happens to requests before they leave the browser.

        ::

            await page.network.route("**/*.png", hybridsnap.Abort())
            await page.network.route("**/api/basket", hybridsnap.Fulfill(json={"items": []}))
            await page.network.route("**/api/*", hybridsnap.Continue(headers={"x-test": "1"}))

            async def decide(request):
                return hybridsnap.Abort() if "tracking" in request.url else None

            await page.network.route("**", decide)

        It holds for all frames of the page and for its dedicated workers, until it is removed or the
        connection ends. A popup is a page of its own. What needs no request is not stopped: the page's
        memory cache, ``data:`` addresses, WebSockets; nor are the requests of service and shared workers.

        Args:
            url: of such addresses, without fragment, as `Page.wait_for` has it: ``**/api/*``.
            action: what is done, or a function that looks at the `RoutedRequest` and returns that, or None
                for the next route. It is a coroutine function, or a plain one, which is called in a thread
                of its own.
            resource_type: only of this type, or of these: ``document``, ``stylesheet``, ``image``, ``media``,
                ``font``, ``script``, ``fetch`` (also ``xhr``), ``ping``, ``other``.
            method: only of this method, and the CORS preflights of such requests.
            times: for so many requests; then it is removed.
            handler_timeout: seconds for the function to decide on one request.
            timeout: seconds, for the browser to confirm that.

        Returns:
            The route. `Route.remove` takes it back, as does leaving it as a ``with`` block. Of several that
            fit, the one that was added last is asked first. A function that raises or takes too long is
            passed over: the next route is asked, or the request sent as it is; `notices` says so.

        Raises:
            ValueError, TypeError: an argument means nothing.
            CommandUnanswered: the browser did not confirm it in time; there is no route then.
        """
        route = Route(
            self._interception,
            url,
            action,
            resource_type=resource_type,
            method=method,
            times=times,
            handler_timeout=handler_timeout,
        )
        await self._interception.add(route, Deadline.of(timeout))
        return route

    def remove_routes(self) -> None:
        """Take all routes back."""
        self._interception.remove(*self.routes)

    @contextlib.contextmanager
    def follow(self, *, buffer: int = 1000) -> Generator[RequestSubscription, None, None]:
        """Requests as they end, well or not, for the length of the block; it records, too.

        ::

            with page.network.follow() as requests:
                async for one in requests:
                    print(one)

        Args:
            buffer: so many are held for a reader who falls behind; then the oldest go, and a `Dropped` says
                how many.
        """
        check_whole("buffer", buffer, 1)
        self._log.start()
        follower = RequestSubscription(buffer)
        with self._context.attachment.root.session.closing(follower):
            self._log.followers.append(follower)
            try:
                yield follower
            finally:
                self._log.followers.remove(follower)

    async def har(
        self,
        *,
        path: str | Path | None = None,
        secrets: bool = False,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> dict[str, Any]:
        """The requests that are kept as a HAR 1.2 log, which developer tools and analysers read.

        Args:
            path: a file to write it to.
            secrets: with cookies and credentials; otherwise only how long these are.
            timeout: seconds, as for `requests`.

        Returns:
            The log as JSON data. Bodies are not in it.
        """
        har = self.build_har(await self.requests(timeout=timeout), secrets=secrets)
        if path is not None:
            await trio.Path(path).write_text(json.dumps(har, indent=1), encoding="utf-8")
        return har

    def build_har(self, requests: Sequence[NetworkRequest], *, secrets: bool = False) -> dict[str, Any]:
        """Some of the requests as a HAR 1.2 log.

        Args:
            requests: in the order in which they began.
            secrets: as for `har`.
        """
        return build_har(requests, page_url=self._context.url, secrets=secrets)

    async def _wait_for_end(self, id_: str, deadline: Deadline) -> None:
        """Wait until all of a response is there, or until nothing more of it comes for a while."""
        await self._context.receive_events(deadline)
        size = self._log.coming_bytes(id_)

        def more() -> bool:
            return self._log.coming_bytes(id_) != size

        while size is not None:
            quiet = deadline.earlier(Deadline.after(_UNREAD_SECONDS))
            if not await self._context.attachment.wait_until(more, quiet):
                break
            size = self._log.coming_bytes(id_)
        if size is not None and deadline.expired:
            raise WaitTimeout(
                f"the response of {id_} was still coming when the time was over", missing=(id_,)
            )

    def _source(self, id_: str) -> tuple[NetworkRequest, str, Any]:
        source = self._log.body_source(id_)
        if source is None:
            recorded = (
                f"the last is {self.last_id}, and 500 are kept" if self._log.count else "there is none yet"
            )
            raise LookupError(f"no request {id_!r} is kept; {recorded}")
        return source


def request_filter(
    url: str | None,
    resource_type: str | Sequence[str] | None,
    status: int | str | None,
    method: str | None,
    failed: bool | None,
    after: str | None,
) -> Callable[[NetworkRequest], bool]:
    """What a request has to be like."""
    check_str("url", url, "**/api/*", optional=True)
    check_str("method", method, "POST", optional=True)
    pattern = None if url is None else parse_url_glob(url)
    types = None if resource_type is None else read_strs("resource_type", resource_type, "fetch")
    for name in types or ():
        if name not in RECORDED_TYPES:
            raise ValueError(f"resource_type: expected one of {', '.join(RECORDED_TYPES)}, got {name!r}")
    first = None if after is None else _number(after)
    least, most = read_statuses(status)

    def fits(one: NetworkRequest) -> bool:
        return (
            (pattern is None or one.url == url or pattern.fullmatch(one.url) is not None)
            and (types is None or one.resource_type in types)
            and (status is None or (one.status is not None and least <= one.status <= most))
            and (method is None or one.method == method.upper())
            and (failed is None or failed is _has_failed(one))
            and (first is None or int(one.id[1:]) > first)
        )

    return fits


def _has_failed(one: NetworkRequest) -> bool:
    return one.failure is not None or (one.status is not None and not one.ok)


def _number(id_: str) -> int:
    check_str("after", id_, "r12")
    if not (id_.startswith("r") and id_[1:].isascii() and id_[1:].isdigit()):
        raise ValueError(f"after: expected the id of a request such as r12, got {id_!r}")
    return int(id_[1:])
