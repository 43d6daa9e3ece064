"""The bundled shop and the tests' page server, talked to over real sockets."""

import socket
from collections.abc import AsyncIterator

import h11
import pytest
import trio
import trio.testing

from hybridsnap.demo.__main__ import main
from hybridsnap.demo.server import Shop, serve_shop
from tests.support import http
from tests.support.pages import Content, serve_pages

FRAMES = ["/frames/reviews.html", "/frames/rating.html", "/frames/payment.html", "/frames/code.html"]
PAGES = ["/", "/index.html", "/checkout.html", "/care.html", "/product/hand-loom", "/order", *FRAMES]
GET = b"GET %s HTTP/1.1\r\nHost: here\r\n%s\r\n"


async def exchange(port: int, data: bytes, host: str = "127.0.0.1") -> bytes:
    """Sends the bytes and returns all that comes until the server closes."""
    with trio.fail_after(10):
        stream = await trio.open_tcp_stream(host, port)
        async with stream:
            await stream.send_all(data)
            return b"".join([piece async for piece in stream])


async def get(port: int, path: str, host: str = "127.0.0.1") -> tuple[int, dict[str, str], str]:
    raw = await exchange(port, GET % (path.encode(), b"Connection: close\r\n"), host)
    return parse(raw)


def parse(raw: bytes, method: str = "GET") -> tuple[int, dict[str, str], str]:
    wire = h11.Connection(h11.CLIENT)
    wire.send(h11.Request(method=method, target="/", headers=[("Host", "here")]))
    wire.send(h11.EndOfMessage())
    wire.receive_data(raw)
    wire.receive_data(b"")
    body = b""
    status, headers = 0, {}
    while not isinstance(event := wire.next_event(), h11.EndOfMessage):
        if isinstance(event, h11.Response):
            status = event.status_code
            headers = {name.decode(): value.decode() for name, value in event.headers}
        elif isinstance(event, h11.Data):
            body += event.data
    return status, headers, body.decode()


def refuses(port: int, family: int = socket.AF_INET, host: str = "127.0.0.1") -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) != 0


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


# The shop


@pytest.mark.parametrize("path", PAGES)
async def test_every_page_is_there_with_the_nonce_in_its_body(path: str) -> None:
    async with serve_shop("n0nce77") as shop:
        status, headers, body = await get(shop.port, path)
    assert status == 200
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["cache-control"] == "no-store"
    assert "n0nce77" in body.partition("<body")[2]
    assert "{{" not in body


async def test_every_link_and_resource_of_the_pages_is_served() -> None:
    async with serve_shop() as shop:
        paths = {"/"}
        visited: set[str] = set()
        while paths - visited:
            path = (paths - visited).pop()
            visited.add(path)
            status, headers, body = await get(shop.port, path)
            assert status == 200, path
            if headers["content-type"].startswith("text/html"):
                body = body.replace(f"http://localhost:{shop.port}", "")
                assert "http://" not in body.replace("http://www.w3.org", ""), path
                folder = path.rpartition("/")[0]
                for mark in ('href="', 'src="', 'action="'):
                    for piece in body.split(mark)[1:]:
                        target = piece.partition('"')[0].partition("#")[0]
                        if target and not target.startswith(("mailto:", "tel:")):
                            paths.add(target if target.startswith("/") else f"{folder}/{target}")
    assert {"/shop.css", "/shop.js", "/widgets.js", "/art/express.svg", "/order", *FRAMES} <= visited
    assert len([path for path in visited if path.startswith("/product/")]) == 12


async def test_the_nonce_is_new_each_time_and_escaped() -> None:
    async with serve_shop() as one, serve_shop() as other:
        assert one.nonce != other.nonce
        assert one.port != other.port
        assert one.url == f"http://127.0.0.1:{one.port}/"
        assert one.page_urls[0] == one.url
    async with serve_shop("<b>{{PORT}}") as shop:
        _, _, body = await get(shop.port, "/")
        assert "Order desk &lt;b&gt;{{PORT}}" in body


async def test_the_payment_frame_is_on_another_site_at_the_same_port() -> None:
    async with serve_shop() as shop:
        _, _, body = await get(shop.port, "/")
        assert f'src="http://localhost:{shop.port}/frames/payment.html"' in body


async def test_two_answers_are_the_same() -> None:
    async with serve_shop() as shop:
        assert (await get(shop.port, "/"))[2] == (await get(shop.port, "/"))[2]


async def test_the_checkout_has_every_input_type() -> None:
    async with serve_shop() as shop:
        _, _, body = await get(shop.port, "/checkout.html")
    types = (
        "text password email url tel number range date time datetime-local month week color checkbox radio"
        " file search hidden submit reset button image"
    )
    for kind in types.split():
        assert f'type="{kind}"' in body, kind


async def test_an_order_is_answered_with_what_was_sent() -> None:
    async with serve_shop() as shop:
        form = b"full-name=Ada+%3CLovelace%3E&city="
        head = b"POST /order HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(
            form
        )
        status, _, body = parse(await exchange(shop.port, head + form))
    assert status == 200
    assert "<dt>full-name</dt><dd>Ada &lt;Lovelace&gt;</dd>" in body
    assert "noted 2 entries" in body


async def test_both_hosts_answer() -> None:
    async with serve_shop() as shop:
        for host in ["127.0.0.1", "localhost", *(["::1"] if has_ipv6() else [])]:
            assert (await get(shop.port, "/", host))[0] == 200


# What the shop's server answers


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    async with serve_shop() as shop:
        yield shop


@pytest.mark.parametrize(
    "path",
    [
        "/none",
        "/../server.py",
        "/%2e%2e/server.py",
        "/frames/../../server.py",
        "//etc/passwd",
        "/pages/",
        "/frames",
    ],
)
async def test_what_is_no_page_is_404(shop: Shop, path: str) -> None:
    status, headers, body = await get(shop.port, path)
    assert (status, body) == (404, "404 Not Found\n")
    assert headers["content-type"] == "text/plain; charset=utf-8"


async def test_the_query_does_not_matter_and_the_absolute_form_is_understood(shop: Shop) -> None:
    assert (await get(shop.port, "/care.html?a=b"))[0] == 200
    assert (await get(shop.port, f"http://127.0.0.1:{shop.port}/care.html"))[0] == 200
    assert (await get(shop.port, "/c%61re.html"))[0] == 200


@pytest.mark.parametrize(("path", "status"), [("/", 200), ("/shop.css", 200), ("/none", 404)])
async def test_head_has_the_length_and_no_body(shop: Shop, path: str, status: int) -> None:
    raw = await exchange(
        shop.port, b"HEAD %s HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n" % path.encode()
    )
    assert raw.endswith(b"\r\n\r\n")
    head = parse(raw, "HEAD")
    full = await get(shop.port, path)
    assert head[0] == full[0] == status
    assert int(head[1]["content-length"]) == len(full[2].encode())


async def test_a_request_in_single_bytes_is_understood(shop: Shop) -> None:
    with trio.fail_after(10):
        async with await trio.open_tcp_stream("127.0.0.1", shop.port) as stream:
            for byte in GET % (b"/none", b"Connection: close\r\n"):
                await stream.send_all(bytes([byte]))
            assert parse(b"".join([piece async for piece in stream]))[0] == 404


async def test_http_1_0_is_answered_and_closed(shop: Shop) -> None:
    assert b" 404 " in await exchange(shop.port, b"GET /none HTTP/1.0\r\n\r\n")


async def test_a_client_that_leaves_in_the_middle_harms_nobody(shop: Shop) -> None:
    for data in (
        b"",
        b"GE",
        GET % (b"/", b""),
        b"POST /order HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf",
    ):
        async with await trio.open_tcp_stream("127.0.0.1", shop.port) as stream:
            await stream.send_all(data)
    assert (await get(shop.port, "/"))[0] == 200


async def test_routes_redirect_attach_answer_nothing_trickle_fail_and_drop(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def trickle(_: http.Request) -> http.Response:
        async def pieces() -> AsyncIterator[bytes]:
            for piece in (b"one ", b"two ", b"three"):
                await trio.lowlevel.checkpoint()
                yield piece

        return http.Response(pieces(), "text/plain")

    async def fail(_: http.Request) -> http.Response:
        raise LookupError("on purpose")

    async def drop(_: http.Request) -> http.Response:
        raise http.ConnectionDropped

    routes: dict[str, http.Route] = {
        "/away": http.redirect("/there"),
        "/file": http.attachment(b"data", 'a "b" ü.txt'),
        "/nothing": http.Response(status=204),
        "/unsendable": http.Response(headers={"X": "a\r\nb"}),
        "/trickle": trickle,
        "/fail": fail,
        "/drop": drop,
    }
    async with http.serve(routes) as server:
        status, headers, _ = await get(server.port, "/away")
        assert (status, headers["location"]) == (303, "/there")
        _, headers, body = await get(server.port, "/file")
        assert headers["content-disposition"] == "attachment; filename*=UTF-8''a%20%22b%22%20%C3%BC.txt"
        assert body == "data"
        status, headers, _ = await get(server.port, "/nothing")
        assert status == 204
        assert not {"content-length", "content-type"} & headers.keys()
        assert (await get(server.port, "/trickle"))[2] == "one two three"
        assert not caplog.records
        assert (await get(server.port, "/fail"))[0] == 500
        assert "the handler of GET /fail failed" in caplog.text
        assert await exchange(server.port, GET % (b"/drop", b"")) == b""
        assert await exchange(server.port, GET % (b"/unsendable", b"")) == b""
        assert "cannot be sent" in caplog.text
        routes["/late"] = http.Response(b"added later")
        assert (await get(server.port, "/late"))[2] == "added later"


async def test_a_slow_answer_does_not_hold_up_others() -> None:
    release = trio.Event()

    async def slow(_: http.Request) -> http.Response:
        await release.wait()
        return http.Response(b"slow")

    async with (
        http.serve({"/slow": slow, "/": http.Response(b"fast")}) as server,
        trio.open_nursery() as nursery,
    ):

        async def ask_slow() -> None:
            assert (await get(server.port, "/slow"))[2] == "slow"

        nursery.start_soon(ask_slow)
        assert (await get(server.port, "/"))[2] == "fast"
        release.set()


# The end


async def test_nothing_listens_after_the_end() -> None:
    async with serve_shop() as shop:
        assert not refuses(shop.port)
    assert refuses(shop.port)
    if has_ipv6():
        assert refuses(shop.port, socket.AF_INET6, "::1")
    async with serve_shop(port=shop.port) as again:
        assert again.port == shop.port


async def test_a_taken_port_is_an_oserror() -> None:
    async with serve_shop() as shop:
        with pytest.raises(OSError, match="ddress already in use"):
            async with serve_shop(port=shop.port):
                pass


async def test_cancelling_closes_listeners_connections_and_handlers() -> None:
    state: list[str] = []

    async def hang(_: http.Request) -> http.Response:
        state.append("asked")
        asked.set()
        try:
            await trio.sleep(60)
        finally:
            state.append("gone")
        return http.Response()

    asked = trio.Event()
    server: http.Server | None = None
    with trio.fail_after(10), trio.CancelScope() as scope:
        async with http.serve({"/": hang}) as server:
            stream = await trio.open_tcp_stream("127.0.0.1", server.port)
            await stream.send_all(GET % (b"/", b""))
            await asked.wait()
            scope.cancel()
            await trio.sleep(60)
    assert scope.cancelled_caught
    assert state == ["asked", "gone"]
    assert server is not None
    assert refuses(server.port)
    async with stream:
        assert await stream.receive_some() == b""


@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt()])
async def test_an_error_of_the_caller_comes_out_as_it_is(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        async with serve_shop():
            raise error
    assert caught.value is error


# The tests' own pages


async def test_pages_have_the_type_of_their_ending_and_the_port_in_their_text() -> None:
    pages: dict[str, Content] = {
        "/": "<a href='http://localhost:{PORT}/'>",
        "/a.xhtml": "x",
        "/a.svg": "x",
        "/a.png": b"{PORT}",
        "/r": http.redirect("/"),
    }
    async with serve_pages(pages) as server:
        _, headers, body = await get(server.port, "/")
        assert headers["content-type"] == "text/html; charset=utf-8"
        assert body == f"<a href='http://localhost:{server.port}/'>"
        assert (await get(server.port, "/a.xhtml"))[1][
            "content-type"
        ] == "application/xhtml+xml; charset=utf-8"
        assert (await get(server.port, "/a.svg"))[1]["content-type"] == "image/svg+xml; charset=utf-8"
        assert (await get(server.port, "/a.png"))[2] == "{PORT}"
        assert (await get(server.port, "/r"))[0] == 303
        assert (await get(server.port, "/none"))[0] == 404
        assert server.requests == ["/", "/a.xhtml", "/a.svg", "/a.png", "/r", "/none"]
        assert server.url("/a.svg", "localhost") == f"http://localhost:{server.port}/a.svg"


async def test_hang_takes_the_request_and_never_answers(autojump_clock: trio.testing.MockClock) -> None:
    del autojump_clock
    async with serve_pages({}) as server, await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
        await stream.send_all(GET % (b"/hang", b""))
        with trio.move_on_after(3600) as scope:
            await stream.receive_some()
        assert scope.cancelled_caught


@pytest.mark.parametrize(("given", "code"), [("--help", 0), ("--nothing", 2)])
def test_the_demo_reads_its_arguments(given: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([given])
    assert ended.value.code == code
    said = capsys.readouterr()
    assert "python -m hybridsnap.demo" in (said.err if code else said.out)
