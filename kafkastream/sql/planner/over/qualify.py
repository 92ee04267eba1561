"""``QUALIFY``: a condition on calls of OVER, as WHERE around the query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.planner.over.over_frames import over_calls_in

if TYPE_CHECKING:
    from kafkastream.sql.plan.plan_builder import PlannedRows
    from kafkastream.sql.planner.query_planner import SelectPlanner
    from kafkastream.sql.planner.select import SelectItem

__all__ = ["plan_qualify"]

_OUTER_CLAUSES = ("distinct", "order", "limit", "offset")


def plan_qualify(planner: SelectPlanner, node: exp.Select, *, is_top: bool) -> PlannedRows:
    """Plan a SELECT with QUALIFY.

    Raises:
        DefinitionError: The condition has no call of OVER.
        UnsupportedFeatureError: The SELECT has GROUP BY.
    """
    from kafkastream.sql.planner.select import plan_from, selected_items

    text, condition = planner.text, node.args["qualify"].this
    if node.args.get("group") or node.args.get("having"):
        message = "QUALIFY with GROUP BY is not supported; Flink fails with it, too."
        raise text.refused(node.args["qualify"], message, "Write SELECT ... FROM (SELECT ... GROUP BY ...) QUALIFY ...")
    _, scope, _ = plan_from(planner, node, [])
    items = selected_items(text, scope, node.expressions)
    inner = _InnerColumns(scope, items)
    outer_condition = inner.rewrite_condition(condition.copy())
    if not inner.has_windows:
        message = f"QUALIFY expression '{text.shown(condition)}' must contain a window function"
        raise text.error(condition, message, "Write it in WHERE.")
    below = node.copy()
    for part in ("qualify", *_OUTER_CLAUSES):
        below.set(part, None)
    below.set(
        "expressions", [exp.alias_(column, f"${number}", quoted=True) for number, column in enumerate(inner.columns)]
    )
    outer = exp.Select(
        expressions=[exp.alias_(_inner_column(number), item.name, quoted=True) for number, item in enumerate(items)],
        from_=exp.From(this=exp.Subquery(this=below)),
        where=exp.Where(this=outer_condition),
        **{part: clause.copy() for part in _OUTER_CLAUSES if (clause := node.args.get(part))},
    )
    return planner.plan(outer, is_top=is_top)


def _inner_column(number: int) -> exp.Column:
    return exp.column(exp.to_identifier(f"${number}", quoted=True))


class _InnerColumns:
    """Columns of the inner query: the selected ones, and those that the condition reads.

    Args:
        scope: Scope of FROM.
        items: Selected columns.

    Attributes:
        columns: Their expressions.
        has_windows: Whether the condition has calls of OVER.
    """

    def __init__(self, scope: Scope, items: Sequence[SelectItem]) -> None:
        self._names = {name for source in scope.sources for name, _ in source.columns}
        self._aliases = {item.name: index for index, item in enumerate(items) if item.column is None}
        self.columns = [item.node.copy() if item.column is None else _star_column(scope, item) for item in items]
        self.has_windows = False

    def rewrite_condition(self, condition: exp.Expr) -> exp.Expr:
        """Return the condition over the columns of the inner query."""
        for leaf_expression in list(_leaf_expressions(condition)):
            number = self._column_index(leaf_expression)
            if leaf_expression is condition:
                return _inner_column(number)
            leaf_expression.replace(_inner_column(number))
        return condition

    def _column_index(self, node: exp.Expr) -> int:
        is_alias = isinstance(node, exp.Column) and not node.table and node.name not in self._names
        index = self._aliases.get(node.name) if is_alias else None
        if index is None:
            if node not in self.columns:
                self.columns.append(node.copy())
            index = self.columns.index(node)
        self.has_windows = self.has_windows or next(over_calls_in(self.columns[index]), None) is not None
        return index


def _leaf_expressions(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the outermost calls of OVER and columns in a condition."""
    if isinstance(node, exp.Window | exp.Column | exp.Dot):
        yield node
    elif not isinstance(node, exp.Query):
        for child in node.iter_expressions():
            yield from _leaf_expressions(child)


def _star_column(scope: Scope, item: SelectItem) -> exp.Expr:
    """Return a reference to a column of ``*``, qualified with its table."""
    assert item.column is not None
    source, name = next(
        (source, name) for source in scope.sources for name, index in source.columns if index == item.column.place
    )
    table = exp.to_identifier(source.alias, quoted=True) if source.alias else None
    return exp.column(exp.to_identifier(name, quoted=True), table=table)
