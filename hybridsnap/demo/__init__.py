"""A bundled shop to capture: `server.py` serves `pages/` through the small HTTP room `http.py`."""
