"""Answers to generated requests are as the description says: schemathesis, with all checks."""

from __future__ import annotations

import collections
import functools
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
import schemathesis
import trio
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig

from tests.support.server_stage import TOKEN, serving

if TYPE_CHECKING:
    from schemathesis import Case
    from schemathesis.schemas import APIOperation

#: No request waits longer, ms.
_BUDGET_MS = 300
_SECONDS = 20
#: A schema cannot say which texts are selectors, URLs, keys, ids of tabs, or scripts that do not throw, nor
#: what the page lacks: 400, 404, 409, 410 and 422. Scripts and addresses are refused by the rules: 403.
_SEMANTIC = ["2xx", "400", "403", "404", "409", "410", "422", "502", "503", "504"]
_CHECKS = {
    "positive_data_acceptance": {"expected-statuses": _SEMANTIC},
    # 502: the page failed; 503: the limit on tabs; 504: the budget was used up. 500 is never right.
    "not_a_server_error": {"expected-statuses": ["2xx", "4xx", "502", "503", "504"]},
}


_Statuses: TypeAlias = dict[GenerationMode, collections.Counter[int]]
_CONFIG = {"checks": _CHECKS, "auth": {"openapi": {"token": {"bearer": TOKEN}}}}


def _fuzz(document: dict[str, Any], url: str, examples: int) -> _Statuses:
    """Send generated requests to all operations but ``/events``, whose answer has no end; the statuses."""
    config = SchemathesisConfig.from_dict({**_CONFIG, "base-url": url})
    schema = schemathesis.openapi.from_dict(document, config=config)
    statuses: _Statuses = collections.defaultdict(collections.Counter)
    for found in schema.get_all_operations():
        operation = found.ok()  # type: ignore[union-attr]
        if operation.path == "/events":
            continue
        for mode in GenerationMode:
            _fuzz_operation(operation, mode, statuses, examples)
    return statuses


def _fuzz_operation(
    operation: APIOperation[Any, Any, Any, Any], mode: GenerationMode, statuses: _Statuses, examples: int
) -> None:

    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Case[Any]) -> None:
        _hurry(case)
        answer = case.call_and_validate(timeout=_SECONDS)
        statuses[mode][answer.status_code] += 1

    send()


def _hurry(case: Case[Any]) -> None:
    """Allow a moment where the request allows any time that is right, or says nothing of it."""
    if isinstance(case.body, dict) and case.path.startswith("/control/"):
        case.body.setdefault("timeoutMs", _BUDGET_MS)
    for part in (case.body, case.query):
        given_ms = part.get("timeoutMs") if isinstance(part, dict) else None
        if isinstance(part, dict) and isinstance(given_ms, int | float):
            part["timeoutMs"] = min(given_ms, _BUDGET_MS)


@pytest.mark.parametrize("examples", [5, pytest.param(100, marks=pytest.mark.soak)])
async def test_generated_requests_are_answered_as_described(browser_endpoint: str, examples: int) -> None:
    async with serving(browser_endpoint, allow_private=False) as served:
        document = (await served.client.get("/openapi.json")).json()
        fuzz = functools.partial(_fuzz, document, served.server.url, examples)
        statuses = await trio.to_thread.run_sync(fuzz)
        # Requests were let in, done, and refused; and the server is well after them all.
        right, wrong = statuses[GenerationMode.POSITIVE], statuses[GenerationMode.NEGATIVE]
        assert {200, 201, 400, 404} <= set(right), right
        assert 401 not in right  # while requests that are to be refused may lack the token, too
        assert {400, 401} <= set(wrong), wrong
        assert (await served.client.get("/health")).json()["status"] == "ok"
