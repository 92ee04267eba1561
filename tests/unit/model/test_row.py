from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError
from kafkastream.model.common.row import Row, RowKind

names = st.lists(st.sampled_from("abcdef"), unique=True, min_size=1)


@st.composite
def rows(draw: st.DrawFn) -> Row:
    fields = draw(names)
    row = Row.of_kind(draw(st.sampled_from(RowKind)), *draw(st.lists(st.integers(), min_size=len(fields))))
    if draw(st.booleans()):
        row = Row.of_kind(row.get_row_kind(), **dict(zip(fields, row, strict=False)))
    return row


@given(rows())
def test_a_row_survives_pickling_and_copying(row: Row) -> None:
    for twin in (pickle.loads(pickle.dumps(row)), copy.deepcopy(row)):
        assert twin == row
        assert repr(twin) == repr(row)
        assert twin.get_row_kind() is row.get_row_kind()


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(), min_size=1))
def test_equal_rows_have_equal_hashes_whatever_the_order_of_names(values: dict[str, int]) -> None:
    backwards = dict(reversed(values.items()))
    assert Row(**values) == Row(**backwards)
    assert hash(Row(**values)) == hash(Row(**backwards))


@pytest.mark.parametrize(
    "other",
    [Row("a", 2), Row("a"), Row(x="a", y=1), Row.of_kind(RowKind.DELETE, "a", 1), ("a", 1)],
)
def test_rows_differ_by_values_names_and_kind(other: object) -> None:
    assert Row("a", 1) != other


def test_values_are_read_by_position_name_and_attribute() -> None:
    row = Row(name="Alice", age=11)
    assert (row[0], row["name"], row.name) == ("Alice", "Alice", "Alice")
    assert row[:] == ["Alice", 11]
    assert (len(row), list(row)) == (2, ["Alice", 11])


def test_values_are_set_by_position_and_name() -> None:
    row = Row(name="Alice", age=11)
    row[0], row["age"] = "Bob", 12
    assert row == Row(name="Bob", age=12)
    row[0:2] = ["Eve", 13]
    assert row == Row(name="Eve", age=13)


def test_attributes_are_read_only() -> None:
    with pytest.raises(AttributeError):
        Row(name="Alice").name = "Bob"  # type: ignore[attr-defined]  # what this test is about


def test_an_unknown_field_is_a_value_error_that_names_the_fields() -> None:
    with pytest.raises(ValueError, match=r"no field 'age'; its fields are \['name'\]"):
        Row(name="Alice")["age"]
    with pytest.raises(AttributeError, match="age"):
        _ = Row(name="Alice").age
    with pytest.raises(ValueError, match="no field 'age'"):
        Row("Alice")["age"] = 1


def test_positional_and_named_values_do_not_mix() -> None:
    with pytest.raises(DefinitionError, match="both args and kwargs"):
        Row(1, a=2)


def test_a_row_of_names_makes_rows() -> None:
    person = Row("name", "age")
    assert person("Alice", 11) == Row(name="Alice", age=11)
    assert "name" in person
    with pytest.raises(DefinitionError, match="expected 2 values"):
        person("Alice", 11, 12)


def test_contains_asks_for_names_or_values() -> None:
    assert "name" in Row(name="Alice")
    assert "Alice" not in Row(name="Alice")
    assert "Alice" in Row("Alice")


def test_as_dict_turns_nested_rows_into_dicts_when_asked() -> None:
    row = Row(key=1, value=Row(name="a"), rows=[Row(x=1)], by_name={"r": Row(y=2)})
    assert row.as_dict()["value"] == Row(name="a")
    assert row.as_dict(recursive=True) == {
        "key": 1,
        "value": {"name": "a"},
        "rows": [{"x": 1}],
        "by_name": {"r": {"y": 2}},
    }


def test_a_row_without_names_is_no_dict() -> None:
    with pytest.raises(TypeError, match="without field names"):
        Row(1).as_dict()


def test_names_can_be_given_later() -> None:
    row = Row("Alice", 11)
    row.set_field_names(["name", "age"])
    assert row == Row(name="Alice", age=11)


def test_fields_are_picked_by_names() -> None:
    assert Row(a=1, b=2).get_fields_by_names(["b", "a"]) == [2, 1]
    assert Row(1, 2).get_fields_by_names(["x"]) == [1, 2]
    with pytest.raises(DefinitionError, match="no field 'c'"):
        Row(a=1).get_fields_by_names(["c"])


def test_only_named_rows_have_fields_as_in_pyflink() -> None:
    assert hasattr(Row(a=1), "_fields")
    assert not hasattr(Row(1), "_fields")


def test_reprs_are_those_of_pyflink() -> None:
    assert repr(Row(name="Alice", age=11)) == "Row(name='Alice', age=11)"
    assert repr(Row("name", 1)) == "<Row('name', 1)>"


def test_kinds_print_as_in_a_changelog() -> None:
    assert list(map(str, RowKind)) == ["+I", "-U", "+U", "-D"]
    row = Row(1)
    row.set_row_kind(RowKind.UPDATE_AFTER)
    assert row == Row.of_kind(RowKind.UPDATE_AFTER, 1)
