"""Tasks of a pipeline under its current schemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, final

import attrs
from pyspark.sql import DataFrame

from kafkastream.cdc.book import SchemaBook
from kafkastream.cdc.table_rules import PipelineRules
from kafkastream.cdc.tables import TableId
from kafkastream.spark.cdc.decoder import ChangeDecoder
from kafkastream.spark.cdc.messages import (
    MESSAGE_SCHEMA,
    ChangeHandOver,
    ChangeMessageDecoder,
    handing_over,
    passing_on,
    taking_over,
)
from kafkastream.spark.cdc.row_changes import RowChangeDecoder
from kafkastream.spark.cdc.transforms import Transform, transformed
from kafkastream.spark.internals.python import map_in_arrow
from kafkastream.spark.plan.task_plans import task_plan
from kafkastream.spark.sql.functions.user_functions import register
from kafkastream.spark.worker.change_router import FollowsSchemas
from kafkastream.spark.worker.operator_chain import ChainedOperator, OperatorChain
from kafkastream.spark.worker.reports import REPORT_SCHEMA, Report, collect_reports, report_batches
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.sql.session_functions import PYTHON_FUNCTIONS, NamedFunction

if TYPE_CHECKING:
    from kafkastream.spark.exchange.source_task import SourceTask
    from kafkastream.spark.exchange.task_plan import TaskPlan

__all__ = ["Tasks"]


@final
@attrs.frozen
class Tasks:
    """Tasks of a micro-batch: one chain from source to sink, or two with Spark expressions in between.

    Args:
        last: Plan of the chains that end in the sink.
        first: Plan of the chains that decode records, if Spark transforms rows in between; None otherwise.
        transforms: Transforms of tables; their index is the ``place`` in messages.
        functions: User-defined functions that the transforms call.
    """

    last: TaskPlan
    first: TaskPlan | None
    transforms: Sequence[Transform]
    functions: Sequence[NamedFunction]

    @staticmethod
    def of(
        rules: PipelineRules,
        book: SchemaBook,
        chains: Mapping[int, SourceTask],
        run: JobAttempt,
        parallelism: int,
        functions: Sequence[NamedFunction],
    ) -> Tasks:
        """Return the tasks under the schemas of a book.

        Raises:
            DefinitionError: An expression is wrong, or a function cannot be sent to workers.
        """
        transforms = tuple(_transforms(rules, book))
        if not transforms:
            for task in chains.values():
                _let_know(task, book)
            return Tasks(task_plan(chains, run, parallelism), None, (), ())
        places = {one.table: place for place, one in enumerate(transforms)}
        rows = attrs.evolve(book, sources={**book.sources, **{one.table: one.to.schema for one in transforms}})
        reading = {node: _reading(task, node, book, places) for node, task in chains.items()}
        first = task_plan(reading, run, parallelism)
        writing = {node: _writing(task, rows) for node, task in chains.items()}
        last = attrs.evolve(task_plan(writing, run, parallelism), stage=1)
        return Tasks(last, first, transforms, functions)

    def run(self, frame: DataFrame) -> list[Report]:
        """Run the tasks on records, and return their reports."""
        if self.first is None:
            return self.last.collect(frame)
        changed = self._transformed(frame, self.first)
        return collect_reports(map_in_arrow(changed, taking_over(self.last.reports, report_batches), REPORT_SCHEMA))

    def messages(self, frame: DataFrame) -> DataFrame:
        """Return the changes for a frame sink, and the tasks' reports, as messages."""
        if self.first is None:
            return map_in_arrow(frame, handing_over(self.last.reports), MESSAGE_SCHEMA)
        return map_in_arrow(self._transformed(frame, self.first), passing_on(self.last.reports), MESSAGE_SCHEMA)

    def _transformed(self, frame: DataFrame, first: TaskPlan) -> DataFrame:
        register(frame.sparkSession, (*PYTHON_FUNCTIONS.values(), *self.functions), self.last.run)
        messages = map_in_arrow(frame, handing_over(first.reports), MESSAGE_SCHEMA)
        return transformed(messages, self.transforms)


def _transforms(rules: PipelineRules, book: SchemaBook) -> Sequence[Transform]:
    plans = ((table, schema, rules.planned(table, schema)) for table, schema in book.sources.items())
    return [Transform(table, schema, plan) for table, schema, plan in plans if plan is not None]


def _let_know(task: SourceTask, book: SchemaBook) -> None:
    if isinstance(task.decoder, ChangeDecoder):
        task.decoder.schemas = book.sources
    elif isinstance(task.decoder, RowChangeDecoder):
        task.decoder.known = book.sources
    for operator in task.chain.operators():
        if isinstance(operator, FollowsSchemas):
            operator.book = book


def _reading(task: SourceTask, node: int, book: SchemaBook, places: Mapping[TableId, int]) -> SourceTask:
    """Return the chain from a source to messages."""
    _let_know(task, book)
    hand_over = ChainedOperator(ChangeHandOver(task.name, node, book.sources, places))
    return attrs.evolve(task, chain=OperatorChain((hand_over,), task.chain.before, task.chain.apart))


def _writing(task: SourceTask, rows: SchemaBook) -> SourceTask:
    """Return the chain from messages to the sink."""
    _let_know(task, rows)
    decoder = ChangeMessageDecoder(rows.sources)
    return attrs.evolve(
        task, decoder=decoder, chain=OperatorChain(task.chain.stages), consumer_metrics=False, is_behind=True
    )
