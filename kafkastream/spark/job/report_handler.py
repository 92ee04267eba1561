"""Handles the reports of a micro-batch's tasks on the driver."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, final

import attrs

from kafkastream.metrics.store import MetricStore
from kafkastream.model.connectors.file_sink import FileSink
from kafkastream.model.graph.job_graph import JobGraph, PrintSink, SinkNode
from kafkastream.spark.session.worker_prints import pass_on_prints
from kafkastream.spark.worker.part_files import PartCommits, WrittenParts
from kafkastream.spark.worker.reports import Report, ReportKind

__all__ = ["ReportHandler"]


# Failures are handled first, metrics last.
_FIRST_AND_LAST = {ReportKind.FAILURE: -1, ReportKind.METRICS: 1}


@final
@attrs.frozen
class ReportHandler:
    """Prints lines, passes on collected elements, raises failures, publishes part files, adds up metrics.

    Args:
        graph: Part of the job that the reports come from.
        collect: Takes collected elements.
        metrics: Store of the job's metrics.
    """

    graph: JobGraph
    collect: Callable[[Iterable[Any]], None]
    metrics: MetricStore
    _files: PartCommits = attrs.field(factory=PartCommits, init=False)

    def handle(self, reports: Iterable[Report]) -> None:
        """Handle the reports of a micro-batch.

        Raises:
            KafkastreamError: A task has failed, or files cannot be renamed.
        """
        pass_on_prints()
        ordered = sorted(reports, key=lambda report: _FIRST_AND_LAST.get(report.kind, 0))
        written: dict[int, list[WrittenParts]] = defaultdict(list)
        for report in ordered:
            match report.kind:
                case ReportKind.FAILURE:
                    raise report.content
                case ReportKind.LINES:
                    self._print(report)
                case ReportKind.ELEMENTS:
                    self.collect(report.content)
                case ReportKind.FILES:
                    written[report.node].append(report.content)
                case ReportKind.METRICS:
                    self.metrics.merge(report.content)
        for node, parts in written.items():
            self._commit(node, parts)

    def _commit(self, number: int, parts: list[WrittenParts]) -> None:
        node = self.graph[number]
        assert isinstance(node, SinkNode)
        assert isinstance(node.sink, FileSink)
        self._files.commit(node.sink, parts)

    def _print(self, report: Report) -> None:
        node = self.graph[report.node]
        to_err = isinstance(node, SinkNode) and isinstance(node.sink, PrintSink) and node.sink.to_err
        stream, lines = sys.stderr if to_err else sys.stdout, "\n".join(report.content)
        try:
            print(lines, file=stream, flush=True)
        except UnicodeEncodeError:  # Java prints ? for what the terminal lacks, and for half of a surrogate pair
            print(lines.encode(stream.encoding, "replace").decode(stream.encoding), file=stream, flush=True)
