"""XPath and CSS over the hybrid tree (`hybridsnap.render.document`), answered with element ids.

Both look into frames and shadow roots: ``form input`` and ``//form//input`` find an input below the form
wherever it stands. ``>``, ``+`` and the like stay within one document or shadow root, as in the browser.

XPath knows the prefixes ``hs``, ``xlink``, ``xml`` and ``re`` (EXSLT: ``re:test(@hs:name, "^pay", "i")``).
An ``hs:document`` is answered by its document's id; an ``hs:shadow-root`` and a missing document have none.

CSS finds the page's elements only, no ``hs:…``. ``:checked`` is what is checked, not what the markup says,
and ``:focus`` what had the focus. What only a live page can answer (``:hover``, ``:visited``) is an error.
CSS has no prefixes: for roles and names there is XPath.
"""

from __future__ import annotations

import re
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, cast

import cssselect
from cssselect.xpath import ExpressionError
from lxml import etree

from hybridsnap.render.document import HS_ID, PREFIXES, attribute_name, xml_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from cssselect.parser import Attrib, Element
    from cssselect.xpath import XPathExpr

    from hybridsnap.model import ElementId

_XPATH_PREFIXES = {**PREFIXES, "re": "http://exslt.org/regular-expressions"}
_SAFE_NAME = re.compile(r"[a-z_][a-z0-9_.-]*\Z")
#: String literals of an XPath, or an axis on which our own elements do not count.
_SIBLINGS = re.compile(r"""("[^"]*"|'[^']*')|((?:preceding|following)-sibling::\*)""")


def query_xpath(document: etree._ElementTree, expression: str) -> list[ElementId]:
    """The ids of the elements that an XPath expression selects, in document order.

    Raises:
        ValueError: it is not an XPath 1.0, or selects something other than elements.
    """
    found = _evaluate(document, expression, f"{expression!r} is not an XPath that can be evaluated")
    if not isinstance(found, list):
        words = f"{expression!r} gives a {_KINDS[type(found)]}; ask for elements, or to_lxml().xpath(…)"
        raise ValueError(words)  # noqa: TRY004 - what the expression says is a value
    return _ids_of(found, expression)


def _ids_of(found: list[etree._Element], expression: str) -> list[ElementId]:
    """Takes the elements out of the list from its end: see `hybridsnap.render.document._build`."""
    ids: list[ElementId] = []
    while found:
        element = found.pop()
        if not isinstance(getattr(element, "tag", None), str):  # a string, a comment
            words = (
                f"{expression!r} selects attributes, text or comments;"
                " ask for elements, or to_lxml().xpath(…) for these"
            )
            raise ValueError(words)  # noqa: TRY004 - as above
        if (id_ := element.get(HS_ID)) is not None:
            ids.append(cast("ElementId", id_))
    ids.reverse()
    return ids


_KINDS: dict[type, str] = {bool: "truth value", float: "number", str: "string"}


def query_css(document: etree._ElementTree, selector: str) -> list[ElementId]:
    """The ids of the elements that a CSS selector selects, in document order.

    Raises:
        ValueError: it is not a CSS selector, or none that can be answered from a snapshot.
    """
    words = f"{selector!r} is not a CSS selector that a snapshot can answer"
    try:
        expression = _Translator(xhtml=True).css_to_xpath(selector)
    except cssselect.SelectorError as error:
        raise ValueError(f"{words}: {_one_line(error)}") from error
    # Our own elements are not siblings of the page's.
    expression = _SIBLINGS.sub(lambda match: match[1] or f"{match[2]}[not(self::hs:*)]", expression)
    found = _evaluate(document, expression, words)
    assert isinstance(found, list)
    return _ids_of(found, selector)


def _evaluate(
    document: etree._ElementTree, expression: str, words: str
) -> list[etree._Element] | str | float | bool:
    try:
        query = etree.XPath(expression, namespaces=_XPATH_PREFIXES, smart_strings=False)
        found: list[etree._Element] | str | float | bool = query(document)
    except (etree.XPathError, ValueError) as error:  # ValueError: control characters, surrogates
        raise ValueError(f"{words}: {_one_line(error)}") from error
    return found


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()).encode(errors="replace").decode()


class _Translator(cssselect.HTMLTranslator):
    """CSS to XPath on this document: names as it writes them, structure without our own elements."""

    def xpath_element(self, selector: Element) -> XPathExpr:
        """An element by its name; an HTML element's in whatever letters."""
        if selector.namespace not in (None, "*"):
            raise ExpressionError("there are no prefixes in CSS; use an XPath")
        if not selector.element:
            return self.xpathexpr_cls(element="*", condition="not(self::hs:*)")
        name = xml_name(selector.element)
        if _SAFE_NAME.match(name):
            return self.xpathexpr_cls(element=name)
        tests = [f"name() = {self.xpath_literal(each)}" for each in sorted({name, name.lower()})]
        return self.xpathexpr_cls(element="*", condition=" or ".join(tests))

    def xpath_attrib(self, selector: Attrib) -> XPathExpr:
        """An attribute by its name, compared as the operator says."""
        if selector.namespace not in (None, "*"):
            raise ExpressionError("there are no prefixes in CSS; use an XPath")
        name = attribute_name(selector.attrib)
        if _SAFE_NAME.match(name):
            attribute = f"@{name}"
        else:
            lower = attribute_name(selector.attrib.lower())
            tests = [f"name() = {self.xpath_literal(each)}" for each in sorted({name, lower})]
            attribute = f"attribute::*[{' or '.join(tests)}]"
        value = None if selector.value is None else selector.value.value
        if value and getattr(selector, "flag", None) == "i":
            attribute = f"translate({attribute}, '{ascii_uppercase}', '{ascii_lowercase}')"
            value = value.translate(str.maketrans(ascii_uppercase, ascii_lowercase))
        operator = self.attribute_operator_mapping[selector.operator]
        compare: Callable[[XPathExpr, str, str | None], XPathExpr] = getattr(self, f"xpath_attrib_{operator}")
        return compare(self.xpath(selector.selector), attribute, value)

    def xpath_root_pseudo(self, xpath: XPathExpr) -> XPathExpr:
        """Each document's root element."""
        return xpath.add_condition("parent::hs:document")

    def xpath_scope_pseudo(self, xpath: XPathExpr) -> XPathExpr:
        """Without a scope, the root element."""
        return self.xpath_root_pseudo(xpath)

    def xpath_empty_pseudo(self, xpath: XPathExpr) -> XPathExpr:
        """A shadow root or a frame's document is not a child."""
        return xpath.add_condition("not(*[not(self::hs:*)]) and not(text())")

    def xpath_focus_pseudo(self, xpath: XPathExpr) -> XPathExpr:
        """What had the focus."""
        return xpath.add_condition("@hs:focused")

    def pseudo_never_matches(self, xpath: XPathExpr) -> XPathExpr:  # noqa: ARG002 - the library's signature
        """Refuse what the library takes and nothing would ever match."""
        raise ExpressionError(
            "a snapshot does not know the pointer, what was visited, or the address's target"
        )

    xpath_hover_pseudo = pseudo_never_matches
    xpath_active_pseudo = pseudo_never_matches
    xpath_visited_pseudo = pseudo_never_matches
    xpath_target_pseudo = pseudo_never_matches

    def xpath_checked_pseudo(self, xpath: XPathExpr) -> XPathExpr:
        """As the AX tree says; as the markup says where it says nothing.

        Chromium does not say which option of a disabled ``select`` is selected, but what its value is.
        """
        return xpath.add_condition(
            "(self::input and @hs:checked = 'true') or (self::option and (@hs:selected or"
            " @hs:name = ancestor::select[1][@hs:disabled]/@hs:value)) or not(@hs:role) and ("
            "(self::option and @selected) or"
            " (self::input and @checked and (@type = 'checkbox' or @type = 'radio')))"
        )
