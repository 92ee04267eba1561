"""Assignment of a table's columns to the key and the value of its records."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from functools import cache
from typing import Final, final

import attrs

from kafkastream.sql.connectors.kafka_options import (
    KEY_FIELDS,
    KEY_FIELDS_PREFIX,
    KEY_FORMAT,
    VALUE_FIELDS_INCLUDE,
    VALUE_FIELDS_PREFIX,
    FieldsInclude,
)
from kafkastream.sql.formats import Format
from kafkastream.sql.table_options import Declaration, GivenOptions, TableOptions, did_you_mean
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["PartField", "RecordPart", "check_overlap", "key_columns", "key_part", "value_part"]

log = logging.getLogger("kafkastream")

_NO_KEY: Final = ()
_NOT_INFERRED: Final = "the columns are those that are declared, and only a catalog of type kafka infers them"


@final
@attrs.frozen
class PartField:
    """A column as a field of a key or a value.

    Args:
        index: Index among the table's physical columns.
        column: The column's name.
        name: Name of the field in the key or value, without prefix.
        type: Its type.
    """

    index: int
    column: str
    name: str
    type: DataType


@final
@attrs.frozen
class RecordPart:
    """The key or the value of a table's records.

    Args:
        format: Format of the bytes.
        fields: Fields, in order.
    """

    format: Format
    fields: tuple[PartField, ...]

    @property
    def row_type(self) -> DataType:
        """Return the type that the format reads and writes.

        Example:
            >>> from kafkastream.sql.formats import JsonFormat
            >>> field = PartField(0, "k_id", "id", DataType.of(Kind.BIGINT))
            >>> str(RecordPart(JsonFormat(), (field,)).row_type)
            'ROW<`id` BIGINT>'
        """
        return DataType.of(Kind.ROW, fields=tuple(RowField(field.name, field.type) for field in self.fields))

    def pruned(self, needed: Collection[str]) -> RecordPart:
        """Return the part without unneeded columns, if the format finds fields by name.

        Args:
            needed: Names of the columns to keep.
        """
        if not self.format.finds_fields_by_name:
            return self
        fields = tuple(field for field in self.fields if field.column in needed)
        return attrs.evolve(self, fields=fields or self.fields[:1])


def key_columns(options: TableOptions) -> tuple[str, ...]:
    """Return the names of the key's columns; none without a key.

    Raises:
        DefinitionError: Only one of ``key.format`` and ``key.fields`` is set.
    """
    columns = options.get(KEY_FIELDS)
    if options.has(KEY_FIELDS) and not options.has(KEY_FORMAT):
        raise options.refusal(
            f"The option '{KEY_FIELDS.key}' can only be declared if a key format is defined using '{KEY_FORMAT.key}'.",
            KEY_FIELDS.key,
        )
    if options.has(KEY_FORMAT) and not columns:
        raise options.refusal(
            f"A key format '{KEY_FORMAT.key}' requires the declaration of one or more of key fields using "
            f"'{KEY_FIELDS.key}'.",
            KEY_FORMAT.key,
        )
    return columns


def key_part(options: TableOptions, columns: Sequence[str], format_: Format) -> RecordPart:
    """Return the key with these columns.

    Raises:
        DefinitionError: A column is not physical, its name lacks the prefix, or the format does not support it.
    """
    prefix = options.get(KEY_FIELDS_PREFIX)
    physical = {column.name: index for index, column in enumerate(options.definition.schema.physical)}
    for column in columns:
        if column not in physical:
            raise options.refusal(
                f"Could not find the field '{column}' in the table schema for usage in the key format. "
                "A key field must be a regular, physical column. The following columns can be selected in the "
                f"'{KEY_FIELDS.key}' option: [{', '.join(physical)}]",
                options.spelling(KEY_FIELDS),
                now=did_you_mean(column, physical),
            )
        if not column.startswith(prefix):
            raise options.refusal(
                f"All fields in '{KEY_FIELDS.key}' must be prefixed with '{prefix}' when option "
                f"'{KEY_FIELDS_PREFIX.key}' is set but field '{column}' is not prefixed.",
                KEY_FIELDS_PREFIX.key,
            )
    return _part(options, KEY_FORMAT.key, format_, [physical[column] for column in columns], prefix)


def value_part(options: TableOptions, named_by: str, key: RecordPart | None, format_: Format) -> RecordPart:
    """Return the value, with all physical columns or those that are not in the key.

    Args:
        options: Options of the table.
        named_by: Key of the option with the format's identifier.
        key: The key, if there is one.
        format_: Format of the value.

    Raises:
        DefinitionError: A prefix is set while key fields are in the value, or the format does not support a column.
    """
    prefix = options.get(VALUE_FIELDS_PREFIX)
    _check_prefixes(options, options.get(KEY_FIELDS_PREFIX), prefix)
    in_key = _NO_KEY if key is None else tuple(field.index for field in key.fields)
    left_out = in_key if options.get(VALUE_FIELDS_INCLUDE) is FieldsInclude.EXCEPT_KEY else _NO_KEY
    physical = options.definition.schema.physical
    indexes = [index for index in range(len(physical)) if index not in left_out]
    for index in indexes:
        if not physical[index].name.startswith(prefix):
            raise options.refusal(
                f"All fields of the value must be prefixed with '{prefix}' when option '{VALUE_FIELDS_PREFIX.key}' is "
                f"set but field '{physical[index].name}' is not prefixed.",
                VALUE_FIELDS_PREFIX.key,
            )
    return _part(options, named_by, format_, indexes, prefix)


def check_overlap(options: GivenOptions[Declaration], key: str, value: str) -> None:
    """Check that prefixes distinguish the columns of key and value.

    Raises:
        DefinitionError: One prefix begins with the other.
    """
    if key and value and (key.startswith(value) or value.startswith(key)):
        raise options.refusal(
            f"'{KEY_FIELDS_PREFIX.key}' = '{key}' and '{VALUE_FIELDS_PREFIX.key}' = '{value}': one begins with the other",
            VALUE_FIELDS_PREFIX.key,
            now="Choose prefixes that distinguish the columns of key and value.",
        )


def _check_prefixes(options: TableOptions, key: str, value: str) -> None:
    if key and options.get(VALUE_FIELDS_INCLUDE) is FieldsInclude.ALL:
        raise options.refusal(
            f"A key prefix is not allowed when option '{VALUE_FIELDS_INCLUDE.key}' is set to 'ALL'. "
            "Set it to 'EXCEPT_KEY' instead to avoid field overlaps.",
            KEY_FIELDS_PREFIX.key,
        )
    check_overlap(options, key, value)


def _part(options: TableOptions, named_by: str, format_: Format, indexes: Sequence[int], prefix: str) -> RecordPart:
    physical = options.definition.schema.physical
    fields = (
        PartField(index, physical[index].name, physical[index].name.removeprefix(prefix), physical[index].type)
        for index in indexes
    )
    part = RecordPart(format_, tuple(fields))
    problem = format_.problem_with(part.row_type.fields)
    if problem is not None:
        raise options.refusal(problem, named_by)
    for option in format_.without_effect(part.row_type.fields):
        _report(f"{options.where(named_by)}: {option.key} has no effect; {_NOT_INFERRED}")
    return part


@cache
def _report(what: str) -> None:
    log.warning(what)
