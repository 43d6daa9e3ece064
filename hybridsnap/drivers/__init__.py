"""Whoever holds a connection to a browser runs plans: `base` says how, `testing` helps to check it."""
