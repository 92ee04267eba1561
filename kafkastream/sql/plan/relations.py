"""Relations: the logical plan of a query. Relations refer to the columns of their inputs as ``c0``, ``c1`` and so on.

Row-by-row computations are typed expressions over these columns; stateful ones are operations (``operations``).
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
    """Return the name of the column at a position, in Spark SQL."""
    return f"c{index}"


@final
@attrs.frozen
class Field:
    """A column of a relation.

    Args:
        name: Name of the column.
        type: Type of the column.
        time: Event time or processing time, for a time attribute; None for other columns.
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
        upsert_key: Positions of the columns by which a row replaces an earlier one; None if unknown.
    """

    fields: tuple[Field, ...]
    changelog: ChangelogMode = ChangelogMode.APPEND
    upsert_key: tuple[int, ...] | None = None

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """Return the input relations."""
        return ()


@final
@attrs.frozen(kw_only=True)
class Scan(_Relation):
    """Table scan, with columns in the order of the schema.

    Args:
        table: Declaration of the table, with the options of a hint merged in.
        expressions: Expressions of all columns over those that are not computed; empty if no column is computed.
        watermark: Position of the watermark's column, and the delay of the watermark in ms; None without one.
    """

    table: TableDefinition
    expressions: tuple[TypedExpression, ...] = ()
    watermark: tuple[int, int] | None = None


@final
@attrs.frozen(kw_only=True)
class Values(_Relation):
    """Rows that the query itself contains (``VALUES``).

    Args:
        rows: Expressions of each row.
    """

    rows: tuple[tuple[TypedExpression, ...], ...]


@final
@attrs.frozen(kw_only=True)
class Project(_Relation):
    """Projection and filter.

    Args:
        input: Input.
        expressions: One expression for each column.
        condition: Filter condition; None for all rows.
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
        """Return the expressions, followed by the condition."""
        return self.expressions if self.condition is None else (*self.expressions, self.condition)


@final
@attrs.frozen(kw_only=True)
class Explode(_Relation):
    """Unnested array: each row once per element; columns of the row, then of the element.

    Args:
        input: Input.
        array: Expression of an array of structs, whose fields are the new columns.
        outer: Whether a row without elements is kept, with NULL.
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
    """Union of inputs with the same columns."""

    merged: tuple[Relation, ...]

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """All inputs."""
        return self.merged


@final
@attrs.frozen(kw_only=True)
class Stateful(_Relation):
    """Stateful operation on rows with the same key.

    Args:
        merged: Inputs, one or two.
        keys: Positions of each input's key columns; empty if all rows have the same key.
        operation: Operation.
    """

    merged: tuple[Relation, ...]
    keys: tuple[tuple[int, ...], ...]
    operation: Operation

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """Return the inputs of the operation: one or two."""
        return self.merged


Relation = Scan | Values | Project | Explode | Union | Stateful


def computations(relation: Relation) -> Iterator[TypedExpression]:
    """Return all expressions of a relation and of those below it."""
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
