"""A suite that each sink of tables passes: subclass ``SinkSuite`` and give it a fixture ``sink``.

::

    class TestMySink(SinkSuite):
        @pytest.fixture
        def sink(self) -> SinkUnderTest:
            return MySinkUnderTest()
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, closing
from decimal import Decimal
from typing import Any, Protocol

import attrs
import pytest

from kafkastream.cdc.changes import (
    AddColumns,
    AlterColumnTypes,
    Change,
    CreateTable,
    Operation,
    Row,
    SchemaChange,
    applied,
)
from kafkastream.cdc.rows import row_class
from kafkastream.cdc.sinks import ChangeWriter, MetadataApplier, SupersededError
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.sql.types import DataType, Kind

INT = DataType.of(Kind.INT)
BIGINT = DataType.of(Kind.BIGINT)
DOUBLE = DataType.of(Kind.DOUBLE)
STRING = DataType.string()

WORDS = TableId.parse("shop.words")
COUNTED = TableSchema.of([("word", STRING), ("count", INT)], ["word"])
UNKEYED = TableSchema.of([("word", STRING), ("count", INT)])
PARTITION = TopicPartition("words", 0)

ROW = {
    "truth": (DataType.of(Kind.BOOLEAN), True),
    "tiny": (DataType.of(Kind.TINYINT), -128),
    "small": (DataType.of(Kind.SMALLINT), 32767),
    "int": (INT, -(2**31)),
    "big": (BIGINT, 2**63 - 1),
    "float": (DataType.of(Kind.FLOAT), 0.5),
    "double": (DOUBLE, 0.1),
    "decimal": (DataType.of(Kind.DECIMAL, 38, 18), Decimal("12345678901234567890.123456789012345678")),
    "date": (DataType.of(Kind.DATE), "2024-02-29"),
    "time": (DataType.of(Kind.TIME, 6), "12:30:00.5"),
    "timestamp": (DataType.of(Kind.TIMESTAMP, 6), "2024-05-01 12:30:00.123456"),
    "instant": (DataType.of(Kind.TIMESTAMP_LTZ, 6), "2024-05-01 12:30:00.5Z"),
    "text": (STRING, 'a "quoted" text, with\nlines, \t tabs, \\N and \\.'),
    "short": (DataType.of(Kind.VARCHAR, 5), "größe"),
    "letters": (DataType.of(Kind.CHAR, 3), "abc"),
    "bytes": (DataType.bytes_(), b"\x00\xff\\"),
    "nested": (DataType.of(Kind.ARRAY, parts=(INT,)), "[1, null]"),
}


class SinkUnderTest(Protocol):
    """A sink, and a look at its tables."""

    def applier(self) -> AbstractContextManager[MetadataApplier]: ...

    def writer(self, schemas: Mapping[TableId, TableSchema]) -> ChangeWriter: ...

    def rows(self, table: TableId) -> list[dict[str, Any]]:
        """Return the rows of a table, each with its values by the columns' names, as ``changes.Row`` has them."""


@attrs.define
class Job:
    """A job as the engine runs it: schema changes to the applier, changes of rows through a writer."""

    sink: SinkUnderTest
    schemas: dict[TableId, TableSchema] = attrs.field(factory=dict)
    offset: int = 0

    def change(self, *changes: SchemaChange) -> None:
        with self.sink.applier() as applier:
            for change in changes:
                self.schemas[change.table] = applied(self.schemas.get(change.table), change)
                applier.apply(change)

    def create(self, table: TableId, schema: TableSchema) -> None:
        self.change(CreateTable(table, schema))

    def writer(self) -> ChangeWriter:
        return self.sink.writer(self.schemas)

    def row(self, table: TableId, *values: Any) -> Row:
        return row_class(self.schemas[table].columns)(*values)

    def insert(self, table: TableId, *values: Any) -> Change:
        return Change(table, Operation.INSERT, None, self.row(table, *values))

    def update(self, table: TableId, before: Iterable[Any], after: Iterable[Any]) -> Change:
        return Change(table, Operation.UPDATE, self.row(table, *before), self.row(table, *after))

    def delete(self, table: TableId, *values: Any) -> Change:
        return Change(table, Operation.DELETE, self.row(table, *values), None)

    def write(self, *changes: Change) -> None:
        """Write changes in a transaction, as the records of one partition."""
        with closing(self.writer()) as writer:
            writer.begin("job", [PARTITION])
            writer.write(changes)
            self.offset += len(changes)
            writer.commit({PARTITION: self.offset})

    def values(self, table: TableId) -> list[tuple[Any, ...]]:
        names = self.schemas[table].names
        rows = [tuple(row[name] for name in names) for row in self.sink.rows(table)]
        return sorted(rows, key=repr)


class SinkSuite:
    """What each sink with tables does."""

    @pytest.fixture
    def sink(self) -> SinkUnderTest:
        raise NotImplementedError

    @pytest.fixture
    def job(self, sink: SinkUnderTest) -> Job:
        return Job(sink)

    def test_values_of_each_type_come_back(self, job: Job) -> None:
        job.create(WORDS, TableSchema.of([(name, type_) for name, (type_, _) in ROW.items()], ["int"]))
        values = [value for _, value in ROW.values()]
        nulls = [None if name != "int" else 7 for name in ROW]
        job.write(job.insert(WORDS, *values), job.insert(WORDS, *nulls))
        (empty,) = [row for row in job.sink.rows(WORDS) if row["int"] == 7]
        (full,) = [row for row in job.sink.rows(WORDS) if row["int"] != 7]
        assert full == dict(zip(ROW, values, strict=True))
        assert empty == dict(zip(ROW, nulls, strict=True))

    def test_rows_without_key_are_appended(self, job: Job) -> None:
        job.create(WORDS, UNKEYED)
        job.write(job.insert(WORDS, "a", 1), job.insert(WORDS, "a", 1), job.insert(WORDS, None, None))
        assert job.values(WORDS) == [("a", 1), ("a", 1), (None, None)]

    @pytest.mark.parametrize(
        "text", ["", "NULL", "None", "\\N", "null", '"', "'", ",", "\\", "\n", "\r\n", "\\.", "😀"]
    )
    def test_text_comes_back_as_it_is(self, job: Job, text: str) -> None:
        job.create(WORDS, UNKEYED)
        job.write(job.insert(WORDS, text, 1), job.insert(WORDS, None, 2))
        assert {row["count"]: row["word"] for row in job.sink.rows(WORDS)} == {1: text, 2: None}

    def test_rows_are_inserted_updated_and_deleted_by_key(self, job: Job) -> None:
        job.create(WORDS, COUNTED)
        job.write(job.insert(WORDS, "a", 1), job.insert(WORDS, "b", 1), job.insert(WORDS, "c", 1))
        job.write(job.update(WORDS, ("a", 1), ("a", 2)), job.delete(WORDS, "b", 1), job.insert(WORDS, "d", 1))
        assert job.values(WORDS) == [("a", 2), ("c", 1), ("d", 1)]

    def test_last_change_of_a_key_counts(self, job: Job) -> None:
        job.create(WORDS, COUNTED)
        job.write(
            job.insert(WORDS, "a", 1),
            job.delete(WORDS, "a", 1),
            job.insert(WORDS, "a", 2),
            job.insert(WORDS, "b", 1),
            job.update(WORDS, ("b", 1), ("b", 2)),
            job.delete(WORDS, "b", 2),
        )
        assert job.values(WORDS) == [("a", 2)]

    def test_changed_key_moves_the_row(self, job: Job) -> None:
        job.create(WORDS, COUNTED)
        job.write(job.insert(WORDS, "a", 1), job.insert(WORDS, "b", 2))
        job.write(job.update(WORDS, ("a", 1), ("c", 1)), job.update(WORDS, ("b", 2), ("a", 2)))
        assert job.values(WORDS) == [("a", 2), ("c", 1)]

    def test_key_may_be_the_whole_row(self, job: Job) -> None:
        job.create(WORDS, TableSchema.of([("b", INT), ("a", STRING)], ["a", "b"]))
        job.write(job.insert(WORDS, 1, "x"), job.insert(WORDS, 1, "y"), job.insert(WORDS, 1, "x"))
        job.write(job.insert(WORDS, 1, "x"), job.delete(WORDS, 1, "y"))
        assert job.values(WORDS) == [(1, "x")]

    def test_keys_that_are_equal_in_the_sink_are_one(self, job: Job) -> None:
        job.create(WORDS, TableSchema.of([("at", DataType.of(Kind.TIMESTAMP, 3)), ("count", INT)], ["at"]))
        job.write(
            job.insert(WORDS, "2024-05-01 12:00:00.5", 1),
            job.insert(WORDS, "2024-05-01 12:00:00.500", 2),
            job.insert(WORDS, "2024-05-01 12:00:00.25", 1),
            job.delete(WORDS, "2024-05-01 12:00:00.250", 1),
        )
        assert job.values(WORDS) == [("2024-05-01 12:00:00.5", 2)]

    def test_added_columns_are_null_in_rows_before(self, job: Job) -> None:
        job.create(WORDS, COUNTED)
        job.write(job.insert(WORDS, "a", 1))
        job.change(AddColumns(WORDS, (Column("first", STRING), Column("last", INT))))
        job.write(job.insert(WORDS, "b", 1, "x", 2))
        assert job.values(WORDS) == [("a", 1, None, None), ("b", 1, "x", 2)]

    @pytest.mark.parametrize(
        ("wide", "before", "after", "old"),
        [
            (BIGINT, 5, 2**40, 5),
            (DataType.of(Kind.DECIMAL, 20, 2), 5, Decimal("0.25"), Decimal("5.00")),
            (DOUBLE, 5, 0.25, 5.0),
            (STRING, 5, "five", "5"),
        ],
        ids=str,
    )
    def test_wider_type_takes_rows_before_and_after(
        self, job: Job, wide: DataType, before: int, after: Any, old: Any
    ) -> None:
        job.create(WORDS, COUNTED)
        job.write(job.insert(WORDS, "a", before))
        job.change(AlterColumnTypes(WORDS, {"count": wide}, {"count": INT}))
        job.write(job.insert(WORDS, "b", after))
        assert {row["word"]: row["count"] for row in job.sink.rows(WORDS)} == {"a": old, "b": after}

    def test_repeated_schema_changes_change_nothing(self, job: Job) -> None:
        changes: list[SchemaChange] = [
            CreateTable(WORDS, COUNTED),
            AddColumns(WORDS, (Column("added", INT),)),
            AlterColumnTypes(WORDS, {"added": BIGINT}, {"added": INT}),
        ]
        for change in changes:
            job.change(change)
            with job.sink.applier() as applier:
                applier.apply(change)
        job.write(job.insert(WORDS, "a", 1, 2**40))
        assert job.values(WORDS) == [("a", 1, 2**40)]

    def test_names_may_be_any_text(self, job: Job) -> None:
        table = TableId(("shop", 'My "Table" of 100% %s'))
        names = ['a"b', "select", "A", "a", "größe", "a.b", "a b", "{x}", "%s", "'", "\\"]
        job.create(table, TableSchema.of([(name, INT) for name in names], ['a"b']))
        job.write(job.insert(table, *range(len(names))))
        job.change(AddColumns(table, (Column('c"%d', INT),)))
        job.write(job.update(table, range(len(names) + 1), (0, *range(20, 20 + len(names)))))
        assert job.values(table) == [(0, *range(20, 20 + len(names)))]

    def test_table_may_have_a_thousand_columns(self, job: Job) -> None:
        job.create(WORDS, TableSchema.of([(f"column {number}", INT) for number in range(1000)], ["column 7"]))
        job.write(job.insert(WORDS, *range(1000)), job.update(WORDS, range(1000), range(1000)))
        assert job.values(WORDS) == [tuple(range(1000))]

    def test_many_tables_are_written_in_one_transaction(self, job: Job) -> None:
        tables = [TableId.parse(f"shop.t{number}") for number in range(20)]
        for number, table in enumerate(tables):
            job.create(table, COUNTED if number % 2 else UNKEYED)
        job.write(*(job.insert(table, "a", 1) for table in reversed(tables)))
        assert [job.values(table) for table in tables] == [[("a", 1)]] * 20

    def test_rows_are_seen_when_they_are_committed(self, job: Job) -> None:
        job.create(WORDS, COUNTED)
        writer = job.writer()
        assert writer.begin("job", [PARTITION]) == {}
        writer.write([job.insert(WORDS, "a", 1)])
        assert job.values(WORDS) == []
        writer.abort()
        assert writer.begin("job", [PARTITION]) == {}
        writer.write([job.insert(WORDS, "b", 1)])
        writer.commit({PARTITION: 2})
        assert job.values(WORDS) == [("b", 1)]
        assert writer.begin("job", [PARTITION]) == {PARTITION: 2}
        writer.commit({PARTITION: 5})
        assert writer.begin("job", [PARTITION, TopicPartition("words", 1)]) == {PARTITION: 5}
        assert writer.begin("another job", [PARTITION]) == {}
        writer.close()

    def test_repeat_after_a_crash_writes_each_row_once(self, job: Job) -> None:
        job.create(WORDS, UNKEYED)
        records = [job.insert(WORDS, "a", number) for number in range(10)]
        for stop in (4, 4, 7, 10):
            crashed = job.writer()
            start = crashed.begin("job", [PARTITION]).get(PARTITION, 0)
            crashed.write(records[start:stop])  # and never again
            writer = job.writer()
            start = writer.begin("job", [PARTITION]).get(PARTITION, 0)
            writer.write(records[start:stop])
            writer.commit({PARTITION: stop})
            writer.close()
            crashed.close()
        assert job.values(WORDS) == [("a", number) for number in range(10)]

    def test_earlier_attempt_does_not_commit_after_a_later_one(self, job: Job) -> None:
        job.create(WORDS, UNKEYED)
        earlier, later = job.writer(), job.writer()
        earlier.begin("job", [PARTITION])
        earlier.write([job.insert(WORDS, "earlier", 1)])
        later.begin("job", [PARTITION])
        later.write([job.insert(WORDS, "later", 1)])
        with pytest.raises(SupersededError, match="later attempt"):
            earlier.commit({PARTITION: 1})
        later.commit({PARTITION: 1})
        assert job.values(WORDS) == [("later", 1)]
        earlier.close()
        later.close()

    def test_tasks_of_other_partitions_do_not_disturb_each_other(self, job: Job) -> None:
        job.create(WORDS, COUNTED)
        writers = [job.writer() for _ in range(3)]
        for number, writer in enumerate(writers):
            writer.begin("job", [TopicPartition("words", number)])
        for number, writer in enumerate(writers):
            writer.write([job.insert(WORDS, f"w{number}", number)])
        for number, writer in enumerate(writers):
            writer.commit({TopicPartition("words", number): 1})
            writer.close()
        assert job.values(WORDS) == [("w0", 0), ("w1", 1), ("w2", 2)]
