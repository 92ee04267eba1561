"""Records of the sources of a part of a job: streaming DataFrames from Kafka, static ones from collections."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, final

import attrs
from pyspark.errors import IllegalArgumentException
from pyspark.sql import Column, DataFrame, SparkSession, functions

from kafkastream.errors import DefinitionError, UnknownTopicError
from kafkastream.kafka.admin import Cluster
from kafkastream.model.connectors.file_formats import FileContents
from kafkastream.model.connectors.kafka_source import Boundedness, KafkaSource
from kafkastream.model.connectors.offsets_initializers import (
    Offsets,
    OffsetsInitializer,
    starting_offsets,
    stopping_offsets,
)
from kafkastream.model.connectors.split_source import Source, SplitEnumerator
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import CollectionSource, JobGraph, SourceNode
from kafkastream.secret_masking import redacted
from kafkastream.spark.checkpoint.folder import OffsetRange
from kafkastream.spark.checkpoint.part_identity import LET_TOPIC_GO, removed_topics
from kafkastream.spark.checkpoint.source_options import offsets_of_json, source_options, start_condition, stop_condition
from kafkastream.spark.checkpoint.split_stream import SplitStream, enumerated, split_stream_frame
from kafkastream.spark.internals.jvm import java_class
from kafkastream.spark.internals.python import map_in_arrow
from kafkastream.spark.plan.collection_rows import collection_rows
from kafkastream.spark.plan.table_scan import bad_record
from kafkastream.spark.session.key_stores import with_pem_stores
from kafkastream.spark.session.session import local_frame
from kafkastream.spark.session.translate_errors import lost_records
from kafkastream.spark.sql.files.file_contents import CONTENTS_SCHEMA, contents_reader
from kafkastream.spark.worker.record_decoders import columns_of
from kafkastream.sql.files.tables import TableFiles

__all__ = [
    "MAX_OFFSETS",
    "KafkaInput",
    "KeyedSource",
    "SourceInput",
    "SplitInput",
    "collection_frame",
    "collection_frames",
    "collections_of",
    "matching_names",
    "refuse_removed",
    "resolved_source",
    "source_frames",
    "source_inputs",
]

MAX_OFFSETS = "maxOffsetsPerTrigger"
"""Option of Spark's Kafka source: maximum number of records of a micro-batch."""
_HEADERS = "array<struct<key: string, value: binary>>"
_TYPES = {"key": "binary", "value": "binary", "headers": _HEADERS, "timestampType": "int"}
"""Types of the columns of Kafka records that a range of a split lacks."""
_FIRST_EXACT_MS = -2_177_452_800_000  # 1901-01-01
_ALIGNED_PER_BATCH = 50_000
"""Maximum records per micro-batch of an aligned source: partitions can only be paused between micro-batches."""


class KeyedSource(NamedTuple):
    """A source of a stream with its node and its key in the checkpoint of its query."""

    node: SourceNode
    source: KafkaSource[Any] | Source[Any]
    key: str


@attrs.frozen(kw_only=True)
class SourceInput:
    """A source of a stream with its offsets resolved.

    Args:
        node: The node of the source.
        offset_range: Starting and stopping offsets.
        key: Key of the source in its query's checkpoint.
        is_named: Whether that key is the source's name in Spark.
        ends: Whether Spark's available-now trigger reads all records up to the stopping offsets and ends.
    """

    node: SourceNode
    offset_range: OffsetRange
    ends: bool
    key: str
    is_named: bool

    def has_stopped(self, reached: Mapping[TopicPartition, int]) -> bool:
        """Return whether the input has been read up to its stopping offsets."""
        stops = self.offset_range.stops
        return stops is not None and all(reached.get(p, 0) >= stop for p, stop in stops.items())

    def processed(self, reached: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        """Return the next offsets to process, given Spark's offsets ``reached``, clipped to the offset range."""
        starts, stops = self.offset_range.starts, self.offset_range.stops or {}
        return {p: max(starts.get(p, 0), min(offset, stops.get(p, offset))) for p, offset in reached.items()}

    def pending(self, reached: Mapping[TopicPartition, int], latest: str | None) -> dict[TopicPartition, int]:
        """Return how many offsets remain in each partition, given the latest ones in Spark's JSON."""
        ends = self.processed(offsets_of_json(latest))
        return {partition: max(end - reached.get(partition, 0), 0) for partition, end in ends.items()}


@final
@attrs.frozen(kw_only=True)
class KafkaInput(SourceInput):
    """A Kafka source with its offsets resolved on the brokers.

    Args:
        source: The source.
        options: Options of Spark's Kafka source.
    """

    source: KafkaSource[Any]
    options: Mapping[str, str] = attrs.field(repr=redacted)


@final
@attrs.frozen(kw_only=True)
class SplitInput(SourceInput):
    """A source of the user's with its offsets resolved by its enumerator; its splits are topics with a partition 0.

    Args:
        source: The source.
    """

    source: Source[Any]


def source_inputs(
    session: SparkSession,
    sources: Iterable[KeyedSource],
    before: Mapping[str, OffsetRange],
    *,
    is_named: bool,
) -> tuple[SourceInput, ...]:
    """Resolve the offsets of a query's sources, on the brokers or by their enumerators.

    Args:
        session: Spark session of the job.
        sources: Sources with their nodes and keys.
        before: Offset ranges of an earlier start, by key; they stay, as Flink keeps them in its checkpoints.
        is_named: Whether the sources have their keys as names in Spark.

    Raises:
        UnknownTopicError: A topic or partition does not exist.
        UnknownOffsetsError: A partition has no starting or stopping offset.
        KafkaError: The brokers have deleted the records at the end of an earlier run.
        DefinitionError: An interrupted run was bounded and this one is not, or it read a topic that this one does not.
        BrokerUnreachableError: No broker answered.
        UserFunctionError: An enumerator raised.
    """
    matching = partial(matching_names, session)
    return tuple(
        _split_input(source.node, source.source, source.key, before.get(source.key), is_named=is_named)
        if isinstance(source.source, Source)
        else resolved_source(source, matching, before.get(source.key), is_named=is_named)
        for source in sources
    )


def _split_input(
    node: SourceNode, source: Source[Any], key: str, before: OffsetRange | None, *, is_named: bool
) -> SplitInput:
    def offsets(method: str, call: Callable[[SplitEnumerator], object]) -> Offsets:
        answer = enumerated(node.name, source, method, call)
        return {TopicPartition(split, 0): offset for split, offset in answer.items()}

    if before is None:
        starts = offsets("starting_offsets", lambda enumerator: enumerator.starting_offsets())
    else:
        starts = before.starts
    stops = None if before is None else before.stops
    if source.get_boundedness() is not Boundedness.BOUNDED:
        _refuse_endless(node, before)
    elif stops is None:
        reached = {partition.topic: offset for partition, offset in starts.items()}
        stops = offsets("latest_offsets", lambda enumerator: enumerator.latest_offsets(reached))
    return SplitInput(
        node=node, source=source, offset_range=OffsetRange(starts, stops), ends=False, key=key, is_named=is_named
    )


def refuse_removed(inputs: Iterable[SourceInput], planned: Mapping[str, str]) -> None:
    """Refuse topics that have been read and are not subscribed any more: Spark would report their records as lost.

    Args:
        inputs: Sources of a query.
        planned: End offsets of the last planned micro-batch, by the sources' keys.

    Raises:
        UnknownTopicError: A topic was deleted.
        DefinitionError: The program does not subscribe to a topic any more.
    """
    for one in inputs:
        if not isinstance(one, KafkaInput):
            continue
        read = {partition.topic for partition in offsets_of_json(planned.get(one.key))}
        removed = sorted(read - {partition.topic for partition in one.offset_range.starts})
        if removed and one.source.fails_on_data_loss:
            raise _removed(one, removed)


def _removed(one: KafkaInput, removed: Sequence[str]) -> UnknownTopicError | DefinitionError:
    if set(removed) <= set(Cluster(with_pem_stores(one.source.consumer_properties)).topics()):
        return removed_topics(one.node.name, removed)
    return UnknownTopicError(
        f"topic {', '.join(removed)}, which the job was reading, does not exist any more",
        where=f"source {one.node.name!r}",
        now=f"Give this job another name and choose where it begins to read, or {LET_TOPIC_GO}.",
    )


def source_frames(session: SparkSession, inputs: Sequence[SourceInput], per_batch: int | None) -> dict[int, DataFrame]:
    """Return the stream of each input, by node; all have the same columns, including the node.

    Args:
        session: Spark session of the job.
        inputs: Sources; at least one.
        per_batch: Maximum records per micro-batch, of sources of Kafka; None for no limit.
    """
    columns = tuple(dict.fromkeys(column for one in inputs for column in columns_of(one.node)))
    return {one.node.id: _source_frame(session, one, columns, per_batch) for one in inputs}


def collections_of(graph: JobGraph) -> list[tuple[SourceNode, CollectionSource]]:
    """Return the collections among the sources, with their nodes."""
    return [(node, node.source) for node in graph.sources if isinstance(node.source, CollectionSource)]


def collection_frame(session: SparkSession, node: SourceNode, elements: Sequence[object] | FileContents) -> DataFrame:
    """Return a collection as a DataFrame that one task reads; number ranges and files are read in the task."""
    if isinstance(elements, FileContents) and not isinstance(elements.format, TableFiles):
        return map_in_arrow(session.range(0, 1, 1, 1), contents_reader(node.id, elements), CONTENTS_SCHEMA)
    if isinstance(elements, range):
        number = functions.col("id") + functions.lit(elements.start)
        pickled = functions.concat(functions.lit("I"), number.cast("string"), functions.lit("\n."))
        numbers = session.range(0, elements.stop - elements.start, 1, 1)
        return numbers.select(functions.lit(node.id).alias("source"), pickled.cast("binary").alias("value"))
    return local_frame(session, collection_rows(node, elements)).coalesce(1)


def collection_frames(session: SparkSession, graph: JobGraph) -> dict[int, DataFrame]:
    """Return the collections among the sources as DataFrames, by their nodes."""
    return {node.id: collection_frame(session, node, one.elements) for node, one in collections_of(graph)}


def resolved_source(
    of: KeyedSource,
    matching: Callable[[str, Iterable[str]], Iterable[str]],
    before: OffsetRange | None = None,
    *,
    is_named: bool = False,
) -> KafkaInput:
    """Resolve the offsets of one source of a query on the brokers; errors as of ``source_inputs``.

    Args:
        of: Source with its node and key.
        matching: Returns the names that a Java pattern matches as a whole.
        before: Offset range of an earlier start; None at the first.
        is_named: Whether the source has its key as name in Spark.
    """
    node, source, key = of
    assert isinstance(source, KafkaSource)
    assert source.subscription is not None
    cluster = Cluster(with_pem_stores(source.consumer_properties))
    if before is None and source.checks_duplicated_group:
        _check_members(node, source, cluster)
    partitions = cluster.partitions(source.subscription, matching)
    if not partitions and not source.discovers_partitions and source.stopping_offsets is None:
        raise UnknownTopicError(
            f"there is nothing to read: no topic that exists is in {source.subscription}",
            where=f"source {node.name!r}",
            now="Create one before the job starts, or have new ones discovered.",
        )
    starts = _starts(source, partitions, cluster, before)
    readable = cluster.readable_ends(partitions)
    # A starting offset after an open transaction is not readable yet, and Spark would report lost data:
    # https://github.com/apache/spark/blob/v4.2.1/connector/kafka-0-10-sql/src/main/scala/org/apache/spark/sql/kafka010/KafkaOffsetReaderAdmin.scala
    begins = {partition: min(offset, readable.get(partition, offset)) for partition, offset in starts.items()}
    options = source_options(source, begins, headers="headers" in columns_of(node))
    if source.stopping_offsets is None:
        _refuse_endless(node, before)
        stops: Offsets | None = None
    elif before is None or before.stops is None:
        stops = _stops(source.stopping_offsets, cluster, partitions)
    else:
        stops = _kept(before.stops, partitions, partial(_stops, source.stopping_offsets, cluster))
    return KafkaInput(
        node=node,
        source=source,
        options=options,
        offset_range=OffsetRange(starts, stops),
        ends=stops is not None and all(stop <= readable.get(partition, stop) for partition, stop in stops.items()),
        key=key,
        is_named=is_named,
    )


def _check_members(node: SourceNode, source: KafkaSource[Any], cluster: Cluster) -> None:
    members = cluster.group_members()
    if members:
        raise DefinitionError(
            f"the consumer group {source.group_id!r} has {members} member{'s' if members > 1 else ''} already",
            where=f"source {node.name!r}",
            now="Stop the other consumers, give this source a group of its own, or do not check the group.",
        )


def _starts(
    source: KafkaSource[Any], partitions: Collection[TopicPartition], cluster: Cluster, before: OffsetRange | None
) -> Offsets:
    if before is None:
        return starting_offsets(source.starting_offsets, partitions, cluster)
    starts = _kept(before.starts, partitions, cluster.beginning_offsets)
    if not before.finished:
        # Spark continues from its own offsets, and detects lost data: KafkaMicroBatchStream.scala at
        # https://github.com/apache/spark/tree/v4.2.1/connector/kafka-0-10-sql/src/main/scala/org/apache/spark/sql/kafka010
        return starts
    begins, ends = cluster.beginning_offsets(partitions), cluster.end_offsets(partitions)
    lost = {p: offset for p, offset in starts.items() if not begins[p] <= offset <= ends[p]}
    if lost and source.fails_on_data_loss:
        held = ", ".join(f"{p} holds offsets {begins[p]} to {ends[p]}, read is {lost[p]}" for p in sorted(lost))
        raise lost_records(held, where=f"topics of {source.subscription}")
    return {**starts, **{p: begins[p] for p in lost}}


def _stops(initializer: OffsetsInitializer, cluster: Cluster, partitions: Collection[TopicPartition]) -> Offsets:
    return stopping_offsets(initializer, partitions, cluster) if partitions else {}


def _refuse_endless(node: SourceNode, before: OffsetRange | None) -> None:
    if before is not None and before.stops is not None:
        raise DefinitionError(
            "an earlier run of the job was interrupted before it had reached its stops, and now it is to have none",
            where=f"source {node.name!r}",
            now="Let that run come to its end first, or give this job another name.",
        )


def _kept(
    before: Offsets, partitions: Collection[TopicPartition], of_new: Callable[[Collection[TopicPartition]], Offsets]
) -> Offsets:
    """Return the offsets of an earlier start; new partitions get theirs from ``of_new``, deleted ones are dropped."""
    new = of_new([partition for partition in partitions if partition not in before])
    return {partition: before[partition] if partition in before else new[partition] for partition in partitions}


def _source_frame(
    session: SparkSession, source: SourceInput, columns: Sequence[str], per_batch: int | None
) -> DataFrame:
    if isinstance(source, KafkaInput):
        return _kafka_frame(session, source, columns, per_batch)
    assert isinstance(source, SplitInput)
    return _split_frame(session, source, columns)


def _split_frame(session: SparkSession, split_input: SplitInput, columns: Sequence[str]) -> DataFrame:
    """Return the ranges to read in the columns of Kafka's records, of which ``timestamp`` is the end of the range."""
    starts, stops = split_input.offset_range.starts, split_input.offset_range.stops
    stream = SplitStream.of(
        split_input.node.name,
        split_input.source,
        {partition.topic: offset for partition, offset in starts.items()},
        None if stops is None else {partition.topic: offset for partition, offset in stops.items()},
    )
    ranges = split_stream_frame(session, stream, split_input.key if split_input.is_named else None)
    absent = {"headers": functions.array(), "timestampType": functions.lit(0)}
    columns_of_range = [
        functions.col("stop").alias(column)
        if column == "timestamp"
        else functions.col(column)
        if column in ranges.columns
        else absent.get(column, functions.lit(None)).cast(_TYPES[column]).alias(column)
        for column in columns
    ]
    return ranges.select(functions.lit(split_input.node.id).alias("source"), *columns_of_range)


def _kafka_frame(session: SparkSession, one: KafkaInput, columns: Sequence[str], per_batch: int | None) -> DataFrame:
    if per_batch is not None and one.node.watermarks.alignment is not None:
        per_batch = min(per_batch, _ALIGNED_PER_BATCH)
    limit = {} if per_batch is None else {MAX_OFFSETS: str(per_batch)}
    reader = session.readStream.format("kafka")
    frame = (reader.name(one.key) if one.is_named else reader).options(**{**limit, **one.options}).load()
    if one.source.reads_committed:
        frame = frame.where(start_condition(one.offset_range.starts))
    if one.offset_range.stops is not None:
        frame = frame.where(stop_condition(one.offset_range.stops))
    if "headers" in columns:  # never NULL: for a NULL, Spark's Arrow writer rewrites all rows before
        none = functions.array().cast(_HEADERS)
        there = functions.coalesce("headers", none) if "headers" in frame.columns else none
        frame = frame.withColumn("headers", there)
    taken = [_milliseconds().alias(column) if column == "timestamp" else functions.col(column) for column in columns]
    return frame.select(functions.lit(one.node.id).alias("source"), *taken)


def _milliseconds() -> Column:
    """Return the timestamp of a record in ms.

    Spark takes a record's time for one of the Julian calendar and a local clock, and so moves old ones by hours or days
    (``SparkDateTimeUtils.fromJavaTimestamp``).
    """
    problem = functions.lit("the record's timestamp is before 1901, which only a job in latency mode reads")
    failure = bad_record(problem, topic="topic", partition="partition", offset="offset").cast("bigint")
    is_exact = functions.col("timestamp") >= functions.timestamp_millis(functions.lit(_FIRST_EXACT_MS))
    return functions.when(is_exact, functions.unix_millis("timestamp")).otherwise(failure)


def matching_names(session: SparkSession, pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that a Java pattern matches as a whole, by Java's own matcher, since Python's differs."""
    try:
        compiled = java_class(session, "java.util.regex.Pattern").compile(pattern)
    except IllegalArgumentException as error:
        reason = str(error).splitlines()[0]
        raise DefinitionError(
            f"the topic pattern {pattern!r} is not a regular expression in Java's syntax: {reason}",
            where="KafkaSource.builder().set_topic_pattern",
        ) from None
    return [name for name in names if compiled.matcher(name).matches()]
