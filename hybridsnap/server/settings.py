"""What a server may do, and for whom: everything is off that is not switched on."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING

from hybridsnap.service.addresses import AddressRules
from hybridsnap.service.browser_pool import BrowserPlan

if TYPE_CHECKING:
    from pathlib import Path


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings(AddressRules):
    """How a server behaves; which addresses it allows, see `AddressRules`.

    Attributes:
        token: what a client proves itself with (``Authorization: Bearer``).
        host: where to listen.
        port: 0 lets the system choose one.
        browsers: by their ids; the first is the one that is meant when none is named.
        server_names: names under which it may be called, beside its address and localhost.
        origins: web pages of these origins may call it (CORS); no others.
        shared_profile: sessions' tabs are opened in the browser's own profile, so that all sessions share
            its cookies and storage; otherwise each session has a browser context of its own.
        openclaw: OpenClaw's paths are answered, too (`hybridsnap.server.openclaw`).
        allow_evaluate: scripts may be evaluated.
        allow_storage: what profiles keep (cookies, web storage) may be read and changed: whoever holds the
            token can then take the logins of the profile along.
        upload_folders: only files in these may be given to pages.
        download_folders: downloads may be saved in these only; the first is the one that is meant when none
            is named.
        captures: at most so many at once.
        queue: so many captures may wait, and so many requests for one page.
        body_bytes: at most, of a request's body.
        idle_seconds: a session that has not been used for so long ends.
        sessions: of each client (an address) at most so many; the session ``default`` does not count.
        tabs: of all sessions at most so many.
        grace_seconds: what runs when the server is told to stop may go on for so long.
        start_seconds: for the browsers to be up.
    """

    token: str
    host: str = "127.0.0.1"
    port: int = 8765
    browsers: tuple[BrowserPlan, ...] = (BrowserPlan(),)
    server_names: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    shared_profile: bool = False
    openclaw: bool = False
    allow_evaluate: bool = False
    allow_storage: bool = True
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
