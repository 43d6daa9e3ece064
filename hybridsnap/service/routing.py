"""Routes that clients of a server may make: they decide about requests, and read no file of the server's.

A made-up answer can be a script that then runs in the page, so it needs what evaluation needs. No request is
sent to another address than the page's own: that would lead around the rules on addresses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hybridsnap.client.request_records import shown_headers
from hybridsnap.client.routes import Abort, Continue, Fulfill

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridsnap.client.browser import Page
    from hybridsnap.client.interception import Route
    from hybridsnap.client.routes import AbortReason, RouteAction, RouteHandler
    from hybridsnap.deadline import Deadline

#: What a route may do.
RouteKind: TypeAlias = Literal["abort", "fulfill", "continue"]
#: Each kind's own fields.
_FIELDS = {
    "abort": {"reason"},
    "fulfill": {"status", "headers", "body", "content_type"},
    "continue": {"headers"},
}
#: So many routes may a page have from clients.
MOST_ROUTES = 100


async def add_route(
    page: Page,
    url: str,
    kind: RouteKind,
    deadline: Deadline,
    *,
    scripts: bool,
    fields: Mapping[str, Any],
    resource_type: str | Sequence[str] | None = None,
    method: str | None = None,
    times: int | None = None,
) -> Route:
    """Add a route, as `Network.route` does.

    Args:
        page: whose.
        url: a pattern.
        kind: what it does.
        deadline: for it to be confirmed.
        scripts: the client may evaluate scripts.
        fields: of the answer.
        resource_type: as `Network.route`; also the next two.
        method: see there.
        times: see there.

    Raises:
        ValueError, TypeError: an argument means nothing, or is of another kind.
        PermissionError: it may not make up answers.
    """
    if others := fields.keys() - _FIELDS[kind]:
        raise ValueError(f"{', '.join(sorted(others))} cannot stand beside {kind}")
    if kind == "fulfill" and not scripts:
        raise PermissionError("answers are not made up here: they could run scripts, and scripts are off")
    if len(page.network.routes) >= MOST_ROUTES:
        raise ValueError(f"there are {MOST_ROUTES} routes already; remove some")
    return await page.network.route(
        url,
        _action(kind, fields),
        resource_type=resource_type,
        method=method,
        times=times,
        timeout=deadline,
    )


def _action(kind: RouteKind, fields: Mapping[str, Any]) -> RouteAction:
    if kind == "fulfill":
        return Fulfill(**fields)
    if kind == "continue":
        return Continue(**fields)
    reason: AbortReason = fields.get("reason", "blockedbyclient")
    return Abort(reason)


def remove_routes(page: Page, url: str | None) -> int:
    """Remove the routes of a pattern, or all; how many there were."""
    found = [one for one in page.network.routes if url in {None, one.url}]
    for one in found:
        one.remove()
    return len(found)


def describe_route(route: Route) -> str:
    """A route in words, without what proves who somebody is: ``abort **/*.png (image), 3 requests``."""
    count = f"{route.count} request{'' if route.count == 1 else 's'} so far"
    return f"{route.url}{route.narrowed}: {answered_as(route.action)}; {count}"


def answered_as(action: RouteAction | RouteHandler) -> str:
    """What a route does, in words, without what proves who somebody is: ``fulfill 404``."""
    if isinstance(action, Fulfill):
        return f"fulfill {action.status}"
    if isinstance(action, Continue):
        sent = {name.lower(): value or "" for name, value in action.headers.items()}
        shown = ", ".join(f"{name}: {value}" for name, value in shown_headers(sent, secrets=False))
        return f"continue with {shown}" if shown else "continue"
    return f"abort as {action.reason}" if isinstance(action, Abort) else "decided by a function"
