"""Routes of tabs, as answers of the server: what is done with requests to come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import UNSET

from hybridsnap.server import answers
from hybridsnap.server.messages import bad_request
from hybridsnap.server.parts import telling_mistakes
from hybridsnap.service.errors import ApiError
from hybridsnap.service.routing import add_route, answered_as, remove_routes

if TYPE_CHECKING:
    from hybridsnap.client.interception import Route
    from hybridsnap.deadline import Deadline
    from hybridsnap.server.part_messages import RoutesRequest
    from hybridsnap.server.sessions import HeldTab
    from hybridsnap.server.settings import Settings
    from hybridsnap.service.content_policy import ContentPolicy
    from hybridsnap.service.routing import RouteKind

_NARROWING = ("resource_type", "method", "times")
_ANSWER = ("status", "headers", "body", "content_type", "reason")


def permit_routes(settings: Settings, request: RoutesRequest) -> None:
    """Refuse made-up answers where scripts are off: an answer can be a script."""
    if request.action == "fulfill" and not settings.allow_evaluate:
        raise ApiError(
            403,
            "EvaluateOff",
            "answers are not made up here: they could run scripts, and scripts are off",
            "the server allows it with --allow-evaluate; abort and continue do without",
        )


async def answer_routes(
    request: RoutesRequest, held: HeldTab, content: ContentPolicy, deadline: Deadline
) -> dict[str, Any]:
    """The fields of `answers.RoutesAnswer`, without whose tab it is."""
    given = {name: getattr(request, name) for name in (*_NARROWING, *_ANSWER)}
    given = {name: value for name, value in given.items() if value is not UNSET}
    removed = 0
    await content.check(held, deadline)
    if request.action in {"list", "remove"}:
        if request.action == "list" and request.url is not None:
            raise bad_request("url cannot stand beside the action list")
        if given:
            names = {field.name: field.encode_name for field in msgspec.structs.fields(request)}
            named = ", ".join(sorted(names[one] for one in given))
            raise bad_request(f"{named} cannot stand beside the action {request.action}")
        if request.action == "remove":
            removed = remove_routes(held.page, request.url)
    elif request.url is None:
        raise bad_request(f"the action {request.action} needs url, such as **/api/*; ** is every address")
    else:
        with telling_mistakes({"resource_type": "resourceType", "content_type": "contentType"}):
            await add_route(
                held.page,
                request.url,
                cast("RouteKind", request.action),
                deadline,
                scripts=True,  # `permit_routes` comes before
                fields={name: given[name] for name in _ANSWER if name in given},
                **{name: given[name] for name in _NARROWING if name in given},
            )
    return {"routes": [_told(one) for one in held.page.network.routes], "removed": removed}


def _told(route: Route) -> answers.RouteAnswer:
    """A route, without what proves who somebody is."""
    pattern = route.pattern
    return answers.RouteAnswer(
        url=route.url,
        does=answered_as(route.action),
        narrowed=list(pattern.narrowed),
        times=route.times,
        count=route.count,
    )
