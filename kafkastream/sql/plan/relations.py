"""Relations: the logical plan of a query. The columns of each are ``c0``, ``c1`` and so on to those above it.

What can be computed row by row is typed expressions over these columns; what needs state is an operation of ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import final

import attrs

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.operations import Operation, TimeAttribute
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.types import DataType

__all__ = [
    "Explode",
    "Field",
    "Project",
    "Relation",
    "Scan",
    "Stateful",
    "Union",
    "Values",
    "column",
    "computations",
]


def column(index: int) -> str:
    """Name of the column at a place, in Spark SQL."""
    return f"c{index}"


@final
@attrs.frozen
class Field:
    """A column of a relation.

    Args:
        name: Name that the user knows.
        type: Type.
        time: Event time or processing time, for a time attribute; else None.
    """

    name: str
    type: DataType
    time: TimeAttribute | None = None


@attrs.frozen(kw_only=True)
class _Relation:
    """Base of relations.

    Args:
        fields: Columns.
        changelog: Changelog mode of the rows.
        upsert_key: The columns by which a row replaces the one before, as far as they are known.
    """

    fields: tuple[Field, ...]
    changelog: ChangelogMode = ChangelogMode.APPEND
    upsert_key: tuple[int, ...] | None = None

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The relations that it is made of."""
        return ()


@final
@attrs.frozen(kw_only=True)
class Scan(_Relation):
    """A table that is read: its columns in the order of the schema.

    Args:
        table: The table, with the options of a hint merged in.
        expressions: Expressions of the columns over those that are not computed; none where no column is computed.
        watermark: The column that tells how far event time has come, and how many ms later than it time is.
    """

    table: TableDefinition
    expressions: tuple[TypedExpression, ...] = ()
    watermark: tuple[int, int] | None = None


@final
@attrs.frozen(kw_only=True)
class Values(_Relation):
    """Rows that the query itself holds.

    Args:
        rows: The expressions of each.
    """

    rows: tuple[tuple[TypedExpression, ...], ...]


@final
@attrs.frozen(kw_only=True)
class Project(_Relation):
    """Columns computed of those of each row.

    Args:
        input: Input.
        expressions: One for each column.
        condition: Condition of the rows that stay; None for all.
    """

    input: Relation
    expressions: tuple[TypedExpression, ...]
    condition: TypedExpression | None = None

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The one input."""
        return (self.input,)

    @property
    def computed(self) -> tuple[TypedExpression, ...]:
        """The expressions, and the condition behind them."""
        return self.expressions if self.condition is None else (*self.expressions, self.condition)


@final
@attrs.frozen(kw_only=True)
class Explode(_Relation):
    """Unnested array: each row once for every element, the columns of the row, then those of the element.

    Args:
        input: Input.
        array: An expression for an array of structs, whose fields are the new columns.
        outer: Whether a row without elements comes out once, with NULL.
    """

    input: Relation
    array: TypedExpression
    outer: bool = False

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The one input."""
        return (self.input,)


@final
@attrs.frozen(kw_only=True)
class Union(_Relation):
    """The rows of all inputs, which have the same columns."""

    merged: tuple[Relation, ...]

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """All inputs."""
        return self.merged


@final
@attrs.frozen(kw_only=True)
class Stateful(_Relation):
    """Operation with state on rows with the same key.

    Args:
        merged: The inputs, one or two.
        keys: The columns of each that are its key; none when all rows belong together.
        operation: Operation.
    """

    merged: tuple[Relation, ...]
    keys: tuple[tuple[int, ...], ...]
    operation: Operation

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """Inputs of the operation: one or two."""
        return self.merged


Relation = Scan | Values | Project | Explode | Union | Stateful


def computations(relation: Relation) -> Iterator[TypedExpression]:
    """All expressions of a relation and of those below it."""
    match relation:
        case Scan(expressions=expressions):
            yield from expressions
        case Values(rows=rows):
            yield from chain.from_iterable(rows)
        case Project(computed=computed):
            yield from computed
        case Explode(array=array):
            yield array
        case Union() | Stateful():
            pass
    yield from chain.from_iterable(map(computations, relation.inputs))
