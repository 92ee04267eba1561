"""Expressions of Flink SQL have Flink's types; what Spark would compute in another way is refused."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.plan.operations import TimeAttribute
from kafkastream.sql.plan.relations import Field
from kafkastream.sql.plan.spark_text import SparkPrinter
from kafkastream.sql.planner.computed_columns import EventTime, compile_columns
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import CreateTable
from kafkastream.sql.table import TableDefinition
from tests.unit.sql.planning import columns, compiled, plan

COLUMNS = """i INT; l BIGINT; s STRING; d DOUBLE; m DECIMAL(10, 2); ts TIMESTAMP(3); arr ARRAY<INT>; dt DATE; b BOOLEAN;
    j STRING; v VARCHAR(5); r ROW<x INT, y STRING NOT NULL>"""
FIELDS = [
    Field(name, parse_type(type_)) for name, _, type_ in (one.strip().partition(" ") for one in COLUMNS.split(";"))
]


@pytest.mark.parametrize(
    ("expression", "type_"),
    [
        ("i / 2", "INT"),
        ("l / i", "BIGINT"),
        ("m / 3", "DECIMAL(21, 13)"),
        ("TIMESTAMPADD(DAY, 1, ts)", "TIMESTAMP(3)"),
        ("TO_TIMESTAMP(s)", "TIMESTAMP(3)"),
        ("CURRENT_TIMESTAMP", "TIMESTAMP_LTZ(3)"),
        ("CAST(s AS TIMESTAMP(6))", "TIMESTAMP(6)"),
        ("i > 2", "BOOLEAN"),
        ("EXTRACT(YEAR FROM ts)", "BIGINT"),
    ],
)
def test_types_are_those_of_flink(expression: str, type_: str) -> None:
    assert str(compiled(expression, FIELDS).type.nullable()) == type_


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("CAST(arr AS INT)", DefinitionError),
        ("COALESCE(i, 'x')", DefinitionError),
        ("UPPER(s, s)", DefinitionError),
        ("i + s", DefinitionError),
        ("ROUND(d, 3000000000)", DefinitionError),
        ("FLOOR(d TO WEEK)", UnsupportedFeatureError),
        ("JSON_VALUE(j, '$..a')", UnsupportedFeatureError),
        ("JSON_VALUE(j, '$.a' RETURNING ARRAY<INT>)", DefinitionError),
        ("JSON_QUERY(j, '$.a' RETURNING ARRAY<STRING> EMPTY ARRAY ON EMPTY)", UnsupportedFeatureError),
        ("s SIMILAR TO '[[a]]'", UnsupportedFeatureError),
    ],
)
def test_what_spark_would_do_in_another_way_is_refused(expression: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        compiled(expression, FIELDS)


def table(columns: str) -> TableDefinition:
    created = parse_one(f"CREATE TABLE t ({columns}) WITH ('connector' = 'kafka')")
    assert isinstance(created, CreateTable)
    return created.definition


def test_computed_columns_and_the_watermark() -> None:
    declared = (
        "a INT, x AS a / 2 + o, s STRING, ts AS TO_TIMESTAMP(s), o BIGINT METADATA FROM 'offset', p AS PROCTIME()"
    )
    found = compile_columns(table(f"{declared}, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND - INTERVAL '1' MINUTE"))
    assert [field.name for field in found.inputs] == ["a", "s", "o"]
    assert tuple(map(SparkPrinter(kept="").text, found.expressions[:3])) == (
        "c0",
        "(cast((c0 div 2) as int) + c2)",
        "c1",
    )
    assert [(one.name, one.time) for one in found.fields if one.time] == [
        ("ts", TimeAttribute.EVENT),
        ("p", TimeAttribute.PROCESSING),
    ]
    assert found.event_time == EventTime(3, 65_000)


@pytest.mark.parametrize(
    ("declared", "what"),
    [
        ("s STRING, ts AS CAST(s AS TIMESTAMP(6)), WATERMARK FOR ts AS ts", "supported precision 'p' is from 0 to 3"),
        ("ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()", "requires that the source emits watermarks"),
        ("a INT, x AS nope + 1", "Column 'nope' not found in any table"),
        ("a INT, x AS a + 1, y AS x + 1", "Column 'x' not found in any table"),
        ("a INT, x AS COUNT(a)", "The aggregate function COUNT is not allowed here."),
    ],
)
def test_computed_columns_that_are_wrong(declared: str, what: str) -> None:
    with pytest.raises((DefinitionError, UnsupportedFeatureError), match=r"line 1, column \d+") as caught:
        compile_columns(table(declared))
    assert what in caught.value.what


def test_a_query_of_computed_columns() -> None:
    found = plan("SELECT id + 1 AS x, LOWER(cur), price * 2 FROM orders")
    assert columns(found) == ["x INT", "EXPR$1 STRING", "EXPR$2 DECIMAL(21, 2)"]
