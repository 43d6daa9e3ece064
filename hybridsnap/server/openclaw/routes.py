"""All paths of OpenClaw's browser server: what each takes, and what answers it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridsnap.server.openclaw import hooks, looks, performing, records, settings, stores, tabs
from hybridsnap.server.openclaw.fields import (
    boolean,
    exact,
    listing,
    mapping,
    number,
    positive,
    read_fields,
    text,
    texts,
    whole,
)
from hybridsnap.server.openclaw.host import Call
from hybridsnap.server.openclaw.refusals import unsupported

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from hybridsnap.server.openclaw.fields import Field
    from hybridsnap.server.openclaw.host import Host
    from hybridsnap.server.sessions import ClientSession

    _Run: TypeAlias = Callable[[Call], Awaitable[dict[str, Any]]]

TARGET = text("targetId", "a tab: its id, the beginning of that, its number (t1) or its label")
PROFILE = text("profile", "a browserId; openclaw is the first browser")
_TIMEOUT = positive("timeoutMs", "ms")
_CLEAR = boolean("clear", "forget them after")
_PATH = text("path", "within the server's folder for downloads")
_ORIGIN = text("origin", "of a page")


@dataclasses.dataclass(frozen=True, slots=True)
class OpenClawRoute:
    """One path and method.

    Attributes:
        method: of HTTP.
        path: as Starlette has it.
        name: of the operation.
        fields: of the body, or of the query of a GET; those of a path are given beside.
        run: answers it.
        answers: the fields of the answer beside ``ok``, ``targetId`` and ``url``.
    """

    method: str
    path: str
    name: str
    fields: tuple[Field, ...]
    run: _Run
    answers: tuple[str, ...] = ()

    async def answer(
        self,
        host: Host,
        session: ClientSession,
        body: Any,
        query: Mapping[str, str],
        path: Mapping[str, str],
        began: float,
    ) -> dict[str, Any]:
        """Answer a request.

        Raises:
            ApiError, HybridsnapError, ValueError, TypeError: it cannot be done.
        """
        sent = body if isinstance(body, dict) else {}
        data = {**(query if self.method != "POST" else sent), **path}
        profile = query.get("profile") or sent.get("profile")
        pooled = host.browser(profile if isinstance(profile, str) and profile.strip() else None)
        given = read_fields(self.fields, data)
        return await self.run(Call(host, session, pooled, given, data, began))


def _absent(what: str, instead: str, **known: str) -> _Run:
    async def refuse(_: Call) -> dict[str, Any]:
        raise unsupported(what, instead, **known)

    return refuse


_SNAPSHOT = (
    TARGET,
    text("format", "ai or aria"),
    text("mode", "efficient: interactive, compact, 6 levels, 8000 characters"),
    positive("limit", "of aria: nodes, 500 if left out, 2000 at most"),
    whole("maxChars", "of ai: 40000 if left out; 0 is all"),
    boolean("interactive"),
    boolean("compact"),
    whole("depth", "levels, from 0"),
    text("refs", "role or aria: the same refs here"),
    text("selector", "only what is below it"),
    text("frame", "selector of an iframe: only what is in it"),
    boolean("labels", "a picture with the refs drawn on it"),
    boolean("urls", "links with their addresses"),
    _TIMEOUT,
)
_SCREENSHOT = (
    TARGET,
    boolean("fullPage"),
    text("ref"),
    text("element", "a selector"),
    boolean("labels"),
    text("type", "png or jpeg"),
    _TIMEOUT,
)
_GEOLOCATION = (
    TARGET,
    boolean("clear"),
    number("latitude"),
    number("longitude"),
    number("accuracy", "metres"),
    _ORIGIN,
)
_GRANT = (
    TARGET,
    text("origin", "http or https", required=True),
    texts("permissions", "by the protocol's names", required=True),
    texts("optionalPermissions"),
    _TIMEOUT,
)
_CHOOSER = (
    TARGET,
    texts("paths", "files from the server's folders for uploads", required=True),
    text("ref", "click it, and answer the chooser that opens"),
    text("inputRef", "the input itself"),
    text("element", "a selector of the input"),
    _TIMEOUT,
)
_DIALOG = (
    TARGET,
    boolean("accept", "or dismiss", required=True),
    exact("promptText"),
    text("dialogId", "d1"),
    _TIMEOUT,
)
_COOKIE = mapping("cookie", "name, value, and url, or domain and path", required=True)
_COOKIES = listing("cookies", "the same, at least one", required=True)
_KIND = text("kind", "local or session", required=True)
_ITEM = (TARGET, _KIND, exact("key"), exact("value"))
_URL_IN = text("url", "where to", required=True)
_NO_TRACE = "a trace tells of other sessions, too; GET /requests and GET /console tell what a page did"
_ONE_PROFILE = "browsers are set up with the options of hybridsnap serve"

ROUTES: tuple[OpenClawRoute, ...] = (
    OpenClawRoute("GET", "/", "Status", (), tabs.status, ("running", "profile")),
    OpenClawRoute("POST", "/start", "Start", (), tabs.start, ("profile",)),
    OpenClawRoute("POST", "/stop", "Stop", (), tabs.stop, ("stopped", "profile")),
    OpenClawRoute("GET", "/doctor", "Doctor", (), tabs.doctor, ("checks", "status")),
    OpenClawRoute("GET", "/profiles", "Profiles", (), tabs.profiles, ("profiles",)),
    OpenClawRoute("GET", "/tabs", "ListTabs", (), tabs.list_tabs, ("running", "tabs")),
    OpenClawRoute("POST", "/tabs/open", "OpenTab", (_URL_IN, text("label")), tabs.open_tab),
    OpenClawRoute(
        "POST", "/tabs/focus", "FocusTab", (text("targetId", "a tab", required=True),), tabs.focus_tab
    ),
    OpenClawRoute("DELETE", "/tabs/{targetId}", "CloseTab", (TARGET,), tabs.close_tab),
    OpenClawRoute(
        "POST",
        "/tabs/action",
        "TabAction",
        (text("action", "list, new, label, close or select", required=True), TARGET, text("label")),
        tabs.tab_action,
        ("tab", "tabs"),
    ),
    OpenClawRoute(
        "GET",
        "/snapshot",
        "Snapshot",
        _SNAPSHOT,
        looks.snapshot,
        ("format", "snapshot", "refs", "stats", "nodes"),
    ),
    OpenClawRoute("POST", "/navigate", "Navigate", (TARGET, _URL_IN, _TIMEOUT), looks.navigate),
    OpenClawRoute("POST", "/screenshot", "Screenshot", _SCREENSHOT, looks.screenshot, ("path",)),
    OpenClawRoute("POST", "/pdf", "Pdf", (TARGET,), looks.pdf, ("path",)),
    OpenClawRoute(
        "GET",
        "/text",
        "Text",
        (TARGET, text("selector"), positive("maxChars")),
        looks.text,
        ("text", "truncated"),
    ),
    OpenClawRoute(
        "POST", "/highlight", "Highlight", (TARGET, text("ref", "an element", required=True)), looks.highlight
    ),
    OpenClawRoute("POST", "/act", "Act", (TARGET,), performing.act, ("result", "results", "blockedByDialog")),
    OpenClawRoute("POST", "/hooks/dialog", "Dialog", _DIALOG, hooks.dialog),
    OpenClawRoute("POST", "/hooks/file-chooser", "FileChooser", _CHOOSER, hooks.file_chooser),
    OpenClawRoute(
        "POST",
        "/download",
        "Download",
        (TARGET, text("ref", "clicked", required=True), dataclasses.replace(_PATH, required=True), _TIMEOUT),
        hooks.download,
        ("download",),
    ),
    OpenClawRoute(
        "POST",
        "/wait/download",
        "WaitForDownload",
        (TARGET, _PATH, _TIMEOUT),
        hooks.wait_for_download,
        ("download",),
    ),
    OpenClawRoute("POST", "/permissions/grant", "Grant", _GRANT, tabs.grant, ("grantedPermissions",)),
    OpenClawRoute("GET", "/console", "Console", (TARGET, text("level")), records.console, ("messages",)),
    OpenClawRoute("GET", "/errors", "Errors", (TARGET, _CLEAR), records.errors, ("errors",)),
    OpenClawRoute(
        "GET", "/requests", "Requests", (TARGET, text("filter"), _CLEAR), records.requests, ("requests",)
    ),
    OpenClawRoute(
        "POST",
        "/response/body",
        "ResponseBody",
        (TARGET, text("url", "a pattern, or a part", required=True), positive("maxChars"), _TIMEOUT),
        records.response_body,
        ("response",),
    ),
    OpenClawRoute("GET", "/cookies", "Cookies", (TARGET,), stores.cookies, ("cookies",)),
    OpenClawRoute("POST", "/cookies/set", "SetCookie", (TARGET, _COOKIE), stores.set_cookie),
    OpenClawRoute(
        "POST", "/cookies/set-many", "SetCookies", (TARGET, _COOKIES), stores.set_cookies, ("added",)
    ),
    OpenClawRoute("POST", "/cookies/clear", "ClearCookies", (TARGET,), stores.clear_cookies),
    OpenClawRoute(
        "GET", "/storage/{kind}", "Storage", (TARGET, _KIND, exact("key")), stores.items, ("values",)
    ),
    OpenClawRoute("POST", "/storage/{kind}/set", "SetStorage", _ITEM, stores.set_item),
    OpenClawRoute("POST", "/storage/{kind}/clear", "ClearStorage", (TARGET, _KIND), stores.clear_items),
    OpenClawRoute("GET", "/dialogs", "Dialogs", (TARGET,), records.dialogs, ("browserState",)),
    OpenClawRoute(
        "POST",
        "/set/offline",
        "SetOffline",
        (TARGET, boolean("offline", "no network", required=True)),
        settings.offline,
    ),
    OpenClawRoute(
        "POST",
        "/set/headers",
        "SetHeaders",
        (TARGET, mapping("headers", "name: value", required=True)),
        settings.headers,
    ),
    OpenClawRoute(
        "POST",
        "/set/credentials",
        "SetCredentials",
        (TARGET, text("username"), exact("password"), boolean("clear")),
        settings.credentials,
    ),
    OpenClawRoute("POST", "/set/geolocation", "SetGeolocation", _GEOLOCATION, settings.geolocation),
    OpenClawRoute("POST", "/set/media", "SetMedia", (TARGET, text("colorScheme")), settings.media),
    OpenClawRoute(
        "POST",
        "/set/timezone",
        "SetTimezone",
        (TARGET, text("timezoneId", "such as Asia/Tokyo", required=True)),
        settings.time_zone,
    ),
    OpenClawRoute(
        "POST",
        "/set/locale",
        "SetLocale",
        (TARGET, text("locale", "such as de-DE", required=True)),
        settings.locale,
    ),
    OpenClawRoute(
        "POST",
        "/set/device",
        "SetDevice",
        (TARGET, text("name", "such as iPhone 15", required=True)),
        settings.device,
    ),
    OpenClawRoute(
        "POST",
        "/screencast",
        "Screencast",
        (),
        # With this code OpenClaw's own window goes on with single pictures.
        _absent(
            "POST /screencast",
            "POST /screenshot takes single pictures",
            code="SCREENCAST_UNSUPPORTED",
            reason="playwright",
        ),
    ),
    *(
        OpenClawRoute(method, path, name, (), _absent(f"{method} {path}", instead))
        for method, path, name, instead in (
            (
                "POST",
                "/reset-profile",
                "ResetProfile",
                "POST /stop ends the session, with all that it stored",
            ),
            ("POST", "/profiles/create", "CreateProfile", _ONE_PROFILE),
            ("POST", "/profiles/import", "ImportProfile", _ONE_PROFILE),
            ("DELETE", "/profiles/{name}", "DeleteProfile", _ONE_PROFILE),
            ("GET", "/system-profiles", "SystemProfiles", _ONE_PROFILE),
            ("POST", "/trace/start", "TraceStart", _NO_TRACE),
            ("POST", "/trace/stop", "TraceStop", _NO_TRACE),
        )
    ),
)
