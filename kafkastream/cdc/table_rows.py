"""Rows of one table: from the JSON of its records, and the schemas that these show."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, final

import attrs
import msgspec

from kafkastream.cdc.changes import Row
from kafkastream.cdc.errors import MalformedRecordError, MisfitError
from kafkastream.cdc.inference import Known, MemberType, found_types
from kafkastream.cdc.merge import common_type, merged
from kafkastream.cdc.rows import RowDecoder, members_of, row_class
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.cdc.values import Conversion, Json
from kafkastream.spec.values import FrozenMap
from kafkastream.sql.types import DataType

__all__ = ["RowRules", "TableRows", "Tables"]

Decode: TypeAlias = Callable[[Json, bytes | None, Sequence[object]], Row | None]
"""From a row's JSON, the record's key and its metadata to the row; None for ``null``."""
Members: TypeAlias = Callable[[Json], Mapping[str, msgspec.Raw] | None]

_NO_TYPES: Final[Mapping[str, MemberType]] = FrozenMap()


@final
@attrs.frozen(kw_only=True)
class RowRules:
    """Rules by which records are rows.

    Args:
        conversion: How values are converted.
        follows_schema: Whether a member without a column is a misfit, so that the schema follows; otherwise it is left out.
        primitive_as_string: Whether new columns are STRING.
        fixed_types: Types of members, by name, which no value changes.
        flattens: Whether members of objects are columns.
        reads_key: Whether the key's members are columns, too.
        key_prefix: How the names of the key's columns begin.
        value_prefix: How the names of the value's columns begin.
        metadata: Columns that the record's metadata are, in their order.
    """

    conversion: Conversion = attrs.field(factory=Conversion)
    follows_schema: bool = True
    primitive_as_string: bool = False
    fixed_types: Mapping[str, DataType] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, DataType])
    flattens: bool = False
    reads_key: bool = False
    key_prefix: str = ""
    value_prefix: str = ""
    metadata: tuple[Column, ...] = ()

    @property
    def members(self) -> Members:
        """The function from JSON to the members of an object."""
        return _flat_members if self.flattens else members_of


@final
class TableRows:
    """Rows of a table.

    Args:
        table: The table.
        schema: Its schema; None as long as nothing is known of it.
        rules: How its rows are read.
        types: Types of the value's members, where the record tells them.

    Attributes:
        id: The table.
        decode: Decodes a row that was.
        decode_written: Decodes a row that is now: columns that are NOT NULL must have values.
        decode_deleted: Decodes a row that is no more: the primary key must have values.
        fields: Fields of rows by the members of the value.

    Raises:
        MisfitError: The members' types need a wider schema.
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
        """Join the values of a record's value, key and metadata to a row."""
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

    def found(self, rows: Sequence[Json], key: bytes | None, primary_key: Sequence[str] = ()) -> TableSchema:
        """Return the columns that rows of the table show.

        Args:
            rows: JSON of rows; ``null`` shows nothing.
            key: The record's key.
            primary_key: Names of members that are the primary key.

        Raises:
            MalformedRecordError: A row is no object, its members tell no columns or no primary key, or a value does not fit the
                type that is fixed for it.
        """
        types: dict[str, DataType] = {}
        for name, type_ in self._found(rows, key):
            types[name] = common_type(types[name], type_) if name in types else type_
        if not types:
            raise MalformedRecordError(f"a row of table {self.id} has no values, which would tell its columns")
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
            yield from self._found_in(key, self._rules.key_prefix, _NO_TYPES)
        for row in rows:
            yield from self._found_in(row, self._rules.value_prefix, self._types)

    def _found_in(self, data: Json, prefix: str, types: Mapping[str, MemberType]) -> Iterator[tuple[str, DataType]]:
        members = self._rules.members(data)
        if members is not None:
            rules = self._rules
            known = self._known(prefix)
            found = found_types(members, known, types, rules.fixed_types, rules.conversion, rules.primitive_as_string)
            for name, type_ in found:
                yield prefix + name, type_

    def _known(self, prefix: str) -> Known:
        convert = self._rules.conversion.converter
        columns = (column for column in self._columns if column.name.startswith(prefix))
        return {column.name[len(prefix) :]: (column.type, convert(column.type)) for column in columns}


def _once(values: tuple[Any, ...], both: Sequence[tuple[int, int]], names: Sequence[str]) -> tuple[Any, ...]:
    """Return the values with those of the key where the value lacks them."""
    joined = list(values)
    for in_value, in_key in both:
        if joined[in_value] is None:
            joined[in_value] = joined[in_key]
        elif joined[in_key] is not None and joined[in_key] != joined[in_value]:
            raise MalformedRecordError(
                f"key and value differ in {names[in_value][:100]!r}; set key.fields-prefix or value.fields-prefix"
            )
    return tuple(joined)


def _flat_members(data: Json) -> dict[str, msgspec.Raw] | None:
    """Return the members of an object and of the objects in it, by their names with dots between."""
    members = members_of(data)
    return None if members is None else dict(_leaves(members, ""))


def _leaves(members: Mapping[str, msgspec.Raw], within: str) -> Iterator[tuple[str, msgspec.Raw]]:
    for name, value in members.items():
        inner = members_of(value) if bytes(value)[:1] == b"{" else None
        if inner:
            yield from _leaves(inner, f"{within}{name}.")
        else:
            yield within + name, value


@final
class Tables:
    """Tables whose rows a reader reads.

    Args:
        schemas: Schemas of the tables that are known.
        rules: How their rows are read.
    """

    def __init__(self, schemas: Mapping[TableId, TableSchema], rules: RowRules) -> None:
        self._schemas = schemas
        self._rules = rules

    def known(self, table: TableId, types: Mapping[str, MemberType] = _NO_TYPES) -> TableRows:
        """Return a table's rows.

        Args:
            table: The table.
            types: Types of the value's members, where the record tells them.

        Raises:
            MisfitError: Nothing is known of the table, or the types need a wider schema.
        """
        schema = self._schemas.get(table)
        if schema is None:
            raise MisfitError(f"table {table} is not known")
        return TableRows(table, schema, self._rules, types)

    def any(self, table: TableId, types: Mapping[str, MemberType] = _NO_TYPES) -> TableRows:
        """Return the rows of a table of which nothing may be known, to find its schema."""
        rules = attrs.evolve(self._rules, follows_schema=False)
        return TableRows(table, self._schemas.get(table), rules, types)

    def misfits(self, found: Sequence[tuple[TableId, TableSchema]]) -> bool:
        """Whether a found schema is to be merged into a known one, or its table is new."""
        return any(self._misfits(self._schemas.get(table), schema) for table, schema in found)

    def _misfits(self, known: TableSchema | None, found: TableSchema) -> bool:
        return known is None or (self._rules.follows_schema and merged(known, found) != known)
