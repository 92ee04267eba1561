"""The Table API's SQL: ``pyflink.table`` becomes ``kafkastream.table``."""

from __future__ import annotations

from kafkastream.table.environment import TableEnvironment
from kafkastream.table.environment_settings import EnvironmentSettings
from kafkastream.table.statement_set import StatementSet
from kafkastream.table.stream_environment import StreamTableEnvironment
from kafkastream.table.table import Table
from kafkastream.table.table_config import TableConfig
from kafkastream.table.table_result import ResultKind, TableResult
from kafkastream.table.table_schema import TableSchema

__all__ = [
    "EnvironmentSettings",
    "ResultKind",
    "StatementSet",
    "StreamTableEnvironment",
    "Table",
    "TableConfig",
    "TableEnvironment",
    "TableResult",
    "TableSchema",
]
