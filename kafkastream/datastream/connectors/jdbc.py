"""JDBC sink to PostgreSQL, at PyFlink's path."""

from __future__ import annotations

from kafkastream.model.common.endpoints import SinkFunction
from kafkastream.model.connectors.jdbc_sink import JdbcConnectionOptions, JdbcExecutionOptions, JdbcSink

__all__ = [
    "JdbcConnectionOptions",
    "JdbcExecutionOptions",
    "JdbcSink",
    "SinkFunction",
]
