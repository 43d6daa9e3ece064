"""XPath: positional steps for siblings, and paths put together and taken apart.

Rules:

- A step is what ``document.evaluate`` finds: ``div[2]`` for an HTML element of an HTML document,
  ``*[name()="svg"][1]`` for any other (an unprefixed name test matches HTML elements only),
  ``text()[3]``, ``comment()[1]``, ``processing-instruction()[1]``. Text and CDATA nodes count together, each
  on its own, white space included. Where Chromium does not tell in which letters a prefix is written (an
  HTML element that script gave one), ``*[local-name()="y"][1]``.
- ``//`` enters the shadow root of the element before it; the next step is that root's child.
- A document's own path is ``/`` within its frame. A doctype, a shadow root itself and a pseudo-element have
  no path.
- A frame's paths are prefixed with its owner element's path.
"""

from __future__ import annotations

import re
import string
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap.protocol.replies import DOMNode

ELEMENT, TEXT, CDATA, PROCESSING_INSTRUCTION, COMMENT, DOCUMENT, DOCTYPE, FRAGMENT = 1, 3, 4, 7, 8, 9, 10, 11

_ASCII_UPPER = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)
_PLAIN_NAME = re.compile(r"[a-z][a-z0-9-]*\Z")
#: Node types that have a step of their own beside elements.
_NODE_TESTS = {
    TEXT: "text()",
    CDATA: "text()",
    COMMENT: "comment()",
    PROCESSING_INSTRUCTION: "processing-instruction()",
}


def _upper(name: str) -> str:
    """As HTML writes names: ASCII letters only."""
    return name.upper() if name.isascii() else name.translate(_ASCII_UPPER)


def is_html(node: DOMNode) -> bool:
    """Whether this is an HTML element of an HTML document: only those have an upper-case ``nodeName``."""
    return node.node_name != node.local_name and node.node_name == _upper(node.local_name)


def _hides_its_prefix(node: DOMNode) -> bool:
    """Whether the prefix may be written in other letters than ``nodeName`` says.

    Script can make an HTML element with a prefix; its ``nodeName`` is upper-case, its ``name()`` is not.
    """
    name, local = node.node_name, node.local_name
    return ":" in name and not is_html(node) and name != local and name == _upper(name)


def tag_name(node: DOMNode) -> str:
    """An element's name as markup writes it: ``div``, ``svg``, ``x:y``; "" for any other node."""
    if node.node_type != ELEMENT:
        return ""
    name, local = node.node_name, node.local_name
    # As is_html; this is asked for each row of a page, so it stands here once more.
    upper = local.upper() if local.isascii() else local.translate(_ASCII_UPPER)
    return local if name != local and name == upper else name


def xpath_literal(text: str) -> str:
    """`text` as an XPath 1.0 string expression, whatever quotes it holds."""
    if '"' not in text:
        return f'"{text}"'
    if "'" not in text:
        return f"'{text}'"
    parts = ", '\"', ".join(f'"{part}"' for part in text.split('"'))
    return f"concat({parts})"


def build_child_xpath_segments(siblings: Sequence[DOMNode]) -> list[str | None]:
    """The step of each of a node's children, in one pass.

    Args:
        siblings: all children of one node, in document order.

    Returns:
        One step each; None for a doctype.
    """
    segments: list[str | None] = []
    by_name: defaultdict[str, int] = defaultdict(int)
    html_by_name: defaultdict[str, int] = defaultdict(int)
    by_test: defaultdict[str, int] = defaultdict(int)
    by_local_name: defaultdict[str, int] = defaultdict(int)
    hidden = {node.local_name for node in siblings if node.node_type == ELEMENT and _hides_its_prefix(node)}
    for node in siblings:
        if node.node_type == ELEMENT:
            name = tag_name(node)
            by_name[name] += 1
            if hidden:
                # Neither `name()` nor a plain name test counts right beside such an element.
                local = node.local_name
                by_local_name[local] += 1
                if ":" in name or local in hidden:
                    segments.append(f"*[local-name()={xpath_literal(local)}][{by_local_name[local]}]")
                    continue
            if is_html(node):
                html_by_name[name] += 1
                if _PLAIN_NAME.match(name):
                    segments.append(f"{name}[{html_by_name[name]}]")
                    continue
            segments.append(f"*[name()={xpath_literal(name)}][{by_name[name]}]")
        elif test := _NODE_TESTS.get(node.node_type):
            by_test[test] += 1
            segments.append(f"{test}[{by_test[test]}]")
        else:
            segments.append(None)
    return segments


def normalize_xpath(xpath: str) -> str:
    """The form in which the maps write a path: no ``xpath=``, no white space around, one leading slash.

    "" and "/" are the document.
    """
    path = xpath.strip()
    if path.lower().startswith("xpath="):
        path = path[len("xpath=") :].strip()
    if not path or path == "/":
        return "/"
    if not path.startswith("/"):
        path = "/" + path
    return path.rstrip("/") or "/"


def prefix_xpath(prefix: str, xpath: str) -> str:
    """The path of a frame's node in the page: its owner element's path, then its path in the frame."""
    prefix, path = normalize_xpath(prefix), normalize_xpath(xpath)
    if prefix == "/":
        return path
    return prefix if path == "/" else prefix + path


def relativize_xpath(xpath: str, prefix: str) -> str | None:
    """The inverse of `prefix_xpath`: the path within the frame; None when it is not below `prefix`."""
    prefix, path = normalize_xpath(prefix), normalize_xpath(xpath)
    if prefix == "/":
        return path
    if path == prefix:
        return "/"
    return path[len(prefix) :] if path.startswith(prefix + "/") else None
