"""Saving the download that an action begins, where its address is allowed."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import msgspec

from hybridsnap.act.receipt import Receipt
from hybridsnap.errors import DownloadFailed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hybridsnap.client.download_tracker import Download
    from hybridsnap.deadline import Deadline
    from hybridsnap.service.content_policy import CheckedTab, ContentPolicy


@contextlib.asynccontextmanager
async def saving_download(
    content: ContentPolicy, tab: CheckedTab, folder: Path, *, max_bytes: int | None = None, deadline: Deadline
) -> AsyncIterator[Download]:
    """Save the download that begins in the block.

    Args:
        content: the rules that its address has to meet.
        tab: that begins it.
        folder: where it is saved.
        max_bytes: a larger one is cancelled.
        deadline: for the file to be complete.

    Raises:
        DownloadFailed: it was not saved.
        ApiError: its address is refused; nothing is left of the file.
    """
    try:
        async with tab.page.expect_download(folder, max_bytes=max_bytes, timeout=deadline) as download:
            yield download
            await content.check_done(tab, deadline, [download.url])
    except DownloadFailed as error:
        await content.check_done(tab, deadline, [error.url])
        raise
    try:  # it need not have begun when the action had ended
        await content.check_done(tab, deadline, [download.url])
    except BaseException:
        if download.path is not None:
            download.path.unlink(missing_ok=True)
        raise


def tell_saved(result: Any, download: Download) -> Any:
    """What an action came to, once the download that it may have begun is saved: its receipt was made before.

    Args:
        result: a receipt, a tuple of receipts, or anything else, which is returned as it is.
        download: that is saved.
    """
    if isinstance(result, tuple):
        return tuple(tell_saved(one, download) for one in result)
    if not isinstance(result, Receipt) or download.path is None:
        return result
    told = tuple(
        msgspec.structs.replace(one, path=str(download.path), under_way=False)
        if (one.url, one.file_name) == (download.url, download.suggested_name)
        else one
        for one in result.downloads
    )
    return msgspec.structs.replace(result, downloads=told)
