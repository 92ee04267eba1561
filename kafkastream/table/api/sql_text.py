"""Writes trees of expressions as Flink SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from kafkastream.sql.expressions.built_in_names import is_built_in
from kafkastream.sql.quoting import quoted
from kafkastream.table.api.expression_tree import (
    Aggregate,
    ColumnNode,
    Columns,
    ExpressionNode,
    Flattened,
    Form,
    Member,
    NamedCall,
    OfWindow,
    OverCall,
    Plus,
    PythonCall,
    Renamed,
    Strength,
    TableQuery,
    Text,
)

__all__ = ["TextWriter", "shown_expression"]


class TextWriter:
    """Writes expressions that refer to no table; subclasses add one."""

    def text(self, node: ExpressionNode) -> str:
        """Return the SQL of an expression."""
        return _WRITERS[type(node)](self, node)

    def operand(self, node: ExpressionNode, least: Strength) -> str:
        """Return the SQL of an operand, in parentheses if it binds less than needed."""
        text = self.text(node)
        return f"({text})" if node.strength < least else text

    def form(self, node: Form) -> str:
        """Return the SQL of a call or an operator."""
        least = node.least or (Strength.ANYTHING,)
        operands = (self.operand(part, least[min(at, len(least) - 1)]) for at, part in enumerate(node.parts))
        return node.form.format(*operands)

    def column(self, node: ColumnNode) -> str:
        """Return the name of a column."""
        return quoted(node.name)

    def plus(self, node: Plus) -> str:
        """Return a sum."""
        return f"{self.operand(node.left, Strength.SUM)} + {self.operand(node.right, Strength.PRODUCT)}"

    def aggregate(self, node: Aggregate, over: str = "") -> str:
        """Return the call of an aggregate."""
        name = "SUM" if node.name == "SUM0" else node.name
        distinct = "DISTINCT " if node.is_distinct else ""
        parts = list(map(self.text, node.parts))
        arguments = node.form.format(*parts) if node.form else ", ".join(parts)
        called = f"{name}({distinct}{arguments}){over}"
        return f"COALESCE({called}, 0)" if node.name == "SUM0" else called

    def user_call(self, node: PythonCall, over: str = "") -> str:
        """Return the call of a user-defined function."""
        distinct = "DISTINCT " if node.is_distinct else ""
        return f"{self.function(node)}({distinct}{', '.join(map(self.text, node.parts))}){over}"

    def named_call(self, node: NamedCall, over: str = "") -> str:
        """Return the call of a function by its name."""
        is_plain = len(node.path) == 1 and is_built_in(node.path[0])
        name = node.path[0] if is_plain else quoted(*node.path)
        return f"{name}({', '.join(map(self.text, node.parts))}){over}"

    def function(self, node: PythonCall) -> str:
        """Return the name of a user-defined function."""
        return node.function.name

    def renamed(self, node: Renamed) -> str:
        """Return an expression with its names."""
        return f"{self.text(node.node)} AS {', '.join(map(quoted, node.names))}"

    def over(self, node: OverCall) -> str:
        """Return an aggregate over a window."""
        is_of_row = isinstance(node.node, Aggregate) and node.node.name in {"LAG", "LEAD"}
        window = f" OVER {self.window(node, has_frame=not is_of_row)}"
        match node.node:
            case Aggregate() as aggregate:
                return self.aggregate(aggregate, window)
            case PythonCall() as call:
                return self.user_call(call, window)
            case NamedCall() as named:
                return self.named_call(named, window)
        return self.text(node.node) + window

    def window(self, node: OverCall, *, has_frame: bool) -> str:
        """Return the window of an aggregate, without its frame for a function that takes none."""
        return quoted(node.window)

    def of_window(self, node: OfWindow) -> str:
        """Return a property of a group window."""
        return f"{self.text(node.window)}.{node.part.lower()}"

    def member(self, node: Member) -> str:
        """Return a field of a row."""
        is_simple = isinstance(node.node, (ColumnNode, Member))
        value = self.text(node.node)
        return f"{value if is_simple else f'({value})'}.{quoted(str(node.field))}"

    def flattened(self, node: Flattened) -> str:
        """Return all fields of a row."""
        return f"{self.text(node.node)}.*"

    def columns(self, node: Columns) -> str:
        """Return several columns."""
        ranges = ", ".join(str(one) if one == other else f"{one} TO {other}" for one, other in node.ranges)
        return f"* EXCEPT ({ranges})" if node.others else ranges or "*"

    def table_query(self, node: TableQuery) -> str:
        """Return ``IN`` with the rows of a table."""
        return f"{self.operand(node.node, Strength.SUM)} IN (SELECT * FROM {self.table(node.table)})"  # noqa: S608 - no text from outside

    def table(self, table: Any) -> str:
        """Return the name of a table."""
        return "a table"


_WRITERS: Final[Mapping[type[ExpressionNode], Callable[[Any, Any], str]]] = {
    Text: lambda _, node: node.text,
    ColumnNode: lambda writer, node: writer.column(node),
    Form: lambda writer, node: writer.form(node),
    Plus: lambda writer, node: writer.plus(node),
    Aggregate: lambda writer, node: writer.aggregate(node),
    NamedCall: lambda writer, node: writer.named_call(node),
    PythonCall: lambda writer, node: writer.user_call(node),
    Renamed: lambda writer, node: writer.renamed(node),
    OverCall: lambda writer, node: writer.over(node),
    OfWindow: lambda writer, node: writer.of_window(node),
    Member: lambda writer, node: writer.member(node),
    Flattened: lambda writer, node: writer.flattened(node),
    Columns: lambda writer, node: writer.columns(node),
    TableQuery: lambda writer, node: writer.table_query(node),
}


def shown_expression(node: ExpressionNode) -> str:
    """Return an expression as SQL, for users."""
    return TextWriter().text(node)
