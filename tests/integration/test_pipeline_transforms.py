"""Transform rules with expressions, by Spark, over micro-batches with schemas that follow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kafkastream.cdc.changes import CreateTable, Operation
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.rules import AfterTransform, TransformRule
from kafkastream.cdc.spec.settings import PipelineFunction
from kafkastream.cdc.spec.simple_sinks import ValuesSink
from kafkastream.cdc.spec.values_source import RowChange, ValuesSource
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.errors import KafkastreamError
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.table.udf import udf
from kafkastream.testing import KafkaBroker
from tests.integration.test_pipelines_at_work import after, changes, event, settings, source

pytestmark = pytest.mark.usefixtures("spark")

SINK = ValuesSink(prints=False)


@udf(result_type="STRING")
def shout(text: str | None) -> str | None:
    return None if text is None else f"{text}!"


def rule(projection: str = "", **options: Any) -> TransformRule:
    return TransformRule(source_table="shop.orders", projection=projection, **options)


def found(kafka: KafkaBroker, topic: str, records: list[str], *rules: TransformRule, **options: Any) -> list[RowChange]:
    kafka.produce(topic, records)
    return changes(
        PipelineSpec(source=source(kafka, topic), sink=SINK, transforms=rules, settings=settings(topic, **options))
    )


def test_columns_are_computed_and_hidden_ones_are_there(kafka: KafkaBroker, topic: str) -> None:
    records = [
        event("c", "shop.orders", {"id": 1, "name": "ink"}),
        event("c", "shop.items", {"sku": "a"}),
        event("u", "shop.orders", {"id": 1, "name": None}, {"id": 1, "name": "ink"}),
        event("d", "shop.orders", before={"id": 1, "name": None}),
    ]
    computed = rule(r"\*, UPPER(name) AS name, id * 2 AS twice, __schema_name__ AS db, __data_event_type__ AS kind")
    rows = found(kafka, topic, records, computed)
    ink = {"id": 1, "name": "INK", "twice": 2, "db": "shop", "kind": "+I"}
    gone = {**ink, "name": None}
    assert [(one.operation, one.before, one.after) for one in rows] == [
        (Operation.INSERT, None, ink),
        (Operation.INSERT, None, {"sku": "a"}),
        (Operation.UPDATE, {**ink, "kind": "-U"}, {**gone, "kind": "+U"}),
        (Operation.DELETE, {**gone, "kind": "-D"}, None),
    ]


def test_an_update_across_the_filter_is_an_insert_or_a_delete(kafka: KafkaBroker, topic: str) -> None:
    def row(number: int) -> dict[str, Any]:
        return {"id": 1, "n": number}

    records = [
        event("c", "shop.orders", row(1)),
        event("u", "shop.orders", row(2), row(1)),
        event("u", "shop.orders", row(3), row(2)),
        event("u", "shop.orders", row(4), row(3)),
        event("u", "shop.orders", row(1), row(4)),
        event("u", "shop.orders", row(0), row(1)),
        event("d", "shop.orders", before=row(0)),
    ]
    rows = found(kafka, topic, records, rule(r"id, n + 0 AS big", filter="big >= 3"))
    assert [(one.operation, one.before, one.after) for one in rows] == [
        (Operation.INSERT, None, {"id": 1, "big": 3}),
        (Operation.UPDATE, {"id": 1, "big": 3}, {"id": 1, "big": 4}),
        (Operation.DELETE, {"id": 1, "big": 4}, None),
    ]


def test_values_of_all_types_come_through(topic: str) -> None:
    orders = TableId.parse("shop.orders")
    values = {
        "BOOLEAN": True,
        "INT": -7,
        "BIGINT": 2**62,
        "DOUBLE": 0.1,
        "DECIMAL(38, 10)": "1234567890123456789012345678.0123456789",
        "DATE": "1969-12-31",
        "TIMESTAMP(3)": "2024-05-01 10:00:00.5",
        "TIMESTAMP_LTZ(6)": "2024-05-01 10:00:00.000001Z",
        "STRING": 'a "quote", \U0001f600 and c1',
        "BYTES": b"\x00\xff",
        "VARCHAR(3)": None,
    }
    columns = [(f"c{place}", parse_type(type_)) for place, type_ in enumerate(values)]
    row = {name: value for (name, _), value in zip(columns, values.values(), strict=True)}
    events = (CreateTable(orders, TableSchema.of(columns)), RowChange(orders, Operation.INSERT, after=row))
    computed = rule("*, 'c1' || c8 AS text", filter="c1 < 0")
    spec = PipelineSpec(source=ValuesSource(events=events), sink=SINK, transforms=(computed,), settings=settings(topic))
    (change,) = changes(spec)
    assert change.after is not None
    assert {name: str(value) for name, value in change.after.items()} == {
        **{name: str(value) for name, value in row.items()},
        "text": 'c1a "quote", \U0001f600 and c1',
    }


def test_schemas_follow_through_a_transform_and_a_restart(kafka: KafkaBroker, topic: str, tmp_path: Path) -> None:
    computed = rule(r"\*, id + 1 AS next", primary_keys=("id",))
    configuration = {"execution.checkpointing.dir": tmp_path.as_uri()}
    first = [event("c", "shop.orders", {"id": 1}), event("c", "shop.orders", {"id": 2, "note": "x"})]
    assert after(found(kafka, topic, first, computed, configuration=configuration)) == [
        ("shop.orders", {"id": 1, "next": 2, "note": None}),
        ("shop.orders", {"id": 2, "next": 3, "note": "x"}),
    ]
    again = [event("c", "shop.orders", {"id": 2.5})]
    assert after(found(kafka, topic, again, computed, configuration=configuration)) == [
        ("shop.orders", {"id": 2.5, "next": 3.5, "note": None})
    ]


def test_functions_of_the_user(kafka: KafkaBroker, topic: str) -> None:
    function = PipelineFunction("shout", f"{__name__}.shout")
    records = [event("c", "shop.orders", {"name": "ink"}), event("c", "shop.items", {"name": "pen"})]
    rows = found(kafka, topic, records, rule("SHOUT(name) AS loud"), functions=(function,))
    assert after(rows) == [("shop.orders", {"loud": "ink!"}), ("shop.items", {"name": "pen"})]


def test_soft_delete_tells_what_has_happened(kafka: KafkaBroker, topic: str) -> None:
    softly = rule(r"\*, __data_event_type__ AS op", after_transform=AfterTransform.SOFT_DELETE)
    records = [event("c", "shop.orders", {"id": 1}), event("d", "shop.orders", before={"id": 1})]
    rows = found(kafka, topic, records, softly)
    assert [(one.operation, one.after) for one in rows] == [
        (Operation.INSERT, {"id": 1, "op": "+I"}),
        (Operation.INSERT, {"id": 1, "op": "-D"}),
    ]


@pytest.mark.parametrize(
    ("projection", "where", "told"),
    [
        ("id + 1", "", "has no name"),
        ("nothing AS n", "", "nothing"),
        ("*", "id >", "ends after"),
        ("SUM(id) AS s", "", "aggregate"),
        ("NO_SUCH(id) AS s", "", "NO_SUCH"),
    ],
    ids=["nameless", "unknown", "filter", "aggregate", "function"],
)
def test_wrong_expressions_are_told_with_their_rule(
    kafka: KafkaBroker, topic: str, projection: str, where: str, told: str
) -> None:
    with pytest.raises(KafkastreamError, match=told) as failure:
        found(kafka, topic, [event("c", "shop.orders", {"id": 1})], rule(projection, filter=where))
    assert "shop.orders" in str(failure.value)


def test_nested_values_are_columns_of_expressions(kafka: KafkaBroker, topic: str) -> None:
    kafka.produce(topic, [event("c", "shop.orders", {"tags": ["a", "b"], "at": {"x": 1}, "of": {"k": 7}})])
    columns = [("tags", "ARRAY<STRING>"), ("at", "ROW<x INT>"), ("of", "MAP<STRING, INT>")]
    declared = TableSchema.of([(name, parse_type(type_)) for name, type_ in columns])
    computed = rule("*, CARDINALITY(tags) AS n, `at`.x AS x, `of`['k'] AS k")
    (row,) = changes(
        PipelineSpec(
            source=source(kafka, topic, initial_schemas={TableId.parse("shop.orders"): declared}),
            sink=SINK,
            transforms=(computed,),
            settings=settings(topic),
        )
    )
    assert row.after == {"tags": ["a", "b"], "at": {"x": 1}, "of": {"k": 7}, "n": 2, "x": 1, "k": 7}
