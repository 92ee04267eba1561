"""Where a job is put together and started."""

from __future__ import annotations

import enum
import itertools
import logging
from collections.abc import Iterable
from typing import Any, TypeVar, final

import attrs

from kafkastream.datastream.checkpoint_config import CheckpointConfig, CheckpointingMode
from kafkastream.datastream.data_stream import CloseableIterator, DataStream, checked_parallelism
from kafkastream.errors import DefinitionError
from kafkastream.metrics.reporters import reporters_of
from kafkastream.options import job as options
from kafkastream.spec.configuration import Configuration
from kafkastream.spec.graph import CollectionSource, JobGraph, Node, SinkNode, SourceNode
from kafkastream.spec.job import JobClient, JobExecutionResult, JobSettings, RunningJob
from kafkastream.spec.legacy import FlinkKafkaConsumer
from kafkastream.spec.plan import execution_plan
from kafkastream.spec.source import Boundedness, KafkaSource
from kafkastream.spec.types import TypeInformation
from kafkastream.spec.watermark import WatermarkStrategy

__all__ = ["RuntimeExecutionMode", "StreamExecutionEnvironment"]

T = TypeVar("T")

log = logging.getLogger("kafkastream")


class RuntimeExecutionMode(enum.Enum):
    """How a job with bounded sources may run; the results are the same."""

    STREAMING = 0
    BATCH = 1
    AUTOMATIC = 2


@final
class StreamExecutionEnvironment:
    """Where a job is put together, and started by ``execute``.

    Nothing runs, and no JVM starts, before ``execute``, ``execute_async`` or ``execute_and_collect``.

    Example:
        >>> env = StreamExecutionEnvironment.get_execution_environment()
        >>> env.set_parallelism(2).get_parallelism()
        2
    """

    def __init__(self, configuration: Configuration | None = None) -> None:
        self._configuration = Configuration(configuration)
        self._nodes: dict[int, Node] = {}
        self._ids = itertools.count(1)

    @staticmethod
    def get_execution_environment(configuration: Configuration | None = None) -> StreamExecutionEnvironment:
        """A new environment, with Flink's configuration keys if given."""
        return StreamExecutionEnvironment(configuration)

    getExecutionEnvironment = get_execution_environment

    def configure(self, configuration: Configuration) -> StreamExecutionEnvironment:
        """Take over all settings of ``configuration``."""
        self._configuration.add_all(configuration)
        return self

    def get_configuration(self) -> Configuration:
        """The environment's settings."""
        return self._configuration

    getConfiguration = get_configuration

    def set_parallelism(self, parallelism: int) -> StreamExecutionEnvironment:
        """The parallelism of operators without one of their own; the number of Spark's cores if not set."""
        self._configuration.set_integer(options.PARALLELISM.key, checked_parallelism(parallelism))
        return self

    setParallelism = set_parallelism

    def get_parallelism(self) -> int:
        """The default parallelism, or -1 when Spark's cores decide."""
        return self._configuration.get(options.PARALLELISM) or -1

    getParallelism = get_parallelism

    def set_runtime_mode(self, execution_mode: RuntimeExecutionMode) -> StreamExecutionEnvironment:
        """STREAMING, BATCH or AUTOMATIC; BATCH asks for bounded sources. The results are the same."""
        self._configuration.set_string(options.RUNTIME_MODE.key, execution_mode.name)
        return self

    setRuntimeMode = set_runtime_mode

    def enable_checkpointing(
        self, interval: int, mode: CheckpointingMode = CheckpointingMode.EXACTLY_ONCE
    ) -> StreamExecutionEnvironment:
        """Keep the job's progress across restarts, in the checkpoint directory; ``interval`` is in ms."""
        self.get_checkpoint_config().set_checkpoint_interval(interval).set_checkpointing_mode(mode)
        return self

    enableCheckpointing = enable_checkpointing

    def get_checkpoint_config(self) -> CheckpointConfig:
        """The settings of checkpointing."""
        return CheckpointConfig(self._configuration)

    getCheckpointConfig = get_checkpoint_config

    def add_jars(self, *jars_path: str) -> None:
        """Accepted for ported jobs: no jar of Flink is needed here."""
        log.info("add_jars: not needed on Spark: %s", ", ".join(jars_path))

    addJars = add_jars

    def add_classpaths(self, *classpaths: str) -> None:
        """Accepted for ported jobs: no jar of Flink is needed here."""
        log.info("add_classpaths: not needed on Spark: %s", ", ".join(classpaths))

    addClasspaths = add_classpaths

    def from_source(
        self,
        source: KafkaSource[T],
        watermark_strategy: WatermarkStrategy[Any],
        source_name: str,
        type_info: TypeInformation[T] | None = None,
    ) -> DataStream[T]:
        """A stream of what ``source`` reads.

        Differs from PyFlink: a ``TimestampAssigner`` written in Python is honoured here; PyFlink drops it silently.
        """
        if not isinstance(source, KafkaSource):
            raise TypeError(f"from_source takes a KafkaSource, not {type(source).__name__}")
        return self._begin(source, watermark_strategy, source_name, type_info or source.get_produced_type())

    fromSource = from_source

    def add_source(
        self,
        source_func: FlinkKafkaConsumer[T],
        source_name: str = "Custom Source",
        type_info: TypeInformation[T] | None = None,
    ) -> DataStream[T]:
        """A stream of what a consumer of Flink 1.x reads.

        Raises:
            DefinitionError: The consumer lacks a property, or one is wrong.
        """
        if not isinstance(source_func, FlinkKafkaConsumer):
            raise TypeError(f"add_source takes a FlinkKafkaConsumer, not {type(source_func).__name__}")
        return self.from_source(source_func.to_source(), source_func.watermarks, source_name, type_info)

    addSource = add_source

    def from_collection(self, collection: Iterable[T], type_info: TypeInformation[T] | None = None) -> DataStream[T]:
        """A bounded stream of elements that the program holds itself."""
        source = CollectionSource(tuple(collection))
        return self._begin(source, WatermarkStrategy.no_watermarks(), "Collection Source", type_info)

    fromCollection = from_collection
    fromData = from_collection

    def from_elements(self, *elements: T) -> DataStream[T]:
        """A bounded stream of the arguments."""
        return self.from_collection(elements)

    fromElements = from_elements

    def get_execution_plan(self) -> str:
        """The job graph as JSON, in the shape of Flink's plan.

        Differs from Flink: a node that makes watermarks tells how, as ``watermarks``.
        """
        return execution_plan(self._graph(), self.get_parallelism())

    getExecutionPlan = get_execution_plan

    def execute(self, job_name: str | None = None) -> JobExecutionResult:
        """Run all that was built and wait for the end; Ctrl-C stops after the running micro-batch.

        Raises:
            KafkastreamError: The job cannot start, or has failed.
        """
        return self._start(job_name).wait()

    def execute_async(self, job_name: str | None = None) -> JobClient:
        """Run all that was built and return at once.

        Raises:
            KafkastreamError: The job cannot start.
        """
        return JobClient(self._start(job_name))

    executeAsync = execute_async

    def _begin(
        self,
        source: KafkaSource[Any] | CollectionSource,
        strategy: WatermarkStrategy[Any],
        name: str,
        output_type: TypeInformation[T] | None,
    ) -> DataStream[T]:
        node = SourceNode(id=self._next_id(), name=name, source=source, watermarks=strategy, output_type=output_type)
        return DataStream(self, self._add(node))

    def _next_id(self) -> int:
        return next(self._ids)

    def _add(self, node: Node) -> int:
        self._nodes[node.id] = node
        return node.id

    def _node(self, node_id: int) -> Node:
        return self._nodes[node_id]

    def _change(self, node_id: int, **changes: Any) -> None:
        self._nodes[node_id] = attrs.evolve(self._nodes[node_id], **changes)

    def _graph(self) -> JobGraph:
        graph = JobGraph(tuple(self._nodes.values())).reaching_sinks()
        if not graph.sinks:
            raise DefinitionError(
                "No operators defined in streaming topology. Cannot execute.", now="End a stream with sink_to or print."
            )
        if self._configuration.get(options.RUNTIME_MODE) == RuntimeExecutionMode.BATCH.name:
            _refuse_unbounded(graph)
        return graph.with_dead_letters()

    def _settings(self, job_name: str | None) -> JobSettings:
        read = self._configuration.get
        for option in (options.RESTART_STRATEGY, options.PYTHON_FILES):
            if self._configuration.contains_key(option.key):
                log.warning("%s is set, but has no effect yet", option.key)
        return JobSettings(
            name=job_name or read(options.JOB_NAME),
            parallelism=read(options.PARALLELISM),
            checkpoint_dir=read(options.CHECKPOINT_DIR),
            checkpoint_interval_ms=read(options.CHECKPOINT_INTERVAL),
            reporters=reporters_of(self._configuration.to_dict()),
        )

    def _start(self, job_name: str | None) -> RunningJob:
        from kafkastream.spark import engine

        graph = self._graph()
        self._drop_sinks()
        return engine.start(graph, self._settings(job_name))

    def _collect(self, job_name: str | None) -> CloseableIterator[Any]:
        from kafkastream.spark import engine

        graph = self._graph()
        self._drop_sinks()
        return engine.start_and_collect(graph, self._settings(job_name))

    def _drop_sinks(self) -> None:
        """What was started is not started again by the next ``execute``, as in Flink."""
        self._nodes = {i: node for i, node in self._nodes.items() if not isinstance(node, SinkNode)}


def _refuse_unbounded(graph: JobGraph) -> None:
    for node in graph.sources:
        source = node.source
        if isinstance(source, KafkaSource) and source.boundedness is not Boundedness.BOUNDED:
            raise DefinitionError(
                "an unbounded source cannot run in BATCH mode",
                where=f"source {node.name!r}",
                now="Call set_bounded on the source's builder, or use STREAMING.",
            )
