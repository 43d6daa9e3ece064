"""What a request cannot mean is refused in one line that says what was wrong, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.server_stage import serving

if TYPE_CHECKING:
    import httpx

_SNAPSHOT, _ACT, _EVALUATE = "/control/snapshot", "/control/act", "/control/evaluate"
#: Path, body → status, words of the detail or the remedy.
_WRONG: list[tuple[str, Any, int, str]] = [
    (_SNAPSHOT, b"not JSON", 400, "the body is not JSON: it goes wrong at position 0, at 'n'"),
    (_SNAPSHOT, b"[" * 200_000, 400, "the body nests too deep"),
    (_SNAPSHOT, b"[]", 400, "the body: expected an object, got a list"),
    (_SNAPSHOT, {"formt": "ai"}, 400, "there is no 'formt'; did you mean format?"),
    (_SNAPSHOT, {"nonsense": 1}, 400, "there is no 'nonsense'; it takes url, wait, "),
    (_SNAPSHOT, {"format": "yaml"}, 400, "format: expected tree, json, role, aria, ai, webarena, "),
    (_SNAPSHOT, {"format": 5}, 400, "format: expected a text, got a whole number"),
    (_SNAPSHOT, {"maxTokens": 0}, 400, "maxTokens: expected a whole number >= 1"),
    (_SNAPSHOT, {"maxTokens": "x"}, 400, "maxTokens: expected a whole number, got a text"),
    (_SNAPSHOT, {"timeoutMs": -5}, 400, "timeoutMs: expected a number > 0"),
    (_SNAPSHOT, {"timeoutMs": 1e9}, 400, "timeoutMs: expected a number <= 600000"),
    (_SNAPSHOT, {"deadlineAtMs": 1}, 400, "deadlineAtMs is past: expected a moment to come"),
    (_SNAPSHOT, {"url": ""}, 400, "expected a URL, got an empty text"),
    (_SNAPSHOT, {"url": "example.com"}, 400, "has no scheme; write https://example.com"),
    (_SNAPSHOT, {"url": "javascript:1"}, 403, "run scripts with evaluate"),
    (_SNAPSHOT, {"limit": 3}, 400, "'limit' is not an option of the format 'tree'; it takes "),
    (_SNAPSHOT, {"flat": True}, 400, "send that, too"),
    (_SNAPSHOT, {"browserId": "x"}, 404, "there is no browser 'x'"),
    (_SNAPSHOT, {"targetId": "x"}, 404, "GET /tabs lists the tabs"),
    (_ACT, {}, 400, 'there is no action; such as {"elementId": "0-29", "action": "click"}'),
    (_ACT, {"action": "clik"}, 400, "unknown action 'clik'; did you mean click?"),
    (_ACT, {"action": 5}, 400, "'action' has to name an action"),
    (_ACT, {"action": "click"}, 400, "click needs 'element'; it takes element, "),
    (_ACT, {"action": "click", "elementId": ""}, 400, "element is an empty text; give one"),
    (_ACT, {"action": "click", "elementId": 5}, 400, "element: expected a text, got a whole number"),
    (_ACT, {"action": "click", "element": "a", "elment": 1}, 400, "element is probably meant"),
    (_ACT, {"action": "click", "element": "a", "count": 9}, 400, "count is 1, 2 or 3, not 9"),
    (
        _ACT,
        {"action": "click", "element": "a", "button": "x"},
        400,
        "expected left, middle or right, got 'x'",
    ),
    (_ACT, {"action": "press", "chord": "Entr"}, 400, "unknown key 'Entr'; did you mean Enter?"),
    (_ACT, {"actions": []}, 400, "a batch has 1 to 100 actions, not 0"),
    (_ACT, {"actions": [5]}, 400, "actions[0]: expected a text or an object, got a whole number"),
    (
        _ACT,
        {"actions": ["clik [0-3]"]},
        400,
        "action 0: Unknown action clik at position 0; did you mean click",
    ),
    (_EVALUATE, {}, 400, "expression is missing; it takes "),
    (_EVALUATE, {"expression": "1", "args": 5}, 400, "args: expected a list, got a whole number"),
    ("/tabs", {"ur": "x"}, 400, "there is no 'ur'; did you mean url?"),
    ("/control/snapshots", {}, 404, "there is no /control/snapshots"),
    ("/control/snapshots", {}, 404, "/control/snapshot is probably meant"),
    ("/health", {}, 405, "/health takes GET, not POST"),
]


async def test_a_wrong_request_is_told_what_to_do(browser_endpoint: str) -> None:
    async with serving(browser_endpoint, allow_evaluate=True) as served:
        for path, body, status, words in _WRONG:
            content = {"content": body} if isinstance(body, bytes) else {"json": body}
            headers = {"Content-Type": "application/json"}
            answer: httpx.Response = await served.client.post(path, headers=headers, **content)
            said = answer.json()
            line = f"{said['detail']}; {said['remedy']}"
            assert (answer.status_code, words in line) == (status, True), (path, str(body)[:80], line)
            assert "\n" not in line
        # Nothing of it opened a tab.
        tabs = (await served.client.get("/tabs")).json()["tabs"]
        assert not [one for one in tabs if one["own"]]
