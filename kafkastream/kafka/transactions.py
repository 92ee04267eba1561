"""Exactly-once writing: records and the marker of their position become visible together, or not at all.

The input of a micro-batch is divided into *slots*: the partitions that it was read from. Each slot has a
``transactional.id`` and, under the same name, a consumer group whose committed offset is the slot's *marker*: the
position up to which its records have been written. Records and marker are written in one transaction, so a writer that
takes over a slot continues after the marker. No transaction has to outlive a process: an unfinished transaction is
aborted and written again.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent import futures
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeVar, final

import attrs
from confluent_kafka import KafkaException
from confluent_kafka import TopicPartition as ClientPartition

from kafkastream.errors import DeliveryError
from kafkastream.kafka.background import in_background
from kafkastream.kafka.groups import GroupConsumer
from kafkastream.kafka.producer import RecordProducer, Records
from kafkastream.kafka.properties import TransactionProperties
from kafkastream.kafka.statistics import ProducerStatistics

__all__ = ["Marker", "Slot", "SlotTakenError", "fence_writers", "set_markers"]

T = TypeVar("T")

_TRY_S = 2.0
_LATE_ANSWER_S = 3.0  # how long after its timeout a response may still arrive
_PAUSE_S = 0.1
_ABORT_S = 2.0
_MAX_PARALLEL_INITS = 8
_MOST_EAGER_BROKERS = 16
_brokers: dict[str, int] = {}
"""Number of brokers, by bootstrap.servers, once a slot has been opened there."""
_UNKNOWN_TOPIC = "UNKNOWN_TOPIC_OR_PART"
# coordinators that move, load or restart, and offsets of a transaction that is just ending
_TRANSIENT_ERRORS = frozenset(
    {
        "COORDINATOR_LOAD_IN_PROGRESS",
        "COORDINATOR_NOT_AVAILABLE",
        "CONCURRENT_TRANSACTIONS",
        "NOT_COORDINATOR",
        "UNSTABLE_OFFSET_COMMIT",
        _UNKNOWN_TOPIC,  # it may just have been created
        "_ALL_BROKERS_DOWN",
        "_TIMED_OUT",
        "_TRANSPORT",
        "_WAIT_COORD",
    }
)
# a newer producer with the same transactional.id has begun, or the transaction has timed out
_FENCED_ERRORS = frozenset(
    {
        "INVALID_PRODUCER_EPOCH",
        "INVALID_PRODUCER_ID_MAPPING",
        "INVALID_TXN_STATE",
        "PRODUCER_FENCED",
        "UNKNOWN_PRODUCER_ID",
        "_FENCED",
        "_STATE",
    }
)
_ADVICE = {
    _UNKNOWN_TOPIC: "Create the topic, or check its name.",
    "INVALID_TRANSACTION_TIMEOUT": "Lower transaction.timeout.ms at the sink, or raise the brokers' "
    "transaction.max.timeout.ms.",
    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED": "Grant Write and Describe on transactional ids with the sink's prefix.",
    "GROUP_AUTHORIZATION_FAILED": "Grant Read on groups with the sink's prefix: its progress is kept there.",
    "TOPIC_AUTHORIZATION_FAILED": "Grant Write and Read on the topic to the sink's principal.",
}


class SlotTakenError(Exception):
    """The transactional id can no longer be used: it is fenced, its transaction was aborted, or its client hangs.

    Not a mistake in the program: Spark retries the task, which opens a new slot and continues from the marker.
    """


class Marker(NamedTuple):
    """Position up to which a slot has been written: all micro-batches before ``batch``, and in ``batch`` all records
    before ``offset``.

    Example:
        >>> Marker.of_text(*Marker(7, 120).text()) == Marker(7, 120)
        True
        >>> Marker(8) > Marker(7, 120)
        True
    """

    batch: int = 0
    offset: int = 0

    def text(self) -> tuple[int, str]:
        """Return the marker as a committed offset and its metadata."""
        return self.batch, f"{self.offset}" if self.offset else ""

    @staticmethod
    def of_text(offset: int, metadata: str | None) -> Marker:
        """Return the marker of a committed offset and its metadata."""
        return Marker(offset, int(metadata or 0))


@final
class Slot:
    """Producer of a slot's transactions. Opening it fences earlier producers and aborts their unfinished transaction.

    Args:
        properties: Properties of its clients.
        slot: ``transactional.id`` of the slot.
        name: Name of the sink, for errors.
        topic: Topic that it writes to; None if there are several.
        statistics: Receives the producer's statistics; shared with the slot's earlier producers.

    Raises:
        DeliveryError: The brokers do not let it write.

    Attributes:
        marker: Position up to which the slot has been written; None if nothing has been written.
        token: Distinguishes this writer from all others of the slot, past and future.
    """

    def __init__(
        self,
        properties: TransactionProperties,
        slot: str,
        name: str,
        topic: str | None,
        statistics: ProducerStatistics | None = None,
    ) -> None:
        self._slot = slot
        self._name = name
        self._topic = topic
        self._properties = properties = _connect_to_all_brokers(properties)
        self._producer = RecordProducer({**properties.producer, "transactional.id": slot}, name, statistics)
        self._client = self._producer.client
        self.token = uuid.uuid4().hex[:16]
        self._is_unresponsive = False
        self._retry("begin to write", self._client.init_transactions)
        self._group, self.marker = (
            self._read_group()
        )  # after init_transactions: earlier producers are fenced, so the marker no longer moves
        if self._servers not in _brokers:
            _brokers[self._servers] = len(self._retry("find its brokers", self._list_topics).brokers)

    def publish(self, records: Iterable[Records], marker: Marker) -> None:
        """Write records and ``marker`` in one transaction.

        Raises:
            DeliveryError: A record was not delivered, there is no such topic, or the brokers did not answer.
            SlotTakenError: Another writer has taken over the slot, or the client no longer answers.
        """
        first, *others = records
        anchor = self._topic or next(iter(first.topics))
        self._producer.partitions_of(anchor)  # before the transaction, which cannot wait for a topic to be created
        self._retry("begin a transaction", lambda _: self._client.begin_transaction())
        self._send_marker(anchor, marker)
        try:
            for batch in (first, *others):
                self._producer.send(batch)
            self._producer.flush()
        except KafkaException as fatal:
            raise self._fenced_error("write", fatal.args[0].str()) from None
        self._retry("commit a transaction", self._client.commit_transaction)
        self.marker = marker

    @property
    def _servers(self) -> str:
        return self._properties.producer["bootstrap.servers"]

    @property
    def is_unresponsive(self) -> bool:
        """Return whether the client has stopped answering."""
        return self._is_unresponsive

    def drain_events(self) -> None:
        """Process the client's remaining events, after another writer has taken over the slot."""
        self._producer.drain_events()

    def abandon(self) -> None:
        """Try briefly to abort an open transaction; otherwise the next writer of the slot aborts it."""
        if self._is_unresponsive:
            return
        with suppress(KafkaException):
            self._client.abort_transaction(_ABORT_S)

    def _send_marker(self, anchor: str, marker: Marker) -> None:
        """Commit the marker, for partition 0 of a topic that the transaction writes, since the sink may access that topic.

        librdkafka does not end this request at its timeout, and may hang after the group's coordinator was away
        (https://github.com/confluentinc/librdkafka/issues/5456 and 5511). Then the client is abandoned: a daemon thread
        keeps it, nothing waits for it, and the next writer of the slot fences it.
        """
        action, (offset, metadata) = "mark its progress", marker.text()
        marker_offset = ClientPartition(anchor, 0, offset, metadata)

        def send(timeout: float) -> None:
            sending = partial(self._client.send_offsets_to_transaction, [marker_offset], self._group, timeout)
            try:
                in_background(sending, "kafkastream-marker").result(timeout + _LATE_ANSWER_S)
            except (TimeoutError, futures.TimeoutError):
                self._is_unresponsive = True
                raise self._fenced_error(action, "Kafka's client does not answer") from None

        self._retry(action, send, where=f"topic {anchor}")

    def _read_group(self) -> tuple[Any, Marker | None]:
        """Return the group's metadata and its last marker; each topic that a marker was committed for has one."""
        consumer = GroupConsumer(self._properties.client, self._slot)

        def read(timeout: float) -> list[ClientPartition]:
            topics = [self._topic] if self._topic else self._list_topics(timeout).topics
            return consumer.committed([ClientPartition(topic, 0) for topic in topics], timeout)

        try:
            committed = self._retry("read its progress", read)
            markers = (Marker.of_text(p.offset, p.metadata) for p in committed if p.offset >= 0)
            return consumer.metadata(), max(markers, default=None)
        finally:
            consumer.close()

    def _list_topics(self, timeout: float) -> Any:
        """Return metadata of the brokers and the topics that the slot may write to."""
        topics = {"topic": self._topic} if self._topic else {}
        return self._client.list_topics(**topics, timeout=timeout)

    def _retry(self, action: str, call: Callable[[float], T], where: str = "") -> T:
        """Repeat a call until it succeeds, as long as its error is transient."""
        deadline = time.monotonic() + self._properties.patience_s
        while True:
            try:
                return call(_TRY_S)
            except KafkaException as exception:
                error = self._root_error(exception.args[0])
                if _is_transient(error) and time.monotonic() < deadline:
                    time.sleep(_PAUSE_S)
                elif error.fatal() or error.txn_requires_abort() or error.name() in _FENCED_ERRORS:
                    raise self._fenced_error(action, error.str()) from None
                else:
                    raise self._delivery_error(action, error, where) from None

    def _root_error(self, error: Any) -> Any:
        """Return the root cause of a failed call: librdkafka reports a fatal error at the next poll instead."""
        try:
            self._producer.check()
        except KafkaException as fatal:
            return fatal.args[0]
        return error

    def _fenced_error(self, action: str, reason: str) -> SlotTakenError:
        return SlotTakenError(f"sink {self._name!r} could not {action} as {self._slot}: {reason}")

    def _delivery_error(self, action: str, error: Any, where: str) -> DeliveryError:
        return DeliveryError(
            f"sink {self._name!r} could not {action}: {error.str()}",
            where=", ".join(filter(None, (where, f"transactional.id {self._slot}, bootstrap.servers {self._servers}"))),
            now=_ADVICE.get(error.name(), "The next start continues where this one stopped."),
        )


def fence_writers(
    properties: TransactionProperties, slots: Collection[str], name: str, topic: str | None
) -> Mapping[str, Marker | None]:
    """Abort the open transactions of earlier writers of these slots, and return their markers.

    Otherwise ``read_committed`` consumers would wait until the open transactions time out.

    Raises:
        DeliveryError: The brokers do not let the sink write.
    """
    if not slots:
        return {}

    def read_marker(slot: str) -> Marker | None:
        return Slot(properties, slot, name, topic).marker

    with ThreadPoolExecutor(max_workers=min(len(slots), _MAX_PARALLEL_INITS)) as pool:
        return dict(zip(slots, pool.map(read_marker, slots), strict=True))


def set_markers(properties: TransactionProperties, slots: Iterable[str], anchor: str, marker: Marker) -> None:
    """Set the markers of slots, regardless of what has been written.

    Raises:
        DeliveryError: The brokers refuse it.
    """
    offset, metadata = marker.text()
    for slot in slots:
        consumer = GroupConsumer(properties.client, slot)
        try:
            consumer.commit([ClientPartition(anchor, 0, offset, metadata)])
        except KafkaException as error:
            raise DeliveryError(f"the progress of {slot} could not be set: {error.args[0].str()}") from None
        finally:
            consumer.close()


def _connect_to_all_brokers(properties: TransactionProperties) -> TransactionProperties:
    """Return properties with which a client connects to all brokers at its start, if they are few.

    Otherwise librdkafka misses its own timers while it looks for coordinators, and opening a slot takes 120 ms or
    600 ms instead of 11 ms.
    """
    if _brokers.get(properties.producer["bootstrap.servers"], _MOST_EAGER_BROKERS + 1) > _MOST_EAGER_BROKERS:
        return properties
    at_once = {"enable.sparse.connections": "false"}
    return attrs.evolve(
        properties, producer={**properties.producer, **at_once}, client={**properties.client, **at_once}
    )


def _is_transient(error: Any) -> bool:
    return bool(error.retriable()) or error.name() in _TRANSIENT_ERRORS
