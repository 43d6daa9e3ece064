"""From element ids to the drivers' own objects, and back.

- `to_locator`: Playwright has no handle on a node that another session knows. So a locator is made of where
  the element stands: frame by frame, with an XPath to the first shadow host and from there step by step.
  Nothing is written into the page. Like any locator it is looked up anew whenever it is used: it names a
  position, not the node.
- `to_web_element`: ChromeDriver's own names of elements are frame, document and backend node id; one is put
  together. It means this very node, also in closed shadow roots, or nothing.
- `id_of`: the reverse of both.

An id is first held against the page, as for an action (`hybridsnap.act.naming`); each of these takes a few
round trips.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, overload

from hybridsnap.act.naming import name_place, resolve_element
from hybridsnap.act.remote_call import call_on
from hybridsnap.capture.node_resolver import NodeRef
from hybridsnap.drivers.operations import ready, run_blocking
from hybridsnap.drivers.refusals import error_of
from hybridsnap.drivers.type_checks import check_has, check_id
from hybridsnap.errors import HybridsnapError, NotInteractable, UnknownElement
from hybridsnap.model import BackendNodeId, ElementId, FrameId
from hybridsnap.protocol.commands import call_function, describe_node
from hybridsnap.protocol.plan import gather

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator, Sequence

    from playwright import async_api, sync_api
    from selenium.webdriver.chromium.webdriver import ChromiumDriver
    from selenium.webdriver.remote.webelement import WebElement

    from hybridsnap.act.element import Element
    from hybridsnap.act.element_history import ElementHistory
    from hybridsnap.capture.node_resolver import NodeResolver
    from hybridsnap.protocol.plan import Plan

_INHERITED = """
  const inherited = (on, name) => {
    let at = on;
    do at = Object.getPrototypeOf(at); while (at && !Object.hasOwn(at, name));
    return at ? Reflect.get(at, name, on) : undefined;
  };
"""
#: An element's place in its document: for the document and each shadow root on the way the positions among
#: sister elements, and how many of the light children come before where a selector looks into both. Accessors
#: are taken off the prototypes, as in `injected/*.js`; these are found from the node itself,
#: as it runs among the page's own names too (``class Node``).
#:
#: What stands in a root that its host does not tell of (closed, or the browser's own) is hidden. The root's
#: ``mode`` is not asked: read from a root of the browser's own it ends the renderer (measured, Chromium 156).
_STEPS = (
    """function (given) {"""
    + _INHERITED
    + """
  let node = given === undefined ? this : given;
  if (inherited(node, "nodeType") !== 1 || !inherited(node, "isConnected")) return null;
  const levels = [];
  let steps = [], hidden = false;
  for (;;) {
    const above = inherited(node, "parentNode");
    steps.unshift([Array.prototype.indexOf.call(inherited(above, "children"), node), 0]);
    if (inherited(above, "nodeType") === 1) {
      node = above;
      continue;
    }
    levels.unshift(steps);
    if (inherited(above, "nodeType") !== 11) return {levels, hidden};
    node = above.host;
    hidden = hidden || inherited(node, "shadowRoot") !== above;
    if (inherited(node, "children").length > steps[0][0]) steps[0][1] = 1;
    steps = [];
  }
}"""
)
#: From a document or a shadow root down.
_WALK = (
    """function (steps) {"""
    + _INHERITED
    + """
  let node = this;
  for (const step of steps) node = node && inherited(node, "children")[step[0]];
  return node || null;
}"""
)
_ROOT = "function () { return Node.prototype.getRootNode.call(this); }"
#: Playwright of a locator, and of a handle whose document is gone.
_SEVERAL = re.compile(r"strict mode violation: .* resolved to (\d+) elements")
_LEFT = re.compile(r"context was destroyed|frame (?:has been|was) detached|is disposed", re.IGNORECASE)
_WEB_ELEMENT = re.compile(r"f\.(\w+)\.d\.(\w+)\.e\.(\d+)")


#: Where an element stands in its frame: for the document and each shadow root the steps down from it.
_Levels: TypeAlias = "list[list[tuple[int, int]]]"


@overload
def to_locator(page: sync_api.Page, element_id: str) -> sync_api.Locator: ...
@overload
def to_locator(page: async_api.Page, element_id: str) -> Awaitable[async_api.Locator]: ...
def to_locator(page: Any, element_id: str) -> Any:
    """Playwright's locator for an element, through frames and open shadow roots.

    Use it at once. The id is proven here and now; what comes is the element's position, which Playwright
    looks up anew at each use. When the page has changed meanwhile, another element may stand there, and
    no error says so. A tab's own ``click(id)`` (`PlaywrightTab`, `PlaywrightSyncTab`) proves the id each
    time.

    Args:
        page: of the sync API, or of the async one: then the result is to be awaited.
        element_id: an id or a ref that a snapshot of the page has shown, or a selector.

    Raises:
        StaleElement, UnknownElement: as for an action.
        NotInteractable: it is not an element, or stands in a closed shadow root or within a control, where
            Playwright's selectors do not lead.
    """
    check_id(element_id)
    check_has(page, "context", "a page of Playwright")
    from hybridsnap.drivers.playwright import PlaywrightSyncTab, PlaywrightTab  # noqa: PLC0415 - an extra

    def plan(locator: NodeResolver, history: ElementHistory) -> Plan[list[str]]:
        return _selectors(locator, history, element_id)

    tab = PlaywrightSyncTab if _is_sync(page) else PlaywrightTab

    async def locate() -> Any:
        return _located(page, await ready(tab(page).run(plan)))

    return run_blocking(locate()) if _is_sync(page) else locate()


def to_web_element(webdriver: ChromiumDriver, element_id: str) -> WebElement:
    """Selenium's element. The webdriver is switched into the element's frame, where alone it can be used.

    Args:
        webdriver: at the window.
        element_id: an id or a ref that a snapshot of the window has shown, or a selector.

    Raises:
        StaleElement, UnknownElement: as for an action.
        NotInteractable: it is not an element, or a part of a control.
    """
    check_id(element_id)
    check_has(webdriver, "execute_cdp_cmd", "a webdriver of Selenium for Chromium")
    from hybridsnap.drivers.selenium import SeleniumTab, web_element  # noqa: PLC0415 - an extra

    names = SeleniumTab(webdriver).run(lambda locator, history: _names(locator, history, element_id))
    webdriver.switch_to.default_content()
    for owner in names[:-1]:
        webdriver.switch_to.frame(web_element(webdriver, owner))
    return web_element(webdriver, names[-1])


class SeleniumElement(Protocol):
    """What is needed of a web element of Selenium's, whose own class is generic in something unknown."""

    @property
    def id(self) -> str:
        """Its name at the driver."""
        ...  # pragma: no cover - a protocol

    @property
    def parent(self) -> Any:
        """Its webdriver."""
        ...  # pragma: no cover - a protocol


@overload
def id_of(handle: sync_api.Locator | sync_api.ElementHandle | SeleniumElement) -> ElementId: ...
@overload
def id_of(handle: async_api.Locator | async_api.ElementHandle) -> Awaitable[ElementId]: ...
def id_of(handle: Any) -> Any:
    """The element id of what a driver's own object stands for; from then on it counts as shown.

    Args:
        handle: a locator or an element handle of Playwright (of the async API: the result is to be awaited),
            or a web element of Selenium.

    Raises:
        TypeError: it is something else, as a page or a handle on what is not a node.
        UnknownElement: the page has no such element (any more); of a locator, Playwright waits for one as
            long as it waits for anything. Or a locator matches several.
        ConnectionLost, TargetCrashed, TargetDetached: the driver's browser, or the page, has come to an end.
    """
    if hasattr(handle, "parent") and hasattr(handle, "_execute"):
        from hybridsnap.drivers.selenium import SeleniumTab  # noqa: PLC0415 - an extra

        name = handle.id
        return SeleniumTab(handle.parent).run(lambda locator, history: _by_name(locator, history, name))
    held = "element_handle" if hasattr(handle, "element_handle") else "owner_frame"
    check_has(handle, held, "a locator or element handle of Playwright, or a web element of Selenium")
    from hybridsnap.drivers.playwright import PlaywrightSyncTab, PlaywrightTab  # noqa: PLC0415 - an extra

    tab = PlaywrightSyncTab if _is_sync(handle) else PlaywrightTab

    async def ask() -> Any:
        with _in_our_words():
            page, frames = await _frames(handle)
        return await ready(tab(page).run(lambda locator, history: _by_steps(locator, history, frames)))

    return run_blocking(ask()) if _is_sync(handle) else ask()


# Playwright's side


def _is_sync(given: object) -> bool:
    return type(given).__module__.startswith("playwright.sync_api")


def _located(page: Any, selectors: Sequence[str]) -> Any:
    for owner in selectors[:-1]:
        page = page.locator(owner).content_frame
    return page.locator(selectors[-1])


async def _frames(given: Any) -> tuple[Any, list[_Levels | None]]:
    """The page, and where a handle stands in it: the main frame's owner element first."""
    frames: list[_Levels | None] = []
    handle = await ready(given.element_handle()) if hasattr(given, "element_handle") else given
    while True:
        frame = await ready(handle.owner_frame())
        standing = await ready(handle.evaluate(_STEPS))
        frames.insert(0, None if standing is None or frame is None else standing["levels"])
        if frame is None:
            raise _no_element()
        if frame.parent_frame is None:
            return frame.page, frames
        handle = await ready(frame.frame_element())


@contextlib.contextmanager
def _in_our_words() -> Iterator[None]:
    """What Playwright raises of a locator or a handle, as errors of ours."""
    try:
        yield
    except HybridsnapError:
        raise
    except Exception as error:
        known = _meaning(error)
        if known is None:
            raise
        raise known from error


def _meaning(error: Exception) -> HybridsnapError | None:
    words = str(error)
    if several := _SEVERAL.search(words):
        return UnknownElement(
            f"the locator matches {several[1]} elements, and one is wanted: take its first, last or nth",
            element_id="",
        )
    if type(error).__name__ == "TimeoutError":  # Playwright's own, which is not a TimeoutError of Python's
        return UnknownElement(
            f"Playwright has found no element in time: {words.partition(chr(10))[0]}", element_id=""
        )
    return _no_element() if _LEFT.search(words) else error_of("id_of", error)


def _no_element() -> UnknownElement:
    return UnknownElement("the handle stands for no element that is in the page (any more)", element_id="")


# Plans


def _selectors(locator: NodeResolver, history: ElementHistory, element_id: str) -> Plan[list[str]]:
    """Playwright's selectors: one for the owner element of each frame on the way, then the element's."""
    element = yield from resolve_element(locator, history, element_id)
    selectors: list[str] = []
    place: NodeRef | None = element.place
    while place is not None:
        held = yield from locator.held(place)
        if held is None:
            raise _wrong_kind(element, "it is not an element")
        standing = yield from _standing(locator, element, held)
        if standing["hidden"]:
            raise _wrong_kind(element, "it stands in a closed shadow root")
        selectors.insert(0, _selector(standing["levels"]))
        place = yield from locator.owner(held)
    yield from locator.release()
    return selectors


def _standing(locator: NodeResolver, element: Element, place: NodeRef) -> Plan[dict[str, Any]]:
    """Where a node stands that no control is made of: the element, or the owner of a frame around it."""
    (result,) = yield from gather(call_on(locator, place, _STEPS))
    value = result.result.value
    if not isinstance(value, dict):
        raise _wrong_kind(element, "it is not an element")
    if value["hidden"] and (yield from _is_part_of_control(locator, place)):
        raise _wrong_kind(element, "it is a part of a control")
    return value


def _is_part_of_control(locator: NodeResolver, place: NodeRef) -> Plan[bool]:
    """Whether the root that a node stands in is the browser's own. In such a root there are no others."""
    root = yield from locator.call(place, _ROOT)
    (node,) = yield from gather(
        describe_node(locator.id_of(place.session), {"objectId": root.result.object_id}, depth=0)
    )
    return node.shadow_root_type == "user-agent"


def _selector(levels: _Levels) -> str:
    first, *rest = levels
    path = "".join(f"/*[{position + 1}]" for position, _ in first)
    inner = "".join(
        f" >> css=:scope > :nth-child({position + 1}) >> nth={before}"
        for steps in rest
        for position, before in steps
    )
    return f"xpath={path}{inner}"


def _wrong_kind(element: Element, why: str) -> NotInteractable:
    return NotInteractable(
        f"{element.description} has no locator: {why}", element_id=element.id, reason="wrong kind"
    )


def _by_steps(
    locator: NodeResolver, history: ElementHistory, frames: Sequence[_Levels | None]
) -> Plan[ElementId]:
    """The id of the element that stands at the end of these steps."""
    session, frame = 0, (yield from locator.main_frame())
    place: NodeRef | None = None
    for levels in frames:
        if levels is None:
            raise _no_element()
        if place is not None:
            owner = yield from locator.describe(place, depth=0)
            if owner is None or owner.frame_id is None:
                raise _no_element()
            session = yield from locator.session_below("the handle", session, owner.frame_id)
            frame = owner.frame_id
        place = yield from _walked(locator, session, frame, levels)
    if place is None:
        raise _no_element()
    return (yield from _named(locator, history, place))


def _walked(locator: NodeResolver, session: int, frame: FrameId, levels: _Levels) -> Plan[NodeRef]:
    document = yield from locator.call_in_frame(session, frame, "function () { return document; }")
    root = document.result.object_id
    place: NodeRef | None = None
    for steps in levels:
        if place is not None:
            host = yield from locator.describe(place, depth=0)
            inner = [] if host is None else host.shadow_roots
            shadow = None
            if inner:
                shadow = yield from locator.held(NodeRef(session, frame, inner[0].backend_node_id))
            root = None if shadow is None else shadow.object_id
        if root is None:
            raise _no_element()
        (result,) = yield from gather(
            call_function(
                locator.id_of(session), _WALK, {"objectId": root}, [{"value": steps}], locator.group
            )
        )
        place = yield from locator.at_handle(session, frame, result.result.object_id)
        if place is None:
            raise _no_element()
    if place is None:
        raise _no_element()
    return place


def _names(locator: NodeResolver, history: ElementHistory, element_id: str) -> Plan[list[str]]:
    """ChromeDriver's names: of the owner element of each frame on the way, then the element's."""
    element = yield from resolve_element(locator, history, element_id)
    yield from _standing(locator, element, element.place)
    names: list[str] = []
    place: NodeRef | None = element.place
    while place is not None:
        frame = place.frame
        tree = yield from locator.tree_of(place.session)
        loader = next(one.loader_id for one in tree if one.id == frame)
        names.insert(0, f"f.{frame}.d.{loader}.e.{place.backend_node_id}")
        place = yield from locator.owner(place)
    yield from locator.release()
    return names


def _by_name(locator: NodeResolver, history: ElementHistory, name: str) -> Plan[ElementId]:
    """The id of what ChromeDriver calls so."""
    parts = _WEB_ELEMENT.fullmatch(name)
    if parts is None:
        raise UnknownElement(f"{name!r} is not an element of this ChromeDriver's", element_id=name)
    frame = FrameId(parts[1])
    session = yield from locator.session_with(frame)
    if session is None:
        raise _no_element()
    tree = yield from locator.tree_of(session)
    if all((one.id, one.loader_id) != (frame, parts[2]) for one in tree):
        raise _no_element()
    held = yield from locator.held(NodeRef(session, frame, BackendNodeId(int(parts[3]))))
    if held is None:
        raise _no_element()
    return (yield from _named(locator, history, held))


def _named(locator: NodeResolver, history: ElementHistory, place: NodeRef) -> Plan[ElementId]:
    element = yield from name_place(locator, history, place)
    yield from locator.release()
    if element is None:
        raise _no_element()
    return element.id
