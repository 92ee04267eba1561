"""Formats of keys and values of messages: their options as frozen values, one module per format.

Begin with ``format``, the base class. The fields of a format are declared by options, from which parsing, checks and the
page of options follow. ``json_format`` has the options that all formats in JSON share; ``avro_types`` maps types for both
formats of Avro. ``FORMATS`` is the table of all by their names.

Each class names the module of ``spark.sql.formats`` that reads and writes it. Imported by ``sql.connectors``, ``cdc`` and the
engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.options.option import Option, OptionFamily
from kafkastream.sql.formats.avro_confluent import AvroConfluentFormat
from kafkastream.sql.formats.avro_format import AvroEncoding, AvroFormat
from kafkastream.sql.formats.canal_json import CanalJsonFormat
from kafkastream.sql.formats.csv_format import CsvFormat
from kafkastream.sql.formats.debezium_json import DebeziumJsonFormat
from kafkastream.sql.formats.format import Format
from kafkastream.sql.formats.json_format import JsonFormat, MapNullKeyMode, TimestampFormat
from kafkastream.sql.formats.maxwell_json import MaxwellJsonFormat
from kafkastream.sql.formats.protobuf_format import ProtobufFormat
from kafkastream.sql.formats.raw_format import Endianness, RawFormat
from kafkastream.sql.settings import options_of, read_settings
from kafkastream.sql.table_options import TableOptions, did_you_mean

__all__ = [
    "FORMATS",
    "AvroConfluentFormat",
    "AvroEncoding",
    "AvroFormat",
    "CanalJsonFormat",
    "CsvFormat",
    "DebeziumJsonFormat",
    "Endianness",
    "Format",
    "JsonFormat",
    "MapNullKeyMode",
    "MaxwellJsonFormat",
    "ProtobufFormat",
    "RawFormat",
    "TimestampFormat",
    "format_keys",
    "format_of",
]

FORMATS: Final[Mapping[str, type[Format]]] = {
    kind.identifier: kind
    for kind in (
        AvroFormat,
        AvroConfluentFormat,
        CanalJsonFormat,
        CsvFormat,
        DebeziumJsonFormat,
        JsonFormat,
        MaxwellJsonFormat,
        ProtobufFormat,
        RawFormat,
    )
}
"""All formats by their identifiers."""


def format_of(
    named_by: str, options: TableOptions, prefixes: Sequence[str], formats: Mapping[str, type[Format]] = FORMATS
) -> Format:
    """Return the format in a table's options.

    Args:
        named_by: Key of the option with its identifier.
        options: Options of the table.
        prefixes: Possible prefixes of the format's options, the usual one first: ``""`` for ``json.x``, ``"value."``
            for ``value.json.x``.
        formats: Known formats, by their identifiers.

    Raises:
        DefinitionError: There is no such format, or an option has an invalid value.
        UnsupportedFeatureError: An option is not supported.
    """
    kind = _kind(named_by, options, formats)
    starts = _starts(kind, prefixes)
    missing = [starts[0] + option.key for option in kind.required if options.spelling(option, starts) is None]
    if missing:
        raise options.missing(missing, named_by)

    def read(option: Option[Any] | OptionFamily) -> Any:
        return options.under(option, starts) if isinstance(option, OptionFamily) else options.get(option, starts)

    settings = read_settings(kind, read)
    try:
        return kind(**settings)
    except (DefinitionError, UnsupportedFeatureError) as error:
        keys = (start + error.where.removeprefix(f"{kind.identifier}.") for start in starts)
        key = next((key for key in keys if key in options.values), named_by)
        raise type(error)(error.what, where=options.where(key), now=error.now) from None


def format_keys(
    named_by: str, options: TableOptions, prefixes: Sequence[str], formats: Mapping[str, type[Format]] = FORMATS
) -> Iterator[str]:
    """Return the keys of a format's options, as given or with the first prefix; ``x.*`` matches any key with ``x.``.

    Args:
        named_by: Key of the option with its identifier.
        options: Options of the table.
        prefixes: Possible prefixes of the format's options, the usual one first.
        formats: Known formats, by their identifiers.

    Raises:
        DefinitionError: There is no such format.
    """
    kind = _kind(named_by, options, formats)
    starts = _starts(kind, prefixes)
    for option in options_of(kind):
        if isinstance(option, OptionFamily):
            yield from (start + option.key for start in starts)
        else:
            yield options.spelling(option, starts) or starts[0] + option.key


def _kind(named_by: str, options: TableOptions, formats: Mapping[str, type[Format]]) -> type[Format]:
    identifier = options.values[named_by]
    if identifier not in formats:
        raise options.refusal(
            f"Could not find any format for identifier {options.shown(named_by)}. "
            f"Available are {', '.join(sorted(formats))}",
            named_by,
            now=did_you_mean(identifier, formats),
        )
    return formats[identifier]


def _starts(kind: type[Format], prefixes: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{prefix}{kind.identifier}." for prefix in prefixes)
