"""`python -m benchmarks.mcp_tasks`: three tasks through MCP servers, ours and others: calls and tokens.

- order: buy something in the bundled shop (`hybridsnap.demo`), with a form of seven fields to be filled in.
- failure: a button of a page does not do what it says; what did the server answer?
- reference: one sentence in a long page (library/stdtypes.html of Debian's python3-doc).

Each task is done by a script (`benchmarks.mcp_scripts`) that calls what a model without mistakes would call,
and each answer is checked. Tokens are o200k's, of the calls (tool and arguments) and of their results' text;
the list of tools, which a model gets once in a conversation, is a column of its own. Ours is asked for text
only (``--text-only``), as hosts show either the text or the structured content.

The others are Node packages::

    npm install --prefix FOLDER @playwright/mcp chrome-devtools-mcp
    python -m benchmarks.mcp_tasks --node-modules FOLDER/node_modules
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import http.server
import json
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import trio

from benchmarks import mcp_scripts
from benchmarks.pages import PYTHON_DOC_ABSENT, python_doc_directory
from benchmarks.peers.base import ARGUMENTS, HEIGHT, WIDTH, NotInstalled, PeerOptions
from benchmarks.peers.chrome_devtools_mcp import chrome_devtools_command
from benchmarks.peers.mcp_server import McpServer
from hybridsnap.demo.server import serve_shop
from hybridsnap.render.tokens import tokenizer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Script = Callable[[McpServer, str], str]

#: The pages of the tasks are this machine's own; nothing else is reached.
_BROWSER_ARGUMENTS = [argument for argument in ARGUMENTS if not argument.startswith("--host-resolver-rules")]
RESULTS = Path(__file__).parent / "results"
_WORDS = " ".join(f"Parcel {number} left the depot on day {number % 28 + 1}." for number in range(60))
_DESK = f"""<!doctype html><title>Order desk</title><h1>Order desk</h1>
<nav>{"".join(f'<a href="?{number}">Shelf {number}</a> ' for number in range(30))}</nav>
<button id=load>Load the orders</button><p id=state>Nothing loaded.</p><p>{_WORDS}</p>
<script>
for (let i = 0; i < 20; i++) fetch("/api/shelf?" + i);
document.getElementById("load").onclick = async () => {{
  const answer = await fetch("/api/orders?from=2026-11-01");
  document.getElementById("state").textContent = answer.ok ? "Loaded." : "Something went wrong.";
  if (!answer.ok) console.error("orders could not be loaded");
}};
</script>"""
_FAILURE = {"error": "column total_cents does not exist", "trace": "7f3a"}


class Task(NamedTuple):
    """What is to be done.

    Attributes:
        answers: words that the last text has to hold, or the task was not done.
        scripts: server → what it calls.
    """

    name: str
    answers: tuple[str, ...]
    scripts: dict[str, Script]


class Spent(NamedTuple):
    """On one task."""

    calls: int
    tokens: int


OURS, PLAYWRIGHT, DEVTOOLS = "hybridsnap", "@playwright/mcp", "chrome-devtools-mcp"
TASKS = (
    Task(
        "order",
        ("Thank you for your order", "Weverstraat 4"),
        {
            OURS: mcp_scripts.our_order,
            PLAYWRIGHT: mcp_scripts.playwright_order,
            DEVTOOLS: mcp_scripts.devtools_order,
        },
    ),
    Task(
        "failure",
        (_FAILURE["error"],),
        {
            OURS: mcp_scripts.our_failure,
            PLAYWRIGHT: mcp_scripts.playwright_failure,
            DEVTOOLS: mcp_scripts.devtools_failure,
        },
    ),
    Task(
        "reference",
        ("similar to lowercasing but more aggressive",),
        {
            OURS: mcp_scripts.our_reference,
            PLAYWRIGHT: mcp_scripts.playwright_reference,
            DEVTOOLS: mcp_scripts.devtools_reference,
        },
    ),
)


def command_of(server: str, options: PeerOptions, caps: str) -> list[str]:
    """What starts a server."""
    if server == OURS:
        command = [sys.executable, "-m", "hybridsnap", "mcp", "--allow-private", "--text-only"]
        return [*command, "--browser", options.browser, *(["--caps", caps] if caps else [])]
    if server == DEVTOOLS:
        return chrome_devtools_command(options, _BROWSER_ARGUMENTS)
    program = options.node_file("@playwright/mcp", "cli.js")
    settings = ["--headless", "--isolated", "--no-sandbox", f"--viewport-size={WIDTH}x{HEIGHT}"]
    return ["node", str(program), *settings, f"--executable-path={options.browser}"]


class _Desk(http.server.SimpleHTTPRequestHandler):
    """The page of the second task at ``/desk``, and the files of a folder."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/desk":
            self._answer(200, "text/html", _DESK)
        elif path == "/api/orders":
            self._answer(500, "application/json", json.dumps(_FAILURE))
        elif path == "/api/shelf":
            self._answer(200, "application/json", "{}")
        else:
            super().do_GET()

    def _answer(self, status: int, type_: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", type_)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Nothing is printed."""


@contextlib.contextmanager
def _served(folder: Path) -> Iterator[str]:
    handler = functools.partial(_Desk, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def measure(server: str, task: Task, url: str, options: PeerOptions) -> Spent:
    """One task with a server, and a browser, of its own.

    Raises:
        NotInstalled: the server is not here.
        LookupError: the last text does not answer the task.
    """
    caps = "network" if task.name == "failure" else ""
    with tempfile.TemporaryDirectory() as folder:  # servers leave files where they are started
        client = McpServer(
            command_of(server, options, caps), folder=Path(folder), count=tokenizer_of("o200k")
        )
        try:
            answer = task.scripts[server](client, url)
        finally:
            client.close()
    for words in task.answers:
        if words not in answer:
            raise LookupError(f"{server}, {task.name}: no {words!r} in: {answer:.4000}")
    return Spent(client.calls, client.tokens)


def list_tokens(server: str, options: PeerOptions, caps: str) -> int:
    """Tokens of the list of tools."""
    with tempfile.TemporaryDirectory() as folder:
        client = McpServer(command_of(server, options, caps), folder=Path(folder))
        try:
            return tokenizer_of("o200k")(client.tools())
        finally:
            client.close()


def print_table(found: dict[str, dict[str, Spent]], lists: dict[str, int]) -> None:
    """As Markdown."""
    print("| Server | list of tools |", " | ".join(task.name for task in TASKS), "|")
    print("|---|---|" + "---|" * len(TASKS))
    for server, spent in found.items():
        cells = [f"{each.calls} calls, {each.tokens:,}" for each in spent.values()]
        print(f"| {server} | {lists[server]:,} |", " | ".join(cells), "|")


async def run(options: argparse.Namespace) -> int:
    """Measure and print; 1 where a task was not done."""
    folder = python_doc_directory()
    if folder is None:
        print(PYTHON_DOC_ABSENT, file=sys.stderr)
        return 1
    peers = PeerOptions(options.browser, options.node_modules)
    found: dict[str, dict[str, Spent]] = {}
    lists: dict[str, int] = {}
    with _served(folder) as site:
        for server in (OURS, PLAYWRIGHT, DEVTOOLS):
            try:
                lists[server] = await trio.to_thread.run_sync(list_tokens, server, peers, "")
            except NotInstalled as error:
                print(f"{server} is left out: {error}", file=sys.stderr)
                continue
            found[server] = {}
            for task in TASKS:
                async with serve_shop() as shop:  # its cart is empty again
                    url = {
                        "order": shop.url,
                        "failure": f"{site}/desk",
                        "reference": f"{site}/library/stdtypes.html",
                    }[task.name]
                    found[server][task.name] = await trio.to_thread.run_sync(
                        measure, server, task, url, peers
                    )
    print_table(found, lists)
    with_network = await trio.to_thread.run_sync(list_tokens, OURS, peers, "network")
    print(f"\nOur list with --caps network, as in the second task: {with_network:,} tokens.")
    RESULTS.mkdir(exist_ok=True)
    figures = {
        server: {task: spent._asdict() for task, spent in tasks.items()} for server, tasks in found.items()
    }
    (RESULTS / "mcp_tasks.json").write_text(json.dumps({"tasks": figures, "lists": lists}, indent=1) + "\n")
    return 0


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.mcp_tasks", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--browser", default="/usr/bin/chromium", help="the Chromium that each server starts")
    parser.add_argument("--node-modules", type=Path, help="the folder that npm install filled")
    return trio.run(run, parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
