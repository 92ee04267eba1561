"""``TableSchema``: the columns of a result, at PyFlink's path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["TableSchema"]


@final
class TableSchema:
    """Names and types of columns.

    Example:
        >>> from kafkastream.table import DataTypes
        >>> print(TableSchema(["id"], [DataTypes.BIGINT()]))
        root
         |-- id: BIGINT
    """

    def __init__(self, field_names: Sequence[str], data_types: Sequence[DataType]) -> None:
        self._columns = tuple(zip(field_names, data_types, strict=True))

    def get_field_names(self) -> list[str]:
        """Return the names of the columns."""
        return [name for name, _ in self._columns]

    getFieldNames = get_field_names

    def get_field_data_types(self) -> list[DataType]:
        """Return the types of the columns."""
        return [kind for _, kind in self._columns]

    getFieldDataTypes = get_field_data_types

    def get_field_count(self) -> int:
        """Return the number of columns."""
        return len(self._columns)

    getFieldCount = get_field_count

    def get_field_name(self, field_index: int) -> str | None:
        """Return the name of the column at ``field_index``, from 0; None if there is none."""
        return self._columns[field_index][0] if 0 <= field_index < len(self._columns) else None

    getFieldName = get_field_name

    def get_field_data_type(self, field: int | str) -> DataType | None:
        """Return the type of the column ``field``, a name or a position from 0; None if there is none."""
        if isinstance(field, str):
            return dict(self._columns).get(field)
        return self._columns[field][1] if 0 <= field < len(self._columns) else None

    getFieldDataType = get_field_data_type

    def copy(self) -> TableSchema:
        """Return the schema as it is: it never changes."""
        return self

    def to_row_data_type(self) -> DataType:
        """Return the columns as fields of a ROW."""
        return DataType.of(Kind.ROW, fields=tuple(RowField(name, kind) for name, kind in self._columns))

    toRowDataType = to_row_data_type

    @staticmethod
    def builder() -> TableSchema.Builder:
        """Create a builder."""
        return TableSchema.Builder()

    @final
    class Builder:
        """Builder of a ``TableSchema``."""

        def __init__(self) -> None:
            self._columns: list[tuple[str, DataType]] = []

        def field(self, name: str, data_type: DataType) -> TableSchema.Builder:
            """Add a column.

            Args:
                name: Name of the column.
                data_type: Type of the column.
            """
            self._columns.append((name, data_type))
            return self

        def build(self) -> TableSchema:
            """Build the schema."""
            return TableSchema([name for name, _ in self._columns], [kind for _, kind in self._columns])

    def __str__(self) -> str:
        return "\n".join(["root", *(f" |-- {name}: {kind}" for name, kind in self._columns)])

    def __repr__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        return self._columns == other._columns if isinstance(other, TableSchema) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._columns)
