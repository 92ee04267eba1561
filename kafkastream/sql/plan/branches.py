"""Branches of a relation: the origin of rows, and the row-by-row steps from there up to the relation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import final

import attrs

from kafkastream.sql.plan.relations import Explode, Field, Project, Relation, Scan, Stateful, Union, Values

__all__ = ["Branch", "Origin", "branches", "origins"]

Origin = Scan | Values | Stateful
"""Origin of rows: a table, VALUES, or a stateful operation."""


@final
@attrs.frozen
class Branch:
    """Rows with the same origin and steps.

    Args:
        origin: Origin of the rows.
        steps: Projections of each row, in order.
    """

    origin: Origin
    steps: tuple[Project | Explode, ...] = ()

    @property
    def fields(self) -> tuple[Field, ...]:
        """Return the output columns."""
        return self.steps[-1].fields if self.steps else self.origin.fields


def branches(relation: Relation) -> tuple[Branch, ...]:
    """Return the branches of a relation: one, unless it has unions.

    Example:
        >>> from kafkastream.sql.plan.expression import Literal
        >>> from kafkastream.sql.types import DataType, Kind
        >>> fields = (Field("n", DataType.of(Kind.INT)),)
        >>> one, two = (Values(fields=fields, rows=((Literal.whole(n),),)) for n in (1, 2))
        >>> same = Project(
        ...     fields=fields, input=Union(fields=fields, merged=(one, two)), expressions=(Literal.whole(0),)
        ... )
        >>> [(branch.origin.rows[0][0].value, len(branch.steps)) for branch in branches(same)]
        [(1, 1), (2, 1)]
    """
    match relation:
        case Union():
            return tuple(chain.from_iterable(map(branches, relation.merged)))
        case Project() | Explode():
            return tuple(Branch(one.origin, (*one.steps, relation)) for one in branches(relation.input))
        case _:
            return (Branch(relation),)


def origins(relation: Relation) -> Iterator[Origin]:
    """Return the origins of all rows of a relation, inputs first, from left to right."""
    for branch in branches(relation):
        if isinstance(branch.origin, Stateful):
            yield from chain.from_iterable(map(origins, branch.origin.merged))
        yield branch.origin
