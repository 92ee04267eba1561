"""Avro records whose schemas are in a Confluent schema registry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.spec.formats.avro_schema import avro_schema, parsed_schema, read_avro
from kafkastream.spec.formats.schema import DeserializationSchema
from kafkastream.spec.formats.schema_registry import SchemaRegistry
from kafkastream.spec.values import FrozenMap

__all__ = ["ConfluentRegistryAvroDeserializationSchema"]

_WHERE: Final = "ConfluentRegistryAvroDeserializationSchema"
_MAGIC: Final = 0
_HEADER: Final = 5


@final
@attrs.frozen
class ConfluentRegistryAvroDeserializationSchema(DeserializationSchema[dict[str, Any]]):
    """Avro records in the wire form of Confluent's serializers, to dictionaries; made with ``for_generic``.

    A message is a zero byte, the id of the writer's schema, and the record. The writer's schema is fetched from the
    registry by its id, once per Python worker; the record is read as the reader's schema wants it, by Avro's rules.
    A tombstone is dropped, as in Flink.
    Differs from Flink: dictionaries in place of ``GenericRecord``; PyFlink lacks this class. As in Flink's, values are
    those of Avro itself: a date is an int, a decimal ``bytes``.

    Example:
        >>> schema = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}'
        >>> ConfluentRegistryAvroDeserializationSchema.for_generic(schema, "http://registry:8081").registry
        SchemaRegistry(url='http://registry:8081', configs={})
    """

    reader_schema: str
    registry: SchemaRegistry
    identity_map_capacity: int = 1000

    def __attrs_post_init__(self) -> None:
        if self.identity_map_capacity < 1:
            raise DefinitionError(f"identity_map_capacity is {self.identity_map_capacity}", where=_WHERE)
        avro_schema(self.reader_schema, _WHERE)

    @staticmethod
    def for_generic(
        schema: str,
        url: str,
        identity_map_capacity: int = 1000,
        configs: Mapping[str, str] | None = None,
    ) -> ConfluentRegistryAvroDeserializationSchema:
        """Records as dictionaries.

        Args:
            schema: The reader's schema, as JSON.
            url: The registry's address, or several with commas between them.
            identity_map_capacity: How many writers' schemas are remembered.
            configs: Confluent's client settings for the registry: basic or bearer authentication, TLS with PEM files.

        Raises:
            DefinitionError: The schema or a setting cannot be used.
            UnsupportedFeatureError: A setting is not to be had here.
        """
        registry = SchemaRegistry(url, FrozenMap(configs or {}))
        return ConfluentRegistryAvroDeserializationSchema(schema, registry, identity_map_capacity)

    forGeneric = for_generic

    def deserialize(self, message: bytes) -> dict[str, Any]:
        """The record of a message.

        Raises:
            OSError: The registry does not answer, or does not know the schema.
            ValueError: The message is none of Confluent's, or cannot be read with the reader's schema.
        """
        if not message or message[0] != _MAGIC:
            raise ValueError("Unknown data format. Magic number does not match")
        if len(message) < _HEADER:
            raise ValueError("the message ends within the id of its schema")
        writer, reader = _schemas(self)(int.from_bytes(message[1:_HEADER], "big"))
        record: dict[str, Any] = read_avro(message[_HEADER:], writer, reader)
        return record

    @property
    def drops_tombstones(self) -> bool:
        """Always."""
        return True


@lru_cache(maxsize=64)
def _schemas(schema: ConfluentRegistryAvroDeserializationSchema) -> Any:
    reader = parsed_schema(json.loads(schema.reader_schema))

    @lru_cache(maxsize=schema.identity_map_capacity)
    def schemas(schema_id: int) -> tuple[Any, Any]:
        """The writer's and the reader's."""
        found = schema.registry.schema(schema_id)
        named: dict[str, Any] = {}
        for text in found.references:
            parsed_schema(json.loads(text), named)
        return parsed_schema(json.loads(found.text), named), reader

    return schemas
