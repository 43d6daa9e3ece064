"""Which addresses browsers may visit.

An address is judged by what a browser would make of it: `ada_url` parses it as the WHATWG URL standard says
(https://url.spec.whatwg.org), and the normalized form is what the browser is sent to. A host counts as public
when every address that it resolves to is.

This is a check before a navigation. What a browser connects to afterwards (redirects, frames, scripts, a name
that resolves otherwise a moment later) is decided where it connects: `hybridsnap.service.egress_proxy`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import fnmatch
import ipaddress
import re
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.request import url2pathname

import ada_url
import trio

from hybridsnap.client.external_protocols import missing_scheme, no_url
from hybridsnap.deadline import Deadline
from hybridsnap.errors import NavigationFailed
from hybridsnap.model import ERROR_PAGE
from hybridsnap.service.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
#: Host → every address it has.
Resolve: TypeAlias = "Callable[[str], Awaitable[Sequence[Address]]]"

_WEB = {"http": 80, "https": 443, "ws": 80, "wss": 443}
#: Frames of other schemes (``data:``, ``blob:``) hold content of the document around them.
_CHECKED_IN_FRAMES = {*_WEB, "file"}
_BLANK = "about:blank"
_TIMEOUT = "timeout"
#: Documents without an origin, shown where another one failed or has not come yet.
_OWN = (ERROR_PAGE, "about:")
_NAT64 = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))
#: Not the public internet, though Python 3.11 calls them global: site-local addresses, a network's own
#: translation prefix (RFC 8215; where the IPv4 address stands in it, only that network knows), documentation,
#: relays of 6to4, and protocols' own.
_NOT_PUBLIC = tuple(
    map(ipaddress.ip_network, ("fec0::/10", "64:ff9b:1::/48", "3fff::/20", "192.88.99.0/24", "192.0.0.0/24"))
)
#: What browsers take ``localhost`` and all names below it for, whatever a name server says (RFC 6761).
_LOOPBACK: tuple[Address, ...] = (ipaddress.IPv4Address("127.0.0.1"), ipaddress.IPv6Address("::1"))
#: Bits before an IPv4 address that is written as an IPv6 one.
_MAPPED = 96
#: What addresses may fit: a rule of this form can only be judged when a name has been looked up.
_OF_ADDRESSES = re.compile(r"[0-9a-f:.*?!/\[\]-]+")
#: How long what a host resolved to is believed, seconds.
_BELIEVED = 30.0
_REMEMBERED = 500
#: At a time: each takes one of trio's threads (40), and those of others must not wait for them.
_LOOK_UPS = 10
#: So long an event waits for a host to be looked up.
_TELLING_SECONDS = 1.0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class AddressRules:
    """Which addresses an operator allows.

    Attributes:
        schemes: of addresses that may be visited. ``about:blank`` always may be; ``javascript`` never.
        file_folders: files below these may be visited though ``file`` is not among the schemes.
        allow_hosts: only these hosts may be visited, when there are any: ``example.com``,
            ``*.example.com``, ``203.0.113.0/24``.
        deny_hosts: these may not, whatever else is allowed.
        allow_private: addresses that are not public may be visited: this machine, its network.
        exempt: host and port pairs that may be visited though they are not public.
    """

    schemes: frozenset[str] = frozenset({"http", "https"})
    file_folders: tuple[Path, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    deny_hosts: tuple[str, ...] = ()
    allow_private: bool = False
    exempt: frozenset[tuple[str, int]] = frozenset()

    @property
    def filters(self) -> bool:
        """Whether it matters where a browser connects to."""
        return not self.allow_private or bool(self.allow_hosts or self.deny_hosts)


class AddressPolicy:
    """Holds addresses against an operator's rules.

    Args:
        rules: which addresses are allowed.
        resolve: how hosts are looked up; as the system does by default.
    """

    def __init__(self, rules: AddressRules, resolve: Resolve | None = None) -> None:
        self.rules = rules
        self._resolve = resolve or look_up
        self._allow = tuple(map(_compared, rules.allow_hosts))
        self._deny = tuple(map(_compared, rules.deny_hosts))
        self._known: dict[str, tuple[float, tuple[Address, ...]]] = {}
        #: Origins → when they were judged, and whether page text of theirs may be returned.
        self._told: dict[tuple[str, ...], tuple[float, bool]] = {}

    async def check_url(self, url: str, deadline: Deadline) -> str:
        """The address as a browser reads it, when it may be visited.

        Raises:
            ApiError: it may not be.
            NavigationFailed: its host does not exist.
        """
        if meant := missing_scheme(url):
            raise ApiError(400, "BadRequest", f"{url[:100]!r} has no scheme", f"write {meant[:120]}")
        try:
            read = ada_url.URL(url)
        except ValueError:
            raise ApiError(400, "BadRequest", no_url(url), "give another address") from None
        scheme = read.protocol.removesuffix(":")
        if read.href == _BLANK:
            return _BLANK
        if not self._allows_scheme(scheme, read):
            raise _scheme_refused(scheme)
        if scheme in _WEB:
            with trio.move_on_after(deadline.remaining):
                await self.check_host(read.hostname, int(read.port or _WEB[scheme]))
                return str(read.href)
            raise NavigationFailed(f"{read.hostname} was not resolved in time", url=url, reason=_TIMEOUT)
        return str(read.href)

    def _allows_scheme(self, scheme: str, read: ada_url.URL) -> bool:
        if scheme in self.rules.schemes:
            return scheme != "javascript"
        if scheme != "file" or read.hostname not in {"", "localhost"}:
            return False
        try:
            path = Path(url2pathname(read.pathname)).resolve()
        except (OSError, RuntimeError, ValueError):
            return False
        return any(path.is_relative_to(folder.resolve()) for folder in self.rules.file_folders)

    async def check_host(self, host: str, port: int) -> None:
        """See whether a host may be connected to.

        Raises:
            ApiError, NavigationFailed: as `check_url`.
        """
        if self.rules.filters:
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
            ApiError: it may not, whatever its addresses are.
        """
        host = _bare(host)
        if _fits(host, self._deny):
            raise _denied(host)
        can_be_address = read_address(host) is not None or any(map(_OF_ADDRESSES.fullmatch, self._allow))
        if not self._is_allowed(host, port) and not can_be_address:
            raise _not_allowed(host)

    def _is_allowed(self, host: str, port: int) -> bool:
        """Whether a host is on the list, if there is one, by its name."""
        return not self._allow or (host, port) in self.rules.exempt or _fits(host, self._allow)

    def judge(self, host: str, port: int, addresses: Sequence[Address]) -> None:
        """See whether a host that has these addresses may be connected to.

        Raises:
            ApiError: it may not.
        """
        host = _bare(host)
        # As they are, for rules on IPv6, and as what they lead to.
        numbers = [(str(one), str(unwrap(one))) for one in addresses]
        if _fits(host, self._deny) or any(_fits(name, self._deny) for pair in numbers for name in pair):
            raise _denied(host)
        if (host, port) in self.rules.exempt:
            return
        meant = bool(numbers) and all(any(_fits(name, self._allow) for name in pair) for pair in numbers)
        if self._allow and not meant and not _fits(host, self._allow):
            raise _not_allowed(host)
        if self.rules.allow_private:
            return
        if not addresses:
            raise _refused(host, "is not found from here, and may be a private address", "--allow-private")
        if not all(map(is_public, addresses)):
            raise _refused(host, "is not a public address", "--allow-private")

    async def check_shown(self, urls: Sequence[str], deadline: Deadline) -> None:
        """See whether what a page shows, main document first, may be handed out; "" always may.

        Raises:
            ApiError: it may not.
            NavigationFailed: it was not found out in time.
        """
        for at, url in enumerate(urls):
            scheme = url.partition(":")[0].lower()
            if not url or url.startswith(_OWN) or (at and scheme not in _CHECKED_IN_FRAMES):
                continue
            try:
                await self.check_url(url.removeprefix("blob:"), deadline)
            except NavigationFailed as error:
                if error.reason == _TIMEOUT:
                    raise
                # It is shown, so it was reached: the browser finds names that are not found from here.
                read = ada_url.URL(url.removeprefix("blob:"))
                self.judge(read.hostname, int(read.port or _WEB[read.protocol.removesuffix(":")]), ())

    async def may_show(self, urls: Iterable[str], deadline: Deadline) -> set[str]:
        """Those of some addresses, of frames or of what pages ask for, that may be shown.

        Hosts are looked up a few at a time; one that is not found out in time may not be shown.
        """
        found: set[str] = set()
        limit = trio.CapacityLimiter(_LOOK_UPS)

        async def judge(url: str) -> None:
            async with limit:
                with contextlib.suppress(ApiError, NavigationFailed):
                    # As of a frame: a data: address, for one, shows nothing of other hosts.
                    await self.check_shown(["", url], deadline)
                    found.add(url)

        async with trio.open_nursery() as nursery:
            for url in set(urls):
                nursery.start_soon(judge, url)
        return found

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
            except (ApiError, NavigationFailed):
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
        except (OSError, UnicodeError) as error:  # the latter of what is not a name at all, as ``a..b``
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

    Source: https://url.spec.whatwg.org/#concept-host-parser
    """
    host = host.strip("[]").removesuffix(".")
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host)
    with contextlib.suppress(ValueError):
        read = ada_url.URL(f"http://{host}/")
        if read.host_type == ada_url.HostType.IPV4 and read.pathname == "/" and not read.username:
            return ipaddress.ip_address(read.hostname)
    return None


def _origin(url: str) -> str:
    """A web address without what follows its host, credentials included; of any other one the scheme."""
    with contextlib.suppress(ValueError):
        read = ada_url.URL(url)
        return str(
            read.href if read.protocol == "file:" else read.protocol if read.origin == "null" else read.origin
        )
    return "".join(url.partition(":")[:2])


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


def _denied(host: str) -> ApiError:
    return _refused(host, "is on the server's list of hosts to be refused", "--deny-host")


def _not_allowed(host: str) -> ApiError:
    return _refused(host, "is not on the server's list of allowed hosts", "--allow-host")


def _scheme_refused(scheme: str) -> ApiError:
    remedies = {
        "javascript": "run scripts with evaluate, where that is allowed",
        "file": "the operator allows it: --allow-scheme file, or --files FOLDER",
    }
    meant = difflib.get_close_matches(scheme, ("http", "https"), n=1)
    remedy = f"did you mean {meant[0]}?" if meant else f"the operator allows it: --allow-scheme {scheme}"
    remedy = remedies.get(scheme, remedy)
    return ApiError(403, "SchemeRefused", f"{scheme}: addresses are refused here", remedy)


def _refused(host: str, why: str, option: str) -> ApiError:
    return ApiError(
        403, "AddressRefused", f"{host} {why}", f"see {option} of the server", fields={"host": host}
    )
