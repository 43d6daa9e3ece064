"""A bundled shop to capture: `server` serves `pages/` with the standard library's HTTP server."""
