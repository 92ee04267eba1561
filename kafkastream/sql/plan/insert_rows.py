"""Projects the rows of a query to the columns that an INSERT writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kafkastream.errors import DefinitionError
from kafkastream.sql.casting import implicitly_castable
from kafkastream.sql.plan.expression import NULL, Cast, CastMode
from kafkastream.sql.plan.plan_builder import reference
from kafkastream.sql.plan.relations import Field, Project, Relation
from kafkastream.sql.table import MetadataColumn, PhysicalColumn, Position, TableDefinition
from kafkastream.sql.table_options import did_you_mean
from kafkastream.sql.types import DataType

__all__ = ["inserted", "written_columns"]


def written_columns(definition: TableDefinition) -> tuple[PhysicalColumn | MetadataColumn, ...]:
    """Return the columns that an INSERT writes: all but computed and VIRTUAL ones."""
    return tuple(
        column
        for column in definition.schema.columns
        if isinstance(column, PhysicalColumn) or (isinstance(column, MetadataColumn) and not column.is_virtual)
    )


def inserted(relation: Relation, definition: TableDefinition, columns: Sequence[str], where: Position) -> Relation:
    """Project rows to a table's columns: by position, cast to the table's types; NULL for columns without a value.

    Args:
        relation: Query.
        definition: Table.
        columns: Names of the columns in the INSERT; empty for all, in their order.
        where: Position of the statement, for errors.

    Raises:
        DefinitionError: Number or types of columns do not match.
    """
    written = written_columns(definition)
    given = _given(definition, written, columns, where)
    if len(relation.fields) != len(given):
        raise _mismatch(relation, definition, "Different number of columns.", where)
    places = {name: place for place, name in enumerate(given)}
    expressions, fields, key = [], [], {}
    for number, target in enumerate(written):
        place = places.get(target.name)
        if place is None and not target.type.is_nullable:
            what = f"Column '{target.name}' has no default value and does not allow NULLs"
            into = f"INSERT INTO {definition.identifier}, {where}"
            raise DefinitionError(what, where=into, now="Name it in the INSERT, and select a value for it.")
        if place is None:
            expressions.append(Cast(NULL, target.type, CastMode.ASSIGNMENT))
        else:
            source = relation.fields[place]
            if not implicitly_castable(source.type, target.type):
                cause = f"Incompatible types for sink column '{target.name}' at position {place}."
                raise _mismatch(relation, definition, cause, where)
            expressions.append(Cast(reference(relation, place), target.type, CastMode.ASSIGNMENT))
            key[place] = number
        fields.append(Field(target.name, target.type))
    upsert_key = relation.upsert_key
    return Project(
        fields=tuple(fields),
        changelog=relation.changelog,
        upsert_key=tuple(key[one] for one in upsert_key) if upsert_key and set(upsert_key) <= set(key) else None,
        input=relation,
        expressions=tuple(expressions),
    )


def _given(
    definition: TableDefinition,
    written: Sequence[PhysicalColumn | MetadataColumn],
    columns: Sequence[str],
    where: Position,
) -> Sequence[str]:
    names = [column.name for column in written]
    unknown = next((name for name in columns if name not in names), None)
    if unknown is not None:
        raise DefinitionError(
            f"Unknown target column '{unknown}'",
            where=f"INSERT INTO {definition.identifier}, {where}",
            now=did_you_mean(unknown, names),
        )
    twice = next((name for name in columns if list(columns).count(name) > 1), None)
    if twice is not None:
        raise DefinitionError(
            f"Target column '{twice}' is assigned more than once",
            where=f"INSERT INTO {definition.identifier}, {where}",
            now="Name it once.",
        )
    return columns or names


def _mismatch(relation: Relation, definition: TableDefinition, cause: str, where: Position) -> DefinitionError:
    query = _shown((field.name, field.type) for field in relation.fields)
    sink = _shown((column.name, column.type) for column in written_columns(definition))
    return DefinitionError(
        f"Column types of query result and sink for '{definition.identifier}' do not match. Cause: {cause} "
        f"Query schema: {query}. Sink schema: {sink}",
        where=f"INSERT INTO {definition.identifier}, {where}",
        now="Name the columns that are given, INSERT INTO t (a, b), or CAST columns of another type.",
    )


def _shown(columns: Iterable[tuple[str, DataType]]) -> str:
    return f"[{', '.join(f'{name}: {kind}' for name, kind in columns)}]"
