"""The functions of MetaGPT's ``a11y_tree.py`` under their names, on our `Page`.

::

    tree = await get_accessibility_tree(page)
    text, info = parse_accessibility_tree(tree)          # what the model reads: [7] button 'Buy'
    page = await execute_step("click [7]", page, browser, tree)

Each docstring says what differs from there, and why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.deadline import DEFAULT_TIMEOUT
from hybridsnap.drivers.operations import run_steps
from hybridsnap.render.webarena import DROPPED_ROLES
from hybridsnap.webarena.ax_nodes import print_ax_nodes
from hybridsnap.webarena.client_tab import ClientTab
from hybridsnap.webarena.functions import (
    click_element_steps,
    execute_step_steps,
    get_accessibility_tree_steps,
    get_bounding_rect_steps,
    get_element_outer_html_steps,
    hover_element_steps,
    key_press_steps,
    scroll_page_steps,
    type_text_steps,
)
from hybridsnap.webarena.shown import backend_node_id_of, find_node

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from hybridsnap.act.receipt import Receipt
    from hybridsnap.client.browser import Browser, Page
    from hybridsnap.client.connection import Session
    from hybridsnap.deadline import Deadline
    from hybridsnap.webarena.shown import Shown

#: Properties that are not printed.
IGNORED_ACTREE_PROPERTIES = (
    "focusable",
    "editable",
    "readonly",
    "level",
    "settable",
    "multiline",
    "invalid",
)


async def execute_step(
    step: str,
    page: Page,
    browser: Browser,
    accessibility_tree: Shown = None,
    *,
    lenient: bool = True,
    timeout: float | Deadline = DEFAULT_TIMEOUT,
) -> Page | str:
    """Do what a step says.

    It reads steps as MetaGPT's does (``click[7]``, words behind an action), which is what `parse_step` calls
    lenient; it says of a step that is none where it goes wrong. An id is that of an element of the tree, not
    of whatever has this number when the click comes: where that is gone, the step is refused
    (`StaleElement`). And a step that cannot be done is an error, where MetaGPT's may do nothing: to go back
    where there is nothing to go back to.

    Args:
        step: such as ``type [7] [hello] [1]``.
        page: that is current.
        browser: whose tabs ``tab_focus`` counts, in the order in which they were opened.
        accessibility_tree: what the model was shown: of `get_accessibility_tree`, or the ``info`` of
            `parse_accessibility_tree` or of a webarena rendering.
        lenient: False takes only what `parse_step` takes by itself.
        timeout: seconds.

    Returns:
        The page that is current afterwards (the one given is another one then, when the step was about
        tabs), its DOM loaded; ``""`` for ``None``; the answer for ``stop``.

    Raises:
        StepError: it is not an action. A `ValueError`.
        ElementNotFound: the tree has no such id. A `ValueError`.
        HybridsnapError: what the action raises, as it is, and not made into a `ValueError`.
    """
    if page.browser is not browser:
        raise ValueError("the page is one of another browser")
    return await run_steps(
        execute_step_steps(
            step, ClientTab(page), browser, accessibility_tree, lenient=lenient, timeout=timeout
        )
    )


async def click_element(page: Page, backend_node_id: int) -> Receipt:
    """Click on an element.

    The point is found when the element has been scrolled into view and stands still, frames and nested
    scroll containers included, and it is checked that nothing covers it. MetaGPT's takes the middle of a
    rectangle of before the scrolling.

    Args:
        page: that shows it.
        backend_node_id: of `get_backend_node_id`. A plain number is one of the main frame.

    Returns:
        What it did (MetaGPT's returns nothing).

    Raises:
        StaleElement: it is gone, or is not what the tree showed.
        ElementCovered, NotInteractable: it could not be clicked; nothing was.
    """
    return await run_steps(click_element_steps(ClientTab(page), backend_node_id))


async def hover_element(page: Page, backend_node_id: int) -> Receipt:
    """Put the pointer on an element. All else as `click_element`."""
    return await run_steps(hover_element_steps(ClientTab(page), backend_node_id))


async def type_text(page: Page, text: str) -> None:
    """Type into whatever has the focus; a line break at the end is Enter, as MetaGPT writes it.

    Others are line breaks where there can be some, and blanks in a one-line field: they submit nothing. Where
    what has the focus takes no text the characters are pressed as keys all the same, those that the US
    keyboard has: a page may listen to them.
    """
    await run_steps(type_text_steps(ClientTab(page), text))


async def key_press(page: Page, key: str) -> Receipt:
    """Press keys together: ``Ctrl+v``; a Mac's Meta is Control on other platforms.

    The platform is the browser's own. MetaGPT's asks the page, which may say what it likes.

    Raises:
        UnknownKey: that is not a key.
    """
    return await run_steps(key_press_steps(ClientTab(page), key))


async def scroll_page(page: Page, direction: str) -> Receipt:
    """Scroll the page by the height of the viewport.

    Raises:
        ValueError: another direction than ``up`` and ``down``, which MetaGPT's ignores.
    """
    return await run_steps(scroll_page_steps(ClientTab(page), direction))


async def get_accessibility_tree(page: Page, *, layout: bool = False) -> list[dict[str, Any]]:
    """The page's accessibility nodes, each once, the main frame's root first.

    It is a whole snapshot, of all frames; MetaGPT's has the main frame alone. Ids of other frames have the
    frame's ordinal before them (``1-7``), and their roots hang below the elements that hold the frames, so
    the list is one tree. A node with something in the DOM also has ``elementId``, ``snapshotId`` and
    ``targetId``, by which steps and `get_backend_node_id` know it again; a root has its ``frameId``.

    Args:
        page: to look at.
        layout: measure where things stand: ``union_bound``, None otherwise.

    Raises:
        CaptureFailed: not even the main frame could be read. A frame that could not be is a node of role
            ``!``.
    """
    return await run_steps(get_accessibility_tree_steps(ClientTab(page), layout=layout))


def parse_accessibility_tree(
    accessibility_tree: Sequence[Mapping[str, Any]],
    *,
    ignored_properties: Collection[str] = IGNORED_ACTREE_PROPERTIES,
    dropped_roles: Collection[str] = DROPPED_ROLES,
) -> tuple[str, dict[str, dict[str, Any]]]:
    r"""The tree as text: ``[7] button 'Buy' hasPopup: menu``, a tab a level.

    MetaGPT's swallows any error in a node: as no node of its tree has a ``union_bound``, every line makes
    one there, the info stays empty and nothing is indented. Here ``union_bound`` may be missing, only a node
    without a role or a name makes no line, and a list that is none raises. Nodes that nothing can be done to
    (generated content, a second node of one element) make no line either, their children do. Page text
    cannot begin a line or a property. Deep trees and rings in it do no harm.

    Args:
        accessibility_tree: of `get_accessibility_tree`, or the ``nodes`` of the browser's own
            ``Accessibility.getFullAXTree``.
        ignored_properties: not printed.
        dropped_roles: not printed when they have neither a name nor a property.

    Returns:
        The text, and for each id in it ``backend_id``, ``union_bound`` (x, y, width, height, or None) and
        ``text``, its line.

    Raises:
        TypeError, KeyError: it is not a list of nodes.
    """
    return print_ax_nodes(accessibility_tree, frozenset(ignored_properties), frozenset(dropped_roles))


def get_backend_node_id(element_id: str | int, accessibility_tree: Sequence[Mapping[str, Any]]) -> int:
    """The backend node id of a node of the tree.

    Of a tree of `get_accessibility_tree` it is a `ShownNode`, a number that remembers its frame: a number
    alone is also one of another frame's.

    Args:
        element_id: an AX node id (``7``), or an element id (``0-7``).
        accessibility_tree: where it stands.

    Raises:
        ElementNotFound: there is no such node, or it has no DOM node (None in MetaGPT's). A `ValueError`.
    """
    return backend_node_id_of(find_node(str(element_id), accessibility_tree))


async def get_bounding_rect(cdp_session: Session, backend_node_id: str | int) -> dict[str, Any]:
    """Where an element or a text stands, in the form of a CDP reply: ``["result"]["value"]["x"]``.

    The browser is asked for the box. MetaGPT's runs a script in the page's own world, which the page can
    falsify, and leaves a handle on the node behind. It also counts from the frame that the node is in; here
    x and y are CSS px of the viewport of the page, or of the frame whose own session it is.

    Args:
        cdp_session: of `get_page_cdp_session`.
        backend_node_id: of a node that this session reaches.

    Returns:
        ``{"result": {"type": "object", "value": {x, y, width, height, top, right, bottom, left}}}``

    Raises:
        ElementNotFound: the node is gone, or is in a frame of another process. A `ValueError`.
        NotInteractable: it is not laid out, and stands nowhere.
        HybridsnapError: anything else, as it is.
    """
    return await run_steps(get_bounding_rect_steps(cdp_session, backend_node_id))


async def get_element_center(node_info: Mapping[str, float]) -> tuple[float, float]:
    """The middle of a rectangle of `get_bounding_rect`: x, y.

    It is a place on the screen for the moment only, and may be covered: `click_element` does not use it.
    """
    return node_info["x"] + node_info["width"] / 2, node_info["y"] + node_info["height"] / 2


async def get_element_outer_html(page: Page, backend_node_id: int) -> str:
    """An element's outer HTML.

    Raises:
        StaleElement: it is gone, or is not what the tree showed.
        HybridsnapError: anything else, as it is; MetaGPT's calls everything "Element not found".
    """
    return await run_steps(get_element_outer_html_steps(ClientTab(page), backend_node_id))


async def get_page_cdp_session(page: Page) -> Session:
    """The page's session for raw commands: always the same one, and over when the page is closed.

    It is `Page.session`, which every page has from the beginning; none is opened here. MetaGPT's opens one
    and attaches it to the page, where it is never closed.

    Raises:
        TargetDetached: the page is closed.
    """
    if page.session.ended == "detached":
        raise page.session.error()
    return page.session
