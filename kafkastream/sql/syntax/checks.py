"""Checks of a table's primary key and watermark against its columns."""

from __future__ import annotations

from collections.abc import Iterator

from kafkastream.errors import DefinitionError
from kafkastream.sql.table import ComputedColumn, TableSchema
from kafkastream.sql.table_options import did_you_mean
from kafkastream.sql.type_families import STAMPS
from kafkastream.sql.types import DataType

__all__ = [
    "PARTITIONS",
    "TWO_KEYS",
    "TWO_WATERMARKS",
    "Problem",
    "key_problem",
    "problems",
    "refusal",
    "repeated_column",
    "repeated_key_column",
    "watermark_problem",
]

Problem = tuple[str, str]
"""Text of an error, and advice."""

TWO_WATERMARKS: Problem = ("Multiple WATERMARK declarations are not supported yet.", "Keep one of them.")
TWO_KEYS: Problem = ("Duplicate primary key definition.", "Keep one of them.")
PARTITIONS: Problem = (
    "only a table in files has PARTITIONED BY",
    "Leave it out: 'sink.partitioner' says where records of Kafka go; or set 'connector' = 'filesystem'.",
)

_MOST_PRECISE_ROWTIME = 3


def refusal(problem: Problem, where: str) -> DefinitionError:
    """Return the error about a problem."""
    what, now = problem
    return DefinitionError(what, where=where, now=now)


def repeated_column(name: str) -> Problem:
    """Return the problem of two columns with the same name."""
    return f"A column named '{name}' already exists in the table.", ""


def repeated_key_column(name: str) -> Problem:
    """Return the problem of a column that is twice in the primary key."""
    return f"Column '{name}' is more than once in the primary key.", ""


def problems(schema: TableSchema) -> Iterator[Problem]:
    """Yield all problems of the primary key and the watermark."""
    yield from filter(None, (*(key_problem(schema, name) for name in schema.primary_key), watermark_problem(schema)))


def key_problem(schema: TableSchema, name: str) -> Problem | None:
    """Return the problem of a column in the primary key; None if it is allowed.

    Metadata columns are allowed, unlike in Flink: its vendors document partition and offset as a primary key.
    """
    column = {column.name: column for column in schema.columns}.get(name)
    if column is None:
        known = (column.name for column in schema.columns)
        return f"Primary key column '{name}' is not defined in the schema.", did_you_mean(name, known)
    if isinstance(column, ComputedColumn):
        return f"The computed column '{name}' cannot be in the primary key.", "Choose columns that records have."
    if column.type.is_nullable:
        return f"Primary key column '{name}' is nullable.", f"Declare it as {column.type.not_null()}."
    return None


def watermark_problem(schema: TableSchema) -> Problem | None:
    """Return the problem of the watermark's column; types of computed columns are not known here."""
    if schema.watermark is None:
        return None
    path = ".".join(schema.watermark.path)
    column = {column.name: column for column in schema.columns}.get(schema.watermark.path[0])
    if isinstance(column, ComputedColumn):
        return None
    reached = column and _reached(column.type, schema.watermark.path[1:])
    if reached is None:
        known = (column.name for column in schema.columns)
        return f"The watermark's column '{path}' is not defined in the schema.", did_you_mean(path, known)
    if reached.kind not in STAMPS or (reached.size or 0) > _MOST_PRECISE_ROWTIME:
        what = f"A watermark needs a TIMESTAMP(p) or TIMESTAMP_LTZ(p) column with p from 0 to {_MOST_PRECISE_ROWTIME}"
        now = "Declare the column as TIMESTAMP(3), or compute one: ts AS CAST(... AS TIMESTAMP(3))."
        return f"{what}, and '{path}' is {reached}.", now
    return None


def _reached(of: DataType, path: tuple[str, ...]) -> DataType | None:
    """Return the type of a nested field."""
    for name in path:
        inner = next((field.type for field in of.fields if field.name == name), None)
        if inner is None:
            return None
        of = inner
    return of
