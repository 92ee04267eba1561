"""Source ``values``: tables and changes given in the definition, for tests and demos."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, final

import attrs

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, Operation, applied
from kafkastream.cdc.spec.section import NAME
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.settings import setting
from kafkastream.sql.table_options import did_you_mean

__all__ = ["RowChange", "Values", "ValuesEvent", "ValuesSource", "apply_event"]

Values: TypeAlias = Mapping[str, Any]


def _frozen(values: Values | None) -> Values | None:
    return None if values is None else FrozenMap(values)


@final
@attrs.frozen
class RowChange:
    """Row change with values by column name; columns that are not named are NULL.

    Args:
        table: Table of the row.
        operation: Kind of the change.
        before: Values before the change; None for an INSERT, and optional for an UPDATE.
        after: Values after the change; None for a DELETE.
    """

    table: TableId
    operation: Operation
    before: Values | None = attrs.field(default=None, converter=_frozen)
    after: Values | None = attrs.field(default=None, converter=_frozen)


ValuesEvent: TypeAlias = CreateTable | AddColumns | AlterColumnTypes | RowChange


def _events(events: Iterable[ValuesEvent]) -> tuple[ValuesEvent, ...]:
    return tuple(events)


@final
@attrs.frozen(kw_only=True)
class ValuesSource:
    """Bounded source of given changes of tables and rows.

    Args:
        events: Changes in order; a table is created before its rows change.

    Raises:
        DefinitionError: A change does not match its table.

    Example:
        >>> from kafkastream.table import DataTypes
        >>> orders = TableId.parse("shop.orders")
        >>> created = CreateTable(orders, TableSchema.of([("id", DataTypes.BIGINT())]))
        >>> source = ValuesSource(events=(created, RowChange(orders, Operation.INSERT, after={"id": 1})))
        >>> [str(table) for table in source.schemas]
        ['shop.orders']
    """

    name: str | None = setting(NAME)
    events: tuple[ValuesEvent, ...] = attrs.field(default=(), converter=_events)

    def __attrs_post_init__(self) -> None:
        self.schemas  # noqa: B018 - checks the events

    @property
    def schemas(self) -> Mapping[TableId, TableSchema]:
        """Schemas of the tables after all changes."""
        schemas: dict[TableId, TableSchema] = {}
        for event in self.events:
            apply_event(schemas, event)
        return schemas


def apply_event(schemas: dict[TableId, TableSchema], event: ValuesEvent) -> None:
    """Apply a change to the schemas of the tables.

    Raises:
        DefinitionError: The change does not match its table.
    """
    schema = schemas.get(event.table)
    if schema is None and not isinstance(event, CreateTable):
        known = map(str, schemas)
        raise DefinitionError(f"unknown table '{event.table}'", now=did_you_mean(str(event.table), known))
    if not isinstance(event, RowChange):
        schemas[event.table] = applied(schema, event)
        return
    assert schema is not None
    for values in (event.before, event.after):
        if unknown := set(values or ()) - set(schema.names):
            name = min(unknown)
            raise DefinitionError(f"{name!r} is not a column of '{event.table}'", now=did_you_mean(name, schema.names))
