"""Avro messages of tables, bare and with Confluent's registry, by fastavro."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, final

import attrs

from kafkastream.model.formats.avro_schema import avro_reader, parsed_schema, registered_reader
from kafkastream.model.formats.confluent_wire import framed, unframed
from kafkastream.model.formats.malformed import malformed
from kafkastream.model.formats.schema_registry import SchemaRegistry
from kafkastream.spark.sql.formats.avro_values import avro_dump, avro_load
from kafkastream.spark.sql.formats.message_format import MessageFormat, message_format
from kafkastream.spark.sql.formats.python_formats import PythonFormat
from kafkastream.spark.sql.formats.python_steps import MessageDecoder, MessageEncoder
from kafkastream.sql.connectors.key_value_fields import RecordPart
from kafkastream.sql.formats import AvroConfluentFormat, AvroEncoding, AvroFormat
from kafkastream.sql.types import DataType

__all__ = ["avro_decoder", "avro_encoder"]

Plain = Mapping[str, Any]


def avro_decoder(part: RecordPart, format_: AvroFormat | AvroConfluentFormat) -> MessageDecoder:
    """Return the decoder of a table's messages."""
    kind, schema = part.row_type, format_.schema_of(part.row_type.fields)
    if isinstance(format_, AvroConfluentFormat):
        return _ConfluentDecoder(kind, schema, format_.registry)
    return _BareDecoder(kind, schema, format_.encoding)


def avro_encoder(part: RecordPart, format_: AvroFormat | AvroConfluentFormat) -> MessageEncoder:
    """Return the encoder of a table's messages."""
    kind, schema = part.row_type, format_.schema_of(part.row_type.fields)
    if isinstance(format_, AvroConfluentFormat):
        return _ConfluentEncoder(kind, schema, format_.registry, format_.subject or "")
    return _BareEncoder(kind, schema, format_.encoding)


@final
@attrs.frozen
class _BareDecoder(MessageDecoder):
    kind: DataType
    schema: str
    encoding: AvroEncoding

    def opened(self) -> Callable[[bytes], Plain]:
        schema = parsed_schema(json.loads(self.schema))
        if self.encoding is AvroEncoding.BINARY:
            return _loaded(self.kind, avro_reader(schema))
        return _loaded(self.kind, lambda message: _read_json(message, schema))


@final
@attrs.frozen
class _ConfluentDecoder(MessageDecoder):
    kind: DataType
    schema: str
    registry: SchemaRegistry

    def opened(self) -> Callable[[bytes], Plain]:
        def read(message: bytes) -> Plain:
            schema_id, data = unframed(message)
            row: Plain = _reader(self.registry, schema_id, self.schema)(data)
            return row

        return _loaded(self.kind, read)


@final
@attrs.frozen
class _BareEncoder(MessageEncoder):
    kind: DataType
    schema: str
    encoding: AvroEncoding

    def opened(self) -> Callable[[Plain], bytes]:
        write = _written if self.encoding is AvroEncoding.BINARY else _written_as_json
        return _dumped(self.kind, self.schema, write)


@final
@attrs.frozen
class _ConfluentEncoder(MessageEncoder):
    kind: DataType
    schema: str
    registry: SchemaRegistry
    subject: str

    def opened(self) -> Callable[[Plain], bytes]:
        write = _dumped(self.kind, self.schema, _written)
        return lambda row: framed(self.registry.register(self.subject, self.schema), write(row))


def _loaded(kind: DataType, read: Callable[[bytes], Plain]) -> Callable[[bytes], Plain]:
    load = avro_load(kind)
    return read if load is None else lambda message: load(read(message))


def _dumped(kind: DataType, schema: str, write: Callable[[Any, Any], bytes]) -> Callable[[Plain], bytes]:
    definition = json.loads(schema)
    parsed, dump = parsed_schema(definition), avro_dump(kind, definition)
    return (lambda row: write(row, parsed)) if dump is None else (lambda row: write(dump(row), parsed))


def _written(row: Plain, schema: Any) -> bytes:
    from fastavro import schemaless_writer

    out = io.BytesIO()
    try:
        schemaless_writer(out, schema, row)
    except Exception as error:
        raise ValueError(f"Fail to serialize a row with the Avro schema: {error!r}") from error
    return out.getvalue()


def _read_json(message: bytes, schema: Any) -> Any:
    from fastavro import json_reader

    try:
        return next(iter(json_reader(io.StringIO(json.dumps(json.loads(message))), schema)))
    except Exception as error:
        raise ValueError(f"the record cannot be read with the Avro schema: {malformed(error)!r}") from error


def _written_as_json(row: Plain, schema: Any) -> bytes:
    from fastavro import json_writer

    out = io.StringIO()
    try:
        json_writer(out, schema, [row])
    except Exception as error:
        raise ValueError(f"the value is not of the Avro schema: {error!r}") from error
    return json.dumps(json.loads(out.getvalue()), separators=(",", ":"), ensure_ascii=False).encode()


@lru_cache(maxsize=1000)
def _reader(registry: SchemaRegistry, schema_id: int, reader: str) -> Callable[[bytes], Any]:
    return registered_reader(registry.schema(schema_id), reader)


@final
@attrs.frozen
class _Avro(PythonFormat):
    settings: AvroFormat | AvroConfluentFormat

    def decoder(self, part: RecordPart) -> MessageDecoder:
        """Decode Avro."""
        return avro_decoder(part, self.settings)

    def encoder(self, part: RecordPart) -> MessageEncoder:
        """Encode Avro."""
        return avro_encoder(part, self.settings)


@message_format.register
def _(settings: AvroFormat) -> MessageFormat:
    return _Avro(settings)


@message_format.register
def _(settings: AvroConfluentFormat) -> MessageFormat:
    return _Avro(settings)
