"""Table environments in one module, at PyFlink's path."""

from __future__ import annotations

from kafkastream.datastream.environment import StreamExecutionEnvironment
from kafkastream.datastream.stream import DataStream
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.job.configuration import Configuration
from kafkastream.table.changelog_mode import ChangelogMode
from kafkastream.table.compiled_plan import CompiledPlan
from kafkastream.table.environment import TableEnvironment
from kafkastream.table.environment_settings import EnvironmentSettings
from kafkastream.table.explain_detail import ExplainDetail
from kafkastream.table.expression import Expression
from kafkastream.table.module import Module, ModuleEntry
from kafkastream.table.plan_reference import PlanReference
from kafkastream.table.schema import Schema
from kafkastream.table.statement_set import StatementSet
from kafkastream.table.stream_environment import StreamTableEnvironment
from kafkastream.table.table import Table
from kafkastream.table.table_config import TableConfig
from kafkastream.table.table_descriptor import TableDescriptor
from kafkastream.table.table_result import TableResult
from kafkastream.table.udf import AggregateFunction, TableAggregateFunction

__all__ = [
    "AggregateFunction",
    "ChangelogMode",
    "CompiledPlan",
    "Configuration",
    "DataStream",
    "EnvironmentSettings",
    "ExplainDetail",
    "Expression",
    "Module",
    "ModuleEntry",
    "PlanReference",
    "Schema",
    "StatementSet",
    "StreamExecutionEnvironment",
    "StreamTableEnvironment",
    "Table",
    "TableAggregateFunction",
    "TableConfig",
    "TableDescriptor",
    "TableEnvironment",
    "TableResult",
    "TypeInformation",
]
