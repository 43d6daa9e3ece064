"""What a server may do, and for whom: everything is off that is not switched on."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

#: The browser that is meant when none is named.
DEFAULT_BROWSER = "default"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BrowserPlan:
    """A browser that a server has.

    Attributes:
        id: its ``browserId``.
        endpoint: of one that runs already, which is left running; None launches one.
        executable: which to launch; None finds one.
        headless: False opens a window.
        transport: of one that is launched.
        args: more flags for it.
    """

    id: str = DEFAULT_BROWSER
    endpoint: str | None = None
    executable: str | None = None
    headless: bool = True
    transport: Literal["websocket", "pipe"] = "websocket"
    args: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a server behaves.

    Attributes:
        token: what a client proves itself with (``Authorization: Bearer``).
        host: where to listen.
        port: 0 lets the system choose one.
        browsers: by their ids; the first is the one that is meant when none is named.
        server_names: names under which it may be called, beside its address and localhost.
        origins: web pages of these origins may call it (CORS); no others.
        schemes: of addresses that may be gone to. ``about:blank`` always may be; ``javascript`` never.
        allow_hosts: only these may be gone to, when there are any: ``example.com``, ``*.example.com``,
            ``203.0.113.0/24``.
        deny_hosts: these may not, whatever else is allowed.
        allow_private: addresses that are not public may be gone to: this machine, its network.
        exempt: host and port pairs that may be gone to though they are not public.
        allow_evaluate: scripts may be evaluated.
        upload_folders: only files in these may be given to pages.
        download_folders: downloads may be saved in these only; the first is the one that is meant when none
            is named.
        captures: at most so many at once.
        queue: so many captures may wait, and so many requests for one page.
        body_bytes: at most, of a request's body.
        idle_seconds: a session that nobody has used for so long ends.
        sessions, tabs: at most so many, of each.
        grace_seconds: what runs when the server is told to stop may go on for so long.
        start_seconds: for the browsers to be up.
    """

    token: str
    host: str = "127.0.0.1"
    port: int = 8765
    browsers: tuple[BrowserPlan, ...] = (BrowserPlan(),)
    server_names: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    schemes: frozenset[str] = frozenset({"http", "https"})
    allow_hosts: tuple[str, ...] = ()
    deny_hosts: tuple[str, ...] = ()
    allow_private: bool = False
    exempt: frozenset[tuple[str, int]] = frozenset()
    allow_evaluate: bool = False
    upload_folders: tuple[Path, ...] = ()
    download_folders: tuple[Path, ...] = ()
    captures: int = dataclasses.field(default_factory=lambda: os.cpu_count() or 1)
    queue: int = 64
    body_bytes: int = 1024 * 1024
    idle_seconds: float = 600.0
    sessions: int = 100
    tabs: int = 100
    grace_seconds: float = 10.0
    start_seconds: float = 30.0

    @property
    def filters(self) -> bool:
        """Whether it matters where a browser connects to."""
        return not self.allow_private or bool(self.allow_hosts or self.deny_hosts)
