"""From the command line's arguments to a server that runs."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from hybridsnap.arguments import token_of
from hybridsnap.mcp.desk import Options

if TYPE_CHECKING:
    import argparse


def serve(arguments: argparse.Namespace) -> None:
    """Serve until the client, or a signal, ends it.

    Args:
        arguments: of ``hybridsnap mcp``, checked.

    Raises:
        UsageError: there can be no such token.
        HybridsnapError: HTTP cannot listen where it should.
    """
    options = Options(
        cdp=arguments.cdp,
        target_id=arguments.target_id,
        browser=arguments.browser,
        headful=arguments.headful,
        timeout=arguments.timeout,
        max_tokens=arguments.max_tokens,
        files=tuple(map(Path, arguments.files)),
        evaluate=not arguments.no_evaluate,
        structured=not arguments.text_only,
    )
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
            allow_hosts=arguments.allow_host,
        )
    )
