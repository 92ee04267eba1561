from __future__ import annotations

import enum
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError
from kafkastream.options import job, parsers, restarts
from kafkastream.options.option import Option


class Color(enum.Enum):
    LIGHT_BLUE = "sky"
    RED = "red"


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (parsers.text, " a ", " a "),
        (parsers.boolean, "TRUE", True),
        (parsers.boolean, " false ", False),
        (parsers.integer, "-5", -5),
        (parsers.positive, "5", 5),
        (parsers.floating, "1e3", 1000.0),
        (parsers.millis_of_duration, "20", 20),
        (parsers.millis_of_duration, "500ms", 500),
        (parsers.millis_of_duration, "10 s", 10_000),
        (parsers.millis_of_duration, " 1 min ", 60_000),
        (parsers.millis_of_duration, "2 Hours", 7_200_000),
        (parsers.millis_of_duration, "1d", 86_400_000),
        (parsers.millis_of_duration, "1500 µs", 1),
        (parsers.millis_of_duration, "999999 nanos", 0),
        (parsers.millis_or_never, "10 s", 10_000),
        (parsers.millis_or_never, " -1 ms", -1),
        (parsers.port_list, "9249", (9249,)),
        (parsers.port_list, "9250-9252, 0", (9250, 9251, 9252, 0)),
        (parsers.bytes_of_memory, "17", 17),
        (parsers.bytes_of_memory, "64 kb", 65_536),
        (parsers.bytes_of_memory, "1G", 2**30),
        (parsers.choice("A_B", "c-d"), "a-b", "A_B"),
        (parsers.choice("A_B", "c-d"), "C_D", "c-d"),
        (parsers.choice("none", aliases={"off": "none"}), "off", "none"),
        (parsers.enum_member(Color), "sky", Color.LIGHT_BLUE),
        (parsers.enum_member(Color), "light-blue", Color.LIGHT_BLUE),
        (parsers.list_of(parsers.text), "a; b;;", ("a", "b")),
        (parsers.list_of(parsers.text), "['a', \"b\"]", ("a", "b")),
        (parsers.list_of(parsers.integer, separator=","), "1,2", (1, 2)),
        (parsers.list_of(parsers.integer), "- 1\n- 2", (1, 2)),
        (parsers.list_of(parsers.text), "", ()),
    ],
)
def test_text_becomes_a_value(parse: Callable[[str], object], text: str, value: object) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    ("parse", "text", "reason"),
    [
        (parsers.boolean, "yes", "expected true or false"),
        (parsers.integer, "1.5", "expected a whole number"),
        (parsers.positive, "0", "expected a whole number greater than zero"),
        (parsers.floating, "x", "expected a number"),
        (parsers.millis_of_duration, "", "expected a number, then a unit"),
        (parsers.millis_of_duration, "-1 s", "expected a number, then a unit"),
        (parsers.millis_of_duration, "1 fortnight", "unknown unit 'fortnight'"),
        (parsers.bytes_of_memory, "1 s", "unknown unit 's'; expected one of b, bytes, k"),
        (parsers.choice("a", "b"), "c", "expected one of a, b"),
        (parsers.enum_member(Color), "green", "expected one of sky, red"),
        (parsers.list_of(parsers.integer), "1;x", "expected a whole number"),
        (parsers.map_of, "a", "expected pairs like key:value"),
        (parsers.map_of, "a:'b", "expected pairs like key:value"),
    ],
)
def test_wrong_text_is_refused_with_key_and_reason(parse: Callable[[str], object], text: str, reason: str) -> None:
    option = Option(key="some.key", parse=parse, default=None, doc="")
    with pytest.raises(DefinitionError, match=r"is not a valid value for 'some\.key'") as caught:
        option.read(text)
    assert repr(text) in str(caught.value)
    assert reason in str(caught.value)


@given(st.integers(0, 10**9))
def test_a_duration_without_unit_is_in_milliseconds(millis: int) -> None:
    assert parsers.millis_of_duration(str(millis)) == parsers.millis_of_duration(f"{millis} ms") == millis


@given(st.dictionaries(st.text(), st.text()))
def test_a_map_is_read_as_it_was_written(pairs: dict[str, str]) -> None:
    assert parsers.map_of(parsers.text_of_map(pairs)) == pairs


@pytest.mark.parametrize("option", job.JOB_OPTIONS, ids=lambda option: option.key)
def test_a_job_option_is_documented_and_its_default_can_be_written(option: Option[object]) -> None:
    assert option.doc.endswith(".")
    if isinstance(option.default, (str, int)):
        assert option.read(str(option.default)) == option.default


def test_no_key_of_a_job_is_declared_twice() -> None:
    keys = [key for option in job.JOB_OPTIONS for key in option.keys]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("spelling", ["none", "off", "disable", "NONE"])
def test_no_restart_has_many_names(spelling: str) -> None:
    assert restarts.RESTART_STRATEGY.read(spelling) == "none"
