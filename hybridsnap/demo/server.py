"""The bundled shop "Lantern & Loom": a few pages that hold what real pages hold, served on loopback.

What stands where (the files are in `pages/`; `{{NONCE}}`, `{{PORT}}` and the products are filled in here):

- `/`: product table with Buy buttons, cart, search combobox, sort select, dialog, tabs, an open and a closed
  shadow root, generated content, and four frames: reviews (same origin) with rating inside, payment
  (cross-site, on localhost) with security code inside.
- `/checkout.html`: a form with every input type and state, the payment frame again; it posts to `/order`,
  which says what came.
- `/product/SLUG`: one of twelve, with a quantity stepper (open shadow root). `/care.html`: nested lists,
  counters, an accordion, a table with spans, other scripts, MathML.

Pages settle: nothing changes on them unless a visitor acts, so two captures of an untouched page are the
same.
"""

import errno
import json
import re
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import TypeAlias, TypedDict
from urllib.parse import parse_qsl, unquote, urlsplit

import trio

__all__ = ["Shop", "serve_shop"]

_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml; charset=utf-8",
}
_LOW_STOCK = 6
#: Bytes of a form that the order page reads.
_MOST_BODY = 1024 * 1024
#: Seconds that a client may take over one request.
_REQUEST_SECONDS = 30.0
#: Seconds between two looks at whether the server is to stop.
_POLL_SECONDS = 0.02
# The system picks a port that is free on 127.0.0.1; on ::1 the port is taken rarely, never so often in a row.
_PORT_ATTEMPTS = 20
_NO_IPV6 = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT})

#: Content type, template, and what is put into it beside the port and the form that was sent.
_Answer: TypeAlias = tuple[str, str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Shop:
    """A shop that is open.

    Args:
        url: The front page, http://127.0.0.1:PORT/.
        nonce: Stands in the visible text of every page and frame of this run.
        port: On 127.0.0.1 and, where IPv6 is there, on ::1.
        page_urls: The pages worth a visit, the front page first.
    """

    url: str
    nonce: str
    port: int
    page_urls: tuple[str, ...]


class _Product(TypedDict):
    slug: str
    name: str
    motif: str
    hue: str
    price: float
    stock: int
    text: str


@asynccontextmanager
async def serve_shop(nonce: str | None = None, port: int = 0) -> AsyncIterator[Shop]:
    """Serves the shop while the context is open.

    Args:
        nonce: The run's own word; None makes a new one.
        port: 0 lets the system choose one.

    Raises:
        OSError: The port is taken.
    """
    word = nonce if nonce is not None else secrets.token_hex(4)
    servers = _open_servers(_build_routes(word), port)
    try:
        bound_port: int = servers[0].server_address[1]
        for server in servers:
            threading.Thread(target=server.serve_forever, args=(_POLL_SECONDS,), daemon=True).start()
        paths = ("/", "/checkout.html", "/product/river-throw", "/care.html")
        page_urls = tuple(f"http://127.0.0.1:{bound_port}{path}" for path in paths)
        yield Shop(page_urls[0], word, bound_port, page_urls)
    finally:
        with trio.CancelScope(shield=True):
            for server in servers:
                await trio.to_thread.run_sync(server.shutdown)
                server.server_close()


class _Server(ThreadingHTTPServer):
    """One listener; a connection is a thread and one request."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], family: int, routes: Mapping[str, _Answer]) -> None:
        self.address_family = family
        super().__init__(address, partial(_Handler, routes))


class _Handler(BaseHTTPRequestHandler):
    """GET, HEAD and POST for the shop's paths."""

    timeout = _REQUEST_SECONDS

    def __init__(self, routes: Mapping[str, _Answer], *connection: object) -> None:
        self._routes = routes
        super().__init__(*connection)  # type: ignore[arg-type]  # as the server hands it over

    def do_GET(self) -> None:
        self._answer(urlsplit(self.path).query)

    do_HEAD = do_GET  # noqa: N815 - the same

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "0")
        size = int(length) if length.isdecimal() else 0
        self._answer(self.rfile.read(min(size, _MOST_BODY)).decode("utf-8", "replace"))

    def _answer(self, form: str) -> None:
        answer = self._routes.get(unquote(urlsplit(self.path).path))
        if answer is None:
            self._send(404, "text/plain; charset=utf-8", "404 Not Found\n")
        else:
            content_type, template, parts = answer
            fields = parse_qsl(form, keep_blank_values=True)
            rows = "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in fields)
            sent = {"FIELDS": rows, "COUNT": str(len(fields))}
            port = str(self.connection.getsockname()[1])
            self._send(200, content_type, _fill(template, {**parts, **sent, "PORT": port}))

    def _send(self, status: int, content_type: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
        """Nothing: the demo prints what it captures."""


def _open_servers(routes: Mapping[str, _Answer], port: int) -> list[_Server]:
    """Listeners on 127.0.0.1 and, where there is one, ::1, at the same port: `localhost` may mean either."""
    for attempt in range(_PORT_ATTEMPTS):
        first = _Server(("127.0.0.1", port), socket.AF_INET, routes)
        try:
            return [first, _Server(("::1", first.server_address[1]), socket.AF_INET6, routes)]
        except OSError as error:
            if error.errno in _NO_IPV6:
                return [first]
            first.server_close()
            if port != 0 or error.errno != errno.EADDRINUSE or attempt == _PORT_ATTEMPTS - 1:
                raise
    raise AssertionError("the last attempt returns or raises")


def _build_routes(nonce: str) -> dict[str, _Answer]:
    texts = _read_texts()
    products: list[_Product] = json.loads(texts.pop("/products.json"))
    parts = {
        "NONCE": escape(nonce),
        "ROWS": "\n".join(_render_row(product) for product in products),
        "SUGGESTIONS": "\n".join(_render_suggestion(product) for product in products),
    }
    template, html = texts.pop("/product.html"), _TYPES["html"]
    routes: dict[str, _Answer] = {
        f"/product/{product['slug']}": (html, template, parts | _product_parts(product))
        for product in products
    }
    routes["/order"] = (html, texts.pop("/order.html"), parts)
    for path, text in texts.items():
        routes[path] = (_TYPES[path.rpartition(".")[2]], text, parts)
    routes["/"] = routes["/index.html"]
    routes["/favicon.ico"] = (_TYPES["svg"], "<svg xmlns='http://www.w3.org/2000/svg'/>", {})
    return routes


def _read_texts() -> dict[str, str]:
    """Every bundled file, by its path on the server."""
    root = files("hybridsnap.demo") / "pages"
    found: dict[str, str] = {}
    folders = [("/", root)]
    while folders:
        prefix, folder = folders.pop()
        for entry in folder.iterdir():
            if entry.is_dir():
                folders.append((f"{prefix}{entry.name}/", entry))
            else:
                found[prefix + entry.name] = entry.read_text(encoding="utf-8")
    return found


def _fill(template: str, parts: Mapping[str, str]) -> str:
    # One pass: what is put in is not searched for further placeholders.
    return re.sub(r"\{\{([A-Z]+)\}\}", lambda match: parts[match[1]], template)


def _product_parts(product: _Product) -> dict[str, str]:
    return {
        "SLUG": escape(product["slug"]),
        "NAME": escape(product["name"]),
        "MOTIF": escape(product["motif"]),
        "HUE": escape(product["hue"]),
        "PRICE": f"{product['price']:.2f}",
        "STOCK": str(product["stock"]),
        "AVAILABILITY": _availability(product["stock"]),
        "DISABLED": "" if product["stock"] else "disabled",
        "TEXT": escape(product["text"]),
    }


def _availability(stock: int) -> str:
    if stock == 0:
        return "Sold out"
    return f"{stock} left" if stock <= _LOW_STOCK else f"{stock} in stock"


def _render_row(product: _Product) -> str:
    level = "none" if product["stock"] == 0 else "low" if product["stock"] <= _LOW_STOCK else "good"
    return _fill(
        """<tr data-name="{{NAME}}">
  <th scope="row"><svg class="motif" style="color: {{HUE}}" aria-hidden="true"><use href="#motif-{{MOTIF}}"/></svg><a href="/product/{{SLUG}}">{{NAME}}</a></th>
  <td class="text">{{TEXT}}</td>
  <td class="price">€{{PRICE}}</td>
  <td><span class="stock {{LEVEL}}">{{AVAILABILITY}}</span></td>
  <td><input type="number" min="1" max="{{STOCK}}" value="1" aria-label="Quantity of {{NAME}}" {{DISABLED}}></td>
  <td><button type="button" class="buy" data-slug="{{SLUG}}" data-name="{{NAME}}" data-price="{{PRICE}}" {{DISABLED}}>Buy<span class="unseen"> {{NAME}}</span></button></td>
</tr>""",  # noqa: E501 - a cell is one line, so that no blanks come into its text
        {**_product_parts(product), "LEVEL": level},
    )


def _render_suggestion(product: _Product) -> str:
    parts = _product_parts(product)
    return _fill('<li role="option" id="suggestion-{{SLUG}}" aria-selected="false">{{NAME}}</li>', parts)
