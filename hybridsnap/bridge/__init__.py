"""From threads and other event loops to the trio client: one background thread that runs trio.

`hybridsnap.sync` and `hybridsnap.aio` stand on it. Layout: `thread` (the thread, and one call on it);
`bridge` (what stands between callers and one open browser); `managers` (the client's context managers);
`proxies` (its classes, and functions on its pages, as callers see them).
"""
