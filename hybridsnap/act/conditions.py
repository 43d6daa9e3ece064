r"""What can be waited for.

- **text**, **text_gone**: a text that the page shows, anywhere in it: in every frame and in open shadow
  roots; in closed ones as far as they are known. It is compared as it is rendered (``text-transform``
  applied, what is ``display: none`` or ``visibility: hidden`` left out), with runs of white space as one
  space. Upper and lower case count. The values of fields are not text; the labels of buttons are; of a
  ``select`` all options are. What cannot be looked at (a frame that does not answer) may hold a text: then
  nothing is gone.
- **selector**, **selector_gone**: of what it matches at least one is displayed: it has a box, and is not
  ``visibility: hidden``. ``hybridsnap.capture.selectors`` has the language; element ids and refs of snapshots
  mean the very element that was shown, and are gone when it is.
- **enabled**, **disabled**, **uncovered**, **checked**: one element, by its id, its ref or a selector that
  matches nothing else. It is judged as actions judge it: uncovered means that a click would reach it, and the
  view is scrolled to it as little as that needs; mixed is not checked.
- **value**: an element and its value, whole. Of a ``select`` the value or the labels of what is chosen
  (joined with ``, ``), of what is editable its text, of an ARIA slider ``aria-valuetext`` or
  ``aria-valuenow``, of a file field the names of its files.
- **count**: a selector and how many elements it matches, displayed or not.
- **url**: of the main frame, fragment included, whole. ``*`` stands for any characters but ``/``, ``**`` for
  any characters, ``?`` for any one but ``/``; ``\*``, ``\?`` and ``\\`` for themselves. All else is literal:
  ``https://example.com/cart`` is that address and no other, ``**/cart*`` any that goes on after its last
  ``/`` with ``cart``.
- **load_state**: ``domcontentloaded`` or ``load`` of the document that is there, while no other is on its
  way; ``networkidle``: parsed, and no request under way for 500 ms.
- **function**: JavaScript of the main frame's own world that gives something true. It is asked last, when all
  else holds, so it can rely on that.
- **time**: seconds that pass in any case.
"""

from __future__ import annotations

import dataclasses
import math
import re
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from hybridsnap.act.element_conditions import OF_ELEMENT
from hybridsnap.act.naming import is_selector
from hybridsnap.capture.element_ids import is_ref
from hybridsnap.capture.selectors import parse_selector

if TYPE_CHECKING:
    from collections.abc import Sequence

#: What `load_state` can be.
LoadState: TypeAlias = Literal["domcontentloaded", "load", "networkidle"]
_GLOB = re.compile(r"\\([*?\\])|(\*{2,})|(\*)|(\?)|([^*?\\]+)", re.DOTALL)
#: The characters that are left out of text before it is compared: they do not show.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_IN_PAGE = frozenset({"text", "text_gone", "selector", "selector_gone", *OF_ELEMENT, "value", "count"})
#: Conditions on the same element or selector that never hold together.
_CONTRADICTIONS = (
    ("enabled", "disabled"),
    ("selector", "selector_gone"),
    ("uncovered", "selector_gone"),
)
#: Of an address, so much is held against a pattern: `data:` ones may have megabytes.
LONGEST_URL = 20_000


def parse_url_glob(glob: str) -> re.Pattern[str]:
    r"""A pattern for whole addresses; the module's docstring has the rules.

    Raises:
        ValueError: it is empty, or a ``\`` stands before what needs none.
    """
    text, at = "", 0
    parts: list[list[str]] = [[]]  # between the ``**``; of each what stands between the ``*``
    while match := _GLOB.match(glob, at):
        escaped, any_, within, one, literal = match.groups()
        if any_ or within:
            parts[-1].append(text)
            text = ""
            if any_:
                parts.append([])
        else:
            text += "[^/]" if one else re.escape(escaped or literal)
        at = match.end()
    parts[-1].append(text)
    if not glob or at < len(glob):
        why = (
            "it is empty" if not glob else f"a backslash stands before \\*, \\? or \\\\ only (position {at})"
        )
        raise ValueError(f"url={glob!r} is not a pattern for an address: {why}")
    # Each star but the last takes as little as it can, and never more (an atomic group): the first place that
    # fits is as good as a later one, and a page could make addresses for which all combinations take hours.
    *others, last = parts
    bodies = [first + "".join(f"(?>[^/]*?{text})" for text in texts) for first, *texts in others]
    bodies.append(last[0] + "".join(f"(?>[^/]*?{text})" for text in last[1:-1]))
    if len(last) > 1:
        bodies[-1] += f"[^/]*{last[-1]}"
    begin, *rest = bodies
    if rest:
        begin += "".join(f"(?>.*?{body})" for body in rest[:-1]) + f".*{rest[-1]}"
    return re.compile(begin, re.DOTALL)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What is waited for, all at once. `check_conditions` makes it."""

    time: float | None = None
    text: str | None = None
    text_gone: str | None = None
    selector: str | None = None
    selector_gone: str | None = None
    enabled: str | None = None
    disabled: str | None = None
    uncovered: str | None = None
    checked: str | None = None
    value: Sequence[str] | None = None
    count: Sequence[str | int] | None = None
    url: str | None = None
    load_state: LoadState | None = None
    function: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Those that were given."""
        fields = (one.name for one in dataclasses.fields(self))
        return tuple(name for name in fields if getattr(self, name) is not None)

    def words(self, name: str) -> str:
        """A condition as it was asked for: ``text='Done'``."""
        return f"{name}={getattr(self, name)!r}"

    def url_fits(self, url: str) -> bool:
        """Whether an address is the one waited for."""
        if self.url is None or url == self.url:
            return True
        return parse_url_glob(self.url).fullmatch(url[:LONGEST_URL]) is not None

    @property
    def in_page(self) -> tuple[str, ...]:
        """Those for which the page must be looked at."""
        return tuple(name for name in self.names if name in _IN_PAGE)


def check_conditions(seconds: float, **given: Any) -> Conditions:
    """Conditions, when they can be waited for.

    Args:
        seconds: that there are.
        **given: as `Conditions`; None is not given.

    Raises:
        TypeError: a condition has the wrong type.
        ValueError: there is none, or one makes no sense. `SelectorError` is one.
    """
    pairs = {name: tuple(one) for name, one in given.items() if isinstance(one, list)}
    conditions = Conditions(**(given | pairs))
    names = conditions.names
    if not names:
        fields = ", ".join(one.name for one in dataclasses.fields(Conditions))
        raise ValueError(f"there is nothing to wait for; give one or more of {fields}")
    for name in names:
        if name == "time":
            _check_time(given[name], seconds)
        elif name in {"value", "count"}:
            _check_pair(name, given[name])
        else:
            _check_text(name, given[name])
    if conditions.load_state not in {None, *get_args(LoadState)}:
        states = ", ".join(get_args(LoadState))
        raise ValueError(f"load_state is one of {states}, not {conditions.load_state!r}")
    if conditions.url is not None:
        parse_url_glob(conditions.url)
    _check_contradictions(conditions)
    return conditions


def _check_text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} is a str, not {type(value).__name__}")
    if not value.strip() or (name.startswith("text") and not normalised(value)):
        raise ValueError(f"{name}={value!r} is empty: there is nothing to wait for")
    if (name.startswith("selector") or name in OF_ELEMENT) and not is_ref(value):
        parse_selector(value)


def _check_pair(name: str, value: Any) -> None:
    kind = "element" if name == "value" else "selector"
    shape = "(element, text)" if name == "value" else "(selector, number)"
    if isinstance(value, str) or not isinstance(value, (tuple, list)) or len(value) != 2:  # noqa: PLR2004 - a pair
        raise TypeError(f"expected {name}={shape}, got {value!r:.60}")
    named, wanted = value
    if not isinstance(named, str):
        raise TypeError(f"expected {name}={shape}, got {value!r:.60}")
    if not named.strip():
        raise ValueError(f"expected {name}={shape}, got {value!r:.60}: the {kind} is empty")
    if name == "value":
        if not isinstance(wanted, str):
            raise TypeError(f"expected value=(element, text), got {value!r:.60}: give the text as a str")
        if not is_ref(named):
            parse_selector(named)
        return
    if isinstance(wanted, bool) or not isinstance(wanted, int):
        raise TypeError(f"expected count=(selector, number), got {value!r:.60}: give a whole number")
    if wanted < 0:
        raise ValueError(f"expected count=(selector, number), got {value!r:.60}: give 0 or more")
    if not is_selector(named):
        raise ValueError(f"expected count=(selector, number), got {named!r}, which names one element only")
    parse_selector(named)


def _check_contradictions(conditions: Conditions) -> None:
    """Refuse conditions that cannot hold together.

    Raises:
        ValueError: two of them contradict each other.
    """
    clashes = [
        (one, other)
        for one, other in _CONTRADICTIONS
        if getattr(conditions, one) is not None and getattr(conditions, one) == getattr(conditions, other)
    ]
    if conditions.count is not None and conditions.count[1] == 0:
        absent = conditions.count[0]
        present = ("selector", *OF_ELEMENT)
        clashes += [(name, "count") for name in present if getattr(conditions, name) == absent]
        if conditions.value is not None and conditions.value[0] == absent:
            clashes.append(("value", "count"))
    text, gone = conditions.text, conditions.text_gone
    if text is not None and gone is not None and normalised(gone) in normalised(text):
        clashes.append(("text", "text_gone"))
    for one, other in clashes:
        raise ValueError(
            f"{conditions.words(one)} and {conditions.words(other)} never hold together; wait for one of them"
        )


def _check_time(time: Any, seconds: float) -> None:
    if isinstance(time, bool) or not isinstance(time, (int, float)):
        raise TypeError(f"time is a number of seconds, not {type(time).__name__}")
    if not math.isfinite(time) or time < 0:
        raise ValueError(f"time is a finite number of seconds, 0 or more, not {time!r}")
    if time >= seconds:
        raise ValueError(f"time={time!r} does not fit into a timeout of {seconds:g} s")


def normalised(text: str) -> str:
    """Text as it is compared: without what does not show, runs of white space as one space."""
    return " ".join(_UNSEEN.sub("", text).split())
