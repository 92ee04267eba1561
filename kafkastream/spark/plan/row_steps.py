"""Row-by-row steps of a query as DataFrames: computed columns, projections, filters and unnested arrays."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pyspark.sql import DataFrame, functions

from kafkastream.spark.sql.functions.user_functions import callable_on
from kafkastream.spark.sql.rows.row_elements import TIME
from kafkastream.spark.sql.rows.row_task import HIDDEN
from kafkastream.spark.sql.rows.wire_values import column_names
from kafkastream.sql.plan.relations import Explode, Project, Scan
from kafkastream.sql.plan.spark_text import KEPT, spark_text

__all__ = ["hidden_columns", "with_computed_columns", "with_step"]

_MESSAGE_KIND: Final = HIDDEN[1]


def with_computed_columns(frame: DataFrame, scan: Scan) -> DataFrame:
    """Return rows of a table with all of its columns, given those that are not computed."""
    if not scan.expressions:
        return frame
    columns = [
        f"{spark_text(expression)} AS {name}"
        for expression, name in zip(scan.expressions, column_names(len(scan.expressions)), strict=True)
    ]
    return callable_on(frame, scan.expressions, scan.changelog).selectExpr(*hidden_columns(frame), *columns)


def with_step(frame: DataFrame, step: Project | Explode) -> DataFrame:
    """Return the rows that a step makes; those that it leaves out stay, marked, if they carry event time or are messages."""
    return _projected(frame, step) if isinstance(step, Project) else _exploded(frame, step)


def hidden_columns(frame: DataFrame) -> list[str]:
    """Return the names of the columns that are not the query's."""
    return [name for name in frame.columns if name.startswith("__")]


def _projected(frame: DataFrame, step: Project) -> DataFrame:
    """Return computed columns; filtered rows that still carry event time stay, and are marked."""
    hidden = hidden_columns(frame)
    frame = callable_on(frame, step.computed, step.input.changelog)
    names = column_names(len(step.expressions))
    keeps = TIME in hidden or HIDDEN[0] in hidden
    condition = None if step.condition is None else functions.expr(spark_text(step.condition))
    if condition is not None and not keeps:
        frame = frame.where(condition)
    elif condition is not None:
        wanted = functions.coalesce(condition, functions.lit(False))
        wanted = functions.when(functions.expr(_is_row(hidden)), wanted).otherwise(functions.lit(False))
        frame = frame.withColumn(KEPT, wanted)
        hidden = hidden_columns(frame)
    marked = KEPT in hidden
    columns = [
        functions.expr(f"CASE WHEN {KEPT} THEN {text} END" if marked else text).alias(name)
        for name, text in zip(names, map(spark_text, step.expressions), strict=True)
    ]
    return frame.select(*hidden, *columns)


def _exploded(frame: DataFrame, step: Explode) -> DataFrame:
    hidden = hidden_columns(frame)
    own = column_names(len(step.input.fields))
    new = column_names(len(step.fields))[len(own) :]
    keeps = TIME in hidden or HIDDEN[0] in hidden
    array = spark_text(step.array)
    if keeps:
        before = _is_row(hidden)
        # CASE, since Spark may evaluate a common subexpression of both sides of AND for all rows.
        wanted = before if step.outer else f"CASE WHEN {before} THEN coalesce(size({array}), 0) > 0 ELSE false END"
        frame = frame.withColumn(KEPT, functions.expr(wanted))
        hidden, array = hidden_columns(frame), f"CASE WHEN {KEPT} THEN {array} END"
    generator = "inline_outer" if keeps or step.outer else "inline"
    return frame.selectExpr(*hidden, *own, f"{generator}({array}) AS ({', '.join(new)})")


def _is_row(hidden: Collection[str]) -> str:
    """Return the SQL condition for the query's own rows; the others only carry event time, or are messages."""
    return KEPT if KEPT in hidden else f"{_MESSAGE_KIND} IS NULL" if _MESSAGE_KIND in hidden else "true"
