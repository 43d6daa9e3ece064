"""Tools that a host is offered only when the server is started with ``--caps``: their list costs it, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from hybridsnap.mcp.tools import ACTS, HARMLESS, READS, Arguments, Tool
from hybridsnap.service.emulating import setting_types
from hybridsnap.service.stored import CookieEntry  # noqa: TC001 - msgspec reads the annotations

if TYPE_CHECKING:
    from collections.abc import Iterable

_Element: TypeAlias = Annotated[str, Meta(description="Id, CSS or XPath")]
_Limit: TypeAlias = Annotated[int, Meta(ge=1, le=500, description="The last so many")] | UnsetType


class ReadConsole(Arguments, frozen=True, kw_only=True):
    level: Literal["debug", "info", "warning", "error"] | UnsetType = UNSET
    text: Annotated[str, Meta(description="Only what has this in it")] | UnsetType = UNSET
    limit: _Limit = UNSET


class ListRequests(Arguments, frozen=True, kw_only=True):
    url: Annotated[str, Meta(description="Glob: **/api/*")] | UnsetType = UNSET
    type: Annotated[str, Meta(description="Such as document, fetch, script")] | UnsetType = UNSET
    status: Annotated[str, Meta(description="404, 4xx")] | UnsetType = UNSET
    failed: bool | UnsetType = UNSET
    limit: _Limit = UNSET


class GetRequest(Arguments, frozen=True, kw_only=True):
    id: Annotated[str, Meta(description="Such as r12")]


class SaveRequests(Arguments, frozen=True, kw_only=True):
    file: Annotated[str, Meta(description="Such as shop.har")] | UnsetType = UNSET
    url: Annotated[str, Meta(description="Only such, a glob")] | UnsetType = UNSET


class RouteRequests(Arguments, frozen=True, kw_only=True):
    action: Literal["abort", "fulfill", "continue", "remove", "list"]
    url: Annotated[str, Meta(description="Glob: **/api/*; for remove: default all")] | UnsetType = UNSET
    type: Annotated[str, Meta(description="Only image, script, fetch, document, …")] | UnsetType = UNSET
    method: str | UnsetType = UNSET
    status: int | UnsetType = UNSET
    headers: (
        Annotated[
            dict[str, str | None],
            Meta(description="fulfill: of the answer; continue: changed in the request, null: out"),
        ]
        | UnsetType
    ) = UNSET
    body: Annotated[str, Meta(description="Of fulfill")] | UnsetType = UNSET
    content_type: str | UnsetType = UNSET
    reason: Annotated[str, Meta(description="Of abort: failed, timedout, …")] | UnsetType = UNSET
    times: Annotated[int, Meta(ge=1, description="Only so many requests")] | UnsetType = UNSET


class Cookies(Arguments, frozen=True, kw_only=True):
    action: Literal["list", "set", "clear"]
    domain: (
        Annotated[str, Meta(description="Of this site, * for all; default: those the page gets")] | UnsetType
    ) = UNSET
    name: str | UnsetType = UNSET
    values: Annotated[bool, Meta(description="List values, too")] | UnsetType = UNSET
    cookies: (
        Annotated[list[CookieEntry], Meta(description="To set; without url and domain: of the page")]
        | UnsetType
    ) = UNSET


class WebStorage(Arguments, frozen=True, kw_only=True):
    action: Literal["read", "set", "clear"]
    area: Annotated[Literal["local", "session"], Meta(description="Default local")] | UnsetType = UNSET
    origin: Annotated[str, Meta(description="Of a frame; default: the page's")] | UnsetType = UNSET
    items: dict[str, str] | UnsetType = UNSET
    names: Annotated[list[str], Meta(description="Only these")] | UnsetType = UNSET


class KeptState(Arguments, frozen=True, kw_only=True):
    action: Literal["save", "load"]
    file: Annotated[str, Meta(description="Such as login.json")]


class Permissions(Arguments, frozen=True, kw_only=True):
    action: Literal["grant", "reset"]
    names: Annotated[list[str], Meta(description="geolocation, notifications, …")] | UnsetType = UNSET
    origin: Annotated[str, Meta(description="Default: the page's")] | UnsetType = UNSET


class ListDevices(Arguments, frozen=True, kw_only=True):
    text: Annotated[str, Meta(description="Part of the name")] | UnsetType = UNSET


class ListFiles(Arguments, frozen=True, kw_only=True):
    limit: _Limit = UNSET


class RecordTrace(Arguments, frozen=True, kw_only=True):
    action: Literal["start", "stop"]
    screenshots: Annotated[bool, Meta(description="Of start: keep frames, too")] | UnsetType = UNSET
    file: Annotated[str, Meta(description="Of stop: name of the JSON file")] | UnsetType = UNSET


class Resize(Arguments, frozen=True, kw_only=True):
    width: int
    height: int


class SavePage(Arguments, frozen=True, kw_only=True):
    format: Literal["pdf", "mhtml", "html", "png", "jpeg", "webp"] | UnsetType = UNSET
    file: Annotated[str, Meta(description="Name in the server's folder")] | UnsetType = UNSET
    element: Annotated[str, Meta(description="Picture of this only")] | UnsetType = UNSET
    mask: Annotated[list[str], Meta(description="Elements to paint over")] | UnsetType = UNSET
    landscape: Annotated[bool, Meta(description="This and the next: of pdf")] | UnsetType = UNSET
    paper: Annotated[str, Meta(description="letter, a4, …")] | UnsetType = UNSET
    background: bool | UnsetType = UNSET
    pages: Annotated[str, Meta(description="1-5, 8")] | UnsetType = UNSET


class Verify(Arguments, frozen=True, kw_only=True):
    text: Annotated[str, Meta(description="Is shown")] | UnsetType = UNSET
    role: Annotated[str, Meta(description="An element has it, and the name")] | UnsetType = UNSET
    name: str | UnsetType = UNSET
    element: Annotated[str, Meta(description="Id, CSS or XPath: of value, or of items")] | UnsetType = UNSET
    value: str | UnsetType = UNSET
    items: Annotated[list[str], Meta(description="Are below it, in this order")] | UnsetType = UNSET


class GenerateLocator(Arguments, frozen=True, kw_only=True):
    element: _Element


#: What cannot be guessed of a setting's value.
_SETTING_WORDS = {
    "client_hints": "As Emulation.UserAgentMetadata",
    "geolocation": "Latitude, longitude",
    "http_credentials": "User, password",
    "blocked_urls": "With *",
    "cache": "false: off",
    "scripts": "false: off",
    "cpu_slowdown": "4: four times slower",
}
#: The viewport has a tool of its own.
SETTINGS = {name: type_ for name, type_ in setting_types().items() if name != "viewport"}
_Reset: TypeAlias = Annotated[list[str], Meta(description="Names of settings to take back; [] for all")]
Emulate: type[Arguments] = cast(
    "type[Arguments]",
    msgspec.defstruct(
        "Emulate",
        [
            *(
                (
                    name,
                    (Annotated[type_, Meta(description=words)] if words else type_) | UnsetType,
                    UNSET,
                )
                for name, type_ in SETTINGS.items()
                for words in [_SETTING_WORDS.get(name)]
            ),
            ("device", Annotated[str, Meta(description="Such as iPhone 15")] | UnsetType, UNSET),
            ("reset", _Reset | UnsetType, UNSET),
        ],
        bases=(Arguments,),
        module=__name__,
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    ),
)


#: Capability → its tools.
CAPS: dict[str, tuple[Tool, ...]] = {
    "console": (
        Tool("console", ReadConsole, "What the page logged, and its uncaught errors, the last first.", READS),
    ),
    "network": (
        Tool("requests", ListRequests, "What the page requested, the last first.", READS),
        Tool("request", GetRequest, "One request: headers, what was sent, the response's body.", READS),
        Tool("save_requests", SaveRequests, "Save what was requested as a HAR file.", HARMLESS, prints=False),
        Tool(
            "route",
            RouteRequests,
            "Abort requests to come, fulfill (answer) them, or continue them changed. The last goes first.",
            ACTS,
            prints=False,
        ),
    ),
    "storage": (
        Tool("cookies", Cookies, "List, set or clear cookies.", ACTS),
        Tool("storage", WebStorage, "Read, set or clear localStorage or sessionStorage.", ACTS),
        Tool(
            "storage_state",
            KeptState,
            "Save a login (cookies, localStorage) to a file, or load one.",
            ACTS,
            prints=False,
        ),
        Tool(
            "permissions",
            Permissions,
            "Grant permissions to an origin, all others denied; or reset all.",
            ACTS,
            prints=False,
        ),
    ),
    "emulation": (
        Tool(
            "emulate",
            Emulate,
            "Set what the page sees of device, network and place, until reset. Reload after.",
            HARMLESS,
            prints=False,
        ),
        Tool("devices", ListDevices, "Names of devices for emulate.", READS, prints=False),
        Tool("resize", Resize, "Set the viewport, in CSS px.", HARMLESS, prints=False),
    ),
    "pdf": (
        Tool(
            "save_page",
            SavePage,
            "Save the page to a file: pdf (default), mhtml, html, or a picture of all of it.",
            HARMLESS,
            prints=False,
        ),
    ),
    "trace": (
        Tool(
            "trace",
            RecordTrace,
            "Record what the browser does; stop says what was slow: long tasks, scripts, layout, requests.",
            HARMLESS,
            prints=False,
        ),
    ),
    "downloads": (
        Tool("downloads", ListFiles, "Files in the server's folder: downloads, saved pages, traces.", READS),
    ),
    "verify": (
        Tool("verify", Verify, "Whether all that is given holds: pass, or fail and what is there.", READS),
        Tool("generate_locator", GenerateLocator, "An element for test code: Playwright, CSS, XPath.", READS),
    ),
}


def tools_of(caps: Iterable[str]) -> tuple[Tool, ...]:
    """The tools of some capabilities."""
    return tuple(tool for name, tools in CAPS.items() if name in caps for tool in tools)
