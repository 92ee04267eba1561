"""A declared table as a query sees it: its computed columns and its watermark."""

from __future__ import annotations

from typing import NamedTuple, final

import attrs
from sqlglot import exp

from kafkastream.sql.connectors import source_of
from kafkastream.sql.expressions.column_scope import Scope, name_parts
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.expressions.function_calls import is_call
from kafkastream.sql.expressions.intervals import interval_ms
from kafkastream.sql.parser.parsed_query import QueryText
from kafkastream.sql.plan.expression import ColumnRef, TypedExpression
from kafkastream.sql.plan.operations import TimeAttribute
from kafkastream.sql.plan.planning_catalog import Catalog, ResolvedTable
from kafkastream.sql.plan.relations import Field
from kafkastream.sql.table import ComputedColumn, Expression, TableDefinition
from kafkastream.sql.type_families import STAMPS
from kafkastream.sql.types import DataType, Kind

__all__ = ["ComputedSchema", "EventTime", "compile_columns", "resolve_table"]

_LTZ = DataType.of(Kind.TIMESTAMP_LTZ, 3).not_null()


class EventTime(NamedTuple):
    """Event time of a table.

    Args:
        column: Position of the time column in the schema.
        out_of_orderness_ms: Delay of the watermark in ms; None if the table takes the watermarks of its stream.
    """

    column: int
    out_of_orderness_ms: int | None


@final
@attrs.frozen
class ComputedSchema:
    """Columns of a table with their expressions.

    Args:
        inputs: Physical and metadata columns, which expressions read.
        fields: All columns in the order of the schema.
        expressions: One expression per column.
        event_time: Event time, if a watermark is declared.
    """

    inputs: tuple[Field, ...]
    fields: tuple[Field, ...]
    expressions: tuple[TypedExpression, ...]
    event_time: EventTime | None = None


class _NoTables:
    """Catalog without tables, to which computed columns cannot refer."""

    @property
    def database(self) -> str:
        return "default_database"

    def table(self, path: tuple[str, ...]) -> None:
        return None

    def tables(self) -> tuple[str, ...]:
        return ()

    def function(self, path: tuple[str, ...]) -> None:
        return None

    def of(self, query: Expression) -> _NoTables:
        return self


def compile_columns(definition: TableDefinition, catalog: Catalog | None = None) -> ComputedSchema:
    """Compile the columns of a table, including computed ones.

    As in Flink, an expression can refer to physical and metadata columns, and ``PROCTIME()`` gives a time attribute.
    Differs from Flink: a watermark must be its column, or the column minus intervals.

    Args:
        definition: The table.
        catalog: Catalog of user-defined functions.

    Raises:
        DefinitionError: An expression is invalid, or the watermark's column is not a timestamp.
        UnsupportedFeatureError: An expression or the watermark is not supported.
    """
    schema = definition.schema
    inputs = tuple(
        Field(column.name, column.type) for column in schema.columns if not isinstance(column, ComputedColumn)
    )
    indexes = {field.name: index for index, field in enumerate(inputs)}
    fields: list[Field] = []
    expressions: list[TypedExpression] = []
    for column in schema.columns:
        if not isinstance(column, ComputedColumn):
            expressions.append(ColumnRef(indexes[column.name], column.type))
            fields.append(Field(column.name, column.type))
            continue
        text = QueryText(column.expression)
        node = text.expression()
        compiler = ExpressionCompiler(text, Scope.of(inputs, definition.name[-1]), catalog or _NoTables())
        expressions.append(compiler.compile(node))
        if is_call(node, "PROCTIME"):
            fields.append(Field(column.name, _LTZ, TimeAttribute.PROCESSING))
        else:
            fields.append(Field(column.name, expressions[-1].type))
    event_time = _find_event_time(definition, tuple(fields))
    if event_time is not None:
        fields[event_time.column] = attrs.evolve(fields[event_time.column], time=TimeAttribute.EVENT)
    return ComputedSchema(inputs, tuple(fields), tuple(expressions), event_time)


def resolve_table(definition: TableDefinition, catalog: Catalog | None = None) -> ResolvedTable:
    """Return the columns and the changelog mode of a table.

    Raises:
        KafkastreamError: An expression or an option of it is wrong.
    """
    schema = compile_columns(definition, catalog)
    is_computed = any(isinstance(column, ComputedColumn) for column in definition.schema.columns)
    time = schema.event_time
    return ResolvedTable(
        definition,
        source_of(definition).changelog,
        schema.fields,
        schema.expressions if is_computed else (),
        None if time is None or time.out_of_orderness_ms is None else (time.column, time.out_of_orderness_ms),
    )


def _find_event_time(definition: TableDefinition, fields: tuple[Field, ...]) -> EventTime | None:
    watermark = definition.schema.watermark
    if watermark is None:
        return None
    text = QueryText(watermark.expression)
    names = [field.name for field in fields]
    if len(watermark.path) > 1 and watermark.path[0] in names:
        message = f"A watermark for {'.'.join(watermark.path)}, inside of a column, is not supported."
        raise text.refused(
            None, message, f"Add a column such as ts AS {'.'.join(watermark.path)}, and declare it for ts."
        )
    if watermark.path[0] not in names:
        message = f"The rowtime attribute field '{watermark.path[0]}' is not defined in the table schema."
        raise text.error(None, message, f"Take one of {', '.join(names)}.")
    column = names.index(watermark.path[0])
    type_ = fields[column].type
    if type_.kind not in STAMPS or (type_.size or 0) > 3:
        message = (
            "Invalid data type of time field for watermark definition. The field must be of type TIMESTAMP(p) or "
            f"TIMESTAMP_LTZ(p), the supported precision 'p' is from 0 to 3, but the time field type is {type_}"
        )
        raise text.error(None, message, "Add a computed column such as ts AS CAST(t AS TIMESTAMP(3)).")
    node = text.expression()
    if is_call(node, "SOURCE_WATERMARK"):
        if definition.stream is not None:
            return EventTime(column, None)
        raise text.error(
            None,
            f"SOURCE_WATERMARK() requires that the source emits watermarks, and that of '{definition.identifier}' does not",
            f"Write {names[column]} - INTERVAL '5' SECOND.",
        )
    delay = 0
    while isinstance(node, exp.Sub):
        delay += interval_ms(text, node.expression)
        node = node.this
    if name_parts(node) is None or Scope.of(fields, definition.name[-1]).resolve(text, node) != ColumnRef(
        column, type_
    ):
        message = "A watermark is its column, or that minus intervals, here."
        raise text.refused(None, message, f"Write {names[column]} - INTERVAL '5' SECOND.")
    if delay < 0:
        raise text.error(None, "A watermark must not run ahead of its column.", "Subtract an interval.")
    return EventTime(column, delay)
