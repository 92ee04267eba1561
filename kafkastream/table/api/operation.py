"""An operation on a table: collects its operands, writes its query, and plans it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.model.common.value_printing import shown as shown_value
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.parser.parsed_query import QueryText
from kafkastream.sql.plan.planning_catalog import View
from kafkastream.sql.plan.relations import Field
from kafkastream.sql.quoting import quoted
from kafkastream.sql.table import Expression
from kafkastream.sql.types import DataType
from kafkastream.table.api.expression_tree import ExpressionNode
from kafkastream.table.api.operands import Operands
from kafkastream.table.api.operation_text import OperationText, OverText
from kafkastream.table.api.select_text import SelectText
from kafkastream.table.api.sql_text import shown_expression
from kafkastream.table.api.tree_methods import TreeMethods, node_of

if TYPE_CHECKING:
    from kafkastream.table.api.query_table import QueryTable

__all__ = ["ApiOperation", "nodes_of"]

T = TypeVar("T", bound="QueryTable")
_NUMBERS: Final = itertools.count(1)


class ApiOperation(Generic[T]):
    """Operation on a table.

    Args:
        table: Table.
        method: Method that is called.
        arguments: Its arguments, for errors.
    """

    def __init__(self, table: T, method: str, *arguments: Any) -> None:
        self.table = table
        self.where = f"{method}({', '.join(map(_shown, arguments))})"
        self.operands = Operands(table._t_env._planner.as_it_is())
        select = table._select
        if select is not None and select.is_open:
            self.operands.add(table._query.names)
            self.select = select
        else:
            self.select = SelectText(self.entry(table))

    def entry(self, table: QueryTable) -> str:
        """Return a table as an entry of FROM, and make it an operand."""
        if table._t_env is not self.table._t_env:
            raise self.error("Only tables from the same TableEnvironment can be joined.", "Read both with one.")
        select = table._select
        if select is not None and select.is_source and select.source.strip("`") in table._query.names.found:
            self.operands.add(table._query.names)
            return select.source
        return quoted(self.register(table))

    def register(self, table: QueryTable) -> str:
        """Make a table an operand, and return its name."""
        name = f"{table._path[-1] if table._path else 'table'}${next(_NUMBERS)}"
        found = table._query.names.table(table._path) if table._path else None
        self.operands.found[name] = View(table._query) if found is None else found
        return name

    def writer(
        self,
        names: Iterable[str] | None = None,
        properties: Mapping[tuple[str, str], str] | None = None,
        over_windows: Mapping[str, OverText] | None = None,
    ) -> OperationText:
        """Return the writer of expressions.

        Args:
            names: Columns that expressions may name; by default, those of the table.
            properties: Text of the properties of group windows.
            over_windows: Over windows, by alias.
        """
        return OperationText(
            names=tuple(self.table._names if names is None else names),
            operands=self.operands,
            type_of=self.type_of,
            register=self.register,
            properties=properties or {},
            over_windows=over_windows or {},
            where=self.where,
        )

    def type_of(self, text: str) -> DataType | None:
        """Return the type of an expression over the table's columns; None if it is not known."""
        try:
            written = QueryText(Expression(text))
            return (
                ExpressionCompiler(written, Scope.of(self.table._fields), self.operands)
                .compile(written.expression())
                .type
            )
        except KafkastreamError:
            return None

    def finished(self, select: SelectText, fields: Sequence[Field] | None = None) -> T:
        """Return the table of a query.

        Args:
            select: Query.
            fields: Columns, if the query is planned later, with the operations after it; by default, it is planned at once.

        Raises:
            DefinitionError: The query is invalid.
            UnsupportedFeatureError: Flink supports the query, and this package does not.
        """
        query = Expression(select.text, names=self.operands)
        made = type(self.table)(self.table._t_env, query, select=select, fields=fields, where=self.where)
        if fields is None:
            made._relation  # noqa: B018 - plans
        return made

    def error(self, what: str, now: str) -> DefinitionError:
        """Return an error about the operation."""
        return DefinitionError(what, where=self.where, now=now)

    def refused(self, what: str, now: str) -> UnsupportedFeatureError:
        """Return the error for a feature of Flink that this package does not support."""
        return UnsupportedFeatureError(what, where=self.where, now=now)


def nodes_of(where: str, expressions: Iterable[Any]) -> list[ExpressionNode]:
    """Return the trees of expressions.

    Raises:
        DefinitionError: An argument is not an expression.
    """
    given = list(expressions)
    for one in given:
        if not isinstance(one, TreeMethods):
            raise DefinitionError(
                f"{shown_value(one)} is not an expression",
                where=where,
                now="Write col('a') for a column, lit(1) for a value.",
            )
    return [node_of(one) for one in given]


def _shown(argument: Any) -> str:
    if isinstance(argument, TreeMethods):
        return shown_expression(argument._node)
    return "..." if hasattr(argument, "_t_env") else repr(argument)
