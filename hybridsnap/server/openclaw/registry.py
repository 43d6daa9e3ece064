"""What answers a path of OpenClaw's browser server: each function says so where it is defined."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridsnap.server.openclaw.fields import positive, read_fields, text
from hybridsnap.server.openclaw.host import Call
from hybridsnap.service.problems import camel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from hybridsnap.server.openclaw.fields import Field
    from hybridsnap.server.openclaw.host import Host
    from hybridsnap.server.sessions import ClientSession

    Run: TypeAlias = Callable[[Call], Awaitable[dict[str, Any]]]

TARGET = text("targetId", "a tab: its id, the beginning of that, its number (t1) or its label")
PROFILE = text("profile", "a browserId; openclaw is the first browser")
TIMEOUT = positive("timeoutMs", "ms")


@dataclasses.dataclass(frozen=True, slots=True)
class OpenClawRoute:
    """One path and method.

    Attributes:
        method: of HTTP.
        path: as Starlette has it.
        name: of the operation.
        fields: of the body, or of the query of a GET; those of a path are given beside.
        run: answers it.
        answers: the fields of the answer beside ``ok``, ``targetId`` and ``url``.
    """

    method: str
    path: str
    name: str
    fields: tuple[Field, ...]
    run: Run
    answers: tuple[str, ...] = ()

    async def answer(
        self,
        host: Host,
        session: ClientSession,
        body: Any,
        query: Mapping[str, str],
        path: Mapping[str, str],
        began: float,
    ) -> dict[str, Any]:
        """Answer a request.

        Raises:
            ApiError, HybridsnapError, ValueError, TypeError: it cannot be done.
        """
        sent = body if isinstance(body, dict) else {}
        data = {**(query if self.method != "POST" else sent), **path}
        profile = query.get("profile") or sent.get("profile")
        pooled = host.browser(profile if isinstance(profile, str) and profile.strip() else None)
        given = read_fields(self.fields, data)
        return await self.run(Call(host, session, pooled, given, data, began))


#: In the order in which their functions are defined.
REGISTERED: list[OpenClawRoute] = []


def route(method: str, path: str, *fields: Field, answers: tuple[str, ...] = ()) -> Callable[[Run], Run]:
    """Have a function answer a path of Starlette's; the operation has the function's name.

    Fields and answers are those of `OpenClawRoute`.
    """

    def register(run: Run) -> Run:
        name = camel(f"_{run.__name__}").removeprefix("_")
        name = name[0].upper() + name[1:]
        REGISTERED.append(OpenClawRoute(method, path, name, fields, run, answers))
        return run

    return register
