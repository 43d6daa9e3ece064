"""WebArena's actions, done on a page of our client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridsnap.deadline import Deadline
from hybridsnap.webarena.client_tab import ClientTab
from hybridsnap.webarena.steps import Executed, perform_action, run_steps

if TYPE_CHECKING:
    from hybridsnap.client.browser import Page
    from hybridsnap.webarena.grammar import Action
    from hybridsnap.webarena.shown import Shown


#: Seconds that an action may take; as everywhere.
DEFAULT_SECONDS = 30.0


async def execute(
    action: Action, page: Page, *, shown: Shown = None, timeout: float | Deadline = DEFAULT_SECONDS
) -> Executed:
    """Do what an action says, and wait until the current page's DOM is there.

    Args:
        action: of `parse_step`.
        page: that it is done on.
        shown: what the model that gave the action had seen of the page: a webarena rendering (or its
            ``info``), or the nodes of `get_accessibility_tree`. Its ids are looked up there. Without it
            they are element ids, or AX node ids of the main frame.
        timeout: seconds, for all of it.

    Raises:
        ElementNotFound: what was shown has no such id.
        TargetError: there is no such tab.
        NavigationFailed: the address cannot be loaded, or there is nothing to go back or forward to.
        WaitTimeout: the page's DOM was not there in time.
        HybridsnapError: what the action itself raises (`hybridsnap.errors`).
    """
    return await run_steps(perform_action(action, ClientTab(page), shown, Deadline.of(timeout)))
