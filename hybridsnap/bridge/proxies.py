"""The client's classes as callers of another kind see them: made from the client's own, member by member.

A proxy has every public method and property of what it stands for, and the attributes named in `PROXIED`. It
holds nothing of its own, so there is no second copy of anything to keep in step:

- what waits (``async def``) is run on the trio thread, and waited for in the caller's way;
- what does not wait, and properties, run there as well, at once: they see one moment of the page. That costs
  some 0.2 ms, more while the thread is at work. Attributes are read directly;
- context managers are entered and left there, iterators asked for the next item there;
- pages, sessions and the like are proxies in results, and their originals in arguments.

Functions that callers give (`Session.post` takes one) run on the trio thread, with the client's own objects.
They must be quick, and nothing that waits can be called in them. Those of routes (`Network.route`) are called
elsewhere: coroutine functions of asyncio's in the caller's loop, plain ones in threads of their own.

Editors and type checkers cannot see through this. For them there are ``sync.pyi`` and ``aio.pyi``, made from
the same table and the client's source; a test holds them against it.
"""

from __future__ import annotations

import functools
import inspect
import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from hybridsnap.bridge.bridge import Proxy
from hybridsnap.bridge.managers import AsyncManager, InstantManager, SyncManager
from hybridsnap.bridge.thread import on_loop
from hybridsnap.client.browser import Browser, BrowserContext, Page, Popup
from hybridsnap.client.choosers import FileChooser
from hybridsnap.client.connection import Session
from hybridsnap.client.console import Console
from hybridsnap.client.console_record import ConsoleSubscription
from hybridsnap.client.dialog_tracker import ArmedAnswer
from hybridsnap.client.emulation import Emulation
from hybridsnap.client.interception import Route
from hybridsnap.client.launch import connect, launch
from hybridsnap.client.page_network import Network
from hybridsnap.client.profile_storage import ProfileStorage
from hybridsnap.client.request_log import RequestSubscription
from hybridsnap.client.storage import Storage
from hybridsnap.client.subscriptions import EventSubscription
from hybridsnap.client.tracing import Tracing
from hybridsnap.deadline import Deadline
from hybridsnap.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Mapping
    from contextlib import AbstractAsyncContextManager

    from hybridsnap.bridge.bridge import Bridge

#: How callers wait: by blocking their thread, or with ``await`` in asyncio's loop.
Style: TypeAlias = Literal["sync", "aio"]
Kind: TypeAlias = Literal["property", "waits", "async block", "block", "call"]


class Proxied(NamedTuple):
    """A class of the client's that callers get a proxy of, and which of its attributes they can read."""

    of: type
    attributes: tuple[str, ...] = ()


#: What is not named here is handed out as it is: it is data, or knows nothing of the connection.
PROXIED = (
    Proxied(Browser, ("endpoint", "metrics", "process", "only_target")),
    Proxied(BrowserContext, ("browser", "id", "storage")),
    Proxied(Page, ("browser", "target_id", "console", "network", "storage", "emulation", "trace")),
    Proxied(Session, ("id", "target_id", "ended")),
    Proxied(EventSubscription, ("methods", "dropped", "closed")),
    Proxied(FileChooser, ("opened", "multiple", "frame", "answered", "backend_node_id")),
    Proxied(Console),
    Proxied(ConsoleSubscription, ("dropped", "closed")),
    Proxied(Network),
    Proxied(RequestSubscription, ("dropped", "closed")),
    Proxied(Route, ("url", "action", "times", "handler_timeout", "count", "failures")),
    Proxied(Emulation),
    Proxied(Tracing),
    Proxied(Storage),
    Proxied(ProfileStorage),
    Proxied(Popup),
    Proxied(ArmedAnswer, ("accept", "text", "left", "only", "given")),
)
#: What opens a browser.
OPENERS: tuple[Callable[..., AbstractAsyncContextManager[Browser]], ...] = (launch, connect)
#: Special methods that proxies have where their originals do, and what they are called in code that blocks.
_SPECIAL = {
    "__enter__": "__enter__",
    "__exit__": "__exit__",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
}


def members(of: type) -> Iterator[tuple[str, Any, Kind]]:
    """The members of a class that its proxy has too: name, what it is, and of which kind."""
    for name, member in inspect.getmembers_static(of):
        if not name.startswith("_") or name in _SPECIAL:
            yield name, member, kind_of(member)


def kind_of(member: Any) -> Kind:
    """How a member of a class is to be called."""
    if isinstance(member, property):
        return "property"
    if inspect.iscoroutinefunction(member):
        return "waits"
    made_of = inspect.unwrap(member)
    if inspect.isasyncgenfunction(made_of):
        return "async block"
    return "block" if inspect.isgeneratorfunction(made_of) else "call"


def docs_for(style: Style, docs: str | None) -> str | None:
    """A docstring of the client's, in the words of the caller's way."""
    if docs is None or style == "aio":
        return docs
    return re.sub(r"\bawait |\basync (?=with\b|for\b|def\b)", "", docs)


def class_docs(style: Style, of: type, attributes: tuple[str, ...]) -> str | None:
    """A class's docstring, of its attributes only those that proxies have."""
    docs = docs_for(style, of.__doc__)
    head, section, listed = (docs or "").partition("\n    Attributes:\n")
    if not section:
        return docs
    entries = re.findall(r" {8}\w.*\n(?: {12}.*\n)*", listed)
    kept = [
        entry for entry in entries if {*re.split(r",\s*", entry.partition(":")[0].strip())} & {*attributes}
    ]
    rest = listed.removeprefix("".join(entries))
    docs = (head + (section + "".join(kept) if kept else "") + rest).rstrip()
    return docs + "\n    " if "\n" in docs else docs


def name_for(style: Style, name: str) -> str:
    """What a member is called."""
    return _SPECIAL.get(name, name) if style == "sync" else name


def make_proxies(style: Style, module: str) -> dict[type, type[Proxy]]:
    """A proxy class, of this module, for each class of `PROXIED`, by how callers wait."""
    classes: dict[type, type[Proxy]] = {}
    for of, attributes in PROXIED:
        namespace: dict[str, Any] = {
            "__slots__": (),
            "__doc__": class_docs(style, of, attributes),
            "__module__": module,
        }
        namespace |= {name: _attribute(name) for name in attributes}
        for name, member, kind in members(of):
            namespace[name_for(style, name)] = _member(style, member, kind)
        if "__getattr__" in vars(of):  # what it says of other names holds of the proxy
            namespace["__getattr__"] = vars(of)["__getattr__"]
        classes[of] = type(of.__name__, (Proxy,), namespace)
    return classes


def make_openers(
    style: Style, module: str, classes: Mapping[type, type[Proxy]]
) -> Iterator[Callable[..., Any]]:
    """`OPENERS` for callers, with the classes that `make_proxies` made for them."""
    manager = SyncManager if style == "sync" else AsyncManager
    for opener in OPENERS:

        @_named_as(opener, style)
        def opened(*args: Any, _opener: Callable[..., Any] = opener, **kwargs: Any) -> Any:
            return manager(_opener(*args, **kwargs), None, classes)

        opened.__module__ = module
        yield opened


def _member(style: Style, member: Any, kind: Kind) -> Any:
    if kind == "property":
        return property(_called(style, member.fget))
    if kind == "waits":
        return waiting(style, member)
    if kind == "async block":
        return _managed(style, member)
    return _entered(style, member) if kind == "block" else _called(style, member)


def _attribute(name: str) -> property:
    def read(self: Proxy) -> Any:
        return self._bridge.wrapped(getattr(self._original, name))

    return property(read)


def _called(style: Style, member: Callable[..., Any]) -> Callable[..., Any]:
    """What does not wait."""

    @_named_as(member, style)
    def call(self: Proxy, *args: Any, **kwargs: Any) -> Any:
        bridge = self._bridge
        value = bridge.now(member, self._original, *_originals(args), **_named(kwargs))
        for given in (*args, *kwargs.values()):
            if isinstance(given, Snapshot):  # `Page.recall` has looked at it
                bridge.watch_renderings(given)
        return bridge.wrapped(value)

    return call


def _deadline_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Deadline | None:
    """The deadline that a caller gave, by whatever name; None where it gave seconds."""
    return next((one for one in (*args, *kwargs.values()) if isinstance(one, Deadline)), None)


def waiting(style: Style, function: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
    """What waits, a method of the client's or a function on its objects, for callers that hold proxies."""

    @_named_as(function, style)
    def call(*args: Any, **kwargs: Any) -> Any:
        bridge = _bridge_of(args, kwargs)
        work = function(*_originals(args), **_named(kwargs))
        try:
            value = bridge.call(work, deadline=_deadline_of(args, kwargs)).wait()
        except StopAsyncIteration:
            raise StopIteration from None
        return bridge.wrapped(value)

    @_named_as(function, style)
    async def call_and_await(*args: Any, **kwargs: Any) -> Any:
        bridge = _bridge_of(args, kwargs)
        args = tuple(_awaited_here(one) for one in args)
        kwargs = {name: _awaited_here(one) for name, one in kwargs.items()}
        work = function(*_originals(args), **_named(kwargs))
        return bridge.wrapped(await bridge.call(work, deadline=_deadline_of(args, kwargs)).wait_elsewhere())

    return call if style == "sync" else call_and_await


def _bridge_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bridge:
    for one in (*args, *kwargs.values()):
        if isinstance(one, Proxy):
            return one._bridge  # noqa: SLF001 - they belong together
    kinds = ", ".join(type(one).__name__ for one in args)
    raise TypeError(
        f"expected a page of hybridsnap.sync or hybridsnap.aio among the arguments, got ({kinds});"
        " a page of hybridsnap's own takes hybridsnap.webarena's functions, another driver's is reached by"
        " hybridsnap.attach"
    )


def _managed(style: Style, member: Callable[..., Any]) -> Callable[..., Any]:
    """A context manager that waits."""
    manager = SyncManager if style == "sync" else AsyncManager

    @_named_as(member, style)
    def call(self: Proxy, *args: Any, **kwargs: Any) -> Any:
        bridge = self._bridge
        return manager(member(self._original, *_originals(args), **_named(kwargs)), bridge, {})

    return call


def _entered(style: Style, member: Callable[..., Any]) -> Callable[..., Any]:
    """A context manager that does not wait."""

    @_named_as(member, style)
    def call(self: Proxy, *args: Any, **kwargs: Any) -> Any:
        return InstantManager(self._bridge, member(self._original, *_originals(args), **_named(kwargs)))

    return call


def _named_as(member: Callable[..., Any], style: Style) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a function the name, the signature and the words of a member."""

    def name(function: Callable[..., Any]) -> Callable[..., Any]:
        function = functools.wraps(member)(function)
        function.__doc__ = docs_for(style, member.__doc__)
        return function

    return name


def _awaited_here(value: Any) -> Any:
    """A coroutine function of the caller's runs in the caller's loop; any other value is itself."""
    return on_loop(value) if inspect.iscoroutinefunction(value) else value


def _originals(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(original(one) for one in args)


def _named(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {name: original(one) for name, one in kwargs.items()}


def original(value: Any) -> Any:
    """What a proxy stands for; any other value is itself."""
    return value._original if isinstance(value, Proxy) else value  # noqa: SLF001 - they belong together
