"""What tests have to know of `chromium-headless-shell`, in which `make test` runs those of pages alone."""

from __future__ import annotations

import pytest

from hybridsnap.client.browsers import find_browser, is_headless_shell

#: It is used here. Every tab of it counts as shown, a dialog in it is closed only by the client that saw it
#: open, and it has neither windows nor most pages of `chrome:`.
IN_HEADLESS_SHELL = is_headless_shell(find_browser())


_REASON = "chromium-headless-shell "


def not_in_headless_shell(reason: str) -> pytest.MarkDecorator:
    """For a test of what only a whole browser has."""
    return pytest.mark.skipif(IN_HEADLESS_SHELL, reason=_REASON + reason)


def is_of_headless_shell(reason: str) -> bool:
    """Whether this is why `not_in_headless_shell` skips a test."""
    return reason.startswith(_REASON)
