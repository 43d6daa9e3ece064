"""Stagehand's outline, which its ``act``, ``observe`` and ``extract`` give to the model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.peers.base import ARGUMENTS, HEIGHT, WIDTH
from benchmarks.peers.line_process import LineProcess

if TYPE_CHECKING:
    from benchmarks.peers.base import PeerOptions


class Stagehand:
    """A Node process that holds Stagehand and its browser."""

    def __init__(self, options: PeerOptions) -> None:
        package = options.node_file("@browserbasehq/stagehand", "dist/esm/index.js")
        script = Path(__file__).with_suffix(".mjs")
        command = ["node", str(script), str(package), options.browser, str(WIDTH), str(HEIGHT), *ARGUMENTS]
        self._process = LineProcess(command)

    def text_of(self, url: str) -> str:
        """What ``page.snapshot()`` gives as ``formattedTree``."""
        self._process.send({"url": url})
        reply = self._process.receive()
        if "error" in reply:
            raise RuntimeError(f"Stagehand: {reply['error']:.300}")
        text: str = reply["text"]
        return text

    def close(self) -> None:
        """End Stagehand and its browser."""
        self._process.close()
