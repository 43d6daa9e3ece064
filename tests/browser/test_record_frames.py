"""Frames of a page in PNG files: numbered, bounded, ended with the block."""

from __future__ import annotations

import shutil
import struct
from typing import TYPE_CHECKING

import pytest
import trio
from PIL import Image

import hybridsnap
import hybridsnap.sync
from tests.support.headless_shell import IN_HEADLESS_SHELL
from tests.support.pages import PageServer, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hybridsnap import Browser, FrameRecording, Page

_COLOUR = "(colour) => { document.documentElement.style.background = colour; }"
_MOVING = """<script>
let count = 0;
const paint = () => {
  document.body.style.background = `rgb(${count++ % 255}, 0, 0)`;
  requestAnimationFrame(paint);
};
onload = paint;
</script>"""


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages({"/": "<body></body>", "/moving": _MOVING}) as served:
        yield served


@pytest.fixture
async def page(browser: Browser, pages: PageServer) -> AsyncIterator[Page]:
    opened = await browser.new_page(pages.url("/"), viewport=(320, 240))
    await opened.bring_to_front()
    yield opened
    await opened.close()


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


async def until(recording: FrameRecording, count: int) -> None:
    """Wait until so many frames are saved."""
    with trio.fail_after(60):
        while len(recording.frames) < count:  # noqa: ASYNC110 - nothing tells of it
            await trio.sleep(0.01)


async def test_each_change_is_a_file(page: Page, tmp_path: Path) -> None:
    await page.evaluate(_COLOUR, "rgb(255, 0, 0)")
    await page.screenshot()  # drawn before the recording begins, which starts with what is drawn
    async with page.record_frames(tmp_path / "frames") as recording:
        await until(recording, 1)
        await page.evaluate(_COLOUR, "rgb(0, 0, 255)")
        await until(recording, 2)
    names = [one.path.name for one in recording.frames]
    assert names[:2] == ["frame-000001.png", "frame-000002.png"]
    assert [one.path for one in recording.frames] == files(tmp_path / "frames")
    times = [one.time for one in recording.frames]
    assert times == sorted(times)
    colours = []
    for one in recording.frames:
        with Image.open(one.path) as picture:
            assert picture.size == (320, 240)
            colours.append(picture.convert("RGB").getpixel((100, 100)))
    assert colours[0] == (255, 0, 0)
    assert colours[-1] == (0, 0, 255)
    assert (recording.unsaved, recording.hidden) == (0, False)
    # Ended: what is drawn now is no frame any more.
    await page.evaluate(_COLOUR, "rgb(0, 255, 0)")
    await page.screenshot()
    assert len(recording.frames) == len(names)


async def test_no_more_than_so_many(page: Page, pages: PageServer, tmp_path: Path) -> None:
    await page.goto(pages.url("/moving"))
    async with page.record_frames(tmp_path, max_frames=3, size=(160, 160)) as recording:
        with pytest.raises(ValueError, match="being recorded already"):
            async with page.record_frames(tmp_path / "other"):
                pass
        await until(recording, 3)
        await page.screenshot()
    assert len(recording.frames) == len(files(tmp_path)) == 3
    assert recording.unsaved <= 2  # the browser sends no more before one is acknowledged
    width, height = struct.unpack(">II", recording.frames[0].path.read_bytes()[16:24])
    assert (width, height) == (160, 120)
    with pytest.raises(FileExistsError, match="frames of another recording"):
        async with page.record_frames(tmp_path):
            pass


async def test_a_hidden_tab_and_a_block_that_fails(browser: Browser, page: Page, tmp_path: Path) -> None:
    other = await browser.new_page()
    await other.bring_to_front()

    async def fail() -> None:
        async with page.record_frames(tmp_path / "a") as recording:
            recordings.append(recording)
            await page._context.receive_events(hybridsnap.Deadline.after(10))
            raise KeyError

    recordings: list[FrameRecording] = []
    with pytest.raises(KeyError):
        await fail()
    await other.close()
    assert recordings[0].hidden is not IN_HEADLESS_SHELL
    await page.bring_to_front()
    with trio.CancelScope() as scope:
        async with page.record_frames(tmp_path / "b") as recording:
            await until(recording, 1)
            scope.cancel()
    assert scope.cancelled_caught or recording.frames
    assert len(files(tmp_path / "b")) == len(recording.frames)


async def test_a_file_that_cannot_be_written_is_said(page: Page, pages: PageServer, tmp_path: Path) -> None:
    await page.goto(pages.url("/moving"))

    async def record() -> None:
        async with page.record_frames(tmp_path / "frames") as recording:
            shutil.rmtree(tmp_path / "frames")
            with trio.fail_after(60):
                while recording._error is None:  # noqa: ASYNC110 - nothing tells of it
                    await trio.sleep(0.01)

    with pytest.raises(FileNotFoundError, match="frame-0000"):
        await record()


async def test_wrong_options(page: Page, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="max_frames: expected a whole number from 1 on"):
        async with page.record_frames(tmp_path, max_frames=0):
            pass
    with pytest.raises(TypeError, match=r"size: expected \(width, height\)"):
        async with page.record_frames(tmp_path, size=5):  # type: ignore[arg-type]  # which is what is wrong
            pass
    assert files(tmp_path) == []


def test_from_blocking_code(browser_endpoint: str, tmp_path: Path) -> None:
    with hybridsnap.sync.connect(browser_endpoint) as browser:
        page = browser.new_page()
        page.bring_to_front()
        with page.record_frames(tmp_path) as recording:
            page.screenshot()
        assert len(list(tmp_path.iterdir())) == len(recording.frames)
        page.close()
