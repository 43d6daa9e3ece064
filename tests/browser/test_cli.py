"""The command line as people type it: exit codes, one line of error, nothing left behind."""

from __future__ import annotations

import functools
import json
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import trio

import hybridsnap
from hybridsnap.cli import main
from hybridsnap.cli.checks import url_of
from hybridsnap.service.usage import UsageError
from tests.support.command_line import COMMAND, run, run_here, run_together
from tests.support.pages import ENDLESS, serve_pages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hybridsnap import Browser

#: Beyond the deadline, seconds: the interpreter's start, and the browser's end, on a loaded machine.
GRACE = 15.0


WRONG = {
    "no command": ([], "what is to be done"),
    "unknown command": (["snapshoot"], "invalid choice"),
    "nothing to capture": (["snapshot"], "give a URL or a file"),
    "empty target": (["snapshot", ""], "TARGET is empty"),
    "no such file": (["snapshot", "nofile.html"], "neither a file nor a URL"),
    "no such format": (["snapshot", "x", "--format", "yaml"], "invalid choice: 'yaml'"),
    "an option that means nothing": (
        ["snapshot", "about:blank", "--format", "html", "--interactive"],
        "--interactive means nothing to the format 'html'",
    ),
    "a budget of nothing": (["snapshot", "about:blank", "--max-tokens", "0"], "a whole number from 1 to"),
    "a depth below nothing": (["snapshot", "about:blank", "--max-depth", "-1"], "a whole number from 0 to"),
    "visible without layout": (["snapshot", "about:blank", "--visible-only"], "needs --layout"),
    "labels without a screenshot": (["snapshot", "about:blank", "--labels"], "give --screenshot FILE"),
    "a screenshot nowhere": (["snapshot", "about:blank", "--screenshot", "no/where.png"], "no directory"),
    "view of nothing": (["view", "nofile.json"], "cannot be read"),
    "view of a device": (["view", "/dev/null"], "is a device"),
    "a state of a device": (["snapshot", "about:blank", "--storage-state", "/dev/full"], "is a device"),
    "view of something else": (["view", __file__], "not a hybridsnap snapshot"),
    "no scheme": (["snapshot", "example.com"], "starts with its scheme"),
    "a directory": (["snapshot", "/"], "is not a file"),
    "no host": (["snapshot", "http://"], "names no host"),
    "a path with NUL": (["snapshot", "a\0b"], "neither"),
    "timeout 0": (["snapshot", "about:blank", "--timeout", "0"], "positive, finite"),
    "a timeout of 5000 digits": (
        ["snapshot", "about:blank", "--timeout", "9" * 5000],
        "finite number of seconds",
    ),
    "tokens of 5000 digits": (
        ["snapshot", "about:blank", "--max-tokens", "9" * 5000],
        "from 1 to 999999999999999, got '999",
    ),
    "a depth of 5000 digits": (
        ["snapshot", "about:blank", "--max-depth", "9" * 5000],
        "from 0 to 999999999999999, got '999",
    ),
    "a count of 5000 digits": (["serve", "--captures", "9" * 5000], "from 1 to 999999999999999, got '999"),
    "a port of 5000 digits": (["serve", "--port", "9" * 5000], "from 0 to 65535, got '999"),
    "half a surrogate pair": (["snapshot", "about:blank", "--focus", "\udced"], "not valid UTF-8"),
    "timeout negative": (["snapshot", "about:blank", "--timeout=-3"], "positive, finite"),
    "timeout nan": (["snapshot", "about:blank", "--timeout", "nan"], "positive, finite"),
    "timeout inf": (["snapshot", "about:blank", "--timeout", "inf"], "positive, finite"),
    "a timeout of two dashes": (["snapshot", "about:blank", "--timeout=--"], "positive, finite"),
    "a format of two dashes": (["snapshot", "about:blank", "--format=--"], "invalid choice: '--'"),
    "a scheme of two dashes": (["mcp", "--allow-scheme=--"], "--allow-scheme"),
    "timeout words": (["snapshot", "about:blank", "--timeout", "soon"], "positive, finite"),
    "unknown format": (["snapshot", "about:blank", "--format", "yaml"], "invalid choice"),
    "unknown option": (["snapshot", "about:blank", "--frobnicate"], "unrecognized"),
    "target id alone": (["snapshot", "about:blank", "--target-id", "X"], "give --cdp too"),
    "a viewport of words": (["snapshot", "about:blank", "--viewport", "wide"], "expected WIDTHxHEIGHT"),
    "a viewport without height": (["act", "about:blank", "--viewport", "1280"], "such as 1280x720"),
    "a viewport of nothing": (["mcp", "--viewport", "0x720"], "such as 1280x720"),
    "a viewport of three": (["serve", "--viewport", "1x2x3"], "such as 1280x720"),
    "launch options with --cdp": (["snapshot", "--cdp", "http://127.0.0.1:1", "--headful"], "--headful"),
    "target and id": (
        ["snapshot", "about:blank", "--cdp", "http://127.0.0.1:1", "--target-id", "X"],
        "TARGET",
    ),
    "an endpoint without scheme": (["snapshot", "--cdp", "127.0.0.1:9222"], "http://127.0.0.1:9222"),
    "an endpoint of something else": (["snapshot", "--cdp", "ftp://127.0.0.1"], "only ws, wss, http, https"),
    "a language of a tree": (["snapshot", "about:blank", "--lang", "en"], "--format controls"),
    "a limit of a tree": (["snapshot", "about:blank", "--limit", "3"], "--limit is for --format aria"),
    "flat outlines of all": (["snapshot", "about:blank", "--flat"], "give that, too"),
    "info of what is not a rendering": (
        ["snapshot", "about:blank", "--format", "json", "--info", "i.json"],
        "--info is of a rendering",
    ),
    "xpaths in a tree": (["snapshot", "about:blank", "--all-xpaths"], "--format json"),
    "output is a directory": (["snapshot", "about:blank", "-o", "/"], "is a directory"),
    "output nowhere": (["snapshot", "about:blank", "-o", "/no/such/file"], "there is no directory"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_usage(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, words = WRONG[case]
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert not out
    assert words in err
    assert len(err.splitlines()) == 1


#: What is named is gone to in a browser that runs, or a browser is started.
FAILING = {
    "refused": (["snapshot", "http://127.0.0.1:9/"], "127.0.0.1:9"),
    "no such host": (["snapshot", "http://nohost.invalid/"], "does not resolve"),
    "no such file": (["snapshot", "file:///no/such/file.html"], "is not a file"),
    "unknown scheme": (["snapshot", "chrome://nonsense/"], "chrome://nonsense/"),
    "no browser": (["snapshot", "about:blank", "--browser", "/no/such/browser"], "does not exist"),
    "not a browser": (["snapshot", "about:blank", "--browser", "/bin/true"], "/bin/true"),
    "endpoint refused": (["snapshot", "--cdp", "http://127.0.0.1:9"], "nothing listens there"),
}


@pytest.mark.parametrize("case", FAILING)
async def test_failures_are_one_line(case: str, browser_endpoint: str) -> None:
    arguments, words = FAILING[case]
    own = {"--browser", "--cdp"} & set(arguments)
    done = await run_here(*arguments, *() if own else ("--cdp", browser_endpoint), "--timeout", "10")
    assert (done.code, done.stdout) == (1, "")
    assert words in done.line


async def test_tree_and_json_of_a_file(tmp_path: Path) -> None:
    page = tmp_path / "a page.html"
    page.write_text("<title>T</title><a href='there'>caf\u00e9 \U0001f600</a>", encoding="utf-8")
    tree = await run("snapshot", page.name, cwd=tmp_path)
    assert (tree.code, tree.stderr) == (0, "")
    assert "link: caf\u00e9 \U0001f600" in tree.stdout
    out = tmp_path / "page.json"
    saved = await run_here(
        "snapshot", str(page), "--format", "json", "--all-xpaths", "-o", str(out), "--transport", "pipe"
    )
    assert (saved.code, saved.stdout, saved.stderr) == (0, "", "")
    snapshot = hybridsnap.Snapshot.from_json(out.read_bytes())
    assert snapshot.report.transport == "pipe"
    assert set(json.loads(out.read_bytes())["combinedXpathMap"].values()) >= {
        "/",
        "/html[1]/head[1]/title[1]",
    }


OTHER_PAGES = {
    "about:blank": "RootWebArea",
    "/empty.html": "RootWebArea",
    "/feed.xml": "some text",
    "/image.svg": "drawn words",
    "/page.xhtml": "button: X",
    "/notes.txt": "StaticText: plain words",
    "/missing.html": "404",
    "/picture.png": "image",
}


@pytest.mark.parametrize("path", OTHER_PAGES)
async def test_pages_that_are_not_html(path: str, browser_endpoint: str) -> None:
    png = bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
        "1f15c4890000000d49444154789c63f8ffff3f0005fe02fea7e6a0a40000000049454e44ae426082"
    )
    pages: dict[str, str | bytes] = {
        "/empty.html": "",
        "/feed.xml": "<?xml version='1.0'?><feed><entry>some text</entry></feed>",
        "/image.svg": "<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>drawn words</text></svg>",
        "/page.xhtml": "<html xmlns='http://www.w3.org/1999/xhtml'><body><button>X</button></body></html>",
        "/notes.txt": "plain words",
        "/picture.png": png,
    }
    async with serve_pages(pages) as server:
        url = path if path == "about:blank" else server.url(path)
        done = await run_here("snapshot", url, "--cdp", browser_endpoint)
    missing = path == "/missing.html"
    assert (done.code, done.line.endswith("was answered with HTTP 404") if missing else done.stderr) == (
        0,
        missing or "",
    )
    assert OTHER_PAGES[path] in done.stdout


async def test_a_network_that_never_goes_idle_is_said(browser: hybridsnap.Browser) -> None:
    busy = "<title>Busy</title><p>here<script>fetch('/hang')</script>"
    words = "the network was not idle within "
    async with serve_pages({"/": busy, "/still": "<p>quiet"}) as server:
        url, port = server.url("/"), server.port
        page = await browser.new_page()
        goto = json.dumps({"action": "goto", "url": url, "wait": "networkidle"})
        idle = ("--wait", "networkidle")
        snapped, went, evaluated, still = await run_together(
            ("snapshot", url, "--cdp", browser.endpoint, *idle, "--timeout", "5"),
            ("act", browser.endpoint, goto, "--target-id", page.target_id, "--timeout", "5"),
            ("evaluate", url, "document.title", *idle, "--timeout", "10"),
            ("snapshot", server.url("/still"), "--cdp", browser.endpoint, *idle, "--timeout", "20"),
        )
    assert (snapped.code, "here" in snapped.stdout, words in snapped.line) == (0, True, True), "it is whole"
    assert snapped.line.endswith(f"still loading: 1 request (127.0.0.1:{port})")
    assert (went.code, words in went.stdout) == (0, True)
    assert (evaluated.stdout, words in evaluated.line) == ('"Busy"\n', True)
    assert (still.code, still.stderr) == (0, "")


HANGING = {
    "endless loop at once": ("/loop.html", 1, "busy"),
    "alert at once": ("/alert.html", 1, "dialog"),
    "cross-site frame in an endless loop": ("/frame-loop.html", 3, "busy"),
    "cross-site frame that never answers": ("/frame-hang.html", 3, "loading"),
    # There is nothing yet that could be captured: Chromium answers no command before the first document.
    "a page that never answers": ("/hang", 1, "loading"),
}
HANGING_PAGES = {
    "/loop.html": f"<button>b</button><script>{ENDLESS}</script>",
    "/alert.html": "<button>b</button><script>alert('wait for me')</script>",
    # Each of a site of its own: pages and frames of one site may share a process.
    "/frame-loop.html": "<button>main</button><iframe src='http://l{PORT}.localhost:{PORT}/loop.html'></iframe>",
    "/frame-hang.html": "<button>main</button><iframe src='http://h{PORT}.localhost:{PORT}/hang'></iframe>",
}


async def test_back_by_the_deadline(browser_endpoint: str, subtests: pytest.Subtests) -> None:
    async with serve_pages(HANGING_PAGES) as server:
        commands = [
            ("snapshot", server.url(path, f"m{number}.localhost"), "--timeout", "6", "--wait", "load")
            # A browser that was started for the loop ends with the command.
            + (() if path == "/loop.html" else ("--cdp", browser_endpoint))
            for number, (path, _, _) in enumerate(HANGING.values())
        ]
        all_done = await run_together(*commands)
    for done, (case, (_, code, cause)) in zip(all_done, HANGING.items(), strict=True):
        with subtests.test(case):
            assert done.seconds < 6 + GRACE
            assert done.code == code
            assert cause in done.stderr
            if code == 1:
                assert not done.stdout
            else:
                assert "button: main" in done.stdout


async def test_a_load_that_never_ends_is_not_waited_for(browser_endpoint: str) -> None:
    pages = {"/": "<button>main</button><img src=http://localhost:{PORT}/hang>"}
    async with serve_pages(pages) as server:
        done = await run_here("snapshot", server.url("/"), "--cdp", browser_endpoint, "--timeout", "100")
    assert (done.code, done.seconds < 50) == (3, True)  # its image is not there
    assert "button: main" in done.stdout
    assert "still loading: 1 request (localhost:" in done.stderr
    assert "--wait load waits for all of it" in done.stderr


async def test_a_crashed_page_of_a_running_browser(browser: Browser, browser_endpoint: str) -> None:
    page = await browser.new_page("data:text/html,<button>b</button>")
    page.session.post("Page.crash", {}, lambda _: None)
    await page.sessions[0].wait_ended()
    done = await run_here(
        "snapshot", "--cdp", browser_endpoint, "--target-id", page.target_id, "--timeout", "3"
    )
    assert (done.code, done.stdout) == (1, "")
    assert "crashed" in done.stderr
    assert done.seconds < 3 + GRACE


async def test_a_running_browser() -> None:
    async with hybridsnap.launch(transport="websocket") as browser:
        assert browser.process is not None
        endpoint = browser.process.endpoint
        assert endpoint is not None
        http = "http://" + endpoint.split("/")[2]
        (first,) = await browser.page_ids()
        opened = await run_here("snapshot", "data:text/html,<button>mine</button>", "--cdp", http)
        assert (opened.code, opened.stderr) == (0, "")
        assert "button: mine" in opened.stdout
        assert await browser.page_ids() == [first]
        page = await browser.new_page("data:text/html,<button>yours</button>")
        only = await run_here("snapshot", "--cdp", http)
        assert "button: yours" in only.stdout, "the blank tab of the launch does not count"
        other = await browser.new_page("data:text/html,other")
        several = await run_here("snapshot", "--cdp", http)
        assert several.code == 2
        listed = several.line.partition("--target-id: ")[2]
        assert [listed.find(one.target_id) for one in (page, other)] == [4, listed.index("[1] ") + 4]
        assert first not in listed, "nor is it listed"
        named = await run_here("snapshot", "--cdp", http, "--target-id", page.target_id)
        assert "button: yours" in named.stdout
        own = await run_here(
            "snapshot", "--cdp", f"ws://{endpoint.split('/')[2]}/devtools/page/{page.target_id}"
        )
        assert own.stdout == named.stdout
        unknown = await run_here("snapshot", "--cdp", http, "--target-id", "NOSUCH")
        assert (unknown.code, unknown.stdout) == (1, "")
        assert "NOSUCH" in unknown.line


def _leftovers(root: Path) -> Sequence[str]:
    return sorted(path.name for path in root.iterdir())


async def test_stdout_closed_early(tmp_path: Path) -> None:
    page = tmp_path / "long.html"
    page.write_text("<p>words</p>" * 3_000, encoding="utf-8")
    command = f"'{sys.executable}' -m hybridsnap snapshot {page} 2>{tmp_path}/err | head -n 1"
    done = await trio.run_process(["sh", "-c", command], capture_stdout=True)
    assert done.stdout.startswith(b"[0-")
    assert (tmp_path / "err").read_text(encoding="utf-8") == ""


@pytest.mark.parametrize(
    ("words_before", "number"),
    [
        ([], signal.SIGINT),
        ([], signal.SIGTERM),
        # As scripts start what they have in the background.
        (["env", "--ignore-signal=INT"], signal.SIGTERM),
    ],
)
async def test_interrupted(tmp_path: Path, words_before: Sequence[str], number: signal.Signals) -> None:
    async with serve_pages({}) as server, trio.open_nursery() as nursery:
        start = functools.partial(
            trio.run_process,
            [*words_before, *COMMAND, "snapshot", server.url("/hang"), "--timeout", "60"],
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin"},
        )
        process = await nursery.start(start)
        while "/hang" not in server.requests:  # noqa: ASYNC110 - another process brings it about
            await trio.sleep(0.05)
        process.send_signal(number)
        words = b"".join([chunk async for chunk in process.stderr])
        assert await process.wait() == 130
    assert words == b"hybridsnap: interrupted\n"
    with trio.fail_after(30):
        while _leftovers(tmp_path):  # noqa: ASYNC110 - another process brings it about
            await trio.sleep(0.05)


SHOP = """<!doctype html><title>Shop</title><nav><a href="#a">Elsewhere</a></nav>
<form id="order"><label>Name <input></label><div id="more">More</div><button>Buy</button></form>
<script>document.getElementById("more").onclick = () => 1</script>"""


async def test_formats_scope_and_layout(tmp_path: Path, browser_endpoint: str) -> None:
    (tmp_path / "shop.html").write_text(SHOP, encoding="utf-8")
    shop = ("snapshot", "shop.html", "--cdp", browser_endpoint)
    done = await run_here(*shop, "--format", "role", "--interactive", cwd=tmp_path)
    assert done.code == 0
    assert done.stdout.splitlines()[-1].strip() == '- button "Buy" [ref=e3]'
    done = await run_here(*shop, "--focus", "#order", "--ignore", "label", cwd=tmp_path)
    assert (done.code, "button: Buy" in done.stdout, "Elsewhere" in done.stdout) == (0, True, False)
    assert "textbox" not in done.stdout
    done = await run_here(*shop, "--focus", "#nothing", cwd=tmp_path)
    assert (done.code, done.stdout) == (1, "")
    assert "#nothing" in done.line
    done = await run_here(*shop, "--focus", "(((", cwd=tmp_path)
    assert (done.code, done.stdout) == (2, "")
    assert "not a usable XPath" in done.line
    done = await run_here(*shop, "--max-depth", "0", cwd=tmp_path)
    assert (done.code, len(done.stdout.splitlines())) == (0, 1)
    done = await run_here(*shop, "--format", "controls", cwd=tmp_path)
    assert (done.code, "=== Interactive controls ===" in done.stdout) == (0, True)
    done = await run_here(*shop, "--layout", cwd=tmp_path)
    assert "div: More [clickable]" in done.stdout


async def test_rendering_options_as_over_http(tmp_path: Path, browser_endpoint: str) -> None:
    (tmp_path / "shop.html").write_text(SHOP, encoding="utf-8")
    shop = ("snapshot", "shop.html", "--cdp", browser_endpoint)

    async def shown(*options: str) -> str:
        done = await run_here(*shop, *options, cwd=tmp_path)
        assert (done.code, done.stderr) == (0, "")
        return done.stdout

    role = ("--format", "role", "--interactive")
    flat = await shown(*role, "--flat", "--scope", "#order", "--info", "info.json")
    assert "Elsewhere" not in flat
    assert all(line.startswith("- ") for line in flat.splitlines() if line)
    info = json.loads((tmp_path / "info.json").read_text())
    assert info["stats"]["tokens"] > 0
    assert 'button "Buy"' in flat
    assert any(ref["name"] == "Buy" for ref in info["refs"].values())
    whole = (await shown("--format", "aria")).splitlines()
    limited = (await shown("--format", "aria", "--limit", "2")).splitlines()
    assert len(whole) > len(limited)
    # Ids are of another load of the page.
    assert [line.rpartition(" (")[0] for line in limited[:2]] == [
        line.rpartition(" (")[0] for line in whole[:2]
    ]
    controls = await shown("--format", "controls", "--action", "looked", "--time", "12:34", "--lang", "en")
    assert "looked" in controls
    assert "12:34" in controls
    rich = await shown("--format", "ai", "--detail", "rich", "--viewport", "800x600")
    assert rich.splitlines()[0].count("viewport 800x600 at 0,0") == 1
    assert re.search(r"button: Buy .*\{box=\d+,\d+,\d+x\d+ .*color=#000", rich)
    done = await run_here(*shop, "--scope", "#nothing", cwd=tmp_path)
    assert (done.code, done.stdout) == (2, "")
    assert "#nothing" in done.line


async def test_view(tmp_path: Path, browser_endpoint: str) -> None:
    (tmp_path / "shop.html").write_text(SHOP, encoding="utf-8")
    shop = ("snapshot", "shop.html", "--cdp", browser_endpoint)
    pictures = ["--layout", "--screenshot", "shop.png", "--labels"]
    done = await run_here(*shop, "--format", "json", *pictures, "-o", "shop.json", cwd=tmp_path)
    assert (done.code, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "shop.png").read_bytes().startswith(b"\x89PNG")
    assert {"layout", "screenshot"} <= json.loads((tmp_path / "shop.json").read_bytes()).keys()
    done = await run_here("view", "shop.json", "-o", "shop-view.html", cwd=tmp_path)
    assert (done.code, done.stdout, done.stderr) == (0, "", "")
    assert "data:image/png;base64," in (tmp_path / "shop-view.html").read_text(encoding="utf-8")


async def test_nothing_is_written_over_what_is_read_or_written_beside(tmp_path: Path) -> None:
    page = tmp_path / "shop.html"
    page.write_text(SHOP, encoding="utf-8")
    for arguments in (
        ("snapshot", "shop.html", "-o", "shop.html"),
        ("snapshot", page.as_uri(), "--screenshot", "./shop.html"),
        ("snapshot", "shop.html", "--screenshot", "out", "-o", "../" + tmp_path.name + "/out"),
        ("view", "shop.html", "-o", str(page)),
    ):
        done = await run_here(*arguments, cwd=tmp_path)
        assert (done.code, done.stdout) == (2, "")
        assert "name another" in done.line
    assert page.read_text(encoding="utf-8") == SHOP
    assert not (tmp_path / "out").exists()


async def test_help_where_the_terminal_takes_no_unicode() -> None:
    for encoding, command in (("ascii", []), ("cp437", ["act"])):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        done = await trio.run_process(
            [*COMMAND, *command, "--help"], capture_stdout=True, capture_stderr=True, env=environment
        )
        assert "…" in done.stdout.decode()


async def test_doctor() -> None:
    done = await run_here("doctor")
    assert (done.code, done.stderr) == (0, "")
    assert all(line.startswith("ok") for line in done.stdout.splitlines())
    without = await run_here("doctor", "--browser", "/no/such/browser")
    assert without.code == 1
    assert "MISSING  browser" in without.stdout


def test_targets_as_urls(tmp_path: Path) -> None:
    page = tmp_path / "p#1 %41.html"
    page.write_text("x", encoding="utf-8")
    assert url_of(str(page)) == page.as_uri()
    for url in ("https://example.com", "about:blank", "data:text/html,x", "file:///x"):
        assert url_of(url) == url
    for target, words in {
        "tel:1": "is for another program",
        "slack://x": "is for another program",
        "localhost:8766/x": "write http://localhost:8766/x",
        "javascript:alert(1)": "is a script, not an address; run it with evaluate",
    }.items():
        with pytest.raises(UsageError, match=words):
            url_of(target)
