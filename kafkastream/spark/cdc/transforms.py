"""Transforms of changes by Spark expressions, for all tables in one pass over the messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from pyspark.sql import Column, DataFrame, functions

from kafkastream.cdc.projection import EVENT_TYPE, HIDDEN
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.cdc.transforms import Step, TransformedTable
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.spark.sql.formats.value_texts import utc_text
from kafkastream.sql.plan.relations import column
from kafkastream.sql.plan.spark_text import SparkPrinter
from kafkastream.sql.type_families import TIMES
from kafkastream.sql.types import DataType, Kind

__all__ = ["Transform", "parsed_as", "transformed"]

_HALVES: Final = ("before", "after")


class Transform:
    """Transform of one table.

    Args:
        table: The table.
        schema: Its schema before the transform.
        to: Projection and filter that its rule plans.
    """

    def __init__(self, table: TableId, schema: TableSchema, to: TransformedTable) -> None:
        self.table = table
        self.schema = schema
        self.to = to


def transformed(messages: DataFrame, transforms: Sequence[Transform]) -> DataFrame:
    """Return messages with transformed rows, and whether the filters keep the before and the after image.

    Args:
        messages: Messages with the columns of ``messages.MESSAGE_SCHEMA``; ``place`` is the index of the transform.
        transforms: Transforms by their index.
    """
    others = messages.columns
    frame = messages.select(*others, *_parsed(transforms))
    frame = frame.select(*others, *_typed(transforms))
    for steps in zip_longest(*(one.to.steps for one in transforms)):
        frame = frame.select(*others, *_stepped(steps))
    kept = [name for name in others if name not in _HALVES]
    return frame.select(*kept, *_written(transforms))


def _row(place: int, half: str) -> str:
    return f"{half}_{place}"


def _keeps(place: int, half: str) -> str:
    return f"keeps_{half}_{place}"


def _parsed(transforms: Sequence[Transform]) -> Iterator[Column]:
    for place, one in enumerate(transforms):
        fields = ", ".join(f"{column(at)} {parsed_as(field.type)}" for at, field in enumerate(one.schema.columns))
        for half in _HALVES:
            own = functions.when(functions.col("place") == place, functions.col(half).cast("string"))
            yield functions.from_json(own, fields).alias(_row(place, half))


def parsed_as(kind: DataType) -> str:
    """Return the type that JSON values are parsed as, before the cast to the column's type."""
    return "string" if kind.kind in TIMES else spark_type(kind).simpleString()


def _typed(transforms: Sequence[Transform]) -> Iterator[Column]:
    """Return rows with typed values, followed by the hidden columns."""
    for place, one in enumerate(transforms):
        for half in _HALVES:
            row = functions.col(_row(place, half))
            values = [
                row.getField(column(at)).cast(spark_type(field.type)) for at, field in enumerate(one.schema.columns)
            ]
            whole = functions.struct(
                *(value.alias(column(at)) for at, value in enumerate((*values, *_hidden(one.table, half))))
            )
            yield functions.when(row.isNotNull(), whole).alias(_row(place, half))
            yield row.isNotNull().alias(_keeps(place, half))


def _hidden(table: TableId, half: str) -> Iterator[Column]:
    texts = dict(zip(HIDDEN, (table.namespace, table.schema, table.table), strict=False))
    for name in HIDDEN:
        yield _event_type(half) if name == EVENT_TYPE else functions.lit(texts[name])


def _event_type(half: str) -> Column:
    is_update = functions.col("operation") == "UPDATE"
    return functions.when(is_update, "-U" if half == "before" else "+U").otherwise("-D" if half == "before" else "+I")


def _stepped(steps: Sequence[Step | None]) -> Iterator[Column]:
    for place, step in enumerate(steps):
        for half in _HALVES:
            row, keeps = _row(place, half), _keeps(place, half)
            if step is None:
                yield functions.col(row)
                yield functions.col(keeps)
                continue
            printer = SparkPrinter(lambda place, row=row: f"{row}.{column(place)}", kept=keeps)  # type: ignore[misc]
            values = (f"{printer.text(one)} AS {column(at)}" for at, one in enumerate(step.expressions))
            yield functions.expr(f"CASE WHEN {row} IS NOT NULL THEN struct({', '.join(values)}) END").alias(row)
            condition = "true" if step.condition is None else f"coalesce({printer.text(step.condition)}, false)"
            yield functions.expr(f"CASE WHEN {keeps} THEN {condition} ELSE false END").alias(keeps)


def _written(transforms: Sequence[Transform]) -> Iterator[Column]:
    for half in _HALVES:
        rows, keeps = functions.col(half), functions.lit(True)
        for place, one in enumerate(transforms):
            is_own = functions.col("place") == place
            rows = functions.when(is_own, _json(functions.col(_row(place, half)), one.to.schema)).otherwise(rows)
            keeps = functions.when(is_own, functions.col(_keeps(place, half))).otherwise(keeps)
        yield rows.alias(half)
        yield keeps.alias(f"keeps_{half}")


def _json(row: Column, schema: TableSchema) -> Column:
    values = [_plain(row.getField(column(at)), field.type).alias(column(at)) for at, field in enumerate(schema.columns)]
    return functions.when(row.isNotNull(), functions.to_json(functions.struct(*values)).cast("binary"))


def _plain(value: Column, kind: DataType) -> Column:
    if kind.kind is Kind.TIMESTAMP_LTZ:
        return functions.concat(utc_text(value), functions.lit("Z"))
    return value.cast("string") if kind.kind in TIMES else value
