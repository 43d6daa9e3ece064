"""A client as OpenClaw's is, which compares each answer with its documented fields."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.server_stage import Served

ID = r"[0-9A-F]{32}"
MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
#: What answers of ours have beside: tabs are told with the fields of `GET /tabs` without --openclaw.
_OURS = {"browserId", "openerId", "own"}
TAB = {
    "targetId": ID,
    "title": str,
    "url": str,
    "type": "page",
    "suggestedTargetId": str,
    "tabId": r"t\d+",
}


def fits(value: Any, shape: Any, where: str = "answer") -> None:
    """Compare an answer with a shape: a type, a pattern, a list of one shape, or an object's fields.

    An object has exactly these fields; one whose name ends with ``?`` may be missing.
    """
    if isinstance(shape, dict):
        names = {name.rstrip("?") for name in shape}
        needed = {name for name in shape if not name.endswith("?")}
        assert needed <= value.keys() <= names | _OURS, f"{where}: {sorted(value)}, not {sorted(shape)}"
        for name, inner in shape.items():
            if name.rstrip("?") in value:
                fits(value[name.rstrip("?")], inner, f"{where}.{name}")
    elif isinstance(shape, list):
        assert isinstance(value, list), where
        assert bool(shape) or not value, f"{where}: {value!r}"
        for at, one in enumerate(value):
            fits(one, shape[0], f"{where}[{at}]")
    elif isinstance(shape, type):
        assert shape is object or type(value) is shape, f"{where}: {value!r}"
    elif isinstance(shape, str):
        assert re.fullmatch(shape, value), f"{where}: {value!r}"
    else:
        assert value == shape, f"{where}: {value!r}"


#: What most answers begin with.
DONE = {"ok": True, "targetId": ID, "url": str}
ERROR = {"error": str}
DIALOG = {
    "id": r"d\d+",
    "type": r"alert|confirm|prompt",
    "message": str,
    "defaultValue?": str,
    "openedAt": MOMENT,
    "closedAt?": MOMENT,
    "closedBy?": r"agent|armed|remote",
}
STATE = {"dialogs": {"pending": [DIALOG], "recent": [DIALOG]}}
REF = {"role": str, "name?": str, "nth?": int, "backendDOMNodeId": int, "elementId": r"\d+-\d+"}


class Client:
    """A client as OpenClaw's is: GET with a query, POST with a body."""

    def __init__(self, served: Served) -> None:
        self._http = served.client
        self.refs: dict[str, str] = {}

    async def ask(self, method: str, path: str, shape: Any, status: int = 200, /, **fields: Any) -> Any:
        """Send a request; its answer, which has this status and shape."""
        beside: dict[str, Any] = {"json": fields} if method == "POST" else {"params": fields}
        answer = await self._http.request(method, path, **beside)
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/json"
        fits(answer.json(), shape)
        return answer.json()

    async def act(self, kind: str, shape: Any = DONE, status: int = 200, /, **fields: Any) -> Any:
        return await self.ask("POST", "/act", shape, status, kind=kind, **fields)

    async def open(self, url: str) -> str:
        """Open a tab, which is the one that is meant from now on; its short name."""
        opened = await self.ask("POST", "/tabs/open", {**TAB, "resolvedProfile": str}, url=url)
        return str(opened["suggestedTargetId"])

    async def value(self, script: str) -> Any:
        return (await self.act("evaluate", {**DONE, "result": object}, fn=script))["result"]

    async def look(self) -> str:
        """Take a snapshot; refs are known by their names."""
        shape = {
            **DONE,
            "format": "ai",
            "snapshot": str,
            "refs": dict,
            "stats": dict,
            "browserState?": STATE,
            "newElements?": int,
        }
        seen = await self.ask("GET", "/snapshot", shape)
        self.refs = {one.get("name", ""): ref for ref, one in reversed(seen["refs"].items())}
        return str(seen["snapshot"])
