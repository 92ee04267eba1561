"""Options of the catalog ``kafka``."""

from __future__ import annotations

from typing import Final, final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, positive, text
from kafkastream.sql.connectors.kafka_options import (
    BOOTSTRAP_SERVERS,
    FORMAT,
    KEY_FIELDS_PREFIX,
    PROPERTIES,
    VALUE_FIELDS_PREFIX,
)
from kafkastream.sql.connectors.key_value_fields import check_overlap
from kafkastream.sql.formats.json_format import (
    FLATTEN_NESTED_COLUMNS,
    PRIMITIVE_AS_STRING,
    TIMESTAMP_FORMAT,
    JsonFormat,
    TimestampFormat,
)
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.settings import options_of, read_settings, setting
from kafkastream.sql.syntax.statements import CreateCatalog
from kafkastream.sql.table_options import GivenOptions

__all__ = ["KAFKA_CATALOG", "CatalogOptions", "CatalogSettings", "catalog_settings"]

TYPE: Final = Option[str | None](
    key="type",
    parse=text,
    default=None,
    doc="Type of the catalog: `kafka`.",
)
VALUE_FORMAT: Final = attrs.evolve(FORMAT, doc="Format of the messages: `json`.")
DEFAULT_DATABASE: Final = Option[str](
    key="default-database",
    parse=text,
    default="kafka",
    doc="Name of the catalog's only database.",
)
KEY_PREFIX: Final = attrs.evolve(
    KEY_FIELDS_PREFIX, default="key_", doc="Prefix of the key's columns; it must differ from `value.fields-prefix`."
)
VALUE_PREFIX: Final = attrs.evolve(
    VALUE_FIELDS_PREFIX, default="value_", doc="Prefix of the value's columns; it must differ from `key.fields-prefix`."
)
TIMESTAMPS: Final = attrs.evolve(
    TIMESTAMP_FORMAT,
    doc=("Format of timestamps: `SQL` or `ISO-8601`. If the sample has none of this format, the other one is tried."),
)
FLATTEN: Final = attrs.evolve(
    FLATTEN_NESTED_COLUMNS,
    doc=("Whether members of nested objects become columns, such as `value_a.b`; otherwise an object is a STRING."),
)
AS_STRING: Final = attrs.evolve(PRIMITIVE_AS_STRING, doc="Whether all inferred numbers, booleans and times are STRING.")
RAW_KEY_NAME: Final = Option[str](
    key="infer-schema.parse-key-error.field-name",
    parse=text,
    default="col",
    doc="Name, after the prefix, of the column with the key's bytes, if not all keys are JSON objects.",
)
COMPACTED_AS_UPSERT: Final = Option[bool](
    key="infer-schema.compacted-topic-as-upsert-table",
    parse=boolean,
    default=True,
    doc=("Whether a topic with `cleanup.policy=compact` whose messages have keys becomes an `upsert-kafka` table."),
)
MAX_FETCH_RECORDS: Final = Option[int](
    key="max.fetch.records",
    parse=positive,
    default=100,
    doc=("Number of messages from which columns are inferred: the newest of each partition, in equal shares."),
)


@final
@attrs.frozen(kw_only=True)
class CatalogSettings:
    """Settings by which a Kafka catalog infers tables."""

    default_database: str = setting(DEFAULT_DATABASE)
    key_prefix: str = setting(KEY_PREFIX)
    value_prefix: str = setting(VALUE_PREFIX)
    timestamp_format: TimestampFormat = setting(TIMESTAMPS)
    flattens: bool = setting(FLATTEN)
    primitive_as_string: bool = setting(AS_STRING)
    raw_key_name: str = setting(RAW_KEY_NAME)
    compacted_as_upsert: bool = setting(COMPACTED_AS_UPSERT)
    max_fetch_records: int = setting(MAX_FETCH_RECORDS)


KAFKA_CATALOG: Final = OptionGroup(
    "kafka",
    (TYPE, BOOTSTRAP_SERVERS, PROPERTIES, VALUE_FORMAT, *options_of(CatalogSettings)),
    required=(TYPE, BOOTSTRAP_SERVERS, VALUE_FORMAT),
)


CatalogOptions = GivenOptions[CreateCatalog]


def catalog_settings(options: CatalogOptions) -> CatalogSettings:
    """Read the settings from the options of a Kafka catalog.

    Raises:
        DefinitionError: Options are missing, unknown, or contradict each other.
        UnsupportedFeatureError: The catalog is of another type or format.
    """
    if options.get(TYPE) not in {None, KAFKA_CATALOG.identifier}:
        raise UnsupportedFeatureError(
            f"There are no catalogs of type {options.shown(TYPE.key)}",
            where=options.where(TYPE.key),
            now=f"Use '{TYPE.key}' = '{KAFKA_CATALOG.identifier}', or declare tables by CREATE TABLE.",
        )
    KAFKA_CATALOG.check(options)
    if options.get(VALUE_FORMAT) != JsonFormat.identifier:
        raise UnsupportedFeatureError(
            f"A catalog cannot infer columns from messages of format {options.shown(VALUE_FORMAT.key)}",
            where=options.where(VALUE_FORMAT.key),
            now=f"Use '{VALUE_FORMAT.key}' = '{JsonFormat.identifier}', or declare tables by CREATE TABLE.",
        )
    settings = CatalogSettings(**read_settings(CatalogSettings, options.get))
    check_overlap(options, settings.key_prefix, settings.value_prefix)
    return settings
