"""What an MCP server was told when it was started."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from hybridsnap.service.addresses import AddressRules

if TYPE_CHECKING:
    from pathlib import Path


class ToolError(Exception):
    """A call that cannot be done; the message is one line in our own words, and says what to do."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Options(AddressRules):
    """How an MCP server behaves; which addresses it allows, see `AddressRules`.

    Files below `file_folders` may be visited, and given to pages.

    Attributes:
        cdp: the endpoint of a running browser; None launches one.
        target_id: the page of it to begin with.
        browser: the executable to launch.
        headful: with a window.
        viewport: of its pages, width and height in CSS px; None for 1280 × 720 in a browser that is launched,
            and for what each page has in one that runs.
        timeout: seconds for each call.
        max_tokens: of page text in a result, where the call says nothing.
        download_folder: where downloads are saved that a call asks for; None saves none.
        evaluate: whether there is a tool that runs scripts.
        structured: whether results have structured content.
        caps: further tools, by the names of `hybridsnap.mcp.caps.CAPS`.
        shared_profile: clients over HTTP share the browser's own cookies and storage; otherwise each has a
            browser context of its own.
    """

    cdp: str | None = None
    target_id: str | None = None
    browser: str | None = None
    headful: bool = False
    viewport: tuple[int, int] | None = None
    timeout: float = 30.0
    max_tokens: int = 1000
    download_folder: Path | None = None
    evaluate: bool = True
    structured: bool = True
    caps: tuple[str, ...] = ()
    shared_profile: bool = False
