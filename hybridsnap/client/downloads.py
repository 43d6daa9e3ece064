"""Taking the download that a page begins; `hybridsnap.client.download_tracker` has the facts."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import trio

from hybridsnap.argument_checks import check_whole
from hybridsnap.client.file_names import make_folder, move_into
from hybridsnap.errors import DownloadFailed
from hybridsnap.render.report import shorten_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hybridsnap.client.download_tracker import Download, ExpectedDownload
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.deadline import Deadline


class Downloads:
    """The part of a page that downloads."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        tracker, page = context.browser.downloads, context.attachment
        tracker.follow(page)
        page.on("Page.downloadWillBegin", lambda _, params: tracker.began(params, page))
        page.on("Page.downloadProgress", lambda _, params: tracker.progressed(params))

    @contextlib.asynccontextmanager
    async def expect(
        self, folder: str | os.PathLike[str], max_bytes: int | None, deadline: Deadline
    ) -> AsyncIterator[Download]:
        """Take the download that begins in this block: `hybridsnap.Page.expect_download`."""
        if not isinstance(folder, str | os.PathLike):
            raise TypeError(f"folder: expected a path such as 'files', got {folder!r}")
        check_whole("max_bytes", max_bytes, 0, optional=True)
        place = await trio.to_thread.run_sync(make_folder, folder)
        tracker = self._context.browser.downloads
        async with tracker.expecting(self._context.attachment, max_bytes, deadline) as expected:
            download = expected.download
            yield download
            await self._downloaded(expected, deadline)
            download.path = await trio.to_thread.run_sync(
                _save, tracker.private_path(download), place, download
            )

    async def _downloaded(self, expected: ExpectedDownload, deadline: Deadline) -> None:
        """Wait until it is complete.

        Raises:
            DownloadFailed: it will not be.
        """
        download = expected.download
        session = self._context.attachment.root.session
        connection = self._context.connection

        def over() -> bool:
            if download.guid is None:
                return session.ended is not None
            # Of a download that began before a drop nothing is heard after it.
            return download.ended or expected.too_large or connection.drops != expected.drops

        await self._context.attachment.wait_until(over, deadline, outlasts_drops=True)
        shown = shorten_url(download.url)
        if expected.too_large:
            raise DownloadFailed(
                f"{shown} is larger than {expected.max_bytes} bytes", url=download.url, reason="too large"
            )
        if download.state == "complete":
            return
        if download.guid is not None or connection.lost:
            connection.check(expected.drops, "during a download", may_have_been_executed=True)
        if download.state == "failed":
            raise DownloadFailed(
                f"the download of {shown} was cancelled, or the server broke it off after"
                f" {download.received} bytes",
                url=download.url,
                reason="cancelled",
            )
        if download.guid is not None:
            raise DownloadFailed(
                f"{shown} was not downloaded in time: {download.received} of {download.total or '?'} bytes"
                " had come",
                url=download.url,
                reason="timeout",
            )
        if session.ended is not None:
            raise session.error()
        missed = "; the connection dropped meanwhile, and what began then was not heard of"
        words = "no download began in time" + (missed if connection.drops != expected.drops else "")
        raise DownloadFailed(words, url="", reason="none")


def _save(source: Path, folder: Path, download: Download) -> Path:
    if not source.is_file():
        raise DownloadFailed(
            f"the browser saved {shorten_url(download.url)} where this process cannot find it; does it run on"
            " another machine, or in a container?",
            url=download.url,
            reason="out of reach",
        )
    return move_into(source, folder, download.suggested_name)
