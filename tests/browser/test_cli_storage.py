"""A login that one command leaves behind, used by the next."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import hybridsnap
from tests.support.command_line import run_here
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from pathlib import Path

_PAGE = """<title>Shop</title><button onclick="localStorage.user = 'ada'; document.cookie = 'a=b'">In</button>
<p id=who></p><script>who.textContent = 'user: ' + localStorage.user + ' ' + document.cookie</script>"""


async def test_a_state_is_saved_and_loaded(tmp_path: Path, browser_endpoint: str) -> None:
    async with serve_pages({"/": _PAGE}) as pages:
        url = pages.url("/")
        click = json.dumps({"action": "click", "element": "button"})
        done = await run_here("act", url, click, "--save-storage-state", "login.json", cwd=tmp_path)
        assert done.code == 0, done.stderr
        state = json.loads((tmp_path / "login.json").read_text())
        assert [one["name"] for one in state["cookies"]] == ["a"]
        seen = await run_here("snapshot", url, "--storage-state", "login.json", cwd=tmp_path)
        assert "user: ada a=b" in seen.stdout
        without = await run_here("snapshot", url, "--cdp", browser_endpoint)
        assert "user: undefined" in without.stdout


async def test_a_state_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"cookies": 3}')
    cookies = {
        "number.json": ({"name": 1}, "cookies[0]: expected a string as name, got 1"),
        "name.json": (
            {"name": "a;b", "value": "", "domain": "a.com"},
            "cookies[0] (a;b): the name has a semi",
        ),
        "late.json": (
            {"name": "k", "value": "", "domain": "a.com", "expires": "x"},
            "cookies[0] (k): expected a number of seconds since 1970 as expires, got 'x'",
        ),
    }
    for name, (cookie, _) in cookies.items():
        (tmp_path / name).write_text(json.dumps({"cookies": [cookie]}))
    wrong = [(name, f"{name}: no storage state ({words}") for name, (_, words) in cookies.items()]
    for name, words in (("none.json", "No such file"), ("bad.json", "bad.json: no storage state"), *wrong):
        done = await run_here("snapshot", "about:blank", "--storage-state", name, cwd=tmp_path)
        assert done.code == 2
        assert words in done.stderr
        assert "--storage-state" in done.stderr
        assert done.line


async def test_permissions_are_granted_until_the_command_ends(tmp_path: Path) -> None:
    ask = """Promise.all(["geolocation", "notifications", "midi"].map(name =>
    navigator.permissions.query({name}).then(it => it.state))).then(states => states.join(" "))"""
    async with serve_pages({"/": "<title>asks</title>"}) as pages:
        url, other = pages.url("/"), pages.url("", "localhost")

        async def states(where: str, *options: str) -> str:
            done = await run_here("evaluate", where, ask, "--raw", *options, cwd=tmp_path)
            assert done.code == 0, done.stderr
            return done.stdout.strip()

        assert await states(url, "--grant", "geolocation", "--grant", "midi") == "granted denied granted"
        async with hybridsnap.launch(transport="websocket") as browser:
            page = await browser.new_page(url)
            asked = await page.evaluate(ask)
            assert "granted" not in asked
            endpoint = browser.endpoint
            assert (await states(endpoint, "--grant", "geolocation")).startswith("granted denied")
            assert await page.evaluate(ask) == asked, "it ended with the command"
            assert await states(endpoint, "--grant", f"geolocation={other}") == asked
            # Geolocation that is emulated comes with its permission.
            emulated = ("--emulate", "geolocation=1,2", "--grant", "midi")
            assert (await states(endpoint, *emulated)).split()[::2] == ["granted", "granted"]
            done = await run_here("evaluate", endpoint, "1", "--grant", "telepathy", cwd=tmp_path)
            assert done.code == 2
            assert "--grant telepathy: " in done.line
            await page.close()
            done = await run_here("evaluate", endpoint, "1", "--grant", "midi", cwd=tmp_path)
            assert done.code == 2
            assert "the page has no origin that permissions are granted to" in done.line

        for given, words in (
            ("a b", "--grant: expected a permission such as geolocation"),
            ("midi=nowhere", "--grant: expected an origin such as https://example.com, got 'nowhere'"),
        ):
            done = await run_here("evaluate", url, "1", "--grant", given, cwd=tmp_path)
            assert done.code == 2, given
            assert words in done.line
