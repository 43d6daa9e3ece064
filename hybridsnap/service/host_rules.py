"""Rules on hosts, as the command line takes them."""

from __future__ import annotations

import contextlib
import ipaddress
import re

from hybridsnap.service.addresses import read_address
from hybridsnap.service.usage import UsageError

#: Names as `hybridsnap.service.addresses` matches them, shell-like; of IPv6 addresses as they are printed.
_LABEL = r"(?:[a-z0-9_*?-]|\[!?[a-z0-9-]+\])+"
_HOST_PATTERN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*|[0-9a-f:]*:[0-9a-f:]*[*?][0-9a-f:*?]*")
#: What browsers take for an IPv4 address, and for no host when it is none.
_NUMERIC = re.compile(r"(?:[a-z0-9_-]+\.)*(?:[0-9]+|0x[0-9a-f]*)")


def host_rule(option: str, text: str) -> str:
    """A rule on hosts that some host can meet. One that none meets would close or open nothing, unheard."""
    if _is_host_rule(text):
        return text
    meant = re.split(r"[/?#]", text.strip().rpartition("://")[2])[0].rpartition("@")[2]
    meant = re.sub(r":[0-9]*$", "", meant)
    if meant.startswith("."):
        meant = f"*{meant}"
    with contextlib.suppress(UnicodeError):
        meant = meant if meant.isascii() else meant.encode("idna").decode()
    # Of a network only the address would be left, of ``*:80`` a rule on everything.
    told = _is_host_rule(meant) and meant.strip("*") and not re.fullmatch(r"[^/]+/[0-9]+", text)
    hint = meant if told else "example.com, *.example.com, 203.0.113.0/24 or ::1"
    raise UsageError(
        f"{option} {text!r} fits no host: a rule is a host, whatever the scheme, port and path; write {hint}"
    )


def _is_host_rule(text: str) -> bool:
    """Whether it is a name, an address or a network, wildcards and the brackets of IPv6 included."""
    pattern = text.removeprefix("[").removesuffix("]").rstrip(".").lower()
    with contextlib.suppress(ValueError):
        return ipaddress.ip_network(pattern, strict=False) is not None
    if _NUMERIC.fullmatch(pattern):
        return read_address(pattern) is not None
    return _HOST_PATTERN.fullmatch(pattern) is not None
