"""The deserializers that ship with Kafka's Java client, by their class names."""

from __future__ import annotations

import re
import struct
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final, final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.spec.formats.plain import SimpleStringSchema
from kafkastream.spec.types import TypeInformation, Types

__all__ = ["FixedSize", "KafkaDeserializer", "kafka_deserializer"]

_PACKAGE = "org.apache.kafka.common.serialization."
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@final
@attrs.frozen
class FixedSize:
    """A number in a fixed count of bytes, the highest first.

    Attributes:
        name: The deserializer's, for its errors.
        code: The number's letter in Python's ``struct``.
    """

    name: str
    code: str

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return struct.calcsize(f">{self.code}")

    def __call__(self, data: bytes) -> Any:
        """The number."""
        if len(data) != self.size:
            raise ValueError(f"Size of data received by {self.name} is not {self.size}")
        return struct.unpack(f">{self.code}", data)[0]


@final
@attrs.frozen
class KafkaDeserializer:
    """A deserializer: the type of what it gives, and the function that gives it of bytes that are not null."""

    type_info: TypeInformation[Any]
    deserialize: Callable[[bytes], Any]


def kafka_deserializer(class_name: str, config: Mapping[str, str]) -> KafkaDeserializer:
    r"""The counterpart of a class of Kafka's Java client.

    Args:
        class_name: The whole name, such as ``org.apache.kafka.common.serialization.LongDeserializer``.
        config: Its settings; only encodings are looked at.

    Raises:
        UnsupportedFeatureError: The class is not one of Kafka's, or not to be had here.
        DefinitionError: The encoding is not known.

    Example:
        >>> kafka_deserializer("org.apache.kafka.common.serialization.ShortDeserializer", {}).deserialize(b"\1\0")
        256
    """
    package, name = class_name[: len(_PACKAGE)], class_name[len(_PACKAGE) :]
    if package != _PACKAGE or name not in _DESERIALIZERS:
        raise UnsupportedFeatureError(
            f"the deserializer class {class_name!r} is not to be had here",
            where="value-only deserializer",
            now=f"Write a DeserializationSchema, or use one of {_PACKAGE}*: {', '.join(_DESERIALIZERS)}.",
        )
    return _DESERIALIZERS[name](config)


def _number(name: str, code: str, type_info: TypeInformation[Any]) -> Callable[[Mapping[str, str]], KafkaDeserializer]:
    return lambda _: KafkaDeserializer(type_info, FixedSize(name, code))


def _plain(_: Mapping[str, str]) -> KafkaDeserializer:
    return KafkaDeserializer(Types.PRIMITIVE_ARRAY(Types.BYTE()), bytes)


def _text(config: Mapping[str, str]) -> KafkaDeserializer:
    encoding = config.get("value.deserializer.encoding", config.get("deserializer.encoding", "UTF-8"))
    try:
        return KafkaDeserializer(Types.STRING(), SimpleStringSchema(encoding).deserialize)
    except DefinitionError as error:
        raise DefinitionError(error.what, where="deserializer.encoding", now=error.now) from None


def _uuid(config: Mapping[str, str]) -> KafkaDeserializer:
    decode = _text(config).deserialize

    def deserialize(data: bytes) -> uuid.UUID:
        text = decode(data)
        if _UUID.fullmatch(text) is None:
            raise ValueError(f"Error parsing data into UUID: {text[:100]!r}")
        return uuid.UUID(text)

    return KafkaDeserializer(Types.GENERIC(uuid.UUID), deserialize)


def _boolean(_: Mapping[str, str]) -> KafkaDeserializer:
    def deserialize(data: bytes) -> bool:
        if len(data) != 1:
            raise ValueError("Size of data received by BooleanDeserializer is not 1")
        if data[0] > 1:
            raise ValueError(f"Unexpected byte received by BooleanDeserializer: {data[0]}")
        return data == b"\1"

    return KafkaDeserializer(Types.BOOLEAN(), deserialize)


def _void(_: Mapping[str, str]) -> KafkaDeserializer:
    def deserialize(_: bytes) -> None:
        raise ValueError("Data should be null for a VoidDeserializer.")

    return KafkaDeserializer(Types.VOID(), deserialize)


_DESERIALIZERS: Final[Mapping[str, Callable[[Mapping[str, str]], KafkaDeserializer]]] = {
    "StringDeserializer": _text,
    "ByteArrayDeserializer": _plain,
    "BytesDeserializer": _plain,
    "ShortDeserializer": _number("ShortDeserializer", "h", Types.SHORT()),
    "IntegerDeserializer": _number("IntegerDeserializer", "i", Types.INT()),
    "LongDeserializer": _number("LongDeserializer", "q", Types.LONG()),
    "FloatDeserializer": _number("FloatDeserializer", "f", Types.FLOAT()),
    "DoubleDeserializer": _number("DoubleDeserializer", "d", Types.DOUBLE()),
    "BooleanDeserializer": _boolean,
    "UUIDDeserializer": _uuid,
    "VoidDeserializer": _void,
}
