"""A bundled shop to capture: `server.py` serves `pages/` with the standard library's HTTP server."""
