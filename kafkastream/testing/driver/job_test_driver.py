"""``JobTestDriver``: runs a job in the test's own process, with records and time in the test's hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, final

import attrs
from typing_extensions import Self

from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.metrics.store import MetricStore, Operator
from kafkastream.metrics.values import OperatorScope
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.time import wall_clock
from kafkastream.model.common.watermark_strategy import NoWatermarks
from kafkastream.model.connectors.file_formats import FileContents
from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee, KafkaSink
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.subscription import PartitionSet, TopicList, TopicPartition
from kafkastream.model.graph.job_graph import (
    JobGraph,
    KeyedNode,
    OperatorNode,
    PrintSink,
    SideOutputNode,
    SinkNode,
    SourceNode,
    UnionNode,
    distinct_names,
)
from kafkastream.model.job.job_result import JobID, JobSettings
from kafkastream.spark.worker.async_calls import event_loops
from kafkastream.spark.worker.record_decoders import split_name
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.testing.driver.capturing_sinks import WrittenRecord
from kafkastream.testing.driver.operator_state import OperatorState
from kafkastream.testing.driver.part_run import Arrival, PartRun, PartSnapshot, SentRecord
from kafkastream.testing.driver.programs import job_of, main_module
from kafkastream.testing.driver.virtual_time import VirtualTimeLoop

__all__ = ["DrivenSource", "JobSnapshot", "JobTestDriver"]

_START_MS: Final = 1_767_225_600_000  # 2026-01-01T00:00:00Z


@final
@attrs.frozen
class JobSnapshot:
    """State of a driven job, from which another driver continues: keyed state, watermarks, offsets, and the time."""

    parts: tuple[PartSnapshot, ...] = attrs.field(repr=False)
    offsets: Mapping[tuple[str, TopicPartition], int]
    now_ms: int


@final
class DrivenSource:
    """A Kafka source of a driven job, to which a test sends records."""

    def __init__(self, driver: JobTestDriver, node: SourceNode, part: PartRun) -> None:
        self._driver = driver
        self._node = node
        self._part = part
        self._offsets: dict[TopicPartition, int] = {}
        self._has_ended = False

    def send(
        self,
        value: str | bytes | None,
        *,
        timestamp: int | None = None,
        key: str | bytes | None = None,
        headers: Iterable[tuple[str, bytes | None]] = (),
        partition: int = 0,
        topic: str | None = None,
    ) -> None:
        """Send a record, which goes through the source's deserialization schema.

        Args:
            value: Value; text is encoded as UTF-8; None for a tombstone.
            timestamp: Timestamp in ms since 1970; by default, the processing time.
            key: Key.
            headers: Headers.
            partition: Partition of the topic.
            topic: Topic; needed if the source reads several.

        Raises:
            JobError: A function, a schema or a sink failed on it, and there is no topic for dead letters.
            DefinitionError: The source does not read that topic or partition, or has ended.
        """
        split = self._split(topic, partition)
        offset = self._offsets.get(split, 0)
        self._offsets[split] = offset + 1
        time = self._driver.now_ms if timestamp is None else timestamp
        record = SentRecord(offset, time, _bytes(key), _bytes(value), tuple(headers))
        self._driver._arrive(self._part, Arrival(self._node.id, split, records=(record,)))

    def send_element(
        self, element: Any, *, timestamp: int | None = None, partition: int = 0, topic: str | None = None
    ) -> None:
        """Send an element as the source's schema would give it; raises as ``send`` does.

        Args:
            element: The element.
            timestamp: Timestamp of its record in ms since 1970; by default, the processing time.
            partition: Partition that it comes from.
            topic: Topic; needed if the source reads several.
        """
        time = self._driver.now_ms if timestamp is None else timestamp
        split = self._split(topic, partition)
        self._driver._arrive(self._part, Arrival(self._node.id, split, elements=((element, time),)))

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
        split = split_name(self._split(topic, partition))
        with self._driver._working():
            self._part.time.observe({self._node.id: {split: timestamp}})
            self._part.settle()

    def reads(self, topic: str, partition: int) -> bool:
        """Return whether the source reads a partition.

        Args:
            topic: Topic.
            partition: Partition of the topic.
        """
        return TopicPartition(topic, partition) in self._driver._splits(self._node)

    def finish(self) -> None:
        """End the input of this source, as at the end of a bounded one: its watermark is then the last."""
        if not self._has_ended:
            self._has_ended = True
            with self._driver._working():
                self._part.end(self._node.id)
                self._part.settle()

    def _split(self, topic: str | None, partition: int) -> TopicPartition:
        if self._has_ended:
            raise DefinitionError("the source has ended", where=f"source {self._node.name!r}")
        assert isinstance(self._node.source, KafkaSource)
        splits = self._driver._splits(self._node)
        names = list(dict.fromkeys(split.topic for split in splits))
        name = topic or (names[0] if len(names) == 1 else None)
        split = None if name is None else TopicPartition(name, partition)
        if split is None or (split not in splits and names):
            known = ", ".join(map(str, splits)) or f"topics of the pattern {self._node.source.subscription}"
            raise DefinitionError(
                "which topic?" if name is None else f"the source does not read partition {partition} of topic {name!r}",
                where=f"source {self._node.name!r}",
                now=f"It reads: {known}. JobTestDriver.of(…, partitions={{'{name or 'orders'}': 3}}) sets how many there are.",
            )
        return split


@final
class JobTestDriver:
    """Runs a job in the test's own process: no Spark, no Java, no broker, and time stands still until the test moves it.

    The job's graph is the program's, with its sources and sinks of Kafka. Its operators, schemas, chains and state are those
    that run on Spark. Each record is a micro-batch of its own, after which watermarks move as in Flink, unless
    ``micro_batch`` takes several together.

    Differs from a job on Spark: sinks other than Kafka's keep their elements instead of writing them. SQL and YAML
    pipelines need Spark and are refused.

    Example:
        >>> from kafkastream import KafkaSource, SimpleStringSchema, StreamExecutionEnvironment, WatermarkStrategy
        >>> env = StreamExecutionEnvironment.get_execution_environment()
        >>> builder = KafkaSource.builder().set_bootstrap_servers("broker:9092").set_topics("lines")
        >>> lines = builder.set_value_only_deserializer(SimpleStringSchema()).build()
        >>> words = env.from_source(lines, WatermarkStrategy.no_watermarks(), "lines").flat_map(str.split)
        >>> _ = words.print()
        >>> with JobTestDriver.of(env) as driver:
        ...     driver.source("lines").send("to be or")
        ...     driver.printed
        ['to', 'be', 'or']
    """

    def __init__(
        self,
        graph: JobGraph,
        settings: JobSettings,
        *,
        parallelism: int | None = None,
        partitions: Mapping[str, int] | None = None,
        now_ms: int = _START_MS,
        restored: JobSnapshot | None = None,
    ) -> None:
        _refuse(graph)
        self._resources = ExitStack()
        self._graph = graph
        self._settings = settings
        self._partitions = FrozenMap(partitions or {})
        self._parallelism = parallelism or settings.parallelism or 1
        self._now_ms = now_ms if restored is None else restored.now_ms
        self._printed: list[str] = []
        self._elements: dict[int, list[Any]] = {}
        self._topics: dict[str, list[WrittenRecord]] = {}
        self._uncommitted: list[WrittenRecord] = []
        self._gathered: dict[int, list[Arrival]] | None = None
        self._end: str | None = None
        self._interval_ms = settings.effective_checkpoint_interval_ms or 0
        self._checkpoint_at = self._now_ms + self._interval_ms
        names = distinct_names(node.label for node in graph.nodes)
        operators = {
            node.id: Operator(name, node.uid or str(node.id)) for node, name in zip(graph.nodes, names, strict=True)
        }
        job_id = JobID()
        self._store = MetricStore(settings.name, str(job_id), operators)
        attempt = JobAttempt(str(job_id), job_parameters=settings.parameters, max_parallelism=settings.max_parallelism)
        components = list(graph.components())
        if restored is not None and len(restored.parts) != len(components):
            raise DefinitionError(
                f"the snapshot is of a job of {len(restored.parts)} parts, and this one has {len(components)}"
            )
        self._sources: dict[int, DrivenSource] = {}
        self._parts: list[PartRun] = []
        try:
            with self._working():
                for number, component in enumerate(components):
                    part = PartRun(
                        component,
                        attempt,
                        self._parallelism,
                        chains=settings.chains_operators,
                        scopes={
                            node: OperatorScope(settings.name, operator.name, node)
                            for node, operator in operators.items()
                        },
                        partitions=self._partitions,
                        now=lambda: self._now_ms,
                        take=self._take,
                        restored=None if restored is None else restored.parts[number],
                    )
                    self._parts.append(part)
                    self._register_sources(part)
                    part.open()
                if restored is None:
                    for part in self._parts:
                        part.read_collections()
                    self._commit_unless_periodic()
                else:
                    for (name, split), offset in restored.offsets.items():
                        self.source(name)._offsets[split] = offset
        except BaseException:
            self.close()
            raise

    def _register_sources(self, part: PartRun) -> None:
        for node in part.graph.sources:
            if isinstance(node.source, KafkaSource):
                self._sources[node.id] = DrivenSource(self, node, part)
                part.time.add_splits(node.id, self._splits(node))

    @staticmethod
    def of(
        program: StreamExecutionEnvironment | Callable[[], object] | str | Path,
        *args: str,
        parallelism: int | None = None,
        partitions: Mapping[str, int] | None = None,
        now_ms: int = _START_MS,
        restored: JobSnapshot | None = None,
    ) -> JobTestDriver:
        """Return the driver of a program's job; nothing asks a broker.

        Args:
            program: Environment with the job's graph; or a function, or a script, that builds one and executes it. It is
                left at its first ``execute``.
            args: Arguments of the script.
            parallelism: Number of subtasks; by default the job's, or 1.
            partitions: Number of partitions of topics; others have one.
            now_ms: Processing time at the start, in ms since 1970.
            restored: Snapshot of an earlier driver to continue from.

        Raises:
            DefinitionError: The program defines or executes no job.
            UnsupportedFeatureError: The job needs Spark: it has SQL, or is a YAML pipeline.
        """
        with ExitStack() as resources:
            if isinstance(program, str | Path):
                program = resources.enter_context(main_module(Path(program), args))
            graph, settings = job_of(program)
            driver = JobTestDriver(
                graph, settings, parallelism=parallelism, partitions=partitions, now_ms=now_ms, restored=restored
            )
            driver._resources = resources.pop_all()
        return driver

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def now_ms(self) -> int:
        """Processing time, in ms since 1970."""
        return self._now_ms

    @property
    def printed(self) -> list[str]:
        """Lines that the job's ``print`` sinks have printed."""
        return self._printed

    @property
    def metrics(self) -> MetricsSnapshot:
        """Metrics of the job so far."""
        return self._store.snapshot()

    def source(self, name: str) -> DrivenSource:
        """Return the Kafka source with a name or uid, or the only one that reads the topic of that name.

        Raises:
            DefinitionError: There is none, with those that there are; or the driver cannot feed it.
        """
        nodes = [node for part in self._parts for node in part.graph.sources]
        own = [node for node in nodes if name in (node.name, node.uid)]
        reading = [node for node in nodes if isinstance(node.source, KafkaSource) and name in _topics(node.source)]
        for node in own or reading[:1]:
            if node.id in self._sources:
                return self._sources[node.id]
            raise DefinitionError(
                f"source {name!r} has its elements itself, and has given them", now="Send records to Kafka sources."
            )
        raise _unknown("source", name, [node.name for node in nodes if node.id in self._sources])

    def send(
        self,
        topic: str,
        value: str | bytes | None,
        *,
        timestamp: int | None = None,
        key: str | bytes | None = None,
        headers: Iterable[tuple[str, bytes | None]] = (),
        partition: int = 0,
    ) -> None:
        """Send a record to a topic: all sources that read it get the record; errors as of ``DrivenSource.send``.

        Args:
            topic: Topic.
            value: Value; text is encoded as UTF-8; None for a tombstone.
            timestamp: Timestamp in ms since 1970; by default, the processing time.
            key: Key.
            headers: Headers.
            partition: Partition of the topic.
        """
        reading = [source for source in self._sources.values() if source.reads(topic, partition)]
        if not reading:
            known = sorted({str(split) for source in self._sources.values() for split in self._splits(source._node)})
            raise _unknown("source that reads partition", f"{topic}-{partition}", known)
        for source in reading:
            source.send(value, timestamp=timestamp, key=key, headers=headers, partition=partition, topic=topic)

    def topic(self, name: str, *, isolation: str = "read_committed") -> list[WrittenRecord]:
        """Return the records that sinks have written to a topic, in their order.

        Args:
            name: Topic.
            isolation: ``read_committed``, or ``read_uncommitted`` with the records of transactions that exactly-once sinks
                have not committed: they commit with each micro-batch, or with checkpoints if the job has an interval for
                them, which ``advance`` and ``checkpoint`` make.
        """
        written = list(self._topics.get(name, ()))
        if isolation == "read_uncommitted":
            written += [record for record in self._uncommitted if record.topic == name]
        return written

    def sink(self, name: str) -> list[Any]:
        """Return the elements that have reached the sinks of a name, other than Kafka's, or an operator that nothing reads.

        Args:
            name: Name or uid of the sink; for an operator that nothing reads, the operator's.

        Raises:
            DefinitionError: There is none, with those that there are.
        """
        nodes = [node for node in self._graph.sinks if not isinstance(node.sink, KafkaSink | PrintSink)]
        names = {node.id: self._names_of(node) for node in nodes}
        named = [node for node in nodes if name in names[node.id]]
        if not named:
            raise _unknown("sink", name, [known[0] for known in names.values()])
        return [element for node in named for element in self._elements.get(node.id, ())]

    def operator(self, name: str) -> OperatorState:
        """Return the keyed state and timers of the operator with a uid or name.

        Raises:
            DefinitionError: There is none, with those that there are.
        """
        for part in self._parts:
            node = part.keyed_node(name)
            if node is not None:
                return OperatorState(part, node)
        keyed = [node.uid or node.name for node in self._graph.nodes if isinstance(node, KeyedNode)]
        raise _unknown("operator with keys", name, keyed)

    @contextmanager
    def micro_batch(self) -> Iterator[None]:
        """Take all records that are sent within the ``with`` block as one micro-batch, as Spark does.

        Watermarks move after it: none of its elements is late because of another one of them.
        """
        self._gathered = {}
        try:
            yield
            gathered = self._gathered
        finally:
            self._gathered = None
        with self._working():
            for number, arrivals in gathered.items():
                self._parts[number].micro_batch(_by_split(arrivals))
            self._commit_unless_periodic()

    def advance(self, ms: int) -> None:
        """Advance the processing time, and fire the timers and make the checkpoints that become due, each at its time.

        Args:
            ms: Milliseconds.
        """
        target = self._now_ms + ms
        while True:
            due = [timer for part in self._parts if (timer := part.next_timer()) is not None and timer > self._now_ms]
            step = min([*due, *([self._checkpoint_at] if self._interval_ms else [])], default=target + 1)
            self._now_ms = min(step, target)
            with self._working():
                for part in self._parts:
                    part.fire_timers()
                if self._interval_ms and self._now_ms >= self._checkpoint_at:
                    self.checkpoint()
                else:
                    self._commit_unless_periodic()
            if step > target:
                return

    def checkpoint(self) -> None:
        """Make a checkpoint: what exactly-once sinks have written becomes visible."""
        self._check_open()
        self._commit()
        self._checkpoint_at = self._now_ms + self._interval_ms

    def snapshot(self) -> JobSnapshot:
        """Return the state of the job, from which another driver continues: of this program, or of its next version."""
        self._check_open()
        self._commit()
        offsets = {
            (source._node.uid or source._node.name, split): offset
            for source in self._sources.values()
            for split, offset in source._offsets.items()
        }
        return JobSnapshot(tuple(part.snapshot() for part in self._parts), FrozenMap(offsets), self._now_ms)

    def finish(self) -> None:
        """End the input of all sources, as at the end of bounded ones: event time ends, and all windows fire."""
        for source in self._sources.values():
            source.finish()
        self._commit()

    def close(self) -> None:
        """Close the job's functions; the driver cannot be used any more.

        Raises:
            UserFunctionError: A ``close`` raised.
        """
        has_failed, self._end = self._end is not None, self._end or "it was closed"
        with self._resources:
            for part in self._parts:
                part.close(has_failed=has_failed)
            self._parts = []

    def _arrive(self, part: PartRun, arrival: Arrival) -> None:
        self._check_open()
        if self._gathered is not None:
            self._gathered.setdefault(self._parts.index(part), []).append(arrival)
            return
        with self._working():
            part.micro_batch([arrival])
            self._commit_unless_periodic()

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Work at the driver's time; after an error it cannot be used any more, as a job that has failed."""
        self._check_open()
        try:
            with wall_clock(lambda: self._now_ms), event_loops(VirtualTimeLoop):
                yield
        except KafkastreamError as error:
            self._end = f"the job has failed: {error}"
            raise

    def _check_open(self) -> None:
        if self._end is not None:
            raise DefinitionError(f"the driver cannot be used any more: {self._end}", now="Make a new one.")

    def _take(self, report: Report) -> None:
        match report.kind:
            case ReportKind.FAILURE:
                raise report.content
            case ReportKind.LINES:
                self._printed += report.content
            case ReportKind.ELEMENTS:
                self._written(report.node, report.content)
            case ReportKind.METRICS:
                self._store.merge(report.content)

    def _written(self, number: int, elements: list[Any]) -> None:
        node = self._graph[number]
        assert isinstance(node, SinkNode)
        if not isinstance(node.sink, KafkaSink):
            self._elements.setdefault(number, []).extend(elements)
        elif node.sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE:
            self._uncommitted += elements
        else:
            self._add_records(elements)

    def _add_records(self, records: Iterable[WrittenRecord]) -> None:
        for record in records:
            self._topics.setdefault(record.topic, []).append(record)

    def _commit(self) -> None:
        self._add_records(self._uncommitted)
        self._uncommitted = []

    def _commit_unless_periodic(self) -> None:
        if not self._interval_ms:
            self._commit()

    def _splits(self, node: SourceNode) -> list[TopicPartition]:
        assert isinstance(node.source, KafkaSource)
        match node.source.subscription:
            case PartitionSet(partitions=partitions):
                return sorted(partitions)
            case TopicList(topics=topics):
                return [TopicPartition(name, n) for name in topics for n in range(self._partitions.get(name, 1))]
            case _:
                return [TopicPartition(name, n) for name, number in self._partitions.items() for n in range(number)]

    def _names_of(self, node: SinkNode) -> list[str]:
        """Return the names of a sink; one that stands for what an operator's results would reach has the operator's."""
        if node.id >= 0:
            return [node.uid or node.name, node.name]
        operator = self._graph[node.input]
        return [operator.uid or operator.name, operator.name]


def _refuse(graph: JobGraph) -> None:
    """Refuse what needs Spark."""
    for node in graph.nodes:
        if not isinstance(node, SourceNode | OperatorNode | KeyedNode | SideOutputNode | UnionNode | SinkNode):
            raise UnsupportedFeatureError(
                "a test driver runs no SQL and no pipelines: their expressions and formats are Spark's",
                where=f"operator {node.name!r}",
                now="Test them on a session of Spark, with the broker of kafkastream.testing.",
            )
        if isinstance(node, SourceNode) and isinstance(getattr(node.source, "elements", None), FileContents):
            raise UnsupportedFeatureError(
                "a test driver reads no files",
                where=f"source {node.name!r}",
                now="Let the test's program read from_collection instead.",
            )


def _unknown(kind: str, name: str, known: list[str]) -> DefinitionError:
    names = ", ".join(map(repr, sorted(set(known)))) or "none"
    return DefinitionError(f"the job has no {kind} {name!r}", now=f"There are: {names}.")


def _topics(source: KafkaSource[Any]) -> set[str]:
    match source.subscription:
        case TopicList(topics=topics):
            return set(topics)
        case PartitionSet(partitions=partitions):
            return {partition.topic for partition in partitions}
        case _:
            return set()


def _by_split(arrivals: list[Arrival]) -> Iterator[Arrival]:
    """Yield arrivals, those of a partition together: on Spark, a task has all records of a partition."""
    by_split: dict[tuple[int, TopicPartition], list[Arrival]] = {}
    for arrival in arrivals:
        by_split.setdefault((arrival.source, arrival.partition), []).append(arrival)
    for (source, partition), own in by_split.items():
        records = [record for arrival in own for record in arrival.records]
        elements = [element for arrival in own for element in arrival.elements]
        yield Arrival(source, partition, records, elements)


def _bytes(text: str | bytes | None) -> bytes | None:
    return text.encode() if isinstance(text, str) else text
