"""``hybridsnap act`` and ``hybridsnap evaluate``: actions and scripts on a page, from the command line."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import trio

from hybridsnap import errors
from hybridsnap.act.receipt import Receipt
from hybridsnap.cli.actions import named_by, words_of
from hybridsnap.cli.output import say
from hybridsnap.cli.shown import recall_shown
from hybridsnap.client.navigating import Navigation
from hybridsnap.client.requests import ActionRequest
from hybridsnap.deadline import Deadline
from hybridsnap.errors import EvaluationTimeout, HybridsnapError, TargetError, UnknownKey
from hybridsnap.json_data import escape_hiding, to_json, to_json_text
from hybridsnap.model import Dialog
from hybridsnap.render.moves import quote
from hybridsnap.render.report import HELD, KEPT, SILENT, shorten_url
from hybridsnap.service.downloads import tell_saved
from hybridsnap.service.remedies import remedy_of
from hybridsnap.service.steps import check_arrived
from hybridsnap.service.usage import UsageError
from hybridsnap.text import clean_text
from hybridsnap.webarena import CloseTab, NewTab, TabFocus, execute, format_step
from hybridsnap.webarena.client_tab import tab_numbered
from hybridsnap.webarena.numbering import numbered_tabs

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Collection, Mapping, Sequence
    from pathlib import Path

    from hybridsnap.client.browser import Browser, Page
    from hybridsnap.model import ElementId
    from hybridsnap.render.rendering import Rendering
    from hybridsnap.snapshot import Snapshot
    from hybridsnap.webarena import Action, Executed

#: How long leaving a page may take.
_LEAVING_SECONDS = 1.0
#: What share of --timeout went by before a script is told where that was not the script.
_WORTH_TELLING = 0.1
#: So many dialogs, one after the other, are dismissed on leaving: there are pages that open them without end.
_DISMISSED = 50
#: So much is printed of a tab's title.
_TITLE_CHARACTERS = 80
#: More tokens than any page has.
_UNBOUNDED = 2**40
#: The reason of a navigation that the page itself holds up.
_ASKS = "beforeunload"
_LATE = "; allow more time (--timeout), or wait for it (wait_for)"


@dataclasses.dataclass(slots=True)
class Acted:
    """What came of the actions.

    Attributes:
        results: for each what it returned, receipts as such.
        failure: what the first that failed raised, `UsageError` when it can never be done; what happened
            after it was not done.
        hint: what is beside it to know.
        changes: how the page changed, when that was asked for; of another document, the page.
        printed: the snapshot that these are of, whether they are the page, and what they are of it.
        unproven: the ids that were named, and that no snapshot is known to have shown.
        missing: that the last one, a navigation, has not arrived, and what to do; "" where all is well.
    """

    results: list[Any] = dataclasses.field(default_factory=list)
    failure: HybridsnapError | UsageError | None = None
    hint: str = ""
    changes: str = ""
    printed: tuple[Snapshot, Rendering, bool] | None = None
    unproven: Sequence[ElementId] = ()
    missing: str = ""

    def text(self) -> str:
        """For people: the receipts, one below the other."""
        lines = [_print(result) for result in self.results]
        return "\n".join([*lines, *([self.changes] if self.changes else [])])

    def json(self, indent: int | None = 1) -> str:
        """As JSON: a list; the changes, and the failure, if there are any, stand at its end.

        With `indent` None it is one line.
        """
        said = [to_json(result) for result in self.results]
        if self.changes:
            said.append({"changes": self.changes})
        if self.failure is not None:
            said.append(error_to_json(self.failure))
        return to_json_text(said, indent)


class TabTurned(msgspec.Struct, frozen=True):
    """What came of ``new_tab``, ``tab_focus`` or ``close_tab``.

    Attributes:
        action: as it was asked for.
        tab: the number of the tab that is current now.
        target_id: its id.
        url: where it is.
        title: its title.
        closed: of ``close_tab``: id, title and address of the tab that was closed.
    """

    action: str
    tab: int
    target_id: str
    url: str
    title: str
    closed: str = ""

    def __str__(self) -> str:
        closed = f"\n  closed tab: {self.closed}" if self.closed else ""
        current = _named(self.target_id, self.title, self.url)
        # The next command begins on a tab of its own choice.
        return f"{self.action}{closed}\n  tab {self.tab} is current until this command ends: {current}"


class TabClosed(msgspec.Struct, frozen=True):
    """What ``close_tab`` did before it failed.

    Attributes:
        closed: id, title and address of the tab that was closed.
    """

    closed: str

    def __str__(self) -> str:
        return f"close_tab\n  closed tab: {self.closed}"


def _named(target_id: object, title: str, url: str) -> str:
    """A tab, for people."""
    quoted = f"{quote(clean_text(title), _TITLE_CHARACTERS)} " if title else ""
    return f"{target_id} {quoted}({shorten_url(url)})"


class DownloadSaved(msgspec.Struct, frozen=True):
    """A file that the last action downloaded.

    Attributes:
        url: of it.
        path: where it is.
        size: in bytes.
    """

    url: str
    path: str
    size: int

    def __str__(self) -> str:
        return f"saved {clean_text(self.path)} ({self.size:,} bytes)"


#: The action that leaves a page that asks.
_LEAVE_IT = '{"action": "answer_dialog", "accept": true}'


def error_to_json(error: HybridsnapError | UsageError) -> dict[str, Any]:
    """An error as JSON data: ``{"error": {"type", "message", "fields", "remedy"}}``.

    The type is its class in `hybridsnap.errors`, the fields are its public attributes.
    """
    fields = {name: to_json(value) for name, value in vars(error).items() if not name.startswith("_")}
    if isinstance(error, UsageError):
        remedy = "mend the action; see hybridsnap act --help"
    else:
        remedy = remedy_of(error).advice("cli")
    if isinstance(error, errors.NavigationFailed) and error.reason == _ASKS:
        remedy = f"put {_LEAVE_IT} after it, in the same call"
    said = {
        "type": type(error).__name__,
        "message": clean_text(str(error)),
        "fields": fields,
        "remedy": remedy,
    }
    return {"error": said}


async def page_to_begin(
    browser: Browser, actions: Sequence[Action | ActionRequest], deadline: Deadline
) -> Page:
    """The page of a running browser that actions begin on, where none was named.

    ``tab_focus [n]`` names its own, ``new_tab`` needs none, and ``close_tab`` closes the one that is shown.

    Raises:
        UsageError: several come into question.
        TargetError: there is no such tab, or none at all.
    """
    infos = await numbered_tabs(browser, deadline)
    match actions[0]:
        case TabFocus(index):
            return await tab_numbered(index, browser, deadline)
        case NewTab() if infos:
            return await browser.page(infos[-1]["targetId"], timeout=deadline)
        case CloseTab():
            found = [await browser.page(info["targetId"], timeout=deadline) for info in infos]
            shown = [page for page in found if len(found) == 1 or await _is_shown(page)]
            if len(shown) == 1:
                return shown[0]
    try:
        return await browser.page(timeout=deadline)
    except TargetError as error:
        if not infos:
            raise TargetError(
                "the browser has no tab open to act on; open one in it, or name a URL in place of the"
                " endpoint (for a browser that is launched for it)"
            ) from error
        if len(error.target_ids) < 2:  # noqa: PLR2004 - several
            raise
        raise several_pages(infos, "begin with 'tab_focus [n]', or ") from error


def several_pages(infos: Sequence[Mapping[str, Any]], way: str = "") -> UsageError:
    """The refusal to choose among several pages; `way` is another way to name one."""
    listed = ", ".join(
        f"[{number}] {_named(info['targetId'], info['title'], info['url'])}"
        for number, info in enumerate(infos)
    )
    return UsageError(f"several pages are open; {way}name one with --target-id: {listed}")


async def _is_shown(page: Page) -> bool:
    """Whether a tab is the one of its window that can be seen; one that does not say so in time is not."""
    try:
        reply = await page.session.send(
            "Runtime.evaluate",
            {"expression": "document.visibilityState", "returnByValue": True},
            deadline=Deadline.after(_LEAVING_SECONDS),
        )
    except HybridsnapError:
        return False
    return bool(reply["result"].get("value") == "visible")


async def _look(page: Page, unproven: Collection[ElementId], deadline: Deadline) -> Snapshot:
    """A snapshot that the user does not see: it defines only the ids that were not shown before."""
    snapshot = await page.snapshot(timeout=deadline)
    page.note_printed(snapshot.report.snapshot_id, unproven)
    return snapshot


async def act_on(
    page: Page,
    acted: Acted,
    actions: Sequence[Action | ActionRequest],
    arguments: argparse.Namespace,
    seen: Snapshot | None,
    deadline: Deadline,
) -> None:
    """Do the actions, one after the other, up to the first that fails.

    Args:
        page: that they are done on; later ones on whatever page is current then.
        acted: empty; takes what comes of each as it is done.
        actions: of `read_actions`.
        arguments: of the command line.
        seen: the snapshot in which ids were read; None for the last that was printed of the page.
        deadline: for all of it.

    Raises:
        UsageError: as `hybridsnap.cli.shown.recall_shown`.
    """
    named = [one for action in actions for one in named_by(action)]
    unproven = recall_shown(page, named, seen, always=arguments.diff)
    acted.unproven = unproven
    try:
        before = await _look(page, unproven, deadline) if arguments.diff or unproven else None
    except HybridsnapError as error:
        acted.failure, acted.hint = error, "that was the look before the first action: nothing was done"
        return
    current = await _do_each(page, acted, actions, arguments, deadline)
    with_diff = before if arguments.diff and acted.failure is None else None
    try:
        await _leave(current, with_diff, acted, arguments.max_tokens, deadline)
    except HybridsnapError as error:
        if acted.failure is None:
            acted.failure, acted.hint = error, "that was the look after the actions: they were done"


async def _do_each(
    page: Page,
    acted: Acted,
    actions: Sequence[Action | ActionRequest],
    arguments: argparse.Namespace,
    deadline: Deadline,
) -> Page:
    """Do the actions, as `act_on`; the page that is current after them."""
    current = page
    for action, following in itertools.zip_longest(actions, actions[1:]):
        folder = arguments.download if following is None else None
        try:
            async with _saving(current, folder, acted, deadline):
                results, current = await _perform(current, action, acted, deadline)
                _take(acted, results, current, action, following)
                if following is not None:
                    check_arrived(results[-1], current)
                elif isinstance(results[-1], Navigation) and not results[-1].arrived:
                    acted.missing = f"{results[-1]}{_LATE if results[-1].ended_by != 'busy' else ''}"
        except UnknownKey as error:
            acted.failure = UsageError(str(error))
            break
        except HybridsnapError as error:
            acted.failure = error
            told = acted.hint or isinstance(error, errors.NavigationFailed) or KEPT in str(error)
            if not (told or current.responds):
                acted.hint = f"the page does not respond: {SILENT}"
            elif not told and isinstance(error, errors.CommandUnanswered) and error.cause == "busy":
                acted.hint = f"allow more time; {HELD}"
            break
        except (TypeError, ValueError, FileNotFoundError) as error:
            acted.failure = UsageError(words_of(error))
            break
    return current


async def _perform(
    page: Page, action: Action | ActionRequest, acted: Acted, deadline: Deadline
) -> tuple[Sequence[Any], Page]:
    """What an action returned, and the page that is current after it."""
    if isinstance(action, ActionRequest):
        return [await action.perform(page, deadline)], page
    closed = await _name_tab(page, deadline) if isinstance(action, CloseTab) else ""
    try:
        done = await execute(action, page, timeout=deadline)
    except HybridsnapError:
        if closed and page.session.ended is not None:
            acted.results.append(TabClosed(closed))
            acted.hint = f"tab {closed} was closed; what failed is the wait for the tab that is current now"
        raise
    return list(done.receipts) or [await _told(action, done, closed, deadline)], done.page


async def _name_tab(page: Page, deadline: Deadline) -> str:
    """A tab as people know it: its id, title and address."""
    infos = await page.browser.page_infos(timeout=deadline)
    titles = {info["targetId"]: info["title"] for info in infos}
    return _named(page.target_id, titles.get(page.target_id, ""), page.url)


@contextlib.asynccontextmanager
async def _saving(page: Page, folder: Path | None, acted: Acted, deadline: Deadline) -> AsyncIterator[None]:
    """Save the download that begins in the block, and take that down after what was done in it."""
    if folder is None:
        yield
        return
    async with page.expect_download(folder, timeout=deadline) as download:
        yield
    acted.results[:] = [tell_saved(one, download) for one in acted.results]
    acted.results.append(DownloadSaved(download.url, str(download.path), download.received))


def _take(
    acted: Acted,
    results: Sequence[Any],
    page: Page,
    action: Action | ActionRequest,
    following: Action | ActionRequest | None,
) -> None:
    """Take down what an action did, but refuse one that has the page ask whether to be left, if no answer
    follows: the dialog will be dismissed.

    Raises:
        NavigationFailed: the page asks.
    """
    last = results[-1]
    held = isinstance(last, Navigation | Receipt) and any(one.type == "beforeunload" for one in page.dialogs)
    if isinstance(following, ActionRequest) and following.name == "answer_dialog":
        held = False
    if not held or isinstance(last, Receipt):  # a click was done, whatever its effect
        acted.results += results
    if held:
        given = action.arguments if isinstance(action, ActionRequest) else dataclasses.asdict(action)
        asked = given.get("url")  # a click, going back and reloading have none
        raise errors.NavigationFailed(
            f"the page asks whether to be left (beforeunload), and stays at {clean_text(page.url)}:"
            f" {_LEAVE_IT} after this action leaves it",
            url=str(asked or page.url),
            reason=_ASKS,
        )


async def _leave(
    page: Page, before: Snapshot | None, acted: Acted, max_tokens: int | None, deadline: Deadline
) -> None:
    """See what has changed, if that is asked for, and leave no dialog.

    After a navigation the new page is printed instead of a diff: the old one has nothing in common with it.
    """
    if before is not None and not page.dialogs:
        snapshot = await page.snapshot(timeout=deadline)
        is_other = before.report.frames[0].loader_id != snapshot.report.frames[0].loader_id
        try:
            if is_other:
                rendering = snapshot.render("ai", max_tokens=max_tokens, after=before)
                text = str(rendering)
            else:
                diff = snapshot.diff(before)
                rendering = diff.render(_UNBOUNDED if max_tokens is None else max_tokens)
                text = str(diff) if max_tokens is None else str(rendering)
        except ValueError as error:
            acted.changes = f"what changed is not shown: {error}"
        else:
            acted.changes = text
            acted.printed = (snapshot, rendering, is_other)
    acted.changes += await _dismiss(page, deadline)


async def _told(action: Action, done: Executed, closed: str, deadline: Deadline) -> Any:
    """What an action returned that left no receipt."""
    if done.navigation is not None:
        return done.navigation
    if not isinstance(action, NewTab | TabFocus | CloseTab):
        return done.answer
    infos = await numbered_tabs(done.page.browser, deadline)
    ids = [info["targetId"] for info in infos]
    target_id = done.page.target_id
    number = ids.index(target_id) if target_id in ids else len(ids)
    title = infos[number]["title"] if number < len(infos) else ""
    return TabTurned(format_step(action), number, str(target_id), done.page.url, title, closed)


async def _dismiss(page: Page, deadline: Deadline) -> str:
    """Close dialogs: one that is open when we leave could not be answered by anybody (Chromium loses it)."""
    said: list[str] = []
    while page.dialogs and len(said) < _DISMISSED:
        dialog = await page.answer_dialog(accept=False, timeout=deadline)
        stays = "the page stays" if dialog.type == "beforeunload" else clean_text(dialog.message)
        said.append(f"dismissed the dialog ({dialog.type}): {stays}")
    if page.dialogs:
        said.append("the page goes on opening dialogs, and one is open still: close the tab")
    return "\n".join(said)


async def evaluate_on(
    page: Page,
    arguments: argparse.Namespace,
    values: Sequence[Any],
    seen: Snapshot | None,
    deadline: Deadline,
) -> str:
    """Evaluate a script on a page; its value as JSON, or as it is with ``--raw``.

    Raises:
        UsageError: as `hybridsnap.cli.shown.recall_shown`; or the arguments do not fit.
    """
    unproven = recall_shown(page, [arguments.element or ""], seen)
    if unproven:
        await _look(page, unproven, deadline)
        say_unproven(unproven)
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
        raise UsageError(words_of(error)) from error
    except EvaluationTimeout as error:
        before = arguments.timeout - error.seconds
        if before < _WORTH_TELLING * arguments.timeout:
            raise
        raise EvaluationTimeout(
            f"{error}; of the {arguments.timeout:g} s of --timeout, the browser and the page took"
            f" {before:.3g} s",
            seconds=error.seconds,
        ) from error
    finally:
        with trio.move_on_after(_LEAVING_SECONDS, shield=True):
            await _dismiss(page, Deadline.after(_LEAVING_SECONDS))
    if arguments.raw and isinstance(value, str):
        # A program gets it as it is; a terminal would obey the page.
        return escape_hiding(value) if sys.stdout is not None and sys.stdout.isatty() else value
    try:
        return to_json_text(to_json(value), indent=1)
    except ValueError as error:
        raise UsageError(str(error)) from error


def say_unproven(ids: Sequence[ElementId]) -> None:
    """Say on stderr which ids were taken without a proof."""
    if ids:
        say(
            f"hybridsnap: {', '.join(ids)}: not checked, as neither the last snapshot of this tab nor a"
            " --diff after it printed it; what has this id now may not be what you saw (--snapshot FILE names"
            " another snapshot)"
        )


def _print(result: Any) -> str:
    if isinstance(result, Dialog):
        return f"answered the dialog ({result.type}): {clean_text(result.message)}"
    if isinstance(result, Receipt | TabTurned | TabClosed | DownloadSaved | Navigation):
        return str(result)
    if isinstance(result, str):
        return clean_text(result)
    return to_json_text(to_json(result))
