"""A page whose elements tell the test which pointer and key events they receive."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from hybridsnap import CommandRefused
from hybridsnap.act.dragging import drag_element
from hybridsnap.act.element import Element
from hybridsnap.act.pointer import PointerOptions, click_element, hover_element
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.capture.selectors import parse_selector
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import run
from hybridsnap.model import ElementId
from tests.support import http
from tests.support.faults import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap import Page
    from hybridsnap.act.pointer import Hit
    from hybridsnap.protocol.plan import Plan
    from tests.support.pages import Content, PageServer


T = TypeVar("T")


#: Every document tells the test what its elements receive: the kind, the nearest id, and more of events.
HEAR = """<!doctype html><style>body { margin: 0; font: 16px/20px sans-serif }</style><script>
  const KINDS = ["mousedown", "mouseup", "click", "auxclick", "dblclick", "contextmenu", "mouseover",
    "keydown", "keyup", "dragstart", "drop", "dragend"];
  const hear = (event) => {
    const at = event.composedPath().find((one) => one.id);
    const heard = { kind: event.type, id: at ? at.id : "", detail: event.detail, button: event.button,
      x: event.clientX, y: event.clientY, shift: event.shiftKey, control: event.ctrlKey, key: event.key,
      trusted: event.isTrusted, time: event.timeStamp };
    const request = new XMLHttpRequest();
    request.open("POST", "/heard", false);
    request.send(JSON.stringify(heard));
  };
  for (const kind of KINDS) document.addEventListener(kind, hear, true);
</script><body>"""


_IMAGE = "<svg xmlns='http://www.w3.org/2000/svg' width='200' height='100'></svg>"


class Stage:
    """A tab, and what its elements have received."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.heard: list[dict[str, Any]] = []
        self.contents: dict[str, Content] = {"/heard": self._take, "/image.svg": _IMAGE}
        self.server: PageServer

    async def _take(self, request: http.Request) -> http.Response:
        self.heard.append(json.loads(request.body))
        return http.Response(status=204)

    async def open(self, body: str, **others: str) -> Page:
        """A page of this body; others are its frames' bodies, ``name.html`` each."""
        self.contents["/"] = HEAR + body
        self.contents |= {f"/{name}.html": HEAR + text for name, text in others.items()}
        await self.page.goto(self.server.url("/"))
        await self.page.settled(Deadline.after(5))
        return self.page

    async def put(self, body: str) -> None:
        """Another body for the innermost frame of the page; a dialog in it is opened."""
        html = json.dumps(body)
        script = f"document.body.setHTMLUnsafe({html}); document.querySelector('dialog')?.showModal()"
        await evaluate(self.page.sessions[-1], script)
        self.heard.clear()

    async def run(self, plan: Callable[[NodeResolver], Plan[T]], seconds: float = 10) -> T:
        """Run a plan; every handle is let go, and nothing of ours stands in the page afterwards."""
        resolver = NodeResolver(self.page._context.attachment.sessions(), self.page._context.ordinals)

        def whole() -> Plan[T]:
            try:
                return (yield from plan(resolver))
            finally:
                self.guards_in = dict(resolver._worlds)

        return await run(whole(), self.page._context.driver, Deadline.after(seconds))

    async def act(
        self, selector: str, act: Callable[[NodeResolver, Element], Plan[T]], seconds: float = 10
    ) -> T:
        def plan(resolver: NodeResolver) -> Plan[T]:
            element = yield from find(resolver, selector)
            return (yield from act(resolver, element))

        return await self.run(plan, seconds)

    async def click(self, selector: str, seconds: float = 10, **options: Any) -> Hit:
        given = PointerOptions(**options)
        return await self.act(selector, lambda resolver, one: click_element(resolver, one, given), seconds)

    async def hover(self, selector: str, **options: Any) -> Hit:
        given = PointerOptions(**options)
        return await self.act(selector, lambda resolver, one: hover_element(resolver, one, given))

    async def drag(self, source: str, target: str, **options: Any) -> Hit:
        def plan(resolver: NodeResolver) -> Plan[Hit]:
            first = yield from find(resolver, source)
            second = yield from find(resolver, target)
            return (yield from drag_element(resolver, first, second, PointerOptions(**options)))

        return await self.run(plan)

    def kinds(self, *kinds: str) -> list[tuple[str, str]]:
        """What was received of these kinds, with the ids; of presses and clicks when none is named."""
        wanted = kinds or ("mousedown", "mouseup", "click")
        return [(one["kind"], one["id"]) for one in self.heard if one["kind"] in wanted]

    async def evaluate(self, expression: str) -> Any:
        return await evaluate(self.page.session, expression)

    async def guards(self) -> list[int]:
        """How many guards stand in the frames that were acted in."""
        counts = []
        for frame, world in self.guards_in.items():
            for session in self.page.sessions:
                try:
                    result = await session.send(
                        "Runtime.evaluate",
                        {
                            "expression": 'globalThis[Symbol.for("hybridsnap guards")]?.size ?? 0',
                            "contextId": world,
                            "returnByValue": True,
                        },
                    )
                except CommandRefused:
                    continue
                assert frame
                counts.append(result["result"]["value"])
        return counts


def find(resolver: NodeResolver, selector: str) -> Plan[Element]:
    """The first that a selector matches, as an element; what it is called is the selector."""
    place, *_ = yield from resolver.find(parse_selector(selector), None)
    held = yield from resolver.held(place)
    assert held is not None
    return Element(ElementId(f"0-{held.backend_node_id}"), held, "button", selector)


def click_on(name: str) -> list[tuple[str, str]]:
    return [("mousedown", name), ("mouseup", name), ("click", name)]
