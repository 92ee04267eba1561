"""Decoding of one table's rows from the JSON of its records."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, final

import msgspec

from kafkastream.cdc.changes import Row
from kafkastream.cdc.errors import MalformedRecordError, MisfitError
from kafkastream.cdc.inference import MemberType
from kafkastream.cdc.merge import merged
from kafkastream.cdc.row_rules import RowRules
from kafkastream.cdc.rows import RowDecoder, row_class
from kafkastream.cdc.schema_finder import SchemaFinder
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.cdc.values import Json

__all__ = ["TableRows", "Tables"]

Decode: TypeAlias = Callable[[Json, bytes | None, Sequence[object]], Row | None]
"""Function from a row's JSON, the record's key and its metadata to the row; None for ``null``."""

_MOST_FINDERS: Final = 10_000
_NO_TYPES: Final[Mapping[str, MemberType]] = {}


@final
class TableRows:
    """Decoders of a table's rows.

    Args:
        table: Table.
        schema: Known schema; None for a new table.
        rules: Rules that map records to rows.
        types: Types of the value's members that the record declares.

    Attributes:
        id: Table.
        decode: Decodes a row before a change.
        decode_written: Decodes a row after a change: NOT NULL columns must have values.
        decode_deleted: Decodes a deleted row: the primary key must have values.
        fields: Fields of rows by member of the value.

    Raises:
        MisfitError: The declared types need a wider schema.
    """

    def __init__(
        self,
        table: TableId,
        schema: TableSchema | None,
        rules: RowRules,
        types: Mapping[str, MemberType] = _NO_TYPES,
    ) -> None:
        self.id = table
        self._columns = () if schema is None else schema.columns
        self._rules = rules
        self._types = types
        if rules.follows_schema and schema is not None and types:
            self._check_types(schema)
        self.decode = self._decoder()
        prefix = rules.value_prefix
        self.fields = {
            column.name[len(prefix) :]: f"f{place}"
            for place, column in enumerate(self._columns)
            if column.name.startswith(prefix)
        }
        required = [place for place, column in enumerate(self._columns) if not column.type.is_nullable]
        key = [schema.names.index(name) for name in schema.primary_key] if schema else []
        self.decode_written = self._requiring(required)
        self.decode_deleted = self._requiring(key)

    def _check_types(self, schema: TableSchema) -> None:
        told = TableSchema.of((self._rules.value_prefix + name, told.type) for name, told in self._types.items())
        if merged(schema, told) != schema:
            raise MisfitError(f"the types in the record need a wider schema of table {self.id}")

    def _requiring(self, places: Sequence[int]) -> Decode:
        if not places:
            return self.decode
        decode, columns = self.decode, self._columns
        value_of = [operator.attrgetter(f"f{place}") for place in places]

        def checked(data: Json, key: bytes | None, metadata: Sequence[object]) -> Row | None:
            row = decode(data, key, metadata)
            for place, value in zip(places, value_of, strict=True):
                if row is not None and value(row) is None:
                    raise MalformedRecordError(f"column {columns[place].name[:100]!r} is NOT NULL, and has no value")
            return row

        return checked

    def _decoder(self) -> Decode:
        rules = self._rules
        if not (rules.reads_key or rules.value_prefix or rules.metadata):
            return self._part(self._columns, "", self._types)
        metadata_names = {column.name for column in rules.metadata}
        own = [column for column in self._columns if column.name not in metadata_names]
        value = tuple(column for column in own if column.name.startswith(rules.value_prefix))
        decode_value = self._part(value, rules.value_prefix, self._types)
        if not rules.reads_key:
            return self._joined(decode_value, value)
        key = tuple(column for column in own if column.name.startswith(rules.key_prefix))
        return self._joined(decode_value, value, self._part(key, rules.key_prefix, _NO_TYPES), key)

    def _part(self, columns: tuple[Column, ...], prefix: str, types: Mapping[str, MemberType]) -> RowDecoder:
        return RowDecoder(
            columns,
            [column.name[len(prefix) :] for column in columns],
            self._rules.conversion,
            forbids_unknown=self._rules.follows_schema,
            transforms={name: told.transform for name, told in types.items() if told.transform is not None},
            members=self._rules.members if self._rules.flattens else None,
        )

    def _joined(
        self,
        decode_value: RowDecoder,
        value: tuple[Column, ...],
        decode_key: RowDecoder | None = None,
        key: tuple[Column, ...] = (),
    ) -> Decode:
        """Combine the values of a record's value, key and metadata into a row."""
        names = [column.name for column in (*value, *key, *self._rules.metadata)]
        pick = [names.index(column.name) if column.name in names else len(names) for column in self._columns]
        values_of, class_ = operator.itemgetter(*pick, 0), row_class(self._columns)
        both = [(names.index(column.name), names.index(column.name, len(value))) for column in key if column in value]
        without_key = (None,) * len(key)

        def decode(data: Json, record_key: bytes | None, metadata: Sequence[object]) -> Row | None:
            found = decode_value(data)
            if found is None:
                return None
            key_row = None if decode_key is None or not record_key else decode_key(record_key)
            key_values = without_key if key_row is None else msgspec.structs.astuple(key_row)
            values = (*msgspec.structs.astuple(found), *key_values, *metadata, None)
            if both:
                values = _once(values, both, names)
            return class_(*values_of(values)[:-1])

        return decode


def _once(values: tuple[Any, ...], both: Sequence[tuple[int, int]], names: Sequence[str]) -> tuple[Any, ...]:
    """Return the values, filled from the key where the value lacks them."""
    joined = list(values)
    for in_value, in_key in both:
        if joined[in_value] is None:
            joined[in_value] = joined[in_key]
        elif joined[in_key] is not None and joined[in_key] != joined[in_value]:
            raise MalformedRecordError(
                f"key and value differ in {names[in_value][:100]!r}; set key.fields-prefix or value.fields-prefix"
            )
    return tuple(joined)


@final
class Tables:
    """Known tables of a reader.

    Args:
        schemas: Schemas of the known tables.
        rules: Rules that map records to rows.
    """

    def __init__(self, schemas: Mapping[TableId, TableSchema], rules: RowRules) -> None:
        self._schemas = dict(schemas)
        self._rules = rules
        self._finders: dict[TableId, SchemaFinder] = {}

    def known(self, table: TableId, types: Mapping[str, MemberType] = _NO_TYPES) -> TableRows:
        """Return the decoders of a table's rows.

        Args:
            table: Table.
            types: Types of the value's members that the record declares.

        Raises:
            MisfitError: The table is unknown, or the types need a wider schema.
        """
        schema = self._schemas.get(table)
        if schema is None:
            raise MisfitError(f"table {table} is not known")
        return TableRows(table, schema, self._rules, types)

    def finder(self, table: TableId, types: Mapping[str, MemberType] = _NO_TYPES) -> SchemaFinder:
        """Return an object that infers schemas of a table's rows; the table may be unknown.

        Args:
            table: Id of the table.
            types: Types of members that the record itself declares; empty to infer all types from values.
        """
        found = None if types else self._finders.get(table)
        if found is None:
            found = SchemaFinder(table, self._schemas.get(table), self._rules, types)
            if not types and len(self._finders) < _MOST_FINDERS:
                self._finders[table] = found
        return found

    def learn(self, table: TableId, found: TableSchema) -> None:
        """Merge an inferred schema into the known one, or add a new table."""
        known = self._schemas.get(table)
        self._schemas[table] = found if known is None else merged(known, found)
        self._finders.pop(table, None)

    def misfits(self, found: Sequence[tuple[TableId, TableSchema]]) -> bool:
        """Return whether an inferred schema widens the known one, or its table is new."""
        return any(self._misfits(self._schemas.get(table), schema) for table, schema in found)

    def _misfits(self, known: TableSchema | None, found: TableSchema) -> bool:
        return known is None or (self._rules.follows_schema and merged(known, found) != known)
