"""What holds of every snapshot's hybrid tree, and of what is asked of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from hybridsnap.model import ElementId
from tests.support.walker import gather

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridsnap import Page, Snapshot

HS = {"hs": "urn:hybridsnap"}
#: (selector, the same as an XPath)
QUERIES = [
    ("*", None),
    ("div", "//div"),
    ("input", "//input"),
    ("body button", "//body//button"),
    ("form > label, li > ul, ul > li", "//form/label | //li/ul | //ul/li"),
    ("[role]", None),
    ("[aria-label][role=button]", None),
    ("p:first-child, li:last-child, option:nth-child(2n+1)", None),
    ("h1 + p, h2 ~ p", None),
    (":not(div):not(p)", None),
    ("input[type=checkbox], input[type=radio]", "//input[@type='checkbox' or @type='radio']"),
    ("input:checked, option:checked", None),
    ("svg, svg *", "//svg | //svg//*"),
    ("a[href]", "//a[@href]"),
    ("div:empty, span:empty", None),
    (":root", None),
    ("[id]", None),
    ("tr:nth-child(2) > td:first-of-type", "//tr[2]/td[1]"),
]


def ids_of(tree: etree._ElementTree) -> list[ElementId]:
    return [ElementId(str(id_)) for id_ in tree.xpath("//@hs:id", namespaces=HS)]


async def backend_ids(page: Page, selectors: Sequence[str]) -> list[list[str]]:
    """What `querySelectorAll` finds in the main document for each selector, as element ids."""
    session = page.session
    root = (await session.send("DOM.getDocument", {"depth": 0}))["root"]["nodeId"]
    answers = await gather(
        session,
        [("DOM.querySelectorAll", {"nodeId": root, "selector": selector}) for selector in selectors],
    )
    nodes = dict.fromkeys(node for answer in answers for node in answer["nodeIds"])
    described = await gather(session, [("DOM.describeNode", {"nodeId": node}) for node in nodes])
    ids = {node: f"0-{one['node']['backendNodeId']}" for node, one in zip(nodes, described, strict=True)}
    return [[ids[node] for node in answer["nodeIds"]] for answer in answers]


def check_document(snapshot: Snapshot) -> None:
    tree = snapshot.to_lxml()
    ids = ids_of(tree)
    assert len(ids) == len(set(ids))
    assert set(ids) <= set(snapshot.combined_xpath_map)
    for row in snapshot.rows:
        assert not row.tag or row.id is None or row.id in ids
    assert ids_of(etree.ElementTree(etree.fromstring(etree.tostring(tree)))) == ids
    text = snapshot.render("xml")
    assert ids_of(etree.ElementTree(etree.fromstring(text))) == ids
    assert text.ids >= set(ids)
    assert "hunter2" not in etree.tostring(tree, encoding="unicode")
    shown = {row.id for row in snapshot.shown_rows}
    for id_ in ids:
        found = snapshot.node(id_)
        assert found.id == id_
        assert found.xpath == snapshot.combined_xpath_map.get(id_)
        # An element of the outline has its parent there, one that is left out in the DOM.
        alike = [child for child in found.children if (child in shown) == (id_ in shown)]
        assert all(snapshot.node(child).parent == id_ for child in alike)


async def check_queries(page: Page, snapshot: Snapshot) -> None:
    """Queries of the snapshot agree with the browser's."""
    light = {
        id_
        for id_ in ids_of(snapshot.to_lxml())
        if id_.startswith("0-") and "//" not in snapshot.combined_xpath_map[id_]
    }
    # Frames and shadow roots, which the browser does not look into, are left out of the answer.
    found = await backend_ids(page, [selector for selector, _ in QUERIES])
    for (selector, expression), wanted in zip(QUERIES, found, strict=True):
        assert [id_ for id_ in snapshot.css(selector) if id_ in light] == wanted, selector
        if expression is not None:
            assert [id_ for id_ in snapshot.xpath(expression) if id_ in light] == wanted, expression
