"""``hybridsnap serve``: snapshots, actions and scripts over HTTP, for whoever holds the token.

Layout:

- `settings`: what is allowed; everything is off that is not switched on.
- `messages`: what clients send. `answers`: what they get. `openapi`: both, described.
- `part_messages`: messages of parts of a page. `exchange`: one request.
- `sessions`, `events`: whose tab is whose, and what its page does.
- `control`: what is done, without HTTP. `questions`, `parts`, `recorded`: what can be asked of one tab.
- `app`: the routes. `metrics`: what is counted.
- `lifecycle`: all of it started, and stopped; `command`: from the command line.
- `openclaw`: other paths and shapes in front of the same.

Addresses, files, browsers and their sharing are in `hybridsnap.service`.

Needs the extra ``server``: ``pip install 'hybridsnap[server]'``.
"""
