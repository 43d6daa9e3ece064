"""The trio client, the default driver.

Layout, from the wire up: `transport` (the seam) with `websocket` and `pipe`; `endpoint` (addresses),
`browsers`, `launcher` and `watchdog` (a browser of our own and its end); `connection` (calls, sessions,
events) and `channel` (a plan's way over it); `attachment` (what a page's sessions tell), `network`; `page`;
`browser`.
"""
