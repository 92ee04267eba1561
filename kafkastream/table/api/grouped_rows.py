"""Queries of groups: keys, a window, and the selected columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar, final

import attrs

from kafkastream.sql.quoting import quoted
from kafkastream.sql.row_functions import as_aggregate, taking_columns
from kafkastream.sql.types import Kind
from kafkastream.sql.user_functions import FunctionKind, UserFunction
from kafkastream.table.api.column_operations import ColumnOperations
from kafkastream.table.api.expression_function import ExpressionFunction
from kafkastream.table.api.expression_tree import ColumnNode, ExpressionNode, OfWindow, PythonCall, Renamed, walk
from kafkastream.table.api.operation import ApiOperation, nodes_of
from kafkastream.table.api.select_text import SelectText
from kafkastream.table.api.tree_methods import TreeMethods
from kafkastream.table.api.window_text import grouped_by, window_properties
from kafkastream.table.window import GroupWindow

__all__ = ["Grouping"]

T = TypeVar("T", bound=ColumnOperations)
_RESULT = "$result"


@final
@attrs.frozen
class Grouping(Generic[T]):
    """Groups of the rows of a table.

    Args:
        table: Table.
        keys: Columns and expressions.
        window: Group window; None without one.
    """

    table: T
    keys: tuple[ExpressionNode, ...]
    window: GroupWindow | None = None

    @staticmethod
    def of(table: T, fields: Sequence[Any], window: GroupWindow | None = None) -> Grouping[T]:
        """Return the groups of keys, some of which may be new columns: ``(col("a") + 1).alias("b")``.

        Raises:
            DefinitionError: A key is invalid, or the window is not among them.
        """
        done = ApiOperation(table, "group_by", *fields)
        nodes = nodes_of(done.where, fields)
        if window is not None:
            alias = ColumnNode(window.name)
            if nodes.count(alias) != 1:
                what = "GroupBy must contain exactly one window alias."
                raise done.error(what, f"Write group_by(col({window.name!r}), ...).")
            nodes.remove(alias)
        new = [node for node in nodes if isinstance(node, Renamed)]
        if new:
            others = [column for column in table._names if column not in {node.names[0] for node in new}]
            table = table._with(done, [*map(ColumnNode, others), *new])
        keys = tuple(ColumnNode(node.names[0]) if isinstance(node, Renamed) else node for node in nodes)
        return Grouping(table, keys, window)

    @property
    def names(self) -> list[str]:
        """Return the names of the keys that are columns."""
        return [key.name for key in self.keys if isinstance(key, ColumnNode)]

    def selected(self, fields: Sequence[Any]) -> T:
        """Return the table with the columns that are selected from the groups.

        Raises:
            DefinitionError: An expression is invalid.
        """
        done = ApiOperation(self.table, "select", *fields)
        group, properties = self._group(done)
        nodes = nodes_of(done.where, fields)
        expanded = [one for node in nodes for one in done.writer(self.names).expanded(node)]
        items = done.writer(properties=properties).items(expanded)
        return done.finished(attrs.evolve(done.select, items=tuple(item.written for item in items), group=group))

    def aggregated(self, function: Any, fields: Sequence[Any], method: str) -> T:
        """Return the table with columns that are selected from groups with an aggregate, whose result row becomes columns.

        Args:
            function: Call of an aggregate; or a function alone, which takes the whole rows.
            fields: Expressions over the keys and the columns of the result.
            method: Method that is called, for errors.

        Raises:
            DefinitionError: It is not a call of an aggregate function, or an expression is invalid.
        """
        done = ApiOperation(self.table, method, function)
        call, names = self._call(done, function)
        result = call.function.result_type
        is_table = call.function.kind is FunctionKind.TABLE_AGGREGATE
        if is_table:
            call = attrs.evolve(call, function=as_aggregate(call.function))
        group, properties = self._group(done)
        used = {node for one in nodes_of(method, fields) for node in walk(one) if isinstance(node, OfWindow)}
        windows = {(node.window.name, node.part) for node in used if isinstance(node.window, ColumnNode)}
        own = {key: f"${key[1]}" for key in windows if key in properties}
        items = [
            *map(quoted, self.names),
            f"{done.writer().text(call)} AS {quoted(_RESULT)}",
            *(f"{properties[key]} AS {quoted(name)}" for key, name in own.items()),
        ]
        inner = done.finished(attrs.evolve(done.select, items=tuple(items), group=group))
        fields_of = [field.name for field in result.fields] if result.kind is Kind.ROW else []
        columns = tuple(names) or tuple(fields_of) or ("f0",)
        if is_table:
            return self._unnested(inner, columns, own, fields)
        values = [f"{quoted(_RESULT)}.{quoted(one)}" for one in fields_of] or [quoted(_RESULT)]
        named = [f"{value} AS {quoted(name)}" for value, name in zip(values, columns, strict=False)]
        flat = ApiOperation(inner, method, function)
        kept = (*map(quoted, (*self.names, *own.values())), *named)
        return self._over_result(flat.finished(attrs.evolve(flat.select, items=kept)), columns, own, fields)

    def _unnested(
        self, inner: T, columns: Sequence[str], own: Mapping[tuple[str, str], str], fields: Sequence[Any]
    ) -> T:
        done = ApiOperation(inner, "flat_aggregate")
        alias = f"T({', '.join(map(quoted, columns))})"
        source = f"{done.entry(inner)} CROSS JOIN UNNEST({quoted(_RESULT)}) AS {alias}"
        return self._over_result(done.finished(SelectText(source)), columns, own, fields)

    def _over_result(
        self, table: T, columns: Sequence[str], own: Mapping[tuple[str, str], str], fields: Sequence[Any]
    ) -> T:
        done = ApiOperation(table, "select", *fields)
        properties = {key: quoted(name) for key, name in own.items()}
        writer = done.writer([*self.names, *columns], properties)
        items = writer.items(nodes_of(done.where, fields))
        return done.finished(attrs.evolve(done.select, items=tuple(item.written for item in items)))

    def _group(self, done: ApiOperation[T]) -> tuple[tuple[str, ...], Mapping[tuple[str, str], str]]:
        """Return the entries of GROUP BY, and the properties of the window."""
        keys = tuple(map(done.writer().text, self.keys))
        if self.window is None:
            return keys, {}
        window = grouped_by(done, self.window)
        return (*keys, window), window_properties(self.window, window)

    def _call(self, done: ApiOperation[T], given: Any) -> tuple[PythonCall, tuple[str, ...]]:
        """Return the call of an aggregate, and the names of its columns."""
        if isinstance(given, UserFunction):
            names = given.aliases if isinstance(given, ExpressionFunction) else ()
            time = self.window.time if self.window else None
            columns = [name for name in self.table._names if time is None or ColumnNode(name) != time]
            return PythonCall(taking_columns(given, columns), tuple(map(ColumnNode, columns))), names
        node = given._node if isinstance(given, TreeMethods) else None
        names = node.names if isinstance(node, Renamed) else ()
        node = node.node if isinstance(node, Renamed) else node
        if not isinstance(node, PythonCall):
            raise done.error(
                "a call of an aggregate function is expected", "Make one with udaf: f(col('a')).alias('b')."
            )
        return node, names
