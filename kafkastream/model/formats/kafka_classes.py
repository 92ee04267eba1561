"""Serializers and deserializers of Kafka's Java client by their class names, in one table."""

from __future__ import annotations

import math
import numbers
import re
import struct
import uuid
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Literal, final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.formats.charsets import check_charset, decoded, encoded

__all__ = ["FixedSize", "KafkaClass", "Read", "Write", "charset_of", "kafka_class"]

Read = Callable[[bytes], Any]
Write = Callable[[Any], bytes]
Role = Literal["Serializer", "Deserializer"]

_PACKAGE: Final = "org.apache.kafka.common.serialization."
_SCHEMAS: Final[Mapping[Role, str]] = {"Serializer": "SerializationSchema", "Deserializer": "DeserializationSchema"}
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@final
@attrs.frozen
class KafkaClass:
    """A type of elements, and how it is read and written in a charset; null is handled elsewhere.

    Attributes:
        type_info: The elements' type.
        reader: Function from a charset to the function from bytes to an element.
        writer: Function from a charset to the function from an element to bytes.
    """

    type_info: TypeInformation[Any]
    reader: Callable[[str], Read]
    writer: Callable[[str], Write]


def kafka_class(class_name: str, role: Role) -> KafkaClass:
    """Return the class with a name in Kafka's Java client.

    Args:
        class_name: The whole name, such as ``org.apache.kafka.common.serialization.LongSerializer``.
        role: Whether it is a serializer's or a deserializer's.

    Raises:
        UnsupportedFeatureError: The class is not part of Kafka, or not available.
    """
    package, name = class_name[: len(_PACKAGE)], class_name[len(_PACKAGE) :]
    known = {f"{kind}{role}": found for kind, found in _CLASSES.items()}
    if package != _PACKAGE or name not in known:
        raise UnsupportedFeatureError(
            f"the {role.lower()} class {class_name!r} is not available",
            where=f"Kafka's own {role.lower()}s",
            now=f"Write a {_SCHEMAS[role]}, or use one of {_PACKAGE}*: {', '.join(known)}.",
        )
    return known[name]


def charset_of(config: Mapping[str, str], role: Role, *, is_key: bool) -> str:
    """Return the charset that Kafka's settings name, the one for keys or values before the one for both."""
    general = f"{role.lower()}.encoding"
    return config.get(f"{'key' if is_key else 'value'}.{general}", config.get(general, "UTF-8"))


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
        """Number of bytes."""
        return struct.calcsize(f">{self.code}")

    def __call__(self, data: bytes) -> Any:
        """Return the number."""
        if len(data) != self.size:
            raise ValueError(f"Size of data received by {self.name} is not {self.size}")
        return struct.unpack(f">{self.code}", data)[0]


@final
@attrs.frozen
class _Numbers:
    """Numbers that a serializer takes, and their bytes."""

    what: str
    kind: Any
    convert: Callable[[Any], Any]


def _number(name: str, code: str, type_info: TypeInformation[Any], taken: _Numbers) -> KafkaClass:
    read = FixedSize(f"{name}Deserializer", code)

    def write(element: Any) -> bytes:
        if isinstance(element, bool) or not isinstance(element, taken.kind):
            raise _wanted(name, taken.what, element)
        try:
            return struct.pack(f">{code}", taken.convert(element))
        except (struct.error, OverflowError):
            raise ValueError(f"{element} does not fit into the {8 * read.size} bits of {name}Serializer") from None

    return KafkaClass(type_info, lambda _: read, lambda _: write)


def _one_nan(element: Any) -> float:
    """Number with a single NaN, as Java's ``Double.doubleToLongBits`` sees it."""
    return math.nan if math.isnan(number := float(element)) else number


def _wanted(name: str, what: str, element: object) -> TypeError:
    return TypeError(f"{name}Serializer writes {what}, the element is of type {type(element).__name__}")


def _read_text(charset: str) -> Callable[[bytes], str]:
    check_charset(charset, "deserializer.encoding")
    return partial(decoded, charset=charset)


def _write_text(charset: str) -> Write:
    check_charset(charset, "serializer.encoding")

    def write(element: Any) -> bytes:
        if not isinstance(element, str):
            raise _wanted("String", "text", element)
        return encoded(element, charset)

    return write


def _read_uuid(charset: str) -> Read:
    decode = _read_text(charset)

    def read(data: bytes) -> uuid.UUID:
        text = decode(data)
        if _UUID.fullmatch(text) is None:
            raise ValueError(f"Error parsing data into UUID: {text[:100]!r}")
        return uuid.UUID(text)

    return read


def _write_uuid(charset: str) -> Write:
    write_text = _write_text(charset)

    def write(element: Any) -> bytes:
        if not isinstance(element, uuid.UUID):
            raise _wanted("UUID", "uuid.UUID", element)
        return write_text(str(element))

    return write


def _read_boolean(data: bytes) -> bool:
    if len(data) != 1:
        raise ValueError("Size of data received by BooleanDeserializer is not 1")
    if data[0] > 1:
        raise ValueError(f"Unexpected byte received by BooleanDeserializer: {data[0]}")
    return data == b"\1"


def _write_boolean(element: Any) -> bytes:
    if not isinstance(element, bool):
        raise _wanted("Boolean", "bool", element)
    return b"\1" if element else b"\0"


def _bytes(name: str) -> KafkaClass:
    def write(element: Any) -> bytes:
        if not isinstance(element, (bytes, bytearray, memoryview)):
            raise _wanted(name, "bytes", element)
        return bytes(element)

    return KafkaClass(Types.PRIMITIVE_ARRAY(Types.BYTE()), lambda _: bytes, lambda _: write)


def _void(role: Role) -> Callable[[str], Callable[[Any], Any]]:
    def refuse(_: object) -> None:
        raise ValueError(f"Data should be null for a Void{role}.")

    return lambda _: refuse


_WHOLE: Final = _Numbers("whole numbers", numbers.Integral, int)
_REAL: Final = _Numbers("numbers", numbers.Real, float)
_CLASSES: Final[Mapping[str, KafkaClass]] = {
    "String": KafkaClass(Types.STRING(), _read_text, _write_text),
    "ByteArray": _bytes("ByteArray"),
    "ByteBuffer": _bytes("ByteBuffer"),
    "Bytes": _bytes("Bytes"),
    "Short": _number("Short", "h", Types.SHORT(), _WHOLE),
    "Integer": _number("Integer", "i", Types.INT(), _WHOLE),
    "Long": _number("Long", "q", Types.LONG(), _WHOLE),
    "Float": _number("Float", "f", Types.FLOAT(), _REAL),
    "Double": _number("Double", "d", Types.DOUBLE(), attrs.evolve(_REAL, convert=_one_nan)),
    "Boolean": KafkaClass(Types.BOOLEAN(), lambda _: _read_boolean, lambda _: _write_boolean),
    "UUID": KafkaClass(Types.GENERIC(uuid.UUID), _read_uuid, _write_uuid),
    "Void": KafkaClass(Types.VOID(), _void("Deserializer"), _void("Serializer")),
}
