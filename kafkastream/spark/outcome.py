"""What the tasks of a micro-batch have reported, carried out on the driver."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, final

import attrs
from pyspark.sql import DataFrame

from kafkastream.spark.reports import REPORT_SCHEMA, Report, ReportKind
from kafkastream.spark.task import TaskPlan
from kafkastream.spec.graph import JobGraph, PrintSink, SinkNode

__all__ = ["Outcome", "run_tasks"]


def run_tasks(frame: DataFrame, plan: TaskPlan) -> list[Report]:
    """Take all records of a frame through their chains, and return what the tasks report."""
    return [Report.of_row(row) for row in frame.mapInArrow(plan.function(), REPORT_SCHEMA).collect()]


@final
@attrs.frozen
class Outcome:
    """Prints lines, hands over elements, raises failures.

    Args:
        graph: The part of the job that the reports are about.
        collect: Takes collected elements.
    """

    graph: JobGraph
    collect: Callable[[Iterable[Any]], None]

    def carry_out(self, reports: Iterable[Report]) -> None:
        """Do what the reports ask for.

        Raises:
            KafkastreamError: A task has failed.
        """
        ordered = sorted(reports, key=lambda report: report.kind is not ReportKind.FAILURE)
        for report in ordered:
            match report.kind:
                case ReportKind.FAILURE:
                    raise report.content
                case ReportKind.LINES:
                    self._print(report)
                case ReportKind.ELEMENTS:
                    self.collect(report.content)
                case ReportKind.WRITTEN:
                    pass

    def _print(self, report: Report) -> None:
        node = self.graph[report.node]
        to_err = isinstance(node, SinkNode) and isinstance(node.sink, PrintSink) and node.sink.to_err
        print("\n".join(report.content), file=sys.stderr if to_err else sys.stdout, flush=True)
