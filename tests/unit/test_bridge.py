"""Calls on the trio thread: what comes of them, and what cancels them."""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
import subprocess
import sys
import threading
from typing import Any

import pytest
import trio

from hybridsnap.bridge.thread import TRIO_THREAD, Call
from hybridsnap.errors import ConnectionLost


@pytest.fixture(autouse=True)
def thread() -> None:
    """What a browser's bridge starts."""
    TRIO_THREAD.portal()


class Work:
    """Waits until it is cancelled, and then takes its time to clean up."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.cleaned_up = False

    async def run(self) -> None:
        try:
            self.begun.set()
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(0.05)
            self.cleaned_up = True


async def fail(error: BaseException) -> None:
    await trio.lowlevel.checkpoint()
    raise error


def test_what_a_call_gives() -> None:
    async def add(first: int, second: int) -> int:
        await trio.lowlevel.checkpoint()
        return first + second

    assert Call(add(1, 2)).wait() == 3
    assert asyncio.run(Call(add(3, 4)).wait_elsewhere()) == 7


@pytest.mark.parametrize(
    "error", [ValueError("no"), SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()]
)
def test_whatever_is_raised_comes_to_the_caller_and_the_thread_goes_on(error: BaseException) -> None:
    portal = TRIO_THREAD.portal()
    with pytest.raises(type(error)) as caught:
        Call(fail(error)).wait()
    assert caught.value is error
    assert [entry.name for entry in caught.traceback][-3:] == ["wait", "_result", "fail"]
    assert TRIO_THREAD.portal() is portal
    assert portal.call(threading.get_ident) != threading.get_ident()


def test_an_interrupted_call_is_cancelled_and_cleaned_up_after() -> None:
    work = Work()

    def interrupt() -> None:
        work.begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        Call(work.run()).wait()
    assert work.cleaned_up
    thread.join()


def test_a_cancelled_task_waits_for_the_clean_up() -> None:
    work = Work()

    async def main() -> None:
        task = asyncio.create_task(Call(work.run()).wait_elsewhere())
        await asyncio.to_thread(work.begun.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert work.cleaned_up

    asyncio.run(main())


class Made:
    """As a tab that was opened."""

    def __init__(self) -> None:
        self.closed = False

    async def close(self) -> None:
        await trio.lowlevel.checkpoint()
        self.closed = True


def test_a_call_whose_loop_was_closed_is_cancelled_and_awaits_nothing_there() -> None:
    work = Work()
    call = Call(work.run())
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)  # of the task that is dropped
    waiting = call.wait_elsewhere()
    task = loop.create_task(waiting)
    while not work.begun.is_set():
        loop.run_until_complete(asyncio.sleep(0.01))
    loop.close()
    waiting.close()  # as Python does when it drops the task
    call.ended.result(10)
    assert work.cleaned_up
    assert not task.done()


def test_what_was_made_for_a_task_that_is_cancelled_just_then_is_closed() -> None:
    made, known = Made(), Made()

    async def new_page() -> Made:
        await trio.lowlevel.checkpoint()
        return made

    async def page() -> Made:
        await trio.lowlevel.checkpoint()
        return known

    async def main() -> None:
        for work in (new_page(), page()):
            call = Call(work)
            task = asyncio.create_task(call.wait_elsewhere())
            await asyncio.sleep(0)
            call.ended.result(10)  # the loop, which is held up by that, has not heard of it
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(main())
    assert made.closed
    assert not known.closed


def test_a_call_that_is_stopped_says_so_begun_or_not() -> None:
    portal = TRIO_THREAD.portal()
    never, begun = Work(), Work()
    call: Call[Any] = Call(never.run())
    portal.call(call.stop)
    with pytest.raises(ConnectionLost):
        call.wait()
    assert not never.begun.is_set()
    call = Call(begun.run())

    def stop() -> None:
        begun.begun.wait()
        portal.call(call.stop)

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(ConnectionLost):
        call.wait()
    assert begun.cleaned_up
    thread.join()


@pytest.mark.parametrize("face", ["sync", "aio"])
def test_importing_starts_no_thread(face: str) -> None:
    code = f"import threading, hybridsnap.{face} as face; face.launch(); print(threading.active_count())"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("1\n", "")


@pytest.mark.parametrize(("face", "way"), [("sync", "with"), ("aio", "async with")])
def test_a_block_that_is_not_entered_says_so(face: str, way: str) -> None:
    module = importlib.import_module(f"hybridsnap.{face}")
    with pytest.raises(AttributeError, match=f"has no 'new_page': enter it with `{way} … as …`"):
        module.launch().new_page()
    assert not hasattr(module.launch(), "_nothing")
