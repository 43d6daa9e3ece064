"""Actions, arguments and snapshots as ``hybridsnap act`` and ``evaluate`` are given them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridsnap.act.keyboard import parse_chord
from hybridsnap.capture.element_ids import is_element_id, is_ref
from hybridsnap.cli.checks import check_goto, check_input
from hybridsnap.cli.json_actions import explain_json, explain_step
from hybridsnap.cli.types import shorten
from hybridsnap.client.requests import ActionRequest, parse_action
from hybridsnap.json_data import HALF_SURROGATE, where_not_json
from hybridsnap.service.usage import UsageError
from hybridsnap.snapshot import Snapshot
from hybridsnap.webarena import Goto, Press, StepError, parse_step

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from hybridsnap.webarena import Action

#: So much is repeated of what was typed and cannot be read.
_SHOWN_CHARACTERS = 200


def check_actions(arguments: argparse.Namespace) -> None:
    """Refuse a call without an action; it may be the endpoint that was forgotten.

    Raises:
        UsageError: there is none; or a budget for nothing that is printed.
    """
    if arguments.actions:
        if arguments.max_tokens is not None and not arguments.diff:
            raise UsageError("--max-tokens is for what --diff prints; give --diff, too")
        return
    given = arguments.endpoint
    try:
        read_actions([given])
    except UsageError:
        raise UsageError(
            f"no ACTION is given; as in: hybridsnap act {given} 'click [0-29]' (see hybridsnap act --help)"
        ) from None
    raise UsageError(
        f"{given!r} is an ACTION, and no ENDPOINT-OR-URL stands before it; as in: hybridsnap act"
        f" http://127.0.0.1:9222 {given!r}"
    )


def read_actions(texts: Sequence[str]) -> list[Action | ActionRequest]:
    """Actions from the command line: WebArena steps, or JSON objects.

    Raises:
        UsageError: one is neither; the message says where it goes wrong.
    """
    actions: list[Action | ActionRequest] = []
    for text in texts:
        try:
            if not text.strip() or text.lstrip().startswith("["):
                raise UsageError("each ACTION is one: a step such as 'click [0-29]', or a JSON object {…}")
            if text.lstrip().startswith("{"):
                actions.append(parse_action(json.loads(text)))
            else:
                actions.append(parse_step(text))
            _check_values(actions[-1])
        except json.JSONDecodeError as error:
            raise UsageError(f"{_shown(text)} is not JSON: {explain_json(error)}") from error
        except RecursionError as error:
            raise UsageError(f"{_shown(text)} nests too deep") from error
        except StepError as error:
            raise UsageError(explain_step(error, text)) from error
        except ValueError as error:
            raise UsageError(f"{_shown(text)}: {words_of(error)}") from error
    return actions


def _check_values(action: Action | ActionRequest) -> None:
    """Refuse keys that are none, and addresses likewise: a page would only be asked for nothing."""
    if isinstance(action, Press):
        parse_chord(action.keys)
    elif isinstance(action, Goto):
        check_goto(action.url)
    elif isinstance(action, ActionRequest) and action.name == "goto":
        check_goto(action.arguments["url"])


def _shown(text: str) -> str:
    return shorten(text, _SHOWN_CHARACTERS)


def words_of(error: Exception) -> str:
    """What an error says; a codec speaks of bytes that were never typed."""
    return HALF_SURROGATE if isinstance(error, UnicodeEncodeError) else str(error)


def named_by(action: Action | ActionRequest) -> list[str]:
    """The elements that an action names: ids, refs and selectors."""
    if isinstance(action, ActionRequest):
        given = [action.arguments.get(name) for name in ("element", "source", "target")]
        entries = action.arguments.get("entries")
        listed = entries if isinstance(entries, list) else []
        given += [one.get("id", one.get("ref")) for one in listed if isinstance(one, dict)]
        return [one for one in given if isinstance(one, str)]
    element_id = getattr(action, "element_id", None)
    return [element_id] if isinstance(element_id, str) else []


def check_shown(elements: Sequence[str], url: str | None, seen: Snapshot | None) -> None:
    """Refuse ids and refs that cannot have been seen.

    Args:
        elements: ids, refs or selectors.
        url: of a page that is opened now; None for one of a running browser.
        seen: the snapshot in which they were read.

    Raises:
        UsageError: a page that is opened now gives them out anew.
    """
    for one in elements:
        if (is_element_id(one) or is_ref(one)) and url is not None and seen is None:
            raise UsageError(
                f"{one}: ids cannot be used with a page that is opened anew, for each load of a page gives"
                " out its own; act on a running browser, or name the element by a selector, in JSON"
            )


def read_snapshot(path: str) -> Snapshot:
    """A snapshot that ``--format json`` wrote.

    Raises:
        UsageError: there is none.
    """
    check_input("--snapshot", path)
    try:
        return Snapshot.from_json(Path(path).read_bytes())
    except OSError as error:
        raise UsageError(f"--snapshot {path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"--snapshot {path}: {error}") from error


def read_arguments(texts: Sequence[str]) -> list[Any]:
    """JSON values for a script.

    Raises:
        UsageError: one is not JSON.
    """
    values: list[Any] = []
    for text in texts:
        try:
            values.append(json.loads(text))
        except RecursionError as error:
            raise UsageError(f"--arg {_shown(text)} nests too deep") from error
        except ValueError as error:
            why = where_not_json(error) if isinstance(error, json.JSONDecodeError) else error
            raise UsageError(
                f"--arg {_shown(text)} is not JSON: {why}; strings are quoted: '\"text\"'"
            ) from error
    return values
