"""User-defined aggregate functions in operators: their calls, their state, and how they fail."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterable
from typing import Any

import pytest

from kafkastream.errors import DefinitionError, UserFunctionError
from kafkastream.model.common.row import Row
from kafkastream.operators.stream.keyed_operators import CallError
from kafkastream.sql.plan.operations import (
    AggregateCall,
    AggregateFunction,
    GroupAggregate,
    SessionAggregate,
    TableOperation,
    WindowAggregate,
)
from kafkastream.sql.plan.user_aggregate import UserAggregate
from kafkastream.sql.session_functions import SessionFunctions
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.user_functions import UserFunction
from kafkastream.table import udf as api
from kafkastream.table.data_view import ListView, MapView
from tests.unit.operators.table.rows_driving import Driven, call, row

SECOND = 1_000_000


class Told(api.AggregateFunction):
    """Tells the values that it holds, in two views."""

    def open(self, function_context: api.FunctionContext) -> None:
        self.calls = function_context.get_metric_group().counter("calls")

    def create_accumulator(self) -> Row:
        return Row(ListView(), MapView())

    def accumulate(self, accumulator: Row, *args: Any) -> None:
        self.calls.inc()
        accumulator[0].add(repr(args[0]))
        accumulator[1][repr(args[0])] = True

    def retract(self, accumulator: Row, *args: Any) -> None:
        accumulator[0].get().remove(repr(args[0]))

    def merge(self, accumulator: Row, accumulators: Iterable[Row]) -> None:
        for one in accumulators:
            accumulator[0].add_all(one[0])
            accumulator[1].put_all(dict(one[1].items()))

    def get_value(self, accumulator: Row) -> str:
        return f"{'|'.join(accumulator[0])} {len(list(accumulator[1].keys()))}"


def function(made: Any, result: str = "STRING", **more: Any) -> UserFunction:
    made_of: UserFunction = api.udaf(
        made, result_type=result, accumulator_type=more.pop("accumulator", "ARRAY<STRING>"), **more
    )
    return made_of


def user(made: UserFunction, *places: int, types: tuple[str, ...] = ("BIGINT",), **more: Any) -> AggregateCall:
    """The call of a function on columns."""
    functions = SessionFunctions()
    functions.create(("", "", "f"), made, "here", temporary=True)
    (named,) = functions.known.values()
    one = UserAggregate(
        name="f",
        spark_name=named.spark_name,
        function=named.function,
        argument_types=tuple(map(parse_type, types)),
        arguments=places,
        zone="Europe/Berlin",
    )
    return AggregateCall(function=AggregateFunction.USER, type=made.call_type, user=one, **more)


def grouped(*calls: AggregateCall, retracts: bool = True) -> Driven:
    return Driven(TableOperation(GroupAggregate(calls=calls, keys=1), retracts=retracts))


def test_rows_are_added_and_taken_back_over_restarts() -> None:
    one = grouped(user(function(Told()), 1), call("COUNT", None))
    assert one.give(row("+I", "k", 5)) == [("+I", "k", "5 1", 1)]
    one.checkpoint()
    assert one.give(row("+I", "k", None)) == [("-U", "k", "5 1", 1), ("+U", "k", "5|None 2", 2)]
    one.checkpoint()
    assert one.give(row("-D", "k", 5)) == [("-U", "k", "5|None 2", 2), ("+U", "k", "None 2", 1)]
    assert one.give(row("-D", "k", None)) == [("-D", "k", "None 2", 1)]
    assert one.entry() == {}


def test_distinct_and_filter() -> None:
    one = grouped(user(function(Told()), 1, distinct=True), user(function(Told()), 1, filter=2))
    for kind, value, counts in (("+I", 5, True), ("+I", 5, None), ("+I", None, False), ("-D", 5, True)):
        out = one.give(row(kind, "k", value, counts))
    assert out[-1] == ("+U", "k", "5|None 2", " 1")


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("DATE", 1, "datetime.date(1970, 1, 2)"),
        ("TIME(3)", 1_000, "datetime.time(0, 0, 0, 1000)"),
        ("TIMESTAMP(3)", SECOND, "datetime.datetime(1970, 1, 1, 0, 0, 1)"),
        (
            "TIMESTAMP_LTZ(3)",
            SECOND,
            "datetime.datetime(1970, 1, 1, 1, 0, 1, tzinfo=zoneinfo.ZoneInfo(key='Europe/Berlin'))",
        ),
        ("ARRAY<INT>", (1, None), "[1, None]"),
        ("MAP<STRING, INT>", (("a", 1),), "{'a': 1}"),
        ("MULTISET<STRING>", (("a", 2),), "{'a': 2}"),
        ("ROW<a INT, b ROW<c STRING>>", (1, ("x",)), "Row(a=1, b=Row(c='x'))"),
    ],
)
def test_arguments_are_values_of_python(kind: str, value: Any, text: str) -> None:
    one = grouped(user(function(Told()), 1, types=(kind,)))
    assert one.give(row("+I", "k", value)) == [("+I", "k", f"{text} 1")]


class Given(api.AggregateFunction):
    """Gives what it is told to give, with two arguments."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], *args: Any) -> None:
        if args == (7, "bad"):
            raise ValueError("seven")

    def get_value(self, accumulator: list[Any]) -> Any:
        return self.value


@pytest.mark.parametrize(
    ("kind", "value", "kept"),
    [
        ("DATE", dt.date(1970, 1, 2), 1),
        ("TIME(3)", dt.time(0, 0, 0, 1999), 1_000),
        ("TIMESTAMP(3)", dt.datetime.fromisoformat("1970-01-01T00:00:01"), SECOND),
        ("TIMESTAMP_LTZ(3)", dt.datetime.fromisoformat("1970-01-01T01:00:01+01:00"), SECOND),
        ("ARRAY<INT>", [1, None], (1, None)),
        ("MAP<STRING, INT>", {"a": 1}, (("a", 1),)),
        ("ROW<a INT, b ROW<c STRING>>", Row(1, Row(c="x")), (1, ("x",))),
        ("BIGINT", None, None),
    ],
)
def test_results_are_values_of_columns(kind: str, value: Any, kept: Any) -> None:
    one = grouped(user(function(Given(value), kind), types=()))
    assert one.give(row("+I", "k")) == [("+I", "k", kept)]


def test_a_result_of_another_type_names_the_function() -> None:
    one = grouped(user(function(Given("x"), "BIGINT"), types=()))
    with pytest.raises(CallError) as caught:
        one.give(row("+I", "k"))
    assert str(caught.value.__cause__).startswith(
        "[user-function] function 'f' returned 'x', a str, which is not of type BIGINT"
    )


def test_a_function_that_raises_names_method_and_arguments() -> None:
    one = grouped(user(function(Given(1), "BIGINT"), 1, 2, types=("BIGINT", "STRING")))
    with pytest.raises(CallError) as caught:
        one.give(row("+I", "k", 7, "bad"))
    failed = caught.value.__cause__
    assert isinstance(failed, UserFunctionError)
    assert failed.what == "accumulate of function 'f' raised ValueError: seven"
    assert failed.where == "arguments 7, 'bad'"
    assert "accumulate" in failed.now


class Locked(Given):
    def create_accumulator(self) -> list[Any]:
        return [threading.Lock()]


class Unopened(Given):
    def open(self, function_context: api.FunctionContext) -> None:
        raise OSError("no such model")


def test_what_goes_wrong_before_the_first_row() -> None:
    with pytest.raises(DefinitionError, match="state cannot keep the accumulator of function 'f'"):
        grouped(user(function(Locked(1), "BIGINT")))
    with pytest.raises(UserFunctionError, match="open of function 'f' raised OSError: no such model"):
        grouped(user(function(Unopened(1), "BIGINT")))


def test_each_call_has_a_function_of_its_own() -> None:
    made = function(Told())
    one = grouped(user(made, 1), user(made, 1))
    first, second = one.operator.functions
    assert first is not second


def test_windows() -> None:
    operation = WindowAggregate(calls=(user(function(Told()), 3),), keys=1)
    one = Driven(TableOperation(operation))
    window = (0, 10 * SECOND)
    assert one.give(row("+I", "k", *window, 5), row("+I", "k", *window, 6)) == []
    one.checkpoint()
    assert one.advance(10_000) == [("+I", "k", "5|6 2", *window)]


def test_sessions_that_merge() -> None:
    operation = SessionAggregate(calls=(user(function(Told()), 2),), keys=1, gap_ms=10_000)
    one = Driven(TableOperation(operation))
    one.give(row("+I", "k", 0, 1), row("+I", "k", 15 * SECOND, 3), row("+I", "k", 4 * SECOND, 2))
    one.checkpoint()
    one.give(row("+I", "k", 9 * SECOND, 4))
    assert one.advance(60_000) == [("+I", "k", "1|2|3|4 4", 0, 25 * SECOND)]


def test_vectorized_functions_have_series() -> None:
    def told(numbers: Any, texts: Any) -> str:
        return f"{numbers.dtype} {numbers.sum()} {','.join(map(str, texts))}"

    made = function(told, func_type="pandas", accumulator=None)
    calls = (user(made, 3, 4, types=("INT", "STRING")), user(made, 3, 4, types=("INT", "STRING"), filter=5))
    one = Driven(TableOperation(WindowAggregate(calls=calls, keys=1)))
    window = (0, 10 * SECOND)
    one.give(row("+I", "k", *window, 5, "a", False))
    one.checkpoint()
    one.give(row("+I", "k", *window, 6, None, False))
    assert one.advance(10_000) == [("+I", "k", "int32 11 a,None", "int32 0 ", *window)]


def test_a_vectorized_result_that_is_missing_is_null() -> None:
    made = function(lambda numbers: numbers.mean(), "DOUBLE", func_type="pandas", accumulator=None)
    one = Driven(TableOperation(WindowAggregate(calls=(user(made, 3),), keys=1)))
    one.give(row("+I", "k", 0, 10 * SECOND, None))
    assert one.advance(10_000) == [("+I", "k", None, 0, 10 * SECOND)]
