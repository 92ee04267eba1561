"""Elements of streams become rows of tables: of their type, with their kind and time; what does not fit is named."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from datetime import date, datetime, time, timezone
from decimal import Decimal
from typing import Any

import pytest

from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.common.time import Instant
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.spark.sql.rows.columnar_parts import of_bytes
from kafkastream.spark.sql.rows.row_elements import RowTimes
from kafkastream.spark.sql.rows.stream_rows import StreamRows
from kafkastream.spark.worker.batches import Batch, ElementError
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors.stream import stream_schema, stream_source
from kafkastream.sql.table import MetadataColumn, PhysicalColumn, TableDefinition, TableSchema
from kafkastream.sql.table_stream import TableStream
from kafkastream.sql.types import DataType, Kind

NAMED = Types.ROW_NAMED(["id", "name"], [Types.INT(), Types.STRING()])
AT = datetime(2024, 5, 1, 10, 0, 0, 5)  # noqa: DTZ001 - as TIMESTAMP is
ROWTIME = MetadataColumn("rt", DataType.of(Kind.TIMESTAMP_LTZ, 3), "rowtime")


def operator(
    type_info: TypeInformation[Any], *columns: Any, changelog: ChangelogMode = ChangelogMode.APPEND
) -> StreamRows:
    schema = stream_schema(type_info, TableSchema(columns), "the stream")
    source = stream_source(TableDefinition(("t",), schema), TableStream((), type_info, changelog))
    made = StreamRows("t", 1, source, (7, 9))
    made.open(JobAttempt("run").context(1, 2))
    return made


def rows(made: StreamRows, values: Sequence[Any], timestamps: Sequence[int | None] | None = None) -> list[list[Any]]:
    made.apply(Batch(values, timestamps or [None] * len(values), range(len(values))))
    (report,) = made.drain()
    assert report.content.bucket == 9
    content, _ = pickle.loads(report.content.payload)
    return [list(row) for row in zip(*(column.to_pylist() for column in of_bytes(content).columns), strict=True)]


def test_rows_tuples_and_dicts_bring_their_fields_by_place_or_name() -> None:
    swapped = Row(name="b", id=2)
    found = rows(operator(NAMED), [Row(1, "a"), swapped, (3, None), {"name": "d", "id": 4}])
    assert found == [[0, 1, "a"], [0, 2, "b"], [0, 3, None], [0, 4, "d"]]


def test_other_elements_are_the_only_column() -> None:
    assert rows(operator(Types.STRING()), ["a", None]) == [[0, "a"], [0, None]]


def test_none_is_no_row() -> None:
    made = operator(NAMED, PhysicalColumn("name", DataType.string()), ROWTIME)
    ((_, name, when),) = rows(made, [None, Row(1, "a"), None], [0, 1_500, 0])
    assert (name, when.timestamp()) == ("a", 1.5)
    assert rows(made, [None]) == []
    with pytest.raises(ElementError) as raised:
        made.apply(Batch([None, Row("x", 5)], [0, 0], [0, 1]))
    assert raised.value.index == 1


def test_columns_are_chosen_and_ordered_by_the_schema_with_the_timestamp() -> None:
    made = operator(NAMED, PhysicalColumn("name", DataType.of(Kind.VARCHAR, 5)), ROWTIME)
    ((_, name, when),) = rows(made, [Row(1, "a")], [1_500])
    assert (name, when.timestamp()) == ("a", 1.5)
    with pytest.raises(ElementError) as raised:
        made.apply(Batch([Row(1, "a"), Row(2, "b")], [0, None], [0, 1]))
    assert raised.value.index == 1
    assert "Rowtime timestamp is not defined" in str(raised.value.__cause__)


@pytest.mark.parametrize(
    ("type_info", "value", "sent"),
    [
        (Types.BYTE(), -128, -128),
        (Types.DOUBLE(), 1, 1.0),
        (Types.BIG_DEC(), Decimal("1.0000000000000000005"), Decimal("1.000000000000000001")),
        (Types.BIG_DEC(), Decimal(10) ** 20, None),
        (Types.SQL_DATE(), date(2024, 5, 1), date(2024, 5, 1)),
        (Types.SQL_TIME(), time(10, 1, 2), time(10, 1, 2)),
        (Types.SQL_TIMESTAMP(), AT, AT),
        (Types.PRIMITIVE_ARRAY(Types.BYTE()), [1, -1], b"\x01\xff"),
        (Types.PRIMITIVE_ARRAY(Types.BYTE()), b"\x01\xff", b"\x01\xff"),
        (Types.LIST(Types.LONG()), [1, None], [1, None]),
        (Types.BASIC_ARRAY(Types.STRING()), ("a",), ["a"]),
        (Types.MAP(Types.STRING(), Types.BIG_DEC()), {"k": Decimal(1)}, [("k", Decimal(1))]),
    ],
)
def test_values_are_sent_as_the_columns_type_has_them(type_info: Any, value: Any, sent: Any) -> None:
    assert rows(operator(type_info), [value]) == [[0, sent]]


def test_instants_and_rows_within_rows() -> None:
    inner = Types.ROW_NAMED(["at", "tags"], [Types.INSTANT(), Types.LIST(Types.STRING())])
    made = operator(Types.ROW_NAMED(["id", "more"], [Types.INT(), inner]))
    ((_, _, more),) = rows(made, [Row(1, Row(tags=["x"], at=Instant(2, 3_000)))])
    assert (more["at"].timestamp(), more["at"].microsecond, more["tags"]) == (2.000003, 3, ["x"])
    assert rows(made, [Row(1, None)]) == [[0, 1, None]]


@pytest.mark.parametrize(
    ("element", "said"),
    [
        (Row("x", "a"), "Could not convert 'x'"),
        (Row(2**31, "a"), "too large to fit in C integer type"),
        (Row(1), "it has 1 fields, and the columns are id, name"),
        (5, "it has no fields"),
        (Row.of_kind(RowKind.DELETE, 1, "a"), "this one is DELETE: take from_changelog_stream"),
    ],
)
def test_an_element_that_is_no_row_is_named(element: Any, said: str) -> None:
    made = operator(NAMED)
    with pytest.raises(ElementError) as raised:
        made.apply(Batch([Row(1, "a"), element], [None, None], [0, 1]))
    assert raised.value.index == 1
    error = made.failure(element, "topic in, partition 0, offset 1", raised.value.__cause__)
    assert said in str(error)
    assert "offset 1" in str(error)
    assert "the columns are id INT, name STRING" in str(error)


def test_kinds_go_along() -> None:
    made = operator(NAMED, changelog=ChangelogMode.RETRACT)
    assert [row[0] for row in rows(made, [Row.of_kind(kind, 1, "a") for kind in RowKind])] == [0, 1, 2, 3]


def test_rows_have_their_own_time_again_when_it_was_seen_how_far_they_bring_time() -> None:
    local = datetime.fromtimestamp(1.5009, timezone.utc)
    times = [local.replace(tzinfo=None), local, Instant(1, 500_900_000), None]
    batch = Batch(list(map(Row, times)), [7] * 4, range(4))
    assert RowTimes("t", 0).apply(batch).timestamps == [1500, 1500, 1500, None]
    assert RowTimes("t", None).apply(batch).timestamps == [None] * 4
