"""Resolution of column names in a query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import final

import attrs
from sqlglot import exp

from kafkastream.sql.parser.parsed_query import QueryText
from kafkastream.sql.plan.expression import ColumnRef, FieldAccess
from kafkastream.sql.plan.relations import Field
from kafkastream.sql.table_options import did_you_mean
from kafkastream.sql.types import Kind

__all__ = ["NamedTable", "Scope", "name_parts"]


@final
@attrs.frozen
class NamedTable:
    """A table of a FROM clause: its alias and its columns.

    Args:
        alias: Name that qualifies its columns; empty for none.
        columns: Name and position of each column.
        is_outer: Whether it is outside of the query, whose own tables have precedence.
        hidden: Names that find a column only after the alias: those of common columns of a join.
    """

    alias: str
    columns: tuple[tuple[str, int], ...]
    is_outer: bool = False
    hidden: frozenset[str] = frozenset()


def name_parts(node: exp.Expr) -> list[exp.Identifier] | None:
    """Return the identifiers of ``a.b.c``; None for other nodes."""
    if isinstance(node, exp.Dot):
        before = name_parts(node.this)
        if before is not None and isinstance(node.expression, exp.Identifier):
            return [*before, node.expression]
        return None
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
        return [part for part in node.parts if isinstance(part, exp.Identifier)]
    return None


@final
@attrs.frozen
class Scope:
    """Columns that expressions may refer to.

    Args:
        fields: Columns of the input relation.
        sources: Tables of the FROM clause.
    """

    fields: tuple[Field, ...]
    sources: tuple[NamedTable, ...]

    @staticmethod
    def of(fields: Sequence[Field], alias: str = "") -> Scope:
        """Return the scope of one table."""
        return Scope(tuple(fields), (NamedTable(alias, tuple((field.name, at) for at, field in enumerate(fields))),))

    def joined(self, other: Scope) -> Scope:
        """Return the scope of these columns, followed by another scope's."""
        moved = tuple(
            attrs.evolve(one, columns=tuple((name, at + len(self.fields)) for name, at in one.columns))
            for one in other.sources
        )
        return Scope(self.fields + other.fields, self.sources + moved)

    def outer(self) -> Scope:
        """Return the scope for a query within this one, before the tables of that query are joined."""
        return attrs.evolve(self, sources=tuple(attrs.evolve(one, is_outer=True) for one in self.sources))

    def visible(self, *, is_outer: bool = False) -> Iterator[tuple[str, int]]:
        """Yield name and position of the columns that names alone find, in the order of ``*``."""
        for source in self.sources:
            if source.is_outer is is_outer:
                yield from ((name, at) for name, at in source.columns if name and name not in source.hidden)

    def resolve(self, text: QueryText, node: exp.Expr) -> ColumnRef | FieldAccess:
        """Resolve a name to a column, or to a field of a column.

        Raises:
            DefinitionError: The name is unknown or ambiguous.
        """
        parts = name_parts(node)
        if parts is None:
            raise text.refused(node, f"{text.shown(node)} is not a column.", "Name a column.")
        names = [part.name for part in parts]
        if len(names) > 1:
            for source in sorted(self.sources, key=attrgetter("is_outer")):
                if source.alias == names[0]:
                    return self._in_source(text, node, source, names)
        inner, outer = (
            [at for name, at in self.visible(is_outer=is_outer) if name == names[0]] for is_outer in (False, True)
        )
        found = inner or outer
        if len(found) > 1:
            raise text.error(node, f"Column '{names[0]}' is ambiguous", "Put the table's name or alias before it.")
        if not found:
            raise self._missing(text, node, names)
        return self._nested(text, node, found[0], tuple(names[1:]))

    def _in_source(
        self, text: QueryText, node: exp.Expr, source: NamedTable, names: list[str]
    ) -> ColumnRef | FieldAccess:
        found = [at for name, at in source.columns if name == names[1]]
        if len(found) > 1:
            raise text.error(node, f"Column '{names[1]}' is ambiguous", "Give the columns different names.")
        if not found:
            now = did_you_mean(names[1], [name for name, _ in source.columns])
            raise text.error(node, f"Column '{names[1]}' not found in table '{source.alias}'", now)
        return self._nested(text, node, found[0], tuple(names[2:]))

    def _nested(self, text: QueryText, node: exp.Expr, index: int, path: tuple[str, ...]) -> ColumnRef | FieldAccess:
        found: ColumnRef | FieldAccess = ColumnRef(index, self.fields[index].type)
        for name in path:
            inner = [field.name for field in found.type.fields] if found.type.kind is Kind.ROW else []
            if name not in inner:
                what = f"Column '{name}' not found: {self.fields[index].name} is {found.type}."
                raise text.error(node, what, did_you_mean(name, inner))
            found = FieldAccess.of(found, name)
        return found

    def _missing(self, text: QueryText, node: exp.Expr, names: list[str]) -> Exception:
        known = [name for source in self.sources for name, _ in source.columns]
        aliases = [source.alias for source in self.sources if source.alias]
        if len(names) > 1:
            now = did_you_mean(names[0], known + aliases)
            return text.error(node, f"Table '{names[0]}' not found", now)
        by_case = [name for name in known if name.upper() == names[0].upper()]
        now = f"Did you mean {by_case[0]!r}?" if by_case else did_you_mean(names[0], known)
        return text.error(node, f"Column '{names[0]}' not found in any table", now)
