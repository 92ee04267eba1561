"""Avro records whose schemas are in a Confluent schema registry."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, ClassVar, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.formats.avro_schema import avro_schema, registered_reader, writable_schema, write_avro
from kafkastream.model.formats.confluent_wire import unframed
from kafkastream.model.formats.confluent_writing import ConfluentSerializationSchema
from kafkastream.model.formats.schema import DeserializationSchema
from kafkastream.model.formats.schema_registry import SchemaRegistry

__all__ = ["ConfluentRegistryAvroDeserializationSchema", "ConfluentRegistryAvroSerializationSchema"]

_WHERE: Final = "ConfluentRegistryAvroDeserializationSchema"


@final
@attrs.frozen
class ConfluentRegistryAvroDeserializationSchema(DeserializationSchema[dict[str, Any]]):
    """Avro records in the wire form of Confluent's serializers, to dictionaries; made with ``for_generic``.

    A message is a zero byte, the id of the writer's schema, and the record. The writer's schema is fetched from the
    registry by its id, once per Python worker; the record is read as the reader's schema wants it, by the rules of Java's
    Avro: fields that the writer lacks have their defaults, names of records need not be equal, numbers are widened.
    A tombstone is dropped, as in Flink.
    Differs from Flink: dictionaries instead of ``GenericRecord``; PyFlink lacks this class. As in Flink's, values are
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
    @checked
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
            identity_map_capacity: Maximum number of cached writers' schemas.
            configs: Confluent's client settings for the registry: basic or bearer authentication, TLS with PEM files.

        Raises:
            DefinitionError: The schema or a setting cannot be used.
            UnsupportedFeatureError: A setting is not supported.
        """
        registry = SchemaRegistry(url, FrozenMap(configs or {}))
        return ConfluentRegistryAvroDeserializationSchema(schema, registry, identity_map_capacity)

    forGeneric = for_generic

    def deserialize(self, message: bytes | None) -> dict[str, Any] | None:
        """Return the record of a message; None for a tombstone.

        Raises:
            OSError: The registry does not answer.
            ValueError: The message is not in Confluent's format, its schema is not in the registry, or it cannot be read with
                the reader's schema.
        """
        if message is None:
            return None
        schema_id, data = unframed(message)
        record: dict[str, Any] = _readers(self)(schema_id)(data)
        return record


@final
@attrs.frozen
class ConfluentRegistryAvroSerializationSchema(ConfluentSerializationSchema[Mapping[str, Any]]):
    r"""Dictionaries to Avro records in the wire form of Confluent's serializers; made with ``for_generic``.

    A message is a zero byte, the id of the schema, and the record. The schema is registered below its subject once per
    Python worker, before the first record; it may be there already. None is written as null, as in Flink. A dictionary
    has the schema's fields and no others; one that is left out needs a default.
    Differs from Flink: dictionaries instead of ``GenericRecord``; a registry that refuses the schema or is away is
    noticed when the schema is opened, in Flink with the first record; ``auto.register.schemas`` set to false, which
    Flink does not look at, looks the schema up instead of registering it. PyFlink lacks this class. As in Flink's,
    values are those of Avro itself: a date is an int, a decimal ``bytes``.

    Raises:
        DefinitionError: The schema or a setting cannot be used.
        UnsupportedFeatureError: A setting is not supported.

    Example:
        >>> from kafkastream.testing.registry import EmbeddedSchemaRegistry
        >>> order = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}'
        >>> with EmbeddedSchemaRegistry() as registry:
        ...     schema = ConfluentRegistryAvroSerializationSchema.for_generic("orders-value", order, registry.url)
        ...     schema.serialize({"id": 7})
        b'\x00\x00\x00\x00\x01\x0e'
    """

    schema_type: ClassVar = "AVRO"

    @staticmethod
    @checked
    def for_generic(
        subject: str, schema: str, registry_url: str, configs: Mapping[str, str] | None = None
    ) -> ConfluentRegistryAvroSerializationSchema:
        """Records of dictionaries.

        Args:
            subject: Subject of the schema in the registry: mostly the topic's name and ``-value`` or ``-key``.
            schema: The writer's schema, as JSON.
            registry_url: The registry's address, or several with commas between them.
            configs: Confluent's client settings for the registry: basic or bearer authentication, TLS with PEM files.

        Raises:
            DefinitionError: The schema or a setting cannot be used.
            UnsupportedFeatureError: A setting is not supported.
        """
        return ConfluentRegistryAvroSerializationSchema(
            subject, schema, SchemaRegistry(registry_url, FrozenMap(configs or {}))
        )

    forGeneric = for_generic

    def _check_schema(self) -> None:
        definition = avro_schema(self.schema, type(self).__name__)
        if not isinstance(definition, dict) or definition.get("type") not in {"record", "error"}:
            raise DefinitionError(
                "the schema's root is not a record", where=type(self).__name__, now="Wrap it in a record."
            )

    def _payload(self, element: Mapping[str, Any]) -> bytes:
        if not isinstance(element, Mapping):
            raise TypeError(f"the schema writes dictionaries, the element is of type {type(element).__name__}")
        return write_avro(element, _parsed(self.schema))


@lru_cache(maxsize=64)
def _parsed(schema: str) -> Any:
    return writable_schema(json.loads(schema))


@lru_cache(maxsize=64)
def _readers(schema: ConfluentRegistryAvroDeserializationSchema) -> Callable[[int], Callable[[bytes], Any]]:
    @lru_cache(maxsize=schema.identity_map_capacity)
    def reader(schema_id: int) -> Callable[[bytes], Any]:
        """Return the function that reads the records of a writer's schema."""
        return registered_reader(schema.registry.schema(schema_id), schema.reader_schema)

    return reader
