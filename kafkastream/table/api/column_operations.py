"""Operations on the columns and rows of one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
from typing_extensions import Self

from kafkastream.sql.types import Kind
from kafkastream.table.api.expression_tree import ColumnNode, ExpressionNode, Renamed
from kafkastream.table.api.operation import ApiOperation, nodes_of
from kafkastream.table.api.query_table import QueryTable

__all__ = ["ColumnOperations"]


class ColumnOperations(QueryTable):
    """Operations that select, add, rename and drop columns, and keep some of the rows."""

    def select(self, *fields: Any) -> Self:
        """Select columns, and compute others; aggregates without ``group_by`` are of all rows.

        Args:
            fields: Expressions.

        Raises:
            DefinitionError: An expression is invalid, or two columns have one name.
            UnsupportedFeatureError: Flink supports an expression, and this package does not.

        Example:
            >>> from kafkastream.table import EnvironmentSettings, TableEnvironment
            >>> from kafkastream.table.expressions import col
            >>> t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
            >>> pens = t_env.from_elements([(1, "pen")], ["id", "name"])
            >>> pens.select(col("id") + 1, col("name").upper_case.alias("name")).print_schema()
            (
              `_c0` BIGINT,
              `name` STRING
            )
        """
        done = ApiOperation(self, "select", *fields)
        items = done.writer().items(nodes_of(done.where, fields))
        if not items:
            raise done.error("no columns are selected", "Name a column: col('a').")
        return done.finished(attrs.evolve(done.select, items=tuple(item.written for item in items)))

    def alias(self, field: str, *fields: str) -> Self:
        """Rename columns, from the first on; the others keep their names.

        Args:
            field: New name of the first column.
            fields: New names of the next ones.

        Raises:
            DefinitionError: There are more names than columns, or two columns have one name.
        """
        done = ApiOperation(self, "alias", field, *fields)
        names = [field, *fields]
        if len(names) > len(self._names):
            raise done.error(
                "Aliasing more fields than we actually have.", f"The columns are {', '.join(self._names)}."
            )
        renamed = [Renamed(ColumnNode(old), (new,)) for old, new in zip(self._names, names, strict=False)]
        return self._with(done, [*renamed, *map(ColumnNode, self._names[len(names) :])])

    def filter(self, predicate: Any) -> Self:
        """Keep the rows for which a condition holds.

        Args:
            predicate: Condition.

        Raises:
            DefinitionError: The condition is invalid.
            UnsupportedFeatureError: Flink supports the condition, and this package does not.
        """
        return self._kept("filter", predicate)

    def where(self, predicate: Any) -> Self:
        """Keep the rows for which a condition holds, as ``filter`` does.

        Args:
            predicate: Condition.

        Raises:
            DefinitionError: The condition is invalid.
            UnsupportedFeatureError: Flink supports the condition, and this package does not.
        """
        return self._kept("where", predicate)

    def distinct(self) -> Self:
        """Keep equal rows once."""
        done = ApiOperation(self, "distinct")
        select = self._select
        if select is not None and select.items and not (select.group or select.is_distinct or select.has_end):
            done.operands.add(self._query.names)
            return done.finished(attrs.evolve(select, is_distinct=True))
        return done.finished(attrs.evolve(done.select, is_distinct=True))

    def add_columns(self, *fields: Any) -> Self:
        """Append columns.

        Args:
            fields: Expressions of the new columns.

        Raises:
            DefinitionError: An expression is invalid, or the table has a column of the name.
        """
        done = ApiOperation(self, "add_columns", *fields)
        return self._with(done, [*map(ColumnNode, self._names), *nodes_of(done.where, fields)])

    addColumns = add_columns

    def add_or_replace_columns(self, *fields: Any) -> Self:
        """Append columns, or replace those of the same names at their places.

        Args:
            fields: Expressions of the columns, with their names.

        Raises:
            DefinitionError: An expression is invalid.
        """
        done = ApiOperation(self, "add_or_replace_columns", *fields)
        nodes = nodes_of(done.where, fields)
        new = {node.names[0]: node for node in nodes if isinstance(node, Renamed)}
        kept = [new.get(name, ColumnNode(name)) for name in self._names]
        added = [node for node in nodes if not isinstance(node, Renamed) or node.names[0] not in self._names]
        return self._with(done, [*kept, *added])

    addOrReplaceColumns = add_or_replace_columns

    def rename_columns(self, *fields: Any) -> Self:
        """Rename columns.

        Args:
            fields: Columns with their new names: ``col("a").alias("b")``.

        Raises:
            DefinitionError: There is no such column.
        """
        done = ApiOperation(self, "rename_columns", *fields)
        new: dict[str, ExpressionNode] = {}
        for node in nodes_of(done.where, fields):
            if not isinstance(node, Renamed) or not isinstance(node.node, ColumnNode):
                raise done.error("a column is renamed by its name", "Write col('a').alias('b').")
            done.writer().text(node.node)
            new[node.node.name] = node
        return self._with(done, [new.get(name, ColumnNode(name)) for name in self._names])

    renameColumns = rename_columns

    def drop_columns(self, *fields: Any) -> Self:
        """Drop columns.

        Args:
            fields: Columns.

        Raises:
            DefinitionError: There is no such column, or none would be left.
        """
        done = ApiOperation(self, "drop_columns", *fields)
        dropped = {one for node in nodes_of(done.where, fields) for one in done.writer().expanded(node)}
        for one in dropped:
            if not isinstance(one, ColumnNode) or one.name not in self._names:
                name = one.name if isinstance(one, ColumnNode) else "the expression"
                raise done.error(f"Field {name} does not exist in source table", f"It has {', '.join(self._names)}.")
        kept = [column for column in map(ColumnNode, self._names) if column not in dropped]
        if not kept:
            raise done.error("no column is left", "Keep one.")
        return self._with(done, kept)

    dropColumns = drop_columns

    def _kept(self, method: str, predicate: Any) -> Self:
        done = ApiOperation(self, method, predicate)
        (condition,) = nodes_of(done.where, [predicate])
        type_ = done.type_of(done.writer().text(condition))
        if type_ is not None and type_.kind is not Kind.BOOLEAN:
            what = f"Filter operator requires a boolean expression as input, but $condition is of type {type_}"
            raise done.error(what, "Compare it: col('a') == 1.")
        where = (*done.select.where, done.writer().condition(condition))
        return done.finished(attrs.evolve(done.select, where=where))

    def _with(self, done: ApiOperation[Self], nodes: Sequence[ExpressionNode]) -> Self:
        items = done.writer().items(nodes)
        return done.finished(attrs.evolve(done.select, items=tuple(item.written for item in items)))
