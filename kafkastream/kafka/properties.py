"""Java client properties, as Flink jobs give them, translated for librdkafka."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kafkastream.errors import DefinitionError, UnsupportedFeatureError

__all__ = ["client_properties", "producer_properties", "whole_number"]

_PRODUCER = "KafkaSink properties"

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
_RENAMED: Mapping[str, tuple[str, Callable[[int], int]]] = {
    "batch.size": ("batch.size", lambda size: max(1, size)),
    "buffer.memory": ("queue.buffering.max.kbytes", lambda size: max(1, size // 1024)),
    "max.block.ms": ("topic.metadata.propagation.max.ms", lambda millis: millis),
    "max.request.size": ("message.max.bytes", lambda size: size),
    "receive.buffer.bytes": ("socket.receive.buffer.bytes", lambda size: max(0, size)),
    "send.buffer.bytes": ("socket.send.buffer.bytes", lambda size: max(0, size)),
}
# Java's, whatever librdkafka's own: equal keys must land where Flink and Spark put them, and failures come as soon.
_PRODUCER_DEFAULTS = {
    "partitioner": "murmur2_random",
    "delivery.timeout.ms": "120000",
    "message.max.bytes": "1048576",
    "linger.ms": "20",
    "queue.buffering.max.messages": "0",
    "queue.buffering.max.kbytes": "131072",
    "max.in.flight.requests.per.connection": "5",
}
_ACKS = ("all", "-1", "0", "1")
_MOST_IN_FLIGHT_AND_IN_ORDER = 5


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
        DefinitionError: Java's producer refuses a value, or two beside each other.
    """
    _refuse_security(java)
    if "partitioner.class" in java:
        raise UnsupportedFeatureError(
            f"partitioner.class = {java['partitioner.class']} cannot run outside the Java client",
            where=_PRODUCER,
            now="Leave it out: keys are partitioned as Java's default partitioner does.",
        )
    translated = _translated(java)
    translated.pop("group.id", None)
    translated.pop("isolation.level", None)
    return {**_PRODUCER_DEFAULTS, **translated, "enable.idempotence": "true" if _is_idempotent(java) else "false"}


def _is_idempotent(java: Mapping[str, str]) -> bool:
    """Whether Java's producer would be: by default, unless asked for what idempotence excludes (ProducerConfig, 4.2).

    Without it a retried request may write its records twice, and behind later ones.
    """
    wish = java.get("enable.idempotence", "").lower()
    acks = java.get("acks", "all").lower()
    if acks not in _ACKS:
        raise DefinitionError(f"acks = {acks!r} is none of {', '.join(_ACKS)}", where=_PRODUCER)
    if wish == "false":
        return False
    in_flight = java.get("max.in.flight.requests.per.connection", "5")
    if whole_number("max.in.flight.requests.per.connection", in_flight) > _MOST_IN_FLIGHT_AND_IN_ORDER:
        raise DefinitionError(
            f"an idempotent producer has at most {_MOST_IN_FLIGHT_AND_IN_ORDER} requests in flight, "
            f"max.in.flight.requests.per.connection is {in_flight}",
            where=_PRODUCER,
            now="Lower it, or set enable.idempotence = false and accept repeats and changes of order.",
        )
    excluded = [key for key, value in (("acks", acks in ("0", "1")), ("retries", java.get("retries") == "0")) if value]
    if excluded and wish == "true":
        raise DefinitionError(
            f"an idempotent producer cannot have {excluded[0]} = {java[excluded[0]]}",
            where=_PRODUCER,
            now=f"Leave out enable.idempotence, or {excluded[0]}.",
        )
    return not excluded


def _translated(java: Mapping[str, str]) -> dict[str, str]:
    same = {key: value for key, value in java.items() if key in _SAME}
    renamed = {name: convert(whole_number(key, java[key])) for key, (name, convert) in _RENAMED.items() if key in java}
    return {**same, **{name: str(value) for name, value in renamed.items()}}


def whole_number(key: str, text: str) -> int:
    """The value of a property that is a whole number.

    Raises:
        DefinitionError: It is none.
    """
    try:
        return int(text)
    except ValueError:
        raise DefinitionError(f"Property {key} = {text!r} is not a whole number", where="Kafka properties") from None


def _refuse_security(java: Mapping[str, str]) -> None:
    protocol = java.get("security.protocol", "PLAINTEXT")
    if protocol.upper() != "PLAINTEXT":
        raise UnsupportedFeatureError(
            f"security.protocol = {protocol} is not supported yet", now="PLAINTEXT listeners work."
        )
