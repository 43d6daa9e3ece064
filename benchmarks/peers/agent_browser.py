"""agent-browser's ``snapshot``, whole or (``-i``) of interactive elements alone."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from typing import TYPE_CHECKING

from benchmarks.peers.base import ARGUMENTS, HEIGHT, SECONDS, WIDTH

if TYPE_CHECKING:
    from benchmarks.peers.base import PeerOptions


class AgentBrowser:
    """A session of its daemon, and the browser of that."""

    def __init__(self, options: PeerOptions, *, interactive: bool = False) -> None:
        self._program = options.node_file("agent-browser", "bin/agent-browser.js")
        self._flags = ["-i"] if interactive else []
        self._folder = tempfile.TemporaryDirectory()
        self._environment = {
            **os.environ,
            "AGENT_BROWSER_SESSION": f"reading-{os.getpid()}",
            "AGENT_BROWSER_EXECUTABLE_PATH": options.browser,
            "AGENT_BROWSER_ARGS": "\n".join(ARGUMENTS),
            "AGENT_BROWSER_ALLOW_FILE_ACCESS": "true",
            "AGENT_BROWSER_NO_VERSION_CHECK": "1",
        }
        self._run("open", "about:blank")
        self._run("set", "viewport", str(WIDTH), str(HEIGHT))

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            ["node", str(self._program), *arguments, "--json"],
            env=self._environment,
            cwd=self._folder.name,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )
        reply = json.loads(done.stdout or "{}")
        if not reply.get("success"):
            raise RuntimeError(f"agent-browser {arguments[0]}: {reply.get('error') or done.stderr:.300}")
        data = reply.get("data") or {}
        return str(data.get("snapshot", ""))

    def text_of(self, url: str) -> str:
        """What the command prints."""
        self._run("open", url)
        return self._run("snapshot", *self._flags)

    def close(self) -> None:
        """End daemon and browser."""
        self._run("close")
        self._folder.cleanup()
