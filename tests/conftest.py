"""Fixtures of the tests that need a browser, the golden flag, Hypothesis' profile.

`page` is a tab that the tests of a run use one after another: take it where any page does. `browser` connects
to a Chromium that the whole run shares, for tests that open tabs of their own. Both browsers are started when
first wanted, with `--site-per-process`. Tests marked `soak` stand outside the gate.
"""

from __future__ import annotations

import functools
import gc
import re
import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.support.headless_shell import is_of_headless_shell
from tests.support.hosted_browser import SharedTab, borrow_browser, host_browser, host_home

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    import hybridsnap

# A page takes a tenth of a second, so Hypothesis' own idea of a slow test does not fit. The gate draws the
# same pages at each run; soak tests ask for more, and for new ones.
settings.register_profile(
    "gate",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=25,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
        HealthCheck.data_too_large,
    ],
)
settings.load_profile("gate")

# What a shell starts in the background ignores Ctrl-C, and so does all that it starts; tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


#: Files of tests that run in a whole browser, as most users have one: they are of more than its pages, or of
#: input. The rest runs in `chromium-headless-shell` where it is installed (Makefile), but for tests that are
#: skipped there.
_WHOLE_BROWSER = re.compile(
    r"/test_(background_tabs|browser_tabs|choosers|cli_downloads|cli_storage|conformance|contexts|dialogs"
    r"|downloads|keyboard|launcher|opened|other_programs|pointer|readme|serving|shop|storage|tabs|transports"
    r"|viewport|waking|wedged)\.py$"
)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A part of `make test` leaves out files without tests of it: to import all takes 7 s of CPU time."""
    expression = str(config.option.markexpr).replace("not ", "not-").split()
    if collection_path.suffix != ".py" or not {"alone", "whole_browser", "not-whole_browser"} & {*expression}:
        return None
    text = collection_path.read_text(encoding="utf-8")
    is_of_whole_browser = _WHOLE_BROWSER.search(collection_path.as_posix()) is not None
    is_left_out = (
        ("alone" in expression and "mark.alone" not in text)
        or ("whole_browser" in expression and not (is_of_whole_browser or "headless_shell" in text))
        or ("not-whole_browser" in expression and is_of_whole_browser)
    )
    return True if is_left_out else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        skips = [mark.kwargs.get("reason", "") for mark in item.iter_markers("skipif")]
        if _WHOLE_BROWSER.search(item.path.as_posix()) or any(map(is_of_headless_shell, skips)):
            item.add_marker("whole_browser")


def pytest_collection_finish() -> None:
    """Look for garbage more rarely, and not in what was imported: that is a tenth of the tests' time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden outlines anew")


@pytest.fixture(scope="session", autouse=True)
def user_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A place of their own for what the command line keeps between its calls."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        yield


@pytest.fixture(scope="session")
def browser_endpoint() -> Iterator[str]:
    """The `ws://` address of a Chromium that runs as long as the tests do."""
    with host_browser(["--site-per-process"]) as endpoint:
        yield endpoint


@pytest.fixture
async def browser(browser_endpoint: str) -> AsyncIterator[hybridsnap.Browser]:
    """The shared browser, over a connection of the test's own; its tabs are closed afterwards."""
    async with borrow_browser(browser_endpoint) as browser:
        yield browser


@pytest.fixture(scope="session")
def shared_tab() -> Iterator[SharedTab]:
    """The tab of `page`, in a browser of its own."""
    with host_home() as home, host_browser(["--site-per-process"]) as endpoint:
        yield SharedTab(endpoint, home)


@pytest.fixture
async def page(shared_tab: SharedTab) -> AsyncIterator[hybridsnap.Page]:
    """A tab that is somewhere else already, for tests that want any page: go to one of your own.

    What a tab is before its first page, other tabs and contexts are tested with `browser`.
    """
    async with shared_tab.borrow() as page:
        yield page


@pytest.fixture
async def home_page(shared_tab: SharedTab) -> AsyncIterator[hybridsnap.Page]:
    """`page` with an empty document, for tests that write into it: to go there costs 0.07 s of CPU time."""
    async with shared_tab.borrow(at_home=True) as page:
        yield page


@pytest.fixture(params=[5, pytest.param(1, marks=pytest.mark.soak)], ids=["every fifth", "every"])
def step(request: pytest.FixtureRequest) -> int:
    """By how much a test counts on that tries something at the n-th command, or with the n-th element."""
    count: int = request.param
    return count


@pytest.fixture(params=[7, pytest.param(1, marks=pytest.mark.soak)], ids=["every seventh", "every"])
def page_step(request: pytest.FixtureRequest) -> int:
    """The same for a test that goes to a page each time."""
    count: int = request.param
    return count


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden outlines are written, not compared."""
    return bool(request.config.getoption("--update-golden"))


#: For a test that opens a page, frames and all, for each example: a second or more.
gate_settings = functools.partial(settings, max_examples=10)

#: The profile that soak tests take: more examples, new ones at each run.
soak_settings = functools.partial(settings, derandomize=False, max_examples=400)
