"""Seeing what an action does to the page: mutations, live regions, the focus, the element's own state.

Observers stand in the isolated world of the element's frame and of the frames around it, from before the
action until the page has settled. They see open shadow roots, and closed ones around the element; what is
behind other closed roots, and in frames further away, they do not see.
"""

from __future__ import annotations

import dataclasses
import uuid
from typing import TYPE_CHECKING, Any

from hybridsnap.act.probes import TAKES
from hybridsnap.act.receipt import Change, Invalid
from hybridsnap.capture.pointing import active_within
from hybridsnap.capture.scope import number_frames
from hybridsnap.errors import CommandError, SessionEnded
from hybridsnap.protocol.commands import call_function, get_properties
from hybridsnap.protocol.plan import Answer, settle

if TYPE_CHECKING:
    from hybridsnap.capture.locating import Locator, Place
    from hybridsnap.model import FrameId
    from hybridsnap.protocol.plan import Command, Plan
    from hybridsnap.protocol.replies import CallResult

#: So many fields are named that kept a form from being sent.
_MOST_INVALID = 5
_LIVE = '[aria-live]:not([aria-live="off"]), [role="alert"], [role="status"], [role="log"], output'
#: Accessors are taken off the prototypes, as in `hybridsnap.act.probes`.
_ACCESS = """
  const get = (type, name, on) => Object.getOwnPropertyDescriptor(type.prototype, name).get.call(on);
  const elementOf = (node) => node instanceof Element ? node : get(Node, "parentElement", node);
  const textOf = (node) => get(Node, "textContent", node);
  const rootOf = (node) => Node.prototype.getRootNode.call(node);
  const closest = (element, selector) => Element.prototype.closest.call(element, selector);
  const all = (root, selector) => [Document, Element, DocumentFragment].find((type) => root instanceof type)
    .prototype.querySelectorAll.call(root, selector);
"""
#: Of one element, as strings; what a change of it is called in a receipt.
_STATE = (
    """(node) => {
    const at = node && elementOf(node);
    if (!at) return {};
    // What stands in a label is meant for its control, but for what is a control itself.
    const near = closest(at, "label, """
    + TAKES
    + """");
    const isEditable = (one) => one instanceof HTMLElement && get(HTMLElement, "isContentEditable", one);
    const element = (near instanceof HTMLLabelElement && near.control) || at;
    const tag = get(Element, "localName", element), type = tag === "input" && element.type;
    const yes = (value) => value === null || value === undefined ? undefined : String(value);
    const found = {};
    if (type === "file") {
      found.files = [...element.files].map((file) => file.name).join(", ");
    } else if (type === "checkbox" || type === "radio") {
      found.checked = element.indeterminate ? "mixed" : String(element.checked);
    } else if (type === "password") {
      found.secret = element.value;
    } else if (tag === "input" || tag === "textarea") {
      found.value = element.value;
    } else if (tag === "select") {
      found.value = [...element.selectedOptions].map((option) => option.label).join(", ");
    } else if (tag === "option") {
      found.selected = String(element.selected);
    } else if (isEditable(element)) {
      found.value = get(HTMLElement, "innerText", element);
    } else if (textOf(element).length <= 200) {
      found.text = textOf(element).trim();
    }
    // Editable text hands clicks on to its label's control, and takes what is typed.
    if (element !== at && isEditable(at)) found.value = get(HTMLElement, "innerText", at);
    if (tag === "details" || tag === "summary") {
      const details = closest(element, "details");
      if (details) found.expanded = String(details.open);
    }
    for (const name of ["checked", "selected", "expanded", "pressed"]) {
      for (const one of [element, at]) {
        found[name] ??= yes(Element.prototype.getAttribute.call(one, "aria-" + name));
      }
    }
    return found;
  }"""
)
#: The watch waits for its end under its key, at the world's global object: by a symbol, as a page can give
#: any name there to an element of its own.
_START = (
    "function (key, target) {"
    + _ACCESS
    + """
  const live = '"""
    + _LIVE
    + """';
  const state = """
    + _STATE
    + """;
  const closed = new Map(), roots = new Set([document]);
  for (let root = target && rootOf(target); root instanceof ShadowRoot; root = rootOf(root.host)) {
    roots.add(root);
    closed.set(root.host, root);
  }
  const walk = [...roots];
  while (walk.length) {
    for (const one of all(walk.pop(), "*")) {
      const inner = get(Element, "shadowRoot", one);
      if (!inner || roots.has(inner)) continue;
      roots.add(inner);
      walk.push(inner);
    }
  }
  const active = () => {
    let one = get(Document, "activeElement", document);
    for (;;) {
      const root = one && (get(Element, "shadowRoot", one) || closed.get(one));
      if (!root || !root.activeElement) break;
      one = root.activeElement;
    }
    return ["body", "documentElement"].some((name) => one === get(Document, name, document)) ? null : one;
  };
  const texts = new Map(), changed = new Set();
  for (const root of roots) for (const one of all(root, live)) texts.set(one, textOf(one));
  const around = (node) => {
    for (let one = node; one;) {
      const element = elementOf(one), region = element && closest(element, live);
      if (region) { changed.add(region); return; }
      const root = rootOf(one);
      one = root instanceof ShadowRoot ? root.host : null;
    }
  };
  let count = 0;
  const look = (records) => {
    count += records.length;
    for (const record of records) {
      around(record.target);
      for (const node of record.addedNodes) {
        if (!(node instanceof Element) || changed.size > 20) continue;
        if (Element.prototype.matches.call(node, live)) changed.add(node);
        for (const one of all(node, live)) changed.add(one);
      }
    }
  };
  const observer = new MutationObserver(look);
  const every = { subtree: true, childList: true, attributes: true, characterData: true };
  for (const root of roots) observer.observe(root, every);
  // A page may ask its fields at every key. What counts is when somebody wants to send.
  const FIELDS = "input:not([type=submit], [type=image], [type=button]), select, textarea, label, option";
  const invalid = new Map();
  let sending = false;
  const send = (event) => {
    const at = event.composedPath()[0];
    sending ||= event.type === "keydown" ? event.key === "Enter"
      : !(at instanceof Element && closest(at, FIELDS));
  };
  const note = ({ target: field }) => {
    if (sending && invalid.size < """
    + str(_MOST_INVALID)
    + """) invalid.set(field, [field.name || field.id || "", field.validationMessage || ""]);
  };
  // A click on a file field opens its chooser, be it a label's or a script's: for a gesture only, and if
  // nobody prevents it, which shows in the end.
  const clicked = new Map();
  const choose = (event) => {
    const at = event.composedPath()[0];
    if (!(at instanceof HTMLInputElement) || at.type !== "file") return;
    if (navigator.userActivation.isActive) clicked.set(at, event);
  };
  addEventListener("click", choose, true);
  for (const type of ["click", "keydown"]) addEventListener(type, send, true);
  for (const root of roots) EventTarget.prototype.addEventListener.call(root, "invalid", note, true);
  // What is secret is compared here, and only how long it is leaves the page.
  const hide = (old, fresh) => {
    const changed = old.secret !== fresh.secret;
    for (const one of [old, fresh]) if ("secret" in one) one.value = `${one.secret.length} characters`;
    if (changed && old.value === fresh.value) fresh.value = fresh.value.replace(" ", " other ");
  };
  const before = { active: active(), state: state(target) };
  const watches = globalThis[Symbol.for("hybridsnap watches")] ??= new Map();
  watches.set(key, {
    before: before.active,
    end() {
      look(observer.takeRecords());
      observer.disconnect();
      removeEventListener("click", choose, true);
      for (const type of ["click", "keydown"]) removeEventListener(type, send, true);
      for (const root of roots) EventTarget.prototype.removeEventListener.call(root, "invalid", note, true);
      const after = active(), now = state(target);
      const changes = [];
      hide(before.state, now);
      for (const what of ["value", "checked", "selected", "expanded", "pressed", "files", "text"]) {
        const [old, fresh] = [before.state[what], now[what]];
        if (old !== fresh) changes.push([what, (old ?? "").slice(0, 1000), (fresh ?? "").slice(0, 1000)]);
      }
      const announced = [];
      for (const one of changed) {
        const text = get(Node, "isConnected", one) ? textOf(one) : "";
        const said = text.replace(/\\s+/g, " ").trim();
        if (said && text !== texts.get(one)) announced.push(said.slice(0, 300));
      }
      const moved = after !== this.before;
      this.after = after;
      const [chooser] = [...clicked].filter(([, event]) => !event.defaultPrevented).map(([field]) => field);
      this.fields = [...invalid.keys(), ...(chooser ? [chooser] : [])];
      if (!moved && !this.fields.length) watches.delete(key);
      const gone = Boolean(target) && !get(Node, "isConnected", target);
      const chose = Boolean(chooser);
      return { count, changes, announced, moved, gone, chose, invalid: [...invalid.values()] };
    },
  });
}"""
)
_END = 'function (key) { return globalThis[Symbol.for("hybridsnap watches")]?.get(key)?.end(); }'
#: What had the focus before and after, then the fields that were found not valid, then the one whose file
#: chooser was opened.
_NODES = """function (key) {
  const watches = globalThis[Symbol.for("hybridsnap watches")], watch = watches?.get(key);
  watches?.delete(key);
  return [watch?.before ?? null, watch?.after ?? null, ...(watch?.fields ?? [])];
}"""


@dataclasses.dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of an action from within the page.

    Attributes:
        dom_changes: mutations; None when no frame could be asked in the end: it holds another document.
        changes: of the element.
        announced: texts that appeared in live regions.
        focus: ids before and after, "" for nothing; None when it did not move.
        gone: the element is out of its document.
        invalid: fields that kept a form from being sent, by their HTML name or id.
        file_chooser: id of the file field whose chooser was opened, "" where it cannot be told.
    """

    dom_changes: int | None = None
    changes: tuple[Change, ...] = ()
    announced: tuple[str, ...] = ()
    focus: tuple[str, str] | None = None
    gone: bool = False
    invalid: tuple[Invalid, ...] = ()
    file_chooser: str | None = None


class Watch:
    """Observers of one action. Its methods are plans.

    Args:
        locator: of the page.
        place: of the element acted on, with a handle on it; None watches the main frame only.
    """

    def __init__(self, locator: Locator, place: Place | None) -> None:
        self._locator = locator
        self._place = place
        self._key = f"{locator.group} {uuid.uuid4().hex}"
        self._worlds: list[tuple[int, FrameId, int]] = []

    def start(self) -> Plan[None]:
        """Put the observers up, in the element's frame first."""
        locator = self._locator
        place = self._place
        frames = (
            [(0, (yield from locator.main_frame()))]
            if place is None
            else (yield from locator.frames_around(place))
        )
        for session, frame in frames:
            inner = place is not None and frame == place.frame
            target = {"objectId": place.object_id} if place and inner else {"value": None}
            world = yield from locator.world(session, frame)
            undo = self._call(session, world, _END, by_value=True)
            start = dataclasses.replace(self._call(session, world, _START, target), undo=undo)
            (outcome,) = yield from settle(start)
            if isinstance(outcome, Answer):
                if outcome.value.exception_details is None:
                    self._worlds.append((session, frame, world))
            elif not isinstance(outcome.error, CommandError):
                raise outcome.error

    def stop(self) -> Plan[None]:
        """Take the observers down, without asking what they saw."""
        yield from settle(
            *(
                self._call(session, world, function, by_value=True)
                for session, _, world in self._worlds
                for function in (_END, _NODES)
            )
        )

    def end(self) -> Plan[Seen]:
        """Take the observers down; what they saw."""
        asked = [self._call(session, world, _END, by_value=True) for session, _, world in self._worlds]
        outcomes = yield from settle(*asked)
        counts: list[int] = []
        announced: list[str] = []
        changes: tuple[Change, ...] = ()
        focus: tuple[str, str] | None = None
        gone = False
        invalid: list[Invalid] = []
        file_chooser: str | None = None
        for number, outcome in enumerate(outcomes):
            if not isinstance(outcome, Answer):
                if not isinstance(outcome.error, (CommandError, SessionEnded)):
                    raise outcome.error
                continue
            told: Any = outcome.value.result.value
            if not isinstance(told, dict):
                continue  # another document stands there now
            counts.append(told["count"])
            announced += told["announced"]
            if number == 0:
                changes = tuple(Change(*one) for one in told["changes"])
                gone = told["gone"]
            if told["moved"] or told["invalid"] or told["chose"]:
                ids = yield from self._nodes(*self._worlds[number])
                if told["moved"] and len(ids) > 1 and ids[0] != ids[1]:
                    focus = focus or (ids[0], ids[1])  # the innermost frame tells most
                fields = [*ids[2:], *[""] * (len(told["invalid"]) + 1)]
                invalid += [Invalid(id_, *words) for id_, words in zip(fields, told["invalid"], strict=False)]
                if told["chose"]:
                    file_chooser = file_chooser or fields[len(told["invalid"])]
        # The document that was acted in is the one that counts.
        lost = not self._worlds or not isinstance(outcomes[0], Answer)
        count = None if lost else sum(counts)
        texts = tuple(dict.fromkeys(announced))
        return Seen(count, changes, texts, focus, gone, tuple(invalid), file_chooser)

    def _nodes(self, session: int, frame: FrameId, world: int) -> Plan[list[str]]:
        """Ids of what `_NODES` gives, "" for nothing; none at all where they cannot be told any more."""
        locator = self._locator
        (outcome,) = yield from settle(self._call(session, world, _NODES))
        if not isinstance(outcome, Answer) or outcome.value.result.object_id is None:
            return []
        held = outcome.value.result.object_id
        (listed,) = yield from settle(get_properties(locator.id_of(session), held, locator.group))
        if not isinstance(listed, Answer):
            return []
        yield from number_frames(locator)
        locator.ordinals.assign([frame])
        ordinal = locator.ordinals.by_frame[frame]
        ids: list[str] = []
        for one in listed.value:
            handles = [] if one.object_id is None else [one.object_id]
            places = yield from locator.described(session, frame, handles)
            if places and len(ids) == 1:  # what has the focus now: to a script, the host of a closed root
                places = [(yield from active_within(locator, places[0]))]
            ids.append(f"{ordinal}-{places[0].backend_node_id}" if places else "")
        return ids

    def _call(
        self, session: int, world: int, function: str, *arguments: dict[str, Any], by_value: bool = False
    ) -> Command[CallResult]:
        given = [{"value": self._key}, *arguments]
        on = {"executionContextId": world}
        own, group = self._locator.id_of(session), self._locator.group
        command = call_function(own, function, on, given, group, by_value=by_value)
        # Values need no release.
        return dataclasses.replace(command, undo=None) if by_value else command
