"""Catalog for planning: tables, views and functions that a query may refer to."""

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
        definition: Declaration of the table.
        changelog: Changelog mode of its rows.
        fields: Columns in the order of the schema, including computed ones and time attributes.
        expressions: Expressions of all columns over those that are not computed; empty if no column is computed.
        watermark: Position of the watermark's column, and the delay of the watermark in ms; None without one.
    """

    definition: TableDefinition
    changelog: ChangelogMode
    fields: tuple[Field, ...]
    expressions: tuple[TypedExpression, ...] = ()
    watermark: tuple[int, int] | None = None


@final
@attrs.frozen
class View:
    """A named query.

    Args:
        query: Text of the query.
        columns: Names of its columns; empty for those of the query.
    """

    query: Expression
    columns: tuple[str, ...] = ()


class Catalog(Protocol):
    """Tables, views and functions that queries may refer to."""

    @property
    def database(self) -> str:
        """Return the name of the current database."""
        ...

    def table(self, path: tuple[str, ...]) -> ResolvedTable | View | None:
        """Return a table or view by name; None if there is none."""
        ...

    def tables(self) -> Sequence[str]:
        """Return all names, for suggestions."""
        ...

    def function(self, path: tuple[str, ...]) -> NamedFunction | None:
        """Return a user-defined function by name; None if there is none, or a built-in one takes precedence."""
        ...

    def of(self, query: Expression) -> Catalog:
        """Return the catalog that resolves names as of the definition of a query."""
        ...
