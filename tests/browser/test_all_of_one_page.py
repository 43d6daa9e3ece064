"""One page that logs, throws, requests, stores and asks for permissions: all of it is read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.http import Response
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from hybridsnap import Browser
    from tests.support.pages import Content

_PAGE = """<!doctype html><title>Busy</title>
<iframe src="http://localhost:{PORT}/inner"></iframe><script>
console.log("hello", 42, {a: [1]});
console.warn("careful");
setTimeout(() => { throw new TypeError("broken"); });
localStorage.theme = "dark";
sessionStorage.step = "2";
document.cookie = "seen=1";
indexedDB.open("notes");
const asked = (name) => navigator.permissions.query({name}).then((it) => it.state);
const done = (async () => {
  await (await fetch("/api?q=1", {method: "POST", body: "x=1"})).text();
  await (await fetch("/moved")).text();
  await fetch("http://127.0.0.1:1/closed").catch(() => console.error("unreachable"));
  return [await asked("geolocation"), await asked("notifications")];
})();
</script>"""


async def test_all_of_it(browser: Browser) -> None:
    contents: dict[str, Content] = {
        "/": _PAGE,
        "/inner": "<script>console.info('inner'); localStorage.inner = 'in'</script>",
        "/api": _api,
        "/moved": Response(b"", status=302, headers={"Location": "/there"}),
        "/there": "there",
    }
    browser.record = ("console", "network")
    async with serve_pages(contents) as pages, await browser.new_context() as context:
        page = await context.new_page()
        home, other = pages.url("").rstrip("/"), pages.url("", "localhost").rstrip("/")
        await page.storage.grant_permissions("geolocation", origin=home)
        await page.goto(pages.url("/"), wait="networkidle")
        assert await page.evaluate("done") == ["granted", "denied"]

        # What it said.
        messages = {one.text: one.level for one in await page.console.messages()}
        assert messages.keys() >= {"careful", "unreachable", "inner"}
        assert (messages["careful"], messages["unreachable"]) == ("warning", "error")
        hello = next(one for one in await page.console.messages() if one.args[:1] == ("hello",))
        assert (hello.level, hello.args[:2]) == ("info", ("hello", "42"))
        (error,) = await page.console.errors()
        assert "broken" in error.message
        page.console.clear()
        assert (await page.console.messages(), await page.console.errors()) == ([], [])

        # What it requested.
        (api,) = await page.network.requests(url="**/api?*")
        assert (api.method, api.status, api.ok, api.post_data) == ("POST", 200, True, "x=1")
        assert (await page.network.response_body(api.id)).text == '{"ok": true}'
        (first,) = await page.network.requests(url="**/moved")
        (last,) = await page.network.requests(url="**/there")
        assert (first.status, last.status, last.redirected_from) == (302, 200, first.id)
        (closed,) = await page.network.requests(url="**/closed")
        assert (closed.state, closed.ok, closed.failure) == ("failed", False, "net::ERR_UNSAFE_PORT")
        assert [one.url for one in await page.network.requests(resource_type="document")] == [
            pages.url("/"),
            pages.url("/inner", "localhost"),
        ]
        page.network.clear()
        assert await page.network.requests() == []

        # What it keeps.
        assert [(one["name"], one["value"]) for one in await page.storage.cookies()] == [("seen", "1")]
        assert await page.storage.items() == {"theme": "dark"}
        assert await page.storage.items("session") == {"step": "2"}
        assert await page.storage.items(origin=other) == {"inner": "in"}
        assert await page.storage.databases() == ["notes"]
        assert set(await page.storage.origins()) == {home, other}
        state = await page.storage_state()
        await page.storage.clear_cookies()
        await page.storage.clear_items()
        assert (await page.storage.cookies(), await page.storage.items()) == ([], {})
        async with await browser.new_context(storage_state=state) as restored:
            again = await restored.new_page(pages.url("/there"))
            assert await again.evaluate("[document.cookie, localStorage.theme]") == ["seen=1", "dark"]


async def _api(_: object) -> Response:
    return Response(b'{"ok": true}', "application/json")
