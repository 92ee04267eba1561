"""Plan of a pipeline: a dry run of its start. Nothing is changed, and Spark is started only if it is needed."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import final

import attrs

from kafkastream.cdc.book import SchemaBook, evolved
from kafkastream.cdc.changes import CreateTable, SchemaChange
from kafkastream.cdc.functions import named_functions
from kafkastream.cdc.graph import job_graph
from kafkastream.cdc.moving import moved
from kafkastream.cdc.node import PipelineNode
from kafkastream.cdc.processing import ChangeProcessing
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.sink import PipelineSink
from kafkastream.cdc.table_rules import PipelineRules
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.errors import DefinitionError
from kafkastream.kafka.security import has_java_stores
from kafkastream.kafka.topics import ClusterTopics
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.subscription import TopicPattern
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.spark.cdc.query import kept_book, with_planner
from kafkastream.spark.cdc.starting import prefetched
from kafkastream.spark.checkpoint.folder_names import own_folder
from kafkastream.spark.checkpoint.stored import stored_folder
from kafkastream.spark.plan.source_frames import KeyedSource, SourceInput, matching_names, resolved_source
from kafkastream.spark.session.key_stores import with_pem_stores
from kafkastream.spark.session.session import spark_session
from kafkastream.spark.worker.registry import Registry

__all__ = ["PipelinePlan", "pipeline_plan", "reason_for_spark", "sink_steps"]

log = logging.getLogger("kafkastream")


@final
@attrs.frozen
class PipelinePlan:
    """Plan of a pipeline: what its start would read and create.

    Args:
        topics: Topics that would be read, with their numbers of partitions.
        sources: Schemas of the source tables that are known before the first record.
        targets: Sink tables that each source table is written to.
        sinks: Schemas of the sink's tables.
        changes: Schema changes that would be applied to the sink.
        goes_on: Whether an earlier run has kept schemas in the checkpoint directory.
    """

    topics: Mapping[str, int]
    sources: Mapping[TableId, TableSchema]
    targets: Mapping[TableId, Sequence[TableId]]
    sinks: Mapping[TableId, TableSchema]
    changes: Sequence[SchemaChange]
    goes_on: bool = False


def reason_for_spark(spec: PipelineSpec) -> str | None:
    """Return why a plan needs Spark; None if it does not."""
    graph = job_graph(spec)
    kafka = [node.source for node in graph.sources if isinstance(node.source, KafkaSource)]
    if any(isinstance(source.subscription, TopicPattern) for source in kafka):
        return "the topics that the pattern matches"
    sink = [spec.sink.sink.properties] if isinstance(spec.sink, KafkaPipelineSink) else []
    if any(map(has_java_stores, (*(source.consumer_properties for source in kafka), *sink))):
        return "the stores of keys and certificates"
    return None


def pipeline_plan(spec: PipelineSpec) -> PipelinePlan:
    """Return the plan of a pipeline.

    Topics, offsets and the newest records are read from the brokers; no offsets are committed.

    Raises:
        KafkastreamError: The pipeline could not start.
    """
    graph = job_graph(spec)
    processing = _processing(graph)
    functions = named_functions(processing.functions, spec.settings.job_settings().python_files)
    rules = with_planner(processing, functions)
    inputs = list(_inputs(graph))
    kept = _kept(spec)
    found = processing.known(kept or SchemaBook())
    if kept is None:
        found += prefetched(processing, inputs)
    changes: list[SchemaChange] = []
    book = moved(kept or SchemaBook(), processing.sink, rules, changes.append)
    book = evolved(book, found, rules, processing.behavior, changes.append)
    topics = Counter(partition.topic for one in inputs for partition in one.offset_range.starts)
    return PipelinePlan(topics, book.sources, _targets(rules, book), book.sinks, changes, kept is not None)


def _kept(spec: PipelineSpec) -> SchemaBook | None:
    """Return the schemas that an earlier run has kept, if the checkpoint directory can be read without Spark."""
    settings = spec.settings.job_settings()
    if settings.checkpoint_dir is None:
        return None
    try:
        folder = stored_folder(own_folder(settings.checkpoint_dir, settings.name))
    except DefinitionError as error:
        log.warning("whether an earlier run has kept schemas is not known: %s", error)
        return None
    record = folder.job_record()
    books = (kept_book(folder, part.folder) for part in (record.parts if record else ()))
    return next((book for book in books if book is not None), None)


def _processing(graph: JobGraph) -> ChangeProcessing:
    return next(node.processing for node in graph.nodes if isinstance(node, PipelineNode))


def _inputs(graph: JobGraph) -> Iterator[SourceInput]:
    for node in graph.sources:
        if isinstance(node.source, KafkaSource):
            yield resolved_source(KeyedSource(node, node.source, ""), _matching)


def _matching(pattern: str, names: Iterable[str]) -> list[str]:
    return matching_names(spark_session(), pattern, names)


def _targets(rules: PipelineRules, book: SchemaBook) -> dict[TableId, Sequence[TableId]]:
    return {table: rules.targets(table) for table in book.sources}


@Registry
def sink_steps(sink: PipelineSink, changes: Iterable[SchemaChange]) -> Iterator[str]:
    """Describe the steps of a sink for schema changes; the sink's engine module registers it by class.

    Args:
        sink: The sink; its database or brokers are read, and not changed.
        changes: The changes.

    Raises:
        JobError: The sink would refuse a change, or does not answer.
    """
    return iter(())


@sink_steps.register
def _(sink: KafkaPipelineSink, changes: Iterable[SchemaChange]) -> Iterator[str]:
    wanted = dict.fromkeys(sink.topic_of(change.table) for change in changes if isinstance(change, CreateTable))
    existing = ClusterTopics(with_pem_stores(sink.sink.properties)).names()
    return (f"create topic {topic}" for topic in wanted if topic not in existing)
