"""``hybridsnap act`` and ``hybridsnap evaluate`` as people type them."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import pty
import re
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
import trio

import hybridsnap
from hybridsnap.cli import main
from hybridsnap.snapshot import Snapshot
from hybridsnap.webarena.numbering import numbered_tabs
from tests.support.command_line import COMMAND, Done, run, run_here, run_together
from tests.support.headless_shell import IN_HEADLESS_SHELL
from tests.support.hosted_browser import borrow_browser, host_browser
from tests.support.http import Request, Response
from tests.support.pages import ENDLESS, serve_pages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from hybridsnap import Browser, Page

_PAGE = """<!doctype html><title>Form</title>
<form onsubmit="event.preventDefault(); o.textContent = 'Hello ' + n.value">
<label>Name <input id=n></label> <label><input type=checkbox id=c> Loud</label> <button>Greet</button></form>
<p role=status id=o></p>"""


@pytest.fixture(scope="module")
def own_endpoint() -> Iterator[str]:
    """A browser of this module's own, for tests that count tabs."""
    with host_browser() as endpoint:
        yield endpoint


@pytest.fixture
async def own_browser(own_endpoint: str) -> AsyncIterator[Browser]:
    async with borrow_browser(own_endpoint) as browser:
        yield browser


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "form.html"
    path.write_text(_PAGE)
    return path


class Tab:
    """A tab of a browser that runs, which commands of this process are given."""

    def __init__(self, page: Page, endpoint: str) -> None:
        self.page = page
        self._endpoint = endpoint

    async def run(self, command: str, *arguments: str) -> Done:
        endpoint = ("--cdp", self._endpoint) if command == "snapshot" else (self._endpoint,)
        return await run_here(command, *endpoint, "--target-id", self.page.target_id, *arguments)


@pytest.fixture
async def tab(page: Path, browser: Browser, browser_endpoint: str) -> Tab:
    """The page of the file."""
    return Tab(await browser.new_page(page.as_uri()), browser_endpoint)


WRONG = {
    "no actions": (["act", "page.html"], "ACTION"),
    "no endpoint": (["act", "click [0-3]"], "no ENDPOINT-OR-URL"),
    "no step": (["act", "page.html", "clik [0-3]"], "Unknown action"),
    "a step that ends early": (["act", "page.html", "click [0-3"], "position"),
    "an id without brackets": (
        ["act", "page.html", "click 0-3"],
        "the right form is: click [0-29]; ids stand",
    ),
    "no JSON": (["act", "page.html", "{"], "not JSON"),
    "no action": (["act", "page.html", '{"action": "clik"}'], "did you mean click"),
    "no such argument": (["act", "page.html", '{"action": "click", "id": "0-3"}'], "takes no 'id'"),
    "an argument is missing": (["act", "page.html", '{"action": "type", "element": "#n"}'], "needs 'text'"),
    "an id of another load": (
        ["act", __file__, "click [0-3]"],
        "ids cannot be used with a page that is opened anew",
    ),
    "a ref of no snapshot": (
        ["evaluate", __file__, "1", "--element", "e3"],
        "ids cannot be used with a page that is opened anew",
    ),
    "a ref of no snapshot, in an action": (
        ["act", "http://127.0.0.1:1/x", '{"action": "click", "element": "e3"}'],
        "ids cannot be used with a page that is opened anew",
    ),
    "to evaluate without its snapshot": (
        ["evaluate", "page.html", "1", "--snapshot", "nofile.json"],
        "cannot be read",
    ),
    "no snapshot": (["act", "page.html", "go_back", "--snapshot", "nofile.json"], "cannot be read"),
    "no file": (["act", "nofile.html", "go_back"], "neither a file nor a URL"),
    "an unknown option among actions": (
        ["act", "about:blank", "--nope", "go_back"],
        "unrecognized option --nope",
    ),
    "a target of nothing": (["act", "about:blank", "go_back", "--target-id", "X"], "--target-id"),
    "a browser that runs": (["act", "ws://127.0.0.1:1/", "go_back", "--headful"], "--headful"),
    "an endpoint that names no host": (["act", "ws://", "go_back"], "names no host"),
    "to evaluate on no endpoint": (["evaluate", "ws://host:port/", "1"], "is not an address"),
    "no script": (["evaluate", "about:blank"], "EXPRESSION"),
    "no JSON argument": (["evaluate", "about:blank", "x => x", "--arg", "x"], "not JSON"),
    "JSON that nests too deep": (["act", "page.html", '{"action":' + "[" * 5000], "nests too deep"),
    "a JSON argument that nests too deep": (
        ["evaluate", "about:blank", "1", "--arg", "[" * 5000],
        "too deep",
    ),
    "a number of 400 digits": (
        ["act", "page.html", '{"action": "click", "element": "#n", "nth": 1' + "0" * 400 + "}"],
        "click: nth: ",
    ),
    "a node of 400 digits": (
        ["act", "page.html", '{"action": "click", "backendDOMNodeId": 1' + "0" * 400 + "}"],
        "click: backend_node_id: ",
    ),
    "a budget for nothing": (["act", "page.html", "click [0-1]", "--max-tokens", "9"], "give --diff, too"),
    "timeout 0": (["evaluate", "about:blank", "1", "--timeout", "0"], "positive, finite"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_usage_is_one_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, words = WRONG[name]
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert words in said.err


async def test_acting_on_a_file(page: Path) -> None:
    done = await run(
        "act",
        str(page),
        '{"action": "fill_form", "entries": [{"id": "#n", "value": "Ada"}, {"id": "#c", "value": true}]}',
        '{"action": "click", "element": "button"}',
        "--diff",
    )
    assert (done.code, done.stderr) == (0, "")
    assert 'filled textbox "Name"' in done.stdout
    assert 'click button "Greet"' in done.stdout
    assert "announced: Hello Ada" in done.stdout
    assert '(new text: "Hello Ada")' in done.stdout


async def test_receipts_as_json(tab: Tab) -> None:
    done = await tab.run("act", '{"action": "press", "chord": "Tab"}', "--json")
    assert done.code == 0, done.stderr
    (receipt,) = json.loads(done.stdout)
    assert receipt["action"] == "press Tab"
    assert receipt["focus"][0] == ""


async def test_options_may_stand_before_and_between_actions(tab: Tab, browser_endpoint: str) -> None:
    press = '{"action": "press", "chord": "Tab"}'
    here = ("--target-id", tab.page.target_id)
    done = await run_here("act", "--timeout", "20", browser_endpoint, "--json", press, *here, press)
    assert done.code == 0, done.stderr
    assert [one["action"] for one in json.loads(done.stdout)] == ["press Tab", "press Tab"]


async def test_what_was_done_before_a_failure_is_on_stderr(tab: Tab) -> None:
    done = await tab.run(
        "act",
        '{"action": "check", "element": "#c"}',
        '{"action": "click", "element": "#nothing", "wait": false}',
    )
    assert done.code == 1
    assert done.stdout == ""
    assert 'check checkbox "Loud"' in done.stderr
    assert done.stderr.splitlines()[-1].startswith("hybridsnap: ")


async def test_a_navigation_that_does_not_arrive(tab: Tab) -> None:
    async with serve_pages({}) as pages:
        going = f'{{"action": "goto", "url": "{pages.url("/hang")}"}}'
        done = await tab.run("act", going, "--timeout", "1")
        assert done.code == 3
        assert "not loaded: deadline" in done.stdout
        assert "not loaded: deadline; allow more time (--timeout)" in done.stderr
        going = going.replace("127.0.0.1", "localhost")
        done = await tab.run("act", going, '{"action": "click", "element": "button"}', "--timeout", "1")
        assert (done.code, done.stdout) == (1, "")
        assert "not loaded: deadline; what was to follow is not done" in done.stderr


async def test_failures_as_json(tab: Tab) -> None:
    check = '{"action": "check", "element": "#c"}'
    done = await tab.run("act", check, '{"action": "click", "element": "#nothing", "wait": false}', "--json")
    assert done.code == 1
    assert done.stdout == ""
    listed, said = done.stderr.splitlines()
    receipt, failure = json.loads(listed)
    assert receipt["changes"][0]["after"] == "true"
    assert failure["error"]["type"] == "SelectorError"
    assert failure["error"]["fields"]["selector"] == "#nothing"
    assert failure["error"]["remedy"]
    assert failure["error"]["message"] in said
    done = await tab.run("act", check, '{"action": "wait_for"}', "--json")
    assert (done.code, len(json.loads(done.stderr.splitlines()[-2]))) == (2, 2)


async def test_tabs_without_their_ids(own_browser: Browser, own_endpoint: str) -> None:
    tabs = [await own_browser.new_page(f"data:text/html,<title>{name}</title>") for name in "ab"]
    done = await run_here("act", own_endpoint, "scroll [down]")
    assert done.code == 2
    ids = [tab.target_id for tab in tabs]
    for number, id_ in enumerate(ids):
        assert f"[{number}] {id_}" in done.line, "the blank tab has no number"
    for command in (("snapshot", "--cdp", own_endpoint), ("evaluate", own_endpoint, "1")):
        other = await run_here(*command)
        assert other.code == 2
        assert other.line.partition("--target-id: ")[2] == done.line.partition("--target-id: ")[2]
    done = await run_here("act", own_endpoint, "tab_focus [1]", "--json")
    assert done.code == 0, done.stderr
    (turned,) = json.loads(done.stdout)
    assert (turned["tab"], turned["target_id"]) == (1, ids[1])
    seen = await run_here("snapshot", "--cdp", own_endpoint, "--target-id", ids[1], "--format", "webarena")
    titles = {tab.target_id: name for tab, name in zip(tabs, "ab", strict=True)}
    assert seen.stdout.splitlines()[0] == f"Tab 0: {titles[ids[0]]} | Tab 1 (current): {titles[ids[1]]}"
    done = await run_here("act", own_endpoint, "close_tab")
    if IN_HEADLESS_SHELL:
        assert (done.code, "several pages are open" in done.line) == (2, True), "each tab counts as shown"
        return
    assert done.code == 0, done.stderr
    assert ids[1] not in await own_browser.page_ids(), "the one that was shown"
    assert ids[0] in await own_browser.page_ids()


async def test_tabs_have_the_same_numbers_in_each_process(own_browser: Browser, own_endpoint: str) -> None:
    titles = list("abcdefg")
    tabs = [await own_browser.new_page(f"data:text/html,<title>{name}</title>") for name in titles]
    ids = [tab.target_id for tab in tabs]
    assert ids != sorted(ids), "one case in 5,040 says nothing"
    done = await run_here("act", own_endpoint, "scroll [down]")
    places = [done.line.index(f"[{number}] {id_}") for number, id_ in enumerate(ids)]
    assert places == sorted(places)
    opened = await run_here(
        "act", own_endpoint, "new_tab", "goto [data:text/html,<title>new</title>]", "--json"
    )
    turned, _ = json.loads(opened.stdout)
    assert turned["tab"] == len(ids)
    again = await run_here("act", own_endpoint, f"tab_focus [{turned['tab']}]", "--json")
    (focused,) = json.loads(again.stdout)
    assert (focused["target_id"], focused["title"]) == (turned["target_id"], "new")
    (blank,) = json.loads((await run_here("act", own_endpoint, "new_tab", "--json")).stdout)
    again = await run_here("act", own_endpoint, f"tab_focus [{blank['tab']}]", "--json")
    assert json.loads(again.stdout)[0]["target_id"] == blank["target_id"], "it is not that of the launch"
    await (await own_browser.page(blank["target_id"])).close()
    closed = await run_here("act", own_endpoint, "tab_focus [2]", "close_tab")
    assert closed.code == 0, closed.stderr
    assert f'\n  closed tab: {ids[2]} "c" (data:text/html,<title>c</title>)\n' in closed.stdout
    assert (
        f'  tab {len(ids) - 1} is current until this command ends: {turned["target_id"]} "new" ('
        in closed.stdout
    )


async def test_tabs_keep_their_numbers_while_one_goes_elsewhere(
    own_browser: Browser, own_endpoint: str
) -> None:
    # For some milliseconds, while a new process takes over, the browser does not tell a tab's history.
    first = await own_browser.new_page("data:text/html,<title>first</title>")
    going = await own_browser.new_page("data:text/html,<title>going</title>")
    hosts = itertools.cycle(("127.0.0.1", "localhost"))
    async with serve_pages({"/": "<title>going</title>"}) as pages, trio.open_nursery() as nursery:

        async def go_on() -> None:
            while True:
                await going.goto(pages.url("/", next(hosts)))

        nursery.start_soon(go_on)
        for _ in range(40):
            async with hybridsnap.connect(own_endpoint) as browser:
                numbered = [info["targetId"] for info in await numbered_tabs(browser)]
            assert numbered == [first.target_id, going.target_id]
        nursery.cancel_scope.cancel()


class _Loop:
    """A page whose script does not end."""

    def __init__(self) -> None:
        self.url = ""
        self.begun = trio.Event()

    async def enter(self, page: Page) -> None:
        """Have a page hang: the script has begun when this returns."""
        await page.goto(self.url, wait="none", timeout=5)
        await self.begun.wait()


@contextlib.asynccontextmanager
async def looping() -> AsyncIterator[_Loop]:
    loop = _Loop()

    async def begin(_: Request) -> Response:
        loop.begun.set()
        return Response(status=204)

    page = """<title>loop</title><script>
      const ask = new XMLHttpRequest();
      ask.open("GET", "/begun", false);
      ask.send();
      for (;;);
    </script>"""
    async with serve_pages({"/": page, "/begun": begin}) as pages:
        loop.url = pages.url("/")
        yield loop


async def test_a_tab_that_was_closed_is_named_though_the_next_one_hangs(
    own_browser: Browser, own_endpoint: str
) -> None:
    async with looping() as loop:
        tab = await own_browser.new_page("data:text/html,<title>good</title>")
        hung = await own_browser.new_page()
        await loop.enter(hung)
        done = await run_here("act", own_endpoint, "tab_focus [0]", "close_tab", "--timeout", "6")
        assert (done.code, done.stdout) == (1, "")
        assert f'closed tab: {tab.target_id} "good" (data:text/html,<title>good</title>)' in done.stderr
        assert (
            "was closed; what failed is the wait for the tab that is current now"
            in done.stderr.splitlines()[-1]
        )
        await hung.close()


async def test_a_dialog_that_was_open_before(own_browser: Browser, own_endpoint: str) -> None:
    tabs = []
    for _ in range(4):
        tab = await own_browser.new_page("data:text/html,<button onclick=\"alert('left')\">b</button>")
        assert (await tab.click("button")).dialog is not None
        tabs.append(tab)
    acting, evaluating, isolated, going = (("--target-id", tab.target_id) for tab in tabs)
    answered, *evaluated, went = await run_together(
        ("act", own_endpoint, '{"action": "answer_dialog"}', *acting, "--timeout", "4"),
        ("evaluate", own_endpoint, "1 + 1", *evaluating, "--timeout", "4"),
        ("evaluate", own_endpoint, "1 + 1", *isolated, "--isolated", "--timeout", "4"),
        ("act", own_endpoint, "goto [data:text/html,<p>on]", *going),
    )
    assert (answered.code, answered.stdout) == (1, "")
    assert (
        "which only the client that saw it open can answer; go to another site, and close the tab"
        in answered.line
    )
    for done in evaluated:
        assert (done.code, done.stdout) == (1, "")
        assert "or a dialog that was open before, which only the client that saw it open can" in done.line
        assert "; of the 4 s of --timeout, the browser and the page took " in done.line
    if IN_HEADLESS_SHELL:
        assert (went.code, went.stdout) == (1, "")
        assert (
            "was not reached in time; the page before it may keep the tab: it has answered nothing since"
            in went.line
        )
        return
    assert (went.code, went.stderr) == (0, "")
    assert went.stdout == "at data:text/html,<p>on\n", "it is loaded, though its first events were lost"
    assert not tabs[-1].dialogs


async def test_an_endless_script_is_not_called_a_dialog(own_browser: Browser, own_endpoint: str) -> None:
    async with looping() as loop:
        hung = await own_browser.new_page()
        await loop.enter(hung)
        here = ("--target-id", hung.target_id)
        acted = await run_here("act", own_endpoint, "scroll [down]", *here, "--timeout", "4")
        went = await run_here("act", own_endpoint, f"goto [{loop.url}two]", *here, "--timeout", "6")
        seen = await run_here("snapshot", "--cdp", own_endpoint, *here, "--timeout", "4")
        await hung.close()
    for done in (acted, went, seen):
        assert (done.code, done.stdout) == (1, "")
        assert done.line.count("it has answered nothing since it was attached to: an endless script, or") == 1
        assert "closes it" not in done.line
        assert "allow more time" not in done.line
    assert "close the tab, and open another" in went.line
    assert "hybridsnap: Page." not in acted.line


async def test_a_page_that_hangs_as_it_is_acted_on(own_browser: Browser, own_endpoint: str) -> None:
    loop = "<title>loop</title><button onclick='for (;;);'>Loop</button>"
    async with serve_pages({"/": loop}) as pages:
        page = await own_browser.new_page(pages.url("/"))
        here = ("--target-id", page.target_id, "--timeout", "3")
        click = '{"action": "click", "element": "role=button[name=\\"Loop\\"]"}'
        done = await run_here("act", own_endpoint, click, "scroll [down]", *here)
        await page.close()
    assert done.code == 1
    assert "; an endless script is left by going to another site at once" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("as_json", [False, True])
async def test_what_was_done_before_ctrl_c_is_told(
    browser_endpoint: str, browser: Browser, as_json: bool
) -> None:
    page = await browser.new_page("data:text/html,<button>Buy</button>")
    asked = trio.Event()

    async def hang(_: Request) -> Response:
        asked.set()
        await trio.sleep_forever()

    click = '{"action": "click", "element": "button"}'
    options = ["--target-id", page.target_id, *(["--json"] if as_json else [])]
    async with serve_pages({"/": hang}) as pages, trio.open_nursery() as nursery:
        start = functools.partial(
            trio.run_process,
            [*COMMAND, "act", browser_endpoint, click, f"goto [{pages.url('/')}]", *options],
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        process = await nursery.start(start)
        await asked.wait()
        process.send_signal(signal.SIGINT)
        *told, last = b"".join([chunk async for chunk in process.stderr]).decode().splitlines()
        assert (await process.wait(), last) == (130, "hybridsnap: interrupted")
    if as_json:
        assert [one["action"] for one in json.loads("".join(told))] == ["click"]
    else:
        assert told[0].startswith('click button "Buy" ['), told


_TWICE = 'data:text/html,<button onclick="alert(1);alert(2)">Twice</button>'


@pytest.mark.parametrize("answered", [0, 1])
async def test_no_dialog_is_left_open(own_browser: Browser, own_endpoint: str, answered: int) -> None:
    tab = await own_browser.new_page(_TWICE)
    done = await run_here(
        "act",
        own_endpoint,
        '{"action": "click", "element": "//button[.=\\"Twice\\"]"}',
        *['{"action": "answer_dialog"}'] * answered,
    )
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-2:] == [
        f"{'answered' if answered else 'dismissed'} the dialog (alert): 1",
        "dismissed the dialog (alert): 2",
    ]
    assert await tab.evaluate("1 + 1", timeout=10) == 2


async def test_dialogs_without_end(own_browser: Browser, own_endpoint: str) -> None:
    await own_browser.new_page('data:text/html,<button onclick="for (;;) alert(1)">b</button>')
    done = await run_here("act", own_endpoint, '{"action": "click", "element": "button"}', "--timeout", "60")
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.count("dismissed the dialog") == 50
    assert "one is open still" in done.stdout


async def test_a_page_that_asks_whether_to_be_left(own_browser: Browser, own_endpoint: str) -> None:
    asks = "data:text/html,<p>form<script>onbeforeunload = (event) => event.preventDefault()</script>"
    tab = await own_browser.new_page(asks)
    await tab.click("p")  # before that no page may ask
    leave = '{"action": "answer_dialog", "accept": true}'
    done = await run_here("act", own_endpoint, "goto [data:text/html,two]")
    assert (done.code, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert "the page asks whether to be left" in done.line
    assert leave in done.line
    assert await tab.evaluate("location.href", timeout=10) == tab.url
    assert tab.url.startswith("data:text/html,<p>form")
    done = await run_here("act", own_endpoint, '{"action": "reload"}', "--json")
    assert done.code == 1
    *_, failure = json.loads(done.stderr.splitlines()[0])
    assert failure["error"]["type"] == "NavigationFailed"
    assert leave in failure["error"]["remedy"]
    done = await run_here("act", own_endpoint, '{"action": "goto", "url": "about:blank"}', "--json")
    assert json.loads(done.stderr.splitlines()[0])[-1]["error"]["fields"]["url"] == "about:blank"
    done = await run_here("act", own_endpoint, "goto [data:text/html,two]", leave)
    assert (done.code, done.stderr) == (0, "")
    assert "answered the dialog (beforeunload)" in done.stdout
    await tab.wait_for(url="data:text/html,two", timeout=10)


async def test_a_click_that_a_page_asks_about_before_it_is_left(
    own_browser: Browser, own_endpoint: str
) -> None:
    asks = "data:text/html,<a href='about:blank'>go</a><script>onbeforeunload = () => false</script>"
    tab = await own_browser.new_page(asks)
    click, leave = '{"action": "click", "element": "a"}', '{"action": "answer_dialog", "accept": true}'
    done = await run_here("act", own_endpoint, click)
    assert (done.code, done.stdout) == (1, "")
    receipt = done.stderr.splitlines()
    assert receipt[0].startswith('click link "go"')
    assert receipt[-2] == "dismissed the dialog (beforeunload): the page stays"
    assert "the page asks whether to be left (beforeunload), and stays at data:" in receipt[-1]
    assert f"{leave} after this action leaves it" in receipt[-1]
    assert await tab.evaluate("location.protocol", timeout=10) == "data:"
    done = await run_here("act", own_endpoint, click, leave)
    assert (done.code, done.stderr) == (0, "")
    assert "answered the dialog (beforeunload)" in done.stdout
    await tab.wait_for(url="about:blank", timeout=10)


async def test_a_value_that_the_field_cannot_hold_is_refused_as_any_action(tab: Tab) -> None:
    await tab.page.evaluate("n.type = 'number'")
    wrong = '{"action": "fill", "element": "#n", "value": "abc"}'
    done = await tab.run("act", '{"action": "focus", "element": "#n"}', wrong)
    assert (done.code, done.stdout) == (1, "")
    assert 'focus spinbutton "Name"' in done.stderr, "what was done before is told"
    assert done.stderr.splitlines()[-1].endswith(
        "it is an input of type number: its value looks like -12.5, not like 'abc'"
    )


async def test_a_line_break_in_one_line_submits_nothing(tab: Tab) -> None:
    done = await tab.run("act", '{"action": "type", "element": "#n", "text": "Ada\\nLovelace"}')
    assert done.code == 0, done.stderr
    assert 'value: "" → "Ada Lovelace"' in done.stdout
    assert "note: it has one line: line breaks became blanks, and submitted nothing" in done.stdout
    assert "Hello" not in done.stdout


async def test_ids_of_a_saved_snapshot(browser_endpoint: str, browser: Browser, tmp_path: Path) -> None:
    saved = tmp_path / "seen.json"
    async with serve_pages({"/": _PAGE}) as pages:
        tab = await browser.new_page(pages.url())
        here = ("--target-id", tab.target_id)
        done = await run_here(
            "snapshot", "--cdp", browser_endpoint, *here, "--format", "json", "-o", str(saved)
        )
        assert done.code == 0, done.stderr
        rows = json.loads(saved.read_text())["rows"]
        button = next(row["id"] for row in rows if row["role"] == "button")
        step, seen = f"click [{button}]", ("--snapshot", str(saved))
        done = await run_here("act", browser_endpoint, step, *here, *seen)
        assert (done.code, done.stderr) == (0, "")
        assert f'click button "Greet" [{button}]' in done.stdout
        refs = Snapshot.from_json(saved.read_bytes()).render("role").extras["refs"]
        ref = next(ref for ref, one in refs.items() if one.role == "button")
        reading = (browser_endpoint, "node => node.textContent", *here, *seen, "--raw", "--element")
        for named in (button, ref):
            done = await run_here("evaluate", *reading, named)
            assert (done.code, done.stdout, done.stderr) == (0, "Greet\n", "")
        await tab.evaluate("document.querySelector('button').textContent = 'Leave'")
        done = await run_here("evaluate", *reading, ref)
        assert done.code == 1
        assert 'is now button "Leave"' in done.line
        other = await browser.new_page("about:blank")
        done = await run_here("evaluate", browser_endpoint, "1", "--target-id", other.target_id, *seen)
        assert (done.code, "is not of page" in done.line) == (2, True)
        done = await run_here("act", browser_endpoint, step, *here, *seen)
        assert done.code == 1
        assert f'{button} (button "Greet")' in done.line
        assert 'is now button "Leave"' in done.line
        done = await run_here("act", browser_endpoint, step, *here, *seen, "--diff")
        assert (done.code, 'is now button "Leave"' in done.line) == (1, True), (
            "nor does a look of its own count"
        )


_LIST = """<title>Reports</title><ul>
  <li>Ann <button onclick="done.value += 'Ann '">Delete</button>
  <li>Bob <button onclick="done.value += 'Bob '">Delete</button>
</ul><input id="done" aria-label="Done">"""


async def test_ids_of_the_last_snapshot(browser_endpoint: str, browser: Browser) -> None:
    page = await browser.new_page(f"data:text/html,{_LIST}")
    other = await browser.new_page(f"data:text/html,{_LIST}")
    here = ("--target-id", page.target_id)

    async def look(*options: str) -> str:
        done = await run_here("snapshot", "--cdp", browser_endpoint, *here, *options)
        assert (done.code, done.stderr) == (0, "")
        return done.stdout

    async def act(step: str, *options: str) -> Done:
        return await run_here("act", browser_endpoint, step, *here, *options)

    buttons = re.findall(r"\[(0-\d+)\] button: Delete", await look())
    done = await act(f"click [{buttons[0]}]", "--diff")
    assert (done.code, done.stderr) == (0, "")
    # A list that uses its items for other rows.
    await page.evaluate("document.querySelectorAll('li').forEach(li => li.firstChild.data = 'Cyd ')")
    for options in ((), ("--diff",)):
        done = await act(f"click [{buttons[1]}]", *options)
        assert (done.code, "Cyd" in done.line) == (1, True)
    done = await run_here("evaluate", browser_endpoint, "1", *here, "--element", buttons[1])
    assert (done.code, "Cyd" in done.line) == (1, True)
    await run_here("snapshot", "--cdp", browser_endpoint, "--target-id", other.target_id)
    done = await act(f"click [{buttons[1]}]")
    assert (done.code, "Cyd" in done.line) == (1, True), "each tab has its own"
    await look("--format", "ai")
    done = await act(f"click [{buttons[1]}]")
    assert (done.code, done.stderr) == (0, "")
    assert await page.evaluate("done.value") == "Ann Bob "

    done = await act('{"action": "click", "element": "e1"}')
    assert (done.code, "e1 is a ref, and the last snapshot of this tab gave none" in done.line) == (2, True)
    ref = re.findall(r"button \"Delete\" \[ref=(e\d+)\]", await look("--format", "role"))[1]
    done = await act(f'{{"action": "click", "element": "{ref}"}}')
    assert (done.code, done.stderr) == (0, "")
    assert await page.evaluate("done.value") == "Ann Bob Bob "


async def test_what_was_done_is_said_where_a_look_for_the_diff_fails(
    browser_endpoint: str, browser: Browser
) -> None:
    html = f"<button onclick='setTimeout(() => {{ {ENDLESS} }}, 400)'>Go</button>"
    click, wait = '{"action": "click", "element": "button"}', '{"action": "wait_for", "time": 1}'
    async with serve_pages({"/": html}) as served:
        page = await browser.new_page(served.url("/"))
        act = functools.partial(
            run_here, "act", browser_endpoint, "--target-id", page.target_id, "--diff", "--timeout", "6"
        )
        done = await act(click, wait)
        assert (done.code, done.stdout) == (1, "")
        assert 'click button "Go"' in done.stderr
        assert "that was the look after the actions: they were done" in done.stderr
        done = await act(click)
        assert (done.code, done.stdout) == (1, "")
        assert "click button" not in done.stderr
        assert "that was the look before the first action: nothing was done" in done.stderr
        await page.close()


_ADDS = """<title>People</title><button onclick="add()">Add</button><ul id=all></ul><script>
  const add = () => { for (const name of ["Ann", "Bob"]) {
    const item = all.appendChild(document.createElement("li")), words = new Text(name);
    const button = document.createElement("button");
    button.textContent = "Delete";
    button.onclick = () => { document.title += " -" + words.data; };
    item.append(words, button); } };
</script>"""


async def test_ids_of_changes_that_were_printed(browser_endpoint: str, browser: Browser) -> None:
    async with serve_pages({"/": _ADDS, "/other": "<title>Other</title><p>Elsewhere<button>Save"}) as pages:
        page = await browser.new_page(pages.url("/"))
        here = ("--target-id", page.target_id)

        async def act(*steps: str) -> Done:
            return await run("act", browser_endpoint, *steps, *here)

        first = (await run_here("snapshot", "--cdp", browser_endpoint, *here)).stdout
        add = re.findall(r"\[(0-\d+)\] button: Add", first)[0]
        done = await act(f"click [{add}]", "--diff")
        ann, bob = re.findall(r"\[(0-\d+)\] button: Delete", done.stdout)
        again = await act(f"click [{add}]", "--diff")
        third = re.findall(r"\[(0-\d+)\] button: Delete", again.stdout)[-2]
        assert [one.stderr for one in (done, again)] == ["", ""], "what the snapshot printed goes on to count"
        done = await act(f"click [{bob}]")
        assert (done.code, done.stderr) == (0, "")
        done = await act(*[f"click [{add}]"] * 8, "--diff", "--max-tokens", "150")
        assert 0 < done.stdout.count("button: Delete") < 16, done.stdout
        # The list uses its items for other rows.
        await page.evaluate("for (const one of all.children) one.firstChild.data += 'a'")
        for button, name in ((ann, "Ann"), (third, "Ann")):
            done = await act(f"click [{button}]")
            assert (done.code, f"{name}a" in done.line) == (1, True)
        assert await page.evaluate("document.title") == "People -Bob"

        # Refs are those of the snapshot that gave them, whatever was printed since.
        role = (await run_here("snapshot", "--cdp", browser_endpoint, *here, "--format", "role")).stdout
        ref = re.findall(r'button "Delete" \[ref=(e\d+)', role)[-1]
        await page.evaluate("document.body.prepend(...[1, 2, 3].map(() => document.createElement('button')))")
        assert (await act(f"click [{add}]", "--diff")).code == 0
        done = await act(f'{{"action": "click", "element": "{ref}"}}')
        assert (done.code, done.stderr) == (0, "")
        assert (await page.evaluate("document.title")).startswith("People -Bob -Bob")

        # Of another page: the page, within its budget; its ids count, and those of the one before are gone.
        go = f'{{"action": "goto", "url": "{pages.url("/other")}"}}'
        done = await act(go, "--diff", "--max-tokens", "200")
        assert (done.code, done.stderr) == (0, "")
        assert "Elsewhere" in done.stdout
        assert not re.search("^ *[-+~] ", done.stdout, re.MULTILINE)
        (save,) = re.findall(r"(0-\d+)\D* Save", done.stdout)
        done = await act(f"click [{ann}]")
        assert (done.code, f"no known snapshot of this page has shown {ann}" in done.line) == (1, True)
        done = await act(f"click [{save}]")
        assert (done.code, done.stderr) == (0, "")


async def test_ids_that_were_not_printed(
    browser_endpoint: str, browser: Browser, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = await browser.new_page(f"data:text/html,{_LIST}")
    here = ("--target-id", page.target_id)
    looking = ("snapshot", "--cdp", browser_endpoint, *here)
    buttons = re.findall(r"\[(0-\d+)\] button: Delete", (await run_here(*looking)).stdout)
    printed = (await run_here(*looking, "--max-depth", "1")).stdout
    assert (buttons[1] in printed, bool(printed)) == (False, True)
    warning = f"hybridsnap: {buttons[1]}: not checked, as neither the last snapshot of this tab nor a --diff"
    nowhere = '{"action": "click", "element": "#nowhere", "wait": false}'
    done = await run_here("act", browser_endpoint, f"click [{buttons[1]}]", *here)
    assert (done.code, done.line.startswith(warning)) == (0, True)
    done = await run_here("act", browser_endpoint, f"click [{buttons[1]}]", nowhere, *here)
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-2].startswith(warning)
    done = await run_here("evaluate", browser_endpoint, "1", *here, "--element", buttons[1])
    assert (done.code, done.line.startswith(warning)) == (0, True)

    await run_here(*looking)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))  # a new one, as after a login
    done = await run_here("act", browser_endpoint, f"click [{buttons[1]}]", *here)
    assert (done.code, done.line.startswith(warning)) == (0, True)
    (tmp_path / "hybridsnap").rmdir()
    (tmp_path / "hybridsnap").write_text("in the way")
    assert (await run_here(*looking)).stdout, "it is printed all the same"
    done = await run_here("act", browser_endpoint, f"click [{buttons[1]}]", *here)
    assert (done.code, done.line.startswith(warning)) == (0, True)


async def test_few_snapshots_are_kept_and_for_their_user_only(
    browser_endpoint: str, browser: Browser, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    page = await browser.new_page("data:text/html,<p>Hello")
    looking = ("snapshot", "--cdp", browser_endpoint, "--target-id", page.target_id)
    assert (await run_here(*looking)).code == 0
    kept = tmp_path / "hybridsnap" / "shown"
    assert (kept.parent.stat().st_mode & 0o777, [one.name for one in kept.iterdir()]) == (
        0o700,
        [page.target_id],
    )
    for number in range(30):
        (kept / f"{number:032}").write_text("of another tab")
    old = kept / "of two days ago"
    old.write_text("")
    os.utime(old, (0, 0))
    assert (await run_here(*looking)).code == 0
    left = [one.name for one in kept.iterdir()]
    assert (len(left), page.target_id in left, old.name in left) == (20, True, False)
    other = await browser.new_page("data:text/html,<button>Go</button>")
    outline = (await run_here("snapshot", "--cdp", browser_endpoint, "--target-id", other.target_id)).stdout
    step = f"click [{re.findall(r'.(0-[0-9]+). button: Go', outline)[0]}]"
    (kept / page.target_id).replace(kept / other.target_id)  # of another document than the tab's
    done = await run_here("act", browser_endpoint, step, "--target-id", other.target_id)
    assert (done.code, "not checked" in done.line) == (0, True)
    assert (await run_here(*looking)).code == 0
    (kept / page.target_id).write_text("spoilt")
    done = await run_here("act", browser_endpoint, "click [0-1]", "--target-id", page.target_id)
    assert (done.code, "Error" in done.stderr) == (1, False)


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("1 + 1", "2"),
        ("'a\\u2028b'", r'"a\u2028b"'),
        ("[NaN, -0, undefined]", '[\n "NaN",\n -0.0,\n null\n]'),
        ("() => document.title", '"Form"'),
    ],
)
async def test_evaluating(tab: Tab, script: str, printed: str) -> None:
    done = await tab.run("evaluate", script)
    assert (done.code, done.stdout, done.stderr) == (0, printed + "\n", "")


async def test_evaluating_with_an_element_and_arguments(tab: Tab) -> None:
    done = await tab.run("evaluate", "(node, a) => node.id + a", "--element", "#n", "--arg", '"!"', "--raw")
    assert (done.code, done.stdout) == (0, "n!\n")


_OBEYED = "\x1b\x7f\x9b\x85\u2028\u202e\u2066"


async def test_what_a_terminal_would_obey_is_not_printed(tab: Tab) -> None:
    # Wherever such characters can stand.
    await tab.page.evaluate(
        "(text) => { n.title = o.title = document.title = text; o.textContent = text; n.value = 1 }", _OBEYED
    )
    attributes = '{"action": "attributes", "element": "#n"}'
    for command in (
        ["act", attributes],
        ["act", attributes, "--json"],
        [
            "act",
            '{"action": "text", "element": "#o"}',
            '{"action": "outer_html", "element": "#n"}',
        ],
        ["evaluate", "n.title"],
        ["snapshot", "--format", "json"],
        ["snapshot", "--format", "json", "--max-tokens", "5000"],
        ["snapshot", "--format", "html"],
    ):
        done = await tab.run(*command)
        assert done.code == 0, done.stderr
        assert not [one for one in done.stdout if one in _OBEYED], command
        if command[0] == "evaluate":
            assert json.loads(done.stdout) == _OBEYED
        if attributes in command:
            said = json.loads(done.stdout)
            assert (said[0] if "--json" in command else said)["title"] == _OBEYED
    assert (await tab.run("evaluate", "n.title", "--raw")).stdout == f"{_OBEYED}\n"


async def test_a_raw_string_on_a_terminal(page: Path) -> None:
    ours, theirs = pty.openpty()
    script = json.dumps(f"é\t{_OBEYED}")
    try:
        done = await trio.run_process([*COMMAND, "evaluate", str(page), script, "--raw"], stdout=theirs)
        assert done.returncode == 0
        printed = os.read(ours, 1000).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert " ".join(printed.split()) == r"é \u001b\u007f\u009b\u0085\u2028\u202e\u2066"


@pytest.mark.parametrize(
    "command",
    [
        ["act", '{"action": "type", "element": "#n", "text": "\\ud800"}'],
        ["act", '{"action": "click", "element": "\\ud800"}'],
        ["act", '{"action": "wait_for", "text": "\\ud800"}'],
        ["evaluate", "1", "--element", "\udced"],
        ["evaluate", "\udced"],
    ],
)
async def test_half_a_surrogate_pair_is_said_in_words(tab: Tab, command: list[str]) -> None:
    name, *rest = command
    done = await tab.run(name, *rest)
    assert "codec" not in done.stderr
    if done.code:
        assert (done.code, done.stdout) == (2, "")
        assert "not valid Unicode: it holds" in done.line


@pytest.mark.alone
async def test_an_endless_script_ends_with_its_time(tab: Tab) -> None:
    done = await tab.run("evaluate", "while (true) {}", "--timeout", "3")
    assert (done.code, done.stdout) == (1, "")
    said = re.fullmatch(
        r"hybridsnap: the script had not ended after ([\d.]+) s, and was ended"
        r"(; of the 3 s of --timeout, the browser and the page took .*)?",
        done.line,
    )
    assert said, done.line
    # What is not worth telling is a tenth; the seconds are rounded.
    before = 3 - float(said[1])
    assert said[2] if before > 0.32 else (said[2] is None or before > 0.28)


async def test_a_script_that_throws(tab: Tab) -> None:
    done = await tab.run("evaluate", "nothing.here")
    assert (done.code, done.stdout) == (1, "")
    assert "ReferenceError" in done.line
