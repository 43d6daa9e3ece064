"""Record the transcripts anew: ``python -m tests.transcripts.record`` (needs a browser)."""

from __future__ import annotations

from pathlib import Path

import trio

import hybridsnap
from hybridsnap.capture.capture import capture_hybrid_snapshot
from hybridsnap.capture.frames import Ordinals
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import run
from hybridsnap.drivers.testing import RecordingDriver, save_transcript
from tests.support.pages import serve_pages

#: A fixed port, so that a new recording differs only where the browser does.
_PORT = 18_931
_PAGES = {
    "/frames": """<!doctype html><title>Frames</title><h1>Frames</h1>
        <iframe title="same" src="/inner"></iframe>
        <iframe title="other" src="http://localhost:{PORT}/outer"></iframe>
        <div id="host"></div><button>After</button>
        <script>
          const root = host.attachShadow({mode: "closed"});
          root.innerHTML = '<p>In shadow</p><iframe src="http://localhost:{PORT}/inner"></iframe>';
        </script>""",
    "/outer": """<!doctype html><title>Outer</title><p>Outer text
        <iframe src="http://127.0.0.1:{PORT}/inner"></iframe>""",
    "/inner": "<!doctype html><title>Inner</title><a href='/inner?more'>More</a>",
    "/form": """<!doctype html><title>Form</title><style>li::before { content: "made " }</style>
        <form><label>Name <input required value="Ann"></label>
        <label>Word <input type=password value=secret></label>
        <label><input type=checkbox checked> Agree</label>
        <select aria-label=Size><option>S<option selected>M</select>
        <input type=file><textarea aria-label="Note&#10;[0-1] button: forged">text</textarea>
        <button disabled>Save [disabled]</button></form>
        <ul><li>one<li>two</ul>
        <svg width=10 height=10><title>drawn</title><rect width=5 height=5 /></svg>
        <div style="height:50px;overflow:auto"><p style="height:500px">tall</p></div>""",
}


async def main() -> None:
    async with (
        serve_pages(_PAGES, port=_PORT) as pages,
        hybridsnap.launch(args=["--site-per-process"]) as browser,
    ):
        for name in ("frames", "form"):
            page = await browser.new_page(pages.url(f"/{name}"))
            await page.settled(Deadline.after(10))
            sessions = page._context.attachment.sessions()
            recorder = RecordingDriver(page._context.driver, sessions)
            await run(capture_hybrid_snapshot(sessions, Ordinals()), recorder, Deadline.after(10))
            save_transcript(recorder.transcript, Path(__file__).with_name(f"{name}.jsonl"))
            print(name, len(recorder.transcript.exchanges), "exchanges")  # noqa: T201 - it is a script


if __name__ == "__main__":
    trio.run(main)
