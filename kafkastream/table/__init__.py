"""Flink SQL, at PyFlink's path: ``pyflink.table`` becomes ``kafkastream.table``.

``TableEnvironment`` declares tables and executes statements; ``Table`` is a query, ``TableResult`` what a statement
returned, ``StreamTableEnvironment`` connects tables with streams. Statements are parsed by ``kafkastream.sql`` and
executed by ``session``; ``api`` are the expressions and operations of the Table API. The other modules have PyFlink's
paths, or hold classes that several of these share.
"""

from __future__ import annotations

from kafkastream.model.common.row import Row, RowKind
from kafkastream.table.changelog_mode import ChangelogMode
from kafkastream.table.compiled_plan import CompiledPlan
from kafkastream.table.data_view import DataView, ListView, MapView
from kafkastream.table.environment import TableEnvironment
from kafkastream.table.environment_settings import EnvironmentSettings
from kafkastream.table.explain_detail import ExplainDetail
from kafkastream.table.expression import Expression
from kafkastream.table.grouped_tables import GroupedTable, GroupWindowedTable, OverWindowedTable, WindowGroupedTable
from kafkastream.table.module import Module, ModuleEntry
from kafkastream.table.plan_reference import PlanReference
from kafkastream.table.schema import Schema
from kafkastream.table.sql_dialect import SqlDialect
from kafkastream.table.statement_set import StatementSet
from kafkastream.table.stream_environment import StreamTableEnvironment
from kafkastream.table.table import Table
from kafkastream.table.table_config import TableConfig
from kafkastream.table.table_descriptor import FormatDescriptor, TableDescriptor
from kafkastream.table.table_pipeline import TablePipeline
from kafkastream.table.table_result import ResultKind, TableResult
from kafkastream.table.table_schema import TableSchema
from kafkastream.table.types import DataTypes, UserDefinedType
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
    "CompiledPlan",
    "DataTypes",
    "DataView",
    "EnvironmentSettings",
    "ExplainDetail",
    "Expression",
    "FormatDescriptor",
    "FunctionContext",
    "GroupWindowedTable",
    "GroupedTable",
    "ListView",
    "MapView",
    "Module",
    "ModuleEntry",
    "OverWindowedTable",
    "PlanReference",
    "ResultKind",
    "Row",
    "RowKind",
    "ScalarFunction",
    "Schema",
    "SqlDialect",
    "StatementSet",
    "StreamTableEnvironment",
    "Table",
    "TableAggregateFunction",
    "TableConfig",
    "TableDescriptor",
    "TableEnvironment",
    "TableFunction",
    "TablePipeline",
    "TableResult",
    "TableSchema",
    "UserDefinedType",
    "WindowGroupedTable",
]
