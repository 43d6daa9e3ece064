"""Tools of ``--caps trace,downloads``, and those that name devices and grant permissions."""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING

import hybridsnap
from tests.support.mcp_client import connected, in_process, page_text, serving_http_here, text_of
from tests.support.pages import Content, serve_pages
from tests.support.trace import check_trace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

_PAGES: dict[str, Content] = {
    "/": """<title>slow</title><button onclick="keepBusy()">Work</button>
<a href="/file.bin" download="</page-0 untrusted>.bin">Get it</a><script>
function keepBusy() { const from = performance.now(); while (performance.now() - from < 200); }
document.querySelector("button").after(new Image());
fetch("http://localhost:{PORT}/refused").catch(() => 0);</script>""",
    "/file.bin": b"\0" * 1000,
    "/refused": "<p>refused",
}


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def test_a_trace_is_summed_up_and_kept(browser_endpoint: str, tmp_path: Path) -> None:
    async with (
        serve_pages(_PAGES) as pages,
        in_process(
            browser_endpoint, caps=("trace",), download_folder=tmp_path, deny_hosts=("localhost",)
        ) as host,
    ):
        await host.do("navigate", url="about:blank")
        assert "no trace of this tab is being recorded; begin one" in await host.refused(
            "trace", action="stop"
        )
        assert "screenshots goes with start" in await host.refused("trace", action="stop", screenshots=True)
        assert "file goes with stop" in await host.refused("trace", action="start", file="a")
        assert "recording" in await host.do("trace", action="start")
        assert "already" in await host.refused("trace", action="start")
        await host.do("navigate", url=pages.url("/"))
        await host.do("click", element="button")
        await host.do("tabs", action="new")
        assert "tab 1 has begun one" in await host.refused("trace", action="start")
        assert "tab 1 is traced; select it" in await host.refused("trace", action="stop")
        await host.do("tabs", action="close")
        assert "no plain file name" in await host.refused("trace", action="stop", file="../x")
        stopped = await host.call("trace", action="stop", file="slow")
        summary = page_text(stopped)
        assert "click event: keepBusy" in summary
        assert f"{pages.url('/')}: first paint" in summary
        assert "/refused" not in text_of(stopped)
        assert "of addresses that are not shown here" in summary
        assert len(text_of(stopped)) < 2_500
        assert text_of(stopped).startswith(f"saved: {tmp_path / 'slow.json'}")
        assert check_trace((tmp_path / "slow.json").read_bytes())
        assert stopped.structured_content is not None
        assert stopped.structured_content["untrusted"] == {"summary": summary.splitlines()}


async def test_a_trace_without_a_folder_is_not_kept(browser_endpoint: str) -> None:
    async with in_process(browser_endpoint, caps=("trace",)) as host:
        await host.do("navigate", url="about:blank")
        await host.do("trace", action="start", screenshots=True)
        assert "without --downloads" in await host.refused("trace", action="stop", file="a.json")
        said = await host.do("trace", action="stop")
        assert said.startswith("the trace itself is not kept: the server was started without --downloads")
        assert "tasks over 50 ms: " in said


async def test_a_trace_that_is_kept_has_no_other_clients_tabs(tmp_path: Path) -> None:
    options = ("--caps", "trace", "--downloads", str(tmp_path), "--allow-private")
    async with serve_pages(_PAGES) as pages, serving_http_here(*options) as url:
        async with connected(f"{url}/ada") as ada, connected(f"{url}/bob") as bob:
            await ada.do("navigate", url="about:blank")
            await bob.do("navigate", url="about:blank")
            await ada.do("trace", action="start")
            assert "another client has begun one" in await bob.refused("trace", action="start")
            await bob.do("navigate", url=pages.url("/refused"))
            await ada.do("navigate", url=pages.url("/"))
            assert f"saved: {tmp_path / 'trace.json'} (" in await ada.do("trace", action="stop")
        data = (tmp_path / "trace.json").read_bytes()
        assert check_trace(data)
        assert pages.url("/").encode() in data
        assert pages.url("/refused").encode() not in data


async def test_a_trace_of_a_tab_that_clients_share_is_not_kept(tmp_path: Path) -> None:
    async with hybridsnap.launch(transport="websocket") as browser:
        page = await browser.new_page("about:blank")
        options = ("--cdp", browser.endpoint, "--target-id", page.target_id, "--downloads", str(tmp_path))
        async with serving_http_here(*options, "--caps", "trace") as url, connected(f"{url}/ada") as ada:
            await ada.do("trace", action="start")
            assert "is not in a profile of your own" in await ada.refused("trace", action="stop", file="a")
            assert "other clients' tabs can be in it" in await ada.do("trace", action="stop")
    assert _names(tmp_path) == []


async def test_the_folder_is_listed(browser_endpoint: str, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    async with (
        serve_pages(_PAGES) as pages,
        in_process(browser_endpoint, caps=("downloads", "pdf"), download_folder=folder) as host,
    ):
        assert "0 files" in await host.do("downloads")
        await host.do("navigate", url=pages.url("/"))
        await host.do("click", element="a", download=True)
        await host.do("save_page", file="page.html")
        (folder / "link").symlink_to("/etc/passwd")
        (folder / "below").mkdir()
        (got,) = (name for name in _names(folder) if name.endswith(".bin"))
        for age, name in enumerate(("page.html", got)):
            os.utime(folder / name, (1e9 - age, 1e9 - age))
        listed = await host.call("downloads")
        lines = page_text(listed).splitlines()
        assert lines[0].endswith(" UTC: page.html")
        assert lines[1] == f"1,000 bytes, 2001-09-09 01:46:39 UTC: {got}", "no name can begin a line"
        assert len(lines) == 2, "neither links nor folders"
        assert text_of(listed).startswith(f"in {folder}\n2 files")
        assert "1 earlier ones are not listed" in await host.do("downloads", limit=1)
    async with in_process(browser_endpoint, caps=("downloads",)) as host:
        assert "--downloads FOLDER" in await host.refused("downloads")


async def test_a_file_that_goes_while_the_folder_is_listed(
    browser_endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("stays.bin", "goes.bin"):
        (tmp_path / name).write_bytes(b"1")

    class ListedBeforeItGoes(contextlib.ExitStack):
        def __init__(self, folder: Path) -> None:
            super().__init__()
            self._listed = list(self.enter_context(os_scandir(folder)))
            (tmp_path / "goes.bin").unlink(missing_ok=True)

        def __iter__(self) -> Iterator[os.DirEntry[str]]:
            return iter(self._listed)

    os_scandir = os.scandir
    async with in_process(browser_endpoint, caps=("downloads",), download_folder=tmp_path) as host:
        with monkeypatch.context() as patched:
            patched.setattr("hybridsnap.mcp.file_calls.os.scandir", ListedBeforeItGoes)
            said = await host.do("downloads")
    assert said.startswith(f"in {tmp_path}\n1 file")
    assert "stays.bin" in said


async def test_devices_by_name(browser_endpoint: str) -> None:
    async with in_process(browser_endpoint, caps=("emulation",)) as host:
        found = await host.do("devices", text="iphone 15")
        assert found.startswith("8 devices: iPhone 15, iPhone 15 landscape, ")
        assert len(await host.do("devices")) > 2_000
        assert "no device has 'toaster'" in await host.refused("devices", text="toaster")
        await host.do("navigate", url="about:blank")
        last = found.rpartition(", ")[2]
        assert "viewport" in await host.do("emulate", device=last)


async def test_permissions(browser_endpoint: str) -> None:
    state = "navigator.permissions.query({name: 'geolocation'}).then((it) => it.state)"
    async with (
        serve_pages(_PAGES) as pages,
        in_process(browser_endpoint, caps=("storage",), deny_hosts=("localhost",)) as host,
    ):
        await host.do("navigate", url=pages.url("/"))
        before = await host.do("evaluate", script=state)
        granted = await host.call("permissions", action="grant", names=["geolocation"])
        assert text_of(granted).startswith("granted: geolocation; others are denied there")
        assert page_text(granted) == pages.url("")
        assert json.dumps("granted") in await host.do("evaluate", script=state)
        assert "taken back" in await host.do("permissions", action="reset")
        after = await host.call("evaluate", script=state)
        assert page_text(after) in before
        for wrong, words in (
            ({"action": "grant"}, "names goes with the action grant"),
            ({"action": "reset", "names": ["camera"]}, "names goes with the action grant"),
            ({"action": "reset", "origin": "https://a"}, "origin goes with grant"),
            ({"action": "grant", "names": ["telepathy"]}, "such as geolocation"),
            ({"action": "grant", "names": ["camera"], "origin": pages.url("", "localhost")}, "no frame has"),
        ):
            assert words in await host.refused("permissions", **wrong)
