"""Routes of tabs, as answers of the server: what is done with requests to come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from hybridsnap.server import answers
from hybridsnap.server.messages import TabMessage
from hybridsnap.server.parts import telling_mistakes
from hybridsnap.service.errors import ApiError
from hybridsnap.service.routing import answered_as, change_routes

if TYPE_CHECKING:
    from hybridsnap.client.interception import Route
    from hybridsnap.deadline import Deadline
    from hybridsnap.server.part_messages import RoutesRequest
    from hybridsnap.server.sessions import HeldTab
    from hybridsnap.server.settings import Settings
    from hybridsnap.service.content_policy import ContentPolicy


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
    fields = msgspec.structs.fields(request)
    common = {"action", *(field.name for field in msgspec.structs.fields(TabMessage))}
    given = {field.name: getattr(request, field.name) for field in fields if field.name not in common}
    given = {name: value for name, value in given.items() if value is not UNSET and value is not None}
    names = {field.name: field.encode_name for field in fields}
    await content.check(held, deadline)
    with telling_mistakes(names):
        removed = await change_routes(
            held.page,
            request.action,
            given,
            deadline,
            scripts=True,  # `permit_routes` comes before
            names=names,
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
