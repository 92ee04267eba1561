"""Catalog that a query is planned against: the tables, views and functions that it may name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, final

import attrs

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.relations import Field
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.table import Expression, TableDefinition

__all__ = ["Catalog", "ResolvedTable", "View"]


@final
@attrs.frozen
class ResolvedTable:
    """A table that can be read.

    Args:
        definition: As it is declared.
        changelog: Changelog mode of its rows.
        fields: Columns in the order of the schema, with computed ones and time attributes.
        expressions: Expressions of the columns over those that are not computed; none where no column is computed.
        watermark: The column that tells how far event time has come, and how many ms later than it time is.
    """

    definition: TableDefinition
    changelog: ChangelogMode
    fields: tuple[Field, ...]
    expressions: tuple[TypedExpression, ...] = ()
    watermark: tuple[int, int] | None = None


@final
@attrs.frozen
class View:
    """A query with a name.

    Args:
        query: Text of the query.
        columns: The names of its columns; those of the query, if empty.
    """

    query: Expression
    columns: tuple[str, ...] = ()


class Catalog(Protocol):
    """The tables, views and functions that queries may name."""

    def table(self, path: tuple[str, ...]) -> ResolvedTable | View | None:
        """Table or view of a name; None if there is none."""
        ...

    def tables(self) -> Sequence[str]:
        """The names that are known, for suggestions."""
        ...

    def function(self, path: tuple[str, ...]) -> NamedFunction | None:
        """The function of the user that a name means; None when there is none, or a built-in one comes first."""
        ...

    def of(self, query: Expression) -> Catalog:
        """Catalog in which names resolve as they did where a query was defined."""
        ...
