"""Statements, carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.immutable import is_secret
from kafkastream.model.common.row import Row
from kafkastream.sql.quoting import literal, quoted
from kafkastream.sql.syntax.statements import (
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
from kafkastream.sql.table import Expression, PhysicalColumn
from kafkastream.sql.types import DataType
from kafkastream.table.definitions import carry_out
from kafkastream.table.explaining import explained
from kafkastream.table.listing import described, listed
from kafkastream.table.planning import Plan, Planner
from kafkastream.table.table_result import TableResult

__all__ = ["Interpreter", "all_of"]


@final
@attrs.frozen
class Interpreter:
    """Carries statements out.

    Args:
        planner: Plans queries on the session's tables.
        start: Starts the job of INSERTs.
        show: Starts the job of a query.
    """

    planner: Planner
    start: Callable[[Sequence[Plan]], TableResult]
    show: Callable[[Plan], TableResult]

    def execute(self, statement: Statement) -> TableResult:
        """Carry a statement out.

        Raises:
            KafkastreamError: It is wrong, asks for what is not to be had, or its job cannot start.
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
        """What runs for a statement.

        Raises:
            KafkastreamError: It is wrong, or asks for what is not to be had.
        """
        match statement:
            case Query():
                return [self.planner.shown(statement.query)]
            case Insert():
                return [self.planner.insert(statement)]
            case StatementSet():
                return [self.planner.insert(self._insert(one)) for one in statement.statements]

    def _at_once(self, statement: Statement) -> TableResult:
        """A statement without a job."""
        match statement:
            case Explain():
                return self._explained(statement)
            case Describe():
                return described(statement, self.planner)
            case Show():
                return listed(statement, self.planner)
            case Set():
                return self._set(statement)
            case Reset():
                self._reset(statement)
            case _:
                carry_out(statement, self.planner)
        return TableResult.ok()

    def _explained(self, statement: Explain) -> TableResult:
        inner = statement.statement
        if isinstance(inner, CreateTable):
            raise UnsupportedFeatureError(
                "EXPLAIN of CREATE TABLE ... AS", where=str(inner.position), now="EXPLAIN its query."
            )
        return TableResult(rows=[Row(explained(self.plans(inner)))])

    def _insert(self, statement: Insert | CreateTable) -> Insert:
        return self._created_as(statement) if isinstance(statement, CreateTable) else statement

    def _created_as(self, statement: CreateTable) -> Insert:
        """Create the table of CREATE TABLE ... AS, with the columns of the query; what is left is to write it."""
        query = all_of(statement) if statement.query is None else statement.query
        relation = self.planner.query(query)
        columns = tuple(PhysicalColumn(field.name, field.type) for field in relation.fields)
        schema = attrs.evolve(statement.definition.schema, columns=columns)
        definition = attrs.evolve(statement.definition, schema=schema)
        carry_out(attrs.evolve(statement, definition=definition, query=None, as_table=None), self.planner)
        return Insert(target=definition.name, query=query, position=statement.position)

    def _set(self, statement: Set) -> TableResult:
        config = self.planner.config
        for key, value in statement.options.items():
            config.set(key, value)
        if statement.options:
            return TableResult.ok()
        settings = sorted(config.get_configuration().to_dict().items())
        rows = [Row(key, "***" if is_secret(key) else value) for key, value in settings]
        return TableResult([("key", DataType.string()), ("value", DataType.string())], rows)

    def _reset(self, statement: Reset) -> None:
        configuration = self.planner.config.get_configuration()
        for key in [statement.key] if statement.key else configuration.key_set():
            configuration.remove_config(key)


def all_of(statement: CreateTable) -> Expression:
    """The query of CREATE TABLE ... AS TABLE source ADD COLUMN ...."""
    assert statement.as_table is not None
    source = quoted(*statement.as_table.source)
    added = "".join(f", {one.expression.text} AS {quoted(one.name)}" for one in statement.as_table.columns)
    pairs = ", ".join(f"{literal(key)}={literal(value)}" for key, value in statement.as_table.options.items())
    hint = f" /*+ OPTIONS({pairs}) */" if pairs else ""
    return Expression(f"SELECT *{added} FROM {source}{hint}", statement.position)  # noqa: S608 - the user's own
