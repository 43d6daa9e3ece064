"""Routes that clients of a server may make: they decide about requests, and read no file of the server's.

A made-up answer can be a script that then runs in the page, so it needs what evaluation needs: faces refuse
it with `NO_ANSWERS` where that is off. No request is sent to another address than the page's own: that would
lead around the rules on addresses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hybridsnap.client.request_records import shown_headers
from hybridsnap.client.routes import Abort, Continue, Fulfill

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.client.browser import Page
    from hybridsnap.client.interception import Route
    from hybridsnap.client.routes import RouteAction, RouteHandler
    from hybridsnap.deadline import Deadline

#: What may be asked of a page's routes.
RouteRequest: TypeAlias = Literal["list", "remove", "abort", "fulfill", "continue"]
#: Those that add one, and what it does.
_ADDED: dict[str, type[RouteAction]] = {"abort": Abort, "fulfill": Fulfill, "continue": Continue}
_NARROWING = frozenset({"resource_type", "method", "times"})
#: The fields of each.
_FIELDS: dict[str, frozenset[str]] = {
    "list": frozenset(),
    "remove": frozenset({"url"}),
    "abort": _NARROWING | {"url", "reason"},
    "fulfill": _NARROWING | {"url", "status", "headers", "body", "content_type"},
    "continue": _NARROWING | {"url", "headers"},
}
NO_ANSWERS = "answers are not made up here: they could run scripts, and scripts are off"
#: So many routes may a page have from clients.
MOST_ROUTES = 100


async def change_routes(
    page: Page,
    action: RouteRequest,
    given: Mapping[str, Any],
    deadline: Deadline,
    *,
    names: Mapping[str, str],
) -> int:
    """Add a route to a page, remove those of a pattern, or all, or change nothing; how many were removed.

    Args:
        page: whose.
        action: what is asked.
        given: ``url``, and what `Network.route` and the answer take, as far as the client said so.
        deadline: for a route to be confirmed.
        names: what the client calls fields, where that is something else.

    Raises:
        ValueError, TypeError: a field means nothing, or is of another action.
    """
    if others := sorted(names.get(one, one) for one in given.keys() - _FIELDS[action]):
        raise ValueError(f"{', '.join(others)} cannot stand beside {action}")
    url = given.get("url")
    if action not in _ADDED:
        found = [one for one in page.network.routes if action == "remove" and url in {None, one.url}]
        for one in found:
            one.remove()
        return len(found)
    if url is None:
        raise ValueError(f"{action} needs url, such as **/api/*; ** is every address")
    if len(page.network.routes) >= MOST_ROUTES:
        raise ValueError(f"there are {MOST_ROUTES} routes already; remove some")
    narrowing = {name: value for name, value in given.items() if name in _NARROWING}
    answer = {name: value for name, value in given.items() if name not in {"url", *_NARROWING}}
    await page.network.route(url, _ADDED[action](**answer), timeout=deadline, **narrowing)
    return 0


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
