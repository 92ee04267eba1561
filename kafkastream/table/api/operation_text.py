"""Writes the expressions of an operation on a table, whose columns are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.sql.quoting import quoted
from kafkastream.sql.table_options import did_you_mean
from kafkastream.sql.types import DataType, Kind
from kafkastream.sql.user_functions import FunctionKind
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
)
from kafkastream.table.api.operands import Operands
from kafkastream.table.api.sql_text import TextWriter

__all__ = ["NamedText", "OperationText", "OverText"]


class NamedText(NamedTuple):
    """A column of a result: its name and its SQL."""

    name: str
    text: str

    @property
    def written(self) -> str:
        """Return the column as an entry of SELECT."""
        return self.text if self.text == quoted(self.name) else f"{self.text} AS {quoted(self.name)}"


class OverText(NamedTuple):
    """SQL of an over window: its partitions and order, and its frame."""

    ordered: str
    frame: str


@final
@attrs.frozen(kw_only=True)
class OperationText(TextWriter):
    """Writes expressions over the columns of a table.

    Args:
        names: Names of the columns.
        operands: Tables and functions that the text names.
        type_of: Returns the type of an expression, None if it is not known.
        register: Returns the name of a table that is an operand.
        properties: Text of the properties of group windows, by alias and property.
        over_windows: Over windows, by alias.
        where: Method and its arguments, for errors.
    """

    names: Sequence[str]
    operands: Operands
    type_of: Callable[[str], DataType | None]
    register: Callable[[Any], str]
    properties: Mapping[tuple[str, str], str] = attrs.field(factory=dict)
    over_windows: Mapping[str, OverText] = attrs.field(factory=dict)
    where: str = ""

    def items(self, nodes: Sequence[ExpressionNode]) -> list[NamedText]:
        """Return the columns that expressions give, with the names that Flink gives them.

        Raises:
            DefinitionError: Two columns have one name.
        """
        expanded = [one for node in nodes for one in self.expanded(node)]
        numbered = list(dict.fromkeys(one for node in expanded for one in self._aggregates(node)))
        named = {node: f"EXPR${at}" for at, node in enumerate(numbered)}
        found = [NamedText(_name(node, named) or f"_c{at}", self.value(node)) for at, node in enumerate(expanded)]
        twice = [name for name, times in Counter(item.name for item in found).items() if times > 1]
        if twice:
            raise self.error(f"Ambiguous column name: {twice[0]}", "Give one of the columns another name: .alias('x').")
        return found

    def value(self, node: ExpressionNode) -> str:
        """Return the SQL of an expression without its name."""
        return self.text(node.node if isinstance(node, Renamed) else node)

    def condition(self, node: ExpressionNode) -> str:
        """Return the SQL of a condition that is joined with others by AND."""
        return self.operand(node, Strength.AND)

    def expanded(self, node: ExpressionNode) -> Iterator[ExpressionNode]:
        """Return the expressions of the columns that an expression expands to."""
        match node:
            case Columns():
                yield from (ColumnNode(name) for name in self._chosen(node))
            case Flattened(inner):
                type_ = self.type_of(self.text(inner))
                if type_ is None or type_.kind is not Kind.ROW:
                    raise self.error(f"flatten needs a row, not {type_}", "Name the columns.")
                yield from (Member(inner, field.name) for field in type_.fields)
            case _:
                yield node

    def column(self, node: ColumnNode) -> str:
        """Return the name of a column, which the table must have."""
        if node.name not in self.names:
            what = f"Cannot resolve field [{node.name}], input field list:[{', '.join(self.names)}]."
            raise self.error(what, did_you_mean(node.name, self.names))
        return quoted(node.name)

    def user_call(self, node: PythonCall, over: str = "") -> str:
        """Return the call of a function, with all columns for ``*``."""
        parts = tuple(one for part in node.parts for one in self.expanded(part))
        return TextWriter.user_call(self, attrs.evolve(node, parts=parts), over)

    def plus(self, node: Plus) -> str:
        """Return a sum; a text on the left has the other operand appended to it, as in Flink."""
        left, right = (self.type_of(self.text(one)) for one in (node.left, node.right))
        if left is None or left.kind not in _TEXTS:
            return TextWriter.plus(self, node)
        other = self.text(node.right)
        return (
            f"CONCAT({self.text(node.left)}, {other if right and right.kind in _TEXTS else f'CAST({other} AS STRING)'})"
        )

    def function(self, node: PythonCall) -> str:
        """Return the name of a user-defined function."""
        return quoted(self.operands.name_of(self.operands.outer.functions.anonymous(node.function)))

    def window(self, node: OverCall, *, has_frame: bool) -> str:
        """Return the window of an aggregate, without its frame for a function that takes none."""
        if node.window not in self.over_windows:
            what = f"Could not resolve over call: the window {node.window} is not declared."
            raise self.error(what, "Declare it with over_window.")
        window = self.over_windows[node.window]
        return f"({window.ordered}{window.frame if has_frame else ''})"

    def of_window(self, node: OfWindow) -> str:
        """Return a property of a group window."""
        alias = node.window.name if isinstance(node.window, ColumnNode) else ""
        if (alias, node.part) not in self.properties:
            what = f"{alias or 'The expression'} is not the alias of a group window, which {node.part.lower()} needs."
            raise self.error(what, "Write table.window(Tumble.over(...).on(...).alias('w')).group_by(col('w')).")
        return self.properties[alias, node.part]

    def member(self, node: Member) -> str:
        """Return a field of a row."""
        if isinstance(node.field, str):
            return TextWriter.member(self, node)
        type_ = self.type_of(self.text(node.node))
        if type_ is None or not 0 <= node.field < len(type_.fields):
            raise self.error(f"there is no field {node.field} in {type_}", "Fields count from 0.")
        return TextWriter.member(self, attrs.evolve(node, field=type_.fields[node.field].name))

    def columns(self, node: Columns) -> str:
        """Refuse several columns where one value is needed."""
        raise self.error("an expression of several columns is used as a single value", "Name the columns one by one.")

    def table(self, table: Any) -> str:
        """Return the name of a table."""
        return quoted(self.register(table))

    def error(self, what: str, now: str) -> DefinitionError:
        """Return an error about the operation."""
        return DefinitionError(what, where=self.where, now=now)

    def _chosen(self, node: Columns) -> list[str]:
        inside: set[str] = set()
        for first, last in node.ranges:
            low, high = self._place(first), self._place(last)
            if low > high:
                raise self.error(f"The start of the range {first} to {last} is after its end.", "Turn it round.")
            inside.update(self.names[low : high + 1])
        if not node.ranges:
            return list(self.names)
        if node.others:
            return [name for name in self.names if name not in inside]
        ordered = [self.names[at] for one in node.ranges for at in range(self._place(one[0]), self._place(one[1]) + 1)]
        return list(dict.fromkeys(ordered))

    def _place(self, column: str | int) -> int:
        if isinstance(column, str):
            self.column(ColumnNode(column))
            return list(self.names).index(column)
        if not 1 <= column <= len(self.names):
            raise self.error(f"there is no column {column} of {len(self.names)}", "Columns count from 1.")
        return column - 1

    def is_aggregate(self, node: ExpressionNode) -> bool:
        """Return whether an expression is itself a call of an aggregate."""
        match node:
            case PythonCall(function):
                return function.kind in _AGGREGATES
            case NamedCall(path):
                named = self.operands.function(path)
                return named is not None and named.function.kind in _AGGREGATES
        return isinstance(node, Aggregate)

    def _aggregates(self, node: ExpressionNode) -> Iterator[ExpressionNode]:
        """Return the aggregates and window properties of an expression, which Flink numbers."""
        if isinstance(node, OverCall):
            return
        if self.is_aggregate(node) or isinstance(node, OfWindow):
            yield node
            return
        for part in node.parts:
            yield from self._aggregates(part)


_TEXTS = frozenset({Kind.CHAR, Kind.VARCHAR})
_AGGREGATES = frozenset({FunctionKind.AGGREGATE, FunctionKind.TABLE_AGGREGATE})


def _name(node: ExpressionNode, named: Mapping[ExpressionNode, str]) -> str:
    """Return the name that Flink derives from an expression; empty for none."""
    if node in named:
        return named[node]
    match node:
        case ColumnNode(name):
            return name
        case Renamed(_, (name, *_)):
            return name
        case Member(inner, field):
            base = _name(inner, named)
            return base and f"{base}${field if isinstance(field, str) else f'_{field}'}"
        case Form(keeps_name=type_, parts=(inner,)) if type_:
            base = _name(inner, named)
            return base and f"{base}-{type_}"
    return ""
