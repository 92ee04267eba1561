"""Sources and sinks of a job in one line, for the message at its start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.split_source import Source
from kafkastream.model.connectors.subscription import PartitionSet, TopicList, TopicPattern
from kafkastream.model.graph.job_graph import CollectionSource, JobGraph, SourceNode

__all__ = ["flow_text"]

_SHOWN: Final = 3


def flow_text(graph: JobGraph) -> str:
    """Return the sources and sinks of each connected part of a job, without brokers and credentials.

    Example:
        >>> from kafkastream.model.common.watermark_strategy import WatermarkStrategy
        >>> from kafkastream.model.graph.job_graph import PrintSink, SinkNode
        >>> numbers = CollectionSource(range(3))
        >>> source = SourceNode(id=1, name="numbers", source=numbers, watermarks=WatermarkStrategy.no_watermarks())
        >>> flow_text(JobGraph((source, SinkNode(id=2, name="Print", input=1, sink=PrintSink()))))
        'numbers → print'
    """
    return _some([_of_part(part) for part in graph.components()], "; ")


def _of_part(part: JobGraph) -> str:
    sinks = (node.sink.target_text for node in part.sinks if not node.takes_dead_letters)
    return f"{_some(map(_read, part.sources))} → {_some(sinks)}"


def _read(node: SourceNode) -> str:
    match node.source:
        case CollectionSource() | Source():
            return node.name
        case KafkaSource(subscription=TopicList(topics=topics)):
            return _named("topic", topics)
        case KafkaSource(subscription=TopicPattern(pattern=pattern)):
            return f"topics like {pattern}"
        case KafkaSource(subscription=PartitionSet(partitions=partitions)):
            return _named("partition", [str(one) for one in sorted(partitions)])
        case KafkaSource(subscription=subscriber):
            return f"topics by {type(subscriber).__name__}"


def _named(kind: str, names: Sequence[str]) -> str:
    return f"{kind}{'s' if len(names) > 1 else ''} {_some(names)}"


def _some(texts: Iterable[str], separator: str = ", ") -> str:
    """Return the first different texts, and the number of the others."""
    different = list(dict.fromkeys(texts))
    more = [f"{len(different) - _SHOWN} more"] if len(different) > _SHOWN else []
    return separator.join([*different[:_SHOWN], *more])
