"""No word that a person sees is lost: it is printed, or a fold leads to it."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.support.corpus import HOW_TO_INSTALL, sample

if TYPE_CHECKING:
    import hybridsnap
    from hybridsnap.render.formats import FormatName
    from hybridsnap.render.rendering import Rendering


@pytest.fixture
async def page(home_page: hybridsnap.Page) -> hybridsnap.Page:
    return home_page


_BLOCKS = (
    "div",
    "p",
    "section",
    "ul",
    "table",
    "pre",
    "blockquote",
    "article",
    "h2",
    "details open",
    "dl",
    "button",
)
_INLINE = (
    "b",
    "i",
    "span",
    "a href=x",
    "code",
    "del",
    "sub",
    "mark",
    "q",
    "kbd",
    "abbr title=x",
    "ruby",
    "label",
    "span aria-hidden=true",
)
#: Names of controls glue the cells of a table in them, as `innerText` glues inline elements.
_WORD = re.compile(r"(?:w|term)\d+")
_SEEN = """ariaHidden => {
  const words = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!ariaHidden && parent.closest("[aria-hidden]")) continue;
    if (parent.checkVisibility({visibilityProperty: true, opacityProperty: true})) {
      words.push(...(walker.currentNode.data.match(/[a-z]+\\d+/g) ?? []));
    }
  }
  return words;
}"""


class _Writer:
    """Writes pages of nested elements in which each word stands once."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = 0

    def page(self) -> str:
        parts: list[str] = []
        open_tags: list[str] = []
        for _ in range(120):
            choice = self._random.random()
            if choice < 0.25 and len(open_tags) < 8:
                tag = self._random.choice(_BLOCKS if choice < 0.15 else _INLINE)
                if tag == "p" and "p" in open_tags:
                    continue
                parts.append(f"<{tag}>{self._inside(tag)}")
                open_tags.append(tag.partition(" ")[0])
            elif choice < 0.45 and open_tags:
                parts.append(f"</{open_tags.pop()}>")
            else:
                parts.append(self._text())
        return "".join(parts)

    def _inside(self, tag: str) -> str:
        if tag == "table":
            cells = "".join(f"<td>{self._text()}" for _ in range(3))
            return f"<tr><th>{self._text()}<th>x<th>y<tr>{cells}<tr><td colspan=3>"
        return {
            "ul": "<li>",
            "details open": f"<summary>{self._text()}</summary>",
            "dl": "<dt>term1<dd>",
        }.get(tag, "")

    def _text(self) -> str:
        words = []
        for _ in range(self._random.choice((1, 2, 5, 30))):
            self._words += 1
            words.append(f"w{self._words}")
        return self._random.choice((" ", "\n")).join(words) + self._random.choice((" ", ".\n", ", "))


def everything(rendering: Rendering) -> str:
    """The text with what all its folds lead to."""
    texts = [str(rendering)]
    open_folds = [fold.id for fold in rendering.folds]
    done: set[str] = set()
    while open_folds:
        id_ = open_folds.pop()
        if id_ not in done:
            done.add(id_)
            opened = rendering.expand(id_, 20_000)
            texts.append(str(opened))
            open_folds += [fold.id for fold in opened.folds]
    return "\n".join(texts)


#: These have what a person sees below ``aria-hidden``; the others promise the accessibility tree's content.
_WHOLE: tuple[FormatName, ...] = ("tree", "ai", "html", "xml")
_EXPOSED: tuple[FormatName, ...] = ("role", "aria", "webarena")


@pytest.mark.parametrize(
    "pages",
    [
        [(seed, seed % 2 == 0) for seed in range(16)],
        pytest.param(list(itertools.product(range(16), (True, False))), marks=pytest.mark.soak),
    ],
    ids=["with layout or without", "with layout and without"],
)
async def test_each_word_that_is_seen_is_printed_or_behind_a_fold(
    page: hybridsnap.Page, subtests: pytest.Subtests, pages: list[tuple[int, bool]]
) -> None:
    for seed, layout in pages:
        with subtests.test(seed=seed, layout=layout):
            await check_each_word(page, _Writer(seed).page(), layout=layout)


async def check_each_word(page: hybridsnap.Page, html: str, *, layout: bool) -> None:
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    snapshot = await page.snapshot(layout=layout)
    for formats, with_aria_hidden in ((_WHOLE, True), (_EXPOSED, False)):
        seen = Counter(await page.evaluate(_SEEN, with_aria_hidden))
        assert seen
        for format_ in formats:
            whole = set(_WORD.findall(everything(snapshot.render(format_))))
            assert seen.keys() - whole == set(), format_
            if format_ in ("tree", "ai", "role"):
                folded = set(_WORD.findall(everything(snapshot.render(format_, max_tokens=300))))
                assert seen.keys() - folded == set(), format_


_LONG = (
    "td", "th", "h2", "a href=x", "button", "p", "label", "summary", "option", "caption", "figcaption", "li",
    "dt", "dd", "legend", "output", "div role=button", "div role=treeitem", "div role=tab",
    "div role=gridcell", "div role=checkbox", "div role=heading", "div role=row", "div role=tooltip",
    "div role=img", "pre",
)  # fmt: skip
_AROUND = {
    "td": "<table><tr>", "th": "<table><tr>", "caption": "<table>", "summary": "<details open>",
    "option": "<select>", "legend": "<fieldset>", "dt": "<dl>", "dd": "<dl>", "figcaption": "<figure>",
}  # fmt: skip


async def test_what_a_cut_name_leaves_out_is_printed(
    page: hybridsnap.Page, subtests: pytest.Subtests
) -> None:
    """Chromium cuts accessible names at about 1,000 characters."""
    for tag in _LONG:
        with subtests.test(tag):
            await check_long_name(page, tag)


async def check_long_name(page: hybridsnap.Page, tag: str) -> None:
    words = [f"w{number}" for number in range(600)]
    name = tag.partition(" ")[0]
    inner = " ".join(words) if name == "option" else f"{' '.join(words[:300])} <b>{' '.join(words[300:])}</b>"
    html = f"{_AROUND.get(name, '')}<{tag}>{inner}</{name}>"
    await page.evaluate("html => { document.body.innerHTML = html }", html)
    snapshot = await page.snapshot()
    for format_ in (*_WHOLE, *_EXPOSED):
        whole = set(_WORD.findall(everything(snapshot.render(format_))))
        assert set(words) - whole == set(), format_


_SEEN_WORDS = """() => {
  const words = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (parent.closest("script, style, noscript, [aria-hidden]")) continue;
    const range = document.createRange();
    range.selectNode(node);
    if (range.getClientRects().length && parent.checkVisibility({visibilityProperty: true})) {
      for (const word of node.data.match(/[\\p{L}\\p{N}_]+/gu) ?? []) words.add(word.toLowerCase());
    }
  }
  return [...words];
}"""


async def test_no_word_of_real_pages_is_lost(page: hybridsnap.Page) -> None:
    pages = sample(6)
    if not pages:
        pytest.skip(f"none of the documentation packages is installed: {HOW_TO_INSTALL}")
    for path in pages:
        await page.goto(path.as_uri())
        seen = await page.evaluate(_SEEN_WORDS)
        assert len(seen) > 20
        snapshot = await page.snapshot(timeout=30)
        for format_ in ("tree", "ai", *_EXPOSED):
            said = everything(snapshot.render(format_)).lower()
            assert [word for word in seen if word not in said] == [], (path.name, format_)
