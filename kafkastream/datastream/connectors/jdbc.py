"""Databases, at PyFlink's path: its classes can be imported, and are refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.spec.endpoints import SinkFunction
from kafkastream.spec.stand_in import StandIn

__all__ = [
    "JdbcConnectionOptions",
    "JdbcExecutionOptions",
    "JdbcSink",
    "SinkFunction",
]

_INSTEAD: Final = (
    "Write to a topic, and copy it into the database: with a query of Spark's (foreachBatch and DataFrameWriter.jdbc) "
    "or with Kafka Connect's JDBC sink."
)


class JdbcSink(StandIn, instead=_INSTEAD):
    """Writes to a database."""


class JdbcConnectionOptions(StandIn, instead=_INSTEAD):
    """Says how to connect to a database."""


class JdbcExecutionOptions(StandIn, instead=_INSTEAD):
    """Says how statements are batched and retried."""
