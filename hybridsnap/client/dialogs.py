"""The dialogs a page opens, and answering them. Facts about them stand in `hybridsnap.client.dialog_book`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from hybridsnap.client.page_core import DEFAULT_TIMEOUT, PageCore
from hybridsnap.deadline import Deadline
from hybridsnap.errors import CommandRefused, HybridsnapError, NoDialog
from hybridsnap.render.clean import clean_text

if TYPE_CHECKING:
    from hybridsnap.client.dialog_book import ArmedAnswer, SeenDialog
    from hybridsnap.model import Dialog
    from hybridsnap.protocol.wire import Payload

DialogType: TypeAlias = Literal["alert", "confirm", "prompt", "beforeunload"]
#: So much of a dialog's words stands in a message.
_SHOWN = 60
#: So long a page may take to go on after an answer, until it is left to itself.
_GOING_ON_SECONDS = 0.5


class Dialogs(PageCore):
    """The part of a page that answers dialogs."""

    async def answer_dialog(
        self,
        accept: bool = True,
        text: str | None = None,
        *,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> Dialog:
        """Answer the dialog that is open, as with OK or Cancel.

        It returns when the script that opened it has come to its end, or has opened the next dialog, which
        can be answered at once; but half a second later at the latest.

        Args:
            accept: False dismisses it: `confirm` returns false, `prompt` null, and a ``beforeunload`` prompt
                keeps the page.
            text: for a prompt that is accepted; None leaves what stands in it.
            timeout: seconds.

        Returns:
            The dialog, as it was.

        Raises:
            NoDialog: none is open; or it can no longer be answered, because another frame opened one over it.
            ValueError: a text is given, and the dialog is no prompt or is not accepted.
            CommandUnanswered: the browser did not answer in time.
        """
        _check_text(accept, text)
        deadline = Deadline.of(timeout)
        book = self._attachment.dialog_book
        if not book.open:
            raise NoDialog(
                "the frame whose dialog was open is gone, and Chromium cannot go on with this tab: close it"
                if book.orphans
                else "no dialog is open"
            )
        dialog = book.open[-1]  # Chromium closes the older ones
        if text is not None and dialog.type != "prompt":
            raise ValueError(f"text is for a prompt, and {_words(dialog)} is open")
        params: dict[str, object] = {"accept": accept}
        if accept and dialog.type == "prompt":
            params["promptText"] = dialog.default if text is None else text
        session = self._attachment.root.session
        try:
            await session.send("Page.handleJavaScriptDialog", params, deadline=deadline)
        except CommandRefused as error:
            if dialog not in book.open:
                raise NoDialog(f"{_words(dialog)} was closed before it could be answered") from error
            raise NoDialog(
                f"{_words(dialog)} cannot be answered: Chromium lost hold of it when it opened over another"
                " frame's dialog; go to another address, or close the tab"
            ) from error
        await self._attachment.wait_until(lambda: all(one is not dialog for one in book.open), deadline)
        if dialog.type != "beforeunload":  # what comes of that is a navigation, and no script that goes on
            await self._gone_on(dialog, deadline)
        return dialog

    async def _gone_on(self, dialog: Dialog, deadline: Deadline) -> None:
        """Wait until the script behind an answered dialog is over or has opened another, for a short while.

        Chromium does not evaluate anything in between: an answer to that says that the script is over.
        """
        attachment = self._attachment
        session = next(
            (one.session for one in attachment if dialog.frame in one.frames), attachment.root.session
        )
        replies: list[Payload | HybridsnapError] = []

        def deliver(reply: Payload | HybridsnapError) -> None:
            replies.append(reply)
            attachment.pulse()

        crashes = attachment.crashes
        within = Deadline.after(_GOING_ON_SECONDS)
        number = session.post("Runtime.evaluate", {"expression": "0"}, deliver)
        try:
            await attachment.wait_until(
                lambda: bool(replies or attachment.dialogs) or attachment.crashes > crashes,
                within if within.at < deadline.at else deadline,
            )
        finally:
            session.connection.forget(number)

    def arm_dialog(
        self,
        accept: bool = True,
        text: str | None = None,
        *,
        times: int | None = 1,
        only: DialogType | None = None,
    ) -> ArmedAnswer:
        """Keep an answer ready for the next dialog. It is given the moment the dialog opens: nothing waits.

        As a call it stays until it is used up; as a block it ends with the block::

            page.arm_dialog(accept=False)                       # the next one is dismissed
            with page.arm_dialog(times=None) as armed:          # all are accepted, in here
                await page.click("0-29")
            print(armed.given)

        Args:
            accept: or dismiss.
            text: for prompts; None leaves what stands in them.
            times: for how many dialogs; None for all.
            only: for this type of dialog only: alert, confirm, prompt or beforeunload.

        Returns:
            The armed answer: `given` lists what it answered, `disarm()` takes it back. Of several, the one
            that was armed last goes first.

        Raises:
            ValueError: `times` is less than 1, `only` no type, or a text comes with ``accept=False``.
        """
        _check_text(accept, text)
        if times is not None and (isinstance(times, bool) or times < 1):
            raise ValueError(f"times is a number from 1 on, or None for all, not {times!r}")
        if only is not None and only not in get_args(DialogType):
            raise ValueError(f"only is one of {', '.join(get_args(DialogType))}, not {only!r}")
        if text is not None and only not in {None, "prompt"}:
            raise ValueError(f"text is for prompts, and {only} has no field")
        return self._attachment.dialog_book.arm(accept, text, times, only)

    @property
    def dialogs_seen(self) -> tuple[SeenDialog, ...]:
        """The dialogs the page has opened so far (the last 200), and how each was answered."""
        return tuple(self._attachment.dialog_book.since(0))


def _check_text(accept: bool, text: str | None) -> None:
    if text is None:
        return
    if not isinstance(text, str):
        raise TypeError(f"text is a str, not {type(text).__name__}")
    if not accept:
        raise ValueError("a dialog that is dismissed takes no text")


def _words(dialog: Dialog) -> str:
    said = clean_text(dialog.message)
    said = said if len(said) <= _SHOWN else said[: _SHOWN - 1] + "…"
    return f'the {dialog.type} "{said}"' if said else f"the {dialog.type} prompt"
