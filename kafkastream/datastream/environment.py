"""``StreamExecutionEnvironment``: creates streams, builds the job graph, and executes the job."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, TypeVar, final

import attrs

from kafkastream.datastream.early_checks import check_early, import_engine
from kafkastream.datastream.environment_settings import EnvironmentSettings
from kafkastream.datastream.execution_mode import RuntimeExecutionMode
from kafkastream.datastream.handing_over import hand_over
from kafkastream.datastream.stream import DataStream
from kafkastream.datastream.stream_outputs import CloseableIterator
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.element_types import typed_elements
from kafkastream.model.common.endpoints import Source
from kafkastream.model.common.html import html_table
from kafkastream.model.common.snapshot import snapshot
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.connectors import split_source
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.legacy_connectors import FlinkKafkaConsumer
from kafkastream.model.connectors.number_sequence import NumberSequenceSource
from kafkastream.model.graph.execution_plan import execution_plan
from kafkastream.model.graph.job_graph import (
    CollectionSource,
    JobGraph,
    Node,
    SideOutputNode,
    SinkNode,
    SourceNode,
    UnionNode,
)
from kafkastream.model.job.configuration import Configuration
from kafkastream.model.job.job_result import JobClient, JobExecutionResult, JobSettings, RunningJob
from kafkastream.model.job.job_settings import job_settings
from kafkastream.options import job as options

__all__ = ["StreamExecutionEnvironment"]

T = TypeVar("T")

log = logging.getLogger("kafkastream")


@final
@checked_methods
class StreamExecutionEnvironment(EnvironmentSettings):
    """Entry point of the DataStream API: creates streams from sources and executes the job.

    Nothing runs, and no JVM starts, before ``execute``, ``execute_async`` or ``execute_and_collect``.

    Example:
        >>> env = StreamExecutionEnvironment.get_execution_environment()
        >>> env.set_parallelism(2).get_parallelism()
        2
    """

    _j_stream_execution_environment = Refused()

    def __init__(self, configuration: Configuration | None = None) -> None:
        super().__init__(Configuration(configuration))
        self._nodes: dict[int, Node] = {}
        self._unstarted: set[int] = set()
        self._ids = itertools.count(1)

    def _repr_html_(self) -> str:
        """Return the operators declared so far for a notebook."""
        default = self.get_parallelism()
        rows = [(str(node.id), node.label, str(node.parallelism or default)) for node in self._nodes.values()]
        return html_table(["id", "operator", "parallelism"], rows)

    @staticmethod
    def get_execution_environment(configuration: Configuration | None = None) -> StreamExecutionEnvironment:
        """Create an environment.

        Differs from Flink: there is no cluster to submit to; the job runs on the Spark session of the program.

        Args:
            configuration: Settings under Flink's keys, such as ``execution.checkpointing.interval``.
        """
        return StreamExecutionEnvironment(configuration)

    getExecutionEnvironment = get_execution_environment

    def from_source(
        self,
        source: Source[T],
        watermark_strategy: WatermarkStrategy[Any],
        source_name: str,
        type_info: TypeInformation[T] | None = None,
    ) -> DataStream[T]:
        """Create a stream that reads a source.

        Differs from PyFlink: a ``TimestampAssigner`` written in Python takes effect here; PyFlink ignores it silently.
        Same as in Flink: watermarks are generated per Kafka partition, and a partition without records holds them back
        unless the strategy has ``with_idleness``.

        Args:
            source: ``KafkaSource``, ``FileSource``, ``NumberSequenceSource``, or a source of your own
                (``kafkastream.connect.Source``).
            watermark_strategy: Timestamps and watermarks; ``WatermarkStrategy.no_watermarks()`` if no operator needs
                event time.
            source_name: Name of the operator in plans, metrics and errors.
            type_info: Type of the elements, if the source does not declare it.

        Raises:
            UnsupportedFeatureError: The strategy has watermark alignment, and the source is not a ``KafkaSource``.
        """
        type_info = type_info or source.get_produced_type()
        if isinstance(source, split_source.Source) and watermark_strategy.alignment is not None:
            raise UnsupportedFeatureError(
                "a source of your own cannot wait for other sources",
                where=f"source {source_name!r}, with_watermark_alignment",
                now="Leave it out, or let latest_offsets of its enumerator return less while it is ahead.",
            )
        return self._begin(_begun(source), watermark_strategy, source_name, type_info)

    fromSource = from_source

    def add_source(
        self,
        source_func: FlinkKafkaConsumer[T],
        source_name: str = "Custom Source",
        type_info: TypeInformation[T] | None = None,
    ) -> DataStream[T]:
        """Create a stream that reads a ``FlinkKafkaConsumer`` of Flink 1.x; new jobs use ``from_source``.

        Args:
            source_func: Consumer.
            source_name: Name of the operator in plans, metrics and errors.
            type_info: Type of the elements, if the consumer's schema does not declare it.

        Raises:
            DefinitionError: A property of the consumer is missing or invalid.
        """
        return self.from_source(source_func.to_source(), source_func.watermarks, source_name, type_info)

    addSource = add_source

    def from_collection(self, collection: Iterable[T], type_info: TypeInformation[T] | None = None) -> DataStream[T]:
        """Create a bounded stream of elements that the program holds.

        Args:
            collection: Elements; they are copied now, and pickled with the job.
            type_info: Type into which the elements are converted; without one they stay Python objects.

        Raises:
            DefinitionError: An element is not of the type.
        """
        elements: Sequence[object] = snapshot(tuple(collection))
        if type_info is not None:
            elements = typed_elements(elements, type_info)
        return self._begin(
            CollectionSource(tuple(elements)), WatermarkStrategy.no_watermarks(), "Collection Source", type_info
        )

    fromCollection = from_collection
    fromData = from_collection

    def from_elements(self, *elements: T) -> DataStream[T]:
        """Create a bounded stream of ``elements``, in their order."""
        return self.from_collection(elements)

    fromElements = from_elements

    def from_sequence(self, start: int, end: int) -> DataStream[int]:
        """Create a bounded stream of whole numbers; Java's method, which PyFlink lacks.

        Args:
            start: First number.
            end: Last number, included.

        Raises:
            DefinitionError: ``end`` is less than ``start``.

        Example:
            >>> env = StreamExecutionEnvironment.get_execution_environment()
            >>> env.from_sequence(1, 3).map(lambda number: number * number).get_name()
            'Map'
        """
        return self.from_source(NumberSequenceSource(start, end), WatermarkStrategy.no_watermarks(), "Sequence Source")

    fromSequence = from_sequence

    def read_text_file(self, file_path: str, charset_name: str = "UTF-8") -> NoReturn:
        """Not supported, as in Flink 2: read files with ``FileSource``.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "read_text_file was removed in Flink 2",
            where=f"read_text_file({file_path!r})",
            now="env.from_source(FileSource.for_record_stream_format(StreamFormat.text_line_format(), path).build(), "
            "WatermarkStrategy.no_watermarks(), name)",
        )

    readTextFile = read_text_file

    def socket_text_stream(self, hostname: str, port: int, delimiter: str = "\n", max_retry: int = 0) -> NoReturn:
        """Not supported: a socket cannot be read again after a failure.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "socket sources are not supported",
            where=f"socket_text_stream({hostname!r}, {port})",
            now='Write the lines to a topic. For tests, Spark has such a source: spark.readStream.format("socket").',
        )

    socketTextStream = socket_text_stream

    def create_input(self, input_format: object, type_info: TypeInformation[Any] | None = None) -> NoReturn:
        """Not supported: input formats are Java classes.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "input formats are not supported",
            where=f"create_input({type(input_format).__name__})",
            now="spark.read and spark.readStream read files of many formats.",
        )

    createInput = create_input

    def close(self) -> None:
        """Do nothing: jobs end with their sources or with ``JobClient.cancel``."""

    def get_execution_plan(self) -> str:
        """Return the job graph as JSON, in the format of Flink's plan visualizer.

        Differs from Flink: nodes that generate watermarks have a field ``watermarks``.

        Raises:
            DefinitionError: No stream ends in a sink.
        """
        return execution_plan(self._graph(), self.get_parallelism())

    getExecutionPlan = get_execution_plan

    def execute(self, job_name: str | None = None) -> JobExecutionResult:
        """Execute the job and wait until it ends.

        Ctrl-C stops the job after the running micro-batch.
        Same as in Flink: sinks that were executed are not executed again by the next call.

        Args:
            job_name: Name of the job; also the name of its folder in the checkpoint directory, so keep it across
                restarts.

        Raises:
            KafkastreamError: The job cannot start, or has failed.
        """
        return self._start(job_name).wait()

    def execute_async(self, job_name: str | None = None) -> JobClient:
        """Execute the job in the background.

        Args:
            job_name: Name of the job, as for ``execute``.

        Returns:
            Client to wait for the job, cancel it, and read its metrics.

        Raises:
            KafkastreamError: The job cannot start.
        """
        return JobClient(self._start(job_name))

    executeAsync = execute_async

    def _begin(
        self,
        source: KafkaSource[Any] | split_source.Source[Any] | CollectionSource,
        strategy: WatermarkStrategy[Any],
        name: str,
        output_type: TypeInformation[T] | None,
    ) -> DataStream[T]:
        node = SourceNode(
            id=self._next_id(), name=name, source=source, watermarks=snapshot(strategy), output_type=output_type
        )
        return DataStream(self, self._add(node))

    def _next_id(self) -> int:
        return next(self._ids)

    def _add(self, node: Node) -> int:
        self._nodes[node.id] = node
        if node.copy_of is not None:  # a table reads the operator, which runs with the table's query
            self._unstarted.discard(node.copy_of)
        elif not isinstance(node, (SourceNode, UnionNode, SideOutputNode)):
            self._unstarted.add(node.id)
        return node.id

    def _node(self, node_id: int) -> Node:
        return self._nodes[node_id]

    def _change(self, node_id: int, **changes: Any) -> None:
        self._nodes[node_id] = attrs.evolve(self._nodes[node_id], **changes)

    def _graph(self) -> JobGraph:
        if not self._unstarted:
            raise DefinitionError(
                "No operators defined in streaming topology. Cannot execute.",
                now="Apply an operator to a source, and end a stream with sink_to or print.",
            )
        graph = JobGraph(tuple(self._nodes.values())).reaching(*self._unstarted)
        mode = RuntimeExecutionMode[self._get(options.RUNTIME_MODE)]
        if mode is RuntimeExecutionMode.BATCH:
            _refuse_unbounded(graph)
        if mode is RuntimeExecutionMode.BATCH or (
            mode is RuntimeExecutionMode.AUTOMATIC and not graph.unbounded_sources
        ):
            _refuse_queries(graph, mode)
            graph = graph.in_batch_mode()
        if not self._get(options.AUTO_GENERATED_UIDS):
            _refuse_without_uid(graph)
        return graph.with_distinct_uids().with_dead_letters()

    def _checked_graph(self, job_name: str | None) -> tuple[JobGraph, JobSettings]:
        """Return the job graph and its settings, after a check of its topics, and import the engine, which takes longer."""
        graph, settings = self._graph().with_discarding_sinks(), self._settings(job_name)
        hand_over(graph, settings)
        check_early(graph)
        import_engine()
        return graph, settings

    def _settings(self, job_name: str | None) -> JobSettings:
        return job_settings(self._configuration, job_name)

    def _start(self, job_name: str | None) -> RunningJob:
        graph, settings = self._checked_graph(job_name)
        from kafkastream.spark.job import engine

        self._forget_started()
        return engine.start(graph, settings)

    def _collect(self, job_name: str | None) -> CloseableIterator[Any]:
        graph, settings = self._checked_graph(job_name)
        from kafkastream.spark.job import engine

        self._forget_started()
        return engine.start_and_collect(graph, settings)

    def _forget_started(self) -> None:
        """Let the next ``execute`` start only operators and sinks that are defined from now on, and what they read.

        Same as in Flink, where ``execute`` clears the list of transformations:
        https://github.com/apache/flink/blob/release-2.2.1/flink-runtime/src/main/java/org/apache/flink/streaming/api/environment/StreamExecutionEnvironment.java
        """
        self._nodes = {i: node for i, node in self._nodes.items() if not isinstance(node, SinkNode)}
        self._unstarted = set()


def _begun(source: Source) -> KafkaSource[Any] | split_source.Source[Any] | CollectionSource:
    """Return the source as the job graph represents it."""
    if isinstance(source, (KafkaSource, split_source.Source)):
        return source
    return CollectionSource(source.elements)


def _refuse_unbounded(graph: JobGraph) -> None:
    for node in graph.unbounded_sources:
        raise DefinitionError(
            "an unbounded source cannot run in BATCH mode",
            where=f"source {node.name!r}",
            now="Call set_bounded on the source's builder, or use STREAMING.",
        )


def _refuse_queries(graph: JobGraph, mode: RuntimeExecutionMode) -> None:
    """Refuse SQL queries, which emit a changelog where Flink's BATCH mode emits final results."""
    from kafkastream.sql.plan.query_node import QueryNode, StreamNode

    for node in graph.nodes:
        if isinstance(node, (QueryNode, StreamNode)):
            raise UnsupportedFeatureError(
                f"SQL queries cannot run in runtime mode {mode.name}",
                where=f"query {node.name!r}",
                now="Use STREAMING: the query ends with its input, and the last change of each key is its result.",
            )


def _refuse_without_uid(graph: JobGraph) -> None:
    nameless = [
        node.label for node in graph.nodes if node.uid is None and not isinstance(node, (SideOutputNode, UnionNode))
    ]
    if nameless:
        raise DefinitionError(
            f"auto-generated uids are disabled, and these operators have none: {', '.join(nameless)}",
            now="Call uid on each, or get_config().enable_auto_generated_uids().",
        )
