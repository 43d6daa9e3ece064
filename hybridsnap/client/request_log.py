"""The record of a page's network requests: the last 500, from the events of all its processes.

A request keeps its number of the protocol when a frame moves to another process (documents) or is redirected;
a redirect is a request of its own here, and the record of each knows of those before it. Chromium tells the
headers as they went over the network in events of their own, before or after the others: the n-th of a number
belongs to the n-th request of that number.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import time
from typing import TYPE_CHECKING, Any

from hybridsnap.client.flood import FloodBreaker, Notice
from hybridsnap.client.network import disable_network, enable_network, is_worker_script
from hybridsnap.client.request_records import (
    MOST_CHARACTERS,
    NetworkRequest,
    SocketTraffic,
    Timing,
    clip,
    read_headers,
    read_initiator,
    read_socket_message,
    read_timing,
)
from hybridsnap.client.subscriptions import Dropped, RecordSubscription, Ring
from hybridsnap.drivers.base import ignore_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.client.attachment import AttachedSession, PageAttachment
    from hybridsnap.client.connection import Session

#: So many requests and notices are kept.
REQUESTS, NOTICES = 500, 20
#: More events within a second are a flood. A request has five or more; one costs this process some 50 µs.
MOST_A_SECOND = 4000
#: What the report of a capture says of a flood.
FLOOD_WORDS = (
    f"the page has more than {MOST_A_SECOND:,} network events a second: they are not recorded for a while"
)
#: Bytes of bodies that the browser keeps for each process of a page: in all, and of one response.
KEPT_BYTES, KEPT_RESPONSE_BYTES = 50_000_000, 10_000_000


class RequestSubscription(RecordSubscription[NetworkRequest]):
    """Requests as they end, for ``async for``; `Network.follow` makes it.

    Where the reader fell behind, or there was more than could be followed, a `Dropped` stands in the place of
    what was lost.

    Attributes:
        dropped: how many were lost so far.
        closed: no more come.
    """

    def __aiter__(self) -> RequestSubscription:
        return self

    async def __anext__(self) -> NetworkRequest | Dropped:
        return await self._next_record()


@dataclasses.dataclass(slots=True, eq=False)
class _Entry:
    request: NetworkRequest
    number: str
    session: Session
    monotonic: float
    of_worker: bool = False


@dataclasses.dataclass(slots=True, eq=False)
class _Headers:
    """Of one number: headers that came in events of their own; of responses, with their status."""

    requests: list[dict[str, str]] = dataclasses.field(default_factory=list)
    responses: list[tuple[dict[str, str], int]] = dataclasses.field(default_factory=list)


class RequestLog:
    """Records requests between `start` and `stop`.

    Attributes:
        notices: what befell the record.
        followers: who is handed each request as it ends.
        count: how many requests there were; the last has this number.
    """

    def __init__(self, attachment: PageAttachment) -> None:
        self._attachment = attachment
        self._ring: Ring[_Entry] = Ring(REQUESTS)
        #: Number of the protocol → requests of that number, one redirected to the next.
        self._chains: dict[str, list[_Entry]] = {}
        self._headers: dict[str, _Headers] = {}
        self._breaker = FloodBreaker(MOST_A_SECOND, self._stop_flood, self._end_flood)
        self._missed = 0
        #: In the flood that is on.
        self._missed_now = 0
        self.notices: Ring[Notice] = Ring(NOTICES)
        self.followers: list[RequestSubscription] = []
        self.recording: bool = False
        self.count: int = 0
        self._readers: dict[str, Callable[[AttachedSession, dict[str, Any]], None]] = {
            "Network.requestWillBeSent": self._sent,
            "Network.requestWillBeSentExtraInfo": self._sent_headers,
            "Network.responseReceived": self._answered,
            "Network.responseReceivedExtraInfo": self._answered_headers,
            "Network.requestServedFromCache": self._from_cache,
            "Network.dataReceived": self._received,
            "Network.loadingFinished": self._finished,
            "Network.loadingFailed": self._failed,
            "Network.webSocketCreated": self._socket_created,
            "Network.webSocketWillSendHandshakeRequest": self._socket_sent,
            "Network.webSocketHandshakeResponseReceived": self._socket_answered,
            "Network.webSocketFrameSent": functools.partial(self._socket_message, sent=True),
            "Network.webSocketFrameReceived": functools.partial(self._socket_message, sent=False),
            "Network.webSocketFrameError": self._socket_failed,
            "Network.webSocketClosed": self._socket_closed,
        }

    @property
    def dropped(self) -> int:
        """How many requests are not kept any more, or were never heard of: at least so many."""
        return self._ring.dropped + self._missed

    @property
    def flooding(self) -> bool:
        """Whether nothing is recorded for now, because there was too much."""
        return self._breaker.flooding

    @property
    def requests(self) -> list[NetworkRequest]:
        """Those that are kept, as they are now."""
        return [copy.copy(one.request) for one in self._ring]

    def body_source(self, id_: str) -> tuple[NetworkRequest, str, Session] | None:
        """Of a request that is kept: its number in the protocol, and the session that has its body."""
        for one in self._ring:
            if one.request.id == id_:
                return copy.copy(one.request), one.number, one.session
        return None

    def coming_bytes(self, id_: str) -> int | None:
        """Of a response that still comes, how much of its body is there; None when no more is told of it."""
        for one in self._ring:
            if one.request.id == id_:
                is_over = one.request.ended or (one.of_worker and one.request.state == "answered")
                return None if is_over else one.request.body_bytes
        return None

    def start(self) -> None:
        """Record from now on. Never waits."""
        if not self.recording:
            self.recording = True
            self._attachment.listeners.append(self._take)
            self._attachment.preparations.append(self._keep_bodies)
            self._attachment.renewals.append(self._renew)
            self._attachment.listen_for_frames()
            if not self.flooding:
                self._enable()

    def stop(self) -> None:
        """Record no more."""
        if self.recording:
            self.recording = False
            self._attachment.listeners.remove(self._take)
            self._attachment.preparations.remove(self._keep_bodies)
            self._attachment.renewals.remove(self._renew)
            self._attachment.listen_for_frames()
            if not self.flooding:
                disable_network(self._attachment)

    def clear(self) -> None:
        """Forget what is recorded; numbers go on."""
        self._ring.clear()
        self._chains.clear()
        self._headers.clear()
        self.notices.clear()
        self._missed = 0

    def _enable(self) -> None:
        enable_network(self._attachment)
        for one in self._attachment:
            self._keep_bodies(one)

    def _keep_bodies(self, one: AttachedSession) -> None:
        if self.flooding:
            return
        # The domain is on already, for all who listen, and keeps no bodies.
        kept = {"maxTotalBufferSize": KEPT_BYTES, "maxResourceBufferSize": KEPT_RESPONSE_BYTES}
        kept["maxPostDataSize"] = MOST_CHARACTERS
        one.session.post("Network.enable", kept, ignore_reply)

    def _take(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        reader = self._readers.get(method)
        if reader is None:
            if method == "Inspector.targetReloadedAfterCrash":  # the new process need not know
                self._keep_bodies(one)
            return
        if self.flooding:
            self._missed_now += method == "Network.requestWillBeSent"
        elif not self._breaker.floods(one.session):
            reader(one, params)

    # Floods.

    def _stop_flood(self) -> None:
        disable_network(self._attachment)
        self._note(
            f"the page had more than {MOST_A_SECOND:,} network events within a second: they are not recorded"
            " for a while"
        )

    def _end_flood(self) -> None:
        self._headers.clear()
        missed, self._missed_now = self._missed_now, 0
        missed += sum(one.session.muted.get("Network.requestWillBeSent", 0) for one in self._attachment)
        self._missed += missed
        self._leave_open()
        for follower in self.followers:
            follower.lose(missed)
        self._note(f"requests are recorded again; at least {missed:,} began meanwhile")
        if self.recording:
            self._enable()

    def _leave_open(self) -> None:
        """Of the requests that are under way no end is heard."""
        for one in self._ring:
            if not one.request.ended:
                self._chains.pop(one.number, None)

    def _renew(self) -> None:
        """The page was attached to anew, and its requests are recorded again."""
        self._leave_open()
        for follower in self.followers:
            follower.interrupt()
        self._note(
            "the page was attached to anew, as when a connection drops: requests meanwhile are not recorded"
        )

    def _note(self, words: str) -> None:
        self.notices.add(Notice(words, time.time()))

    # What the events say.

    def _begin(self, one: AttachedSession, params: dict[str, Any], **what: Any) -> _Entry:
        self.count += 1
        number = params["requestId"]
        request = NetworkRequest(id=f"r{self.count}", **what)
        entry = _Entry(request, number, one.session, params["timestamp"])
        chain = self._chains.setdefault(number, [])
        chain.append(entry)
        gone = self._ring.add(entry)
        if gone is not None:
            before = self._chains.get(gone.number, [])
            extra = self._headers.get(gone.number, _Headers())
            if gone in before:
                before.remove(gone)
                del extra.requests[:1], extra.responses[:1]
            if not before:
                self._chains.pop(gone.number, None)
                self._headers.pop(gone.number, None)
        return entry

    def _sent(self, one: AttachedSession, params: dict[str, Any]) -> None:
        number, sent = params["requestId"], params["request"]
        chain = self._chains.get(number, [])
        before = chain[-1] if chain else None
        if before is not None:
            if "redirectResponse" not in params:
                before.session = one.session  # its document goes on in another process
                return
            self._take_response(before, params["redirectResponse"])
            before.request.state = "redirected"
            self._end(before, params["timestamp"])
        entry = self._begin(
            one,
            params,
            url=clip(sent["url"] + sent.get("urlFragment", "")),
            method=sent["method"],
            resource_type=params.get("type", "Other").lower(),
            request_headers=read_headers(sent["headers"]),
            started=params["wallTime"],
            initiator=read_initiator(params["initiator"]),
        )
        request, entry.of_worker = entry.request, is_worker_script(params)
        if sent.get("hasPostData"):
            posted = sent.get("postData")
            request.post_data = None if posted is None else clip(posted)
            request.request_body_bytes = None if posted is None else len(posted.encode())
        if before is not None:
            request.redirected_from, request.initiator = before.request.id, before.request.initiator
            request.redirects = (*before.request.redirects, (before.request.url, before.request.status or 0))
        self._match_headers(number)

    def _sent_headers(self, _: AttachedSession, params: dict[str, Any]) -> None:
        self._extra(params["requestId"]).requests.append(read_headers(params["headers"]))
        self._match_headers(params["requestId"])

    def _answered_headers(self, _: AttachedSession, params: dict[str, Any]) -> None:
        told = read_headers(params["headers"]), params["statusCode"]
        self._extra(params["requestId"]).responses.append(told)
        self._match_headers(params["requestId"])

    def _extra(self, number: str) -> _Headers:
        if len(self._headers) > 2 * REQUESTS:  # of requests that were never told
            del self._headers[next(iter(self._headers))]
        return self._headers.setdefault(number, _Headers())

    def _match_headers(self, number: str) -> None:
        extra, chain = self._headers.get(number), self._chains.get(number, [])
        if extra is None or not chain:
            return
        for entry, sent in zip(chain, extra.requests, strict=False):
            entry.request.request_headers = sent
        for entry, (came, status) in zip(chain, extra.responses, strict=False):
            if entry.of_worker and entry.request.state == "pending":  # no more is told of it
                entry.request.state, entry.request.status = "answered", status
            if status == entry.request.status:  # not so where the cache's own answer was found to be good
                entry.request.response_headers = came

    def _current(self, params: dict[str, Any]) -> _Entry | None:
        chain = self._chains.get(params["requestId"])
        return chain[-1] if chain else None

    def _take_response(self, entry: _Entry, response: dict[str, Any]) -> None:
        request = entry.request
        request.status, request.status_text = response["status"], clip(response["statusText"])
        request.response_headers = read_headers(response["headers"])
        request.mime_type, request.protocol = clip(response["mimeType"]), response.get("protocol", "")
        if response.get("remoteIPAddress"):
            request.remote_address = f"{response['remoteIPAddress']}:{response.get('remotePort', 0)}"
        request.transferred_bytes = int(response.get("encodedDataLength", 0))
        for name, words in _SOURCES.items():
            if response.get(name):
                request.served_from = words
        request.timing = read_timing(response.get("timing"))
        self._match_headers(entry.number)

    def _answered(self, one: AttachedSession, params: dict[str, Any]) -> None:
        entry = self._current(params)
        if entry is None:
            return
        entry.session = one.session
        entry.request.state = "answered"
        if params["type"] != "Other":  # as which a data: address is answered
            entry.request.resource_type = params["type"].lower()
        self._take_response(entry, params["response"])
        self._attachment.notify()

    def _from_cache(self, _: AttachedSession, params: dict[str, Any]) -> None:
        if entry := self._current(params):
            entry.request.served_from = "memory cache"

    def _received(self, _: AttachedSession, params: dict[str, Any]) -> None:
        if entry := self._current(params):
            entry.request.body_bytes += params["dataLength"]
            entry.request.transferred_bytes += params["encodedDataLength"]

    def _finished(self, one: AttachedSession, params: dict[str, Any]) -> None:
        entry = self._current(params)
        if entry is None or entry.request.ended:
            return
        entry.session = one.session
        entry.request.state = "finished"
        if params.get("encodedDataLength"):
            entry.request.transferred_bytes = int(params["encodedDataLength"])
        self._end(entry, params["timestamp"])

    def _failed(self, _: AttachedSession, params: dict[str, Any]) -> None:
        entry = self._current(params)
        if entry is None or entry.request.ended:
            return
        words = params["errorText"]
        if params.get("blockedReason"):
            words = f"{words} (blocked: {params['blockedReason']})"
        elif params.get("corsErrorStatus"):
            words = f"{words} (CORS: {params['corsErrorStatus']['corsError']})"
        elif params.get("canceled"):
            words = f"{words} (canceled)"
        entry.request.state, entry.request.failure = "failed", words.strip()
        self._end(entry, params["timestamp"])

    def _end(self, entry: _Entry, timestamp: float) -> None:
        request = entry.request
        request.duration_ms = round(max(0.0, timestamp - entry.monotonic) * 1000, 3)
        if request.timing is not None:
            request.timing = _with_body(request.timing, request.duration_ms)
        for follower in self.followers:
            follower.put(copy.copy(request))
        self._attachment.notify()

    def _socket_created(self, one: AttachedSession, params: dict[str, Any]) -> None:
        started = {**params, "timestamp": time.monotonic()}
        self._begin(
            one,
            started,
            url=clip(params["url"]),
            method="GET",
            resource_type="websocket",
            started=time.time(),
            initiator=read_initiator(params.get("initiator") or {"type": "script"}),
            socket=SocketTraffic(),
        )

    def _socket_sent(self, _: AttachedSession, params: dict[str, Any]) -> None:
        if entry := self._current(params):
            entry.request.request_headers = read_headers(params["request"]["headers"])
            entry.request.started, entry.monotonic = params["wallTime"], params["timestamp"]

    def _socket_answered(self, _: AttachedSession, params: dict[str, Any]) -> None:
        if entry := self._current(params):
            response = params["response"]
            entry.request.state = "answered"
            entry.request.status, entry.request.status_text = response["status"], clip(response["statusText"])
            entry.request.response_headers = read_headers(response["headers"])

    def _socket_message(self, _: AttachedSession, params: dict[str, Any], *, sent: bool) -> None:
        entry = self._current(params)
        if entry is not None and entry.request.socket is not None:
            moment = entry.request.started + params["timestamp"] - entry.monotonic
            message = read_socket_message(params["response"], sent=sent, time=round(moment, 6))
            entry.request.socket = entry.request.socket.plus(message)

    def _socket_failed(self, _: AttachedSession, params: dict[str, Any]) -> None:
        if entry := self._current(params):
            entry.request.failure = clip(params["errorMessage"])

    def _socket_closed(self, _: AttachedSession, params: dict[str, Any]) -> None:
        entry = self._current(params)
        if entry is not None and not entry.request.ended:
            if entry.request.status is None and entry.request.failure is None:
                entry.request.failure = "closed before it was open"
            entry.request.state = "finished" if entry.request.failure is None else "failed"
            self._end(entry, params["timestamp"])


#: Where a response came from, if not from the network.
_SOURCES = {
    "fromDiskCache": "disk cache",
    "fromServiceWorker": "service worker",
    "fromPrefetchCache": "prefetch cache",
}


def _with_body(timing: Timing, duration_ms: float) -> Timing:
    """What is left of a request's time went into the body."""
    before = (timing.blocked, timing.dns, timing.connect, timing.send, timing.wait)
    receive = round(max(0.0, duration_ms - sum(one for one in before if one > 0)), 3)
    return dataclasses.replace(timing, receive=receive)
