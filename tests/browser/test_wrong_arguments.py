"""Wrong arguments are refused before the browser is asked, in one line that names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hybridsnap import Page

_WRONG: list[tuple[Callable[[Any], Awaitable[Any]], type[Exception], str]] = [
    (lambda page: page.storage.cookies(5), TypeError, "urls: expected a str"),
    (lambda page: page.storage.items("disk"), ValueError, "expected local or session as area"),
    (lambda page: page.storage.items(), ValueError, "no frame of the page has storage"),
    (lambda page: page.storage.set_items(["a"]), TypeError, "items: expected a dict"),
    (lambda page: page.storage.grant_permissions(5), TypeError, "permissions: expected a str"),
    (lambda page: page.storage_state(origins=5), TypeError, "origins: expected a str"),
    (lambda page: page.browser.new_context(proxy=5), TypeError, "proxy: expected a str"),
    (lambda page: page.browser.new_context(proxy="my proxy"), ValueError, "proxy: expected an address"),
    (lambda page: page.browser.new_context(proxy=""), ValueError, "proxy: expected an address"),
    (lambda page: page.browser.new_context(proxy_bypass=5), TypeError, "proxy_bypass: expected a str"),
    (lambda page: page.pdf(paper=5), TypeError, "paper: expected a name such as 'a4'"),
    (lambda page: page.pdf(paper=(1, 2, 3)), TypeError, "paper: expected a name such as 'a4'"),
    (lambda page: page.pdf(header=5), TypeError, "header: expected a str"),
    (lambda page: page.pdf(pages=5), TypeError, "pages: expected a str"),
    (lambda page: page.pdf(background="yes"), TypeError, "background: expected True or False"),
    (lambda page: page.pdf(scale="2"), TypeError, "scale: expected a number"),
    (lambda page: page.pdf(scale=float("nan")), ValueError, "scale: expected a finite number"),
    (lambda page: page.screenshot(full_page="yes"), TypeError, "full_page: expected True or False"),
    (lambda page: page.screenshot(transparent=1), TypeError, "transparent: expected True or False"),
]


async def test_each_is_named(page: Page) -> None:
    await page.goto("data:text/html,<title>nothing</title>")
    for call, error, words in _WRONG:
        with pytest.raises(error, match=words) as caught:
            await call(page)
        assert "\n" not in str(caught.value)
    assert page.browser.contexts == []


async def test_python_s_own_errors_name_the_page(page: Page) -> None:
    fill: Any = page.fill
    with pytest.raises(TypeError, match=r"^Page\.fill\(\) missing 1 required positional argument: 'value'"):
        await fill("#a")
