"""The shapes of cookies and of a storage state, as callers and files have them: Playwright's names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict
from urllib.parse import SplitResult, urlsplit

import msgspec
import trio

from hybridsnap.json_data import words_of_mismatch
from hybridsnap.text import excerpt

_SAME_SITE = ("Strict", "Lax", "None")
#: So many characters are shown of the name of a cookie that is refused.
_SHOWN = 40
#: Beside name and value: the kind in words, and its types.
_FIELD_TYPES: dict[str, tuple[str, tuple[type, ...]]] = {
    **dict.fromkeys(("url", "domain", "path", "partitionKey"), ("a string", (str,))),
    **dict.fromkeys(("httpOnly", "secure", "_crHasCrossSiteAncestor"), ("True or False", (bool,))),
    "expires": ("a number of seconds since 1970", (int, float)),
}
#: Beginnings of names, in lower case; Chromium 156 refuses cookies that break their promises, and does not
#: say which cookie it was (measured).
_HOST, _SECURE = "__host-", "__secure-"
#: Chromium 156 refuses these ("Invalid cookie fields"), and not in which cookie (measured).
_NOT_IN_COOKIES = re.compile(r"[\x00-\x1f\x7f;\ud800-\udfff]|^ | $")


class Cookie(TypedDict):
    """A cookie, with Playwright's names.

    To set one, `name`, `value` and either `url` or `domain` are needed; `path` is ``/`` and `expires` is -1
    (until the browser ends) unless given, in seconds since 1970. `partitionKey` is the site at the top of the
    page, of a partitioned cookie only; whether a frame of another site lies between is in Playwright's mark.
    """

    name: str
    value: str
    url: NotRequired[str]
    domain: NotRequired[str]
    path: NotRequired[str]
    expires: NotRequired[float]
    httpOnly: NotRequired[bool]
    secure: NotRequired[bool]
    sameSite: NotRequired[Literal["Strict", "Lax", "None"]]
    partitionKey: NotRequired[str]
    _crHasCrossSiteAncestor: NotRequired[bool]


class StoredItem(TypedDict):
    """One item of local storage."""

    name: str
    value: str


class OriginState(TypedDict):
    """The local storage of one origin."""

    origin: str
    localStorage: list[StoredItem]


class StorageState(TypedDict):
    """What a login leaves behind, in Playwright's format."""

    cookies: list[Cookie]
    origins: list[OriginState]


def read_cookie(one: Mapping[str, Any]) -> Cookie:
    """A cookie as the protocol has it (`Network.Cookie`), in our shape."""
    cookie: Cookie = {
        "name": one["name"],
        "value": one["value"],
        "domain": one["domain"],
        "path": one["path"],
        "expires": one["expires"],
        "httpOnly": one["httpOnly"],
        "secure": one["secure"],
        "sameSite": one.get("sameSite", "Lax"),
    }
    partition = one.get("partitionKey")
    if partition is not None:
        cookie["partitionKey"] = partition["topLevelSite"]
        cookie["_crHasCrossSiteAncestor"] = partition["hasCrossSiteAncestor"]
    return cookie


def write_cookie(cookie: Mapping[str, Any], at: int) -> dict[str, Any]:
    """A cookie as the protocol takes it.

    Raises:
        ValueError, TypeError: it lacks something, or has what no cookie has.
    """
    if not isinstance(cookie, Mapping):
        raise TypeError(f"cookies[{at}]: expected a dict with name, value and url or domain, got {cookie!r}")
    known = Cookie.__annotations__
    if cookie.keys() - known.keys():
        names = ", ".join(sorted(cookie.keys() - known.keys()))
        raise ValueError(f"cookies[{at}]: unknown: {names}; a cookie has {', '.join(known)}")
    for name in ("name", "value"):
        if not isinstance(cookie.get(name), str):
            raise TypeError(f"cookies[{at}]: expected a string as {name}, got {cookie.get(name)!r}")
    where = f"cookies[{at}] ({excerpt(cookie['name'], _SHOWN)})"
    _check_fields(cookie, where)
    if not cookie.get("url") and not cookie.get("domain"):
        raise ValueError(f"{where}: give url or domain, so that it belongs somewhere")
    same_site = cookie.get("sameSite")
    if same_site is not None and same_site not in _SAME_SITE:
        raise ValueError(f"cookies[{at}]: expected {', '.join(_SAME_SITE)} as sameSite, got {same_site!r}")
    plain = ("name", "value", "url", "domain", "path", "httpOnly", "secure", "sameSite")
    written = {name: cookie[name] for name in plain if cookie.get(name) is not None}
    _write_place(cookie, written)
    expires = cookie.get("expires", -1)
    if expires is not None and expires != -1:
        written["expires"] = expires
    if cookie.get("partitionKey"):
        crosses = cookie.get("_crHasCrossSiteAncestor", False)
        written["partitionKey"] = {"topLevelSite": cookie["partitionKey"], "hasCrossSiteAncestor": crosses}
    return written


def _write_place(cookie: Mapping[str, Any], written: dict[str, Any]) -> None:
    if "domain" in written:
        written.setdefault("path", "/")
        if _prefix(cookie) == _HOST and not cookie.get("url"):  # a host has it, and no domain
            written["url"] = f"https://{written.pop('domain')}/"


def _check_fields(cookie: Mapping[str, Any], where: str) -> None:
    """Refuse what Chromium would refuse without saying which cookie it is."""
    for name, (words, types) in _FIELD_TYPES.items():
        value = cookie.get(name)
        if value is not None and (
            not isinstance(value, types) or (bool not in types and isinstance(value, bool))
        ):
            raise TypeError(f"{where}: expected {words} as {name}, got {value!r}")
    if "=" in cookie["name"]:
        raise ValueError(f"{where}: a cookie's name has no =")
    for name in ("name", "value"):
        if _NOT_IN_COOKIES.search(cookie[name]):
            raise ValueError(
                f"{where}: the {name} has a semicolon, a control character, half a surrogate pair, or a"
                " space at its beginning or end; no cookie can hold that: encode it, with %3B for instance"
            )
    if (cookie.get("path") or "/")[0] != "/":
        raise ValueError(f"{where}: expected a path that begins with /, got {cookie['path']!r}")
    if cookie.get("url") and not urlsplit(cookie["url"]).hostname:
        raise ValueError(f"{where}: expected a URL such as https://example.com/path, got {cookie['url']!r}")

    _check_prefix(cookie, where)


def _prefix(cookie: Mapping[str, Any]) -> str:
    """The beginning of a name that promises something (RFC 6265bis, section 4.1.3); its case is ignored."""
    return next((one for one in (_HOST, _SECURE) if cookie["name"].lower().startswith(one)), "")


def _check_prefix(cookie: Mapping[str, Any], where: str) -> None:
    prefix = _prefix(cookie)
    if not prefix:
        return
    own = cookie["name"][: len(prefix)]
    if not cookie.get("secure") or (cookie.get("url") and not cookie["url"].lower().startswith("https:")):
        raise ValueError(
            f"{where}: a cookie whose name begins with {own} is secure: give secure, and an https URL or a"
            " domain"
        )
    if prefix == _HOST and ((cookie.get("path") or "/") != "/" or str(cookie.get("domain") or "")[:1] == "."):
        raise ValueError(
            f"{where}: a cookie whose name begins with {own} is of one host and of all its paths: path is /,"
            " and domain has no dot at its beginning (or give url in its place)"
        )
    if prefix == _HOST and cookie.get("domain") and cookie.get("url"):
        raise ValueError(f"{where}: a cookie whose name begins with {own} has no domain beside url")


def is_sent(cookie: Cookie, url: SplitResult) -> bool:
    """Whether a request to a URL carries a cookie."""
    host, domain = url.hostname or "", cookie["domain"]
    fits = host == domain or (domain.startswith(".") and f".{host}".endswith(domain))
    path, below = url.path or "/", cookie["path"].rstrip("/") + "/"
    secure = url.scheme in {"https", "wss"} or host in {"localhost", "127.0.0.1", "::1"}
    return fits and (path == cookie["path"] or path.startswith(below)) and (secure or not cookie["secure"])


def check_url(url: str) -> str:
    """The URL, if it has a host; a ValueError otherwise."""
    if not urlsplit(url).hostname:
        raise ValueError(f"expected a URL such as https://example.com/path, got {url!r}")
    return url


def check_origin(origin: str) -> str:
    """An origin without a slash at its end; a ValueError for what is more or less than one."""
    parts = urlsplit(origin)
    if not parts.scheme or not parts.netloc or parts.path not in {"", "/"} or parts.query:
        raise ValueError(f"expected an origin such as https://example.com, got {origin!r}")
    return f"{parts.scheme}://{parts.netloc}"


class _State(msgspec.Struct):
    cookies: list[dict[str, Any]] = []
    origins: list[OriginState] = []


async def load_state(state: StorageState | str | Path) -> StorageState:
    """A state, checked; read from its file where it is given by path.

    Raises:
        ValueError: it is no such state.
        OSError: the file cannot be read.
    """
    where = "storage state"
    data: Any = state
    if isinstance(state, (str, Path)):
        where = str(state)
        data = await trio.to_thread.run_sync(Path(state).read_bytes)
    try:
        given = msgspec.json.decode(data) if isinstance(data, bytes) else data
        checked = msgspec.convert(given, _State)
    except msgspec.MsgspecError as error:
        words = words_of_mismatch(error) if isinstance(error, msgspec.ValidationError) else error
        raise ValueError(f"{where}: no storage state ({words}); Page.storage_state() makes one") from error
    if not given.keys() & {"cookies", "origins"}:
        raise ValueError(
            f"{where}: no storage state (it has neither cookies nor origins); Page.storage_state() makes one"
        )
    try:
        for at, cookie in enumerate(checked.cookies):
            write_cookie(cookie, at)
        for one in checked.origins:
            check_origin(one["origin"])
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: no storage state ({error}); Page.storage_state() makes one") from error
    plain: StorageState = msgspec.to_builtins(checked)
    return plain


def state_bytes(state: StorageState) -> bytes:
    """A state as a file holds it."""
    return json.dumps(state, indent=2, ensure_ascii=False).encode()


def write_state(path: Path, state: StorageState) -> None:
    """Write a state as JSON. A new file is readable by its owner only: a login is in it."""
    path.touch(mode=0o600, exist_ok=True)
    path.write_bytes(state_bytes(state))
