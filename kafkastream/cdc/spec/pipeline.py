"""``PipelineSpec``: the definition of a pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import final

import attrs

from kafkastream.cdc.spec.kafka_source import KafkaPipelineSource
from kafkastream.cdc.spec.rules import RouteRule, TransformRule, first_transform
from kafkastream.cdc.spec.settings import KafkaCollector, PipelineSettings, RuntimeMode
from kafkastream.cdc.spec.sink import PipelineSink
from kafkastream.cdc.spec.sources import PipelineSource
from kafkastream.cdc.tables import TableId
from kafkastream.errors import DefinitionError
from kafkastream.model.connectors.client_properties import dead_letter_problems
from kafkastream.model.connectors.subscription import TopicList

__all__ = ["PipelineSpec"]


def _transforms(rules: Iterable[TransformRule]) -> tuple[TransformRule, ...]:
    return tuple(rules)


def _routes(rules: Iterable[RouteRule]) -> tuple[RouteRule, ...]:
    return tuple(rules)


@final
@attrs.frozen(kw_only=True)
class PipelineSpec:
    """Definition of a pipeline: plain data, ready to run.

    Args:
        source: Source.
        sink: Sink.
        transforms: Transform rules; the first one that selects a table counts.
        routes: Route rules; without a matching rule, rows go to a table of the source's name.
        settings: Settings of the job.

    Raises:
        DefinitionError: Parts contradict each other.
        UnsupportedFeatureError: A transform rule could never be reached.

    Example:
        >>> from kafkastream.pipeline import PrintSink, ValuesSource
        >>> PipelineSpec(source=ValuesSource(), sink=PrintSink()).routes
        ()
    """

    source: PipelineSource
    sink: PipelineSink
    transforms: tuple[TransformRule, ...] = attrs.field(default=(), converter=_transforms)
    routes: tuple[RouteRule, ...] = attrs.field(default=(), converter=_routes)
    settings: PipelineSettings = attrs.field(factory=PipelineSettings)

    def __attrs_post_init__(self) -> None:
        problems = tuple(_problems(self))
        if problems:
            raise DefinitionError("; ".join(problems), where="pipeline")
        for table in _sink_tables(self):
            if problem := self.sink.table_problem(table):
                raise DefinitionError(
                    problem, where=f"pipeline, table {table}", now="Give the table another name by a route."
                )
        for table in dict.fromkeys(table for rule in self.transforms for table in rule.source_table.tables):
            first_transform(self.transforms, table)  # those that patterns select are checked when their records come

    @property
    def is_bounded(self) -> bool:
        """True if the source ends."""
        return not isinstance(self.source, KafkaPipelineSource) or self.source.source.stopping_offsets is not None


def _sink_tables(pipeline: PipelineSpec) -> Iterator[TableId]:
    """Yield the sink tables that the definition names; others come with the records."""
    source = pipeline.source
    yield from filter(None, (rule.fixed_target for rule in pipeline.routes))
    for table in source.initial_schemas if isinstance(source, KafkaPipelineSource) else source.schemas:
        yield from [target for rule in pipeline.routes if (target := rule.target(table)) is not None] or [table]


def _problems(pipeline: PipelineSpec) -> Iterator[str]:
    source, collector = pipeline.source, pipeline.settings.dirty_data_collector
    if pipeline.settings.runtime_mode is RuntimeMode.BATCH and not pipeline.is_bounded:
        yield "'execution.runtime-mode: BATCH' needs a source that ends: set 'scan.bounded.mode'"
    if isinstance(collector, KafkaCollector):
        if not isinstance(source, KafkaPipelineSource):
            yield "the dirty data collector 'kafka' needs a source 'kafka', whose brokers keep its topic"
        else:
            subscription = source.source.subscription
            topics = subscription.topics if isinstance(subscription, TopicList) else ()
            yield from dead_letter_problems(collector.topic, topics)
