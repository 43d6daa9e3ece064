"""The functions of MetaGPT's ``a11y_tree.py`` under their names, on our `Page`.

::

    tree = await get_accessibility_tree(page)
    text, info = parse_accessibility_tree(tree)          # what the model reads: [7] button 'Buy'
    page = await execute_step("click [7]", page, browser, tree)

Each docstring says what differs from there, and why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.act.readiness import MODEL_WAIT_SECONDS
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.drivers.operations import ready
from hybridsnap.drivers.refusals import error_of
from hybridsnap.errors import CommandRefused, HybridsnapError, NotInteractable
from hybridsnap.render.webarena import DROPPED_ROLES, IGNORED_PROPERTIES
from hybridsnap.webarena.ax_nodes import build_ax_nodes, print_ax_nodes
from hybridsnap.webarena.client_tab import ClientTab
from hybridsnap.webarena.grammar import NoAction
from hybridsnap.webarena.reader import parse_step
from hybridsnap.webarena.shown import ElementNotFound, ShownNode, backend_node_id_of, find_node, name_node
from hybridsnap.webarena.steps import WorkingTab, perform_action, portable_chord, type_into_focus

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from hybridsnap.act.receipt import Receipt
    from hybridsnap.client.browser import Browser, Page
    from hybridsnap.client.connection import Session
    from hybridsnap.webarena.shown import Shown

#: Properties that are not printed.
IGNORED_ACTREE_PROPERTIES = IGNORED_PROPERTIES
_DIRECTIONS = ("up", "down")


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
    tab = _tab_of(page)
    tab.check_browser(browser)
    action = parse_step(step, lenient=lenient)
    done = await perform_action(action, tab, accessibility_tree, Deadline.of(timeout))
    if isinstance(action, NoAction):
        return ""
    current: Page | str = done.page if done.answer is None else done.answer
    return current


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
    receipt: Receipt = await _act_on_node(page, "click", backend_node_id, wait=MODEL_WAIT_SECONDS)
    return receipt


async def hover_element(page: Page, backend_node_id: int) -> Receipt:
    """Put the pointer on an element. All else as `click_element`."""
    receipt: Receipt = await _act_on_node(page, "hover", backend_node_id, wait=MODEL_WAIT_SECONDS)
    return receipt


async def type_text(page: Page, text: str) -> None:
    """Type into whatever has the focus; a line break at the end is Enter, as MetaGPT writes it.

    Others are line breaks where there can be some, and blanks in a one-line field: they submit nothing. Where
    what has the focus takes no text the characters are pressed as keys all the same, those that the US
    keyboard has: a page may listen to them.
    """
    await type_into_focus(_tab_of(page), text, _deadline())


async def key_press(page: Page, key: str) -> Receipt:
    """Press keys together: ``Ctrl+v``; a Mac's Meta is Control on other platforms.

    The platform is the browser's own. MetaGPT's asks the page, which may say what it likes.

    Raises:
        UnknownKey: that is not a key.
    """
    pressed: Receipt = await _tab_of(page).act("press", _deadline(), chord=portable_chord(key))
    return pressed


async def scroll_page(page: Page, direction: str) -> Receipt:
    """Scroll the page by the height of the viewport.

    Raises:
        ValueError: another direction than ``up`` and ``down``, which MetaGPT's ignores.
    """
    if direction not in _DIRECTIONS:
        raise ValueError(f"a direction is up or down, not {direction!r}")
    scrolled: Receipt = await _tab_of(page).act("scroll", _deadline(), direction=direction)
    return scrolled


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
    return build_ax_nodes(await _tab_of(page).snapshot(_deadline(), layout=layout))


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
    words = str(getattr(backend_node_id, "element_id", backend_node_id))
    if isinstance(backend_node_id, ShownNode):
        target_id = getattr(cdp_session, "target_id", None)
        if target_id is None:
            target_id = (await ready(cdp_session.send("Target.getTargetInfo", {})))["targetInfo"]["targetId"]
        if target_id != backend_node_id.target_id:
            raise ElementNotFound(
                f"Element not found: {words} is in a frame of another process, which this session does not"
                " reach; use page.bounding_box",
                element_id=words,
            )
    asked = {"backendNodeId": int(backend_node_id)}
    try:
        quads = (await ready(cdp_session.send("DOM.getContentQuads", asked)))["quads"]
    except Exception as raised:
        error = raised if isinstance(raised, HybridsnapError) else error_of("DOM.getContentQuads", raised)
        if not isinstance(error, CommandRefused):
            raise
        if "compute content quads" not in error.reason:
            raise ElementNotFound(f"Element not found: {words} is gone", element_id=words) from error
        quads = []
    if not quads:
        raise NotInteractable(
            f"element {words} is not laid out: it stands nowhere", element_id=words, reason="not displayed"
        )
    across = [x for quad in quads for x in quad[::2]]
    down = [y for quad in quads for y in quad[1::2]]
    left, top, right, bottom = min(across), min(down), max(across), max(down)
    value = {
        "x": left,
        "y": top,
        "width": right - left,
        "height": bottom - top,
        "top": top,
        "right": right,
        "bottom": bottom,
        "left": left,
    }
    return {"result": {"type": "object", "value": value}}


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
    html: str = await _act_on_node(page, "outer_html", backend_node_id)
    return html


async def get_page_cdp_session(page: Page) -> Session:
    """The page's session for raw commands: always the same one, and over when the page is closed.

    It is `Page.session`, which every page has from the beginning; none is opened here. MetaGPT's opens one
    and attaches it to the page, where it is never closed.

    Raises:
        TargetDetached: the page is closed.
    """
    session: Session = await _tab_of(page).session()
    return session


def _tab_of(page: Page | WorkingTab) -> WorkingTab:
    """The page as a tab for steps; pages of other drivers come as such (`hybridsnap.webarena.callers`)."""
    return page if isinstance(page, WorkingTab) else ClientTab(page)


async def _act_on_node(page: Page, action: str, backend_node_id: int, **options: Any) -> Any:
    element, naming = name_node(backend_node_id)
    return await _tab_of(page).act(action, _deadline(), element=element, **naming, **options)


def _deadline() -> Deadline:
    return Deadline.after(DEFAULT_TIMEOUT)
