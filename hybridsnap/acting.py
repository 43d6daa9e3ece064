"""``hybridsnap act`` and ``hybridsnap evaluate``: actions and scripts on a page, from the command line."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from hybridsnap.act.keyboard import UnknownKey
from hybridsnap.act.receipt import Receipt
from hybridsnap.arguments import UsageError
from hybridsnap.client.requests import ActionRequest, parse_action
from hybridsnap.deadline import LOADING_SHARE, Deadline
from hybridsnap.errors import HybridsnapError
from hybridsnap.render.clean import clean_text
from hybridsnap.snapshot import Snapshot
from hybridsnap.webarena import StepError, execute, parse_step

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from hybridsnap.client.page import Page
    from hybridsnap.webarena import Action

#: How long leaving a page may take.
_LEAVING_SECONDS = 1.0
#: Element ids in what is asked for: they have to have been shown.
_SHOWN_ID = re.compile(r"\d+-\d+")


@dataclasses.dataclass(slots=True)
class Acted:
    """What came of the actions.

    Attributes:
        results: for each what it returned, receipts as such.
        failure: what the first that failed raised; those after it were not done.
        changes: how the page changed, when that was asked for.
    """

    results: list[Any] = dataclasses.field(default_factory=list)
    failure: HybridsnapError | None = None
    changes: str = ""

    def text(self) -> str:
        """For people: the receipts, one below the other."""
        lines = [_print(result) for result in self.results]
        return "\n".join([*lines, *([self.changes] if self.changes else [])])

    def json(self) -> str:
        """As JSON: a list."""
        return json.dumps([to_json(result) for result in self.results], ensure_ascii=False, indent=1)


def read_actions(texts: Sequence[str]) -> list[Action | ActionRequest]:
    """Actions from the command line: WebArena steps, or JSON objects.

    Raises:
        UsageError: one is neither; the message says where it goes wrong.
    """
    actions: list[Action | ActionRequest] = []
    for text in texts:
        try:
            if text.lstrip().startswith("{"):
                actions.append(parse_action(json.loads(text)))
            else:
                actions.append(parse_step(text))
        except json.JSONDecodeError as error:
            raise UsageError(f"{text!r} is no JSON: {error}") from error
        except StepError as error:
            raise UsageError(str(error)) from error
        except ValueError as error:
            raise UsageError(f"{text!r}: {error}") from error
    return actions


def _ids_of(action: Action | ActionRequest) -> list[str]:
    """The element ids that an action names."""
    if isinstance(action, ActionRequest):
        given = [action.arguments.get(name) for name in ("element", "source", "target")]
        entries = action.arguments.get("entries")
        given += (
            [one.get("id") for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []
        )
        return [one for one in given if isinstance(one, str) and _SHOWN_ID.fullmatch(one)]
    element_id = getattr(action, "element_id", None)
    return [element_id] if isinstance(element_id, str) else []


def check_ids(actions: Sequence[Action | ActionRequest], url: str | None, seen: Snapshot | None) -> None:
    """Refuse ids that nobody can have seen.

    Raises:
        UsageError: a page that is opened now gives out its ids anew.
    """
    if url is None or seen is not None:
        return
    for action in actions:
        for id_ in _ids_of(action):
            raise UsageError(
                f"{id_} was read in another load of the page, and each load has ids of its own; act on a"
                " running browser, or name the element by a selector, in JSON"
            )


def read_snapshot(path: str) -> Snapshot:
    """A snapshot that ``--format json`` wrote.

    Raises:
        UsageError: there is none.
    """
    try:
        return Snapshot.from_json(Path(path).read_bytes())
    except OSError as error:
        raise UsageError(f"--snapshot {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"--snapshot {path}: {error}") from error


async def act_on(
    page: Page,
    actions: Sequence[Action | ActionRequest],
    arguments: argparse.Namespace,
    seen: Snapshot | None,
    deadline: Deadline,
) -> Acted:
    """Do the actions, one after the other, up to the first that fails.

    Args:
        page: that they are done on; later ones on whatever page is current then.
        actions: of `read_actions`.
        arguments: of the command line.
        seen: the snapshot in which ids were read; None takes one now, if ids are named.
        deadline: for all of it.
    """
    if seen is not None:
        page.recall(seen)
    before: Snapshot | None = None
    if arguments.diff or (seen is None and any(_ids_of(action) for action in actions)):
        before = await page.snapshot(timeout=deadline)
    acted = Acted()
    current = page
    for action in actions:
        try:
            if isinstance(action, ActionRequest):
                acted.results.append(await action.perform(current, deadline))
            else:
                done = await execute(action, current, timeout=deadline)
                current = done.page
                acted.results += done.receipts or [done.answer if done.answer is not None else current.url]
        except UnknownKey as error:
            raise UsageError(str(error)) from error
        except HybridsnapError as error:
            acted.failure = error
            break
        except (TypeError, ValueError, FileNotFoundError) as error:
            raise UsageError(str(error)) from error
    if arguments.diff and before is not None and acted.failure is None and not current.dialogs:
        acted.changes = str((await current.snapshot(timeout=deadline)).diff(before))
    acted.changes += await _dismiss(current, deadline)
    return acted


async def _dismiss(page: Page, deadline: Deadline) -> str:
    """Close dialogs: one that is open when we leave could not be answered by anybody (Chromium loses it)."""
    said = []
    while page.dialogs:
        dialog = await page.answer_dialog(accept=False, timeout=deadline)
        said.append(f"dismissed the dialog ({dialog.type}): {clean_text(dialog.message)}")
    return "\n".join(said)


def read_arguments(texts: Sequence[str]) -> list[Any]:
    """JSON values for a script.

    Raises:
        UsageError: one is no JSON.
    """
    values: list[Any] = []
    for text in texts:
        try:
            values.append(json.loads(text))
        except ValueError as error:
            raise UsageError(
                f"--arg {text!r} is no JSON ({error}); strings are quoted: '\"text\"'"
            ) from error
    return values


async def evaluate_on(
    page: Page, arguments: argparse.Namespace, values: Sequence[Any], url: str | None, deadline: Deadline
) -> str:
    """Evaluate a script on a page; its value as JSON, or as it is with ``--raw``."""
    if url is not None:
        await page.goto(url, wait=arguments.wait, timeout=deadline.share(LOADING_SHARE))
    if arguments.element is not None and _SHOWN_ID.fullmatch(arguments.element):
        await page.snapshot(timeout=deadline)
    try:
        value = await page.evaluate(
            arguments.expression,
            *values,
            element=arguments.element,
            isolated_world=arguments.isolated,
            timeout=deadline,
        )
    except (TypeError, ValueError) as error:
        if isinstance(error, HybridsnapError):
            raise
        raise UsageError(str(error)) from error
    finally:
        with trio.move_on_after(_LEAVING_SECONDS, shield=True):
            await _dismiss(page, Deadline.after(_LEAVING_SECONDS))
    if arguments.raw and isinstance(value, str):
        return value
    return json.dumps(to_json(value), ensure_ascii=False, indent=1)


def to_json(value: Any) -> Any:
    """A value as JSON data: what JSON cannot say is a string."""
    match value:
        case Receipt():
            said: Any = value.to_dict()
        case float() if not math.isfinite(value):
            said = "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
        case dt.datetime():
            said = value.isoformat()
        case dict():
            said = {str(key): to_json(one) for key, one in value.items()}
        case list() | tuple():
            said = [to_json(one) for one in value]
        case None | bool() | int() | float() | str():
            said = value
        case _ if dataclasses.is_dataclass(value):
            said = {one.name: to_json(getattr(value, one.name)) for one in dataclasses.fields(value)}
        case _:
            said = str(value)
    return said


def _print(result: Any) -> str:
    if isinstance(result, (Receipt, str)):
        return str(result) if isinstance(result, Receipt) else clean_text(result)
    return json.dumps(to_json(result), ensure_ascii=False)
