"""PostgreSQL databases, at PyFlink's path."""

from __future__ import annotations

from kafkastream.spec.endpoints import SinkFunction
from kafkastream.spec.jdbc import JdbcConnectionOptions, JdbcExecutionOptions, JdbcSink

__all__ = [
    "JdbcConnectionOptions",
    "JdbcExecutionOptions",
    "JdbcSink",
    "SinkFunction",
]
