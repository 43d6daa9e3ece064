"""A test with pytest: find, act, assert on what the page says, on its console and on its requests."""

# prints: 1 passed

import sys
from collections.abc import Iterator

import pytest

from hybridsnap.sync import Page, launch


@pytest.fixture
def page() -> Iterator[Page]:
    with launch(record=["console", "network"]) as browser:
        yield browser.new_page("https://shop.example/")


def test_a_throw_is_bought(page: Page) -> None:
    page.click('role=button[name="Buy River Throw"]')
    page.wait_for(text="Added to the cart: 1 × River Throw", timeout=10)
    assert not page.console.errors()
    assert not page.network.requests(failed=True)


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-q", "-p", "no:cacheprovider"]))
