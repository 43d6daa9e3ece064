"""``hybridsnap serve``: snapshots, actions and scripts over HTTP, for whoever holds the token.

Layout:

- `settings`: what is allowed; everything is off that is not switched on.
- `messages`: what clients send. `answers`: what they get. `openapi`: both, described.
- `sessions`, `events`: whose tab is whose, and what its page does.
- `control`: what is done, without HTTP. `app`: the routes. `metrics`: what is counted.
- `lifecycle`: all of it started, and stopped.

Addresses, files, browsers and their sharing are in `hybridsnap.service`.

Needs the extra ``server``: ``pip install 'hybridsnap[server]'``.
"""
