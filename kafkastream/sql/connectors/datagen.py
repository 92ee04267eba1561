"""The connector ``datagen``: a table of generated rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, final

import attrs

from kafkastream.sql.connectors.common_options import COMMON_OPTIONS, SCAN_PARALLELISM
from kafkastream.sql.connectors.datagen_options import (
    DATAGEN_OPTIONS,
    NUMBER_OF_ROWS,
    ROWS_PER_SECOND,
    FieldOptions,
    GeneratorKind,
)
from kafkastream.sql.connectors.generated import GeneratedTableSource, no_metadata
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.table_options import TableOptions
from kafkastream.sql.type_families import COLLECTIONS, CONSTRUCTED, INTERVALS, STAMPS
from kafkastream.sql.types import DataType, Kind

__all__ = ["DATAGEN", "DataGenTableSource", "GeneratedColumn", "RandomValues", "SequenceValues", "datagen_source"]

DATAGEN: Final = OptionGroup("datagen", (*DATAGEN_OPTIONS, SCAN_PARALLELISM), common=COMMON_OPTIONS)

_LONGEST: Final = 2**31 - 1
_DEFAULT_LENGTH: Final = 100
_DEFAULT_SIZE: Final = 3
_VARIABLE: Final = frozenset({Kind.VARCHAR, Kind.VARBINARY})
_NO_SEQUENCE: Final = STAMPS | INTERVALS | CONSTRUCTED


@final
@attrs.frozen(kw_only=True)
class RandomValues:
    """Random values of a type; DATE and TIME are always now.

    Args:
        type: Type of the values.
        min: Minimum of numbers; None for that of the type.
        max: Maximum of numbers; None for that of the type.
        max_past: Maximum age of timestamps, in ms.
        length: Length of texts and bytes, or number of elements of collections; None for other types.
        var_len: Whether lengths of texts and bytes vary up to ``length``.
        null_rate: Fraction of NULL values, from 0 to 1.
        parts: Random values of elements, keys and values, or fields.
    """

    type: DataType
    min: float | None = None
    max: float | None = None
    max_past: int = 0
    length: int | None = None
    var_len: bool = False
    null_rate: float = 0.0
    parts: tuple[RandomValues, ...] = ()


@final
@attrs.frozen
class SequenceValues:
    """Consecutive integers as values of a type.

    Args:
        type: Type of the values.
        start: First value.
        end: Last value.
    """

    type: DataType
    start: int
    end: int


@final
@attrs.frozen
class GeneratedColumn:
    """A column and its generator."""

    name: str
    values: RandomValues | SequenceValues


@final
@attrs.frozen(kw_only=True)
class DataGenTableSource(GeneratedTableSource):
    """Source of a table of generated rows.

    Args:
        columns: Its physical columns.
        rows_per_second: Maximum number of rows per second.
        number_of_rows: Total number of rows; None for unbounded, unless a column is a sequence.
        parallelism: Number of subtasks; None for the job's.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.plan.generated_rows"

    columns: tuple[GeneratedColumn, ...]
    rows_per_second: int = 10_000
    number_of_rows: int | None = None
    parallelism: int | None = None

    connector: ClassVar[str] = "datagen"
    limit_option: ClassVar[str] = NUMBER_OF_ROWS.key

    @property
    def origin_text(self) -> str:
        """Return the same text for all tables of the connector."""
        return "generated rows"

    @property
    def most(self) -> int | None:
        """Return the number of rows; None if it is unbounded."""
        sequences = (column.values for column in self.columns if isinstance(column.values, SequenceValues))
        ends = [values.end - values.start + 1 for values in sequences]
        given = [] if self.number_of_rows is None else [self.number_of_rows]
        return min((*given, *ends), default=None)

    @property
    def pace(self) -> int:
        """Return ``rows_per_second``."""
        return self.rows_per_second


def datagen_source(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> DataGenTableSource:
    """Return the source of a table of the connector ``datagen``.

    Raises:
        DefinitionError: Options are missing, unknown, or do not fit the columns' types; metadata is to be read.
    """
    options = TableOptions.of(definition, environ)
    fields = [FieldOptions(column.name, column.type) for column in definition.schema.physical]
    DATAGEN.check(options, [key for field in fields for key in _keys(options, field)])
    no_metadata(options)
    return DataGenTableSource(
        columns=tuple(GeneratedColumn(field.name, _values(options, field)) for field in fields),
        rows_per_second=options.get(ROWS_PER_SECOND),
        number_of_rows=options.get(NUMBER_OF_ROWS),
        parallelism=options.get(SCAN_PARALLELISM),
    )


def _keys(options: TableOptions, field: FieldOptions) -> Iterator[str]:
    yield field.kind.key
    if options.get(field.kind) is GeneratorKind.SEQUENCE:
        yield from (option.key for option in field.of_sequence)
    else:
        yield from _random_keys(field)


def _random_keys(field: FieldOptions) -> Iterator[str]:
    yield from (option.key for option in field.of_random)
    for part in field.parts:
        yield from _random_keys(part)


def _values(options: TableOptions, field: FieldOptions) -> RandomValues | SequenceValues:
    is_sequence = options.get(field.kind) is GeneratorKind.SEQUENCE
    return _sequence(options, field) if is_sequence else _random(options, field)


def _sequence(options: TableOptions, field: FieldOptions) -> SequenceValues:
    if field.type.kind in _NO_SEQUENCE:
        raise options.refusal(f"Unsupported type: {field.type}", field.kind.key, now="Use 'random'.")
    start, end = options.get(field.start), options.get(field.end)
    for option, value in ((field.start, start), (field.end, end)):
        if value is None:
            raise options.refusal(
                f"Could not find required property '{option.key}' for sequence generator.", field.kind.key
            )
    assert start is not None
    assert end is not None
    _check_order(options, start, end, (field.start.key, field.end.key))
    return SequenceValues(field.type, start, end)


def _random(options: TableOptions, field: FieldOptions) -> RandomValues:
    given: dict[str, Any] = {
        option.key.rpartition(".")[2].replace("-", "_"): options.get(option) for option in field.of_random
    }
    if given.get("min") is not None and given.get("max") is not None:
        _check_order(options, given["min"], given["max"], (field.min.key, field.max.key))
    given["length"] = _length(options, field, given.get("length"))
    return RandomValues(type=field.type, parts=tuple(_random(options, part) for part in field.parts), **given)


def _length(options: TableOptions, field: FieldOptions, given: int | None) -> int | None:
    kind, size = field.type.kind, field.type.size
    if kind in COLLECTIONS:
        return given or _DEFAULT_SIZE
    if kind in _VARIABLE:
        if given is not None and size is not None and given > size:
            raise options.refusal(
                f"'{field.length.key}' = {given} is longer than {field.type}",
                field.length.key,
                now=f"Give at most {size}.",
            )
        return given or (_DEFAULT_LENGTH if size == _LONGEST else size)
    return size if kind in {Kind.CHAR, Kind.BINARY} else None


def _check_order(options: TableOptions, least: float, most: float, keys: tuple[str, str]) -> None:
    if least > most:
        raise options.refusal(f"'{keys[0]}' = {least} is greater than '{keys[1]}' = {most}", keys[0])
