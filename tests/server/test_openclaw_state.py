"""Contract: what OpenClaw's clients set and read beside a page: emulation, permissions, cookies, storage."""

from __future__ import annotations

import base64
from typing import Any

from tests.support import http
from tests.support.openclaw import DONE, ERROR, ID, Client
from tests.support.pages import Content, serve_pages
from tests.support.server_stage import serving


async def test_settings(browser_endpoint: str) -> None:
    rules: dict[str, Any] = {"openclaw": True, "allow_evaluate": True}
    done = {"ok": True, "targetId": ID}
    seen: list[str] = []

    async def asked(request: http.Request) -> http.Response:
        seen.append(request.headers.get("x-debug", ""))
        wanted = "Basic " + base64.b64encode(b"ann:pw").decode()
        if request.headers.get("authorization") == wanted:
            return http.Response(b"in")
        return http.Response(b"who?", status=401, headers={"WWW-Authenticate": "Basic"})

    pages_with: dict[str, Content] = {"/asked": asked}
    async with serve_pages(pages_with) as pages, serving(browser_endpoint, **rules) as served:
        client = Client(served)
        await client.open("about:blank")
        await client.ask("POST", "/set/timezone", done, timezoneId="Asia/Tokyo")
        await client.ask("POST", "/set/locale", done, locale="de-DE")
        await client.ask("POST", "/set/media", done, colorScheme="dark")
        await client.ask("POST", "/set/headers", done, headers={"X-Debug": "1"})
        await client.ask("POST", "/set/credentials", done, username="ann", password="pw")
        await client.ask("POST", "/set/geolocation", done, latitude=48.1, longitude="11.5")
        await client.ask("POST", "/navigate", DONE, url=pages.url("/asked"))
        assert seen[-1] == "1"
        script = """[document.body.textContent, matchMedia('(prefers-color-scheme: dark)').matches,
            Intl.DateTimeFormat().resolvedOptions().timeZone, (1.5).toLocaleString()]"""
        assert await client.value(script) == ["in", True, "Asia/Tokyo", "1,5"]
        await client.ask("POST", "/set/offline", done, offline=True)
        assert await client.value("navigator.onLine") is False
        await client.ask("POST", "/set/offline", done, offline="false")
        assert await client.value("navigator.onLine") is True
        await client.ask("POST", "/set/media", done, colorScheme="none")
        await client.ask("POST", "/set/device", done, name="iPhone 15")
        assert "iPhone" in await client.value("navigator.userAgent")
        for path, fields in (
            ("media", {"colorScheme": "blue"}),
            ("timezone", {}),
            ("headers", {"headers": 3}),
            ("geolocation", {"latitude": 100, "longitude": 0}),
            ("credentials", {}),
            ("device", {"name": "a fridge"}),
        ):
            await client.ask("POST", f"/set/{path}", ERROR, 400, **fields)
        granted = {
            "ok": True,
            "origin": pages.url("/").removesuffix("/"),
            "grantedPermissions": ["notifications"],
            "unsupportedPermissions": ["flying"],
            "grantMethod": "cdp",
        }
        asked_for: dict[str, Any] = {
            "permissions": ["notifications"],
            "optionalPermissions": ["flying"],
            "origin": pages.url("/"),
        }
        await client.ask("POST", "/permissions/grant", granted, **asked_for)


async def test_cookies_and_storage(browser_endpoint: str) -> None:
    cookie: dict[str, Any] = {"name": str, "value": str, "domain": str, "path": str, "expires": object}
    cookie |= {"httpOnly": bool, "secure": bool, "sameSite": "Strict|Lax|None"}
    done = {"ok": True, "targetId": ID}
    async with (
        serve_pages({"/": "<title>Shop</title>"}) as pages,
        serving(browser_endpoint, openclaw=True) as served,
    ):
        client = Client(served)
        await client.open(pages.url("/"))
        given = {"name": "theme", "value": 3, "url": pages.url("/"), "httpOnly": "true"}
        await client.ask("POST", "/cookies/set", done, cookie=given)
        found = await client.ask("GET", "/cookies", {**done, "cookies": [cookie]})
        assert [(one["name"], one["value"], one["httpOnly"]) for one in found["cookies"]] == [
            ("theme", "3", True)
        ]
        many = [
            {"name": "a", "value": "1", "domain": "127.0.0.1", "path": "/"},
            {"name": "__Secure-b", "value": "2", "url": pages.url("/")},
            {"name": "nowhere", "value": "3"},
        ]
        added = await client.ask("POST", "/cookies/set-many", {**done, "added": 1}, cookies=many)
        assert added["added"] == 1
        await client.ask("POST", "/cookies/clear", done)
        assert not (await client.ask("GET", "/cookies", {**done, "cookies": list}))["cookies"]
        for fields in ({}, {"cookie": {"name": "a", "value": "1"}}, {"cookie": {"value": "1"}}):
            await client.ask("POST", "/cookies/set", ERROR, 400, **fields)
        await client.ask("POST", "/cookies/set-many", ERROR, 400, cookies=[])
        for kind in ("local", "session"):
            await client.ask("POST", f"/storage/{kind}/set", done, key="theme", value="dark")
            await client.ask("POST", f"/storage/{kind}/set", done, key="__proto__", value=" ")
            values = {**done, "values": dict}
            kept = await client.ask("GET", f"/storage/{kind}", values)
            assert kept["values"] == {"theme": "dark", "__proto__": " "}
            one = await client.ask("GET", f"/storage/{kind}", values, key="theme")
            assert one["values"] == {"theme": "dark"}
            await client.ask("POST", f"/storage/{kind}/clear", done)
            assert (await client.ask("GET", f"/storage/{kind}", values))["values"] == {}
        await client.ask("GET", "/storage/other", ERROR, 400)
        await client.ask("POST", "/storage/local/set", ERROR, 400, value="x")
