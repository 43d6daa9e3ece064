"""What a tab said and requested, as far as it may be shown: for the HTTP server and the MCP server."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from hybridsnap.client.network import origin_of
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.client.console_messages import ConsoleMessage, PageError
    from hybridsnap.client.request_records import NetworkRequest, ResponseBody
    from hybridsnap.deadline import Deadline
    from hybridsnap.service.content_policy import CheckedTab, ContentPolicy

R = TypeVar("R", "ConsoleMessage", "PageError", "NetworkRequest")


class Said(NamedTuple):
    """What a tab said.

    Attributes:
        messages, errors: oldest first.
        hidden: how many more there are, of addresses that the rules refuse.
    """

    messages: list[ConsoleMessage]
    errors: list[PageError]
    hidden: int


async def read_console(
    content: ContentPolicy, tab: CheckedTab, deadline: Deadline, *, limit: int, **filters: Any
) -> Said:
    """The console of a tab: of each list the last `limit`.

    The filters are those of `hybridsnap.Console.messages`.

    Raises:
        ApiError: what the tab shows may not be returned.
        ValueError, TypeError: a filter means nothing.
    """
    level = filters.pop("level", None)
    errors = []
    async with content.checked(tab, deadline) as page:
        messages = await page.console.messages(level=level, timeout=deadline, **filters)
        if level is None or "error" in ([level] if isinstance(level, str) else level):
            errors = await page.console.errors(timeout=deadline, **filters)
        shown_messages = await _shown(content, tab, messages, deadline)
        shown_errors = await _shown(content, tab, errors, deadline)
    hidden = len(messages) + len(errors) - len(shown_messages) - len(shown_errors)
    return Said(shown_messages[-limit:], shown_errors[-limit:], hidden)


async def read_requests(
    content: ContentPolicy, tab: CheckedTab, deadline: Deadline, *, limit: int, **filters: Any
) -> tuple[list[NetworkRequest], int]:
    """The last `limit` requests of a tab, and how many more there are, of addresses that the rules refuse.

    The filters are those of `hybridsnap.Network.requests`.

    Raises:
        ApiError: what the tab shows may not be returned.
        ValueError, TypeError: a filter means nothing.
    """
    async with content.checked(tab, deadline) as page:
        found = await page.network.requests(timeout=deadline, **filters)
        shown = await _shown(content, tab, found, deadline)
    return shown[-limit:], len(found) - len(shown)


async def read_request(
    content: ContentPolicy, tab: CheckedTab, deadline: Deadline, id_: str
) -> NetworkRequest:
    """One request of a tab.

    Raises:
        ApiError: there is none, or what the tab shows may not be returned.
    """
    await content.check(tab, deadline)
    try:
        request = await tab.page.network.request(id_, timeout=deadline)
    except LookupError as error:
        raise ApiError(
            404, "RequestUnknown", str(error), "list the requests; older ones are not kept"
        ) from None
    if not await _shown(content, tab, [request], deadline):
        raise ApiError(
            403, "AddressRefused", f"{id_[:20]} is of an address that is not shown", "ask for others"
        )
    await content.check_done(tab, deadline)
    return request


def text_of_body(body: ResponseBody) -> str | None:
    """The first bytes of a body as text, though a character be cut at their end; None where they are none."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        return decoder.decode(body.data, final=not body.truncated)
    except UnicodeDecodeError:
        return None


async def _shown(content: ContentPolicy, tab: CheckedTab, found: Sequence[R], deadline: Deadline) -> list[R]:
    """Those whose address may be shown: a record reaches back to documents that the tab shows no more."""
    if not tab.is_checked:
        return list(found)
    origins = [_origins_of(one) for one in found]
    may = await content.addresses.may_show({one for each in origins for one in each}, deadline)
    return [one for one, its in zip(found, origins, strict=True) if its <= may]


def _origins_of(one: ConsoleMessage | PageError | NetworkRequest) -> set[str]:
    """Origins of what a record shows: a request also shows the addresses that led to it, and what a worker
    said shows the worker's.
    """
    redirects: Sequence[tuple[str, int]] = getattr(one, "redirects", ())
    addresses = [one.url, *(address for address, _ in redirects)]
    if worker_url := getattr(one, "worker_url", ""):
        addresses.append(worker_url)
    return {origin_of(address) for address in addresses}
