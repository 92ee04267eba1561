"""Output of ``kafkastream pipeline --check``: the plan of a start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from kafkastream.cli.titled_table import cell, titled_table

if TYPE_CHECKING:
    from kafkastream.cdc.spec.pipeline import PipelineSpec
    from kafkastream.cdc.tables import TableSchema
    from kafkastream.spark.cdc.plan import PipelinePlan

__all__ = ["show_plan"]


def show_plan(spec: PipelineSpec, console: Console) -> None:
    """Connect to source and sink, and print the plan of a start, without changing anything.

    Raises:
        KafkastreamError: The pipeline could not start.
    """
    from kafkastream.spark.cdc.plan import pipeline_plan, reason_for_spark
    from kafkastream.spark.job.pipelines import sink_steps

    reason = reason_for_spark(spec)
    if reason is not None:
        click.echo(f"Starting Spark, to find out {reason}.", err=True)
    plan = pipeline_plan(spec)
    if plan.goes_on:
        console.print("The checkpoint directory has the schemas of an earlier run, with which a start continues.")
    for table in _plan_tables(plan):
        console.print(table)
    steps = list(sink_steps(spec.sink, plan.changes))
    console.print(
        _lines_table("Changes that a start would make in the sink", steps)
        if steps
        else "A start would change nothing in the sink."
    )


def _plan_tables(plan: PipelinePlan) -> list[Table]:
    topics, routes = titled_table("Topics", "topic", "partitions"), titled_table("Routes", "source table", "sink table")
    for topic, partitions in sorted(plan.topics.items()):
        _add_row(topics, topic, str(partitions))
    for table, targets in plan.targets.items():
        for target in targets:
            _add_row(routes, str(table), str(target))
    source_tables = [_schema_table(f"Source table {table}", schema) for table, schema in plan.sources.items()]
    sink_tables = [_schema_table(f"Sink table {table}", schema) for table, schema in plan.sinks.items()]
    return [*([topics] if plan.topics else []), *source_tables, *([routes] if plan.targets else []), *sink_tables]


def _schema_table(title: str, schema: TableSchema) -> Table:
    table = titled_table(title, "column", "type", "key")
    for column in schema.columns:
        keys = {"primary": schema.primary_key, "partition": schema.partition_key}
        _add_row(
            table, column.name, str(column.type), ", ".join(name for name, key in keys.items() if column.name in key)
        )
    return table


def _lines_table(title: str, lines: list[str]) -> Table:
    table = titled_table(title, "")
    table.show_header = False
    for line in lines:
        _add_row(table, line)
    return table


def _add_row(table: Table, *cells: str) -> None:
    table.add_row(*map(cell, cells))
