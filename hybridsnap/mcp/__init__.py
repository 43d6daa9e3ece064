"""A server of the Model Context Protocol: pages to look at and to act on, as tools (``hybridsnap mcp``).

- `hybridsnap.mcp.tools` lists them, `hybridsnap.mcp.calls` does them,
- on the tabs of `hybridsnap.mcp.client_tabs`, in a browser that starts with the first call that needs it;
- `hybridsnap.mcp.results` is what comes back,
- of its parts `call_base` is what all share, `look_calls`, `act_calls`, `record_calls`, `stored_calls`,
  `file_calls` and `verify_calls` what they say, and `finding` what `find` lists; `caps` has the tools that
  are asked for,
- and `hybridsnap.mcp.stdio` and `hybridsnap.mcp.http` carry it, over `hybridsnap.mcp.server`; `rpc` reads its
  messages, `options` and `serving` start them.

Needs ``pip install 'hybridsnap[mcp]'``.
"""

from __future__ import annotations

import importlib.util

#: What has to be installed, beside hybridsnap itself, for each transport.
_NEEDED = {
    "stdio": ("mcp", "PIL", "ada_url"),
    "http": ("mcp", "PIL", "ada_url", "hypercorn", "starlette"),
}


def missing_extra(transport: str) -> str:
    """What is to be installed before the server can run; "" when it can."""
    if all(importlib.util.find_spec(name) is not None for name in _NEEDED[transport]):
        return ""
    return "the MCP server needs packages that are not installed: pip install 'hybridsnap[mcp]'"
