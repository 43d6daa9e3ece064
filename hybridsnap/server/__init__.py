"""``hybridsnap serve``: snapshots, actions and scripts over HTTP, for whoever holds the token.

Layout:

- `settings`: what is allowed; everything is off that is not switched on. `gate`: who may come in.
- `messages`: what clients send. `problems`: how errors are answered. `openapi`: both, described.
- `addresses`, `egress`: where browsers may go. `folders`: which files they may have.
- `browsers`, `sessions`, `events`: what there is, whose it is, and what it does.
- `turns`: who is next. `control`: what is done, without HTTP. `vetting`: what of it
  may be told. `app`: the routes. `measures`: what is counted.
- `running`: all of it started, and stopped.

Needs the extra ``server``: ``pip install 'hybridsnap[server]'``.
"""
