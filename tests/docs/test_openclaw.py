"""The tables for those who come from OpenClaw: every name is in them, and what they name is there."""

from __future__ import annotations

import re
from typing import Any

import hybridsnap
from hybridsnap.client.console import Console
from hybridsnap.client.emulation import Emulation
from hybridsnap.client.page_network import Network
from hybridsnap.client.storage import Storage
from hybridsnap.client.tracing import Tracing
from hybridsnap.server.openclaw.acts import ACT_KINDS
from hybridsnap.server.openclaw.routes import ROUTES
from tests.docs.blocks import DOCS

#: What OpenClaw's ``pw-ai.ts`` has exported, from February to September 2026, without ``ViaPlaywright``.
_NAMES = """
armDialog armFileUpload batch clearMediaEmulationOverride click closePage closePageByTargetId
closePlaywrightBrowserConnection cookiesClear cookiesGet cookiesSet cookiesSetMany
createObservedDialogAbortSignalForPage createPage download downloadCurrentDocument drag emulateMedia
ensurePageState evaluate executeAct fillForm focusPageByTargetId forceDisconnectPlaywrightForTarget
getConsoleMessages getDocumentIdentities getNetworkRequests getObservedBrowserState
getObservedBrowserStateForPage getPageErrors getPageForTargetId getPageText
hasCachedPlaywrightBrowserConnection highlight hover isBrowserObservedDialogBlockedError listPages
markObservedDialogsHandledRemotelyForPage navigate pdf pressKey refLocator resizeViewport
respondToObservedDialogOnPage responseBody retirePlaywrightBrowserConnection
retirePlaywrightBrowserConnectionExact screenshotWithLabels scrollIntoView selectOption setDevice
setExtraHTTPHeaders setGeolocation setHttpCredentials setInputFiles setLocale setOffline setTimezone
snapshotAi snapshotAria snapshotRole storageClear storageGet storageSet storeSnapshotRefs takeScreenshot
traceStart traceStop type upload waitFor waitForDownload
"""
_OWNERS: dict[str, Any] = {
    "hybridsnap": hybridsnap,
    "browser": hybridsnap.Browser,
    "page": hybridsnap.Page,
    "page.console": Console,
    "page.emulation": Emulation,
    "page.network": Network,
    "page.storage": Storage,
    "page.trace": Tracing,
    "snapshot": hybridsnap.Snapshot,
}
_PAGE = (DOCS / "coming-from" / "openclaw.md").read_text(encoding="utf-8")
#: ``page.console.messages(…)``: the owner, the name.
_OURS = re.compile(r"((?:page|browser|snapshot|hybridsnap)(?:\.[a-z]+)?)\.([a-z_]+|[A-Z]\w+)(?=[(`,]|$)")


def rows(heading: str) -> list[list[str]]:
    """The rows of the table below a heading, cell by cell."""
    section = _PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def spans(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def test_every_name_is_there_once() -> None:
    named = [name for theirs, _ in rows("Names") for name in spans(theirs)]
    assert sorted(named) == sorted(_NAMES.split())
    assert len(named) > 60


def test_what_the_table_names_is_there() -> None:
    found = 0
    for theirs, ours in rows("Names"):
        code = [span for span in spans(ours) if span.partition(".")[0] in _OWNERS]
        for span in code:
            if span in {"page.console", "page.network"}:
                continue
            match = _OURS.match(span)
            assert match is not None, span
            owner, name = match.groups()
            listed = f" {name}:" in (_OWNERS[owner].__doc__ or "")  # among the attributes
            assert hasattr(_OWNERS[owner], name) or listed, span
            found += 1
        assert code or "absent: " in ours or "`POST /" in ours or "`hybridsnap snapshot" in ours, theirs
    assert found > 50


def test_every_path_is_there_once() -> None:
    told = [span for theirs, _ in rows("Paths") for span in spans(theirs)]
    assert sorted(told) == sorted(f"{one.method} {one.path}" for one in ROUTES)


def test_every_kind_of_action_is_there() -> None:
    ((_, kinds),) = [row for row in rows("Paths") if row[0] == "`POST /act`"]
    assert spans(kinds) == list(ACT_KINDS)


def test_what_differs_is_said_on_both_sides() -> None:
    assert len(rows("What differs")) > 10
    assert all(len(row) == 3 and all(row) for row in rows("What differs"))
