"""Pages that write down the events they get, and a bench to run plans of `hybridsnap.act` on them.

    bench = await Bench.open(browser, pages.url("/"))
    await bench.do(type_text, "#name", "Ada")
    assert await bench.events("#name") == ["focus", "beforeinput", "input"]

In tests an element is named by a selector, ``>>`` leads into frames and shadow roots.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from hybridsnap.act.element import Element
from hybridsnap.capture.node_resolver import NodeResolver
from hybridsnap.capture.scope import number_frames
from hybridsnap.capture.selectors import parse_selector
from hybridsnap.deadline import Deadline
from hybridsnap.drivers.base import run
from hybridsnap.model import ElementId
from tests.support.faults import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap import Page
    from hybridsnap.protocol.plan import Plan

T = TypeVar("T")

#: Writes events down in `window.log`, those inside shadow roots once `record(root)` was called. An event is
#: its type, the id of what it reached first, what it carries, and a mark when script made it.
RECORDER = """<script>
  window.log = [];
  const seen = new WeakSet(), hosts = new WeakSet();
  function record(root) {
    hosts.add(root.host ?? {});
    for (const type of ["focus", "blur", "keydown", "keypress", "keyup", "beforeinput", "input", "change",
                        "click", "submit", "paste", "copy", "cut", "select"]) {
      root.addEventListener(type, (event) => {
        const on = event.composedPath()[0];
        if (seen.has(event) || on === window || hosts.has(on)) return;
        seen.add(event);
        log.push([type, on.id || on.localName || "document", event.key || event.inputType || "",
                  event.isTrusted ? "" : "untrusted"].filter(Boolean).join(" "));
      }, true);
    }
  }
  record(window);
</script>"""

#: Where the same fields stand: how a selector leads there.
FRAMES = {
    "main": "",
    "iframe": "#same >> ",
    "cross-site": "#other >> ",
    "iframe in iframe": "#other >> iframe >> ",
    "open shadow": "open-box >> ",
    "closed shadow": "closed-box >> ",
}
#: The same for tests that take one at a time: the gate leaves out what lies on the way to others,
#: and the main frame, in which all other tests are.
FRAME_PARAMETERS = [
    pytest.param(where, marks=[pytest.mark.soak] if where in {"main", "iframe", "open shadow"} else [])
    for where in FRAMES
]


def framed(fields: str) -> dict[str, str]:
    """Pages that hold the same fields in every kind of frame and shadow root."""
    shadows = "".join(
        f"<{mode}-box><template shadowrootmode={mode}>{fields}</template></{mode}-box>"
        for mode in ("open", "closed")
    )
    shadows += """<script>for (const name of ["open-box", "closed-box"]) customElements.define(name,
        class extends HTMLElement { constructor() { super(); record(this.attachInternals().shadowRoot); } });
        </script>"""
    return {
        "/": f"""<!doctype html><title>Fields</title>{RECORDER}{fields}{shadows}
            <iframe id=same src=/inner></iframe>
            <iframe id=other src="http://localhost:{{PORT}}/outer"></iframe>""",
        "/outer": f"<!doctype html>{RECORDER}{fields}<iframe src='http://127.0.0.1:{{PORT}}/inner'></iframe>",
        "/inner": f"<!doctype html>{RECORDER}{fields}",
    }


@dataclasses.dataclass
class Bench:
    """A page on which plans are run."""

    page: Page

    @classmethod
    async def open(cls, page: Page, url: str) -> Bench:
        await page.goto(url)
        await page.snapshot(timeout=20)
        return cls(page)

    async def run(self, plan_of: Callable[[NodeResolver], Plan[T]], seconds: float = 10) -> T:
        """Run a plan; its handles are released."""
        resolver = NodeResolver(self.page._context.attachment.sessions(), self.page._context.ordinals)

        def whole() -> Plan[T]:
            try:
                result = yield from plan_of(resolver)
            except Exception:
                yield from resolver.release()
                raise
            yield from resolver.release()
            return result

        return await run(whole(), self.page._context.driver, Deadline.after(seconds))

    async def do(self, act: Callable[..., Plan[T]], selector: str, *args: Any, **options: Any) -> T:
        """Run a plan on an element."""

        def plan(resolver: NodeResolver) -> Plan[T]:
            element = yield from found(resolver, selector)
            return (yield from act(resolver, element, *args, **options))

        return await self.run(plan)

    async def script(self, selector: str, body: str) -> Any:
        """What a function of the page's own world gives, called on an element."""

        def plan(resolver: NodeResolver) -> Plan[tuple[Element, str | None]]:
            element = yield from found(resolver, selector)
            return element, resolver.id_of(element.place.session)

        element, session_id = await self.run(plan)
        session = next(one for one in self.page.sessions if one.id == session_id)
        node = {"backendNodeId": element.place.backend_node_id}
        resolved = await session.send("DOM.resolveNode", node)
        called = await session.send(
            "Runtime.callFunctionOn",
            {
                "objectId": resolved["object"]["objectId"],
                "functionDeclaration": f"function () {{ {body} }}",
                "returnByValue": True,
                "awaitPromise": True,
            },
        )
        assert "exceptionDetails" not in called, called
        return called["result"].get("value")

    async def value(self, selector: str) -> Any:
        """The value, checked state or text of an element."""
        return await self.script(
            selector,
            """if (this.type === "checkbox" || this.type === "radio") return this.checked;
            if (this.localName === "select") return [...this.selectedOptions].map((one) => one.value);
            return this.value ?? this.innerText;""",
        )

    async def events(self, selector: str) -> list[str]:
        """The events of an element's document since they were last asked for."""
        found: list[str] = await self.script(selector, "return this.ownerDocument.defaultView.log.splice(0);")
        return found

    async def until_clean(self) -> None:
        """Nothing is waited for, no guard stands."""
        await until(lambda: not self.page.session.connection._waiting)


def found(resolver: NodeResolver, selector: str) -> Plan[Element]:
    """The first match of a selector as an element."""
    places = yield from resolver.find(parse_selector(selector), 0)
    if not places:
        raise LookupError(f"nothing matches {selector}")
    place = yield from resolver.held(places[0])
    assert place is not None
    yield from number_frames(resolver)
    resolver.ordinals.assign([place.frame])
    ordinal = resolver.ordinals.by_frame[place.frame]
    return Element(ElementId(f"{ordinal}-{place.backend_node_id}"), place, "role", selector)
