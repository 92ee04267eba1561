"""Runs the micro-batches of a pipeline and evolves its schemas as records require."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, final

import attrs
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from kafkastream.cdc.book import SchemaBook, evolved
from kafkastream.cdc.functions import named_functions
from kafkastream.cdc.merge import merged
from kafkastream.cdc.moving import moved
from kafkastream.cdc.node import PipelineNode
from kafkastream.cdc.processing import ChangeProcessing
from kafkastream.cdc.sinks import MetadataApplier
from kafkastream.cdc.table_rules import PipelineRules
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.cdc.transforms import TransformPlanner
from kafkastream.errors import JobError
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.spark.cdc.appliers import metadata_applier
from kafkastream.spark.cdc.decoder import Findings
from kafkastream.spark.cdc.frame_sink import ORDER, FrameSink, MicroBatch, frame_sink
from kafkastream.spark.cdc.messages import report_of
from kafkastream.spark.cdc.starting import prefetched
from kafkastream.spark.cdc.tasks import Tasks
from kafkastream.spark.checkpoint.folder import CheckpointFolder
from kafkastream.spark.checkpoint.reader import FolderReader
from kafkastream.spark.checkpoint.source_options import from_condition
from kafkastream.spark.internals.queries import query_id
from kafkastream.spark.plan.source_frames import SourceInput
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.sql.session_functions import NamedFunction

if TYPE_CHECKING:
    from kafkastream.spark.exchange.source_task import SourceTask

__all__ = ["PipelineQuery", "kept_book", "pipeline_query", "with_planner"]

log = logging.getLogger("kafkastream")


@final
class PipelineQuery:
    """Driver side of a pipeline: keeps the schema book and runs tasks with its schemas.

    The schema book is stored in the checkpoint folder, and saved before anything is written under its schemas. So a
    micro-batch that is repeated runs under the schemas of its first attempt.

    Args:
        folder: Checkpoint folder of the job.
        name: Name of the query.
        processing: Routes and transforms between source and sink.
        applier: Changes the sink's tables.
        sink: Writes DataFrames to the sink; None if workers write to it.
        functions: User-defined functions that the rules' expressions call.
        chains: Task of each source.
        run: Attempt that the tasks belong to.
        parallelism: Number of subtasks.
    """

    def __init__(
        self,
        folder: CheckpointFolder,
        name: str,
        processing: ChangeProcessing,
        applier: MetadataApplier,
        sink: FrameSink | None,
        functions: Sequence[NamedFunction],
        chains: Mapping[int, SourceTask],
        run: JobAttempt,
        parallelism: int,
    ) -> None:
        self._folder = folder
        self._name = name
        self._processing = processing
        self._applier = applier
        self._sink = sink
        self._functions = functions
        self._rules = with_planner(processing, functions)
        self._chains = chains
        self._run = run
        self._parallelism = parallelism
        self._book = SchemaBook()
        self._tasks: Tasks | None = None
        self._begins: Mapping[TopicPartition, int] | None = None
        self._found: Sequence[tuple[TableId, TableSchema]] = ()
        self._number = 0

    def begin(self, inputs: Sequence[SourceInput]) -> None:
        """Load the schemas of an earlier run, or take those that the user gives or the newest records show.

        Raises:
            JobError: The sink refuses a table.
            KafkaError: The brokers do not give the newest records.
        """
        book = kept_book(self._folder, self._name)
        if book is not None:
            self._book = book
        found = self._processing.known(self._book)  # the rules may have changed since
        if book is None:
            known = {**self._book.sources, **dict(found)}
            found = [*found, *self._rules.accepted(prefetched(self._processing, inputs), known)]
        self._follow(found)

    @property
    def identity(self) -> str:
        """Identity of the pipeline, stable across restarts, by which sinks find their markers."""
        return self._book.job

    def begin_batch(self, number: int) -> None:
        """Begin a micro-batch, perhaps a repeated one."""
        self._begins, self._found, self._number = None, [], number

    def run(self, frame: DataFrame) -> list[Report]:
        """Run the rest of a micro-batch through source, rules and sink.

        Each task writes the records that fit the schemas. At the first record that does not, it stops writing its
        partition and reports the schemas of the rest. A frame sink writes only when all records fit.

        Raises:
            JobError: The sink refuses a schema change that an earlier round has found.
        """
        if self._found:
            self._follow(self._rules.accepted(self._found, self._book.sources))
        if self._tasks is None:
            self._run = self._run.again()  # workers reopen the chains, with the new schemas
            self._tasks = Tasks.of(self._rules, self._book, self._chains, self._run, self._parallelism, self._functions)
        if self._sink is not None:
            return self._write(self._sink, frame, self._tasks)
        return self._tasks.run(frame if self._begins is None else frame.where(from_condition(self._begins)))

    def _write(self, sink: FrameSink, frame: DataFrame, tasks: Tasks) -> list[Report]:
        """Write a whole micro-batch if all of its records fit; otherwise only report their schemas."""
        rows = tasks.messages(frame).withColumn(ORDER, sql.monotonically_increasing_id()).persist()
        try:
            told = rows.where("report IS NOT NULL").select("report").collect()
            reports = [report_of(bytes(row.report)) for row in told]
            if any(one.kind is ReportKind.FAILURE for one in reports):
                return reports
            if any(one.kind is ReportKind.SCHEMAS and one.content.reached is not None for one in reports):
                return [one for one in reports if one.kind is ReportKind.SCHEMAS]  # metrics come with the next round
            query = query_id(frame.sparkSession) or self._run.id
            sink.write(rows.where("report IS NULL"), self._book, MicroBatch(query, self._number))
            return reports
        finally:
            rows.unpersist()

    def take(self, reports: Iterable[Report]) -> bool:
        """Apply the tasks' findings; return whether a part of the micro-batch is still to be written.

        Raises:
            JobError: Too many records were skipped.
        """
        found = [one.content for one in reports if one.kind is ReportKind.SCHEMAS]
        stopped = [one for one in found if one.reached is not None]
        if self._sink is None or not stopped:  # a frame sink has written none of the records yet
            self._count_skipped(sum(one.skipped for one in found))
        begins = {one.partition: one.reached for one in stopped}
        stuck = [one for one in stopped if (self._begins or {}).get(one.partition) == one.reached]
        if stuck:
            raise _stuck(stuck[0])
        self._begins, self._found = begins, _in_order(stopped)
        return bool(stopped)

    def _count_skipped(self, number: int) -> None:
        if not number:
            return
        self._book = attrs.evolve(self._book, skipped=self._book.skipped + number)
        self._keep()
        most = self._processing.most_skipped
        if most is not None and self._book.skipped > most:
            raise JobError(
                f"{self._book.skipped} records could not be read, more than the {most} that may be skipped",
                where="source, ingestion.error-tolerance.max-count",
                now="The log names each. Fix their producer, or raise the limit; -1 means no limit.",
            )

    def _follow(self, found: Sequence[tuple[TableId, TableSchema]]) -> None:
        """Evolve the sink's tables and the schema book to found schemas."""
        try:
            book = moved(self._book, self._processing.sink, self._rules, self._applier.apply)
            book = evolved(book, found, self._rules, self._processing.behavior, self._applier.apply)
        finally:
            self._applier.close()
        is_new, self._book, self._tasks = book != self._book, book, None
        if is_new and book.sources:  # otherwise the next start would infer the first schemas again
            self._keep()

    def _keep(self) -> None:
        self._folder.replace(_book_file(self._name), json.dumps(self._book.record(), indent=1))


def pipeline_query(
    folder: CheckpointFolder,
    name: str,
    graph: JobGraph,
    chains: Mapping[int, SourceTask],
    run: JobAttempt,
    parallelism: int,
    python_files: Sequence[str],
) -> PipelineQuery | None:
    """Return the driver side of a pipeline; None if this part of a job is not a pipeline.

    Raises:
        DefinitionError: A user-defined function cannot be imported.
    """
    node = next((node for node in graph.nodes if isinstance(node, PipelineNode)), None)
    if node is None:
        return None
    functions = named_functions(node.processing.functions, python_files)
    sink = frame_sink(node.processing.sink, folder.session)
    applier = metadata_applier(node.processing.sink) if sink is None else sink.applier
    return PipelineQuery(folder, name, node.processing, applier, sink, functions, chains, run, parallelism)


def kept_book(folder: FolderReader, name: str) -> SchemaBook | None:
    """Return the schema book that an earlier run of a pipeline has kept; None if there was none.

    Args:
        folder: Checkpoint folder of the job.
        name: Name of the query.

    Raises:
        DefinitionError: The book is damaged, or of another version.
    """
    record = folder.kept(_book_file(name))
    return SchemaBook.of_record(record, f"checkpoint {folder.path}, {_book_file(name)}") if record else None


def _book_file(name: str) -> str:
    return f"{name}.schemas.json"


def with_planner(processing: ChangeProcessing, functions: Sequence[NamedFunction]) -> PipelineRules:
    """Return the rules of a pipeline, able to plan expressions."""
    if not processing.rules.compute:
        return processing.rules
    planner = TransformPlanner(processing.time_zone, {one.name.upper(): one for one in functions})
    return attrs.evolve(processing.rules, planner=planner)


def _in_order(found: Iterable[Findings]) -> list[tuple[TableId, TableSchema]]:
    """Merge the schemas of all tasks in an order that does not depend on when they ended."""
    schemas: dict[TableId, TableSchema] = {}
    ordered = sorted(found, key=lambda one: (one.partition.topic, one.partition.partition))
    for table, schema in chain.from_iterable(one.schemas for one in ordered):
        schemas[table] = merged(schemas[table], schema) if table in schemas else schema
    return list(schemas.items())


def _stuck(one: Findings) -> JobError:
    return JobError(
        "a record still does not fit the schema that was made to fit it",
        where=f"topic {one.partition.topic}, partition {one.partition.partition}, offset {one.reached}",
        now="Leave the record out by ingestion.ignore-errors: true, and report it as a bug of kafkastream.",
    )
