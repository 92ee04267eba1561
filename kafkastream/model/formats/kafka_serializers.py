"""The serializers that ship with Kafka's Java client, by their class names."""

from __future__ import annotations

from typing import Any, final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.formats.kafka_classes import Write, charset_of, kafka_class
from kafkastream.model.formats.schema import SerializationSchema

__all__ = ["KafkaSerializerSchema"]


@final
@attrs.frozen
class KafkaSerializerSchema(SerializationSchema[Any]):
    r"""A serializer of Kafka's Java client, which writes the bytes that Java's would; None is written as null.

    Elements are those that the deserializer of the same name returns: ``str``, ``bytes``, ``int``, ``float``, ``bool`` or
    ``uuid.UUID``. A float is rounded to the 32 bits of ``FloatSerializer``.
    Differs from Java: a number that does not fit fails the job, as does a character that the encoding lacks, where Java
    writes ``?``; an int is taken for a float.

    Args:
        class_name: The whole name, such as ``org.apache.kafka.common.serialization.LongSerializer``.
        config: Its settings. ``key.serializer.encoding`` of a key's serializer and ``value.serializer.encoding`` of a
            value's win over ``serializer.encoding``; others are ignored.
        is_key: Whether it writes keys; Java's clients pass this to a serializer's ``configure``.

    Raises:
        UnsupportedFeatureError: The class is not part of Kafka, or not available.
        DefinitionError: The encoding is not known.

    Example:
        >>> KafkaSerializerSchema("org.apache.kafka.common.serialization.ShortSerializer").serialize(256)
        b'\x01\x00'
    """

    class_name: str
    config: FrozenMap[str, str] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, str])
    is_key: bool = False
    _write: Write = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        charset = charset_of(self.config, "Serializer", is_key=self.is_key)
        object.__setattr__(self, "_write", kafka_class(self.class_name, "Serializer").writer(charset))

    def serialize(self, element: Any) -> bytes | None:
        """Return the bytes of an element; null for None.

        Raises:
            TypeError: The serializer writes elements of another type.
            ValueError: The element does not fit.
        """
        return None if element is None else self._write(element)

    def __reduce__(self) -> tuple[type[KafkaSerializerSchema], tuple[str, FrozenMap[str, str], bool]]:
        return (type(self), (self.class_name, self.config, self.is_key))
