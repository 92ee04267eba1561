"""What a job leaves on the broker: groups, transactional ids; and how far it is behind."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import final

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient
from typing_extensions import Self

from tests.soak.model import PARTITIONS

__all__ = ["Broker"]

_TRANSACTIONS = "__transaction_state"
_REQUEST_S = 30.0
_RECORDS = 10_000


@final
class Broker:
    """The broker of a soak, looked at from time to time.

    Args:
        servers: Where it is.
        groups: Who reads which topics.
    """

    def __init__(self, servers: str, groups: Mapping[str, Iterable[str]]) -> None:
        self._servers = servers
        self._places = {
            group: [TopicPartition(topic, partition) for topic in topics for partition in range(PARTITIONS)]
            for group, topics in groups.items()
        }
        self._admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
        self._log = self._consumer("soak-look")
        self._ids: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._log.close()

    def look(self) -> Mapping[str, float]:
        """Groups and transactional ids, and how many records each group has still to read."""
        lags = {f"lag of {group}": self._lag(group) for group in self._places}
        return {"groups": self._groups(), "transactional ids": self._transactional_ids(), **lags}

    def _groups(self) -> int:
        return len(self._admin.list_consumer_groups(request_timeout=_REQUEST_S).result().valid)

    def _lag(self, group: str) -> int:
        """By what is committed; a partition of which nothing is counts from its start."""
        consumer = self._consumer(group)
        try:
            committed = consumer.committed(list(self._places[group]), timeout=_REQUEST_S)
            ends = [consumer.get_watermark_offsets(place, timeout=_REQUEST_S)[1] for place in committed]
            return sum(end - max(place.offset, 0) for place, end in zip(committed, ends, strict=True))
        finally:
            consumer.close()

    def _transactional_ids(self) -> int:
        """How many there are by Kafka's own log of them: librdkafka's admin client has no request for that."""
        if not self._log.assignment():
            found = self._log.list_topics(timeout=_REQUEST_S).topics.get(_TRANSACTIONS)
            self._log.assign(
                [TopicPartition(_TRANSACTIONS, number, 0) for number in (found.partitions if found else ())]
            )
        is_behind = bool(self._log.assignment())
        while is_behind:  # the log of short transactions has no end
            messages = self._log.consume(_RECORDS, timeout=0.5)
            for message in messages:
                _note(self._ids, message.key(), message.value())
            is_behind = len(messages) == _RECORDS
        return len(self._ids)

    def _consumer(self, group: str) -> Consumer:
        return Consumer(
            {
                "bootstrap.servers": self._servers,
                "group.id": group,  # it never joins
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "log_level": 0,
            }
        )


def _note(ids: set[str], key: str | bytes | None, value: str | bytes | None) -> None:
    """Take a record of the log: its key is a version, a length and the id; without a value, the id is no more."""
    if not isinstance(key, bytes):
        return
    _, length = struct.unpack_from(">hh", key)
    found = key[4 : 4 + length].decode()
    (ids.discard if value is None else ids.add)(found)
