"""Output of a driven job: records of Kafka sinks, elements of other sinks, printed lines, metrics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

from kafkastream.metrics.store import MetricStore
from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee, KafkaSink
from kafkastream.model.graph.job_graph import JobGraph, SinkNode
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.testing.driver.capturing_sinks import WrittenRecord

__all__ = ["JobOutputs"]


@final
class JobOutputs:
    """Collects what the tasks of a job report.

    Args:
        graph: Graph of the job, with its own sinks.
        metrics: Adds up the metrics.

    Attributes:
        printed: Lines of ``print`` sinks.
        metrics: Metrics so far.
    """

    def __init__(self, graph: JobGraph, metrics: MetricStore) -> None:
        self.printed: list[str] = []
        self.metrics = metrics
        self._graph = graph
        self._elements: dict[int, list[tuple[Any, int | None]]] = {}
        self._topics: dict[str, list[WrittenRecord]] = {}
        self._uncommitted: list[WrittenRecord] = []
        self._visible: list[WrittenRecord] = []

    def take(self, report: Report) -> None:
        """Add what a task reports.

        Raises:
            JobError: The task reports its failure.
        """
        match report.kind:
            case ReportKind.FAILURE:
                raise report.content
            case ReportKind.LINES:
                self.printed += report.content
            case ReportKind.ELEMENTS:
                self._add(report.node, report.content)
            case ReportKind.METRICS:
                self.metrics.merge(report.content)

    def commit(self) -> None:
        """Make the records of exactly-once sinks visible."""
        self._add_records(self._uncommitted)
        self._uncommitted = []

    @property
    def has_uncommitted(self) -> bool:
        """True if exactly-once sinks have written records that are not visible yet."""
        return bool(self._uncommitted)

    def take_visible(self) -> list[WrittenRecord]:
        """Return the records that have become visible since the last call, in their order."""
        records, self._visible = self._visible, []
        return records

    def records(self, topic: str, *, with_uncommitted: bool) -> list[WrittenRecord]:
        """Return the records of a topic, in the order of their commits."""
        records = list(self._topics.get(topic, ()))
        if with_uncommitted:
            records += [record for record in self._uncommitted if record.topic == topic]
        return records

    def elements(self, sinks: Iterable[SinkNode]) -> list[Any]:
        """Return the elements that have reached these sinks."""
        return [element for element, _ in self.timestamped(sinks)]

    def timestamped(self, sinks: Iterable[SinkNode]) -> list[tuple[Any, int | None]]:
        """Return the elements that have reached these sinks, with their timestamps."""
        return [pair for sink in sinks for pair in self._elements.get(sink.id, ())]

    def _add(self, sink: int, elements: list[Any]) -> None:
        node = self._graph[sink]
        assert isinstance(node, SinkNode)
        if not isinstance(node.sink, KafkaSink):
            self._elements.setdefault(sink, []).extend(elements)
        elif node.sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE:
            self._uncommitted += elements
        else:
            self._add_records(elements)

    def _add_records(self, records: Iterable[WrittenRecord]) -> None:
        for record in records:
            self._topics.setdefault(record.topic, []).append(record)
            self._visible.append(record)
