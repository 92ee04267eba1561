"""A relation as branches: what each row comes from, and what is computed of it on its own on the way up."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import final

import attrs

from kafkastream.sql.plan.relations import Explode, Field, Project, Relation, Scan, Stateful, Union, Values

__all__ = ["Branch", "Origin", "branches", "origins"]

Origin = Scan | Values | Stateful
"""Origin of rows: a table, the query itself, or an operation with state."""


@final
@attrs.frozen
class Branch:
    """Rows that take the same way.

    Args:
        origin: Origin of the rows.
        steps: Projections of each row, one after the other.
    """

    origin: Origin
    steps: tuple[Project | Explode, ...] = ()

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns that come out."""
        return self.steps[-1].fields if self.steps else self.origin.fields


def branches(relation: Relation) -> tuple[Branch, ...]:
    """The ways to a relation: one, unless there are unions on it.

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
    """Origins of all rows on their way to a relation, each after what it takes, from left to right."""
    for branch in branches(relation):
        if isinstance(branch.origin, Stateful):
            yield from chain.from_iterable(map(origins, branch.origin.merged))
        yield branch.origin
