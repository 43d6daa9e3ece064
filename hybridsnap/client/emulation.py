"""What a page is made to believe of the device, the network and the place that it is shown on.

In Chromium 156 nearly every such setting holds for one session, so for the frames of one process only
(measured): it is sent to the sessions of all frames, and to those of new frames before their scripts run.
All settings end with the connection.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from hybridsnap.client.creation import in_context
from hybridsnap.client.devices import find_device, load_devices, read_device
from hybridsnap.client.emulation_settings import EmulationSettings, check_setting, check_setting_name
from hybridsnap.client.network import disable_network, enable_network
from hybridsnap.client.viewport import set_viewport, size_params, wait_for_size
from hybridsnap.deadline import DEFAULT_TIMEOUT, Deadline
from hybridsnap.drivers.base import ignore_reply
from hybridsnap.errors import CommandRefused, SessionEnded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hybridsnap.client.attachment import AttachedSession
    from hybridsnap.client.connection import Session
    from hybridsnap.client.page_context import PageContext
    from hybridsnap.client.viewport import ViewportSize


class _Command(NamedTuple):
    """What brings a session to some settings, or back to the browser's own way.

    Attributes:
        method: of the protocol.
        names: of the settings that it sets together.
        params: made of all settings.
        off: the method that takes the settings back, where it is another.
        anew: the settings are taken back before others are made: Chromium 156 checks a time zone only where
            none is set, and keeps the one before without a word.
    """

    method: str
    names: tuple[str, ...]
    params: Callable[[Mapping[str, Any]], dict[str, Any]]
    off: str | None = None
    anew: bool = False

    def make(self, settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Method and parameters."""
        if self.off is not None and settings.keys().isdisjoint(self.names):
            return self.off, {}
        return self.method, self.params(settings)


def _user_agent(settings: Mapping[str, Any]) -> dict[str, Any]:
    locale, hints = settings.get("locale"), settings.get("client_hints")
    own = settings[_OWN_USER_AGENT] if locale or hints else ""
    params: dict[str, Any] = {"userAgent": settings.get("user_agent") or own}
    params |= {} if locale is None else {"acceptLanguage": locale}
    return params if hints is None else params | {"userAgentMetadata": hints}


def _media(settings: Mapping[str, Any]) -> dict[str, Any]:
    get = settings.get
    features = {
        "prefers-color-scheme": get("color_scheme") or "",
        "prefers-reduced-motion": _word(get("reduced_motion"), "reduce", "no-preference"),
        "forced-colors": _word(get("forced_colors"), "active", "none"),
        "prefers-contrast": get("contrast") or "",
    }
    return {
        "media": get("media") or "",
        "features": [{"name": name, "value": value} for name, value in features.items()],
    }


def _word(value: bool | None, true: str, false: str) -> str:
    return "" if value is None else true if value else false


def _place(settings: Mapping[str, Any]) -> dict[str, Any]:
    place = (*settings["geolocation"], 1.0)
    return {"latitude": place[0], "longitude": place[1], "accuracy": place[2]}


def _conditions(settings: Mapping[str, Any]) -> dict[str, Any]:
    def throughput(name: str) -> float:
        return settings[name] * 1000 if name in settings else -1

    return {
        "offline": bool(settings.get("offline")),
        "latency": settings.get("latency_ms", 0),
        "downloadThroughput": throughput("download_kb_s"),
        "uploadThroughput": throughput("upload_kb_s"),
    }


#: What the browser itself says, kept among the settings for `_COMMANDS`.
_OWN_USER_AGENT, _OWN_PROCESSORS = "own user agent", "own processors"
_COMMANDS = (
    _Command("Emulation.setUserAgentOverride", ("user_agent", "client_hints", "locale"), _user_agent),
    _Command(
        "Emulation.setLocaleOverride",
        ("locale",),
        lambda settings: {"locale": settings["locale"]} if "locale" in settings else {},
    ),
    _Command(
        "Emulation.setTimezoneOverride",
        ("time_zone",),
        lambda settings: {"timezoneId": settings.get("time_zone", "")},
        anew=True,
    ),
    _Command(
        "Emulation.setGeolocationOverride",
        ("geolocation",),
        _place,
        off="Emulation.clearGeolocationOverride",
    ),
    _Command(
        "Emulation.setEmulatedMedia",
        ("media", "color_scheme", "reduced_motion", "forced_colors", "contrast"),
        _media,
    ),
    _Command(
        "Emulation.setTouchEmulationEnabled",
        ("touch",),
        lambda settings: {"enabled": bool(settings.get("touch")), "maxTouchPoints": 5},
    ),
    _Command(
        "Emulation.setCPUThrottlingRate",
        ("cpu_slowdown",),
        lambda settings: {"rate": settings.get("cpu_slowdown", 1)},
    ),
    _Command(
        "Emulation.setScriptExecutionDisabled",
        ("scripts",),
        lambda settings: {"value": settings.get("scripts") is False},
    ),
    _Command(
        "Emulation.setHardwareConcurrencyOverride",
        ("hardware_concurrency",),
        lambda settings: {
            "hardwareConcurrency": settings.get("hardware_concurrency", settings.get(_OWN_PROCESSORS))
        },
    ),
    _Command(
        "Network.emulateNetworkConditions",
        ("offline", "latency_ms", "download_kb_s", "upload_kb_s"),
        _conditions,
    ),
    _Command(
        "Network.setExtraHTTPHeaders",
        ("headers",),
        lambda settings: {"headers": dict(settings.get("headers", {}))},
    ),
    _Command(
        "Network.setBlockedURLs",
        ("blocked_urls",),
        lambda settings: {"urls": list(settings.get("blocked_urls", ()))},
    ),
    _Command(
        "Network.setCacheDisabled",
        ("cache",),
        lambda settings: {"cacheDisabled": settings.get("cache") is False},
    ),
)
#: JSON-RPC's code for parameters that are refused; other values are refused with words (measured).
_INVALID_PARAMS = -32602
_METRICS = ("viewport", "screen", "device_scale_factor", "mobile")


@contextlib.contextmanager
def _naming(names: Sequence[str], before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[None]:
    """Make what the browser refuses of a caller's values a ValueError that names the settings."""
    try:
        yield
    except CommandRefused as error:
        given = {name: after[name] for name in names if name in after and before.get(name) != after[name]}
        of_value = error.code == _INVALID_PARAMS or error.reason.startswith("Invalid ")
        if not given or not of_value:
            raise
        # Headers may hold what proves who somebody is.
        values = ", ".join(f"{one!r:.100}" for one in given.values() if not isinstance(one, dict)) or "it"
        raise ValueError(f"{', '.join(given)}: the browser refuses {values}: {error.reason}") from error


class Emulation:
    """`Page.emulation`: sets, lists and takes back what the page is made to believe."""

    def __init__(self, context: PageContext) -> None:
        self._context = context
        self._attachment = context.attachment
        self._settings: dict[str, Any] = {}
        #: As it was before: the size of the viewport, and what the browser says of itself.
        self._size: ViewportSize | None = None
        self._size_was_set = False
        self._own: dict[str, Any] = {}
        #: The Network domain is on for this: such settings end with it.
        self._networked = False
        self._attachment.renewals.append(self._renew)

    @property
    def active(self) -> EmulationSettings:
        """What is set now."""
        active: EmulationSettings = self._settings.copy()  # type: ignore[assignment]  # by `_check`
        return active

    async def set(
        self, *, timeout: float | Deadline = DEFAULT_TIMEOUT, **settings: Unpack[EmulationSettings]
    ) -> None:
        """Add to what is set: ``await page.emulation.set(time_zone="Asia/Tokyo", color_scheme="dark")``.

        What a page has read already it does not read again by itself: set first, then go there.

        Args:
            timeout: seconds.
            **settings: as `EmulationSettings` says.

        Raises:
            ValueError, TypeError: there is no such setting, or its value means nothing, or the browser
                refuses it: it knows no such time zone, for instance. All is as it was then.
        """
        given = {name: check_setting(name, value) for name, value in settings.items()}
        await self._change(given, Deadline.of(timeout))

    @property
    def devices(self) -> tuple[str, ...]:
        """The names that `device` knows."""
        return tuple(load_devices())

    async def device(self, name: str, *, timeout: float | Deadline = DEFAULT_TIMEOUT) -> EmulationSettings:
        """Seem to be a certain phone, tablet or desktop: ``await page.emulation.device("iPhone 15")``.

        It sets `viewport`, `screen`, `device_scale_factor`, `mobile`, `touch`, `user_agent` and
        `client_hints`, or takes those back that the device has none of; other settings stay. The page is
        shown by Chromium all the same.

        Args:
            name: one of `devices`, in upper or lower case, such as ``Pixel 8`` or ``iPhone 15 landscape``.
            timeout: seconds.

        Returns:
            What was set.

        Raises:
            ValueError: there is no such device; the message suggests similar ones.
        """
        device, deadline = find_device(name), Deadline.of(timeout)
        settings = read_device(device, await self._own_user_agent(deadline))
        await self.set(timeout=deadline, **settings)
        return settings

    async def reset(self, *names: str, timeout: float | Deadline = DEFAULT_TIMEOUT) -> None:
        """Take settings back; all of them when none is named.

        Args:
            names: of settings, such as ``offline``.
            timeout: seconds.

        Raises:
            ValueError: there is no such setting.
        """
        for name in names:
            check_setting_name(name)
        await self._change(dict.fromkeys(names or self._settings), Deadline.of(timeout))

    async def _change(self, given: dict[str, Any], deadline: Deadline) -> None:
        before = self._settings
        after = {name: value for name, value in (before | given).items() if value is not None}
        with self._attachment.not_behind_dialog("emulation", deadline):
            await self._learn(given, deadline)
            try:
                await self._apply(before, after, deadline)
            except (CommandRefused, ValueError):
                await self._apply(after, before, deadline)
                raise

    async def _learn(self, given: Mapping[str, Any], deadline: Deadline) -> None:
        """What is to be restored when a setting is taken back, before the first is made."""
        root = self._attachment.root.session
        if self._size is None and not given.keys().isdisjoint(_METRICS):
            metrics = await root.send("Page.getLayoutMetrics", deadline=deadline)
            size = metrics["cssLayoutViewport"]
            self._size = (size["clientWidth"], size["clientHeight"])
            # A screen of another size is the browser's own: the viewport has not been set.
            self._size_was_set = await self._read("[screen.width, screen.height]", deadline) == [*self._size]
        if not given.keys().isdisjoint({"locale", "client_hints"}):
            await self._own_user_agent(deadline)
        if _OWN_PROCESSORS not in self._own and "hardware_concurrency" in given:
            self._own[_OWN_PROCESSORS] = await self._read("navigator.hardwareConcurrency", deadline)

    async def _read(self, expression: str, deadline: Deadline) -> Any:
        params = {"expression": expression, "returnByValue": True}
        reply = await self._attachment.root.session.send("Runtime.evaluate", params, deadline=deadline)
        return reply["result"]["value"]

    async def _own_user_agent(self, deadline: Deadline) -> str:
        if _OWN_USER_AGENT not in self._own:
            version = await self._attachment.root.session.send("Browser.getVersion", deadline=deadline)
            self._own[_OWN_USER_AGENT] = version["userAgent"]
        own: str = self._own[_OWN_USER_AGENT]
        return own

    async def _apply(self, before: dict[str, Any], after: dict[str, Any], deadline: Deadline) -> None:
        self._settings = after
        if after:
            self._begin()
        for command in _COMMANDS:
            if any(before.get(name) != after.get(name) for name in command.names):
                if command.anew and not before.keys().isdisjoint(command.names):
                    await self._send(*command.make({}), deadline)
                with _naming(command.names, before, after):
                    await self._send(*command.make(self._own | after), deadline)
        if not after:
            self._end()
        if any(before.get(name) != after.get(name) for name in _METRICS):
            await self._resize(after, deadline)
        if before.get("http_credentials") != after.get("http_credentials"):
            await self._context.interception.set_credentials(after.get("http_credentials"), deadline)
        if before.get("geolocation") != after.get("geolocation"):
            session, params = self._permission(granted="geolocation" in after)
            await session.send("Browser.setPermission", params, deadline=deadline)

    def _begin(self) -> None:
        if self._prepare in self._attachment.preparations:
            return
        self._attachment.preparations.append(self._prepare)
        self._attachment.listen_for_frames()

    def _end(self) -> None:
        if self._prepare not in self._attachment.preparations:
            return
        self._attachment.preparations.remove(self._prepare)
        self._attachment.listen_for_frames()
        if self._networked:
            self._networked = False
            disable_network(self._attachment)

    async def _send(self, method: str, params: dict[str, Any], deadline: Deadline) -> None:
        if method.startswith("Network.") and not self._networked:
            self._networked = True
            enable_network(self._attachment)
        for one in self._attachment:
            try:
                await one.session.send(method, params, deadline=deadline)
            except (CommandRefused, SessionEnded):  # a frame need not support it, and may be gone
                if one is self._attachment.root:
                    raise

    def _prepare(self, one: AttachedSession) -> None:
        """Set everything in a new session, before its scripts run."""
        for command in _COMMANDS:
            if not self._settings.keys().isdisjoint(command.names):
                one.session.post(*command.make(self._own | self._settings), ignore_reply)

    def _renew(self) -> None:
        """The page was attached to anew: set what `_prepare` does not."""
        size = self._settings.get("viewport") or self._size or self._context.viewport
        if size is not None:
            params = size_params(self._settings, size)
            self._context.session.post("Emulation.setDeviceMetricsOverride", params, ignore_reply)
        if "geolocation" in self._settings:
            session, permission = self._permission(granted=True)
            session.post("Browser.setPermission", permission, ignore_reply)

    async def _resize(self, settings: Mapping[str, Any], deadline: Deadline) -> None:
        # `Page.session` has the viewport that pages of a launched browser are given.
        session, size = self._context.session, settings.get("viewport") or self._size
        assert size is not None, "`_learn` comes before"
        if settings.keys().isdisjoint(_METRICS):
            if self._size_was_set:
                await set_viewport(session, size, deadline)
            else:
                await session.send("Emulation.clearDeviceMetricsOverride", deadline=deadline)
            self._size = None
            await wait_for_size(self._attachment.root.session, size, deadline)
            return
        params = size_params(settings, size)
        await session.send("Emulation.setDeviceMetricsOverride", params, deadline=deadline)
        if not settings.get("mobile"):  # a phone's page may be laid out wider than the viewport is
            await wait_for_size(self._attachment.root.session, size, deadline)

    def _permission(self, *, granted: bool) -> tuple[Session, dict[str, Any]]:
        session, params = self._attachment.root.session, dict[str, Any]()
        if self._context.browser.only_target is None:
            session = self._context.browser.session
            params = in_context(self._context.browser.tabs.context_of(self._context.target_id))
        params |= {"permission": {"name": "geolocation"}, "setting": "granted" if granted else "prompt"}
        return session, params
