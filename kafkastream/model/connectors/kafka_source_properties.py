"""Properties of a ``KafkaSource`` that Flink, Spark or this package reads, and checks of their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

__all__ = [
    "AUTO_COMMIT_INTERVAL",
    "CHECK_DUPLICATED_GROUP",
    "DISCOVERY_INTERVAL",
    "SPARK_PREFIX",
    "is_true",
    "property_problems",
]

_BYTE_ARRAY_DESERIALIZER = "org.apache.kafka.common.serialization.ByteArrayDeserializer"
DISCOVERY_INTERVAL = "partition.discovery.interval.ms"
CHECK_DUPLICATED_GROUP = "check.duplicated.group.id"
"""Property of the tables' option ``scan.check.duplicated.group.id``, which Alibaba Cloud has and Flink lacks."""
SPARK_PREFIX = "spark."
_SPARK_OPTIONS = frozenset(
    {
        "failOnDataLoss",
        "fetchOffset.numRetries",
        "fetchOffset.retryIntervalMs",
        "kafkaConsumer.pollTimeoutMs",
        "maxOffsetsPerTrigger",
        "maxTriggerDelay",
        "minOffsetsPerTrigger",
    }
)
"""The options of Spark's Kafka source that change no result: how much at once, how patient, what to do about lost data."""
AUTO_COMMIT_INTERVAL = "auto.commit.interval.ms"


def property_problems(properties: Mapping[str, str]) -> Iterable[str]:
    """Yield a sentence for each property with a value that cannot be used."""
    for side in ("key", "value"):
        given = properties.get(f"{side}.deserializer", _BYTE_ARRAY_DESERIALIZER)
        if given != _BYTE_ARRAY_DESERIALIZER:
            yield f"{side}.deserializer = {given} does not deserialize byte[]; leave it out, the schema decodes"
    for key in (DISCOVERY_INTERVAL, AUTO_COMMIT_INTERVAL):
        interval = properties.get(key)
        if interval is not None and not re.fullmatch(r"[+-]?\d+", interval.strip()):
            yield f"Property {key} = {interval!r} is not a number of milliseconds"
    for key in properties:
        if key.startswith(SPARK_PREFIX) and key.removeprefix(SPARK_PREFIX) not in _SPARK_OPTIONS:
            known = ", ".join(sorted(SPARK_PREFIX + option for option in _SPARK_OPTIONS))
            yield f"Property {key} is not an option of Spark's Kafka source that can be set here; supported are {known}"
    for key in (
        "enable.auto.commit",
        "commit.offsets.on.checkpoint",
        "register.consumer.metrics",
        CHECK_DUPLICATED_GROUP,
    ):
        value = properties.get(key)
        if value is not None and value.lower() not in {"true", "false"}:
            yield f"Property {key} = {value!r} is neither true nor false"


def is_true(text: str) -> bool:
    """Return whether a property is true, as Java reads it."""
    return text.lower() == "true"
