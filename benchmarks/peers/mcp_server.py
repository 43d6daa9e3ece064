"""An MCP server on standard input and output, and what it costs the model that calls it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchmarks.peers.line_process import LineProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_PROTOCOL = "2025-06-18"


class McpServer:
    """A client of one server, as small as the benchmarks need it.

    Args:
        command: what starts the server.
        folder: it is started there; None for here.
        count: tokens of a text; None where nobody asks.

    Attributes:
        calls: of tools, until now.
        tokens: of their names, arguments and results.
    """

    def __init__(
        self, command: Sequence[str], *, folder: Path | None = None, count: Callable[[str], int] | None = None
    ) -> None:
        self._process = LineProcess(command, folder=folder)
        self._asked = 0
        self._count = count
        self.calls = 0
        self.tokens = 0
        client = {"name": "hybridsnap-benchmarks", "version": "1"}
        self._ask("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client})
        self._process.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        self._process.send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        while (reply := self._process.receive()).get("id") != self._asked:
            continue
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        result: dict[str, Any] = reply["result"]
        return result

    def tools(self) -> str:
        """The list of tools, as JSON: names, descriptions and schemas of arguments, as a model gets them."""
        wanted = ("name", "description", "inputSchema")
        tools = self._ask("tools/list", {})["tools"]
        return json.dumps(
            [{key: tool.get(key) for key in wanted} for tool in tools],
            ensure_ascii=False,
            separators=(",", ":"),
        )

    def call(self, tool: str, **arguments: Any) -> str:
        """Call a tool; the text of its result.

        Raises:
            RuntimeError: the tool failed.
        """
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        self.calls += 1
        if self._count is not None:
            self.tokens += self._count(f"{tool} {json.dumps(arguments, ensure_ascii=False)}")
            self.tokens += self._count(text)
        if result.get("isError"):
            raise RuntimeError(f"{tool}: {text:.300}")
        return text

    def close(self) -> None:
        """End the server."""
        self._process.close()
