"""Execution of SQL statements: dispatches each to its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.row import Row
from kafkastream.secret_masking import masked_value
from kafkastream.sql.quoting import literal, quoted
from kafkastream.sql.syntax.statements import (
    AsTable,
    CreateTable,
    Describe,
    Explain,
    Insert,
    Query,
    Reset,
    Set,
    Show,
    Statement,
    StatementSet,
)
from kafkastream.sql.table import Expression, PhysicalColumn, Position, TableDefinition
from kafkastream.sql.types import DataType
from kafkastream.table.session.ddl import execute_ddl
from kafkastream.table.session.describe_show import describe_result, show_result
from kafkastream.table.session.explain import explain_plans
from kafkastream.table.session.session_planner import Plan, SessionPlanner
from kafkastream.table.table_result import TableResult

__all__ = ["Interpreter", "all_of"]


@final
@attrs.frozen
class Interpreter:
    """Executes statements in a session.

    Args:
        planner: Plans queries over the session's tables.
        start: Starts the job of INSERT statements.
        show: Starts the job of a query whose rows the program collects.
    """

    planner: SessionPlanner
    start: Callable[[Sequence[Plan]], TableResult]
    show: Callable[[Plan], TableResult]

    def execute(self, statement: Statement) -> TableResult:
        """Execute a statement.

        Raises:
            KafkastreamError: The statement is invalid or not supported, or its job cannot start.
        """
        match statement:
            case Query():
                return self.show(self.planner.shown(statement.query))
            case Insert() | StatementSet():
                return self.start(self.plans(statement))
            case CreateTable() if statement.query is not None or statement.as_table is not None:
                return self.start([self.planner.insert(self._created_as(statement))])
            case _:
                return self._at_once(statement)

    def plans(self, statement: Query | Insert | StatementSet) -> list[Plan]:
        """Plan a query or INSERT statement.

        Raises:
            KafkastreamError: The statement is invalid or not supported.
        """
        match statement:
            case Query():
                return [self.planner.shown(statement.query)]
            case Insert():
                return [self.planner.insert(statement)]
            case StatementSet():
                return [self.planner.insert(self._insert(one)) for one in statement.statements]

    def _at_once(self, statement: Statement) -> TableResult:
        """Execute a statement that starts no job."""
        match statement:
            case Explain():
                return self._explained(statement)
            case Describe():
                return describe_result(statement, self.planner)
            case Show():
                return show_result(statement, self.planner)
            case Set():
                return self._set(statement)
            case Reset():
                self._reset(statement)
            case _:
                execute_ddl(statement, self.planner)
        return TableResult.ok()

    def _explained(self, statement: Explain) -> TableResult:
        """Plan a statement in a copy of the session, in which CREATE TABLE ... AS creates its table."""
        copy = attrs.evolve(self, planner=self.planner.as_it_is())
        inner = statement.statement
        plans = copy.plans(copy._insert(inner) if isinstance(inner, CreateTable) else inner)
        return TableResult(rows=[Row(explain_plans(copy.planner, plans))])

    def _insert(self, statement: Insert | CreateTable) -> Insert:
        return self._created_as(statement) if isinstance(statement, CreateTable) else statement

    def _created_as(self, statement: CreateTable) -> Insert:
        """Create the table of ``CREATE TABLE ... AS``, and return the INSERT that fills it."""
        if statement.as_table is not None:
            self._check_copied(statement.as_table, statement.position)
        query = all_of(statement) if statement.query is None else statement.query
        relation = self.planner.query(query)
        columns = tuple(PhysicalColumn(field.name, field.type) for field in relation.fields)
        schema = attrs.evolve(statement.definition.schema, columns=columns)
        definition = attrs.evolve(statement.definition, schema=schema)
        execute_ddl(attrs.evolve(statement, definition=definition, query=None, as_table=None), self.planner)
        return Insert(target=definition.name, query=query, position=statement.position)

    def _check_copied(self, source: AsTable, position: Position) -> None:
        """Refuse to copy a Kafka table of which only metadata is declared: Alibaba Cloud infers the message's columns."""
        table = self.planner.catalog.find(source.source)
        if isinstance(table, TableDefinition) and table.schema.metadata and not table.schema.physical:
            raise UnsupportedFeatureError(
                f"the table {'.'.join(source.source)} has only metadata columns, and those of its messages are not "
                "inferred: the copy would have nothing of the messages",
                where=str(position),
                now="Declare the columns of the messages, or read the topic through a catalog of type 'kafka', which "
                "infers them.",
            )

    def _set(self, statement: Set) -> TableResult:
        config = self.planner.config
        for key, value in statement.options.items():
            config.set(key, value)
        if statement.options:
            return TableResult.ok()
        settings = sorted(config.get_configuration().to_dict().items())
        rows = [Row(key, masked_value(key, value)) for key, value in settings]
        return TableResult([("key", DataType.string()), ("value", DataType.string())], rows)

    def _reset(self, statement: Reset) -> None:
        configuration = self.planner.config.get_configuration()
        for key in [statement.key] if statement.key else configuration.key_set():
            configuration.remove_config(key)


def all_of(statement: CreateTable) -> Expression:
    """Return the query of ``CREATE TABLE ... AS TABLE source ADD COLUMN ...``."""
    assert statement.as_table is not None
    source = quoted(*statement.as_table.source)
    added = "".join(f", {one.expression.text} AS {quoted(one.name)}" for one in statement.as_table.columns)
    pairs = ", ".join(f"{literal(key)}={literal(value)}" for key, value in statement.as_table.options.items())
    hint = f" /*+ OPTIONS({pairs}) */" if pairs else ""
    return Expression(f"SELECT *{added} FROM {source}{hint}", statement.position)  # noqa: S608 - the user's own
