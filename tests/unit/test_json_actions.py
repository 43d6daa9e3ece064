"""Actions as JSON that messages of the command line show."""

from __future__ import annotations

import json
import shlex

import pytest

from hybridsnap.act.actions import ACTIONS
from hybridsnap.cli.json_actions import json_form
from hybridsnap.client.requests import parse_action


@pytest.mark.parametrize("name", sorted(ACTIONS))
def test_each_action_has_a_form_that_is_read(name: str) -> None:
    form = json_form(name)
    assert form is not None
    data = json.loads(shlex.split(form)[0])
    # What is to be filled in need not be a key, or a direction.
    data = {key: "a" if value == "…" and key in {"chord", "key"} else value for key, value in data.items()}
    assert parse_action(data).name == name


def test_what_a_shell_would_read_is_quoted() -> None:
    form = json_form("click", """input[title='a "b"']""")
    assert form is not None
    assert json.loads(shlex.split(form)[0]) == {"action": "click", "element": """input[title='a "b"']"""}
