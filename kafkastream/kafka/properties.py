"""Translation of Java client properties, as Flink jobs set them, to librdkafka's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.kafka.configuration import require_provider
from kafkastream.kafka.security import security_properties
from kafkastream.kafka.untranslated import LOOK_UPS, SINK, report_untranslated
from kafkastream.secret_masking import redacted

__all__ = [
    "STATISTICS_INTERVAL",
    "TRANSLATED",
    "TransactionProperties",
    "client_properties",
    "consumer_properties",
    "producer_properties",
    "request_timeout_s",
    "transactional_properties",
    "whole_number",
]

_SINK_PROPERTIES = "KafkaSink properties"


def _unchanged(number: int) -> int:
    return number


@final
@attrs.frozen
class _Counterpart:
    """Properties of librdkafka for a Java property; ``number`` converts the value if the units differ."""

    names: tuple[str, ...]
    number: Callable[[int], int] | None = None

    def translate(self, key: str, value: str) -> dict[str, str]:
        text = value if self.number is None else str(self.number(whole_number(key, value)))
        return dict.fromkeys(self.names, text)


def _same_names(*keys: str) -> dict[str, _Counterpart]:
    return {key: _Counterpart((key,)) for key in keys}


_EVERY_CLIENT: Mapping[str, _Counterpart] = {
    **_same_names("bootstrap.servers", "client.dns.lookup", "client.id", "client.rack", "connections.max.idle.ms"),
    **_same_names("enable.metrics.push", "group.id", "isolation.level"),
    **_same_names("metadata.recovery.rebootstrap.trigger.ms", "metadata.recovery.strategy"),
    **_same_names("reconnect.backoff.max.ms", "reconnect.backoff.ms", "retry.backoff.max.ms", "retry.backoff.ms"),
    **_same_names("socket.connection.setup.timeout.ms"),
    "metadata.max.age.ms": _Counterpart(("metadata.max.age.ms", "topic.metadata.refresh.interval.ms")),
    "receive.buffer.bytes": _Counterpart(("socket.receive.buffer.bytes",), lambda size: max(0, size)),
    "send.buffer.bytes": _Counterpart(("socket.send.buffer.bytes",), lambda size: max(0, size)),
}
_CONSUMERS: Mapping[str, _Counterpart] = {
    **_same_names("check.crcs", "fetch.max.bytes", "fetch.min.bytes", "max.partition.fetch.bytes"),
    "fetch.max.wait.ms": _Counterpart(("fetch.wait.max.ms",), _unchanged),
}
_CONSUMER_DEFAULTS = {
    "isolation.level": "read_uncommitted",  # Java's; librdkafka's is read_committed
    "fetch.wait.max.ms": "500",
    # librdkafka's default of 1 s after its queue was full is longer than the queue takes to be processed
    "fetch.queue.backoff.ms": "10",
    # small requests must not wait for an acknowledgement (Nagle's algorithm)
    "socket.nagle.disable": "true",
}
_CONSUMER_FORCED = {
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "max.poll.interval.ms": "86400000",  # nobody polls between epochs
    "enable.partition.eof": "true",  # reports positions after transaction markers, at which there is no record
}
_PRODUCERS: Mapping[str, _Counterpart] = {
    **_same_names("acks", "compression.type", "delivery.timeout.ms", "enable.idempotence", "linger.ms"),
    **_same_names("max.in.flight.requests.per.connection", "request.timeout.ms", "retries"),
    "batch.size": _Counterpart(("batch.size",), lambda size: max(1, size)),
    "buffer.memory": _Counterpart(("queue.buffering.max.kbytes",), lambda size: max(1, size // 1024)),
    "max.block.ms": _Counterpart(("topic.metadata.propagation.max.ms",), _unchanged),
    "max.request.size": _Counterpart(("message.max.bytes",), _unchanged),
}
# Java's defaults instead of librdkafka's: equal keys must go to the partitions where Flink and Spark put them, and
# deliveries must fail as soon. Except for batch.size: Java's 16 KiB halve the throughput here, and librdkafka's 1 MB is
# no faster than 64 KiB, but is refused by topics with a smaller max.message.bytes, since librdkafka splits no batches.
_PRODUCER_DEFAULTS = {
    "batch.size": "65536",
    "partitioner": "murmur2_random",
    "delivery.timeout.ms": "120000",
    "message.max.bytes": "1048576",
    "linger.ms": "20",
    "queue.buffering.max.messages": "0",
    "queue.buffering.max.kbytes": "131072",
    "max.in.flight.requests.per.connection": "5",
    "socket.nagle.disable": "true",  # as Java: a small request does not wait for the previous response
}
_TRANSACTION_TIMEOUT_MS = "300000"
"""Flink's hour is more than brokers allow by default. Here it only limits how long readers wait for a dead job."""
_MAX_BLOCK_MS = "60000"
_EXACTLY_ONCE_FORCED = {"acks": ("all", "-1"), "enable.idempotence": ("true",)}
STATISTICS_INTERVAL = "statistics.interval.ms"
"""Interval of a producer's statistics in ms; set only where its metrics are registered."""
_ACKS = ("all", "-1", "0", "1")
_MOST_IN_FLIGHT_AND_IN_ORDER = 5
_LEVELS = {"gzip": range(-1, 10), "lz4": range(-1, 13), "zstd": range(-1, 13)}
"""Levels that librdkafka supports; Java's zstd has higher levels, which take longer and save little."""

TRANSLATED = frozenset({*_EVERY_CLIENT, *_PRODUCERS, *(f"compression.{codec}.level" for codec in _LEVELS)})
"""Java client properties with a counterpart in librdkafka, apart from security."""


def client_properties(java: Mapping[str, str]) -> dict[str, str]:
    """Return the properties of any librdkafka client, by librdkafka's names; untranslated ones are logged once.

    A source's ``client.id.prefix`` names the client as Flink's enumerator does.

    Raises:
        DefinitionError: Java's client would not accept a value.
        UnsupportedFeatureError: The security settings work in Java only.
    """
    _check_look_ups(java)
    return {**_translate(java, _EVERY_CLIENT), **_client_id(java, "-enumerator-admin-client"), **_security(java)}


def consumer_properties(java: Mapping[str, str], *, loses: bool) -> dict[str, str]:
    """Return all properties of a librdkafka consumer that is assigned partitions; untranslated ones are logged once.

    Args:
        java: Properties of a source, by Java's names.
        loses: Whether it continues with the oldest record if unread records were deleted; otherwise it fails.

    Raises:
        DefinitionError: Java's client would not accept a value.
        UnsupportedFeatureError: The security settings work in Java only.
    """
    _check_look_ups(java)
    return {
        **_CONSUMER_DEFAULTS,
        **_client_id(java),
        **_translate(java, {**_EVERY_CLIENT, **_CONSUMERS}),
        **_security(java),
        **_CONSUMER_FORCED,
        "auto.offset.reset": "earliest" if loses else "error",
    }


def _check_look_ups(java: Mapping[str, str]) -> None:
    _refuse_indirection(java)
    report_untranslated(java, LOOK_UPS, TRANSLATED)


def _client_id(java: Mapping[str, str], suffix: str = "") -> dict[str, str]:
    """Return the ``client.id`` of a source with ``client.id.prefix``."""
    prefix = java.get("client.id.prefix")
    return {} if prefix is None else {"client.id": f"{prefix}{suffix}"}


def producer_properties(java: Mapping[str, str]) -> dict[str, str]:
    """Return all properties of a librdkafka producer, by librdkafka's names; untranslated ones are logged once.

    Raises:
        UnsupportedFeatureError: A custom partitioner is set, or security settings that work in Java only.
        DefinitionError: Java's producer refuses a value, or a combination of values.
    """
    _refuse_indirection(java)
    _refuse_partitioner(java)
    report_untranslated(java, SINK, TRANSLATED)
    translated = _translate(java, {**_EVERY_CLIENT, **_PRODUCERS})
    translated.pop("group.id", None)
    translated.pop("isolation.level", None)
    return {
        **_PRODUCER_DEFAULTS,
        **translated,
        **_compression_level(java),
        **_security(java),
        "enable.idempotence": "true" if _is_idempotent(java) else "false",
        **({STATISTICS_INTERVAL: "200"} if _registers_metrics(java) else {}),
    }


def _registers_metrics(java: Mapping[str, str]) -> bool:
    """Return whether the producer's metrics are registered (``register.producer.metrics`` of Flink's KafkaSink)."""
    return (
        java.get("register.producer.metrics", "true").lower() == "true"
        and java.get("flink.disable-metrics", "false").lower() != "true"
    )


@final
@attrs.frozen
class TransactionProperties:
    """Properties of a sink that writes transactions.

    Args:
        producer: Properties of the producers.
        client: Properties of the other clients.
        patience_s: Time in seconds for which a request is retried (``max.block.ms``).
    """

    producer: Mapping[str, str]
    client: Mapping[str, str] = attrs.field(repr=redacted)
    patience_s: float

    @property
    def timeout_ms(self) -> int:
        """Time in ms after which brokers abort an open transaction (``transaction.timeout.ms``)."""
        return int(self.producer["transaction.timeout.ms"])


def transactional_properties(java: Mapping[str, str]) -> TransactionProperties:
    """Return the properties of a sink that writes transactions, by librdkafka's names; untranslated ones are logged
    once.

    Raises:
        DefinitionError: A value contradicts EXACTLY_ONCE, or Java's producer refuses it.
        UnsupportedFeatureError: As in ``producer_properties``.
    """
    for key, forced in _EXACTLY_ONCE_FORCED.items():
        if java.get(key, forced[0]).lower() not in forced:
            raise DefinitionError(
                f"EXACTLY_ONCE needs {key} = {forced[0]}, not {java[key]!r}",
                where=_SINK_PROPERTIES,
                now=f"Leave {key} out, or choose AT_LEAST_ONCE.",
            )
    if "transactional.id" in java:
        raise DefinitionError(
            "transactional.id cannot be set: the sink chooses it",
            where=_SINK_PROPERTIES,
            now="Leave it out; set_transactional_id_prefix says how the sink's transactions are named.",
        )
    timeout = java.get("transaction.timeout.ms", _TRANSACTION_TIMEOUT_MS)
    translated = producer_properties({**java, "enable.idempotence": "true"})
    longest = min(int(translated["delivery.timeout.ms"]), whole_number("transaction.timeout.ms", timeout))
    return TransactionProperties(
        producer={**translated, "transaction.timeout.ms": timeout, "delivery.timeout.ms": str(longest)},
        client=client_properties(java),
        patience_s=whole_number("max.block.ms", java.get("max.block.ms", _MAX_BLOCK_MS)) / 1000,
    )


def _is_idempotent(java: Mapping[str, str]) -> bool:
    """Return whether Java's producer would be idempotent: by default, unless other settings exclude it (ProducerConfig,
    4.2).

    Without idempotence a retried request may write its records twice, and out of order.
    """
    requested = java.get("enable.idempotence", "").lower()
    acks = java.get("acks", "all").lower()
    if acks not in _ACKS:
        raise DefinitionError(f"acks = {acks!r} is not one of {', '.join(_ACKS)}", where=_SINK_PROPERTIES)
    if requested == "false":
        return False
    in_flight = java.get("max.in.flight.requests.per.connection", "5")
    if whole_number("max.in.flight.requests.per.connection", in_flight) > _MOST_IN_FLIGHT_AND_IN_ORDER:
        raise DefinitionError(
            f"an idempotent producer has at most {_MOST_IN_FLIGHT_AND_IN_ORDER} requests in flight, "
            f"max.in.flight.requests.per.connection is {in_flight}",
            where=_SINK_PROPERTIES,
            now="Lower it, or set enable.idempotence = false and accept repeats and changes of order.",
        )
    excluded = [key for key, value in (("acks", acks in ("0", "1")), ("retries", java.get("retries") == "0")) if value]
    if excluded and requested == "true":
        raise DefinitionError(
            f"an idempotent producer cannot have {excluded[0]} = {java[excluded[0]]}",
            where=_SINK_PROPERTIES,
            now=f"Leave out enable.idempotence, or {excluded[0]}.",
        )
    return not excluded


def _translate(java: Mapping[str, str], table: Mapping[str, _Counterpart]) -> dict[str, str]:
    translated: dict[str, str] = {}
    for key, row in table.items():
        if key in java:
            translated |= row.translate(key, java[key])
    return translated


def request_timeout_s(java: Mapping[str, str]) -> float:
    """Return the time in seconds for which the driver waits for brokers: ``default.api.timeout.ms``, or 20 s.

    Raises:
        DefinitionError: The value is not a number.
    """
    return whole_number("default.api.timeout.ms", java.get("default.api.timeout.ms", "20000")) / 1000


def whole_number(key: str, text: str) -> int:
    """Return the value of an integer property.

    Raises:
        DefinitionError: The value is not an integer.
    """
    try:
        return int(text)
    except ValueError:
        raise DefinitionError(f"Property {key} = {text!r} is not a whole number", where="Kafka properties") from None


def _compression_level(java: Mapping[str, str]) -> dict[str, str]:
    """Return the level of the selected compression; Java has a property for each codec."""
    codec = java.get("compression.type", "none").lower()
    key = f"compression.{codec}.level"
    if codec not in _LEVELS or key not in java:
        return {}
    levels = _LEVELS[codec]
    return {"compression.level": str(min(max(whole_number(key, java[key]), levels[0]), levels[-1]))}


def _security(java: Mapping[str, str]) -> dict[str, str]:
    translated = security_properties(java) if "security.protocol" in java else {}
    if "sasl.mechanism" in translated:
        require_provider(translated["sasl.mechanism"])
    return translated


def _refuse_partitioner(java: Mapping[str, str]) -> None:
    chosen = {"partitioner.class": None, "partitioner.ignore.keys": "false"}
    for key, harmless in chosen.items():
        if key in java and java[key].lower() != harmless:
            raise UnsupportedFeatureError(
                f"{key} = {java[key]} cannot run outside the Java client",
                where=_SINK_PROPERTIES,
                now="Leave it out: keys are partitioned as Java's default partitioner does; or set_partitioner takes another.",
            )


def _refuse_indirection(java: Mapping[str, str]) -> None:
    if "config.providers" in java:
        raise UnsupportedFeatureError(
            "config.providers cannot run outside the Java client",
            where="Kafka properties",
            now="Give the values themselves, read by the program from where they are kept.",
        )
