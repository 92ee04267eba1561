"""Java client properties, as Flink jobs give them, translated for librdkafka."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kafkastream.errors import UnsupportedFeatureError

__all__ = ["client_properties", "producer_properties"]

_SAME = frozenset(
    {
        "acks",
        "bootstrap.servers",
        "client.dns.lookup",
        "client.id",
        "client.rack",
        "compression.type",
        "connections.max.idle.ms",
        "delivery.timeout.ms",
        "enable.idempotence",
        "group.id",
        "isolation.level",
        "linger.ms",
        "max.in.flight.requests.per.connection",
        "metadata.max.age.ms",
        "reconnect.backoff.max.ms",
        "reconnect.backoff.ms",
        "request.timeout.ms",
        "retries",
        "retry.backoff.max.ms",
        "retry.backoff.ms",
        "security.protocol",
    }
)
_PRODUCER_ONLY = frozenset(
    {
        "acks",
        "batch.size",
        "compression.type",
        "delivery.timeout.ms",
        "enable.idempotence",
        "linger.ms",
        "max.in.flight.requests.per.connection",
        "buffer.memory",
        "request.timeout.ms",
        "retries",
    }
)
_RENAMED: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "batch.size": ("batch.size", lambda size: str(max(1, int(size)))),
    "buffer.memory": ("queue.buffering.max.kbytes", lambda size: str(max(1, int(size) // 1024))),
    "max.request.size": ("message.max.bytes", str),
    "receive.buffer.bytes": ("socket.receive.buffer.bytes", lambda size: str(max(0, int(size)))),
    "send.buffer.bytes": ("socket.send.buffer.bytes", lambda size: str(max(0, int(size)))),
}
# Java's partitioner, whatever librdkafka's own default: equal keys must land where Flink and Spark put them.
_PRODUCER_DEFAULTS = {
    "partitioner": "murmur2_random",
    "linger.ms": "20",
    "queue.buffering.max.messages": "0",
    "queue.buffering.max.kbytes": "131072",
}


def client_properties(java: Mapping[str, str]) -> dict[str, str]:
    """The properties that any librdkafka client understands, by librdkafka's names.

    Raises:
        UnsupportedFeatureError: The cluster asks for SASL or TLS.
    """
    _refuse_security(java)
    return {key: value for key, value in _translated(java).items() if key not in _PRODUCER_ONLY}


def producer_properties(java: Mapping[str, str]) -> dict[str, str]:
    """All properties of a librdkafka producer, by librdkafka's names.

    Raises:
        UnsupportedFeatureError: The cluster asks for SASL or TLS, or the producer for a partitioner of its own.
    """
    _refuse_security(java)
    if "partitioner.class" in java:
        raise UnsupportedFeatureError(
            f"partitioner.class = {java['partitioner.class']} cannot run outside the Java client",
            where="KafkaSink properties",
            now="Leave it out: keys are partitioned as Java's default partitioner does.",
        )
    translated = _translated(java)
    translated.pop("group.id", None)
    translated.pop("isolation.level", None)
    return {**_PRODUCER_DEFAULTS, **translated}


def _translated(java: Mapping[str, str]) -> dict[str, str]:
    same = {key: value for key, value in java.items() if key in _SAME}
    for key, value in java.items():
        if key in _RENAMED:
            name, convert = _RENAMED[key]
            same[name] = convert(value)
    return same


def _refuse_security(java: Mapping[str, str]) -> None:
    protocol = java.get("security.protocol", "PLAINTEXT")
    if protocol.upper() != "PLAINTEXT":
        raise UnsupportedFeatureError(
            f"security.protocol = {protocol} is not supported yet", now="PLAINTEXT listeners work."
        )
