"""``GET /snapshot``, and what shows a page otherwise: ``/navigate``, ``/screenshot``, ``/pdf``, ``/text``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hybridsnap.errors import SelectorError
from hybridsnap.render.boxes import find_marks
from hybridsnap.render.labels import MOST_LABELS, draw_labels
from hybridsnap.server.messages import SnapshotRequest, bad_request
from hybridsnap.server.openclaw import fields as of
from hybridsnap.server.openclaw.host import done, named_ref
from hybridsnap.server.openclaw.news import length_of_marks, mark_new, shown_refs
from hybridsnap.server.openclaw.performing import browser_state
from hybridsnap.server.openclaw.refusals import unsupported
from hybridsnap.server.openclaw.registry import TARGET, TIMEOUT, route
from hybridsnap.service.taken import take_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridsnap.deadline import Deadline
    from hybridsnap.render.rendering import Rendering
    from hybridsnap.render.role import Ref
    from hybridsnap.server.openclaw.host import Call
    from hybridsnap.server.sessions import HeldTab
    from hybridsnap.service.taken import TakenFormat
    from hybridsnap.snapshot import Snapshot

#: OpenClaw's defaults: characters, levels, nodes, ms.
_CHARS, _EFFICIENT_CHARS, _EFFICIENT_DEPTH = 40_000, 8_000, 6
_LIMIT, _MOST_LIMIT = 500, 2_000
_SNAPSHOT_MS, _LEAST_SNAPSHOT_MS, _MOST_SNAPSHOT_MS = 5_000, 500, 60_000
_NAVIGATION_MS, _LEAST_NAVIGATION_MS, _MOST_NAVIGATION_MS = 20_000, 1_000, 120_000
_PICTURE_MS = 20_000
#: No rendering is cut shorter than this: a fold has to say what it hides.
_LEAST_CHARS = 200
_SNAPSHOT = (
    TARGET,
    of.text("format", "ai or aria"),
    of.text("mode", "efficient: interactive, compact, 6 levels, 8000 characters"),
    of.positive("limit", "of aria: nodes, 500 if left out, 2000 at most"),
    of.whole("maxChars", "of ai: 40000 if left out; 0 is all"),
    of.boolean("interactive"),
    of.boolean("compact"),
    of.whole("depth", "levels, from 0"),
    of.text("refs", "role or aria: the same refs here"),
    of.text("selector", "only what is below it"),
    of.text("frame", "selector of an iframe: only what is in it"),
    of.boolean("labels", "a picture with the refs drawn on it"),
    of.boolean("urls", "links with their addresses"),
    TIMEOUT,
)
_SCREENSHOT = (
    TARGET,
    of.boolean("fullPage"),
    of.text("ref"),
    of.text("element", "a selector"),
    of.boolean("labels"),
    of.text("type", "png or jpeg"),
    TIMEOUT,
)


@route("GET", "/snapshot", *_SNAPSHOT, answers=("format", "snapshot", "refs", "stats", "nodes"))
async def snapshot(call: Call) -> dict[str, Any]:
    """``GET /snapshot``."""
    given = call.given
    efficient = given["mode"] == "efficient"
    if given["format"] == "aria" and (given["labels"] or efficient):
        raise bad_request("labels and mode=efficient are for format=ai")
    milliseconds = min(max(given["timeoutMs"] or _SNAPSHOT_MS, _LEAST_SNAPSHOT_MS), _MOST_SNAPSHOT_MS)
    held, deadline = await call.here(milliseconds)
    what = "aria" if given["format"] == "aria" else "ai"
    fields: dict[str, Any] = {"format": what}
    state = await browser_state(call, held, deadline)
    if any(state["dialogs"].values()):
        fields["browserState"] = state
    if held.page.dialogs:
        nothing: dict[str, Any] = {"nodes": []} if what == "aria" else {"snapshot": "", "refs": {}}
        return done(held, **fields, blockedByDialog=True, **nothing)
    interactive = efficient if given["interactive"] is None else given["interactive"]
    empty = "(no interactive elements)" if interactive else "(empty)"
    try:
        taken = await _capture(call, held, deadline, given["selector"])
    except SelectorError as error:
        if error.reason != "nothing" or given["selector"] is None:
            raise
        if given["frame"] is not None:  # which has to be there
            await _capture(call, held, deadline, None)
        return done(held, **fields, **_described(empty, {}))
    if what == "aria":
        limit = min(given["limit"] or _LIMIT, _MOST_LIMIT)
        return done(held, **fields, nodes=_nodes(taken, limit))
    text, rendering, news = _render(call, held, taken, efficient=efficient)
    refs = _told_refs(text, rendering)
    if given["labels"]:
        fields |= await _labelled(call, taken, rendering.extras["refs"])
    return done(held, **fields, **news, **_described(text or empty, refs, rendering))


async def _capture(call: Call, held: HeldTab, deadline: Deadline, selector: str | None) -> Snapshot:
    given, control, frame = call.given, call.host.control, call.given["frame"]
    focus = selector if frame is None else f"{frame} >> {selector or ':root'}"
    request = SnapshotRequest(focus=focus, layout=bool(given["labels"]), screenshot=bool(given["labels"]))
    async with control.locks.hold(held.page, deadline):
        return await control.capture(held, request, deadline)


def _render(
    call: Call, held: HeldTab, taken: Snapshot, *, efficient: bool
) -> tuple[str, Rendering, dict[str, Any]]:
    """The text, what it is made of, and the fields that say what is new and whether something is left out."""
    given = call.given
    interactive = efficient if given["interactive"] is None else given["interactive"]
    depth = _EFFICIENT_DEPTH if efficient and given["depth"] is None else given["depth"]
    options: dict[str, Any] = {
        "interactive": interactive,
        # Without its ancestors nothing has a depth.
        "flat": interactive and depth is None,
        "compact": efficient if given["compact"] is None else given["compact"],
        "max_depth": depth,
        "urls": bool(given["urls"]),
    }
    usual = _EFFICIENT_CHARS if efficient else _CHARS
    chars = usual if given["maxChars"] is None else given["maxChars"]
    rendering = taken.render("role", **options)
    kind = (*options.values(), given["selector"], given["frame"], chars)
    loader = taken.report.frames[0].loader_id
    new = call.host.state(held.page).news.take(kind, loader, rendering.extras["refs"])
    marks = length_of_marks(new or frozenset())
    told: dict[str, Any] = {}
    if chars and len(rendering) + marks > chars:
        rendering = taken.render("role", max_chars=max(chars - marks, _LEAST_CHARS), **options)
        told["truncated"] = True
    if new is None:
        return str(rendering), rendering, told
    told["newElements"] = len(new.intersection(shown_refs(rendering)))
    return mark_new(str(rendering), new), rendering, told


def _told_refs(text: str, rendering: Rendering) -> dict[str, dict[str, Any]]:
    """The refs that the text shows: role, name, and which of those that share both."""
    refs: Mapping[str, Ref] = rendering.extras["refs"]
    several = {(one.role, one.name) for one in refs.values() if one.nth}
    return {
        ref: {
            "role": one.role,
            **({"name": one.name} if one.name else {}),
            **({"nth": one.nth} if (one.role, one.name) in several else {}),
            "backendDOMNodeId": one.backend_node_id,
            "elementId": one.element_id,
        }
        for ref in shown_refs(text)
        if (one := refs.get(ref)) is not None
    }


def _described(
    text: str, refs: dict[str, dict[str, Any]], rendering: Rendering | None = None
) -> dict[str, Any]:
    stats = {
        "lines": text.count("\n") + 1,
        "chars": len(text),
        "refs": len(refs),
        "interactive": 0 if rendering is None else rendering.stats.interactive,
    }
    return {"snapshot": text, "refs": refs, "stats": stats}


def _nodes(taken: Snapshot, limit: int) -> list[dict[str, Any]]:
    """The nodes of the accessibility tree, with refs such as ``ax1``."""
    rendering = taken.render("aria", json_lines=True, limit=limit)
    refs = rendering.extras["refs"]
    nodes = []
    for line in rendering.splitlines():
        node = json.loads(line)
        if "ref" not in node:
            continue
        backend_id = refs[node["ref"]].backend_node_id
        beside = {name: node[name] for name in ("value", "description") if node.get(name)}
        if backend_id is not None:
            beside["backendDOMNodeId"] = backend_id
        nodes.append(
            {
                "ref": node["ref"],
                "role": node["role"] or "unknown",
                "name": node.get("name") or "",
                **beside,
                "depth": node["depth"],
            }
        )
    return nodes


async def _labelled(call: Call, taken: Snapshot, refs: Mapping[str, Ref]) -> dict[str, Any]:
    """A picture of the viewport with refs drawn on it, and where each stands."""
    assert taken.screenshot is not None
    names = {one.element_id: ref for ref, one in refs.items()}
    try:
        picture, _ = draw_labels(taken.screenshot, taken.content, names=names)
    except ImportError as error:
        raise unsupported("labels: drawing without Pillow", str(error)) from error
    marks = find_marks(taken.content)
    annotations = []
    for id_, box in marks.seen[:MOST_LABELS]:
        ref = names[id_]
        x, y, width, height = box.bounds
        annotations.append(
            {
                "ref": ref,
                "number": int(ref[1:]),
                "role": refs[ref].role,
                **({"name": refs[ref].name} if refs[ref].name else {}),
                "box": {"x": x, "y": y, "width": width, "height": height},
            }
        )
    total = len(marks.seen) + len(marks.covered) + marks.out_of_view
    return {
        "imagePath": await call.host.media.save(picture, ".png"),
        "imageType": "png",
        "labels": True,
        "labelsCount": len(annotations),
        "labelsSkipped": total - len(annotations),
        "annotations": annotations,
    }


@route("POST", "/navigate", TARGET, of.text("url", "where to", required=True), TIMEOUT)
async def navigate(call: Call) -> dict[str, Any]:
    """``POST /navigate``."""
    milliseconds = call.given["timeoutMs"] or _NAVIGATION_MS
    deadline = call.deadline(min(max(milliseconds, _LEAST_NAVIGATION_MS), _MOST_NAVIGATION_MS))
    url = await call.check_url(deadline)
    held = await call.tab(deadline)
    await call.do(held, {"action": "goto", "url": url, "wait": "load"}, deadline)
    return done(held)


@route("POST", "/screenshot", *_SCREENSHOT, answers=("path",))
async def screenshot(call: Call) -> dict[str, Any]:
    """``POST /screenshot``."""
    given = call.given
    element, full_page = given["element"], given["fullPage"]
    element = element if given["ref"] is None else named_ref(given["ref"])
    if element is not None and full_page:
        raise bad_request("fullPage is not for a picture of one element")
    kind: TakenFormat = "jpeg" if given["type"] == "jpeg" else "png"
    held, deadline = await call.here(given["timeoutMs"] or _PICTURE_MS)
    if given["labels"]:
        if element is not None or full_page or kind == "jpeg":
            raise unsupported("labels on more or less than the viewport, or as JPEG", "ask for the viewport")
        request = SnapshotRequest(layout=True, screenshot=True)
        control = call.host.control
        async with control.locks.hold(held.page, deadline):
            taken = await control.capture(held, request, deadline)
        fields = await _labelled(call, taken, taken.render("role").extras["refs"])
        path = fields.pop("imagePath")
        del fields["imageType"]
        return done(held, path=path, **fields)
    return await _saved(call, held, deadline, kind, full_page=bool(full_page), element=element)


@route("POST", "/pdf", TARGET, answers=("path",))
async def pdf(call: Call) -> dict[str, Any]:
    """``POST /pdf``."""
    held, deadline = await call.here()
    return await _saved(call, held, deadline, "pdf", background=True)


async def _saved(
    call: Call, held: HeldTab, deadline: Deadline, format_: TakenFormat, **options: Any
) -> dict[str, Any]:
    """The page as a file, which the answer names."""
    control = call.host.control
    async with control.locks.hold(held.page, deadline):
        data = await take_page(control.content, held, format_, options, deadline)
    return done(held, path=await call.host.media.save(data, f".{format_}"))


@route("GET", "/text", TARGET, of.text("selector"), of.positive("maxChars"), answers=("text", "truncated"))
async def text(call: Call) -> dict[str, Any]:
    """``GET /text``: of what a selector matches, or of the article, the main part or the body."""
    held, deadline = await call.here(_PICTURE_MS)
    wanted = call.given["selector"]
    async with call.checked(held, deadline) as page:
        for selector in [wanted] if wanted else ["article", "main", "body"]:
            try:
                words = await page.text(selector, nth=0, wait=bool(wanted), timeout=deadline)
            except SelectorError as error:
                if wanted or error.reason != "nothing":
                    raise
            else:
                break
    most = min(call.given["maxChars"] or _CHARS, _CHARS)
    return done(held, text=words[:most], truncated=len(words) > most)


@route("POST", "/highlight", TARGET, of.text("ref", "an element", required=True))
async def highlight(call: Call) -> dict[str, Any]:
    """``POST /highlight``."""
    held, deadline = await call.here()
    await call.do(held, {"action": "highlight", "element": named_ref(call.given["ref"])}, deadline)
    return done(held)
