"""Downloads: expected, saved under safe names, refused otherwise; and nothing is left when they fail."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
import trio

import hybridsnap
from hybridsnap import DownloadFailed, NavigationFailed, TargetDetached
from hybridsnap.client import download_tracker
from hybridsnap.deadline import Deadline
from tests.support.http import ConnectionDropped, Request, Response, attachment
from tests.support.pages import serve_pages
from tests.support.slow_file import SlowFile

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hybridsnap import Browser, Page
    from tests.support.pages import Content, PageServer

_HOSTILE = {
    "up": ("../../x.txt", "x.txt"),
    "separator": ("a/b.txt", "a_b.txt"),
    "device": ("CON.txt", "_CON.txt"),
    "controls": ("a\x01b\x7fc.txt", None),
    "long": ("n" * 300 + ".txt", None),
    "reordered": ("harmless\u202etxt.exe", "harmless_txt.exe"),  # Chromium has seen to it already
    "hidden": (".profile", "profile"),
    "nothing": ("..", None),
}
_LINKS = """
<a id=file href=/file>file</a>
<a id=named href=/plain.txt download="named.txt">named</a>
<a id=tab href=/file target=_blank>tab</a>
<a id=lone href=/file target=_blank rel=noopener>lone</a>
<a id=data href="data:application/octet-stream,hello" download="../data.bin">data</a>
<a id=blob>blob</a>
<a id=slow href=/slow>slow</a>
<a id=broken href=/broken>broken</a>
<button id=framed onclick="document.body.append(document.createElement('iframe'));
  frames[0].location = '/slow'">
  framed</button>
<script>blob.href = URL.createObjectURL(new Blob(['hello'])); blob.download = 'blob.txt'</script>"""
_BODY = bytes(range(256)) * 8


async def broken(_: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"x" * 1000
        raise ConnectionDropped

    headers = {"Content-Disposition": "attachment; filename=broken.bin", "Content-Length": "5000"}
    return Response(pieces(), "application/octet-stream", headers=headers)


def contents(slow: SlowFile) -> dict[str, Content]:
    served: dict[str, Content] = {
        "/": f"<!doctype html><title>Links</title>{_LINKS}",
        "/frame": "<!doctype html><iframe src='http://localhost:{PORT}/'></iframe>",
        "/file": attachment(_BODY, "file.bin"),
        "/plain.txt": "plain words",
        "/slow": slow,
        "/broken": broken,
    }
    for name, (suggested, _) in _HOSTILE.items():
        served[f"/{name}"] = attachment(b"x", suggested)
    return served


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(contents(SlowFile("slow.bin"))) as server:
        yield server


@dataclass(frozen=True)
class Stage:
    """What a download needs."""

    own: Browser
    pages: PageServer
    slow: SlowFile
    folder: Path


@pytest.fixture
async def own() -> AsyncIterator[Browser]:
    """A browser that nobody else's downloads are set in."""
    async with hybridsnap.launch(transport="websocket", args=["--site-per-process"]) as browser:
        yield browser


async def click(page: Page, name: str, session: int = 0) -> None:
    script = f"document.getElementById('{name}').click()"
    await page.sessions[session].send("Runtime.evaluate", {"expression": script, "userGesture": True})


def names(folder: Path) -> list[str]:
    """Of all files below a folder."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def empty(folder: Path) -> bool:
    return not list(folder.iterdir())


async def until_private_files_are_gone(browser: Browser) -> None:
    """The browser removes what it has cancelled after it has said so."""
    with trio.fail_after(30):
        while private_files(browser):
            await browser.session.send("Target.getTargets")


def private_files(browser: Browser) -> list[str]:
    """What lies in the folder where the browser saves."""
    assert browser.process is not None
    assert browser.process.folder is not None
    (folder,) = browser.process.folder.glob("hybridsnap-downloads-*")
    return names(folder)


async def ways_to_download(stage: Stage) -> None:
    folder = stage.folder / "made" / "for it"
    page = await stage.own.new_page(stage.pages.url())
    mark = stage.own.downloads.count
    for name, file_name, content in (
        ("file", "file.bin", _BODY),
        ("named", "named.txt", b"plain words"),
        ("tab", "file (1).bin", _BODY),
        ("lone", "file (2).bin", _BODY),
        ("data", "_data.bin", b"hello"),
        ("blob", "blob.txt", b"hello"),
    ):
        async with page.expect_download(folder, timeout=10) as download:
            assert (download.state, download.path) == ("awaited", None)
            await click(page, name)
        assert download.path == folder / file_name, name
        assert download.path.read_bytes() == content
        assert (download.state, download.received, download.total) == ("complete", len(content), len(content))
        assert download.suggested_name in {file_name, "file.bin"}
    assert len(stage.own.downloads.since(mark, page.target_id)) == 6
    assert len(names(folder)) == 6
    await until_private_files_are_gone(stage.own)


async def frames_that_download(stage: Stage) -> None:
    page = await stage.own.new_page(stage.pages.url("/frame"))
    async with page.expect_download(stage.folder, timeout=10) as download:
        await click(page, "file", session=1)
    assert download.path == stage.folder / "file.bin"
    # The frame is gone before the file has come.
    await page.goto(stage.pages.url())
    async with page.expect_download(stage.folder, timeout=10) as download:
        await click(page, "framed")
        assert await page._context.attachment.wait_until(
            lambda: download.state == "running", Deadline.after(9)
        )
        await page.session.send(
            "Runtime.evaluate", {"expression": "document.querySelector('iframe').remove()"}
        )
        stage.slow.go.set()
    assert download.path == stage.folder / "slow.bin"


async def an_action_and_an_address_that_download(stage: Stage) -> None:
    page = await stage.own.new_page(stage.pages.url())
    async with page.expect_download(stage.folder, timeout=20) as download:
        await page.click("#file", timeout=10)
    assert download.path == stage.folder / "file.bin"
    async with page.expect_download(stage.folder, timeout=10) as download:
        went = await page.goto(stage.pages.url("/file"), timeout=10)
        assert (went.reached, went.ended_by, went.url) == (False, "download", stage.pages.url())
    assert download.path == stage.folder / "file (1).bin"
    with pytest.raises(NavigationFailed, match="download"):
        await page.goto(stage.pages.url("/file"), timeout=10)


async def hostile_names(stage: Stage) -> None:
    page = await stage.own.new_page(stage.pages.url())
    inside = stage.folder / "inside"
    for name, (_, expected) in _HOSTILE.items():
        async with page.expect_download(inside, timeout=10) as download:
            await page.goto(stage.pages.url(f"/{name}"), timeout=10)
        assert download.path is not None
        assert download.path.parent == inside
        assert download.path.is_file()
        assert expected is None or download.path.name == expected, name
        assert download.path.name.isprintable()
        assert len(download.path.name.encode()) <= 200
    assert len(names(inside)) == len(names(stage.folder)) == len(_HOSTILE)


async def progress_and_total(stage: Stage) -> None:
    page = await stage.own.new_page(stage.pages.url())
    async with page.expect_download(stage.folder, timeout=20) as download:
        await click(page, "slow")
        with trio.fail_after(10):
            await page._context.attachment.wait_until(lambda: download.received >= 50_000, Deadline.after(9))
        assert (download.state, download.total) == ("running", None)
        assert download.url == stage.pages.url("/slow")
        assert repr(download) == "<Download 'slow.bin' running, 50000 of ? bytes>"
        stage.slow.go.set()
    assert (download.received, download.total) == (100_000, 100_000)


async def two_pages_at_once_are_not_mixed(stage: Stage) -> None:
    one, two, other = [await stage.own.new_page(stage.pages.url()) for _ in range(3)]
    async with one.expect_download(stage.folder / "one", timeout=20) as slow_one:
        await click(one, "slow")
        async with two.expect_download(stage.folder / "two", timeout=20) as file:
            mark = stage.own.downloads.count
            await click(other, "blob")  # nobody expects it
            await click(two, "file")
        # Only the first is taken.
        await click(one, "named")
        stage.slow.go.set()
    assert slow_one.path == stage.folder / "one" / "slow.bin"
    assert file.path == stage.folder / "two" / "file.bin"
    (refused,) = stage.own.downloads.since(mark, other.target_id)
    assert (refused.suggested_name, refused.state, refused.path) == ("blob.txt", "failed", None)
    assert names(stage.folder) == ["file.bin", "slow.bin"]


async def unexpected_downloads_are_refused_and_known(stage: Stage) -> None:
    page = await stage.own.new_page(stage.pages.url())
    async with page.expect_download(stage.folder, timeout=10):
        await click(page, "file")
    for name in ("file", "tab"):
        mark = stage.own.downloads.count
        await click(page, name)
        with trio.fail_after(30):
            while not [one for one in stage.own.downloads.since(mark, page.target_id) if one.ended]:
                await stage.own.session.send("Target.getTargets")
        (refused,) = stage.own.downloads.since(mark, page.target_id)
        assert (refused.url, refused.suggested_name) == (stage.pages.url("/file"), "file.bin")
        assert (refused.state, refused.path) == ("failed", None)
    assert names(stage.folder) == ["file.bin"]


async def too_large(stage: Stage) -> None:
    page = await stage.own.new_page(stage.pages.url())
    for name, most in (("file", 2047), ("slow", 40_000), ("file", 0)):
        with pytest.raises(DownloadFailed, match=f"is larger than {most} bytes") as caught:
            async with page.expect_download(stage.folder, max_bytes=most, timeout=10):
                await click(page, name)
        assert caught.value.reason == "too large"
        assert caught.value.url == stage.pages.url(f"/{name}")
        assert empty(stage.folder)
        await until_private_files_are_gone(stage.own)
    async with page.expect_download(stage.folder, max_bytes=2048, timeout=10) as download:
        await click(page, "file")
    assert download.path == stage.folder / "file.bin"


async def what_can_go_wrong(stage: Stage) -> None:
    page = await stage.own.new_page(stage.pages.url())
    with pytest.raises(DownloadFailed, match="broke it off") as caught:
        async with page.expect_download(stage.folder, timeout=20):
            await click(page, "broken")
    assert (caught.value.reason, caught.value.url) == ("cancelled", stage.pages.url("/broken"))
    with pytest.raises(DownloadFailed, match="was not downloaded in time") as caught:
        async with page.expect_download(stage.folder, timeout=1):
            await click(page, "slow")
    assert caught.value.reason == "timeout"
    with pytest.raises(DownloadFailed, match="no download began") as caught:
        async with page.expect_download(stage.folder, timeout=0.1):
            pass
    assert (caught.value.reason, caught.value.url) == ("none", "")
    (stage.folder / "in the way").touch()
    with pytest.raises(FileExistsError):
        async with page.expect_download(stage.folder / "in the way", timeout=10):
            pass
    with pytest.raises(ValueError, match="max_bytes: expected a whole number from 0 on"):
        async with page.expect_download(stage.folder, max_bytes=-1):
            pass
    with pytest.raises(TargetDetached):
        async with page.expect_download(stage.folder, timeout=20):
            await page.close()
    assert names(stage.folder) == ["in the way"]
    await until_private_files_are_gone(stage.own)


async def a_block_that_is_left_early_leaves_nothing(stage: Stage) -> None:
    page = await stage.own.new_page(stage.pages.url())
    with trio.move_on_after(1):
        async with page.expect_download(stage.folder, timeout=20):
            await click(page, "slow")
    with pytest.raises(KeyError, match="of the user"):  # noqa: PT012 - raised within a block
        async with page.expect_download(stage.folder, timeout=20):
            await click(page, "slow")
            raise KeyError("of the user")
    assert empty(stage.folder)
    await until_private_files_are_gone(stage.own)


async def a_file_that_is_out_of_reach(stage: Stage) -> None:
    page = await stage.own.new_page(stage.pages.url())
    with pytest.raises(DownloadFailed, match="cannot find it") as caught:  # noqa: PT012 - raised by a block
        async with page.expect_download(stage.folder, timeout=10) as download:
            await click(page, "file")
            assert await page._context.attachment.wait_until(lambda: download.ended, Deadline.after(9))
            stage.own.downloads.private_path(download).unlink()
    assert caught.value.reason == "out of reach"
    assert empty(stage.folder)


async def over_a_page_s_own_socket(stage: Stage) -> None:
    page = await stage.own.new_page(stage.pages.url())
    assert stage.own.process is not None
    assert stage.own.process.endpoint is not None
    host = stage.own.process.endpoint.partition("://")[2].partition("/")[0]
    async with hybridsnap.connect(f"ws://{host}/devtools/page/{page.target_id}") as only:
        one = await only.page()
        async with one.expect_download(stage.folder, timeout=10) as download:
            await click(one, "file")
        assert download.path == stage.folder / "file.bin"


#: None of them changes how the browser downloads.
_ALL = (
    ways_to_download,
    frames_that_download,
    an_action_and_an_address_that_download,
    hostile_names,
    progress_and_total,
    two_pages_at_once_are_not_mixed,
    unexpected_downloads_are_refused_and_known,
    too_large,
    what_can_go_wrong,
    a_block_that_is_left_early_leaves_nothing,
    a_file_that_is_out_of_reach,
    over_a_page_s_own_socket,
)


async def test_downloads(own: Browser, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Each with a tab, files and a folder of its own, all in one browser."""
    for check in _ALL:
        with subtests.test(check.__name__):
            folder = tmp_path / check.__name__
            folder.mkdir()
            slow = SlowFile("slow.bin")
            async with serve_pages(contents(slow)) as pages:
                await check(Stage(own, pages, slow, folder))


async def test_a_download_of_a_context_is_cancelled(
    own: Browser, pages: PageServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is cancelled when it is too large, when the deadline has passed, and when nothing expects it."""
    # One that is not cancelled would be waited for so long: far longer than any machine takes.
    monkeypatch.setattr(download_tracker, "_END_SECONDS", 60)
    context = await own.new_context()
    page, other = await context.new_page(pages.url()), await context.new_page(pages.url())
    started = trio.current_time()
    with pytest.raises(DownloadFailed, match="is larger than 40000 bytes"):  # noqa: PT012 - a block in a block
        async with page.expect_download(tmp_path, max_bytes=40_000, timeout=30):
            with own.session.events("Browser.downloadProgress") as events, trio.fail_after(30):
                await click(other, "slow")
                async for _, params in events:
                    if params["state"] == "canceled":
                        break
            await click(page, "slow")
    with pytest.raises(DownloadFailed, match="was not downloaded in time"):
        async with page.expect_download(tmp_path, timeout=1):
            await click(page, "slow")
    assert trio.current_time() - started < 30
    await until_private_files_are_gone(own)


async def test_a_browser_that_was_connected_to_keeps_its_own_ways(
    own: Browser, pages: PageServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    assert own.process is not None
    assert own.process.endpoint is not None
    theirs = tmp_path / "theirs"
    async with hybridsnap.connect(own.process.endpoint) as guest:
        page = await guest.new_page(pages.url())
        async with page.expect_download(tmp_path / "ours", timeout=10) as download:
            await click(page, "file")
        assert download.path == tmp_path / "ours" / "file.bin"
        # The setting is the browser's own again, so an owner's setting takes.
        await own.session.send(
            "Browser.setDownloadBehavior",
            {"behavior": "allow", "downloadPath": str(theirs), "eventsEnabled": True},
        )
        receipt = await page.click("#file")
        assert receipt.downloads[0].path is None
        assert "note: downloads here go by the settings of the browser that was connected to" in str(receipt)
        with trio.fail_after(30):
            while not (theirs / "file.bin").exists():
                await own.session.send("Target.getTargets")
    assert empty(place)
