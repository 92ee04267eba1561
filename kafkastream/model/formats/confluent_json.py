"""JSON whose schemas are in a Confluent schema registry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.formats.confluent_writing import ConfluentSerializationSchema
from kafkastream.model.formats.json_nodes import json_text
from kafkastream.model.formats.schema_registry import SchemaRegistry

__all__ = ["ConfluentRegistryJsonSerializationSchema"]


@final
@attrs.frozen
class ConfluentRegistryJsonSerializationSchema(ConfluentSerializationSchema[Any]):
    r"""Dictionaries and other plain values to JSON in the wire form of Confluent's serializers; made with ``for_generic``.

    It corresponds to Confluent's ``KafkaJsonSchemaSerializer``, which Flink jobs wrap in a schema of their own; Flink
    ships no such class, this one is ours. A message is a zero byte, the id of the JSON Schema, and the JSON text, as
    Jackson writes it. The schema is registered below its subject once per Python worker, before the first record; it
    may be there already, and with ``auto.register.schemas`` set to false it has to be. None is written as null.
    As with Confluent's, elements are not checked against the schema by default.
    Differs from Confluent's: elements are what ``json.loads`` gives, not Java objects.

    Raises:
        DefinitionError: The schema or a setting cannot be used.
        UnsupportedFeatureError: A setting is not supported.

    Example:
        >>> from kafkastream.testing.registry import EmbeddedSchemaRegistry
        >>> order = '{"type": "object", "properties": {"id": {"type": "integer"}}}'
        >>> with EmbeddedSchemaRegistry() as registry:
        ...     schema = ConfluentRegistryJsonSerializationSchema.for_generic("orders-value", order, registry.url)
        ...     schema.serialize({"id": 7})
        b'\x00\x00\x00\x00\x01{"id":7}'
    """

    schema_type: ClassVar = "JSON"

    @staticmethod
    @checked
    def for_generic(
        subject: str, schema: str, registry_url: str, configs: Mapping[str, str] | None = None
    ) -> ConfluentRegistryJsonSerializationSchema:
        """JSON of plain values.

        Args:
            subject: Subject of the schema in the registry: mostly the topic's name and ``-value`` or ``-key``.
            schema: The JSON Schema, as JSON.
            registry_url: The registry's address, or several with commas between them.
            configs: Confluent's client settings for the registry: basic or bearer authentication, TLS with PEM files.

        Raises:
            DefinitionError: The schema or a setting cannot be used.
            UnsupportedFeatureError: A setting is not supported.
        """
        return ConfluentRegistryJsonSerializationSchema(
            subject, schema, SchemaRegistry(registry_url, FrozenMap(configs or {}))
        )

    forGeneric = for_generic

    def _check_schema(self) -> None:
        where = type(self).__name__
        try:
            definition = json.loads(self.schema)
        except ValueError as error:
            raise DefinitionError(f"the JSON schema cannot be used: it is not JSON: {error}", where=where) from error
        if not isinstance(definition, (dict, bool)):
            raise DefinitionError("the JSON schema cannot be used: it is not an object", where=where)

    def _payload(self, element: Any) -> bytes:
        return json_text(element).encode()
