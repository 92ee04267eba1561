"""The PostgreSQL sink of pipelines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import attrs

from kafkastream.cdc.changes import SchemaChange
from kafkastream.cdc.sinks import MetadataApplier
from kafkastream.cdc.spec.postgres_sink import PostgresSink
from kafkastream.postgres.applier import PostgresMetadataApplier
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.postgres.writer import PostgresWriter
from kafkastream.spark.cdc.appliers import metadata_applier
from kafkastream.spark.cdc.plan import sink_steps
from kafkastream.spark.cdc.table_sink import TableSinkOperator
from kafkastream.spark.worker.chain_sinks import SinkOperator, SinkPlace, sink_operator

__all__: list[str] = []


@sink_operator.register
def _(sink: PostgresSink, place: SinkPlace) -> SinkOperator:
    return TableSinkOperator(place.name, partial(PostgresWriter, PostgresSettings.of_sink(sink)))


@metadata_applier.register
def _(sink: PostgresSink) -> MetadataApplier:
    return PostgresMetadataApplier(PostgresSettings.of_sink(sink))


@sink_steps.register
def _(sink: PostgresSink, changes: Iterable[SchemaChange]) -> Iterator[str]:
    at_once = attrs.evolve(PostgresSettings.of_sink(sink), retry_timeout_s=0)
    with PostgresMetadataApplier(at_once) as applier:
        for change in changes:
            yield from applier.statements(change)
