"""Exactly-once writing: records and the marker of their position become visible together, or not at all.

The input of a micro-batch is divided into *slots*, here the partitions that it was read from. Each slot has one
``transactional.id`` and, under the same name, a consumer group whose committed offset is the slot's *marker*: how far
its records have been written. Records and marker are written in one transaction, so a writer that takes a slot over
reads from the marker what is left to do. No transaction has to outlive a process: an unfinished one is aborted and
written again.
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

__all__ = ["Marker", "Slot", "SlotTakenError", "fenced", "pass_over"]

T = TypeVar("T")

_TRY_S = 2.0
_SILENCE_S = 3.0  # seconds after its timeout in which an answer may still come
_PAUSE_S = 0.1
_ABORT_S = 2.0
_AT_ONCE = 8
_FEW_BROKERS = 16
_brokers: dict[str, int] = {}
"""Number of brokers, by bootstrap.servers, once a slot has been opened there."""
_UNKNOWN_TOPIC = "UNKNOWN_TOPIC_OR_PART"
# Transient errors: coordinators that move, load or restart, and offsets of a transaction that is just ending.
_PASSING = frozenset(
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
# Errors of a writer after another one has begun, or after its transaction has timed out.
_TAKEN = frozenset(
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
    """Slot that another writer has taken, whose transaction was aborted, or whose client does not answer: open it
    again.

    Not a mistake in the program: Spark retries a task that raises it, and the next attempt continues from the marker.
    """


class Marker(NamedTuple):
    """Position up to which a slot has been written: all micro-batches before ``batch``, and of that one all before
    ``offset``.

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
    """Only writer of a slot; earlier ones are fenced, and their unfinished transaction is aborted.

    Args:
        properties: Properties of its clients.
        slot: ``transactional.id`` of the slot.
        name: Name of the sink, for errors.
        topic: Only topic that it writes to; None if there are several.
        statistics: Takes the producer's statistics, as those of the slot's earlier ones.

    Raises:
        DeliveryError: The brokers do not let it write.

    Attributes:
        marker: Position up to which the slot has been written; None if nothing was.
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
        self._properties = properties = _connecting_at_once(properties)
        self._producer = RecordProducer({**properties.producer, "transactional.id": slot}, name, statistics)
        self._client = self._producer.client
        self.token = uuid.uuid4().hex[:16]
        self._is_mute = False
        self._insist("begin to write", self._client.init_transactions)
        self._group, self.marker = self._read_group()  # only now: whoever was before can no longer commit
        if self._servers not in _brokers:
            _brokers[self._servers] = len(self._insist("find its brokers", self._cluster).brokers)

    def publish(self, records: Iterable[Records], marker: Marker) -> None:
        """Write records and ``marker`` in one transaction: both, or neither.

        Raises:
            DeliveryError: A record was not delivered, there is no such topic, or the brokers did not answer.
            SlotTakenError: Another writer has taken the slot over, or the client does not answer any more.
        """
        first, *others = records
        anchor = self._topic or next(iter(first.topics))
        self._producer.partitions_of(anchor)  # a transaction cannot wait until a topic has been created
        self._insist("begin a transaction", lambda _: self._client.begin_transaction())
        self._mark(anchor, marker)
        try:
            for one in (first, *others):
                self._producer.send(one)
            self._producer.flush()
        except KafkaException as fatal:
            raise self._taken("write", fatal.args[0].str()) from None
        self._insist("commit a transaction", self._client.commit_transaction)
        self.marker = marker

    @property
    def _servers(self) -> str:
        return self._properties.producer["bootstrap.servers"]

    @property
    def is_mute(self) -> bool:
        """Return whether the client has stopped answering."""
        return self._is_mute

    def hear(self) -> None:
        """Process the client's events for the last time: another writer has taken the slot."""
        self._producer.hear()

    def abandon(self) -> None:
        """Abort an open transaction, as far as that is possible in a moment; otherwise the next writer does."""
        if self._is_mute:
            return
        with suppress(KafkaException):
            self._client.abort_transaction(_ABORT_S)

    def _mark(self, anchor: str, marker: Marker) -> None:
        """Commit the marker, at partition 0 of a topic that the transaction writes to, so one that the sink may use.

        Of all requests, librdkafka does not end this one at the timeout, and after the group's coordinator was away it
        may wait for ever (https://github.com/confluentinc/librdkafka/issues/5456 and 5511). Then the client is left
        alone: its thread holds it, so that nothing here waits for its end, and the next writer of the slot fences it.
        """
        what, (offset, metadata) = "mark its progress", marker.text()
        place = ClientPartition(anchor, 0, offset, metadata)

        def send(timeout: float) -> None:
            sending = partial(self._client.send_offsets_to_transaction, [place], self._group, timeout)
            try:
                in_background(sending, "kafkastream-marker").result(timeout + _SILENCE_S)
            except (TimeoutError, futures.TimeoutError):
                self._is_mute = True
                raise self._taken(what, "Kafka's client does not answer") from None

        self._insist(what, send, where=f"topic {anchor}")

    def _read_group(self) -> tuple[Any, Marker | None]:
        """Return the slot's group and the farthest of its markers: there is one for each topic that ever held the
        marker.
        """
        consumer = GroupConsumer(self._properties.client, self._slot)

        def read(timeout: float) -> list[ClientPartition]:
            topics = [self._topic] if self._topic else self._cluster(timeout).topics
            return consumer.committed([ClientPartition(topic, 0) for topic in topics], timeout)

        try:
            found = self._insist("read its progress", read)
            markers = (Marker.of_text(p.offset, p.metadata) for p in found if p.offset >= 0)
            return consumer.metadata(), max(markers, default=None)
        finally:
            consumer.close()

    def _cluster(self, timeout: float) -> Any:
        """Return metadata of the brokers and the topics that the slot may write to."""
        topics = {"topic": self._topic} if self._topic else {}
        return self._client.list_topics(**topics, timeout=timeout)

    def _insist(self, what: str, call: Callable[[float], T], where: str = "") -> T:
        """Repeat a call until it succeeds, as long as its error is transient."""
        deadline = time.monotonic() + self._properties.patience_s
        while True:
            try:
                return call(_TRY_S)
            except KafkaException as exception:
                error = self._cause(exception.args[0])
                if _is_passing(error) and time.monotonic() < deadline:
                    time.sleep(_PAUSE_S)
                elif error.fatal() or error.txn_requires_abort() or error.name() in _TAKEN:
                    raise self._taken(what, error.str()) from None
                else:
                    raise self._refused(what, error, where) from None

    def _cause(self, error: Any) -> Any:
        """Return the reason for a failed call: a fatal error is reported by the next poll, whatever that is for."""
        try:
            self._producer.check()
        except KafkaException as fatal:
            return fatal.args[0]
        return error

    def _taken(self, what: str, why: str) -> SlotTakenError:
        return SlotTakenError(f"sink {self._name!r} could not {what} as {self._slot}: {why}")

    def _refused(self, what: str, error: Any, where: str) -> DeliveryError:
        return DeliveryError(
            f"sink {self._name!r} could not {what}: {error.str()}",
            where=", ".join(filter(None, (where, f"transactional.id {self._slot}, bootstrap.servers {self._servers}"))),
            now=_ADVICE.get(error.name(), "The next start continues where this one stopped."),
        )


def fenced(
    properties: TransactionProperties, slots: Collection[str], name: str, topic: str | None
) -> Mapping[str, Marker | None]:
    """Abort the open transactions of earlier writers of these slots, and return their markers.

    Readers of committed records wait for open transactions; without this, they would wait until those time out.

    Raises:
        DeliveryError: The brokers do not let the sink write.
    """
    if not slots:
        return {}

    def marker(slot: str) -> Marker | None:
        return Slot(properties, slot, name, topic).marker

    with ThreadPoolExecutor(max_workers=min(len(slots), _AT_ONCE)) as pool:
        return dict(zip(slots, pool.map(marker, slots), strict=True))


def pass_over(properties: TransactionProperties, slots: Iterable[str], anchor: str, marker: Marker) -> None:
    """Set the markers of slots, whatever was written.

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


def _connecting_at_once(properties: TransactionProperties) -> TransactionProperties:
    """Return properties with which a client connects to every broker at its start, where these are few.

    Otherwise librdkafka comes too late for its timers when it looks for coordinators: opening then takes 120 ms or 600
    ms rather than 11 ms.
    """
    if _brokers.get(properties.producer["bootstrap.servers"], _FEW_BROKERS + 1) > _FEW_BROKERS:
        return properties
    at_once = {"enable.sparse.connections": "false"}
    return attrs.evolve(
        properties, producer={**properties.producer, **at_once}, client={**properties.client, **at_once}
    )


def _is_passing(error: Any) -> bool:
    return bool(error.retriable()) or error.name() in _PASSING
