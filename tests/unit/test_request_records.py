"""Requests out of the protocol's events, without a browser; and any of them as HAR."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from hypothesis import given
from hypothesis import strategies as st

from hybridsnap.client.har import build_har
from hybridsnap.client.request_log import REQUESTS, RequestLog
from hybridsnap.client.request_records import NetworkRequest, Timing, read_timing
from tests.support.har import check_har

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.client.attachment import PageAttachment

_MS = st.one_of(st.just(-1.0), st.floats(0, 1e6))
_TIMES = st.builds(
    Timing, blocked=_MS, dns=_MS, connect=_MS, ssl=_MS, send=st.floats(0, 1e6), wait=st.floats(0, 1e6)
)
_HEADERS = st.dictionaries(
    st.one_of(st.sampled_from(["cookie", "set-cookie", "location", "authorization"]), st.text()), st.text()
)
_REQUESTS = st.builds(
    NetworkRequest,
    id=st.just("r1"),
    url=st.sampled_from(["https://a.example/?q=1&r", "data:,x", "ws://[::1]:9/", "https://[oops", "x"]),
    method=st.sampled_from(["GET", "POST"]),
    resource_type=st.just("fetch"),
    state=st.sampled_from(["pending", "answered", "finished", "failed", "redirected"]),
    status=st.one_of(st.none(), st.integers(100, 599)),
    failure=st.one_of(st.none(), st.text()),
    remote_address=st.sampled_from(["", "127.0.0.1:80", "[::1]:80"]),
    request_headers=_HEADERS,
    response_headers=_HEADERS,
    post_data=st.one_of(st.none(), st.text()),
    started=st.floats(0, 4e9),
    duration_ms=st.one_of(st.none(), st.floats(0, 1e9)),
    timing=st.one_of(st.none(), _TIMES),
)


@given(st.lists(_REQUESTS, max_size=4), st.booleans())
def test_any_requests_are_a_har_log(requests: list[NetworkRequest], secrets: bool) -> None:
    check_har(build_har(requests, page_url="https://a.example/", secrets=secrets))


class _Page:
    """Hands events to a log as the attachment does."""

    def __init__(self) -> None:
        self.listeners: list[Callable[..., None]] = []
        self.preparations: list[Any] = []
        self.renewals: list[Any] = []
        self.traffic_listeners = 0
        self.session: Any = SimpleNamespace(session=SimpleNamespace(id="s"))
        self.log = RequestLog(cast("PageAttachment", self))
        self.log.start()

    def __iter__(self) -> Any:
        return iter(())

    def listen_for_frames(self) -> None: ...

    def notify(self) -> None: ...

    def tell(self, method: str, **params: Any) -> None:
        for listener in self.listeners:
            listener(self.session, f"Network.{method}", {"timestamp": 1.0, "type": "Fetch", **params})

    def send(self, number: str, url: str = "https://a.example/", **more: Any) -> None:
        request = {"url": url, "method": "GET", "headers": {"Accept": "*/*"}}
        initiator = {"type": "script"}
        self.tell(
            "requestWillBeSent", requestId=number, request=request, wallTime=1.0, initiator=initiator, **more
        )

    def answer(self, number: str, status: int = 200) -> None:
        self.tell("responseReceived", requestId=number, response=response(status))


def response(status: int) -> dict[str, Any]:
    return {"status": status, "statusText": "", "headers": {"A": "cached"}, "mimeType": "text/plain"}


def test_headers_come_before_or_after_the_rest() -> None:
    sent = {"headers": {"Cookie": "a=b"}}
    came = {"headers": {"Set-Cookie": "a=b"}, "statusCode": 200}
    for before in (True, False):
        page = _Page()
        if before:
            page.tell("requestWillBeSentExtraInfo", requestId="1", **sent)
        page.send("1")
        if before:
            page.tell("responseReceivedExtraInfo", requestId="1", **came)
        page.answer("1")
        if not before:
            page.tell("requestWillBeSentExtraInfo", requestId="1", **sent)
            page.tell("responseReceivedExtraInfo", requestId="1", **came)
        (one,) = page.log.requests
        assert one.request_headers == {"cookie": "a=b"}
        assert one.response_headers == {"set-cookie": "a=b"}


def test_each_of_a_chain_has_its_own_headers() -> None:
    page = _Page()
    for status, url in (
        (302, "https://a.example/1"),
        (302, "https://a.example/2"),
        (200, "https://a.example/3"),
    ):
        more = {"redirectResponse": response(302)} if page.log.count else {}
        page.send("1", url, **more)
        page.tell("requestWillBeSentExtraInfo", requestId="1", headers={"To": url})
        page.tell("responseReceivedExtraInfo", requestId="1", headers={"From": url}, statusCode=status)
    page.answer("1")
    page.tell("loadingFinished", requestId="1", encodedDataLength=5)
    for one in page.log.requests:
        assert one.request_headers == {"to": one.url}
        assert one.response_headers == {"from": one.url}
    assert [one.state for one in page.log.requests] == ["redirected", "redirected", "finished"]
    assert page.log.requests[2].redirects == (("https://a.example/1", 302), ("https://a.example/2", 302))


def test_an_answer_of_the_cache_that_was_found_to_be_good_keeps_its_headers() -> None:
    page = _Page()
    page.send("1")
    page.tell("responseReceivedExtraInfo", requestId="1", headers={"B": "new"}, statusCode=304)
    page.answer("1")
    assert page.log.requests[0].response_headers == {"a": "cached"}


def test_nothing_is_kept_of_requests_that_had_to_go() -> None:
    page = _Page()
    for number in range(3 * REQUESTS):
        page.send(str(number))
        page.tell("requestWillBeSentExtraInfo", requestId=f"never told {number}", headers={})
    assert len(page.log.requests) == REQUESTS
    assert page.log.dropped == 2 * REQUESTS
    assert len(page.log._chains) == REQUESTS
    assert len(page.log._headers) <= 2 * REQUESTS + 1
    page.answer("0")  # of one that is not known any more


def test_timing_says_where_the_time_went() -> None:
    moments = {
        "dnsStart": 1.0,
        "dnsEnd": 3.0,
        "connectStart": 3.0,
        "connectEnd": 9.0,
        "sslStart": 5.0,
        "sslEnd": 9.0,
        "sendStart": 9.5,
        "sendEnd": 10.0,
        "receiveHeadersEnd": 30.0,
    }
    found = read_timing(moments)
    assert found == Timing(blocked=1.0, dns=2.0, connect=6.0, ssl=4.0, send=0.5, wait=20.0)
    again = {**moments, **dict.fromkeys(("dnsStart", "connectStart", "sslStart"), -1.0)}
    assert read_timing(again) == Timing(blocked=9.5, send=0.5, wait=20.0)
    assert read_timing(None) is None
