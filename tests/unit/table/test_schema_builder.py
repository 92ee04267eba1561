"""The columns of a table without SQL."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.sql.parser.parsed_query import QueryText
from kafkastream.sql.table import (
    ComputedColumn,
    Expression,
    MetadataColumn,
    PhysicalColumn,
    TableSchema,
    Watermark,
)
from kafkastream.sql.types import DataType, Kind
from kafkastream.table import DataTypes, Schema, TableDescriptor, TableEnvironment
from kafkastream.table.environment_settings import EnvironmentSettings
from kafkastream.table.schema import SchemaBuilder

builder = Schema.new_builder
LTZ = DataType.of(Kind.TIMESTAMP_LTZ, 3)


def test_a_schema_holds_what_a_statement_declares_without_a_connector() -> None:
    schema = (
        builder()
        .column("id", DataTypes.BIGINT().not_null())
        .column_by_expression("twice", "id * 2")
        .column_by_metadata("rowtime", "TIMESTAMP_LTZ(3)")
        .watermark("rowtime", "SOURCE_WATERMARK()")
        .primary_key("id")
        .build()
    )
    columns = (
        PhysicalColumn("id", DataType.of(Kind.BIGINT).not_null()),
        ComputedColumn("twice", Expression("id * 2")),
        MetadataColumn("rowtime", LTZ, "rowtime"),
    )
    watermark = Watermark(("rowtime",), Expression("SOURCE_WATERMARK()"))
    assert schema._declared == TableSchema(columns, watermark, ("id",))
    assert schema._checked("here") is schema._declared


def test_columns_of_rows_stand_in_front_of_those_that_are_none_of_theirs() -> None:
    declared = builder().column_by_expression("twice", "id * 2").primary_key("id").build()
    whole = builder().column("id", "INT NOT NULL").column_by_expression("twice", "id * 2").primary_key("id").build()
    assert declared._behind(["id"], [DataTypes.INT(False)]) == whole
    assert whole._behind(["other"], [DataTypes.INT()]) is whole


def test_schemas_are_values() -> None:
    schema = builder().column("id", "BIGINT").build()
    assert {schema} == {builder().column("id", DataTypes.BIGINT()).build()}
    assert schema != builder().column("id", "INT").build()
    assert (
        builder().from_schema(schema).column("n", "INT").build()
        == builder().column("id", "BIGINT").column("n", "INT").build()
    )
    assert Schema.Builder is SchemaBuilder


def test_a_builder_goes_on_after_build() -> None:
    begun = builder().column("id", "BIGINT")
    first = begun.build()
    assert begun.column("n", "INT").build() != first
    assert str(first) == "(\n  `id` BIGINT\n)"


BUILDING: dict[str, tuple[Callable[[], object], type[KafkastreamError], str, str]] = {
    "a column twice": (
        lambda: builder().column("id", "INT").column_by_metadata("id", "INT"),
        DefinitionError,
        "A column named 'id' already exists in the table.",
        "column_by_metadata('id')",
    ),
    "a column of both schemas": (
        lambda: builder().column("id", "INT").from_schema(builder().column("id", "INT").build()),
        DefinitionError,
        "A column named 'id' already exists in the table.",
        "from_schema",
    ),
    "no type": (
        lambda: builder().column("id", "BIGNT"),
        DefinitionError,
        "'BIGNT' is not a type.",
        "column('id'), line 1, column 1\n      BIGNT\n      ^",
    ),
    "more than a type": (
        lambda: builder().column_by_metadata("ts", "TIMESTAMP(3) METADATA"),
        DefinitionError,
        "Expected WITH, WITHOUT, NOT, NULL or the end of the type, found 'METADATA'.",
        "column_by_metadata('ts'), line 1, column 14\n      TIMESTAMP(3) METADATA\n                   ^",
    ),
    "a type of Flink that is not here": (
        lambda: builder().column("id", "RAW('a', 'b')"),
        UnsupportedFeatureError,
        "RAW cannot be a column's type.",
        "column('id'), line 1, column 1\n      RAW('a', 'b')\n      ^",
    ),
    "a type of something else": (
        lambda: builder().column("id", 7),  # type: ignore[arg-type]
        DefinitionError,
        "7 is not a column type",
        "column('id')",
    ),
    "no expression": (
        lambda: builder().column_by_expression("c", ""),
        DefinitionError,
        "Expected an expression, found the end of the text.",
        "column_by_expression('c'), line 1, column 1\n      \n      ^",
    ),
    "two expressions": (
        lambda: builder().watermark("ts", "ts, ts"),
        DefinitionError,
        "Expected the end of the expression, found ','.",
        "watermark('ts'), line 1, column 3\n      ts, ts\n        ^",
    ),
    "two watermarks": (
        lambda: builder().watermark("ts", "ts").watermark("at", "at"),
        DefinitionError,
        "Multiple WATERMARK declarations are not supported yet.",
        "watermark('at')",
    ),
    "two keys": (
        lambda: builder().primary_key("a").primary_key_named("pk", "b"),
        DefinitionError,
        "Duplicate primary key definition.",
        "primary_key('b')",
    ),
    "an empty key": (
        lambda: builder().primary_key(),
        DefinitionError,
        "Primary key constraint must be defined for at least a single column.",
        "primary_key()",
    ),
    "a column twice in the key": (
        lambda: builder().primary_key("a", "a"),
        DefinitionError,
        "Column 'a' is more than once in the primary key.",
        "primary_key('a', 'a')",
    ),
    "fewer types than names": (
        lambda: builder().from_fields(["a", "b"], [DataTypes.INT()]),
        DefinitionError,
        "Field names and field data types must have the same length: 2 and 1.",
        "from_fields",
    ),
    "fields of what has none": (
        lambda: builder().from_row_data_type(DataTypes.INT()),
        DefinitionError,
        "Data type of ROW expected, found INT.",
        "from_row_data_type",
    ),
}


@pytest.mark.parametrize("case", BUILDING)
def test_what_is_wrong_by_itself_is_refused_where_it_is_given(case: str) -> None:
    build, kind, what, where = BUILDING[case]
    with pytest.raises(kind) as caught:
        build()
    assert (caught.value.what, caught.value.where) == (what, where)


CREATING = {
    "Primary key column 'id' is nullable.": builder().column("id", "BIGINT").primary_key("id"),
    "Primary key column 'di' is not defined in the schema.": builder().column("id", "BIGINT").primary_key("di"),
    "The computed column 'c' cannot be in the primary key.": builder().column_by_expression("c", "1").primary_key("c"),
    "The watermark's column 'r.ts' is not defined in the schema.": builder()
    .column("r", "ROW<ts TIMESTAMP(3)>")
    .watermark("r.ts", "r.ts"),
    "A watermark needs a TIMESTAMP(p) or TIMESTAMP_LTZ(p) column with p from 0 to 3, and 'ts' is TIMESTAMP(6).": (
        builder().column("ts", DataTypes.TIMESTAMP()).watermark("ts", "ts")
    ),
}


@pytest.mark.parametrize("what", CREATING)
def test_what_does_not_fit_is_refused_where_the_table_is_created(what: str) -> None:
    descriptor = TableDescriptor.for_connector("print").schema(CREATING[what].build()).build()
    with pytest.raises(DefinitionError) as caught:
        TableEnvironment.create(EnvironmentSettings.in_streaming_mode()).create_temporary_table("t", descriptor)
    assert (caught.value.what, caught.value.where) == (what, "create_temporary_table('t')")


def test_an_expression_that_a_query_cannot_read_tells_which_it_is() -> None:
    (column,) = builder().column_by_expression("c", "\n  id + + ").build()._declared.computed
    with pytest.raises(DefinitionError) as caught:
        QueryText(column.expression).expression()
    assert caught.value.where.startswith("column_by_expression('c'), line 2, column ")
    assert "      id + +" in caught.value.where
