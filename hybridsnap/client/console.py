"""What a page said: its console's messages, and the errors that nothing in the page caught."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from hybridsnap.act.conditions import parse_url_glob
from hybridsnap.argument_checks import check_str, check_whole, read_strs
from hybridsnap.client.console_messages import LEVELS
from hybridsnap.client.console_record import ConsoleSubscription
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from hybridsnap.client.console_messages import ConsoleMessage, Level, PageError
    from hybridsnap.client.flood import Notice
    from hybridsnap.client.page_context import PageContext


class Console:
    """`Page.console`: what the page and its workers log, and the errors that nothing in them catches.

    ``launch(record=["console"])`` records every page from its beginning. Otherwise recording begins with
    `start` or with the first call that reads messages or errors, and includes the last 1,000 messages of the
    current document, which the browser keeps. The last 500 messages and 200 errors are kept.
    """

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._record = context.console_record

    @property
    def recording(self) -> bool:
        """Whether messages are recorded."""
        return self._record.recording

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What befell the record: the page said more than could be followed, for instance."""
        return tuple(self._record.notices)

    @property
    def dropped(self) -> int:
        """How many messages and errors are not kept any more, or were never read: at least so many."""
        return self._record.dropped

    async def start(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> None:
        """Record from now on; what the browser still has of before comes first.

        Args:
            timeout: seconds, for the page to tell that; one that is busy is waited for a second at most.
        """
        self._record.start()
        await self._context.receive_events(Deadline.of(timeout))

    def stop(self) -> None:
        """Record no more; what is recorded stays."""
        self._record.stop()

    def clear(self) -> None:
        """Forget what is recorded."""
        self._record.clear()

    async def messages(
        self,
        *,
        level: Level | Sequence[Level] | None = None,
        text: str | None = None,
        url: str | None = None,
        limit: int | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> list[ConsoleMessage]:
        """The messages that are kept, oldest first, with all that the page has said before this call.

        Uncaught errors are not among them: see `errors`. Messages of the browser about the page are, such as
        those about files that could not be loaded.

        Args:
            level: only of this level, or of these: ``debug``, ``info``, ``warning``, ``error``.
            text: only those with this in their text, in whatever case.
            url: only of scripts with such addresses, as `Page.wait_for` has it: ``**/app.js``.
            limit: only the last so many.
            timeout: seconds. A page that is busy does not say what it has said: it is waited for a second at
                most, and then what was received is returned.

        Raises:
            ValueError, TypeError: an argument means nothing.
        """
        levels = None if level is None else _check_levels(level)
        await self._catch_up(text, url, limit, timeout)
        found = [
            one
            for one in self._record.messages
            if (levels is None or one.level in levels) and _fits(one.text, one.url, text, url)
        ]
        return _last(found, limit)

    async def errors(
        self,
        *,
        text: str | None = None,
        url: str | None = None,
        limit: int | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> list[PageError]:
        """The uncaught exceptions and unhandled rejections that are kept, oldest first.

        Args:
            text: only those with this in their message, in whatever case.
            url: only of scripts with such addresses.
            limit: only the last so many.
            timeout: seconds, as for `messages`.

        Raises:
            ValueError, TypeError: an argument means nothing.
        """
        await self._catch_up(text, url, limit, timeout)
        return _last([one for one in self._record.errors if _fits(one.message, one.url, text, url)], limit)

    @contextlib.contextmanager
    def follow(self, *, buffer: int = 1000) -> Generator[ConsoleSubscription, None, None]:
        """Messages and errors as they come, for the length of the block; it records, too.

        ::

            with page.console.follow() as said:
                async for one in said:
                    print(one)

        Args:
            buffer: so many are held for a reader who falls behind; then the oldest go, and a `Dropped` says
                how many.
        """
        check_whole("buffer", buffer, 1)
        self._record.start()
        follower = ConsoleSubscription(buffer)
        with self._context.attachment.root.session.closing(follower):
            self._record.followers.append(follower)
            try:
                yield follower
            finally:
                self._record.followers.remove(follower)

    async def _catch_up(
        self, text: str | None, url: str | None, limit: int | None, timeout: float | Deadline
    ) -> None:
        check_str("text", text, "deprecated", optional=True)
        check_str("url", url, "**/app.js", optional=True)
        check_whole("limit", limit, 1, optional=True)
        if url is not None:
            parse_url_glob(url)
        await self.start(timeout=timeout)


def _check_levels(level: Level | Sequence[Level]) -> tuple[str, ...]:
    levels = read_strs("level", level, "error")
    for one in levels:
        if one not in LEVELS:
            raise ValueError(f"level: expected one of {', '.join(LEVELS)}, got {one!r}")
    return levels


def _fits(said: str, where: str, text: str | None, url: str | None) -> bool:
    if text is not None and text.casefold() not in said.casefold():
        return False
    return url is None or where == url or parse_url_glob(url).fullmatch(where) is not None


def _last(found: list[Any], limit: int | None) -> list[Any]:
    found.sort(key=lambda one: one.time)
    return found if limit is None else found[-limit:]
