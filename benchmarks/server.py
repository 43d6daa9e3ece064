"""A loopback HTTP server for the pages, in a thread of the measuring program.

It serves two sites from one port: `http://127.0.0.1:PORT` and `http://localhost:PORT`. The children that
measure memory do not hold it: its documents would count as theirs.
"""

from __future__ import annotations

import mimetypes
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from benchmarks.pages import PYTHON_DOC_MOUNT, python_doc_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from benchmarks.pages import Page

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Site:
    """Where the pages are served.

    Args:
        origin: of the main documents.
        other_origin: the same server under a name that makes it another site.
    """

    origin: str
    other_origin: str


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Twenty iframes ask at once.
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__((LOOPBACK, 0), _Handler)
        self.documents: dict[str, bytes] = {}
        self.mounts: dict[str, Path] = {}


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        found = self._find(path)
        content_type, body = found if found is not None else ("text/plain", b"not found")
        self.send_response(HTTPStatus.OK if found is not None else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def _find(self, path: str) -> tuple[str, bytes] | None:
        document = self.server.documents.get(path)
        if document is not None:
            return "text/html; charset=utf-8", document
        for mount, directory in self.server.mounts.items():
            if path.startswith(mount):
                file = (directory / path.removeprefix(mount)).resolve()
                if file.is_relative_to(directory) and file.is_file():
                    return mimetypes.guess_type(file.name)[0] or "application/octet-stream", file.read_bytes()
        return None

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's own name
        """Say nothing: the table is the output."""


@contextmanager
def serve_pages(pages: Iterable[Page]) -> Iterator[Site]:
    """Serve the pages while the block runs.

    Args:
        pages: whose documents are built and served; python3-doc is served when it is installed.
    """
    server = _Server()
    port = server.server_address[1]
    site = Site(f"http://{LOOPBACK}:{port}", f"http://localhost:{port}")
    for page in pages:
        server.documents.update(_encode(page.build(site.other_origin)))
    directory = python_doc_directory()
    if directory is not None:
        server.mounts[PYTHON_DOC_MOUNT] = directory
    thread = threading.Thread(target=server.serve_forever, name="benchmark-pages", daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _encode(documents: Mapping[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in documents.items()}
