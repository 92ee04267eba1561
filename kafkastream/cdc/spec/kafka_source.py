"""Source ``kafka``: topics whose records are changes of tables."""

from __future__ import annotations

import enum
import logging
from collections.abc import Iterable, Mapping
from typing import Any, Final, final

import attrs

from kafkastream.cdc.spec.initial_schemas import initial_schemas
from kafkastream.cdc.spec.section import NAME, TYPE, SectionOptions, SectionType
from kafkastream.cdc.spec.value_formats import VALUE_FORMATS, DebeziumJson, Json, ValueFormat
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.kafka_source_builder import KafkaSourceBuilder
from kafkastream.model.connectors.record_deserialization import ConsumerRecord
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, enum_member, integer, list_of
from kafkastream.sql.connectors import kafka_options
from kafkastream.sql.connectors.kafka_tables import source_spec
from kafkastream.sql.connectors.metadata import READABLE
from kafkastream.sql.connectors.records import RecordsAsRead
from kafkastream.sql.connectors.scan_offsets import starting_offsets
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.settings import OPTION, options_of, read_settings, setting
from kafkastream.sql.table_options import did_you_mean

__all__ = ["KAFKA_SOURCE", "InferenceStrategy", "KafkaPipelineSource", "KeyFormat"]

log = logging.getLogger("kafkastream")

_WHERE: Final = "Kafka source of a pipeline"
_METADATA: Final = tuple(key for key in READABLE if key != "header-list")


class InferenceStrategy(enum.Enum):
    """Time of schema inference."""

    CONTINUOUS = "continuous"
    STATIC = "static"


class KeyFormat(enum.Enum):
    """Format of the messages' keys."""

    JSON = "json"


def _metadata(name: str) -> str:
    if name not in _METADATA:
        raise ValueError(f"{name!r} is not a metadata column. {did_you_mean(name, _METADATA)}".rstrip())
    return name


TOPIC: Final = attrs.evolve(kafka_options.TOPIC, doc="Topics, separated by `;`; alternative to `topic-pattern`.")
GROUP_ID: Final = attrs.evolve(
    kafka_options.GROUP_ID,
    doc="Consumer group; required for `group-offsets`, where a new group also needs `properties.auto.offset.reset`.",
)
VALUE_FORMAT: Final = attrs.evolve(
    kafka_options.VALUE_FORMAT,
    default=DebeziumJson.identifier,
    doc="Format of the messages: `debezium-json`, `canal-json` or `json`.",
)
KEY_FORMAT: Final = Option[KeyFormat | None](
    key=kafka_options.KEY_FORMAT.key,
    parse=enum_member(KeyFormat),
    default=None,
    doc="Format of the keys, whose fields become columns: `json`; by default, keys are not read.",
)
KEY_FIELDS_PREFIX: Final = attrs.evolve(
    kafka_options.KEY_FIELDS_PREFIX,
    doc="Prefix of the key's columns; neither it nor `value.fields-prefix` may be a prefix of the other.",
)
VALUE_FIELDS_PREFIX: Final = attrs.evolve(
    kafka_options.VALUE_FIELDS_PREFIX,
    doc="Prefix of the value's columns; neither it nor `key.fields-prefix` may be a prefix of the other.",
)
METADATA_LIST: Final = Option[tuple[str, ...]](
    key="metadata.list",
    parse=list_of(_metadata, separator=","),
    default=(),
    doc=f"Metadata of the messages that become columns, separated by `,`: {', '.join(f'`{key}`' for key in _METADATA)}.",
)
INFERENCE_STRATEGY: Final = Option[InferenceStrategy](
    key="schema.inference.strategy",
    parse=enum_member(InferenceStrategy),
    default=InferenceStrategy.CONTINUOUS,
    doc="`continuous`: each record may widen its table's schema. `static`: the first schemas stay.",
)
MAX_PRE_FETCH_RECORDS: Final = Option[int](
    key="scan.max.pre.fetch.records",
    parse=integer,
    default=50,
    doc="Number of newest messages of each partition from which the initial schemas are inferred.",
)
INITIAL_SCHEMAS: Final = Option[Mapping[TableId, TableSchema]](
    key="scan.value.initial-schemas.ddls",
    parse=initial_schemas,
    default=FrozenMap(),
    doc="Initial schemas of tables: `CREATE TABLE db1.t1 (id BIGINT, name VARCHAR(10)); CREATE TABLE …` in Flink SQL.",
)
IGNORE_ERRORS: Final = Option[bool](
    key="ingestion.ignore-errors",
    parse=boolean,
    default=False,
    doc="Whether messages that cannot be parsed are skipped; otherwise the first one fails the job.",
)
MAX_ERRORS: Final = Option[int](
    key="ingestion.error-tolerance.max-count",
    parse=integer,
    default=-1,
    doc="Number of messages that may be skipped before the job fails; -1 for no limit. Requires "
    "`ingestion.ignore-errors`.",
)


@final
@attrs.frozen(kw_only=True)
class KafkaPipelineSource:
    """Source that reads changes of tables from topics.

    Args:
        source: Topics, offsets and properties of a DataStream ``KafkaSource``.
        value_format: Format of values; by default, Debezium JSON.

    The other fields are options, with the same names in a document.

    Raises:
        DefinitionError: Fields contradict each other.
    """

    source: KafkaSource[ConsumerRecord]
    value_format: ValueFormat = attrs.field(factory=DebeziumJson)
    name: str | None = setting(NAME)
    key_format: KeyFormat | None = setting(KEY_FORMAT)
    key_fields_prefix: str = setting(KEY_FIELDS_PREFIX)
    value_fields_prefix: str = setting(VALUE_FIELDS_PREFIX)
    metadata: tuple[str, ...] = setting(METADATA_LIST)
    inference: InferenceStrategy = setting(INFERENCE_STRATEGY)
    max_pre_fetch_records: int = setting(MAX_PRE_FETCH_RECORDS)
    initial_schemas: Mapping[TableId, TableSchema] = attrs.field(
        default=INITIAL_SCHEMAS.default, converter=FrozenMap[TableId, TableSchema], metadata={OPTION: INITIAL_SCHEMAS}
    )
    ignores_errors: bool = setting(IGNORE_ERRORS)
    max_errors: int = setting(MAX_ERRORS)

    def __attrs_post_init__(self) -> None:
        problems = tuple(_problems(self))
        if problems:
            raise DefinitionError("; ".join(problems), where=_WHERE)
        if self.max_errors >= 0 and not self.ignores_errors:
            log.warning("%s: %r has no effect without %r", _WHERE, MAX_ERRORS.key, IGNORE_ERRORS.key)

    @staticmethod
    def of(builder: KafkaSourceBuilder[Any], **options: Any) -> KafkaPipelineSource:
        """Create a source from a builder without a deserializer.

        Args:
            builder: Servers, topics, offsets and properties.
            options: Other fields of the class.

        Raises:
            DefinitionError: A setting is missing, or settings contradict each other.

        Example:
            >>> orders = KafkaSource.builder().set_bootstrap_servers("localhost:9092").set_topics("orders")
            >>> KafkaPipelineSource.of(orders, metadata=("offset",)).value_format.identifier
            'debezium-json'
        """
        return KafkaPipelineSource(source=builder.set_deserializer(RecordsAsRead()).build(), **options)


def _problems(source: KafkaPipelineSource) -> Iterable[str]:
    key, value = source.key_fields_prefix, source.value_fields_prefix
    if key and value and (key.startswith(value) or value.startswith(key)):
        yield f"'{KEY_FIELDS_PREFIX.key}' = '{key}' and '{VALUE_FIELDS_PREFIX.key}' = '{value}': one is a prefix of the other"
    if source.max_pre_fetch_records < 0:
        yield f"'{MAX_PRE_FETCH_RECORDS.key}' is {source.max_pre_fetch_records}, less than 0"
    if source.max_errors < -1:
        yield f"'{MAX_ERRORS.key}' is {source.max_errors}: give -1 for any number of errors, or how many"
    if isinstance(source.value_format, Json) and source.value_format.fixed_types and source.max_pre_fetch_records:
        yield f"'json.infer-schema.fixed-types' needs '{MAX_PRE_FETCH_RECORDS.key}' = 0"
    for name in source.metadata:
        if name not in _METADATA:
            yield f"'{METADATA_LIST.key}': {name!r} is not a metadata column. {did_you_mean(name, _METADATA)}".rstrip()
    if double := next((name for name in source.metadata if source.metadata.count(name) > 1), None):
        yield f"'{METADATA_LIST.key}' has {double!r} twice"


def _read(options: SectionOptions) -> KafkaPipelineSource:
    mode = options.get(kafka_options.STARTUP_MODE)
    if mode is kafka_options.StartupMode.GROUP_OFFSETS and not options.has(kafka_options.GROUP_ID):
        raise options.refusal(
            f"'{kafka_options.STARTUP_MODE.key}' is '{mode.value}', and there is no '{kafka_options.GROUP_ID.key}'",
            options.spelling(kafka_options.STARTUP_MODE),
            now=f"Give '{kafka_options.GROUP_ID.key}', or '{kafka_options.STARTUP_MODE.key}: earliest-offset'.",
        )
    source = source_spec(options, starting_offsets(options), default_group=None)
    value_format = _value_format(options)
    settings = read_settings(KafkaPipelineSource, options.get)
    with options.reading():
        return KafkaPipelineSource(source=source, value_format=value_format, **settings)


def _value_format(options: SectionOptions) -> ValueFormat:
    identifier = options.get(VALUE_FORMAT) or ""
    if identifier not in VALUE_FORMATS:
        raise options.refusal(
            f"Unsupported value {options.shown(VALUE_FORMAT.key)} for '{VALUE_FORMAT.key}': "
            f"expected one of {', '.join(VALUE_FORMATS)}",
            VALUE_FORMAT.key,
            now=did_you_mean(identifier, VALUE_FORMATS),
        )
    prefixes = (f"{identifier}.",)
    _tell_of_other_formats(options, identifier)
    kind = VALUE_FORMATS[identifier]
    settings = read_settings(kind, lambda option: options.get(option, prefixes))
    with options.reading():
        return kind(**settings)


def _tell_of_other_formats(options: SectionOptions, identifier: str) -> None:
    others = tuple(f"{other}." for other in VALUE_FORMATS if other != identifier)
    for key in options.values:
        if key.startswith(others):
            log.warning("%s: no effect, the format is %s", options.where(key), identifier)


def _format_options() -> Iterable[Option[Any]]:
    for identifier, kind in VALUE_FORMATS.items():
        for option in options_of(kind):
            assert isinstance(option, Option)
            yield attrs.evolve(option, key=f"{identifier}.{option.key}")


KAFKA_SOURCE: Final = SectionType(
    OptionGroup(
        "kafka",
        (
            kafka_options.BOOTSTRAP_SERVERS,
            TOPIC,
            kafka_options.TOPIC_PATTERN,
            GROUP_ID,
            kafka_options.PROPERTIES,
            VALUE_FORMAT,
            *options_of(KafkaPipelineSource),
            *kafka_options.STARTUP.options,
            *kafka_options.BOUNDED.options,
            kafka_options.DISCOVERY_INTERVAL,
            kafka_options.CHECK_DUPLICATED_GROUP,
            *_format_options(),
        ),
        required=(kafka_options.BOOTSTRAP_SERVERS,),
        common=(TYPE,),
    ),
    _read,
    "Topics of Kafka whose records are changes of tables.",
)
