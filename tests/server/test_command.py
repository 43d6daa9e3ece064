"""What ``hybridsnap serve`` refuses before anything is started: rules that could never take effect."""

from __future__ import annotations

import pytest

from hybridsnap.cli import main

#: What is not a rule on hosts, and what to write instead.
_NO_HOSTS = {
    "http://127.0.0.1:8901/": "127.0.0.1",
    "127.0.0.1:8901": "127.0.0.1",
    "https://*.shop.test/cart?a=1#b": "*.shop.test",
    "me@shop.test": "shop.test",
    "[::1]:8901": "[::1]",
    ".shop.test": "*.shop.test",
    "bücher.test": "xn--bcher-kva.test",
    "*:80": "example.com, *.example.com, 203.0.113.0/24 or ::1",
    "10.0.0.0/33": "example.com, *.example.com, 203.0.113.0/24 or ::1",
    "300.1.1.1": "example.com, *.example.com, 203.0.113.0/24 or ::1",
    "127.0.0.08": "example.com, *.example.com, 203.0.113.0/24 or ::1",
    "1.2.3.4.5": "example.com, *.example.com, 203.0.113.0/24 or ::1",
    "a.test,b.test": "example.com, *.example.com, 203.0.113.0/24 or ::1",
    "": "example.com, *.example.com, 203.0.113.0/24 or ::1",
}
_HOSTS = (
    *("shop.test", "Shop.test.", "*.shop.test", "shop[12].test", "localhost", "*"),
    *("127.1", "2130706433", "0x7f.0.0.1", "127.000.000.001", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"),
    *("127.0.0.1", "10.*", "203.0.113.0/24", "203.0.113.7/24"),
    *("::1", "[::1]", "FD00::1", "fd00::/8", "fd00:*"),
)
_NO_ORIGINS = (
    *(
        "foo",
        "*",
        "",
        "localhost:3000",
        "https://Shop.test",
        "https://shop.test/cart",
        "https://me@shop.test",
    ),
    *("https://shop.test:443", "http://shop.test:80", "http://shop.test:"),
)
_ORIGINS = (
    *("https://shop.test", "https://shop.test/", "http://localhost:3000", "http://[::1]:3000"),
    *("https://shop.test:80", "chrome-extension://abcdefgh", "null"),
)


@pytest.mark.parametrize("option", ["--allow-host", "--deny-host"])
@pytest.mark.parametrize("text", _NO_HOSTS)
def test_what_no_host_can_meet_is_no_rule(option: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", f"{option}={text}"]) == 2
    out, err = capsys.readouterr()
    (line,) = err.splitlines()
    assert out == ""
    assert line.startswith(f"hybridsnap: {option} {text!r} fits no host: ")
    assert line.endswith(f"; write {_NO_HOSTS[text]}")


@pytest.mark.parametrize("text", _NO_ORIGINS)
def test_what_no_browser_sends_is_no_origin(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", f"--cors-origin={text}"]) == 2
    out, err = capsys.readouterr()
    (line,) = err.splitlines()
    assert out == ""
    assert line.startswith(f"hybridsnap: --cors-origin {text!r} is not an origin as browsers send it; write ")


def test_what_can_take_effect_is_let_pass(capsys: pytest.CaptureFixture[str]) -> None:
    rules = [f"{option}={text}" for option in ("--allow-host", "--deny-host") for text in _HOSTS]
    origins = [f"--cors-origin={text}" for text in _ORIGINS]
    assert main(["serve", "--port=0", *rules, *origins, "--browser", "/no/such/browser"]) == 1
    assert "/no/such/browser" in capsys.readouterr().err


@pytest.mark.parametrize("command", [("serve",), ("mcp", "--transport", "http")])
@pytest.mark.parametrize("token", ["\u00e9", "a b", " a", "a\n"])
def test_a_token_that_no_header_can_hold(
    command: tuple[str, ...], token: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--port", "0", "--token", token]) == 2
    assert capsys.readouterr().err.startswith("hybridsnap: --token is of ASCII letters, digits and signs")
    monkeypatch.setenv("HYBRIDSNAP_TOKEN", token)
    assert main([*command, "--port", "0"]) == 2
    assert capsys.readouterr().err.startswith("hybridsnap: HYBRIDSNAP_TOKEN is of ASCII letters")
