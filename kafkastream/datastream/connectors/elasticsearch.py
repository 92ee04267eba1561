"""Elasticsearch, at PyFlink's path: its classes can be imported, and are refused when they are used."""

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

_INSTEAD: Final = "Write to a topic, and let Kafka Connect's Elasticsearch sink index it."


class ElasticsearchSink(StandIn, instead=_INSTEAD):
    """Writes to Elasticsearch."""


class ElasticsearchSinkBuilderBase(StandIn, instead=_INSTEAD):
    """Builds an ``ElasticsearchSink``."""


class Elasticsearch6SinkBuilder(StandIn, instead=_INSTEAD):
    """Builds a sink for Elasticsearch 6."""


class Elasticsearch7SinkBuilder(StandIn, instead=_INSTEAD):
    """Builds a sink for Elasticsearch 7."""


class ElasticsearchEmitter(StandIn, instead=_INSTEAD):
    """Makes requests of elements."""


class FlushBackoffType(StandIn, instead=_INSTEAD):
    """Says how retries are spaced."""
