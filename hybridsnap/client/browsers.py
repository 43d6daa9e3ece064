"""Where the browser is, and with which flags it is started."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hybridsnap.errors import BrowserNotFound

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Names the default browser.
ENVIRONMENT_NAME = "HYBRIDSNAP_BROWSER"

#: On PATH, best first: what follows Chromium closest.
_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "chromium-freeworld",
    "ungoogled-chromium",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
    "brave-browser",
    "brave",
    "vivaldi",
    "opera",
    "google-chrome-beta",
    "google-chrome-unstable",
    "chrome-headless-shell",
    "chromium-headless-shell",
)
_LINUX_PLACES = (
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/opt/microsoft/msedge/msedge",
    "/opt/brave.com/brave/brave",
    "/snap/bin/chromium",
    "/var/lib/flatpak/exports/bin/org.chromium.Chromium",
)
_MAC_APPLICATIONS = ("Chromium", "Google Chrome", "Microsoft Edge", "Brave Browser", "Google Chrome Canary")
_WINDOWS_PLACES = (
    r"Chromium\Application\chrome.exe",
    r"Google\Chrome\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
    r"BraveSoftware\Brave-Browser\Application\brave.exe",
)

#: Debian, Docker and others give /dev/shm 64 MiB or nothing; a large page needs more, and crashes.
_SHARED_MEMORY_BYTES = 128 * 1024**2

#: Features that would talk to the network, or put something of the browser's into a page; the one that takes
#: a wheel turned sideways for a swipe through the history, and leaves the page at the next click (the switch
#: --overscroll-history-navigation=0 does not stop that in Chromium 156); and two hidden pages of the address
#: bar, which take half of the CPU time of a start.
_DISABLED_FEATURES = (
    "Translate",
    "MediaRouter",
    "DialMediaRouteProvider",
    "OptimizationHints",
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "InterestFeedContentSuggestions",
    "OverscrollHistoryNavigation",
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
)
_FLAGS = (
    # No first-run pages, no questions, no sounds.
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-default-apps",
    "--disable-search-engine-choice-screen",
    "--disable-prompt-on-repost",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    # No traffic of its own, so that "the network is idle" speaks of the page.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-extensions",
    "--disable-sync",
    "--disable-quic",
    "--metrics-recording-only",
    "--no-pings",
    # Pages in the background are as live as the one in front.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    # We notice a busy page ourselves, and the dialog could not be dismissed.
    "--disable-hang-monitor",
    "--disable-breakpad",
    "--disable-crash-reporter",
)


def find_browser(path: str | os.PathLike[str] | None = None) -> Path:
    """Find the browser to start.

    Args:
        path: the executable; without it ``HYBRIDSNAP_BROWSER`` is taken, then the usual names on PATH and
            the usual places of this platform. A bare name is looked up on PATH.

    Raises:
        BrowserNotFound: it is not there, is not a file, or cannot be executed; or none is installed.
    """
    if path is not None:
        return _given(os.fspath(path), "the browser path")
    if named := os.environ.get(ENVIRONMENT_NAME):
        return _given(named, ENVIRONMENT_NAME)
    for name in _NAMES:
        if found := shutil.which(name):
            return Path(found)
    for place in _usual_places():
        if place.is_file() and os.access(place, os.X_OK):
            return place
    raise BrowserNotFound(
        f"no Chromium was found: looked for {', '.join(_NAMES[:5])} and others on PATH and in the usual "
        f"places; {_how_to_get_one()}, or name one with {ENVIRONMENT_NAME}=/path/to/browser"
    )


def _given(path: str, source: str) -> Path:
    if not path.strip():
        raise BrowserNotFound(f"{source} is empty; give the path of a Chromium or Chrome executable")
    if os.path.basename(path) == path and (found := shutil.which(path)):  # noqa: PTH119 - "./x" is not a name
        return Path(found)
    place = Path(path).expanduser()
    problem = None
    try:
        if not place.exists():
            problem = "does not exist"
        elif not place.is_file():
            problem = "is a directory, not an executable" if place.is_dir() else "is not a file"
        elif not os.access(place, os.X_OK):
            problem = "is not executable (chmod +x, or is it the right file?)"
    except (OSError, ValueError) as error:
        problem = f"cannot be looked at ({error})"
    if problem is not None:
        raise BrowserNotFound(
            f"{source} {path!r} {problem}; give the path of a Chromium or Chrome executable, or "
            f"none to have it found"
        )
    return place.absolute()


def is_headless_shell(path: Path) -> bool:
    """Whether it is the small headless browser, by its name: `chromium-headless-shell` here, and
    `chrome-headless-shell` as Playwright downloads it (earlier `headless_shell`).
    """
    return "headless_shell" in path.name.replace("-", "_")


def _usual_places() -> Iterator[Path]:
    if sys.platform == "win32":
        for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
            if root := os.environ.get(variable):
                yield from (Path(root, place) for place in _WINDOWS_PLACES)
    elif sys.platform == "darwin":
        for root in (Path("/Applications"), Path.home() / "Applications"):
            yield from (root / f"{name}.app/Contents/MacOS/{name}" for name in _MAC_APPLICATIONS)
    else:
        yield from (Path(place) for place in _LINUX_PLACES)


def _how_to_get_one() -> str:
    if sys.platform == "win32":
        return "install one with: winget install Google.Chrome"
    if sys.platform == "darwin":
        return "install one with: brew install --cask google-chrome"
    for tool, command in (
        ("apt-get", "apt-get update && apt-get install chromium (Ubuntu: Google's own package)"),
        ("dnf", "dnf install chromium"),
        ("pacman", "pacman -S chromium"),
        ("apk", "apk add chromium"),
        ("zypper", "zypper install chromium"),
    ):
        if shutil.which(tool):
            return f"install one with: {command}"
    return "install Chromium or Google Chrome (Debian: apt-get update && apt-get install chromium)"


def is_root() -> bool:
    """Whether Chromium would refuse to start with its sandbox."""
    return sys.platform != "win32" and os.geteuid() == 0


_TRANSPORT_FLAGS = {
    "websocket": "--remote-debugging-port=0",
    "pipe": "--remote-debugging-pipe",
    "cbor": "--remote-debugging-pipe=cbor",
}


def build_flags(
    args: Sequence[str] = (),
    *,
    headless: bool,
    transport: Literal["websocket", "pipe", "cbor"],
    profile: str,
) -> list[str]:
    """The flags of a browser that is ours alone, then ``args``: where two differ the later one counts."""
    flags = list(_FLAGS)
    if headless:
        flags += ["--headless", "--hide-scrollbars"]
    if is_root():
        flags.append("--no-sandbox")
    if _shared_memory_is_small():
        flags.append("--disable-dev-shm-usage")
    flags.append(_TRANSPORT_FLAGS[transport])
    flags.append(f"--user-data-dir={profile}")
    # Of two lists of features Chromium reads the last one only.
    lists: dict[str, list[str]] = {"--disable-features": [], "--enable-features": []}
    for arg in args:
        name, _, value = arg.partition("=")
        if name in lists:
            lists[name] += value.split(",")
        else:
            flags.append(arg)
    enabled = {feature.partition("<")[0].partition(":")[0] for feature in lists["--enable-features"]}
    lists["--disable-features"] += [one for one in _DISABLED_FEATURES if one not in enabled]
    return flags + [f"{name}={','.join(features)}" for name, features in lists.items() if features]


def _shared_memory_is_small() -> bool:
    if sys.platform != "linux":
        return False
    try:
        status = os.statvfs("/dev/shm")  # noqa: S108 - asked about, not written to
    except OSError:
        return True
    return status.f_frsize * status.f_blocks < _SHARED_MEMORY_BYTES


def main() -> int:
    """Print the browser that would be used, or why there is none."""
    try:
        sys.stdout.write(f"{find_browser()}\n")
    except BrowserNotFound as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
