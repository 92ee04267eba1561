"""Infers a table from sampled messages: columns and format options."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NoReturn, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.topic_sample import Message, TopicSample
from kafkastream.model.formats.malformed import is_malformed
from kafkastream.options.option import Option
from kafkastream.sql.connectors import kafka_options
from kafkastream.sql.connectors.common_options import CONNECTOR
from kafkastream.sql.connectors.kafka import KAFKA
from kafkastream.sql.connectors.metadata import READABLE
from kafkastream.sql.connectors.upsert_kafka import UPSERT_KAFKA
from kafkastream.sql.formats import JsonFormat, RawFormat, TimestampFormat
from kafkastream.sql.formats.json_format import FLATTEN_NESTED_COLUMNS, TIMESTAMP_FORMAT
from kafkastream.sql.kafka_catalog.members import Path, json_type, member_types
from kafkastream.sql.kafka_catalog.options import CatalogSettings
from kafkastream.sql.table import Column, MetadataColumn, PhysicalColumn, TableDefinition, TableSchema
from kafkastream.sql.type_families import STAMPS
from kafkastream.sql.types import DataType

__all__ = ["inferred_table"]

log = logging.getLogger("kafkastream")

Object = Mapping[str, Any]

_POSITION: Final = ("partition", "offset")
_METADATA: Final = (*_POSITION, "timestamp")


@final
@attrs.frozen
class _MessagePart:
    """Columns of keys or values.

    Args:
        format: Identifier of the format.
        types: Types of the columns, by their paths of members.
        timestamp_format: Text format of timestamps.
    """

    format: str
    types: Mapping[Path, DataType]
    timestamp_format: TimestampFormat = TIMESTAMP_FORMAT.default

    def columns(self, prefix: str) -> tuple[PhysicalColumn, ...]:
        return tuple(PhysicalColumn(prefix + ".".join(path), type_) for path, type_ in self.types.items())

    def options(self, side: str) -> Iterator[tuple[str, str]]:
        """Return the options of the format that differ from their defaults."""
        yield f"{side}.format", self.format
        if self.timestamp_format is not TIMESTAMP_FORMAT.default:
            yield f"{side}.{self.format}.{TIMESTAMP_FORMAT.key}", self.timestamp_format.value
        if any(len(path) > 1 for path in self.types):
            yield f"{side}.{self.format}.{FLATTEN_NESTED_COLUMNS.key}", "true"

    def not_null(self) -> _MessagePart:
        return attrs.evolve(self, types={path: type_.not_null() for path, type_ in self.types.items()})


def inferred_table(
    name: tuple[str, str, str], sample: TopicSample, settings: CatalogSettings, properties: Mapping[str, str]
) -> TableDefinition:
    """Infer the table of a topic.

    All columns of keys and values are nullable, except for the key of an ``upsert-kafka`` table. A message whose value
    is not JSON is ignored for the columns, but fails the job that reads it.

    Args:
        name: Catalog, database and topic.
        sample: Sample of the topic's messages.
        settings: Settings of the catalog.
        properties: Options with client properties, for the table.

    Raises:
        DefinitionError: No message's value is a JSON object, or two columns would have the same name.

    Example:
        >>> sample = TopicSample((Message(b"k1", b'{"id": 1}'), Message(b"k2", b'{"id": 2, "name": "ink"}')))
        >>> table = inferred_table(("c", "kafka", "orders"), sample, CatalogSettings(), {})
        >>> [column.name for column in table.schema.columns]
        ['key_col', 'value_id', 'value_name', 'partition', 'offset', 'timestamp']
    """
    value = _value(name, sample.messages, settings)
    keys = [message.key for message in sample.messages]
    is_upsert = settings.compacted_as_upsert and sample.is_compacted and None not in keys
    key = _key(keys, settings, is_needed=is_upsert)
    key_columns = () if key is None else key.columns(settings.key_prefix)
    metadata = tuple(MetadataColumn(one, READABLE[one], one, is_virtual=True) for one in _METADATA)
    columns: tuple[Column, ...] = (*key_columns, *value.columns(settings.value_prefix), *metadata)
    _check_names(name, [column.name for column in columns])
    key_names = tuple(column.name for column in key_columns)
    options = {
        CONNECTOR.key: (UPSERT_KAFKA if is_upsert else KAFKA).identifier,
        kafka_options.TOPIC.key: name[-1],
        **properties,
        **({} if key is None else _key_options(key, settings.key_prefix, () if is_upsert else key_names)),
        **dict(value.options("value")),
        **_given(kafka_options.VALUE_FIELDS_PREFIX, settings.value_prefix),
        kafka_options.VALUE_FIELDS_INCLUDE.key: kafka_options.FieldsInclude.EXCEPT_KEY.value,
    }
    schema = TableSchema(columns, primary_key=key_names if is_upsert else _POSITION)
    return TableDefinition(name, schema, FrozenMap(options))


def _key_options(key: _MessagePart, prefix: str, columns: Sequence[str]) -> dict[str, str]:
    return {
        **dict(key.options("key")),
        **_given(kafka_options.KEY_FIELDS, ";".join(columns)),
        **_given(kafka_options.KEY_FIELDS_PREFIX, prefix),
    }


def _given(option: Option[Any], text: str) -> dict[str, str]:
    return {option.key: text} if text else {}


def _value(name: tuple[str, str, str], messages: Sequence[Message], settings: CatalogSettings) -> _MessagePart:
    read = [_objects(message.value) for message in messages]
    objects = [one for found in read if found is not None for one in found]
    part = _json_part(objects, settings)
    if not part.types:
        what = f"none of the {len(messages)} newest messages of topic {name[-1]!r} is a JSON object with members"
        raise DefinitionError(
            what if messages else f"topic {name[-1]!r} has no messages to infer columns from",
            where=_where(name),
            now="Write some first, or declare the table by CREATE TABLE.",
        )
    if settings.flattens:
        _check_dots(name, part.types)
    if None in read:
        log.warning(
            "%s: %d of the %d newest messages are not JSON objects; a job that reads them fails, unless "
            "/*+ OPTIONS('value.json.ignore-parse-errors' = 'true') */ leaves them out",
            _where(name),
            read.count(None),
            len(read),
        )
    return part


def _key(keys: Sequence[bytes | None], settings: CatalogSettings, *, is_needed: bool) -> _MessagePart | None:
    """Return the columns of keys: their members if all keys are JSON objects, otherwise one column with the bytes.

    Formats in JSON drop records without a key; so if some keys are missing, the column has the bytes as well.
    """
    if not any(key is not None for key in keys):
        return None
    part = _json_key(keys, settings)
    if part is None or (is_needed and not _are_there(part.types, keys)):
        part = _MessagePart(RawFormat.identifier, {(settings.raw_key_name,): DataType.bytes_()})
    return part.not_null() if is_needed else part


def _json_key(keys: Iterable[bytes | None], settings: CatalogSettings) -> _MessagePart | None:
    objects = [_object(key) for key in keys]
    if None in objects:
        return None
    part = _json_part([one for one in objects if one is not None], settings)
    names = [".".join(path) for path in part.types]
    is_told = kafka_options.KEY_FIELDS.parse(";".join(names)) == tuple(names)
    is_flat = not settings.flattens or not any("." in member for path in part.types for member in path)
    return part if part.types and is_told and is_flat else None


def _are_there(types: Iterable[Path], keys: Iterable[bytes | None]) -> bool:
    """Return whether each key has all of the members."""
    return all(_member(_object(key), path) is not None for key in keys for path in types)


def _member(value: Any, path: Path) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _json_part(objects: Sequence[Object], settings: CatalogSettings) -> _MessagePart:
    """Return the members of objects; timestamps have the format of the settings, or else the other one."""
    wanted = settings.timestamp_format
    parts = [_in_form(objects, form, settings) for form in (wanted, *(one for one in TimestampFormat if one != wanted))]
    has_stamps = (part for part in parts if any(type_.kind in STAMPS for type_ in part.types.values()))
    return next(has_stamps, attrs.evolve(parts[0], timestamp_format=TIMESTAMP_FORMAT.default))


def _in_form(objects: Sequence[Object], form: TimestampFormat, settings: CatalogSettings) -> _MessagePart:
    as_time = partial(json_type, separator=form.separator)
    leaf = (lambda _: DataType.string()) if settings.primitive_as_string else as_time
    return _MessagePart(JsonFormat.identifier, member_types(objects, leaf, flattens=settings.flattens), form)


def _objects(message: bytes | None) -> list[Object] | None:
    """Return the JSON objects of a value, which may be an array of them; None for other values."""
    if message is None or not message.strip():
        return []
    found = _parsed(message)
    rows = [one for one in (found if isinstance(found, list) else [found]) if one is not None]
    return rows if all(isinstance(one, dict) for one in rows) else None


def _object(message: bytes | None) -> Object | None:
    found = None if message is None else _parsed(message)
    return found if isinstance(found, dict) else None


def _parsed(message: bytes) -> Any:
    """Return the JSON value of a message; the message itself if it is not JSON."""
    try:
        return json.loads(message.decode("utf-8"), parse_constant=_no_json)
    except Exception as error:
        if not is_malformed(error):
            raise
        return message


def _no_json(constant: str) -> NoReturn:
    raise ValueError(constant)


def _check_names(name: tuple[str, str, str], names: Sequence[str]) -> None:
    double = next((one for one in names if names.count(one) > 1), None)
    if double is not None:
        raise DefinitionError(
            f"two columns would have the name {double!r}",
            where=_where(name),
            now=f"Set '{kafka_options.KEY_FIELDS_PREFIX.key}' and '{kafka_options.VALUE_FIELDS_PREFIX.key}' of the catalog so that they differ.",
        )


def _check_dots(name: tuple[str, str, str], paths: Iterable[Path]) -> None:
    dotted = next((member for path in paths for member in path if "." in member), None)
    if dotted is not None:
        raise DefinitionError(
            f"the member {dotted!r} cannot be distinguished from a member of an object",
            where=_where(name),
            now=f"Leave out '{FLATTEN_NESTED_COLUMNS.key}' of the catalog.",
        )


def _where(name: tuple[str, str, str]) -> str:
    return f"table {'.'.join(name)}"
