"""What a call answers: a little that we say, and what the page says, fenced.

As text, page text stands between marks that the page cannot write, since they hold a number that is drawn
anew for each result, after the page was read::

    tab 1
    <page-5f0c9e12 untrusted>
    click button "Buy" [0-29]
    …
    </page-5f0c9e12>

As structured content it stands below the key ``untrusted``. Some hosts show their model the one, some the
other, so each says everything by itself.
"""

from __future__ import annotations

import base64
import dataclasses
import secrets
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult, ImageContent, TextContent

from hybridsnap.render.folds import MOST_CHARACTERS_PER_TOKEN
from hybridsnap.render.tokens import count_tokens
from hybridsnap.text import excerpt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hybridsnap.act.receipt import Receipt
    from hybridsnap.render.rendering import Rendering

#: An error may be so long.
_ERROR_CHARACTERS = 600
#: An id and a role fit into so many tokens.
_LEAST_TOKENS = 16


@dataclasses.dataclass(slots=True)
class Result:
    """What a call answers.

    Attributes:
        said: in our words.
        page: lines that hold page text.
        data: the same as `page`, as data.
        image: a PNG.
    """

    said: list[str] = dataclasses.field(default_factory=list)
    page: list[str] = dataclasses.field(default_factory=list)
    data: dict[str, Any] = dataclasses.field(default_factory=dict)
    image: bytes | None = None

    def show(self, rendering: Rendering, as_: str) -> None:
        """Print a rendering; `as_` names it in the data."""
        self.page.append(str(rendering))
        self.data[as_] = str(rendering)

    def to_mcp(self, *, structured: bool) -> CallToolResult:
        """As MCP has it.

        Args:
            structured: with structured content. A picture never is: hosts that show the one leave out the
                other.
        """
        said = "\n".join(self.said)
        parts = [said] if said else []
        if self.page:
            parts.append(fence("\n".join(self.page)))
        content: list[Any] = [TextContent(text="\n".join(parts))] if parts else []
        if self.image is not None:
            content.append(ImageContent(data=base64.b64encode(self.image).decode(), mime_type="image/png"))
        if not structured or self.image is not None:
            return CallToolResult(content=content)
        data = {"said": said} if said else {}
        return CallToolResult(
            content=content, structured_content={**data, **({"untrusted": self.data} if self.data else {})}
        )


def fence(text: str) -> str:
    """Text that a page wrote, between marks that it cannot have written."""
    mark = f"page-{secrets.token_hex(4)}"
    while mark in text:
        mark = f"page-{secrets.token_hex(4)}"
    gap = "\n" if "\n" in text else ""
    return f"<{mark} untrusted>{gap}{text}{gap}</{mark}>"


def refuse(words: str, *, page: str = "") -> CallToolResult:
    """An error of one line: our words, and then those that may quote the page."""
    line = _shorten(words)
    if page:
        line = f"{line} {fence(_shorten(page))}"
    return CallToolResult(content=[TextContent(text=line)], is_error=True)


def _shorten(text: str) -> str:
    return excerpt(text, _ERROR_CHARACTERS)


def cut(text: str, max_tokens: int) -> tuple[str, str]:
    """As much of a text as fits, and what to say of the rest: "" when nothing was left out."""
    keep = min(len(text), max_tokens * MOST_CHARACTERS_PER_TOKEN)
    while keep > 1 and count_tokens(text[:keep]) > max_tokens:
        keep = keep * 9 // 10
    left = len(text) - keep
    return text[:keep], f"{left:,} more characters; give a larger max_tokens" if left else ""


def fitting(lines: Iterable[str], max_tokens: int) -> list[str]:
    """As many lines as fit; of the first at least its beginning."""
    fit: list[str] = []
    left = max(max_tokens, _LEAST_TOKENS)
    for line in lines:
        shown = line if fit else cut(line, left)[0]
        left -= 1 + (count_tokens(shown) if len(shown) <= left * MOST_CHARACTERS_PER_TOKEN else left)
        if left < 0 and fit:
            break
        fit.append(shown)
    return fit


def brief(receipt: Receipt) -> dict[str, Any]:
    """A receipt as data: what happened, without what did not, and without how long it took.

    What it read is left out where its details say it in words.
    """
    data = receipt.to_dict()
    for name in ("elapsed_ms", "steps_ms", *(["value"] if receipt.details else [])):
        del data[name]
    return {name: value for name, value in data.items() if value not in (None, "", (), [])}
