"""Aggregates with arguments of their own have Flink's types, and refuse what Flink refuses."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.plan.operations import AggregateFunction, GroupAggregate
from tests.unit.sql.planning import failure, operation


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("PERCENTILE(id, id)", "Percentages of PERCENTILE must be written out"),
        ("PERCENTILE(id, 1.5)", "should be between [0.0, 1.0], but was '1.5'"),
        ("PERCENTILE(id, ARRAY[0.5, 2])", "should be between [0.0, 1.0], but was '2.0'"),
        ("PERCENTILE(cur, 0.5)", "Cannot apply 'PERCENTILE'"),
        ("PERCENTILE(id, 0.5, 1.5)", "Cannot apply 'PERCENTILE'"),
        ("PERCENTILE(id)", "Invalid number of arguments to function 'PERCENTILE': 1"),
        ("JSON_OBJECTAGG(KEY id VALUE cur)", "A key of JSON_OBJECTAGG must be a text, not INT"),
        ("JSON_ARRAYAGG(NULL)", "An untyped NULL has no JSON"),
        ("JSON_ARRAYAGG(cur) OVER (ORDER BY ts)", "OVER must be applied to aggregate function"),
    ],
)
def test_what_flink_refuses_is_refused(call: str, says: str) -> None:
    error = failure(f"SELECT {call} FROM orders")
    assert isinstance(error, DefinitionError)
    assert says in error.what


def test_an_order_that_flink_ignores_is_refused() -> None:
    error = failure("SELECT ARRAY_AGG(cur ORDER BY cur) FROM orders")
    assert isinstance(error, UnsupportedFeatureError)
    assert "Flink does not sort the values of ARRAY_AGG" in error.what


def test_percentages_belong_to_the_call() -> None:
    found = operation("SELECT PERCENTILE(id, ARRAY[0.25, 1]), PERCENTILE(id, 0.5, 3), JSON_ARRAYAGG(cur) FROM orders")
    assert isinstance(found, GroupAggregate)
    assert [(call.function, call.percentages, str(call.type)) for call in found.calls] == [
        (AggregateFunction.PERCENTILE, (0.25, 1.0), "ARRAY<DOUBLE>"),
        (AggregateFunction.PERCENTILE, (0.5,), "DOUBLE"),
        (AggregateFunction.JSON_ARRAYAGG, (), "STRING NOT NULL"),
    ]
