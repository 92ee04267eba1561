"""Producer that lives in a Python worker between tasks, and reports records that were not delivered."""

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
from kafkastream.kafka.configuration import refused_properties
from kafkastream.kafka.properties import STATISTICS_INTERVAL
from kafkastream.kafka.refusals import Refusals
from kafkastream.kafka.statistics import ProducerStatistics
from kafkastream.model.connectors.record_deserialization import Headers

__all__ = ["BY_KEY", "RecordProducer", "Records"]

BY_KEY = -1
"""The partition that Kafka's own partitioner gives: the key's, or any when there is none."""

_POLL_S = 0.1
_FLUSH_S = 0.5
_ASK_S = 2.0
_HEAR_S = 1.0
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
        return _bytes_of(self.values) + (0 if isinstance(self.keys, repeat) else _bytes_of(self.keys))


def _bytes_of(texts: Iterable[bytes | str | None]) -> int:
    """Return the number of bytes; a column of one type, as most are, is measured in one call."""
    present = [text for text in texts if text is not None]
    if set(map(type, present)) == {str}:
        whole = "".join(cast("list[str]", present))
        return len(whole) if whole.isascii() else len(whole.encode())
    return sum(len(text.encode()) if isinstance(text, str) else len(text) for text in present)


@final
class RecordProducer:
    """Producer whose first failed delivery is kept and raised by the next ``check`` or ``flush``.

    Args:
        properties: Properties from ``producer_properties``.
        name: Name of the sink, for errors.
        statistics: Takes the client's statistics, as those of earlier producers.

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
        # Reports of failures only: one report per record would double the cost of a record.
        reports = {"on_delivery": self._remember, "delivery.report.only.error": True, "error_cb": self._refusals}
        reports["stats_cb"] = self.statistics
        with refused_properties(f"sink {name!r}"):
            self.client = Producer({**properties, **reports, "log_level": 0}, logger=CLIENT_LOG)
        if STATISTICS_INTERVAL in properties:
            _IDLE.add(self)

    def send(self, records: Records) -> None:
        """Pass records to the client.

        Raises:
            DeliveryError: A record of this batch or an earlier one was not delivered.
        """
        produce = self.client.produce
        for arguments in _arguments(records):
            try:
                produce(*arguments)
            except BufferError:
                self._produce_when_there_is_room(*arguments)
            except KafkaException as error:
                raise self._undelivered(error.args[0], *arguments[:2]) from None
        self.check()

    def partitions_of(self, topic: str) -> list[int]:
        """Return the numbers of a topic's partitions, in ascending order; the brokers are asked once.

        Raises:
            DeliveryError: The topic does not exist, or the brokers do not answer.
            AuthenticationError: The brokers refuse the credentials.
        """
        if topic not in self._partitions:
            found = self._asked_partitions(topic)
            if isinstance(found, ClientError):
                raise self._undelivered(found, topic)
            self._partitions[topic] = found
        return self._partitions[topic]

    def knows(self, topic: str) -> bool:
        """Return whether a topic exists, or is created by the brokers because it is asked for.

        Raises:
            DeliveryError: The brokers do not answer the question.
            AuthenticationError: The brokers refuse the credentials.
        """
        found = self._asked_partitions(topic)
        if isinstance(found, ClientError) and found.name() not in _NO_SUCH_TOPIC:
            raise self._undelivered(found, topic)
        return not isinstance(found, ClientError)

    def check(self) -> None:
        """Process the answers of the brokers that have arrived.

        Raises:
            DeliveryError: A record was not delivered.
            AuthenticationError: The brokers refuse the credentials.
            KafkaException: The client has failed for good.
        """
        self.hear()
        if self._fatal is not None:
            raise self._fatal
        self._refusals.check()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def hear(self) -> None:
        """Process the client's events without raising; a fatal error, which is reported only once, is kept for
        ``check``.
        """
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

    def _asked_partitions(self, topic: str) -> list[int] | ClientError:
        """Return the partitions of a topic, or the error; a topic that is just being created has no leaders for a
        moment.
        """
        deadline = time.monotonic() + self._patience_s
        while True:
            try:
                found = self.client.list_topics(topic, _ASK_S).topics[topic]
                error = found.error
            except KafkaException as exception:
                error = exception.args[0]
            if error is None:
                return sorted(found.partitions)
            self.check()
            if error.name() not in _NO_LEADER_YET or time.monotonic() > deadline:
                return cast("ClientError", error)
            time.sleep(_POLL_S)

    def _produce_when_there_is_room(self, *arguments: Any) -> None:
        """Retry after the client's buffer was full; it empties as records are delivered, or fail."""
        while True:
            self.client.poll(_POLL_S)
            self.check()
            with suppress(BufferError):
                return self.client.produce(*arguments)

    def _remember(self, error: ClientError | None, message: Message) -> None:
        if error is not None and self._failure is None:
            self._failure = self._undelivered(error, message.topic(), message.value())

    def _undelivered(self, error: ClientError, topic: str | None, value: bytes | str | None = None) -> DeliveryError:
        record = "" if value is None else f"record {_shown(value)}, "
        return DeliveryError(
            f"sink {self._name!r} could not write a record: {error.str()}",
            where=f"topic {topic}, {record}bootstrap.servers {self._servers}",
            now=_ADVICE.get(error.name(), "Records written before it stay written."),
        )


@final
class _IdleProducers:
    """Thread that polls producers while no task uses them: their statistics would take up a GB of memory in a day."""

    def __init__(self) -> None:
        self._producers: WeakSet[RecordProducer] = WeakSet()
        self._lock = Lock()
        self._thread: Thread | None = None

    def add(self, producer: RecordProducer) -> None:
        """Poll ``producer``, too, for as long as it lives."""
        with self._lock:
            self._producers.add(producer)
            if self._thread is None:
                self._thread = Thread(target=self._hear, name="kafkastream-statistics", daemon=True)
                self._thread.start()

    def _hear(self) -> None:
        while True:
            time.sleep(_HEAR_S)
            with self._lock:
                producers = list(self._producers)
            while producers:
                producers.pop().hear()


_IDLE = _IdleProducers()


def _arguments(records: Records) -> Iterator[tuple[Any, ...]]:
    """Yield the positional arguments of the client's ``produce`` for each record; headers cost about as much as all
    else.
    """
    no_callback = repeat(None)
    columns = (*records[:4], no_callback, no_callback, records.timestamps)
    if records.headers is None:
        return zip(*columns, strict=False)
    return zip(*columns, map(list, records.headers), strict=False)


def _shown(value: bytes | str) -> str:
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
