"""Protobuf messages by their generated classes."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.formats.schema import DeserializationSchema, SerializationSchema, non_null

__all__ = ["ProtobufDeserializationSchema", "ProtobufSerializationSchema"]


class _Message(Protocol):
    @classmethod
    def FromString(cls, s: bytes, /) -> Any: ...


class _Written(Protocol):
    def SerializeToString(self, *, deterministic: bool = ...) -> bytes: ...


M = TypeVar("M", bound=_Message)


def _is_message_class(_: object, __: object, given: Any) -> None:
    if not isinstance(given, type) or not hasattr(given, "FromString"):
        raise DefinitionError(
            f"{given!r} is not a class of Protobuf messages",
            where="ProtobufDeserializationSchema",
            now="Pass the class that protoc generated for Python, such as orders_pb2.Order.",
        )


@final
@attrs.frozen
class ProtobufDeserializationSchema(DeserializationSchema[M]):
    """Bare Protobuf messages, by the class that ``protoc`` generated for Python.

    Flink ships no such class; this one is ours. There is no registry in it, and no length before the message: the
    value is the message. Bytes that are not a message fail the job with the record's position, as does a tombstone.
    The workers need the generated module and the package ``protobuf``.

    Args:
        message_class: The generated class.

    Raises:
        DefinitionError: The class is not a generated message class.
    """

    message_class: type[M] = attrs.field(validator=_is_message_class)

    def deserialize(self, message: bytes | None) -> M:
        """Return the message."""
        element: M = self.message_class.FromString(non_null(message))
        return element

    def get_produced_type(self) -> TypeInformation[M]:
        """Return the type of Python objects."""
        return Types.GENERIC(self.message_class)

    getProducedType = get_produced_type


@final
@attrs.frozen
class ProtobufSerializationSchema(SerializationSchema[_Written]):
    r"""Messages of the classes that ``protoc`` generated for Python, as bare Protobuf.

    Flink ships no such class; this one is ours. There is no registry in it, and no length before the message: the
    bytes are the message's. Equal messages give equal bytes, so they may be keys; None is written as null.
    The workers need the generated module and the package ``protobuf``.

    Example:
        >>> from google.protobuf.wrappers_pb2 import StringValue
        >>> ProtobufSerializationSchema().serialize(StringValue(value="a"))
        b'\n\x01a'
    """

    def serialize(self, element: _Written | None) -> bytes | None:
        """Return the bytes of a message; null for None.

        Raises:
            TypeError: The element is not a message.
        """
        if element is None:
            return None
        if not hasattr(type(element), "SerializeToString"):
            raise TypeError(f"the schema writes Protobuf messages, the element is {_described(element)}")
        return element.SerializeToString(deterministic=True)


def _described(element: object) -> str:
    return f"the class {element.__name__}" if isinstance(element, type) else f"of type {type(element).__name__}"
