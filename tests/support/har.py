"""HAR 1.2 as a JSON schema, written after its specification: http://www.softwareishard.com/blog/har-12-spec/.

Names that begin with an underscore are the writer's own; all others have to be of the specification.
"""

from __future__ import annotations

from typing import Any

import jsonschema

_TEXT = {"type": "string"}
_NUMBER = {"type": "number"}
_WHOLE = {"type": "integer"}
#: A size in bytes or a time in ms; -1 for one that is not known.
_SIZE = {"type": "integer", "minimum": -1}
_TIME = {"type": "number", "minimum": -1}
_MOMENT = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$"}


def _object(needed: dict[str, Any], **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(needed),
        "properties": {**needed, **optional, "comment": _TEXT},
        "patternProperties": {"^_": {}},
        "additionalProperties": False,
    }


def _list(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


_PAIR = _object({"name": _TEXT, "value": _TEXT})
_TOOL = _object({"name": _TEXT, "version": _TEXT})
_COOKIE = _object(
    {"name": _TEXT, "value": _TEXT},
    path=_TEXT,
    domain=_TEXT,
    expires=_MOMENT,
    httpOnly={"type": "boolean"},
    secure={"type": "boolean"},
)
_PARAM = _object({"name": _TEXT}, value=_TEXT, fileName=_TEXT, contentType=_TEXT)
_MESSAGE = {
    "httpVersion": _TEXT,
    "cookies": _list(_COOKIE),
    "headers": _list(_PAIR),
    "headersSize": _SIZE,
    "bodySize": _SIZE,
}
_REQUEST = _object(
    {"method": _TEXT, "url": {"type": "string", "minLength": 1}, "queryString": _list(_PAIR), **_MESSAGE},
    postData=_object({"mimeType": _TEXT}, params=_list(_PARAM), text=_TEXT),
)
_CONTENT = _object({"size": _WHOLE, "mimeType": _TEXT}, compression=_WHOLE, text=_TEXT, encoding=_TEXT)
_RESPONSE = _object(
    {"status": _WHOLE, "statusText": _TEXT, "content": _CONTENT, "redirectURL": _TEXT, **_MESSAGE}
)
_CACHED = _object(
    {"lastAccess": _TEXT, "eTag": _TEXT, "hitCount": _WHOLE},
    expires=_TEXT,
)
_TIMINGS = _object(
    {"send": _TIME, "wait": _TIME, "receive": _TIME}, blocked=_TIME, dns=_TIME, connect=_TIME, ssl=_TIME
)
_ENTRY = _object(
    {
        "startedDateTime": _MOMENT,
        "time": {"type": "number", "minimum": 0},
        "request": _REQUEST,
        "response": _RESPONSE,
        "cache": _object({}, beforeRequest=_CACHED, afterRequest=_CACHED),
        "timings": _TIMINGS,
    },
    pageref=_TEXT,
    serverIPAddress=_TEXT,
    connection=_TEXT,
)
_PAGE = _object(
    {
        "startedDateTime": _MOMENT,
        "id": _TEXT,
        "title": _TEXT,
        "pageTimings": _object({}, onContentLoad=_NUMBER, onLoad=_NUMBER),
    }
)
_HAR = _object(
    {
        "log": _object(
            {"version": {"const": "1.2"}, "creator": _TOOL, "entries": _list(_ENTRY)},
            browser=_TOOL,
            pages=_list(_PAGE),
        )
    }
)


def check_har(har: dict[str, Any]) -> None:
    """Hold a log against the specification.

    Raises:
        jsonschema.ValidationError: it is none.
    """
    jsonschema.validate(har, _HAR)
    log = har["log"]
    pages = {page["id"] for page in log["pages"]}
    assert len(pages) == len(log["pages"])
    for entry in log["entries"]:
        assert entry["pageref"] in pages
        # "time: equal to the sum of all timings", with ssl within connect, and -1 left out.
        parts = [value for name, value in entry["timings"].items() if name != "ssl" and value >= 0]
        assert abs(entry["time"] - sum(parts)) < 1
