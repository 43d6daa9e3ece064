r"""CSS selectors for elements of a snapshot: short, unique, found again by ``document.querySelector``.

In order of preference: ``button#submit``, ``input[name="username"]``, ``a[href="/home"]`` and other single
attributes, a tag that occurs once, two attributes together, a class, an id that looks made by a script, and
at last a path of steps (``> li:nth-of-type(3)``) from the nearest ancestor that one of those finds.

- A document and each author shadow root is a *scope* of its own: within it a selector finds exactly one
  element, and none in the shadow roots below it, where actions look, too. `` >> `` goes from one scope into
  the next: from a frame's owner element into its document, from a host into its shadow root (open or
  closed): ``iframe[name="shop"] >> x-cart >> button#buy``.
- Nothing is looked for: tables of who has which tag, attribute and value are built in one pass over the DOM.
- Ids, classes and ``type`` are compared without regard to ASCII case, since a browser may do so (quirks mode,
  HTML's list of such attributes): what is unique that way is unique in any mode.
- Of a capture with a focus, or without ignored parts, the other elements are not known: there each selector
  is a whole path, ``:root > body:nth-of-type(1) > …``.
- In a quoted value ``>`` and whatever would not survive on a line of text are written as escapes, so that
  neither `` >> `` nor `` -> `` can stand there.
"""

from __future__ import annotations

import bisect
import dataclasses
import re
from typing import TYPE_CHECKING

from hybridsnap.capture.merge import find_document
from hybridsnap.capture.xpath import DOCUMENT, ELEMENT, FRAGMENT, is_html
from hybridsnap.render.dom import is_password
from hybridsnap.text import SURROGATE, clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hybridsnap.capture.dom import SessionDomIndex
    from hybridsnap.capture.reading import Capture
    from hybridsnap.model import FrameId

#: Between the selector of a frame's owner or a shadow host and the selector within.
HOP = " >> "
#: Attributes that name an element, the most telling first; ``id`` and ``class`` come in by themselves.
_SINGLE = (
    "name",
    "href",
    "data-testid",
    "data-test",
    "data-qa",
    "aria-label",
    "placeholder",
    "title",
    "alt",
    "for",
    "src",
    "type",
    "role",
    "value",
)
_ATTRIBUTES = frozenset(_SINGLE)
#: Attributes whose values HTML compares without case.
_CASELESS = frozenset({"type"})
#: A longer value makes no short selector.
_LONGEST_VALUE = 100
#: For two attributes together, the elements that share one are gone through; not more than these, and for
#: not more attributes than that.
_MOST_SHARING = 24
_MOST_PAIRED = 5
#: Levels that the HTML parser nests; a longer path is of no use, and costs its length at each level.
_MOST_STEPS = 512
_PLAIN_TAG = re.compile(r"[a-z][a-z0-9-]*\Z")
_PLAIN_STEP = re.compile(r"([a-z][a-z0-9-]*)\[(\d+)\]\Z")
#: What scripts make up anew at each load: ``:r1:``, ``ember412``, ``radix-:r3:``, hashes.
_MADE_UP = re.compile(r":|\d{3}|(?=[a-f]*\d)[0-9a-f]{8}", re.IGNORECASE)
#: What separates classes; not `str.split`, which would also cut at a no-break space.
_CLASSES = re.compile(r"[^ \t\n\f\r]+")
_STABLE_CLASS = re.compile(r"[A-Za-z][A-Za-z-]{2,40}\Z")
_IDENTIFIER_PLAIN = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]*\Z")


def _hex(character: str) -> str:
    return f"\\{ord(character):x} "


def _prints(character: str) -> bool:
    """Whether the character survives on a line of text, as it is."""
    return clean_text(f"x{character}x") == f"x{character}x"


def css_identifier(text: str) -> str:
    """`text` as a CSS identifier, by the rules of ``CSS.escape`` (and escapes for what does not print)."""
    if _IDENTIFIER_PLAIN.match(text):
        return text
    made: list[str] = []
    for at, character in enumerate(text):
        if character.isascii() and (character.isalnum() or character in "-_"):
            leading = at == 0 or (at == 1 and text[0] == "-")
            if (character.isdigit() and leading) or (character == "-" and len(text) == 1):
                made.append(_hex(character) if character.isdigit() else f"\\{character}")
            else:
                made.append(character)
        elif not _prints(character) or character in " >":
            made.append(_hex(character))
        else:
            made.append(f"\\{character}" if character.isascii() else character)
    return "".join(made)


def css_string(text: str) -> str:
    """`text` as a CSS string in double quotes."""
    if text.isascii() and text.isprintable() and not set(text) & {'"', "\\", ">"}:
        return f'"{text}"'
    made: list[str] = []
    for character in text:
        if character in '"\\':
            made.append(f"\\{character}")
        elif character == ">" or not _prints(character):
            made.append(_hex(character))
        else:
            made.append(character)
    return '"' + "".join(made) + '"'


def _ascii_lower(text: str) -> str:
    return text.lower() if text.isascii() else re.sub("[A-Z]+", lambda found: found[0].lower(), text)


def _says_all(text: str) -> bool:
    """Whether CSS can say the value at all: it knows no NUL and no lone surrogates."""
    return bool(text) and "\0" not in text and "\ufffd" not in text and not SURROGATE.search(text)


def _holds(positions: Sequence[int], wanted: int) -> bool:
    """Whether the ascending positions hold one."""
    at = bisect.bisect_left(positions, wanted)
    return at < len(positions) and positions[at] == wanted


#: What a group of elements shares: tag, attribute, value. ("", "#", id) and (tag, ".", class) likewise.
_Feature = tuple[str, str, str]


@dataclasses.dataclass(slots=True)
class _Candidate:
    """One way of saying which element is meant."""

    feature: _Feature
    text: str


class ScopeSelectors:
    """Selectors within the scopes of one session's DOM.

    Attributes:
        scopes: for each node the position of the document or shadow root it stands in; -1 without one.
    """

    def __init__(self, index: SessionDomIndex) -> None:
        self.index = index
        self.scopes: list[int] = []
        #: Scope → the scopes in which a search comes by its elements: itself, and those above it.
        self._seen_from: dict[int, tuple[int, ...]] = {}
        self._sharing: dict[tuple[int, _Feature], list[int]] = {}
        self._anchors: dict[int, str | None] = {}
        self._steps: dict[int, str] = {}
        #: Some of the page is not here, and counting says nothing.
        self._in_part = index.is_part or bool(index.outside)
        for here, (node, parent) in enumerate(zip(index.nodes, index.parents, strict=True)):
            opens = node.node_type in (DOCUMENT, FRAGMENT)
            self.scopes.append(here if opens else self.scopes[parent] if parent >= 0 else -1)
            if opens:
                self._seen_from[here] = self._scopes_above(here, parent)
            if node.node_type == ELEMENT:
                features = list(self._features(here))
                for scope in self._seen_from.get(self.scopes[here], (self.scopes[here],)):
                    for feature in features:
                        self._sharing.setdefault((scope, feature), []).append(here)

    def _scopes_above(self, scope: int, host: int) -> tuple[int, ...]:
        """A scope and those in which a search goes down into it: author shadow roots are searched, too."""
        node = self.index.nodes[scope]
        if node.node_type != FRAGMENT or node.shadow_root_type == "user-agent" or host < 0:
            return (scope,)
        return (scope, *self._seen_from.get(self.scopes[host], ()))

    def in_user_agent_scope(self, here: int) -> bool:
        """Whether the node is an inner part of a control, which no selector reaches."""
        scope = self.scopes[here]
        return scope >= 0 and self.index.nodes[scope].shadow_root_type == "user-agent"

    def select(self, here: int) -> str | None:
        """A selector that finds the element in its scope; None where there is no short one."""
        if self._in_part:
            return self._by_path(here)
        own = self._anchor(here)
        if own is not None:
            return own
        steps: list[str] = []
        scope = self.scopes[here]
        while len(steps) < _MOST_STEPS:
            steps.append(self._step(here))
            parent = self.index.parents[here]
            if parent < 0 or parent == scope:
                is_shadow = scope >= 0 and self.index.nodes[scope].node_type == FRAGMENT
                if is_shadow:
                    return " > ".join([":host", *reversed(steps)])
                # The document's only element.
                return " > ".join([":root", *reversed(steps[:-1])])
            anchor = self._anchor(parent)
            if anchor is not None:
                return " > ".join([anchor, *reversed(steps)])
            here = parent
        return None

    def _by_path(self, here: int) -> str | None:
        """The XPath as a selector; its counts are right whatever is left out."""
        path = self.index.xpath(here) or ""
        steps = path.rpartition("//")[2].lstrip("/").split("/")
        if len(steps) > _MOST_STEPS or not all(map(_PLAIN_STEP.match, steps)):
            return None
        if "//" in path:
            return " > ".join([":host", *(_PLAIN_STEP.sub(r"\1:nth-of-type(\2)", step) for step in steps)])
        return " > ".join([":root", *(_PLAIN_STEP.sub(r"\1:nth-of-type(\2)", step) for step in steps[1:])])

    def _tag(self, here: int) -> str:
        """The type selector; ``*`` for names that one would have to think about."""
        name = self.index.nodes[here].local_name
        return name if _PLAIN_TAG.match(name) else "*"

    def _attributes(self, here: int) -> dict[str, str]:
        own = self.index.nodes[here].attributes
        found: dict[str, str] = {}
        for at in range(len(own) - 2 + len(own) % 2, -1, -2):  # of two of one name the first counts
            found[own[at]] = own[at + 1]
        return found

    def _features(self, here: int) -> Iterator[_Feature]:
        tag = _ascii_lower(self.index.nodes[here].local_name)
        yield (tag, "", "")
        own = self.index.nodes[here].attributes
        for at in range(0, len(own) - 1, 2):
            name, value = own[at], own[at + 1]
            if name == "id":
                yield ("", "#", _ascii_lower(value))
            elif name == "class":
                for word in dict.fromkeys(_CLASSES.findall(_ascii_lower(value))):
                    yield (tag, ".", word)
            elif name in _ATTRIBUTES:
                yield (tag, name, _ascii_lower(value) if name in _CASELESS else value)

    def _alone(self, here: int, feature: _Feature) -> bool:
        return self._sharing.get((self.scopes[here], feature)) == [here]

    def _candidates(self, here: int) -> tuple[list[_Candidate], list[_Candidate]]:
        """Ways of saying the element, by preference, and those that are tried when all else fails."""
        attributes, tag = self._attributes(here), self._tag(here)
        name = _ascii_lower(self.index.nodes[here].local_name)
        first: list[_Candidate] = []
        last: list[_Candidate] = []
        own_id = attributes.get("id", "")
        if _says_all(own_id) and len(own_id) <= _LONGEST_VALUE:
            said = "" if tag == "*" else tag
            candidate = _Candidate(("", "#", _ascii_lower(own_id)), f"{said}#{css_identifier(own_id)}")
            (last if _MADE_UP.search(own_id) else first).append(candidate)
        if tag == "*":
            # What shares a value with elements of other names was not counted.
            return first, last
        if is_password(self.index.nodes[here]):
            attributes.pop("value", None)
        for attribute in _SINGLE:
            value = attributes.get(attribute, "")
            if _says_all(value) and len(value) <= _LONGEST_VALUE:
                counted = _ascii_lower(value) if attribute in _CASELESS else value
                text = f"{tag}[{attribute}={css_string(value)}]"
                first.append(_Candidate((name, attribute, counted), text))
        last += [
            _Candidate((name, ".", _ascii_lower(word)), f"{tag}.{word}")
            for word in _CLASSES.findall(attributes.get("class", ""))
            if _STABLE_CLASS.match(word)
        ]
        return first, last

    def _anchor(self, here: int) -> str | None:
        """A selector without steps, if one finds the element; kept, since an ancestor is asked often."""
        if here not in self._anchors:
            self._anchors[here] = self._find_anchor(here)
        return self._anchors[here]

    def _find_anchor(self, here: int) -> str | None:
        if self.index.nodes[here].node_type != ELEMENT:
            return None
        first, last = self._candidates(here)
        for candidate in first:
            if self._alone(here, candidate.feature):
                return candidate.text
        tag = self._tag(here)
        if tag != "*" and self._alone(here, (tag, "", "")):
            return tag
        pair = self._find_pair(here, first)
        if pair is not None:
            return pair
        for candidate in last:
            if self._alone(here, candidate.feature):
                return candidate.text
        return None

    def _find_pair(self, here: int, candidates: Sequence[_Candidate]) -> str | None:
        """Two attributes that only this element has together."""
        scope = self.scopes[here]
        tagged = [one for one in candidates if one.feature[1] != "#"][:_MOST_PAIRED]
        sharing = [(self._sharing[scope, one.feature], one.text) for one in tagged]
        for at, (first, text) in enumerate(sharing):
            for second, more in sharing[at + 1 :]:
                few, many = (first, second) if len(first) <= len(second) else (second, first)
                if len(few) <= _MOST_SHARING and not any(_holds(many, one) for one in few if one != here):
                    return text + more[more.index("[") :]
        return None

    def _step(self, here: int) -> str:
        """Which child of its parent the element is."""
        if here not in self._steps:
            self._count_siblings(self.index.parents[here])
            self._steps.setdefault(here, self._tag(here))
        return self._steps[here]

    def _count_siblings(self, parent: int) -> None:
        """The steps of all children of a node, in one pass."""
        index = self.index
        if parent < 0:
            return
        children = [
            at
            for child in index.nodes[parent].children
            if child.node_type == ELEMENT
            and index.parents[at := index.position[child.backend_node_id]] == parent
        ]
        # In an HTML document they are found whatever the case of their names (measured in Chromium 156).
        foreign = {
            _ascii_lower(index.nodes[at].local_name) for at in children if not is_html(index.nodes[at])
        }
        html: dict[str, list[int]] = {}
        for number, at in enumerate(children, 1):
            tag = self._tag(at)
            if tag == "*" or tag in foreign:
                # Elements of other namespaces may share a name; their number among all children is theirs.
                self._steps[at] = f"{tag}:nth-child({number})"
            else:
                html.setdefault(tag, []).append(at)
        for tag, alike in html.items():
            for number, at in enumerate(alike, 1):
                self._steps[at] = tag if len(alike) == 1 else f"{tag}:nth-of-type({number})"


class PageSelectors:
    """Selectors through all frames and shadow roots of a page.

    Args:
        capture: the page's.
    """

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._scopes: dict[int, ScopeSelectors] = {}
        self._prefixes: dict[tuple[int, int], str | None] = {}
        self._frames = frames_by_document(capture)

    def scope_selectors(self, session: int) -> ScopeSelectors:
        """The tables of one session's DOM."""
        if session not in self._scopes:
            self._scopes[session] = ScopeSelectors(self._capture.index(session))
        return self._scopes[session]

    def select(self, session: int, position: int) -> str | None:
        """The element's selector from the main document on, with a hop for each frame and shadow root.

        None where there is none: a path of too many steps, or an owner element that is not known.
        """
        tables = self.scope_selectors(session)
        own = tables.select(position)
        scope = tables.scopes[position]
        prefix = self._prefix(session, scope)
        return None if own is None or prefix is None else prefix + own

    def _prefix(self, session: int, scope: int) -> str | None:
        """What leads into a scope, hops included; "" for the main document."""
        way: list[tuple[int, int]] = []
        here = (session, scope)
        while here not in self._prefixes:
            host = None if here in way else self.host(*here)  # hosts in a ring: no browser says so
            way.append(here)
            if host is None:
                is_main = self._frames.get(here) == self._capture.context.root_id
                self._prefixes[here] = "" if is_main else None
            else:
                here = (host[0], self.scope_selectors(host[0]).scopes[host[1]])
        for inner in reversed(way):
            if inner not in self._prefixes:
                host = self.host(*inner)
                assert host is not None
                own = self.scope_selectors(host[0]).select(host[1])
                above = self._prefixes[host[0], self.scope_selectors(host[0]).scopes[host[1]]]
                self._prefixes[inner] = None if own is None or above is None else above + own + HOP
        return self._prefixes[session, scope]

    def host(self, session: int, scope: int) -> tuple[int, int] | None:
        """The shadow host or the owner element of a scope: session and position."""
        index = self._capture.index(session)
        if scope >= 0 and index.nodes[scope].node_type == FRAGMENT:
            return session, index.parents[scope]
        frame = self._frames.get((session, scope))
        owner = None if frame is None else self._capture.owners.get(frame)
        return None if owner is None else (owner.session, owner.position)


def frames_by_document(capture: Capture) -> dict[tuple[int, int], FrameId]:
    """(session, position of a document) → its frame."""
    found: dict[tuple[int, int], FrameId] = {}
    for frame in capture.context.frames:
        place = find_document(capture.context, capture.owners, capture.indexes, frame)
        if place is not None:
            found.setdefault((place.session, place.position), frame)
    return found
