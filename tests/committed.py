"""Topics as a reader of committed records sees them, read on from look to look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import final

from confluent_kafka import Consumer, Message, TopicPartition
from typing_extensions import Self

from kafkastream.testing.reading import Isolation

__all__ = ["Reader"]

_POLL_S = 2.0
_REST_S = 0.1


@final
class Reader:
    """Reads topics from their start, and later from where it has come to; no consumer group knows of it.

    Args:
        servers: The broker.
        topics: The topics.
        partitions: How many partitions each of them has.
        isolation: Whether records of open and aborted transactions are among them.
    """

    def __init__(
        self, servers: str, topics: Iterable[str], partitions: int, isolation: Isolation = "read_committed"
    ) -> None:
        self._consumer = Consumer(
            {
                "bootstrap.servers": servers,
                "group.id": "committed-records",  # it never joins
                "isolation.level": isolation,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "log_level": 0,
            }
        )
        self._consumer.assign([TopicPartition(topic, number, 0) for topic in topics for number in range(partitions)])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._consumer.close()

    def some(self) -> list[Message]:
        """Records that have come since the last call; none when none comes for a moment."""
        first = self._consumer.consume(1, timeout=_POLL_S)
        rest = self._consumer.consume(10_000, timeout=_REST_S) if first else []
        return [message for message in (*first, *rest) if message.error() is None]

    def rest(self) -> Iterator[Message]:
        """All that is there, until none comes for a moment."""
        while messages := self.some():
            yield from messages
