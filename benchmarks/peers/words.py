"""The page's own words in each peer's text: without ids, roles, states and URLs.

Texts of different forms can be compared only where their marks are gone: ``text: See``, ``link "the docs"
[ref=e12]``, ``/url: …``, ``text: for more`` tells the sentence "See the docs for more" as well as one line
does. Roles and states would also count as words of the page, and ids break names and sentences apart.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_ESCAPES = re.compile(r"\\[nrt]")

#: ``- role "name" [state] [ref=e1]: text``; a key that YAML has to quote stands in quotes as a whole.
_YAML_LINE = re.compile(rf"\s*- ['\"]?(/?[\w-]+)(?: ({_QUOTED}))?((?: \[[^\]]*\])*)['\"]?(?:: ?(.*))?$")
#: ``- role "name" [level=1, ref=e1]: value``
_AGENT_BROWSER_LINE = re.compile(rf"\s*- (\w+)(?: ({_QUOTED}))?(?: \[[^\]]*\])?(?:: (.*))?$")
#: ``uid=1_2 role "name" value="…" checked``; quotes within a name are not escaped.
_UID_LINE = re.compile(r'\s*uid=\S+(?: (\w+))?(?: "(.*?)")?((?: [a-z]+(?:="[^"]*")?)*)$')
_UID_VALUES = re.compile(r'(?:value|description|valuetext)="([^"]*)"')
#: ``[0-12] role: name [state]``
_ROW = re.compile(r"\s*(?:\[\d+-\d+\] )?([^:\[]*?)(?::(?: (.*))?)?$")
_ROW_START = re.compile(r"\s*\[\d+-\d+\] |\s*text: ")
_ROW_STATES = re.compile(r"(?: \[(?:[a-z-]+(?:=[^\]]*)?|covered by [^\]]*|…[^\]]*)\])+$")
_ROW_IDS = re.compile(r"\[\d+-\d+(?:@\d+)?(?:\.\.\d+-\d+)?\]|… [\d,]+ more characters|\(image: ")
#: ``[12]<a aria-label=Search />``
_TAG = re.compile(r"\*?\[\d+\]<|<(?=/?[a-z]+[ />])|\|[A-Z]+(?:\([a-z]+\))?\||/?>$")
_TAG_VALUES = re.compile(r"(?:aria-label|placeholder|title|alt|value|options)=(.*?)(?= [\w-]+=| ?/?>|$)")


def words_of_playwright(text: str) -> str:
    """Of an aria snapshot."""
    said: list[str] = []
    for line in text.splitlines():
        found = _YAML_LINE.match(line)
        if found is None:
            said.append(line)
        elif found[1] != "/url":
            said += [found[2] or "", found[4] or ""]
    return _ESCAPES.sub(" ", "\n".join(said))


def words_of_rows(text: str) -> str:
    """Of ours and of Stagehand's."""
    said: list[str] = []
    for line in text.splitlines():
        if line.startswith("page "):
            continue
        if _ROW_START.match(line) is None:
            said.append(line)
            continue
        found = _ROW.match(_ROW_STATES.sub("", line))
        if found is None:
            said.append(line)
        elif found[2] and found[1] != "ListMarker":
            said.append(found[2])
    return _ROW_IDS.sub(" ", "\n".join(said))


def words_of_agent_browser(text: str) -> str:
    """Of agent-browser's."""
    said: list[str] = []
    for line in text.splitlines():
        found = _AGENT_BROWSER_LINE.match(line)
        if found is None:
            said.append(line)
        elif found[1] != "ListMarker":
            said += [found[2] or "", found[3] or ""]
    return _ESCAPES.sub(" ", "\n".join(said))


def words_of_uids(text: str) -> str:
    """Of chrome-devtools-mcp's."""
    said: list[str] = []
    for line in text.splitlines():
        found = _UID_LINE.match(line)
        if found is None:
            said.append(line)
        else:
            said += [found[2] or "", *_UID_VALUES.findall(found[3] or "")]
    return "\n".join(said)


def words_of_browser_use(text: str) -> str:
    """Of browser-use's."""
    said: list[str] = []
    for line in text.splitlines():
        if _TAG.search(line) is None:
            said.append(line)
        else:
            said += _TAG_VALUES.findall(line)
    return "\n".join(said)


#: Name in the table → the page's own words in a text.
WORDS_OF: dict[str, Callable[[str], str]] = {
    "hybridsnap": words_of_rows,
    "Playwright ai": words_of_playwright,
    "Stagehand": words_of_rows,
    "agent-browser": words_of_agent_browser,
    "agent-browser -i": words_of_agent_browser,
    "chrome-devtools-mcp": words_of_uids,
    "browser-use": words_of_browser_use,
}
