"""Snapshots as answers of the server: the snapshot's JSON, with what was asked for beside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.server.messages import bad_request
from hybridsnap.service.problems import data_of
from hybridsnap.service.rendering import check_rendering, given_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.server.messages import Rendered
    from hybridsnap.server.sessions import ClientSession, HeldTab
    from hybridsnap.service.errors import ApiError
    from hybridsnap.snapshot import Snapshot


def check_rendered(request: Rendered) -> None:
    """Refuse what cannot be rendered, before a browser is asked for anything."""
    if request.flat and not request.interactive:
        raise bad_request("flat leaves out the ancestors that interactive keeps; send that, too")
    try:
        check_rendering(request.format, given_options(request))
    except ValueError as error:
        raise bad_request(str(error)) from None


def whose(held: HeldTab, session: ClientSession) -> dict[str, Any]:
    """The fields that every answer about a tab has."""
    return {
        "browserId": held.pooled.id,
        "targetId": str(held.page.target_id),
        "sessionId": session.id,
    }


def answer_snapshot(
    snapshot: Snapshot,
    refused: Sequence[ApiError],
    request: Rendered,
    held: HeldTab,
    session: ClientSession,
) -> dict[str, Any]:
    """A snapshot in the shape of document 004, and what was asked for beside.

    A frame whose address the rules refuse is missing, whatever error page the browser shows in its place.
    """
    data = snapshot.to_dict(all_xpaths=request.all_xpaths)
    if refused:
        report = data["report"]
        report["complete"] = False
        report["notes"] = [*report["notes"], *(f"{one.name}: {one}; {one.remedy}" for one in refused)]
    if request.format != "json":
        for name in ("version", "perFrame", "rows"):
            del data[name]
    options = given_options(request)
    if request.format != "json" and (request.format != "tree" or options or request.max_tokens):
        rendering = snapshot.render(request.format, max_tokens=request.max_tokens, **options)
        data["text"] = str(rendering)
        data["stats"] = data_of(rendering.stats)
        extras = rendering.extras
        if "refs" in extras:
            data["refs"] = {ref: data_of(one) for ref, one in extras["refs"].items()}
        if "info" in extras:
            data["info"] = data_of(extras["info"])
    return {**data, **whose(held, session)}
