"""Tables as the parser would make them, for tests of their options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from kafkastream.errors import DefinitionError, KafkastreamError
from kafkastream.sql.table import (
    Column,
    MetadataColumn,
    PhysicalColumn,
    Position,
    TableDefinition,
    TableSchema,
)
from kafkastream.sql.types import DataType, Kind

__all__ = ["BIGINT", "INT", "STRING", "Make", "at", "error", "metadata", "only_options", "physical", "table"]

STRING = DataType.string()
BIGINT = DataType.of(Kind.BIGINT)
INT = DataType.of(Kind.INT)
Make = Callable[[TableDefinition], object]


def physical(name: str, type_: DataType = STRING) -> PhysicalColumn:
    return PhysicalColumn(name, type_)


def metadata(name: str, type_: DataType, key: str = "", *, is_virtual: bool = False) -> MetadataColumn:
    return MetadataColumn(name, type_, key or name, is_virtual, position=Position(2, 7))


def table(
    options: Mapping[str, str],
    columns: Sequence[Column] = (physical("id", BIGINT), physical("name")),
    primary_key: Sequence[str] = (),
) -> TableDefinition:
    """A table ``orders`` whose options stand on lines of their own, from line 10 on."""
    positions = {key: Position(10 + index, 3) for index, key in enumerate(options)}
    schema = TableSchema(tuple(columns), primary_key=tuple(primary_key))
    return TableDefinition(("orders",), schema, dict(options), positions=positions)


def at(options: Mapping[str, str], key: str) -> str:
    """Where an option of such a table stands, as errors say it."""
    return f"option {key!r}, {table(options).positions[key]}"


def error(make: Make, definition: TableDefinition, kind: type[KafkastreamError] = DefinitionError) -> str:
    """What is said when a table cannot be made."""
    with pytest.raises(kind) as caught:
        make(definition)
    return str(caught.value)


def only_options(part: object) -> str | None:
    """The name of a case: its options; the functions beside them would have another one in each process."""
    return str(part) if isinstance(part, dict) else None
