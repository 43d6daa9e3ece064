"""The browser and its tabs: ``/``, ``/start``, ``/profiles``, ``/tabs``, ``/permissions/grant``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.client.network import origin_of
from hybridsnap.errors import CommandRefused
from hybridsnap.server.messages import TabRequest, bad_request
from hybridsnap.server.openclaw.fields import read_whole, text, texts
from hybridsnap.server.openclaw.host import DEFAULT_PROFILE, done_in
from hybridsnap.server.openclaw.refusals import tab_not_found
from hybridsnap.server.openclaw.registry import TARGET, TIMEOUT, route
from hybridsnap.server.openclaw.tab_names import check_label

if TYPE_CHECKING:
    from hybridsnap.server.openclaw.host import Call
    from hybridsnap.service.browser_pool import PooledBrowser

#: What nothing here knows, or may tell: where the browser listens is nobody's business.
_UNTOLD = (
    *(
        "pid",
        "cdpPort",
        "cdpUrl",
        "chosenBrowser",
        "detectedBrowser",
        "detectedExecutablePath",
        "detectError",
    ),
    *("userDataDir", "color", "executablePath", "graphics"),
)
#: To open a page, ms.
_OPENING_MS = 20_000
#: To grant permissions, ms.
_GRANT_MS, _LEAST_GRANT_MS = 5_000, 1_000
_GRANT = (
    TARGET,
    text("origin", "http or https", required=True),
    texts("permissions", "by the web's names or the protocol's", required=True),
    texts("optionalPermissions"),
    TIMEOUT,
)


@route("GET", "/", answers=("running", "profile"))
async def status(call: Call) -> dict[str, Any]:
    """``GET /``."""
    pooled, settings = call.pooled, call.host.control.settings
    up = pooled.browser is not None
    plan = next(one for one in settings.browsers if one.id == pooled.id)
    return {
        "enabled": True,
        "profile": pooled.id,
        "driver": DEFAULT_PROFILE,
        "transport": "cdp",
        **dict.fromkeys(("running", "cdpReady", "cdpHttp", "pageReady"), up),
        **dict.fromkeys(_UNTOLD),
        "headless": plan.headless,
        "headlessSource": "config",
        "noSandbox": False,
        "attachOnly": not pooled.launched,
    }


@route("POST", "/start", answers=("profile",))
async def start(call: Call) -> dict[str, Any]:
    """``POST /start``: the browser is up, or is started anew."""
    await call.pooled.get(call.deadline())
    return {"ok": True, "profile": call.pooled.id}


@route("POST", "/stop", answers=("stopped", "profile"))
async def stop(call: Call) -> dict[str, Any]:
    """``POST /stop``: the session ends, with its tabs and what it stored; the browser is the server's."""
    stopped = bool(call.session.own())
    await call.host.control.sessions.end(call.session)
    return {"ok": True, "stopped": stopped, "profile": call.pooled.id}


@route("GET", "/doctor", answers=("checks", "status"))
async def doctor(call: Call) -> dict[str, Any]:
    """``GET /doctor``: whether the browser is there."""
    told = await status(call)
    up = told["running"]
    checks = [
        {"id": "plugin-enabled", "label": "Browser plugin", "status": "pass", "summary": "hybridsnap"},
        {"id": "profile", "label": "Profile", "status": "pass", "summary": f"{told['profile']} via cdp"},
        {
            "id": "cdp-websocket",
            "label": "CDP WebSocket",
            "status": "pass" if up else "fail",
            "summary": "the browser answers" if up else "the browser is gone",
            **({} if up else {"fixHint": "POST /start; if it goes on, hybridsnap doctor on the server"}),
        },
    ]
    transport, profile = told["transport"], told["profile"]
    return {"ok": up, "profile": profile, "transport": transport, "checks": checks, "status": told}


@route("GET", "/profiles", answers=("profiles",))
async def profiles(call: Call) -> dict[str, Any]:
    """``GET /profiles``: the browsers of the server."""
    browsers = list(call.host.control.browsers)

    def describe(pooled: PooledBrowser) -> dict[str, Any]:
        return {
            "name": pooled.id,
            "driver": DEFAULT_PROFILE,
            "transport": "cdp",
            **dict.fromkeys(("cdpPort", "cdpUrl", "color", "reconcileReason")),
            "running": pooled.browser is not None,
            "tabCount": len(call.session.own(pooled)),
            "isDefault": pooled is browsers[0],
            "isRemote": not pooled.launched,
        }

    return {"profiles": [describe(one) for one in browsers]}


@route("GET", "/tabs", answers=("running", "tabs"))
async def list_tabs(call: Call) -> dict[str, Any]:
    """``GET /tabs``."""
    if call.pooled.browser is None:
        return {"running": False, "tabs": []}
    return {"running": True, "tabs": await call.tabs(call.deadline())}


@route("POST", "/tabs/open", text("url", "where to", required=True), text("label"))
async def open_tab(call: Call) -> dict[str, Any]:
    """``POST /tabs/open``."""
    label = call.given["label"]
    if label is not None:
        check_label(label)
    url = await call.check_url(call.deadline(_OPENING_MS))
    tab = await _opened(call, url, label)
    return {**tab, "resolvedProfile": call.pooled.id}


async def _opened(call: Call, url: str | None, label: str | None) -> dict[str, Any]:
    deadline = call.deadline(_OPENING_MS)
    request = TabRequest(browser_id=call.pooled.id, url=url, wait="load")
    opened = await call.host.control.open_tab(request, call.session, deadline)
    target_id = opened["targetId"]
    if label is not None:
        call.names.label(target_id, label)
    call.names.use(target_id)
    return await _listed(call, target_id)


async def _listed(call: Call, target_id: str) -> dict[str, Any]:
    for one in await call.tabs(call.deadline()):
        if one["targetId"] == target_id:
            return one
    raise tab_not_found(target_id)


@route("POST", "/tabs/focus", text("targetId", "a tab", required=True))
async def focus_tab(call: Call) -> dict[str, Any]:
    """``POST /tabs/focus``."""
    return await _focus(call, call.given["targetId"])


async def _focus(call: Call, named: str) -> dict[str, Any]:
    deadline = call.deadline()
    held = await call.tab(deadline, named)
    await call.host.control.content.check(held, deadline)
    await held.page.bring_to_front(timeout=deadline)
    return done_in(held)


@route("DELETE", "/tabs/{targetId}", TARGET)
async def close_tab(call: Call) -> dict[str, Any]:
    """``DELETE /tabs/ID``."""
    return await _close(call, call.given["targetId"])


async def _close(call: Call, named: str) -> dict[str, Any]:
    deadline = call.deadline()
    target_id = await call.resolve(named, deadline)
    await call.host.control.close_tab(call.pooled.id, target_id, call.session, deadline)
    call.names.closed(target_id)
    return {"ok": True, "targetId": target_id}


@route(
    "POST",
    "/tabs/action",
    text("action", "list, new, label, close or select", required=True),
    TARGET,
    text("label"),
    answers=("tab", "tabs"),
)
async def tab_action(call: Call) -> dict[str, Any]:
    """``POST /tabs/action``: tabs by their place in the list."""
    given = call.given
    match given["action"]:
        case "list":
            return {"ok": True, "tabs": await call.tabs(call.deadline())}
        case "new":
            if given["label"] is not None:
                check_label(given["label"])
            return {"ok": True, "tab": await _opened(call, None, given["label"])}
        case "label":
            if given["targetId"] is None or given["label"] is None:
                raise bad_request("label needs targetId and label")
            target_id = await call.resolve(given["targetId"], call.deadline())
            call.names.label(target_id, given["label"])
            return {"ok": True, "tab": await _listed(call, target_id)}
        case "close":
            return await _close(call, await _at(call, required=False))
        case "select":
            return await _focus(call, await _at(call, required=True))
    raise bad_request(f"action: expected list, new, label, close or select, got {given['action']!r:.40}")


async def _at(call: Call, *, required: bool) -> str:
    """The target id of the tab at a place of the list; of the first one if none is given."""
    if required and "index" not in call.data:
        raise bad_request("index is missing: the place of the tab in the list, from 0")
    index = read_whole("index", call.data.get("index")) or 0
    tabs = await call.tabs(call.deadline())
    if index >= len(tabs):
        raise tab_not_found(str(index))
    return str(tabs[index]["targetId"])


@route("POST", "/permissions/grant", *_GRANT, answers=("grantedPermissions",))
async def grant(call: Call) -> dict[str, Any]:
    """``POST /permissions/grant``: what the browser does not know of what is optional is left out."""
    given = call.given
    deadline = call.deadline(max(given["timeoutMs"] or _GRANT_MS, _LEAST_GRANT_MS))
    await call.host.control.addresses.check_url(given["origin"], deadline)
    held = await call.tab(deadline)
    origin = origin_of(given["origin"])
    wanted, optional = list(dict.fromkeys(given["permissions"])), given["optionalPermissions"] or []
    every = list(dict.fromkeys([*wanted, *optional]))
    async with call.host.control.content.checked(held, deadline) as page:
        try:
            await page.storage.grant_permissions(every, origin=origin, timeout=deadline)
        except CommandRefused:
            if not optional:
                raise
            await page.storage.grant_permissions(wanted, origin=origin, timeout=deadline)
            every = wanted
    missing = [one for one in optional if one not in every]
    return {
        "ok": True,
        "origin": origin,
        "grantedPermissions": every,
        "unsupportedPermissions": missing,
        "grantMethod": "cdp",
    }
