"""``hybridsnap serve``: what the command line says, as settings, and the server until a signal ends it."""

from __future__ import annotations

import contextlib
import re
import secrets
from typing import TYPE_CHECKING

import trio

from hybridsnap.client.viewport import DEFAULT_VIEWPORT
from hybridsnap.demo.server import serve_shop
from hybridsnap.server.lifecycle import serve_until_signal
from hybridsnap.server.settings import Settings
from hybridsnap.service.browser_pool import DEFAULT_BROWSER, BrowserPlan
from hybridsnap.service.host_rules import host_rule
from hybridsnap.service.usage import UsageError, check_endpoint, folder_of, scheme_rule, server_name, token_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from hybridsnap.client.page_context import Recorded
    from hybridsnap.deadline import Deadline
    from hybridsnap.server.lifecycle import Server

#: Hosts that the bundled shop is served at.
_SHOP_HOSTS = ("127.0.0.1", "localhost", "::1")
#: As browsers send it: in lower case, without the port that goes without saying.
_ORIGIN = re.compile(
    r"null|(?!https://.*:443$|http://.*:80$)[a-z][a-z0-9+.-]*://(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?"
)


def serve_command(arguments: argparse.Namespace, deadline: Deadline, say: Callable[[str], None]) -> None:
    """Serve as the command line says.

    Raises:
        UsageError: the options do not go together, or one could never take effect.
        HybridsnapError: it cannot be served there, or a browser cannot be had.
    """
    given = token_of(arguments)
    token = secrets.token_urlsafe(24) if given is None else given
    folders = {
        name: tuple(folder_of(f"--{name}", one) for one in getattr(arguments, name))
        for name in ("uploads", "downloads")
    }
    names = tuple(map(server_name, arguments.server_name))
    schemes = frozenset({"http", "https", *map(scheme_rule, arguments.allow_scheme)})
    browsers = _plans(arguments)
    origins = tuple(map(_origin, arguments.cors_origin))
    allow_hosts = tuple(host_rule("--allow-host", host) for host in arguments.allow_host)
    deny_hosts = tuple(host_rule("--deny-host", host) for host in arguments.deny_host)

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
                server_names=names,
                origins=origins,
                schemes=schemes,
                allow_hosts=allow_hosts,
                deny_hosts=deny_hosts,
                allow_private=arguments.allow_private,
                exempt=exempt,
                shared_profile=arguments.shared_profile,
                openclaw=arguments.openclaw,
                allow_evaluate=arguments.allow_evaluate,
                allow_storage=not arguments.no_storage,
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
    # The question comes after what it is about.
    record: tuple[Recorded, ...] = () if arguments.no_record else ("console", "network")
    for text in arguments.cdp:
        name, equals, endpoint = text.partition("=")
        is_named = bool(equals) and "/" not in name and ":" not in name
        address = check_endpoint(endpoint if is_named else text)
        id_ = name if is_named else DEFAULT_BROWSER
        plans.append(BrowserPlan(id=id_, endpoint=address, record=record))
    names = arguments.launch or ([] if plans else [DEFAULT_BROWSER])
    if not names:
        for option in ("browser", "headful", "transport", "viewport"):
            if getattr(arguments, option):
                raise UsageError(f"--{option} is for a browser that is launched; give --launch ID too")
    plans += [
        BrowserPlan(
            id=name,
            executable=arguments.browser,
            headless=not arguments.headful,
            transport=arguments.transport,
            viewport=arguments.viewport or DEFAULT_VIEWPORT,
            record=record,
        )
        for name in names
    ]
    ids = [plan.id for plan in plans]
    for name in ids:
        if not name or ids.count(name) > 1:
            what = f"two browsers have the id {name!r}" if name else "a browser's id is empty"
            raise UsageError(f"{what}; give each its own: --cdp ID=ENDPOINT, --launch ID")
    return tuple(plans)


def _origin(text: str) -> str:
    origin = text.rstrip("/")
    if _ORIGIN.fullmatch(origin) is None:
        raise UsageError(
            f"--cors-origin {text!r} is not an origin as browsers send it; write its scheme, host and port,"
            " in lower case and without a usual port: https://example.com, http://localhost:3000"
        )
    return origin
