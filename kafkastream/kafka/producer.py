"""Producer, kept in a Python worker between tasks, that reports records that were not delivered."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import repeat
from threading import Lock, Thread
from typing import Any, NamedTuple, cast, final
from weakref import WeakSet

from confluent_kafka import KafkaError as ClientError
from confluent_kafka import KafkaException, Message, Producer

from kafkastream.errors import DeliveryError
from kafkastream.kafka.client_log import CLIENT_LOG
from kafkastream.kafka.configuration import translate_refused_property
from kafkastream.kafka.properties import STATISTICS_INTERVAL
from kafkastream.kafka.refusals import Refusals
from kafkastream.kafka.statistics import ProducerStatistics
from kafkastream.model.connectors.record_deserialization import Headers

__all__ = ["BY_KEY", "RecordProducer", "Records"]

BY_KEY = -1
"""Partition number for Kafka's own partitioner: by the key, or any partition without a key."""

_POLL_S = 0.1
_FLUSH_S = 0.5
_METADATA_TIMEOUT_S = 2.0
_IDLE_POLL_S = 1.0
_SHOWN_BYTES = 100
_MAX_BLOCK_MS = "30000"  # librdkafka's default for the counterpart of Java's max.block.ms
_NO_SUCH_TOPIC = frozenset({"TOPIC_EXCEPTION", "UNKNOWN_TOPIC_OR_PART"})
_NO_LEADER_YET = frozenset({"LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PART", "_TIMED_OUT", "_TRANSPORT"})


class Records(NamedTuple):
    """Batch of records, column by column; ``values`` has the length, other columns may be endless.

    Args:
        topics: Topic of each record.
        values: Bytes, text that is written as UTF-8, or None for a tombstone.
        keys: Bytes, text that is written as UTF-8, or None for no key.
        partitions: Partition of each record, or ``BY_KEY``.
        timestamps: Timestamp of each record in ms; 0 for the time of writing.
        headers: Headers of each record; None if no record has any.
    """

    topics: Iterable[str]
    values: Sequence[bytes | str | None]
    keys: Iterable[bytes | str | None]
    partitions: Iterable[int]
    timestamps: Iterable[int]
    headers: Iterable[Headers] | None = None

    @property
    def number(self) -> int:
        """Number of records."""
        return len(self.values)

    @property
    def payload_bytes(self) -> int:
        """Number of bytes of all values and keys."""
        return _count_bytes(self.values) + (0 if isinstance(self.keys, repeat) else _count_bytes(self.keys))


def _count_bytes(texts: Iterable[bytes | str | None]) -> int:
    """Return the number of bytes of texts; a column of strings only is measured in one call."""
    present = [text for text in texts if text is not None]
    if set(map(type, present)) == {str}:
        text_of_all = "".join(cast("list[str]", present))
        return len(text_of_all) if text_of_all.isascii() else len(text_of_all.encode())
    return sum(len(text.encode()) if isinstance(text, str) else len(text) for text in present)


@final
class RecordProducer:
    """Producer that raises the first failed delivery at the next ``check`` or ``flush``.

    Args:
        properties: Properties from ``producer_properties``.
        name: Name of the sink, for errors.
        statistics: Receives the client's statistics; shared with the sink's earlier producers.

    Raises:
        DefinitionError: Kafka's client refuses a property.
    """

    def __init__(self, properties: Mapping[str, str], name: str, statistics: ProducerStatistics | None = None) -> None:
        self._name = name
        self._servers = properties["bootstrap.servers"]
        self._patience_s = int(properties.get("topic.metadata.propagation.max.ms", _MAX_BLOCK_MS)) / 1000
        self._partitions: dict[str, list[int]] = {}
        self._failure: DeliveryError | None = None
        self._fatal: KafkaException | None = None
        self._refusals = Refusals(f"sink {name!r}, bootstrap.servers {self._servers}")
        self.statistics = statistics or ProducerStatistics()
        # reports of failures only: a report per record would double the cost of a record
        reports = {"on_delivery": self._record_failure, "delivery.report.only.error": True, "error_cb": self._refusals}
        reports["stats_cb"] = self.statistics
        with translate_refused_property(f"sink {name!r}"):
            self.client = Producer({**properties, **reports, "log_level": 0}, logger=CLIENT_LOG)
        if STATISTICS_INTERVAL in properties:
            _IDLE.add(self)

    def send(self, records: Records) -> None:
        """Pass records to the client.

        Raises:
            DeliveryError: A record of this batch or an earlier one was not delivered.
        """
        produce = self.client.produce
        for arguments in _produce_arguments(records):
            try:
                produce(*arguments)
            except BufferError:
                self._produce_when_buffer_has_room(*arguments)
            except KafkaException as error:
                raise self._delivery_error(error.args[0], *arguments[:2]) from None
        self.check()

    def partitions_of(self, topic: str) -> list[int]:
        """Return the numbers of a topic's partitions, in ascending order; cached after the first request.

        Raises:
            DeliveryError: The topic does not exist, or the brokers do not answer.
            AuthenticationError: The brokers refuse the credentials.
        """
        if topic not in self._partitions:
            partitions = self._list_partitions(topic)
            if isinstance(partitions, ClientError):
                raise self._delivery_error(partitions, topic)
            self._partitions[topic] = partitions
        return self._partitions[topic]

    def knows(self, topic: str) -> bool:
        """Return whether a topic exists; the request may make the brokers create it (``auto.create.topics.enable``).

        Raises:
            DeliveryError: The brokers do not answer.
            AuthenticationError: The brokers refuse the credentials.
        """
        partitions = self._list_partitions(topic)
        if isinstance(partitions, ClientError) and partitions.name() not in _NO_SUCH_TOPIC:
            raise self._delivery_error(partitions, topic)
        return not isinstance(partitions, ClientError)

    def check(self) -> None:
        """Process delivery reports and errors that have arrived.

        Raises:
            DeliveryError: A record was not delivered.
            AuthenticationError: The brokers refuse the credentials.
            KafkaException: The client has failed fatally.
        """
        self.drain_events()
        if self._fatal is not None:
            raise self._fatal
        self._refusals.check()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def drain_events(self) -> None:
        """Process the client's events without raising; a fatal error, which librdkafka reports once, is kept for ``check``."""
        try:
            self.client.poll(0)
        except KafkaException as fatal:
            self._fatal = fatal

    def flush(self) -> None:
        """Wait until every record is delivered, or has failed (after ``delivery.timeout.ms``).

        Raises:
            DeliveryError: A record was not delivered.
            AuthenticationError: The brokers refuse the credentials.
        """
        while self.client.flush(_FLUSH_S):
            self._refusals.check()
        self.check()

    def _list_partitions(self, topic: str) -> list[int] | ClientError:
        """Return the partitions of a topic, or the error; retries, since a topic that is just created has no leaders yet."""
        deadline = time.monotonic() + self._patience_s
        while True:
            try:
                metadata = self.client.list_topics(topic, _METADATA_TIMEOUT_S).topics[topic]
                error = metadata.error
            except KafkaException as exception:
                error = exception.args[0]
            if error is None:
                return sorted(metadata.partitions)
            self.check()
            if error.name() not in _NO_LEADER_YET or time.monotonic() > deadline:
                return cast("ClientError", error)
            time.sleep(_POLL_S)

    def _produce_when_buffer_has_room(self, *arguments: Any) -> None:
        """Retry until the client's full buffer has room, as records are delivered or fail."""
        while True:
            self.client.poll(_POLL_S)
            self.check()
            with suppress(BufferError):
                return self.client.produce(*arguments)

    def _record_failure(self, error: ClientError | None, message: Message) -> None:
        if error is not None and self._failure is None:
            self._failure = self._delivery_error(error, message.topic(), message.value())

    def _delivery_error(self, error: ClientError, topic: str | None, value: bytes | str | None = None) -> DeliveryError:
        record = "" if value is None else f"record {_value_text(value)}, "
        return DeliveryError(
            f"sink {self._name!r} could not write a record: {error.str()}",
            where=f"topic {topic}, {record}bootstrap.servers {self._servers}",
            now=_ADVICE.get(error.name(), "Records written before it stay written."),
        )


@final
class _IdleProducers:
    """Thread that polls producers while no task uses them: unread statistics would fill a GB of memory in a day."""

    def __init__(self) -> None:
        self._producers: WeakSet[RecordProducer] = WeakSet()
        self._lock = Lock()
        self._thread: Thread | None = None

    def add(self, producer: RecordProducer) -> None:
        """Poll a producer as long as it exists."""
        with self._lock:
            self._producers.add(producer)
            if self._thread is None:
                self._thread = Thread(target=self._poll_forever, name="kafkastream-statistics", daemon=True)
                self._thread.start()

    def _poll_forever(self) -> None:
        while True:
            time.sleep(_IDLE_POLL_S)
            with self._lock:
                producers = list(self._producers)
            while producers:
                producers.pop().drain_events()


_IDLE = _IdleProducers()


def _produce_arguments(records: Records) -> Iterator[tuple[Any, ...]]:
    """Yield the positional arguments of ``produce`` for each record; headers cost as much as all others together."""
    no_callback = repeat(None)
    columns = (*records[:4], no_callback, no_callback, records.timestamps)
    if records.headers is None:
        return zip(*columns, strict=False)
    return zip(*columns, map(list, records.headers), strict=False)


def _value_text(value: bytes | str) -> str:
    start = value[:_SHOWN_BYTES].encode() if isinstance(value, str) else value[:_SHOWN_BYTES]
    return f"{start!r} …" if len(value) > _SHOWN_BYTES else repr(start)


_ADVICE = {
    "UNKNOWN_TOPIC_OR_PART": "Create the topic, or check its name.",
    "_UNKNOWN_TOPIC": "Create the topic, or check its name.",
    "MSG_SIZE_TOO_LARGE": "Raise max.request.size at the sink and max.message.bytes at the topic, or write less. "
    "Small records that are refused as a batch need a batch.size below max.message.bytes.",
    "_MSG_TIMED_OUT": "Check that the brokers run; delivery.timeout.ms says how long a record is tried.",
    "TOPIC_AUTHORIZATION_FAILED": "Grant Write on the topic to the sink's principal.",
}
