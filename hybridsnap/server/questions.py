"""What can be asked about one tab beside snapshots and actions: ``POST /control/NAME`` of one shape each.

Routes and their description are made of this table.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridsnap.server import messages, part_messages
from hybridsnap.server.parts import (
    File,
    answer_emulation,
    answer_mhtml,
    answer_pdf,
    answer_screenshot,
    answer_storage,
)
from hybridsnap.server.recorded import answer_console, answer_network
from hybridsnap.service.taken import MEDIA_TYPES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hybridsnap.deadline import Deadline
    from hybridsnap.server.sessions import HeldTab
    from hybridsnap.service.content_policy import ContentPolicy

#: From a request to the fields of its answer, without whose tab it is; or to a file.
_Reply: TypeAlias = "Callable[[Any, HeldTab, ContentPolicy, Deadline], Awaitable[dict[str, Any] | File]]"


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        takes: the request.
        reply: answers it.
        answer: the name of the answer's type; "" where the answer is a file.
        summary: for the description.
        media_types: of the file.
        in_turn: the page is asked, so those who came before are waited for.
    """

    takes: type[messages.Message]
    reply: _Reply
    answer: str
    summary: str
    media_types: tuple[str, ...] = ()
    in_turn: bool = False


QUESTIONS: dict[str, Question] = {
    "console": Question(
        messages.ConsoleRequest,
        answer_console,
        "ConsoleAnswer",
        "What a page logged, and its uncaught errors",
    ),
    "network": Question(
        messages.NetworkQuery,
        answer_network,
        "NetworkAnswer",
        "What a page requested; one request with headers and body; HAR",
    ),
    "storage": Question(
        part_messages.StorageRequest,
        answer_storage,
        "StorageAnswer",
        "Cookies, web storage, and the state that a login leaves behind",
    ),
    "emulation": Question(
        part_messages.EmulationRequest,
        answer_emulation,
        "EmulationAnswer",
        "What a page is made to believe of device, network and place",
        in_turn=True,
    ),
    "pdf": Question(
        part_messages.PdfRequest,
        answer_pdf,
        "",
        "The page as it would be printed",
        (MEDIA_TYPES["pdf"],),
        in_turn=True,
    ),
    "screenshot": Question(
        part_messages.ScreenshotRequest,
        answer_screenshot,
        "",
        "A picture of the viewport, the full page, an element or a rectangle",
        tuple(MEDIA_TYPES[one] for one in ("png", "jpeg", "webp")),
        in_turn=True,
    ),
    "mhtml": Question(
        part_messages.MhtmlRequest,
        answer_mhtml,
        "",
        "The page with its frames, styles and pictures, as one file",
        (MEDIA_TYPES["mhtml"],),
        in_turn=True,
    ),
}
