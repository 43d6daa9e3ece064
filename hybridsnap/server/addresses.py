"""Where browsers may go: the rules, and how an address is held against them.

What is refused is refused by what it is, not by how it is written: a URL is read as browsers read it
(https://url.spec.whatwg.org: leading blanks and inner tabs and line ends are dropped, full-width digits are
digits), and where that is not clear it is refused. A host counts as public when every address that it
resolves to is.

This is a check before a navigation. What a browser connects to afterwards (redirects, frames, scripts, a name
that resolves otherwise a moment later) is decided where it connects: `hybridsnap.server.egress`.
"""

from __future__ import annotations

import fnmatch
import ipaddress
import re
import socket
import time
import unicodedata
from typing import TYPE_CHECKING, TypeAlias

import trio

from hybridsnap.client.outside import missing_scheme
from hybridsnap.errors import NavigationFailed
from hybridsnap.server.problems import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from hybridsnap.deadline import Deadline
    from hybridsnap.server.settings import Settings

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
#: Host → every address it has.
Resolve: TypeAlias = "Callable[[str], Awaitable[Sequence[Address]]]"

#: Dropped by browsers, wherever they stand.
_DROPPED = str.maketrans("", "", "\t\n\r")
_BLANKS = "".join(map(chr, range(0x21)))
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_AUTHORITY = re.compile(r"//([^/?#\\]+)(?:[/?#].*)?", re.DOTALL)
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
#: How long what a host resolved to is believed, seconds.
_BELIEVED = 30.0
_REMEMBERED = 500


class AddressRules:
    """What a server's settings say about addresses.

    Args:
        settings: of the server.
        resolve: how hosts are looked up; as the system does by default.
    """

    def __init__(self, settings: Settings, resolve: Resolve | None = None) -> None:
        self._settings = settings
        self._resolve = resolve or look_up
        self.exempt: set[tuple[str, int]] = set(settings.exempt)
        self._known: dict[str, tuple[float, tuple[Address, ...]]] = {}

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
        addresses = await self._found(host) if self._settings.filters else ()
        self.judge(host, port, addresses)

    def judge(self, host: str, port: int, addresses: Sequence[Address]) -> None:
        """See whether a host that has these addresses may be connected to.

        Raises:
            Refused: it may not.
        """
        host = host.strip("[]").rstrip(".").lower()
        numbers = [str(unwrap(one)) for one in addresses]
        if any(_fits(name, self._settings.deny_hosts) for name in (host, *numbers)):
            raise _refused(host, "is on the server's list of hosts to be refused", "--deny-host")
        if (host, port) in self.exempt:
            return
        allowed = self._settings.allow_hosts
        meant = _fits(host, allowed) or (numbers and all(_fits(one, allowed) for one in numbers))
        if allowed and not meant:
            raise _refused(host, "is not on the server's list of allowed hosts", "--allow-host")
        if self._settings.allow_private:
            return
        if not addresses or not all(map(is_public, addresses)):
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
                continue  # nothing that can be reached

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
        try:
            return [ipaddress.ip_address(literal)]
        except ValueError:
            pass
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
    pattern = pattern.strip("[]").rstrip(".").lower()
    if "/" in pattern:
        try:
            return ipaddress.ip_address(name) in ipaddress.ip_network(pattern, strict=False)
        except ValueError:
            return False
    return fnmatch.fnmatchcase(name, pattern)


def _refused(host: str, why: str, option: str) -> Refused:
    return Refused(
        403, "AddressRefused", f"{host} {why}", f"see {option} of the server", fields={"host": host}
    )
