"""Elements by role and accessible name, as an outline prints them: ``role=button[name="Buy"]``.

The role is Chromium's or ARIA's word for it, whatever its case. ``[name="Buy"]`` is the whole name,
``[name*="Buy"]`` a part of it; an ``i`` behind it (``[name="buy" i]``) says that upper and lower case do not
count. Runs of white space are one space. A name is what the accessibility tree calls the element: list items,
paragraphs and the like have none but by ``aria-label``, and their text is a ``StaticText`` in them. What the
accessibility tree ignores has no role.

Cost: that of the document's whole accessibility tree at each look.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from typing import TYPE_CHECKING

from hybridsnap.capture.aria_words import aria_word
from hybridsnap.capture.roles import INTERACTIVE_ROLES
from hybridsnap.errors import SelectorError
from hybridsnap.text import clean_text

if TYPE_CHECKING:
    from hybridsnap.model import BackendNodeId
    from hybridsnap.protocol.ax_tree import AXTree

_FORM = re.compile(
    r"""
    ([a-z][\w-]*) \s*
    (?: \[ \s* name \s* (\*?)= \s*
        (?: "((?:[^"\\]|\\.)*)" | '((?:[^'\\]|\\.)*)' | ([^\s"'\]/]+) )
        \s* (i?) \s* \] )?
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
#: How many similar names an error suggests when no element has the name.
_MOST_NAMES = 3
#: So far above a text an error looks for the element that holds it.
_MOST_LEVELS = 10
#: Other words for a role: an outline's, ARIA's older one.
_SAME = {"select": "combobox", "img": "image"}


@dataclasses.dataclass(frozen=True, slots=True)
class RoleQuery:
    """What is sought.

    Attributes:
        role: in lower case.
        name: cleaned; None for any.
        whole: the name is the whole one, and not a part of it.
        fold: upper and lower case of the name do not count.
    """

    role: str
    name: str | None
    whole: bool
    fold: bool

    def fits(self, role: str, name: str) -> bool:
        """Whether that is an element of this role, in Chromium's words, and name."""
        if self.role not in {role.lower(), _word(aria_word(role))}:
            return False
        if self.name is None:
            return True
        cleaned = clean_text(name).casefold() if self.fold else clean_text(name)
        return cleaned == self.name if self.whole else self.name in cleaned


def parse_role_query(whole: str, text: str) -> RoleQuery:
    """Take apart what stands behind ``role=``.

    Args:
        whole: the selector that it is a part of, for the message.
        text: a role, and perhaps a name in brackets.

    Raises:
        SelectorError: it is something else.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise SelectorError(
            f"{whole!r} is not a selector: role= takes a role and perhaps a name, "
            'role=button[name="Buy"]; [name*="Bu"] is a part of the name, [name="buy" i] whatever its case',
            selector=whole,
            reason="syntax",
        )
    role, part, double, single, bare, fold = match.groups()
    quoted = double if double is not None else single
    name = bare if quoted is None else _ESCAPED.sub(r"\1", quoted)
    if name is not None:
        name = clean_text(name).casefold() if fold else clean_text(name)
    return RoleQuery(_word(role.lower()), name, not part, bool(fold))


def _word(role: str) -> str:
    return _SAME.get(role, role)


def names_like(tree: AXTree, query: RoleQuery) -> list[str]:
    """Names of elements of the role that have the query's name in them, whatever its case, each once."""
    if query.name is None:
        return []
    like = dataclasses.replace(query, name=query.name.casefold(), whole=False, fold=True)
    names = (clean_text(one.name) for one in tree.nodes if not one.ignored and like.fits(one.role, one.name))
    return list(itertools.islice(dict.fromkeys(names), _MOST_NAMES))


def roles_like(tree: AXTree, query: RoleQuery) -> list[tuple[str, str]]:
    """Roles and names of controls of other roles that the query's name fits, each once."""
    if query.name is None:
        return []
    named = (
        (aria_word(one.role), clean_text(one.name))
        for one in tree.nodes
        if not one.ignored
        and one.role in INTERACTIVE_ROLES
        and dataclasses.replace(query, role=_word(aria_word(one.role))).fits(one.role, one.name)
    )
    return list(itertools.islice(dict.fromkeys(named), _MOST_NAMES))


def text_like(tree: AXTree, query: RoleQuery) -> str | None:
    """A text that has the query's name in it, in an element of the role that has no name of its own.

    List items, paragraphs and the like are not named by what they hold (ARIA), though an outline for a model
    prints it on their line.
    """
    if query.name is None:
        return None
    role = dataclasses.replace(query, name=None)
    words = dataclasses.replace(query, role="statictext", name=query.name.casefold(), whole=False, fold=True)
    above = {child: node for node in tree.nodes for child in node.child_ids}
    for text in tree.nodes:
        if text.ignored or not words.fits(text.role, text.name):
            continue
        node = above.get(text.node_id)
        for _ in range(_MOST_LEVELS):
            if node is None or (not node.ignored and role.fits(node.role, node.name)):
                break
            node = above.get(node.node_id)
        else:
            continue
        if node is not None and not node.name:
            return clean_text(text.name)
    return None


def find_by_role(tree: AXTree, query: RoleQuery) -> list[BackendNodeId]:
    """The nodes of a frame's accessibility tree that a query means, in the tree's order."""
    nodes = {node.node_id: node for node in reversed(tree.nodes)}
    found: list[BackendNodeId] = []
    open_ids = [tree.nodes[0].node_id] if tree.nodes else []
    while open_ids:
        node = nodes.pop(open_ids.pop(), None)
        if node is None:
            continue
        open_ids += reversed(node.child_ids)
        if node.backend_node_id is not None and not node.ignored and query.fits(node.role, node.name):
            found.append(node.backend_node_id)
    return found
