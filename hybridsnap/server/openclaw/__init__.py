"""OpenClaw's requests and answers, in front of the server's own handlers (``hybridsnap serve --openclaw``).

- `fields`: how values of bodies and queries are read.
- `refusals`: errors as OpenClaw's clients read them.
- `host`: what all requests share: tabs by their short names (`tab_names`), files (`media`), `dialogs`, which
  elements are `news`.
- `acts`: what ``POST /act`` takes, as our actions; `performing` does them.
- `looks`: snapshots, pictures, PDF. `tabs`, `records`, `state`, `hooks`: what their names say.
- `registry`: which function answers which path. `routes`: all of them, of which the application and the
  `description` are made.

Paths, names of fields, defaults and statuses are those of OpenClaw 2026.9.
"""
