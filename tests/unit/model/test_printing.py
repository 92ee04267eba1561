from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.common.time import Instant
from kafkastream.model.common.types import TypeInformation, TypeKind, Types
from kafkastream.model.common.value_printing import flink_string, java_double, java_float, printed

_PERSON = Types.ROW_NAMED(["name", "age"], [Types.STRING(), Types.INT()])


@pytest.mark.parametrize(
    ("value", "type_info", "text"),
    [
        ("a", Types.STRING(), "a"),
        (True, Types.BOOLEAN(), "true"),
        (None, Types.STRING(), "null"),
        (1, Types.INT(), "1"),
        (1, Types.DOUBLE(), "1.0"),
        (1e10, Types.DOUBLE(), "1.0E10"),
        (0.1, Types.FLOAT(), "0.1"),
        (Decimal("1.50"), Types.BIG_DEC(), "1.50"),
        (datetime.date(2020, 1, 2), Types.SQL_DATE(), "2020-01-02"),
        (datetime.time(1, 2, 3, 4), Types.SQL_TIME(), "01:02:03"),
        (datetime.datetime(2020, 1, 2, 3, 4, 5), Types.SQL_TIMESTAMP(), "2020-01-02 03:04:05.0"),  # noqa: DTZ001
        (datetime.datetime(2020, 1, 2, 3, 4, 5, 120_000), Types.SQL_TIMESTAMP(), "2020-01-02 03:04:05.12"),  # noqa: DTZ001
        (Instant(0, 0), Types.INSTANT(), "1970-01-01T00:00:00Z"),
        (Instant(-1, 120_000_000), Types.INSTANT(), "1969-12-31T23:59:59.120Z"),
        (Instant(1, 1_000), Types.INSTANT(), "1970-01-01T00:00:01.000001Z"),
        (b"ab\xff", Types.PRIMITIVE_ARRAY(Types.BYTE()), "[97, 98, -1]"),
        ([1, None], Types.LIST(Types.INT()), "[1, null]"),
        ([True], Types.BASIC_ARRAY(Types.BOOLEAN()), "[true]"),
        ({"k": None}, Types.MAP(Types.STRING(), Types.INT()), "{k=null}"),
        (("a", 1), Types.TUPLE([Types.STRING(), Types.INT()]), "(a,1)"),
        (([True], None), Types.TUPLE([Types.LIST(Types.BOOLEAN()), Types.INT()]), "([true],null)"),
        (Row("a", None), _PERSON, "+I[a, null]"),
        (Row.of_kind(RowKind.DELETE, "a", 1), _PERSON, "-D[a, 1]"),
        (Row(age=1, name="a"), _PERSON, "+I[a, 1]"),
        (Row(x="a", y=1), _PERSON, "+I[a, 1]"),
        (("a", 1), _PERSON, "+I[a, 1]"),
        ({"age": 1, "name": "a"}, _PERSON, "+I[a, 1]"),
        ([Row("a", 1)], Types.LIST(_PERSON), "[+I[a, 1]]"),
        ((None, {1}), Types.TUPLE([Types.PICKLED_BYTE_ARRAY(), Types.PICKLED_BYTE_ARRAY()]), "(None,{1})"),
    ],
)
def test_typed_values_print_as_java_prints_them(value: object, type_info: TypeInformation[Any], text: str) -> None:
    assert flink_string(value, type_info) == text


@pytest.mark.parametrize("type_info", [None, Types.PICKLED_BYTE_ARRAY()])
@pytest.mark.parametrize("value", [True, None, 1e10, ("a", 1), [None], {"k": 1}, Row(a=1), "a"])
def test_pickled_values_print_as_python_prints_them(value: object, type_info: TypeInformation[Any] | None) -> None:
    assert flink_string(value, type_info) == str(value)
    assert printed(value, type_info) == str(value)


@pytest.mark.parametrize(
    ("row", "text"),
    [(Row("a", None), "+I[a,None]"), (Row.of_kind(RowKind.DELETE, True, Row(x=1)), "-D[True,Row(x=1)]")],
)
def test_pyflink_prints_rows_in_python(row: Row, text: str) -> None:
    assert printed(row, _PERSON) == text


def test_every_kind_but_pickled_has_a_java_form_of_none() -> None:
    element = (Types.INT(), Types.INT())
    kinds = set(TypeKind) - {TypeKind.PICKLED_BYTE_ARRAY}
    assert {flink_string(None, TypeInformation(kind, element)) for kind in kinds} == {"null"}


# Printed by Java 17's Double.toString and Float.toString.
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-1.5, "-1.5"),
        (100.0, "100.0"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (12345678.9, "1.23456789E7"),
        (0.001, "0.001"),
        (0.00099, "9.9E-4"),
        (1e-5, "1.0E-5"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (float("nan"), "NaN"),
    ],
)
def test_doubles_print_as_in_java(value: float, text: str) -> None:
    assert java_double(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (0.1, "0.1"),
        (1 / 3, "0.33333334"),
        (16777216.0, "1.6777216E7"),
        (1e40, "Infinity"),
        (-1e40, "-Infinity"),
    ],
)
def test_floats_print_as_in_java(value: float, text: str) -> None:
    assert java_float(value) == text


@given(st.floats(allow_nan=False))
def test_a_printed_double_reads_back(value: float) -> None:
    assert float(java_double(value)) == value


@given(st.floats(width=32, allow_nan=False))
def test_a_printed_float_is_the_shortest_that_reads_back(value: float) -> None:
    assert java_float(float(java_float(value))) == java_float(value)
