"""The command line's own refusals, and what Ctrl-C does to it: no browser is needed."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hybridsnap import ConnectionLost, cli
from hybridsnap.cli import commands
from hybridsnap.mcp.look_calls import complete_url


def refusal(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    """The exit code and the one line on stderr."""
    code = cli.main(argv)
    out, words = capsys.readouterr()
    assert out == ""
    assert words.count("\n") == 1
    return code, words


@pytest.mark.parametrize(
    ("option", "value"),
    [("--port", "8000"), ("--host", "0.0.0.0"), ("--token", "x")],
)
def test_what_is_for_http_is_refused_over_stdio(
    capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    code, words = refusal(capsys, "mcp", option, value)
    assert code == 2
    assert f"{option} is for HTTP" in words
    assert "--transport http" in words


@pytest.mark.parametrize("grouped", [False, True])
def test_what_fails_because_of_ctrl_c_is_an_interruption(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, grouped: bool
) -> None:
    def interrupted(*_: object) -> int:
        lost = ConnectionLost("the connection was closed")
        if grouped:
            raise BaseExceptionGroup("", [lost, KeyboardInterrupt()])
        try:
            raise KeyboardInterrupt
        finally:
            raise lost

    monkeypatch.setitem(commands._COMMANDS, "doctor", interrupted)
    assert refusal(capsys, "doctor") == (130, "hybridsnap: interrupted\n")


@pytest.mark.parametrize(
    "command",
    [["act", "ENDPOINT", "click [0-1]"], ["evaluate", "ENDPOINT", "1"], ["act", "ENDPOINT", "scroll [down]"]],
)
@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_nothing_listens(capsys: pytest.CaptureFixture[str], command: list[str], scheme: str) -> None:
    with socket.socket() as taken:  # bound, and not listening: nobody else takes the port meanwhile
        taken.bind(("127.0.0.1", 0))
        endpoint = f"{scheme}://127.0.0.1:{taken.getsockname()[1]}"
        code, words = refusal(capsys, *(endpoint if one == "ENDPOINT" else one for one in command))
    assert code == 1
    assert "nothing listens there; start the browser with --remote-debugging-port=" in words


def test_a_silent_endpoint_is_not_taken_for_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    """A browser that is busy accepts, and answers late."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        code, words = refusal(capsys, "evaluate", endpoint, "1", "--timeout", "0.5")
    assert code == 1
    assert re.search(r"did not answer within [\d.]+ s; is that the browser's remote debugging port", words)


@pytest.mark.parametrize(
    ("bare", "meant"),
    [
        ("127.0.0.1:9222", "http://127.0.0.1:9222"),
        ("192.0.2.1/x", "http://192.0.2.1/x"),
        ("localhost:9222", "http://localhost:9222"),
        ("[::1]:9222", "http://[::1]:9222"),
        ("example.com:8080", "http://example.com:8080"),
        ("example.com/a:1", "https://example.com/a:1"),
    ],
)
def test_a_host_without_a_scheme_means_one_address(
    capsys: pytest.CaptureFixture[str], bare: str, meant: str
) -> None:
    """The command line, where it may be a file as well, asks for the scheme; MCP opens it."""
    for command in (["evaluate", bare, "1"], ["snapshot", bare]):
        code, words = refusal(capsys, *command)
        assert code == 2
        assert words.endswith(f" {meant}\n")
    assert complete_url(f" {bare} ") == meant


_PAGE = ["snapshot", "page.html"]
_ACT = ["act", "page.html"]
_EVALUATE = ["evaluate", "page.html"]
_HTTP = ["mcp", "--transport", "http"]
_MOST = 10**15 - 1
#: Arguments that cannot mean anything → words of the one line.
_WRONG: list[tuple[list[str], str]] = [
    (["snapsht"], "did you mean snapshot?"),
    ([*_PAGE, "other.html"], "unrecognized arguments: other.html (see hybridsnap snapshot --help)"),
    ([*_PAGE, "--formt", "json"], "unrecognized option --formt; did you mean --format? (see hybridsnap s"),
    ([*_PAGE, "--format"], "--format: a value is missing"),
    ([*_PAGE, "--format", "JSON"], "invalid choice: 'JSON'; did you mean json?"),
    ([*_PAGE, "--detail", "x"], "choose from bare, lean, rich"),
    ([*_PAGE, "--viewport", "-1x5"], "one that begins with - is written --viewport=-"),
    ([*_PAGE, "--viewport", "9999999999x5"], "at most 10000000 CSS px a side"),
    ([*_PAGE, "--limit", "0", "--format", "aria"], f"--limit: expected a whole number from 1 to {_MOST}"),
    ([*_PAGE, "--max-depth", "1.5"], f"--max-depth: expected a whole number from 0 to {_MOST}, got '1.5'"),
    ([*_PAGE, "--timeout", "5s"], "number of seconds such as 10, got '5s'"),
    ([*_PAGE, "--tokenizer", "nope"], "--tokenizer: expected one of"),
    ([*_PAGE, "--scope", ""], "--scope is an empty text; give an element id, an XPath or a CSS selector"),
    ([*_PAGE, "--focus", " "], "--focus is an empty text"),
    ([*_PAGE, "--ignore", ""], "--ignore is an empty text"),
    ([*_PAGE, "-o", ""], "--output is an empty text; give the path of a file"),
    ([*_PAGE, "-o", "a" * 300], "cannot be written: File name too long; name another file"),
    ([*_PAGE, "-o", "folder"], "is a directory; name a file"),
    ([*_PAGE, "-o", "none/x"], "there is no directory none; make it first"),
    ([*_PAGE, "--info", "x", "-o", "x"], "--info x: is the file of --output, too; name another"),
    ([*_PAGE, "--save-storage-state", "none/x"], "--save-storage-state none/x: there is no directory none"),
    ([*_PAGE, "--save-storage-state", "page.html"], "is the file of TARGET, too"),
    ([*_ACT, "go_back", "--save-storage-state", "folder"], "is a directory; name a file"),
    ([*_PAGE, "--storage-state", ""], "--storage-state is an empty text"),
    ([*_PAGE, "--storage-state", "none.json"], "cannot be read: No such file or directory"),
    ([*_PAGE, "--storage-state", "list.json"], "no storage state (expected an object, got a list)"),
    ([*_PAGE, "--storage-state", "other.json"], "it has neither cookies nor origins"),
    (["snapshot", "example.com/a"], "starts with its scheme: https://example.com/a"),
    (["snapshot", "http://x:99999/"], "is not a URL: Port out of range"),
    (["snapshot", "http://[::1"], "is not a URL: Invalid IPv6 URL"),
    (["snapshot", "page.htm"], "neither a file nor a URL; a URL starts with its scheme, such as"),
    (["act", "", "go_back"], "ENDPOINT-OR-URL is empty"),
    (["act", "127.0.0.1:9222", "go_back"], "starts with its scheme: http://127.0.0.1:9222"),
    ([*_ACT, "press [Ctrl+Entr]"], "unknown key 'Entr'; did you mean Enter"),
    ([*_ACT, "goto [example.com]"], "has no scheme; write https://example.com"),
    (
        [*_ACT, "clik [0-3]"],
        "Unknown action clik at position 0; did you mean click, written as in: click [0-29]",
    ),
    ([*_ACT, "answer_dialog"], """written as JSON: '{"action": "answer_dialog", "accept": true}'"""),
    (
        [*_ACT, "fill #n 9"],
        """fill is written as JSON: '{"action": "fill", "element": "#n", "value": "9"}'""",
    ),
    ([*_ACT, "fill [0-3] [a b]"], """'{"action": "fill", "element": "0-3", "value": "a b"}'"""),
    ([*_ACT, "fill [name=q] 9"], """'{"action": "fill", "element": "[name=q]", "value": "9"}'"""),
    ([*_ACT, "fill #a b c d"], """'{"action": "fill", "element": "…", "value": "…"}'"""),
    ([*_ACT, "check #a input"], """'{"action": "check", "element": "#a input"}'"""),
    ([*_ACT, "drag #r"], """'{"action": "drag", "source": "#r", "target": "…"}'"""),
    ([*_ACT, "click_at 3 4"], """'{"action": "click_at", "x": 3.0, "y": 4.0}'"""),
    (
        [*_ACT, "select #f Banana"],
        """selectors in JSON: '{"action": "select_option", "element": "#f", "label": "Banana"}'""",
    ),
    ([*_ACT, "press Foo+Bar"], "unknown key 'Foo'"),
    ([*_ACT, "press Foo+Bar"], "; keys stand in brackets, as in press [Ctrl+v]"),
    ([*_ACT, "press Enter"], "the right form is: press [Ctrl+v]"),
    ([*_ACT, "wait 99"], """did you mean wait_for, written as JSON: '{"action": "wait_for", "text": "…"}'"""),
    ([*_ACT, "zzz"], "Unknown action zzz; actions are click, hover,"),
    ([*_ACT, '{"action": "fill" "element": "#n"}'], "is not JSON: it goes wrong at position 18, at '\"'; an"),
    ([*_ACT, '{"action": "fill" "element": "#n"}'], """'{"action": "fill", "element": "…", "value": "…"}'"""),
    ([*_ACT, '{"action": "click"'], "is not JSON: it goes wrong at position 18, where it ends; an"),
    ([*_ACT, "{}"], "'action' has to name an action"),
    ([*_ACT, '{"action": "clik"}'], "unknown action 'clik'; did you mean click?"),
    ([*_ACT, '{"action": "click", "elment": "#a"}'], "element is probably meant"),
    ([*_ACT, '{"action": "click", "element": ""}'], "element is an empty text"),
    ([*_ACT, '{"action": "click", "element": "p", "button": "lef"}'], "left, middle or right, got 'lef'"),
    ([*_ACT, '{"action": "click", "element": "p", "count": 9}'], "count is 1, 2 or 3, not 9"),
    ([*_ACT, '{"action": "click", "element": "p", "count": "x"}'], "expected a whole number, got a text"),
    ([*_ACT, '{"action": "goto", "url": "example.com"}'], "write https://example.com"),
    ([*_ACT, "go_back", "--snapshot", ""], "--snapshot is an empty text"),
    ([*_ACT, "go_back", "--snapshot", "list.json"], "expected an object, got a list"),
    ([*_EVALUATE, ""], "EXPRESSION is an empty text"),
    ([*_EVALUATE, "n => n", "--element", ""], "--element is an empty text"),
    ([*_EVALUATE, "1", "--arg", "x"], "is not JSON"),
    (["view", ""], "SNAPSHOT is an empty text"),
    (["view", "folder"], "cannot be read: Is a directory"),
    (["view", "other.json"], "version is missing"),
    (["tool"], "what is to be done?"),
    (["tool", "{x"], "'{x' is not JSON: it goes wrong at position 1, at 'x'"),
    (["tool", ""], "is not JSON"),
    (["tool", "[1]"], "expected a JSON object such as '{\"action\": \"list\"}', got '[1]'"),
    (["tool", "[" * 100_000], "nests too deep"),
    (["tool", "{}", "--schema", "openai"], "leave ARGUMENTS out"),
    (["tool", "--schema", "mcp"], "choose from openai, anthropic"),
    (["tool", '{"action": "list"}', "--directory", " "], "--directory is an empty text"),
    (["tool", "{}", "--idle", "0"], "--idle: expected a positive, finite number of seconds"),
    (["tool", "{}", "--timeout", "soon"], "--timeout: expected a positive, finite number"),
    (["tool", "{}", "{}"], "unrecognized arguments: {}"),
    (["doctor", "--timeout", "0"], "number of seconds such as 10, got '0'"),
    (["mcp", "--files", ""], "--files '' is not a folder; give the path of one that exists"),
    (["mcp", "--downloads", ""], "--downloads '' is not a folder"),
    (["mcp", "--allow-scheme", "javascript"], "is not a scheme that a page has"),
    ([*_HTTP, "--server-name", "a b"], "is not a host name"),
    (["serve", "--uploads", ""], "--uploads '' is not a folder; give the path of one that exists"),
    (["serve", "--allow-scheme", "a b"], "is not a scheme that a page has"),
    (["serve", "--server-name", ""], "is not a host name"),
    (["serve", "--launch", "a", "--launch", "a"], "two browsers have the id 'a'"),
    (["serve", "--cdp", "=http://127.0.0.1:9"], "a browser's id is empty"),
    (["serve", "--idel", "3"], "did you mean --idle?"),
    (["serve", "--max-body", "1MiB"], "--max-body: expected a whole number from 1 to"),
]


@pytest.mark.parametrize(("argv", "words"), _WRONG)
def test_wrong_arguments_are_refused_before_a_browser_is_looked_for(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    argv: list[str],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    # To look for a browser would end with another exit code.
    monkeypatch.setenv("HYBRIDSNAP_BROWSER", "/no/such/browser")
    (tmp_path / "folder").mkdir()
    for name, text in (("page.html", "<p>"), ("list.json", "[]"), ("other.json", '{"a": 1}')):
        (tmp_path / name).write_text(text, encoding="ascii")
    code, line = refusal(capsys, *argv)
    assert words in line
    assert code == 2


_SLOW = """
import sys, time
class Slow:
    def find_spec(self, name, *rest):
        if name == "hybridsnap.cli":
            print("importing", flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Slow())
import runpy
runpy.run_module("hybridsnap", run_name="__main__")
"""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full device is Linux's")
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["snapshot", "--help"]])
def test_help_that_cannot_be_written_is_a_failure(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "hybridsnap", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "stdout could not be written" in done.stderr


def test_ctrl_c_while_the_command_line_is_imported_is_silent(tmp_path: Path) -> None:
    program = tmp_path / "slow.py"
    program.write_text(_SLOW, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - one thread
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"importing\n"
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=30)
    assert process.returncode == 130
    assert words == b""
