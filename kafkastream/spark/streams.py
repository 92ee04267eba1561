"""The records of a component's sources, as Spark sees them: streaming frames from Kafka, static ones from collections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, final

import attrs
import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession, functions

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.kafka.admin import Cluster
from kafkastream.spark.compile import decoder_of
from kafkastream.spark.source import source_options, stop_condition
from kafkastream.spark.stores import with_pem_stores
from kafkastream.spec.graph import CollectionSource, SourceNode
from kafkastream.spec.offsets import EarliestOffsets, LatestOffsets, OffsetsInitializer
from kafkastream.spec.source import KafkaSource
from kafkastream.spec.subscription import TopicPartition, TopicPattern

__all__ = ["KafkaInput", "collection_frame", "kafka_frame", "resolve"]

MAX_OFFSETS = "maxOffsetsPerTrigger"


@final
@attrs.frozen
class KafkaInput:
    """A Kafka source with its offsets resolved on the brokers.

    Args:
        node: The source.
        options: The options of Spark's source.
        stops: The first offset not to read, per partition; None when the source does not stop, or Spark finds the end.
        ends: Whether the source ends by itself.
    """

    node: SourceNode
    options: Mapping[str, str]
    stops: Mapping[TopicPartition, int] | None
    ends: bool


def resolve(node: SourceNode, source: KafkaSource[Any]) -> KafkaInput:
    """Ask the brokers which partitions there are, where they begin and where they stop.

    Raises:
        UnknownTopicError: A topic or partition does not exist.
        BrokerUnreachableError: No broker answered.
    """
    headers = "headers" in decoder_of(node).columns
    stopping = source.stopping_offsets
    cluster = Cluster(with_pem_stores(source.consumer_properties))
    if isinstance(source.subscription, TopicPattern):
        cluster.reach()
        starts = _word(source.starting_offsets)
        return KafkaInput(node, source_options(source, starts, headers=headers), None, _ends_at_latest(stopping))
    assert source.subscription is not None
    partitions = cluster.partitions(source.subscription)
    offsets = cluster.offsets(source.starting_offsets, partitions)
    stops = None if stopping is None else cluster.offsets(stopping, partitions)
    return KafkaInput(node, source_options(source, offsets, headers=headers), stops, stops is not None)


def kafka_frame(session: SparkSession, inputs: Sequence[KafkaInput], per_batch: int | None) -> DataFrame:
    """The records of all inputs as one stream, each with the node of its source.

    Args:
        session: Where to read.
        inputs: One or more.
        per_batch: How many records a micro-batch may hold; None for all there are.
    """
    columns = tuple(dict.fromkeys(column for one in inputs for column in decoder_of(one.node).columns))
    if all(one.ends for one in inputs):
        inputs = tuple(map(_ended_by_spark, inputs))
    return reduce(DataFrame.unionByName, (_one_frame(session, one, columns, per_batch) for one in inputs))


def collection_frame(session: SparkSession, node: SourceNode, source: CollectionSource) -> DataFrame:
    """The elements of a collection, in order."""
    values = pa.array([cloudpickle.dumps(element) for element in source.elements], pa.binary())
    table = pa.table({"source": pa.array([node.id] * len(values), pa.int32()), "value": values})
    return session.createDataFrame(table).coalesce(1)


def _ended_by_spark(one: KafkaInput) -> KafkaInput:
    """Without stops where they are just the end: Spark finds it again when the query starts.

    A filter would drop what came in between, and the checkpoint would count it as read.
    """
    source = one.node.source
    at_the_end = isinstance(source, KafkaSource) and isinstance(source.stopping_offsets, LatestOffsets)
    return attrs.evolve(one, stops=None) if at_the_end else one


def _one_frame(session: SparkSession, one: KafkaInput, columns: Sequence[str], per_batch: int | None) -> DataFrame:
    limit = {} if per_batch is None else {MAX_OFFSETS: str(per_batch)}
    frame = session.readStream.format("kafka").options(**{**limit, **one.options}).load()
    if one.stops is not None:
        frame = frame.where(stop_condition(one.stops))
    if "headers" in columns and "headers" not in frame.columns:
        frame = frame.withColumn("headers", functions.expr("CAST(NULL AS array<struct<key: string, value: binary>>)"))
    taken = [
        functions.unix_millis(column).alias(column) if column == "timestamp" else functions.col(column)
        for column in columns
    ]
    return frame.select(functions.lit(one.node.id).alias("source"), *taken)


def _word(initializer: OffsetsInitializer) -> str:
    """Spark's word for where a pattern's topics begin."""
    match initializer:
        case EarliestOffsets():
            return "earliest"
        case LatestOffsets():
            return "latest"
        case _:
            raise _only_ends(initializer)


def _ends_at_latest(stopping: OffsetsInitializer | None) -> bool:
    if stopping is None:
        return False
    if not isinstance(stopping, LatestOffsets):
        raise _only_ends(stopping)
    return True


def _only_ends(initializer: OffsetsInitializer) -> Exception:
    return UnsupportedFeatureError(
        f"{initializer} is not resolved for a topic pattern yet", now="earliest() and latest() work."
    )
