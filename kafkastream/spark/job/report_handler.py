"""Handles the reports of a micro-batch's tasks on the driver."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, final

import attrs

from kafkastream.metrics.store import MetricStore
from kafkastream.model.connectors.sink_writer import Committer, CommitterInitContext
from kafkastream.model.graph.job_graph import JobGraph, PrintSink, SinkNode
from kafkastream.spark.checkpoint.operator_ids import operator_ids
from kafkastream.spark.session.worker_prints import pass_on_prints
from kafkastream.spark.worker.chain_sinks import sink_committer
from kafkastream.spark.worker.reports import Report, ReportKind

__all__ = ["ReportHandler"]


# Failures are handled first, metrics last.
_FIRST_AND_LAST = {ReportKind.FAILURE: -1, ReportKind.METRICS: 1}


@final
@attrs.frozen
class ReportHandler:
    """Prints lines, passes on collected elements, raises failures, commits the output of sinks, adds up metrics.

    Args:
        graph: Part of the job that the reports come from.
        collect: Takes collected elements.
        metrics: Store of the job's metrics.
    """

    graph: JobGraph
    collect: Callable[[Iterable[Any]], None]
    metrics: MetricStore
    _committers: dict[tuple[int, str], Committer[Any]] = attrs.field(factory=dict, init=False)

    def handle(self, reports: Iterable[Report], slots: str = "", checkpoint_id: int = 0) -> None:
        """Handle the reports of a micro-batch.

        Args:
            reports: The reports.
            slots: Identity of the query in its sinks' output.
            checkpoint_id: Number of the micro-batch in its sinks' output; the same when it is repeated.

        Raises:
            KafkastreamError: A task has failed, or the output of a sink cannot be committed.
        """
        pass_on_prints()
        ordered = sorted(reports, key=lambda report: _FIRST_AND_LAST.get(report.kind, 0))
        committables: dict[int, list[Any]] = defaultdict(list)
        for report in ordered:
            match report.kind:
                case ReportKind.FAILURE:
                    raise report.content
                case ReportKind.LINES:
                    self._print(report)
                case ReportKind.ELEMENTS:
                    self.collect(report.content)
                case ReportKind.COMMITTABLES:
                    committables[report.node] += report.content
                case ReportKind.METRICS:
                    self.metrics.merge(report.content)
        for node, of_sink in committables.items():
            self._committer(node, slots).commit(of_sink, checkpoint_id)

    def close(self) -> None:
        """Close the committers."""
        for committer in self._committers.values():
            committer.close()

    def _committer(self, number: int, slots: str) -> Committer[Any]:
        if (number, slots) not in self._committers:
            node = self.graph[number]
            assert isinstance(node, SinkNode)
            context = CommitterInitContext(node.name, f"{slots}-{operator_ids(self.graph.sinks)[number]}")
            self._committers[number, slots] = sink_committer(node.sink, context)
        return self._committers[number, slots]

    def _print(self, report: Report) -> None:
        node = self.graph[report.node]
        to_err = isinstance(node, SinkNode) and isinstance(node.sink, PrintSink) and node.sink.to_err
        stream, lines = sys.stderr if to_err else sys.stdout, "\n".join(report.content)
        try:
            print(lines, file=stream, flush=True)
        except UnicodeEncodeError:  # Java prints ? for what the terminal lacks, and for half of a surrogate pair
            print(lines.encode(stream.encoding, "replace").decode(stream.encoding), file=stream, flush=True)
