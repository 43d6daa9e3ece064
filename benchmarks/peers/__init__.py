"""Other libraries that turn a page into text for a model, each behind the same small interface.

- `base`: the interface, the viewport, and the arguments of every browser.
- `line_process`: a child process that answers one line of JSON with one line of JSON.
- `mcp_server`: a client of an MCP server, which counts what a model pays for it.
- `playwright_ai`, `chrome_devtools_mcp`, `stagehand` (with ``stagehand.mjs``), `agent_browser`,
  `browser_use_state`: one library each.
- `words`: the page's own words in the text of each.

Every peer starts a browser of its own, in the way its documentation recommends, and shows pages at 1280 by
720 CSS px. What is not installed is left out, and `open_peers` says why. Node packages are looked for in the
folder that ``npm install`` filled; none of them is a dependency of hybridsnap or of its tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.peers.agent_browser import AgentBrowser
from benchmarks.peers.base import NotInstalled, Peer, PeerOptions
from benchmarks.peers.browser_use_state import BrowserUse
from benchmarks.peers.chrome_devtools_mcp import ChromeDevtoolsMcp
from benchmarks.peers.playwright_ai import PlaywrightAi
from benchmarks.peers.stagehand import Stagehand

if TYPE_CHECKING:
    from collections.abc import Callable

#: Name in the table → what starts it.
PEERS: dict[str, Callable[[PeerOptions], Peer]] = {
    "Playwright ai": PlaywrightAi,
    "Stagehand": Stagehand,
    "agent-browser": AgentBrowser,
    "agent-browser -i": lambda options: AgentBrowser(options, interactive=True),
    "chrome-devtools-mcp": ChromeDevtoolsMcp,
    "browser-use": BrowserUse,
}

__all__ = ["PEERS", "NotInstalled", "Peer", "PeerOptions"]
