"""MetaGPT's functions for callers that block and for asyncio, on pages of any driver."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from hybridsnap.bridge.bridge import Proxy
from hybridsnap.bridge.proxies import waiting
from hybridsnap.drivers.operations import run_blocking
from hybridsnap.webarena import a11y_tree
from hybridsnap.webarena.driver_tab import driver_tab

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridsnap.bridge.proxies import Style


def function_for(style: Style, module: str, name: str) -> Callable[..., Any]:
    """A function of `a11y_tree` for callers of one style.

    A page of `hybridsnap.sync` or `hybridsnap.aio` is led to our client; any other is a driver's.
    """
    documented = getattr(a11y_tree, name)
    on_client = waiting(style, documented)
    signature = inspect.signature(documented)

    async def on_driver(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        bound = signature.bind(*args, **kwargs)
        if "page" in bound.arguments:
            bound.arguments["page"] = driver_tab(bound.arguments["page"], style)
        return await documented(*bound.args, **bound.kwargs)

    def call(*args: Any, **kwargs: Any) -> Any:
        if _has_proxy(args, kwargs):
            return on_client(*args, **kwargs)
        return run_blocking(on_driver(args, kwargs))

    async def call_and_await(*args: Any, **kwargs: Any) -> Any:
        return await (on_client(*args, **kwargs) if _has_proxy(args, kwargs) else on_driver(args, kwargs))

    made: Any = call if style == "sync" else call_and_await
    functools.update_wrapper(made, on_client)
    made.__module__, made.__wrapped__ = module, documented
    return made  # type: ignore[no-any-return]  # one of the two functions above


def _has_proxy(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return any(isinstance(one, Proxy) for one in (*args, *kwargs.values()))
