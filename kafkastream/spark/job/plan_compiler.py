"""Chooses the plan of a query, and compiles it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, final

import attrs
from pyspark.sql import DataFrame

from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.cdc.query import pipeline_query
from kafkastream.spark.checkpoint.folder import CheckpointFolder
from kafkastream.spark.checkpoint.part_identity import PartIdentity
from kafkastream.spark.checkpoint.state_layout import Layout
from kafkastream.spark.internals.python import map_in_arrow
from kafkastream.spark.job.chain_plan import ChainPlan
from kafkastream.spark.job.copy_plan import CopyPlan
from kafkastream.spark.job.epoch_plan import EpochPlan
from kafkastream.spark.job.keyed_plan import KeyedPlan, keyed_query
from kafkastream.spark.job.pipeline_plan import PipelinePlan
from kafkastream.spark.job.query_plan import QueryPlan
from kafkastream.spark.job.table_plan import TablePlan, reports_of_rows
from kafkastream.spark.plan.chain_compiler import ChainCompiler
from kafkastream.spark.plan.keyed_query import in_levels
from kafkastream.spark.plan.passthrough import pass_through
from kafkastream.spark.plan.physical_plan import PhysicalPlan
from kafkastream.spark.plan.query_compiler import query_frames
from kafkastream.spark.plan.source_frames import collections_of
from kafkastream.spark.plan.task_plans import level_plans, task_plan, writer_plan
from kafkastream.spark.worker.kafka_writer import TransactionalOperator
from kafkastream.spark.worker.reports import REPORT_SCHEMA

if TYPE_CHECKING:
    from kafkastream.spark.exchange.source_task import SourceTask
    from kafkastream.spark.exchange.task_plan import TaskPlan

__all__ = ["Compilation", "query_plan"]


@final
@attrs.frozen
class Compilation:
    """A part of a job while it is compiled: chains, no plan yet.

    Args:
        folder: Checkpoint folder of the job.
        part: Graph of the part, and its place in the checkpoint folder.
        settings: Settings of the job.
        compiler: Makes chains of the graph.
        chains: Task of each source, by its node.
        writers: Exactly-once sinks after keyed operators, by their nodes.
        parallelism: Number of subtasks.
        epoch_slots: Number of tasks of its epochs; 0 if it runs in micro-batches.
    """

    folder: CheckpointFolder
    part: PartIdentity
    settings: JobSettings
    compiler: ChainCompiler
    chains: Mapping[int, SourceTask]
    writers: Mapping[int, TransactionalOperator]
    parallelism: int
    epoch_slots: int = 0


def query_plan(of: Compilation, layout: Layout | None, planned: Mapping[str, str]) -> QueryPlan:
    """Compile the plan of a part of a job.

    Args:
        of: The part.
        layout: Layout of its keyed state; None if it has, and had, no keyed operators.
        planned: Offsets of the last planned micro-batch, by the names of the sources.

    Raises:
        DefinitionError: A function cannot be sent to workers.
        UnsupportedFeatureError: A sink has a setting that only the Java client supports.
    """
    graph, session, compiler = of.part.graph, of.folder.session, of.compiler
    tasks = task_plan(of.chains, compiler.run, of.parallelism)
    tables = query_frames(session, compiler, tasks)
    if layout is not None:
        return _keyed_plan(of, tasks, tables, layout, planned)
    if tables is not None:
        return TablePlan(session, graph, tables, tasks, in_one_task=bool(of.writers))
    name, files = of.part.place.folder, of.settings.python_files
    pipeline = pipeline_query(of.folder, name, graph, of.chains, compiler.run, of.parallelism, files)
    if pipeline is not None:
        return PipelinePlan(session, graph, pipeline)
    if of.epoch_slots and of.settings.latency is not None:
        return EpochPlan(ChainPlan(session, graph, tasks), of.settings.latency, of.epoch_slots, planned)
    copy = pass_through(graph)
    return ChainPlan(session, graph, tasks) if copy is None else CopyPlan(copy)


def _keyed_plan(
    of: Compilation, tasks: TaskPlan, tables: PhysicalPlan | None, layout: Layout, planned: Mapping[str, str]
) -> KeyedPlan:
    graph, compiler, place = of.part.graph, of.compiler, of.part.place
    if tables is None:
        levels = graph.levels()
        idle = [()] * (len(layout.levels) - len(levels))  # an earlier run had more stages
        stages = in_levels(tasks, level_plans(compiler, (*levels, *idle)))
    else:
        stages = tables.frame
    keyed = keyed_query(of.folder, graph, of.parallelism, stages, compiler.labels, layout, planned)
    is_endless = not all(source.ends for _, source in collections_of(graph))
    return KeyedPlan(keyed, _end(of, tables), of.folder, place.folder, is_named=place.is_named, is_endless=is_endless)


def _end(of: Compilation, tables: PhysicalPlan | None) -> Callable[[DataFrame], DataFrame]:
    """Return the function that turns the rows or messages of the last stateful stage into reports."""
    if tables is not None and tables.ends_in_rows:
        return partial(reports_of_rows, tables, in_one_task=bool(of.writers))
    if of.writers:
        writer = writer_plan(of.writers, of.compiler.run).function()
        return lambda messages: map_in_arrow(messages.repartition(1), writer, REPORT_SCHEMA)
    return lambda messages: messages.select("kind", "node", "payload")
