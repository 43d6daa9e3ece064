"""Getting in, or out, where one may not: each test tries to."""

from __future__ import annotations

import contextlib
import ipaddress
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import trio

from hybridsnap.deadline import Deadline
from hybridsnap.errors import NavigationFailed
from hybridsnap.server.settings import Settings
from hybridsnap.service.addresses import AddressPolicy
from hybridsnap.service.browser_pool import BrowserPlan
from hybridsnap.service.errors import ApiError
from tests.support import http
from tests.support.pages import serve_pages
from tests.support.server_stage import TOKEN, answer_to, eventually, serving

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import hybridsnap
    from hybridsnap.service.addresses import Address
    from tests.support.server_stage import Served

_ROUTES = [
    ("POST", "/control/snapshot"),
    ("POST", "/control/act"),
    ("POST", "/control/evaluate"),
    ("POST", "/control/expand"),
    ("GET", "/tabs"),
    ("POST", "/tabs"),
    ("DELETE", "/tabs/x"),
    ("POST", "/sessions"),
    ("DELETE", "/sessions/default"),
    ("GET", "/events"),
    ("GET", "/health"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
    ("GET", "/nothing"),
    ("OPTIONS", "/tabs"),
]


async def test_without_the_token_nothing_is_answered(browser_endpoint: str) -> None:
    wrong: list[dict[str, str]] = [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": TOKEN},
        {"Authorization": "Bearer \xe4\xf6"},
        {"X-Authorization": f"Bearer {TOKEN}"},
    ]
    async with serving(browser_endpoint) as served, httpx.AsyncClient(trust_env=False) as stranger:
        for method, path in _ROUTES:
            for headers in wrong if path == "/tabs" else wrong[:1]:
                raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
                answer = await stranger.request(method, served.server.url + path, headers=raw)
                assert answer.status_code == 401, (method, path, headers)
                assert answer.json()["error"] == "Unauthorized"
                assert answer.headers["www-authenticate"].startswith("Bearer")
        query = f"{served.server.url}/tabs?token={TOKEN}&access_token={TOKEN}"
        assert (await stranger.get(query)).status_code == 401
        twice = [(b"authorization", b"Bearer wrong"), (b"authorization", f"Bearer {TOKEN}".encode())]
        assert (await stranger.get(f"{served.server.url}/tabs", headers=twice)).status_code == 401


async def test_another_host_is_refused(browser_endpoint: str) -> None:
    async with serving(browser_endpoint, server_names=("snap.test",)) as served:
        port = served.server.port
        for host in (
            "evil.example",
            f"evil.example:{port}",
            f"127.0.0.1.evil.example:{port}",
            f"localhost.evil.example:{port}",
            "localhost",
            "127.0.0.1",
            f"127.0.0.1:{port + 1}",
            f"127.0.0.2:{port}",
            "",
        ):
            answer = await served.client.get("/health", headers={"Host": host})
            assert answer.status_code == 421, host
        for host in (
            f"localhost:{port}",
            f"127.0.0.1:{port}",
            f"LOCALHOST.:{port}",
            "snap.test",
            "snap.test:1",
        ):
            assert (await served.client.get("/health", headers={"Host": host})).status_code == 200, host


async def test_a_page_of_another_origin_is_refused(browser_endpoint: str) -> None:
    async with serving(browser_endpoint, origins=("https://good.example",)) as served:
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": served.server.url},
            {"Origin": "https://good.example.evil.example"},
            {"Origin": "http://good.example"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
        ):
            answer = await served.client.get("/health", headers=headers)
            assert (answer.status_code, answer.json()["error"]) == (403, "OriginRefused"), headers
            assert "access-control-allow-origin" not in answer.headers


async def test_only_listed_origins_have_cors(browser_endpoint: str) -> None:
    good = {"Origin": "https://good.example"}
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    async with serving(browser_endpoint, origins=("https://good.example",)) as served:
        answer = await served.client.get("/health", headers=good)
        assert answer.headers["access-control-allow-origin"] == "https://good.example"
        assert "access-control-allow-credentials" not in answer.headers
        plain = await served.client.get("/health")
        assert "access-control-allow-origin" not in plain.headers
        async with httpx.AsyncClient(trust_env=False) as page:
            url = f"{served.server.url}/control/act"
            preflight = await page.options(url, headers={**good, **asked})
            assert preflight.status_code == 204
            assert "Authorization" in preflight.headers["access-control-allow-headers"]
            evil = await page.options(url, headers={"Origin": "https://evil.example", **asked})
            assert evil.status_code == 403
            assert not [name for name in evil.headers if name.startswith("access-control")]
            assert (await page.get(url, headers=good)).status_code == 401


async def test_a_page_in_a_browser_cannot_call(browser_endpoint: str, browser: hybridsnap.Browser) -> None:
    script = """async (url, token) => {
      const said = [];
      for (const headers of [{}, {Authorization: `Bearer ${token}`}])
        said.push(await fetch(url, {headers}).then((answer) => answer.status, (error) => error.name));
      await fetch(url, {mode: "no-cors", method: "POST", body: "{}"});
      return said;
    }"""
    async with serve_pages({"/": "<p>a page"}) as pages, serving(browser_endpoint) as served:
        page = await browser.new_page(pages.url("/"))
        assert await page.evaluate(script, f"{served.server.url}/tabs", TOKEN) == ["TypeError", "TypeError"]
        counted = (await served.client.get("/metrics")).text
        assert 'hybridsnap_http_refused_total{status="403"} 3.0' in counted
        assert 'route="/tabs"' not in counted


async def test_a_body_that_is_too_large_is_refused(browser_endpoint: str) -> None:
    async with serving(browser_endpoint, body_bytes=1000) as served:
        head = (
            f"POST /tabs HTTP/1.1\r\nHost: 127.0.0.1:{served.server.port}\r\n"
            f"Content-Type: application/json\r\nAuthorization: Bearer {TOKEN}\r\n"
        )
        for length in ("Content-Length: 5000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"):
            stream = await trio.open_tcp_stream("127.0.0.1", served.server.port)
            async with stream:
                await stream.send_all((head + length).encode())
                with contextlib.suppress(trio.BrokenResourceError):  # let go of while it still sends
                    for _ in range(5000):
                        await stream.send_all(b"3e8\r\n" + b"x" * 1000 + b"\r\n")
                answer = bytes(await stream.receive_some())
                assert answer.startswith(b"HTTP/1.1 413 "), answer
        as_json = {"Content-Type": "application/json"}
        fits = await served.client.post("/tabs", content=b" " * 990 + b"{}", headers=as_json)
        assert fits.status_code == 201
        for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
            typed = await served.client.post("/tabs", content=b"{}", headers={"Content-Type": kind})
            assert typed.status_code == 415, kind


async def test_two_lengths_of_a_body_close_the_connection(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        head = (
            f"POST /sessions HTTP/1.1\r\nHost: 127.0.0.1:{served.server.port}\r\n"
            f"Content-Type: application/json\r\nAuthorization: Bearer {TOKEN}\r\n"
            "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
        )
        answer = await answer_to(served.server.port, head)
        assert answer.startswith(b"HTTP/1.1 400 "), answer
        assert b"connection: close" in answer.lower()


async def test_http_2_is_refused_before_the_gate(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        host = f"Host: 127.0.0.1:{served.server.port}\r\nAuthorization: Bearer {TOKEN}\r\n"
        settings = "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"
        for request in (
            f"GET /tabs HTTP/1.1\r\n{host}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n{settings}",
            f"GET /tabs HTTP/1.1\r\n{host}Connection: Upgrade\r\nUpgrade: foo, H2C\r\n{settings}",
            f"GET /tabs HTTP/1.1\r\n{host}Upgrade: h2c\r\n{settings}",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
        ):
            answer = await answer_to(served.server.port, request)
            assert answer.startswith(b"HTTP/1.1 505 "), (request, answer)
        counted = (await served.client.get("/metrics")).text
        assert "hybridsnap_http_refused_total{" not in counted  # the gate saw none of them
        assert 'route="/tabs"' not in counted


async def test_websockets_are_refused_and_their_connections_closed(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        for version in ("13", "99"):
            request = (
                f"GET /tabs HTTP/1.1\r\nHost: 127.0.0.1:{served.server.port}\r\n"
                f"Authorization: Bearer {TOKEN}\r\n"
                "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                "Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n"
                f"Sec-WebSocket-Version: {version}\r\n\r\n"
            )
            answer = await answer_to(served.server.port, request, seconds=10)
            assert answer.startswith(b"HTTP/1.1 403 "), answer
        assert (await served.client.get("/health")).status_code == 200


_REFUSED_SCHEMES = [
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    " \x01file:///etc/passwd",
    "fi\nle:///etc/passwd",
    "chrome://version",
    "devtools://devtools/bundled/inspector.html",
    "view-source:https://example.com",
    "view-source:file:///etc/passwd",
    "data:text/html,hello",
    "javascript:alert(1)",
    "about:version",
    "blob:https://example.com/x",
    "filesystem:https://example.com/x",
    "ftp://example.com/",
    "chrome-extension://abc/x.html",
]


async def test_schemes_are_refused(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        tab = await served.open("about:blank")
        for url in _REFUSED_SCHEMES:
            for answer in (
                await served.post("/tabs", url=url),
                await served.post("/control/snapshot", url=url),
                await served.post("/control/snapshot", url=url, targetId=tab),
                await served.post("/control/act", action="goto", url=url),
            ):
                assert (answer.status_code, answer.json()["error"]) == (403, "SchemeRefused"), url
            seen = await served.done("/control/snapshot")
            assert seen["report"]["url"] == "about:blank", url


async def test_a_host_and_a_port_are_no_scheme(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        answer = await served.post("/tabs", url="localhost:8766/x")
        assert (answer.status_code, answer.json()["error"]) == (400, "BadRequest")
        assert answer.json()["remedy"] == "write http://localhost:8766/x"


async def test_a_scheme_that_is_allowed_may_be_used(browser_endpoint: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>a file")
    schemes = frozenset({"https", "file", "javascript"})
    async with serving(browser_endpoint, schemes=schemes) as served:
        seen = await served.done("/control/snapshot", url=(tmp_path / "a.html").as_uri())
        assert "a file" in seen["combinedTree"]
        assert (await served.post("/tabs", url="javascript:1")).status_code == 403
        assert (await served.post("/tabs", url="http://127.0.0.1/")).status_code == 403


_PRIVATE = [
    "127.0.0.1",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "b.LOCALHOST.",
    "127.1",
    "0x7f.1",
    "2130706433",
    "0177.0.0.1",
    "0.0.0.0",
    "１２７.０.０.１",
    "127。0。0。1",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "10.0.0.1",
    "192.168.1.1",
    "172.16.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "[fe80::1]",
    "[fd00::1]",
    "[fec0::1]",
    "[64:ff9b:1::808:808]",
    "[64:ff9b:1:a00:1::808:808]",
    "[3fff::1]",
    "192.88.99.1",
    "192.0.0.8",
    "224.0.0.1",
    "255.255.255.255",
    "user:pw@127.0.0.1",
    "public.test@127.0.0.1",
    "intern.test",
    "mixed.test",
]
_NAMES = {
    "public.test": ["93.184.216.34"],
    "intern.test": ["10.1.2.3"],
    "mixed.test": ["93.184.216.34", "127.0.0.1"],
    "b.localhost": ["93.184.216.34"],
    "127.1": ["127.0.0.1"],
    "0x7f.1": ["127.0.0.1"],
    "2130706433": ["127.0.0.1"],
    "0177.0.0.1": ["127.0.0.1"],
}


async def _resolve(host: str) -> Sequence[Address]:
    """A world of names that needs no network; numbers in odd forms are what the system makes of them."""
    if host.lower() not in _NAMES:
        raise OSError("no such host")
    return [ipaddress.ip_address(one) for one in _NAMES[host.lower()]]


async def test_private_addresses_are_refused(browser_endpoint: str) -> None:
    async with serving(browser_endpoint, allow_private=False, resolve=_resolve) as served:
        await served.open("about:blank")
        for host in _PRIVATE:
            for answer in (
                await served.post("/tabs", url=f"http://{host}/"),
                await served.post("/control/act", action="goto", url=f"https://{host}:8443/x"),
            ):
                assert (answer.status_code, answer.json()["error"]) == (403, "AddressRefused"), host
        for url in (
            "http:\\\\127.0.0.1/",
            "http:/127.0.0.1/",
            "http:127.0.0.1",
            "http://%31%32%37.0.0.1/",
            "http:///127.0.0.1",
            "ht\ntp:\\/127.1",
        ):  # browsers read all of these as http://127.0.0.1/
            answer = await served.post("/tabs", url=url)
            assert (answer.status_code, answer.json()["error"]) == (403, "AddressRefused"), url
        for url in ("http://public.test:80:80/", "http://08.1/", "http://a b/", "127.0.0.1", "", "http://"):
            answer = await served.post("/tabs", url=url)
            assert (answer.status_code, answer.json()["error"]) == (400, "BadRequest"), url
        for host in ("nowhere.test", "a..b", "a" * 64 + ".test"):
            unknown = await served.post("/tabs", url=f"http://{host}/")
            assert (unknown.status_code, unknown.json()["error"]) == (502, "NavigationFailed"), host


async def test_what_is_not_found_out_in_time_is_not_shown() -> None:
    async def silent(_: str) -> Sequence[Address]:
        await trio.sleep_forever()
        raise AssertionError

    rules = AddressPolicy(Settings(token=TOKEN), resolve=silent)
    with pytest.raises(NavigationFailed, match="not resolved in time"):
        await rules.check_shown(["about:blank", "http://slow.test/"], Deadline.after(0.05))
    # What is shown has been reached, if not from here.
    for private in (False, True):
        rules = AddressPolicy(Settings(token=TOKEN, allow_private=private), resolve=_resolve)
        with contextlib.nullcontext() if private else pytest.raises(ApiError, match="is not found from here"):
            await rules.check_shown(["http://nowhere.test/"], Deadline.after(5))


async def test_hosts_are_allowed_and_denied_by_list(browser_endpoint: str) -> None:
    lists = {
        "allow_hosts": ("127.0.0.1", "*.good.test", "10.0.0.0/8"),
        "deny_hosts": ("bad.good.test", "10.9.0.0/16"),
    }
    async with (
        serve_pages({"/": "<p>in"}) as pages,
        serving(browser_endpoint, **lists, resolve=_resolve) as served,
    ):
        await served.open(pages.url("/"))
        for host in ("localhost", "public.test", "192.168.1.1", "10.9.1.1", "[::1]"):
            answer = await served.post("/tabs", url=f"http://{host}:{pages.port}/")
            assert (answer.status_code, answer.json()["error"]) == (403, "AddressRefused"), host


async def test_a_browser_that_runs_already_shows_no_private_page_that_it_was_led_to(
    browser_endpoint: str,
) -> None:
    async with serve_pages({"/": "<title>secret</title>"}) as secret:
        link = f"<a href='{secret.url('/')}'>in</a>"
        pages: dict[str, Any] = {"/": link, "/redirect": http.redirect(secret.url("/"))}
        frame = f"<iframe src='{secret.url('/')}'></iframe>"
        async with serve_pages({**pages, "/frame": frame}) as public:
            exempt = frozenset({("127.0.0.1", public.port)})
            async with serving(browser_endpoint, allow_private=False, exempt=exempt) as served:
                for path in ("/redirect", "/frame"):
                    answer = await served.post("/control/snapshot", url=public.url(path), close=True)
                    assert answer.status_code == 403, path
                    assert "secret" not in answer.text
                target = await served.open(public.url("/"))
                await served.post("/control/act", action="click", element="a")
                for answer in (
                    await served.post("/control/snapshot", targetId=target),
                    await served.post("/control/act", action="outer_html", element="title"),
                ):
                    assert (answer.status_code, answer.json()["error"]) == (403, "AddressRefused")


_READING: list[dict[str, Any]] = [
    {"action": "text", "element": "#f >> h1"},
    {"action": "outer_html", "element": "#f >> html"},
    {"action": "click", "element": "#f >> h1"},
    {"action": "wait_for", "text": "secret"},
]


async def test_a_frame_that_is_refused_is_read_by_no_action_and_no_script(browser_endpoint: str) -> None:
    pages: dict[str, Any] = {"/": "<iframe id=f src='http://localhost:{PORT}/in'></iframe>"}
    async with (
        serve_pages({**pages, "/in": "<h1>secret</h1>"}) as public,
        serving(browser_endpoint, deny_hosts=("localhost",), allow_evaluate=True) as served,
    ):
        await served.open(public.url("/"))
        in_frame = {"elementId": "#f >> h1", "expression": "one => one.innerText"}
        for answer in (
            *[await served.post("/control/act", **one) for one in _READING],
            await served.post("/control/evaluate", **in_frame),
            await served.post("/control/evaluate", expression="1"),
            await served.post("/control/snapshot"),
        ):
            assert (answer.status_code, answer.json()["error"]) == (403, "AddressRefused")
            assert "secret" not in answer.text


async def test_a_tab_that_was_there_before_is_held_to_the_rules_once_it_goes_elsewhere(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    pages = {"/": "<p>mine</p><a href='/in'>in</a>", "/in": "<title>secret</title><p>secret"}
    async with (
        serve_pages(pages) as private,
        serving(browser_endpoint, allow_private=False, allow_evaluate=True) as served,
    ):
        page = await browser.new_page(private.url("/"))
        there = {"targetId": str(page.target_id)}
        assert "mine" in (await served.done("/control/snapshot", **there))["combinedTree"]
        script = "void open('/in', '_blank', 'noopener')"
        await served.done("/control/evaluate", **there, expression=script)
        await served.post("/control/act", **there, action="click", element="a")
        await page.wait_for(url="**/in")
        tabs = (await served.client.get("/tabs")).json()["tabs"]
        (popup,) = [tab["targetId"] for tab in tabs if tab["openerId"] == page.target_id]
        stranger = {"Hybridsnap-Session": (await served.done("/sessions"))["sessionId"]}
        for headers in ({}, stranger):
            listed = (await served.client.get("/tabs", headers=headers)).json()["tabs"]
            titles = {tab["targetId"]: tab["title"] for tab in listed}
            assert (titles[page.target_id], titles[popup]) == ("", "")
            for tab in (page.target_id, popup):
                seen = await served.post("/control/snapshot", headers, targetId=tab)
                assert (seen.status_code, seen.json()["error"]) == (403, "AddressRefused"), tab
        read = await served.post("/control/act", **there, action="text", element="p")
        assert "go to another address" in read.json()["remedy"]
        await served.done("/control/act", **there, action="goto", url="about:blank")
        await served.done("/control/snapshot", **there)


_THERE: dict[str, Any] = {
    "/": "<title>mine</title><p>mine</p><iframe name=one src='/mine'></iframe><iframe name=two></iframe>"
    "<a id=same target=one href='/in'>in</a><a id=other target=two href='http://localhost:{PORT}/in'>in</a>"
    "<a id=asks href='/asks'>asks</a><a id=part href='#part'>part</a>",
    "/mine": "<title>mine, too</title><p>mine, too",
    "/in": "<p>secret",
    "/asks": "<script>alert('secret')</script><p>after",
}


@pytest.mark.parametrize("link", ["#same", "#other"])
async def test_a_frame_that_a_session_leads_elsewhere_is_held_to_the_rules(
    browser_endpoint: str, browser: hybridsnap.Browser, link: str
) -> None:
    async with (
        serve_pages(_THERE) as private,
        serving(browser_endpoint, allow_private=False, allow_evaluate=True) as served,
    ):
        page = await browser.new_page(private.url("/"))
        there = {"targetId": str(page.target_id)}
        assert "mine, too" in (await served.done("/control/snapshot", **there))["combinedTree"]
        await served.done("/control/act", **there, action="click", element="#part")
        read = {**there, "action": "text", "element": "iframe[name=one] >> p"}
        assert (await served.done("/control/act", **read))["value"] == "mine, too"
        await served.post("/control/act", **there, action="click", element=link)
        await page.wait_for(text="secret")
        read["element"] = f"iframe[name={'one' if link == '#same' else 'two'}] >> p"
        for answer in (
            await served.post("/control/act", **read),
            await served.post("/control/evaluate", **there, expression="1"),
            await served.post("/control/snapshot", **there),
            await served.post("/control/snapshot", **there, format="ai"),
        ):
            assert (answer.status_code, answer.json()["error"]) == (403, "AddressRefused")
            assert "secret" not in answer.text
        await served.done("/control/snapshot", **there, includeIframes=False)


async def test_a_dialog_of_a_page_that_is_refused_does_not_tell_its_words(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    async with (
        serve_pages(_THERE) as private,
        serving(browser_endpoint, allow_private=False) as served,
    ):
        page = await browser.new_page(private.url("/"))
        there = {"targetId": str(page.target_id)}
        await served.done("/control/snapshot", **there)
        led = await served.post("/control/act", **there, action="click", element="#asks")
        assert led.json()["fields"]["done"] is True
        for answer in (
            led,
            await served.post("/control/snapshot", **there),
            await served.post("/control/act", **there, action="answer_dialog"),
        ):
            assert (answer.status_code, answer.json()["error"]) == (403, "AddressRefused")
            assert "secret" not in answer.text
        stranger = {"Hybridsnap-Session": (await served.done("/sessions"))["sessionId"]}
        for headers in ({}, stranger):
            listed = (await served.client.get("/tabs", headers=headers)).json()["tabs"]
            assert [tab["title"] for tab in listed if tab["targetId"] == page.target_id] == [""]
        await served.done("/control/act", **there, action="goto", url="about:blank")
        await served.done("/control/snapshot", **there)


async def test_a_refusal_names_what_failed_before_it_was_refused(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    async with (
        serve_pages(_THERE) as private,
        serving(browser_endpoint, allow_private=False) as served,
    ):
        page = await browser.new_page(private.url("/mine"))
        there = {"targetId": str(page.target_id)}
        await served.done("/control/snapshot", **there)
        await page.evaluate("setTimeout(() => { location = '/in' }, 300)")
        answer = await served.post("/control/act", **there, action="wait_for", text="never", timeoutMs=2000)
        problem = answer.json()
        assert (answer.status_code, problem["error"]) == (403, "AddressRefused")
        assert problem["fields"] == {"host": "127.0.0.1", "done": True, "failed": "WaitTimeout"}
        assert "secret" not in answer.text


async def test_a_tab_that_was_there_with_a_dialog_stays_where_it_is(
    browser_endpoint: str, browser: hybridsnap.Browser
) -> None:
    async with (
        serve_pages(_THERE) as private,
        serving(browser_endpoint, allow_private=False) as served,
    ):
        page = await browser.new_page(private.url("/mine"))
        there = {"targetId": str(page.target_id)}
        await served.client.delete(f"/tabs/{page.target_id}")  # attached to, and not asked yet
        await page.evaluate("setTimeout(() => confirm('mine, too'))")
        await eventually(lambda: page.dialogs)
        listed = (await served.client.get("/tabs")).json()["tabs"]
        assert [tab["title"] for tab in listed if tab["targetId"] == page.target_id] == ["mine, too"]
        answered = await served.done("/control/act", **there, action="answer_dialog")
        assert answered["value"]["message"] == "mine, too"
        assert "mine, too" in (await served.done("/control/snapshot", **there))["combinedTree"]
        await served.post("/control/act", **there, action="reload")
        again = await served.post("/control/snapshot", **there)
        assert (again.status_code, again.json()["error"]) == (403, "AddressRefused")


async def _tries(served: Served, public: Any) -> None:
    """All ways from a public page to a private one, in a browser of the server's own."""
    answer = await served.post("/control/snapshot", url=public.url("/redirect"))
    assert (answer.status_code, answer.json()["error"]) == (403, "AddressRefused")
    seen = await served.done("/control/snapshot", url=public.url("/frame"))
    assert "secret" not in str(seen)
    tab = seen["targetId"]
    script = "url => fetch(url, {mode: 'no-cors'}).then(() => 'reached', () => 'not reached')"
    for url in (public.url("/steal"), public.url("/rebound", host="rebound.test")):
        fetched = await served.done("/control/evaluate", targetId=tab, expression=script, args=[url])
        assert fetched["value"] == "not reached", url


async def test_a_browser_of_the_servers_own_connects_to_nothing_private() -> None:
    asked: dict[str, int] = {}

    async def rebinding(host: str) -> Sequence[Address]:
        """A name that is public when it is looked at, and this machine a moment later."""
        if host == "localhost":
            return [ipaddress.ip_address("127.0.0.1")]
        asked[host] = asked.get(host, 0) + 1
        return [ipaddress.ip_address("93.184.216.34" if asked[host] == 1 else "127.0.0.1")]

    async with serve_pages({"/": "<title>secret</title>"}) as secret:
        routes: dict[str, Any] = {
            "/redirect": http.redirect(secret.url("/")),
            "/steal": http.redirect(secret.url("/")),
            "/frame": f"<p>out</p><iframe src='{secret.url('/', host='localhost')}'></iframe>",
        }
        async with serve_pages(routes) as public:
            exempt = frozenset({("127.0.0.1", public.port)})
            settings = {"allow_private": False, "exempt": exempt, "allow_evaluate": True}
            async with serving(None, resolve=rebinding, **settings) as served:
                await _tries(served, public)
                rebound = await served.post("/tabs", url=f"http://twice.test:{secret.port}/")
                assert (rebound.status_code, rebound.json()["error"]) == (403, "AddressRefused")
            assert secret.requests == []
            assert asked["twice.test"] > 1


async def test_what_is_no_host_at_all_ends_nothing_but_its_own_connection() -> None:
    script = "url => fetch(url, {mode: 'no-cors'}).then(() => 'reached', () => 'not reached')"
    async with serving(None, allow_private=False, allow_evaluate=True) as served:
        tab = await served.open("about:blank")
        for host in ("a..b", "a" * 64 + ".test", "a" * 250 + ".test", "xn--a"):
            body = {"targetId": tab, "expression": script, "args": [f"http://{host}/"]}
            assert (await served.done("/control/evaluate", **body))["value"] == "not reached", host
        assert (await served.client.get("/health")).status_code == 200


async def test_webrtc_sends_nothing_around_the_proxy() -> None:
    gather = """async url => {
      const connection = new RTCPeerConnection({iceServers: [{urls: url}]}), found = [];
      connection.createDataChannel("x");
      const done = new Promise(resolve => connection.onicecandidate =
        event => event.candidate ? found.push(event.candidate.candidate) : resolve(found));
      await connection.setLocalDescription(await connection.createOffer());
      return done;
    }"""
    with trio.socket.socket(type=trio.socket.SOCK_DGRAM) as stun:
        await stun.bind(("127.0.0.1", 0))
        url = f"stun:127.0.0.1:{stun.getsockname()[1]}"
        async with serve_pages({"/": "<p>out"}) as pages:
            exempt = frozenset({("127.0.0.1", pages.port)})
            async with serving(None, allow_private=False, allow_evaluate=True, exempt=exempt) as served:
                tab = await served.open(pages.url("/"))
                body = {"targetId": tab, "expression": gather, "args": [url]}
                assert (await served.done("/control/evaluate", **body, timeoutMs=60_000))["value"] == []
        with trio.move_on_after(0.1) as waited:  # the browser has ended: what was sent is here
            await stun.recv(1)
        assert waited.cancelled_caught


async def test_scripts_are_not_evaluated_by_default(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        await served.open("about:blank")
        for path, body in (
            ("/control/evaluate", {"expression": "document.title = 'ran'"}),
            ("/control/act", {"action": "wait_for", "function": "() => document.title = 'ran'"}),
            ("/control/act", {"actions": [{"action": "waitFor", "function": "1"}]}),
        ):
            answer = await served.post(path, **body)
            assert (answer.status_code, answer.json()["error"]) == (403, "EvaluateOff")
        assert (await served.done("/control/snapshot"))["report"]["title"] == ""


@contextlib.asynccontextmanager
async def _with_files(endpoint: str, tmp_path: Path) -> Any:
    """A server with folders, and links in them that lead out."""
    for folder in ("up/inner", "down", "secret/sub"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "secret/key.txt").write_text("secret")
    (tmp_path / "up/inner/key.txt").symlink_to(tmp_path / "secret/key.txt")
    (tmp_path / "up/out").symlink_to(tmp_path / "secret")
    (tmp_path / "down/out").symlink_to(tmp_path / "secret")
    (tmp_path / "upper.txt").write_text("secret")
    page = (
        "<input id=one type=file><input id=all type=file webkitdirectory>"
        "<a download=got.txt href='data:,hello'>get</a>"
    )
    folders: dict[str, Any] = {"upload_folders": (tmp_path / "up",), "download_folders": (tmp_path / "down",)}
    async with serve_pages({"/": page}) as pages, serving(endpoint, **folders) as served:
        await served.open(pages.url("/"))
        yield served


async def test_files_outside_the_folders_are_not_uploaded(browser_endpoint: str, tmp_path: Path) -> None:
    async with _with_files(browser_endpoint, tmp_path) as served:
        for path in (
            "/etc/passwd",
            str(tmp_path / "secret/key.txt"),
            str(tmp_path / "up/../secret/key.txt"),
            str(tmp_path / "up/out/key.txt"),
            str(tmp_path / "up/inner/key.txt"),
            str(tmp_path / "upper.txt"),
            str(tmp_path / "missing.txt"),
        ):
            for action in (
                {"action": "set_input_files", "element": "#one", "paths": [path]},
                {"action": "fill", "element": "#one", "value": path},
                {"action": "fill_form", "entries": [{"id": "#one", "value": [path]}]},
            ):
                answer = await served.post("/control/act", **action)
                assert (answer.status_code, answer.json()["error"]) == (403, "FolderRefused"), action
        folder = {"action": "set_input_files", "element": "#all", "paths": str(tmp_path / "up/inner")}
        assert (await served.post("/control/act", **folder)).status_code == 403


async def test_nothing_is_saved_outside_the_folders(browser_endpoint: str, tmp_path: Path) -> None:
    async with _with_files(browser_endpoint, tmp_path) as served:
        for folder in (
            "..",
            "../secret",
            "out",
            "out/sub",
            str(tmp_path),
            "/tmp",
            "a\0b",
            "sub/../../secret",
        ):
            click = {"action": "click", "element": "a", "download": {"folder": folder}}
            answer = await served.post("/control/act", **click)
            assert (answer.status_code, answer.json()["error"]) == (403, "FolderRefused"), folder
        assert sorted(path.name for path in (tmp_path / "secret").iterdir()) == ["key.txt", "sub"]
    page = "<a download href='data:,x'>get</a>"
    async with serve_pages({"/": page}) as pages, serving(browser_endpoint) as served:
        await served.open(pages.url("/"))
        answer = await served.post("/control/act", action="click", element="a", download={})
        assert answer.status_code == 403


async def test_one_sessions_tabs_are_nobody_elses(browser_endpoint: str) -> None:
    async with serving(browser_endpoint) as served:
        mine = {"Hybridsnap-Session": (await served.done("/sessions"))["sessionId"]}
        target = await served.open("about:blank", **mine)
        for headers in ({}, {"Hybridsnap-Session": (await served.done("/sessions"))["sessionId"]}):
            seen = await served.post("/control/snapshot", headers, targetId=target)
            assert (seen.status_code, seen.json()["error"]) == (404, "TargetError")
            gone = await served.client.delete(f"/tabs/{target}", headers=headers)
            assert gone.status_code == 404
            tabs = (await served.client.get("/tabs", headers=headers)).json()["tabs"]
            assert target not in [tab["targetId"] for tab in tabs]
        guessed = await served.post("/control/snapshot", {"Hybridsnap-Session": "guess"})
        assert (guessed.status_code, guessed.json()["error"]) == (404, "SessionUnknown")


async def test_there_are_only_so_many_tabs(browser_endpoint: str) -> None:
    async with serving(browser_endpoint, tabs=2) as served:
        await served.open("about:blank")
        await served.open("about:blank")
        more = await served.post("/tabs")
        assert (more.status_code, more.json()["error"]) == (503, "TooManyTabs")
        assert more.headers["retry-after"]


async def test_the_limit_on_sessions_is_per_client(browser_endpoint: str) -> None:
    async with serving(browser_endpoint, sessions=2) as served:
        await served.open("about:blank")  # of the session `default`, which does not count
        for _ in range(2):
            session = (await served.done("/sessions"))["sessionId"]
        more = await served.post("/sessions")
        assert (more.status_code, more.json()["error"]) == (503, "TooManySessions")
        assert "127.0.0.1" in more.json()["detail"]
        assert more.headers["retry-after"]
        assert (await served.client.get("/events")).json()["error"] == "TooManySessions"
        elsewhere = httpx.AsyncHTTPTransport(local_address="127.0.0.2")
        async with httpx.AsyncClient(transport=elsewhere, headers=served.client.headers) as other:
            for status in (201, 201, 503):
                assert (await other.post(f"{served.server.url}/sessions")).status_code == status
        assert (await served.client.delete(f"/sessions/{session}")).status_code == 204
        await served.done("/sessions")


async def test_a_pages_own_socket_is_no_browser(browser: hybridsnap.Browser, browser_endpoint: str) -> None:
    page = await browser.new_page()
    endpoint = browser_endpoint.partition("/devtools")[0] + f"/devtools/page/{page.target_id}"
    with pytest.RaisesGroup(pytest.RaisesExc(Exception, match="own socket"), flatten_subgroups=True):
        async with serving(None, browsers=(BrowserPlan(endpoint=endpoint),)):
            pass
