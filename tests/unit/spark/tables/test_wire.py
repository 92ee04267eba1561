"""Values on their way to keyed operators and back: times are whole numbers, in one unit wherever they are read."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest

from kafkastream.spark.sql.rows.local_aggregate import pre_aggregated
from kafkastream.spark.sql.rows.wire_values import array_of, values_of
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction, GroupAggregate
from kafkastream.sql.types import DataType, Kind

AT = datetime.datetime(2024, 5, 1, 12, 30, 0, 5)  # noqa: DTZ001 - TIMESTAMP has no zone


@pytest.mark.parametrize(
    ("kind", "value", "plain"),
    [
        (pa.timestamp("us"), AT, 1714566600000005),
        (pa.time64("ns"), datetime.time(0, 0, 1, 5), 1000005),
        (pa.date32(), AT.date(), 19844),
        (pa.string(), "a", "a"),
    ],
    ids=str,
)
def test_keys_of_parts_are_those_of_rows(kind: pa.DataType, value: object, plain: object) -> None:
    column = pa.array([value, None], kind)
    assert values_of(column) == [plain, None]
    count = AggregateCall(function=AggregateFunction.COUNT, type=DataType.of(Kind.BIGINT))
    parts = pre_aggregated(pa.RecordBatch.from_pydict({"c0": column}), GroupAggregate(calls=(count,), keys=1))
    assert [part[1] for part in parts] == [plain, None]
    assert array_of([plain, None], kind).to_pylist() == [value, None]
