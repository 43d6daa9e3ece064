"""Whether what a tab shows may be told: its documents, held against the rules on addresses.

A browser that the server has launched is held to them at its door (`hybridsnap.server.egress`). What shows in
another's tabs is looked at before something is done there, and again before what came of it is told.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from typing import TYPE_CHECKING

from hybridsnap.deadline import Deadline
from hybridsnap.errors import ConnectionLost, HybridsnapError, NavigationFailed, SessionEnded
from hybridsnap.server.problems import Refused
from hybridsnap.server.showing import Document, dialog_documents, shown_documents

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from hybridsnap.server.addresses import AddressRules
    from hybridsnap.server.egress import Egress
    from hybridsnap.server.sessions import HeldTab
    from hybridsnap.snapshot import Snapshot

#: For seeing what a tab shows when something has used up its time, seconds: what was done is not to be lost
#: for that. A stuck page leaves most of it to the browser, which answers in a few milliseconds.
_VETTING_SECONDS = 0.5
#: Errors of a tab that is gone: there is nothing that they could tell of it.
_TELL_NOTHING = (ConnectionLost, SessionEnded)
#: So the browser says that its proxy did not connect.
_NO_WAY_OUT = ("net::ERR_SOCKS_CONNECTION_FAILED", "net::ERR_SOCKS_CONNECTION_HOST_UNREACHABLE")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Vetter:
    """Holds tabs against the rules.

    Attributes:
        rules: where browsers may go.
        filters: there is something that they forbid.
        egress: the way out of browsers that the server launches; None where it does not matter.
    """

    rules: AddressRules
    filters: bool
    egress: Egress | None

    @contextlib.asynccontextmanager
    async def error_of(self, held: HeldTab, deadline: Deadline) -> AsyncIterator[None]:
        """What fails in a tab tells of it, too, and is told only where what came of it would be.

        An address that the server's door refused is told so, not that a connection failed.
        """
        began = time.monotonic()
        try:
            yield
        except Exception as error:
            door = self.egress if held.keeper.launched else None
            refused = None if door is None else door.refusal_since(began)
            if refused is not None and isinstance(error, NavigationFailed) and error.reason in _NO_WAY_OUT:
                raise refused from error
            if not isinstance(error, _TELL_NOTHING):
                await self.check_done(held, deadline)
            raise

    def has_door(self, held: HeldTab) -> bool:
        """Whether its browser is held to the rules already."""
        return held.keeper.launched and self.egress is not None

    async def check(self, held: HeldTab, deadline: Deadline, snapshot: Snapshot | None = None) -> None:
        """Hold what a tab, or a snapshot of it, shows against the rules.

        A browser that we launched is held to them at its door.
        """
        if self.has_door(held):
            return
        page, vetting = held.page, held.vetting
        shown = [Document(page.url, None)]
        # A picture shows the frames, too, that are left out of the outline, and what is in them.
        is_all = snapshot is None or snapshot.screenshot is not None
        if not vetting.on or (is_all and self.filters):
            shown = await shown_documents(page, deadline)
        urls = vetting.look(shown)
        try:
            if is_all:
                await self.rules.check_shown(urls, deadline)
            if snapshot is not None:
                urls = vetting.look([*_shown(snapshot), *dialog_documents(page)])
                await self.rules.check_shown(urls, deadline)
        except Refused as refused:
            refused.remedy += "; goto elsewhere, or DELETE the tab"
            raise

    @contextlib.asynccontextmanager
    async def capture_of(self, held: HeldTab, deadline: Deadline) -> AsyncIterator[None]:
        """The report of a capture that failed tells of the page, too: its address, a dialog's words."""
        try:
            yield
        except Exception as error:
            if not isinstance(error, _TELL_NOTHING):
                await self.check(held, vetting_time(deadline))
            raise

    async def check_done(self, held: HeldTab, deadline: Deadline, files: Sequence[str] = ()) -> None:
        """`check` after something that was done, whatever comes of this.

        Args:
            held: the tab.
            deadline: of the request.
            files: addresses of downloads that it began.

        Raises:
            Refused: what it did is not told; ``done`` in its fields is true.
        """
        until = vetting_time(deadline)
        try:
            await self.check(held, until)
            if files and not self.has_door(held):
                await self.rules.check_shown(["", *files], until)  # they are shown, but not by the tab
        except Refused as refused:
            refused.fields["done"] = True
            raise
        except HybridsnapError as error:
            raise Refused(
                504,
                "AddressUnknown",
                f"it was done, but where it led cannot be told, nor held against the rules: {error}",
                "take a snapshot to see what came of it; to ask again would do it again",
                fields={"done": True},
            ) from error


def vetting_time(deadline: Deadline) -> Deadline:
    """The deadline, or a later one when hardly any time is left."""
    own = Deadline.after(_VETTING_SECONDS)
    return own if deadline.earlier(own) is deadline else deadline


def _shown(snapshot: Snapshot) -> list[Document]:
    main, *others = snapshot.report.frames
    is_all = snapshot.screenshot is not None
    shown = (Document(one.url, one.loader_id) for one in others if is_all or one.status != "excluded")
    return [Document(snapshot.report.url, main.loader_id), *shown]
