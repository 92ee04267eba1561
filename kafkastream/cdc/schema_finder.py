"""Inference of a table's schema from the JSON of its records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import final

from kafkastream.cdc.errors import MalformedRecordError
from kafkastream.cdc.inference import Known, MemberType, found_types
from kafkastream.cdc.merge import widened_type
from kafkastream.cdc.row_rules import RowRules
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.cdc.values import Json
from kafkastream.sql.types import DataType

__all__ = ["SchemaFinder"]


@final
class SchemaFinder:
    """Infers the columns of a table's rows.

    Args:
        table: Table.
        schema: Known schema; None for a new table.
        rules: Rules that map records to rows.
        types: Types of the value's members that the record declares.

    Attributes:
        id: Table.
    """

    def __init__(
        self, table: TableId, schema: TableSchema | None, rules: RowRules, types: Mapping[str, MemberType]
    ) -> None:
        self.id = table
        self._rules = rules
        self._value = types
        columns = () if schema is None else schema.columns
        convert = rules.conversion.converter
        self._columns = {column.name: (column.type, convert(column.type)) for column in columns}
        self._in_key, self._in_value = self._known(rules.key_prefix), self._known(rules.value_prefix)

    def _known(self, prefix: str) -> Known:
        return {name[len(prefix) :]: known for name, known in self._columns.items() if name.startswith(prefix)}

    def found(self, rows: Sequence[Json], key: bytes | None, primary_key: Sequence[str] = ()) -> TableSchema:
        """Infer the columns of rows.

        Args:
            rows: JSON of the rows; ``null`` has no columns.
            key: Key of the record.
            primary_key: Names of the members of the primary key.

        Raises:
            MalformedRecordError: A row is not an object, lacks columns or the primary key, or has a value that does not fit
                its fixed type.
        """
        types: dict[str, DataType] = {}
        for name, type_ in self._found(rows, key):
            types[name] = widened_type(types[name], type_) if name in types else type_
        if not types:
            raise MalformedRecordError(
                f"a row of table {self.id} has no values, from which its columns could be inferred"
            )
        taken = next((column.name for column in self._rules.metadata if column.name in types), None)
        if taken is not None:
            raise MalformedRecordError(
                f"{taken!r} is a member and a metadata column; set value.fields-prefix so that they differ"
            )
        keys = [self._rules.value_prefix + name for name in primary_key]
        missing = next((name for name in keys if name not in types), None)
        if missing is not None:
            raise MalformedRecordError(f"column {missing[:100]!r} of the primary key has no value")
        columns = [(name, type_.not_null() if name in keys else type_.nullable()) for name, type_ in types.items()]
        return TableSchema.of([*columns, *((one.name, one.type) for one in self._rules.metadata)], keys)

    def _found(self, rows: Sequence[Json], key: bytes | None) -> Iterator[tuple[str, DataType]]:
        if self._rules.reads_key and key:
            yield from self._found_in(key, self._rules.key_prefix, self._in_key, {})
        for row in rows:
            yield from self._found_in(row, self._rules.value_prefix, self._in_value, self._value)

    def _found_in(
        self, data: Json, prefix: str, known: Known, types: Mapping[str, MemberType]
    ) -> Iterator[tuple[str, DataType]]:
        rules = self._rules
        members = rules.members(data)
        if members is not None:
            found = found_types(members, known, types, rules.fixed_types, rules.conversion, rules.primitive_as_string)
            for name, type_ in found:
                yield prefix + name, type_
