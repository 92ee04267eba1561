"""Partitioners: they choose the partition of a record that a sink writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import Any, Generic, final

from typing_extensions import TypeVar

__all__ = ["FlinkFixedPartitioner", "KafkaPartitioner", "RoundRobinPartitioner"]

IN_contra = TypeVar("IN_contra", contravariant=True, default=Any)


class KafkaPartitioner(ABC, Generic[IN_contra]):
    """Chooses the partition of each record of a sink; without one, equal keys share the partition that Java's would give.

    Called ``FlinkKafkaPartitioner`` before Flink 4.0 of the connector. PyFlink lacks it.

    Example:
        >>> class FirstForUrgent(KafkaPartitioner[str]):
        ...     def partition(self, record, key, value, target_topic, partitions):
        ...         return partitions[0] if record.startswith("!") else partitions[-1]
        >>> FirstForUrgent().partition("! stop", None, b"! stop", "orders", [0, 1, 2])
        0
    """

    def open(self, parallel_instance_id: int, parallel_instances: int) -> None:
        """Prepare, once per Python worker and subtask.

        Args:
            parallel_instance_id: Index of this subtask, from 0.
            parallel_instances: Number of subtasks.
        """

    @abstractmethod
    def partition(
        self, record: IN_contra, key: bytes | None, value: bytes | None, target_topic: str, partitions: list[int]
    ) -> int:
        """Return one of ``partitions``, the numbers of the topic's partitions when the job started; else the job fails.

        Args:
            record: The element.
            key: The key that is written.
            value: The value that is written.
            target_topic: Topic of the record.
            partitions: In ascending order; the same list for every record, so do not change it.
        """


@final
class FlinkFixedPartitioner(KafkaPartitioner[IN_contra]):
    """Gives all records of a subtask to one partition: that at ``subtask % len(partitions)``.

    With fewer subtasks than partitions, some partitions stay empty, as in Flink. All instances are equal.
    Differs from Flink: a subtask is what Flink would number so (see ``DataStream.set_parallelism``), not a thread.

    Raises:
        ValueError: There is no such subtask, or the topic has no partitions.

    Example:
        >>> partitioner = FlinkFixedPartitioner()
        >>> partitioner.open(3, 4)
        >>> partitioner.partition("any", None, b"any", "orders", [0, 1])
        1
    """

    def __init__(self) -> None:
        self._subtask = 0

    def open(self, parallel_instance_id: int, parallel_instances: int) -> None:
        """Remember the subtask."""
        if parallel_instance_id < 0:
            raise ValueError("Id of this subtask cannot be negative.")
        if parallel_instances <= 0:
            raise ValueError("Number of subtasks must be larger than 0.")
        self._subtask = parallel_instance_id

    def partition(
        self, record: IN_contra, key: bytes | None, value: bytes | None, target_topic: str, partitions: list[int]
    ) -> int:
        """Return the subtask's partition."""
        if not partitions:
            raise ValueError("Partitions of the target topic is empty.")
        return partitions[self._subtask % len(partitions)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FlinkFixedPartitioner)

    def __hash__(self) -> int:
        return hash(FlinkFixedPartitioner)


@final
class RoundRobinPartitioner(KafkaPartitioner[IN_contra]):
    """Gives the records of a subtask to the topic's partitions in turn, whatever their keys.

    What ``partitioner.class`` = ``org.apache.kafka.clients.producer.RoundRobinPartitioner`` does in Java's producer: it
    counts by topic, from the first partition on. All instances are equal.
    Differs from Java: each subtask counts for itself, and all partitions take their turn, also one without a leader.
    Differs from ``round-robin`` in Flink's table connector: there it means Kafka's own partitioning, as here does
    no partitioner at all.

    Example:
        >>> partitioner = RoundRobinPartitioner()
        >>> [partitioner.partition("any", None, b"any", "orders", [0, 1, 2]) for _ in range(4)]
        [0, 1, 2, 0]
    """

    def __init__(self) -> None:
        self._given: Counter[str] = Counter()

    def partition(
        self, record: IN_contra, key: bytes | None, value: bytes | None, target_topic: str, partitions: list[int]
    ) -> int:
        """Return the next partition of the topic."""
        turn = self._given[target_topic]
        self._given[target_topic] += 1
        return partitions[turn % len(partitions)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RoundRobinPartitioner)

    def __hash__(self) -> int:
        return hash(RoundRobinPartitioner)
