"""Parts of a page, as answers of the server: what it keeps, how it is set up, the page as a file."""

from __future__ import annotations

import contextlib
import dataclasses
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec
from msgspec import UNSET

from hybridsnap.client.network import origin_of
from hybridsnap.errors import CommandRefused, HybridsnapError
from hybridsnap.server import answers
from hybridsnap.server.messages import TabMessage, bad_request
from hybridsnap.server.part_messages import STORAGE_ACTIONS, EmulationBody, PdfRequest, ScreenshotRequest
from hybridsnap.service.emulating import emulate
from hybridsnap.service.errors import ApiError
from hybridsnap.service.locating import find_node
from hybridsnap.service.routing import NO_ANSWERS, answered_as, change_routes
from hybridsnap.service.stored import CookieFilter, Stored
from hybridsnap.service.taken import MEDIA_TYPES, take_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hybridsnap.client.interception import Route
    from hybridsnap.client.storage_state import Cookie, StorageState
    from hybridsnap.deadline import Deadline
    from hybridsnap.server.part_messages import (
        EmulationRequest,
        LocatorsRequest,
        MhtmlRequest,
        PermissionsRequest,
        RoutesRequest,
        StorageRequest,
    )
    from hybridsnap.server.sessions import HeldTab
    from hybridsnap.server.settings import Settings
    from hybridsnap.service.content_policy import ContentPolicy
    from hybridsnap.service.taken import TakenFormat

#: Actions that cannot do without the field of the same sense.
_NEEDED = {"setCookies": "cookies", "setItems": "items", "restore": "state"}


class File(NamedTuple):
    """An answer that is no JSON."""

    data: bytes
    media_type: str


def permit_storage(settings: Settings) -> None:
    """Refuse what a profile keeps where the operator has closed it."""
    if not settings.allow_storage:
        raise ApiError(
            403,
            "StorageOff",
            "what profiles keep is neither shown nor changed here",
            "the server was started with --no-storage",
        )


async def answer_storage(
    request: StorageRequest, held: HeldTab, content: ContentPolicy, deadline: Deadline
) -> dict[str, Any]:
    """The fields of `answers.StorageAnswer`, without whose tab it is."""
    _check_fields(request)
    stored = Stored(content, held, deadline)
    with telling_mistakes():
        if request.action in {"cookies", "setCookies", "clearCookies"}:
            return await _cookies(request, stored)
        if request.action == "state":
            state, hidden = await stored.state(request.origins)
            return {"state": state, "hidden": hidden}
        if request.action == "restore":
            state, hidden = await stored.restore(cast("StorageState", request.state))
            return {"done": len(state["cookies"]) + len(state["origins"]), "hidden": hidden}
        return await _items(request, stored)


async def _cookies(request: StorageRequest, stored: Stored) -> dict[str, Any]:
    wanted = CookieFilter(request.urls, request.domain, request.name, request.path)
    if request.action == "setCookies":
        cookies: list[Cookie] = [msgspec.to_builtins(one) for one in request.cookies or ()]
        return {"done": await stored.set_cookies(cookies)}
    if request.action == "clearCookies":
        return {"done": await stored.clear_cookies(wanted)}
    found, hidden = await stored.cookies(wanted)
    told = [msgspec.convert(one, answers.CookieAnswer) for one in found]
    for one in () if request.values else told:
        one.value = UNSET
    return {"cookies": told, "hidden": hidden}


async def _items(request: StorageRequest, stored: Stored) -> dict[str, Any]:
    if request.action == "databases":
        origin, names = await stored.databases(request.origin)
        return {"origin": origin, "databases": names}
    if request.action == "setItems":
        assert request.items is not None, "`_check_fields` comes before"
        origin = await stored.set_items(request.items, request.area, request.origin)
        return {"origin": origin, "done": len(request.items)}
    if request.action == "clearItems":
        return {"origin": await stored.clear_items(request.names, request.area, request.origin)}
    origin, items = await stored.items(request.area, request.origin)
    return {"origin": origin, "items": items, "origins": await stored.origins()}


def _check_fields(request: StorageRequest) -> None:
    """Refuse fields that are of other actions: they would be ignored without a word."""
    every = frozenset().union(*STORAGE_ACTIONS.values())
    given = {
        field.name
        for field in msgspec.structs.fields(request)
        if field.name in every and getattr(request, field.name) not in (field.default, None)
    }
    if others := given - STORAGE_ACTIONS[request.action]:
        raise bad_request(f"{', '.join(sorted(others))} cannot stand beside the action {request.action}")
    needed = _NEEDED.get(request.action)
    if needed is not None and getattr(request, needed) is None:
        raise bad_request(f"the action {request.action} needs {needed}")


async def answer_emulation(
    request: EmulationRequest, held: HeldTab, content: ContentPolicy, deadline: Deadline
) -> dict[str, Any]:
    """The fields of `answers.EmulationAnswer`, without whose tab it is."""
    await content.check(held, deadline)
    fields = msgspec.structs.fields(EmulationBody)
    reset: bool | list[str] = request.reset
    names = {field.encode_name: field.name for field in fields}
    if not isinstance(reset, bool):
        reset = [names.get(one, one) for one in reset]
        if unknown := [one for one in reset if one not in names.values()]:
            known = ", ".join(names)
            raise bad_request(f"reset: there is no setting {unknown[0]!r:.60}; those that there are: {known}")
    given = {field.name: getattr(request.set, field.name, UNSET) for field in fields}
    settings = {name: value for name, value in given.items() if value is not UNSET}
    with telling_mistakes({name: own for own, name in names.items()}):
        active = await emulate(held.page, settings, deadline, reset=reset, device=request.device)
    return {"active": EmulationBody(**active)}


async def answer_permissions(
    request: PermissionsRequest, held: HeldTab, content: ContentPolicy, deadline: Deadline
) -> dict[str, Any]:
    """The fields of `answers.PermissionsAnswer`, without whose tab it is."""
    await content.check(held, deadline)
    storage, origin = held.page.storage, request.origin
    if origin is None:
        origin = origin_of(held.page.url)
    if not origin.startswith(("http://", "https://")):
        raise bad_request(f"origin: expected one such as https://shop.example, got {origin!r:.80}")
    if held.is_checked and origin not in await content.addresses.may_show({origin}, deadline):
        raise ApiError(403, "AddressRefused", "the rules refuse that origin", "ask for another")
    if request.reset:
        await storage.reset_permissions(timeout=deadline)
    if request.grant:
        try:
            await storage.grant_permissions(request.grant, origin=origin, timeout=deadline)
        except CommandRefused as error:  # it knows no such permission
            raise bad_request(f"grant: {error.reason}") from None
    return {"origin": origin if request.grant else None, "granted": request.grant}


async def answer_locators(
    request: LocatorsRequest, held: HeldTab, content: ContentPolicy, deadline: Deadline
) -> dict[str, Any]:
    """The fields of `answers.LocatorsAnswer`, without whose tab it is."""
    snapshot = await content.captured(held, deadline, held.page.snapshot(timeout=deadline))
    held.page.note_printed(snapshot.report.snapshot_id, ())  # the answer says nothing of what ids stand for
    try:
        return dataclasses.asdict(find_node(snapshot, request.element_id).locators)
    except (LookupError, ValueError) as error:
        if isinstance(error, HybridsnapError):
            raise
        raise bad_request(f"elementId: {error.args[0]}") from None


def permit_routes(settings: Settings, request: RoutesRequest) -> None:
    """Refuse made-up answers where scripts are off: an answer can be a script."""
    if request.action == "fulfill" and not settings.allow_evaluate:
        raise ApiError(
            403,
            "EvaluateOff",
            NO_ANSWERS,
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
        removed = await change_routes(held.page, request.action, given, deadline, names=names)
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


async def answer_file(
    request: PdfRequest | ScreenshotRequest | MhtmlRequest,
    held: HeldTab,
    content: ContentPolicy,
    deadline: Deadline,
) -> File:
    """The page as a PDF, as a picture, or as MHTML."""
    common = {field.name for field in msgspec.structs.fields(TabMessage)}
    options = {name: one for name, one in msgspec.structs.asdict(request).items() if name not in common}
    format_: TakenFormat = "mhtml"
    if isinstance(request, PdfRequest):
        format_ = "pdf"
    elif isinstance(request, ScreenshotRequest):
        format_, options["element"] = options.pop("format"), options.pop("element_id")
    with telling_mistakes():
        return File(await take_page(content, held, format_, options, deadline), MEDIA_TYPES[format_])


@contextlib.contextmanager
def telling_mistakes(names: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """Answer what means nothing with 400.

    Args:
        names: ours of settings → the request's, which an error begins with.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        if isinstance(error, HybridsnapError):
            raise
        named, colon, words = str(error).partition(":")
        told = ", ".join(names.get(one, one) for one in named.split(", "))
        raise bad_request(f"{told}{colon}{words}") from None
