"""Record the transcripts of scoped plans: ``python -m tests.transcripts.record_scope`` (needs a browser)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

import hybridsnap
from hybridsnap.capture.capture import capture_hybrid_snapshot
from hybridsnap.capture.frames import Ordinals
from hybridsnap.capture.pointing import find_active_element, find_element_at
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import run
from hybridsnap.drivers.testing import RecordingDriver, save_transcript
from hybridsnap.model import CaptureOptions
from tests.support.pages import serve_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hybridsnap.capture.frames import SessionInfo
    from hybridsnap.protocol.plan import Plan

#: A fixed port, so that a new recording differs only where the browser does.
_PORT = 18_932
_PAGES = {
    "/form": """<!doctype html><title>Form</title><p>before
        <form><label>Name <input required value="Ann"></label><button>Send <b>now</b></button></form>
        <p>after""",
    "/frames": """<!doctype html><title>Frames</title><x-box><template shadowrootmode=closed>
        <iframe src="http://localhost:{PORT}/outer"></iframe></template></x-box>
        <iframe src="/form"></iframe>""",
    "/outer": """<!doctype html><title>Outer</title><p class=said>Outer text</p>
        <section><iframe src="/inner"></iframe></section>""",
    "/inner": "<!doctype html><title>Inner</title><a id=more autofocus href='/inner?more'>More</a>",
}


def focus(selector: str, **options: Any) -> Callable[[Sequence[SessionInfo]], Plan[Any]]:
    """A capture of what a selector matches."""
    return lambda sessions: capture_hybrid_snapshot(
        sessions, Ordinals(), CaptureOptions(focus=selector, **options)
    )


#: Name → page and plan.
SCOPED: dict[str, tuple[str, Callable[[Sequence[SessionInfo]], Plan[Any]]]] = {
    "css": ("/form", focus("form")),
    "path": ("/form", focus("/html[1]/body[1]/form[1]", ignore=("b",))),
    "closed": ("/frames", focus("x-box >> iframe >> section")),
    "query": ("/frames", focus("//iframe >> //form")),
    "without": (
        "/frames",
        lambda sessions: capture_hybrid_snapshot(
            sessions, Ordinals(), CaptureOptions(ignore=("x-box", "iframe >> b"))
        ),
    ),
    "point": ("/frames", lambda sessions: find_element_at(sessions, Ordinals(), 30, 30)),
    "active": ("/frames", lambda sessions: find_active_element(sessions, Ordinals())),
}


def path_of(name: str) -> Path:
    """Where a transcript is kept."""
    return Path(__file__).parent / "scope" / f"{name}.jsonl"


async def main() -> None:
    async with (
        serve_pages(_PAGES, port=_PORT) as pages,
        hybridsnap.launch(args=["--site-per-process"]) as browser,
    ):
        for name, (path, plan) in SCOPED.items():
            page = await browser.new_page(pages.url(path))
            await page.settled(Deadline.after(10))
            await page.snapshot(timeout=10)
            if name == "active":
                inner = next(one for one in page.sessions if one is not page.sessions[0])
                frame = "document.querySelector('iframe').contentDocument"
                await inner.send("Runtime.evaluate", {"expression": f"{frame}.querySelector('a').focus()"})
            sessions = page._context.attachment.sessions()
            recorder = RecordingDriver(page._context.driver, sessions)
            await run(plan(sessions), recorder, Deadline.after(10))
            save_transcript(recorder.transcript, path_of(name))
            print(name, len(recorder.transcript.exchanges), "exchanges")  # noqa: T201 - it is a script


if __name__ == "__main__":
    trio.run(main)
