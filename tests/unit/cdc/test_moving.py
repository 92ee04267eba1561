"""A schema book and another sink than the one that it was kept for."""

from __future__ import annotations

import attrs
import pytest

from kafkastream.cdc.book import SchemaBook
from kafkastream.cdc.changes import CreateTable
from kafkastream.cdc.moving import moved
from kafkastream.cdc.spec.postgres_sink import PostgresSink
from kafkastream.cdc.spec.rules import RouteRule
from kafkastream.cdc.spec.settings import RouteMode
from kafkastream.cdc.spec.simple_sinks import DeltaSink
from kafkastream.cdc.spec.sink import PipelineSink, SchemaChangeType
from kafkastream.cdc.table_rules import PipelineRules, Router
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.sql.syntax.data_types import parse_type

ORDERS, ALL, OLD = map(TableId.parse, ("shop.orders", "ods.all", "ods.old"))
SCHEMA = TableSchema.of([("id", parse_type("INT"))])
LAKE = DeltaSink(path="/lake")
DATABASE = PostgresSink(hostname="h", database="d", password="old")
ROUTES = (RouteRule(source_table="shop.orders", sink_table="ods.all"),)


def made(book: SchemaBook, sink: PipelineSink) -> tuple[list[CreateTable], SchemaBook]:
    changes: list[CreateTable] = []
    after = moved(book, sink, PipelineRules((), Router(ROUTES, RouteMode.ALL_MATCH), sink), changes.append)
    return changes, after


def test_another_sink_gets_the_tables_that_are_written_to() -> None:
    book = SchemaBook({ORDERS: SCHEMA}, {ALL: SCHEMA, OLD: SCHEMA})
    for sink in (LAKE, DATABASE):
        changes, book = made(book, sink)
        assert changes == [CreateTable(ALL, SCHEMA)]
        assert made(SchemaBook.of_record(book.record(), "here"), sink) == ([], book)
    assert made(book, attrs.evolve(DATABASE, password="new")) == ([], book)


@pytest.mark.parametrize("sink", [LAKE, DATABASE], ids=["delta", "postgres"])
def test_a_sink_that_makes_no_tables_is_left_alone(sink: PipelineSink) -> None:
    silent = attrs.evolve(sink, excluded=frozenset({SchemaChangeType.CREATE_TABLE}))
    changes, book = made(SchemaBook({ORDERS: SCHEMA}, {ALL: SCHEMA}), silent)
    assert (changes, made(book, silent)[0]) == ([], [])
