"""What clients of a server may set of a page's emulation, as JSON, and what is told of what is set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from hybridsnap.client.devices import find_device
from hybridsnap.client.emulation_settings import EmulationSettings
from hybridsnap.client.request_records import shown_headers

if TYPE_CHECKING:
    from hybridsnap.client.browser import Page
    from hybridsnap.deadline import Deadline


def setting_types() -> dict[str, Any]:
    """Each setting's type in JSON, in the order of `EmulationSettings`; without None, which resets."""
    return {name: _json_type(hint) for name, hint in get_type_hints(EmulationSettings).items()}


def _json_type(hint: Any) -> Any:
    if isinstance(hint, UnionType):  # with None
        (hint,) = (one for one in get_args(hint) if one is not type(None))
    origin = get_origin(hint)
    if origin is tuple:
        return list[get_args(hint)[0]]  # type: ignore[misc]
    if origin is Sequence:
        return list[get_args(hint)]  # type: ignore[misc]
    return dict[get_args(hint)] if origin is Mapping else hint  # type: ignore[misc]


async def emulate(
    page: Page,
    settings: Mapping[str, Any],
    deadline: Deadline,
    *,
    reset: Sequence[str] | bool = (),
    device: str | None = None,
) -> dict[str, Any]:
    """Take settings back, then make those of a device, then others.

    Args:
        page: whose.
        settings: to be made.
        deadline: for all of it.
        reset: names of those to be taken back; True for all.
        device: as `Emulation.device` knows it.

    Returns:
        What is set now, without passwords.

    Raises:
        ValueError, TypeError: as `Emulation.set` and `Emulation.device`.
    """
    changes: Any = dict.fromkeys(page.emulation.active if reset is True else reset or ())
    if device is None:
        changes |= settings
    else:
        find_device(device)  # where there is none, nothing is taken back
        await page.emulation.set(timeout=deadline, **changes)
        await page.emulation.device(device, timeout=deadline)
        changes = dict(settings)
    await page.emulation.set(timeout=deadline, **changes)
    return told_settings(page.emulation.active)


def told_settings(active: EmulationSettings) -> dict[str, Any]:
    """What is set, without what proves who somebody is."""
    told: dict[str, Any] = dict(active)
    if (known := active.get("http_credentials")) is not None:
        told["http_credentials"] = [known[0], f"[{len(known[1])} characters]"]
    if (headers := active.get("headers")) is not None:
        lower = {name.lower(): name for name in headers}
        shown = shown_headers({name.lower(): value for name, value in headers.items()}, secrets=False)
        told["headers"] = {lower[name]: value for name, value in shown}
    return told
