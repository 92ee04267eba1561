"""The Table API's SQL: ``pyflink.table`` becomes ``kafkastream.table``."""

from __future__ import annotations

from kafkastream.table.changelog_mode import ChangelogMode
from kafkastream.table.environment import TableEnvironment
from kafkastream.table.environment_settings import EnvironmentSettings
from kafkastream.table.schema import Schema
from kafkastream.table.statement_set import StatementSet
from kafkastream.table.stream_environment import StreamTableEnvironment
from kafkastream.table.table import Table
from kafkastream.table.table_config import TableConfig
from kafkastream.table.table_descriptor import FormatDescriptor, TableDescriptor
from kafkastream.table.table_result import ResultKind, TableResult
from kafkastream.table.table_schema import TableSchema
from kafkastream.table.types import DataTypes
from kafkastream.table.udf import (
    AggregateFunction,
    FunctionContext,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
)

__all__ = [
    "AggregateFunction",
    "ChangelogMode",
    "DataTypes",
    "EnvironmentSettings",
    "FormatDescriptor",
    "FunctionContext",
    "ResultKind",
    "ScalarFunction",
    "Schema",
    "StatementSet",
    "StreamTableEnvironment",
    "Table",
    "TableAggregateFunction",
    "TableConfig",
    "TableDescriptor",
    "TableEnvironment",
    "TableFunction",
    "TableResult",
    "TableSchema",
]
