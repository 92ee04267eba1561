"""View of a job: numbers per operator and partition, as frozen values that the REST interface and the page show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Final, final

import attrs

from kafkastream.metrics.history import CompletedBatch, Failure, Sample
from kafkastream.metrics.shown_text import number_text
from kafkastream.metrics.snapshot import MetricsSnapshot, ReportedMetric
from kafkastream.metrics.values import DistributionValue, MeterValue, MetricValue
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.graph.execution_plan import ship_strategies
from kafkastream.model.graph.flow_text import flow_text
from kafkastream.model.graph.job_graph import JobGraph, Node, SinkNode, SourceNode, distinct_names
from kafkastream.model.job.job_result import JobStatus
from kafkastream.options.job import JOB_PARAMETERS
from kafkastream.page.health import Health, health_of
from kafkastream.page.job_state import JobFacts, JobState
from kafkastream.secret_masking import masked_value

__all__ = ["Edge", "JobView", "PartitionView", "Setting", "Vertex", "job_view", "metric_text", "vertex_id"]

_RATE_SPAN_MS: Final = 60_000


@final
@attrs.frozen(kw_only=True)
class Edge:
    """Edge of the job graph between two vertices, with Flink's ship strategy."""

    start: str
    end: str
    ship_strategy: str


@final
@attrs.frozen(kw_only=True)
class Vertex:
    """Source, operator or sink, with its numbers.

    Args:
        id: 32 hexadecimal digits, as in Flink.
        node: Id in the execution plan.
        name: Name in the execution plan.
        operator: Name in metrics, which has a number if several operators have the same name.
        kind: ``source``, ``operator`` or ``sink``.
        description: Description in the execution plan.
        endpoint: Topics or other target of a source or sink; empty for an operator.
        parallelism: Number of subtasks.
        records_in: Number of elements received; None if unknown.
        records_out: Number of elements emitted; None if unknown.
        in_per_second: Rate of received elements over the last minute.
        out_per_second: Rate of emitted elements over the last minute.
        lag: Records that wait in the topics of a source; None if unknown.
        watermark_ms: Watermark after the operator; None if there is none.
        idle: Number of idle partitions of a source.
    """

    id: str
    node: int
    name: str
    operator: str
    kind: str
    description: str
    endpoint: str
    parallelism: int
    records_in: int | None = None
    records_out: int | None = None
    in_per_second: float | None = None
    out_per_second: float | None = None
    lag: int | None = None
    watermark_ms: int | None = None
    idle: int = 0


@final
@attrs.frozen(kw_only=True)
class PartitionView:
    """Progress of a source in one partition; see ``PartitionStanding``."""

    vertex: str
    source: str
    topic: str
    partition: int
    offset: int
    end: int | None
    lag: int | None
    committed: int | None
    watermark_ms: int | None
    is_idle: bool


@final
@attrs.frozen
class Setting:
    """Setting of a job, or property of one of its sources, with secrets masked."""

    of: str
    key: str
    value: str


@final
@attrs.frozen(kw_only=True)
class JobView:
    """View of a job at a point in time.

    Args:
        id: Identity of the job.
        name: Name of the job.
        flow: Sources and sinks in one line.
        status: Status of the job.
        health: Health of the job.
        reached_ms: Time in ms since 1970 at which it last reached each status.
        now_ms: Time of the view in ms since 1970.
        began_ms: Time of the start in ms since 1970.
        ended_ms: Time of the end in ms since 1970; None while it runs.
        records: Records read since the start.
        left: Records still to be read by bounded sources; None otherwise.
        lag: Records that wait in the topics; None if unknown.
        watermark_ms: Lowest watermark of the sources; None if there is none.
        per_second: Rate of records read over the last minute.
        activity: Activity of each query, in Spark's words.
        vertices: Sources, operators and sinks.
        edges: Edges between them.
        partitions: Progress in each partition.
        batches: Last micro-batches, the oldest first.
        completed: Number of all completed micro-batches.
        failures: Last failures, the oldest first.
        restarts: Number of restarts.
        samples: Samples of the progress, the oldest first.
        settings: Settings, with secrets masked.
        metrics: Metrics of operators and of the job.
        checkpoint_dir: Checkpoint directory; None for a temporary one.
        spark_page: Address of Spark's web interface; None if it is switched off.
    """

    id: str
    name: str
    flow: str
    status: JobStatus
    health: Health
    reached_ms: Mapping[JobStatus, int]
    now_ms: int
    began_ms: int
    ended_ms: int | None
    records: int
    left: int | None
    lag: int | None
    watermark_ms: int | None
    per_second: float
    activity: tuple[str, ...]
    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]
    partitions: tuple[PartitionView, ...]
    batches: tuple[CompletedBatch, ...]
    completed: int
    failures: tuple[Failure, ...]
    restarts: int
    samples: tuple[Sample, ...]
    settings: tuple[Setting, ...]
    metrics: tuple[ReportedMetric, ...]
    checkpoint_dir: str | None
    spark_page: str | None

    @property
    def duration_ms(self) -> int:
        """Time since the start, or until the end, in ms."""
        return (self.ended_ms or self.now_ms) - self.began_ms

    def vertex(self, vertex: str) -> Vertex | None:
        """Return a vertex by its id, or None."""
        return next((candidate for candidate in self.vertices if candidate.id == vertex), None)

    def metrics_of(self, vertex: Vertex) -> Iterator[ReportedMetric]:
        """Yield the metrics of a vertex."""
        return (metric for metric in self.metrics if metric.operator == vertex.operator)


def vertex_id(node: Node) -> str:
    """Return the id of a node in the REST interface: 32 hexadecimal digits, stable while its uid or its place in the graph is."""
    identity = f"{node.uid or ''}/{node.id if node.uid is None or node.is_copy else ''}"
    return blake2b(identity.encode(), digest_size=16).hexdigest()


def metric_text(value: MetricValue) -> str:
    """Return the value of a metric as Flink's REST interface has it: the rate of a meter, the mean of a distribution."""
    match value:
        case bool():
            return str(value).lower()
        case MeterValue(rate=rate):
            return number_text(rate)
        case DistributionValue():
            return number_text(value.mean)
        case str():
            return value
        case _:
            return number_text(value)


def job_view(facts: JobFacts, state: JobState) -> JobView:
    """Return the view of a job from its facts and its state."""
    standing, history, status = state.standing, state.history, state.status
    vertices = tuple(_vertices(facts, state))
    ids = {vertex.node: vertex for vertex in vertices}
    began = min(state.reached_ms.values())
    ended = state.reached_ms[status] if status.is_terminal_state() else None
    restarts = [m.value for m in state.metrics.metrics if not m.operator and m.path == "numRestarts"]
    return JobView(
        id=str(facts.job_id),
        name=facts.settings.name,
        flow=flow_text(facts.graph),
        status=status,
        health=health_of(state),
        reached_ms=state.reached_ms,
        now_ms=state.now_ms,
        began_ms=began,
        ended_ms=ended,
        records=0 if standing is None else standing.records,
        left=None if standing is None else standing.left,
        lag=None if standing is None else standing.lag,
        watermark_ms=None if standing is None else standing.watermark_ms,
        per_second=sum(vertex.out_per_second or 0 for vertex in vertices if vertex.kind == "source"),
        activity=state.activity,
        vertices=vertices,
        edges=tuple(_edges(facts.graph, ids)),
        partitions=tuple(_partitions(state, ids)),
        batches=history.batches,
        completed=history.completed,
        failures=history.failures,
        restarts=next((value for value in restarts if isinstance(value, int)), 0),
        samples=history.samples,
        settings=tuple(_settings(facts)),
        metrics=state.metrics.metrics,
        checkpoint_dir=facts.settings.checkpoint_dir,
        spark_page=facts.spark_page,
    )


def _vertices(facts: JobFacts, state: JobState) -> Iterator[Vertex]:
    nodes = facts.graph.nodes
    names = distinct_names(node.label for node in nodes)
    watermarks = _watermarks(facts.graph, state)
    rate_factor = _rate_factor(state)
    for node, name in zip(nodes, names, strict=True):
        operator_metrics = state.metrics.of_operator(name)
        partitions = [partition for partition in state.partitions if partition.node == node.id]
        lags = [partition.lag for partition in partitions if partition.lag is not None]
        yield Vertex(
            id=vertex_id(node),
            node=node.id,
            name=node.label,
            operator=name,
            kind="source" if isinstance(node, SourceNode) else "sink" if isinstance(node, SinkNode) else "operator",
            description=node.description or node.label,
            endpoint=_endpoint(node, facts.graph),
            parallelism=node.parallelism or facts.parallelism,
            records_in=_sum_counter(operator_metrics, "numRecordsIn"),
            records_out=_sum_counter(operator_metrics, "numRecordsOut"),
            in_per_second=_sum_rates(operator_metrics, "numRecordsInPerSecond", rate_factor),
            out_per_second=_sum_rates(operator_metrics, "numRecordsOutPerSecond", rate_factor),
            lag=sum(lags) if lags else None,
            watermark_ms=watermarks.get(node.id),
            idle=sum(partition.is_idle for partition in partitions),
        )


def _watermarks(graph: JobGraph, state: JobState) -> dict[int, int]:
    """Return the watermark after each node: the reported one, or the lowest of its inputs."""
    watermarks: dict[int, int] = {}
    for node in graph.nodes:
        if node.id in state.watermarks:
            watermarks[node.id] = state.watermarks[node.id]
        elif node.inputs and all(input_ in watermarks for input_ in node.inputs):
            watermarks[node.id] = min(watermarks[input_] for input_ in node.inputs)
    return watermarks


def _rate_factor(state: JobState) -> float:
    """Return the factor that corrects rates of a young job: metrics divide by the whole span, also if the job is younger."""
    age = state.now_ms - state.reached_ms.get(JobStatus.RUNNING, state.now_ms)
    return _RATE_SPAN_MS / min(max(age, 1_000), _RATE_SPAN_MS)


def _sum_counter(operator_metrics: MetricsSnapshot, name: str) -> int | None:
    counts = [
        metric.value for metric in operator_metrics.metrics if metric.path == name and isinstance(metric.value, int)
    ]
    return sum(counts) if counts else None


def _sum_rates(operator_metrics: MetricsSnapshot, name: str, factor: float) -> float | None:
    rates = [
        metric.value.rate
        for metric in operator_metrics.metrics
        if metric.path == name and isinstance(metric.value, MeterValue)
    ]
    return sum(rates) * factor if rates else None


def _endpoint(node: Node, graph: JobGraph) -> str:
    match node:
        case SourceNode():
            return flow_text(JobGraph((node,))).removesuffix("→ ").strip()
        case SinkNode(sink=sink):
            return sink.target_text
        case _:
            return ""


def _edges(graph: JobGraph, vertices: Mapping[int, Vertex]) -> Iterator[Edge]:
    for node in graph.nodes:
        for input_, strategy in ship_strategies(node):
            yield Edge(start=vertices[input_].id, end=vertices[node.id].id, ship_strategy=strategy)


def _partitions(state: JobState, vertices: Mapping[int, Vertex]) -> Iterator[PartitionView]:
    for partition in state.partitions:
        yield PartitionView(
            vertex=vertices[partition.node].id,
            source=vertices[partition.node].name,
            topic=partition.topic,
            partition=partition.partition,
            offset=partition.offset,
            end=partition.end,
            lag=partition.lag,
            committed=partition.committed,
            watermark_ms=partition.watermark_ms,
            is_idle=partition.is_idle,
        )


def _settings(facts: JobFacts) -> Iterator[Setting]:
    for key, value in sorted(facts.settings.configuration.items()):
        if key not in JOB_PARAMETERS.keys:
            yield Setting("job", key, masked_value(key, value))
    for key, value in sorted(facts.settings.parameters.items()):
        yield Setting("job parameters", key, masked_value(key, value))
    for node in facts.graph.sources:
        if isinstance(node.source, KafkaSource):
            for key, value in sorted(node.source.consumer_properties.items()):
                yield Setting(node.label, key, masked_value(key, value))
