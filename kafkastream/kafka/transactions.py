"""Exactly-once writing: records and the marker of what they stand for become visible together, or not at all.

The input of a micro-batch is divided into *slots*, here the partitions that it was read from. Each slot has one
``transactional.id`` and, under the same name, a consumer group whose committed offset is the slot's *marker*: how far its
records have been written. Records and marker are written in one transaction, so whoever takes a slot over reads from the
marker what is left to do. No transaction has to outlive a process: an unfinished one is aborted and written anew.
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
_SILENCE_S = 3.0  # how long after its timeout an answer may still come
_PAUSE_S = 0.1
_ABORT_S = 2.0
_AT_ONCE = 8
_FEW_BROKERS = 16
_brokers: dict[str, int] = {}
"""How many brokers there are, by bootstrap.servers, once a slot has been opened there."""
_UNKNOWN_TOPIC = "UNKNOWN_TOPIC_OR_PART"
# What passes by itself: coordinators that move, load or restart, and offsets of a transaction that is just ending.
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
# What a writer hears after another has begun, or after its transaction has timed out.
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
    """Somebody else writes this slot now, its transaction was aborted, or its client is mute: it is to be opened again.

    No error of the user's: Spark retries a task that raises it, and the marker tells the next try what is left.
    """


class Marker(NamedTuple):
    """How far a slot has been written: all micro-batches before ``batch``, and of that one all before ``offset``.

    Example:
        >>> Marker.of_text(*Marker(7, 120).text()) == Marker(7, 120)
        True
        >>> Marker(8) > Marker(7, 120)
        True
    """

    batch: int = 0
    offset: int = 0

    def text(self) -> tuple[int, str]:
        """As the committed offset of a group, and its metadata."""
        return self.batch, f"{self.offset}" if self.offset else ""

    @staticmethod
    def of_text(offset: int, metadata: str | None) -> Marker:
        """The marker that was committed so."""
        return Marker(offset, int(metadata or 0))


@final
class Slot:
    """The one writer of a slot; whoever was it before is fenced off, and its unfinished transaction aborted.

    Args:
        properties: Of its clients.
        slot: The slot's ``transactional.id``.
        name: The sink's name, for errors.
        topic: The one topic that it writes to; None when there are several.
        statistics: Where its producer tells of itself, as the slot's earlier ones did.

    Raises:
        DeliveryError: The brokers do not let it write.

    Attributes:
        marker: How far the slot has been written; None when nothing was.
        token: Tells this writer from all others that the slot had and will have.
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
        """Write records, and that with them the slot has come up to ``marker``: both, or neither.

        Raises:
            DeliveryError: A record was not delivered, there is no such topic, or the brokers did not answer.
            SlotTakenError: Another writer has taken the slot over, or the client answers no more.
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
        """Whether its client answers no more."""
        return self._is_mute

    def hear(self) -> None:
        """Take in what the client tells, for the last time: another writes the slot."""
        self._producer.hear()

    def abandon(self) -> None:
        """Abort what is open, as far as that is possible in a moment; the next writer does it otherwise."""
        if self._is_mute:
            return
        with suppress(KafkaException):
            self._client.abort_transaction(_ABORT_S)

    def _mark(self, anchor: str, marker: Marker) -> None:
        """The marker lies at partition 0 of a topic that the transaction writes to: that is one the sink may use.

        This alone of its requests librdkafka does not end at the timeout, and after the group's coordinator was away it
        may wait for ever (its issues 5456 and 5511). Then the client is left to itself: its thread holds it, so that
        nothing here waits for its end, and whoever opens the slot next fences it off.
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
        """The slot's group, and the farthest of its markers: there is one for each topic that ever was an anchor."""
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
        """The brokers, and the topics that it may write to."""
        topics = {"topic": self._topic} if self._topic else {}
        return self._client.list_topics(**topics, timeout=timeout)

    def _insist(self, what: str, call: Callable[[float], T], where: str = "") -> T:
        """Call until it succeeds, as long as what stands in the way can pass by itself."""
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
        """What a call has failed for: a fatal error comes out of the next poll, whatever that is for."""
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
    """End what earlier writers of these slots have left open, and read how far they came.

    Readers of committed records wait for open transactions: now they need not wait until these time out.

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
    """Say that slots have come up to a marker, whatever was written.

    Raises:
        DeliveryError: The brokers do not take it.
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
    """Properties with which a client connects to every broker, where these are few, and not only when it needs one.

    Else librdkafka comes too late for its timers when it looks for coordinators: an opening then takes 120 ms or 600 ms
    rather than 11 ms.
    """
    if _brokers.get(properties.producer["bootstrap.servers"], _FEW_BROKERS + 1) > _FEW_BROKERS:
        return properties
    at_once = {"enable.sparse.connections": "false"}
    return attrs.evolve(
        properties, producer={**properties.producer, **at_once}, client={**properties.client, **at_once}
    )


def _is_passing(error: Any) -> bool:
    return bool(error.retriable()) or error.name() in _PASSING
