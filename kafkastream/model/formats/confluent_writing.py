"""Base class of serialization schemas with a Confluent schema registry."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, TypeVar

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.formats.confluent_wire import framed
from kafkastream.model.formats.schema import InitializationContext, SerializationSchema
from kafkastream.model.formats.schema_registry import SchemaRegistry

__all__ = ["ConfluentSerializationSchema"]

IN_contra = TypeVar("IN_contra", contravariant=True)


@attrs.frozen
class ConfluentSerializationSchema(SerializationSchema[IN_contra]):
    """Writes the id of a schema, which is registered under a subject, and then the element; None as null.

    Raises:
        DefinitionError: The schema or a setting cannot be used.
        UnsupportedFeatureError: A setting is not supported.
    """

    subject: str
    schema: str
    registry: SchemaRegistry

    schema_type: ClassVar[str]

    def __attrs_post_init__(self) -> None:
        if not self.subject:
            raise DefinitionError(
                "there is no subject", where=type(self).__name__, now="Name one, such as 'orders-value'."
            )
        self._check_schema()

    def open(self, context: InitializationContext) -> None:
        """Register the schema.

        Raises:
            OSError: The registry does not answer, or refuses the schema.
        """
        _ = self._schema_id

    def serialize(self, element: IN_contra | None) -> bytes | None:
        """Return the message of an element; null for None.

        Raises:
            OSError: The schema was not opened before, and the registry does not answer or refuses it.
            TypeError: The element is of a type that the format does not have.
            ValueError: The element does not conform to the schema.
        """
        return None if element is None else framed(self._schema_id, self._payload(element))

    @abstractmethod
    def _check_schema(self) -> None:
        """Refuse a schema that cannot be used."""

    @abstractmethod
    def _payload(self, element: IN_contra) -> bytes:
        """Return the bytes after the schema's id."""

    @property
    def _schema_id(self) -> int:
        return self.registry.register(self.subject, self.schema, self.schema_type)
