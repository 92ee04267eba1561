"""Operands of an operation: the tables and functions that its text names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import attrs

from kafkastream.sql.expressions.built_in_names import is_built_in
from kafkastream.sql.plan.planning_catalog import Catalog, ResolvedTable, View
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.table import Expression
from kafkastream.table.session.session_planner import SessionPlanner

__all__ = ["Operands"]


@final
@attrs.frozen
class Operands:
    """Catalog of an operation; implements ``kafkastream.sql.plan.planning_catalog.Catalog``.

    Args:
        outer: Planner of the session, for the names that the user writes.
        found: Tables and queries, by names that are valid in this text only.
        functions: Functions without a name in the session, by theirs here.
    """

    outer: SessionPlanner
    found: dict[str, ResolvedTable | View] = attrs.field(factory=dict)
    functions: dict[str, NamedFunction] = attrs.field(factory=dict)

    def copy(self) -> Operands:
        """Return a copy for a further operation."""
        return Operands(self.outer, dict(self.found), dict(self.functions))

    def add(self, other: Operands) -> None:
        """Add the operands of another text."""
        self.found.update(other.found)
        self.functions.update(other.functions)

    @property
    def database(self) -> str:
        """Return the name of the current database."""
        return self.outer.database

    def table(self, path: tuple[str, ...]) -> ResolvedTable | View | None:
        """Return an operand, or a table of the session."""
        own = self.found.get(path[0]) if len(path) == 1 else None
        return own or self.outer.table(path)

    def tables(self) -> Sequence[str]:
        """Return the names of the session's tables."""
        return self.outer.tables()

    def function(self, path: tuple[str, ...]) -> NamedFunction | None:
        """Return a function of this text, or of the session."""
        own = self.functions.get(path[0]) if len(path) == 1 else None
        return own or self.outer.function(path)

    def of(self, query: Expression) -> Catalog:
        """Return the catalog of a view's query."""
        return query.names if isinstance(query.names, Operands) else self.outer.of(query)

    def name_of(self, named: NamedFunction) -> str:
        """Return the name of a function in the text."""
        name = named.name
        while self.functions.get(name, named) is not named or is_built_in(name):
            name += "$"
        self.functions[name] = named
        return name
