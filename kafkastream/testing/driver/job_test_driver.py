"""``JobTestDriver``: runs a job in the test's own process, with records and time in the test's hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, final, overload

from typing_extensions import Self

from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.errors import DefinitionError
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.model.common.row import Row
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.formats import DeserializationSchema
from kafkastream.model.graph.job_graph import CollectionSource, JobGraph
from kafkastream.model.job.job_result import JobSettings
from kafkastream.operators.operator_state import OperatorState
from kafkastream.testing.driver.capturing_sinks import WrittenRecord
from kafkastream.testing.driver.driven_source import DrivenSource, unread_partition
from kafkastream.testing.driver.job_run import START_MS, JobRun
from kafkastream.testing.driver.job_snapshot import JobSnapshot
from kafkastream.testing.driver.node_lookup import (
    check_written_topic,
    find_keyed_operator,
    find_sinks,
    find_source,
)
from kafkastream.testing.driver.programs import check_needs_no_spark, has_queries, job_of, main_module

if TYPE_CHECKING:
    from kafkastream.testing.driver.sql.driven_table import DrivenTable

__all__ = ["JobTestDriver"]

__tracebackhide__ = True  # pytest shows no frames of this module between a test and its function

T = TypeVar("T")


@final
class JobTestDriver:
    """Runs a job in the test's own process: no Spark, no Java, no broker, and time stands still until the test moves it.

    The job's graph is the program's, with its sources and sinks of Kafka. Its operators, schemas, chains and state are those
    that run on Spark. Each record is a micro-batch of its own, after which watermarks move as in Flink, unless
    ``micro_batch`` takes several together.

    Differs from a job on Spark: sinks other than Kafka's keep their elements instead of writing them. Expressions of queries
    are computed in Python, those that are not need ``spark=True``. YAML pipelines are refused.

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
        now_ms: int = START_MS,
        restored: JobSnapshot | None = None,
        spark: bool = False,
    ) -> None:
        self._resources = ExitStack()
        if has_queries(graph):  # only jobs with SQL import it
            from kafkastream.testing.driver.sql.driven_graph import driven_graph

            graph = driven_graph(graph)
        check_needs_no_spark(graph)
        self._graph = graph
        self._partitions = partitions or {}
        self._run = JobRun(
            graph,
            settings,
            parallelism=parallelism or settings.parallelism or 1,
            partitions=self._partitions,
            now_ms=now_ms,
            restored=restored,
            spark=spark,
        )
        self._sources = [
            DrivenSource(self._run, node) for node in graph.sources if not isinstance(node.source, CollectionSource)
        ]

    @staticmethod
    def of(
        program: StreamExecutionEnvironment | Callable[..., object] | str | Path,
        *args: Any,
        parallelism: int | None = None,
        partitions: Mapping[str, int] | None = None,
        now_ms: int = START_MS,
        restored: JobSnapshot | None = None,
        spark: bool = False,
    ) -> JobTestDriver:
        """Return the driver of a program's job; nothing asks a broker.

        Args:
            program: Environment with the job's graph; or a function, or a script, that builds one and executes it. It is
                left at its first ``execute``.
            args: Arguments of the function, or of the script.
            parallelism: Number of subtasks; by default the job's, or 1.
            partitions: Number of partitions of topics; others have one.
            now_ms: Processing time at the start, in ms since 1970.
            restored: Snapshot of an earlier driver to continue from.
            spark: Whether a local Spark computes the expressions and formats of queries that are not computed in Python.
                It starts with the first driver that needs it, and stays until the process ends.

        Raises:
            DefinitionError: The program defines or executes no job.
            UnsupportedFeatureError: A query needs Spark, and ``spark`` is False; or the job is a YAML pipeline.
        """
        with ExitStack() as resources:
            if isinstance(program, str | Path):
                run_script = resources.enter_context(main_module(Path(program), args))
                graph, settings = job_of(run_script)
            else:
                graph, settings = job_of(program, *args)
            driver = JobTestDriver(
                graph,
                settings,
                parallelism=parallelism,
                partitions=partitions,
                now_ms=now_ms,
                restored=restored,
                spark=spark,
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
        return self._run.now_ms

    @property
    def printed(self) -> list[str]:
        """Lines that the job's ``print`` sinks have printed."""
        return self._run.outputs.printed

    @property
    def metrics(self) -> MetricsSnapshot:
        """Metrics of the job so far."""
        return self._run.outputs.metrics.snapshot()

    def source(self, name: str) -> DrivenSource:
        """Return the Kafka source with a name or uid, or the first one that reads the topic of that name.

        Raises:
            DefinitionError: There is none, with those that there are; or the driver cannot feed it.
        """
        return DrivenSource(self._run, find_source(self._graph, name, self._run.positions.partitions))

    def table(self, name: str) -> DrivenTable:
        """Return a table that a query of the job reads or writes.

        Args:
            name: Name of the table, with or without its catalog and database.

        Raises:
            DefinitionError: There is none, with those that there are.
        """
        from kafkastream.testing.driver.sql.driven_table import find_table

        return find_table(self._run, self._graph, name)

    @property
    def collected(self) -> list[Row]:
        """Changelog rows of the query that the program collects or prints itself."""
        from kafkastream.testing.driver.sql.driven_table import collected_rows

        return collected_rows(self._run, self._graph)

    def send(
        self,
        topic: str,
        value: str | bytes | None,
        *,
        timestamp: int | None = None,
        key: str | bytes | None = None,
        headers: Iterable[tuple[str, str | bytes | None]] = (),
        partition: int = 0,
    ) -> None:
        """Send a record to a topic: all sources that read it get the record; errors as of ``DrivenSource.send``.

        Args:
            topic: Topic.
            value: Value; text is encoded as UTF-8; None for a tombstone.
            timestamp: Timestamp in ms since 1970; by default, the processing time.
            key: Key.
            headers: Pairs of a name and a value.
            partition: Partition of the topic.
        """
        reading = [source for source in self._sources if source.reads(topic, partition)]
        if not reading:
            read = {split for source in self._sources for split in source.partitions}
            raise unread_partition(TopicPartition(topic, partition), read)
        for source in reading:
            source.send(value, timestamp=timestamp, key=key, headers=headers, partition=partition, topic=topic)

    def topic(self, name: str, *, isolation: str = "read_committed") -> list[WrittenRecord]:
        """Return the records that sinks have written to a topic, in their order.

        Args:
            name: Topic.
            isolation: ``read_committed``, or ``read_uncommitted`` with the records of transactions that exactly-once sinks
                have not committed: they commit with each micro-batch, or with checkpoints if the job has an interval for
                them, which ``advance`` and ``checkpoint`` make.

        Raises:
            DefinitionError: No sink writes to the topic, with the topics that sinks write to.
        """
        of_tables = None
        if has_queries(self._graph):
            from kafkastream.testing.driver.sql.driven_table import written_records

            of_tables = written_records(self._run, self._graph, name, self._partitions.get(name, 1))
        if of_tables is None:
            check_written_topic(self._graph, name)
        records = self._run.outputs.records(name, with_uncommitted=isolation == "read_uncommitted")
        return [*records, *(of_tables or ())]

    @overload
    def values(self, topic: str) -> list[bytes | None]: ...
    @overload
    def values(self, topic: str, schema: DeserializationSchema[T]) -> list[T | None]: ...
    def values(self, topic: str, schema: DeserializationSchema[Any] | None = None) -> list[Any]:
        """Return the values of the records of a topic that sinks have written and committed, in their order.

        Args:
            topic: Topic.
            schema: Deserializes the values; by default they are bytes. None stays None.

        Raises:
            DefinitionError: No sink writes to the topic, with the topics that sinks write to.
        """
        values = [record.value for record in self.topic(topic)]
        if schema is None:
            return values
        return [None if value is None else schema.deserialize(value) for value in values]

    def sink(self, name: str) -> list[Any]:
        """Return the elements that have reached the sinks of a name, other than Kafka's, or an operator that nothing reads.

        Args:
            name: Name or uid of the sink; for an operator that nothing reads, the operator's.

        Raises:
            DefinitionError: There is none, with those that there are.
        """
        return self._run.outputs.elements(find_sinks(self._graph, name))

    def timestamped(self, name: str) -> list[tuple[Any, int | None]]:
        """Return the elements as ``sink`` does, each with its timestamp in ms; None without one.

        Args:
            name: Name or uid of the sink; for an operator that nothing reads, the operator's.
        """
        return self._run.outputs.timestamped(find_sinks(self._graph, name))

    def operator(self, name: str) -> OperatorState:
        """Return the keyed state and timers of the operator with a uid or name.

        Raises:
            DefinitionError: There is none, with those that there are.
        """
        node = find_keyed_operator(self._graph, name)
        return self._run.operator_state(node)

    def micro_batch(self) -> AbstractContextManager[None]:
        """Take all records that are sent within a ``with`` block as one micro-batch, as Spark does.

        Watermarks move after it: none of its elements is late because of another one of them.
        """
        return self._run.micro_batch()

    def advance(self, ms: int) -> None:
        """Advance the processing time, and fire the timers and make the checkpoints that become due, each at its time.

        Args:
            ms: Milliseconds.

        Raises:
            DefinitionError: They are negative.
        """
        if ms < 0:
            raise DefinitionError(f"the processing time cannot go back by {-ms} ms", where="advance")
        self._run.advance(ms)

    def checkpoint(self) -> None:
        """Make a checkpoint: what exactly-once sinks have written becomes visible."""
        self._run.checkpoint()

    def snapshot(self) -> JobSnapshot:
        """Return the state of the job, from which another driver continues: of this program, or of its next version."""
        return self._run.snapshot()

    def finish(self) -> None:
        """End the input of all sources, as at the end of bounded ones: event time ends, and all windows fire.

        Sources of one part of the job end at once; parts in the order of the program, each after it has read what the job
        has written to its topics.
        """
        positions = self._run.positions
        for part in self._graph.components():
            self._run.commit_all()
            self._run.end(
                node
                for node in part.sources
                if positions.partitions(node) or not isinstance(node.source, CollectionSource)
            )
        self._run.commit_all()

    def close(self) -> None:
        """Close the job's functions; the driver cannot be used any more.

        Raises:
            UserFunctionError: A ``close`` raised.
        """
        with self._resources:
            self._run.close()
