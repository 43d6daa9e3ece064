"""Pages for the tests of actions, and the oracle that says which element an event really reached.

Every document of these pages loads `/oracle.js`. It gives elements an identity that only the page knows (in a
WeakMap), listens in every document and shadow root, and tells the server at once, before the event's dispatch
goes on, which identity an event reached; so nothing is lost when a frame is reloaded or goes::

    log = Log()
    async with serve_pages({"/": …, **log.pages}) as pages: …
    assert log.received == [Received("mousedown", "save", True), …]

`grid_pages` has 25 situations (`HITTABLE` and `REFUSED`) in eight groups, over every kind of frame.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from hybridsnap.model import ElementId
from tests.support import http

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap import Page, Snapshot
    from tests.support.pages import Content

ORACLE_JS = """
var oracle = (() => {
  const identities = new WeakMap(), hosts = new WeakSet(), known = new Map();
  const KINDS = ["mousedown", "mouseup", "click", "auxclick", "keydown", "keyup", "beforeinput", "input"];
  const identity = (node) => {
    for (let one = node; one; one = one.parentNode || one.host) {
      if (identities.has(one)) return identities.get(one);
    }
    return "?" + (node.localName || node.nodeName);
  };
  const report = (event) => {
    if (hosts.has(event.target)) return;  // its shadow root says it better
    const words = [event.type, identity(event.target), event.isTrusted, event.key || ""];
    const request = new XMLHttpRequest();
    request.open("POST", "/log", false);
    request.send(JSON.stringify(words));
  };
  const watch = (root) => {
    for (const kind of KINDS) root.addEventListener(kind, report, true);
  };
  const adopt = (element, name) => { identities.set(element, name); known.set(name, element); };
  const adoptAll = (root) => {
    for (const element of root.querySelectorAll("[id]")) adopt(element, element.id);
  };
  const enter = (host, root) => { hosts.add(host); watch(root); };
  const attach = (host) => {
    const root = host.attachShadow({ mode: host.dataset.mode });
    root.append(host.querySelector("template").content);
    adoptAll(root);
    enter(host, root);
    for (const box of root.querySelectorAll("[data-scrolled]")) box.scrollTop = box.dataset.scrolled;
  };
  const move = () => {
    for (const [name, element] of known) {
      if (!name.endsWith(" moving")) continue;
      element.style.animation = "none";
      element.getBoundingClientRect();
      element.style.animation = "slide 0.5s linear";
    }
  };
  watch(document);
  addEventListener("DOMContentLoaded", () => {
    adoptAll(document);
    for (const box of document.querySelectorAll("[data-scrolled]")) box.scrollTop = box.dataset.scrolled;
    for (const host of document.querySelectorAll("[data-mode]")) attach(host);
    move();
  });
  return { adopt, enter, identity, known, move };
})();
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Received:
    """An event that an element received.

    Attributes:
        identity: of the nearest element that has one; ``?body`` where none has.
        key: of a key event.
    """

    kind: str
    identity: str
    trusted: bool
    key: str = ""


class Log:
    """What the elements of the pages received, in order.

    Attributes:
        received: grows while pages are open.
        pages: to be served beside the pages themselves.
    """

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.pages: dict[str, Content] = {"/oracle.js": ORACLE_JS, "/log": self._take}

    async def _take(self, request: http.Request) -> http.Response:
        kind, identity, trusted, key = json.loads(request.body)
        self.received.append(Received(kind, identity, trusted, key))
        return http.Response(status=204)

    def take(self) -> list[Received]:
        """What was received since the last time."""
        taken, self.received[:] = list(self.received), []
        return taken


def click_of(identity: str) -> list[Received]:
    """What one click consists of."""
    return [Received(kind, identity, trusted=True) for kind in ("mousedown", "mouseup", "click")]


_STYLE = """<style>
  .cell { position: relative; display: inline-block; width: 180px; height: 90px; vertical-align: top }
  .at { position: absolute; left: 20px; top: 25px; width: 120px; height: 30px; margin: 0; padding: 0;
    border: 1px solid; box-sizing: border-box; font: 9px/10px sans-serif; background: #dde }
  .over { background: #fcc; z-index: 1 }
  .box { position: absolute; inset: 2px; overflow: auto; border: 1px solid }
  @keyframes slide { from { transform: translateX(-10px) } to { transform: translateX(45px) } }
</style>"""
#: Situation → what stands in its cell. ID is the identity of the element acted on; what else has an id there
#: must receive nothing.
HITTABLE = {
    "plain": "<button id='ID' class=at>ID</button>",
    "div": "<div id='ID' class=at role=button tabindex=0>ID</div>",
    "half covered": "<button id='ID' class=at>ID</button>"
    "<button id='ID/cover' class='at over' style='width:85px'>cover</button>",
    "striped": "<button id='ID' class=at>ID</button>"
    "<button id='ID/cover' class='at over' style='top:34px;height:12px'>cover</button>",
    "rotated": "<button id='ID' class=at style='transform:rotate(35deg)'>ID</button>",
    "turned": "<button id='ID' class=at style='transform:rotate(90deg) scale(.6)'>ID</button>",
    "skewed": "<button id='ID' class=at style='transform:skew(40deg,10deg)'>ID</button>",
    "deep": "<div style='perspective:200px'>"
    "<button id='ID' class=at style='transform:rotateY(60deg) translateX(20px)'>ID</button></div>",
    "flipped": "<button id='ID' class=at style='transform:scaleX(-1) translateX(15px)'>ID</button>",
    "moving": "<button id='ID/decoy' class=at style='left:5px;width:170px'>decoy</button>"
    "<button id='ID' class=at style='width:40px'>ID</button>",
    "scrolled": "<div class=box><div style='height:300px'></div>"
    "<div style='height:50px;overflow:auto'><div style='height:200px'></div>"
    "<button id='ID' style='height:30px'>ID</button><div style='height:200px'></div></div>"
    "<div style='height:300px'></div></div>",
    "sideways": "<div class=box><div style='width:900px;height:400px'>"
    "<button id='ID' style='margin:250px 0 0 600px;height:30px'>ID</button></div></div>",
    "zoomed": "<div style='zoom:1.4'><button id='ID' class=at style='width:80px;left:5px'>ID</button></div>",
    "zoomed turned": "<div style='zoom:1.3'><div style='zoom:.8;transform:rotate(20deg) scale(.9)'>"
    "<button id='ID' class=at>ID</button></div></div>",
    "sticky": "<div class=box data-scrolled=150 tabindex=-1>"
    "<button id='ID/header' style='position:sticky;top:0;height:35px;width:100%;z-index:1'>header</button>"
    "<div style='height:120px'></div><button id='ID' style='height:25px'>ID</button>"
    "<div style='height:400px'></div></div>",
    "child": "<button id='ID' class=at><b style='position:absolute;inset:0'>ID</b></button>",
    "wrapped": "<div class=at style='line-height:15px;border:0'>"
    "<button id='ID/decoy' style='display:inline-block;width:85px;height:14px;padding:0;border:0'>no</button>"
    "<a id='ID' href='#' onclick='event.preventDefault()'>ID</a></div>",
    "under glass": "<button id='ID' class=at>ID</button>"
    "<div class='at over' style='pointer-events:none;background:#0001'></div>",
}
REFUSED = {
    "covered": "<button id='ID' class=at>ID</button>"
    "<button id='ID/cover' class='at over' style='left:15px;top:20px;width:130px;height:40px'>"
    "cover of ID</button>",
    "disabled": "<button id='ID' class=at disabled>ID</button>",
    "let through": "<button id='ID/below' class=at>below</button>"
    "<button id='ID' class=at style='pointer-events:none'>ID</button>",
    "zero": "<div id='ID' class=at role=button tabindex=0 aria-label='ID' "
    "style='width:0;height:0;border:0'></div>",
    "not displayed": "<button id='ID' class=at style='display:none'>ID</button>",
    "inert": "<button id='ID/below' class=at>below</button>"
    "<div inert><button id='ID' class=at>ID</button></div>",
    "invisible": "<button id='ID/below' class=at>below</button>"
    "<button id='ID' class=at style='visibility:hidden'>ID</button>",
}
#: Situation → the reasons that fit (`NotInteractable.reason`); "covered" is another error.
REASONS = {
    "disabled": {"disabled"},
    "let through": {"pointer-events"},
    "zero": {"no size"},
    "not displayed": {"not displayed"},
    "inert": {"inert"},
    "invisible": {"invisible"},
}
#: Group → the path of its document.
GROUPS = {
    "main": "/",
    "open shadow": "/",
    "closed shadow": "/",
    "same": "/same.html",
    "cross in same": "/cross-in-same.html",
    "cross": "/cross.html",
    "closed in cross": "/cross.html",
    "same in cross": "/same-in-cross.html",
}
SITUATIONS = [*HITTABLE, *REFUSED]


def identity_of(group: str, situation: str) -> str:
    """As the grid names its elements."""
    return f"{group} {situation}"


def build_group(group: str) -> str:
    """The 25 cells of a group."""
    cells = [
        f"<div class=cell>{html.replace('ID', identity_of(group, situation))}</div>"
        for situation, html in (HITTABLE | REFUSED).items()
    ]
    return _STYLE + "".join(cells)


def build_shadow(group: str, mode: str) -> str:
    """A group in a shadow root."""
    return f"<div data-mode={mode}><template>{build_group(group)}</template></div>"


def build_page(title: str, *parts: str) -> str:
    """A document with the oracle in it."""
    body = "".join(parts)
    return f"<!doctype html><title>{title}</title><script src=/oracle.js></script><body>{body}</body>"


def build_frame(src: str, name: str, *, height: int = 420) -> str:
    """An iframe, with a border and padding that have to be counted."""
    return (
        f"<p><iframe name={name} title={name} src='{src}' "
        f"style='width:740px;height:{height}px;border:5px solid;padding:4px 0 0 7px'></iframe>"
    )


def grid_pages(log: Log) -> dict[str, Content]:
    """The grid: 200 elements to be clicked, in every kind of frame. Its main page is on 127.0.0.1."""
    here, there = "http://127.0.0.1:{PORT}", "http://localhost:{PORT}"
    return {
        "/": build_page(
            "main",
            build_group("main"),
            build_shadow("open shadow", "open"),
            build_frame("/same.html", "same"),
            build_shadow("closed shadow", "closed"),
            build_frame(there + "/cross.html", "cross"),
        ),
        "/same.html": build_page(
            "same", build_group("same"), build_frame(there + "/cross-in-same.html", "inner")
        ),
        "/cross-in-same.html": build_page("cross in same", build_group("cross in same")),
        "/cross.html": build_page(
            "cross",
            build_frame(here + "/same-in-cross.html", "inner"),
            build_group("cross"),
            build_shadow("closed in cross", "closed"),
        ),
        "/same-in-cross.html": build_page("same in cross", build_group("same in cross")),
        **log.pages,
    }


#: Runs a function (of `oracle`, returning a list) in every document of a process that script can reach.
_IN_REALMS = """(() => {
  const windows = [window], found = [];
  for (const one of windows) {
    found.push(...(FUNCTION)(one.oracle, one));
    for (let at = 0; at < one.length; at++) {
      try { if (one[at].oracle) windows.push(one[at]); } catch { /* another site's */ }
    }
  }
  return found;
})()"""


async def in_every_frame(page: Page, function: str) -> list[Any]:
    """What a function of ``(oracle, window)``, which returns a list, gives in all frames together."""
    found: list[Any] = []
    for session in page.sessions:
        result = await session.send(
            "Runtime.evaluate",
            {"expression": _IN_REALMS.replace("FUNCTION", function), "returnByValue": True},
        )
        assert "exceptionDetails" not in result, result
        found += result["result"]["value"]
    return found


async def check_selectors(page: Page, named: Mapping[str, str]) -> Snapshot:
    """See that each selector leads to the element with this ``id`` attribute; the snapshot with their ids."""
    snapshot = await page.snapshot(timeout=20)
    ids = ids_by_attribute(snapshot)
    for selector, name in named.items():
        receipt = await page.focus(selector, timeout=20)
        assert receipt.element_id == ids[name], selector
    return snapshot


class NamedIds(dict[str, ElementId]):
    """The page's own ``id`` attribute → element id. What is missing fails a test with the whole snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self._snapshot = snapshot

    def __missing__(self, name: str) -> ElementId:
        report, html = self._snapshot.report, self._snapshot.render("html")
        raise AssertionError(f"no element {name!r} among {list(self)}: {report}\n{html}")


def ids_by_attribute(snapshot: Snapshot) -> NamedIds:
    """The elements that have an ``id`` attribute, of all frames and shadow roots."""
    capture = snapshot.content.source("a test")
    ids = NamedIds(snapshot)
    for own, state in capture.context.frames.items():
        index = None if state.session is None else capture.indexes[state.session]
        if index is None or own in index.owners:
            continue  # it is in the process of the frame that holds it
        frame_at = {at: frame for frame, at in index.owners.items()}
        for here in range(len(index.nodes)):
            if name := index.attribute(here, "id"):
                frame = frame_at.get(index.parents[index.documents[here]], own)
                backend_id = index.nodes[here].backend_node_id
                ids[name] = ElementId(f"{capture.ordinals.by_frame[frame]}-{backend_id}")
    return ids
