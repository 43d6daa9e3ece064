"""chrome-devtools-mcp, an MCP server on standard input and output.

Playwright's own server (@playwright/mcp) is not among the peers: `browser_snapshot` prints what
`aria_snapshot(mode="ai")` gives, with five lines above it and longer refs (``f1e2`` for ``e2``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.peers.base import ARGUMENTS, HEIGHT, WIDTH
from benchmarks.peers.line_process import LineProcess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.peers.base import PeerOptions

_PROTOCOL = "2025-06-18"


class McpServer:
    """A client of one server, as small as reading needs it.

    Args:
        command: what starts the server.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._process = LineProcess(command)
        self._calls = 0
        client = {"name": "benchmarks.reading", "version": "1"}
        self._ask("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client})
        self._process.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._calls += 1
        self._process.send({"jsonrpc": "2.0", "id": self._calls, "method": method, "params": params})
        while (reply := self._process.receive()).get("id") != self._calls:
            continue
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        result: dict[str, Any] = reply["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> str:
        """Call a tool; the text of its result.

        Raises:
            RuntimeError: the tool failed.
        """
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        if result.get("isError"):
            raise RuntimeError(f"{tool}: {text:.300}")
        return text

    def close(self) -> None:
        """End the server."""
        self._process.close()


class ChromeDevtoolsMcp:
    """``take_snapshot`` of chrome-devtools-mcp."""

    def __init__(self, options: PeerOptions) -> None:
        server = options.node_file("chrome-devtools-mcp", "build/src/bin/chrome-devtools-mcp.js")
        settings = ["--headless", "--isolated", f"--executablePath={options.browser}"]
        settings += [
            f"--viewport={WIDTH}x{HEIGHT}",
            "--no-usage-statistics",
            "--no-performance-crux",
            "--no-page-id-routing",
        ]
        settings += [f"--chromeArg={argument}" for argument in ARGUMENTS]
        self._server = McpServer(["node", str(server), *settings])

    def text_of(self, url: str) -> str:
        """The text of the tool's result, as the model gets it."""
        self._server.call("navigate_page", type="url", url=url)
        return self._server.call("take_snapshot")

    def close(self) -> None:
        """End server and browser."""
        self._server.close()
