"""A stage for random acting: three documents that look alike, and change in every way while acted on.

The main document and two iframes of two other sites hold the same items under the same names, half of them in
a closed shadow root. `Stage.equalize` makes the items of both iframes have equal backend node ids. Each item
has a secret identity (`tests.support.act_pages`); the test learns which id stands for which identity by
`DOM.describeNode`, not from what acting says.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.errors import CommandRefused, SessionEnded
from hybridsnap.model import ElementId
from tests.support.act_pages import build_page

if TYPE_CHECKING:
    from hybridsnap import Page, Session, Snapshot
    from tests.support.act_pages import Log
    from tests.support.pages import Content

_STAGE_JS = """
var stage = (() => {
  const KINDS = ["button", "text", "check"];
  const born = `${window.name || "main"}/${performance.timeOrigin}`;
  const FEWEST = 4, MOST = 8;
  let serial = 0, lists = [], fresh = [], pending = 0;

  const later = (change, ms) => {
    pending++;
    setTimeout(() => { try { change(); } finally { pending--; } }, ms);
  };

  const rename = (item, name) => {
    if (item.localName === "button") item.textContent = name;
    else item.setAttribute("aria-label", name);
  };
  const nameOf = (item) => item.localName === "button" ? item.textContent : item.getAttribute("aria-label");
  const kindOf = (item) => item.localName === "button" ? "button" : item.type === "text" ? "text" : "check";
  const make = (kind, name) => {
    const item = document.createElement(kind === "button" ? "button" : "input");
    if (kind !== "button") item.type = kind === "text" ? "text" : "checkbox";
    rename(item, name);
    oracle.adopt(item, `${born}/${++serial}`);
    return item;
  };
  const twin = (item) => make(kindOf(item), nameOf(item));
  const items = () => lists.flatMap((list) => [...list.children]);
  const layer = () => document.getElementById("covers");
  const cover = (item) => {
    const box = item.getBoundingClientRect();
    const over = document.createElement("div");
    over.style = `position:absolute;background:#fcc;left:${box.left + scrollX - 2}px;` +
      `top:${box.top + scrollY - 2}px;width:${box.width + 4}px;height:${box.height + 4}px`;
    layer().append(over);
  };
  // Not in the document they get their backend node ids when somebody asks for them, and not before.
  const prepare = () => {
    fresh = [0, 3].map((above) => [1, 2, 3].map(
      (number) => make(KINDS[number % 3], `Item ${number + above}`)));
  };
  const build = () => {
    lists.forEach((list, at) => list.replaceChildren(...fresh[at]));
    layer().replaceChildren();
  };
  const MUTATIONS = {
    remove: (one) => { if (items().length > FEWEST) one.remove(); },
    add: (one) => { if (items().length < MOST) one.before(twin(one)); },
    twin: (one) => one.replaceWith(twin(one)),
    twins: () => lists.forEach((list) => list.replaceChildren(...[...list.children].map(twin))),
    move: (one) => one.parentNode.append(one),
    across: (one) => (one.parentNode === lists[0] ? lists[1] : lists[0]).prepend(one),
    reorder: (one) => one.parentNode.append(...[...one.parentNode.children].reverse()),
    rename: (one, _, name) => rename(one, name),
    swap: (one, other) => {
      const name = nameOf(one);
      rename(one, nameOf(other));
      rename(other, name);
    },
    role: (one) => one.getAttribute("role") ? one.removeAttribute("role") : one.setAttribute("role", "tab"),
    hide: (one) => { one.style.display = "none"; },
    fade: (one) => { one.style.visibility = "hidden"; },
    shift: (one) => { one.style.marginLeft = one.style.marginLeft ? "" : "60px"; },
    cover: (one) => cover(one),
    disable: (one) => { one.disabled = true; },
    reattach: (one) => {
      const after = one.nextSibling, list = one.parentNode;
      one.remove();
      list.insertBefore(one, after);
    },
    away: (one) => {
      const list = one.parentNode;
      one.remove();
      later(() => { if (one.parentNode === null) list.append(one); }, 30);
    },
    restore: () => {
      layer().replaceChildren();
      for (const one of items()) { one.style = ""; one.disabled = false; one.removeAttribute("role"); }
    },
  };
  const mutate = (kind, first, second, name) => {
    const all = items();
    const one = typeof first === "string" ? oracle.known.get(first) : all[first % all.length];
    if (one && one.parentNode) MUTATIONS[kind](one, all[second % all.length], name);
  };

  const loaded = (frame) => {
    pending++;
    return new Promise((done) => {
      frame.addEventListener("load", () => { pending--; done(); }, { once: true });
    });
  };
  const [frameA, frameB] = [0, 1].map((at) => () => document.querySelectorAll("iframe")[at]);
  const FRAMES = {
    reload: (frame) => { const done = loaded(frame); frame.src = frame.src; return done; },
    navigate: (frame) => {
      const done = loaded(frame), url = new URL(frame.src);
      url.search = url.search ? "" : "?elsewhere";
      frame.src = url;
      return done;
    },
    exchange: () => {
      const done = Promise.all([loaded(frameA()), loaded(frameB())]), src = frameA().src;
      frameA().src = frameB().src;
      frameB().src = src;
      return done;
    },
    recreate: (frame) => {
      const fresh = document.createElement("iframe"), done = loaded(fresh);
      fresh.name = frame.name;
      fresh.style.cssText = frame.style.cssText;
      fresh.src = frame.src;
      frame.replaceWith(fresh);
      frame.dispatchEvent(new Event("load"));  // for whoever waits for it: it will load no more
      return done;
    },
    reparent: (frame) => {
      const done = loaded(frame), next = frame.nextSibling;
      frame.remove();
      next.before(frame);
      return done;
    },
  };
  const reframe = (kind, which) => FRAMES[kind]((which % 2 ? frameB : frameA)());

  const isShown = (one) => one.checkVisibility({ visibilityProperty: true });
  const place = (one) => [lists.indexOf(one.parentNode), kindOf(one), nameOf(one), one.getAttribute("role"),
    oracle.identity(one)].join(" ");
  const places = () => items().filter(isShown).map(place);
  const state = (secret) => {
    const item = oracle.known.get(secret);
    if (!item) return [];
    const box = item.getBoundingClientRect(), root = item.getRootNode();
    let free = 0, tried = 0;
    for (const x of [.1, .3, .5, .7, .9]) for (const y of [.1, .3, .5, .7, .9]) {
      tried++;
      const at = [box.left + box.width * x, box.top + box.height * y];
      if (item.isConnected && root.elementFromPoint(...at) === item) free++;
    }
    return [{
      connected: item.isConnected, name: nameOf(item), role: item.getAttribute("role") || "",
      shown: isShown(item), disabled: item.disabled,
      free: free === tried ? "all" : free ? "some" : "none", beside: places(),
    }];
  };
  addEventListener("DOMContentLoaded", () => {
    const host = document.getElementById("host"), inner = host.attachShadow({ mode: "closed" });
    oracle.enter(host, inner);
    inner.append(document.getElementById("style").content.cloneNode(true), document.createElement("main"));
    lists = [document.getElementById("list"), inner.querySelector("main")];
    prepare();
    build();
  });
  const described = () => items().map((one) =>
    [oracle.identity(one), kindOf(one), nameOf(one), one.getAttribute("role") || ""]);
  const frames = () => [...document.querySelectorAll("iframe")].map((one) => one.src).sort();
  return {
    build, described, frames, items, later, mutate, places, prepare, reframe, state,
    fresh: () => fresh.flat(), pending: () => pending,
  };
})();
"""
_STYLE = """<style>
  body { margin: 6px } main { display: block; min-height: 10px }
  main > * { display: block; box-sizing: border-box; width: 150px; height: 22px; margin: 2px 0; padding: 0;
    font: 10px sans-serif }
</style>"""
_BODY = (
    f"{_STYLE}<template id=style>{_STYLE}</template><script src=/stage.js></script>"
    "<main id=list></main><div id=host></div><div id=covers></div>"
)
#: Of one item; the others of `FRAME_MUTATIONS` are of an iframe.
MUTATIONS = [
    *["remove", "add", "twin", "twin", "twins", "move", "across", "reorder", "rename", "swap", "swap"],
    *["role", "hide", "fade", "shift", "cover", "cover", "disable", "reattach", "restore", "restore"],
]
#: What goes on by itself for a moment.
LASTING = ["away"]
FRAME_MUTATIONS = ["reload", "navigate", "exchange", "recreate", "reparent"]
_SITES = ["a.localhost", "b.localhost"]


def stage_pages(log: Log) -> dict[str, Content]:
    """The pages; the main one is ``/``."""
    frames = "".join(
        f"<iframe name={site[0]} title={site[0]} src='http://{site}:{{PORT}}/inner' "
        "style='width:330px;height:270px'></iframe>"
        for site in _SITES
    )
    return {
        "/": build_page("stage", _BODY, f"<div>{frames}<i></i></div>"),
        "/inner": build_page("stage", _BODY),
        "/stage.js": _STAGE_JS,
        **log.pages,
    }


@dataclasses.dataclass(frozen=True, slots=True)
class Shown:
    """An item as a snapshot showed it.

    Attributes:
        secret: its identity, which acting does not know.
        kind: button, text or check.
        name: as the page had it then.
        role: its role attribute then.
        beside: what was shown in its document, itself included, in order.
    """

    id: ElementId
    snapshot_id: str
    secret: str
    kind: str
    name: str
    role: str
    beside: tuple[str, ...]

    @property
    def is_one_of_several(self) -> bool:
        """Whether another one of its kind and name was shown in its document."""
        alike = [one for one in self.beside if one.split(" ", 1)[1].startswith(f"{self.kind} {self.name} ")]
        return len(alike) > 1


@dataclasses.dataclass(frozen=True, slots=True)
class State:
    """An item as it is now.

    Attributes:
        free: ``all``, ``some`` or ``none`` of it can be clicked at.
        beside: what is shown in its document, in order.
    """

    connected: bool
    name: str
    role: str
    shown: bool
    disabled: bool
    free: str
    beside: list[str]


class Stage:
    """The stage in a tab. What it does goes over the page's sessions, in the page's own world."""

    def __init__(self, page: Page) -> None:
        self.page = page

    async def evaluate(self, session: Session, expression: str, **options: Any) -> Any:
        result = await session.send(
            "Runtime.evaluate",
            {"expression": expression, "returnByValue": True, "awaitPromise": True, **options},
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value", result["result"])

    async def mutate(self, which: int, kind: str, *arguments: Any, after_ms: float | None = None) -> None:
        """Change one document (0 is the main one), now or while something else goes on.

        Args:
            arguments: an item (its number or its identity), another one's number, and a name.
        """
        call = f"stage.mutate({json.dumps(kind)}, ...{json.dumps(arguments)})"
        sessions = self.page.sessions
        await self._run(sessions[which % len(sessions)], call, after_ms)

    async def reframe(self, kind: str, which: int, *, after_ms: float | None = None) -> None:
        """Change what an iframe holds; back once it is loaded, unless it happens later."""
        await self._run(self.page.sessions[0], f"stage.reframe({json.dumps(kind)}, {which})", after_ms)

    async def _run(self, session: Session, call: str, after_ms: float | None) -> None:
        if after_ms is None:
            await self.evaluate(session, call)
        else:
            with contextlib.suppress(SessionEnded, CommandRefused):  # an earlier change has just begun
                await self.evaluate(session, f"window.stage && stage.later(() => void {call}, {after_ms})")

    async def until_whole(self) -> None:
        """Wait until nothing is about to change, and both iframes are there and loaded."""
        with trio.fail_after(20):
            while not await self._is_whole():  # noqa: ASYNC110 - what is waited for is in other processes
                await trio.sleep(0.01)

    async def _is_whole(self) -> bool:
        sessions = self.page.sessions
        if len(sessions) != 1 + len(_SITES):
            return False
        ready = (
            "[document.readyState === 'complete' && !!window.stage && stage.pending() === 0, location.href]"
        )
        try:
            found = [await self.evaluate(session, ready) for session in sessions]
            frames = await self.evaluate(sessions[0], "stage.frames()")
        except (SessionEnded, CommandRefused):
            return False  # a frame is just going
        return all(done for done, _ in found) and sorted(url for _, url in found[1:]) == frames

    async def state(self, secret: str) -> State | None:
        """How the item with this identity is now; None when its document is gone."""
        for session in self.page.sessions:
            found = await self.evaluate(session, f"stage.state({json.dumps(secret)})")
            if found:
                return State(**found[0])
        return None

    async def equalize(self) -> list[int]:
        """Make the items anew so that those of both iframes have equal backend node ids, in the same order.

        Returns:
            The ids.
        """
        _, *frames = self.page.sessions
        assert len(frames) == len(_SITES)
        first, second = [0], [1]
        with trio.fail_after(20):
            while first != second:  # a process may use one up by itself meanwhile
                for session in self.page.sessions:
                    await self.evaluate(session, "stage.prepare()")
                reached = [await self._mint(session, 1) for session in frames]
                while len(set(reached)) > 1:
                    behind = reached.index(min(reached))
                    reached[behind] = await self._mint(frames[behind], max(reached) - min(reached))
                first, second = [await self._numbers(session, "stage.fresh()") for session in frames]
        for session in self.page.sessions:
            await self.evaluate(session, "stage.build()")
        return first

    async def _mint(self, session: Session, count: int) -> int:
        """Use up that many backend node ids of a process; the last."""
        made = f"""(() => {{
          const top = document.createElement("i");
          for (let at = 1; at < {count}; at++) top.append(document.createElement("b"));
          return top;
        }})()"""
        node = await session.send("Runtime.evaluate", {"expression": made, "objectGroup": "stage"})
        described = await session.send(
            "DOM.describeNode", {"objectId": node["result"]["objectId"], "depth": -1}
        )
        await session.send("Runtime.releaseObjectGroup", {"objectGroup": "stage"})
        top = described["node"]
        return int(max([top["backendNodeId"], *(one["backendNodeId"] for one in top.get("children", ()))]))

    async def _items(self, session: Session) -> list[tuple[int, str, str, str, str]]:
        """Of each item: backend node id, identity, kind, name, role attribute."""
        words = await self.evaluate(session, "stage.described()")
        numbers = await self._numbers(session, "stage.items()")
        return [(number, *word) for number, word in zip(numbers, words, strict=True)]

    async def _numbers(self, session: Session, nodes: str) -> list[int]:
        """The backend node ids of the nodes in an array; they are given out in this order."""
        array = await session.send("Runtime.evaluate", {"expression": nodes, "objectGroup": "stage"})
        properties = await session.send(
            "Runtime.getProperties", {"objectId": array["result"]["objectId"], "ownProperties": True}
        )
        found: list[int] = []
        for one in properties["result"]:
            if one["name"].isdigit():
                described = await session.send("DOM.describeNode", {"objectId": one["value"]["objectId"]})
                found.append(int(described["node"]["backendNodeId"]))
        await session.send("Runtime.releaseObjectGroup", {"objectGroup": "stage"})
        return found

    async def shown_in(self, snapshot: Snapshot) -> list[Shown]:
        """The items that a snapshot shows, provided that the page has not changed since."""
        ordinals = {frame.frame_id: frame.ordinal for frame in snapshot.report.frames}
        rows = {row.id: row for row in snapshot.rows}
        found: list[Shown] = []
        for session in self.page.sessions:
            ordinal = ordinals[session.target_id]  # type: ignore[index]  # a frame's target has its id
            beside = tuple(await self.evaluate(session, "stage.places()"))
            for backend_id, secret, kind, name, role in await self._items(session):
                element_id = ElementId(f"{ordinal}-{backend_id}")
                if element_id in rows:  # not what is hidden
                    assert rows[element_id].name == name, (rows[element_id], name)
                    found.append(
                        Shown(element_id, snapshot.report.snapshot_id, secret, kind, name, role, beside)
                    )
        return found
