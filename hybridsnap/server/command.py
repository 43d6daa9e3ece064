"""``hybridsnap serve``: what the command line says, as settings, and the server until a signal ends it."""

from __future__ import annotations

import contextlib
import ipaddress
import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from hybridsnap.arguments import UsageError, check_endpoint, token_of
from hybridsnap.demo.server import serve_shop
from hybridsnap.server.addresses import read_address
from hybridsnap.server.running import serve_until_signal
from hybridsnap.server.settings import DEFAULT_BROWSER, BrowserPlan, Settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from hybridsnap.deadline import Deadline
    from hybridsnap.server.running import Server

#: Hosts that the bundled shop is served at.
_SHOP_HOSTS = ("127.0.0.1", "localhost", "::1")
#: Names as `hybridsnap.server.addresses` matches them, shell-like; of IPv6 addresses as they are printed.
_LABEL = r"(?:[a-z0-9_*?-]|\[!?[a-z0-9-]+\])+"
_HOST_PATTERN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*|[0-9a-f:]*:[0-9a-f:]*[*?][0-9a-f:*?]*")
#: What browsers take for an IPv4 address, and for no host when it is none.
_NUMERIC = re.compile(r"(?:[a-z0-9_-]+\.)*(?:[0-9]+|0x[0-9a-f]*)")
#: As browsers send it: in lower case, without the port that goes without saying.
_ORIGIN = re.compile(
    r"null|(?!https://.*:443$|http://.*:80$)[a-z][a-z0-9+.-]*://(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?"
)


def serve_command(arguments: argparse.Namespace, deadline: Deadline, say: Callable[[str], None]) -> None:
    """Serve as the command line says.

    Args:
        arguments: of the command line.
        deadline: for the server to be up.
        say: prints a line.

    Raises:
        UsageError: the options do not go together, or one could never take effect.
        HybridsnapError: it cannot be served there, or a browser cannot be had.
    """
    given = token_of(arguments)
    token = secrets.token_urlsafe(24) if given is None else given
    folders = {name: tuple(map(_folder, getattr(arguments, name))) for name in ("uploads", "downloads")}
    browsers = _plans(arguments)
    origins = tuple(map(_origin, arguments.cors_origin))
    allow_hosts = tuple(_host("--allow-host", host) for host in arguments.allow_host)
    deny_hosts = tuple(_host("--deny-host", host) for host in arguments.deny_host)

    async def run() -> None:
        async with contextlib.AsyncExitStack() as stack:
            exempt: frozenset[tuple[str, int]] = frozenset()
            if arguments.demo:
                shop = await stack.enter_async_context(serve_shop())
                exempt = frozenset((host, shop.port) for host in _SHOP_HOSTS)
                say(f"the bundled shop is at {shop.url}")
            settings = Settings(
                token=token,
                host=arguments.host,
                port=arguments.port,
                browsers=browsers,
                server_names=tuple(arguments.server_name),
                origins=origins,
                schemes=frozenset({"http", "https", *(one.lower() for one in arguments.allow_scheme)}),
                allow_hosts=allow_hosts,
                deny_hosts=deny_hosts,
                allow_private=arguments.allow_private,
                exempt=exempt,
                allow_evaluate=arguments.allow_evaluate,
                upload_folders=folders["uploads"],
                download_folders=folders["downloads"],
                queue=arguments.queue,
                body_bytes=arguments.max_body,
                idle_seconds=arguments.idle,
                tabs=arguments.max_tabs,
                grace_seconds=arguments.grace,
                start_seconds=max(0.1, deadline.remaining),
                **({} if arguments.captures is None else {"captures": arguments.captures}),
            )
            await serve_until_signal(settings, started)

    def started(server: Server) -> None:
        if given is None:
            say(f"the token of this run: {token}")
        say(f"listening on {server.url}")

    trio.run(run)


def _plans(arguments: argparse.Namespace) -> tuple[BrowserPlan, ...]:
    """The browsers, those that run before those that are launched."""
    plans = []
    for text in arguments.cdp:
        name, equals, endpoint = text.partition("=")
        is_named = bool(equals) and "/" not in name and ":" not in name
        address = check_endpoint(endpoint if is_named else text)
        plans.append(BrowserPlan(id=name if is_named else DEFAULT_BROWSER, endpoint=address))
    names = arguments.launch or ([] if plans else [DEFAULT_BROWSER])
    if not names:
        for option in ("browser", "headful", "transport"):
            if getattr(arguments, option):
                raise UsageError(f"--{option} is for a browser that is launched; give --launch ID too")
    plans += [
        BrowserPlan(
            id=name,
            executable=arguments.browser,
            headless=not arguments.headful,
            transport=arguments.transport or "websocket",
        )
        for name in names
    ]
    ids = [plan.id for plan in plans]
    for name in ids:
        if not name or ids.count(name) > 1:
            raise UsageError(f"{name!r} names two browsers, or none; give each its own: --cdp ID=ENDPOINT")
    return tuple(plans)


def _folder(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise UsageError(f"{text!r} is no folder")
    return path.absolute()


def _host(option: str, text: str) -> str:
    """A rule on hosts that some host can meet. One that none meets would close or open nothing, unheard."""
    if _is_host_rule(text):
        return text
    meant = re.split(r"[/?#]", text.strip().rpartition("://")[2])[0].rpartition("@")[2]
    meant = re.sub(r":[0-9]*$", "", meant)
    if meant.startswith("."):
        meant = f"*{meant}"
    with contextlib.suppress(UnicodeError):
        meant = meant if meant.isascii() else meant.encode("idna").decode()
    # Of a network only the address would be left, of ``*:80`` a rule on everything.
    told = _is_host_rule(meant) and meant.strip("*") and not re.fullmatch(r"[^/]+/[0-9]+", text)
    hint = meant if told else "example.com, *.example.com, 203.0.113.0/24 or ::1"
    raise UsageError(
        f"{option} {text!r} fits no host: a rule is a host, whatever the scheme, port and path; write {hint}"
    )


def _is_host_rule(text: str) -> bool:
    """Whether it is a name, an address or a network, wildcards and the brackets of IPv6 included."""
    pattern = text.removeprefix("[").removesuffix("]").rstrip(".").lower()
    with contextlib.suppress(ValueError):
        return ipaddress.ip_network(pattern, strict=False) is not None
    if _NUMERIC.fullmatch(pattern):
        return read_address(pattern) is not None
    return _HOST_PATTERN.fullmatch(pattern) is not None


def _origin(text: str) -> str:
    origin = text.rstrip("/")
    if _ORIGIN.fullmatch(origin) is None:
        raise UsageError(
            f"--cors-origin {text!r} is no origin as browsers send it; write its scheme, host and port, in"
            " lower case and without a usual port: https://example.com, http://localhost:3000"
        )
    return origin
