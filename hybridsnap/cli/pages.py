"""The page that a command is about: of a browser that runs, or of one that is launched."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from hybridsnap.cli.checks import url_of
from hybridsnap.cli.output import say
from hybridsnap.cli.permissions import grant_permissions
from hybridsnap.deadline import LOADING_SHARE
from hybridsnap.errors import EndpointError, TargetError
from hybridsnap.model import FIRST_ERROR_STATUS
from hybridsnap.service.usage import UsageError, check_endpoint
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Sequence

    from hybridsnap.client.browser import Browser, Page
    from hybridsnap.client.requests import ActionRequest
    from hybridsnap.deadline import Deadline
    from hybridsnap.webarena import Action


def choose_page(arguments: argparse.Namespace, deadline: Deadline) -> str | None:
    """Whether ENDPOINT-OR-URL is a running browser (None, and ``arguments.cdp``) or a URL to open."""
    given = arguments.endpoint
    arguments.cdp = None
    if given.startswith(("ws://", "wss://")):
        arguments.cdp = check_endpoint(given)
    elif re.fullmatch(r"https?://[^/]+/?", given):
        # A bare origin may be either: a browser says so.
        import trio

        from hybridsnap.client.endpoint import resolve_endpoint

        try:
            arguments.cdp = trio.run(resolve_endpoint, given, None, deadline.share(LOADING_SHARE / 2))
        except EndpointError as error:
            # Who refuses is neither a browser nor a web server; who is silent may be a browser that is busy.
            if error.refused or error.silent:
                raise
    if arguments.cdp is None:
        if arguments.target_id is not None:
            raise UsageError(f"--target-id names a page of a running browser; {given} is none")
        return url_of(given, "ENDPOINT-OR-URL")
    for option in ("browser", "headful", "transport"):
        if getattr(arguments, option):
            raise UsageError(f"--{option} is for a browser that is launched; {given} runs already")
    return None


async def go(page: Page, url: str | None, arguments: argparse.Namespace, deadline: Deadline) -> None:
    """Go to the address that was given, if one was; an answer that is an error is told, and is a page too."""
    if url is None:
        return
    came = await page.goto(url, wait=arguments.wait, timeout=deadline.share(LOADING_SHARE))
    if came.status is not None and came.status >= FIRST_ERROR_STATUS:
        say(f"hybridsnap: {clean_text(came.url)} was answered with HTTP {came.status}")
    if came.pending:
        hint = "" if came.ended_by == "traffic" else "; --wait load waits for all of it"
        say(f"hybridsnap: {clean_text(came.url)}{came.pending}{hint}")


@contextlib.asynccontextmanager
async def opened_page(
    arguments: argparse.Namespace,
    url: str | None,
    deadline: Deadline,
    actions: Sequence[Action | ActionRequest] = (),
) -> AsyncIterator[Page]:
    """The page that is meant, with what the options set; its storage state is saved in the end, if asked."""
    from hybridsnap.client.storage_state import load_state

    state = None
    if arguments.storage_state is not None:
        try:
            state = await load_state(arguments.storage_state)
        except (OSError, ValueError) as error:
            raise UsageError(f"--storage-state: {error}") from error
    async with _plain_page(arguments, url, deadline, actions) as page:
        if state is not None:
            await page.storage.restore(state, timeout=deadline)
        # A grant refuses all others, also the one that comes with an emulated place.
        kept = [name for name, _ in arguments.emulate if name == "geolocation"]
        await grant_permissions(page, arguments.grant, url, deadline, kept=kept)
        if arguments.device is not None or arguments.emulate:
            await _emulate(page, arguments, deadline)
        for glob, action in arguments.route:
            await page.network.route(glob, action, timeout=deadline)
        yield page
        if arguments.save_storage_state is not None:
            await page.storage_state(path=arguments.save_storage_state, timeout=deadline)


async def _emulate(page: Page, arguments: argparse.Namespace, deadline: Deadline) -> None:
    from hybridsnap.service.emulating import emulate

    settings = dict(arguments.emulate)
    if arguments.viewport is not None:  # goes before the device's
        settings.setdefault("viewport", arguments.viewport)
    try:
        await emulate(page, settings, deadline, device=arguments.device)
    except (ValueError, TypeError) as error:
        raise UsageError(f"--emulate {error}") from error


@contextlib.asynccontextmanager
async def _plain_page(
    arguments: argparse.Namespace,
    url: str | None,
    deadline: Deadline,
    actions: Sequence[Action | ActionRequest],
) -> AsyncIterator[Page]:
    """A tab of ours is closed after."""
    from hybridsnap.client.launch import connect, launch
    from hybridsnap.client.viewport import DEFAULT_VIEWPORT

    if arguments.cdp is None:
        async with launch(
            arguments.browser,
            headless=not arguments.headful,
            transport=arguments.transport,
            viewport=arguments.viewport or DEFAULT_VIEWPORT,
            timeout=deadline,
        ) as browser:
            yield await browser.new_page(timeout=deadline)
        return
    async with connect(arguments.cdp, timeout=deadline) as browser:
        browser.viewport = arguments.viewport
        if url is None:
            if actions and arguments.target_id is None:
                from hybridsnap.cli.act import page_to_begin

                yield await page_to_begin(browser, actions, deadline)
            else:
                yield await _open_page(browser, arguments.target_id, deadline)
            return
        page = await browser.new_page(timeout=deadline)
        try:
            yield page
        finally:
            await page.close()


async def _open_page(browser: Browser, target_id: str | None, deadline: Deadline) -> Page:
    try:
        return await browser.page(target_id, timeout=deadline)
    except TargetError as error:
        if target_id is None and len(error.target_ids) > 1:
            from hybridsnap.cli.act import several_pages
            from hybridsnap.webarena.numbering import numbered_tabs

            raise several_pages(await numbered_tabs(browser, deadline)) from error
        raise
