"""The comparison of `benchmarks.reading`: marks of a format are removed, shares are of what a page has."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.peers import PEERS
from benchmarks.peers.words import WORDS_OF
from benchmarks.reading_gold import Gold, cut, plain, shares_of, squeezed
from hybridsnap.render.tokens import tokenizer_of

TEXTS = {
    "hybridsnap": """page Docs <https://a.example/> · viewport 1280x720 at 0,0 of 1280x900
[0-1] RootWebArea: Docs
  [0-2] heading: Early life [level=2] [offscreen] [… 12 paragraphs]
  [0-3] paragraph: See [0-4] the docs for more, or ask us at home. … 497 more characters [0-3@229]
  [0-5] textbox: Your name [required]
  [0-6] link ?cart
""",
    "Playwright ai": """- generic [active] [ref=e1]:
  - heading "Early life" [level=2] [ref=e2]
  - paragraph [ref=e3]:
    - text: See
    - link "the docs" [ref=e4] [cursor=pointer]:
      - /url: https://a.example/docs
    - text: "for more, or ask us at home."
  - textbox "Your name" [ref=e5]
  - 'link "" [ref=e6]':
    - /url: /cart
""",
    "Stagehand": """[0-1] RootWebArea: Docs
  [0-2] heading: Early life
  [0-3] paragraph
    [0-7] ListMarker: 1.
    [0-8] StaticText: See
    [0-4] link: the docs
    [0-9] StaticText: for more, or ask us at home.
  [0-5] textbox: Your name [required]
""",
    "agent-browser": """- heading "Early life" [level=2, ref=e1]
- paragraph
  - StaticText "See "
  - link "the docs" [ref=e2]
  - StaticText " for more, or ask us at home."
- textbox "Your name" [required, ref=e3]
- ListMarker "1. "
""",
    "chrome-devtools-mcp": """## Latest page snapshot
uid=1_0 RootWebArea "Docs" url="https://a.example/"
  uid=1_1 heading "Early life" level="2"
  uid=1_2 "See "
  uid=1_3 link "the docs" url="https://a.example/docs"
  uid=1_4 " for more, or ask us at home."
  uid=1_5 textbox "Your name" required
""",
    "browser-use": """Early life
See
[4]<a href=https://a.example/docs />
\tthe docs
for more, or ask us at home.
|SHADOW(open)|*[5]<input type=text aria-label=Your name required />
""",
}
GOLD = Gold(
    Counter([plain("Early life")]),
    Counter([plain("Your name")]),
    Counter([plain("the docs")]),
    [squeezed("See the docs for more, or ask us at home.")],
    Counter("early life see the docs for more or ask us at home".split()),  # noqa: SIM905
    "",
)


@pytest.mark.parametrize("name", TEXTS)
def test_a_sentence_is_found_whatever_marks_stand_in_it(name: str) -> None:
    assert shares_of(WORDS_OF[name](TEXTS[name]), GOLD) == (1, 1, 1, 1, 1)


@pytest.mark.parametrize("name", TEXTS)
def test_marks_are_no_words_of_the_page(name: str) -> None:
    words = set(plain(WORDS_OF[name](TEXTS[name])).split())
    assert not words & {"heading", "paragraph", "ref", "level", "uid", "https", "input", "offscreen", "cart"}


def test_every_peer_has_its_words() -> None:
    assert set(WORDS_OF) == {"hybridsnap", *PEERS}


def test_a_name_counts_as_often_as_the_page_has_it() -> None:
    gold = GOLD._replace(headings=Counter({plain("Reply"): 4}))
    assert shares_of("Reply Reply, replying", gold).headings == 0.5


def test_what_a_page_has_not_has_no_share() -> None:
    nothing = Gold(Counter(), Counter(), Counter(), [], Counter(), "")
    assert shares_of("text", nothing) == (None,) * 5


@pytest.mark.parametrize("text", ["word " * 3000, "字" * 3000, "short", " " * 90_000 + "end"])
def test_a_text_is_cut_where_the_budget_ends(text: str) -> None:
    count, kept = tokenizer_of("o200k"), cut(text, 100)
    assert text.startswith(kept)
    assert count(kept) <= 100
    assert kept == text or count(text[: len(kept) + 20]) >= 99 or len(kept) == 2400
