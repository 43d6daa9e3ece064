"""Whoever holds a connection to a browser runs plans: `base` says how, `testing` checks that it is done right."""
