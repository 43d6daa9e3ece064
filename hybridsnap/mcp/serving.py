"""From the command line's arguments to a server that runs."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from hybridsnap.mcp.options import Options
from hybridsnap.service.host_rules import host_rule
from hybridsnap.service.usage import scheme_rule, server_name, token_of

if TYPE_CHECKING:
    import argparse


def serve(arguments: argparse.Namespace) -> None:
    """Serve until the client, or a signal, ends it.

    Raises:
        UsageError: there can be no such token, or server name; or as `options_of`.
        HybridsnapError: HTTP cannot listen where it should.
    """
    options = options_of(arguments)
    if arguments.transport == "stdio":
        from hybridsnap.mcp.stdio import serve_stdio  # noqa: PLC0415 - each transport has packages of its own

        trio.run(serve_stdio, options)
        return
    from hybridsnap.mcp.http import serve_http  # noqa: PLC0415 - the same

    trio.run(
        functools.partial(
            serve_http,
            options,
            host=arguments.host,
            port=arguments.port,
            token=token_of(arguments),
            server_names=tuple(map(server_name, arguments.server_name)),
        )
    )


def options_of(arguments: argparse.Namespace) -> Options:
    """What the arguments of ``hybridsnap mcp`` say of the tools, whichever the transport.

    Raises:
        UsageError: a rule on hosts or schemes is none.
    """
    return Options(
        cdp=arguments.cdp,
        target_id=arguments.target_id,
        browser=arguments.browser,
        headful=arguments.headful,
        viewport=arguments.viewport,
        timeout=arguments.timeout,
        max_tokens=arguments.max_tokens,
        file_folders=tuple(map(Path, arguments.files)),
        download_folder=None if arguments.downloads is None else Path(arguments.downloads),
        schemes=frozenset({"http", "https", *map(scheme_rule, arguments.allow_scheme)}),
        allow_hosts=tuple(host_rule("--allow-host", host) for host in arguments.allow_host),
        deny_hosts=tuple(host_rule("--deny-host", host) for host in arguments.deny_host),
        allow_private=arguments.allow_private,
        shared_profile=arguments.shared_profile,
        evaluate=not arguments.no_evaluate,
        structured=not arguments.text_only,
        caps=tuple(arguments.caps),
    )
