"""WebArena's action strings: every form, every error's place, and there and back over hostile texts."""

from __future__ import annotations

import dataclasses
import pickle
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridsnap.errors import HybridsnapError
from hybridsnap.webarena import (
    Action,
    Clear,
    Click,
    CloseTab,
    GoBack,
    GoForward,
    Goto,
    Hover,
    NewTab,
    NoAction,
    Press,
    Scroll,
    Select,
    StepError,
    Stop,
    TabFocus,
    Type,
    Upload,
    extract_step,
    format_step,
    parse_step,
)
from tests.support.strategies import page_texts

FORMS: list[tuple[str, Action]] = [
    ("click [7]", Click("7")),
    ("click [0-29]", Click("0-29")),
    ("hover [1582]", Hover("1582")),
    ("clear [0-5]", Clear("0-5")),
    ("type [7] [hello world]", Type("7", "hello world", enter=True)),
    ("type [7] [hello world] [1]", Type("7", "hello world", enter=True)),
    ("type [7] [hello world] [0]", Type("7", "hello world", enter=False)),
    ("type [7] [1]", Type("7", "1", enter=True)),
    ("type [7] [0]", Type("7", "0", enter=True)),
    ("type [7] [1] [0]", Type("7", "1", enter=False)),
    ("type [7] [2023]", Type("7", "2023", enter=True)),
    ("type [5] []", Type("5", "", enter=True)),
    ("type [5] [] [0]", Type("5", "", enter=False)),
    ("type [5] []]", Type("5", "]", enter=True)),
    ("type [7] [a[0] = b[1]]", Type("7", "a[0] = b[1]", enter=True)),
    ("type [7] [a[0] = b[1]] [0]", Type("7", "a[0] = b[1]", enter=False)),
    ("type [7] [:] and ][] [0]", Type("7", ":] and ][", enter=False)),
    ("type [7] [a] [1] [0]", Type("7", "a] [1", enter=False)),
    ("type [7] [a] [b]", Type("7", "a] [b", enter=True)),
    ("type [7] [one\ntwo\n] [0]", Type("7", "one\ntwo\n", enter=False)),
    ("type [7] [one\r\n[two]] [1]", Type("7", "one\r\n[two]", enter=True)),
    ("type [0-7] [ hello ]", Type("0-7", " hello ", enter=True)),
    ("press [Enter]", Press("Enter")),
    ("press [Ctrl+v]", Press("Ctrl+v")),
    ("press [Meta+a]", Press("Meta+a")),
    ("press []]", Press("]")),
    ("press [ ]", Press(" ")),
    ("scroll [up]", Scroll("up")),
    ("scroll [down]", Scroll("down")),
    ("scroll up", Scroll("up")),
    ("scroll down", Scroll("down")),
    ("goto [http://[::1]:8000/?a[]=1]", Goto("http://[::1]:8000/?a[]=1")),
    ("new_tab", NewTab()),
    ("go_back", GoBack()),
    ("go_forward", GoForward()),
    ("tab_focus [0]", TabFocus(0)),
    ("tab_focus [12]", TabFocus(12)),
    ("close_tab", CloseTab()),
    ("stop [557m]", Stop("557m")),
    ("stop [N/A [really]]", Stop("N/A [really]")),
    ("stop []", Stop("")),
    ("stop", Stop("")),
    ('stop("557m")', Stop("557m")),
    ('stop("he said ("no")")', Stop('he said ("no")')),
    ('stop("")', Stop("")),
    ("None", NoAction()),
    ("select [7] [Dark blue]", Select("7", "Dark blue")),
    ("select [7] []", Select("7", "")),
    ("select [7] [S [small]]", Select("7", "S [small]")),
    ("upload [0-7] [/tmp/a [1].png]", Upload("0-7", "/tmp/a [1].png")),
]

LENIENT: list[tuple[str, Action]] = [
    ("click[123]", Click("123")),
    ("click [123] the button", Click("123")),
    ("click  [123]", Click("123")),
    ("hover[0-3].", Hover("0-3")),
    ("type[456][hello world][1]", Type("456", "hello world", enter=True)),
    ("type[456][hello world][0]", Type("456", "hello world", enter=False)),
    ("type[456][hello world]", Type("456", "hello world", enter=True)),
    ("type [7] [hello] [0] and then look", Type("7", "hello", enter=False)),
    ("type [7] [hello] [press_enter_after=0]", Type("7", "hello", enter=False)),
    ("type [7] [hello] [2]", Type("7", "hello] [2", enter=True)),  # as WebArena reads it
    ("press[Control+A] please", Press("Control+A")),
    ("scroll[up]", Scroll("up")),
    ("scroll [down] a bit", Scroll("down")),
    ("scroll down to the end", Scroll("down")),
    ("scroll [down", Scroll("down")),
    ("goto[https://example.org/] first", Goto("https://example.org/")),
    ("new_tab please", NewTab()),
    ("new_tab [https://example.org/]", NewTab()),
    ("go_back [1]", GoBack()),
    ("tab_focus[1]", TabFocus(1)),
    ("close_tab now", CloseTab()),
    ("stop[42] as I said", Stop("42")),
    ('stop ("42")', Stop("42")),
    ("stop I am done", Stop("")),
    ("stop [42", Stop("")),
    ("None of these", NoAction()),
]

#: Each step that is none, and where it first goes wrong.
WRONG: list[tuple[str, str, int]] = [
    ("click", "click", 5),
    ("click 7", "click", 6),
    ("click[7]", "click", 5),
    ("click  [7]", "click", 6),
    ("click [", "click", 7),
    ("click []", "click", 7),
    ("click [seven]", "click", 7),
    ("click [-7]", "click", 7),
    ("click [7a]", "click", 8),
    ("click [0-]", "click", 8),
    ("click [0-2-9]", "click", 10),
    ("click [7", "click", 8),
    ("click [7] now", "click", 9),
    ("click [٧]", "click", 7),
    ("  click 7", "click", 8),
    ("hover(7)", "hover", 5),
    ("type [7]", "type", 8),
    ("type [7] hello", "type", 9),
    ("type [7] [hello", "type", 15),
    ("type [7][hello]", "type", 8),
    ("type [7] [hello] now", "type", 16),
    ("type [7] [hello][1]", "type", 16),
    ("type [7] [hello]  [1]", "type", 17),
    ("type [7] [hello]\n[1]", "type", 16),
    ("type [7] [hello] [2]", "type", 18),
    ("type [7] [hello] [10]", "type", 19),
    ("type [7] [hello] []", "type", 18),
    ("type [7] [hello] [press_enter_after=0]", "type", 18),
    ("press []", "press", 7),
    ("press Enter", "press", 6),
    ("scroll", "scroll", 6),
    ("scroll [left]", "scroll", 8),
    ("scroll [down", "scroll", 12),
    ("scroll downwards", "scroll", 11),
    ("goto []", "goto", 6),
    ("goto https://example.org/", "goto", 5),
    ("new_tab [x]", "new_tab", 7),
    ("go_back now", "go_back", 7),
    ("tab_focus [-1]", "tab_focus", 11),
    ("tab_focus [1234567890]", "tab_focus", 20),
    ("stop now", "stop", 5),
    ("stop [now", "stop", 9),
    ("stop(now)", "stop", 4),
    ('stop("now"', "stop", 10),
    ('stop(")', "stop", 7),
    ("stop  [now]", "stop", 5),
    ("None [7]", "None", 4),
    ("clear [x]", "clear", 7),
    ("select [7]", "select", 10),
    ("upload [7] []", "upload", 12),
]


@pytest.mark.parametrize(("step", "action"), FORMS)
def test_every_form_is_read_and_comes_back(step: str, action: Action) -> None:
    assert parse_step(step) == action
    assert parse_step(step, lenient=True) == action
    assert parse_step(f" \n{step}\t\n") == action
    assert parse_step(format_step(action)) == action


@pytest.mark.parametrize(("step", "action"), LENIENT)
def test_lenient_takes_what_the_two_projects_take(step: str, action: Action) -> None:
    assert parse_step(step, lenient=True) == action
    with pytest.raises(StepError):
        parse_step(step)


@pytest.mark.parametrize(("step", "name", "position"), WRONG)
def test_an_error_says_where_and_how_it_is_right(step: str, name: str, position: int) -> None:
    with pytest.raises(StepError, match=rf"^Invalid {name} action ") as caught:
        parse_step(step)
    error = caught.value
    assert (error.action, error.position) == (name, position)
    assert format_step(parse_step(error.example)) == error.example
    assert error.example.partition(" ")[0] == name
    assert error.example in str(error)
    assert f"position {position} " in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("step", "name", "position", "example"),
    [
        ("clik [7]", "clik", 0, "click [7]"),
        ("  Type [7] [x]", "Type", 2, "type [7] [some text] [1]"),
        ("goback", "goback", 0, "go_back"),
        ("dance", "dance", 0, "click [7]"),
        ("[7]", "", 0, "click [7]"),
        ("", "", 0, "click [7]"),
        (" \n", "", 2, "click [7]"),
        ("click\u200b [7]", "click\u200b", 0, "click [7]"),
    ],
)
@pytest.mark.parametrize("lenient", [False, True])
def test_an_unknown_action_names_the_nearest(
    step: str, name: str, position: int, example: str, *, lenient: bool
) -> None:
    with pytest.raises(StepError, match=r"^Unknown action ") as caught:
        parse_step(step, lenient=lenient)
    error = caught.value
    assert (error.action, error.position, error.example) == (name, position, example)


def test_an_error_is_a_value_error_and_can_be_pickled() -> None:
    with pytest.raises(StepError) as caught:
        parse_step("click 7")
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, HybridsnapError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), vars(again)) == (str(caught.value), vars(caught.value))


def test_a_message_is_one_short_line_whatever_the_step() -> None:
    for step in (
        "click \x1b[31m\n\u202e" + "x" * 10_000,
        "x" * 10_000,
        "type [7] [\ud800" + "[" * 500 + "][2]",
    ):
        with pytest.raises(StepError) as caught:
            parse_step(step)
        assert len(str(caught.value)) < 400
        assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        (Click, {"element_id": "7]"}),
        (Hover, {"element_id": ""}),
        (Clear, {"element_id": "7\n"}),
        (Type, {"element_id": "e7", "text": "x"}),
        (Select, {"element_id": "1-2-3", "option": "x"}),
        (Upload, {"element_id": "7", "path": ""}),
        (Upload, {"element_id": "x", "path": "y"}),
        (Press, {"keys": ""}),
        (Scroll, {"direction": "left"}),
        (Goto, {"url": ""}),
        (TabFocus, {"index": -1}),
        (TabFocus, {"index": 10**9}),
    ],
)
def test_what_could_not_be_written_cannot_be_made(form: type[Action], wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"element id|empty|direction|tab"):
        form(**wrong)  # type: ignore[arg-type]


_HOSTILE = st.lists(
    page_texts
    | st.sampled_from(
        [
            "[",
            "]",
            "] [",
            "] [1",
            "] [0]",
            "][1",
            "[1]",
            '")',
            '("',
            " ",
            "\n",
            "]\nclick [8",
            "```",
            "1",
            "stop",
        ]
    ),
    max_size=5,
).map("".join)
_ELEMENT_IDS = st.from_regex(r"[0-9]{1,6}(-[0-9]{1,6})?", fullmatch=True)
ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(Click, _ELEMENT_IDS),
    st.builds(Hover, _ELEMENT_IDS),
    st.builds(Clear, _ELEMENT_IDS),
    st.builds(Type, _ELEMENT_IDS, _HOSTILE, st.booleans()),
    st.builds(Press, _HOSTILE.filter(bool)),
    st.builds(Scroll, st.sampled_from(["up", "down"])),
    st.builds(Goto, _HOSTILE.filter(bool)),
    st.builds(TabFocus, st.integers(0, 999_999_999)),
    st.builds(Stop, _HOSTILE),
    st.builds(Select, _ELEMENT_IDS, _HOSTILE),
    st.builds(Upload, _ELEMENT_IDS, _HOSTILE.filter(bool)),
    st.sampled_from([NewTab(), GoBack(), GoForward(), CloseTab(), NoAction()]),
)


@given(ACTIONS)
def test_there_and_back(action: Action) -> None:
    step = format_step(action)
    assert parse_step(step) == action
    assert parse_step(step, lenient=True) == action
    assert format_step(parse_step(step)) == step


_STEPS = st.lists(
    st.sampled_from(
        [*'[]( )"\n017-+a', "click", "type", "stop", "scroll", "down", "press", "] [", "[7]", " [1]"]
    ),
    max_size=8,
).map("".join)


@given(_STEPS | st.builds(lambda action, more: format_step(action) + more, ACTIONS, _STEPS) | _HOSTILE)
def test_any_text_is_an_action_or_an_error_with_a_place(text: str) -> None:
    try:
        action = parse_step(text)
    except StepError as error:
        assert 0 <= error.position <= len(text)  # noqa: PT017
    else:
        assert parse_step(format_step(action)) == action
        assert parse_step(text, lenient=True) == action


def webarena(step: str) -> tuple[str, ...] | None:
    """What WebArena's own expressions make of a step with an id, written down anew."""
    if not step.endswith(("[0]", "[1]")):
        step += " [1]"
    if found := re.fullmatch(r"type ?\[(\d+)\] ?\[(.+)\] ?\[(\d+)\]", step, re.ASCII):
        return found[1], found[2], found[3]
    return None


@given(
    st.text(st.sampled_from("ab [0]:"), max_size=12),
    st.sampled_from(["", "[0]", " [0]", " [1]", "[1]"]),
    st.sampled_from(["type[7][", "type [7] [", "type [7]["]),
)
def test_lenient_types_what_webarena_types(text: str, flag: str, start: str) -> None:
    step = f"{start}{text}]{flag}"
    theirs = webarena(step)
    if theirs is None or not theirs[1].strip():
        return
    ours = parse_step(step, lenient=True)
    assert ours == Type(theirs[0], theirs[1], enter=theirs[2] == "1")


@pytest.mark.parametrize(
    ("response", "step"),
    [
        ("Let's think. In summary, the next action is ```click [1234]```", "click [1234]"),
        ("```\nclick [7]\n```", "click [7]"),
        ("```text\ntype [7] [a\nb] [0]\n```", "type [7] [a\nb] [0]"),
        ("First ```<b>html</b>``` then ```stop [42]``` and ```click [7]```", "stop [42]"),
        ("I could click [5], but ```clikc [7]```", "clikc [7]"),
        ("```type [7] [say ``hi``] [0]```", "type [7] [say ``hi``] [0]"),
        ("```I think so\nclick [7]```", "I think so\nclick [7]"),
        ("``````", ""),
        ("so: click [7]", "click [7]"),
        ("I will click [7].", "click [7]"),
        ("**click [7]** is best, not hover [8]", "click [7]"),
        ("click [seven] is wrong; hover [0-8] is right", "hover [0-8]"),
        ("double-click [7] is none, hover [8]", "hover [8]"),
        ("Action: type [7] [hello [you]] [0], then look", "type [7] [hello [you]] [0]"),
        ("type [7] [one\ntwo] and wait", "type [7] [one\ntwo]"),
        ("type [7] [smile :]] [1]", "type [7] [smile :]] [1]"),
        ("type [7] [frown :[] [1].", "type [7] [frown :[] [1]"),
        ("type [7] [x] [see below]", "type [7] [x]"),
        ("click [7] [the button]", "click [7]"),
        ('It is done: stop("the [answer"). Bye', 'stop("the [answer")'),
        ("I should go_back now", "go_back"),
        ("My new_tables are new_tab", "new_tab"),
        ("I cannot stop.\nNone of it matters.\nstop", "stop"),
        ("If I scroll down I see more.\nAction: scroll down\n", "scroll down"),
        ("None", "None"),
        ("unclosed ```click [7]", "click [7]"),
    ],
)
def test_the_step_is_found_in_an_answer(response: str, step: str) -> None:
    assert extract_step(response) == step


def test_splitters_are_tried_in_turn() -> None:
    response = "~~ no step ~~ <act>click [7]<act> ```click [8]```"
    assert extract_step(response, "<act>") == "click [7]"
    assert extract_step(response, ["~~", "```", "<act>"]) == "click [8]"
    assert extract_step(response, ["~~", "%%"]) == "no step"
    assert extract_step("a.*c click [7] a.*c", "a.*c") == "click [7]"
    assert extract_step("nothing between, click [7]", ("~~", "%%")) == "click [7]"


@pytest.mark.parametrize("response", ["", "I do not know.", "click here", "I'll stop.", "type [7] [half"])
def test_no_step_is_an_error(response: str) -> None:
    with pytest.raises(StepError, match=r"^Cannot find an action ") as caught:
        extract_step(response)
    assert caught.value.action == ""


@pytest.mark.parametrize("splitter", ["", (), ("```", "")])
def test_an_empty_splitter_is_wrong_usage(splitter: str | tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="splitter"):
        extract_step("click [7]", splitter)


@given(ACTIONS.filter(lambda action: "```" not in format_step(action)), st.text(st.characters(codec="ascii")))
def test_whatever_is_set_in_splitters_is_found(action: Action, words: str) -> None:
    prose = words.replace("`", "'")
    assert extract_step(f"{prose}```{format_step(action)}```{prose}") == format_step(action)


@given(
    _STEPS
    | _HOSTILE
    | st.builds(lambda action, text: f"{text} {format_step(action)} {text}", ACTIONS, _STEPS)
)
def test_a_found_step_is_part_of_the_answer(response: str) -> None:
    try:
        step = extract_step(response)
    except StepError:
        return
    assert step in response


@pytest.mark.parametrize(
    "part", ["type [7] [", "[", "]", "click [7 ", "``", 'stop("', "] [1", " ", "type [7] [x] [2] "]
)
def test_long_answers_take_no_long_time(part: str) -> None:
    response = part * (200_000 // len(part))
    began = time.process_time()
    with pytest.raises(StepError):
        parse_step(extract_step(response))
    for lenient in (False, True):
        with pytest.raises(StepError):
            parse_step("type [7] " + response + "x", lenient=lenient)
    assert time.process_time() - began < 5


def test_every_action_is_frozen() -> None:
    for _, action in FORMS:
        assert action == dataclasses.replace(action)
        assert hash(action) == hash(dataclasses.replace(action))
        assert not hasattr(action, "__dict__")
