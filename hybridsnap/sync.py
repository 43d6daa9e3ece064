"""The client without ``await``, for code that blocks, from any thread.

::

    from hybridsnap.sync import launch

    with launch() as browser:
        page = browser.new_page("https://example.com")
        snapshot = page.snapshot()
        print(snapshot.combined_tree)
        page.click("0-29")

Everything is as in the client, which these classes stand for: names, arguments, timeouts, results, errors.

- **Threads.** One background thread runs trio for all callers. Several threads may use the same browser, or
  the same page; what they call at once runs side by side. It works in an interpreter that runs an asyncio
  loop, in Jupyter for one (and blocks that loop; `hybridsnap.aio` does not).
- **Ctrl-C** cancels the call that waits; what it had begun in the browser is cleaned up before
  `KeyboardInterrupt` goes on. Pressed again, that is not waited for.
- **From another thread** a call is cancelled by its deadline: give ``timeout`` a `Deadline`, and call its
  `Deadline.cancel`. The call raises `DeadlineExceeded` when what it had begun is cleaned up.
- **What has no timeout** (the next event, `Session.wait_ended`) ends with Ctrl-C, with the browser's block,
  or, for events, with `EventSubscription.close` from another thread.
- **The end.** Leaving the block cancels what other threads have under way, and ends the browser. What is left
  open is closed at the interpreter's end. For a notebook, where no block spans cells, there is
  `contextlib.ExitStack`: ``browser = stack.enter_context(launch())``, and in the end ``stack.close()``.
- **Callbacks** run on the background thread, and must not wait.

There is no second copy of the client: `hybridsnap.bridge.proxies` makes these classes from the client's,
member by member, so that nothing can be forgotten or differ. What that hides from editors and type checkers
is in ``sync.pyi``, which ``python -m tests.stubs`` writes, and which a test holds against the client.
"""

from __future__ import annotations

from hybridsnap.bridge.proxies import make_openers, make_proxies

_classes = make_proxies("sync", __name__)
globals().update({one.__name__: one for one in _classes.values()})
launch, connect = make_openers("sync", __name__, _classes)

__all__ = ["connect", "launch"]
__all__ += [one.__name__ for one in _classes.values()]
