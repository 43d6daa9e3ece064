"""File choosers: caught in every kind of frame, answered, cancelled, and left alone afterwards."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest
import trio

from hybridsnap import (
    ActionError,
    CommandUnanswered,
    NotInteractable,
    StaleElement,
    TargetDetached,
    WaitTimeout,
)
from tests.support.faults import evaluate, until
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hybridsnap import Page
    from hybridsnap.client.connection import Session
    from tests.support.pages import Content, PageServer

_FORM = """<!doctype html><title>Form</title>
<input type=file id=one> <input type=file id=many multiple> <input type=file id=folder webkitdirectory>
<button id=by-script onclick="one.click()">Choose</button>
<button id=picker onclick="showOpenFilePicker().catch((error) => log.append(error.name))">Pick</button>
<p id=log></p>
<script>
for (const input of document.querySelectorAll('input')) {
  input.addEventListener('change', () =>
    log.append(`${input.id}: ${[...input.files].map((f) => f.name).sort()}; `));
  input.addEventListener('cancel', () => log.append(`${input.id} cancelled; `));
}
</script>"""
_HIDDEN = """<!doctype html><title>Avatar</title><input type=file id=face hidden>
<label for=face>By label</label> <button onclick="face.click()">By script</button>
<button id=prevented onclick="face.onclick = () => false; face.click()">Prevented</button>
<button id=none>None</button>"""
_PAGES: dict[str, Content] = {
    "/": _FORM,
    "/hidden": _HIDDEN,
    "/frames": "<!doctype html><iframe src='/' width=900></iframe>"
    "<iframe src='http://localhost:{PORT}/' width=900></iframe>",
    "/late": "<!doctype html><title>Late</title><p>late",
    "/around": "<!doctype html><iframe src='http://a.localhost:{PORT}/inner'></iframe>",
    "/inner": "<!doctype html><input type=file id=it>",
    "/other": "<!doctype html><input type=file id=it>",
}


@pytest.fixture
async def pages() -> AsyncIterator[PageServer]:
    async with serve_pages(_PAGES) as server:
        yield server


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    return tmp_path


async def click(page: Page, name: str, session: int = 0, document: str = "document") -> None:
    script = f"{document}.getElementById('{name}').click()"
    await page.sessions[session].send("Runtime.evaluate", {"expression": script, "userGesture": True})


async def logged(page: Page, session: int = 0, document: str = "document") -> Any:
    script = f"{document}.getElementById('log').textContent"
    return (await page.sessions[session].send("Runtime.evaluate", {"expression": script}))["result"]["value"]


@pytest.mark.parametrize("name", ["#one", "#by-script"])
async def test_a_chooser_that_a_click_opens(page: Page, pages: PageServer, files: Path, name: str) -> None:
    await page.goto(pages.url())
    async with page.expect_file_chooser(timeout=10) as chooser:
        assert not chooser.opened
        await page.click(name, timeout=10)
    assert (chooser.opened, chooser.multiple, chooser.answered) == (True, False, False)
    assert chooser.frame == page._context.attachment.root.root_frame
    await chooser.set_files(files / "a.txt", timeout=10)
    assert chooser.answered
    assert await logged(page) == "one: a.txt; "


async def test_a_chooser_that_nobody_expects_is_in_the_receipt(
    page: Page, pages: PageServer, files: Path
) -> None:
    await page.goto(pages.url("/hidden"))
    for name, file in (("label", "a.txt"), ("button", "b.txt")):
        receipt = await page.click(name, nth=0)
        id_ = receipt.file_chooser
        assert id_
        assert not receipt.nothing_happened
        assert f"opened the file chooser of [{id_}]" in str(receipt)
        assert f"give [{id_}] its files with set_input_files" in str(receipt)
        given = await page.set_input_files(id_, files / file)
        assert ("files", file) in [(one.what, one.after) for one in given.changes]
        assert given.file_chooser is None
    async with page.expect_file_chooser(files / "b.txt", timeout=10):
        receipt = await page.click("label")
    assert receipt.file_chooser
    assert "set_input_files" not in str(receipt)
    for name in ("#prevented", "#none"):
        assert (await page.click(name)).file_chooser is None


async def test_paths_that_are_ready(page: Page, pages: PageServer, files: Path) -> None:
    await page.goto(pages.url())
    async with page.expect_file_chooser([files / "a.txt", str(files / "b.txt")], timeout=10) as chooser:
        await click(page, "many")
    assert (chooser.multiple, chooser.answered) == (True, True)
    async with page.expect_file_chooser(files, timeout=10):
        await click(page, "folder")
    with trio.fail_after(30):
        # The browser lists the folder first.
        while await logged(page) != "many: a.txt,b.txt; folder: a.txt,b.txt; ":
            pass


async def test_a_chooser_answered_within_the_block(page: Page, pages: PageServer, files: Path) -> None:
    await page.goto(pages.url())
    async with page.expect_file_chooser(timeout=10) as chooser:
        await click(page, "one")
        with trio.fail_after(30):
            while not chooser.opened:
                await page.sessions[0].send("Page.getFrameTree")
        await chooser.set_files(files / "b.txt", timeout=10)
    assert await logged(page) == "one: b.txt; "


@pytest.mark.parametrize(("session", "document"), [(0, "frames[0].document"), (1, "document")])
async def test_choosers_of_frames(
    page: Page, pages: PageServer, files: Path, session: int, document: str
) -> None:
    await page.goto(pages.url("/frames"))
    async with page.expect_file_chooser(files / "a.txt", timeout=10) as chooser:
        await click(page, "one", session, document)
    assert chooser.frame != page._context.attachment.root.root_frame
    assert await logged(page, session, document) == "one: a.txt; "


async def test_a_frame_that_comes_within_the_block(page: Page, pages: PageServer, files: Path) -> None:
    await page.goto(pages.url("/late"))
    async with page.expect_file_chooser(files / "a.txt", timeout=10):
        address = pages.url("/", "localhost")
        made = f"document.body.appendChild(document.createElement('iframe')).src = '{address}'"
        await page.session.send("Runtime.evaluate", {"expression": made})
        with trio.fail_after(30):
            while len(page.sessions) < 2 or await ready(page) != "complete":
                await page.sessions[0].send("Page.getFrameTree")
        await click(page, "one", 1)
    assert await logged(page, 1) == "one: a.txt; "


async def ready(page: Page) -> Any:
    script = "document.title && document.readyState"
    return (await page.sessions[1].send("Runtime.evaluate", {"expression": script}))["result"].get("value")


async def test_cancelling(page: Page, pages: PageServer, files: Path) -> None:
    await page.goto(pages.url())
    async with page.expect_file_chooser([], timeout=10) as chooser:
        await click(page, "one")
    assert chooser.answered
    assert await logged(page) == "one cancelled; "
    async with page.expect_file_chooser(files / "a.txt", timeout=10):
        await click(page, "one")
    assert await logged(page) == "one cancelled; one: a.txt; "


async def test_a_chooser_that_cannot_be_answered(page: Page, pages: PageServer, files: Path) -> None:
    await page.goto(pages.url())
    with pytest.raises(NotInteractable, match="showOpenFilePicker") as caught:
        async with page.expect_file_chooser(files / "a.txt", timeout=10):
            await click(page, "picker")
    assert caught.value.reason == "wrong kind"
    two = [files / "a.txt", files / "b.txt"]
    with pytest.raises(NotInteractable, match="one file"):
        async with page.expect_file_chooser(two, timeout=10):
            await click(page, "one")
    with pytest.raises(NotInteractable, match="folder"):
        async with page.expect_file_chooser(files, timeout=10):
            await click(page, "one")
    async with page.expect_file_chooser(timeout=10) as chooser:
        await click(page, "one")
    await page.session.send("Runtime.evaluate", {"expression": "one.remove()"})
    with pytest.raises(ActionError):
        await chooser.set_files(files / "a.txt", timeout=10)
    assert not chooser.answered


@pytest.mark.parametrize(
    ("script", "reason"), [("one.remove()", "detached"), ("location.reload()", "navigated")]
)
async def test_the_input_has_gone_when_it_is_answered(
    page: Page, pages: PageServer, files: Path, script: str, reason: str
) -> None:
    await page.goto(pages.url())
    async with page.expect_file_chooser(timeout=10) as chooser:
        await click(page, "one")
    loader = page._context.attachment.main.loader
    await page.session.send("Runtime.evaluate", {"expression": script})
    if reason == "navigated":
        await until(lambda: page._context.attachment.main.loader != loader)
    with pytest.raises(StaleElement, match="its input is gone") as caught:
        await chooser.set_files(files / "a.txt", timeout=10)
    assert caught.value.reason == reason
    assert not chooser.answered


@pytest.mark.parametrize("host", ["a.localhost", "b.localhost", "127.0.0.1"])
async def test_the_frame_has_gone_on_when_it_is_answered(
    page: Page, pages: PageServer, files: Path, host: str
) -> None:
    """Backend node ids count in a process, so the next document's input may have that of the last one's."""
    await page.goto(pages.url("/around"))
    await page.snapshot(timeout=20)
    async with page.expect_file_chooser(timeout=10) as chooser:
        await click(page, "it", 1)
    address = pages.url("/other", host)
    await evaluate(page.session, f"document.querySelector('iframe').src = '{address}'")

    async def shown() -> Session | None:
        for session in page.sessions:
            with contextlib.suppress(TargetDetached):  # it went to the main frame's process
                tree = (await session.send("Page.getFrameTree"))["frameTree"]
                if address in [one["frame"]["url"] for one in [tree, *tree.get("childFrames", ())]]:
                    return session
        return None

    with trio.fail_after(30):
        while (session := await shown()) is None:
            pass
    # Every node of it has its id.
    await page.snapshot(timeout=20)
    with pytest.raises(StaleElement, match="its input is gone") as caught:
        await chooser.set_files(files / "a.txt", timeout=10)
    assert caught.value.reason == "navigated"
    assert not chooser.answered
    inside = "document" if session.target_id != page.target_id else "frames[0].document"
    assert await evaluate(session, f"{inside}.getElementById('it').files.length") == 0


@pytest.mark.parametrize("session", [0, 1])
async def test_the_frame_is_taken_out_as_it_opens(
    page: Page, pages: PageServer, files: Path, session: int
) -> None:
    """Before anybody could ask for its document."""
    await page.goto(pages.url("/frames"))
    async with page.expect_file_chooser(timeout=10) as chooser:
        if session:
            await click(page, "one", 1)
            await evaluate(page.session, "document.querySelectorAll('iframe')[1].remove()")
        else:
            script = "frames[0].one.click(); document.querySelector('iframe').remove()"
            await page.session.send("Runtime.evaluate", {"expression": script, "userGesture": True})
    with pytest.raises(StaleElement, match="its input is gone: the frame that it was in is gone") as caught:
        await chooser.set_files(files / "a.txt", timeout=10)
    assert caught.value.reason == "frame gone"


async def test_a_page_that_does_not_say_in_which_document_it_opened(
    page: Page, pages: PageServer, files: Path
) -> None:
    await page.goto(pages.url())
    async with page.expect_file_chooser(timeout=10) as chooser:
        script = "one.click(); alert('Wait')"
        page.session.post("Runtime.evaluate", {"expression": script, "userGesture": True}, lambda _: None)
    await until(lambda: page.dialogs)
    with trio.fail_after(5), pytest.raises(CommandUnanswered) as caught:
        await chooser.set_files(files / "a.txt", timeout=30)
    assert caught.value.cause == "dialog"
    await page.answer_dialog()
    await chooser.set_files(files / "a.txt", timeout=10)
    assert await logged(page) == "one: a.txt; "


async def test_what_is_wrong_before_anything_is_clicked(page: Page, pages: PageServer, files: Path) -> None:
    await page.goto(pages.url())
    with pytest.raises(ValueError, match="there is no file"):
        async with page.expect_file_chooser(files / "nothing.txt"):
            await click(page, "one")
    with pytest.raises(TypeError, match="path"):
        async with page.expect_file_chooser(3):  # type: ignore[arg-type]  # the point
            await click(page, "one")
    with pytest.raises(ValueError, match="one at a time"):
        async with page.expect_file_chooser(), page.expect_file_chooser():
            await click(page, "one")
    async with page.expect_file_chooser(timeout=10) as chooser:
        with pytest.raises(ValueError, match="no file chooser has opened yet"):
            await chooser.set_files(files / "a.txt")
        await click(page, "one")
    assert await logged(page) == ""


async def test_none_opens(page: Page, pages: PageServer) -> None:
    await page.goto(pages.url())
    with pytest.raises(WaitTimeout, match="no file chooser opened in time") as caught:
        async with page.expect_file_chooser(timeout=0.3):
            # Not for a script by itself.
            await page.session.send("Runtime.evaluate", {"expression": "one.click()"})
    assert caught.value.missing == ("file chooser",)
    with trio.fail_after(20), pytest.raises(TargetDetached):
        async with page.expect_file_chooser(timeout=30):
            await page.close()


async def test_afterwards_choosers_are_left_alone(page: Page, pages: PageServer, files: Path) -> None:
    await page.goto(pages.url("/frames"))
    with trio.move_on_after(0.5):
        async with page.expect_file_chooser(files / "a.txt", timeout=10):
            await trio.sleep_forever()
    for session, document in ((0, "frames[0].document"), (1, "document")):
        with page.sessions[session].events("Page.fileChooserOpened") as events:
            await click(page, "one", session, document)
            with trio.fail_after(30):
                # Nobody sees it here, so it is cancelled at once.
                while await logged(page, session, document) != "one cancelled; ":
                    pass
            assert list(events._events) == []
