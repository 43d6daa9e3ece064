"""Where browsers may go: the rules, and how an address is held against them.

What is refused is refused by what it is, not by how it is written: a URL is read as browsers read it
(https://url.spec.whatwg.org: leading blanks and inner tabs and line ends are dropped, full-width digits are
digits), and where that is not clear it is refused. A host counts as public when every address that it
resolves to is.

This is a check before a navigation. What a browser connects to afterwards (redirects, frames, scripts, a name
that resolves otherwise a moment later) is decided where it connects: `hybridsnap.server.egress`.
"""

from __future__ import annotations

import contextlib
import fnmatch
import ipaddress
import re
import socket
import time
import unicodedata
from typing import TYPE_CHECKING, TypeAlias

import trio

from hybridsnap.client.outside import missing_scheme
from hybridsnap.deadline import Deadline
from hybridsnap.errors import NavigationFailed
from hybridsnap.server.problems import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from hybridsnap.server.settings import Settings

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
#: Host → every address it has.
Resolve: TypeAlias = "Callable[[str], Awaitable[Sequence[Address]]]"

#: Dropped by browsers, wherever they stand.
_DROPPED = str.maketrans("", "", "\t\n\r")
_BLANKS = "".join(map(chr, range(0x21)))
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_AUTHORITY = re.compile(r"//([^/?#\\]+)(?:[/?#].*)?", re.DOTALL)
_ORIGIN = re.compile(r"(?:blob:)?[A-Za-z]+://[^/?#\\]+")
_HOST = re.compile(r"[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]")
_WEB = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_BLANK = "about:blank"
_TIMEOUT = "timeout"
#: Documents that are nobody's, and are shown where another one failed or was not yet.
_OWN = ("chrome-error:", "about:")
_NAT64 = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))
#: Not the public internet, though Python 3.11 calls them global: site-local addresses, a network's own
#: translation prefix (RFC 8215; where the IPv4 address stands in it, only that network knows), documentation,
#: relays of 6to4, and protocols' own.
_NOT_PUBLIC = tuple(
    map(ipaddress.ip_network, ("fec0::/10", "64:ff9b:1::/48", "3fff::/20", "192.88.99.0/24", "192.0.0.0/24"))
)
#: What browsers take ``localhost`` and all names below it for, whatever a name server says (RFC 6761).
_LOOPBACK: tuple[Address, ...] = (ipaddress.IPv4Address("127.0.0.1"), ipaddress.IPv6Address("::1"))
#: A part of an IPv4 address, as browsers read it, and how many there are at most.
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_PARTS = 4
#: Bits before an IPv4 address that is written as an IPv6 one.
_MAPPED = 96
#: What addresses may fit: a rule of this form can only be judged when a name has been looked up.
_OF_ADDRESSES = re.compile(r"[0-9a-f:.*?!/\[\]-]+")
#: How long what a host resolved to is believed, seconds.
_BELIEVED = 30.0
_REMEMBERED = 500
#: So long an event waits for a host to be looked up.
_TELLING_SECONDS = 1.0


class AddressRules:
    """What a server's settings say about addresses.

    Args:
        settings: of the server.
        resolve: how hosts are looked up; as the system does by default.
    """

    def __init__(self, settings: Settings, resolve: Resolve | None = None) -> None:
        self._settings = settings
        self._resolve = resolve or look_up
        self._allow = tuple(map(_compared, settings.allow_hosts))
        self._deny = tuple(map(_compared, settings.deny_hosts))
        self.exempt: set[tuple[str, int]] = set(settings.exempt)
        self._known: dict[str, tuple[float, tuple[Address, ...]]] = {}
        #: Origins → when they were judged, and whether their words may be told.
        self._told: dict[tuple[str, ...], tuple[float, bool]] = {}

    async def check_url(self, url: str, deadline: Deadline) -> str:
        """The address as a browser reads it, when it may be gone to.

        Raises:
            Refused: it may not.
            NavigationFailed: its host does not exist.
        """
        url = url.translate(_DROPPED).strip(_BLANKS)
        if url.lower() == _BLANK:
            return _BLANK
        parsed = _SCHEME.fullmatch(url)
        if parsed is None:
            raise Refused(400, "BadRequest", f"{url[:100]!r} is no URL", "begin with a scheme: https://…")
        scheme = parsed[1].lower()
        if meant := missing_scheme(url):
            raise Refused(400, "BadRequest", f"{url[:100]!r} has no scheme", f"write {meant[:120]}")
        if scheme not in self._settings.schemes or scheme == "javascript":
            remedy = (
                "scripts run by POST /control/evaluate, where that is allowed"
                if scheme == "javascript"
                else f"the server allows it with --allow-scheme {scheme}"
            )
            raise Refused(403, "SchemeRefused", f"{scheme}: addresses are refused here", remedy)
        if scheme in _WEB:
            host, port = _host_of(scheme, parsed[2])
            with trio.move_on_after(deadline.remaining):
                await self.check_host(host, port)
                return url
            raise NavigationFailed(f"{host} was not resolved in time", url=url, reason=_TIMEOUT)
        return url

    async def check_host(self, host: str, port: int) -> None:
        """See whether a host may be connected to.

        Raises:
            Refused, NavigationFailed: as `check_url`.
        """
        if self._settings.filters:
            self.judge_name(host, port)
            try:
                addresses = await self._found(host)
            except NavigationFailed:
                if self._is_allowed(_bare(host), port):
                    raise
                raise _not_allowed(_bare(host)) from None
            self.judge(host, port, addresses)

    def judge_name(self, host: str, port: int) -> None:
        """See whether a host may be connected to as far as its name tells, before it is looked up.

        Raises:
            Refused: it may not, whatever its addresses are.
        """
        host = _bare(host)
        if _fits(host, self._deny):
            raise _denied(host)
        can_be_address = read_address(host) is not None or any(map(_OF_ADDRESSES.fullmatch, self._allow))
        if not self._is_allowed(host, port) and not can_be_address:
            raise _not_allowed(host)

    def _is_allowed(self, host: str, port: int) -> bool:
        """Whether a host is on the list, if there is one, by its name."""
        return not self._allow or (host, port) in self.exempt or _fits(host, self._allow)

    def judge(self, host: str, port: int, addresses: Sequence[Address]) -> None:
        """See whether a host that has these addresses may be connected to.

        Raises:
            Refused: it may not.
        """
        host = _bare(host)
        # As they are, for rules on IPv6, and as what they lead to.
        numbers = [(str(one), str(unwrap(one))) for one in addresses]
        if _fits(host, self._deny) or any(_fits(name, self._deny) for pair in numbers for name in pair):
            raise _denied(host)
        if (host, port) in self.exempt:
            return
        meant = bool(numbers) and all(any(_fits(name, self._allow) for name in pair) for pair in numbers)
        if self._allow and not meant and not _fits(host, self._allow):
            raise _not_allowed(host)
        if self._settings.allow_private:
            return
        if not addresses:
            raise _refused(host, "is not found from here, and may be a private address", "--allow-private")
        if not all(map(is_public, addresses)):
            raise _refused(host, "is not a public address", "--allow-private")

    async def check_shown(self, urls: Sequence[str], deadline: Deadline) -> None:
        """See whether what a page shows, main document first, may be handed out; "" always may.

        Raises:
            Refused: it may not.
            NavigationFailed: it was not found out in time.
        """
        for at, url in enumerate(urls):
            scheme = url.partition(":")[0].lower()
            if not url or url.startswith(_OWN) or (at and scheme not in _WEB):
                continue
            try:
                await self.check_url(url.removeprefix("blob:"), deadline)
            except NavigationFailed as error:
                if error.reason == _TIMEOUT:
                    raise
                # It is shown, so it was reached: the browser finds names that are not found from here.
                scheme, _, rest = url.removeprefix("blob:").partition(":")
                self.judge(*_host_of(scheme.lower(), rest), ())

    async def may_tell(self, urls: Sequence[str]) -> bool:
        """Whether words of documents at these addresses, main first, may be told; "" holds nothing up.

        Not when that is not found out soon: what is told waits for it.
        """
        now = time.monotonic()
        origins = tuple(dict.fromkeys(_origin(url) for url in urls))
        known = self._told.pop(origins, None)
        if known is None or now - known[0] > _BELIEVED:
            try:
                await self.check_shown(origins, Deadline.after(_TELLING_SECONDS))
                known = (now, True)
            except (Refused, NavigationFailed):
                known = (now, False)
        self._told[origins] = known
        for old in list(self._told)[:-_REMEMBERED]:
            del self._told[old]
        return known[1]

    async def _found(self, host: str) -> Sequence[Address]:
        now = time.monotonic()
        known = self._known.get(host)
        if known is None or now - known[0] > _BELIEVED:
            known = self._known[host] = (now, tuple(await self.resolve(host)))
            for old in list(self._known)[:-_REMEMBERED]:
                del self._known[old]
        return known[1]

    async def resolve(self, host: str) -> Sequence[Address]:
        """Every address of a host, looked up now.

        Raises:
            NavigationFailed: it has none.
        """
        literal = host.strip("[]")
        if (address := read_address(literal)) is not None:
            return [address]
        if f".{literal.rstrip('.').lower()}".endswith(".localhost"):
            return _LOOPBACK
        try:
            return await self._resolve(literal)
        except (OSError, UnicodeError) as error:  # the latter of what is no name at all, as ``a..b``
            raise NavigationFailed(
                f"{host} does not resolve: no such host", url=host, reason="net::ERR_NAME_NOT_RESOLVED"
            ) from error


async def look_up(host: str) -> Sequence[Address]:
    """Every address of a host, as the system finds them.

    Raises:
        OSError: it has none.
        UnicodeError: it can have none.
    """
    found = await trio.socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    addresses = [str(info[4][0]).partition("%")[0] for info in found]
    return [ipaddress.ip_address(one) for one in dict.fromkeys(addresses)]


def read_address(host: str) -> Address | None:
    """The address that a host is, as browsers read it (``127.1`` is one, too); None for a name.

    Source: https://url.spec.whatwg.org/#concept-ipv4-parser
    """
    host = host.strip("[]").removesuffix(".").lower()
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host)
    parts = host.split(".")
    if len(parts) > _PARTS or not all(map(_NUMBER.fullmatch, parts)):
        return None
    try:
        *first, last = map(_number, parts)
    except ValueError:  # as 08
        return None
    if last >= 256 ** (_PARTS + 1 - len(parts)) or any(one > 255 for one in first):  # noqa: PLR2004 - a byte
        return None
    return ipaddress.IPv4Address(last + sum(one << 8 * (3 - at) for at, one in enumerate(first)))


def _origin(url: str) -> str:
    """A web address without what follows its host; of another one the scheme."""
    found = _ORIGIN.match(url)
    return "".join(url.partition(":")[:2]) if found is None else found[0]


def _number(text: str) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8 if text.startswith("0") else 10)


def unwrap(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one, where there is one that would be reached."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    inner = address.ipv4_mapped or address.sixtofour
    if inner is None and any(address in network for network in _NAT64):
        inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if inner is None and int(address) >> 32 == 0 and int(address) > 1:  # ::a.b.c.d
        inner = ipaddress.IPv4Address(int(address))
    return address if inner is None else inner


def is_public(address: Address) -> bool:
    """Whether an address is one of the public internet."""
    found = unwrap(address)
    if any(one in network for one in (address, found) for network in _NOT_PUBLIC):
        return False
    return found.is_global and not found.is_multicast and not found.is_reserved


def _host_of(scheme: str, rest: str) -> tuple[str, int]:
    """Host and port of a web address.

    Raises:
        Refused: it is not clear which they are.
    """
    parsed = _AUTHORITY.fullmatch(rest)
    place = "" if parsed is None else unicodedata.normalize("NFKC", parsed[1].rpartition("@")[2])
    host, colon, port = place.rpartition(":")
    if not colon or place.endswith("]"):
        host, port = place, ""
    host = host.replace("。", ".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode()
        except UnicodeError:
            host = ""
    if not _HOST.fullmatch(host) or not re.fullmatch(r"[0-9]{0,5}", port):
        raise Refused(
            400, "BadRequest", f"{scheme}:{rest[:100]} names no host that is clear", "write https://host/path"
        )
    return host, int(port or _WEB[scheme])


def _fits(name: str, patterns: Sequence[str]) -> bool:
    return any(_fits_one(name, pattern) for pattern in patterns)


def _fits_one(name: str, pattern: str) -> bool:
    if "/" in pattern:
        try:
            return ipaddress.ip_address(name) in ipaddress.ip_network(pattern)
        except ValueError:
            return False
    return fnmatch.fnmatchcase(name, pattern)


def _bare(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()


def _compared(pattern: str) -> str:
    """A rule as names are held against it, and addresses, which are printed in one way only."""
    pattern = _bare(pattern)
    address = read_address(pattern)
    if address is not None:
        return str(unwrap(address))
    with contextlib.suppress(ValueError):
        network = ipaddress.ip_network(pattern, strict=False)
        inner = getattr(network.network_address, "ipv4_mapped", None)
        return str(network) if inner is None else f"{inner}/{max(0, network.prefixlen - _MAPPED)}"
    return pattern


def _denied(host: str) -> Refused:
    return _refused(host, "is on the server's list of hosts to be refused", "--deny-host")


def _not_allowed(host: str) -> Refused:
    return _refused(host, "is not on the server's list of allowed hosts", "--allow-host")


def _refused(host: str, why: str, option: str) -> Refused:
    return Refused(
        403, "AddressRefused", f"{host} {why}", f"see {option} of the server", fields={"host": host}
    )
