"""What can be asked about one tab beside snapshots and actions: ``POST /control/NAME`` of one shape each.

Routes and their description are made of this table.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridsnap.server import answers, messages, part_messages
from hybridsnap.server.parts import (
    File,
    answer_emulation,
    answer_file,
    answer_locators,
    answer_permissions,
    answer_routes,
    answer_storage,
    permit_routes,
    permit_storage,
)
from hybridsnap.server.recorded import answer_console, answer_network, answer_trace
from hybridsnap.service.taken import MEDIA_TYPES, PICTURES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hybridsnap.deadline import Deadline
    from hybridsnap.server.sessions import HeldTab
    from hybridsnap.server.settings import Settings
    from hybridsnap.service.content_policy import ContentPolicy

#: From a request to the fields of its answer, without whose tab it is; or to a file.
_Reply: TypeAlias = "Callable[[Any, HeldTab, ContentPolicy, Deadline], Awaitable[dict[str, Any] | File]]"


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        takes: the request.
        reply: answers it.
        answer: the answer's type; None where the answer is a file.
        summary: for the description.
        media_types: of the file.
        in_turn: the page is asked, so those who came before are waited for.
        captures: the page is captured for it.
        permit: raises `ApiError` where the server's settings do not allow a request.
    """

    takes: type[messages.TabMessage]
    reply: _Reply
    answer: type[answers.OfTab] | None
    summary: str
    media_types: tuple[str, ...] = ()
    in_turn: bool = False
    captures: bool = False
    permit: Callable[[Settings, Any], None] | None = None


QUESTIONS: dict[str, Question] = {
    "console": Question(
        messages.ConsoleRequest,
        answer_console,
        answers.ConsoleAnswer,
        "What a page logged, and its uncaught errors",
    ),
    "network": Question(
        messages.NetworkQuery,
        answer_network,
        answers.NetworkAnswer,
        "What a page requested; one request with headers and body; HAR",
    ),
    "storage": Question(
        part_messages.StorageRequest,
        answer_storage,
        answers.StorageAnswer,
        "Cookies, web storage, and the state that a login leaves behind",
        permit=lambda settings, _: permit_storage(settings),
    ),
    "permissions": Question(
        part_messages.PermissionsRequest,
        answer_permissions,
        answers.PermissionsAnswer,
        "What pages may do without asking anybody: geolocation, notifications, …",
    ),
    "routes": Question(
        part_messages.RoutesRequest,
        answer_routes,
        answers.RoutesAnswer,
        "Abort requests to come, answer them, or send them on changed",
        permit=permit_routes,
    ),
    "trace": Question(
        part_messages.TraceRequest,
        answer_trace,
        answers.TraceAnswer,
        "What was slow on a page: long tasks, layout, scripts, requests; the trace itself",
    ),
    "locators": Question(
        part_messages.LocatorsRequest,
        answer_locators,
        answers.LocatorsAnswer,
        "How test code names an element: Playwright, CSS, XPath",
        in_turn=True,
        captures=True,
    ),
    "emulation": Question(
        part_messages.EmulationRequest,
        answer_emulation,
        answers.EmulationAnswer,
        "What a page is made to believe of device, network and place",
        in_turn=True,
    ),
    "pdf": Question(
        part_messages.PdfRequest,
        answer_file,
        None,
        "The page as it would be printed",
        (MEDIA_TYPES["pdf"],),
        in_turn=True,
    ),
    "screenshot": Question(
        part_messages.ScreenshotRequest,
        answer_file,
        None,
        "A picture of the viewport, the full page, an element or a rectangle",
        tuple(MEDIA_TYPES[one] for one in PICTURES),
        in_turn=True,
    ),
    "mhtml": Question(
        part_messages.MhtmlRequest,
        answer_file,
        None,
        "The page with its frames, styles and pictures, as one file",
        (MEDIA_TYPES["mhtml"],),
        in_turn=True,
    ),
}
