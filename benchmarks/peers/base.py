"""What a peer is, and what all their browsers have in common."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

WIDTH, HEIGHT = 1280, 720
#: Seconds for one page.
SECONDS = 60.0
#: No page may reach a network, and no browser may do so on its own account.
OFFLINE = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
#: Chromium refuses to start as root with its sandbox.
ARGUMENTS = (*OFFLINE, "--no-sandbox")


class NotInstalled(Exception):
    """A peer is not here; the message says what would bring it."""


@dataclasses.dataclass(frozen=True)
class PeerOptions:
    """Where things are.

    Attributes:
        browser: the Chromium that each peer starts.
        node_modules: the folder ``node_modules`` that ``npm install`` made; None for none.
    """

    browser: str
    node_modules: Path | None

    def node_file(self, package: str, file: str) -> Path:
        """A file of a Node package.

        Raises:
            NotInstalled: it is not there.
        """
        if self.node_modules is None:
            raise NotInstalled(f"{package} is a Node package: give --node-modules")
        path = self.node_modules / package / file
        if not path.exists():
            raise NotInstalled(f"{self.node_modules} has no {package} ({file}): npm install {package}")
        return path.absolute()


class Peer(Protocol):
    """One library with one browser, until it is closed."""

    def text_of(self, url: str) -> str:
        """Load a page and give what a model would read of it."""

    def close(self) -> None:
        """End the browser."""
