"""MetaGPT's functions as steps: one source for `a11y_tree`, `sync` and `aio`.

`hybridsnap.webarena.a11y_tree` documents each function (there without ``_steps``); here the page is a
`WorkingTab`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.act.readiness import MODEL_WAIT_SECONDS
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.drivers.refusals import error_of
from hybridsnap.errors import CommandRefused, HybridsnapError, NotInteractable
from hybridsnap.webarena.ax_nodes import build_ax_nodes
from hybridsnap.webarena.grammar import NoAction
from hybridsnap.webarena.reader import parse_step
from hybridsnap.webarena.shown import ElementNotFound, ShownNode, name_node
from hybridsnap.webarena.steps import WorkingTab, perform_action, portable_chord, type_into_focus

if TYPE_CHECKING:
    from hybridsnap.act.receipt import Receipt
    from hybridsnap.drivers.operations import Steps
    from hybridsnap.webarena.shown import Shown

_DIRECTIONS = ("up", "down")


def execute_step_steps(
    step: str,
    tab: WorkingTab,
    browser: Any,  # noqa: ARG001 - MetaGPT's; the tab knows its own
    accessibility_tree: Shown = None,
    *,
    lenient: bool = True,
    timeout: float | Deadline = DEFAULT_TIMEOUT,
) -> Steps[Any]:
    """The page that is current afterwards, or the answer."""
    action = parse_step(step, lenient=lenient)
    done = yield from perform_action(action, tab, accessibility_tree, Deadline.of(timeout))
    if isinstance(action, NoAction):
        return ""
    return done.page if done.answer is None else done.answer


def click_element_steps(tab: WorkingTab, backend_node_id: int) -> Steps[Receipt]:
    """Click on an element."""
    done: Receipt = yield from _act_on_node(tab, "click", backend_node_id, wait=MODEL_WAIT_SECONDS)
    return done


def hover_element_steps(tab: WorkingTab, backend_node_id: int) -> Steps[Receipt]:
    """Put the pointer on an element."""
    done: Receipt = yield from _act_on_node(tab, "hover", backend_node_id, wait=MODEL_WAIT_SECONDS)
    return done


def get_element_outer_html_steps(tab: WorkingTab, backend_node_id: int) -> Steps[str]:
    """An element's outer HTML."""
    done: str = yield from _act_on_node(tab, "outer_html", backend_node_id)
    return done


def _act_on_node(tab: WorkingTab, action: str, backend_node_id: int, **options: Any) -> Steps[Any]:
    element, naming = name_node(backend_node_id)
    return (yield tab.act(action, _deadline(), element=element, **naming, **options))


def type_text_steps(tab: WorkingTab, text: str) -> Steps[None]:
    """Type into whatever has the focus."""
    yield from type_into_focus(tab, text, _deadline())


def key_press_steps(tab: WorkingTab, key: str) -> Steps[Receipt]:
    """Press keys together."""
    pressed: Receipt = yield tab.act("press", _deadline(), chord=portable_chord(key))
    return pressed


def scroll_page_steps(tab: WorkingTab, direction: str) -> Steps[Receipt]:
    """Scroll the page by the height of the viewport."""
    if direction not in _DIRECTIONS:
        raise ValueError(f"a direction is up or down, not {direction!r}")
    scrolled: Receipt = yield tab.act("scroll", _deadline(), direction=direction)
    return scrolled


def get_accessibility_tree_steps(tab: WorkingTab, *, layout: bool = False) -> Steps[list[dict[str, Any]]]:
    """The page's accessibility nodes."""
    return build_ax_nodes((yield tab.snapshot(_deadline(), layout=layout)))


def get_bounding_rect_steps(cdp_session: Any, backend_node_id: str | int) -> Steps[dict[str, Any]]:
    """Where an element or a text stands, in the form of a CDP reply."""
    words = str(getattr(backend_node_id, "element_id", backend_node_id))
    if isinstance(backend_node_id, ShownNode):
        target_id = getattr(cdp_session, "target_id", None)
        if target_id is None:
            target_id = (yield cdp_session.send("Target.getTargetInfo", {}))["targetInfo"]["targetId"]
        if target_id != backend_node_id.target_id:
            raise ElementNotFound(
                f"Element not found: {words} is in a frame of another process, which this session does not"
                " reach; use page.bounding_box",
                element_id=words,
            )
    asked = {"backendNodeId": int(backend_node_id)}
    try:
        quads = (yield cdp_session.send("DOM.getContentQuads", asked))["quads"]
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


def _deadline() -> Deadline:
    return Deadline.after(DEFAULT_TIMEOUT)
