"""Formats of a Kafka table's keys and values, from its options."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import final

import attrs

from kafkastream.sql.connectors.kafka_options import FORMAT, KEY_FORMAT, VALUE_FORMAT
from kafkastream.sql.formats import Format, format_keys, format_of
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.table_options import TableOptions

__all__ = ["TableFormat", "table_formats"]

log = logging.getLogger("kafkastream")


@final
@attrs.frozen
class TableFormat:
    """A format in a table's options.

    Args:
        options: Options of the table.
        part: ``key`` or ``value``.
        named_by: Key of the option with its identifier.
        prefixes: Possible prefixes of its options, the usual one first.
    """

    options: TableOptions
    part: str
    named_by: str
    prefixes: tuple[str, ...]

    @property
    def keys(self) -> Iterator[str]:
        """Return the keys of its options.

        Raises:
            DefinitionError: There is no such format.
        """
        return format_keys(self.named_by, self.options, self.prefixes)

    def to_read(self) -> Format:
        """Return the format of a source.

        Raises:
            DefinitionError: An option has a value that does not fit.
            UnsupportedFeatureError: An option is not supported.
        """
        return format_of(self.named_by, self.options, self.prefixes)

    def to_write(self, topics: tuple[str, ...]) -> Format:
        """Return the format of a sink.

        Raises:
            DefinitionError: An option has a value that does not fit, or the format cannot be written like this.
            UnsupportedFeatureError: An option is not supported.
        """
        format_ = self.to_read()
        if len(topics) == 1:
            format_ = format_.for_topic(topics[0], self.part)
        if format_.writing_problem is not None:
            raise self.options.refusal(format_.writing_problem, self.named_by)
        return format_


def table_formats(connector: OptionGroup, options: TableOptions) -> tuple[TableFormat | None, TableFormat | None]:
    """Return the formats of value and key, if given, after a check for unknown options.

    Raises:
        DefinitionError: There is no such format, or options are missing or unknown.
        UnsupportedFeatureError: A secret is kept where only Huawei's service can read it.
    """
    value = _value_format(options)
    key = TableFormat(options, "key", KEY_FORMAT.key, ("key.",)) if options.has(KEY_FORMAT) else None
    connector.check(options, [option for format_ in (value, key) if format_ is not None for option in format_.keys])
    return value, key


def _value_format(options: TableOptions) -> TableFormat | None:
    """Return the format of the value; ``value.format`` overrides ``format``."""
    has_both = options.has(FORMAT) and options.has(VALUE_FORMAT)
    if has_both and options.get(FORMAT) != options.get(VALUE_FORMAT):
        log.warning("%s: no effect, since there is '%s'", options.where(FORMAT.key), VALUE_FORMAT.key)
    if options.has(VALUE_FORMAT):
        return TableFormat(options, "value", VALUE_FORMAT.key, ("value.", ""))
    return TableFormat(options, "value", FORMAT.key, ("", "value.")) if options.has(FORMAT) else None
