"""What a profile keeps: cookies, permissions, and the state that a login leaves behind.

Measured in Chromium 156: ``Storage.getCookies`` on a page's own session answers for the browser's default
profile, whatever context the page is in; on the browser's session it answers for the context that it names,
and ``Network.getAllCookies`` on a page's session for the page's own.
"""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import urlsplit

import trio

from hybridsnap.argument_checks import read_strs
from hybridsnap.client.creation import TAB, attach_to, create, in_context
from hybridsnap.client.storage_state import (
    check_origin,
    check_url,
    is_sent,
    load_state,
    read_cookie,
    write_cookie,
    write_state,
)
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import CommandRefused, CommandUnanswered, TargetError
from hybridsnap.model import TargetId

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from hybridsnap.client.connection import Session
    from hybridsnap.client.storage_state import Cookie, StorageState
    from hybridsnap.model import ContextId

Area: TypeAlias = Literal["local", "session"]
#: Separates a frame's own site from the one that it is embedded in: such storage is partitioned.
_PARTITION = "^"
#: Seconds for a tab of ours to go; it takes some milliseconds.
_GONE_SECONDS = 1.0
#: The web's name of a permission → the protocol's, where that is not the same in one word.
_PERMISSIONS = {
    "accelerometer": "sensors",
    "ambient-light-sensor": "sensors",
    "camera": "videoCapture",
    "clipboard-read": "clipboardReadWrite",
    "clipboard-write": "clipboardSanitizedWrite",
    "gyroscope": "sensors",
    "magnetometer": "sensors",
    "microphone": "audioCapture",
    "persistent-storage": "durableStorage",
    "screen-wake-lock": "wakeLockScreen",
}


class ProfileStorage:
    """`BrowserContext.storage`: a profile's cookies, permissions, and the state that a login leaves behind.

    Everything is read from the browser when it is asked.

    Args:
        browser: the browser's own session; None where the connection is one page's own socket.
        context: tells of which profile; None where the browser does not say.
        page: a page's session; None where the profile need not have one.
    """

    def __init__(
        self, browser: Session | None, context: Callable[[], ContextId | None], page: Session | None = None
    ) -> None:
        self._browser = browser
        self._context = context
        self._page = page

    async def cookies(
        self, urls: str | Sequence[str] | None = None, *, timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> list[Cookie]:
        """The profile's cookies.

        Args:
            urls: only those that a request to one of these would carry.
            timeout: seconds.
        """
        given = () if urls is None else read_strs("urls", urls, "https://example.com/")
        wanted = [urlsplit(check_url(one)) for one in given]
        found = [read_cookie(one) for one in await self._all_cookies(Deadline.of(timeout))]
        if urls is None:
            return found
        return [one for one in found if any(is_sent(one, url) for url in wanted)]

    async def set_cookies(
        self, cookies: Sequence[Cookie], *, timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> None:
        """Set cookies; one of the same name, domain and path is replaced.

        Args:
            cookies: as `Cookie` says.
            timeout: seconds.

        Raises:
            ValueError, TypeError: a cookie lacks something, or has what no cookie has. None is set then.
            CommandRefused: the browser refuses one, for instance a ``SameSite=None`` one that is not secure.
        """
        written = [write_cookie(one, at) for at, one in enumerate(cookies)]
        await self._set_cookies(written, Deadline.of(timeout))

    async def clear_cookies(
        self,
        *,
        name: str | None = None,
        domain: str | None = None,
        path: str | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> int:
        """Delete the profile's cookies: all of them, or those that match everything given.

        Args:
            name: of the cookie.
            domain: as `cookies` has it; one that begins with a dot also counts without.
            path: likewise.
            timeout: seconds.

        Returns:
            How many there were.
        """
        deadline = Deadline.of(timeout)
        wanted = [
            one
            for one in await self._all_cookies(deadline)
            if (name is None or one["name"] == name)
            and (domain is None or domain.lstrip(".") == one["domain"].lstrip("."))
            and (path is None or one["path"] == path)
        ]
        kept = ("name", "value", "domain", "path", "secure", "httpOnly", "sameSite", "partitionKey")
        # One that has expired is gone: no command of the browser's session deletes a single cookie.
        expired = [{key: one[key] for key in kept if key in one} | {"expires": 1} for one in wanted]
        await self._set_cookies(expired, deadline)
        return len(wanted)

    async def grant_permissions(
        self,
        permissions: str | Sequence[str],
        *,
        origin: str | None = None,
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> None:
        """Grant permissions without asking anybody; all others are refused from then on, for that origin.

        Args:
            permissions: by the web's names, such as ``geolocation``, ``notifications``, ``clipboard-read``,
                ``camera``, or by the protocol's (``Browser.PermissionType``: ``videoCapture``).
            origin: to which; None grants them to every origin of the profile.
            timeout: seconds.

        Raises:
            CommandRefused: the browser knows no such permission.
        """
        deadline = Deadline.of(timeout)
        names = read_strs("permissions", permissions, "geolocation")
        params: dict[str, Any] = {"permissions": [_protocol_name(one) for one in names]}
        if origin is not None:
            params["origin"] = check_origin(origin)
        await self._ask("Browser.grantPermissions", params, deadline)

    async def reset_permissions(self, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> None:
        """Take back all that `grant_permissions` granted: what was not granted is asked for again."""
        await self._ask("Browser.resetPermissions", {}, Deadline.of(timeout))

    async def state(
        self,
        *,
        path: str | Path | None = None,
        origins: Sequence[str] = (),
        timeout: float | Deadline = DEFAULT_TIMEOUT,
    ) -> StorageState:
        """The profile's cookies, and the local storage of every tab that is open in it.

        Playwright's format (`storage_state`), so that a login made here works there. As there, storage that
        is partitioned by the page around a frame is left out, and so are session storage and databases.

        Args:
            path: a file to write it to, as JSON; readable by its owner only.
            origins: further origins whose storage is wanted, though no tab shows them; an empty document is
                opened under each, without a request.
            timeout: seconds, for all of it.

        Raises:
            CommandUnanswered: a tab does not answer; the message names it.
            TargetError: `origins` over one page's own socket.
        """
        deadline = Deadline.of(timeout)
        wanted = [check_origin(one) for one in read_strs("origins", origins, "https://example.com")]
        found: dict[str, dict[str, str]] = {}
        async with self._tabs(deadline) as tabs:
            for session, url in tabs:
                try:
                    for store in await stores_in(session, deadline):
                        if _PARTITION not in store.key and store.origin not in found:
                            found[store.origin] = await store.items("local", deadline)
                except CommandUnanswered as error:
                    raise CommandUnanswered(
                        f"the tab at {url} does not answer, so its local storage cannot be read; "
                        "close it, or take the state without it",
                        method=error.method,
                        cause=error.cause,
                    ) from error
        if missing := [one for one in wanted if one not in found]:
            async with self._blank_page(missing, deadline) as stores:
                async for store in stores:
                    found[store.origin] = await store.items("local", deadline)
        state: StorageState = {
            "cookies": await self.cookies(timeout=deadline),
            "origins": [
                {"origin": origin, "localStorage": [{"name": n, "value": v} for n, v in items.items()]}
                for origin, items in found.items()
                if items
            ],
        }
        if path is not None:
            await trio.to_thread.run_sync(write_state, Path(path), state)
        return state

    async def restore(
        self, state: StorageState | str | Path, *, timeout: float | Deadline = DEFAULT_TIMEOUT
    ) -> None:
        """Put a state into the profile: its cookies are added, its origins' local storage is replaced.

        Tabs that show such an origin see the new items a few milliseconds later.

        Args:
            state: as `state` returns it, or the path of a file that it, or Playwright, has written.
            timeout: seconds, for all of it.

        Raises:
            ValueError: it is no such state.
            OSError: the file cannot be read.
            TargetError: there are origins in it, and the connection is one page's own socket.
        """
        deadline = Deadline.of(timeout)
        state = await load_state(state)
        await self.set_cookies(state["cookies"], timeout=deadline)
        by_origin = {one["origin"]: one["localStorage"] for one in state["origins"]}
        if not by_origin:
            return
        async with self._blank_page(list(by_origin), deadline) as stores:
            async for store in stores:
                await store.send("clear", "local", deadline)
                for item in by_origin[store.origin]:
                    await store.send(
                        "setDOMStorageItem", "local", deadline, key=item["name"], value=item["value"]
                    )

    async def _all_cookies(self, deadline: Deadline) -> list[dict[str, Any]]:
        reply = await self._ask("Storage.getCookies", {}, deadline, of_page="Network.getAllCookies")
        found: list[dict[str, Any]] = reply["cookies"]
        return found

    async def _set_cookies(self, cookies: list[dict[str, Any]], deadline: Deadline) -> None:
        if cookies:
            params = {"cookies": cookies}
            await self._ask("Storage.setCookies", params, deadline, of_page="Network.setCookies")

    async def _ask(
        self, method: str, params: dict[str, Any], deadline: Deadline, *, of_page: str = ""
    ) -> dict[str, Any]:
        """Ask the browser about the profile; over a page's own socket the page, by a method of its own."""
        if self._browser is None:
            assert self._page is not None
            return await self._page.send(of_page or method, params, deadline=deadline)
        return await self._browser.send(method, {**params, **self._profile}, deadline=deadline)

    @property
    def _profile(self) -> dict[str, Any]:
        """Which profile, as a parameter of commands to the browser."""
        return in_context(self._context())

    @contextlib.asynccontextmanager
    async def _tabs(self, deadline: Deadline) -> AsyncIterator[list[tuple[Session, str]]]:
        """Sessions of the profile's tabs and of their frames in other processes, each with its URL."""
        if self._browser is None:
            assert self._page is not None
            yield [(self._page, "")]
            return
        infos = (await self._browser.send("Target.getTargets", deadline=deadline))["targetInfos"]
        connection = self._browser.connection
        found: list[tuple[Session, str]] = []
        try:
            for info in infos:
                if info["type"] not in {"page", "iframe"} or self._profile.items() - info.items():
                    continue
                with contextlib.suppress(CommandRefused):  # it has just been closed
                    found.append((await attach_to(connection, info["targetId"], deadline), info["url"]))
            yield found
        finally:
            for session, _ in found:
                self._browser.post("Target.detachFromTarget", {"sessionId": session.id}, ignore_reply)

    @contextlib.asynccontextmanager
    async def _blank_page(
        self, origins: Sequence[str], deadline: Deadline
    ) -> AsyncIterator[AsyncIterator[Store]]:
        """The stores of origins, in turn, each in an empty document under it, in a hidden tab."""
        if self._browser is None:
            raise TargetError(
                "the storage of other origins is reached over the browser's own connection; "
                "connect to the browser's endpoint instead of one page's"
            )
        params = {"url": "about:blank", "hidden": True, "background": True, **self._profile}
        connection = self._browser.connection
        target = await create(connection, TAB, params, deadline)
        session = None
        try:
            session = await attach_to(connection, TargetId(target), deadline)
            async with trio.open_nursery() as nursery:
                await nursery.start(_answer_all, session, deadline)
                yield _visit(session, origins, deadline)
                nursery.cancel_scope.cancel()
        finally:
            self._browser.post("Target.closeTarget", {"targetId": target}, ignore_reply)
            with trio.CancelScope(shield=True):
                await connection.flush()
            if session is not None:
                # `chromium-headless-shell` hides no tab, and lists it until it has gone.
                with trio.move_on_after(_GONE_SECONDS):
                    await session.wait_ended()


@dataclasses.dataclass(frozen=True, slots=True)
class Store:
    """The storage of one frame's origin.

    Attributes:
        key: its storage key: the origin and a slash, and the site around it where that is another.
    """

    session: Session
    origin: str
    key: str

    async def send(self, method: str, area: Area, deadline: Deadline, **params: str) -> dict[str, Any]:
        """A command of `DOMStorage`."""
        where = {"storageKey": self.key, "isLocalStorage": area == "local"}
        return await self.session.send(
            f"DOMStorage.{method}", {"storageId": where, **params}, deadline=deadline
        )

    async def items(self, area: Area, deadline: Deadline) -> dict[str, str]:
        """Name → value."""
        reply = await self.send("getDOMStorageItems", area, deadline)
        return dict(reply["entries"])


async def stores_in(session: Session, deadline: Deadline) -> list[Store]:
    """The stores of a session's frames, each once."""
    tree = (await session.send("Page.getFrameTree", deadline=deadline))["frameTree"]
    found: dict[str, Store] = {}
    open_ = [tree]
    while open_:
        one = open_.pop()
        open_.extend(reversed(one.get("childFrames", ())))
        frame = one["frame"]
        origin = frame.get("securityOrigin", "")
        if not origin.startswith(("http://", "https://", "file://", "chrome-extension://")):
            continue
        with contextlib.suppress(CommandRefused):  # the frame has just gone
            params = {"frameId": frame["id"]}
            reply = await session.send("Storage.getStorageKey", params, deadline=deadline)
            found.setdefault(reply["storageKey"], Store(session, origin, reply["storageKey"]))
    return list(found.values())


async def _visit(session: Session, origins: Sequence[str], deadline: Deadline) -> AsyncIterator[Store]:
    for origin in origins:
        await session.send("Page.navigate", {"url": f"{origin}/"}, deadline=deadline)
        yield Store(session, origin, f"{origin}/")


def _protocol_name(permission: str) -> str:
    first, *others = permission.split("-")
    return _PERMISSIONS.get(permission) or first + "".join(one[:1].upper() + one[1:] for one in others)


async def _answer_all(
    session: Session, deadline: Deadline, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Answer every request of a tab with an empty document, so that none leaves the browser."""
    with session.events("Fetch.requestPaused") as paused:
        await session.send("Fetch.enable", deadline=deadline)
        task_status.started()
        async for _, params in paused:
            answer = {
                "requestId": params["requestId"],
                "responseCode": 200,
                "responseHeaders": [{"name": "Content-Type", "value": "text/html"}],
                "body": "",
            }
            session.post("Fetch.fulfillRequest", answer, ignore_reply)
