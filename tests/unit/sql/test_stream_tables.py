"""The columns of a stream's table: as its elements have them, or as a schema declares them."""

from __future__ import annotations

from typing import Any

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.sql.connectors.stream import stream_schema
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.table import ComputedColumn, Expression, MetadataColumn, PhysicalColumn, TableSchema

ELEMENTS = Types.ROW_NAMED(
    ["id", "price", "name", "more"],
    [
        Types.LONG(),
        Types.BIG_DEC(),
        Types.STRING(),
        Types.MAP(Types.STRING(), Types.TUPLE([Types.INT(), Types.INSTANT()])),
    ],
)


def columns(type_info: TypeInformation[Any], *declared: Any) -> list[str]:
    schema = stream_schema(type_info, TableSchema(declared), "the stream")
    return [f"{one.name} {one.type}" if isinstance(one, PhysicalColumn) else one.name for one in schema.columns]


def test_without_a_schema_they_are_the_fields_of_elements() -> None:
    assert columns(ELEMENTS) == [
        "id BIGINT",
        "price DECIMAL(38, 18)",
        "name STRING",
        "more MAP<STRING, ROW<`f0` INT, `f1` TIMESTAMP_LTZ(6)>>",
    ]
    assert columns(Types.TUPLE([Types.SHORT(), Types.BOOLEAN()])) == ["f0 SMALLINT", "f1 BOOLEAN"]
    assert columns(Types.DOUBLE()) == ["f0 DOUBLE"]
    assert columns(Types.PRIMITIVE_ARRAY(Types.BYTE())) == ["f0 BYTES"]
    assert columns(Types.PRIMITIVE_ARRAY(Types.INT())) == ["f0 ARRAY<INT NOT NULL>"]


def test_what_is_not_of_the_elements_stands_behind_their_fields() -> None:
    computed = ComputedColumn("twice", Expression("id * 2"))
    rowtime = MetadataColumn("rt", parse_type("TIMESTAMP_LTZ(3)"), "rowtime")
    assert columns(ELEMENTS, computed, rowtime)[3:] == [
        "more MAP<STRING, ROW<`f0` INT, `f1` TIMESTAMP_LTZ(6)>>",
        "twice",
        "rt",
    ]


def test_declared_fields_are_all_that_there_are() -> None:
    declared = [PhysicalColumn("name", parse_type("VARCHAR(3)")), PhysicalColumn("price", parse_type("DECIMAL(10, 2)"))]
    assert columns(ELEMENTS, *declared) == ["name VARCHAR(3)", "price DECIMAL(10, 2)"]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (PhysicalColumn("ID", parse_type("BIGINT")), "Unable to find a field named 'ID'"),
        (PhysicalColumn("id", parse_type("INT")), "declared as INT, and the field of the elements is BIGINT"),
        (PhysicalColumn("name", parse_type("BYTES")), "declared as BYTES"),
        (PhysicalColumn("more", parse_type("MAP<STRING, STRING>")), "declared as MAP<STRING, STRING>"),
        (PhysicalColumn("more", parse_type("MAP<STRING, ROW<a INT, f1 TIMESTAMP_LTZ(3)>>")), "declared as MAP"),
        (MetadataColumn("rt", parse_type("TIMESTAMP_LTZ(3)"), "timestamp"), "Invalid metadata key 'timestamp'"),
        (MetadataColumn("rt", parse_type("BOOLEAN"), "rowtime"), "BOOLEAN is not castable from TIMESTAMP_LTZ(3)"),
    ],
)
def test_a_column_that_the_elements_do_not_have_is_refused(column: Any, said: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        columns(ELEMENTS, column)
    assert said in str(raised.value)
    assert "the stream" in str(raised.value)


@pytest.mark.parametrize("type_info", [Types.PICKLED_BYTE_ARRAY(), Types.BIG_INT(), Types.LIST(Types.VOID())])
def test_a_type_that_sql_lacks_is_refused(type_info: TypeInformation[Any]) -> None:
    with pytest.raises(UnsupportedFeatureError, match="SQL has no type for the elements' field 'f0'") as raised:
        columns(type_info)
    assert "output_type" in str(raised.value)
