"""Fixtures of the tests that need a browser, the golden flag, Hypothesis' profile.

`browser` connects to one Chromium that the whole run shares (started when first wanted, with
`--site-per-process`), so a test costs a tab, not a process. Tests marked `soak` stand outside the gate.
"""

from __future__ import annotations

import contextlib
import functools
import signal
import threading
from typing import TYPE_CHECKING

import pytest
import trio
from hypothesis import HealthCheck, settings

import hybridsnap

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden outlines anew")


@pytest.fixture(scope="session")
def browser_endpoint() -> Iterator[str]:
    """The `ws://` address of a Chromium that runs as long as the tests do."""
    endpoint: list[str] = []
    failure: list[BaseException] = []
    started, finished = threading.Event(), threading.Event()

    async def keep_browser() -> None:
        async with hybridsnap.launch(args=["--site-per-process"]) as browser:
            assert browser.process is not None
            assert browser.process.endpoint is not None
            endpoint.append(browser.process.endpoint)
            started.set()
            await trio.to_thread.run_sync(finished.wait)

    def host() -> None:
        try:
            trio.run(keep_browser)
        except BaseException as error:  # noqa: BLE001 - handed to the fixture's thread below
            failure.append(error)
        finally:
            started.set()

    thread = threading.Thread(target=host, name="shared browser")
    with pytest.MonkeyPatch.context() as patch:
        # Chromium names the parts of controls ("Show date picker") in the user's language.
        patch.setenv("LANGUAGE", "en")
        thread.start()
        started.wait()
    try:
        if failure:
            raise failure[0]
        yield endpoint[0]
    finally:
        finished.set()
        thread.join()
    if failure:
        raise failure[0]


@pytest.fixture
async def browser(browser_endpoint: str) -> AsyncIterator[hybridsnap.Browser]:
    """The shared browser, over a connection of the test's own; its tabs are closed afterwards."""
    async with hybridsnap.connect(browser_endpoint) as browser:
        before = set(await browser.page_ids())
        yield browser
        for target_id in set(await browser.page_ids()) - before:
            with contextlib.suppress(hybridsnap.CommandRefused):  # it is just being closed
                await browser.session.send("Target.closeTarget", {"targetId": target_id})


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden outlines are written, not compared."""
    return bool(request.config.getoption("--update-golden"))


#: The profile that soak tests take: more examples, new ones at each run.
soak_settings = functools.partial(settings, derandomize=False, max_examples=400)
