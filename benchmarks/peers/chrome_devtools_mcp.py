"""chrome-devtools-mcp, an MCP server on standard input and output.

Playwright's own server (@playwright/mcp) is not among the peers: `browser_snapshot` prints what
`aria_snapshot(mode="ai")` gives, with five lines above it and longer refs (``f1e2`` for ``e2``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.peers.base import ARGUMENTS, HEIGHT, WIDTH
from benchmarks.peers.mcp_server import McpServer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.peers.base import PeerOptions


def chrome_devtools_command(options: PeerOptions, arguments: Sequence[str] = ARGUMENTS) -> list[str]:
    """What starts the server, without sending figures of use to anyone.

    Args:
        options: where it is.
        arguments: of the browser.
    """
    server = options.node_file("chrome-devtools-mcp", "build/src/bin/chrome-devtools-mcp.js")
    return [
        "node",
        str(server),
        "--headless",
        "--isolated",
        f"--executablePath={options.browser}",
        f"--viewport={WIDTH}x{HEIGHT}",
        "--no-usage-statistics",
        "--no-performance-crux",
        "--no-page-id-routing",
        *(f"--chromeArg={argument}" for argument in arguments),
    ]


class ChromeDevtoolsMcp:
    """``take_snapshot`` of chrome-devtools-mcp."""

    def __init__(self, options: PeerOptions) -> None:
        self._server = McpServer(chrome_devtools_command(options))

    def text_of(self, url: str) -> str:
        """The text of the tool's result, as the model gets it."""
        self._server.call("navigate_page", type="url", url=url)
        return self._server.call("take_snapshot")

    def close(self) -> None:
        """End server and browser."""
        self._server.close()
