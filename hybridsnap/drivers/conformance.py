"""The check that every driver passes, against a real Chromium: `check_driver`.

::

    await check_driver(Subject(page.goto, lambda **options: snapshot(page, **options), page.evaluate))

It serves a few pages of its own on this machine's two names, so that frames are of different sites, and holds
what the driver's ``snapshot`` gives against what stands in them: everything at first, then each option, each
error, a page that hangs, one that nests too deep for a reply, and that nothing is left behind. What does not
hold is an `AssertionError` that says what it was about.
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
from typing import TYPE_CHECKING, Any

from hybridsnap.drivers.operations import ready, run_blocking
from hybridsnap.errors import DeadlineExceeded, SelectorError, UnknownElement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hybridsnap.snapshot import Snapshot

#: A parser stops at 512 levels, script does not; the browser's replies nest no deeper than some hundreds.
_DEPTH = 700
#: How long a page hangs, and within how many seconds it has to have begun to.
_HANG_MS, _BEGIN_SECONDS = 2500, 10.0
_PAGES = {
    "/": """<!DOCTYPE html><title>Conformance</title><h1>Title</h1><p id="text">One <b>two</b></p>
<button id="buy" onclick="this.textContent = 'Bought'">Buy</button><label>Name <input value="given"></label>
<iframe id="near" src="/near"></iframe><iframe id="far" src="http://localhost:{PORT}/far"></iframe>
<div id="open"><template shadowrootmode="open"><button>In the open</button>
<iframe src="http://localhost:{PORT}/far"></iframe></template></div>
<div id="closed"><template shadowrootmode="closed"><button>Closed in</button></template></div>
<div style="height: 3000px"></div><a href="/near">The end</a>""",
    "/near": "<!DOCTYPE html><title>Near</title><a href='/far'>Near link</a>",
    "/far": """<!DOCTYPE html><title>Far</title><button>Far button</button>
<iframe src="http://127.0.0.1:{PORT}/near"></iframe>""",
    "/deep": f"""<!DOCTYPE html><title>Deep</title><body><script>
let here = document.body;
for (let level = 0; level < {_DEPTH}; level++) here = here.appendChild(document.createElement("div"));
here.innerHTML = "<button>Deepest</button>";
</script>""",
    "/other": "<!DOCTYPE html><title>Other</title><button>Elsewhere</button>",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Subject:
    """What is checked: a tab of a driver, in Chromium with ``--site-per-process``. All of it sync, or async.

    Attributes:
        goto: goes to an address and waits for its load event.
        snapshot: the driver's, with its options by name.
        evaluate: the value of a JavaScript expression in the main frame.
        reaches_all: False when it cannot reach frames in other processes; then the report must say so.
    """

    goto: Callable[[str], Any]
    snapshot: Callable[..., Any]
    evaluate: Callable[[str], Any]
    reaches_all: bool = True


async def check_driver(subject: Subject) -> None:
    """Check an async driver.

    Raises:
        AssertionError: what does not hold.
    """
    with _serve() as (origin, hangs):
        await _checks(subject, origin, hangs)


def check_driver_sync(subject: Subject) -> None:
    """Check a sync driver. As `check_driver`."""
    with _serve() as (origin, hangs):
        run_blocking(_checks(subject, origin, hangs))


async def _checks(subject: Subject, origin: str, hangs: threading.Event) -> None:
    await ready(subject.goto(f"{origin}/"))
    before = await ready(subject.evaluate("document.documentElement.outerHTML"))
    first: Snapshot = await ready(subject.snapshot())
    _check_whole(first, reaches_all=subject.reaches_all)
    again: Snapshot = await ready(subject.snapshot())
    assert again.combined_tree == first.combined_tree, "a second snapshot has another outline"
    await _check_options(subject, first)
    await _check_errors(subject)
    after = await ready(subject.evaluate("document.documentElement.outerHTML"))
    assert after == before, "something was written into the page"
    await _check_hang(subject, first, hangs)
    await ready(subject.goto(f"{origin}/deep"))
    deep: Snapshot = await ready(subject.snapshot())
    assert deep.report.complete, f"a deep page: {deep.report.notes}"
    (deepest,) = deep.find(role="button", name="Deepest")
    path = deep.combined_xpath_map[deepest.id]
    assert path.count("/div[1]") == _DEPTH, f"a deep page: path {path[:60]}…"
    await ready(subject.goto(f"{origin}/other"))
    other: Snapshot = await ready(subject.snapshot())
    assert other.report.title == "Other", "after a navigation the old page is shown"
    assert [frame.ordinal for frame in other.report.frames] == [0], "frames of the page before are shown"


def _check_whole(snapshot: Snapshot, *, reaches_all: bool) -> None:
    report = snapshot.report
    tree = snapshot.combined_tree
    expected = ["heading: Title [level=1]", "button: Buy", "link: Near link", "button: In the open"]
    expected += [
        "button: Closed in",
        "link: The end",
        'value="given"',
        *(["button: Far button"] * reaches_all),
    ]
    for words in expected:
        assert words in tree, f"the outline lacks {words!r}:\n{tree}"
    assert report.transport, "the report does not name the driver"
    assert report.title == "Conformance", f"title {report.title!r}"
    statuses = [(frame.status, frame.cause) for frame in report.frames]
    if reaches_all:
        assert report.complete, f"incomplete: {statuses}, {report.notes}"
        assert report.consistent, f"inconsistent: {report.notes}"
        assert [frame.ordinal for frame in report.frames] == [0, 1, 2, 3, 4, 5], f"frames {report.frames}"
    else:
        assert statuses.count(("captured", None)) == 2, f"statuses {statuses}"  # noqa: PLR2004 - main and near
        assert statuses.count(("missing", "unreachable")) == 2, f"statuses {statuses}"  # noqa: PLR2004 - far
        assert any("cannot be reached" in note for note in report.notes), f"notes {report.notes}"
    ids = [row.id for row in snapshot.rows if row.id is not None]
    assert len(ids) == len(set(ids)), "an id stands in two rows"
    (button,) = snapshot.find(role="button", name="Buy")
    path = snapshot.combined_xpath_map[button.id]
    assert path == "/html[1]/body[1]/button[1]", f"path of a button: {path}"
    (link,) = snapshot.find(role="link", name="The end")
    url = snapshot.combined_url_map[link.id]
    assert url.endswith("/near"), f"address of a link: {url}"


async def _check_options(subject: Subject, whole: Snapshot) -> None:
    main_only: Snapshot = await ready(subject.snapshot(include_iframes=False))
    assert {frame.status for frame in main_only.report.frames[1:]} <= {"excluded"}, "include_iframes=False"
    assert "Near link" not in main_only.combined_tree, "include_iframes=False: a frame is in the outline"
    flat: Snapshot = await ready(subject.snapshot(pierce_shadow=False))
    assert "In the open" not in flat.combined_tree, "pierce_shadow=False: a shadow root is in the outline"
    (button,) = whole.find(role="button", name="Buy")
    focused: Snapshot = await ready(subject.snapshot(focus="#buy"))
    assert [row.id for row in focused.rows if row.role == "button"] == [button.id], "focus='#buy'"
    by_id: Snapshot = await ready(subject.snapshot(focus=button.id))
    assert by_id.combined_tree == focused.combined_tree, "focus by an element id"
    without: Snapshot = await ready(subject.snapshot(ignore="#text"))
    assert "two" not in without.combined_tree, "ignore='#text'"
    assert "Buy" in without.combined_tree, "ignore='#text' left out too much"
    seen: Snapshot = await ready(subject.snapshot(layout=True, screenshot=True))
    assert (seen.screenshot or b"").startswith(b"\x89PNG"), "screenshot=True: no PNG"
    assert seen.layout is not None, "layout=True: no layout"
    assert seen.layout.boxes[button.id].bounds[2] > 0, "layout=True: a button without a width"


async def _check_errors(subject: Subject) -> None:
    for words, options, expected in (
        ("focus on nothing", {"focus": "#nothing"}, SelectorError),
        ("a malformed selector", {"focus": "p["}, SelectorError),
        ("an ordinal that is none", {"focus": "99-1"}, (SelectorError, UnknownElement)),
        ("no time", {"timeout": 0}, ValueError),
        ("a wrong option", {"focus_missing": "maybe"}, ValueError),
        ("an unknown option", {"colour": "red"}, TypeError),
    ):
        try:
            await ready(subject.snapshot(**options))
        except expected:
            continue
        raise AssertionError(f"{words}: no error")


async def _check_hang(subject: Subject, whole: Snapshot, hangs: threading.Event) -> None:
    """A page that is busy for a while: an error when the time is up, and all is well afterwards.

    Its script waits for one request after the other: the page answers as little as when a script computes,
    but other checks at the same time keep the processor.
    """
    ask = "const ask = new XMLHttpRequest(); ask.open('GET', '/moment', false); ask.send();"
    busy = f"const end = Date.now() + {_HANG_MS}; while (Date.now() < end) {{ {ask} }}"
    script = f"setTimeout(() => {{ {busy} }}, 50), 1"
    await ready(subject.evaluate(script))
    assert hangs.wait(_BEGIN_SECONDS), "a page that hangs: its script was not run"
    try:
        await ready(subject.snapshot(timeout=0.8))
    except DeadlineExceeded:
        pass
    else:
        raise AssertionError("a page that hangs: no error")
    later: Snapshot = await ready(subject.snapshot())
    assert later.combined_tree == whole.combined_tree, "after a page has hung its outline is another"


@contextlib.contextmanager
def _serve() -> Iterator[tuple[str, threading.Event]]:
    """The pages, on 127.0.0.1 (and localhost): the origin, and whether its page has begun to hang."""
    import http.server  # noqa: PLC0415 - it is heavy, and transcripts need none

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/moment":
                hangs.set()
                time.sleep(0.1)
            text = _PAGES.get(self.path, "").replace("{PORT}", str(server.server_address[1]))
            self.send_response(200 if text else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    hangs = threading.Event()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="conformance pages", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", hangs
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
