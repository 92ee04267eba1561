"""Merging of types and schemas, by the table that is checked in."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, applied
from kafkastream.cdc.merge import merged, schema_changes, widened_type
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.types import DataType, Kind

LINES = [
    tuple(part.strip() for part in line.split("|"))
    for line in Path(__file__).with_name("merge_table.txt").read_text().splitlines()
    if not line.startswith("#")
]
COMMON = {frozenset(line[:2]): line[2] for line in LINES if line[1]}
TYPES = list(dict.fromkeys(type_ for line in LINES for type_ in line[:2] if type_))
ORDERS = TableId(("shop", "orders"))

types = st.sampled_from(TYPES).map(parse_type)
schemas = st.dictionaries(st.sampled_from("abcdef"), types, min_size=1).map(lambda found: TableSchema.of(found.items()))


@pytest.mark.parametrize("one", TYPES)
def test_common_types_are_those_of_the_table_in_both_orders(one: str) -> None:
    for other in TYPES:
        expected = one if one == other else COMMON.get(frozenset((one, other)), "STRING")
        assert str(widened_type(parse_type(one), parse_type(other))) == expected, other
        assert str(widened_type(parse_type(other), parse_type(one))) == expected, other


def test_the_table_has_types_of_all_kinds_that_rows_have() -> None:
    kinds = {parse_type(type_).kind for type_ in TYPES}
    assert set(Kind) - kinds == {Kind.INTERVAL_YEAR_MONTH, Kind.INTERVAL_DAY_SECOND, Kind.MULTISET}


def test_a_common_type_is_nullable_if_one_is() -> None:
    integer, text = DataType.string().not_null(), DataType.string()
    assert widened_type(integer, integer) == integer
    assert widened_type(integer, text) == widened_type(text, integer) == text


@given(types, types)
def test_merging_again_changes_nothing(one: DataType, other: DataType) -> None:
    common = widened_type(one, other)
    assert widened_type(common, one) == widened_type(common, other) == common


def schema(columns: str, *primary_key: str) -> TableSchema:
    pairs = (column.strip().split(" ", 1) for column in columns.split(","))
    return TableSchema.of([(name, parse_type(type_)) for name, type_ in pairs], primary_key)


def test_merging_appends_keeps_and_widens() -> None:
    before = schema("id INT NOT NULL, name VARCHAR(10), note STRING", "id")
    after = merged(before, schema("extra BOOLEAN NOT NULL, name VARCHAR(20), id BIGINT NOT NULL"))
    assert after == schema("id BIGINT NOT NULL, name VARCHAR(20), note STRING, extra BOOLEAN", "id")


def test_a_key_stays_not_null() -> None:
    assert merged(schema("id INT NOT NULL", "id"), schema("id STRING")) == schema("id STRING NOT NULL", "id")


def test_changes_of_a_schema() -> None:
    before, after = schema("id INT, name STRING"), schema("id BIGINT, name STRING, age INT, at DATE")
    assert schema_changes(ORDERS, None, after) == (CreateTable(ORDERS, after),)
    assert schema_changes(ORDERS, after, after) == ()
    assert schema_changes(ORDERS, before, after) == (
        AddColumns(ORDERS, (Column("age", parse_type("INT")), Column("at", parse_type("DATE")))),
        AlterColumnTypes(ORDERS, {"id": parse_type("BIGINT")}, {"id": parse_type("INT")}),
    )


@given(schemas, schemas)
def test_changes_make_the_merged_schema(before: TableSchema, found: TableSchema) -> None:
    after = merged(before, found)
    now = before
    for change in schema_changes(ORDERS, before, after):
        now = applied(now, change)
    assert now == after
    assert merged(after, found) == merged(after, before) == after
