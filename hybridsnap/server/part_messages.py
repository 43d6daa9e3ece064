"""What clients send about parts of a page: what it keeps, how it is set up, the page as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from hybridsnap.client.routes import AbortReason  # noqa: TC001 - msgspec reads the annotations
from hybridsnap.client.tracing import MOST_BYTES
from hybridsnap.server.messages import TabMessage
from hybridsnap.service.emulating import setting_types
from hybridsnap.service.stored import CookieEntry

#: A length on paper: inches, or with a unit: 20mm, 1in, 96px, 12pt. No bounds: with `Annotated` in a union in
#: a tuple in a union, msgspec 0.22 crashes when the garbage is collected after a schema was made.
Length: TypeAlias = float | str
#: What is done with what is kept, and the fields that it takes.
STORAGE_ACTIONS: dict[str, frozenset[str]] = {
    "cookies": frozenset({"urls", "domain", "name", "path", "values"}),
    "setCookies": frozenset({"cookies"}),
    "clearCookies": frozenset({"urls", "domain", "name", "path"}),
    "items": frozenset({"area", "origin"}),
    "setItems": frozenset({"area", "origin", "items"}),
    "clearItems": frozenset({"area", "origin", "names"}),
    "databases": frozenset({"origin"}),
    "state": frozenset({"origins"}),
    "restore": frozenset({"state"}),
}


class CookieBody(CookieEntry, frozen=True, kw_only=True):
    """A cookie, with Playwright's names; `url` or `domain` says whose it is.

    Attributes:
        expires: in seconds since 1970; -1, or left out: when the browser ends.
        partition_key: the site around a partitioned one.
    """

    partition_key: str | UnsetType = UNSET
    has_cross_site_ancestor: bool | UnsetType = msgspec.field(default=UNSET, name="_crHasCrossSiteAncestor")


class StorageRequest(TabMessage, kw_only=True):
    """``POST /control/storage``: what the tab's profile and its frames keep.

    Attributes:
        action: what is done; the other fields are of the actions whose names they have.
        urls: only cookies that a request to one of these carries.
        domain: only cookies of this host and of hosts below it.
        name, path: only cookies that have them.
        values: with the cookies' values.
        area: of web storage.
        origin: of a frame of the tab; the main frame's if left out.
        names: of the items that are removed; all if left out.
        origins: further origins whose local storage the state is to have, though no tab shows them.
        state: in Playwright's format.
    """

    action: Literal[
        "cookies",
        "setCookies",
        "clearCookies",
        "items",
        "setItems",
        "clearItems",
        "databases",
        "state",
        "restore",
    ] = "cookies"
    urls: str | list[str] | None = None
    domain: str | None = None
    name: str | None = None
    path: str | None = None
    values: bool = False
    cookies: list[CookieBody] | None = None
    area: Literal["local", "session"] = "local"
    origin: str | None = None
    items: dict[str, str] | None = None
    names: list[str] | None = None
    origins: tuple[str, ...] = ()
    state: dict[str, Any] | None = None


if TYPE_CHECKING:

    class EmulationBody(msgspec.Struct):
        """What `setting_types` lists."""

        def __init__(self, **settings: Any) -> None: ...

else:
    #: `hybridsnap.EmulationSettings`, as JSON.
    EmulationBody = msgspec.defstruct(
        "EmulationBody",
        [(name, type_ | UnsetType, UNSET) for name, type_ in setting_types().items()],
        module=__name__,
        kw_only=True,
        rename="camel",
        forbid_unknown_fields=True,
        omit_defaults=True,
    )


class EmulationRequest(TabMessage, kw_only=True):
    """``POST /control/emulation``: what the page is made to believe; without fields, what is set.

    Attributes:
        reset: names of settings to be taken back first; true for all.
        device: a device whose settings are made then, such as ``iPhone 15``.
        set: settings to be made at last.
    """

    set: EmulationBody | None = None
    reset: bool | list[str] = False
    device: str | None = None


class RoutesRequest(TabMessage, kw_only=True):
    """``POST /control/routes``: what is done with requests of the tab's page to come.

    Attributes:
        action: ``abort``, ``fulfill`` (answer; needs ``--allow-evaluate``, as an answer can be a script) or
            ``continue`` add a route, which is asked before the others; ``remove`` takes those of `url` back,
            or all; ``list`` changes nothing.
        url: of such addresses: ``**/api/*``.
        resource_type, method: only these.
        times: for so many requests.
        status, body, content_type: of ``fulfill``.
        headers: of the answer; of ``continue``, set in the request, null takes one out.
        reason: of ``abort``.
    """

    action: Literal["list", "abort", "fulfill", "continue", "remove"] = "list"
    url: str | None = None
    resource_type: str | list[str] | UnsetType = UNSET
    method: str | UnsetType = UNSET
    times: Annotated[int, msgspec.Meta(ge=1)] | UnsetType = UNSET
    status: Annotated[int, msgspec.Meta(ge=200, le=599)] | UnsetType = UNSET
    headers: dict[str, str | None] | UnsetType = UNSET
    body: str | UnsetType = UNSET
    content_type: str | UnsetType = UNSET
    reason: AbortReason | UnsetType = UNSET


class PermissionsRequest(TabMessage, kw_only=True):
    """``POST /control/permissions``: what the tab's profile grants without asking anybody.

    Attributes:
        grant: permissions by the web's names (``geolocation``, ``clipboard-read``, …); all others are
            refused from then on, for that origin.
        origin: for which; the tab's own if left out.
        reset: take back what was granted, of the whole profile, first.
    """

    grant: list[str] = msgspec.field(default_factory=list)
    origin: str | None = None
    reset: bool = False


class TraceRequest(TabMessage, kw_only=True):
    """``POST /control/trace``: what the browser does while the tab's page runs.

    Attributes:
        action: begin to record, or end it and sum it up.
        screenshots: of ``start``: with small pictures of the page's frames.
        max_bytes: of ``stop``: the trace itself is in the answer, too, up to this size; only of a tab in a
            profile of the session's own.
    """

    action: Literal["start", "stop"]
    screenshots: bool = False
    max_bytes: Annotated[int, msgspec.Meta(ge=0, le=MOST_BYTES)] = 0


class LocatorsRequest(TabMessage, kw_only=True):
    """``POST /control/locators``: how test code names an element.

    Attributes:
        element_id: id, XPath or CSS selector of one element.
    """

    element_id: str


class PdfRequest(TabMessage, kw_only=True):
    """``POST /control/pdf``: the page as it would be printed. The fields are those of `Page.pdf`.

    Attributes:
        paper: ``letter``, ``a4``, …, or width and height.
        margin: on all sides, or top, right, bottom, left.
        header, footer: HTML.
    """

    paper: str | tuple[Length, Length] = "letter"
    landscape: bool = False
    margin: Length | tuple[Length, Length, Length, Length] = 0.4
    scale: Annotated[float, msgspec.Meta(ge=0.1, le=2)] = 1.0
    pages: str = ""
    background: bool = False
    header: str | None = None
    footer: str | None = None
    css_page_size: bool = False
    tagged: bool = True
    outline: bool = False


class ScreenshotRequest(TabMessage, kw_only=True):
    """``POST /control/screenshot``: a picture, as `Page.screenshot` takes it.

    Attributes:
        element_id: id, ref or selector of an element; the page is scrolled to it.
        clip: left, top, width and height in CSS px of the viewport.
        quality: of jpeg and webp.
        mask: ids, refs or selectors of elements that are painted over.
        labels: draw the ids of what can be operated, on a picture of the viewport.
    """

    full_page: bool = False
    element_id: str | None = None
    clip: tuple[float, float, float, float] | None = None
    format: Literal["png", "jpeg", "webp"] = "png"
    quality: Annotated[int, msgspec.Meta(ge=0, le=100)] | None = None
    transparent: bool = False
    mask: Annotated[list[str], msgspec.Meta(max_length=100)] = msgspec.field(default_factory=list)
    labels: bool = False


class MhtmlRequest(TabMessage, kw_only=True):
    """``POST /control/mhtml``: the page with its frames, styles and pictures, as one file."""
