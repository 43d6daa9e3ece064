"""The bundled shop "Lantern & Loom": a few pages that hold what real pages hold, served on loopback.

What stands where (the files are in `pages/`; `{{NONCE}}`, `{{PORT}}` and the products are filled in here):

- `/`: product table with Buy buttons, cart, search combobox, sort select, dialog, tabs, an open and a closed
  shadow root, generated content, and four frames: reviews (same origin) with rating inside, payment
  (cross-site, on localhost) with security code inside.
- `/checkout.html`: a form with every input type and state, the payment frame again; it posts to `/order`,
  which says what came.
- `/product/SLUG`: one of twelve, with a quantity stepper (open shadow root). `/care.html`: nested lists,
  counters, an accordion, a table with spans, other scripts, MathML.

Pages settle: nothing changes on them unless somebody acts, so two captures of an untouched page are the same.
"""

import json
import re
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TypedDict
from urllib.parse import parse_qsl

from hybridsnap.demo import http

__all__ = ["Shop", "serve_shop"]

_TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml; charset=utf-8",
}
_LOW_STOCK = 6


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
    async with http.serve(_build_routes(word), port=port) as server:
        page_urls = tuple(
            server.url(path) for path in ("/", "/checkout.html", "/product/river-throw", "/care.html")
        )
        yield Shop(page_urls[0], word, server.port, page_urls)


def _build_routes(nonce: str) -> dict[str, http.Route]:
    texts = _read_texts()
    products: list[_Product] = json.loads(texts.pop("/products.json"))
    parts = {"NONCE": escape(nonce)}
    routes: dict[str, http.Route] = {}
    for product in products:
        routes[f"/product/{product['slug']}"] = _page(texts["/product.html"], parts | _product_parts(product))
    del texts["/product.html"]
    routes["/order"] = _order_page(texts.pop("/order.html"), parts)
    parts |= {
        "ROWS": "\n".join(_render_row(product) for product in products),
        "SUGGESTIONS": "\n".join(_render_suggestion(product) for product in products),
    }
    for path, text in texts.items():
        content_type = _TYPES[path.rpartition(".")[2]]
        is_page = path.endswith(".html")
        routes[path] = _page(text, parts) if is_page else http.Response(text.encode(), content_type)
    routes["/"] = routes["/index.html"]
    routes["/favicon.ico"] = http.Response(status=204)
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


def _page(template: str, parts: Mapping[str, str]) -> http.Handler:
    async def answer(request: http.Request) -> http.Response:
        if request.method not in {"GET", "HEAD"}:
            return http.Response(
                b"405 Method Not Allowed\n", "text/plain; charset=utf-8", 405, {"Allow": "GET, HEAD"}
            )
        return http.Response(_fill(template, {**parts, "PORT": str(request.port)}).encode())

    return answer


def _order_page(template: str, parts: Mapping[str, str]) -> http.Handler:
    async def answer(request: http.Request) -> http.Response:
        sent = request.body.decode("utf-8", "replace") if request.method == "POST" else request.query
        fields = parse_qsl(sent, keep_blank_values=True)
        rows = "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in fields)
        return http.Response(_fill(template, {**parts, "FIELDS": rows, "COUNT": str(len(fields))}).encode())

    return answer


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
