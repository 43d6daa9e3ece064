"""From what a model wrote to a step, and from a step to an action."""

from __future__ import annotations

import dataclasses
import difflib
import re
from typing import TYPE_CHECKING, Any, NoReturn

from hybridsnap.argument_checks import check_str
from hybridsnap.text import excerpt
from hybridsnap.webarena.grammar import (
    ACTIONS,
    DIRECTION,
    ELEMENT_ID,
    TAB_NUMBER,
    Click,
    Scroll,
    StepError,
    Stop,
    Type,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hybridsnap.webarena.grammar import Action

_NAME = re.compile(r"[^\s\[(]*")
_SPACE = re.compile(r"\s*")
#: Behind a typed text: the flag, or what was meant for one. Prompts say ``[press_enter_after=0|1]``.
_FLAG = re.compile(r"\](?P<gap>\s*)\[(?P<label>press_enter_after=)?(?P<flag>[0-9]*)\]\Z")
#: So much of a step stands in a message.
_SHOWN = 80
#: So much of a name is compared with the actions there are, which takes its length squared.
_COMPARED = 30


class _Reader:
    """A step and how far it was read."""

    def __init__(self, text: str, *, lenient: bool) -> None:
        self.text = text
        self.lenient = lenient
        self.position = len(text) - len(text.lstrip())
        self.end = len(text.rstrip())
        name = _NAME.match(text, self.position, max(self.end, self.position))
        self.name = name[0] if name else ""
        self.start = self.position
        self.position += len(self.name)

    def fail(self, wanted: str, position: int | None = None) -> NoReturn:
        """The first error is here, or at the position given."""
        at = self.position if position is None else position
        example = ACTIONS[self.name].example
        found = repr(self.text[at]) if at < self.end else "the end"
        raise StepError(
            f"Invalid {self.name} action {_shown(self.text)}: "
            f"at position {at} stands {found} instead of {wanted}; the right form is: {example}",
            action=self.name,
            position=at,
            example=example,
        )

    def here(self, literal: str) -> bool:
        return self.text.startswith(literal, self.position, self.end)

    def expect(self, literal: str) -> None:
        if not self.here(literal):
            self.fail(f"{literal!r}")
        self.position += len(literal)

    def separate(self) -> None:
        """The one space between two parts."""
        if not self.lenient:
            self.expect(" ")
        elif space := _SPACE.match(self.text, self.position, self.end):
            self.position = space.end()

    def short(self, pattern: re.Pattern[str], wanted: str) -> str:
        """An argument that holds no brackets, with those around it."""
        self.separate()
        self.expect("[")
        found = pattern.match(self.text, self.position, self.end)
        if found is None:
            self.fail(wanted)
        self.position = found.end()
        self.expect("]")
        return found[0]

    def element_id(self) -> str:
        return self.short(ELEMENT_ID, "an element id")

    def last(self, *, opening: str = "[", closing: str = "]", wanted: str | None = None) -> str:
        """The last argument: all there is to the last closing bracket. ``wanted`` says that it is needed."""
        self.expect(opening)
        stop = self.text.rfind(closing, self.position, self.end)
        if stop < 0:
            self.fail(f"{closing!r}", self.end)
        if wanted and stop == self.position:
            self.fail(wanted)
        found = self.text[self.position : stop]
        self.position = stop + len(closing)
        return found

    def done(self) -> None:
        if not self.lenient and self.position < self.end:
            self.fail("the end")


def _shown(text: str) -> str:
    return excerpt(text[: 2 * _SHOWN], _SHOWN)


def _read_type(reader: _Reader) -> Action:
    element_id = reader.element_id()
    reader.separate()
    start = reader.position + 1
    text = reader.last()
    flag = _FLAG.search(text + "]")
    if flag is None or (reader.lenient and flag["flag"] not in {"0", "1"}):
        return Type(element_id, text)
    if not reader.lenient:
        at = start + flag.start("gap")
        if flag["gap"] != " ":
            reader.fail("' '", at + flag["gap"].startswith(" "))
        if flag["label"] or flag["flag"] not in {"0", "1"}:
            valid = flag["flag"][:1] in {"0", "1"} and not flag["label"]
            reader.fail("']'" if valid else "the flag, 0 or 1", at + 2 + valid)
    return Type(element_id, text[: flag.start()], flag["flag"] == "1")


def _read_scroll(reader: _Reader) -> Action:
    reader.separate()
    bracket = reader.here("[")
    reader.position += bracket
    found = DIRECTION.match(reader.text, reader.position, reader.end)
    if found is None:
        reader.fail("up or down")
    reader.position = found.end()
    if bracket and not reader.lenient:
        reader.expect("]")
    return Scroll("up" if found[0] == "up" else "down")


def _read_stop(reader: _Reader) -> Action:
    if reader.position == reader.end:
        return Stop()
    if reader.here("("):
        return Stop(reader.last(opening='("', closing='")'))
    reader.separate()
    if not reader.lenient:
        return Stop(reader.last())
    # Both projects take any word behind stop, and then no answer.
    for opening, closing in (("[", "]"), ('("', '")')):
        start = reader.position + len(opening)
        if reader.here(opening) and reader.text.rfind(closing, start, reader.end) >= 0:
            return Stop(reader.last(opening=opening, closing=closing))
    return Stop()


#: How actions are read behind their names that are more than their arguments one after the other.
_READERS: dict[str, Callable[[_Reader], Action]] = {
    "type": _read_type,
    "scroll": _read_scroll,
    "stop": _read_stop,
}
#: Texts that may not be empty.
_WANTED = {"keys": "keys", "url": "an address", "path": "a path"}


def _read_arguments(reader: _Reader, form: type[Action]) -> Action:
    """An id or a number, then the last text, as far as the action has them."""
    values: list[Any] = []
    for field in dataclasses.fields(form):
        if field.name == "element_id":
            values.append(reader.element_id())
        elif field.name == "index":
            values.append(int(reader.short(TAB_NUMBER, "a tab's number")))
        else:
            reader.separate()
            values.append(reader.last(wanted=_WANTED.get(field.name)))
    return form(*values)


def parse_step(text: str, *, lenient: bool = False) -> Action:
    """What an agent's step says.

    Args:
        text: one step, such as ``type [7] [hello] [0]``. White space around it is ignored.
        lenient: also accept what WebArena and MetaGPT accept: missing or more white space between the parts,
            and words behind an action. Whatever is read strictly means the same then.

    Raises:
        StepError: it is not an action; it says where, and how that action is written.
    """
    check_str("step", text, "click [7]")
    reader = _Reader(text, lenient=lenient)
    if reader.name not in ACTIONS:
        name = _shown(reader.name)
        like = difflib.get_close_matches(reader.name[:_COMPARED], ACTIONS, n=1)
        example = ACTIONS[like[0] if like else "click"].example
        meant = f"did you mean {like[0]}" if like else f"actions are {', '.join(ACTIONS)}"
        at = f"at position {reader.start}"
        raise StepError(
            f"Unknown action {name or '(none)'} {at}; {meant}, written as in: {example}",
            action=reader.name,
            position=reader.start,
            example=example,
        )
    read = _READERS.get(reader.name)
    action = _read_arguments(reader, ACTIONS[reader.name]) if read is None else read(reader)
    reader.done()
    return action


def extract_step(response: str, action_splitter: str | Sequence[str] = "```") -> str:
    """The step in what a model answered: ``In summary, I will ```click [7]``` ``.

    Args:
        response: the model's words.
        action_splitter: what stands before and behind a step; several are tried in turn.

    Returns:
        The first text between two splitters that is a step (a language's name may stand before it, on a line
        of its own); else the first text between two splitters, for `parse_step` to say what is wrong with
        it; and where there are no splitters, the first well-formed action. ``stop``, ``None`` and a scroll
        without brackets are also common words: those are only seen on a line of their own.

    Raises:
        StepError: there is none of these.
        ValueError: no splitter, or an empty one.
    """
    check_str("response", response, "I will ```click [7]```")
    splitters = (action_splitter,) if isinstance(action_splitter, str) else tuple(action_splitter)
    if not splitters or "" in splitters:
        raise ValueError("an action splitter cannot be empty")
    blocks = [block.strip() for splitter in splitters for block in response.split(splitter)[1:-1:2]]
    for block in blocks:
        language, _, rest = block.partition("\n")
        if _well_formed(block):
            return block
        if language.strip().isalnum() and _well_formed(rest):
            return rest.strip()
    for block in blocks:
        return block
    for step in _candidates(response):
        if _well_formed(step):
            return step
    raise StepError(
        f"Cannot find an action in {_shown(response)!r}; one is written as in: ```{Click.example}```",
        action="",
        position=0,
        example=f"```{Click.example}```",
    )


def _well_formed(text: str) -> bool:
    try:
        parse_step(text)
    except StepError:
        return False
    return True


#: An action in a sentence: one that is a word no language has, or one with arguments.
_MENTION = re.compile(
    r"(?<![\w-])(?:(?P<bare>new_tab|go_back|go_forward|close_tab)(?![\w\[(-]| [\[(])"
    rf"|(?P<name>{'|'.join(ACTIONS)})(?=\(\"| \[))"
)
#: The third argument of `Type`, or what was meant for it.
_THIRD = re.compile(r" \[[0-9]*\]")
_FLAG_NUMBER = 2
#: A line that is a step, but for a label before it (``Action: stop``).
_ALONE = re.compile(
    r"^[^\S\n]*(?:\w+:[^\S\n]*)?(?P<word>stop|None|scroll (?:up|down))[^\S\n]*$", re.MULTILINE
)
#: A longer step is only seen between splitters, or where its brackets are closed: each mention of an action
#: would cost the length of its line.
_LONGEST = 10_000
#: What a step may be set in, or followed by, in a sentence.
_TRIMMED = " \t\r.,;:!`'\"*"


def _candidates(response: str) -> Iterator[str]:
    """What may be a step, in the order in which it stands there."""
    partners = _partners(response)
    found = [(match.start(), match) for match in _MENTION.finditer(response)]
    found += [(match.start("word"), match) for match in _ALONE.finditer(response)]
    for start, match in sorted(found, key=lambda pair: pair[0]):
        if match.re is _ALONE:
            yield match["word"]
        elif match["bare"]:
            yield match["bare"]
        else:
            end = match.end()
            if response.startswith("(", end):
                closing = response.find('")', end + 2, end + _LONGEST)
                yield response[start : closing + 2]
                continue
            # Brackets that are closed end an action, and the sentence may go on behind it.
            for number, _ in enumerate(dataclasses.fields(ACTIONS[match["name"]])):
                argument = number < _FLAG_NUMBER or _THIRD.match(response, end)
                if argument and response.startswith(" [", end) and end + 1 in partners:
                    end = partners[end + 1] + 1
            if end > match.end() and not response.startswith(("]", "["), end):
                yield response[start:end]
            line, newline, _ = response[start : start + _LONGEST].partition("\n")
            if newline or len(line) < _LONGEST:
                yield line.rstrip(_TRIMMED)


def _partners(text: str) -> dict[int, int]:
    """Where each bracket that opens is closed."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for match in re.finditer(r"[\[\]]", text):
        if match[0] == "[":
            opened.append(match.start())
        elif opened:
            partners[opened.pop()] = match.start()
    return partners
