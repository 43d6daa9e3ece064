"""What is counted of a browser's work."""

from __future__ import annotations

import pytest

from hybridsnap import Browser, EvaluationFailed, EvaluationTimeout, StaleElement
from tests.support.pages import serve_pages

pytestmark = pytest.mark.alone

_PAGES = {
    "/": "<!doctype html><title>Counted</title><button id=buy>Buy</button>",
    "/hanging": "<!doctype html><p>outer<iframe src=/hang></iframe>",
}


async def test_metrics(browser: Browser) -> None:
    metrics = browser.metrics
    async with serve_pages(_PAGES) as pages:
        page = await browser.new_page(pages.url("/"))
        assert metrics.to_dict()["evaluations"]["count"] == 0
        snapshot = await page.snapshot()
        (buy,) = snapshot.find(role="button")
        assert await page.evaluate("1 + 1") == 2
        with pytest.raises(EvaluationFailed):
            await page.evaluate("nope()")
        with pytest.raises(EvaluationTimeout):
            await page.evaluate("while (true);", timeout=0.5)
        with pytest.raises(EvaluationTimeout):
            await page.evaluate("new Promise(() => {})", timeout=0.3)
        await page.evaluate("buy.remove()")
        with pytest.raises(StaleElement):
            await page.evaluate("(e) => e", element=buy.id)
        other = await browser.new_page(pages.url("/hanging"), wait="none")
        assert not (await other.snapshot(timeout=1)).report.complete
    counted = metrics.to_dict()
    evaluations = counted["evaluations"]
    assert evaluations["count"] == 6
    assert evaluations["count"] == sum(evaluations["upTo"].values())
    assert 400 <= evaluations["maxMs"] <= evaluations["totalMs"]
    assert counted["evaluationTimeouts"] == 2
    assert counted["evaluationsFailed"] == 1
    # The loop. A page that were slow to say that the promise does not run would have that ended as well.
    assert counted["terminations"] == 1
    assert counted["ways"] == {"own connection": 5}
    assert counted["fallbacks"] == {}
    assert (counted["captures"], counted["partialCaptures"]) == (2, 1)
    assert counted["staleIds"] == 1
    assert counted["coveredClicks"] == 0
    assert counted["reattached"] == 0
