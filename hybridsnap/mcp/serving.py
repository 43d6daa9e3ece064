"""From the command line's arguments to a server that runs."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from hybridsnap.mcp.desk import Options

if TYPE_CHECKING:
    import argparse

#: Gives the token of HTTP, where no argument does.
TOKEN_VARIABLE = "HYBRIDSNAP_TOKEN"  # noqa: S105 - its name


def serve(arguments: argparse.Namespace) -> None:
    """Serve until the client, or a signal, ends it.

    Args:
        arguments: of ``hybridsnap mcp``, checked.

    Raises:
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
            token=arguments.token or os.environ.get(TOKEN_VARIABLE) or None,
            allow_hosts=arguments.allow_host,
        )
    )
