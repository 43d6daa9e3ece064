"""Names of other libraries, tried on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import hybridsnap.sync
from hybridsnap.client.other_names import INSTEAD

if TYPE_CHECKING:
    from hybridsnap import Page


def check_names(page: Any) -> None:
    for name, instead in INSTEAD.items():
        assert not instead or hasattr(page, instead)
        with pytest.raises(AttributeError) as refused:
            getattr(page, name)
        assert str(refused.value).startswith(f"'Page' object has no attribute '{name}'; ")
        assert instead in str(refused.value)
    with pytest.raises(AttributeError, match=r"^'Page' object has no attribute 'zzz'$"):
        _ = page.zzz


async def test_they_are_refused_with_what_stands_for_them(page: Page) -> None:
    check_names(page)


def test_also_where_calls_block(browser_endpoint: str) -> None:
    with hybridsnap.sync.connect(browser_endpoint) as browser:
        page = browser.new_page()
        check_names(page)
        page.close()
