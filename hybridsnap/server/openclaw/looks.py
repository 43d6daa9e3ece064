"""``GET /snapshot``, and what shows a page otherwise: ``/navigate``, ``/screenshot``, ``/pdf``, ``/text``."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from hybridsnap.errors import SelectorError
from hybridsnap.render.boxes import find_marks
from hybridsnap.render.labels import MOST_LABELS, draw_labels
from hybridsnap.server.messages import SnapshotRequest, bad_request
from hybridsnap.server.openclaw.host import done, named_ref
from hybridsnap.server.openclaw.performing import browser_state
from hybridsnap.server.openclaw.refusals import unsupported
from hybridsnap.service.steps import read_action
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
#: The role format writes this for refs only, whatever a page says.
_REF = re.compile(r"\[ref=(e[0-9]+)\]")
#: No rendering is cut shorter than this: a fold has to say what it hides.
_LEAST_CHARS = 200


async def snapshot(call: Call) -> dict[str, Any]:
    """``GET /snapshot``."""
    given = call.given
    efficient = given["mode"] == "efficient"
    if given["format"] == "aria" and (given["labels"] or efficient):
        raise bad_request("labels and mode=efficient are for format=ai")
    milliseconds = min(max(given["timeoutMs"] or _SNAPSHOT_MS, _LEAST_SNAPSHOT_MS), _MOST_SNAPSHOT_MS)
    deadline = call.deadline(milliseconds)
    held = await call.tab(deadline)
    what = "aria" if given["format"] == "aria" else "ai"
    fields: dict[str, Any] = {"format": what}
    state = await browser_state(call, held, deadline)
    if any(state["dialogs"].values()):
        fields["browserState"] = state
    if held.page.dialogs:
        nothing: dict[str, Any] = {"nodes": []} if what == "aria" else {"snapshot": "", "refs": {}}
        return done(held, **fields, blockedByDialog=True, **nothing)
    try:
        taken = await _capture(call, held, deadline)
    except SelectorError as error:
        if error.reason != "nothing":
            raise
        return done(held, **fields, **_described("(empty)", {}))
    if what == "aria":
        limit = min(given["limit"] or _LIMIT, _MOST_LIMIT)
        return done(held, **fields, nodes=_nodes(taken, limit))
    chars = given["maxChars"]
    chars = (_EFFICIENT_CHARS if efficient else _CHARS) if chars is None else chars
    rendering, truncated = _render(taken, given, efficient=efficient, chars=chars or None)
    refs = _shown_refs(rendering)
    if given["labels"]:
        fields |= _labelled(call, taken, rendering.extras["refs"])
    if truncated:
        fields["truncated"] = True
    empty = "(no interactive elements)" if given["interactive"] or efficient else "(empty)"
    return done(held, **fields, **_described(str(rendering) or empty, refs, rendering))


async def _capture(call: Call, held: HeldTab, deadline: Deadline) -> Snapshot:
    given, control = call.given, call.host.control
    frame, selector = given["frame"], given["selector"]
    focus = selector if frame is None else f"{frame} >> {selector or ':root'}"
    request = SnapshotRequest(focus=focus, layout=bool(given["labels"]), screenshot=bool(given["labels"]))
    async with control.locks.hold(held.page, deadline):
        return await control.capture(held, request, deadline)


def _render(
    taken: Snapshot, given: Mapping[str, Any], *, efficient: bool, chars: int | None
) -> tuple[Rendering, bool]:
    """The text, and whether something was left out of it for its length."""
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
    rendering = taken.render("role", **options)
    if chars is None or len(rendering) <= chars:
        return rendering, False
    return taken.render("role", max_chars=max(chars, _LEAST_CHARS), **options), True


def _shown_refs(rendering: Rendering) -> dict[str, dict[str, Any]]:
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
        for ref in _REF.findall(rendering)
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


def _labelled(call: Call, taken: Snapshot, refs: Mapping[str, Ref]) -> dict[str, Any]:
    """A picture of the viewport with refs drawn on it, and where each stands."""
    assert taken.screenshot is not None
    names = {one.element_id: ref for ref, one in refs.items()}
    try:
        picture, _ = draw_labels(taken.screenshot, taken.content, names=names)
    except ImportError as error:
        raise unsupported("labels: drawing without Pillow", str(error)) from error
    marks = find_marks(taken.content)
    annotations = []
    for mark in marks.seen[:MOST_LABELS]:
        ref = names[mark.id]
        x, y, width, height = mark.box.bounds
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
        "imagePath": call.host.media.save(picture, ".png"),
        "imageType": "png",
        "labels": True,
        "labelsCount": len(annotations),
        "labelsSkipped": total - len(annotations),
        "annotations": annotations,
    }


async def navigate(call: Call) -> dict[str, Any]:
    """``POST /navigate``."""
    milliseconds = call.given["timeoutMs"] or _NAVIGATION_MS
    deadline = call.deadline(min(max(milliseconds, _LEAST_NAVIGATION_MS), _MOST_NAVIGATION_MS))
    control = call.host.control
    url = await control.addresses.check_url(call.given["url"], deadline)
    held = await call.tab(deadline)
    action = read_action({"action": "goto", "url": url, "wait": "load"}, tabs="")
    async with control.locks.hold(held.page, deadline):
        await control.perform(held, action, deadline)
    return done(held)


async def screenshot(call: Call) -> dict[str, Any]:
    """``POST /screenshot``."""
    given = call.given
    element, full_page = given["ref"] or given["element"], given["fullPage"]
    if element is not None and full_page:
        raise bad_request("fullPage is not for a picture of one element")
    element = None if element is None else named_ref(element)
    kind: TakenFormat = "jpeg" if given["type"] == "jpeg" else "png"
    deadline = call.deadline(given["timeoutMs"] or _PICTURE_MS)
    held = await call.tab(deadline)
    if given["labels"]:
        if element is not None or full_page or kind == "jpeg":
            raise unsupported("labels on more or less than the viewport, or as JPEG", "ask for the viewport")
        request = SnapshotRequest(layout=True, screenshot=True)
        control = call.host.control
        async with control.locks.hold(held.page, deadline):
            taken = await control.capture(held, request, deadline)
        fields = _labelled(call, taken, taken.render("role").extras["refs"])
        path = fields.pop("imagePath")
        del fields["imageType"]
        return done(held, path=path, **fields)
    control, options = call.host.control, {"full_page": bool(full_page), "element": element}
    async with control.locks.hold(held.page, deadline):
        picture = await take_page(control.content, held, kind, options, deadline)
    return done(held, path=call.host.media.save(picture, f".{kind}"))


async def pdf(call: Call) -> dict[str, Any]:
    """``POST /pdf``."""
    deadline = call.deadline()
    held = await call.tab(deadline)
    control = call.host.control
    async with control.locks.hold(held.page, deadline):
        document = await take_page(control.content, held, "pdf", {"background": True}, deadline)
    return done(held, path=call.host.media.save(document, ".pdf"))


async def text(call: Call) -> dict[str, Any]:
    """``GET /text``: of what a selector matches, or of the article, the main part or the body."""
    deadline = call.deadline(_PICTURE_MS)
    held = await call.tab(deadline)
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


async def highlight(call: Call) -> dict[str, Any]:
    """``POST /highlight``."""
    deadline = call.deadline()
    held = await call.tab(deadline)
    async with call.host.control.locks.hold(held.page, deadline):
        action = read_action({"action": "highlight", "element": named_ref(call.given["ref"])}, tabs="")
        await call.host.control.perform(held, action, deadline)
    return done(held)
