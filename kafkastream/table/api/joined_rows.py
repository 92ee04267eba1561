"""Joins of tables, and calls of functions for each row."""

from __future__ import annotations

from typing import Any

import attrs
from typing_extensions import Self

from kafkastream.sql.quoting import quoted
from kafkastream.sql.row_functions import taking_columns
from kafkastream.sql.types import Kind
from kafkastream.sql.user_functions import UserFunction
from kafkastream.table.api.expression_function import ExpressionFunction
from kafkastream.table.api.expression_tree import ColumnNode, ExpressionNode, NamedCall, PythonCall, Renamed
from kafkastream.table.api.operation import ApiOperation, nodes_of
from kafkastream.table.api.query_table import QueryTable
from kafkastream.table.api.select_text import SelectText
from kafkastream.table.api.tree_methods import TreeMethods

__all__ = ["JoinOperations"]


class JoinOperations(QueryTable):
    """Joins with tables and table functions, and functions that are called for each row."""

    def join(self, right: Self, join_predicate: Any = None) -> Self:
        """Join two tables, whose columns have different names.

        Args:
            right: Other table.
            join_predicate: Condition; without one, a condition in ``where`` is that of the join.

        Raises:
            DefinitionError: Both tables have a column of one name, or the condition is invalid.
            UnsupportedFeatureError: Flink supports the join, and this package does not.
        """
        return self._joined("join", "JOIN", right, join_predicate)

    def left_outer_join(self, right: Self, join_predicate: Any = None) -> Self:
        """Join two tables, and keep all rows of this one.

        Args:
            right: Other table.
            join_predicate: Condition; by default, all pairs of rows are joined.
        """
        return self._joined("left_outer_join", "LEFT JOIN", right, join_predicate)

    leftOuterJoin = left_outer_join

    def right_outer_join(self, right: Self, join_predicate: Any) -> Self:
        """Join two tables, and keep all rows of the other one.

        Args:
            right: Other table.
            join_predicate: Condition.
        """
        return self._joined("right_outer_join", "RIGHT JOIN", right, join_predicate)

    rightOuterJoin = right_outer_join

    def full_outer_join(self, right: Self, join_predicate: Any) -> Self:
        """Join two tables, and keep all rows of both.

        Args:
            right: Other table.
            join_predicate: Condition.
        """
        return self._joined("full_outer_join", "FULL JOIN", right, join_predicate)

    fullOuterJoin = full_outer_join

    def join_lateral(self, table_function_call: Any, join_predicate: Any = None) -> Self:
        """Join each row with the rows that a table function gives for it.

        Args:
            table_function_call: Call with the names of its columns: ``split(col("a")).alias("b")``. A function alone
                takes the whole row.
            join_predicate: Condition.

        Raises:
            DefinitionError: It is not a call of a table function, or both tables have a column of the same name.
        """
        return self._lateral("join_lateral", "JOIN", table_function_call, join_predicate)

    joinLateral = join_lateral

    def left_outer_join_lateral(self, table_function_call: Any, join_predicate: Any = None) -> Self:
        """Join as ``join_lateral``, and keep a row for which the function gives none, with NULL.

        Args:
            table_function_call: As of ``join_lateral``.
            join_predicate: Condition.
        """
        return self._lateral("left_outer_join_lateral", "LEFT JOIN", table_function_call, join_predicate)

    leftOuterJoinLateral = left_outer_join_lateral

    def map(self, func: Any) -> Self:
        """Call a scalar function for each row; the fields of a row that it returns become the columns.

        Args:
            func: Call of a function; or a function alone, which takes the whole row.

        Raises:
            DefinitionError: It is not a call of a scalar function.
        """
        done = ApiOperation(self, "map", func)
        node, names = self._call(done, func)
        type_ = done.type_of(text := done.writer().text(node))
        if type_ is None or type_.kind is not Kind.ROW:
            name = names[0] if names else "_c0"
            return done.finished(attrs.evolve(done.select, items=(f"{text} AS {quoted(name)}",)))
        inner = done.finished(attrs.evolve(done.select, items=(f"{text} AS `$row`",)))
        outer = ApiOperation(inner, "map", func)
        fields = [field.name for field in type_.fields]
        named = zip(fields, names or fields, strict=False)
        return outer.finished(
            attrs.evolve(outer.select, items=tuple(f"`$row`.{quoted(old)} AS {quoted(new)}" for old, new in named))
        )

    def flat_map(self, func: Any) -> Self:
        """Call a table function for each row; the rows that it gives are those of the result.

        Args:
            func: Call of a function; or a function alone, which takes the whole row.

        Raises:
            DefinitionError: It is not a call of a table function.
        """
        joined = self._lateral("flat_map", "JOIN", func, None, is_apart=True)
        done = ApiOperation(joined, "flat_map", func)
        names = joined._names[len(self._names) :]
        plain = [name.removeprefix("$") for name in names]
        items = (f"{quoted(old)} AS {quoted(new)}" for old, new in zip(names, plain, strict=True))
        return done.finished(attrs.evolve(done.select, items=tuple(items)))

    flatMap = flat_map

    def _joined(self, method: str, kind: str, right: Self, predicate: Any) -> Self:
        done = ApiOperation(self, method, right, *([] if predicate is None else [predicate]))
        both = [name for name in self._names if name in set(right._names)]
        if both:
            what = f"join relations with ambiguous names: [{', '.join(both)}]"
            raise done.error(what, "Rename them: right.alias(...), or rename_columns.")
        source = done.select.source if done.select.is_source else done.entry(self)
        other = done.entry(right)
        if predicate is None:
            if kind == "LEFT JOIN":
                return done.finished(SelectText(f"{source} LEFT JOIN {other} ON TRUE"))
            return done.finished(SelectText(f"{source} CROSS JOIN {other}"), [*self._fields, *right._fields])
        (condition,) = nodes_of(done.where, [predicate])
        written = done.writer([*self._names, *right._names]).text(condition)
        return done.finished(SelectText(f"{source} {kind} {other} ON {written}"))

    def _lateral(self, method: str, kind: str, call: Any, predicate: Any, *, is_apart: bool = False) -> Self:
        done = ApiOperation(self, method, call)
        node, names = self._call(done, call)
        writer = done.writer()
        added = names or self._columns_of(done, node)
        both = [name for name in added if name in self._names]
        if both and not is_apart:
            what = f"join relations with ambiguous names: [{', '.join(both)}]"
            raise done.error(what, "Name the function's columns: f(...).alias('x').")
        own = [f"${name}" for name in added] if is_apart else added
        alias = f"T({', '.join(map(quoted, own))})"
        source = done.select.source if done.select.is_source else done.entry(self)
        condition = "TRUE"
        if predicate is not None:
            (given,) = nodes_of(done.where, [predicate])
            condition = done.writer([*self._names, *own]).text(given)
        return done.finished(
            SelectText(f"{source} {kind} LATERAL TABLE({writer.text(node)}) AS {alias} ON {condition}")
        )

    def _call(self, done: ApiOperation[Self], given: Any) -> tuple[ExpressionNode, tuple[str, ...]]:
        """Return a call, and the names of its columns."""
        if isinstance(given, UserFunction):
            names = given.aliases if isinstance(given, ExpressionFunction) else ()
            return PythonCall(taking_columns(given, self._names), tuple(map(ColumnNode, self._names))), names
        node = given._node if isinstance(given, TreeMethods) else None
        names = node.names if isinstance(node, Renamed) else ()
        node = node.node if isinstance(node, Renamed) else node
        if not isinstance(node, (PythonCall, NamedCall)):
            raise done.error("a call of a function is expected", "Make one with udf or udtf: f(col('a')).")
        return node, names

    @staticmethod
    def _columns_of(done: ApiOperation[Any], node: ExpressionNode) -> tuple[str, ...]:
        """Return the names of the columns that a table function declares."""
        if isinstance(node, PythonCall):
            function = node.function
        else:
            assert isinstance(node, NamedCall)
            named = done.operands.function(node.path)
            if named is None:
                raise done.error(
                    f"Undefined function: {'.'.join(node.path)}", "Name one with create_temporary_function."
                )
            function = named.function
        return tuple(field.name for field in function.result_type.fields)
