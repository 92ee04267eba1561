"""What the tasks of a micro-batch have reported, carried out on the driver."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, final

import attrs
from pyspark.sql import DataFrame

from kafkastream.metrics.store import MetricStore
from kafkastream.spark.reports import REPORT_SCHEMA, Report, ReportKind
from kafkastream.spark.task import TaskPlan
from kafkastream.spec.graph import JobGraph, PrintSink, SinkNode

__all__ = ["Outcome", "collected", "run_tasks"]


def run_tasks(frame: DataFrame, plan: TaskPlan) -> list[Report]:
    """Take all records of a query's micro-batch through their chains, and return what the tasks report."""
    return [Report.of_row(row) for row in frame.mapInArrow(plan.function(), REPORT_SCHEMA).collect()]


def collected(frame: DataFrame) -> list[Report]:
    """What comes out of a micro-batch with stateful stages."""
    return [Report.of_row(row) for row in frame.select("kind", "node", "payload").collect()]


# A failure comes before all else; metrics count when all else is done.
_FIRST_AND_LAST = {ReportKind.FAILURE: -1, ReportKind.METRICS: 1}


@final
@attrs.frozen
class Outcome:
    """Prints lines, hands over elements, raises failures, adds up metrics.

    Args:
        graph: The part of the job that the reports are about.
        collect: Takes collected elements.
        metrics: Where metrics are added up.
    """

    graph: JobGraph
    collect: Callable[[Iterable[Any]], None]
    metrics: MetricStore

    def carry_out(self, reports: Iterable[Report]) -> None:
        """Do what the reports ask for.

        Raises:
            KafkastreamError: A task has failed.
        """
        ordered = sorted(reports, key=lambda report: _FIRST_AND_LAST.get(report.kind, 0))
        for report in ordered:
            match report.kind:
                case ReportKind.FAILURE:
                    raise report.content
                case ReportKind.LINES:
                    self._print(report)
                case ReportKind.ELEMENTS:
                    self.collect(report.content)
                case ReportKind.METRICS:
                    self.metrics.merge(report.content)

    def _print(self, report: Report) -> None:
        node = self.graph[report.node]
        to_err = isinstance(node, SinkNode) and isinstance(node.sink, PrintSink) and node.sink.to_err
        print("\n".join(report.content), file=sys.stderr if to_err else sys.stdout, flush=True)
