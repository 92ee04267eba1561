"""A catalog and types by a local Spark session, for tests of queries."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import types as spark_types

from kafkastream.errors import DefinitionError, KafkastreamError
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.query.catalog import ResolvedTable, View
from kafkastream.sql.query.operations import Operation, TimeAttribute
from kafkastream.sql.query.plan import planned
from kafkastream.sql.query.relations import Field, Project, Relation, Stateful
from kafkastream.sql.query.spark_types import spark_type
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.table import Expression, PhysicalColumn, Position, TableDefinition, TableSchema
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["SparkTyping", "TestCatalog", "columns", "failure", "operation", "plan", "table", "under"]

_SIMPLE = {
    spark_types.StringType: DataType.string(),
    spark_types.BinaryType: DataType.bytes_(),
    spark_types.BooleanType: DataType.of(Kind.BOOLEAN),
    spark_types.ByteType: DataType.of(Kind.TINYINT),
    spark_types.ShortType: DataType.of(Kind.SMALLINT),
    spark_types.IntegerType: DataType.of(Kind.INT),
    spark_types.LongType: DataType.of(Kind.BIGINT),
    spark_types.FloatType: DataType.of(Kind.FLOAT),
    spark_types.DoubleType: DataType.of(Kind.DOUBLE),
    spark_types.DateType: DataType.of(Kind.DATE),
    spark_types.TimestampType: DataType.of(Kind.TIMESTAMP_LTZ),
    spark_types.TimestampNTZType: DataType.of(Kind.TIMESTAMP),
    spark_types.TimeType: DataType.of(Kind.TIME),
    spark_types.DayTimeIntervalType: DataType.of(Kind.INTERVAL_DAY_SECOND),
    spark_types.YearMonthIntervalType: DataType.of(Kind.INTERVAL_YEAR_MONTH),
    spark_types.NullType: DataType.string(),
}


def _told(type_: spark_types.DataType, nullable: bool) -> DataType:
    match type_:
        case spark_types.DecimalType():
            told = DataType.of(Kind.DECIMAL, type_.precision, type_.scale)
        case spark_types.ArrayType():
            told = DataType.of(Kind.ARRAY, parts=(_told(type_.elementType, type_.containsNull),))
        case spark_types.MapType():
            parts = (_told(type_.keyType, False), _told(type_.valueType, type_.valueContainsNull))
            told = DataType.of(Kind.MAP, parts=parts)
        case spark_types.StructType():
            told = DataType.of(
                Kind.ROW, fields=tuple(RowField(one.name, _told(one.dataType, one.nullable)) for one in type_)
            )
        case _:
            told = _SIMPLE[type(type_)]
    return told if nullable else told.not_null()


_START = Position()


class SparkTyping:
    """Types, as Spark tells them."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark.newSession()
        self._spark.conf.set("spark.sql.ansi.enabled", "true")
        self._spark.conf.set("spark.sql.caseSensitive", "true")

    @property
    def session(self) -> SparkSession:
        """The session with Flink's settings."""
        return self._spark

    def types(self, fields: Sequence[DataType], expressions: Sequence[str]) -> tuple[DataType, ...]:
        """The types of expressions over ``c0`` and so on."""
        names = [f"cast(null as {spark_type(field)}) as c{at}" for at, field in enumerate(fields)]
        frame = self._spark.sql(f"select {', '.join(names) or '1'}")
        try:
            return tuple(_told(one.dataType, one.nullable) for one in frame.selectExpr(*expressions).schema)
        except PySparkException as error:
            raise DefinitionError(str(error)) from None


def table(
    name: str, columns: str, mode: ChangelogMode = ChangelogMode.APPEND, key: Sequence[str] = ()
) -> ResolvedTable:
    """A table of ``name TYPE; name TYPE``, where ``rowtime`` or ``proctime`` behind a type make it a time attribute."""
    fields = []
    for column in columns.split("; "):
        what, _, rest = column.partition(" ")
        time = next((one for one in TimeAttribute if rest.endswith(f" {one.value}")), None)
        fields.append(Field(what, parse_type(rest.removesuffix(f" {time.value}") if time else rest), time))
    physical = tuple(PhysicalColumn(field.name, field.type) for field in fields)
    return ResolvedTable(TableDefinition((name,), TableSchema(physical, primary_key=tuple(key))), mode, tuple(fields))


class TestCatalog:
    """Some tables and views."""

    __test__ = False

    def __init__(self) -> None:
        stamp = "ts TIMESTAMP(3) rowtime"
        self._known: dict[str, ResolvedTable | View] = {
            "orders": table(
                "orders", f"id INT; cur STRING; price DECIMAL(10, 2); {stamp}; pt TIMESTAMP_LTZ(3) proctime"
            ),
            "clicks": table("clicks", "k STRING; v INT; ts TIMESTAMP_LTZ(3) rowtime"),
            "ships": table("ships", f"oid INT; at STRING; tags ARRAY<STRING>; r ROW<x INT, y STRING>; {stamp}"),
            "rates": table(
                "rates", f"cur STRING NOT NULL; rate DECIMAL(10, 2); {stamp}", ChangelogMode.UPSERT, ["cur"]
            ),
            "cdc": table("cdc", "id INT NOT NULL; name STRING; w DOUBLE", ChangelogMode.RETRACT, ["id"]),
            "dear": View(Expression("SELECT id, price FROM orders WHERE price > 100", Position(7, 3)), ("oid", "p")),
            "broken": View(Expression("SELECT nope FROM orders", Position(7, 3))),
            "endless": View(Expression("SELECT * FROM endless")),
        }

    def table(self, path: tuple[str, ...]) -> ResolvedTable | View | None:
        """What a name means."""
        return self._known.get(path[-1]) if len(path) == 1 or path[0] == "default_catalog" else None

    def tables(self) -> Sequence[str]:
        """The names."""
        return list(self._known)

    def function(self, name: str) -> str | None:
        """A function of the user."""
        return "my_double" if name.upper() == "MY_DOUBLE" else None


class NoTyping:
    """Types for queries that need none but those of columns."""

    def types(self, fields: Sequence[DataType], expressions: Sequence[str]) -> tuple[DataType, ...]:
        """Fails: nothing should ask."""
        raise AssertionError(f"asked for the types of {expressions}")


def plan(query: str, typing: SparkTyping | None = None, position: Position = _START, zone: str = "UTC") -> Relation:
    """The relations of a query."""
    return planned(Expression(query, position), TestCatalog(), typing or NoTyping(), zone=zone)


def failure(query: str, typing: SparkTyping | None = None, position: Position = _START) -> KafkastreamError:
    """The error of a query."""
    with pytest.raises(KafkastreamError) as caught:
        plan(query, typing, position)
    return caught.value


def columns(relation: Relation) -> list[str]:
    """The columns with types, and what time they are."""
    return [f"{one.name} {one.type}" + (f" {one.time.value}" if one.time else "") for one in relation.fields]


def under(relation: Relation) -> Stateful:
    """The first operation with state below projections."""
    while isinstance(relation, Project):
        relation = relation.input
    assert isinstance(relation, Stateful)
    return relation


def operation(query: str, typing: SparkTyping | None = None) -> Operation:
    """The topmost operation with state of a query."""
    return under(plan(query, typing)).operation
