"""What functions of SQL are given, and what becomes of what they return; Arrow, but no Spark."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import to_arrow_type

from kafkastream.errors import UserFunctionError
from kafkastream.model.common.row import Row
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.spark.sql.functions.function_columns import column_by_rows, of_series
from kafkastream.sql.syntax.data_types import parse_type

BERLIN = ZoneInfo("Europe/Berlin")
STAMP = dt.datetime.fromisoformat("2024-05-01T10:00:00.123456")


def arrow(type_: str) -> pa.DataType:
    return to_arrow_type(spark_type(parse_type(type_)), timezone="UTC")


def result(type_: str, value: Any) -> Any:
    """What a function's result is when it has gone through Arrow."""
    (only,) = column_by_rows("f", lambda: value, [], 1, parse_type(type_), arrow(type_)).to_pylist()
    return only


@pytest.mark.parametrize(
    ("type_", "value", "kept"),
    [
        ("BIGINT", None, None),
        ("BIGINT", True, 1),
        ("TINYINT", numpy.int64(-128), -128),
        ("DOUBLE", 1, 1.0),
        ("DOUBLE", Decimal("1.5"), 1.5),
        ("FLOAT", numpy.float32(0.5), 0.5),
        ("DECIMAL(5, 2)", Decimal("1.005"), Decimal("1.00")),  # half even, as PyFlink has it
        ("DECIMAL(5, 2)", 7, Decimal("7.00")),
        ("BOOLEAN", numpy.bool_(True), True),
        ("STRING", "é", "é"),
        ("BYTES", bytearray(b"ab"), b"ab"),
        ("DATE", STAMP, dt.date(2024, 5, 1)),
        ("TIME(3)", dt.time(10, 0, 0, 123456), dt.time(10, 0, 0, 123000)),
        ("TIME", dt.time(10, 0, 0, 123456), dt.time(10)),
        ("TIMESTAMP(3)", STAMP, STAMP.replace(microsecond=123000)),
        ("TIMESTAMP(6)", STAMP.replace(tzinfo=BERLIN), STAMP),
        ("TIMESTAMP_LTZ(6)", STAMP.replace(tzinfo=BERLIN), STAMP.replace(hour=8, tzinfo=dt.timezone.utc)),
        ("TIMESTAMP_LTZ(0)", STAMP, STAMP.replace(microsecond=0, tzinfo=dt.timezone.utc)),
        ("ARRAY<BIGINT>", (1, None), [1, None]),
        ("ARRAY<DOUBLE>", numpy.array([1.0, 2.0]), [1.0, 2.0]),
        ("MAP<STRING, INT>", {"a": 1, "b": None}, [("a", 1), ("b", None)]),
        ("MULTISET<STRING>", {"a": 2}, [("a", 2)]),
        ("ROW<a INT, b STRING>", (1, "x"), {"a": 1, "b": "x"}),
        ("ROW<a INT, b STRING>", Row(b="x", a=1), {"a": 1, "b": "x"}),
        ("ROW<a INT, b STRING>", {"b": "x", "a": 1}, {"a": 1, "b": "x"}),
        ("ROW<a ARRAY<ROW<t TIME(0)>>>", [[Row(dt.time(1))]], {"a": [{"t": dt.time(1)}]}),
    ],
)
def test_results_become_values_of_their_type(type_: str, value: object, kept: object) -> None:
    assert result(type_, value) == kept


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("INT", 2**31),
        ("INT", 1.0),
        ("INT", "1"),
        ("DOUBLE", "1.0"),
        ("DECIMAL(3, 2)", Decimal("12.3")),
        ("DECIMAL(3, 2)", 1.5),
        ("BOOLEAN", 1),
        ("STRING", 1),
        ("STRING", b"a"),
        ("BYTES", "a"),
        ("DATE", "2024-05-01"),
        ("TIMESTAMP(3)", dt.date(2024, 5, 1)),
        ("ARRAY<STRING>", "abc"),
        ("ARRAY<INT>", 1),
        ("MAP<STRING, INT>", [("a", 1)]),
        ("ROW<a INT, b INT>", (1,)),
        ("ROW<a INT, b INT>", {"a": 1}),
        ("ROW<a INT>", 1),
    ],
)
def test_results_of_another_type_are_told(type_: str, value: object) -> None:
    with pytest.raises(UserFunctionError) as caught:
        result(type_, value)
    assert caught.value.what.startswith("function 'f' returned ")
    assert caught.value.what.endswith(f", a {type(value).__name__}, which is not of type {parse_type(type_)}")


@pytest.mark.parametrize(
    ("type_", "value"), [("TIMESTAMP(3)", pd.NaT), ("MAP<STRING, INT>", {None: 1}), ("STRING", "\ud800")]
)
def test_results_that_arrow_refuses_are_told(type_: str, value: object) -> None:
    with pytest.raises(UserFunctionError, match="function 'f' returned values that are not of type "):
        result(type_, value)


def test_arguments_are_pythons_values() -> None:
    row = pa.struct([("id", pa.int64()), ("at", pa.list_(pa.timestamp("us", "Europe/Berlin")))])
    at = dt.datetime(2024, 5, 1, 8, tzinfo=dt.timezone.utc)
    columns = [
        pa.array([{"id": 1, "at": [at]}, None], row),
        pa.array([[("a", {"id": 2, "at": None})], None], pa.map_(pa.string(), row)),
        pa.array([dt.time(1, 2, 3, 4), None], pa.time64("ns")),
        pa.array([Decimal("1.50"), None], pa.decimal128(5, 2)),
    ]
    seen: list[tuple[Any, ...]] = []
    column_by_rows("f", lambda *given: seen.append(given), columns, 2, parse_type("INT"), arrow("INT"))
    (first, by_name, time, number), nulls = seen
    assert first == Row(id=1, at=[at])
    assert first.at[0].utcoffset() == dt.timedelta(hours=2)
    assert by_name == {"a": Row(id=2, at=None)}
    assert (time, str(number)) == (dt.time(1, 2, 3, 4), "1.50")
    assert nulls == (None, None, None, None)


def test_an_error_names_the_function_and_its_arguments() -> None:
    def boom(number: int) -> int:
        return 1 // number

    with pytest.raises(UserFunctionError) as caught:
        column_by_rows("boom", boom, [pa.array([1, 0])], 2, parse_type("INT"), arrow("INT"))
    assert caught.value.what == "function 'boom' raised ZeroDivisionError: integer division or modulo by zero"
    assert caught.value.where == "arguments 0"
    assert "return 1 // number" in caught.value.now


def pandas_result(type_: str, call: Callable[..., Any], *columns: pa.Array) -> Any:
    return of_series("f", call, columns, 2, parse_type(type_), arrow(type_)).to_pylist()


def test_pandas_functions_take_and_return_series() -> None:
    numbers = pa.array([1, 2])
    assert pandas_result("DOUBLE", lambda s: s / 2, numbers) == [0.5, 1.0]
    assert pandas_result("BIGINT", lambda s: s.where(s > 1), numbers) == [None, 2]
    assert pandas_result("STRING", lambda s: s.astype(str) + "!", numbers) == ["1!", "2!"]
    stamps = pa.array([STAMP, None], pa.timestamp("us"))
    assert pandas_result("TIMESTAMP(3)", lambda s: s, stamps) == [STAMP.replace(microsecond=123000), None]
    assert pandas_result("DATE", lambda s: s.dt.date, stamps) == [dt.date(2024, 5, 1), None]
    rows = pa.array([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], pa.struct([("a", pa.int64()), ("b", pa.string())]))
    assert pandas_result("STRING", lambda frame: frame.b + frame.b, rows) == ["xx", "yy"]
    swapped = pandas_result("ROW<p STRING, q INT>", lambda frame: frame[["b", "a"]], rows)
    assert swapped == [{"p": "x", "q": 1}, {"p": "y", "q": 2}]
    assert pandas_result("ARRAY<INT>", lambda s: pd.Series([[1], None]), numbers) == [[1], None]
    lists = pa.array([[1, 2], None])
    assert pandas_result("ARRAY<BIGINT>", lambda s: s, lists) == [[1, 2], None]
    twice = pa.array(
        [STAMP.replace(month=10, day=27, hour=hour) for hour in (0, 1)], pa.timestamp("us", "Europe/Berlin")
    )
    kept = pandas_result("TIMESTAMP_LTZ(6)", lambda s: s, twice)
    assert kept == twice.cast(pa.timestamp("us", "UTC")).to_pylist()


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda s: 7, "function 'f' returned 7"),
        (lambda s: s[:1], "function 'f' returned 1 rows"),
        (lambda s: s + 0.5, "function 'f' returned values that are not of type INT"),
        (lambda s: s.map(str), "function 'f' returned values that are not of type INT"),
        (lambda s: s.nothing, "function 'f' raised AttributeError"),
    ],
)
def test_pandas_functions_that_return_something_else(call: Callable[[Any], Any], what: str) -> None:
    with pytest.raises(UserFunctionError) as caught:
        pandas_result("INT", call, pa.array([1, 2]))
    assert caught.value.what.startswith(what)
