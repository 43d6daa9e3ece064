"""An agent that looks at a page and acts on it as MetaGPT's do: with no model, a test says what to do."""

from __future__ import annotations

import re
from typing import Any

import hybridsnap
from hybridsnap.webarena import execute_step, get_accessibility_tree, parse_accessibility_tree

#: A page of controls that say in the title what happened to them.
FORM = """<!DOCTYPE html><title>Form</title>
<input aria-label="Name" value="old">
<input aria-label="Query" onkeydown="if (event.key === 'Enter') document.title = 'sent ' + this.value">
<textarea aria-label="Words"></textarea>
<select aria-label="Colour"><option value="1">Red<option value="r">Dark blue<option value="Red">Odd</select>
<input type="file" aria-label="Picture" multiple>
<button onmouseover="document.title = 'over'" onclick="document.title = 'clicked'">Go</button>
<p tabindex="0" onkeydown="document.title += event.key">Listens</p>
"""


async def evaluated(page: hybridsnap.Page, expression: str) -> Any:
    """What an expression is in the page's own world; asked by hand, apart from all that is tested here."""
    asked = {"expression": expression, "returnByValue": True}
    return (await page.session.send("Runtime.evaluate", asked))["result"].get("value")


class Agent:
    """Looks at the page as MetaGPT's agents do, and acts by steps alone."""

    def __init__(self, page: hybridsnap.Page) -> None:
        self.browser = page.browser
        self.page = page
        self.tree: list[dict[str, Any]] = []
        self.text = ""

    async def look(self) -> str:
        self.tree = await get_accessibility_tree(self.page)
        self.text, _ = parse_accessibility_tree(self.tree)
        return self.text

    def id_of(self, line: str) -> str:
        """The id of the first line that begins so."""
        found = re.search(rf"^\t*\[([\d-]+)\] {re.escape(line)}", self.text, re.MULTILINE)
        assert found is not None, f"{line} is not in\n{self.text}"
        return found[1]

    async def do(self, step: str, *lines: str) -> Any:
        """Do a step, with the ids of lines put in where it says `{}`."""
        done = await execute_step(step.format(*map(self.id_of, lines)), self.page, self.browser, self.tree)
        if isinstance(done, hybridsnap.Page):
            self.page = done
            await self.look()
        return done
