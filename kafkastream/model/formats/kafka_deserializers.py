"""The deserializers that ship with Kafka's Java client, by their class names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, final

import attrs

from kafkastream.model.common.types import TypeInformation
from kafkastream.model.formats.kafka_classes import FixedSize, charset_of, kafka_class

__all__ = ["FixedSize", "KafkaDeserializer", "kafka_deserializer"]


@final
@attrs.frozen
class KafkaDeserializer:
    """A deserializer: the type of its results, and its function of bytes that are not null."""

    type_info: TypeInformation[Any]
    deserialize: Callable[[bytes], Any]


def kafka_deserializer(class_name: str, config: Mapping[str, str]) -> KafkaDeserializer:
    r"""Return the counterpart of a class of Kafka's Java client, for values.

    Args:
        class_name: The whole name, such as ``org.apache.kafka.common.serialization.LongDeserializer``.
        config: Settings of the deserializer; only encodings are used.

    Raises:
        UnsupportedFeatureError: The class is not part of Kafka, or not available.
        DefinitionError: The encoding is not known.

    Example:
        >>> kafka_deserializer("org.apache.kafka.common.serialization.ShortDeserializer", {}).deserialize(b"\1\0")
        256
    """
    found = kafka_class(class_name, "Deserializer")
    return KafkaDeserializer(found.type_info, found.reader(charset_of(config, "Deserializer", is_key=False)))
