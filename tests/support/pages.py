"""Pages for tests: paths mapped to HTML (or bytes, or routes), served on 127.0.0.1 and localhost.

    outer = '<iframe src="http://localhost:{PORT}/inner.html"></iframe>'
    async with serve_pages({"/": outer, "/inner.html": "<p>in"}) as pages:
        await page.goto(pages.url("/"))

`{PORT}` in text is the server's port; bytes are sent as they are. The content type follows the path's ending
(none: HTML), of a route it is its own. `/hang` accepts the request and never answers it; `/moment` answers
after a tenth of a second, for `ENDLESS` and `busy_for`.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

import trio

import hybridsnap
from tests.support import http

__all__ = ["ENDLESS", "Content", "PageServer", "at_rest", "busy_for", "serve_pages", "until_sized"]

Content: TypeAlias = str | bytes | http.Route

#: A script that does not end, for pages of a `PageServer`. It takes no CPU time from other tests: the page's
#: thread waits for one request after the other, and is back in the script ten times a second. It ends with
#: the server: `Runtime.terminateExecution`, which ends a loop, takes some thousand steps to be seen.
ENDLESS = """{
  const ask = new XMLHttpRequest();
  while (true) { ask.open("GET", "/moment", false); ask.send(); }
}"""


def busy_for(milliseconds: int) -> str:
    """A script that keeps the page's thread for so long, or a tenth of a second longer, as `ENDLESS` does."""
    return f"""{{
  const end = Date.now() + {milliseconds}, ask = new XMLHttpRequest();
  while (Date.now() < end) {{ ask.open("GET", "/moment", false); ask.send(); }}
}}"""


_TYPES = {
    "": "text/html; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".xhtml": "application/xhtml+xml; charset=utf-8",
    ".xml": "application/xml; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".gif": "image/gif",
    ".pdf": "application/pdf",
    ".mp4": "video/mp4",
}


@dataclass(frozen=True, slots=True)
class PageServer:
    """Pages that are being served. `requests` grows: the path of each request, in the order they came."""

    server: http.Server
    requests: list[str]

    @property
    def port(self) -> int:
        return self.server.port

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return self.server.url(path, host)


@asynccontextmanager
async def serve_pages(pages: Mapping[str, Content], *, port: int = 0) -> AsyncIterator[PageServer]:
    """Serves `pages`; looked up at each request, so a test may change its mapping while it is served."""
    requests: list[str] = []

    async def answer(request: http.Request) -> http.Response:
        requests.append(request.path)
        content = pages.get(request.path)
        if content is None:
            return await _answer_other(request.path)
        if isinstance(content, http.Response):
            return content
        if not isinstance(content, str | bytes):
            return await content(request)
        if isinstance(content, str):
            # surrogatepass: a test may want bytes that are no UTF-8.
            content = content.replace("{PORT}", str(request.port)).encode("utf-8", "surrogatepass")
        return http.Response(content, _type_of(request.path))

    async with http.serve(answer, port=port) as server:
        yield PageServer(server, requests)


def at_rest(texts: Iterable[str]) -> Literal["load", "networkidle"]:
    """What to wait for until a page made of these files does not change by itself any more.

    Chromium begins to load what `object` and `embed` hold after its first layout, and that may be after the
    load event: until then there is no such frame.
    """
    return "networkidle" if any("<object" in text or "<embed" in text for text in texts) else "load"


async def _answer_other(path: str) -> http.Response:
    if path == "/hang":
        await trio.sleep_forever()
    if path == "/moment":
        await trio.sleep(0.1)
        return http.Response(status=204)
    if path == "/favicon.ico":
        return http.Response(status=204)
    return http.Response(b"404 Not Found\n", "text/plain; charset=utf-8", 404)


def _type_of(path: str) -> str:
    return _TYPES.get(PurePosixPath(path).suffix.lower(), "application/octet-stream")


_IS_SIZED = """(function isSized(view) {
  const root = view.document.documentElement;
  return view.innerWidth > 0 && view.innerHeight > 0 && root.clientHeight >= 0
    && Array.from({length: view.length}, (_, at) => view[at]).every((inner) => {
      let frame = null;
      try { frame = inner.frameElement; } catch { /* another origin's */ }
      return !frame || frame.clientWidth === 0 || frame.clientHeight === 0 || isSized(inner);
    });
})(window)"""


async def until_sized(page: hybridsnap.Page, expression: str = "true") -> None:
    """Wait until each document of the page has its size, and an expression holds in that of each process.

    A frame is 0 by 0 until its parent is laid out, in a process of its own until that is drawn, and
    everything in it scrolls: until it is laid out again, too, and ``clientHeight`` is what does that.
    """
    asked = {"expression": f"{_IS_SIZED} && ({expression})", "returnByValue": True}
    for session in page.sessions:
        with trio.fail_after(60):
            while not (await session.send("Runtime.evaluate", asked))["result"]["value"]:
                await page.session.send("Page.captureScreenshot", {"format": "jpeg", "quality": 1})
