"""Does an id's path lead back to its node? Asked in the page itself, of every frame of it.

`strayed` takes ids of a snapshot and returns those that do not lead back: for each the node behind its
backend node id is resolved (`DOM.resolveNode`, in an isolated world of the frame the id names, which fails
when the node is in another document), and compared by identity with the one node that the path finds there:
by `document.evaluate` where the path enters no shadow root, by an own walker that counts siblings elsewhere.
Closed and user-agent roots come from `DOM.getDocument`, not from the engine under test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hybridsnap import Page, Session, Snapshot
    from hybridsnap.errors import HybridsnapError
    from hybridsnap.protocol.codec import Payload

_WORLD = "hybridsnap tests"
_GROUP = "hybridsnap tests"

#: (paths, number of hosts, hosts…, their roots…, nodes…) → for each node null, or what is wrong.
_JAVASCRIPT = r"""
function (paths, hostCount, ...objects) {
  const roots = new Map();
  for (let at = 0; at < hostCount; at++) {
    const own = roots.get(objects[at]) || [];
    own.push(objects[hostCount + at]);
    roots.set(objects[at], own);
  }
  const nodes = objects.slice(2 * hostCount);

  // [["child" | "hop", step], ...]; a step in quotes may hold anything.
  function split(path) {
    const steps = [];
    let step = "", quote = null, hop = false;
    for (const character of path.slice(1)) {
      if (quote !== null) {
        step += character;
        if (character === quote) quote = null;
      } else if (character === "/") {
        if (step === "") { hop = true; continue; }
        steps.push([hop ? "hop" : "child", step]);
        step = ""; hop = false;
      } else {
        if (character === '"' || character === "'") quote = character;
        step += character;
      }
    }
    if (step !== "") steps.push([hop ? "hop" : "child", step]);
    return steps;
  }
  function literal(text) {
    if (!text.startsWith("concat(")) return text.slice(1, -1);
    return [...text.slice(7, -1).matchAll(/"([^"]*)"|'([^']*)'/g)].map((m) => m[1] ?? m[2]).join("");
  }
  function matches(node, test) {
    if (test === "text()") return node.nodeType === 3 || node.nodeType === 4;
    if (test === "comment()") return node.nodeType === 8;
    if (test === "processing-instruction()") return node.nodeType === 7;
    if (node.nodeType !== 1) return false;
    const name = node.prefix ? node.prefix + ":" + node.localName : node.localName;
    const local = /^\*\[local-name\(\)=(.*)\]$/s.exec(test);
    if (local) return node.localName === literal(local[1]);
    const odd = /^\*\[name\(\)=(.*)\]$/s.exec(test);
    if (odd) return name === literal(odd[1]);
    return name === test && node.namespaceURI === "http://www.w3.org/1999/xhtml"
      && document.contentType === "text/html";
  }
  function walk(path) {
    let here = document;
    for (const [kind, step] of split(path)) {
      const [, test, position] = /^(.*)\[([0-9]+)\]$/s.exec(step);
      let parents = [here];
      if (kind === "hop") parents = roots.get(here) || [];
      let found = null;
      for (const parent of parents) {
        let count = 0;
        for (const child of parent.childNodes) {
          if (matches(child, test) && ++count === Number(position)) { found = child; break; }
        }
      }
      if (found === null) return null;
      here = found;
    }
    return here;
  }
  function evaluate(path) {
    const found = document.evaluate(path, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
    return found.snapshotLength === 1 ? found.snapshotItem(0) : null;
  }
  function show(node) {
    if (node === null) return "nothing (or several)";
    if (node.nodeType === 1) return node.cloneNode(false).outerHTML || node.nodeName;
    return node.nodeName + " " + node.nodeValue;
  }
  return paths.map((path, at) => {
    const entersShadow = split(path).some(([kind]) => kind === "hop");
    let found;
    try { found = entersShadow ? walk(path) : evaluate(path); } catch (error) { return String(error); }
    return found === nodes[at] ? null : "finds " + show(found) + " instead of " + show(nodes[at]);
  });
}
"""


async def gather(session: Session, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Any]:
    """Send many commands at once; results, or the errors in their place."""
    results: list[Any] = [None] * len(calls)
    missing = len(calls)
    done = trio.Event()

    def deliver_to(at: int, reply: Payload | HybridsnapError) -> None:
        nonlocal missing
        results[at] = reply
        missing -= 1
        if not missing:
            done.set()

    for at, (method, params) in enumerate(calls):
        session.post(method, params, lambda reply, at=at: deliver_to(at, reply))  # type: ignore[misc]
    if calls:
        await done.wait()
    return [one if isinstance(one, Exception) else one.result(dict) for one in results]


async def sessions_by_frame(page: Page) -> dict[str, Session]:
    """Frame id → the session of its process, for all frames of the page."""
    found: dict[str, Session] = {}
    for session in page.sessions:
        tree = (await session.send("Page.getFrameTree"))["frameTree"]
        open_trees = [tree]
        while open_trees:
            tree = open_trees.pop()
            found[tree["frame"]["id"]] = session
            open_trees.extend(tree.get("childFrames", ()))
    return found


async def strayed(page: Page, snapshot: Snapshot, ids: Iterable[str] | None = None) -> list[str]:
    """What is wrong with the paths of `ids` (None: every id of the outline, every owner element).

    A path in the page must be the owner element's path and the path in the frame, put together.
    """
    owners = {frame.ordinal: frame.owner_id for frame in snapshot.report.frames}
    if ids is None:
        ids = [row.id for row in snapshot.rows if row.id is not None]
        ids += [owner for owner in owners.values() if owner is not None]
    wrong: list[str] = []
    relative = {frame.ordinal: frame.xpath_map for frame in snapshot.per_frame}
    by_frame: dict[int, dict[int, str]] = {}
    combined: Mapping[Any, str] = snapshot.combined_xpath_map
    for element_id in dict.fromkeys(ids):
        ordinal, backend_id = map(int, element_id.split("-"))
        own = relative[ordinal].get(element_id)  # type: ignore[call-overload]
        if own is None:
            wrong.append(f"{element_id} has no XPath")
            continue
        by_frame.setdefault(ordinal, {})[backend_id] = own
        owner = owners[ordinal]
        prefix = "" if owner is None else combined[owner]
        whole = own if not prefix else prefix + ("" if own == "/" else own)
        if combined.get(element_id) != whole:
            wrong.append(
                f"{element_id}: {combined.get(element_id)} in the page, but {own} in its frame at {prefix}"
            )
    sessions = await sessions_by_frame(page)
    for frame in snapshot.report.frames:
        if paths := by_frame.get(frame.ordinal):
            astray = await _strayed_in_frame(sessions[frame.frame_id], frame.frame_id, paths)
            wrong.extend(f"{frame.ordinal}-{words}" for words in astray)
    return wrong


async def _strayed_in_frame(session: Session, frame_id: str, paths: Mapping[int, str]) -> list[str]:
    world = await session.send("Page.createIsolatedWorld", {"frameId": frame_id, "worldName": _WORLD})
    context = world["executionContextId"]
    hosts: list[tuple[int, int]] = []
    if any("//" in path for path in paths.values()):
        hosts = await _shadow_hosts(session, frame_id)
    wanted = [host for host, _ in hosts] + [root for _, root in hosts] + list(paths)
    resolved = await gather(
        session,
        [
            ("DOM.resolveNode", {"backendNodeId": node, "executionContextId": context, "objectGroup": _GROUP})
            for node in wanted
        ],
    )
    wrong = [
        f"{node}: {paths[node]}: {one}"
        for node, one in zip(list(paths), resolved[2 * len(hosts) :], strict=True)
        if isinstance(one, Exception)
    ]
    objects: list[dict[str, Any]] = []
    for one in resolved[: 2 * len(hosts)]:
        assert not isinstance(one, Exception), one
        objects.append({"objectId": one["object"]["objectId"]})
    asked = []
    for node, one in zip(list(paths), resolved[2 * len(hosts) :], strict=True):
        if not isinstance(one, Exception):
            asked.append(node)
            objects.append({"objectId": one["object"]["objectId"]})
    answer = await session.send(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": _JAVASCRIPT,
            "executionContextId": context,
            "arguments": [{"value": [paths[node] for node in asked]}, {"value": len(hosts)}, *objects],
            "returnByValue": True,
        },
    )
    await session.send("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
    assert "exceptionDetails" not in answer, answer
    verdicts = answer["result"]["value"]
    wrong += [
        f"{node}: {paths[node]}: {verdict}"
        for node, verdict in zip(asked, verdicts, strict=True)
        if verdict is not None
    ]
    return wrong


async def _shadow_hosts(session: Session, frame_id: str) -> list[tuple[int, int]]:
    """(host, shadow root) of one frame's document, as backend node ids."""
    root = (await session.send("DOM.getDocument", {"depth": -1, "pierce": True}))["root"]
    await session.send("DOM.disable")
    found: list[tuple[int, int]] = []
    # The session's root document has no owner element; an in-process frame's is its owner's content.
    main = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    open_nodes = [(root, main == frame_id)]
    while open_nodes:
        node, inside = open_nodes.pop()
        if inside:
            found.extend(
                (node["backendNodeId"], root["backendNodeId"]) for root in node.get("shadowRoots", ())
            )
        below = [*node.get("children", ()), *node.get("shadowRoots", ())]
        open_nodes.extend((child, inside) for child in below)
        if "contentDocument" in node:
            open_nodes.append((node["contentDocument"], node.get("frameId") == frame_id))
    return found
