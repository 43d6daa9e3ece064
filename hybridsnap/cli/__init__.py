"""The command line: parsing, checks before a browser is started, the commands, and their exit codes.

`parser` (the commands, and the options of one alone), `options` (those that several share), `serve`,
`recorded`, `tracing`, `saving`, `emulation`, `routes`, `permissions` and `tool` say what is taken, `types`
reads single values, `checks` says what goes together, `pages` opens the page that is meant, `actions` reads
what ``act`` is to do (`json_actions`: and shows how it is written as JSON), `act` does it (`shown`: what ids
stood for when they were printed), and `commands` turns all of it into calls, lines (`output`) and exit
codes. `doctor`: what works here.
"""

from __future__ import annotations

from hybridsnap.cli.commands import main

__all__ = ["main"]
