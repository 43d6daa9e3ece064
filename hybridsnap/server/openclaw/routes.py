"""All paths of OpenClaw's browser server; each function of these modules says which one it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.server.openclaw import (  # noqa: F401 - what they define is registered
    hooks,
    looks,
    performing,
    records,
    state,
    tabs,
)
from hybridsnap.server.openclaw.refusals import unsupported
from hybridsnap.server.openclaw.registry import REGISTERED, OpenClawRoute

if TYPE_CHECKING:
    from hybridsnap.server.openclaw.host import Call
    from hybridsnap.server.openclaw.registry import Run


def _absent(what: str, instead: str, **known: str) -> Run:
    async def refuse(_: Call) -> dict[str, Any]:
        raise unsupported(what, instead, **known)

    return refuse


_NO_TRACE = "no archive in Playwright's format is written; POST /control/trace has a Chrome trace of the tab"
_ONE_PROFILE = "browsers are set up with the options of hybridsnap serve"

ROUTES: tuple[OpenClawRoute, ...] = (
    *REGISTERED,
    OpenClawRoute(
        "POST",
        "/screencast",
        "Screencast",
        (),
        # With this code OpenClaw's own window goes on with single pictures.
        _absent(
            "POST /screencast",
            "POST /screenshot takes single pictures",
            code="SCREENCAST_UNSUPPORTED",
            reason="playwright",
        ),
    ),
    *(
        OpenClawRoute(method, path, name, (), _absent(f"{method} {path}", instead))
        for method, path, name, instead in (
            (
                "POST",
                "/reset-profile",
                "ResetProfile",
                "POST /stop ends the session, with all that it stored",
            ),
            ("POST", "/profiles/create", "CreateProfile", _ONE_PROFILE),
            ("POST", "/profiles/import", "ImportProfile", _ONE_PROFILE),
            ("DELETE", "/profiles/{name}", "DeleteProfile", _ONE_PROFILE),
            ("GET", "/system-profiles", "SystemProfiles", _ONE_PROFILE),
            ("POST", "/trace/start", "TraceStart", _NO_TRACE),
            ("POST", "/trace/stop", "TraceStop", _NO_TRACE),
        )
    ),
)
