"""Addresses that are not for the browser: ``tel:``, ``mailto:``, ``slack://`` belong to other programs.

Chromium asks its user whether a page may start such a program, in a prompt of its own over the page, headless
too. Measured in Chromium 156:

* While the prompt is open neither the pointer nor keys reach the page; text that is entered at once does.
* No event tells of it, and no command answers it. Escape, a reload, another page of the same host, another
  tab in front leave it there; a page of another host, ``about:blank`` too, closes it, and so does a person.
* After one such address the next one is let be until the user, or input of ours, has done something.
* Browsers that `hybridsnap.launch` starts on Linux do not ask, and start nothing
  (`hybridsnap.client.watchdog`). Others do: those that were connected to, and those on macOS and Windows.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hybridsnap.errors import NavigationFailed, NotInteractable
from hybridsnap.text import clean_text, excerpt

if TYPE_CHECKING:
    from hybridsnap.client.attachment import AttachedSession, PageAttachment
    from hybridsnap.client.launcher import BrowserProcess

#: What browsers of Chromium's kind show themselves; ``chrome…`` beside.
_OWN = frozenset(
    {
        "about",
        "blob",
        "brave",
        "data",
        "devtools",
        "edge",
        "file",
        "filesystem",
        "http",
        "https",
        "isolated-app",
        "javascript",
        "opera",
        "view-source",
        "vivaldi",
    }
)
#: As the URL standard has it, once `_read` has dropped what it drops.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
#: ``localhost:8766/x``, ``example.com:80``, ``web:8080/``: a host and its port, without a scheme.
_HOST_AND_PORT = re.compile(r"(?:(?:localhost|[\w-]+(?:\.[\w-]+)+):\d+(?:[/?#].*)?|[\w-]+:\d+/.*)", re.DOTALL)
#: ``example.com``, ``www.example.com/path``, ``[::1]:8766``.
_BARE_HOST = re.compile(r"(?:[\w-]+(?:\.[\w-]+)+|\[[\da-fA-F:.]+\])(?:[:/?#]|$)|localhost(?:[/?#]|$)")
#: ``localhost``, ``192.0.2.1/path``, ``[::1]``, ``example.com:8080``.
_WITHOUT_TLS = re.compile(r"(?:localhost|[\d.]+|\[[^\]]*\]|[^:/?#]+:\d+)(?:[:/?#]|$)", re.IGNORECASE)
_IGNORED = str.maketrans("", "", "\t\n\r")
_BLANKS = "".join(map(chr, range(0x21)))
#: So much of an address stands in a message.
_SHOWN = 100

#: How the prompt is got rid of.
REMEDY = "dismiss it in the browser, or go to another host and back (goto about:blank, go_back)"


def _read(url: str) -> tuple[str, str]:
    """An address as a browser reads it, and its scheme in lower case; "" when it has none."""
    url = url.translate(_IGNORED).strip(_BLANKS)
    scheme = _SCHEME.match(url)
    return url, "" if scheme is None else scheme[1].lower()


def is_external(url: str) -> bool:
    """Whether an address is for another program than the browser."""
    scheme = _read(url)[1]
    # One letter is a drive of Windows'.
    return len(scheme) > 1 and scheme not in _OWN and not scheme.startswith("chrome")


def shown_address(url: str) -> str:
    """An address for a line."""
    return excerpt(url, _SHOWN)


def missing_scheme(url: str) -> str | None:
    """The address that is probably meant, where a host and a port stand for one."""
    read, scheme = _read(url)
    return with_scheme(read) if scheme not in _OWN and _HOST_AND_PORT.fullmatch(read) else None


def is_bare_host(text: str) -> bool:
    """Whether a text looks like an address but for its scheme."""
    return _BARE_HOST.match(text) is not None


#: How the path of a file begins.
_PATH = ("/", "./", "../", "~")


def with_scheme(bare: str) -> str:
    """What is probably meant by a host without a scheme: HTTP with a port, by number, and on this machine."""
    return f"{'http' if _WITHOUT_TLS.match(bare) else 'https'}://{bare}"


def complete_address(url: str) -> str:
    """An address as people write it, with its scheme; the path of a file stays as it is."""
    read, scheme = _read(url)
    if read.startswith(_PATH) and not read.startswith("//"):
        return url
    return (missing_scheme(url) or url) if scheme else with_scheme(read)


def no_url(url: str) -> str:
    """What is said of an address that the browser cannot read."""
    given = clean_text(url)[:_SHOWN]
    if not given.strip():
        return "expected a URL, got an empty text; give one such as https://example.com"
    if given.startswith(_PATH):
        return f"{given} has no scheme; write file:// and the whole path of a file, or https:// and a host"
    if is_bare_host(given):
        return f"{given} has no scheme; write {with_scheme(given)}"
    return f"{given} is not a URL that the browser knows; give one such as https://example.com"


def check_address(url: str) -> None:
    """See whether an address is one that a page can go to.

    Raises:
        NavigationFailed: it is a script, or one for another program; nothing was done.
    """
    shown = shown_address(url)
    if _read(url)[1] == "javascript":
        message = f"{shown} is a script, not an address; run it with evaluate"
        raise NavigationFailed(message, url=url, reason="script")
    if not is_external(url):
        return
    scheme = _read(url)[1]
    if meant := missing_scheme(url):
        raise NavigationFailed(
            f"{shown} has no scheme ({scheme}: would be taken for one); write {shown_address(meant)}",
            url=url,
            reason="no scheme",
        )
    raise NavigationFailed(
        f"{shown} is for another program: a browser shows no {scheme}: addresses; give one that it shows, "
        "such as https://example.com",
        url=url,
        reason="another program",
    )


def may_prompt(process: BrowserProcess | None) -> bool:
    """Whether a browser may ask its user whether another program is to be started."""
    return process is None or not sys.platform.startswith("linux")


class ExternalProtocolRequests:
    """Which address for another program a page asked for last, as its events tell.

    Attributes:
        url: that address; "" when there was none since the page came from another host, which is when a
            prompt for it is gone.
    """

    def __init__(self, attachment: PageAttachment) -> None:
        self._attachment = attachment
        self._host = ""
        self.url: str = ""
        attachment.listeners.append(self._take)

    def _take(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        if method == "Page.frameRequestedNavigation":
            if params["disposition"] == "currentTab" and is_external(params["url"]):
                self.url, self._host = params["url"], _host(self._attachment.root.url)
        elif (
            self.url
            and method == "Page.frameNavigated"
            and one is self._attachment.root
            and "parentId" not in params["frame"]
            and _host(params["frame"]["url"]) != self._host
        ):
            self.url = ""

    def lost(self, error: NotInteractable) -> NotInteractable:
        """A press that the page did not get, with what is known of the reason."""
        if error.reason != "lost" or not self.url:
            return error
        head = str(error).partition(": the browser lost")[0]
        return NotInteractable(
            f"{head}: the press did not reach the page, which has asked for another program "
            f"({shown_address(self.url)}): the browser's prompt holds its input; {REMEDY}",
            element_id=error.element_id,
            reason="prompt",
        )


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
