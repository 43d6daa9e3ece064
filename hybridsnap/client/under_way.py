"""Requests that a page's script has sent and that nobody has answered yet: a reason to wait a little longer.

A timer of the page's cannot be seen from outside, and a transition runs on most buttons that are clicked: for
neither is waited. What a script asked a server for since an action is known, and its answer mostly shows.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hybridsnap.client.network import hear_traffic, stop_hearing
from hybridsnap.render.clean import clean_text

if TYPE_CHECKING:
    from hybridsnap.client.attachment import AttachedSession, PageAttachment

#: What scripts send, and go on with when it is answered; pictures, styles, beacons and streams are not.
_ASKED_BY_SCRIPT = frozenset({"Fetch", "XHR", "Script"})
_ENDED = frozenset({"Network.loadingFinished", "Network.loadingFailed"})
#: So much of an address is shown, and so many of them.
_SHOWN = 80
_MOST = 3


class RequestsUnderWay:
    """Follows the requests of a page, in all its processes, from `start` to `stop`.

    Switching the Network domain on and off takes two commands, whose replies nobody waits for. On a page's
    own socket it is left: the domain is the caller's.
    """

    def __init__(self, attachment: PageAttachment) -> None:
        self._attachment = attachment
        self._heard: list[AttachedSession] = []
        #: (session id, request id) → its address, and when it was sent.
        self._open: dict[tuple[object, str], tuple[str, float]] = {}

    def start(self) -> None:
        """Begin to listen. Never waits."""
        self._heard = [one for one in self._attachment if one.session.id is not None]
        for one in self._heard:
            hear_traffic(one)
        self._attachment.listeners.append(self._listen)

    def stop(self) -> None:
        """Listen no more."""
        self._attachment.listeners.remove(self._listen)
        for one in self._heard:
            stop_hearing(one)

    def since(self, moment: float) -> tuple[str, ...]:
        """Addresses of those that were sent since then (`time.monotonic`) and are under way."""
        return tuple(url for url, sent in self._open.values() if sent >= moment)

    def _listen(self, one: AttachedSession, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            if params.get("type") in _ASKED_BY_SCRIPT:
                key = one.session.id, params["requestId"]
                _, sent = self._open.get(key, ("", time.monotonic()))  # a redirect is the same request
                self._open[key] = params["request"]["url"], sent
        elif method in _ENDED or (method == "Network.responseReceived" and params.get("type") == "Fetch"):
            # When script does not read the body of a fetch, no end of it is told (measured).
            if self._open.pop((one.session.id, params["requestId"]), None) is not None:
                self._attachment.pulse()
        elif method == "Target.detachedFromTarget":
            self._open = {key: value for key, value in self._open.items() if key[0] != params["sessionId"]}
            self._attachment.pulse()


def tell_under_way(urls: tuple[str, ...], page_url: str) -> str:
    """One line: ``a request is still under way: /api/basket``."""
    here = urlsplit(page_url)
    shown = []
    for url in urls[:_MOST]:
        parts = urlsplit(url)
        same = (parts.scheme, parts.netloc) == (here.scheme, here.netloc)
        words = clean_text(url.partition(parts.netloc)[2] if same and parts.netloc else url)
        shown.append(words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…")
    shown += ["…"] if len(urls) > _MOST else []
    what = "a request is" if len(urls) == 1 else f"{len(urls)} requests are"
    return f"{what} still under way: {', '.join(shown)}"
