"""Protobuf messages by their generated classes."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.spec.formats.schema import DeserializationSchema
from kafkastream.spec.types import TypeInformation, Types

__all__ = ["ProtobufDeserializationSchema"]


class _Message(Protocol):
    @classmethod
    def FromString(cls, s: bytes, /) -> Any: ...


M = TypeVar("M", bound=_Message)


def _is_message_class(_: object, __: object, given: Any) -> None:
    if not isinstance(given, type) or not hasattr(given, "FromString"):
        raise DefinitionError(
            f"{given!r} is not a class of Protobuf messages",
            where="ProtobufDeserializationSchema",
            now="Pass the class that protoc generated for Python: orders_pb2.Order, say.",
        )


@final
@attrs.frozen
class ProtobufDeserializationSchema(DeserializationSchema[M]):
    """Bare Protobuf messages, by the class that ``protoc`` generated for Python.

    Flink ships no such class; this one is ours. There is no registry in it, and no length before the message: the
    value is the message. Bytes that are no message fail the job with the record's position, as does a tombstone.
    The workers need the generated module and the package ``protobuf``.

    Args:
        message_class: The generated class.

    Raises:
        DefinitionError: It is no such class.
    """

    message_class: type[M] = attrs.field(validator=_is_message_class)

    def deserialize(self, message: bytes) -> M:
        """The message."""
        element: M = self.message_class.FromString(message)
        return element

    def get_produced_type(self) -> TypeInformation[M]:
        """Python objects."""
        return Types.GENERIC(self.message_class)

    getProducedType = get_produced_type
