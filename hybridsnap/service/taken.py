"""A tab as a file: PDF, MHTML, HTML, or a picture, where what it shows may be returned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from hybridsnap.act.readiness import MODEL_WAIT_SECONDS
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.client.browser import Page
    from hybridsnap.deadline import Deadline
    from hybridsnap.service.content_policy import CheckedTab, ContentPolicy

TakenFormat: TypeAlias = Literal["pdf", "mhtml", "html", "png", "jpeg", "webp"]
#: Format → media type.
MEDIA_TYPES: dict[TakenFormat, str] = {
    "pdf": "application/pdf",
    "mhtml": "multipart/related",
    "html": "text/html",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
}

#: How a file's name ends → the format.
ENDINGS: dict[str, TakenFormat] = {**{one: one for one in get_args(TakenFormat)}, "jpg": "jpeg"}
#: The formats of pictures.
PICTURES: tuple[TakenFormat, ...] = ("png", "jpeg", "webp")


async def take_page(
    content: ContentPolicy,
    tab: CheckedTab,
    format_: TakenFormat,
    options: Mapping[str, Any],
    deadline: Deadline,
) -> bytes:
    """A tab as a file; the options are those of `Page.pdf`, or of `Page.screenshot`.

    Raises:
        ApiError: what the tab shows, before or after, may not be returned.
        ValueError, TypeError: an option means nothing.
        CommandRefused, CommandUnanswered: the browser makes no such file, or not in time.
    """
    async with content.checked(tab, deadline) as page:
        try:
            return await page_as(page, format_, options, deadline)
        except ImportError as error:
            raise ApiError(501, "NotInstalled", str(error), "ask whoever runs the server") from None


async def page_as(page: Page, format_: TakenFormat, options: Mapping[str, Any], deadline: Deadline) -> bytes:
    """A page as a file, as `take_page`; of a picture, its element is waited for no longer than an action's.

    Raises:
        HybridsnapError, ValueError, TypeError, ImportError: as these.
    """
    if format_ == "pdf":
        return await page.pdf(timeout=deadline, **options)
    if format_ == "mhtml":
        return await page.mhtml(timeout=deadline)
    if format_ == "html":
        return (await page.content(timeout=deadline)).encode()
    element = options.get("element")
    if element is not None and not options.get("full_page") and options.get("clip") is None:
        await page.scroll_into_view(element, wait=MODEL_WAIT_SECONDS, receipt=False, timeout=deadline)
    return await page.screenshot(format=format_, timeout=deadline, **options)
