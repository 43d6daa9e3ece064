"""The process that keeps the browser tool's browsers between calls of ``hybridsnap tool``.

Each user has one such process at most. A call starts it when it is to launch a browser and nothing listens at
the user's socket; it exits with its last browser, after ten minutes without a call, or on SIGTERM.

- `place`: the user's folder, its socket and its lock.
- `messages`: what goes over the socket.
- `caller`: a call, from the process that a person or an agent starts.
- `process`: the program that stays; `keeper`: what it does.

One lock orders beginnings and ends: a caller holds it from before it connects until the process greets it,
and the process takes it before it stops listening. So no call is lost between two processes, and calls at
the same time start one. Whatever ends the process, SIGKILL included, its browsers end too: see
`hybridsnap.client.watchdog`.
"""
