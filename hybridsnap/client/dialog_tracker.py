"""Which dialogs a page has opened, and what they are answered with.

Chromium has one dialog a tab (measured in Chromium 156):

- Its events and its answer belong to the tab's own session, whatever frame opened it; the event names the
  frame.
- When a frame of another process opens one while another is open, the older is dismissed, and the newer can
  no longer be answered (`No dialog is showing`), though its process waits for it. A navigation closes it.
- When a frame is removed by the frames around it while its dialog is open, nothing waits for it any more. But
  an answer, the tab's next dialog and its next navigation bring the whole browser down.
- Closing a tab over the dialog of a frame does so too, while a session has the Page domain on; after
  `Page.disable` closing is safe in all these cases.
- `alert`, `confirm` and `prompt` are closed by `Page.navigate` (as dismissed); a `beforeunload` prompt is
  not, the new navigation waits for the same answer.
  In `chromium-headless-shell` none is closed so, and the page waits for its answer: it is dismissed right
  behind the command.
- A `beforeunload` prompt opens only after the user has touched the document (a click, a key).
- `Page.handleJavaScriptDialog` without ``promptText`` answers a prompt with "", not with its default.
- A client that comes while a dialog is open does not hear of it, and cannot answer it.
- `window.print()` opens nothing in a headless browser.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Self

from hybridsnap.model import SeenDialog

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.model import Dialog, FrameId

#: So many dialogs are remembered.
_REMEMBERED = 200


class ArmedAnswer:
    """An answer that waits for its dialog. `Page.arm_dialog` makes it; leaving it as a block disarms it.

    Attributes:
        accept: whether dialogs are accepted.
        text: that prompts are answered with; None leaves what stands in them.
        left: for how many dialogs it is good; None for all.
        only: a type, when it is for that type of dialog only.
        given: the dialogs it has answered so far.
    """

    def __init__(
        self,
        accept: bool,
        text: str | None,
        left: int | None,
        only: str | None,
        disarm: Callable[[ArmedAnswer], None],
    ) -> None:
        self.accept = accept
        self.text = text
        self.left = left
        self.only = only
        self.given: list[SeenDialog] = []
        self._disarm = disarm

    def disarm(self) -> None:
        """Answer no more dialogs."""
        self._disarm(self)

    def text_for(self, dialog: Dialog) -> str | None:
        """What goes into the field of this dialog, if it has one."""
        if dialog.type != "prompt" or not self.accept:
            return None
        return dialog.default if self.text is None else self.text

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.disarm()


#: What is said where no dialog is known. Of one that opened before it came, a client hears nothing.
NO_DIALOG = (
    "no dialog is open; arm_dialog answers one that is to come (one that opened before this client came to"
    " the tab can be answered only by a client that was there)"
)
#: What is said of a tab whose open dialog was of a frame that has gone.
ORPHANED = "the frame whose dialog was open is gone, and Chromium cannot go on with this tab: close it"


class DialogTracker:
    """The dialogs of one page.

    Attributes:
        open: those that are open and wait for an answer, oldest first.
        orphans: those whose frame was removed under them.
        answered: the last that was answered from here, but for armed answers.
        count: how many have been opened so far: a mark for `since`.
    """

    def __init__(self) -> None:
        self.open: list[Dialog] = []
        self.orphans: list[Dialog] = []
        self.answered: Dialog | None = None
        self.count: int = 0
        self._seen: deque[SeenDialog] = deque(maxlen=_REMEMBERED)
        self._armed: list[ArmedAnswer] = []

    def arm(self, accept: bool, text: str | None, times: int | None, only: str | None) -> ArmedAnswer:
        """Keep an answer ready; it goes before those that were armed earlier."""
        armed = ArmedAnswer(accept, text, times, only, self._disarm)
        self._armed.append(armed)
        return armed

    def since(self, mark: int) -> list[SeenDialog]:
        """The dialogs that were opened since `count` was `mark`, as far as they are remembered."""
        new = self.count - mark
        return list(self._seen)[-new:] if new > 0 else []

    def open_since(self, mark: int) -> Dialog | None:
        """The dialog that is open, if one was opened since `count` was `mark`."""
        return self.open[-1] if self.open and self.count > mark else None

    def opened(self, dialog: Dialog) -> SeenDialog:
        """A dialog opens. When an answer is armed for it, it counts as given."""
        self.count += 1
        seen = SeenDialog(dialog)
        self._seen.append(seen)
        for armed in reversed(self._armed):
            if armed.only in {None, dialog.type}:
                seen.accepted, seen.text, seen.armed = armed.accept, armed.text_for(dialog), True
                seen.closed_at = seen.opened_at
                armed.given.append(seen)
                if armed.left is not None:
                    armed.left -= 1
                    if armed.left == 0:
                        self._disarm(armed)
                break
        else:
            self.open.append(dialog)
        return seen

    def not_answered(self, seen: SeenDialog) -> None:
        """The armed answer to a dialog was refused: it is open still."""
        seen.accepted, seen.text, seen.armed, seen.closed_at = None, None, False, None
        self.open.append(seen.dialog)

    def closed(self, frame: FrameId | None, accepted: bool, text: str) -> None:
        """The dialog of a frame is closed; of all, when the browser does not say of which."""
        for dialog in list(self.open):
            if frame is None or dialog.frame == frame:
                self.open.remove(dialog)
                for seen in self._seen:
                    if seen.dialog is dialog:
                        seen.accepted, seen.closed_at = accepted, time.time()
                        seen.text = text if accepted and dialog.type == "prompt" else None

    def frame_removed(self, frame: FrameId) -> None:
        """A frame is gone: its dialog blocks nothing any more, and must not be touched."""
        orphaned = [dialog for dialog in self.open if dialog.frame == frame]
        self.open[:] = [dialog for dialog in self.open if dialog.frame != frame]
        self.orphans += orphaned

    def _disarm(self, armed: ArmedAnswer) -> None:
        self._armed[:] = [one for one in self._armed if one is not armed]
