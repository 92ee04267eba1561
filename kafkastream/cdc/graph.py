"""Job graph of a pipeline: source, rules, sink."""

from __future__ import annotations

from functools import singledispatch
from typing import Any, ClassVar, final

import attrs

from kafkastream.cdc.captured import CapturedRecords, metadata_column
from kafkastream.cdc.event_text import EventTexts, RowChanges
from kafkastream.cdc.node import PipelineNode
from kafkastream.cdc.processing import ChangeProcessing, ChangesAsTheyAre, KafkaOutput, Output
from kafkastream.cdc.reader import ReadSettings
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink
from kafkastream.cdc.spec.kafka_source import InferenceStrategy, KafkaPipelineSource
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.settings import TIME_ZONE, KafkaCollector
from kafkastream.cdc.spec.simple_sinks import PrintSink, ValuesSink
from kafkastream.cdc.spec.sink import PipelineSink
from kafkastream.cdc.spec.values_source import RowChange, ValuesSource
from kafkastream.cdc.table_rules import PipelineRules
from kafkastream.model.common.endpoints import Sink
from kafkastream.model.common.time import machine_time_zone
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.connectors.dead_letter_topics import dead_letter_sink
from kafkastream.model.graph.job_graph import (
    CollectionSource,
    CollectSink,
    DiscardingSink,
    JobGraph,
    SinkNode,
    SourceNode,
)
from kafkastream.model.graph.job_graph import PrintSink as PrintingSink

__all__ = ["DirtyDataLog", "job_graph"]

_SOURCE, _RULES, _SINK, _DIRTY = 1, 2, 3, 4


@final
@attrs.frozen
class DirtyDataLog(Sink):
    """Log as collector of dirty data (``dirty-data.collector: {type: logger}``)."""

    engine_module: ClassVar[str] = "kafkastream.spark.cdc.dirty_data"


def job_graph(spec: PipelineSpec, *, collects: bool = False) -> JobGraph:
    """Return the job graph of a pipeline.

    Args:
        spec: Pipeline.
        collects: Return printed changes to the program instead of printing them.

    Raises:
        UnsupportedFeatureError: A rule uses a feature that is not supported.
    """
    sink, output = _sink(spec.sink, collects=collects)
    processing = _processing(spec, output)
    if collects:
        processing = attrs.evolve(processing, sink=_silent(spec.sink))
    source = _source(spec)
    written = SinkNode(id=_SINK, name=spec.sink.name or "Sink", input=_RULES, sink=sink)
    rules = PipelineNode(id=_RULES, name="Schema operator", input=_SOURCE, processing=processing)
    return JobGraph((source, rules, written, *_dirty_data(spec, source)))


def _silent(sink: PipelineSink) -> PipelineSink:
    """Return a sink that prints no schema changes."""
    match sink:
        case PrintSink():
            return ValuesSink(prints=False)
        case ValuesSink():
            return attrs.evolve(sink, prints=False)
        case _:
            return sink


def _source(spec: PipelineSpec) -> SourceNode:
    source, strategy = spec.source, WatermarkStrategy.no_watermarks()
    name = source.name or "Source"
    if isinstance(source, ValuesSource):
        rows = tuple(event for event in source.events if isinstance(event, RowChange))
        return SourceNode(id=_SOURCE, name=name, source=CollectionSource(rows), watermarks=strategy)
    captured = CapturedRecords(source.key_format is not None, source.metadata)
    records = attrs.evolve(source.source, deserializer=captured)
    return SourceNode(id=_SOURCE, name=name, source=records, watermarks=strategy, keeps_records=source.ignores_errors)


def _processing(spec: PipelineSpec, output: Output) -> ChangeProcessing:
    source, settings = spec.source, spec.settings
    zone = settings.local_time_zone
    zone = machine_time_zone() if zone == TIME_ZONE.default else zone
    rules = PipelineRules.of(spec)
    processing = ChangeProcessing(
        reading=ReadSettings() if isinstance(source, ValuesSource) else _reading(source, zone, rules),
        rules=rules,
        sink=spec.sink,
        output=output,
        behavior=settings.schema_change_behavior,
        time_zone=zone,
        functions=settings.functions,
    )
    if isinstance(source, ValuesSource):
        return attrs.evolve(processing, initial=source.schemas)
    return attrs.evolve(
        processing,
        initial=source.initial_schemas,
        most_prefetched=source.max_pre_fetch_records,
        most_skipped=source.max_errors if source.ignores_errors and source.max_errors >= 0 else None,
    )


def _reading(source: KafkaPipelineSource, zone: str, rules: PipelineRules) -> ReadSettings:
    return ReadSettings(
        value=source.value_format,
        is_static=source.inference is InferenceStrategy.STATIC,
        reads_key=source.key_format is not None,
        key_prefix=source.key_fields_prefix,
        value_prefix=source.value_fields_prefix,
        metadata=tuple(metadata_column(name) for name in source.metadata),
        local_time_zone=zone,
        table_rules=rules,
    )


def _dirty_data(spec: PipelineSpec, source: SourceNode) -> tuple[SinkNode, ...]:
    """Return the node for records that cannot be parsed; none if these fail the job."""
    if not isinstance(spec.source, KafkaPipelineSource) or not spec.source.ignores_errors:
        return ()
    collector = spec.settings.dirty_data_collector
    sink: Sink = DirtyDataLog()
    if isinstance(collector, KafkaCollector):
        sinks = [spec.sink.sink] if isinstance(spec.sink, KafkaPipelineSink) else []
        sink = dead_letter_sink(collector.topic, spec.source.source, sinks)
    return (SinkNode(id=_DIRTY, name="Dirty data", input=source.id, sink=sink, takes_dead_letters=True),)


@singledispatch
def _sink(sink: PipelineSink, *, collects: bool) -> tuple[Any, Output]:
    """Return the sink of the graph's elements, and the form of the elements."""
    return sink, ChangesAsTheyAre()


@_sink.register
def _(sink: KafkaPipelineSink, *, collects: bool) -> tuple[Any, Output]:
    return sink.sink, KafkaOutput(sink)


@_sink.register
def _(sink: PrintSink, *, collects: bool) -> tuple[Any, Output]:
    if collects:
        return CollectSink(), RowChanges()
    return PrintingSink(sink.print_identifier or "", sink.standard_error), EventTexts()


@_sink.register
def _(sink: ValuesSink, *, collects: bool) -> tuple[Any, Output]:
    if collects:
        return CollectSink(), RowChanges()
    return PrintingSink() if sink.prints else DiscardingSink(), EventTexts()
