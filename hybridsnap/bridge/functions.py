"""Functions on the client's pages, for callers that hold proxies of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridsnap.bridge.bridge import Proxy
from hybridsnap.bridge.proxies import docs_for, original

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from hybridsnap.bridge.bridge import Bridge
    from hybridsnap.bridge.proxies import Style


def make_function(
    style: Style, module: str, function: Callable[..., Coroutine[Any, Any, Any]]
) -> Callable[..., Any]:
    """A coroutine function on objects of the client's, for callers that hold their proxies.

    Args:
        style: how the callers wait.
        module: that the function belongs to.
        function: with a page or a session among its arguments.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        bridge = _bridge_of(args, kwargs)
        given = {name: original(one) for name, one in kwargs.items()}
        return bridge.wrapped(bridge.call(function(*map(original, args), **given)).wait())

    async def call_and_await(*args: Any, **kwargs: Any) -> Any:
        bridge = _bridge_of(args, kwargs)
        given = {name: original(one) for name, one in kwargs.items()}
        return bridge.wrapped(await bridge.call(function(*map(original, args), **given)).wait_elsewhere())

    made: Any = call if style == "sync" else call_and_await
    made.__name__ = made.__qualname__ = function.__name__
    made.__module__ = module
    made.__doc__ = docs_for(style, function.__doc__)
    made.__wrapped__ = function
    return made  # type: ignore[no-any-return]  # one of the two functions above


def _bridge_of(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Bridge:
    for one in (*args, *kwargs.values()):
        if isinstance(one, Proxy):
            return one._bridge  # noqa: SLF001 - they belong together
    kinds = ", ".join(type(one).__name__ for one in args)
    raise TypeError(
        f"expected a page of hybridsnap.sync or hybridsnap.aio among the arguments, got ({kinds});"
        " a page of hybridsnap's own takes hybridsnap.webarena's functions, another driver's is reached by"
        " hybridsnap.attach"
    )
