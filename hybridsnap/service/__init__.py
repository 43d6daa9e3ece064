"""What the HTTP server and the MCP server share.

- `errors`: the refusal that both answer with.
- `addresses`, `egress_proxy`: which addresses browsers may visit, before and while they connect.
- `host_rules`: the rules on hosts, as they are written.
- `folders`, `downloads`: which files pages may get, and where downloads may be saved.
- `content_policy`: what of a tab's content may be returned.
- `records`, `stored`, `emulating`, `routing`, `taken`, `tracing`: parts of a page, as far as clients may read
  or set them.
- `browser_pool`: the browsers, connected to again when they are lost.
- `page_lock`: one request per page at a time, a limited number of captures.
- `http_gate`, `problems`: which HTTP requests are let in, and how errors are answered. `remedies`: the HTTP
  status of each error, and advice.
- `rendering`: options of formats, as clients give them. `locating`: elements of a snapshot, by what clients
  call them. `steps`: actions as JSON. `usage`: options and exit codes of commands.
- `listening`, `signals`: sockets, HTTP, and the end.
"""
