"""Source of a driven job, to which a test sends records."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, final

from kafkastream.errors import ArgumentError, DefinitionError
from kafkastream.model.common.mutable_values import detached
from kafkastream.model.common.watermark_strategy import NoWatermarks
from kafkastream.model.connectors.split_source import Source
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import SourceNode
from kafkastream.sql.connectors.records import RecordsAsRead
from kafkastream.testing.driver.arrivals import Arrival, SentRecord
from kafkastream.testing.driver.job_run import JobRun

__all__ = ["DrivenSource", "unread_partition"]

__tracebackhide__ = True  # pytest shows no frames of this module between a test and its function


@final
class DrivenSource:
    """A source of a driven job, to which a test sends records, or elements.

    A source of your own (``kafkastream.connect.Source``) takes elements only, and creates neither enumerator nor reader;
    ``topic`` is the name of a split, by default the number ``partition``.
    """

    def __init__(self, run: JobRun, node: SourceNode) -> None:
        self._run = run
        self._node = node

    def send(
        self,
        value: str | bytes | None,
        *,
        timestamp: int | None = None,
        key: str | bytes | None = None,
        headers: Iterable[tuple[str, str | bytes | None]] = (),
        partition: int = 0,
        topic: str | None = None,
    ) -> None:
        """Send a record, which goes through the source's deserialization schema.

        A record before the source's starting timestamp or offset, or from its stopping one on, is not read.

        Args:
            value: Value; text is encoded as UTF-8; None for a tombstone.
            timestamp: Timestamp in ms since 1970; by default, the processing time.
            key: Key.
            headers: Pairs of a name and a value.
            partition: Partition of the topic.
            topic: Topic; needed if the source reads several.

        Raises:
            JobError: A function, a schema or a sink failed on it, and there is no topic for dead letters.
            DefinitionError: The source does not read that topic or partition, or has ended; or it is a source of your own,
                which has no records.
            ArgumentError: Value, key or headers are not of these types.
        """
        if isinstance(self._node.source, Source):
            raise DefinitionError(
                "a source of your own has no records", where=f"source {self._node.name!r}", now="Use send_element."
            )
        split = self._split(topic, partition)
        offset = self._run.positions.take_offset(self._node, split)
        time = self._run.now_ms if timestamp is None else timestamp
        record = SentRecord(offset, time, _encode("key", key), _encode("value", value), tuple(map(_header, headers)))
        if self._run.positions.reads_next(self._node, split, offset, time):
            self._run.arrive(Arrival(self._node.id, split, records=(record,)))

    def send_element(
        self, element: Any, *, timestamp: int | None = None, partition: int = 0, topic: str | None = None
    ) -> None:
        """Send an element as the source's schema would give it: a copy, which functions may change; raises as ``send`` does.

        Args:
            element: The element.
            timestamp: Timestamp of its record in ms since 1970; by default, the processing time.
            partition: Partition that it comes from.
            topic: Topic; needed if the source reads several.
        """
        if isinstance(getattr(self._node.source, "deserializer", None), RecordsAsRead):
            raise DefinitionError(
                "the source is a table of SQL",
                where=f"source {self._node.name!r}",
                now=f"Send rows: driver.table({self._node.name!r}).send(…).",
            )
        time = self._run.now_ms if timestamp is None else timestamp
        split = self._split(topic, partition)
        self._run.arrive(Arrival(self._node.id, split, elements=((detached(element), time),)))

    def set_watermark(self, timestamp: int, *, partition: int = 0, topic: str | None = None) -> None:
        """Set the watermark of a partition; a lower one than it has changes nothing.

        Args:
            timestamp: Watermark in ms since 1970.
            partition: Partition of the topic.
            topic: Topic; needed if the source reads several.

        Raises:
            DefinitionError: The source's strategy generates no watermarks.
        """
        if isinstance(self._node.watermarks.generation, NoWatermarks):
            raise DefinitionError(
                "the source's strategy generates no watermarks",
                where=f"source {self._node.name!r}",
                now="Give from_source a WatermarkStrategy, as the job needs it on a cluster, too.",
            )
        self._run.set_watermark(self._node, self._split(topic, partition), timestamp)

    def reads(self, topic: str, partition: int) -> bool:
        """Return whether the source reads a partition.

        Args:
            topic: Topic.
            partition: Partition of the topic.
        """
        return TopicPartition(topic, partition) in self.partitions

    @property
    def partitions(self) -> list[TopicPartition]:
        """Partitions that the source reads."""
        return self._run.positions.partitions(self._node)

    def finish(self) -> None:
        """End the input of this source, as at the end of a bounded one: its watermark is then the last."""
        self._run.end([self._node])

    def _split(self, topic: str | None, partition: int) -> TopicPartition:
        where = f"source {self._node.name!r}"
        if self._node.id in self._run.positions.ended:
            raise DefinitionError("the source has ended", where=where, now="Send its records before finish().")
        if isinstance(self._node.source, Source):
            own_split = TopicPartition(topic or str(partition), 0)
            self._run.add_split(self._node, own_split)
            return own_split
        topics = list(dict.fromkeys(split.topic for split in self.partitions))
        if topic is None and len(topics) != 1:
            names = f"It reads {', '.join(topics)}." if topics else "It reads a pattern."
            raise DefinitionError("the source does not read one topic only", where=where, now=f"{names} Pass topic=….")
        split = TopicPartition(topic or topics[0], partition)
        if split not in self.partitions:
            raise unread_partition(split, self.partitions, where=where)
        return split


def unread_partition(split: TopicPartition, read: Collection[TopicPartition], *, where: str = "") -> DefinitionError:
    """Return the error for a record that is sent to a partition that no source reads, with those that are read."""
    topics = sorted({other.topic for other in read})
    if split.topic in topics:
        problem = f"topic {split.topic!r} has no partition {split.partition} that the job reads"
    else:
        problem = f"the job reads no topic {split.topic!r}"
    return DefinitionError(
        problem,
        where=where,
        now=f"It reads: {', '.join(map(str, sorted(read))) or 'none'}. A topic has one partition unless JobTestDriver.of(…, "
        f"partitions={{{split.topic!r}: {split.partition + 1}}}) says otherwise, and one of a pattern exists only then.",
    )


def _encode(name: str, value: str | bytes | None) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    raise ArgumentError(
        f"{name} must be str, bytes or None, not {value!r}",
        now="Serialize it, or pass the element that the source's schema would give to source(…).send_element(…).",
    )


def _header(header: tuple[str, str | bytes | None]) -> tuple[str, bytes | None]:
    if isinstance(header, tuple) and len(header) == 2:
        return header[0], _encode("the value of a header", header[1])
    raise ArgumentError(
        f"headers must be pairs of a name and a value, not {header!r}", now='Pass [("name", b"value")].'
    )
