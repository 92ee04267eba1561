"""Elasticsearch connector, at PyFlink's path: importable, and refused when it is used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "Elasticsearch6SinkBuilder",
    "Elasticsearch7SinkBuilder",
    "ElasticsearchEmitter",
    "ElasticsearchSink",
    "ElasticsearchSinkBuilderBase",
    "FlushBackoffType",
]

_INSTEAD: Final = "Write to a topic, and index it with Kafka Connect's Elasticsearch sink."


class ElasticsearchSink(StandIn, instead=_INSTEAD):
    """Sink to Elasticsearch."""


class ElasticsearchSinkBuilderBase(StandIn, instead=_INSTEAD):
    """Base class of builders of ``ElasticsearchSink``."""


class Elasticsearch6SinkBuilder(StandIn, instead=_INSTEAD):
    """Builder of a sink to Elasticsearch 6."""


class Elasticsearch7SinkBuilder(StandIn, instead=_INSTEAD):
    """Builder of a sink to Elasticsearch 7."""


class ElasticsearchEmitter(StandIn, instead=_INSTEAD):
    """Converter of elements to requests."""


class FlushBackoffType(StandIn, instead=_INSTEAD):
    """Backoff between retries of a request."""
