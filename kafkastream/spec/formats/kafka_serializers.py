"""The serializers that ship with Kafka's Java client, by their class names."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any, Final, final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.spec.formats.schema import SerializationSchema
from kafkastream.spec.values import FrozenMap

__all__ = ["KafkaSerializerSchema"]

_PACKAGE = "org.apache.kafka.common.serialization."
_SERIALIZERS: Final[Mapping[str, Callable[[Any], bytes]]] = {
    "StringSerializer": str.encode,
    "LongSerializer": struct.Struct(">q").pack,
    "ByteArraySerializer": bytes,
}


@final
@attrs.frozen
class KafkaSerializerSchema(SerializationSchema[Any]):
    """A serializer of Kafka's Java client. A stand-in: the real one takes its place at merge."""

    class_name: str
    config: FrozenMap[str, str] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, str])
    is_key: bool = False

    def __attrs_post_init__(self) -> None:
        if self.class_name.removeprefix(_PACKAGE) not in _SERIALIZERS:
            raise UnsupportedFeatureError(f"the serializer class {self.class_name!r} is not to be had here")

    def serialize(self, element: Any) -> bytes | None:
        """The bytes of ``element``; None for None."""
        return None if element is None else _SERIALIZERS[self.class_name.removeprefix(_PACKAGE)](element)
